package e2e_test

import (
	"fmt"
	"html"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/hashicorp/go-tfe"
	xhtml "golang.org/x/net/html"
)

// signIn gives a user a password, and opens a browser that it is signed in with.
func (s *server) signIn(name string) *browser {
	s.t.Helper()
	id := s.do("GET", "/admin/users?q="+name, s.Token, "").want(s.t, 200).text("data.0.id")
	s.do("PATCH", "/admin/users/"+id, s.Token, fmt.Sprintf(`{"data":{"type":"users","attributes":{"password":%q}}}`, password)).want(s.t, 200)
	b := s.browse()
	page := b.get("/app/sign-in").want(s.t, 200)
	b.post("/app/sign-in", page.form("name", name, "password", password)).want(s.t, 303)
	return b
}

// people makes an organization with a workspace, and the users who have to do with it:
// olga is an owner, rita only reads the workspace, and stan is a stranger.
func (s *server) people() (workspaceID string) {
	s.t.Helper()
	s.organization("acme")
	workspaceID = s.workspace("acme", "network")
	owners := s.owners("acme")
	s.user("olga")
	s.join("acme", "olga", owners)
	readers, _ := s.team("acme", "rita", nil)
	s.grant(readers, workspaceID, tfe.AccessRead)
	s.user("stan")
	return workspaceID
}

// owners is the owners team of an organization.
func (s *server) owners(organization string) *tfe.Team {
	s.t.Helper()
	id := s.do("GET", "/organizations/"+organization+"/teams?filter[names]=owners", s.Token, "").want(s.t, 200).text("data.0.id")
	return &tfe.Team{ID: id}
}

var wordy = regexp.MustCompile(`<span class="wordy">([^<]*)</span>`)

// said is a page without the places at which lines of it may end.
func (r reply) said() string {
	return wordy.ReplaceAllString(strings.ReplaceAll(r.Body, "<wbr>", ""), "$1")
}

// has demands that a page says something, and hasNot that it doesn't.
func (r reply) has(t testing.TB, texts ...string) reply {
	t.Helper()
	for _, text := range texts {
		if !strings.Contains(r.said(), text) {
			t.Errorf("the page does not have %q:\n%s", text, r.Body)
		}
	}
	return r
}

func (r reply) hasNot(t testing.TB, texts ...string) reply {
	t.Helper()
	for _, text := range texts {
		if partOfAnID.MatchString(text) {
			t.Fatalf("%q is in a random id now and then: look for another text", text)
		}
		if strings.Contains(r.said(), text) {
			t.Errorf("the page has %q:\n%s", text, r.Body)
		}
	}
	return r
}

// partOfAnID is what the ids and checksums of a page may have by chance.
var partOfAnID = regexp.MustCompile(`^([0-9a-f]{1,6}|[0-9A-Za-z]{1,3})$`)

// actions is where the forms of a page lead, but for those of its frame.
func (r reply) actions() (found []string) {
	for _, form := range regexp.MustCompile(`<form method="post" action="([^"]*)"`).FindAllStringSubmatch(r.Body, -1) {
		if form[1] != "/app/sign-out" && form[1] != "/app/~/theme" {
			found = append(found, form[1])
		}
	}
	return found
}

const networkPage = "/app/acme/workspaces/network"

