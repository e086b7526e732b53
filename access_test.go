package belay_test

import (
	"slices"
	"testing"
	"time"

	"github.com/belayhq/belay"
	"github.com/belayhq/belay/internal/patch"
)

func TestRightsOfSeveralTeamsAddUp(t *testing.T) {
	t.Parallel()
	user := belay.Principal{Kind: belay.UserPrincipal, ID: "user-1"}
	access := belay.NewAccess(user, []belay.Grant{
		{Scope: belay.OnOrganization, ScopeID: "team-1"},
		{Scope: belay.OnWorkspaces, ScopeID: "ws-1", Level: "read"},
		{Scope: belay.OnWorkspaces, ScopeID: "ws-1", Level: "custom", Custom: belay.WorkspaceAccess{Runs: "plan", WorkspaceLocking: true}},
		{Scope: belay.OnProjects, ScopeID: "prj-1", Level: "maintain"},
		{Scope: belay.OnWorkspaces, ScopeID: "ws-2", Level: "no such level"},
	})
	for _, c := range []struct {
		workspace, project string
		need               belay.Permission
		want               bool
	}{
		{"ws-1", "prj-0", belay.ReadState.And(belay.QueueRuns, belay.LockWorkspace), true},
		{"ws-1", "prj-0", belay.ApplyRuns, false},
		{"ws-1", "prj-1", belay.UpdateWorkspace.And(belay.CreateWorkspace), true},
		{"ws-1", "prj-1", belay.MoveWorkspace, false},
		{"ws-2", "prj-0", belay.ReadWorkspace, false},
		{"ws-9", "prj-1", belay.DeleteWorkspace, true},
		{"ws-9", "prj-1", belay.ForceDeleteWorkspace, false},
	} {
		if got := access.OnWorkspace(c.workspace, c.project).Has(c.need); got != c.want {
			t.Errorf("%s in %s: %b is %v", c.workspace, c.project, c.need, got)
		}
	}
	scope := access.Scope(belay.ReadWorkspace)
	if scope.Everything || len(scope.Workspaces) != 1 || len(scope.Projects) != 1 || !access.Teams["team-1"] {
		t.Errorf("scope: %+v", scope)
	}
}

func TestTokensOfAnOrganizationAreNarrow(t *testing.T) {
	t.Parallel()
	plain := belay.NewAccess(belay.Principal{Kind: belay.OrganizationPrincipal}, nil).Everywhere
	for name, never := range map[string]belay.Permission{
		"runs": belay.QueueRuns, "apply": belay.ApplyRuns, "state": belay.ReadState, "outputs": belay.ReadOutputs, "writing state": belay.WriteState,
		"SSH keys": belay.ManageSSHKeys, "settings": belay.UpdateOrganization, "tokens": belay.ManageOrganizationTokens, "the end": belay.DeleteOrganization,
	} {
		if plain.Has(never) {
			t.Errorf("an organization token has %s", name)
		}
	}
	if need := belay.CreateWorkspace.And(belay.ManageTeams, belay.LockWorkspace, belay.CreateChangeRequests, belay.ReadAuditTrail); !plain.Has(need) {
		t.Errorf("an organization token lacks %b", need.Without(plain))
	}
	audit := belay.NewAccess(belay.Principal{Kind: belay.OrganizationPrincipal, Purpose: belay.AuditTrails}, nil).Everywhere
	if audit != belay.ReadAuditTrail {
		t.Errorf("an audit token has %b", audit)
	}
}

