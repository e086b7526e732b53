package store_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/belayhq/belay"
	"github.com/belayhq/belay/internal/store"
	"github.com/belayhq/belay/internal/storetest"
	"github.com/belayhq/belay/signin"
)

// TestASittingReadsOnce: what was read serves the views of one sitting, ends with a transaction of it, and is
// nothing to another one.
func TestASittingReadsOnce(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		o := belay.Organization{ID: "org-a", Name: "acme", Email: "a@example.com", CreatedAt: time.Now()}
		p := belay.Project{ID: "prj-a", OrganizationID: o.ID, Name: "p", CreatedAt: time.Now()}
		w := belay.NewWorkspace(o, p, time.Now())
		w.ID, w.Name = "ws-a", "network"
		must(t, db.Update(t.Context(), func(tx *store.Tx) error {
			return errors.Join(tx.AddOrganization(&o), tx.AddProject(&p), tx.AddWorkspace(&w))
		}))
		said := 0
		db.OnStatement(func(string, []any) { said++ })
		asks := func(ctx context.Context) (statements int, description string) {
			said = 0
			must(t, db.View(ctx, func(v *store.View) error {
				byName, err := v.Workspace(belay.WorkspaceRef{Organization: "acme", Name: "network"})
				byID, err2 := v.Workspace(belay.WorkspaceRef{ID: w.ID})
				many, err3 := v.WorkspacesByID([]string{w.ID})
				_, err4 := v.Organization("acme")
				_, err5 := v.Project(p.ID)
				if err := errors.Join(err, err2, err3, err4, err5); err != nil {
					return err
				}
				if description = byName.Description; byID.Description != description || many[0].Description != description {
					t.Errorf("one sitting sees %q, %q and %q", description, byID.Description, many[0].Description)
				}
				return nil
			}))
			return said, description
		}
		describe := func(ctx context.Context, text string) {
			must(t, db.Update(ctx, func(tx *store.Tx) error {
				now, err := tx.Workspace(belay.WorkspaceRef{ID: w.ID})
				before := now
				now.Description = text
				return errors.Join(err, tx.SaveWorkspace(&now, &before))
			}))
		}
		refused := func(ctx context.Context, kind belay.Kind) {
			if err := db.Update(ctx, func(*store.Tx) error { return belay.Refuse(kind, "no") }); belay.KindOf(err) != kind {
				t.Fatal(err)
			}
		}
		sitting := store.Sitting(t.Context(), called{})
		for _, step := range []struct {
			ctx         context.Context
			change      func()
			statements  int
			description string
		}{
			{t.Context(), nil, 5, ""},
			{sitting, nil, 3, ""},
			{sitting, func() { describe(t.Context(), "of somebody else") }, 0, ""},
			{store.Sitting(t.Context(), called{}), nil, 3, "of somebody else"},
			{sitting, func() { describe(sitting, "its own") }, 3, "its own"},
			{sitting, func() { describe(t.Context(), "of somebody else again"); refused(sitting, belay.Invalid) }, 0, "its own"}, // it lay with what was sent
			{sitting, func() { refused(sitting, belay.Conflict) }, 3, "of somebody else again"},
		} {
			if step.change != nil {
				step.change()
			}
			if n, text := asks(step.ctx); n != step.statements || text != step.description {
				t.Errorf("%d statements and %q, not %d and %q", n, text, step.statements, step.description)
			}
		}
	})
}

