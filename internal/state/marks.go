package state

import (
	"context"
	"time"

	"github.com/belayhq/belay"
	"github.com/belayhq/belay/internal/gate"
	"github.com/belayhq/belay/internal/store"
)

// StateMarks is one page of the history of a workspace's state, the newest first: what a line
// of a list says of each, without what the states hold.
func (m *Room) StateMarks(ctx context.Context, s belay.Principal, ref belay.WorkspaceRef, page belay.Page) (list []belay.StateMark, total int, err error) {
	err = m.db.View(ctx, func(v *store.View) error {
		w, err := gate.StateReader(v, s, ref, belay.ReadState)
		if err != nil {
			return err
		}
		list, total, err = v.StateMarks(w.ID, page)
		return err
	})
	return list, total, err
}

// StatesByWeek is how many states came in each of so many weeks that begin at from, for those of some
// workspaces, read for the caller, whose state they may read.
func (m *Room) StatesByWeek(ctx context.Context, seen []gate.Seen, from time.Time, weeks int) (counts map[string][]int, err error) {
	var ids []string
	for i := range seen {
		if seen[i].Can.Has(belay.ReadState) {
			ids = append(ids, seen[i].ID)
		}
	}
	if ids == nil {
		return nil, nil
	}
	err = m.db.View(ctx, func(v *store.View) error {
		counts, err = v.StatesByWeek(ids, from, weeks)
		return err
	})
	return counts, err
}
