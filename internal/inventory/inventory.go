// Package inventory reads the current states behind the requests, and keeps what they hold
// for the explorer: one row for each instance of a resource. From the plans of assessments it
// reads which of them have drifted. It serves nobody, and what it keeps says where things are,
// never what they hold.
package inventory

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"github.com/belayhq/belay"
	"github.com/belayhq/belay/internal/background"
	"github.com/belayhq/belay/internal/fair"
	"github.com/belayhq/belay/internal/object"
	"github.com/belayhq/belay/internal/seal"
	"github.com/belayhq/belay/internal/statefile"
	"github.com/belayhq/belay/internal/store"
)

const (
	lookEvery = 10 * time.Second // where no word of a change comes
	retryIn   = time.Hour        // what could not be read
	leaseFor  = time.Minute
	leaseName = "read-states"
	purpose   = "state-resource"
)

// Room reads states. Of all replicas one reads at a time.
type Room struct {
	Config
	holder string
}

// Config is what the room is built on.
type Config struct {
	DB      *store.DB
	Objects *object.Room
	Ring    *seal.Ring
	Log     *slog.Logger
	Now     func() time.Time // the clock; time.Now when nil
}

// New makes the room.
func New(c Config) *Room {
	if c.Log == nil {
		c.Log = slog.New(slog.DiscardHandler)
	}
	if c.Now == nil {
		c.Now = time.Now
	}
	return &Room{Config: c, holder: belay.RandomText(16)}
}

// Run reads what is to be read until ctx ends.
func (r *Room) Run(ctx context.Context) {
	told, stop := r.DB.Watch(store.ReadingWake)
	defer stop()
	background.Run(ctx, background.Job{Every: lookEvery, Early: told, Do: func(ctx context.Context) {
		if err := r.Read(ctx); err != nil && ctx.Err() == nil {
			r.Log.Warn("states not read for the explorer", "error", err)
		}
	}})
}

// Read reads all that is to be read now, unless another replica does.
func (r *Room) Read(ctx context.Context) error {
	for ctx.Err() == nil {
		var next store.StateReading
		var found bool
		err := r.DB.View(ctx, func(v *store.View) (err error) {
			next, found, err = v.NextReading(r.Now())
			return err
		})
		if err != nil || !found {
			return err
		}
		if mine, err := r.one(ctx, next); err != nil || !mine {
			return err
		}
	}
	return ctx.Err()
}

// hold keeps the reading for this replica, as long as it goes on.
func (r *Room) hold(tx *store.Tx) (bool, error) {
	return tx.TakeLease(leaseName, r.holder, tx.Now.Add(leaseFor))
}

// goesOn is hold while nothing else was asked for of the workspace, such as a newer state.
func (r *Room) goesOn(next store.StateReading) func(*store.CoreTx) (bool, error) {
	return func(tx *store.CoreTx) (bool, error) {
		if held, err := tx.TakeLease(leaseName, r.holder, tx.Now.Add(leaseFor)); err != nil || !held {
			return false, err
		}
		return tx.StillAsked(next)
	}
}

// one reads the state of a workspace, as the work of its organization from there on where that is known: it rests for others. mine
// is false when another replica reads.
func (r *Room) one(ctx context.Context, next store.StateReading) (mine bool, err error) {
	ctx = r.DB.Tenants().As(ctx, "")
	err = r.DB.Update(ctx, func(tx *store.Tx) (err error) {
		mine, err = r.hold(tx)
		return err
	})
	if err != nil || !mine {
		return mine, err
	}
	if next.RunID == "" {
		mine, err = r.state(ctx, next)
	} else {
		mine, err = r.drift(ctx, next)
	}
	var unread unreadError
	switch {
	case errors.Is(err, belay.ErrNotFound): // it went meanwhile, with what was known of it
		return true, r.DB.Update(ctx, func(tx *store.Tx) error { return tx.EndReading(next) })
	case errors.As(err, &unread) && ctx.Err() == nil:
		r.Log.Warn("not read for the explorer", "workspace", next.WorkspaceID, "state", next.StateVersionID, "run", next.RunID, "error", err)
		return true, r.DB.Update(ctx, func(tx *store.Tx) error { return tx.PutOffReading(next, tx.Now.Add(retryIn)) })
	default:
		return mine, err
	}
}

