package e2e_test

import (
	"encoding/base64"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
)

// ask sends a request with headers, as the site admin.
func (s *server) ask(method, path, body string, headers ...string) reply {
	s.t.Helper()
	r, err := s.asking(method, path, body, headers...)
	must(s.t, err)
	return r
}

func (s *server) asking(method, path, body string, headers ...string) (reply, error) {
	request, err := http.NewRequest(method, s.URL+"/api/v2"+path, strings.NewReader(body))
	if err != nil {
		return reply{}, err
	}
	request.Header.Set("Authorization", "Bearer "+s.Token)
	request.Header.Set("Content-Type", "application/vnd.api+json")
	for i := 0; i < len(headers); i += 2 {
		request.Header.Set(headers[i], headers[i+1])
	}
	return s.exchange(request)
}

func TestConditionalRequests(t *testing.T) {
	each(t, func(t *testing.T, s *server) {
		s.organization("acme")
		path := "/workspaces/" + s.workspace("acme", "network")
		first := s.ask("GET", path, "").want(t, 200)
		tag := first.Header.Get("ETag")
		if tag == "" || s.ask("GET", path, "").Header.Get("ETag") != tag {
			t.Fatalf("the tag does not stay: %q", tag)
		}
		if got := s.ask("GET", path, "", "If-None-Match", `"x", W/`+tag).want(t, 304); got.Body != "" {
			t.Errorf("an answer that says nothing has a body: %s", got.Body)
		}
		change := func(description string, headers ...string) reply {
			return s.ask("PATCH", path, `{"data":{"attributes":{"description":"`+description+`"}}}`, headers...)
		}
		change("one", "If-Match", tag).want(t, 200)
		refused := change("two", "If-Match", tag).want(t, 412)
		wantText(t, "title", refused.text("errors.0.title"), "precondition failed")
		s.ask("DELETE", path, "", "If-Match", tag).want(t, 412)
		s.ask("GET", path, "", "If-None-Match", tag).want(t, 200)
		change("three", "If-Match", "*").want(t, 200)
		change("four").want(t, 200)
		s.ask("PATCH", "/workspaces/ws-1111111111111111", `{"data":{"attributes":{}}}`, "If-Match", "*").want(t, 404)

		tag = s.ask("GET", path, "").Header.Get("ETag")
		if won := s.race(20, func(i int) int {
			r, _ := s.asking("PATCH", path, fmt.Sprintf(`{"data":{"attributes":{"description":"racer %d"}}}`, i), "If-Match", tag)
			return r.Status
		}); won[200] != 1 || won[412] != 19 {
			t.Errorf("of twenty who had seen the same: %v", won)
		}
		tag = s.ask("GET", path, "").Header.Get("ETag")
		s.ask("DELETE", path, "", "If-Match", tag).want(t, 204)
		if s.ask("GET", "/organizations/acme/workspaces", "").Header.Get("ETag") != "" {
			t.Error("a list has a tag")
		}
	})
}

// race does something many times at once, and counts what came of it.
func (s *server) race(n int, do func(i int) int) map[int]int {
	var mu sync.Mutex
	var all sync.WaitGroup
	counts := map[int]int{}
	for i := range n {
		all.Go(func() {
			status := do(i)
			mu.Lock()
			counts[status]++
			mu.Unlock()
		})
	}
	all.Wait()
	return counts
}

