package organizations

import (
	"strings"
	"sync"

	"golang.org/x/time/rate"

	"github.com/belayhq/belay"
	"github.com/belayhq/belay/internal/patch"
	"github.com/belayhq/belay/internal/ui/access"
	"github.com/belayhq/belay/internal/ui/frame"
	"github.com/belayhq/belay/internal/ui/workspaces"
	"github.com/belayhq/belay/notices"
)

// NotificationActs is what the forms of notifications do.
var NotificationActs = map[string]frame.Act{
	"new": newNotification, "toggle": toggleNotification, "verify": verifyNotification, "retry": retryDeliveries,
	"delete": deleteNotification, "find": findNotifications,
}

var (
	destinations = []string{"generic", "Webhook", "slack", "Slack", "microsoft-teams", "Microsoft Teams", "email", "E-mail"}
	runTriggers  = []string{
		"run:created", "a run is queued", "run:planning", "a plan begins", "run:needs_attention", "a run needs somebody", "run:applying", "an apply begins",
		"run:completed", "a run is done", "run:errored", "a run fails", notices.TriggerChangeRequest, "a change request is filed",
	}
)

// Notifications is the page of who is told of what: of a team, of a workspace, or one of them.
func Notifications(t *frame.OrgVisit) (*frame.View, error) {
	switch {
	case strings.HasPrefix(t.ID, "team-"):
		return notificationsOf(t, notices.Notification{TeamID: t.ID})
	case strings.HasPrefix(t.ID, "ws-"):
		return notificationsOf(t, notices.Notification{WorkspaceID: t.ID})
	case t.ID != "":
		return notification(t)
	}
	teams, _, err := t.UI.App.Teams(t.Context(), t.Principal, t.Org.Name, belay.TeamQuery{Page: belay.Page{Number: 1, Size: workspaces.TeamsAtOnce}})
	if err != nil {
		return nil, err
	}
	g := frame.NewGrid("Table of teams", "Team", "+Members")
	for i := range teams {
		if team := &teams[i]; team.Access.MayManage(team.Team, belay.ManageTeams) {
			g.Row(nil, frame.Link(team.Name, t.One(team.ID)), frame.Amount(team.PeopleCount))
		}
	}
	return t.Sheet(&frame.Sheet{Title: "Notifications", Sub: "Who is told, and whether it arrived.", Main: []frame.Card{
		{ID: "teams", Title: "Of teams", Note: "they hear of change requests", Grid: g, Empty: "You manage no team."},
		{ID: "workspaces", Title: "Of workspaces", Text: "They hear of runs, too. Name one of those that you administer.", Form: &frame.FormPart{Do: "find", Submit: "Show", Fields: []frame.FormField{{Kind: "text", Name: "workspace", Label: "Workspace", Hint: "its whole name", Max: 90, Required: true, Code: true}}}},
	}})
}

// ofWhom is the team or the workspace that notifications are of, by name, when it is of here.
func ofWhom(t *frame.OrgVisit, of notices.Notification) (name, path string, err error) {
	if of.TeamID != "" {
		team, err := t.UI.App.Team(t.Context(), t.Principal, of.TeamID)
		return team.Name, frame.OrganizationPath(t.Org.Name, "teams/") + team.ID, access.Ours(t, team.OrganizationID, err)
	}
	w, err := t.UI.App.Workspace(t.Context(), t.Principal, belay.WorkspaceRef{ID: of.WorkspaceID})
	return w.Name, frame.WorkspacePath(t.Org.Name, w.Name), access.Ours(t, w.OrganizationID, err)
}

