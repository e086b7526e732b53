package store

import (
	"time"

	"github.com/belayhq/belay"
)

var hooks = newTable(table[belay.Hook]{
	name: "vcs_hooks",
	own: []column[belay.Hook]{
		{"id", func(h *belay.Hook) any { return &h.ID }},
		{"organization_id", func(h *belay.Hook) any { return &h.OrganizationID }},
		{"token_id", func(h *belay.Hook) any { return &h.TokenID }},
		{"identifier", func(h *belay.Hook) any { return &h.Identifier }},
		{"folded", func(h *belay.Hook) any { return &h.Folded }},
		{"sealed_secret", func(h *belay.Hook) any { return &h.SealedSecret }},
		{"sealed_before", func(h *belay.Hook) any { return &h.SealedBefore }},
		{"before_until", func(h *belay.Hook) any { return millis{&h.BeforeUntil} }},
		{"remote_id", func(h *belay.Hook) any { return &h.RemoteID }},
		{"state", func(h *belay.Hook) any { return &h.State }},
		{"tries", func(h *belay.Hook) any { return &h.Tries }},
		{"work_at", func(h *belay.Hook) any { return millis{&h.WorkAt} }},
		{"poll_at", func(h *belay.Hook) any { return millis{&h.PollAt} }},
		{"created_at", func(h *belay.Hook) any { return millis{&h.CreatedAt} }},
	},
})

// ReposWake tells that there is work on repositories.
const ReposWake Wake = "repos"

// Hook is one hook, by its id or by a name that it had before.
func (v *View) Hook(id string) (belay.Hook, error) {
	return hooks.one(v, "vcs_hooks.id = ? OR vcs_hooks.id = (SELECT n.hook_id FROM vcs_hook_names n WHERE n.id = ?)", id, id)
}

// HookOf is the hook of a repository that is reached by a token; belay.ErrNotFound when there
// is none.
func (v *View) HookOf(tokenID, identifier string) (belay.Hook, error) {
	return hooks.one(v, "vcs_hooks.token_id = ? AND vcs_hooks.folded = ?", tokenID, belay.FoldIdentifier(identifier))
}

// AddHook writes a new hook, unless the repository has got one meanwhile.
func (tx *Tx) AddHook(h *belay.Hook) error {
	tx.Wake(ReposWake)
	q := tx.sql(hooks.inserted + " ON CONFLICT (token_id, folded) DO NOTHING")
	q.args = hooks.values(h)
	_, err := tx.exec(q)
	return err
}

// SaveHook writes every column of a hook.
func (tx *Tx) SaveHook(h *belay.Hook) error {
	if !h.WorkAt.IsZero() {
		tx.Wake(ReposWake)
	}
	return hooks.update(tx, h, nil)
}

// HookServes says whether workspaces of a project may use the connection that a hook is of.
func (v *View) HookServes(hookID, projectID string) (bool, error) {
	_, found, err := value[string](v, v.sql(`SELECT h.id FROM vcs_hooks h JOIN oauth_tokens t ON t.id = h.token_id JOIN oauth_clients c ON c.id = t.client_id
		WHERE h.id = ? AND (c.organization_scoped OR EXISTS (SELECT 1 FROM oauth_client_projects l WHERE l.client_id = c.id AND l.project_id = ?))`, hookID, projectID))
	return found, err
}

// LookAtHook notes that a workspace is connected by a hook no more, if it was by any.
func (tx *Tx) LookAtHook(id string) error {
	if id == "" {
		return nil
	}
	tx.Wake(ReposWake)
	return tx.do("UPDATE vcs_hooks SET work_at = ? WHERE id = ?", unixMillis(tx.Now), id)
}

// DropHook deletes a hook that no workspace uses.
func (tx *Tx) DropHook(id string) error { return tx.do("DELETE FROM vcs_hooks WHERE id = ?", id) }

// NameHook lets a hook answer to the id that a workspace had for itself.
func (tx *Tx) NameHook(id, hookID string) error {
	return tx.do("INSERT INTO vcs_hook_names (id, hook_id) VALUES (?, ?) ON CONFLICT (id) DO NOTHING", id, hookID)
}

// HooksDue says whether ClaimHooks would take any.
func (v *View) HooksDue(polled bool, now time.Time) (bool, error) {
	condition := text("work_at <= ? AND work_at > 0")
	if polled {
		condition = "poll_at <= ? AND state <> 'left'"
	}
	_, found, err := value[string](v, v.sql("SELECT id FROM vcs_hooks WHERE "+condition+" LIMIT 1", unixMillis(now)))
	return found, err
}

// ClaimHooks takes hooks with which something is to be done, or, polled, those whose branches
// are to be looked at, and puts them off until a moment.
func (tx *Tx) ClaimHooks(polled bool, until time.Time, atMost int) ([]belay.Hook, error) {
	column, also := text("work_at"), text(" AND work_at > 0")
	if polled {
		column, also = "poll_at", " AND state <> 'left'"
	}
	q := tx.sql("UPDATE vcs_hooks SET "+column+" = ? WHERE id IN (SELECT k.id FROM vcs_hooks k WHERE "+column+" <= ?"+also+" ORDER BY "+column, unixMillis(until), unixMillis(tx.Now))
	q.first(atMost).add(tx.db.dialect.skipHeld + ") RETURNING ").add(hooks.unqualified())
	return hooks.many(&tx.View, q)
}

