package app

import (
	"context"
	"slices"

	"github.com/belayhq/belay"
	"github.com/belayhq/belay/forge"
	"github.com/belayhq/belay/inputs"
	"github.com/belayhq/belay/internal/store"
)

// Nouns is what documents of other nouns include.
type Nouns struct {
	Workspaces []WorkspaceView
	Projects   []ProjectView
	Variables  []inputs.Variable
	Tokens     []forge.OAuthToken
}

// NounIDs is what is to be included. Variables are of sets, and tokens of connections,
// whose documents were read for the principal before; workspaces and projects were not.
type NounIDs struct{ Workspaces, Projects, VariableSets, OAuthClients []string }

// Nouns reads what documents include, each kind at once, and leaves out what the principal
// may not read.
func (a *App) Nouns(ctx context.Context, s belay.Principal, ids NounIDs) (found Nouns, err error) {
	err = a.db.View(ctx, func(v *store.View) error {
		if found.Workspaces, err = a.seenWorkspaces(v, s, ids.Workspaces); err != nil {
			return err
		}
		if found.Projects, err = seenProjects(v, s, ids.Projects); err != nil {
			return err
		}
		if len(ids.VariableSets) > 0 {
			if found.Variables, err = v.SetVariables(ids.VariableSets...); err != nil {
				return err
			}
		}
		if len(ids.OAuthClients) > 0 {
			found.Tokens, err = v.OAuthTokensOf(ids.OAuthClients)
		}
		return err
	})
	return found, err
}

// seenWorkspaces is those of the workspaces that the principal may read.
func (a *App) seenWorkspaces(v *store.View, s belay.Principal, ids []string) (list []WorkspaceView, err error) {
	if len(ids) == 0 {
		return nil, nil
	}
	found, err := v.WorkspacesByID(ids)
	if err != nil {
		return nil, err
	}
	for _, w := range found {
		access, err := v.Access(s, w.Organization) // one statement for an organization
		if err != nil {
			return nil, err
		}
		if view := a.seenWorkspace(w, access); view.Can.Has(belay.ReadWorkspace) {
			list = append(list, view)
		}
	}
	return list, nil
}

// seenProjects is the same for projects.
func seenProjects(v *store.View, s belay.Principal, ids []string) (list []ProjectView, err error) {
	if len(ids) == 0 {
		return nil, nil
	}
	found, err := v.ProjectsByID(ids)
	if err != nil || len(found) == 0 {
		return nil, err
	}
	access, err := v.Access(s, found[0].Organization)
	for _, p := range found {
		list = append(list, seenProject(p, access))
	}
	return slices.DeleteFunc(list, func(p ProjectView) bool { return !p.Can.Has(belay.ReadProject) }), err
}