func TestIdempotencyKeys(t *testing.T) {
	each(t, func(t *testing.T, s *server) {
		s.organization("acme")
		body := func(name string) string { return `{"data":{"attributes":{"name":"` + name + `"}}}` }
		const path = "/organizations/acme/workspaces"
		first := s.ask("POST", path, body("network"), "Idempotency-Key", "k1").want(t, 201)
		again := s.ask("POST", path, body("network"), "Idempotency-Key", "k1").want(t, 201)
		if again.Body != first.Body {
			t.Errorf("another answer:\n%s\n%s", first.Body, again.Body)
		}
		s.ask("POST", path, body("other"), "Idempotency-Key", "k1").want(t, 422)
		s.ask("POST", "/organizations/acme/projects", body("network"), "Idempotency-Key", "k1").want(t, 422)
		s.ask("POST", path, body("network"), "Idempotency-Key", "k2").want(t, 422)
		s.ask("POST", path, body("free"), "Idempotency-Key", "k2").want(t, 201) // nothing was kept of the refusal
		s.ask("POST", path, body("x"), "Idempotency-Key", strings.Repeat("k", 256)).want(t, 400)
		_, token := s.user("ann")
		s.do("POST", "/organizations", token, `{"data":{"attributes":{"name":"anns","email":"a@example.com"}}}`).want(t, 201)
		request, _ := http.NewRequest(http.MethodPost, s.URL+"/api/v2/organizations/anns/workspaces", strings.NewReader(body("network")))
		request.Header = http.Header{"Authorization": {"Bearer " + token}, "Content-Type": {"application/vnd.api+json"}, "Idempotency-Key": {"k1"}}
		s.send(request).want(t, 201) // a key is its principal's own

		// Of many at once one does it, whatever can be made twice.
		for _, c := range []struct{ path, body, list string }{
			{"/organizations/acme/ssh-keys", `{"data":{"attributes":{"name":"k","value":"v"}}}`, "/organizations/acme/ssh-keys"},
			{"/organizations/acme/teams", body("ops"), "/organizations/acme/teams?filter[names]=ops"},
			{"/organizations/acme/organization-memberships", `{"data":{"attributes":{"email":"b@example.com"}}}`, "/organizations/acme/organization-memberships?filter[status]=invited"},
		} {
			answers := sync.Map{}
			counts := s.race(10, func(int) int {
				r, err := s.asking("POST", c.path, c.body, "Idempotency-Key", c.path)
				if err == nil {
					answers.Store(r.Body, true)
				}
				return r.Status
			})
			distinct := 0
			answers.Range(func(any, any) bool { distinct++; return true })
			if len(counts) != 1 || distinct != 1 {
				t.Errorf("%s: %v, %d answers", c.path, counts, distinct)
			}
			if c.list != "" {
				if n := s.do("GET", c.list, s.Token, "").at("meta.pagination.total-count"); n != 1.0 {
					t.Errorf("%s made %v", c.path, n)
				}
			}
		}
	})
}

