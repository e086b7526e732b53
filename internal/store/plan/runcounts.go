package plan

import (
	"slices"
	"strconv"
	"time"

	"github.com/belayhq/belay"
	"github.com/belayhq/belay/internal/sqldb"
	"github.com/belayhq/belay/internal/store/core"
)

// spreadFor is how long it is kept how many workspaces of an organization are spread, and spreadFew how many may be
// counted anew each time: runs move no generation, and a picture of many may be a little old.
const (
	spreadFor = 5 * time.Second
	spreadFew = 2000
	sumFor    = time.Minute // how many resources many workspaces have
	stillFor  = time.Hour   // the same, where nothing moved
)

// spread is how workspaces were spread.
type spread struct {
	at     time.Time
	groups []belay.WorkspaceGroup
}

// spreadOf is what was kept under a key no longer ago than it lasts, else what the statement finds. Of many it is kept.
func (v *View) spreadOf(key string, q *query, lasts time.Duration, row func(*belay.WorkspaceGroup) []any) ([]belay.WorkspaceGroup, error) {
	if groups, ok := v.keptSpread(key, lasts); ok {
		return groups, nil
	}
	groups, err := sqldb.Collect(v, q, row)
	if err == nil {
		v.keepSpread(key, groups)
	}
	return groups, err
}

func groupRow(g *belay.WorkspaceGroup) []any { return []any{&g.RunStatus, &g.ProjectID, &g.Count} }

func (v *View) keptSpread(key string, lasts time.Duration) ([]belay.WorkspaceGroup, bool) {
	kept, ok := v.db.spreads.Get(key)
	return kept.groups, ok && time.Since(kept.at) < lasts
}

func (v *View) keepSpread(key string, groups []belay.WorkspaceGroup) {
	all := 0
	for _, g := range groups {
		all += g.Count
	}
	if all > spreadFew && !v.InTx() {
		v.db.spreads.Add(key, spread{time.Now(), groups})
	}
}

// WorkspacesByRunStatus is how many workspaces of an organization have a current run of each
// status; those without a run are at the empty one.
func (v *View) WorkspacesByRunStatus(o belay.Organization) (map[string]int, error) {
	if counts, kept := v.KeptByRunStatus(o); kept {
		return counts, nil
	}
	q := v.byRunStatus(o)
	list, err := v.spreadOf(countKey(o, q), q, spreadFor, groupRow)
	if err == nil {
		core.Keep(v.seat(), byStatusKey(o.ID), list)
	}
	return statusCounts(list), err
}

func (v *View) byRunStatus(o belay.Organization) *query {
	return v.SQL("SELECT current_run_status, '', count(*) FROM workspaces WHERE organization_id = ? GROUP BY current_run_status", o.ID)
}

func statusCounts(list []belay.WorkspaceGroup) map[string]int {
	counts := make(map[string]int, len(list))
	for _, g := range list {
		counts[g.RunStatus] = g.Count
	}
	return counts
}

// InProjects is how those workspaces of projects are spread that have a current run of some statuses, and how many resources there
// are in each project, which stand at no status. Both are found in one index (decision 0690).
func (v *View) InProjects(o belay.Organization, ids, statuses []string) ([]belay.WorkspaceGroup, error) {
	q := v.SQL("SELECT w.current_run_status, w.project_id, count(*) FROM workspaces w WHERE w.project_id").In("", ids)
	q.In(" AND w.current_run_status", statuses).Add(" GROUP BY w.project_id, w.current_run_status")
	waiting, err := v.spreadOf(countKey(o, q), q, spreadFor, groupRow)
	if err != nil {
		return nil, err
	}
	q = v.SQL("SELECT '', w.project_id, count(*), CAST(sum(w.resource_count) AS BIGINT) FROM workspaces w WHERE w.project_id").In("", ids).Add(" GROUP BY w.project_id")
	groups, err := v.sumsOf(o, q)
	return append(slices.Clip(groups), waiting...), err
}

