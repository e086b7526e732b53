package e2e_test

import (
	"fmt"
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/hashicorp/go-tfe"
)

// TestManyWorkspacesFromTheirList ticks workspaces of the list, and tags, moves and files on them.
func TestManyWorkspacesFromTheirList(t *testing.T) {
	each(t, func(t *testing.T, s *server) {
		id := s.people()
		other := s.do("POST", "/organizations/acme/projects", s.Token, `{"data":{"type":"projects","attributes":{"name":"Edge one"}}}`).want(t, 201).text("data.id")
		ids := map[string]string{"network": id}
		for _, name := range []string{"app", "web"} {
			ids[name] = s.workspace("acme", name)
		}
		writers, _ := s.team("acme", "wendy", nil)
		s.grant(writers, ids["app"], tfe.AccessAdmin)
		s.grant(writers, id, tfe.AccessRead)
		owner, writer, reader, stranger := s.signIn("olga"), s.signIn("wendy"), s.signIn("rita"), s.signIn("stan")
		const list = "/app/acme/workspaces"
		page := owner.get(list+"?search=p").want(t, 200).has(t, "With those ticked", `value="`+other+`"`, "File change requests").inert(t)
		if found := page.actions(); !slices.Equal(found, []string{list + "?search=p", list + "?search=p"}) { // a view, and what is ticked
			t.Errorf("the forms are %v", found)
		}
		tick := func(form url.Values, names ...string) url.Values {
			for _, name := range names {
				form.Add("id", ids[name]+" "+name)
			}
			return form
		}
		tags := func(name string) any {
			return s.do("GET", "/workspaces/"+ids[name], s.Token, "").at("data.attributes.tag-names")
		}
		to := owner.post(list+"?search=p", tick(page.form("do", "tag", "tags", "Prod, eu"), "app", "web")).want(t, 303).Header.Get("Location")
		owner.get(to).want(t, 200).has(t, "2 workspaces tagged.", "app</a>").hasNot(t, "network</a>").inert(t)
		for _, name := range []string{"app", "web"} {
			if got, _ := tags(name).([]any); len(got) != 2 || got[0] != "eu" || got[1] != "prod" {
				t.Errorf("%s carries %v", name, got)
			}
		}
		// Locks: what is locked already, and what another holds, is told.
		s.lock(id)
		to = owner.post(list, tick(page.form("do", "lock"), "app", "web", "network")).want(t, 303).Header.Get("Location")
		owner.get(to).want(t, 200).has(t, "2 workspaces locked, 1 refused")
		to = owner.post(list, tick(page.form("do", "unlock"), "app", "web", "network")).want(t, 303).Header.Get("Location")
		owner.get(to).want(t, 200).has(t, "2 workspaces unlocked, 1 refused")
		for name, want := range map[string]any{"app": false, "web": false, "network": true} {
			if got := s.do("GET", "/workspaces/"+ids[name], s.Token, "").at("data.attributes.locked"); got != want {
				t.Errorf("%s is locked: %v", name, got)
			}
		}
		// What is wrong comes back with what was ticked and typed.
		owner.post(list, tick(page.form("do", "tag", "tags", "a b"), "web")).want(t, 422).has(t, `value="a b"`, `value="`+ids["web"]+` web" checked`).inert(t)
		owner.post(list, tick(page.form("do", "tag", "tags", " "), "web")).want(t, 422).has(t, "Write the tags")
		owner.post(list, page.form("do", "tag", "tags", "x")).want(t, 422).has(t, "Tick the workspaces first.")
		owner.post(list, tick(page.form("do", "nonsense"), "web")).want(t, 422)
		owner.post(list, tick(page.form("do", "tag", "tags", "x", "form", "x"), "web")).want(t, 403)
		to = owner.post(list, tick(page.form("do", "move", "project", other), "app", "network")).want(t, 303).Header.Get("Location")
		owner.get(to).want(t, 200).has(t, "2 workspaces moved.", "Edge one")
		for name, want := range map[string]bool{"app": true, "network": true, "web": false} {
			if got := s.do("GET", "/workspaces/"+ids[name], s.Token, "").text("data.relationships.project.data.id"); (got == other) != want {
				t.Errorf("%s is in %s", name, got)
			}
		}
		owner.post(list, tick(page.form("do", "move", "project", "prj-nothing"), "web")).want(t, 404)
		// Filing asks for exactly those, and is looked at first.
		file := owner.post(list, tick(page.form("do", "file"), "app", "web")).want(t, 303).Header.Get("Location")
		form := owner.get(file).want(t, 200).has(t, "app or web").inert(t)
		owner.post("/app/acme/change-requests/preview", form.form("subject", "Upgrade", "message", "m")).want(t, 200).has(t, "<strong>2 workspaces</strong>").hasNot(t, ">network<")
		// Who may tag one of two tags one; who may nothing is offered nothing, and does nothing.
		mine := writer.get(list).want(t, 200).has(t, "With those ticked").hasNot(t, `value="move"`, `value="file"`)
		to = writer.post(list, tick(mine.form("do", "tag", "tags", "mine"), "app", "network")).want(t, 303).Header.Get("Location")
		writer.get(to).has(t, "1 workspace tagged, 1 refused")
		if got, _ := tags("network").([]any); len(got) != 0 {
			t.Errorf("who reads has tagged: %v", got)
		}
		reader.get(list).want(t, 200).hasNot(t, "With those ticked", `type="checkbox" name="id"`)
		reader.get(list+"?did=tag&n=x&not=%3Cb%3E").want(t, 200).hasNot(t, "tagged").inert(t)
		own := func(more ...string) url.Values {
			return tick(reader.get(organizationsPath).form(more...), "web", "network")
		}
		to = reader.post(list, own("do", "tag", "tags", "stolen")).want(t, 303).Header.Get("Location")
		reader.get(to).has(t, "0 workspaces tagged, 2 refused")
		reader.post(list, own("do", "lock")).want(t, 303)
		if got := s.do("GET", "/workspaces/"+ids["web"], s.Token, "").at("data.attributes.locked"); got != false {
			t.Error("a reader has locked a workspace")
		}
		if got := reader.post(list, own("do", "move", "project", other)); got.Status != 404 && got.Status != 403 {
			t.Errorf("a reader moves: %d", got.Status)
		}
		stranger.post(list, tick(stranger.get(organizationsPath).form("do", "tag", "tags", "stolen"), "web")).want(t, 404)
		if got := s.do("GET", "/organizations/acme/tags", s.Token, "").want(t, 200).Body; strings.Contains(got, "stolen") {
			t.Errorf("a tag was stolen: %s", got)
		}
	})
}

