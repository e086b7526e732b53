package runs_test

import (
	"time"

	"github.com/belayhq/belay"
	"github.com/belayhq/belay/internal/patch"
	"github.com/belayhq/belay/run"
)

const day = 24 * time.Hour

// story is something that somebody does.
func (y *year) story() {
	y.t.Helper()
	p := y.spaces[y.random.IntN(len(y.spaces))]
	switch n := y.random.IntN(100); {
	case n < 18:
		y.schedule(p)
	case n < 30:
		if len(p.runs) == 0 {
			y.state(p, y.random.IntN(4))
		}
	case n < 50:
		if p.configured && !p.locked && !p.local {
			y.run(p, []fate{asPlanned, asPlanned, asPlanned, asErrored, asHalf, asHeld, asNothing}[y.random.IntN(7)])
		}
	case n < 60:
		y.answers()
	case n < 75:
		y.hinders(p)
	case n < 82:
		y.watches()
	case n < 86:
		y.onDemand(p)
	case n < 91:
		y.moves(p)
	case n < 92:
		y.gives()
	case n < 93:
		y.enforces()
	default:
		y.patch(p, belay.WorkspacePatch{Description: patch.Of(belay.RandomText(4))})
	}
}

func (y *year) patch(p *plain, want belay.WorkspacePatch) {
	y.t.Helper()
	_, err := y.verbs.UpdateWorkspace(y.t.Context(), y.admin, belay.WorkspaceRef{ID: p.id}, want)
	y.must(err)
}

// schedule sets when a workspace is destroyed, or that it is not.
func (y *year) schedule(p *plain) {
	y.t.Helper()
	now := y.now()
	switch y.random.IntN(6) {
	case 0, 1: // some of them are in the past
		at := now.Add(time.Duration(y.random.IntN(int(y.ahead))) - day/2).Truncate(time.Millisecond).UTC()
		y.patch(p, belay.WorkspacePatch{AutoDestroyAt: patch.Of(at)})
		p.fixed, p.own, p.inherits = at, 0, false
	case 2, 3:
		d := time.Duration(1+y.random.IntN(int(y.ahead.Hours()))) * time.Hour
		y.patch(p, belay.WorkspacePatch{AutoDestroyActivityDuration: patch.Of(words(d))})
		p.fixed, p.own, p.inherits = time.Time{}, d, false
	case 4:
		y.patch(p, belay.WorkspacePatch{AutoDestroyAt: patch.Field[time.Time]{Set: true, Null: true}})
		p.fixed, p.own, p.inherits = time.Time{}, 0, true
	default:
		y.patch(p, belay.WorkspacePatch{InheritsProjectAutoDestroy: patch.Of(true)})
		p.fixed, p.own, p.inherits = time.Time{}, 0, true
	}
	p.settled(now)
}

// run has a run made.
func (y *year) run(p *plain, f fate) {
	y.t.Helper()
	r := &plainRun{fate: f, destroys: f == asPlanned && p.resources > 0 && y.random.IntN(5) == 0}
	want := run.Wanted{WorkspaceID: p.id, DefaultMessage: "Queued manually", Origin: run.Origin{Source: run.SourceAPI, Reason: run.ReasonManual}}
	want.AutoApply = patch.Of(f != asHeld)
	if r.destroys = r.destroys && p.mayDestroy; r.destroys {
		want.IsDestroy = patch.Of(true)
	}
	_, err := y.Create(y.t.Context(), y.admin, want)
	y.must(err)
	p.create(r)
	p.changed(y.now())
}

// answers answers every plan that waits for somebody.
func (y *year) answers() {
	y.t.Helper()
	for _, p := range y.spaces {
		if len(p.runs) == 0 || !p.runs[0].waits {
			continue
		}
		if y.random.IntN(2) == 0 {
			y.must(y.Discard(y.t.Context(), y.admin, y.current(p), ""))
			p.ends(run.Discarded, y.now())
			continue
		}
		y.must(y.Apply(y.t.Context(), y.admin, y.current(p), ""))
		p.runs[0].waits, p.runs[0].fate = false, asPlanned
	}
}

