package changes

import (
	"encoding/json"
	"net/http"
	"time"

	"github.com/belayhq/belay"
	"github.com/belayhq/belay/backlog"
	"github.com/belayhq/belay/internal/api/doc"
	"github.com/belayhq/belay/internal/api/door"
	"github.com/belayhq/belay/internal/api/paths"
	"github.com/belayhq/belay/internal/explorer"
	"github.com/belayhq/belay/internal/jsonapi"
	"github.com/belayhq/belay/internal/openapi"
	"github.com/belayhq/belay/internal/patch"
)

// savedViewAttributes is every attribute of a saved view.
var savedViewAttributes = doc.Attributes[backlog.SavedView, struct{}]{
	{Name: "name", Show: doc.Value(func(s *backlog.SavedView) string { return s.Name })},
	{Name: "created-at", Show: doc.Value(func(s *backlog.SavedView) time.Time { return s.CreatedAt })},
	{Name: "updated-at", Show: doc.Value(func(s *backlog.SavedView) time.Time { return s.UpdatedAt })},
	{Name: "query-type", Show: doc.Value(func(s *backlog.SavedView) string { return s.QueryType })},
	{Name: "query", Show: doc.Value(func(s *backlog.SavedView) json.RawMessage { return json.RawMessage(s.Query) })},
}

var savedViews = &doc.Noun[backlog.SavedView, struct{}]{
	Type:       "explorer-saved-views",
	ID:         func(s *backlog.SavedView) string { return s.ID },
	Attributes: savedViewAttributes,
	Relations: []doc.Relation[backlog.SavedView, struct{}]{
		doc.Bare[backlog.SavedView, struct{}]("created-by", "users", func(s *backlog.SavedView) string { return s.CreatedBy }),
	},
}

var _ = routes.Join(func(a *Verbs) []door.Route {
	return []door.Route{
		{Method: http.MethodGet, Path: paths.Explorer + "/views", Status: http.StatusOK, Do: door.Listing(savedViews, a.listSavedViews), Needs: belay.ReadExplorer, Does: "List the saved questions"},
		{Method: http.MethodPost, Path: paths.Explorer + "/views", Status: http.StatusCreated, Do: door.Showing(savedViews, a.createSavedView).Reads(savedViewBody), Needs: belay.ReadExplorer, Does: "Save a question"},
		{Method: http.MethodGet, Path: paths.Explorer + "/views/{view_id}", Status: http.StatusOK, Do: door.Showing(savedViews, a.showSavedView), Needs: belay.ReadExplorer, Does: "See a saved question"},
		{Method: http.MethodPatch, Path: paths.Explorer + "/views/{view_id}", Status: http.StatusOK, Do: door.Showing(savedViews, a.updateSavedView).Reads(savedViewBody), Needs: belay.ReadExplorer, Does: "Change a saved question"},
		{Method: http.MethodDelete, Path: paths.Explorer + "/views/{view_id}", Status: http.StatusOK, Do: door.Showing(savedViews, a.deleteSavedView), Needs: belay.ReadExplorer, Does: "Delete a saved question"},
		{Method: http.MethodGet, Path: paths.Explorer + "/views/{view_id}/results", Status: http.StatusOK, Do: exploring(a.savedViewResults), Needs: belay.ReadExplorer, Does: "Ask a saved question"},
		{Method: http.MethodGet, Path: paths.Explorer + "/views/{view_id}/csv", Status: http.StatusOK, Raw: a.savedViewCSV, Media: "text/csv", Needs: belay.ReadExplorer, Does: "Ask a saved question, as CSV"},
	}
})

func (a *Verbs) listSavedViews(r *door.Request) ([]backlog.SavedView, int, error) {
	return a.App.SavedViews(r.Context(), r.Principal, r.Param("organization_name"), r.Page())
}

func (a *Verbs) createSavedView(r *door.Request) (none backlog.SavedView, err error) {
	p, err := savedViewPatch(r)
	if err != nil {
		return none, err
	}
	return a.App.CreateSavedView(r.Context(), r.Principal, r.Param("organization_name"), p)
}

func (a *Verbs) showSavedView(r *door.Request) (backlog.SavedView, error) {
	return a.App.SavedView(r.Context(), r.Principal, r.Param("organization_name"), r.Param("view_id"))
}

func (a *Verbs) updateSavedView(r *door.Request) (none backlog.SavedView, err error) {
	p, err := savedViewPatch(r)
	if err != nil {
		return none, err
	}
	return a.App.UpdateSavedView(r.Context(), r.Principal, r.Param("organization_name"), r.Param("view_id"), p)
}

func (a *Verbs) deleteSavedView(r *door.Request) (backlog.SavedView, error) {
	return a.App.DeleteSavedView(r.Context(), r.Principal, r.Param("organization_name"), r.Param("view_id"))
}

// savedQuestion is the question of the saved view that the path names.
func (a *Verbs) savedQuestion(r *door.Request) (explorer.Query, error) {
	s, err := a.App.SavedView(r.Context(), r.Principal, r.Param("organization_name"), r.Param("view_id"))
	if err != nil {
		return explorer.Query{}, err
	}
	return explorer.FromJSON([]byte(s.Query), "", "")
}

func (a *Verbs) savedViewResults(r *door.Request) (*jsonapi.Document, error) {
	want, err := a.savedQuestion(r)
	if err != nil {
		return nil, err
	}
	return a.explored(r, want)
}

func (a *Verbs) savedViewCSV(r *door.Request) error {
	want, err := a.savedQuestion(r)
	if err != nil {
		return err
	}
	return a.writeCSV(r, want)
}

// savedViewBody is the schema of a body about a saved view.
func savedViewBody(d *doc.Describer) *openapi.Schema {
	return d.Named("ExplorerSavedViewBody", func() *openapi.Schema {
		members := func() *openapi.Schema {
			is := &openapi.Schema{Type: openapi.Types{"object"}}
			for _, name := range []string{"name", "query_type"} {
				is.Add(name, openapi.Of[string](), false)
			}
			return is.Add("query", &openapi.Schema{Type: openapi.Types{"object"}}, false)
		}
		return doc.Document(members().Add("attributes", members(), false))
	})
}

// savedViewPatch reads the body of a saved view. Its members stand in data or in
// data.attributes, spelled with underscores or hyphens.
func savedViewPatch(r *door.Request) (p backlog.SavedViewPatch, err error) {
	in, err := r.Resource("explorer-saved-queries", "explorer-saved-views", "explorer_saved_queries", "explorer_saved_views")
	if err != nil {
		return p, err
	}
	members := doc.MembersOf(in)
	p.Places = members.Places
	problems := members.Twice
	var kind patch.Field[string]
	for name, into := range map[string]*patch.Field[string]{"name": &p.Name, "query_type": &kind} {
		if raw, ok := members.Given[name]; ok {
			if err := into.UnmarshalJSON(raw); err != nil {
				problems.At(p.Places.At(name), "%s %s", name, jsonapi.Complaint(err))
			}
		}
	}
	p.Type = kind.Value
	if raw, ok := members.Given["query"]; ok {
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
	return p, r.Later(problems.Err())
}
