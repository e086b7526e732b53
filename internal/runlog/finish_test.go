package runlog_test

import (
	"strings"
	"testing"

	"github.com/belayhq/belay"
	"github.com/belayhq/belay/internal/store"
	"github.com/belayhq/belay/run"
)

// endWith ends the log with its last bytes.
func (h *house) endWith(from int64, text, line string) error {
	h.t.Helper()
	return h.db.Update(h.t.Context(), func(tx *store.Tx) error {
		return h.End(tx, &h.run, h.run.Plan.ID, &run.LogRest{From: from, Data: []byte(text)}, line)
	})
}

// TestAWholeLogThatComesWithTheEnd is sealed in the row of its file, whatever of it came before.
func TestAWholeLogThatComesWithTheEnd(t *testing.T) {
	each(t, func(t *testing.T, h *house) {
		h.short = 100
		h.Room = h.build()
		h.begin()
		h.send(h.Room, 0, "one\n", true, 4)
		h.must(h.Flush(t.Context()))
		h.send(h.Room, 4, "two\n", true, 8) // which is yet to be written
		h.must(h.endWith(0, "one\ntwo\nth\x03ree\n", "belay: canceled by force"))
		want := "\x02one\ntwo\nth?ree\nbelay: canceled by force\n\x03"
		h.wantAll(want)
		h.must(h.Flush(t.Context()))
		h.must(h.Pour(t.Context()))
		h.wantAll(want)
		if l := h.log(); l.State != run.LogSealed || l.SealedSize != int64(len(want)) || h.files() != 0 {
			t.Errorf("the log is %+v, with %d files", l, h.files())
		}
		if ids := h.sealedWith(); len(ids) != 1 {
			t.Errorf("%v are needed to read it", ids)
		}
		if err := h.endWith(0, "one\ntwo\n", ""); belay.KindOf(err) != belay.Conflict {
			t.Errorf("a second end: %v", err)
		}
		h.update(func(tx *store.Tx) error {
			f, err := tx.RunFile(h.run.ID, run.PlanLogFile)
			h.must(err)
			return tx.DropRunFile(&f)
		})
		h.wantAll("\x02belay: the log was deleted by a retention policy\n\x03")
	})
}

// TestTheRestOfALog goes on where the log is, whatever was written since, and nowhere else.
func TestTheRestOfALog(t *testing.T) {
	each(t, func(t *testing.T, h *house) {
		h.short = 10
		h.Room = h.build()
		h.begin()
		h.send(h.Room, 0, "one\ntwo\n", true, 8)
		h.must(h.Flush(t.Context()))
		for _, from := range []int64{9, 2} {
			if err := h.endWith(from, "three", ""); belay.KindOf(err) != belay.Conflict {
				t.Errorf("from %d: %v", from, err)
			}
		}
		h.must(h.endWith(4, "two\nthree\n", ""))
		h.wantAll("\x02one\ntwo\nthree\n\x03")
		h.must(h.Pour(t.Context()))
		h.wantAll("\x02one\ntwo\nthree\n\x03")
		if n := h.files(); n != 1 {
			t.Errorf("there are %d files", n)
		}
	})
}

// TestTheRestOfALongLog loses its middle as other bytes would.
func TestTheRestOfALongLog(t *testing.T) {
	each(t, func(t *testing.T, h *house) {
		h.begin()
		text := strings.Repeat("a line of a log\n", limit/16)
		h.send(h.Room, 0, text, true, int64(len(text)))
		h.must(h.Flush(t.Context()))
		h.must(h.endWith(int64(len(text)), "the end\n", ""))
		h.must(h.Pour(t.Context()))
		if all := h.all(100); !strings.HasSuffix(all, "the end\n\x03") {
			t.Errorf("the log ends with %q", all[len(all)-40:])
		}
	})
}
