package e2e_test

import (
	"fmt"
	"html"
	"regexp"
	"strings"
	"testing"
)

var (
	homeSays = regexp.MustCompile(`<p class="sub"><span>(\d+\+?|Nothing)( thing| things)? waits? for you`)
	sideSays = regexp.MustCompile(`<span class="n hot">(\d+\+?)<span class="hidden"> waits? for you`)
	laterOf  = regexp.MustCompile(`name="later" value="([^"]+)"`)
)

// TestTheSideBarCountsAsHomeDoes: what waits is one number, whatever of it comes, goes, is put off and shown again.
func TestTheSideBarCountsAsHomeDoes(t *testing.T) {
	each(t, func(t *testing.T, s *server) {
		network := s.people()
		owner, reader := s.signIn("olga"), s.signIn("rita")
		const home = "/app/acme"
		numbers := func(b *browser) (page, beside, elsewhere string) {
			number := func(says *regexp.Regexp, body string) string {
				if found := says.FindStringSubmatch(body); found != nil {
					return strings.Replace(found[1], "Nothing", "0", 1)
				}
				return "0"
			}
			body := b.get(home).want(t, 200).Body
			return number(homeSays, body), number(sideSays, html.UnescapeString(body)), number(sideSays, html.UnescapeString(b.get(home+"/projects").want(t, 200).Body))
		}
		after := func(what, owners, readers string) {
			t.Helper()
			for want, b := range map[string]*browser{owners + " of the owner": owner, readers + " of the reader": reader} {
				n, _, _ := strings.Cut(want, " ")
				if page, beside, elsewhere := numbers(b); page != beside || page != elsewhere || n != "any" && page != n {
					t.Errorf("after %s home says %s, beside it %s, elsewhere %s, and not %s", what, page, beside, elsewhere, want)
				}
			}
		}
		after("nothing", "0", "0")
		hidden, cluster := s.workspace("acme", "hidden"), s.runnable("cluster")
		s.fileRequests("acme", "Upgrade", network)
		s.fileRequests("acme", "Rotate", network, hidden)
		after("requests", "2", "2")
		made := s.do("POST", "/runs", s.Token, runOf(cluster, `"message":"Grow it"`)).want(t, 201).text("data.id")
		after("a run", "2", "2")
		s.execute("UPDATE runs SET status = 'planned' WHERE id = '" + made + "'")
		after("a plan", "3", "2")
		s.execute("UPDATE runs SET workspace_id = '" + network + "' WHERE id = '" + made + "'")
		after("a plan that the reader sees, and may not confirm", "3", "2")
		owner.post(networkPage+"/lock", owner.get(networkPage).form("reason", "mine")).want(t, 303)
		after("a lock, which is in the way of the plan", "3", "2")
		s.do("POST", "/workspaces/"+network+"/actions/ask-holder", s.Token, `{"question":"Done?"}`).want(t, 200)
		after("a question", "3", "2")
		s.execute("UPDATE runs SET status = 'errored', unfinished = FALSE WHERE id = '" + made + "'")
		after("a failure", "4", "3")
		s.lock(hidden)
		after("a lock of somebody else", "4", "3")
		s.execute("UPDATE workspaces SET locked_at = locked_at - 259200000 WHERE id = '" + hidden + "'")
		after("the lock is there for long", "5", "3")
		for _, mark := range laterOf.FindAllStringSubmatch(owner.get(home).want(t, 200).Body, -1) {
			owner.post(home, owner.get(home).form("later", mark[1])).want(t, 303)
			after("one more is put off", "any", "3")
		}
		after("all is put off", "0", "3")
		owner.post(home, owner.get(home).form("again", "x")).want(t, 303)
		after("all is shown again", "5", "3")
		for i := range 6 {
			s.fileRequests("acme", fmt.Sprint("Change ", i), network)
		}
		after("more of a kind than is shown", "9+", "7+")
		for _, left := range []string{"9+", "9", "8"} { // what is put off makes room for others of its kind
			requests := laterOf.FindAllStringSubmatch(owner.get(home).want(t, 200).Body, -1)[3:]
			owner.post(home, owner.get(home).form("later", requests[0][1])).want(t, 303)
			after("one of many is put off", left, "7+")
		}
	})
}
