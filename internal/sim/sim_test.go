package sim_test

import (
	"flag"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/belayhq/belay"
	"github.com/belayhq/belay/internal/storetest"
	"github.com/belayhq/belay/run"
)

var (
	oneSeed = flag.Uint64("sim.seed", 0, "the story of this seed alone, with its trace")
	start   = flag.Uint64("sim.first", 1, "the seed of the first story")
	seeds   = flag.Int("sim.seeds", 0, "so many stories")
	steps   = flag.Int("sim.steps", 150, "steps of a story")
)

// stories is how many are told: few in every test, many where slow tests are asked for, and
// no more than BELAY_STORIES.
func stories(few, many int) int {
	if n, err := strconv.Atoi(os.Getenv("BELAY_STORIES")); err == nil && n > 0 {
		many = min(many, n)
	}
	switch {
	case *seeds > 0:
		return *seeds
	case storetest.Slow():
		return many
	default:
		return few
	}
}

// TestStories tells stories of the server and its runners, each of another seed, and holds
// the rules after every step. What fails tells how to see it again.
func TestStories(t *testing.T) { //nolint:paralleltest // the source of ids is the program's
	for engine, n := range map[string]int{"sqlite": stories(24, 1000), "postgres": stories(2, 40)} {
		t.Run(engine, func(t *testing.T) {
			scene, _ := freshScene(t, engine)
			first, last := *start, *start+uint64(n)-1
			if *oneSeed != 0 {
				first, last = *oneSeed, *oneSeed
			}
			for seed := first; seed <= last && !t.Failed(); seed++ {
				t.Run(fmt.Sprint(seed), func(t *testing.T) {
					s := scene
					var url, folder string
					if engine == "sqlite" {
						url, folder = s.copyOf(t)
					} else {
						s, url = freshScene(t, engine)
						folder = s.folder
					}
					trace, why := tell(t, s, url, folder, seed)
					if *oneSeed != 0 {
						t.Log("\n" + trace)
					}
					if why != "" {
						t.Fatalf("%s\n%s\nseed %d: go test ./internal/sim -run TestStories/%s -sim.seed %d -sim.steps %d", trace, why, seed, engine, seed, *steps)
					}
				})
			}
		})
	}
}

// TestASeedIsOneStory tells a story twice, and wants every step to be the same.
func TestASeedIsOneStory(t *testing.T) { //nolint:paralleltest // the source of ids is the program's
	scene, _ := freshScene(t, "sqlite")
	var first string
	for range 2 {
		url, folder := scene.copyOf(t)
		trace, why := tell(t, scene, url, folder, 7)
		if why != "" {
			t.Fatal(why)
		}
		if first == "" {
			first = trace
		}
		if trace != first {
			t.Fatalf("the same seed told\n%s\nand then\n%s", first, trace)
		}
	}
}

// tell tells one story, and why it must not go like that.
func tell(t *testing.T, s scene, url, folder string, seed uint64) (trace, why string) {
	t.Helper()
	w := newWorld(t, s, url, folder, seed)
	defer func() {
		w.end()
		trace = w.told()
		if panicked := recover(); panicked != nil {
			text, ours := panicked.(broken)
			if !ours {
				panic(panicked)
			}
			why = string(text)
		}
	}()
	for range *steps {
		w.step()
		w.rules.look()
		if w.chance.IntN(8) == 0 {
			w.rules.logs()
		}
	}
	w.settle()
	return w.told(), ""
}

// end stops what is left.
func (w *world) end() {
	for _, m := range w.machines {
		if m.process != nil {
			m.halt()
		}
	}
	if w.server != nil {
		_ = w.server.db.Close()
	}
}

// local lets everything go on that needs no call.
func (w *world) local() {
	for again := true; again; {
		again = false
		for _, l := range w.lanes(func(a *ask) bool { return a.ready != nil && a.ready() }) {
			if l.process.alive && l.waits != nil && l.waits.ready != nil && l.waits.ready() {
				l.goOn()
				again = true
			}
		}
	}
}

// lanes is those that wait for something.
func (w *world) lanes(which func(*ask) bool) (list []*lane) {
	for _, m := range w.machines {
		if m.process == nil {
			continue
		}
		for _, l := range m.process.lanes {
			if l.waits != nil && which(l.waits) {
				list = append(list, l)
			}
		}
	}
	return list
}

func (w *world) engines() (list []*engine) {
	for _, m := range w.machines {
		for _, f := range m.folders {
			if f.engine != nil && !f.engine.over {
				list = append(list, f.engine)
			}
		}
	}
	return list
}

// step is one thing that happens, by chance.
func (w *world) step() {
	w.local()
	calls := w.lanes(func(a *ask) bool { return a.ready == nil })
	switch n := w.chance.IntN(100); {
	case n < 60 && len(calls) > 0:
		w.deliver(calls[w.chance.IntN(len(calls))])
	case n < 72:
		if list := w.engines(); len(list) > 0 {
			list[w.chance.IntN(len(list))].work(w)
		}
	case n < 84:
		d := time.Duration(1+w.chance.IntN(6000)) * time.Millisecond
		w.note("%s pass", d)
		w.tick(d)
	case n < 94 && w.server != nil:
		w.click()
	default:
		w.mishap()
	}
	w.local()
}

