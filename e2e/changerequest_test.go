package e2e_test

import (
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"
)

// fileRequests puts a change request on workspaces and returns the bulk action's answer.
func (s *server) fileRequests(organization, subject string, ids ...string) reply {
	s.t.Helper()
	return s.do("POST", "/organizations/"+organization+"/explorer/bulk-actions", s.Token, fmt.Sprintf(
		`{"data":{"type":"bulk_actions","attributes":{"action_type":"change_requests","action_inputs":{"subject":%q,"message":"**do** it"},"target_ids":["%s"]}}}`,
		subject, strings.Join(ids, `","`))).want(s.t, 201)
}

// firstRequest is the id of the newest open change request of a workspace.
func (s *server) firstRequest(workspaceID string) string {
	s.t.Helper()
	return s.do("GET", "/workspaces/"+workspaceID+"/change-requests", s.Token, "").want(s.t, 200).text("data.0.id")
}

func TestChangeRequestPaths(t *testing.T) {
	each(t, func(t *testing.T, s *server) {
		s.organization("acme")
		w := s.workspace("acme", "network")
		s.fileRequests("acme", "Upgrade", w)
		id := s.firstRequest(w)
		for _, path := range []string{
			"/workspaces/" + w + "/change-requests", "/workspaces/network/change-requests",
			"/organizations/acme/workspaces/network/change-requests", "/organizations/acme/change-requests",
		} {
			r := s.do("GET", path, s.Token, "").want(t, 200)
			if r.text("data.0.id") != id || r.at("meta.pagination.total-count") != 1.0 || r.text("data.0.type") != "workspace_change_requests" {
				t.Errorf("%s: %s", path, r.Body)
			}
		}
		for _, path := range []string{"/workspaces/change-requests/", "/change-requests/"} {
			r := s.do("GET", path+id, s.Token, "").want(t, 200)
			if r.text("data.attributes.subject") != "Upgrade" || r.text("data.attributes.message") != "**do** it" ||
				r.text("data.relationships.workspace.data.id") != w || r.at("data.attributes.archived-at") != nil {
				t.Errorf("%s: %s", path, r.Body)
			}
			s.do("GET", path+"wscr-0000000000000000", s.Token, "").want(t, 404)
		}
		s.do("GET", "/workspaces/nothing/change-requests", s.Token, "").want(t, 404)
		s.do("GET", "/organizations/acme/change-requests?filter[archived]=maybe", s.Token, "").want(t, 400)
		s.do("GET", "/change-requests/"+id+"/actions/archive", s.Token, "").want(t, 200)
		if got := s.do("GET", "/workspaces/"+w, s.Token, "").at("data.attributes.unarchived_workspace_change_requests_count"); got != 1.0 {
			t.Errorf("a GET archived it, or the count is wrong: %v", got)
		}
	})
}

func TestArchiveOnEveryPath(t *testing.T) {
	each(t, func(t *testing.T, s *server) {
		s.organization("acme")
		w := s.workspace("acme", "network")
		variants := [][2]string{
			{"POST", "/workspaces/change-requests/%s"}, {"PATCH", "/workspaces/change-requests/%s"},
			{"POST", "/change-requests/%s"}, {"PATCH", "/change-requests/%s"}, {"POST", "/change-requests/%s/actions/archive"},
		}
		for i, v := range variants {
			s.fileRequests("acme", fmt.Sprint("Number ", i), w)
			id := s.firstRequest(w)
			r := s.do(v[0], fmt.Sprintf(v[1], id), s.Token, "").want(t, 200)
			by, at := r.text("data.attributes.archived-by"), r.text("data.attributes.archived-at")
			if !strings.HasPrefix(by, "user-") || !strings.HasSuffix(at, "Z") {
				t.Errorf("%v: %s", v, r.Body)
			}
			for _, again := range variants {
				refused := s.do(again[0], fmt.Sprintf(again[1], id), s.Token, "").want(t, 400)
				if refused.text("errors.0.title") != "bad request" || !strings.Contains(refused.text("errors.0.detail"), "already archived") {
					t.Errorf("again by %v: %s", again, refused.Body)
				}
			}
			if now := s.do("GET", "/change-requests/"+id, s.Token, "").text("data.attributes.archived-at"); now != at {
				t.Errorf("archived-at moved from %s to %s", at, now)
			}
		}
	})
}

