package organizations

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/belayhq/belay"
	"github.com/belayhq/belay/internal/runs"
	"github.com/belayhq/belay/internal/ui/frame"
	"github.com/belayhq/belay/internal/ui/workspaces"
	"github.com/belayhq/belay/run"
)

// mostUnfinished is how many runs that are not over a page of an organization shows.
const mostUnfinished = 50

// OrgRuns is the page of the runs of an organization: what waits for somebody, what goes on,
// what is in the queue, and the latest of all.
func OrgRuns(t *frame.OrgVisit) (*frame.View, error) {
	if t.ID != "" {
		return nil, belay.ErrNotFound
	}
	want, asked := workspaces.AskedRuns(t.Visit, t.Path)
	page := &frame.Sheet{Title: "Runs", Sub: "What waits, runs and ran in the workspaces whose runs you may read.", Searchable: true, Search: asked.Search, Narrowed: asked.Any}
	page.Narrow = []frame.FormField{
		{Kind: "search", Name: "by", Label: "Begun by", Hint: "Begun by, whole name", Icon: "user", Value: asked.By, Max: 255},
		{Kind: "select", Name: "source", Label: "What they began through", Choices: asked.Sources},
		{Kind: "hidden", Name: "status", Value: asked.Status}, {Kind: "hidden", Name: "day", Value: t.Asked("day")},
	}
	latest := latestOf(t, &want)
	lists, err := readRuns(t, want)
	if err != nil {
		return nil, err
	}
	unfinished := lists[0]
	if !asked.Any && t.Asked("day") == "" {
		if err := runsThatGoOn(t, page, unfinished, lists[1]); err != nil {
			return nil, err
		}
	}
	if err := latest.fill(t, lists[2], asked.States); err != nil {
		return nil, err
	}
	page.Main = append(page.Main, latest.Card)
	made, err := t.Sheet(page)
	if err == nil {
		made.Live = frame.Watching("organization", t.Org.Name, organizationRevision(t.Org.WorkspaceCount, unfinished))
	}
	return made, err
}

// notOver finds the runs that are not over.
var notOver = run.Query{Unfinished: true, Briefly: true, Page: belay.Page{Number: 1, Size: mostUnfinished}}

// unfinished is the runs of an organization that are not over.
func unfinished(v *frame.Visit, ctx context.Context, s belay.Principal, organization string) ([]runs.View, error) {
	list, _, err := v.UI.Runs.ListOfOrganization(ctx, s, organization, notOver)
	return list, err
}

// organizationRevision is what pages of an organization show that changes while somebody looks.
func organizationRevision(workspaces int, unfinished []runs.View) string {
	var b strings.Builder
	fmt.Fprint(&b, workspaces)
	for i := range unfinished {
		fmt.Fprint(&b, " ", unfinished[i].ID, unfinished[i].Status)
	}
	return b.String()
}

// readRuns reads what is not over, what waits to be confirmed, and the latest that the address asks for, one more than
// fit, all with their commits.
func readRuns(t *frame.OrgVisit, want run.Query) ([][]runs.View, error) {
	waiting := run.Query{Statuses: []string{string(run.Planned)}, Page: belay.Page{Number: 1, Size: mostUnfinished}}
	lists, err := t.UI.Runs.ListsOfOrganization(t.Context(), t.Principal, t.Org.Name, notOver, waiting, want)
	if err != nil {
		return nil, err
	}
	all := slices.Concat(lists...)
	err = t.UI.Runs.WithCommits(t.Context(), all)
	for i := range lists {
		lists[i], all = all[:len(lists[i])], all[len(lists[i]):]
	}
	return lists, err
}

