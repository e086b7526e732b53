package organizations

import (
	"encoding/json"
	"fmt"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/belayhq/belay"
	"github.com/belayhq/belay/internal/app"
	"github.com/belayhq/belay/internal/explorer"
	"github.com/belayhq/belay/internal/ui/changes"
	"github.com/belayhq/belay/internal/ui/frame"
	"github.com/belayhq/belay/internal/ui/workspaces"
)

// auditPage is what happened in an organization, as far as the address asks for it.
type auditPage struct {
	Path, Who, About string
	What             []frame.Choice
	Times            frame.Segs
	Since            string
	Filtered         bool
	Cut              string // how many events were looked through, where there were more
	Rows             []auditRow
	Days             []auditDay // the rows as a rope, where that is asked for
	View             string
	Shapes           frame.Segs
	None             string // where there is no row
	CSV, JSON        string
	Turns            frame.Turns
}

type auditRow struct {
	What, Path, Facts, By, Knot string
	About, AboutPath            string
	At                          time.Time
	Said                        []frame.Setting // all that the event says, on a rope
}

// Draw writes it as a row of the table.
func (r auditRow) Draw(m *frame.Markup) {
	m.Add(`<tr><th scope="row"><span class="icon-cell"><span class="knot `).Text(r.Knot).Add(`"></span>`).Link(r.Path, r.What)
	if m.Add("</span>"); r.Facts != "" {
		m.Add(`<p class="small faint">`).Text(r.Facts).Add("</p>")
	}
	if m.Add("</th><td>"); r.By != "" {
		frame.Person(r.By).Draw(m)
	} else {
		m.Add(`<span class="faint">the server</span>`)
	}
	if m.Add(`</td><td class="opt-col nowrap">`); r.About != "" {
		m.Add(`<a href="`).Path(r.AboutPath).Add(`"><code>`).Text(r.About).Add("</code></a>")
	} else {
		m.Nothing("")
	}
	m.Add(`</td><td class="num faint nowrap">`).When(r.At).Add("</td></tr>\n")
}

// auditDay is what happened on a day, by whoever did one thing after the other.
type auditDay struct {
	Name string
	By   []auditBy
}

type auditBy struct {
	Who  string
	Rows []auditRow
}

// eventFamilies are the kinds of things that a reader of the trail asks for, and their nouns.
var eventFamilies = []struct {
	value, name string
	nouns       []string
}{
	{"workspaces", "workspaces and locks", []string{"workspace", "tag"}},
	{"runs", "runs", []string{"run", "configuration_version", "assessment", "run_trigger"}},
	{"states", "states", []string{"state_version"}},
	{"variables", "variables", []string{"variable", "variable_set"}},
	{"changes", "change requests", []string{"change_request", "bulk_action"}},
	{"access", "teams and access", []string{"team", "team_workspace", "team_project", "membership"}},
	{"tokens", "tokens and keys", []string{"token", "agent_token", "run_token", "oauth_token", "ssh_key", "workload_rule"}},
	{"notifications", "notifications", []string{"notification_configuration"}},
	{"settings", "settings of the organization", []string{"organization", "project", "agent_pool", "oauth_client", "reserved_tag_key"}},
}

// auditDays are the times that a reader of the trail chooses from.
var auditDays = []struct {
	value, name string
	days        int
}{{"", "All", 0}, {"day", "A day", 1}, {"week", "A week", 7}, {"month", "30 days", 30}}

// AuditTrail is the page of what happened in an organization, or of one event.
func AuditTrail(t *frame.OrgVisit) (*frame.View, error) {
	if t.ID != "" {
		return auditEvent(t)
	}
	want, page := auditAsked(t)
	if file := t.Asked("as"); file != "" {
		return nil, auditFile(t, want, file)
	}
	list, total, cut, err := t.UI.App.SeekEvents(t.Context(), t.Principal, t.Org.Name, want)
	if err != nil {
		return nil, err
	}
	if cut {
		page.Cut = frame.Count(app.EventsSought)
	}
	page.Turns = t.Turns(t.Path, want.Page, total)
	for i := range list {
		row := auditRowOf(t, &list[i])
		if page.View == rope {
			page.hang(row, row.At.In(t.Zone()).Format("Monday, 2 January 2006"), &list[i])
		}
		page.Rows = append(page.Rows, row)
	}
	return &frame.View{Template: "audit", Title: "Audit trail", Body: page}, nil
}

