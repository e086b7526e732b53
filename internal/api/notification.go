package api

import (
	"net/url"
	"strconv"
	"time"

	"github.com/belayhq/belay"
	"github.com/belayhq/belay/internal/jsonapi"
	"github.com/belayhq/belay/internal/openapi"
	"github.com/belayhq/belay/internal/patch"
)

type (
	notificationDoc   = belay.Notification
	notificationPatch = belay.NotificationPatch
)

// destinations is the ways in which somebody is told.
var destinations = []string{
	string(belay.GenericDestination), string(belay.SlackDestination), string(belay.TeamsDestination), string(belay.EmailDestination),
}

// notificationAttributes is every attribute of a notification configuration. The token
// is only ever written.
var notificationAttributes = attributes[notificationDoc, notificationPatch]{
	{name: "name", show: value(func(n *notificationDoc) string { return n.Name }), write: field(func(p *notificationPatch) *patch.Field[string] { return &p.Name })},
	{name: "enabled", show: value(func(n *notificationDoc) bool { return n.Enabled }), write: lenient(func(p *notificationPatch) *patch.Field[bool] { return &p.Enabled })},
	{name: "destination-type", allowed: destinations, show: value(func(n *notificationDoc) string { return string(n.Destination) }), write: field(func(p *notificationPatch) *patch.Field[belay.Destination] { return &p.Destination })},
	{name: "url", show: maybe(func(n *notificationDoc) string { return n.URL }), write: nullable(func(p *notificationPatch) *patch.Field[string] { return &p.URL })},
	{name: "token", show: none[notificationDoc, string](), write: nullable(func(p *notificationPatch) *patch.Field[string] { return &p.Token })},
	{name: "triggers", show: texts(func(n *notificationDoc) []string { return n.Triggers }), write: nullable(func(p *notificationPatch) *patch.Field[[]string] { return &p.Triggers })},
	{name: "email-addresses", show: texts(func(n *notificationDoc) []string { return n.EmailAddresses }), write: nullable(func(p *notificationPatch) *patch.Field[[]string] { return &p.EmailAddresses })},
	{name: "email_all_members", show: value(func(n *notificationDoc) bool { return n.EmailAllMembers }), write: lenient(func(p *notificationPatch) *patch.Field[bool] { return &p.EmailAllMembers })},
	{name: "delivery-responses", show: listed(deliveryResponse, deliveryResponses)},
	{name: "created-at", show: value(func(n *notificationDoc) time.Time { return n.CreatedAt })},
	{name: "updated-at", show: value(func(n *notificationDoc) time.Time { return n.UpdatedAt })},
}

func deliveryResponses(n *notificationDoc) []belay.DeliveryResponse {
	if n.Response == nil {
		return nil
	}
	return []belay.DeliveryResponse{*n.Response}
}

// deliveryResponse is an answer as clients know it: its code and its success are texts.
var deliveryResponse = attributes[belay.DeliveryResponse, struct{}]{
	{name: "url", show: value(func(r *belay.DeliveryResponse) string { return r.URL })},
	{name: "code", show: value(func(r *belay.DeliveryResponse) string { return r.Code })},
	{name: "body", show: value(func(r *belay.DeliveryResponse) string { return r.Body })},
	{name: "headers", show: value(responseHeaders)},
	{name: "sent-at", show: value(func(r *belay.DeliveryResponse) time.Time { return r.SentAt })},
	{name: "successful", show: value(func(r *belay.DeliveryResponse) string { return strconv.FormatBool(r.Successful) })},
}

func responseHeaders(r *belay.DeliveryResponse) map[string][]string {
	if r.Headers == nil {
		return map[string][]string{}
	}
	return r.Headers
}

var notifications = &noun[notificationDoc, notificationPatch]{
	typ:        "notification-configurations",
	accepts:    []string{"notification-configurations", "notification-configuration"},
	id:         func(n *notificationDoc) string { return n.ID },
	path:       func(n *notificationDoc) string { return "/api/v2/notification-configurations/" + n.ID },
	attributes: notificationAttributes,
	relations: []relation[notificationDoc, notificationPatch]{
		toEither[notificationDoc, notificationPatch]("subscribable", []string{"teams", "projects", "workspaces"}, (*notificationDoc).Subscribable),
		toMany[notificationDoc, notificationPatch]("users", "users", "", func(n *notificationDoc) []string { return n.UserIDs }).
			taking(openapi.List(bodyRef("users")), takeRecipients),
		below[notificationDoc, notificationPatch]("deliveries", "/deliveries"),
	},
}

// subscribable is what the path says that a notification configuration belongs to.
func (r *request) subscribable() belay.Notification {
	return belay.Notification{
		TeamID: r.param("team_id"), ProjectID: r.param("project_id"), WorkspaceID: r.param("workspace_id"),
	}
}

// takeRecipients reads which users get e-mail. What the configuration belongs to is in the
// path, and ignored in the body.
func takeRecipients(_ *request, in *jsonapi.Incoming, p *notificationPatch) error {
	return relatedIDs(in, &p.UserIDs, "users", "users")
}

