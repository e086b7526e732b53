package app

import (
	"context"
	"strings"

	"github.com/belayhq/belay"
	"github.com/belayhq/belay/internal/gate"
	"github.com/belayhq/belay/internal/record"
	"github.com/belayhq/belay/internal/store"
)

// MembershipView is a membership with the teams of its user that the principal sees.
type MembershipView struct {
	belay.Membership
	TeamIDs []string
	Teams   []string // what they are called
	OnlyOne bool     // of the owners: it can't leave
	belay.Presence
}

// membership hands out a membership to its user and to those who see every member.
func (a *App) membership(v store.Reader, s belay.Principal, id string) (belay.Membership, belay.Access, error) {
	m, err := v.Membership(id)
	if err != nil {
		return m, belay.Access{}, err
	}
	access, err := v.Access(s, m.Organization)
	if err == nil && !seesMembership(s, access, &m) {
		err = belay.ErrNotFound
	}
	return m, access, err
}

func ownMembership(s belay.Principal, m *belay.Membership) bool {
	return s.Kind == belay.UserPrincipal && s.ID == m.UserID && !m.Organization.Gone()
}

func seesMembership(s belay.Principal, access belay.Access, m *belay.Membership) bool {
	return ownMembership(s, m) || access.Everywhere.Has(belay.Traverse.And(belay.ReadEveryMember))
}

// membershipViews gathers the teams of memberships that the principal sees, and when their users were here.
func membershipViews(v *store.View, s belay.Principal, list []belay.Membership) ([]MembershipView, error) {
	views, err := membersInTeams(v, s, list)
	if err != nil || len(list) == 0 {
		return views, err
	}
	users := make([]string, len(list))
	for i := range list {
		users[i] = list[i].UserID
	}
	presences, err := v.Presences(users, v.Moment())
	for i := range views {
		views[i].Presence = presences[views[i].UserID]
	}
	return views, err
}

// membersInTeams gathers the teams of memberships that the principal sees, in one statement.
func membersInTeams(v *store.View, s belay.Principal, list []belay.Membership) ([]MembershipView, error) {
	var organizations, users []string
	at := make(map[string]int, len(list))
	views := make([]MembershipView, len(list))
	for i, m := range list {
		organizations, users = append(organizations, m.OrganizationID), append(users, m.UserID)
		at[m.ID], views[i] = i, MembershipView{Membership: m}
	}
	if len(list) == 0 {
		return views, nil
	}
	places, err := v.TeamsOfMembers(organizations, users)
	if err != nil {
		return nil, err
	}
	for _, p := range places {
		i, ok := at[p.MembershipID]
		if !ok {
			continue
		}
		views[i].OnlyOne = views[i].OnlyOne || p.OnlyOne
		access, err := gate.AccessIfTaken(v, s, list[i].Organization)
		if err != nil {
			return nil, err
		}
		if ownMembership(s, &list[i]) || access.OnTeam(belay.Team{ID: p.TeamID, Visibility: p.Visibility}) {
			views[i].TeamIDs, views[i].Teams = append(views[i].TeamIDs, p.TeamID), append(views[i].Teams, p.Team)
		}
	}
	return views, nil
}

// Invite makes a membership of an organization. A user that the site knows by the e-mail
// address is a member at once; for anybody else a place is held until it comes.
func (a *App) Invite(ctx context.Context, s belay.Principal, organization, email string, teamIDs []string) (view MembershipView, err error) {
	email = strings.TrimSpace(email)
	link := ""
	err = a.db.Update(ctx, func(tx *store.Tx) error {
		link = ""
		o, access, err := gate.Organization(tx.Peek(), s, organization, belay.ManageMembership)
		if err != nil {
			return err
		}
		teams, err := teamsToJoin(tx, access, o, teamIDs)
		if err != nil {
			return err
		}
		u, err := invitee(tx, email)
		if err != nil {
			return err
		}
		m := belay.Membership{
			ID: belay.NewID("ou"), OrganizationID: o.ID, UserID: u.ID, Email: u.Email,
			Status: belay.ActiveMember, CreatedAt: tx.Now, Organization: o,
		}
		if u.Invited {
			m.Status = belay.InvitedMember
			if link, err = a.InvitationLink(tx, s, u.ID); err != nil {
				return err
			}
		}
		if err := tx.AddMembership(&m); err != nil {
			return err
		}
		for _, t := range teams {
			if err := tx.AddTeamMembers(&t, []string{u.ID}); err != nil {
				return err
			}
		}
		views, err := membershipViews(tx.Peek(), s, []belay.Membership{m})
		if err != nil {
			return err
		}
		view = views[0]
		return record.EmitOrganization(tx, s, "membership.created", o.ID, "organization-memberships", m.ID, m.Email)
	})
	if err == nil && link != "" {
		store.Then(ctx, func() { a.MailInvitation(ctx, s, view.Organization, view.Membership, link) })
	}
	return view, err
}

