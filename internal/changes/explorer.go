package changes

import (
	"context"
	"errors"
	"time"

	"github.com/belayhq/belay"
	"github.com/belayhq/belay/backlog"
	"github.com/belayhq/belay/internal/explorer"
	"github.com/belayhq/belay/internal/gate"
	"github.com/belayhq/belay/internal/record"
	"github.com/belayhq/belay/internal/store"
)

// exploreLimit is how long a question may take.
const exploreLimit = 60 * time.Second

// exportPage is how many rows of an export one statement reads, and how many statements stand together. While other tenants are there they
// are small in the usual order, which goes on where it ended: PostgreSQL lets nobody go before it has all rows of one. Of what workspaces use
// there are few rows, and each may name every workspace.
func (r *Room) exportPage(ctx context.Context, want explorer.Query) (rows, statements int) {
	switch {
	case want.View.Wide():
		return 10, 1
	case len(want.Sort) == 0 && r.db.Tenants().Others(ctx):
		return 20, 5
	}
	return 1000, 1
}

// Explore is one page of the answer to a question about an organization.
func (r *Room) Explore(ctx context.Context, s belay.Principal, organization string, want explorer.Query, page belay.Page) (rows []explorer.Row, total int, err error) {
	err = r.exploring(ctx, s, organization, want.View, func(v *store.View, o belay.Organization) error {
		rows, total, err = v.Explore(o, want, page)
		return err
	})
	return rows, total, err
}

// ExploreGroups is how many workspaces of an answer have which value of a field, the most
// frequent first.
func (r *Room) ExploreGroups(ctx context.Context, s belay.Principal, organization string, want explorer.Query, by explorer.Field, most int) (groups []explorer.Group, err error) {
	err = r.exploring(ctx, s, organization, want.View, func(v *store.View, o belay.Organization) error {
		groups, err = v.ExploreGroups(o, want, by, most)
		return err
	})
	return groups, err
}

// ExploreCross is how many workspaces of an answer have which value of a field, and which of another.
func (r *Room) ExploreCross(ctx context.Context, s belay.Principal, organization string, want explorer.Query, by, other explorer.Field) (list []explorer.Cross, err error) {
	err = r.exploring(ctx, s, organization, want.View, func(v *store.View, o belay.Organization) error {
		list, err = v.ExploreCross(o, want, by, other)
		return err
	})
	return list, err
}

// exploring asks a question about an organization, for as long as one may take.
func (r *Room) exploring(ctx context.Context, s belay.Principal, organization string, about explorer.View, ask func(v *store.View, o belay.Organization) error) error {
	ctx, cancel := context.WithTimeout(ctx, exploreLimit)
	defer cancel()
	return tooSlow(ctx, r.db.View(ctx, func(v *store.View) error {
		o, _, err := gate.Organization(v, s, organization, toExplore(about))
		if err != nil {
			return err
		}
		return ask(v, o)
	}))
}

// toExplore is the right that a question takes: resources are read out of states, and shown to
// those who read them there.
func toExplore(about explorer.View) belay.Permission {
	if about == explorer.Resources {
		return belay.ReadExplorer.And(belay.ReadState)
	}
	return belay.ReadExplorer
}

func tooSlow(ctx context.Context, err error) error {
	if err != nil && errors.Is(ctx.Err(), context.DeadlineExceeded) {
		return belay.Refuse(belay.Invalid, "the query takes longer than %d seconds: ask with fewer filters", int(exploreLimit.Seconds()))
	}
	return err
}

