package store

import (
	"cmp"
	"time"

	"github.com/belayhq/belay"
	"github.com/belayhq/belay/backlog"
	"github.com/belayhq/belay/internal/explorer"
	"github.com/belayhq/belay/internal/sqldb"
	"github.com/belayhq/belay/internal/store/base"
	"github.com/belayhq/belay/internal/store/plan"
)

// BulkActions is one page of an organization's bulk actions, the newest first: all, those with open change requests, or
// those without.
func (v *reads) BulkActions(o belay.Organization, open *bool, page belay.Page) ([]backlog.BulkAction, int, error) {
	condition := text("b.organization_id = ? AND b.unfinished_until = 0")
	if open != nil {
		condition += map[bool]text{true: " AND", false: " AND NOT"}[*open] + " EXISTS (SELECT 1 FROM change_requests k WHERE k.action_id = b.id AND k.archived_at = 0)"
	}
	return bulkActions.Page(v, page, "b.created_at DESC, b.id DESC", condition, o.ID)
}

// mostActs is how many steps of a campaign are told of.
const mostActs = 8

// CampaignActs is what was done of a bulk action lately: who archived how many on which day.
func (v *reads) CampaignActs(b *backlog.BulkAction) ([]backlog.CampaignAct, error) {
	const day = int64(24 * time.Hour / time.Millisecond)
	q := v.SQL(`SELECT g.last, g.archived, COALESCE(u.username, '') FROM (
			SELECT archived_by, (archived_at / ?) AS day, max(archived_at) AS last, count(*) AS archived FROM change_requests
			WHERE action_id = ? AND archived_at > 0 GROUP BY 1, 2
		) g LEFT JOIN users u ON u.id = g.archived_by ORDER BY g.last DESC`, day, b.ID).First(mostActs)
	return sqldb.Collect(v, q, func(a *backlog.CampaignAct) []any { return []any{sqldb.Millis(&a.At), &a.Archived, &a.By} })
}

// mostProjects is how many projects of a campaign are told of.
const mostProjects = 12

// Campaign adds to a bulk action how far it is. The question is what chose its workspaces;
// nil: nothing that can be asked again.
func (v *reads) Campaign(o belay.Organization, b backlog.BulkAction, question *explorer.Query) (c backlog.Campaign, err error) {
	c.BulkAction = b
	const day = int64(24 * time.Hour / time.Millisecond)
	q := v.SQL("SELECT (archived_at / ?) * ?, count(*) FROM change_requests WHERE action_id = ? AND archived_at > 0 GROUP BY 1 ORDER BY 1", day, day, b.ID)
	c.Days, err = sqldb.Collect(v, q, func(d *backlog.CampaignDay) []any { return []any{sqldb.Millis(&d.Day), &d.Archived} })
	if err != nil {
		return c, err
	}
	q = v.SQL(`SELECT p.id, p.name, g.total, g.still_open FROM (
			SELECT w.project_id AS id, count(*) AS total, CAST(SUM(CASE WHEN c.archived_at = 0 THEN 1 ELSE 0 END) AS BIGINT) AS still_open
			FROM change_requests c JOIN workspaces w ON w.id = c.workspace_id WHERE c.action_id = ? GROUP BY w.project_id
		) g JOIN projects p ON p.id = g.id ORDER BY g.still_open DESC, p.name`, b.ID).First(mostProjects)
	c.Projects, err = sqldb.Collect(v, q, func(p *backlog.CampaignProject) []any { return []any{&p.ID, &p.Name, &p.Total, &p.Open} })
	if err != nil {
		return c, err
	}
	if c.Teams, err = v.campaignTeams(&b); err != nil || question == nil {
		return c, err
	}
	c.Asked = true
	x, err := v.Exploration(o, *question)
	if err != nil {
		return c, err
	}
	q = addFits(v.SQL("SELECT count(*) FROM change_requests c WHERE c.action_id = ? AND c.archived_at = 0", b.ID), x, true)
	if c.Matching, _, err = sqldb.Value[int](v, q); err != nil {
		return c, err
	}
	c.Unfiled, _, err = sqldb.Value[int](v, addUnfiled(v.SQL("SELECT count(*) FROM "), x, &b))
	return c, err
}

// campaignTeams is how far the workspaces of a bulk action are by who their tag "team" says that they belong to.
func (v *reads) campaignTeams(b *backlog.BulkAction) ([]backlog.CampaignTeam, error) {
	q := v.SQL(`SELECT g.team, g.total, g.still_open FROM (
			SELECT `+teamTag+` AS team,
				count(*) AS total, CAST(SUM(CASE WHEN c.archived_at = 0 THEN 1 ELSE 0 END) AS BIGINT) AS still_open
			FROM change_requests c JOIN workspaces w ON w.id = c.workspace_id WHERE c.action_id = ? GROUP BY 1
		) g ORDER BY g.still_open DESC, g.team`, b.ID).First(mostProjects)
	return sqldb.Collect(v, q, func(t *backlog.CampaignTeam) []any { return []any{&t.Name, &t.Total, &t.Open} })
}

// teamTag is of which team a workspace w is by its tag "team" or its project's; empty: nobody says.
const teamTag text = `COALESCE((SELECT t.value FROM workspace_tag_bindings t WHERE t.workspace_id = w.id AND t.key = 'team'),
	(SELECT t.value FROM project_tag_bindings t WHERE t.project_id = w.project_id AND t.key = 'team'), '')`

