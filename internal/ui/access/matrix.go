package access

import (
	"cmp"
	"net/url"
	"slices"
	"strings"

	"github.com/belayhq/belay"
	"github.com/belayhq/belay/internal/app"
	"github.com/belayhq/belay/internal/patch"
	"github.com/belayhq/belay/internal/ui/frame"
	"github.com/belayhq/belay/internal/ui/workspaces"
)

// matrixPage is which team may do what in which project, and why somebody may do something.
type matrixPage struct {
	Title, Sub   string
	Projects     []matrixProject
	Rows         []matrixRow
	More         bool // there are more teams, people or projects than are shown
	Views        frame.Segs
	RowsAre      string // people, workspaces or, empty, teams
	Head, Across string // what a row and a column is of
	Heading      string // of the table
	Own          string // how many workspaces have levels of their own
	Give         []frame.FormField
	Search       string
	Seen         string          // that no more is told of than the visitor sees, where that may not be all
	Found        []matrixProject // that the search finds, beside rows
	Turns        frame.Turns     // of workspaces
	CSV          string
	Audit        string
	Why          whyPart
}

type matrixProject struct {
	Name, Path string
	Count      int
}

type matrixRow struct {
	Name, Path, Note string
	Cells            []matrixCell
}

// matrixCell is a level, and what is said of it by those who hear the page.
type matrixCell struct{ Word, Class, Said string }

// matrixTable is the rows of the page, which write themselves.
type matrixTable struct{ *matrixPage }

// Table is the rows of the page.
func (p *matrixPage) Table() frame.Drawn { return matrixTable{p} }

// Draw writes the rows. A cell leads to what its project, or the workspace of its row, gives.
func (t matrixTable) Draw(m *frame.Markup) {
	for i := range t.Rows {
		r := &t.Rows[i]
		m.Add(`<tr><th scope="row">`).Link(r.Path, r.Name).Add(`<p class="small faint">`).Text(r.Note).Add("</p></th>")
		for n, c := range r.Cells {
			head := &t.Projects[n]
			if m.Add(`<td><a class="lvl `).Text(c.Class).Add(`" href="`); t.RowsAre == "workspaces" {
				m.Path(r.Path).Add(`" aria-label="`).Text(head.Name).Add(" on ").Text(r.Name)
			} else {
				m.Path(head.Path).Add(`" aria-label="`).Text(r.Name).Add(" in ").Text(head.Name)
			}
			m.Add(": ").Text(c.Said).Add(`">`).Text(c.Word).Add("</a></td>")
		}
		m.Add("</tr>\n")
	}
}

// AccessActs is what the forms of access do.
var AccessActs = map[string]frame.Act{"give": giveProject, "change": lookAtChange, "agree": changeProject, "take": takeProject}

// AccessMatrix is the page of who may do what in an organization.
func AccessMatrix(t *frame.OrgVisit) (*frame.View, error) {
	if t.ID != "" {
		return projectAccess(t)
	}
	at := belay.Page{Number: 1, Size: workspaces.TeamsAtOnce}
	readProjects := frame.SoonList(t.Visit, func() ([]app.ProjectView, int, error) {
		return t.UI.App.Projects(t.Context(), t.Principal, t.Org.Name, belay.ProjectQuery{Page: at})
	})
	page := &matrixPage{Title: "Access", RowsAre: rowsAsked(t), Search: t.Asked("search"), Head: "Team", Across: "projects", Heading: "Teams by project"}
	page.Seen = seenOf(t)
	members := readMembers(t, page)
	allTeams := readTakers(t, page, at)
	var suggested func() ([]app.Askable, error)
	want := levelsAsked(t, page, at)
	want.Known = func(teams []string) { suggested = askable(t, teams) }
	levels, err := t.UI.App.TeamLevels(t.Context(), t.Principal, t.Org.Name, want)
	if err != nil {
		return nil, err
	}
	teams, of := levels.Teams, levels.Total
	projects, total, err := readProjects()
	if err != nil {
		return nil, err
	}
	takers, inAll, err := allTeams(teams, of)
	if err != nil {
		return nil, err
	}
	page.More = total > len(projects) || of > len(teams)
	page.Sub, page.Own = frame.Many(inAll, "team", "teams")+", "+frame.Many(total, "project", "projects"), ownLevels(levels.Workspaces)
	page.Give = giveFields(projects, takers)
	if t.May(belay.ReadAuditTrail) {
		page.Audit = frame.OrganizationPath(t.Org.Name, "audit")
	}
	for i := range projects {
		p := matrixProject{projects[i].Name, t.One(projects[i].ID), projects[i].WorkspaceCount}
		if page.Projects = append(page.Projects, p); page.Search != "" && strings.Contains(strings.ToLower(p.Name), strings.ToLower(page.Search)) {
			page.Found = append(page.Found, p)
		}
	}
	for i := range teams {
		page.Rows = append(page.Rows, rowOf(t, &teams[i], &levels, projects))
	}
	for _, view := range matrixViews {
		page.Views = append(page.Views, frame.Seg{Name: view[1], Path: t.Path + "?rows=" + view[0], Here: page.RowsAre == view[0]})
	}
	page.CSV = t.Path + "?as=csv&rows=" + page.RowsAre + "&search=" + url.QueryEscape(page.Search)
	if err := turnRows(t, page, &levels, members); err != nil {
		return nil, err
	}
	if asFile(t) {
		matrixFile(t, page)
		return nil, nil
	}
	if err := suggest(&page.Why, suggested, teams, projects); err != nil {
		return nil, err
	}
	err = fillWhy(t, &page.Why)
	return &frame.View{Template: "matrix", Title: "Access", Body: page}, err
}