// unreadError is why something can't be read now.
type unreadError struct{ error }

func (e unreadError) Unwrap() error { return e.error }

// state reads a state, and writes what it holds.
func (r *Room) state(ctx context.Context, next store.StateReading) (mine bool, err error) {
	w, now, err := r.holds(ctx, next)
	if err != nil {
		return true, unreadError{err}
	}
	if mine, err = r.keep(ctx, next, w, now); err != nil || !mine {
		return mine, err
	}
	return true, r.DB.Update(ctx, func(tx *store.Tx) error { return tx.EndReading(next) })
}

// holds is what a state holds: nothing when it can't be looked into.
func (r *Room) holds(ctx context.Context, next store.StateReading) (w belay.Workspace, list []belay.StateResource, err error) {
	var state belay.StateVersion
	err = r.DB.View(ctx, func(v *store.View) (err error) {
		if w, err = v.Workspace(belay.WorkspaceRef{ID: next.WorkspaceID}); err == nil && next.StateVersionID != "" {
			state, err = v.StateVersion(next.StateVersionID)
		}
		return err
	})
	work := fair.WorkOf(ctx)
	work.For(w.OrganizationID)
	if err != nil || !state.State.There() || state.Problem != "" {
		return w, nil, err
	}
	file, err := r.Objects.OpenSealed(ctx, state.State.Key, state.State.Size)
	if err != nil {
		return w, nil, err
	}
	defer func() { _ = file.Close() }()
	rows, err := statefile.Outline(file)
	if err != nil {
		return w, nil, object.Unread(state.State.Key, err)
	}
	seen := make(map[string]bool, len(rows))
	for i := range rows {
		work.Rest()
		row := &rows[i]
		listed := row.Listed()
		id := belay.ResourceID(w.ID, listed.Module, listed.Address)
		if seen[id] {
			continue
		}
		seen[id] = true
		list = append(list, belay.StateResource{
			ID: id, WorkspaceID: w.ID, OrganizationID: w.OrganizationID, Address: row.Address(), Module: row.Module,
			Type: row.Type, Name: row.Name, Provider: row.Provider, CreatedSerial: state.Serial, UpdatedSerial: state.Serial,
			Mark: row.Sum(),
		})
		list[len(list)-1].Fit()
	}
	return w, list, nil
}

// keep writes what is new, and drops what is gone.
func (r *Room) keep(ctx context.Context, next store.StateReading, w belay.Workspace, now []belay.StateResource) (mine bool, err error) {
	var known map[string]belay.StateResource
	err = r.DB.View(ctx, func(v *store.View) (err error) {
		known, err = v.KnownResources(w.ID)
		return err
	})
	if err != nil {
		return false, err
	}
	changed, gone := r.since(known, now, fair.WorkOf(ctx))
	return r.DB.SaveResources(ctx, w.OrganizationID, changed, gone, r.goesOn(next))
}

// since is what is to be written over what is known, and the ids of what is gone.
func (r *Room) since(known map[string]belay.StateResource, now []belay.StateResource, work *fair.Work) (changed []belay.StateResource, gone []string) {
	for _, one := range now {
		work.Rest()
		message := fmt.Sprintf("%s %s %s", one.ID, one.Provider, one.Mark)
		old, there := known[one.ID]
		delete(known, one.ID)
		same := there && r.Ring.VerifyMAC(purpose, message, old.Mark)
		if same && old.OrganizationID == one.OrganizationID {
			continue
		}
		if there {
			one.CreatedSerial = old.CreatedSerial
		}
		if same {
			one.UpdatedSerial = old.UpdatedSerial
		}
		one.Mark = r.Ring.MAC(purpose, message)
		changed = append(changed, one)
	}
	for id := range known {
		gone = append(gone, id)
	}
	return changed, gone
}
