package e2e_test

import (
	"bufio"
	"html"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"testing"
)

var liveAddress = regexp.MustCompile(`data-live="([^"]+)"`)

// listen opens the stream of a page's changes. next gives its next event that is one of the
// kinds, or nothing when the stream has ended.
func (b *browser) listen(path, last string) (status int, next func(kinds ...string) string, stop func()) {
	b.t.Helper()
	request, err := http.NewRequest(http.MethodGet, b.base+path, nil)
	must(b.t, err)
	if last != "" {
		request.Header.Set("Last-Event-ID", last)
	}
	answer, err := b.http.Do(request)
	must(b.t, err)
	b.t.Cleanup(func() { _ = answer.Body.Close() })
	lines := bufio.NewScanner(answer.Body)
	id := ""
	return answer.StatusCode, func(kinds ...string) string {
		for lines.Scan() {
			if found, ok := strings.CutPrefix(lines.Text(), "id: "); ok {
				id = found
			}
			for _, kind := range kinds {
				if lines.Text() == kind {
					return id + " " + kind
				}
			}
		}
		return ""
	}, func() { _ = answer.Body.Close() }
}

// TestPagesTellOfChanges: a page that is open is told that something changed, and never what; who
// may not see it, or has signed out, is told nothing.
func TestPagesTellOfChanges(t *testing.T) {
	each(t, func(t *testing.T, s *server) {
		id := s.people()
		owner, reader, stranger := s.signIn("olga"), s.signIn("rita"), s.signIn("stan")
		page := reader.get(networkPage).want(t, 200)
		live := html.UnescapeString(liveAddress.FindStringSubmatch(page.Body)[1])
		stranger.get(live).want(t, 404)
		s.browse().get(live).want(t, 404)
		reader.get("/app/~/live?of=nonsense&id=x").want(t, 404)
		status, next, _ := reader.listen(live, "")
		if status != 200 {
			t.Fatalf("the stream answers %d", status)
		}
		if first := next("retry: 1000", "event: changed"); !strings.HasSuffix(first, "retry: 1000") {
			t.Fatalf("the stream begins with %q", first)
		}
		owner.post(networkPage+"/lock", owner.get(networkPage).form("reason", "because")).want(t, 303)
		told := next("event: changed")
		if told == "" || strings.Contains(told, "because") {
			t.Fatalf("the stream says %q", told)
		}
		// Whoever comes again with what they saw last is told only of what came since.
		last := strings.Fields(told)[0]
		fresh := html.UnescapeString(liveAddress.FindStringSubmatch(reader.get(networkPage).Body)[1])
		if !strings.HasSuffix(fresh, last) {
			t.Errorf("the page is at %s and the stream at %s", fresh, last)
		}
		_, again, stop := reader.listen(live, "somethingelse000")
		if first := again("event: changed"); !strings.HasPrefix(first, last) {
			t.Errorf("who missed a change is told %q", first)
		}
		stop()
		s.fileRequests("acme", "Another", id)
		_, moves, _ := owner.listen(html.UnescapeString(liveAddress.FindStringSubmatch(owner.get("/app/acme/changes").want(t, 200).Body)[1]), "")
		campaign := owner.get("/app/acme/changes/" + s.fileRequests("acme", "Upgrade", id).text("data.id"))
		_, changed, _ := owner.listen(html.UnescapeString(liveAddress.FindStringSubmatch(campaign.Body)[1]), "")
		owner.post("/app/change-requests/"+s.firstRequest(id)+"/archive", campaign.form()).want(t, 303)
		if changed("event: changed") == "" {
			t.Error("a campaign does not tell that something was archived")
		}
		if moves("event: changed") == "" {
			t.Error("the list of campaigns does not tell of a new one")
		}
		reader.post("/app/sign-out", page.form()).want(t, 303)
		if after := next("nothing that is ever said"); after != "" {
			t.Errorf("who signed out hears %q", after)
		}
	})
}

