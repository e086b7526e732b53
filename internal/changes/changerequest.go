package changes

import (
	"context"
	"strings"

	"github.com/belayhq/belay"
	"github.com/belayhq/belay/backlog"
	"github.com/belayhq/belay/internal/gate"
	"github.com/belayhq/belay/internal/store"
)

// ChangeRequests is the change requests of an organization, on the workspaces where the
// caller may read them.
func (r *Room) ChangeRequests(ctx context.Context, s belay.Principal, organization string, want backlog.ChangeRequestQuery) (list []backlog.ChangeRequest, total int, err error) {
	err = r.db.View(ctx, func(v *store.View) error {
		o, access, err := gate.Organization(v, s, organization, belay.Traverse)
		if err != nil {
			return err
		}
		want.Scope = access.Scope(belay.ReadChangeRequests)
		list, total, err = v.ChangeRequests(o, want)
		return err
	})
	return list, total, err
}

// WorkspaceChangeRequests is the backlog of one workspace. A ref that has only a name
// may mean any workspace that the caller reads, if there is but one of that name.
func (r *Room) WorkspaceChangeRequests(ctx context.Context, s belay.Principal, ref belay.WorkspaceRef, want backlog.ChangeRequestQuery) (list []backlog.ChangeRequest, total int, err error) {
	err = r.db.View(ctx, func(v *store.View) error {
		w, err := r.workspaceForRequests(v, s, ref)
		if err != nil {
			return err
		}
		want.Scope, want.WorkspaceIDs, want.WorkspaceNames = belay.Scope{Everything: true}, []string{w.ID}, nil
		list, total, err = v.ChangeRequests(w.Organization, want)
		return err
	})
	return list, total, err
}

// workspaceForRequests finds the workspace that a path names: by id first, and else by a
// name that is alone among what the caller reads.
func (r *Room) workspaceForRequests(v *store.View, s belay.Principal, ref belay.WorkspaceRef) (belay.Workspace, error) {
	if ref.Organization != "" || strings.HasPrefix(ref.ID, "ws-") {
		w, _, err := gate.Workspace(v, s, ref, belay.ReadChangeRequests)
		if ref.Organization != "" || belay.KindOf(err) != belay.NotFound {
			return w, err
		}
	}
	named, err := v.WorkspacesNamed(s, ref.ID)
	if err != nil {
		return belay.Workspace{}, err
	}
	var readable []belay.Workspace
	for _, w := range named {
		access, err := v.Access(s, w.Organization)
		if err != nil {
			return w, err
		}
		if access.OnWorkspace(w.ID, w.ProjectID).Has(belay.ReadWorkspace.And(belay.ReadChangeRequests)) {
			readable = append(readable, w)
		}
	}
	switch len(readable) {
	case 0:
		return belay.Workspace{}, belay.ErrNotFound
	case 1:
		return readable[0], nil
	default:
		return belay.Workspace{}, belay.Refuse(belay.NotFound, "ambiguous workspace name; use the workspace id")
	}
}

// ChangeRequest is one change request, to those who may read it.
func (r *Room) ChangeRequest(ctx context.Context, s belay.Principal, id string) (c backlog.ChangeRequest, err error) {
	err = r.db.View(ctx, func(v *store.View) error {
		c, _, err = r.changeRequest(v, s, id, belay.ReadChangeRequests)
		return err
	})
	return c, err
}

// ArchiveChangeRequest takes a change request out of the backlog.
func (r *Room) ArchiveChangeRequest(ctx context.Context, s belay.Principal, id string) (c backlog.ChangeRequest, err error) {
	err = r.db.Update(ctx, func(tx *store.Tx) error {
		var w belay.Workspace
		c, w, err = r.changeRequest(&tx.Locked, s, id, belay.ArchiveChangeRequests)
		if err != nil {
			return err
		}
		actor, _ := s.Actor()
		if err := c.Archive(actor, tx.Now); err != nil {
			return err
		}
		if err := tx.SaveArchive(&c); err != nil {
			return err
		}
		c.WorkspaceName = w.Name
		return tx.Emit(ofRequest(s, "change_request.archived", &c))
	})
	return c, err
}

// TakeChangeRequest says that the caller is on a change request that it may archive.
func (r *Room) TakeChangeRequest(ctx context.Context, s belay.Principal, id string) (backlog.ChangeRequest, error) {
	return r.assign(ctx, s, id, "change_request.taken", func(c *backlog.ChangeRequest, tx *store.Tx) error { return c.Take(s, tx.Now) })
}

// ReleaseChangeRequest leaves a change request to others, whoever took it.
func (r *Room) ReleaseChangeRequest(ctx context.Context, s belay.Principal, id string) (backlog.ChangeRequest, error) {
	return r.assign(ctx, s, id, "change_request.released", func(c *backlog.ChangeRequest, tx *store.Tx) error { return c.Release(tx.Now) })
}

// assign writes who is on a change request, and tells of it when that is somebody else now.
func (r *Room) assign(ctx context.Context, s belay.Principal, id, kind string, change func(*backlog.ChangeRequest, *store.Tx) error) (c backlog.ChangeRequest, err error) {
	err = r.db.Update(ctx, func(tx *store.Tx) error {
		var w belay.Workspace
		c, w, err = r.changeRequest(&tx.Locked, s, id, belay.ArchiveChangeRequests)
		if err != nil {
			return err
		}
		before := c.AssigneeID
		if err := change(&c, tx); err != nil || c.AssigneeID == before {
			return err
		}
		if err := tx.SaveAssignee(&c); err != nil {
			return err
		}
		c.WorkspaceName = w.Name
		return tx.Emit(ofRequest(s, kind, &c))
	})
	return c, err
}

// changeRequest hands out a change request to those who have the permission on its workspace.
func (r *Room) changeRequest(v store.Reader, s belay.Principal, id string, need belay.Permission) (backlog.ChangeRequest, belay.Workspace, error) {
	c, err := v.ChangeRequest(id)
	if err != nil {
		return c, belay.Workspace{}, err
	}
	w, _, err := gate.Workspace(v.Peek(), s, belay.WorkspaceRef{ID: c.WorkspaceID}, need.And(belay.ReadChangeRequests))
	return c, w, err
}
