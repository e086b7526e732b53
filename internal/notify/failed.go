package notify

import (
	"context"

	"github.com/belayhq/belay"
	"github.com/belayhq/belay/internal/gate"
	"github.com/belayhq/belay/internal/store"
	"github.com/belayhq/belay/notices"
)

// teamsLooked is how many teams are looked through for those that somebody manages who does not manage all.
const teamsLooked = 500

// managed is which destinations of an organization the caller manages.
func managed(v *store.View, s belay.Principal, o belay.Organization, access belay.Access) (of store.Managed, err error) {
	if s.Organizational() {
		return of, nil
	}
	of = store.Managed{Workspaces: access.Scope(belay.UpdateWorkspace), Projects: access.Scope(belay.UpdateProject), EveryTeam: access.Everywhere.Has(belay.ManageOwners)}
	if of.EveryTeam || !access.Everywhere.Has(belay.ManageTeams) {
		return of, nil
	}
	list, _, err := v.Teams(o, belay.TeamQuery{Secret: access.Everywhere.Has(belay.AccessSecretTeams), MemberOf: access.TeamIDs(), Page: belay.Page{Number: 1, Size: teamsLooked}})
	if err != nil || len(list) == 0 {
		return of, err
	}
	err = v.FillGrants(list, gate.Weighed(access))
	for i := range list {
		if gate.MayManageTeam(access, list[i]) {
			of.Teams = append(of.Teams, list[i].ID)
		}
	}
	return of, err
}

// ofManaged does something with the destinations of an organization that the caller manages, where there may be any.
func (m *Room) ofManaged(ctx context.Context, s belay.Principal, organization string, do func(v *store.View, o belay.Organization, access belay.Access, of store.Managed) error) error {
	if s.Organizational() {
		return nil
	}
	return m.db.View(ctx, func(v *store.View) error {
		o, access, err := gate.Organization(v, s, organization, belay.Traverse)
		if err != nil {
			return err
		}
		of, err := managed(v, s, o, access)
		if err != nil || of.None() {
			return err
		}
		return do(v, o, access, of)
	})
}

// Board is the destinations of an organization that the caller manages, and what was sent to one of them.
func (m *Room) Board(ctx context.Context, s belay.Principal, organization string, want notices.BoardQuery) (b notices.Board, err error) {
	b.Failed = map[string]int{}
	err = m.ofManaged(ctx, s, organization, func(v *store.View, o belay.Organization, access belay.Access, of store.Managed) error {
		if b.List, b.Total, err = v.ManagedNotifications(o.ID, of, want.Page); err != nil {
			return err
		}
		failed, err := v.FailedNotifications(o.ID, of, want.Since, want.Most)
		if err != nil {
			return err
		}
		for _, f := range failed {
			b.Failed[f.ID] = f.Count
		}
		if err := m.choose(v, s, o.ID, &b, want.ID); err != nil || b.Chosen == nil {
			return err
		}
		return fillSent(v, o, access, &b, want.Sent)
	})
	if err == nil && want.ID != "" && b.Chosen == nil {
		err = belay.ErrNotFound
	}
	return b, err
}

// choose finds the destination that was asked for, or the one with most trouble.
func (m *Room) choose(v *store.View, s belay.Principal, organizationID string, b *notices.Board, id string) error {
	for i := range b.List {
		switch n := &b.List[i]; {
		case id == n.ID, id == "" && (b.Chosen == nil || b.Failed[n.ID] > b.Failed[b.Chosen.ID]):
			b.Chosen = n
		}
	}
	if b.Chosen != nil || id == "" {
		return nil
	}
	n, err := m.notification(v, s, id) // of another page of the list
	if err == nil && n.OrganizationID != organizationID {
		err = belay.ErrNotFound
	}
	if err != nil {
		return err
	}
	b.Chosen = &notices.ManagedNotification{Notification: n}
	b.Chosen.Of, err = v.SubscribableName(&n)
	return err
}

// fillSent reads what was sent to the chosen destination.
func fillSent(v *store.View, o belay.Organization, access belay.Access, b *notices.Board, want notices.DeliveryQuery) (err error) {
	if b.DeliveryCounts, err = v.DeliveryCounts(b.Chosen.ID); err != nil || b.Of(want) == 0 {
		return err
	}
	if b.Sent, err = v.DeliveriesOn(b.Chosen.ID, want); err != nil {
		return err
	}
	var told []string
	for i := range b.Sent {
		told = append(told, b.Sent[i].WorkspaceID)
	}
	b.Names, err = gate.WorkspaceNames(v, o, access, told)
	return err
}