// TestAKeyOpensNothing sends requests again with another token of the same team, and after
// the rights are gone, and looks for the values of tokens in what was kept.
func TestAKeyOpensNothing(t *testing.T) {
	each(t, func(t *testing.T, s *server) {
		s.organization("acme")
		made := s.do("POST", "/organizations/acme/teams", s.Token, `{"data":{"attributes":{"name":"ops","organization-access":{"manage-workspaces":true}}}}`).want(t, 200)
		team := made.text("data.id")
		token := func(name string) string {
			return s.do("POST", "/teams/"+team+"/authentication-tokens", s.Token, `{"data":{"attributes":{"description":"`+name+`"}}}`).want(t, 201).text("data.attributes.token")
		}
		first, second := token("first"), token("second")
		body := func(name string) string { return `{"data":{"attributes":{"name":"` + name + `"}}}` }
		with := func(token, path, body, key string) reply {
			return s.ask("POST", path, body, "Authorization", "Bearer "+token, "Idempotency-Key", key)
		}
		const path = "/organizations/acme/workspaces"
		id := with(first, path, body("network"), "k").want(t, 201).text("data.id")
		with(first, path, body("network"), "k").want(t, 201)
		with(second, path, body("network"), "k").want(t, 422) // the name is taken: the key is the other's
		with(second, path, body("other"), "k").want(t, 201)

		s.do("POST", "/workspaces/"+id+"/actions/lock", first, "").want(t, 200)
		raw := []byte(`{"version":4,"terraform_version":"1.12.6","serial":1,"lineage":"l","outputs":{},"resources":[]}`)
		state := fmt.Sprintf(`{"data":{"type":"state-versions","attributes":{"serial":1,"lineage":"l","md5":%q,"state":%q}}}`, md5Of(raw), base64.StdEncoding.EncodeToString(raw))
		with(first, "/workspaces/"+id+"/state-versions", state, "s").want(t, 201)
		with(first, "/workspaces/"+id+"/state-versions", state, "s").want(t, 201)

		switches := func(on bool) {
			s.do("PATCH", "/teams/"+team, s.Token, fmt.Sprintf(`{"data":{"attributes":{"organization-access":{"manage-workspaces":%t}}}}`, on)).want(t, 200)
		}
		switches(false)
		with(first, path, body("network"), "k").want(t, 404)
		with(first, "/workspaces/"+id+"/state-versions", state, "s").want(t, 404)
		switches(true)
		if again := with(first, path, body("network"), "k").want(t, 201); again.text("data.id") != id {
			t.Errorf("another workspace: %s", again.Body)
		}

		for _, path := range []string{"/teams/" + team + "/authentication-tokens", "/organizations/acme/authentication-token"} {
			made := s.ask("POST", path, `{"data":{"attributes":{"description":"d"}}}`, "Idempotency-Key", path).want(t, 201)
			again := s.ask("POST", path, `{"data":{"attributes":{"description":"d"}}}`, "Idempotency-Key", path).want(t, 201)
			if made.text("data.attributes.token") == "" || again.at("data.attributes.token") != nil || made.text("data.id") != again.text("data.id") {
				t.Errorf("POST %s is answered with %s, and then with %s", path, made.Body, again.Body)
			}
			s.do("GET", "/organizations/acme/entitlement-set", made.text("data.attributes.token"), "").want(t, 200) // it is the one that there is
		}
	})
}

func TestIdempotencyKeysOutliveAKill(t *testing.T) {
	slow(t)
	each(t, func(t *testing.T, s *server) {
		path := "/users/" + s.do("GET", "/account/details", s.Token, "").text("data.id") + "/authentication-tokens"
		for round := range 8 {
			var sent sync.WaitGroup
			for i := range 10 {
				sent.Go(func() {
					_, _ = s.asking("POST", path, `{"data":{"attributes":{"description":"d"}}}`, "Idempotency-Key", fmt.Sprintf("%d/%d", round, i))
				})
			}
			s.kill()
			sent.Wait()
			s.run()
			for i := range 10 {
				s.ask("POST", path, `{"data":{"attributes":{"description":"d"}}}`, "Idempotency-Key", fmt.Sprintf("%d/%d", round, i)).want(t, 201)
			}
			if n := s.do("GET", path, s.Token, "").at("meta.pagination.total-count"); n != float64(1+10*(round+1)) { // one is the test's own
				t.Fatalf("after %d rounds of ten: %v", round+1, n)
			}
		}
	})
}

// TestAKeyCostsTheSameWhateverIsKept pins what an Idempotency-Key costs: two statements, and
// nothing where there is none.
func TestAKeyCostsTheSameWhateverIsKept(t *testing.T) {
	each(t, func(t *testing.T, s *server) {
		s.organization("acme")
		n := 0
		cost := func(key bool) int {
			least := 1 << 30
			for range 5 {
				n++
				headers := []string{"X-Request-Id", "r"}
				if key {
					headers = []string{"Idempotency-Key", fmt.Sprint("key", n)}
				}
				before := s.statements()
				s.ask("POST", "/organizations/acme/projects", fmt.Sprintf(`{"data":{"attributes":{"name":"project %d"}}}`, n), headers...).want(t, 201)
				least = min(least, s.statements()-before)
			}
			return least
		}
		without, with := cost(false), cost(true)
		for range 50 {
			n++
			s.ask("POST", "/organizations/acme/projects", fmt.Sprintf(`{"data":{"attributes":{"name":"project %d"}}}`, n), "Idempotency-Key", fmt.Sprint("key", n)).want(t, 201)
		}
		if after := cost(true); with != without+2 || after != with {
			t.Errorf("without a key %d statements, with one %d, with many kept %d", without, with, after)
		}
	})
}

