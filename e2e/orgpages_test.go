package e2e_test

import (
	"fmt"
	"html"
	"regexp"
	"strings"
	"testing"

	"github.com/hashicorp/go-tfe"
)

// orgPages are the pages of an organization that only some may open.
var orgPages = []string{"access", "members", "connections", "agents", "keys", "tokens", "audit", "settings", "explorer"}

// TestOrganizationPagesAreForThoseWhoMay asks every page as everybody: what one may not open is
// not there, and is not in the side bar.
func TestOrganizationPagesAreForThoseWhoMay(t *testing.T) {
	each(t, func(t *testing.T, s *server) {
		s.people()
		owner, reader, stranger := s.signIn("olga"), s.signIn("rita"), s.signIn("stan")
		for _, part := range orgPages {
			path := "/app/acme/" + part
			owner.get(path).want(t, 200).has(t, `href="`+path+`" aria-current="true"`).inert(t)
			if seen := reader.get(path).want(t, 404).Body; strings.Contains(seen, path) {
				t.Errorf("what %s hides names it", path)
			}
			stranger.get(path).want(t, 404)
			for _, b := range []*browser{reader, stranger} {
				for _, do := range []string{"new", "save", "delete", "general", "replace", "invite", "give", "end-token", "agree-end"} {
					b.post(path, b.get(organizationsPath).form("do", do)).want(t, 404)
				}
			}
			if one := path + "/nothing"; part != "explorer" {
				owner.get(one).want(t, 404)
			}
			reader.get("/app/acme").hasNot(t, `"`+path+`"`)
		}
		for _, part := range []string{"teams", "variable-sets", "notifications", "more"} {
			owner.get("/app/acme/"+part).want(t, 200).inert(t)
			reader.get("/app/acme/"+part).want(t, 200).inert(t)
			stranger.get("/app/acme/"+part).want(t, 404)
			owner.get("/app/acme/"+part+"/nothing").want(t, 404)
		}
		owner.post("/app/acme/settings", owner.get("/app/acme/settings").form("do", "nonsense")).want(t, 422)
		owner.post("/app/acme/settings", owner.get("/app/acme/settings").form("do", "general", "form", "x")).want(t, 403)
	})
}

// TestTeamPages makes a team, fills it, gives it rights and a token, and deletes it.
func TestTeamPages(t *testing.T) {
	each(t, func(t *testing.T, s *server) {
		s.people()
		owner, reader := s.signIn("olga"), s.signIn("rita")
		const path = "/app/acme/teams"
		form := owner.get(path).want(t, 200).has(t, ">owners</a>", "everything", "New team")
		reader.get(path).hasNot(t, "New team")
		owner.post(path, form.form("do", "new", "name", "a b!", "description", "kept")).want(t, 422).has(t, `value="kept"`)
		page := owner.post(path, form.form("do", "new", "name", "ops", "description", vectors[0], "visibility", "secret")).want(t, 303).Header.Get("Location")
		shown := owner.get(page).want(t, 200).has(t, "Nobody is in ops yet", html.EscapeString(vectors[0])).inert(t)
		reader.get(page).want(t, 404)
		owner.post(page, shown.form("do", "add", "username", "nobody")).want(t, 422).has(t, `value="nobody"`)
		owner.post(page, shown.form("do", "add", "username", "rita")).want(t, 303)
		shown = owner.get(page).has(t, "1 member", "rita", "Joined").inert(t)
		reader.get(page).want(t, 200).has(t, "rita").hasNot(t, "Save rights", "Add to the team", "Delete ops")
		rights := shown.form("do", "rights")
		rights.Add("switch", "read-workspaces")
		rights.Add("switch", "manage-agent-pools")
		owner.get(page).has(t, "In the whole organization").hasNot(t, " by olga")
		owner.post(page, rights).want(t, 303)
		if said := owner.get(page).Body; !regexp.MustCompile(`given (now|\d+ s ago) by olga`).MatchString(said) {
			t.Error("it is not said since when, and by whom")
		}
		owner.get(path).has(t, "see all workspaces, manage agents")
		reader.get("/app/acme/agents").want(t, 200)
		reader.post(page, reader.get(organizationsPath).form("do", "rights", "switch", "manage-teams")).want(t, 404)
		made := owner.post(page, shown.form("do", "token", "description", "pipeline", "days", "30")).want(t, 201).has(t, "not shown again", "TF_TOKEN_").inert(t)
		token := regexp.MustCompile(`<code class="value">([^<]+)</code>`).FindStringSubmatch(made.Body)
		if token == nil || !owner.works(token[1]) {
			t.Fatalf("the token does not work: %v", token)
		}
		owner.post(page, shown.form("do", "token", "description", "", "days", "30")).want(t, 422)
		again := owner.get(page).has(t, "pipeline").hasNot(t, token[1])
		owner.get("/app/acme/tokens").has(t, "pipeline", ">ops</a>")
		id := regexp.MustCompile(`name="token" value="([^"]+)"`).FindStringSubmatch(again.Body)
		look := owner.post(page, again.form("do", "end-token", "token", id[1])).want(t, 303).Header.Get("Location")
		if !owner.works(token[1]) {
			t.Error("a token that is asked about does not work any more")
		}
		s.eventually(func() bool {
			return strings.Count(owner.get(look).want(t, 200).Body, "from 127.0.0.1") == 2
		}, "the page asks with the last use, and the table has it too")
		asked := owner.get(look).has(t, "The token “pipeline”, …"+token[1][len(token[1])-4:]+", ends for ever. It was used last ", ", from 127.0.0.1: what uses it is refused").inert(t)
		s.signIn("stan").get(look).want(t, 404)
		owner.get(page+"?end=at-nothing").want(t, 200).hasNot(t, "ends for ever")
		owner.post(page, asked.form("do", "agree-end", "token", id[1])).want(t, 303)
		if owner.works(token[1]) {
			t.Error("a token that was ended still works")
		}
		sure := owner.post(page, shown.form("do", "delete")).want(t, 303).Header.Get("Location")
		owner.post(page, owner.get(sure).has(t, "Lost with").inert(t).form("do", "agree-delete")).want(t, 303)
		owner.get(page).want(t, 404)
		reader.get("/app/acme/agents").want(t, 404)
	})
}

