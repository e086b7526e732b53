package app

import (
	"errors"
	"fmt"
	"net/url"
	"strings"
	"testing"

	"github.com/belayhq/belay"
	"github.com/belayhq/belay/inputs"
	"github.com/belayhq/belay/internal/explorer"
	"github.com/belayhq/belay/internal/gate"
	"github.com/belayhq/belay/internal/patch"
	"github.com/belayhq/belay/internal/store"
	"github.com/belayhq/belay/run"
)

// cost does something, and demands that no transaction of it has more rows, and all of it
// no more statements, than it may.
func (a *aging) cost(what string, rows, statements int, do func() error) {
	a.t.Helper()
	a.db.HeaviestWrite()
	before := a.db.Statements()
	if err := do(); err != nil {
		a.t.Fatalf("%s: %v", what, err)
	}
	if n := a.db.HeaviestWrite(); n > rows {
		a.t.Errorf("%s: a transaction had %d rows, %d are enough", what, n, rows)
	}
	if n := int(a.db.Statements() - before); n > statements {
		a.t.Errorf("%s: %d statements, %d are enough", what, n, statements)
	}
}

// TestTheLongestListsHoldNobodyUp does with the longest lists that are taken what a
// transaction must not do one by one.
func TestTheLongestListsHoldNobodyUp(t *testing.T) {
	eachAging(t, func(t *testing.T, a *aging) {
		ctx, many := t.Context(), belay.MaxListed
		ids := make([]string, many)
		for i := range ids {
			w, err := a.CreateWorkspace(ctx, a.admin, "acme", belay.WorkspacePatch{Name: patch.Of(fmt.Sprintf("w-%04d", i))})
			a.must(err)
			ids[i] = w.ID
		}
		a.longScopes(ids)
		a.longSets(ids)
		project, err := a.CreateProject(ctx, a.admin, "acme", belay.ProjectPatch{Name: patch.Of("other")})
		a.must(err)
		a.cost("moving workspaces", 2*many+50, 70, func() error { return a.MoveWorkspaces(ctx, a.admin, project.ID, ids) })
		a.must(a.AddTags(ctx, a.admin, belay.WorkspaceRef{ID: ids[0]}, []belay.TagRef{{Name: "prod"}}))
		tags, _, err := a.Tags(ctx, a.admin, "acme", belay.TagQuery{Page: belay.Page{Number: 1, Size: 1}})
		a.must(err)
		a.cost("tagging workspaces", 3*many+50, 90, func() error { return a.TagWorkspaces(ctx, a.admin, tags[0].ID, ids) })
		p, err := a.Project(ctx, a.admin, project.ID)
		a.must(err)
		events, _, err := a.AuditTrail(ctx, a.admin, "acme", belay.AuditQuery{NewestFirst: true, Page: belay.Page{Number: 1, Size: 1}})
		a.must(err)
		if p.WorkspaceCount != many || events[0].Kind != "workspace.tags_added" {
			t.Errorf("%d workspaces in the project, and the last event is %s", p.WorkspaceCount, events[0].Kind)
		}
	})
}

func (a *aging) longScopes(ids []string) {
	a.t.Helper()
	ctx, many := a.t.Context(), len(ids)
	pool, err := a.CreateAgentPool(ctx, a.admin, "acme", run.AgentPoolPatch{Name: patch.Of("pool"), OrganizationScoped: patch.Of(false)})
	a.must(err)
	change := func(p run.AgentPoolPatch) func() error {
		return func() error {
			pool, err = a.UpdateAgentPool(ctx, a.admin, pool.ID, p)
			return err
		}
	}
	a.cost("a pool's first list", 2*many+20, 30, change(run.AgentPoolPatch{AllowedWorkspaces: patch.Of(ids)}))
	a.cost("the same list again", many+20, 30, change(run.AgentPoolPatch{AllowedWorkspaces: patch.Of(ids[1:])}))
	a.cost("another name", 20, 30, change(run.AgentPoolPatch{Name: patch.Of("other")}))
	if len(pool.AllowedWorkspaces) != many-1 || pool.Name != "other" {
		a.t.Errorf("%s has %d workspaces", pool.Name, len(pool.AllowedWorkspaces))
	}
	choose := func(id string) error {
		_, err := a.UpdateWorkspace(ctx, a.admin, belay.WorkspaceRef{ID: id},
			belay.WorkspacePatch{ExecutionMode: patch.Of(belay.AgentExecution), AgentPoolID: patch.Of(pool.ID)})
		return err
	}
	a.cost("choosing the pool", 50, 50, func() error { return choose(ids[1]) })
	if err := choose(ids[0]); belay.KindOf(err) != belay.Invalid {
		a.t.Errorf("a workspace that the pool does not serve: %v", err)
	}
	unknown := make([]string, many)
	for i := range unknown {
		unknown[i] = belay.NewID("ws")
	}
	_, err = a.UpdateAgentPool(ctx, a.admin, pool.ID, run.AgentPoolPatch{AllowedWorkspaces: patch.Of(unknown)})
	var problems belay.Problems
	if !errors.As(err, &problems) || len(problems) != gate.MaxNamed {
		a.t.Errorf("%d unknown workspaces: %d are told of", many, len(problems))
	}
}

