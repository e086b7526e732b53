package belay

// Permission is a set of things that a principal may do: one bit each, of two words. It is
// stored nowhere: levels and switches are, by their names.
type Permission struct{ low, high uint64 }

var permissionNames []string // of those that are taken

// bit is a permission that is no other's, in the order of this file. The description of the API calls it by its name.
func bit(name string) Permission {
	n := len(permissionNames)
	permissionNames = append(permissionNames, name)
	return permissionAt(n)
}

func permissionAt(n int) Permission {
	switch {
	case n < 64:
		return Permission{low: 1 << n}
	case n < 127:
		return Permission{high: 1 << (n - 64)}
	default:
		panic("belay: there is no room for another permission")
	}
}

// What may be done with a workspace.
var (
	ReadWorkspace         = bit("read-workspace")
	ReadRuns              = bit("read-runs")
	QueueRuns             = bit("queue-runs")
	ApplyRuns             = bit("apply-runs")
	ReadVariables         = bit("read-variables")
	WriteVariables        = bit("write-variables")
	ReadOutputs           = bit("read-outputs")
	ReadState             = bit("read-state")
	WriteState            = bit("write-state")
	LockWorkspace         = bit("lock-workspace")
	ForceUnlockWorkspace  = bit("force-unlock-workspace")
	ManageTags            = bit("manage-tags")
	ManageRunTasks        = bit("manage-run-tasks")
	OverridePolicies      = bit("override-policies")
	ReadMocks             = bit("read-mocks")
	UpdateWorkspace       = bit("update-workspace")
	DeleteWorkspace       = bit("delete-workspace")
	ForceDeleteWorkspace  = bit("force-delete-workspace")
	ManageWorkspaceTeams  = bit("manage-workspace-teams")
	MoveWorkspace         = bit("move-workspace")
	ReadAssessments       = bit("read-assessments")
	ManageAssessments     = bit("manage-assessments")
	ReadChangeRequests    = bit("read-change-requests")
	ArchiveChangeRequests = bit("archive-change-requests")
	AdministerRuns        = bit("administer-runs") // force-cancel them, and read their plans unredacted

	// What may be done with a project.
	ReadProject        = bit("read-project")
	UpdateProject      = bit("update-project")
	DeleteProject      = bit("delete-project")
	CreateWorkspace    = bit("create-workspace")
	ManageProjectTags  = bit("manage-project-tags")
	ReadProjectTeams   = bit("read-project-teams")
	ManageProjectTeams = bit("manage-project-teams")
	ReadVariableSets   = bit("read-variable-sets")
	ManageVariableSets = bit("manage-variable-sets")

	// What may be done with an organization.
	Traverse                 = bit("traverse") // knows that the organization is there
	UpdateOrganization       = bit("update-organization")
	DeleteOrganization       = bit("delete-organization")
	CreateProject            = bit("create-project")
	ManageOrganizationTags   = bit("manage-organization-tags")
	ReplaceConsumers         = bit("replace-consumers")
	CreateChangeRequests     = bit("create-change-requests")
	ReadExplorer             = bit("read-explorer")
	ManageTeams              = bit("manage-teams")
	ManageMembership         = bit("manage-membership")
	ManageOrganizationAccess = bit("manage-organization-access")
	AccessSecretTeams        = bit("access-secret-teams")
	ManageVCS                = bit("manage-vcs")
	ManageAgentPools         = bit("manage-agent-pools")
	ManagePolicies           = bit("manage-policies")
	ManagePolicyOverrides    = bit("manage-policy-overrides")
	ManageModules            = bit("manage-modules")
	ManageProviders          = bit("manage-providers")
	ManageOrganizationTasks  = bit("manage-organization-tasks")
	ManageOrganizationTokens = bit("manage-organization-tokens")
	ReadAuditTrail           = bit("read-audit-trail")
	ManageSSHKeys            = bit("manage-ssh-keys")
	ReadEveryMember          = bit("read-every-member")
	ReserveTagKeys           = bit("reserve-tag-keys")
	ManageOwners             = bit("manage-owners") // the owners team: who is in it, and its tokens
	GiveRights               = bit("give-rights")   // gives teams what it has not itself, but for what owners alone have
)

// Nobody is what nobody has, not even a site admin: the features behind it do not exist in Belay.
var Nobody = Permission{high: 1 << 63}

// all is every permission there is: what a site admin has.
var all = Permission{low: ^uint64(0), high: ^uint64(0)}.Without(Nobody)

