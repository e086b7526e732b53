package workspaces

import (
	"cmp"
	"encoding/json"
	"html/template"
	"slices"
	"time"

	"github.com/belayhq/belay"
	"github.com/belayhq/belay/internal/app"
	"github.com/belayhq/belay/internal/ui/draw"
	"github.com/belayhq/belay/internal/ui/frame"
	"github.com/belayhq/belay/run"
)

// overviewPage is what a workspace is at a glance.
type overviewPage struct {
	Path, Organization, Name, Host string
	Source                         string // what other configurations can call its state
	Description                    string
	Settings                       []frame.Setting
	Waits                          *waitPart // what somebody has to decide or see; nil: nothing
	State                          statePart
	Runs                           *runsFigures // nil: the visitor may not read runs
	Waiting                        []InboxRow   // change requests
	OpenRequests                   int
}

// waitPart is the one thing of the current run that somebody has to see.
type waitPart struct {
	Class, Icon, Text, By, Path, Button string
	At                                  time.Time
	Counts                              run.Counts
	HasCounts                           bool
}

// runsFigures is the newest runs, and how many there were lately.
type runsFigures struct {
	Rows  []RunRow
	Total int
	Month int // in the last lateDays
	Took  time.Duration
}

// statePart is the current state of the workspace.
type statePart struct {
	Hidden  bool // the visitor may not read it
	There   bool
	Serial  int64
	At      time.Time
	By      string
	Size    int64
	Engine  string
	Managed int
	Problem string
	Total   int           // how many states there were
	Line    template.HTML // the resources of the newest states
	Heat    template.HTML // of 26 weeks
	Types   []typeRow     // the most frequent ones
	Kinds   int           // how many types there are

	OutputsHidden bool
	Outputs       []outputRow
	MoreOutputs   int
	OutputCount   int
}

// typeRow is how many resources there are of a type.
type typeRow struct {
	Name  string
	Count int
	Bar   template.HTML
}

// The most that the page shows of what a workspace has.
const (
	latestRuns     = 6
	latestRequests = 3
	mostTypes      = 5
	heatWeeks      = 26
	mostMarks      = 200
	lateDays       = 30
	sparkMarks     = 30
)

// overview is the first page of a workspace.
func (t *tabVisit) overview() (any, error) {
	page := &overviewPage{
		Path: t.path, Organization: t.o.Name, Name: t.w.Name, Host: t.HostName(), Source: sourceName(t.w.Name), Description: t.w.Description, Settings: settingsOf(&t.w, t.beside.Pool), OpenRequests: t.w.OpenChangeRequests,
	}
	for _, fill := range []func(*overviewPage) error{t.fillRuns, t.fillState, t.fillHistory, t.fillOutputs, t.fillRequests} {
		if err := fill(page); err != nil {
			return nil, err
		}
	}
	return page, nil
}

// settingsOf is the settings at a glance; those that say nothing are left out.
func settingsOf(w *app.WorkspaceView, pool string) (list []frame.Setting) {
	add := func(name, value string) {
		if value != "" {
			list = append(list, frame.Setting{Name: name, Value: value})
		}
	}
	add("Runs", executionText(w, pool))
	add("Applied", map[bool]string{true: "at once", false: "after somebody confirms them"}[w.AutoApply])
	add("Folder", w.WorkingDirectory)
	add("State read by", sharingText(w))
	if at := w.DestroyAt(); !at.IsZero() {
		add("Is destroyed", frame.Minute(at))
	}
	add("Id", w.ID)
	add("Made", frame.Minute(w.CreatedAt))
	return list
}

func executionText(w *app.WorkspaceView, pool string) string {
	text := map[belay.ExecutionMode]string{
		belay.RemoteExecution: "here (remote)", belay.AgentExecution: "on agents of the pool " + pool,
		belay.LocalExecution: "with whoever uses it (local)",
	}[w.Mode()]
	if !w.OwnsExecution {
		text += ", as its project or organization has it"
	}
	return text
}

func sharingText(w *app.WorkspaceView) string {
	switch {
	case w.GlobalRemoteState:
		return "runs of all workspaces of the organization"
	case w.ProjectRemoteState:
		return "runs of the workspaces of its project"
	default:
		return "runs of the workspaces that it names"
	}
}

