package e2e_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"
)

// deliveries is how many deliveries of a configuration have a status.
func (s *server) deliveries(notification, status string) int {
	s.t.Helper()
	r := s.do("GET", "/notification-configurations/"+notification+"/deliveries?filter[status]="+status, s.Token, "").want(s.t, 200)
	n, _ := r.at("meta.pagination.total-count").(float64)
	return int(n)
}

// sentOnSite is how many deliveries of all organizations a filter finds.
func (s *server) sentOnSite(filter string) int {
	s.t.Helper()
	r := s.do("GET", "/admin/notification-deliveries?"+filter, s.Token, "").want(s.t, 200)
	n, _ := r.at("meta.pagination.total-count").(float64)
	return int(n)
}

func TestChangeRequestReachesEveryKindOfWebhook(t *testing.T) {
	notifying(t, func(t *testing.T, s *server) {
		s.organization("acme")
		w := s.workspace("acme", "network")
		generic, slack, teams := receiver(t, nil), receiver(t, nil), receiver(t, nil)
		id := s.notify("/workspaces/"+w, "generic", generic.URL, "the secret")
		s.notify("/workspaces/"+w, "slack", slack.URL, "the secret")
		s.notify("/workspaces/"+w, "microsoft-teams", teams.URL, "")
		s.fileRequests("acme", "Upgrade <now> & here", w)
		request := s.firstRequest(w)
		waitFor(t, "three messages", func() bool { return len(generic.all())*len(slack.all())*len(teams.all()) == 1 })
		got := generic.all()[0]
		for name, want := range map[string]string{
			"notification_configuration_id": id, "trigger_scope": "workspace", "trigger": "change_request:created",
			"change_request_subject": "Upgrade <now> & here", "change_request_message": "**do** it", "change_request_created_by": "admin",
			"workspace_id": w, "workspace_name": "network", "organization_name": "acme", "message": "Change request created",
			"notification_configuration_url": s.URL + "/api/v2/notification-configurations/" + id,
			"change_request_url":             s.URL + "/app/change-requests/" + request,
		} {
			if got.text(name) != want {
				t.Errorf("%s is %q, want %q", name, got.text(name), want)
			}
		}
		if !strings.Contains(string(got.Body), `"payload_version":1`) || got.text("change_request_created_at") == "" {
			t.Errorf("payload %s", got.Body)
		}
		if sent := got.Header.Get("X-TFE-Notification-Signature"); sent != signature("the secret", got.Body) {
			t.Errorf("signature %s", sent)
		}
		if got.Header.Get("X-Delivery-Id") != request+"."+id || got.Header.Get("Content-Type") != "application/json" {
			t.Errorf("headers %v", got.Header)
		}
		message := slack.all()[0]
		if !strings.Contains(message.text("text"), "Upgrade &lt;now&gt; &amp; here") || message.Header.Get("X-TFE-Notification-Signature") != "" {
			t.Errorf("Slack got %s", message.Body)
		}
		if card := string(teams.all()[0].Body); !strings.Contains(card, `"contentType":"application/vnd.microsoft.card.adaptive"`) ||
			!strings.Contains(card, `"type":"message"`) || !strings.Contains(card, "**do** it") {
			t.Errorf("Microsoft Teams got %s", card)
		}
		waitFor(t, "the answers", func() bool { return s.sentOnSite("filter[status]=delivered") == 3 })
		for filter, want := range map[string]int{
			"": 3, "filter[organization][name]=acme": 3, "filter[organization][name]=other": 0, "filter[trigger]=run:errored": 0,
			"filter[status]=delivered,parked&filter[organization][name]=acme&filter[trigger]=change_request:created": 3, "filter[status]=pending&filter[organization][name]=acme": 0,
		} {
			if n := s.sentOnSite(filter); n != want {
				t.Errorf("%q finds %d, not %d", filter, n, want)
			}
		}
		if of := s.do("GET", "/admin/notification-deliveries", s.Token, "").at("data.0.relationships.organization.data.id"); of != "acme" {
			t.Errorf("the site's delivery is of %v", of)
		}
		if of := s.do("GET", "/notification-configurations/"+id+"/deliveries", s.Token, "").at("data.0.relationships.organization"); of != nil {
			t.Errorf("a destination's delivery names its organization: %v", of)
		}
		for _, wrong := range []string{"filter[status]=failed", "filter[trigger]=odd", "filter[workspace]=x"} {
			s.do("GET", "/admin/notification-deliveries?"+wrong, s.Token, "").want(t, 400)
		}
		admin := s.signIn("admin")
		const sent = "/app/~/admin/deliveries?show=answered"
		admin.get(sent+"&organization=acme&event=change_request:created").want(t, 200).has(t, `value="acme"`, `<option value="change_request:created" selected>`, "Answered 3", "Show all",
			"organization=acme&amp;show=waiting", `name="show" value="answered"`).hasNot(t, "None that fits").inert(t)
		admin.get(sent+"&organization=other").want(t, 200).has(t, "Answered 0", "None that fits.").inert(t)
		admin.get(sent+"&event=run:errored").want(t, 200).has(t, "Answered 0", "None that fits.")
	})
}

