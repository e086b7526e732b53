package ui

import (
	"fmt"
	"slices"
	"strings"

	"github.com/belayhq/belay"
	"github.com/belayhq/belay/internal/app"
	"github.com/belayhq/belay/internal/patch"
)

// matrixPage is which team may do what in which project, and why somebody may do something.
type matrixPage struct {
	Title, Sub string
	Projects   []matrixProject
	Rows       []matrixRow
	More       bool // there are more teams or projects than are shown
	Audit      string
	Why        whyPart
}

type matrixProject struct {
	Name, Path string
	Count      int
}

type matrixRow struct {
	Team, Path, Note string
	Cells            []matrixCell
}

type matrixCell struct{ Word, Class, Label, Path string }

// whyPart is the question why, and its answer.
type whyPart struct {
	Path, User, Right, On string
	Rights                []choice
	Asked, May            bool
	Answer                string
	Chains                [][]chainLink
	Others                []string
	Problem               string
}

// chainLink is one step of the way from somebody to a right.
type chainLink struct{ Icon, What, Name, Path, Note string }

var accessActs = map[string]act{"give": (*orgVisit).giveProject, "change": (*orgVisit).changeProject, "take": (*orgVisit).takeProject}

// rightNames is what the rights are called.
var rightNames = map[string]string{
	"read-workspace": "see it", "read-runs": "see runs", "queue-runs": "plan", "apply-runs": "confirm runs", "read-variables": "read variables",
	"write-variables": "write variables", "read-outputs": "read outputs", "read-state": "read state", "write-state": "write state", "lock": "lock",
	"force-unlock": "force unlock", "manage-tags": "tag", "update-workspace": "change settings", "delete-workspace": "delete",
	"manage-teams": "give access", "archive-change-requests": "archive change requests",
}

// accessMatrix is the page of who may do what in an organization.
func (t *orgVisit) accessMatrix() (*view, error) {
	if t.id != "" {
		return t.projectAccess()
	}
	at := belay.Page{Number: 1, Size: teamsAtOnce}
	projects, total, err := t.ui.App.Projects(t.Context(), t.s, t.o.Name, belay.ProjectQuery{Page: at})
	if err != nil {
		return nil, err
	}
	teams, of, err := t.ui.App.Teams(t.Context(), t.s, t.o.Name, belay.TeamQuery{Page: at})
	if err != nil {
		return nil, err
	}
	page := &matrixPage{Title: "Access", More: total > len(projects) || of > len(teams)}
	page.Sub = many(of, "team", "teams") + ", " + many(total, "project", "projects")
	if t.may(belay.ReadAuditTrail) {
		page.Audit = organizationPath(t.o.Name, "audit")
	}
	for i := range projects {
		page.Projects = append(page.Projects, matrixProject{projects[i].Name, t.one(projects[i].ID), projects[i].WorkspaceCount})
	}
	for i := range teams {
		page.Rows = append(page.Rows, t.matrixRow(&teams[i], projects))
	}
	err = t.fillWhy(&page.Why)
	return &view{template: "matrix", title: "Access", body: page}, err
}

// matrixRow is what one team may do in each project.
func (t *orgVisit) matrixRow(team *app.TeamView, projects []app.ProjectView) matrixRow {
	row := matrixRow{Team: team.Name, Path: organizationPath(t.o.Name, "teams/") + team.ID, Note: many(team.PeopleCount, "member", "members")}
	levels, own := map[string]string{}, 0
	for _, g := range team.Grants {
		switch g.Scope {
		case belay.OnProjects:
			levels[g.ScopeID] = g.Level
		case belay.OnWorkspaces:
			own++
		}
	}
	if own > 0 {
		row.Note += ", " + many(own, "workspace of its own", "workspaces of their own")
	}
	everywhere := everywhereWord(&team.Team)
	for i := range projects {
		p := &projects[i]
		cell := matrixCell{Word: levels[p.ID], Class: levelClasses[levels[p.ID]], Path: t.one(p.ID)}
		if everywhere != "" && (cell.Word == "" || everywhere == "admin") {
			cell.Word, cell.Class = everywhere, levelClasses[everywhere]
		}
		said := cell.Word
		if said == "" {
			cell.Word, said = "–", "nothing"
		}
		cell.Label = fmt.Sprintf("%s in %s: %s", team.Name, p.Name, said)
		row.Cells = append(row.Cells, cell)
	}
	return row
}

