package app

import (
	"context"

	"github.com/belayhq/belay"
	"github.com/belayhq/belay/internal/gate"
	"github.com/belayhq/belay/internal/record"
	"github.com/belayhq/belay/internal/store"
)

// membersTeam hands out a team to change its members. Who sees the team and may not is
// told so.
func (a *App) membersTeam(v *store.Locked, s belay.Principal, id string) (belay.Team, error) {
	t, _, err := gate.ManagedTeam(v, s, id, gate.MayManageMembers, belay.Refuse(belay.Forbidden, "you may not change the members of this team"))
	return t, err
}

// AddTeamMembers puts members of the organization, named by user name or id, into a team.
func (a *App) AddTeamMembers(ctx context.Context, s belay.Principal, teamID string, names []string) error {
	return a.changeMembers(ctx, s, teamID, "team.members_added", func(tx *store.Tx, t *belay.Team) error {
		found, err := tx.MembershipsNamed(t.Organization, names)
		if err != nil {
			return err
		}
		var problems belay.Problems
		var ids []string
		for i, name := range names {
			m, ok := found[name]
			if !ok {
				problems.At(belay.Whole.Item(i).ID(), "%s is not a member of the organization", name)
			}
			ids = append(ids, m.UserID)
		}
		if err := problems.Err(); err != nil {
			return err
		}
		return tx.AddTeamMembers(t, ids)
	})
}

// RemoveTeamMembers takes users, named by user name or id, out of a team.
func (a *App) RemoveTeamMembers(ctx context.Context, s belay.Principal, teamID string, names []string) error {
	return a.changeMembers(ctx, s, teamID, "team.members_removed", func(tx *store.Tx, t *belay.Team) error {
		ids, err := tx.TeamMembersNamed(t, names)
		if err != nil {
			return err
		}
		return dropMembers(tx, t, ids)
	})
}

// AddTeamMemberships puts members of the organization, named by membership, into a team.
// Those who are only invited are in it when they come.
func (a *App) AddTeamMemberships(ctx context.Context, s belay.Principal, teamID string, ids []string) error {
	return a.changeMembers(ctx, s, teamID, "team.members_added", func(tx *store.Tx, t *belay.Team) error {
		users, missing, err := usersOf(tx, t.Organization, ids)
		if err != nil {
			return err
		}
		if err := missing.Err(); err != nil {
			return err
		}
		return tx.AddTeamMembers(t, users)
	})
}

// RemoveTeamMemberships takes members, named by membership, out of a team.
func (a *App) RemoveTeamMemberships(ctx context.Context, s belay.Principal, teamID string, ids []string) error {
	return a.changeMembers(ctx, s, teamID, "team.members_removed", func(tx *store.Tx, t *belay.Team) error {
		users, _, err := usersOf(tx, t.Organization, ids)
		if err != nil {
			return err
		}
		return dropMembers(tx, t, users)
	})
}

// usersOf is the users of memberships, and a problem for each that is not there.
func usersOf(tx *store.Tx, o belay.Organization, ids []string) (users []string, missing belay.Problems, err error) {
	found, err := tx.MembershipsByID(o, ids)
	byID := make(map[string]string, len(found))
	for _, m := range found {
		byID[m.ID] = m.UserID
	}
	for i, id := range ids {
		if user := byID[id]; user != "" {
			users = append(users, user)
		} else {
			missing.At(belay.Whole.Item(i).ID(), "%s is not a membership of the organization", id)
		}
	}
	return users, missing, err
}

// dropMembers takes users out of a team. The owners team keeps one.
func dropMembers(tx *store.Tx, t *belay.Team, userIDs []string) error {
	if err := tx.DropTeamMembers(t, userIDs); err != nil || !t.Owners() {
		return err
	}
	return keepsAnOwner(tx, t.OrganizationID)
}

func keepsAnOwner(tx *store.Tx, organizationID string) error {
	owners, err := tx.CountOwners(organizationID)
	if err == nil && owners == 0 {
		err = belay.Refuse(belay.Forbidden, "an organization keeps at least one owner")
	}
	return err
}

func (a *App) changeMembers(ctx context.Context, s belay.Principal, teamID, event string, change func(*store.Tx, *belay.Team) error) error {
	return a.db.Update(ctx, func(tx *store.Tx) error {
		t, err := a.membersTeam(&tx.Locked, s, teamID)
		if err != nil {
			return err
		}
		if err := change(tx, &t); err != nil {
			return err
		}
		return record.EmitOrganization(tx, s, event, t.OrganizationID, "teams", t.ID, t.Name)
	})
}
