package api

import "github.com/belayhq/belay"

// requestRoutes is the routes of change requests and of the bulk actions that file them.
func (a *API) requestRoutes() []route {
	return []route{
		{method: get, path: v2 + "/workspaces/{workspace_id}/change-requests", status: ok, do: listing(changeRequests, a.listWorkspaceRequests), feature: belay.ChangeRequests, query: changeRequestParameters, filters: ownFilters, does: "List the change requests of a workspace"},
		{method: get, path: v2 + "/workspaces/change-requests/change-requests", status: ok, do: listing(changeRequests, a.listWorkspaceRequests), feature: belay.ChangeRequests, query: changeRequestParameters, filters: ownFilters, does: "List those of the workspace called change-requests"},
		{method: get, path: aNamedWorkspace + "/change-requests", status: ok, do: listing(changeRequests, a.listWorkspaceRequests), feature: belay.ChangeRequests, query: changeRequestParameters, filters: ownFilters, does: "List the change requests of a workspace, by its name"},
		{method: get, path: anOrganization + "/change-requests", status: ok, do: listing(changeRequests, a.listChangeRequests), feature: belay.ChangeRequests, query: changeRequestParameters, filters: ownFilters, does: "List the change requests of the workspaces that one sees"},
		{method: get, path: v2 + "/workspaces/change-requests/{change_request_id}", status: ok, do: showing(changeRequests, a.showChangeRequest), feature: belay.ChangeRequests, does: "See a change request (longer path)"},
		{method: get, path: v2 + "/change-requests/{change_request_id}", status: ok, do: showing(changeRequests, a.showChangeRequest), feature: belay.ChangeRequests, does: "See a change request"},
		{method: post, path: v2 + "/workspaces/change-requests/{change_request_id}", status: ok, do: showing(changeRequests, a.archiveChangeRequest).reads(archiveBody), feature: belay.ChangeRequests, does: "Archive a change request (longer path)"},
		{method: patchM, path: v2 + "/workspaces/change-requests/{change_request_id}", status: ok, do: showing(changeRequests, a.archiveChangeRequest).reads(archiveBody), feature: belay.ChangeRequests, does: "Archive a change request (longer path, other method)"},
		{method: post, path: v2 + "/change-requests/{change_request_id}", status: ok, do: showing(changeRequests, a.archiveChangeRequest).reads(archiveBody), feature: belay.ChangeRequests, does: "Archive a change request (shorter path)"},
		{method: patchM, path: v2 + "/change-requests/{change_request_id}", status: ok, do: showing(changeRequests, a.archiveChangeRequest).reads(archiveBody), feature: belay.ChangeRequests, does: "Archive a change request (other method)"},
		{method: post, path: v2 + "/change-requests/{change_request_id}/actions/archive", status: ok, do: showing(changeRequests, a.archiveChangeRequest).reads(archiveBody), feature: belay.ChangeRequests, does: "Archive a change request"},
		{method: get, path: v2 + "/change-requests/{change_request_id}/actions/archive", status: ok, do: showing(changeRequests, a.showChangeRequest), feature: belay.ChangeRequests, does: "See a change request (odd path)"},
		{method: post, path: anExplorer + "/bulk-actions", status: created, do: acting(a.createBulkAction).reads(bulkOrderBody), feature: belay.ChangeRequests, does: "Ask for a change of many workspaces"},
		{method: get, path: aBulkAction, status: ok, do: acting(a.showBulkAction), feature: belay.ChangeRequests, does: "See such a bulk action"},
		{method: get, path: v2 + "/explorer/bulk-actions/{bulk_action_id}", status: ok, do: acting(a.showBulkAction), feature: belay.ChangeRequests, does: "See such a bulk action (shorter path)"},
		{method: post, path: v2 + "/change-requests/{change_request_id}/actions/take", status: ok, do: showing(changeRequests, a.takeChangeRequest), feature: belay.ChangeRequests, refuses: []belay.Kind{belay.Forbidden, belay.Conflict}, does: "Take a change request: one is on it"},
		{method: post, path: v2 + "/change-requests/{change_request_id}/actions/release", status: ok, do: showing(changeRequests, a.releaseChangeRequest), feature: belay.ChangeRequests, does: "Leave a change request to others"},
		{method: get, path: anExplorer + "/bulk-actions", status: ok, do: listing(bulkActions, a.listBulkActions), feature: belay.ChangeRequests, does: "List the bulk actions, the newest first"},
		{method: patchM, path: aBulkAction, status: ok, do: writing(bulkActions, a.updateBulkAction), feature: belay.ChangeRequests, does: "Say until when a bulk action is to be done"},
		{method: get, path: aBulkAction + "/progress", status: ok, do: showing(campaigns, a.showCampaign), feature: belay.ChangeRequests, does: "See how far a bulk action is"},
		{method: post, path: aBulkAction + "/actions/archive-ready", status: ok, do: acting(a.archiveReady), feature: belay.ChangeRequests, does: "Archive those whose workspace no longer fits the question"},
		{method: post, path: aBulkAction + "/actions/file-again", status: ok, do: acting(a.fileAgain), feature: belay.ChangeRequests, does: "File on the workspaces that fit the question by now"},
		{method: post, path: aBulkAction + "/actions/remind", status: ok, do: acting(a.remindOfBulkAction), feature: belay.ChangeRequests, refuses: conflict, does: "Tell again of those that are still open"},
	}
}
