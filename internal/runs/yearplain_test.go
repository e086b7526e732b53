package runs_test

import (
	"fmt"
	"math/rand/v2"
	"time"

	"github.com/belayhq/belay/run"
)

// plainWorld is the model of a year: what docs/retention.md and docs/health.md say of auto-destroy and
// assessments, written down as anybody would, with no regard to how it is done.
type plainWorld struct {
	organizations []*plainOrganization
	spaces        []*plain
	lines         []string // what happened since it was compared
}

type plainOrganization struct {
	name     string
	enforced bool // assessments
	projects []*plainProject
}

type plainProject struct {
	id       string
	duration time.Duration
}

// plain is a workspace of the model.
type plain struct {
	world        *plainWorld
	random       *rand.Rand // its own: who comes first does not change the story
	id, name     string
	organization *plainOrganization
	project      *plainProject

	fixed       time.Time
	own         time.Duration
	inherits    bool
	fired       bool // its moment came, and no state and no setting since
	gone        bool // its last state came from a destroy run that was applied
	failed      bool // its last moment made no run, and no state and no setting since
	latest      time.Time
	is          time.Time // the moment as it was last seen, and since when
	since       time.Time
	told        map[time.Time]bool // reminders, by when they are due
	resources   int
	managedOnce bool

	local, locked, mayDestroy, configured bool

	runs        []*plainRun // those that are not over, the oldest first
	newest      *plainRun
	appliedOnce bool

	wants, ready, mayBeAssessed, mustBeAssessed, asked bool

	readySince, assessed time.Time
	before               plainFinding
	results              int
}

// What becomes of a run.
type fate int

const (
	asPlanned  fate = iota // applied
	asErrored              // its plan
	asHalf                 // its apply, which leaves something
	asCanceled             // before it began
	asHeld                 // its plan waits for somebody
	asNothing              // it plans no changes
)

type plainRun struct {
	destroys, byItself bool
	fate               fate
	waits              bool       // for somebody
	status             run.Status // once it is over
}

func (p *plain) says(what string) { p.world.lines = append(p.world.lines, p.name+" "+what) }

func words(d time.Duration) string {
	if d == 0 {
		return ""
	}
	return fmt.Sprintf("%dh", int(d.Hours()))
}

func (p *plain) duration() time.Duration {
	if p.inherits {
		return p.project.duration
	}
	return p.own
}

// moment is when it is to be destroyed.
func (p *plain) moment() time.Time {
	switch d := p.duration(); {
	case d == 0:
		return p.fixed
	case p.fired || p.gone:
		return time.Time{}
	default:
		return p.latest.Add(d)
	}
}

// changed notes what became another with a change.
func (p *plain) changed(now time.Time) {
	if at := p.moment(); !at.Equal(p.is) {
		p.is, p.since = at, now
	}
	ready := p.inForce() && p.hindrance() == ""
	if ready && !p.ready {
		p.readySince = now
	}
	p.ready = ready
}

// settled is a change of the schedule itself.
func (p *plain) settled(now time.Time) {
	p.fired, p.failed = false, false
	p.changed(now)
}

// takes is a state that came.
func (p *plain) takes(resources int, now time.Time) {
	p.latest, p.resources, p.managedOnce = now, resources, p.managedOnce || resources > 0
	p.gone = false
	p.settled(now)
}

// look is what happens by itself at a moment.
func (w *plainWorld) look(now time.Time) {
	for _, p := range w.spaces {
		due := p.moment()
		if p.is.Before(p.since.Add(30 * time.Second)) { // it can be taken back that long
			due = p.since.Add(30 * time.Second)
		}
		switch {
		case p.moment().IsZero():
		case !due.After(now):
			p.fire(now)
		case p.reminds(now):
			p.says("reminder")
		}
		since := now.Sub(p.assessed)
		calm := p.ready && !p.readySince.Add(2*time.Minute).After(now)
		p.mayBeAssessed = p.ready && since >= 23*time.Hour // at once, if that was noted before
		p.mustBeAssessed = calm && since >= 25*time.Hour
	}
}