// TestWhySomebodyMay asks the matrix, and why: the answer is the door's.
func TestWhySomebodyMay(t *testing.T) {
	each(t, func(t *testing.T, s *server) {
		s.people()
		owner, reader := s.signIn("olga"), s.signIn("rita")
		team, _ := s.team("acme", "nora", nil)
		olga := s.do("GET", "/admin/users?q=olga", s.Token, "").want(t, 200).text("data.0.id")
		project := s.do("GET", "/organizations/acme/projects", s.Token, "").text("data.0.id")
		page := "/app/acme/access/" + project
		form := owner.get(page).want(t, 200).has(t, "Give access").inert(t)
		owner.post(page, form.form("do", "give", "team", team.ID, "level", "write")).want(t, 303)
		given := owner.get(page).has(t, `<span class="lvl l3">write</span>`, "apply").inert(t)
		owner.get("/app/acme/access").has(t, `aria-label="`+team.Name+` in Default Project: write"`).inert(t)
		owner.get("/app/acme/access?rows=people").want(t, 200).has(t, `aria-label="nora in Default Project: write, by `+team.Name+`"`, `aria-label="olga in Default Project: admin, by owners"`, `aria-label="rita in Default Project: nothing"`).inert(t)
		if file := owner.get("/app/acme/access?as=csv").want(t, 200).Body; file != "\"team\",\"Default Project\"\n\""+team.Name+"\",\"write\"\n\"owners\",\"admin\"\n\"rita\",\"\"\n" {
			t.Errorf("the file of teams is %q", file)
		}
		if file := owner.get("/app/acme/access?as=csv&rows=people").want(t, 200).Body; !strings.HasPrefix(file, "\"person\",\"Default Project\"\n") || !strings.Contains(file, "\n\"nora\",\"write\"\n") {
			t.Errorf("the file of people is %q", file)
		}
		reader.get("/app/acme/access?as=csv").want(t, 404)
		owner.get("/app/acme/access?search=rit").want(t, 200).has(t, ">rita</a>", `<span>3 teams, 1 project</span>`, `>maintain</span>`, `id="give"`, `>`+team.Name+`</option>`).hasNot(t, ">owners</a>").inert(t)
		owner.get("/app/acme/access?search=nothing").want(t, 200).has(t, "Nothing here is called so.", `<span>3 teams, 1 project</span>`, `id="give"`)
		owner.get("/app/acme/teams/"+s.owners("acme").ID).want(t, 200).has(t, "Owners may do everything in every project").hasNot(t, "No project gives it a level", "0 projects").inert(t)
		owner.get("/app/acme/access?rows=people&search=nor").want(t, 200).has(t, ">nora</a>").hasNot(t, ">olga</a>").inert(t)
		owner.get("/app/acme/access?rows=workspaces").want(t, 200).has(t, `aria-label="rita on network: read"`, "1 team of its own").inert(t)
		owner.get("/app/acme/access?rows=workspaces&search=lake").want(t, 200).has(t, "Nothing here is called so.").inert(t)
		why := func(user, right, on string) reply {
			return owner.get(fmt.Sprintf("/app/acme/access?subject=%s&right=%s&on=%s", user, right, on)).want(t, 200).inert(t)
		}
		why("nora", "apply-runs", "network").has(t, "Yes, in 1 way.", "on its project", ">confirm runs</b>", "joined <time", "given <time", "</time> by olga<")
		owner.get(page).has(t, `<p class="small faint"> by olga</p>`)
		why("nora", "delete-workspace", "network").has(t, "No: no team of nora may.", `It takes admin on <a href="/app/acme/workspaces/network/access">the workspace itself</a>, or maintain on <a href="`+page+`">its project</a>, through a team.`, "Not the reason: "+team.Name+", write")
		why("olga", "delete-workspace", "network").has(t, "Yes, in 1 way.", "everything", "given <time")
		why("rita", "apply-runs", "network").has(t, "No: no team of rita may.")
		why("rita", "read-state", "network").has(t, "Yes, in 1 way.", "on the workspace itself")
		why("stan", "read-state", "network").has(t, "no such person or workspace") // who is no member is as unknown as nobody
		why("nobody", "read-state", "network").has(t, "no such person or workspace")
		why("nora", "nonsense", "network").has(t, "there is no right called")
		reader.get("/app/acme/access?subject=olga&right=lock&on=network").want(t, 404)
		answer := s.do("GET", "/organizations/acme/access-reasons?user=nora&permission=apply-runs&workspace=network", s.Token, "").want(t, 200)
		if answer.at("data.attributes.permitted") != true || answer.text("data.attributes.ways.0.access") != "write" || answer.text("data.attributes.ways.0.scope-id") != project {
			t.Errorf("the API says %s", answer.Body)
		}
		if ways := "data.attributes.ways.0."; answer.text(ways+"given-at") == "" || answer.text(ways+"joined-at") == "" || answer.at(ways+"joined-by-groups") != false || answer.text(ways+"given-by-id") != olga {
			t.Errorf("since when it is so: %s", answer.Body)
		}
		list := s.do("GET", "/team-projects?filter[project][id]="+project, s.Token, "").want(t, 200)
		if list.text("data.0.attributes.given-at") == "" || list.text("data.0.relationships.given-by.data.id") != olga {
			t.Errorf("who gave it, when: %s", list.Body)
		}
		access := regexp.MustCompile(`name="id" value="([^"]+)"`).FindStringSubmatch(given.Body)[1]
		lookAt := func() string {
			return owner.post(page, given.form("do", "change", "id", access, "choice", "read")).want(t, 303).Header.Get("Location")
		}
		look := lookAt()
		why("nora", "apply-runs", "network").has(t, "Yes, in 1 way.") // nothing is changed by looking
		seen := owner.get(look).want(t, 200).has(t, "From write to read, in 1 workspace of Default Project: 1 person of "+team.Name+" may no longer plan, apply,", "Give read").inert(t)
		owner.get(page+"?change="+access+"&to=nonsense").want(t, 200).hasNot(t, "From write to")
		reader.get(look).want(t, 404)
		owner.post(look, seen.form("do", "agree", "id", access, "level", "read")).want(t, 303)
		why("nora", "apply-runs", "network").has(t, "No: no team of nora may.")
		owner.post(page, given.form("do", "take", "id", access)).want(t, 303)
		owner.get(page).has(t, "No team has a level here")
		matrix := owner.get("/app/acme/access").has(t, "Teams by project", "1 workspace has levels of its own", `href="#give"`).inert(t)
		owner.post("/app/acme/access", matrix.form("do", "give", "team", team.ID, "project", project, "level", "maintain")).want(t, 303)
		given = owner.get(page).has(t, ">maintain</span>")
		access = regexp.MustCompile(`name="id" value="([^"]+)"`).FindStringSubmatch(given.Body)[1]
		s.do("DELETE", "/teams/"+team.ID+"/relationships/users", s.Token, `{"data":[{"type":"users","id":"nora"}]}`).want(t, 204)
		look = lookAt()
		owner.get(look).want(t, 200).has(t, "nobody is in "+team.Name+" yet; whoever joins may no longer plan,")
	})
}

