package runs

import (
	"cmp"
	"context"
	"slices"

	"github.com/belayhq/belay"
	"github.com/belayhq/belay/internal/gate"
	"github.com/belayhq/belay/internal/store"
	"github.com/belayhq/belay/run"
)

// Show is one run.
func (m *Room) Show(ctx context.Context, s belay.Principal, id string) (view View, err error) {
	err = m.DB.View(ctx, func(v *store.View) error {
		w, access, r, err := get(v, s, id, belay.ReadRuns)
		if err != nil {
			return err
		}
		if view, err = m.noted(v, m.seen(&w, access, r)); err != nil || r.CommitSHA == "" {
			return err
		}
		c, err := v.ConfigurationVersion(r.ConfigurationVersionID)
		view.Ingress = c.Ingress
		return gone(err)
	})
	return view, err
}

// noted adds what happened to a run.
func (m *Room) noted(v *store.View, view View) (View, error) {
	events, err := v.RunNotes(view.ID)
	view.Events = events
	return view, err
}

// List is one page of the runs of a workspace, the newest first.
func (m *Room) List(ctx context.Context, s belay.Principal, ref belay.WorkspaceRef, want run.Query) (list []View, total int, err error) {
	err = m.DB.View(ctx, func(v *store.View) error {
		w, access, err := gate.Workspace(v, s, ref, belay.ReadRuns)
		if err != nil {
			return err
		}
		want.WorkspaceID, want.Scope = w.ID, belay.Scope{Everything: true}
		found, n, _, err := v.Runs(want, !want.Briefly)
		if err != nil {
			return err
		}
		total = n
		for _, r := range found {
			list = append(list, m.seen(&w, access, r))
		}
		if want.Briefly {
			return nil
		}
		return m.noteAll(v, list)
	})
	return list, total, err
}

func (m *Room) noteAll(v *store.View, list []View) error {
	if len(list) == 0 {
		return nil
	}
	ids := make([]string, len(list))
	for i := range list {
		ids[i] = list[i].ID
	}
	events, err := v.RunNotesOf(ids)
	for i := range list {
		list[i].Events = events[list[i].ID]
	}
	return err
}

// ListOfOrganization is one page of the runs of an organization that the caller may read.
// more says that there is another.
func (m *Room) ListOfOrganization(ctx context.Context, s belay.Principal, organization string, want run.Query) (list []View, more bool, err error) {
	err = m.DB.View(ctx, func(v *store.View) error {
		o, access, err := gate.Organization(v, s, organization, belay.Traverse)
		if err != nil {
			return err
		}
		want.OrganizationID, want.Scope = o.ID, access.Scope(belay.ReadWorkspace.And(belay.ReadRuns))
		found, _, next, err := v.Runs(want, false)
		if err != nil {
			return err
		}
		more = next
		list, err = m.seenAll(v, access, found, !want.Briefly)
		return err
	})
	return list, more, err
}

// seenAll is runs of one organization as the caller sees them, with what happened to them where that is told.
func (m *Room) seenAll(v *store.View, access belay.Access, found []run.Run, told bool) ([]View, error) {
	ids := make([]string, 0, len(found))
	for _, r := range found {
		ids = append(ids, r.WorkspaceID)
	}
	workspaces, err := workspacesOf(v, ids)
	if err != nil {
		return nil, err
	}
	list := make([]View, 0, len(found))
	for _, r := range found {
		if w, there := workspaces[r.WorkspaceID]; there {
			list = append(list, m.seen(w, access, r))
		}
	}
	if !told {
		return list, nil
	}
	return list, m.noteAll(v, list)
}

func workspacesOf(v *store.View, ids []string) (map[string]*belay.Workspace, error) {
	slices.Sort(ids)
	found, err := v.WorkspacesByID(slices.Compact(ids))
	workspaces := make(map[string]*belay.Workspace, len(found))
	for i := range found {
		workspaces[found[i].ID] = &found[i]
	}
	return workspaces, err
}

