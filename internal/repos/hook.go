package repos

import (
	"cmp"
	"context"
	"encoding/json"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/belayhq/belay"
	"github.com/belayhq/belay/forge"
	"github.com/belayhq/belay/internal/gate"
	"github.com/belayhq/belay/internal/record"
	"github.com/belayhq/belay/internal/store"
	"github.com/belayhq/belay/internal/vcs"
)

// Receive takes what a service tells: it is proved first, then read, and written down once.
// What follows is done later.
func (r *Room) Receive(ctx context.Context, hookID string, header http.Header, body []byte) error {
	s, secrets, err := r.listening(ctx, hookID)
	if err != nil {
		return err
	}
	if s.installation != nil { // GitHub tells the App
		return belay.ErrNotFound
	}
	if !vcs.Verify(s.client.ServiceProvider, header, body, secrets) {
		return belay.ErrUnauthenticated
	}
	events, delivery, err := vcs.Read(s.client.ServiceProvider, header, body)
	if err != nil {
		return belay.Refuse(belay.BadRequest, "%v", err)
	}
	var list []forge.HookDelivery
	strange := ""
	for i := range events {
		e := &events[i]
		switch {
		case !means(e):
			continue
		case forge.FoldIdentifier(e.Repository) != s.hook.Folded:
			strange = e.Repository
			continue
		}
		d, err := r.news(&s.hook, e, delivery+suffix(i))
		if err != nil {
			return err
		}
		list = append(list, d)
	}
	if strange != "" {
		r.tell(ctx, s, forge.VCSError, "a hook of another repository, "+strconv.Quote(strange)+", came to the address of this one")
	}
	return r.write(ctx, list)
}

// means says whether an event may bring anything about.
func means(e *vcs.Event) bool { return e.Kind != vcs.Nothing && e.Kind != vcs.Ping && !e.Deleted }

// write writes down what is new of some deliveries.
func (r *Room) write(ctx context.Context, list []forge.HookDelivery) error {
	if len(list) == 0 {
		return nil
	}
	return r.DB.Update(ctx, func(tx *store.Tx) error {
		for i := range list {
			_, err := tx.Peek().Hook(list[i].HookID)
			if gone(err) {
				continue // it went meanwhile
			}
			if err == nil {
				_, err = tx.Receive(&list[i])
			}
			if err != nil {
				return err
			}
		}
		return nil
	})
}

func (r *Room) news(h *forge.Hook, e *vcs.Event, delivery string) (forge.HookDelivery, error) {
	raw, err := json.Marshal(e)
	d := forge.NewHookDelivery(h, delivery, forge.HookNews{Event: raw}, r.Now())
	d.About = inWords(e)
	return d, err
}

// listening is a hook with the secrets that are good now.
func (r *Room) listening(ctx context.Context, hookID string) (*service, [][]byte, error) {
	s, err := r.known(ctx, hookID)
	if err != nil {
		return nil, nil, err
	}
	var secrets [][]byte
	for _, sealed := range []string{s.hook.SealedSecret, s.hook.SealedBefore} {
		if sealed == "" || sealed == s.hook.SealedBefore && !s.hook.BeforeUntil.After(r.Now()) {
			continue
		}
		plain, err := r.Ring.Unseal(sealed, s.hook.ID)
		if err != nil {
			return nil, nil, err
		}
		secrets = append(secrets, plain)
	}
	return s, secrets, nil
}

// Rotated is a hook with its new secret, which is told once.
type Rotated struct {
	ID     string
	Path   string // of its address
	Secret string
}

var errHookUsed = belay.Refuse(belay.Invalid, "Only those who may queue and apply runs in all workspaces of the repository can have its secret")

