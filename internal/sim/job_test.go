package sim_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"time"

	"github.com/belayhq/belay/run"
)

// job is one that a runner has, as internal/runner carries it out.
type job struct {
	*process
	run.ClaimedJob
	folder *folder
	given  *run.JobSpec // that came with the claim; nil: it is to be started
	spec   *run.JobSpec
	asked  run.Order
	over   bool

	sent, finished bool         // the log: is safe at the server, has ended here
	rest           *run.LogRest // of the log, that comes with the end; nil: it was sent
	logErr         error
}

var (
	errLost    = errors.New("the lease is over")
	errStopped = errors.New("told to stop")
	errKept    = errors.New("it stays on the disk")
)

func (j *job) log() []byte {
	if j.folder == nil {
		return nil
	}
	return j.folder.log
}

// order takes an order that is stronger than the one before.
func (j *job) order(o run.Order) {
	strength := []run.Order{run.NoOrder, run.CancelOrder, run.KillOrder, run.GoneOrder}
	if slices.Index(strength, o) <= slices.Index(strength, j.asked) {
		return
	}
	j.asked = o
	if j.folder == nil || j.folder.engine == nil {
		return
	}
	switch e := j.folder.engine; {
	case o == run.CancelOrder:
		e.told = true
	case o == run.KillOrder, j.Kind != run.ApplyJob:
		e.kill()
	}
}

func (j *job) carryOut(l *lane) {
	err := j.tryCarryOut(l)
	if err != nil && !errors.Is(err, errLost) && !errors.Is(err, errKept) {
		j.machine.fail("job %s can't be ended: %v", j.ID, err)
	}
	if !errors.Is(err, errKept) {
		m := j.machine
		m.folders = slices.DeleteFunc(m.folders, func(f *folder) bool { return f == j.folder })
	}
}

func (j *job) tryCarryOut(l *lane) error {
	if j.folder == nil {
		j.folder = &folder{job: j.ClaimedJob}
		j.machine.folders = append(j.machine.folders, j.folder)
	}
	f := j.folder
	if err := j.start(l); err != nil {
		return err
	}
	sender := j.spawn("log "+j.ID, func(l *lane) { j.sendLog(l, j.spec.Limits.FinishBytes > 0 && !j.machine.older) })
	defer sender.leave()
	if f.end == nil {
		end, err := j.work(l)
		if err != nil {
			return err
		}
		f.end, end.Checks = end, f.checked()
	}
	j.finished = true
	l.until(func() bool { return j.sent || j.logErr != nil })
	if j.logErr != nil {
		return j.lost(l, j.logErr)
	}
	f.end.LogSize = f.base + int64(len(f.log))
	if j.rest != nil || len(f.with) > 0 {
		return j.finish(l)
	}
	return j.end(l)
}

func (j *job) end(l *lane) error {
	err := j.call(l, func() error { return l.post("jobs/"+j.ID+"/end", j.Lease, j.folder.end, nil) })
	if err != nil {
		return j.lost(l, err)
	}
	return nil
}

// call makes a call about the job again when the lease turns out to hold.
func (j *job) call(l *lane, do func() error) error {
	for try := 1; ; try++ {
		err := do()
		if !refused(err, http.StatusConflict) || try == 3 || !j.stillOurs(l) {
			return err
		}
	}
}

func (j *job) stillOurs(l *lane) bool {
	if j.asked == run.GoneOrder {
		return false
	}
	return j.beat(l) == nil && j.asked != run.GoneOrder
}

func (j *job) lost(l *lane, err error) error {
	if refused(err, http.StatusConflict, http.StatusUnauthorized, http.StatusNotFound, http.StatusGone) {
		return j.rescue(l)
	}
	return err
}

func (j *job) rescue(l *lane) error {
	f := j.folder
	began := f.engine != nil && j.Kind == run.ApplyJob
	j.order(run.GoneOrder)
	if j.Kind != run.ApplyJob || j.spec == nil && !began {
		if f.engine != nil {
			f.engine.kill()
		}
		return errLost
	}
	if f.engine != nil {
		l.until(func() bool { return f.engine.over })
	}
	if j.endHeard(l) {
		return errLost
	}
	home, err := j.bringHome(l)
	if err != nil {
		return errKept
	}
	if end := f.end; home && (end != nil || f.engine.code == 0) {
		if end == nil {
			end = &run.End{Outcome: run.Succeeded, StateHome: true}
		}
		_ = l.post("jobs/"+j.ID+"/end", j.Lease, end, nil) // nobody may wait for it
	}
	return errLost
}

func (j *job) bringHome(l *lane) (home bool, err error) {
	f := j.folder
	home = f.engine != nil && (f.end == nil || f.end.StateHome)
	if f.state == f.before {
		return home && f.end != nil, nil
	}
	answer, err := j.bring(l, run.StateFile, f.state)
	if refused(err, http.StatusConflict, http.StatusUnprocessableEntity) {
		_, err = j.bring(l, run.RescuedFile, f.state)
		return false, err
	}
	return err == nil && home && answer.Kept != "rescued", err
}

