package site

import (
	"fmt"
	"html/template"

	"github.com/belayhq/belay/internal/ui/draw"
	"github.com/belayhq/belay/internal/ui/frame"
	"github.com/belayhq/belay/notices"
	"github.com/belayhq/belay/site"
)

var lamps = map[site.Status]frame.Cell{
	site.OK:   {Text: "fine", Pill: "ok", Icon: "check"},
	site.Warn: {Text: "look at it", Pill: "wait", Icon: "alert"},
	site.Fail: {Text: "broken", Pill: "bad", Icon: "alert"},
}

// health is how the server stands: one lamp for each thing that it needs.
func (t *siteVisit) health() (*frame.Sheet, error) {
	h, err := t.UI.App.SiteHealth(t.Context(), t.s)
	if err != nil {
		return nil, err
	}
	g := frame.NewGrid("Table of what the server needs", "What", "State", "It says")
	g.Whole = true
	for _, c := range h.Checks() {
		name, says := frame.Words(c.Name), frame.Words(c.Says)
		name.Sub, says.Sub = c.Metric, c.Remedy
		g.Row(nil, name, lamps[c.Status], says)
	}
	sub := map[site.Status]string{site.OK: "All is well.", site.Warn: "Something wants a look.", site.Fail: "Something is broken."}
	return &frame.Sheet{
		Sub: sub[h.Status()], Main: []frame.Card{{ID: "health", Title: "What the server needs", Note: "looked at " + frame.Ago(h.At, t.UI.Now()), Grid: g}},
		Side: []frame.Card{{ID: "facts", Title: "About", Facts: []frame.Setting{
			{Name: "Version", Value: h.Version}, {Name: "Commit", Value: frame.Cut(h.Commit, 12)}, {Name: "Database", Value: fmt.Sprintf("%s, schema %d", h.Database, h.Schema)}, {Name: "Its size", Value: frame.BytesText(h.DatabaseBytes)},
			{Name: "Organizations", Value: frame.Count(h.Organizations)}, {Name: "Workspaces", Value: frame.Count(h.Workspaces)}, {Name: "Users", Value: frame.Count(h.Users)}, {Name: "Browsers signed in", Value: frame.Count(h.Sessions)}, {Name: "Runs that have not ended", Value: frame.Count(h.RunsOpen)},
		}}},
	}, nil
}

// storage is what organizations keep.
func (t *siteVisit) storage() (*frame.Sheet, error) {
	at := t.Page(frame.PageSize)
	list, total, err := t.UI.App.SiteStorage(t.Context(), t.s, at)
	if err != nil {
		return nil, err
	}
	g := frame.NewGrid("Table of what organizations keep", "Organization", "+All", "-Share of the first", "+-Workspaces", "+-States", "+Bytes of states", "+-Configurations", "+-Files of runs", "-Counted")
	for i := range list {
		s := &list[i]
		g.Row(nil, frame.Link(s.Name, frame.HomePath+s.Name), frame.Words(frame.BytesText(s.Bytes())), frame.Cell{HTML: shareBar(s.Bytes(), list[0].Bytes())}, frame.Amount(s.Workspaces), frame.Amount(int(s.States)), frame.Words(frame.BytesText(s.StateBytes)),
			frame.Words(frame.BytesText(s.ConfigurationBytes)), frame.Words(frame.BytesText(s.RunFileBytes)), frame.Moment(s.CountedAt))
	}
	return &frame.Sheet{Sub: frame.Many(total, "organization", "organizations"), Main: []frame.Card{{
		ID: "storage", Title: "What organizations keep", Note: "counted anew every hour", Grid: g, Turns: t.Turns(t.path, at, total),
		Empty: "Nothing is counted yet. It is, within a minute of the start.",
	}}}, nil
}

// shareBar is how much of the largest one is, in thousandths: a bar.
func shareBar(of, all int64) template.HTML {
	if all <= 0 {
		return ""
	}
	part := int(float64(of) / float64(all) * 1000)
	return draw.Bar("meter", "", 1000, draw.Part{Of: part, Fill: "p0"}, draw.Part{Of: 1000 - part, Fill: "track"})
}

