package e2e_test

import (
	"strings"
	"testing"

	"github.com/hashicorp/go-tfe"
)

// TestColumnsOfTheListOfWorkspaces shows what each column says, and to whom.
func TestColumnsOfTheListOfWorkspaces(t *testing.T) {
	each(t, func(t *testing.T, s *server) {
		id := s.people()
		s.hold(id, 1, instances("random_pet", 2), "")
		s.hold(id, 2, instances("random_pet", 3), "")
		s.execute("UPDATE state_versions SET created_at = created_at - 1814400000 WHERE serial = 1") // three weeks
		s.setWorkspace(id, `{"description":"The <b>network</b>","terraform-version":"1.9.8"}`)
		s.do("PATCH", "/workspaces/"+id+"/tag-bindings", s.Token, `{"data":[{"type":"tag-bindings","attributes":{"key":"team","value":"plumbers"}}]}`).want(t, 200)
		owner, reader := s.signIn("olga"), s.signIn("rita")
		const list = "/app/acme/workspaces"
		owner.get(list).want(t, 200).has(t, "12 weeks</th>", `aria-label="2 states in 12 weeks"`, "Last change</a></th>").hasNot(t, "Description</th>", "Tags</th>", "made <time").inert(t)
		reader.get(list).want(t, 200).has(t, `aria-label="2 states in 12 weeks"`).inert(t)
		team, token := s.team("acme", "blind", nil)
		s.do("POST", "/team-workspaces", s.Token, `{"data":{"type":"team-workspaces","attributes":{"access":"custom","state-versions":"none","runs":"read","variables":"none","sentinel-mocks":"none"},"relationships":{"team":{"data":{"type":"teams","id":"`+team.ID+`"}},"workspace":{"data":{"type":"workspaces","id":"`+id+`"}}}}}`).want(t, 201)
		_ = token
		s.user("bea")
		s.join("acme", "bea", team)
		s.signIn("bea").get(list).want(t, 200).has(t, ">network</a>").hasNot(t, "states in 12 weeks").inert(t)
		all := owner.get(list+"?columns=description&columns=team&columns=tags&columns=id&columns=created&columns=pool&columns=repository&columns=engine&rows=low").want(t, 200)
		all.has(t, "The &lt;b&gt;network&lt;/b&gt;", "plumbers</td>", "<code>"+id+"</code>", `class="table list low"`, "Agent pool</th>", "Repository</th>").hasNot(t, "12 weeks</th>").inert(t)
		owner.get(list).has(t, `class="table list low"`, "Team</th>")
		owner.get(list+"?rows=usual").hasNot(t, `class="table list low"`)
		// A release that an admin has marked is told.
		version := s.do("GET", "/admin/terraform-versions?filter[version]=1.9.8", s.Token, "").want(t, 200).text("data.0.id")
		owner.get(list).hasNot(t, "no longer supported")
		s.do("PATCH", "/admin/terraform-versions/"+version, s.Token, `{"data":{"type":"terraform-versions","attributes":{"deprecated":true,"deprecated-reason":"old"}}}`).want(t, 200)
		s.eventually(func() bool { return strings.Contains(owner.get(list).Body, "no longer supported") }, "the engine is told to be old")
		// Nothing fits: the page says what to leave out.
		owner.get(list+"?search=nothing&run=none").want(t, 200).has(t, "0 workspaces found", "Leave out the name", `href="/app/acme/workspaces?run=none"`, "1 workspace is found without").inert(t)
		owner.get(list+"?search=nothing&lock=locked").want(t, 200).has(t, "0 workspaces found").hasNot(t, "Leave out")
		s.lock(id)
		owner.get(list+"?lock=long").has(t, "0 workspaces found", "Leave out the lock")
		s.execute("UPDATE workspaces SET locked_at = locked_at - 259200000 WHERE id = '" + id + "'")
		owner.get(list+"?lock=long&columns=lock").want(t, 200).has(t, "1 workspace found", "admin · 3 d").inert(t)
		owner.get(list+"?columns=run&columns=lock").want(t, 200).has(t, `<td class="run"><span class="opt-col"><span class="faint">–</span></span><span class="only-phone">`)
		s.newWorkspace("acme", "fresh", func(*tfe.WorkspaceCreateOptions) {})
		owner.get(list+"?columns=changed").has(t, "made <time")
	})
}
