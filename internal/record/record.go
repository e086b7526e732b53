// Package record owns how what was done is told: the event beside a change, with who did it
// and what it was done to. Every room that changes something begins its events here, so that
// they read alike.
//
// It decides nothing, and what becomes of an event is not its matter.
package record

import (
	"encoding/json"

	"github.com/belayhq/belay"
	"github.com/belayhq/belay/internal/store"
)

// About begins an event by a principal.
func About(s belay.Principal, kind string) belay.Event {
	return belay.Event{Kind: kind, ActorType: s.Kind, ActorID: s.ID, ActorName: s.Name}
}

// Within is the event of what a principal did to something of a workspace, or to the workspace.
func Within(s belay.Principal, kind string, w *belay.Workspace, resourceType, resourceID string, facts map[string]any) belay.Event {
	e := About(s, kind)
	e.OrganizationID, e.WorkspaceID, e.ResourceType, e.ResourceID = w.OrganizationID, w.ID, resourceType, resourceID
	e.Payload = Payload(facts)
	return e
}

// InOrganization is the event of what a principal did to an organization, or to something in it.
func InOrganization(s belay.Principal, kind, organizationID, resourceType, resourceID, name string) belay.Event {
	e := About(s, kind)
	e.OrganizationID, e.ResourceType, e.ResourceID = organizationID, resourceType, resourceID
	e.Payload = Payload(map[string]any{"name": name})
	return e
}

// Changing is an event that says what it changed: each setting as it was, and as it is since.
func Changing(e belay.Event, changes []store.Difference) belay.Event {
	if len(changes) == 0 {
		return e
	}
	facts := map[string]any{}
	_ = json.Unmarshal([]byte(e.Payload), &facts) // made here
	changed := make(map[string]any, len(changes))
	for _, c := range changes {
		changed[c.Name] = map[string]json.RawMessage{"was": c.Was, "now": c.Now}
	}
	facts["changed"] = changed
	e.Payload = Payload(facts)
	return e
}

// OfWorkspaces is an event for each of the workspaces that a principal did something to.
func OfWorkspaces(s belay.Principal, kind string, list []belay.Workspace, tags ...string) []belay.Event {
	events := make([]belay.Event, len(list))
	for i := range list {
		w := &list[i]
		facts := map[string]any{"name": w.Name, "project": w.ProjectID}
		if tags != nil {
			facts["tags"] = tags
		}
		events[i] = Within(s, kind, w, "workspaces", w.ID, facts)
	}
	return events
}

// EmitWorkspace records what a principal did to a workspace.
func EmitWorkspace(tx *store.Tx, s belay.Principal, kind string, w *belay.Workspace) error {
	return EmitWorkspaces(tx, s, kind, []belay.Workspace{*w})
}

// EmitWithin records what a principal did to something of a workspace, or to the workspace.
func EmitWithin(tx *store.Tx, s belay.Principal, kind string, w *belay.Workspace, resourceType, resourceID string, facts map[string]any) error {
	return tx.Emit(Within(s, kind, w, resourceType, resourceID, facts))
}

// EmitWorkspaces records what a principal did to many workspaces.
func EmitWorkspaces(tx *store.Tx, s belay.Principal, kind string, list []belay.Workspace, tags ...string) error {
	return tx.EmitAll(OfWorkspaces(s, kind, list, tags...))
}

// EmitOrganization records what a principal did to an organization, or to something in it.
func EmitOrganization(tx *store.Tx, s belay.Principal, kind, organizationID, resourceType, resourceID, name string) error {
	return tx.Emit(InOrganization(s, kind, organizationID, resourceType, resourceID, name))
}

// Payload is the facts of an event as they are stored.
func Payload(facts map[string]any) string {
	raw, _ := json.Marshal(facts) // made of plain values only
	return string(raw)
}
