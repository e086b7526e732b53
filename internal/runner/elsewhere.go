package runner

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"time"

	"github.com/belayhq/belay/internal/elsewhere"
	"github.com/belayhq/belay/run"
)

// JobFile is what a runner of one job is started with: the lease lets it in, for that job alone.
type JobFile struct {
	Address string         `json:"address"`
	Job     run.ClaimedJob `json:"job"`
}

// Elsewhere is how jobs are carried out in another place.
type Elsewhere struct {
	Config
	Executor   elsewhere.Executor
	StartAfter time.Duration // how long one may take to begin; 10 minutes when 0
	LookEvery  time.Duration // how often what is there is looked at; 5 seconds when 0
}

// away is a job that was given to another place.
type away struct {
	run.ClaimedJob
	since  time.Time // when it was taken
	placed bool      // it was started there, or so it seems
	seen   bool      // it was listed there
	failed error     // why it could not be started, the last time
}

// posted is a runner whose jobs are carried out in another place, by runners of one job. It
// holds the lease of each until its runner has begun, and sees to those that never do.
type posted struct {
	Elsewhere
	r     *Runner
	jobs  map[string]*away // by id: those that have not begun
	there int              // jobs that are there and have not ended
}

// RunElsewhere takes jobs and has them carried out in another place, until it is told to drain:
// what it has started goes on without it.
func RunElsewhere(ctx context.Context, e Elsewhere) error {
	if e.StartAfter == 0 {
		e.StartAfter = 10 * time.Minute
	}
	if e.LookEvery == 0 {
		e.LookEvery = 5 * time.Second
	}
	r := newRunner(e.Config)
	e.Log = r.Log
	p := &posted{Elsewhere: e, r: r, jobs: map[string]*away{}}
	leave, err := r.comeIn(ctx)
	if err != nil {
		return err
	}
	defer leave()
	if err := p.takeUp(ctx); err != nil {
		return err
	}
	r.Log.Info("the runner takes jobs", "runner", r.me.ID, "slots", r.Slots)
	return p.loop(ctx)
}

// takeUp finds the jobs again that an earlier life started and that have not begun: their
// leases are in what they were started with.
func (p *posted) takeUp(ctx context.Context) error {
	var list []elsewhere.Place
	err := p.insist(ctx, func() (err error) {
		list, err = p.Executor.List(ctx)
		return err
	})
	if err != nil {
		return fmt.Errorf("look at what is there: %w", err)
	}
	for _, place := range list {
		if place.Began || place.Ended {
			continue
		}
		var raw []byte
		err := p.insist(ctx, func() (err error) {
			raw, err = p.Executor.File(ctx, place)
			return err
		})
		var file JobFile
		if err != nil || json.Unmarshal(raw, &file) != nil || file.Job.ID != place.ID {
			p.r.Log.Warn("a job that never began can't be taken up", "job", place.ID, "place", place.Name, "error", err)
			_ = p.Executor.Stop(ctx, place) // its lease ends, and somebody gets it
			continue
		}
		p.r.Log.Info("taking up a job", "job", place.ID, "place", place.Name)
		p.jobs[place.ID] = &away{ClaimedJob: file.Job, since: place.Made, placed: true, seen: true}
	}
	return nil
}

// insist repeats a call of the other place until it is answered for good.
func (p *posted) insist(ctx context.Context, call func() error) error {
	for pause := firstPause; ; pause = min(2*pause, longPause) {
		err := call()
		if err == nil || !elsewhere.Passing(err) {
			return err
		}
		var refused *elsewhere.Refusal
		wait := pause
		if errors.As(err, &refused) {
			wait = max(wait, refused.After)
		}
		p.r.Log.Warn("the other place does not answer", "error", err)
		select {
		case <-ctx.Done():
			return errors.Join(ctx.Err(), err)
		case <-time.After(wait):
		}
	}
}

// loop takes jobs while there is room, keeps their leases, and looks at what became of them.
func (p *posted) loop(ctx context.Context) error {
	go p.r.heed(ctx)
	claiming, stop := context.WithCancel(ctx)
	defer stop()
	ask := make(chan int, 1)
	claims, gone := p.claimsFor(ctx, claiming, ask)
	asked, drained := false, false
	var revoked error
	look := time.NewTicker(p.LookEvery)
	defer look.Stop()
	beat := time.NewTicker(time.Duration(max(1000, p.r.me.HeartbeatMillis)) * time.Millisecond)
	defer beat.Stop()
	drain := p.r.drain
	p.beat(ctx) // what was taken up may have been silent
	p.look(ctx)
	for {
		if free := p.Slots - p.there - p.waiting(); free > 0 && !asked && !drained {
			asked = true
			ask <- free
		}
		if drained && !asked && len(p.jobs) == 0 {
			close(ask)
			p.r.leave(ctx)
			return revoked
		}
		select {
		case <-ctx.Done():
			return nil
		case err := <-gone:
			if errors.Is(err, errGone) {
				return err
			}
			asked, drained, revoked = false, true, err
		case list := <-claims:
			asked = false
			p.take(list)
			p.place(ctx)
		case <-look.C:
			p.place(ctx)
			p.look(ctx)
		case <-beat.C:
			p.beat(ctx)
		case <-drain:
			drained, drain = true, nil
			stop()
		}
	}
}

