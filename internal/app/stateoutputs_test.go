package app

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/belayhq/belay"
	"github.com/belayhq/belay/internal/store"
)

// heaviest is how many rows one transaction may read and write, whatever a request asks
// for: so many hold SQLite's writer for less than 50 milliseconds.
const heaviest = 2500

// manyOutputs is a state with so many outputs.
func manyOutputs(n, serial int) string {
	var list strings.Builder
	for i := range n {
		if i > 0 {
			list.WriteByte(',')
		}
		fmt.Fprintf(&list, `"output_%06d":{"value":"value %d","type":"string"}`, i, i)
	}
	return fmt.Sprintf(`{"version":4,"terraform_version":"1.9.0","serial":%d,"lineage":"l","resources":[],"outputs":{%s}}`, serial, list.String())
}

func TestManyOutputsHoldNobodyUp(t *testing.T) {
	eachAging(t, func(t *testing.T, a *aging) {
		ctx, ref := t.Context(), a.workspace("network", 0)
		a.lock(ref)
		a.db.HeaviestWrite()
		v, err := a.bring(ref, 1, manyOutputs(10_000, 1))
		a.must(err)
		w := a.unlock(ref)
		if n := a.db.HeaviestWrite(); n > heaviest {
			t.Errorf("a transaction had %d rows, want %d at the most", n, heaviest)
		}
		if !v.ManyOutputs || v.OutputIDs != nil || !w.ManyOutputs || w.OutputIDs != nil {
			t.Errorf("references to %d outputs in the state version, %d in the workspace", len(v.OutputIDs), len(w.OutputIDs))
		}
		list, total, err := a.StateOutputs(ctx, a.admin, v.ID, belay.Page{Number: 100, Size: 100})
		if err != nil || total != 10_000 || len(list) != 100 || list[99].Name != "output_009999" || string(list[99].Value) != `"value 9999"` {
			t.Fatalf("outputs: %d of %d, %v", len(list), total, err)
		}
		if one, err := a.StateOutput(ctx, a.admin, list[0].ID); err != nil || one.Name != list[0].Name {
			t.Errorf("one output: %+v, %v", one, err)
		}
		again, err := a.Workspace(ctx, a.admin, ref)
		if err != nil || !again.ManyOutputs {
			t.Errorf("the workspace, read again: %v, %v", again.ManyOutputs, err)
		}
		a.must(a.ForceDeleteWorkspace(ctx, a.admin, ref))
		a.DropLooseOutputs(ctx)
		if n := a.db.HeaviestWrite(); n > heaviest {
			t.Errorf("deleting: a transaction had %d rows, want %d at the most", n, heaviest)
		}
		a.noOutputs()
	})
}

// noOutputs demands that no output is kept any more.
func (a *aging) noOutputs() {
	a.t.Helper()
	var n int
	a.must(a.db.View(a.t.Context(), func(v *store.View) (err error) {
		n, err = v.KeptOutputs()
		return err
	}))
	if n != 0 {
		a.t.Errorf("%d outputs are left", n)
	}
}

func TestStagedOutputsAreSeenWholeOrNot(t *testing.T) {
	eachAging(t, func(t *testing.T, a *aging) {
		ctx, ref := t.Context(), a.workspace("network", 0)
		a.lock(ref)
		d, err := a.DraftState(ctx, a.admin, ref)
		a.must(err)
		file := manyOutputs(3000, 1)
		a.must(d.State(ctx, strings.NewReader(file)))
		gone, cancel := context.WithCancel(ctx)
		cancel()
		if _, err := d.Commit(gone, belay.NewState{Serial: 1, MD5: sumOf(file)}); !errors.Is(err, context.Canceled) {
			t.Fatalf("a client that has gone: %v", err)
		}
		d, err = a.DraftState(ctx, a.admin, ref)
		a.must(err)
		a.must(d.State(ctx, strings.NewReader(file)))
		_, err = d.Commit(ctx, belay.NewState{Serial: 1, MD5: sumOf("another")})
		a.refused(err, belay.Precondition, "MD5")
		v, err := a.bring(ref, 1, file)
		a.must(err)
		_, err = a.bring(ref, 1, manyOutputs(3001, 1)) // refused once its outputs are staged
		a.refused(err, belay.Conflict, "serial")
		if _, total, err := a.StateOutputs(ctx, a.admin, v.ID, belay.Page{Number: 1, Size: 20}); err != nil || total != 3000 {
			t.Errorf("%d outputs, %v", total, err)
		}
		a.unlock(ref)
		a.DropLooseOutputs(ctx)
		if _, total, err := a.StateOutputs(ctx, a.admin, v.ID, belay.Page{Number: 1, Size: 20}); err != nil || total != 3000 {
			t.Errorf("after the sweep: %d outputs, %v", total, err)
		}
		a.must(a.ForceDeleteWorkspace(ctx, a.admin, ref))
		a.DropLooseOutputs(ctx)
		a.noOutputs()
	})
}