// hinders puts something in the way of a destroy, or takes it away.
func (y *year) hinders(p *plain) {
	y.t.Helper()
	ref := belay.WorkspaceRef{ID: p.id}
	switch y.random.IntN(3) {
	case 0:
		if len(p.runs) > 0 || p.asked {
			return
		}
		p.local = !p.local
		mode := belay.RemoteExecution
		if p.local {
			mode = belay.LocalExecution
		}
		y.patch(p, belay.WorkspacePatch{ExecutionMode: patch.Of(mode)})
	case 1:
		p.mayDestroy = !p.mayDestroy
		y.patch(p, belay.WorkspacePatch{AllowDestroyPlan: patch.Of(p.mayDestroy)})
	default:
		if len(p.runs) > 0 {
			return
		}
		var err error
		if p.locked = !p.locked; p.locked {
			_, err = y.verbs.LockWorkspace(y.t.Context(), y.admin, ref, "")
		} else {
			_, err = y.verbs.UnlockWorkspace(y.t.Context(), y.admin, ref)
		}
		y.must(err)
	}
	p.changed(y.now())
}

// watches has a workspace assessed from now on, or no more: an assessment costs, and a few of
// many say as much.
func (y *year) watches() {
	var p *plain
	y.t.Helper()
	wanted := 0
	for _, other := range y.spaces {
		if other.wants {
			wanted++
			p = other
		}
	}
	if wanted <= len(y.spaces)/80 {
		p = y.spaces[y.random.IntN(len(y.spaces))]
	}
	p.wants = !p.wants
	y.patch(p, belay.WorkspacePatch{AssessmentsEnabled: patch.Of(p.wants)})
	p.changed(y.now())
}

// onDemand has a workspace assessed now, if it can be.
func (y *year) onDemand(p *plain) {
	y.t.Helper()
	err := y.Assess(y.t.Context(), y.admin, belay.WorkspaceRef{ID: p.id})
	can := p.ready && !p.asked
	kind := belay.Conflict
	if !p.inForce() {
		kind = belay.NotFound
	}
	if can != (err == nil) || !can && belay.KindOf(err) != kind {
		y.t.Errorf("%s: %s is assessed on demand: %v; %q", y.now().UTC(), p.name, err, p.hindrance())
	}
	p.asked = p.asked || can
}

// moves puts a workspace into another project.
func (y *year) moves(p *plain) {
	y.t.Helper()
	list := p.organization.projects
	p.project = list[y.random.IntN(len(list))]
	if y.random.IntN(2) == 0 {
		y.patch(p, belay.WorkspacePatch{ProjectID: patch.Of(p.project.id)})
	} else {
		y.must(y.verbs.MoveWorkspaces(y.t.Context(), y.admin, p.project.id, []string{p.id}))
	}
	p.changed(y.now())
}

// gives has a project give its workspaces a schedule, or none.
func (y *year) gives() {
	y.t.Helper()
	list := y.organizations[y.random.IntN(len(y.organizations))].projects
	project := list[y.random.IntN(len(list))]
	if project.duration == 0 || y.random.IntN(2) == 0 {
		project.duration = y.ahead/4 + time.Duration(y.random.IntN(int(y.ahead.Hours())))*time.Hour
	} else {
		project.duration = 0
	}
	_, err := y.verbs.UpdateProject(y.t.Context(), y.admin, project.id, belay.ProjectPatch{AutoDestroyActivityDuration: patch.Of(words(project.duration))})
	y.must(err)
	for _, p := range y.spaces {
		if p.project == project {
			p.changed(y.now())
		}
	}
}

// enforces has all workspaces of the small organization assessed, or no more.
func (y *year) enforces() {
	y.t.Helper()
	o := y.organizations[1]
	o.enforced = !o.enforced
	_, err := y.verbs.UpdateOrganization(y.t.Context(), y.admin, o.name, belay.OrganizationPatch{AssessmentsEnforced: patch.Of(o.enforced)})
	y.must(err)
	for _, p := range y.spaces {
		if p.organization == o {
			p.changed(y.now())
		}
	}
}
