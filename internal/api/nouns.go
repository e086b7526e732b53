package api

import (
	"slices"

	"github.com/belayhq/belay"
	"github.com/belayhq/belay/internal/app"
	"github.com/belayhq/belay/internal/jsonapi"
)

// withNouns adds to a document what include asks for. known is the names that may be
// asked for; want says which nouns the names in the request mean.
func (r *request) withNouns(document *jsonapi.Document, known []string, want func(has func(string) bool) app.NounIDs) (*jsonapi.Document, error) {
	names, err := r.includes(known...)
	if err != nil && r.Method != get {
		return document, nil // what was asked for is done: too late to refuse
	}
	if err != nil || len(names) == 0 {
		return document, err
	}
	found, err := r.api.App.Nouns(r.Context(), r.subject, want(func(name string) bool { return slices.Contains(names, name) }))
	if err != nil {
		return nil, err
	}
	to := &including{list: []*jsonapi.Resource{}, seen: map[jsonapi.Ref]bool{}}
	include(to, found.Workspaces, r.api.workspace)
	include(to, found.Projects, r.api.project)
	include(to, found.Variables, r.api.variable)
	include(to, found.Tokens, r.api.oauthToken)
	document.Included = to.list
	return document, nil
}

func (r *request) withTriggers(document *jsonapi.Document, list ...belay.RunTrigger) (*jsonapi.Document, error) {
	return r.withNouns(document, []string{"workspace", "sourceable"}, func(has func(string) bool) (ids app.NounIDs) {
		for _, t := range list {
			if has("workspace") {
				ids.Workspaces = append(ids.Workspaces, t.WorkspaceID)
			}
			if has("sourceable") {
				ids.Workspaces = append(ids.Workspaces, t.SourceID)
			}
		}
		return ids
	})
}

func (r *request) withSets(document *jsonapi.Document, list ...belay.VariableSet) (*jsonapi.Document, error) {
	return r.withNouns(document, []string{"workspaces", "projects", "vars", "stacks"}, func(has func(string) bool) (ids app.NounIDs) {
		for _, s := range list {
			if has("workspaces") {
				ids.Workspaces = append(ids.Workspaces, s.WorkspaceIDs...)
			}
			if has("projects") {
				ids.Projects = append(ids.Projects, s.ProjectIDs...)
			}
			if has("vars") {
				ids.VariableSets = append(ids.VariableSets, s.ID)
			}
		}
		return ids
	})
}

func (r *request) withPools(document *jsonapi.Document, list ...belay.AgentPool) (*jsonapi.Document, error) {
	return r.withNouns(document, []string{"workspaces", "hyok_configurations"}, func(has func(string) bool) (ids app.NounIDs) {
		for _, p := range list {
			if has("workspaces") {
				ids.Workspaces = append(ids.Workspaces, p.Workspaces...)
			}
		}
		return ids
	})
}

func (r *request) withClients(document *jsonapi.Document, list ...belay.OAuthClient) (*jsonapi.Document, error) {
	return r.withNouns(document, []string{"projects", "oauth_tokens"}, func(has func(string) bool) (ids app.NounIDs) {
		for _, c := range list {
			if has("projects") {
				ids.Projects = append(ids.Projects, c.ProjectIDs...)
			}
			if has("oauth_tokens") {
				ids.OAuthClients = append(ids.OAuthClients, c.ID)
			}
		}
		return ids
	})
}
