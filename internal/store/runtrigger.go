package store

import "github.com/belayhq/belay"

var triggerTaken = belay.Problems{{
	Kind: belay.Invalid, Title: "invalid attribute", Detail: "Sourceable has already been taken", Place: belay.Related("sourceable"),
}}

var runTriggers = newTable(table[belay.RunTrigger]{
	name: "run_triggers",
	hold: "t",
	from: "run_triggers t JOIN workspaces w ON w.id = t.workspace_id JOIN workspaces s ON s.id = t.source_id AND s.organization_id = w.organization_id",
	own: []column[belay.RunTrigger]{
		{"id", func(t *belay.RunTrigger) any { return &t.ID }},
		{"workspace_id", func(t *belay.RunTrigger) any { return &t.WorkspaceID }},
		{"source_id", func(t *belay.RunTrigger) any { return &t.SourceID }},
		{"created_at", func(t *belay.RunTrigger) any { return millis{&t.CreatedAt} }},
	},
	joined: []column[belay.RunTrigger]{
		{"w.name", func(t *belay.RunTrigger) any { return &t.WorkspaceName }},
		{"s.name", func(t *belay.RunTrigger) any { return &t.SourceName }},
	},
})

// RunTrigger is one run trigger, by id.
func (v *View) RunTrigger(id string) (belay.RunTrigger, error) {
	return runTriggers.one(v, "t.id = ?", id)
}

// RunTriggers is one page of the triggers of a workspace, oldest first: those that queue
// runs in it when inbound, else those that it queues runs by. Only workspaces within the
// scope stand at the other end.
func (v *View) RunTriggers(workspaceID string, inbound bool, seen belay.Scope, page belay.Page) ([]belay.RunTrigger, int, error) {
	total, _, err := value[int](v, v.triggersWhere("SELECT count(*) FROM "+runTriggers.from+" WHERE ", workspaceID, inbound, seen))
	if err != nil || total == 0 {
		return nil, 0, err
	}
	q := v.triggersWhere(runTriggers.selected+"WHERE ", workspaceID, inbound, seen)
	q.add(" ORDER BY t.created_at, t.id").page(page)
	list, err := runTriggers.many(v, q)
	return list, total, err
}

func (v *View) triggersWhere(begin text, workspaceID string, inbound bool, seen belay.Scope) *query {
	one, other := text("t.workspace_id"), text("s")
	if !inbound {
		one, other = "t.source_id", "w"
	}
	q := v.sql(begin+one+" = ?", workspaceID)
	if !seen.Everything {
		q.in(" AND ("+other+".id", seen.Workspaces)
		q.in(" OR "+other+".project_id", seen.Projects)
		q.add(")")
	}
	return q
}

// TriggersOf is every trigger by which runs of a workspace queue others.
func (v *View) TriggersOf(sourceID string) ([]belay.RunTrigger, error) {
	return runTriggers.many(v, v.sql(runTriggers.selected+"WHERE t.source_id = ? ORDER BY t.created_at, t.id", sourceID))
}

// CountRunTriggers is how many triggers queue runs in a workspace.
func (v *View) CountRunTriggers(workspaceID string) (int, error) {
	n, _, err := value[int](v, v.sql("SELECT count(*) FROM "+runTriggers.from+" WHERE t.workspace_id = ?", workspaceID))
	return n, err
}

// AddRunTrigger writes a new run trigger.
func (tx *Tx) AddRunTrigger(t *belay.RunTrigger) error {
	return runTriggers.insert(tx, t, triggerTaken)
}

// DropRunTrigger deletes a run trigger.
func (tx *Tx) DropRunTrigger(t *belay.RunTrigger) error {
	return tx.do("DELETE FROM run_triggers WHERE id = ?", t.ID)
}