// runsThatGoOn adds what waits for a decision, what runs and what is in the queue.
func runsThatGoOn(t *frame.OrgVisit, page *frame.Sheet, unfinished, waiting []runs.View) error {
	var running, queued []runs.View
	for i := range unfinished {
		r := &unfinished[i]
		switch word := workspaces.StatusWords[r.Status]; {
		case r.Status == run.Planned:
		case word.Class == "run":
			running = append(running, *r)
		default:
			queued = append(queued, *r)
		}
	}
	capacity, err := capacityOf(t)
	if err != nil {
		return err
	}
	slices.Reverse(waiting) // who waits longest comes first
	slices.Reverse(queued)
	for _, part := range []struct {
		id, title, empty string
		list             []runs.View
	}{
		{"waiting", "Waiting for confirmation", "", waiting},
		{"running", "Running", "Nothing runs.", running},
		{"queued", "Queued", "", queued},
	} {
		if len(part.list) == 0 && part.empty == "" {
			continue
		}
		c, err := runsCard(t, part.id, part.title, part.list)
		if err != nil {
			return err
		}
		c.Note, c.Empty = frame.Count(len(part.list)), part.empty
		switch part.id {
		case "waiting":
			c.Form, c.Closed = discardForm(part.list), true
		case "running":
			c.Note = capacity
		case "queued":
			sayWhy(c.Grid, part.list, unfinished)
		}
		page.Main = append(page.Main, c)
	}
	return nil
}

// capacityOf is how many runs go on, and how many may.
func capacityOf(t *frame.OrgVisit) (string, error) {
	_, c, err := t.UI.Runs.Capacity(t.Context(), t.Principal, t.Org.Name)
	if err != nil || c.Limit <= 0 {
		return "", err
	}
	return frame.Count(c.Running) + " of " + frame.Count(c.Limit) + " at once", nil
}

// slotsOf is how many of an organization's runs wait for their turn, and how many go on of those that may.
func slotsOf(c run.Capacity, unfinished []runs.View) string {
	queued := 0
	for i := range unfinished {
		if unfinished[i].Status == run.Pending {
			queued++
		}
	}
	if c.Limit <= 0 {
		return ""
	}
	text := frame.Count(c.Running) + " of " + frame.Many(c.Limit, "slot", "slots") + " busy"
	if queued > 0 {
		text = frame.Count(queued) + " queued, " + text
	}
	return text
}

// sayWhy adds to the rows of runs in the queue what each waits for.
func sayWhy(g *frame.Grid, queued, unfinished []runs.View) {
	for i := range queued {
		g.Rows[i].Cells[1].Sub = whyItWaits(&queued[i], unfinished)
	}
}

// whyItWaits is what a run in the queue waits for, as far as the visitor may know it.
func whyItWaits(r *runs.View, unfinished []runs.View) string {
	if r.Status != run.Pending {
		if r.PoolID != "" {
			return "for an agent of its pool"
		}
		return "for a runner of the server"
	}
	for i := range unfinished {
		if other := &unfinished[i]; other.WorkspaceID == r.WorkspaceID && other.Status != run.Pending {
			return "for the run “" + frame.Cut(workspaces.TitleOf(&other.Run), 60) + "” of its workspace"
		}
	}
	return "for its workspace: an older run, a lock, or its turn among all runs"
}

// RunActs is what is done with runs that are ticked.
var RunActs = map[string]frame.Act{"discard": discardTicked}

// discardForm is those of some runs that the visitor may discard; nil: none.
func discardForm(list []runs.View) *frame.FormPart {
	field := frame.FormField{Kind: "checks", Name: "run", Label: "Plans"}
	for i := range list {
		if r := &list[i]; workspaces.ActsOf(r).Discard {
			field.Choices = append(field.Choices, frame.Choice{Value: r.ID, Text: workspaces.TitleOf(&r.Run) + " (" + r.Workspace + ")"})
		}
	}
	if len(field.Choices) == 0 {
		return nil
	}
	return &frame.FormPart{Do: "discard", Submit: "Discard several", Risk: true, Fields: []frame.FormField{field, {Kind: "text", Name: "comment", Label: "Comment", Hint: "others read it", Max: 1000}}}
}

