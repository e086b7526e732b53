// Package states is the API of states, their outputs and their resources. It never reads a state
// itself: app does, as a stream.
package states

import (
	"net/http"
	"time"

	"github.com/belayhq/belay"
	"github.com/belayhq/belay/internal/api/door"
	"github.com/belayhq/belay/internal/api/paths"
	"github.com/belayhq/belay/internal/api/runs"
	"github.com/belayhq/belay/internal/api/workspaces"
	"github.com/belayhq/belay/internal/app"
	"github.com/belayhq/belay/site"
)

// Verbs is what is done with states.
type Verbs struct {
	App       *app.App
	Runs      *runs.Verbs   // whose runs documents of states include
	Snapshots time.Duration // how often a client may bring its state in the middle of an apply; 0: never
}

// Routes is the routes of states of workspaces and what stands in them.
func (a *Verbs) Routes() []door.Route {
	return []door.Route{
		// State.
		{Method: http.MethodPost, Path: paths.Workspace + "/state-versions", Status: http.StatusCreated, Do: door.Showing(StateVersions, a.createStateVersion, a.withStates()).Reads(stateBody), Streams: true, Still: a.stillSeen, Limit: maxStateDocument, Runs: true, Refuses: []belay.Kind{belay.Conflict, belay.Precondition}, Does: "Write a state, holding the lock"},
		{Method: http.MethodPatch, Path: paths.Workspace + "/state-versions", Status: http.StatusCreated, Do: door.Showing(StateVersions, a.rollBackState, a.withStates()).Reads(rollbackBody), Refuses: []belay.Kind{belay.Conflict, belay.Precondition}, Does: "Go back to an older state, holding the lock"},
		{Method: http.MethodGet, Path: paths.Workspace + "/current-state-version", Status: http.StatusOK, Do: door.Showing(StateVersions, a.showCurrentStateVersion, a.withStates()), Runs: true, Does: "See the current state"},
		{Method: http.MethodGet, Path: paths.Workspace + "/current-state-version-outputs", Status: http.StatusOK, Do: door.ListingAll(Outputs, a.listCurrentOutputs), Runs: true, Does: "See the outputs of the current state"},
		{Method: http.MethodGet, Path: paths.Workspace + "/state-reads", Status: http.StatusOK, Do: door.Listing(stateReads, a.listStateReads), Does: "List who reads the states"},
		{Method: http.MethodGet, Path: paths.Workspace + "/resources", Status: http.StatusOK, Do: door.Listing(resources, a.listResources), Runs: true, Does: "List the resources in the state"},
		{Method: http.MethodGet, Path: paths.V2 + "/state-versions", Status: http.StatusOK, Do: door.Listing(StateVersions, a.listStateVersions, a.withStates()), Runs: true, Filters: workspaces.NamedFilters, Does: "List the states of a workspace"},
		{Method: http.MethodGet, Path: paths.StateVersion, Status: http.StatusOK, Do: door.Showing(StateVersions, a.showStateVersion, a.withStates()), Runs: true, Does: "See a state"},
		{Method: http.MethodGet, Path: paths.StateVersion + "/outputs", Status: http.StatusOK, Do: door.Listing(Outputs, a.listOutputs), Runs: true, Does: "See the outputs of a state"},
		{Method: http.MethodPost, Path: paths.StateVersion + "/actions/soft_delete_backing_data", Status: http.StatusOK, Do: door.Showing(StateVersions, a.softDeleteState, a.withStates()), Feature: site.DataRetention, Does: "Put the file of an older state aside"},
		{Method: http.MethodPost, Path: paths.StateVersion + "/actions/restore_backing_data", Status: http.StatusOK, Do: door.Showing(StateVersions, a.restoreState, a.withStates()), Feature: site.DataRetention, Does: "Take the file of a state back"},
		{Method: http.MethodPost, Path: paths.StateVersion + "/actions/permanently_delete_backing_data", Status: http.StatusOK, Do: door.Showing(StateVersions, a.deleteStateForGood, a.withStates()), Feature: site.DataRetention, Does: "Delete the file of a state for good"},
		{Method: http.MethodGet, Path: paths.V2 + "/state-version-outputs/{output_id}", Status: http.StatusOK, Do: door.Showing(Outputs, a.showOutput), Runs: true, Does: "See an output, with its value"},
	}
}
