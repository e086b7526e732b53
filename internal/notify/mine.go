package notify

import (
	"context"

	"github.com/belayhq/belay"
	"github.com/belayhq/belay/internal/store"
	"github.com/belayhq/belay/notices"
)

// mostMine is how many configurations somebody is told that they are mailed by.
const mostMine = 200

// Mine is what mails the caller in all organizations, and what the caller has left out of it.
func (m *Room) Mine(ctx context.Context, s belay.Principal) (mine notices.Mine, err error) {
	if s.Kind != belay.UserPrincipal {
		return mine, belay.ErrNotFound
	}
	err = m.db.View(ctx, func(v *store.View) error {
		if mine.LeftOut, err = v.LeftOut(s.ID); err != nil {
			return err
		}
		if mine.By, err = v.MailedTo(s.ID, mostMine+1); err != nil || len(mine.By) == 0 {
			return err
		}
		if mine.More = len(mine.By) > mostMine; mine.More {
			mine.By = mine.By[:mostMine]
		}
		return seePlaces(v, s, mine.By)
	})
	return mine, err
}

// seePlaces says of each configuration whether the caller manages it, and whether it sees what that is of.
func seePlaces(v *store.View, s belay.Principal, list []notices.MailedNotification) error {
	accesses := map[string]belay.Access{}
	var ids []string
	for i := range list {
		if id := list[i].OrganizationID; i == 0 || id != list[i-1].OrganizationID { // they come by organization
			ids = append(ids, id)
		}
	}
	organizations, err := v.OrganizationsByID(ids)
	for i := 0; i < len(organizations) && err == nil; i++ {
		o := organizations[i]
		if accesses[o.ID], err = v.Access(s, o); belay.KindOf(err) == belay.Unauthenticated {
			err = nil // it takes no tokens of users: nothing is seen there
		}
	}
	for i := range list {
		n := &list[i]
		access := accesses[n.OrganizationID]
		switch {
		case n.TeamID != "":
			n.Manages, n.Sees = access.Everywhere.Has(belay.ManageOwners), access.Teams[n.TeamID]
		case n.ProjectID != "":
			can := access.OnProject(n.ProjectID)
			n.Manages, n.Sees = can.Has(belay.UpdateProject), can.Has(belay.ReadProject)
		default:
			can := access.OnWorkspace(n.WorkspaceID, n.InProject)
			n.Manages, n.Sees = can.Has(belay.UpdateWorkspace), can.Has(belay.ReadWorkspace)
		}
	}
	return err
}

// LeaveOut has the caller mailed of all but these triggers, as one of a team. What names the caller stays.
func (m *Room) LeaveOut(ctx context.Context, s belay.Principal, triggers []string) error {
	if s.Kind != belay.UserPrincipal {
		return belay.ErrNotFound
	}
	if err := notices.CheckLeftOut(triggers); err != nil {
		return err
	}
	return m.db.Update(ctx, func(tx *store.Tx) error { return tx.SetLeftOut(s.ID, triggers) })
}
