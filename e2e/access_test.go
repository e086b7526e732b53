package e2e_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/hashicorp/go-tfe"
)

// powers is everything that a level of access may open on one workspace.
var powers = []string{
	"read", "read-variable", "read-state", "queue-run", "lock", "write-variable", "create-state",
	"update", "force-unlock", "destroy", "create-beside", "update-project",
}

// tried is which of the powers a member has, found by trying each; documented is which
// the permissions objects of the documents promise.
func (s *server) tried(token string, w *tfe.Workspace, projectID string) (tried, documented []string) {
	s.t.Helper()
	ctx, c := context.Background(), s.client(token)
	does := func(name string, err error) {
		if err == nil {
			tried = append(tried, name)
		} else if !errors.Is(err, tfe.ErrResourceNotFound) {
			s.t.Errorf("%s: %v", name, err)
		}
	}
	document := s.do("GET", "/workspaces/"+w.ID, token, "")
	_, err := c.Workspaces.ReadByID(ctx, w.ID)
	does("read", err)
	_, err = c.Variables.List(ctx, w.ID, nil)
	does("read-variable", err)
	_, err = c.StateVersions.ReadCurrent(ctx, w.ID)
	does("read-state", err)
	answer := s.do("POST", "/workspaces/"+w.ID+"/actions/issue-run-token", token, "")
	if answer.Status == http.StatusCreated {
		tried = append(tried, "queue-run")
	}
	if _, err = c.Workspaces.Lock(ctx, w.ID, tfe.WorkspaceLockOptions{}); err != nil {
		s.lock(w.ID)
	}
	does("lock", err)
	_, err = c.Variables.Create(ctx, w.ID, tfe.VariableCreateOptions{Key: tfe.String("k" + fresh()), Category: tfe.Category(tfe.CategoryTerraform)})
	does("write-variable", err)
	_, err = c.StateVersions.Create(ctx, w.ID, tfe.StateVersionCreateOptions{
		Lineage: tfe.String(lineage), MD5: tfe.String(md5Of(stateWith(2, 0))), Serial: tfe.Int64(2),
	})
	does("create-state", err)
	_, err = c.Workspaces.UpdateByID(ctx, w.ID, tfe.WorkspaceUpdateOptions{Description: tfe.String("d")})
	does("update", err)
	_, err = c.Workspaces.ForceUnlock(ctx, w.ID)
	does("force-unlock", err)
	if err != nil {
		_, err = s.admin().Workspaces.ForceUnlock(ctx, w.ID)
		must(s.t, err)
	}
	does("destroy", c.Workspaces.SafeDeleteByID(ctx, w.ID))
	_, err = c.Workspaces.Create(ctx, "acme", tfe.WorkspaceCreateOptions{Name: tfe.String("beside-" + fresh()), Project: &tfe.Project{ID: projectID}})
	does("create-beside", err)
	_, err = c.Projects.Update(ctx, projectID, tfe.ProjectUpdateOptions{Description: tfe.String("d")})
	does("update-project", err)
	return tried, promised(document)
}

// promised is what the document of a workspace says that its reader may do.
func promised(document reply) (list []string) {
	for i, name := range []string{
		"can-read-settings", "can-read-variable", "can-read-state-versions", "can-queue-run", "can-lock", "can-update-variable",
		"can-create-state-versions", "can-update", "can-force-unlock", "can-destroy",
	} {
		if document.at("data.attributes.permissions."+name) == true {
			list = append(list, powers[i])
		}
	}
	return list
}

var made atomic.Int64

// fresh is a part of a name that no other has.
func fresh() string { return fmt.Sprint(made.Add(1)) }

