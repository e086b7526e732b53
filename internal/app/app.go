// Package app owns the verbs: one method for each thing a subject can do, and each
// method is one transaction. It decides who may do it. It knows no HTTP and no SQL, and
// never lets a row go before it has been asked who wants it.
package app

import (
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"sync/atomic"
	"time"

	"github.com/belayhq/belay"
	"github.com/belayhq/belay/internal/blob"
	"github.com/belayhq/belay/internal/seal"
	"github.com/belayhq/belay/internal/store"
)

// App is the house's verbs over one database.
type App struct {
	db      *store.DB
	log     *slog.Logger
	edition belay.Edition
	ring    *seal.Ring
	blobs   blob.Store
	now     func() time.Time
	engines atomic.Pointer[knownEngines]
	used    usedTokens
	tries   *tries
	probe   Probe

	turn chan struct{} // held by the one request that looks into a large state
}

// Config is what the verbs are built on.
type Config struct {
	DB      *store.DB
	Log     *slog.Logger
	Edition belay.Edition
	Ring    *seal.Ring       // seals secrets at rest; nil where no secret is touched
	Blobs   blob.Store       // where state files lie; nil where none is touched
	Probe   Probe            // sends verification messages; nil where none is sent
	Now     func() time.Time // the clock; time.Now when nil
}

// New makes the verbs.
func New(c Config) *App {
	a := &App{db: c.DB, log: c.Log, edition: c.Edition, ring: c.Ring, blobs: c.Blobs, probe: c.Probe, now: c.Now, tries: newTries()}
	a.turn = make(chan struct{}, 1)
	if a.log == nil {
		a.log = slog.New(slog.DiscardHandler)
	}
	if a.edition == "" {
		a.edition = belay.EditionAll
	}
	if a.now == nil {
		a.now = time.Now
	}
	return a
}

// Edition is the edition that the server runs as.
func (a *App) Edition() belay.Edition { return a.edition }

// Ready says whether the server can serve: its database and its blobs answer.
func (a *App) Ready(ctx context.Context) error {
	return errors.Join(a.db.Ping(ctx), a.blobs.Ping(ctx))
}

// WithRequest notes which request what is done under the context belongs to.
func WithRequest(ctx context.Context, id string) context.Context { return store.WithRequest(ctx, id) }

// organization hands out an organization to those who have the permission, and what
// they may do in it. Anybody else does not learn that it is there.
func (a *App) organization(v *store.View, s belay.Subject, name string, need belay.Permission) (belay.Organization, belay.Access, error) {
	o, err := v.Organization(name)
	if err != nil {
		return o, belay.Access{}, err
	}
	access, err := v.Access(s, o)
	if need != belay.ReadAuditTrail { // whose token sees nothing else
		need |= belay.Traverse
	}
	if err == nil && !access.Everywhere.Has(need) {
		err = belay.ErrNotFound
	}
	return o, access, err
}

// project hands out a project to those who have the permission.
func (a *App) project(v *store.View, s belay.Subject, id string, need belay.Permission) (belay.Project, belay.Access, error) {
	p, err := v.Project(id)
	if err != nil {
		return p, belay.Access{}, err
	}
	access, err := v.Access(s, p.Organization)
	if err == nil && !access.OnProject(p.ID).Has(need|belay.ReadProject) {
		err = belay.ErrNotFound
	}
	return p, access, err
}

// workspace hands out a workspace to those who have the permission. No verb reaches a
// workspace by another way.
func (a *App) workspace(v *store.View, s belay.Subject, ref belay.WorkspaceRef, need belay.Permission) (belay.Workspace, belay.Access, error) {
	w, err := v.Workspace(ref)
	if err != nil {
		return w, belay.Access{}, err
	}
	access, err := v.Access(s, w.Organization)
	if err == nil && !access.OnWorkspace(w.ID, w.ProjectID).Has(need|belay.ReadWorkspace) {
		err = belay.ErrNotFound
	}
	w.Lock.Holder.Hidden = !access.OnHolder(w.Lock.Holder)
	return w, access, err
}

// about begins an event by a subject.
func about(s belay.Subject, kind string) belay.Event {
	return belay.Event{Kind: kind, ActorType: s.Kind, ActorID: s.ID, ActorName: s.Name}
}

// emitWorkspace records what a subject did to a workspace.
func emitWorkspace(tx *store.Tx, s belay.Subject, kind string, w *belay.Workspace) error {
	return emitWithin(tx, s, kind, w, "workspaces", w.ID, map[string]any{"name": w.Name, "project": w.ProjectID})
}

// emitWithin records what a subject did to something of a workspace, or to the workspace.
func emitWithin(tx *store.Tx, s belay.Subject, kind string, w *belay.Workspace, resourceType, resourceID string, facts map[string]any) error {
	e := about(s, kind)
	e.OrganizationID, e.WorkspaceID, e.ResourceType, e.ResourceID = w.OrganizationID, w.ID, resourceType, resourceID
	e.Payload = payload(facts)
	return tx.Emit(e)
}

// emitOrganization records what a subject did to an organization, or to something in it.
func emitOrganization(tx *store.Tx, s belay.Subject, kind, organizationID, resourceType, resourceID, name string) error {
	e := about(s, kind)
	e.OrganizationID, e.ResourceType, e.ResourceID = organizationID, resourceType, resourceID
	e.Payload = payload(map[string]any{"name": name})
	return tx.Emit(e)
}

func payload(facts map[string]any) string {
	raw, _ := json.Marshal(facts) // made of plain values only
	return string(raw)
}
