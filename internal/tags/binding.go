package tags

import (
	"context"

	"github.com/belayhq/belay"
	"github.com/belayhq/belay/internal/gate"
	"github.com/belayhq/belay/internal/record"
	"github.com/belayhq/belay/internal/store"
)

// WorkspaceBindings is the tag bindings of a workspace itself.
func (r *Room) WorkspaceBindings(ctx context.Context, s belay.Principal, ref belay.WorkspaceRef) (list belay.TagBindings, err error) {
	err = r.db.View(ctx, func(v *store.View) error {
		w, _, err := gate.Workspace(v, s, ref, belay.ReadWorkspace)
		if err != nil {
			return err
		}
		list, err = v.WorkspaceBindings(w.ID)
		return err
	})
	return list, err
}

// EffectiveBindings is the tag bindings in force for a workspace.
func (r *Room) EffectiveBindings(ctx context.Context, s belay.Principal, ref belay.WorkspaceRef) (list []belay.EffectiveTagBinding, err error) {
	err = r.db.View(ctx, func(v *store.View) error {
		w, _, err := gate.Workspace(v, s, ref, belay.ReadWorkspace)
		if err != nil {
			return err
		}
		list, err = v.EffectiveBindings([]string{w.ID})
		return err
	})
	return list, err
}

// ProjectBindings is the tag bindings of a project.
func (r *Room) ProjectBindings(ctx context.Context, s belay.Principal, id string) (list belay.TagBindings, err error) {
	err = r.db.View(ctx, func(v *store.View) error {
		p, _, err := gate.Project(v, s, id, belay.ReadProject)
		if err != nil {
			return err
		}
		list, err = v.ProjectBindings(p.ID)
		return err
	})
	return list, err
}

// BindWorkspace adds tag bindings to a workspace, or replaces all that it has. It
// returns those asked for, as they are now.
func (r *Room) BindWorkspace(ctx context.Context, s belay.Principal, ref belay.WorkspaceRef, asked belay.TagBindings, replace bool) (bound belay.TagBindings, err error) {
	need := belay.ManageTags
	if replace {
		need = need.And(belay.UpdateWorkspace) // as for removing flat tags
	}
	err = r.db.Update(ctx, func(tx *store.Tx) error {
		w, _, err := gate.Workspace(&tx.Locked, s, ref, need)
		if err != nil {
			return err
		}
		facts, err := Facts(tx.Peek(), w.ID, w.ProjectID)
		if err != nil {
			return err
		}
		after, err := boundAfter(facts, asked, replace, tx)
		if err != nil {
			return err
		}
		bound = after[:len(asked)]
		if facts.Before.Same(after) {
			return nil
		}
		if err := tx.SaveWorkspaceBindings(&w, facts.Before, after); err != nil {
			return err
		}
		return record.EmitWorkspace(tx, s, "workspace.tag_bindings_changed", &w)
	})
	return bound, err
}

// BindProject adds tag bindings to a project, or replaces all that it has.
func (r *Room) BindProject(ctx context.Context, s belay.Principal, id string, asked belay.TagBindings, replace bool) (bound belay.TagBindings, err error) {
	err = r.db.Update(ctx, func(tx *store.Tx) error {
		p, _, err := gate.Project(&tx.Locked, s, id, belay.ManageProjectTags)
		if err != nil {
			return err
		}
		before, err := tx.ProjectBindings(p.ID)
		if err != nil {
			return err
		}
		after, err := boundAfter(belay.BindingFacts{Before: before}, asked, replace, tx)
		if err != nil {
			return err
		}
		bound = after[:len(asked)]
		if before.Same(after) {
			return nil
		}
		if err := tx.SaveProjectBindings(&p, before, after); err != nil {
			return err
		}
		return record.EmitOrganization(tx, s, "project.tag_bindings_changed", p.OrganizationID, "projects", p.ID, p.Name)
	})
	return bound, err
}

// boundAfter is the bindings of a resource after a request, those asked for first.
func boundAfter(facts belay.BindingFacts, asked belay.TagBindings, replace bool, tx *store.Tx) (belay.TagBindings, error) {
	after := facts.Before.Merged(asked, tx.Now)
	if replace {
		after = facts.Before.Replaced(asked, tx.Now)
	}
	return after, belay.CheckTagBindings(asked, facts.Before, after, facts.Fixed, belay.Whole)
}