func TestPagesOfAStranger(t *testing.T) {
	each(t, func(t *testing.T, s *server) {
		id := s.people()
		owner, reader, stranger := s.signIn("olga"), s.signIn("rita"), s.signIn("stan")
		s.fileRequests("acme", "Upgrade", id)
		request := s.firstRequest(id)
		form := stranger.get(organizationsPath).want(t, 200).hasNot(t, "acme").form()
		for _, hidden := range []string{"workspaces", "workspaces/network", "change-requests", "change-requests/new"} {
			there := stranger.get("/app/acme/"+hidden).want(t, 404)
			absent := stranger.get("/app/nothing/"+hidden).want(t, 404)
			if unmarked(there) != unmarked(absent) || there.Header.Get("Content-Length") != absent.Header.Get("Content-Length") {
				t.Errorf("%s: what is hidden looks like %s, what is absent like %s", hidden, there.Body, absent.Body)
			}
			there.has(t, "<title>Not found – Belay</title>")
		}
		for _, post := range []string{
			"workspaces/network/lock", "workspaces/network/unlock", "workspaces/network/force-unlock",
			"change-requests", "change-requests/preview",
		} {
			stranger.post("/app/acme/"+post, form).want(t, 404)
			nobody := s.browse().post("/app/acme/"+post, form).want(t, 303)
			if to := nobody.Header.Get("Location"); to != "/app/sign-in?return=%2Fapp%2F" {
				t.Errorf("%s of nobody leads to %s", post, to)
			}
		}
		stranger.post("/app/change-requests/"+request+"/archive", form).want(t, 404)
		stranger.get("/app/change-requests/"+request).want(t, 404)
		if to := s.browse().get(networkPage).want(t, 303).Header.Get("Location"); to != "/app/sign-in?return="+url.QueryEscape(networkPage) {
			t.Errorf("nobody is sent to %s", to)
		}
		// Nobody learns of another organization's by way of one's own.
		s.organization("other")
		owner.get("/app/other/workspaces").want(t, 404)
		reader.get("/app/acme/workspaces/absent").want(t, 404)
		for _, bad := range []string{"/app/acme/workspaces/net%00work", "/app/a%00/workspaces", "/app/acme/workspaces/%ff%fe"} {
			owner.get(bad).want(t, 404)
		}
		for _, odd := range []string{"access?search=%00", "access?search=%ff&rows=people", "workspaces?search=%ff", "teams?search=%zz&search=%00", "members?%00=x"} { // as if it were not there
			owner.get("/app/acme/"+odd).want(t, 200).has(t, `href="/app/acme/settings"`).inert(t)
		}
		owner.get("/app/acme/workspaces?page=999999999999999999999&sort=%27&tags=%27,==,=x").want(t, 200)
	})
}

func TestPagesOfAReader(t *testing.T) {
	each(t, func(t *testing.T, s *server) {
		id := s.people()
		owner, reader := s.signIn("olga"), s.signIn("rita")
		hidden := s.workspace("acme", "hidden")
		s.fileRequests("acme", "Upgrade", id, hidden)
		request := s.firstRequest(id)
		page := reader.get("/app/acme/workspaces").want(t, 200).has(t, "network", "1 workspace.").hasNot(t, "hidden</a>")
		reader.get("/app/acme/workspaces/hidden").want(t, 404)
		reader.get(organizationsPath).has(t, "acme", "those you see")
		reader.get(networkPage+"/health").want(t, 200).has(t, "is not assessed", "made 24 h after").hasNot(t, "Assess now").inert(t)
		shown := reader.get(networkPage).want(t, 200).has(t, "Upgrade", "Unlocked")
		backlog := reader.get("/app/acme/change-requests").want(t, 200).has(t, "Upgrade", "1 change request.").hasNot(t, "File change requests", ">hidden<")
		single := reader.get("/app/change-requests/"+request).want(t, 200).has(t, "Upgrade", networkPage)
		if found := page.actions(); !slices.Equal(found, []string{"/app/acme/workspaces"}) { // views of their own are everybody's to save
			t.Errorf("the list offers a reader %v", found)
		}
		page.has(t, "Save view").hasNot(t, "With those ticked")
		for _, r := range []reply{shown, backlog, single} {
			if found := r.actions(); found != nil {
				t.Errorf("a reader is offered %v", found)
			}
		}
		s.lock(id)
		if found := reader.get(networkPage).has(t, "Locked").actions(); found != nil {
			t.Errorf("a reader is offered %v on a locked workspace", found)
		}
		form := shown.form("subject", "x", "message", "y", "key", "page-x", "reason", "the reader's own")
		for _, post := range []string{
			networkPage + "/lock", networkPage + "/unlock", networkPage + "/force-unlock",
			"/app/acme/change-requests/preview", "/app/acme/change-requests", "/app/change-requests/" + request + "/archive",
		} {
			reader.post(post, form).want(t, 404)
		}
		reader.get("/app/acme/change-requests/new").want(t, 404)
		owner.get(networkPage).has(t, "Locked").hasNot(t, "reader&#39;s own")
		owner.get("/app/acme/change-requests").has(t, "2 change requests.")
	})
}

