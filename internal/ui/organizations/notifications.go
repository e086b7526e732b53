package organizations

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"github.com/belayhq/belay"
	"github.com/belayhq/belay/internal/patch"
	"github.com/belayhq/belay/internal/ui/access"
	"github.com/belayhq/belay/internal/ui/frame"
	"github.com/belayhq/belay/internal/ui/workspaces"
	"github.com/belayhq/belay/notices"
)

// NotificationActs is what the forms of notifications do.
var NotificationActs = map[string]frame.Act{
	"new": newNotification, "test": testNotification, "toggle": toggleNotification, "verify": verifyNotification, "retry": retryDeliveries,
	"resend": resendDelivery, "delete": deleteNotification, "find": findNotifications,
}

// FreshNotification is the last part of the address at which somebody is chosen to tell.
const FreshNotification = "new"

// Notifications is the page of who is told of what, and whether it arrived: of the destination that the address names,
// or of the one that most wants to be looked at.
func Notifications(t *frame.OrgVisit) (*frame.View, error) {
	switch {
	case strings.HasPrefix(t.ID, "team-"):
		return notificationsOf(t, notices.Notification{TeamID: t.ID})
	case strings.HasPrefix(t.ID, "ws-"):
		return notificationsOf(t, notices.Notification{WorkspaceID: t.ID})
	case strings.HasPrefix(t.ID, "prj-"):
		return notificationsOf(t, notices.Notification{ProjectID: t.ID})
	case t.ID == FreshNotification:
		return whomToTell(t)
	}
	board, show, err := boardAsked(t)
	if err != nil {
		return nil, err
	}
	page := destinationList(t, &board)
	if board.Chosen == nil {
		page.Main = []frame.Card{{
			ID: "none", Title: "Destinations", Empty: "Nobody is told yet. Most begin with: runs that need somebody, to the team's channel.",
			Turns: t.Turns(t.Path, t.Page(frame.PageSize), board.Total),
		}}
		return t.Sheet(page)
	}
	sent, err := sentCard(t, board.Chosen.ID)
	if err != nil {
		return nil, err
	}
	notification(t, page, &board, show, sent)
	view, err := t.Sheet(page)
	if err == nil {
		view.Live = frame.Watching("notification", board.Chosen.ID, board.Revision())
	}
	return view, err
}

// WatchedNotification looks at what was sent to a destination.
func WatchedNotification(v *frame.Visit, id string) frame.Look {
	return func(ctx context.Context, s belay.Principal) (string, bool, error) {
		revision, err := v.UI.App.SentRevision(ctx, s, id)
		return revision, false, err
	}
}

// destinationList begins the page with the destinations that the visitor manages, and how many deliveries of each were
// given up lately.
func destinationList(t *frame.OrgVisit, board *notices.Board) *frame.Sheet {
	page := &frame.Sheet{Title: "Notifications", Sub: frame.Many(board.Total, "destination", "destinations"), Acts: []frame.ActLink{{Text: "New notification", Icon: "plus", Path: t.One(FreshNotification), Main: true}}}
	if len(board.Failed) > 0 {
		page.Sub += ", " + frame.Count(len(board.Failed)) + " with trouble"
	}
	left := frame.Card{ID: "destinations", Title: "Destinations"}
	if t.ID == "" {
		left.Turns = t.Turns(t.Path, t.Page(frame.PageSize), board.Total)
	} else if board.Total > len(board.List) {
		left.Note = "the first " + frame.Count(len(board.List))
	}
	for i := range board.List {
		link := destinationLink(t, &board.List[i], board.Failed)
		link.Here = board.List[i].ID == board.Chosen.ID
		left.Links = append(left.Links, link)
	}
	if len(board.List) > 0 {
		page.Left = []frame.Card{left}
	}
	return page
}

// destinationLink is a destination to choose, and what it is told of.
func destinationLink(t *frame.OrgVisit, n *notices.ManagedNotification, failed map[string]int) frame.CardLink {
	link := frame.CardLink{Name: n.Name, Sub: n.Of + ", " + frame.Many(len(n.Triggers), "event", "events"), Path: t.One(n.ID), Icon: "bell", Class: "ok"}
	switch {
	case failed[n.ID] > 0:
		link.Icon, link.Class = "alert", "bad"
	case !n.Enabled:
		link.Class, link.Sub = "", n.Of+", off"
	case n.Destination == notices.EmailDestination || n.Destination == notices.GenericDestination:
	default:
		link.Icon = "chat"
	}
	return link
}

