package runs

import (
	"context"
	"strings"

	"github.com/belayhq/belay"
	"github.com/belayhq/belay/internal/gate"
	"github.com/belayhq/belay/internal/record"
	"github.com/belayhq/belay/internal/store"
	"github.com/belayhq/belay/run"
)

// MoveBacking puts the files behind a plan or an apply aside, takes them back, or deletes
// them for good. That is left to the organization's owners.
func (m *Room) MoveBacking(ctx context.Context, s belay.Principal, phaseID string, to run.Backing) error {
	var del func(context.Context)
	err := m.DB.Update(ctx, func(tx *store.Tx) error {
		peeked, err := byAnyID(tx.Peek(), phaseID)
		if err != nil {
			return err
		}
		w, _, r, err := get(&tx.Locked, s, peeked.ID, gate.OwnersOnly)
		if err != nil {
			return err
		}
		if err := tx.DropDue(dueBacking, phaseID); err != nil {
			return err
		}
		if to == run.BackingAside {
			if err := tx.SetDue(dueBacking, phaseID, tx.Now.Add(belay.BackingWindow)); err != nil {
				return err
			}
		}
		del, err = m.moveBacking(tx, s, &w, &r, phaseID, to)
		return err
	})
	if err == nil {
		del(ctx)
	}
	return err
}

// moveBacking is MoveBacking of a run whose row is held.
func (m *Room) moveBacking(tx *store.Tx, s belay.Principal, w *belay.Workspace, r *run.Run, phaseID string, to run.Backing) (del func(context.Context), err error) {
	del = func(context.Context) {}
	if err := r.MoveBacking(phaseID, to); err != nil {
		return del, err
	}
	if to == run.BackingGone {
		if del, err = m.Files.GiveUp(tx, r, phaseID); err != nil {
			return del, err
		}
	}
	if err := tx.SaveRun(r); err != nil {
		return del, err
	}
	kind, _, _ := strings.Cut(phaseID, "-")
	by, name := s.Actor()
	return del, tx.Emit(belay.Event{
		Kind: kind + "." + backingWord(to), OrganizationID: w.OrganizationID, WorkspaceID: w.ID, ResourceID: phaseID,
		ResourceType: map[string]string{"plan": "plans", "apply": "applies"}[kind], ActorType: s.Kind, ActorID: by, ActorName: name,
		Payload: record.Payload(map[string]any{"workspace": w.Name, "run": r.ID}),
	})
}

// backingWord is what events call it.
func backingWord(to run.Backing) string {
	if to == run.BackingThere {
		return "restored"
	}
	return string(to)
}

// giveUpBacking deletes what was put aside long ago.
func (m *Room) giveUpBacking(ctx context.Context, d store.Due) error {
	del := func(context.Context) {}
	err := m.DB.Update(ctx, func(tx *store.Tx) error {
		peeked, err := byAnyID(tx.Peek(), d.Subject)
		if err != nil {
			return dropGone(tx, d, err)
		}
		w, _, r, err := get(&tx.Locked, belay.Principal{SiteAdmin: true}, peeked.ID, belay.ReadRuns)
		if belay.KindOf(err) == belay.NotFound { // its workspace was deleted, and may be brought back
			return tx.SetDue(d.Kind, d.Subject, tx.Now.Add(keepLost))
		}
		if err != nil {
			return err
		}
		mine, err := tx.TakeDue(d)
		if err != nil || !mine || r.Phase(d.Subject).Backing != run.BackingAside {
			return err
		}
		del, err = m.moveBacking(tx, belay.Principal{Name: "retention"}, &w, &r, d.Subject, run.BackingGone)
		return err
	})
	if err == nil {
		del(ctx)
	}
	return err
}

// dropGone forgets what was to be looked at when it is no longer there.
func dropGone(tx *store.Tx, d store.Due, err error) error {
	if belay.KindOf(err) == belay.NotFound {
		return tx.DropDue(d.Kind, d.Subject)
	}
	return err
}