// ExploreAll gives the whole answer to a question, a page at a time. Nothing is held
// between the pages, so that a slow reader costs neither memory nor a connection.
func (r *Room) ExploreAll(ctx context.Context, s belay.Principal, organization string, want explorer.Query, give func([]explorer.Row) error) error {
	var at store.Explored
	for !at.Done() {
		var rows []explorer.Row
		err := r.db.View(ctx, func(v *store.View) error {
			o, _, err := gate.Organization(v, s, organization, toExplore(want.View))
			size, statements := r.exportPage(ctx, want)
			for ; err == nil && statements > 0 && !at.Done(); statements-- {
				var more []explorer.Row
				more, err = v.ExploreOn(o, want, &at, size)
				rows = append(rows, more...)
			}
			return err
		})
		if err != nil {
			return err
		}
		if err := give(rows); err != nil {
			return err
		}
	}
	return nil
}

// SavedViews is the questions that an organization has kept.
func (r *Room) SavedViews(ctx context.Context, s belay.Principal, organization string, page belay.Page) (list []backlog.SavedView, total int, err error) {
	err = r.db.View(ctx, func(v *store.View) error {
		o, _, err := gate.Organization(v, s, organization, belay.ReadExplorer)
		if err != nil {
			return err
		}
		list, total, err = v.SavedViews(o, page)
		return err
	})
	return list, total, err
}

// SavedView is one kept question.
func (r *Room) SavedView(ctx context.Context, s belay.Principal, organization, id string) (view backlog.SavedView, err error) {
	err = r.db.View(ctx, func(v *store.View) error {
		view, err = r.savedView(v, s, organization, id)
		return err
	})
	return view, err
}

func (r *Room) savedView(v store.Reader, s belay.Principal, organization, id string) (backlog.SavedView, error) {
	o, _, err := gate.Organization(v.Peek(), s, organization, belay.ReadExplorer)
	if err != nil {
		return backlog.SavedView{}, err
	}
	return v.SavedView(o, id)
}

// CreateSavedView keeps a question under a name.
func (r *Room) CreateSavedView(ctx context.Context, s belay.Principal, organization string, p backlog.SavedViewPatch) (view backlog.SavedView, err error) {
	err = r.db.Update(ctx, func(tx *store.Tx) error {
		o, _, err := gate.Organization(tx.Peek(), s, organization, belay.ReadExplorer)
		if err != nil {
			return err
		}
		actor, _ := s.Actor()
		view = backlog.SavedView{ID: belay.NewID("sq"), OrganizationID: o.ID, CreatedBy: actor, CreatedAt: tx.Now, UpdatedAt: tx.Now}
		if err := view.Apply(p); err != nil {
			return err
		}
		if err := tx.AddSavedView(&view); err != nil {
			return err
		}
		return record.EmitOrganization(tx, s, "saved_view.created", o.ID, "explorer-saved-views", view.ID, view.Name)
	})
	return view, err
}

// UpdateSavedView changes a kept question.
func (r *Room) UpdateSavedView(ctx context.Context, s belay.Principal, organization, id string, p backlog.SavedViewPatch) (view backlog.SavedView, err error) {
	err = r.db.Update(ctx, func(tx *store.Tx) error {
		view, err = r.savedView(&tx.Locked, s, organization, id)
		if err != nil {
			return err
		}
		if err := view.Apply(p); err != nil {
			return err
		}
		view.UpdatedAt = tx.Now
		if err := tx.SaveSavedView(&view); err != nil {
			return err
		}
		return record.EmitOrganization(tx, s, "saved_view.updated", view.OrganizationID, "explorer-saved-views", view.ID, view.Name)
	})
	return view, err
}

// DeleteSavedView forgets a kept question, and returns what it was.
func (r *Room) DeleteSavedView(ctx context.Context, s belay.Principal, organization, id string) (view backlog.SavedView, err error) {
	err = r.db.Update(ctx, func(tx *store.Tx) error {
		view, err = r.savedView(&tx.Locked, s, organization, id)
		if err != nil {
			return err
		}
		if err := tx.DropSavedView(&view); err != nil {
			return err
		}
		return record.EmitOrganization(tx, s, "saved_view.deleted", view.OrganizationID, "explorer-saved-views", view.ID, view.Name)
	})
	return view, err
}
