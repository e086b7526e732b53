package runlog_test

import (
	"strings"
	"testing"

	"github.com/belayhq/belay/internal/store"
	"github.com/belayhq/belay/run"
)

func TestAShortLogStaysInRows(t *testing.T) {
	each(t, func(t *testing.T, h *house) {
		h.short = 100
		h.Room = h.build()
		h.begin()
		if ids := h.sealedWith(); len(ids) != 0 {
			t.Errorf("%v are needed before anything came", ids)
		}
		h.send(h.Room, 0, "one\n", true, 4)
		h.must(h.Flush(t.Context()))
		h.send(h.Room, 4, "two\n", true, 8)
		h.must(h.Flush(t.Context()))
		h.end("belay: canceled by force")
		want := "\x02one\ntwo\nbelay: canceled by force\n\x03"
		h.wantAll(want)
		h.must(h.Pour(t.Context()))
		h.wantAll(want)
		if ids := h.sealedWith(); len(ids) != 1 {
			t.Errorf("%v are needed to read it", ids)
		}
		l := h.log()
		if l.State != run.LogSealed || l.SealedSize != int64(len(want)) || h.files() != 0 {
			t.Errorf("the log is %+v, with %d files", l, h.files())
		}
		h.update(func(tx *store.Tx) error {
			f, err := tx.RunFile(h.run.ID, run.PlanLogFile)
			h.must(err)
			if f.Size != int64(len(want)) {
				t.Errorf("its file is said to have %d bytes", f.Size)
			}
			return tx.DropRunFile(&f)
		})
		h.wantAll("\x02belay: the log was deleted by a retention policy\n\x03")
		h.update(func(tx *store.Tx) error {
			list, err := tx.LogChunks(h.run.Plan.ID, 0, 100, 10)
			if len(list) > 0 {
				t.Errorf("%d chunks are left", len(list))
			}
			return err
		})
	})
}

// sealedWith is the keys that are needed for what is in the database.
func (h *house) sealedWith() (ids []string) {
	h.t.Helper()
	h.must(h.db.View(h.t.Context(), func(v *store.View) (err error) {
		ids, err = v.SealedWith()
		return err
	}))
	return ids
}

func TestALogThatIsNotShortHasAFile(t *testing.T) {
	each(t, func(t *testing.T, h *house) {
		h.short = 100
		h.Room = h.build()
		h.begin()
		text := strings.Repeat("x", 101)
		h.send(h.Room, 0, text, true, 101)
		h.must(h.Flush(t.Context()))
		h.end("")
		h.must(h.Pour(t.Context()))
		if h.wantAll("\x02" + text + "\x03"); h.files() != 1 {
			t.Errorf("%d files", h.files())
		}
	})
}
