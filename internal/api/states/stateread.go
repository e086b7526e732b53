package states

import (
	"net/http"
	"time"

	"github.com/belayhq/belay"
	"github.com/belayhq/belay/internal/api/doc"
	"github.com/belayhq/belay/internal/api/door"
	"github.com/belayhq/belay/internal/api/paths"
)

// readerTypes is what readers of states may be.
var readerTypes = map[belay.PrincipalKind]string{
	belay.UserPrincipal: "users", belay.TeamPrincipal: "teams", belay.OrganizationPrincipal: "organizations", belay.RunPrincipal: "workspaces",
}

// stateReads is who reads the states of a workspace (our own).
var stateReads = &doc.Noun[belay.StateRead, struct{}]{
	Type: "state-reads",
	ID:   func(r *belay.StateRead) string { return r.ID },
	Attributes: doc.Attributes[belay.StateRead, struct{}]{
		{Name: "part", Show: doc.Value(func(r *belay.StateRead) string { return string(r.Part) })},
		{Name: "reader-kind", Show: doc.Value(func(r *belay.StateRead) string { return string(r.Kind) })},
		{Name: "reader-name", Show: doc.Maybe(func(r *belay.StateRead) string { return r.Name })},
		{Name: "first-read-at", Show: doc.Value(func(r *belay.StateRead) time.Time { return r.FirstAt })},
		{Name: "last-read-at", Show: doc.Value(func(r *belay.StateRead) time.Time { return r.LastAt })},
		{Name: "days", Show: doc.Value(func(r *belay.StateRead) int { return r.Days })},
	},
	Relations: []doc.Relation[belay.StateRead, struct{}]{
		doc.ToEither[belay.StateRead, struct{}]("reader", []string{"users", "teams", "organizations", "workspaces"}, func(r *belay.StateRead) (typ, id string) {
			return readerTypes[r.Kind], r.ReaderID
		}),
	},
}

var _ = routes.Join(func(a *Verbs) []door.Route {
	return []door.Route{
		{Method: http.MethodGet, Path: paths.Workspace + "/state-reads", Status: http.StatusOK, Do: door.Listing(stateReads, a.listStateReads), Needs: belay.UpdateWorkspace, Does: "List who reads the states"},
	}
})

func (a *Verbs) listStateReads(r *door.Request) ([]belay.StateRead, int, error) {
	return a.App.StateReads(r.Context(), r.Principal, paths.WorkspaceRef(r), r.Page())
}
