// Package organizations owns the pages of one organization: its home, the list of workspaces, projects,
// variable sets, connections, notifications, runs, settings.
package organizations

import (
	"fmt"
	"html/template"
	"net/url"
	"sync"
	"time"

	"github.com/belayhq/belay"
	"github.com/belayhq/belay/backlog"
	"github.com/belayhq/belay/internal/app"
	"github.com/belayhq/belay/internal/runs"
	"github.com/belayhq/belay/internal/ui/draw"
	"github.com/belayhq/belay/internal/ui/frame"
	"github.com/belayhq/belay/internal/ui/workspaces"
	"github.com/belayhq/belay/run"
)

// homeOfPage is what waits in an organization, what goes on, and what happened.
type homeOfPage struct {
	Organization     string
	Greeting         string
	Start            *startPart // nil: it is past that
	MayCreate        bool
	StartMark        string // by which that is put off
	Inbox            []workspaces.InboxRow
	MoreWaits        bool       // than are shown, of a kind that has many
	PutOff           int        // how many things are left out for now
	ByTeams          bool       // only workspaces that teams were given are seen
	Blind            bool       // not even these are there
	Owner            string     // who could change that; empty: any of them
	Fresh            bool       // there is nothing to see but how one begins
	Beginning        string     // where that stays
	Of               frame.Segs // whose things wait: one's own, or all that one may see to
	Figures          []figure
	Missing          []string // parts that could not be read
	Strip            *stripPart
	Now              []workspaces.RunRow
	MoreRuns         bool
	Slots            string // how many runs wait for their turn, and how many may go on at once
	OpenRequests     int
	RequestsOffered  bool
	Requests         string // where the open change requests are
	Workspaces, Runs string
	Days             template.HTML // runs of the last four weeks; empty: there were none
	Happened         []frame.HappenedRow
	AllHappened      string

	waiting   func() (app.Waiting, error) // these are read once, beside one another
	runs      func() (*homeRunLists, error)
	figures   func() (runs.OrganizationFigures, error)
	happened  func() ([]belay.Event, error)
	requests  func() ([]backlog.ChangeRequest, int, error)
	kept      map[string]bool // marks of what was put off
	mine      bool            // only what the visitor began, holds or took
	runsToday int
}

// figure is a number of the organization, and where it is told more of.
type figure struct {
	Name, Icon, Path, More string
	Count                  int
}

// The most that a home shows of each kind.
const (
	runsShownNow = 8
	newestEvents = 8
	daysOfHome   = 28
)

// homeParts are what a home is made of, in order.
var homeParts = []struct {
	name string
	fill func(*frame.Visit, belay.Principal, *app.OrganizationView, *homeOfPage) error
}{
	{"runs that wait or failed", inboxRuns},
	{"locks", inboxLocks},
	{"change requests", inboxRequests},
	{"states and deliveries that did not arrive, what was put off", inboxUnarrived},
	{"whom to ask for access", homeAccess},
	{"what runs now", homeRuns},
	{"the runs of the last days", homeDays},
	{"the latest activity", homeActivity},
}

// figures are the numbers of an organization, of what the visitor sees.
func figures(o *app.OrganizationView, page *homeOfPage) (list []figure) {
	if o.Can.Has(belay.ReadWorkspace) {
		list = append(list, figure{"Workspaces", "stack", page.Workspaces, "", o.WorkspaceCount})
	}
	if page.Strip != nil {
		list = append(list, figure{"To confirm", "pause", page.Workspaces + "?run=confirm", "", page.Strip.counts["confirm"]})
	}
	list = append(list, figure{"Runs today", "play", page.Runs, goesOn(len(page.Now)), page.runsToday})
	if page.OpenRequests > 0 || page.RequestsOffered {
		name := "Open requests"
		if page.mine {
			name = "Your requests"
		}
		list = append(list, figure{name, "flag", page.Requests, "", page.OpenRequests})
	}
	return list
}

// goesOn is how many runs go on; empty: none.
func goesOn(n int) string {
	if n == 0 {
		return ""
	}
	return frame.Many(n, "goes on", "go on")
}

// showHome shows the home of an organization, and what was wrong with a form of it.
func showHome(v *frame.Visit, s belay.Principal, status int, problem string) {
	o, err := v.UI.App.Organization(v.Context(), s, v.PathValue("organization"))
	if err != nil {
		v.Refuse(err)
		return
	}
	page, err := homeOf(v, s, &o)
	if err != nil {
		v.Refuse(err)
		return
	}
	live := frame.Watching("home", o.Name+"?"+v.URL.RawQuery, page.revision())
	v.Show(status, "home", frame.Frame{Title: "Home", OwnHead: true, Error: problem, Visitor: s.Name, Place: v.Place(&o, ""), Page: page, Live: live, Calm: page.Start == nil})
}

