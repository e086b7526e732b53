package plan

import (
	"github.com/belayhq/belay"
	"github.com/belayhq/belay/internal/sqldb"
)

// WorkspacesByRunStatus is how many workspaces of an organization have a current run of each
// status; those without a run are at the empty one.
func (v *View) WorkspacesByRunStatus(organizationID string) (map[string]int, error) {
	type row struct {
		status string
		n      int
	}
	q := v.SQL("SELECT current_run_status, count(*) FROM workspaces WHERE organization_id = ? GROUP BY current_run_status", organizationID)
	list, err := sqldb.Collect(v, q, func(r *row) []any { return []any{&r.status, &r.n} })
	counts := make(map[string]int, len(list))
	for _, r := range list {
		counts[r.status] = r.n
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
	return sqldb.Collect(v, q, func(g *belay.WorkspaceGroup) []any { return []any{&g.RunStatus, &g.ProjectID, &g.Count} })
}
