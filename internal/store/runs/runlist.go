package runs

import (
	"slices"

	"github.com/belayhq/belay"
	"github.com/belayhq/belay/internal/sqldb"
	"github.com/belayhq/belay/internal/store/base"
	"github.com/belayhq/belay/run"
)

// Runs is one page of the runs that a query finds, the newest first. more says that there
// are rows after it; the total is counted only where it is asked for.
func (v *View) Runs(want run.Query, counted bool) (list []run.Run, total int, more bool, err error) {
	q := v.runsWhere(runs.Selected+"WHERE ", want)
	q.Add(" ORDER BY runs.created_at DESC, runs.id DESC").PageAndMore(want.Page, 1)
	if list, err = runs.Many(v, q); len(list) > want.Page.Size {
		list, more = list[:want.Page.Size], true
	}
	if counted {
		list, total, err = sqldb.Counted(v, list, err, want.Page, func() *sqldb.Query { return v.runsWhere("SELECT count(*) FROM runs WHERE ", want) })
	}
	return list, total, more, err
}

// RunsOfEach is one page of the runs that each of some queries finds, the newest first, in one statement.
func (v *View) RunsOfEach(wants []run.Query) ([][]run.Run, error) {
	type found struct {
		part int
		run  run.Run
	}
	q := v.SQL("")
	for i, want := range wants {
		if i > 0 {
			q.Add(" UNION ALL ")
		}
		addRuns(q.Add("SELECT * FROM (SELECT CAST(? AS INT) AS part, "+runs.Columns()+" FROM runs WHERE ", i), want)
		q.Add(" ORDER BY runs.created_at DESC, runs.id DESC").PageAndMore(want.Page, want.Beyond).Add(") found")
	}
	list, err := sqldb.Collect(v, q.Add(" ORDER BY part, created_at DESC, id DESC"), func(f *found) []any {
		return append([]any{&f.part}, runs.Dest(&f.run)...)
	})
	each := make([][]run.Run, len(wants))
	for i := range list {
		each[list[i].part] = append(each[list[i].part], list[i].run)
	}
	return each, err
}

// AddPage appends the statement of some columns of one page of the runs that a query finds, the newest first.
func AddPage(q *sqldb.Query, columns sqldb.Text, want run.Query) {
	addRuns(q.Add("SELECT "+columns+" FROM runs WHERE "), want)
	q.Add(" ORDER BY runs.created_at DESC, runs.id DESC").Page(want.Page)
}

func (v *View) runsWhere(begin sqldb.Text, want run.Query) *sqldb.Query {
	q := v.SQL(begin)
	addRuns(q, want)
	return q
}

// addRuns appends the conditions of a query.
func addRuns(q *sqldb.Query, want run.Query) {
	switch {
	case want.WorkspaceID != "":
		q.Add("runs.workspace_id = ?", want.WorkspaceID)
	case want.OrganizationID != "":
		q.Add("runs.organization_id = ? AND runs.workspace_id NOT IN "+base.Shelved, want.OrganizationID)
	default:
		q.Add("runs.workspace_id NOT IN " + base.Shelved)
	}
	q.Add(" AND runs.operation <> 'assessment'")
	if want.WithoutPlans {
		q.Add(" AND runs.operation <> 'plan_only'")
	}
	if want.Unfinished {
		q.Add(" AND runs.unfinished AND runs.status NOT IN ('planned', 'planned_and_saved')")
	}
	if want.NoneFinal() { // an index has these alone
		q.Add(" AND runs.unfinished")
	}
	addRunScope(q, want.Scope)
	addRunLists(q, want)
	addRunSearch(q, want)
	if !want.From.IsZero() {
		q.Add(" AND runs.created_at >= ?", sqldb.UnixMillis(want.From))
	}
	if !want.To.IsZero() {
		q.Add(" AND runs.created_at < ?", sqldb.UnixMillis(want.To))
	}
}

// RunFigures is how many runs there were on which day, how busy their organization is, and how many of its workspaces
// have a current run of each status.
type RunFigures struct {
	Days []run.DayCount
	run.Capacity
	Workspaces map[string]int // those without a run are at the empty status; nil: not asked for
}

// RunFigures is how many of the newest runs that a query finds were made on which day (UTC, counted from
// 1970), by status, and how busy their organization is. No more than most are counted: what it costs is bounded.
// Workspaces are counted where that is asked for.
func (v *View) RunFigures(want run.Query, most int, workspaces bool) (f RunFigures, err error) {
	const now, current = -1, -2 // the days of runs that are not over, and of workspaces
	q := v.SQL("SELECT -1, status, count(*) FROM ("+unfinishedRuns+") busy GROUP BY status", want.OrganizationID)
	if workspaces {
		f.Workspaces = map[string]int{}
		q.Add(" UNION ALL SELECT -2, current_run_status, count(*) FROM workspaces WHERE organization_id = ? GROUP BY current_run_status", want.OrganizationID)
	}
	addRuns(q.Add(" UNION ALL SELECT at / 86400000, status, count(*) FROM (SELECT runs.created_at AS at, runs.status AS status FROM runs WHERE "), want)
	q.Add(" ORDER BY runs.created_at DESC").First(most).Add(") newest GROUP BY 1, 2")
	list, err := sqldb.Collect(v, q, func(d *run.DayCount) []any { return []any{&d.Day, &d.Status, &d.Count} })
	for _, d := range list {
		switch d.Day {
		case now:
			busy(&f.Capacity, d.Status, d.Count)
		case current:
			f.Workspaces[string(d.Status)] = d.Count
		default:
			f.Days = append(f.Days, d)
		}
	}
	return f, err
}