// notificationsOf is the page of one team's or one workspace's notifications.
func notificationsOf(t *frame.OrgVisit, of notices.Notification) (*frame.View, error) {
	name, path, err := ofWhom(t, of)
	if err != nil {
		return nil, err
	}
	list, err := t.UI.App.Notifications(t.Context(), t.Principal, of)
	if err != nil {
		return nil, err
	}
	g := frame.NewGrid("Table of notifications", "Name", "Where", "-Of", "Last answer", "On")
	for i := range list {
		n := &list[i]
		g.Row(nil, frame.Link(n.Name, t.One(n.ID)), frame.Words(string(n.Destination)), frame.Words(strings.Join(n.Triggers, ", ")), frame.AnswerCell(n.Response), pillOf(n.Enabled))
	}
	triggers := runTriggers
	if of.TeamID != "" {
		triggers = []string{notices.TriggerChangeRequest, "a change request is filed"}
	}
	return t.Sheet(&frame.Sheet{Title: "Notifications of " + name, Acts: []frame.ActLink{{Text: "Show " + name, Icon: "stack", Path: path, Main: false}}, Main: []frame.Card{{
		ID: "list", Title: "Destinations", Note: frame.Many(len(list), "destination", "destinations"), Grid: g, Empty: "Nobody is told yet. Most begin with the team's channel.", Closed: true,
		Form: &frame.FormPart{Do: "new", Submit: "New destination", Fields: []frame.FormField{
			{Kind: "text", Name: "name", Label: "Name", Max: 255, Required: true}, {Kind: "select", Name: "destination", Label: "Kind", Choices: frame.Options("", destinations...)},
			{Kind: "text", Name: "url", Label: "Address", Hint: "of a webhook or channel", Max: 2048, Code: true}, {Kind: "password", Name: "token", Label: "Secret that signs", Hint: "webhooks only", Max: 4096},
			{Kind: "area", Name: "addresses", Label: "E-mail addresses", Hint: "with commas between", Code: true}, {Kind: "checks", Name: "trigger", Label: "Tell when", Choices: frame.Options("", triggers...)},
		}},
	}}})
}

func pillOf(on bool) frame.Cell {
	if on {
		return frame.Pill("on", "ok")
	}
	return frame.Pill("off", "")
}

// theNotification is the notification that the address names.
func theNotification(t *frame.OrgVisit) (notices.Notification, error) {
	n, err := t.UI.App.Notification(t.Context(), t.Principal, t.ID)
	return n, access.Ours(t, n.OrganizationID, err)
}

func notification(t *frame.OrgVisit) (*frame.View, error) {
	n, err := theNotification(t)
	if err != nil {
		return nil, err
	}
	at := t.Page(frame.PageSize)
	list, total, err := t.UI.App.Deliveries(t.Context(), t.Principal, n.ID, notices.DeliveryQuery{Page: at})
	if err != nil {
		return nil, err
	}
	g := frame.NewGrid("Table of deliveries", "About", "State", "Answer", "+-Tries", "When")
	dead := false
	for i := range list {
		d := &list[i]
		dead = dead || d.Status == notices.DeliveryDeadLettered
		p := deliveryPills[d.Status]
		g.Row(nil, frame.Words(d.Trigger), frame.Pill(p[0], p[1]), frame.AnswerCell(d.Response), frame.Amount(d.Attempts), frame.Moment(d.UpdatedAt))
	}
	where := n.URL
	if n.Destination == notices.EmailDestination {
		where = strings.Join(n.EmailAddresses, ", ")
	}
	of := n.TeamID + n.WorkspaceID
	verb := "Turn it on"
	if n.Enabled {
		verb = "Turn it off"
	}
	page := &frame.Sheet{
		Title: n.Name, Acts: []frame.ActLink{{Text: "All of them", Icon: "bell", Path: t.One(of), Main: false}},
		Main: []frame.Card{{ID: "deliveries", Title: "Deliveries", Note: frame.Many(total, "delivery", "deliveries"), Grid: g, Turns: t.Turns(t.Here(), at, total), Empty: "Nothing was sent yet."}},
		Side: []frame.Card{
			{
				ID: "about", Title: "About", Facts: []frame.Setting{{Name: "Kind", Value: string(n.Destination)}, {Name: "Address", Value: where}, {Name: "Tells of", Value: strings.Join(n.Triggers, ", ")}, {Name: "On", Value: frame.YesNo(n.Enabled)}},
				Form: &frame.FormPart{Do: "toggle", Submit: verb},
			},
			{ID: "verify", Title: "Try it", Text: "A message is sent now, and what came of it is kept.", Form: &frame.FormPart{Do: "verify", Submit: "Send a message"}},
			{ID: "delete", Title: "Delete", Form: &frame.FormPart{Do: "delete", Submit: "Delete " + n.Name, Risk: true}},
		},
	}
	if dead {
		page.Main[0].Form = &frame.FormPart{Do: "retry", Submit: "Send again what was given up"}
	}
	return t.Sheet(page)
}

