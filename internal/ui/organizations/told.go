package organizations

import (
	"github.com/belayhq/belay"
	"github.com/belayhq/belay/forge"
	"github.com/belayhq/belay/internal/ui/frame"
)

var toldPills = map[forge.WorkState][2]string{forge.WorkWaits: {"waits", "wait"}, forge.WorkDone: {"done", "ok"}, forge.WorkFailed: {"given up", "bad"}}

// toldCard is what the service of a connection told, and what became of it.
func toldCard(t *frame.OrgVisit, c *forge.OAuthClient) (frame.Card, error) {
	list, total, err := t.UI.Repos.Told(t.Context(), t.Principal, c.ID, belay.Page{Number: 1, Size: frame.PageSize})
	g := frame.NewGrid("Table of deliveries", "What", "State", "-Became", "-Repository", "When")
	for i := range list {
		d := &list[i]
		what, pill := d.About, toldPills[d.State]
		if what == "" {
			what = d.DeliveryID
		}
		state := frame.Pill(pill[0], pill[1])
		if at := d.Due(); d.Tries > 0 && at.After(t.UI.Now()) {
			state.Text, state.At = "tried again", at
		}
		var forms []frame.RowForm
		if d.MayAgain {
			forms = []frame.RowForm{{Do: "redeliver", Text: "Redeliver", Of: what, Hidden: []frame.Setting{{Name: "delivery", Value: d.ID}}}}
		}
		g.Row(forms, frame.Words(what), state, frame.Words(frame.OrNone(d.Became)), frame.Cell{Text: d.Identifier, Code: true}, frame.Moment(d.ReceivedAt))
	}
	card := frame.Card{ID: "told", Title: "What it told", Grid: g, Empty: "Nothing, in the last three days. The service's own list of deliveries says what it sent."}
	if total > len(list) {
		card.Note = "the newest " + frame.Count(len(list)) + " of " + frame.Count(total)
	}
	return card, err
}

// redeliver has what a service told worked on once more.
func redeliver(t *frame.OrgVisit) (string, error) {
	return t.Here(), t.UI.Repos.Redeliver(t.Context(), t.Principal, t.PostFormValue("delivery"))
}
