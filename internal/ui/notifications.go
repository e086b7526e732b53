package ui

import (
	"strings"
	"sync"

	"golang.org/x/time/rate"

	"github.com/belayhq/belay"
	"github.com/belayhq/belay/internal/patch"
)

var notificationActs = map[string]act{
	"new": (*orgVisit).newNotification, "toggle": (*orgVisit).toggleNotification, "verify": (*orgVisit).verifyNotification, "retry": (*orgVisit).retryDeliveries,
	"delete": (*orgVisit).deleteNotification, "find": (*orgVisit).findNotifications,
}

var (
	destinations = []string{"generic", "Webhook", "slack", "Slack", "microsoft-teams", "Microsoft Teams", "email", "E-mail"}
	runTriggers  = []string{
		"run:created", "a run is queued", "run:planning", "a plan begins", "run:needs_attention", "a run needs somebody", "run:applying", "an apply begins",
		"run:completed", "a run is done", "run:errored", "a run fails", belay.TriggerChangeRequest, "a change request is filed",
	}
)

// notifications is the page of who is told of what: of a team, of a workspace, or one of them.
func (t *orgVisit) notifications() (*view, error) {
	switch {
	case strings.HasPrefix(t.id, "team-"):
		return t.notificationsOf(belay.Notification{TeamID: t.id})
	case strings.HasPrefix(t.id, "ws-"):
		return t.notificationsOf(belay.Notification{WorkspaceID: t.id})
	case t.id != "":
		return t.notification()
	}
	teams, _, err := t.ui.App.Teams(t.Context(), t.s, t.o.Name, belay.TeamQuery{Page: belay.Page{Number: 1, Size: teamsAtOnce}})
	if err != nil {
		return nil, err
	}
	g := newGrid("Table of teams", "Team", "+Members")
	for i := range teams {
		if team := &teams[i]; team.Access.MayManage(team.Team, belay.ManageTeams) {
			g.row(nil, link(team.Name, t.one(team.ID)), amount(team.PeopleCount))
		}
	}
	return t.sheet(&sheet{Title: "Notifications", Sub: "Who is told, and whether it arrived.", Main: []card{
		{ID: "teams", Title: "Of teams", Note: "they hear of change requests", Grid: g, Empty: "You manage no team."},
		{ID: "workspaces", Title: "Of workspaces", Text: "They hear of runs, too. Name one of those that you administer.", Form: &formPart{Do: "find", Submit: "Show", Fields: []formField{{Kind: "text", Name: "workspace", Label: "Workspace", Hint: "its whole name", Max: 90, Required: true, Code: true}}}},
	}})
}

// ofWhom is the team or the workspace that notifications are of, by name, when it is of here.
func (t *orgVisit) ofWhom(of belay.Notification) (name, path string, err error) {
	if of.TeamID != "" {
		team, err := t.ui.App.Team(t.Context(), t.s, of.TeamID)
		return team.Name, organizationPath(t.o.Name, "teams/") + team.ID, t.ours(team.OrganizationID, err)
	}
	w, err := t.ui.App.Workspace(t.Context(), t.s, belay.WorkspaceRef{ID: of.WorkspaceID})
	return w.Name, workspacePath(t.o.Name, w.Name), t.ours(w.OrganizationID, err)
}

// notificationsOf is the page of one team's or one workspace's notifications.
func (t *orgVisit) notificationsOf(of belay.Notification) (*view, error) {
	name, path, err := t.ofWhom(of)
	if err != nil {
		return nil, err
	}
	list, err := t.ui.App.Notifications(t.Context(), t.s, of)
	if err != nil {
		return nil, err
	}
	g := newGrid("Table of notifications", "Name", "Where", "-Of", "Last answer", "On")
	for i := range list {
		n := &list[i]
		g.row(nil, link(n.Name, t.one(n.ID)), words(string(n.Destination)), words(strings.Join(n.Triggers, ", ")), answerCell(n.Response), pillOf(n.Enabled))
	}
	triggers := runTriggers
	if of.TeamID != "" {
		triggers = []string{belay.TriggerChangeRequest, "a change request is filed"}
	}
	return t.sheet(&sheet{Title: "Notifications of " + name, Acts: []actLink{{"Show " + name, "stack", path, false}}, Main: []card{{
		ID: "list", Title: "Destinations", Note: many(len(list), "destination", "destinations"), Grid: g, Empty: "Nobody is told yet. Most begin with the team's channel.", Closed: true,
		Form: &formPart{Do: "new", Submit: "New destination", Fields: []formField{
			{Kind: "text", Name: "name", Label: "Name", Max: 255, Required: true}, {Kind: "select", Name: "destination", Label: "Kind", Choices: options("", destinations...)},
			{Kind: "text", Name: "url", Label: "Address", Hint: "of a webhook or channel", Max: 2048, Code: true}, {Kind: "password", Name: "token", Label: "Secret that signs", Hint: "webhooks only", Max: 4096},
			{Kind: "area", Name: "addresses", Label: "E-mail addresses", Hint: "with commas between", Code: true}, {Kind: "checks", Name: "trigger", Label: "Tell when", Choices: options("", triggers...)},
		}},
	}}})
}

func pillOf(on bool) cell {
	if on {
		return pill("on", "ok")
	}
	return pill("off", "")
}

// theNotification is the notification that the address names.
func (t *orgVisit) theNotification() (belay.Notification, error) {
	n, err := t.ui.App.Notification(t.Context(), t.s, t.id)
	return n, t.ours(n.OrganizationID, err)
}

