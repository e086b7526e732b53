package workspaces

import (
	"fmt"
	"html/template"
	"strings"
	"time"

	"github.com/belayhq/belay/internal/runs"
	"github.com/belayhq/belay/internal/ui/draw"
	"github.com/belayhq/belay/internal/ui/frame"
	"github.com/belayhq/belay/run"
)

// runsPage is the runs of a workspace.
type runsPage struct {
	Runs  []RunRow
	Pulls []RunRow // plans of pull requests, which are folded away
	Open  bool     // but are not: there is nothing else, or they were looked for
	Turns frame.Turns
	Path  string
	Asked RunsAsked
	Strip template.HTML // how long the latest took
}

// RunRow is one run in a list.
type RunRow struct {
	Path, Title, By string
	Status          StatusWord
	At              time.Time
	Counts          run.Counts
	HasCounts       bool
	Kinds           []string // what sets it apart from a plain plan and apply
	Took            string   // empty: no runner has begun with it
	Sub             string   // what it waits for
	Commit          origin   // without a text: it is of none
	Pull            int      // the number of the pull request that it plans; 0: of none
	took            time.Duration
}

const (
	runsPerPage = 50
	leastDrawn  = 5 // of so few runs no picture is drawn
)

// runStates are what runs can be narrowed to.
var runStates = []struct {
	name, param string
	statuses    []string
}{
	{"All", "", nil},
	{"Applied", "applied", []string{string(run.Applied)}},
	{"Failed", "failed", []string{string(run.Errored)}},
	{"Planned", "planned", []string{string(run.PlannedAndFinished), string(run.PlannedAndSaved)}},
	{"Given up", "given-up", []string{string(run.Discarded), string(run.Canceled)}},
}

// RunsAsked is what the address of a list of runs narrows it to, and what it can be narrowed to.
type RunsAsked struct {
	Search, By, Status string
	Sources            []frame.Choice
	States             frame.Segs
	Any                bool // it is narrowed
}

// AskedRuns reads the address of a list of runs.
func AskedRuns(v *frame.Visit, path string) (want run.Query, asked RunsAsked) {
	asked = RunsAsked{Search: v.Asked("search"), By: v.Asked("by"), Sources: frame.Options(v.Asked("source"), frame.RunSources...)}
	want = run.Query{Basic: asked.Search, User: asked.By}
	for _, source := range asked.Sources {
		if source.On && source.Value != "" {
			want.Sources = []string{source.Value}
		}
	}
	for _, state := range runStates {
		here := state.param == v.Asked("status")
		if here {
			want.Statuses, asked.Status = state.statuses, state.param
		}
		asked.States = append(asked.States, frame.Seg{Name: state.name, Path: Link(v, path, "status", state.param, "page", ""), Here: here})
	}
	asked.Any = want.Basic != "" || want.User != "" || want.Sources != nil || want.Statuses != nil
	return want, asked
}

func runsPath(organization, workspace string) string {
	return frame.WorkspacePath(organization, workspace) + "/runs"
}

// ShowBelow shows what lies two steps below an organization: a page of a workspace, or the
// way to a run from the shorter address that command lines print.
func ShowBelow(v *frame.Visit) {
	organization, a, b, c := v.PathValue("organization"), v.PathValue("a"), v.PathValue("b"), v.PathValue("c")
	switch {
	case b == "runs" && (a != "workspaces" || strings.HasPrefix(c, "run-")):
		v.Redirect(RunPath(organization, a, c))
	case a == "workspaces" && c == "overview":
		v.Redirect(frame.WorkspacePath(organization, b))
	case a == "workspaces" && c != "":
		v.SetPathValue("name", b)
		ShowTab(v, c)
	default:
		frame.NoPage(v)
	}
}

// runs is the page of a workspace's runs.
func (t *tabVisit) runs() (any, error) {
	at := t.Page(runsPerPage)
	page := &runsPage{Path: runsPath(t.o.Name, t.w.Name)}
	want, asked := AskedRuns(t.Visit, page.Path)
	page.Asked, want.Page = asked, at
	list, total, err := t.UI.Runs.List(t.Context(), t.s, t.ref(), want)
	if err != nil {
		return nil, err
	}
	page.Turns = t.Turns(page.Path, at, total)
	rows, err := CommitRows(t.Visit, list)
	if len(list) >= leastDrawn {
		page.Strip = stripOf(rows)
	}
	for i := range rows {
		if rows[i].Pull != 0 {
			page.Pulls = append(page.Pulls, rows[i])
		} else {
			page.Runs = append(page.Runs, rows[i])
		}
	}
	page.Open = page.Asked.Any || len(page.Runs) == 0
	return page, err
}