// RotateSecret gives the hook of a workspace's repository another secret, for those who
// administer the workspace and manage the connections of its organization. Whoever knows the
// secret names the commit that is run, so it takes the rights to run anything in all workspaces
// of the repository: they share the hook.
func (r *Room) RotateSecret(ctx context.Context, s belay.Principal, ref belay.WorkspaceRef) (rotated Rotated, err error) {
	secret := belay.RandomText(40)
	err = r.DB.Update(ctx, func(tx *store.Tx) error {
		w, access, err := gate.Workspace(&tx.Locked, s, ref, belay.UpdateWorkspace.And(belay.Steering))
		if err != nil {
			return err
		}
		if err := gate.In(tx.Peek(), s, w.Organization, belay.ManageVCS); err != nil {
			return err
		}
		if w.VCSRepo == nil || w.HookID == "" {
			return belay.Refuse(belay.Invalid, "the workspace has no repository")
		}
		if w.VCSRepo.AppInstallationID != "" {
			return belay.Refuse(belay.Invalid, "the repository is reached by a GitHub App, whose secret is the server's")
		}
		h, err := tx.Hook(w.HookID)
		if err != nil {
			return err
		}
		if used, err := tx.HookUsedBeyond(h.ID, access.Scope(belay.Steering)); err != nil || used {
			return cmp.Or(err, error(errHookUsed))
		}
		h.Rotate(r.Ring.Seal([]byte(secret), h.ID), tx.Now)
		rotated = Rotated{ID: h.ID, Path: "/webhooks/vcs/" + w.VCSRepo.WebhookID, Secret: secret}
		if err := tx.SaveHook(&h); err != nil {
			return err
		}
		return record.EmitWithin(tx, s, "workspace.webhook_secret_rotated", &w, "workspaces", w.ID, map[string]any{"workspace": w.Name})
	})
	return rotated, err
}

// Events is what was told to those who look after the connections of an organization.
func (r *Room) Events(ctx context.Context, s belay.Principal, organization string, want forge.VCSEventQuery) (list []forge.VCSEvent, total int, err error) {
	err = r.DB.View(ctx, func(v *store.View) error {
		o, _, err := gate.Organization(v, s, organization, belay.ManageVCS)
		if err != nil {
			return err
		}
		list, total, err = v.VCSEvents(o.ID, want)
		return err
	})
	return list, total, err
}

// workHooks does what is due with hooks at their services.
func (r *Room) workHooks(ctx context.Context) (int, error) {
	return r.claimHooks(ctx, "hook", false, hooksAtOnce, claimFor, r.workHook)
}

// claimHooks takes hooks with which something is to be done.
func (r *Room) claimHooks(ctx context.Context, kind string, polled bool, most int, again time.Duration, do func(context.Context, *forge.Hook) error) (int, error) {
	free := r.free(kind, most)
	if free <= 0 {
		return 0, nil
	}
	var list []forge.Hook
	err := r.DB.View(ctx, func(v *store.View) error {
		some, err := v.HooksDue(polled, r.Now())
		if err != nil || !some {
			free = 0
		}
		return err
	})
	if err != nil || free == 0 {
		return 0, err
	}
	err = r.DB.Update(ctx, func(tx *store.Tx) (err error) {
		list, err = tx.ClaimHooks(polled, tx.Now.Add(again), free)
		return err
	})
	for i := range list {
		h := &list[i]
		r.begin(ctx, kind, func(ctx context.Context) error { return do(ctx, h) })
	}
	return len(list), err
}

// workHook makes a hook at its service, or removes it there.
func (r *Room) workHook(ctx context.Context, h *forge.Hook) error {
	s, err := r.service(ctx, h.ID)
	if err != nil {
		return ignoreGone(err)
	}
	var connected bool
	err = r.DB.View(ctx, func(v *store.View) (err error) {
		connected, err = v.ConnectedTo(h.ID)
		return err
	})
	switch {
	case err != nil:
		return err
	case !connected:
		return r.removeHook(ctx, s)
	case s.hook.State == forge.HookWanted:
		return r.addHook(ctx, s)
	default:
		return r.saveHook(ctx, s, func(h *forge.Hook, _ bool) { h.Connect(r.Now()) })
	}
}

func ignoreGone(err error) error {
	if gone(err) {
		return nil
	}
	return err
}