func TestPagesOfAnOwner(t *testing.T) {
	each(t, func(t *testing.T, s *server) {
		id := s.people()
		owner := s.signIn("olga")
		if link := s.do("GET", "/workspaces/"+id, s.Token, "").text("data.links.self-html"); link != networkPage {
			t.Errorf("self-html is %s", link)
		}
		page := owner.get(networkPage).want(t, 200).has(t, "<title>network – acme – Belay</title>", "It has no state yet.", "Unlocked")
		// Lock, and what is refused.
		owner.post(networkPage+"/lock", page.form("form", "x", "reason", "kept")).want(t, 403).has(t, "open for too long", `value="kept"`)
		owner.post(networkPage+"/lock", page.form("reason", strings.Repeat("x", 1001))).want(t, 422).has(t, "Reason is too long")
		owner.post(networkPage+"/lock", page.form("reason", "a\x00b")).want(t, 422).has(t, "characters that can")
		owner.post(networkPage+"/unlock", page.form()).want(t, 409).has(t, "already unlocked")
		to := owner.post(networkPage+"/lock", page.form("reason", "peering & more")).want(t, 303).Header.Get("Location")
		owner.get(to).want(t, 200).has(t, "Locked by you, ", "peering &amp; more", networkPage+"/unlock", networkPage+"/force-unlock").hasNot(t, networkPage+"/lock\"")
		owner.post(networkPage+"/lock", page.form()).want(t, 409).has(t, "already locked")
		owner.post(networkPage+"/unlock", page.form()).want(t, 303)
		if s.do("GET", "/workspaces/"+id, s.Token, "").at("data.attributes.locked") != false {
			t.Error("the workspace stays locked")
		}
		// Somebody else's lock only falls by force.
		s.lock(id)
		owner.get(networkPage).has(t, "Locked by admin, ", networkPage+"/force-unlock").hasNot(t, networkPage+"/unlock\"")
		owner.post(networkPage+"/unlock", page.form()).want(t, 409).has(t, "locked by User admin")
		owner.post(networkPage+"/force-unlock", page.form()).want(t, 303)
		owner.get(networkPage).has(t, "Unlocked")
		// The state, its outputs, and no secret.
		s.lock(id)
		s.give(id, []byte(`{"version":4,"terraform_version":"1.9.0","serial":7,"lineage":"`+lineage+`","outputs":{
			"address":{"value":"<i>10.0.0.1</i>","type":"string"},"password":{"value":"hunter2","type":"string","sensitive":true},
			"zones":{"value":["a","b"],"type":["list","string"]}},"resources":[]}`), 7)
		s.unlock(id)
		owner.get(networkPage).has(t, `<span class="v">7</span>`, "by admin", "&lt;i&gt;10.0.0.1&lt;/i&gt;", "hidden: it is sensitive", "&#34;a&#34;").hasNot(t, "hunter2")
		for _, header := range []string{"default-src 'none'", "frame-ancestors 'none'", "script-src 'self'; connect-src 'self';"} {
			if got := page.Header.Get("Content-Security-Policy"); !strings.Contains(got, header) || strings.Contains(got, "unsafe") || strings.Count(got, "script") != 1 {
				t.Errorf("Content-Security-Policy: %q", got)
			}
		}
		// Another site's form, whatever secret it has.
		foreign, err := http.NewRequest(http.MethodPost, s.URL+networkPage+"/lock", strings.NewReader(page.form().Encode()))
		must(t, err)
		foreign.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		foreign.Header.Set("Sec-Fetch-Site", "cross-site")
		owner.send(foreign).want(t, 403)
		owner.get("/app").want(t, 307)
		owner.get(organizationsPath).has(t, `href="/app/acme/workspaces"`, ">acme<")
	})
}

