package e2e_test

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/chromedp/cdproto/page"
	"github.com/hashicorp/go-tfe"
)

// sly is a text that would act in a page that let it, whichever way it is put in, and longer
// than a telephone is wide.
const sly = `"'><img src=x onerror=__pwned=1><script>__pwned=1</script><svg onload=__pwned=1>[x](javascript:__pwned=1){{.}}` + "AVeryLongWordThatNothingBreaksByItselfAndThatNoTelephoneIsWideEnoughFor"

// document is a body of the API whose attributes hold the text under these names; more goes before them.
func document(kind, more string, names ...string) string {
	return asDocument(kind, more, sly, names...)
}

func asDocument(kind, more, text string, names ...string) string {
	for _, name := range names {
		raw, _ := json.Marshal(text)
		more += fmt.Sprintf(`%s%q:%s`, map[bool]string{true: ","}[more != ""], name, raw)
	}
	return fmt.Sprintf(`{"data":{"type":%q,"attributes":{%s}}}`, kind, more)
}

// everywhere fills a server with something on every page, and writes the text into whatever a
// person can write: olga owns acme, rita reads its workspace network, and stan is a stranger.
func (s *server) everywhere() {
	id := s.people()
	put := func(path, body string) string {
		s.t.Helper()
		return s.do("POST", path, s.Token, body).wantAny(s.t, 200, 201, 204).text("data.id")
	}
	s.do("PATCH", "/workspaces/"+id, s.Token, document("workspaces", "", "description")).want(s.t, 200)
	s.do("PATCH", "/workspaces/"+id+"/tag-bindings", s.Token, `{"data":[{"type":"tag-bindings","attributes":{"key":"team","value":"platform"}}]}`).want(s.t, 200)
	project := put("/organizations/acme/projects", document("projects", `"name":"data"`, "description"))
	_ = s.newWorkspace("acme", "a-workspace-with-a-name-that-is-as-long-as-they-are-in-real-life-and-longer-0123456789", func(w *tfe.WorkspaceCreateOptions) {
		w.Project, w.TerraformVersion = &tfe.Project{ID: project}, tfe.String("1.9.8")
	})
	for _, kind := range []string{`"category":"terraform"`, `"category":"env","sensitive":true`, `"category":"terraform","hcl":true`} {
		put("/workspaces/"+id+"/vars", document("vars", kind+fmt.Sprintf(`,"key":"k%d"`, len(kind)), "value", "description"))
	}
	set := put("/organizations/acme/varsets", document("varsets", `"global":true`, "name", "description"))
	put("/varsets/"+set+"/relationships/vars", document("vars", `"category":"terraform","key":"region"`, "value", "description"))
	put("/organizations/acme/teams", asDocument("teams", `"name":"operators"`, sly[:120], "description"))
	put("/organizations/acme/ssh-keys", asDocument("ssh-keys", `"value":"v"`, sly[:100], "name"))
	pool := put("/organizations/acme/agent-pools", `{"data":{"type":"agent-pools","attributes":{"name":"west"}}}`)
	put("/agent-pools/"+pool+"/authentication-tokens", document("authentication-tokens", "", "description"))
	put("/organizations/acme/oauth-clients", asDocument("oauth-clients", `"service-provider":"gitea","http-url":"https://git.example.com","api-url":"https://git.example.com/api/v1","oauth-token-string":"secret"`, sly[:100], "name"))
	put("/workspaces/"+id+"/notification-configurations", document("notification-configuration", `"destination-type":"generic","enabled":false,"url":"https://hooks.example.com/","triggers":["run:errored"]`, "name"))
	text, _ := json.Marshal(sly)
	put("/organizations/acme/explorer/views", fmt.Sprintf(`{"data":{"name":%s,"query":{"type":"workspaces","filter":[{"field":"workspace_name","operator":"contains","value":["net"]}],"fields":["workspace_name"]}}}`, text))
	put("/organizations/acme/workspace-views", asDocument("workspace-views", `"query":"run=none","shared":true`, sly, "name"))
	campaign := put("/organizations/acme/explorer/bulk-actions", fmt.Sprintf(
		`{"data":{"type":"bulk_actions","attributes":{"action_type":"change_requests","action_inputs":{"subject":%s,"message":%s},"query":{"type":"workspaces","filter":[{"field":"workspace_name","operator":"contains","value":["w"]}]}}}}`, text, text))
	s.eventually(func() bool {
		return s.do("GET", "/workspaces/"+id+"/change-requests", s.Token, "").at("data.0.id") != nil
	}, "the campaign "+campaign+" is filed")
	sealed := `,"sensitive_attributes":[[{"type":"get_attr","value":"pin"}]],"dependencies":["aws_thing.gone"]`
	s.hold(id, 1, thing("module.net", "one", `"id":"i-1","pin":"4711","size":1`, sealed)+","+thing("", "gone", `"id":"g"`, ""), `"zone":{"value":"a","type":"string"}`)
	s.hold(id, 2, thing("module.net", "one", fmt.Sprintf(`"id":"i-1","pin":"4712","size":2,%s:%s`, text, text), sealed)+","+instances("random_pet", 30),
		fmt.Sprintf(`%s:{"value":%s,"type":"string"},"key":{"value":"hunter3","type":"string","sensitive":true}`, text, text))
	cluster := s.runnable("cluster")
	run := put("/runs", runOf(cluster, `"message":`+string(text)))
	put("/workspaces/"+id+"/run-triggers", `{"data":{"type":"run-triggers","relationships":{"sourceable":{"data":{"type":"workspaces","id":"`+cluster+`"}}}}}`)
	put("/runs/"+run+"/comments", document("comments", "", "body"))
	pool, runner := s.agents("acme")
	waits := s.onAgents(pool, "waits")
	put("/runs", runOf(waits, `"message":`+string(text)))
	s.plans(runner, planOf(sly), sly+"\n\x1b[31m"+sly+"\x1b[0m\n")
	_, err := s.admin().Workspaces.Lock(context.Background(), id, tfe.WorkspaceLockOptions{Reason: tfe.String(sly)})
	must(s.t, err)
}

