package store

import (
	"context"
	"errors"
	"strings"
	"time"

	"github.com/belayhq/belay"
	"github.com/belayhq/belay/internal/sqldb"
	"github.com/belayhq/belay/internal/store/base"
	"github.com/belayhq/belay/internal/store/core"
)

var recoverableItems = sqldb.NewTable(sqldb.Table[belay.RecoverableItem]{
	Name: "recoverable_items",
	Hold: "r",
	From: "recoverable_items r JOIN workspaces w ON w.id = r.workspace_id JOIN organizations o ON o.id = r.organization_id",
	Own: []sqldb.Column[belay.RecoverableItem]{
		{Name: "id", At: func(r *belay.RecoverableItem) any { return &r.ID }},
		{Name: "organization_id", At: func(r *belay.RecoverableItem) any { return &r.OrganizationID }},
		{Name: "workspace_id", At: func(r *belay.RecoverableItem) any { return &r.WorkspaceID }},
		{Name: "project_id", At: func(r *belay.RecoverableItem) any { return &r.ProjectID }},
		{Name: "name", At: func(r *belay.RecoverableItem) any { return &r.Name }},
		{Name: "deleted_by", At: func(r *belay.RecoverableItem) any { return &r.DeletedBy }},
		{Name: "deleted_at", At: func(r *belay.RecoverableItem) any { return sqldb.Millis(&r.DeletedAt) }},
		{Name: "expires_at", At: func(r *belay.RecoverableItem) any { return sqldb.Millis(&r.ExpiresAt) }},
	},
	Joined: append(base.Belongs(func(r *belay.RecoverableItem) *belay.Organization { return &r.Organization }), []sqldb.Column[belay.RecoverableItem]{
		{Name: "o.default_project_id", At: func(r *belay.RecoverableItem) any { return &r.Organization.DefaultProjectID }},
		{Name: "w.resource_count", At: func(r *belay.RecoverableItem) any { return &r.Resources }},
	}...),
})

// RecoverableItem is one recoverable item, by id.
func (v *reads) RecoverableItem(id string) (belay.RecoverableItem, error) {
	return recoverableItems.One(v, "r.id = ? AND r.expires_at > 0", id)
}

// RecoverableItems is one page of what can be brought back to an organization, what was
// deleted last first.
func (v *reads) RecoverableItems(o belay.Organization, page belay.Page) ([]belay.RecoverableItem, int, error) {
	return recoverableItems.Page(v, page, "r.deleted_at DESC, r.id DESC", "r.organization_id = ? AND r.expires_at > ?", o.ID, sqldb.UnixMillis(v.Moment()))
}

// Shelve puts a workspace where nobody reaches it, with its item; CountWorkspace goes with it.
// What is under way ends, as it would without the workspace. However much hangs on it, few
// rows are written.
func (tx *Tx) Shelve(w *belay.Workspace, item *belay.RecoverableItem) error {
	shelf, err := tx.shelfOf(w.OrganizationID)
	if err != nil {
		return err
	}
	if err := tx.Unlist(w); err != nil {
		return err
	}
	if err := tx.endRuns(w); err != nil {
		return err
	}
	if err := tx.carry(w.ID, shelf); err != nil {
		return err
	}
	tx.MoveAccessGeneration(w.OrganizationID)
	err = tx.Do(`UPDATE workspaces SET organization_id = ?, project_id = ?, name = id WHERE id = ?`, shelf, shelf, w.ID)
	if err != nil {
		return err
	}
	return recoverableItems.Insert(tx, item, nil)
}

// shelfOf is the id of an organization's shelf, which is made when it is not there.
func (tx *Tx) shelfOf(organizationID string) (string, error) {
	shelf, project := belay.Shelf(organizationID)
	shelf.CreatedAt, project.CreatedAt = tx.Now, tx.Now
	const once text = " ON CONFLICT (id) DO NOTHING"
	o, p := tx.SQL(core.Organizations.Inserted+once), tx.SQL(core.Projects.Inserted+once)
	o.Args, p.Args = core.Organizations.Values(&shelf), core.Projects.Values(&project)
	if _, err := tx.Exec(o); err != nil {
		return "", err
	}
	_, err := tx.Exec(p)
	return shelf.ID, err
}