func TestListOfWorkspacesPage(t *testing.T) {
	each(t, func(t *testing.T, s *server) {
		s.people()
		owner := s.signIn("olga")
		for i := range 51 {
			s.workspace("acme", fmt.Sprintf("app-%02d", i))
		}
		tagged := s.newWorkspace("acme", "tagged", func(o *tfe.WorkspaceCreateOptions) {
			o.Tags = []*tfe.Tag{{Name: "prod"}}
			o.TagBindings = []*tfe.TagBinding{{Key: "team", Value: "web"}}
		})
		s.lock(tagged.ID)
		s.fileRequests("acme", "Upgrade", tagged.ID)
		first := owner.get("/app/acme/workspaces").want(t, 200).has(t, "1–50 of 53 workspaces.", "Page 1 of 2", "app-00", "?page=2").hasNot(t, "tagged</a>")
		owner.get("/app/acme/workspaces?page=2").want(t, 200).has(t, "Page 2 of 2", "51–53 of 53 workspaces.", "tagged</a>", `Locked by </span>admin · now`, `<td class="num opt-col">1</td>`).hasNot(t, ">prod<").hasNot(t, "app-00")
		owner.get("/app/acme/workspaces?search=APP-1&tags=").has(t, "10 workspaces found", "app-10")
		owner.get("/app/acme/workspaces?search=app&page=1").has(t, "51 workspaces found", "?page=2&amp;search=app")
		for _, tags := range []string{"prod", "team", "team=web", "prod,%20team%3Dweb"} {
			owner.get("/app/acme/workspaces?tags="+tags).has(t, "1 workspace found", "tagged</a>")
		}
		owner.get("/app/acme/workspaces?tags=team%3Dother").has(t, "0 workspaces found", "No workspace that you see fits.")
		owner.get("/app/acme/workspaces?tags=a,b,a").want(t, 200)
		var many []string
		for i := range 101 {
			many = append(many, fmt.Sprint("t", i))
		}
		owner.get("/app/acme/workspaces?tags="+strings.Join(many, ",")).want(t, 400).has(t, "more than 100 tags")
		owner.get("/app/acme/workspaces?sort=changed").has(t, ">tagged</a>", `aria-sort="descending"><a href="?sort=oldest">Last change`)
		owner.get("/app/acme/workspaces?sort=last").has(t, ">tagged</a>", `aria-sort="descending"><a href="?sort=name">Workspace`).hasNot(t, ">app-00</a>")
		if found := first.actions(); !slices.Equal(found, []string{"/app/acme/workspaces", "/app/acme/workspaces"}) { // a view, and what is ticked
			t.Errorf("the list has the forms %v", found)
		}
	})
}

// words are the hidden and the typed fields of filing.
func words(r reply, subject, message, workspace string) url.Values {
	return r.form("subject", subject, "message", message, "workspace", workspace)
}

