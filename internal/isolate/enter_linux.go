package isolate

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"runtime"
	"strconv"
	"syscall"

	"golang.org/x/sys/unix"
)

// enterArgument makes the binary the process that shuts itself in and becomes the step.
const enterArgument = "--enter"

// What the entering process finds open.
const (
	enterSpec = 3 // the step, to read
	enterSay  = 4 // why it could not; nothing is said where the step began
)

// launch starts the process that becomes the step, and waits until it did. It is one of
// its own from before the walls are up: a thread of the supervisor behind the same walls
// could be traced by the step, and with it the supervisor, which is behind none.
func launch(s *Step) (pid int, err error) {
	files, err := outputs(s)
	defer func() {
		for _, f := range files {
			_ = f.Close()
		}
	}()
	if err != nil {
		return 0, err
	}
	spec, tell, err := os.Pipe()
	if err != nil {
		return 0, err
	}
	defer func() { _ = tell.Close() }()
	said, say, err := os.Pipe()
	if err != nil {
		_ = spec.Close()
		return 0, err
	}
	defer func() { _ = said.Close() }()
	pid, err = syscall.ForkExec("/proc/self/exe", []string{"belay", Command, enterArgument}, &syscall.ProcAttr{ //nolint:gosec // it is this program
		Dir: "/", Env: []string{}, Files: []uintptr{files[0].Fd(), files[1].Fd(), files[2].Fd(), spec.Fd(), say.Fd()},
	})
	_, _ = spec.Close(), say.Close()
	if err != nil {
		return 0, fmt.Errorf("start the process of the step: %w", err)
	}
	if err := json.NewEncoder(tell).Encode(s); err != nil {
		return 0, fmt.Errorf("tell the process of the step: %w", err)
	}
	why, err := io.ReadAll(io.LimitReader(said, 4096))
	if err == nil && len(why) > 0 {
		err = errors.New(string(why))
	}
	if err != nil {
		return 0, err
	}
	// The kernel shall prefer this to the runner when memory is short.
	_ = os.WriteFile("/proc/"+strconv.Itoa(pid)+"/oom_score_adj", []byte("300"), 0)
	return pid, nil
}

// outputs are the three files that a step begins with.
func outputs(s *Step) (files []*os.File, err error) {
	in, err := os.Open(cmp.Or(s.Stdin, os.DevNull))
	if err != nil {
		return nil, err
	}
	errOut, err := appendTo(s.Output)
	if err != nil {
		return []*os.File{in}, err
	}
	if s.Stdout == "" {
		return []*os.File{in, errOut, errOut}, nil
	}
	out, err := appendTo(s.Stdout)
	if err != nil {
		return []*os.File{in, errOut}, err
	}
	return []*os.File{in, out, errOut}, nil
}

// enter is the whole life of the process that becomes the step.
func enter() int {
	say := os.NewFile(enterSay, "supervisor")
	syscall.CloseOnExec(enterSpec)
	syscall.CloseOnExec(enterSay)
	var s Step
	err := json.NewDecoder(os.NewFile(enterSpec, "step")).Decode(&s)
	if err == nil {
		err = become(&s)
	}
	_, _ = io.WriteString(say, err.Error())
	return 1
}

// become never comes back but with why it could not.
func become(s *Step) error {
	runtime.LockOSThread() // the walls are a thread's, and what it executes is the process
	if err := os.Chdir(s.Dir); err != nil {
		return err
	}
	if err := dropPrivileges(); err != nil {
		return err
	}
	if s.Walls.Landlock {
		if err := restrict(s); err != nil {
			return err
		}
	}
	err := unix.Exec(s.Program, append([]string{s.Program}, s.Args...), s.Env)
	return &os.PathError{Op: "execute", Path: s.Program, Err: err}
}
