package runner

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/belayhq/belay/run"
)

// checks is a file of checks, each a script: NAME STAGE ENFORCEMENT and its text.
func checks(t *testing.T, scripts ...[4]string) []Check {
	t.Helper()
	folder := t.TempDir()
	var entries []string
	for _, s := range scripts {
		program := filepath.Join(folder, s[0]+"-"+s[1])
		if err := os.WriteFile(program, []byte("#!/bin/sh\n"+s[3]+"\n"), 0o700); err != nil {
			t.Fatal(err)
		}
		entries = append(entries, fmt.Sprintf(`{"name":%q,"stage":%q,"enforcement":%q,"command":[%q,"an argument"],"timeout":"2m"}`, s[0], s[1], s[2], program))
	}
	list, err := ParseChecks([]byte(`{"checks":[` + strings.Join(entries, ",") + `]}`))
	if err != nil {
		t.Fatal(err)
	}
	return list
}

// checking is a world whose runner has checks.
func checking(t *testing.T, script string, list ...Check) (s *fakeServer, work string) {
	t.Helper()
	t.Parallel()
	s = newFakeServer(t)
	s.files[run.ConfigurationFile] = archive(t, map[string]string{"main.tf": script})
	s.files[run.PlanFile], s.files[run.PlanJSONFile] = []byte("planned\n"), []byte(`{"format_version":"1.2","applied":true}`)
	work = t.TempDir()
	s.starts(work, fakeEngine(t), func(c *Config) { c.Checks = list })
	return s, work
}

// found is the result of a name.
func found(t *testing.T, list []run.Check, name string) run.Check {
	t.Helper()
	for _, c := range list {
		if c.Name == name {
			return c
		}
	}
	t.Fatalf("there is no result of %s among %+v", name, list)
	return run.Check{}
}

func TestChecksOfAPlan(t *testing.T) {
	s, work := checking(t, `echo "engine $step"; [ $step = plan ] && exit 2; true`, checks(t,
		[4]string{"before", "pre_plan", "mandatory", `[ -f "$CHECK_CONFIGURATION/main.tf" ] && [ -z "$CHECK_PLAN" ] && cat && echo "looked before"`},
		[4]string{"plan", "post_plan", "mandatory", `grep -q '"format_version":"1.2"' && cmp -s "$CHECK_PLAN" "$CHECK_PLAN" && grep -q '"message":"Open the gates"' "$CHECK_CONTEXT" && grep -q alice "$CHECK_CONTEXT" && echo "$1"`},
		[4]string{"advice", "post_plan", "advisory", `echo "rather not"; exit 3`},
	)...)
	s.give(run.PlanJob, nil)
	end := s.ended()
	if end.Outcome != run.Succeeded || end.Refused || len(end.Checks) != 3 || len(s.gate()) != 1 {
		t.Fatalf("it ended as %+v, the gate heard %+v: %s", end, s.gate(), s.said())
	}
	if c := found(t, end.Checks, "plan"); c.Status != run.CheckPassed || c.Output != "an argument" || c.EndedAt.Before(c.BeganAt) {
		t.Errorf("the check of the plan came to %+v", c)
	}
	if c := found(t, end.Checks, "advice"); c.Status != run.CheckFailed || c.ExitCode != 3 || c.Output != "rather not" {
		t.Errorf("the advice came to %+v", c)
	}
	for _, line := range []string{"belay: the mandatory check before has passed:\nlooked before\n", "engine plan\n", "belay: the advisory check advice failed with exit status 3:\nrather not\n"} {
		if strings.Count(s.said(), line) != 1 {
			t.Errorf("%q is not once in the log: %s", line, s.said())
		}
	}
	empty(t, filepath.Join(work, homesFolder))
}

func TestAMandatoryCheckThatFails(t *testing.T) {
	for name, test := range map[string]struct {
		kind    run.JobKind
		stage   string
		begins  bool // the engine
		refused bool
	}{
		"before the plan":      {run.PlanJob, "pre_plan", false, false},
		"after the plan":       {run.PlanJob, "post_plan", true, true},
		"before the apply":     {run.ApplyJob, "pre_apply", false, false},
		"before an assessment": {run.AssessJob, "pre_plan", false, false},
	} {
		t.Run(name, func(t *testing.T) {
			s, _ := checking(t, `echo "engine $step"; [ $step = plan ] && exit 2; true`, checks(t,
				[4]string{"no", test.stage, "mandatory", "echo because; exit 1"}, [4]string{"also", test.stage, "advisory", "echo made all the same"})...)
			s.mu.Lock()
			delete(s.files, run.PlanFile)
			s.mu.Unlock()
			s.give(test.kind, nil)
			end := s.ended()
			if end.Outcome != run.Failed || end.Error != "the mandatory check no failed with exit status 1" || end.Refused != test.refused || !test.refused && !end.StateHome {
				t.Errorf("it ended as %+v: %s", end, s.said())
			}
			if len(end.Checks) != 2 || found(t, end.Checks, "also").Status != run.CheckPassed {
				t.Errorf("the checks came to %+v", end.Checks)
			}
			if begun := strings.Contains(s.said(), "engine "+string(test.kind)); begun != test.begins {
				t.Errorf("the engine began: %v: %s", begun, s.said())
			}
			if s.kept(run.PlanFile) != nil || test.refused && (end.HasChanges == nil || !*end.HasChanges) {
				t.Errorf("a plan that is refused came as %q, %+v", s.kept(run.PlanFile), end)
			}
		})
	}
}

