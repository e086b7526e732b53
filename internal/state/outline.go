package state

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"io"
	"reflect"
	"slices"
	"sync"

	"github.com/belayhq/belay"
	"github.com/belayhq/belay/internal/blob"
	"github.com/belayhq/belay/internal/gate"
	"github.com/belayhq/belay/internal/object"
	"github.com/belayhq/belay/internal/statefile"
	"github.com/belayhq/belay/internal/store"
)

// StateRow is one instance of a resource in a state.
type StateRow = statefile.Row

// StateAttribute is one value in what an instance holds; that of a sensitive one is hidden.
type StateAttribute = statefile.Attribute

// StateOutline is one state of a workspace with its resources, by module and type.
type StateOutline struct {
	View
	Rows []StateRow
}

// Row is the instance at an address.
func (o *StateOutline) Row(address string) (*StateRow, bool) {
	for i := range o.Rows {
		if o.Rows[i].Address() == address {
			return &o.Rows[i], true
		}
	}
	return nil, false
}

// Readable says whether the state is there and can be looked into.
func (o *StateOutline) Readable() bool {
	return o.Status == belay.StateFinalized && o.Problem == "" && o.State.There()
}

// StateChange is what became of an instance between two states.
type StateChange string

// The changes of an instance.
const (
	StateAdded   StateChange = "added"
	StateChanged StateChange = "changed"
	StateRemoved StateChange = "removed"
)

// Since is what became of instances since another state, by address, and those that are gone.
func (o *StateOutline) Since(was *StateOutline) (changes map[string]StateChange, gone []StateRow) {
	before := make(map[string]*StateRow, len(was.Rows))
	for i := range was.Rows {
		before[was.Rows[i].Address()] = &was.Rows[i]
	}
	changes = map[string]StateChange{}
	for i := range o.Rows {
		address := o.Rows[i].Address()
		switch old := before[address]; {
		case old == nil:
			changes[address] = StateAdded
		case !o.Rows[i].Same(old):
			changes[address] = StateChanged
		}
		delete(before, address)
	}
	for i := range was.Rows {
		if address := was.Rows[i].Address(); before[address] != nil {
			changes[address] = StateRemoved
			gone = append(gone, was.Rows[i])
		}
	}
	return changes, gone
}

// OutputChange is what became of an output between two states, with its values unless one of them is sensitive.
type OutputChange struct {
	Name      string
	Change    StateChange
	Sensitive bool
	Was, Now  []byte // JSON
}

// OutputsSince is the outputs of a state as StateOutputs has them, all of them, and what became of them since another of
// its workspace, by name.
func (m *Room) OutputsSince(ctx context.Context, s belay.Principal, id, wasID string) (now []OutputView, changes []OutputChange, err error) {
	var list []OutputView
	in := ""
	err = m.db.View(ctx, func(v *store.View) error {
		for _, of := range []string{id, wasID} {
			state, err := m.stateVersion(v, s, of, belay.ReadOutputs)
			if err != nil {
				return err
			}
			in = state.WorkspaceID
		}
		if list, err = v.StateOutputsOf(id, wasID); err != nil {
			return err
		}
		return m.Reveal(list, true)
	})
	m.NoteRead(s, in, belay.StateOutputs, err)
	if err != nil {
		return nil, nil, err
	}
	for i := range list {
		if list[i].StateVersionID == id {
			now = append(now, list[i])
		}
	}
	slices.SortStableFunc(list, func(a, b OutputView) int { return cmp.Compare(a.Name, b.Name) })
	for len(list) > 0 {
		n := 1
		for n < len(list) && list[n].Name == list[0].Name {
			n++
		}
		if change := outputChange(list[:n], id); change.Change != "" {
			changes = append(changes, change)
		}
		list = list[n:]
	}
	return now, changes, nil
}

// outputChange compares an output, in one state or in both; its change is empty where there is none.
func outputChange(both []OutputView, id string) OutputChange {
	c := OutputChange{Name: both[0].Name, Sensitive: both[0].Sensitive || both[len(both)-1].Sensitive}
	for i := range both {
		if both[i].StateVersionID == id {
			c.Now = both[i].Value
		} else {
			c.Was = both[i].Value
		}
	}
	switch {
	case len(both) == 1 && both[0].StateVersionID == id:
		c.Change = StateAdded
	case len(both) == 1:
		c.Change = StateRemoved
	case both[0].Sensitive != both[1].Sensitive || !sameJSON(c.Was, c.Now):
		c.Change = StateChanged
	}
	if c.Sensitive {
		c.Was, c.Now = nil, nil
	}
	return c
}

// sameJSON says that two documents have one value, however they are written.
func sameJSON(a, b []byte) bool {
	if bytes.Equal(a, b) {
		return true
	}
	var values [2]any
	for i, raw := range [][]byte{a, b} {
		decoder := json.NewDecoder(bytes.NewReader(raw))
		decoder.UseNumber() // large numbers differ in digits that a float has not
		if decoder.Decode(&values[i]) != nil {
			return false
		}
	}
	return reflect.DeepEqual(values[0], values[1])
}