// auditAsked is what the address asks the trail for.
func auditAsked(t *frame.OrgVisit) (belay.AuditQuery, *auditPage) {
	page := &auditPage{Path: t.Path, Who: t.Asked("who"), About: t.Asked("about"), Since: t.Asked("since"), CSV: asFile(t.Visit, "as", "csv"), JSON: asFile(t.Visit, "as", "jsonl")}
	want := belay.AuditQuery{NewestFirst: true, Actor: page.Who, About: page.About, Page: t.Page(workspaces.EventsPerPage)}
	what := t.Asked("what")
	for _, f := range eventFamilies {
		if page.What = append(page.What, frame.Choice{Value: f.value, Text: f.name, On: f.value == what}); f.value == what {
			want.Nouns = f.nouns
		}
	}
	for _, each := range auditDays {
		if each.value == page.Since && each.days > 0 {
			want.Since = t.UI.Now().AddDate(0, 0, -each.days)
		}
		query := t.URL.Query()
		query.Del("page")
		if query.Del("since"); each.value != "" {
			query.Set("since", each.value)
		}
		page.Times = append(page.Times, frame.Seg{Name: each.name, Path: t.Path + "?" + query.Encode(), Here: each.value == page.Since})
	}
	if t.Asked("view") == rope {
		page.View = rope
	}
	query := t.URL.Query()
	query.Del("view")
	page.Shapes = frame.Segs{{Name: "Table", Path: t.Path + "?" + query.Encode(), Here: page.View == ""}}
	query.Set("view", rope)
	page.Shapes = append(page.Shapes, frame.Seg{Name: "Rope", Path: t.Path + "?" + query.Encode(), Here: page.View == rope})
	page.None = noneOf(page)
	page.Filtered = want.Seeks() || !want.Since.IsZero()
	return want, page
}

// rope is the view of the trail as one.
const rope = "rope"

// noneOf is what the page says where it has no event. Events are kept for good.
func noneOf(page *auditPage) string {
	times := map[string]string{"day": "this day", "week": "these 7 days", "month": "these 30 days"}[page.Since]
	switch {
	case page.Who+page.About != "" || slices.ContainsFunc(page.What, func(c frame.Choice) bool { return c.On }):
		return "Nothing of this kind happened in this time."
	case times != "":
		return "Nothing in " + times + ". Events are kept for good: what happened before is under All."
	default:
		return "Nothing has happened yet. What does is kept for good."
	}
}

// hang adds an event to the rope: below its day, and below who did it.
func (page *auditPage) hang(row auditRow, day string, e *belay.Event) {
	for _, c := range workspaces.Changes(e.Payload) {
		row.Said = append(row.Said, frame.Setting{Name: c.Name, Value: c.Was + " → " + c.Now})
	}
	row.Said = append(row.Said, eventFacts(e.Payload)...)
	row.Said = append(row.Said, frame.Setting{Name: "request", Value: e.RequestID})
	if n := len(page.Days); n == 0 || page.Days[n-1].Name != day {
		page.Days = append(page.Days, auditDay{Name: day})
	}
	d := &page.Days[len(page.Days)-1]
	if n := len(d.By); n == 0 || d.By[n-1].Who != row.By {
		d.By = append(d.By, auditBy{Who: row.By})
	}
	by := &d.By[len(d.By)-1]
	by.Rows = append(by.Rows, row)
}

// shortFacts is how much of what an event says stands in its row: its page has all.
const shortFacts = 120

// auditRowOf is one event as a row of the page.
func auditRowOf(t *frame.OrgVisit, e *belay.Event) auditRow {
	return auditRow{
		What: workspaces.KindText(e.Kind), Path: t.One(e.ID), Facts: frame.Cut(workspaces.FactsText(e.Payload, ""), shortFacts), By: e.ActorName, Knot: workspaces.KnotOf(e.Kind),
		About: e.ResourceID, AboutPath: t.Path + "?about=" + url.QueryEscape(e.ResourceID), At: e.At.Truncate(time.Millisecond),
	}
}

// auditEvent is the page of one event: all that is known of it, and what else belongs to it.
func auditEvent(t *frame.OrgVisit) (*frame.View, error) {
	e, err := t.UI.App.AuditEvent(t.Context(), t.Principal, t.Org.Name, t.ID)
	if err != nil {
		return nil, err
	}
	resource, action := e.Audited()
	facts := []frame.Setting{
		{Name: "When", Value: e.At.UTC().Format("2006-01-02 15:04:05.000") + " UTC"}, {Name: "By", Value: frame.OrNone(e.ActorName)}, {Name: "Their id", Value: e.ActorID},
		{Name: "What", Value: action + " " + strings.ReplaceAll(resource, "_", " ")}, {Name: "About", Value: e.ResourceID}, {Name: "Request", Value: e.RequestID}, {Name: "Event", Value: e.UUID()},
	}
	page := &frame.Sheet{Title: workspaces.KindText(e.Kind), Sub: frame.Ago(e.At, t.UI.Now()), Main: []frame.Card{
		{ID: "event", Title: "The event", Facts: facts},
	}}
	if g := changedGrid(e.Payload); g != nil {
		page.Main = append(page.Main, frame.Card{ID: "changed", Title: "What it changed", Grid: g})
	}
	if more := eventFacts(e.Payload); more != nil {
		page.Main = append(page.Main, frame.Card{ID: "facts", Title: "What it says", Facts: more})
	}
	for _, way := range []struct{ text, icon, query string }{
		{"All about this", "search", "about=" + url.QueryEscape(e.ResourceID)}, {"The same request", "list", "about=" + url.QueryEscape(e.RequestID)}, {"All by " + e.ActorName, "user", "who=" + url.QueryEscape(e.ActorName)},
	} {
		if !strings.HasSuffix(way.query, "=") {
			page.Acts = append(page.Acts, frame.ActLink{Text: way.text, Icon: way.icon, Path: t.Path + "?" + way.query})
		}
	}
	return t.Sheet(page)
}