// whomToTell is the page on which a team, a project or a workspace is chosen that is to be told.
func whomToTell(t *frame.OrgVisit) (*frame.View, error) {
	at := belay.Page{Number: 1, Size: workspaces.TeamsAtOnce}
	teams, _, err := t.UI.App.Teams(t.Context(), t.Principal, t.Org.Name, belay.TeamQuery{Page: at})
	if err != nil {
		return nil, err
	}
	g := frame.NewGrid("Table of teams", "Team", "+Members")
	for i := range teams {
		if team := &teams[i]; team.Access.MayManage(team.Team, belay.ManageTeams) {
			g.Row(nil, frame.Link(team.Name, t.One(team.ID)), frame.Amount(team.PeopleCount))
		}
	}
	projects, _, err := t.UI.App.Projects(t.Context(), t.Principal, t.Org.Name, belay.ProjectQuery{Page: at})
	if err != nil {
		return nil, err
	}
	p := frame.NewGrid("Table of projects", "Project", "+Workspaces")
	for i := range projects {
		if each := &projects[i]; each.Can.Has(belay.UpdateProject) {
			p.Row(nil, frame.Link(each.Name, t.One(each.ID)), frame.Amount(each.WorkspaceCount))
		}
	}
	return t.Sheet(&frame.Sheet{Title: "New notification", Sub: "Choose whose news it is that somebody is told.", Even: true, Main: []frame.Card{
		{ID: "workspaces", Title: "Of a workspace", Text: "Its runs, and its change requests. Name one of those that you administer.", Form: &frame.FormPart{Do: "find", Submit: "Show", Fields: []frame.FormField{{Kind: "text", Name: "workspace", Label: "Workspace", Hint: "its whole name", Max: 90, Required: true, Code: true}}}},
		{ID: "projects", Title: "Of a project", Note: "the runs of all its workspaces", Grid: p, Empty: "You administer no project."},
	}, Side: []frame.Card{{ID: "teams", Title: "Of a team", Note: "the change requests on its workspaces", Grid: g, Empty: "You manage no team."}}})
}

// ofWhom is the team or the workspace that notifications are of, by name, when it is of here.
func ofWhom(t *frame.OrgVisit, of notices.Notification) (name, path string, err error) {
	if of.TeamID != "" {
		team, err := t.UI.App.Team(t.Context(), t.Principal, of.TeamID)
		return team.Name, frame.OrganizationPath(t.Org.Name, "teams/") + team.ID, access.Ours(t, team.OrganizationID, err)
	}
	if of.ProjectID != "" {
		p, err := t.UI.App.Project(t.Context(), t.Principal, of.ProjectID)
		return p.Name, frame.OrganizationPath(t.Org.Name, "projects/") + p.ID, access.Ours(t, p.OrganizationID, err)
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
		g.Row(nil, frame.Link(n.Name, t.One(n.ID)), frame.Words(frame.DestinationWord(n.Destination)), frame.Words(frame.TriggersText(n.Triggers)), frame.AnswerCell(n.Response), pillOf(n.Enabled))
	}
	return t.Sheet(&frame.Sheet{Title: "Notifications of " + name, Acts: []frame.ActLink{{Text: "Show " + name, Icon: "stack", Path: path, Main: false}}, Main: []frame.Card{{
		ID: "list", Title: "Destinations", Note: frame.Many(len(list), "destination", "destinations"), Grid: g, Empty: "Nobody is told yet. Most begin with the team's channel.", Closed: true,
		Form: &frame.FormPart{Do: "new", Submit: "New destination", TryDo: "test", Try: "Test", Note: "“Test” sends a message to the destination as it stands here, and keeps nothing.", Fields: []frame.FormField{
			{Kind: "text", Name: "name", Label: "Name", Max: 255, Required: true}, {Kind: "select", Name: "destination", Label: "Kind", Choices: frame.Options("", frame.Destinations...)},
			{Kind: "text", Name: "url", Label: "Address", Hint: "of a webhook or channel", Max: 2048, Code: true}, {Kind: "password", Name: "token", Label: "Secret that signs", Hint: "webhooks only", Max: 4096},
			{Kind: "area", Name: "addresses", Label: "E-mail addresses", Hint: "with commas between", Code: true},
			{Kind: "check", Name: "everybody", Label: "Mail all members " + ofTeams(&of), Hint: "by e-mail alone"}, {Kind: "checks", Name: "trigger", Label: "Tell when", Choices: triggerChoices(&of)},
			{Kind: "check", Name: "on", Label: "On", Hint: "a webhook or channel must take a message first; what is off tells nobody", On: true},
		}},
	}}})
}

