package e2e_test

import (
	"fmt"
	"html"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/hashicorp/go-tfe"
)

// nobodys are names that are nobody's, for those of what is hidden from a reader of one workspace and from a stranger.
var (
	toReaders   = strings.NewReplacer("quarry", "yrrauq", "cluster", "retsulc", "waits", "stiaw", "a-workspace", "ecapskrow-a")
	toStrangers = strings.NewReplacer("acme", "emca", "quarry", "yrrauq")
)

var exactID = regexp.MustCompile(`\b([a-z]+)-([A-Za-z0-9]{16}|[0-9a-f]{32})\b`)

// madeUp is an address of the same kind at which nothing is.
func madeUp(who, address string) string {
	nobodys := toStrangers
	if who == "rita" {
		nobodys = toReaders
	}
	return nobodys.Replace(exactID.ReplaceAllStringFunc(address, func(id string) string {
		letters := []rune(id)
		slices.Reverse(letters[strings.IndexByte(id, '-')+1:])
		return string(letters)
	}))
}

// bare is a page without what is another on each visit, and without the address that was asked for.
func (r reply) bare(address string) string {
	body := hiddenFields.ReplaceAllString(r.Body, "")
	for _, own := range []string{address, html.EscapeString(address), url.QueryEscape(address), html.EscapeString(url.QueryEscape(address))} {
		body = strings.ReplaceAll(body, own, "ADDRESS")
	}
	return regexp.MustCompile(`[0-9a-z.]+ (s|ms) ago|request [0-9a-zA-Z-]+`).ReplaceAllString(body, "")
}

// quarry makes a workspace of which nobody but owners know, with something on each of its pages
// that has its name in it, and gives its id.
func (s *server) quarry() (id string) {
	put := func(path, body string) string {
		s.t.Helper()
		return s.do("POST", path, s.Token, body).wantAny(s.t, 200, 201, 204).text("data.id")
	}
	id = s.runnable("quarry")
	s.do("PATCH", "/workspaces/"+id, s.Token, asDocument("workspaces", "", "of the quarry", "description")).want(s.t, 200)
	s.do("PATCH", "/workspaces/"+id+"/tag-bindings", s.Token, `{"data":[{"type":"tag-bindings","attributes":{"key":"quarry-key","value":"quarry-value"}}]}`).want(s.t, 200)
	put("/workspaces/"+id+"/vars", asDocument("vars", `"category":"terraform"`, "quarry_variable", "key", "value", "description"))
	put("/workspaces/"+id+"/notification-configurations", asDocument("notification-configuration", `"destination-type":"generic","enabled":false,"url":"https://quarry.example.com/","triggers":["run:errored"]`, "quarry hook", "name"))
	put("/organizations/acme/explorer/bulk-actions", fmt.Sprintf(`{"data":{"type":"bulk_actions","attributes":{"action_type":"change_requests","action_inputs":{"subject":"quarry subject","message":"quarry message"},"target_ids":[%q]}}}`, id))
	team, _ := s.team("acme", "quarrymen", nil)
	s.grant(team, id, tfe.AccessWrite)
	s.hold(id, 1, thing("module.quarry", "quarry_rock", `"id":"quarry-1"`, ""), `"quarry_out":{"value":"quarry","type":"string"}`)
	s.hold(id, 2, thing("module.quarry", "quarry_rock", `"id":"quarry-2"`, ""), "")
	run := put("/runs", runOf(id, `"message":"quarry run"`))
	put("/runs/"+run+"/comments", asDocument("comments", "", "quarry comment", "body"))
	s.eventually(func() bool { return s.firstRequest(id) != "" }, "the change request is filed")
	return id
}

