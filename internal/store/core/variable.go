package core

import (
	"github.com/belayhq/belay/inputs"
	"github.com/belayhq/belay/internal/sqldb"
)

// variableTable is a table of variables of one kind of owner.
func variableTable(name, owner, ownerType sqldb.Text) *sqldb.Table[inputs.Variable] {
	return sqldb.NewTable(sqldb.Table[inputs.Variable]{
		Name: name,
		Own: []sqldb.Column[inputs.Variable]{
			{Name: "id", At: func(v *inputs.Variable) any { return &v.ID }},
			{Name: owner, At: func(v *inputs.Variable) any { return &v.OwnerID }},
			{Name: "name", At: func(v *inputs.Variable) any { return &v.Key }},
			{Name: "value", At: func(v *inputs.Variable) any { return &v.Value }},
			{Name: "sensitive", At: func(v *inputs.Variable) any { return &v.Sensitive }},
			{Name: "category", At: func(v *inputs.Variable) any { return &v.Category }},
			{Name: "hcl", At: func(v *inputs.Variable) any { return &v.HCL }},
			{Name: "description", At: func(v *inputs.Variable) any { return &v.Description }},
			{Name: "version_id", At: func(v *inputs.Variable) any { return &v.VersionID }},
			{Name: "created_at", At: func(v *inputs.Variable) any { return sqldb.Millis(&v.CreatedAt) }},
		},
		Joined: []sqldb.Column[inputs.Variable]{
			{Name: ownerType, At: func(v *inputs.Variable) any { return &v.OwnerType }},
		},
	})
}

var (
	workspaceVariables = variableTable("variables", "workspace_id", "'workspaces'")
	setVariables       = variableTable("varset_variables", "varset_id", "'varsets'")
)

// Variable is one variable of a workspace, by id.
func (v *View) Variable(id string) (inputs.Variable, error) {
	return workspaceVariables.One(v, "id = ?", id)
}

// Variables is every variable of a workspace, by key.
func (v *View) Variables(workspaceID string) ([]inputs.Variable, error) {
	return workspaceVariables.Many(v, v.SQL(workspaceVariables.Selected+"WHERE workspace_id = ? ORDER BY name, category, id", workspaceID))
}

// VariablesByID is many variables of workspaces, in no order.
func (v *View) VariablesByID(ids []string) ([]inputs.Variable, error) {
	return workspaceVariables.Many(v, v.SQL(workspaceVariables.Selected).Add("WHERE id").In("", ids))
}

// AddVariable writes a new variable of a workspace, whose row must be held.
func (tx *Tx) AddVariable(v *inputs.Variable) error {
	tx.NoteVariablesOf(v.OwnerID)
	return workspaceVariables.Insert(tx, v, keyTaken)
}

// SaveVariable writes a variable of a workspace, whose row must be held.
func (tx *Tx) SaveVariable(v *inputs.Variable) error {
	tx.NoteVariablesOf(v.OwnerID)
	return workspaceVariables.Update(tx, v, keyTaken)
}

// DropVariable deletes a variable of a workspace, whose row must be held.
func (tx *Tx) DropVariable(v *inputs.Variable) error {
	tx.NoteVariablesOf(v.OwnerID)
	return tx.Do("DELETE FROM variables WHERE id = ?", v.ID)
}

// SetVariable is one variable of a set, by id.
func (v *View) SetVariable(id string) (inputs.Variable, error) {
	return setVariables.One(v, "id = ?", id)
}

// SetVariables is every variable of the sets, by key.
func (v *View) SetVariables(setIDs ...string) ([]inputs.Variable, error) {
	return setVariables.Many(v, v.SQL(setVariables.Selected+"WHERE varset_id").In("", setIDs).Add(" ORDER BY name, category, id"))
}

// AddSetVariables writes the first variables of a set.
func (tx *Tx) AddSetVariables(list []inputs.Variable) error {
	return tx.Unique(setVariables.InsertMany(tx, list), keyTaken)
}

// AddSetVariable writes a new variable of a set.
func (tx *Tx) AddSetVariable(v *inputs.Variable) error { return setVariables.Insert(tx, v, keyTaken) }

// SaveSetVariable writes a variable of a set.
func (tx *Tx) SaveSetVariable(v *inputs.Variable) error { return setVariables.Update(tx, v, keyTaken) }

// DropSetVariable deletes a variable of a set.
func (tx *Tx) DropSetVariable(v *inputs.Variable) error {
	return tx.Do("DELETE FROM varset_variables WHERE id = ?", v.ID)
}