func TestEachLevelDoesExactlyWhatItShould(t *testing.T) {
	const (
		read  = "read read-variable read-state"
		plan  = read + " queue-run"
		write = plan + " lock write-variable create-state"
		admin = write + " update force-unlock destroy"
	)
	levels := []struct {
		name, workspace, project, want string
	}{
		{"workspace read", "read", "", read},
		{"workspace plan", "plan", "", plan},
		{"workspace write", "write", "", write},
		{"workspace admin", "admin", "", admin},
		{"workspace custom", "custom", "", "read queue-run lock"},
		{"project read", "", "read", read},
		{"project write", "", "write", write},
		{"project maintain", "", "maintain", admin + " create-beside"},
		{"project admin", "", "admin", admin + " create-beside update-project"},
		{"project custom", "", "custom", "read read-variable destroy create-beside"},
		{"both add up", "plan", "custom", plan + " destroy create-beside"},
	}
	each(t, func(t *testing.T, s *server) {
		ctx, c := context.Background(), s.admin()
		s.organization("acme")
		project, err := c.Projects.Create(ctx, "acme", tfe.ProjectCreateOptions{Name: "billing"})
		must(t, err)
		for i, level := range levels {
			w, err := c.Workspaces.Create(ctx, "acme", tfe.WorkspaceCreateOptions{Name: tfe.String(fmt.Sprintf("w%d", i)), Project: project})
			must(t, err)
			s.lock(w.ID)
			s.give(w.ID, stateWith(1, 0), 1)
			s.unlock(w.ID)
			team, token := s.team("acme", fmt.Sprintf("team%d", i), nil)
			if level.workspace != "" {
				options := tfe.TeamAccessAddOptions{Access: tfe.Access(tfe.AccessType(level.workspace)), Team: team, Workspace: w}
				if level.workspace == "custom" {
					options.Runs, options.WorkspaceLocking = tfe.RunsPermission(tfe.RunsPermissionPlan), tfe.Bool(true)
				}
				_, err = c.TeamAccess.Add(ctx, options)
				must(t, err)
			}
			if level.project != "" {
				options := tfe.TeamProjectAccessAddOptions{Access: tfe.TeamProjectAccessType(level.project), Team: team, Project: project}
				if level.project == "custom" {
					variables := tfe.WorkspaceVariablesPermissionRead
					options.WorkspaceAccess = &tfe.TeamProjectAccessWorkspacePermissionsOptions{Variables: &variables, Create: tfe.Bool(true), Delete: tfe.Bool(true)}
				}
				_, err = c.TeamProjectAccess.Add(ctx, options)
				must(t, err)
			}
			tried, documented := s.tried(token, w, project.ID)
			if got := strings.Join(tried, " "); got != level.want {
				t.Errorf("%s: does %s, should do %s", level.name, got, level.want)
			}
			for _, power := range powers[:10] {
				if slices.Contains(tried, power) != slices.Contains(documented, power) {
					t.Errorf("%s: %s is done %v, the document says %v", level.name, power, slices.Contains(tried, power), slices.Contains(documented, power))
				}
			}
		}
	})
}

// readOnly says that an answer refuses a part of a fixed level, as clients know it.
func readOnly(t *testing.T, answer reply, attribute, called, level string) {
	t.Helper()
	answer.want(t, 422)
	want := called + " is read-only when access level is '" + level + "'; use the 'custom' access level to set this attribute."
	if answer.text("errors.0.detail") != want || answer.text("errors.0.source.pointer") != "/data/attributes/"+attribute {
		t.Errorf("%s of level %s: %s", attribute, level, answer.Body)
	}
}