// addRunScope keeps the runs of the workspaces that the caller sees.
func addRunScope(q *sqldb.Query, seen belay.Scope) {
	if seen.Everything {
		return
	}
	q.In(" AND (runs.workspace_id", seen.Workspaces)
	q.In(" OR runs.workspace_id IN (SELECT w.id FROM workspaces w WHERE w.project_id", seen.Projects).Add("))")
}

func addRunLists(q *sqldb.Query, want run.Query) {
	if want.Operations != nil {
		q.In(" AND runs.operation", want.Operations)
	}
	if want.Sources != nil {
		q.In(" AND runs.source", want.Sources)
	}
	if want.Group != "" {
		q.In(" AND runs.status", run.StatusesOf(want.Group))
	}
	if want.Statuses != nil {
		q.In(" AND (runs.status", want.Statuses)
		if slices.Contains(want.Statuses, string(run.ForceCanceled)) { // which is stamped, and no status
			q.Add(" OR runs.status = 'canceled' AND runs.stamps LIKE '%force_canceled%'")
		}
		q.Add(")")
	}
	if want.PoolNames != nil {
		q.In(" AND ("+poolOfRun+") IN (SELECT p.id FROM agent_pools p WHERE p.organization_id = runs.organization_id AND p.name", want.PoolNames).Add(")")
	}
	if want.WorkspaceNames != nil {
		q.In(" AND runs.workspace_id IN (SELECT w.id FROM workspaces w WHERE w.organization_id = runs.organization_id AND w.name", want.WorkspaceNames).Add(")")
	}
}

// poolOfRun is the pool of a run; of one that has not begun, the pool that is in force in its
// workspace.
const poolOfRun sqldb.Text = `CASE WHEN runs.status <> 'pending' THEN runs.pool_id ELSE (
	SELECT CASE WHEN w.owns_execution THEN w.own_pool_id WHEN p.owns_execution THEN p.default_agent_pool_id ELSE o.default_agent_pool_id END
	FROM workspaces w JOIN projects p ON p.id = w.project_id JOIN organizations o ON o.id = w.organization_id WHERE w.id = runs.workspace_id) END`

func addRunSearch(q *sqldb.Query, want run.Query) {
	if want.User != "" {
		q.Add(" AND (LOWER(runs.sender_name) = LOWER(?) OR runs.created_by IN (SELECT u.id FROM users u WHERE LOWER(u.username) = LOWER(?)))", want.User, want.User)
	}
	if want.WholeCommit != "" {
		q.Add(" AND runs.commit_sha <> '' AND runs.commit_sha = ?", want.WholeCommit)
	}
	if want.Commit != "" {
		q.Add(" AND ").Like("runs.commit_sha", sqldb.EscapeLike(want.Commit)+"%")
	}
	if want.Basic != "" {
		q.Add(" AND (runs.id = ? OR ", want.Basic).Like("runs.message", sqldb.Contains(want.Basic))
		q.Add(" OR runs.commit_sha <> '' AND ").Like("runs.commit_sha", sqldb.EscapeLike(want.Basic)+"%")
		q.Add(" OR ").Like("runs.sender_name", sqldb.Contains(want.Basic))
		q.Add(" OR runs.created_by IN (SELECT u.id FROM users u WHERE ").Like("u.username", sqldb.Contains(want.Basic))
		q.Add("))")
	}
	if want.Admin != "" {
		q.Add(" AND (").Like("runs.id", sqldb.Contains(want.Admin))
		q.Add(" OR runs.workspace_id IN (SELECT w.id FROM workspaces w JOIN organizations o ON o.id = w.organization_id WHERE ").Like("w.name", sqldb.Contains(want.Admin))
		q.Add(" OR ").Like("o.name", sqldb.Contains(want.Admin))
		q.Add("))")
	}
}

// UnfinishedOf is every run of an organization that is neither over nor resting, the oldest
// first.
func (v *View) UnfinishedOf(organizationID string) ([]run.Run, error) {
	return runs.Many(v, v.SQL(runs.Selected+
		"WHERE organization_id = ? AND unfinished AND operation <> 'assessment' AND status NOT IN ('planned', 'planned_and_saved') ORDER BY created_at, id", organizationID))
}

// RunCapacity is how busy an organization is.
func (v *View) RunCapacity(organizationID string) (run.Capacity, error) {
	type count struct {
		status run.Status
		n      int
	}
	list, err := sqldb.Collect(v, v.SQL("SELECT status, count(*) FROM ("+unfinishedRuns+") busy GROUP BY status", organizationID),
		func(c *count) []any { return []any{&c.status, &c.n} })
	var capacity run.Capacity
	for _, c := range list {
		busy(&capacity, c.status, c.n)
	}
	return capacity, err
}

const unfinishedRuns sqldb.Text = "SELECT status FROM runs WHERE organization_id = ? AND unfinished AND operation <> 'assessment'"

// busy adds so many runs that are not over to what an organization does.
func busy(c *run.Capacity, status run.Status, n int) {
	switch status {
	case run.Planning, run.Applying:
		c.Running += n
	case run.Planned, run.PlannedAndSaved:
	default:
		c.Pending += n
	}
}
