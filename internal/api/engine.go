package api

import (
	"github.com/belayhq/belay"
	"github.com/belayhq/belay/internal/app"
	"github.com/belayhq/belay/internal/jsonapi"
	"github.com/belayhq/belay/internal/patch"
)

type enginePatch = app.EngineVersionPatch

var engineAttributes = attributes[belay.EngineVersion, enginePatch]{
	{name: "version", read: func(e *belay.EngineVersion) any { return e.Version }, write: field(func(p *enginePatch) *patch.Field[string] { return &p.Version })},
	{name: "url", read: func(e *belay.EngineVersion) any { return orNull(e.URL) }, write: nullable(func(p *enginePatch) *patch.Field[string] { return &p.URL })},
	{name: "sha", read: func(e *belay.EngineVersion) any { return orNull(e.SHA) }, write: nullable(func(p *enginePatch) *patch.Field[string] { return &p.SHA })},
	{name: "archs", read: engineBuilds, write: lenient(func(p *enginePatch) *patch.Field[[]belay.EngineBuild] { return &p.Archs })},
	{name: "official", read: func(e *belay.EngineVersion) any { return e.Official }, write: field(func(p *enginePatch) *patch.Field[bool] { return &p.Official })},
	{name: "enabled", read: func(e *belay.EngineVersion) any { return e.Enabled }, write: field(func(p *enginePatch) *patch.Field[bool] { return &p.Enabled })},
	{name: "beta", read: func(e *belay.EngineVersion) any { return e.Beta }, write: field(func(p *enginePatch) *patch.Field[bool] { return &p.Beta })},
	{name: "deprecated", read: func(e *belay.EngineVersion) any { return e.Deprecated }, write: field(func(p *enginePatch) *patch.Field[bool] { return &p.Deprecated })},
	{name: "deprecated-reason", read: func(e *belay.EngineVersion) any { return orNull(e.DeprecatedReason) }, write: nullable(func(p *enginePatch) *patch.Field[string] { return &p.DeprecatedReason })},
	{name: "usage", read: func(e *belay.EngineVersion) any { return e.Usage }},
	{name: "created-at", read: func(e *belay.EngineVersion) any { return e.CreatedAt }},
}

func engineBuilds(e *belay.EngineVersion) any {
	if e.Archs == nil {
		return []belay.EngineBuild{}
	}
	return e.Archs
}

func (a *API) engine(e belay.EngineVersion) *jsonapi.Resource {
	return &jsonapi.Resource{
		Type: "terraform-versions", ID: e.ID, Attributes: engineAttributes.object(&e, a.App.Edition()),
		Links: jsonapi.Object{{Name: "self", Value: "/api/v2/admin/terraform-versions/" + e.ID}},
	}
}

func (a *API) engineAnswer(e belay.EngineVersion, err error) (*jsonapi.Document, error) {
	if err != nil {
		return nil, err
	}
	return one(a.engine(e)), nil
}

func (r *request) enginePatch() (p enginePatch, err error) {
	in, err := r.resource("terraform-versions", "engine-versions")
	if err != nil {
		return p, err
	}
	return p, engineAttributes.decode(in, &p, r.api.App.Edition())
}

func (a *API) listEngines(r *request) (*jsonapi.Document, error) {
	q := r.URL.Query()
	search := q.Get("search[version]")
	if search == "" {
		search = q.Get("filter[version]")
	}
	list, total, err := a.App.EngineVersions(r.Context(), r.subject, search, r.page())
	if err != nil {
		return nil, err
	}
	return r.list(each(list, a.engine), total), nil
}

func (a *API) showEngine(r *request) (*jsonapi.Document, error) {
	e, err := a.App.EngineVersion(r.Context(), r.subject, r.param("version_id"))
	return a.engineAnswer(e, err)
}

func (a *API) createEngine(r *request) (*jsonapi.Document, error) {
	p, err := r.enginePatch()
	if err != nil {
		return nil, err
	}
	e, err := a.App.CreateEngineVersion(r.Context(), r.subject, p)
	return a.engineAnswer(e, err)
}

func (a *API) updateEngine(r *request) (*jsonapi.Document, error) {
	p, err := r.enginePatch()
	if err != nil {
		return nil, err
	}
	e, err := a.App.UpdateEngineVersion(r.Context(), r.subject, r.param("version_id"), p)
	return a.engineAnswer(e, err)
}

func (a *API) deleteEngine(r *request) (*jsonapi.Document, error) {
	return nil, a.App.DeleteEngineVersion(r.Context(), r.subject, r.param("version_id"))
}
