package workspaces

import (
	"github.com/belayhq/belay/internal/state"

	"github.com/belayhq/belay/internal/ui/frame"
)

// resourcePart is one instance of a resource, and how it was in the compared state.
type resourcePart struct {
	Address, Module, Type, Provider string
	Mark                            mark
	Dependencies                    []string
	Rows                            []attributeRow
	More, Compared                  bool
}

// attributeRow is one value, now and before.
type attributeRow struct {
	Path, Was, Now       string
	WasHidden, NowHidden bool
	InWas, InNow         bool
	Differs              bool
}

// The most that a page shows of what an instance holds.
const (
	attributesShown = 400
	longestShown    = 1000
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
	switch {
	case was == nil:
	case !inWas:
		part.Mark = markOf(state.StateAdded)
	case !inNow:
		part.Mark = markOf(state.StateRemoved)
	case !row.Same(before):
		part.Mark = markOf(state.StateChanged)
	}
	part.More, part.Dependencies = holds.More || held.More, holds.Dependencies
	part.Rows = attributeRows(holds.List, held.List, inNow && inWas)
	return part, nil
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