func TestAnAssessmentHasNoCheckOfItsPlan(t *testing.T) {
	s, _ := checking(t, `true`, checks(t, [4]string{"no", "post_plan", "mandatory", "exit 1"})...)
	s.give(run.AssessJob, nil)
	if end := s.ended(); end.Outcome != run.Succeeded || len(end.Checks) != 0 {
		t.Errorf("it ended as %+v: %s", end, s.said())
	}
}

// TestAnApplyIsCheckedOnItsPlan reads the plan that the server has.
func TestAnApplyIsCheckedOnItsPlan(t *testing.T) {
	s, _ := checking(t, `[ $step = apply ] && { `+stateOf+` 1 > "$state"; }; true`, checks(t, [4]string{"plan", "pre_apply", "mandatory", `grep applied`})...)
	s.give(run.ApplyJob, nil)
	if end := s.ended(); end.Outcome != run.Succeeded || len(end.Checks) != 1 || end.Checks[0].Output != `{"format_version":"1.2","applied":true}` || len(s.gate()) != 1 {
		t.Errorf("it ended as %+v: %s", end, s.said())
	}
}

// TestARunCantBendItsChecks gives a check everything that a run could bend it with, and has it look
// for what it shall not see.
func TestARunCantBendItsChecks(t *testing.T) {
	s, _ := checking(t, `true`, checks(t, [4]string{"look", "post_plan", "mandatory", `
		env; ls "$CHECK_CONFIGURATION/../secret" "$CHECK_CONFIGURATION/../state" 2>&1
		true > "$CHECK_CONFIGURATION/main.tf" || echo "the configuration stays"; true > "$CHECK_PLAN" || echo "the plan stays"
		echo ok > file && cat file`})...)
	s.give(run.PlanJob, func(s *run.JobSpec) {
		for _, key := range []string{"PATH", "LD_PRELOAD", "ENV", "CHECK_PLAN", "AWS_SECRET_ACCESS_KEY"} {
			s.Variables = append(s.Variables, run.JobVariable{Key: key, Value: "/bent/by/the/run", Category: "env"})
		}
	})
	end := s.ended()
	said := found(t, end.Checks, "look").Output
	for _, no := range []string{"bent", "TF_VAR", "the-token", "belay.tfvars", "TFC_RUN_ID"} {
		if strings.Contains(said, no) {
			t.Errorf("the check sees %q: %s", no, said)
		}
	}
	for _, yes := range []string{"the configuration stays", "the plan stays", "ok", "CHECK_STAGE=post_plan"} {
		if !strings.Contains(said, yes) {
			t.Errorf("the check says nothing of %q: %s", yes, said)
		}
	}
}

func TestWhatAChecksOutputBecomes(t *testing.T) {
	s, _ := checking(t, `true`, checks(t, [4]string{"loud", "post_plan", "advisory", `
		printf 'correct horse \033[31mred\033[0m \002\001\377\n'; i=0; while [ $i -lt 2000 ]; do echo "line $i"; i=$((i+1)); done`})...)
	s.give(run.PlanJob, func(s *run.JobSpec) {
		s.Variables = []run.JobVariable{{Key: "password", Value: "correct horse", Category: "terraform", Sensitive: true}}
	})
	said := found(t, s.ended().Checks, "loud").Output
	if !strings.HasPrefix(said, "************* red ???\nline 0\n") || len(said) > run.MaxCheckOutput || !strings.HasSuffix(said, "(more was left out)") {
		t.Errorf("it became %d bytes: %.60q … %.40q", len(said), said, said[len(said)-40:])
	}
	if strings.Contains(s.said(), "horse") {
		t.Error("the secret is in the log")
	}
}