// TeamsOfWorkspaces is of which team each of some workspaces is, by id: the project where no tag says it.
func (v *reads) TeamsOfWorkspaces(ids []string) (map[string]string, error) {
	type row struct{ id, team, project string }
	q := v.SQL("SELECT w.id, "+teamTag+", p.name FROM workspaces w JOIN projects p ON p.id = w.project_id WHERE w.id").In("", ids)
	list, err := sqldb.Collect(v, q, func(r *row) []any { return []any{&r.id, &r.team, &r.project} })
	of := make(map[string]string, len(list))
	for _, r := range list {
		of[r.id] = cmp.Or(r.team, r.project)
	}
	return of, err
}

// TeamsOfActions is of which teams the workspaces of some bulk actions are, by name.
func (v *reads) TeamsOfActions(ids []string) (map[string][]string, error) {
	type row struct{ id, team string }
	q := v.SQL("SELECT DISTINCT c.action_id, "+teamTag+" FROM change_requests c JOIN workspaces w ON w.id = c.workspace_id WHERE c.action_id").In("", ids).Add(" ORDER BY 1, 2")
	list, err := sqldb.Collect(v, q, func(r *row) []any { return []any{&r.id, &r.team} })
	of := map[string][]string{}
	for _, r := range list {
		if r.team != "" {
			of[r.id] = append(of[r.id], r.team)
		}
	}
	return of, err
}

// ReadyOf is how many open change requests of each of some bulk actions are on workspaces that their question finds no
// more, by the place of the bulk action; one without a question has none.
func (v *reads) ReadyOf(o belay.Organization, list []backlog.BulkAction, questions []*explorer.Query) (map[int]int, error) {
	q := v.SQL("")
	some := false
	for i, question := range questions {
		if question == nil {
			continue
		}
		x, err := v.Exploration(o, *question)
		if err != nil {
			return nil, err
		}
		if some {
			q.Add(" UNION ALL ")
		}
		some = true
		q.Add("SELECT CAST(? AS BIGINT), (SELECT count(*) FROM change_requests c WHERE c.action_id = ? AND c.archived_at = 0", i, list[i].ID)
		addFits(q, x, false).Add(")")
	}
	if !some {
		return nil, nil
	}
	type ready struct{ at, n int }
	found, err := sqldb.Collect(v, q, func(r *ready) []any { return []any{&r.at, &r.n} })
	counts := make(map[int]int, len(found))
	for _, r := range found {
		counts[r.at] = r.n
	}
	return counts, err
}

// addFits appends that the workspace of the change request c is found by a question, or is not.
func addFits(q *query, x *plan.Exploration, found bool) *query {
	q.Add(" AND c.workspace_id")
	if !found {
		q.Add(" NOT")
	}
	return x.AddIDs(q.Add(" IN (")).Add(")")
}

// addUnfiled appends the workspaces that a question finds and a bulk action has not asked.
func addUnfiled(q *query, x *plan.Exploration, b *backlog.BulkAction) *query {
	x.AddRows(q)
	return q.Add(" AND NOT EXISTS (SELECT 1 FROM change_requests k WHERE k.action_id = ? AND k.workspace_id = f.id)", b.ID)
}

// Unfiled is the workspaces that a question finds and a bulk action has not asked.
func (v *reads) Unfiled(o belay.Organization, b *backlog.BulkAction, question explorer.Query) ([]string, error) {
	x, err := v.Exploration(o, question)
	if err != nil {
		return nil, err
	}
	return sqldb.Values[string](v, addUnfiled(v.SQL("SELECT f.id FROM "), x, b))
}

// GrowBulkAction counts change requests that were added to a bulk action.
func (tx *Tx) GrowBulkAction(b *backlog.BulkAction, by int) error {
	return tx.Do("UPDATE bulk_actions SET created_count = created_count + ? WHERE id = ?", by, b.ID)
}

// SaveBulkAction writes until when a bulk action is to be done, and when was reminded of it.
func (tx *Tx) SaveBulkAction(b *backlog.BulkAction) error {
	return tx.Do("UPDATE bulk_actions SET due_at = ?, reminded_at = ? WHERE id = ?", sqldb.UnixMillis(b.DueAt), sqldb.UnixMillis(b.RemindedAt), b.ID)
}

// CampaignRequests is one page of the change requests of a bulk action, and how many there are.
func (v *reads) CampaignRequests(o belay.Organization, b *backlog.BulkAction, question *explorer.Query, want backlog.CampaignQuery) ([]backlog.ChangeRequest, int, error) {
	var x *plan.Exploration
	if question != nil && want.Matches != nil {
		var err error
		if x, err = v.Exploration(o, *question); err != nil {
			return nil, 0, err
		}
	}
	conditions := func(q *query) *query {
		q.Add("WHERE c.action_id = ? AND (c.archived_at > 0) = ?", b.ID, want.Archived)
		if want.IDs != nil {
			q.In(" AND c.id", want.IDs)
		}
		if want.Assignee != "" {
			q.Add(" AND c.assigned_to = ?", want.Assignee)
		}
		if !want.Scope.Everything {
			base.AddWithin(q.Add(" AND "), want.Scope)
		}
		if x != nil {
			addFits(q, x, *want.Matches)
		}
		return q
	}
	total, _, err := sqldb.Value[int](v, conditions(v.SQL("SELECT count(*) FROM change_requests c JOIN workspaces w ON w.id = c.workspace_id ")))
	if err != nil || total == 0 {
		return nil, 0, err
	}
	order := text("w.name, c.id")
	if want.Archived {
		order = "c.archived_at DESC, c.id DESC"
	}
	list, err := changeRequests.Many(v, conditions(v.SQL(changeRequests.Selected)).Add(" ORDER BY "+order).Page(want.Page))
	return list, total, err
}
