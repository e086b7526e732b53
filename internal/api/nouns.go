package api

import (
	"slices"

	"github.com/belayhq/belay"
	"github.com/belayhq/belay/internal/app"
	"github.com/belayhq/belay/internal/jsonapi"
)

// withNouns is what documents of D may include. want says which nouns the names in the
// request mean for one of a list.
func withNouns[D any](a *API, names []string, want func(d *D, has func(string) bool, ids *app.NounIDs)) *inclusion[D] {
	add := func(r *request, document *jsonapi.Document, list []D, names []string) error {
		var ids app.NounIDs
		for i := range list {
			want(&list[i], func(name string) bool { return slices.Contains(names, name) }, &ids)
		}
		found, err := a.App.Nouns(r.Context(), r.subject, ids)
		if err != nil {
			return err
		}
		to := newIncluding()
		include(to, found.Workspaces, workspaces.in(r))
		include(to, found.Projects, projects.in(r))
		include(to, found.Variables, variables.in(r))
		include(to, found.Tokens, oauthTokens.in(r))
		document.Included = to.list
		return nil
	}
	return &inclusion[D]{names: names, add: add, late: true}
}

func (a *API) withTriggers() *inclusion[belay.RunTrigger] {
	return withNouns(a, []string{"workspace", "sourceable"}, func(d *belay.RunTrigger, has func(string) bool, ids *app.NounIDs) {
		if has("workspace") {
			ids.Workspaces = append(ids.Workspaces, d.WorkspaceID)
		}
		if has("sourceable") {
			ids.Workspaces = append(ids.Workspaces, d.SourceID)
		}
	})
}

func (a *API) withSets() *inclusion[belay.VariableSet] {
	return withNouns(a, []string{"workspaces", "projects", "vars", "stacks"}, func(d *belay.VariableSet, has func(string) bool, ids *app.NounIDs) {
		if has("workspaces") {
			ids.Workspaces = append(ids.Workspaces, d.WorkspaceIDs...)
		}
		if has("projects") {
			ids.Projects = append(ids.Projects, d.ProjectIDs...)
		}
		if has("vars") {
			ids.VariableSets = append(ids.VariableSets, d.ID)
		}
	})
}

func (a *API) withPools() *inclusion[belay.AgentPool] {
	return withNouns(a, []string{"workspaces", "hyok_configurations"}, func(d *belay.AgentPool, has func(string) bool, ids *app.NounIDs) {
		if has("workspaces") {
			ids.Workspaces = append(ids.Workspaces, d.Workspaces...)
		}
	})
}

func (a *API) withClients() *inclusion[belay.OAuthClient] {
	return withNouns(a, []string{"projects", "oauth_tokens"}, func(d *belay.OAuthClient, has func(string) bool, ids *app.NounIDs) {
		if has("projects") {
			ids.Projects = append(ids.Projects, d.ProjectIDs...)
		}
		if has("oauth_tokens") {
			ids.OAuthClients = append(ids.OAuthClients, d.ID)
		}
	})
}
