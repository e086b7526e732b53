package moving

import (
	"fmt"
	"io"
	"strings"
	"time"
)

// expect says how many more workspaces there are to come.
func (r *Report) expect(workspaces int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.expected += workspaces
}

// step says that a workspace is done.
func (r *Report) step() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.steps++
}

// state says that a state version is done.
func (r *Report) state(size int64) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.stateCount++
	r.bytes += size
}

// Line is how far the walk has come, at what rate, and how long it may still take.
func (r *Report) Line(since time.Duration) string {
	r.mu.Lock()
	defer r.mu.Unlock()
	rate := float64(r.steps) / max(since.Seconds(), 0.001)
	line := fmt.Sprintf("%d of %d workspaces, %d states (%.1f MiB), %.1f workspaces a second", r.steps, max(r.expected, r.steps),
		r.stateCount, float64(r.bytes)/(1<<20), rate)
	if rate > 0 && r.expected > r.steps {
		line += fmt.Sprintf(", %s left", time.Duration(float64(r.expected-r.steps)/rate*float64(time.Second)).Round(time.Second))
	}
	return line
}

// share is how much of the walk is done, from 0 to 1.
func (r *Report) share() float64 {
	r.mu.Lock()
	defer r.mu.Unlock()
	return float64(r.steps) / float64(max(r.expected, r.steps, 1))
}

// Show shows how far the walk has come until done is closed: a bar at a terminal, a line
// now and then elsewhere.
func (r *Report) Show(w io.Writer, terminal bool, done <-chan struct{}) {
	every := 15 * time.Second
	if terminal {
		every = 250 * time.Millisecond
	}
	tick := time.NewTicker(every)
	defer tick.Stop()
	for start := time.Now(); ; {
		select {
		case <-tick.C:
			r.show(w, terminal, time.Since(start))
		case <-done:
			if terminal {
				r.show(w, terminal, time.Since(start))
				_, _ = fmt.Fprintln(w)
			}
			return
		}
	}
}

const barWidth = 24

func (r *Report) show(w io.Writer, terminal bool, since time.Duration) {
	if !terminal {
		_, _ = fmt.Fprintln(w, r.Line(since))
		return
	}
	full := int(r.share() * barWidth)
	_, _ = fmt.Fprintf(w, "\r\x1b[K[%s%s] %s", strings.Repeat("#", full), strings.Repeat(".", barWidth-full), r.Line(since))
}
