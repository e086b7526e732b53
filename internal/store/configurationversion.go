package store

import (
	"cmp"
	"time"

	"github.com/belayhq/belay"
	"github.com/belayhq/belay/run"
)

var configurations = newTable(table[configurationRow]{
	name: "configuration_versions",
	own: []column[configurationRow]{
		{"id", func(c *configurationRow) any { return &c.ID }},
		{"workspace_id", func(c *configurationRow) any { return &c.WorkspaceID }},
		{"sequence", func(c *configurationRow) any { return &c.Sequence }},
		{"status", func(c *configurationRow) any { return &c.Status }},
		{"auto_queue_runs", func(c *configurationRow) any { return &c.AutoQueueRuns }},
		{"speculative", func(c *configurationRow) any { return &c.Speculative }},
		{"provisional", func(c *configurationRow) any { return &c.Provisional }},
		{"candidate", func(c *configurationRow) any { return &c.Candidate }},
		{"vetted", func(c *configurationRow) any { return &c.Vetted }},
		{"source", func(c *configurationRow) any { return &c.Source }},
		{"error_code", func(c *configurationRow) any { return &c.ErrorCode }},
		{"error_message", func(c *configurationRow) any { return &c.ErrorMessage }},
		{"stamps", func(c *configurationRow) any { return jsonText[map[string]time.Time]{&c.Stamps} }},
		{"blob_key", func(c *configurationRow) any { return &c.Key }},
		{"size", func(c *configurationRow) any { return &c.Size }},
		{"sha256", func(c *configurationRow) any { return &c.SHA256 }},
		{"ingress_id", func(c *configurationRow) any { return &c.ingressID }},
		{"ingress", func(c *configurationRow) any { return jsonText[*run.Ingress]{&c.Ingress} }},
		{"fetch_id", func(c *configurationRow) any { return &c.FetchID }},
		{"created_by", func(c *configurationRow) any { return &c.CreatedBy }},
		{"author", func(c *configurationRow) any { return jsonText[belay.Principal]{&c.Author} }},
		{"created_at", func(c *configurationRow) any { return millis{&c.CreatedAt} }},
		{"moved_at", func(c *configurationRow) any { return millis{&c.movedAt} }},
	},
	joined: []column[configurationRow]{
		{`COALESCE((SELECT r.id FROM runs r WHERE r.configuration_version_id = configuration_versions.id
			ORDER BY r.created_at, r.id LIMIT 1), '')`, func(c *configurationRow) any { return &c.RunID }},
	},
})

// configurationRow is a configuration version with what it is found by.
type configurationRow struct {
	run.ConfigurationVersion
	ingressID string
	movedAt   time.Time // when it came to its status
}

func configurationsOf(rows []configurationRow, err error) ([]run.ConfigurationVersion, error) {
	list := make([]run.ConfigurationVersion, len(rows))
	for i := range rows {
		list[i] = rows[i].ConfigurationVersion
	}
	return list, err
}

// ConfigurationVersion is one configuration version.
func (v *View) ConfigurationVersion(id string) (run.ConfigurationVersion, error) {
	row, err := configurations.one(v.Peek(), "configuration_versions.id = ?", id)
	return row.ConfigurationVersion, err
}

// ConfigurationByIngress is the configuration version that ingress attributes belong to.
func (v *View) ConfigurationByIngress(id string) (run.ConfigurationVersion, error) {
	row, err := configurations.one(v.Peek(), "configuration_versions.ingress_id = ? AND configuration_versions.ingress_id <> ''", id)
	return row.ConfigurationVersion, err
}

// VettedConfiguration is the newest configuration version of a workspace that was vetted, and
// whose archive is at hand or can be fetched.
func (v *View) VettedConfiguration(workspaceID string) (run.ConfigurationVersion, error) {
	q := v.sql(configurations.selected).add("WHERE configuration_versions.workspace_id = ? AND configuration_versions.candidate AND configuration_versions.vetted", workspaceID)
	q.add(" AND (configuration_versions.status = 'uploaded' OR configuration_versions.ingress_id <> '') ORDER BY configuration_versions.sequence DESC")
	list, err := configurationsOf(configurations.many(v.Peek(), q.first(1)))
	if err != nil || len(list) == 0 {
		return run.ConfigurationVersion{}, cmp.Or(err, error(belay.ErrNotFound))
	}
	return list[0], nil
}

// ConfigurationVersionsByID is many configuration versions, in no order.
func (v *View) ConfigurationVersionsByID(ids []string) ([]run.ConfigurationVersion, error) {
	return configurationsOf(configurations.many(v, v.sql(configurations.selected).in("WHERE configuration_versions.id", ids)))
}

// ConfigurationVersions is one page of a workspace's configuration versions, the newest first.
func (v *View) ConfigurationVersions(workspaceID string, page belay.Page) ([]run.ConfigurationVersion, int, error) {
	rows, total, err := configurations.page(v, page, "configuration_versions.sequence DESC", "configuration_versions.workspace_id = ?", workspaceID)
	list, err := configurationsOf(rows, err)
	return list, total, err
}