func TestChangeRequestListOrderAndFilters(t *testing.T) {
	each(t, func(t *testing.T, s *server) {
		s.organization("acme")
		one, two := s.workspace("acme", "one"), s.workspace("acme", "two")
		for _, subject := range []string{"a", "c", "b"} {
			s.fileRequests("acme", subject, one)
		}
		s.fileRequests("acme", "d", two)
		archived := s.do("GET", "/workspaces/one/change-requests?sort=subject", s.Token, "").text("data.0.id")
		s.do("POST", "/change-requests/"+archived, s.Token, "").want(t, 200)
		all := "/organizations/acme/change-requests"
		for path, want := range map[string]string{
			all:                                   "d b c a",
			all + "?archive=true":                 "a",
			all + "?archive=false":                "d b c",
			all + "?filter[archived]=false":       "d b c",
			all + "?sort=subject":                 "a b c d",
			all + "?sort=-subject":                "d c b a",
			all + "?sort=created-at":              "a c b d",
			all + "?sort=-created-at":             "d b c a",
			all + "?sort=archived-at":             "a b c d", // what is not archived comes last, as it was made
			all + "?filter[workspace]=two":        "d",
			all + "?filter[workspace]=" + one:     "b c a",
			all + "?filter[workspace]=two," + one: "d b c a",
			all + "?filter[workspace][name]=two":  "d",
			all + "?filter[project][id]=prj-none": "",
			all + "?filter[creator]=admin":        "d b c a",
			all + "?filter[creator]=nobody":       "",
			all + "?filter[created-after]=2020-01-01&filter[created-before]=2100-01-01": "d b c a",
			all + "?filter[created-after]=2100-01-01T00:00:00Z":                         "",
			all + "?page[size]=2&page[number]=2":                                        "c a",
			"/workspaces/one/change-requests":                                           "b c a",
		} {
			r := s.do("GET", path, s.Token, "").want(t, 200)
			if got := r.column("subject"); strings.HasPrefix(path, all+"?sort=archived-at") && strings.HasPrefix(got, "a ") {
				continue // the rest is in the order of their ids
			} else if got != want {
				t.Errorf("%s: %q, want %q", path, got, want)
			}
		}
		for query, part := range map[string]string{
			"filter[created-after]=yesterday": "filter[created-after]", "filter[archive]=true": "filter[archive]", "filter=x": "filter ",
			"filter[workspace][nope]=x": "filter[workspace][nope]", "sort=nonsense": "sort", "sort=-workspace": "sort", "archive=maybe": "archive",
		} {
			for _, path := range []string{all, "/workspaces/one/change-requests", "/workspaces/" + one + "/change-requests", "/organizations/acme/workspaces/one/change-requests"} {
				if r := s.do("GET", path+"?"+query, s.Token, "").want(t, 400); !strings.HasPrefix(r.text("errors.0.detail"), part) {
					t.Errorf("%s: %s", query, r.Body)
				}
			}
		}
		s.do("GET", all+"?include=nothing&anything=else&q=x", s.Token, "").want(t, 200)
	})
}

// column is one attribute of every row of a list, joined by blanks.
func (r reply) column(attribute string) string {
	rows, _ := r.at("data").([]any)
	var found []string
	for i := range rows {
		found = append(found, fmt.Sprint(r.at(fmt.Sprintf("data.%d.attributes.%s", i, attribute))))
	}
	return strings.Join(found, " ")
}

func TestAmbiguousWorkspaceName(t *testing.T) {
	each(t, func(t *testing.T, s *server) {
		s.organization("acme")
		s.organization("umbrella")
		s.workspace("acme", "network")
		s.workspace("umbrella", "network")
		r := s.do("GET", "/workspaces/network/change-requests", s.Token, "").want(t, 404)
		if r.text("errors.0.detail") != "ambiguous workspace name; use the workspace id" {
			t.Errorf("%s", r.Body)
		}
		s.workspace("acme", "change-requests")
		s.do("GET", "/workspaces/change-requests/change-requests", s.Token, "").want(t, 200)
		s.do("GET", "/organizations/umbrella/workspaces/network/change-requests", s.Token, "").want(t, 200)
	})
}