// Queue is one page of the runs of an organization that go on or wait for a runner, in the
// order that they are served in, as far as the caller may read them. Their places are
// counted over all of them.
func (m *Room) Queue(ctx context.Context, s belay.Principal, organization string, page belay.Page) (list []View, total int, err error) {
	err = m.DB.View(ctx, func(v *store.View) error {
		o, access, err := gate.Organization(v, s, organization, belay.Traverse)
		if err != nil {
			return err
		}
		all, err := v.UnfinishedOf(o.ID)
		if err != nil {
			return err
		}
		slices.SortStableFunc(all, func(a, b run.Run) int { return inQueue(&a, &b) })
		found, err := m.seenAll(v, access, all, true)
		if err != nil {
			return err
		}
		place := map[string]int{}
		for i := range all {
			if s := all[i].Status; s != run.Pending && s != run.Fetching {
				place[all[i].ID] = i + 1
			}
		}
		for _, view := range found {
			if view.Can.Has(belay.ReadWorkspace.And(belay.ReadRuns)) {
				view.Position = place[view.ID]
				list = append(list, view)
			}
		}
		total = len(list)
		list = belay.PageOf(list, page)
		return nil
	})
	return list, total, err
}

// inQueue is the order of the queue: what runs, by its start; what waits for a runner, by
// its class; what waits for something else.
func inQueue(a, b *run.Run) int {
	part := func(r *run.Run) int {
		switch r.Status {
		case run.Planning, run.Applying:
			return 0
		case run.PlanQueued, run.ApplyQueued, run.Confirmed:
			return 1
		default:
			return 2
		}
	}
	class := func(r *run.Run) int {
		switch {
		case part(r) != 1:
			return 0
		case r.Status == run.PlanQueued:
			return int(run.NewJob(r, run.PlanJob, r.CreatedAt).Class)
		default:
			return int(run.ApplyClass)
		}
	}
	return cmp.Or(cmp.Compare(part(a), part(b)), cmp.Compare(class(a), class(b)),
		a.Stamps.At(a.Status).Compare(b.Stamps.At(b.Status)), a.CreatedAt.Compare(b.CreatedAt), cmp.Compare(a.ID, b.ID))
}

// Capacity is how busy an organization is.
func (m *Room) Capacity(ctx context.Context, s belay.Principal, organization string) (o belay.Organization, c run.Capacity, err error) {
	err = m.DB.View(ctx, func(v *store.View) error {
		if o, _, err = gate.Organization(v, s, organization, belay.Traverse); err != nil {
			return err
		}
		c, err = v.RunCapacity(o.ID)
		c.Limit = o.RunsAtOnce(m.RunLimit)
		return err
	})
	return o, c, err
}

// Event is one thing that happened to a run, with the run.
func (m *Room) Event(ctx context.Context, s belay.Principal, id string) (n run.Event, view View, err error) {
	return m.event(ctx, s, func(v *store.View) (run.Event, error) { return v.RunNote(id) })
}

// CommentOf is a comment, with its run.
func (m *Room) CommentOf(ctx context.Context, s belay.Principal, id string) (n run.Event, view View, err error) {
	return m.event(ctx, s, func(v *store.View) (run.Event, error) { return v.RunComment(id) })
}

func (m *Room) event(ctx context.Context, s belay.Principal, find func(*store.View) (run.Event, error)) (n run.Event, view View, err error) {
	err = m.DB.View(ctx, func(v *store.View) error {
		if n, err = find(v); err != nil {
			return err
		}
		w, access, r, err := get(v, s, n.RunID, belay.ReadRuns)
		if err != nil {
			return err
		}
		view, err = m.noted(v, m.seen(&w, access, r))
		return err
	})
	return n, view, err
}

// AdminList is one page of all runs, for site admins.
func (m *Room) AdminList(ctx context.Context, s belay.Principal, want run.Query) (list []View, total int, err error) {
	if !s.SiteAdmin {
		return nil, 0, belay.ErrNotFound
	}
	err = m.DB.View(ctx, func(v *store.View) error {
		want.Scope = belay.Scope{Everything: true}
		found, n, _, err := v.Runs(want, true)
		if err != nil {
			return err
		}
		total = n
		list, err = m.seenAll(v, belay.FullAccess(), found, true)
		return err
	})
	return list, total, err
}

// Wish is what a document of runs is to include.
type Wish struct{ Users, Configurations, States bool }

// Related is what documents of runs include.
type Related struct {
	Users          []belay.User
	Configurations []run.ConfigurationVersion
	States         map[string][]string // the states that came of each run, the oldest first
}

