package e2e_test

import "testing"

// TestPagesOfRuns opens the page that command lines print the address of, and acts on it.
func TestPagesOfRuns(t *testing.T) {
	each(t, func(t *testing.T, s *server) {
		s.people()
		ws := s.runnable("cluster")
		owner, stranger := s.signIn("olga"), s.signIn("stan")
		owner.get("/app/acme/workspaces/cluster/runs").want(t, 200).has(t, "There are no runs")
		one := s.do("POST", "/runs", s.Token, runOf(ws, `"message":"Grow the <cluster>"`)).want(t, 201).text("data.id")
		page := "/app/acme/workspaces/cluster/runs/" + one
		if to := owner.get("/app/acme/cluster/runs/"+one).want(t, 303).Header.Get("Location"); to != page {
			t.Errorf("the short address leads to %s", to)
		}
		owner.get("/app/acme/workspaces/cluster/runs").want(t, 200).has(t, "Grow the &lt;cluster&gt;", "Waits for a runner", page)
		shown := owner.get(page).want(t, 200).has(t, "Grow the &lt;cluster&gt;", "Waits for a runner", "Queued", "It has not said anything").hasNot(t, "Confirm and apply")
		owner.post(page+"/comment", shown.form("comment", "**hm**")).want(t, 303)
		owner.post(page+"/comment", shown.form("comment", " ")).want(t, 422).has(t, "Body can&#39;t be blank")
		owner.post(page+"/apply", shown.form()).want(t, 409).has(t, "transition not allowed")
		owner.post(page+"/nonsense", shown.form()).want(t, 404)
		owner.post(page+"/cancel", shown.form("comment", "not now")).want(t, 303)
		owner.get(page).want(t, 200).has(t, "Canceled", "<strong>hm</strong>", "not now").hasNot(t, "/cancel\"")
		for _, hidden := range []string{page, "/app/acme/workspaces/cluster/runs", "/app/acme/workspaces/network/runs/" + one} {
			stranger.get(hidden).want(t, 404)
		}
		owner.get("/app/acme/workspaces/network/runs/"+one).want(t, 404)
		stranger.post(page+"/cancel", stranger.get("/app/").form()).want(t, 404)
		owner.get("/app/acme/cluster/states/"+one).want(t, 404)
	})
}