func TestBulkActionBodies(t *testing.T) {
	each(t, func(t *testing.T, s *server) {
		o := s.organization("acme")
		w, other := s.workspace("acme", "one"), s.workspace("acme", "two")
		s.organization("umbrella")
		foreign := s.workspace("umbrella", "far")
		path := "/organizations/acme/explorer/bulk-actions"
		inputs := `"action_inputs":{"subject":" Upgrade ","message":"m"}`
		for _, body := range []string{
			`{"data":{"action_type":"change_request",` + inputs + `,"target_ids":["` + w + `"]}}`,
			`{"data":{"type":"bulk_actions","attributes":{"action_type":"change_requests",` + inputs + `,"target_ids":["` + w + `","` + w + `"]}}}`,
			`{"data":{"type":"explorer_bulk_actions","action_type":"nonsense","attributes":{"action_type":"change_requests",` + inputs + `,"target_ids":["` + w + `"],"query":null}}}`,
		} {
			r := s.do("POST", path, s.Token, body).want(t, 201)
			if r.text("data.type") != "explorer_bulk_actions" || r.text("data.attributes.action_type") != "change_requests" ||
				r.text("data.attributes.organization_id") != o.ExternalID || r.text("data.attributes.action_inputs.subject") != "Upgrade" ||
				r.text("data.attributes.created_by.type") != "users" || r.at("meta.created-count") != 1.0 {
				t.Errorf("%s: %s", body, r.Body)
			}
		}
		s.do("POST", "/organizations/"+o.ExternalID+"/explorer/bulk-actions", s.Token,
			`{"data":{"action_type":"change_request",`+inputs+`,"target_ids":["`+w+`","`+other+`"]}}`).want(t, 201)
		for body, pointer := range map[string]string{
			`{"data":{"action_type":"destroy",` + inputs + `,"target_ids":["` + w + `"]}}`:                                                                      "/data/action_type",
			`{"data":{"attributes":{` + inputs + `,"target_ids":["` + w + `"]}}}`:                                                                               "/data/attributes/action_type",
			`{"data":{"attributes":{"action_type":"change_request","action_inputs":{"subject":" ","message":"m"},"target_ids":["` + w + `"]}}}`:                 "/data/attributes/action_inputs/subject",
			`{"data":{"attributes":{"action_type":"change_request","action_inputs":{"subject":"s"},"target_ids":["` + w + `"]}}}`:                               "/data/attributes/action_inputs/message",
			`{"data":{"attributes":{"action_type":"change_request","action_inputs":{"subject":7,"message":"m"},"target_ids":["` + w + `"]}}}`:                   "/data/attributes/action_inputs/subject",
			`{"data":{"attributes":{"action_type":"change_request","action_inputs":7,"target_ids":["` + w + `"]}}}`:                                             "/data/attributes/action_inputs",
			`{"data":{"attributes":{"action_type":"change_request","action_inputs":null,"target_ids":["` + w + `"]}}}`:                                          "/data/attributes/action_inputs/subject",
			`{"data":{"action_type":7,` + inputs + `,"target_ids":["` + w + `"]}}`:                                                                              "/data/action_type",
			`{"data":{"attributes":{"action_type":"change_request",` + inputs + `},"target_ids":["` + w + `",7]}}`:                                              "/data/target_ids/1",
			`{"data":{"attributes":{"action_type":"change_request",` + inputs + `,"target_ids":["` + w + `","` + w + `",null]}}}`:                               "/data/attributes/target_ids/2",
			`{"data":{"action_type":"change_request",` + inputs + `}}`:                                                                                          "/data",
			`{"data":{"action_type":"change_request",` + inputs + `,"target_ids":["` + w + `"],"query":{"type":"workspaces"}}}`:                                 "/data",
			`{"data":{"action_type":"change_request",` + inputs + `,"target_ids":[]}}`:                                                                          "/data/target_ids",
			`{"data":{"action_type":"change_request",` + inputs + `,"target_ids":["` + w + `","` + foreign + `"]}}`:                                             "/data/target_ids/1",
			`{"data":{"action_type":"change_request",` + inputs + `,"target_ids":"` + w + `"}}`:                                                                 "/data/target_ids",
			`{"data":{"action_type":"change_request","action_inputs":{"subject":"` + strings.Repeat("x", 256) + `","message":"m"},"target_ids":["` + w + `"]}}`: "/data/action_inputs/subject",
			`{"data":{"type":"workspaces","action_type":"change_request",` + inputs + `,"target_ids":["` + w + `"]}}`:                                           "/data/type",
		} {
			r := s.do("POST", path, s.Token, body).want(t, 422)
			if r.text("errors.0.source.pointer") != pointer {
				t.Errorf("%s: %s", body, r.Body)
			}
		}
		s.do("POST", path, s.Token, `{"data":`).want(t, 400)
		words := func(subject, message string) reply {
			return s.do("POST", path, s.Token, `{"data":{"attributes":{"action_type":"change_request","action_inputs":{"subject":"`+subject+`","message":"`+message+`"},"target_ids":["`+w+`"]}}}`)
		}
		for _, bad := range []string{`a\r\nb`, `a\nb`, `a\tb`, `a\u001bb`, `a\u007fb`, `a\u2028b`, `a\u2029b`, `a\u0085b`, `a\n`} {
			if r := words(bad, "m").want(t, 422); r.text("errors.0.source.pointer") != "/data/attributes/action_inputs/subject" {
				t.Errorf("%s: %s", bad, r.Body)
			}
		}
		for _, bad := range []string{`a\u001bb`, `a\rb`, `a\u007f`, `\u0001`} {
			if r := words("s", bad).want(t, 422); r.text("errors.0.source.pointer") != "/data/attributes/action_inputs/message" {
				t.Errorf("%s: %s", bad, r.Body)
			}
		}
		s.do("POST", path, s.Token, `{"data":{"action_type":"change_request","action_inputs":{"subject":"a\u0000b","message":"m"},"target_ids":["`+w+`"]}}`).want(t, 422)
		if got := s.do("GET", "/workspaces/"+w, s.Token, "").at("data.attributes.unarchived_workspace_change_requests_count"); got != 4.0 {
			t.Errorf("a refused bulk action left something: %v change requests", got)
		}
	})
}

