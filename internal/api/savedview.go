package api

import (
	"encoding/json"

	"github.com/belayhq/belay"
	"github.com/belayhq/belay/internal/explorer"
	"github.com/belayhq/belay/internal/jsonapi"
	"github.com/belayhq/belay/internal/patch"
)

// savedViewAttributes is every attribute of a saved view.
var savedViewAttributes = attributes[belay.SavedView, struct{}]{
	{name: "name", read: func(s *belay.SavedView) any { return s.Name }},
	{name: "created-at", read: func(s *belay.SavedView) any { return s.CreatedAt }},
	{name: "updated-at", read: func(s *belay.SavedView) any { return s.UpdatedAt }},
	{name: "query-type", read: func(s *belay.SavedView) any { return s.QueryType() }},
	{name: "query", read: func(s *belay.SavedView) any { return json.RawMessage(s.Query) }},
}

func (a *API) savedView(s belay.SavedView) *jsonapi.Resource {
	return &jsonapi.Resource{
		Type: "explorer-saved-views", ID: s.ID, Attributes: savedViewAttributes.object(&s, a.App.Edition()),
		Relationships: []jsonapi.Relation{{Name: "created-by", Data: jsonapi.One("users", s.CreatedBy)}},
	}
}

func (a *API) savedViewAnswer(s belay.SavedView, err error) (*jsonapi.Document, error) {
	if err != nil {
		return nil, err
	}
	return one(a.savedView(s)), nil
}

func (a *API) listSavedViews(r *request) (*jsonapi.Document, error) {
	list, total, err := a.App.SavedViews(r.Context(), r.subject, r.param("organization_name"), r.page())
	if err != nil {
		return nil, err
	}
	return r.list(each(list, a.savedView), total), nil
}

func (a *API) createSavedView(r *request) (*jsonapi.Document, error) {
	p, err := r.savedViewPatch()
	if err != nil {
		return nil, err
	}
	s, err := a.App.CreateSavedView(r.Context(), r.subject, r.param("organization_name"), p)
	return a.savedViewAnswer(s, err)
}

func (a *API) showSavedView(r *request) (*jsonapi.Document, error) {
	s, err := a.App.SavedView(r.Context(), r.subject, r.param("organization_name"), r.param("view_id"))
	return a.savedViewAnswer(s, err)
}

func (a *API) updateSavedView(r *request) (*jsonapi.Document, error) {
	p, err := r.savedViewPatch()
	if err != nil {
		return nil, err
	}
	s, err := a.App.UpdateSavedView(r.Context(), r.subject, r.param("organization_name"), r.param("view_id"), p)
	return a.savedViewAnswer(s, err)
}

func (a *API) deleteSavedView(r *request) (*jsonapi.Document, error) {
	s, err := a.App.DeleteSavedView(r.Context(), r.subject, r.param("organization_name"), r.param("view_id"))
	return a.savedViewAnswer(s, err)
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

// savedViewPatch reads the body of a saved view. Its members stand in data or in
// data.attributes, spelled with underscores or hyphens.
func (r *request) savedViewPatch() (p belay.SavedViewPatch, err error) {
	in, err := r.resource("explorer-saved-queries", "explorer-saved-views", "explorer_saved_queries", "explorer_saved_views")
	if err != nil {
		return p, err
	}
	members := membersOf(in)
	p.Places = members.places
	var problems belay.Problems
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
			want, err := explorer.FromJSON(raw, kind.Value, p.Places.At("query"))
			if err := problems.Add(err); err != nil {
				return p, err
			}
			p.Query.Value = string(want.JSON())
		}
	}
	return p, problems.Err()
}
