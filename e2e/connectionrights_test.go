package e2e_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/hashicorp/go-tfe"
)

// TestWhoManagesConnections asks for every collection and every single resource as each
// kind of caller. What somebody may not see answers 404, as if it were not there.
func TestWhoManagesConnections(t *testing.T) {
	each(t, func(t *testing.T, s *server) {
		s.organization("acme")
		id := s.workspace("acme", "network")
		_, vcs := s.team("acme", "vcs", &tfe.OrganizationAccessOptions{ManageVCSSettings: tfe.Bool(true)})
		_, pools := s.team("acme", "pools", &tfe.OrganizationAccessOptions{ManageAgentPools: tfe.Bool(true)})
		readers, member := s.team("acme", "readers", nil)
		s.grant(readers, id, tfe.AccessRead)
		made, err := s.admin().OrganizationTokens.Create(context.Background(), "acme")
		must(t, err)
		organization := made.Token
		_, stranger := s.user("stranger")
		callers := []string{s.Token, vcs, pools, organization, member, stranger}

		post := func(path, typ, attributes string) string {
			return s.do("POST", path, s.Token, fmt.Sprintf(`{"data":{"type":%q,"attributes":%s}}`, typ, attributes)).want(t, 201).text("data.id")
		}
		key := post("/organizations/acme/ssh-keys", "ssh-keys", `{"name":"k","value":"v"}`)
		pool := post("/organizations/acme/agent-pools", "agent-pools", `{"name":"p"}`)
		client, token := s.connect("acme", tfe.ServiceProviderGithub)
		variable := post("/workspaces/"+id+"/vars", "vars", `{"key":"k","category":"env"}`)
		set := post("/organizations/acme/varsets", "varsets", `{"name":"s"}`)
		for _, c := range []struct {
			method, path, body string
			want               [6]int // admin, vcs, pools, organization token, member, stranger
		}{
			{"GET", "/organizations/acme/ssh-keys", "", [6]int{200, 200, 200, 404, 200, 404}},
			{"GET", "/ssh-keys/" + key, "", [6]int{200, 200, 200, 404, 200, 404}},
			{"PATCH", "/ssh-keys/" + key, `{"data":{"type":"ssh-keys","attributes":{"name":"k"}}}`, [6]int{200, 200, 404, 404, 404, 404}},
			{"PATCH", "/workspaces/" + id + "/relationships/ssh-key", `{"data":null}`, [6]int{200, 404, 404, 404, 404, 404}},
			{"GET", "/organizations/acme/agent-pools", "", [6]int{200, 404, 200, 200, 404, 404}},
			{"GET", "/agent-pools/" + pool, "", [6]int{200, 404, 200, 200, 404, 404}},
			{"PATCH", "/agent-pools/" + pool, `{"data":{"type":"agent-pools","attributes":{"name":"p"}}}`, [6]int{200, 404, 200, 200, 404, 404}},
			{"GET", "/agent-pools/" + pool + "/agents", "", [6]int{200, 404, 200, 200, 404, 404}},
			{"GET", "/agent-pools/" + pool + "/authentication-tokens", "", [6]int{200, 404, 200, 200, 404, 404}},
			{"GET", "/oauth-clients/" + client, "", [6]int{200, 200, 404, 200, 404, 404}},
			{"PATCH", "/oauth-clients/" + client, `{"data":{"type":"oauth-clients","attributes":{}}}`, [6]int{200, 200, 404, 200, 404, 404}},
			{"GET", "/organizations/acme/oauth-tokens", "", [6]int{200, 200, 404, 200, 404, 404}},
			{"GET", "/oauth-tokens/" + token, "", [6]int{200, 200, 404, 200, 404, 404}},
			{"GET", "/workspaces/" + id + "/vars", "", [6]int{200, 404, 404, 200, 200, 404}},
			{"PATCH", "/workspaces/" + id + "/vars/" + variable, `{"data":{"type":"vars","attributes":{"value":"x"}}}`, [6]int{200, 404, 404, 200, 404, 404}},
			{"GET", "/workspaces/" + id + "/varsets", "", [6]int{200, 404, 404, 200, 200, 404}},
			{"GET", "/organizations/acme/varsets", "", [6]int{200, 200, 200, 200, 200, 404}},
			{"GET", "/varsets/" + set, "", [6]int{200, 404, 404, 200, 404, 404}},
			{"PATCH", "/varsets/" + set, `{"data":{"type":"varsets","attributes":{"priority":true}}}`, [6]int{200, 404, 404, 200, 404, 404}},
			{"GET", "/workspaces/" + id + "/run-triggers?filter%5Brun-trigger%5D%5Btype%5D=inbound", "", [6]int{200, 404, 404, 200, 200, 404}},
			{"DELETE", "/ssh-keys/" + key, "", [6]int{204, 404, 404, 404, 404, 404}},
		} {
			for i := len(callers) - 1; i >= 0; i-- { // the admin last: one row deletes
				if c.method == "DELETE" && i == 1 {
					continue
				}
				if answer := s.do(c.method, c.path, callers[i], c.body); answer.Status != c.want[i] {
					t.Errorf("%s %s as caller %d: %d, want %d: %s", c.method, c.path, i, answer.Status, c.want[i], answer.Body)
				}
			}
		}
		found := s.do("GET", "/organizations/acme/varsets", member, "")
		if fmt.Sprint(found.at("data")) != "[]" {
			t.Errorf("a member without rights on sets finds some: %s", found.Body)
		}
	})
}

func TestWebhookURLIsForThoseWhoChangeSettings(t *testing.T) {
	each(t, func(t *testing.T, s *server) {
		s.organization("acme")
		_, token := s.connect("acme", tfe.ServiceProviderGithub)
		id := s.workspace("acme", "network")
		s.do("PATCH", "/workspaces/"+id, s.Token, fmt.Sprintf(`{"data":{"type":"workspaces","attributes":{"vcs-repo":{"oauth-token-id":%q,"identifier":"a/b"}}}}`, token)).want(t, 200)
		readers, reader := s.team("acme", "readers", nil)
		s.grant(readers, id, tfe.AccessRead)
		if url := s.do("GET", "/workspaces/"+id, s.Token, "").want(t, 200).at("data.attributes.vcs-repo.webhook-url"); url == nil {
			t.Error("an admin is not shown the webhook")
		}
		if url := s.do("GET", "/workspaces/"+id, reader, "").want(t, 200).at("data.attributes.vcs-repo.webhook-url"); url != nil {
			t.Errorf("a reader is shown the webhook %v", url)
		}
	})
}
