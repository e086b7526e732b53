package e2e_test

import (
	"html"
	"regexp"
	"strings"
	"testing"

	"github.com/hashicorp/go-tfe"
)

// TestSettingsAreCallsOfTheAPI makes the calls that the page shows, which leave all as it is, and has a workspace
// destroyed by itself as the form says.
func TestSettingsAreCallsOfTheAPI(t *testing.T) {
	each(t, func(t *testing.T, s *server) {
		id := s.people()
		owner := s.signIn("olga")
		const page = networkPage + "/settings"
		s.do("PATCH", "/workspaces/"+id, s.Token, `{"data":{"type":"workspaces","attributes":{"description":"it's <b>ours</b> & \"theirs\"","auto-apply":true,"global-remote-state":true,"execution-mode":"local"}}}`).want(t, 200)
		all := func() string {
			out := ""
			for _, at := range []string{"", "/relationships/data-retention-policy", "/relationships/remote-state-consumers", "/run-triggers?filter[run-trigger][type]=inbound"} {
				out += regexp.MustCompile(`"(updated-at|latest-change-at)":"[^"]+"`).ReplaceAllString(s.do("GET", "/workspaces/"+id+at, s.Token, "").Body, "") + "\n"
			}
			return out
		}
		same := func(sections ...string) {
			t.Helper()
			before := all()
			for _, section := range sections {
				parts := strings.Split(owner.get(page+"/"+section).want(t, 200).inert(t).Body, `aria-label="As curl: `)
				if len(parts) < 2 {
					t.Errorf("%s shows no call", section)
				}
				for _, part := range parts[1:] {
					method, at, body := s.callOf(part)
					answer := s.do(method, at, s.Token, body)
					if answer.Status >= 300 && (method != "DELETE" || answer.Status != 404) { // there is nothing to take away
						t.Errorf("%s %s %s answers %d: %s", method, at, body, answer.Status, answer.Body)
					}
					if after := all(); after != before {
						t.Errorf("%s %s changed\n%s to\n%s", at, body, before, after)
					}
				}
			}
		}
		whole := strings.Fields("general execution repository triggers sharing notifications retention destroy")
		same(whole...)
		// With something in each.
		other := s.newWorkspace("acme", "other", func(*tfe.WorkspaceCreateOptions) {})
		s.do("PATCH", "/workspaces/"+id, s.Token, `{"data":{"type":"workspaces","attributes":{"global-remote-state":false}}}`).want(t, 200)
		s.do("POST", "/workspaces/"+id+"/relationships/remote-state-consumers", s.Token, `{"data":[{"type":"workspaces","id":"`+other.ID+`"}]}`).want(t, 204)
		s.do("POST", "/workspaces/"+id+"/relationships/data-retention-policy", s.Token, `{"data":{"type":"data-retention-policy-delete-olders","attributes":{"delete-older-than-n-days":30}}}`).want(t, 200)
		s.do("POST", "/workspaces/"+id+"/run-triggers", s.Token, `{"data":{"type":"run-triggers","relationships":{"sourceable":{"data":{"type":"workspaces","id":"`+other.ID+`"}}}}}`).want(t, 201)
		s.do("POST", "/organizations/acme/oauth-clients", s.Token, `{"data":{"type":"oauth-clients","attributes":{
			"service-provider":"gitea","http-url":"https://git.example.com","api-url":"https://git.example.com/api/v1","oauth-token-string":"hunter2"}}}`).want(t, 201)
		token := regexp.MustCompile(`<option value="(ot-[^"]+)"`).FindStringSubmatch(owner.get(page + "/repository").Body)[1]
		for _, on := range [][]string{{"on", "push"}, {"on", "patterns", "patterns", "*.tf"}, {"on", "prefixes", "prefixes", "modules"}, {"on", "tags", "tags", `^v'\d$`}} {
			owner.post(page, owner.get(page).form(append([]string{"section", "repository", "connection", token, "identifier", "acme/app", "branch", "release", "speculative", "yes"}, on...)...)).want(t, 303)
			same("repository")
		}
		same(whole...)
		is := func(attribute string, want any) {
			t.Helper()
			if got := s.do("GET", "/workspaces/"+id, s.Token, "").at("data.attributes." + attribute); got != want {
				t.Errorf("%s is %v, not %v", attribute, got, want)
			}
		}
		send := func(status int, more ...string) reply {
			t.Helper()
			return owner.post(page, owner.get(page+"/destroy").form(append([]string{"section", "destroy"}, more...)...)).want(t, status)
		}
		send(303, "how", "after", "after", "14d")
		is("auto-destroy-activity-duration", "14d")
		is("inherits-project-auto-destroy", false)
		owner.get(page+"/destroy").has(t, `<option value="after" selected>`, `value="14d"`)
		same("destroy")
		send(303, "how", "at", "moment", "2100-12-24 18:00", "after", "14d")
		is("auto-destroy-at", "2100-12-24T18:00:00.000Z")
		is("auto-destroy-activity-duration", nil)
		owner.get(page+"/destroy").has(t, `<option value="at" selected>`, `value="2100-12-24 18:00"`, "2100-12-24")
		same("destroy")
		send(303, "how", "never")
		is("auto-destroy-at", nil)
		is("inherits-project-auto-destroy", false)
		same("destroy")
		send(303, "how", "")
		is("inherits-project-auto-destroy", true)
		send(422, "how", "at", "moment", "tomorrow").has(t, "A moment is written as", `value="tomorrow"`)
		send(422, "how", "at", "moment", "2020-01-01 00:00").has(t, "2020-01-01 00:00 is past", `value="2020-01-01 00:00"`)
		send(422, "how", "after", "after", "soon").has(t, "incorrect format", `value="soon"`)
		send(422, "how", "after", "after", " ").has(t, "Say after how long")
		is("auto-destroy-at", nil)
		// What deletes is called last.
		s.do("PATCH", "/workspaces/"+id, s.Token, `{"data":{"type":"workspaces","attributes":{"vcs-repo":null}}}`).want(t, 200)
		_, part, _ := strings.Cut(owner.get(page+"/delete").want(t, 200).Body, `aria-label="As curl: `)
		method, at, body := s.callOf(part)
		s.do(method, at, s.Token, body).want(t, 204)
		owner.get(page).want(t, 404)
	})
}