// TestAnOrganizationSaysWhatItKeeps sets from its page how long old states are kept, and which keys of tags are set aside.
func TestAnOrganizationSaysWhatItKeeps(t *testing.T) {
	each(t, func(t *testing.T, s *server) {
		s.people()
		owner, reader := s.signIn("olga"), s.signIn("rita")
		const path = "/app/acme/settings"
		owner.get(path).want(t, 200).has(t, "Old states", "No key of tags is set aside.").inert(t)
		send := func(do string, more ...string) reply {
			return owner.post(path, owner.get(path).form(append([]string{"do", do}, more...)...))
		}
		const older = "data-retention-policy-delete-olders"
		send("retention", "kind", older, "days", "many").want(t, 422).has(t, "Say after how many days states are old.")
		send("retention", "kind", older, "days", "0").want(t, 422)
		send("retention", "kind", older, "days", "90").want(t, 303)
		owner.get(path).want(t, 200).has(t, `value="90"`)
		send("retention", "kind", "").want(t, 303)
		send("retention", "kind", "").want(t, 303) // nothing is left to take away
		owner.get(path).want(t, 200).hasNot(t, `value="90"`)
		send("reserve", "key", "cost-center", "fixed", "yes").want(t, 303)
		kept := owner.get(path).want(t, 200).has(t, "<code>cost-center</code>", "not taken").inert(t)
		send("reserve", "key", " ").want(t, 422)
		id := regexp.MustCompile(`name="key" value="(rtk-[^"]+)"`).FindStringSubmatch(kept.Body)[1]
		reader.get(path).want(t, 404)
		reader.post(path, reader.get("/app/acme").form("do", "release", "key", id)).want(t, 404)
		send("release", "key", id).want(t, 303)
		owner.get(path).want(t, 200).has(t, "No key of tags is set aside.")
	})
}

