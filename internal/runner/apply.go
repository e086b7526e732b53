package runner

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"os"
	"regexp"
	"strconv"
	"time"

	"github.com/belayhq/belay/run"
)

// apply applies a plan and brings home the state, whatever came of it.
func (j *job) apply(ctx context.Context) (*run.End, error) {
	if end, err := j.hook(ctx, "pre-apply"); end != nil || err != nil {
		return end, err
	}
	if end, err := j.check(ctx, run.PreApply); end != nil || err != nil {
		return end, err
	}
	if end, err := j.initialize(ctx); end != nil || err != nil {
		return end, err
	}
	// From here on nobody else is given this apply, and it is executed once.
	if err := j.pass(ctx); err != nil {
		return j.stopped(ctx, err)
	}
	args := []string{"apply", "-input=false", "-var-file=" + j.folder.eyes(secretFolder, varFileName)}
	args = append(append(args, j.parallelism()...), j.eventsFlag()...)
	args = append(args, j.folder.eyes(outFolder, planName))
	homecoming := j.watchState(ctx)
	defer homecoming.stop()
	result, err := j.run(ctx, step{name: string(run.ApplyStep), program: j.enginePath, args: args, within: j.timeout()})
	end := &run.End{Outcome: run.Succeeded}
	switch {
	case err != nil: // the engine may have begun all the same
		if end, err = j.broken(ctx, err); err != nil {
			return nil, err
		}
	case result.Code != 0 || result.Reason != "":
		end = j.badly(result, "apply")
	}
	homecoming.stop()
	return j.applied(ctx, end, homecoming)
}

// applied is the end of an apply, with what the engine left.
func (j *job) applied(ctx context.Context, end *run.End, homecoming *homecoming) (*run.End, error) {
	end.Engine = j.engineOf()
	counts := j.countApplied()
	end.Counts = &counts
	if hook, err := j.hook(ctx, "post-apply"); err != nil {
		return nil, err
	} else if hook != nil && end.Outcome == run.Succeeded {
		end.Outcome, end.Error, end.ExitCode = hook.Outcome, hook.Error, hook.ExitCode
	}
	home, err := homecoming.last(ctx)
	if err != nil {
		return nil, err
	}
	end.StateHome = home
	if !home {
		notHome(end)
		j.sayNotHome()
	}
	if end.Orphans = j.orphans(homecoming.path); len(end.Orphans) > 0 {
		j.tellOrphans(end.Orphans)
	}
	if err := j.bringOptional(ctx, run.EventsFile, j.folder.real(outFolder, eventsName)); err != nil && ctx.Err() != nil {
		return nil, errDetached
	}
	return end, nil
}

// homecoming brings the state of an apply to the server: in between, when it changed, and
// at the end.
type homecoming struct {
	j      *job
	path   string // the state
	begin  string // its checksum when the job began; empty: there was none
	stored string // the checksum of the last one that is at the server
	cancel context.CancelFunc
	done   chan struct{}
}

// watchEvery is how often the state file is looked at.
const watchEvery = 2 * time.Second

func (j *job) watchState(ctx context.Context) *homecoming {
	ctx, cancel := context.WithCancel(ctx)
	h := &homecoming{j: j, path: statePath(j.folder.real(stateFolder), j.workspace), cancel: cancel, done: make(chan struct{})}
	h.begin, _, _ = j.folder.checksum(j.folder.in(stateFolder))
	h.stored = h.begin
	go func() {
		defer close(h.done)
		every := time.Duration(j.spec.Limits.SnapshotMillis) * time.Millisecond
		if every <= 0 {
			return // the state is wanted at the end alone
		}
		last := time.Now()
		for {
			select {
			case <-ctx.Done():
				return
			case <-time.After(min(every, watchEvery)):
			}
			if time.Since(last) >= every && h.bringIfNew(ctx) {
				last = time.Now()
			}
		}
	}()
	return h
}

func (h *homecoming) stop() {
	h.cancel()
	<-h.done
}

// bringIfNew brings the state if it changed and is whole. What does not succeed is tried
// again later, at the end at the latest.
func (h *homecoming) bringIfNew(ctx context.Context) bool {
	copied, sum, ok := h.copy()
	if !ok || sum == h.stored {
		return false
	}
	trying, cancel := context.WithTimeout(ctx, callWithin)
	defer cancel()
	answer, err := h.j.bring(trying, run.StateFile, copied)
	if err != nil || answer.Kept == keptRescued {
		return false
	}
	h.stored = sum
	return true
}

const keptRescued = "rescued"

