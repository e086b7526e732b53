package e2e_test

import (
	"context"
	"testing"

	"github.com/hashicorp/go-tfe"
)

// userTokens says whether an organization takes the tokens of users.
func (s *server) userTokens(organization, token string, taken bool) {
	s.t.Helper()
	body := `{"data":{"type":"organizations","attributes":{"user-tokens-enabled":false}}}`
	if taken {
		body = `{"data":{"type":"organizations","attributes":{"user-tokens-enabled":true}}}`
	}
	s.do("PATCH", "/organizations/"+organization, token, body).want(s.t, 200)
}

func TestOrganizationsThatTakeNoTokensOfUsers(t *testing.T) {
	each(t, func(t *testing.T, s *server) {
		ctx, c := context.Background(), s.admin()
		s.organization("acme")
		s.organization("umbrella")
		w := s.workspaceOf("acme", "network")
		team, member := s.team("acme", "ops", &tfe.OrganizationAccessOptions{ManageWorkspaces: tfe.Bool(true)})
		_, stranger := s.user("stranger")
		byTeam, err := c.TeamTokens.Create(ctx, team.ID)
		must(t, err)
		ofOwners, err := c.TeamTokens.Create(ctx, s.owners("acme").ID)
		must(t, err)
		byOrganization, err := c.OrganizationTokens.Create(ctx, "acme")
		must(t, err)
		run := s.do("POST", "/workspaces/"+w.ID+"/actions/issue-run-token", member, "").want(t, 201).text("data.attributes.token")
		paths := []string{
			"/organizations/acme", "/organizations/acme/workspaces", "/organizations/acme/workspaces/network", "/workspaces/" + w.ID,
			"/organizations/acme/projects", "/organizations/acme/teams", "/teams/" + team.ID, "/workspaces/" + w.ID + "/vars",
			"/organizations/acme/tags", "/organizations/acme/entitlement-set",
		}

		s.userTokens("acme", ofOwners.Token, false)
		for _, path := range paths {
			for _, token := range []string{s.Token, member} {
				if refused := s.do("GET", path, token, "").want(t, 401); refused.text("errors.0.title") != "unauthorized" {
					t.Errorf("%s: %s", path, refused.Body)
				}
			}
			s.do("GET", path, stranger, "").want(t, 404) // who is no member does not learn that it is there
			s.do("GET", path, ofOwners.Token, "").want(t, 200)
		}
		s.do("PATCH", "/workspaces/"+w.ID, member, `{"data":{"type":"workspaces","attributes":{"name":"other"}}}`).want(t, 401)
		s.do("DELETE", "/organizations/acme", s.Token, "").want(t, 401)
		s.do("GET", "/workspaces/"+w.ID, byTeam.Token, "").want(t, 200)
		s.do("GET", "/organizations/acme/workspaces", byOrganization.Token, "").want(t, 200)
		s.do("GET", "/workspaces/"+w.ID, run, "").want(t, 200)

		// What is the user's own, and other organizations, are untouched.
		s.do("GET", "/account/details", member, "").want(t, 200)
		s.do("GET", "/organization-memberships?include=teams", member, "").want(t, 200)
		s.do("GET", "/organizations/umbrella", s.Token, "").want(t, 200)
		if mine := s.do("GET", "/organizations", member, "").want(t, 200); mine.at("meta.pagination.total-count") != float64(0) {
			t.Errorf("the list names it: %s", mine.Body)
		}

		// A member can't give them back; a site admin can.
		s.do("PATCH", "/organizations/acme", member, `{"data":{"type":"organizations","attributes":{"user-tokens-enabled":true}}}`).want(t, 401)
		s.userTokens("acme", s.Token, true)
		s.do("GET", "/organizations/acme", member, "").want(t, 200)
		closed := s.do("POST", "/organizations", s.Token, `{"data":{"type":"organizations","attributes":{"name":"closed","email":"a@example.com","user-tokens-enabled":false}}}`).want(t, 201)
		if closed.at("data.attributes.permissions.can-update") != true {
			t.Errorf("created: %s", closed.Body)
		}
		s.do("GET", "/organizations/closed", s.Token, "").want(t, 401)
	})
}

// Pages know their visitor from a session: no token that could be refused.
func TestPagesOfOrganizationsThatTakeNoTokensOfUsers(t *testing.T) {
	each(t, func(t *testing.T, s *server) {
		s.people()
		b := s.signIn("rita")
		s.userTokens("acme", s.Token, false)
		b.get("/app/acme/workspaces").want(t, 200).has(t, "network")
	})
}
