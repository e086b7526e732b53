package store

import (
	"time"

	"github.com/belayhq/belay"
	"github.com/belayhq/belay/internal/sqldb"
	"github.com/belayhq/belay/internal/store/base"
	"github.com/belayhq/belay/site"
)

var organizationStorage = sqldb.NewTable(sqldb.Table[site.OrganizationStorage]{
	Name: "organization_storage",
	From: "organization_storage s JOIN organizations o ON o.id = s.organization_id",
	Hold: "s",
	Own: []sqldb.Column[site.OrganizationStorage]{
		{Name: "organization_id", At: func(s *site.OrganizationStorage) any { return &s.OrganizationID }},
		{Name: "states", At: func(s *site.OrganizationStorage) any { return &s.States }},
		{Name: "state_bytes", At: func(s *site.OrganizationStorage) any { return &s.StateBytes }},
		{Name: "configurations", At: func(s *site.OrganizationStorage) any { return &s.Configurations }},
		{Name: "configuration_bytes", At: func(s *site.OrganizationStorage) any { return &s.ConfigurationBytes }},
		{Name: "run_files", At: func(s *site.OrganizationStorage) any { return &s.RunFiles }},
		{Name: "run_file_bytes", At: func(s *site.OrganizationStorage) any { return &s.RunFileBytes }},
		{Name: "counted_at", At: func(s *site.OrganizationStorage) any { return sqldb.Millis(&s.CountedAt) }},
	},
	Joined: []sqldb.Column[site.OrganizationStorage]{
		{Name: "o.name", At: func(s *site.OrganizationStorage) any { return &s.Name }},
		{Name: base.Counted("o"), At: func(s *site.OrganizationStorage) any { return &s.Workspaces }},
	},
})

// OrganizationStorage is one page of what organizations keep, the largest first.
func (v *reads) OrganizationStorage(page belay.Page) ([]site.OrganizationStorage, int, error) {
	const order text = "s.state_bytes + s.configuration_bytes + s.run_file_bytes DESC, s.organization_id"
	return organizationStorage.Page(v, page, order, "NOT "+base.OrganizationIsHidden)
}

// DueStorage is an organization that was not counted since a moment, the longest ago first;
// empty: there is none.
func (v *reads) DueStorage(before time.Time) (organizationID string, err error) {
	q := v.SQL("SELECT o.id FROM organizations o LEFT JOIN organization_storage s ON s.organization_id = o.id WHERE NOT "+base.OrganizationIsHidden+
		" AND COALESCE(s.counted_at, 0) < ? ORDER BY COALESCE(s.counted_at, 0), o.id LIMIT 1", sqldb.UnixMillis(before))
	organizationID, _, err = sqldb.Value[string](v, q)
	return organizationID, err
}

// ClaimStorage takes an organization that is due to be counted, so that nobody else counts it
// too; empty: there is none. Whoever dies over it leaves it to be counted the next time.
func (tx *Tx) ClaimStorage(before time.Time) (organizationID string, err error) {
	id, err := tx.DueStorage(before)
	if err != nil || id == "" {
		return "", err
	}
	n, err := tx.Exec(tx.SQL(`INSERT INTO organization_storage (organization_id, states, state_bytes, configurations, configuration_bytes, run_files, run_file_bytes, counted_at)
		VALUES (?, 0, 0, 0, 0, 0, 0, ?) ON CONFLICT (organization_id) DO UPDATE SET counted_at = excluded.counted_at WHERE organization_storage.counted_at < ?`,
		id, sqldb.UnixMillis(tx.Now), sqldb.UnixMillis(before)))
	if n == 0 {
		return "", err
	}
	return id, err
}

// SaveStorage writes what an organization keeps, where it is still there.
func (tx *Tx) SaveStorage(s *site.OrganizationStorage) error {
	return organizationStorage.Update(tx, s, nil)
}

// storedOf is what some workspaces keep: how many things, and of how many bytes.
var storedOf = []struct {
	sql  text
	into func(*site.OrganizationStorage) (number, size *int64)
}{
	{"SELECT count(*), CAST(COALESCE(sum(size + json_size), 0) AS BIGINT) FROM state_versions WHERE blob_key <> '' AND workspace_id", func(s *site.OrganizationStorage) (number, size *int64) { return &s.States, &s.StateBytes }},
	{"SELECT count(*), CAST(COALESCE(sum(size), 0) AS BIGINT) FROM configuration_versions WHERE blob_key <> '' AND workspace_id", func(s *site.OrganizationStorage) (number, size *int64) {
		return &s.Configurations, &s.ConfigurationBytes
	}},
	{"SELECT count(*), CAST(COALESCE(sum(f.size), 0) AS BIGINT) FROM runs r JOIN run_files f ON f.run_id = r.id WHERE r.workspace_id", runFiles},
	{"SELECT count(*), CAST(COALESCE(sum(l.sealed_size), 0) AS BIGINT) FROM runs r JOIN logs l ON l.run_id = r.id WHERE r.workspace_id", runFiles},
}

func runFiles(s *site.OrganizationStorage) (number, size *int64) {
	return &s.RunFiles, &s.RunFileBytes
}

// AddStorage adds what some workspaces of an organization keep, those after a name, and says
// which was the last; empty: there are no more.
func (v *reads) AddStorage(s *site.OrganizationStorage, after string, atMost int) (last string, err error) {
	type named struct{ id, name string }
	q := v.SQL("SELECT id, name FROM workspaces WHERE organization_id = ? AND name > ? ORDER BY name", s.OrganizationID, after)
	some, err := sqldb.Collect(v, q.First(atMost), func(w *named) []any { return []any{&w.id, &w.name} })
	if err != nil || len(some) == 0 {
		return "", err
	}
	ids := make([]string, len(some))
	for i, w := range some {
		ids[i] = w.id
	}
	type sum struct{ number, size int64 }
	for _, of := range storedOf {
		list, err := sqldb.Collect(v, v.SQL(of.sql).In("", ids), func(n *sum) []any { return []any{&n.number, &n.size} })
		if err != nil {
			return "", err
		}
		number, size := of.into(s)
		*number, *size = *number+list[0].number, *size+list[0].size
	}
	return some[len(some)-1].name, nil
}
