package api

import (
	"encoding/json"
	"fmt"
	"net/url"
	"slices"

	"github.com/belayhq/belay"
	"github.com/belayhq/belay/internal/jsonapi"
)

var tagAttributes = attributes[belay.Tag, struct{}]{
	{name: "name", read: func(t *belay.Tag) any { return t.Name }},
	{name: "created-at", read: func(t *belay.Tag) any { return t.CreatedAt }},
	{name: "instance-count", read: func(t *belay.Tag) any { return t.InstanceCount }},
}

func (a *API) tag(t belay.Tag) *jsonapi.Resource {
	return &jsonapi.Resource{
		Type: "tags", ID: t.ID,
		Attributes: tagAttributes.object(&t, a.App.Edition()),
		Relationships: []jsonapi.Relation{
			{Name: "organization", Data: jsonapi.Ref{Type: "organizations", ID: t.Organization.Name}, Related: "/api/v2/organizations/" + url.PathEscape(t.Organization.Name)},
		},
	}
}

// items reads the body as a list of resources of one type, which each must name.
func (r *request) items(typ string) ([]*jsonapi.Incoming, error) {
	list, err := jsonapi.DecodeMany(r.body)
	if err != nil {
		return nil, shapeRefusal(err)
	}
	return list, checkItems(list, typ, "/data")
}

func checkItems(list []*jsonapi.Incoming, typ, pointer string) error {
	var problems belay.Problems
	if len(list) > belay.MaxListed {
		problems.At(pointer, "must not have more than %d entries", belay.MaxListed)
		return problems
	}
	for i, in := range list {
		if in.Type != typ {
			problems.At(fmt.Sprintf("%s/%d/type", pointer, i), "type must be %s", typ)
		}
	}
	return problems.Err()
}

// ids reads the body as a list of resources of one type that each have an id, without
// repetitions.
func (r *request) ids(typ string) ([]string, error) {
	list, err := r.items(typ)
	if err != nil {
		return nil, err
	}
	var problems belay.Problems
	var ids []string
	for i, in := range list {
		if in.ID == "" {
			problems.At(fmt.Sprintf("/data/%d/id", i), "id can't be blank")
		}
		if !slices.Contains(ids, in.ID) {
			ids = append(ids, in.ID)
		}
	}
	return ids, problems.Err()
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
			problems.At(fmt.Sprintf("%s/%d/attributes/name", pointer, i), "name %s", jsonapi.Complaint(err))
		}
	}
	return refs, problems.Err()
}

// relatedTags reads the flat tags of a workspace that is about to be made.
func relatedTags(in *jsonapi.Incoming) ([]belay.TagRef, error) {
	const pointer = "/data/relationships/tags/data"
	list, err := related(in, "tags", "tags")
	if err != nil {
		return nil, err
	}
	return tagRefs(list, pointer)
}

// related reads a to-many relationship of a body; nothing when it is absent or null.
func related(in *jsonapi.Incoming, name, typ string) ([]*jsonapi.Incoming, error) {
	relation := in.Relationships[name]
	if !relation.Set || string(relation.Data) == "null" {
		return nil, nil
	}
	pointer := "/data/relationships/" + name + "/data"
	list, err := jsonapi.DecodeList(relation.Data, pointer)
	if err != nil {
		return nil, shapeRefusal(err)
	}
	return list, checkItems(list, typ, pointer)
}

func (a *API) listWorkspaceTags(r *request) (*jsonapi.Document, error) {
	list, total, err := a.App.WorkspaceTags(r.Context(), r.subject, r.workspaceRef(), belay.TagQuery{
		Search: r.URL.Query().Get("name"), Page: r.page(),
	})
	if err != nil {
		return nil, err
	}
	return r.list(each(list, a.tag), total), nil
}

func (r *request) listedTags() ([]belay.TagRef, error) {
	list, err := r.items("tags")
	if err != nil {
		return nil, err
	}
	return tagRefs(list, "/data")
}

func (a *API) addTags(r *request) (*jsonapi.Document, error) {
	refs, err := r.listedTags()
	if err != nil {
		return nil, err
	}
	return nil, a.App.AddTags(r.Context(), r.subject, r.workspaceRef(), refs)
}

func (a *API) removeTags(r *request) (*jsonapi.Document, error) {
	refs, err := r.listedTags()
	if err != nil {
		return nil, err
	}
	return nil, a.App.RemoveTags(r.Context(), r.subject, r.workspaceRef(), refs)
}

func (a *API) listTags(r *request) (*jsonapi.Document, error) {
	q := r.URL.Query()
	list, total, err := a.App.Tags(r.Context(), r.subject, r.param("organization_name"), belay.TagQuery{
		Search: q.Get("q"), WithoutWorkspace: q.Get("filter[exclude][taggable][id]"), Page: r.page(),
	})
	if err != nil {
		return nil, err
	}
	return r.list(each(list, a.tag), total), nil
}

func (a *API) deleteTags(r *request) (*jsonapi.Document, error) {
	ids, err := r.ids("tags")
	if err != nil {
		return nil, err
	}
	return nil, a.App.DeleteTags(r.Context(), r.subject, r.param("organization_name"), ids)
}

func (a *API) tagWorkspaces(r *request) (*jsonapi.Document, error) {
	ids, err := r.ids("workspaces")
	if err != nil {
		return nil, err
	}
	return nil, a.App.TagWorkspaces(r.Context(), r.subject, r.param("tag_id"), ids)
}
