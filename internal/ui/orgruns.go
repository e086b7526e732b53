package ui

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/belayhq/belay"
	"github.com/belayhq/belay/internal/runs"
	"github.com/belayhq/belay/run"
)

// mostUnfinished is how many runs that are not over a page of an organization shows.
const mostUnfinished = 50

// runStates are what the latest runs of an organization can be narrowed to.
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

// orgRuns is the page of the runs of an organization: what waits for somebody, what goes on,
// what is in the queue, and the latest of all.
func (t *orgVisit) orgRuns() (*view, error) {
	if t.id != "" {
		return nil, belay.ErrNotFound
	}
	page := &sheet{Title: "Runs", Sub: "What waits, runs and ran in the workspaces whose runs you may read.", Searchable: true, Search: t.asked("search")}
	unfinished, err := t.unfinished(t.Context(), t.s, t.o.Name)
	if err != nil {
		return nil, err
	}
	if page.Search == "" {
		if err := t.runsThatGoOn(page, unfinished); err != nil {
			return nil, err
		}
	}
	latest, err := t.latestRuns(page.Search)
	if err != nil {
		return nil, err
	}
	page.Main = append(page.Main, latest)
	made, err := t.sheet(page)
	if err == nil {
		made.live = watching("organization", t.o.Name, organizationRevision(t.o.WorkspaceCount, unfinished))
	}
	return made, err
}

// unfinished is the runs of an organization that are not over.
func (v *visit) unfinished(ctx context.Context, s belay.Principal, organization string) ([]runs.View, error) {
	list, _, err := v.ui.Runs.ListOfOrganization(ctx, s, organization, run.Query{Unfinished: true, Page: belay.Page{Number: 1, Size: mostUnfinished}})
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

// runsThatGoOn adds what waits for a decision, what runs and what is in the queue.
func (t *orgVisit) runsThatGoOn(page *sheet, unfinished []runs.View) error {
	waiting, _, err := t.ui.Runs.ListOfOrganization(t.Context(), t.s, t.o.Name, run.Query{Statuses: []string{string(run.Planned)}, Page: belay.Page{Number: 1, Size: mostUnfinished}})
	if err != nil {
		return err
	}
	var running, queued []runs.View
	for i := range unfinished {
		r := &unfinished[i]
		switch word := statusWords[r.Status]; {
		case r.Status == run.Planned:
		case word.Class == "run":
			running = append(running, *r)
		default:
			queued = append(queued, *r)
		}
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
		c, err := t.runsCard(part.id, part.title, part.list)
		if err != nil {
			return err
		}
		c.Note, c.Empty = count(len(part.list)), part.empty
		page.Main = append(page.Main, c)
	}
	return nil
}

// runsCard is runs as a table.
func (t *orgVisit) runsCard(id, title string, list []runs.View) (card, error) {
	rows, err := t.runRows(list)
	g := newGrid("Table of runs: "+title, "Run", "Status", "-Changes", "-By", "Begun")
	for i, row := range rows {
		name, status := link(row.Title, row.Path), cell{Text: row.Status.Text, Pill: row.Status.Class, Icon: row.Status.Icon}
		name.Sub = list[i].Workspace
		if status.Pill == "" {
			status.Pill = "idle"
		}
		changes := cell{}
		if row.HasCounts {
			changes.Text = fmt.Sprintf("+%s ~%s −%s", count(row.Counts.Additions), count(row.Counts.Changes), count(row.Counts.Destructions))
		}
		g.row(nil, name, status, changes, person(row.By), moment(row.At))
	}
	return card{ID: id, Title: title, Grid: g}, err
}

// latestRuns is the newest runs, as far as they fit what the address asks for.
func (t *orgVisit) latestRuns(search string) (card, error) {
	at, asked := t.page(pageSize), t.asked("status")
	want := run.Query{Basic: search, Page: at}
	var shown []seg
	for _, state := range runStates {
		if state.param == asked {
			want.Statuses = state.statuses
		}
		shown = append(shown, seg{state.name, t.link(t.path, "status", state.param, "page", ""), state.param == asked})
	}
	list, more, err := t.ui.Runs.ListOfOrganization(t.Context(), t.s, t.o.Name, want)
	if err != nil {
		return card{}, err
	}
	c, err := t.runsCard("latest", "Latest", list)
	c.Seg, c.Empty = shown, "No run fits."
	c.Turns = turns{Number: at.Number}
	if at.Number > 1 {
		c.Turns.Previous = t.atPage(t.path, at.Number-1)
	}
	if more {
		c.Turns.Next = t.atPage(t.path, at.Number+1)
	}
	return c, err
}

func (v *visit) watchedOrganization(id string) look {
	return func(ctx context.Context, s belay.Principal) (string, bool, error) {
		o, err := v.ui.App.Organization(ctx, s, id)
		if err != nil {
			return "", false, err
		}
		list, err := v.unfinished(ctx, s, o.Name)
		return organizationRevision(o.WorkspaceCount, list), false, err
	}
}
