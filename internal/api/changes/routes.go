// Package changes is the API of the explorer, of change requests, and of the bulk actions that
// file them. It parses what is asked, and never looks for it itself.
package changes

import (
	"net/http"

	"github.com/belayhq/belay"
	"github.com/belayhq/belay/internal/api/door"
	"github.com/belayhq/belay/internal/api/paths"
	"github.com/belayhq/belay/internal/app"
	"github.com/belayhq/belay/site"
)

// Verbs is what is done with the explorer, with change requests and with bulk actions.
type Verbs struct {
	App *app.App
}

// Routes is the routes of the explorer, change requests, and the bulk actions that file them.
func (a *Verbs) Routes() []door.Route {
	return []door.Route{
		// Explorer.
		{Method: http.MethodGet, Path: paths.Explorer, Status: http.StatusOK, Do: exploring(a.explore, explorerParameters...), Filters: door.OwnFilters, Does: "Ask about all workspaces"},
		{Method: http.MethodGet, Path: paths.Explorer + "/export/csv", Status: http.StatusOK, Raw: a.exportCSV, Query: explorerParameters, Media: "text/csv", Filters: door.OwnFilters, Does: "Ask about all workspaces, as CSV"},
		{Method: http.MethodGet, Path: paths.Explorer + "/views", Status: http.StatusOK, Do: door.Listing(savedViews, a.listSavedViews), Does: "List the saved questions"},
		{Method: http.MethodPost, Path: paths.Explorer + "/views", Status: http.StatusCreated, Do: door.Showing(savedViews, a.createSavedView).Reads(savedViewBody), Does: "Save a question"},
		{Method: http.MethodGet, Path: paths.Explorer + "/views/{view_id}", Status: http.StatusOK, Do: door.Showing(savedViews, a.showSavedView), Does: "See a saved question"},
		{Method: http.MethodPatch, Path: paths.Explorer + "/views/{view_id}", Status: http.StatusOK, Do: door.Showing(savedViews, a.updateSavedView).Reads(savedViewBody), Does: "Change a saved question"},
		{Method: http.MethodDelete, Path: paths.Explorer + "/views/{view_id}", Status: http.StatusOK, Do: door.Showing(savedViews, a.deleteSavedView), Does: "Delete a saved question"},
		{Method: http.MethodGet, Path: paths.Explorer + "/views/{view_id}/results", Status: http.StatusOK, Do: exploring(a.savedViewResults), Does: "Ask a saved question"},
		{Method: http.MethodGet, Path: paths.Explorer + "/views/{view_id}/csv", Status: http.StatusOK, Raw: a.savedViewCSV, Media: "text/csv", Does: "Ask a saved question, as CSV"},

		// Change requests, and the bulk actions that file them.
		{Method: http.MethodGet, Path: paths.V2 + "/workspaces/{workspace_id}/change-requests", Status: http.StatusOK, Do: door.Listing(changeRequests, a.listWorkspaceRequests), Feature: site.ChangeRequests, Query: changeRequestParameters, Filters: door.OwnFilters, Does: "List the change requests of a workspace"},
		{Method: http.MethodGet, Path: paths.V2 + "/workspaces/change-requests/change-requests", Status: http.StatusOK, Do: door.Listing(changeRequests, a.listWorkspaceRequests), Feature: site.ChangeRequests, Query: changeRequestParameters, Filters: door.OwnFilters, Does: "List those of the workspace called change-requests"},
		{Method: http.MethodGet, Path: paths.NamedWorkspace + "/change-requests", Status: http.StatusOK, Do: door.Listing(changeRequests, a.listWorkspaceRequests), Feature: site.ChangeRequests, Query: changeRequestParameters, Filters: door.OwnFilters, Does: "List the change requests of a workspace, by its name"},
		{Method: http.MethodGet, Path: paths.Organization + "/change-requests", Status: http.StatusOK, Do: door.Listing(changeRequests, a.listChangeRequests), Feature: site.ChangeRequests, Query: changeRequestParameters, Filters: door.OwnFilters, Does: "List the change requests of the workspaces that one sees"},
		{Method: http.MethodGet, Path: paths.V2 + "/workspaces/change-requests/{change_request_id}", Status: http.StatusOK, Do: door.Showing(changeRequests, a.showChangeRequest), Feature: site.ChangeRequests, Does: "See a change request (longer path)"},
		{Method: http.MethodGet, Path: paths.V2 + "/change-requests/{change_request_id}", Status: http.StatusOK, Do: door.Showing(changeRequests, a.showChangeRequest), Feature: site.ChangeRequests, Does: "See a change request"},
		{Method: http.MethodPost, Path: paths.V2 + "/workspaces/change-requests/{change_request_id}", Status: http.StatusOK, Do: door.Showing(changeRequests, a.archiveChangeRequest).Reads(archiveBody), Feature: site.ChangeRequests, Does: "Archive a change request (longer path)"},
		{Method: http.MethodPatch, Path: paths.V2 + "/workspaces/change-requests/{change_request_id}", Status: http.StatusOK, Do: door.Showing(changeRequests, a.archiveChangeRequest).Reads(archiveBody), Feature: site.ChangeRequests, Does: "Archive a change request (longer path, other method)"},
		{Method: http.MethodPost, Path: paths.V2 + "/change-requests/{change_request_id}", Status: http.StatusOK, Do: door.Showing(changeRequests, a.archiveChangeRequest).Reads(archiveBody), Feature: site.ChangeRequests, Does: "Archive a change request (shorter path)"},
		{Method: http.MethodPatch, Path: paths.V2 + "/change-requests/{change_request_id}", Status: http.StatusOK, Do: door.Showing(changeRequests, a.archiveChangeRequest).Reads(archiveBody), Feature: site.ChangeRequests, Does: "Archive a change request (other method)"},
		{Method: http.MethodPost, Path: paths.V2 + "/change-requests/{change_request_id}/actions/archive", Status: http.StatusOK, Do: door.Showing(changeRequests, a.archiveChangeRequest).Reads(archiveBody), Feature: site.ChangeRequests, Does: "Archive a change request"},
		{Method: http.MethodGet, Path: paths.V2 + "/change-requests/{change_request_id}/actions/archive", Status: http.StatusOK, Do: door.Showing(changeRequests, a.showChangeRequest), Feature: site.ChangeRequests, Does: "See a change request (odd path)"},
		{Method: http.MethodPost, Path: paths.Explorer + "/bulk-actions", Status: http.StatusCreated, Do: acting(a.createBulkAction).Reads(bulkOrderBody), Feature: site.ChangeRequests, Does: "Ask for a change of many workspaces"},
		{Method: http.MethodGet, Path: paths.BulkAction, Status: http.StatusOK, Do: acting(a.showBulkAction), Feature: site.ChangeRequests, Does: "See such a bulk action"},
		{Method: http.MethodGet, Path: paths.V2 + "/explorer/bulk-actions/{bulk_action_id}", Status: http.StatusOK, Do: acting(a.showBulkAction), Feature: site.ChangeRequests, Does: "See such a bulk action (shorter path)"},
		{Method: http.MethodPost, Path: paths.V2 + "/change-requests/{change_request_id}/actions/take", Status: http.StatusOK, Do: door.Showing(changeRequests, a.takeChangeRequest), Feature: site.ChangeRequests, Refuses: []belay.Kind{belay.Forbidden, belay.Conflict}, Does: "Take a change request: one is on it"},
		{Method: http.MethodPost, Path: paths.V2 + "/change-requests/{change_request_id}/actions/release", Status: http.StatusOK, Do: door.Showing(changeRequests, a.releaseChangeRequest), Feature: site.ChangeRequests, Does: "Leave a change request to others"},
		{Method: http.MethodGet, Path: paths.Explorer + "/bulk-actions", Status: http.StatusOK, Do: door.Listing(bulkActions, a.listBulkActions), Feature: site.ChangeRequests, Does: "List the bulk actions, the newest first"},
		{Method: http.MethodPatch, Path: paths.BulkAction, Status: http.StatusOK, Do: door.Writing(bulkActions, a.updateBulkAction), Feature: site.ChangeRequests, Does: "Say until when a bulk action is to be done"},
		{Method: http.MethodGet, Path: paths.BulkAction + "/progress", Status: http.StatusOK, Do: door.Showing(campaigns, a.showCampaign), Feature: site.ChangeRequests, Does: "See how far a bulk action is"},
		{Method: http.MethodPost, Path: paths.BulkAction + "/actions/archive-ready", Status: http.StatusOK, Do: acting(a.archiveReady), Feature: site.ChangeRequests, Does: "Archive those whose workspace no longer fits the question"},
		{Method: http.MethodPost, Path: paths.BulkAction + "/actions/file-again", Status: http.StatusOK, Do: acting(a.fileAgain), Feature: site.ChangeRequests, Does: "File on the workspaces that fit the question by now"},
		{Method: http.MethodPost, Path: paths.BulkAction + "/actions/remind", Status: http.StatusOK, Do: acting(a.remindOfBulkAction), Feature: site.ChangeRequests, Refuses: []belay.Kind{belay.Conflict}, Does: "Tell again of those that are still open"},
	}
}

// explorerParameters is what a question in the address may say. * stands for any text.
var explorerParameters = []string{"type", "sort", "fields", "filter[*][*][*][*]"}
