package organizations

import (
	"net/http"
	"net/url"
	"strconv"
	"time"

	"github.com/belayhq/belay"
	"github.com/belayhq/belay/internal/api/doc"
	"github.com/belayhq/belay/internal/api/door"
	"github.com/belayhq/belay/internal/api/paths"
	"github.com/belayhq/belay/internal/jsonapi"
	"github.com/belayhq/belay/internal/openapi"
	"github.com/belayhq/belay/internal/patch"
	"github.com/belayhq/belay/notices"
)

type (
	notificationDoc   = notices.Notification
	notificationPatch = notices.NotificationPatch
)

// destinations is the ways in which somebody is told.
var destinations = []string{
	string(notices.GenericDestination), string(notices.SlackDestination), string(notices.TeamsDestination), string(notices.EmailDestination),
}

// NotificationAttributes is every attribute of a notification configuration. The token
// is only ever written.
var NotificationAttributes = doc.Attributes[notificationDoc, notificationPatch]{
	{Name: "name", Show: doc.Value(func(n *notificationDoc) string { return n.Name }), Write: doc.Field(func(p *notificationPatch) *patch.Field[string] { return &p.Name })},
	{Name: "enabled", Show: doc.Value(func(n *notificationDoc) bool { return n.Enabled }), Write: doc.Lenient(func(p *notificationPatch) *patch.Field[bool] { return &p.Enabled })},
	{Name: "destination-type", Allowed: destinations, Show: doc.Value(func(n *notificationDoc) string { return string(n.Destination) }), Write: doc.Field(func(p *notificationPatch) *patch.Field[notices.Destination] { return &p.Destination })},
	{Name: "url", Show: doc.Maybe(func(n *notificationDoc) string { return n.URL }), Write: doc.Nullable(func(p *notificationPatch) *patch.Field[string] { return &p.URL })},
	{Name: "token", Show: doc.None[notificationDoc, string](), Write: doc.Nullable(func(p *notificationPatch) *patch.Field[string] { return &p.Token })},
	{Name: "triggers", Show: doc.Texts(func(n *notificationDoc) []string { return n.Triggers }), Write: doc.Nullable(func(p *notificationPatch) *patch.Field[[]string] { return &p.Triggers })},
	{Name: "email-addresses", Show: doc.Texts(func(n *notificationDoc) []string { return n.EmailAddresses }), Write: doc.Nullable(func(p *notificationPatch) *patch.Field[[]string] { return &p.EmailAddresses })},
	{Name: "email_all_members", Show: doc.Value(func(n *notificationDoc) bool { return n.EmailAllMembers }), Write: doc.Lenient(func(p *notificationPatch) *patch.Field[bool] { return &p.EmailAllMembers })},
	{Name: "delivery-responses", Show: doc.Listed(deliveryResponse, deliveryResponses)},
	{Name: "created-at", Show: doc.Value(func(n *notificationDoc) time.Time { return n.CreatedAt })},
	{Name: "updated-at", Show: doc.Value(func(n *notificationDoc) time.Time { return n.UpdatedAt })},
}

func deliveryResponses(n *notificationDoc) []notices.DeliveryResponse {
	if n.Response == nil {
		return nil
	}
	return []notices.DeliveryResponse{*n.Response}
}

// deliveryResponse is an answer as clients know it: its code and its success are texts.
var deliveryResponse = doc.Attributes[notices.DeliveryResponse, struct{}]{
	{Name: "url", Show: doc.Value(func(r *notices.DeliveryResponse) string { return r.URL })},
	{Name: "code", Show: doc.Value(func(r *notices.DeliveryResponse) string { return r.Code })},
	{Name: "body", Show: doc.Value(func(r *notices.DeliveryResponse) string { return r.Body })},
	{Name: "headers", Show: doc.Value(responseHeaders)},
	{Name: "sent-at", Show: doc.Value(func(r *notices.DeliveryResponse) time.Time { return r.SentAt })},
	{Name: "successful", Show: doc.Value(func(r *notices.DeliveryResponse) string { return strconv.FormatBool(r.Successful) })},
}

func responseHeaders(r *notices.DeliveryResponse) map[string][]string {
	if r.Headers == nil {
		return map[string][]string{}
	}
	return r.Headers
}

var notifications = &doc.Noun[notificationDoc, notificationPatch]{
	Type:       "notification-configurations",
	Accepts:    []string{"notification-configurations", "notification-configuration"},
	ID:         func(n *notificationDoc) string { return n.ID },
	Path:       func(n *notificationDoc) string { return "/api/v2/notification-configurations/" + n.ID },
	Attributes: NotificationAttributes,
	Relations: []doc.Relation[notificationDoc, notificationPatch]{
		doc.ToEither[notificationDoc, notificationPatch]("subscribable", []string{"teams", "projects", "workspaces"}, (*notificationDoc).Subscribable),
		doc.ToMany[notificationDoc, notificationPatch]("users", "users", "", func(n *notificationDoc) []string { return n.UserIDs }).
			Taking(openapi.List(doc.BodyRef("users")), takeRecipients),
		doc.Below[notificationDoc, notificationPatch]("deliveries", "/deliveries"),
	},
}

