package repos_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/belayhq/belay"
	"github.com/belayhq/belay/internal/forgetest"
	"github.com/belayhq/belay/internal/patch"
	"github.com/belayhq/belay/internal/repos"
	"github.com/belayhq/belay/internal/store"
	"github.com/belayhq/belay/run"
)

// broken has git answered with a status; 0: with what it asks for.
func (h *house) broken(status int) {
	h.forge.Lock()
	defer h.forge.Unlock()
	h.forge.Broken = status
}

// pushed is a workspace that had a run, and was pushed a commit to that git will not get.
func (h *house) pushed(status int) (ref belay.WorkspaceRef, commit string) {
	h.t.Helper()
	before := h.forge.Commit("main.tf", "1")
	ref = h.workspace("network", nil)
	h.settle()
	h.must(h.runs.Cancel(h.t.Context(), h.admin, h.runsOf(ref)[0].ID, ""))
	h.broken(status)
	commit = h.forge.Commit("main.tf", "2")
	h.push(ref, "d", forgetest.Push("refs/heads/main", before, commit, "main.tf"))
	return ref, commit
}

// stands is a run's standing: that of the commit that was pushed.
func (h *house) stands(ref belay.WorkspaceRef, want run.Status) run.Run {
	h.t.Helper()
	list := h.runsOf(ref)
	if len(list) != 2 || list[1].Status != want {
		h.t.Fatalf("the runs: %s\n%s", short(list), h.events())
	}
	return list[1]
}

// TestWhatMayPassIsFetchedAgain: a service that is down for a while costs no run.
func TestWhatMayPassIsFetchedAgain(t *testing.T) {
	t.Parallel()
	each(t, func(h *house) {
		ref, _ := h.pushed(http.StatusServiceUnavailable)
		for range 3 {
			h.settle()
			h.stands(ref, run.Fetching)
			h.pass(11 * time.Minute)
		}
		h.broken(0)
		h.settle()
		h.stands(ref, run.PlanQueued)
		told := h.events()
		for try := 1; try <= 3; try++ {
			if n := strings.Count(told, fmt.Sprintf("(try %d): git ls-remote failed: ", try)); n != 1 {
				h.t.Errorf("try %d is told %d times", try, n)
			}
		}
		if strings.Count(told, "; it is tried again in ") != 3 || strings.Contains(told, "went away") {
			h.t.Errorf("what was told: %s", told)
		}
	})
}

// TestWhatDoesNotPassIsGivenUp: after about an hour, and a run from the head of the branch fetches it anew.
func TestWhatDoesNotPassIsGivenUp(t *testing.T) {
	t.Parallel()
	each(t, func(h *house) {
		ref, commit := h.pushed(http.StatusBadGateway)
		began := h.now()
		h.settle()
		for h.runsOf(ref)[1].Status == run.Fetching {
			h.pass(20 * time.Second)
			h.settle()
			if h.now().Sub(began) > 2*time.Hour {
				h.t.Fatalf("it is never given up: %s", h.events())
			}
		}
		if took := h.now().Sub(began); took < 40*time.Minute || took > 80*time.Minute {
			h.t.Errorf("it was tried for %s", took)
		}
		if last := h.stands(ref, run.Errored); !strings.HasSuffix(last.Error, "(after 9 tries)") {
			h.t.Errorf("the run: %s", last.Error)
		}
		if told := h.events(); strings.Count(told, "could not be fetched (try ") != 9 || strings.Count(told, "; it is not tried again") != 1 {
			h.t.Errorf("what was told: %s", told)
		}
		h.broken(0)
		again, err := h.runs.Create(h.t.Context(), h.admin, run.Wanted{WorkspaceID: ref.ID})
		h.must(err)
		h.settle()
		if last := h.runsOf(ref)[2]; last.ID != again.ID || last.CommitSHA != commit || last.Status != run.PlanQueued {
			h.t.Errorf("begun again by hand: %s", short(h.runsOf(ref)))
		}
	})
}

// TestWhatCannotPassIsNotTriedAgain: what is not there, is refused or leads elsewhere stays so.
func TestWhatCannotPassIsNotTriedAgain(t *testing.T) {
	t.Parallel()
	for name, spoil := range map[string]func(h *house){
		"no such commit": func(h *house) {},
		"refused":        func(h *house) { h.broken(http.StatusForbidden) },
		"not there":      func(h *house) { h.broken(http.StatusNotFound) },
		"elsewhere": func(h *house) {
			h.forge.Lock()
			defer h.forge.Unlock()
			h.forge.Moved = "http://169.254.169.254"
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			each(t, func(h *house) {
				before := h.forge.Commit("main.tf", "1")
				ref := h.workspace("network", nil)
				h.settle()
				h.must(h.runs.Cancel(h.t.Context(), h.admin, h.runsOf(ref)[0].ID, ""))
				spoil(h)
				h.push(ref, "d", forgetest.Push("refs/heads/main", before, strings.Repeat("a", 40), "main.tf"))
				for range 3 {
					h.settle()
					h.pass(time.Hour)
				}
				if last := h.stands(ref, run.Errored); !strings.Contains(last.Error, "could not be fetched") {
					h.t.Errorf("the run: %s", last.Error)
				}
				if told := h.events(); strings.Count(told, "could not be fetched (try ") != 1 || !strings.Contains(told, "; it is not tried again") {
					h.t.Errorf("what was told: %s", told)
				}
			})
		})
	}
}

