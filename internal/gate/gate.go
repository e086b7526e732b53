// Package gate owns who may: it hands out organizations, projects and workspaces to those
// who have a permission on them, and nothing to anybody else, who does not even learn that
// they are there. No verb reaches one by another way.
//
// It never changes anything and knows no request.
package gate

import (
	"github.com/belayhq/belay"
	"github.com/belayhq/belay/internal/store"
	"github.com/belayhq/belay/run"
)

// OwnersOnly is what the owners of an organization have on its workspaces, and nobody else.
var OwnersOnly = belay.ReadRuns.And(belay.DeleteOrganization)

// Organization hands out an organization, and what the principal may do in it.
func Organization(v store.Reader, s belay.Principal, name string, need belay.Permission) (belay.Organization, belay.Access, error) {
	o, err := v.Organization(name)
	if err != nil {
		return o, belay.Access{}, err
	}
	access, err := v.Access(s, o)
	if need != belay.ReadAuditTrail { // whose token sees nothing else
		need = need.And(belay.Traverse)
	}
	if err == nil && !access.Everywhere.Has(need) {
		err = belay.ErrNotFound
	}
	return o, access, err
}

// AccessIfTaken is what a principal may do in one of several organizations: nothing where it takes
// no tokens of users.
func AccessIfTaken(v store.Reader, s belay.Principal, o belay.Organization) (belay.Access, error) {
	access, err := v.Access(s, o)
	if belay.KindOf(err) == belay.Unauthenticated {
		err = nil
	}
	return access, err
}

// Project hands out a project.
func Project(v store.Reader, s belay.Principal, id string, need belay.Permission) (belay.Project, belay.Access, error) {
	p, err := v.Project(id)
	if err != nil {
		return p, belay.Access{}, err
	}
	access, err := v.Access(s, p.Organization)
	if err == nil && !access.OnProject(p.ID).Has(need.And(belay.ReadProject)) {
		err = belay.ErrNotFound
	}
	return p, access, err
}

// Workspace hands out a workspace.
func Workspace(v store.Reader, s belay.Principal, ref belay.WorkspaceRef, need belay.Permission) (belay.Workspace, belay.Access, error) {
	var known belay.Holder
	if s.Kind == belay.UserPrincipal {
		known = s.Holder()
	}
	w, err := v.WorkspaceKnowing(ref, known)
	return readable(v, s, w, err, need)
}

// WorkspaceForRuns hands out a workspace to those who make its runs go on.
func WorkspaceForRuns(v store.Reader, s belay.Principal, ref belay.WorkspaceRef, need belay.Permission) (belay.Workspace, belay.Access, error) {
	w, err := v.WorkspaceForRuns(ref)
	return readable(v, s, w, err, need)
}

// readable is a workspace that was found, for those who may.
func readable(v store.Reader, s belay.Principal, w belay.Workspace, err error, need belay.Permission) (belay.Workspace, belay.Access, error) {
	if err != nil {
		return w, belay.Access{}, err
	}
	access, err := v.Access(s, w.Organization)
	if err == nil && !access.OnWorkspace(w.ID, w.ProjectID).Has(need.And(belay.ReadWorkspace)) {
		err = belay.ErrNotFound
	}
	w.Lock.Holder.Hidden = !access.OnHolder(w.Lock.Holder)
	return w, access, err
}

// AgentPool hands out an agent pool without its lists, to those who manage it.
func AgentPool(v store.Reader, s belay.Principal, id string) (run.AgentPool, error) {
	p, err := v.BareAgentPool(id)
	if err != nil {
		return p, err
	}
	return p, In(v.Peek(), s, p.Organization, belay.ManageAgentPools)
}

// In refuses those who have not a permission in an organization that is at hand: what was
// found by its id belongs to it.
func In(v *store.View, s belay.Principal, o belay.Organization, need belay.Permission) error {
	access, err := v.Access(s, o)
	if err == nil && !access.Everywhere.Has(need.And(belay.Traverse)) {
		err = belay.ErrNotFound
	}
	return err
}

// SiteAdmin refuses everybody else; the administration stays hidden from them.
func SiteAdmin(s belay.Principal) error {
	if s.SiteAdmin {
		return nil
	}
	return belay.ErrNotFound
}

// SSHKeys hides SSH keys from organization tokens (docs/permissions.md).
func SSHKeys(s belay.Principal) error {
	if s.Organizational() {
		return belay.ErrNotFound
	}
	return nil
}