func (j *job) start(l *lane) error {
	spec := j.given
	if spec == nil {
		spec = &run.JobSpec{}
		err := j.call(l, func() error { return l.post("jobs/"+j.ID+"/start", j.Lease, run.Start{}, spec) })
		if err != nil {
			return j.lost(l, err)
		}
	}
	j.spec = spec
	if f := j.folder; !f.started {
		f.started, f.base = true, spec.LogSize
		f.lineage = "lineage-" + spec.Workspace.ID
		if spec.State != nil {
			f.serial = spec.State.Serial
			f.write()
			f.before, f.stateSum = f.state, sum(f.state)
		}
		j.machine.known.attempt(spec.LogID, f)
	}
	j.order(spec.Order)
	return nil
}

func (j *job) work(l *lane) (*run.End, error) {
	f := j.folder
	if j.asked != run.NoOrder && f.engine == nil {
		f.print(j.machine.world, "canceled before it began")
		return &run.End{Outcome: run.Interrupted, StateHome: true}, nil
	}
	if len(f.log) == 0 {
		f.print(j.machine.world, "begins")
	}
	before := run.PrePlan
	if j.Kind == run.ApplyJob {
		before = run.PreApply
	}
	if end := j.check(before); end != nil {
		return end, nil
	}
	if err := j.pass(l, run.StepName(j.Kind)); err != nil {
		return j.stopped(l, err)
	}
	if j.Kind == run.ApplyJob {
		return j.apply(l)
	}
	return j.plan(l)
}

func (j *job) pass(l *lane, step run.StepName) error {
	if j.asked != run.NoOrder {
		return errStopped
	}
	if j.folder.engine != nil {
		return nil
	}
	told := run.Step{Step: step, Checks: j.folder.checked()}
	if step == run.PlanStep && len(told.Checks) == 0 && !j.machine.older {
		return nil
	}
	err := j.call(l, func() error { return l.post("jobs/"+j.ID+"/step", j.Lease, told, nil) })
	if refused(err, http.StatusConflict) {
		return errStopped
	}
	return err
}

func (j *job) stopped(l *lane, err error) (*run.End, error) {
	f := j.folder
	switch {
	case !errors.Is(err, errStopped):
		return nil, j.lost(l, err)
	case j.asked == run.GoneOrder:
		return nil, errLost
	case f.engine != nil: // which an order was told already
		if j.Kind == run.ApplyJob {
			return j.apply(l)
		}
		return j.plan(l)
	}
	f.print(j.machine.world, "canceled")
	return &run.End{Outcome: run.Interrupted, ExitCode: 1, StateHome: true}, nil
}

// launch starts the engine, unless it was started in an earlier life.
func (j *job) launch(l *lane) *engine {
	f, w := j.folder, j.machine.world
	if f.engine == nil {
		f.engine = &engine{folder: f, kind: j.Kind, left: 1 + w.chance.IntN(6), lazy: w.chance.IntN(2) == 0}
		w.rules.launched(f)
		w.note("%s: the engine of %s begins", j.machine.name, j.ID)
	}
	if j.asked != run.NoOrder {
		asked := j.asked
		j.asked = run.NoOrder
		j.order(asked)
	}
	return f.engine
}

func (j *job) endOf(e *engine) *run.End {
	end := &run.End{Outcome: run.Succeeded, StateHome: true, ExitCode: e.code}
	if e.code != 0 {
		end.Outcome, end.Error = run.Failed, fmt.Sprintf("failed with exit status %d", e.code)
		if j.asked != run.NoOrder {
			end.Outcome, end.Error = run.Interrupted, ""
		}
	}
	return end
}

func (j *job) plan(l *lane) (*run.End, error) {
	f, e := j.folder, j.launch(l)
	l.until(func() bool { return e.over })
	end := j.endOf(e)
	if end.Outcome != run.Succeeded {
		return end, nil
	}
	kinds := []run.FileKind{run.PlanJSONFile, run.PlanFile}
	if refused := j.check(run.PostPlan); refused != nil {
		end.Outcome, end.Refused, end.Error, kinds = run.Failed, true, refused.Error, kinds[:1]
	}
	f.with = nil
	for _, kind := range kinds {
		text := fmt.Sprintf(`{"format_version":"1.2","by":%q,"attempt":%d}`, j.RunID, j.Attempt)
		if j.Kind == run.PlanJob && !j.machine.older {
			f.with = append(f.with, shortFile(kind, text))
			continue
		}
		if _, err := j.bring(l, kind, text); err != nil {
			return nil, j.lost(l, err)
		}
	}
	changes := e.folder.job.RunID[len(e.folder.job.RunID)-1]%5 != 0
	end.HasChanges, end.Counts = &changes, &run.Counts{Additions: 1}
	return end, nil
}

