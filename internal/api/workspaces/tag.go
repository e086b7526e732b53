package workspaces

import (
	"encoding/json"
	"fmt"
	"net/http"
	"time"

	"github.com/belayhq/belay"
	"github.com/belayhq/belay/internal/api/doc"
	"github.com/belayhq/belay/internal/api/door"
	"github.com/belayhq/belay/internal/api/paths"
	"github.com/belayhq/belay/internal/jsonapi"
	"github.com/belayhq/belay/internal/openapi"
)

var tagAttributes = doc.Attributes[belay.Tag, struct{}]{
	{Name: "name", Show: doc.Value(func(t *belay.Tag) string { return t.Name })},
	{Name: "created-at", Show: doc.Value(func(t *belay.Tag) time.Time { return t.CreatedAt })},
	{Name: "instance-count", Show: doc.Value(func(t *belay.Tag) int { return t.InstanceCount })},
}

var tags = &doc.Noun[belay.Tag, struct{}]{
	Type:       "tags",
	ID:         func(t *belay.Tag) string { return t.ID },
	Attributes: tagAttributes,
	Relations:  []doc.Relation[belay.Tag, struct{}]{paths.OfOrganization[belay.Tag, struct{}](func(t *belay.Tag) string { return t.Organization.Name })},
}

// tagsBody is the schema of a list of flat tags, each by its id or its name.
func tagsBody(*doc.Describer) *openapi.Schema {
	name := (&openapi.Schema{Type: openapi.Types{"object"}}).Add("name", openapi.Of[string](), false)
	is := &openapi.Schema{Type: openapi.Types{"object"}}
	is.Add("type", openapi.Of[string]().One("tags"), true).Add("id", openapi.Of[string](), false)
	return doc.Document(openapi.List(is.Add("attributes", name, false)))
}

// tagRefs reads a list of flat tags that stands at pointer.
func tagRefs(list []*jsonapi.Incoming, pointer string) ([]belay.TagRef, error) {
	var problems belay.Problems
	refs := make([]belay.TagRef, len(list))
	for i, in := range list {
		refs[i].ID = in.ID
		raw, ok := in.Attributes["name"]
		if !ok || in.ID != "" {
			continue
		}
		if err := json.Unmarshal(raw, &refs[i].Name); err != nil {
			problems.At(belay.Place(fmt.Sprintf("%s/%d/attributes/name", pointer, i)), "name %s", jsonapi.Complaint(err))
		}
	}
	return refs, problems.Err()
}

// relatedTags reads the flat tags of a workspace that is about to be made.
func relatedTags(in *jsonapi.Incoming) ([]belay.TagRef, error) {
	const pointer = "/data/relationships/tags/data"
	list, err := related(in, "tags", "tags")
	if list == nil {
		return nil, err
	}
	refs, of := tagRefs(list, pointer)
	return refs, doc.Together(err, of)
}

// related reads a to-many relationship of a body; nothing when it is absent or null.
func related(in *jsonapi.Incoming, name, typ string) ([]*jsonapi.Incoming, error) {
	relation := doc.RelationOf(in, name)
	if !relation.Listed() {
		return nil, nil
	}
	pointer := "/data/relationships/" + name + "/data"
	list, err := jsonapi.DecodeList(relation.Data, pointer)
	if list == nil && err != nil {
		return nil, doc.ShapeRefusal(err)
	}
	if err := belay.CheckListed(len(list), belay.Place(pointer)); err != nil {
		return nil, err
	}
	return list, doc.Together(doc.ShapeRefusal(err), doc.CheckItems(list, typ, pointer))
}

var _ = routes.Join(func(a *Verbs) []door.Route {
	return []door.Route{
		{Method: http.MethodGet, Path: paths.Workspace + "/relationships/tags", Status: http.StatusOK, Do: door.Listing(tags, a.listWorkspaceTags), Query: []string{"name"}, Needs: belay.ReadWorkspace, Does: "List the tags of a workspace"},
		{Method: http.MethodPost, Path: paths.Workspace + "/relationships/tags", Status: http.StatusNoContent, Do: door.Doing(a.addTags).Reads(tagsBody), Needs: belay.ManageTags, Does: "Tag a workspace"},
		{Method: http.MethodDelete, Path: paths.Workspace + "/relationships/tags", Status: http.StatusNoContent, Do: door.Doing(a.removeTags).Reads(tagsBody), Needs: belay.UpdateWorkspace, Does: "Take a tag off a workspace"},
		{Method: http.MethodGet, Path: paths.Organization + "/tags", Status: http.StatusOK, Do: door.Listing(tags, a.listTags), Query: []string{"q"}, Filters: tagFilterNames, Needs: belay.Traverse, Does: "List the tags of the organization"},
		{Method: http.MethodDelete, Path: paths.Organization + "/tags", Status: http.StatusNoContent, Do: door.Doing(a.deleteTags).Reads(door.ListOf("tags")), Needs: belay.ManageOrganizationTags, Does: "Delete a tag from all workspaces"},
		{Method: http.MethodPost, Path: paths.V2 + "/tags/{tag_id}/relationships/workspaces", Status: http.StatusNoContent, Do: door.Doing(a.tagWorkspaces).Reads(door.ListOf("workspaces")), Needs: belay.ManageTags, Does: "Put a tag on a workspace"},
	}
})

func (a *Verbs) listWorkspaceTags(r *door.Request) ([]belay.Tag, int, error) {
	return a.App.WorkspaceTags(r.Context(), r.Principal, paths.WorkspaceRef(r), belay.TagQuery{
		Search: r.Query().Get("name"), Page: r.Page(),
	})
}

func listedTags(r *door.Request) ([]belay.TagRef, error) {
	list, err := r.Items("tags")
	if err != nil {
		return nil, err
	}
	refs, err := tagRefs(list, "/data")
	return refs, r.Later(err)
}

func (a *Verbs) addTags(r *door.Request) error {
	refs, err := listedTags(r)
	if err != nil {
		return err
	}
	return a.App.AddTags(r.Context(), r.Principal, paths.WorkspaceRef(r), refs)
}

func (a *Verbs) removeTags(r *door.Request) error {
	refs, err := listedTags(r)
	if err != nil {
		return err
	}
	return a.App.RemoveTags(r.Context(), r.Principal, paths.WorkspaceRef(r), refs)
}

func (a *Verbs) listTags(r *door.Request) ([]belay.Tag, int, error) {
	q := r.Query()
	return a.App.Tags(r.Context(), r.Principal, r.Param("organization_name"), belay.TagQuery{
		Search: q.Get("q"), WithoutWorkspace: q.Get("filter[exclude][taggable][id]"), Page: r.Page(),
	})
}

func (a *Verbs) deleteTags(r *door.Request) error {
	ids, err := r.ListedIDs("tags")
	if err != nil {
		return err
	}
	return a.App.DeleteTags(r.Context(), r.Principal, r.Param("organization_name"), ids)
}

func (a *Verbs) tagWorkspaces(r *door.Request) error {
	ids, err := r.ListedIDs("workspaces")
	if err != nil {
		return err
	}
	return a.App.TagWorkspaces(r.Context(), r.Principal, r.Param("tag_id"), ids)
}
