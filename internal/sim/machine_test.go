package sim_test

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/belayhq/belay"
	"github.com/belayhq/belay/run"
)

// machine is a computer with a disk, on which a runner and engines are. Engines go on
// without the runner, and end with the machine.
type machine struct {
	*world
	name    string
	process *process // nil: the runner is not there
	folders []*folder
	older   bool // its runner knows no call that the end of a job brings something with
}

// folder is what a job has on the disk of its machine.
type folder struct {
	job      run.ClaimedJob
	started  bool
	base     int64  // where its log begins in that of the phase
	log      []byte // what is printed
	before   string // the state that an apply began with
	state    string // the state as the engine has left it on the disk
	lineage  string
	serial   int64
	engine   *engine // nil: it was not started
	end      *run.End
	with     []run.ShortFile // what comes with it
	stateSum string
	checks   map[run.CheckStage][]run.Check // nil: none was made
}

// engine is a program at its work.
type engine struct {
	folder *folder
	kind   run.JobKind
	left   int  // steps to its end
	lazy   bool // writes its state at its end alone
	told   bool // to end by itself
	over   bool
	code   int
}

// process is one life of a runner.
type process struct {
	machine *machine
	alive   bool
	token   string
	lanes   []*lane
	jobs    []*job
}

func (w *world) addMachine() {
	w.named++
	m := &machine{world: w, name: fmt.Sprintf("m%d", w.named), older: w.chance.IntN(4) == 0}
	w.machines = append(w.machines, m)
	m.boot()
}

// boot starts the runner of a machine.
func (m *machine) boot() {
	p := &process{machine: m, alive: true}
	m.process = p
	m.note("%s: the runner starts", m.name)
	p.spawn("main", p.run)
}

// halt kills the runner; its engines go on.
func (m *machine) halt() {
	p := m.process
	p.alive = false
	m.process = nil
	for _, l := range slices.Clone(p.lanes) {
		if a := l.waits; a != nil && a.ready == nil && m.chance.IntN(3) == 0 {
			m.strays = append(m.strays, a) // it is under way
		}
		l.stop()
	}
}

func (p *process) run(l *lane) {
	var me run.Registered
	for p.token == "" {
		in := run.Registration{
			Name: p.machine.name, BootID: belay.RandomText(8), Slots: slots, Engines: []run.EngineBinary{{Product: run.Tofu, Version: "1.9.0"}},
		}
		if err := l.post("register", "the-pool", in, &me); err != nil {
			p.machine.fail("a runner can't register: %v", err)
		}
		p.token = me.Token
	}
	p.spawn("beat", p.beats)
	p.takeUp(l)
	p.claims(l)
}

// takeUp goes on with what an earlier life of the runner left.
func (p *process) takeUp(l *lane) {
	old := slices.Clone(p.machine.folders)
	if len(old) == 0 {
		return
	}
	var answer run.Beaten
	beat := run.Beat{}
	for _, f := range old {
		beat.Jobs = append(beat.Jobs, run.BeatJob{ID: f.job.ID, Lease: f.job.Lease})
	}
	_ = l.post("heartbeat", p.token, beat, &answer)
	for _, f := range old {
		p.begin(f.job, f, nil)
	}
	p.obey(answer.Jobs)
}

func (p *process) claims(l *lane) {
	for {
		l.until(func() bool { return len(p.jobs) < slots })
		var answer run.Claimed
		err := l.post("claim", p.token, run.Claim{Slots: slots - len(p.jobs), Nonce: belay.RandomText(8), Start: !p.machine.older}, &answer)
		if refused(err, 401, 410) {
			return // its place is taken by another life
		}
		for _, c := range answer.Jobs {
			p.begin(c, nil, answer.Spec(c.ID))
		}
		if len(answer.Jobs) == 0 {
			next := p.machine.mono + time.Second
			l.until(func() bool { return p.machine.mono >= next })
		}
	}
}

func (p *process) beats(l *lane) {
	for {
		next := p.machine.mono + run.Heartbeat
		l.until(func() bool { return p.machine.mono >= next })
		if err := p.beat(l); refused(err, 401, 410) {
			return
		}
	}
}

func (p *process) beat(l *lane) error {
	beat := run.Beat{}
	for _, j := range p.jobs {
		if j.asked != run.GoneOrder {
			beat.Jobs = append(beat.Jobs, run.BeatJob{ID: j.ID, Lease: j.Lease, LogSize: int64(len(j.log()))})
		}
	}
	var answer run.Beaten
	err := l.post("heartbeat", p.token, beat, &answer)
	p.obey(answer.Jobs)
	return err
}

func (p *process) obey(orders []run.JobOrder) {
	for _, o := range orders {
		for _, j := range slices.Clone(p.jobs) {
			if j.ID == o.ID && j.asked != run.GoneOrder {
				j.order(o.Order)
			}
		}
	}
}

// begin carries out a job beside everything else. What is still done for the same run
// comes first.
func (p *process) begin(c run.ClaimedJob, had *folder, given *run.JobSpec) {
	var before []*job
	for _, other := range p.jobs {
		if other.Lease == c.Lease {
			return
		}
		if other.RunID == c.RunID {
			before = append(before, other)
		}
	}
	j := &job{process: p, ClaimedJob: c, folder: had, given: given}
	p.jobs = append(p.jobs, j)
	for _, other := range before {
		if other.ID == c.ID {
			other.order(run.GoneOrder)
		}
	}
	p.spawn("job "+c.ID, func(l *lane) {
		for _, other := range before {
			l.until(func() bool { return other.over })
		}
		j.carryOut(l)
		j.over = true
		p.jobs = slices.DeleteFunc(p.jobs, func(o *job) bool { return o == j })
	})
}

// work lets an engine do one more thing.
func (e *engine) work(w *world) {
	f := e.folder
	e.left--
	if e.told && w.chance.IntN(2) == 0 {
		e.left, e.code = 0, 1
	}
	f.print(w, "step %d", e.left)
	if e.kind == run.ApplyJob {
		f.serial++
		if !e.lazy || e.left <= 0 {
			f.write()
		}
	}
	if e.left <= 0 {
		e.over = true
	}
}

// kill ends an engine as the kernel does.
func (e *engine) kill() {
	if !e.over {
		e.over, e.code = true, 137
	}
}

// write puts the state onto the disk.
func (f *folder) write() {
	f.state = fmt.Sprintf(`{"version":4,"terraform_version":"1.9.0","serial":%d,"lineage":%q,"outputs":{},"resources":[],"check_results":null,"by":%q}`,
		f.serial, f.lineage, f.job.RunID)
}

// print adds a line to the log: every byte of it tells where it belongs.
func (f *folder) print(w *world, format string, args ...any) {
	line := fmt.Sprintf("%s attempt %d at %d: ", f.job.Kind, f.job.Attempt, len(f.log)) + fmt.Sprintf(format, args...)
	pad := strings.Repeat(string(rune('a'+len(f.log)%26)), w.chance.IntN(60))
	f.log = append(append(f.log, line+" "+pad...), '\n')
	w.known.printed[f.job.Lease] = bytes.Clone(f.log)
}
