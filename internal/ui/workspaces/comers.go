package workspaces

import (
	"slices"
	"strings"

	"github.com/belayhq/belay"
	"github.com/belayhq/belay/internal/runs"
	"github.com/belayhq/belay/internal/ui/frame"
	"github.com/belayhq/belay/run"
)

// comers is the teams that come to a workspace, by where from, as far as the visitor may know it.
type comers struct {
	own      []belay.TeamWorkspace
	projects []belay.TeamProject
	teams    []belay.Team
}

// comersTo finds the teams that come to a workspace.
func comersTo(v *frame.Visit, s belay.Principal, organization, workspace, project string) (c comers, err error) {
	at := belay.Page{Number: 1, Size: TeamsAtOnce}
	if c.own, _, err = v.UI.App.TeamWorkspaces(v.Context(), s, workspace, at); err != nil {
		return c, err
	}
	if c.projects, _, err = v.UI.App.TeamProjects(v.Context(), s, project, at); err != nil && belay.KindOf(err) != belay.NotFound {
		return c, err
	}
	if c.teams, _, err = v.UI.App.TeamNames(v.Context(), s, organization, belay.TeamQuery{Page: at}); belay.KindOf(err) == belay.NotFound {
		err = nil
	}
	return c, err
}

// whoMay is the names of the teams that a right comes to, the nearest to the workspace first.
func (c *comers) whoMay(need belay.Permission) (names []string) {
	add := func(name string, can belay.Permission) {
		if name != "" && can.Has(need) && !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	for i := range c.own {
		add(c.own[i].Team.Name, c.own[i].Permissions())
	}
	for i := range c.projects {
		add(c.projects[i].Team.Name, c.projects[i].Permissions())
	}
	for i := range c.teams {
		team := &c.teams[i]
		can := team.Access.Permissions()
		if team.Owners() {
			can = need
		}
		add(team.Name, can)
	}
	return names
}

// mostConfirmers is how many teams are named that may confirm a run.
const mostConfirmers = 4

// whoConfirms says who may confirm a run that waits for it: the visitor, and the teams that they see.
func whoConfirms(v *frame.Visit, s belay.Principal, r *runs.View) (string, error) {
	if r.Status != run.Planned {
		return "", nil
	}
	come, err := comersTo(v, s, r.Organization, r.WorkspaceID, r.ProjectID)
	if err != nil {
		return "", err
	}
	var words []string
	if ActsOf(r).Confirm {
		words = append(words, "you")
	}
	names := come.whoMay(belay.ApplyRuns)
	for _, name := range names[:min(len(names), mostConfirmers)] {
		words = append(words, "team "+name)
	}
	if more := len(names) - mostConfirmers; more > 0 {
		words = append(words, frame.Many(more, "other team", "other teams"))
	}
	if len(words) < 2 {
		return strings.Join(words, ""), nil
	}
	last := len(words) - 1
	return strings.Join(words[:last], ", ") + " or " + words[last], nil
}
