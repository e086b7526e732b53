package e2e_test

import (
	"fmt"
	"regexp"
	"strings"
	"testing"
)

// TestSavedViewsOfTheList are somebody's own, or everybody's, on the page and in the API.
func TestSavedViewsOfTheList(t *testing.T) {
	each(t, func(t *testing.T, s *server) {
		s.people()
		_, vera := s.team("acme", "vera", nil)
		owner, reader, stranger := s.signIn("olga"), s.signIn("vera"), s.signIn("stan")
		const list = "/app/acme/workspaces"
		const views = "/organizations/acme/workspace-views"
		asked := list + "?search=net&run=failed&run=none&nonsense=1&page=1"
		form := owner.get(asked).want(t, 200).has(t, "Save this view", "Everybody in the organization").hasNot(t, `aria-label="Saved views"`).inert(t)
		shown := list + "?run=failed&run=none&search=net"
		if to := owner.post(asked, form.form("do", "keep-view", "name", "Failed nets", "shared", "yes")).want(t, 303).Header.Get("Location"); to != shown {
			t.Errorf("a view that is kept is at %s", to)
		}
		owner.get(shown+"&page=2").want(t, 200).has(t, "This is the view “Failed nets”", "everybody in the organization sees", `aria-current="true"`, "Forget it").inert(t)
		owner.post(asked, form.form("do", "keep-view", "name", "Failed nets", "shared", "yes")).want(t, 422).has(t, `value="Failed nets"`, `name="shared" value="yes" checked`)
		owner.post(asked, form.form("do", "keep-view", "name", " ")).want(t, 422).has(t, "Name can&#39;t be blank")

		// Of two that ask the same, one is the one that is shown: which, the address says.
		other := owner.post(asked, form.form("do", "keep-view", "name", "Nets again")).want(t, 303).Header.Get("Location")
		if !strings.HasPrefix(other, shown+"&view=") {
			t.Errorf("another view that asks the same is at %s", other)
		}
		for at, name := range map[string]string{shown: "Failed nets", other: "Nets again", shown + "&view=gone": "Failed nets", other + "&page=2": "Nets again"} {
			page := owner.get(at).want(t, 200).has(t, "This is the view “"+name+"”")
			for try := 0; try < 100 && !strings.Contains(page.Body, `aria-label="Saved views"`); try++ { // the side bar is left out where it is late
				page = owner.get(at).want(t, 200)
			}
			for _, label := range []string{"Saved views of the list", "Saved views"} { // above the list, and beside it
				_, views, _ := strings.Cut(page.Body, `aria-label="`+label+`"`)
				views, _, _ = strings.Cut(views, "</nav>")
				if n := strings.Count(views, " aria-current="); n != 1 || !regexp.MustCompile(` aria-current="[^>]*><svg[^>]*><path[^>]*></svg>(<span>)?`+name).MatchString(views) {
					t.Errorf("%s: %s: %d are shown at once: %s", at, label, n, views)
				}
			}
		}
		var which string
		for _, id := range regexp.MustCompile(`name="view" value="([^"]+)"`).FindAllStringSubmatch(owner.get(other).Body, -1) {
			which = id[1]
		}
		owner.post(other, form.form("do", "forget-view", "view", which)).want(t, 303)
		owner.get(other).want(t, 200).has(t, "This is the view “Failed nets”").hasNot(t, "Nets again")

		for i, vector := range vectors {
			owner.post(list+"?search=x", form.form("do", "keep-view", "name", fmt.Sprint(vector, i))).want(t, 303)
		}
		owner.get(list).want(t, 200).inert(t)

		// A reader sees what is shared, has its own, and changes nothing of the others'.
		own := reader.get(list).want(t, 200).has(t, "Failed nets", ", shared").hasNot(t, "Everybody in the organization").inert(t)
		reader.get(shown).want(t, 200).has(t, "This is the view “Failed nets”").hasNot(t, "Forget it")
		reader.post(list+"?lock=mine", own.form("do", "keep-view", "name", "Mine")).want(t, 303)
		reader.get(list).has(t, "Mine")
		owner.get(list).hasNot(t, ">Mine<")
		reader.post(list, own.form("do", "keep-view", "name", "For all", "shared", "yes")).want(t, 404)
		shared := s.do("GET", views, s.Token, "").want(t, 200)
		id := shared.text("data.0.id")
		if shared.at("data.1") != nil || shared.text("data.0.attributes.query") != "run=failed&run=none&search=net" || shared.at("data.0.attributes.shared") != true {
			t.Errorf("a site admin sees what is shared, and its own: %s", shared.Body)
		}
		reader.post(list, own.form("do", "forget-view", "view", id)).want(t, 404)
		stranger.post(list, stranger.get(organizationsPath).form("do", "keep-view", "name", "x")).want(t, 404)
		owner.post(asked, form.form("do", "keep-view", "name", "x", "form", "x")).want(t, 403)

		// The API has the same.
		mine := s.do("GET", views, vera, "").want(t, 200)
		var ids []string
		for i := 0; mine.at(fmt.Sprintf("data.%d", i)) != nil; i++ {
			ids = append(ids, mine.text(fmt.Sprintf("data.%d.id", i)))
		}
		if len(ids) != 2 {
			t.Fatalf("a reader has %d views: %s", len(ids), mine.Body)
		}
		theirs := ids[0]
		if theirs == id {
			theirs = ids[1]
		}
		s.do("GET", "/workspace-views/"+theirs, s.Token, "").want(t, 404)
		s.do("PATCH", "/workspace-views/"+id, vera, `{"data":{"attributes":{"name":"taken"}}}`).want(t, 404)
		s.do("PATCH", "/workspace-views/"+theirs, vera, `{"data":{"attributes":{"shared":true}}}`).want(t, 404)
		s.do("PATCH", "/workspace-views/"+theirs, vera, `{"data":{"attributes":{"query":"run=failed&a=b"}}}`).want(t, 422)
		s.do("PATCH", "/workspace-views/"+theirs, vera, `{"data":{"attributes":{"query":"search=`+strings.Repeat("x", 2001)+`"}}}`).want(t, 422)
		if got := s.do("PATCH", "/workspace-views/"+theirs, vera, `{"data":{"attributes":{"query":"?sort=changed&run=failed&run="}}}`).want(t, 200).text("data.attributes.query"); got != "run=failed&sort=changed" {
			t.Errorf("a query is kept as %q", got)
		}
		for i := range 60 {
			want := 201
			if i >= 49 { // it has one
				want = 422
			}
			if got := s.do("POST", views, vera, fmt.Sprintf(`{"data":{"type":"workspace-views","attributes":{"name":"v%d"}}}`, i)); got.Status != want {
				t.Fatalf("view %d: %d, not %d: %s", i, got.Status, want, got.Body)
			}
		}
		s.do("DELETE", "/workspace-views/"+theirs, vera, "").want(t, 204)
		s.do("DELETE", "/workspace-views/"+id, s.Token, "").want(t, 204)
		reader.get(list).hasNot(t, "Failed nets", "Mine")
	})
}