// TestNothingOfOthersInARealBrowser has a stranger, somebody signed out, and the reader of one
// workspace go to every address that an owner is led to. What they may not see is not told apart
// from what is not there, neither in what comes over the wire nor in the window.
func TestNothingOfOthersInARealBrowser(t *testing.T) {
	slow(t)
	t.Parallel()
	chrome := chromium(t)
	s := start(t, "sqlite")
	s.everywhere()
	s.quarry()
	network := s.idOf("network")
	owner := s.signIn("olga")
	sheets := owner.crawl(t, visitor{starts: []string{networkPage, "/app/acme", "/app/acme/more"}, within: "/app/"})
	hidden := owner.crawl(t, visitor{starts: []string{"/app/acme/workspaces/quarry", "/app/acme/projects", "/app/acme/teams", "/app/acme/changes", "/app/acme/notifications"}, within: "/app/"})
	var addresses []string
	for _, sheet := range slices.Concat(sheets, hidden) {
		for _, address := range append(append([]string{sheet.address, sheet.watched}, sheet.files...), sheet.links...) {
			if strings.HasPrefix(address, "/_objects/") { // a log's own address is its key, for a while
				continue
			}
			if strings.Contains(address, "acme") || exactID.MatchString(address) {
				addresses = append(addresses, address)
			}
		}
	}
	slices.Sort(addresses)
	addresses = slices.Compact(addresses)
	if t.Logf("%d addresses of %d pages", len(addresses), len(sheets)+len(hidden)); len(addresses) < 300 {
		t.Error("that is not all of them")
	}
	for _, who := range []string{"stan", "", "rita"} {
		t.Run("as "+who, func(t *testing.T) {
			b, window := s.browse(), s.tab(t, chrome)
			window.looks(1280, "light")
			if who != "" {
				b = s.signIn(who)
				window.signIn(who)
			}
			kinds := map[string]bool{}
			for _, address := range addresses {
				b.isHidden(t, who, network, address)
				if kinds[kindOf(address)] || strings.HasPrefix(address, "/app/~/live") {
					continue
				}
				kinds[kindOf(address)] = true
				window.open(address)
				if told := ask[string](window, `document.documentElement.outerHTML`); strings.Contains(window.without(told, address), "quarry") || who != "rita" && strings.Contains(window.without(told, address), "network") {
					t.Errorf("%q is shown at %s: %.3000s", who, address, told)
				}
			}
			if who != "" {
				window.open("/app/~/search?in=acme&q=quarry")
				if found := ask[int](window, `document.querySelectorAll("main .links a").length`); found != 0 {
					t.Errorf("%s finds it", who)
				}
			}
			if said := window.heard(); len(said) > 0 {
				t.Errorf("the browser says %q", said)
			}
		})
	}
}

// without is a page without the address that was asked for, and what it is made of.
func (b *tab) without(page, address string) string {
	path, _, _ := strings.Cut(address, "?")
	for _, own := range append([]string{address, url.QueryEscape(address)}, strings.Split(path, "/")...) { // the whole first: it is no longer there without its parts
		if len(own) > 3 {
			page = strings.ReplaceAll(strings.ReplaceAll(page, html.EscapeString(own), ""), own, "")
		}
	}
	return page
}

// isHidden demands that an address is answered as one at which nothing is, unless it is one that
// this person may see; then nothing of others is on it.
func (b *browser) isHidden(t *testing.T, who, network, address string) {
	t.Helper()
	if strings.HasPrefix(address, "/app/~/live") { // what may be watched goes on telling
		if status := b.statusOf(address); status != 404 && status != 303 && (who != "rita" || !strings.Contains(address, "id="+network) && !strings.Contains(address, "id=acme")) {
			t.Errorf("%s, %s: %d", address, who, status)
		}
		return
	}
	got, none := b.get(address), b.get(madeUp(who, address))
	same := func() bool {
		return got.Status == none.Status && madeUp(who, got.bare(address)) == madeUp(who, none.bare(madeUp(who, address)))
	}
	for try := 0; try < 50 && !same(); try++ { // near names are left out where they come late, and an age is told in other words a moment later
		got, none = b.get(address), b.get(madeUp(who, address))
	}
	switch {
	case got.Status == 200 && who == "rita" && !strings.Contains(address, "quarry"):
		if told := got.bare(address); strings.Contains(told, "quarry") {
			t.Errorf("%s reads of what is hidden at %s: %s", who, address, around(told, "quarry"))
		}
	case !same():
		t.Errorf("%s, %s: %d is told apart from %s: %d\n%s\ninstead of\n%s", address, who, got.Status, madeUp(who, address), none.Status, got.bare(address), none.bare(madeUp(who, address)))
	case who == "" && got.Status == 303 && strings.HasPrefix(got.Header.Get("Location"), "/app/sign-in"), got.Status == 404, got.Status == 401, got.Status == 403:
	case got.Status == 303 && who == "rita" && strings.HasPrefix(got.Header.Get("Location"), "/app/acme/"): // to what of it is theirs
	case got.Status != 200:
		t.Errorf("%s, %s: %d", address, who, got.Status)
	}
}

// around is what a text says beside a word.
func around(text, word string) string {
	at := strings.Index(text, word)
	return text[max(0, at-200):min(len(text), at+200)]
}

// statusOf is how an address begins to be answered.
func (b *browser) statusOf(address string) int {
	b.t.Helper()
	answer, err := b.http.Get(b.base + address)
	must(b.t, err)
	_ = answer.Body.Close()
	return answer.StatusCode
}