// TestHomeTellsOfWhatWaits: a home that is open is told when something comes to wait there, and of nothing else.
func TestHomeTellsOfWhatWaits(t *testing.T) {
	each(t, func(t *testing.T, s *server) {
		id := s.people()
		s.workspace("acme", "other") // past the first steps
		const home = "/app/acme"
		reader, stranger := s.signIn("rita"), s.signIn("stan")
		live := html.UnescapeString(liveAddress.FindStringSubmatch(reader.get(home).want(t, 200).has(t, "data-calm").Body)[1])
		stranger.get(live).want(t, 404)
		_, next, stop := reader.listen(live, "")
		defer stop()
		if first := next("retry: 1000", "event: changed"); !strings.HasSuffix(first, "retry: 1000") {
			t.Fatalf("the stream begins with %q", first)
		}
		s.workspace("acme", "hidden") // an event of which the reader sees nothing
		s.fileRequests("acme", "Upgrade", id)
		told := next("event: changed")
		fresh := html.UnescapeString(liveAddress.FindStringSubmatch(reader.get(home).want(t, 200).has(t, "Upgrade").Body)[1])
		if told == "" || !strings.HasSuffix(fresh, strings.Fields(told)[0]) {
			t.Errorf("the page is at %s and the stream at %q", fresh, told)
		}
	})
}

// TestListsTellOfChanges: a list is told that one of its rows changed, and where rows would move that is
// only offered. Whom it hides its rows from is told nothing.
func TestListsTellOfChanges(t *testing.T) {
	each(t, func(t *testing.T, s *server) {
		id := s.people()
		owner, reader, stranger := s.signIn("olga"), s.signIn("rita"), s.signIn("stan")
		const list = "/app/acme/workspaces"
		address := func(b *browser, asked string) string {
			return html.UnescapeString(liveAddress.FindStringSubmatch(b.get(list+asked).want(t, 200).Body)[1])
		}
		owner.get(list).hasNot(t, "data-offers")
		for _, moves := range []string{"?lock=unlocked", "?sort=changed", "?search=net"} {
			owner.get(list+moves).want(t, 200).has(t, "data-offers")
		}
		for _, asked := range []string{"", "?search=net&sort=changed", "?lock=unlocked&tags=&page=1"} {
			live := address(reader, asked)
			stranger.get(live).want(t, 404)
			status, next, stop := reader.listen(live, "")
			if first := next("retry: 1000", "event: changed"); status != 200 || !strings.HasSuffix(first, "retry: 1000") {
				t.Fatalf("%s: the stream answers %d, and begins with %q", asked, status, first)
			}
			s.lock(id)
			if next("event: changed") == "" {
				t.Errorf("%s: a lock is not told", asked)
			}
			stop()
			s.unlock(id)
		}
		for _, odd := range []string{"", "?", "nowhere?search=net", "acme/workspaces"} {
			reader.get("/app/~/live?"+url.Values{"of": {"workspaces"}, "id": {odd}}.Encode()).want(t, 404)
		}
	})
}

// TestStartOfARunOnAPage begins a run by a form, and says what was wrong.
func TestStartOfARunOnAPage(t *testing.T) {
	each(t, func(t *testing.T, s *server) {
		s.people()
		owner, reader := s.signIn("olga"), s.signIn("rita")
		form := owner.get(networkPage).want(t, 200).has(t, "Start run")
		reader.get(networkPage).want(t, 200).hasNot(t, "Start run")
		reader.post(networkPage+"/start", reader.get(organizationsPath).form("message", "x", "kind", "", "targets", "")).want(t, 404)
		owner.post(networkPage+"/start", form.form("message", "x", "kind", "", "targets", "", "form", "x")).want(t, 403)
		// There is no configuration yet: the form comes back with what was typed.
		refused := owner.post(networkPage+"/start", form.form("message", "typed words", "kind", "destroy", "targets", "a.b"))
		refused.want(t, 422).has(t, `value="typed words"`, `<option value="destroy" selected>`, ">\na.b</textarea>").inert(t)
		refused = owner.post(networkPage+"/start", form.form("message", "x", "kind", "", "targets", "", "replaces", "c.d[\"e f\"]", "variables", "size = 3\nzone"))
		refused.want(t, 422).has(t, "Write variables as key = value", ">\nc.d[&#34;e f&#34;]</textarea>", ">\nsize = 3\nzone</textarea>").inert(t)
		for _, vector := range vectors {
			owner.post(networkPage+"/start", form.form("kind", "", "replaces", vector, "variables", vector)).want(t, 422).inert(t)
		}
		s.do("PATCH", "/workspaces/"+s.idOf("network"), s.Token, `{"data":{"type":"workspaces","attributes":{"execution-mode":"local"}}}`).want(t, 200)
		owner.get(networkPage).hasNot(t, "Start run")
	})
}
