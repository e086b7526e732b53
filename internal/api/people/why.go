package people

import (
	"cmp"
	"net/http"
	"time"

	"github.com/belayhq/belay"
	"github.com/belayhq/belay/internal/api/doc"
	"github.com/belayhq/belay/internal/api/door"
	"github.com/belayhq/belay/internal/api/paths"
	"github.com/belayhq/belay/internal/app"
)

// reason is why somebody may do something, or not.
type reason struct {
	app.Reasons
	right string
}

var wayAttributes = doc.Attributes[belay.Way, struct{}]{
	{Name: "team-id", Show: doc.Maybe(func(w *belay.Way) string { return w.Team.ID })},
	{Name: "team-name", Show: doc.Maybe(func(w *belay.Way) string { return w.Team.Name })},
	{Name: "scope", Show: doc.Value(func(w *belay.Way) string { return string(w.Grant.Scope) })},
	{Name: "scope-id", Show: doc.Maybe(func(w *belay.Way) string { return w.ScopeID() })},
	{Name: "access", Show: doc.Maybe(func(w *belay.Way) string { return w.Grant.Level })},
	{Name: "given-at", Show: doc.Maybe(func(w *belay.Way) time.Time { return w.Grant.Given.At })},
	{Name: "given-by-id", Show: doc.Maybe(func(w *belay.Way) string { return w.Grant.Given.By })},
	{Name: "joined-at", Show: doc.Maybe(func(w *belay.Way) time.Time { return w.Place.JoinedAt })},
	{Name: "joined-by-groups", Show: doc.Value(func(w *belay.Way) bool { return w.Place.ByGroups })},
}

// reasons is the noun of answers to why somebody may do something.
var reasons = &doc.Noun[reason, struct{}]{
	Type: "access-reasons",
	ID: func(r *reason) string {
		return cmp.Or(r.User.ID, r.Team.ID) + ":" + r.right + ":" + cmp.Or(r.Workspace.ID, r.Project.ID)
	},
	Attributes: doc.Attributes[reason, struct{}]{
		{Name: "permission", Show: doc.Value(func(r *reason) string { return r.right })},
		{Name: "permitted", Show: doc.Value(func(r *reason) bool { return r.May })},
		{Name: "is-site-admin", Show: doc.Value(func(r *reason) bool { return r.SiteAdmin })},
		{Name: "is-member", Show: doc.Value(func(r *reason) bool { return r.Member })},
		{Name: "ways", Show: doc.Listed(wayAttributes, func(r *reason) []belay.Way { return r.Ways })},
		{Name: "other-ways", Show: doc.Listed(wayAttributes, func(r *reason) []belay.Way { return r.Others })},
	},
}

var _ = routes.Join(func(a *Verbs) []door.Route {
	return []door.Route{
		{Method: http.MethodGet, Path: paths.Organization + "/access-reasons", Status: http.StatusOK, Do: door.Showing(reasons, a.showReason), Query: []string{"user", "team", "permission", "workspace", "project"}, Refuses: []belay.Kind{belay.Invalid}, Needs: belay.ReadEveryMember.And(belay.ReadWorkspace), Does: "See why somebody may do something with a workspace, or why not"},
	}
})

func (a *Verbs) showReason(r *door.Request) (reason, error) {
	q := r.Query()
	want := app.WhyQuery{
		Organization: r.Param("organization_name"), Right: q.Get("permission"),
		User: q.Get("user"), Team: q.Get("team"), Workspace: q.Get("workspace"), Project: q.Get("project"),
	}
	for _, two := range [][]string{{"user", "team"}, {"workspace", "project"}} {
		if q.Get(two[0]) != "" && q.Get(two[1]) != "" {
			return reason{}, belay.Refuse(belay.Invalid, "a question is about a %s or a %s, not both", two[0], two[1])
		}
	}
	found, err := a.App.Why(r.Context(), r.Principal, want)
	return reason{found, want.Right}, err
}
