package runs

import (
	"context"

	"github.com/belayhq/belay"
	"github.com/belayhq/belay/forge"
	"github.com/belayhq/belay/internal/gate"
	"github.com/belayhq/belay/internal/store"
	"github.com/belayhq/belay/run"
)

// QueueCommit makes the run of a configuration version that is of a commit, in the name of the
// server. The workspace is held.
func (m *Room) QueueCommit(tx *store.Tx, w *belay.Workspace, c *run.ConfigurationVersion, message, reason string) (run.Run, error) {
	server, err := asServer(tx, w)
	if err != nil {
		return run.Run{}, err
	}
	want := run.Wanted{
		DefaultMessage: run.CutMessage(message), DefaultConfigGeneration: true,
		Origin: run.Origin{Source: run.SourceConfiguration, Reason: reason},
	}
	return m.make(tx, server, w, want, run.Given{Configuration: c, MayApply: true})
}

// Fetched lets the runs go on that wait for the archive of a configuration version, or fails
// them with the reason why it did not come. The workspace is held.
func (m *Room) Fetched(tx *store.Tx, w *belay.Workspace, configurationVersionID, problem string) error {
	ids, err := tx.RunsFetching(configurationVersionID)
	if err != nil {
		return err
	}
	f := run.Fact{Kind: run.FetchEnded, Outcome: run.Succeeded}
	if problem != "" {
		f.Outcome, f.Why = run.Failed, problem
	}
	for _, id := range ids {
		of, err := m.held(tx, w, id)
		if err != nil {
			return err
		}
		r, err := tx.Run(id)
		if err != nil {
			return err
		}
		if err := m.take(tx, belay.Principal{}, of, &r, f); err != nil {
			return err
		}
	}
	return nil
}

// held is the workspace of a run: the one that is held, or, for a run that borrowed its
// configuration, another.
func (m *Room) held(tx *store.Tx, w *belay.Workspace, runID string) (*belay.Workspace, error) {
	r, err := tx.Peek().Run(runID)
	if err != nil || r.WorkspaceID == w.ID {
		return w, err
	}
	other, err := tx.WorkspaceForRuns(belay.WorkspaceRef{ID: r.WorkspaceID})
	return &other, err
}

// Supersede cancels plans of a workspace, which is held, that a newer commit made useless.
func (m *Room) Supersede(tx *store.Tx, w *belay.Workspace, ids []string, why string) error {
	for _, id := range ids {
		r, err := tx.Run(id)
		if err != nil {
			return err
		}
		if r.Status.Final() || !r.PlanOnly {
			continue
		}
		err = m.take(tx, belay.Principal{}, w, &r, run.Fact{Kind: run.Superseded, Why: why, ForceAfter: m.ForceCancelAfter})
		if err != nil && belay.KindOf(err) != belay.Conflict {
			return err
		}
	}
	return nil
}

// wantFetch has the archive of a configuration version fetched that a run is to plan. Where
// nothing can fetch it, it is at its end.
func (m *Room) wantFetch(tx *store.Tx, w *belay.Workspace, c *run.ConfigurationVersion) error {
	if c.Status == run.ConfigurationErrored || c.Ingress == nil {
		return nil
	}
	h, err := tx.Peek().Hook(c.Ingress.HookID)
	switch {
	case belay.KindOf(err) == belay.NotFound:
		c.Fail(run.FetchFailed, "the connection to its repository is gone", tx.Now)
		return tx.SaveConfigurationVersion(w, c)
	case err != nil:
		return err
	}
	serves, err := tx.HookServes(h.ID, w.ProjectID)
	switch {
	case err != nil:
		return err
	case !serves:
		c.Fail(run.FetchFailed, forge.OutOfReach, tx.Now)
		return tx.SaveConfigurationVersion(w, c)
	}
	c.Prove()
	f, err := tx.WantFetch(h.ID, h.OrganizationID, c.Ingress.CommitSHA, c.Ingress.Ref, c.Ingress.Submodules)
	if err != nil || !c.Refetch(f.ID, tx.Now) {
		return err
	}
	return tx.SaveConfigurationVersion(w, c)
}