// TestSettingsPagesOfAnOrganization uses each form of the other pages once, with texts that would
// act if they could.
func TestSettingsPagesOfAnOrganization(t *testing.T) {
	each(t, func(t *testing.T, s *server) {
		s.people()
		owner := s.signIn("olga")
		act := func(path, do string, more ...string) string {
			t.Helper()
			form := owner.get(path).want(t, 200).form(append([]string{"do", do}, more...)...)
			return owner.post(path, form).want(t, 303).Header.Get("Location")
		}
		// A variable set.
		set := act("/app/acme/variable-sets", "new", "name", "aws", "description", vectors[1])
		act(set, "variable", "key", "region", "value", vectors[2], "category", "terraform")
		act(set, "variable", "key", "secret", "value", "hunter2", "category", "env", "sensitive", "yes")
		owner.get(set).has(t, html.EscapeString(vectors[2]), "hidden", "2 variables").hasNot(t, "hunter2").inert(t)
		act(set, "apply", "workspace", "network", "project", "")
		owner.get(set).has(t, ">network</a>").inert(t)
		owner.post(set, owner.get(set).form("do", "apply", "workspace", "nothing", "project", "")).want(t, 422).has(t, "There is no workspace", `value="nothing"`)
		owner.get(networkPage+"/variables").has(t, "region")
		act(set, "withdraw", "workspace", s.idOf("network"))
		owner.get(set).hasNot(t, ">network</a>")
		act(set, "save", "name", "gcp", "global", "yes")
		owner.get(set).has(t, ">gcp</h1>", "all workspaces")
		owner.get(act(set, "delete")).has(t, "Lost with gcp: 2 variables, for 1 workspace.").inert(t)
		act(set, "agree-delete")
		owner.get(set).want(t, 404)
		// A pool, its token, and its end.
		pool := act("/app/acme/agents", "new", "name", "pool", "scoped", "yes")
		owner.post(pool, owner.get(pool).form("do", "token", "description", "agent")).want(t, 201).has(t, "not shown again").inert(t)
		owner.get(pool).has(t, "agent", "Waiting for the first agent.").inert(t)
		act(pool, "agree-delete")
		// A connection.
		connection := act("/app/acme/connections", "new", "service", "github", "name", "git", "http", "https://github.com", "api", "https://api.github.com", "token", "hunter2")
		owner.get(connection).has(t, ">git</h1>", "https://api.github.com", "<dt>Connected by</dt><dd>olga</dd>").hasNot(t, "hunter2", "does not accept").inert(t)
		owner.get("/app/acme/connections").has(t, "connected", "olga").inert(t)
		inside := act("/app/acme/agents", "new", "name", "inside", "scoped", "yes")
		owner.get(connection).has(t, "by the agents of inside")
		act(connection, "save", "name", "git", "scoped", "yes", "pool", inside[strings.LastIndex(inside, "/")+1:])
		owner.get(connection).has(t, `selected>by the agents of inside`).inert(t)
		act(connection, "save", "name", "git", "scoped", "yes", "pool", "")
		owner.get(connection).has(t, `selected>by the server itself`).hasNot(t, `selected>by the agents`)
		// With more pools than a page has, saving what is shown changes nothing.
		last := act("/app/acme/agents", "new", "name", "zz-last", "scoped", "yes")
		lastID := last[strings.LastIndex(last, "/")+1:]
		act(connection, "save", "name", "git", "scoped", "yes", "pool", lastID)
		s.do("PATCH", "/workspaces/"+s.idOf("network"), s.Token, `{"data":{"type":"workspaces","attributes":{"execution-mode":"agent","agent-pool-id":"`+lastID+`"}}}`).want(t, 200)
		for i := range 110 {
			s.do("POST", "/organizations/acme/agent-pools", s.Token, fmt.Sprintf(`{"data":{"type":"agent-pools","attributes":{"name":"p%03d"}}}`, i)).want(t, 201)
		}
		for _, path := range []string{connection, networkPage + "/settings/execution"} {
			owner.get(path).has(t, `value="`+lastID+`" selected>`).inert(t)
		}
		s.do("PATCH", "/workspaces/"+s.idOf("network"), s.Token, `{"data":{"type":"workspaces","attributes":{"execution-mode":"remote"}}}`).want(t, 200)
		act(connection, "save", "name", "git", "scoped", "yes", "pool", "")
		act(inside, "agree-delete")
		owner.get(act(connection, "delete")).has(t, "the repository of 0 workspaces").inert(t)
		act(connection, "agree-delete")
		// An SSH key.
		act("/app/acme/keys", "new", "name", vectors[0], "secret", "hunter2")
		keys := owner.get("/app/acme/keys").has(t, html.EscapeString(vectors[0])).hasNot(t, "hunter2").inert(t)
		act("/app/acme/keys", "delete", "key", regexp.MustCompile(`name="key" value="([^"]+)"`).FindStringSubmatch(keys.Body)[1])
		// Notifications of a team.
		told := "/app/acme/notifications/" + s.owners("acme").ID
		one := act(told, "new", "name", "mail", "destination", "email", "addresses", "ops@example.com", "trigger", "change_request:created")
		owner.get(one).has(t, ">mail</h1>", "ops@example.com", "Nothing was sent yet").inert(t)
		act(one, "toggle")
		owner.get(told).has(t, ">on</span>").inert(t)
		act(one, "delete")
		owner.get(told).hasNot(t, ">mail</a>")
		if to := act("/app/acme/notifications", "find", "workspace", "network"); !strings.HasSuffix(to, s.idOf("network")) {
			t.Errorf("the notifications of a workspace are at %s", to)
		}
		// Members.
		act("/app/acme/members", "invite", "email", "new@example.com", "team", s.owners("acme").ID)
		owner.get("/app/acme/members?status=invited").has(t, "new@example.com").hasNot(t, ">active</span>").inert(t)
		// The organization's tokens.
		owner.post("/app/acme/tokens", owner.get("/app/acme/tokens").form("do", "replace", "purpose", "", "days", "30")).want(t, 201).has(t, "not shown again")
		ends := owner.get("/app/acme/tokens")
		look := act("/app/acme/tokens", "end-token", "token", regexp.MustCompile(`name="token" value="([^"]+)"`).FindStringSubmatch(ends.Body)[1])
		owner.get(look).has(t, "The token of the organization, …", "It was never used.").inert(t)
		act("/app/acme/tokens", "agree-end", "token", strings.TrimPrefix(look, "/app/acme/tokens?end="))
		owner.get("/app/acme/tokens").hasNot(t, "End it")
		owner.get("/app/acme/audit").has(t, "Team", "olga").inert(t)
		// Settings, a new name, and the end.
		if to := act("/app/acme/settings", "general", "name", "umbrella", "email", "ops@example.com", "user-tokens", "yes"); to != "/app/umbrella/settings" {
			t.Errorf("a new name leads to %s", to)
		}
		act("/app/umbrella/settings", "runs", "mode", "local")
		limited := func(want any) {
			t.Helper()
			if got := s.do("GET", "/organizations/umbrella", s.Token, "").at("data.attributes.run-limit"); got != want {
				t.Errorf("the organization has so many runs at once: %v, not %v", got, want)
			}
		}
		act("/app/umbrella/settings", "limit", "limit", "7")
		limited(7.0)
		owner.get("/app/umbrella/settings").has(t, `type="number" value="7"`).inert(t)
		for _, bad := range []string{"0", "-1", "many", "1e3", "99999999999999999999"} {
			owner.post("/app/umbrella/settings", owner.get("/app/umbrella/settings").form("do", "limit", "limit", bad)).want(t, 422).has(t, `value="`+bad+`"`)
		}
		limited(7.0)
		act("/app/umbrella/settings", "limit", "limit", "")
		limited(nil)
		owner.post("/app/umbrella/settings", owner.get("/app/umbrella/settings").form("do", "delete", "confirm", "acme")).want(t, 422)
		act("/app/umbrella/settings", "delete", "confirm", "umbrella")
		owner.get("/app/umbrella").want(t, 404)
	})
}

