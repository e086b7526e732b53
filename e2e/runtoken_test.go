package e2e_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/hashicorp/go-tfe"
)

// runToken is a token that acts as a run of a workspace, and the run it stands for.
func (s *server) runToken(workspaceID, issuer string) (id, value string) {
	s.t.Helper()
	issued := s.do("POST", "/workspaces/"+workspaceID+"/actions/issue-run-token", issuer, "").want(s.t, 201)
	return issued.text("data.id"), issued.text("data.attributes.token")
}

// hasState gives a workspace its first state.
func (s *server) hasState(workspaceID string) {
	s.t.Helper()
	s.lock(workspaceID)
	s.give(workspaceID, stateWith(1, 1), 1)
	s.unlock(workspaceID)
}

func (s *server) setWorkspace(id, attributes string) {
	s.t.Helper()
	s.do("PATCH", "/workspaces/"+id, s.Token, `{"data":{"type":"workspaces","attributes":`+attributes+`}}`).want(s.t, 200)
}

func TestRunTokensReadTheStatesThatAreSharedWithThem(t *testing.T) {
	each(t, func(t *testing.T, s *server) {
		ctx := context.Background()
		s.organization("acme")
		s.organization("other")
		network, web, foreign := s.workspace("acme", "network"), s.workspace("acme", "web"), s.workspace("other", "foreign")
		s.hasState(network)
		s.hasState(foreign)
		_, token := s.runToken(web, s.Token)
		current := s.do("GET", "/workspaces/"+network+"/current-state-version", s.Token, "").want(t, 200)
		state, output := current.text("data.id"), current.text("data.relationships.outputs.data.0.id")
		reads := []string{
			"/workspaces/" + network + "/current-state-version",
			"/workspaces/" + network + "/current-state-version-outputs",
			"/workspaces/" + network + "/resources",
			"/state-versions?filter[organization][name]=acme&filter[workspace][name]=network",
			"/state-versions/" + state, "/state-versions/" + state + "/outputs", "/state-version-outputs/" + output,
		}
		all := func(step string, status int) {
			t.Helper()
			for _, path := range reads {
				if got := s.do("GET", path, token, ""); got.Status != status {
					t.Errorf("%s: GET %s: %d, want %d", step, path, got.Status, status)
				}
			}
			s.do("GET", "/organizations/acme/workspaces/network", token, "").want(t, 200)
		}
		consumers := "/workspaces/" + network + "/relationships/remote-state-consumers"
		all("shared with nobody", 404)
		s.do("POST", consumers, s.Token, refs(web)).want(t, 204)
		all("a consumer", 200)
		if url := s.do("GET", reads[0], token, "").text("data.attributes.hosted-state-download-url"); url == "" {
			t.Error("a consumer gets no URL to download the state")
		}
		raw, err := s.client(token).StateVersions.ReadCurrent(ctx, network)
		must(t, err)
		file, err := s.client(token).StateVersions.Download(ctx, raw.DownloadURL)
		must(t, err)
		if !strings.Contains(string(file), "s3cr3t") {
			t.Errorf("the state came as %s", file)
		}
		s.do("DELETE", consumers, s.Token, refs(web)).want(t, 204)
		all("no longer a consumer", 404)
		s.setWorkspace(network, `{"global-remote-state":true}`)
		all("shared with the organization", 200)
		s.setWorkspace(network, `{"global-remote-state":false,"project-remote-state":true}`)
		all("shared with the project", 200)
		project := s.do("POST", "/organizations/acme/projects", s.Token, `{"data":{"type":"projects","attributes":{"name":"apart"}}}`).want(t, 201).text("data.id")
		s.do("PATCH", "/workspaces/"+web, s.Token, `{"data":{"type":"workspaces","relationships":{"project":{"data":{"type":"projects","id":"`+project+`"}}}}}`).want(t, 200)
		all("of another project", 404)
		s.do("POST", consumers, s.Token, refs(web)).want(t, 204)
		all("a consumer of what is shared with a project", 404)
		s.setWorkspace(network, `{"project-remote-state":false}`)
		all("a consumer again", 200)

		s.setWorkspace(foreign, `{"global-remote-state":true}`)
		s.do("GET", "/workspaces/"+foreign+"/current-state-version", token, "").want(t, 404)
		s.do("GET", "/organizations/other/workspaces/foreign", token, "").want(t, 404)
		s.do("GET", "/organizations/acme/workspaces/nowhere", token, "").want(t, 404)
		s.do("POST", "/organizations/acme/workspaces", token, `{"data":{"type":"workspaces","attributes":{"name":"made"}}}`).want(t, 404)
	})
}