// TestSearchPage finds by name, tag and id what the visitor sees, and nothing else.
func TestSearchPage(t *testing.T) {
	each(t, func(t *testing.T, s *server) {
		id := s.people()
		s.newWorkspace("acme", "hidden-net", func(o *tfe.WorkspaceCreateOptions) { o.Tags = []*tfe.Tag{{Name: "prod"}} })
		s.do("POST", "/organizations/acme/projects", s.Token, `{"data":{"type":"projects","attributes":{"name":"Network edge"}}}`).want(t, 201)
		s.fileRequests("acme", "Upgrade", id)
		request := s.firstRequest(id)
		ws := s.runnable("cluster")
		run := s.do("POST", "/runs", s.Token, runOf(ws, "")).want(t, 201).text("data.id")
		owner, reader, stranger := s.signIn("olga"), s.signIn("rita"), s.signIn("stan")
		const search = "/app/~/search?in=acme&q="
		owner.get(networkPage).want(t, 200).has(t, `action="/app/~/search"`, `name="in" value="acme"`).inert(t)
		owner.get(search+"NET").want(t, 200).has(t, "network</a>", "hidden-net</a>", "Network edge</a>").hasNot(t, "cluster</a>").inert(t)
		owner.get(search+"prod").want(t, 200).has(t, "Workspaces tagged so", "hidden-net</a>").hasNot(t, "network</a>")
		s.do("POST", "/organizations/acme/varsets", s.Token, `{"data":{"type":"varsets","attributes":{"name":"network defaults"}}}`).want(t, 201)
		owner.get(search+"defaults").want(t, 200).has(t, "Variable sets", ">network defaults</a>", "Resources with “defaults” in their address").inert(t)
		owner.get(search+"rit").want(t, 200).has(t, "People", `href="/app/acme/members?search=rita%40example.com"`).inert(t)
		owner.get("/app/acme/explorer?type=resources&filter%5B0%5D%5Baddress%5D%5Bcontains%5D%5B0%5D=x").want(t, 200)
		reader.get(search+"olga").want(t, 200).hasNot(t, "People", "olga@", "Resources with")
		owner.get(search+"audit").want(t, 200).has(t, `href="/app/acme/audit"`)
		owner.get("/app/~/search?q=acm").want(t, 200).has(t, `href="/app/acme"`).inert(t)
		owner.get(search+"zzzz").want(t, 200).has(t, "Nothing that you see is called so").inert(t)
		owner.get("/app/~/search").want(t, 200).has(t, "Profile</a>").inert(t)
		reader.get(search+"net").want(t, 200).has(t, "network</a>").hasNot(t, "hidden-net", "Network edge")
		reader.get(search+"audit").want(t, 200).hasNot(t, "/app/acme/audit")
		stranger.get(search+"net").want(t, 200).has(t, "Nothing that you see").hasNot(t, "network</a>", `value="acme"`)
		stranger.get("/app/~/search?q=acm").want(t, 200).hasNot(t, `href="/app/acme"`)
		if to := s.browse().get(search+"net").want(t, 303).Header.Get("Location"); !strings.HasPrefix(to, "/app/sign-in") {
			t.Errorf("nobody is sent to %s", to)
		}
		for ask, want := range map[string]string{
			id: networkPage, run: "/app/acme/workspaces/cluster/runs/" + run, request: "/app/change-requests/" + request,
		} {
			if to := owner.get(search+ask).want(t, 303).Header.Get("Location"); to != want {
				t.Errorf("%s leads to %s", ask, to)
			}
			stranger.get(search+ask).want(t, 200).has(t, "Nothing that you see")
		}
		reader.get(search+run).want(t, 200)
		for _, vector := range vectors {
			owner.get(search+url.QueryEscape(vector)).want(t, 200).inert(t)
		}
		owner.get(search+strings.Repeat("t,", 150)).want(t, 200)
	})
}