// noteStatus notes that the status of a run's commit has changed.
func (m *Room) noteStatus(tx *store.Tx, w *belay.Workspace, r *run.Run) error {
	if r.CommitSHA == "" {
		return nil
	}
	c, err := tx.Peek().ConfigurationVersion(r.ConfigurationVersionID)
	if err != nil || c.Ingress == nil {
		return gone(err)
	}
	return tx.NoteCommitStatus(c.Ingress.HookID, c.Ingress.CommitSHA, w)
}

// Head is the newest commit of the branch that a workspace follows.
type Head struct {
	HookID  string
	Source  string // of a configuration version that is of it
	Ingress run.Ingress
}

// head asks for the newest commit of a workspace's branch where a run is to plan that: nil
// where it is not.
func (m *Room) head(ctx context.Context, s belay.Principal, want run.Wanted) (*Head, error) {
	if m.Head == nil || want.ConfigurationVersionID.Value != "" {
		return nil, nil
	}
	var w belay.Workspace
	err := m.DB.View(ctx, func(v *store.View) (err error) {
		w, _, err = gate.Workspace(v, s, belay.WorkspaceRef{ID: want.WorkspaceID}, belay.QueueRuns)
		return err
	})
	if err != nil || w.HookID == "" || w.VCSRepo == nil || w.Mode() == belay.LocalExecution {
		return nil, err
	}
	if err := store.Rehearsed(ctx); err != nil {
		return nil, err
	}
	return m.Head(ctx, &w)
}

// ofHead is the configuration version of the newest commit: the current one where that is of
// it, else a new one, which is to be fetched.
func (m *Room) ofHead(tx *store.Tx, w *belay.Workspace, head *Head) (*run.ConfigurationVersion, error) {
	if w.ConfigurationID != "" {
		c, err := tx.ConfigurationVersion(w.ConfigurationID)
		if err != nil {
			return nil, err
		}
		if i := c.Ingress; i != nil && i.HookID == head.HookID && i.CommitSHA == head.Ingress.CommitSHA && i.Submodules == head.Ingress.Submodules {
			return &c, nil
		}
	}
	c, err := m.AddCommit(tx, w, head, false)
	return &c, err
}

// AddCommit writes a configuration version of a commit, which is to be fetched, or was for
// another workspace.
func (m *Room) AddCommit(tx *store.Tx, w *belay.Workspace, head *Head, speculative bool) (run.ConfigurationVersion, error) {
	f, err := tx.WantFetch(head.HookID, w.OrganizationID, head.Ingress.CommitSHA, head.Ingress.Ref, head.Ingress.Submodules)
	if err != nil {
		return run.ConfigurationVersion{}, err
	}
	c := run.NewCommit(head.Ingress, head.Source, speculative, tx.Now)
	c.FetchID, c.Ingress.HookID, c.Ingress.CreatedBy, c.CreatedBy = f.ID, head.HookID, w.Organization.ServiceUserID, w.Organization.ServiceUserID
	tx.Wake(store.ReposWake)
	return c, tx.AddConfigurationVersion(w, &c)
}

// begin lets a run leave pending.
func (m *Room) begin(tx *store.Tx, s belay.Principal, w *belay.Workspace, r *run.Run, fresh *newRun) error {
	var c run.ConfigurationVersion
	var err error
	if fresh != nil && fresh.configuration != nil {
		c = *fresh.configuration
	} else if c, err = tx.ConfigurationVersion(r.ConfigurationVersionID); err != nil {
		return err
	}
	f := run.Fact{Kind: run.TurnCame, Mode: string(w.Mode()), PoolID: w.PoolID(), Fetch: !c.There()}
	if f.Fetch {
		if err := m.wantFetch(tx, w, &c); err != nil {
			return err
		}
	}
	if err := m.takeFresh(tx, s, w, r, f, fresh); err != nil || !f.Fetch || c.Status == run.ConfigurationFetching {
		return err
	}
	why := c.ErrorMessage
	if why == "" {
		why = "its configuration version is " + string(c.Status)
	}
	return m.take(tx, belay.Principal{}, w, r, run.Fact{Kind: run.FetchEnded, Outcome: run.Failed, Why: why})
}
