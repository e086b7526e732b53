package state

import (
	"context"

	"github.com/belayhq/belay"
	"github.com/belayhq/belay/internal/gate"
	"github.com/belayhq/belay/internal/store"
)

// Together reads the states of two serials at once, for the sitting of a page that shows both.
func (m *Room) Together(ctx context.Context, s belay.Principal, ref belay.WorkspaceRef, one, other int64) error {
	return m.db.View(ctx, func(v *store.View) error {
		w, err := gate.StateReader(v, s, ref, belay.ReadState)
		if err != nil {
			return err
		}
		return v.SeatSerials(w.ID, one, other)
	})
}

// SeatHistory reads what a page asks for that tells in which versions of one page of the history a resource of a serial changed,
// back from another, for the sitting of the page.
func (m *Room) SeatHistory(ctx context.Context, s belay.Principal, ref belay.WorkspaceRef, serial, from int64, page belay.Page) error {
	return m.db.View(ctx, func(v *store.View) error {
		w, err := gate.StateReader(v, s, ref, belay.ReadState)
		if err != nil {
			return err
		}
		return v.SeatHistory(w.ID, serial, from, mostLookedBack, page)
	})
}

// StateMarks is one page of the history of a workspace's state, the newest first: what a line
// of a list says of each, without what the states hold.
func (m *Room) StateMarks(ctx context.Context, s belay.Principal, ref belay.WorkspaceRef, page belay.Page) (list []belay.StateMark, err error) {
	err = m.db.View(ctx, func(v *store.View) error {
		w, err := gate.StateReader(v, s, ref, belay.ReadState)
		if err != nil {
			return err
		}
		list, err = v.StateMarks(w.ID, page)
		return err
	})
	return list, err
}

// WaitingState is the serial of the newest state of a workspace where it is in force only when the
// workspace is unlocked, and the serial of the one that it goes back to; negative where there is none.
func (m *Room) WaitingState(ctx context.Context, s belay.Principal, ref belay.WorkspaceRef) (serial, as int64, err error) {
	serial, as = -1, -1
	err = m.db.View(ctx, func(v *store.View) error {
		w, err := gate.StateReader(v, s, ref, belay.ReadState)
		if err != nil {
			return err
		}
		newest, err := v.NewestState(w.ID)
		if err != nil || newest == nil || !newest.Intermediate {
			return err
		}
		serial = newest.Serial
		whole, err := v.StateVersion(newest.ID)
		if err != nil || whole.RollbackID == "" {
			return err
		}
		from, err := v.StateVersion(whole.RollbackID)
		if belay.KindOf(err) == belay.NotFound { // it may be gone by now
			return nil
		}
		as = from.Serial
		return err
	})
	return serial, as, err
}
