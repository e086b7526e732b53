package e2e_test

import (
	"fmt"
	"strings"
	"testing"
)

// TestListsHaveAnEnd sends more references than one request may have wherever it takes some.
func TestListsHaveAnEnd(t *testing.T) {
	each(t, func(t *testing.T, s *server) {
		s.organization("acme")
		workspace := s.workspace("acme", "network")
		list := func(typ string, n int) string {
			refs := make([]string, n)
			for i := range refs {
				refs[i] = fmt.Sprintf(`{"type":%q,"id":"none-%d"}`, typ, i)
			}
			return `{"data":[` + strings.Join(refs, ",") + `]}`
		}
		related := func(name, typ string) string {
			return `{"data":{"attributes":{"name":"x"},"relationships":{"` + name + `":` + list(typ, 1001) + `}}}`
		}
		made := func(path, body string, status int) string {
			return s.do("POST", path, s.Token, body).want(t, status).text("data.id")
		}
		pool := made("/organizations/acme/agent-pools", `{"data":{"attributes":{"name":"pool"}}}`, 201)
		set := made("/organizations/acme/varsets", `{"data":{"attributes":{"name":"set"}}}`, 201)
		team := made("/organizations/acme/teams", `{"data":{"attributes":{"name":"ops"}}}`, 200)
		project := made("/organizations/acme/projects", `{"data":{"attributes":{"name":"other"}}}`, 201)
		for _, r := range []struct{ method, path, body, pointer string }{
			{"POST", "/organizations/acme/agent-pools", related("allowed-workspaces", "workspaces"), "/data/relationships/allowed-workspaces/data"},
			{"PATCH", "/agent-pools/" + pool, related("allowed-workspaces", "workspaces"), "/data/relationships/allowed-workspaces/data"},
			{"PATCH", "/agent-pools/" + pool, related("excluded-workspaces", "workspaces"), "/data/relationships/excluded-workspaces/data"},
			{"PATCH", "/agent-pools/" + pool, related("allowed-projects", "projects"), "/data/relationships/allowed-projects/data"},
			{"POST", "/organizations/acme/varsets", related("workspaces", "workspaces"), "/data/relationships/workspaces/data"},
			{"PATCH", "/varsets/" + set, related("projects", "projects"), "/data/relationships/projects/data"},
			{"POST", "/varsets/" + set + "/relationships/workspaces", list("workspaces", 1001), "/data"},
			{"DELETE", "/varsets/" + set + "/relationships/projects", list("projects", 1001), "/data"},
			{"POST", "/teams/" + team + "/relationships/users", list("users", 1001), "/data"},
			{"DELETE", "/teams/" + team + "/relationships/organization-memberships", list("organization-memberships", 1001), "/data"},
			{"POST", "/projects/" + project + "/relationships/workspaces", list("workspaces", 1001), "/data"},
			{"PATCH", "/workspaces/" + workspace + "/relationships/remote-state-consumers", list("workspaces", 1001), "/data"},
			{"POST", "/workspaces/" + workspace + "/relationships/tags", list("tags", 1001), "/data"},
			{"DELETE", "/organizations/acme/tags", list("tags", 1001), "/data"},
			{"POST", "/organizations/acme/organization-memberships", `{"data":{"attributes":{"email":"a@example.com"},"relationships":{"teams":` + list("teams", 1001) + `}}}`, "/data/relationships/teams/data"},
		} {
			answer := s.do(r.method, r.path, s.Token, r.body)
			if answer.Status != 422 || answer.text("errors.0.source.pointer") != r.pointer || answer.text("errors.1.detail") != "" {
				t.Errorf("%s %s: %d %.300s", r.method, r.path, answer.Status, answer.Body)
			}
		}
		variables := strings.Repeat(`,{"type":"vars","attributes":{"key":"k","value":"v","category":"terraform"}}`, 1001)[1:]
		s.do("POST", "/organizations/acme/varsets", s.Token, `{"data":{"attributes":{"name":"many"},"relationships":{"vars":{"data":[`+variables+`]}}}}`).want(t, 422)
	})
}

// TestAPageBeyondTheEndOfAListSaysSo: who asks for a page that a list has no more is not told that the list is empty.
func TestAPageBeyondTheEndOfAListSaysSo(t *testing.T) {
	each(t, func(t *testing.T, s *server) {
		id := s.people()
		s.fileRequests("acme", "Upgrade", id)
		owner := s.signIn("olga")
		for _, list := range []string{"workspaces", "audit", "audit?view=rope", "teams", "members", "projects", "explorer?type=workspaces", "changes", "change-requests", "workspaces/network/activity", "workspaces/network/change-requests"} {
			path, asked, _ := strings.Cut(list, "?")
			owner.get("/app/acme/"+path+"?page=500&"+asked).want(t, 200).has(t, "The list has no page 500: it has one.", `href="/app/acme/`+path).
				hasNot(t, "no workspace yet", "has happened", "Nothing is here", "Nothing is to be done", "Nothing fits", "There is no", "Nobody fits", "No campaign")
		}
		owner.get("/app/~/organizations?page=500").want(t, 200).has(t, "The list has no page 500: it has one.").hasNot(t, "no organization yet")
		owner.get("/app/acme/runs?page=500").want(t, 200).has(t, "The list has no page 500.").hasNot(t, "No run fits")
		owner.get("/app/acme/workspaces?page=500&search=nothing").has(t, "0 workspaces found").hasNot(t, "The list has no page")
		owner.get("/app/acme/notifications?page=500").want(t, 200).has(t, "Nobody is told yet").hasNot(t, "The list has no page")
	})
}
