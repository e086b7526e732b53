package variables

import (
	"context"
	"slices"

	"github.com/belayhq/belay"
	"github.com/belayhq/belay/inputs"
	"github.com/belayhq/belay/internal/gate"
	"github.com/belayhq/belay/internal/patch"
	"github.com/belayhq/belay/internal/store"
)

// Copying is what a copy of variables is asked for: some of one workspace, for another of its organization.
type Copying struct {
	From, To belay.WorkspaceRef
	IDs      []string
}

// Copied is a variable, and what a copy of it does where it goes.
type Copied struct {
	inputs.Variable
	Effect inputs.Effect
}

// secretly is what it takes to copy sensitive variables from a workspace without being told them: to write them there, and to have
// code carried out that could tell them anyway.
var secretly = belay.WriteVariables.And(belay.Steering)

// LookAtCopy is what a copy would do now, and the workspace that it is for.
func (m *Room) LookAtCopy(ctx context.Context, s belay.Principal, want Copying) (to belay.Workspace, list []Copied, err error) {
	err = m.db.View(ctx, func(v *store.View) error {
		to, list, _, err = m.copying(v, v, s, want)
		return err
	})
	return to, list, err
}

// CopyVariables copies variables: all that are not left out, or none. Descriptions go along, and what is sensitive is so there.
func (m *Room) CopyVariables(ctx context.Context, s belay.Principal, want Copying) (list []Copied, err error) {
	err = m.db.Update(ctx, func(tx *store.Tx) error {
		w, found, changes, err := m.copying(&tx.Locked, tx.Peek(), s, want)
		if err != nil {
			return err
		}
		list = found
		for i := range changes {
			if list[i].Effect == inputs.LeftOut || list[i].Effect == inputs.Unchanged {
				continue
			}
			if from := &list[i].Variable; from.Sensitive {
				open, err := m.ring.Unseal(from.Value, from.ID)
				if err != nil {
					return err
				}
				changes[i].Value = patch.Of(string(open))
			}
			save, err := m.changeVariable(tx, s, &w, map[string]*inputs.Variable{}, changes[i])
			if err == nil {
				err = save()
			}
			if err != nil {
				return err
			}
		}
		return nil
	})
	return list, err
}

// copying is where a copy goes, and what becomes of each variable there. Values of sensitive ones stay sealed.
func (m *Room) copying(locked store.Reader, v *store.View, s belay.Principal, want Copying) (to belay.Workspace, list []Copied, changes []inputs.VariableChange, err error) {
	from, access, err := gate.Workspace(v, s, want.From, belay.ReadVariables)
	if err != nil {
		return to, nil, nil, err
	}
	if to, _, err = gate.Workspace(locked, s, want.To, belay.WriteVariables); err != nil {
		return to, nil, nil, err
	}
	switch {
	case to.OrganizationID != from.OrganizationID:
		return to, nil, nil, belay.ErrNotFound
	case to.ID == from.ID:
		return to, nil, nil, belay.Refuse(belay.Invalid, "%s has its variables already.", to.Name)
	}
	if err := inputs.CheckManyVariables(len(want.IDs)); err != nil {
		return to, nil, nil, err
	}
	all, err := v.Variables(from.ID)
	if err != nil {
		return to, nil, nil, err
	}
	own, err := v.Variables(to.ID)
	if err != nil {
		return to, nil, nil, err
	}
	may := access.OnWorkspace(from.ID, from.ProjectID).Has(secretly)
	for i := range all {
		one := &all[i]
		if !slices.Contains(want.IDs, one.ID) {
			continue
		}
		change, effect := inputs.Writes(own, one.Key, one.Category, inputs.VariablePatch{
			Value: patch.Of(one.Value), HCL: patch.Of(one.HCL), Description: patch.Of(one.Description), Sensitive: patch.Field[bool]{Set: one.Sensitive, Value: one.Sensitive},
		})
		if one.Sensitive && !may {
			effect = inputs.LeftOut
		}
		list, changes = append(list, Copied{*one, effect}), append(changes, change)
	}
	return to, list, changes, nil
}