func TestFixedLevelsAmountToTheirParts(t *testing.T) {
	t.Parallel()
	for _, level := range []string{"read", "plan", "write", "admin"} {
		g := belay.TeamWorkspace{Level: level}
		fixed := belay.NewAccess(belay.Principal{}, []belay.Grant{{Scope: belay.OnWorkspaces, ScopeID: "w", Level: level}}).OnWorkspace("w", "")
		if lacks := g.Access().Permissions().Without(fixed); lacks != (belay.Permission{}) {
			t.Errorf("workspace %s shows parts that it does not give: %b", level, lacks)
		}
	}
	for _, level := range []string{"read", "write", "maintain", "admin"} {
		g := belay.TeamProject{Level: level}
		fixed := belay.NewAccess(belay.Principal{}, []belay.Grant{{Scope: belay.OnProjects, ScopeID: "p", Level: level}}).OnProject("p")
		if lacks := g.Access().Permissions().Without(fixed); lacks != (belay.Permission{}) {
			t.Errorf("project %s shows parts that it does not give: %b", level, lacks)
		}
	}
}

func TestPartsAreChosenForCustomLevelsOnly(t *testing.T) {
	t.Parallel()
	change := belay.TeamWorkspacePatch{Level: patch.Of("read")}
	g := belay.TeamWorkspace{}
	if err := g.Apply(change); err != nil {
		t.Fatal(err)
	}
	change.Custom.Variables = patch.Of("read") // what read amounts to anyway
	if err := g.Apply(change); err != nil {
		t.Errorf("sending back what was shown: %v", err)
	}
	change.Custom.Variables = patch.Of("write")
	if err := g.Apply(change); belay.KindOf(err) != belay.Invalid {
		t.Errorf("choosing a part of a fixed level: %v", err)
	}
	change.Level = patch.Of("custom")
	if err := g.Apply(change); err != nil || g.Access().Variables != "write" || g.Access().Runs != "read" {
		t.Errorf("custom: %+v %v", g.Access(), err)
	}
	for _, wrong := range []belay.TeamWorkspacePatch{
		{Level: patch.Of("")}, {Level: patch.Of("maintain")}, {Custom: belay.WorkspaceAccessPatch{Runs: patch.Of("all")}},
	} {
		copied := g
		if err := copied.Apply(wrong); belay.KindOf(err) != belay.Invalid {
			t.Errorf("%+v: %v", wrong, err)
		}
	}
}

func TestTokensEnd(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 11, 21, 0, 0, 0, 0, time.UTC)
	var token belay.Token
	if err := token.Expire(patch.Null[time.Time](), time.Time{}, now); err != nil || !token.ExpiredAt.IsZero() {
		t.Errorf("for ever: %v %v", token.ExpiredAt, err)
	}
	if err := token.Expire(patch.Field[time.Time]{}, time.Time{}, now); err != nil || !token.ExpiredAt.Equal(now.AddDate(2, 0, 0)) {
		t.Errorf("without a date: %v %v", token.ExpiredAt, err)
	}
	agent := belay.Token{OwnerKind: belay.AgentPrincipal}
	if err := agent.Expire(patch.Field[time.Time]{}, time.Time{}, now); err != nil || !agent.ExpiredAt.IsZero() {
		t.Errorf("an agent's: %v %v", agent.ExpiredAt, err)
	}
	if err := token.Expire(patch.Of(now.Add(time.Millisecond)), time.Time{}, now); err != nil {
		t.Errorf("in a moment: %v", err)
	}
	most := now.Add(time.Hour)
	for _, t2 := range []*belay.Token{{}, {OwnerKind: belay.AgentPrincipal}} {
		if err := t2.Expire(patch.Field[time.Time]{}, most, now); err != nil || !t2.ExpiredAt.Equal(most) {
			t.Errorf("of a token that ends, without a date: %v %v", t2.ExpiredAt, err)
		}
		for _, later := range []patch.Field[time.Time]{patch.Null[time.Time](), patch.Of(most.Add(time.Millisecond))} {
			if err := t2.Expire(later, most, now); belay.KindOf(err) != belay.Invalid {
				t.Errorf("of a token that ends sooner: %v %v", t2.ExpiredAt, err)
			}
		}
		if err := t2.Expire(patch.Of(most), most, now); err != nil {
			t.Errorf("of a token that ends then: %v", err)
		}
	}
	if err := token.Expire(patch.Of(now), time.Time{}, now); belay.KindOf(err) != belay.Invalid {
		t.Errorf("now: %v", err)
	}
}

