package api

import (
	"encoding/json"
	"fmt"

	"github.com/belayhq/belay"
	"github.com/belayhq/belay/internal/jsonapi"
	"github.com/belayhq/belay/internal/patch"
)

var tagBindingAttributes = attributes[belay.TagBinding, belay.TagBinding]{
	{name: "key", read: func(b *belay.TagBinding) any { return b.Key }, write: func(b *belay.TagBinding, raw json.RawMessage) error { return json.Unmarshal(raw, &b.Key) }},
	{name: "value", read: func(b *belay.TagBinding) any { return b.Value }, write: func(b *belay.TagBinding, raw json.RawMessage) error { return json.Unmarshal(raw, &b.Value) }},
	{name: "created-at", read: func(b *belay.TagBinding) any { return b.CreatedAt }},
}

func (a *API) tagBinding(b belay.TagBinding) *jsonapi.Resource {
	return &jsonapi.Resource{Type: "tag-bindings", ID: b.ID, Attributes: tagBindingAttributes.object(&b, a.App.Edition())}
}

// effectiveTagBinding is the resource of a binding in force. An own one carries no links:
// clients tell an inherited one by them.
func (a *API) effectiveTagBinding(b belay.EffectiveTagBinding) *jsonapi.Resource {
	resource := a.tagBinding(b.TagBinding)
	resource.Type = "effective-tag-bindings"
	if b.ProjectID != "" {
		project := "/api/v2/projects/" + b.ProjectID
		resource.Links = jsonapi.Object{{Name: "inherited-from", Value: project}}
		resource.Relationships = []jsonapi.Relation{
			{Name: "inherited-from", Data: jsonapi.Ref{Type: "projects", ID: b.ProjectID}, Related: project},
		}
	}
	return resource
}

// tagBindings reads a list of tag bindings that stands at pointer.
func tagBindings(list []*jsonapi.Incoming, pointer string) (belay.TagBindings, error) {
	var problems belay.Problems
	bindings := make(belay.TagBindings, len(list))
	for i, in := range list {
		for _, row := range tagBindingAttributes {
			raw, ok := in.Attributes[row.name]
			if !ok || row.write == nil {
				continue
			}
			if err := row.write(&bindings[i], raw); err != nil {
				problems.At(fmt.Sprintf("%s/%d/attributes/%s", pointer, i, row.name), "%s %s", row.name, jsonapi.Complaint(err))
			}
		}
	}
	return bindings, problems.Err()
}

// relatedBindings reads the tag bindings that a workspace or project is to have.
func relatedBindings(in *jsonapi.Incoming) (field patch.Field[belay.TagBindings], err error) {
	list, err := related(in, "tag-bindings", "tag-bindings")
	if err != nil || list == nil {
		return field, err
	}
	bindings, err := tagBindings(list, "/data/relationships/tag-bindings/data")
	return patch.Of(bindings), err
}

func (r *request) listedBindings() (belay.TagBindings, error) {
	list, err := r.items("tag-bindings")
	if err != nil {
		return nil, err
	}
	return tagBindings(list, "/data")
}

// listOf is the document of a list that has no pages. target is what the list belongs to.
func listOf(data []*jsonapi.Resource, target string) *jsonapi.Document {
	return &jsonapi.Document{Data: data, Links: jsonapi.Object{{Name: "target", Value: target}}}
}

func (a *API) listWorkspaceBindings(r *request) (*jsonapi.Document, error) {
	list, err := a.App.WorkspaceBindings(r.Context(), r.subject, r.workspaceRef())
	if err != nil {
		return nil, err
	}
	return listOf(each(list, a.tagBinding), "/api/v2/workspaces/"+r.param("workspace_id")), nil
}

func (a *API) listEffectiveBindings(r *request) (*jsonapi.Document, error) {
	list, err := a.App.EffectiveBindings(r.Context(), r.subject, r.workspaceRef())
	if err != nil {
		return nil, err
	}
	return listOf(each(list, a.effectiveTagBinding), "/api/v2/workspaces/"+r.param("workspace_id")), nil
}

// addWorkspaceBindings answers with the bindings that the request named, in its order.
func (a *API) addWorkspaceBindings(r *request) (*jsonapi.Document, error) {
	list, err := a.bindWorkspace(r, false)
	if err != nil || r.status == noContent {
		return nil, err
	}
	return listOf(each(list, a.tagBinding), "/api/v2/workspaces/"+r.param("workspace_id")), nil
}

