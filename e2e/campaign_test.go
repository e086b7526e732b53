package e2e_test

import (
	"path"
	"strings"
	"sync"
	"testing"

	"github.com/hashicorp/go-tfe"
)

func TestTakingAChangeRequest(t *testing.T) {
	each(t, func(t *testing.T, s *server) {
		s.organization("acme")
		w, other := s.workspace("acme", "one"), s.workspace("acme", "two")
		s.fileRequests("acme", "Upgrade", w, other)
		id := s.firstRequest(w)
		writers, ann := s.team("acme", "ann", nil)
		_, bo := s.user("bo")
		s.join("acme", "bo", writers)
		s.grant(writers, w, tfe.AccessWrite)

		take, release := "/change-requests/"+id+"/actions/take", "/change-requests/"+id+"/actions/release"
		if shown := s.do("GET", "/change-requests/"+id, ann, "").want(t, 200); shown.at("data.relationships.assignee.data") != nil || shown.at("data.attributes.assigned-at") != nil {
			t.Errorf("taken before anybody did: %s", shown.Body)
		}
		taken := s.do("POST", take, ann, "").want(t, 200)
		if !strings.HasPrefix(taken.text("data.relationships.assignee.data.id"), "user-") || !strings.HasSuffix(taken.text("data.attributes.assigned-at"), "Z") {
			t.Errorf("%s", taken.Body)
		}
		if again := s.do("POST", take, ann, "").want(t, 200); again.text("data.attributes.assigned-at") != taken.text("data.attributes.assigned-at") {
			t.Errorf("taken twice: %s", again.Body)
		}
		s.do("POST", take, bo, "").want(t, 409)
		for query, want := range map[string]float64{
			"ann": 1, "bo": 0, "none": 1, "none,ann": 2, taken.text("data.relationships.assignee.data.id"): 1, "nobody-of-that-name": 0,
		} {
			list := s.do("GET", "/organizations/acme/change-requests?filter[assignee]="+query, s.Token, "").want(t, 200)
			if total := list.at("meta.pagination.total-count"); total != want {
				t.Errorf("assignee %s: %v, want %v", query, total, want)
			}
		}
		for range 2 {
			if free := s.do("POST", release, bo, "").want(t, 200); free.at("data.relationships.assignee.data") != nil || free.at("data.attributes.assigned-at") != nil {
				t.Errorf("%s", free.Body)
			}
		}
		s.do("POST", "/change-requests/"+s.firstRequest(other)+"/actions/take", ann, "").want(t, 404)
		s.do("POST", take, s.do("POST", "/teams/"+writers.ID+"/authentication-token", s.Token, "").want(t, 201).text("data.attributes.token"), "").want(t, 403)
		trail := strings.Join(s.do("GET", "/organizations/acme/audit-trail?sort=-timestamp", s.Token, "").trail(), " ")
		for _, done := range []string{"take", "release"} {
			if n := strings.Count(trail, "change_request "+done); n != 1 {
				t.Errorf("%s is told %d times: %s", done, n, trail)
			}
		}

		var got sync.Map
		for range 20 { // whoever is first has it
			s.do("POST", release, ann, "").want(t, 200)
			var wait sync.WaitGroup
			for name, token := range map[string]string{"ann": ann, "bo": bo} {
				wait.Go(func() { got.Store(name, s.do("POST", take, token, "").Status) })
			}
			wait.Wait()
			a, _ := got.Load("ann")
			b, _ := got.Load("bo")
			if a.(int)+b.(int) != 200+409 {
				t.Fatalf("both at once: %v and %v", a, b)
			}
		}
		s.do("POST", release, ann, "").want(t, 200)
		who := s.do("POST", take, bo, "").want(t, 200).text("data.relationships.assignee.data.id")
		s.do("DELETE", "/admin/users/"+who, s.Token, "").want(t, 204)
		s.do("POST", take, ann, "").want(t, 200) // nobody waits for who is gone
		s.do("POST", "/change-requests/"+id, ann, "").want(t, 200)
		s.do("POST", take, ann, "").want(t, 400)
		s.do("POST", release, ann, "").want(t, 400)
	})
}

