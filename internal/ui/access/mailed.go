package access

import (
	"net/http"
	"slices"
	"strings"

	"github.com/belayhq/belay"
	"github.com/belayhq/belay/internal/ui/frame"
	"github.com/belayhq/belay/notices"
)

// MailedPath is where somebody sees what they are told, and why.
const MailedPath = ProfilePath + "/notifications"

// mostTaken is how many change requests of theirs somebody is told there.
const mostTaken = 50

// ShowMailed shows what reaches the visitor, and why.
func ShowMailed(v *frame.Visit) {
	if s, ok := v.SignedIn(); ok {
		showMailedTo(v, s, http.StatusOK, "")
	}
}

// SaveMailed keeps what the visitor leaves out of it.
func SaveMailed(v *frame.Visit) {
	v.Submitted(func(s belay.Principal) (string, error) {
		wanted := v.PostForm["mail"]
		leftOut := slices.DeleteFunc(slices.Clone(notices.Personal), func(trigger string) bool { return slices.Contains(wanted, trigger) })
		return MailedPath, v.UI.App.LeaveOut(v.Context(), s, leftOut)
	}, func(s belay.Principal, status int, problem string) { showMailedTo(v, s, status, problem) })
}

func showMailedTo(v *frame.Visit, s belay.Principal, status int, problem string) {
	mine, err := v.UI.App.Mine(v.Context(), s)
	if err != nil {
		v.Refuse(err)
		return
	}
	page := &frame.Sheet{Title: "Notifications to me", Sub: "What you are mailed in all of your organizations, by whom, and what you may leave out.", Main: []frame.Card{mailedCard(&mine)}}
	if !v.UI.App.Mails() {
		page.Alerts = []frame.Alert{{Class: "wait", Icon: "alert", Text: "This server has no mail server: nothing of this is sent until it has one."}}
	}
	if v.UI.OffersRequests() {
		taken, err := takenCard(v, s)
		if err != nil {
			v.Refuse(err)
			return
		}
		page.Main = append(page.Main, taken)
		page.Side = []frame.Card{{
			ID: "leave-out", Title: "As one of a team", Text: "What is mailed to all members of your teams. It changes nothing for the others, and nothing of what names you.",
			Form: &frame.FormPart{Do: "mail", Submit: "Save", Fields: []frame.FormField{{Kind: "checks", Name: "mail", Label: "Mail me of", Choices: []frame.Choice{
				{Value: notices.TriggerChangeRequest, Text: "new change requests", On: !slices.Contains(mine.LeftOut, notices.TriggerChangeRequest)},
				{Value: notices.TriggerReminder, Text: "reminders of open ones", On: !slices.Contains(mine.LeftOut, notices.TriggerReminder)},
			}}}},
		}}
	}
	v.ShowSheet(s, page, status, problem, frame.Crumb{Name: "Profile", Path: ProfilePath})
}

// mailedCard is a row for each destination that mails the visitor.
func mailedCard(mine *notices.Mine) frame.Card {
	g := frame.NewGrid("Table of what is mailed to you", "Destination", "Of", "Tells you of", "-Why", "-Organization")
	for i := range mine.By {
		n := &mine.By[i]
		name, why := frame.Words(n.Name), "it names you"
		if n.Manages {
			name.Path = frame.OrganizationPath(n.Organization, "notifications/") + n.ID
		}
		switch {
		case n.Named:
		case n.TeamID != "":
			why = "you are in this team"
		default:
			why = "a team of yours comes to it"
		}
		hears := frame.Words(toldText(n.Hears(mine.LeftOut)))
		if hears.Text == "" {
			hears = frame.Pill("left out", "")
		}
		g.Row(nil, name, placeOf(n), hears, frame.Words(why), frame.Link(n.Organization, frame.OrganizationHomePath(n.Organization)))
	}
	card := frame.Card{
		ID: "mailed", Title: "Mail to you", Note: frame.Many(len(mine.By), "destination", "destinations"), Grid: g, Empty: "No destination mails you. Whoever manages a team, a project or a workspace can add one that does.",
		Foot: "Who manages a destination changes or ends it. Where your address was typed into one, it is not listed here.",
	}
	if mine.More {
		card.Note = frame.Count(len(mine.By)) + " of them"
	}
	return card
}

// placeOf is what a destination is of, with a way there for who sees it.
func placeOf(n *notices.MailedNotification) frame.Cell {
	c := frame.Cell{Text: n.Of, Sub: n.Scope()}
	switch {
	case !n.Sees:
	case n.TeamID != "":
		c.Path = frame.OrganizationPath(n.Organization, "teams/") + n.TeamID
	case n.ProjectID != "":
		c.Path = frame.OrganizationPath(n.Organization, "projects/") + n.ProjectID
	default:
		c.Path = frame.WorkspacePath(n.Organization, n.Of)
	}
	return c
}

// toldText is triggers in words, each kind once.
func toldText(triggers []string) string {
	words := []string{}
	for _, trigger := range triggers {
		kind, _, _ := strings.Cut(trigger, ":")
		word := map[string]string{"run": "runs", "change_request": "change requests", "workspace": "auto-destroy", "assessment": "health"}[kind]
		if trigger == notices.TriggerReminder {
			word = "reminders"
		}
		if !slices.Contains(words, word) {
			words = append(words, word)
		}
	}
	return strings.Join(words, ", ")
}

// takenCard is the open change requests that the visitor is on.
func takenCard(v *frame.Visit, s belay.Principal) (frame.Card, error) {
	list, err := v.UI.App.Taken(v.Context(), s, mostTaken)
	g := frame.NewGrid("Table of change requests that you are on", "Change request", "Workspace", "-Taken", "-Organization")
	for i := range list {
		c := &list[i]
		g.Row(nil, frame.Link(c.Subject, frame.OnePath(c.ID)), frame.Link(c.WorkspaceName, frame.WorkspacePath(c.Organization, c.WorkspaceName)), frame.Moment(c.AssignedAt), frame.Link(c.Organization, frame.OrganizationHomePath(c.Organization)))
	}
	return frame.Card{ID: "taken", Title: "Change requests that you are on", Note: frame.Many(len(list), "change request", "change requests"), Grid: g, Empty: "None that is open. One is taken on its page, and released there."}, err
}
