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

// BacklogCounts counts, in one statement, the bulk actions of an organization, those of them that are not done, and the
// open change requests on workspaces within a scope: no more than most of both.
func (v *reads) BacklogCounts(o belay.Organization, seen belay.Scope, most int) (c backlog.BacklogCounts, err error) {
	q := v.SQL("SELECT count(*), count(*) FILTER (WHERE EXISTS (SELECT 1 FROM change_requests k WHERE k.action_id = d.id AND k.archived_at = 0)), (SELECT count(*) FROM (SELECT 1 FROM " + changeRequests.From)
	q.Add(" WHERE c.organization_id = ? AND c.archived_at = 0 AND b.unfinished_until = 0", o.ID)
	if !seen.Everything {
		base.AddWithin(q.Add(" AND "), seen)
	}
	q.First(most).Add(") r) FROM (SELECT b.id FROM bulk_actions b WHERE b.organization_id = ? AND b.unfinished_until = 0", o.ID).First(most)
	list, err := sqldb.Collect(v, q.Add(") d"), func(c *backlog.BacklogCounts) []any { return []any{&c.Campaigns, &c.Open, &c.Requests} })
	if len(list) > 0 {
		c = list[0]
	}
	return c, err
}

// The most that is told of a campaign: of what was done lately, and of its projects and teams.
const (
	mostActs     = 8
	mostProjects = 12
)

// The parts of what is told of a campaign.
const (
	campaignDay = iota
	campaignAct
	campaignProject
	campaignTeam
	campaignNotices
	campaignFits
)

