package runlog_test

import (
	"testing"

	"github.com/belayhq/belay"
	"github.com/belayhq/belay/internal/store"
	"github.com/belayhq/belay/run"
)

// backing says what became of the files behind the plan.
func (h *house) backing(b run.Backing) {
	h.t.Helper()
	h.run.Plan.Backing = b
	h.update(func(tx *store.Tx) error { return tx.SaveRun(&h.run) })
}

func TestALogThatWasPutAside(t *testing.T) {
	each(t, func(t *testing.T, h *house) {
		h.begin()
		h.send(h.Room, 0, "one\n", true, 4)
		h.must(h.Flush(t.Context()))
		h.end("")
		const aside = "\x02belay: the log was put aside by an owner, who can take it back\n\x03"
		h.backing(run.BackingAside)
		h.wantAll(aside)
		h.must(h.Pour(t.Context()))
		h.wantAll(aside)
		h.backing(run.BackingThere)
		h.wantAll("\x02one\n\x03")
	})
}

func TestALogThatIsDeletedBeforeItHasAFile(t *testing.T) {
	each(t, func(t *testing.T, h *house) {
		h.begin()
		h.send(h.Room, 0, "one\n", true, 4)
		h.must(h.Flush(t.Context()))
		h.end("")
		h.backing(run.BackingGone)
		h.must(h.Pour(t.Context()))
		h.wantAll("\x02belay: the log was deleted by an owner\n\x03")
		if n := h.files(); n != 0 {
			t.Errorf("%d files are left of a log that was deleted", n)
		}
		h.must(h.db.View(t.Context(), func(v *store.View) error {
			list, err := v.LogChunks(h.run.Plan.ID, 0, 100, 10)
			if len(list) != 0 {
				t.Errorf("%d chunks are left", len(list))
			}
			return err
		}))
	})
}

func TestALogGoesWithItsRun(t *testing.T) {
	each(t, func(t *testing.T, h *house) {
		h.begin()
		url := h.ReadURL(h.run.Plan.ID)
		h.update(func(tx *store.Tx) error {
			w, err := tx.Workspace(belay.WorkspaceRef{ID: h.run.WorkspaceID})
			if err != nil {
				return err
			}
			return tx.DropWorkspace(&w)
		})
		for _, offset := range []int64{0, 1, 99} {
			if data, err := h.Read(t.Context(), url, offset, 0, 0); belay.KindOf(err) != belay.NotFound {
				t.Errorf("at %d: %q, %v", offset, data, err)
			}
		}
	})
}
