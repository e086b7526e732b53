package api

import (
	"time"

	"github.com/belayhq/belay"
	"github.com/belayhq/belay/internal/app"
	"github.com/belayhq/belay/internal/patch"
)

type enginePatch = app.EngineVersionPatch

var engineAttributes = attributes[belay.EngineVersion, enginePatch]{
	{name: "version", show: value(func(e *belay.EngineVersion) string { return e.Version }), write: field(func(p *enginePatch) *patch.Field[string] { return &p.Version })},
	{name: "url", show: maybe(func(e *belay.EngineVersion) string { return e.URL }), write: nullable(func(p *enginePatch) *patch.Field[string] { return &p.URL })},
	{name: "sha", show: maybe(func(e *belay.EngineVersion) string { return e.SHA }), write: nullable(func(p *enginePatch) *patch.Field[string] { return &p.SHA })},
	{name: "archs", show: value(engineBuilds), write: lenient(func(p *enginePatch) *patch.Field[[]belay.EngineBuild] { return &p.Archs })},
	{name: "official", show: value(func(e *belay.EngineVersion) bool { return e.Official }), write: field(func(p *enginePatch) *patch.Field[bool] { return &p.Official })},
	{name: "enabled", show: value(func(e *belay.EngineVersion) bool { return e.Enabled }), write: field(func(p *enginePatch) *patch.Field[bool] { return &p.Enabled })},
	{name: "beta", show: value(func(e *belay.EngineVersion) bool { return e.Beta }), write: field(func(p *enginePatch) *patch.Field[bool] { return &p.Beta })},
	{name: "deprecated", show: value(func(e *belay.EngineVersion) bool { return e.Deprecated }), write: field(func(p *enginePatch) *patch.Field[bool] { return &p.Deprecated })},
	{name: "deprecated-reason", show: maybe(func(e *belay.EngineVersion) string { return e.DeprecatedReason }), write: nullable(func(p *enginePatch) *patch.Field[string] { return &p.DeprecatedReason })},
	{name: "usage", show: value(func(e *belay.EngineVersion) int { return e.Usage })},
	{name: "created-at", show: value(func(e *belay.EngineVersion) time.Time { return e.CreatedAt })},
}

func engineBuilds(e *belay.EngineVersion) []belay.EngineBuild {
	if e.Archs == nil {
		return []belay.EngineBuild{}
	}
	return e.Archs
}

var engines = &noun[belay.EngineVersion, enginePatch]{
	typ:        "terraform-versions",
	schema:     "EngineVersion",
	accepts:    []string{"terraform-versions", "engine-versions"},
	id:         func(e *belay.EngineVersion) string { return e.ID },
	path:       func(e *belay.EngineVersion) string { return "/api/v2/admin/terraform-versions/" + e.ID },
	attributes: engineAttributes,
}

func (a *API) listEngines(r *request) ([]belay.EngineVersion, int, error) {
	q := r.query()
	search := q.Get("search[version]")
	if search == "" {
		search = q.Get("filter[version]")
	}
	return a.App.EngineVersions(r.Context(), r.subject, search, r.page())
}

func (a *API) showEngine(r *request) (belay.EngineVersion, error) {
	return a.App.EngineVersion(r.Context(), r.subject, r.param("version_id"))
}

func (a *API) createEngine(r *request, p enginePatch) (belay.EngineVersion, error) {
	return a.App.CreateEngineVersion(r.Context(), r.subject, p)
}

func (a *API) updateEngine(r *request, p enginePatch) (belay.EngineVersion, error) {
	return a.App.UpdateEngineVersion(r.Context(), r.subject, r.param("version_id"), p)
}

func (a *API) deleteEngine(r *request) error {
	return a.App.DeleteEngineVersion(r.Context(), r.subject, r.param("version_id"))
}
