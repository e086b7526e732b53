package e2e_test

import (
	"strings"
	"testing"
)

// teamToken makes a team with organization-wide rights and a token of it.
func (s *server) teamToken(organization, name, access string) (id, token string) {
	s.t.Helper()
	id = s.do("POST", "/organizations/"+organization+"/teams", s.Token,
		`{"data":{"type":"teams","attributes":{"name":"`+name+`","organization-access":{`+access+`}}}}`).want(s.t, 200).text("data.id")
	return id, s.do("POST", "/teams/"+id+"/authentication-token", s.Token, "").want(s.t, 201).text("data.attributes.token")
}

func TestWhoMayDoWhatWithChangeRequests(t *testing.T) {
	each(t, func(t *testing.T, s *server) {
		s.organization("acme")
		w, other := s.workspace("acme", "network"), s.workspace("acme", "database")
		tokens := map[string]string{"owner": s.Token}
		for name, access := range map[string]string{
			"manager": `"manage-workspaces":true`, "planner": `"manage-projects":true`, "auditor": `"read-workspaces":true`, "surveyor": `"read-projects":true`, "nobody": "",
		} {
			_, tokens[name] = s.teamToken("acme", name, access)
		}
		for _, level := range []string{"read", "write"} {
			var id string
			id, tokens[level] = s.teamToken("acme", level, "")
			s.do("POST", "/team-workspaces", s.Token, `{"data":{"type":"team-workspaces","attributes":{"access":"`+level+`"},"relationships":{
				"team":{"data":{"type":"teams","id":"`+id+`"}},"workspace":{"data":{"type":"workspaces","id":"`+w+`"}}}}}`).want(t, 201)
		}
		tokens["organization"] = s.do("POST", "/organizations/acme/authentication-token", s.Token, "").want(t, 201).text("data.attributes.token")
		_, tokens["outsider"] = s.user("outsider")

		order := `{"data":{"action_type":"change_request","action_inputs":{"subject":"s","message":"m"},"target_ids":["` + w + `"]}}`
		query := `{"data":{"action_type":"change_request","action_inputs":{"subject":"s","message":"m"},"query":{"type":"workspaces","filter":[{"field":"workspace_name","operator":"is","value":["network"]}]}}}`
		may := func(who string, names string) int {
			if strings.Contains(" "+names+" ", " "+who+" ") {
				return 1
			}
			return 0
		}
		const creators, explorers = "owner manager planner organization", "owner manager planner organization auditor surveyor"
		const readers, writers = explorers + " read write", "owner manager planner organization write"
		s.fileRequests("acme", "for the others", other)
		for who, token := range tokens {
			create := []int{404, 201}[may(who, creators)]
			s.do("POST", "/organizations/acme/explorer/bulk-actions", token, order).want(t, create)
			s.do("POST", "/organizations/acme/explorer/bulk-actions", token, query).want(t, create)
			s.do("GET", "/organizations/acme/explorer?type=workspaces", token, "").want(t, []int{404, 200}[may(who, explorers)])
			id := s.fileRequests("acme", "to archive", w).text("data.id")
			s.do("GET", "/organizations/acme/explorer/bulk-actions/"+id, token, "").want(t, []int{404, 200}[may(who, explorers)])
			request := s.firstRequest(w)
			s.do("GET", "/workspaces/"+w+"/change-requests", token, "").want(t, []int{404, 200}[may(who, readers)])
			s.do("GET", "/workspaces/network/change-requests", token, "").want(t, []int{404, 200}[may(who, readers)])
			s.do("GET", "/change-requests/"+request, token, "").want(t, []int{404, 200}[may(who, readers)])
			s.do("POST", "/change-requests/"+request, token, "").want(t, []int{404, 200}[may(who, writers)])
			if may(who, "read write") == 1 {
				s.do("GET", "/workspaces/"+other+"/change-requests", token, "").want(t, 404)
				r := s.do("GET", "/organizations/acme/change-requests?page[size]=100", token, "").want(t, 200)
				if strings.Contains(r.Body, other) || !strings.Contains(r.Body, w) {
					t.Errorf("%s sees %s", who, r.Body)
				}
			}
		}
	})
}

func TestChangeRequestsGoWithTheEdition(t *testing.T) {
	t.Parallel()
	s := start(t, "sqlite", "--edition", "self-managed")
	s.organization("acme")
	w := s.workspace("acme", "network")
	s.do("GET", "/workspaces/"+w+"/change-requests", s.Token, "").want(t, 404)
	s.do("GET", "/organizations/acme/change-requests", s.Token, "").want(t, 404)
	s.do("POST", "/organizations/acme/explorer/bulk-actions", s.Token, "{}").want(t, 404)
	if r := s.do("GET", "/workspaces/"+w, s.Token, "").want(t, 200); strings.Contains(r.Body, "unarchived_workspace_change_requests_count") {
		t.Errorf("%s", r.Body)
	}
	s.do("GET", "/organizations/acme/explorer?type=workspaces", s.Token, "").want(t, 200)
}

func TestChangeRequestPage(t *testing.T) {
	eachTLS(t, func(t *testing.T, s *server, b *browser) {
		bob := b.addUser("bob")
		token := b.api("POST", "/users/"+bob+"/authentication-tokens", s.Token, `{"data":{"type":"authentication-tokens","attributes":{}}}`).want(t, 201).text("data.attributes.token")
		b.api("POST", "/organizations", token, `{"data":{"type":"organizations","attributes":{"name":"acme","email":"a@b.c"}}}`).want(t, 201)
		w := b.api("POST", "/organizations/acme/workspaces", s.Token, `{"data":{"type":"workspaces","attributes":{"name":"network"}}}`).want(t, 201).text("data.id")
		b.api("POST", "/organizations/acme/explorer/bulk-actions", s.Token,
			`{"data":{"action_type":"change_request","action_inputs":{"subject":"<b>Upgrade</b>","message":"**do** it <script>alert(1)</script>"},"target_ids":["`+w+`"]}}`).want(t, 201)
		id := b.api("GET", "/workspaces/"+w+"/change-requests", s.Token, "").want(t, 200).text("data.0.id")
		path := "/app/change-requests/" + id

		if got := b.get(path).want(t, 303); !strings.HasPrefix(got.Header.Get("Location"), "/app/sign-in") {
			t.Errorf("a stranger is sent to %s", got.Header.Get("Location"))
		}
		stranger := s.browse()
		stranger.post("/app/sign-in", stranger.get("/app/sign-in").form("name", "ann", "password", password)).want(t, 303)
		stranger.get(path).want(t, 404)
		b.post("/app/sign-in", b.get("/app/sign-in").form("name", "bob", "password", password)).want(t, 303)
		page := b.get(path).want(t, 200)
		if !strings.Contains(page.Body, "<p><strong>do</strong> it") || strings.Contains(page.Body, "<script>") || strings.Contains(page.Body, "<b>Upgrade") {
			t.Errorf("%s", page.Body)
		}
		b.post(path+"/archive", nil).want(t, 403)
		b.post(path+"/archive", page.form()).want(t, 303)
		if got := b.get(path).want(t, 200); !strings.Contains(got.Body, "archived on") {
			t.Errorf("%s", got.Body)
		}
		b.post(path+"/archive", page.form()).want(t, 303)
	})
}
