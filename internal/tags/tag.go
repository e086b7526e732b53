package tags

import (
	"context"
	"errors"

	"github.com/belayhq/belay"
	"github.com/belayhq/belay/internal/background"
	"github.com/belayhq/belay/internal/gate"
	"github.com/belayhq/belay/internal/record"
	"github.com/belayhq/belay/internal/store"
)

// WorkspaceTags is the flat tags that a workspace carries.
func (r *Room) WorkspaceTags(ctx context.Context, s belay.Principal, ref belay.WorkspaceRef, want belay.TagQuery) (list []belay.Tag, total int, err error) {
	err = r.db.View(ctx, func(v *store.View) error {
		w, _, err := gate.Workspace(v, s, ref, belay.ReadWorkspace)
		if err != nil {
			return err
		}
		want.WorkspaceID = w.ID
		list, total, err = v.Tags(w.OrganizationID, want)
		return err
	})
	return list, total, err
}

// AddTags makes a workspace carry flat tags. What it carries already is left as it is.
func (r *Room) AddTags(ctx context.Context, s belay.Principal, ref belay.WorkspaceRef, refs []belay.TagRef) error {
	return r.changeTags(ctx, s, ref, belay.ManageTags, refs, func(tx *store.Tx, w *belay.Workspace, names []string) error {
		added := w.Wear(names)
		if len(added) == 0 {
			return nil
		}
		if err := tx.SaveTags(w, added, nil); err != nil {
			return err
		}
		return emitTags(tx, s, "workspace.tags_added", w, added)
	})
}

// RemoveTags takes flat tags from a workspace. What it does not carry is passed over.
func (r *Room) RemoveTags(ctx context.Context, s belay.Principal, ref belay.WorkspaceRef, refs []belay.TagRef) error {
	return r.changeTags(ctx, s, ref, belay.ManageTags.And(belay.UpdateWorkspace), refs, func(tx *store.Tx, w *belay.Workspace, names []string) error {
		removed := w.Shed(names)
		if len(removed) == 0 {
			return nil
		}
		if err := tx.SaveTags(w, nil, removed); err != nil {
			return err
		}
		return emitTags(tx, s, "workspace.tags_removed", w, removed)
	})
}

// changeTags finds the workspace and the names of the tags. A tag named by id must exist.
func (r *Room) changeTags(ctx context.Context, s belay.Principal, ref belay.WorkspaceRef, need belay.Permission, refs []belay.TagRef,
	change func(*store.Tx, *belay.Workspace, []string) error,
) error {
	return r.db.Update(ctx, func(tx *store.Tx) error {
		w, _, err := gate.Workspace(&tx.Locked, s, ref, need)
		if err != nil {
			return err
		}
		refs, err := belay.CheckTagRefs(refs, belay.Whole)
		if err != nil {
			return err
		}
		known, err := Names(tx.Peek(), w.OrganizationID, refs)
		if err != nil {
			return err
		}
		names := make([]string, len(refs))
		for i, ref := range refs {
			if names[i] = ref.Name; ref.ID != "" {
				names[i] = known[ref.ID]
			}
			if names[i] == "" {
				return belay.ErrNotFound
			}
		}
		return change(tx, &w, names)
	})
}

// Names is the names of those tags that are named by id, by their ids.
func Names(v *store.View, organizationID string, refs []belay.TagRef) (map[string]string, error) {
	var ids []string
	for _, ref := range refs {
		if ref.ID != "" {
			ids = append(ids, ref.ID)
		}
	}
	if ids == nil {
		return nil, nil
	}
	list, err := v.TagsByID(organizationID, ids)
	names := make(map[string]string, len(list))
	for _, t := range list {
		names[t.ID] = t.Name
	}
	return names, err
}

func emitTags(tx *store.Tx, s belay.Principal, kind string, w *belay.Workspace, names []string) error {
	return record.EmitWorkspaces(tx, s, kind, []belay.Workspace{*w}, names...)
}

// Tags is the flat tags that the workspaces of an organization carry.
func (r *Room) Tags(ctx context.Context, s belay.Principal, organization string, want belay.TagQuery) (list []belay.Tag, total int, err error) {
	err = r.db.View(ctx, func(v *store.View) error {
		o, _, err := gate.Organization(v, s, organization, belay.Traverse)
		if err != nil {
			return err
		}
		if want.WithoutWorkspace != "" {
			// What is hidden from the caller takes nothing out: that would show its tags.
			_, _, err := gate.Workspace(v, s, belay.WorkspaceRef{ID: want.WithoutWorkspace}, belay.ReadWorkspace)
			if belay.KindOf(err) == belay.NotFound {
				want.WithoutWorkspace = ""
			} else if err != nil {
				return err
			}
		}
		list, total, err = v.Tags(o.ID, want)
		return err
	})
	return list, total, err
}

