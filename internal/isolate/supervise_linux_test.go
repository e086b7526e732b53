package isolate

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

func TestStepEnds(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		script string
		want   Result
	}{
		"well":        {"echo hello", Result{}},
		"badly":       {"exit 3", Result{Code: 3}},
		"by a signal": {"kill -9 $$", Result{Code: 137, Signal: 9}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			folder, s := shell(t, test.script)
			if got := begun(t, folder, s).Result(); got != test.want {
				t.Errorf("it ended as %+v, want %+v", got, test.want)
			}
		})
	}
}

func TestStandardOutputGoesWhereItIsTold(t *testing.T) {
	t.Parallel()
	folder, s := shell(t, "echo out; echo err >&2")
	s.Stdout = filepath.Join(filepath.Dir(s.Output), "stdout")
	begun(t, folder, s).Result()
	out, _ := os.ReadFile(s.Stdout)
	both, _ := os.ReadFile(s.Output)
	if string(out) != "out\n" || string(both) != "err\n" {
		t.Errorf("standard output %q, the rest %q", out, both)
	}
}

func TestEnvironmentIsMadeFromNothing(t *testing.T) {
	t.Setenv("BELAY_ENCRYPTION_KEY", "a secret of the server")
	folder, s := shell(t, "env")
	begun(t, folder, s).Result()
	out, _ := os.ReadFile(s.Output)
	if !strings.Contains(string(out), "PATH=/usr/bin:/bin") || strings.Contains(string(out), "secret") {
		t.Errorf("the environment is %q", out)
	}
}

func TestInterruptReachesTheProgramAlone(t *testing.T) {
	t.Parallel()
	folder, s := shell(t, `trap 'echo told; exit 7' INT
		(trap 'echo child told' INT; i=0; while [ $i -lt 600 ]; do sleep 0.1; i=$((i+1)); done) &
		echo ready; while :; do sleep 0.05; done`)
	r := begun(t, folder, s)
	hears(t, s, "ready")
	r.Interrupt()
	if got := r.Result(); got.Code != 7 {
		t.Errorf("it ended as %+v", got)
	}
	if out, _ := os.ReadFile(s.Output); strings.Contains(string(out), "child told") {
		t.Error("its child was interrupted, too")
	}
}

func TestNothingOutlivesAStep(t *testing.T) {
	t.Parallel()
	for name, script := range map[string]string{
		"a child":              `sleep 300 & echo $!`,
		"a session of its own": `setsid sh -c 'echo $$; exec sleep 300' & sleep 0.3`,
		"a double fork":        `(setsid sh -c 'echo $$; exec sleep 300' &) ; sleep 0.3`,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			folder, s := shell(t, script)
			begun(t, folder, s).Result()
			out, _ := os.ReadFile(s.Output)
			pid, err := strconv.Atoi(strings.TrimSpace(string(out)))
			if err != nil {
				t.Fatalf("it said %q", out)
			}
			if err := syscall.Kill(pid, 0); !errors.Is(err, syscall.ESRCH) {
				t.Errorf("process %d is still there: %v", pid, err)
			}
		})
	}
}

func TestKillEndsEverything(t *testing.T) {
	t.Parallel()
	folder, s := shell(t, `trap '' INT TERM; echo ready; while :; do sleep 0.05; done`)
	r := begun(t, folder, s)
	hears(t, s, "ready")
	r.Interrupt()
	r.Kill()
	if got := r.Result(); got.Signal != 9 || got.Reason != Killed {
		t.Errorf("it ended as %+v", got)
	}
}

func TestLimitsEndAStep(t *testing.T) {
	t.Parallel()
	alive := filepath.Join(t.TempDir(), "alive")
	for name, test := range map[string]struct {
		script string
		limits Limits
		want   Reason
	}{
		"time":                  {"sleep 300", Limits{Time: 50 * time.Millisecond, Grace: time.Second}, OverTime},
		"time, and it is deaf":  {"trap '' INT; while :; do sleep 0.1; done", Limits{Time: 50 * time.Millisecond, Grace: 100 * time.Millisecond}, OverTime},
		"memory":                {"x=$(head -c 100000000 /dev/zero | tr '\\0' x); sleep 300", Limits{Memory: 30 << 20, Grace: time.Second}, OverMemory},
		"a runner that is gone": {"sleep 300", Limits{Orphan: time.Millisecond, Alive: alive, Grace: time.Second}, Orphaned},
		"another's step":        {"trap '' INT; sleep 300", Limits{Starter: os.Getppid(), Grace: time.Second}, Orphaned},
		"one that is done":      {"sleep 1.5", Limits{Starter: os.Getpid()}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			folder, s := shell(t, test.script)
			s.Limits = test.limits
			if got := begun(t, folder, s).Result(); got.Reason != test.want {
				t.Errorf("it ended as %+v, want %s", got, test.want)
			}
		})
	}
}

