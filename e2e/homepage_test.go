package e2e_test

import "testing"

// TestHomeOfAnOrganization shows how one begins, what waits and what goes on, to each only what they may see.
func TestHomeOfAnOrganization(t *testing.T) {
	each(t, func(t *testing.T, s *server) {
		s.organization("empty")
		s.user("erik")
		s.join("empty", "erik", s.owners("empty"))
		s.signIn("erik").get("/app/empty").want(t, 200).has(t, "From nothing to the first state", "tofu login", `organization = "empty"`, "Nothing waits for you.", "Nothing runs.").inert(t)
		id := s.people()
		owner, reader, stranger := s.signIn("olga"), s.signIn("rita"), s.signIn("stan")
		const home = "/app/acme"
		owner.get(home).want(t, 200).has(t, "Nothing waits for you.", "Latest activity", `<b>1</b> no run yet`).hasNot(t, "From nothing").inert(t)
		hidden := s.workspace("acme", "hidden")
		for _, vector := range vectors {
			s.fileRequests("acme", vector, hidden)
		}
		s.fileRequests("acme", "Upgrade", id)
		ws := s.runnable("cluster")
		s.do("POST", "/runs", s.Token, runOf(ws, `"message":"Grow it"`)).want(t, 201)
		owner.get(home).want(t, 200).has(t, "Upgrade", "Running now", "cluster</a>", "Waits for a runner", "12 open change requests", "Something waits for you.").inert(t)
		reader.get(home).want(t, 200).has(t, "Upgrade", "1 open change request<", "Nothing runs.").hasNot(t, "cluster", "Latest activity", "hidden</a>", `class="strip"`, "onerror").inert(t)
		there, absent := stranger.get(home).want(t, 404), stranger.get("/app/nothing").want(t, 404)
		if there.Body != absent.Body {
			t.Error("what is hidden looks unlike what is absent")
		}
		if to := s.browse().get(home).want(t, 303).Header.Get("Location"); to != "/app/sign-in?return=%2Fapp%2Facme" {
			t.Errorf("nobody is sent to %s", to)
		}
	})
}
