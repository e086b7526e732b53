package e2e_test

import (
	"fmt"
	"net/url"
	"strings"
	"testing"

	"github.com/hashicorp/go-tfe"
)

// TestWhyIsSuggested offers whom and what the question about access may be about, with their teams and projects, as far
// as the visitor sees them; a search finds projects beside rows.
func TestWhyIsSuggested(t *testing.T) {
	each(t, func(t *testing.T, s *server) {
		s.people()
		s.team("acme", "tess", &tfe.OrganizationAccessOptions{ManageTeams: tfe.Bool(true)})
		owner, manager := s.signIn("olga"), s.signIn("tess")
		const path = "/app/acme/access"
		const network = `<option value="network">Default Project</option>`
		owner.get(path).want(t, 200).has(t, `list="people"`, `<option value="olga">owners</option>`, `<option value="rita">rita</option>`, `<option value="owners">team</option>`, `list="places"`, network, `<option value="Default Project">project</option>`).hasNot(t, `<option value="stan">`).inert(t)
		owner.get(path+"?rows=people").want(t, 200).has(t, `<option value="rita">rita</option>`, network).inert(t)
		owner.get(path+"?rows=workspaces").want(t, 200).has(t, `<option value="rita">rita</option>`, network).inert(t)
		manager.get(path).want(t, 200).has(t, `<option value="rita">`).hasNot(t, `<option value="network">`).inert(t)
		project := s.do("GET", "/organizations/acme/projects", s.Token, "").text("data.0.id")
		owner.get(path+"?search=deFault").want(t, 200).has(t, `Projects: <a href="`+path+"/"+project+`">Default Project</a>`, "Nothing here is called so.").inert(t)
		owner.get(path+"?search=rita").want(t, 200).hasNot(t, "Projects: ")
	})
}

// TestWhyATeamMay asks about a team, and about a project: the answer is of what the team itself is given, and of all that is
// in the project.
func TestWhyATeamMay(t *testing.T) {
	each(t, func(t *testing.T, s *server) {
		s.people()
		owner := s.signIn("olga")
		crew, _ := s.team("acme", "nora", nil)
		s.do("PATCH", "/teams/"+crew.ID, s.Token, `{"data":{"type":"teams","attributes":{"name":"crew"}}}`).want(t, 200)
		project := s.do("GET", "/organizations/acme/projects", s.Token, "").text("data.0.id")
		page := "/app/acme/access/" + project
		owner.post(page, owner.get(page).form("do", "give", "team", crew.ID, "level", "write")).want(t, 303)
		why := func(who, right, on string) reply {
			return owner.get("/app/acme/access?subject="+who+"&right="+right+"&on="+url.QueryEscape(on)).want(t, 200).inert(t)
		}
		why("crew", "apply-runs", "network").has(t, "Yes, in 1 way.", `The team <a href="/app/acme/teams/`+crew.ID+`">crew</a>`, "on its project").hasNot(t, "is in the team", "joined")
		why("crew", "apply-runs", "Default Project").has(t, "Yes, in 1 way.", "on the project", `which reaches all of <a href="`+page+`">Default Project</a>`)
		why("crew", "delete-workspace", "network").has(t, "No: crew may not.", "It takes admin on ", "maintain on ", "Not the reason: crew, write")
		why("owners", "delete-workspace", "Default Project").has(t, "Yes, in 1 way.", "everything")
		why("nora", "apply-runs", "Default Project").has(t, "Yes, in 1 way.", "is in the team ", "on the project")
		why("rita", "read-state", "Default Project").has(t, "No: no team of rita may.", `It takes read on <a href="`+page+`">the project</a>`) // only one workspace in it
		why("crew", "read-state", "nothing").has(t, "no such person or workspace")
		s.do("GET", "/organizations/acme/access-reasons?user=crew&permission=apply-runs&workspace=network", s.Token, "").want(t, 404)
		s.do("GET", "/organizations/acme/access-reasons?user=nora&permission=apply-runs&workspace=Default%20Project", s.Token, "").want(t, 404)
		for _, ask := range []string{"team=crew&project=Default%20Project", "team=crew&workspace=network", "user=nora&project=Default%20Project"} {
			answer := s.do("GET", "/organizations/acme/access-reasons?permission=apply-runs&"+ask, s.Token, "").want(t, 200)
			if ways := "data.attributes.ways.0."; answer.at("data.attributes.permitted") != true || answer.text(ways+"team-id") != crew.ID || answer.text(ways+"scope-id") != project {
				t.Errorf("%s is answered with %s", ask, answer.Body)
			}
		}
		for ask, status := range map[string]int{
			"team=crew&project=network": 404, "team=nora&workspace=network": 404, "team=crew": 404, "project=Default%20Project": 404,
			"team=crew&user=nora&workspace=network": 422, "team=crew&workspace=network&project=Default%20Project": 422,
		} {
			s.do("GET", "/organizations/acme/access-reasons?permission=apply-runs&"+ask, s.Token, "").want(t, status)
		}
		s.do("PATCH", "/teams/"+crew.ID, s.Token, `{"data":{"type":"teams","attributes":{"visibility":"secret"}}}`).want(t, 200)
		_, token := s.team("acme", "tess", &tfe.OrganizationAccessOptions{ManageTeams: tfe.Bool(true), ReadWorkspaces: tfe.Bool(true)})
		tess := s.signIn("tess")
		s.do("GET", "/organizations/acme/access-reasons?team=crew&permission=apply-runs&workspace=network", token, "").want(t, 404)
		s.do("GET", "/organizations/acme/access-reasons?team=tess&permission=apply-runs&workspace=network", token, "").want(t, 200)
		_, plain := s.team("acme", "paul", &tfe.OrganizationAccessOptions{ReadWorkspaces: tfe.Bool(true)}) // sees no member but themselves
		s.do("GET", "/organizations/acme/access-reasons?team=tess&permission=apply-runs&workspace=network", plain, "").want(t, 404)
		s.do("GET", "/organizations/acme/access-reasons?team=paul&permission=apply-runs&workspace=network", plain, "").want(t, 200)
		tess.get("/app/acme/access?subject=crew&right=apply-runs&on=network").want(t, 200).has(t, "no such person or workspace").hasNot(t, `<option value="crew">`)
	})
}