// claimsFor claims jobs for as many slots as it is asked for, until the runner is not one any more.
// A claim ends with claiming; who is told of it goes on until ctx is over.
func (p *posted) claimsFor(ctx, claiming context.Context, ask <-chan int) (<-chan []run.ClaimedJob, <-chan error) {
	claims, gone := make(chan []run.ClaimedJob), make(chan error, 1)
	go func() {
		for slots := range ask {
			got, err := p.r.claim(claiming, slots, false)
			if errors.Is(err, errGone) || errors.Is(err, errRevoked) {
				gone <- err
				return
			}
			select {
			case claims <- got.Jobs:
			case <-ctx.Done():
				return
			}
		}
	}()
	return claims, gone
}

// take notes the jobs that were claimed.
func (p *posted) take(list []run.ClaimedJob) {
	for _, c := range list {
		p.jobs[c.ID] = &away{ClaimedJob: c, since: time.Now()}
	}
}

// waiting is how many jobs are not there yet.
func (p *posted) waiting() (n int) {
	for _, j := range p.jobs {
		if !j.seen {
			n++
		}
	}
	return n
}

// place starts the jobs that are not there yet.
func (p *posted) place(ctx context.Context) {
	for _, j := range p.jobs {
		if j.placed {
			continue
		}
		file, err := json.Marshal(JobFile{Address: p.Address, Job: j.ClaimedJob})
		if err == nil {
			err = p.Executor.Start(ctx, elsewhere.Work{ID: j.ID, Kind: string(j.Kind), RunID: j.RunID, File: file})
		}
		switch {
		case err == nil:
			j.placed = true
			p.r.Log.Info("a job was started elsewhere", "job", j.ID, "run", j.RunID)
		case elsewhere.Passing(err) && time.Since(j.since) < p.StartAfter:
			j.failed = err
			p.r.Log.Warn("a job could not be started yet", "job", j.ID, "error", err)
		default:
			p.fail(ctx, j, err.Error())
		}
	}
}

// look finds out what became of the jobs. One that has begun is its own runner's; one that
// is gone is given to somebody else when its lease ends.
func (p *posted) look(ctx context.Context) {
	list, err := p.Executor.List(ctx)
	if err != nil {
		p.r.Log.Warn("what is there can't be seen", "error", err)
		return
	}
	p.there = 0
	listed := map[string]bool{}
	for _, place := range list {
		listed[place.ID] = true
		if !place.Ended {
			p.there++
		}
		j := p.jobs[place.ID]
		if j == nil {
			continue
		}
		j.placed, j.seen = true, true
		switch {
		case place.Began:
			delete(p.jobs, j.ID)
		case place.Ended || place.Problem != "" && time.Since(j.since) > p.StartAfter, time.Since(j.since) > 2*p.StartAfter:
			p.stop(ctx, place)
			p.fail(ctx, j, "the job never began where it was started: "+place.Problem)
		}
	}
	for id, j := range p.jobs {
		if j.seen && !listed[id] {
			p.r.Log.Warn("a job was deleted before it began", "job", id)
			delete(p.jobs, id)
		}
	}
}

func (p *posted) stop(ctx context.Context, place elsewhere.Place) {
	if err := p.Executor.Stop(ctx, place); err != nil {
		p.r.Log.Warn("what was started is still there", "place", place.Name, "error", err)
	}
}

// beat keeps the leases of the jobs that have not begun. Those that are not its own any more,
// or are to be canceled, are taken away there.
func (p *posted) beat(ctx context.Context) {
	calling, cancel := context.WithTimeout(ctx, callWithin)
	defer cancel()
	ask := run.Beat{Slots: max(0, p.Slots-p.there-p.waiting())}
	for _, j := range p.jobs {
		ask.Jobs = append(ask.Jobs, run.BeatJob{ID: j.ID, Lease: j.Lease, WorkspaceID: j.WorkspaceID})
	}
	var answer run.Beaten
	if err := p.r.wire.post(calling, "heartbeat", "", ask, &answer); err != nil {
		p.r.Log.Warn("a heartbeat was not answered", "error", err)
		if refused(err, http.StatusGone) || refused(err, http.StatusUnauthorized) {
			p.r.stopTaking()
		}
		return
	}
	if answer.Drain {
		p.r.stopTaking()
	}
	for _, o := range answer.Jobs {
		if j := p.jobs[o.ID]; j != nil && o.Order != run.NoOrder {
			p.withdraw(ctx, j)
		}
	}
}

// withdraw takes a job away that nobody wants any more.
func (p *posted) withdraw(ctx context.Context, j *away) {
	delete(p.jobs, j.ID)
	list, err := p.Executor.List(ctx)
	if err != nil {
		p.r.Log.Warn("what is there can't be seen", "error", err)
		return
	}
	for _, place := range list {
		if place.ID == j.ID && !place.Began {
			p.stop(ctx, place)
		}
	}
}

// fail ends a job that can't be carried out elsewhere, and says why in its run.
func (p *posted) fail(ctx context.Context, j *away, why string) {
	delete(p.jobs, j.ID)
	p.r.Log.Error("a job can't be carried out elsewhere", "job", j.ID, "reason", why)
	if j.failed != nil {
		why += " (" + j.failed.Error() + ")"
	}
	if len(why) > 4096 {
		why = why[:4096]
	}
	calling, cancel := context.WithTimeout(ctx, callWithin)
	defer cancel()
	err := p.r.wire.post(calling, "jobs/"+j.ID+"/start", j.Lease, run.Start{}, nil)
	if err == nil {
		err = p.r.wire.post(calling, "jobs/"+j.ID+"/end", j.Lease, run.End{Outcome: run.Failed, ExitCode: 1, Error: why, StateHome: true}, nil)
	}
	if err != nil { // its lease ends: it is given again
		p.r.Log.Warn("the end of a job was not told", "job", j.ID, "error", err)
	}
}