func TestBulkActionCountsAndIdempotency(t *testing.T) {
	each(t, func(t *testing.T, s *server) {
		s.organization("acme")
		w, other := s.workspace("acme", "one"), s.workspace("acme", "two")
		made := s.fileRequests("acme", "first", w, other)
		s.do("POST", "/change-requests/"+s.firstRequest(w), s.Token, "").want(t, 200)
		shown := s.do("GET", "/organizations/acme/explorer/bulk-actions/"+made.text("data.id"), s.Token, "").want(t, 200)
		if shown.at("meta.created-count") != 2.0 || shown.at("meta.archived-count") != 1.0 || shown.at("meta.unarchived-count") != 1.0 {
			t.Errorf("%s", shown.Body)
		}
		if plain := s.do("GET", "/explorer/bulk-actions/"+made.text("data.id"), s.Token, "").want(t, 200); plain.Body != shown.Body {
			t.Errorf("%s", plain.Body)
		}
		s.organization("umbrella")
		_, outsider := s.user("outsider")
		for path, token := range map[string]string{
			"/organizations/acme/explorer/bulk-actions/eba-0000000000000000":        s.Token,
			"/explorer/bulk-actions/eba-0000000000000000":                           s.Token,
			"/organizations/umbrella/explorer/bulk-actions/" + made.text("data.id"): s.Token,
			"/explorer/bulk-actions/" + made.text("data.id"):                        outsider,
		} {
			s.do("GET", path, token, "").want(t, 404)
		}

		body := `{"data":{"action_type":"change_request","action_inputs":{"subject":"once","message":"m"},"target_ids":["` + w + `"]}}`
		var answers sync.Map
		var wait sync.WaitGroup
		for range 8 {
			wait.Go(func() {
				r := s.withKey("key-1", body)
				answers.Store(r.text("data.id"), r.Status)
			})
		}
		wait.Wait()
		count := 0
		answers.Range(func(id, status any) bool {
			if count++; status != http.StatusCreated || !strings.HasPrefix(id.(string), "eba-") {
				t.Errorf("%v: %v", id, status)
			}
			return true
		})
		if count != 1 {
			t.Errorf("%d bulk actions for one key", count)
		}
		s.withKey("key-1", strings.Replace(body, "once", "twice", 1)).want(t, 422)
		s.withKey("key-2", body).want(t, 201)
		if total := s.do("GET", "/workspaces/one/change-requests", s.Token, "").at("meta.pagination.total-count"); total != 3.0 {
			t.Errorf("%v change requests, want 3", total)
		}
	})
}

// withKey orders a bulk action in acme with an idempotency key.
func (s *server) withKey(key, body string) reply {
	s.t.Helper()
	request, err := http.NewRequest(http.MethodPost, s.URL+"/api/v2/organizations/acme/explorer/bulk-actions", strings.NewReader(body))
	must(s.t, err)
	request.Header.Set("Authorization", "Bearer "+s.Token)
	request.Header.Set("Content-Type", "application/vnd.api+json")
	request.Header.Set("Idempotency-Key", key)
	return s.send(request)
}

func TestChangeRequestStatements(t *testing.T) {
	each(t, func(t *testing.T, s *server) {
		s.organization("acme")
		w := s.workspace("acme", "network")
		paths := []string{
			"/workspaces/" + w + "/change-requests?page[size]=100", "/workspaces/network/change-requests?page[size]=100",
			"/organizations/acme/change-requests?page[size]=100", "/organizations/acme/explorer?type=workspaces&sort=-resource_count&page[size]=100",
			"/organizations/acme/explorer?type=workspaces&filter[0][workspace_updated_at][is_after][0]=2001-01-01&page[size]=100",
			"/organizations/acme/audit-trail",
		}
		s.fileRequests("acme", "first", w)
		var few []int
		for _, path := range paths {
			few = append(few, s.cost("GET", path, s.Token))
		}
		for i := range 30 {
			s.fileRequests("acme", fmt.Sprint("more ", i), w, s.workspace("acme", fmt.Sprint("w", i)))
		}
		for i, path := range paths {
			if many := s.cost("GET", path, s.Token); many != few[i] || many > 8 {
				t.Errorf("%s costs %d statements, and with more rows %d", path, few[i], many)
			}
		}
		show := "/change-requests/" + s.firstRequest(w)
		if n := s.cost("GET", show, s.Token); n > 6 {
			t.Errorf("one change request costs %d statements", n)
		}
	})
}