// reminds says whether somebody is reminded: once of each, and of two that are late at once.
func (p *plain) reminds(now time.Time) (told bool) {
	for _, before := range []time.Duration{24 * time.Hour, 12 * time.Hour} {
		at := p.is.Add(-before)
		if !at.After(p.since) || at.After(now) {
			continue
		}
		if p.told == nil {
			p.told = map[time.Time]bool{}
		}
		told = told || !p.told[at]
		p.told[at] = true
	}
	return told
}

// fire is what happens when a moment has come.
func (p *plain) fire(now time.Time) {
	p.fired, p.fixed, p.failed = p.duration() > 0, time.Time{}, false
	why := ""
	switch {
	case !p.managedOnce:
		p.changed(now)
		return
	case p.local:
		why = "Workspace execution mode is local"
	case !p.mayDestroy:
		why = "Destroy plans are not allowed in this workspace"
	case p.locked:
		why = "Workspace is locked"
	case !p.configured:
		why = "Configuration version is missing"
	}
	if p.failed = why != ""; p.failed {
		p.says("result " + why)
	} else {
		fates := []fate{asPlanned, asPlanned, asPlanned, asPlanned, asErrored, asHalf, asCanceled}
		p.create(&plainRun{destroys: true, byItself: true, fate: fates[p.random.IntN(len(fates))]})
	}
	p.changed(now)
}

// create is a run that is made.
func (p *plain) create(r *plainRun) {
	p.runs, p.newest = append(p.runs, r), r
	p.asked = false // a run comes first
	p.says("created")
}

// ends is the end of the first of its runs.
func (p *plain) ends(status run.Status, now time.Time) {
	r := p.runs[0]
	p.runs, r.status = p.runs[1:], status
	if r.byItself {
		p.says("result " + string(status))
	}
	if status == run.Applied {
		p.appliedOnce = true
		p.gone = r.destroys
	}
	p.changed(now)
	p.readySince = now
}

func (p *plain) inForce() bool { return (p.wants || p.organization.enforced) && !p.local }

// hindrance is why it is not assessed though that is in force.
func (p *plain) hindrance() string {
	switch {
	case len(p.runs) > 0:
		return "a run is not over"
	case !p.appliedOnce:
		return "no run was applied"
	case p.newest.status != run.Applied && p.newest.status != run.PlannedAndFinished:
		return "its newest run did not end well"
	case p.resources == 0:
		return "it has no resources"
	case !p.configured:
		return "it has no configuration"
	default:
		return ""
	}
}

// assesses is an assessment that is carried out; it says why there should be none.
func (p *plain) assesses(now time.Time) (why string) {
	switch {
	case p.asked:
	case !p.inForce():
		why = "nobody wants it"
	case p.hindrance() != "":
		why = p.hindrance()
	case !p.mayBeAssessed:
		why = fmt.Sprintf("it was at %s", p.assessed)
	}
	p.asked, p.mayBeAssessed, p.mustBeAssessed = false, false, false
	p.assessed, p.readySince = now, now
	return why
}

// plainFinding is what an assessment finds.
type plainFinding struct {
	failed          bool
	drifted, broken int
}

func plainFindings(n int) plainFinding {
	return []plainFinding{{}, {}, {}, {failed: true}, {drifted: 1}, {drifted: 1, broken: 1}}[n]
}

// found is what is told of an assessment: what is new, and every failure.
func (p *plain) found(f plainFinding) {
	last := p.before
	p.before, p.results = f, min(30, p.results+1)
	drifted, broken := f.drifted > 0 && last.drifted == 0, f.broken > 0 && last.broken == 0
	switch {
	case f.failed:
		p.says("assessment.failed")
	case drifted && broken:
		p.says("assessment.drifted")
		p.says("assessment.check_failure")
	case drifted:
		p.says("assessment.drifted")
	case broken:
		p.says("assessment.check_failure")
	default:
		p.says("assessment.checked")
	}
}
