package workspaces

import (
	"github.com/belayhq/belay"
	"github.com/belayhq/belay/internal/api/doc"
)

var workspacePermissions = []doc.Permission{
	{Name: "can-update", Need: belay.UpdateWorkspace},
	{Name: "can-destroy", Need: belay.DeleteWorkspace},
	{Name: "can-queue-run", Need: belay.QueueRuns},
	{Name: "can-read-run", Need: belay.ReadRuns},
	{Name: "can-read-variable", Need: belay.ReadVariables},
	{Name: "can-update-variable", Need: belay.WriteVariables},
	{Name: "can-read-state-versions", Need: belay.ReadState},
	{Name: "can-read-state-outputs", Need: belay.ReadOutputs},
	{Name: "can-create-state-versions", Need: belay.WriteState},
	{Name: "can-queue-apply", Need: belay.ApplyRuns},
	{Name: "can-lock", Need: belay.LockWorkspace},
	{Name: "can-unlock", Need: belay.LockWorkspace},
	{Name: "can-force-unlock", Need: belay.ForceUnlockWorkspace},
	{Name: "can-read-settings", Need: belay.ReadWorkspace},
	{Name: "can-manage-tags", Need: belay.ManageTags},
	{Name: "can-manage-run-tasks", Need: belay.ManageRunTasks},
	{Name: "can-manage-assessments", Need: belay.ManageAssessments},
	{Name: "can-manage-ephemeral-workspaces", Need: belay.UpdateWorkspace},
	{Name: "can-read-assessment-results", Need: belay.ReadAssessments},
	{Name: "can-read-change-requests", Need: belay.ReadChangeRequests},
	{Name: "can-update-change-requests", Need: belay.ArchiveChangeRequests},
	{Name: "can-queue-destroy", Need: belay.ApplyRuns},
	{Name: "can-manage-hyok", Need: belay.Nobody},
}

// StatePermissions is of a state version: to fetch its files, to make it the current one again.
var StatePermissions = []doc.Permission{
	{Name: "can-read", Need: belay.ReadState},
	{Name: "can-read-outputs", Need: belay.ReadOutputs},
	{Name: "can-rollback", Need: belay.WriteState},
}

var projectPermissions = []doc.Permission{
	{Name: "can-read", Need: belay.ReadProject},
	{Name: "can-update", Need: belay.UpdateProject},
	{Name: "can-destroy", Need: belay.DeleteProject},
	{Name: "can-create-workspace", Need: belay.CreateWorkspace},
	{Name: "can-move-workspace", Need: belay.MoveWorkspace},
	{Name: "can-manage-tags", Need: belay.ManageProjectTags},
	{Name: "can-read-teams", Need: belay.ReadProjectTeams},
	{Name: "can-manage-teams", Need: belay.ManageProjectTeams},
	{Name: "can-read-varsets", Need: belay.ReadVariableSets},
	{Name: "can-manage-varsets", Need: belay.ManageVariableSets},
	{Name: "can-manage-ephemeral-workspace-for-projects", Need: belay.UpdateProject},
}

// OrganizationPermissions is what one may do with an organization.
var OrganizationPermissions = []doc.Permission{
	{Name: "can-update", Need: belay.UpdateOrganization},
	{Name: "can-destroy", Need: belay.DeleteOrganization},
	{Name: "can-access-via-teams", Need: belay.Traverse},
	{Name: "can-create-module", Need: belay.ManageModules},
	{Name: "can-create-team", Need: belay.ManageTeams},
	{Name: "can-create-workspace", Need: belay.CreateWorkspace},
	{Name: "can-create-project", Need: belay.CreateProject},
	{Name: "can-manage-users", Need: belay.ManageMembership},
	{Name: "can-manage-subscription", Need: belay.UpdateOrganization},
	{Name: "can-manage-sso", Need: belay.UpdateOrganization},
	{Name: "can-update-oauth", Need: belay.ManageVCS},
	{Name: "can-update-sentinel", Need: belay.ManagePolicies},
	{Name: "can-update-ssh-keys", Need: belay.ManageSSHKeys},
	{Name: "can-update-api-token", Need: belay.ManageOrganizationTokens},
	{Name: "can-traverse", Need: belay.Traverse},
	{Name: "can-start-trial", Need: belay.Nobody},
	{Name: "can-update-agent-pools", Need: belay.ManageAgentPools},
	{Name: "can-manage-tags", Need: belay.ManageOrganizationTags},
	{Name: "can-manage-varsets", Need: belay.ManageVariableSets},
	{Name: "can-read-varsets", Need: belay.ReadVariableSets},
	{Name: "can-manage-public-providers", Need: belay.ManageProviders},
	{Name: "can-create-provider", Need: belay.ManageProviders},
	{Name: "can-manage-public-modules", Need: belay.ManageModules},
	{Name: "can-manage-custom-providers", Need: belay.ManageProviders},
	{Name: "can-manage-run-tasks", Need: belay.ManageOrganizationTasks},
	{Name: "can-read-run-tasks", Need: belay.Traverse},
	{Name: "can-manage-auditing", Need: belay.ReadAuditTrail},
	{Name: "can-read-explorer", Need: belay.ReadExplorer},
	{Name: "can-view-explorer", Need: belay.ReadExplorer},
	{Name: "can-view-usage", Need: belay.Nobody},
	{Name: "can-view-users", Need: belay.ReadEveryMember},
	{Name: "can-view-authentication", Need: belay.ManageOrganizationTokens},
	{Name: "can-update-authentication-token", Need: belay.ManageOrganizationTokens},
	{Name: "can-read-policies", Need: belay.ManagePolicies},
	{Name: "can-manage-recoverable-items", Need: belay.UpdateOrganization},
	{Name: "can-create-change-requests", Need: belay.CreateChangeRequests},
}