// subscribable is what the path says that a notification configuration belongs to.
func subscribable(r *door.Request) notices.Notification {
	return notices.Notification{
		TeamID: r.Param("team_id"), ProjectID: r.Param("project_id"), WorkspaceID: r.Param("workspace_id"),
	}
}

// takeRecipients reads which users get e-mail. What the configuration belongs to is in the
// path, and ignored in the body.
func takeRecipients(_ doc.Reading, in *jsonapi.Incoming, p *notificationPatch) error {
	return doc.RelatedIDs(in, &p.UserIDs, "users", "users")
}

var _ = routes.Join(func(a *Verbs) []door.Route {
	return []door.Route{
		{Method: http.MethodGet, Path: paths.Team + "/notification-configurations", Status: http.StatusOK, Do: a.listNotifications(), Needs: belay.ManageTeams, By: door.UsersAndTeams, Does: "List how a team is told"},
		{Method: http.MethodPost, Path: paths.Team + "/notification-configurations", Status: http.StatusCreated, Do: door.Writing(notifications, a.createNotification), Needs: belay.ManageTeams, By: door.UsersAndTeams, Does: "Have a team told"},
		{Method: http.MethodGet, Path: paths.Workspace + "/notification-configurations", Status: http.StatusOK, Do: a.listNotifications(), Needs: belay.UpdateWorkspace, By: door.UsersAndTeams, Does: "List who is told of a workspace"},
		{Method: http.MethodPost, Path: paths.Workspace + "/notification-configurations", Status: http.StatusCreated, Do: door.Writing(notifications, a.createNotification), Needs: belay.UpdateWorkspace, By: door.UsersAndTeams, Does: "Have somebody told of a workspace"},
		{Method: http.MethodGet, Path: paths.Project + "/notification-configurations", Status: http.StatusOK, Do: a.listNotifications(), Needs: belay.UpdateProject, By: door.UsersAndTeams, Does: "List who is told of a project"},
		{Method: http.MethodPost, Path: paths.Project + "/notification-configurations", Status: http.StatusCreated, Do: door.Writing(notifications, a.createNotification), Needs: belay.UpdateProject, By: door.UsersAndTeams, Does: "Have somebody told of a project"},
		{Method: http.MethodGet, Path: paths.Notification, Status: http.StatusOK, Do: door.Showing(notifications, a.showNotification), Needs: belay.UpdateWorkspace, By: door.UsersAndTeams, Does: "See how somebody is told of a workspace"},
		{Method: http.MethodPatch, Path: paths.Notification, Status: http.StatusOK, Do: door.Writing(notifications, a.updateNotification), Needs: belay.UpdateWorkspace, By: door.UsersAndTeams, Does: "Change how"},
		{Method: http.MethodDelete, Path: paths.Notification, Status: http.StatusNoContent, Do: door.Doing(a.deleteNotification), Needs: belay.UpdateWorkspace, By: door.UsersAndTeams, Does: "Have them told no more"},
		{Method: http.MethodPost, Path: paths.Notification + "/actions/verify", Status: http.StatusOK, Do: door.Showing(notifications, a.verifyNotification), Needs: belay.UpdateWorkspace, By: door.UsersAndTeams, Does: "Send a verification message"},
		{Method: http.MethodPost, Path: paths.Notification + "/actions/enable", Status: http.StatusOK, Do: door.Showing(notifications, a.enableNotification), Needs: belay.UpdateWorkspace, By: door.UsersAndTeams, Does: "Send one, and enable it"},
		{Method: http.MethodGet, Path: paths.Notification + "/deliveries", Status: http.StatusOK, Do: door.Listing(deliveries, a.listDeliveries), Filters: door.StatusFilters, Needs: belay.UpdateWorkspace, By: door.UsersAndTeams, Does: "List what was sent, what waits and what failed"},
		{Method: http.MethodPost, Path: paths.Notification + "/deliveries/actions/retry", Status: http.StatusNoContent, Do: door.Doing(a.retryDeliveries), Query: []string{"delivery"}, Needs: belay.UpdateWorkspace, By: door.UsersAndTeams, Does: "Have what was given up sent again, or one delivery"},
	}
})

// listNotifications answers everything at once, unless a page is asked for.
func (a *Verbs) listNotifications() door.Action {
	run := func(r *door.Request) (*jsonapi.Document, error) {
		list, err := a.App.Notifications(r.Context(), r.Principal, subscribable(r))
		if err != nil {
			return nil, err
		}
		page, all := r.WholePage()
		if all {
			return door.Whole(door.Each(list, notifications.In(r.Edition))), nil
		}
		return r.List(door.Each(belay.PageOf(list, page), notifications.In(r.Edition)), len(list)), nil
	}
	return door.Action{Run: run, Gives: notifications.PageOrAll, Query: []string{"page[number]", "page[size]"}}
}

func (a *Verbs) createNotification(r *door.Request, p notificationPatch) (notificationDoc, error) {
	return a.App.CreateNotification(r.Context(), r.Principal, subscribable(r), p)
}

