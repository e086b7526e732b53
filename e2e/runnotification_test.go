package e2e_test

import (
	"encoding/json"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/belayhq/belay/internal/storetest"
)

// everyRunTrigger is what a configuration hears all of a run with.
var everyRunTrigger = []string{"run:created", "run:planning", "run:needs_attention", "run:applying", "run:completed", "run:errored"}

// runBody is the payload of a generic webhook about a run.
type runBody struct {
	Version       int    `json:"payload_version"`
	RunID         string `json:"run_id"`
	Notifications []struct {
		Message   string  `json:"message"`
		Trigger   string  `json:"trigger"`
		Status    string  `json:"run_status"`
		UpdatedAt string  `json:"run_updated_at"`
		UpdatedBy *string `json:"run_updated_by"`
	} `json:"notifications"`
}

func (h hooked) run(t testing.TB) runBody {
	t.Helper()
	var body runBody
	if err := json.Unmarshal(h.Body, &body); err != nil || len(body.Notifications) != 1 {
		t.Fatalf("%v: %s", err, h.Body)
	}
	return body
}

// told is what came about a run, in order: trigger and status.
func (h *hook) told(t testing.TB, id string) (list []string) {
	t.Helper()
	for _, got := range h.all() {
		if body := got.run(t); body.RunID == id {
			list = append(list, body.Notifications[0].Trigger+" "+body.Notifications[0].Status)
		}
	}
	return list
}

// TestRunReachesEveryKindOfDestination has nobody who carries runs out: one is made, another
// waits behind it, and both are given up by a person.
func TestRunReachesEveryKindOfDestination(t *testing.T) {
	t.Parallel()
	for _, engine := range storetest.Outside(t) {
		t.Run(engine, func(t *testing.T) {
			t.Parallel()
			s, office := startMailing(t, engine)
			s.organization("acme")
			w := s.runnable("network")
			s.do("POST", "/workspaces/"+w+"/vars", s.Token, `{"data":{"type":"vars","attributes":{"key":"pass","value":"hunter2-hunter2","category":"terraform","sensitive":true}}}`).want(t, 201)
			project := s.do("GET", "/workspaces/"+w, s.Token, "").text("data.relationships.project.data.id")
			generic, slack, teams, deaf := receiver(t, nil), receiver(t, nil), receiver(t, nil), receiver(t, nil)
			id := s.notifyOf("/workspaces/"+w, "generic", generic.URL, "the secret", everyRunTrigger...)
			s.notifyOf("/projects/"+project, "slack", slack.URL, "the secret", everyRunTrigger...)
			s.notifyOf("/projects/"+project, "microsoft-teams", teams.URL, "", everyRunTrigger...)
			s.notifyOf("/workspaces/"+w, "generic", deaf.URL, "", "run:applying", "change_request:created")
			s.do("POST", "/workspaces/"+w+"/notification-configurations", s.Token,
				`{"data":{"attributes":{"name":"list","destination-type":"email","enabled":true,"triggers":["run:created"],"email-addresses":["list@example.com"]}}}`).want(t, 201)

			run := s.do("POST", "/runs", s.Token, runOf(w, `"message":"Make <it> & go\nnow"`)).want(t, 201).text("data.id")
			s.do("POST", "/runs", s.Token, runOf(w, `"plan-only":true`)).want(t, 201)
			s.do("POST", "/runs", s.Token, runOf(w, `"save-plan":true`)).want(t, 201)
			waiting := s.do("POST", "/runs", s.Token, runOf(w, `"message":"second"`)).want(t, 201).text("data.id")
			s.do("POST", "/runs/"+waiting+"/actions/discard", s.Token, "").want(t, 202)
			s.do("POST", "/runs/"+run+"/actions/cancel", s.Token, "").want(t, 202)
			waitFor(t, "four messages each", func() bool {
				return len(generic.all()) == 4 && len(slack.all()) == 4 && len(teams.all()) == 4 && len(office.all()) == 2
			})
			if got := generic.told(t, run); !slices.Equal(got, []string{"run:created pending", "run:errored canceled"}) {
				t.Errorf("told of the run: %q", got)
			}
			if got := generic.told(t, waiting); !slices.Equal(got, []string{"run:created pending", "run:errored discarded"}) {
				t.Errorf("told of the second: %q", got)
			}
			if len(deaf.all()) != 0 {
				t.Error("what nobody asked for was sent")
			}
			s.genericRun(t, generic, id, w, run)
			chats := "" // of the run: what is told of two comes in either order
			for _, got := range append(slack.all(), teams.all()...) {
				if strings.Contains(string(got.Body), run) {
					chats += string(got.Body)
				}
			}
			for _, want := range []string{"Make \\u0026lt;it\\u0026gt; \\u0026amp; go now", `"contentType":"application/vnd.microsoft.card.adaptive"`, "Run Created", s.URL + "/app/acme/network/runs/" + run} {
				if !strings.Contains(chats, want) {
					t.Errorf("the chats lack %s: %s", want, chats)
				}
			}
			letters := office.all()
			head, plain, markup := letters[0].parts(t)
			if !strings.Contains(plain, run) {
				head, plain, markup = letters[1].parts(t)
			}
			if head.Get("Subject") != "[acme] Run Created on network: Make <it> & go now" || !strings.Contains(plain, "/app/acme/network/runs/"+run) ||
				!strings.Contains(markup, "Make &lt;it&gt; &amp; go now") {
				t.Errorf("the letter: %v\n%s\n%s", head, plain, markup)
			}
			for _, h := range []*hook{generic, slack, teams} {
				for _, got := range h.all() {
					if strings.Contains(string(got.Body), "hunter2") || strings.Contains(string(got.Body), "the secret") {
						t.Errorf("a secret is told: %s", got.Body)
					}
				}
			}
		})
	}
}

