package workspaces

import (
	"net/http"
	"time"

	"github.com/belayhq/belay"
	"github.com/belayhq/belay/internal/api/doc"
	"github.com/belayhq/belay/internal/api/door"
	"github.com/belayhq/belay/internal/api/paths"
	"github.com/belayhq/belay/internal/jsonapi"
	"github.com/belayhq/belay/internal/openapi"
	"github.com/belayhq/belay/internal/patch"
	"github.com/belayhq/belay/site"
)

// TagBindingAttributes is every attribute of a key-value tag.
var TagBindingAttributes = doc.Attributes[belay.TagBinding, belay.TagBinding]{
	{Name: "key", Show: doc.Value(func(b *belay.TagBinding) string { return b.Key }), Write: doc.Plain(func(b *belay.TagBinding) *string { return &b.Key })},
	{Name: "value", Show: doc.Value(func(b *belay.TagBinding) string { return b.Value }), Write: doc.Plain(func(b *belay.TagBinding) *string { return &b.Value })},
	{Name: "created-at", Show: doc.Value(func(b *belay.TagBinding) time.Time { return b.CreatedAt })},
}

var tagBindings = &doc.Noun[belay.TagBinding, belay.TagBinding]{
	Type:       "tag-bindings",
	ID:         func(b *belay.TagBinding) string { return b.ID },
	Attributes: TagBindingAttributes,
}

// EffectiveTagBindings is bindings in force. An own one carries no links: clients tell an
// inherited one by them.
var EffectiveTagBindings = &doc.Noun[belay.EffectiveTagBinding, belay.TagBinding]{
	Type:       "effective-tag-bindings",
	ID:         func(b *belay.EffectiveTagBinding) string { return b.ID },
	Attributes: doc.Lift(TagBindingAttributes, func(b *belay.EffectiveTagBinding) *belay.TagBinding { return &b.TagBinding }),
	Relations: []doc.Relation[belay.EffectiveTagBinding, belay.TagBinding]{
		doc.To[belay.EffectiveTagBinding, belay.TagBinding]("inherited-from", "projects", func(b *belay.EffectiveTagBinding) string { return b.ProjectID }).
			Unless(func(b *belay.EffectiveTagBinding) bool { return b.ProjectID == "" }),
	},
	Links: []doc.Link[belay.EffectiveTagBinding]{{Name: "inherited-from", Optional: true, To: func(b *belay.EffectiveTagBinding) string {
		if b.ProjectID == "" {
			return ""
		}
		return "/api/v2/projects/" + b.ProjectID
	}}},
}

// givenBindings reads a list of tag bindings that stands at pointer.
func givenBindings(list []*jsonapi.Incoming, pointer string) (belay.TagBindings, error) {
	var problems belay.Problems
	bindings := make(belay.TagBindings, len(list))
	for i, in := range list {
		at := belay.Place(pointer).Item(i).Member("attributes")
		for _, wrong := range TagBindingAttributes.Take(doc.SpellingsOf(in.Attributes), &bindings[i], site.EditionAll) {
			doc.Tell(&problems, at, "", wrong)
		}
	}
	return bindings, problems.Err()
}

// relatedBindings reads the tag bindings that a workspace or project is to have.
func relatedBindings(in *jsonapi.Incoming) (field patch.Field[belay.TagBindings], err error) {
	list, err := related(in, "tag-bindings", "tag-bindings")
	if list == nil {
		return field, err
	}
	bindings, of := givenBindings(list, "/data/relationships/tag-bindings/data")
	return patch.Of(bindings), doc.Together(err, of)
}

func listedBindings(r *door.Request) (belay.TagBindings, error) {
	list, err := r.Items("tag-bindings")
	if err != nil {
		return nil, err
	}
	bindings, err := givenBindings(list, "/data")
	return bindings, r.Later(err)
}