// TestChecksThatSayNothing never pass.
func TestChecksThatSayNothing(t *testing.T) {
	list := checks(t, [4]string{"late", "post_plan", "advisory", "sleep 100"}, [4]string{"killed", "post_plan", "advisory", "kill -9 $$"},
		[4]string{"gone", "post_plan", "mandatory", "true"})
	list[0].Timeout = time.Second
	if err := os.Remove(list[2].Command[0]); err != nil {
		t.Fatal(err)
	}
	s, _ := checking(t, `true`, list...)
	s.give(run.PlanJob, nil)
	end := s.ended()
	for name, want := range map[string]string{"late": "it took too long", "killed": "signal 9", "gone": "no such file"} {
		if c := found(t, end.Checks, name); c.Status != run.CheckErrored || !strings.Contains(c.Reason, want) {
			t.Errorf("%s came to %+v", name, c)
		}
	}
	if end.Outcome != run.Failed || !end.Refused || !strings.Contains(end.Error, "the mandatory check gone could not be made") {
		t.Errorf("it ended as %+v", end)
	}
}

func TestACancelEndsAChecksRun(t *testing.T) {
	s, _ := checking(t, `true`, checks(t, [4]string{"slow", "pre_plan", "advisory", `echo waits >> "$HOME/x"; exec sleep 100`})...)
	s.give(run.PlanJob, nil)
	s.hears("Initializing")
	s.mu.Lock()
	s.order["job-1"] = run.CancelOrder
	s.mu.Unlock()
	if end := s.ended(); end.Outcome != run.Interrupted || len(end.Checks) != 0 {
		t.Errorf("it ended as %+v: %s", end, s.said())
	}
}

// TestACheckWhoseSupervisorIsKilled has said nothing: it never passes, its program is ended with it,
// and the run goes on or does not as with every check that could not be made.
func TestACheckWhoseSupervisorIsKilled(t *testing.T) {
	for enforcement, outcome := range map[string]run.Outcome{"advisory": run.Succeeded, "mandatory": run.Failed} {
		t.Run(enforcement, func(t *testing.T) {
			list := checks(t, [4]string{"slow", "pre_plan", enforcement, `echo $$ > "$HOME/pid"; while :; do sleep 0.05; done`})
			s, work := checking(t, `true`, list...)
			s.give(run.PlanJob, nil)
			var kept struct{ PID int }
			s.awaits("the check", func() bool {
				raw, _ := filepath.Glob(filepath.Join(work, jobsFolder, "*", checksFolder, "*", checkHome, "pid"))
				found, _ := filepath.Glob(filepath.Join(work, jobsFolder, "*", "steps", "check-*", "started"))
				if len(raw) == 0 || len(found) == 0 {
					return false
				}
				text, err := os.ReadFile(found[0])
				return err == nil && json.Unmarshal(text, &kept) == nil && kept.PID > 0
			})
			if err := syscall.Kill(kept.PID, syscall.SIGKILL); err != nil {
				t.Fatal(err)
			}
			end := s.ended()
			if c := found(t, end.Checks, "slow"); end.Outcome != outcome || c.Status != run.CheckErrored || c.Reason != "its supervisor was killed" {
				t.Errorf("it ended as %+v: %s", end, s.said())
			}
			s.awaits("the end of the check's program, which has no supervisor", func() bool {
				lines, _ := filepath.Glob("/proc/[0-9]*/cmdline")
				return !slices.ContainsFunc(lines, func(line string) bool {
					words, _ := os.ReadFile(line) // it may be gone
					return strings.Contains(string(words), list[0].Command[0])
				})
			})
		})
	}
}

// TestACheckIsTakenUp ends the runner in the middle of a check, and after it: it is made once, and
// what it came to is known.
func TestACheckIsTakenUp(t *testing.T) {
	for name, script := range map[string]string{"in the check": "echo $$ >> runs; sleep 1; wc -l < runs", "after it": "echo $$ >> runs; wc -l < runs"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newFakeServer(t)
			s.files[run.ConfigurationFile] = archive(t, map[string]string{"main.tf": `[ $step = plan ] && { echo engine; while [ ! -e ../home/go ]; do sleep 0.05; done; }; true`})
			work, engines, list := t.TempDir(), fakeEngine(t), checks(t, [4]string{"once", "pre_plan", "mandatory", script})
			with := func(c *Config) { c.Checks = list }
			stop := s.starts(work, engines, with)
			s.give(run.PlanJob, nil)
			if name == "in the check" {
				s.awaits("the check", func() bool {
					found, _ := filepath.Glob(filepath.Join(work, jobsFolder, "*", checksFolder, "*", checkHome, "runs"))
					return len(found) > 0
				})
			} else {
				s.hears("engine")
			}
			stop()
			if name == "in the check" {
				time.Sleep(1500 * time.Millisecond) // it ends while nobody looks
			}
			s.starts(work, engines, with)
			s.hears("engine")
			letGo(t, work)
			end := s.ended()
			if end.Outcome != run.Succeeded || strings.TrimSpace(found(t, end.Checks, "once").Output) != "1" || strings.Count(s.said(), "check once has passed") != 1 {
				t.Errorf("it ended as %+v: %s", end, s.said())
			}
		})
	}
}