// wantAny demands one of some statuses.
func (r reply) wantAny(t testing.TB, statuses ...int) reply {
	t.Helper()
	if !slices.Contains(statuses, r.Status) {
		t.Fatalf("status %d, want one of %v: %s", r.Status, statuses, r.Body)
	}
	return r
}

// links are where a page leads.
const links = `[...document.querySelectorAll("a[href]:not([download])")].map((a) => new URL(a.href.baseVal ?? a.href, location).href).filter((h) => h.startsWith(location.origin + "/"))
	.map((h) => h.slice(location.origin.length).replace(/#.*/, ""))`

// budget complains of a page that brings more than 60 KB with all that belongs to it, or has more than
// 1,500 elements for 50 rows.
const budget = `(() => { const wrong = [], all = [...performance.getEntriesByType("navigation"), ...performance.getEntriesByType("resource")];
	const bytes = all.reduce((sum, e) => sum + e.encodedBodySize, 0), parts = document.querySelectorAll("*").length;
	if (bytes > 60 << 10) wrong.push(bytes + " bytes");
	if (parts > 1500 + 30 * Math.max(0, document.querySelectorAll("tbody tr, .log li").length - 50)) wrong.push(parts + " elements");
	return wrong; })()`

// walk looks at every page that a person is led to, and gives the addresses.
func (s *server) walk(t *testing.T, b *tab, who visitor) (walked []string) {
	trail := who.sets()
	for address := trail.next(); address != ""; address = trail.next() {
		b.looks(1280, "light")
		status := b.open(address)
		if status == 0 {
			continue
		}
		walked = append(walked, address)
		if status != 200 {
			t.Errorf("%s is led to %s, and it answers %d", who.name, address, status)
			continue
		}
		trail.waiting = append(trail.waiting, ask[[]string](b, links)...)
		b.look(t, who, address)
	}
	return walked
}

