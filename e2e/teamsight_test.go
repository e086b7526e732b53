package e2e_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/hashicorp/go-tfe"
)

// TestInvitedPeopleOfATeam have their addresses, to those who see every member, and are no members yet, whoever counts.
func TestInvitedPeopleOfATeam(t *testing.T) {
	each(t, func(t *testing.T, s *server) {
		s.people()
		ops, _ := s.team("acme", "mara", nil)
		s.do("PATCH", "/teams/"+ops.ID, s.Token, `{"data":{"attributes":{"visibility":"organization"}}}`).want(t, 200)
		for _, name := range []string{"new1", "new2"} {
			s.join("acme", name, ops)
		}
		owner, reader := s.signIn("olga"), s.signIn("rita")
		page := "/app/acme/teams/" + ops.ID
		owner.get(page).want(t, 200).has(t, "1 member, and 2 invited", "new1@example.com", `> new2@example.com</span>`).hasNot(t, "the server").inert(t)
		reader.get(page).want(t, 200).has(t, "somebody new").hasNot(t, "new1@example.com", "the server")
		owner.get("/app/acme/access").has(t, `>mara</a><p class="small faint">1 member</p>`)
		owner.get("/app/acme/members?status=invited").has(t, "new1@example.com")
		if n := s.do("GET", "/teams/"+ops.ID, s.Token, "").at("data.attributes.users-count"); n != 1.0 {
			t.Errorf("the API counts %v", n)
		}
	})
}

// TestWhoManagesTeamsAlone is offered what they may give, told what is too much, and told of what they see as no more than that.
func TestWhoManagesTeamsAlone(t *testing.T) {
	each(t, func(t *testing.T, s *server) {
		s.people()
		_, mona := s.team("acme", "mona", &tfe.OrganizationAccessOptions{ManageTeams: tfe.Bool(true)})
		_, gail := s.team("acme", "gail", &tfe.OrganizationAccessOptions{ManageOrganizationAccess: tfe.Bool(true), ManageTeams: tfe.Bool(true), ManageMembership: tfe.Bool(true)})
		visible := func(name string) string {
			return s.do("POST", "/organizations/acme/teams", s.Token, fmt.Sprintf(`{"data":{"type":"teams","attributes":{"name":%q,"visibility":"organization"}}}`, name)).want(t, 200).text("data.id")
		}
		small, large := visible("small"), visible("large")
		s.do("PATCH", "/teams/"+large, s.Token, `{"data":{"attributes":{"organization-access":{"manage-workspaces":true}}}}`).want(t, 200)
		m, g, owner := s.signIn("mona"), s.signIn("gail"), s.signIn("olga")

		m.get("/app/acme/access?rows=people").want(t, 200).has(t, ">rita</a><p class=\"small faint\">no team that you see</p>").hasNot(t, "0 teams").inert(t)
		owner.get("/app/acme/access?rows=people").has(t, ">rita</a><p class=\"small faint\">1 team</p>")
		m.get("/app/acme/access?rows=workspaces").want(t, 200).has(t, "No workspace that you see has levels of its own.").inert(t)

		invite := func(b *browser) string {
			_, form, _ := strings.Cut(b.get("/app/acme/members").want(t, 200).Body, `value="invite"`)
			return form
		}
		if form := invite(m); !strings.Contains(form, small) || strings.Contains(form, large) || strings.Contains(form, ">owners<") || strings.Contains(form, s.owners("acme").ID) {
			t.Errorf("who manages teams is offered: %s", form)
		}
		if form := invite(owner); !strings.Contains(form, small) || !strings.Contains(form, large) || !strings.Contains(form, s.owners("acme").ID) {
			t.Errorf("an owner is offered: %s", form)
		}

		// A team that they make is in their sight, and hidden projects are not counted.
		owner.get("/app/acme/teams").has(t, `<option value="secret">`)
		made := m.post("/app/acme/teams", asItStands(t, m.get("/app/acme/teams").hasNot(t, `<option value="secret">`), "do", "new")).want(t, 422) // without a name
		fields := asItStands(t, made, "do", "new")
		fields.Set("name", "by-mona")
		m.get(m.post("/app/acme/teams", fields).want(t, 303).Header.Get("Location")).want(t, 200).has(t, ">by-mona</h1>")
		other := visible("other")
		project := s.do("POST", "/organizations/acme/projects", s.Token, `{"data":{"type":"projects","attributes":{"name":"veiled"}}}`).want(t, 201).text("data.id")
		s.do("POST", "/team-projects", s.Token, fmt.Sprintf(`{"data":{"type":"team-projects","attributes":{"access":"read"},"relationships":{"project":{"data":{"type":"projects","id":%q}},"team":{"data":{"type":"teams","id":%q}}}}}`, project, other)).want(t, 201)
		m.get("/app/acme/teams/"+other).want(t, 200).has(t, "0 projects", "No project that you see gives it a level.").hasNot(t, "1 project", "veiled").inert(t)

		m.get("/app/acme/teams/"+small).want(t, 200).has(t, "Delete small").hasNot(t, "Save rights").inert(t)
		shown := g.get("/app/acme/teams/"+small).want(t, 200).has(t, "Save rights", `value="manage-teams"`, `value="manage-public-modules"`).hasNot(t, `value="manage-workspaces"`, `value="read-projects"`).inert(t)
		owner.get("/app/acme/teams/"+small).has(t, `value="manage-workspaces"`, `value="read-projects"`)
		rights := shown.form("do", "rights", "switch", "manage-teams")
		g.post("/app/acme/teams/"+small, rights).want(t, 303)
		rights.Add("switch", "manage-workspaces")
		g.post("/app/acme/teams/"+small, rights).want(t, 422).has(t, "more than you may give: manage all workspaces")

		ask := func(token, switches string) string {
			r := s.do("PATCH", "/teams/"+small, token, `{"data":{"attributes":{"organization-access":{`+switches+`}}}}`).want(t, 422)
			if r.text("errors.0.source.pointer") != "/data/attributes/organization-access" {
				t.Errorf("%s", r.Body)
			}
			return r.text("errors.0.detail")
		}
		if said := ask(gail, `"manage-workspaces":true,"manage-membership":true,"read-projects":true`); said != "Organization access is more than you may give: manage-workspaces, read-workspaces, read-projects" {
			t.Error(said)
		}
		if said := ask(mona, `"manage-teams":false`); said != "Organization access is more than you may give: manage-teams" {
			t.Error(said)
		}
	})
}
