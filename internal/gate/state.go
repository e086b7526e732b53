package gate

import (
	"github.com/belayhq/belay"
	"github.com/belayhq/belay/internal/store"
)

// Seen is a workspace, and what a principal may do with it.
type Seen struct {
	belay.Workspace
	Can         belay.Permission
	ProjectName string // empty: the principal does not see the project
}

// See is a workspace as somebody sees it.
func See(w belay.Workspace, access belay.Access) Seen {
	seen := Seen{Workspace: w, Can: access.OnWorkspace(w.ID, w.ProjectID)}
	if access.OnProject(w.ProjectID).Has(belay.ReadProject) {
		seen.ProjectName = w.Project.Name
	}
	return seen
}

// StateReader hands out a workspace to those who may read its state (ReadState) or only
// what it gives away (ReadOutputs). It is the one place that says who may: whoever has the
// permission, and the runs of workspaces that this one shares its state with.
func StateReader(v *store.View, s belay.Principal, ref belay.WorkspaceRef, need belay.Permission) (Seen, error) {
	w, access, err := Workspace(v, s, ref, belay.ReadWorkspace)
	if err != nil {
		return Seen{}, err
	}
	seen := See(w, access)
	err = Lend(v, s, []*Seen{&seen})
	if err == nil && !seen.Can.Has(need) {
		err = belay.ErrNotFound
	}
	return seen, err
}

// Lend adds to what the run of a workspace may do with others, all of one organization,
// what they share with it. To anybody else sharing gives nothing.
func Lend(v *store.View, s belay.Principal, list []*Seen) error {
	if s.Kind != belay.RunPrincipal || len(list) == 0 {
		return nil
	}
	ids := make([]string, len(list))
	for i := range list {
		ids[i] = list[i].ID
	}
	consumer, shared, err := v.SharedWith(s.WorkspaceID, ids)
	if err != nil {
		return err
	}
	for _, w := range list {
		if w.SharesByList() && shared[w.ID] || w.SharesBySettings(consumer.OrganizationID, consumer.ProjectID) {
			w.Can = w.Can.And(belay.LentState)
		}
	}
	return nil
}
