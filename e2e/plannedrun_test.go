package e2e_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
)

// agents makes a pool of agents with a runner that carries out what a test tells it to.
func (s *server) agents(organization string) (pool, runner string) {
	s.t.Helper()
	pool = s.do("POST", "/organizations/"+organization+"/agent-pools", s.Token, `{"data":{"type":"agent-pools","attributes":{"name":"east"}}}`).want(s.t, 201).text("data.id")
	token := s.do("POST", "/agent-pools/"+pool+"/authentication-tokens", s.Token, `{"data":{"type":"authentication-tokens","attributes":{"description":"build-1"}}}`).want(s.t, 201).text("data.attributes.token")
	return pool, s.runnerCall(token, "register", `{"name":"build-1","boot_id":"b","slots":1,"engines":[{"product":"tofu","version":"1.12.6"}]}`).want(s.t, 201).text("token")
}

// onAgents makes a workspace of acme whose runs are carried out by a pool.
func (s *server) onAgents(pool, name string) string {
	s.t.Helper()
	id := s.workspace("acme", name)
	s.do("PATCH", "/workspaces/"+id, s.Token, `{"data":{"type":"workspaces","attributes":{"execution-mode":"agent","agent-pool-id":"`+pool+`","terraform-version":"1.12.6","engine":"tofu"}}}`).want(s.t, 200)
	s.upload(id, "")
	return id
}

// plans carries the next plan out.
func (s *server) plans(runner, plan, log string) {
	s.t.Helper()
	s.carry(runner, "plan", map[string]string{"plan-json": plan, "plan": "planned", "log": log}, `{"outcome":"succeeded","has_changes":true}`)
}

// planOf is a plan that does everything a plan can do, to things that have a text in all their parts.
func planOf(text string) string {
	raw, _ := json.Marshal(text)
	address, _ := json.Marshal(`module.net.a.grow["` + text + `"]`)
	return fmt.Sprintf(`{"format_version":"1.2","resource_changes":[
{"address":%[2]s,"module_address":"module.net","mode":"managed","type":"a","name":"grow","provider_name":"p","change":{"actions":["update"],"before":{"id":"i-1","label":"one","pin":"old-quartz","size":1},"after":{"id":"i-1","label":%[1]s,"pin":"new-quartz","size":2},"after_unknown":{},"before_sensitive":{"pin":true},"after_sensitive":{"pin":true}}},
{"address":"a.pool","mode":"managed","type":"a","name":"pool","provider_name":"p","action_reason":"replace_because_cannot_update","change":{"actions":["delete","create"],"before":{"kind":"m6i.xlarge"},"after":{"kind":"m7i.2xlarge"},"after_unknown":{"id":true},"before_sensitive":{},"after_sensitive":{},"replace_paths":[["kind"]]}},
{"address":"a.old","mode":"managed","type":"a","name":"old","provider_name":"p","action_reason":"delete_because_no_resource_config","change":{"actions":["delete"],"before":{"name":%[1]s},"after":null,"after_unknown":{},"before_sensitive":{},"after_sensitive":false}},
{"address":"a.new","mode":"managed","type":"a","name":"new","provider_name":"p","change":{"actions":["create"],"before":null,"after":{"name":"n"},"after_unknown":{"id":true},"before_sensitive":false,"after_sensitive":{}}},
{"address":"a.same","mode":"managed","type":"a","name":"same","provider_name":"p","change":{"actions":["no-op"],"before":{"x":1},"after":{"x":1},"after_unknown":{},"before_sensitive":{},"after_sensitive":{}}}],
"output_changes":{%[1]s:{"actions":["update"],"before":"a","after":%[1]s,"after_unknown":false,"before_sensitive":false,"after_sensitive":false}}}`, raw, address)
}

