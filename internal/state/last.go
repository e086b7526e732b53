package state

import (
	"bytes"
	"context"
	"errors"

	"github.com/belayhq/belay"
	"github.com/belayhq/belay/internal/store"
)

// StoreLast stores the last state of a run, which comes with the run's end. What it answers makes it the
// current state of the workspace, in the transaction of that end, which holds the workspace and has seen
// that the run has its lock; kept is false where the very same state was there. over is told what became of
// that transaction, and forgets the file unless a row names it.
func (m *Room) StoreLast(ctx context.Context, s belay.Principal, raw []byte) (take func(*store.Tx, *belay.Workspace) (after *store.After, kept bool, err error), over func(ctx context.Context, kept bool, err error), err error) {
	d := &Draft{room: m, principal: s, id: belay.NewID("sv"), workspaceID: s.WorkspaceID, once: true}
	if err := d.State(ctx, bytes.NewReader(raw)); err != nil {
		d.Abandon(ctx)
		return nil, nil, err
	}
	n := belay.NewState{Serial: d.contents.serial, MD5: d.state.MD5, RunID: s.ID}
	if err := d.check(&n); err != nil {
		d.Abandon(ctx)
		return nil, nil, err
	}
	outputs, err := m.bring(ctx, d.id, d.contents.outputs)
	if err != nil {
		d.Abandon(ctx)
		return nil, nil, err
	}
	take = func(tx *store.Tx, w *belay.Workspace) (*store.After, bool, error) { return d.last(tx, w, n, &outputs) }
	over = func(ctx context.Context, kept bool, err error) {
		outputs.free(ctx, m)
		switch {
		case err != nil:
			m.objects.ForgetAfter(ctx, err, d.state.Key)
		case !kept:
			d.Abandon(ctx)
		}
	}
	return take, over, nil
}

// last makes the draft the current state of its workspace, as the end of a lock makes the newest.
func (d *Draft) last(tx *store.Tx, w *belay.Workspace, n belay.NewState, outputs *newOutputs) (after *store.After, kept bool, err error) {
	latest, err := tx.Peek().LatestState(w)
	if err != nil {
		return nil, false, err
	}
	at, overtakes := store.StatePlace{}, true
	switch {
	case latest == nil:
	case latest.Status == belay.StateFinalized:
		at, overtakes = latest.Place(), latest.Overtakes || latest.Intermediate
	default:
		if at, err = tx.Peek().StatePlace(w.ID); err != nil {
			return nil, false, err
		}
	}
	var same sameState
	if err := d.follows(&at, &n); errors.As(err, &same) {
		after, err = finalizeNewest(tx, w, true)
		return after, false, err
	} else if err != nil {
		return nil, false, err
	}
	v := d.version(tx, w, n)
	if err := outputs.hand(tx, &v); err != nil {
		return nil, false, err
	}
	d.contents.know(&v)
	news := takes(w, &v)
	if err := tx.AddStateVersionAt(&v, &at); err != nil {
		return nil, false, err
	}
	if latest != nil {
		after = &latest.After
	}
	if err := settle(tx, w, &v, overtakes, news, after); err != nil {
		return nil, false, err
	}
	return after, true, emitState(tx, d.principal, "state_version.created", w, &v)
}
