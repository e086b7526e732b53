package e2e_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/hashicorp/go-tfe"
)

// team makes a team, and a user in it with a token.
func (s *server) team(organization, name string, access *tfe.OrganizationAccessOptions) (team *tfe.Team, token string) {
	s.t.Helper()
	ctx, c := context.Background(), s.admin()
	team, err := c.Teams.Create(ctx, organization, tfe.TeamCreateOptions{Name: tfe.String(name), OrganizationAccess: access})
	must(s.t, err)
	_, token = s.user(name)
	s.join(organization, name, team)
	return team, token
}

// join makes a user a member of an organization and of teams.
func (s *server) join(organization, username string, teams ...*tfe.Team) *tfe.OrganizationMembership {
	s.t.Helper()
	m, err := s.admin().OrganizationMemberships.Create(context.Background(), organization, tfe.OrganizationMembershipCreateOptions{
		Email: tfe.String(username + "@example.com"), Teams: teams,
	})
	must(s.t, err)
	return m
}

func TestTeamLife(t *testing.T) {
	each(t, func(t *testing.T, s *server) {
		ctx, c := context.Background(), s.admin()
		s.organization("acme")
		team, err := c.Teams.Create(ctx, "acme", tfe.TeamCreateOptions{
			Name: tfe.String("network"), OrganizationAccess: &tfe.OrganizationAccessOptions{ManageProjects: tfe.Bool(true)},
		})
		must(t, err)
		if team.Visibility != "secret" || !team.Permissions.CanDestroy || !team.Permissions.CanUpdateMembership {
			t.Errorf("a new team: %+v", team)
		}
		if a := team.OrganizationAccess; !a.ManageProjects || !a.ManageWorkspaces || !a.ReadWorkspaces || !a.ReadProjects || a.ManageTeams {
			t.Errorf("managing projects holds managing workspaces: %+v", a)
		}
		team, err = c.Teams.Update(ctx, team.ID, tfe.TeamUpdateOptions{Name: tfe.String("foo bar"), Visibility: tfe.String("organization")})
		must(t, err)
		if team.Name != "foo bar" || !team.OrganizationAccess.ManageProjects {
			t.Errorf("after update: %+v", team)
		}
		found, err := c.Teams.List(ctx, "acme", &tfe.TeamListOptions{Names: []string{"foo bar", "nobody"}})
		must(t, err)
		if len(found.Items) != 1 || found.TotalCount != 1 {
			t.Errorf("filter[names]: %d teams", len(found.Items))
		}
		found, err = c.Teams.List(ctx, "acme", &tfe.TeamListOptions{Query: "OWN"})
		must(t, err)
		if len(found.Items) != 1 || found.Items[0].Name != "owners" {
			t.Fatalf("q: %+v", found.Items)
		}
		owners := found.Items[0]
		s.do("DELETE", "/teams/"+owners.ID, s.Token, "").want(t, 403)
		s.do("PATCH", "/teams/"+owners.ID, s.Token, `{"data":{"type":"teams","attributes":{"name":"others"}}}`).want(t, 422)
		s.do("POST", "/organizations/acme/teams", s.Token, `{"data":{"type":"teams","attributes":{"name":"foo bar"}}}`).want(t, 422)
		s.do("POST", "/organizations/acme/teams", s.Token, `{"data":{"type":"teams","attributes":{"name":"a/b","visibility":"loud"}}}`).want(t, 422)
		must(t, c.Teams.Delete(ctx, team.ID))
		if _, err = c.Teams.Read(ctx, team.ID); !errors.Is(err, tfe.ErrResourceNotFound) {
			t.Errorf("after delete: %v", err)
		}
	})
}

