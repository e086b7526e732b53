package ui

import (
	"slices"
	"strings"
	"time"

	"github.com/belayhq/belay"
	"github.com/belayhq/belay/internal/app"
	"github.com/belayhq/belay/internal/identity"
	"github.com/belayhq/belay/internal/patch"
)

var teamActs = map[string]act{
	"new": (*orgVisit).newTeam, "save": (*orgVisit).saveTeam, "rights": (*orgVisit).saveTeamRights, "add": (*orgVisit).addMember,
	"remove": (*orgVisit).removeMember, "token": (*orgVisit).newTeamToken, "end-token": (*orgVisit).endToken, "delete": (*orgVisit).deleteTeam,
}

var visibilities = []string{"secret", "only its members and those who manage teams", "organization", "everybody in the organization"}

// teams is the page of an organization's teams, or of one of them.
func (t *orgVisit) teams() (*view, error) {
	if t.id != "" {
		return t.team()
	}
	at := t.page(pageSize)
	list, total, err := t.ui.App.Teams(t.Context(), t.s, t.o.Name, belay.TeamQuery{Search: t.asked("search"), Page: at})
	if err != nil {
		return nil, err
	}
	g := newGrid("Table of teams", "Team", "+Members", "-Seen by", "-In the whole organization")
	for i := range list {
		team := &list[i]
		name := link(team.Name, t.one(team.ID))
		name.Sub = team.Description
		g.row(nil, name, amount(team.PeopleCount), words(team.Visibility), words(switchesText(&team.Team)))
	}
	main := card{ID: "teams", Title: "Teams", Note: many(total, "team", "teams"), Grid: g, Empty: "There is no team that you see.", Turns: t.turns(t.path, at, total)}
	if t.may(belay.ManageTeams) {
		main.Closed, main.Form = true, &formPart{Do: "new", Submit: "New team", Fields: []formField{
			{Kind: "text", Name: "name", Label: "Name", Max: 90, Required: true}, {Kind: "text", Name: "description", Label: "What it is for", Max: 512},
			{Kind: "select", Name: "visibility", Label: "Who sees it", Choices: options("", visibilities...)},
		}}
	}
	return t.sheet(&sheet{Title: "Teams", Sub: "People get their rights from the teams that they are in.", Main: []card{main}})
}

// switchesText is what a team may do in the whole organization.
func switchesText(team *belay.Team) string {
	if team.Owners() {
		return "everything"
	}
	var on []string
	team.Access.Each(func(name string, is bool) {
		if is {
			on = append(on, strings.ReplaceAll(name, "-", " "))
		}
	})
	return strings.Join(on, ", ")
}

// theTeam is the team that the address names.
func (t *orgVisit) theTeam() (app.TeamView, error) {
	team, err := t.ui.App.Team(t.Context(), t.s, t.id)
	return team, t.ours(team.OrganizationID, err)
}

// ours is the error of what was looked for, and belay.ErrNotFound for what another
// organization has: its address is not below this one's.
func (t *orgVisit) ours(organizationID string, err error) error {
	if err == nil && organizationID != t.o.ID {
		return belay.ErrNotFound
	}
	return err
}

// team is the page of one team: its people, what it may do, its tokens.
func (t *orgVisit) team() (*view, error) {
	team, err := t.theTeam()
	if err != nil {
		return nil, err
	}
	manage, members := team.Access.MayManage(team.Team, belay.ManageTeams), team.Access.MayManage(team.Team, belay.ManageMembership)
	page := &sheet{Title: team.Name, Sub: team.Description}
	people, err := t.teamPeople(&team, members)
	if err != nil {
		return nil, err
	}
	page.Main = append(page.Main, people)
	levels, err := t.teamLevels(&team)
	if err != nil {
		return nil, err
	}
	page.Main = append(page.Main, levels)
	if team.Access.MayManageTokens(team.Team) {
		tokens, err := t.teamTokens()
		if err != nil {
			return nil, err
		}
		page.Main = append(page.Main, tokens)
	}
	page.Side = teamSide(&team, manage)
	return t.sheet(page)
}

