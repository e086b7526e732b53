package identity

import (
	"slices"

	"github.com/belayhq/belay"
	"github.com/belayhq/belay/internal/record"
	"github.com/belayhq/belay/internal/store"
)

// PlaceByGroups puts a user into the teams that its groups name, and takes it out of those
// that only groups had put it into. What was given by hand stays.
func (m *Room) PlaceByGroups(tx *store.Tx, u *belay.User, groups []string) error {
	if err := tx.SeizeMembershipsOf(u.ID); err != nil {
		return err
	}
	wanted, err := tx.Peek().TeamsOfGroups(groups)
	if err != nil {
		return err
	}
	given, err := tx.Peek().GroupPlaces(u.ID)
	if err != nil {
		return err
	}
	for i := range wanted {
		if at := slices.Index(given, wanted[i].ID); at >= 0 {
			given = slices.Delete(given, at, at+1)
			continue
		}
		if err := join(tx, &wanted[i], u); err != nil {
			return err
		}
	}
	if err := m.leaveTeams(tx, u, given); err != nil {
		return err
	}
	return leaveOrganizations(tx, u)
}

// join puts a user into a team, and before that into its organization.
func join(tx *store.Tx, t *belay.Team, u *belay.User) error {
	if has, err := tx.Peek().HasPlace(t.ID, u.ID); err != nil || has {
		return err // by hand
	}
	_, err := tx.Peek().MembershipOf(t.OrganizationID, u.ID)
	if belay.KindOf(err) == belay.NotFound {
		m := belay.Membership{
			ID: belay.NewID("ou"), OrganizationID: t.OrganizationID, UserID: u.ID, Email: u.Email,
			Status: belay.ActiveMember, ByGroups: true, CreatedAt: tx.Now,
		}
		if err = tx.AddMembership(&m); err == nil {
			err = record.EmitOrganization(tx, PrincipalOf(*u), "membership.created", t.OrganizationID, "organization-memberships", m.ID, m.Email)
		}
	}
	if err != nil {
		return err
	}
	if err := tx.AddGroupPlace(t, u.ID); err != nil {
		return err
	}
	return record.EmitOrganization(tx, PrincipalOf(*u), "team.members_added", t.OrganizationID, "teams", t.ID, t.Name)
}

// leaveTeams takes a user out of teams. The last owner of an organization stays, until
// there is another: nobody else could let one in.
func (m *Room) leaveTeams(tx *store.Tx, u *belay.User, ids []string) error {
	if len(ids) == 0 {
		return nil
	}
	list, err := tx.Peek().TeamsByID(ids)
	if err != nil {
		return err
	}
	slices.SortFunc(list, belay.TeamsInOrder)
	for i := range list {
		t := &list[i]
		if err := tx.DropTeamMembers(t, []string{u.ID}); err != nil {
			return err
		}
		if t.Owners() { // the place goes before the organization is held to count, as everywhere
			owners, err := tx.CountOwners(t.OrganizationID)
			if err != nil {
				return err
			}
			if owners == 0 {
				m.log.Warn("the last owner of an organization stays, though its groups no longer say so", "organization", t.Organization.Name, "user", u.Username)
				if err := tx.AddGroupPlace(t, u.ID); err != nil {
					return err
				}
				continue
			}
		}
		if err := record.EmitOrganization(tx, PrincipalOf(*u), "team.members_removed", t.OrganizationID, "teams", t.ID, t.Name); err != nil {
			return err
		}
	}
	return nil
}

// leaveOrganizations takes a user out of organizations that only its groups had put it
// into, once it is in none of their teams.
func leaveOrganizations(tx *store.Tx, u *belay.User) error {
	list, err := tx.Peek().IdleGroupMemberships(u.ID)
	if err != nil {
		return err
	}
	for i := range list {
		m := &list[i]
		if err := tx.DropMembership(m); err != nil {
			return err
		}
		if err := record.EmitOrganization(tx, PrincipalOf(*u), "membership.deleted", m.OrganizationID, "organization-memberships", m.ID, m.Email); err != nil {
			return err
		}
	}
	return nil
}
