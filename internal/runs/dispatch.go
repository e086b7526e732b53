package runs

import (
	"context"
	"math/rand/v2"
	"sync"
	"time"

	"github.com/belayhq/belay/internal/store"
	"github.com/belayhq/belay/run"
)

// lookAgain is how often waiting claims look for jobs that they were not told of.
const lookAgain = time.Second

// dispatcher serves the claims that wait, all of one replica in one transaction.
type dispatcher struct {
	mu      sync.Mutex
	waiting []*claimant
	serving bool
}

// park waits until a claim gets a job, its time is over, or its runner goes away.
func (d *dispatcher) park(ctx context.Context, m *Room, c *claimant, wait time.Duration) (run.Claimed, error) {
	d.add(m, c)
	over := time.NewTimer(wait)
	defer over.Stop()
	select {
	case got := <-c.answer:
		return got.Claimed, got.err
	case <-over.C:
	case <-ctx.Done():
	}
	if d.leave(c) {
		return run.Claimed{}, nil
	}
	got := <-c.answer // it is being served: what it gets is its own
	return got.Claimed, got.err
}

func (d *dispatcher) add(m *Room, c *claimant) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.waiting = append(d.waiting, c)
	if !d.serving {
		d.serving = true
		go d.serve(m)
	}
}

// leave takes a claim out; false says that it is being served for the last time, and that
// its answer follows.
func (d *dispatcher) leave(c *claimant) bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	for i, other := range d.waiting {
		if other == c {
			d.waiting = append(d.waiting[:i], d.waiting[i+1:]...)
			return true
		}
	}
	c.left = true
	return false
}

// next takes the claims that one transaction serves out; none ends the serving.
func (d *dispatcher) next() []*claimant {
	d.mu.Lock()
	defer d.mu.Unlock()
	n := min(len(d.waiting), maxClaims)
	if n == 0 {
		d.serving = false
		return nil
	}
	batch := d.waiting[:n:n]
	d.waiting = append([]*claimant(nil), d.waiting[n:]...)
	return batch
}

// putBack lets claims wait on that got nothing, before those that came meanwhile; who left
// while it was served is answered with nothing. Whoever was answered may have taken the
// answer already, and must get no second one: nobody would hear of its jobs.
func (d *dispatcher) putBack(batch []*claimant) {
	d.mu.Lock()
	defer d.mu.Unlock()
	var still []*claimant
	for _, c := range batch {
		switch {
		case c.served:
		case c.left:
			c.answer <- claimed{}
		default:
			still = append(still, c)
		}
	}
	d.waiting = append(still, d.waiting...)
}

// serve gives jobs to waiting claims as they come, while any claim waits.
func (d *dispatcher) serve(m *Room) {
	told, stop := m.DB.Watch(store.JobsWake)
	defer stop()
	for {
		batch := d.next()
		if batch == nil {
			return
		}
		m.give(store.Background(context.Background()), batch, false)
		more := false
		for _, c := range batch {
			more = more || c.served
		}
		d.putBack(batch)
		if more {
			continue // there may be jobs for the others, too
		}
		// Away from the others' beat, so that replicas do not look all at once.
		pause := time.NewTimer(time.Duration(float64(lookAgain) * (0.8 + 0.4*rand.Float64())))
		select {
		case <-told:
		case <-pause.C:
		}
		pause.Stop()
	}
}
