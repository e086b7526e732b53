package events

import (
	"context"

	"github.com/belayhq/belay"
	"github.com/belayhq/belay/internal/sqldb"
	"github.com/belayhq/belay/notices"
)

var events = sqldb.NewTable(sqldb.Table[belay.Event]{
	Name: "events",
	Late: true,
	Own: []sqldb.Column[belay.Event]{
		{Name: "id", At: func(e *belay.Event) any { return &e.ID }},
		{Name: "at", At: func(e *belay.Event) any { return sqldb.Millis(&e.At) }},
		{Name: "kind", At: func(e *belay.Event) any { return &e.Kind }},
		{Name: "organization_id", At: func(e *belay.Event) any { return &e.OrganizationID }},
		{Name: "workspace_id", At: func(e *belay.Event) any { return &e.WorkspaceID }},
		{Name: "resource_type", At: func(e *belay.Event) any { return &e.ResourceType }},
		{Name: "resource_id", At: func(e *belay.Event) any { return &e.ResourceID }},
		{Name: "actor_type", At: func(e *belay.Event) any { return &e.ActorType }},
		{Name: "actor_id", At: func(e *belay.Event) any { return &e.ActorID }},
		{Name: "actor_name", At: func(e *belay.Event) any { return &e.ActorName }},
		{Name: "request_id", At: func(e *belay.Event) any { return &e.RequestID }},
		{Name: "payload", At: func(e *belay.Event) any { return &e.Payload }},
	},
})

type requestKey struct{}

// WithRequest notes which request what is done under the context belongs to: the events
// of its transactions carry the id.
func WithRequest(ctx context.Context, id string) context.Context {
	return context.WithValue(ctx, requestKey{}, id)
}

// Emit writes what happened into the transaction of the change: no commit, no event.
// An event that somebody may be notified of is queued in the same transaction: a reader
// that remembered how far it had come would miss those that are committed late.
func (tx *Tx) Emit(e belay.Event) error { return tx.EmitAll([]belay.Event{e}) }

// EmitAll is Emit of many, and gives each its id.
func (tx *Tx) EmitAll(list []belay.Event) error {
	tx.date(list)
	return tx.write(list)
}

// date notes when events happened, and in which request.
func (tx *Tx) date(list []belay.Event) {
	for i := range list {
		list[i].At = tx.Now
		list[i].RequestID, _ = tx.Context().Value(requestKey{}).(string)
	}
}

// write gives events their ids, and writes them.
func (tx *Tx) write(list []belay.Event) error {
	for i := range list {
		list[i].ID = belay.NewEventID(tx.Now)
	}
	var err error
	if len(list) == 1 { // the usual: with others that the transaction writes
		err = events.InsertTogether(tx, &list[0])
	} else {
		err = events.InsertMany(tx, list)
	}
	for _, e := range list {
		if err != nil || e.Quiet || !notices.Deliverable(e.Kind) {
			continue
		}
		tx.Queue()
		err = tx.Do("INSERT INTO event_queue (event_id, kind, resource_id, after_workspace) VALUES (?, ?, ?, '')", e.ID, e.Kind, e.ResourceID)
	}
	return err
}

// Meta is a fact that the server keeps about itself; empty when it is not there.
func (v *View) Meta(name string) (string, error) {
	fact, _, err := sqldb.Value[string](v, v.SQL("SELECT value FROM meta WHERE name = ?", name))
	return fact, err
}

// SetMeta keeps a fact that the server knows about itself.
func (tx *Tx) SetMeta(name, fact string) error {
	return tx.Do("INSERT INTO meta (name, value) VALUES (?, ?) ON CONFLICT (name) DO UPDATE SET value = excluded.value", name, fact)
}

// TakeTurn waits for those who took the same turn, and holds it until the transaction
// ends: replicas that start together do one after the other what must be done once.
func (tx *Tx) TakeTurn(name string) error {
	if tx.Dialect().Hold == "" { // one transaction at a time writes
		return nil
	}
	return tx.DoBeside("INSERT INTO meta (name, value) VALUES (?, '') ON CONFLICT (name) DO UPDATE SET value = ''", "turn of "+name)
}

// Events is one page of what happened in an organization.
func (v *View) Events(o belay.Organization, want belay.AuditQuery) ([]belay.Event, int, error) {
	condition, args := eventsAsked(o, want)
	return events.Page(v, want.Page, eventOrder(want), condition, args...)
}

// EventsOn is the first of what happened in an organization, counting nothing: the last one of them, as Before, leads
// on where the newest come first.
func (v *View) EventsOn(o belay.Organization, want belay.AuditQuery) ([]belay.Event, error) {
	condition, args := eventsAsked(o, want)
	return events.Many(v, v.SQL(events.Selected).Add("WHERE ").Add(condition, args...).Add(" ORDER BY "+eventOrder(want)).First(want.Page.Size))
}

func eventOrder(want belay.AuditQuery) sqldb.Text {
	if want.NewestFirst {
		return "id DESC"
	}
	return "id"
}

// eventsAsked is the condition of what a reading of the audit trail asks for.
func eventsAsked(o belay.Organization, want belay.AuditQuery) (condition sqldb.Text, args []any) {
	condition, args = "organization_id = ?", []any{o.ID}
	if want.WorkspaceID != "" {
		// The index is of those alone that are about a workspace.
		condition, args = condition+" AND workspace_id = ? AND workspace_id <> ''", append(args, want.WorkspaceID)
	}
	if !want.Since.IsZero() {
		condition, args = condition+" AND id >= ?", append(args, belay.EventIDSince(want.Since))
	}
	if want.FromEvent != "" {
		condition, args = condition+" AND id >= ?", append(args, want.FromEvent)
	}
	if want.Before != "" {
		condition, args = condition+" AND id < ?", append(args, want.Before)
	}
	if want.Actor != "" {
		condition, args = condition+" AND actor_name = ?", append(args, want.Actor)
	}
	if want.About != "" {
		condition, args = condition+" AND (resource_id = ? OR workspace_id = ? OR request_id = ?)", append(args, want.About, want.About, want.About)
	}
	if len(want.Nouns) > 0 {
		condition += " AND (kind LIKE ? OR kind LIKE ? OR kind LIKE ? OR kind LIKE ? OR kind LIKE ? OR kind LIKE ?)"
		for i := range belay.MostNouns { // one text for all numbers of them
			args = append(args, want.Nouns[min(i, len(want.Nouns)-1)]+".%")
		}
	}
	return condition, args
}

// EventsFloor is the id of the event that a page of so many newest ones of an organization would end with; empty:
// there are fewer.
func (v *View) EventsFloor(o belay.Organization, most int) (string, error) {
	id, _, err := sqldb.Value[string](v, v.SQL("SELECT id FROM events WHERE organization_id = ? ORDER BY id DESC LIMIT 1 OFFSET ?", o.ID, most-1))
	return id, err
}

// Event is one of what happened in an organization.
func (v *View) Event(o belay.Organization, id string) (belay.Event, error) {
	return events.One(v, "id = ? AND organization_id = ?", id, o.ID)
}
