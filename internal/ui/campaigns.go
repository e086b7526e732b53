package ui

import (
	"fmt"
	"html/template"
	"time"

	"github.com/belayhq/belay"
	"github.com/belayhq/belay/internal/patch"
	"github.com/belayhq/belay/internal/ui/draw"
)

// campaignsPage is the bulk actions of an organization.
type campaignsPage struct {
	Rows    []campaignRow
	New     string // where change requests are filed; empty: not by the visitor
	Singles string
	Turns   turns
}

type campaignRow struct {
	Path, Subject, By string
	At                time.Time
	Due               *dueWord
	Archived, Total   int
	Bar               template.HTML
	Done              bool
}

const campaignsPerPage = 25

var campaignActs = map[string]act{
	"archive": (*orgVisit).archiveTicked, "archive-ready": (*orgVisit).archiveReady, "file-again": (*orgVisit).fileAgain, "due": (*orgVisit).setDue,
	"remind": (*orgVisit).remind,
}

// campaigns is the page of bulk actions, or of one of them. Who may not know them all sees the
// change requests of the workspaces that are theirs.
func (t *orgVisit) campaigns() (*view, error) {
	singles := organizationPath(t.o.Name, "change-requests")
	switch {
	case t.id != "":
		return t.campaign()
	case !t.may(belay.ReadExplorer):
		t.redirect(singles)
		return nil, nil
	}
	at := t.page(campaignsPerPage)
	list, total, err := t.ui.App.BulkActions(t.Context(), t.s, t.o.Name, at)
	if err != nil {
		return nil, err
	}
	page := campaignsPage{Singles: singles, Turns: t.turns(t.path, at, total)}
	if t.may(belay.CreateChangeRequests) {
		page.New = singles + "/new"
	}
	for i := range list {
		b := &list[i]
		page.Rows = append(page.Rows, campaignRow{
			Path: t.one(b.ID), Subject: b.Subject, By: b.CreatedByName, At: b.CreatedAt, Due: dueOf(b, t.ui.Now()), Archived: b.ArchivedCount,
			Total: b.ArchivedCount + b.OpenCount, Done: b.OpenCount == 0, Bar: progress(b.ArchivedCount, 0, b.OpenCount),
		})
	}
	return &view{template: "campaigns", title: "Changes", body: page}, nil
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
func dueOf(b *belay.BulkAction, now time.Time) *dueWord {
	if b.DueAt.IsZero() {
		return nil
	}
	days := daysBetween(now, b.DueAt)
	switch {
	case b.OpenCount == 0:
		return &dueWord{"ok", "check", "Done"}
	case days < 0:
		return &dueWord{"bad", "clock", many(-days, "day late", "days late")}
	case days == 0:
		return &dueWord{"wait", "clock", "Due today"}
	default:
		return &dueWord{"wait", "clock", many(days, "day left", "days left")}
	}
}

// daysBetween is how many days lie between two moments, by the calendar.
func daysBetween(from, to time.Time) int {
	day := 24 * time.Hour
	return int(to.UTC().Truncate(day).Sub(from.UTC().Truncate(day)) / day)
}

func (t *orgVisit) archiveTicked() (string, error) {
	ids := t.PostForm["id"]
	if len(ids) == 0 {
		return "", belay.Refuse(belay.Invalid, "Tick the change requests to archive first.")
	}
	_, err := t.ui.App.ArchiveInCampaign(t.Context(), t.s, t.o.Name, t.id, ids[:min(len(ids), pageSize)])
	return t.back(), err
}

func (t *orgVisit) archiveReady() (string, error) {
	_, err := t.ui.App.ArchiveInCampaign(t.Context(), t.s, t.o.Name, t.id, nil)
	return t.here(), err
}

func (t *orgVisit) fileAgain() (string, error) {
	_, err := t.ui.App.FileAgain(t.Context(), t.s, t.o.Name, t.id)
	return t.here(), err
}

// setDue says until when the campaign is to be done.
func (t *orgVisit) setDue() (string, error) {
	var due time.Time
	if day := t.given("due"); day != "" {
		var err error
		if due, err = time.Parse(time.DateOnly, day); err != nil {
			return "", belay.Refuse(belay.Invalid, "Write the day as 2026-01-31.")
		}
	}
	_, err := t.ui.App.UpdateBulkAction(t.Context(), t.s, t.o.Name, t.id, belay.BulkActionPatch{DueAt: patch.Of(due)})
	return t.here(), err
}

func (t *orgVisit) remind() (string, error) {
	_, err := t.ui.App.RemindOfBulkAction(t.Context(), t.s, t.o.Name, t.id)
	return t.here(), err
}
