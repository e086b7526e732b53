package runner

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/belayhq/belay/run"
)

// bringsLast lets the end of an apply bring its state, which comes by nothing else.
func bringsLast(spec *run.JobSpec) {
	spec.Limits.FinishBytes, spec.Limits.StateBytes, spec.Limits.SnapshotMillis = finishBytes, 1000, 0
}

const applyOne = `[ $step = apply ] && { ` + stateOf + ` 1 > "$state"; echo applied; }; true`

// told is what a call tells, which can be read once more.
func told(r *http.Request) *run.Finish {
	var f run.Finish
	raw, _ := io.ReadAll(r.Body)
	r.Body = io.NopCloser(bytes.NewReader(raw))
	_ = json.Unmarshal(raw, &f)
	return &f
}

// TestTheEndBringsTheLastState wants a state that is short in the end, and another by a call of its own.
func TestTheEndBringsTheLastState(t *testing.T) {
	for name, most := range map[string]int64{"short": 1000, "long": 10, "to a server that takes none": 0} {
		t.Run(name, func(t *testing.T) {
			s, work, _ := world(t, applyOne)
			s.files[run.PlanFile] = []byte("planned\n")
			var puts atomic.Int32
			s.faults(func(r *http.Request) int {
				if r.Method == http.MethodPut && strings.HasSuffix(r.URL.Path, "/state") {
					puts.Add(1)
				}
				return 0
			})
			s.give(run.ApplyJob, func(spec *run.JobSpec) {
				bringsLast(spec)
				spec.Limits.StateBytes = most
			})
			end := s.ended()
			if end.Outcome != run.Succeeded || !end.StateHome || !bytes.Contains(s.kept(run.StateFile), []byte(`"serial":1`)) {
				t.Errorf("it ended as %+v with the state %s", end, s.kept(run.StateFile))
			}
			if want := most < 1000; (puts.Load() > 0) != want {
				t.Errorf("the state was brought %d times by itself", puts.Load())
			}
			empty(t, filepath.Join(work, jobsFolder))
		})
	}
}

// TestALastStateThatTheEndMayNotBring comes by its own call, and the end after it has the same words.
func TestALastStateThatTheEndMayNotBring(t *testing.T) {
	for _, status := range []int{http.StatusNotFound, http.StatusConflict, http.StatusUnprocessableEntity, http.StatusRequestEntityTooLarge} {
		t.Run(http.StatusText(status), func(t *testing.T) {
			s, work, _ := world(t, applyOne)
			s.files[run.PlanFile] = []byte("planned\n")
			s.faults(func(r *http.Request) int {
				if strings.HasSuffix(r.URL.Path, "/finish") {
					return status
				}
				return 0
			})
			s.give(run.ApplyJob, bringsLast)
			end := s.ended()
			if end.Outcome != run.Succeeded || !end.StateHome || !slices.Contains(s.came(), run.StateFile) || end.LogSize != int64(len(s.said())) {
				t.Errorf("it ended as %+v, and brought %v", end, s.came())
			}
			empty(t, filepath.Join(work, jobsFolder))
		})
	}
}

// TestALastStateThatIsRefused changes the words of the end, which are kept before anybody hears them: a
// runner that is killed then tells the same, and has the state until it was heard.
func TestALastStateThatIsRefused(t *testing.T) {
	t.Parallel()
	s, work, engines := newFakeServer(t), t.TempDir(), fakeEngine(t)
	s.files[run.ConfigurationFile], s.files[run.PlanFile] = archive(t, map[string]string{"main.tf": applyOne}), []byte("planned\n")
	var first, second atomic.Int32
	var away atomic.Bool
	away.Store(true)
	s.faults(func(r *http.Request) int {
		switch {
		case strings.HasSuffix(r.URL.Path, "/finish") && told(r).State() != nil:
			first.Add(1)
			return http.StatusConflict
		case r.Method == http.MethodPut && strings.HasSuffix(r.URL.Path, "/files/state"):
			return http.StatusUnprocessableEntity
		case strings.HasSuffix(r.URL.Path, "/end") && away.Load(), strings.Contains(r.URL.Path, "/logs/") && first.Load() > 0 && away.Load():
			second.Add(1)
			return http.StatusServiceUnavailable
		}
		return 0
	})
	s.give(run.ApplyJob, bringsLast)
	stop := s.starts(work, engines, nil)
	s.awaits("the second end", func() bool { return second.Load() > 0 })
	stop()
	asked := first.Load()
	old, err := oldFolders(work)
	if err != nil || len(old) != 1 || old[0].kept.End.StateHome || old[0].kept.lastState() == nil {
		t.Fatalf("what is kept is %+v, %v", old, err)
	}
	away.Store(false)
	s.starts(work, engines, nil)
	end := s.ended()
	if end.Outcome != run.Failed || end.StateHome || s.kept(run.RescuedFile) == nil || first.Load() != asked {
		t.Errorf("it ended as %+v, after the first end was told %d times and then %d", end, asked, first.Load())
	}
	if !strings.Contains(s.said(), "could not be stored") || end.LogSize != int64(len(s.said())) {
		t.Errorf("the log is %q", s.said())
	}
	empty(t, filepath.Join(work, jobsFolder))
}

