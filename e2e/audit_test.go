package e2e_test

import (
	"fmt"
	"net/http"
	"net/url"
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