// seenOf is what is said beside what there may be more of than the visitor sees.
func seenOf(t *frame.OrgVisit) string {
	if t.Org.Can.Has(belay.AccessSecretTeams.And(belay.ReadWorkspace)) {
		return ""
	}
	return " that you see"
}

// readTakers reads the teams that access may be given to: those of the rows, unless a search leaves some out of them.
func readTakers(t *frame.OrgVisit, page *matrixPage, at belay.Page) func(ofRows []belay.Team, total int) ([]belay.Team, int, error) {
	if page.Search == "" || page.RowsAre != "" || asFile(t) {
		return func(ofRows []belay.Team, total int) ([]belay.Team, int, error) { return ofRows, total, nil }
	}
	all := frame.SoonList(t.Visit, func() ([]belay.Team, int, error) {
		return t.UI.App.TeamNames(t.Context(), t.Principal, t.Org.Name, belay.TeamQuery{Page: at})
	})
	return func([]belay.Team, int) ([]belay.Team, int, error) { return all() }
}

// matrixViews are what the rows may be of.
var matrixViews = [][2]string{{"", "Teams"}, {"people", "People"}, {"workspaces", "Workspaces"}}

// rowsAsked is what the address asks the rows to be of.
func rowsAsked(t *frame.OrgVisit) string {
	if rows := t.Asked("rows"); rows == "people" || rows == "workspaces" {
		return rows
	}
	return ""
}

// mostInFile is how many workspaces a file of the table has at most.
const mostInFile = 1000

// workspacesAt is the page of workspaces that is asked for, or the file.
func workspacesAt(t *frame.OrgVisit) belay.Page {
	if asFile(t) {
		return belay.Page{Number: 1, Size: mostInFile}
	}
	return t.Page(frame.PageSize)
}

// levelsAsked is what the page reads of teams: a search is of what the rows are of.
func levelsAsked(t *frame.OrgVisit, page *matrixPage, at belay.Page) app.LevelsQuery {
	want := app.LevelsQuery{TeamQuery: belay.TeamQuery{Page: at}}
	switch page.RowsAre {
	case "":
		want.Search = page.Search
	case "workspaces":
		want.Workspaces, want.Named = workspacesAt(t), page.Search
	}
	return want
}

// turnRows turns the rows of teams into those that are asked for.
func turnRows(t *frame.OrgVisit, page *matrixPage, levels *app.LevelsView, members func() ([]app.MembershipView, error)) error {
	switch page.RowsAre {
	case "people":
		page.Head, page.Heading = "Person", "People by project"
		return peopleRows(t, page, levels.Teams, members)
	case "workspaces":
		page.Head, page.Across, page.Heading = "Workspace", "teams", "Workspaces by team"
		workspaceRows(t, page, levels)
	}
	return nil
}

// rowOf is what one team may do in each project.
func rowOf(t *frame.OrgVisit, team *belay.Team, levels *app.LevelsView, projects []app.ProjectView) matrixRow {
	row := matrixRow{Name: team.Name, Path: frame.OrganizationPath(t.Org.Name, "teams/") + team.ID, Note: frame.Many(team.PeopleCount, "member", "members")}
	if own := levels.Own[team.ID]; own > 0 {
		row.Note += ", " + frame.Many(own, "workspace of its own", "workspaces of their own")
	}
	everywhere := everywhereWord(team)
	for i := range projects {
		level := levels.OnProjects[team.ID][projects[i].ID]
		if everywhere != "" && (level == "" || everywhere == "admin") {
			level = everywhere
		}
		row.Cells = append(row.Cells, cellOf(level, level, "nothing"))
	}
	return row
}