func TestMembershipLife(t *testing.T) {
	each(t, func(t *testing.T, s *server) {
		ctx, c := context.Background(), s.admin()
		s.organization("acme")
		team, err := c.Teams.Create(ctx, "acme", tfe.TeamCreateOptions{Name: tfe.String("network")})
		must(t, err)

		// A stranger's address is invited, and a place is held.
		m := s.join("acme", "ann", team)
		if m.Status != tfe.OrganizationMembershipInvited || m.User == nil || m.User.Email != "ann@example.com" || len(m.Teams) != 1 {
			t.Errorf("invited: %+v", m)
		}
		if again, err := c.OrganizationMemberships.ReadWithOptions(ctx, m.ID, tfe.OrganizationMembershipReadOptions{
			Include: []tfe.OrgMembershipIncludeOpt{tfe.OrgMembershipUser, tfe.OrgMembershipTeam},
		}); err != nil || again.User.ID != m.User.ID || again.Teams[0].Name != "network" {
			t.Errorf("read back: %+v %v", again, err)
		}
		early, err := c.Teams.Create(ctx, "acme", tfe.TeamCreateOptions{Name: tfe.String("a-team")})
		must(t, err)
		bob := s.join("acme", "bob", team, early)
		again, err := c.OrganizationMemberships.Read(ctx, bob.ID)
		must(t, err)
		if len(bob.Teams) != 2 || bob.Teams[0].ID != again.Teams[0].ID || bob.Teams[1].ID != again.Teams[1].ID {
			t.Errorf("the teams of a new member: %v, and read back: %v", bob.Teams, again.Teams)
		}
		users, err := c.TeamMembers.List(ctx, team.ID)
		must(t, err)
		invited, err := c.TeamMembers.ListOrganizationMemberships(ctx, team.ID)
		must(t, err)
		if len(users) != 0 || len(invited) != 2 {
			t.Errorf("%d users and %d memberships before anybody came", len(users), len(invited))
		}

		// Coming makes the member, in its team, with the id that was held.
		id, token := s.user("ann")
		if id != m.User.ID {
			t.Errorf("the place was %s, the user is %s", m.User.ID, id)
		}
		mine, err := s.client(token).OrganizationMemberships.List(ctx, "acme", nil)
		must(t, err)
		if len(mine.Items) != 1 || mine.Items[0].Status != tfe.OrganizationMembershipActive {
			t.Errorf("a member sees itself: %+v", mine.Items)
		}
		if got := s.do("GET", "/organization-memberships", token, "").want(t, 200); got.text("data.0.id") != m.ID {
			t.Errorf("own memberships: %s", got.Body)
		}
		list, err := c.OrganizationMemberships.List(ctx, "acme", &tfe.OrganizationMembershipListOptions{Emails: []string{"ann@example.com"}})
		must(t, err)
		if len(list.Items) != 1 {
			t.Errorf("filter[email]: %d", len(list.Items))
		}

		// Members by user name, one that is no member, and twice the same.
		must(t, c.TeamMembers.Remove(ctx, team.ID, tfe.TeamMemberRemoveOptions{Usernames: []string{"ann", "nobody"}}))
		must(t, c.TeamMembers.Add(ctx, team.ID, tfe.TeamMemberAddOptions{Usernames: []string{"ann"}}))
		must(t, c.TeamMembers.Add(ctx, team.ID, tfe.TeamMemberAddOptions{OrganizationMembershipIDs: []string{m.ID}}))
		if users, err = c.TeamMembers.List(ctx, team.ID); err != nil || len(users) != 1 || users[0].Username != "ann" {
			t.Errorf("members: %+v %v", users, err)
		}
		wrong := s.do("POST", "/teams/"+team.ID+"/relationships/users", s.Token, `{"data":[{"type":"users","id":"ann"},{"type":"users","id":"nobody"}]}`).want(t, 422)
		if wrong.text("errors.0.source.pointer") != "/data/1/id" {
			t.Errorf("pointer: %s", wrong.Body)
		}

		// The last owner stays; everybody else may leave.
		owner, err := c.OrganizationMemberships.List(ctx, "acme", &tfe.OrganizationMembershipListOptions{Query: "admin"})
		must(t, err)
		s.do("DELETE", "/organization-memberships/"+owner.Items[0].ID, s.Token, "").want(t, 403)
		s.do("POST", "/organizations/acme/organization-memberships", s.Token, `{"data":{"attributes":{"email":"ann@example.com"}}}`).want(t, 422)
		s.do("POST", "/organizations/acme/organization-memberships", s.Token, `{"data":{"attributes":{"email":"no address"}}}`).want(t, 422)
		s.do("DELETE", "/organization-memberships/"+m.ID, token, "").want(t, 204)
		s.do("GET", "/organizations/acme", token, "").want(t, 404)
	})
}

