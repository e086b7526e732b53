package runner

import (
	"encoding/json"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/belayhq/belay/internal/isolate"
	"github.com/belayhq/belay/run"
)

// world is a server with a configuration and a runner.
func world(t *testing.T, script string) (s *fakeServer, work string, stop func()) {
	t.Helper()
	t.Parallel()
	s = newFakeServer(t)
	s.files[run.ConfigurationFile] = archive(t, map[string]string{"main.tf": script})
	work = t.TempDir()
	return s, work, s.starts(work, fakeEngine(t), nil)
}

func TestPlan(t *testing.T) {
	s, work, _ := world(t, `echo "hello from $step"; [ $step = plan ] && exit 2`)
	s.give(run.PlanJob, nil)
	end := s.ended()
	if end.Outcome != run.Succeeded || end.HasChanges == nil || !*end.HasChanges {
		t.Errorf("it ended as %+v", end)
	}
	want := "OpenTofu v1.12.6\non " + platform() + "\nInitializing plugins and modules...\nhello from plan\n"
	if s.said() != want || end.LogSize != int64(len(want)) {
		t.Errorf("the log is %q (%d)", s.said(), end.LogSize)
	}
	s.mu.Lock()
	if len(s.steps) > 0 { // a plan may be made twice
		t.Errorf("the gate was asked for %v", s.steps)
	}
	s.mu.Unlock()
	for _, kind := range []run.FileKind{run.PlanFile, run.PlanJSONFile, run.SchemasFile} {
		if !slices.Contains(s.came(), kind) {
			t.Errorf("the %s did not come home", kind)
		}
	}
	empty(t, filepath.Join(work, jobsFolder))
	empty(t, filepath.Join(work, homesFolder))
}

// empty demands that nothing is left in a folder.
func empty(t *testing.T, folder string) {
	t.Helper()
	for range 30_000 {
		if left, _ := os.ReadDir(folder); len(left) == 0 {
			return
		}
		time.Sleep(10 * time.Millisecond)
	}
	left, _ := os.ReadDir(folder)
	if len(left) > 0 {
		t.Errorf("%s still has %v", folder, left)
	}
}

const stateOf = `printf '{"version":4,"serial":%s,"lineage":"l","resources":[%s]}' `

func TestApply(t *testing.T) {
	s, work, _ := world(t, `[ $step = apply ] && { grep -q planned "$TF_DATA_DIR/../out/plan" || exit 9
		`+stateOf+` 1 '"one"' > "$state"; while [ ! -e ../home/go ]; do sleep 0.05; done; `+stateOf+` 2 '"one","two"' > "$state"
		echo; echo "Apply complete! Resources: 2 added, 1 changed, 0 destroyed."; }; true`)
	s.files[run.PlanFile] = []byte("planned\n")
	s.give(run.ApplyJob, nil)
	s.awaits("the intermediate state", func() bool { return slices.Contains(s.brought, run.StateFile) })
	letGo(t, work)
	end := s.ended()
	if end.Outcome != run.Succeeded || !end.StateHome || end.Counts == nil || *end.Counts != (run.Counts{Additions: 2, Changes: 1}) {
		t.Errorf("it ended as %+v, counts %+v: %s", end, end.Counts, s.said())
	}
	if len(s.came()) < 2 || !strings.Contains(string(s.kept(run.StateFile)), `"serial":2`) {
		t.Errorf("it brought %v, at last %s", s.came(), s.kept(run.StateFile))
	}
}

