package e2e_test

import (
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/belayhq/belay/internal/storetest"
)

// mailing makes a notification configuration that mails a user.
func (s *server) mailing(t *testing.T, workspace, user string) reply {
	t.Helper()
	return s.do("POST", "/workspaces/"+workspace+"/notification-configurations", s.Token, fmt.Sprintf(
		`{"data":{"type":"notification-configurations","attributes":{"destination-type":"email","enabled":true,"name":"mail"},
		"relationships":{"users":{"data":[{"type":"users","id":%q}]}}}}`, user))
}

// TestFormerMembersLeaveTheNotifications takes a member out, also while it is being added.
func TestFormerMembersLeaveTheNotifications(t *testing.T) {
	each(t, func(t *testing.T, s *server) {
		s.organization("acme")
		workspace := s.workspace("acme", "network")
		for round := range storetest.Rounds(5) {
			name := fmt.Sprint("ann", round)
			user, _ := s.user(name)
			membership := s.do("POST", "/organizations/acme/organization-memberships", s.Token, fmt.Sprintf(
				`{"data":{"attributes":{"email":"%s@example.com"}}}`, name)).want(t, 201).text("data.id")
			first := s.mailing(t, workspace, user).want(t, 201)
			if !strings.Contains(first.Body, user) {
				t.Fatalf("nobody is mailed: %s", first.Body)
			}
			var both sync.WaitGroup
			var second reply
			both.Go(func() { second = s.mailing(t, workspace, user) })
			both.Go(func() { s.do("DELETE", "/organization-memberships/"+membership, s.Token, "").want(t, 204) })
			both.Wait()
			for _, made := range []reply{first, second} {
				if made.Status == 422 {
					continue // it had gone already
				}
				path := "/notification-configurations/" + made.want(t, 201).text("data.id")
				if left := s.do("GET", path, s.Token, "").want(t, 200); strings.Contains(left.Body, user) {
					t.Fatalf("round %d: a former member is mailed: %s", round, left.Body)
				}
				s.do("DELETE", path, s.Token, "").want(t, 204)
			}
		}
	})
}

// TestAnAgentSeesNoOrganization asks what a token of agents learns beside its own pool.
func TestAnAgentSeesNoOrganization(t *testing.T) {
	each(t, func(t *testing.T, s *server) {
		s.organization("acme")
		member := s.do("GET", "/account/details", s.Token, "").want(t, 200).text("data.id")
		pool := s.do("POST", "/organizations/acme/agent-pools", s.Token, `{"data":{"type":"agent-pools","attributes":{"name":"p"}}}`).want(t, 201).text("data.id")
		agent := s.do("POST", "/agent-pools/"+pool+"/authentication-tokens", s.Token,
			`{"data":{"type":"authentication-tokens","attributes":{"description":"d"}}}`).want(t, 201).text("data.attributes.token")
		audit := s.do("POST", "/organizations/acme/authentication-token?token=audit-trails", s.Token, "").want(t, 201).text("data.attributes.token")
		for who, token := range map[string]string{"an agent": agent, "an audit trail's reader": audit} {
			if got := s.do("GET", "/organizations", token, "").want(t, 200); got.at("data.0") != nil || got.at("meta.pagination.total-count") != 0.0 {
				t.Errorf("%s sees %s", who, got.Body)
			}
			s.do("GET", "/users/"+member, token, "").want(t, 404)
			s.do("GET", "/organizations/acme", token, "").want(t, 404)
		}
		whole := s.do("POST", "/organizations/acme/authentication-token", s.Token, "").want(t, 201).text("data.attributes.token")
		if got := s.do("GET", "/organizations", whole, "").want(t, 200); got.text("data.0.id") != "acme" {
			t.Errorf("the organization's own token sees %s", got.Body)
		}
		s.do("GET", "/users/"+member, whole, "").want(t, 200)
	})
}

// TestWhoFinalizedAState uploads by a URL, which names nobody.
func TestWhoFinalizedAState(t *testing.T) {
	each(t, func(t *testing.T, s *server) {
		s.organization("acme")
		made, _ := s.team("acme", "ops", nil)
		team := made.ID
		teamToken := s.do("POST", "/teams/"+team+"/authentication-token", s.Token, "").want(t, 201).text("data.attributes.token")
		for who, c := range map[string]struct{ token, kind, id string }{
			"admin": {s.Token, "user", ""}, "ops": {teamToken, "team", team},
		} {
			w := s.workspace("acme", "of-"+who)
			s.do("POST", "/team-workspaces", s.Token, `{"data":{"type":"team-workspaces","attributes":{"access":"write"},"relationships":{
				"team":{"data":{"type":"teams","id":"`+team+`"}},"workspace":{"data":{"type":"workspaces","id":"`+w+`"}}}}}`).want(t, 201)
			s.do("POST", "/workspaces/"+w+"/actions/lock", c.token, "").want(t, 200)
			raw := []byte(`{"version":4,"serial":1,"lineage":"l","outputs":{},"resources":[]}`)
			made := s.do("POST", "/workspaces/"+w+"/state-versions", c.token, stateBody(raw, 1, "l", false)).want(t, 201)
			if status := put(t, made.text("data.attributes.hosted-state-upload-url"), raw); status != 200 {
				t.Fatalf("upload: %d", status)
			}
			var kind, id, name string
			must(t, s.database().QueryRowContext(t.Context(),
				"SELECT actor_type, actor_id, actor_name FROM events WHERE kind = 'state_version.finalized' AND resource_id = '"+made.text("data.id")+"'").Scan(&kind, &id, &name))
			if kind != c.kind || name != who || c.id != "" && id != c.id {
				t.Errorf("%s's state was finalized by %s %s %q", who, kind, id, name)
			}
		}
	})
}