func TestTeamAndOrganizationTokens(t *testing.T) {
	each(t, func(t *testing.T, s *server) {
		ctx, c := context.Background(), s.admin()
		s.organization("acme")
		team, member := s.team("acme", "network", nil)

		first, err := c.TeamTokens.Create(ctx, team.ID)
		must(t, err)
		second, err := c.TeamTokens.Create(ctx, team.ID)
		must(t, err)
		if !second.ExpiredAt.Equal(second.CreatedAt.AddDate(2, 0, 0)) || second.Team.ID != team.ID || second.CreatedBy.User == nil {
			t.Errorf("a team token: %+v", second)
		}
		s.do("GET", "/organizations/acme", first.Token, "").want(t, 401)
		s.do("GET", "/organizations/acme", second.Token, "").want(t, 200)
		soon := time.Now().Add(time.Hour).UTC().Truncate(time.Second)
		described, err := s.client(member).TeamTokens.CreateWithOptions(ctx, team.ID, tfe.TeamTokenCreateOptions{Description: tfe.String("ci"), ExpiredAt: &soon})
		must(t, err)
		if !described.ExpiredAt.Equal(soon) {
			t.Errorf("expires at %v, want %v", described.ExpiredAt, soon)
		}
		forever := s.do("POST", "/users/"+second.CreatedBy.User.ID+"/authentication-tokens", s.Token, `{"data":{"attributes":{"expired-at":null}}}`).want(t, 201)
		if forever.at("data.attributes.expired-at") != nil {
			t.Errorf("a token without an end: %s", forever.Body)
		}
		if _, err = c.TeamTokens.CreateWithOptions(ctx, team.ID, tfe.TeamTokenCreateOptions{Description: tfe.String("ci")}); err == nil || err.Error() != tfe.ErrInvalidDescriptionConflict.Error() {
			t.Errorf("the same description again: %v", err)
		}
		list, err := c.TeamTokens.List(ctx, "acme", &tfe.TeamTokenListOptions{Query: "net", Sort: "expired-at"})
		must(t, err)
		if len(list.Items) != 2 || list.Items[0].ID != described.ID {
			t.Errorf("team tokens: %+v", list.Items)
		}
		must(t, c.TeamTokens.DeleteByID(ctx, described.ID))
		s.do("GET", "/organizations/acme", described.Token, "").want(t, 401)
		must(t, c.TeamTokens.Delete(ctx, team.ID))
		if _, err = c.TeamTokens.Read(ctx, team.ID); !errors.Is(err, tfe.ErrResourceNotFound) {
			t.Errorf("no token: %v", err)
		}

		if _, err = c.OrganizationTokens.Read(ctx, "acme"); !errors.Is(err, tfe.ErrResourceNotFound) {
			t.Errorf("no organization token: %v", err)
		}
		plain, err := c.OrganizationTokens.Create(ctx, "acme")
		must(t, err)
		kind := tfe.AuditTrailToken
		audit, err := c.OrganizationTokens.CreateWithOptions(ctx, "acme", tfe.OrganizationTokenCreateOptions{TokenType: &kind})
		must(t, err)
		s.do("POST", "/organizations/acme/workspaces", plain.Token, `{"data":{"type":"workspaces","attributes":{"name":"by-token"}}}`).want(t, 201)
		s.do("GET", "/organizations/acme/workspaces/by-token", audit.Token, "").want(t, 404)
		s.do("PATCH", "/organizations/acme", plain.Token, `{"data":{"attributes":{"email":"a@example.com"}}}`).want(t, 404)
		s.do("POST", "/organizations/acme/authentication-token", plain.Token, "").want(t, 404)
		must(t, c.OrganizationTokens.Delete(ctx, "acme"))
		s.do("GET", "/organizations/acme", plain.Token, "").want(t, 401)
		s.do("GET", "/account/details", audit.Token, "").want(t, 200)
	})
}

func TestUsersSeeTheirOwn(t *testing.T) {
	each(t, func(t *testing.T, s *server) {
		s.organization("acme")
		ann, annToken := s.user("ann")
		bob, bobToken := s.user("bob")
		if whole := s.do("GET", "/users/"+ann, annToken, "").want(t, 200); whole.text("data.attributes.email") == "" {
			t.Errorf("own user: %s", whole.Body)
		}
		s.do("GET", "/users/"+ann, bobToken, "").want(t, 404)
		s.join("acme", "ann")
		s.join("acme", "bob")
		seen := s.do("GET", "/users/"+ann, bobToken, "").want(t, 200)
		if strings.Contains(seen.Body, "example.com\"") || seen.text("data.attributes.username") != "ann" {
			t.Errorf("another user: %s", seen.Body)
		}
		s.do("POST", "/admin/users/"+bob+"/actions/suspend", s.Token, "").want(t, 200)
		s.do("GET", "/users/"+ann, bobToken, "").want(t, 401)
	})
}

func TestPlans(t *testing.T) {
	each(t, func(t *testing.T, s *server) {
		s.organization("acme")
		plan := s.do("GET", "/admin/feature-sets?q=Business", s.Token, "").want(t, 200).text("data.0.id")
		s.do("POST", "/admin/organizations/acme/subscription", s.Token,
			`{"data":{"type":"subscription","attributes":{"runs-ceiling":10},"relationships":{"feature-set":{"data":{"type":"feature-sets","id":"`+plan+`"}}}}}`).want(t, 200)
		if got := s.do("GET", "/organizations/acme/subscription", s.Token, "").want(t, 200); got.text("data.relationships.feature-set.data.id") != plan {
			t.Errorf("subscription: %s", got.Body)
		}
		s.do("GET", "/organizations/acme/feature-sets", s.Token, "").want(t, 200)
		_, token := s.user("ann")
		s.do("GET", "/admin/feature-sets", token, "").want(t, 403)
		s.do("GET", "/feature-sets", token, "").want(t, 200)
		s.do("GET", "/organizations/acme/subscription", token, "").want(t, 404)
	})
}
