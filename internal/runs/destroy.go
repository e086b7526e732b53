package runs

import (
	"context"
	"time"

	"github.com/belayhq/belay"
	"github.com/belayhq/belay/internal/record"
	"github.com/belayhq/belay/internal/store"
	"github.com/belayhq/belay/notices"
	"github.com/belayhq/belay/run"
)

// destroyMessage is the message of runs that schedules make.
const destroyMessage = "Triggered by auto-destroy"

// schedule looks at the schedule of a workspace, whose row is held: it reminds of a destroy,
// makes its run when the moment has come, or finds that the moment is another by now.
func (m *Room) schedule(tx *store.Tx, w *belay.Workspace, d store.Due) error {
	switch at := w.DestroyAt(); {
	case at.IsZero():
		return nil
	case !at.After(tx.Now):
		if w.InheritsProjectAutoDestroy {
			if later, err := tx.Regiven(w.ProjectID); err != nil || later {
				return err // it is noted anew with the others of its project
			}
		}
		return m.destroy(tx, w, at)
	default:
		if !w.Remind(d.At, tx.Now) {
			return tx.SetDue(store.DestroyDue, w.ID, w.DestroyNext(tx.Now))
		}
		if err := tellOfDestroy(tx, w, notices.TriggerDestroyReminder, belay.DestroyNews{At: at}); err != nil {
			return err
		}
		return tx.SaveDestroy(w)
	}
}

// destroy makes the run that destroys what a workspace manages. Its moment is over in the
// same transaction: however often this is tried, there is one run.
func (m *Room) destroy(tx *store.Tx, w *belay.Workspace, at time.Time) error {
	w.FireDestroy()
	if !w.ManagedOnce {
		return tx.SaveDestroy(w)
	}
	why, err := m.destroyRun(tx, w)
	if err != nil {
		return err
	}
	w.DestroyFailed = why != ""
	if err := tx.SaveDestroy(w); err != nil || why == "" {
		return err
	}
	return tellOfDestroy(tx, w, notices.TriggerDestroyResults, belay.DestroyNews{At: at, Problem: why})
}

// destroyRun makes the run, or says why there can be none.
func (m *Room) destroyRun(tx *store.Tx, w *belay.Workspace) (why string, err error) {
	if why := w.DestroyHindrance(); why != "" {
		return why, nil
	}
	server, err := asServer(tx, w)
	if err != nil {
		return "", err
	}
	want := run.Wanted{DefaultMessage: destroyMessage, Origin: run.Origin{Source: run.SourceLifecycle, Reason: run.ReasonAutoDestroy}}
	want.IsDestroy.Set, want.IsDestroy.Value = true, true
	want.AutoApply.Set, want.AutoApply.Value = true, true
	c, err := m.toDestroy(tx, w)
	if err == nil {
		_, err = m.make(tx, server, w, want, run.Given{Configuration: c, MayApply: true})
	}
	if belay.KindOf(err) == belay.Invalid {
		return belay.Reason(err), nil
	}
	return "", err
}

// toDestroy is the configuration that a schedule destroys with: the current one, unless that
// was made by somebody who may not apply and nobody took it; then the last that was. Without
// any there is none.
func (m *Room) toDestroy(tx *store.Tx, w *belay.Workspace) (*run.ConfigurationVersion, error) {
	c, err := tx.VettedConfiguration(w.ID)
	if belay.KindOf(err) == belay.NotFound {
		return nil, nil
	}
	return &c, err
}

// asServer is the organization itself, where the server acts for it.
func asServer(tx *store.Tx, w *belay.Workspace) (belay.Principal, error) {
	o, err := tx.Peek().Organization(w.Organization.Name)
	return belay.Principal{Kind: belay.OrganizationPrincipal, ID: o.ID, OrganizationID: o.ID, ServiceUserID: o.ServiceUserID, ServiceName: belay.ServiceUsername(o.Name)}, err
}

// destroyed follows a run that destroys everything to its end: a schedule's, or another.
func (t *taking) destroyed() error {
	if t.r.Status == run.Applied {
		t.w.Destroyed = true // what is gone need not go again
		if err := t.tx.SaveDestroy(t.w); err != nil {
			return err
		}
	}
	if t.r.Reason != run.ReasonAutoDestroy {
		return nil
	}
	return tellOfDestroy(t.tx, t.w, notices.TriggerDestroyResults, belay.DestroyNews{
		RunID: t.r.ID, RunStatus: string(t.r.Status), RunCreatedAt: t.r.CreatedAt,
	})
}

// tellOfDestroy records what a schedule did, and who is to be told of it.
func tellOfDestroy(tx *store.Tx, w *belay.Workspace, trigger string, news belay.DestroyNews) error {
	facts := map[string]any{"workspace": w.Name}
	if news.Problem != "" {
		facts["error"] = news.Problem
	}
	if news.RunID != "" {
		facts["run"], facts["status"] = news.RunID, news.RunStatus
	}
	told := []belay.Event{{
		Kind: "workspace.auto_destroy_results", OrganizationID: w.OrganizationID, WorkspaceID: w.ID,
		ResourceType: "workspaces", ResourceID: w.ID, Payload: record.Payload(facts),
	}}
	if trigger == notices.TriggerDestroyReminder {
		told[0].Kind = "workspace.auto_destroy_reminder"
	}
	if err := tx.EmitAll(told); err != nil {
		return err
	}
	return tx.TellOfDestroy(notices.Delivery{EventID: told[0].ID, Trigger: trigger, Destroy: &news}, w)
}

// scheduleProject notes that the schedules of the workspaces of a project are to be looked
// at, some of them in each transaction.
func (m *Room) scheduleProject(ctx context.Context, d store.Due) error {
	var last string
	for {
		next := "" // apart from last: the transaction may be run again
		err := m.DB.Update(ctx, func(tx *store.Tx) error {
			p, err := tx.Peek().Project(d.Subject)
			if gone(err) != nil {
				return err
			}
			if after := p.DestroyAfter(); after > 0 {
				if next, err = tx.ScheduleProject(p.ID, after, d.At, last, batch); err != nil || next != "" {
					return err
				}
			}
			_, err = tx.TakeDue(d)
			return err
		})
		if last = next; err != nil || last == "" {
			return err
		}
	}
}