// TestAPlanOnThePageOfItsRun shows what a plan does to each resource: what is lost first, what is
// sensitive not at all, and what is asked for alone.
func TestAPlanOnThePageOfItsRun(t *testing.T) {
	each(t, func(t *testing.T, s *server) {
		s.people()
		pool, runner := s.agents("acme")
		id := s.onAgents(pool, "cluster")
		run := s.do("POST", "/runs", s.Token, runOf(id, `"message":"Grow"`)).want(t, 201).text("data.id")
		owner, stranger := s.signIn("olga"), s.signIn("stan")
		page := "/app/acme/workspaces/cluster/runs/" + run
		owner.get(page).want(t, 200).has(t, `aria-label="Phases"`).hasNot(t, `id="plan"`)
		owner.get(page+"?as=json").want(t, 404)
		s.plans(runner, planOf("<b>bold</b>"), "Plan: 2 to add\n")
		s.eventually(func() bool { return s.do("GET", "/runs/"+run, s.Token, "").text("data.attributes.status") == "planned" }, "it is planned")
		shown := owner.get(page).want(t, 200).has(t, "Waiting for confirmation", "1 resource is replaced, and 1 resource is destroyed.",
			"Look at these first", `<del>6i.</del>`, `<ins>7i.2</ins>`, "forces replacement", "known after apply", "not in the configuration any more", "module.net",
			"hidden: it is sensitive", "1 resource unchanged", "Outputs", "&lt;b&gt;bold&lt;/b&gt;", "Confirm and apply", "<b>4</b> in all", "<b>1</b> destroy").
			hasNot(t, "old-quartz", "new-quartz", "<b>bold</b>", "REDACTED").inert(t)
		if lost, changed := strings.Index(shown.Body, "a.old"), strings.Index(shown.Body, "a.grow"); lost > changed {
			t.Error("what is lost does not come first")
		}
		owner.get(page+"?view=text").want(t, 200).has(t, "Plan: 2 to add", `<a href="`+page+`#plan">Diff</a>`, "Confirm and apply").hasNot(t, `id="plan"`, "a.pool").inert(t)
		if file := owner.get(page+"?as=json").want(t, 200).hasNot(t, "old-quartz", "new-quartz").Body; !json.Valid([]byte(file)) || !strings.Contains(file, "a.pool") {
			t.Errorf("the file is %s", file)
		}
		stranger.get(page+"?as=json").want(t, 404)
		owner.get(page+"?show=destroy").want(t, 200).has(t, "a.old", "1 found.").hasNot(t, "a.pool", "a.grow", "Outputs")
		owner.get(page+"?q=m7i").want(t, 200).has(t, "a.pool", "1 found.").hasNot(t, "a.old")
		owner.get(page+"?q=nothing").want(t, 200).has(t, "No change fits.")
		owner.get(page+"?at=a.new&show=%00&q=%ff").want(t, 200)
		owner.get(page+"?at=a.new&show=%27&q=%27").want(t, 200)
		stranger.get(page).want(t, 404)
		owner.get("/app/acme/runs").want(t, 200).has(t, "Confirm?", "Grow", "cluster").inert(t)
		owner.get("/app/acme/runs?search=Grow").want(t, 200).has(t, "Grow")
		owner.get("/app/acme/runs?status=failed").want(t, 200).has(t, "No run fits.")
		owner.get("/app/acme/runs/one").want(t, 404)
		stranger.get("/app/acme/runs").want(t, 404)
		owner.post(page+"/apply", shown.form("comment", "go")).want(t, 303)
		s.carry(runner, "apply", map[string]string{"state": string(stateHolding(1, instances("random_pet", 2), "")), "log": "done\n"}, `{"outcome":"succeeded","state_home":true}`)
		s.eventually(func() bool { return s.do("GET", "/runs/"+run, s.Token, "").text("data.attributes.status") == "applied" }, "it is applied")
		owner.get(page).want(t, 200).has(t, "Applied").hasNot(t, "Confirm and apply")
	})
}