func (t *orgVisit) teamPeople(team *app.TeamView, manage bool) (card, error) {
	ids := make([]string, len(team.Members))
	for i, m := range team.Members {
		ids[i] = m.UserID
	}
	names, err := t.names(ids...)
	g := newGrid("Table of members", "Member", "State")
	for _, m := range team.Members {
		state, forms := pill("active", "ok"), []rowForm(nil)
		if m.Invited {
			state = pill("invited", "wait")
		}
		if manage {
			forms = []rowForm{{Do: "remove", Text: "Remove", Of: names[m.UserID], Risk: true, Hidden: []setting{{"member", m.MembershipID}}}}
		}
		g.row(forms, person(names[m.UserID]), state)
	}
	people := card{ID: "people", Title: "People", Note: many(len(team.Members), "member", "members"), Grid: g, Empty: "Nobody is in " + team.Name + " yet."}
	if manage {
		people.Form = &formPart{Do: "add", Submit: "Add to the team", Fields: []formField{{Kind: "text", Name: "username", Label: "Username", Hint: "of a member of the organization", Max: 255, Required: true}}}
	}
	return people, err
}

// teamLevels is the projects and workspaces that the team has levels on.
func (t *orgVisit) teamLevels(team *app.TeamView) (card, error) {
	g := newGrid("Table of levels", "Where", "Level", "Of")
	var projects []string
	workspaces := 0
	for _, grant := range team.Grants {
		switch grant.Scope {
		case belay.OnProjects:
			projects = append(projects, grant.ScopeID)
		case belay.OnWorkspaces:
			workspaces++
		}
	}
	names := map[string]string{}
	if len(projects) > 0 {
		list, _, err := t.ui.App.Projects(t.Context(), t.s, t.o.Name, belay.ProjectQuery{Page: belay.Page{Number: 1, Size: teamsAtOnce}})
		if err != nil {
			return card{}, err
		}
		for i := range list {
			names[list[i].ID] = list[i].Name
		}
	}
	for _, grant := range team.Grants {
		if grant.Scope == belay.OnProjects && names[grant.ScopeID] != "" {
			g.row(nil, link(names[grant.ScopeID], organizationPath(t.o.Name, "access/")+grant.ScopeID), cell{Text: grant.Level, Level: levelClasses[grant.Level]}, words("project"))
		}
	}
	note := many(len(projects), "project", "projects")
	if workspaces > 0 {
		note += ", and " + many(workspaces, "workspace", "workspaces") + " by itself"
	}
	return card{ID: "levels", Title: "Levels", Note: note, Grid: g, Empty: "No project gives it a level."}, nil
}

func (t *orgVisit) teamTokens() (card, error) {
	list, total, err := t.ui.App.TeamTokens(t.Context(), t.s, t.id, belay.Page{Number: 1, Size: mostTokens})
	return card{
		ID: "tokens", Title: "Tokens", Note: many(total, "token", "tokens"), Grid: tokenGrid(list, t.ui.Now()), Empty: "It has no token. One acts as the team itself, for machines.",
		Closed: true, Form: newTokenForm("token", "New token"),
	}, err
}

// tokenGrid is tokens as rows, each with a way to end it.
func tokenGrid(list []belay.Token, now time.Time) *grid {
	g := newGrid("Table of tokens", "For", "-Made", "Used last", "Ends")
	for i := range list {
		token := &list[i]
		ends := cell{Text: day(token.ExpiredAt, "never")}
		if !token.ExpiredAt.IsZero() && token.ExpiredAt.Sub(now) < 14*24*time.Hour {
			ends.Pill, ends.Icon = "wait", "clock"
		}
		used := moment(token.LastUsedAt)
		if token.LastUsedAt.IsZero() {
			used = words("never")
		}
		name := token.Description
		if name == "" {
			name = "without a description"
		}
		g.row([]rowForm{{Do: "end-token", Text: "End", Of: name, Risk: true, Hidden: []setting{{"token", token.ID}}}}, words(name), moment(token.CreatedAt), used, ends)
	}
	return g
}

// newTokenForm asks for a token.
func newTokenForm(do, submit string) *formPart {
	return &formPart{Do: do, Submit: submit, Fields: []formField{
		{Kind: "text", Name: "description", Label: "What it is for", Max: 255, Required: true},
		{Kind: "select", Name: "days", Label: "How long it lives", Choices: options("90", "30", "30 days", "90", "90 days", "365", "a year", "730", "two years")},
	}}
}

// tokenAsked is the token that a form asks for.
func (v *visit) tokenAsked(now time.Time) (identity.NewToken, error) {
	days, known := lives[v.PostFormValue("days")]
	if !known || !plainText(v.PostFormValue("description")) {
		return identity.NewToken{}, belay.Refuse(belay.Invalid, "Give the token a description of up to 255 characters, and one of the lives offered.")
	}
	return identity.NewToken{Description: v.PostFormValue("description"), ExpiredAt: patch.Of(now.AddDate(0, 0, days))}, nil
}

