package e2e_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/hashicorp/go-tfe"
)

// TestASecretTeamThatHoldsALockIsNotNamed asks about a lock as somebody who may not know of
// the team that holds it, and as those who may.
func TestASecretTeamThatHoldsALockIsNotNamed(t *testing.T) {
	each(t, func(t *testing.T, s *server) {
		ctx := context.Background()
		s.organization("acme")
		id := s.workspace("acme", "network")
		secret, member := s.team("acme", "black-ops", nil)
		s.grant(secret, id, tfe.AccessWrite)
		developers, stranger := s.team("acme", "developer", nil)
		s.grant(developers, id, tfe.AccessAdmin)
		holder := s.do("POST", "/teams/"+secret.ID+"/authentication-token", s.Token, "").want(t, 201).text("data.attributes.token")
		s.do("POST", "/workspaces/"+id+"/actions/lock", holder, "").want(t, 200)

		state := stateBody(stateWith(1, 1), 1, lineage, true)
		answers := func(token string) []reply {
			return []reply{
				s.do("POST", "/workspaces/"+id+"/actions/lock", token, "").want(t, 409),
				s.do("POST", "/workspaces/"+id+"/actions/unlock", token, "").want(t, 409),
				s.do("POST", "/workspaces/"+id+"/state-versions", token, state).want(t, 409),
			}
		}
		documents := func(token string) []reply {
			return []reply{
				s.do("GET", "/workspaces/"+id+"?include=locked_by", token, "").want(t, 200),
				s.do("PATCH", "/workspaces/"+id, token, `{"data":{"type":"workspaces","attributes":{"description":"x"}}}`).want(t, 200),
				s.do("GET", "/organizations/acme/workspaces/network", token, "").want(t, 200),
			}
		}
		for _, r := range append(append(answers(stranger), documents(stranger)...), s.do("GET", "/organizations/acme/workspaces?include=locked_by", stranger, "").want(t, 200)) {
			if strings.Contains(r.Body, secret.ID) || strings.Contains(r.Body, "black-ops") {
				t.Errorf("the secret team is named: %s", r.Body)
			}
		}
		for _, r := range documents(stranger) {
			if r.at("data.attributes.locked") != true || r.at("data.relationships.locked-by.data") != nil {
				t.Errorf("locked by a hidden team: %s", r.Body)
			}
		}
		if _, err := s.client(stranger).Workspaces.Unlock(ctx, id); !errors.Is(err, tfe.ErrWorkspaceLockedByTeam) {
			t.Errorf("clients must still see that a team holds it: %v", err)
		}
		for _, r := range answers(s.Token) {
			if !strings.Contains(r.Body, "Team black-ops") {
				t.Errorf("who may see every team is not told: %s", r.Body)
			}
		}
		for _, r := range answers(member) {
			if !strings.Contains(r.Body, "Team black-ops") {
				t.Errorf("a member of the team is not told: %s", r.Body)
			}
		}
		_, err := s.admin().Teams.Update(ctx, secret.ID, tfe.TeamUpdateOptions{Visibility: tfe.String("organization"), Name: tfe.String("white-ops")})
		must(t, err)
		for _, r := range answers(stranger) {
			if !strings.Contains(r.Body, "Team white-ops") {
				t.Errorf("no longer secret, and renamed: %s", r.Body)
			}
		}
		if got := s.do("GET", "/workspaces/"+id, stranger, ""); got.text("data.relationships.locked-by.data.id") != secret.ID {
			t.Errorf("no longer secret: %s", got.Body)
		}
		s.do("POST", "/workspaces/"+id+"/actions/unlock", holder, "").want(t, 200)
	})
}

func TestTheHolderOfALockIsCalledByItsNewName(t *testing.T) {
	each(t, func(t *testing.T, s *server) {
		s.organization("acme")
		id := s.workspace("acme", "network")
		team, token := s.team("acme", "ann", nil)
		s.grant(team, id, tfe.AccessAdmin)
		s.do("POST", "/workspaces/"+id+"/actions/lock", token, "").want(t, 200)
		s.do("PATCH", "/account/update", token, `{"data":{"type":"users","attributes":{"username":"anna"}}}`).want(t, 200)
		for _, r := range []reply{
			s.do("POST", "/workspaces/"+id+"/actions/lock", s.Token, "").want(t, 409),
			s.do("POST", "/workspaces/"+id+"/actions/unlock", s.Token, "").want(t, 409),
		} {
			if !strings.Contains(r.Body, "User anna") {
				t.Errorf("the old name: %s", r.Body)
			}
		}
		s.setWorkspace(id, `{"description":"saved in between"}`)
		user := s.do("GET", "/account/details", token, "").text("data.id")
		s.do("DELETE", "/admin/users/"+user, s.Token, "").want(t, 204)
		if r := s.do("POST", "/workspaces/"+id+"/actions/lock", s.Token, "").want(t, 409); !strings.Contains(r.Body, "User anna") {
			t.Errorf("the user is gone: %s", r.Body)
		}
	})
}
