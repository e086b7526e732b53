package e2e_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/hashicorp/go-tfe"
)

// ofPullRequest has all runs of a workspace be of a commit of a pull request.
func (s *server) ofPullRequest(workspace string) {
	s.t.Helper()
	id := "ia-" + strings.TrimPrefix(workspace, "ws-")
	s.execute(fmt.Sprintf(`UPDATE configuration_versions SET ingress_id = '%s', ingress = '%s' WHERE workspace_id = '%s'`,
		id, `{"id":"`+id+`","commit-sha":"4f2a91c0ffee","commit-url":"https://git.example.com/acme/infra/commit/4f2a91c","is-pull-request":true,"pull-request-number":12}`, workspace),
		fmt.Sprintf(`UPDATE runs SET commit_sha = '4f2a91c0ffee' WHERE workspace_id = '%s'`, workspace))
}

// TestPlansOfPullRequestsAreFoldedAway: they stand below the other runs of their workspace, and every run says its commit.
func TestPlansOfPullRequestsAreFoldedAway(t *testing.T) {
	each(t, func(t *testing.T, s *server) {
		s.people()
		pool, _ := s.agents("acme")
		id := s.onAgents(pool, "cluster")
		first := s.do("POST", "/runs", s.Token, runOf(id, `"message":"Look at it","plan-only":true`)).want(t, 201).text("data.id")
		owner, reader := s.signIn("olga"), s.signIn("rita")
		const list, commit = "/app/acme/workspaces/cluster/runs", `<a href="https://git.example.com/acme/infra/commit/4f2a91c" rel="noreferrer"><code>4f2a91c</code></a>`
		owner.get(list).want(t, 200).has(t, "plan only").hasNot(t, "Plans of pull requests", "4f2a91c").inert(t)
		s.ofPullRequest(id)
		owner.get(list).want(t, 200).has(t, `<details class="fold" id="pulls" open>`, "pull request #12", commit).hasNot(t, `aria-label="Table of runs"`).inert(t)
		s.do("POST", "/runs", s.Token, runOf(id, `"message":"Bump it"`)).want(t, 201)
		s.ofPullRequest(id)
		page := owner.get(list).want(t, 200).has(t, `<details class="fold" id="pulls">`, `Plans of pull requests <span class="count">1</span>`, "Table of plans of pull requests", commit).inert(t)
		above, below, _ := strings.Cut(page.Body, `id="pulls"`)
		if !strings.Contains(above, "Bump it") || strings.Contains(above, "pull request #12") || !strings.Contains(below, "Look at it") {
			t.Errorf("the plan is not below the runs: %s", page.Body)
		}
		owner.get(list+"?search=Look").want(t, 200).has(t, `<details class="fold" id="pulls" open>`)
		owner.get("/app/acme/runs").want(t, 200).has(t, "cluster, plan of pull request #12", commit).inert(t)
		owner.get("/app/acme/workspaces/cluster").want(t, 200).has(t, "pull request #12", commit).inert(t)

		// A run leads to the others of its commit, and is done once more when it is over.
		one := list + "/" + first
		twin := s.onAgents(pool, "twin")
		s.do("POST", "/runs", s.Token, runOf(twin, `"message":"There too"`)).want(t, 201)
		s.ofPullRequest(twin)
		owner.get(one).want(t, 200).has(t, "Other runs of this commit", ">twin</a>", ">cluster</a>").hasNot(t, "Run again").inert(t)
		form := owner.get(one).form("message", "Look at it", "kind", "plan-only", "targets", "")
		s.do("POST", "/runs/"+first+"/actions/cancel", s.Token, "{}").want(t, 202)
		s.eventually(func() bool { return strings.Contains(owner.get(one).Body, "Run again") }, "the run can be done again")
		owner.get(one).has(t, `name="kind" value="plan-only"`, `action="/app/acme/workspaces/cluster/start"`).inert(t)
		again := owner.post("/app/acme/workspaces/cluster/start", form).want(t, 303).Header.Get("Location")
		owner.get(again).want(t, 200).has(t, "Look at it", "plan only")
		seer, _ := s.team("acme", "seer", nil)
		s.grant(seer, id, tfe.AccessRead)
		s.signIn("seer").get(one).want(t, 200).has(t, "Other runs of this commit").hasNot(t, "Run again", "twin").inert(t)
		reader.get(list).want(t, 404)
		reader.get("/app/acme/runs").want(t, 200).hasNot(t, "4f2a91c")
		s.execute(`UPDATE configuration_versions SET ingress = '{"commit-url":"javascript:alert(1)"}' WHERE ingress_id <> ''`)
		owner.get(list).want(t, 200).has(t, "<code>4f2a91c</code>").hasNot(t, "javascript:alert").inert(t)
	})
}