// TestAVisitorComesToAnOrganization: who comes to a page is read together with its organization, which the sitting knows then;
// wherever they come to that is not there, and without a sitting, they are read alone.
func TestAVisitorComesToAnOrganization(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		o := belay.Organization{ID: "org-a", Name: "acme", Email: "a@example.com", CreatedAt: time.Now()}
		nora := belay.User{ID: "user-n", Username: "nora", Email: "n@example.com", CreatedAt: time.Now()}
		session := signin.Session{ID: "session-n", Hash: "h", UserID: nora.ID, CreatedAt: time.Now(), ExpiredAt: time.Now().Add(time.Hour)}
		must(t, db.Update(t.Context(), func(tx *store.Tx) error {
			return errors.Join(tx.AddUser(&nora), tx.AddOrganization(&o), tx.AddSession(&session))
		}))
		said := 0
		db.OnStatement(func(string, []any) { said++ })
		for _, step := range []struct {
			sits               bool
			organization, hash string
			visitor            string
			both               int // statements for who comes and for the organization
		}{
			{true, "acme", "h", "nora", 1},
			{true, o.ID, "h", "nora", 1},
			{true, "nowhere", "h", "nora", 3},
			{true, "", "h", "nora", 2},
			{true, "acme", "of nobody", "", 3},
			{false, "acme", "h", "nora", 2},
		} {
			ctx := t.Context()
			if step.sits {
				ctx = store.Sitting(ctx, called{})
			}
			said = 0
			must(t, db.View(ctx, func(v *store.View) error {
				s, u, err := v.VisitorTo(step.organization, step.hash)
				if step.visitor == "" && belay.KindOf(err) != belay.NotFound || step.visitor != "" && (err != nil || u.Username != step.visitor || s.ID != session.ID) {
					t.Errorf("%v: %v, %v, %v", step, s.ID, u.Username, err)
				}
				found, err := v.Organization("acme")
				if found.ID != o.ID || found.Email != o.Email || said != step.both {
					t.Errorf("%v: %v by %d statements", step, found.ID, said)
				}
				return err
			}))
		}
	})
}

// called is what users were called lately.
type called map[string]string

func (c called) Known(ids []string) (known map[string]string, left []string) {
	known = map[string]string{}
	for _, id := range ids {
		if name, there := c[id]; there {
			known[id] = name
		} else {
			left = append(left, id)
		}
	}
	return known, left
}

func (c called) Keep(asked []string, called map[string]string) {
	for _, id := range asked {
		c[id] = called[id]
	}
}

// TestASittingCallsHoldersAsItKnowsThem: a page asks what those are called who hold locks only where it does not know, and
// everybody else always does.
func TestASittingCallsHoldersAsItKnowsThem(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		o := belay.Organization{ID: "org-a", Name: "acme", Email: "a@example.com", CreatedAt: time.Now()}
		p := belay.Project{ID: "prj-a", OrganizationID: o.ID, Name: "p", CreatedAt: time.Now()}
		nora := belay.User{ID: "user-n", Username: "nora", Email: "n@example.com", CreatedAt: time.Now()}
		w := belay.NewWorkspace(o, p, time.Now())
		w.ID, w.Name = "ws-a", "network"
		must(t, db.Update(t.Context(), func(tx *store.Tx) error {
			if err := errors.Join(tx.AddUser(&nora), tx.AddOrganization(&o), tx.AddProject(&p), tx.AddWorkspace(&w)); err != nil {
				return err
			}
			w.Lock = belay.Lock{Holder: belay.Holder{Type: "users", ID: nora.ID}, At: tx.Now}
			return tx.SaveLock(&w)
		}))
		said := 0
		db.OnStatement(func(string, []any) { said++ })
		known := called{}
		for _, step := range []struct {
			ctx        context.Context
			statements int
			name       string
		}{
			{t.Context(), 2, "nora"},
			{store.Sitting(t.Context(), known), 2, "nora"},
			{store.Sitting(t.Context(), known), 1, "nora"},
			{store.Sitting(t.Context(), called{nora.ID: "as before"}), 1, "as before"},
			{t.Context(), 2, "nora"},
		} {
			said = 0
			must(t, db.View(step.ctx, func(v *store.View) error {
				found, err := v.Workspace(belay.WorkspaceRef{ID: w.ID})
				if name := found.Lock.Holder.Name; name != step.name || said != step.statements {
					t.Errorf("%q holds the lock by %d statements, not %q by %d", name, said, step.name, step.statements)
				}
				return err
			}))
		}
	})
}
