package runs

import (
	"context"
	"encoding/json"
	"slices"

	"github.com/belayhq/belay"
	"github.com/belayhq/belay/inputs"
	"github.com/belayhq/belay/internal/gate"
	"github.com/belayhq/belay/internal/store"
	"github.com/belayhq/belay/run"
)

// Create makes a run, and lets it begin when nothing is before it.
func (m *Room) Create(ctx context.Context, s belay.Principal, want run.Wanted) (view View, err error) {
	head, err := m.head(ctx, s, want) // before anything is held
	if err != nil {
		return view, err
	}
	err = m.DB.Update(ctx, func(tx *store.Tx) error {
		w, access, err := gate.WorkspaceForRuns(&tx.Locked, s, belay.WorkspaceRef{ID: want.WorkspaceID}, belay.QueueRuns)
		if err != nil {
			return err
		}
		c, byID, making, err := m.configurationOf(tx, s, &w, want, head)
		if err != nil {
			return err
		}
		can := access.OnWorkspace(w.ID, w.ProjectID)
		given := run.Given{Configuration: c, ByID: byID, MayApply: can.Has(belay.ApplyRuns), MayArchive: can.Has(belay.ArchiveChangeRequests)}
		if len(want.ChangeRequests) > 0 && can.Has(belay.ReadChangeRequests) {
			if given.ChangeRequests, err = tx.RequestsOn(w.ID, want.ChangeRequests); err != nil {
				return err
			}
		}
		r, err := m.makeWith(tx, s, &w, want, given, making)
		if err != nil {
			return err
		}
		view = m.seen(&w, access, r)
		view.Events = tx.NotesWritten(r.ID)
		return nil
	})
	return view, err
}

// QueueFor makes the run of a configuration version that asks for one as soon as its archive
// is there. Where its author may not, or the workspace runs nothing, there is none, and
// where nobody could carry it out.
func (m *Room) QueueFor(tx *store.Tx, author belay.Principal, w *belay.Workspace, c *run.ConfigurationVersion) error {
	access, err := tx.Access(author, w.Organization)
	if err != nil {
		return err
	}
	can := access.OnWorkspace(w.ID, w.ProjectID)
	if !can.Has(belay.QueueRuns) || w.Mode() == belay.LocalExecution {
		return nil
	}
	if possible, err := m.possible(tx.Peek(), w.OrganizationID); err != nil || !possible {
		return err
	}
	want := run.Wanted{
		DefaultMessage: "Queued automatically by its configuration version",
		Origin:         run.Origin{Source: run.SourceConfiguration, Reason: run.ReasonAutoQueue},
	}
	_, err = m.make(tx, author, w, want, run.Given{Configuration: c, MayApply: can.Has(belay.ApplyRuns)})
	if belay.KindOf(err) == belay.Invalid { // no such run can be made: the archive is taken all the same
		return nil
	}
	return err
}

// configurationOf is the configuration version that a run is to plan: that of the newest
// commit where the workspace still has the repository that was asked.
func (m *Room) configurationOf(tx *store.Tx, s belay.Principal, w *belay.Workspace, want run.Wanted, head *Head) (c *run.ConfigurationVersion, byID bool, making *store.Making, err error) {
	if head != nil && w.HookID == head.HookID {
		c, err = m.ofHead(tx, w, head)
		return c, false, nil, err
	}
	return m.configuration(tx, s, w, want)
}

// configuration is the configuration version that a run is to plan: the named one, or the
// current one of its workspace; nil when there is none. making was read with it.
func (m *Room) configuration(tx *store.Tx, s belay.Principal, w *belay.Workspace, want run.Wanted) (c *run.ConfigurationVersion, byID bool, making *store.Making, err error) {
	id := want.ConfigurationVersionID.Value
	if byID = id != ""; !byID {
		if id = w.ConfigurationID; id == "" {
			return nil, false, nil, nil
		}
	}
	found, read, err := tx.Peek().ConfigurationToRun(w, id)
	if err == nil && byID && found.WorkspaceID != w.ID {
		var other belay.Workspace
		other, _, err = gate.Workspace(tx.Peek(), s, belay.WorkspaceRef{ID: found.WorkspaceID}, belay.ReadRuns)
		if err == nil && other.OrganizationID != w.OrganizationID {
			err = belay.ErrNotFound
		}
	}
	if belay.KindOf(err) == belay.NotFound {
		var problems belay.Problems
		problems.At(belay.Related("configuration-version"), "The configuration version was not found")
		return nil, byID, nil, problems
	}
	return &found, byID, &read, err
}

// make writes a new run of a workspace, whose row is held.
func (m *Room) make(tx *store.Tx, s belay.Principal, w *belay.Workspace, want run.Wanted, given run.Given) (r run.Run, err error) {
	return m.makeWith(tx, s, w, want, given, nil)
}