// bindings answers a list of bindings that has no pages, and says what they belong to.
func bindings[D, P any](n *doc.Noun[D, P], verb func(*door.Request) ([]D, error)) door.Action {
	run := func(r *door.Request) (*jsonapi.Document, error) {
		list, err := verb(r)
		if err != nil || r.Status == http.StatusNoContent {
			return nil, err
		}
		target := "/api/v2/workspaces/" + r.Param("workspace_id")
		if id := r.Param("project_id"); id != "" {
			target = "/api/v2/projects/" + id
		}
		return &jsonapi.Document{Data: door.Each(list, n.In(r.Edition)), Links: jsonapi.Object{{Name: "target", Value: target}}}, nil
	}
	return door.Action{Run: run, Gives: func(d *doc.Describer) *openapi.Schema {
		return n.All(d).Add("links", openapi.Object().Add("target", openapi.Of[string](), true), true)
	}}
}

// newBindings is the schema of a list of bindings in a body.
func newBindings() *openapi.Schema {
	is := &openapi.Schema{Type: openapi.Types{"object"}}
	is.Add("type", openapi.Of[string]().One("tag-bindings"), true)
	return openapi.List(is.Add("attributes", TagBindingAttributes.Taken(site.EditionAll), false))
}

func bindingsBody(*doc.Describer) *openapi.Schema { return doc.Document(newBindings()) }

