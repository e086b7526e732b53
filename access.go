package belay

import (
	"slices"
	"time"
)

// Access is what a principal may do in one organization. The rights of several teams add up.
type Access struct {
	Everywhere Permission            // on the organization and all that is in it
	Projects   map[string]Permission // by project id, and on the project's workspaces
	Workspaces map[string]Permission // by workspace id
	Teams      map[string]bool       // the teams that the principal is in, by id
}

// FullAccess is a site admin's.
func FullAccess() Access { return Access{Everywhere: all} }

// OnProject is what the principal may do with a project.
func (a Access) OnProject(id string) Permission { return a.Everywhere.or(a.Projects[id]) }

// OnWorkspace is what the principal may do with a workspace of a project.
func (a Access) OnWorkspace(id, projectID string) Permission {
	return a.Everywhere.or(a.Projects[projectID]).or(a.Workspaces[id])
}

// OnTeam says whether the principal sees a team.
func (a Access) OnTeam(t Team) bool {
	return a.Teams[t.ID] || a.Everywhere.Has(AccessSecretTeams) || t.Visibility == VisibleTeam && a.Everywhere.Has(Traverse)
}

// TeamScope is which teams a list tells of.
type TeamScope struct {
	Everything bool
	Visible    bool     // those that every member sees
	IDs        []string // and these
}

// TeamScope is the teams that the principal sees: OnTeam says so of each.
func (a Access) TeamScope() TeamScope {
	return TeamScope{Everything: a.Everywhere.Has(AccessSecretTeams), Visible: a.Everywhere.Has(Traverse), IDs: a.TeamIDs()}
}

// OnHolder says whether the principal may know who holds a lock: all but teams that it does
// not see.
func (a Access) OnHolder(h Holder) bool {
	return h.Type != "teams" || a.OnTeam(Team{ID: h.ID, Visibility: h.Visibility})
}

// MayManage says whether the principal may do with a team what need says. Whatever is done
// to a team, its members or its tokens takes somebody who could give the team its rights;
// so the owners team is the owners' own.
func (a Access) MayManage(t Team, need Permission) bool {
	return a.Everywhere.Has(need) && a.gives(t.Grants)
}

// gives says whether the principal could give all of a team's rights. A team whose rights
// were not read is nobody's.
func (a Access) gives(grants []Grant) bool {
	for _, g := range grants {
		var could bool
		switch g.Scope {
		case OnOrganization:
			could = a.Everywhere.Has(ManageOwners) || g.Level != OwnersLevel && a.Everywhere.Gives(organizationLevel(g))
		case OnProjects:
			could = a.OnProject(g.ScopeID).Gives(projectLevel(g))
		case OnWorkspaces:
			could = a.OnWorkspace(g.ScopeID, g.ProjectID).Gives(workspaceLevel(g))
		}
		if !could {
			return false
		}
	}
	return len(grants) > 0
}

// MayManageTokens says whether the principal may make and revoke the tokens of a team: its
// members may where the team lets them.
func (a Access) MayManageTokens(t Team) bool {
	return t.AllowMemberTokenManagement && a.Teams[t.ID] || a.MayManage(t, ManageTeams)
}

// TeamIDs is the teams that the principal is in.
func (a Access) TeamIDs() []string {
	ids := make([]string, 0, len(a.Teams))
	for id := range a.Teams {
		ids = append(ids, id)
	}
	return ids
}

// LentState is what a workspace lends to the runs of those that it shares its state with.
var LentState = ReadState.And(ReadOutputs)

// Scope is the part of an organization that a principal sees in a list: everything, or
// some projects and some workspaces.
type Scope struct {
	Everything bool
	Projects   []string
	Workspaces []string
}

// Scope is where the principal has a permission.
func (a Access) Scope(need Permission) Scope {
	if a.Everywhere.Has(need) {
		return Scope{Everything: true}
	}
	return Scope{Projects: a.within(a.Projects, need), Workspaces: a.within(a.Workspaces, need)}
}

// within is where of some places the principal has a permission, in order: the same scope is the same text, which totals are kept by.
func (a Access) within(places map[string]Permission, need Permission) (ids []string) {
	for id, p := range places {
		if p.or(a.Everywhere).Has(need) {
			ids = append(ids, id)
		}
	}
	slices.Sort(ids)
	return ids
}

// Anywhere says whether the principal has a permission in any project or workspace, or everywhere.
func (a Access) Anywhere(need Permission) bool {
	if a.Everywhere.Has(need) {
		return true
	}
	for _, within := range []map[string]Permission{a.Projects, a.Workspaces} {
		for _, p := range within {
			if p.or(a.Everywhere).Has(need) {
				return true
			}
		}
	}
	return false
}

// Grant is one right of a principal, as it is stored: the scope it holds in, and its level.
type Grant struct {
	Scope   GrantScope
	ScopeID string // of the project or workspace; for an organization, of the team
	Level   string // a fixed level, "custom", or for an organization the name of a switch
	Custom  Opener // what a custom level opens, or the organization's switches; nil: nothing

	ProjectID string // of the workspace, where it was asked for
	Given     Given  // where it was asked for
}

// Given is since when a level is what it is, and which user made it so; older ones don't know.
type Given struct {
	At time.Time
	By string
}

// GivenBy is who gives something, now.
func GivenBy(s Principal, now time.Time) Given {
	by, _ := s.Actor()
	return Given{At: now, By: by}
}

// Opener is a level whose parts were chosen one by one: an OrganizationAccess, a
// ProjectAccess or a WorkspaceAccess.
type Opener interface{ Permissions() Permission }

// opened is what the parts of the grant open that were chosen one by one.
func (g Grant) opened() Permission {
	if g.Custom == nil {
		return Permission{}
	}
	return g.Custom.Permissions()
}

