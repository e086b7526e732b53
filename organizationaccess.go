package belay

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

	// Of what is not offered here: kept as clients set them.
	DelegatePolicyOverrides  bool `json:"delegate-policy-overrides,omitempty"`
	ManagePublicModules      bool `json:"manage-public-modules,omitempty"`
	ManagePublicProviders    bool `json:"manage-public-providers,omitempty"`
	ManageRegistryComponents bool `json:"manage-registry-components,omitempty"`
}

// Switches is what a grant over an organization turns on.
func (g Grant) Switches() OrganizationAccess {
	switches, _ := g.Custom.(OrganizationAccess)
	return switches
}

// organizationSwitches is every switch: its name, where it is kept, and what it opens.
var organizationSwitches = []struct {
	name  string
	at    func(*OrganizationAccess) *bool
	opens Permission
}{
	{"manage-policies", func(a *OrganizationAccess) *bool { return &a.ManagePolicies }, ManagePolicies},
	{"manage-policy-overrides", func(a *OrganizationAccess) *bool { return &a.ManagePolicyOverrides }, ManagePolicyOverrides.And(OverridePolicies)},
	{"manage-workspaces", func(a *OrganizationAccess) *bool { return &a.ManageWorkspaces }, manageWorkspaces},
	{"manage-vcs-settings", func(a *OrganizationAccess) *bool { return &a.ManageVCSSettings }, ManageVCS.And(ManageSSHKeys)},
	{"manage-modules", func(a *OrganizationAccess) *bool { return &a.ManageModules }, ManageModules},
	{"manage-providers", func(a *OrganizationAccess) *bool { return &a.ManageProviders }, ManageProviders},
	{"manage-run-tasks", func(a *OrganizationAccess) *bool { return &a.ManageRunTasks }, ManageOrganizationTasks},
	{"manage-projects", func(a *OrganizationAccess) *bool { return &a.ManageProjects }, manageProjects},
	{"read-workspaces", func(a *OrganizationAccess) *bool { return &a.ReadWorkspaces }, readWorkspaces},
	{"read-projects", func(a *OrganizationAccess) *bool { return &a.ReadProjects }, readProjects},
	{"manage-membership", func(a *OrganizationAccess) *bool { return &a.ManageMembership }, ManageMembership.And(ReadEveryMember)},
	{"manage-teams", func(a *OrganizationAccess) *bool { return &a.ManageTeams }, ManageTeams.And(ManageMembership, ReadEveryMember)},
	{"manage-organization-access", func(a *OrganizationAccess) *bool { return &a.ManageOrganizationAccess }, ManageOrganizationAccess.And(ManageTeams, ManageMembership, ReadEveryMember)},
	{"access-secret-teams", func(a *OrganizationAccess) *bool { return &a.AccessSecretTeams }, AccessSecretTeams},
	{"manage-agent-pools", func(a *OrganizationAccess) *bool { return &a.ManageAgentPools }, ManageAgentPools},
	{"delegate-policy-overrides", func(a *OrganizationAccess) *bool { return &a.DelegatePolicyOverrides }, Permission{}},
	{"manage-public-modules", func(a *OrganizationAccess) *bool { return &a.ManagePublicModules }, Permission{}},
	{"manage-public-providers", func(a *OrganizationAccess) *bool { return &a.ManagePublicProviders }, Permission{}},
	{"manage-registry-components", func(a *OrganizationAccess) *bool { return &a.ManageRegistryComponents }, Permission{}},
}

// implied is the switches with those that follow from them: managing projects means
// managing workspaces, and managing means seeing. What follows is never kept: it goes with
// what it follows from.
func (a OrganizationAccess) implied() OrganizationAccess {
	a.ManageWorkspaces = a.ManageWorkspaces || a.ManageProjects
	a.ReadProjects = a.ReadProjects || a.ManageProjects
	a.ReadWorkspaces = a.ReadWorkspaces || a.ManageWorkspaces || a.ReadProjects
	return a
}

// SwitchedOn is one switch, on.
func SwitchedOn(name string) (a OrganizationAccess) {
	a.set(map[string]bool{name: true})
	return a
}

// Shows says whether a document shows the same switches as another's.
func (a OrganizationAccess) Shows(other OrganizationAccess) bool {
	return a.implied() == other.implied()
}

// Permissions is what the switches open.
func (a OrganizationAccess) Permissions() Permission {
	var p Permission
	a = a.implied()
	for _, s := range organizationSwitches {
		if *s.at(&a) {
			p = p.or(s.opens)
		}
	}
	return p
}

// Each calls fn with every switch, in the order of documents, and whether it is on or
// follows from one that is.
func (a OrganizationAccess) Each(fn func(name string, on bool)) {
	a = a.implied()
	for _, s := range organizationSwitches {
		fn(s.name, *s.at(&a))
	}
}

// set turns switches on and off.
func (a *OrganizationAccess) set(switches map[string]bool) {
	for _, s := range organizationSwitches {
		if on, named := switches[s.name]; named {
			*s.at(a) = on
		}
	}
}
