package store

import (
	"slices"

	"github.com/belayhq/belay"
	"github.com/belayhq/belay/backlog"
	"github.com/belayhq/belay/internal/sqldb"
	"github.com/belayhq/belay/internal/store/base"
	"github.com/belayhq/belay/internal/store/core"
)

var changeRequests = sqldb.NewTable(sqldb.Table[backlog.ChangeRequest]{
	Name: "change_requests",
	Hold: "c",
	From: "change_requests c JOIN bulk_actions b ON b.id = c.action_id JOIN workspaces w ON w.id = c.workspace_id AND w.organization_id = b.organization_id",
	Own: []sqldb.Column[backlog.ChangeRequest]{
		{Name: "id", At: func(c *backlog.ChangeRequest) any { return &c.ID }},
		{Name: "organization_id", At: func(c *backlog.ChangeRequest) any { return &c.OrganizationID }},
		{Name: "workspace_id", At: func(c *backlog.ChangeRequest) any { return &c.WorkspaceID }},
		{Name: "action_id", At: func(c *backlog.ChangeRequest) any { return &c.ActionID }},
		{Name: "archived_by", At: func(c *backlog.ChangeRequest) any { return &c.ArchivedBy }},
		{Name: "archived_at", At: func(c *backlog.ChangeRequest) any { return sqldb.Millis(&c.ArchivedAt) }},
		{Name: "run_id", At: func(c *backlog.ChangeRequest) any { return &c.RunID }},
		{Name: "assigned_to", At: func(c *backlog.ChangeRequest) any { return &c.AssigneeID }},
		{Name: "assigned_at", At: func(c *backlog.ChangeRequest) any { return sqldb.Millis(&c.AssignedAt) }},
		{Name: "created_at", At: func(c *backlog.ChangeRequest) any { return sqldb.Millis(&c.CreatedAt) }},
		{Name: "updated_at", At: func(c *backlog.ChangeRequest) any { return sqldb.Millis(&c.UpdatedAt) }},
	},
	Joined: []sqldb.Column[backlog.ChangeRequest]{
		{Name: "b.subject", At: func(c *backlog.ChangeRequest) any { return &c.Subject }},
		{Name: "b.message", At: func(c *backlog.ChangeRequest) any { return &c.Message }},
		{Name: "b.created_by", At: func(c *backlog.ChangeRequest) any { return &c.CreatedBy }},
		{Name: "b.created_by_name", At: func(c *backlog.ChangeRequest) any { return &c.CreatedByName }},
		{Name: "COALESCE((SELECT u.username FROM users u WHERE u.id = c.assigned_to), '')", At: func(c *backlog.ChangeRequest) any { return &c.AssigneeName }},
		{Name: "w.name", At: func(c *backlog.ChangeRequest) any { return &c.WorkspaceName }},
		{Name: "w.project_id", At: func(c *backlog.ChangeRequest) any { return &c.ProjectID }},
	},
})

// ChangeRequest is one change request.
func (v *reads) ChangeRequest(id string) (backlog.ChangeRequest, error) {
	return changeRequests.One(v, "c.id = ? AND b.unfinished_until = 0", id)
}

// ChangeRequests is one page of the change requests on an organization's workspaces.
func (v *reads) ChangeRequests(o belay.Organization, want backlog.ChangeRequestQuery) ([]backlog.ChangeRequest, int, error) {
	join := text("")
	if want.WorkspaceNames != nil || want.Projects != nil || !want.Scope.Everything {
		join = "JOIN workspaces w ON w.id = c.workspace_id "
	}
	q := v.SQL(changeRequests.Selected + "WHERE ")
	addChangeRequests(q, o, want)
	list, err := changeRequests.Many(v, q.Add(" AND b.unfinished_until = 0 ORDER BY "+changeRequestOrder(want)).Page(want.Page))
	return sqldb.Counted(v, list, err, want.Page, func() *query { return v.countChangeRequests(o, want, join) })
}