func newNotification(t *frame.OrgVisit) (string, error) {
	of := notices.Notification{TeamID: t.ID}
	if strings.HasPrefix(t.ID, "ws-") {
		of = notices.Notification{WorkspaceID: t.ID}
	}
	if _, _, err := ofWhom(t, of); err != nil {
		return "", err
	}
	p := notices.NotificationPatch{
		Name: patch.Of(t.Given("name")), Destination: patch.Of(notices.Destination(t.PostFormValue("destination"))), Enabled: patch.Of(false), Triggers: patch.Of(t.PostForm["trigger"]),
	}
	if p.Destination.Value == notices.EmailDestination {
		p.EmailAddresses = patch.Of(frame.Commas(strings.ReplaceAll(t.Typed("addresses"), "\n", ",")))
	} else {
		p.URL = patch.Of(t.Given("url"))
	}
	if token := t.Given("token"); token != "" {
		p.Token = patch.Of(token)
	}
	n, err := t.UI.App.CreateNotification(t.Context(), t.Principal, of, p, mayProbe)
	return t.One(n.ID), err
}

// findNotifications leads to the notifications of a workspace.
func findNotifications(t *frame.OrgVisit) (string, error) {
	w, err := t.UI.App.Workspace(t.Context(), t.Principal, belay.WorkspaceRef{Organization: t.Org.Name, Name: t.Given("workspace")})
	if belay.KindOf(err) == belay.NotFound || err == nil && !w.Can.Has(belay.UpdateWorkspace) {
		err = belay.Refuse(belay.Invalid, "You administer no workspace of this name.")
	}
	return t.One(w.ID), err
}

func toggleNotification(t *frame.OrgVisit) (string, error) {
	n, err := theNotification(t)
	if err != nil {
		return "", err
	}
	_, err = t.UI.App.UpdateNotification(t.Context(), t.Principal, n.ID, notices.NotificationPatch{Enabled: patch.Of(!n.Enabled)}, mayProbe)
	return t.Here(), err
}

func verifyNotification(t *frame.OrgVisit) (string, error) {
	_, err := t.UI.App.VerifyNotification(t.Context(), t.Principal, t.ID, false, mayProbe)
	return t.Here(), err
}

func retryDeliveries(t *frame.OrgVisit) (string, error) {
	return t.Here(), t.UI.App.RetryDeliveries(t.Context(), t.Principal, t.ID)
}

func deleteNotification(t *frame.OrgVisit) (string, error) {
	n, err := theNotification(t)
	if err != nil {
		return "", err
	}
	return t.One(n.TeamID + n.WorkspaceID), t.UI.App.DeleteNotification(t.Context(), t.Principal, t.ID)
}

// probes counts the messages that people have sent to try destinations: ten in a minute, from
// all pages of a server together, so that nobody makes it knock elsewhere.
var probes = sync.OnceValue(func() *rate.Limiter { return rate.NewLimiter(10.0/60, 10) })

func mayProbe() error {
	one := probes().Reserve()
	wait := one.Delay()
	if wait == 0 {
		return nil
	}
	one.Cancel()
	return belay.HoldBack(wait, "Too many messages were tried.")
}

var deliveryPills = map[notices.DeliveryStatus][2]string{
	notices.DeliveryPending: {"waits", "wait"}, notices.DeliveryDelivered: {"delivered", "ok"}, notices.DeliveryDeadLettered: {"given up", "bad"},
}
