package state

import (
	"context"
	"time"

	"github.com/belayhq/belay"
	"github.com/belayhq/belay/internal/background"
	"github.com/belayhq/belay/internal/store"
)

// stageLife is how long staged outputs wait for their state version: longer by far than
// writing the last of them takes.
const stageLife = time.Hour

// newOutputs is outputs on their way to a state version. Few are written in the transaction
// that they belong to; many are staged before it, so that it stays short.
type newOutputs struct {
	list []belay.StateOutput
	set  string // they are staged as this set
}

// bring makes outputs those of a state version, and stages them when they are many.
func (m *Room) bring(ctx context.Context, stateVersionID string, list []belay.StateOutput) (newOutputs, error) {
	n := newOutputs{list: list}
	if !store.FewOutputs(list) {
		n.set = belay.NewID("set")
	}
	for i := range list {
		list[i].StateVersionID, list[i].SetID = stateVersionID, n.set
	}
	if n.set == "" {
		return n, nil
	}
	return n, m.db.StageOutputs(ctx, list, m.now().Add(stageLife))
}

// hand gives the outputs to their state version, which the transaction goes on to save.
func (n *newOutputs) hand(tx *store.Tx, v *belay.StateVersion) error {
	v.TakeOutputs(n.list, n.set)
	if n.set == "" {
		return tx.AddOutputs(n.list)
	}
	there, err := tx.TakeStaged(v.ID, n.set)
	if err == nil && !there {
		err = belay.Refuse(belay.NotReady, "writing the outputs took too long, try again")
	}
	return err
}

// free leaves staged outputs that will not be taken to the next sweep. Where that fails they
// wait for longer.
func (n *newOutputs) free(ctx context.Context, a *Room) {
	if n.set == "" {
		return
	}
	_ = a.db.Update(context.WithoutCancel(ctx), func(tx *store.Tx) error {
		return tx.FreeStaged(n.list[0].StateVersionID, n.set)
	})
}

// DropLooseOutputs deletes outputs that were never taken, and those of state versions that
// are gone.
func (m *Room) DropLooseOutputs(ctx context.Context) {
	background.InParts(ctx, m.log, "outputs of states that are gone", m.db.DropLooseOutputs)
}
