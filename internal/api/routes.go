package api

import (
	"net/http"

	"github.com/belayhq/belay"
)

const (
	get    = http.MethodGet
	post   = http.MethodPost
	patchM = http.MethodPatch
	put    = http.MethodPut
	del    = http.MethodDelete

	ok        = http.StatusOK
	created   = http.StatusCreated
	noContent = http.StatusNoContent
)

// Paths that many routes begin with.
const (
	v2              = "/api/v2"
	anOrganization  = v2 + "/organizations/{organization_name}"
	aProject        = v2 + "/projects/{project_id}"
	aWorkspace      = v2 + "/workspaces/{workspace_id}"
	aNamedWorkspace = anOrganization + "/workspaces/{name}"
	aTeam           = v2 + "/teams/{team_id}"
	aStateVersion   = v2 + "/state-versions/{state_version_id}"
	aUser           = v2 + "/users/{user_id}"
	aNotification   = v2 + "/notification-configurations/{notification_id}"
	anExplorer      = anOrganization + "/explorer"
	anSSHKey        = v2 + "/ssh-keys/{ssh_key_id}"
	anAgentPool     = v2 + "/agent-pools/{agent_pool_id}"
	anOAuthClient   = v2 + "/oauth-clients/{oauth_client_id}"
	anOAuthToken    = v2 + "/oauth-tokens/{oauth_token_id}"
	aVariableSet    = v2 + "/varsets/{varset_id}"
)

