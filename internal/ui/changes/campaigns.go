package changes

import (
	"context"
	"fmt"
	"html/template"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/belayhq/belay"
	"github.com/belayhq/belay/backlog"
	"github.com/belayhq/belay/internal/patch"
	"github.com/belayhq/belay/internal/ui/draw"
	"github.com/belayhq/belay/internal/ui/frame"
	"github.com/belayhq/belay/internal/ui/workspaces"
)

// campaignsPage is the bulk actions of an organization.
type campaignsPage struct {
	Rows     []campaignRow
	New      string // where change requests are filed; empty: not by the visitor
	CSV      string
	Views    frame.Segs
	Narrowed bool
	Turns    frame.Turns
}

type campaignRow struct {
	Path, Subject, By string
	At                time.Time
	Due               *frame.DueWord
	Archived, Total   int
	Ready             int
	Teams             string
	Counted           bool // how many are ready
	Bar               template.HTML
	Done              bool
}

const campaignsPerPage = 25

// CampaignActs is what the forms of campaigns do.
var CampaignActs = map[string]frame.Act{
	"archive": archiveTicked, "archive-ready": archiveReady, "file-again": fileAgain, "due": setDue,
	"remind": remind,
}

// Campaigns is the page of bulk actions, or of one of them. Who may not know them all sees the
// change requests of the workspaces that are theirs.
func Campaigns(t *frame.OrgVisit) (*frame.View, error) {
	singles := frame.OrganizationPath(t.Org.Name, "change-requests")
	switch {
	case t.ID != "":
		return campaign(t)
	case !t.May(belay.ReadExplorer):
		t.Redirect(singles)
		return nil, nil
	}
	at := t.Page(campaignsPerPage)
	open, views := campaignsAsked(t)
	if t.Asked("as") == "csv" {
		campaignsFile(t, open)
		return nil, nil
	}
	list, total, err := t.UI.App.BulkActions(t.Context(), t.Principal, t.Org.Name, open, at)
	if err != nil {
		return nil, err
	}
	ready, err := t.UI.App.ReadyOf(t.Context(), t.Principal, t.Org.Name, list)
	if err != nil && belay.KindOf(err) != belay.Internal { // the list stands without: a question may be of fields that are there no more, or take too long
		t.Note(err)
	} else if err != nil {
		return nil, err
	}
	teams, err := t.UI.App.TeamsOf(t.Context(), t.Principal, t.Org.Name, list)
	if err != nil {
		return nil, err
	}
	if err := countViews(t, views); err != nil {
		return nil, err
	}
	page := campaignsPage{CSV: workspaces.Link(t.Visit, t.Path, "page", "", "as", "csv"), Views: views, Narrowed: open != nil, Turns: t.Turns(t.Path, at, total)}
	if t.May(belay.CreateChangeRequests) {
		page.New = singles + "/new"
	}
	for i := range list {
		b := &list[i]
		n, counted := ready[b.ID]
		page.Rows = append(page.Rows, campaignRow{
			Path: t.One(b.ID), Subject: b.Subject, By: b.CreatedByName, At: b.CreatedAt, Due: dueOf(b, t.UI.Now()), Archived: b.ArchivedCount,
			Total: b.ArchivedCount + b.OpenCount, Teams: teamsText(teams[b.ID]), Ready: n, Counted: counted, Done: b.OpenCount == 0, Bar: progress(b.ArchivedCount, n, b.OpenCount-n),
		})
	}
	live := frame.Watching("campaigns", t.Org.Name+"?"+t.URL.RawQuery, campaignsRevision(list))
	return &frame.View{Template: "campaigns", Title: "Changes", Body: page, Live: live}, nil
}

// mostCounted is up to how many campaigns, and change requests, the ways to them count.
const mostCounted = 1000

// countViews says beside the ways to campaigns how many there are, and beside that to the requests of all of them how many are open.
func countViews(t *frame.OrgVisit, views frame.Segs) error {
	c, err := t.UI.App.BacklogCounts(t.Context(), t.Principal, t.Org.Name, mostCounted+1)
	more := map[bool]string{true: "+"}
	some := more[c.Campaigns > mostCounted] // which of all are open is not known either
	for i, count := range []string{frame.Count(min(c.Campaigns, mostCounted)) + some, frame.Count(c.Open) + some, frame.Count(c.Campaigns-c.Open) + some, frame.Count(min(c.Requests, mostCounted)) + more[c.Requests > mostCounted]} {
		views[i].Name += " " + count
	}
	return err
}

// teamsText names the teams of a campaign, or says how many there are.
func teamsText(teams []string) string {
	if len(teams) > 2 {
		return frame.Count(len(teams)) + " teams"
	}
	return frame.Cut(strings.Join(teams, ", "), frame.LongestValue)
}

// campaignsRevision is what a list of campaigns shows that changes while somebody looks.
func campaignsRevision(list []backlog.BulkAction) string {
	var b strings.Builder
	for i := range list {
		fmt.Fprint(&b, list[i].ID, " ", campaignRevision(&list[i]), " ")
	}
	return b.String()
}

// WatchedCampaigns looks at how far the campaigns are that a list shows.
func WatchedCampaigns(v *frame.Visit, id string) frame.Look {
	organization, query, _ := strings.Cut(id, "?")
	asked := *v
	asked.Request = v.Clone(v.Context())
	asked.URL = &url.URL{RawQuery: query}
	open, at := openAsked(&asked), asked.Page(campaignsPerPage)
	return func(ctx context.Context, s belay.Principal) (string, bool, error) {
		list, _, err := v.UI.App.BulkActions(ctx, s, organization, open, at)
		return campaignsRevision(list), false, err
	}
}