func TestTheOwnersTeamIsTheOwnersOwn(t *testing.T) {
	t.Parallel()
	owners := belay.Team{ID: "team-o", Name: belay.OwnersTeam}
	teams := belay.Access{Everywhere: belay.ManageTeams.And(belay.ManageMembership, belay.Traverse)}
	if teams.MayManage(owners, belay.ManageMembership) || teams.MayManageTokens(owners) {
		t.Error("who manages teams manages the owners")
	}
	if err := owners.Apply(belay.TeamPatch{Name: patch.Of("others")}); belay.KindOf(err) != belay.Invalid {
		t.Errorf("renamed: %v", err)
	}
}

// TestWhatFollowsFromASwitchGoesWithIt gives a switch and takes it away again: nothing
// that nobody gave is left.
func TestWhatFollowsFromASwitchGoesWithIt(t *testing.T) {
	t.Parallel()
	team := belay.NewTeam(belay.Organization{ID: "org-1"}, time.Now())
	turn := func(name string, on bool) {
		t.Helper()
		if err := team.Apply(belay.TeamPatch{Name: patch.Of("network"), Access: patch.Of(map[string]bool{name: on})}); err != nil {
			t.Fatal(err)
		}
	}
	shown := func() (on []string) {
		team.Access.Each(func(name string, is bool) {
			if is {
				on = append(on, name)
			}
		})
		return on
	}
	for given, follows := range map[string][]string{
		"manage-projects":   {"manage-workspaces", "manage-projects", "read-workspaces", "read-projects"},
		"manage-workspaces": {"manage-workspaces", "read-workspaces"},
		"read-projects":     {"read-workspaces", "read-projects"},
	} {
		turn(given, true)
		if got := shown(); !slices.Equal(got, follows) {
			t.Errorf("%s shows %v", given, got)
		}
		turn(given, false)
		if got := shown(); len(got) > 0 || team.Access.Permissions() != (belay.Permission{}) {
			t.Errorf("%s was taken away, and left %v", given, got)
		}
	}
	turn("manage-projects", true)
	turn("read-workspaces", true)
	turn("manage-projects", false)
	if got := shown(); !slices.Equal(got, []string{"read-workspaces"}) {
		t.Errorf("what was given beside it: %v", got)
	}
}

