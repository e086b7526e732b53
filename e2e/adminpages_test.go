package e2e_test

import (
	"fmt"
	"html"
	"regexp"
	"strings"
	"testing"

	"github.com/hashicorp/go-tfe"
)

// TestAccessOfAWorkspacePage gives access, changes it and takes it away, and shows readers their own.
func TestAccessOfAWorkspacePage(t *testing.T) {
	each(t, func(t *testing.T, s *server) {
		s.people()
		team, _ := s.team("acme", "nora", nil)
		owner, reader, stranger := s.signIn("olga"), s.signIn("rita"), s.signIn("stan")
		const page = networkPage + "/access"
		form := owner.get(page).want(t, 200).has(t, "owners", "everything", "this workspace", `<span class="lvl l1">read</span>`, "Give access", "change settings").inert(t)
		seen := reader.get(page).want(t, 200).has(t, `<span class="lvl l1">read</span>`, "those that you see", "read state").hasNot(t, "Give access", "Take away").inert(t)
		if found := seen.actions(); found != nil {
			t.Errorf("a reader is offered %v", found)
		}
		stranger.get(page).want(t, 404)
		owner.post(page, form.form("id", "", "team", team.ID, "level", "write")).want(t, 303)
		given := owner.get(page).want(t, 200).has(t, `<span class="lvl l3">write</span>`, "write state")
		mine := s.do("GET", "/team-workspaces?filter[workspace][id]="+s.idOf("network"), s.Token, "").want(t, 200)
		var id string
		for i := 0; mine.at(fmt.Sprintf("data.%d", i)) != nil; i++ {
			if mine.text(fmt.Sprintf("data.%d.attributes.access", i)) == "write" {
				id = mine.text(fmt.Sprintf("data.%d.id", i))
			}
		}
		owner.post(page, given.form("id", id, "level", "nonsense")).want(t, 422).has(t, "Access")
		owner.post(page, given.form("id", id, "level", "plan")).want(t, 303)
		owner.get(page).want(t, 200).has(t, `<span class="lvl l2">plan</span>`)
		for _, b := range []*browser{reader, stranger} {
			b.post(page, b.get(organizationsPath).form("id", id, "level", "admin")).want(t, 404)
			b.post(page+"/take", b.get(organizationsPath).form("id", id)).want(t, 404)
		}
		owner.post(page+"/take", given.form("id", id, "form", "x")).want(t, 403)
		owner.post(page+"/take", given.form("id", id)).want(t, 303)
		owner.get(page).want(t, 200).hasNot(t, `<span class="lvl l2">plan</span>`)
		// A team leads to who is in it, and who may ask why is led to the question.
		named := owner.get(page).has(t, "Why may somebody…").inert(t)
		for link, says := range map[string]string{`/app/acme/teams/team-[^"]+" title="Who is in it">rita<`: "rita", `/app/acme/access\?on=network`: `value="network"`} {
			owner.get(html.UnescapeString(strings.Split(regexp.MustCompile(link).FindString(named.Body), `"`)[0])).want(t, 200).has(t, says)
		}
		reader.get(page).want(t, 200).hasNot(t, "Why may")
	})
}

// TestAccessOfAWorkspaceNamesPeople names who is in the teams that come to a workspace, to those who see the teams, and leads
// those who may ask to why one of them may.
func TestAccessOfAWorkspaceNamesPeople(t *testing.T) {
	each(t, func(t *testing.T, s *server) {
		s.people()
		crew, _ := s.team("acme", "crew00", nil)
		for i := 1; i < 10; i++ {
			name := fmt.Sprintf("crew%02d", i)
			s.user(name)
			s.join("acme", name, crew)
		}
		s.join("acme", "invitee", crew) // has not come in: it may nothing yet
		s.grant(crew, s.idOf("network"), tfe.AccessWrite)
		s.team("acme", "nora", nil) // her team does not come here
		owner, reader := s.signIn("olga"), s.signIn("rita")
		const page = networkPage + "/access"
		shown := owner.get(page).want(t, 200).has(t, ">crew00</a>, ", ">crew07</a> and ", ">2 more</a>", ">rita</a>", ">olga</a>").hasNot(t, "crew08", "crew09", "invitee@").inert(t)
		if strings.Contains(shown.Body, "subject=nora") {
			t.Error("somebody is named whose team does not come here")
		}
		why := html.UnescapeString(regexp.MustCompile(`/app/acme/access\?on=network[^"]*subject=crew03`).FindString(shown.Body))
		owner.get(why).want(t, 200).has(t, `value="crew03"`, `value="network"`, "Yes, in 1 way.").inert(t)
		// Who sees no other team is told of no other people, and who may not ask is led nowhere.
		reader.get(page).want(t, 200).has(t, `<td class="small keep">rita</td>`).hasNot(t, "crew00", "subject=").inert(t)
	})
}