func TestTeamAccessIsShownAndRefused(t *testing.T) {
	each(t, func(t *testing.T, s *server) {
		ctx, c := context.Background(), s.admin()
		s.organization("acme")
		w := s.workspaceOf("acme", "network")
		team, token := s.team("acme", "ops", nil)
		s.do("GET", "/team-workspaces", s.Token, "").want(t, 400)
		s.do("GET", "/team-projects", s.Token, "").want(t, 400)
		s.do("POST", "/team-workspaces", s.Token, `{"data":{"attributes":{"access":"loud"}}}`).want(t, 422)
		body := `{"data":{"attributes":{"access":"read","runs":"apply"},"relationships":{"team":{"data":{"id":"` + team.ID + `"}},"workspace":{"data":{"id":"` + w.ID + `"}}}}}`
		readOnly(t, s.do("POST", "/team-workspaces", s.Token, body), "runs", "Runs", "read")
		both := strings.Replace(body, `"runs"`, `"workspace-locking":true,"runs"`, 1)
		readOnly(t, s.do("POST", "/team-workspaces", s.Token, both), "runs", "Runs", "read")
		if len(s.do("POST", "/team-workspaces", s.Token, both).at("errors").([]any)) != 2 {
			t.Error("only one of two parts of a fixed level is named")
		}
		access, err := c.TeamAccess.Add(ctx, tfe.TeamAccessAddOptions{Access: tfe.Access(tfe.AccessAdmin), Team: team, Workspace: w})
		must(t, err)
		if access.Runs != tfe.RunsPermissionApply || access.StateVersions != tfe.StateVersionsPermissionWrite || !access.RunTasks || !access.WorkspaceLocking {
			t.Errorf("what admin amounts to: %+v", access)
		}
		s.do("POST", "/team-workspaces", s.Token, strings.Replace(body, `,"runs":"apply"`, "", 1)).want(t, 422)
		access, err = c.TeamAccess.Update(ctx, access.ID, tfe.TeamAccessUpdateOptions{Access: tfe.Access(tfe.AccessCustom), Runs: tfe.RunsPermission(tfe.RunsPermissionPlan)})
		must(t, err)
		if access.Runs != tfe.RunsPermissionPlan || access.Variables != tfe.VariablesPermissionWrite || !access.WorkspaceLocking {
			t.Errorf("custom keeps what is not named: %+v", access)
		}
		list, err := s.client(token).TeamAccess.List(ctx, &tfe.TeamAccessListOptions{WorkspaceID: w.ID})
		must(t, err)
		if len(list.Items) != 1 || list.Items[0].Team.ID != team.ID {
			t.Errorf("a member sees its own team's access: %+v", list.Items)
		}
		must(t, c.TeamAccess.Remove(ctx, access.ID))
		s.do("GET", "/workspaces/"+w.ID, token, "").want(t, 404)
	})
}