// routes is the whole API: method, path, status of success, handler.
func (a *API) routes() []route {
	return []route{
		// Instance.
		{method: get, path: "/.well-known/terraform.json", status: ok, raw: a.discovery, open: true},
		{method: post, path: tokenPath, status: ok, raw: a.redeemLogin, open: true},
		{method: get, path: v2 + "/ping", status: noContent, handle: a.ping, open: true},
		{method: get, path: v2 + "/admin/users", status: ok, handle: a.listUsers},
		{method: post, path: v2 + "/admin/users", status: created, handle: a.createUser},
		{method: patchM, path: v2 + "/admin/users/{user_id}", status: ok, handle: a.updateUser},
		{method: post, path: v2 + "/admin/users/{user_id}/actions/suspend", status: ok, handle: a.suspendUser},
		{method: post, path: v2 + "/admin/users/{user_id}/actions/unsuspend", status: ok, handle: a.unsuspendUser},
		{method: post, path: v2 + "/admin/users/{user_id}/actions/grant_admin", status: ok, handle: a.grantAdmin},
		{method: post, path: v2 + "/admin/users/{user_id}/actions/revoke_admin", status: ok, handle: a.revokeAdmin},
		{method: del, path: v2 + "/admin/users/{user_id}", status: noContent, handle: a.deleteUser},
		{method: get, path: v2 + "/admin/terraform-versions", status: ok, handle: a.listEngines},
		{method: post, path: v2 + "/admin/terraform-versions", status: created, handle: a.createEngine},
		{method: get, path: v2 + "/admin/terraform-versions/{version_id}", status: ok, handle: a.showEngine},
		{method: patchM, path: v2 + "/admin/terraform-versions/{version_id}", status: ok, handle: a.updateEngine},
		{method: del, path: v2 + "/admin/terraform-versions/{version_id}", status: noContent, handle: a.deleteEngine},

		// Users and tokens.
		{method: get, path: v2 + "/account/details", status: ok, handle: a.showAccount},
		{method: patchM, path: v2 + "/account/update", status: ok, handle: a.updateAccount},
		{method: patchM, path: v2 + "/account/password", status: ok, handle: a.changePassword},
		{method: get, path: aUser + "/authentication-tokens", status: ok, handle: a.listUserTokens},
		{method: post, path: aUser + "/authentication-tokens", status: created, handle: a.createUserToken},
		{method: get, path: v2 + "/authentication-tokens/{token_id}", status: ok, handle: a.showToken},
		{method: del, path: v2 + "/authentication-tokens/{token_id}", status: noContent, handle: a.deleteToken},

		{method: get, path: aUser, status: ok, handle: a.showUser},
		{method: get, path: aTeam + "/authentication-token", status: ok, handle: a.showTeamToken},
		{method: post, path: aTeam + "/authentication-token", status: created, handle: a.replaceTeamToken},
		{method: del, path: aTeam + "/authentication-token", status: noContent, handle: a.deleteTeamToken},
		{method: get, path: aTeam + "/authentication-tokens", status: ok, handle: a.listTeamTokens},
		{method: post, path: aTeam + "/authentication-tokens", status: created, handle: a.createTeamToken},
		{method: get, path: anOrganization + "/team-tokens", status: ok, handle: a.listOrganizationTeamTokens},
		{method: del, path: anOrganization + "/team-tokens", status: noContent, handle: a.deleteOrganizationTeamTokens},
		{method: get, path: anOrganization + "/authentication-token", status: ok, handle: a.showOrganizationToken},
		{method: post, path: anOrganization + "/authentication-token", status: created, handle: a.replaceOrganizationToken},
		{method: del, path: anOrganization + "/authentication-token", status: noContent, handle: a.deleteOrganizationToken},

		// Members and teams.
		{method: get, path: anOrganization + "/organization-memberships", status: ok, handle: a.listMemberships},
		{method: post, path: anOrganization + "/organization-memberships", status: created, handle: a.createMembership},
		{method: get, path: v2 + "/organization-memberships", status: ok, handle: a.listMyMemberships},
		{method: get, path: v2 + "/organization-memberships/{membership_id}", status: ok, handle: a.showMembership},
		{method: del, path: v2 + "/organization-memberships/{membership_id}", status: noContent, handle: a.deleteMembership},
		{method: get, path: anOrganization + "/teams", status: ok, handle: a.listTeams},
		{method: post, path: anOrganization + "/teams", status: ok, handle: a.createTeam},
		{method: get, path: aTeam, status: ok, handle: a.showTeam},
		{method: patchM, path: aTeam, status: ok, handle: a.updateTeam},
		{method: del, path: aTeam, status: noContent, handle: a.deleteTeam},
		{method: post, path: aTeam + "/relationships/users", status: noContent, handle: a.addTeamUsers},
		{method: del, path: aTeam + "/relationships/users", status: noContent, handle: a.removeTeamUsers},
		{method: get, path: aTeam + "/relationships/organization-memberships", status: ok, handle: a.listTeamMemberships},
		{method: post, path: aTeam + "/relationships/organization-memberships", status: noContent, handle: a.addTeamMemberships},
		{method: del, path: aTeam + "/relationships/organization-memberships", status: noContent, handle: a.removeTeamMemberships},
		{method: get, path: v2 + "/team-workspaces", status: ok, handle: a.listTeamWorkspaces},
		{method: post, path: v2 + "/team-workspaces", status: created, handle: a.createTeamWorkspace},
		{method: get, path: v2 + "/team-workspaces/{access_id}", status: ok, handle: a.showTeamWorkspace},
		{method: patchM, path: v2 + "/team-workspaces/{access_id}", status: ok, handle: a.updateTeamWorkspace},
		{method: del, path: v2 + "/team-workspaces/{access_id}", status: noContent, handle: a.deleteTeamWorkspace},
		{method: get, path: v2 + "/team-projects", status: ok, handle: a.listTeamProjects},
		{method: post, path: v2 + "/team-projects", status: created, handle: a.createTeamProject},
		{method: get, path: v2 + "/team-projects/{access_id}", status: ok, handle: a.showTeamProject},
		{method: patchM, path: v2 + "/team-projects/{access_id}", status: ok, handle: a.updateTeamProject},
		{method: del, path: v2 + "/team-projects/{access_id}", status: noContent, handle: a.deleteTeamProject},

		// Plans: there is one, and it includes everything.
		{method: get, path: v2 + "/feature-sets", status: ok, handle: a.listPlans},
		{method: get, path: v2 + "/admin/feature-sets", status: ok, handle: a.listPlansForAdmins},
		{method: get, path: anOrganization + "/feature-sets", status: ok, handle: a.listOrganizationPlans},
		{method: get, path: anOrganization + "/subscription", status: ok, handle: a.showSubscription},
		{method: post, path: v2 + "/admin/organizations/{organization_name}/subscription", status: ok, handle: a.assignPlan},

		// Organizations.
		{method: get, path: v2 + "/organizations", status: ok, handle: a.listOrganizations},
		{method: post, path: v2 + "/organizations", status: created, handle: a.createOrganization},
		{method: get, path: anOrganization, status: ok, handle: a.showOrganization},
		{method: patchM, path: anOrganization, status: ok, handle: a.updateOrganization},
		{method: put, path: anOrganization, status: ok, handle: a.updateOrganization},
		{method: del, path: anOrganization, status: noContent, handle: a.deleteOrganization},
		{method: get, path: anOrganization + "/entitlement-set", status: ok, handle: a.showEntitlements, runs: true},

		// Projects.
		{method: get, path: anOrganization + "/projects", status: ok, handle: a.listProjects},
		{method: post, path: anOrganization + "/projects", status: created, handle: a.createProject},
		{method: get, path: aProject, status: ok, handle: a.showProject},
		{method: patchM, path: aProject, status: ok, handle: a.updateProject},
		{method: del, path: aProject, status: noContent, handle: a.deleteProject},
		{method: post, path: aProject + "/relationships/workspaces", status: noContent, handle: a.moveWorkspaces},

		// SSH keys.
		{method: get, path: anOrganization + "/ssh-keys", status: ok, handle: a.listSSHKeys},
		{method: post, path: anOrganization + "/ssh-keys", status: created, handle: a.createSSHKey},
		{method: get, path: anSSHKey, status: ok, handle: a.showSSHKey},
		{method: patchM, path: anSSHKey, status: ok, handle: a.updateSSHKey},
		{method: del, path: anSSHKey, status: noContent, handle: a.deleteSSHKey},
		{method: patchM, path: aWorkspace + "/relationships/ssh-key", status: ok, handle: a.assignSSHKey},

		// Agent pools.
		{method: get, path: anOrganization + "/agent-pools", status: ok, handle: a.listAgentPools},
		{method: post, path: anOrganization + "/agent-pools", status: created, handle: a.createAgentPool},
		{method: get, path: anAgentPool, status: ok, handle: a.showAgentPool},
		{method: patchM, path: anAgentPool, status: ok, handle: a.updateAgentPool},
		{method: del, path: anAgentPool, status: noContent, handle: a.deleteAgentPool},
		{method: get, path: anAgentPool + "/agents", status: ok, handle: a.listAgents},
		{method: get, path: anAgentPool + "/authentication-tokens", status: ok, handle: a.listAgentTokens},
		{method: post, path: anAgentPool + "/authentication-tokens", status: created, handle: a.createAgentToken},

		// Connections to version control.
		{method: get, path: anOrganization + "/oauth-clients", status: ok, handle: a.listOAuthClients},
		{method: post, path: anOrganization + "/oauth-clients", status: created, handle: a.createOAuthClient},
		{method: get, path: anOAuthClient, status: ok, handle: a.showOAuthClient},
		{method: patchM, path: anOAuthClient, status: ok, handle: a.updateOAuthClient},
		{method: del, path: anOAuthClient, status: noContent, handle: a.deleteOAuthClient},
		{method: get, path: anOAuthClient + "/oauth-tokens", status: ok, handle: a.listClientTokens},
		{method: post, path: anOAuthClient + "/relationships/projects", status: noContent, handle: a.addClientProjects},
		{method: del, path: anOAuthClient + "/relationships/projects", status: noContent, handle: a.removeClientProjects},
		{method: get, path: anOrganization + "/oauth-tokens", status: ok, handle: a.listOAuthTokens},
		{method: get, path: anOAuthToken, status: ok, handle: a.showOAuthToken},
		{method: patchM, path: anOAuthToken, status: ok, handle: a.updateOAuthToken},
		{method: del, path: anOAuthToken, status: noContent, handle: a.deleteOAuthToken},

		// Variables and sets of them.
		{method: get, path: aWorkspace + "/vars", status: ok, handle: a.listVariables},
		{method: post, path: aWorkspace + "/vars", status: created, handle: a.createVariable},
		{method: get, path: aWorkspace + "/vars/{variable_id}", status: ok, handle: a.showVariable},
		{method: patchM, path: aWorkspace + "/vars/{variable_id}", status: ok, handle: a.updateVariable},
		{method: del, path: aWorkspace + "/vars/{variable_id}", status: noContent, handle: a.deleteVariable},
		{method: get, path: aWorkspace + "/all-vars", status: ok, handle: a.listAllVariables},
		{method: get, path: v2 + "/vars", status: ok, handle: a.listLooseVariables},
		{method: post, path: v2 + "/vars", status: created, handle: a.createLooseVariable},
		{method: get, path: v2 + "/vars/{variable_id}", status: ok, handle: a.showVariable},
		{method: patchM, path: v2 + "/vars/{variable_id}", status: ok, handle: a.updateVariable},
		{method: del, path: v2 + "/vars/{variable_id}", status: noContent, handle: a.deleteVariable},
		{method: get, path: anOrganization + "/varsets", status: ok, handle: a.listVariableSets},
		{method: post, path: anOrganization + "/varsets", status: created, handle: a.createVariableSet},
		{method: get, path: aWorkspace + "/varsets", status: ok, handle: a.listWorkspaceVariableSets},
		{method: get, path: aProject + "/varsets", status: ok, handle: a.listProjectVariableSets},
		{method: get, path: aVariableSet, status: ok, handle: a.showVariableSet},
		{method: patchM, path: aVariableSet, status: ok, handle: a.updateVariableSet},
		{method: put, path: aVariableSet, status: ok, handle: a.updateVariableSet},
		{method: del, path: aVariableSet, status: noContent, handle: a.deleteVariableSet},
		{method: post, path: aVariableSet + "/relationships/workspaces", status: noContent, handle: a.applySetToWorkspaces},
		{method: del, path: aVariableSet + "/relationships/workspaces", status: noContent, handle: a.withdrawSetFromWorkspaces},
		{method: post, path: aVariableSet + "/relationships/projects", status: noContent, handle: a.applySetToProjects},
		{method: del, path: aVariableSet + "/relationships/projects", status: noContent, handle: a.withdrawSetFromProjects},
		{method: get, path: aVariableSet + "/relationships/vars", status: ok, handle: a.listSetVariables},
		{method: post, path: aVariableSet + "/relationships/vars", status: created, handle: a.createSetVariable},
		{method: get, path: aVariableSet + "/relationships/vars/{variable_id}", status: ok, handle: a.showSetVariable},
		{method: patchM, path: aVariableSet + "/relationships/vars/{variable_id}", status: ok, handle: a.updateSetVariable},
		{method: del, path: aVariableSet + "/relationships/vars/{variable_id}", status: noContent, handle: a.deleteSetVariable},

		// Run triggers.
		{method: get, path: aWorkspace + "/run-triggers", status: ok, handle: a.listRunTriggers},
		{method: post, path: aWorkspace + "/run-triggers", status: created, handle: a.createRunTrigger},
		{method: get, path: v2 + "/run-triggers/{run_trigger_id}", status: ok, handle: a.showRunTrigger},
		{method: del, path: v2 + "/run-triggers/{run_trigger_id}", status: noContent, handle: a.deleteRunTrigger},

		// Workspaces.
		{method: get, path: anOrganization + "/workspaces", status: ok, handle: a.listWorkspaces, runs: true},
		{method: post, path: anOrganization + "/workspaces", status: created, handle: a.createWorkspace},
		{method: get, path: aNamedWorkspace, status: ok, handle: a.showWorkspace, runs: true},
		{method: get, path: aWorkspace, status: ok, handle: a.showWorkspace, runs: true},
		{method: patchM, path: aNamedWorkspace, status: ok, handle: a.updateWorkspace},
		{method: patchM, path: aWorkspace, status: ok, handle: a.updateWorkspace},
		{method: del, path: aNamedWorkspace, status: noContent, handle: a.forceDeleteWorkspace},
		{method: del, path: aWorkspace, status: noContent, handle: a.forceDeleteWorkspace},
		{method: post, path: aNamedWorkspace + "/actions/safe-delete", status: noContent, handle: a.safeDeleteWorkspace},
		{method: post, path: aWorkspace + "/actions/safe-delete", status: noContent, handle: a.safeDeleteWorkspace},
		{method: post, path: aWorkspace + "/actions/lock", status: ok, handle: a.lockWorkspace, runs: true},
		{method: post, path: aWorkspace + "/actions/unlock", status: ok, handle: a.unlockWorkspace, runs: true},
		{method: post, path: aWorkspace + "/actions/force-unlock", status: ok, handle: a.forceUnlockWorkspace},
		{method: get, path: aWorkspace + "/relationships/remote-state-consumers", status: ok, handle: a.listConsumers},
		{method: post, path: aWorkspace + "/relationships/remote-state-consumers", status: noContent, handle: a.addConsumers, limit: maxReferences},
		{method: del, path: aWorkspace + "/relationships/remote-state-consumers", status: noContent, handle: a.removeConsumers, limit: maxReferences},
		{method: patchM, path: aWorkspace + "/relationships/remote-state-consumers", status: noContent, handle: a.replaceConsumers, limit: maxReferences},
		{method: post, path: aWorkspace + "/actions/issue-run-token", status: created, handle: a.issueRunToken},

		// State.
		{method: post, path: aWorkspace + "/state-versions", status: created, handle: a.createStateVersion, streams: true, limit: maxStateDocument, runs: true},
		{method: patchM, path: aWorkspace + "/state-versions", status: created, handle: a.rollBackState},
		{method: get, path: aWorkspace + "/current-state-version", status: ok, handle: a.showCurrentStateVersion, runs: true},
		{method: get, path: aWorkspace + "/current-state-version-outputs", status: ok, handle: a.listCurrentOutputs, runs: true},
		{method: get, path: aWorkspace + "/resources", status: ok, handle: a.listResources, runs: true},
		{method: get, path: v2 + "/state-versions", status: ok, handle: a.listStateVersions, runs: true},
		{method: get, path: aStateVersion, status: ok, handle: a.showStateVersion, runs: true},
		{method: get, path: aStateVersion + "/outputs", status: ok, handle: a.listOutputs, runs: true},
		{method: post, path: aStateVersion + "/actions/soft_delete_backing_data", status: ok, handle: a.softDeleteState, feature: belay.DataRetention},
		{method: post, path: aStateVersion + "/actions/restore_backing_data", status: ok, handle: a.restoreState, feature: belay.DataRetention},
		{method: post, path: aStateVersion + "/actions/permanently_delete_backing_data", status: ok, handle: a.deleteStateForGood, feature: belay.DataRetention},
		{method: get, path: v2 + "/state-version-outputs/{output_id}", status: ok, handle: a.showOutput, runs: true},
		{method: put, path: aStateFile, status: ok, raw: a.uploadStateFile, open: true},
		{method: get, path: aStateFile, status: ok, raw: a.downloadStateFile, open: true},

		// Flat tags.
		{method: get, path: aWorkspace + "/relationships/tags", status: ok, handle: a.listWorkspaceTags},
		{method: post, path: aWorkspace + "/relationships/tags", status: noContent, handle: a.addTags},
		{method: del, path: aWorkspace + "/relationships/tags", status: noContent, handle: a.removeTags},
		{method: get, path: anOrganization + "/tags", status: ok, handle: a.listTags},
		{method: del, path: anOrganization + "/tags", status: noContent, handle: a.deleteTags},
		{method: post, path: v2 + "/tags/{tag_id}/relationships/workspaces", status: noContent, handle: a.tagWorkspaces},

		// Tag bindings.
		{method: get, path: aWorkspace + "/tag-bindings", status: ok, handle: a.listWorkspaceBindings},
		{method: patchM, path: aWorkspace + "/tag-bindings", status: ok, handle: a.addWorkspaceBindings},
		{method: get, path: aWorkspace + "/effective-tag-bindings", status: ok, handle: a.listEffectiveBindings},
		{method: get, path: aWorkspace + "/relationships/tag-bindings", status: ok, handle: a.listWorkspaceBindings},
		{method: post, path: aWorkspace + "/relationships/tag-bindings", status: noContent, handle: a.addWorkspaceBindings},
		{method: patchM, path: aWorkspace + "/relationships/tag-bindings", status: noContent, handle: a.replaceWorkspaceBindings},
		{method: get, path: aProject + "/tag-bindings", status: ok, handle: a.listProjectBindings},
		{method: patchM, path: aProject + "/tag-bindings", status: ok, handle: a.addProjectBindings},
		{method: get, path: aProject + "/effective-tag-bindings", status: ok, handle: a.listProjectEffectiveBindings},
		{method: get, path: aProject + "/relationships/tag-bindings", status: ok, handle: a.listProjectBindings},
		{method: post, path: aProject + "/relationships/tag-bindings", status: noContent, handle: a.addProjectBindings},
		{method: patchM, path: aProject + "/relationships/tag-bindings", status: noContent, handle: a.replaceProjectBindings},
		{method: get, path: anOrganization + "/reserved-tag-keys", status: ok, handle: a.listReservedKeys},
		{method: post, path: anOrganization + "/reserved-tag-keys", status: created, handle: a.createReservedKey},
		{method: patchM, path: v2 + "/reserved-tag-keys/{key_id}", status: ok, handle: a.updateReservedKey},
		{method: del, path: v2 + "/reserved-tag-keys/{key_id}", status: noContent, handle: a.deleteReservedKey},
		{method: patchM, path: v2 + "/reserved-tags/{key_id}", status: ok, handle: a.updateReservedKey},
		{method: del, path: v2 + "/reserved-tags/{key_id}", status: noContent, handle: a.deleteReservedKey},

		// Change requests.
		{method: get, path: v2 + "/workspaces/{workspace_id}/change-requests", status: ok, handle: a.listWorkspaceRequests, feature: belay.ChangeRequests},
		{method: get, path: v2 + "/workspaces/change-requests/change-requests", status: ok, handle: a.listWorkspaceRequests, feature: belay.ChangeRequests},
		{method: get, path: aNamedWorkspace + "/change-requests", status: ok, handle: a.listWorkspaceRequests, feature: belay.ChangeRequests},
		{method: get, path: anOrganization + "/change-requests", status: ok, handle: a.listChangeRequests, feature: belay.ChangeRequests},
		{method: get, path: v2 + "/workspaces/change-requests/{change_request_id}", status: ok, handle: a.showChangeRequest, feature: belay.ChangeRequests},
		{method: get, path: v2 + "/change-requests/{change_request_id}", status: ok, handle: a.showChangeRequest, feature: belay.ChangeRequests},
		{method: post, path: v2 + "/workspaces/change-requests/{change_request_id}", status: ok, handle: a.archiveChangeRequest, feature: belay.ChangeRequests},
		{method: patchM, path: v2 + "/workspaces/change-requests/{change_request_id}", status: ok, handle: a.archiveChangeRequest, feature: belay.ChangeRequests},
		{method: post, path: v2 + "/change-requests/{change_request_id}", status: ok, handle: a.archiveChangeRequest, feature: belay.ChangeRequests},
		{method: patchM, path: v2 + "/change-requests/{change_request_id}", status: ok, handle: a.archiveChangeRequest, feature: belay.ChangeRequests},
		{method: post, path: v2 + "/change-requests/{change_request_id}/actions/archive", status: ok, handle: a.archiveChangeRequest, feature: belay.ChangeRequests},
		{method: get, path: v2 + "/change-requests/{change_request_id}/actions/archive", status: ok, handle: a.showChangeRequest, feature: belay.ChangeRequests},
		{method: post, path: anExplorer + "/bulk-actions", status: created, handle: a.createBulkAction, feature: belay.ChangeRequests},
		{method: get, path: anExplorer + "/bulk-actions/{bulk_action_id}", status: ok, handle: a.showBulkAction, feature: belay.ChangeRequests},
		{method: get, path: v2 + "/explorer/bulk-actions/{bulk_action_id}", status: ok, handle: a.showBulkAction, feature: belay.ChangeRequests},

		// Data retention policies.
		{method: get, path: v2 + "/admin/data-retention-policy-settings", status: ok, handle: a.showRetention, feature: belay.DataRetention},
		{method: post, path: v2 + "/admin/data-retention-policy-settings", status: ok, handle: a.setRetention, feature: belay.DataRetention},
		{method: patchM, path: v2 + "/admin/data-retention-policy-settings", status: ok, handle: a.setRetention, feature: belay.DataRetention},
		{method: del, path: v2 + "/admin/data-retention-policy-settings", status: noContent, handle: a.dropRetention, feature: belay.DataRetention},
		{method: get, path: anOrganization + "/relationships/data-retention-policy", status: ok, handle: a.showRetention, feature: belay.DataRetention},
		{method: post, path: anOrganization + "/relationships/data-retention-policy", status: ok, handle: a.setRetention, feature: belay.DataRetention},
		{method: patchM, path: anOrganization + "/relationships/data-retention-policy", status: ok, handle: a.setRetention, feature: belay.DataRetention},
		{method: del, path: anOrganization + "/relationships/data-retention-policy", status: noContent, handle: a.dropRetention, feature: belay.DataRetention},
		{method: get, path: aWorkspace + "/relationships/data-retention-policy", status: ok, handle: a.showRetention, feature: belay.DataRetention},
		{method: post, path: aWorkspace + "/relationships/data-retention-policy", status: ok, handle: a.setRetention, feature: belay.DataRetention},
		{method: patchM, path: aWorkspace + "/relationships/data-retention-policy", status: ok, handle: a.setRetention, feature: belay.DataRetention},
		{method: del, path: aWorkspace + "/relationships/data-retention-policy", status: noContent, handle: a.dropRetention, feature: belay.DataRetention},

		// Explorer.
		{method: get, path: anExplorer, status: ok, handle: a.explore},
		{method: get, path: anExplorer + "/export/csv", status: ok, raw: a.exportCSV},
		{method: get, path: anExplorer + "/views", status: ok, handle: a.listSavedViews},
		{method: post, path: anExplorer + "/views", status: created, handle: a.createSavedView},
		{method: get, path: anExplorer + "/views/{view_id}", status: ok, handle: a.showSavedView},
		{method: patchM, path: anExplorer + "/views/{view_id}", status: ok, handle: a.updateSavedView},
		{method: del, path: anExplorer + "/views/{view_id}", status: ok, handle: a.deleteSavedView},
		{method: get, path: anExplorer + "/views/{view_id}/results", status: ok, handle: a.savedViewResults},
		{method: get, path: anExplorer + "/views/{view_id}/csv", status: ok, raw: a.savedViewCSV},

		// Audit trail.
		{method: get, path: anOrganization + "/audit-trail", status: ok, raw: a.auditTrail},
		{method: get, path: v2 + "/organization/audit-trail", status: ok, raw: a.auditTrail},

		// Notifications.
		{method: get, path: aTeam + "/notification-configurations", status: ok, handle: a.listNotifications},
		{method: post, path: aTeam + "/notification-configurations", status: created, handle: a.createNotification},
		{method: get, path: aWorkspace + "/notification-configurations", status: ok, handle: a.listNotifications},
		{method: post, path: aWorkspace + "/notification-configurations", status: created, handle: a.createNotification},
		{method: get, path: aProject + "/notification-configurations", status: ok, handle: a.listNotifications},
		{method: post, path: aProject + "/notification-configurations", status: created, handle: a.createNotification},
		{method: get, path: aNotification, status: ok, handle: a.showNotification},
		{method: patchM, path: aNotification, status: ok, handle: a.updateNotification},
		{method: del, path: aNotification, status: noContent, handle: a.deleteNotification},
		{method: post, path: aNotification + "/actions/verify", status: ok, handle: a.verifyNotification},
		{method: post, path: aNotification + "/actions/enable", status: ok, handle: a.enableNotification},
		{method: get, path: aNotification + "/deliveries", status: ok, handle: a.listDeliveries},
		{method: post, path: aNotification + "/deliveries/actions/retry", status: noContent, handle: a.retryDeliveries},
	}
}