// ofTeams is whose members mail goes to that names nobody.
func ofTeams(of *notices.Notification) string {
	if of.TeamID != "" {
		return "of the team"
	}
	return "of the teams that have access there"
}

// triggerChoices are what a team, or a project or workspace, may be told of.
func triggerChoices(of *notices.Notification) (list []frame.Choice) {
	for _, trigger := range notices.Triggers() {
		if trigger != notices.TriggerReminder && (of.TeamID == "" || trigger == notices.TriggerChangeRequest) {
			list = append(list, frame.Choice{Value: trigger, Text: frame.TriggerWord(trigger)})
		}
	}
	return list
}

func pillOf(on bool) frame.Cell {
	if on {
		return frame.Pill("on", "ok")
	}
	return frame.Pill("off", "")
}

// notificationAt is a notification of the organization.
func notificationAt(t *frame.OrgVisit, id string) (notices.Notification, error) {
	n, err := t.UI.App.Notification(t.Context(), t.Principal, id)
	return n, access.Ours(t, n.OrganizationID, err)
}

// notification adds one destination to the page: what was sent there, and what it is.
func notification(t *frame.OrgVisit, page *frame.Sheet, board *notices.Board, show string, sent *frame.Card) {
	n := board.Chosen
	if t.ID != "" {
		page.Title = n.Name
	}
	if sent != nil {
		page.Main = append(page.Main, *sent)
	}
	page.Main = append(page.Main, deliveriesCard(t, board, show))
	if board.Parked > 0 {
		page.Alerts = []frame.Alert{{Class: "bad", Icon: "alert", Text: frame.Many(board.Parked, "delivery", "deliveries") + " to “" + n.Name + "” " + map[bool]string{true: "was", false: "were"}[board.Parked == 1] + " given up.", Form: &frame.RowForm{Do: "retry", Text: "Send again", Icon: "swap", Hidden: ofNotification(&n.Notification)}}}
	}
	where := n.URL
	if n.Destination == notices.EmailDestination {
		list := n.EmailAddresses
		if n.MailsTeams() {
			list = append(slices.Clone(list), "all members "+ofTeams(&n.Notification))
		}
		where = strings.Join(list, ", ")
	}
	verb := "Turn it on"
	if n.Enabled {
		verb = "Turn it off"
	}
	hidden := ofNotification(&n.Notification)
	page.Main = append(page.Main,
		frame.Card{
			ID: "about", Title: "About " + n.Name,
			Facts: []frame.Setting{{Name: "Of", Value: n.Of, Path: pathOf(t, n)}, {Name: "Kind", Value: frame.DestinationWord(n.Destination)}, {Name: "Address", Value: where}, {Name: "Tells when", Value: frame.TriggersText(n.Triggers)}, {Name: "On", Value: frame.YesNo(n.Enabled)}},
			Form:  &frame.FormPart{Do: "toggle", Submit: verb, Hidden: hidden},
		},
		frame.Card{ID: "verify", Title: "Try it", Text: "A message is sent now, and what came of it is kept.", Form: &frame.FormPart{Do: "verify", Submit: "Send a message", Hidden: hidden}},
		frame.Card{ID: "delete", Title: "Delete", Form: &frame.FormPart{Do: "delete", Submit: "Delete " + n.Name, Risk: true, Hidden: hidden}},
	)
}

// pathOf is the page of the team, project or workspace whose notification it is.
func pathOf(t *frame.OrgVisit, n *notices.ManagedNotification) string {
	switch {
	case n.TeamID != "":
		return frame.OrganizationPath(t.Org.Name, "teams/") + n.TeamID
	case n.ProjectID != "":
		return frame.OrganizationPath(t.Org.Name, "projects/") + n.ProjectID
	default:
		return frame.WorkspacePath(t.Org.Name, n.Of)
	}
}

// ofNotification is what a form says that is about a notification: the page may be that of all of them.
func ofNotification(n *notices.Notification) []frame.Setting {
	return []frame.Setting{{Name: "notification", Value: n.ID}}
}

