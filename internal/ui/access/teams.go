package access

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"github.com/belayhq/belay"
	"github.com/belayhq/belay/internal/app"
	"github.com/belayhq/belay/internal/identity"
	"github.com/belayhq/belay/internal/patch"
	"github.com/belayhq/belay/internal/ui/frame"
	"github.com/belayhq/belay/internal/ui/workspaces"
)

// TeamActs is what the forms of teams do.
var TeamActs = map[string]frame.Act{
	"new": newTeam, "save": saveTeam, "rights": saveTeamRights, "add": addMember,
	"remove": removeMember, "token": newTeamToken, "end-token": LookAtEnd, "agree-end": EndToken, "delete": frame.AskFirst, "agree-delete": deleteTeam,
}

var visibilities = []string{"secret", "only its members, and those who see secret teams", "organization", "everybody in the organization"}

// seenBy is who may see a team, as it is now: who does not see secret teams makes none, for it would be out of sight.
func seenBy(t *frame.OrgVisit, now string) []frame.Choice {
	if now != "secret" && !t.May(belay.AccessSecretTeams) {
		return frame.Options(now, visibilities[2:]...)
	}
	return frame.Options(now, visibilities...)
}

// Teams is the page of an organization's teams, or of one of them.
func Teams(t *frame.OrgVisit) (*frame.View, error) {
	if t.ID != "" {
		return team(t)
	}
	at := t.Page(frame.PageSize)
	list, total, err := t.UI.App.Teams(t.Context(), t.Principal, t.Org.Name, belay.TeamQuery{Search: t.Asked("search"), Page: at})
	if err != nil {
		return nil, err
	}
	g := frame.NewGrid("Table of teams", "Team", "+Members", "-Seen by", "-In the whole organization")
	for i := range list {
		team := &list[i]
		name := frame.Link(team.Name, t.One(team.ID))
		name.Sub = team.Description
		g.Row(nil, name, frame.Amount(team.PeopleCount), frame.Words(team.Visibility), frame.Words(switchesText(&team.Team)))
	}
	main := frame.Card{ID: "teams", Title: "Teams", Note: frame.Many(total, "team", "teams"), Grid: g, Empty: "There is no team that you see.", Turns: t.Turns(t.Path, at, total)}
	if t.May(belay.ManageTeams) {
		main.Closed, main.Form = true, &frame.FormPart{Do: "new", Submit: "New team", Fields: []frame.FormField{
			{Kind: "text", Name: "name", Label: "Name", Max: 90, Required: true}, {Kind: "text", Name: "description", Label: "What it is for", Max: 256},
			{Kind: "select", Name: "visibility", Label: "Who sees it", Choices: seenBy(t, "")},
		}}
	}
	return t.Sheet(&frame.Sheet{Title: "Teams", Sub: "People get their rights from the teams that they are in.", Search: t.Asked("search"), Searchable: true, Main: []frame.Card{main}})
}

// switchesText is what a team may do in the whole organization.
func switchesText(team *belay.Team) string {
	if team.Owners() {
		return "everything"
	}
	return accessText(team.Access)
}

// accessText is rights in the whole organization, with commas between.
func accessText(a belay.OrganizationAccess) string {
	var on []string
	a.Each(func(name string, is bool) {
		if is {
			on = append(on, switchWords[name].word)
		}
	})
	return strings.Join(on, ", ")
}

// theTeam is the team that the address names.
func theTeam(t *frame.OrgVisit) (app.TeamView, error) {
	team, err := t.UI.App.Team(t.Context(), t.Principal, t.ID)
	return team, Ours(t, team.OrganizationID, err)
}

// Ours is the error of what was looked for, and belay.ErrNotFound for what another
// organization has: its address is not below this one's.
func Ours(t *frame.OrgVisit, organizationID string, err error) error {
	if err == nil && organizationID != t.Org.ID {
		return belay.ErrNotFound
	}
	return err
}

