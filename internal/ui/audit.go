package ui

import (
	"time"

	"github.com/belayhq/belay"
)

// auditTrail is the page of what happened in an organization.
func (t *orgVisit) auditTrail() (*view, error) {
	if t.id != "" {
		return nil, belay.ErrNotFound
	}
	at := t.page(eventsPerPage)
	want := belay.AuditQuery{NewestFirst: true, Page: at}
	since := t.asked("since")
	if days := map[string]int{"day": 1, "week": 7, "month": 30}[since]; days > 0 {
		want.Since = t.ui.Now().AddDate(0, 0, -days)
	}
	list, total, err := t.ui.App.AuditTrail(t.Context(), t.s, t.o.Name, want)
	if err != nil {
		return nil, err
	}
	g := newGrid("Table of events", "What", "By", "-About", "-Request", "When")
	for i := range list {
		e := &list[i]
		what := cell{Text: kindText(e.Kind), Sub: cut(factsText(e.Payload, ""), longestValue)}
		g.row(nil, what, person(e.ActorName), cell{Text: e.ResourceID, Code: true}, cell{Text: e.RequestID, Code: true}, moment(e.At.Truncate(time.Millisecond)))
	}
	trail := card{ID: "trail", Title: "Audit trail", Grid: g, Turns: t.turns(t.path, at, total), Empty: "Nothing happened in this time."}
	for _, s := range []struct{ value, name string }{{"", "All " + count(total)}, {"day", "A day"}, {"week", "A week"}, {"month", "30 days"}} {
		if s.value == "" && want.Since != (time.Time{}) {
			s.name = "All"
		}
		trail.Seg = append(trail.Seg, seg{s.name, t.path + "?since=" + s.value, s.value == since})
	}
	return t.sheet(&sheet{Title: "Audit trail", Sub: "Who did what, the newest first.", Main: []card{trail}})
}
