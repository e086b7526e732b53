package runs

import (
	"context"
	"slices"
	"time"

	"github.com/belayhq/belay"
	"github.com/belayhq/belay/internal/gate"
	"github.com/belayhq/belay/internal/store"
	"github.com/belayhq/belay/run"
)

// MostByDay is how many runs are counted by day.
const MostByDay = 20_000

// OrganizationFigures is how many runs there were and are in an organization, and how its workspaces stand.
type OrganizationFigures = store.RunFigures

// Beside is what stands beside a workspace on its pages.
type Beside = store.Beside

// Figures is how many runs the caller sees of an organization by day and status, since a time, how busy the
// organization is, and to those who may see the runs of all workspaces, how many of these have a current run of each
// status. Of more than MostByDay the newest are counted.
func (m *Room) Figures(ctx context.Context, s belay.Principal, organization string, since time.Time) (f OrganizationFigures, err error) {
	err = m.DB.View(ctx, func(v *store.View) error {
		o, access, err := gate.Organization(v, s, organization, belay.Traverse)
		if err != nil {
			return err
		}
		need := belay.ReadWorkspace.And(belay.ReadRuns)
		all := access.Everywhere.Has(need)
		counts, kept := v.KeptByRunStatus(o)
		f, err = v.RunFigures(run.Query{OrganizationID: o.ID, Scope: access.Scope(need), From: since}, MostByDay, all && !kept)
		f.Limit = o.RunsAtOnce(m.RunLimit)
		switch {
		case all && kept:
			f.Workspaces = counts
		case all && err == nil:
			v.KeepByRunStatus(o, f.Workspaces)
		}
		return err
	})
	return f, err
}

// Beside is what stands beside a workspace on its pages, as far as the caller sees it: its tags, what its pool is called,
// how many runs there were, and since a moment, how many states, and
// so many of those who read its state last and of its newest states. A pool that the caller does not see is called by
// its id.
func (m *Room) Beside(ctx context.Context, s belay.Principal, ref belay.WorkspaceRef, since time.Time, readers, marks int) (b Beside, err error) {
	err = m.DB.View(ctx, func(v *store.View) error {
		w, access, err := gate.Workspace(v, s, ref, belay.ReadWorkspace)
		if err != nil {
			return err
		}
		pool := ""
		if w.Mode() == belay.AgentExecution {
			pool = w.PoolID()
		}
		b, err = v.Beside(&w, pool, since, readers, marks)
		can := access.OnWorkspace(w.ID, w.ProjectID)
		if !can.Has(belay.UpdateWorkspace) {
			b.Reads = nil
		}
		for i := range b.Reads {
			b.Reads[i].Conceal(access)
		}
		if !can.Has(belay.ReadRuns) {
			b.Runs, b.Late = 0, 0
		}
		if !can.Has(belay.ReadState) {
			b.States, b.Marks = 0, nil
		}
		if !access.Everywhere.Has(belay.ManageAgentPools) || b.Pool == "" {
			b.Pool = pool
		}
		return err
	})
	return b, err
}

// ListsOfOrganization is ListOfOrganization for several queries at once, in brief: a page of each.
func (m *Room) ListsOfOrganization(ctx context.Context, s belay.Principal, organization string, wants ...run.Query) (lists [][]View, err error) {
	lists = make([][]View, len(wants))
	err = m.DB.View(ctx, func(v *store.View) error {
		o, access, err := gate.Organization(v, s, organization, belay.Traverse)
		if err != nil {
			return err
		}
		for i := range wants {
			wants[i].OrganizationID, wants[i].Scope = o.ID, access.Scope(belay.ReadWorkspace.And(belay.ReadRuns))
		}
		each, err := v.RunsOfEach(wants)
		if err != nil {
			return err
		}
		seen, err := m.seenAll(v, access, slices.Concat(each...), false)
		for i, found := range each {
			for _, r := range found {
				if len(seen) > 0 && seen[0].ID == r.ID { // else its workspace is gone
					lists[i], seen = append(lists[i], seen[0]), seen[1:]
				}
			}
		}
		return err
	})
	return lists, err
}