func TestFilingChangeRequests(t *testing.T) {
	each(t, func(t *testing.T, s *server) {
		s.people()
		owner, reader := s.signIn("olga"), s.signIn("rita")
		for i := range 25 {
			s.workspace("acme", fmt.Sprintf("app-%02d", i))
		}
		const path = "/app/acme/change-requests"
		form := owner.get(path+"/new").want(t, 200).has(t, "File change requests")
		for _, broken := range []string{"zzz", "{}x", `{"type":"modules"}`, `{"type":"workspaces","filter":"x"}`} { // never for all instead
			owner.get(path+"/new?query="+url.QueryEscape(broken)).want(t, 422).has(t, "can&#39;t be read").hasNot(t, "/preview").inert(t)
			asks := words(form, "s", "m", "")
			asks.Set("query", broken)
			asks.Set("key", "page-x")
			owner.post(path+"/preview", asks).want(t, 422).has(t, "can&#39;t be read").hasNot(t, "<button>File")
			owner.post(path, asks).want(t, 422).has(t, "can&#39;t be read")
		}
		owner.get(path+"/new?query=").want(t, 200)
		owner.post(path+"/preview", words(form, " ", "m", "")).want(t, 422).has(t, "Subject can&#39;t be blank", ">\nm</textarea>")
		owner.post(path+"/preview", words(form, "s", strings.Repeat("x", 65536), "")).want(t, 422).has(t, "Message is too long")
		owner.post(path+"/preview", words(form, "s", strings.Repeat("€", 400000), "")).want(t, 422).has(t, "too long")
		owner.post(path+"/preview", words(form, "s", "m\x00", "")).want(t, 422)
		owner.post(path+"/preview", words(form, "s", strings.Repeat("€", 65535), "")).want(t, 200)
		owner.post(path+"/preview", words(form, "s", "m", "nothing")).want(t, 200).has(t, "There is nothing to file").hasNot(t, "<button>File")
		seen := owner.post(path+"/preview", words(form, "Rotate", "**now**\r\nplease", "APP-")).want(t, 200).
			has(t, "<strong>25 workspaces</strong>", "app-00", "app-19", "and 5 more", "<strong>now</strong>", "File 25 change requests").hasNot(t, "app-20", "network<")
		seen.hasNot(t, "~/theme") // it would lead to an address that nobody can open
		form.has(t, "~/theme")
		owner.get(path).has(t, "0 change requests")
		back := seen.form("answer", "change")
		owner.post(path+"/preview", back).want(t, 200).has(t, `value="Rotate"`, "**now**\nplease</textarea>")
		owner.post(path, words(form, "Rotate", "m", "")).want(t, 422).has(t, "Look at what would be filed first.")
		send := seen.form()
		send.Del("answer")
		reader.post(path, send).want(t, 404)
		stolen := seen.form("form", "x")
		owner.post(path, stolen).want(t, 403)
		to := owner.post(path, send).want(t, 303).Header.Get("Location")
		again := owner.post(path, send).want(t, 303).Header.Get("Location") // a second click
		if to != again || !strings.HasPrefix(to, "/app/acme/changes/eba-") {
			t.Errorf("filing leads to %s and %s", to, again)
		}
		owner.get(to).want(t, 200).has(t, "“Rotate” was put on 25 workspaces", "0</b><span>of 25 archived").inert(t)
		to = path + "?filed=" + strings.TrimSuffix(strings.TrimPrefix(to, "/app/acme/changes/"), "?filed")
		done := owner.get(to).want(t, 200).has(t, "“Rotate” was put on 25 workspaces", "Page 1 of 2", "25 change requests")
		owner.get(path+"?workspace=app-03").has(t, "1 change request found")
		owner.get(path+"?project=Default+Project").has(t, "25 change requests found")
		owner.get(path+"?project=none").has(t, "0 change requests found")
		owner.get(path+"?filed=eba-0000000000000000").want(t, 404)
		// Archive one, and come back to where it was.
		archive := done.actions()[0]
		archived := owner.post(archive, done.form()).want(t, 303)
		if got := archived.Header.Get("Location"); got != to {
			t.Errorf("archiving leads to %s, not %s", got, to)
		}
		trail := s.do("GET", "/organizations/acme/audit-trail?sort=-timestamp", s.Token, "")
		if id := archived.Header.Get("X-Request-Id"); id == "" || trail.text("data.0.request.id") != id {
			t.Errorf("request %q is told as %s", id, trail.Body)
		}
		owner.post(archive, done.form()).want(t, 303) // a second click
		owner.post(archive, done.form("form", "x")).want(t, 403)
		owner.get(path).has(t, "24 change requests")
		owner.get(path+"?show=archived").has(t, "1 change request.", "archived by olga")
		owner.get(path+"?show=all").has(t, "25 change requests")
		for raw, want := range map[string]string{
			"https://evil.example.com/": "/app/", "//evil.example.com/app/": "/app/", "": "/app/change-requests/wscr-",
		} {
			next := owner.get(path).actions()[0]
			if got := owner.post(next, done.form("return", raw)).want(t, 303).Header.Get("Location"); !strings.HasPrefix(got, want) {
				t.Errorf("return=%q leads to %s", raw, got)
			}
		}
	})
}

// vectors are texts that would act in a page that let them.
var vectors = []string{
	`<script>alert(1)</script>`, `"><img src=x onerror=alert(1)>`, `[x](javascript:alert(1))`, `' onmouseover='alert(1)`,
	`<svg/onload=alert(1)>`, `</textarea><script>alert(1)</script>`, `![x](https://evil.example.com/x.png)`, `<style>*{display:none}</style>`,
	`{{.}}`, `<iframe src="javascript:alert(1)">`, `<a href="data:text/html,<script>alert(1)</script>">x</a>`,
}

// elements are all that a page is made of.
var elements = strings.Fields(`html head meta title link body a header img form input span strong button nav ul li main h1 h2 h3 p
	section q details summary dl dt dd div table thead tbody tr th td pre article time label select option datalist textarea code kbd em ol fieldset legend
	aside b wbr svg g text path circle rect polygon polyline ins del`)

