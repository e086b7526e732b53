package plan

import (
	"time"

	"github.com/belayhq/belay"
	"github.com/belayhq/belay/internal/sqldb"
)

// spreadFor is how long it is kept how many workspaces of an organization are spread, and spreadFew how many may be
// counted anew each time: runs move no generation, and a picture of many may be a little old.
const (
	spreadFor = 5 * time.Second
	spreadFew = 2000
)

// spread is how workspaces were spread.
type spread struct {
	at     time.Time
	groups []belay.WorkspaceGroup
}

// spreadOf is what was kept under a key lately, else what the statement finds. Of many it is kept.
func (v *View) spreadOf(key string, q *query) ([]belay.WorkspaceGroup, error) {
	if kept, ok := v.db.spreads.Get(key); ok && time.Since(kept.at) < spreadFor {
		return kept.groups, nil
	}
	groups, err := sqldb.Collect(v, q, func(g *belay.WorkspaceGroup) []any { return []any{&g.RunStatus, &g.ProjectID, &g.Count} })
	all := 0
	for _, g := range groups {
		all += g.Count
	}
	if err == nil && all > spreadFew && !v.InTx() {
		v.db.spreads.Add(key, spread{time.Now(), groups})
	}
	return groups, err
}

// WorkspacesByRunStatus is how many workspaces of an organization have a current run of each
// status; those without a run are at the empty one.
func (v *View) WorkspacesByRunStatus(o belay.Organization) (map[string]int, error) {
	q := v.SQL("SELECT current_run_status, '', count(*) FROM workspaces WHERE organization_id = ? GROUP BY current_run_status", o.ID)
	list, err := v.spreadOf(countKey(o, q), q)
	counts := make(map[string]int, len(list))
	for _, g := range list {
		counts[g.RunStatus] = g.Count
	}
	return counts, err
}

// WorkspaceGroups is how the workspaces that a query finds are spread, whatever it says of
// runs and projects. No more than most and one are counted: what it costs is bounded.
func (v *View) WorkspaceGroups(o belay.Organization, want belay.WorkspaceQuery, most int) ([]belay.WorkspaceGroup, error) {
	want.RunStatuses, want.Projects = nil, nil
	l, err := v.listing(o, want)
	if err != nil || l.empty || want.MatchesNothing {
		return nil, err
	}
	if l.few, err = v.fewSeen(o, want.Scope); err != nil {
		return nil, err
	}
	d := l.origin(anyOrder)
	row := l.row(d, anyOrder)
	q := v.SQL("SELECT w.current_run_status, w.project_id, count(*) FROM (SELECT " + row.id + " AS id FROM ")
	addWorkspaces(q, l, d, row)
	q.First(most + 1).Add(") found JOIN workspaces w ON w.id = found.id GROUP BY 1, 2")
	return v.spreadOf(countKey(o, q), q)
}