// deliveries is what was given up in all organizations.
func (t *siteVisit) deliveries() (*frame.Sheet, error) {
	at := t.Page(frame.PageSize)
	list, total, err := t.UI.App.ParkedDeliveries(t.Context(), t.s, at)
	if err != nil {
		return nil, err
	}
	g := frame.NewGrid("Table of deliveries that were given up", "Destination", "-Organization", "-About", "Answer", "+-Tries", "When")
	for i := range list {
		d := &list[i]
		name, again := frame.Words(d.Notification), []frame.RowForm(nil)
		if d.Organization != "" {
			name = frame.Link(d.Notification, frame.OrganizationPath(d.Organization, "notifications/")+d.NotificationID)
			again = []frame.RowForm{{Do: "retry", Text: "Send again", Of: "what was given up for " + d.Notification, Hidden: []frame.Setting{{Name: "notification", Value: d.NotificationID}}}}
		}
		g.Row(again, name, frame.Words(d.Organization), frame.Words(d.Trigger), frame.AnswerCell(d.Response), frame.Amount(d.Attempts), frame.Moment(d.UpdatedAt))
	}
	return &frame.Sheet{Sub: frame.Many(total, "delivery", "deliveries") + " given up", Main: []frame.Card{{
		ID: "deliveries", Title: "Given up", Grid: g, Turns: t.Turns(t.path, at, total), Empty: fmt.Sprintf("Nothing was given up. A delivery is, when its destination did not take it %d times.", notices.MaxDeliveryAttempts),
	}}}, nil
}

func (t *siteVisit) retryDeliveries() error {
	return t.UI.App.RetryDeliveries(t.Context(), t.s, t.PostFormValue("notification"))
}

const backupCommands template.HTML = `<div class="copy"><pre tabindex="0" role="region" aria-label="Commands of backups">belay backup belay.tar     # while the server serves
belay verify belay.tar     # is the archive whole?
belay verify               # does all that is kept open?
belay restore belay.tar    # into an empty place, beside the key</pre></div>`

// backups is what is known of the last one, and how they are made.
func (t *siteVisit) backups() (*frame.Sheet, error) {
	h, err := t.UI.App.SiteHealth(t.Context(), t.s)
	if err != nil {
		return nil, err
	}
	b := h.LastBackup
	last := frame.Card{ID: "last", Title: "The last one"}
	switch {
	case b.At.IsZero():
		last.Empty = "There was no backup yet that ended well."
	default:
		last.Facts = []frame.Setting{{Name: "Ended well", Value: b.At.UTC().Format("2006-01-02 15:04") + " UTC, " + frame.Ago(b.At, t.UI.Now())}}
		if b.Took > 0 {
			last.Facts = append(last.Facts, frame.Setting{Name: "Took", Value: frame.Span(b.Took)}, frame.Setting{Name: "Rows", Value: frame.Count(int(b.Rows))}, frame.Setting{Name: "Objects", Value: frame.Count(int(b.Objects)) + ", " + frame.BytesText(b.ObjectBytes)})
		}
	}
	if h.BackupIsInProgress {
		last.Facts = append(last.Facts, frame.Setting{Name: "Now", Value: "one copies objects; none is deleted meanwhile"})
	}
	page := &frame.Sheet{Main: []frame.Card{last, {ID: "make", Title: "How they are made", Text: "On the server's machine, or on any that reaches its database and its store, with the same --data-dir, --database-url and --blob-url. The encryption key is in none of them: keep it elsewhere.", HTML: backupCommands}}}
	for _, c := range h.Checks() {
		if c.Name == "backup" {
			page.Pill = &frame.DueWord{Text: lamps[c.Status].Text, Class: lamps[c.Status].Pill, Icon: lamps[c.Status].Icon}
			page.Sub = c.Remedy
		}
	}
	return page, nil
}