func TestUnknownFiltersAreRefused(t *testing.T) {
	each(t, func(t *testing.T, s *server) {
		s.organization("acme")
		id := s.workspace("acme", "network")
		for path, status := range map[string]int{
			"/organizations/acme/workspaces?filter[projects][id]=prj-x":                       400,
			"/organizations/acme/workspaces?filter[tagged][0][value]=x&search[anything]=x":    200,
			"/organizations/acme/workspaces?filter[tagged][0][name]=x":                        400,
			"/organizations/acme/workspaces?filter[tag-union]=true&sort=nonsense":             200,
			"/organizations/acme/workspaces?TagBindings=%7B%7D":                               200,
			"/organizations/acme/projects?filter[name]=x":                                     400,
			"/organizations/acme/projects?filter[permissions][update]=true":                   200,
			"/organizations/acme/teams?filter[names]=x":                                       200,
			"/organizations/acme/teams?filter[name]=x":                                        400,
			"/organizations/acme/organization-memberships?filter[statuses]=active":            400,
			"/organizations/acme/varsets?filter[name]=x":                                      400,
			"/workspaces/" + id + "/vars?filter[key]=x":                                       400,
			"/state-versions?filter[workspace][name]=network&filter[organization][name]=acme": 200,
			"/organizations/acme/explorer?type=workspaces&filter[0][workspace_name][is][0]=x": 200,
		} {
			if got := s.do("GET", path, s.Token, ""); got.Status != status || status == 400 && !strings.Contains(got.text("errors.0.detail"), "filter[") {
				t.Errorf("%s: %d, want %d: %s", path, got.Status, status, got.Body)
			}
		}
	})
}

func TestAWrongTypeHidesNoOtherProblem(t *testing.T) {
	each(t, func(t *testing.T, s *server) {
		s.organization("acme")
		known := map[string]string{"w": s.workspace("acme", "network")}
		pointers := func(names ...string) map[string]string {
			wants := map[string]string{fmt.Sprintf("errors.%d.title", len(names)): "absent"}
			for i, name := range names {
				wants[fmt.Sprintf("errors.%d.source.pointer", i)] = `"/data/attributes/` + name + `"`
			}
			return wants
		}
		s.steps(t, known, []step{
			{method: "POST", path: "/organizations/acme/workspaces", body: `"name":"a b","auto-apply":"yes","working-directory":".."`, status: 422, wants: pointers("auto-apply", "name", "working-directory")},
			{method: "POST", path: "/organizations/acme/workspaces", body: `"name":7`, status: 422, wants: pointers("name")},
			{method: "PATCH", path: "/workspaces/{w}", body: `"name":"","auto-apply":"yes","description":"never kept"`, status: 422, wants: pointers("auto-apply", "name")},
			{method: "GET", path: "/workspaces/{w}", status: 200, wants: map[string]string{attr + "description": "null"}},
			{method: "POST", path: "/organizations/acme/projects", body: `"name":"x","description":7`, status: 422, wants: pointers("description", "name")},
			{method: "POST", path: "/organizations/acme/teams", body: `"name":"a/b","visibility":7`, status: 422, wants: pointers("visibility", "name")},
			{method: "POST", path: "/organizations/acme/ssh-keys", body: `"name":"","value":7`, status: 422, wants: pointers("value", "name")},
			{method: "POST", path: "/workspaces/{w}/vars", body: `"key":"","hcl":"maybe","category":"env"`, status: 422, wants: pointers("hcl", "key")},
			{method: "POST", path: "/workspaces/{w}/notification-configurations", body: `"name":"","enabled":"maybe","destination-type":"email"`, status: 422, wants: pointers("enabled", "name")},
			{method: "PATCH", path: "/workspaces/ws-1111111111111111", body: `"auto-apply":"yes"`, status: 404},
			{method: "PATCH", path: "/workspaces/{w}", body: `"terraform_version":"1.9.0","terraform-version":"1.8.0"`, status: 422, wants: pointers("terraform-version", "terraform_version")},
			{method: "PATCH", path: "/workspaces/{w}", body: `"terraform_version":"latest","terraform-version":"latest"`, status: 200},
			{method: "POST", path: "/organizations/acme/explorer/views", body: `"name":"v","query_type":"workspaces","query-type":"modules","query":{}`, status: 422, wants: pointers("query-type", "query_type")},
			{method: "GET", path: "/organizations/acme/projects", status: 200, wants: map[string]string{"meta.pagination.total-count": "1"}},
		})
	})
}