// genericRun looks at what a generic webhook got of a run, and at what is kept of that.
func (s *server) genericRun(t *testing.T, h *hook, notification, workspace, run string) {
	t.Helper()
	all := h.all()
	all = slices.DeleteFunc(all, func(got hooked) bool { return got.text("run_id") != run })
	first, last := all[0], all[len(all)-1]
	for name, want := range map[string]string{
		"notification_configuration_id": notification, "run_url": s.URL + "/app/acme/network/runs/" + run, "run_id": run,
		"run_message": "Make <it> & go\nnow", "run_created_by": "admin", "workspace_id": workspace, "workspace_name": "network", "organization_name": "acme",
	} {
		if first.text(name) != want {
			t.Errorf("%s is %q, want %q", name, first.text(name), want)
		}
	}
	body := first.run(t)
	if n := body.Notifications[0]; body.Version != 1 || n.Message != "Run Created" || n.UpdatedBy == nil || *n.UpdatedBy != "admin" || n.UpdatedAt == "" || first.text("run_created_at") == "" {
		t.Errorf("payload %s", first.Body)
	}
	if n := last.run(t).Notifications[0]; n.Message != "Run Canceled" {
		t.Errorf("the last: %s", last.Body)
	}
	if sent := first.Header.Get("X-TFE-Notification-Signature"); sent != signature("the secret", first.Body) {
		t.Errorf("signature %s", sent)
	}
	waitFor(t, "the answers", func() bool { return s.deliveries(notification, "delivered") == 4 })
	r := s.do("GET", "/notification-configurations/"+notification+"/deliveries", s.Token, "").want(t, 200)
	if !strings.HasPrefix(r.text("data.0.attributes.trigger"), "run:") || !strings.HasPrefix(r.text("data.0.relationships.run.data.id"), "run-") || r.text("data.0.relationships.workspace.data.id") != workspace {
		t.Errorf("deliveries: %s", r.Body)
	}
	if r := s.do("GET", "/notification-configurations/"+notification, s.Token, ""); r.text("data.attributes.delivery-responses.0.code") != "200" {
		t.Errorf("delivery-responses: %s", r.Body)
	}
}

// TestWhatIsToldOfARunComesInOrder lets a destination refuse what comes first.
func TestWhatIsToldOfARunComesInOrder(t *testing.T) {
	slow(t)
	notifying(t, func(t *testing.T, s *server) {
		s.organization("acme")
		w := s.runnable("network")
		h := receiver(t, func(n int, w http.ResponseWriter, _ *http.Request) {
			if n <= 6 {
				w.WriteHeader(http.StatusServiceUnavailable)
			}
		})
		dead := receiver(t, func(_ int, w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusGone) })
		id := s.notifyOf("/workspaces/"+w, "generic", h.URL, "", everyRunTrigger...)
		parked := s.notifyOf("/workspaces/"+w, "generic", dead.URL, "", everyRunTrigger...)
		var runs []string
		for range 4 {
			run := s.do("POST", "/runs", s.Token, runOf(w, "")).want(t, 201).text("data.id")
			s.do("POST", "/runs/"+run+"/actions/cancel", s.Token, "").want(t, 202)
			runs = append(runs, run)
		}
		waitFor(t, "all of the runs", func() bool { return s.deliveries(id, "delivered") == 8 })
		for _, run := range runs {
			got := slices.Compact(h.told(t, run)) // without the tries that were refused
			if !slices.Equal(got, []string{"run:created pending", "run:errored canceled"}) {
				t.Errorf("told of %s: %q", run, got)
			}
		}
		waitFor(t, "what was given up", func() bool { return s.deliveries(parked, "parked") == 8 })
		for _, run := range runs {
			if got := dead.told(t, run); len(got) != 10 || got[4] != "run:created pending" || got[5] != "run:errored canceled" {
				t.Errorf("tried of %s: %q", run, got)
			}
		}
	})
}

// TestNothingIsToldOfARunThatIsGone deletes the workspace while its project's destination is
// away.
func TestNothingIsToldOfARunThatIsGone(t *testing.T) {
	notifying(t, func(t *testing.T, s *server) {
		s.organization("acme")
		w := s.runnable("network")
		project := s.do("GET", "/workspaces/"+w, s.Token, "").text("data.relationships.project.data.id")
		back := make(chan struct{})
		h := receiver(t, func(_ int, w http.ResponseWriter, r *http.Request) {
			select {
			case <-back:
			case <-r.Context().Done():
			}
			w.WriteHeader(http.StatusServiceUnavailable)
		})
		id := s.notifyOf("/projects/"+project, "generic", h.URL, "", everyRunTrigger...)
		s.do("POST", "/runs", s.Token, runOf(w, "")).want(t, 201)
		waitFor(t, "the first try", func() bool { return len(h.all()) > 0 })
		s.do("POST", "/workspaces/"+w+"/actions/force-delete", s.Token, "")
		s.do("DELETE", "/workspaces/"+w, s.Token, "")
		s.do("GET", "/workspaces/"+w, s.Token, "").want(t, 404)
		close(back)
		waitFor(t, "nothing that waits", func() bool {
			return s.deliveries(id, "pending")+s.deliveries(id, "parked")+s.deliveries(id, "delivered") == 0
		})
	})
}