func (a *API) replaceWorkspaceBindings(r *request) (*jsonapi.Document, error) {
	_, err := a.bindWorkspace(r, true)
	return nil, err
}

func (a *API) bindWorkspace(r *request, replace bool) (belay.TagBindings, error) {
	asked, err := r.listedBindings()
	if err != nil {
		return nil, err
	}
	return a.App.BindWorkspace(r.Context(), r.subject, r.workspaceRef(), asked, replace)
}

func (a *API) listProjectBindings(r *request) (*jsonapi.Document, error) {
	list, err := a.App.ProjectBindings(r.Context(), r.subject, r.param("project_id"))
	if err != nil {
		return nil, err
	}
	return listOf(each(list, a.tagBinding), "/api/v2/projects/"+r.param("project_id")), nil
}

// listProjectEffectiveBindings is the project's own bindings: a project inherits none.
func (a *API) listProjectEffectiveBindings(r *request) (*jsonapi.Document, error) {
	list, err := a.App.ProjectBindings(r.Context(), r.subject, r.param("project_id"))
	if err != nil {
		return nil, err
	}
	data := each(list, func(b belay.TagBinding) *jsonapi.Resource {
		return a.effectiveTagBinding(belay.EffectiveTagBinding{TagBinding: b})
	})
	return listOf(data, "/api/v2/projects/"+r.param("project_id")), nil
}

func (a *API) addProjectBindings(r *request) (*jsonapi.Document, error) {
	list, err := a.bindProject(r, false)
	if err != nil || r.status == noContent {
		return nil, err
	}
	return listOf(each(list, a.tagBinding), "/api/v2/projects/"+r.param("project_id")), nil
}

func (a *API) replaceProjectBindings(r *request) (*jsonapi.Document, error) {
	_, err := a.bindProject(r, true)
	return nil, err
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
	{name: "key", read: func(k *reservedKeyDoc) any { return k.Key }, write: field(func(p *reservedKeyPatch) *patch.Field[string] { return &p.Key })},
	{name: "disable-overrides", read: func(k *reservedKeyDoc) any { return k.DisableOverrides }, write: field(func(p *reservedKeyPatch) *patch.Field[bool] { return &p.DisableOverrides })},
	{name: "created-at", read: func(k *reservedKeyDoc) any { return k.CreatedAt }},
	{name: "updated-at", read: func(k *reservedKeyDoc) any { return k.UpdatedAt }},
	{name: "created_at", read: func(k *reservedKeyDoc) any { return k.CreatedAt }},
	{name: "updated_at", read: func(k *reservedKeyDoc) any { return k.UpdatedAt }},
}

func (a *API) reservedKey(k reservedKeyDoc) *jsonapi.Resource {
	return &jsonapi.Resource{
		Type: "reserved-tag-keys", ID: k.ID,
		Attributes: reservedKeyAttributes.object(&k, a.App.Edition()),
		Links:      jsonapi.Object{{Name: "self", Value: "/api/v2/reserved-tag-keys/" + k.ID}},
	}
}

func (r *request) reservedKeyPatch() (p reservedKeyPatch, err error) {
	in, err := r.resource("reserved-tag-keys")
	if err != nil {
		return p, err
	}
	return p, reservedKeyAttributes.decode(in, &p, r.api.App.Edition())
}

func (a *API) listReservedKeys(r *request) (*jsonapi.Document, error) {
	list, total, err := a.App.ReservedTagKeys(r.Context(), r.subject, r.param("organization_name"), r.page())
	if err != nil {
		return nil, err
	}
	return r.list(each(list, a.reservedKey), total), nil
}

func (a *API) createReservedKey(r *request) (*jsonapi.Document, error) {
	p, err := r.reservedKeyPatch()
	if err != nil {
		return nil, err
	}
	k, err := a.App.ReserveTagKey(r.Context(), r.subject, r.param("organization_name"), p)
	if err != nil {
		return nil, err
	}
	return one(a.reservedKey(k)), nil
}

func (a *API) updateReservedKey(r *request) (*jsonapi.Document, error) {
	p, err := r.reservedKeyPatch()
	if err != nil {
		return nil, err
	}
	k, err := a.App.UpdateReservedTagKey(r.Context(), r.subject, r.param("key_id"), p)
	if err != nil {
		return nil, err
	}
	return one(a.reservedKey(k)), nil
}

func (a *API) deleteReservedKey(r *request) (*jsonapi.Document, error) {
	return nil, a.App.ReleaseTagKey(r.Context(), r.subject, r.param("key_id"))
}
