package e2e_test

import (
	"fmt"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// trail is the words "resource action" of a page of the audit trail.
func (r reply) trail() []string {
	rows, _ := r.at("data").([]any)
	var words []string
	for i := range rows {
		at := fmt.Sprintf("data.%d.resource.", i)
		words = append(words, r.text(at+"type")+" "+r.text(at+"action"))
	}
	return words
}

func TestAuditTrail(t *testing.T) {
	each(t, func(t *testing.T, s *server) {
		o := s.organization("acme")
		s.organization("umbrella")
		w := s.workspace("acme", "network")
		s.do("POST", "/workspaces/"+w+"/actions/lock", s.Token, `{"data":{"type":""}}`).want(t, 200)
		s.do("POST", "/workspaces/"+w+"/actions/force-unlock", s.Token, "").want(t, 200)
		team := s.do("POST", "/organizations/acme/teams", s.Token, `{"data":{"type":"teams","attributes":{"name":"ops"}}}`).want(t, 200).text("data.id")
		s.do("POST", "/team-workspaces", s.Token, `{"data":{"type":"team-workspaces","attributes":{"access":"write"},"relationships":{
			"team":{"data":{"type":"teams","id":"`+team+`"}},"workspace":{"data":{"type":"workspaces","id":"`+w+`"}}}}}`).want(t, 201)
		issued := s.do("POST", "/teams/"+team+"/authentication-token", s.Token, "").want(t, 201)
		s.do("DELETE", "/authentication-tokens/"+issued.text("data.id"), s.Token, "").want(t, 204)
		s.fileRequests("acme", "Upgrade", w)
		s.do("POST", "/change-requests/"+s.firstRequest(w), s.Token, "").want(t, 200)
		middle := s.do("GET", "/organizations/acme/audit-trail?sort=-timestamp&page[size]=1", s.Token, "").want(t, 200).text("data.0.timestamp")
		s.do("DELETE", "/workspaces/"+w, s.Token, "").want(t, 204)

		r := s.do("GET", "/organizations/acme/audit-trail", s.Token, "").want(t, 200)
		words := strings.Join(r.trail(), "\n")
		for _, want := range []string{
			"organization create", "workspace create", "workspace lock", "workspace force_unlock", "team create",
			"token create", "token destroy", "bulk_action create", "change_request archive", "workspace destroy",
		} {
			if !strings.Contains(words, want) {
				t.Errorf("%q is missing in\n%s", want, words)
			}
		}
		if r.text("data.0.auth.organization_id") != o.ExternalID || r.text("data.0.auth.type") != "Client" || r.text("data.0.auth.description") != "admin" ||
			r.text("data.0.type") != "Resource" || r.at("pagination.total_count") != float64(len(r.trail())) || r.Header.Get("Content-Type") != "application/json" {
			t.Errorf("%s", r.Body)
		}
		later := s.do("GET", "/organizations/acme/audit-trail?since="+url.QueryEscape(middle), s.Token, "").want(t, 200)
		if got := strings.Join(later.trail(), ","); !strings.HasSuffix(got, "workspace destroy") || len(later.trail()) >= len(r.trail()) {
			t.Errorf("since %s: %s", middle, got)
		}
		page := s.do("GET", "/organizations/acme/audit-trail?page[size]=2&page[number]=2", s.Token, "").want(t, 200)
		if len(page.trail()) != 2 || page.at("pagination.prev_page") != 1.0 || page.at("pagination.next_page") != 3.0 {
			t.Errorf("%s", page.Body)
		}
		s.do("GET", "/organizations/acme/audit-trail?since=yesterday", s.Token, "").want(t, 400)
	})
}

func TestAuditTrailReaders(t *testing.T) {
	each(t, func(t *testing.T, s *server) {
		s.organization("acme")
		s.organization("umbrella")
		for _, query := range []string{"", "?token=audit-trails"} {
			token := s.do("POST", "/organizations/acme/authentication-token"+query, s.Token, "").want(t, 201).text("data.attributes.token")
			s.do("GET", "/organization/audit-trail", token, "").want(t, 200)
			s.do("GET", "/organizations/acme/audit-trail", token, "").want(t, 200)
			s.do("GET", "/organizations/umbrella/audit-trail", token, "").want(t, 404)
		}
		_, outsider := s.user("outsider")
		s.do("GET", "/organizations/acme/audit-trail", outsider, "").want(t, 404)
		s.do("GET", "/organization/audit-trail", outsider, "").want(t, 404)
		s.do("GET", "/organization/audit-trail", "", "").want(t, 401)
	})
}

func TestAuditTrailNamesTheRequest(t *testing.T) {
	each(t, func(t *testing.T, s *server) {
		s.organization("acme")
		last := func() string {
			return s.do("GET", "/organizations/acme/audit-trail?sort=-timestamp", s.Token, "").want(t, 200).text("data.0.request.id")
		}
		asked := map[string]bool{}
		for _, given := range []string{"", "a-plain.Id_7", "two words", strings.Repeat("x", 65), `"><script>`} {
			request, err := http.NewRequest(http.MethodPost, s.URL+"/api/v2/organizations/acme/teams", strings.NewReader(fmt.Sprintf(`{"data":{"attributes":{"name":"t%d"}}}`, len(asked))))
			must(t, err)
			request.Header.Set("Authorization", "Bearer "+s.Token)
			request.Header.Set("Content-Type", "application/vnd.api+json")
			request.Header.Set("X-Request-Id", given)
			id := s.send(request).want(t, 200).Header.Get("X-Request-Id")
			if id == "" || (id == given) != (given == "a-plain.Id_7") || asked[id] {
				t.Errorf("%q is answered as %q", given, id)
			}
			if asked[id] = true; last() != id {
				t.Errorf("%q stands in the audit trail as %q", id, last())
			}
			s.eventually(func() bool { return strings.Contains(s.logs.String(), id) }, "a line of the log with "+id)
		}
		r := s.do("GET", "/organizations/acme/audit-trail", s.Token, "").want(t, 200)
		for i := range r.trail() {
			if r.text(fmt.Sprintf("data.%d.request.id", i)) == "" {
				t.Errorf("an event of no request: %s", r.Body)
			}
		}
	})
}

// TestTheAuditTrailIsAskedForSomeOfIt narrows the trail by who, what and about what, as the page does, and finds what
// was changed from what to what.
func TestTheAuditTrailIsAskedForSomeOfIt(t *testing.T) {
	each(t, func(t *testing.T, s *server) {
		id := s.people()
		_, ollis := s.newUser("olli", "")
		s.join("acme", "olli", s.owners("acme"))
		s.do("PATCH", "/workspaces/"+id, ollis, `{"data":{"type":"workspaces","attributes":{"description":"all nets","auto-apply":true}}}`).want(t, 200)
		s.do("PATCH", "/workspaces/"+id, ollis, `{"data":{"type":"workspaces","attributes":{"description":"all nets"}}}`).want(t, 200)
		s.do("PATCH", "/organizations/acme", ollis, `{"data":{"type":"organizations","attributes":{"email":"new@example.com"}}}`).want(t, 200)
		team := s.do("POST", "/organizations/acme/teams", ollis, `{"data":{"type":"teams","attributes":{"name":"ops"}}}`).want(t, 200).text("data.id")
		s.do("PATCH", "/teams/"+team, ollis, `{"data":{"type":"teams","attributes":{"organization-access":{"manage-workspaces":true}}}}`).want(t, 200)
		const trail = "/organizations/acme/audit-trail?"
		for query, want := range map[string]string{
			"filter[actor]=olli&filter[kind]=team":                              "team create,team update",
			"filter[actor]=olli&filter[workspace]=" + id:                        "workspace update,workspace update",
			"filter[about]=" + team + "&filter[kind]=team":                      "team create,team update",
			"filter[kind]=organization,team&sort=-timestamp&filter[actor]=olli": "team update,team create,organization update",
			"filter[actor]=nobody":                                              "",
		} {
			if got := strings.Join(s.do("GET", trail+query, s.Token, "").want(t, 200).trail(), ","); got != want {
				t.Errorf("%s finds %q, not %q", query, got, want)
			}
		}
		for _, wrong := range []string{"filter[kind]=a,b,c,d,e,f,g", "filter[kind]=%25", "filter[nonsense]=1"} {
			s.do("GET", trail+wrong, s.Token, "").want(t, 400)
		}
		first := s.do("GET", trail+"filter[workspace]="+id+"&filter[actor]=olli", s.Token, "").want(t, 200)
		const meta = "data.0.resource.meta.changed."
		if first.at(meta+"auto_apply.was") != false || first.at(meta+"auto_apply.now") != true || first.text(meta+"description.now") != "all nets" || first.at("data.1.resource.meta.changed") != nil {
			t.Errorf("%s", first.Body)
		}
		owner := s.signIn("olga")
		owner.get("/app/acme/audit?about="+id).want(t, 200).has(t, "auto apply no → yes", "description none → all nets").inert(t)
		page := owner.get("/app/acme/audit?who=olli&what=access").want(t, 200).has(t, "organization access")
		owner.get(regexp.MustCompile(`/app/acme/audit/ev-[0-9a-f]{32}`).FindString(page.Body)).want(t, 200).has(t, "What it changed", "manage-workspaces").inert(t)
		s.do("PATCH", "/workspaces/"+id, ollis, `{"data":{"type":"workspaces","attributes":{"description":"<script>alert(1)</script>"}}}`).want(t, 200)
		owner.get("/app/acme/audit?about="+id).want(t, 200).has(t, "&lt;script&gt;").inert(t)
	})
}

// TestAFileOfTheAuditTrailWalks takes files of many more events than are read at once: each is in it once, the newest
// first, and a reading costs a part of the events the same statements wherever it begins.
func TestAFileOfTheAuditTrailWalks(t *testing.T) {
	each(t, func(t *testing.T, s *server) {
		s.people()
		const many = 2500
		of := s.do("GET", "/organizations/acme", s.Token, "").want(t, 200).text("data.attributes.external-id")
		rows := make([]string, many)
		for i := range rows {
			rows[i] = fmt.Sprintf("('ev-ff%030d', %d, 'team.updated', '%s', '', 'teams', 'team-x', 'user', 'user-x', 'walker', '', '{}')", i, i, of)
		}
		for part := range slices.Chunk(rows, 500) {
			s.execute("INSERT INTO events (id, at, kind, organization_id, workspace_id, resource_type, resource_id, actor_type, actor_id, actor_name, request_id, payload) VALUES " + strings.Join(part, ","))
		}
		owner := s.signIn("olga")
		before := s.statements()
		lines := strings.Split(strings.TrimSpace(owner.get("/app/acme/audit?as=csv&who=walker").want(t, 200).Body), "\n")
		cost := s.statements() - before
		if len(lines) != many+1 {
			t.Fatalf("the file has %d lines", len(lines))
		}
		if !slices.IsSortedFunc(lines[1:], func(a, b string) int { return strings.Compare(b, a) }) {
			t.Error("the newest are not first")
		}
		if seen := len(slices.Compact(slices.Clone(lines))); seen != many+1 {
			t.Errorf("%d of %d lines are new", seen, many+1)
		}
		// Each thousand is a session, an organization, the visitor's rights and the events: none is a count.
		if cost > 30 {
			t.Errorf("a file of %d events costs %d statements", many, cost)
		}
		all := strings.Split(strings.TrimSpace(owner.get("/app/acme/audit?as=jsonl").want(t, 200).Body), "\n")
		if total := fmt.Sprintf("%d,%03d events", len(all)/1000, len(all)%1000); !strings.Contains(owner.get("/app/acme/audit").Body, total) {
			t.Errorf("the file has %s, and the page another number", total)
		}
	})
}
