package ui

import (
	"slices"

	"github.com/belayhq/belay"
	"github.com/belayhq/belay/internal/patch"
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
}

// accessRow is one way that a team comes to the workspace.
type accessRow struct {
	Team, Level, Class, From string
	Opens                    []string
	ID                       string // of what the workspace gives; empty: it comes from elsewhere
}

type teamChoice struct{ ID, Name string }

// teamsAtOnce is how many teams a page of access reads of each kind.
const teamsAtOnce = 100

// levelClasses are the shades of the levels.
var levelClasses = map[string]string{"read": "l1", "plan": "l2", "write": "l3", "maintain": "l3", "admin": "l4", "custom": "cu"}

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

// rightsText is what a set of permissions opens, in words.
func rightsText(can belay.Permission) (list []string) {
	for _, right := range rights {
		if can.Has(right.need) {
			list = append(list, right.name)
		}
	}
	return list
}

// access is the page of who may do what with a workspace.
func (t *tabVisit) access() (any, error) {
	page := &accessPage{Path: t.path + "/access", Manage: t.w.Can.Has(belay.ManageWorkspaceTeams), Mine: rightsText(t.w.Can), Levels: []string{"read", "plan", "write", "admin"}}
	page.Part = !page.Manage
	at := belay.Page{Number: 1, Size: teamsAtOnce}
	own, _, err := t.ui.App.TeamWorkspaces(t.Context(), t.s, t.w.ID, at)
	if err != nil {
		return nil, err
	}
	for i := range own {
		g := &own[i]
		page.Rows = append(page.Rows, accessRow{orSecret(g.Team.Name), g.Level, levelClasses[g.Level], "this workspace", rightsText(g.Permissions()), g.ID})
	}
	projects, _, err := t.ui.App.TeamProjects(t.Context(), t.s, t.w.ProjectID, at)
	if err != nil && belay.KindOf(err) != belay.NotFound {
		return nil, err
	}
	for i := range projects {
		g := &projects[i]
		page.Rows = append(page.Rows, accessRow{orSecret(g.Team.Name), g.Level, levelClasses[g.Level], "its project", rightsText(g.Permissions()), ""})
	}
	return page, t.addTeams(page, own)
}

// addTeams adds the teams that come to every workspace, and those that could be given access.
func (t *tabVisit) addTeams(page *accessPage, own []belay.TeamWorkspace) error {
	teams, _, err := t.ui.App.Teams(t.Context(), t.s, t.o.Name, belay.TeamQuery{Page: belay.Page{Number: 1, Size: teamsAtOnce}})
	if err != nil && belay.KindOf(err) != belay.NotFound {
		return err
	}
	for i := range teams {
		team := &teams[i].Team
		switch opens := rightsText(team.Access.Permissions()); {
		case team.Owners():
			page.Rows = append(page.Rows, accessRow{team.Name, "owners", "l4", "the organization", []string{"everything"}, ""})
			continue
		case opens != nil:
			page.Rows = append(page.Rows, accessRow{team.Name, "all workspaces", "l3", "the organization", opens, ""})
		}
		if !slices.ContainsFunc(own, func(g belay.TeamWorkspace) bool { return g.TeamID == team.ID }) {
			page.Teams = append(page.Teams, teamChoice{team.ID, team.Name})
		}
	}
	return nil
}

// giveAccess gives a team a level, or changes the one it has.
func (u *UI) giveAccess(v *visit) {
	u.actOnTab(v, "access", func(t *tabVisit) (string, error) {
		p := belay.TeamWorkspacePatch{Level: patch.Of(t.PostFormValue("level"))}
		var err error
		if id := t.PostFormValue("id"); id != "" {
			_, err = u.App.ChangeTeamWorkspace(t.Context(), t.s, id, p)
		} else {
			_, err = u.App.GiveWorkspace(t.Context(), t.s, t.PostFormValue("team"), t.w.ID, p)
		}
		return t.path + "/access", err
	})
}

// takeAccess takes from a team what the workspace gives it.
func (u *UI) takeAccess(v *visit) {
	u.actOnTab(v, "access", func(t *tabVisit) (string, error) {
		return t.path + "/access", u.App.TakeTeamWorkspace(t.Context(), t.s, t.PostFormValue("id"))
	})
}
