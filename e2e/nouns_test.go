package e2e_test

import (
	"context"
	"testing"

	"github.com/hashicorp/go-tfe"
)

func TestIncludesOfWhatHangsOnWorkspaces(t *testing.T) {
	each(t, func(t *testing.T, s *server) {
		ctx, c := context.Background(), s.admin()
		s.organization("acme")
		app, network := s.workspace("acme", "app"), s.workspace("acme", "network")
		trigger, err := c.RunTriggers.Create(ctx, app, tfe.RunTriggerCreateOptions{Sourceable: &tfe.Workspace{ID: network}})
		must(t, err)
		trigger, err = c.RunTriggers.ReadWithOptions(ctx, trigger.ID, &tfe.RunTriggerReadOptions{Include: []tfe.RunTriggerIncludeOpt{tfe.RunTriggerWorkspace, tfe.RunTriggerSourceable}})
		must(t, err)
		if trigger.Workspace.Name != "app" || trigger.SourceableChoice.Workspace.Name != "network" {
			t.Errorf("trigger: %+v %+v", trigger.Workspace, trigger.SourceableChoice.Workspace)
		}
		set, err := c.VariableSets.Create(ctx, "acme", &tfe.VariableSetCreateOptions{Name: tfe.String("shared"), Global: tfe.Bool(false)})
		must(t, err)
		_, err = c.VariableSetVariables.Create(ctx, set.ID, &tfe.VariableSetVariableCreateOptions{Key: tfe.String("a"), Value: tfe.String("1"), Category: tfe.Category(tfe.CategoryEnv)})
		must(t, err)
		must(t, c.VariableSets.ApplyToWorkspaces(ctx, set.ID, &tfe.VariableSetApplyToWorkspacesOptions{Workspaces: []*tfe.Workspace{{ID: app}}}))
		set, err = c.VariableSets.Read(ctx, set.ID, &tfe.VariableSetReadOptions{Include: &[]tfe.VariableSetIncludeOpt{tfe.VariableSetWorkspaces, tfe.VariableSetVars, tfe.VariableSetProjects}})
		must(t, err)
		if set.Variables[0].Key != "a" || set.Workspaces[0].Name != "app" {
			t.Errorf("set: %+v %+v", set.Variables[0], set.Workspaces[0])
		}
		pool, err := c.AgentPools.Create(ctx, "acme", tfe.AgentPoolCreateOptions{Name: tfe.String("builders")})
		must(t, err)
		s.do("PATCH", "/workspaces/"+app, s.Token, `{"data":{"type":"workspaces","attributes":{"execution-mode":"agent","agent-pool-id":"`+pool.ID+`"}}}`).want(t, 200)
		pool, err = c.AgentPools.ReadWithOptions(ctx, pool.ID, &tfe.AgentPoolReadOptions{Include: []tfe.AgentPoolIncludeOpt{tfe.AgentPoolWorkspaces}})
		must(t, err)
		if len(pool.Workspaces) != 1 || pool.Workspaces[0].Name != "app" {
			t.Errorf("pool: %+v", pool.Workspaces)
		}
		client, token := s.connect("acme", tfe.ServiceProviderGithub)
		connected, err := c.OAuthClients.ReadWithOptions(ctx, client, &tfe.OAuthClientReadOptions{Include: []tfe.OAuthClientIncludeOpt{tfe.OauthClientOauthTokens, tfe.OauthClientProjects}})
		must(t, err)
		if len(connected.OAuthTokens) != 1 || connected.OAuthTokens[0].ID != token {
			t.Errorf("connection: %+v", connected.OAuthTokens)
		}
		s.do("GET", "/varsets/"+set.ID+"?include=secrets", s.Token, "").want(t, 400)
	})
}

// TestListsCostTheSameStatementsWhateverTheyHold pins that what a page of connections,
// pools and sets names is read for all of its rows at once.
func TestListsCostTheSameStatementsWhateverTheyHold(t *testing.T) {
	each(t, func(t *testing.T, s *server) {
		s.organization("acme")
		w := s.workspace("acme", "network")
		fill := func(n int) {
			name := string(rune('a' + n))
			in := `"relationships":{"workspaces":{"data":[{"type":"workspaces","id":"` + w + `"}]},"vars":{"data":[{"type":"vars","attributes":{"key":"k` + name + `","category":"env"}}]}}`
			s.do("POST", "/organizations/acme/varsets", s.Token, `{"data":{"type":"varsets","attributes":{"name":"`+name+`"},`+in+`}}`).want(t, 201)
			s.do("POST", "/organizations/acme/agent-pools", s.Token, `{"data":{"type":"agent-pools","attributes":{"name":"`+name+`"},"relationships":{"allowed-workspaces":{"data":[{"type":"workspaces","id":"`+w+`"}]}}}}`).want(t, 201)
			s.do("POST", "/organizations/acme/ssh-keys", s.Token, `{"data":{"type":"ssh-keys","attributes":{"name":"`+name+`","value":"v"}}}`).want(t, 201)
			s.do("POST", "/workspaces/"+w+"/vars", s.Token, `{"data":{"type":"vars","attributes":{"key":"`+name+`","category":"env"}}}`).want(t, 201)
			s.connect("acme", tfe.ServiceProviderGithub)
		}
		paths := []string{
			"/organizations/acme/varsets?include=vars,workspaces", "/organizations/acme/agent-pools?include=workspaces",
			"/organizations/acme/oauth-clients?include=oauth_tokens,projects", "/organizations/acme/ssh-keys",
			"/workspaces/" + w + "/vars", "/workspaces/" + w + "/all-vars", "/workspaces/" + w + "/varsets", "/organizations/acme/workspaces",
		}
		fill(0)
		before := map[string]int{}
		for _, path := range paths {
			before[path] = s.cost("GET", path, s.Token)
		}
		for n := range 15 {
			fill(n + 1)
		}
		for _, path := range paths {
			if after := s.cost("GET", path, s.Token); after != before[path] || after > 10 {
				t.Errorf("%s costs %d statements with one row and %d with 16", path, before[path], after)
			}
		}
	})
}
