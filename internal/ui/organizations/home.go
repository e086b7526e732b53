// Package organizations owns the pages of one organization: its home, the list of workspaces, projects,
// variable sets, connections, notifications, runs, settings.
package organizations

import (
	"fmt"
	"html/template"
	"net/http"
	"time"

	"github.com/belayhq/belay"
	"github.com/belayhq/belay/internal/app"
	"github.com/belayhq/belay/internal/runs"
	"github.com/belayhq/belay/internal/ui/draw"
	"github.com/belayhq/belay/internal/ui/frame"
	"github.com/belayhq/belay/internal/ui/workspaces"
	"github.com/belayhq/belay/run"
)

// homeOfPage is what waits in an organization, what goes on, and what happened.
type homeOfPage struct {
	Organization, Host, Name string
	Start                    bool // it has no workspace yet: how one begins
	MayCreate                bool
	Inbox                    []workspaces.InboxRow
	Strip                    *stripPart
	Now                      []workspaces.RunRow
	MoreRuns                 bool
	OpenRequests             int
	Requests                 string // where the open change requests are
	Workspaces, Runs         string
	Days                     template.HTML // runs of the last four weeks; empty: there were none
	Happened                 []frame.HappenedRow

	live string // where the changes of all this are told
}

// The most that a home shows of each kind.
const (
	inboxOfKind  = 6
	runsShownNow = 8
	newestEvents = 8
	failuresSeek = 50
	daysOfHome   = 28
)

// ShowHome shows the home of an organization.
func ShowHome(v *frame.Visit) {
	s, ok := v.SignedIn()
	if !ok {
		return
	}
	o, err := v.UI.App.Organization(v.Context(), s, v.PathValue("organization"))
	if err != nil {
		v.Refuse(err)
		return
	}
	page := &homeOfPage{
		Organization: o.Name, Host: v.HostName(), Name: "my-workspace", Start: o.WorkspaceCount == 0 && o.Can.HasAny(belay.ReadWorkspace.And(belay.CreateWorkspace)), MayCreate: o.Can.Has(belay.CreateWorkspace),
		Workspaces: frame.OrganizationPath(o.Name, "workspaces"), Runs: frame.OrganizationPath(o.Name, "runs"), Requests: frame.OrganizationPath(o.Name, "change-requests"),
	}
	for _, fill := range []func(*frame.Visit, belay.Principal, *app.OrganizationView, *homeOfPage) error{inboxRuns, inboxLocks, inboxRequests, homeRuns, homeDays, homeActivity} {
		if err := fill(v, s, &o, page); err != nil {
			v.Refuse(err)
			return
		}
	}
	v.Show(http.StatusOK, "home", frame.Frame{Title: "Home", OwnHead: true, Visitor: s.Name, Place: v.Place(&o, ""), Page: page, Live: page.live})
}

// inboxRuns adds the plans that the visitor may confirm, and what failed in the last week.
func inboxRuns(v *frame.Visit, s belay.Principal, o *app.OrganizationView, page *homeOfPage) error {
	planned, _, err := v.UI.Runs.ListOfOrganization(v.Context(), s, o.Name, run.Query{Statuses: []string{string(run.Planned)}, Page: belay.Page{Number: 1, Size: frame.PageSize}})
	if err != nil {
		return err
	}
	var confirmed []runs.View
	for i := range planned {
		if workspaces.ActsOf(&planned[i]).Confirm && len(confirmed) < inboxOfKind {
			confirmed = append(confirmed, planned[i])
		}
	}
	if err := addInbox(v, page, confirmed, workspaces.InboxRow{Class: "wait", Icon: "pause", Button: "Review plan"}); err != nil {
		return err
	}
	want := run.Query{Statuses: []string{string(run.Errored)}, From: v.UI.Now().AddDate(0, 0, -7), Page: belay.Page{Number: 1, Size: failuresSeek}}
	errored, _, err := v.UI.Runs.ListOfOrganization(v.Context(), s, o.Name, want)
	if err != nil {
		return err
	}
	// Of each workspace the newest: the others are told by its list of runs.
	seen, failed := map[string]bool{}, []runs.View(nil)
	for i := range errored {
		if w := errored[i].WorkspaceID; !seen[w] && len(failed) < inboxOfKind {
			seen[w], failed = true, append(failed, errored[i])
		}
	}
	return addInbox(v, page, failed, workspaces.InboxRow{Class: "bad", Icon: "alert", Button: "Open log"})
}

// addInbox adds runs to what waits, each like row.
func addInbox(v *frame.Visit, page *homeOfPage, list []runs.View, row workspaces.InboxRow) error {
	rows, err := workspaces.RunRows(v, list)
	for i, r := range rows {
		row.Title, row.Path, row.By, row.At, row.Counts, row.HasCounts, row.Where = r.Title, r.Path, r.By, r.At, r.Counts, r.HasCounts, list[i].Workspace
		page.Inbox = append(page.Inbox, row)
	}
	return err
}