// copy takes a copy of the state, so that it is one state that is brought while the engine
// may write the next. What is no whole state is none.
func (h *homecoming) copy() (path, sum string, ok bool) {
	path = h.j.folder.in("state.copy")
	_ = os.Remove(path) // a call that was given up may still read the last one
	if err := h.j.folder.copyFile(h.path, path); err != nil {
		return "", "", false
	}
	raw, err := os.Open(path)
	if err != nil {
		return "", "", false
	}
	defer func() { _ = raw.Close() }()
	if !isState(raw) {
		return "", "", false
	}
	sum, _, err = h.j.folder.checksum(path)
	return path, sum, err == nil
}

// isState says that a text is one whole JSON object with a lineage.
func isState(from io.Reader) bool {
	decoder := json.NewDecoder(from)
	var state struct {
		Lineage string
		Serial  *int64
	}
	if decoder.Decode(&state) != nil || state.Serial == nil {
		return false
	}
	_, err := decoder.Token()
	return errors.Is(err, io.EOF)
}

// storeWithin is how long the last state is tried to be stored before it is only kept.
const storeWithin = 5 * time.Minute

// last brings the state as the engine left it. It says whether that state is the
// workspace's now; what can't become it is kept beside it, and nothing is thrown away.
func (h *homecoming) last(ctx context.Context) (home bool, err error) {
	copied, sum, ok := h.copy()
	if !ok {
		_, statErr := os.Stat(h.path)
		return errors.Is(statErr, os.ErrNotExist) && h.begin == "", nil
	}
	if sum == h.stored {
		return true, nil
	}
	if later, err := h.j.stateLater(copied); later || err != nil {
		return later, err
	}
	return h.j.store(ctx, copied)
}

// store brings a last state by a call of its own, until it is known whether it is the workspace's.
func (j *job) store(ctx context.Context, path string) (home bool, err error) {
	for until := time.Now().Add(storeWithin); ; {
		answer, err := j.bring(ctx, run.StateFile, path)
		switch {
		case ctx.Err() != nil:
			return false, errDetached
		case err == nil:
			return answer.Kept != keptRescued, nil
		case !refused(err, http.StatusConflict) || time.Now().After(until) || j.askedFor() == run.GoneOrder:
			j.Log.Warn("the state of an apply could not be stored", "job", j.ID, "error", err)
			err = j.offer(ctx, path)
			if ctx.Err() != nil {
				return false, errDetached
			}
			return false, err
		}
		select {
		case <-ctx.Done():
			return false, errDetached
		case <-j.told:
		case <-time.After(firstPause * 10):
		}
	}
}

// notHome is what the end of an apply says whose last state is not the workspace's.
func notHome(end *run.End) {
	if end.StateHome = false; end.Outcome == run.Succeeded {
		end.Outcome, end.Error = run.Failed, "the state of this apply could not be stored"
	}
}

func (j *job) sayNotHome() {
	j.say("Error: the state of this apply could not be stored; it is kept as the errored state of the apply")
}

var (
	colours = regexp.MustCompile("\x1b\\[[0-9;]*m")
	summary = regexp.MustCompile(`^(?:Apply|Destroy) complete! Resources: (?:(\d+) imported, )?(?:(\d+) added, (\d+) changed, )?(\d+) destroyed`)
	made    = []byte(": Creation complete after ")
	changed = []byte(": Modifications complete after ")
	gone    = []byte(": Destruction complete after ")
)

// longestLine is how much of a line of a log is looked at.
const longestLine = 64 << 10

// countApplied is what the engine says that it did: its summary, or, when it failed
// before one, each thing that it said was complete.
func (j *job) countApplied() run.Counts {
	file, err := os.Open(j.folder.log())
	if err != nil {
		return run.Counts{}
	}
	defer func() { _ = file.Close() }()
	return countLines(file)
}

// countLines reads a log a line at a time: it may be larger than memory.
func countLines(log io.Reader) (done run.Counts) {
	lines := bufio.NewReaderSize(log, longestLine)
	var said *run.Counts
	for within := false; ; {
		line, more, err := lines.ReadLine()
		if err != nil {
			break
		}
		if first := !within; first && bytes.Contains(line, []byte("omplet")) {
			line = colours.ReplaceAll(line, nil)
			if found := summary.FindSubmatch(line); found != nil {
				said = counted(found)
			}
			for what, n := range map[*int]int{
				&done.Additions: bytes.Index(line, made), &done.Changes: bytes.Index(line, changed), &done.Destructions: bytes.Index(line, gone),
			} {
				if n > 0 {
					*what++
				}
			}
		}
		within = more
	}
	if said != nil {
		return *said
	}
	return done
}

// counted is what a summary says.
func counted(found [][]byte) *run.Counts {
	number := func(i int) int {
		n, _ := strconv.Atoi(string(found[i]))
		return n
	}
	return &run.Counts{Imports: number(1), Additions: number(2), Changes: number(3), Destructions: number(4)}
}
