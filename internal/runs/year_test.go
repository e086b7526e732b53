package runs_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/belayhq/belay"
	"github.com/belayhq/belay/internal/patch"
	"github.com/belayhq/belay/internal/runs"
	"github.com/belayhq/belay/internal/store"
	"github.com/belayhq/belay/run"
)

// year is a story of many workspaces, told to the server and to the plain model: after every
// look at what is due, what the server did must be what the model says.
type year struct {
	*house
	*plainWorld
	random *rand.Rand
	ahead  time.Duration // how far moments are set ahead
	step   int           // minutes between two looks, at most
	other  *runs.Room    // another replica
	at     map[string]*plain
	seen   map[string]bool // events
	marks  map[string]int  // what came about, how often: a story in which nothing happens says little
}

// TestAYearOfSchedulesAndAssessments holds a year of auto-destroy and assessments against the
// plain model: what is due comes once and nothing is missed, whatever crashes meanwhile.
func TestAYearOfSchedulesAndAssessments(t *testing.T) {
	seed, err := strconv.ParseUint(os.Getenv("BELAY_YEAR_SEED"), 10, 64)
	if err != nil {
		seed = 11
	}
	if os.Getenv("BELAY_SLOW") == "" {
		each(t, func(t *testing.T, h *house) { newYear(h, seed, 8, 4*day, 400).live(10 * day) })
		return
	}
	workspaces := 1000
	if n, err := strconv.Atoi(os.Getenv("BELAY_YEAR_WORKSPACES")); err == nil && n > 0 {
		workspaces = n
	}
	each(t, func(t *testing.T, h *house) { newYear(h, seed, workspaces, 40*day, 700).live(365 * day) })
}

// newYear furnishes an organization of most of the workspaces, and one of the others, which are
// all assessed at times.
func newYear(h *house, seed uint64, workspaces int, ahead time.Duration, step int) *year {
	h.t.Helper()
	y := &year{
		house: h, plainWorld: &plainWorld{}, random: rand.New(rand.NewPCG(seed, seed)),
		other: runs.New(h.Config), at: map[string]*plain{}, seen: map[string]bool{}, marks: map[string]int{}, ahead: ahead, step: step,
	}
	ctx := h.t.Context()
	_, err := h.verbs.CreateOrganization(ctx, h.admin, belay.OrganizationPatch{Name: patch.Of("small"), Email: patch.Of("a@example.com")})
	h.must(err)
	for _, o := range []*plainOrganization{{name: "acme"}, {name: "small"}} {
		y.organizations = append(y.organizations, o)
		for i := range 4 {
			made, err := h.verbs.CreateProject(ctx, h.admin, o.name, belay.ProjectPatch{Name: patch.Of(fmt.Sprintf("part%d", i))})
			h.must(err)
			o.projects = append(o.projects, &plainProject{id: made.ID})
		}
	}
	for i := range workspaces {
		o := y.organizations[0]
		if i%50 == 7 {
			o = y.organizations[1]
		}
		project := o.projects[i%len(o.projects)]
		made, err := h.verbs.CreateWorkspace(ctx, h.admin, o.name, belay.WorkspacePatch{Name: patch.Of(fmt.Sprintf("w%04d", i)), ProjectID: patch.Of(project.id)})
		h.must(err)
		p := &plain{
			world: y.plainWorld, random: rand.New(rand.NewPCG(seed, uint64(i))),
			id: made.ID, name: made.Name, organization: o, project: project, inherits: true, mayDestroy: true, latest: made.LatestChangeAt, configured: i%20 != 3,
		}
		if p.configured {
			h.configure(made.Workspace)
		}
		y.spaces, y.at[p.id] = append(y.spaces, p), p
		if p.configured && i%3 != 0 {
			y.run(p, asPlanned)
		}
	}
	y.look()
	return y
}