// TestRunTokensAreToldWhatIsSharedWithThem compares what a document says of its rights, and
// includes, with what the token may really read.
func TestRunTokensAreToldWhatIsSharedWithThem(t *testing.T) {
	each(t, func(t *testing.T, s *server) {
		s.organization("acme")
		web, consumed, global, project, apart := s.workspace("acme", "web"), s.workspace("acme", "consumed"), s.workspace("acme", "global"), s.workspace("acme", "project"), s.workspace("acme", "apart")
		for _, id := range []string{web, consumed, global, project, apart} {
			s.hasState(id)
		}
		s.do("POST", "/workspaces/"+consumed+"/relationships/remote-state-consumers", s.Token, refs(web)).want(t, 204)
		s.setWorkspace(global, `{"global-remote-state":true}`)
		s.setWorkspace(project, `{"project-remote-state":true}`)
		_, token := s.runToken(web, s.Token)
		const include = "?include=outputs,current_state_version"
		list := s.do("GET", "/organizations/acme/workspaces"+include, token, "").want(t, 200)
		readable := 0
		for i, name := range []string{"apart", "consumed", "global", "project", "web"} {
			one := s.do("GET", "/organizations/acme/workspaces/"+name+include, token, "").want(t, 200)
			may := s.do("GET", "/workspaces/"+one.text("data.id")+"/current-state-version", token, "").Status == 200
			if may != (name != "apart") {
				t.Errorf("%s: may read the state: %t", name, may)
			}
			if may {
				readable++
			}
			for _, permission := range []string{"can-read-state-versions", "can-read-state-outputs"} {
				for where, said := range map[string]any{
					"alone":     one.at("data.attributes.permissions." + permission),
					"in a list": list.at(fmt.Sprintf("data.%d.attributes.permissions.%s", i, permission)),
				} {
					if said != may {
						t.Errorf("%s %s: %s is %v, and the state is read: %t", name, where, permission, said, may)
					}
				}
			}
			included, _ := one.at("included").([]any)
			if want := map[bool]int{true: 3}[may]; len(included) != want {
				t.Errorf("%s: %d resources included, want %d", name, len(included), want)
			}
			if one.at("data.attributes.permissions.can-update") != false || one.at("data.attributes.permissions.can-create-state-versions") != (name == "web") {
				t.Errorf("%s: more is told than is shared: %s", name, one.Body)
			}
		}
		if included, _ := list.at("included").([]any); len(included) != 3*readable {
			t.Errorf("%d resources included with the list, want %d", len(included), 3*readable)
		}
	})
}

