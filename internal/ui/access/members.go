package access

import (
	"slices"
	"strings"

	"github.com/belayhq/belay"
	"github.com/belayhq/belay/internal/app"
	"github.com/belayhq/belay/internal/ui/frame"
	"github.com/belayhq/belay/internal/ui/workspaces"
)

// MemberActs is what the forms of members do.
var MemberActs = map[string]frame.Act{"invite": invite, "resend": resendInvitation, "remove": lookAtRemoval, "agree": dropMember}

// Members is the page of who is in an organization.
func Members(t *frame.OrgVisit) (*frame.View, error) {
	if t.ID != "" {
		return nil, belay.ErrNotFound
	}
	at := t.Page(frame.PageSize)
	status := t.Asked("status")
	if status != "active" && status != "invited" {
		status = ""
	}
	readTeams := frame.Soon(t.Visit, func() (app.Joinable, error) {
		return t.UI.App.TeamsToJoin(t.Context(), t.Principal, t.Org.Name, belay.TeamQuery{Page: belay.Page{Number: 1, Size: workspaces.TeamsAtOnce}})
	})
	list, total, counts, err := t.UI.App.Memberships(t.Context(), t.Principal, t.Org.Name, belay.MembershipQuery{Search: t.Asked("search"), Status: status, Page: at})
	if err != nil {
		return nil, err
	}
	joinable, err := readTeams()
	if err != nil {
		return nil, err
	}
	choices, lastOwner := []frame.Choice(nil), false
	for i := range joinable.Teams {
		team := &joinable.Teams[i]
		lastOwner = lastOwner || team.Owners() && team.UsersCount == 1
		if joinable.May[team.ID] {
			choices = append(choices, frame.Choice{Value: team.ID, Text: team.Name, On: false})
		}
	}
	people := frame.Card{ID: "members", Title: "Members", Grid: memberGrid(t, list, lastOwner), Empty: "Nobody fits.", Turns: t.Turns(t.Path, at, total)}
	for _, s := range []string{"", "active", "invited"} {
		name := map[string]string{"": "All", "active": "Active " + frame.Count(counts["active"]), "invited": "Invited " + frame.Count(counts["invited"])}[s]
		people.Seg = append(people.Seg, frame.Seg{Name: name, Path: t.Path + "?status=" + s, Here: s == status})
	}
	page := &frame.Sheet{Title: "Members", Sub: "Whoever is in a team here, and who was invited.", Search: t.Asked("search"), Searchable: true, Main: []frame.Card{people}}
	if page.Alerts, err = removalAlert(t); err != nil {
		return nil, err
	}
	if t.May(belay.ManageMembership) {
		page.Side = []frame.Card{{ID: "invite", Title: "Invite", Form: &frame.FormPart{Do: "invite", Submit: "Invite", Fields: []frame.FormField{
			{Kind: "area", Name: "email", Label: "E-mail addresses", Hint: "one or more, with commas or in lines", Required: true, Code: true}, {Kind: "checks", Name: "team", Label: "Into the teams", Choices: choices},
		}}}}
	}
	return t.Sheet(page)
}

// memberGrid is a row for each member: the teams that the visitor sees, and a way out for those who may: owners take
// owners out, and the last one stays.
func memberGrid(t *frame.OrgVisit, list []app.MembershipView, lastOwner bool) *frame.Grid {
	manage := t.May(belay.ManageMembership)
	g := frame.NewGrid("Table of members", "Member", "State", "-Teams", "-Last seen, by", "-Token used")
	for i := range list {
		m := &list[i]
		name := frame.Person(m.Username)
		if name.Sub = m.Email; name.Text == "" || m.Status == "invited" {
			name = frame.Words(m.Email)
		}
		state := frame.Pill("active", "ok")
		if m.Status != "active" {
			state = frame.Pill("invited", "wait")
		}
		state.At = m.CreatedAt
		seen := frame.Moment(m.LastSeen)
		seen.Sub = frame.WaysIn(&m.Presence)
		var forms []frame.RowForm
		owner := m.Status == belay.ActiveMember && slices.Contains(m.Teams, belay.OwnersTeam)
		switch mayRemove := manage && (t.May(belay.ManageOwners) || !owner); {
		case owner && lastOwner:
			forms = []frame.RowForm{{Text: "the last owner stays"}}
		case mayRemove || m.UserID == t.Principal.ID:
			forms = []frame.RowForm{{Do: "remove", Text: "Remove…", Of: name.Text, Risk: true, Hidden: ofMember(m.ID)}}
		}
		if manage && m.Status == belay.InvitedMember && t.UI.App.Mails() {
			forms = append([]frame.RowForm{{Do: "resend", Text: "Invite again", Of: name.Text, Hidden: ofMember(m.ID)}}, forms...)
		}
		g.Row(forms, name, state, frame.Cell{Tags: m.Teams}, seen, frame.Moment(m.LastToken))
	}
	return g
}

// mostInvited is how many people one form invites: each is mailed.
const mostInvited = 50

// invite invites one after the other, and says how far it came.
func invite(t *frame.OrgVisit) (string, error) {
	all := frame.Commas(strings.ReplaceAll(t.Typed("email"), "\n", ","))
	if len(all) == 0 || len(all) > mostInvited {
		return "", belay.Refuse(belay.Invalid, "Write one to %d e-mail addresses.", mostInvited)
	}
	for i, address := range all {
		if _, err := t.UI.App.Invite(t.Context(), t.Principal, t.Org.Name, address, t.PostForm["team"]); err != nil {
			if i > 0 && belay.KindOf(err) != belay.Internal {
				_, why := t.Describe(err)
				err = belay.Refuse(belay.Invalid, "%s of %d are invited; %s is not: %s", frame.Count(i), len(all), address, why)
			}
			return "", err
		}
	}
	return t.Path, nil
}
