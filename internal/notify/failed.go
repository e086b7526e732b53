package notify

import (
	"context"
	"time"

	"github.com/belayhq/belay"
	"github.com/belayhq/belay/internal/gate"
	"github.com/belayhq/belay/internal/store"
	"github.com/belayhq/belay/notices"
)

// teamsLooked is how many teams are looked through for those that somebody manages who does not manage all.
const teamsLooked = 500

// managed is which destinations of an organization the caller manages.
func managed(v *store.View, o belay.Organization, access belay.Access) (of store.Managed, err error) {
	of = store.Managed{Workspaces: access.Scope(belay.UpdateWorkspace), Projects: access.Scope(belay.UpdateProject), EveryTeam: access.Everywhere.Has(belay.ManageOwners)}
	if of.EveryTeam || !access.Everywhere.Has(belay.ManageTeams) {
		return of, nil
	}
	list, _, err := v.Teams(o, belay.TeamQuery{Secret: access.Everywhere.Has(belay.AccessSecretTeams), MemberOf: access.TeamIDs(), Page: belay.Page{Number: 1, Size: teamsLooked}})
	if err != nil || len(list) == 0 {
		return of, err
	}
	err = v.FillGrants(list)
	for i := range list {
		if gate.MayManageTeam(access, list[i]) {
			of.Teams = append(of.Teams, list[i].ID)
		}
	}
	return of, err
}

// ofManaged does something with the destinations of an organization that the caller manages, where there may be any.
func (m *Room) ofManaged(ctx context.Context, s belay.Principal, organization string, do func(v *store.View, organizationID string, of store.Managed) error) error {
	if s.Organizational() {
		return nil
	}
	return m.db.View(ctx, func(v *store.View) error {
		o, access, err := gate.Organization(v, s, organization, belay.Traverse)
		if err != nil {
			return err
		}
		of, err := managed(v, o, access)
		if err != nil || of.None() {
			return err
		}
		return do(v, o.ID, of)
	})
}

// FailedNotifications is the destinations of an organization that the caller manages and whose deliveries were given
// up since a moment, the latest first.
func (m *Room) FailedNotifications(ctx context.Context, s belay.Principal, organization string, since time.Time, most int) (list []store.FailedNotification, err error) {
	err = m.ofManaged(ctx, s, organization, func(v *store.View, organizationID string, of store.Managed) (err error) {
		list, err = v.FailedNotifications(organizationID, of, since, most)
		return err
	})
	return list, err
}

// ManagedNotifications is one page of the destinations of an organization that the caller manages, by name.
func (m *Room) ManagedNotifications(ctx context.Context, s belay.Principal, organization string, page belay.Page) (list []notices.ManagedNotification, total int, err error) {
	err = m.ofManaged(ctx, s, organization, func(v *store.View, organizationID string, of store.Managed) (err error) {
		list, total, err = v.ManagedNotifications(organizationID, of, page)
		return err
	})
	return list, total, err
}

// WorkspacesTold is what those of some workspaces of an organization are called that the caller reads, by id.
func (m *Room) WorkspacesTold(ctx context.Context, s belay.Principal, organization string, ids []string) (names map[string]string, err error) {
	names = map[string]string{}
	if len(ids) == 0 {
		return names, nil
	}
	err = m.db.View(ctx, func(v *store.View) error {
		o, access, err := gate.Organization(v, s, organization, belay.Traverse)
		if err != nil {
			return err
		}
		found, err := v.WorkspacesByID(ids)
		for i := range found {
			if w := &found[i]; w.OrganizationID == o.ID && access.OnWorkspace(w.ID, w.ProjectID).Has(belay.ReadWorkspace) {
				names[w.ID] = w.Name
			}
		}
		return err
	})
	return names, err
}
