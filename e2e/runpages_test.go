package e2e_test

import (
	"fmt"
	"net/url"
	"strings"
	"testing"

	"github.com/hashicorp/go-tfe"
)

// TestPagesOfRuns opens the page that command lines print the address of, and acts on it.
func TestPagesOfRuns(t *testing.T) {
	each(t, func(t *testing.T, s *server) {
		s.people()
		ws := s.runnable("cluster")
		owner, stranger := s.signIn("olga"), s.signIn("stan")
		owner.get("/app/acme/workspaces/cluster/runs").want(t, 200).has(t, "There are no runs")
		one := s.do("POST", "/runs", s.Token, runOf(ws, `"message":"Grow the <cluster>"`)).want(t, 201).text("data.id")
		page := "/app/acme/workspaces/cluster/runs/" + one
		if to := owner.get("/app/acme/cluster/runs/"+one).want(t, 303).Header.Get("Location"); to != page {
			t.Errorf("the short address leads to %s", to)
		}
		owner.get("/app/acme/workspaces/cluster/runs").want(t, 200).has(t, "Grow the &lt;cluster&gt;", "Waits for a runner", page)
		shown := owner.get(page).want(t, 200).has(t, "Grow the &lt;cluster&gt;", "Waits for a runner", "Queued", "It has not said anything").hasNot(t, "Confirm and apply")
		owner.post(page+"/comment", shown.form("comment", "**hm**")).want(t, 303)
		owner.post(page+"/comment", shown.form("comment", " ")).want(t, 422).has(t, "Comment can&#39;t be blank")
		owner.post(page+"/apply", shown.form()).want(t, 409).has(t, "transition not allowed")
		owner.post(page+"/nonsense", shown.form()).want(t, 404)
		owner.post(page+"/cancel", shown.form("comment", "not now")).want(t, 303)
		owner.get(page).want(t, 200).has(t, "Canceled", "<strong>hm</strong>", "not now").hasNot(t, "/cancel\"")
		for _, hidden := range []string{page, "/app/acme/workspaces/cluster/runs", "/app/acme/workspaces/network/runs/" + one} {
			stranger.get(hidden).want(t, 404)
		}
		owner.get("/app/acme/workspaces/network/runs/"+one).want(t, 404)
		stranger.post(page+"/cancel", stranger.get(organizationsPath).form()).want(t, 404)
		owner.get("/app/acme/cluster/states/"+one).want(t, 404)
	})
}

// TestRunsOfAWorkspaceOnTheirPage are narrowed by what they came to and by what is searched, and say how long they took.
func TestRunsOfAWorkspaceOnTheirPage(t *testing.T) {
	each(t, func(t *testing.T, s *server) {
		s.people()
		pool, runner := s.agents("acme")
		id, owner := s.onAgents(pool, "cluster"), s.signIn("olga")
		const page = "/app/acme/workspaces/cluster/runs"
		owner.get(page).want(t, 200).has(t, "There are no runs").hasNot(t, "Show all", `role="search" action="`+page)
		for i := range 6 {
			run := s.do("POST", "/runs", s.Token, runOf(id, fmt.Sprintf(`"message":"Grow <%d>","plan-only":%t`, i, i == 0))).want(t, 201).text("data.id")
			s.plans(runner, planOf("v"), "It is planned\n")
			s.eventually(func() bool {
				status := s.do("GET", "/runs/"+run, s.Token, "").text("data.attributes.status")
				return status == "planned" || status == "planned_and_finished"
			}, "it is planned")
			if i > 0 {
				s.do("POST", "/runs/"+run+"/actions/discard", s.Token, "").want(t, 202)
			}
		}
		owner.get(page).want(t, 200).has(t, "How long they took", "Grow &lt;5&gt;", "plan only", "Seconds that these runs took", ", took ").inert(t)
		owner.get(page+"?status=planned").want(t, 200).has(t, "Grow &lt;0&gt;").hasNot(t, "Grow &lt;1&gt;", "How long they took")
		owner.get(page+"?search=Grow+%3C3").want(t, 200).has(t, "Grow &lt;3&gt;", "Show all").hasNot(t, "Grow &lt;1&gt;").inert(t)
		owner.get(page+"?search=nothing&status=failed").want(t, 200).has(t, "No run fits.")
		owner.get(page+"?status=nonsense&page=x").want(t, 200).has(t, "Grow &lt;1&gt;")
		s.signIn("stan").get(page+"?status=planned").want(t, 404)
	})
}