func TestRunTokensActAsTheirRun(t *testing.T) {
	each(t, func(t *testing.T, s *server) {
		ctx := context.Background()
		s.organization("acme")
		web, network := s.workspace("acme", "web"), s.workspace("acme", "network")
		_, token := s.runToken(web, s.Token)
		c := s.client(token)
		locked, err := c.Workspaces.Lock(ctx, web, tfe.WorkspaceLockOptions{})
		must(t, err)
		run := locked.LockedBy.Run
		if run == nil || !strings.HasPrefix(run.ID, "run-") {
			t.Fatalf("locked by %+v", locked.LockedBy)
		}
		if _, err := s.admin().Workspaces.Unlock(ctx, web); !errors.Is(err, tfe.ErrWorkspaceLockedByRun) {
			t.Errorf("unlocking a run's lock: %v", err)
		}
		unlock := s.do("POST", "/workspaces/"+web+"/actions/unlock", s.Token, "").want(t, 409)
		if !strings.Contains(unlock.Body, "is locked by Run "+run.ID) {
			t.Errorf("unlocking a run's lock: %s", unlock.Body)
		}
		raw := stateWith(1, 1)
		made, err := c.StateVersions.Upload(ctx, web, tfe.StateVersionUploadOptions{
			StateVersionCreateOptions: tfe.StateVersionCreateOptions{Lineage: tfe.String(lineage), MD5: tfe.String(md5Of(raw)), Serial: tfe.Int64(1)},
			RawState:                  raw,
		})
		must(t, err)
		if made.Run == nil || made.Run.ID != run.ID {
			t.Errorf("the state is of run %+v, want %s", made.Run, run.ID)
		}
		_, err = c.Workspaces.Unlock(ctx, web)
		must(t, err)
		if _, err := c.StateVersions.ReadCurrent(ctx, web); err != nil {
			t.Errorf("its own state: %v", err)
		}
		s.do("GET", "/organizations/acme/entitlement-set", token, "").want(t, 200)
		for _, refused := range []struct{ method, path, body string }{
			{"POST", "/workspaces/" + network + "/actions/lock", ""},
			{"POST", "/workspaces/" + web + "/actions/force-unlock", ""},
			{"POST", "/workspaces/" + web + "/actions/issue-run-token", ""},
			{"PATCH", "/workspaces/" + web, `{"data":{"type":"workspaces","attributes":{"description":"x"}}}`},
			{"DELETE", "/workspaces/" + web, ""},
			{"POST", "/workspaces/" + web + "/relationships/remote-state-consumers", refs(network)},
			{"PATCH", "/organizations/acme", `{"data":{"type":"organizations","attributes":{"email":"a@example.com"}}}`},
			{"POST", "/organizations/acme/projects", `{"data":{"type":"projects","attributes":{"name":"x"}}}`},
			{"POST", "/organizations", `{"data":{"type":"organizations","attributes":{"name":"mine","email":"a@example.com"}}}`},
			{"POST", "/workspaces/" + web + "/relationships/data-retention-policy", `{"data":{"type":"data-retention-policy-dont-deletes"}}`},
			{"GET", "/admin/users", ""},
			{"GET", "/organizations/acme/teams", ""},
			{"GET", "/workspaces/" + web + "/vars", ""},
		} {
			if got := s.do(refused.method, refused.path, token, refused.body); got.Status != 404 {
				t.Errorf("%s %s: %d %s", refused.method, refused.path, got.Status, got.Body)
			}
		}
	})
}

func TestRunTokensEnd(t *testing.T) {
	each(t, func(t *testing.T, s *server) {
		s.organization("acme")
		web := s.workspace("acme", "web")
		issue := "/workspaces/" + web + "/actions/issue-run-token"
		body := func(at time.Time) string {
			return fmt.Sprintf(`{"data":{"type":"authentication-tokens","attributes":{"description":"nightly","expired-at":%q}}}`, at.Format(time.RFC3339))
		}
		given := s.do("POST", issue, s.Token, body(time.Now().Add(23*time.Hour))).want(t, 201)
		if given.text("data.attributes.description") != "nightly" || given.text("data.attributes.expired-at") == "" {
			t.Errorf("issued %s", given.Body)
		}
		for _, at := range []time.Time{time.Now().Add(25 * time.Hour), time.Now().Add(-time.Hour)} {
			if got := s.do("POST", issue, s.Token, body(at)).want(t, 422); got.text("errors.0.source.pointer") != "/data/attributes/expired-at" {
				t.Errorf("until %v: %s", at, got.Body)
			}
		}
		id, revoked := s.runToken(web, s.Token)
		s.do("GET", "/authentication-tokens/"+id, revoked, "").want(t, 404)
		s.do("DELETE", "/authentication-tokens/"+id, s.Token, "").want(t, 204)
		s.do("GET", "/workspaces/"+web, revoked, "").want(t, 401)
		_, theirs := s.team("acme", "planner", &tfe.OrganizationAccessOptions{ManageWorkspaces: tfe.Bool(true)})
		_, issued := s.runToken(web, theirs)
		planner := s.do("GET", "/account/details", theirs, "").want(t, 200).text("data.id")
		s.do("POST", "/admin/users/"+planner+"/actions/suspend", s.Token, "").want(t, 200)
		s.do("GET", "/workspaces/"+web, issued, "").want(t, 401)
		_, token := s.runToken(web, s.Token)
		s.do("GET", "/workspaces/"+web, token, "").want(t, 200)
		s.do("DELETE", "/workspaces/"+web, s.Token, "").want(t, 204)
		s.do("GET", "/organizations/acme/workspaces", token, "").want(t, 401)
	})
}

