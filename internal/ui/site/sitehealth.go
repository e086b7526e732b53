package site

import (
	"fmt"
	"html/template"

	"github.com/belayhq/belay/internal/ui/frame"
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
		Sub: sub[h.Status()], Main: append([]frame.Card{{ID: "health", Title: "What the server needs", Note: "looked at " + frame.Ago(h.At, t.UI.Now()), Grid: g}}, serverCards(&h)...),
		Side: []frame.Card{{ID: "facts", Title: "About", Facts: []frame.Setting{
			{Name: "Version", Value: h.Version}, {Name: "Commit", Value: frame.Cut(h.Commit, 12)}, {Name: "Database", Value: fmt.Sprintf("%s, schema %d", h.Database, h.Schema)}, {Name: "Its size", Value: frame.BytesText(h.DatabaseBytes)},
			{Name: "Organizations", Value: frame.Count(h.Organizations)}, {Name: "Workspaces", Value: frame.Count(h.Workspaces)}, {Name: "Users", Value: frame.Count(h.Users)}, {Name: "Browsers signed in", Value: frame.Count(h.Sessions)}, {Name: "Runs that have not ended", Value: frame.Count(h.RunsOpen)},
		}}},
	}, nil
}

const backupCommands template.HTML = `<div class="copy"><pre tabindex="0" role="region" aria-label="Commands of backups">belay backup belay.tar     # while the server serves
belay verify belay.tar     # is the archive whole?
belay verify               # does all that is kept open?
belay restore belay.tar    # into an empty place, beside the key</pre></div>`

// serverCards are the servers that share the database, where they tell of themselves.
func serverCards(h *site.Health) []frame.Card {
	if len(h.Replicas) == 0 {
		return nil
	}
	g := frame.NewGrid("Table of servers", "Server", "State", "Version", "-Since")
	for i := range h.Replicas {
		r := &h.Replicas[i]
		state := frame.Pill("heard", "ok")
		if r.Silent(h.At) {
			state = frame.Cell{Text: "silent", Pill: "wait", Icon: "alert", At: r.SeenAt}
		}
		g.Row(nil, frame.Words(r.Name), state, frame.Cell{Text: r.Version, Code: true}, frame.Moment(r.StartedAt))
	}
	return []frame.Card{{ID: "servers", Title: "Servers of this database", Note: frame.Many(len(h.Replicas), "server", "servers"), Grid: g}}
}

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
