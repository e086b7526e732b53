package gate

import (
	"github.com/belayhq/belay"
	"github.com/belayhq/belay/internal/store"
)

// Team hands out a team to those who see it.
func Team(v store.Reader, s belay.Principal, id string) (belay.Team, belay.Access, error) {
	t, err := v.Team(id)
	if err != nil {
		return t, belay.Access{}, err
	}
	access, err := v.Access(s, t.Organization)
	if err == nil && !access.OnTeam(t) {
		err = belay.ErrNotFound
	}
	return t, access, err
}

// ManagedTeam hands out a team to those who may do with it what may says, held beside all
// that the team opens. It is the one way to change a team, its members, its tokens and its
// notifications. Others get the refusal.
func ManagedTeam(v store.Reader, s belay.Principal, id string, may MayTeam, refusal error) (belay.Team, belay.Access, error) {
	t, access, err := Team(v, s, id)
	if err != nil {
		return t, access, err
	}
	list := []belay.Team{t}
	if err := v.FillGrants(list, Weighed(access)); err != nil {
		return t, access, err
	}
	if !may(access, list[0]) {
		return t, access, refusal
	}
	return list[0], access, nil
}

// Weighed is the workspaces on which the levels of a team decide whether a principal may manage it: all of them, but none for
// who may give any right, and for who manages no team.
func Weighed(access belay.Access) belay.Scope {
	manages := access.Everywhere.Has(belay.ManageTeams) || access.Everywhere.Has(belay.ManageMembership)
	return belay.Scope{Everything: manages && !access.Everywhere.Has(belay.GiveRights)}
}

// MayTeam is what somebody may do with a team.
type MayTeam func(belay.Access, belay.Team) bool

// MayManageTeam is to those who manage the team itself.
func MayManageTeam(access belay.Access, t belay.Team) bool {
	return access.MayManage(t, belay.ManageTeams)
}

// MayManageMembers is to those who manage who is in it.
func MayManageMembers(access belay.Access, t belay.Team) bool {
	return access.MayManage(t, belay.ManageMembership)
}
