package organizations

import (
	"strconv"

	"github.com/belayhq/belay"
	"github.com/belayhq/belay/internal/ui/frame"
	"github.com/belayhq/belay/notices"
)

// boardAsked is the destinations, and what of what was sent to one of them the address asks for.
func boardAsked(t *frame.OrgVisit) (board notices.Board, show string, err error) {
	want := notices.BoardQuery{
		ID: t.ID, Page: t.Page(frame.PageSize), Most: frame.PageSize, Since: t.UI.Now().AddDate(0, 0, -frame.FailedDays), Sent: notices.DeliveryQuery{Page: t.Page(frame.PageSize)},
	}
	if t.ID != "" {
		want.Page.Number = 1 // the page is of its deliveries
	} else {
		want.Sent.Page.Number = 1
	}
	switch show = t.Asked("show"); show {
	case "failed":
		want.Sent.Statuses = []notices.DeliveryStatus{notices.DeliveryDeadLettered}
	case "waiting":
		want.Sent.Failed = true
	default:
		show = ""
	}
	board, err = t.UI.App.Board(t.Context(), t.Principal, t.Org.Name, want)
	board.Shown = board.Of(want.Sent)
	return board, show, err
}

// deliveriesCard is what was sent to a destination.
func deliveriesCard(t *frame.OrgVisit, board *notices.Board, show string) frame.Card {
	n := board.Chosen
	here := t.One(n.ID)
	card := frame.Card{ID: "deliveries", Title: "Deliveries of " + n.Name, Grid: deliveryGrid(t, board), Empty: "None here."}
	if at := t.Page(frame.PageSize); t.ID != "" || at.Number == 1 {
		card.Turns = t.Turns(here, at, board.Shown)
	}
	if share := board.Share(); share != "" {
		card.Foot = share + " delivered in " + strconv.Itoa(notices.LatelyDays) + " days"
	}
	if show == "" {
		card.Empty = "Nothing was sent yet."
	}
	for _, each := range []struct {
		value, name string
		count       int
	}{{"", "All", 0}, {"failed", "Given up ", board.Parked}, {"waiting", "Tried again ", board.Waiting}} {
		if each.value != "" {
			each.name += frame.Count(each.count)
		}
		if each.count > 0 || each.value == "" || each.value == show {
			card.Seg = append(card.Seg, frame.Seg{Name: each.name, Path: here + "?show=" + each.value, Here: each.value == show})
		}
	}
	return card
}

// deliveryGrid is what was sent: what it told of, what was answered, how often it was tried.
func deliveryGrid(t *frame.OrgVisit, board *notices.Board) *frame.Grid {
	g := frame.NewGrid("Table of deliveries", "Event", "State", "Answer", "-About", "+-Tries")
	for i := range board.Sent {
		d := &board.Sent[i]
		p := deliveryPills[d.Status]
		state := frame.Pill(p[0], p[1])
		state.At = d.UpdatedAt
		about := frame.Words("")
		if name := board.Names[d.WorkspaceID]; name != "" {
			about = frame.Link(name, frame.WorkspacePath(t.Org.Name, name))
		} else if d.ActionID != "" && t.May(belay.ReadExplorer) {
			about = frame.Link("a campaign", frame.OrganizationPath(t.Org.Name, "changes/")+d.ActionID)
		}
		g.Row(resendForms(d), frame.Cell{Text: d.Trigger, Code: true}, state, frame.AnswerCell(d.Response), about, frame.Amount(d.Attempts))
	}
	return g
}

// resendForms are the ways to have a delivery sent now that is not on its way.
func resendForms(d *notices.Delivery) []frame.RowForm {
	text := "Send again"
	switch {
	case d.Status == notices.DeliveryPending && (d.Claim != "" || d.Response == nil):
		return nil
	case d.Status == notices.DeliveryPending:
		text = "Try now"
	}
	return []frame.RowForm{{Do: "resend", Text: text, Of: d.Trigger, Hidden: []frame.Setting{{Name: "notification", Value: d.NotificationID}, {Name: "delivery", Value: d.ID}}}}
}

var deliveryPills = map[notices.DeliveryStatus][2]string{
	notices.DeliveryPending: {"waits", "wait"}, notices.DeliveryDelivered: {"delivered", "ok"}, notices.DeliveryDeadLettered: {"given up", "bad"},
}
