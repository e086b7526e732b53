package workspaces

import (
	"strconv"
	"time"

	"github.com/belayhq/belay"
	"github.com/belayhq/belay/internal/state"
	"github.com/belayhq/belay/internal/ui/frame"
)

// resourcePart is one instance of a resource, and how it was in the compared state.
type resourcePart struct {
	Address, Module, Type, Provider string
	Mark                            mark
	Dependencies                    []need
	Rows                            []attributeRow
	More, Compared                  bool
	Form, ShowPath                  string     // of what shows a hidden value; empty where none was asked for
	Seg                             frame.Segs // what is shown of it
	JSON                            string
	JSONCut                         bool
	History                         *historyPart // nil: it is not asked for
}

// need is a resource that another was made after; Path is where it is looked at.
type need struct{ Address, Path string }

// historyPart is the versions in which an instance changed.
type historyPart struct {
	Rows    []historyRow
	Looked  int
	Further string // where older versions are looked through; empty: there are none
}

type historyRow struct {
	Serial       int64
	Path         string
	Mark         mark
	By           string
	Run, RunPath string
	At           time.Time
}

// attributeRow is one value, now and before.
type attributeRow struct {
	Path, Was, Now       string
	WasHidden, NowHidden bool
	InWas, InNow         bool
	Differs              bool
	Reveal               string // where it is asked whether a hidden value is to be shown
	Asks, Revealed       bool   // that is asked; it is shown
}

// The most that a page shows of what an instance holds.
const (
	attributesShown = 400
	longestShown    = 1000
	longestJSON     = 128 << 10
)

// resource is the instance that the address opens; nil: none.
func (t *tabVisit) resource(now, was *state.StateOutline) (*resourcePart, error) {
	address := t.Asked("at")
	if address == "" {
		return nil, nil
	}
	row, inNow := now.Row(address)
	var before *state.StateRow
	inWas := false
	if was != nil {
		before, inWas = was.Row(address)
	}
	if !inNow && !inWas {
		return nil, nil // of another version: its page says that there is none
	}
	part := &resourcePart{Address: address, Compared: was != nil}
	var holds, held state.StateHolds
	var err error
	if inWas {
		part.Type, part.Module, part.Provider = before.Type, before.Module, before.Provider
		if held, err = t.UI.App.StateObject(t.Context(), was, before, attributesShown); err != nil {
			return nil, err
		}
	}
	if inNow {
		part.Type, part.Module, part.Provider = row.Type, row.Module, row.Provider
		if holds, err = t.UI.App.StateObject(t.Context(), now, row, attributesShown); err != nil {
			return nil, err
		}
	}
	if was != nil {
		part.mark(row, before, inNow, inWas)
	}
	part.More = holds.More || held.More
	part.Rows = attributeRows(holds.List, held.List, inNow && inWas)
	t.reveals(part, now)
	for _, d := range holds.Dependencies {
		n := need{Address: d}
		if _, there := now.Row(d); there {
			n.Path = t.resourcePath(now, d)
		}
		part.Dependencies = append(part.Dependencies, n)
	}
	return part, t.view(part, now, holds.JSON)
}

// mark says what became of an instance between two states.
func (part *resourcePart) mark(now, was *state.StateRow, inNow, inWas bool) {
	switch {
	case !inWas:
		part.Mark = markOf(state.StateAdded)
	case !inNow:
		part.Mark = markOf(state.StateRemoved)
	case !now.Same(was):
		part.Mark = markOf(state.StateChanged)
	}
}

// reveals adds the ways to see what is hidden, and what was asked for.
func (t *tabVisit) reveals(part *resourcePart, now *state.StateOutline) {
	for i := range part.Rows {
		row := &part.Rows[i]
		switch {
		case !row.NowHidden:
		case t.shown != nil && t.shown.path == row.Path && t.shown.address == part.Address:
			row.Now, row.NowHidden, row.Revealed = frame.Cut(t.shown.value, longestShown), false, true
		default:
			row.Reveal, row.Asks = t.resourcePath(now, part.Address, "reveal", row.Path), t.Asked("reveal") == row.Path
			if row.Asks {
				part.Form = t.FormSecret()
				part.ShowPath = Link(t.Visit, t.path+"/state/"+strconv.FormatInt(now.Serial, 10)+"/show", "reveal", "", "seen", "")
			}
		}
	}
}