// openAsked is which campaigns the address asks for: those with open change requests, without, or all.
func openAsked(v *frame.Visit) *bool {
	show := v.Asked("show")
	if show != "open" && show != "done" {
		return nil
	}
	is := show == "open"
	return &is
}

// campaignsAsked is which campaigns the address asks for, and the ways to the others and to single requests.
func campaignsAsked(t *frame.OrgVisit) (open *bool, views frame.Segs) {
	show := ""
	if open = openAsked(t.Visit); open != nil {
		show = t.Asked("show")
	}
	for _, each := range []struct{ value, name string }{{"", "All"}, {"open", "Open"}, {"done", "Done"}} {
		views = append(views, frame.Seg{Name: each.name, Path: t.Path + "?show=" + each.value, Here: each.value == show})
	}
	return open, append(views, frame.Seg{Name: "One by one", Path: frame.OrganizationPath(t.Org.Name, "change-requests")})
}

// progress is how far a campaign is, as a bar with its words.
func progress(archived, ready, left int) template.HTML {
	label := fmt.Sprintf("%d of %d archived", archived, archived+ready+left)
	if ready > 0 {
		label += fmt.Sprintf(", %d ready to archive", ready)
	}
	return draw.Bar("meter fat", label, archived+ready+left, draw.Part{Of: archived, Fill: "p0"}, draw.Part{Of: ready, Fill: "p1"}, draw.Part{Of: left, Fill: "p2"})
}

// dueOf is how long a bulk action has still; nil: nobody said until when.
func dueOf(b *backlog.BulkAction, now time.Time) *frame.DueWord {
	if b.DueAt.IsZero() {
		return nil
	}
	days := daysBetween(now, b.DueAt)
	switch {
	case b.OpenCount == 0:
		return &frame.DueWord{Class: "ok", Icon: "check", Text: "Done"}
	case days < 0:
		return &frame.DueWord{Class: "bad", Icon: "clock", Text: frame.Many(-days, "day late", "days late")}
	case days == 0:
		return &frame.DueWord{Class: "wait", Icon: "clock", Text: "Due today"}
	default:
		return &frame.DueWord{Class: "wait", Icon: "clock", Text: frame.Many(days, "day left", "days left")}
	}
}

// daysBetween is how many days lie between two moments, by the calendar.
func daysBetween(from, to time.Time) int {
	day := 24 * time.Hour
	return int(to.UTC().Truncate(day).Sub(from.UTC().Truncate(day)) / day)
}

func archiveTicked(t *frame.OrgVisit) (string, error) {
	ids := t.PostForm["id"]
	if t.PostForm.Has("all") {
		ids = t.PostForm["shown"]
	}
	if len(ids) == 0 {
		return "", belay.Refuse(belay.Invalid, "Tick the change requests to archive first.")
	}
	ids = ids[:min(len(ids), frame.PageSize)]
	n, err := t.UI.App.ArchiveInCampaign(t.Context(), t.Principal, t.Org.Name, t.ID, ids)
	return workspaces.Link(t.Visit, t.Here(), "filed", "", "archived", strconv.Itoa(n), "not", strconv.Itoa(len(ids)-n)), err
}

func archiveReady(t *frame.OrgVisit) (string, error) {
	n, err := t.UI.App.ArchiveInCampaign(t.Context(), t.Principal, t.Org.Name, t.ID, nil)
	return t.Here() + "?archived=" + strconv.Itoa(n) + "&not=0", err
}

// justDone is whether the campaign was just filed, and what was archived of it, in words. It takes that out of the
// address: where the page leads on to, it is not said again.
func justDone(t *frame.OrgVisit) (filed bool, done string) {
	query := t.URL.Query()
	n, err := strconv.Atoi(query.Get("archived"))
	not, errNot := strconv.Atoi(query.Get("not"))
	if err == nil && errNot == nil && n >= 0 && not >= 0 {
		done = frame.Many(n, "change request", "change requests") + " archived"
		if not > 0 {
			done += ", " + frame.Count(not) + " not: archived already, or you may not"
		}
		done += "."
	}
	filed = query.Has("filed")
	for _, name := range []string{"filed", "archived", "not"} {
		query.Del(name)
	}
	t.URL.RawQuery = query.Encode()
	return filed, done
}

func fileAgain(t *frame.OrgVisit) (string, error) {
	_, err := t.UI.App.FileAgain(t.Context(), t.Principal, t.Org.Name, t.ID)
	return t.Here(), err
}

// setDue says until when the campaign is to be done.
func setDue(t *frame.OrgVisit) (string, error) {
	var due time.Time
	if day := t.Given("due"); day != "" {
		var err error
		if due, err = time.Parse(time.DateOnly, day); err != nil {
			return "", belay.Refuse(belay.Invalid, "Write the day as 2026-01-31.")
		}
	}
	_, err := t.UI.App.UpdateBulkAction(t.Context(), t.Principal, t.Org.Name, t.ID, backlog.BulkActionPatch{DueAt: patch.Of(due)})
	return t.Here(), err
}

func remind(t *frame.OrgVisit) (string, error) {
	b, err := t.UI.App.RemindOfBulkAction(t.Context(), t.Principal, t.Org.Name, t.ID)
	if belay.KindOf(err) == belay.Conflict && b.OpenCount > 0 { // the API's words have its kind of time
		err = belay.Refuse(belay.Conflict, "Reminded less than an hour ago; again from %s.", t.At(b.RemindedAt.Add(backlog.RemindEvery)))
	}
	return t.Here(), err
}