func TestChecksThatCantBeAsked(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct{ file, want string }{
		"no JSON":             {`checks:`, "invalid character"},
		"a word too much":     {`{"checks":[{"name":"a","stages":"pre_plan"}]}`, "unknown field"},
		"no name":             {`{"checks":[{"stage":"pre_plan","enforcement":"advisory","command":["/bin/true"]}]}`, "a name is of"},
		"no stage":            {`{"checks":[{"name":"a","stage":"post_apply","enforcement":"advisory","command":["/bin/true"]}]}`, "stage is"},
		"no enforcement":      {`{"checks":[{"name":"a","stage":"pre_plan","enforcement":"soft","command":["/bin/true"]}]}`, "enforcement is"},
		"nothing to do":       {`{"checks":[{"name":"a","stage":"pre_plan","enforcement":"advisory"}]}`, "either a command or policies"},
		"a path from nowhere": {`{"checks":[{"name":"a","stage":"pre_plan","enforcement":"advisory","command":["true"]}]}`, "absolute path"},
		"a program not there": {`{"checks":[{"name":"a","stage":"pre_plan","enforcement":"advisory","command":["/nowhere/true"]}]}`, "no such file"},
		"no program":          {`{"checks":[{"name":"a","stage":"pre_plan","enforcement":"advisory","command":["/etc/passwd"]}]}`, "can't be executed"},
		"no time":             {`{"checks":[{"name":"a","stage":"pre_plan","enforcement":"advisory","command":["/bin/true"],"timeout":"0s"}]}`, "timeout is"},
		"policies of no plan": {`{"checks":[{"name":"a","stage":"pre_plan","enforcement":"advisory","policies":"/etc","opa":"/bin/true"}]}`, "before it there is none"},
		"two of a name":       {`{"checks":[{"name":"a","stage":"pre_plan","enforcement":"advisory","command":["/bin/true"]},{"name":"a","stage":"pre_plan","enforcement":"mandatory","command":["/bin/true"]}]}`, "two of that name"},
	} {
		if _, err := ParseChecks([]byte(test.file)); err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: %v, want %q", name, err, test.want)
		}
	}
}

// TestChecksAsThePageHasThem makes the checks of docs/runners.md of a plan that deletes nothing, and of
// one that does. BELAY_OPA names the program for the policies.
func TestChecksAsThePageHasThem(t *testing.T) {
	t.Parallel()
	page, err := os.ReadFile("../../docs/runners.md")
	if err != nil {
		t.Fatal(err)
	}
	_, section, _ := strings.Cut(string(page), "\n## Checks\n")
	block := func(language string) string {
		_, text, found := strings.Cut(section, "```"+language+"\n")
		if !found {
			t.Fatalf("the page has no block of %s", language)
		}
		text, _, _ = strings.Cut(text, "```")
		return text
	}
	folder, opa := t.TempDir(), os.Getenv("BELAY_OPA")
	if err := os.Mkdir(filepath.Join(folder, "policies"), 0o700); err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{"no-deletes": block("sh"), "policies/belay.rego": block("rego")} {
		if err := os.WriteFile(filepath.Join(folder, name), []byte(text), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	file := strings.ReplaceAll(block("json"), "/etc/belay", folder)
	if opa == "" {
		opa = "/bin/true" // the policies are not evaluated, and pass
	}
	list, err := ParseChecks([]byte(strings.Replace(file, `"policies"`, `"opa": "`+opa+`", "policies"`, 1)))
	if err != nil {
		t.Fatal(err)
	}
	for action, want := range map[string]run.CheckStatus{"create": run.CheckPassed, "delete": run.CheckFailed} {
		t.Run(action, func(t *testing.T) {
			for i := range list {
				list[i].Stage = run.PreApply // whose plan comes from the server
			}
			s, _ := checking(t, `[ $step = apply ] && { `+stateOf+` 1 > "$state"; }; true`, list...)
			s.files[run.PlanJSONFile] = []byte(`{"resource_changes":[{"address":"terraform_data.one","change":{"actions":["create","` + action + `"]}}]}`)
			s.give(run.ApplyJob, nil)
			end := s.ended()
			if c := found(t, end.Checks, "no-deletes"); c.Status != want {
				t.Errorf("the program came to %+v", c)
			}
			c := found(t, end.Checks, "house-rules")
			if os.Getenv("BELAY_OPA") == "" {
				t.Skip("BELAY_OPA names no opa")
			}
			if c.Status != want || want == run.CheckFailed && !strings.Contains(c.Output, "terraform_data.one must stay") {
				t.Errorf("the policies came to %+v", c)
			}
		})
	}
}
