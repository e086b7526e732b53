package organizations

import (
	"net/url"
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
		about := frame.Words("")
		if name := board.Names[d.WorkspaceID]; name != "" {
			about = frame.Link(name, frame.WorkspacePath(t.Org.Name, name))
		} else if d.ActionID != "" && t.May(belay.ReadExplorer) {
			about = frame.Link("a campaign", frame.OrganizationPath(t.Org.Name, "changes/")+d.ActionID)
		}
		g.Row(resendForms(d), frame.Link(frame.TriggerWord(d.Trigger), sentPath(t, d)), frame.DeliveryCell(d), frame.AnswerCell(d.Response), about, frame.Amount(d.Attempts))
	}
	return g
}

// sentPath is the address at which it is open what a delivery said.
func sentPath(t *frame.OrgVisit, d *notices.Delivery) string {
	query := url.Values{"sent": {d.ID}}
	for _, kept := range []string{"show", "page"} {
		if value := t.Asked(kept); value != "" && (t.ID != "" || kept != "page") {
			query.Set(kept, value)
		}
	}
	return t.One(d.NotificationID) + "?" + query.Encode()
}

// sentCard is what a delivery said that the address names, and what was answered; nil where it names none.
func sentCard(t *frame.OrgVisit, notificationID string) (*frame.Card, error) {
	id := t.Asked("sent")
	if id == "" {
		return nil, nil
	}
	d, message, err := t.UI.App.Sent(t.Context(), t.Principal, notificationID, id)
	if err != nil {
		return nil, err
	}
	card := &frame.Card{ID: "sent", Title: "When " + frame.TriggerWord(d.Trigger), Facts: []frame.Setting{
		{Name: "Made", Value: frame.Minute(d.CreatedAt)}, {Name: "Tries", Value: frame.Count(d.Attempts)}, {Name: "Event", Value: d.Trigger}, {Name: "Id", Value: d.ID},
	}, Foot: "The message is made anew for each try, with names as they are then, and kept nowhere: this is what a try now would send."}
	if message == "" {
		card.Foot = "What it told of is gone, so nobody can say any more what it said."
	} else {
		card.Texts = append(card.Texts, frame.Setting{Name: "The message", Value: message})
	}
	if r := d.Response; r != nil {
		card.Facts = append(card.Facts, frame.Setting{Name: "Answer", Value: frame.OrNone(r.Code)}, frame.Setting{Name: "Sent", Value: frame.Minute(r.SentAt)})
		if r.Body != "" {
			card.Texts = append(card.Texts, frame.Setting{Name: "The answer", Value: r.Body})
		}
	}
	return card, nil
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
	return []frame.RowForm{{Do: "resend", Text: text, Of: "when " + frame.TriggerWord(d.Trigger), Hidden: []frame.Setting{{Name: "notification", Value: d.NotificationID}, {Name: "delivery", Value: d.ID}}}}
}
