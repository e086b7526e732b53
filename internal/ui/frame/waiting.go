package frame

import (
	"context"
	"strconv"
	"time"

	"github.com/belayhq/belay"
	"github.com/belayhq/belay/internal/app"
	"github.com/belayhq/belay/run"
)

// What waits, and the most that is told of each kind of it.
const (
	InboxOfKind = 6
	FailedDays  = 7              // for so long somebody should look at what failed
	LongLock    = 24 * time.Hour // for so long a workspace may be locked before somebody should be asked about it
	stateWaits  = time.Hour      // for so long a state may be on its way
	runsSought  = 50             // the newest, among which those that wait are
	mostSought  = 50             // of each other kind: what is put off of them makes room for others
)

// MarkLetters is how long the mark of a thing is that can be put off.
const MarkLetters = 10

// LaterMark tells one thing that waits in an organization from all others.
func LaterMark(organization, kind, path string) string {
	return belay.HashToken("later:" + organization + " " + kind + " " + path)[:MarkLetters]
}

// waitCount is how many things wait that were not put off; more says that there are others of a kind that has many.
type waitCount struct {
	n    int
	more bool
}

// String is empty where nothing waits.
func (c waitCount) String() string {
	switch {
	case c.n == 0:
		return ""
	case c.more:
		return strconv.Itoa(c.n) + "+"
	default:
		return strconv.Itoa(c.n)
	}
}

// WaitingRuns are the runs among which are those that wait: plans, and what failed lately.
func (u *UI) WaitingRuns() (planned, failed run.Query) {
	newest := belay.Page{Number: 1, Size: runsSought}
	return run.Query{Statuses: []string{string(run.Planned)}, Page: newest},
		run.Query{Statuses: []string{string(run.Errored)}, From: u.Now().AddDate(0, 0, -FailedDays), Page: newest}
}

// Waiting is what waits in an organization for the visitor; the side bar says how much that is.
func (v *Visit) Waiting(ctx context.Context, o *app.OrganizationView) (app.Waiting, error) {
	w, count, err := v.UI.waiting(ctx, v.principal, o)
	if err == nil {
		v.waits = &count
	}
	return w, err
}

func (u *UI) waiting(ctx context.Context, s belay.Principal, o *app.OrganizationView) (w app.Waiting, count waitCount, err error) {
	now := u.Now()
	want := app.WaitingQuery{
		Locked: now.Add(-LongLock), Begun: now.Add(-stateWaits), Since: now.AddDate(0, 0, -FailedDays),
		RequestsOffered: u.OffersRequests(), RequestsLookedAt: PageSize, Most: mostSought,
	}
	want.Planned, want.Failed = u.WaitingRuns()
	if w, err = u.App.Waiting(ctx, s, o.Name, want); err == nil {
		count = countWaiting(o, &w)
	}
	return w, count, err
}

// WaitsIn is how many plans to confirm and own locks wait for somebody in each of some organizations, by id: as their homes say,
// with what was put off.
func (v *Visit) WaitsIn(ctx context.Context, s belay.Principal, in []belay.Organization) (map[string]int, error) {
	want := app.WaitingQuery{Most: mostSought}
	want.Planned, _ = v.UI.WaitingRuns()
	return v.UI.App.WaitsIn(ctx, s, in, want)
}

// MoreWaits says that more waits of a kind than is shown, as far as that was read.
func (v *Visit) MoreWaits() bool { return v.waits != nil && v.waits.more }

// countWaiting counts what waits as a home shows it.
func countWaiting(o *app.OrganizationView, w *app.Waiting) (c waitCount) {
	for _, marks := range marksOf(o, w) {
		n := 0
		for _, mark := range marks {
			if !w.PutOff[mark] {
				n++
			}
		}
		c.more = c.more || n > InboxOfKind
		c.n += min(n, InboxOfKind)
	}
	return c
}

// LockIcon is the icon of a lock that waits: one that its holder is asked for is something new to see.
func LockIcon(asked bool) string {
	if asked {
		return "chat"
	}
	return "lock"
}

// marksOf is the marks of what waits, by kind.
func marksOf(o *app.OrganizationView, w *app.Waiting) [][]string {
	var plans, failures, own, others, states, failed []string
	add := func(to *[]string, icon, path string) { *to = append(*to, LaterMark(o.Name, icon, path)) }
	for _, r := range w.Plans {
		add(&plans, "pause", RunPath(o.Name, r.Name, r.ID))
	}
	seen := map[string]bool{}
	for _, r := range w.Failures { // of each workspace the newest
		if !seen[r.Of] {
			seen[r.Of] = true
			add(&failures, "alert", RunPath(o.Name, r.Name, r.ID))
		}
	}
	for _, l := range w.Own {
		add(&own, LockIcon(l.Asked), WorkspacePath(o.Name, l.Name))
	}
	for _, l := range w.Others {
		add(&others, LockIcon(false), WorkspacePath(o.Name, l.Name))
	}
	for _, s := range w.States {
		add(&states, "alert", WorkspacePath(o.Name, s.Workspace)+"/state")
	}
	for _, f := range w.Failed {
		add(&failed, "bell", OrganizationPath(o.Name, "notifications/")+f.ID)
	}
	return [][]string{plans, failures, own, others, requestMarks(o, w.Requests), states, failed}
}

// requestMarks is the marks of open change requests, one for each subject: several of one lead to their campaign.
func requestMarks(o *app.OrganizationView, requests []app.Waits) []string {
	var paths []string
	at := map[string]int{}
	for _, r := range requests {
		if n, known := at[r.Name]; !known {
			at[r.Name] = len(paths)
			paths = append(paths, OnePath(r.ID))
		} else if o.Can.Has(belay.ReadExplorer) && r.Of != "" {
			paths[n] = OrganizationPath(o.Name, "changes/") + r.Of
		}
	}
	for i, path := range paths {
		paths[i] = LaterMark(o.Name, "flag", path)
	}
	return paths
}
