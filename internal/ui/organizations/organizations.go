package organizations

import (
	"context"
	"net/http"
	"strings"
	"time"

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
	mine, _, err := v.UI.App.MyMemberships(v.Context(), s, belay.Page{Number: 1, Size: mostPlaces}, false)
	if err != nil {
		v.Refuse(err)
		return
	}
	alerts, err := leaving(v, s)
	if err != nil {
		v.Refuse(err)
		return
	}
	sheet := &frame.Sheet{
		Alerts: alerts, Title: "Organizations", Sub: frame.Many(total, "organization", "organizations"), Search: asked, Searchable: asked != "" || total > 1,
		Deck: cardsOf(list, mine, waiting(v, s, list)), Turns: v.Turns(frame.OrganizationsPath, at, total),
	}
	if total == 0 {
		none := frame.Card{ID: "organizations", Title: "Yours", Empty: "You are in no organization yet. Its owners can invite you, or you make one."}
		if asked != "" {
			none.Empty = "No organization of yours has “" + asked + "” in its name."
		}
		sheet.Main = append(sheet.Main, none)
	}
	sheet.Main = append(sheet.Main, frame.Card{ID: "new", Title: "A new organization", Form: &frame.FormPart{Do: "new", Submit: "Make it", Fields: []frame.FormField{
		{Kind: "text", Name: "name", Label: "Name", Hint: "letters, digits, - and _", Max: 90, Required: true, Code: true},
		{Kind: "email", Name: "email", Label: "Where it is reached", Hint: "an e-mail address; you own the organization, and invite others", Max: 255, Required: true},
	}}})
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
	if m.OnlyOne {
		return []frame.Alert{{Class: "wait", Icon: "alert", Text: "You can't leave " + m.Organization.Name + ": " + onlyOwner}}, err
	}
	return []frame.Alert{{
		Class: "wait", Icon: "alert", Text: "You leave " + m.Organization.Name + access.Lost(m.Teams, held),
		Form: &frame.RowForm{Do: "leave", Text: "Leave " + m.Organization.Name, Hidden: []frame.Setting{{Name: "membership", Value: m.ID}}},
	}}, err
}

// onlyOwner is why somebody can't leave.
const onlyOwner = "you are its only owner, and it keeps one. Put somebody else into the owners team first."

// mostPlaces is in how many organizations somebody is told the teams of.
const mostPlaces = 1000

// waitingFor is how long a page waits for what waits.
const waitingFor = 100 * time.Millisecond

// waiting is how much waits for the visitor in each organization, by id; nothing when it can't be had at once.
func waiting(v *frame.Visit, s belay.Principal, list []app.OrganizationView) map[string]int {
	ctx, cancel := context.WithTimeout(v.Context(), waitingFor)
	defer cancel()
	in := make([]belay.Organization, len(list))
	for i := range list {
		in[i] = list[i].Organization
	}
	counts, err := v.WaitsIn(ctx, s, in)
	if err != nil {
		return nil
	}
	return counts
}

// cardsOf shows organizations with the teams by which the visitor is in them, and what waits there.
func cardsOf(list []app.OrganizationView, mine []app.MembershipView, waits map[string]int) []frame.Card {
	in := make(map[string]*app.MembershipView, len(mine))
	for i := range mine {
		in[mine[i].OrganizationID] = &mine[i]
	}
	cards := make([]frame.Card, len(list))
	for i := range list {
		o, home := &list[i], frame.OrganizationHomePath(list[i].Name)
		facts := []frame.Setting{{Name: "Workspaces", Value: "those you see"}}
		if o.Can.Has(belay.ReadWorkspace) {
			facts[0] = frame.Setting{Name: "Workspaces", Value: frame.Count(o.WorkspaceCount), Path: frame.OrganizationPath(o.Name, "workspaces")}
		}
		m := in[o.ID]
		if m != nil {
			facts = append(facts, frame.Setting{Name: "Your teams", Value: frame.Cut(strings.Join(m.Teams, ", "), 80)})
		}
		if n, told := waits[o.ID]; told {
			wait := frame.Setting{Name: "To confirm or unlock", Value: "nothing"}
			if n > 0 {
				wait.Value, wait.Path = frame.Count(n), home
			}
			facts = append(facts, wait)
		}
		if m != nil {
			membership := frame.Setting{Name: "Membership", Value: "Leave", Path: frame.OrganizationsPath + "?leave=" + m.ID}
			if m.OnlyOne {
				membership.Value, membership.Path = onlyOwner, ""
			}
			facts = append(facts, frame.Setting{Name: "Since", Value: frame.Minute(m.CreatedAt)}, membership)
		}
		cards[i] = frame.Card{ID: "in-" + o.Name, Title: o.Name, Path: home, Facts: facts}
	}
	return cards
}