var _ = routes.Join(func(a *Verbs) []door.Route {
	return []door.Route{
		{Method: http.MethodGet, Path: paths.Workspace + "/tag-bindings", Status: http.StatusOK, Do: bindings(tagBindings, a.listWorkspaceBindings), Needs: belay.ReadWorkspace, Does: "List the key-value tags of a workspace"},
		{Method: http.MethodPatch, Path: paths.Workspace + "/tag-bindings", Status: http.StatusOK, Do: bindings(tagBindings, a.addWorkspaceBindings).Reads(bindingsBody), Needs: belay.ManageTags, Does: "Add or change key-value tags of a workspace"},
		{Method: http.MethodGet, Path: paths.Workspace + "/effective-tag-bindings", Status: http.StatusOK, Do: bindings(EffectiveTagBindings, a.listEffectiveBindings), Needs: belay.ReadWorkspace, Does: "List them with those of its project"},
		{Method: http.MethodGet, Path: paths.Workspace + "/relationships/tag-bindings", Status: http.StatusOK, Do: bindings(tagBindings, a.listWorkspaceBindings), Needs: belay.ReadWorkspace, Does: "List the key-value tags of a workspace (longer path)"},
		{Method: http.MethodPost, Path: paths.Workspace + "/relationships/tag-bindings", Status: http.StatusNoContent, Do: bindings(tagBindings, a.addWorkspaceBindings).Reads(bindingsBody), Needs: belay.ManageTags, Does: "Add key-value tags to a workspace"},
		{Method: http.MethodPatch, Path: paths.Workspace + "/relationships/tag-bindings", Status: http.StatusNoContent, Do: door.Doing(a.replaceWorkspaceBindings).Reads(bindingsBody), Needs: belay.UpdateWorkspace, Does: "Replace the key-value tags of a workspace"},
		{Method: http.MethodGet, Path: paths.Project + "/tag-bindings", Status: http.StatusOK, Do: bindings(tagBindings, a.listProjectBindings), Needs: belay.ReadProject, Does: "List the key-value tags of a project"},
		{Method: http.MethodPatch, Path: paths.Project + "/tag-bindings", Status: http.StatusOK, Do: bindings(tagBindings, a.addProjectBindings).Reads(bindingsBody), Needs: belay.ManageProjectTags, Does: "Add or change key-value tags of a project"},
		{Method: http.MethodGet, Path: paths.Project + "/effective-tag-bindings", Status: http.StatusOK, Do: bindings(EffectiveTagBindings, a.listProjectEffectiveBindings), Needs: belay.ReadProject, Does: "List them as its workspaces inherit them"},
		{Method: http.MethodGet, Path: paths.Project + "/relationships/tag-bindings", Status: http.StatusOK, Do: bindings(tagBindings, a.listProjectBindings), Needs: belay.ReadProject, Does: "List the key-value tags of a project (longer path)"},
		{Method: http.MethodPost, Path: paths.Project + "/relationships/tag-bindings", Status: http.StatusNoContent, Do: bindings(tagBindings, a.addProjectBindings).Reads(bindingsBody), Needs: belay.ManageProjectTags, Does: "Add key-value tags to a project"},
		{Method: http.MethodPatch, Path: paths.Project + "/relationships/tag-bindings", Status: http.StatusNoContent, Do: door.Doing(a.replaceProjectBindings).Reads(bindingsBody), Needs: belay.ManageProjectTags, Does: "Replace the key-value tags of a project"},
		{Method: http.MethodGet, Path: paths.Organization + "/reserved-tag-keys", Status: http.StatusOK, Do: door.Listing(reservedKeys, a.listReservedKeys), Needs: belay.Traverse, Does: "List the reserved keys"},
		{Method: http.MethodPost, Path: paths.Organization + "/reserved-tag-keys", Status: http.StatusCreated, Do: door.Writing(reservedKeys, a.createReservedKey), Needs: belay.ReserveTagKeys, Does: "Reserve a key"},
		{Method: http.MethodGet, Path: paths.V2 + "/reserved-tag-keys/{key_id}", Status: http.StatusOK, Do: door.Showing(reservedKeys, a.showReservedKey), Needs: belay.Traverse, Does: "See a reserved key"},
		{Method: http.MethodGet, Path: paths.V2 + "/reserved-tags/{key_id}", Status: http.StatusOK, Do: door.Showing(reservedKeys, a.showReservedKey), Needs: belay.Traverse, Does: "See a reserved key (other path)"},
		{Method: http.MethodPatch, Path: paths.V2 + "/reserved-tag-keys/{key_id}", Status: http.StatusOK, Do: door.Writing(reservedKeys, a.updateReservedKey), Needs: belay.ReserveTagKeys, Does: "Change a reserved key"},
		{Method: http.MethodDelete, Path: paths.V2 + "/reserved-tag-keys/{key_id}", Status: http.StatusNoContent, Do: door.Doing(a.deleteReservedKey), Needs: belay.ReserveTagKeys, Does: "Give a reserved key free"},
		{Method: http.MethodPatch, Path: paths.V2 + "/reserved-tags/{key_id}", Status: http.StatusOK, Do: door.Writing(reservedKeys, a.updateReservedKey), Needs: belay.ReserveTagKeys, Does: "Change a reserved key (other path)"},
		{Method: http.MethodDelete, Path: paths.V2 + "/reserved-tags/{key_id}", Status: http.StatusNoContent, Do: door.Doing(a.deleteReservedKey), Needs: belay.ReserveTagKeys, Does: "Give a reserved key free (other path)"},
	}
})

func (a *Verbs) listWorkspaceBindings(r *door.Request) ([]belay.TagBinding, error) {
	return a.App.WorkspaceBindings(r.Context(), r.Principal, paths.WorkspaceRef(r))
}

func (a *Verbs) listEffectiveBindings(r *door.Request) ([]belay.EffectiveTagBinding, error) {
	return a.App.EffectiveBindings(r.Context(), r.Principal, paths.WorkspaceRef(r))
}

// addWorkspaceBindings answers with the bindings that the request named, in its order.
func (a *Verbs) addWorkspaceBindings(r *door.Request) ([]belay.TagBinding, error) {
	return a.bindWorkspace(r, false)
}

func (a *Verbs) replaceWorkspaceBindings(r *door.Request) error {
	_, err := a.bindWorkspace(r, true)
	return err
}

func (a *Verbs) bindWorkspace(r *door.Request, replace bool) (belay.TagBindings, error) {
	asked, err := listedBindings(r)
	if err != nil {
		return nil, err
	}
	return a.App.BindWorkspace(r.Context(), r.Principal, paths.WorkspaceRef(r), asked, replace)
}

