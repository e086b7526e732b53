package store

import (
	"slices"

	"github.com/belayhq/belay"
)

var stateOutputs = newTable(table[belay.StateOutput]{
	name: "state_outputs",
	own: []column[belay.StateOutput]{
		{"id", func(o *belay.StateOutput) any { return &o.ID }},
		{"state_version_id", func(o *belay.StateOutput) any { return &o.StateVersionID }},
		{"name", func(o *belay.StateOutput) any { return &o.Name }},
		{"sensitive", func(o *belay.StateOutput) any { return &o.Sensitive }},
		{"kind", func(o *belay.StateOutput) any { return &o.Kind }},
		{"detailed_type", func(o *belay.StateOutput) any { return &o.DetailedType }},
		{"sealed_value", func(o *belay.StateOutput) any { return &o.SealedValue }},
	},
})

// StateOutput is one output.
func (v *View) StateOutput(id string) (belay.StateOutput, error) {
	return stateOutputs.one(v.Peek(), "id = ?", id)
}

// StateOutputs is one page of the outputs of a state version, by name.
func (v *View) StateOutputs(stateVersionID string, page belay.Page) ([]belay.StateOutput, int, error) {
	return stateOutputs.page(v, page, "name", "state_version_id = ?", stateVersionID)
}

// StateOutputsOf is all outputs of some state versions, by name.
func (v *View) StateOutputsOf(stateVersionIDs ...string) ([]belay.StateOutput, error) {
	q := v.sql(stateOutputs.selected).add("WHERE ").in("state_version_id", stateVersionIDs)
	return stateOutputs.many(v, q.add(" ORDER BY state_version_id, name"))
}

// rowsAtOnce keeps a statement below the most arguments that an engine takes.
const rowsAtOnce = 1000

// ReplaceStateOutputs writes the outputs of a state version in place of any it had.
func (tx *Tx) ReplaceStateOutputs(stateVersionID string, outputs []belay.StateOutput) error {
	if err := tx.do("DELETE FROM state_outputs WHERE state_version_id = ?", stateVersionID); err != nil {
		return err
	}
	for some := range slices.Chunk(outputs, rowsAtOnce) {
		q := tx.sql("INSERT INTO state_outputs (id, state_version_id, name, sensitive, kind, detailed_type, sealed_value) VALUES ")
		for i := range some {
			if i > 0 {
				q.add(", ")
			}
			q.add("(?, ?, ?, ?, ?, ?, ?)", stateOutputs.values(&some[i])...)
		}
		if _, err := tx.exec(q); err != nil {
			return err
		}
	}
	return nil
}
