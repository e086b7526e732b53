package api

import (
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"github.com/belayhq/belay"
	"github.com/belayhq/belay/internal/jsonapi"
	"github.com/belayhq/belay/internal/openapi"
)

var tagAttributes = attributes[belay.Tag, struct{}]{
	{name: "name", show: value(func(t *belay.Tag) string { return t.Name })},
	{name: "created-at", show: value(func(t *belay.Tag) time.Time { return t.CreatedAt })},
	{name: "instance-count", show: value(func(t *belay.Tag) int { return t.InstanceCount })},
}

var tags = &noun[belay.Tag, struct{}]{
	typ:        "tags",
	id:         func(t *belay.Tag) string { return t.ID },
	attributes: tagAttributes,
	relations:  []relation[belay.Tag, struct{}]{ofOrganization[belay.Tag, struct{}](func(t *belay.Tag) string { return t.Organization.Name })},
}

// tagsBody is the schema of a list of flat tags, each by its id or its name.
func tagsBody(*describer) *openapi.Schema {
	name := (&openapi.Schema{Type: openapi.Types{"object"}}).Add("name", openapi.Of[string](), false)
	is := &openapi.Schema{Type: openapi.Types{"object"}}
	is.Add("type", openapi.Of[string]().One("tags"), true).Add("id", openapi.Of[string](), false)
	return document(openapi.List(is.Add("attributes", name, false)))
}

// listOf is the schema of a list of references, each with its type.
func listOf(typ string) func(*describer) *openapi.Schema {
	return func(*describer) *openapi.Schema { return document(openapi.List(bodyRef(typ))) }
}

// items reads the body as a list of resources of one type, which each must name.
func (r *request) items(typ string) ([]*jsonapi.Incoming, error) {
	list, err := jsonapi.DecodeMany(r.body)
	if err := r.later(shapeRefusal(err)); err != nil {
		return nil, err
	}
	if err := belay.CheckListed(len(list), "/data"); err != nil {
		return nil, err // of so many nothing is looked at
	}
	return list, r.later(checkItems(list, typ, "/data"))
}

func checkItems(list []*jsonapi.Incoming, typ, pointer string) error {
	var problems belay.Problems
	for i, in := range list {
		if !sameName(in.Type, typ) {
			problems.At(belay.Place(pointer).Item(i).Field("type"), "type must be %s", typ)
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
			problems.At(belay.Whole.Item(i).ID(), "id can't be blank")
		} else if !slices.Contains(ids, in.ID) {
			ids = append(ids, in.ID)
		}
	}
	return ids, r.later(problems.Err())
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
	return refs, together(err, of)
}

// related reads a to-many relationship of a body; nothing when it is absent or null.
func related(in *jsonapi.Incoming, name, typ string) ([]*jsonapi.Incoming, error) {
	relation := relationOf(in, name)
	if !relation.Listed() {
		return nil, nil
	}
	pointer := "/data/relationships/" + name + "/data"
	list, err := jsonapi.DecodeList(relation.Data, pointer)
	if list == nil && err != nil {
		return nil, shapeRefusal(err)
	}
	if err := belay.CheckListed(len(list), belay.Place(pointer)); err != nil {
		return nil, err
	}
	return list, together(shapeRefusal(err), checkItems(list, typ, pointer))
}

func (a *API) listWorkspaceTags(r *request) ([]belay.Tag, int, error) {
	return a.App.WorkspaceTags(r.Context(), r.subject, r.workspaceRef(), belay.TagQuery{
		Search: r.query().Get("name"), Page: r.page(),
	})
}

func (r *request) listedTags() ([]belay.TagRef, error) {
	list, err := r.items("tags")
	if err != nil {
		return nil, err
	}
	refs, err := tagRefs(list, "/data")
	return refs, r.later(err)
}

func (a *API) addTags(r *request) error {
	refs, err := r.listedTags()
	if err != nil {
		return err
	}
	return a.App.AddTags(r.Context(), r.subject, r.workspaceRef(), refs)
}

func (a *API) removeTags(r *request) error {
	refs, err := r.listedTags()
	if err != nil {
		return err
	}
	return a.App.RemoveTags(r.Context(), r.subject, r.workspaceRef(), refs)
}

func (a *API) listTags(r *request) ([]belay.Tag, int, error) {
	q := r.query()
	return a.App.Tags(r.Context(), r.subject, r.param("organization_name"), belay.TagQuery{
		Search: q.Get("q"), WithoutWorkspace: q.Get("filter[exclude][taggable][id]"), Page: r.page(),
	})
}

func (a *API) deleteTags(r *request) error {
	ids, err := r.ids("tags")
	if err != nil {
		return err
	}
	return a.App.DeleteTags(r.Context(), r.subject, r.param("organization_name"), ids)
}

func (a *API) tagWorkspaces(r *request) error {
	ids, err := r.ids("workspaces")
	if err != nil {
		return err
	}
	return a.App.TagWorkspaces(r.Context(), r.subject, r.param("tag_id"), ids)
}
