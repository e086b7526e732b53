package organizations

import (
	"cmp"
	"net/http"
	"strings"

	"github.com/belayhq/belay"
	"github.com/belayhq/belay/internal/app"
	"github.com/belayhq/belay/internal/patch"
	"github.com/belayhq/belay/internal/ui/access"
	"github.com/belayhq/belay/internal/ui/frame"
)

// Begin leads to the organization that the browser was in last, to the only one, or to the list.
func Begin(v *frame.Visit) {
	s, ok := v.SignedIn()
	if !ok {
		return
	}
	list, total, err := v.UI.App.Organizations(v.Context(), s, belay.OrganizationQuery{Page: belay.Page{Number: 1, Size: 1}})
	if err != nil {
		v.Refuse(err)
		return
	}
	to := frame.OrganizationsPath
	if last := v.ReadCookie(frame.LastCookie); last != "" && total > 1 {
		if o, err := v.UI.App.Organization(v.Context(), s, last); err == nil {
			to = frame.OrganizationHomePath(o.Name)
		}
	} else if total == 1 {
		to = frame.OrganizationHomePath(list[0].Name)
	}
	v.Redirect(to)
}

// ShowOrganizations lists the organizations of the visitor.
func ShowOrganizations(v *frame.Visit) {
	if s, ok := v.SignedIn(); ok {
		listOrganizations(v, s, http.StatusOK, "")
	}
}

// ActOnOrganizations makes an organization that the visitor owns and goes to its home, or leaves one.
func ActOnOrganizations(v *frame.Visit) {
	v.Submitted(func(s belay.Principal) (string, error) {
		if v.PostFormValue("do") == "leave" {
			return frame.OrganizationsPath, leave(v, s, v.PostFormValue("membership"))
		}
		made, err := v.UI.App.CreateOrganization(v.Context(), s, belay.OrganizationPatch{Name: patch.Of(v.Given("name")), Email: patch.Of(v.Given("email"))})
		return frame.OrganizationHomePath(made.Name), err
	}, func(s belay.Principal, status int, problem string) { listOrganizations(v, s, status, problem) })
}

func listOrganizations(v *frame.Visit, s belay.Principal, status int, problem string) {
	at, asked := v.Page(frame.PageSize), v.Asked("search")
	list, total, err := v.UI.App.Organizations(v.Context(), s, belay.OrganizationQuery{Name: asked, Page: at})
	if err != nil {
		v.Refuse(err)
		return
	}
	mine, _, err := v.UI.App.MyMemberships(v.Context(), s, belay.Page{Number: 1, Size: mostPlaces})
	if err != nil {
		v.Refuse(err)
		return
	}
	alerts, err := leaving(v, s)
	if err != nil {
		v.Refuse(err)
		return
	}
	sheet := &frame.Sheet{Alerts: alerts, Title: "Organizations", Sub: frame.Many(total, "organization", "organizations"), Search: asked, Searchable: asked != "" || total > 1, Main: []frame.Card{
		{
			ID: "organizations", Title: "Yours", Grid: tableOf(list, mine), Turns: v.Turns(frame.OrganizationsPath, at, total),
			Empty: "You are in no organization yet. Its owners can invite you, or you make one.",
		},
		{ID: "new", Title: "A new organization", Form: &frame.FormPart{Do: "new", Submit: "Make it", Fields: []frame.FormField{
			{Kind: "text", Name: "name", Label: "Name", Hint: "letters, digits, - and _", Max: 90, Required: true, Code: true},
			{Kind: "email", Name: "email", Label: "Where it is reached", Hint: "an e-mail address; you own the organization, and invite others", Max: 255, Required: true},
		}}},
	}}
	if asked != "" {
		sheet.Main[0].Empty = "No organization of yours has “" + asked + "” in its name."
	}
	v.ShowSheet(s, sheet, status, problem)
}

// leave takes the visitor out of an organization.
func leave(v *frame.Visit, s belay.Principal, id string) error {
	m, err := v.UI.App.Membership(v.Context(), s, id)
	if err == nil && m.UserID != s.ID {
		err = belay.ErrNotFound // others are taken out where all members are seen
	}
	if err != nil {
		return err
	}
	return v.UI.App.DeleteMembership(v.Context(), s, id)
}

// leaving is what goes with the place in an organization that the address asks to leave, and the button that does so.
func leaving(v *frame.Visit, s belay.Principal) ([]frame.Alert, error) {
	id := v.Asked("leave")
	if id == "" {
		return nil, nil
	}
	m, held, err := v.UI.App.Holdings(v.Context(), s, id)
	if belay.KindOf(err) == belay.NotFound || err == nil && m.UserID != s.ID {
		return nil, nil // gone by now, or somebody else's
	}
	return []frame.Alert{{
		Class: "wait", Icon: "alert", Text: "You leave " + m.Organization.Name + access.Lost(m.Teams, held),
		Form: &frame.RowForm{Do: "leave", Text: "Leave " + m.Organization.Name, Hidden: []frame.Setting{{Name: "membership", Value: m.ID}}},
	}}, err
}

// mostPlaces is in how many organizations somebody is told the teams of.
const mostPlaces = 1000

// tableOf lists organizations with the teams by which the visitor is in them.
func tableOf(list []app.OrganizationView, mine []app.MembershipView) *frame.Grid {
	in := make(map[string]*app.MembershipView, len(mine))
	for i := range mine {
		in[mine[i].OrganizationID] = &mine[i]
	}
	g := frame.NewGrid("Table of organizations", "Organization", "+Workspaces", "-Your teams", "-Since", "Membership")
	for i := range list {
		o := &list[i]
		count := frame.Words("those you see")
		if o.Can.Has(belay.ReadWorkspace) {
			count = frame.Link(frame.Count(o.WorkspaceCount), frame.OrganizationPath(o.Name, "workspaces"))
		}
		teams, since, leave := frame.Words("–"), frame.Cell{}, frame.Cell{}
		if m := in[o.ID]; m != nil {
			teams, since = frame.Words(cmp.Or(frame.Cut(strings.Join(m.Teams, ", "), 80), "–")), frame.Moment(m.CreatedAt)
			leave = frame.Link("Leave", frame.OrganizationsPath+"?leave="+m.ID)
		}
		g.Row(nil, frame.Link(o.Name, frame.OrganizationHomePath(o.Name)), count, teams, since, leave)
	}
	return g
}