// TestWorkspacesWithLevelsOfTheirOwn turns the pages of those that somebody sees, by name, and takes all as a file.
func TestWorkspacesWithLevelsOfTheirOwn(t *testing.T) {
	each(t, func(t *testing.T, s *server) {
		s.people()
		crew, _ := s.team("acme", "crew", nil)
		s.team("acme", "tess", &tfe.OrganizationAccessOptions{ManageTeams: tfe.Bool(true)})
		for i := range 101 {
			s.grant(crew, s.workspace("acme", fmt.Sprintf("cell-%03d", i)), tfe.AccessPlan)
		}
		owner, manager := s.signIn("olga"), s.signIn("tess")
		const path = "/app/acme/access?rows=workspaces"
		owner.get(path).want(t, 200).has(t, `aria-label="crew on cell-000: plan"`, `aria-label="rita on cell-000: nothing of its own"`, ">cell-049<", "102 workspaces have levels of their own", `href="/app/acme/access?page=2&amp;rows=workspaces"`).hasNot(t, ">cell-050<", ">network<", "first 100").inert(t)
		owner.get(path+"&page=3").want(t, 200).has(t, ">cell-100<", `aria-label="rita on network: read"`).hasNot(t, ">cell-099<", "page=4").inert(t)
		owner.get(path+"&page=4").want(t, 200).has(t, `href="`+path+`"`).hasNot(t, "No workspace has levels").inert(t)
		if file := owner.get(path+"&as=csv").want(t, 200).Body; strings.Count(file, "\n") != 103 {
			t.Errorf("the file of all is %q", file)
		}
		owner.get(path+"&search=CELL-1").has(t, ">cell-100<").hasNot(t, ">cell-001<", "first 100").inert(t)
		owner.get(path+"&search=e_l").has(t, "Nothing here is called so.") // no pattern
		manager.get(path).want(t, 200).hasNot(t, "cell-0", ">network<").inert(t)
		owner.get("/app/acme/access").has(t, "101 workspaces of their own", "1 workspace of its own", "102 workspaces have levels of their own").inert(t)
		owner.get("/app/acme/teams/"+crew.ID).want(t, 200).has(t, "0 projects, and 101 workspaces by itself").inert(t)
	})
}