// TestWhatDestroysMuchIsConfirmedWithAName: a run that destroys everything, and one that destroys
// more than the server is told, is applied on a page by who types the workspace's name, and by
// programs without.
func TestWhatDestroysMuchIsConfirmedWithAName(t *testing.T) {
	each(t, func(t *testing.T, s *server) {
		s.people()
		pool, runner := s.agents("acme")
		id, owner := s.onAgents(pool, "cluster"), s.signIn("olga")
		planned := func(more, end string) string {
			run := s.do("POST", "/runs", s.Token, runOf(id, more)).want(t, 201).text("data.id")
			s.carry(runner, "plan", map[string]string{"plan-json": planOf("v"), "plan": "planned", "log": "It is planned\n"}, end)
			s.eventually(func() bool {
				return s.do("GET", "/runs/"+run, s.Token, "").text("data.attributes.status") == "planned"
			}, "it is planned")
			return run
		}
		const asked = "type cluster to confirm"
		for i, row := range []struct {
			more, end string
			asks      bool
		}{
			{`"is-destroy":true`, `{"outcome":"succeeded","has_changes":true}`, true},
			{`"message":"Much"`, `{"outcome":"succeeded","has_changes":true,"counts":{"destructions":21}}`, true},
			{`"message":"Little"`, `{"outcome":"succeeded","has_changes":true,"counts":{"destructions":20}}`, false},
		} {
			page := "/app/acme/workspaces/cluster/runs/" + planned(row.more, row.end)
			shown := owner.get(page).want(t, 200).has(t, "Confirm and apply", "Where the time went")
			if !row.asks {
				owner.post(page+"/discard", shown.hasNot(t, asked).form()).want(t, 303)
				continue
			}
			shown.has(t, asked)
			for _, typed := range []string{"", "Cluster", "network"} {
				owner.post(page+"/apply", shown.form("name", typed, "comment", "so be it")).want(t, 422).has(t, "Type the name of the workspace", "so be it", asked)
			}
			owner.post(page+"/apply", shown.form("name", "cluster")).want(t, 303)
			s.carry(runner, "apply", map[string]string{"state": string(stateHolding(i+1, "", "")), "log": "a.b: Destroying... [id=1]\na.b: Still destroying... [id=1, 1m10s elapsed]\na.b: Destruction complete after 1m12s\n"}, `{"outcome":"succeeded","state_home":true}`)
			s.eventually(func() bool { return strings.Contains(owner.get(page).Body, "1 min 12 s") }, "the page tells what took longest")
		}
		run := planned(`"is-destroy":true`, `{"outcome":"succeeded","has_changes":true}`)
		s.do("POST", "/runs/"+run+"/actions/apply", s.Token, "").want(t, 202)
	})
}

// TestSeveralPlansAreDiscardedAtOnce, by who may, and the page says what the others wait for; the home
// counts runs by day.
func TestSeveralPlansAreDiscardedAtOnce(t *testing.T) {
	each(t, func(t *testing.T, s *server) {
		s.people()
		pool, runner := s.agents("acme")
		var ids []string
		for _, name := range []string{"one", "two"} {
			id := s.onAgents(pool, name)
			ids = append(ids, s.do("POST", "/runs", s.Token, runOf(id, `"message":"Grow `+name+`"`)).want(t, 201).text("data.id"))
			s.plans(runner, planOf("v"), "It is planned\n")
			s.do("POST", "/runs", s.Token, runOf(id, `"message":"Then more"`)).want(t, 201)
		}
		status := func(id string) string { return s.do("GET", "/runs/"+id, s.Token, "").text("data.attributes.status") }
		s.eventually(func() bool { return status(ids[0]) == "planned" && status(ids[1]) == "planned" }, "both are planned")
		owner, stranger := s.signIn("olga"), s.signIn("stan")
		page := owner.get("/app/acme/runs").want(t, 200).has(t, "Discard several", ids[0], "for its workspace").inert(t)
		stranger.post("/app/acme/runs", stranger.get(organizationsPath).form("do", "discard", "run", ids[0])).want(t, 404)
		owner.post("/app/acme/runs", page.form("do", "discard")).want(t, 422).has(t, "Tick the plans first.")
		form := page.form("do", "discard", "comment", "not today")
		form["run"] = ids
		owner.post("/app/acme/runs", form).want(t, 303)
		for _, id := range ids {
			if got := status(id); got != "discarded" {
				t.Errorf("the run is %s", got)
			}
		}
		owner.post("/app/acme/runs", form).want(t, 409).has(t, "2 were refused")
		owner.get("/app/acme").want(t, 200).has(t, "Runs, last 28 days", "0 runs finished, 0 failed, 4 others", "/app/acme/runs?day=").inert(t)
		day, _, _ := strings.Cut(s.do("GET", "/runs/"+ids[0], s.Token, "").text("data.attributes.created-at"), "T")
		owner.get("/app/acme/runs?day="+day).want(t, 200).has(t, "Grow one", "Latest, of ")
		owner.get("/app/acme/runs?day=2001-01-01").want(t, 200).has(t, "No run fits.")
		owner.get("/app/acme/runs?day=nonsense").want(t, 200).has(t, "Grow one")
	})
}