// addHook makes the hook at the service: anew, where its secret is another.
func (r *Room) addHook(ctx context.Context, s *service) error {
	if s.installation != nil { // the App has one for all
		return r.saveHook(ctx, s, func(h *forge.Hook, _ bool) { h.State = forge.HookMade })
	}
	if r.PublicURL == "" {
		r.tell(ctx, s, forge.VCSInfo, "the service is not asked for a hook: the server was started without --public-url. Make one by hand, with the secret that rotate-webhook-secret tells")
		return r.saveHook(ctx, s, func(h *forge.Hook, _ bool) { h.State = forge.HookMade })
	}
	secret, err := r.Ring.Unseal(s.hook.SealedSecret, s.hook.ID)
	if err != nil {
		return err
	}
	var id string
	if err = r.clearHook(ctx, s); err == nil {
		id, err = s.ask.AddHook(ctx, s.hook.Identifier, r.hookURL(s), string(secret))
	}
	if err != nil {
		return r.hookFailed(ctx, s, "the hook could not be made: "+plain(err))
	}
	return r.saveHook(ctx, s, func(h *forge.Hook, _ bool) {
		if h.RemoteID = id; h.SealedSecret == s.hook.SealedSecret {
			h.State = forge.HookMade
		}
	})
}

// hookURL is where the service sends what happens.
func (r *Room) hookURL(s *service) string { return r.PublicURL + "/webhooks/vcs/" + s.hook.ID }

// clearHook takes away what the service has of a hook: that which is written down, and those with its
// address that were made by somebody who died, or heard no answer, before that.
func (r *Room) clearHook(ctx context.Context, s *service) error {
	if s.installation != nil {
		return nil
	}
	var ids []string
	if r.PublicURL != "" {
		var err error
		if ids, err = s.ask.Hooks(ctx, s.hook.Identifier, r.hookURL(s)); err != nil {
			return err
		}
	}
	if s.hook.RemoteID != "" && !slices.Contains(ids, s.hook.RemoteID) { // made under another --public-url
		ids = append(ids, s.hook.RemoteID)
	}
	for _, id := range ids {
		if err := s.ask.RemoveHook(ctx, s.hook.Identifier, id); err != nil {
			return err
		}
	}
	return nil
}

// removeHook removes the hook at the service, and forgets it if it is still not wanted.
func (r *Room) removeHook(ctx context.Context, s *service) error {
	if err := r.clearHook(ctx, s); err != nil && s.hook.Tries < maxTries {
		return r.hookFailed(ctx, s, "the hook could not be removed: "+plain(err))
	}
	return r.saveHook(ctx, s, func(h *forge.Hook, connected bool) {
		h.RemoteID, h.State = "", forge.HookLeft
		if connected { // meanwhile
			h.Connect(r.Now())
		}
	})
}

// hookFailed tells what went wrong, and tries again later; not for ever.
func (r *Room) hookFailed(ctx context.Context, s *service, message string) error {
	r.tell(ctx, s, forge.VCSError, message)
	return r.saveHook(ctx, s, func(h *forge.Hook, _ bool) {
		if h.Tries++; h.Tries <= maxTries {
			h.WorkAt = r.after(h.Tries, r.Now())
		}
	})
}

// saveHook changes a hook as it is now. What was due is done, unless the change says otherwise.
func (r *Room) saveHook(ctx context.Context, s *service, change func(h *forge.Hook, connected bool)) error {
	return r.DB.Update(ctx, func(tx *store.Tx) error {
		h, err := tx.Hook(s.hook.ID)
		if err != nil {
			return ignoreGone(err)
		}
		connected, err := tx.ConnectedTo(h.ID)
		if err != nil {
			return err
		}
		// Rotated, or left by a workspace meanwhile: that is still due.
		moved := h.SealedSecret != s.hook.SealedSecret || !h.WorkAt.Equal(s.hook.WorkAt)
		if !moved {
			h.WorkAt = time.Time{}
		}
		change(&h, connected)
		if h.State == forge.HookLeft && !connected && h.RemoteID == "" {
			return tx.DropHook(h.ID)
		}
		return tx.SaveHook(&h)
	})
}

// trimmed is the first line of a message.
func trimmed(message string) string {
	first, _, _ := strings.Cut(strings.TrimSpace(message), "\n")
	return strings.TrimSpace(first)
}
