package api

import (
	"slices"
	"strings"

	"github.com/belayhq/belay"
	"github.com/belayhq/belay/internal/api/door"
	"github.com/belayhq/belay/internal/api/organizations"
	"github.com/belayhq/belay/internal/api/people"
	"github.com/belayhq/belay/internal/api/runs"
	"github.com/belayhq/belay/internal/api/states"
	"github.com/belayhq/belay/internal/api/workspaces"
	"github.com/belayhq/belay/internal/jsonapi"
)

// workspaceIncludes is what a document of workspaces can include. What Belay has none of
// may be asked for and is not there.
var workspaceIncludes = []string{
	"agent_pool", "current_assessment_result",
	"current_configuration_version", "current_configuration_version.ingress_attributes",
	"current_run", "current_run.apply", "current_run.plan",
	"current_run.configuration_version", "current_run.configuration_version.ingress_attributes",
	"current_state_version", "current_state_version.resources_processed", workspaces.BindingsIncluded,
	"latest_run", "latest_run.apply", "latest_run.plan", "no_code_module_version", "no_code_module_version.*",
	"latest_run.configuration_version", "latest_run.configuration_version.ingress_attributes",
	"locked_by", "organization", "outputs", "project", "readme", "vars",
}

// withWorkspaces is what a document of workspaces includes. Each kind is read at once for
// all of them.
func (a *API) withWorkspaces() *door.Inclusion[workspaces.WorkspaceDoc] {
	return &door.Inclusion[workspaces.WorkspaceDoc]{Names: workspaceIncludes, Add: a.includeWithWorkspaces}
}

func (a *API) includeWithWorkspaces(r *door.Request, document *jsonapi.Document, list []workspaces.WorkspaceDoc, names []string) error {
	found, err := a.app.Related(r.Context(), r.Principal, list, names)
	if err != nil {
		return err
	}
	to := door.NewIncluding()
	door.Include(to, found.Organizations, organizations.Organizations.In(r.Edition))
	door.Include(to, found.Projects, workspaces.Projects.In(r.Edition))
	door.Include(to, found.Users, people.PublicUsers.In(r.Edition))
	door.Include(to, found.Teams, people.Teams.In(r.Edition))
	door.Include(to, found.Pools, runs.AgentPools.In(r.Edition))
	door.Include(to, found.Bindings, workspaces.EffectiveTagBindings.In(r.Edition))
	door.Include(to, found.States, a.states.StateVersion(r))
	door.Include(to, found.Outputs, states.WorkspaceOutputs.In(r.Edition))
	door.Include(to, found.Variables, workspaces.Variables.In(r.Edition))
	runs.IncludeConfigurations(r, to, found.Configurations,
		slices.Contains(names, "current_configuration_version"), slices.Contains(names, "current_configuration_version.ingress_attributes"))
	if slices.Contains(names, "readme") {
		if err := a.runs.IncludeReadmes(r, to, list); err != nil {
			return err
		}
	}
	if slices.Contains(names, "current_assessment_result") {
		if err := a.runs.IncludeAssessments(r, to, list); err != nil {
			return err
		}
	}
	if err := a.includeRunsOf(r, to, list, names); err != nil {
		return err
	}
	document.Included = to.List
	if slices.Contains(names, workspaces.BindingsIncluded) {
		bindings := map[string][]jsonapi.Ref{}
		for _, b := range found.Bindings {
			bindings[b.WorkspaceID] = append(bindings[b.WorkspaceID], jsonapi.Ref{Type: "effective-tag-bindings", ID: b.ID})
		}
		workspaces.LinkBindings(document, bindings)
	}
	return nil
}

// includeRunsOf adds the runs of workspaces: the current one, which clients call the latest
// too, with what hangs on it, and the one that holds the lock.
func (a *API) includeRunsOf(r *door.Request, to *door.Including, list []workspaces.WorkspaceDoc, names []string) error {
	current := slices.ContainsFunc(names, func(name string) bool {
		return strings.HasPrefix(name, "current_run") || strings.HasPrefix(name, "latest_run")
	})
	locking := slices.Contains(names, "locked_by")
	var ids []string
	for i := range list {
		w := &list[i]
		if !w.Can.Has(belay.ReadRuns) {
			continue
		}
		if current && w.CurrentRunID != "" {
			ids = append(ids, w.CurrentRunID)
		}
		if locking && w.Lock.Holder.Type == "runs" {
			ids = append(ids, w.Lock.Holder.ID)
		}
	}
	if len(ids) == 0 {
		return nil
	}
	found, err := a.runs.Runs.ByID(r.Context(), r.Principal, list[0].Organization.Name, ids)
	if err != nil {
		return err
	}
	if locking || slices.Contains(names, "current_run") || slices.Contains(names, "latest_run") {
		door.Include(to, found, runs.RunDocuments.In(r.Edition))
	}
	for _, under := range []string{"current_run.", "latest_run."} {
		if err := a.runs.IncludeOfRuns(r, to, found, under, names); err != nil {
			return err
		}
	}
	return nil
}