// Resend mails an invitation again, with a new link: the older ones stay good.
func (a *App) Resend(ctx context.Context, s belay.Principal, id string) error {
	link := ""
	var m belay.Membership
	err := a.db.Update(ctx, func(tx *store.Tx) error {
		found, access, err := a.membership(&tx.Locked, s, id)
		switch m = found; {
		case err != nil:
			return err
		case !access.Everywhere.Has(belay.ManageMembership):
			return belay.Refuse(belay.Forbidden, "you may not invite people to the organization")
		case m.Status != belay.InvitedMember:
			return belay.Refuse(belay.Invalid, "%s has come in already", m.Email)
		case !a.Mails():
			return belay.Refuse(belay.Invalid, "this server sends no mail")
		}
		if link, err = a.InvitationLink(tx, s, m.UserID); err != nil {
			return err
		}
		if link == "" {
			return belay.Refuse(belay.Invalid, "%s got enough invitations for now", m.Email)
		}
		return record.EmitOrganization(tx, s, "membership.invited_again", m.OrganizationID, "organization-memberships", m.ID, m.Email)
	})
	if err == nil {
		store.Then(ctx, func() { a.MailInvitation(ctx, s, m.Organization, m, link) })
	}
	return err
}

// teamsToJoin is the teams of an invitation: those that the caller may put members into.
func teamsToJoin(tx *store.Tx, access belay.Access, o belay.Organization, ids []string) ([]belay.Team, error) {
	if len(ids) == 0 {
		return nil, nil
	}
	teams, err := tx.TeamsByID(ids)
	if err != nil {
		return nil, err
	}
	if err := tx.FillGrants(teams, gate.Weighed(access)); err != nil {
		return nil, err
	}
	var problems belay.Problems
	byID := make(map[string]bool, len(teams))
	for _, t := range teams {
		byID[t.ID] = t.OrganizationID == o.ID && access.OnTeam(t) && gate.MayManageMembers(access, t)
	}
	for i, id := range ids {
		if !byID[id] {
			problems.At(belay.RelatedList("teams").Item(i).ID(), "Team does not exist")
		}
	}
	return teams, problems.Err()
}

// invitee is the user of an e-mail address, or a new one that holds the place.
func invitee(tx *store.Tx, email string) (belay.User, error) {
	if err := belay.CheckEmail(email); err != nil {
		return belay.User{}, err
	}
	u, err := tx.UserMailed(email)
	if belay.KindOf(err) != belay.NotFound {
		return u, err
	}
	u = belay.User{ID: belay.NewID("user"), Email: email, Invited: true, CreatedAt: tx.Now} // the name is for its owner to choose
	return u, tx.AddUser(&u)
}

// Membership is one membership, to its user and to those who see every member.
func (a *App) Membership(ctx context.Context, s belay.Principal, id string) (view MembershipView, err error) {
	err = a.db.View(ctx, func(v *store.View) error {
		m, _, err := a.membership(v, s, id)
		if err != nil {
			return err
		}
		views, err := membershipViews(v, s, []belay.Membership{m})
		if err == nil {
			view = views[0]
		}
		return err
	})
	return view, err
}