// look holds one page to what is held of all.
func (b *tab) look(t *testing.T, who visitor, address string) {
	wrong := func(how string, found ...string) {
		for _, what := range found {
			if what != "" {
				t.Errorf("%s for %s, %s: %s", address, who.name, how, what)
			}
		}
	}
	if ask[string](b, "document.contentType") != "text/html" {
		return
	}
	acts := func() {
		wrong("the policy refuses", ask[[]string](b, "window.__refused")...)
		wrong("the browser says", b.heard()...)
		if ask[bool](b, "window.__pwned !== undefined") {
			wrong("a text acts", "window.__pwned is set")
		}
	}
	acts()
	wrong("beyond its budget", ask[[]string](b, budget)...)
	wrong("too wide", ask[string](b, fits))
	b.picture(who, address, "light")
	if who.deep {
		wrong("light", b.barriers("")...)
		b.looks(1280, "dark")
		wrong("dark", b.barriers("color-contrast")...)
		b.picture(who, address, "dark")
	}
	b.looks(390, "dark")
	wrong("too wide on a telephone", ask[string](b, fits))
	wrong("on a telephone", b.barriers("-color-contrast")...) // its colours are those of all windows
	b.picture(who, address, "phone")
	acts()
}

var notInNames = regexp.MustCompile(`[^A-Za-z0-9=,]+`)

// picture keeps what the page looks like in the folder BELAY_SCREENSHOTS, when there is one.
func (b *tab) picture(who visitor, address, looks string) {
	folder := os.Getenv("BELAY_SCREENSHOTS")
	if folder == "" {
		return
	}
	beyond := true
	raw := call(b, page.CaptureScreenshot, page.CaptureScreenshotParams{CaptureBeyondViewport: &beyond}).Data
	name := strings.Trim(notInNames.ReplaceAllString(anID.ReplaceAllString(address, "$1$2=one"), "-"), "-")
	must(b.t, os.MkdirAll(folder, 0o755))
	must(b.t, os.WriteFile(filepath.Join(folder, fmt.Sprintf("%s.%s.%s.png", name[:min(len(name), 100)], who.name, looks)), raw, 0o644))
}

// TestPagesInARealBrowser walks through all pages as everybody: nothing that a person wrote
// acts, no page is wider than its window, none asks for what the policy refuses, and axe finds
// nobody shut out. What is hidden from a stranger is not there for them.
func TestPagesInARealBrowser(t *testing.T) {
	slow(t)
	t.Parallel()
	chrome := chromium(t)
	s := start(t, "sqlite")
	s.everywhere()
	for _, name := range []string{"admin", "olga", "rita", "stan"} { // each gets the password
		s.signIn(name)
	}
	var mu sync.Mutex
	var all []string
	t.Run("walks", func(t *testing.T) {
		for _, who := range []visitor{
			{name: "olga", starts: []string{networkPage, "/app/", "/app/acme", "/app/acme/more", "/app/settings/sign-in", networkPage + "/state/1?graph=modules"}, within: "/app/", deep: true},
			{name: "rita", starts: []string{"/app/acme"}, within: "/app/acme"},
			{name: "stan", starts: []string{"/app/"}, within: "/app/"},
			{name: "admin", starts: []string{"/app/~/admin/health"}, within: "/app/~/admin/", deep: true},
			{name: "nobody", starts: []string{"/app/sign-in"}, within: "/app/", deep: true},
		} {
			t.Run(who.name, func(t *testing.T) {
				t.Parallel()
				b := s.tab(t, chrome)
				if who.name != "nobody" {
					b.looks(1280, "light")
					b.signIn(who.name)
				}
				walked := s.walk(t, b, who)
				t.Logf("%s walked %d pages: %s", who.name, len(walked), strings.Join(walked, " "))
				mu.Lock()
				defer mu.Unlock()
				all = append(all, walked...)
			})
		}
	})
	stan := s.signIn("stan")
	for _, address := range all {
		if strings.HasPrefix(address, "/app/acme") {
			stan.get(address).want(t, 404)
		}
	}
}
