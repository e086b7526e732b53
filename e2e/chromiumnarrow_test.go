package e2e_test

import (
	"strings"
	"testing"

	"github.com/hashicorp/go-tfe"
)

// TestLongNamesOnATelephoneInARealBrowser: names as long as they may be, in one word, and long addresses of people make no
// page wider than a telephone. Nothing moves by itself while a page comes, there and on a wide window.
func TestLongNamesOnATelephoneInARealBrowser(t *testing.T) {
	slow(t)
	chrome := chromium(t)
	s := start(t, "sqlite")
	s.people()
	long := func(n int) string { return strings.Repeat("wordwithoutanend", 8)[:n] }
	put := func(path, body string) string {
		return s.do("POST", path, s.Token, body).wantAny(t, 200, 201).text("data.id")
	}
	project := put("/organizations/acme/projects", `{"data":{"type":"projects","attributes":{"name":"`+long(40)+`","description":"`+long(128)+`"}}}`)
	pool, runner := s.agents("acme")
	ws := s.onAgents(pool, long(90))
	s.do("PATCH", "/workspaces/"+ws, s.Token, `{"data":{"type":"workspaces","attributes":{"description":"`+long(128)+`"},"relationships":{"project":{"data":{"type":"projects","id":"`+project+`"}}}}}`).want(t, 200)
	s.do("PATCH", "/workspaces/"+ws+"/tag-bindings", s.Token, `{"data":[{"type":"tag-bindings","attributes":{"key":"`+long(128)+`","value":"`+long(128)+`"}}]}`).want(t, 200)
	team, _ := s.team("acme", long(60), &tfe.OrganizationAccessOptions{ManageWorkspaces: tfe.Bool(true)})
	put("/team-workspaces", `{"data":{"type":"team-workspaces","attributes":{"access":"write"},"relationships":{"workspace":{"data":{"type":"workspaces","id":"`+ws+`"}},"team":{"data":{"type":"teams","id":"`+team.ID+`"}}}}}`)
	s.hold(ws, 1, thing("module."+long(60), long(90), `"id":"`+long(128)+`"`, ""), `"`+long(90)+`":{"value":"`+long(128)+`","type":"string"}`)
	run := put("/runs", runOf(ws, `"message":"`+long(128)+`"`))
	s.plans(runner, planOf(long(128)), long(128)+"\n")
	s.do("POST", "/workspaces/"+s.workspace("acme", "b"+long(89))+"/actions/lock", s.Token, `{"reason":"`+long(128)+`"}`).want(t, 200)
	s.fileRequests("acme", long(90), ws)
	s.signIn("olga") // gets the password
	b := s.tab(t, chrome)
	b.signIn("olga")
	b.open("/app/~/profile") // ages would be told in other words while they are looked at
	if !ask[bool](b, `(async () => { const form = document.querySelector("[name=times]").form, said = new FormData(form, form.querySelector("button"));
		said.set("times", "whole"); return (await fetch(form.action, { method: "POST", body: new URLSearchParams(said) })).ok; })()`) {
		t.Fatal("times are not told whole")
	}
	page := "/app/acme/workspaces/" + long(90)
	pages := []string{
		"/app/acme", "/app/acme/workspaces", page, page + "/runs", page + "/runs/" + run, page + "/state", page + "/state/1", page + "/variables", page + "/change-requests",
		page + "/activity", page + "/access", page + "/settings", "/app/acme/workspaces/b" + long(89), "/app/acme/runs", "/app/acme/changes", "/app/acme/explorer?type=workspaces",
		"/app/acme/projects", "/app/acme/projects/" + project, "/app/acme/teams", "/app/acme/teams/" + team.ID, "/app/acme/members", "/app/acme/access", "/app/acme/access?rows=workspaces", "/app/acme/agents/" + pool, "/app/acme/audit", "/app/acme/audit?view=rope", "/app/~/organizations", "/app/~/profile/notifications",
	}
	for _, width := range []int64{390, 1280} {
		b.looks(width, "light")
		for _, path := range pages {
			b.open(path)
			if wide := ask[string](b, fits); wide != "" {
				t.Errorf("%s: %s", path, wide)
			}
			if strings.Contains(path, "/access") && !ask[bool](b, `(() => { const t = document.querySelector("main .scroll"); return t.querySelector("tbody .lvl").getBoundingClientRect().right <= t.getBoundingClientRect().right; })()`) {
				t.Errorf("%s: the names leave no place for the levels at %d px", path, width)
			}
			moved := ask[string](b, stays)
			for tries := 0; moved != "" && tries < 3; tries++ { // a busy machine shows what came late; what is wrong moves each time
				b.open(path)
				moved = ask[string](b, stays)
			}
			if moved != "" {
				t.Errorf("%s moves at %d px: %s", path, width, moved)
			}
		}
		ask[bool](b, `(document.querySelector("main").prepend(...["late", "later"].map((text) => Object.assign(document.createElement("p"), { textContent: text }))), true)`)
		if ask[string](b, stays) == "" {
			t.Errorf("what moves at %d px is not seen", width)
		}
	}
}