// Related reads what runs that were handed out before refer to: who acted, what they plan
// as far as the caller may read it, and which states came of them. It is for documents that
// include them.
func (m *Room) Related(ctx context.Context, s belay.Principal, list []View, wish Wish) (found Related, err error) {
	var userIDs, configurationIDs, ids []string
	for i := range list {
		r := &list[i]
		ids = append(ids, r.ID)
		userIDs = append(userIDs, r.CreatedBy, r.ConfirmedBy, r.CanceledBy, r.ServiceUser)
		for _, n := range r.Events {
			userIDs = append(userIDs, n.ActorID)
		}
		configurationIDs = append(configurationIDs, r.ConfigurationVersionID)
	}
	if len(list) == 0 {
		return found, nil
	}
	err = m.DB.View(ctx, func(v *store.View) error {
		if wish.Users {
			if found.Users, err = v.UsersByID(distinct(userIDs)); err != nil {
				return err
			}
		}
		if wish.Configurations {
			if found.Configurations, err = configurationsFor(v, s, distinct(configurationIDs)); err != nil {
				return err
			}
		}
		if wish.States {
			found.States, err = v.StatesOfRuns(ids)
		}
		return err
	})
	return found, err
}

// configurationsFor is those of some configuration versions whose workspaces' runs the caller
// may read: a run may plan what was uploaded for another workspace.
func configurationsFor(v *store.View, s belay.Principal, ids []string) ([]run.ConfigurationVersion, error) {
	all, err := v.ConfigurationVersionsByID(ids)
	if err != nil {
		return nil, err
	}
	of := make([]string, len(all))
	for i, c := range all {
		of[i] = c.WorkspaceID
	}
	workspaces, err := workspacesOf(v, of)
	if err != nil {
		return nil, err
	}
	may := map[string]bool{}
	for id, w := range workspaces {
		access, err := v.Access(s, w.Organization) // one statement for an organization
		if gone(err) != nil {
			return nil, err
		}
		may[id] = err == nil && access.OnWorkspace(id, w.ProjectID).Has(belay.ReadWorkspace.And(belay.ReadRuns))
	}
	return slices.DeleteFunc(all, func(c run.ConfigurationVersion) bool { return !may[c.WorkspaceID] }), nil
}

// ByID is those of some runs of one organization that the caller may read.
func (m *Room) ByID(ctx context.Context, s belay.Principal, organization string, ids []string) (list []View, err error) {
	if ids = distinct(ids); len(ids) == 0 {
		return nil, nil
	}
	err = m.DB.View(ctx, func(v *store.View) error {
		_, access, err := gate.Organization(v, s, organization, belay.Traverse)
		if err != nil {
			return err
		}
		found, err := v.RunsByID(ids)
		if err != nil {
			return err
		}
		all, err := m.seenAll(v, access, found, true)
		for _, view := range all {
			if view.Can.Has(belay.ReadWorkspace.And(belay.ReadRuns)) {
				list = append(list, view)
			}
		}
		return err
	})
	return list, err
}

// OfWorkspace is runs of one workspace by their ids, the newest first; none for those who
// may not read them.
func (m *Room) OfWorkspace(ctx context.Context, s belay.Principal, workspaceID string, ids []string) (list []View, err error) {
	if ids = distinct(ids); len(ids) == 0 {
		return nil, nil
	}
	err = m.DB.View(ctx, func(v *store.View) error {
		w, access, err := gate.Workspace(v, s, belay.WorkspaceRef{ID: workspaceID}, belay.ReadRuns)
		if err != nil {
			return gone(err)
		}
		found, err := v.RunsByID(ids)
		if err != nil {
			return err
		}
		for _, r := range found {
			if r.WorkspaceID == w.ID {
				list = append(list, m.seen(&w, access, r))
			}
		}
		return m.noteAll(v, list)
	})
	return list, err
}

func distinct(ids []string) []string {
	slices.Sort(ids)
	ids = slices.Compact(ids)
	return slices.DeleteFunc(ids, func(id string) bool { return id == "" })
}

// Load is how many jobs of all organizations wait for a runner, and how many are taken.
func (m *Room) Load(ctx context.Context) (waiting, taken int, err error) {
	err = m.DB.View(ctx, func(v *store.View) error {
		waiting, taken, err = v.OpenJobs()
		return err
	})
	return waiting, taken, err
}

// Loads is how busy the pools of all organizations are, by their ids; ” is the server's own.
func (m *Room) Loads(ctx context.Context) (loads map[string]run.PoolLoad, err error) {
	err = m.DB.View(ctx, func(v *store.View) error {
		loads, err = v.PoolLoads(m.Now(), nil)
		return err
	})
	return loads, err
}
