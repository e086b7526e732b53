package e2e_test

import (
	"context"
	"testing"

	"github.com/hashicorp/go-tfe"
)

// TestProviderBodiesOfAWorkspace sends what the tfe provider sends for one workspace from
// creation to deletion, in its order: it gives every attribute, the empty ones too.
func TestProviderBodiesOfAWorkspace(t *testing.T) {
	each(t, func(t *testing.T, s *server) {
		ctx, c := context.Background(), s.admin()
		s.organization("acme")
		pool, err := c.AgentPools.Create(ctx, "acme", tfe.AgentPoolCreateOptions{Name: tfe.String("builders")})
		must(t, err)
		w, err := c.Workspaces.Create(ctx, "acme", tfe.WorkspaceCreateOptions{
			Name: tfe.String("network"), AllowDestroyPlan: tfe.Bool(true), AutoApply: tfe.Bool(false), AutoApplyRunTrigger: tfe.Bool(false),
			Description: tfe.String(""), AssessmentsEnabled: tfe.Bool(false), FileTriggersEnabled: tfe.Bool(true), QueueAllRuns: tfe.Bool(true),
			SpeculativeEnabled: tfe.Bool(true), StructuredRunOutputEnabled: tfe.Bool(true), WorkingDirectory: tfe.String(""), GlobalRemoteState: tfe.Bool(false),
			SettingOverwrites: &tfe.WorkspaceSettingOverwritesOptions{ExecutionMode: tfe.Bool(false), AgentPool: tfe.Bool(false)},
			Tags:              []*tfe.Tag{{Name: "env-prod"}},
		})
		must(t, err)
		if w.ExecutionMode != "remote" || *w.SettingOverwrites.ExecutionMode || !w.QueueAllRuns || len(w.TagNames) != 1 || w.WorkingDirectory != "" {
			t.Errorf("created: mode %s, overwrites %v, queue %v, tags %v", w.ExecutionMode, *w.SettingOverwrites.ExecutionMode, w.QueueAllRuns, w.TagNames)
		}
		w, err = c.Workspaces.ReadByIDWithOptions(ctx, w.ID, &tfe.WorkspaceReadOptions{Include: []tfe.WSIncludeOpt{tfe.WSEffectiveTagBindings}})
		must(t, err)
		update := func(options tfe.WorkspaceUpdateOptions) *tfe.Workspace {
			t.Helper()
			options.Name, options.WorkingDirectory, options.Description = tfe.String("network"), tfe.String(""), tfe.String("")
			updated, err := c.Workspaces.UpdateByID(ctx, w.ID, options)
			must(t, err)
			return updated
		}
		w = update(tfe.WorkspaceUpdateOptions{ExecutionMode: tfe.String("agent"), AgentPoolID: tfe.String(pool.ID)})
		if w.ExecutionMode != "agent" || w.AgentPool.ID != pool.ID || !*w.SettingOverwrites.AgentPool {
			t.Errorf("agent: %+v", w)
		}
		w = update(tfe.WorkspaceUpdateOptions{ExecutionMode: tfe.String("local"), AgentPoolID: tfe.String(""), ProjectRemoteState: tfe.Bool(true), GlobalRemoteState: tfe.Bool(false)})
		if w.ExecutionMode != "local" || w.AgentPool != nil || !w.ProjectRemoteState {
			t.Errorf("an empty pool with local: %+v", w)
		}
		w = update(tfe.WorkspaceUpdateOptions{SettingOverwrites: &tfe.WorkspaceSettingOverwritesOptions{ExecutionMode: tfe.Bool(false), AgentPool: tfe.Bool(false)}})
		if w.ExecutionMode != "remote" || *w.SettingOverwrites.ExecutionMode {
			t.Errorf("given back: %+v", w)
		}
		w = update(tfe.WorkspaceUpdateOptions{TriggerPatterns: []string{}, TriggerPrefixes: []string{"/modules"}, FileTriggersEnabled: tfe.Bool(true)})
		if len(w.TriggerPrefixes) != 1 {
			t.Errorf("prefixes: %v", w.TriggerPrefixes)
		}
		if !w.Permissions.CanUpdate || w.Permissions.CanForceDelete == nil {
			t.Errorf("what the provider asks before it deletes: %+v", w.Permissions)
		}
		must(t, c.Workspaces.SafeDeleteByID(ctx, w.ID))
	})
}