// TestListsHoldWhatTheTokenMayRead asks for lists as a member who sees some workspaces
// twice over, through a project and on their own, and as one who sees most of them.
func TestListsHoldWhatTheTokenMayRead(t *testing.T) {
	each(t, func(t *testing.T, s *server) {
		ctx, c := context.Background(), s.admin()
		s.organization("acme")
		project, err := c.Projects.Create(ctx, "acme", tfe.ProjectCreateOptions{Name: "billing"})
		must(t, err)
		team, token := s.team("acme", "ops", nil)
		for i := range 130 {
			options := tfe.WorkspaceCreateOptions{Name: tfe.String(fmt.Sprintf("w%03d", i))}
			if i%2 == 0 {
				options.Project = project
			}
			w, err := c.Workspaces.Create(ctx, "acme", options)
			must(t, err)
			if i < 4 {
				_, err = c.TeamAccess.Add(ctx, tfe.TeamAccessAddOptions{Access: tfe.Access(tfe.AccessRead), Team: team, Workspace: w})
				must(t, err)
			}
		}
		list := func(query, total, names string) {
			t.Helper()
			got := s.do("GET", "/organizations/acme/workspaces?page%5Bsize%5D=3"+query, token, "").want(t, 200)
			var found []string
			for i := range 3 {
				found = append(found, got.text(fmt.Sprintf("data.%d.attributes.name", i)))
			}
			if fmt.Sprint(got.at("meta.pagination.total-count")) != total || strings.TrimSpace(strings.Join(found, " ")) != names {
				t.Errorf("%s: %v of %v", query, found, got.at("meta.pagination.total-count"))
			}
		}
		list("", "4", "w000 w001 w002")
		list("&page%5Bnumber%5D=2", "4", "w003")
		_, err = c.TeamProjectAccess.Add(ctx, tfe.TeamProjectAccessAddOptions{Access: tfe.TeamProjectAccessRead, Team: team, Project: project})
		must(t, err)
		list("", "67", "w000 w001 w002")
		list("&sort=-name", "67", "w128 w126 w124")
		list("&search%5Bname%5D=w12", "5", "w120 w122 w124")
		list("&filter%5Bproject%5D%5Bid%5D="+project.ID, "65", "w000 w002 w004")
		for i := range 60 {
			w, err := c.Workspaces.Create(ctx, "acme", tfe.WorkspaceCreateOptions{Name: tfe.String(fmt.Sprintf("x%03d", i)), Project: project})
			must(t, err)
			if i == 0 {
				s.do("DELETE", "/workspaces/"+w.ID, s.Token, "").want(t, 204)
			}
		}
		list("", "126", "w000 w001 w002")
		list("&sort=-name", "126", "x059 x058 x057")
		projects := s.do("GET", "/organizations/acme/projects?filter%5Bpermissions%5D%5Bcreate-workspace%5D=true", token, "").want(t, 200)
		all := s.do("GET", "/organizations/acme/projects", token, "").want(t, 200)
		if projects.at("meta.pagination.total-count") != 0.0 || all.at("meta.pagination.total-count") != 1.0 {
			t.Errorf("projects: %s %s", projects.Body, all.Body)
		}
	})
}

// TestAccessIsReadOnce pins that who may do what costs at most one statement, and none
// the second time.
func TestAccessIsReadOnce(t *testing.T) {
	each(t, func(t *testing.T, s *server) {
		ctx, c := context.Background(), s.admin()
		s.organization("acme")
		w := s.workspaceOf("acme", "network")
		first, token := s.team("acme", "first", nil)
		must(t, c.TeamMembers.Add(ctx, first.ID, tfe.TeamMemberAddOptions{Usernames: []string{"first"}}))
		for i := range 6 {
			team, err := c.Teams.Create(ctx, "acme", tfe.TeamCreateOptions{Name: tfe.String(fmt.Sprintf("more%d", i))})
			must(t, err)
			must(t, c.TeamMembers.Add(ctx, team.ID, tfe.TeamMemberAddOptions{Usernames: []string{"first"}}))
			_, err = c.TeamAccess.Add(ctx, tfe.TeamAccessAddOptions{Access: tfe.Access(tfe.AccessRead), Team: team, Workspace: w})
			must(t, err)
		}
		for _, path := range []string{"/workspaces/" + w.ID, "/organizations/acme/workspaces", "/organizations/acme/teams"} {
			cold := 1 << 30
			for range 5 { // work in the background may add to a reading
				_, err := c.Teams.Create(ctx, "acme", tfe.TeamCreateOptions{Name: tfe.String("cold" + fresh())}) // what was kept is read again
				must(t, err)
				before := s.statements()
				s.do("GET", path, token, "").want(t, 200)
				cold = min(cold, s.statements()-before)
			}
			owner, member := s.cost("GET", path, s.Token), s.cost("GET", path, token)
			if member > owner+1 || cold > owner+3 {
				t.Errorf("%s: an owner costs %d statements, a member of seven teams %d, the first time %d", path, owner, member, cold)
			}
		}
		// Another team changes nothing for what was kept but to read it again, once.
		_, err := c.Teams.Create(ctx, "acme", tfe.TeamCreateOptions{Name: tfe.String("last")})
		must(t, err)
		s.do("GET", "/workspaces/"+w.ID, token, "").want(t, 200)
	})
}