// CommitRows is runs as rows of a table with what is known of their commits.
func CommitRows(v *frame.Visit, list []runs.View) ([]RunRow, error) {
	if err := v.UI.Runs.WithCommits(v.Context(), list); err != nil {
		return nil, err
	}
	return KnownRows(v, list)
}

// KnownRows is CommitRows of runs whose commits were read before.
func KnownRows(v *frame.Visit, list []runs.View) ([]RunRow, error) {
	rows, err := RunRows(v, list)
	for i := range rows {
		rows[i].tellCommit(&list[i])
	}
	return rows, err
}

// shortCommit is how many letters tell a commit from the others of its repository.
const shortCommit = 7

// tellCommit adds what is known of a run's commit.
func (row *RunRow) tellCommit(r *runs.View) {
	row.Commit.Text = frame.FirstLetters(r.CommitSHA, shortCommit)
	if r.Ingress == nil {
		return
	}
	row.Commit.URL = webAddress(r.Ingress.CommitURL)
	if n := r.Ingress.PullRequestNumber; n > 0 && r.PlanOnly {
		row.Pull = n
		row.Kinds = []string{fmt.Sprintf("pull request #%d", n)}
	}
}

// stripOf draws how long each of some runs took, the newest at the right, in the colour of what it came to.
func stripOf(rows []RunRow) template.HTML {
	fills := map[string]string{"ok": "p0", "run": "p1", "wait": "p2", "bad": "p3"}
	columns := make([]draw.Column, len(rows))
	for i := range rows {
		row := &rows[i]
		fill, known := fills[row.Status.Class]
		if !known {
			fill = "p5"
		}
		label := row.Title + ": " + row.Status.Text
		if row.Took != "" {
			label += ", took " + row.Took
		}
		columns[len(rows)-1-i] = draw.Column{Label: label, Path: row.Path, Parts: []draw.Part{{Of: max(1, int(row.took.Seconds())), Fill: fill}}}
	}
	return draw.Columns("Seconds that these runs took", columns, "earlier", "latest", func(n int) string { return frame.Span(time.Duration(n) * time.Second) })
}

// tookOf is how long runners were at work on a run, without what it waited for.
func tookOf(r *run.Run, now time.Time) (took time.Duration, begun bool) {
	over := now
	if r.Status.Final() {
		over = r.UpdatedAt
	}
	for _, part := range []struct{ began, ended time.Time }{
		{r.Stamps.At(run.Planning), first(r.Stamps, run.Planned, run.PlannedAndSaved, run.PlannedAndFinished)},
		{r.Stamps.At(run.Applying), r.Stamps.At(run.Applied)},
	} {
		if !part.began.IsZero() {
			begun, took = true, took+max(0, cmpTime(part.ended, over).Sub(part.began))
		}
	}
	return took, begun
}

// RunRows is runs as rows of a table.
func RunRows(v *frame.Visit, list []runs.View) ([]RunRow, error) {
	ids := make([]string, len(list))
	for i := range list {
		ids[i] = list[i].CreatedBy
	}
	names, err := v.Names(ids...)
	rows := make([]RunRow, len(list))
	for i := range list {
		r := &list[i]
		rows[i] = RunRow{
			Path: RunPath(r.Organization, r.Workspace, r.ID), Title: TitleOf(&r.Run), By: names[r.CreatedBy], Status: shortWordOf(&r.Run), At: r.CreatedAt,
			Counts: r.Plan.Counts, HasCounts: r.Plan.Status == run.PhaseFinished, Kinds: kindsOf(&r.Run),
		}
		if took, begun := tookOf(&r.Run, v.UI.Now()); begun {
			rows[i].Took, rows[i].took = frame.Span(took), took
		}
		if r.Position > 0 {
			rows[i].Sub = "place " + frame.Count(r.Position) + " in the queue"
		}
	}
	return rows, err
}
