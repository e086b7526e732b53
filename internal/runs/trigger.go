package runs

import (
	"context"

	"github.com/belayhq/belay"
	"github.com/belayhq/belay/internal/record"
	"github.com/belayhq/belay/internal/store"
	"github.com/belayhq/belay/run"
)

// maxChain is how many runs may trigger one another: what goes round in a circle ends.
const maxChain = 20

// trigger makes the runs that follow one that was applied, each in a transaction of its
// own: a run of a workspace follows another run once, however often this is done.
func (m *Room) trigger(ctx context.Context, d store.Due) error {
	var from run.Run
	var targets []run.RunTrigger
	err := m.DB.View(ctx, func(v *store.View) (err error) {
		if from, err = v.Run(d.Subject); err != nil {
			return err
		}
		targets, err = v.TriggersOf(from.WorkspaceID)
		return err
	})
	if gone(err) != nil {
		return err
	}
	for i := range targets {
		if from.ChainLength+1 >= maxChain {
			break
		}
		if err := m.follow(ctx, &from, &targets[i]); err != nil {
			return err
		}
	}
	return m.DB.Update(ctx, func(tx *store.Tx) error {
		_, err := tx.TakeDue(d)
		return err
	})
}

func (m *Room) follow(ctx context.Context, from *run.Run, t *run.RunTrigger) error {
	err := m.DB.Update(ctx, func(tx *store.Tx) error {
		w, err := tx.WorkspaceForRuns(belay.WorkspaceRef{ID: t.WorkspaceID})
		if err != nil {
			return err
		}
		server, err := asServer(tx, &w)
		if err != nil {
			return err
		}
		want := run.Wanted{DefaultMessage: "Triggered by run " + from.ID + " in workspace " + t.SourceName, Origin: run.Origin{
			Source: run.SourceRunTrigger, Reason: run.ReasonRunTrigger, TriggeringRunID: from.ID,
			TriggeringSourceID: t.SourceID, TriggeringSource: t.SourceName, ChainLength: from.ChainLength + 1,
		}}
		want.AutoApply.Set, want.AutoApply.Value = true, w.AutoApplyRunTrigger
		c, _, making, err := m.configuration(tx, server, &w, want)
		if err != nil {
			return err
		}
		_, err = m.makeWith(tx, server, &w, want, run.Given{Configuration: c, MayApply: true}, making)
		return err
	})
	switch belay.KindOf(err) {
	case belay.Conflict, belay.NotFound: // it follows already, or its workspace is gone
		return nil
	case belay.Invalid: // there is nothing to plan, or it plans nothing here
		return m.noFollower(ctx, t, err)
	default:
		return err
	}
}

// noFollower records that a trigger made no run, and why.
func (m *Room) noFollower(ctx context.Context, t *run.RunTrigger, why error) error {
	return m.DB.Update(ctx, func(tx *store.Tx) error {
		w, err := tx.Peek().Workspace(belay.WorkspaceRef{ID: t.WorkspaceID})
		if err != nil {
			return gone(err)
		}
		return tx.Emit(belay.Event{
			Kind: "run_trigger.ignored", OrganizationID: w.OrganizationID, WorkspaceID: w.ID, ResourceType: "run-triggers", ResourceID: t.ID,
			Payload: record.Payload(map[string]any{"workspace": w.Name, "source": t.SourceName, "reason": why.Error()}),
		})
	})
}