// grant gives a team a level of access to a workspace.
func (s *server) grant(team *tfe.Team, workspaceID string, level tfe.AccessType) {
	s.t.Helper()
	_, err := s.admin().TeamAccess.Add(context.Background(), tfe.TeamAccessAddOptions{
		Access: &level, Team: team, Workspace: &tfe.Workspace{ID: workspaceID},
	})
	must(s.t, err)
}

func TestWhoMayShareStatesAndIssueRunTokens(t *testing.T) {
	each(t, func(t *testing.T, s *server) {
		s.organization("acme")
		network, web, db := s.workspace("acme", "network"), s.workspace("acme", "web"), s.workspace("acme", "db")
		_, manager := s.team("acme", "steward", &tfe.OrganizationAccessOptions{ManageWorkspaces: tfe.Bool(true)})
		tokens := map[string]string{"manager": manager}
		for _, level := range []tfe.AccessType{tfe.AccessAdmin, tfe.AccessWrite, tfe.AccessPlan, tfe.AccessRead} {
			team, token := s.team("acme", "who-may-"+string(level), nil)
			s.grant(team, network, level)
			s.grant(team, web, tfe.AccessRead)
			tokens[string(level)] = token
		}
		_, tokens["stranger"] = s.user("stranger")
		path := "/workspaces/" + network + "/relationships/remote-state-consumers"
		for who, want := range map[string]struct{ add, replace, list, issue int }{
			"manager": {204, 204, 200, 201}, "admin": {204, 404, 200, 201}, "write": {404, 404, 200, 201},
			"plan": {404, 404, 200, 201}, "read": {404, 404, 200, 404}, "stranger": {404, 404, 404, 404},
		} {
			for call, got := range map[string]struct{ got, want int }{
				"add":     {s.do("POST", path, tokens[who], refs(web)).Status, want.add},
				"remove":  {s.do("DELETE", path, tokens[who], refs(web)).Status, want.add},
				"replace": {s.do("PATCH", path, tokens[who], refs(web)).Status, want.replace},
				"list":    {s.do("GET", path, tokens[who], "").Status, want.list},
				"issue":   {s.do("POST", "/workspaces/"+network+"/actions/issue-run-token", tokens[who], "").Status, want.issue},
			} {
				if got.got != got.want {
					t.Errorf("%s, %s: %d, want %d", who, call, got.got, got.want)
				}
			}
		}
		hidden := s.do("POST", path, tokens["admin"], refs(web, db)).want(t, 422)
		if hidden.text("errors.0.source.pointer") != "/data/1/id" {
			t.Errorf("a consumer that can't be read: %s", hidden.Body)
		}
		s.do("DELETE", path, tokens["admin"], refs(db)).want(t, 422)
		s.do("PATCH", path, s.Token, refs(web, db)).want(t, 204)
		if got := s.consumers(network, tokens["admin"], ""); len(got) != 1 || got[0] != "web" {
			t.Errorf("the list shows %v to who can read only web", got)
		}
		s.setWorkspace(network, `{"global-remote-state":true}`)
		if got := s.consumers(network, tokens["read"], ""); len(got) != 1 || got[0] != "web" {
			t.Errorf("global: the list shows %v to who can read only web", got)
		}
		_, planned := s.runToken(network, tokens["plan"])
		s.do("POST", "/workspaces/"+network+"/actions/lock", planned, "").want(t, 404)
		_, applied := s.runToken(network, tokens["write"])
		s.do("POST", "/workspaces/"+network+"/actions/lock", applied, "").want(t, 200)
	})
}
