package runs

import (
	"cmp"
	"time"

	"github.com/belayhq/belay"
	"github.com/belayhq/belay/internal/sqldb"
	"github.com/belayhq/belay/internal/store/base"
	"github.com/belayhq/belay/internal/store/core"
	"github.com/belayhq/belay/run"
)

var configurations = sqldb.NewTable(sqldb.Table[configurationRow]{
	Name: "configuration_versions",
	Own: []sqldb.Column[configurationRow]{
		{Name: "id", At: func(c *configurationRow) any { return &c.ID }},
		{Name: "workspace_id", At: func(c *configurationRow) any { return &c.WorkspaceID }},
		{Name: "sequence", At: func(c *configurationRow) any { return &c.Sequence }},
		{Name: "status", At: func(c *configurationRow) any { return &c.Status }},
		{Name: "auto_queue_runs", At: func(c *configurationRow) any { return &c.AutoQueueRuns }},
		{Name: "speculative", At: func(c *configurationRow) any { return &c.Speculative }},
		{Name: "provisional", At: func(c *configurationRow) any { return &c.Provisional }},
		{Name: "candidate", At: func(c *configurationRow) any { return &c.Candidate }},
		{Name: "vetted", At: func(c *configurationRow) any { return &c.Vetted }},
		{Name: "source", At: func(c *configurationRow) any { return &c.Source }},
		{Name: "error_code", At: func(c *configurationRow) any { return &c.ErrorCode }},
		{Name: "error_message", At: func(c *configurationRow) any { return &c.ErrorMessage }},
		{Name: "stamps", At: func(c *configurationRow) any { return sqldb.JSON(&c.Stamps) }},
		{Name: "blob_key", At: func(c *configurationRow) any { return &c.Key }},
		{Name: "size", At: func(c *configurationRow) any { return &c.Size }},
		{Name: "sha256", At: func(c *configurationRow) any { return &c.SHA256 }},
		{Name: "ingress_id", At: func(c *configurationRow) any { return &c.ingressID }},
		{Name: "ingress", At: func(c *configurationRow) any { return sqldb.JSON(&c.Ingress) }},
		{Name: "fetch_id", At: func(c *configurationRow) any { return &c.FetchID }},
		{Name: "created_by", At: func(c *configurationRow) any { return &c.CreatedBy }},
		{Name: "author", At: func(c *configurationRow) any { return sqldb.JSON(&c.Author) }},
		{Name: "created_at", At: func(c *configurationRow) any { return sqldb.Millis(&c.CreatedAt) }},
		{Name: "moved_at", At: func(c *configurationRow) any { return sqldb.Millis(&c.movedAt) }},
	},
	Joined: []sqldb.Column[configurationRow]{
		{Name: `COALESCE((SELECT r.id FROM runs r WHERE r.configuration_version_id = configuration_versions.id
			ORDER BY r.created_at, r.id LIMIT 1), '')`, At: func(c *configurationRow) any { return &c.RunID }},
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
	row, err := configurations.One(v.Peek(), "configuration_versions.id = ?", id)
	return row.ConfigurationVersion, err
}

// ConfigurationToRun is ConfigurationVersion, with what is asked before a run of a workspace is made.
func (v *View) ConfigurationToRun(w *belay.Workspace, id string) (run.ConfigurationVersion, core.Making, error) {
	type row struct {
		core.MakingRow
		configurationRow
	}
	q := v.SelectMaking(w).Add(", "+configurations.Columns()+" FROM configuration_versions WHERE configuration_versions.id = ?", id)
	found, err := base.TheOne(sqldb.Collect(v, q, func(r *row) []any { return append(r.MakingRow.Dest(), configurations.Dest(&r.configurationRow)...) }))
	if err != nil {
		return run.ConfigurationVersion{}, core.Making{}, err
	}
	making, err := found.Found()
	return found.ConfigurationVersion, making, err
}

// ConfigurationByIngress is the configuration version that ingress attributes belong to.
func (v *View) ConfigurationByIngress(id string) (run.ConfigurationVersion, error) {
	row, err := configurations.One(v.Peek(), "configuration_versions.ingress_id = ? AND configuration_versions.ingress_id <> ''", id)
	return row.ConfigurationVersion, err
}

// VettedConfiguration is the newest configuration version of a workspace that was vetted, and
// whose archive is at hand or can be fetched.
func (v *View) VettedConfiguration(workspaceID string) (run.ConfigurationVersion, error) {
	q := v.SQL(configurations.Selected).Add("WHERE configuration_versions.workspace_id = ? AND configuration_versions.candidate AND configuration_versions.vetted", workspaceID)
	q.Add(" AND (configuration_versions.status = 'uploaded' OR configuration_versions.ingress_id <> '') ORDER BY configuration_versions.sequence DESC")
	list, err := configurationsOf(configurations.Many(v.Peek(), q.First(1)))
	if err != nil || len(list) == 0 {
		return run.ConfigurationVersion{}, cmp.Or(err, error(belay.ErrNotFound))
	}
	return list[0], nil
}

// ConfigurationVersionsByID is many configuration versions, in no order.
func (v *View) ConfigurationVersionsByID(ids []string) ([]run.ConfigurationVersion, error) {
	return configurationsOf(configurations.Many(v, v.SQL(configurations.Selected).In("WHERE configuration_versions.id", ids)))
}

// ConfigurationVersions is one page of a workspace's configuration versions, the newest first.
func (v *View) ConfigurationVersions(workspaceID string, page belay.Page) ([]run.ConfigurationVersion, int, error) {
	rows, total, err := configurations.Page(v, page, "configuration_versions.sequence DESC", "configuration_versions.workspace_id = ?", workspaceID)
	list, err := configurationsOf(rows, err)
	return list, total, err
}

// WaitingConfigurations is how many configuration versions of a workspace wait for their
// archive.
func (v *View) WaitingConfigurations(workspaceID string) (int, error) {
	n, _, err := sqldb.Value[int](v, v.SQL("SELECT count(*) FROM configuration_versions WHERE workspace_id = ? AND status = 'pending'", workspaceID))
	return n, err
}

// AddConfigurationVersion writes a new configuration version as the newest of its
// workspace, whose row the transaction must hold.
func (tx *Tx) AddConfigurationVersion(w *belay.Workspace, c *run.ConfigurationVersion) error {
	last, _, err := sqldb.Value[int64](&tx.View, tx.SQL("SELECT COALESCE(MAX(sequence), 0) FROM configuration_versions WHERE workspace_id = ?", w.ID))
	if err != nil {
		return err
	}
	c.WorkspaceID, c.Sequence = w.ID, last+1
	row := tx.configurationRow(c)
	if err := configurations.Insert(tx, &row, nil); err != nil {
		return err
	}
	return tx.settleConfiguration(w)
}

// SaveConfigurationVersion writes every column of a configuration version, whose workspace
// the transaction must hold: it may become or cease to be the current one.
func (tx *Tx) SaveConfigurationVersion(w *belay.Workspace, c *run.ConfigurationVersion) error {
	row := tx.configurationRow(c)
	if err := configurations.Update(tx, &row, nil); err != nil {
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
	id, _, err := sqldb.Value[string](&tx.View, tx.SQL(
		"SELECT id FROM configuration_versions WHERE workspace_id = ? AND candidate ORDER BY sequence DESC LIMIT 1", w.ID))
	if err != nil || id == w.ConfigurationID {
		return err
	}
	w.ConfigurationID = id
	return tx.Do("UPDATE workspaces SET current_configuration_version_id = ? WHERE id = ?", id, w.ID)
}

// ConfigurationInUse says whether a run of a configuration version is under way.
func (v *View) ConfigurationInUse(id string) (bool, error) {
	_, found, err := sqldb.Value[string](v, v.SQL("SELECT id FROM runs WHERE configuration_version_id = ? AND unfinished LIMIT 1", id))
	return found, err
}

// ConfigurationsSince is the oldest configuration versions that came to a status before a
// moment, with their workspaces.
func (v *View) ConfigurationsSince(status run.ConfigurationStatus, before time.Time, limit int) ([]run.ConfigurationVersion, error) {
	q := v.SQL(configurations.Selected).Add("WHERE configuration_versions.status = ? AND configuration_versions.moved_at < ?", string(status), sqldb.UnixMillis(before))
	return configurationsOf(configurations.Many(v, q.Add(" ORDER BY configuration_versions.moved_at, configuration_versions.id").First(limit)))
}

// UnusedCommits is configuration versions of commits that nobody plans any more: not current,
// no run of theirs under way, and at hand since before a moment.
func (v *View) UnusedCommits(before time.Time, limit int) ([]run.ConfigurationVersion, error) {
	q := v.SQL(configurations.Selected).Add(`JOIN workspaces w ON w.id = configuration_versions.workspace_id AND w.current_configuration_version_id <> configuration_versions.id
		WHERE configuration_versions.fetch_id <> '' AND configuration_versions.status = 'uploaded' AND configuration_versions.moved_at < ?
		AND NOT EXISTS (SELECT 1 FROM runs u WHERE u.configuration_version_id = configuration_versions.id AND u.unfinished)`, sqldb.UnixMillis(before))
	return configurationsOf(configurations.Many(v, q.Add(" ORDER BY configuration_versions.moved_at, configuration_versions.id").First(limit)))
}

// Readmes is the sealed texts about configuration versions, by id.
func (v *View) Readmes(ids []string) (map[string]string, error) {
	type row struct{ id, sealed string }
	rows, err := sqldb.Collect(v, v.SQL("SELECT configuration_version_id, sealed FROM configuration_readmes WHERE ").In("configuration_version_id", ids),
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
		return tx.Do("DELETE FROM configuration_readmes WHERE configuration_version_id = ?", configurationVersionID)
	}
	return tx.Do(`INSERT INTO configuration_readmes (configuration_version_id, sealed) VALUES (?, ?)
		ON CONFLICT (configuration_version_id) DO UPDATE SET sealed = excluded.sealed`, configurationVersionID, sealed)
}
