package app

import (
	"context"
	"slices"
	"strings"

	"github.com/belayhq/belay"
	"github.com/belayhq/belay/inputs"
	"github.com/belayhq/belay/internal/state"
	"github.com/belayhq/belay/internal/store"
	"github.com/belayhq/belay/run"
)

// Related is what documents of workspaces include besides them: only what the principal may
// read of it.
type Related struct {
	Organizations []OrganizationView
	Projects      []ProjectView
	Users         []belay.User
	Teams         []TeamView
	Pools         []run.AgentPool
	Bindings      []belay.EffectiveTagBinding
	States        []state.View
	Outputs       []state.OutputView
	Variables     []inputs.Variable

	Configurations []run.ConfigurationVersion // the current ones
}

// relating is the search for what is related to workspaces of one organization.
type relating struct {
	app    *App
	v      *store.View
	s      belay.Principal
	access belay.Access
	list   []WorkspaceView
	found  *Related
}

// relations is how each kind of related resource is found: in a constant number of
// statements, for all workspaces together. What Belay does not have, such as runs, is in
// none of them and so includes nothing.
var relations = map[string]func(*relating) error{
	"organization":           (*relating).organization,
	"project":                (*relating).projects,
	"locked_by":              (*relating).lockers,
	"agent_pool":             (*relating).pools,
	"effective_tag_bindings": (*relating).bindings,
	"current_state_version":  (*relating).states,
	"outputs":                (*relating).outputs,
	"vars":                   (*relating).variables,

	"current_configuration_version": (*relating).configurations,
}

// Related finds what the include names of workspaces of one organization ask for. The
// workspaces must have been read for the principal.
func (a *App) Related(ctx context.Context, s belay.Principal, list []WorkspaceView, names []string) (found Related, err error) {
	if len(list) == 0 || len(names) == 0 {
		return found, nil
	}
	err = a.db.View(ctx, func(v *store.View) error {
		access, err := v.Access(s, list[0].Organization)
		if err != nil {
			return err
		}
		search := &relating{app: a, v: v, s: s, access: access, list: list, found: &found}
		done := map[string]bool{}
		for _, name := range names {
			first, _, _ := strings.Cut(name, ".") // the rest of a path hangs on what is found first
			find := relations[first]
			if find == nil || done[first] {
				continue
			}
			done[first] = true
			if err := find(search); err != nil {
				return err
			}
		}
		return nil
	})
	return found, err
}

// of is what id gives for each workspace on which the principal has the permission, once.
func (r *relating) of(need belay.Permission, id func(*WorkspaceView) []string) []string {
	var ids []string
	for i := range r.list {
		if w := &r.list[i]; w.Can.Has(need) {
			ids = append(ids, id(w)...)
		}
	}
	slices.Sort(ids)
	ids = slices.Compact(ids)
	if len(ids) > 0 && ids[0] == "" {
		ids = ids[1:]
	}
	return ids
}

func (r *relating) organization() error {
	if !r.s.KnowsPeople() {
		return nil
	}
	o, err := r.v.Organization(r.list[0].OrganizationID)
	r.found.Organizations = []OrganizationView{organizationView(o, r.access)}
	return err
}

func (r *relating) projects() error {
	ids := r.of(belay.ReadWorkspace, func(w *WorkspaceView) []string {
		if !r.access.OnProject(w.ProjectID).Has(belay.ReadProject) {
			return nil
		}
		return []string{w.ProjectID}
	})
	if len(ids) == 0 {
		return nil
	}
	list, err := r.v.ProjectsByID(ids)
	for _, p := range list {
		r.found.Projects = append(r.found.Projects, seenProject(p, r.access))
	}
	return err
}

// lockers finds who holds the locks: users, and the teams that the principal sees.
func (r *relating) lockers() error {
	if !r.s.KnowsPeople() {
		return nil
	}
	holders := func(kind string) []string {
		return r.of(belay.ReadWorkspace, func(w *WorkspaceView) []string {
			if w.Lock.Holder.Type != kind {
				return nil
			}
			return []string{w.Lock.Holder.ID}
		})
	}
	if ids := holders("users"); len(ids) > 0 {
		users, err := r.v.UsersByID(ids)
		if err != nil {
			return err
		}
		r.found.Users = users
	}
	ids := holders("teams")
	if len(ids) == 0 {
		return nil
	}
	teams, err := r.v.TeamsByID(ids)
	if err != nil {
		return err
	}
	teams = slices.DeleteFunc(teams, func(t belay.Team) bool { return !r.access.OnTeam(t) })
	r.found.Teams, err = teamViews(r.v, teams, r.access)
	return err
}

func (r *relating) pools() (err error) {
	ids := r.of(belay.ReadWorkspace, func(w *WorkspaceView) []string { return []string{w.PoolID()} })
	if len(ids) > 0 && r.access.Everywhere.Has(belay.ManageAgentPools) {
		r.found.Pools, err = r.v.AgentPoolsByID(ids)
	}
	return err
}

func (r *relating) bindings() (err error) {
	ids := r.of(belay.ReadWorkspace, func(w *WorkspaceView) []string { return []string{w.ID} })
	r.found.Bindings, err = r.v.EffectiveBindings(ids)
	return err
}

func (r *relating) states() error {
	ids := r.of(belay.ReadState, currentStateID)
	if len(ids) == 0 {
		return nil
	}
	can := make(map[string]belay.Permission, len(r.list))
	for _, w := range r.list {
		can[w.ID] = w.Can
	}
	list, err := r.v.StateVersionsByID(ids)
	for _, version := range list {
		r.found.States = append(r.found.States, state.View{StateVersion: version, Can: can[version.WorkspaceID]})
		r.app.NoteRead(r.s, version.WorkspaceID, belay.WholeState, err)
	}
	return err
}

func currentStateID(w *WorkspaceView) []string { return []string{w.CurrentStateVersionID} }

func (r *relating) outputs() (err error) {
	ids := r.of(belay.ReadOutputs, func(w *WorkspaceView) []string {
		if w.ManyOutputs { // the document does not refer to them
			return nil
		}
		if w.CurrentStateVersionID != "" {
			r.app.NoteRead(r.s, w.ID, belay.StateOutputs, nil)
		}
		return currentStateID(w)
	})
	if len(ids) == 0 {
		return nil
	}
	if r.found.Outputs, err = r.v.StateOutputsOf(ids...); err != nil {
		return err
	}
	return r.app.Reveal(r.found.Outputs, false)
}

func (r *relating) variables() (err error) {
	ids := r.of(belay.ReadVariables, func(w *WorkspaceView) []string { return w.VariableIDs })
	if len(ids) > 0 {
		r.found.Variables, err = r.v.VariablesByID(ids)
	}
	return err
}

func (r *relating) configurations() (err error) {
	ids := r.of(belay.ReadRuns, func(w *WorkspaceView) []string { return []string{w.ConfigurationID} })
	if len(ids) > 0 {
		r.found.Configurations, err = r.v.ConfigurationVersionsByID(ids)
	}
	return err
}

// ProjectsBindings is the tag bindings of projects that were read for the principal before,
// by project. It is for documents that include them.
func (a *App) ProjectsBindings(ctx context.Context, ids []string) (found map[string]belay.TagBindings, err error) {
	err = a.db.View(ctx, func(v *store.View) error {
		found, err = v.ProjectsBindings(ids)
		return err
	})
	return found, err
}