// TestAnEndWithAStateWhoseAnswerIsLost, and then the runner with it, is asked about: nothing is brought
// for a lease that is over.
func TestAnEndWithAStateWhoseAnswerIsLost(t *testing.T) {
	t.Parallel()
	s, work, engines := newFakeServer(t), t.TempDir(), fakeEngine(t)
	s.files[run.ConfigurationFile], s.files[run.PlanFile] = archive(t, map[string]string{"main.tf": applyOne}), []byte("planned\n")
	var heard, brought, asked atomic.Int32
	var killed atomic.Bool
	var words atomic.Value
	s.faults(func(r *http.Request) int {
		finish := strings.HasSuffix(r.URL.Path, "/finish")
		switch {
		case finish && !killed.Load():
			if f := told(r); heard.Add(1) == 1 {
				words.Store(f.End)
				s.mu.Lock()
				s.order["job-1"] = run.GoneOrder // as of every job that has ended
				s.mu.Unlock()
			}
			return http.StatusBadGateway
		case finish:
			one, _ := json.Marshal(words.Load())
			two, _ := json.Marshal(told(r).End)
			if asked.Add(1); bytes.Equal(one, two) {
				return http.StatusOK
			}
			return http.StatusConflict
		case killed.Load() && r.Method == http.MethodPut:
			brought.Add(1)
		case killed.Load() && strings.Contains(r.URL.Path, "/jobs/"):
			return http.StatusConflict
		}
		return 0
	})
	s.give(run.ApplyJob, bringsLast)
	stop := s.starts(work, engines, nil)
	s.awaits("the end", func() bool { return heard.Load() > 0 })
	stop()
	killed.Store(true)
	s.starts(work, engines, nil)
	s.awaits("the question", func() bool { return asked.Load() > 0 })
	s.awaits("the end of the folder", func() bool { old, _ := oldFolders(work); return len(old) == 0 })
	if brought.Load() > 0 {
		t.Errorf("%d files were brought", brought.Load())
	}
}

// TestALastStateComesHomeAfterItsLease: a job that was given up before its end was heard brings the state
// that the end was to bring.
func TestALastStateComesHomeAfterItsLease(t *testing.T) {
	s, work, _ := world(t, applyOne)
	s.files[run.PlanFile] = []byte("planned\n")
	s.faults(func(r *http.Request) int {
		if strings.HasSuffix(r.URL.Path, "/finish") {
			s.mu.Lock()
			defer s.mu.Unlock()
			s.gone, s.order["job-1"] = true, run.GoneOrder
			return http.StatusConflict
		}
		return 0
	})
	s.give(run.ApplyJob, bringsLast)
	s.awaits("the state", func() bool { return s.files[run.RescuedFile] != nil })
	s.awaits("the end of the folder", func() bool { old, _ := oldFolders(work); return len(old) == 0 })
	s.mu.Lock()
	ends := slices.Clone(s.ends)
	s.mu.Unlock()
	if len(ends) > 0 || !bytes.Contains(s.kept(run.RescuedFile), []byte(`"serial":1`)) {
		t.Errorf("it ended as %+v with %s", ends, s.kept(run.RescuedFile))
	}
}