// homeOf is all that the home of an organization shows. A part that can't be read is missing, and the others stand.
func homeOf(v *frame.Visit, s belay.Principal, o *app.OrganizationView) (*homeOfPage, error) {
	page := &homeOfPage{
		Organization: o.Name, Greeting: v.Greeting(s.Name), MayCreate: o.Can.Has(belay.CreateWorkspace), ByTeams: !o.Can.HasAny(belay.ReadWorkspace.And(belay.CreateWorkspace)),
		Workspaces: frame.OrganizationPath(o.Name, "workspaces"), Runs: frame.OrganizationPath(o.Name, "runs"), Requests: frame.OrganizationPath(o.Name, "change-requests"),
	}
	if page.mine = v.Asked("of") == "mine"; page.mine {
		page.Requests += "?assignee=" + url.QueryEscape(s.Name)
	}
	page.Of = frame.Segs{{Name: "Mine", Path: "?of=mine", Here: page.mine}, {Name: "My teams", Path: "?of=teams", Here: !page.mine}}
	page.waiting = sync.OnceValues(func() (app.Waiting, error) { return v.Waiting(v.Context(), o) })
	page.runs = frame.Soon(v, func() (*homeRunLists, error) { return readHomeRuns(v, s, o, page) })
	page.figures = frame.Soon(v, func() (runs.OrganizationFigures, error) {
		return v.UI.Runs.Figures(v.Context(), s, o.Name, firstDay(v))
	})
	if o.Can.Has(belay.ReadAuditTrail) {
		page.happened = frame.Soon(v, func() ([]belay.Event, error) {
			return v.UI.App.EventsOn(v.Context(), s, o.Name, &belay.AuditQuery{Page: belay.Page{Number: 1, Size: newestEvents}})
		})
	}
	if page.RequestsOffered = v.UI.OffersRequests(); page.RequestsOffered {
		page.requests = readHomeRequests(v, s, o, page)
	}
	if read, err := page.waiting(); err == nil { // else those that need it say so
		page.kept = read.PutOff
	}
	for _, part := range homeParts {
		if err := part.fill(v, s, o, page); belay.KindOf(err) == belay.Internal && err != nil && v.Context().Err() == nil {
			v.Note(err) // the page stands without it
			page.Missing = append(page.Missing, part.name)
		} else if err != nil {
			return nil, err
		}
	}
	page.MoreWaits = !page.mine && v.MoreWaits()
	page.Figures, page.Beginning = figures(o, page), frame.OrganizationPath(o.Name, "start")
	page.leaveOut()
	page.Fresh = page.Start != nil && o.WorkspaceCount == 0 && len(page.Inbox)+len(page.Missing)+page.PutOff == 0 && page.Days == ""
	return page, nil
}

// homeAccess adds who could let in somebody who sees no workspace.
func homeAccess(v *frame.Visit, s belay.Principal, o *app.OrganizationView, page *homeOfPage) (err error) {
	if page.Blind = page.ByTeams && o.Blind; page.Blind {
		page.Owner, err = v.UI.App.AnOwner(v.Context(), s, o.Name)
	}
	return err
}

// homeRuns adds what runs now, and how all workspaces stand.
func homeRuns(v *frame.Visit, s belay.Principal, o *app.OrganizationView, page *homeOfPage) (err error) {
	lists, err := page.runs()
	if err != nil {
		return err
	}
	list := lists.unfinished
	if page.Start, err = start(v, s, o); err != nil {
		return err
	}
	page.Start.take(v, o)
	counts, err := page.figures()
	if err != nil {
		return err
	}
	page.Slots = slotsOf(counts.Capacity, list)
	more := len(list) > runsShownNow
	list = list[:min(len(list), runsShownNow)]
	if page.Now, err = workspaces.RunRows(v, list); err != nil {
		return err
	}
	for i := range list {
		page.Now[i].Title = list[i].Workspace
	}
	page.MoreRuns = more
	page.Strip = stripOf(o.Name, counts.Workspaces)
	return nil
}

// firstDay is the first of the days whose runs are counted.
func firstDay(v *frame.Visit) time.Time {
	return v.UI.Now().UTC().Truncate(24*time.Hour).AddDate(0, 0, 1-daysOfHome)
}

// homeDays adds how many runs ended how on each of the last days; each day leads to its runs.
func homeDays(v *frame.Visit, s belay.Principal, o *app.OrganizationView, page *homeOfPage) error {
	read, err := page.figures()
	if err != nil || len(read.Days) == 0 {
		return err
	}
	from, list := firstDay(v), read.Days
	var counts [daysOfHome][3]int // finished, failed, all others
	defer func() { page.runsToday = counts[daysOfHome-1][0] + counts[daysOfHome-1][1] + counts[daysOfHome-1][2] }()
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
			label += ", " + frame.Many(n[2], "other", "others")
		}
		columns[i] = draw.Column{Label: label, Path: page.Runs + "?day=" + day.Format(time.DateOnly), Parts: []draw.Part{{Of: n[0], Fill: "p0"}, {Of: n[2], Fill: "p5"}, {Of: n[1], Fill: "p3"}}}
	}
	page.Days = draw.Columns("Runs by day", columns, from.Format("2 Jan"), "today", frame.Count)
	return nil
}

// homeActivity adds what happened last, for those who read the audit trail.
func homeActivity(_ *frame.Visit, _ belay.Principal, o *app.OrganizationView, page *homeOfPage) error {
	if page.happened == nil {
		return nil
	}
	list, err := page.happened()
	page.Happened, page.AllHappened = happenedRows(o.Name, list), frame.OrganizationPath(o.Name, "audit")
	return err
}
