package store

import (
	"slices"

	"github.com/belayhq/belay"
	"github.com/belayhq/belay/run"
)

// Runs is one page of the runs that a query finds, the newest first. more says that there
// are rows after it; the total is counted only where it is asked for.
func (v *View) Runs(want run.Query, counted bool) (list []run.Run, total int, more bool, err error) {
	if counted {
		count := v.runsWhere("SELECT count(*) FROM runs WHERE ", want)
		if total, _, err = value[int](v, count); err != nil || total == 0 {
			return nil, 0, false, err
		}
	}
	q := v.runsWhere(runs.selected+"WHERE ", want)
	q.add(" ORDER BY runs.created_at DESC, runs.id DESC").pageAndMore(want.Page, 1)
	if list, err = runs.many(v, q); len(list) > want.Page.Size {
		list, more = list[:want.Page.Size], true
	}
	return list, total, more, err
}

func (v *View) runsWhere(begin text, want run.Query) *query {
	q := v.sql(begin)
	switch {
	case want.WorkspaceID != "":
		q.add("runs.workspace_id = ?", want.WorkspaceID)
	case want.OrganizationID != "":
		q.add("runs.organization_id = ? AND runs.workspace_id NOT IN "+shelved, want.OrganizationID)
	default:
		q.add("runs.workspace_id NOT IN " + shelved)
	}
	q.add(" AND runs.operation <> 'assessment'")
	if want.WithoutPlans {
		q.add(" AND runs.operation <> 'plan_only'")
	}
	if want.Unfinished {
		q.add(" AND runs.unfinished AND runs.status NOT IN ('planned', 'planned_and_saved')")
	}
	q.runScope(want.Scope)
	q.runLists(want)
	q.runSearch(want)
	if !want.From.IsZero() {
		q.add(" AND runs.created_at >= ?", unixMillis(want.From))
	}
	if !want.To.IsZero() {
		q.add(" AND runs.created_at < ?", unixMillis(want.To))
	}
	return q
}

// runScope keeps the runs of the workspaces that the caller sees.
func (q *query) runScope(seen belay.Scope) {
	if seen.Everything {
		return
	}
	q.in(" AND (runs.workspace_id", seen.Workspaces)
	q.in(" OR runs.workspace_id IN (SELECT w.id FROM workspaces w WHERE w.project_id", seen.Projects).add("))")
}

func (q *query) runLists(want run.Query) {
	if want.Operations != nil {
		q.in(" AND runs.operation", want.Operations)
	}
	if want.Sources != nil {
		q.in(" AND runs.source", want.Sources)
	}
	if want.Group != "" {
		q.in(" AND runs.status", run.StatusesOf(want.Group))
	}
	if want.Statuses != nil {
		q.in(" AND (runs.status", want.Statuses)
		if slices.Contains(want.Statuses, string(run.ForceCanceled)) { // which is stamped, and no status
			q.add(" OR runs.status = 'canceled' AND runs.stamps LIKE '%force_canceled%'")
		}
		q.add(")")
	}
	if want.PoolNames != nil {
		q.in(" AND ("+poolOfRun+") IN (SELECT p.id FROM agent_pools p WHERE p.organization_id = runs.organization_id AND p.name", want.PoolNames).add(")")
	}
	if want.WorkspaceNames != nil {
		q.in(" AND runs.workspace_id IN (SELECT w.id FROM workspaces w WHERE w.organization_id = runs.organization_id AND w.name", want.WorkspaceNames).add(")")
	}
}

// poolOfRun is the pool of a run; of one that has not begun, the pool that is in force in its
// workspace.
const poolOfRun text = `CASE WHEN runs.status <> 'pending' THEN runs.pool_id ELSE (
	SELECT CASE WHEN w.owns_execution THEN w.own_pool_id WHEN p.owns_execution THEN p.default_agent_pool_id ELSE o.default_agent_pool_id END
	FROM workspaces w JOIN projects p ON p.id = w.project_id JOIN organizations o ON o.id = w.organization_id WHERE w.id = runs.workspace_id) END`

func (q *query) runSearch(want run.Query) {
	if want.User != "" {
		q.add(" AND (LOWER(runs.sender_name) = LOWER(?) OR runs.created_by IN (SELECT u.id FROM users u WHERE LOWER(u.username) = LOWER(?)))", want.User, want.User)
	}
	if want.Commit != "" {
		q.add(" AND ").like("runs.commit_sha", escapeLike(want.Commit)+"%")
	}
	if want.Basic != "" {
		q.add(" AND (runs.id = ? OR ", want.Basic).like("runs.message", contains(want.Basic))
		q.add(" OR runs.commit_sha <> '' AND ").like("runs.commit_sha", escapeLike(want.Basic)+"%")
		q.add(" OR ").like("runs.sender_name", contains(want.Basic))
		q.add(" OR runs.created_by IN (SELECT u.id FROM users u WHERE ").like("u.username", contains(want.Basic))
		q.add("))")
	}
	if want.Admin != "" {
		q.add(" AND (").like("runs.id", contains(want.Admin))
		q.add(" OR runs.workspace_id IN (SELECT w.id FROM workspaces w JOIN organizations o ON o.id = w.organization_id WHERE ").like("w.name", contains(want.Admin))
		q.add(" OR ").like("o.name", contains(want.Admin))
		q.add("))")
	}
}

// UnfinishedOf is every run of an organization that is neither over nor resting, the oldest
// first.
func (v *View) UnfinishedOf(organizationID string) ([]run.Run, error) {
	return runs.many(v, v.sql(runs.selected+
		"WHERE organization_id = ? AND unfinished AND operation <> 'assessment' AND status NOT IN ('planned', 'planned_and_saved') ORDER BY created_at, id", organizationID))
}

// RunCapacity is how busy an organization is.
func (v *View) RunCapacity(organizationID string) (run.Capacity, error) {
	type count struct {
		status run.Status
		n      int
	}
	list, err := collect(v, v.sql("SELECT status, count(*) FROM runs WHERE organization_id = ? AND unfinished AND operation <> 'assessment' GROUP BY status", organizationID),
		func(c *count) []any { return []any{&c.status, &c.n} })
	var capacity run.Capacity
	for _, c := range list {
		switch c.status {
		case run.Planning, run.Applying:
			capacity.Running += c.n
		case run.Planned, run.PlannedAndSaved:
		default:
			capacity.Pending += c.n
		}
	}
	return capacity, err
}