// team is the page of one team: its people, what it may do, its tokens.
func team(t *frame.OrgVisit) (*frame.View, error) {
	team, err := theTeam(t)
	if err != nil {
		return nil, err
	}
	manage, members := team.Access.MayManage(team.Team, belay.ManageTeams), team.Access.MayManage(team.Team, belay.ManageMembership)
	page := &frame.Sheet{Title: team.Name, Sub: team.Description}
	if manage {
		page.Acts = []frame.ActLink{{Text: "Notifications", Icon: "bell", Path: frame.OrganizationPath(t.Org.Name, "notifications/") + team.ID}}
	}
	people, giver, err := teamPeople(t, &team, members)
	if err != nil {
		return nil, err
	}
	page.Main = append(page.Main, people)
	levels, err := teamLevels(t, &team)
	if err != nil {
		return nil, err
	}
	page.Main = append(page.Main, levels)
	if team.Access.MayManageTokens(team.Team) {
		tokens, err := teamTokens(t)
		if err != nil {
			return nil, err
		}
		page.Main = append(page.Main, tokens)
		if page.Alerts, err = EndAlert(t); err != nil {
			return nil, err
		}
	}
	page.Side = teamSide(t, &team, giver, manage)
	return t.Sheet(page)
}

// teamPeople is who is in the team, and what the one is called who gave it its rights in the whole organization.
func teamPeople(t *frame.OrgVisit, team *app.TeamView, manage bool) (card frame.Card, giver string, err error) {
	ids := make([]string, len(team.Members), len(team.Members)+1)
	for i, m := range team.Members {
		ids[i] = m.UserID
	}
	names, err := t.Names(append(ids, team.AccessGiven.By)...)
	g := frame.NewGrid("Table of members", "Member", "State", "-Joined")
	invited := 0
	for _, m := range team.Members {
		name, state, forms := frame.Person(names[m.UserID]), frame.Pill("active", "ok"), []frame.RowForm(nil)
		if m.Invited {
			name, state = frame.Words(cmp.Or(m.Email, "somebody new")), frame.Pill("invited", "wait")
			invited++
		}
		if manage {
			forms = []frame.RowForm{{Do: "remove", Text: "Remove", Of: name.Text, Risk: true, Hidden: []frame.Setting{{Name: "member", Value: m.MembershipID}}}}
		}
		joined := frame.Moment(m.JoinedAt)
		if m.ByGroups {
			joined.Sub = "by its groups"
		}
		g.Row(forms, name, state, joined)
	}
	note := frame.Many(team.PeopleCount, "member", "members") // as wherever teams are counted: those who have come in
	if invited > 0 {
		note += ", and " + frame.Count(invited) + " invited"
	}
	people := frame.Card{ID: "people", Title: "People", Note: note, Grid: g, Empty: "Nobody is in " + team.Name + " yet."}
	if manage {
		people.Form = &frame.FormPart{Do: "add", Submit: "Add to the team", Fields: []frame.FormField{{Kind: "text", Name: "username", Label: "Username", Hint: "of a member of the organization", Max: 255, Required: true}}}
	}
	return people, names[team.AccessGiven.By], err
}

