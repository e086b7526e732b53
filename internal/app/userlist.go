package app

import (
	"context"

	"github.com/belayhq/belay"
	"github.com/belayhq/belay/internal/gate"
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
		byID[o.ID] = OrganizationView{o, belay.FullAccess().Everywhere}
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
