package workspaces

import (
	"github.com/belayhq/belay"
	"github.com/belayhq/belay/internal/api/door"
	"github.com/belayhq/belay/internal/jsonapi"
)

// BindingsIncluded is the name of the one include that adds linkage to the documents.
const BindingsIncluded = "effective_tag_bindings"

// LinkBindings gives the resources of a document the linkage of the bindings that it
// includes: without being asked it has only the path to them.
func LinkBindings(document *jsonapi.Document, bindings map[string][]jsonapi.Ref) {
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
func (a *Verbs) withProjects() *door.Inclusion[projectDoc] {
	return &door.Inclusion[projectDoc]{Names: []string{BindingsIncluded}, Add: a.includeWithProjects}
}

func (a *Verbs) includeWithProjects(r *door.Request, document *jsonapi.Document, list []projectDoc, _ []string) error {
	ids := make([]string, len(list))
	for i, p := range list {
		ids[i] = p.ID
	}
	found, err := a.App.ProjectsBindings(r.Context(), ids)
	if err != nil {
		return err
	}
	bindings := map[string][]jsonapi.Ref{}
	for _, id := range ids {
		for _, b := range found[id] {
			document.Included = append(document.Included, EffectiveTagBindings.Resource(r.Edition, belay.EffectiveTagBinding{TagBinding: b}))
			bindings[id] = append(bindings[id], jsonapi.Ref{Type: "effective-tag-bindings", ID: b.ID})
		}
	}
	LinkBindings(document, bindings)
	return nil
}
