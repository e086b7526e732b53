package api

import (
	"github.com/belayhq/belay"
	"github.com/belayhq/belay/internal/jsonapi"
)

// permission is one member of a document's permissions object, and what it takes.
type permission struct {
	name string
	need belay.Permission
}

// can is the permissions object of a document, computed for the calling token.
func can(rows []permission, has belay.Permission) jsonapi.Object {
	object := make(jsonapi.Object, len(rows), len(rows)+1)
	for i, row := range rows {
		object[i] = jsonapi.Member{Name: row.name, Value: has.Has(row.need)}
	}
	return object
}

// never is what nobody may do here: the features behind it do not exist in Belay.
const never = ^belay.Permission(0)

var workspacePermissions = []permission{
	{"can-update", belay.UpdateWorkspace},
	{"can-destroy", belay.DeleteWorkspace},
	{"can-queue-run", belay.QueueRuns},
	{"can-read-run", belay.ReadRuns},
	{"can-read-variable", belay.ReadVariables},
	{"can-update-variable", belay.WriteVariables},
	{"can-read-state-versions", belay.ReadState},
	{"can-read-state-outputs", belay.ReadOutputs},
	{"can-create-state-versions", belay.WriteState},
	{"can-queue-apply", belay.ApplyRuns},
	{"can-lock", belay.LockWorkspace},
	{"can-unlock", belay.LockWorkspace},
	{"can-force-unlock", belay.ForceUnlockWorkspace},
	{"can-read-settings", belay.ReadWorkspace},
	{"can-manage-tags", belay.ManageTags},
	{"can-manage-run-tasks", belay.ManageRunTasks},
	{"can-manage-assessments", belay.ManageAssessments},
	{"can-manage-ephemeral-workspaces", belay.UpdateWorkspace},
	{"can-read-assessment-results", belay.ReadAssessments},
	{"can-read-change-requests", belay.ReadChangeRequests},
	{"can-update-change-requests", belay.ArchiveChangeRequests},
	{"can-queue-destroy", belay.ApplyRuns},
	{"can-manage-hyok", never},
}

// statePermissions is of a state version: to fetch its files, to make it the current one again.
var statePermissions = []permission{
	{"can-read", belay.ReadState},
	{"can-read-outputs", belay.ReadOutputs},
	{"can-rollback", belay.WriteState},
}

var projectPermissions = []permission{
	{"can-read", belay.ReadProject},
	{"can-update", belay.UpdateProject},
	{"can-destroy", belay.DeleteProject},
	{"can-create-workspace", belay.CreateWorkspace},
	{"can-move-workspace", belay.MoveWorkspace},
	{"can-manage-tags", belay.ManageProjectTags},
	{"can-read-teams", belay.ReadProjectTeams},
	{"can-manage-teams", belay.ManageProjectTeams},
	{"can-read-varsets", belay.ReadVariableSets},
	{"can-manage-varsets", belay.ManageVariableSets},
	{"can-manage-ephemeral-workspace-for-projects", belay.UpdateProject},
}

var organizationPermissions = []permission{
	{"can-update", belay.UpdateOrganization},
	{"can-destroy", belay.DeleteOrganization},
	{"can-access-via-teams", belay.Traverse},
	{"can-create-module", belay.ManageModules},
	{"can-create-team", belay.ManageTeams},
	{"can-create-workspace", belay.CreateWorkspace},
	{"can-create-project", belay.CreateProject},
	{"can-manage-users", belay.ManageMembership},
	{"can-manage-subscription", belay.UpdateOrganization},
	{"can-manage-sso", belay.UpdateOrganization},
	{"can-update-oauth", belay.ManageVCS},
	{"can-update-sentinel", belay.ManagePolicies},
	{"can-update-ssh-keys", belay.ManageSSHKeys},
	{"can-update-api-token", belay.ManageOrganizationTokens},
	{"can-traverse", belay.Traverse},
	{"can-start-trial", never},
	{"can-update-agent-pools", belay.ManageAgentPools},
	{"can-manage-tags", belay.ManageOrganizationTags},
	{"can-manage-varsets", belay.ManageVariableSets},
	{"can-read-varsets", belay.ReadVariableSets},
	{"can-manage-public-providers", belay.ManageProviders},
	{"can-create-provider", belay.ManageProviders},
	{"can-manage-public-modules", belay.ManageModules},
	{"can-manage-custom-providers", belay.ManageProviders},
	{"can-manage-run-tasks", belay.ManageOrganizationTasks},
	{"can-read-run-tasks", belay.Traverse},
	{"can-manage-auditing", belay.ReadAuditTrail},
	{"can-read-explorer", belay.ReadExplorer},
	{"can-view-explorer", belay.ReadExplorer},
	{"can-view-usage", never},
	{"can-view-users", belay.ReadEveryMember},
	{"can-view-authentication", belay.ManageOrganizationTokens},
	{"can-update-authentication-token", belay.ManageOrganizationTokens},
	{"can-read-policies", belay.ManagePolicies},
	{"can-manage-recoverable-items", belay.UpdateOrganization},
	{"can-create-change-requests", belay.CreateChangeRequests},
}