// TestTheListSaysWhatHasDrifted, as the newest assessment found it, to those who may read that.
func TestTheListSaysWhatHasDrifted(t *testing.T) {
	each(t, func(t *testing.T, s *server) {
		id := s.people()
		never, failed := s.workspace("acme", "never"), s.workspace("acme", "failed")
		for name, found := range map[string]string{id: "TRUE, '', 1, 3, 41", failed: "FALSE, 'no <engine>', 2, 0, 0"} {
			s.execute(fmt.Sprintf(`INSERT INTO assessments (succeeded, problem, created_at, resources_drifted, resources_undrifted, id, workspace_id, organization_id, run_id, checks_passed, checks_failed, checks_errored, checks_unknown)
				SELECT %s, 'asmtres-%s', id, organization_id, '', 0, 0, 0, 0 FROM workspaces WHERE id = '%[2]s'`, found, name),
				fmt.Sprintf("UPDATE workspaces SET assessment_id = 'asmtres-%s' WHERE id = '%[1]s'", name))
		}
		const list = "/app/acme/workspaces"
		s.signIn("olga").get(list).want(t, 200).hasNot(t, "drifted</span>")
		s.signIn("olga").get(list+"?columns=drift&columns=run").want(t, 200).has(t, `<a href="/app/acme/workspaces/network/health" title="3 of 44 resources">`, "drifted</span>", `title="no &lt;engine&gt;"`, "failed</span>", "not known").inert(t)
		s.signIn("rita").get(list+"?columns=drift").want(t, 200).has(t, "drifted</span>").hasNot(t, "engine&gt;")

		owner := s.signIn("olga")
		owner.get(list+"?health=drifted").want(t, 200).has(t, "1 workspace found", "network</a>", "Health: drifted").hasNot(t, "never</a>").inert(t)
		owner.get(list+"?health=failed").want(t, 200).has(t, "1 workspace found", "failed</a>").hasNot(t, "network</a>")
		owner.get(list+"?health=checks").want(t, 200).has(t, "0 workspaces found", "Leave out the health").inert(t)
		owner.get(list+"?health=nonsense").want(t, 200).has(t, "3 workspaces.")
		owner.get(list+"?csv").want(t, 200).has(t, "last_change,health,drifted_resources,assessed\n", `"drifted","3",`, `"failed","",`)

		// Who reads no assessments reads none here.
		team, _ := s.team("acme", "vera", nil)
		s.do("POST", "/team-workspaces", s.Token, fmt.Sprintf(`{"data":{"type":"team-workspaces","attributes":{"access":"custom","runs":"read","variables":"none","state-versions":"none"},"relationships":{"workspace":{"data":{"type":"workspaces","id":%q}},"team":{"data":{"type":"teams","id":%q}}}}}`, id, team.ID)).want(t, 201)
		vera := s.signIn("vera").get(list+"?columns=drift").want(t, 200)
		if may := s.signIn("vera").get("/app/acme/workspaces/network/health").Status == 200; may != strings.Contains(vera.Body, "drifted</span>") {
			t.Errorf("the tab may be read: %v; the list says %s", may, vera.Body)
		}
		for _, query := range []string{"?health=drifted", "?csv"} {
			if may, told := s.signIn("vera").get("/app/acme/workspaces/network/health").Status == 200, s.signIn("vera").get(list+query); may != strings.Contains(told.Body, map[bool]string{true: "drifted\"", false: "network</a>"}[query == "?csv"]) {
				t.Errorf("the tab may be read: %v; %s says %s", may, query, told.Body)
			}
		}
		_ = never
	})
}
