package api

import (
	"time"

	"github.com/belayhq/belay"
)

// readerTypes is what readers of states may be.
var readerTypes = map[belay.PrincipalKind]string{
	belay.UserPrincipal: "users", belay.TeamPrincipal: "teams", belay.OrganizationPrincipal: "organizations", belay.RunPrincipal: "workspaces",
}

// stateReads is who reads the states of a workspace (our own).
var stateReads = &noun[belay.StateRead, struct{}]{
	typ: "state-reads",
	id:  func(r *belay.StateRead) string { return r.ID },
	attributes: attributes[belay.StateRead, struct{}]{
		{name: "part", show: value(func(r *belay.StateRead) string { return string(r.Part) })},
		{name: "reader-kind", show: value(func(r *belay.StateRead) string { return string(r.Kind) })},
		{name: "reader-name", show: maybe(func(r *belay.StateRead) string { return r.Name })},
		{name: "first-read-at", show: value(func(r *belay.StateRead) time.Time { return r.FirstAt })},
		{name: "last-read-at", show: value(func(r *belay.StateRead) time.Time { return r.LastAt })},
		{name: "days", show: value(func(r *belay.StateRead) int { return r.Days })},
	},
	relations: []relation[belay.StateRead, struct{}]{
		toEither[belay.StateRead, struct{}]("reader", []string{"users", "teams", "organizations", "workspaces"}, func(r *belay.StateRead) (typ, id string) {
			return readerTypes[r.Kind], r.ReaderID
		}),
	},
}

func (a *API) listStateReads(r *request) ([]belay.StateRead, int, error) {
	return a.App.StateReads(r.Context(), r.subject, r.workspaceRef(), r.page())
}
