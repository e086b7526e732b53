package organizations

import (
	"time"

	"github.com/belayhq/belay"
	"github.com/belayhq/belay/internal/ui/frame"
	"github.com/belayhq/belay/internal/ui/workspaces"
)

// AuditTrail is the page of what happened in an organization.
func AuditTrail(t *frame.OrgVisit) (*frame.View, error) {
	if t.ID != "" {
		return nil, belay.ErrNotFound
	}
	at := t.Page(workspaces.EventsPerPage)
	want := belay.AuditQuery{NewestFirst: true, Page: at}
	since := t.Asked("since")
	if days := map[string]int{"day": 1, "week": 7, "month": 30}[since]; days > 0 {
		want.Since = t.UI.Now().AddDate(0, 0, -days)
	}
	list, total, err := t.UI.App.AuditTrail(t.Context(), t.Principal, t.Org.Name, want)
	if err != nil {
		return nil, err
	}
	g := frame.NewGrid("Table of events", "What", "By", "-About", "-Request", "When")
	for i := range list {
		e := &list[i]
		what := frame.Cell{Text: workspaces.KindText(e.Kind), Sub: frame.Cut(workspaces.FactsText(e.Payload, ""), frame.LongestValue)}
		g.Row(nil, what, frame.Person(e.ActorName), frame.Cell{Text: e.ResourceID, Code: true}, frame.Cell{Text: e.RequestID, Code: true}, frame.Moment(e.At.Truncate(time.Millisecond)))
	}
	trail := frame.Card{ID: "trail", Title: "Audit trail", Grid: g, Turns: t.Turns(t.Path, at, total), Empty: "Nothing happened in this time."}
	for _, s := range []struct{ value, name string }{{"", "All " + frame.Count(total)}, {"day", "A day"}, {"week", "A week"}, {"month", "30 days"}} {
		if s.value == "" && want.Since != (time.Time{}) {
			s.name = "All"
		}
		trail.Seg = append(trail.Seg, frame.Seg{Name: s.name, Path: t.Path + "?since=" + s.value, Here: s.value == since})
	}
	return t.Sheet(&frame.Sheet{Title: "Audit trail", Sub: "Who did what, the newest first.", Main: []frame.Card{trail}})
}