// carry gives the few rows that hang on a workspace and name an organization another one.
func (tx *Tx) carry(workspaceID, organizationID string) error {
	for _, statement := range []text{
		"UPDATE team_workspaces SET organization_id = ? WHERE workspace_id = ?",
		"UPDATE notifications SET organization_id = ? WHERE workspace_id = ?",
		"UPDATE workspace_tag_bindings SET organization_id = ? WHERE workspace_id = ?",
	} {
		if err := tx.Do(statement, organizationID, workspaceID); err != nil {
			return err
		}
	}
	return nil
}

// endRuns drops what is under way in a workspace, and the lock that it held.
func (tx *Tx) endRuns(w *belay.Workspace) error {
	if err := tx.KeepVirtualTime("workspace_id", []string{w.ID}); err != nil {
		return err
	}
	for _, statement := range []text{
		"DELETE FROM tokens WHERE workspace_id = ? AND workspace_id <> ''", // of its runs
		"DELETE FROM jobs WHERE workspace_id = ?",
		"DELETE FROM runs WHERE workspace_id = ? AND unfinished",
		"DELETE FROM due WHERE subject_id = ?",
	} {
		if err := tx.Do(statement, w.ID); err != nil {
			return err
		}
	}
	if w.Lock.Holder.Type == "runs" {
		w.Lock = belay.Lock{}
		if err := tx.SaveLock(w); err != nil {
			return err
		}
	}
	w.AssessingID = ""
	if err := tx.SaveHealth(w); err != nil {
		return err
	}
	last, err := tx.Peek().LastRun(w.ID)
	if err != nil {
		return err
	}
	w.CurrentRunID, w.CurrentRunStatus, w.CurrentRunAt = "", "", time.Time{}
	if last != nil {
		w.CurrentRunID, w.CurrentRunStatus, w.CurrentRunAt = last.ID, string(last.Status), last.CreatedAt
	}
	return tx.SetCurrentRun(w)
}

// Unshelve puts a workspace back to where its item says that it was, and forgets the item;
// CountWorkspace goes with it. uses is what its current state uses.
func (tx *Tx) Unshelve(w *belay.Workspace, item *belay.RecoverableItem, current belay.StateContents) error {
	w.OrganizationID, w.ProjectID, w.Name = item.OrganizationID, item.ProjectID, item.Name
	if err := core.Workspaces.Update(tx, w, belay.ErrNameClash); err != nil {
		return err
	}
	if err := errors.Join(tx.ScheduleDestroy(w), tx.NoteAssessed(w)); err != nil {
		return err
	}
	if err := errors.Join(tx.carry(w.ID, w.OrganizationID), tx.LeaveSets([]string{w.ID}, w.ProjectID)); err != nil {
		return err
	}
	if err := tx.LinkTags(w, w.TagNames); err != nil {
		return err
	}
	if err := tx.AddUses(w, core.UsesOf(current)); err != nil {
		return err
	}
	if err := tx.AskReading(w); err != nil {
		return err
	}
	tx.MoveAccessGeneration(w.OrganizationID)
	return tx.Do("DELETE FROM recoverable_items WHERE id = ?", item.ID)
}

// ForsakeItem leaves what can be brought back to the eraser.
func (tx *Tx) ForsakeItem(item *belay.RecoverableItem) error {
	return tx.Do("UPDATE recoverable_items SET expires_at = 0 WHERE id = ?", item.ID)
}