// sumsOf is what a statement finds of workspaces and of how many resources they have: as it was a minute ago at the most,
// where something has moved since.
func (v *View) sumsOf(o belay.Organization, q *query) ([]belay.WorkspaceGroup, error) {
	lately, still := o.ID+":"+q.Key(), "still:"+strconv.FormatInt(o.FactsGeneration, 10)+":"+countKey(o, q)
	if groups, kept := v.keptSpread(still, stillFor); kept {
		return groups, nil
	}
	if groups, kept := v.keptSpread(lately, sumFor); kept {
		return groups, nil
	}
	groups, err := sqldb.Collect(v, q, func(g *belay.WorkspaceGroup) []any { return append(groupRow(g), &g.Resources) })
	if err == nil {
		v.keepSpread(lately, groups)
		v.keepSpread(still, groups)
	}
	return groups, err
}

// byStatusKey is the organization whose workspaces the sitting has counted by the statuses of their runs.
type byStatusKey string

// KeptByRunStatus is WorkspacesByRunStatus where it was kept lately, or is known in the sitting; else who reads it beside something tells KeepByRunStatus.
func (v *View) KeptByRunStatus(o belay.Organization) (map[string]int, bool) {
	list, ok := core.Kept[[]belay.WorkspaceGroup](v.seat(), byStatusKey(o.ID))
	if !ok {
		list, ok = v.keptSpread(countKey(o, v.byRunStatus(o)), spreadFor)
	}
	return statusCounts(list), ok
}

// KeepByRunStatus keeps what was counted, where that is many.
func (v *View) KeepByRunStatus(o belay.Organization, counts map[string]int) {
	var list []belay.WorkspaceGroup
	for status, n := range counts {
		list = append(list, belay.WorkspaceGroup{RunStatus: status, Count: n})
	}
	v.keepSpread(countKey(o, v.byRunStatus(o)), list)
}

// WorkspaceGroups is how the workspaces that a query finds are spread, whatever it says of
// runs and projects. No more than most and one are counted: what it costs is bounded. To those who see all of them, the
// sitting knows from then on how all of the organization are spread by the statuses of their runs.
func (v *View) WorkspaceGroups(o belay.Organization, want belay.WorkspaceQuery, most int) ([]belay.WorkspaceGroup, error) {
	want.RunStatuses, want.Projects = nil, nil
	l, err := v.listing(o, want)
	if err != nil || l.empty || want.MatchesNothing {
		return nil, err
	}
	if l.few, err = v.fewSeen(o, want.Scope); err != nil {
		return nil, err
	}
	q := v.SQL("")
	if d := l.origin(anyOrder); d.ofRows() {
		addWorkspaces(q.Add("SELECT current_run_status, project_id, count(*) FROM (SELECT f.current_run_status, f.project_id FROM "), l, d, wholeRow)
		q.First(most + 1).Add(") found GROUP BY 1, 2")
	} else {
		addWorkspaces(q.Add("SELECT w.current_run_status, w.project_id, count(*) FROM (SELECT f.id FROM "), l, d, wholeRow)
		q.First(most + 1).Add(") found JOIN workspaces w ON w.id = found.id GROUP BY 1, 2")
	}
	key := countKey(o, q)
	if _, known := v.KeptByRunStatus(o); known || !want.Scope.Everything || v.InTx() {
		return v.spreadOf(key, q, spreadFor, groupRow)
	}
	if groups, kept := v.keptSpread(key, spreadFor); kept {
		return groups, nil
	}
	q.Add(" UNION ALL SELECT current_run_status, '', count(*) FROM workspaces WHERE organization_id = ? GROUP BY current_run_status", o.ID)
	list, err := sqldb.Collect(v, q, groupRow)
	if err != nil {
		return nil, err
	}
	var all, groups []belay.WorkspaceGroup
	for _, g := range list {
		if g.ProjectID == "" { // every workspace is in a project
			all = append(all, g)
		} else {
			groups = append(groups, g)
		}
	}
	core.Keep(v.seat(), byStatusKey(o.ID), all)
	v.keepSpread(countKey(o, v.byRunStatus(o)), all)
	v.keepSpread(key, groups)
	return groups, nil
}
