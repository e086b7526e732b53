package state

import (
	"context"
	"time"

	"github.com/belayhq/belay"
	"github.com/belayhq/belay/internal/gate"
	"github.com/belayhq/belay/internal/store"
)

// WaitingStates is the states of an organization whose upload was begun before a moment and is not finished, the oldest
// first: of workspaces that the caller may write states of.
func (m *Room) WaitingStates(ctx context.Context, s belay.Principal, organization string, before time.Time, most int) (list []store.WaitingState, err error) {
	err = m.db.View(ctx, func(v *store.View) error {
		o, access, err := gate.Organization(v, s, organization, belay.Traverse)
		if err != nil {
			return err
		}
		list, err = v.WaitingStates(o.ID, access.Scope(belay.ReadState.And(belay.WriteState)), before, most)
		return err
	})
	return list, err
}