// givenUpIsSentAgain by a site admin, who sees what was given up in all organizations.
func (s *server) givenUpIsSentAgain(id string) {
	s.t.Helper()
	r := s.do("GET", "/admin/notification-deliveries?filter[status]=parked&page[size]=100", s.Token, "").want(s.t, 200)
	if of := r.text("data.9.relationships.notification-configuration.data.id"); of != id {
		s.t.Errorf("the tenth that was given up is of %q: %s", of, r.Body)
	}
	s.user("ada")
	s.do("POST", "/admin/users/"+s.do("GET", "/admin/users?q=ada", s.Token, "").text("data.0.id")+"/actions/grant_admin", s.Token, "").want(s.t, 200)
	admin := s.signIn("ada")
	const path = "/app/~/admin/deliveries"
	page := admin.get(path).want(s.t, 200).has(s.t, "acme", "307", "Send again", "/app/acme/notifications/"+id).inert(s.t)
	admin.post(path, page.form("do", "retry", "notification", id)).want(s.t, 303)
	admin.post(path, page.form("do", "retry", "notification", "nc-nothing")).want(s.t, 404)
	admin.get(path+"?show=all").want(s.t, 200).has(s.t, "acme", "delivered", `aria-current="true">All<`).inert(s.t)
	answered := admin.get(path+"?show=answered").want(s.t, 200).has(s.t, "delivered", ">a change request is filed</td>").inert(s.t)
	if strings.Contains(answered.Body, "given up</span>") {
		s.t.Errorf("what was given up stands among what was delivered: %s", answered.Body)
	}
	admin.get(path+"?show=waiting&older=0.x").want(s.t, 200).has(s.t, "Nothing waits to be sent.")
	for _, odd := range []string{"?older=x", "?older=9223372036854775807.y", "?newer=-1.z", "?show=odd"} {
		admin.get(path+odd).want(s.t, 200).inert(s.t)
	}
}

