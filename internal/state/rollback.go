package state

import (
	"context"
	"encoding/json"
	"io"
	"strconv"
	"strings"

	"github.com/belayhq/belay"
	"github.com/belayhq/belay/internal/store"
)

// RollBack gives a workspace a copy of one of its earlier states, for whoever holds its lock.
// The copy carries the next serial, inside too, so that the engine goes on from it.
func (m *Room) RollBack(ctx context.Context, s belay.Principal, ref belay.WorkspaceRef, id string) (view View, err error) {
	d, err := m.DraftState(ctx, s, ref)
	if err != nil {
		return view, err
	}
	n, err := d.rollBack(ctx, id)
	if err != nil {
		d.Abandon(ctx)
		return view, err
	}
	return d.Commit(ctx, n)
}

// rollBack copies the files of an earlier state into the draft.
func (d *Draft) rollBack(ctx context.Context, id string) (n belay.NewState, err error) {
	from, newest, err := d.earlier(ctx, id)
	if err != nil {
		return n, err
	}
	if from.Problem != "" {
		return n, belay.Refuse(belay.Conflict, "the state can't be looked into, so the serial in it can't be moved: %s", from.Problem)
	}
	n = belay.NewState{Serial: newest.Serial + 1, Lineage: from.Lineage, Force: true}
	d.rollback = &from
	start, end, err := d.room.findSerial(ctx, from.State)
	if err != nil {
		return n, err
	}
	rc, err := d.room.OpenFile(ctx, from.State)
	if err != nil {
		return n, err
	}
	defer func() { _ = rc.Close() }()
	if err := d.State(ctx, withSerial(rc, start, end, n.Serial)); err != nil {
		return n, err
	}
	n.MD5 = d.state.MD5
	if !from.JSON.There() {
		return n, nil
	}
	rj, err := d.room.OpenFile(ctx, from.JSON)
	if err != nil {
		return n, err
	}
	defer func() { _ = rj.Close() }()
	return n, d.JSON(ctx, rj)
}

// earlier is the state to go back to, and the newest one.
func (d *Draft) earlier(ctx context.Context, id string) (from belay.StateVersion, newest *belay.StateVersion, err error) {
	err = d.room.db.View(ctx, func(v *store.View) error {
		if from, err = v.StateVersion(id); err != nil && belay.KindOf(err) != belay.NotFound {
			return err
		}
		if err != nil || from.WorkspaceID != d.workspaceID || from.Status != belay.StateFinalized {
			var problems belay.Problems
			problems.At(belay.Related("rollback-state-version").ID(), "Rollback state version must be a finalized state version of this workspace")
			return problems
		}
		newest, err = v.NewestState(d.workspaceID)
		return err
	})
	return from, newest, err
}

// findSerial is where in a state file the value of its serial stands, the colon before it
// included. Both are 0 when it has none.
func (m *Room) findSerial(ctx context.Context, file belay.StateFile) (start, end int64, err error) {
	rc, err := m.OpenFile(ctx, file)
	if err != nil {
		return 0, 0, err
	}
	defer func() { _ = rc.Close() }()
	decoder := json.NewDecoder(rc)
	depth, key := 0, true
	for {
		token, err := decoder.Token()
		if err != nil {
			return 0, 0, nil // no state that the engine could read: copied as it is
		}
		if delim, ok := token.(json.Delim); ok {
			if delim == '{' || delim == '[' {
				depth, key = depth+1, true
				continue
			}
			if depth--; depth == 0 {
				return 0, 0, nil
			}
			key = true
			continue
		}
		if depth != 1 {
			continue
		}
		if name, ok := token.(string); ok && key && strings.EqualFold(name, "serial") {
			start = decoder.InputOffset()
			_, err := decoder.Token()
			return start, decoder.InputOffset(), err
		}
		key = !key
	}
}

// withSerial is a state file with another serial in place of its own.
func withSerial(file io.Reader, start, end, serial int64) io.Reader {
	if end == 0 {
		return file
	}
	return io.MultiReader(io.LimitReader(file, start), strings.NewReader(": "+strconv.FormatInt(serial, 10)), &skipping{file, end - start})
}

// skipping leaves out the next n bytes of a reader.
type skipping struct {
	from io.Reader
	n    int64
}

func (s *skipping) Read(p []byte) (int, error) {
	if s.n > 0 {
		skipped, err := io.CopyN(io.Discard, s.from, s.n)
		if s.n -= skipped; err != nil {
			return 0, err
		}
	}
	return s.from.Read(p)
}
