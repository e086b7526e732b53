package variables

import (
	"context"

	"github.com/belayhq/belay"
	"github.com/belayhq/belay/inputs"
	"github.com/belayhq/belay/internal/store"
)

// SetVariables is every variable of a set.
func (m *Room) SetVariables(ctx context.Context, s belay.Principal, setID string) (list []inputs.Variable, err error) {
	err = m.db.View(ctx, func(v *store.View) error {
		set, _, err := m.variableSet(v, s, setID)
		if err != nil {
			return err
		}
		list, err = v.SetVariables(set.ID)
		return err
	})
	return list, err
}

func setVariable(v store.Reader, set *inputs.VariableSet, id string) (inputs.Variable, error) {
	found, err := v.SetVariable(id)
	if err == nil && found.OwnerID != set.ID {
		err = belay.ErrNotFound
	}
	return found, err
}

// SetVariable is one variable of a set.
func (m *Room) SetVariable(ctx context.Context, s belay.Principal, setID, id string) (found inputs.Variable, err error) {
	err = m.db.View(ctx, func(v *store.View) error {
		set, _, err := m.variableSet(v, s, setID)
		if err != nil {
			return err
		}
		found, err = setVariable(v, &set, id)
		return err
	})
	return found, err
}

// CreateSetVariable gives a set a variable.
func (m *Room) CreateSetVariable(ctx context.Context, s belay.Principal, setID string, p inputs.VariablePatch) (v inputs.Variable, err error) {
	err = m.changeSet(ctx, s, setID, "variable_set.variable_created", func(tx *store.Tx, set *inputs.VariableSet) error {
		v = inputs.NewVariable(set.ID, "varsets", tx.Now)
		if err := m.applyVariable(&v, p); err != nil {
			return err
		}
		return tx.AddSetVariable(&v)
	})
	return v, err
}

// UpdateSetVariable changes a variable of a set.
func (m *Room) UpdateSetVariable(ctx context.Context, s belay.Principal, setID, id string, p inputs.VariablePatch) (v inputs.Variable, err error) {
	err = m.changeSet(ctx, s, setID, "variable_set.variable_updated", func(tx *store.Tx, set *inputs.VariableSet) error {
		if v, err = setVariable(&tx.Locked, set, id); err != nil {
			return err
		}
		if err := m.applyVariable(&v, p); err != nil {
			return err
		}
		return tx.SaveSetVariable(&v)
	})
	return v, err
}

// DeleteSetVariable deletes a variable of a set.
func (m *Room) DeleteSetVariable(ctx context.Context, s belay.Principal, setID, id string) error {
	return m.changeSet(ctx, s, setID, "variable_set.variable_deleted", func(tx *store.Tx, set *inputs.VariableSet) error {
		v, err := setVariable(&tx.Locked, set, id)
		if err != nil {
			return err
		}
		return tx.DropSetVariable(&v)
	})
}
