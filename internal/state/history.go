package state

import (
	"context"

	"github.com/belayhq/belay"
	"github.com/belayhq/belay/internal/gate"
	"github.com/belayhq/belay/internal/store"
)

// The most that is read at once for the history of a resource.
const (
	mostLookedBack = 20
	mostReadBack   = 64 << 20 // bytes of files
	mostKeptBack   = 2_500    // rows: of larger states one history would drive all others out of memory
)

// StateStep is a version in which an instance of a resource changed.
type StateStep struct {
	belay.StateMark
	Change StateChange
	Before int64 // the serial of the version before; negative: there is none
}

// StateHistory is in which versions an instance changed, the newest first.
type StateHistory struct {
	Steps   []StateStep
	Looked  int   // how many versions were read for it
	Further int64 // the serial to go on from; negative: there is nothing older
}

// looking is a history on its way: from a version to the one before.
type looking struct {
	StateHistory
	newer *belay.StateMark // nil: none was read so far
	row   *StateRow        // in it; nil: it has none
	read  int64
}

// StateHistory goes back from a serial and looks in which versions the instance at an address
// changed. Versions that can't be read are passed over.
func (m *Room) StateHistory(ctx context.Context, s belay.Principal, ref belay.WorkspaceRef, address string, from int64) (StateHistory, error) {
	marks, files, err := m.versionsTo(ctx, s, ref, from)
	l := looking{StateHistory: StateHistory{Further: -1}}
	for i := range marks {
		file, there := files[marks[i].ID]
		if err != nil {
			return l.StateHistory, err
		}
		if !there {
			continue
		}
		if l.full(file) {
			return l.StateHistory, nil
		}
		var rows []StateRow
		if rows, err = m.outlineBack(ctx, file); belay.KindOf(err) == belay.Damaged {
			err = nil
			continue
		}
		l.take(&marks[i], file, address, rows)
	}
	switch {
	case len(marks) < mostLookedBack && l.row != nil:
		l.Steps = append(l.Steps, StateStep{*l.newer, StateAdded, -1})
	case len(marks) < mostLookedBack:
	case l.newer != nil && l.newer.Serial != from:
		l.Further = l.newer.Serial // it may have changed in it
	default: // none of them can be read
		l.Further = marks[len(marks)-1].Serial
	}
	return l.StateHistory, err
}

// versionsTo is the versions up to a serial, and the files of those that can be looked into.
func (m *Room) versionsTo(ctx context.Context, s belay.Principal, ref belay.WorkspaceRef, serial int64) (marks []belay.StateMark, files map[string]belay.StateFile, err error) {
	files = map[string]belay.StateFile{}
	err = m.db.View(ctx, func(v *store.View) error {
		w, err := gate.StateReader(v, s, ref, belay.ReadState)
		if err != nil {
			return err
		}
		if marks, err = v.StateMarksTo(w.ID, serial, mostLookedBack); err != nil {
			return err
		}
		ids := make([]string, len(marks))
		for i := range marks {
			ids[i] = marks[i].ID
		}
		versions, err := v.StateVersionsByID(ids)
		for i := range versions {
			if o := (StateOutline{View: View{StateVersion: versions[i]}}); o.Readable() {
				files[versions[i].ID] = versions[i].State
			}
		}
		return err
	})
	return marks, files, err
}

// outlineBack is the rows of a state, which are kept where they are few.
func (m *Room) outlineBack(ctx context.Context, file belay.StateFile) ([]StateRow, error) {
	if rows, known := m.outlines.get(file.Key); known {
		return rows, nil
	}
	rows, err := m.outline(ctx, file)
	if err == nil && len(rows) <= mostKeptBack {
		m.outlines.put(file.Key, rows)
	}
	return rows, err
}

// full says whether one more file is too much; then the history goes on from the last version.
func (l *looking) full(file belay.StateFile) bool {
	if l.Looked < 2 || l.read+file.Size <= mostReadBack {
		return false
	}
	l.Further = l.newer.Serial
	return true
}

// take goes on with the version before the last one.
func (l *looking) take(mark *belay.StateMark, file belay.StateFile, address string, rows []StateRow) {
	o := StateOutline{Rows: rows}
	row, _ := o.Row(address)
	if l.newer != nil {
		change := StateChange("")
		switch {
		case l.row != nil && row == nil:
			change = StateAdded
		case l.row == nil && row != nil:
			change = StateRemoved
		case row != nil && !l.row.Same(row):
			change = StateChanged
		}
		if change != "" {
			l.Steps = append(l.Steps, StateStep{*l.newer, change, mark.Serial})
		}
	}
	l.newer, l.row = mark, row
	l.Looked++
	l.read += file.Size
}
