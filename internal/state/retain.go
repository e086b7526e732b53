package state

import (
	"context"
	"time"

	"github.com/belayhq/belay"
	"github.com/belayhq/belay/internal/record"
	"github.com/belayhq/belay/internal/store"
	"github.com/belayhq/belay/site"
)

const (
	// retainEvery is how often the policies are carried out.
	retainEvery = time.Hour
	// retainAtOnce is how many states one transaction gives up.
	retainAtOnce = 200
	// RetainLease is how long a server that has gone silent keeps others from the work.
	RetainLease = 5 * time.Minute
	// RetainName is what the lease of that work is called.
	RetainName = "retention"
)

// Retain carries out the data retention policies: what is too old is marked, and what was
// marked long enough ago loses its files. Of several servers one does it at a time.
func (m *Room) Retain(ctx context.Context) {
	if m.objects.Absent() || !m.edition.Offers(site.DataRetention) {
		return
	}
	holder := belay.RandomText(16)
	for _, to := range []belay.StateStatus{belay.StatePermanentlyDeleted, belay.StateSoftDeleted} {
		for more := true; more && ctx.Err() == nil; {
			var err error
			if more, err = m.retainSome(ctx, holder, to); err != nil {
				m.log.Warn("retention policies not carried out", "error", err)
				return
			}
		}
	}
	if err := m.db.Update(context.WithoutCancel(ctx), func(tx *store.Tx) error { return tx.GiveLease(RetainName, holder) }); err != nil {
		m.log.Warn("lease of the retention policies not given back", "error", err)
	}
}

// retainSome moves one batch of states to a status, and says whether there may be more.
// Files are deleted after the commit: one that is left behind is swept as an orphan.
func (m *Room) retainSome(ctx context.Context, holder string, to belay.StateStatus) (more bool, err error) {
	from, before := belay.StateFinalized, m.now()
	if to == belay.StatePermanentlyDeleted {
		from, before = belay.StateSoftDeleted, before.Add(-belay.BackingWindow)
	}
	var found, list []store.AgedState
	err = m.db.View(ctx, func(v *store.View) (err error) { // it may look at many: nobody waits for that
		found, err = v.AgedStates(from, m.now(), before, retainAtOnce)
		return err
	})
	if err != nil || len(found) == 0 {
		return false, err
	}
	err = m.db.Update(ctx, func(tx *store.Tx) error {
		list = nil
		mine, err := tx.TakeLease(RetainName, holder, tx.Now.Add(RetainLease))
		if err != nil || !mine {
			return err
		}
		if list, err = tx.StillAged(found, from, before); err != nil || len(list) == 0 {
			return err
		}
		return retireStates(tx, list, to)
	})
	more = len(found) == retainAtOnce && len(list) > 0
	if err != nil || to != belay.StatePermanentlyDeleted {
		return more, err
	}
	for _, s := range list {
		m.objects.Forget(ctx, s.StateKey, s.JSONKey)
	}
	return more, nil
}

// retireStates moves states to a status and records it, once for each workspace.
func retireStates(tx *store.Tx, list []store.AgedState, to belay.StateStatus) error {
	ids := make([]string, len(list))
	byWorkspace := map[string][]string{}
	for i, s := range list {
		ids[i] = s.ID
		byWorkspace[s.WorkspaceID] = append(byWorkspace[s.WorkspaceID], s.ID)
	}
	kind, move := "workspace.states_soft_deleted", tx.SoftDeleteStates
	if to == belay.StatePermanentlyDeleted {
		kind, move = "workspace.states_permanently_deleted", tx.DropStateFiles
	}
	if err := move(ids); err != nil {
		return err
	}
	for _, s := range list {
		gone := byWorkspace[s.WorkspaceID]
		if gone == nil {
			continue // told already
		}
		delete(byWorkspace, s.WorkspaceID)
		e := belay.Event{Kind: kind, ActorName: RetainName}
		e.OrganizationID, e.WorkspaceID, e.ResourceType, e.ResourceID = s.OrganizationID, s.WorkspaceID, "workspaces", s.WorkspaceID
		e.Payload = record.Payload(map[string]any{"name": s.WorkspaceName, "state-versions": gone})
		if err := tx.Emit(e); err != nil {
			return err
		}
	}
	return nil
}