// callOf is what a command asks of the API, as it stands on a page.
func (s *server) callOf(shown string) (method, at, body string) {
	s.t.Helper()
	_, shown, _ = strings.Cut(shown, ">")
	shown, _, _ = strings.Cut(shown, "</pre>")
	shown = html.UnescapeString(shown)
	parts := regexp.MustCompile(`(?s)^curl -X (\w+) (?:-g ')?` + regexp.QuoteMeta(s.URL) + `/api/v2([^ ']+)'? \\\n  -H "Authorization: Bearer \$TOKEN" -H 'Content-Type: application/vnd.api\+json'(?: \\\n  -d '(.*)')?$`).FindStringSubmatch(shown)
	if parts == nil {
		s.t.Fatalf("a call: %s", shown)
	}
	return parts[1], parts[2], strings.ReplaceAll(parts[3], `'\''`, "'")
}

// TestSectionsOfSettings: each section is a page, for whom it is; who triggers whose runs is drawn, and set by forms, as is
// whose runs read the state and how long old states are kept.
func TestSectionsOfSettings(t *testing.T) {
	notifying(t, func(t *testing.T, s *server) {
		id := s.people()
		owner, reader := s.signIn("olga"), s.signIn("rita")
		const page = networkPage + "/settings"
		for _, name := range []string{"before", "after"} {
			s.newWorkspace("acme", name, func(*tfe.WorkspaceCreateOptions) {})
		}
		names := `(?s)<nav class="card sections".*?</nav>`
		for _, section := range strings.Fields("general execution repository triggers sharing notifications retention destroy delete") {
			shown := owner.get(page+"/"+section).want(t, 200).inert(t)
			if nav := regexp.MustCompile(names).FindString(shown.Body); strings.Count(nav, "<a ") != 9 || strings.Count(nav, "aria-current") != 1 {
				t.Errorf("the list beside %s: %s", section, nav)
			}
			reader.get(page+"/"+section).want(t, 404)
		}
		owner.get(page+"/nonsense").want(t, 404)
		shown := owner.get(page)
		send := func(at string, status int, section string, more ...string) reply {
			t.Helper()
			return owner.post(at, shown.form(append([]string{"section", section}, more...)...)).want(t, status)
		}
		// Both ways.
		if to := send(page, 303, "trigger", "workspace", "before").Header.Get("Location"); to != page+"/triggers" {
			t.Errorf("a trigger leads to %s", to)
		}
		send("/app/acme/workspaces/after/settings", 303, "trigger", "workspace", "network")
		both := owner.get(page+"/triggers").has(t, "<title>before</title>", "<title>after</title>", "Take away<span class=\"hidden\"> before", "this workspace").inert(t)
		if n := strings.Count(both.Body, `class="edge"`); n != 2 {
			t.Errorf("%d lines are drawn", n)
		}
		send(page, 422, "trigger", "workspace", "nowhere").has(t, "no workspace", `value="nowhere"`, "Run triggers")
		send(page, 422, "trigger", "workspace", "network").has(t, "of itself")
		trigger := regexp.MustCompile(`value="(rt-[^"]+)"`).FindStringSubmatch(both.Body)[1]
		for _, b := range []*browser{reader, s.signIn("stan")} {
			for _, form := range []string{"trigger", "untrigger", "reader", "unreader", "retention"} {
				b.post(page, b.get(organizationsPath).form("section", form, "workspace", "after", "id", trigger, "kind", "data-retention-policy-dont-deletes")).want(t, 404)
			}
		}
		send(page, 303, "untrigger", "id", trigger)
		owner.get(page+"/triggers").hasNot(t, "<title>before</title>")
		// Whose runs read the state.
		send(page, 303, "reader", "workspace", "after")
		with := owner.get(page+"/sharing").has(t, ">after</a>", "Take out").inert(t)
		send(page, 422, "reader", "workspace", "nowhere").has(t, `value="nowhere"`)
		send(page, 303, "unreader", "id", regexp.MustCompile(`value="(ws-[^"]+)"`).FindStringSubmatch(with.Body)[1])
		owner.get(page+"/sharing").has(t, "It names none.")
		send(page, 303, "sharing", "sharing", "project")
		owner.get(page+"/sharing").has(t, "they count once").hasNot(t, "Let it read")
		// How long states are kept.
		owner.get(page+"/retention").has(t, "nobody set anything")
		send(page, 303, "retention", "kind", "data-retention-policy-delete-olders", "days", "30")
		owner.get(page+"/retention").has(t, "older than 30 days, as this workspace has it", `value="30"`)
		send(page, 422, "retention", "kind", "data-retention-policy-delete-olders", "days", "soon").has(t, "after how many days", `value="soon"`)
		send(page, 422, "retention", "kind", "data-retention-policy-delete-olders", "days", "0").has(t, "at least 1")
		send(page, 303, "retention", "kind", "")
		send(page, 303, "retention", "kind", "")
		owner.get(page+"/retention").has(t, "nobody set anything")
		// Who is told.
		owner.get(page+"/notifications").has(t, "Nobody is told", `href="/app/acme/notifications/`+id+`"`)
		told := s.notify("/workspaces/"+id, "generic", receiver(t, nil).URL, "")
		owner.get(page+"/notifications").has(t, `href="/app/acme/notifications/`+told+`"`).inert(t)
	})
}
