package workspaces

import (
	"net/url"
	"slices"

	"github.com/belayhq/belay"
	"github.com/belayhq/belay/internal/patch"
	"github.com/belayhq/belay/internal/ui/frame"
)

// accessPage is which teams may do what with a workspace.
type accessPage struct {
	Path   string
	Rows   []accessRow
	Manage bool
	Teams  []teamChoice // that could be given access
	Levels []string
	Mine   []string // what the visitor may do
	Part   bool     // only the visitor's own teams are shown
	Why    string   // where it is asked why somebody may; empty: the visitor doesn't
}

// accessRow is one way that a team comes to the workspace.
type accessRow struct {
	Team, Level, Class, From string
	Opens                    []string
	ID                       string // of what the workspace gives; empty: it comes from elsewhere
	TeamPath                 string // where it says who is in it; empty: the visitor does not see the team
}

type teamChoice struct{ ID, Name string }

// TeamsAtOnce is how many teams a page of access reads of each kind.
const TeamsAtOnce = 100

// LevelClasses are the shades of the levels.
var LevelClasses = map[string]string{"read": "l1", "plan": "l2", "write": "l3", "maintain": "l3", "admin": "l4", "custom": "cu"}

// rights are the rights over a workspace that people ask for, in their words.
var rights = []struct {
	need belay.Permission
	name string
}{
	{belay.ReadRuns, "see runs"}, {belay.QueueRuns, "plan"}, {belay.ApplyRuns, "apply"}, {belay.ReadVariables, "read variables"},
	{belay.WriteVariables, "write variables"}, {belay.ReadOutputs, "read outputs"}, {belay.ReadState, "read state"}, {belay.WriteState, "write state"},
	{belay.LockWorkspace, "lock"}, {belay.ForceUnlockWorkspace, "force unlock"}, {belay.UpdateWorkspace, "change settings"},
	{belay.ManageWorkspaceTeams, "give access"}, {belay.DeleteWorkspace, "delete"},
}

// RightsText is what a set of permissions opens, in words.
func RightsText(can belay.Permission) (list []string) {
	for _, right := range rights {
		if can.Has(right.need) {
			list = append(list, right.name)
		}
	}
	return list
}

// access is the page of who may do what with a workspace.
func (t *tabVisit) access() (any, error) {
	page := &accessPage{Path: t.path + "/access", Manage: t.w.Can.Has(belay.ManageWorkspaceTeams), Mine: RightsText(t.w.Can), Levels: []string{"read", "plan", "write", "admin"}}
	page.Part = !page.Manage
	come, err := comersTo(t.Visit, t.s, t.o.Name, t.w.ID, t.w.ProjectID)
	if err != nil {
		return nil, err
	}
	for i := range come.own {
		g := &come.own[i]
		page.Rows = append(page.Rows, accessRow{frame.OrSecret(g.Team.Name), g.Level, LevelClasses[g.Level], "this workspace", RightsText(g.Permissions()), g.ID, come.pathOf(g.TeamID)})
	}
	for i := range come.projects {
		g := &come.projects[i]
		page.Rows = append(page.Rows, accessRow{frame.OrSecret(g.Team.Name), g.Level, LevelClasses[g.Level], "its project", RightsText(g.Permissions()), "", come.pathOf(g.TeamID)})
	}
	page.addTeams(&come)
	if t.o.Can.HasAny(belay.ManageTeams.And(belay.ReadEveryMember)) {
		page.Why = frame.OrganizationPath(t.o.Name, "access") + "?on=" + url.QueryEscape(t.w.Name)
	}
	return page, nil
}

// addTeams adds the teams that come to every workspace, and those that could be given access.
func (p *accessPage) addTeams(come *comers) {
	for i := range come.teams {
		team := &come.teams[i]
		switch opens := RightsText(team.Access.Permissions()); {
		case team.Owners():
			p.Rows = append(p.Rows, accessRow{team.Name, "owners", "l4", "the organization", []string{"everything"}, "", come.pathOf(team.ID)})
			continue
		case opens != nil:
			p.Rows = append(p.Rows, accessRow{team.Name, "all workspaces", "l3", "the organization", opens, "", come.pathOf(team.ID)})
		}
		if !slices.ContainsFunc(come.own, func(g belay.TeamWorkspace) bool { return g.TeamID == team.ID }) {
			p.Teams = append(p.Teams, teamChoice{team.ID, team.Name})
		}
	}
}

// GiveAccess gives a team a level, or changes the one it has.
func GiveAccess(v *frame.Visit) {
	actOnTab(v, "access", func(t *tabVisit) (string, error) {
		p := belay.TeamWorkspacePatch{Level: patch.Of(t.PostFormValue("level"))}
		var err error
		if id := t.PostFormValue("id"); id != "" {
			_, err = v.UI.App.ChangeTeamWorkspace(t.Context(), t.s, id, p)
		} else {
			_, err = v.UI.App.GiveWorkspace(t.Context(), t.s, t.PostFormValue("team"), t.w.ID, p)
		}
		return t.path + "/access", err
	})
}

// TakeAccess takes from a team what the workspace gives it.
func TakeAccess(v *frame.Visit) {
	actOnTab(v, "access", func(t *tabVisit) (string, error) {
		return t.path + "/access", v.UI.App.TakeTeamWorkspace(t.Context(), t.s, t.PostFormValue("id"))
	})
}