func (a *Verbs) showNotification(r *door.Request) (notificationDoc, error) {
	return a.App.Notification(r.Context(), r.Principal, r.Param("notification_id"))
}

func (a *Verbs) updateNotification(r *door.Request, p notificationPatch) (notificationDoc, error) {
	return a.App.UpdateNotification(r.Context(), r.Principal, r.Param("notification_id"), p)
}

func (a *Verbs) deleteNotification(r *door.Request) error {
	return a.App.DeleteNotification(r.Context(), r.Principal, r.Param("notification_id"))
}

func (a *Verbs) verifyNotification(r *door.Request) (notificationDoc, error) {
	return a.App.VerifyNotification(r.Context(), r.Principal, r.Param("notification_id"), false)
}

func (a *Verbs) enableNotification(r *door.Request) (notificationDoc, error) {
	return a.App.VerifyNotification(r.Context(), r.Principal, r.Param("notification_id"), true)
}

var deliveryAttributes = doc.Attributes[notices.Delivery, struct{}]{
	{Name: "status", Show: doc.Value(func(d *notices.Delivery) string { return string(d.Status) })},
	{Name: "trigger", Show: doc.Value(func(d *notices.Delivery) string { return d.Trigger })},
	{Name: "attempts", Show: doc.Value(func(d *notices.Delivery) int { return d.Attempts })},
	{Name: "next-attempt-at", Show: doc.Maybe(nextAttempt)},
	{Name: "last-response", Show: doc.Within(deliveryResponse, func(d *notices.Delivery) *notices.DeliveryResponse { return d.Response })},
	{Name: "created-at", Show: doc.Value(func(d *notices.Delivery) time.Time { return d.CreatedAt })},
	{Name: "updated-at", Show: doc.Value(func(d *notices.Delivery) time.Time { return d.UpdatedAt })},
}

func nextAttempt(d *notices.Delivery) time.Time {
	if d.Status != notices.DeliveryPending {
		return time.Time{}
	}
	return d.NextAt
}

func whoseDelivery(d *notices.Delivery) string { return d.Organization }

var deliveries = &doc.Noun[notices.Delivery, struct{}]{
	Type:       "notification-deliveries",
	Schema:     "NotificationDelivery",
	ID:         func(d *notices.Delivery) string { return d.ID },
	Attributes: deliveryAttributes,
	Relations: []doc.Relation[notices.Delivery, struct{}]{
		doc.To[notices.Delivery, struct{}]("notification-configuration", "notification-configurations", func(d *notices.Delivery) string { return d.NotificationID }),
		doc.To[notices.Delivery, struct{}]("workspace", "workspaces", func(d *notices.Delivery) string { return d.WorkspaceID }),
		doc.Bare[notices.Delivery, struct{}]("change-request", "workspace_change_requests", func(d *notices.Delivery) string { return d.ChangeRequestID }),
		doc.To[notices.Delivery, struct{}]("run", "runs", func(d *notices.Delivery) string { return d.RunID }),
		doc.Bare[notices.Delivery, struct{}]("bulk-action", "bulk_actions", func(d *notices.Delivery) string { return d.ActionID }),
		paths.OfOrganization[notices.Delivery, struct{}](whoseDelivery).Unless(func(d *notices.Delivery) bool { return whoseDelivery(d) == "" }),
	},
}

// listDeliveries shows what waits, what failed, what was given up, and the last answers.
func (a *Verbs) listDeliveries(r *door.Request) ([]notices.Delivery, int, error) {
	want, err := deliveryQuery(r.Query())
	if err != nil {
		return nil, 0, err
	}
	want.Page = r.Page()
	return a.App.Deliveries(r.Context(), r.Principal, r.Param("notification_id"), want)
}

func deliveryQuery(q url.Values) (want notices.DeliveryQuery, err error) {
	statuses, others := deliveryStatuses(q)
	want.Statuses = statuses
	for _, other := range others {
		if other != "failed" {
			return want, belay.Refuse(belay.BadRequest, "filter[status] is pending, failed, delivered or parked, not %q", other)
		}
		want.Failed = true
	}
	return want, nil
}

// deliveryStatuses is the statuses of deliveries that a filter names, and the words that are none.
func deliveryStatuses(q url.Values) (statuses []notices.DeliveryStatus, others []string) {
	for _, word := range door.Commas(q["filter[status]"]...) {
		switch status := notices.DeliveryStatus(word); status {
		case notices.DeliveryPending, notices.DeliveryDelivered, notices.DeliveryDeadLettered:
			statuses = append(statuses, status)
		default:
			others = append(others, word)
		}
	}
	return statuses, others
}

func (a *Verbs) retryDeliveries(r *door.Request) error {
	if one := r.Query().Get("delivery"); one != "" {
		return a.App.RetryDelivery(r.Context(), r.Principal, r.Param("notification_id"), one)
	}
	return a.App.RetryDeliveries(r.Context(), r.Principal, r.Param("notification_id"))
}