// teamLevels is the projects and workspaces that the team has levels on.
func teamLevels(t *frame.OrgVisit, team *app.TeamView) (frame.Card, error) {
	if team.Owners() {
		return frame.Card{ID: "levels", Title: "Levels", Text: "Owners may do everything in every project and every workspace: no level gives them more."}, nil
	}
	g := frame.NewGrid("Table of levels", "Where", "Level", "-Given")
	var projects []string
	for _, grant := range team.Grants {
		if grant.Scope == belay.OnProjects {
			projects = append(projects, grant.ScopeID)
		}
	}
	readAlone := frame.Soon(t.Visit, func() (int, error) { return t.UI.App.WorkspacesOfTeam(t.Context(), t.Principal, team.ID) })
	names := map[string]string{}
	if len(projects) > 0 {
		list, _, err := t.UI.App.Projects(t.Context(), t.Principal, t.Org.Name, belay.ProjectQuery{Page: belay.Page{Number: 1, Size: workspaces.TeamsAtOnce}})
		if err != nil {
			return frame.Card{}, err
		}
		for i := range list {
			names[list[i].ID] = list[i].Name
		}
	}
	part := "projects/" // that everybody opens who sees the project
	if t.May(belay.ManageTeams.And(belay.ReadEveryMember)) {
		part = "access/"
	}
	slices.SortFunc(team.Grants, func(a, b belay.Grant) int { return strings.Compare(names[a.ScopeID], names[b.ScopeID]) })
	for _, grant := range team.Grants {
		if grant.Scope == belay.OnProjects && names[grant.ScopeID] != "" {
			g.Row(nil, frame.Link(names[grant.ScopeID], frame.OrganizationPath(t.Org.Name, part)+grant.ScopeID), frame.Cell{Text: grant.Level, Level: workspaces.LevelClasses[grant.Level]}, frame.Moment(grant.Given.At))
		}
	}
	alone, err := readAlone()
	note := frame.Many(len(g.Rows), "project", "projects")
	if len(g.Rows) < len(projects) {
		note += " that you see"
	}
	if alone > 0 {
		note += ", and " + frame.Many(alone, "workspace", "workspaces") + " by itself"
	}
	return frame.Card{ID: "levels", Title: "Levels", Note: note, Grid: g, Empty: "No project that you see gives it a level."}, err
}

func teamTokens(t *frame.OrgVisit) (frame.Card, error) {
	list, total, err := t.UI.App.TeamTokens(t.Context(), t.Principal, t.ID, belay.Page{Number: 1, Size: frame.MostTokens})
	if err != nil {
		return frame.Card{}, err
	}
	people := make([]string, len(list))
	for i := range list {
		people[i] = list[i].CreatedBy
	}
	makers, err := t.Names(people...)
	return frame.Card{
		ID: "tokens", Title: "Tokens", Note: frame.Many(total, "token", "tokens"), Grid: TokenGrid(list, makers, t.UI.Now()), Empty: "It has no token. One acts as the team itself, for machines.",
		Closed: true, Form: newTokenForm("token", "New token"),
	}, err
}

// TokenGrid is tokens as rows, each with who made it and a way to end it.
func TokenGrid(list []belay.Token, makers map[string]string, now time.Time) *frame.Grid {
	g := frame.NewGrid("Table of tokens", "For", "-Made", "Used last", "Ends")
	for i := range list {
		token := &list[i]
		name := token.Description
		if name == "" {
			name = "without a description"
		}
		what := frame.Words(name)
		what.Sub = frame.Tail(token)
		made := frame.Moment(token.CreatedAt)
		if by := makers[token.CreatedBy]; by != "" {
			made.Sub = "by " + by
		}
		g.Row([]frame.RowForm{{Do: "end-token", Text: "End…", Of: name, Risk: true, Hidden: []frame.Setting{{Name: "token", Value: token.ID}}}}, what, made, frame.UsedLast(token), frame.Ends(token, now))
	}
	return g
}

// whatItIsFor is what forms of teams and tokens call a description.
var whatItIsFor = map[string]string{"Description": "“What it is for”"}

// newTokenForm asks for a token.
func newTokenForm(do, submit string) *frame.FormPart {
	return &frame.FormPart{Do: do, Submit: submit, Fields: []frame.FormField{
		{Kind: "text", Name: "description", Label: "What it is for", Max: 255, Required: true},
		{Kind: "select", Name: "days", Label: "How long it lives", Choices: frame.LifeChoices()},
	}}
}

// tokenAsked is the token that a form asks for.
func tokenAsked(v *frame.Visit, now time.Time) (identity.NewToken, error) {
	days, known := frame.Lives[v.PostFormValue("days")]
	if !known || !frame.PlainText(v.PostFormValue("description")) {
		return identity.NewToken{}, belay.Refuse(belay.Invalid, "Give the token a description of up to 255 characters, and one of the lives offered.")
	}
	return identity.NewToken{Description: v.PostFormValue("description"), ExpiredAt: patch.Of(now.AddDate(0, 0, days))}, nil
}