func TestCampaignsByAPI(t *testing.T) {
	each(t, func(t *testing.T, s *server) {
		s.organization("acme")
		version := func(name, version string) {
			t.Helper()
			s.do("PATCH", "/organizations/acme/workspaces/"+name, s.Token, `{"data":{"type":"workspaces","attributes":{"terraform-version":"`+version+`"}}}`).want(t, 200)
		}
		for _, name := range []string{"one", "two", "three"} {
			s.workspace("acme", name)
			version(name, "1.9.8")
		}
		all := "/organizations/acme/explorer/bulk-actions"
		id := s.do("POST", all, s.Token, `{"data":{"action_type":"change_requests","action_inputs":{"subject":"Upgrade","message":"m"},
			"query":{"type":"workspaces","filter":[{"field":"workspace_terraform_version","operator":"is","value":["1.9.8"]}]}}}`).want(t, 201).text("data.id")
		one := all + "/" + id
		given := s.fileRequests("acme", "By hand", s.idOf("one")).text("data.id")

		list := s.do("GET", all, s.Token, "").want(t, 200)
		if list.text("data.0.id") != given || list.text("data.1.id") != id || list.at("data.1.attributes.unarchived_count") != 3.0 || list.at("meta.pagination.total-count") != 2.0 {
			t.Errorf("%s", list.Body)
		}
		const day, other = `"2031-01-31T00:00:00Z"`, `"2032-01-31T00:00:00Z"`
		for body, at := range map[string]string{
			`{"data":{"attributes":{"due_at":"soon"}}}`:                                                      "/data/attributes/due_at",
			`{"data":{"attributes":{"due_at":7}}}`:                                                           "/data/attributes/due_at",
			`{"data":{"attributes":{"due-at":7}}}`:                                                           "/data/attributes/due-at",
			`{"data":{"due-at":7}}`:                                                                          "/data/due-at",
			`{"data":{"attributes":{"due-at":` + day + `,"due_at":` + other + `}}}`:                          "/data/attributes/due-at",
			`{"data":{"attributes":{"subject":"Another"}}}`:                                                  "/data/attributes/due_at",
			`{"due_at":` + day + `,"data":{"type":"explorer_bulk_actions"}}`:                                 "/data/attributes/due_at",
			`{"data":{"type":"change_requests","attributes":{"due_at":` + day + `}}}`:                        "/data/type",
			`{"data":{"attributes":{"due_at":` + day + `,"due_at":` + other + `}}}`:                          "/data/attributes/due_at",
			`{"data":{"relationships":{"x":{"data":{"due_at":` + day + `}}},"meta":{"due_at":` + day + `}}}`: "/data/attributes/due_at",
		} {
			if r := s.do("PATCH", one, s.Token, body).want(t, 422); r.text("errors.0.source.pointer") != at {
				t.Errorf("%s: %s", body, r.Body)
			}
		}
		for _, data := range []string{
			`"type":"explorer_bulk_actions","attributes":{"due_at":` + day + `}`, `"type":"bulk_actions","attributes":{"due-at":` + day + `}`,
			`"type":"bulk-actions","due_at":` + day, `"due-at":` + other + `,"attributes":{"due_at":` + day + `}`,
		} {
			s.do("PATCH", one, s.Token, `{"data":{`+data+`}}`).want(t, 200)
			if shown := s.do("GET", one, s.Token, "").text("data.attributes.due_at"); shown != "2031-01-31T00:00:00.000Z" {
				t.Errorf("%s: due at %s", data, shown)
			}
			s.do("PATCH", one, s.Token, `{"data":{"attributes":{"due_at":null}}}`).want(t, 200)
		}
		for data, at := range map[string]string{
			`"due_at":` + day: "", `"attributes":{"due-at":` + day + `}`: "",
			`"attributes":{"due-at":7}`:              "/data/attributes/due-at",
			`"due_at":` + day + `,"due-at":` + other: "/data/due-at",
		} {
			r := s.do("POST", all, s.Token, `{"data":{"action_type":"change_requests","action_inputs":{"subject":"S","message":"m"},"target_ids":["`+s.idOf("one")+`"],`+data+`}}`)
			if due := r.text("data.attributes.due_at"); r.text("errors.0.source.pointer") != at || at == "" && due != "2031-01-31T00:00:00.000Z" {
				t.Errorf("%s: %s", data, r.Body)
			}
			if at == "" { // it is not to be counted below
				s.do("POST", "/change-requests/"+s.do("GET", "/organizations/acme/change-requests?filter[bulk-action]="+r.text("data.id"), s.Token, "").text("data.0.id"), s.Token, "").want(t, 200)
			}
		}
		if cleared := s.do("PATCH", one, s.Token, `{"data":{"attributes":{"due_at":null}}}`).want(t, 200); cleared.at("data.attributes.due_at") != nil {
			t.Errorf("%s", cleared.Body)
		}

		version("one", "1.10.1")
		s.workspace("acme", "late")
		version("late", "1.9.8")
		progress := func(of string, want map[string]any) {
			t.Helper()
			r := s.do("GET", of+"/progress", s.Token, "").want(t, 200)
			for name, value := range want {
				if r.at("data.attributes."+name) != value {
					t.Errorf("%s is %v, want %v: %s", name, r.at("data.attributes."+name), value, r.Body)
				}
			}
		}
		progress(one, map[string]any{"archived_count": 0.0, "unarchived_count": 3.0, "matching_count": 2.0, "ready_count": 1.0, "unfiled_count": 1.0, "notification_count": 0.0, "delivered_notification_count": 0.0, "projects.0.unarchived_count": 3.0})
		progress(all+"/"+given, map[string]any{"unarchived_count": 1.0, "matching_count": nil, "ready_count": nil, "unfiled_count": nil})
		if r := s.do("POST", one+"/actions/archive-ready", s.Token, "").want(t, 200); r.at("meta.archived-count") != 1.0 {
			t.Errorf("%s", r.Body)
		}
		for range 2 {
			if r := s.do("POST", one+"/actions/file-again", s.Token, "").want(t, 200); r.at("meta.created-count") != 4.0 {
				t.Errorf("%s", r.Body)
			}
		}
		progress(one, map[string]any{"archived_count": 1.0, "unarchived_count": 3.0, "ready_count": 0.0, "unfiled_count": 0.0, "days.0.archived_count": 1.0})
		for _, do := range []string{"archive-ready", "file-again"} {
			s.do("POST", all+"/"+given+"/actions/"+do, s.Token, "").want(t, 422)
		}
	})
}

