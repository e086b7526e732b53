package runs

import (
	"context"

	"github.com/belayhq/belay"
	"github.com/belayhq/belay/internal/store"
)

// Waiting is how much waits for the caller in each of some organizations, by id: plans to confirm, and locks of its own.
func (m *Room) Waiting(ctx context.Context, s belay.Principal, in []belay.Organization) (counts map[string]int, err error) {
	err = m.DB.View(ctx, func(v *store.View) error {
		apply := make(map[string]belay.Scope, len(in))
		for _, o := range in {
			access, err := v.Access(s, o)
			switch {
			case belay.KindOf(err) == belay.Unauthenticated: // it takes no tokens of users
			case err != nil:
				return err
			case access.Everywhere.Has(belay.Traverse):
				apply[o.ID] = access.Scope(belay.ReadWorkspace.And(belay.ApplyRuns))
			}
		}
		if len(apply) == 0 {
			return nil
		}
		counts, err = v.WaitingByOrganization(s.Holder().ID, apply)
		return err
	})
	return counts, err
}