// Memberships is the members of an organization: all, to those who manage them; else the
// caller's own; and how many of them have each status.
func (a *App) Memberships(ctx context.Context, s belay.Principal, organization string, want belay.MembershipQuery) (list []MembershipView, total int, counts map[string]int, err error) {
	err = a.db.View(ctx, func(v *store.View) error {
		o, access, err := gate.Organization(v, s, organization, belay.Traverse)
		if err != nil {
			return err
		}
		want.UserID = onlyMember(s, access)
		if counts, total, err = v.MembershipStatuses(o, want); err != nil || total == 0 {
			return err
		}
		found, err := v.MembershipsPage(o, want)
		if err != nil {
			return err
		}
		list, err = membershipViews(v, s, found)
		return err
	})
	return list, total, counts, err
}

// onlyMember is whose membership somebody sees who does not see all.
func onlyMember(s belay.Principal, access belay.Access) string {
	if access.Everywhere.Has(belay.ReadEveryMember) {
		return ""
	}
	return s.ID
}

// MembersInTeams is one page of Memberships with the teams alone, uncounted.
func (a *App) MembersInTeams(ctx context.Context, s belay.Principal, organization string, want belay.MembershipQuery) (list []MembershipView, err error) {
	err = a.db.View(ctx, func(v *store.View) error {
		o, access, err := gate.Organization(v, s, organization, belay.Traverse)
		if err != nil {
			return err
		}
		want.UserID = onlyMember(s, access)
		found, err := v.MembershipsPage(o, want)
		if err != nil {
			return err
		}
		list, err = membersInTeams(v, s, found)
		return err
	})
	return list, err
}

// MyMemberships is the caller's own memberships, in every organization, with when it was here where that is asked.
func (a *App) MyMemberships(ctx context.Context, s belay.Principal, page belay.Page, presences bool) (list []MembershipView, total int, err error) {
	if s.Kind != belay.UserPrincipal {
		return nil, 0, belay.ErrNotFound
	}
	err = a.db.View(ctx, func(v *store.View) error {
		found, n, err := v.Memberships(belay.Organization{}, belay.MembershipQuery{UserID: s.ID, Page: page})
		if err != nil {
			return err
		}
		gather := membersInTeams
		if total = n; presences {
			gather = membershipViews
		}
		list, err = gather(v, s, found)
		return err
	})
	return list, total, err
}

// DeleteMembership takes a user out of an organization and its teams. Everybody may leave;
// owners are taken out by owners, and one of them stays.
func (a *App) DeleteMembership(ctx context.Context, s belay.Principal, id string) error {
	return a.db.Update(ctx, func(tx *store.Tx) error {
		if err := tx.SeizeInvited(id); err != nil {
			return err
		}
		m, access, err := a.membership(tx.Seizing(), s, id)
		if err != nil {
			return err
		}
		owner, err := tx.IsMember(m.OrganizationID, belay.OwnersTeam, m.UserID)
		if err != nil {
			return err
		}
		need := belay.ManageMembership
		if owner {
			need = need.And(belay.ManageOwners)
		}
		if !ownMembership(s, &m) && !access.Everywhere.Has(need) {
			return belay.Refuse(belay.Forbidden, "you may not take this user out of the organization")
		}
		if err := tx.DropMembership(&m); err != nil {
			return err
		}
		if owner {
			if err := keepsAnOwner(tx, m.OrganizationID); err != nil {
				return err
			}
		}
		return record.EmitOrganization(tx, s, "membership.deleted", m.OrganizationID, "organization-memberships", m.ID, m.Email)
	})
}

// MembershipsSeen is those memberships of some ids that the caller sees, for documents that lead to
// them.
func (a *App) MembershipsSeen(ctx context.Context, s belay.Principal, ids []string) (list []MembershipView, err error) {
	if len(ids) == 0 {
		return nil, nil
	}
	err = a.db.View(ctx, func(v *store.View) error {
		found, err := v.MembershipsWithID(ids)
		if err != nil {
			return err
		}
		seen := found[:0]
		for i := range found {
			access, err := gate.AccessIfTaken(v, s, found[i].Organization)
			if err != nil {
				return err
			}
			if seesMembership(s, access, &found[i]) {
				seen = append(seen, found[i])
			}
		}
		list, err = membershipViews(v, s, seen)
		return err
	})
	return list, err
}
