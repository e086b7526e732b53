package e2e_test

import (
	"strings"
	"testing"
)

// TestOneBeginsWhereOneWas opens the start page as somebody in no, one and several organizations: it leads to
// the one that the browser was in last, as long as that is there.
func TestOneBeginsWhereOneWas(t *testing.T) {
	each(t, func(t *testing.T, s *server) {
		begins := func(b *browser, at string) {
			t.Helper()
			if to := b.get("/app/").want(t, 303).Header.Get("Location"); to != at {
				t.Errorf("leads to %s, not to %s", to, at)
			}
		}
		s.organization("acme")
		s.person("dee")
		s.join("acme", "dee", s.owners("acme"))
		b := s.signIn("dee")
		begins(b, "/app/acme")
		s.organization("other")
		s.join("other", "dee", s.owners("other"))
		begins(b, organizationsPath)
		b.get("/app/other/teams").want(t, 200)
		begins(b, "/app/other")
		b.get("/app/acme").want(t, 200)
		begins(b, "/app/acme")
		s.organization("third")
		b.get("/app/third").want(t, 404)
		begins(b, "/app/acme")
		_, token := s.person("eve")
		none := s.signIn("eve")
		begins(none, organizationsPath)
		s.do("POST", "/organizations", token, `{"data":{"type":"organizations","attributes":{"name":"eves","email":"eve@example.com"}}}`).want(t, 201)
		begins(none, "/app/eves")
	})
}

// TestOrganizationsSayWhatWaits shows a card for each organization, with what waits there for the visitor alone.
func TestOrganizationsSayWhatWaits(t *testing.T) {
	each(t, func(t *testing.T, s *server) {
		network := s.people()
		s.organization("beside")
		s.join("beside", "olga", s.owners("beside"))
		owner, reader := s.signIn("olga"), s.signIn("rita")
		owner.post(networkPage+"/lock", owner.get(networkPage).form()).want(t, 303)
		s.eventually(func() bool { // a count that can't be had at once is left out
			said := owner.get(organizationsPath).want(t, 200).inert(t).said()
			return strings.Contains(said, `<dt>To confirm or unlock</dt><dd><a href="/app/acme">1</a></dd>`) && strings.Contains(said, `<dt>To confirm or unlock</dt><dd>nothing</dd>`)
		}, "a lock of one's own waits in one of two organizations")
		s.eventually(func() bool {
			said := reader.get(organizationsPath).want(t, 200).inert(t).hasNot(t, ">beside<").said()
			return strings.Contains(said, "<dt>To confirm or unlock</dt><dd>nothing</dd>")
		}, "nothing waits for somebody else")
		s.do("POST", "/workspaces/"+network+"/actions/force-unlock", s.Token, "").want(t, 200)
		s.eventually(func() bool {
			return strings.Count(owner.get(organizationsPath).want(t, 200).said(), "<dt>To confirm or unlock</dt><dd>nothing</dd>") == 2
		}, "it waits no more")
	})
}

// TestOneLeavesAnOrganization goes from the list to what is lost, and leaves; the last owner can't.
func TestOneLeavesAnOrganization(t *testing.T) {
	each(t, func(t *testing.T, s *server) {
		s.organization("acme")
		s.person("dee")
		team, _ := s.team("acme", "network", nil)
		s.person("rita")
		id := s.join("acme", "rita", team).ID
		b := s.signIn("rita")
		b.get(organizationsPath).want(t, 200).has(t, "acme", "network", "?leave="+id)
		look := b.get(organizationsPath+"?leave="+id).want(t, 200).has(t, "Leave acme", "Lost with it: 1 team (network)")
		if to := b.post(organizationsPath, look.form("do", "leave", "membership", id)).want(t, 303).Header.Get("Location"); to != organizationsPath {
			t.Errorf("leads to %s", to)
		}
		b.get(organizationsPath).want(t, 200).hasNot(t, "acme")
		b.get("/app/acme").want(t, 404)

		_, token := s.person("eve")
		s.do("POST", "/organizations", token, `{"data":{"type":"organizations","attributes":{"name":"eves","email":"eve@example.com"}}}`).want(t, 201)
		id = s.do("GET", "/organization-memberships", token, "").text("data.0.id")
		owner := s.signIn("eve")
		b.get(organizationsPath+"?leave="+id).want(t, 200).hasNot(t, "eves")
		b.post(organizationsPath, b.get(organizationsPath).form("do", "leave", "membership", id)).want(t, 404)
		owner.get(organizationsPath).want(t, 200).has(t, "you are its only owner").hasNot(t, "?leave=")
		look = owner.get(organizationsPath+"?leave="+id).want(t, 200).has(t, "can&#39;t leave eves").hasNot(t, "Leave eves").inert(t)
		owner.post(organizationsPath, look.form("do", "leave", "membership", id)).want(t, 403).has(t, "owner")
		s.join("eves", "rita", s.owners("eves"))
		owner.get(organizationsPath).want(t, 200).has(t, "?leave="+id).hasNot(t, "only owner")
		owner.get("/app/eves").want(t, 200)
	})
}

// TestOtherAddressesLead opens addresses that people have from elsewhere.
func TestOtherAddressesLead(t *testing.T) {
	each(t, func(t *testing.T, s *server) {
		s.organization("acme")
		s.person("dee")
		s.join("acme", "dee", s.owners("acme"))
		b := s.signIn("dee")
		if got := b.get("/app/~/invite/ab+c").want(t, 303).Header.Get("Location"); got != "/app/~/invitation?link=ab%2Bc" {
			t.Errorf("an invitation leads to %s", got)
		}
		for from, to := range map[string]string{
			"/app/~/organizations/~new": organizationsPath + "#new", "/app/~/profile/tokens": "/app/settings/tokens", "/app/~/profile/sessions": "/app/~/profile#browsers",
			"/app/acme/~more": "/app/acme/more", "/app/acme/changes/~single": "/app/acme/change-requests", "/app/acme/changes/~new": "/app/acme/change-requests/new",
			"/app/acme/workspaces/web/runs/run-1/plan": "/app/acme/workspaces/web/runs/run-1#log-plan", "/app/acme/workspaces/web/runs/run-1/apply": "/app/acme/workspaces/web/runs/run-1#log-apply",
		} {
			if got := b.get(from).want(t, 303).Header.Get("Location"); got != to {
				t.Errorf("%s leads to %s, not to %s", from, got, to)
			}
			if path, _, _ := strings.Cut(to, "#"); !strings.Contains(path, "/runs/") {
				b.get(path).want(t, 200)
			}
		}
	})
}
