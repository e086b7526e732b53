package state

import (
	"context"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/belayhq/belay"
	"github.com/belayhq/belay/internal/background"
	"github.com/belayhq/belay/internal/gate"
	"github.com/belayhq/belay/internal/store"
)

// reads gathers who reads states, so that a request writes nothing for it: each reader of
// a part of a workspace's states once an hour.
type reads struct {
	mu    sync.Mutex
	hour  time.Time
	known map[readKey]bool // noted in this hour
	fresh map[readKey]belay.StateRead
}

type readKey struct {
	workspace, reader string
	part              belay.StatePart
}

// mostReads is how many readers of states are remembered in an hour. More are noted more often
// than needed, and some not at all while the database does not answer.
const mostReads = 100_000

func (n *reads) note(s belay.Principal, workspaceID string, part belay.StatePart, now time.Time) {
	r, noted := belay.ReadBy(s, workspaceID, part, now)
	if !noted {
		return
	}
	key := readKey{workspaceID, r.ReaderID, part}
	n.mu.Lock()
	defer n.mu.Unlock()
	if hour := now.Truncate(time.Hour); n.known == nil || !hour.Equal(n.hour) || len(n.known) >= mostReads {
		n.hour, n.known = hour, map[readKey]bool{}
	}
	if n.known[key] || len(n.fresh) >= mostReads {
		return
	}
	if n.fresh == nil {
		n.fresh = map[readKey]belay.StateRead{}
	}
	n.known[key], n.fresh[key] = true, r
}

// take is what was noted since the last time, in the order in which workspaces are held.
func (n *reads) take() []belay.StateRead {
	n.mu.Lock()
	fresh := n.fresh
	n.fresh = nil
	n.mu.Unlock()
	return slices.SortedFunc(maps.Values(fresh), func(a, b belay.StateRead) int {
		return strings.Compare(a.WorkspaceID+a.ReaderID, b.WorkspaceID+b.ReaderID)
	})
}

// NoteRead notes that the caller was answered with a part of a state of a workspace.
func (m *Room) NoteRead(s belay.Principal, workspaceID string, part belay.StatePart, err error) {
	if err == nil && workspaceID != "" {
		m.reads.note(s, workspaceID, part, m.now())
	}
}

// readsKept is how long somebody who reads no more is remembered as a reader.
const readsKept = 90 * 24 * time.Hour

// NoteReads writes who has read states since it was last called.
func (m *Room) NoteReads(ctx context.Context) {
	for part := range slices.Chunk(m.reads.take(), store.RowsAtOnce) {
		if err := m.db.Update(ctx, func(tx *store.Tx) error { return tx.NoteStateReads(part) }); err != nil {
			m.log.Warn("readers of states not noted", "error", err)
		}
	}
}

func (m *Room) forgetReads(ctx context.Context) {
	background.InParts(ctx, m.log, "readers of states that read no more", func(ctx context.Context) (more bool, err error) {
		err = m.db.Update(ctx, func(tx *store.Tx) error {
			more, err = tx.ForgetStateReads(m.now().Add(-readsKept))
			return err
		})
		return more, err
	})
}

// StateReads is one page of who reads the states of a workspace with a token, who read last
// first, to those who may change what the workspace shares. Readers whom they do not see have no
// name.
func (m *Room) StateReads(ctx context.Context, s belay.Principal, ref belay.WorkspaceRef, page belay.Page) (list []belay.StateRead, total int, err error) {
	err = m.db.View(ctx, func(v *store.View) error {
		w, access, err := gate.Workspace(v, s, ref, belay.UpdateWorkspace)
		if err != nil {
			return err
		}
		list, total, err = v.StateReads(w.ID, page)
		for i := range list {
			list[i].Conceal(access)
		}
		return err
	})
	return list, total, err
}