// resourcePath is where an instance of the shown state is looked at.
func (t *tabVisit) resourcePath(now *state.StateOutline, address string, changed ...string) string {
	return Link(t.Visit, t.path+"/state/"+strconv.FormatInt(now.Serial, 10), append([]string{"at", address}, changed...)...) + "#one"
}

// view adds what the address asks to see of an instance: its values, the versions in which it
// changed, or its document.
func (t *tabVisit) view(part *resourcePart, now *state.StateOutline, raw []byte) error {
	shown := t.Asked("view")
	for _, v := range []struct{ name, view string }{{"Attributes", ""}, {"History", "history"}, {"JSON", "json"}} {
		part.Seg = append(part.Seg, frame.Seg{Name: v.name, Path: t.resourcePath(now, part.Address, "view", v.view, "before", ""), Here: shown == v.view})
	}
	switch shown {
	case "json":
		part.JSONCut = len(raw) > longestJSON
		part.JSON = string(raw[:min(len(raw), longestJSON)])
	case "history":
		return t.history(part, now)
	}
	return nil
}

// historyFrom is the serial from which the history of a resource is told back: the shown one, or an older one that is asked for.
func (t *tabVisit) historyFrom(shown int64) int64 {
	if from, err := strconv.ParseInt(t.Asked("before"), 10, 64); err == nil && from >= 0 && from <= shown {
		return from
	}
	return shown
}

// history adds the versions in which an instance changed, from the shown one back.
func (t *tabVisit) history(part *resourcePart, now *state.StateOutline) error {
	found, err := t.UI.App.StateHistory(t.Context(), t.s, t.ref(), part.Address, t.historyFrom(now.Serial))
	if err != nil {
		return err
	}
	h := &historyPart{Looked: found.Looked}
	if found.Further >= 0 {
		h.Further = t.resourcePath(now, part.Address, "before", strconv.FormatInt(found.Further, 10))
	}
	ids := make([]string, len(found.Steps))
	for i := range found.Steps {
		ids[i] = found.Steps[i].CreatedBy
	}
	names, err := t.Names(ids...)
	for i := range found.Steps {
		step := &found.Steps[i]
		serial := strconv.FormatInt(step.Serial, 10)
		row := historyRow{Serial: step.Serial, Mark: markOf(step.Change), By: names[step.CreatedBy], At: step.CreatedAt}
		before := ""
		if step.Before >= 0 {
			before = strconv.FormatInt(step.Before, 10)
		}
		row.Path = Link(t.Visit, t.path+"/state/"+serial, "view", "", "before", "", "from", before, "changed", "") + "#one"
		if step.RunID != "" && t.w.Can.Has(belay.ReadRuns) {
			row.Run, row.RunPath = step.RunID, RunPath(t.o.Name, t.w.Name, step.RunID)
		}
		h.Rows = append(h.Rows, row)
	}
	part.History = h
	return err
}

// attributeRows sets the values of two states side by side. Both lists are in the order that
// the same walk gives.
func attributeRows(now, was []state.StateAttribute, both bool) (rows []attributeRow) {
	inNow := pathsOf(now)
	for len(now)+len(was) > 0 {
		row := attributeRow{
			InWas: len(was) > 0 && (len(now) == 0 || !inNow[was[0].Path] || was[0].Path == now[0].Path),
		}
		row.InNow = len(now) > 0 && (!row.InWas || was[0].Path == now[0].Path)
		row.Differs = both && (!row.InNow || !row.InWas || !now[0].Same(was[0]))
		if row.InNow {
			row.Path, row.Now, row.NowHidden = now[0].Path, frame.Cut(now[0].Value, longestShown), now[0].Sensitive
			now = now[1:]
		}
		if row.InWas {
			row.Path, row.Was, row.WasHidden = was[0].Path, frame.Cut(was[0].Value, longestShown), was[0].Sensitive
			was = was[1:]
		}
		rows = append(rows, row)
	}
	return rows
}

func pathsOf(list []state.StateAttribute) map[string]bool {
	paths := make(map[string]bool, len(list))
	for _, a := range list {
		paths[a.Path] = true
	}
	return paths
}
