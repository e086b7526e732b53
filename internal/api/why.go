package api

import (
	"github.com/belayhq/belay"
	"github.com/belayhq/belay/internal/app"
)

// reason is why somebody may do something, or not.
type reason struct {
	app.Reasons
	right string
}

var wayAttributes = attributes[belay.Way, struct{}]{
	{name: "team-id", show: maybe(func(w *belay.Way) string { return w.Team.ID })},
	{name: "team-name", show: maybe(func(w *belay.Way) string { return w.Team.Name })},
	{name: "scope", show: value(func(w *belay.Way) string { return string(w.Grant.Scope) })},
	{name: "scope-id", show: maybe(func(w *belay.Way) string { return w.ScopeID() })},
	{name: "access", show: maybe(func(w *belay.Way) string { return w.Grant.Level })},
}

// reasons is the noun of answers to why somebody may do something.
var reasons = &noun[reason, struct{}]{
	typ: "access-reasons",
	id:  func(r *reason) string { return r.User.ID + ":" + r.right + ":" + r.Workspace.ID },
	attributes: attributes[reason, struct{}]{
		{name: "permission", show: value(func(r *reason) string { return r.right })},
		{name: "permitted", show: value(func(r *reason) bool { return r.May })},
		{name: "is-site-admin", show: value(func(r *reason) bool { return r.SiteAdmin })},
		{name: "is-member", show: value(func(r *reason) bool { return r.Member })},
		{name: "ways", show: listed(wayAttributes, func(r *reason) []belay.Way { return r.Ways })},
		{name: "other-ways", show: listed(wayAttributes, func(r *reason) []belay.Way { return r.Others })},
	},
}

func (a *API) showReason(r *request) (reason, error) {
	q := r.query()
	right := q.Get("permission")
	found, err := a.App.Why(r.Context(), r.subject, r.param("organization_name"), q.Get("user"), right, belay.WorkspaceRef{
		Organization: r.param("organization_name"), Name: q.Get("workspace"),
	})
	return reason{found, right}, err
}