// TestOrganizationPagesCostTheSameStatements whatever they hold.
func TestOrganizationPagesCostTheSameStatements(t *testing.T) {
	each(t, func(t *testing.T, s *server) {
		s.people()
		owner := s.signIn("olga")
		s.do("POST", "/organizations/acme/varsets", s.Token, `{"data":{"type":"varsets","attributes":{"name":"first"}}}`).want(t, 201)
		s.do("POST", "/organizations/acme/agent-pools", s.Token, `{"data":{"type":"agent-pools","attributes":{"name":"first"}}}`).want(t, 201)
		var paths []string
		for _, part := range append([]string{"teams", "variable-sets", "notifications"}, orgPages...) {
			paths = append(paths, "/app/acme/"+part)
		}
		before := map[string]int{}
		for _, path := range paths {
			before[path] = s.pageCost(owner, path)
		}
		for i := range 12 {
			name := fmt.Sprintf("n%02d", i)
			team, _ := s.team("acme", name, nil)
			s.grant(team, s.workspace("acme", name), tfe.AccessWrite)
			s.do("POST", "/organizations/acme/projects", s.Token, `{"data":{"type":"projects","attributes":{"name":"`+name+`"}}}`).want(t, 201)
			s.do("POST", "/organizations/acme/varsets", s.Token, `{"data":{"type":"varsets","attributes":{"name":"`+name+`"}}}`).want(t, 201)
			s.do("POST", "/organizations/acme/agent-pools", s.Token, `{"data":{"type":"agent-pools","attributes":{"name":"`+name+`"}}}`).want(t, 201)
		}
		for _, path := range paths {
			if now := s.pageCost(owner, path); now > before[path]+1 {
				t.Errorf("%s: %d statements with little, %d with much", path, before[path], now)
			} else {
				t.Logf("%s: %d statements", path, now)
			}
		}
	})
}