func (a *Verbs) listProjectBindings(r *door.Request) ([]belay.TagBinding, error) {
	return a.App.ProjectBindings(r.Context(), r.Principal, r.Param("project_id"))
}

// listProjectEffectiveBindings is the project's own bindings: a project inherits none.
func (a *Verbs) listProjectEffectiveBindings(r *door.Request) ([]belay.EffectiveTagBinding, error) {
	own, err := a.App.ProjectBindings(r.Context(), r.Principal, r.Param("project_id"))
	list := make([]belay.EffectiveTagBinding, len(own))
	for i, b := range own {
		list[i].TagBinding = b
	}
	return list, err
}

func (a *Verbs) addProjectBindings(r *door.Request) ([]belay.TagBinding, error) {
	return a.bindProject(r, false)
}

func (a *Verbs) replaceProjectBindings(r *door.Request) error {
	_, err := a.bindProject(r, true)
	return err
}

func (a *Verbs) bindProject(r *door.Request, replace bool) (belay.TagBindings, error) {
	asked, err := listedBindings(r)
	if err != nil {
		return nil, err
	}
	return a.App.BindProject(r.Context(), r.Principal, r.Param("project_id"), asked, replace)
}

type (
	reservedKeyDoc   = belay.ReservedTagKey
	reservedKeyPatch = belay.ReservedTagKeyPatch
)

// ReservedKeyAttributes shows the moments under two names: the documentation writes hyphens, clients read
// underscores.
var ReservedKeyAttributes = doc.Attributes[reservedKeyDoc, reservedKeyPatch]{
	{Name: "key", Show: doc.Value(func(k *reservedKeyDoc) string { return k.Key }), Write: doc.Field(func(p *reservedKeyPatch) *patch.Field[string] { return &p.Key })},
	{Name: "disable-overrides", Show: doc.Value(func(k *reservedKeyDoc) bool { return k.DisableOverrides }), Write: doc.Field(func(p *reservedKeyPatch) *patch.Field[bool] { return &p.DisableOverrides })},
	{Name: "created-at", Show: doc.Value(func(k *reservedKeyDoc) time.Time { return k.CreatedAt })},
	{Name: "updated-at", Show: doc.Value(func(k *reservedKeyDoc) time.Time { return k.UpdatedAt })},
	{Name: "created_at", Show: doc.Value(func(k *reservedKeyDoc) time.Time { return k.CreatedAt })},
	{Name: "updated_at", Show: doc.Value(func(k *reservedKeyDoc) time.Time { return k.UpdatedAt })},
}

var reservedKeys = &doc.Noun[reservedKeyDoc, reservedKeyPatch]{
	Type:       "reserved-tag-keys",
	ID:         func(k *reservedKeyDoc) string { return k.ID },
	Path:       func(k *reservedKeyDoc) string { return "/api/v2/reserved-tag-keys/" + k.ID },
	Attributes: ReservedKeyAttributes,
}

func (a *Verbs) listReservedKeys(r *door.Request) ([]reservedKeyDoc, int, error) {
	return a.App.ReservedTagKeys(r.Context(), r.Principal, r.Param("organization_name"), r.Page())
}

func (a *Verbs) showReservedKey(r *door.Request) (reservedKeyDoc, error) {
	return a.App.ReservedTagKey(r.Context(), r.Principal, r.Param("key_id"))
}

func (a *Verbs) createReservedKey(r *door.Request, p reservedKeyPatch) (reservedKeyDoc, error) {
	return a.App.ReserveTagKey(r.Context(), r.Principal, r.Param("organization_name"), p)
}

func (a *Verbs) updateReservedKey(r *door.Request, p reservedKeyPatch) (reservedKeyDoc, error) {
	return a.App.UpdateReservedTagKey(r.Context(), r.Principal, r.Param("key_id"), p)
}

func (a *Verbs) deleteReservedKey(r *door.Request) error {
	return a.App.ReleaseTagKey(r.Context(), r.Principal, r.Param("key_id"))
}
