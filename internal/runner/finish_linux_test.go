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

const finishBytes = 16 << 10

func finishes(spec *run.JobSpec) { spec.Limits.FinishBytes = finishBytes }

// whole demands that a plan came home, whichever way it took.
func (s *fakeServer) whole(t *testing.T, work string) {
	t.Helper()
	end := s.ended()
	want := "OpenTofu v1.12.6\non " + platform() + "\nInitializing plugins and modules...\nhello\n"
	if end.Outcome != run.Succeeded || end.HasChanges == nil || !*end.HasChanges || end.LogSize != int64(len(want)) {
		t.Errorf("it ended as %+v", end)
	}
	if s.said() != want {
		t.Errorf("the log is %q", s.said())
	}
	for _, kind := range []run.FileKind{run.PlanFile, run.PlanJSONFile, run.SchemasFile} {
		if !slices.Contains(s.came(), kind) || len(s.kept(kind)) == 0 {
			t.Errorf("the %s did not come home", kind)
		}
	}
	empty(t, filepath.Join(work, jobsFolder))
	empty(t, filepath.Join(work, homesFolder))
}

const hello = `[ $step = plan ] && { echo hello; exit 2; }`

// TestTheEndBringsWhatIsShort wants one call of what is short, and the usual ones of what is not.
func TestTheEndBringsWhatIsShort(t *testing.T) {
	s, work, _ := world(t, hello)
	var calls []string
	s.faults(func(r *http.Request) int {
		if r.Method != http.MethodGet && strings.Contains(r.URL.Path, "job-") {
			s.mu.Lock()
			defer s.mu.Unlock()
			calls = append(calls, r.URL.Path[strings.LastIndex(r.URL.Path, "/")+1:])
		}
		return 0
	})
	s.give(run.PlanJob, finishes)
	s.whole(t, work)
	if sent := slices.DeleteFunc(slices.Clone(calls), func(c string) bool { return c == "log-job-1" }); !slices.Equal(sent, []string{"start", "finish"}) {
		t.Errorf("it was told by %v", calls)
	}
	s.give(run.PlanJob, func(spec *run.JobSpec) { spec.Limits.FinishBytes = 10 })
	s.whole(t, work)
	for _, call := range []string{"plan-json", "provider-schemas", "finish"} { // the plan itself has less
		if !slices.Contains(calls, call) {
			t.Errorf("it was told by %v", calls)
		}
	}
}

// TestAnEndThatMayBringNothing is heard by replicas of before, and by those where the log is elsewhere.
func TestAnEndThatMayBringNothing(t *testing.T) {
	for _, status := range []int{http.StatusNotFound, http.StatusConflict, http.StatusUnprocessableEntity} {
		t.Run(http.StatusText(status), func(t *testing.T) {
			s, work, _ := world(t, hello)
			s.faults(func(r *http.Request) int {
				if strings.HasSuffix(r.URL.Path, "/finish") {
					return status
				}
				return 0
			})
			s.give(run.PlanJob, finishes)
			s.whole(t, work)
		})
	}
}

// TestAnEndWhoseAnswerIsLost was heard with all that it brought, and is then told to a replica that
// knows no such call: the same end is known there, and nothing is brought for a lost lease.
func TestAnEndWhoseAnswerIsLost(t *testing.T) {
	for _, kind := range []run.JobKind{run.PlanJob, run.ApplyJob} {
		t.Run(string(kind), func(t *testing.T) {
			s, work, _ := world(t, `[ $step = apply ] && { `+stateOf+` 1 > "$state"; }; [ $step = plan ] && exit 2; true`)
			var heard, again atomic.Int32
			s.faults(func(r *http.Request) int {
				switch late := heard.Load() > 0; {
				case strings.Contains(r.URL.Path, "/logs/") && !late: // so that there is a rest of it, on a slow machine too
					return http.StatusServiceUnavailable
				case strings.HasSuffix(r.URL.Path, "/finish") && !late:
					var finish run.Finish
					_ = json.NewDecoder(r.Body).Decode(&finish)
					s.finished(&finish)
					s.mu.Lock()
					defer s.mu.Unlock()
					s.order["job-1"] = run.GoneOrder // as of every job that has ended
					heard.Add(1)
					return http.StatusBadGateway
				case strings.HasSuffix(r.URL.Path, "/finish"):
					return http.StatusNotFound
				case late && strings.HasSuffix(r.URL.Path, "/end"):
					raw, _ := io.ReadAll(r.Body)
					r.Body = io.NopCloser(bytes.NewReader(raw))
					again.Add(1)
				case late && (strings.Contains(r.URL.Path, "/files/") || strings.Contains(r.URL.Path, "/logs/")):
					return http.StatusConflict
				}
				return 0
			})
			if kind == run.ApplyJob {
				s.files[run.PlanFile] = []byte("planned\n")
			}
			s.give(kind, finishes)
			first, second := s.ended(), s.ended()
			one, _ := json.Marshal(first)
			two, _ := json.Marshal(second)
			if !bytes.Equal(one, two) || again.Load() != 1 {
				t.Errorf("it ended as %s, and then %d times as %s", one, again.Load(), two)
			}
			if slices.Contains(s.came(), run.RescuedFile) {
				t.Errorf("it brought %v", s.came())
			}
			empty(t, filepath.Join(work, jobsFolder))
		})
	}
}
