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
	organization string
	own          []belay.TeamWorkspace
	projects     []belay.TeamProject
	teams        []belay.Team
}

// pathOf is where a team says who is in it; empty: the visitor does not see the team.
func (c *comers) pathOf(teamID string) string {
	if !slices.ContainsFunc(c.teams, func(one belay.Team) bool { return one.ID == teamID }) {
		return ""
	}
	return frame.OrganizationPath(c.organization, "teams/") + teamID
}

// comersTo finds the teams that come to a workspace.
func comersTo(v *frame.Visit, s belay.Principal, organization, workspace, project string) (c comers, err error) {
	c.organization = organization
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

// mostConfirmers is how many teams are named that may confirm a run.
const mostConfirmers = 4

// whoConfirms says who may confirm a run that waits for it: the visitor, and the teams that they see.
func whoConfirms(v *frame.Visit, s belay.Principal, r *runs.View) (string, error) {
	if r.Status != run.Planned {
		return "", nil
	}
	names, err := v.UI.Runs.Confirmers(v.Context(), s, r.WorkspaceID)
	if err != nil {
		return "", err
	}
	var words []string
	if ActsOf(r).Confirm {
		words = append(words, "you")
	}
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