// WaitingConfigurations is how many configuration versions of a workspace wait for their
// archive.
func (v *View) WaitingConfigurations(workspaceID string) (int, error) {
	n, _, err := value[int](v, v.sql("SELECT count(*) FROM configuration_versions WHERE workspace_id = ? AND status = 'pending'", workspaceID))
	return n, err
}

// AddConfigurationVersion writes a new configuration version as the newest of its
// workspace, whose row the transaction must hold.
func (tx *Tx) AddConfigurationVersion(w *belay.Workspace, c *run.ConfigurationVersion) error {
	last, _, err := value[int64](&tx.View, tx.sql("SELECT COALESCE(MAX(sequence), 0) FROM configuration_versions WHERE workspace_id = ?", w.ID))
	if err != nil {
		return err
	}
	c.WorkspaceID, c.Sequence = w.ID, last+1
	row := tx.configurationRow(c)
	if err := configurations.insert(tx, &row, nil); err != nil {
		return err
	}
	return tx.settleConfiguration(w)
}

// SaveConfigurationVersion writes every column of a configuration version, whose workspace
// the transaction must hold: it may become or cease to be the current one.
func (tx *Tx) SaveConfigurationVersion(w *belay.Workspace, c *run.ConfigurationVersion) error {
	row := tx.configurationRow(c)
	if err := configurations.update(tx, &row, nil); err != nil {
		return err
	}
	return tx.settleConfiguration(w)
}

func (tx *Tx) configurationRow(c *run.ConfigurationVersion) configurationRow {
	row := configurationRow{ConfigurationVersion: *c, movedAt: c.CreatedAt}
	for _, at := range c.Stamps {
		if at.After(row.movedAt) {
			row.movedAt = at
		}
	}
	if c.Ingress != nil {
		row.ingressID = c.Ingress.ID
	}
	return row
}

// settleConfiguration notes which configuration version of a workspace is the current one.
func (tx *Tx) settleConfiguration(w *belay.Workspace) error {
	id, _, err := value[string](&tx.View, tx.sql(
		"SELECT id FROM configuration_versions WHERE workspace_id = ? AND candidate ORDER BY sequence DESC LIMIT 1", w.ID))
	if err != nil || id == w.ConfigurationID {
		return err
	}
	w.ConfigurationID = id
	return tx.do("UPDATE workspaces SET current_configuration_version_id = ? WHERE id = ?", id, w.ID)
}

// ConfigurationInUse says whether a run of a configuration version is under way.
func (v *View) ConfigurationInUse(id string) (bool, error) {
	_, found, err := value[string](v, v.sql("SELECT id FROM runs WHERE configuration_version_id = ? AND unfinished LIMIT 1", id))
	return found, err
}

// ConfigurationsSince is the oldest configuration versions that came to a status before a
// moment, with their workspaces.
func (v *View) ConfigurationsSince(status run.ConfigurationStatus, before time.Time, limit int) ([]run.ConfigurationVersion, error) {
	q := v.sql(configurations.selected).add("WHERE configuration_versions.status = ? AND configuration_versions.moved_at < ?", string(status), unixMillis(before))
	return configurationsOf(configurations.many(v, q.add(" ORDER BY configuration_versions.moved_at, configuration_versions.id").first(limit)))
}

// UnusedCommits is configuration versions of commits that nobody plans any more: not current,
// no run of theirs under way, and at hand since before a moment.
func (v *View) UnusedCommits(before time.Time, limit int) ([]run.ConfigurationVersion, error) {
	q := v.sql(configurations.selected).add(`JOIN workspaces w ON w.id = configuration_versions.workspace_id AND w.current_configuration_version_id <> configuration_versions.id
		WHERE configuration_versions.fetch_id <> '' AND configuration_versions.status = 'uploaded' AND configuration_versions.moved_at < ?
		AND NOT EXISTS (SELECT 1 FROM runs u WHERE u.configuration_version_id = configuration_versions.id AND u.unfinished)`, unixMillis(before))
	return configurationsOf(configurations.many(v, q.add(" ORDER BY configuration_versions.moved_at, configuration_versions.id").first(limit)))
}

// Readmes is the sealed texts about configuration versions, by id.
func (v *View) Readmes(ids []string) (map[string]string, error) {
	type row struct{ id, sealed string }
	rows, err := collect(v, v.sql("SELECT configuration_version_id, sealed FROM configuration_readmes WHERE ").in("configuration_version_id", ids),
		func(r *row) []any { return []any{&r.id, &r.sealed} })
	texts := make(map[string]string, len(rows))
	for _, r := range rows {
		texts[r.id] = r.sealed
	}
	return texts, err
}

// SaveReadme keeps the sealed text about a configuration version, or none.
func (tx *Tx) SaveReadme(configurationVersionID, sealed string) error {
	if sealed == "" {
		return tx.do("DELETE FROM configuration_readmes WHERE configuration_version_id = ?", configurationVersionID)
	}
	return tx.do(`INSERT INTO configuration_readmes (configuration_version_id, sealed) VALUES (?, ?)
		ON CONFLICT (configuration_version_id) DO UPDATE SET sealed = excluded.sealed`, configurationVersionID, sealed)
}
