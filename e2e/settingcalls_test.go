package e2e_test

import (
	"html"
	"strings"
	"testing"
)

// TestSettingsAreCallsOfTheAPI makes the calls that the page shows, which leave all as it is, and has a workspace
// destroyed by itself as the form says.
func TestSettingsAreCallsOfTheAPI(t *testing.T) {
	each(t, func(t *testing.T, s *server) {
		id := s.people()
		owner := s.signIn("olga")
		const page = networkPage + "/settings"
		s.do("PATCH", "/workspaces/"+id, s.Token, `{"data":{"type":"workspaces","attributes":{"description":"it's <b>ours</b> & \"theirs\"","auto-apply":true,"global-remote-state":true,"execution-mode":"local"}}}`).want(t, 200)
		attributes := func() string {
			all := s.do("GET", "/workspaces/"+id, s.Token, "").want(t, 200)
			out := ""
			for _, name := range strings.Fields("name description working-directory terraform-version execution-mode auto-apply allow-destroy-plan global-remote-state project-remote-state auto-destroy-at auto-destroy-activity-duration inherits-project-auto-destroy") {
				out += name + "=" + strings.TrimSpace(strings.ReplaceAll(all.text("data.attributes."+name), "\n", " ")) + "\n"
			}
			return out
		}
		same := func(want int) {
			t.Helper()
			before, parts := attributes(), strings.Split(owner.get(page).want(t, 200).inert(t).Body, `aria-label="As curl: `)
			if len(parts)-1 != want {
				t.Fatalf("the page shows %d calls", len(parts)-1)
			}
			for _, part := range parts[1:] {
				_, part, _ = strings.Cut(part, ">")
				call, _, _ := strings.Cut(part, "</pre>")
				call = html.UnescapeString(call)
				if !strings.Contains(call, "curl -X PATCH "+s.URL+"/api/v2/workspaces/"+id+" ") || !strings.Contains(call, `"Authorization: Bearer $TOKEN"`) {
					t.Errorf("a call: %s", call)
				}
				_, body, _ := strings.Cut(call, "-d '")
				body = strings.ReplaceAll(strings.TrimSuffix(body, "'"), `'\''`, "'")
				s.do("PATCH", "/workspaces/"+id, s.Token, body).want(t, 200)
				if after := attributes(); after != before {
					t.Errorf("%s changed\n%s to\n%s", body, before, after)
				}
			}
		}
		same(5)
		is := func(attribute string, want any) {
			t.Helper()
			if got := s.do("GET", "/workspaces/"+id, s.Token, "").at("data.attributes." + attribute); got != want {
				t.Errorf("%s is %v, not %v", attribute, got, want)
			}
		}
		send := func(status int, more ...string) reply {
			t.Helper()
			return owner.post(page, owner.get(page).form(append([]string{"section", "destroy"}, more...)...)).want(t, status)
		}
		send(303, "how", "after", "after", "14d")
		is("auto-destroy-activity-duration", "14d")
		is("inherits-project-auto-destroy", false)
		owner.get(page).has(t, `<option value="after" selected>`, `value="14d"`)
		same(5)
		send(303, "how", "at", "moment", "2100-12-24 18:00", "after", "14d")
		is("auto-destroy-at", "2100-12-24T18:00:00.000Z")
		is("auto-destroy-activity-duration", nil)
		owner.get(page).has(t, `<option value="at" selected>`, `value="2100-12-24 18:00"`, "2100-12-24")
		same(5)
		send(303, "how", "never")
		is("auto-destroy-at", nil)
		is("inherits-project-auto-destroy", false)
		same(5)
		send(303, "how", "")
		is("inherits-project-auto-destroy", true)
		send(422, "how", "at", "moment", "tomorrow").has(t, "A moment is written as", `value="tomorrow"`)
		send(422, "how", "after", "after", "soon").has(t, "incorrect format", `value="soon"`)
		send(422, "how", "after", "after", " ").has(t, "Say after how long")
		is("auto-destroy-at", nil)
	})
}
