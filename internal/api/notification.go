package api

import (
	"net/url"
	"strconv"

	"github.com/belayhq/belay"
	"github.com/belayhq/belay/internal/jsonapi"
	"github.com/belayhq/belay/internal/patch"
)

type (
	notificationDoc   = belay.Notification
	notificationPatch = belay.NotificationPatch
)

// notificationAttributes is every attribute of a notification configuration. The token
// is only ever written.
var notificationAttributes = attributes[notificationDoc, notificationPatch]{
	{name: "name", read: func(n *notificationDoc) any { return n.Name }, write: field(func(p *notificationPatch) *patch.Field[string] { return &p.Name })},
	{name: "enabled", read: func(n *notificationDoc) any { return n.Enabled }, write: lenient(func(p *notificationPatch) *patch.Field[bool] { return &p.Enabled })},
	{name: "destination-type", read: func(n *notificationDoc) any { return string(n.Destination) }, write: field(func(p *notificationPatch) *patch.Field[belay.Destination] { return &p.Destination })},
	{name: "url", read: func(n *notificationDoc) any { return orNull(n.URL) }, write: nullable(func(p *notificationPatch) *patch.Field[string] { return &p.URL })},
	{name: "token", read: func(*notificationDoc) any { return nil }, write: nullable(func(p *notificationPatch) *patch.Field[string] { return &p.Token })},
	{name: "triggers", read: func(n *notificationDoc) any { return orEmpty(n.Triggers) }, write: nullable(func(p *notificationPatch) *patch.Field[[]string] { return &p.Triggers })},
	{name: "email-addresses", read: func(n *notificationDoc) any { return orEmpty(n.EmailAddresses) }, write: nullable(func(p *notificationPatch) *patch.Field[[]string] { return &p.EmailAddresses })},
	{name: "email_all_members", read: func(n *notificationDoc) any { return n.EmailAllMembers }, write: lenient(func(p *notificationPatch) *patch.Field[bool] { return &p.EmailAllMembers })},
	{name: "delivery-responses", read: deliveryResponses},
	{name: "created-at", read: func(n *notificationDoc) any { return n.CreatedAt }},
	{name: "updated-at", read: func(n *notificationDoc) any { return n.UpdatedAt }},
}

func deliveryResponses(n *notificationDoc) any {
	if n.Response == nil {
		return []jsonapi.Object{}
	}
	return []jsonapi.Object{deliveryResponse(n.Response)}
}

// deliveryResponse is an answer as clients know it: its code and its success are texts.
func deliveryResponse(r *belay.DeliveryResponse) jsonapi.Object {
	headers := r.Headers
	if headers == nil {
		headers = map[string][]string{}
	}
	return jsonapi.Object{
		{Name: "url", Value: r.URL},
		{Name: "code", Value: r.Code},
		{Name: "body", Value: r.Body},
		{Name: "headers", Value: headers},
		{Name: "sent-at", Value: r.SentAt},
		{Name: "successful", Value: strconv.FormatBool(r.Successful)},
	}
}

func (a *API) notification(n notificationDoc) *jsonapi.Resource {
	self := "/api/v2/notification-configurations/" + n.ID
	typ, id := n.Subscribable()
	return &jsonapi.Resource{
		Type: "notification-configurations", ID: n.ID,
		Attributes: notificationAttributes.object(&n, a.App.Edition()),
		Relationships: []jsonapi.Relation{
			linked("subscribable", typ, id),
			{Name: "users", Data: jsonapi.Many("users", n.UserIDs)},
			{Name: "deliveries", Related: self + "/deliveries"},
		},
		Links: jsonapi.Object{{Name: "self", Value: self}},
	}
}

// subscribable is what the path says that a notification configuration belongs to.
func (r *request) subscribable() belay.Notification {
	return belay.Notification{
		TeamID: r.param("team_id"), ProjectID: r.param("project_id"), WorkspaceID: r.param("workspace_id"),
	}
}

// notificationPatch reads the body of create and update. The relationship to what the
// configuration belongs to is in the path, and ignored in the body.
func (r *request) notificationPatch() (p notificationPatch, err error) {
	in, err := r.resource("notification-configurations", "notification-configuration")
	if err != nil {
		return p, err
	}
	var problems belay.Problems
	if err := problems.Add(notificationAttributes.decode(in, &p, r.api.App.Edition())); err != nil {
		return p, err
	}
	if users, ok := in.Relationships["users"]; ok && users.Set {
		list, err := jsonapi.DecodeList(users.Data, "/data/relationships/users/data")
		if err := problems.Add(shapeRefusal(err)); err != nil {
			return p, err
		}
		p.UserIDs = patch.Of([]string{})
		for _, user := range list {
			if err := problems.Add(checkType(user.Type, "/data/relationships/users/data", "users")); err != nil {
				return p, err
			}
			p.UserIDs.Value = append(p.UserIDs.Value, user.ID)
		}
	}
	return p, problems.Err()
}