// StateOutline is the resources in the state of a workspace with a serial, or in its current
// one when the serial is negative. A state that can't be looked into has none.
func (m *Room) StateOutline(ctx context.Context, s belay.Principal, ref belay.WorkspaceRef, serial int64) (o StateOutline, err error) {
	err = m.db.View(ctx, func(v *store.View) error {
		w, err := gate.StateReader(v, s, ref, belay.ReadState)
		if err != nil {
			return err
		}
		if o.Can = w.Can; serial < 0 {
			o.StateVersion, err = v.StateVersion(w.CurrentStateVersionID)
		} else {
			o.StateVersion, err = v.StateOfSerial(w.ID, serial)
		}
		return err
	})
	if err != nil || !o.Readable() {
		return o, err
	}
	var known bool
	if o.Rows, known = m.outlines.get(o.State.Key); known {
		return o, nil
	}
	if o.Rows, err = m.outline(ctx, o.State); err == nil {
		m.outlines.put(o.State.Key, o.Rows)
	}
	return o, err
}

// outline reads the rows of a state.
func (m *Room) outline(ctx context.Context, file belay.StateFile) (rows []StateRow, err error) {
	err = m.reading(ctx, file, func(r io.Reader) error {
		rows, err = statefile.Outline(r)
		return damaged(file.Key, err)
	})
	slices.SortStableFunc(rows, func(a, b StateRow) int { return cmp.Or(cmp.Compare(a.Module, b.Module), cmp.Compare(a.Type, b.Type)) })
	return rows, err
}

// StateHolding is the instances that have a text as one of their values that is not hidden, by
// address and with its path, in a state that was read for the caller just now.
func (m *Room) StateHolding(ctx context.Context, o *StateOutline, text string) (found map[string]string, err error) {
	err = m.reading(ctx, o.State, func(r io.Reader) error {
		found, err = statefile.Holding(r, text)
		return damaged(o.State.Key, err)
	})
	return found, err
}

// damaged is the error of reading a file that was a state when it came.
func damaged(key string, err error) error {
	if err != nil && belay.KindOf(err) == belay.Internal {
		return object.Unread(key, errors.Join(blob.ErrDamaged, err))
	}
	return err
}

// StateHolds is what an instance of a resource holds.
type StateHolds struct {
	List         []StateAttribute // in order of path
	More         bool             // there is more than that
	Dependencies []string
	JSON         []byte // all of it as a document, with a word for what is hidden
}

// StateObject is what an instance holds in a state that was read for the caller just now: the
// first of its values.
func (m *Room) StateObject(ctx context.Context, o *StateOutline, row *StateRow, most int) (holds StateHolds, err error) {
	err = m.reading(ctx, o.State, func(r io.Reader) error {
		found, err := statefile.Find(r, row)
		holds.List, holds.More = found.Values(most)
		holds.Dependencies, holds.JSON = found.Dependencies, found.JSON()
		return damaged(o.State.Key, err)
	})
	return holds, err
}

// StateLink is a resource of a configuration, and what it was made after.
type StateLink = statefile.Linked

// ModuleCalls is the calls of modules that an address leads through.
func ModuleCalls(address string) []string { return statefile.Calls(address) }

// mostLinks is how many needs of resources are read of a state.
const mostLinks = 500_000

// StateLinks is what the resources need in a state that was read for the caller just now; more
// says that there is more than is read.
func (m *Room) StateLinks(ctx context.Context, o *StateOutline) (list []StateLink, more bool, err error) {
	err = m.reading(ctx, o.State, func(r io.Reader) error {
		list, more, err = statefile.Links(r, mostLinks)
		return damaged(o.State.Key, err)
	})
	return list, more, err
}

// outlines keeps the outlines of some states, which never change: whoever walks through a
// large state does not have it read again at every step. They hold addresses and no values.
type outlines struct {
	mu    sync.Mutex
	kept  map[string][]StateRow // by the key of the file
	order []string              // the one asked for longest ago first
	rows  int
}

// mostOutlined is how many rows are kept in all.
const mostOutlined = 100_000

func (o *outlines) get(key string) ([]StateRow, bool) {
	o.mu.Lock()
	defer o.mu.Unlock()
	rows, known := o.kept[key]
	if i := slices.Index(o.order, key); i >= 0 {
		o.order = append(slices.Delete(o.order, i, i+1), key)
	}
	return rows, known
}

func (o *outlines) put(key string, rows []StateRow) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if _, known := o.kept[key]; known || len(rows) > mostOutlined {
		return
	}
	if o.kept == nil {
		o.kept = map[string][]StateRow{}
	}
	o.kept[key], o.order, o.rows = rows, append(o.order, key), o.rows+len(rows)
	for o.rows > mostOutlined {
		o.rows -= len(o.kept[o.order[0]])
		delete(o.kept, o.order[0])
		o.order = o.order[1:]
	}
}
