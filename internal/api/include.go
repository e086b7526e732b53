package api

import (
	"slices"

	"github.com/belayhq/belay"
	"github.com/belayhq/belay/internal/jsonapi"
)

// workspaceIncludes is what a document of workspaces can include. What Belay has none of,
// such as runs, may be asked for and is not there.
var workspaceIncludes = []string{
	"agent_pool", "current_assessment_result",
	"current_configuration_version", "current_configuration_version.ingress_attributes",
	"current_run", "current_run.apply", "current_run.plan",
	"current_run.configuration_version", "current_run.configuration_version.ingress_attributes",
	"current_state_version", "current_state_version.resources_processed", bindingsIncluded,
	"latest_run", "latest_run.apply", "latest_run.plan",
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

// includeRelated adds what the names ask for to a document of workspaces: a list of them,
// or one. Each kind is read at once for all of them.
func (r *request) includeRelated(document *jsonapi.Document, list []workspaceDoc, names []string) error {
	if len(names) == 0 {
		return nil
	}
	found, err := r.api.App.Related(r.Context(), r.subject, list, names)
	if err != nil {
		return err
	}
	to := &including{list: []*jsonapi.Resource{}, seen: map[jsonapi.Ref]bool{}}
	include(to, found.Organizations, r.api.organization)
	include(to, found.Projects, r.api.project)
	include(to, found.Users, r.api.publicUser)
	include(to, found.Teams, r.api.team)
	include(to, found.Pools, r.api.agentPool)
	include(to, found.Bindings, r.api.effectiveTagBinding)
	include(to, found.States, r.stateVersion)
	include(to, found.Outputs, workspaceOutput)
	include(to, found.Variables, r.api.variable)
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

// includeProjectBindings adds the bindings of projects to their document.
func (r *request) includeProjectBindings(document *jsonapi.Document, list []projectDoc, names []string) error {
	if len(names) == 0 {
		return nil
	}
	ids := make([]string, len(list))
	for i, p := range list {
		ids[i] = p.ID
	}
	found, err := r.api.App.ProjectsBindings(r.Context(), ids)
	if err != nil {
		return err
	}
	document.Included = []*jsonapi.Resource{}
	bindings := map[string][]jsonapi.Ref{}
	for _, id := range ids {
		for _, b := range found[id] {
			document.Included = append(document.Included, r.api.effectiveTagBinding(belay.EffectiveTagBinding{TagBinding: b}))
			bindings[id] = append(bindings[id], jsonapi.Ref{Type: "effective-tag-bindings", ID: b.ID})
		}
	}
	linkBindings(document, bindings)
	return nil
}
