package e2e_test

import (
	"strings"
	"testing"
)

// TestAgentsInTheirPool registers agents, and asks who is there.
func TestAgentsInTheirPool(t *testing.T) {
	each(t, func(t *testing.T, s *server) {
		s.organization("acme")
		pool := s.do("POST", "/organizations/acme/agent-pools", s.Token, `{"data":{"type":"agent-pools","attributes":{"name":"west"}}}`).want(t, 201).text("data.id")
		token := s.do("POST", "/agent-pools/"+pool+"/authentication-tokens", s.Token, `{"data":{"type":"authentication-tokens","attributes":{"description":"b"}}}`).want(t, 201).text("data.attributes.token")
		for _, name := range []string{"zeta", "alpha"} {
			made := s.runnerCall(token, "register", `{"name":"`+name+`","boot_id":"b","slots":1,"engines":[{"product":"tofu","version":"1.12.6"}]}`)
			if made.Status != 201 {
				t.Fatalf("%d %s", made.Status, made.Body)
			}
		}
		path := "/agent-pools/" + pool + "/agents"
		list := s.do("GET", path+"?sort=name", s.Token, "").want(t, 200)
		if list.column("name") != "alpha zeta" || list.column("status") != "idle idle" || list.text("data.0.relationships.agent-pool.data.id") != pool {
			t.Errorf("the agents: %s", list.Body)
		}
		for query, want := range map[string]string{
			"?sort=-name": "zeta alpha", "?filter[status]=busy": "", "?filter[status]=busy,idle&sort=name": "alpha zeta",
			"?filter[last-ping-since]=2999-01-01T00:00:00Z": "", "?sort=name&page[size]=1&page[number]=2": "zeta",
		} {
			if got := s.do("GET", path+query, s.Token, "").want(t, 200).column("name"); got != want {
				t.Errorf("%s finds %q, want %q", query, got, want)
			}
		}
		s.do("GET", path+"?sort=size", s.Token, "").want(t, 400)
		s.do("GET", path+"?filter[last-ping-since]=yesterday", s.Token, "").want(t, 400)
		if got := s.do("GET", "/agent-pools/"+pool, s.Token, "").want(t, 200).at("data.attributes.agent-count"); got != 2.0 {
			t.Errorf("the pool counts %v agents", got)
		}
		one := strings.Fields(list.ids())[0]
		s.do("GET", "/agents/"+one, s.Token, "").want(t, 200)
		s.do("GET", "/agents/"+one, token, "").want(t, 404)
		s.do("DELETE", "/agents/"+one, s.Token, "").want(t, 412)
		s.execute("UPDATE runners SET last_seen_at = last_seen_at - 120000 WHERE id = '" + one + "'")
		if got := s.do("GET", "/agents/"+one, s.Token, "").text("data.attributes.status"); got != "unknown" {
			t.Errorf("after two minutes it is %s", got)
		}
		s.do("DELETE", "/agents/"+one, s.Token, "").want(t, 204)
		s.do("GET", "/agents/"+one, s.Token, "").want(t, 404)
		s.do("GET", "/agents/agent-nowhere", s.Token, "").want(t, 404)
	})
}
