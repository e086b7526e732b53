package e2e_test

import (
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync"
	"testing"
)

// TestADestinationIsTriedBeforeItIsSaved: a message goes to what was typed, and nothing is kept of it but the form.
func TestADestinationIsTriedBeforeItIsSaved(t *testing.T) {
	notifying(t, func(t *testing.T, s *server) {
		network := s.people()
		path := "/app/acme/notifications/" + network
		var mu sync.Mutex
		var got []string
		status := http.StatusAccepted
		h := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			raw, _ := io.ReadAll(r.Body)
			mu.Lock()
			defer mu.Unlock()
			got = append(got, r.Header.Get("X-TFE-Notification-Signature")+" "+string(raw))
			w.WriteHeader(status)
		}))
		t.Cleanup(h.Close)
		owner := s.signIn("olga")
		try := func(b *browser, more ...string) reply {
			page := owner.get(path).want(t, 200).has(t, `name="do" value="test"`, `name="do" value="new"`)
			return b.post(path, page.form(append([]string{"do", "test", "name", "a <channel>", "destination", "generic", "url", h.URL, "trigger", "run:errored"}, more...)...))
		}
		taken := try(owner, "token", "hunter-two").want(t, 200).has(t, "The destination answered 202.", "once more before you save", `value="a &lt;channel&gt;"`, `value="`+h.URL+`"`, `value="run:errored" checked`).inert(t)
		taken.hasNot(t, "hunter-two")
		mu.Lock()
		if len(got) != 1 || !strings.Contains(got[0], "Verification of a ") || !strings.HasPrefix(got[0], signature("hunter-two", []byte(got[0][129:]))) {
			t.Errorf("sent: %q", got)
		}
		status = http.StatusTeapot
		mu.Unlock()
		try(owner).want(t, 400).has(t, "the destination answered with status 418", `value="a &lt;channel&gt;"`).inert(t)
		try(owner, "url", "http://192.0.2.1/").want(t, 400).has(t, "deliveries may not go to")
		try(owner, "url", "gopher://x").want(t, 422).has(t, "must be an HTTP or HTTPS URL", `value="gopher://x"`)
		try(owner, "destination", "email", "url", "", "addresses", "").want(t, 422).has(t, "Name an address")
		if list := s.do("GET", "/workspaces/"+network+"/notification-configurations", s.Token, "").want(t, 200); list.at("data.0") != nil {
			t.Errorf("kept: %s", list.Body)
		}
		rita := s.signIn("rita")
		rita.post(path, rita.get("/app/acme").form("do", "test", "name", "n", "destination", "generic", "url", h.URL)).want(t, 404)
		owner.post(path, url.Values{"do": {"test"}, "name": {"n"}, "destination": {"generic"}, "url": {h.URL}}).want(t, 403)
		mu.Lock()
		defer mu.Unlock()
		if len(got) != 2 {
			t.Errorf("%d messages were sent", len(got))
		}
	})
}

// TestWhatADeliverySaidOpens from its row, with names as they are now, for those who manage its configuration.
func TestWhatADeliverySaidOpens(t *testing.T) {
	notifying(t, func(t *testing.T, s *server) {
		network := s.people()
		answer := "<b>" + strings.Repeat("thanks ", 20)
		h := receiver(t, func(_ int, w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, answer) })
		id, other := s.notify("/workspaces/"+network, "generic", h.URL, ""), s.notify("/workspaces/"+network, "slack", h.URL, "")
		s.fileRequests("acme", "Rotate the <key>", network)
		s.eventually(func() bool { return s.deliveries(id, "delivered") == 1 && s.deliveries(other, "delivered") == 1 }, "it is told")
		delivery := s.do("GET", "/notification-configurations/"+id+"/deliveries", s.Token, "").text("data.0.id")
		owner := s.signIn("olga")
		path := "/app/acme/notifications/" + id
		open := path + "?sent=" + url.QueryEscape(delivery)
		owner.get(path).want(t, 200).has(t, `href="`+open+`"`).hasNot(t, "The message</p>")
		owner.get(open).want(t, 200).has(t, "The message</p>", `&#34;payload_version&#34;: 1`, `&#34;change_request_subject&#34;: &#34;Rotate the \u003ckey\u003e&#34;`, `&#34;workspace_name&#34;: &#34;network&#34;`,
			"&lt;b&gt;"+strings.Repeat("thanks ", 20), "what a try now would send").inert(t)
		owner.get("/app/acme/notifications/"+other+"?sent="+url.QueryEscape(delivery)).want(t, 404)
		owner.get(path+"?sent=x").want(t, 404)
		s.signIn("rita").get(open).want(t, 404)
	})
}