// addresses are what an address on a page may begin with.
var addresses = regexp.MustCompile(`^(/app/|/app$|/_objects/log/|\?|#|https?://|mailto:)`)

// unmarked is a page without the secrets of its forms, which each page carries behind another mask.
func unmarked(r reply) string { return formSecret.ReplaceAllString(r.Body, "") }

var formSecret = regexp.MustCompile(`name="form" value="[0-9a-f]*"`)

// inert demands that nothing in a page acts: it has no other elements than these, no
// handlers, no styles, and leads to no other addresses.
func (r reply) inert(t testing.TB) reply {
	t.Helper()
	for tokens := xhtml.NewTokenizer(strings.NewReader(r.Body)); tokens.Next() != xhtml.ErrorToken; {
		token := tokens.Token()
		if token.Type != xhtml.StartTagToken && token.Type != xhtml.SelfClosingTagToken {
			continue
		}
		if token.Data == "script" { // our own, and nothing in it
			i := slices.IndexFunc(token.Attr, func(a xhtml.Attribute) bool {
				return a.Key == "src" && (strings.HasPrefix(a.Val, "/app/~/static/belay.") || strings.HasPrefix(a.Val, "/app/~/static/log."))
			})
			if next := tokens.Next(); i < 0 || next != xhtml.EndTagToken {
				t.Errorf("the page has the script %s", token)
			}
			continue
		}
		if !slices.Contains(elements, token.Data) {
			t.Errorf("the page has the element %s", token)
		}
		for _, a := range token.Attr {
			leads := a.Key == "href" || a.Key == "src" || a.Key == "action"
			own := token.Data != "img" || strings.HasPrefix(a.Val, "/app/")
			if strings.HasPrefix(a.Key, "on") || a.Key == "style" || leads && (!addresses.MatchString(a.Val) || !own) {
				t.Errorf("the page has the attribute %s=%q in %s", a.Key, a.Val, token)
			}
		}
	}
	return r
}

func TestPagesShowNothingThatActs(t *testing.T) {
	each(t, func(t *testing.T, s *server) {
		id := s.people()
		owner := s.signIn("olga")
		page := owner.get(networkPage).want(t, 200)
		form := owner.get("/app/acme/change-requests/new")
		for _, vector := range vectors {
			quoted := fmt.Sprintf("%q", vector)
			s.setWorkspace(id, `{"description":`+quoted+`}`)
			owner.post(networkPage+"/lock", page.form("reason", vector)).want(t, 303)
			seen := owner.post("/app/acme/change-requests/preview", words(form, vector, vector, "net")).want(t, 200).inert(t)
			owner.post("/app/acme/change-requests", seen.form()).want(t, 303)
			owner.post("/app/acme/change-requests/preview", words(form, "", vector, vector)).want(t, 422).inert(t)
			owner.post("/app/acme/change-requests/preview", words(form, "x", "y", vector)).want(t, 200).inert(t)
			shown := owner.get(networkPage).want(t, 200).inert(t)
			if !strings.Contains(html.UnescapeString(shown.Body), vector) {
				t.Errorf("%q is not shown as it was written", vector)
			}
			owner.get("/app/acme/change-requests").want(t, 200).inert(t)
			for _, list := range []string{"/app/acme/workspaces?search=%s&tags=%[1]s&sort=%[1]s", "/app/acme/change-requests?workspace=%s&project=%[1]s&show=%[1]s", organizationsPath + "?search=%s"} {
				owner.get(fmt.Sprintf(list, url.QueryEscape(vector))).want(t, 200).inert(t)
			}
			owner.post(networkPage+"/force-unlock", page.form()).want(t, 303)
		}
		s.lock(id)
		s.give(id, fmt.Appendf(nil, `{"version":4,"terraform_version":"1.9.0","serial":1,"lineage":%q,"outputs":{%q:{"value":%q,"type":"string"}},"resources":[]}`, lineage, vectors[1], vectors[0]), 1)
		owner.get(networkPage).want(t, 200).inert(t)
	})
}