// live lets time pass: people do this and that, and the server looks at what is due.
func (y *year) live(span time.Duration) {
	y.t.Helper()
	began, sweep := y.now(), y.now()
	for y.now().Sub(began) < span {
		y.pass(time.Duration(10+y.random.IntN(y.step)) * time.Minute)
		switch y.random.IntN(40) {
		case 0:
			y.pass(time.Duration(y.random.IntN(40)) * time.Hour) // nobody was there
		case 1:
			y.pass(-time.Duration(y.random.IntN(100)) * time.Minute) // the clock is set back
		}
		for range y.random.IntN(4) {
			y.pass(time.Millisecond)
			y.story()
		}
		y.pass(time.Second)
		y.look()
		if y.now().Sub(sweep) > 5*day {
			sweep = y.now()
			y.sweep()
		}
		if y.t.Failed() {
			y.t.Fatalf("after %s of the story", y.now().Sub(began))
		}
	}
	y.sweep()
	y.t.Logf("%d workspaces, %s: %v", len(y.spaces), y.now().Sub(began).Round(time.Hour), y.marks)
	for _, what := range []string{"reminder", "created", "result applied", "assessment.checked"} {
		if y.marks[what] < len(y.spaces)/8 {
			y.t.Errorf("%d times %q with %d workspaces say little", y.marks[what], what, len(y.spaces))
		}
	}
}

// look has the server look at what is due, carries out what it made, and compares.
func (y *year) look() {
	y.t.Helper()
	ctx := y.t.Context()
	switch y.random.IntN(8) {
	case 0: // it dies in the middle
		dying, die := context.WithTimeout(ctx, time.Duration(y.random.IntN(3000))*time.Microsecond)
		_ = y.Reconcile(dying)
		die()
	case 1: // two look at the same
		done := make(chan error, 1)
		go func() { done <- y.other.Reconcile(ctx) }()
		y.must(y.Reconcile(ctx))
		y.must(<-done)
	}
	y.must(y.Reconcile(ctx))
	y.must(y.Reconcile(ctx))
	y.plainWorld.look(y.now())
	y.carry()
	for _, p := range y.spaces {
		if p.mustBeAssessed {
			y.t.Errorf("%s: %s was not assessed, the last time at %s", y.now(), p.name, p.assessed)
		}
	}
	y.compare()
}

// compare wants of what the server said exactly what the model says.
func (y *year) compare() {
	y.t.Helper()
	var got []string
	y.must(y.db.View(y.t.Context(), func(v *store.View) error {
		got = nil
		for _, o := range y.organizations {
			of, err := v.Organization(o.name)
			if err != nil {
				return err
			}
			list, _, err := v.Events(of, belay.AuditQuery{Since: y.now().Add(-2 * time.Second), Page: belay.Page{Number: 1, Size: 10000}})
			if err != nil {
				return err
			}
			for _, e := range list {
				if p := y.at[e.WorkspaceID]; p != nil && !y.seen[e.ID] {
					y.seen[e.ID] = true
					got = append(got, said(p, e)...)
				}
			}
		}
		return nil
	}))
	want := y.lines
	y.lines = nil
	slices.Sort(got)
	slices.Sort(want)
	if !slices.Equal(got, want) {
		y.t.Errorf("%s: the server did\n\t%s\nand the model says\n\t%s", y.now().UTC(), strings.Join(without(got, want), "\n\t"), strings.Join(without(want, got), "\n\t"))
	}
	for _, line := range want {
		_, what, _ := strings.Cut(line, " ")
		y.marks[what]++
	}
}

// without is what is in one list and not in another.
func without(list, other []string) []string {
	return slices.DeleteFunc(slices.Clone(list), func(line string) bool { return slices.Contains(other, line) })
}

// said is an event in the words of the model, if it knows such.
func said(p *plain, e belay.Event) []string {
	fact := func(name string) string {
		_, after, _ := strings.Cut(e.Payload, `"`+name+`":"`)
		word, _, _ := strings.Cut(after, `"`)
		return word
	}
	switch {
	case e.Kind == "workspace.auto_destroy_reminder":
		return []string{p.name + " reminder"}
	case e.Kind == "workspace.auto_destroy_results":
		return []string{p.name + " result " + fact("error") + fact("status")}
	case e.Kind == "run.created":
		return []string{p.name + " created"}
	case strings.HasPrefix(e.Kind, "assessment."):
		return []string{p.name + " " + e.Kind}
	default:
		return nil
	}
}

