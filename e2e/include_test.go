package e2e_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/hashicorp/go-tfe"
)

// included is the types and ids of what a document includes, in order; "none" when the
// member is absent.
func included(got reply) string {
	list, ok := got.at("included").([]any)
	if !ok {
		return "none"
	}
	var refs []string
	for _, item := range list {
		resource, _ := item.(map[string]any)
		refs = append(refs, fmt.Sprintf("%s/%s", resource["type"], resource["id"]))
	}
	slices.Sort(refs)
	return strings.Join(refs, " ")
}

func TestIncludeOnWorkspaces(t *testing.T) {
	each(t, func(t *testing.T, s *server) {
		ctx, c := context.Background(), s.admin()
		s.organization("acme")
		project, err := c.Projects.Create(ctx, "acme", tfe.ProjectCreateOptions{Name: "platform", TagBindings: bindings("cost=42")})
		must(t, err)
		pool, err := c.AgentPools.Create(ctx, "acme", tfe.AgentPoolCreateOptions{Name: tfe.String("agents")})
		must(t, err)
		inside := func(o *tfe.WorkspaceCreateOptions) { o.Project = project }
		one := s.newWorkspace("acme", "one", inside, bound("env=prod"), func(o *tfe.WorkspaceCreateOptions) {
			o.ExecutionMode, o.AgentPoolID = tfe.String("agent"), tfe.String(pool.ID)
		})
		two := s.newWorkspace("acme", "two", inside)
		variable, err := c.Variables.Create(ctx, one.ID, tfe.VariableCreateOptions{Key: tfe.String("k"), Value: tfe.String("v"), Category: tfe.Category(tfe.CategoryEnv)})
		must(t, err)
		_, err = c.Workspaces.Lock(ctx, one.ID, tfe.WorkspaceLockOptions{})
		must(t, err)
		me := s.do("GET", "/account/details", s.Token, "").text("data.id")
		effective := s.do("GET", "/workspaces/"+one.ID+"/effective-tag-bindings", s.Token, "")
		env, cost := "effective-tag-bindings/"+effective.text("data.0.id"), "effective-tag-bindings/"+effective.text("data.1.id")
		both := []string{cost, env}
		slices.Sort(both)

		show, list := "/workspaces/"+one.ID+"?include=", "/organizations/acme/workspaces?include="
		for path, want := range map[string]string{
			"/workspaces/" + one.ID: "none",
			show:                    "none",
			"/organizations/acme/workspaces/one?include=organization": "organizations/acme",
			show + "project":   "projects/" + project.ID,
			list + "project":   "projects/" + project.ID, // once for both
			show + "locked_by": "users/" + me,
			show + "locked-by&include=locked_by,locked_by":                "users/" + me,
			"/workspaces/" + two.ID + "?include=locked_by":                "",
			show + "agent_pool":                                           "agent-pools/" + pool.ID,
			show + "vars":                                                 "vars/" + variable.ID,
			show + "effective_tag_bindings":                               strings.Join(both, " "),
			list + "effective_tag_bindings":                               strings.Join(both, " "),
			show + "organization,%20project":                              "organizations/acme projects/" + project.ID,
			show + "outputs":                                              "",
			show + "readme":                                               "",
			show + "current_run,current_run.plan":                         "",
			show + "current_run.configuration_version":                    "",
			show + "current_configuration_version":                        "",
			show + "current-state-version,latest_run.apply":               "",
			show + "current_assessment_result":                            "",
			"/projects/" + project.ID + "?include=effective_tag_bindings": cost,
			"/projects/" + project.ID:                                     "none",
		} {
			if got := included(s.do("GET", path, s.Token, "").want(t, 200)); got != want {
				t.Errorf("%s includes %q, want %q", path, got, want)
			}
		}
		for _, path := range []string{show, list, "/workspaces/" + one.ID + "/relationships/remote-state-consumers?include="} {
			refused := s.do("GET", path+"project,nonsense", s.Token, "").want(t, 400)
			wantText(t, path, refused.text("errors.0.title"), "Invalid include parameter")
		}
		for _, path := range []string{show + "current_run.configuration_version.ingress_attributes", show + "current_configuration_version.ingress_attributes"} {
			s.do("GET", path, s.Token, "").want(t, 200)
		}
		s.do("POST", "/workspaces/"+one.ID+"/actions/unlock?include=nonsense", s.Token, "").want(t, 200)
	})
}

