package repos

import (
	"time"

	"github.com/belayhq/belay"
	"github.com/belayhq/belay/forge"
	"github.com/belayhq/belay/internal/sqldb"
	"github.com/belayhq/belay/internal/store/base"
	"github.com/belayhq/belay/internal/store/core"
)

var hooks = sqldb.NewTable(sqldb.Table[forge.Hook]{
	Name: "vcs_hooks",
	Own: []sqldb.Column[forge.Hook]{
		{Name: "id", At: func(h *forge.Hook) any { return &h.ID }},
		{Name: "organization_id", At: func(h *forge.Hook) any { return &h.OrganizationID }},
		{Name: "token_id", At: func(h *forge.Hook) any { return &h.TokenID }},
		{Name: "identifier", At: func(h *forge.Hook) any { return &h.Identifier }},
		{Name: "folded", At: func(h *forge.Hook) any { return &h.Folded }},
		{Name: "sealed_secret", At: func(h *forge.Hook) any { return &h.SealedSecret }},
		{Name: "sealed_before", At: func(h *forge.Hook) any { return &h.SealedBefore }},
		{Name: "before_until", At: func(h *forge.Hook) any { return sqldb.Millis(&h.BeforeUntil) }},
		{Name: "remote_id", At: func(h *forge.Hook) any { return &h.RemoteID }},
		{Name: "state", At: func(h *forge.Hook) any { return &h.State }},
		{Name: "tries", At: func(h *forge.Hook) any { return &h.Tries }},
		{Name: "work_at", At: func(h *forge.Hook) any { return sqldb.Millis(&h.WorkAt) }},
		{Name: "poll_at", At: func(h *forge.Hook) any { return sqldb.Millis(&h.PollAt) }},
		{Name: "created_at", At: func(h *forge.Hook) any { return sqldb.Millis(&h.CreatedAt) }},
	},
})

// ReposWake tells that there is work on repositories.
const ReposWake sqldb.Wake = "repos"

// Hook is one hook, by its id or by a name that it had before.
func (v *View) Hook(id string) (forge.Hook, error) {
	return hooks.One(v, "vcs_hooks.id = ? OR vcs_hooks.id = (SELECT n.hook_id FROM vcs_hook_names n WHERE n.id = ?)", id, id)
}

// HookOf is the hook of a repository that is reached by a token; belay.ErrNotFound when there
// is none.
func (v *View) HookOf(tokenID, identifier string) (forge.Hook, error) {
	return hooks.One(v, "vcs_hooks.token_id = ? AND vcs_hooks.folded = ?", tokenID, forge.FoldIdentifier(identifier))
}

// AddHook writes a new hook, unless the repository has got one meanwhile.
func (tx *Tx) AddHook(h *forge.Hook) error {
	tx.Wake(ReposWake)
	q := tx.SQL(hooks.Inserted + " ON CONFLICT (token_id, folded) DO NOTHING")
	q.Args = hooks.Values(h)
	_, err := tx.Exec(q)
	return err
}

// SaveHook writes every column of a hook.
func (tx *Tx) SaveHook(h *forge.Hook) error {
	if !h.WorkAt.IsZero() {
		tx.Wake(ReposWake)
	}
	return hooks.Update(tx, h, nil)
}

// HookNotes is so many of the hooks of a connection, those first that told something last. What a server found by looking
// is told by nobody.
func (v *View) HookNotes(clientID string, most int) ([]forge.HookNote, error) {
	q := v.SQL(`SELECT h.identifier, h.state, COALESCE(max(i.received_at), 0), count(CASE WHEN i.state = 'waiting' THEN 1 END)
		FROM vcs_hooks h JOIN oauth_tokens t ON t.id = h.token_id LEFT JOIN vcs_inbox i ON i.hook_id = h.id AND i.delivery_id NOT LIKE 'poll %'
		WHERE t.client_id = ? AND h.state <> 'left' GROUP BY h.id, h.identifier, h.state ORDER BY 3 DESC, h.identifier, h.id`, clientID)
	return sqldb.Collect(v, q.First(most), func(n *forge.HookNote) []any {
		return []any{&n.Identifier, &n.State, sqldb.Millis(&n.Last), &n.Waiting}
	})
}