// mishap is one thing that goes wrong.
func (w *world) mishap() {
	m := w.machines[w.chance.IntN(len(w.machines))]
	switch n := w.chance.IntN(20); {
	case w.server == nil:
		w.note("the server starts")
		w.start()
	case n < 3:
		w.kill("")
	case n < 7:
		w.hurt(m)
	case n < 9:
		if list := w.engines(); len(list) > 0 {
			e := list[w.chance.IntN(len(list))]
			w.note("the engine of %s is killed", e.folder.job.ID)
			e.kill()
		}
	case n < 12 && len(w.strays) > 0:
		w.echo()
	case n < 15:
		d := []time.Duration{25 * time.Second, 40 * time.Second, 90 * time.Second, 11 * time.Minute, 16 * time.Minute}[w.chance.IntN(5)]
		w.note("%s pass, and nobody hears of another", d)
		w.tick(d)
	case n < 17:
		d := []time.Duration{-90 * time.Second, -5 * time.Second, 20 * time.Second, time.Hour}[w.chance.IntN(4)]
		w.note("the clock jumps by %s", d)
		w.clock = w.clock.Add(d)
	default:
		if m.process == nil {
			m.boot()
		}
	}
}

// hurt kills a runner, or its whole machine; another one comes in its place.
func (w *world) hurt(m *machine) {
	switch {
	case m.process == nil:
		m.boot()
	case w.chance.IntN(3) == 0:
		w.note("%s is gone for good", m.name)
		m.halt()
		w.machines = slices.DeleteFunc(w.machines, func(o *machine) bool { return o == m })
		w.addMachine()
	default:
		w.note("%s: the runner is killed", m.name)
		m.halt()
	}
}

// settle lets everything come to its end, and wants that nothing is stuck.
func (w *world) settle() {
	w.note("from here on nothing goes wrong")
	w.calm = true
	if w.server == nil {
		w.start()
	}
	for _, m := range w.machines {
		if m.process == nil {
			m.boot()
		}
	}
	for round := range 400 {
		w.calmRound()
		w.rules.look()
		if w.settled() {
			break
		}
		if round%40 == 39 {
			w.tick(16 * time.Minute) // what is lost for good is given up
		}
		if round > 20 {
			w.attend()
		}
	}
	for range 3 {
		w.tick(40 * time.Second)
	}
	w.rules.look()
	w.rules.logs()
	if left := w.left(); left != "" {
		w.tellEnd()
		w.fail("it is not over: %s", left)
	}
}

// calmRound delivers every call once, and lets every engine and the clock go on.
func (w *world) calmRound() {
	for _, l := range w.lanes(func(a *ask) bool { return a.ready == nil }) {
		if l.process.alive && l.waits != nil && l.waits.ready == nil {
			w.deliver(l)
			w.local()
		}
	}
	for _, e := range w.engines() {
		e.work(w)
	}
	w.tick(2 * time.Second)
	w.local()
}

// tellEnd notes how everything stands.
func (w *world) tellEnd() {
	for _, space := range w.known.spaces {
		found, err := w.server.verbs.Workspace(w.t.Context(), w.admin, belay.WorkspaceRef{ID: space.ID})
		w.note("%s: lock of %v, current run %s %s %v", space.Name, found.Lock.Holder, found.CurrentRunID, found.CurrentRunStatus, err)
	}
	for _, id := range w.known.order {
		r := w.known.runs[id]
		w.note("%s of %s: %s, plan only %v, saved %v", id, r.WorkspaceID, r.Status, r.PlanOnly, r.SavePlan)
	}
}

func (w *world) settled() bool { return w.left() == "" }

// left is what is not over.
func (w *world) left() string {
	var what []string
	for _, id := range w.known.order {
		if r := w.known.runs[id]; !r.Status.Final() {
			what = append(what, fmt.Sprintf("run %s is %s", id, r.Status))
		}
	}
	for id, j := range w.known.jobs {
		if j.State != run.JobEnded {
			what = append(what, fmt.Sprintf("job %s of run %s is %s", id, j.RunID, j.State))
		}
	}
	slices.Sort(what)
	return strings.Join(what, "\n")
}

// attend does what people would: opens locks that stay, and discards what waits for them.
func (w *world) attend() {
	for _, space := range w.known.spaces {
		found, err := w.server.verbs.Workspace(w.t.Context(), w.admin, belay.WorkspaceRef{ID: space.ID})
		if err != nil {
			w.fail("%v", err)
		}
		holder := found.Lock.Holder
		if found.Lock.Held() && (holder.Type != "runs" || w.known.runs[holder.ID].KeepsLock) {
			w.known.opening(space.ID)
			if _, err := w.server.verbs.ForceUnlockWorkspace(w.t.Context(), w.admin, belay.WorkspaceRef{ID: space.ID}); err != nil {
				w.fail("%v", err)
			}
			w.note("somebody opens %s", space.Name)
		}
		for _, id := range w.known.unfinished(space.ID) {
			if r := w.known.runs[id]; r.Status.Resting() {
				w.note("somebody discards %s: %v", id, w.server.runs.Discard(w.t.Context(), w.admin, id, ""))
			}
		}
	}
}