// discardTicked discards runs one after the other. One that is in another state by now, or is not the
// visitor's to discard, stays as it is, and the others go on.
func discardTicked(t *frame.OrgVisit) (string, error) {
	ids := t.PostForm["run"]
	if len(ids) == 0 {
		return "", belay.Refuse(belay.Invalid, "Tick the plans first.")
	}
	refused := 0
	for _, id := range ids[:min(len(ids), mostUnfinished)] {
		r, err := t.UI.Runs.Show(t.Context(), t.Principal, id)
		if err == nil && r.Organization != t.Org.Name {
			err = belay.ErrNotFound
		}
		if err == nil {
			err = t.UI.Runs.Discard(t.Context(), t.Principal, id, t.Given("comment"))
		}
		switch {
		case err == nil:
		case belay.KindOf(err) == belay.Internal:
			return "", err
		default:
			refused++
		}
	}
	if refused > 0 {
		return "", belay.Refuse(belay.Conflict, "%s refused: decided by now, or not yours to discard. The others are discarded.", frame.Many(refused, "was", "were"))
	}
	return t.Path, nil
}

// runsCard is runs as a table.
func runsCard(t *frame.OrgVisit, id, title string, list []runs.View) (frame.Card, error) {
	rows, err := workspaces.KnownRows(t.Visit, list)
	g := frame.NewGrid("Table of runs: "+title, "Run", "Status", "-Commit", "-Changes", "-By", "Begun")
	for i, row := range rows {
		name, status := frame.Link(row.Title, row.Path), frame.Cell{Text: row.Status.Text, Pill: row.Status.Class, Icon: row.Status.Icon}
		name.Sub = list[i].Workspace
		if row.Pull != 0 {
			name.Sub += fmt.Sprintf(", plan of pull request #%d", row.Pull)
		}
		if status.Pill == "" {
			status.Pill = "idle"
		}
		changes := frame.Cell{}
		if row.HasCounts {
			changes.Text = fmt.Sprintf("+%s ~%s −%s", frame.Count(row.Counts.Additions), frame.Count(row.Counts.Changes), frame.Count(row.Counts.Destructions))
		}
		g.Row(nil, name, status, frame.Cell{Text: row.Commit.Text, Path: row.Commit.URL, Code: true}, changes, frame.Person(row.By), frame.Moment(row.At))
	}
	return frame.Card{ID: id, Title: title, Grid: g}, err
}

// latestRuns is the newest runs, as far as they fit what the address asks for.
type latestRuns struct {
	frame.Card
	at   belay.Page
	from time.Time
}

// latestOf has a query ask for the page and the day of the address, and for one run more than fits.
func latestOf(t *frame.OrgVisit, want *run.Query) *latestRuns {
	latest := &latestRuns{at: t.Page(frame.PageSize)}
	want.Page, want.Beyond = latest.at, 1
	if day, err := time.Parse(time.DateOnly, t.Asked("day")); err == nil {
		latest.from = day
		want.From, want.To = day, day.AddDate(0, 0, 1)
	}
	return latest
}

// fill shows what was found.
func (latest *latestRuns) fill(t *frame.OrgVisit, list []runs.View, states frame.Segs) (err error) {
	at, more := latest.at, len(list) > latest.at.Size
	if latest.Card, err = runsCard(t, "latest", "Latest", list[:min(len(list), at.Size)]); err != nil {
		return err
	}
	latest.Seg, latest.Empty = states, "No run fits."
	if !latest.from.IsZero() {
		latest.Title += ", of " + latest.from.Format("2 January 2006")
	}
	latest.Turns = frame.Turns{Number: at.Number}
	if at.Number > 1 && len(list) == 0 {
		latest.Turns.First = t.AtPage(t.Path, 1)
	}
	if at.Number > 1 {
		latest.Turns.Previous = t.AtPage(t.Path, at.Number-1)
	}
	if more {
		latest.Turns.Next = t.AtPage(t.Path, at.Number+1)
	}
	return nil
}

// WatchedOrganization looks at the runs of an organization that go on.
func WatchedOrganization(v *frame.Visit, id string) frame.Look {
	return func(ctx context.Context, s belay.Principal) (string, bool, error) {
		o, err := v.UI.App.Organization(ctx, s, id)
		if err != nil {
			return "", false, err
		}
		list, err := unfinished(v, ctx, s, o.Name)
		return organizationRevision(o.WorkspaceCount, list), false, err
	}
}
