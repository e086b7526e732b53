package fair

import "time"

// credit is how much is worked for a tenant that did not come for long before anything of it counts.
const credit = 20 * time.Millisecond

// severalPart is the part of the time of what a tenant who asks it for several things at once has, and severalTurn for how long it works for
// that one before.
const (
	severalPart = 1.0 / 8
	severalTurn = 200 * time.Microsecond
)

// mostRest is for how long somebody rests after a work, at most, and mostWeighed where what is long counts more.
const (
	mostRest    = 500 * time.Millisecond
	mostWeighed = 4 * time.Second
)

// paces is what a tenant may have of a server's time while others are there: a part of it. It rests in between, so that they
// rarely meet a server that is busy.
type paces struct {
	part float64       // of the time; 0: all, and nobody rests
	turn time.Duration // worked for a tenant before it rests
	long time.Duration // rested for one work, at most
	now  func() time.Time
	each map[string]*pace // by tenant
	wake func()           // tells that somebody has rested
	next *time.Timer
	at   time.Time // when it does
}

// pace is what was worked for a tenant beyond its part.
type pace struct {
	debt  time.Duration // less than nothing: it has credit
	at    time.Time     // when the debt was that
	rests bool
}

func (p *paces) of(tenant string) *pace {
	now, one := p.now(), p.each[tenant]
	if one == nil {
		if len(p.each) >= most {
			clear(p.each)
		}
		one = &pace{debt: -credit, at: now}
		p.each[tenant] = one
	}
	one.debt = max(-credit, one.debt-time.Duration(p.part*float64(now.Sub(one.at))))
	one.at = now
	return one
}

func (p *paces) worked(tenant string, took time.Duration) {
	if p.part == 0 {
		return
	}
	one := p.of(tenant)
	counts := min(min(one.debt, credit)+took, time.Duration(p.part*float64(p.long)))
	one.debt = max(one.debt, counts) // what it had while nobody else was there is not made up for
	one.rests = one.debt >= p.turn
}

// rests says whether a tenant rests: until nothing is left of its debt, or nobody else is there. Company is for how long somebody is, less than
// nothing where nobody is. Wake is called at the end of the rest.
func (p *paces) rests(tenant string, company time.Duration) bool {
	if p.part == 0 || company < 0 {
		return false
	}
	one := p.of(tenant)
	if one.rests = one.rests && one.debt > 0; one.rests {
		p.wakeIn(min(time.Duration(float64(one.debt)/p.part), company+1), one.at)
	}
	return one.rests
}

// wakeIn wakes then, unless it does so before.
func (p *paces) wakeIn(rest time.Duration, now time.Time) {
	at := now.Add(rest)
	if now.Before(p.at) && !at.Before(p.at) {
		return
	}
	if p.at = at; p.next == nil {
		p.next = time.AfterFunc(rest, p.wake)
	} else {
		p.next.Reset(rest)
	}
}