// DeleteTags deletes flat tags from an organization and from all its workspaces: whoever looks
// sees all of it or nothing. Those that many carry are taken from them in parts behind that, so
// that others who write hardly wait.
func (r *Room) DeleteTags(ctx context.Context, s belay.Principal, organization string, ids []string) error {
	if len(ids) == 0 {
		return nil
	}
	left, err := false, store.ErrWornMeanwhile
	for tries := 0; errors.Is(err, store.ErrWornMeanwhile) && tries < 100; tries++ {
		err = r.db.Update(ctx, func(tx *store.Tx) error {
			o, _, err := gate.Organization(tx.Peek(), s, organization, belay.ManageOrganizationTags)
			if err != nil {
				return err
			}
			list, err := tx.Peek().TagsByID(o.ID, ids)
			if err == nil && len(list) < len(ids) {
				err = belay.ErrNotFound
			}
			if err != nil {
				return err
			}
			if left, err = tx.DropTags(o.ID, list); err != nil {
				return err
			}
			events := make([]belay.Event, len(list))
			for i, t := range list {
				events[i] = record.InOrganization(s, "tag.deleted", o.ID, "tags", t.ID, t.Name)
			}
			return tx.EmitAll(events)
		})
	}
	if errors.Is(err, store.ErrWornMeanwhile) {
		return belay.Refuse(belay.NotReady, "the tag is given to workspaces all the time: try again")
	}
	if err == nil && left {
		background.InParts(context.WithoutCancel(ctx), r.log, "a tag", func(ctx context.Context) (bool, error) { return r.db.DropDoomed(ctx, ids...) })
	}
	return err
}

// DropDoomed takes up the deletion of tags that a server left behind.
func (r *Room) DropDoomed(ctx context.Context) {
	background.InParts(ctx, r.log, "tags", func(ctx context.Context) (bool, error) { return r.db.DropDoomed(ctx) })
}

// TagWorkspaces makes workspaces carry a tag that exists. The caller must be allowed to
// tag each of them.
func (r *Room) TagWorkspaces(ctx context.Context, s belay.Principal, tagID string, ids []string) error {
	var seen []belay.Workspace
	if r.db.OneWriter() {
		if err := r.db.View(ctx, func(v *store.View) (err error) { seen, err = v.HeldWorkspaces(ids); return err }); err != nil {
			return err
		}
	}
	err := r.tag(ctx, s, tagID, ids, seen)
	if errors.Is(err, store.ErrChangedMeanwhile) {
		err = r.tag(ctx, s, tagID, ids, nil)
	}
	return err
}

// tag makes workspaces carry a tag. Those that were seen before are not read again while
// others wait; where there are none they are read, and held.
func (r *Room) tag(ctx context.Context, s belay.Principal, tagID string, ids []string, seen []belay.Workspace) error {
	return record.OnMany(ctx, r.db, r.log, "", func(tx *store.Tx) ([]belay.Event, error) {
		list := seen
		if seen == nil {
			var err error
			if list, err = tx.HeldWorkspaces(ids); err != nil {
				return nil, err
			}
		}
		before := make(map[string][]string, len(list))
		for i := range list {
			before[list[i].ID] = list[i].TagNames
		}
		t, bare, err := taggable(&tx.Locked, s, tagID, ids, list)
		if err != nil || len(bare) == 0 {
			return nil, err
		}
		told := record.OfWorkspaces(s, "workspace.tags_added", bare, t.Name)
		if seen != nil {
			return told, tx.TagSeen(&t, bare, before)
		}
		return told, tx.TagWorkspaces(&t, bare)
	})
}

// taggable is a tag and those of some workspaces that do not carry it yet, which will, if the
// caller may tag all of them.
func taggable(v *store.Locked, s belay.Principal, tagID string, ids []string, list []belay.Workspace) (t belay.Tag, bare []belay.Workspace, err error) {
	if t, err = v.Tag(tagID); err != nil {
		return t, nil, err
	}
	access, err := v.Access(s, t.Organization)
	if err != nil {
		return t, nil, err
	}
	for _, w := range list {
		if w.OrganizationID != t.OrganizationID || !access.OnWorkspace(w.ID, w.ProjectID).Has(belay.ReadWorkspace.And(belay.ManageTags)) {
			return t, nil, belay.ErrNotFound
		}
		if len(w.Wear([]string{t.Name})) > 0 {
			bare = append(bare, w)
		}
	}
	if len(list) < len(ids) || !access.Everywhere.Has(belay.Traverse) {
		return t, nil, belay.ErrNotFound
	}
	return t, bare, nil
}
