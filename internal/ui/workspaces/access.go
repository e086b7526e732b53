package workspaces

import (
	"net/url"

	"github.com/belayhq/belay"
	"github.com/belayhq/belay/internal/patch"
	"github.com/belayhq/belay/internal/runs"
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
	People                   []person
	More                     int // people who are in it, too
}

// person is somebody in a team, and where it is said why they may here; empty: the visitor may not ask.
type person struct{ Name, Why string }

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
	list, err := t.UI.Runs.Comers(t.Context(), t.s, t.w.ID)
	if err != nil {
		return nil, err
	}
	if t.o.Can.HasAny(belay.ManageTeams.And(belay.ReadEveryMember)) {
		page.Why = frame.OrganizationPath(t.o.Name, "access") + "?on=" + url.QueryEscape(t.w.Name)
	}
	for i := range list {
		if g := &list[i].Own; g.ID != "" {
			page.add(t.o.Name, &list[i], accessRow{Level: g.Level, From: "this workspace", Opens: RightsText(g.Permissions()), ID: g.ID})
		}
	}
	for i := range list {
		if g := &list[i].Project; g.ID != "" {
			page.add(t.o.Name, &list[i], accessRow{Level: g.Level, From: "its project", Opens: RightsText(g.Permissions())})
		}
	}
	page.addTeams(t.o.Name, list)
	return page, nil
}

// add adds a way by which a team comes here, and who is in it.
func (p *accessPage) add(organization string, c *runs.Comer, row accessRow) {
	row.Team, row.More = frame.OrSecret(c.Team.Name), c.Members-len(c.People)
	if row.Class == "" {
		row.Class = LevelClasses[row.Level]
	}
	if c.Team.ID != "" {
		row.TeamPath = frame.OrganizationPath(organization, "teams/") + c.Team.ID
	}
	for _, name := range c.People {
		who := person{Name: name}
		if p.Why != "" {
			who.Why = p.Why + "&subject=" + url.QueryEscape(name) + "#why"
		}
		row.People = append(row.People, who)
	}
	p.Rows = append(p.Rows, row)
}

// addTeams adds the teams that come to every workspace, and those that could be given access.
func (p *accessPage) addTeams(organization string, list []runs.Comer) {
	for i := range list {
		c := &list[i]
		switch opens := RightsText(c.Team.Access.Permissions()); {
		case c.Team.ID == "":
			continue // its ways alone are seen
		case c.Team.Owners():
			p.add(organization, c, accessRow{Level: "owners", Class: "l4", From: "the organization", Opens: []string{"everything"}})
			continue
		case opens != nil:
			p.add(organization, c, accessRow{Level: "all workspaces", Class: "l3", From: "the organization", Opens: opens})
		}
		if c.Own.ID == "" {
			p.Teams = append(p.Teams, teamChoice{c.Team.ID, c.Team.Name})
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