// TestATeamIsChangedByWhoCouldGiveItsRights holds each right of a team beside those of
// somebody who would change it.
func TestATeamIsChangedByWhoCouldGiveItsRights(t *testing.T) {
	t.Parallel()
	manages := belay.Grant{Scope: belay.OnOrganization, ScopeID: "mine", Custom: belay.OrganizationAccess{ManageTeams: true}}
	admin := belay.Grant{Scope: belay.OnProjects, ScopeID: "prj-1", Level: "admin"}
	of := func(more ...belay.Grant) belay.Team {
		return belay.Team{ID: "team-1", Grants: append([]belay.Grant{{Scope: belay.OnOrganization, ScopeID: "team-1"}}, more...)}
	}
	reads := belay.Grant{Scope: belay.OnWorkspaces, ScopeID: "ws-1", Level: "read", ProjectID: "prj-1"}
	owners := belay.Team{Grants: []belay.Grant{{Scope: belay.OnOrganization, Level: belay.OwnersLevel}}}
	user := func(grants ...belay.Grant) belay.Access {
		return belay.NewAccess(belay.Principal{Kind: belay.UserPrincipal}, grants)
	}
	token := belay.NewAccess(belay.Principal{Kind: belay.OrganizationPrincipal}, nil)
	for name, c := range map[string]struct {
		access belay.Access
		team   belay.Team
		want   bool
	}{
		"who manages teams, one that opens nothing":                  {user(manages), of(), true},
		"who manages teams, one whose rights were not read":          {user(manages), belay.Team{}, false},
		"who manages teams, one that reads a workspace":              {user(manages), of(reads), false},
		"who manages teams and reads it":                             {user(manages, reads), of(reads), true},
		"who manages teams, and is admin of the workspace's project": {user(manages, admin), of(reads), true},
		"who is admin of a project only":                             {user(admin), of(), false},
		"who manages teams, the owners":                              {user(manages), owners, false},
		"an owner, the owners":                                       {belay.FullAccess(), owners, true},
		"an organization token, one that reads a workspace":          {token, of(reads), true},
		"an organization token, the owners":                          {token, owners, false},
	} {
		if got := c.access.MayManage(c.team, belay.ManageTeams); got != c.want {
			t.Errorf("%s: %v", name, got)
		}
	}
	all := []belay.Grant{{Scope: belay.OnOrganization, ScopeID: "team-1", Custom: belay.OrganizationAccess{ManageVCSSettings: true, ManageProjects: true}}, reads}
	made := belay.NewAccess(belay.Principal{Kind: belay.TeamPrincipal, ByOrganization: true}, all)
	if more := made.Everywhere.And(made.Workspaces["ws-1"]).Without(token.Everywhere); more != (belay.Permission{}) {
		t.Errorf("a team token that an organization token made opens %b more than that", more)
	}
}

// TestWhoseAccessNeedsNoGrants: everybody but users, teams and those whom they lend their rights.
func TestWhoseAccessNeedsNoGrants(t *testing.T) {
	t.Parallel()
	here, gone := belay.Organization{ID: "org-1"}, belay.Organization{ID: "org-1", Name: "acme (gone)"}
	user := belay.Principal{Kind: belay.UserPrincipal, ID: "user-1"}
	for name, c := range map[string]struct {
		who   belay.Principal
		in    belay.Organization
		known bool
		has   belay.Permission // what is known to be open; the zero value: nothing is
	}{
		"a site admin":                {belay.Principal{Kind: belay.UserPrincipal, SiteAdmin: true}, here, true, belay.DeleteWorkspace},
		"a site admin, where it went": {belay.Principal{Kind: belay.UserPrincipal, SiteAdmin: true}, gone, true, belay.Permission{}},
		"its token":                   {belay.Principal{Kind: belay.OrganizationPrincipal, OrganizationID: "org-1"}, here, true, belay.ManageTeams},
		"a token of another":          {belay.Principal{Kind: belay.OrganizationPrincipal, OrganizationID: "org-2"}, here, true, belay.Permission{}},
		"a run":                       {belay.Principal{Kind: belay.RunPrincipal, OrganizationID: "org-1", WorkspaceID: "ws-1"}, here, true, belay.Traverse},
		"a run of another":            {belay.Principal{Kind: belay.RunPrincipal, OrganizationID: "org-2", WorkspaceID: "ws-1"}, here, true, belay.Permission{}},
		"a run, by its issuer":        {belay.Principal{Kind: belay.RunPrincipal, OrganizationID: "org-1", Issuer: &user}, here, false, belay.Permission{}},
		"a user":                      {user, here, false, belay.Permission{}},
		"a team":                      {belay.Principal{Kind: belay.TeamPrincipal, OrganizationID: "org-1"}, here, false, belay.Permission{}},
		"a team of another":           {belay.Principal{Kind: belay.TeamPrincipal, OrganizationID: "org-2"}, here, true, belay.Permission{}},
	} {
		access, known := belay.AccessWithoutGrants(c.who, c.in)
		open := c.has != belay.Permission{}
		if known != c.known || !access.Everywhere.Has(c.has) || !open && access.Everywhere != (belay.Permission{}) {
			t.Errorf("%s: known %v, open everywhere %v", name, known, access.Everywhere)
		}
	}
}
