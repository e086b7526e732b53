package belay_test

import (
	"testing"
	"time"

	"github.com/belayhq/belay"
	"github.com/belayhq/belay/internal/patch"
)

func TestRightsOfSeveralTeamsAddUp(t *testing.T) {
	t.Parallel()
	user := belay.Subject{Kind: belay.UserSubject, ID: "user-1"}
	access := belay.NewAccess(user, []belay.Grant{
		{Scope: belay.OnOrganization, ScopeID: "team-1"},
		{Scope: belay.OnWorkspaces, ScopeID: "ws-1", Level: "read"},
		{Scope: belay.OnWorkspaces, ScopeID: "ws-1", Level: "custom", Custom: `{"runs":"plan","workspace-locking":true}`},
		{Scope: belay.OnProjects, ScopeID: "prj-1", Level: "maintain"},
		{Scope: belay.OnWorkspaces, ScopeID: "ws-2", Level: "no such level"},
	})
	for _, c := range []struct {
		workspace, project string
		need               belay.Permission
		want               bool
	}{
		{"ws-1", "prj-0", belay.ReadState | belay.QueueRuns | belay.LockWorkspace, true},
		{"ws-1", "prj-0", belay.ApplyRuns, false},
		{"ws-1", "prj-1", belay.UpdateWorkspace | belay.CreateWorkspace, true},
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
	plain := belay.NewAccess(belay.Subject{Kind: belay.OrganizationSubject}, nil).Everywhere
	for name, never := range map[string]belay.Permission{
		"runs": belay.QueueRuns, "apply": belay.ApplyRuns, "state": belay.ReadState, "outputs": belay.ReadOutputs, "writing state": belay.WriteState,
		"SSH keys": belay.ManageSSHKeys, "settings": belay.UpdateOrganization, "tokens": belay.ManageOrganizationTokens, "the end": belay.DeleteOrganization,
	} {
		if plain.Has(never) {
			t.Errorf("an organization token has %s", name)
		}
	}
	if need := belay.CreateWorkspace | belay.ManageTeams | belay.LockWorkspace | belay.CreateChangeRequests | belay.ReadAuditTrail; !plain.Has(need) {
		t.Errorf("an organization token lacks %b", need&^plain)
	}
	audit := belay.NewAccess(belay.Subject{Kind: belay.OrganizationSubject, Purpose: belay.AuditTrails}, nil).Everywhere
	if audit != belay.ReadAuditTrail {
		t.Errorf("an audit token has %b", audit)
	}
}

func TestFixedLevelsAmountToTheirParts(t *testing.T) {
	t.Parallel()
	for _, level := range []string{"read", "plan", "write", "admin"} {
		g := belay.TeamWorkspace{Level: level}
		fixed := belay.NewAccess(belay.Subject{}, []belay.Grant{{Scope: belay.OnWorkspaces, ScopeID: "w", Level: level}}).OnWorkspace("w", "")
		if lacks := g.Access().Permissions() &^ fixed; lacks != 0 {
			t.Errorf("workspace %s shows parts that it does not give: %b", level, lacks)
		}
	}
	for _, level := range []string{"read", "write", "maintain", "admin"} {
		g := belay.TeamProject{Level: level}
		fixed := belay.NewAccess(belay.Subject{}, []belay.Grant{{Scope: belay.OnProjects, ScopeID: "p", Level: level}}).OnProject("p")
		if lacks := g.Access().Permissions() &^ fixed; lacks != 0 {
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
	if err := token.Expire(patch.Null[time.Time](), now); err != nil || !token.ExpiredAt.IsZero() {
		t.Errorf("for ever: %v %v", token.ExpiredAt, err)
	}
	if err := token.Expire(patch.Field[time.Time]{}, now); err != nil || !token.ExpiredAt.Equal(now.AddDate(2, 0, 0)) {
		t.Errorf("without a date: %v %v", token.ExpiredAt, err)
	}
	agent := belay.Token{OwnerKind: belay.AgentSubject}
	if err := agent.Expire(patch.Field[time.Time]{}, now); err != nil || !agent.ExpiredAt.IsZero() {
		t.Errorf("an agent's: %v %v", agent.ExpiredAt, err)
	}
	if err := token.Expire(patch.Of(now.Add(time.Millisecond)), now); err != nil {
		t.Errorf("in a moment: %v", err)
	}
	if err := token.Expire(patch.Of(now), now); belay.KindOf(err) != belay.Invalid {
		t.Errorf("now: %v", err)
	}
}

func TestTheOwnersTeamIsTheOwnersOwn(t *testing.T) {
	t.Parallel()
	owners := belay.Team{ID: "team-o", Name: belay.OwnersTeam}
	teams := belay.Access{Everywhere: belay.ManageTeams | belay.ManageMembership | belay.Traverse}
	if teams.MayManage(owners, belay.ManageMembership) || teams.MayManageTokens(owners) {
		t.Error("who manages teams manages the owners")
	}
	if err := owners.Apply(belay.TeamPatch{Name: patch.Of("others")}); belay.KindOf(err) != belay.Invalid {
		t.Errorf("renamed: %v", err)
	}
}