// eventFacts is what an event kept, in order of name.
func eventFacts(payload string) (list []frame.Setting) {
	var facts map[string]json.RawMessage
	_ = json.Unmarshal([]byte(payload), &facts) // what is no document says nothing
	delete(facts, "changed")
	for name, raw := range facts {
		var text string
		if json.Unmarshal(raw, &text) != nil {
			text = string(raw)
		}
		list = append(list, frame.Setting{Name: strings.ReplaceAll(name, "_", " "), Value: text})
	}
	slices.SortFunc(list, func(a, b frame.Setting) int { return strings.Compare(a.Name, b.Name) })
	return list
}

// changedGrid is what an event changed, setting by setting; nil: it does not say.
func changedGrid(payload string) *frame.Grid {
	list := workspaces.Changes(payload)
	if len(list) == 0 {
		return nil
	}
	g := frame.NewGrid("Table of what was changed", "Setting", "Was", "Is")
	g.Whole = true
	for _, c := range list {
		g.Row(nil, frame.Words(c.Name), frame.Words(c.Was), frame.Words(c.Now))
	}
	return g
}

const (
	auditFileRows = 1000   // are read at once for a file
	auditFileMost = 50_000 // are in one; with a time or a filter there are others
)

// auditFile answers with the events that the address asks for, as CSV or as a line of JSON each.
func auditFile(t *frame.OrgVisit, want belay.AuditQuery, as string) error {
	if as != "csv" && as != "jsonl" {
		return belay.ErrNotFound
	}
	want.Page = belay.Page{Number: 1, Size: auditFileRows}
	var err error
	for more, rows := true, 0; more && err == nil && rows < auditFileMost; rows += auditFileRows {
		more, err = writeEvents(t, &want, as)
	}
	if t.Status != 0 { // a browser that has gone, or a database: the file ends short
		return nil
	}
	return err
}

// writeEvents writes the next events into the file, and says whether there may be more.
func writeEvents(t *frame.OrgVisit, want *belay.AuditQuery, as string) (more bool, err error) {
	first := want.Before == ""
	list, err := t.UI.App.EventsOn(t.Context(), t.Principal, t.Org.Name, want)
	if err != nil {
		return false, err
	}
	var lines []byte
	if first {
		t.Download(map[string]string{"csv": "text/csv; charset=utf-8", "jsonl": "application/jsonl"}[as], "audit-trail."+as)
		if as == "csv" {
			lines = []byte("timestamp,event,kind,actor,actor_id,resource_type,resource_id,request_id,facts\n")
		}
	}
	for i := range list {
		lines = appendEvent(lines, &list[i], as)
	}
	_, err = t.Writer.Write(lines)
	return len(list) == auditFileRows, err
}

// appendEvent is one event as a line of a file.
func appendEvent(lines []byte, e *belay.Event, as string) []byte {
	if as == "csv" {
		return explorer.AppendRow(lines, explorer.Row{Values: []any{e.At.UTC(), e.UUID(), e.Kind, e.ActorName, e.ActorID, e.ResourceType, e.ResourceID, e.RequestID, workspaces.FactsText(e.Payload, "")}}, changes.CsvTimes)
	}
	facts := json.RawMessage(e.Payload)
	if !json.Valid(facts) {
		facts = nil
	}
	line, err := json.Marshal(map[string]any{
		"timestamp": e.At.UTC(), "event": e.UUID(), "kind": e.Kind, "actor": e.ActorName, "actor_id": e.ActorID, "resource_type": e.ResourceType, "resource_id": e.ResourceID, "request_id": e.RequestID, "facts": facts,
	})
	if err != nil { // of plain values only
		line = fmt.Appendf(nil, "{%q:%q}", "event", e.UUID())
	}
	return append(append(lines, line...), '\n')
}
