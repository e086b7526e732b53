package runs

import (
	"net/http"
	"time"

	"github.com/belayhq/belay"
	"github.com/belayhq/belay/internal/api/doc"
	"github.com/belayhq/belay/internal/api/door"
	"github.com/belayhq/belay/internal/api/paths"
	"github.com/belayhq/belay/internal/app"
	"github.com/belayhq/belay/internal/patch"
)

type enginePatch = app.EngineVersionPatch

// EngineAttributes is every attribute of the version of an engine.
var EngineAttributes = doc.Attributes[belay.EngineVersion, enginePatch]{
	{Name: "version", Show: doc.Value(func(e *belay.EngineVersion) string { return e.Version }), Write: doc.Field(func(p *enginePatch) *patch.Field[string] { return &p.Version })},
	{Name: "url", Show: doc.Maybe(func(e *belay.EngineVersion) string { return e.URL }), Write: doc.Nullable(func(p *enginePatch) *patch.Field[string] { return &p.URL })},
	{Name: "sha", Show: doc.Maybe(func(e *belay.EngineVersion) string { return e.SHA }), Write: doc.Nullable(func(p *enginePatch) *patch.Field[string] { return &p.SHA })},
	{Name: "archs", Show: doc.Value(engineBuilds), Write: doc.Lenient(func(p *enginePatch) *patch.Field[[]belay.EngineBuild] { return &p.Archs })},
	{Name: "official", Show: doc.Value(func(e *belay.EngineVersion) bool { return e.Official }), Write: doc.Field(func(p *enginePatch) *patch.Field[bool] { return &p.Official })},
	{Name: "enabled", Show: doc.Value(func(e *belay.EngineVersion) bool { return e.Enabled }), Write: doc.Field(func(p *enginePatch) *patch.Field[bool] { return &p.Enabled })},
	{Name: "beta", Show: doc.Value(func(e *belay.EngineVersion) bool { return e.Beta }), Write: doc.Field(func(p *enginePatch) *patch.Field[bool] { return &p.Beta })},
	{Name: "deprecated", Show: doc.Value(func(e *belay.EngineVersion) bool { return e.Deprecated }), Write: doc.Field(func(p *enginePatch) *patch.Field[bool] { return &p.Deprecated })},
	{Name: "deprecated-reason", Show: doc.Maybe(func(e *belay.EngineVersion) string { return e.DeprecatedReason }), Write: doc.Nullable(func(p *enginePatch) *patch.Field[string] { return &p.DeprecatedReason })},
	{Name: "usage", Show: doc.Value(func(e *belay.EngineVersion) int { return e.Usage })},
	{Name: "created-at", Show: doc.Value(func(e *belay.EngineVersion) time.Time { return e.CreatedAt })},
}

func engineBuilds(e *belay.EngineVersion) []belay.EngineBuild {
	if e.Archs == nil {
		return []belay.EngineBuild{}
	}
	return e.Archs
}

var engines = &doc.Noun[belay.EngineVersion, enginePatch]{
	Type:       "terraform-versions",
	Schema:     "EngineVersion",
	Accepts:    []string{"terraform-versions", "engine-versions"},
	ID:         func(e *belay.EngineVersion) string { return e.ID },
	Path:       func(e *belay.EngineVersion) string { return "/api/v2/admin/terraform-versions/" + e.ID },
	Attributes: EngineAttributes,
}

var _ = routes.Join(func(a *Verbs) []door.Route {
	return []door.Route{
		{Method: http.MethodGet, Path: paths.V2 + "/admin/terraform-versions", Status: http.StatusOK, Do: door.Listing(engines, a.listEngines), Query: []string{"search[version]"}, Filters: versionFilters, By: door.SiteAdmins, Does: "List the engine versions"},
		{Method: http.MethodPost, Path: paths.V2 + "/admin/terraform-versions", Status: http.StatusCreated, Do: door.Writing(engines, a.createEngine), By: door.SiteAdmins, Does: "Make an engine version known"},
		{Method: http.MethodGet, Path: paths.V2 + "/admin/terraform-versions/{version_id}", Status: http.StatusOK, Do: door.Showing(engines, a.showEngine), By: door.SiteAdmins, Does: "See an engine version"},
		{Method: http.MethodPatch, Path: paths.V2 + "/admin/terraform-versions/{version_id}", Status: http.StatusOK, Do: door.Writing(engines, a.updateEngine), By: door.SiteAdmins, Does: "Change an engine version"},
		{Method: http.MethodPost, Path: paths.V2 + "/admin/terraform-versions/{version_id}/actions/support-from", Status: http.StatusNoContent, Do: door.Doing(a.supportEnginesFrom), By: door.SiteAdmins, Does: "Deprecate all older engine versions"},
		{Method: http.MethodDelete, Path: paths.V2 + "/admin/terraform-versions/{version_id}", Status: http.StatusNoContent, Do: door.Doing(a.deleteEngine), By: door.SiteAdmins, Does: "Forget an engine version"},
	}
})

func (a *Verbs) listEngines(r *door.Request) ([]belay.EngineVersion, int, error) {
	q := r.Query()
	search := q.Get("search[version]")
	if search == "" {
		search = q.Get("filter[version]")
	}
	return a.App.EngineVersions(r.Context(), r.Principal, search, r.Page())
}

func (a *Verbs) showEngine(r *door.Request) (belay.EngineVersion, error) {
	return a.App.EngineVersion(r.Context(), r.Principal, r.Param("version_id"))
}

func (a *Verbs) createEngine(r *door.Request, p enginePatch) (belay.EngineVersion, error) {
	return a.App.CreateEngineVersion(r.Context(), r.Principal, p)
}

func (a *Verbs) updateEngine(r *door.Request, p enginePatch) (belay.EngineVersion, error) {
	return a.App.UpdateEngineVersion(r.Context(), r.Principal, r.Param("version_id"), p)
}

func (a *Verbs) supportEnginesFrom(r *door.Request) error {
	return a.App.SupportEnginesFrom(r.Context(), r.Principal, r.Param("version_id"))
}

func (a *Verbs) deleteEngine(r *door.Request) error {
	return a.App.DeleteEngineVersion(r.Context(), r.Principal, r.Param("version_id"))
}