func (a *aging) longSets(ids []string) {
	a.t.Helper()
	ctx, many := a.t.Context(), len(ids)
	first := make([]inputs.SetVariablePatch, many+1)
	for i := range first {
		first[i] = inputs.SetVariablePatch{Nth: i, VariablePatch: inputs.VariablePatch{
			Key: patch.Of(fmt.Sprintf("v_%04d", i)), Value: patch.Of("x"), Category: patch.Of("terraform"), Sensitive: patch.Of(i%2 == 0),
		}}
	}
	p := inputs.VariableSetPatch{Name: patch.Of("set"), Variables: first, Workspaces: patch.Of(ids[1:])}
	_, err := a.CreateVariableSet(ctx, a.admin, "acme", p)
	a.refused(err, belay.Invalid, "more than 1000")
	p.Variables = first[1:]
	var set inputs.VariableSet
	a.cost("a set with its variables", 3*many+50, 50, func() (err error) {
		set, err = a.CreateVariableSet(ctx, a.admin, "acme", p)
		return err
	})
	a.cost("one workspace more", 20, 30, func() error { return a.ApplyVariableSet(ctx, a.admin, set.ID, ids[:1], nil) })
	a.cost("a description", 20, 30, func() error {
		set, err = a.UpdateVariableSet(ctx, a.admin, set.ID, inputs.VariableSetPatch{Description: patch.Of("d")})
		return err
	})
	if len(set.VariableIDs) != many || len(set.WorkspaceIDs) != many || !set.Manageable {
		a.t.Errorf("%d variables for %d workspaces", len(set.VariableIDs), len(set.WorkspaceIDs))
	}
	a.must(a.WithdrawVariableSet(ctx, a.admin, set.ID, ids[:10], nil))
	set, err = a.VariableSet(ctx, a.admin, set.ID)
	a.must(err)
	if len(set.WorkspaceIDs) != many-10 {
		a.t.Errorf("%d workspaces are left", len(set.WorkspaceIDs))
	}
	p.Name, p.Variables = patch.Of("twice"), []inputs.SetVariablePatch{first[0], first[0]}
	_, err = a.CreateVariableSet(ctx, a.admin, "acme", p)
	a.refused(err, belay.Invalid, "taken")
}

// TestWhatManyCarryGoesInParts deletes a tag that many workspaces carry.
func TestWhatManyCarryGoesInParts(t *testing.T) {
	eachAging(t, func(t *testing.T, a *aging) {
		ctx, many := t.Context(), 2*store.RowsAtOnce
		var ref belay.WorkspaceRef
		for i := range many {
			w, err := a.CreateWorkspace(ctx, a.admin, "acme", belay.WorkspacePatch{
				Name: patch.Of(fmt.Sprintf("w-%04d", i)), Tags: []belay.TagRef{{Name: "kept"}, {Name: "prod"}, {Name: "rare"}, {Name: "red"}},
			})
			a.must(err)
			ref = belay.WorkspaceRef{ID: w.ID}
		}
		tags, _, err := a.Tags(ctx, a.admin, "acme", belay.TagQuery{Page: belay.Page{Number: 1, Size: 4}})
		a.must(err)
		a.refused(a.DeleteTags(ctx, a.admin, "acme", []string{tags[1].ID, "tag-none"}), belay.NotFound, "")
		a.cost("deleting tags", 4*store.RowsAtOnce+20, 200, func() error {
			return a.DeleteTags(ctx, a.admin, "acme", []string{tags[1].ID, tags[2].ID, tags[3].ID})
		})
		left, total, err := a.Tags(ctx, a.admin, "acme", belay.TagQuery{Page: belay.Page{Number: 1, Size: 3}})
		a.must(err)
		w, err := a.Workspace(ctx, a.admin, ref)
		a.must(err)
		if total != 1 || left[0].InstanceCount != many || fmt.Sprint(w.TagNames) != "[kept]" {
			t.Errorf("%v are left, and %v on a workspace", left, w.TagNames)
		}
	})
}

