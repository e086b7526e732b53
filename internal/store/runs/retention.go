package runs

import (
	"encoding/json"
	"fmt"
	"time"

	"github.com/belayhq/belay"
	"github.com/belayhq/belay/internal/sqldb"
	"github.com/belayhq/belay/internal/store/base"
	"github.com/belayhq/belay/internal/store/core"
	"github.com/belayhq/belay/run"
)

// siteRetention names the fact that holds the policy of the whole site.
const siteRetention = "data-retention-policy"

// SiteRetention is the policy of the whole site.
func (v *View) SiteRetention() (p belay.RetentionPolicy, err error) {
	raw, err := v.Meta(siteRetention)
	if err != nil || raw == "" {
		return p, err
	}
	if err := json.Unmarshal([]byte(raw), &p); err != nil {
		return p, fmt.Errorf("read the site's retention policy: %w", err)
	}
	return p, nil
}

// SaveSiteRetention keeps the policy of the whole site.
func (tx *Tx) SaveSiteRetention(p belay.RetentionPolicy) error {
	if !p.Given() {
		return tx.SetMeta(siteRetention, "")
	}
	raw, err := json.Marshal(p)
	if err != nil {
		return err
	}
	return tx.SetMeta(siteRetention, string(raw))
}

// SaveWorkspaceRetention keeps the policy of a workspace.
func (tx *Tx) SaveWorkspaceRetention(id string, p belay.RetentionPolicy) error {
	return tx.Do("UPDATE workspaces SET retention_id = ?, retention_kind = ?, retention_days = ? WHERE id = ?",
		p.ID, string(p.Kind), p.Days, id)
}

// SaveOrganizationRetention keeps the policy of an organization.
func (tx *Tx) SaveOrganizationRetention(id string, p belay.RetentionPolicy) error {
	return tx.Do("UPDATE organizations SET retention_id = ?, retention_kind = ?, retention_days = ? WHERE id = ?",
		p.ID, string(p.Kind), p.Days, id)
}

// ShortestRetention is the fewest days after which any policy deletes; 0 when none does.
func (v *View) ShortestRetention() (int, error) {
	site, err := v.SiteRetention()
	if err != nil {
		return 0, err
	}
	days, _, err := sqldb.Value[int](v, v.SQL(`SELECT COALESCE(MIN(p.days), 0) FROM (
		SELECT retention_days AS days FROM workspaces WHERE retention_id <> '' AND retention_kind = ?
		UNION ALL SELECT retention_days FROM organizations WHERE retention_id <> '' AND retention_kind = ?) p`,
		string(belay.DeleteOlder), string(belay.DeleteOlder)))
	if err == nil && site.Kind == belay.DeleteOlder && (days == 0 || site.Days < days) {
		days = site.Days
	}
	return days, err
}

// AgedState is a state version that the policy in force on its workspace gives up.
type AgedState struct{ ID, WorkspaceID, WorkspaceName, OrganizationID, StateKey, JSONKey string }

// AgedStates is the oldest state versions in a status that are older than the policy in
// force on their workspaces allows, and that were soft deleted before a moment. The
// current state of a workspace is never among them, nor one that may become it.
func (v *View) AgedStates(status belay.StateStatus, now, softDeleted time.Time, limit int) ([]AgedState, error) {
	shortest, err := v.ShortestRetention()
	if err != nil || shortest == 0 {
		return nil, err
	}
	q, err := v.agedStates(status, now, softDeleted)
	if err != nil {
		return nil, err
	}
	q.Add(" AND s.created_at < ? ORDER BY s.created_at, s.id", sqldb.UnixMillis(now)-int64(shortest)*day)
	return sqldb.Collect(v, q.First(limit), (*AgedState).dest)
}

// StillAged is which of some aged state versions are so still. Their rows and their
// workspaces' are held.
func (tx *Tx) StillAged(list []AgedState, status belay.StateStatus, softDeleted time.Time) ([]AgedState, error) {
	q, err := tx.agedStates(status, tx.Now, softDeleted)
	if err != nil || len(list) == 0 {
		return nil, err
	}
	q.In(" AND s.id", base.IDsOf(list, func(s *AgedState) string { return s.ID })).Add(" ORDER BY w.id, s.id").Held(tx.Dialect().Hold, "w, s")
	return sqldb.Collect(&tx.View, q, (*AgedState).dest)
}

