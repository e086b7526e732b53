package belay

import (
	"slices"
	"strings"

	"github.com/belayhq/belay/internal/patch"
)

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

// Permissions is what the custom level opens. Any right on runs shows the workspace.
func (a WorkspaceAccess) Permissions() Permission {
	apply, plan := a.Runs == "apply", a.Runs == "plan"
	readRuns := apply || plan || a.Runs == "read"
	writeState := a.StateVersions == "write"
	readState := writeState || a.StateVersions == "read"
	return ReadWorkspace.And(ReadChangeRequests, ReadAssessments).
		when(readRuns, ReadRuns).
		when(plan || apply, QueueRuns).
		when(apply, ApplyRuns).
		when(a.Variables == "read" || a.Variables == "write", ReadVariables).
		when(a.Variables == "write", WriteVariables).
		when(readState || a.StateVersions == "read-outputs", ReadOutputs).
		when(readState, ReadState).
		when(writeState, WriteState).
		when(a.SentinelMocks == "read", ReadMocks).
		when(a.WorkspaceLocking, LockWorkspace).
		when(a.RunTasks, ManageRunTasks).
		when(a.PolicyOverrides, OverridePolicies)
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

// Permissions is what the custom level opens.
func (a ProjectAccess) Permissions() Permission {
	settings := a.Settings == "update" || a.Settings == "delete"
	return ReadProject.And(a.Workspaces.Permissions()).
		when(settings, UpdateProject.And(ManageProjectTags)).
		when(a.Settings == "delete", DeleteProject).
		when(a.Teams == "read" || a.Teams == "manage", ReadProjectTeams).
		when(a.Teams == "manage", ManageProjectTeams).
		when(a.VariableSets == "read" || a.VariableSets == "write", ReadVariableSets).
		when(a.VariableSets == "write", ManageVariableSets).
		when(a.Workspaces.Create, CreateWorkspace).
		when(a.Workspaces.Move, MoveWorkspace).
		when(a.Workspaces.Delete, DeleteWorkspace)
}

// customLevel is the level whose parts are chosen one by one.
const customLevel = "custom"

// levels is the levels of access to one kind of thing.
type levels[A any] struct {
	names  string
	fixed  map[string]A // what each amounts to
	custom A            // what the custom level opens before anything is chosen
}

// access is what a level amounts to.
func (l *levels[A]) access(level string, custom A) A {
	if level == customLevel {
		return custom
	}
	return l.fixed[level]
}

// apply changes a level and the parts of the custom one, or says all that is wrong. Parts
// are chosen for the custom level only; those of a fixed level may be sent back as they
// were shown.
func (l *levels[A]) apply(level *string, custom *A, change patch.Field[string], choose func(chooser, *A)) error {
	var problems Problems
	before := *level
	change.Into(level)
	implied, fixed := l.fixed[*level]
	switch {
	case fixed:
		choose(chooser{problems: &problems, fixed: *level}, &implied)
		var nothing A
		*custom = nothing
	case *level == customLevel:
		if before != customLevel {
			*custom = l.custom
			if kept, was := l.fixed[before]; was {
				*custom = kept // a right that is not named stays: choosing parts must not take others away
			}
		}
		choose(chooser{problems: &problems}, custom)
	default:
		problems.Attribute("access", "Access must be one of %s", l.names)
	}
	return problems.Err()
}

var workspaceLevels = levels[WorkspaceAccess]{
	names:  "read, plan, write, admin, custom",
	custom: WorkspaceAccess{Runs: "read", Variables: "none", StateVersions: "none", SentinelMocks: "none"},
	fixed: map[string]WorkspaceAccess{
		"read":  {Runs: "read", Variables: "read", StateVersions: "read", SentinelMocks: "none"},
		"plan":  {Runs: "plan", Variables: "read", StateVersions: "read", SentinelMocks: "none"},
		"write": {Runs: "apply", Variables: "write", StateVersions: "write", SentinelMocks: "read", WorkspaceLocking: true},
		"admin": {Runs: "apply", Variables: "write", StateVersions: "write", SentinelMocks: "read", WorkspaceLocking: true, RunTasks: true, PolicyOverrides: true},
	},
}

var projectLevels = levels[ProjectAccess]{
	names: "read, write, maintain, admin, custom",
	custom: ProjectAccess{
		Settings: "read", Teams: "none", VariableSets: "none",
		Workspaces: ProjectWorkspaceAccess{WorkspaceAccess: workspaceLevels.custom},
	},
	fixed: map[string]ProjectAccess{
		"read":     {Settings: "read", Teams: "none", VariableSets: "read", Workspaces: inProject("read")},
		"write":    {Settings: "read", Teams: "none", VariableSets: "read", Workspaces: inProject("write")},
		"maintain": {Settings: "read", Teams: "none", VariableSets: "read", Workspaces: inProject("admin", "create", "delete")},
		"admin":    {Settings: "delete", Teams: "manage", VariableSets: "write", Workspaces: inProject("admin", "create", "delete", "move")},
	},
}

func inProject(level string, more ...string) ProjectWorkspaceAccess {
	access := ProjectWorkspaceAccess{WorkspaceAccess: workspaceLevels.fixed[level]}
	for _, name := range more {
		switch name {
		case "create":
			access.Create = true
		case "delete":
			access.Delete = true
		case "move":
			access.Move = true
		}
	}
	return access
}

// TeamWorkspace is the access of a team to a workspace.
type TeamWorkspace struct {
	ID, OrganizationID, TeamID, WorkspaceID string
	Level                                   string
	Custom                                  WorkspaceAccess // of the custom level
	Given                                   Given

	Workspace Workspace // read with the row: its name, its project and its organization
	Team      Team      // read with the row: its name and its visibility
}

// Access is what the level amounts to.
func (t *TeamWorkspace) Access() WorkspaceAccess { return workspaceLevels.access(t.Level, t.Custom) }

// Permissions is what the level opens.
func (t *TeamWorkspace) Permissions() Permission {
	if t.Level == customLevel {
		return t.Custom.Permissions()
	}
	return workspaceLevel(Grant{Level: t.Level})
}

// WorkspaceAccessPatch chooses parts of a custom level.
type WorkspaceAccessPatch struct {
	Runs             patch.Field[string] `json:"runs"`
	Variables        patch.Field[string] `json:"variables"`
	StateVersions    patch.Field[string] `json:"state-versions"`
	SentinelMocks    patch.Field[string] `json:"sentinel-mocks"`
	WorkspaceLocking patch.Field[bool]   `json:"locking"`
	RunTasks         patch.Field[bool]   `json:"run-tasks"`
	PolicyOverrides  patch.Field[bool]   `json:"policy-overrides"`
}

func (p WorkspaceAccessPatch) apply(c chooser, a *WorkspaceAccess) {
	c.word("runs", p.Runs, &a.Runs, "read", "plan", "apply")
	c.word("variables", p.Variables, &a.Variables, "none", "read", "write")
	c.word("state-versions", p.StateVersions, &a.StateVersions, "none", "read-outputs", "read", "write")
	c.word("sentinel-mocks", p.SentinelMocks, &a.SentinelMocks, "none", "read")
	locking := "workspace-locking"
	if c.under != "" {
		locking = "locking" // as a project's document calls it
	}
	c.flag(locking, p.WorkspaceLocking, &a.WorkspaceLocking)
	c.flag("run-tasks", p.RunTasks, &a.RunTasks)
	c.flag("policy-overrides", p.PolicyOverrides, &a.PolicyOverrides)
}

// chooser takes the parts of a level from a patch.
type chooser struct {
	problems *Problems
	fixed    string // the level, when its parts are settled; empty: they may be chosen
	under    string // where the parts stand in the body
}

// word takes one of the values that a part may have.
func (c chooser) word(name string, field patch.Field[string], dst *string, values ...string) {
	if !field.Given() {
		return
	}
	if !slices.Contains(values, field.Value) {
		c.problems.Attribute(c.under+name, "%s must be one of %s", c.under+name, strings.Join(values, ", "))
		return
	}
	choose(c, name, dst, field.Value)
}

func (c chooser) flag(name string, field patch.Field[bool], dst *bool) {
	choose(c, name, dst, field.Or(*dst))
}

func choose[T comparable](c chooser, name string, dst *T, value T) {
	if c.fixed != "" && *dst != value {
		called := strings.ReplaceAll(name, "-", " ")
		c.problems.Attribute(c.under+name, "%s is read-only when access level is '%s'; use the 'custom' access level to set this attribute.",
			strings.ToUpper(called[:1])+called[1:], c.fixed)
		return
	}
	*dst = value
}

// TeamWorkspacePatch is a change of a team's access to a workspace.
type TeamWorkspacePatch struct {
	Level  patch.Field[string]
	Custom WorkspaceAccessPatch
}

// Apply changes the access, or says all that is wrong with the patch.
func (t *TeamWorkspace) Apply(change TeamWorkspacePatch) error {
	return workspaceLevels.apply(&t.Level, &t.Custom, change.Level, change.Custom.apply)
}

// TeamProject is the access of a team to a project and the workspaces in it.
type TeamProject struct {
	ID, OrganizationID, TeamID, ProjectID string
	Level                                 string
	Custom                                ProjectAccess // of the custom level
	Given                                 Given

	Project Project // read with the row: its organization
	Team    Team    // read with the row: its name and its visibility
}

// Access is what the level amounts to.
func (t *TeamProject) Access() ProjectAccess { return projectLevels.access(t.Level, t.Custom) }

// Permissions is what the level opens.
func (t *TeamProject) Permissions() Permission {
	if t.Level == customLevel {
		return t.Custom.Permissions()
	}
	return projectLevel(Grant{Level: t.Level})
}

// ProjectAccessPatch chooses the parts of a custom level that are about the project.
type ProjectAccessPatch struct {
	Settings     patch.Field[string] `json:"settings"`
	Teams        patch.Field[string] `json:"teams"`
	VariableSets patch.Field[string] `json:"variable-sets"`
}

// ProjectWorkspaceAccessPatch chooses the parts that are about the project's workspaces.
type ProjectWorkspaceAccessPatch struct {
	WorkspaceAccessPatch
	Create patch.Field[bool] `json:"create"`
	Move   patch.Field[bool] `json:"move"`
	Delete patch.Field[bool] `json:"delete"`
}

// TeamProjectPatch is a change of a team's access to a project.
type TeamProjectPatch struct {
	Level      patch.Field[string]
	Project    ProjectAccessPatch
	Workspaces ProjectWorkspaceAccessPatch
}

func (p TeamProjectPatch) apply(c chooser, a *ProjectAccess) {
	c.under = "project-access/"
	c.word("settings", p.Project.Settings, &a.Settings, "read", "update", "delete")
	c.word("teams", p.Project.Teams, &a.Teams, "none", "read", "manage")
	c.word("variable-sets", p.Project.VariableSets, &a.VariableSets, "none", "read", "write")
	c.under = "workspace-access/"
	p.Workspaces.apply(c, &a.Workspaces.WorkspaceAccess)
	c.flag("create", p.Workspaces.Create, &a.Workspaces.Create)
	c.flag("move", p.Workspaces.Move, &a.Workspaces.Move)
	c.flag("delete", p.Workspaces.Delete, &a.Workspaces.Delete)
}

// Apply changes the access, or says all that is wrong with the patch.
func (t *TeamProject) Apply(change TeamProjectPatch) error {
	return projectLevels.apply(&t.Level, &t.Custom, change.Level, change.apply)
}
