package e2e_test

import (
	"net/http"
	"strings"
	"testing"
)

// TestBackingDataOfRuns gives up the log of a run that ended, and then the run's workspace.
func TestBackingDataOfRuns(t *testing.T) {
	each(t, func(t *testing.T, s *server) {
		s.organization("acme")
		w := s.runnable("network")
		run := s.do("POST", "/runs", s.Token, runOf(w, "")).want(t, 201).text("data.id")
		plan := s.do("GET", "/runs/"+run+"/plan", s.Token, "").want(t, 200)
		apply := s.do("GET", "/runs/"+run+"/apply", s.Token, "").want(t, 200)
		move := func(of reply, kind, action string, want int) {
			t.Helper()
			r := s.do("POST", "/"+kind+"/"+of.text("data.id")+"/actions/"+action+"-backing-data", s.Token, "").want(t, want)
			if want == 400 && !strings.Contains(r.Body, "transition not allowed") {
				t.Errorf("%s: %s", action, r.Body)
			}
		}
		move(plan, "plans", "soft-delete", 400) // it is under way
		s.do("POST", "/runs/"+run+"/actions/cancel", s.Token, "").want(t, 202)
		for kind, of := range map[string]reply{"plans": plan, "applies": apply} {
			url := of.text("data.attributes.log-read-url")
			reads := func(want string) {
				t.Helper()
				if status, body := getURL(t, url); status != http.StatusOK || !strings.HasPrefix(body, "\x02"+want) || !strings.HasSuffix(body, "\x03") {
					t.Errorf("%s: %d %q", kind, status, body)
				}
			}
			reads("\x03")
			move(of, kind, "restore", 400)
			move(of, kind, "soft-delete", 204)
			reads("belay: the log was put aside")
			move(of, kind, "restore", 204)
			reads("\x03")
			move(of, kind, "permanently-delete", 400)
			move(of, kind, "soft-delete", 204)
			move(of, kind, "permanently-delete", 204)
			reads("belay: the log was deleted by an owner")
			move(of, kind, "restore", 400)
		}
		s.do("POST", "/plans/"+apply.text("data.id")+"/actions/soft-delete-backing-data", s.Token, "").want(t, 404)
		s.do("DELETE", "/workspaces/"+w, s.Token, "").want(t, 204)
		for _, of := range []reply{plan, apply} {
			if status, body := getURL(t, of.text("data.attributes.log-read-url")); status != http.StatusNotFound {
				t.Errorf("the log of a run that is gone: %d %q", status, body)
			}
		}
	})
}
