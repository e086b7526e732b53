package main

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"
)

// What is measured of runs, with runners whose engine does nothing: what is left is Belay.
const (
	benchSpaces  = 256
	benchRunners = 4
	benchSlots   = 16
	benchLogs    = 200
	benchWaiting = 10_000
)

// engineOfRuns measures runs on one engine.
func (p *plan) engineOfRuns(ctx context.Context, engine string, _ []int) error {
	url, dir, cleanup, err := p.database(ctx, engine)
	if err != nil {
		return err
	}
	defer cleanup()
	t, err := startServer(url, dir)
	if err != nil {
		return err
	}
	defer t.stop()
	if err := t.prepare(); err != nil {
		return err
	}
	if err := t.fill(benchSpaces); err != nil {
		return err
	}
	c, err := t.connect()
	if err != nil {
		return err
	}
	if status, answer, err := c.do("GET", "/configure?workspace="+strings.Join(t.ids, "&workspace="), ""); err != nil || status != 200 {
		return fmt.Errorf("configure: %d %s %w", status, answer, err)
	}
	w := &crew{t: t, claimed: map[string]time.Time{}, ended: map[string]chan struct{}{}}
	for i := range benchRunners {
		if err := w.register(i); err != nil {
			return err
		}
	}
	fmt.Printf("\n### runs on %s, %d runners of %d slots\n\n| what | |\n|---|---|\n", engine, benchRunners, benchSlots)
	for _, one := range []struct {
		name    string
		measure func(*crew) error
	}{{"one by one", p.oneByOne}, {"together", p.together}, {"beside logs", p.beside}, {"waiting", p.waiting}} {
		if !strings.Contains(one.name, p.only) {
			continue
		}
		if err := one.measure(w); err != nil {
			return err
		}
	}
	return nil
}

func line(what, format string, args ...any) {
	fmt.Printf("| %s | %s |\n", what, fmt.Sprintf(format, args...))
}

// oneByOne measures how long a run waits for a runner that has nothing to do.
func (p *plan) oneByOne(w *crew) error {
	c, err := w.t.connect()
	if err != nil {
		return err
	}
	var whole, taken []time.Duration
	for i := range 200 {
		began := time.Now()
		id, err := w.post(c, w.t.ids[i%len(w.t.ids)])
		if err != nil {
			return err
		}
		w.applied(id)
		whole = append(whole, time.Since(began))
		w.mu.Lock()
		taken = append(taken, w.claimed[id].Sub(began))
		w.mu.Unlock()
	}
	line("from the request of a run to its runner, p50 / p99", "%s", ends(taken))
	line("a whole run, one at a time, p50 / p99", "%s", ends(whole))
	return nil
}

func ends(took []time.Duration) string {
	slices.Sort(took)
	return fmt.Sprintf("%s / %s", took[len(took)/2].Round(100*time.Microsecond), took[len(took)*99/100].Round(100*time.Microsecond))
}

// together measures runs a second, with as many under way as there are slots.
func (p *plan) together(w *crew) error {
	before, err := w.t.statements()
	if err != nil {
		return err
	}
	cpu, err := w.t.ask("/cpu")
	if err != nil {
		return err
	}
	const clients = benchRunners * benchSlots
	done, failed := make([]int, clients), make([]error, clients)
	began := time.Now()
	var all sync.WaitGroup
	for client := range clients {
		all.Go(func() {
			c, err := w.t.connect()
			for n := 0; err == nil && time.Since(began) < p.each; n++ {
				var id string
				if id, err = w.post(c, w.t.ids[client+n%4*clients]); err == nil {
					w.applied(id)
					done[client]++
				}
			}
			failed[client] = err
		})
	}
	all.Wait()
	elapsed, total := time.Since(began), 0
	for i, n := range done {
		if total += n; failed[i] != nil {
			return failed[i]
		}
	}
	after, err := w.t.statements()
	if err != nil {
		return err
	}
	line("runs a second, plan and apply", "%.0f", float64(total)/elapsed.Seconds())
	used, err := w.t.ask("/cpu")
	line("processor time of the server for a run", "%.1f ms", float64(used-cpu)/1000/float64(total))
	line("statements of a run, with claims that found nothing", "%.0f", float64(after-before)/float64(total))
	return err
}

// beside measures what somebody's lock costs while many logs are written.
func (p *plan) beside(w *crew) error {
	c, err := w.t.connect()
	if err != nil {
		return err
	}
	w.mu.Lock()
	w.hold = true
	w.mu.Unlock()
	for i := range benchLogs {
		if _, err := w.post(c, w.t.ids[i+1]); err != nil {
			return err
		}
	}
	for w.count() < benchLogs {
		time.Sleep(10 * time.Millisecond)
	}
	quiet, err := w.locks(c, p.each)
	if err != nil {
		return err
	}
	stop := make(chan struct{})
	var all sync.WaitGroup
	for i := range w.held { // over a second, since runners are not in step
		all.Go(func() { w.write(w.held[i], stop) })
		time.Sleep(time.Second / benchLogs)
	}
	time.Sleep(time.Second)
	loud, err := w.locks(c, p.each)
	close(stop)
	all.Wait()
	line("a lock and its unlock, quiet, p50 / p99", "%s", ends(quiet))
	line(fmt.Sprintf("the same beside %d logs of 50 lines a second", benchLogs), "%s", ends(loud))
	line("p99 beside logs, of quiet", "%.1f", float64(loud[len(loud)*99/100])/float64(quiet[len(quiet)*99/100]))
	return err
}

func (w *crew) count() int {
	w.mu.Lock()
	defer w.mu.Unlock()
	return len(w.held)
}

// locks locks and unlocks one workspace for a while.
func (w *crew) locks(c *connection, each time.Duration) (took []time.Duration, err error) {
	c.token, c.extra = token, ""
	for began := time.Now(); time.Since(began) < each; {
		now := time.Now()
		for _, action := range []string{"lock", "unlock"} {
			if status, answer, err := c.do("POST", v2+"/workspaces/"+w.t.ids[0]+"/actions/"+action, ""); err != nil || status != 200 {
				return nil, fmt.Errorf("%s: %d %s %w", action, status, answer, err)
			}
		}
		took = append(took, time.Since(now))
		time.Sleep(5 * time.Millisecond)
	}
	return took, nil
}

// write sends 50 lines of 100 bytes of a log every second.
func (w *crew) write(h held, stop chan struct{}) {
	c, err := w.t.connect()
	if err != nil {
		return
	}
	text := strings.Repeat(strings.Repeat("x", 99)+"\n", 50)
	for at := 0; ; at += len(text) {
		if _, err := c.wire("PATCH", "logs/"+h.logID, h.lease, fmt.Sprintf("Content-Range: bytes %d-%d/*\r\n", at, at+len(text)-1), text, nil); err != nil {
			fmt.Println("log:", err)
			return
		}
		select {
		case <-stop:
			return
		case <-time.After(time.Second):
		}
	}
}

// waiting measures what runs that wait cost the server: they are behind one that is held.
func (p *plan) waiting(w *crew) error {
	c, err := w.t.connect()
	if err != nil {
		return err
	}
	before, err := w.t.ask("/memory")
	if err != nil {
		return err
	}
	began := time.Now()
	for i := range benchWaiting {
		if _, err := w.post(c, w.t.ids[i%benchLogs+1]); err != nil {
			return err
		}
	}
	took := time.Since(began)
	after, err := w.t.ask("/memory")
	line(fmt.Sprintf("memory of the server for %d runs that wait", benchWaiting), "%+.1f MiB (made in %s)", float64(after-before)/(1<<20), took.Round(time.Second))
	return err
}
