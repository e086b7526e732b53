package runfile_test

import (
	"context"
	"testing"

	"github.com/belayhq/belay"
	"github.com/belayhq/belay/internal/object"
	"github.com/belayhq/belay/internal/store"
	"github.com/belayhq/belay/run"
)

func TestWhatWasPutAsideIsNotServed(t *testing.T) {
	each(t, func(t *testing.T, h *house) {
		kinds := []run.FileKind{run.PlanFile, run.PlanJSONFile, run.SchemasFile, run.PlanLogFile, run.ApplyLogFile, run.RescuedFile}
		for _, kind := range kinds {
			h.put(kind, plan)
		}
		url, err := h.Presign(t.Context(), &h.run, object.PlanJSON)
		h.must(err)
		refused := func(when string) {
			t.Helper()
			for _, kind := range []object.Kind{object.PlanJSON, object.PlanRedacted, object.PlanSchema} {
				if _, err := h.Presign(t.Context(), &h.run, kind); belay.KindOf(err) != belay.NotFound {
					t.Errorf("%s: %s: %v", when, kind, err)
				}
			}
			if _, _, err := h.Download(t.Context(), url); belay.KindOf(err) != belay.NotFound {
				t.Errorf("%s: an address that was given before: %v", when, err)
			}
			if h.download(object.ErroredState) != plan {
				t.Errorf("%s: the state that could not be stored is gone", when)
			}
		}
		save := func(b run.Backing) {
			t.Helper()
			h.run.Plan.Backing = b
			h.must(h.db.Update(t.Context(), func(tx *store.Tx) error { return tx.SaveRun(&h.run) }))
		}
		save(run.BackingAside)
		refused("aside")
		save(run.BackingThere)
		if h.download(object.PlanJSON) != plan {
			t.Error("it did not come back")
		}
		save(run.BackingGone)
		for _, phase := range []struct {
			id   string
			left int // files
		}{{h.run.Plan.ID, 2}, {h.run.Apply.ID, 1}} {
			var del func(context.Context)
			h.must(h.db.Update(t.Context(), func(tx *store.Tx) (err error) {
				del, err = h.GiveUp(tx, &h.run, phase.id)
				return err
			}))
			del(t.Context())
			if n := h.files(); n != phase.left {
				t.Errorf("%d files are left, want %d", n, phase.left)
			}
		}
		refused("deleted")
	})
}

func TestAFileGoesWithItsRun(t *testing.T) {
	each(t, func(t *testing.T, h *house) {
		h.put(run.PlanJSONFile, plan)
		url, err := h.Presign(t.Context(), &h.run, object.PlanJSON)
		h.must(err)
		h.must(h.db.Update(t.Context(), func(tx *store.Tx) error {
			w, err := tx.Workspace(belay.WorkspaceRef{ID: h.run.WorkspaceID})
			if err != nil {
				return err
			}
			return tx.DropWorkspace(&w)
		}))
		if _, _, err := h.Download(t.Context(), url); belay.KindOf(err) != belay.NotFound {
			t.Errorf("%v", err)
		}
	})
}
