package fair

import "time"

// credit is how much is worked for a tenant that did not come for long before anything of it counts.
const credit = 20 * time.Millisecond

// mostDebt is what of one long work counts: nobody rests for many seconds.
const mostDebt = 250 * time.Millisecond

// paces is what a tenant may have of a server's time while others are there: a part of it. It rests in between, so that they
// rarely meet a server that is busy.
type paces struct {
	part float64          // of the time; 0: all, and nobody rests
	turn time.Duration    // worked for a tenant before it rests
	each map[string]*pace // by tenant
	next *time.Timer      // ends the rest that ends first
	wake func()           // tells that somebody has rested
}

// pace is what was worked for a tenant beyond its part.
type pace struct {
	debt  time.Duration // less than nothing: it has credit
	at    time.Time     // when the debt was that
	rests bool
}

func (p *paces) of(tenant string, now time.Time) *pace {
	one := p.each[tenant]
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

func (p *paces) worked(tenant string, took time.Duration, now time.Time) {
	if p.part == 0 {
		return
	}
	one := p.of(tenant, now)
	one.debt = min(min(one.debt, credit)+took, mostDebt) // what it had while nobody else was there, or one thing after another, is not made up for
	one.rests = one.debt >= p.turn
}

// rest is for how long a tenant rests: until nothing is left of its debt.
func (p *paces) rest(tenant string, now time.Time) time.Duration {
	if p.part == 0 {
		return 0
	}
	one := p.of(tenant, now)
	if one.rests = one.rests && one.debt > 0; !one.rests {
		return 0
	}
	return time.Duration(float64(one.debt) / p.part)
}

// after wakes when somebody has rested for so long.
func (p *paces) after(rest time.Duration) {
	if p.next == nil {
		p.next = time.AfterFunc(rest, p.wake)
	} else {
		p.next.Reset(rest)
	}
}

// sooner is the shorter of two rests, of those that are any.
func sooner(a, b time.Duration) time.Duration {
	if a == 0 || b > 0 && b < a {
		return b
	}
	return a
}