// cellOf is a level and what is said of it; of none what is said then.
func cellOf(level, said, none string) matrixCell {
	if level == "" {
		return matrixCell{Word: "–", Said: none}
	}
	return matrixCell{Word: level, Class: workspaces.LevelClasses[level], Said: said}
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

// projectLevels are the levels that the page gives.
var projectLevels = []string{"read", "read", "write", "write", "maintain", "maintain", "admin", "admin"}

// projectAccess is the page of the teams of one project.
func projectAccess(t *frame.OrgVisit) (*frame.View, error) {
	p, err := t.UI.App.Project(t.Context(), t.Principal, t.ID)
	if err := Ours(t, p.OrganizationID, err); err != nil {
		return nil, err
	}
	list, total, err := t.UI.App.TeamProjects(t.Context(), t.Principal, p.ID, belay.Page{Number: 1, Size: workspaces.TeamsAtOnce})
	if err != nil {
		return nil, err
	}
	manage := p.Can.Has(belay.ManageProjectTeams)
	g := frame.NewGrid("Table of teams", "Team", "Level", "-May", "-Given")
	givers := make([]string, len(list))
	for i := range list {
		givers[i] = list[i].Given.By
	}
	names, err := t.Names(givers...)
	if err != nil {
		return nil, err
	}
	for i := range list {
		have := &list[i]
		name, to := frame.OrSecret(have.Team.Name), ""
		if have.Team.Name != "" {
			to = frame.OrganizationPath(t.Org.Name, "teams/") + have.TeamID
		}
		var forms []frame.RowForm
		if manage {
			choices := frame.Options(have.Level, projectLevels...)
			if have.Level == "custom" {
				choices = append(choices, frame.Choice{Value: "custom", Text: "custom", On: true})
			}
			of := []frame.Setting{{Name: "id", Value: have.ID}}
			forms = []frame.RowForm{
				{Do: "change", Text: "Change…", Of: "the level of " + name, Hidden: of, Choices: choices},
				{Do: "take", Text: "Take away", Of: "from " + name, Hidden: of, Risk: true},
			}
		}
		g.Row(forms, frame.Link(name, to), frame.Cell{Text: have.Level, Level: workspaces.LevelClasses[have.Level]},
			frame.Words(strings.Join(workspaces.RightsText(have.Permissions()), ", ")), frame.Cell{At: have.Given.At, Sub: byWhom(names[have.Given.By])})
	}
	page := &frame.Sheet{
		Title: "Access to " + p.Name, Sub: frame.Many(p.WorkspaceCount, "workspace comes", "workspaces come") + " with it",
		Main: []frame.Card{{ID: "teams", Title: "Teams", Note: frame.Many(total, "team", "teams"), Grid: g, Empty: "No team has a level here. Owners may do everything."}},
	}
	if manage {
		if page.Alerts, err = changeAlert(t, &p, list); err != nil {
			return nil, err
		}
		if err := addGive(t, page, list); err != nil {
			return nil, err
		}
	}
	return t.Sheet(page)
}

// addGive adds the form that gives the project to a team that has nothing of it.
func addGive(t *frame.OrgVisit, page *frame.Sheet, have []belay.TeamProject) error {
	teams, _, err := t.UI.App.TeamNames(t.Context(), t.Principal, t.Org.Name, belay.TeamQuery{Page: belay.Page{Number: 1, Size: workspaces.TeamsAtOnce}})
	var left []string
	for i := range teams {
		if team := &teams[i]; !team.Owners() && !slices.ContainsFunc(have, func(g belay.TeamProject) bool { return g.TeamID == team.ID }) {
			left = append(left, team.ID, team.Name)
		}
	}
	if len(left) > 0 {
		page.Main[0].Form = &frame.FormPart{Do: "give", Submit: "Give access", Fields: []frame.FormField{
			{Kind: "select", Name: "team", Label: "Team", Choices: frame.Options("", left...)},
			{Kind: "select", Name: "level", Label: "Level", Choices: frame.Options("", projectLevels...)},
		}}
	}
	return err
}

// giveProject gives the project of the page to a team, or on the matrix the one that is chosen.
func giveProject(t *frame.OrgVisit) (string, error) {
	project := cmp.Or(t.ID, t.PostFormValue("project"))
	_, err := t.UI.App.GiveProject(t.Context(), t.Principal, t.PostFormValue("team"), project, belay.TeamProjectPatch{Level: patch.Of(t.PostFormValue("level"))})
	return t.One(project), err
}

func changeProject(t *frame.OrgVisit) (string, error) {
	_, err := t.UI.App.ChangeTeamProject(t.Context(), t.Principal, t.PostFormValue("id"), belay.TeamProjectPatch{Level: patch.Of(t.PostFormValue("level"))})
	return t.Here(), err
}

func takeProject(t *frame.OrgVisit) (string, error) {
	return t.Here(), t.UI.App.TakeTeamProject(t.Context(), t.Principal, t.PostFormValue("id"))
}
