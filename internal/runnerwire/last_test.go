package runnerwire_test

import (
	"io/fs"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/belayhq/belay"
	"github.com/belayhq/belay/internal/patch"
	"github.com/belayhq/belay/run"
)

// applying is a job whose engine applies.
func (h *house) applying() (me run.Registered, j run.ClaimedJob, view string) {
	h.t.Helper()
	h.call(201, "POST", "register", "the-pool", run.Registration{Name: "r", BootID: belay.RandomText(8), Slots: 1}, &me)
	made, err := h.runs.Create(h.t.Context(), h.admin, run.Wanted{WorkspaceID: h.ws.ID, AutoApply: patch.Of(true)})
	h.must(err)
	j, _ = h.job(me.Token)
	h.put(j, run.PlanFile, "p", 201)
	h.put(j, run.PlanJSONFile, "{}", 201)
	changes := true
	h.call(200, "POST", "jobs/"+j.ID+"/end", j.Lease, run.End{Outcome: run.Succeeded, HasChanges: &changes}, nil)
	j, spec := h.job(me.Token)
	if spec.Limits.StateBytes != 200 {
		h.t.Errorf("a state of %d bytes may come with the end", spec.Limits.StateBytes)
	}
	h.call(204, "POST", "jobs/"+j.ID+"/step", j.Lease, run.Step{Step: run.ApplyStep}, nil)
	return me, j, made.ID
}

func endWith(text string) run.Finish {
	return run.Finish{
		End:   run.End{Outcome: run.Succeeded, StateHome: true, LogSize: 9},
		Log:   &run.LogRest{Data: []byte("applying\n")},
		Files: []run.ShortFile{{Kind: run.StateFile, SHA256: sumOf(text), Data: []byte(text)}},
	}
}

func (h *house) finish(want int, j run.ClaimedJob, f run.Finish) {
	h.t.Helper()
	h.call(want, "POST", "jobs/"+j.ID+"/finish", j.Lease, f, nil)
}

// now is the workspace as it is.
func (h *house) now() belay.Workspace {
	h.t.Helper()
	w, err := h.verbs.Workspace(h.t.Context(), h.admin, belay.WorkspaceRef{ID: h.ws.ID})
	h.must(err)
	return w.Workspace
}

// objects are the states in the store, whether a row names them or not.
func (h *house) objects() (n int) {
	h.t.Helper()
	h.must(filepath.WalkDir(h.blobs, func(path string, entry fs.DirEntry, err error) error {
		if err == nil && !entry.IsDir() && strings.Contains(path, h.ws.ID) {
			n++
		}
		return err
	}))
	return n
}

// TestAnEndBringsTheLastState brings it behind intermediate ones, which go; and asks whether it was heard.
func TestAnEndBringsTheLastState(t *testing.T) {
	each(t, func(t *testing.T, h *house) {
		_, j, _ := h.applying()
		h.put(j, run.StateFile, stateFile(1), 201)
		h.put(j, run.StateFile, stateFile(2), 201)
		told := endWith(stateFile(3))
		h.finish(422, j, run.Asked(told.End)) // it was not told
		h.finish(200, j, told)
		h.finish(200, j, told)
		h.finish(200, j, run.Asked(told.End))
		other := told.End
		other.Outcome = run.Failed
		h.finish(409, j, run.Asked(other))
		h.call(200, "POST", "jobs/"+j.ID+"/end", j.Lease, told.End, nil)
		w := h.now()
		current, err := h.verbs.CurrentStateVersion(t.Context(), h.admin, belay.WorkspaceRef{ID: w.ID})
		h.must(err)
		if w.CurrentRunStatus != string(run.Applied) || w.Lock.Held() || current.Serial != 3 || current.Intermediate || current.RunID == "" {
			t.Errorf("run %s, lock %v, state %+v", w.CurrentRunStatus, w.Lock, current.StateVersion)
		}
		list, _, err := h.verbs.StateVersions(t.Context(), h.admin, belay.WorkspaceRef{ID: w.ID}, nil, belay.Page{Number: 1, Size: 10})
		h.must(err)
		if len(list) != 1 {
			t.Errorf("%d states are left", len(list))
		}
	})
}

// TestALastStateThatCameBefore becomes the current one, and is not kept twice.
func TestALastStateThatCameBefore(t *testing.T) {
	each(t, func(t *testing.T, h *house) {
		_, j, _ := h.applying()
		first := h.put(j, run.StateFile, stateFile(1), 201)
		h.finish(200, j, endWith(stateFile(1)))
		if w := h.now(); w.CurrentStateVersionID != first.StateVersionID || w.Lock.Held() || h.objects() != 1 {
			t.Errorf("state %s, want %s; lock %v; %d files", w.CurrentStateVersionID, first.StateVersionID, w.Lock, h.objects())
		}
	})
}

