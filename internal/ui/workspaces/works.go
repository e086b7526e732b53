package workspaces

import (
	"cmp"
	"html/template"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/belayhq/belay/internal/runs"
	"github.com/belayhq/belay/internal/ui/draw"
	"github.com/belayhq/belay/internal/ui/frame"
	"github.com/belayhq/belay/internal/ui/logtext"
	"github.com/belayhq/belay/run"
)

// worksPart is what an apply works on, or what took longest of it.
type worksPart struct {
	Title, Beside string
	Bar           template.HTML // of those that are done and at work; empty once the apply is over
	Rows          []workBar
}

// workBar is a resource that an apply works on, has worked on, or will.
type workBar struct {
	timeBar
	State string // in words
}

// work is what the log of an apply says of one resource.
type work struct {
	name  string
	began time.Time // when the line came that told it; zero: nobody knows
	took  time.Duration
	done  bool
}

// works is what the log of an apply says of resources, in the order in which they came.
type works struct {
	order []*work
	named map[string]*work
	ended int // changes that are complete: what is replaced is destroyed and made
}

func newWorks() *works { return &works{named: map[string]*work{}} }

// worksShown is how many resources are shown beside a log.
const worksShown = 12

var (
	workBegins = regexp.MustCompile(`^(\S.*): (?:Creating|Modifying|Destroying)\.\.\.`)
	workGoesOn = regexp.MustCompile(`^(\S.*): Still (?:creating|modifying|destroying)\.\.\. \[.*?([0-9hms]+) elapsed\]`)
	workEnds   = regexp.MustCompile(`^(\S.*): (?:Creation|Modifications|Destruction) complete after ([0-9hms]+)`)
)

// take reads a line, and when it came. Engines say how long it took, and not when it began.
func (w *works) take(line string, came time.Time) {
	if !strings.Contains(line, "ing...") && !strings.Contains(line, " complete after ") {
		return
	}
	line = logtext.Bare(line)
	for _, kind := range []*regexp.Regexp{workEnds, workGoesOn, workBegins} {
		m := kind.FindStringSubmatch(line)
		if m == nil {
			continue
		}
		of := w.named[m[1]]
		if of == nil {
			of = &work{name: m[1]}
			w.order, w.named[m[1]] = append(w.order, of), of
		}
		took := time.Duration(0)
		if kind != workBegins {
			took, _ = time.ParseDuration(m[2]) // what it may not read is no time
		}
		if of.done = kind == workEnds; of.done {
			w.ended++
		}
		if kind == workBegins || of.began.IsZero() {
			of.began = came
		}
		if early := came.Add(-took); !came.IsZero() && early.Before(of.began) {
			of.began = early // lines come in pieces, the first of them late
		}
		of.took = max(of.took, took)
		return
	}
}

// show is what stands beside the log of a run: while it is applied what is at work, what is done and
// what is still to come, in this order of room, and then what took longest.
func (w *works) show(r *runs.View, toCome []string, now time.Time) *worksPart {
	goesOn := r.Status == run.Applying
	atWork := 0
	for _, of := range w.order {
		if !of.done {
			atWork++
			if goesOn && !of.began.IsZero() {
				of.took = max(of.took, now.Sub(of.began))
			}
		}
	}
	if len(w.order) == 0 && (!goesOn || len(toCome) == 0) {
		return nil
	}
	part := &worksPart{Title: "What took longest"}
	if all := r.Plan.Counts.Additions + r.Plan.Counts.Changes + r.Plan.Counts.Destructions; goesOn {
		part.Title, part.Beside = "At work", frame.Count(atWork)+" at work"
		if all >= w.ended && all > 0 {
			part.Title = frame.Count(w.ended) + " of " + frame.Many(all, "change", "changes")
			part.Bar = draw.Bar("meter fat", "", all, draw.Part{Of: w.ended, Fill: "p0"}, draw.Part{Of: min(atWork, all-w.ended), Fill: "p1"})
		}
	}
	part.Rows = w.bars(goesOn, r.Stamps.At(run.Applying), now)
	for _, name := range toCome {
		if goesOn && len(part.Rows) < worksShown && w.named[name] == nil {
			part.Rows = append(part.Rows, workBar{timeBar{name, "waits", draw.Bar("meter", "", 0)}, ""})
		}
	}
	return part
}

// bars is the works that are shown, each where it was in the time of the apply, if that is known.
func (w *works) bars(goesOn bool, began, now time.Time) []workBar {
	list := slices.Clone(w.order)
	slices.SortStableFunc(list, func(a, b *work) int {
		if goesOn && a.done != b.done {
			return map[bool]int{true: 1, false: -1}[a.done]
		}
		return cmp.Compare(b.took, a.took)
	})
	list = list[:min(worksShown, len(list))]
	if goesOn {
		slices.SortStableFunc(list, func(a, b *work) int { return a.began.Compare(b.began) })
	}
	whole, placed := time.Second, !began.IsZero()
	for _, of := range w.order {
		placed = placed && !of.began.IsZero()
	}
	for _, of := range w.order {
		if whole = max(whole, of.took); placed {
			began = earlier(began, of.began)
			whole = max(whole, of.began.Add(of.took).Sub(began))
		}
	}
	if placed && goesOn {
		whole = max(whole, now.Sub(began))
	}
	var rows []workBar
	for _, of := range list {
		from, fill, state := 0.0, "p0", ""
		if !of.done {
			fill, state = "p1", "and is not done"
		}
		if placed {
			from = of.began.Sub(began).Seconds()
		}
		rows = append(rows, workBar{timeBar{of.name, frame.Span(of.took), draw.Span("meter", fill, from, of.took.Seconds(), whole.Seconds())}, state})
	}
	return rows
}

func earlier(a, b time.Time) time.Time {
	if b.Before(a) {
		return b
	}
	return a
}