// sweep compares all workspaces with the model.
func (y *year) sweep() {
	y.t.Helper()
	y.must(y.db.View(y.t.Context(), func(v *store.View) error {
		for _, o := range y.organizations {
			of, err := v.Organization(o.name)
			if err != nil {
				return err
			}
			list, _, err := v.Workspaces(of, belay.WorkspaceQuery{Scope: belay.Scope{Everything: true}, Page: belay.Page{Number: 1, Size: len(y.spaces)}})
			if err != nil {
				return err
			}
			for i := range list {
				w, p := &list[i], y.at[list[i].ID]
				if p == nil {
					continue
				}
				if !w.DestroyAt().Equal(p.moment()) || (w.DestroyStatus() == "errored") != p.failed || w.AssessingID != "" || w.DestroyDuration() != words(p.duration()) {
					y.t.Errorf("%s: %s is destroyed at %s (%s, %q), want %s (%s, failed %v)", y.now().UTC(), w.Name,
						w.DestroyAt(), w.DestroyDuration(), w.DestroyStatus(), p.moment(), p.duration(), p.failed)
				}
			}
		}
		return nil
	}))
}

// carry carries out all that waits for a runner, as the model has decided.
func (y *year) carry() {
	y.t.Helper()
	ctx := y.t.Context()
	y.runner = y.register("r", "")
	for more := true; more; {
		more = false
		for _, p := range y.spaces {
			for len(p.runs) > 0 && p.runs[0].fate == asCanceled {
				more = true
				y.must(y.Cancel(ctx, y.admin, y.current(p), ""))
				p.ends(run.Canceled, y.now())
			}
		}
		claimed, err := y.Claim(ctx, y.runner, run.Claim{Slots: 4, Nonce: belay.RandomText(8)})
		y.must(err)
		for _, j := range claimed.Jobs {
			more = true
			_, err := y.Start(ctx, j.Lease, run.Start{})
			y.must(err)
			y.job(y.at[j.WorkspaceID], j)
		}
		if more {
			y.must(y.Reconcile(ctx))
		}
	}
}

// job carries a job out.
func (y *year) job(p *plain, j run.ClaimedJob) {
	y.t.Helper()
	failed := run.End{Outcome: run.Failed, ExitCode: 1, Error: "Error: no"}
	if j.Kind == run.AssessJob {
		if why := p.assesses(y.now()); why != "" {
			y.t.Errorf("%s: %s is assessed, and %s", y.now().UTC(), p.name, why)
		}
		found := plainFindings(p.random.IntN(6))
		*y.files.found = run.Findings{ResourcesDrifted: found.drifted, ChecksFailed: found.broken}
		end := planned(found.drifted > 0)
		if found.failed {
			end = failed
		}
		y.end(j, end)
		p.found(found)
		return
	}
	if len(p.runs) == 0 {
		y.t.Fatalf("%s: %s has a job of no run", y.now().UTC(), p.name)
	}
	switch r := p.runs[0]; {
	case r.fate == asErrored:
		y.end(j, failed)
		p.ends(run.Errored, y.now())
	case j.Kind == run.PlanJob && r.fate == asNothing:
		y.end(j, planned(false))
		p.ends(run.PlannedAndFinished, y.now())
	case j.Kind == run.PlanJob:
		y.end(j, planned(true))
		r.waits = r.fate == asHeld
	default:
		y.must(y.Step(y.t.Context(), j.Lease, run.ApplyStep))
		status, resources, end := run.Applied, 1+p.random.IntN(3), applied
		if r.destroys {
			resources = 0
		}
		if r.fate == asHalf {
			status, resources, end = run.Errored, 1, run.End{Outcome: run.Failed, ExitCode: 1, Error: "Error: no", StateHome: true}
		}
		y.state(p, resources)
		y.end(j, end)
		p.ends(status, y.now())
	}
}

// current is the run of a workspace that is not over.
func (y *year) current(p *plain) string {
	y.t.Helper()
	w, err := y.verbs.Workspace(y.t.Context(), y.admin, belay.WorkspaceRef{ID: p.id})
	y.must(err)
	return w.CurrentRunID
}

// state gives a workspace a state.
func (y *year) state(p *plain, resources int) {
	y.t.Helper()
	y.must(y.db.Update(y.t.Context(), func(tx *store.Tx) error {
		w, err := tx.Workspace(belay.WorkspaceRef{ID: p.id})
		if err != nil {
			return err
		}
		v := belay.StateVersion{
			ID: belay.NewID("sv"), WorkspaceID: w.ID, Status: belay.StateFinalized, CreatedAt: tx.Now, Contents: belay.StateContents{ManagedCount: resources},
		}
		if err := tx.AddStateVersion(&v); err != nil {
			return err
		}
		w.TakeState(&v)
		return tx.SaveState(&w, &v, true, nil)
	}))
	p.takes(resources, y.now())
}