// makeWith is make; making is nil when it is yet to be read.
func (m *Room) makeWith(tx *store.Tx, s belay.Principal, w *belay.Workspace, want run.Wanted, given run.Given, making *store.Making) (r run.Run, err error) {
	given.Workspace, given.DefaultEngine = w, m.DefaultEngine
	if given.Engines, err = m.Engines(tx.Peek()); err != nil {
		return r, err
	}
	if making == nil {
		read, err := tx.Making(w)
		if err != nil {
			return r, err
		}
		making = &read
	}
	given.AtHand = making.AtHand
	if err := m.settleEngine(tx, w, given); err != nil {
		return r, err
	}
	r = run.New(w.ID, w.OrganizationID, tx.Now)
	r.CreatedBy, _ = s.Actor()
	if err := r.Ask(want, given); err != nil {
		return r, err
	}
	sealed, err := m.inputs(tx, w, &r, making.HasSets)
	if err != nil {
		return r, err
	}
	if r.Queued() {
		if err := m.stopAssessing(tx, w); err != nil {
			return r, err
		}
	}
	n := r.Noted("queued", "", r.CreatedBy, tx.Now)
	asked := r // what is told of it is how it was made, though it may have begun when it is written
	err = m.enqueue(tx, s, w, &r, &newRun{given.Configuration, func() error {
		if err := tx.AddRun(&r, sealed); err != nil {
			return err
		}
		if err := tx.AddRunNote(&n); err != nil {
			return err
		}
		if err := emit(tx, s, "created", w, &asked); err != nil {
			return err
		}
		return m.noteStatus(tx, w, &asked)
	}})
	return r, err
}

// settleEngine gives a workspace that nobody named a version for the newest that its runners
// have, when it runs for the first time without one of theirs.
func (m *Room) settleEngine(tx *store.Tx, w *belay.Workspace, given run.Given) error {
	if len(given.AtHand) == 0 || !w.EngineUnnamed || slices.Contains(given.AtHand, run.ChooseEngine(w.EngineVersion, w.Engine, given)) {
		return nil
	}
	if !w.SettleEngine(run.ChooseEngine(belay.LatestEngine, w.Engine, given).Version, given.Engines) {
		return nil
	}
	return tx.SetEngine(w)
}

// enqueue writes a new run and lets it begin, or notes that it waits.
func (m *Room) enqueue(tx *store.Tx, s belay.Principal, w *belay.Workspace, r *run.Run, fresh *newRun) error {
	current := run.Status(w.CurrentRunStatus)
	behind := current.Active() || current == run.Pending
	if !r.Queued() || !behind && !w.Lock.Held() {
		return m.begin(tx, s, w, r, fresh)
	}
	if err := fresh.write(); err != nil || behind {
		return err
	}
	return setCurrent(tx, w, r)
}

// inputs is the variables of a run with their values, as they are now, sealed. hasSets says that
// some come from variable sets.
func (m *Room) inputs(tx *store.Tx, w *belay.Workspace, r *run.Run, hasSets bool) (string, error) {
	var own []inputs.Variable
	var sets []inputs.VariableSet
	var err error
	if len(w.VariableIDs) > 0 {
		if own, err = tx.Variables(w.ID); err != nil {
			return "", err
		}
	}
	if hasSets {
		if sets, err = tx.VariableSetsFor(w); err != nil {
			return "", err
		}
	}
	inSets, priority, err := variablesIn(tx, sets)
	if err != nil {
		return "", err
	}
	ranked := inputs.EffectiveVariables(w.ID, own, sets, inSets)
	for i := range ranked {
		if v := &ranked[i]; v.Sensitive {
			plain, err := m.Ring.Unseal(v.Value, v.ID)
			if err != nil {
				return "", err
			}
			v.Value = string(plain)
		}
	}
	raw, err := json.Marshal(run.Effective(r.Variables, ranked, priority))
	if err != nil {
		return "", err
	}
	return m.Ring.Seal(raw, r.ID), nil
}

// variablesIn is the variables of sets, and which of them are in one that has priority.
func variablesIn(tx *store.Tx, sets []inputs.VariableSet) (map[string][]inputs.Variable, map[string]bool, error) {
	if len(sets) == 0 {
		return nil, nil, nil
	}
	first := map[string]bool{}
	ids := make([]string, len(sets))
	for i := range sets {
		ids[i] = sets[i].ID
		first[sets[i].ID] = sets[i].Priority
	}
	list, err := tx.SetVariables(ids...)
	inSets, priority := map[string][]inputs.Variable{}, map[string]bool{}
	for _, v := range list {
		inSets[v.OwnerID] = append(inSets[v.OwnerID], v)
		priority[v.ID] = first[v.OwnerID]
	}
	return inSets, priority, err
}