// TestRightsEndAtOnce takes rights away in every way there is.
func TestRightsEndAtOnce(t *testing.T) {
	each(t, func(t *testing.T, s *server) {
		ctx, c := context.Background(), s.admin()
		s.organization("acme")
		w := s.workspaceOf("acme", "network")
		team, token := s.team("acme", "ops", nil)
		path := "/workspaces/" + w.ID
		given := func() *tfe.TeamAccess {
			access, err := c.TeamAccess.Add(ctx, tfe.TeamAccessAddOptions{Access: tfe.Access(tfe.AccessRead), Team: team, Workspace: w})
			must(t, err)
			s.do("GET", path, token, "").want(t, 200)
			return access
		}
		must(t, c.TeamAccess.Remove(ctx, given().ID))
		s.do("GET", path, token, "").want(t, 404)
		given()
		must(t, c.TeamMembers.Remove(ctx, team.ID, tfe.TeamMemberRemoveOptions{Usernames: []string{"ops"}}))
		s.do("GET", path, token, "").want(t, 404)
		must(t, c.TeamMembers.Add(ctx, team.ID, tfe.TeamMemberAddOptions{Usernames: []string{"ops"}}))
		s.do("GET", path, token, "").want(t, 200)
		must(t, c.Teams.Delete(ctx, team.ID))
		s.do("GET", path, token, "").want(t, 404)
	})
}

// TestMovingNeedsAdminOfBothProjects moves workspaces by the project's own route.
func TestMovingNeedsAdminOfBothProjects(t *testing.T) {
	each(t, func(t *testing.T, s *server) {
		ctx, c := context.Background(), s.admin()
		s.organization("acme")
		team, token := s.team("acme", "ops", nil)
		project := func(name string, level tfe.TeamProjectAccessType) *tfe.Project {
			p, err := c.Projects.Create(ctx, "acme", tfe.ProjectCreateOptions{Name: name})
			must(t, err)
			if level != "" {
				_, err = c.TeamProjectAccess.Add(ctx, tfe.TeamProjectAccessAddOptions{Access: level, Team: team, Project: p})
				must(t, err)
			}
			return p
		}
		own, other, seen, unseen := project("own", tfe.TeamProjectAccessAdmin), project("other", tfe.TeamProjectAccessAdmin), project("seen", tfe.TeamProjectAccessMaintain), project("unseen", "")
		w, err := c.Workspaces.Create(ctx, "acme", tfe.WorkspaceCreateOptions{Name: tfe.String("network"), Project: own})
		must(t, err)
		move := func(to *tfe.Project, status int) {
			t.Helper()
			s.do("POST", "/projects/"+to.ID+"/relationships/workspaces", token, `{"data":[{"type":"workspaces","id":"`+w.ID+`"}]}`).want(t, status)
		}
		move(seen, 403)
		move(unseen, 404)
		move(other, 204)
		move(other, 204)
		if got := s.do("GET", "/workspaces/"+w.ID, token, ""); got.text("data.relationships.project.data.id") != other.ID {
			t.Errorf("moved: %s", got.Body)
		}
		s.do("PATCH", "/workspaces/"+w.ID, token, `{"data":{"type":"workspaces","relationships":{"project":{"data":{"type":"projects","id":"`+seen.ID+`"}}}}}`).want(t, 404)
		_, manager := s.team("acme", "managers", &tfe.OrganizationAccessOptions{ManageWorkspaces: tfe.Bool(true)})
		body := `{"data":[{"type":"workspaces","id":"` + w.ID + `"}]}`
		if r := s.do("POST", "/projects/"+own.ID+"/relationships/workspaces", manager, body).want(t, 403); !strings.Contains(r.Body,
			"Workspace(s) not found, or user is not authorized to move workspaces to project") {
			t.Errorf("a workspace that may not be moved: %s", r.Body)
		}
		s.do("PATCH", "/workspaces/"+w.ID, manager, `{"data":{"type":"workspaces","relationships":{"project":{"data":{"type":"projects","id":"`+own.ID+`"}}}}}`).want(t, 404)
		if can := s.do("GET", "/projects/"+own.ID, manager, "").at("data.attributes.permissions.can-move-workspace"); can != false {
			t.Errorf("can-move-workspace of one who manages workspaces only: %v", can)
		}
		s.do("POST", "/projects/"+own.ID+"/relationships/workspaces", token, `{"data":[{"type":"workspaces","id":"ws-0000000000000000"}]}`).want(t, 403)
		for wrong, at := range map[string]string{
			`{}`: "/data", `{"data":{}}`: "/data", `{"data":[{"type":"projects","id":"` + w.ID + `"}]}`: "/data/0/type",
			`{"data":[{"type":"workspaces"}]}`: "/data/0/id", `{"data":[{"type":"workspaces","id":7}]}`: "/data/0/id",
		} {
			if got := s.do("POST", "/projects/"+own.ID+"/relationships/workspaces", token, wrong).want(t, 422); got.text("errors.0.source.pointer") != at {
				t.Errorf("%s is refused with %s", wrong, got.Body)
			}
		}
	})
}

