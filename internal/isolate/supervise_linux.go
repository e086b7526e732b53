package isolate

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// startedWord is what a supervisor says once its step runs; anything else is why not.
const startedWord = "started"

// watchEvery is how often a supervisor looks at the memory and the runner.
const watchEvery = time.Second

// init has the program be a supervisor when Command is its first argument: before the other packages are made ready, none of
// which a supervisor needs, and which would cost each step more than itself (decision 0785). It leaves at once, too: under
// the race detector os.Exit takes a second.
func init() { //nolint:gochecknoinits // whatever is called comes after all of that
	if len(os.Args) == 3 && os.Args[1] == Command {
		syscall.Exit(supervise(os.Args[2]))
	}
}

// supervise is the life of a supervisor, up to its exit status, which is not that of the step.
func supervise(folder string) int {
	switch folder {
	case probeArgument:
		return 0
	case enterArgument:
		return enter()
	}
	say := os.NewFile(3, "runner")
	if say == nil {
		return 2
	}
	dropInherited()
	signals := make(chan os.Signal, 16)
	signal.Ignore(syscall.SIGHUP, syscall.SIGPIPE)
	signal.Notify(signals, syscall.SIGINT, syscall.SIGTERM)
	var s Step
	if err := json.NewDecoder(os.Stdin).Decode(&s); err != nil {
		_, _ = io.WriteString(say, "no step was told: "+err.Error())
		return 1
	}
	pid, err := begin(&s, folder)
	if err != nil {
		_, _ = io.WriteString(say, err.Error())
		return 1
	}
	_, _ = io.WriteString(say, startedWord) // a runner that died meanwhile does not matter
	_ = say.Close()
	result := (&watch{step: &s, pid: pid, signals: signals}).until(reaped(pid))
	killRest()
	if err := WriteJSON(filepath.Join(folder, exitFile), result); err != nil {
		fmt.Fprintln(os.Stderr, "write how the step ended:", err)
		return 1
	}
	return 0
}

// dropInherited closes what whatever started the runner left open for its children: the
// step must not have it, and a supervisor that outlives everybody must not hold it. What
// the language's own runtime has opened stays, and goes no further.
func dropInherited() {
	entries, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		return
	}
	for _, entry := range entries {
		fd, err := strconv.Atoi(entry.Name())
		if err != nil || fd < 3 {
			continue
		}
		syscall.CloseOnExec(fd)
		path, err := os.Readlink("/proc/self/fd/" + entry.Name())
		if fd > 3 && err == nil && !strings.HasPrefix(path, "anon_inode:") && !strings.HasPrefix(path, "/proc/") && !strings.HasPrefix(path, "/sys/fs/cgroup") {
			_ = syscall.Close(fd)
		}
	}
}

// begin makes what the step finds around it, and starts it.
func begin(s *Step, folder string) (int, error) {
	syscall.Umask(0o077)
	if err := unix.Prctl(unix.PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0); err != nil {
		return 0, fmt.Errorf("become the parent of orphans: %w", err)
	}
	if s.Walls.Namespaces {
		if err := arrange(s, folder); err != nil {
			return 0, err
		}
	}
	if err := limit(s.Limits); err != nil {
		return 0, err
	}
	return launch(s)
}

func appendTo(path string) (*os.File, error) {
	return os.OpenFile(path, os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o600)
}

func limit(l Limits) error {
	set := func(resource int, n uint64) error {
		var now unix.Rlimit
		if err := unix.Getrlimit(resource, &now); err != nil {
			return err
		}
		n = min(n, now.Max)
		return unix.Setrlimit(resource, &unix.Rlimit{Cur: n, Max: n})
	}
	problems := []error{set(unix.RLIMIT_CORE, 0)}
	if l.FileSize > 0 {
		problems = append(problems, set(unix.RLIMIT_FSIZE, uint64(l.FileSize)))
	}
	if l.Files > 0 {
		problems = append(problems, set(unix.RLIMIT_NOFILE, l.Files))
	}
	if err := errors.Join(problems...); err != nil {
		return fmt.Errorf("set the limits: %w", err)
	}
	return nil
}