// fillRuns adds the newest runs, and what the current one waits for.
func (t *tabVisit) fillRuns(page *overviewPage) error {
	if !t.w.Can.Has(belay.ReadRuns) {
		return nil
	}
	figures := &runsFigures{Total: t.beside.Runs, Month: t.beside.Late}
	list, _, err := t.UI.Runs.List(t.Context(), t.s, t.ref(), run.Query{Briefly: true, Page: belay.Page{Number: 1, Size: latestRuns}})
	if err != nil {
		return err
	}
	page.Runs = figures
	if figures.Rows, err = CommitRows(t.Visit, list); err != nil {
		return err
	}
	if f := t.w.RunFigures; f != nil {
		figures.Took = (time.Duration(max(f.PlanMillis, 0)+max(f.ApplyMillis, 0)) * time.Millisecond).Truncate(time.Second)
	}
	for i := range list {
		if list[i].ID == t.w.CurrentRunID {
			page.Waits = waitOf(&list[i].Run, figures.Rows[i])
		}
	}
	return nil
}

// waitOf is what the current run asks of whoever looks; nil: nothing.
func waitOf(r *run.Run, row RunRow) *waitPart {
	part := &waitPart{Class: row.Status.Class, Icon: row.Status.Icon, By: row.By, Path: row.Path, At: row.At, Counts: row.Counts, HasCounts: row.HasCounts}
	switch {
	case r.Status == run.Planned:
		part.Text, part.Button = "A plan waits for confirmation", "Review plan"
	case r.Status == run.Errored:
		part.Text, part.Button = "The last run failed", "Open log"
	case !r.Status.Final() && row.Status.Class == "run":
		part.Text, part.Button = row.Status.Text, "Follow"
	default:
		return nil
	}
	return part
}

func (t *tabVisit) fillState(page *overviewPage) error {
	part := &page.State
	if part.Hidden = !t.w.Can.Has(belay.ReadState); part.Hidden || t.w.CurrentStateVersionID == "" {
		return nil
	}
	state, err := t.UI.App.CurrentStateVersion(t.Context(), t.s, t.ref())
	if belay.KindOf(err) == belay.NotFound {
		return nil // it went meanwhile
	}
	if err != nil {
		return err
	}
	users, err := t.Names(state.CreatedBy)
	if err != nil {
		return err
	}
	part.There, part.Serial, part.At, part.By, part.Size = true, state.Serial, state.CreatedAt, users[state.CreatedBy], state.State.Size
	part.Managed, part.Engine, part.Problem = state.Contents.ManagedCount, state.Contents.EngineVersion, state.Problem
	part.Types, part.Kinds = typesOf(state.Contents.Resources)
	return nil
}

// typesOf is the types that a state has most of.
func typesOf(resources json.RawMessage) (rows []typeRow, kinds int) {
	var list []struct {
		Type  string `json:"type"`
		Count int    `json:"count"`
	}
	if json.Unmarshal(resources, &list) != nil {
		return nil, 0
	}
	counts := map[string]int{}
	for _, r := range list {
		counts[r.Type] += r.Count
	}
	for name, n := range counts {
		rows = append(rows, typeRow{Name: name, Count: n})
	}
	slices.SortFunc(rows, func(a, b typeRow) int { return cmp.Or(b.Count-a.Count, cmp.Compare(a.Name, b.Name)) })
	kinds = len(rows)
	rows = rows[:min(len(rows), mostTypes)]
	for i := range rows {
		rows[i].Bar = draw.Bar("bar", "", rows[0].Count, draw.Part{Of: rows[i].Count, Fill: "p0"})
	}
	return rows, kinds
}

// fillHistory adds how the resources went, and on which days states came.
func (t *tabVisit) fillHistory(page *overviewPage) error {
	part := &page.State
	if !part.There {
		return nil
	}
	part.Total = t.beside.States
	days, today := make([]int, 7*heatWeeks), t.UI.Now().UTC().Truncate(24*time.Hour)
	var line []int
	for i, m := range t.beside.Marks {
		if i < sparkMarks {
			line = append(line, m.Managed)
		}
		if ago := int(today.Sub(m.CreatedAt.UTC().Truncate(24*time.Hour)).Hours() / 24); ago >= 0 && ago < len(days) {
			days[len(days)-1-ago]++
		}
	}
	slices.Reverse(line)
	part.Line = draw.Spark("", line)
	part.Heat = draw.Heat("State versions by day, the newest at the right", days, 7)
	return nil
}

func (t *tabVisit) fillOutputs(page *overviewPage) error {
	part := &page.State
	if part.OutputsHidden = !t.w.Can.Has(belay.ReadOutputs); part.OutputsHidden || t.w.CurrentStateVersionID == "" {
		return nil
	}
	list, err := t.UI.App.CurrentStateOutputs(t.Context(), t.s, t.ref())
	if belay.KindOf(err) == belay.NotFound {
		return nil // it went meanwhile
	}
	part.Outputs, part.OutputCount = t.outputRows(list), len(list)
	part.MoreOutputs = len(list) - len(part.Outputs)
	return err
}