// Facts looks up what the rules of a workspace's bindings lean on.
func Facts(v *store.View, workspaceID, projectID string) (facts belay.BindingFacts, err error) {
	if facts.Before, err = v.WorkspaceBindings(workspaceID); err != nil {
		return facts, err
	}
	facts.Fixed, err = v.FixedKeys(projectID)
	return facts, err
}

// ReservedTagKeys is the reserved tag keys of an organization, to its members.
func (r *Room) ReservedTagKeys(ctx context.Context, s belay.Principal, organization string, page belay.Page) (list []belay.ReservedTagKey, total int, err error) {
	err = r.db.View(ctx, func(v *store.View) error {
		o, _, err := gate.Organization(v, s, organization, belay.Traverse)
		if err != nil {
			return err
		}
		list, total, err = v.ReservedTagKeys(o.ID, page)
		return err
	})
	return list, total, err
}

// ReservedTagKey is one reserved tag key, to the members of its organization.
func (r *Room) ReservedTagKey(ctx context.Context, s belay.Principal, id string) (k belay.ReservedTagKey, err error) {
	err = r.db.View(ctx, func(v *store.View) error {
		if k, err = v.ReservedTagKey(id); err != nil {
			return err
		}
		return gate.In(v, s, k.Organization, belay.Traverse)
	})
	return k, err
}

// ReserveTagKey reserves a tag key in an organization.
func (r *Room) ReserveTagKey(ctx context.Context, s belay.Principal, organization string, p belay.ReservedTagKeyPatch) (k belay.ReservedTagKey, err error) {
	err = r.db.Update(ctx, func(tx *store.Tx) error {
		o, _, err := gate.Organization(tx.Peek(), s, organization, belay.ReserveTagKeys)
		if err != nil {
			return err
		}
		k = belay.ReservedTagKey{ID: belay.NewID("rtk"), OrganizationID: o.ID, CreatedAt: tx.Now, Organization: o}
		if err := k.Apply(p, tx.Now); err != nil {
			return err
		}
		if err := tx.AddReservedTagKey(&k); err != nil {
			return err
		}
		return record.EmitOrganization(tx, s, "reserved_tag_key.created", o.ID, "reserved-tag-keys", k.ID, k.Key)
	})
	return k, err
}

// UpdateReservedTagKey changes a reserved tag key. Bindings that are there stay as they are.
func (r *Room) UpdateReservedTagKey(ctx context.Context, s belay.Principal, id string, p belay.ReservedTagKeyPatch) (k belay.ReservedTagKey, err error) {
	err = r.db.Update(ctx, func(tx *store.Tx) error {
		if k, err = r.reservedTagKey(tx, s, id); err != nil {
			return err
		}
		if err := k.Apply(p, tx.Now); err != nil {
			return err
		}
		if err := tx.SaveReservedTagKey(&k); err != nil {
			return err
		}
		return record.EmitOrganization(tx, s, "reserved_tag_key.updated", k.OrganizationID, "reserved-tag-keys", k.ID, k.Key)
	})
	return k, err
}

// ReleaseTagKey takes a key out of the reserved ones.
func (r *Room) ReleaseTagKey(ctx context.Context, s belay.Principal, id string) error {
	return r.db.Update(ctx, func(tx *store.Tx) error {
		k, err := r.reservedTagKey(tx, s, id)
		if err != nil {
			return err
		}
		if err := tx.DropReservedTagKey(&k); err != nil {
			return err
		}
		return record.EmitOrganization(tx, s, "reserved_tag_key.deleted", k.OrganizationID, "reserved-tag-keys", k.ID, k.Key)
	})
}

// reservedTagKey hands out a reserved tag key to those who may change it.
func (r *Room) reservedTagKey(tx *store.Tx, s belay.Principal, id string) (belay.ReservedTagKey, error) {
	k, err := tx.ReservedTagKey(id)
	if err != nil {
		return k, err
	}
	return k, gate.In(tx.Peek(), s, k.Organization, belay.ReserveTagKeys)
}