// listNotifications answers everything at once, unless a page is asked for.
func (a *API) listNotifications() action {
	run := func(r *request) (*jsonapi.Document, error) {
		list, err := a.App.Notifications(r.Context(), r.subject, r.subscribable())
		if err != nil {
			return nil, err
		}
		page, all := r.wholePage()
		if all {
			return whole(each(list, notifications.in(r))), nil
		}
		return r.list(each(belay.PageOf(list, page), notifications.in(r)), len(list)), nil
	}
	return action{run: run, gives: notifications.pageOrAll, query: []string{"page[number]", "page[size]"}}
}

func (a *API) createNotification(r *request, p notificationPatch) (notificationDoc, error) {
	return a.App.CreateNotification(r.Context(), r.subject, r.subscribable(), p, r.mayProbe)
}

func (a *API) showNotification(r *request) (notificationDoc, error) {
	return a.App.Notification(r.Context(), r.subject, r.param("notification_id"))
}

func (a *API) updateNotification(r *request, p notificationPatch) (notificationDoc, error) {
	return a.App.UpdateNotification(r.Context(), r.subject, r.param("notification_id"), p, r.mayProbe)
}

func (a *API) deleteNotification(r *request) error {
	return a.App.DeleteNotification(r.Context(), r.subject, r.param("notification_id"))
}

func (a *API) verifyNotification(r *request) (notificationDoc, error) {
	return a.App.VerifyNotification(r.Context(), r.subject, r.param("notification_id"), false, r.mayProbe)
}

func (a *API) enableNotification(r *request) (notificationDoc, error) {
	return a.App.VerifyNotification(r.Context(), r.subject, r.param("notification_id"), true, r.mayProbe)
}

// mayProbe counts a verification message that a request makes this server send. There
// may be fewer of them than of requests.
func (r *request) mayProbe() error {
	return r.api.probes.take(r.subject.ID, r.w.Header())
}

var deliveryAttributes = attributes[belay.Delivery, struct{}]{
	{name: "status", show: value(func(d *belay.Delivery) string { return string(d.Status) })},
	{name: "trigger", show: value(func(d *belay.Delivery) string { return d.Trigger })},
	{name: "attempts", show: value(func(d *belay.Delivery) int { return d.Attempts })},
	{name: "next-attempt-at", show: maybe(nextAttempt)},
	{name: "last-response", show: within(deliveryResponse, func(d *belay.Delivery) *belay.DeliveryResponse { return d.Response })},
	{name: "created-at", show: value(func(d *belay.Delivery) time.Time { return d.CreatedAt })},
	{name: "updated-at", show: value(func(d *belay.Delivery) time.Time { return d.UpdatedAt })},
}

func nextAttempt(d *belay.Delivery) time.Time {
	if d.Status != belay.DeliveryPending {
		return time.Time{}
	}
	return d.NextAt
}

var deliveries = &noun[belay.Delivery, struct{}]{
	typ:        "notification-deliveries",
	schema:     "NotificationDelivery",
	id:         func(d *belay.Delivery) string { return d.ID },
	attributes: deliveryAttributes,
	relations: []relation[belay.Delivery, struct{}]{
		to[belay.Delivery, struct{}]("notification-configuration", "notification-configurations", func(d *belay.Delivery) string { return d.NotificationID }),
		to[belay.Delivery, struct{}]("workspace", "workspaces", func(d *belay.Delivery) string { return d.WorkspaceID }),
		bare[belay.Delivery, struct{}]("change-request", "workspace_change_requests", func(d *belay.Delivery) string { return d.ChangeRequestID }),
		to[belay.Delivery, struct{}]("run", "runs", func(d *belay.Delivery) string { return d.RunID }),
		bare[belay.Delivery, struct{}]("bulk-action", "bulk_actions", func(d *belay.Delivery) string { return d.ActionID }),
	},
}

// listDeliveries shows what waits, what failed, what was given up, and the last answers.
func (a *API) listDeliveries(r *request) ([]belay.Delivery, int, error) {
	want, err := deliveryQuery(r.query())
	if err != nil {
		return nil, 0, err
	}
	want.Page = r.page()
	return a.App.Deliveries(r.Context(), r.subject, r.param("notification_id"), want)
}

func deliveryQuery(q url.Values) (want belay.DeliveryQuery, err error) {
	for _, status := range commas(q["filter[status]"]...) {
		switch belay.DeliveryStatus(status) {
		case belay.DeliveryPending, belay.DeliveryDelivered, belay.DeliveryParked:
			want.Statuses = append(want.Statuses, belay.DeliveryStatus(status))
		case "failed":
			want.Failed = true
		default:
			return want, belay.Refuse(belay.BadRequest, "filter[status] is pending, failed, delivered or parked, not %q", status)
		}
	}
	return want, nil
}

func (a *API) retryDeliveries(r *request) error {
	return a.App.RetryDeliveries(r.Context(), r.subject, r.param("notification_id"))
}
