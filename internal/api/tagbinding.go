package api

import (
	"time"

	"github.com/belayhq/belay"
	"github.com/belayhq/belay/internal/jsonapi"
	"github.com/belayhq/belay/internal/openapi"
	"github.com/belayhq/belay/internal/patch"
)

var tagBindingAttributes = attributes[belay.TagBinding, belay.TagBinding]{
	{name: "key", show: value(func(b *belay.TagBinding) string { return b.Key }), write: plain(func(b *belay.TagBinding) *string { return &b.Key })},
	{name: "value", show: value(func(b *belay.TagBinding) string { return b.Value }), write: plain(func(b *belay.TagBinding) *string { return &b.Value })},
	{name: "created-at", show: value(func(b *belay.TagBinding) time.Time { return b.CreatedAt })},
}

var tagBindings = &noun[belay.TagBinding, belay.TagBinding]{
	typ:        "tag-bindings",
	id:         func(b *belay.TagBinding) string { return b.ID },
	attributes: tagBindingAttributes,
}

// effectiveTagBindings is bindings in force. An own one carries no links: clients tell an
// inherited one by them.
var effectiveTagBindings = &noun[belay.EffectiveTagBinding, belay.TagBinding]{
	typ:        "effective-tag-bindings",
	id:         func(b *belay.EffectiveTagBinding) string { return b.ID },
	attributes: lift(tagBindingAttributes, func(b *belay.EffectiveTagBinding) *belay.TagBinding { return &b.TagBinding }),
	relations: []relation[belay.EffectiveTagBinding, belay.TagBinding]{
		to[belay.EffectiveTagBinding, belay.TagBinding]("inherited-from", "projects", func(b *belay.EffectiveTagBinding) string { return b.ProjectID }).
			unless(func(b *belay.EffectiveTagBinding) bool { return b.ProjectID == "" }),
	},
	links: []link[belay.EffectiveTagBinding]{{name: "inherited-from", optional: true, to: func(b *belay.EffectiveTagBinding) string {
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
		for _, wrong := range tagBindingAttributes.take(spellingsOf(in.Attributes), &bindings[i], belay.EditionAll) {
			tell(&problems, at, "", wrong)
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
	return patch.Of(bindings), together(err, of)
}

func (r *request) listedBindings() (belay.TagBindings, error) {
	list, err := r.items("tag-bindings")
	if err != nil {
		return nil, err
	}
	bindings, err := givenBindings(list, "/data")
	return bindings, r.later(err)
}

// bindings answers a list of bindings that has no pages, and says what they belong to.
func bindings[D, P any](n *noun[D, P], verb func(*request) ([]D, error)) action {
	run := func(r *request) (*jsonapi.Document, error) {
		list, err := verb(r)
		if err != nil || r.status == noContent {
			return nil, err
		}
		target := "/api/v2/workspaces/" + r.param("workspace_id")
		if id := r.param("project_id"); id != "" {
			target = "/api/v2/projects/" + id
		}
		return &jsonapi.Document{Data: each(list, n.in(r)), Links: jsonapi.Object{{Name: "target", Value: target}}}, nil
	}
	return action{run: run, gives: func(d *describer) *openapi.Schema {
		return n.all(d).Add("links", openapi.Object().Add("target", openapi.Of[string](), true), true)
	}}
}

// newBindings is the schema of a list of bindings in a body.
func newBindings() *openapi.Schema {
	is := &openapi.Schema{Type: openapi.Types{"object"}}
	is.Add("type", openapi.Of[string]().One("tag-bindings"), true)
	return openapi.List(is.Add("attributes", tagBindingAttributes.taken(belay.EditionAll), false))
}

func bindingsBody(*describer) *openapi.Schema { return document(newBindings()) }

func (a *API) listWorkspaceBindings(r *request) ([]belay.TagBinding, error) {
	return a.App.WorkspaceBindings(r.Context(), r.subject, r.workspaceRef())
}

func (a *API) listEffectiveBindings(r *request) ([]belay.EffectiveTagBinding, error) {
	return a.App.EffectiveBindings(r.Context(), r.subject, r.workspaceRef())
}

// addWorkspaceBindings answers with the bindings that the request named, in its order.
func (a *API) addWorkspaceBindings(r *request) ([]belay.TagBinding, error) {
	return a.bindWorkspace(r, false)
}

func (a *API) replaceWorkspaceBindings(r *request) error {
	_, err := a.bindWorkspace(r, true)
	return err
}

func (a *API) bindWorkspace(r *request, replace bool) (belay.TagBindings, error) {
	asked, err := r.listedBindings()
	if err != nil {
		return nil, err
	}
	return a.App.BindWorkspace(r.Context(), r.subject, r.workspaceRef(), asked, replace)
}

func (a *API) listProjectBindings(r *request) ([]belay.TagBinding, error) {
	return a.App.ProjectBindings(r.Context(), r.subject, r.param("project_id"))
}

// listProjectEffectiveBindings is the project's own bindings: a project inherits none.
func (a *API) listProjectEffectiveBindings(r *request) ([]belay.EffectiveTagBinding, error) {
	own, err := a.App.ProjectBindings(r.Context(), r.subject, r.param("project_id"))
	list := make([]belay.EffectiveTagBinding, len(own))
	for i, b := range own {
		list[i].TagBinding = b
	}
	return list, err
}

func (a *API) addProjectBindings(r *request) ([]belay.TagBinding, error) {
	return a.bindProject(r, false)
}

func (a *API) replaceProjectBindings(r *request) error {
	_, err := a.bindProject(r, true)
	return err
}

func (a *API) bindProject(r *request, replace bool) (belay.TagBindings, error) {
	asked, err := r.listedBindings()
	if err != nil {
		return nil, err
	}
	return a.App.BindProject(r.Context(), r.subject, r.param("project_id"), asked, replace)
}

type (
	reservedKeyDoc   = belay.ReservedTagKey
	reservedKeyPatch = belay.ReservedTagKeyPatch
)

// The moments are shown under two names: the documentation writes hyphens, clients read
// underscores.
var reservedKeyAttributes = attributes[reservedKeyDoc, reservedKeyPatch]{
	{name: "key", show: value(func(k *reservedKeyDoc) string { return k.Key }), write: field(func(p *reservedKeyPatch) *patch.Field[string] { return &p.Key })},
	{name: "disable-overrides", show: value(func(k *reservedKeyDoc) bool { return k.DisableOverrides }), write: field(func(p *reservedKeyPatch) *patch.Field[bool] { return &p.DisableOverrides })},
	{name: "created-at", show: value(func(k *reservedKeyDoc) time.Time { return k.CreatedAt })},
	{name: "updated-at", show: value(func(k *reservedKeyDoc) time.Time { return k.UpdatedAt })},
	{name: "created_at", show: value(func(k *reservedKeyDoc) time.Time { return k.CreatedAt })},
	{name: "updated_at", show: value(func(k *reservedKeyDoc) time.Time { return k.UpdatedAt })},
}

var reservedKeys = &noun[reservedKeyDoc, reservedKeyPatch]{
	typ:        "reserved-tag-keys",
	id:         func(k *reservedKeyDoc) string { return k.ID },
	path:       func(k *reservedKeyDoc) string { return "/api/v2/reserved-tag-keys/" + k.ID },
	attributes: reservedKeyAttributes,
}

func (a *API) listReservedKeys(r *request) ([]reservedKeyDoc, int, error) {
	return a.App.ReservedTagKeys(r.Context(), r.subject, r.param("organization_name"), r.page())
}

func (a *API) showReservedKey(r *request) (reservedKeyDoc, error) {
	return a.App.ReservedTagKey(r.Context(), r.subject, r.param("key_id"))
}

func (a *API) createReservedKey(r *request, p reservedKeyPatch) (reservedKeyDoc, error) {
	return a.App.ReserveTagKey(r.Context(), r.subject, r.param("organization_name"), p)
}

func (a *API) updateReservedKey(r *request, p reservedKeyPatch) (reservedKeyDoc, error) {
	return a.App.UpdateReservedTagKey(r.Context(), r.subject, r.param("key_id"), p)
}

func (a *API) deleteReservedKey(r *request) error {
	return a.App.ReleaseTagKey(r.Context(), r.subject, r.param("key_id"))
}