// HookServes says whether workspaces of a project may use the connection that a hook is of.
func (v *View) HookServes(hookID, projectID string) (bool, error) {
	_, found, err := sqldb.Value[string](v, v.SQL(`SELECT h.id FROM vcs_hooks h JOIN oauth_tokens t ON t.id = h.token_id JOIN oauth_clients c ON c.id = t.client_id
		WHERE h.id = ? AND (c.organization_scoped OR EXISTS (SELECT 1 FROM oauth_client_projects l WHERE l.client_id = c.id AND l.project_id = ?))`, hookID, projectID))
	return found, err
}

// LookAtHook notes that a workspace is connected by a hook no more, if it was by any.
func (tx *Tx) LookAtHook(id string) error {
	if id == "" {
		return nil
	}
	tx.Wake(ReposWake)
	return tx.Do("UPDATE vcs_hooks SET work_at = ? WHERE id = ?", sqldb.UnixMillis(tx.Now), id)
}

// DropHook deletes a hook that no workspace uses.
func (tx *Tx) DropHook(id string) error { return tx.Do("DELETE FROM vcs_hooks WHERE id = ?", id) }

// NameHook lets a hook answer to the id that a workspace had for itself.
func (tx *Tx) NameHook(id, hookID string) error {
	return tx.Do("INSERT INTO vcs_hook_names (id, hook_id) VALUES (?, ?) ON CONFLICT (id) DO NOTHING", id, hookID)
}

// HooksDue says whether ClaimHooks would take any.
func (v *View) HooksDue(polled bool, now time.Time) (bool, error) {
	condition := sqldb.Text("work_at <= ? AND work_at > 0")
	if polled {
		condition = "poll_at <= ? AND state <> 'left'"
	}
	_, found, err := sqldb.Value[string](v, v.SQL("SELECT id FROM vcs_hooks WHERE "+condition+" LIMIT 1", sqldb.UnixMillis(now)))
	return found, err
}

// ClaimHooks takes hooks with which something is to be done, or, polled, those whose branches
// are to be looked at, and puts them off until a moment.
func (tx *Tx) ClaimHooks(polled bool, until time.Time, atMost int) ([]forge.Hook, error) {
	column, also := sqldb.Text("work_at"), sqldb.Text(" AND work_at > 0")
	if polled {
		column, also = "poll_at", " AND state <> 'left'"
	}
	q := tx.SQL("UPDATE vcs_hooks SET "+column+" = ? WHERE id IN (SELECT k.id FROM vcs_hooks k WHERE "+column+" <= ?"+also+" ORDER BY "+column, sqldb.UnixMillis(until), sqldb.UnixMillis(tx.Now))
	q.First(atMost).Add(tx.Dialect().SkipHeld + ") RETURNING ").Add(hooks.Unqualified())
	return hooks.Many(&tx.View, q)
}

// ConnectedTo says whether any workspace is connected by a hook.
func (v *View) ConnectedTo(hookID string) (bool, error) {
	_, found, err := sqldb.Value[string](v, v.SQL("SELECT w.id FROM workspaces w WHERE w.vcs_hook_id = ? AND w.vcs_hook_id <> '' AND w.vcs_token_id <> '' AND "+base.OffShelf+" LIMIT 1", hookID))
	return found, err
}

// Connected is the workspaces that are connected by a hook, in shares by their ids.
func (v *View) Connected(hookID, after string, atMost int) ([]belay.Workspace, error) {
	q := v.SQL(core.Workspaces.Selected).Add("WHERE w.vcs_hook_id = ? AND w.vcs_hook_id <> '' AND w.vcs_token_id <> '' AND w.id > ? AND "+base.OffShelf, hookID, after)
	return core.Workspaces.Many(v, q.Add(" ORDER BY w.id").First(atMost))
}

// Unhooked is workspaces that have a repository and no hook yet, in shares by their ids.
func (v *View) Unhooked(after string, atMost int) ([]belay.Workspace, error) {
	q := v.SQL(core.Workspaces.Selected).Add("WHERE w.vcs_token_id <> '' AND w.vcs_hook_id = '' AND w.id > ? AND "+base.OffShelf, after)
	return core.Workspaces.Many(v, q.Add(" ORDER BY w.id").First(atMost))
}