func TestTakenUp(t *testing.T) {
	t.Parallel()
	folder, s := shell(t, "echo ready; while [ ! -e go ]; do sleep 0.02; done; exit 5")
	begun(t, folder, s)
	hears(t, s, "ready")
	again, err := TakeUp(folder)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(s.Home, "go"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if got := again.Result(); got.Code != 5 {
		t.Errorf("it ended as %+v", got)
	}
	afterwards, err := TakeUp(folder)
	if err != nil {
		t.Fatal(err)
	}
	if got := afterwards.Result(); got.Code != 5 {
		t.Errorf("found again after its end it is %+v", got)
	}
	if _, err := TakeUp(t.TempDir()); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("a step that never began: %v", err)
	}
}

func TestSupervisorKilled(t *testing.T) {
	t.Parallel()
	folder, s := shell(t, "echo $$; while :; do sleep 0.05; done")
	r := begun(t, folder, s)
	hears(t, s, "\n")
	out, _ := os.ReadFile(s.Output)
	pid, _ := strconv.Atoi(strings.TrimSpace(string(out)))
	r.signal(syscall.SIGKILL)
	if got := r.Result(); got.Reason != Vanished {
		t.Errorf("it ended as %+v", got)
	}
	for range 6000 {
		if p, err := readProcess(pid); err != nil || p.session != r.who.PID {
			return
		}
		time.Sleep(10 * time.Millisecond)
	}
	t.Errorf("process %d outlived its supervisor", pid)
}

func TestWhatCannotStartSaysWhy(t *testing.T) {
	t.Parallel()
	folder, s := shell(t, "")
	s.Program = "/nowhere/tofu"
	if _, err := Start(folder, s); err == nil || !strings.Contains(err.Error(), "/nowhere/tofu") {
		t.Errorf("a program that is not there: %v", err)
	}
}

func TestSecretsOfASpecificationAreInNoFile(t *testing.T) {
	t.Parallel()
	folder, s := shell(t, "echo ready; sleep 300")
	s.Env = append(s.Env, "SECRET=hunter2hunter2")
	begun(t, folder, s)
	hears(t, s, "ready")
	entries, err := os.ReadDir(folder)
	if err != nil {
		t.Fatal(err)
	}
	for _, entry := range entries {
		if raw, _ := os.ReadFile(filepath.Join(folder, entry.Name())); strings.Contains(string(raw), "hunter2") {
			t.Errorf("%s holds it", entry.Name())
		}
	}
}

func TestNamespacesShowOneFixedPath(t *testing.T) {
	t.Parallel()
	if !Probe().Namespaces {
		if os.Getenv("CI") != "" {
			t.Fatal("CI has no namespaces")
		}
		t.Skip("namespaces are not allowed here")
	}
	folder, s := shell(t, "pwd; ls /run; ls /proc | grep -c '^[0-9]'; echo made > it")
	s.Dir, s.Walls.Namespaces, s.Write = Fixed, true, append(s.Write, Fixed)
	if got := begun(t, folder, s).Result(); got.Code != 0 {
		t.Errorf("it ended as %+v", got)
	}
	out, _ := os.ReadFile(s.Output)
	lines := strings.Split(string(out), "\n")
	if lines[0] != Fixed || strings.Contains(string(out), "docker") {
		t.Errorf("it saw %q", out)
	}
	if _, err := os.Stat(filepath.Join(s.Home, "it")); err != nil {
		t.Error(err)
	}
	if _, err := os.Stat(Fixed); err == nil {
		t.Error("the fixed path is on the machine, too")
	}
}

func TestLevels(t *testing.T) {
	t.Parallel()
	all, some, nothing := Abilities{Landlock: 7, Namespaces: true}, Abilities{Landlock: 1}, Abilities{}
	for _, test := range []struct {
		level Level
		can   Abilities
		want  string
		ok    bool
	}{
		{Auto, all, "strict", true}, {Auto, some, "landlock", true}, {Auto, nothing, "none", false},
		{Strict, all, "strict", true}, {Strict, some, "none", false}, {Strict, nothing, "none", false},
		{None, all, "none", true}, {None, nothing, "none", true}, {"some", all, "none", false},
	} {
		walls, err := test.level.Walls(test.can)
		if walls.String() != test.want || (err == nil) != test.ok {
			t.Errorf("%s with %+v is %s, %v", test.level, test.can, walls, err)
		}
	}
}

// TestSupervisorHoldsNothingInherited: a pipe that the runner was started with ends with
// the runner, and not with the step.
func TestSupervisorHoldsNothingInherited(t *testing.T) {
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = r.Close() }()
	inherited, err := syscall.Dup(int(w.Fd())) // without close-on-exec
	if err != nil {
		t.Fatal(err)
	}
	folder, s := shell(t, "echo ready; sleep 300")
	begun(t, folder, s)
	hears(t, s, "ready")
	_ = syscall.Close(inherited)
	_ = w.Close()
	_ = r.SetReadDeadline(time.Now().Add(5 * time.Minute))
	if _, err := r.Read(make([]byte, 1)); !errors.Is(err, io.EOF) {
		t.Errorf("somebody still holds it: %v", err)
	}
}
