package store

import (
	"encoding/json"

	"github.com/belayhq/belay"
)

// variableTable is a table of variables of one kind of owner.
func variableTable(name, owner, ownerType text) *table[belay.Variable] {
	return newTable(table[belay.Variable]{
		name: name,
		own: []column[belay.Variable]{
			{"id", func(v *belay.Variable) any { return &v.ID }},
			{owner, func(v *belay.Variable) any { return &v.OwnerID }},
			{"name", func(v *belay.Variable) any { return &v.Key }},
			{"value", func(v *belay.Variable) any { return &v.Value }},
			{"sensitive", func(v *belay.Variable) any { return &v.Sensitive }},
			{"category", func(v *belay.Variable) any { return &v.Category }},
			{"hcl", func(v *belay.Variable) any { return &v.HCL }},
			{"description", func(v *belay.Variable) any { return &v.Description }},
			{"version_id", func(v *belay.Variable) any { return &v.VersionID }},
			{"created_at", func(v *belay.Variable) any { return millis{&v.CreatedAt} }},
		},
		joined: []column[belay.Variable]{
			{ownerType, func(v *belay.Variable) any { return &v.OwnerType }},
		},
	})
}

var (
	workspaceVariables = variableTable("variables", "workspace_id", "'workspaces'")
	setVariables       = variableTable("varset_variables", "varset_id", "'varsets'")
)

// Variable is one variable of a workspace, by id.
func (v *View) Variable(id string) (belay.Variable, error) {
	return workspaceVariables.one(v, "id = ?", id)
}

// Variables is every variable of a workspace, by key.
func (v *View) Variables(workspaceID string) ([]belay.Variable, error) {
	return workspaceVariables.many(v, v.sql(workspaceVariables.selected+"WHERE workspace_id = ? ORDER BY name, category, id", workspaceID))
}

// VariablesByID is many variables of workspaces, in no order.
func (v *View) VariablesByID(ids []string) ([]belay.Variable, error) {
	return workspaceVariables.many(v, v.sql(workspaceVariables.selected).add("WHERE id").in("", ids))
}

// AddVariable writes a new variable of a workspace, whose row must be held.
func (tx *Tx) AddVariable(v *belay.Variable) error {
	tx.counters.note(v.OwnerID)
	return workspaceVariables.insert(tx, v, keyTaken)
}

// SaveVariable writes a variable of a workspace, whose row must be held.
func (tx *Tx) SaveVariable(v *belay.Variable) error {
	tx.counters.note(v.OwnerID)
	return workspaceVariables.update(tx, v, keyTaken)
}

// DropVariable deletes a variable of a workspace, whose row must be held.
func (tx *Tx) DropVariable(v *belay.Variable) error {
	tx.counters.note(v.OwnerID)
	return tx.do("DELETE FROM variables WHERE id = ?", v.ID)
}

// noteVariables keeps the ids of a workspace's variables in its row, so that a page of
// workspaces asks for none of them.
func (tx *Tx) noteVariables(workspaceID string) error {
	ids, err := values[string](&tx.View, tx.sql("SELECT id FROM variables WHERE workspace_id = ? ORDER BY name, category, id", workspaceID))
	if err != nil {
		return err
	}
	raw := []byte{}
	if len(ids) > 0 {
		if raw, err = json.Marshal(ids); err != nil {
			return err
		}
	}
	return tx.do("UPDATE workspaces SET var_refs = ? WHERE id = ?", string(raw), workspaceID)
}

// SetVariable is one variable of a set, by id.
func (v *View) SetVariable(id string) (belay.Variable, error) {
	return setVariables.one(v, "id = ?", id)
}

// SetVariables is every variable of the sets, by key.
func (v *View) SetVariables(setIDs ...string) ([]belay.Variable, error) {
	return setVariables.many(v, v.sql(setVariables.selected+"WHERE varset_id").in("", setIDs).add(" ORDER BY name, category, id"))
}

// AddSetVariables writes the first variables of a set.
func (tx *Tx) AddSetVariables(list []belay.Variable) error {
	return tx.unique(setVariables.insertMany(tx, list), keyTaken)
}

// AddSetVariable writes a new variable of a set.
func (tx *Tx) AddSetVariable(v *belay.Variable) error { return setVariables.insert(tx, v, keyTaken) }

// SaveSetVariable writes a variable of a set.
func (tx *Tx) SaveSetVariable(v *belay.Variable) error { return setVariables.update(tx, v, keyTaken) }

// DropSetVariable deletes a variable of a set.
func (tx *Tx) DropSetVariable(v *belay.Variable) error {
	return tx.do("DELETE FROM varset_variables WHERE id = ?", v.ID)
}