func (s *AgedState) dest() []any {
	return []any{&s.ID, &s.WorkspaceID, &s.WorkspaceName, &s.OrganizationID, &s.StateKey, &s.JSONKey}
}

func (v *View) agedStates(status belay.StateStatus, now, softDeleted time.Time) (*sqldb.Query, error) {
	site, err := v.SiteRetention()
	if err != nil {
		return nil, err
	}
	q := v.SQL(`SELECT s.id, s.workspace_id, w.name, w.organization_id, s.blob_key, s.json_key
		FROM workspaces w JOIN organizations o ON o.id = w.organization_id
		JOIN state_versions s ON s.workspace_id = w.id AND s.id <> w.current_state_version_id AND NOT s.intermediate
		WHERE s.status = ? AND s.soft_deleted_at <= ? AND `+base.OffShelf, string(status), sqldb.UnixMillis(softDeleted))
	return addAged(q, "s.created_at", site, now), nil
}

// day is the milliseconds of one.
const day = int64(24 * time.Hour / time.Millisecond)

// addAged appends that what was made at a moment is older than the policy in force on its
// workspace w of the organization o allows.
func addAged(q *sqldb.Query, madeAt sqldb.Text, site belay.RetentionPolicy, now time.Time) *sqldb.Query {
	q.Add(` AND CASE WHEN w.retention_id <> '' THEN w.retention_kind WHEN o.retention_id <> '' THEN o.retention_kind ELSE ? END = ?`,
		string(site.Kind), string(belay.DeleteOlder))
	return q.Add(` AND `+madeAt+` + ? * CASE WHEN w.retention_id <> '' THEN w.retention_days WHEN o.retention_id <> '' THEN o.retention_days ELSE ? END < ?`,
		day, int64(site.Days), sqldb.UnixMillis(now))
}

// AgedConfigurations is the oldest configuration versions with an archive that are older
// than the policy in force on their workspaces allows. The current one of a workspace is
// never among them, nor one that a run under way is made of, nor what came from a
// repository.
func (v *View) AgedConfigurations(now time.Time, limit int) ([]run.ConfigurationVersion, error) {
	shortest, err := v.ShortestRetention()
	if err != nil || shortest == 0 {
		return nil, err
	}
	site, err := v.SiteRetention()
	if err != nil {
		return nil, err
	}
	q := v.SQL(configurations.Selected).Add(`JOIN workspaces w ON w.id = configuration_versions.workspace_id JOIN organizations o ON o.id = w.organization_id
		WHERE configuration_versions.status = 'uploaded' AND configuration_versions.moved_at < ? AND configuration_versions.ingress_id = ''
		AND configuration_versions.id <> w.current_configuration_version_id AND `+base.OffShelf, sqldb.UnixMillis(now)-int64(shortest)*day)
	q.Add(" AND NOT EXISTS (SELECT 1 FROM runs u WHERE u.configuration_version_id = configuration_versions.id AND u.unfinished)")
	addAged(q, "configuration_versions.created_at", site, now).Add(" ORDER BY configuration_versions.moved_at, configuration_versions.id").First(limit)
	return configurationsOf(configurations.Many(v, q))
}

// SoftDeleteStates marks the files of state versions for deletion.
func (tx *Tx) SoftDeleteStates(ids []string) error {
	q := tx.SQL("UPDATE state_versions SET status = ?, soft_deleted_at = ? WHERE id", string(belay.StateSoftDeleted), sqldb.UnixMillis(tx.Now))
	_, err := tx.Exec(q.In("", ids))
	return err
}

// DropStateFiles takes the files and outputs from state versions; that they were there
// stays known.
func (tx *Tx) DropStateFiles(ids []string) error {
	if _, err := tx.Exec(tx.Loosen("").In("id", ids)); err != nil {
		return err
	}
	q := tx.SQL("UPDATE state_versions SET status = ?, soft_deleted_at = 0, blob_key = '', json_key = '', output_ids = '', output_set = ? WHERE id",
		string(belay.StatePermanentlyDeleted), core.NoOutputs)
	_, err := tx.Exec(q.In("", ids))
	return err
}