// TestATagThatManyCarryGoesAtOnce looks at everything that tells of a tag while it is taken from
// those who carry it, as a server leaves it that dies then, and after another has taken it up.
func TestATagThatManyCarryGoesAtOnce(t *testing.T) {
	eachAging(t, func(t *testing.T, a *aging) {
		ctx, many := t.Context(), 2*store.RowsAtOnce+1
		var first belay.WorkspaceRef
		for i := range many {
			w, err := a.CreateWorkspace(ctx, a.admin, "acme", belay.WorkspacePatch{Name: patch.Of(fmt.Sprintf("w-%04d", i)), Tags: []belay.TagRef{{Name: "kept"}, {Name: "prod"}}})
			a.must(err)
			if i == 0 {
				first = belay.WorkspaceRef{ID: w.ID}
			}
		}
		a.tagged("before", first, many, "kept", "prod")
		tags, _, err := a.Tags(ctx, a.admin, "acme", belay.TagQuery{Search: "prod", Page: firstPage})
		a.must(err)
		a.must(a.db.Update(ctx, func(tx *store.Tx) error {
			left, err := tx.DropTags(tags[0].OrganizationID, tags)
			if !left {
				t.Error("it was deleted in one transaction")
			}
			return err
		}))
		for part := 0; ; part++ {
			a.tagged(fmt.Sprintf("after %d parts", part), first, many, "kept")
			a.refused(a.AddTags(ctx, a.admin, first, []belay.TagRef{{Name: "prod"}}), belay.NotReady, "is being deleted")
			a.refused(a.TagWorkspaces(ctx, a.admin, tags[0].ID, []string{first.ID}), belay.NotFound, "")
			a.refused(a.DeleteTags(ctx, a.admin, "acme", []string{tags[0].ID}), belay.NotFound, "")
			if part == 2 {
				break
			}
			more, err := a.db.DropDoomed(ctx)
			a.must(err)
			if !more {
				t.Fatalf("nothing is left after %d parts", part)
			}
		}
		a.must(a.AddTags(ctx, a.admin, first, []belay.TagRef{{Name: "other"}})) // its row is written anew
		a.must(a.RemoveTags(ctx, a.admin, first, []belay.TagRef{{Name: "other"}}))
		a.DropDoomed(ctx) // as another server does
		a.tagged("after all", first, many, "kept")
		a.must(a.AddTags(ctx, a.admin, first, []belay.TagRef{{Name: "prod"}}))
		a.tagged("given again", first, 1, "kept", "prod")
		a.must(a.db.View(ctx, func(v *store.View) error {
			wrong, err := v.Recount()
			if len(wrong) > 0 {
				t.Errorf("counted otherwise: %+v", wrong)
			}
			return err
		}))
	})
}

// tagged holds that everything that tells of flat tags tells of some: the documents of
// workspaces, their lists, the list of tags, filters, and the explorer. The last one of them is
// carried by a number of workspaces, the first by all.
func (a *aging) tagged(when string, ref belay.WorkspaceRef, worn int, names ...string) {
	a.t.Helper()
	ctx, said := a.t.Context(), fmt.Sprint(names)
	w, err := a.Workspace(ctx, a.admin, ref)
	a.must(err)
	own, _, err := a.WorkspaceTags(ctx, a.admin, ref, belay.TagQuery{Page: firstPage})
	a.must(err)
	all, total, err := a.Tags(ctx, a.admin, "acme", belay.TagQuery{Page: firstPage})
	a.must(err)
	ofOwn, ofAll := []string{}, []string{}
	for _, t := range own {
		ofOwn = append(ofOwn, t.Name)
	}
	for _, t := range all {
		ofAll = append(ofAll, t.Name)
	}
	if fmt.Sprint(w.TagNames) != said || fmt.Sprint(ofOwn) != said || fmt.Sprint(ofAll) != said || total != len(names) {
		a.t.Errorf("%s a document says %v, its list %v, the list of all %v, and not %v", when, w.TagNames, ofOwn, ofAll, names)
	}
	for name, want := range map[string]int{"prod": 0, "kept": -1} {
		if name == names[len(names)-1] {
			want = worn
		}
		if want < 0 {
			continue
		}
		list, n, err := a.Workspaces(ctx, a.admin, "acme", belay.WorkspaceQuery{Tags: []string{name}, Page: firstPage})
		a.must(err)
		if n != want || want > 0 && fmt.Sprint(list[0].TagNames) != said {
			a.t.Errorf("%s the filter %s finds %d workspaces, want %d", when, name, n, want)
		}
		for _, filter := range []string{"[tags][contains][0]=" + name, "[tags][is][0]=" + strings.Join(names, ", ")} {
			values, err := url.ParseQuery("type=workspaces&fields=tags&filter[0]" + filter)
			a.must(err)
			question, err := explorer.FromURL(values)
			a.must(err)
			rows, n, err := a.Explore(ctx, a.admin, "acme", question, firstPage)
			a.must(err)
			if strings.Contains(filter, "[contains]") && n != want || strings.Contains(filter, "[is]") && n != worn || n > 0 && rows[0].Values[0] != strings.Join(names, ", ") {
				a.t.Errorf("%s %s finds %d: %v", when, filter, n, rows[:min(n, 1)])
			}
		}
	}
}
