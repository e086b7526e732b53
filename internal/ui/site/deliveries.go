package site

import (
	"fmt"
	"net/url"

	"github.com/belayhq/belay/internal/ui/frame"
	"github.com/belayhq/belay/notices"
)

// countedDeliveries is up to how many deliveries of a state are counted.
const countedDeliveries = 1000

// deliveryViews are the parts of all deliveries that there are to look at: what was given up first.
var deliveryViews = []struct {
	value, name string
	status      notices.DeliveryStatus
	empty       string
}{
	{"", "Given up", notices.DeliveryDeadLettered, fmt.Sprintf("Nothing was given up. A delivery is, when its destination did not take it %d times.", notices.MaxDeliveryAttempts)},
	{"waiting", "Waiting", notices.DeliveryPending, "Nothing waits to be sent."},
	{"answered", "Answered", notices.DeliveryDelivered, "Nothing was delivered lately."},
	{"all", "All", "", "Nothing was sent lately."},
}

// deliveries is what was sent in all organizations, and what waits.
func (t *siteVisit) deliveries() (*frame.Sheet, error) {
	view := 0
	for i := range deliveryViews {
		if deliveryViews[i].value == t.Asked("show") {
			view = i
		}
	}
	shown := &deliveryViews[view]
	want := notices.SiteDeliveryQuery{
		Organization: t.Asked("organization"), Trigger: t.Asked("event"), Newer: notices.ParseDeliveryMark(t.Asked("newer")), Older: notices.ParseDeliveryMark(t.Asked("older")),
		AtMost: frame.PageSize, CountedAtMost: countedDeliveries,
	}
	if shown.status != "" {
		want.Statuses = []notices.DeliveryStatus{shown.status}
	}
	part, err := t.UI.App.SiteDeliveries(t.Context(), t.s, want)
	if err != nil {
		return nil, err
	}
	g := frame.NewGrid("Table of deliveries", "Destination", "-Organization", "-Event", "State", "Answer", "+-Tries")
	for i := range part.List {
		d := &part.List[i]
		name := frame.Words(d.Notification)
		if d.Organization != "" {
			name = frame.Link(d.Notification, frame.OrganizationPath(d.Organization, "notifications/")+d.NotificationID)
		}
		g.Row(sentAgain(d), name, frame.Words(d.Organization), frame.Words(frame.TriggerWord(d.Trigger)), frame.DeliveryCell(&d.Delivery), frame.AnswerCell(d.Response), frame.Amount(d.Attempts))
	}
	card := frame.Card{ID: "deliveries", Title: "Deliveries", Grid: g, Empty: shown.empty, Foot: "What has ended is forgotten after 14 days."}
	for i := range deliveryViews {
		v := &deliveryViews[i]
		name := v.name
		if v.status != "" {
			name += " " + atLeast(part.Counts[v.status])
		}
		card.Seg = append(card.Seg, frame.Seg{Name: name, Path: t.partOf(v.value, "", ""), Here: i == view})
	}
	if n := len(part.List); n > 0 {
		if part.Newer {
			card.Turns.Previous = t.partOf(shown.value, "newer", part.List[0].Mark().String())
		}
		if part.Older {
			card.Turns.Next = t.partOf(shown.value, "older", part.List[n-1].Mark().String())
		}
	}
	page := &frame.Sheet{Sub: "What is sent in all organizations. " + givenUp(part.Counts[notices.DeliveryDeadLettered]), Main: []frame.Card{card}}
	if page.Narrow, page.Narrowed = narrowing(&want, shown.value); page.Narrowed {
		page.Sub, page.Main[0].Empty = "", "None that fits."
	}
	return page, nil
}

// narrowing is the fields by which the deliveries are narrowed, and whether they are.
func narrowing(want *notices.SiteDeliveryQuery, show string) ([]frame.FormField, bool) {
	events := []frame.Choice{{Text: "Any event"}}
	for _, trigger := range notices.Triggers() {
		events = append(events, frame.Choice{Value: trigger, Text: frame.TriggerWord(trigger), On: trigger == want.Trigger})
	}
	return []frame.FormField{
		{Kind: "search", Name: "organization", Label: "Organization", Hint: "Organization, whole name", Icon: "search", Value: want.Organization, Max: 255},
		{Kind: "select", Name: "event", Label: "Event", Choices: events}, {Kind: "hidden", Name: "show", Value: show},
	}, want.Organization+want.Trigger != ""
}

// partOf is the address of a part of the deliveries.
func (t *siteVisit) partOf(show, side, mark string) string {
	query := url.Values{}
	for name, value := range map[string]string{"show": show, "organization": t.Asked("organization"), "event": t.Asked("event"), side: mark} {
		if value != "" {
			query.Set(name, value)
		}
	}
	return (&url.URL{Path: t.path, RawQuery: query.Encode()}).String()
}

// atLeast is a count, or that there are more than are counted.
func atLeast(n int) string {
	if n > countedDeliveries {
		return frame.Count(countedDeliveries) + "+"
	}
	return frame.Count(n)
}

func givenUp(n int) string {
	switch n {
	case 0:
		return "Nothing was given up."
	case 1:
		return "1 delivery was given up."
	default:
		return atLeast(n) + " deliveries were given up."
	}
}

// sentAgain are the ways to have a delivery sent again that is not on its way: of what was given up, all for its destination.
func sentAgain(d *notices.SiteDelivery) []frame.RowForm {
	hidden := []frame.Setting{{Name: "notification", Value: d.NotificationID}}
	switch {
	case d.Organization == "":
		return nil
	case d.Status == notices.DeliveryDeadLettered:
		return []frame.RowForm{{Do: "retry", Text: "Send again", Of: "what was given up for " + d.Notification, Hidden: hidden}}
	case d.Status == notices.DeliveryPending && d.Claim == "" && d.Response != nil:
		return []frame.RowForm{{Do: "resend", Text: "Try now", Of: "when " + frame.TriggerWord(d.Trigger) + ", to " + d.Notification, Hidden: append(hidden, frame.Setting{Name: "delivery", Value: d.ID})}}
	default:
		return nil
	}
}

func (t *siteVisit) retryDeliveries() error {
	return t.UI.App.RetryDeliveries(t.Context(), t.s, t.PostFormValue("notification"))
}

// resendDelivery has one delivery tried before its time.
func (t *siteVisit) resendDelivery() error {
	return t.UI.App.RetryDelivery(t.Context(), t.s, t.PostFormValue("notification"), t.PostFormValue("delivery"))
}
