package api

import (
	"net/http"
	"slices"

	"github.com/belayhq/belay"
	"github.com/belayhq/belay/internal/api/door"
	"github.com/belayhq/belay/internal/api/paths"
)

// routes is the whole API, family by family: method, path, status of success, handler.
func (a *API) routes() []door.Route {
	return slices.Concat(
		a.people.Routes(),        // users, members, teams, tokens
		a.organizations.Routes(), // the site, organizations, plans, connections, notifications
		a.workspaces.Routes(),    // projects, workspaces, tags, variables, retention
		a.states.Routes(),        // states, outputs, resources
		a.runs.Routes(),          // pools, engines, configurations, runs, assessments
		a.changes.Routes(),       // the explorer, change requests, bulk actions
		a.ownRoutes(),
	)
}

// ownRoutes is the routes of no noun.
func (a *API) ownRoutes() []door.Route {
	return []door.Route{
		{Method: http.MethodGet, Path: paths.V2 + "/openapi.json", Status: http.StatusOK, Raw: a.describeItself, Open: true, Media: "application/json", Does: "Read this description of the API (open to everybody)"},

		// Files, by addresses that are signed.
		{Method: http.MethodPut, Path: anObject, Status: http.StatusOK, Raw: a.uploadObject, Open: true, Refuses: []belay.Kind{belay.NotFound, belay.Conflict, belay.Precondition, belay.Invalid, belay.TooLarge}, Does: "Upload a file (open: the address is signed, and the secret)"},
		{Method: http.MethodGet, Path: anObject, Status: http.StatusOK, Raw: a.downloadObject, Open: true, Media: "application/octet-stream", Refuses: []belay.Kind{belay.NotFound}, Does: "Download a file (open: the address is signed, and the secret)"},
	}
}

// describeItself gives the description of the table, which is not there yet when the table is made.
func (a *API) describeItself(r *door.Request) error { return a.ServeOpenAPI(r) }
