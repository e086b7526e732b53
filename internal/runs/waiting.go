package runs

import (
	"context"
	"slices"

	"github.com/belayhq/belay"
	"github.com/belayhq/belay/internal/gate"
	"github.com/belayhq/belay/internal/store"
	"github.com/belayhq/belay/run"
)

// waitStatuses are those of runs that wait, for somebody or in the queue.
var waitStatuses = []string{string(run.Pending), string(run.PlanQueued), string(run.Planned), string(run.PlannedAndSaved), string(run.ApplyQueued)}

// InProjects is how many workspaces of projects have a current run that waits, by its status, and how many resources they manage
// (store.View.InProjects): of those projects whose runs the caller may read.
func (m *Room) InProjects(ctx context.Context, s belay.Principal, organization string, ids []string) (groups []belay.WorkspaceGroup, err error) {
	err = m.DB.View(ctx, func(v *store.View) error {
		o, access, err := gate.Organization(v, s, organization, belay.Traverse)
		if err != nil {
			return err
		}
		ids = slices.DeleteFunc(slices.Clone(ids), func(id string) bool { return !access.OnProject(id).Has(belay.ReadWorkspace.And(belay.ReadRuns)) })
		if len(ids) == 0 {
			return nil
		}
		groups, err = v.InProjects(o, ids, waitStatuses)
		return err
	})
	return groups, err
}