// everywhereWord is the level that a team has in every project.
func everywhereWord(t *belay.Team) string {
	switch a := t.Access; {
	case t.Owners() || a.ManageProjects:
		return "admin"
	case a.ManageWorkspaces:
		return "maintain"
	case a.ReadProjects || a.ReadWorkspaces:
		return "read"
	default:
		return ""
	}
}

// fillWhy answers the question of the address.
func (t *orgVisit) fillWhy(why *whyPart) error {
	*why = whyPart{Path: t.path, User: t.asked("subject"), Right: t.asked("right"), On: t.asked("on")}
	if why.Right == "" {
		why.Right = "apply-runs"
	}
	for _, r := range belay.Rights {
		why.Rights = append(why.Rights, choice{r.Name, rightNames[r.Name], r.Name == why.Right})
	}
	if why.User == "" || why.On == "" {
		return nil
	}
	found, err := t.ui.App.Why(t.Context(), t.s, t.o.Name, why.User, why.Right, belay.WorkspaceRef{Organization: t.o.Name, Name: why.On})
	switch belay.KindOf(err) {
	case belay.NotFound:
		why.Problem = "There is no such person or workspace in " + t.o.Name + " that you may ask about."
		return nil
	case belay.Invalid:
		_, why.Problem = describe(err)
		return nil
	}
	if err != nil {
		return err
	}
	why.Asked, why.May = true, found.May
	t.answerWhy(why, &found)
	return nil
}

func (t *orgVisit) answerWhy(why *whyPart, found *app.Reasons) {
	switch {
	case found.User.Suspended:
		why.Answer = "No: " + found.User.Username + " is suspended."
	case found.SiteAdmin:
		why.Answer = "Yes: site admins may do everything."
	case !found.Member:
		why.Answer = "No: " + found.User.Username + " is not in " + t.o.Name + "."
	case found.May:
		why.Answer = "Yes, in " + many(len(found.Ways), "way", "ways") + "."
	default:
		why.Answer = "No: no team of " + found.User.Username + " may."
	}
	for i := range found.Ways {
		why.Chains = append(why.Chains, t.chain(why, found, &found.Ways[i]))
	}
	for _, way := range found.Others {
		why.Others = append(why.Others, orSecret(way.Team.Name)+", "+levelWord(way.Grant))
	}
}

// chain is the steps of one way.
func (t *orgVisit) chain(why *whyPart, found *app.Reasons, way *belay.Way) []chainLink {
	team := chainLink{Icon: "users", What: "is in the team ", Name: orSecret(way.Team.Name)}
	if way.Team.ID != "" {
		team.Path = organizationPath(t.o.Name, "teams/") + way.Team.ID
	}
	level := chainLink{Icon: "shield", What: "which has ", Name: levelWord(way.Grant)}
	switch way.Grant.Scope {
	case belay.OnOrganization:
		level.Note = "in the whole organization"
	case belay.OnProjects:
		level.Note, level.Path = "on its project", t.one(way.Grant.ScopeID)
	case belay.OnWorkspaces:
		level.Note, level.Path = "on the workspace itself", workspacePath(t.o.Name, found.Workspace.Name)+"/access"
	}
	return []chainLink{
		{Icon: "user", Name: found.User.Username}, team, level,
		{Icon: "stack", What: "which reaches ", Name: found.Workspace.Name, Path: workspacePath(t.o.Name, found.Workspace.Name)},
		{Icon: "check", What: "and opens: ", Name: rightNames[why.Right]},
	}
}