// Campaign adds to a bulk action how far it is, all of it in one statement. The question is what chose its workspaces;
// nil: nothing that can be asked again.
func (v *reads) Campaign(o belay.Organization, b backlog.BulkAction, question *explorer.Query) (c backlog.Campaign, err error) {
	const day = int64(24 * time.Hour / time.Millisecond)
	const howFar text = "count(*) AS total, CAST(SUM(CASE WHEN c.archived_at = 0 THEN 1 ELSE 0 END) AS BIGINT) AS still_open FROM change_requests c JOIN workspaces w ON w.id = c.workspace_id WHERE c.action_id = ?"
	q := v.SQL("SELECT CAST(? AS BIGINT) AS part, '' AS id, '' AS name, days.day * ? AS n, days.archived AS m, days.day AS place FROM (SELECT archived_at / ? AS day, count(*) AS archived FROM change_requests WHERE action_id = ? AND archived_at > 0 GROUP BY 1) days", campaignDay, day, day, b.ID)
	q.Add(" UNION ALL SELECT * FROM (SELECT CAST(? AS BIGINT), '', COALESCE(u.username, ''), g.last, g.archived, -g.last FROM (SELECT archived_by, (archived_at / ?) AS day, max(archived_at) AS last, count(*) AS archived FROM change_requests WHERE action_id = ? AND archived_at > 0 GROUP BY 1, 2) g LEFT JOIN users u ON u.id = g.archived_by ORDER BY g.last DESC", campaignAct, day, b.ID).First(mostActs)
	q.Add(") acts UNION ALL SELECT * FROM (SELECT CAST(? AS BIGINT), p.id, p.name, g.total, g.still_open, -g.still_open FROM (SELECT w.project_id AS id, "+howFar+" GROUP BY w.project_id) g JOIN projects p ON p.id = g.id ORDER BY g.still_open DESC, p.name", campaignProject, b.ID).First(mostProjects)
	q.Add(") projects UNION ALL SELECT * FROM (SELECT CAST(? AS BIGINT), '', g.team, g.total, g.still_open, -g.still_open FROM (SELECT "+teamTag+" AS team, "+howFar+" GROUP BY 1) g ORDER BY g.still_open DESC, g.team", campaignTeam, b.ID).First(mostProjects)
	q.Add(") teams UNION ALL SELECT CAST(? AS BIGINT), '', '', count(*), count(*) FILTER (WHERE d.status = 'delivered'), 0 FROM (SELECT status FROM deliveries WHERE action_id = ? AND action_id <> ''", campaignNotices, b.ID).First(backlog.MostNotices)
	q.Add(") d")
	if c.BulkAction, c.Asked = b, question != nil; c.Asked {
		x, err := v.Exploration(o, *question)
		if err != nil {
			return c, err
		}
		q.Add(" UNION ALL SELECT CAST(? AS BIGINT), '', '', (SELECT count(*) FROM change_requests c WHERE c.action_id = ? AND c.archived_at = 0", campaignFits, b.ID)
		v.addUnfiled(addFits(q, x, true).Add("), (SELECT count(*) FROM "), x, &b).Add("), 0")
	}
	type row struct {
		part, n, m, place int64
		id, name          string
	}
	list, err := sqldb.Collect(v, q.Add(" ORDER BY part, place, name"), func(r *row) []any { return []any{&r.part, &r.id, &r.name, &r.n, &r.m, &r.place} })
	for _, r := range list {
		switch r.part {
		case campaignDay:
			c.Days = append(c.Days, backlog.CampaignDay{Day: time.UnixMilli(r.n).UTC(), Archived: int(r.m)})
		case campaignAct:
			c.Acts = append(c.Acts, backlog.CampaignAct{At: time.UnixMilli(r.n).UTC(), Archived: int(r.m), By: r.name})
		case campaignProject:
			c.Projects = append(c.Projects, backlog.CampaignProject{ID: r.id, Name: r.name, Total: int(r.n), Open: int(r.m)})
		case campaignTeam:
			c.Teams = append(c.Teams, backlog.CampaignTeam{Name: r.name, Total: int(r.n), Open: int(r.m)})
		case campaignNotices:
			c.Notices, c.Delivered = int(r.n), int(r.m)
		default:
			c.Matching, c.Unfiled = int(r.n), int(r.m)
		}
	}
	return c, err
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
func (v *reads) addUnfiled(q *query, x *plan.Exploration, b *backlog.BulkAction) *query {
	x.AddRows(q)
	return unasked(q.Add(" AND "), v.Dialect(), "f.id", b)
}

// Unfiled is the workspaces that a question finds and a bulk action has not asked.
func (v *reads) Unfiled(o belay.Organization, b *backlog.BulkAction, question explorer.Query) ([]string, error) {
	x, err := v.Exploration(o, question)
	if err != nil {
		return nil, err
	}
	return sqldb.Values[string](v, v.addUnfiled(v.SQL("SELECT f.id FROM "), x, b))
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
	order := text("w.name, c.id")
	if want.Archived {
		order = "c.archived_at DESC, c.id DESC"
	}
	of, err := v.ofCampaign(o, b, question, want)
	if err != nil {
		return nil, 0, err
	}
	list, err := changeRequests.Many(v, of(changeRequests.Selected).Add(" ORDER BY "+order).Page(want.Page))
	return sqldb.Counted(v, list, err, want.Page, func() *query { return of("SELECT count(*) FROM " + campaignFrom) })
}

// CampaignRequestIDs is all of them, whatever the page, in the order of their ids.
func (v *reads) CampaignRequestIDs(o belay.Organization, b *backlog.BulkAction, question *explorer.Query, want backlog.CampaignQuery) ([]string, error) {
	of, err := v.ofCampaign(o, b, question, want)
	if err != nil {
		return nil, err
	}
	return sqldb.Values[string](v, of("SELECT c.id FROM "+campaignFrom).Add(" ORDER BY c.id"))
}

const campaignFrom text = "change_requests c JOIN workspaces w ON w.id = c.workspace_id "

// ofCampaign makes statements of what is wanted of a bulk action's change requests.
func (v *reads) ofCampaign(o belay.Organization, b *backlog.BulkAction, question *explorer.Query, want backlog.CampaignQuery) (func(selected text) *query, error) {
	var x *plan.Exploration
	if question != nil && want.Matches != nil {
		var err error
		if x, err = v.Exploration(o, *question); err != nil {
			return nil, err
		}
	}
	return func(selected text) *query {
		q := v.SQL(selected).Add("WHERE c.action_id = ? AND (c.archived_at > 0) = ?", b.ID, want.Archived)
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
	}, nil
}
