package api

import (
	"encoding/json"
	"time"

	"github.com/belayhq/belay"
	"github.com/belayhq/belay/internal/explorer"
	"github.com/belayhq/belay/internal/jsonapi"
	"github.com/belayhq/belay/internal/openapi"
	"github.com/belayhq/belay/internal/patch"
)

// savedViewAttributes is every attribute of a saved view.
var savedViewAttributes = attributes[belay.SavedView, struct{}]{
	{name: "name", show: value(func(s *belay.SavedView) string { return s.Name })},
	{name: "created-at", show: value(func(s *belay.SavedView) time.Time { return s.CreatedAt })},
	{name: "updated-at", show: value(func(s *belay.SavedView) time.Time { return s.UpdatedAt })},
	{name: "query-type", show: value(func(s *belay.SavedView) string { return s.QueryType })},
	{name: "query", show: value(func(s *belay.SavedView) json.RawMessage { return json.RawMessage(s.Query) })},
}

var savedViews = &noun[belay.SavedView, struct{}]{
	typ:        "explorer-saved-views",
	id:         func(s *belay.SavedView) string { return s.ID },
	attributes: savedViewAttributes,
	relations: []relation[belay.SavedView, struct{}]{
		bare[belay.SavedView, struct{}]("created-by", "users", func(s *belay.SavedView) string { return s.CreatedBy }),
	},
}

func (a *API) listSavedViews(r *request) ([]belay.SavedView, int, error) {
	return a.App.SavedViews(r.Context(), r.subject, r.param("organization_name"), r.page())
}

func (a *API) createSavedView(r *request) (none belay.SavedView, err error) {
	p, err := r.savedViewPatch()
	if err != nil {
		return none, err
	}
	return a.App.CreateSavedView(r.Context(), r.subject, r.param("organization_name"), p)
}

func (a *API) showSavedView(r *request) (belay.SavedView, error) {
	return a.App.SavedView(r.Context(), r.subject, r.param("organization_name"), r.param("view_id"))
}

func (a *API) updateSavedView(r *request) (none belay.SavedView, err error) {
	p, err := r.savedViewPatch()
	if err != nil {
		return none, err
	}
	return a.App.UpdateSavedView(r.Context(), r.subject, r.param("organization_name"), r.param("view_id"), p)
}

func (a *API) deleteSavedView(r *request) (belay.SavedView, error) {
	return a.App.DeleteSavedView(r.Context(), r.subject, r.param("organization_name"), r.param("view_id"))
}

// savedQuestion is the question of the saved view that the path names.
func (a *API) savedQuestion(r *request) (explorer.Query, error) {
	s, err := a.App.SavedView(r.Context(), r.subject, r.param("organization_name"), r.param("view_id"))
	if err != nil {
		return explorer.Query{}, err
	}
	return explorer.FromJSON([]byte(s.Query), "", "")
}

func (a *API) savedViewResults(r *request) (*jsonapi.Document, error) {
	want, err := a.savedQuestion(r)
	if err != nil {
		return nil, err
	}
	return a.explored(r, want)
}

func (a *API) savedViewCSV(r *request) error {
	want, err := a.savedQuestion(r)
	if err != nil {
		return err
	}
	return a.writeCSV(r, want)
}

// savedViewBody is the schema of a body about a saved view.
func savedViewBody(d *describer) *openapi.Schema {
	return d.named("ExplorerSavedViewBody", func() *openapi.Schema {
		members := func() *openapi.Schema {
			is := &openapi.Schema{Type: openapi.Types{"object"}}
			for _, name := range []string{"name", "query_type"} {
				is.Add(name, openapi.Of[string](), false)
			}
			return is.Add("query", &openapi.Schema{Type: openapi.Types{"object"}}, false)
		}
		return document(members().Add("attributes", members(), false))
	})
}

// savedViewPatch reads the body of a saved view. Its members stand in data or in
// data.attributes, spelled with underscores or hyphens.
func (r *request) savedViewPatch() (p belay.SavedViewPatch, err error) {
	in, err := r.resource("explorer-saved-queries", "explorer-saved-views", "explorer_saved_queries", "explorer_saved_views")
	if err != nil {
		return p, err
	}
	members := membersOf(in)
	p.Places = members.places
	problems := members.twice
	var kind patch.Field[string]
	for name, into := range map[string]*patch.Field[string]{"name": &p.Name, "query_type": &kind} {
		if raw, ok := members.given[name]; ok {
			if err := into.UnmarshalJSON(raw); err != nil {
				problems.At(p.Places.At(name), "%s %s", name, jsonapi.Complaint(err))
			}
		}
	}
	p.Type = kind.Value
	if raw, ok := members.given["query"]; ok {
		p.Query = patch.Of("") // what null says: it is refused
		if string(raw) != "null" {
			want, err := explorer.FromJSON(raw, kind.Value, string(p.Places.At("query")))
			if err == nil {
				p.Query.Value, p.QueryType = string(want.JSON()), string(want.View)
			}
			if err := problems.Add(err); err != nil {
				return p, err
			}
		}
	}
	return p, r.later(problems.Err())
}
