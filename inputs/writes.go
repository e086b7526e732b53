package inputs

import (
	"strings"
	"time"

	"github.com/belayhq/belay"
	"github.com/belayhq/belay/internal/patch"
)

// Effect is what becomes of a variable where another is written.
type Effect string

// The effects. What is left out is not written: whoever asked may not have it written.
const (
	Added       Effect = "added"
	Overwritten Effect = "overwritten"
	Unchanged   Effect = "unchanged"
	LeftOut     Effect = "left out"
)

// Writes is what it takes to have a variable with a key and a category among own, and what that does. Nobody knows
// whether one that is sensitive stays the same: it is written over.
func Writes(own []Variable, key, category string, p VariablePatch) (VariableChange, Effect) {
	p.Key, p.Category = patch.Of(key), patch.Of(category)
	for i := range own {
		v := &own[i]
		if v.Key != key || v.Category != category {
			continue
		}
		same := !v.Sensitive && !p.Sensitive.Value && v.Value == p.Value.Value && v.HCL == p.HCL.Value && (!p.Description.Set || p.Description.Value == v.Description)
		if same {
			return VariableChange{ID: v.ID, VariablePatch: p}, Unchanged
		}
		return VariableChange{ID: v.ID, VariablePatch: p}, Overwritten
	}
	return VariableChange{VariablePatch: p}, Added
}

// CheckPasted says what of a change can't be, as the line says that it is of.
func CheckPasted(line int, change VariableChange) error {
	v := NewVariable("", "workspaces", time.Time{})
	change.ID = ""
	if err := v.Apply(change.VariablePatch); err != nil {
		return wrong(line, "%s.", strings.TrimSuffix(belay.Reason(err), "."))
	}
	return nil
}