// GrantScope is where a grant holds.
type GrantScope string

// The scopes of grants.
const (
	OnOrganization GrantScope = "organization"
	OnProjects     GrantScope = "project"
	OnWorkspaces   GrantScope = "workspace"
)

// AccessWithoutGrants is what a principal may do in an organization where no grant of a team says so:
// of site admins, organization tokens, runs and strangers. false: its grants, or those of its issuer,
// decide.
func AccessWithoutGrants(s Principal, o Organization) (Access, bool) {
	switch {
	case o.Gone():
		return Access{}, true
	case s.SiteAdmin:
		return FullAccess(), true
	case s.OrganizationID != "" && s.OrganizationID != o.ID:
		return Access{}, true
	case s.Issuer == nil && (s.Kind == OrganizationPrincipal || s.Kind == RunPrincipal):
		return NewAccess(s, nil), true
	}
	return Access{}, false
}

// NewAccess adds up the grants of a principal in one organization.
func NewAccess(s Principal, grants []Grant) Access {
	if s.SiteAdmin {
		return FullAccess()
	}
	access := Access{Projects: map[string]Permission{}, Workspaces: map[string]Permission{}, Teams: map[string]bool{}}
	switch s.Kind {
	case OrganizationPrincipal:
		access.Everywhere = organizationToken
		if s.Purpose == AuditTrails {
			access.Everywhere = auditToken
		}
	case RunPrincipal:
		access.Everywhere, access.Workspaces[s.WorkspaceID] = runEverywhere, runPlan
		switch s.Purpose {
		case ApplyPurpose:
			access.Workspaces[s.WorkspaceID] = runApply
		case BlindPlanPurpose:
			access.Workspaces[s.WorkspaceID] = runPlan.Without(LentState)
		}
	}
	for _, g := range grants {
		switch g.Scope {
		case OnOrganization:
			access.Everywhere = access.Everywhere.And(Traverse, organizationLevel(g))
			if g.ScopeID != "" {
				access.Teams[g.ScopeID] = true
			}
		case OnProjects:
			access.Everywhere = access.Everywhere.And(Traverse)
			access.Projects[g.ScopeID] = access.Projects[g.ScopeID].And(projectLevel(g))
		case OnWorkspaces:
			access.Everywhere = access.Everywhere.And(Traverse)
			access.Workspaces[g.ScopeID] = access.Workspaces[g.ScopeID].And(workspaceLevel(g))
		}
	}
	if s.ByOrganization {
		access.limit(organizationToken)
	}
	return access
}

// limit takes away all that is not in most.
func (a *Access) limit(most Permission) {
	a.Everywhere = a.Everywhere.only(most)
	for id := range a.Projects {
		a.Projects[id] = a.Projects[id].only(most)
	}
	for id := range a.Workspaces {
		a.Workspaces[id] = a.Workspaces[id].only(most)
	}
}

func organizationLevel(g Grant) Permission {
	if g.Level == OwnersLevel {
		return owner
	}
	return g.opened()
}

func projectLevel(g Grant) Permission {
	switch g.Level {
	case "read":
		return projectRead
	case "write":
		return projectWrite
	case "maintain":
		return projectMaintain
	case "admin":
		return projectAdmin
	case "custom":
		return g.opened()
	default:
		return Permission{}
	}
}

func workspaceLevel(g Grant) Permission {
	switch g.Level {
	case "read":
		return workspaceRead
	case "plan":
		return workspacePlan
	case "write":
		return workspaceWrite
	case "admin":
		return workspaceAdmin
	case "custom":
		return g.opened()
	default:
		return Permission{}
	}
}

// OwnersLevel is the level of a grant through the owners team.
const OwnersLevel = "owners"

// Way is one way by which a right comes to somebody: a team that they are in, and what the
// team has been given.
type Way struct {
	Team  Team // its id and name; hidden from who asks: neither
	Grant Grant
	Place TeamMember // since when the user is in the team, and whether groups put it there
}

// Rights is the single rights over a workspace by the names that people ask for them with.
var Rights = []struct {
	Name string
	Need Permission
}{
	{"read-workspace", ReadWorkspace}, {"read-runs", ReadRuns}, {"queue-runs", QueueRuns}, {"apply-runs", ApplyRuns},
	{"read-variables", ReadVariables}, {"write-variables", WriteVariables}, {"read-outputs", ReadOutputs}, {"read-state", ReadState},
	{"write-state", WriteState}, {"lock", LockWorkspace}, {"force-unlock", ForceUnlockWorkspace}, {"manage-tags", ManageTags},
	{"update-workspace", UpdateWorkspace}, {"delete-workspace", DeleteWorkspace}, {"manage-teams", ManageWorkspaceTeams},
	{"archive-change-requests", ArchiveChangeRequests},
}

// RightNamed is the right of a name.
func RightNamed(name string) (need Permission, known bool) {
	for _, r := range Rights {
		if r.Name == name {
			return r.Need, true
		}
	}
	return Permission{}, false
}

// Opens says whether a grant alone opens a right over a workspace to a user. It is asked of
// the same sum that every door asks.
func (g Grant) Opens(need Permission, w *Workspace) bool {
	alone := NewAccess(Principal{Kind: UserPrincipal}, []Grant{g})
	return alone.OnWorkspace(w.ID, w.ProjectID).Has(need)
}

// Reaches says whether a grant opens anything on a workspace beyond that its organization is there.
func (g Grant) Reaches(w *Workspace) bool { return g.Opens(ReadWorkspace, w) }

// ScopeID is what the way leads over: a project or a workspace; empty for the whole organization.
func (w *Way) ScopeID() string {
	if w.Grant.Scope == OnOrganization {
		return ""
	}
	return w.Grant.ScopeID
}
