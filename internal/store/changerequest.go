package store

import (
	"slices"

	"github.com/belayhq/belay"
)

var changeRequests = newTable(table[belay.ChangeRequest]{
	name: "change_requests",
	hold: "c",
	from: "change_requests c JOIN bulk_actions b ON b.id = c.action_id JOIN workspaces w ON w.id = c.workspace_id AND w.organization_id = b.organization_id",
	own: []column[belay.ChangeRequest]{
		{"id", func(c *belay.ChangeRequest) any { return &c.ID }},
		{"organization_id", func(c *belay.ChangeRequest) any { return &c.OrganizationID }},
		{"workspace_id", func(c *belay.ChangeRequest) any { return &c.WorkspaceID }},
		{"action_id", func(c *belay.ChangeRequest) any { return &c.ActionID }},
		{"archived_by", func(c *belay.ChangeRequest) any { return &c.ArchivedBy }},
		{"archived_at", func(c *belay.ChangeRequest) any { return millis{&c.ArchivedAt} }},
		{"run_id", func(c *belay.ChangeRequest) any { return &c.RunID }},
		{"assigned_to", func(c *belay.ChangeRequest) any { return &c.AssigneeID }},
		{"assigned_at", func(c *belay.ChangeRequest) any { return millis{&c.AssignedAt} }},
		{"created_at", func(c *belay.ChangeRequest) any { return millis{&c.CreatedAt} }},
		{"updated_at", func(c *belay.ChangeRequest) any { return millis{&c.UpdatedAt} }},
	},
	joined: []column[belay.ChangeRequest]{
		{"b.subject", func(c *belay.ChangeRequest) any { return &c.Subject }},
		{"b.message", func(c *belay.ChangeRequest) any { return &c.Message }},
		{"b.created_by", func(c *belay.ChangeRequest) any { return &c.CreatedBy }},
		{"b.created_by_name", func(c *belay.ChangeRequest) any { return &c.CreatedByName }},
		{"COALESCE((SELECT u.username FROM users u WHERE u.id = c.assigned_to), '')", func(c *belay.ChangeRequest) any { return &c.AssigneeName }},
		{"w.name", func(c *belay.ChangeRequest) any { return &c.WorkspaceName }},
		{"w.project_id", func(c *belay.ChangeRequest) any { return &c.ProjectID }},
	},
})

// ChangeRequest is one change request.
func (v *View) ChangeRequest(id string) (belay.ChangeRequest, error) {
	return changeRequests.one(v, "c.id = ? AND b.unfinished_until = 0", id)
}

// ChangeRequests is one page of the change requests on an organization's workspaces.
func (v *View) ChangeRequests(o belay.Organization, want belay.ChangeRequestQuery) ([]belay.ChangeRequest, int, error) {
	join := text("")
	if want.WorkspaceNames != nil || want.Projects != nil || !want.Scope.Everything {
		join = "JOIN workspaces w ON w.id = c.workspace_id "
	}
	// Those of unfinished actions and on shelves are taken off: an index alone counts the rest.
	count := v.sql("SELECT (SELECT count(*) FROM change_requests c " + join + "WHERE ")
	count.changeRequests(o, want)
	count.add(") - (SELECT count(*) FROM bulk_actions u CROSS JOIN change_requests c " + join + "WHERE u.unfinished_until > 0 AND c.action_id = u.id AND ")
	count.changeRequests(o, want)
	count.add(") - (SELECT count(*) FROM recoverable_items s CROSS JOIN change_requests c "+join+"WHERE s.organization_id = ? AND c.workspace_id = s.workspace_id "+
		"AND c.action_id NOT IN (SELECT id FROM bulk_actions WHERE unfinished_until > 0) AND ", o.ID)
	count.changeRequests(o, want)
	total, _, err := value[int](v, count.add(")"))
	if err != nil || total == 0 {
		return nil, 0, err
	}
	q := v.sql(changeRequests.selected + "WHERE ")
	q.changeRequests(o, want)
	q.add(" AND b.unfinished_until = 0 ORDER BY " + changeRequestOrder(want)).page(want.Page)
	list, err := changeRequests.many(v, q)
	return list, total, err
}