// The fixed levels of access to a workspace; each holds the one before.
var (
	workspaceRead = ReadWorkspace.And(
		ReadRuns, ReadVariables, ReadOutputs, ReadState, ReadAssessments, ReadChangeRequests,
	)
	workspacePlan  = workspaceRead.And(QueueRuns)
	workspaceWrite = workspacePlan.And(
		ApplyRuns, WriteVariables, WriteState, LockWorkspace, ReadMocks, ManageTags, ArchiveChangeRequests,
	)
	workspaceAdmin = workspaceWrite.And(
		ForceUnlockWorkspace, ManageRunTasks, OverridePolicies, UpdateWorkspace, DeleteWorkspace,
		ManageWorkspaceTeams, ManageAssessments, AdministerRuns,
	)
)

// The fixed levels of access to a project; each holds the one before, and the
// workspaces in the project come with it.
var (
	projectRead     = ReadProject.And(ReadVariableSets, workspaceRead)
	projectWrite    = projectRead.And(workspaceWrite)
	projectMaintain = projectWrite.And(workspaceAdmin, CreateWorkspace)
	projectAdmin    = projectMaintain.And(
		MoveWorkspace, UpdateProject, DeleteProject, ManageProjectTags, ReadProjectTeams,
		ManageProjectTeams, ManageVariableSets,
	)
)

// What the switches of a team's organization-access open.
var (
	manageWorkspaces = Traverse.And(
		workspaceAdmin, ReadProject, CreateWorkspace, ReplaceConsumers, ManageOrganizationTags,
		ReadExplorer, CreateChangeRequests, ReadVariableSets, ManageVariableSets,
	)
	manageProjects = manageWorkspaces.And(projectAdmin, CreateProject, ReserveTagKeys)
	readWorkspaces = Traverse.And(workspaceRead, ReadExplorer)
	readProjects   = Traverse.And(projectRead, ReadExplorer)
)

// owner is what the owners team may do: everything in its organization.
var owner = all

// organizationToken is what an organization token may do: it decides over teams and
// workspaces, but has no runs, no state, no SSH keys, and leaves the owners and the
// organization's own settings and tokens alone (docs/permissions.md).
var organizationToken = organizationTokenHas.Without(organizationTokenLacks)
var organizationTokenHas = manageProjects.And(
	ManageTeams, ManageMembership, GiveRights, ManageOrganizationAccess, AccessSecretTeams, ManageVCS,
	ManageAgentPools, ManagePolicies, ManageModules, ManageProviders, ManageOrganizationTasks,
	ReadEveryMember, ForceDeleteWorkspace, ReadAuditTrail,
)

// auditToken is what an organization's token for its audit trail may do: that, and not
// even see the organization.
var auditToken = ReadAuditTrail
var organizationTokenLacks = ReadState.And(
	WriteState, ReadOutputs, QueueRuns, ApplyRuns, AdministerRuns, ManageSSHKeys,
)

// What the token of a run may do: see which workspaces its organization has, and read
// its own; an apply locks and writes it too. Which other states it reads, their sharing
// says, not these bits.
var (
	runEverywhere = Traverse.And(ReadWorkspace)
	runPlan       = ReadWorkspace.And(ReadRuns, ReadOutputs, ReadState)
	runApply      = runPlan.And(LockWorkspace, WriteState)
)

// Has says whether every permission of need is there.
func (p Permission) Has(need Permission) bool {
	return p.low&need.low == need.low && p.high&need.high == need.high
}

// Each is the permissions of the set, one by one.
func (p Permission) Each() (list []Permission) {
	for n := range permissionNames {
		if one := permissionAt(n); p.Has(one) {
			list = append(list, one)
		}
	}
	return list
}

// Names is what the permissions of the set are called.
func (p Permission) Names() (list []string) {
	for n, name := range permissionNames {
		if p.Has(permissionAt(n)) {
			list = append(list, name)
		}
	}
	return list
}

// HasAny says whether one permission of some is there.
func (p Permission) HasAny(some Permission) bool { return p.low&some.low != 0 || p.high&some.high != 0 }

// And is what is in any of the sets.
func (p Permission) And(others ...Permission) Permission {
	for _, o := range others {
		p = p.or(o)
	}
	return p
}

// when is the set with others, if they are switched on.
func (p Permission) when(on bool, others Permission) Permission {
	if on {
		return p.or(others)
	}
	return p
}

// or is And for one: what is asked for every row of a list is not worth a slice.
func (p Permission) or(other Permission) Permission {
	return Permission{p.low | other.low, p.high | other.high}
}

// Without is what is not in the other set.
func (p Permission) Without(lacks Permission) Permission {
	return Permission{p.low &^ lacks.low, p.high &^ lacks.high}
}

// only is what is in both sets.
func (p Permission) only(most Permission) Permission {
	return Permission{p.low & most.low, p.high & most.high}
}

// Gives says whether who has these permissions may give others: those it has itself.
func (p Permission) Gives(others Permission) bool { return p.Has(GiveRights) || p.Has(others) }
