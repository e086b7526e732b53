package workspaces

import (
	"html/template"
	"strconv"
	"strings"
	"time"

	"github.com/belayhq/belay/internal/runs"
	"github.com/belayhq/belay/internal/ui/draw"
	"github.com/belayhq/belay/internal/ui/frame"
	"github.com/belayhq/belay/internal/ui/logtext"
	"github.com/belayhq/belay/run"
)

// phasePart is a plan or an apply, with the lines of its log.
type phasePart struct {
	Name, Title    string
	Kind           string // plan or apply
	Counts         run.Counts
	HasCounts      bool
	Begun, Grows   bool
	Cut            bool // it is longer than a page reads
	Path, Find     string
	Lines, Hits    []logtext.Line
	Found, Count   int
	Issues         []logtext.Issue
	MoreIssues     int
	Timed          bool       // it is known when its lines came
	Earlier, Later string     // where more lines are
	Whole          string     // where all of the log is read
	Ways           frame.Segs // between a plan as a difference and as this text; empty: both are shown
	size           int64      // of what was read of it
}

// At is where a line is shown among those around it.
func (p phasePart) At(n int) string {
	return p.Path + "?log=" + p.Kind + "&from=" + strconv.Itoa(max(1, n-logtext.Above)) + "#" + p.Name + "-" + strconv.Itoa(n)
}

// To is where a line is: on this page, if it is shown there.
func (p phasePart) To(n int) string {
	if last := len(p.Lines) - 1; p.Find == "" && last >= 0 && p.Lines[0].N <= n && n <= p.Lines[last].N {
		return "#" + p.Name + "-" + strconv.Itoa(n)
	}
	return p.At(n)
}

// fillLogs adds what the engine said: the last lines, or those that the address asks for.
func fillLogs(v *frame.Visit, r *runs.View, page *runPage) error {
	plan, apply := v.UI.Logs.URLs(&r.Run)
	page.works = newWorks()
	for _, part := range []struct {
		of    *run.Phase
		whole string
		into  *phasePart
	}{
		{&r.Plan.Phase, plan.Path(), &page.Plan}, {&r.Apply.Phase, apply.Path(), &page.Apply},
	} {
		p := part.into
		*p = phasePart{Kind: "plan", Title: "Plan", Path: page.Path, Whole: part.whole, Counts: part.of.Counts, HasCounts: part.of.Status == run.PhaseFinished}
		scan := logtext.Scan{}
		var err error
		if p == &page.Apply {
			p.Kind, p.Title, scan.Line = "apply", "Apply", page.works.take
		}
		p.Name = "log-" + p.Kind
		most := int64(logtext.First)
		if v.Asked("log") == p.Kind {
			most = logtext.Largest
			p.Find = frame.Cut(v.Asked("find"), frame.LongestAsk)
			scan.Find = strings.ToLower(p.Find)
			scan.From, _ = strconv.Atoi(v.Asked("from"))
			scan.Lit = logtext.Asked(v.Asked("lines"))
			if scan.From == 0 && scan.Lit.First > 0 {
				scan.From = max(1, scan.Lit.First-logtext.Above)
			}
		}
		if scan.Times, err = v.UI.Logs.Times(v.Context(), part.of.ID); err != nil {
			return err
		}
		p.Timed = len(scan.Times) > 0
		came, ended, err := logtext.Read(v.Context(), v.UI.Logs.Piece, part.of.ID, 0, most, scan.Take)
		if err != nil {
			return err
		}
		scan.End()
		p.size, p.Cut, p.Grows = came, !ended && came >= most, !ended && !r.Status.Final()
		p.show(&scan)
	}
	return nil
}

// show takes what was found of the log, and the ways to the rest of it.
func (p *phasePart) show(scan *logtext.Scan) {
	p.Begun, p.Count, p.Found, p.Hits, p.Lines = scan.N > 0, scan.N, scan.Found, scan.Hits, scan.Lines()
	p.Issues, p.MoreIssues = scan.Issues, scan.More
	way := func(from int) string {
		return p.Path + "?log=" + p.Kind + "&from=" + strconv.Itoa(from) + "#" + p.Name
	}
	if len(p.Lines) == 0 {
		if p.Begun { // the address asks for lines that are not there
			p.Earlier = p.Path + "#" + p.Name
		}
		return
	}
	if first := p.Lines[0].N; first > 1 {
		p.Earlier = way(max(1, first-logtext.MostLines))
	}
	if last := p.Lines[len(p.Lines)-1].N; last < p.Count {
		p.Later = way(last + 1)
	}
}

// timeBar is how long something took, and when within the whole.
type timeBar struct {
	Name, Took string
	Bar        template.HTML
}

// timesOf is the phases of a run, each as long as it took.
func timesOf(r *runs.View, now time.Time) []timeBar {
	over := now
	if r.Status.Final() {
		over = r.UpdatedAt
	}
	end := func(statuses ...run.Status) time.Time {
		if at := first(r.Stamps, statuses...); !at.IsZero() {
			return at
		}
		return over
	}
	planned := first(r.Stamps, run.Planned, run.PlannedAndSaved, run.PlannedAndFinished)
	var list []timeBar
	whole := over.Sub(r.CreatedAt)
	for _, part := range []struct {
		name, fill  string
		began, over time.Time
	}{
		{"Queued", "p5", r.CreatedAt, end(run.Planning)},
		{"Plan", "p1", r.Stamps.At(run.Planning), cmpTime(planned, over)},
		{"Waited for confirmation", "p2", r.Stamps.At(run.Planned), end(run.Confirmed, run.ApplyQueued, run.Applying)},
		{"Waited for a runner", "p5", r.Stamps.At(run.ApplyQueued), end(run.Applying)},
		{"Apply", "p0", r.Stamps.At(run.Applying), end(run.Applied)},
	} {
		if took := part.over.Sub(part.began); !part.began.IsZero() && took >= 0 && whole > 0 {
			list = append(list, timeBar{part.name, frame.Span(took), draw.Span("meter", part.fill, part.began.Sub(r.CreatedAt).Seconds(), took.Seconds(), whole.Seconds())})
		}
	}
	if len(list) < 2 {
		return nil // there is nothing to set beside each other
	}
	return list
}

func cmpTime(at, or time.Time) time.Time {
	if at.IsZero() {
		return or
	}
	return at
}