// SetHook connects a workspace, whose row is held, by a hook.
func (tx *Tx) SetHook(w *belay.Workspace, hookID string) error {
	w.HookID = hookID
	return tx.Do("UPDATE workspaces SET vcs_hook_id = ? WHERE id = ?", hookID, w.ID)
}

// Heads is the newest commits of the branches of a repository that are known.
func (v *View) Heads(hookID string) (map[string]string, error) {
	type head struct{ branch, commit string }
	list, err := sqldb.Collect(v, v.SQL("SELECT branch, commit_sha FROM vcs_heads WHERE hook_id = ?", hookID),
		func(h *head) []any { return []any{&h.branch, &h.commit} })
	heads := make(map[string]string, len(list))
	for _, h := range list {
		heads[h.branch] = h.commit
	}
	return heads, err
}

// SetHead notes the newest commit of a branch.
func (tx *Tx) SetHead(hookID, branch, commit string) error {
	return tx.Do(`INSERT INTO vcs_heads (hook_id, branch, commit_sha, seen_at) VALUES (?, ?, ?, ?)
		ON CONFLICT (hook_id, branch) DO UPDATE SET commit_sha = excluded.commit_sha, seen_at = excluded.seen_at`,
		hookID, branch, commit, sqldb.UnixMillis(tx.Now))
}

var vcsEvents = sqldb.NewTable(sqldb.Table[forge.VCSEvent]{
	Name: "vcs_events",
	Own: []sqldb.Column[forge.VCSEvent]{
		{Name: "id", At: func(e *forge.VCSEvent) any { return &e.ID }},
		{Name: "organization_id", At: func(e *forge.VCSEvent) any { return &e.OrganizationID }},
		{Name: "client_id", At: func(e *forge.VCSEvent) any { return &e.ClientID }},
		{Name: "token_id", At: func(e *forge.VCSEvent) any { return &e.TokenID }},
		{Name: "level", At: func(e *forge.VCSEvent) any { return &e.Level }},
		{Name: "message", At: func(e *forge.VCSEvent) any { return &e.Message }},
		{Name: "created_at", At: func(e *forge.VCSEvent) any { return sqldb.Millis(&e.CreatedAt) }},
	},
})

// AddVCSEvents writes what those are told who look after connections.
func (tx *Tx) AddVCSEvents(list []forge.VCSEvent) error { return vcsEvents.InsertMany(tx, list) }

// VCSEvents is one page of what was told in an organization, the newest first.
func (v *View) VCSEvents(organizationID string, want forge.VCSEventQuery) ([]forge.VCSEvent, int, error) {
	where := func(q *sqldb.Query) *sqldb.Query {
		q.Add("WHERE organization_id = ? AND created_at >= ? AND created_at <= ?", organizationID, sqldb.UnixMillis(want.From), sqldb.UnixMillis(want.To))
		if want.ClientIDs != nil {
			q.In(" AND client_id", want.ClientIDs)
		}
		if want.Levels != nil {
			q.In(" AND level", want.Levels)
		}
		return q
	}
	total, _, err := sqldb.Value[int](v, where(v.SQL("SELECT count(*) FROM vcs_events ")))
	if err != nil || total == 0 {
		return nil, 0, err
	}
	list, err := vcsEvents.Many(v, where(v.SQL(vcsEvents.Selected)).Add(" ORDER BY created_at DESC, id DESC").Page(want.Page))
	return list, total, err
}

// HookUsedBeyond says whether a hook tells of a repository that workspaces outside a scope follow.
func (v *View) HookUsedBeyond(hookID string, within belay.Scope) (bool, error) {
	if within.Everything {
		return false, nil
	}
	q := v.SQL("SELECT 1 FROM workspaces w WHERE w.vcs_hook_id = ? AND w.vcs_hook_id <> '' AND NOT ", hookID)
	_, used, err := sqldb.Value[int](v, base.AddWithin(q, within).Add(" LIMIT 1"))
	return used, err
}