// TestManyReplicasTryAgainOnce: a try that is due is one replica's.
func TestManyReplicasTryAgainOnce(t *testing.T) {
	t.Parallel()
	each(t, func(h *house) {
		ref, _ := h.pushed(http.StatusServiceUnavailable)
		rooms := []*repos.Room{h.Room, h.room(), h.room(), h.room()}
		h.settle()
		for range 5 {
			h.pass(11 * time.Minute)
			h.atOnce(rooms, 5)
		}
		told := h.events()
		for try := 1; try <= 6; try++ {
			if n := strings.Count(told, fmt.Sprintf("(try %d)", try)); n != 1 {
				h.t.Errorf("try %d is told %d times", try, n)
			}
		}
		if n := h.forge.Count(func(f *forgetest.Forge) int { return f.Refused }); n != 6 {
			h.t.Errorf("the service was asked %d times", n)
		}
		h.stands(ref, run.Fetching)
	})
}

// die begins what is due as one that is killed then would.
func (h *house) die() (claimed int) {
	h.t.Helper()
	h.must(h.db.Update(h.t.Context(), func(tx *store.Tx) error {
		lanes, err := tx.WorkLanes(store.FetchWork, tx.Now)
		if err != nil || len(lanes) == 0 {
			return err
		}
		ids, err := tx.ClaimWork(store.FetchWork, lanes[0], "dead", tx.Now.Add(time.Minute), 10)
		claimed = len(ids)
		for _, id := range ids {
			f, err := tx.Peek().Fetch(id)
			if err != nil {
				return err
			}
			f.Error = "" // as whoever begins does
			if _, err := tx.SaveFetch(&f); err != nil {
				return err
			}
		}
		return err
	}))
	return claimed
}

// TestWhoeverFetchesMayDie: the next takes it up when the claim has ended, which is told; a commit that
// nobody survives is given up.
func TestWhoeverFetchesMayDie(t *testing.T) {
	t.Parallel()
	each(t, func(h *house) {
		ref, _ := h.pushed(http.StatusServiceUnavailable)
		for h.Work(h.t.Context()) > 0 && h.events() == "" {
			h.Wait()
		}
		h.settle()              // try 1 is told
		h.pass(2 * time.Minute) // try 2 dies
		if n := h.die(); n != 1 {
			h.t.Fatalf("%d fetches were due", n)
		}
		h.settle()
		h.stands(ref, run.Fetching)
		h.broken(0)
		h.open() // the server begins again
		h.pass(2 * time.Minute)
		h.settle()
		h.stands(ref, run.PlanQueued)
		if told := h.events(); strings.Count(told, "went away in the middle; it is fetched again (try 3)") != 1 {
			h.t.Errorf("what was told: %s", told)
		}
	})
}

func TestACommitThatNobodySurvives(t *testing.T) {
	t.Parallel()
	each(t, func(h *house) {
		ref, _ := h.pushed(http.StatusServiceUnavailable)
		h.settle()
		for range 8 {
			h.pass(20 * time.Minute)
			if n := h.die(); n != 1 {
				h.t.Fatalf("%d fetches were due", n)
			}
		}
		h.broken(0)
		h.pass(2 * time.Minute)
		h.settle()
		if last := h.stands(ref, run.Errored); !strings.Contains(last.Error, "went away in the middle") {
			h.t.Errorf("the run: %s", last.Error)
		}
	})
}

// TestWhatIsFetchedByNobodyAnyMore: a run whose connection or repository goes while its commit is waited for is
// at its end, and keeps nobody out of the workspace.
func TestWhatIsFetchedByNobodyAnyMore(t *testing.T) {
	t.Parallel()
	for name, end := range map[string]func(h *house, ref belay.WorkspaceRef) error{
		"the connection is deleted": func(h *house, _ belay.WorkspaceRef) error {
			list, _, err := h.verbs.OAuthClients(h.t.Context(), h.admin, "acme", belay.Page{Number: 1, Size: 10})
			h.must(err)
			return h.verbs.DeleteOAuthClient(h.t.Context(), h.admin, list[0].ID)
		},
		"the workspace is disconnected": func(h *house, ref belay.WorkspaceRef) error {
			_, err := h.verbs.UpdateWorkspace(h.t.Context(), h.admin, ref, belay.WorkspacePatch{VCSRepo: patch.Field[belay.VCSRepoPatch]{Set: true, Null: true}})
			return err
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			each(t, func(h *house) {
				ref, _ := h.pushed(http.StatusServiceUnavailable)
				h.settle()
				h.stands(ref, run.Fetching)
				h.must(end(h, ref))
				h.pass(time.Minute)
				h.settle()
				if last := h.stands(ref, run.Errored); !strings.Contains(last.Error, "the connection to its repository is gone") {
					h.t.Errorf("the run: %s", last.Error)
				}
			})
		})
	}
}