// levelWord is what a grant gives, in a word.
func levelWord(g belay.Grant) string {
	if g.Scope != belay.OnOrganization {
		return g.Level
	}
	if g.Level == belay.OwnersLevel {
		return "everything"
	}
	var on []string
	g.Switches().Each(func(name string, is bool) {
		if is {
			on = append(on, strings.ReplaceAll(name, "-", " "))
		}
	})
	return strings.Join(on, ", ")
}

// projectLevels are the levels that the page gives.
var projectLevels = []string{"read", "read", "write", "write", "maintain", "maintain", "admin", "admin"}

// projectAccess is the page of the teams of one project.
func (t *orgVisit) projectAccess() (*view, error) {
	p, err := t.ui.App.Project(t.Context(), t.s, t.id)
	if err := t.ours(p.OrganizationID, err); err != nil {
		return nil, err
	}
	list, total, err := t.ui.App.TeamProjects(t.Context(), t.s, p.ID, belay.Page{Number: 1, Size: teamsAtOnce})
	if err != nil {
		return nil, err
	}
	manage := p.Can.Has(belay.ManageProjectTeams)
	g := newGrid("Table of teams", "Team", "Level", "-May")
	for i := range list {
		have := &list[i]
		name, to := orSecret(have.Team.Name), ""
		if have.Team.Name != "" {
			to = organizationPath(t.o.Name, "teams/") + have.TeamID
		}
		var forms []rowForm
		if manage {
			choices := options(have.Level, projectLevels...)
			if have.Level == "custom" {
				choices = append(choices, choice{"custom", "custom", true})
			}
			of := []setting{{"id", have.ID}}
			forms = []rowForm{
				{Do: "change", Text: "Save", Of: "the level of " + name, Hidden: of, Choices: choices},
				{Do: "take", Text: "Take away", Of: "from " + name, Hidden: of, Risk: true},
			}
		}
		g.row(forms, link(name, to), cell{Text: have.Level, Level: levelClasses[have.Level]},
			words(strings.Join(rightsText(have.Permissions()), ", ")))
	}
	page := &sheet{
		Title: "Access to " + p.Name, Sub: many(p.WorkspaceCount, "workspace", "workspaces") + " come with it",
		Main: []card{{ID: "teams", Title: "Teams", Note: many(total, "team", "teams"), Grid: g, Empty: "No team has a level here. Owners may do everything."}},
	}
	if manage {
		if err := t.addGive(page, list); err != nil {
			return nil, err
		}
	}
	return t.sheet(page)
}

// addGive adds the form that gives the project to a team that has nothing of it.
func (t *orgVisit) addGive(page *sheet, have []belay.TeamProject) error {
	teams, _, err := t.ui.App.Teams(t.Context(), t.s, t.o.Name, belay.TeamQuery{Page: belay.Page{Number: 1, Size: teamsAtOnce}})
	var left []string
	for i := range teams {
		if team := &teams[i]; !team.Owners() && !slices.ContainsFunc(have, func(g belay.TeamProject) bool { return g.TeamID == team.ID }) {
			left = append(left, team.ID, team.Name)
		}
	}
	if len(left) > 0 {
		page.Main[0].Form = &formPart{Do: "give", Submit: "Give access", Fields: []formField{
			{Kind: "select", Name: "team", Label: "Team", Choices: options("", left...)},
			{Kind: "select", Name: "level", Label: "Level", Choices: options("", projectLevels...)},
		}}
	}
	return err
}

func (t *orgVisit) giveProject() (string, error) {
	_, err := t.ui.App.GiveProject(t.Context(), t.s, t.PostFormValue("team"), t.id, belay.TeamProjectPatch{Level: patch.Of(t.PostFormValue("level"))})
	return t.here(), err
}

func (t *orgVisit) changeProject() (string, error) {
	_, err := t.ui.App.ChangeTeamProject(t.Context(), t.s, t.PostFormValue("id"), belay.TeamProjectPatch{Level: patch.Of(t.PostFormValue("choice"))})
	return t.here(), err
}

func (t *orgVisit) takeProject() (string, error) {
	return t.here(), t.ui.App.TakeTeamProject(t.Context(), t.s, t.PostFormValue("id"))
}