// TestNoSecretIsLogged does what makes and uses secrets, and looks for each in the log.
func TestNoSecretIsLogged(t *testing.T) {
	each(t, func(t *testing.T, s *server) {
		ctx, c := context.Background(), s.admin()
		s.organization("acme")
		w := s.workspaceOf("acme", "network")
		team, token := s.team("acme", "ops", nil)
		teamToken, err := c.TeamTokens.Create(ctx, team.ID)
		must(t, err)
		organizationToken, err := c.OrganizationTokens.Create(ctx, "acme")
		must(t, err)
		_, err = c.SSHKeys.Create(ctx, "acme", tfe.SSHKeyCreateOptions{Name: tfe.String("k"), Value: tfe.String("ssh-key-in-confidence")})
		must(t, err)
		_, err = c.Variables.Create(ctx, w.ID, tfe.VariableCreateOptions{Key: tfe.String("p"), Value: tfe.String("variable-in-confidence"), Category: tfe.Category(tfe.CategoryEnv), Sensitive: tfe.Bool(true)})
		must(t, err)
		runToken := s.do("POST", "/workspaces/"+w.ID+"/actions/issue-run-token", s.Token, "").want(t, 201).text("data.attributes.token")
		_, personal := s.person("ann")
		secrets := []string{
			s.Token, token, teamToken.Token, organizationToken.Token, runToken, personal, password, "password-in-confidence",
			"ssh-key-in-confidence", "variable-in-confidence", "wrong-in-confidence", "state-in-confidence",
		}
		for _, used := range []string{token, teamToken.Token, organizationToken.Token, runToken, "wrong-in-confidence"} {
			for _, path := range []string{"/account/details", "/organizations/acme", "/workspaces/" + w.ID, "/no-such-path?token=wrong-in-confidence"} {
				s.do("GET", path, used, "")
			}
		}
		s.do("PATCH", "/account/password", personal, `{"data":{"type":"users","attributes":{"current_password":"wrong-in-confidence","password":"password-in-confidence","password_confirmation":"password-in-confidence"}}}`)
		s.do("POST", "/admin/users", s.Token, `{"data":{"type":"users","attributes":{"username":"a b","password":"password-in-confidence"}}}`).want(t, 422)
		s.do("POST", "/workspaces/"+w.ID+"/state-versions", s.Token, `{"data":{"attributes":{"state":"state-in-confidence"}}}`)
		s.do("POST", "/organizations/acme/ssh-keys", s.Token, `{"data":{"attributes":{"name":7,"value":"ssh-key-in-confidence"`)
		s.stop()
		for _, secret := range secrets {
			if secret == "" || strings.Contains(s.logs.String(), secret) {
				t.Errorf("the log holds the secret %q", secret)
			}
		}
	})
}
