package runner

import (
	"time"

	"github.com/belayhq/belay/internal/isolate"
	"github.com/belayhq/belay/run"
)

// order takes an order. Only a stronger one than before does something.
func (j *job) order(o run.Order) {
	strength := map[run.Order]int{run.NoOrder: 0, run.CancelOrder: 1, run.KillOrder: 2, run.GoneOrder: 3}
	j.mu.Lock()
	if strength[o] <= strength[j.asked] {
		j.mu.Unlock()
		return
	}
	j.asked = o
	current := j.current
	j.mu.Unlock()
	j.obeyOn(current, o)
	select {
	case j.told <- struct{}{}:
	default:
	}
}

// killAfter is how long an engine that is told a second time may still write its state.
const killAfter = 5 * time.Second

// obeyOn tells an order to a step. The engine of an apply that is given up is left to its
// end: what it makes has to be known.
func (j *job) obeyOn(r *isolate.Running, o run.Order) {
	if r == nil {
		return
	}
	switch {
	case o == run.CancelOrder:
		r.Interrupt()
	case o == run.KillOrder:
		r.Interrupt()
		go func() {
			select {
			case <-r.Done():
			case <-time.After(killAfter):
				r.Kill()
			}
		}()
	case o == run.GoneOrder && j.Kind != run.ApplyJob:
		r.Kill()
	}
}

func (j *job) askedFor() run.Order {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.asked
}