// TestADestinationIsMadeOnThePage: one that is on from the start, and mail to somebody.
func TestADestinationIsMadeOnThePage(t *testing.T) {
	notifying(t, func(t *testing.T, s *server) {
		network := s.people()
		owner := s.signIn("olga")
		path := "/app/acme/notifications/" + network
		h := receiver(t, func(_ int, w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusAccepted) })
		made := func(status int, more ...string) reply {
			page := owner.get(path).want(t, 200).has(t, `name="on" value="yes" checked`, "Mail all members of the teams that have access there")
			return owner.post(path, page.form(append([]string{"do", "new", "name", "told", "trigger", "run:errored"}, more...)...)).want(t, status)
		}
		shown := func(r reply) reply { return owner.get(r.Header.Get("Location")).want(t, 200).inert(t) }
		shown(made(303, "destination", "generic", "url", h.URL, "on", "yes")).has(t, "Turn it off", "<h1>told</h1>")
		shown(made(303, "destination", "generic", "url", h.URL)).has(t, "Turn it on")
		made(422, "destination", "email", "addresses", " ,", "on", "yes").has(t, "Write an e-mail address, or tick that all members of the teams that have access there are mailed.", `value="told"`)
		shown(made(303, "destination", "email", "addresses", "", "on", "yes", "everybody", "yes")).has(t, "all members of the teams that have access there", "Turn it off")
		shown(made(303, "destination", "email", "addresses", "ops@example.com")).has(t, "ops@example.com", "Turn it on").hasNot(t, "all members of")
	})
}

// TestPagesSayWhatTheyCallThings where the API has its own names.
func TestPagesSayWhatTheyCallThings(t *testing.T) {
	each(t, func(t *testing.T, s *server) {
		s.people()
		s.workspace("acme", "other")
		ops, _ := s.team("acme", "mara", nil)
		owner := s.signIn("olga")
		settings, team := networkPage+"/settings", "/app/acme/teams/"+ops.ID
		trigger := owner.get(settings+"/triggers").want(t, 200).form("do", "trigger", "workspace", "other")
		owner.post(settings, trigger).want(t, 303)
		owner.post(settings, trigger).want(t, 422).has(t, "Its applies queue runs here already").hasNot(t, "Sourceable")
		form := owner.get(team).want(t, 200).has(t, `name="description" type="text" value="" maxlength="256"`)
		owner.post(team, form.form("do", "save", "name", "mara", "visibility", "secret", "sso", strings.Repeat("x", 256))).want(t, 422).has(t, "Group of the identity provider is too long")
		owner.post(team, form.form("do", "save", "name", "mara", "visibility", "secret", "description", strings.Repeat("x", 257))).want(t, 422).has(t, "“What it is for” is too long")
		token := form.form("do", "token", "description", "pipeline", "days", "30")
		owner.post(team, token).want(t, 201)
		owner.post(team, token).want(t, 422).has(t, "“What it is for” has already been taken").hasNot(t, "Validation failed")
		retention := owner.get("/app/acme/settings").want(t, 200).form("do", "retention", "kind", "data-retention-policy-delete-olders", "days", "0")
		owner.post("/app/acme/settings", retention).want(t, 422).has(t, "Days after which they are old must be at least 1")
	})
}