func TestIncludedBindingsAreLinked(t *testing.T) {
	each(t, func(t *testing.T, s *server) {
		ctx, c := context.Background(), s.admin()
		s.organization("acme")
		project, err := c.Projects.Create(ctx, "acme", tfe.ProjectCreateOptions{Name: "platform", TagBindings: bindings("cost=42")})
		must(t, err)
		w := s.newWorkspace("acme", "one", bound("env=prod"), func(o *tfe.WorkspaceCreateOptions) { o.Project = project })
		got, err := c.Workspaces.ReadByIDWithOptions(ctx, w.ID, &tfe.WorkspaceReadOptions{Include: []tfe.WSIncludeOpt{tfe.WSEffectiveTagBindings, tfe.WSProject}})
		must(t, err)
		if len(got.EffectiveTagBindings) != 2 || got.EffectiveTagBindings[1].Value != "42" || got.EffectiveTagBindings[1].Links["inherited-from"] == nil ||
			got.EffectiveTagBindings[0].Key != "env" || got.EffectiveTagBindings[0].Links != nil || got.Project.Name != "platform" {
			t.Errorf("included: %+v %+v", got.EffectiveTagBindings, got.Project)
		}
		byName, err := c.Workspaces.ReadWithOptions(ctx, "acme", "one", &tfe.WorkspaceReadOptions{Include: []tfe.WSIncludeOpt{tfe.WSEffectiveTagBindings}})
		must(t, err)
		if len(byName.EffectiveTagBindings) != 2 {
			t.Errorf("by name: %+v", byName.EffectiveTagBindings)
		}
		p, err := c.Projects.ReadWithOptions(ctx, project.ID, tfe.ProjectReadOptions{Include: []tfe.ProjectIncludeOpt{tfe.ProjectEffectiveTagBindings}})
		must(t, err)
		if len(p.EffectiveTagBindings) != 1 || p.EffectiveTagBindings[0].Key != "cost" {
			t.Errorf("project: %+v", p.EffectiveTagBindings)
		}
	})
}

func TestIncludeShowsOnlyWhatTheCallerMayRead(t *testing.T) {
	each(t, func(t *testing.T, s *server) {
		ctx, c := context.Background(), s.admin()
		s.organization("acme")
		w := s.newWorkspace("acme", "one")
		_, err := c.Variables.Create(ctx, w.ID, tfe.VariableCreateOptions{Key: tfe.String("k"), Value: tfe.String("v"), Category: tfe.Category(tfe.CategoryEnv)})
		must(t, err)
		team, token := s.team("acme", "readers", nil)
		_, err = c.TeamAccess.Add(ctx, tfe.TeamAccessAddOptions{Access: tfe.Access(tfe.AccessCustom), Team: team, Workspace: w,
			Runs: tfe.RunsPermission(tfe.RunsPermissionRead), Variables: tfe.VariablesPermission(tfe.VariablesPermissionNone),
			StateVersions: tfe.StateVersionsPermission(tfe.StateVersionsPermissionNone)})
		must(t, err)
		path := "/workspaces/" + w.ID + "?include=organization,project,vars,outputs,current_state_version,agent_pool"
		if got := included(s.do("GET", path, token, "").want(t, 200)); got != "organizations/acme" {
			t.Errorf("a reader of one workspace sees %q", got)
		}
		if got := included(s.do("GET", path, s.Token, "").want(t, 200)); !strings.Contains(got, "vars/") || !strings.Contains(got, "projects/") {
			t.Errorf("the admin sees %q", got)
		}
	})
}

func TestAPageWithIncludesCostsTheSameStatements(t *testing.T) {
	each(t, func(t *testing.T, s *server) {
		s.organization("acme")
		add := func(i int) {
			s.newWorkspace("acme", fmt.Sprintf("w%03d", i), tagged("prod"), bound(fmt.Sprintf("k%d=v", i)))
		}
		add(0)
		const plain = "/organizations/acme/workspaces?page%5Bsize%5D=100"
		const with = plain + "&include=organization,project,effective_tag_bindings,locked_by,outputs,vars"
		const filtered = plain + "&search%5Btags%5D=prod&filter%5Btagged%5D%5B0%5D%5Bkey%5D=k0"
		one, three, filter := s.cost("GET", plain, s.Token), s.cost("GET", with, s.Token), s.cost("GET", filtered, s.Token)
		for i := range 99 {
			add(i + 1)
		}
		for path, want := range map[string]int{plain: one, with: three, filtered: filter} {
			if cost := s.cost("GET", path, s.Token); cost != want {
				t.Errorf("%s costs %d statements with 100 workspaces and %d with one", path, cost, want)
			}
		}
		if three > one+6 || filter > one+1 {
			t.Errorf("statements: %d plain, %d with includes, %d filtered", one, three, filter)
		}
	})
}

func TestIncludedOutputsHideSensitiveValues(t *testing.T) {
	each(t, func(t *testing.T, s *server) {
		ctx, c := context.Background(), s.admin()
		s.organization("acme")
		w := s.newWorkspace("acme", "one")
		s.lock(w.ID)
		state := s.give(w.ID, stateWith(1, 1), 1)
		s.unlock(w.ID)
		got := s.do("GET", "/workspaces/"+w.ID+"?include=outputs,current_state_version,current_state_version.resources_processed", s.Token, "").want(t, 200)
		linked, _ := got.at("data.relationships.outputs.data").([]any)
		if len(linked) != 2 || strings.Count(included(got), "workspace-outputs/") != 2 || !strings.Contains(included(got), "state-versions/"+state.ID) {
			t.Errorf("included %q, linked %v", included(got), linked)
		}
		if strings.Contains(got.Body, "s3cr3t") || !strings.Contains(got.Body, "10.0.0.1") {
			t.Errorf("values: %s", got.Body)
		}
		read, err := c.Workspaces.ReadByIDWithOptions(ctx, w.ID, &tfe.WorkspaceReadOptions{Include: []tfe.WSIncludeOpt{tfe.WSOutputs, tfe.WSCurrentStateVer}})
		must(t, err)
		if len(read.Outputs) != 2 || read.Outputs[0].Name == "" || read.CurrentStateVersion.Serial != 1 {
			t.Errorf("through go-tfe: %+v %+v", read.Outputs, read.CurrentStateVersion)
		}
	})
}