// EraseExpired erases some of what was deleted and can be brought back no longer, and says
// whether there may be more. What it has begun with, nobody brings back.
func (db *DB) EraseExpired(ctx context.Context) (more bool, err error) {
	err = db.Update(ctx, func(tx *Tx) error {
		q := tx.SQL("SELECT workspace_id FROM recoverable_items WHERE expires_at <= ? ORDER BY expires_at, id", sqldb.UnixMillis(tx.Now)).First(workspacesErased)
		ids, err := sqldb.Values[string](&tx.Locked, q.Add(tx.Dialect().SkipHeld))
		if more = len(ids) > 0; err != nil || !more {
			return err
		}
		if _, err := tx.Exec(tx.SQL("UPDATE recoverable_items SET expires_at = 0 WHERE expires_at <> 0 AND workspace_id").In("", ids)); err != nil {
			return err
		}
		return tx.eraseSomeOf(ids)
	})
	return more, err
}

// hangsOn is what grows without bounds on a workspace: what one transaction erases of it at
// the most, before the workspace goes with the rest.
var hangsOn = []struct {
	table  text
	atOnce int
}{{"change_requests", sqldb.RowsAtOnce}, {"runs", 10}, {"configuration_versions", sqldb.RowsAtOnce}, {"state_versions", sqldb.RowsAtOnce / 2}, {"jobs", sqldb.RowsAtOnce}, {"state_resources", sqldb.RowsAtOnce}, {"state_reads", sqldb.RowsAtOnce}}

// eraseSomeOf erases some of what hangs on workspaces, or them when nothing much does.
func (tx *Tx) eraseSomeOf(workspaceIDs []string) error {
	for _, h := range hangsOn {
		q := tx.SQL("SELECT id FROM "+h.table+" WHERE workspace_id").In("", workspaceIDs).First(h.atOnce)
		ids, err := sqldb.Values[string](&tx.Locked, q)
		if err != nil {
			return err
		}
		if len(ids) == 0 {
			continue
		}
		switch h.table {
		case "state_versions":
			_, err = tx.Exec(tx.Loosen("").In("id", ids))
		case "jobs":
			err = tx.KeepVirtualTime("id", ids)
		}
		if err != nil {
			return err
		}
		_, err = tx.Exec(tx.SQL("DELETE FROM "+h.table+" WHERE id").In("", ids))
		return err
	}
	_, err := tx.Exec(tx.SQL("DELETE FROM workspaces WHERE id").In("", workspaceIDs))
	return err
}

// Slight says that little hangs on a workspace: it may be deleted in one transaction.
func (v *reads) Slight(workspaceID string) (bool, error) {
	q := v.SQL("SELECT ")
	for i, h := range hangsOn {
		if i > 0 {
			q.Add(" + ")
		}
		q.Add("(SELECT count(*) FROM (SELECT 1 FROM "+h.table+" WHERE workspace_id = ? LIMIT ? + 0) n) * ? ", workspaceID, h.atOnce, sqldb.RowsAtOnce/h.atOnce)
	}
	n, _, err := sqldb.Value[int](v, q)
	return n < sqldb.RowsAtOnce, err
}

// OfState, OfConfiguration, OfRun and OfPhase are the conditions of what files belong to: the
// workspace whose state version, configuration version, run, or plan or apply has an id.
const (
	OfState         Owner = "SELECT workspace_id FROM state_versions WHERE id = ?"
	OfConfiguration Owner = "SELECT workspace_id FROM configuration_versions WHERE id = ?"
	OfRun           Owner = "SELECT workspace_id FROM runs WHERE id = ?"
	OfPhase         Owner = "SELECT workspace_id FROM runs WHERE plan_id = ? UNION ALL SELECT workspace_id FROM runs WHERE apply_id = ?"
)

// Owner selects the workspace that something belongs to.
type Owner text

// Reaches is the organization of the workspace that something belongs to; not found: nobody reaches it.
func (v *reads) Reaches(owner Owner, id string) (organizationID string, found bool, err error) {
	args := []any{id, id}[:strings.Count(string(owner), "?")]
	q := v.SQL("SELECT w.organization_id FROM workspaces w JOIN organizations o ON o.id = w.organization_id WHERE NOT (" + base.OrganizationIsHidden + ") AND w.id IN (")
	return sqldb.Value[string](v, q.Add(text(owner), args...).Add(")"))
}
