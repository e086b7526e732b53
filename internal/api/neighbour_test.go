package api_test

import (
	"fmt"
	"net/http"
	"slices"
	"sync/atomic"
	"testing"
	"time"

	"github.com/belayhq/belay"
	"github.com/belayhq/belay/internal/storetest"
	"github.com/belayhq/belay/run"
)

// BenchmarkANeighboursLock has somebody in another organization lock and unlock a workspace
// without a pause: while nothing else goes on, and then while every route is sent the largest
// body that it takes, many times each. It prints how long the locks took:
//
//	scripts/with-postgres go test ./internal/api -run '^$' -bench NeighboursLock -benchtime 1x
func BenchmarkANeighboursLock(b *testing.B) {
	for _, engine := range []string{"sqlite", "postgres"} {
		b.Run(engine, func(b *testing.B) {
			w := newServer(b, storetest.Open(b, engine))
			w.settle()
			many := newLargest(w)
			many.makeMany()
			n := newNeighbour(w)
			b.ResetTimer()
			for b.Loop() {
				n.measure(many)
			}
			b.ReportMetric(milliseconds(n.quiet(0.99)), "quiet-p99-ms")
			b.ReportMetric(milliseconds(quantile(n.busy, 0.99)), "busy-p99-ms")
		})
	}
}

// repeats is how often each route is sent its largest body.
const repeats = 20

// neighbour locks its own workspace all the time.
type neighbour struct {
	w     *world
	path  string
	alone []time.Duration // how long locks took while nothing else went on
	busy  []time.Duration // and while large bodies were worked on
}

func newNeighbour(w *world) *neighbour {
	w.make("/organizations", `{"data":{"type":"organizations","attributes":{"name":"neighbour","email":"n@example.com"}}}`)
	id := w.make("/organizations/neighbour/workspaces", `{"data":{"attributes":{"name":"w"}}}`)
	return &neighbour{w: w, path: "/api/v2/workspaces/" + id + "/actions/"}
}

// during is how long each lock took while do ran, and at least one.
func (n *neighbour) during(do func()) (took []time.Duration) {
	var over atomic.Bool
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		for first := true; first || !over.Load(); first = false {
			for _, verb := range []string{"lock", "unlock"} {
				begun := time.Now()
				if status, answer := n.w.send(http.MethodPost, n.path+verb, n.w.admin, ""); status != http.StatusOK {
					n.w.t.Errorf("%s: %d %s", verb, status, answer)
				}
				took = append(took, time.Since(begun))
			}
		}
	}()
	do()
	over.Store(true)
	<-ended
	return took
}

// measure goes through all routes, and logs those that locks waited for the longest.
func (n *neighbour) measure(many *largest) {
	n.alone = append(n.alone, n.during(func() { time.Sleep(3 * time.Second) })...)
	type figure struct {
		route  string
		took   []time.Duration // each lock
		worst  []time.Duration // the longest beside each request
		status int
	}
	var figures []figure
	for _, c := range n.w.wireCalls() {
		f := figure{route: c.method + " " + run.WirePath + c.path}
		for range repeats {
			took := n.during(func() { f.status, _ = n.w.callWire(c) })
			f.took, f.worst = append(f.took, took...), append(f.worst, slices.Max(took))
		}
		n.busy = append(n.busy, f.took...)
		figures = append(figures, f)
	}
	for _, a := range areas() {
		for _, r := range a.rows {
			// As many entries as may be named; where that is refused, as many as are taken.
			for _, many.entries = range []int{belay.MaxListed, 100, belay.MaxTagBindings, 1} {
				f := figure{route: fmt.Sprintf("%s of %d", r.route, many.entries)}
				for range repeats {
					if r.body == "" {
						continue
					}
					method, path, body, ok := many.request(r)
					if !ok {
						continue
					}
					took := n.during(func() { f.status, _ = n.w.send(method, path, many.asks.token, body) })
					f.took, f.worst = append(f.took, took...), append(f.worst, slices.Max(took))
				}
				if f.status != 0 {
					n.busy = append(n.busy, f.took...)
					figures = append(figures, f)
				}
				if f.status != http.StatusUnprocessableEntity {
					break
				}
			}
		}
	}
	slices.SortFunc(figures, func(a, b figure) int { return int(quantile(b.worst, 0.5) - quantile(a.worst, 0.5)) })
	fmt.Printf("%d locks alone: median %.1f ms, p99 %.1f ms, worst %.1f ms; %d beside large bodies: median %.1f ms, p99 %.1f ms.\n",
		len(n.alone), milliseconds(n.quiet(0.5)), milliseconds(n.quiet(0.99)), milliseconds(n.quiet(1)),
		len(n.busy), milliseconds(quantile(n.busy, 0.5)), milliseconds(quantile(n.busy, 0.99)))
	for _, f := range figures { // the log of a benchmark has ten lines at the most
		fmt.Printf("%8.1f ms (median of the worst beside each request) %8.1f ms (p99 of all %d) %s: %d\n",
			milliseconds(quantile(f.worst, 0.5)), milliseconds(quantile(f.took, 0.99)), len(f.took), f.route, f.status)
	}
}

func (n *neighbour) quiet(q float64) time.Duration { return quantile(n.alone, q) }

func quantile(list []time.Duration, q float64) time.Duration {
	list = slices.Sorted(slices.Values(list))
	return list[min(len(list)-1, int(q*float64(len(list))))]
}

func milliseconds(d time.Duration) float64 { return float64(d) / float64(time.Millisecond) }
