package variables

import (
	"context"

	"github.com/belayhq/belay"
	"github.com/belayhq/belay/inputs"
	"github.com/belayhq/belay/internal/gate"
	"github.com/belayhq/belay/internal/record"
	"github.com/belayhq/belay/internal/store"
)

// applyVariable changes a variable and seals its value, if it is sensitive and not sealed yet.
func (m *Room) applyVariable(v *inputs.Variable, p inputs.VariablePatch) error {
	sealed := v.Sensitive && !p.Value.Set
	if err := v.Apply(p); err != nil {
		return err
	}
	if v.Sensitive && !sealed {
		v.Value = m.ring.Seal([]byte(v.Value), v.ID)
	}
	return nil
}

// CreateVariable gives a workspace a variable.
func (m *Room) CreateVariable(ctx context.Context, s belay.Principal, ref belay.WorkspaceRef, p inputs.VariablePatch) (v inputs.Variable, err error) {
	err = m.db.Update(ctx, func(tx *store.Tx) error {
		w, _, err := gate.Workspace(&tx.Locked, s, ref, belay.WriteVariables)
		if err != nil {
			return err
		}
		v = inputs.NewVariable(w.ID, "workspaces", tx.Now)
		if err := m.applyVariable(&v, p); err != nil {
			return err
		}
		if err := tx.AddVariable(&v); err != nil {
			return err
		}
		return emitVariable(tx, s, "variable.created", &w, &v)
	})
	return v, err
}

// emitVariable records what a principal did to a variable of a workspace: never its value.
func emitVariable(tx *store.Tx, s belay.Principal, kind string, w *belay.Workspace, v *inputs.Variable) error {
	return record.EmitWithin(tx, s, kind, w, "vars", v.ID, map[string]any{"key": v.Key, "category": v.Category, "workspace": w.Name})
}

// Variables is every variable of a workspace; with those of its sets when all is set.
func (m *Room) Variables(ctx context.Context, s belay.Principal, ref belay.WorkspaceRef, all bool) (list []inputs.Variable, err error) {
	err = m.db.View(ctx, func(v *store.View) error {
		w, _, err := gate.Workspace(v, s, ref, belay.ReadVariables)
		if err != nil {
			return err
		}
		if list, err = v.Variables(w.ID); err != nil || !all {
			return err
		}
		list, err = effectiveVariables(v, &w, list)
		return err
	})
	return list, err
}

func effectiveVariables(v *store.View, w *belay.Workspace, own []inputs.Variable) ([]inputs.Variable, error) {
	sets, inSets, err := variablesOfSets(v, w)
	if err != nil {
		return nil, err
	}
	return inputs.EffectiveVariables(w.ID, own, sets, inSets), nil
}

// variablesOfSets is the sets that apply to a workspace, with their variables by set.
func variablesOfSets(v *store.View, w *belay.Workspace) ([]inputs.VariableSet, map[string][]inputs.Variable, error) {
	sets, err := v.VariableSetsFor(w)
	if err != nil {
		return nil, nil, err
	}
	var ids []string
	for _, set := range sets {
		ids = append(ids, set.ID)
	}
	found, err := v.SetVariables(ids...)
	inSets := map[string][]inputs.Variable{}
	for _, variable := range found {
		inSets[variable.OwnerID] = append(inSets[variable.OwnerID], variable)
	}
	return sets, inSets, err
}

// RankedVariables is every variable that a run of a workspace could get, and which win.
func (m *Room) RankedVariables(ctx context.Context, s belay.Principal, ref belay.WorkspaceRef) (list []inputs.RankedVariable, err error) {
	err = m.db.View(ctx, func(v *store.View) error {
		w, _, err := gate.Workspace(v, s, ref, belay.ReadVariables)
		if err != nil {
			return err
		}
		own, err := v.Variables(w.ID)
		if err != nil {
			return err
		}
		sets, inSets, err := variablesOfSets(v, &w)
		list = inputs.RankedVariables(w.ID, own, sets, inSets)
		return err
	})
	return list, err
}

