package moving_test

import (
	"context"
	"fmt"
	"math/rand"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/belayhq/belay/internal/cli"
	"github.com/belayhq/belay/internal/storetest"
)

// TestMain lets the tests be the program, too: one that can be killed, and that a shell runs.
func TestMain(m *testing.M) {
	if os.Getenv("BELAY_TEST_IS_PROGRAM") != "" {
		os.Exit(cli.Run(context.Background(), os.Args[1:], os.Getenv, os.Stdout, os.Stderr))
	}
	os.Exit(m.Run())
}

// program is a folder with the program in it.
func program(t *testing.T) string {
	t.Helper()
	tests, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	folder := t.TempDir()
	script := "#!/bin/sh\nBELAY_TEST_IS_PROGRAM=1 exec '" + tests + "' \"$@\"\n"
	if err := os.WriteFile(filepath.Join(folder, "belay"), []byte(script), 0o700); err != nil {
		t.Fatal(err)
	}
	return folder
}

// many gives an organization n workspaces, each with states and some of what hangs on one.
func (h *house) many(n, states int) {
	h.t.Helper()
	numbers := make(chan int)
	var done sync.WaitGroup
	for range 8 {
		done.Go(func() {
			for i := range numbers {
				ws := h.do("POST", "organizations/acme/workspaces", thing("workspaces", object{
					"name": fmt.Sprintf("w-%04d", i), "description": "one of many", "auto-apply": i%2 == 0, "global-remote-state": i%3 > 0,
				}, object{"tags": object{"data": []object{{"type": "tags", "attributes": object{"name": fmt.Sprintf("t%d", i%7)}}}}}))
				h.do("POST", "workspaces/"+ws+"/vars", thing("vars", object{"key": "n", "value": strconv.Itoa(i), "category": "terraform"}))
				for serial := range states {
					h.state(ws, serial+1, fmt.Sprintf("line-%d", i), false)
				}
			}
		})
	}
	for i := range n {
		numbers <- i
	}
	close(numbers)
	done.Wait()
}

// TestTwoThousandWorkspaces moves 2,000 workspaces with 20,000 states and all else: once in
// one go, whose rate and memory it tells, and once over an unreliable way with the program
// killed ten times. Nothing is lost, and nothing is there twice.
func TestTwoThousandWorkspaces(t *testing.T) {
	storetest.NeedsSlow(t)
	workspaces, states := storetest.Number("BELAY_IMPORT_WORKSPACES", 2000), 10
	binary, from := filepath.Join(program(t), "belay"), serve(t, "sqlite")
	from.fill("acme")
	from.many(workspaces, states)
	file := secrets(t, "acme")
	args := func(from, to string) []string {
		return []string{"import", "--from", from, "--from-token", adminToken, "--to", to, "--token", adminToken, "--secrets", file, "-o", "json"}
	}
	t.Run("in one go", func(t *testing.T) {
		to, start, before := serve(t, "sqlite"), time.Now(), processor(t)
		command := exec.Command(binary, append(args(from.URL, to.URL), "--journal", filepath.Join(t.TempDir(), "journal"))...)
		said := &written{}
		command.Stdout, command.Stderr = said, said
		if err := command.Start(); err != nil {
			t.Fatal(err)
		}
		most := mostResident(command.Process.Pid)
		if err := command.Wait(); err != nil {
			t.Fatalf("%v %s", err, said)
		}
		seconds, servers := time.Since(start).Seconds(), processor(t)-before
		own := command.ProcessState.UserTime() + command.ProcessState.SystemTime()
		t.Logf("processor time: %.1f ms of the import and %.1f ms of both servers for a workspace",
			own.Seconds()*1000/float64(workspaces), servers.Seconds()*1000/float64(workspaces))
		t.Logf("%d workspaces with %d states in %.1f s: %.1f workspaces a second; %d KiB at most", workspaces, workspaces*states, seconds, float64(workspaces)/seconds, most())
		if most() > 128<<10 {
			t.Errorf("%d KiB at most", most())
		}
		same(t, from, to, file)
	})
	t.Run("killed", func(t *testing.T) {
		to, journal := serve(t, "sqlite"), filepath.Join(t.TempDir(), "journal")
		u := &unreliable{chance: rand.New(rand.NewSource(1)), share: 60}
		whole := append(args(u.before(from.URL), u.before(to.URL)), "--journal", journal)
		kills := 0
		for try := 0; try < 40; try++ {
			command := exec.Command(binary, whole...)
			said := &written{}
			command.Stderr = said
			if err := command.Start(); err != nil {
				t.Fatal(err)
			}
			if kills < 10 {
				time.Sleep(time.Duration(200+u.chance.Intn(1+workspaces)) * time.Millisecond)
				_ = command.Process.Kill()
			}
			err := command.Wait()
			if err == nil {
				break
			}
			if kills++; !strings.Contains(err.Error(), "killed") {
				t.Logf("it ended by itself: %v %s", err, lastLine(said.String()))
			}
		}
		t.Logf("%d kills, %d faults", kills, u.failed.Load())
		if kills < 10 {
			t.Errorf("it was killed %d times only", kills)
		}
		same(t, from, to, file)
	})
}

// mostResident watches how much memory a process ever had, as long as it is there. What the
// system tells of one that has ended counts that of its parent before it began.
func mostResident(pid int) func() int {
	var most atomic.Int64
	go func() {
		for {
			raw, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
			_, rest, told := strings.Cut(string(raw), "VmHWM:")
			if err != nil || !told {
				return
			}
			if n, err := strconv.ParseInt(strings.Fields(rest)[0], 10, 64); err == nil {
				most.Store(n)
			}
			time.Sleep(100 * time.Millisecond)
		}
	}()
	return func() int { return int(most.Load()) }
}

// processor is the processor time that this process has had, with the servers in it.
func processor(t *testing.T) time.Duration {
	t.Helper()
	var used syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &used); err != nil {
		t.Fatal(err)
	}
	return time.Duration(used.Utime.Nano() + used.Stime.Nano())
}

func lastLine(text string) string {
	text = strings.TrimSpace(text)
	return text[strings.LastIndex(text, "\n")+1:]
}

// same demands that verify finds nothing, and that one more import changes nothing.
func same(t *testing.T, from, to *house, file string) {
	t.Helper()
	if r, status := bring(t, from.URL, to.URL, "verify"); status != 0 {
		t.Errorf("verify: %+v", r.Differences)
	} else {
		t.Logf("verified: %d workspaces, %d states", r.Counts["workspaces"].Target, r.Counts["state-versions"].Target)
	}
	if r, status := bring(t, from.URL, to.URL, "--secrets", file); status != 0 || r.touched() != 0 {
		t.Errorf("once more: %d %+v", status, r)
	}
}
