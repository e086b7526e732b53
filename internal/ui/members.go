package ui

import (
	"slices"
	"strings"

	"github.com/belayhq/belay"
)

var memberActs = map[string]act{"invite": (*orgVisit).invite, "remove": (*orgVisit).dropMember}

// members is the page of who is in an organization.
func (t *orgVisit) members() (*view, error) {
	if t.id != "" {
		return nil, belay.ErrNotFound
	}
	at := t.page(pageSize)
	status := t.asked("status")
	if status != "active" && status != "invited" {
		status = ""
	}
	list, total, counts, err := t.ui.App.Memberships(t.Context(), t.s, t.o.Name, belay.MembershipQuery{Search: t.asked("search"), Status: status, Page: at})
	if err != nil {
		return nil, err
	}
	teams, _, err := t.ui.App.Teams(t.Context(), t.s, t.o.Name, belay.TeamQuery{Page: belay.Page{Number: 1, Size: teamsAtOnce}})
	if err != nil {
		return nil, err
	}
	teamNames, choices := map[string]string{}, []choice(nil)
	for i := range teams {
		teamNames[teams[i].ID] = teams[i].Name
		choices = append(choices, choice{teams[i].ID, teams[i].Name, false})
	}
	ids := make([]string, len(list))
	for i := range list {
		ids[i] = list[i].UserID
	}
	users, err := t.names(ids...)
	if err != nil {
		return nil, err
	}
	manage := t.may(belay.ManageMembership)
	g := newGrid("Table of members", "Member", "State", "-Teams", "-Since")
	for i := range list {
		m := &list[i]
		name := person(users[m.UserID])
		if name.Text == "" || m.Status == "invited" {
			name = words(m.Email)
		}
		state := pill("active", "ok")
		if m.Status != "active" {
			state = pill("invited", "wait")
		}
		var of []string
		for _, id := range m.TeamIDs {
			if teamNames[id] != "" {
				of = append(of, teamNames[id])
			}
		}
		slices.Sort(of)
		var forms []rowForm
		if manage || m.UserID == t.s.ID {
			forms = []rowForm{{Do: "remove", Text: "Remove", Of: name.Text, Risk: true, Hidden: []setting{{"member", m.ID}}}}
		}
		g.row(forms, name, state, cell{Tags: of}, moment(m.CreatedAt))
	}
	people := card{ID: "members", Title: "Members", Grid: g, Empty: "Nobody fits.", Turns: t.turns(t.path, at, total)}
	for _, s := range []string{"", "active", "invited"} {
		name := map[string]string{"": "All", "active": "Active " + count(counts["active"]), "invited": "Invited " + count(counts["invited"])}[s]
		people.Seg = append(people.Seg, seg{name, t.path + "?status=" + s, s == status})
	}
	page := &sheet{Title: "Members", Sub: "Whoever is in a team here, and who was invited.", Main: []card{people}}
	if manage {
		page.Side = []card{{ID: "invite", Title: "Invite", Form: &formPart{Do: "invite", Submit: "Invite", Fields: []formField{
			{Kind: "email", Name: "email", Label: "E-mail address", Max: 255, Required: true}, {Kind: "checks", Name: "team", Label: "Into the teams", Choices: choices},
		}}}}
	}
	return t.sheet(page)
}

func (t *orgVisit) invite() (string, error) {
	_, err := t.ui.App.Invite(t.Context(), t.s, t.o.Name, strings.TrimSpace(t.PostFormValue("email")), t.PostForm["team"])
	return t.path, err
}

func (t *orgVisit) dropMember() (string, error) {
	return t.path, t.ui.App.DeleteMembership(t.Context(), t.s, t.PostFormValue("member"))
}