// variable hands out a variable with its workspace, to those with the permission there.
// A ref without a workspace takes the variable's own.
func (m *Room) variable(v store.Reader, s belay.Principal, ref belay.WorkspaceRef, id string, need belay.Permission) (belay.Workspace, inputs.Variable, error) {
	found, err := v.Peek().Variable(id)
	if err != nil {
		return belay.Workspace{}, found, err
	}
	if ref == (belay.WorkspaceRef{}) {
		ref.ID = found.OwnerID
	}
	w, _, err := gate.Workspace(v, s, ref, need)
	if err != nil {
		return w, found, err
	}
	// Read again under the workspace's row, which every change of a variable holds.
	if found, err = v.Variable(id); err == nil && found.OwnerID != w.ID {
		err = belay.ErrNotFound
	}
	return w, found, err
}

// Variable is one variable of a workspace.
func (m *Room) Variable(ctx context.Context, s belay.Principal, ref belay.WorkspaceRef, id string) (found inputs.Variable, err error) {
	err = m.db.View(ctx, func(v *store.View) error {
		_, found, err = m.variable(v, s, ref, id, belay.ReadVariables)
		return err
	})
	return found, err
}

// UpdateVariable changes a variable of a workspace.
func (m *Room) UpdateVariable(ctx context.Context, s belay.Principal, ref belay.WorkspaceRef, id string, p inputs.VariablePatch) (v inputs.Variable, err error) {
	err = m.db.Update(ctx, func(tx *store.Tx) error {
		var w belay.Workspace
		if w, v, err = m.variable(&tx.Locked, s, ref, id, belay.WriteVariables); err != nil {
			return err
		}
		if err := m.applyVariable(&v, p); err != nil {
			return err
		}
		if err := tx.SaveVariable(&v); err != nil {
			return err
		}
		return emitVariable(tx, s, "variable.updated", &w, &v)
	})
	return v, err
}

// ChangeVariables changes and makes variables of a workspace: all of them or none.
func (m *Room) ChangeVariables(ctx context.Context, s belay.Principal, ref belay.WorkspaceRef, changes []inputs.VariableChange) (list []inputs.Variable, err error) {
	err = m.db.Update(ctx, func(tx *store.Tx) error {
		w, _, err := gate.Workspace(&tx.Locked, s, ref, belay.WriteVariables)
		if err != nil {
			return err
		}
		if err := inputs.CheckManyVariables(len(changes)); err != nil {
			return err
		}
		var problems belay.Problems
		saves, read := make([]func() error, len(changes)), map[string]*inputs.Variable{}
		for i, change := range changes {
			saves[i], err = m.changeVariable(tx, s, &w, read, change)
			if err := problems.Add(belay.Under(belay.Whole.Item(i), err)); err != nil {
				return err
			}
		}
		if err := problems.Err(); err != nil {
			return err
		}
		for i, save := range saves { // the first that is refused undoes the others
			if err := belay.Under(belay.Whole.Item(i), save()); err != nil {
				return err
			}
		}
		list, err = tx.Peek().Variables(w.ID)
		return err
	})
	return list, err
}

// changeVariable makes a change, which save then writes. read is the variables that changes
// before it were about.
func (m *Room) changeVariable(tx *store.Tx, s belay.Principal, w *belay.Workspace, read map[string]*inputs.Variable, change inputs.VariableChange) (save func() error, err error) {
	made := inputs.NewVariable(w.ID, "workspaces", tx.Now)
	v, kind, write := &made, "variable.created", tx.AddVariable
	if change.ID != "" {
		if v = read[change.ID]; v == nil {
			found, err := tx.Variable(change.ID)
			if err == nil && found.OwnerID != w.ID {
				err = belay.ErrNotFound
			}
			if err != nil {
				return nil, err
			}
			v, read[change.ID] = &found, &found
		}
		kind, write = "variable.updated", tx.SaveVariable
	}
	return func() error {
		if err := write(v); err != nil {
			return err
		}
		return emitVariable(tx, s, kind, w, v)
	}, m.applyVariable(v, change.VariablePatch)
}

// DeleteVariable deletes a variable of a workspace.
func (m *Room) DeleteVariable(ctx context.Context, s belay.Principal, ref belay.WorkspaceRef, id string) error {
	return m.db.Update(ctx, func(tx *store.Tx) error {
		w, v, err := m.variable(&tx.Locked, s, ref, id, belay.WriteVariables)
		if err != nil {
			return err
		}
		if err := tx.DropVariable(&v); err != nil {
			return err
		}
		return emitVariable(tx, s, "variable.deleted", &w, &v)
	})
}