// TestAPlanOfManyResources stands on one page in parts, and each resource can be opened.
func TestAPlanOfManyResources(t *testing.T) {
	s := start(t, "sqlite")
	s.people()
	pool, runner := s.agents("acme")
	run := s.do("POST", "/runs", s.Token, runOf(s.onAgents(pool, "cluster"), `"message":"All of it"`)).want(t, 201).text("data.id")
	var all []string
	for i := range 3000 {
		all = append(all, fmt.Sprintf(`{"address":"a.b[%d]","mode":"managed","type":"a","name":"b","provider_name":"p","change":{"actions":["create"],"before":null,"after":{"n":%d,"name":"n-%d"},"after_unknown":{"id":true},"before_sensitive":false,"after_sensitive":{}}}`, i, i, i))
	}
	s.plans(runner, `{"format_version":"1.2","resource_changes":[`+strings.Join(all, ",")+`]}`, strings.Repeat("a line of a long log\n", 30_000)+"\x1b[31mThe <one> line\x1b[0m\n"+strings.Repeat("a line of a long log\n", 19_999))
	owner, page := s.signIn("olga"), "/app/acme/workspaces/cluster/runs/"+run
	shown := owner.get(page).want(t, 200).has(t, "<b>3,000</b> add", "And 2,500 more", "50,000 lines", `id="log-plan-50000"`, `id="log-plan-48001"`, "Earlier lines").hasNot(t, `id="log-plan-48000"`, "data-grows")
	if n := strings.Count(shown.Body, `<tr><th scope="row">`); n < 300 || n > 700 {
		t.Errorf("%d values stand on the page", n)
	}
	if size := len(shown.Body); size > 1<<20 {
		t.Errorf("the page has %d bytes", size)
	}
	owner.get(page+"?log=plan&from=1").want(t, 200).has(t, `id="log-plan-1"`, "Later lines").hasNot(t, "Earlier lines")
	owner.get(page+"?log=plan&find=the+%3CONE%3E").want(t, 200).has(t, "1 of 50,000 lines", `from=29981#log-plan-30001"`, `<span class="r">The &lt;one&gt; line</span>`).inert(t)
	owner.get(page+"?log=plan&from=29981").want(t, 200).has(t, `id="log-plan-30001"`)
	owner.get(page+"?log=plan&find=line").want(t, 200).has(t, "50,000 of 50,000 lines", "These are the first 200")
	owner.get(page+"?log=plan&find=nothing").want(t, 200).has(t, "No line has that.")
	owner.get(page+"?log=plan&from=99999").want(t, 200).has(t, "Earlier lines")
	for _, odd := range []string{"from=-1", "from=x", "log=apply&find=x", "log=nonsense&from=7"} {
		owner.get(page+"?"+odd).want(t, 200)
	}
	owner.get(page+"?at=a.b%5B2999%5D").want(t, 200).has(t, "a.b[2999]", "n-2999")
	owner.get(page+"?q=n-2999").want(t, 200).has(t, "a.b[2999]", "1 found.")
}

// TestProjectsAndNewWorkspacesOnPages makes, changes and deletes a project, and makes a workspace in it.
func TestProjectsAndNewWorkspacesOnPages(t *testing.T) {
	each(t, func(t *testing.T, s *server) {
		s.people()
		owner, reader, stranger := s.signIn("olga"), s.signIn("rita"), s.signIn("stan")
		list := owner.get("/app/acme/projects").want(t, 200).has(t, "Default Project", "New project").inert(t)
		reader.get("/app/acme/projects").want(t, 200).hasNot(t, "New project")
		stranger.get("/app/acme/projects").want(t, 404)
		owner.post("/app/acme/projects", list.form("do", "new", "name", "", "description", "")).want(t, 422)
		to := owner.post("/app/acme/projects", list.form("do", "new", "name", "edge", "description", "<i>what</i>")).want(t, 303).Header.Get("Location")
		one := owner.get(to).want(t, 200).has(t, "edge", "&lt;i&gt;what&lt;/i&gt;", "Delete this project").inert(t)
		stranger.get(to).want(t, 404)
		reader.post(to, reader.get("/app/acme/projects").form("do", "delete")).want(t, 404)
		owner.post(to, one.form("do", "save", "name", "rim", "description", "")).want(t, 303)

		const fresh = "/app/acme/workspaces/~new"
		owner.get("/app/acme/workspaces").has(t, fresh)
		reader.get("/app/acme/workspaces").hasNot(t, fresh)
		reader.get(fresh).want(t, 404)
		stranger.get(fresh).want(t, 404)
		form := owner.get(fresh).want(t, 200).has(t, "rim</option>").inert(t)
		owner.post(fresh, form.form("do", "new", "name", "a b", "description", "")).want(t, 422).has(t, `value="a b"`)
		project := to[strings.LastIndex(to, "/")+1:]
		made := owner.post(fresh, form.form("do", "new", "name", "shore", "description", "", "project", project, "mode", "local")).want(t, 303).Header.Get("Location")
		owner.get(made).want(t, 200).has(t, "rim")
		owner.get(to).want(t, 200).has(t, "shore")
		owner.post(to, one.form("do", "delete")).want(t, 422)
	})
}
