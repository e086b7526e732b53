package runs

import (
	"github.com/belayhq/belay"
	"github.com/belayhq/belay/internal/sqldb"
	"github.com/belayhq/belay/run"
)

var triggerTaken = belay.Problems{{
	Kind: belay.Invalid, Title: "invalid attribute", Detail: "Sourceable has already been taken", Place: belay.Related("sourceable"),
}}

var runTriggers = sqldb.NewTable(sqldb.Table[run.RunTrigger]{
	Name: "run_triggers",
	Hold: "t",
	From: "run_triggers t JOIN workspaces w ON w.id = t.workspace_id JOIN workspaces s ON s.id = t.source_id AND s.organization_id = w.organization_id",
	Own: []sqldb.Column[run.RunTrigger]{
		{Name: "id", At: func(t *run.RunTrigger) any { return &t.ID }},
		{Name: "workspace_id", At: func(t *run.RunTrigger) any { return &t.WorkspaceID }},
		{Name: "source_id", At: func(t *run.RunTrigger) any { return &t.SourceID }},
		{Name: "created_at", At: func(t *run.RunTrigger) any { return sqldb.Millis(&t.CreatedAt) }},
	},
	Joined: []sqldb.Column[run.RunTrigger]{
		{Name: "w.name", At: func(t *run.RunTrigger) any { return &t.WorkspaceName }},
		{Name: "s.name", At: func(t *run.RunTrigger) any { return &t.SourceName }},
	},
})

// RunTrigger is one run trigger, by id.
func (v *View) RunTrigger(id string) (run.RunTrigger, error) {
	return runTriggers.One(v, "t.id = ?", id)
}

// RunTriggers is one page of the triggers of a workspace, oldest first: those that queue
// runs in it when inbound, else those that it queues runs by. Only workspaces within the
// scope stand at the other end.
func (v *View) RunTriggers(workspaceID string, inbound bool, seen belay.Scope, page belay.Page) ([]run.RunTrigger, int, error) {
	total, _, err := sqldb.Value[int](v, v.triggersWhere("SELECT count(*) FROM "+runTriggers.From+" WHERE ", workspaceID, inbound, seen))
	if err != nil || total == 0 {
		return nil, 0, err
	}
	q := v.triggersWhere(runTriggers.Selected+"WHERE ", workspaceID, inbound, seen)
	q.Add(" ORDER BY t.created_at, t.id").Page(page)
	list, err := runTriggers.Many(v, q)
	return list, total, err
}

func (v *View) triggersWhere(begin sqldb.Text, workspaceID string, inbound bool, seen belay.Scope) *sqldb.Query {
	one, other := sqldb.Text("t.workspace_id"), sqldb.Text("s")
	if !inbound {
		one, other = "t.source_id", "w"
	}
	q := v.SQL(begin+one+" = ?", workspaceID)
	if !seen.Everything {
		q.In(" AND ("+other+".id", seen.Workspaces)
		q.In(" OR "+other+".project_id", seen.Projects)
		q.Add(")")
	}
	return q
}

// TriggersOf is every trigger by which runs of a workspace queue others.
func (v *View) TriggersOf(sourceID string) ([]run.RunTrigger, error) {
	return runTriggers.Many(v, v.SQL(runTriggers.Selected+"WHERE t.source_id = ? ORDER BY t.created_at, t.id", sourceID))
}

// CountRunTriggers is how many triggers queue runs in a workspace.
func (v *View) CountRunTriggers(workspaceID string) (int, error) {
	n, _, err := sqldb.Value[int](v, v.SQL("SELECT count(*) FROM "+runTriggers.From+" WHERE t.workspace_id = ?", workspaceID))
	return n, err
}

// AddRunTrigger writes a new run trigger.
func (tx *Tx) AddRunTrigger(t *run.RunTrigger) error {
	return runTriggers.Insert(tx, t, triggerTaken)
}

// DropRunTrigger deletes a run trigger.
func (tx *Tx) DropRunTrigger(t *run.RunTrigger) error {
	return tx.Do("DELETE FROM run_triggers WHERE id = ?", t.ID)
}
