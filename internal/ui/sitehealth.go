package ui

import (
	"fmt"
	"html/template"

	"github.com/belayhq/belay"
	"github.com/belayhq/belay/internal/ui/draw"
)

var lamps = map[belay.SiteStatus]cell{
	belay.SiteOK:   {Text: "fine", Pill: "ok", Icon: "check"},
	belay.SiteWarn: {Text: "look at it", Pill: "wait", Icon: "alert"},
	belay.SiteFail: {Text: "broken", Pill: "bad", Icon: "alert"},
}

// health is how the server stands: one lamp for each thing that it needs.
func (t *siteVisit) health() (*sheet, error) {
	h, err := t.ui.App.SiteHealth(t.Context(), t.s)
	if err != nil {
		return nil, err
	}
	g := newGrid("Table of what the server needs", "What", "State", "It says", "-Metric")
	g.Whole = true
	for _, c := range h.Checks() {
		says := words(c.Says)
		says.Sub = c.Remedy
		g.row(nil, words(c.Name), lamps[c.Status], says, cell{Text: c.Metric, Code: c.Metric != ""})
	}
	sub := map[belay.SiteStatus]string{belay.SiteOK: "All is well.", belay.SiteWarn: "Something wants a look.", belay.SiteFail: "Something is broken."}
	return &sheet{
		Sub: sub[h.Status()], Main: []card{{ID: "health", Title: "What the server needs", Note: "looked at " + ago(h.At, t.ui.Now()), Grid: g}},
		Side: []card{{ID: "facts", Title: "About", Facts: []setting{
			{"Version", h.Version}, {"Commit", cut(h.Commit, 12)}, {"Database", fmt.Sprintf("%s, schema %d", h.Database, h.Schema)}, {"Its size", bytesText(h.DatabaseBytes)},
			{"Organizations", count(h.Organizations)}, {"Workspaces", count(h.Workspaces)}, {"Users", count(h.Users)}, {"Browsers signed in", count(h.Sessions)}, {"Runs that have not ended", count(h.RunsOpen)},
		}}},
	}, nil
}

// storage is what organizations keep.
func (t *siteVisit) storage() (*sheet, error) {
	at := t.page(pageSize)
	list, total, err := t.ui.App.SiteStorage(t.Context(), t.s, at)
	if err != nil {
		return nil, err
	}
	g := newGrid("Table of what organizations keep", "Organization", "+All", "-Share of the first", "+-Workspaces", "+-States", "+Bytes of states", "+-Configurations", "+-Files of runs", "-Counted")
	for i := range list {
		s := &list[i]
		g.row(nil, link(s.Name, homePath+s.Name), words(bytesText(s.Bytes())), cell{HTML: shareBar(s.Bytes(), list[0].Bytes())}, amount(s.Workspaces), amount(int(s.States)), words(bytesText(s.StateBytes)),
			words(bytesText(s.ConfigurationBytes)), words(bytesText(s.RunFileBytes)), moment(s.CountedAt))
	}
	return &sheet{Sub: many(total, "organization", "organizations"), Main: []card{{
		ID: "storage", Title: "What organizations keep", Note: "counted anew every hour", Grid: g, Turns: t.turns(t.path, at, total),
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
func (t *siteVisit) deliveries() (*sheet, error) {
	at := t.page(pageSize)
	list, total, err := t.ui.App.ParkedDeliveries(t.Context(), t.s, at)
	if err != nil {
		return nil, err
	}
	g := newGrid("Table of deliveries that were given up", "Destination", "Organization", "-About", "Answer", "+-Tries", "When")
	for i := range list {
		d := &list[i]
		name, again := words(d.Notification), []rowForm(nil)
		if d.Organization != "" {
			name = link(d.Notification, organizationPath(d.Organization, "notifications/")+d.NotificationID)
			again = []rowForm{{Do: "retry", Text: "Send again", Of: "what was given up for " + d.Notification, Hidden: []setting{{"notification", d.NotificationID}}}}
		}
		g.row(again, name, words(d.Organization), words(d.Trigger), answerCell(d.Response), amount(d.Attempts), moment(d.UpdatedAt))
	}
	return &sheet{Sub: many(total, "delivery", "deliveries") + " given up", Main: []card{{
		ID: "deliveries", Title: "Given up", Grid: g, Turns: t.turns(t.path, at, total), Empty: fmt.Sprintf("Nothing was given up. A delivery is, when its destination did not take it %d times.", belay.MaxDeliveryAttempts),
	}}}, nil
}

func (t *siteVisit) retryDeliveries() error {
	return t.ui.App.RetryDeliveries(t.Context(), t.s, t.PostFormValue("notification"))
}

const backupCommands template.HTML = `<div class="copy"><pre tabindex="0" role="region" aria-label="Commands of backups">belay backup belay.tar     # while the server serves
belay verify belay.tar     # is the archive whole?
belay verify               # does all that is kept open?
belay restore belay.tar    # into an empty place, beside the key</pre></div>`

// backups is what is known of the last one, and how they are made.
func (t *siteVisit) backups() (*sheet, error) {
	h, err := t.ui.App.SiteHealth(t.Context(), t.s)
	if err != nil {
		return nil, err
	}
	b := h.LastBackup
	last := card{ID: "last", Title: "The last one"}
	switch {
	case b.At.IsZero():
		last.Empty = "There was no backup yet that ended well."
	default:
		last.Facts = []setting{{"Ended well", b.At.UTC().Format("2006-01-02 15:04") + " UTC, " + ago(b.At, t.ui.Now())}}
		if b.Took > 0 {
			last.Facts = append(last.Facts, setting{"Took", span(b.Took)}, setting{"Rows", count(int(b.Rows))}, setting{"Objects", count(int(b.Objects)) + ", " + bytesText(b.ObjectBytes)})
		}
	}
	last.Facts = append(last.Facts, setting{"Now", map[bool]string{true: "one copies objects; none is deleted meanwhile", false: "none is under way"}[h.BackupIsInProgress]})
	page := &sheet{Main: []card{last, {ID: "make", Title: "How they are made", Text: "On the server's machine, or on any that reaches its database and its store, with the same --data-dir, --database-url and --blob-url. The encryption key is in none of them: keep it elsewhere.", HTML: backupCommands}}}
	for _, c := range h.Checks() {
		if c.Name == "backup" {
			page.Pill = &dueWord{Text: lamps[c.Status].Text, Class: lamps[c.Status].Pill, Icon: lamps[c.Status].Icon}
			page.Sub = c.Remedy
		}
	}
	return page, nil
}