// TestSiteAndProfilePages: the site is for its admins, and a profile for whoever it is of.
func TestSiteAndProfilePages(t *testing.T) {
	each(t, func(t *testing.T, s *server) {
		s.people()
		s.user("ada")
		id := s.do("GET", "/admin/users?q=ada", s.Token, "").text("data.0.id")
		s.do("POST", "/admin/users/"+id+"/actions/grant_admin", s.Token, "").want(t, 200)
		admin, owner := s.signIn("ada"), s.signIn("olga")
		for _, part := range []string{"health", "users", "organizations", "engines", "runs", "storage", "deliveries", "backups"} {
			path := "/app/~/admin/" + part
			admin.get(path).want(t, 200).has(t, "Site admin").inert(t)
			admin.get(path+"?search=zzz").want(t, 200).inert(t)
			owner.get(path).want(t, 404)
			owner.post(path, owner.get(organizationsPath).form("do", "new", "username", "eve", "email", "eve@example.com")).want(t, 404)
		}
		admin.get("/app/~/admin/health").has(t, "encryption key", "belay_last_backup_timestamp_seconds", "there was none", "the store answers")
		admin.get("/app/~/admin/backups").has(t, "There was no backup yet", "belay verify belay.tar")
		if path := admin.get("/app/~/admin").want(t, 303).Header.Get("Location"); path != "/app/~/admin/health" {
			t.Errorf("the site begins at %s", path)
		}
		health := s.do("GET", "/admin/site-health", s.Token, "").want(t, 200)
		if health.text("data.attributes.status") != "warn" || health.text("data.attributes.checks.0.name") != "database" {
			t.Errorf("the site is %s", health.Body)
		}
		waitFor(t, "the count of what organizations keep", func() bool { return s.do("GET", "/admin/storage", s.Token, "").at("data.0") != nil })
		admin.get("/app/~/admin/storage").has(t, `href="/app/acme"`, "0 B", "Sealed by which key", "seals what is new").inert(t)
		if keys := s.do("GET", "/admin/encryption-keys", s.Token, "").want(t, 200); keys.text("data.0.attributes.status") != "leads" || keys.at("data.1") != nil || keys.at("data.0.attributes.values") != nil {
			t.Errorf("the keys: %s", keys.Body)
		}
		owner.get(organizationsPath).hasNot(t, "/app/~/admin")
		admin.get("/app/~/admin/nothing").want(t, 404)
		users := "/app/~/admin/users"
		page := admin.get(users).has(t, "olga", "site admin")
		admin.post(users, page.form("do", "new", "username", "eve", "email", "eve@example.com", "password", "correct horse")).want(t, 303)
		admin.post(users, page.form("do", "new", "username", "eve", "email", "eve@example.com")).want(t, 422).has(t, `value="eve"`)
		eve := s.do("GET", "/admin/users?q=eve", s.Token, "").text("data.0.id")
		for _, do := range []string{"suspend", "delete"} {
			admin.post(users, page.form("do", do, "user", eve)).want(t, 303)
		}
		admin.get(users).hasNot(t, "eve@example.com")
		admin.post("/app/~/admin/organizations", page.form("do", "new", "name", "fresh", "email", "o@example.com")).want(t, 303)
		admin.get("/app/~/admin/organizations?search=fresh").has(t, `href="/app/fresh"`, "1 organization")

		// A profile: a second browser is signed out, and a password is changed.
		second := owner.sameServer()
		second.post("/app/sign-in", second.get("/app/sign-in").form("name", "olga", "password", password)).want(t, 303)
		profile := owner.get("/app/~/profile").want(t, 200).has(t, "this browser", "2 browsers", `value="olga"`).inert(t)
		owner.post("/app/~/profile", profile.form("do", "end-others")).want(t, 303)
		second.get(organizationsPath).want(t, 303)
		owner.get("/app/~/profile").want(t, 200).has(t, "this browser", "1 browser").hasNot(t, "2 browsers")
		owner.post("/app/~/profile", profile.form("do", "password", "current", "wrong", "password", "battery staple", "again", "battery staple")).want(t, 422).has(t, "not right").hasNot(t, "battery staple")
		owner.post("/app/~/profile", profile.form("do", "account", "username", "olga", "email", "nonsense")).want(t, 422).has(t, `value="nonsense"`)
		owner.post("/app/~/profile", profile.form("do", "account", "form", "x")).want(t, 403)
		owner.post("/app/~/profile", profile.form("do", "password", "current", password, "password", "battery staple", "again", "battery staple")).want(t, 303)
		owner.get(organizationsPath).want(t, 303)
	})
}