// listNotifications answers everything at once, unless a page is asked for.
func (a *API) listNotifications(r *request) (*jsonapi.Document, error) {
	list, err := a.App.Notifications(r.Context(), r.subject, r.subscribable())
	if err != nil {
		return nil, err
	}
	if q := r.URL.Query(); q.Has("page[number]") || q.Has("page[size]") {
		page := r.page()
		from := min(page.Offset(), len(list))
		return r.list(each(list[from:min(from+page.Size, len(list))], a.notification), len(list)), nil
	}
	return &jsonapi.Document{Data: each(list, a.notification)}, nil
}

func (a *API) createNotification(r *request) (*jsonapi.Document, error) {
	p, err := r.notificationPatch()
	if err != nil {
		return nil, err
	}
	n, err := a.App.CreateNotification(r.Context(), r.subject, r.subscribable(), p, r.mayProbe)
	return a.notificationAnswer(n, err)
}

func (a *API) showNotification(r *request) (*jsonapi.Document, error) {
	n, err := a.App.Notification(r.Context(), r.subject, r.param("notification_id"))
	return a.notificationAnswer(n, err)
}

func (a *API) updateNotification(r *request) (*jsonapi.Document, error) {
	p, err := r.notificationPatch()
	if err != nil {
		return nil, err
	}
	n, err := a.App.UpdateNotification(r.Context(), r.subject, r.param("notification_id"), p, r.mayProbe)
	return a.notificationAnswer(n, err)
}

func (a *API) deleteNotification(r *request) (*jsonapi.Document, error) {
	return nil, a.App.DeleteNotification(r.Context(), r.subject, r.param("notification_id"))
}

func (a *API) verifyNotification(r *request) (*jsonapi.Document, error) {
	n, err := a.App.VerifyNotification(r.Context(), r.subject, r.param("notification_id"), false, r.mayProbe)
	return a.notificationAnswer(n, err)
}

func (a *API) enableNotification(r *request) (*jsonapi.Document, error) {
	n, err := a.App.VerifyNotification(r.Context(), r.subject, r.param("notification_id"), true, r.mayProbe)
	return a.notificationAnswer(n, err)
}

// mayProbe counts a verification message that a request makes this server send. There
// may be fewer of them than of requests.
func (r *request) mayProbe() error { return r.api.probes.take(r.subject.ID, r.w.Header()) }

func (a *API) notificationAnswer(n notificationDoc, err error) (*jsonapi.Document, error) {
	if err != nil {
		return nil, err
	}
	return one(a.notification(n)), nil
}

var deliveryAttributes = attributes[belay.Delivery, struct{}]{
	{name: "status", read: func(d *belay.Delivery) any { return string(d.Status) }},
	{name: "trigger", read: func(*belay.Delivery) any { return belay.TriggerChangeRequest }},
	{name: "attempts", read: func(d *belay.Delivery) any { return d.Attempts }},
	{name: "next-attempt-at", read: nextAttempt},
	{name: "last-response", read: lastResponse},
	{name: "created-at", read: func(d *belay.Delivery) any { return d.CreatedAt }},
	{name: "updated-at", read: func(d *belay.Delivery) any { return d.UpdatedAt }},
}

func nextAttempt(d *belay.Delivery) any {
	if d.Status != belay.DeliveryPending {
		return nil
	}
	return d.NextAt
}

func lastResponse(d *belay.Delivery) any {
	if d.Response == nil {
		return nil
	}
	return deliveryResponse(d.Response)
}

func (a *API) delivery(d belay.Delivery) *jsonapi.Resource {
	return &jsonapi.Resource{
		Type: "notification-deliveries", ID: d.ID,
		Attributes: deliveryAttributes.object(&d, a.App.Edition()),
		Relationships: []jsonapi.Relation{
			linked("notification-configuration", "notification-configurations", d.NotificationID),
			linked("workspace", "workspaces", d.WorkspaceID),
			{Name: "change-request", Data: jsonapi.One("workspace_change_requests", d.ChangeRequestID)},
			{Name: "bulk-action", Data: jsonapi.One("bulk_actions", d.ActionID)},
		},
	}
}

// listDeliveries shows what waits, what failed, what was given up, and the last answers.
func (a *API) listDeliveries(r *request) (*jsonapi.Document, error) {
	want, err := deliveryQuery(r.URL.Query())
	if err != nil {
		return nil, err
	}
	want.Page = r.page()
	list, total, err := a.App.Deliveries(r.Context(), r.subject, r.param("notification_id"), want)
	if err != nil {
		return nil, err
	}
	return r.list(each(list, a.delivery), total), nil
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

func (a *API) retryDeliveries(r *request) (*jsonapi.Document, error) {
	return nil, a.App.RetryDeliveries(r.Context(), r.subject, r.param("notification_id"))
}