// reaped waits for every process that ends, the orphans too, and tells how the step did.
func reaped(pid int) <-chan syscall.WaitStatus {
	ended := make(chan syscall.WaitStatus, 1)
	go func() {
		for {
			var status syscall.WaitStatus
			got, err := syscall.Wait4(-1, &status, 0, nil)
			switch {
			case errors.Is(err, syscall.EINTR):
			case err != nil:
				close(ended) // cannot be: the step is ours to wait for
				return
			case got == pid:
				ended <- status
				return
			}
		}
	}()
	return ended
}

// watch is the life of a step under its supervisor.
type watch struct {
	step    *Step
	pid     int
	signals <-chan os.Signal
	reason  Reason
	killAt  <-chan time.Time
}

func (w *watch) until(ended <-chan syscall.WaitStatus) Result {
	var timeout <-chan time.Time
	if w.step.Limits.Time > 0 {
		timeout = time.After(w.step.Limits.Time)
	}
	tick := time.NewTicker(watchEvery)
	defer tick.Stop()
	for {
		select {
		case status := <-ended:
			return result(status, w.reason)
		case s := <-w.signals:
			if s == syscall.SIGTERM {
				w.kill(Killed)
			} else {
				_ = syscall.Kill(w.pid, syscall.SIGINT)
			}
		case <-timeout:
			w.end(OverTime)
		case <-w.killAt:
			w.kill(w.reason)
		case <-tick.C:
			w.look()
		}
	}
}

// look ends a step whose memory is more than it may take, or whose runner is gone.
func (w *watch) look() {
	l := w.step.Limits
	if l.Memory > 0 {
		switch used := memory(os.Getpid()); {
		case used > l.Memory+l.Memory/5:
			w.kill(OverMemory)
		case used > l.Memory:
			w.end(OverMemory)
		}
	}
	if l.Starter > 0 && os.Getppid() != l.Starter {
		w.kill(Orphaned)
	}
	if l.Orphan > 0 && w.reason == "" {
		if touched, err := os.Stat(l.Alive); err != nil || time.Since(touched.ModTime()) > l.Orphan {
			w.end(Orphaned)
		}
	}
}

// end interrupts the step, and lets it be killed when it does not obey.
func (w *watch) end(why Reason) {
	if w.reason != "" {
		return
	}
	w.reason = why
	_ = syscall.Kill(w.pid, syscall.SIGINT)
	w.killAt = time.After(w.step.Limits.Grace)
}

func (w *watch) kill(why Reason) {
	if w.reason == "" {
		w.reason = why
	}
	for _, p := range descendants(os.Getpid()) {
		_ = syscall.Kill(p.pid, syscall.SIGKILL)
	}
}

func memory(of int) int64 {
	var pages int64
	for _, p := range descendants(of) {
		pages += p.pages
	}
	return pages * int64(os.Getpagesize())
}

func result(status syscall.WaitStatus, why Reason) Result {
	if status.Signaled() {
		return Result{Code: 128 + int(status.Signal()), Signal: int(status.Signal()), Reason: why}
	}
	return Result{Code: status.ExitStatus(), Reason: why}
}

// killRest kills what a step left behind; whatever lost its parent is the supervisor's
// child by now, also when it made a session of its own.
func killRest() {
	for {
		for _, p := range descendants(os.Getpid()) {
			_ = syscall.Kill(p.pid, syscall.SIGKILL)
		}
		_, err := syscall.Wait4(-1, nil, syscall.WNOHANG, nil)
		switch {
		case errors.Is(err, syscall.ECHILD):
			return
		case err == nil:
			time.Sleep(time.Millisecond)
		}
	}
}