// teamSide is what the team may do in the whole organization, and what those who manage it change.
func teamSide(t *frame.OrgVisit, team *app.TeamView, giver string, manage bool) []frame.Card {
	manage = manage && !team.Owners()
	side := []frame.Card{rightsCard(t, team, giver, manage && team.Access.Everywhere.Has(belay.ManageOrganizationAccess))}
	if !manage {
		return side
	}
	return append(side,
		frame.Card{ID: "settings", Title: "Settings", Form: &frame.FormPart{Do: "save", Submit: "Save", Changes: true, Fields: teamFields(t, &team.Team)}},
		frame.Card{ID: "delete", Title: "Delete", Text: "Its people lose what only this team gives them.", Form: &frame.FormPart{
			Do: "delete", Submit: "Delete " + team.Name, Risk: true, Asks: "Lost with " + team.Name + ": what it alone gives to " + frame.Many(len(team.Members), "member", "members") + ", and its tokens.",
		}})
}

func teamFields(t *frame.OrgVisit, team *belay.Team) []frame.FormField {
	return []frame.FormField{
		{Kind: "text", Name: "name", Label: "Name", Value: team.Name, Max: 90, Required: true}, {Kind: "text", Name: "description", Label: "What it is for", Value: team.Description, Max: 256},
		{Kind: "select", Name: "visibility", Label: "Who sees it", Choices: seenBy(t, team.Visibility)},
		{Kind: "text", Name: "sso", Label: "Group of the identity provider", Value: team.SSOTeamID, Max: 255, Code: true},
		{Kind: "check", Name: "tokens", Label: "Its members manage its tokens", On: team.AllowMemberTokenManagement},
	}
}

func newTeam(t *frame.OrgVisit) (string, error) {
	t.Calls(whatItIsFor)
	team, err := t.UI.App.CreateTeam(t.Context(), t.Principal, t.Org.Name, belay.TeamPatch{
		Name: patch.Of(t.Given("name")), Description: patch.Of(t.Given("description")), Visibility: patch.Of(t.PostFormValue("visibility")),
	})
	return t.One(team.ID), err
}

func saveTeam(t *frame.OrgVisit) (string, error) {
	return changeTeam(t, teamFields, belay.TeamPatch{
		Name: t.Edited("name"), Description: t.Edited("description"), Visibility: t.Edited("visibility"),
		SSOTeamID: t.Edited("sso"), AllowMemberTokenManagement: t.Ticked("tokens"),
	})
}

// changeTeam changes what a form changed of the fields that it showed.
func changeTeam(t *frame.OrgVisit, fields func(*frame.OrgVisit, *belay.Team) []frame.FormField, p belay.TeamPatch) (string, error) {
	team, err := theTeam(t)
	if err == nil {
		err = t.Overtaken(fields(t, &team.Team))
	}
	if err != nil {
		return "", err
	}
	t.Calls(whatItIsFor)
	_, err = t.UI.App.UpdateTeam(t.Context(), t.Principal, t.ID, p)
	return t.Here(), err
}

func addMember(t *frame.OrgVisit) (string, error) {
	return t.Here(), t.UI.App.AddTeamMembers(t.Context(), t.Principal, t.ID, []string{t.Given("username")})
}

func removeMember(t *frame.OrgVisit) (string, error) {
	return t.Here(), t.UI.App.RemoveTeamMemberships(t.Context(), t.Principal, t.ID, []string{t.PostFormValue("member")})
}

func newTeamToken(t *frame.OrgVisit) (string, error) {
	want, err := tokenAsked(t.Visit, t.UI.Now())
	if err != nil {
		return "", err
	}
	t.Calls(whatItIsFor)
	_, value, err := t.UI.App.CreateTeamToken(t.Context(), t.Principal, t.ID, want)
	if err != nil {
		return "", err
	}
	return t.Fresh(frame.FreshValue{Title: "The new token", Value: value, Uses: t.TokenUses(value)})
}

func deleteTeam(t *frame.OrgVisit) (string, error) {
	return t.Path, t.UI.App.DeleteTeam(t.Context(), t.Principal, t.ID)
}
