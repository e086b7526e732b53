package isolate

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// The files of a step in its folder, which the step itself never sees.
const (
	startedFile = "started"
	exitFile    = "exit"
	noiseFile   = "supervisor.log" // what a supervisor says that dies of itself
)

// startWithin is how long a supervisor may take to start its step.
const startWithin = time.Minute

// Running is a step under its supervisor, which may be of an earlier life of the runner.
type Running struct {
	folder string
	who    started
	done   chan struct{}
	result Result
	once   sync.Once
}

// Start starts a step. The folder is the step's own, and new: what it is taken up from.
func Start(folder string, s Step) (*Running, error) {
	if err := os.MkdirAll(folder, 0o700); err != nil {
		return nil, err
	}
	noise, err := os.OpenFile(filepath.Join(folder, noiseFile), os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o600)
	if err != nil {
		return nil, err
	}
	defer func() { _ = noise.Close() }()
	said, say, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	defer func() { _ = said.Close() }()
	// Not the file's name: a newer binary may lie there by now.
	cmd := exec.Command("/proc/self/exe", Command, folder) //nolint:gosec,noctx // it is this program, and lives on when nobody asks
	cmd.Args[0], cmd.Env, cmd.Dir = "belay", []string{}, "/"
	cmd.Stdout, cmd.Stderr, cmd.ExtraFiles = noise, noise, []*os.File{say}
	cmd.SysProcAttr = attributes(s.Walls)
	spec, err := cmd.StdinPipe()
	if err != nil {
		_ = say.Close()
		return nil, err
	}
	err = cmd.Start()
	_ = say.Close()
	if err != nil {
		return nil, fmt.Errorf("start the supervisor: %w", err)
	}
	r := &Running{folder: folder, done: make(chan struct{})}
	if err := r.begin(cmd, spec, said, s); err != nil {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
		r.ended() // it may have started its program
		return nil, err
	}
	go func() {
		_ = cmd.Wait() // how it ended is in the file
		r.ended()
	}()
	return r, nil
}

// begin writes down who the supervisor is before it is told what to do: nothing runs that
// could not be found again. The specification, which has secrets, is in no file.
func (r *Running) begin(cmd *exec.Cmd, spec io.WriteCloser, said *os.File, s Step) error {
	var err error
	if r.who, err = identify(cmd.Process.Pid); err != nil {
		return err
	}
	if err := WriteJSON(filepath.Join(r.folder, startedFile), r.who); err != nil {
		return err
	}
	err = json.NewEncoder(spec).Encode(s)
	if closed := spec.Close(); err == nil {
		err = closed
	}
	if err != nil {
		return fmt.Errorf("tell the supervisor: %w", err)
	}
	_ = said.SetReadDeadline(time.Now().Add(startWithin))
	answer, err := io.ReadAll(io.LimitReader(said, 4096))
	switch {
	case err != nil:
		return fmt.Errorf("hear from the supervisor: %w", err)
	case string(answer) == startedWord:
		return nil
	case len(answer) == 0:
		noise, _ := os.ReadFile(filepath.Join(r.folder, noiseFile))
		if text := strings.TrimSpace(string(noise)); text != "" {
			return fmt.Errorf("the supervisor died: %s", text)
		}
		return nil // it was killed before it said that the program runs: how that ended is told as of every step
	default:
		return errors.New(string(answer))
	}
}

func attributes(w Walls) *syscall.SysProcAttr {
	attr := &syscall.SysProcAttr{Setsid: true}
	if w.Namespaces {
		attr.Cloneflags = syscall.CLONE_NEWUSER | syscall.CLONE_NEWNS | syscall.CLONE_NEWPID | syscall.CLONE_NEWIPC | syscall.CLONE_NEWUTS
		attr.UidMappings = []syscall.SysProcIDMap{{ContainerID: 0, HostID: os.Geteuid(), Size: 1}}
		attr.GidMappings = []syscall.SysProcIDMap{{ContainerID: 0, HostID: os.Getegid(), Size: 1}}
	}
	return attr
}

// TakeUp finds the step of a folder again after its runner died. A step that never began
// is os.ErrNotExist.
func TakeUp(folder string) (*Running, error) {
	r := &Running{folder: folder, done: make(chan struct{})}
	raw, err := os.ReadFile(filepath.Join(folder, startedFile))
	if err != nil {
		return nil, err
	}
	if err := json.Unmarshal(raw, &r.who); err != nil {
		return nil, fmt.Errorf("read who runs the step: %w", err)
	}
	fd, err := unix.PidfdOpen(r.who.PID, 0)
	if err == nil {
		if now, failed := identify(r.who.PID); failed != nil || now != r.who {
			_ = unix.Close(fd)
			err = unix.ESRCH
		}
	}
	if err != nil {
		r.ended()
		return r, nil //nolint:nilerr // it has ended, which is no failure
	}
	go func() {
		defer func() { _ = unix.Close(fd) }()
		for {
			_, err := unix.Poll([]unix.PollFd{{Fd: int32(fd), Events: unix.POLLIN}}, -1) //nolint:gosec // numbers of files are small
			if !errors.Is(err, unix.EINTR) {
				break
			}
		}
		r.ended()
	}()
	return r, nil
}

// ended reads how the step ended. Where nobody wrote it down the supervisor was killed,
// and what it left behind is killed too.
func (r *Running) ended() {
	raw, err := os.ReadFile(filepath.Join(r.folder, exitFile))
	if err != nil || json.Unmarshal(raw, &r.result) != nil {
		killSession(r.who)
		r.result = Result{Code: -1, Reason: Vanished}
	}
	close(r.done)
}

// Done is closed when the step and all that it started have ended.
func (r *Running) Done() <-chan struct{} { return r.done }

// Result is how the step ended, once Done is closed.
func (r *Running) Result() Result {
	<-r.done
	return r.result
}

// Interrupt sends the program itself, and none of its children, SIGINT.
func (r *Running) Interrupt() { r.signal(syscall.SIGINT) }

// Kill ends the step and all that it started, at once.
func (r *Running) Kill() {
	r.signal(syscall.SIGTERM)
	r.once.Do(func() {
		go func() {
			select {
			case <-r.done:
			case <-time.After(10 * time.Second): // the supervisor does not obey
				r.signal(syscall.SIGKILL)
			}
		}()
	})
}

func (r *Running) signal(s syscall.Signal) {
	select {
	case <-r.done:
		return
	default:
	}
	fd, err := unix.PidfdOpen(r.who.PID, 0)
	if err != nil {
		return
	}
	defer func() { _ = unix.Close(fd) }()
	if now, err := identify(r.who.PID); err == nil && now == r.who {
		_ = unix.PidfdSendSignal(fd, s, nil, 0)
	}
}
