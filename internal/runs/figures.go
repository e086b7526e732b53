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

// ListsOfOrganization is ListOfOrganization for several queries at once: the first page of each.
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
		seen, err := m.seenAll(v, access, slices.Concat(each...))
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