func TestPagesCostTheSameStatementsWhateverTheyHold(t *testing.T) {
	each(t, func(t *testing.T, s *server) {
		id := s.people()
		owner := s.signIn("olga")
		s.fileRequests("acme", "Upgrade", id)
		campaign := "/app/acme/changes/" + s.fileRequests("acme", "Campaign", id).text("data.id")
		paths := []string{
			"/app/acme/workspaces?search=n", "/app/acme/change-requests", networkPage, "/app/acme/changes", campaign, "/app/acme/explorer",
			"/app/acme/explorer?type=workspaces&filter[0][workspace_name][contains][0]=n&sort=-resource_count&by=project_name", "/app/acme/explorer?type=tf_versions",
		}
		before := map[string]int{}
		for _, path := range paths {
			before[path] = s.pageCost(owner, path)
		}
		ids := []string{id}
		for i := range 20 {
			ids = append(ids, s.workspace("acme", fmt.Sprintf("n-%02d", i)))
		}
		for range 15 {
			s.fileRequests("acme", "Upgrade", ids...)
		}
		for _, path := range paths {
			// One may come for a count that one row does not need.
			if now := s.pageCosts(owner, path, before[path]+1); now > before[path]+1 {
				t.Errorf("%s: %d statements with one row, %d with many", path, before[path], now)
			} else {
				t.Logf("%s: %d statements", path, now)
			}
		}
		for path, most := range map[string]int{"/app/acme/workspaces": listStatements, "/app/acme/workspaces?search=n": listStatements + 1, "/app/acme/workspaces?run=none&tags=x": listStatements + 3} /* nothing fits: both are left out once */ {
			if now := s.pageCosts(owner, path, most); now > most {
				t.Errorf("%s: %d statements, more than %d", path, now, most)
			} else {
				t.Logf("%s: %d statements of %d", path, now, most)
			}
		}
	})
}

// listStatements is what the list of workspaces may cost.
const listStatements = 8

// TestPagesOfAnOrganizationWithAnAwkwardName: its addresses look like those of other pages. It was called so before such
// names were reserved.
func TestPagesOfAnOrganizationWithAnAwkwardName(t *testing.T) {
	each(t, func(t *testing.T, s *server) {
		s.user("olga")
		for _, name := range []string{"change-requests", "settings", "sign-in", "workspaces"} {
			s.organization("was-" + name)
			s.execute(fmt.Sprintf("UPDATE organizations SET name = '%s' WHERE name = 'was-%s'", name, name))
			id := s.workspace(name, "change-requests")
			s.join(name, "olga", s.owners(name))
			s.fileRequests(name, "Upgrade "+name, id)
		}
		b := s.signIn("olga")
		for _, name := range []string{"change-requests", "settings", "sign-in", "workspaces"} {
			b.get("/app/"+name+"/workspaces").want(t, 200).has(t, "<title>Workspaces – "+name+" – Belay</title>", "/app/"+name+"/workspaces/change-requests")
			b.get("/app/"+name+"/workspaces/change-requests").want(t, 200).has(t, "Upgrade "+name)
			b.get("/app/"+name+"/change-requests").want(t, 200).has(t, "Upgrade "+name)
			b.get("/app/"+name+"/nothing").want(t, 404)
		}
		// A command line sends people to their own tokens at an address of one of them.
		b.get("/app/settings/tokens").want(t, 200).has(t, "<title>Your tokens")
		const tokens = "/app/settings/organization-tokens"
		page := b.get("/app/settings/workspaces").has(t, `href="`+tokens+`"`)
		b.get(tokens).want(t, 200).has(t, "<title>Tokens – settings", "Token of the organization").inert(t)
		b.post(tokens, page.form("do", "replace", "purpose", "", "days", "30")).want(t, 201).has(t, "not shown again")
		b.post(tokens, page.form("do", "end-token", "token", "at-nothing")).want(t, 303)
	})
}

func TestPagesWithoutChangeRequests(t *testing.T) {
	t.Parallel()
	s := start(t, "sqlite", "--edition", "self-managed")
	s.organization("acme")
	s.workspace("acme", "network")
	s.user("olga")
	s.join("acme", "olga", s.owners("acme"))
	b := s.signIn("olga")
	for _, path := range []string{organizationsPath, "/app/acme/workspaces", networkPage} {
		b.get(path).want(t, 200).hasNot(t, "hange request")
	}
	b.get("/app/acme/change-requests").want(t, 404)
	b.get("/app/acme/change-requests/new").want(t, 404)
}