// TestAnApplyWhoseStepCannotBeRun brings home what there is all the same: nobody knows how far it went.
func TestAnApplyWhoseStepCannotBeRun(t *testing.T) {
	s, work, _ := world(t, `[ $step = init ] && `+stateOf+` 1 > "$state"; true`)
	s.files[run.PlanFile] = []byte("planned\n")
	s.faults(func(r *http.Request) int {
		if strings.HasSuffix(r.URL.Path, "/step") {
			folders, _ := filepath.Glob(filepath.Join(work, jobsFolder, "*", "steps"))
			for _, steps := range folders { // where its step should have its folder
				if err := os.WriteFile(filepath.Join(steps, string(run.ApplyStep)), nil, 0o600); err != nil {
					t.Error(err)
				}
			}
		}
		return 0
	})
	s.give(run.ApplyJob, nil)
	if end := s.ended(); end.Outcome != run.Failed || !end.StateHome || !strings.HasPrefix(end.Error, "apply: ") {
		t.Errorf("it ended as %+v: %s", end, s.said())
	}
	if got := string(s.kept(run.StateFile)); !strings.Contains(got, `"serial":1`) {
		t.Errorf("the state is %q", got)
	}
}

// letGo lets an engine go on that waits for it.
func letGo(t *testing.T, work string) {
	t.Helper()
	if err := os.WriteFile(filepath.Join(work, homesFolder, "run-1", homeFolder, "go"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
}

func TestFailures(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		script string
		change func(*run.JobSpec)
		want   string
	}{
		"init":                    {`[ $step = init ] && { echo "no such provider"; exit 1; }; true`, nil, "no such provider"},
		"plan":                    {`[ $step = plan ] && { echo "Error: no"; exit 1; }; true`, nil, "Error: no"},
		"an engine that is not":   {"", func(s *run.JobSpec) { s.Engine.Version = "1.0.0" }, "this runner has OpenTofu 1.12.6"},
		"no working directory":    {"", func(s *run.JobSpec) { s.Workspace.WorkingDirectory = "net" }, `Error: working directory "net" is not in the configuration`},
		"a working directory out": {"", func(s *run.JobSpec) { s.Workspace.WorkingDirectory = "../.." }, "is not in the configuration"},
		"time":                    {`[ $step = plan ] && sleep 100`, func(s *run.JobSpec) { s.Limits.TimeoutSeconds = 1 }, "Error: plan timed out"},
	} {
		t.Run(name, func(t *testing.T) {
			s, _, _ := world(t, test.script)
			s.give(run.PlanJob, test.change)
			if end := s.ended(); end.Outcome != run.Failed || end.Error == "" || !strings.Contains(s.said(), test.want) {
				t.Errorf("it ended as %+v: %s", end, s.said())
			}
		})
	}
}

func TestCancel(t *testing.T) {
	for _, order := range []run.Order{run.CancelOrder, run.KillOrder} {
		t.Run(string(order), func(t *testing.T) {
			ignore := ""
			if order == run.KillOrder {
				ignore = "trap '' INT;"
			}
			s, work, _ := world(t, ignore+`[ $step = plan ] && { echo waiting; while :; do sleep 0.1; done; }; true`)
			s.give(run.PlanJob, nil)
			s.hears("waiting")
			s.mu.Lock()
			s.order["job-1"] = order
			s.mu.Unlock()
			if end := s.ended(); end.Outcome != run.Interrupted {
				t.Errorf("it ended as %+v", end)
			}
			empty(t, filepath.Join(work, homesFolder))
		})
	}
}

func TestSecretsAreNotInTheLog(t *testing.T) {
	s, _, _ := world(t, `[ $step = plan ] && { cat "$vars"; echo "$SECRET"; printf %s "$SECRET" | base64; }; true`)
	s.give(run.PlanJob, func(s *run.JobSpec) {
		s.Variables = []run.JobVariable{
			{Key: "password", Value: "correct horse", Category: "terraform", Sensitive: true},
			{Key: "object", Value: `{ key = "battery staple" }`, Category: "terraform", HCL: true, Sensitive: true},
			{Key: "SECRET", Value: "hunter2hunter2", Category: "env", Sensitive: true},
			{Key: "region", Value: "eu-central", Category: "terraform"},
		}
	})
	s.ended()
	for _, secret := range []string{"correct horse", "battery staple", "hunter2", "aHVudGVyMmh1bnRlcjI"} {
		if strings.Contains(s.said(), secret) {
			t.Errorf("%q is in the log: %s", secret, s.said())
		}
	}
	if !strings.Contains(s.said(), "eu-central") || !strings.Contains(s.said(), "*****") {
		t.Errorf("the log is %q", s.said())
	}
}

func TestTakenUpAfterACrash(t *testing.T) {
	s := newFakeServer(t)
	t.Parallel()
	s.files[run.ConfigurationFile] = archive(t, map[string]string{"main.tf": `[ $step = apply ] && {
		echo began; while [ ! -e ../home/go ]; do sleep 0.05; done; ` + stateOf + ` 1 > "$state"; echo done; }; true`})
	s.files[run.PlanFile] = []byte("planned\n")
	work, engines := t.TempDir(), fakeEngine(t)
	stop := s.starts(work, engines, nil)
	s.give(run.ApplyJob, nil)
	s.hears("began")
	stop()
	letGo(t, work)
	s.starts(work, engines, nil)
	end := s.ended()
	if end.Outcome != run.Succeeded || !end.StateHome {
		t.Errorf("it ended as %+v", end)
	}
	if strings.Count(s.said(), "began") != 1 || !strings.HasSuffix(s.said(), "began\ndone\n") {
		t.Errorf("the log is %q", s.said())
	}
	empty(t, filepath.Join(work, jobsFolder))
}

// TestACanceledWorkIsTakenUp: who was to cancel while its runner was away is told so when the runner is back, and
// what it leaves behind comes home.
func TestACanceledWorkIsTakenUp(t *testing.T) {
	for _, order := range []run.Order{run.CancelOrder, run.KillOrder} {
		t.Run(string(order), func(t *testing.T) {
			t.Parallel()
			s := newFakeServer(t)
			s.files[run.ConfigurationFile] = archive(t, map[string]string{"main.tf": `[ $step = apply ] && {
				save() { ` + stateOf + ` "$1" > "$state"; }; trap 'save 2; exit 1' INT; save 1; echo began; while :; do sleep 0.05; done; }; true`})
			s.files[run.PlanFile] = []byte("planned\n")
			work, engines := t.TempDir(), fakeEngine(t)
			stop := s.starts(work, engines, nil)
			s.give(run.ApplyJob, nil)
			s.hears("began")
			stop()
			s.mu.Lock()
			s.order["job-1"] = order
			s.specs["job-1"].Order = order
			s.mu.Unlock()
			s.starts(work, engines, nil)
			end := s.ended()
			if end.Outcome != run.Interrupted || !end.StateHome || strings.Contains(s.said(), "before it began") {
				t.Errorf("it ended as %+v: %s", end, s.said())
			}
			if got := string(s.kept(run.StateFile)); !strings.Contains(got, `"serial":2`) {
				t.Errorf("the state is %q", got)
			}
			empty(t, filepath.Join(work, jobsFolder))
		})
	}
}

// unknown lets the server know nothing of jobs any more.
func (s *fakeServer) unknown(order run.Order, deleted bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.fault = func(r *http.Request) int {
		if strings.Contains(r.URL.Path, "/jobs/") || strings.Contains(r.URL.Path, "/logs/") {
			return http.StatusUnauthorized
		}
		return 0
	}
	s.order["job-1"], s.deleted = order, deleted
}

// stubborn is the script of an apply that has written its state, and goes on until it may end.
const stubborn = `[ $step = apply ] && { ` + stateOf + ` 7 '"kept"' > "$state"; echo began
	while [ ! -e ../home/go ]; do sleep 0.05; done; }; true`

func TestNothingIsKeptOfADeletedWorkspace(t *testing.T) {
	s, work, _ := world(t, stubborn)
	s.files[run.PlanFile] = []byte("planned\n")
	s.give(run.ApplyJob, nil)
	s.hears("began")
	s.unknown(run.KillOrder, true)
	letGo(t, work)
	empty(t, filepath.Join(work, jobsFolder))
	empty(t, filepath.Join(work, homesFolder))
}

func TestAStateThatIsNotTakenStaysForADay(t *testing.T) {
	s, work, stop := world(t, stubborn)
	s.files[run.PlanFile] = []byte("planned\n")
	// A state that came home before the server forgot the job would be no loss.
	s.give(run.ApplyJob, func(s *run.JobSpec) { s.Limits.SnapshotMillis = 0 })
	s.hears("began")
	s.unknown(run.GoneOrder, false)
	letGo(t, work)
	job := filepath.Join(work, jobsFolder, "job-1", keptFile)
	refusedAt := func() (k kept) {
		raw, err := os.ReadFile(job)
		if err == nil {
			err = json.Unmarshal(raw, &k)
		}
		if err != nil {
			t.Fatal(err)
		}
		return k
	}
	s.awaits("the refusal", func() bool { return !refusedAt().Refused.IsZero() })
	secrets := filepath.Join(work, homesFolder, "run-1", secretFolder)
	s.awaits("the end of the secrets", func() bool {
		_, err := os.Stat(secrets)
		return os.IsNotExist(err)
	})
	stop()
	found, _ := filepath.Glob(filepath.Join(work, homesFolder, "run-1", stateFolder, "*"))
	if len(found) == 0 {
		t.Error("the state did not stay")
	}
	old := refusedAt()
	old.Refused = old.Refused.Add(-keptRefused - time.Minute)
	if err := isolate.WriteJSON(job, old); err != nil {
		t.Fatal(err)
	}
	s.starts(work, fakeEngine(t), nil)
	empty(t, filepath.Join(work, jobsFolder))
	empty(t, filepath.Join(work, homesFolder))
}

func TestLeaseOverInAnApply(t *testing.T) {
	s, work, _ := world(t, `[ $step = apply ] && { echo began; while [ ! -e ../home/go ]; do sleep 0.05; done
		`+stateOf+` 7 '"kept"' > "$state"; }; true`)
	s.files[run.PlanFile] = []byte("planned\n")
	s.give(run.ApplyJob, nil)
	s.hears("began")
	s.mu.Lock()
	s.gone, s.order["job-1"] = true, run.GoneOrder
	s.mu.Unlock()
	letGo(t, work)
	empty(t, filepath.Join(work, jobsFolder))
	if got := string(s.kept(run.RescuedFile)); !strings.Contains(got, "kept") {
		t.Errorf("the state was not rescued: %q", got)
	}
}

// TestAStateComesHomeAfterItsLease has an apply given up while its runner sleeps: the run still
// has the lock, the state is the workspace's, and the server is told that it may open it.
func TestAStateComesHomeAfterItsLease(t *testing.T) {
	for name, began := range map[string]bool{"in the same life": false, "in another life": true} {
		t.Run(name, func(t *testing.T) {
			s, work, stop := world(t, `[ $step = apply ] && { echo began; while [ ! -e ../home/go ]; do sleep 0.05; done
				`+stateOf+` 7 '"home"' > "$state"; }; true`)
			s.files[run.PlanFile] = []byte("planned\n")
			s.give(run.ApplyJob, nil)
			s.hears("began")
			if began {
				stop()
			}
			s.mu.Lock()
			s.gone, s.locked, s.order["job-1"] = true, true, run.GoneOrder
			s.mu.Unlock()
			letGo(t, work)
			if began {
				s.starts(work, fakeEngine(t), nil)
			}
			if end := s.ended(); end.Outcome != run.Succeeded || !end.StateHome {
				t.Errorf("it ended as %+v", end)
			}
			empty(t, filepath.Join(work, jobsFolder))
			if got := string(s.kept(run.StateFile)); !strings.Contains(got, "home") || s.kept(run.RescuedFile) != nil {
				t.Errorf("the state is %q, put aside is %q", got, s.kept(run.RescuedFile))
			}
		})
	}
}
