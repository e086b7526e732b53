package belay

import (
	"encoding/json"
	"time"
)

// OwnersTeam is the name of the team that every organization has: its members may do
// everything in it, and the team can't be deleted.
const OwnersTeam = "owners"

// Team is a group of users of an organization that gets rights together.
type Team struct {
	ID                         string
	OrganizationID             string
	Name                       string
	Description                string
	SSOTeamID                  string
	Visibility                 string // secret or organization
	AllowMemberTokenManagement bool
	Access                     OrganizationAccess
	UsersCount                 int // read with the row
	CreatedAt                  time.Time

	Organization Organization // read with the row: its name
}

// Owners says whether this is the organization's owners team.
func (t *Team) Owners() bool { return t.Name == OwnersTeam }

// Membership is a user's place in an organization, or the invitation to it.
type Membership struct {
	ID             string
	OrganizationID string
	UserID         string // empty while it is an invitation of an unknown address
	Email          string
	Status         string // active or invited
	CreatedAt      time.Time

	Organization Organization // read with the row: its name
}

// The statuses of a membership.
const (
	ActiveMember  = "active"
	InvitedMember = "invited"
)

// OrganizationAccess is the switches of a team over its whole organization.
type OrganizationAccess struct {
	ManagePolicies           bool `json:"manage-policies,omitempty"`
	ManagePolicyOverrides    bool `json:"manage-policy-overrides,omitempty"`
	ManageWorkspaces         bool `json:"manage-workspaces,omitempty"`
	ManageVCSSettings        bool `json:"manage-vcs-settings,omitempty"`
	ManageModules            bool `json:"manage-modules,omitempty"`
	ManageProviders          bool `json:"manage-providers,omitempty"`
	ManageRunTasks           bool `json:"manage-run-tasks,omitempty"`
	ManageProjects           bool `json:"manage-projects,omitempty"`
	ReadWorkspaces           bool `json:"read-workspaces,omitempty"`
	ReadProjects             bool `json:"read-projects,omitempty"`
	ManageMembership         bool `json:"manage-membership,omitempty"`
	ManageTeams              bool `json:"manage-teams,omitempty"`
	ManageOrganizationAccess bool `json:"manage-organization-access,omitempty"`
	AccessSecretTeams        bool `json:"access-secret-teams,omitempty"`
	ManageAgentPools         bool `json:"manage-agent-pools,omitempty"`
}

// ParseOrganizationAccess reads the switches as they are stored: a JSON object.
func ParseOrganizationAccess(text string) OrganizationAccess {
	return parseStored[OrganizationAccess](text)
}

// Permissions is what the switches open.
func (a OrganizationAccess) Permissions() Permission {
	return open([]opening{
		{a.ManagePolicies, ManagePolicies},
		{a.ManagePolicyOverrides, ManagePolicyOverrides},
		{a.ManageWorkspaces, manageWorkspaces},
		{a.ManageVCSSettings, ManageVCS | ManageSSHKeys},
		{a.ManageModules, ManageModules},
		{a.ManageProviders, ManageProviders},
		{a.ManageRunTasks, ManageOrganizationTasks},
		{a.ManageProjects, manageProjects},
		{a.ReadWorkspaces, readWorkspaces},
		{a.ReadProjects, readProjects},
		{a.ManageMembership, ManageMembership | ReadEveryMember},
		{a.ManageTeams, ManageTeams | ManageMembership | ReadEveryMember},
		{a.ManageOrganizationAccess, ManageOrganizationAccess | ManageTeams | ManageMembership | ReadEveryMember},
		{a.AccessSecretTeams, AccessSecretTeams},
		{a.ManageAgentPools, ManageAgentPools},
	})
}

// WorkspaceAccess is a custom level of access to a workspace.
type WorkspaceAccess struct {
	Runs             string `json:"runs,omitempty"`           // read, plan, apply
	Variables        string `json:"variables,omitempty"`      // none, read, write
	StateVersions    string `json:"state-versions,omitempty"` // none, read-outputs, read, write
	SentinelMocks    string `json:"sentinel-mocks,omitempty"` // none, read
	WorkspaceLocking bool   `json:"workspace-locking,omitempty"`
	RunTasks         bool   `json:"run-tasks,omitempty"`
	PolicyOverrides  bool   `json:"policy-overrides,omitempty"`
}

// ParseWorkspaceAccess reads a custom level as it is stored: a JSON object.
func ParseWorkspaceAccess(text string) WorkspaceAccess { return parseStored[WorkspaceAccess](text) }

// Permissions is what the custom level opens. Any right on runs shows the workspace.
func (a WorkspaceAccess) Permissions() Permission {
	apply, plan := a.Runs == "apply", a.Runs == "plan"
	readRuns := apply || plan || a.Runs == "read"
	writeState := a.StateVersions == "write"
	readState := writeState || a.StateVersions == "read"
	return ReadWorkspace | ReadChangeRequests | ReadAssessments | open([]opening{
		{readRuns, ReadRuns},
		{plan || apply, QueueRuns},
		{apply, ApplyRuns},
		{a.Variables == "read" || a.Variables == "write", ReadVariables},
		{a.Variables == "write", WriteVariables},
		{readState || a.StateVersions == "read-outputs", ReadOutputs},
		{readState, ReadState},
		{writeState, WriteState},
		{a.SentinelMocks == "read", ReadMocks},
		{a.WorkspaceLocking, LockWorkspace},
		{a.RunTasks, ManageRunTasks},
		{a.PolicyOverrides, OverridePolicies},
	})
}

// ProjectAccess is a custom level of access to a project and the workspaces in it.
type ProjectAccess struct {
	Settings     string                 `json:"settings,omitempty"`      // read, update, delete
	Teams        string                 `json:"teams,omitempty"`         // none, read, manage
	VariableSets string                 `json:"variable-sets,omitempty"` // none, read, write
	Workspaces   ProjectWorkspaceAccess `json:"workspaces"`
}

// ProjectWorkspaceAccess is the part of a custom project level that is about workspaces.
type ProjectWorkspaceAccess struct {
	WorkspaceAccess
	Create bool `json:"create,omitempty"`
	Move   bool `json:"move,omitempty"`
	Delete bool `json:"delete,omitempty"`
}

// ParseProjectAccess reads a custom level as it is stored: a JSON object.
func ParseProjectAccess(text string) ProjectAccess { return parseStored[ProjectAccess](text) }

// Permissions is what the custom level opens.
func (a ProjectAccess) Permissions() Permission {
	settings := a.Settings == "update" || a.Settings == "delete"
	return ReadProject | a.Workspaces.Permissions() | open([]opening{
		{settings, UpdateProject | ManageProjectTags},
		{a.Settings == "delete", DeleteProject},
		{a.Teams == "read" || a.Teams == "manage", ReadProjectTeams},
		{a.Teams == "manage", ManageProjectTeams},
		{a.VariableSets == "read" || a.VariableSets == "write", ReadVariableSets},
		{a.VariableSets == "write", ManageVariableSets},
		{a.Workspaces.Create, CreateWorkspace},
		{a.Workspaces.Move, MoveWorkspace},
		{a.Workspaces.Delete, DeleteWorkspace},
	})
}

// opening is a switch and what it opens.
type opening struct {
	on     bool
	grants Permission
}

func open(openings []opening) Permission {
	var p Permission
	for _, o := range openings {
		if o.on {
			p |= o.grants
		}
	}
	return p
}

// parseStored reads what the store wrote itself; unreadable text opens nothing.
func parseStored[T any](text string) T {
	var v T
	if text != "" {
		_ = json.Unmarshal([]byte(text), &v)
	}
	return v
}
