package app

import (
	"errors"
	"net/url"
	"strconv"
	"strings"
	"testing"

	"github.com/belayhq/belay"
	"github.com/belayhq/belay/internal/explorer"
	"github.com/belayhq/belay/internal/patch"
	"github.com/belayhq/belay/internal/store"
)

// explored is the first column of what the explorer answers.
func (a *aging) explored(query string) (found []any) {
	a.t.Helper()
	given, err := url.ParseQuery(query)
	a.must(err)
	want, err := explorer.FromURL(given)
	a.must(err)
	rows, _, err := a.Explore(a.t.Context(), a.admin, "acme", want, belay.Page{Number: 1, Size: 20})
	a.must(err)
	for _, row := range rows {
		found = append(found, row.Values[0])
	}
	return found
}

// TestAConstraintCountsAsTheReleaseItStandsFor: the explorer and the usage of versions know
// releases, and no constraint.
func TestAConstraintCountsAsTheReleaseItStandsFor(t *testing.T) {
	eachAging(t, func(t *testing.T, a *aging) {
		ctx := t.Context()
		version := func(text string) string {
			e, err := a.CreateEngineVersion(ctx, a.admin, EngineVersionPatch{Version: patch.Of(text)})
			a.must(err)
			return e.ID
		}
		older, newer := version("99.1.0"), version("99.1.5")
		w, err := a.CreateWorkspace(ctx, a.admin, "acme", belay.WorkspacePatch{Name: patch.Of("network"), EngineVersion: patch.Of("~> 99.1.0")})
		a.must(err)
		stands := func(release, id string) {
			t.Helper()
			if list := a.explored("type=tf_versions&fields=version"); len(list) != 1 || list[0] != release {
				t.Errorf("the versions are %v, want %s", list, release)
			}
			filtered := "type=workspaces&fields=workspace_name&filter[0][workspace_terraform_version][is][0]=" + release
			if list := a.explored(filtered); len(list) != 1 {
				t.Errorf("with %s: %v", release, list)
			}
			e, err := a.EngineVersion(ctx, a.admin, id)
			a.must(err)
			found, err := a.Workspace(ctx, a.admin, belay.WorkspaceRef{ID: w.ID})
			a.must(err)
			if e.Usage != 1 || found.EngineVersion != "~> 99.1.0" {
				t.Errorf("%s is used by %d; the workspace says %s", release, e.Usage, found.EngineVersion)
			}
		}
		stands("99.1.5", newer)
		a.must(a.DeleteEngineVersion(ctx, a.admin, newer)) // only a constraint stands for it
		a.resolveEngines(ctx)
		stands("99.1.0", older)
		stands("99.1.7", func() string {
			id := version("99.1.7")
			a.resolveEngines(ctx)
			return id
		}())
	})
}

// TestEnginesAreCountedOnceForAWhile: who has each version is counted once for some seconds where many have some, and anew
// once a version is changed.
func TestEnginesAreCountedOnceForAWhile(t *testing.T) {
	eachAging(t, func(t *testing.T, a *aging) {
		ctx := t.Context()
		e, err := a.CreateEngineVersion(ctx, a.admin, EngineVersionPatch{Version: patch.Of("99.1.0")})
		a.must(err)
		used := func(want int, when string) {
			t.Helper()
			list, _, err := a.EngineVersions(ctx, a.admin, "99.1.0", belay.Page{Number: 1, Size: 20})
			if a.must(err); len(list) != 1 || list[0].Usage != want || list[0].Named != want {
				t.Errorf("%s: %+v", when, list)
			}
		}
		named := func(name string) {
			t.Helper()
			_, err := a.CreateWorkspace(ctx, a.admin, "acme", belay.WorkspacePatch{Name: patch.Of(name), EngineVersion: patch.Of("99.1.0")})
			a.must(err)
		}
		used(0, "before")
		named("one")
		used(1, "few are counted each time")
		keep := func() {
			a.engineCounts.Store(&engineCounts{map[string]store.EngineCount{"99.1.0": {Used: 3000, Named: 3000}}, a.now()})
		}
		keep()
		used(3000, "kept")
		one, err := a.EngineVersion(ctx, a.admin, e.ID)
		if a.must(err); one.Usage != 1 {
			t.Errorf("one version is used by %d", one.Usage)
		}
		if err := a.DeleteEngineVersion(ctx, a.admin, e.ID); err == nil || !strings.Contains(err.Error(), "1 workspaces") {
			t.Errorf("a version that is named is deleted by what was kept: %v", err)
		}
		used(1, "after somebody tried to change a version")
		keep()
		a.engineCounts.Load().readAt = a.now().Add(-enginesFor)
		used(1, "some seconds later")
	})
}

// TestAStartCostsTheSameForEveryNumberOfWorkspaces: neither the releases that are shipped nor
// what settings stand for nor the keys are looked for among the workspaces.
func TestAStartCostsTheSameForEveryNumberOfWorkspaces(t *testing.T) {
	eachAging(t, func(t *testing.T, a *aging) {
		ctx, made := t.Context(), 0
		cost := func(more int) (statements int64, rows int) {
			for range more {
				made++
				_, err := a.CreateWorkspace(ctx, a.admin, "acme", belay.WorkspacePatch{Name: patch.Of("w" + strconv.Itoa(made)), EngineVersion: patch.Of("~> 1.5.0")})
				a.must(err)
			}
			before := a.db.Statements() + a.db.BackgroundStatements()
			a.db.HeaviestWrite()
			_, err := a.FirstStart(ctx, "")
			a.must(errors.Join(err, a.TakeKeys(ctx), a.resolveAll(ctx)))
			return a.db.Statements() + a.db.BackgroundStatements() - before, a.db.HeaviestWrite()
		}
		cost(2) // the first start writes
		few, fewRows := cost(0)
		many, manyRows := cost(30)
		if few != many || fewRows != manyRows {
			t.Errorf("%d statements and %d rows with 2 workspaces, %d and %d with 32", few, fewRows, many, manyRows)
		}
	})
}