// TestALastStateIsRefused with its end, and leaves nothing: then it goes another way.
func TestALastStateIsRefused(t *testing.T) {
	each(t, func(t *testing.T, h *house) {
		_, j, id := h.applying()
		h.put(j, run.StateFile, stateFile(5), 201)
		left := h.objects()
		h.finish(409, j, endWith(stateFile(4)))
		h.finish(409, j, endWith(strings.Replace(stateFile(6), `"l"`, `"other"`, 1)))
		h.finish(422, j, endWith("no state"))
		h.finish(422, j, endWith(stateFile(6)+strings.Repeat(" ", 200)))
		wrong := endWith(stateFile(6))
		wrong.Files[0].SHA256 = sumOf("other")
		h.finish(422, j, wrong)
		nowhere := endWith(stateFile(6))
		nowhere.End.StateHome = false
		h.finish(422, j, nowhere)
		h.call(401, "POST", "jobs/"+j.ID+"/finish", "lease.other", endWith(stateFile(6)), nil)
		h.must(func() error {
			_, err := h.verbs.ForceUnlockWorkspace(t.Context(), h.admin, belay.WorkspaceRef{ID: h.ws.ID})
			return err
		}())
		h.finish(409, j, endWith(stateFile(6)))
		if w := h.now(); h.objects() != left || w.CurrentRunID != id || w.CurrentRunStatus != string(run.Applying) {
			t.Errorf("%d files are left, and were %d; run %s is %s", h.objects(), left, w.CurrentRunID, w.CurrentRunStatus)
		}
		if answer := h.put(j, run.StateFile, stateFile(6), 201); answer.Kept != "rescued" {
			t.Errorf("kept: %+v", answer)
		}
	})
}

// TestALastStateComesTwiceAtOnce with the same end, beside one that comes by itself: one is kept.
func TestALastStateComesTwiceAtOnce(t *testing.T) {
	each(t, func(t *testing.T, h *house) {
		_, j, _ := h.applying()
		var all sync.WaitGroup
		for range 4 {
			all.Go(func() { h.finish(200, j, endWith(stateFile(2))) })
		}
		all.Wait()
		list, _, err := h.verbs.StateVersions(t.Context(), h.admin, belay.WorkspaceRef{ID: h.ws.ID}, nil, belay.Page{Number: 1, Size: 10})
		h.must(err)
		if w := h.now(); len(list) != 1 || h.objects() != 1 || w.CurrentStateVersionID != list[0].ID || w.Lock.Held() {
			t.Errorf("%d states in %d files; the current one is %s", len(list), h.objects(), w.CurrentStateVersionID)
		}
	})
}

// TestAClaimReadsItsRunner with the job once it was met, and refuses nobody else for it.
func TestAClaimReadsItsRunner(t *testing.T) {
	each(t, func(t *testing.T, h *house) {
		var me run.Registered
		h.call(201, "POST", "register", "the-pool", run.Registration{Name: "r", BootID: "b", Slots: 1, Engines: []run.EngineBinary{{Product: "tofu", Version: "1.9.0"}}}, &me)
		h.call(204, "POST", "claim", me.Token, run.Claim{Slots: 1, Start: true, Nonce: "n0"}, nil)
		_, err := h.runs.Create(t.Context(), h.admin, run.Wanted{WorkspaceID: h.ws.ID})
		h.must(err)
		h.call(401, "POST", "claim", "runner.other", run.Claim{Slots: 1, Start: true, Nonce: "n1"}, nil)
		h.call(204, "POST", "claim", me.Token, run.Claim{Slots: 1, Start: true, Nonce: "n1", Kinds: []run.JobKind{run.AssessJob}}, nil)
		claim := run.Claim{Slots: 4, Start: true, Nonce: "n1"}
		var got, again run.Claimed
		h.call(200, "POST", "claim", me.Token, claim, &got)
		h.call(200, "POST", "claim", me.Token, claim, &again)
		if len(got.Jobs) != 1 || len(got.Specs) != 1 || len(again.Jobs) != 1 || again.Jobs[0] != got.Jobs[0] || len(again.Specs) != 0 {
			t.Errorf("claimed %+v, and then %+v", got, again)
		}
		h.call(204, "POST", "claim", me.Token, run.Claim{Slots: 1, Start: true, Nonce: "n2"}, nil)
	})
}
