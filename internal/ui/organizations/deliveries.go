package organizations

import (
	"github.com/belayhq/belay"
	"github.com/belayhq/belay/internal/ui/access"
	"github.com/belayhq/belay/internal/ui/frame"
	"github.com/belayhq/belay/notices"
)

// toldThere is a destination, and what of what was sent there the address asks for.
func toldThere(t *frame.OrgVisit, id string) (told notices.Sent, show string, err error) {
	want := notices.DeliveryQuery{Page: t.Page(frame.PageSize)}
	switch show = t.Asked("show"); show {
	case "failed":
		want.Statuses = []notices.DeliveryStatus{notices.DeliveryDeadLettered}
	case "waiting":
		want.Failed = true
	default:
		show = ""
	}
	told, err = t.UI.App.Sent(t.Context(), t.Principal, id, want)
	return told, show, access.Ours(t, told.OrganizationID, err)
}

// deliveriesCard is what was sent to a destination.
func deliveriesCard(t *frame.OrgVisit, told *notices.Sent, show string) (frame.Card, error) {
	g, err := deliveryGrid(t, told.List)
	here := t.One(told.ID)
	card := frame.Card{ID: "deliveries", Title: "Deliveries of " + told.Name, Grid: g, Turns: t.Turns(here, t.Page(frame.PageSize), told.Total), Empty: "None here."}
	if show == "" {
		card.Empty = "Nothing was sent yet."
	}
	for _, each := range []struct {
		value, name string
		count       int
	}{{"", "All", 0}, {"failed", "Given up ", told.Parked}, {"waiting", "Tried again ", told.Waiting}} {
		if each.value != "" {
			each.name += frame.Count(each.count)
		}
		if each.count > 0 || each.value == "" || each.value == show {
			card.Seg = append(card.Seg, frame.Seg{Name: each.name, Path: here + "?show=" + each.value, Here: each.value == show})
		}
	}
	return card, err
}

// deliveryGrid is what was sent: what it told of, what was answered, how often it was tried.
func deliveryGrid(t *frame.OrgVisit, list []notices.Delivery) (*frame.Grid, error) {
	var ids []string
	for i := range list {
		if id := list[i].WorkspaceID; id != "" {
			ids = append(ids, id)
		}
	}
	names, err := t.UI.App.WorkspacesTold(t.Context(), t.Principal, t.Org.Name, ids)
	g := frame.NewGrid("Table of deliveries", "Event", "State", "Answer", "-About", "+-Tries", "When")
	for i := range list {
		d := &list[i]
		p := deliveryPills[d.Status]
		about := frame.Words("")
		if name := names[d.WorkspaceID]; name != "" {
			about = frame.Link(name, frame.WorkspacePath(t.Org.Name, name))
		} else if d.ActionID != "" && t.May(belay.ReadExplorer) {
			about = frame.Link("a campaign", frame.OrganizationPath(t.Org.Name, "changes/")+d.ActionID)
		}
		g.Row(nil, frame.Cell{Text: d.Trigger, Code: true}, frame.Pill(p[0], p[1]), frame.AnswerCell(d.Response), about, frame.Amount(d.Attempts), frame.Moment(d.UpdatedAt))
	}
	return g, err
}

var deliveryPills = map[notices.DeliveryStatus][2]string{
	notices.DeliveryPending: {"waits", "wait"}, notices.DeliveryDelivered: {"delivered", "ok"}, notices.DeliveryDeadLettered: {"given up", "bad"},
}
