package runner

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"github.com/belayhq/belay/internal/isolate"
	"github.com/belayhq/belay/run"
)

// The folders below the work folder. What the engine may touch and what it never sees are
// apart: a home belongs to a run, so that its plan and its apply have the same path.
const (
	jobsFolder  = "jobs"
	homesFolder = "w"
	cacheFolder = "cache"
)

// folder is all that there is of one job on this machine.
type folder struct {
	path string // what is ours: the log, the steps, the lease
	home string // what the engine sees
	seen string // the home, as the engine sees it
	kept kept
}

// kept is what a runner has to know of a job to take it up after its own end. The lease
// is among it, and so the folder is nobody else's.
type kept struct {
	Job     run.ClaimedJob `json:"job"`
	Started bool           `json:"started"`  // its specification was had once
	LogBase int64          `json:"log_base"` // where in the whole log the log of this attempt begins
	Walls   isolate.Walls  `json:"walls"`
	End     *run.End       `json:"end"`     // once it is known
	Refused time.Time      `json:"refused"` // when the server did not take what an apply made; zero: it never refused

	With []run.ShortFile `json:"with,omitempty"` // files that come with the end
}

// The folders of a home.
const (
	configFolder = "config" // the configuration, as it came
	dataFolder   = "data"   // the engine's own: plugins, modules
	homeFolder   = "home"
	tmpFolder    = "tmp"
	secretFolder = "secret" // variables; emptied when the job ends
	stateFolder  = "state"
	outFolder    = "out" // what the engine made: the plan
)

const keptFile = "job.json"

// newFolder makes the folder of a job that was just taken.
func newFolder(workDir string, c run.ClaimedJob, walls isolate.Walls) (*folder, error) {
	if !simple(c.ID) || !simple(c.RunID) {
		return nil, fmt.Errorf("the server names a job %q of a run %q", c.ID, c.RunID)
	}
	f := &folder{kept: kept{Job: c, Walls: walls}}
	f.place(workDir)
	if err := os.MkdirAll(f.path, 0o700); err != nil {
		return nil, err
	}
	return f, f.keep()
}

// place finds where the job of this folder lies.
func (f *folder) place(workDir string) {
	f.path = filepath.Join(workDir, jobsFolder, f.kept.Job.ID)
	f.home = filepath.Join(workDir, homesFolder, f.kept.Job.RunID)
	f.seen = f.home
	if f.kept.Walls.Namespaces {
		f.seen = isolate.Fixed
	}
}

// simple says that a name from the server may be part of a path.
func simple(name string) bool {
	return name != "" && len(name) <= 128 && strings.Trim(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_") == ""
}

// oldFolders are those of an earlier life of the runner. What can't be read is told.
func oldFolders(workDir string) (old []*folder, problems error) {
	entries, err := os.ReadDir(filepath.Join(workDir, jobsFolder))
	if err != nil {
		return nil, err
	}
	for _, entry := range entries {
		f := &folder{}
		path := filepath.Join(workDir, jobsFolder, entry.Name())
		raw, err := os.ReadFile(filepath.Join(path, keptFile))
		if err == nil {
			err = json.Unmarshal(raw, &f.kept)
		}
		if err == nil && (f.kept.Job.ID != entry.Name() || !simple(f.kept.Job.RunID)) {
			err = errors.New("it is the folder of another job")
		}
		if err != nil {
			problems = errors.Join(problems, fmt.Errorf("%s: %w", path, err))
			continue
		}
		f.place(workDir)
		old = append(old, f)
	}
	return old, problems
}

// keep writes down what has to be known later.
func (f *folder) keep() error { return isolate.WriteJSON(filepath.Join(f.path, keptFile), f.kept) }

// in is a path in the folder.
func (f *folder) in(names ...string) string {
	return filepath.Join(append([]string{f.path}, names...)...)
}

// real and eyes are a path in the home: on this machine, and as the engine sees it.
func (f *folder) real(names ...string) string {
	return filepath.Join(append([]string{f.home}, names...)...)
}

func (f *folder) eyes(names ...string) string {
	return filepath.Join(append([]string{f.seen}, names...)...)
}

// open opens a file to be read. The home was written by strangers: neither a link that leads
// out of it nor anything but a plain file is followed there.
func (f *folder) open(path string) (*os.File, error) {
	name, err := filepath.Rel(f.home, path)
	if err != nil || !filepath.IsLocal(name) {
		return os.Open(path) // the runner's own
	}
	root, err := os.OpenRoot(f.home)
	if err != nil {
		return nil, err
	}
	defer func() { _ = root.Close() }()
	file, err := root.OpenFile(name, os.O_RDONLY|syscall.O_NONBLOCK, 0) // a pipe would wait for its writer
	if err != nil {
		return nil, err
	}
	info, err := file.Stat()
	if err == nil && !info.Mode().IsRegular() {
		err = errNotPlain
	}
	if err != nil {
		_ = file.Close()
		return nil, err
	}
	return file, nil
}

var errNotPlain = errors.New("it is no plain file")

func (f *folder) log() string { return f.in("log") }

// makeHome makes the home anew. Nothing of an earlier attempt is left in it.
func (f *folder) makeHome() error {
	if err := removeAll(f.home); err != nil {
		return err
	}
	for _, name := range []string{configFolder, dataFolder, homeFolder, tmpFolder, secretFolder, stateFolder, outFolder} {
		if err := os.MkdirAll(f.real(name), 0o700); err != nil {
			return err
		}
	}
	return nil
}

// removeAll removes a folder also where what ran in it took its own rights away.
func removeAll(path string) error {
	if os.RemoveAll(path) == nil {
		return nil
	}
	_ = filepath.WalkDir(path, func(path string, entry os.DirEntry, err error) error {
		if entry != nil && entry.IsDir() {
			_ = os.Chmod(path, 0o700) //nolint:gosec // a folder that is about to be removed
		}
		return nil
	})
	return os.RemoveAll(path)
}

// lockFolder makes the folder and keeps other runners out of it.
func lockFolder(path string) (func(), error) {
	if err := os.MkdirAll(filepath.Join(path, jobsFolder), 0o700); err != nil {
		return nil, fmt.Errorf("make the work folder: %w", err)
	}
	file, err := os.OpenFile(filepath.Join(path, "lock"), os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return nil, fmt.Errorf("lock the work folder: %w", err)
	}
	// What a killed runner was just about to execute holds its files a moment longer.
	for tries := 20; ; tries-- {
		if err = syscall.Flock(int(file.Fd()), syscall.LOCK_EX|syscall.LOCK_NB); err == nil {
			break
		}
		if tries == 0 {
			_ = file.Close()
			return nil, fmt.Errorf("%w: %s", ErrBusy, path)
		}
		time.Sleep(100 * time.Millisecond)
	}
	return func() {
		_ = syscall.Flock(int(file.Fd()), syscall.LOCK_UN) // closing alone leaves it to such a one
		_ = file.Close()
	}, nil
}