// TestWhoMayConfirmARun is said by the names of teams, of those that the visitor sees, and how long its phases take as a rule.
func TestWhoMayConfirmARun(t *testing.T) {
	each(t, func(t *testing.T, s *server) {
		s.people()
		pool, runner := s.agents("acme")
		id := s.onAgents(pool, "cluster")
		appliers, _ := s.team("acme", "appliers", nil)
		planners, _ := s.team("acme", "planners", nil)
		s.grant(appliers, id, tfe.AccessWrite)
		s.grant(planners, id, tfe.AccessPlan)
		s.execute(`UPDATE workspaces SET run_figures = '{"Runs":4,"Failures":0,"PlanMillis":48400,"ApplyMillis":181000}' WHERE id = '` + id + "'")
		one := s.do("POST", "/runs", s.Token, runOf(id, `"message":"Grow"`)).want(t, 201).text("data.id")
		page := "/app/acme/workspaces/cluster/runs/" + one
		owner, applier, planner := s.signIn("olga"), s.signIn("appliers"), s.signIn("planners")
		owner.get(page).want(t, 200).has(t, "about 48 s", "about 3 min").hasNot(t, "team appliers", "waits ").inert(t)
		s.plans(runner, planOf("v"), "It is planned\n")
		s.eventually(func() bool {
			return s.do("GET", "/runs/"+one, s.Token, "").text("data.attributes.status") == "planned"
		}, "it is planned")
		owner.get(page).want(t, 200).has(t, "; you, team appliers or team owners", "about 3 min").hasNot(t, "about 48 s", "team planners").inert(t)
		applier.get(page).want(t, 200).has(t, "; you, team appliers or team owners")
		planner.get(page).want(t, 200).has(t, "Waiting for confirmation", "; team owners").hasNot(t, "team appliers", "; you")
		s.do("POST", "/runs/"+one+"/actions/discard", s.Token, "").want(t, 202)
		owner.get(page).want(t, 200).hasNot(t, "; you", "about 3 min")

		// Lists are narrowed by who began a run, and by what it began through.
		for _, list := range []string{"/app/acme/runs", "/app/acme/workspaces/cluster/runs"} {
			owner.get(list+"?by=ADMIN&source=tfe-api").want(t, 200).has(t, one, `value="ADMIN"`, `<option value="tfe-api" selected>`, "Show all").inert(t)
			for _, other := range []string{"?by=olga", "?source=tfe-ui", "?by=admin&source=tfe-ui&status=failed"} {
				owner.get(list+other).want(t, 200).has(t, "No run fits.").hasNot(t, one)
			}
			owner.get(list+"?source=nonsense&status=nonsense").want(t, 200).has(t, one).hasNot(t, "Show all")
			for _, vector := range vectors {
				owner.get(list+"?by="+url.QueryEscape(vector)+"&source="+url.QueryEscape(vector)).want(t, 200).inert(t)
			}
		}
	})
}

// TestOfTwoWhoDecideOneIsTold has two people at the page of a plan, who decide one after the other and at once: one does,
// and the other is told who did.
func TestOfTwoWhoDecideOneIsTold(t *testing.T) {
	each(t, func(t *testing.T, s *server) {
		s.people()
		s.team("acme", "nora", &tfe.OrganizationAccessOptions{ManageWorkspaces: tfe.Bool(true)})
		pool, runner := s.agents("acme")
		id, people := s.onAgents(pool, "cluster"), []*browser{s.signIn("olga"), s.signIn("nora")}
		planned := func() (page string, forms []url.Values) {
			run := s.do("POST", "/runs", s.Token, runOf(id, `"message":"Grow"`)).want(t, 201).text("data.id")
			page = "/app/acme/workspaces/cluster/runs/" + run
			s.plans(runner, planOf("v"), "It is planned\n")
			s.eventually(func() bool { return s.do("GET", "/runs/"+run, s.Token, "").text("data.attributes.status") == "planned" }, "it is planned")
			for _, b := range people {
				forms = append(forms, b.get(page).want(t, 200).has(t, "Confirm and apply").form("comment", "mine", "name", "cluster"))
			}
			return page, forms
		}
		page, forms := planned()
		people[1].post(page+"/discard", forms[1]).want(t, 303)
		people[0].post(page+"/apply", forms[0]).want(t, 409).
			has(t, "nora discarded this ", `maxlength="65535">mine</textarea>`).hasNot(t, "Confirm and apply", "transition not allowed").inert(t)
		for range 3 {
			page, forms = planned()
			counts := together(2, func(i int) int { return people[i].post(page+"/discard", forms[i]).Status })
			if counts[303] != 1 || counts[409] != 1 {
				t.Errorf("of two who discard at once: %v", counts)
			}
			page, forms = planned()
			act := []string{"/apply", "/discard"}
			counts = together(2, func(i int) int { return people[i].post(page+act[i], forms[i]).Status })
			if counts[303] != 1 || counts[409] != 1 {
				t.Errorf("of one who confirms and one who discards at once: %v", counts)
			}
			if run := page[strings.LastIndex(page, "/")+1:]; s.do("GET", "/runs/"+run, s.Token, "").text("data.attributes.status") != "discarded" {
				s.carry(runner, "apply", map[string]string{"state": string(stateHolding(1, instances("random_pet", 2), ""))}, `{"outcome":"succeeded","state_home":true}`)
			}
		}
	})
}