// teamSide is what those who manage the team change.
func teamSide(team *app.TeamView, manage bool) []card {
	var switches []choice
	team.Team.Access.Each(func(name string, on bool) {
		switches = append(switches, choice{name, strings.ReplaceAll(name, "-", " "), on})
	})
	if !manage || team.Owners() {
		return []card{{ID: "rights", Title: "In the whole organization", Text: orNone(switchesText(&team.Team))}}
	}
	return []card{
		{ID: "rights", Title: "In the whole organization", Form: &formPart{Do: "rights", Submit: "Save rights", Fields: []formField{{Kind: "checks", Name: "switch", Label: "It may", Choices: switches}}}},
		{ID: "settings", Title: "Settings", Form: &formPart{Do: "save", Submit: "Save", Fields: []formField{
			{Kind: "text", Name: "name", Label: "Name", Value: team.Name, Max: 90, Required: true}, {Kind: "text", Name: "description", Label: "What it is for", Value: team.Description, Max: 512},
			{Kind: "select", Name: "visibility", Label: "Who sees it", Choices: options(team.Visibility, visibilities...)},
			{Kind: "text", Name: "sso", Label: "Group of the identity provider", Value: team.SSOTeamID, Max: 255, Code: true},
			{Kind: "check", Name: "tokens", Label: "Its members manage its tokens", On: team.AllowMemberTokenManagement},
		}}},
		{ID: "delete", Title: "Delete", Text: "Its people lose what only this team gives them.", Form: &formPart{Do: "delete", Submit: "Delete " + team.Name, Risk: true}},
	}
}

func (t *orgVisit) newTeam() (string, error) {
	team, err := t.ui.App.CreateTeam(t.Context(), t.s, t.o.Name, belay.TeamPatch{
		Name: patch.Of(t.given("name")), Description: patch.Of(t.given("description")), Visibility: patch.Of(t.PostFormValue("visibility")),
	})
	return t.one(team.ID), err
}

func (t *orgVisit) saveTeam() (string, error) {
	return t.changeTeam(belay.TeamPatch{
		Name: patch.Of(t.given("name")), Description: patch.Of(t.given("description")), Visibility: patch.Of(t.PostFormValue("visibility")),
		SSOTeamID: patch.Of(t.given("sso")), AllowMemberTokenManagement: patch.Of(t.PostFormValue("tokens") != ""),
	})
}

func (t *orgVisit) saveTeamRights() (string, error) {
	switches := map[string]bool{}
	belay.OrganizationAccess{}.Each(func(name string, _ bool) { switches[name] = slices.Contains(t.PostForm["switch"], name) })
	return t.changeTeam(belay.TeamPatch{Access: patch.Of(switches)})
}

func (t *orgVisit) changeTeam(p belay.TeamPatch) (string, error) {
	if _, err := t.theTeam(); err != nil {
		return "", err
	}
	_, err := t.ui.App.UpdateTeam(t.Context(), t.s, t.id, p)
	return t.here(), err
}

func (t *orgVisit) addMember() (string, error) {
	return t.here(), t.ui.App.AddTeamMembers(t.Context(), t.s, t.id, []string{t.given("username")})
}

func (t *orgVisit) removeMember() (string, error) {
	return t.here(), t.ui.App.RemoveTeamMemberships(t.Context(), t.s, t.id, []string{t.PostFormValue("member")})
}

func (t *orgVisit) newTeamToken() (string, error) {
	want, err := t.tokenAsked(t.ui.Now())
	if err != nil {
		return "", err
	}
	_, value, err := t.ui.App.CreateTeamToken(t.Context(), t.s, t.id, want)
	if err != nil {
		return "", err
	}
	return t.fresh(freshValue{"The new token", value, t.tokenUse()})
}

// tokenUse says how a command line takes a token.
func (v *visit) tokenUse() string {
	name := strings.NewReplacer(".", "_", "-", "__").Replace(v.host())
	return "In a pipeline: TF_TOKEN_" + name + "="
}

func (t *orgVisit) endToken() (string, error) {
	return t.here(), t.ui.App.DeleteToken(t.Context(), t.s, t.PostFormValue("token"))
}

func (t *orgVisit) deleteTeam() (string, error) {
	return t.path, t.ui.App.DeleteTeam(t.Context(), t.s, t.id)
}
