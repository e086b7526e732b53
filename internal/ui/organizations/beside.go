package organizations

import (
	"slices"
	"time"

	"github.com/belayhq/belay"
	"github.com/belayhq/belay/internal/app"
	"github.com/belayhq/belay/internal/ui/draw"
	"github.com/belayhq/belay/internal/ui/frame"
	"github.com/belayhq/belay/internal/ui/workspaces"
	"github.com/belayhq/belay/run"
)

// beside is what stands in a list beside what is in the rows of its workspaces: nothing is asked
// for that no column shows.
type beside struct {
	projects, pools map[string]string
	bindings        map[string][]workspaces.BindingRow
	weeks           map[string][]int
	showsWeeks      bool
	engines         belay.Engines
	assessments     map[string]run.Assessment // the newest ones that the visitor may read, by id
}

// besideRows finds what the columns show beside the rows.
func besideRows(v *frame.Visit, s belay.Principal, list []app.WorkspaceView, known []app.ProjectView, shows map[string]bool) (*beside, error) {
	b := &beside{projects: map[string]string{}, pools: map[string]string{}, bindings: map[string][]workspaces.BindingRow{}}
	for i := range known {
		b.projects[known[i].ID] = known[i].Name
	}
	var names []string
	if shows["project"] && slices.ContainsFunc(list, func(w app.WorkspaceView) bool { return b.projects[w.ProjectID] == "" }) {
		names = append(names, "project")
	}
	if shows["tags"] || shows["team"] {
		names = append(names, "effective_tag_bindings")
	}
	if shows["pool"] {
		names = append(names, "agent_pool")
	}
	related, err := v.UI.App.Related(v.Context(), s, list, names)
	for _, p := range related.Projects {
		b.projects[p.ID] = p.Name
	}
	for _, p := range related.Pools {
		b.pools[p.ID] = p.Name
	}
	for _, t := range related.Bindings {
		b.bindings[t.WorkspaceID] = append(b.bindings[t.WorkspaceID], workspaces.BindingRow{Key: t.Key, Value: t.Value, Inherited: t.ProjectID != ""})
	}
	if err == nil && shows["engine"] {
		b.engines, err = v.UI.App.EnginesNow(v.Context())
	}
	if err == nil {
		err = b.assess(v, s, list, shows["drift"])
	}
	if err != nil || !shows["weeks"] {
		return b, err
	}
	today := v.UI.Now().UTC().Truncate(24 * time.Hour)
	b.weeks, err = v.UI.App.StatesByWeek(v.Context(), list, today.AddDate(0, 0, 1-7*listWeeks), listWeeks)
	b.showsWeeks = true
	return b, err
}

// assess finds the newest assessments of workspaces of one organization, where they are shown.
func (b *beside) assess(v *frame.Visit, s belay.Principal, list []app.WorkspaceView, shown bool) error {
	var ids []string
	for i := range list {
		if shown && list[i].AssessmentID != "" {
			ids = append(ids, list[i].AssessmentID)
		}
	}
	if len(ids) == 0 {
		return nil
	}
	found, err := v.UI.Runs.AssessmentsByID(v.Context(), s, list[0].Organization.Name, ids)
	b.assessments = map[string]run.Assessment{}
	for i := range found {
		b.assessments[found[i].ID] = found[i].Assessment
	}
	return err
}

// driftText is what an assessment found of resources, in words; of one that failed, why.
func driftText(a *run.Assessment) string {
	if !a.Succeeded {
		return a.Problem
	}
	return frame.Count(a.ResourcesDrifted) + " of " + frame.Many(a.ResourcesDrifted+a.ResourcesUndrifted, "resource", "resources")
}

// weeksOf is the states of a workspace by week, to those who may read them.
func (b *beside) weeksOf(w *app.WorkspaceView) []int {
	switch counts := b.weeks[w.ID]; {
	case !b.showsWeeks || !w.Can.Has(belay.ReadState):
		return nil
	case counts == nil:
		return noStates
	default:
		return counts
	}
}

// noStates is weeks without a state.
var noStates = make([]int, listWeeks)

// drawWeeks writes the states by week as a strip.
func drawWeeks(m *frame.Markup, counts []int) {
	total := 0
	for _, n := range counts {
		total += n
	}
	m.By(func(dst []byte) []byte {
		return draw.AppendHeat(dst, frame.Many(total, "state", "states")+" in 12 weeks", counts, 1)
	})
}