func (t *orgVisit) notification() (*view, error) {
	n, err := t.theNotification()
	if err != nil {
		return nil, err
	}
	at := t.page(pageSize)
	list, total, err := t.ui.App.Deliveries(t.Context(), t.s, n.ID, belay.DeliveryQuery{Page: at})
	if err != nil {
		return nil, err
	}
	g := newGrid("Table of deliveries", "About", "State", "Answer", "+-Tries", "When")
	parked := false
	for i := range list {
		d := &list[i]
		parked = parked || d.Status == belay.DeliveryParked
		p := deliveryPills[d.Status]
		g.row(nil, words(d.Trigger), pill(p[0], p[1]), answerCell(d.Response), amount(d.Attempts), moment(d.UpdatedAt))
	}
	where := n.URL
	if n.Destination == belay.EmailDestination {
		where = strings.Join(n.EmailAddresses, ", ")
	}
	of := n.TeamID + n.WorkspaceID
	verb := "Turn it on"
	if n.Enabled {
		verb = "Turn it off"
	}
	page := &sheet{
		Title: n.Name, Acts: []actLink{{"All of them", "bell", t.one(of), false}},
		Main: []card{{ID: "deliveries", Title: "Deliveries", Note: many(total, "delivery", "deliveries"), Grid: g, Turns: t.turns(t.here(), at, total), Empty: "Nothing was sent yet."}},
		Side: []card{
			{
				ID: "about", Title: "About", Facts: []setting{{"Kind", string(n.Destination)}, {"Address", where}, {"Tells of", strings.Join(n.Triggers, ", ")}, {"On", yesNo(n.Enabled)}},
				Form: &formPart{Do: "toggle", Submit: verb},
			},
			{ID: "verify", Title: "Try it", Text: "A message is sent now, and what came of it is kept.", Form: &formPart{Do: "verify", Submit: "Send a message"}},
			{ID: "delete", Title: "Delete", Form: &formPart{Do: "delete", Submit: "Delete " + n.Name, Risk: true}},
		},
	}
	if parked {
		page.Main[0].Form = &formPart{Do: "retry", Submit: "Send again what was given up"}
	}
	return t.sheet(page)
}

func (t *orgVisit) newNotification() (string, error) {
	of := belay.Notification{TeamID: t.id}
	if strings.HasPrefix(t.id, "ws-") {
		of = belay.Notification{WorkspaceID: t.id}
	}
	if _, _, err := t.ofWhom(of); err != nil {
		return "", err
	}
	p := belay.NotificationPatch{
		Name: patch.Of(t.given("name")), Destination: patch.Of(belay.Destination(t.PostFormValue("destination"))), Enabled: patch.Of(false), Triggers: patch.Of(t.PostForm["trigger"]),
	}
	if p.Destination.Value == belay.EmailDestination {
		p.EmailAddresses = patch.Of(commas(strings.ReplaceAll(t.typed("addresses"), "\n", ",")))
	} else {
		p.URL = patch.Of(t.given("url"))
	}
	if token := t.given("token"); token != "" {
		p.Token = patch.Of(token)
	}
	n, err := t.ui.App.CreateNotification(t.Context(), t.s, of, p, t.mayProbe)
	return t.one(n.ID), err
}

// findNotifications leads to the notifications of a workspace.
func (t *orgVisit) findNotifications() (string, error) {
	w, err := t.ui.App.Workspace(t.Context(), t.s, belay.WorkspaceRef{Organization: t.o.Name, Name: t.given("workspace")})
	if belay.KindOf(err) == belay.NotFound || err == nil && !w.Can.Has(belay.UpdateWorkspace) {
		err = belay.Refuse(belay.Invalid, "You administer no workspace of this name.")
	}
	return t.one(w.ID), err
}

func (t *orgVisit) toggleNotification() (string, error) {
	n, err := t.theNotification()
	if err != nil {
		return "", err
	}
	_, err = t.ui.App.UpdateNotification(t.Context(), t.s, n.ID, belay.NotificationPatch{Enabled: patch.Of(!n.Enabled)}, t.mayProbe)
	return t.here(), err
}

func (t *orgVisit) verifyNotification() (string, error) {
	_, err := t.ui.App.VerifyNotification(t.Context(), t.s, t.id, false, t.mayProbe)
	return t.here(), err
}

func (t *orgVisit) retryDeliveries() (string, error) {
	return t.here(), t.ui.App.RetryDeliveries(t.Context(), t.s, t.id)
}

func (t *orgVisit) deleteNotification() (string, error) {
	n, err := t.theNotification()
	if err != nil {
		return "", err
	}
	return t.one(n.TeamID + n.WorkspaceID), t.ui.App.DeleteNotification(t.Context(), t.s, t.id)
}

// probes counts the messages that people have sent to try destinations: ten in a minute, from
// all pages of a server together, so that nobody makes it knock elsewhere.
var probes = sync.OnceValue(func() *rate.Limiter { return rate.NewLimiter(10.0/60, 10) })

func (t *orgVisit) mayProbe() error {
	if !probes().Allow() {
		return belay.Refuse(belay.TooMany, "Too many messages were tried. Wait a minute.")
	}
	return nil
}

var deliveryPills = map[belay.DeliveryStatus][2]string{
	belay.DeliveryPending: {"waits", "wait"}, belay.DeliveryDelivered: {"delivered", "ok"}, belay.DeliveryParked: {"given up", "bad"},
}