// TestEveryProblemOfAListIsTold sends lists that have several things wrong with them.
func TestEveryProblemOfAListIsTold(t *testing.T) {
	each(t, func(t *testing.T, s *server) {
		s.organization("acme")
		w := s.workspace("acme", "network")
		variable := func(attributes string) string { return `{"type":"vars","attributes":{` + attributes + `}}` }
		for name, c := range map[string]struct {
			method, path, body string
			wants              []string
		}{
			"variables of a new set": {"POST", "/organizations/acme/varsets", `{"data":{"attributes":{"name":5},"relationships":{"vars":{"data":[` +
				variable(`"key":"a","category":"env"`) + `,` + variable(`"key":"","category":"env","hcl":"maybe"`) + `,` + variable(`"key":"a","category":"env"`) + `]}}}}`,
				[]string{"/data/attributes/name", "/data/relationships/vars/data/1/attributes/hcl", "/data/relationships/vars/data/1/attributes/key", "/data/relationships/vars/data/2/attributes/key"}},
			"variables of a workspace": {"PATCH", "/workspaces/" + w + "/relationships/vars", `{"data":[` + variable(`"key":"","category":"env"`) + `,` + variable(`"key":7,"category":"nonsense"`) + `]}`,
				[]string{"/data/1/attributes/key", "/data/0/attributes/key", "/data/1/attributes/category"}},
			"tag bindings": {"PATCH", "/workspaces/" + w + "/tag-bindings", `{"data":[{"type":"tag-bindings","attributes":{"key":5}},{"type":"tag-bindings","attributes":{"key":" "}},7]}`,
				[]string{"/data/2", "/data/0/attributes/key", "/data/1/attributes/key"}},
			"access of a team": {"POST", "/team-workspaces", `{"data":{"attributes":{"access":"king","run-tasks":"x"},"relationships":{"team":{"data":7}}}}`,
				[]string{"/data/attributes/run-tasks", "/data/relationships/team/data", "/data/relationships/workspace", "/data/attributes/access"}},
			"an order": {"POST", "/organizations/acme/explorer/bulk-actions", `{"data":{"action_type":"nonsense","action_inputs":{"subject":5,"message":""},"target_ids":["ws-x",6]}}`,
				[]string{"/data/action_inputs/subject", "/data/target_ids/1", "/data/action_type", "/data/action_inputs/message", "/data/target_ids/0"}},
		} {
			got := s.do(c.method, c.path, s.Token, c.body)
			var at []string
			for i := 0; got.at(fmt.Sprintf("errors.%d.title", i)) != nil; i++ {
				at = append(at, got.text(fmt.Sprintf("errors.%d.source.pointer", i)))
			}
			slices.Sort(at)
			slices.Sort(c.wants)
			if got.Status != 422 || !slices.Equal(at, c.wants) {
				t.Errorf("%s: %d %q, want %q: %s", name, got.Status, at, c.wants, got.Body)
			}
		}
	})
}