func (j *job) apply(l *lane) (*run.End, error) {
	f, e := j.folder, j.launch(l)
	snapshots := j.spawn("states "+j.ID, func(l *lane) {
		for last := j.machine.mono; ; {
			l.until(func() bool {
				return j.machine.mono-last >= time.Duration(j.spec.Limits.SnapshotMillis)*time.Millisecond && f.state != "" && sum(f.state) != f.stateSum
			})
			last = j.machine.mono
			state := f.state
			if answer, err := j.bring(l, run.StateFile, state); err == nil && answer.Kept != "rescued" {
				f.stateSum = sum(state)
			}
		}
	})
	l.until(func() bool { return e.over })
	j.cut(snapshots)
	end := j.endOf(e)
	home, err := j.last(l)
	if !home {
		notHome(end)
	}
	return end, err
}

// cut stops a lane whose call may be under way.
func (j *job) cut(l *lane) {
	if a := l.waits; a != nil && a.ready == nil && j.machine.chance.IntN(2) == 0 {
		j.machine.strays = append(j.machine.strays, a)
	}
	l.leave()
}

// last brings the state as the engine left it.
func (j *job) last(l *lane) (home bool, err error) {
	f := j.folder
	if f.state == "" || sum(f.state) == f.stateSum {
		return true, nil
	}
	if !j.machine.older && int64(len(f.state)) <= j.spec.Limits.StateBytes {
		f.with = []run.ShortFile{shortFile(run.StateFile, f.state)}
		return true, nil
	}
	return j.store(l, f.state)
}

// store brings a last state by a call of its own.
func (j *job) store(l *lane, state string) (home bool, err error) {
	for until := j.machine.mono + 5*time.Minute; ; {
		answer, err := j.bring(l, run.StateFile, state)
		switch {
		case err == nil:
			j.folder.stateSum = sum(state)
			return answer.Kept != "rescued", nil
		case !refused(err, http.StatusConflict) || j.machine.mono > until || j.asked == run.GoneOrder:
			_, _ = j.bring(l, run.RescuedFile, state)
			return false, nil
		}
		next := j.machine.mono + 2*time.Second
		l.until(func() bool { return j.machine.mono >= next })
	}
}

func (j *job) bring(l *lane, kind run.FileKind, text string) (answer run.FileAnswer, err error) {
	header := http.Header{run.SHA256Header: {sum(text)}}
	err = j.call(l, func() error {
		return l.call(http.MethodPut, "jobs/"+j.ID+"/files/"+string(kind), j.Lease, header, []byte(text), &answer)
	})
	return answer, err
}

// sendLog sends the log while it grows, until it has ended and is safe. With holds, what is short
// of its rest comes with the end.
func (j *job) sendLog(l *lane, holds bool) {
	f := j.folder
	have, safe := f.base, f.base
	for {
		end := f.base + int64(len(f.log))
		if j.finished && safe >= end {
			j.sent = true
			return
		}
		if j.finished && holds && end-safe <= j.spec.Limits.FinishBytes {
			j.rest, j.sent = &run.LogRest{From: safe, Data: bytes.Clone(f.log[safe-f.base:])}, true
			return
		}
		if have < f.base || have > end && j.finished {
			j.machine.fail("the server has %d bytes of a log of %d to %d", have, f.base, end)
		}
		piece := []byte(nil)
		if have < end {
			piece = bytes.Clone(f.log[have-f.base:])
		}
		answer := run.LogAnswer{Have: have, Safe: safe}
		var err error
		switch {
		case len(piece) > 0:
			header := http.Header{"Content-Range": {fmt.Sprintf("bytes %d-%d/*", have, have+int64(len(piece))-1)}}
			err = l.call(http.MethodPatch, "logs/"+j.spec.LogID, j.Lease, header, piece, &answer)
		case safe < end: // it is asked from where it is safe
			header := http.Header{"Content-Range": {fmt.Sprintf("bytes %d-%d/*", safe, end-1)}}
			err = l.call(http.MethodPatch, "logs/"+j.spec.LogID, j.Lease, header, f.log[safe-f.base:], &answer)
		}
		if err != nil {
			if !refused(err, http.StatusConflict) || !j.stillOurs(l) {
				j.logErr = err
				return
			}
			continue
		}
		have, safe = answer.Have, answer.Safe
		j.order(answer.Order)
		next := j.machine.mono + time.Second
		l.until(func() bool {
			end := f.base + int64(len(f.log))
			return j.machine.mono >= next || j.finished && (have < end || holds && end-safe <= j.spec.Limits.FinishBytes)
		})
	}
}

func sum(text string) string {
	h := sha256.Sum256([]byte(text))
	return hex.EncodeToString(h[:])
}