// TestColumnsOfTheListAreKept chooses columns, which the browser keeps until others are chosen.
func TestColumnsOfTheListAreKept(t *testing.T) {
	each(t, func(t *testing.T, s *server) {
		s.people()
		owner := s.signIn("olga")
		const list, engine, project = "/app/acme/workspaces", `class="opt-col">Engine</th>`, `class="opt-col">Project</th>`
		owner.get(list).want(t, 200).has(t, engine, project, `value="engine" checked`)
		owner.get(list+"?columns=run&columns=engine&columns=nonsense&search=net").want(t, 200).has(t, engine, "network</a>").hasNot(t, project, `value="project" checked`).inert(t)
		owner.get(list).want(t, 200).has(t, engine).hasNot(t, project)
		owner.get(list+"?columns=nonsense").want(t, 200).has(t, engine, project)
		owner.get(list).hasNot(t, project)
		owner.get(list+"?columns=project").has(t, project).hasNot(t, engine)
		owner.sameServer().get(list).want(t, 303)
		s.signIn("rita").get(list).want(t, 200).has(t, engine, project)
	})
}

// TestAllThatMatchAreActedOn ticks the whole list, which is longer than its page.
func TestAllThatMatchAreActedOn(t *testing.T) {
	each(t, func(t *testing.T, s *server) {
		s.people()
		project := s.do("POST", "/organizations/acme/projects", s.Token, `{"data":{"type":"projects","attributes":{"name":"Edge"}}}`).want(t, 201).text("data.id")
		for i := range 52 {
			s.workspace("acme", fmt.Sprintf("mass-%02d", i))
		}
		owner, reader := s.signIn("olga"), s.signIn("rita")
		const list = "/app/acme/workspaces?search=mass"
		page := owner.get(list).want(t, 200).has(t, `name="all" value="52"`, `aria-label="All 52 that match"`).inert(t)
		owner.get("/app/acme/workspaces?search=mass-00").hasNot(t, `name="all"`) // there is no other
		const ten = "/app/acme/workspaces?search=mass-0"                         // they fit on one page
		few := owner.get(ten).has(t, `aria-label="All 10 that match"`).inert(t)
		owner.post(ten, few.form("do", "tag", "tags", "few", "all", "9")).want(t, 409).has(t, "9 matched when you looked, and 10 do now.")
		owner.get(owner.post(ten, few.form("do", "tag", "tags", "few", "all", "10")).want(t, 303).Header.Get("Location")).has(t, "10 workspaces tagged.")
		if n := s.do("GET", "/organizations/acme/workspaces?search[tags]=few", s.Token, "").at("meta.pagination.total-count"); n != 10.0 {
			t.Errorf("%v carry the tag", n)
		}
		file := owner.post(ten, few.form("do", "file", "all", "10")).want(t, 303).Header.Get("Location")
		owner.post("/app/acme/change-requests/preview", owner.get(file).want(t, 200).form("subject", "Upgrade", "message", "m")).want(t, 200).has(t, "<strong>10 workspaces</strong>")
		to := owner.post(list, page.form("do", "tag", "tags", "mass", "all", "52")).want(t, 303).Header.Get("Location")
		owner.get(to).has(t, "52 workspaces tagged.")
		if n := s.do("GET", "/organizations/acme/workspaces?search[tags]=mass", s.Token, "").at("meta.pagination.total-count"); n != 52.0 {
			t.Errorf("%v carry the tag", n)
		}
		owner.post(list+"&tags=mass", page.form("do", "file", "all", "52")).want(t, 422).has(t, "from the explorer", "checked")
		if file = owner.post(list, page.form("do", "file", "all", "52")).want(t, 303).Header.Get("Location"); !strings.HasSuffix(file, "new?query="+url.QueryEscape(`{"type":"workspaces","filter":[{"field":"workspace_name","operator":"contains","value":["mass"]}]}`)) {
			t.Errorf("filing on all leads to %s", file)
		}
		s.workspace("acme", "mass-one-more")
		owner.post(list, page.form("do", "move", "project", project, "all", "52")).want(t, 409).has(t, "52 matched when you looked, and 53 do now.")
		to = owner.post(list, page.form("do", "move", "project", project, "all", "53")).want(t, 303).Header.Get("Location")
		owner.get(to).has(t, "53 workspaces moved.")
		if n := s.do("GET", "/organizations/acme/workspaces?filter[project][id]="+project, s.Token, "").at("meta.pagination.total-count"); n != 53.0 {
			t.Errorf("%v are in the project", n)
		}
		form := reader.get("/app/acme/workspaces").form("do", "lock", "all", "53")
		reader.post(list, form).want(t, 409) // none of them are seen
	})
}