func TestFailedDeliveriesAreTriedAgain(t *testing.T) {
	slow(t)
	notifying(t, func(t *testing.T, s *server) {
		s.organization("acme")
		w := s.workspace("acme", "network")
		answered := func(status int, body string) func(int, http.ResponseWriter, *http.Request) {
			return func(n int, w http.ResponseWriter, _ *http.Request) {
				if n <= 3 {
					w.WriteHeader(status)
					_, _ = w.Write([]byte(body))
				}
			}
		}
		elsewhere := receiver(t, nil)
		refusing := receiver(t, answered(500, "not now"))
		redirecting := receiver(t, func(_ int, w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, elsewhere.URL, http.StatusTemporaryRedirect)
		})
		over := make(chan struct{})
		defer close(over)
		hanging := receiver(t, func(_ int, _ http.ResponseWriter, r *http.Request) {
			select {
			case <-r.Context().Done():
			case <-over:
			}
		})
		healthy := receiver(t, nil)
		ids := map[*hook]string{}
		for _, h := range []*hook{hanging, redirecting, refusing, healthy} {
			ids[h] = s.notify("/workspaces/"+w, "generic", h.URL, "secret")
		}
		for i := range 10 { // enough to fill a destination's share
			s.fileRequests("acme", fmt.Sprintf("request %d", i), w)
		}
		waitFor(t, "the healthy destination", func() bool { return s.deliveries(ids[healthy], "delivered") == 10 })
		waitFor(t, "the refusing destination", func() bool { return s.deliveries(ids[refusing], "delivered") == 10 })
		waitFor(t, "the redirecting destination", func() bool { return s.deliveries(ids[redirecting], "parked") == 10 })
		if n := len(elsewhere.all()); n != 0 {
			t.Errorf("a redirect was followed %d times", n)
		}
		tries := map[string]int{}
		for _, got := range redirecting.all() {
			tries[got.Header.Get("X-Delivery-Id")]++
		}
		for id, n := range tries {
			if n != 5 {
				t.Errorf("%s was tried %d times", id, n)
			}
		}
		r := s.do("GET", "/notification-configurations/"+ids[redirecting]+"/deliveries?filter[status]=parked", s.Token, "").want(t, 200)
		if r.text("data.0.attributes.last-response.code") != "307" || r.at("data.0.attributes.attempts") != 5.0 ||
			r.at("data.0.attributes.next-attempt-at") != nil || r.text("data.0.relationships.workspace.data.id") != w {
			t.Errorf("parked: %s", r.Body)
		}
		waitFor(t, "a failed try of the hanging destination", func() bool {
			return s.deliveries(ids[hanging], "failed")+s.deliveries(ids[hanging], "parked") > 0
		})
		redirecting.mu.Lock()
		redirecting.answer = nil
		redirecting.mu.Unlock()
		s.givenUpIsSentAgain(ids[redirecting])
		s.do("POST", "/notification-configurations/"+ids[redirecting]+"/deliveries/actions/retry", s.Token, "").want(t, 204)
		waitFor(t, "the second chance", func() bool { return s.deliveries(ids[redirecting], "delivered") == 10 })
		s.do("GET", "/notification-configurations/"+ids[healthy]+"/deliveries?filter[status]=lost", s.Token, "").want(t, 400)
	})
}

func TestDeliveriesSurviveAPowerCut(t *testing.T) {
	slow(t)
	notifying(t, func(t *testing.T, s *server) {
		s.organization("acme")
		w := s.workspace("acme", "network")
		begun := make(chan struct{}, 100)
		var down bool
		h := receiver(t, nil)
		h.answer = func(_ int, w http.ResponseWriter, r *http.Request) {
			h.mu.Lock()
			hang := down
			h.mu.Unlock()
			if hang { // the server dies while it waits for the answer
				begun <- struct{}{}
				<-r.Context().Done()
			}
		}
		id := s.notify("/workspaces/"+w, "generic", h.URL, "secret")
		h.mu.Lock()
		down = true
		h.mu.Unlock()
		for i := range 20 {
			s.fileRequests("acme", fmt.Sprintf("request %d", i), w)
		}
		waitFor(t, "a try", func() bool { return len(begun) > 0 })
		s.kill()
		h.mu.Lock()
		down = false
		h.got = nil
		h.mu.Unlock()
		s.run()
		waitFor(t, "every delivery", func() bool { return s.deliveries(id, "delivered") == 20 })
		seen := map[string]bool{}
		for _, got := range h.all() {
			seen[got.text("change_request_subject")] = true
			if got.Header.Get("X-TFE-Notification-Signature") != signature("secret", got.Body) {
				t.Errorf("signature of %s", got.Body)
			}
		}
		if len(seen) != 20 {
			t.Errorf("%d of 20 arrived", len(seen))
		}
	})
}

