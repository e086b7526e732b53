package app

import (
	"context"

	"github.com/belayhq/belay"
	"github.com/belayhq/belay/internal/gate"
	"github.com/belayhq/belay/internal/identity"
	"github.com/belayhq/belay/internal/store"
)

// UserView is a user with the organizations it is in.
type UserView struct {
	belay.User
	belay.Presence
	Organizations []OrganizationView
}

// Users is every user that a query finds, to site admins.
func (a *App) Users(ctx context.Context, s belay.Principal, want belay.UserQuery) (list []UserView, total int, err error) {
	if err := gate.SiteAdmin(s); err != nil {
		return nil, 0, err
	}
	err = a.db.View(ctx, func(v *store.View) error {
		found, n, err := v.Users(want)
		if err != nil {
			return err
		}
		total = n
		list, err = userViews(v, found)
		return err
	})
	return list, total, err
}

// userViews gathers the organizations of users, in one statement, as a site admin sees them.
func userViews(v *store.View, found []belay.User) ([]UserView, error) {
	ids := make([]string, len(found))
	for i, u := range found {
		ids[i] = u.ID
	}
	presences, err := v.Presences(ids, v.Moment())
	if err != nil {
		return nil, err
	}
	organizations, of, err := v.OrganizationsOfUsers(ids)
	byID := make(map[string]OrganizationView, len(organizations))
	for _, o := range organizations {
		byID[o.ID] = organizationView(o, belay.FullAccess())
	}
	list := make([]UserView, len(found))
	for i, u := range found {
		list[i].User, list[i].Presence = u, presences[u.ID]
		for _, id := range of[u.ID] {
			list[i].Organizations = append(list[i].Organizations, byID[id])
		}
	}
	return list, err
}

// UsersSeen is users by id, for documents that lead to them and were read for the principal.
func (a *App) UsersSeen(ctx context.Context, s belay.Principal, ids []string) (list []belay.User, err error) {
	if len(ids) == 0 || !s.KnowsPeople() {
		return nil, nil
	}
	err = a.db.View(ctx, func(v *store.View) error {
		list, err = v.UsersByID(ids)
		return err
	})
	return list, err
}

// User is one user: itself and site admins see all of it, others only that it is there
// and what it is called, and only when they share an organization with it.
func (a *App) User(ctx context.Context, s belay.Principal, id string) (u belay.User, whole bool, err error) {
	whole = identity.OwnsUser(s, id) == nil
	err = a.db.View(ctx, func(v *store.View) error {
		seen := whole
		if !seen && s.Kind == belay.UserPrincipal {
			seen, err = v.ShareOrganization(s.ID, id)
		} else if !seen {
			if seen, err = traverses(v, s); err == nil && seen {
				seen, err = v.InOrganization(s.OrganizationID, id)
			}
		}
		if err != nil {
			return err
		}
		if !seen {
			return belay.ErrNotFound
		}
		u, err = v.User(id)
		return err
	})
	return u, whole, err
}
