package runfile_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/belayhq/belay"
	"github.com/belayhq/belay/internal/runfile"
	"github.com/belayhq/belay/internal/store"
	"github.com/belayhq/belay/run"
)

// TestWhereAFileIsKept brings files of lengths around the limit, one in place of the other.
func TestWhereAFileIsKept(t *testing.T) {
	t.Parallel()
	eachEngine(t, 0, func(t *testing.T, h *house) {
		for _, size := range []int{0, runfile.DefaultShort, runfile.DefaultShort + 1, 100_000, 3} {
			text := strings.Repeat("x", size)
			if !h.put(run.PlanFile, text) || h.put(run.PlanFile, text) {
				t.Errorf("%d bytes are fresh the first time, and not the second", size)
			}
			if got, err := h.read(run.PlanFile); err != nil || got != text || h.files() != 1 {
				t.Errorf("%d bytes came back as %d, %v, with %d files", size, len(got), err, h.files())
			}
			f := h.row(run.PlanFile)
			if short := size <= runfile.DefaultShort; (f.Key == "") != short || (f.Sealed != "") != short || strings.Contains(f.Sealed, "xxxxxxxxxx") {
				t.Errorf("%d bytes are in the row %.60v", size, f)
			}
		}
	})
}

// TestAShortFileIsSealedForItsPlace moves what is sealed to another row, and looks for its key.
func TestAShortFileIsSealedForItsPlace(t *testing.T) {
	t.Parallel()
	eachEngine(t, 0, func(t *testing.T, h *house) {
		h.put(run.PlanFile, "plan")
		f := h.row(run.PlanFile)
		f.Kind = run.LockFile
		h.must(h.db.Update(t.Context(), func(tx *store.Tx) error { return tx.SaveRunFile(&f) }))
		if _, err := h.read(run.LockFile); belay.KindOf(err) != belay.Damaged {
			t.Errorf("what was sealed for another row: %v", err)
		}
		var ids []string
		h.must(h.db.View(t.Context(), func(v *store.View) (err error) {
			ids, err = v.SealedWith()
			return err
		}))
		if len(ids) != 1 {
			t.Errorf("%v are needed to read what is there", ids)
		}
		var resealable []string
		h.must(h.db.SealedValues(t.Context(), func(list []store.SealedValue) error {
			for _, s := range list {
				resealable = append(resealable, s.Context)
			}
			return nil
		}))
		if own := h.row(run.PlanFile); !slices.Contains(resealable, own.SealContext()) {
			t.Errorf("%v are sealed anew with another key, and not the file", resealable)
		}
		h.must(h.db.Update(t.Context(), func(tx *store.Tx) error {
			other := h.row(run.PlanFile)
			other.SHA256 = "of another"
			return tx.DropRunFile(&other)
		}))
		if text, err := h.read(run.PlanFile); err != nil || text != "plan" {
			t.Errorf("a file that was dropped when another took its place: %q, %v", text, err)
		}
	})
}

func (h *house) row(kind run.FileKind) (f store.RunFile) {
	h.t.Helper()
	h.must(h.db.View(h.t.Context(), func(v *store.View) (err error) {
		f, err = v.RunFile(h.run.ID, kind)
		return err
	}))
	return f
}