// ConnectedTo says whether any workspace is connected by a hook.
func (v *View) ConnectedTo(hookID string) (bool, error) {
	_, found, err := value[string](v, v.sql("SELECT w.id FROM workspaces w WHERE w.vcs_hook_id = ? AND w.vcs_hook_id <> '' AND w.vcs_token_id <> '' AND "+offShelf+" LIMIT 1", hookID))
	return found, err
}

// Connected is the workspaces that are connected by a hook, in shares by their ids.
func (v *View) Connected(hookID, after string, atMost int) ([]belay.Workspace, error) {
	q := v.sql(workspaces.selected).add("WHERE w.vcs_hook_id = ? AND w.vcs_hook_id <> '' AND w.vcs_token_id <> '' AND w.id > ? AND "+offShelf, hookID, after)
	return workspaces.many(v, q.add(" ORDER BY w.id").first(atMost))
}

// Unhooked is workspaces that have a repository and no hook yet, in shares by their ids.
func (v *View) Unhooked(after string, atMost int) ([]belay.Workspace, error) {
	q := v.sql(workspaces.selected).add("WHERE w.vcs_token_id <> '' AND w.vcs_hook_id = '' AND w.id > ? AND "+offShelf, after)
	return workspaces.many(v, q.add(" ORDER BY w.id").first(atMost))
}

// SetHook connects a workspace, whose row is held, by a hook.
func (tx *Tx) SetHook(w *belay.Workspace, hookID string) error {
	w.HookID = hookID
	return tx.do("UPDATE workspaces SET vcs_hook_id = ? WHERE id = ?", hookID, w.ID)
}

// Heads is the newest commits of the branches of a repository that are known.
func (v *View) Heads(hookID string) (map[string]string, error) {
	type head struct{ branch, commit string }
	list, err := collect(v, v.sql("SELECT branch, commit_sha FROM vcs_heads WHERE hook_id = ?", hookID),
		func(h *head) []any { return []any{&h.branch, &h.commit} })
	heads := make(map[string]string, len(list))
	for _, h := range list {
		heads[h.branch] = h.commit
	}
	return heads, err
}

// SetHead notes the newest commit of a branch.
func (tx *Tx) SetHead(hookID, branch, commit string) error {
	return tx.do(`INSERT INTO vcs_heads (hook_id, branch, commit_sha, seen_at) VALUES (?, ?, ?, ?)
		ON CONFLICT (hook_id, branch) DO UPDATE SET commit_sha = excluded.commit_sha, seen_at = excluded.seen_at`,
		hookID, branch, commit, unixMillis(tx.Now))
}

var vcsEvents = newTable(table[belay.VCSEvent]{
	name: "vcs_events",
	own: []column[belay.VCSEvent]{
		{"id", func(e *belay.VCSEvent) any { return &e.ID }},
		{"organization_id", func(e *belay.VCSEvent) any { return &e.OrganizationID }},
		{"client_id", func(e *belay.VCSEvent) any { return &e.ClientID }},
		{"token_id", func(e *belay.VCSEvent) any { return &e.TokenID }},
		{"level", func(e *belay.VCSEvent) any { return &e.Level }},
		{"message", func(e *belay.VCSEvent) any { return &e.Message }},
		{"created_at", func(e *belay.VCSEvent) any { return millis{&e.CreatedAt} }},
	},
})

// AddVCSEvents writes what those are told who look after connections.
func (tx *Tx) AddVCSEvents(list []belay.VCSEvent) error { return vcsEvents.insertMany(tx, list) }

// VCSEvents is one page of what was told in an organization, the newest first.
func (v *View) VCSEvents(organizationID string, want belay.VCSEventQuery) ([]belay.VCSEvent, int, error) {
	where := func(q *query) *query {
		q.add("WHERE organization_id = ? AND created_at >= ? AND created_at <= ?", organizationID, unixMillis(want.From), unixMillis(want.To))
		if want.ClientIDs != nil {
			q.in(" AND client_id", want.ClientIDs)
		}
		if want.Levels != nil {
			q.in(" AND level", want.Levels)
		}
		return q
	}
	total, _, err := value[int](v, where(v.sql("SELECT count(*) FROM vcs_events ")))
	if err != nil || total == 0 {
		return nil, 0, err
	}
	list, err := vcsEvents.many(v, where(v.sql(vcsEvents.selected)).add(" ORDER BY created_at DESC, id DESC").page(want.Page))
	return list, total, err
}

// HookUsedBeyond says whether a hook tells of a repository that workspaces outside a scope follow.
func (v *View) HookUsedBeyond(hookID string, within belay.Scope) (bool, error) {
	if within.Everything {
		return false, nil
	}
	q := v.sql("SELECT 1 FROM workspaces w WHERE w.vcs_hook_id = ? AND w.vcs_hook_id <> '' AND NOT ", hookID)
	_, used, err := value[int](v, q.within(within).add(" LIMIT 1"))
	return used, err
}