// TakenRequests is the newest open change requests that a user has taken in organizations that it is in.
func (v *reads) TakenRequests(userID string, most int) ([]backlog.ChangeRequest, error) {
	q := v.SQL(changeRequests.Selected+`WHERE c.organization_id IN (SELECT m.organization_id FROM organization_memberships m WHERE m.user_id = ? AND m.status = 'active')
		AND c.assigned_to = ? AND c.assigned_to <> '' AND c.archived_at = 0 AND b.unfinished_until = 0 ORDER BY c.assigned_at DESC, c.id DESC`, userID, userID)
	return changeRequests.Many(v, q.First(most))
}

// countChangeRequests counts those of a list. Those of unfinished actions and on shelves are taken off: an index
// alone counts the rest.
func (v *reads) countChangeRequests(o belay.Organization, want backlog.ChangeRequestQuery, join text) *query {
	count := v.SQL("SELECT (SELECT count(*) FROM change_requests c " + join + "WHERE ")
	addChangeRequests(count, o, want)
	count.Add(") - (SELECT count(*) FROM bulk_actions u CROSS JOIN change_requests c " + join + "WHERE u.unfinished_until > 0 AND c.action_id = u.id AND ")
	addChangeRequests(count, o, want)
	count.Add(") - (SELECT count(*) FROM recoverable_items s CROSS JOIN change_requests c "+join+"WHERE s.organization_id = ? AND c.workspace_id = s.workspace_id "+
		"AND c.action_id NOT IN (SELECT id FROM bulk_actions WHERE unfinished_until > 0) AND ", o.ID)
	addChangeRequests(count, o, want)
	return count.Add(")")
}

// addChangeRequests appends the conditions of a list.
func addChangeRequests(q *query, o belay.Organization, want backlog.ChangeRequestQuery) {
	switch {
	case want.WorkspaceNames == nil && want.WorkspaceIDs != nil:
		// Their organization is asked of them: asked of the change requests, SQLite would walk all.
		q.Add("c.workspace_id IN (SELECT k.id FROM workspaces k WHERE k.organization_id = ? AND ", o.ID)
		q.OneOf("k.id", want.WorkspaceIDs).Add(")")
	case want.WorkspaceNames != nil:
		q.Add("c.organization_id = ?", o.ID)
		q.In(" AND (w.name", want.WorkspaceNames).In(" OR c.workspace_id", want.WorkspaceIDs).Add(")")
	default:
		q.Add("c.organization_id = ?", o.ID)
	}
	for _, in := range []struct {
		expression text
		list       []string
	}{
		{" AND w.project_id", want.Projects},
		{" AND c.action_id", want.ActionIDs},
	} {
		if in.list != nil {
			q.In(in.expression, in.list)
		}
	}
	if want.Creators != nil {
		q.Add(" AND c.action_id IN (SELECT k.id FROM bulk_actions k WHERE k.organization_id = ?", o.ID)
		q.In(" AND (k.created_by", want.Creators).In(" OR k.created_by_name", want.Creators).Add("))")
	}
	if want.Assignees != nil {
		q.Add(" AND (c.assigned_to <> ''").In(" AND (c.assigned_to", want.Assignees)
		q.In(" OR c.assigned_to IN (SELECT u.id FROM users u WHERE u.username", want.Assignees).Add("))")
		if slices.Contains(want.Assignees, backlog.NoAssignee) {
			q.Add(" OR c.assigned_to = ''")
		}
		q.Add(")")
	}
	if !want.CreatedAfter.IsZero() {
		q.Add(" AND c.created_at >= ?", sqldb.UnixMillis(want.CreatedAfter))
	}
	if !want.CreatedBefore.IsZero() {
		q.Add(" AND c.created_at < ?", sqldb.UnixMillis(want.CreatedBefore))
	}
	if want.Archived != nil {
		q.Add(" AND (c.archived_at > 0) = ?", *want.Archived) // as the index of the backlog has it
	}
	if !want.Scope.Everything {
		base.AddWithin(q.Add(" AND "), want.Scope)
	}
}