func newNotification(t *frame.OrgVisit) (string, error) {
	of, p, err := typedNotification(t)
	if err != nil {
		return "", err
	}
	if p.Destination.Value == notices.EmailDestination && len(p.EmailAddresses.Value) == 0 && !p.EmailAllMembers.Value {
		return "", belay.Refuse(belay.Invalid, "Write an e-mail address, or tick that all members %s are mailed.", ofTeams(&of))
	}
	n, err := t.UI.App.CreateNotification(t.Context(), t.Principal, of, p)
	return t.One(n.ID), err
}

// testNotification sends a message to the destination as it was typed, which is not kept.
func testNotification(t *frame.OrgVisit) (string, error) {
	of, p, err := typedNotification(t)
	if err != nil {
		return "", err
	}
	answer, err := t.UI.App.TryNotification(t.Context(), t.Principal, of, p)
	if err != nil {
		return "", err
	}
	text := "The message was taken."
	if answer.Code != "" {
		text = "The destination answered " + answer.Code + "."
	}
	if p.Token.Set {
		text += " Type the secret once more before you save: it is never shown again."
	}
	return t.Tried(text)
}

// typedNotification is the destination that was typed into the form of a new one, and whose it is.
func typedNotification(t *frame.OrgVisit) (notices.Notification, notices.NotificationPatch, error) {
	of := notices.Notification{TeamID: t.ID}
	switch {
	case strings.HasPrefix(t.ID, "ws-"):
		of = notices.Notification{WorkspaceID: t.ID}
	case strings.HasPrefix(t.ID, "prj-"):
		of = notices.Notification{ProjectID: t.ID}
	}
	if _, _, err := ofWhom(t, of); err != nil {
		return of, notices.NotificationPatch{}, err
	}
	p := notices.NotificationPatch{
		Name: patch.Of(t.Given("name")), Destination: patch.Of(notices.Destination(t.PostFormValue("destination"))), Enabled: t.Ticked("on"), Triggers: patch.Of(t.PostForm["trigger"]),
	}
	if p.Destination.Value == notices.EmailDestination {
		p.EmailAddresses = patch.Of(frame.Commas(strings.ReplaceAll(t.Typed("addresses"), "\n", ",")))
		p.EmailAllMembers = t.Ticked("everybody")
	} else {
		p.URL = patch.Of(t.Given("url"))
	}
	if token := t.Given("token"); token != "" {
		p.Token = patch.Of(token)
	}
	return of, p, nil
}

// findNotifications leads to the notifications of a workspace.
func findNotifications(t *frame.OrgVisit) (string, error) {
	w, err := t.UI.App.Workspace(t.Context(), t.Principal, belay.WorkspaceRef{Organization: t.Org.Name, Name: t.Given("workspace")})
	if belay.KindOf(err) == belay.NotFound || err == nil && !w.Can.Has(belay.UpdateWorkspace) {
		err = belay.Refuse(belay.Invalid, "You administer no workspace of this name.")
	}
	return t.One(w.ID), err
}

// sent is the notification that a form is about.
func sent(t *frame.OrgVisit) (notices.Notification, error) {
	return notificationAt(t, cmp.Or(t.PostFormValue("notification"), t.ID))
}

func toggleNotification(t *frame.OrgVisit) (string, error) {
	n, err := sent(t)
	if err != nil {
		return "", err
	}
	_, err = t.UI.App.UpdateNotification(t.Context(), t.Principal, n.ID, notices.NotificationPatch{Enabled: patch.Of(!n.Enabled)})
	return t.One(n.ID), err
}

func verifyNotification(t *frame.OrgVisit) (string, error) {
	n, err := sent(t)
	if err != nil {
		return "", err
	}
	_, err = t.UI.App.VerifyNotification(t.Context(), t.Principal, n.ID, false)
	return t.One(n.ID), err
}

func retryDeliveries(t *frame.OrgVisit) (string, error) {
	n, err := sent(t)
	if err != nil {
		return "", err
	}
	return t.One(n.ID), t.UI.App.RetryDeliveries(t.Context(), t.Principal, n.ID)
}

// resendDelivery has one delivery sent now.
func resendDelivery(t *frame.OrgVisit) (string, error) {
	n, err := sent(t)
	if err != nil {
		return "", err
	}
	return t.One(n.ID), t.UI.App.RetryDelivery(t.Context(), t.Principal, n.ID, t.PostFormValue("delivery"))
}

func deleteNotification(t *frame.OrgVisit) (string, error) {
	n, err := sent(t)
	if err != nil {
		return "", err
	}
	return t.Path, t.UI.App.DeleteNotification(t.Context(), t.Principal, n.ID)
}