// TestAPlanWithSomethingInItsWay is a saved plan of a workspace that somebody locks: its page says so in place
// of the button, as the API refuses it. A plan that failed has no apply to show.
func TestAPlanWithSomethingInItsWay(t *testing.T) {
	each(t, func(t *testing.T, s *server) {
		s.people()
		pool, runner := s.agents("acme")
		id, owner := s.onAgents(pool, "cluster"), s.signIn("olga")
		s.hold(id, 7, thing("", "one", `"id":"i"`, ""), "")
		s.do("POST", "/workspaces/"+id+"/vars", s.Token, `{"data":{"type":"vars","attributes":{"key":"region","value":"eu","category":"terraform"}}}`).want(t, 201)
		run := s.do("POST", "/runs", s.Token, runOf(id, `"message":"Grow","save-plan":true,"variables":[{"key":"size","value":"3"}]`)).want(t, 201).text("data.id")
		page := "/app/acme/workspaces/cluster/runs/" + run
		s.plans(runner, planOf("v"), "It is planned\n")
		s.eventually(func() bool {
			return s.do("GET", "/runs/"+run, s.Token, "").text("data.attributes.status") == "planned_and_saved"
		}, "it is saved")
		owner.get(page).want(t, 200).has(t, "Confirm and apply", "saved plan, applied later", `<dt>From state</dt><dd><a href="/app/acme/workspaces/cluster/state/7">#7, the current one</a></dd>`, `<dt>Variables</dt><dd><a href="/app/acme/workspaces/cluster/variables">1 now, and 1 of this run alone</a></dd>`, "Confirm this plan?").hasNot(t, "It can't be confirmed now")
		s.do("POST", "/workspaces/"+id+"/actions/lock", s.Token, "{}").want(t, 200)
		owner.get(page).want(t, 200).has(t, "It can't be confirmed now: the workspace is locked by ", `href="/app/acme/workspaces/cluster"`, "/discard").hasNot(t, "Confirm and apply", "/apply\"")
		s.do("POST", "/runs/"+run+"/actions/apply", s.Token, "").want(t, 409)
		s.do("POST", "/workspaces/"+id+"/actions/unlock", s.Token, "").want(t, 200)
		owner.get(page).want(t, 200).has(t, "Confirm and apply")

		failed := s.do("POST", "/runs", s.Token, runOf(id, `"message":"Fail"`)).want(t, 201).text("data.id")
		s.carry(runner, "plan", map[string]string{"log": "Error: no such provider\n"}, `{"outcome":"errored","exit_code":1,"error":"no such provider"}`)
		s.eventually(func() bool {
			return s.do("GET", "/runs/"+failed, s.Token, "").text("data.attributes.status") == "errored"
		}, "it failed")
		owner.get("/app/acme/workspaces/cluster/runs/"+failed).want(t, 200).has(t, "Plan log", "no such provider").hasNot(t, "Apply log")
		owner.get("/app/acme/workspaces/cluster").want(t, 200).hasNot(t, "Locked by")
	})
}

// TestChangeRequestsOfAWorkspaceOnTheirTab are those that are open, and by themselves those that are archived.
func TestChangeRequestsOfAWorkspaceOnTheirTab(t *testing.T) {
	notifying(t, func(t *testing.T, s *server) {
		network := s.people()
		s.fileRequests("acme", "Rotate the key", network)
		owner, tab := s.signIn("olga"), "/app/acme/workspaces/network/change-requests"
		var one string
		s.eventually(func() bool {
			one = s.do("GET", "/workspaces/"+network+"/change-requests", s.Token, "").text("data.0.id")
			return one != ""
		}, "it is filed")
		shown := owner.get(tab).want(t, 200).has(t, "Rotate the key", "its campaign", `<span class="count">1</span>`)
		owner.get(tab+"?show=archived").want(t, 200).has(t, "None is archived.").hasNot(t, "Rotate the key")
		owner.post("/app/change-requests/"+one+"/take", shown.form()).want(t, 303)
		owner.get(tab).want(t, 200).has(t, "olga is on it")
		owner.post("/app/change-requests/"+one+"/archive", shown.form("return", tab)).want(t, 303)
		owner.get(tab).want(t, 200).has(t, "Nothing is to be done here.").hasNot(t, "Rotate the key")
		owner.get(tab+"?show=archived").want(t, 200).has(t, "Rotate the key", "archived by olga")
		s.signIn("stan").get(tab+"?show=archived").want(t, 404)
	})
}