func TestReplicasShareDeliveries(t *testing.T) {
	slow(t)
	t.Parallel()
	s := startNotifying(t, "postgres")
	twin := &server{t: t, http: s.http, Token: s.Token, env: s.env, args: append([]string(nil), s.args...), logs: &logs{}}
	twin.args[2] = "127.0.0.1:0"
	twin.run()
	t.Cleanup(twin.stop)
	s.organization("acme")
	h := receiver(t, nil)
	var all []string
	for i := range 60 {
		all = append(all, s.workspace("acme", fmt.Sprintf("w%d", i)))
	}
	project := s.do("GET", "/workspaces/"+all[0], s.Token, "").text("data.relationships.project.data.id")
	id := s.notify("/projects/"+project, "generic", h.URL, "secret")
	for i, at := range []*server{s, twin, s, twin, s, twin} {
		at.fileRequests("acme", fmt.Sprintf("request %d", i), all...)
		if i == 3 {
			twin.kill() // in the midst of it
			twin.run()
		}
	}
	waitFor(t, "every delivery", func() bool { return s.deliveries(id, "delivered") == 360 })
	seen := map[string]int{}
	for _, got := range h.all() {
		seen[got.Header.Get("X-Delivery-Id")]++
	}
	if len(seen) != 360 || len(h.all()) > 360+20 { // only what was under way at the kill may come twice
		t.Errorf("%d deliveries came, in %d requests", len(seen), len(h.all()))
	}
}

func TestPrivateDestinationsAreClosed(t *testing.T) {
	each(t, func(t *testing.T, s *server) {
		s.organization("acme")
		w := s.workspace("acme", "network")
		h := receiver(t, nil)
		for _, url := range []string{h.URL, strings.Replace(h.URL, "127.0.0.1", "localhost", 1), strings.Replace(h.URL, "127.0.0.1", "[::ffff:127.0.0.1]", 1), "http://169.254.169.254/latest/meta-data/"} {
			r := s.do("POST", "/workspaces/"+w+"/notification-configurations", s.Token, fmt.Sprintf(
				`{"data":{"attributes":{"name":"n","destination-type":"generic","url":%q,"enabled":true}}}`, url)).want(t, 400)
			if !strings.Contains(r.text("errors.0.detail"), "may not go to") {
				t.Errorf("%s: %s", url, r.Body)
			}
		}
		if n := len(h.all()); n != 0 {
			t.Errorf("%d requests came", n)
		}
	})
}

func TestTenThousandDeliveriesHoldUpNobody(t *testing.T) {
	slow(t)
	notifying(t, func(t *testing.T, s *server) {
		s.organization("acme")
		w := s.workspace("acme", "first")
		project := s.do("GET", "/workspaces/"+w, s.Token, "").text("data.relationships.project.data.id")
		s.fill(w, 10_000)
		busy, quiet := receiver(t, nil), receiver(t, nil)
		id := s.notify("/projects/"+project, "generic", busy.URL, "secret")
		s.notify("/workspaces/"+w, "generic", quiet.URL, "secret")
		begin := time.Now()
		s.do("POST", "/organizations/acme/explorer/bulk-actions", s.Token, `{"data":{"attributes":{"action_type":"change_requests",`+
			`"action_inputs":{"subject":"s","message":"m"},"query":{"type":"workspaces","filter":[{"field":"workspace_name","operator":"contains","value":["copy-"]}]}}}}`).want(t, 201)
		t.Logf("filed after %v", time.Since(begin))
		begin = time.Now()
		s.fileRequests("acme", "small", w)
		waitFor(t, "the small one", func() bool { return len(quiet.all()) == 1 })
		t.Logf("a single one arrived after %v, with %d of the many", time.Since(begin), len(busy.all()))
		waitFor(t, "ten thousand", func() bool { return s.deliveries(id, "delivered") == 10_001 })
		t.Logf("all arrived after %v", time.Since(begin))
		if n := len(busy.all()); n != 10_001 {
			t.Errorf("%d requests came", n)
		}
	})
}