// changeRequests appends the conditions of a list.
func (q *query) changeRequests(o belay.Organization, want belay.ChangeRequestQuery) {
	switch {
	case want.WorkspaceNames == nil && want.WorkspaceIDs != nil:
		// Their organization is asked of them: asked of the change requests, SQLite would walk all.
		q.add("c.workspace_id IN (SELECT k.id FROM workspaces k WHERE k.organization_id = ? AND ", o.ID)
		q.oneOf("k.id", want.WorkspaceIDs).add(")")
	case want.WorkspaceNames != nil:
		q.add("c.organization_id = ?", o.ID)
		q.in(" AND (w.name", want.WorkspaceNames).in(" OR c.workspace_id", want.WorkspaceIDs).add(")")
	default:
		q.add("c.organization_id = ?", o.ID)
	}
	for _, in := range []struct {
		expression text
		list       []string
	}{
		{" AND w.project_id", want.Projects},
		{" AND c.action_id", want.ActionIDs},
	} {
		if in.list != nil {
			q.in(in.expression, in.list)
		}
	}
	if want.Creators != nil {
		q.add(" AND c.action_id IN (SELECT k.id FROM bulk_actions k WHERE k.organization_id = ?", o.ID)
		q.in(" AND (k.created_by", want.Creators).in(" OR k.created_by_name", want.Creators).add("))")
	}
	if want.Assignees != nil {
		q.add(" AND (c.assigned_to <> ''").in(" AND (c.assigned_to", want.Assignees)
		q.in(" OR c.assigned_to IN (SELECT u.id FROM users u WHERE u.username", want.Assignees).add("))")
		if slices.Contains(want.Assignees, belay.NoAssignee) {
			q.add(" OR c.assigned_to = ''")
		}
		q.add(")")
	}
	if !want.CreatedAfter.IsZero() {
		q.add(" AND c.created_at >= ?", unixMillis(want.CreatedAfter))
	}
	if !want.CreatedBefore.IsZero() {
		q.add(" AND c.created_at < ?", unixMillis(want.CreatedBefore))
	}
	if want.Archived != nil {
		q.add(" AND (c.archived_at > 0) = ?", *want.Archived) // as the index of the backlog has it
	}
	if !want.Scope.Everything {
		q.add(" AND ").within(want.Scope)
	}
}

// changeRequestOrder is the order of a page. Unasked, the open ones come first, the
// newest first, and then the archived ones, the one archived last first.
func changeRequestOrder(want belay.ChangeRequestQuery) text {
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
func (tx *Tx) SaveArchive(c *belay.ChangeRequest) error {
	return tx.do("UPDATE change_requests SET archived_by = ?, archived_at = ?, updated_at = ? WHERE id = ?",
		c.ArchivedBy, unixMillis(c.ArchivedAt), unixMillis(c.UpdatedAt), c.ID)
}

// SaveAssignee writes who is on a change request.
func (tx *Tx) SaveAssignee(c *belay.ChangeRequest) error {
	return tx.do("UPDATE change_requests SET assigned_to = ?, assigned_at = ?, updated_at = ? WHERE id = ?",
		c.AssigneeID, unixMillis(c.AssignedAt), unixMillis(c.UpdatedAt), c.ID)
}

// RequestsOn is those of the ids that are change requests on a workspace.
func (v *View) RequestsOn(workspaceID string, ids []string) ([]string, error) {
	q := v.sql("SELECT c.id FROM change_requests c JOIN bulk_actions b ON b.id = c.action_id WHERE c.id").in("", ids)
	return values[string](v, q.beside("c.workspace_id = ?", workspaceID).add(" AND b.unfinished_until = 0"))
}

// SettleRequests writes which run was applied for some change requests of a workspace, and
// returns those that are there.
func (tx *Tx) SettleRequests(workspaceID, runID string, ids []string) ([]string, error) {
	q := tx.sql("UPDATE change_requests SET run_id = ?, updated_at = ? WHERE id", runID, unixMillis(tx.Now)).in("", ids)
	return values[string](&tx.View, q.beside("workspace_id = ?", workspaceID).add(" RETURNING id"))
}

// ArchiveRequests archives those of some change requests that are open, and returns them.
func (tx *Tx) ArchiveRequests(ids []string, by string) (map[string]bool, error) {
	now := unixMillis(tx.Now)
	q := tx.sql("UPDATE change_requests SET archived_by = ?, archived_at = ?, updated_at = ? WHERE archived_at = 0 AND id", by, now, now).in("", ids)
	archived, err := values[string](&tx.View, q.add(" RETURNING id"))
	found := make(map[string]bool, len(archived))
	for _, id := range archived {
		found[id] = true
	}
	return found, err
}

// WorkspaceIDs is those of the ids that are workspaces of the organization, each once.
func (v *View) WorkspaceIDs(o belay.Organization, ids []string) ([]string, error) {
	return values[string](v, v.sql("SELECT w.id FROM workspaces w WHERE w.id").in("", ids).beside("w.organization_id = ?", o.ID))
}

// WorkspacesNamed is the workspaces of a name in the organizations of a principal. Which
// of them it may read is not asked here.
func (v *View) WorkspacesNamed(s belay.Principal, name string) ([]belay.Workspace, error) {
	q := v.sql(workspaces.selected + "WHERE w.organization_id IN (")
	switch {
	case s.SiteAdmin:
		q.add("SELECT id FROM organizations")
	case s.Kind == belay.UserPrincipal:
		q.add("SELECT organization_id FROM organization_memberships WHERE user_id = ? AND status = 'active'", s.ID)
	default:
		q.add("?", s.OrganizationID)
	}
	return workspaces.many(v, q.add(") AND w.name = ?", name))
}
