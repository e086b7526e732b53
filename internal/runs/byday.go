package runs

import (
	"context"
	"time"

	"github.com/belayhq/belay"
	"github.com/belayhq/belay/internal/gate"
	"github.com/belayhq/belay/internal/store"
	"github.com/belayhq/belay/run"
)

// MostByDay is how many runs are counted by day.
const MostByDay = 20_000

// ByDay is how many runs the caller sees of an organization by day and status, since a time. Of more
// than MostByDay the newest are counted.
func (m *Room) ByDay(ctx context.Context, s belay.Principal, organization string, since time.Time) (list []run.DayCount, err error) {
	err = m.DB.View(ctx, func(v *store.View) error {
		o, access, err := gate.Organization(v, s, organization, belay.Traverse)
		if err != nil {
			return err
		}
		list, err = v.RunsByDay(run.Query{OrganizationID: o.ID, Scope: access.Scope(belay.ReadWorkspace.And(belay.ReadRuns)), From: since}, MostByDay)
		return err
	})
	return list, err
}
