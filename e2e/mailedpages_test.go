package e2e_test

import (
	"strings"
	"testing"

	"github.com/belayhq/belay/internal/storetest"
	"github.com/hashicorp/go-tfe"
)

// TestWhatReachesSomebody shows people what they are mailed and why, and leaves out for one of them what is theirs to
// leave out: nothing of it for others, and nothing that names them.
func TestWhatReachesSomebody(t *testing.T) {
	t.Parallel()
	for _, engine := range storetest.Outside(t) {
		t.Run(engine, func(t *testing.T) {
			t.Parallel()
			s, office := startMailing(t, engine)
			network := s.people()
			readers, _ := s.team("acme", "ann", nil)
			s.user("bob")
			s.join("acme", "bob", readers)
			s.grant(readers, network, tfe.AccessWrite)
			annsID := s.do("GET", "/admin/users?q=ann", s.Token, "").text("data.0.id")
			s.do("POST", "/workspaces/"+network+"/notification-configurations", s.Token, `{"data":{"attributes":{"name":"on call","destination-type":"email","enabled":true,"triggers":["run:errored","change_request:created"]},
				"relationships":{"users":{"data":[{"type":"users","id":"`+annsID+`"}]}}}}`).want(t, 201)
			const path = "/app/~/profile/notifications"
			ann, bob, owner := s.signIn("ann"), s.signIn("bob"), s.signIn("olga")
			ann.get("/app/~/profile").want(t, 200).has(t, `href="`+path+`"`)
			page := ann.get(path).want(t, 200).has(t, "Notifications to me</h1>", "2 destinations", "Default email", "you are in this team", `href="/app/acme/teams/`+readers.ID+`"`, "on call", "it names you", `href="`+networkPage+`"`,
				"change requests, reminders", "runs, change requests, reminders", "None that is open.").hasNot(t, "/app/acme/notifications/", "left out", "no mail server").inert(t)
			bob.get(path).want(t, 200).has(t, "1 destination<", "Default email").hasNot(t, "on call").inert(t)
			owner.get(path).want(t, 200).has(t, `href="/app/acme/notifications/nc-`).hasNot(t, "on call")

			to := func(letters []posted) map[string]int {
				got := map[string]int{}
				for _, l := range letters {
					for _, each := range l.to {
						got[each]++
					}
				}
				return got
			}
			filed := s.fileRequests("acme", "Rotate the key", network).text("data.id")
			s.eventually(func() bool {
				got := to(office.all())
				return got["ann@example.com"] == 2 && got["bob@example.com"] == 1
			}, "both are told, and who is named twice")
			ann.post(path, page.form("mail", "change_request:reminder")).want(t, 303)
			ann.get(path).want(t, 200).has(t, ">reminders<", "runs, change requests, reminders").inert(t)
			s.fileRequests("acme", "Upgrade", network)
			s.eventually(func() bool {
				got := to(office.all())
				return got["ann@example.com"] == 3 && got["bob@example.com"] == 2
			}, "who leaves it out is told by name alone")
			s.do("POST", "/organizations/acme/explorer/bulk-actions/"+filed+"/actions/remind", s.Token, "").wantAny(t, 200, 201, 204)
			s.eventually(func() bool {
				got := to(office.all())
				return got["ann@example.com"] == 5 && got["bob@example.com"] == 3
			}, "reminders come as before")
			ann.post(path, page.form("mail", "")).want(t, 303)
			ann.get(path).want(t, 200).has(t, "left out</span>")
			bob.get(path).want(t, 200).hasNot(t, "left out</span>")
			ann.post(path, page.form("form", "x")).want(t, 403)

			request := s.firstRequest(network)
			ann.post("/app/change-requests/"+request+"/take", ann.get("/app/change-requests/"+request).want(t, 200).form()).want(t, 303)
			ann.get(path).want(t, 200).has(t, "1 change request<", `href="/app/change-requests/`+request+`"`, `href="`+networkPage+`"`).inert(t)
			bob.get(path).want(t, 200).has(t, "None that is open.")
			s.do("DELETE", "/teams/"+readers.ID, s.Token, "").want(t, 204) // what may be read no more is not told
			if body := ann.get(path).want(t, 200).Body; strings.Contains(body, request) || strings.Contains(body, `href="`+networkPage+`"`) || !strings.Contains(body, "on call") {
				t.Errorf("without a team the page says %s", body)
			}
		})
	}
}
