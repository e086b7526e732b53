package isolate

import (
	"bytes"
	"os"
	"path/filepath"
	"syscall"
	"testing"
	"time"
)

// TestMain lets the test binary be the attacker.
func TestMain(m *testing.M) {
	if len(os.Args) == 10 && os.Args[1] == "attack" {
		syscall.Exit(attack(os.Args[2:]))
	}
	os.Exit(m.Run())
}

// shell is a step that runs a script in a folder of its own.
func shell(t *testing.T, script string) (folder string, s Step) {
	t.Helper()
	folder = t.TempDir()
	home := filepath.Join(folder, "home")
	if err := os.Mkdir(home, 0o700); err != nil {
		t.Fatal(err)
	}
	return filepath.Join(folder, "step"), Step{
		Program: "/bin/sh", Args: []string{"-c", script}, Dir: home, Env: []string{"PATH=/usr/bin:/bin"},
		Output: filepath.Join(folder, "out"), Read: SystemFiles(), Write: []string{home}, Home: home,
		Walls: Walls{Landlock: Probe().Landlock > 0}, Limits: Limits{Grace: time.Second},
	}
}

func begun(t *testing.T, folder string, s Step) *Running {
	t.Helper()
	r, err := Start(folder, s)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		r.Kill()
		select { // what it still writes stands in the folder that goes next
		case <-r.Done():
		case <-time.After(5 * time.Minute):
		}
	})
	return r
}

// hears waits until the step has said something.
func hears(t *testing.T, s Step, word string) {
	t.Helper()
	for deadline := time.Now().Add(5 * time.Minute); time.Now().Before(deadline); time.Sleep(5 * time.Millisecond) {
		if out, err := os.ReadFile(s.Output); err == nil && bytes.Contains(out, []byte(word)) {
			return
		}
	}
	out, _ := os.ReadFile(s.Output)
	t.Fatalf("the step never said %q, but %q", word, out)
}