// TestProviderBodiesOfConsumers sends consumers as the provider does: each as a whole
// workspace of zero values, of which only the id counts.
func TestProviderBodiesOfConsumers(t *testing.T) {
	each(t, func(t *testing.T, s *server) {
		ctx, c := context.Background(), s.admin()
		s.organization("acme")
		network, app := s.workspace("acme", "network"), s.workspace("acme", "app")
		must(t, c.Workspaces.AddRemoteStateConsumers(ctx, network, tfe.WorkspaceAddRemoteStateConsumersOptions{Workspaces: []*tfe.Workspace{{ID: app}}}))
		list, err := c.Workspaces.ListRemoteStateConsumers(ctx, network, &tfe.RemoteStateConsumersListOptions{ListOptions: tfe.ListOptions{PageSize: 100}})
		must(t, err)
		if len(list.Items) != 1 || list.Items[0].ID != app {
			t.Errorf("consumers: %+v", list.Items)
		}
		read, err := c.Workspaces.ReadByID(ctx, app)
		must(t, err)
		if read.Name != "app" || !read.FileTriggersEnabled {
			t.Errorf("the zero values were taken: %+v", read)
		}
	})
}

// TestProviderBodiesOfVariablesKeysAndTeams sends what the provider sends for what hangs
// on a workspace.
func TestProviderBodiesOfVariablesKeysAndTeams(t *testing.T) {
	each(t, func(t *testing.T, s *server) {
		ctx, c := context.Background(), s.admin()
		s.organization("acme")
		id := s.workspace("acme", "network")
		v, err := c.Variables.Create(ctx, id, tfe.VariableCreateOptions{
			Key: tfe.String("region"), Value: tfe.String(""), Category: tfe.Category(tfe.CategoryTerraform), HCL: tfe.Bool(false), Sensitive: tfe.Bool(false), Description: tfe.String(""),
		})
		must(t, err)
		v, err = c.Variables.Update(ctx, id, v.ID, tfe.VariableUpdateOptions{
			Key: tfe.String("region"), Value: tfe.String("eu"), HCL: tfe.Bool(false), Sensitive: tfe.Bool(true), Description: tfe.String(""),
		})
		must(t, err)
		if v.Value != "" || !v.Sensitive {
			t.Errorf("now sensitive: %+v", v)
		}
		key, err := c.SSHKeys.Create(ctx, "acme", tfe.SSHKeyCreateOptions{Name: tfe.String("deploy"), Value: tfe.String(privateKey)})
		must(t, err)
		_, err = c.Workspaces.AssignSSHKey(ctx, id, tfe.WorkspaceAssignSSHKeyOptions{SSHKeyID: tfe.String(key.ID)})
		must(t, err)
		team, err := c.Teams.Create(ctx, "acme", tfe.TeamCreateOptions{
			Name: tfe.String("ops"), Visibility: tfe.String("secret"), AllowMemberTokenManagement: tfe.Bool(true),
			OrganizationAccess: &tfe.OrganizationAccessOptions{ManageWorkspaces: tfe.Bool(true), ManagePolicies: tfe.Bool(false)},
		})
		must(t, err)
		access := tfe.AccessWrite
		granted, err := c.TeamAccess.Add(ctx, tfe.TeamAccessAddOptions{Access: &access, Team: team, Workspace: &tfe.Workspace{ID: id}})
		must(t, err)
		if granted.Access != tfe.AccessWrite {
			t.Errorf("access: %+v", granted)
		}
		_, err = c.Workspaces.UnassignSSHKey(ctx, id)
		must(t, err)
		must(t, c.TeamAccess.Remove(ctx, granted.ID))
		must(t, c.Variables.Delete(ctx, id, v.ID))
		must(t, c.SSHKeys.Delete(ctx, key.ID))
	})
}