// inboxLocks adds the workspaces that the visitor keeps locked.
func inboxLocks(v *frame.Visit, s belay.Principal, o *app.OrganizationView, page *homeOfPage) error {
	list, _, err := v.UI.App.Workspaces(v.Context(), s, o.Name, belay.WorkspaceQuery{LockedBy: s.Holder().ID, Page: belay.Page{Number: 1, Size: inboxOfKind}})
	for i := range list {
		w := &list[i]
		page.Inbox = append(page.Inbox, workspaces.InboxRow{Class: "lock", Icon: "lock", Title: w.Name + " is locked by you", Where: w.Lock.Reason, Path: frame.WorkspacePath(o.Name, w.Name), Button: "Show", At: w.Lock.At})
	}
	return err
}

// inboxRequests adds the newest open change requests, one for each subject.
func inboxRequests(v *frame.Visit, s belay.Principal, o *app.OrganizationView, page *homeOfPage) error {
	if !v.UI.OffersRequests() {
		return nil
	}
	open := false
	list, total, err := v.UI.App.ChangeRequests(v.Context(), s, o.Name, belay.ChangeRequestQuery{Archived: &open, Page: belay.Page{Number: 1, Size: frame.PageSize}})
	page.OpenRequests = total
	seen := map[string]bool{}
	for i := range list {
		if c := &list[i]; !seen[c.Subject] && len(seen) < inboxOfKind {
			seen[c.Subject] = true
			page.Inbox = append(page.Inbox, workspaces.InboxOf(c))
		}
	}
	return err
}

// homeRuns adds what runs now, and how all workspaces stand.
func homeRuns(v *frame.Visit, s belay.Principal, o *app.OrganizationView, page *homeOfPage) (err error) {
	list, err := unfinished(v, v.Context(), s, o.Name)
	if err != nil {
		return err
	}
	page.live = frame.Watching("organization", o.Name, organizationRevision(o.WorkspaceCount, list))
	more := len(list) > runsShownNow
	list = list[:min(len(list), runsShownNow)]
	if page.Now, err = workspaces.RunRows(v, list); err != nil {
		return err
	}
	for i := range list {
		page.Now[i].Title = list[i].Workspace
	}
	page.MoreRuns = more
	page.Strip, err = strip(v, s, o.Name)
	return err
}

// homeDays adds how many runs ended how on each of the last days; each day leads to its runs.
func homeDays(v *frame.Visit, s belay.Principal, o *app.OrganizationView, page *homeOfPage) error {
	today := v.UI.Now().UTC().Truncate(24 * time.Hour)
	from := today.AddDate(0, 0, 1-daysOfHome)
	list, err := v.UI.Runs.ByDay(v.Context(), s, o.Name, from)
	if err != nil || len(list) == 0 {
		return err
	}
	var counts [daysOfHome][3]int // finished, failed, all others
	for _, c := range list {
		day, part := c.Day-int(from.Unix()/86400), 2
		switch word := workspaces.StatusWords[c.Status]; {
		case c.Status == run.Errored:
			part = 1
		case word.Class == "ok":
			part = 0
		}
		if day >= 0 && day < daysOfHome {
			counts[day][part] += c.Count
		}
	}
	columns := make([]draw.Column, daysOfHome)
	for i, n := range counts {
		day := from.AddDate(0, 0, i)
		label := fmt.Sprintf("%s: %s finished, %s failed", day.Format("2 January"), frame.Many(n[0], "run", "runs"), frame.Count(n[1]))
		if n[2] > 0 {
			label += ", " + frame.Count(n[2]) + " others"
		}
		columns[i] = draw.Column{Label: label, Path: page.Runs + "?day=" + day.Format(time.DateOnly), Parts: []draw.Part{{Of: n[0], Fill: "p0"}, {Of: n[2], Fill: "p5"}, {Of: n[1], Fill: "p3"}}}
	}
	page.Days = draw.Columns("Runs by day", columns, from.Format("2 Jan"), "today")
	return nil
}

// homeActivity adds what happened last, for those who read the audit trail.
func homeActivity(v *frame.Visit, s belay.Principal, o *app.OrganizationView, page *homeOfPage) error {
	if !o.Can.Has(belay.ReadAuditTrail) {
		return nil
	}
	list, _, err := v.UI.App.AuditTrail(v.Context(), s, o.Name, belay.AuditQuery{NewestFirst: true, Page: belay.Page{Number: 1, Size: newestEvents}})
	page.Happened = workspaces.HappenedRows(list, "")
	return err
}
