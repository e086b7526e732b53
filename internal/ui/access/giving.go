package access

import (
	"github.com/belayhq/belay"
	"github.com/belayhq/belay/internal/app"
	"github.com/belayhq/belay/internal/ui/frame"
)

// ownLevels says how many workspaces have levels of their own.
func ownLevels(of int) string {
	if of == 0 {
		return ""
	}
	return frame.Many(of, "workspace has levels of its own", "workspaces have levels of their own")
}

// giveFields asks which team is given which of the projects whose teams the visitor manages; nothing where there is none.
func giveFields(projects []app.ProjectView, teams []belay.Team) []frame.FormField {
	var where, who []string
	for i := range projects {
		if projects[i].Can.Has(belay.ManageProjectTeams) {
			where = append(where, projects[i].ID, projects[i].Name)
		}
	}
	for i := range teams {
		if !teams[i].Owners() {
			who = append(who, teams[i].ID, teams[i].Name)
		}
	}
	if len(where) == 0 || len(who) == 0 {
		return nil
	}
	return []frame.FormField{
		{Name: "team", Label: "Team", Choices: frame.Options("", who...)},
		{Name: "project", Label: "Project", Choices: frame.Options("", where...)},
		{Name: "level", Label: "Level", Choices: frame.Options("", projectLevels...)},
	}
}

// peopleOf is how many people a team has, and what it is called, as far as the visitor sees it.
func peopleOf(t *frame.OrgVisit, have *belay.TeamProject) (string, error) {
	team, err := t.UI.App.Team(t.Context(), t.Principal, have.TeamID)
	if belay.KindOf(err) == belay.NotFound {
		return "the people of " + frame.OrSecret(have.Team.Name), nil
	}
	if err == nil && team.PeopleCount == 0 {
		return "nobody is in " + team.Name + " yet; whoever joins", nil
	}
	return frame.Many(team.PeopleCount, "person", "people") + " of " + team.Name, err
}