func TestRemindersTellOfWhatIsOpen(t *testing.T) {
	notifying(t, func(t *testing.T, s *server) {
		s.organization("acme")
		one, two := s.workspace("acme", "one"), s.workspace("acme", "two")
		h := receiver(t, nil)
		for _, w := range []string{one, two} {
			s.notify("/workspaces/"+w, "generic", h.URL, "")
		}
		action := "/organizations/acme/explorer/bulk-actions/" + s.fileRequests("acme", "Upgrade", one, two).text("data.id")
		waitFor(t, "the news", func() bool { return len(h.all()) == 2 })
		waitFor(t, "both to be known as delivered", func() bool {
			r := s.do("GET", action+"/progress", s.Token, "").want(t, 200)
			return r.at("data.attributes.notification_count") == 2.0 && r.at("data.attributes.delivered_notification_count") == 2.0
		})
		s.user("olga")
		s.join("acme", "olga", s.owners("acme"))
		if page := s.signIn("olga").get("/app/acme/changes/" + path.Base(action)); !strings.Contains(page.Body, "2 of 2 notices delivered") {
			t.Errorf("%s", page.Body)
		}
		s.do("POST", "/change-requests/"+s.firstRequest(one), s.Token, "").want(t, 200)

		if r := s.do("POST", action+"/actions/remind", s.Token, "").want(t, 200); r.text("data.attributes.reminded_at") == "" {
			t.Errorf("%s", r.Body)
		}
		waitFor(t, "the reminder", func() bool { return len(h.all()) > 2 })
		told := h.all()
		if len(told) != 3 || told[2].text("trigger") != "change_request:reminder" || told[2].text("message") != "Change request still open" || told[2].text("workspace_id") != two {
			t.Errorf("%d told: %v", len(told), told[2:])
		}
		s.do("POST", action+"/actions/remind", s.Token, "").want(t, 409) // within the hour
		s.do("POST", "/change-requests/"+s.firstRequest(two), s.Token, "").want(t, 200)
		if r := s.do("POST", action+"/actions/remind", s.Token, "").want(t, 409); r.text("errors.0.detail") != "all change requests of the bulk action are archived" {
			t.Errorf("%s", r.Body)
		}
	})
}
