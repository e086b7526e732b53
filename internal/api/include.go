package api

import (
	"slices"
	"strings"

	"github.com/belayhq/belay"
	"github.com/belayhq/belay/internal/jsonapi"
)

// workspaceIncludes is what a document of workspaces can include. What Belay has none of
// may be asked for and is not there.
var workspaceIncludes = []string{
	"agent_pool", "current_assessment_result",
	"current_configuration_version", "current_configuration_version.ingress_attributes",
	"current_run", "current_run.apply", "current_run.plan",
	"current_run.configuration_version", "current_run.configuration_version.ingress_attributes",
	"current_state_version", "current_state_version.resources_processed", bindingsIncluded,
	"latest_run", "latest_run.apply", "latest_run.plan", "no_code_module_version", "no_code_module_version.*",
	"latest_run.configuration_version", "latest_run.configuration_version.ingress_attributes",
	"locked_by", "organization", "outputs", "project", "readme", "vars",
}

// bindingsIncluded is the name of the one include that adds linkage to the documents.
const bindingsIncluded = "effective_tag_bindings"

// including is the resources that a document includes, each of them once.
type including struct {
	list []*jsonapi.Resource
	seen map[jsonapi.Ref]bool
}

func newIncluding() *including {
	return &including{list: []*jsonapi.Resource{}, seen: map[jsonapi.Ref]bool{}}
}

func include[D any](to *including, list []D, resource func(D) *jsonapi.Resource) {
	for _, d := range list {
		r := resource(d)
		ref := jsonapi.Ref{Type: r.Type, ID: r.ID}
		if !to.seen[ref] {
			to.seen[ref] = true
			to.list = append(to.list, r)
		}
	}
}

// withWorkspaces is what a document of workspaces includes. Each kind is read at once for
// all of them.
var withWorkspaces = &inclusion[workspaceDoc]{names: workspaceIncludes, add: includeWithWorkspaces}

func includeWithWorkspaces(r *request, document *jsonapi.Document, list []workspaceDoc, names []string) error {
	found, err := r.api.App.Related(r.Context(), r.subject, list, names)
	if err != nil {
		return err
	}
	to := newIncluding()
	include(to, found.Organizations, organizations.in(r))
	include(to, found.Projects, projects.in(r))
	include(to, found.Users, publicUsers.in(r))
	include(to, found.Teams, teams.in(r))
	include(to, found.Pools, agentPools.in(r))
	include(to, found.Bindings, effectiveTagBindings.in(r))
	include(to, found.States, r.stateVersion)
	include(to, found.Outputs, workspaceOutputs.in(r))
	include(to, found.Variables, variables.in(r))
	r.includeConfigurations(to, found.Configurations,
		slices.Contains(names, "current_configuration_version"), slices.Contains(names, "current_configuration_version.ingress_attributes"))
	if slices.Contains(names, "readme") {
		if err := r.includeReadmes(to, list); err != nil {
			return err
		}
	}
	if slices.Contains(names, "current_assessment_result") {
		if err := r.includeAssessments(to, list); err != nil {
			return err
		}
	}
	if err := r.includeRunsOf(to, list, names); err != nil {
		return err
	}
	document.Included = to.list
	if slices.Contains(names, bindingsIncluded) {
		bindings := map[string][]jsonapi.Ref{}
		for _, b := range found.Bindings {
			bindings[b.WorkspaceID] = append(bindings[b.WorkspaceID], jsonapi.Ref{Type: "effective-tag-bindings", ID: b.ID})
		}
		linkBindings(document, bindings)
	}
	return nil
}

// includeRunsOf adds the runs of workspaces: the current one, which clients call the latest
// too, with what hangs on it, and the one that holds the lock.
func (r *request) includeRunsOf(to *including, list []workspaceDoc, names []string) error {
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
	found, err := r.api.Runs.ByID(r.Context(), r.subject, list[0].Organization.Name, ids)
	if err != nil {
		return err
	}
	if locking || slices.Contains(names, "current_run") || slices.Contains(names, "latest_run") {
		include(to, found, runDocuments.in(r))
	}
	for _, under := range []string{"current_run.", "latest_run."} {
		if err := r.includeOfRuns(to, found, under, names); err != nil {
			return err
		}
	}
	return nil
}

// linkBindings gives the resources of a document the linkage of the bindings that it
// includes: without being asked it has only the path to them.
func linkBindings(document *jsonapi.Document, bindings map[string][]jsonapi.Ref) {
	list, _ := document.Data.([]*jsonapi.Resource)
	if one, ok := document.Data.(*jsonapi.Resource); ok {
		list = []*jsonapi.Resource{one}
	}
	for _, resource := range list {
		for i := range resource.Relationships {
			if relation := &resource.Relationships[i]; relation.Name == "effective-tag-bindings" {
				relation.Data = append([]jsonapi.Ref{}, bindings[resource.ID]...)
			}
		}
	}
}

// withProjects is the bindings of projects in their document.
var withProjects = &inclusion[projectDoc]{names: []string{bindingsIncluded}, add: includeWithProjects}

func includeWithProjects(r *request, document *jsonapi.Document, list []projectDoc, _ []string) error {
	ids := make([]string, len(list))
	for i, p := range list {
		ids[i] = p.ID
	}
	found, err := r.api.App.ProjectsBindings(r.Context(), ids)
	if err != nil {
		return err
	}
	bindings := map[string][]jsonapi.Ref{}
	for _, id := range ids {
		for _, b := range found[id] {
			document.Included = append(document.Included, effectiveTagBindings.resource(r, belay.EffectiveTagBinding{TagBinding: b}))
			bindings[id] = append(bindings[id], jsonapi.Ref{Type: "effective-tag-bindings", ID: b.ID})
		}
	}
	linkBindings(document, bindings)
	return nil
}