// changeRequestOrder is the order of a page. Unasked, the open ones come first, the
// newest first, and then the archived ones, the one archived last first.
func changeRequestOrder(want backlog.ChangeRequestQuery) text {
	switch {
	case want.Sort == "created-at" && want.Descending:
		return "c.created_at DESC, c.id DESC"
	case want.Sort == "created-at":
		return "c.created_at, c.id"
	case want.Sort == "archived-at" && want.Descending:
		return "(c.archived_at = 0), c.archived_at DESC, c.id DESC"
	case want.Sort == "archived-at":
		return "(c.archived_at = 0), c.archived_at, c.id"
	case want.Sort == "subject" && want.Descending:
		return "b.subject DESC, c.id DESC"
	case want.Sort == "subject":
		return "b.subject, c.id"
	default:
		return "(c.archived_at > 0), c.archived_at DESC, c.created_at DESC, c.id DESC"
	}
}

// SaveArchive writes that a change request was archived.
func (tx *Tx) SaveArchive(c *backlog.ChangeRequest) error {
	return tx.Do("UPDATE change_requests SET archived_by = ?, archived_at = ?, updated_at = ? WHERE id = ?",
		c.ArchivedBy, sqldb.UnixMillis(c.ArchivedAt), sqldb.UnixMillis(c.UpdatedAt), c.ID)
}

// SaveAssignee writes who is on a change request.
func (tx *Tx) SaveAssignee(c *backlog.ChangeRequest) error {
	return tx.Do("UPDATE change_requests SET assigned_to = ?, assigned_at = ?, updated_at = ? WHERE id = ?",
		c.AssigneeID, sqldb.UnixMillis(c.AssignedAt), sqldb.UnixMillis(c.UpdatedAt), c.ID)
}

// RequestsOn is those of the ids that are change requests on a workspace.
func (v *reads) RequestsOn(workspaceID string, ids []string) ([]string, error) {
	q := v.SQL("SELECT c.id FROM change_requests c JOIN bulk_actions b ON b.id = c.action_id WHERE c.id").In("", ids)
	return sqldb.Values[string](v, q.Beside("c.workspace_id = ?", workspaceID).Add(" AND b.unfinished_until = 0"))
}

// SettleRequests writes which run was applied for some change requests of a workspace, and
// returns those that are there.
func (tx *Tx) SettleRequests(workspaceID, runID string, ids []string) ([]string, error) {
	q := tx.SQL("UPDATE change_requests SET run_id = ?, updated_at = ? WHERE id", runID, sqldb.UnixMillis(tx.Now)).In("", ids)
	return sqldb.Values[string](&tx.Locked, q.Beside("workspace_id = ?", workspaceID).Add(" RETURNING id"))
}

// ArchiveRequests archives those of some change requests that are open, and returns them.
func (tx *Tx) ArchiveRequests(ids []string, by string) (map[string]bool, error) {
	now := sqldb.UnixMillis(tx.Now)
	q := tx.SQL("UPDATE change_requests SET archived_by = ?, archived_at = ?, updated_at = ? WHERE archived_at = 0 AND id", by, now, now).In("", ids)
	archived, err := sqldb.Values[string](&tx.Locked, q.Add(" RETURNING id"))
	found := make(map[string]bool, len(archived))
	for _, id := range archived {
		found[id] = true
	}
	return found, err
}

// WorkspaceIDs is those of the ids that are workspaces of the organization, each once.
func (v *reads) WorkspaceIDs(o belay.Organization, ids []string) ([]string, error) {
	return sqldb.Values[string](v, v.SQL("SELECT w.id FROM workspaces w WHERE w.id").In("", ids).Beside("w.organization_id = ?", o.ID))
}

// WorkspacesNamed is the workspaces of a name in the organizations of a principal. Which
// of them it may read is not asked here.
func (v *reads) WorkspacesNamed(s belay.Principal, name string) ([]belay.Workspace, error) {
	q := v.SQL(core.Workspaces.Selected + "WHERE w.organization_id IN (")
	switch {
	case s.SiteAdmin:
		q.Add("SELECT id FROM organizations")
	case s.Kind == belay.UserPrincipal:
		q.Add("SELECT organization_id FROM organization_memberships WHERE user_id = ? AND status = 'active'", s.ID)
	default:
		q.Add("?", s.OrganizationID)
	}
	return core.Workspaces.Many(v, q.Add(") AND w.name = ?", name))
}