// idOf is the id of a workspace of acme.
func (s *server) idOf(name string) string {
	s.t.Helper()
	return s.do("GET", "/organizations/acme/workspaces/"+name, s.Token, "").want(s.t, 200).text("data.id")
}

// TestSettingsOfAWorkspacePage changes each section alone, and deletes the workspace whose name is typed.
func TestSettingsOfAWorkspacePage(t *testing.T) {
	each(t, func(t *testing.T, s *server) {
		id := s.people()
		owner, reader, stranger := s.signIn("olga"), s.signIn("rita"), s.signIn("stan")
		const page = networkPage + "/settings"
		shown := owner.get(page).want(t, 200).has(t, "Version of the engine", page+"/delete").inert(t)
		reader.get(page).want(t, 404)
		reader.get(networkPage).hasNot(t, page)
		stranger.get(page).want(t, 404)
		is := func(attribute string, want any) {
			t.Helper()
			if got := s.do("GET", "/workspaces/"+id, s.Token, "").at("data.attributes." + attribute); got != want {
				t.Errorf("%s is %v, not %v", attribute, got, want)
			}
		}
		owner.post(page, shown.form("section", "general", "name", "network", "description", "a\r\n<b>", "folder", "x", "engine", "1.12.6")).want(t, 303)
		is("description", "a\n<b>")
		is("working-directory", "x")
		is("auto-apply", false)
		owner.get(page).want(t, 200).has(t, "a\n&lt;b&gt;").inert(t)
		owner.post(page, owner.get(page).form("section", "general", "name", "no good", "description", "kept", "engine", "1.12.6")).want(t, 422).has(t, `value="no good"`, "kept")
		owner.post(page, shown.form("section", "runs", "auto-apply", "yes", "speculative", "yes")).want(t, 303)
		is("auto-apply", true)
		is("allow-destroy-plan", false)
		is("description", "a\n<b>")
		owner.post(page, shown.form("section", "execution", "mode", "local")).want(t, 303)
		is("execution-mode", "local")
		owner.post(page, shown.form("section", "execution", "mode", "")).want(t, 303)
		is("execution-mode", "remote")
		owner.post(page, shown.form("section", "execution", "mode", "nonsense")).want(t, 422)
		owner.post(page, shown.form("section", "sharing", "sharing", "organization")).want(t, 303)
		is("global-remote-state", true)
		owner.post(page, shown.form("section", "nonsense")).want(t, 422)
		owner.post(page, shown.form("section", "runs", "form", "x")).want(t, 403)
		for _, b := range []*browser{reader, stranger} {
			b.post(page, b.get(organizationsPath).form("section", "runs")).want(t, 404)
			b.post(page+"/delete", b.get(organizationsPath).form("name", "network")).want(t, 404)
		}
		if to := owner.post(page, shown.form("section", "general", "name", "renamed", "engine", "1.12.6")).want(t, 303).Header.Get("Location"); to != "/app/acme/workspaces/renamed/settings" {
			t.Errorf("a new name leads to %s", to)
		}
		const renamed = "/app/acme/workspaces/renamed/settings"
		s.hold(id, 1, thing("", "one", `"id":"i"`, ""), "")
		owner.post(renamed+"/delete", shown.form("name", "network")).want(t, 422).has(t, "Type the name")
		owner.post(renamed+"/delete", shown.form("name", "renamed")).want(t, 409)
		if to := owner.post(renamed+"/delete", shown.form("name", "renamed", "force", "yes")).want(t, 303).Header.Get("Location"); to != "/app/acme/workspaces" {
			t.Errorf("deleting leads to %s", to)
		}
		owner.get(renamed).want(t, 404)
	})
}

// TestActivityOfAWorkspacePage shows those who read the audit trail what happened to this workspace alone.
func TestActivityOfAWorkspacePage(t *testing.T) {
	each(t, func(t *testing.T, s *server) {
		id := s.people()
		owner, reader, stranger := s.signIn("olga"), s.signIn("rita"), s.signIn("stan")
		const page = networkPage + "/activity"
		other := s.newWorkspace("acme", "other", func(*tfe.WorkspaceCreateOptions) {})
		s.hold(other.ID, 77, "", "")
		asked := owner.get(networkPage)
		form := asked.form("reason", "because")
		owner.post(networkPage+"/lock", form).want(t, 303)
		owner.post(networkPage+"/unlock", form).want(t, 303)
		for _, vector := range vectors {
			owner.post(networkPage+"/variables", asked.form("key", "k", "description", vector, "value", "hunter2", "category", "terraform", "id", "")).want(t, 303)
			owner.post(networkPage+"/variables/delete", asked.form("id", s.variableOf(id, "k"))).want(t, 303)
		}
		owner.get(page).want(t, 200).has(t, "<b>Workspace locked</b> by olga", "Workspace unlocked", "Variable created", "key k").hasNot(t, "serial 77", "hunter2").inert(t)
		reader.get(page).want(t, 404)
		reader.get(networkPage).hasNot(t, page)
		stranger.get(page).want(t, 404)
	})
}
