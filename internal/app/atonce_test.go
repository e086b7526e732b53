package app

import (
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/belayhq/belay"
	"github.com/belayhq/belay/backlog"
	"github.com/belayhq/belay/internal/patch"
)

// atOnce does something several times at once, and says how often it went well.
func (a *aging) atOnce(times int, do func() error, otherwise ...belay.Kind) (well int) {
	a.t.Helper()
	errs := make([]error, times)
	var running sync.WaitGroup
	for i := range errs {
		running.Go(func() { errs[i] = do() })
	}
	running.Wait()
	for _, err := range errs {
		if err == nil {
			well++
			continue
		}
		known := false
		for _, kind := range otherwise {
			known = known || belay.KindOf(err) == kind
		}
		if !known {
			a.t.Errorf("at once: %v", err)
		}
	}
	return well
}

// TestWhatIsDeletedAtOnceGoesOnce: of several who delete the same thing, one did, and the others learn that it is gone.
func TestWhatIsDeletedAtOnceGoesOnce(t *testing.T) {
	eachAging(t, func(t *testing.T, a *aging) {
		ctx := t.Context()
		for round := range rounds() {
			ref, source := a.workspace(fmt.Sprintf("w%d", round), 0), a.workspace(fmt.Sprintf("s%d", round), 0)
			trigger, err := a.CreateRunTrigger(ctx, a.admin, ref, source.ID)
			a.must(err)
			if n := a.atOnce(4, func() error { return a.DeleteRunTrigger(ctx, a.admin, trigger.ID) }, belay.NotFound); n != 1 {
				t.Errorf("round %d: a trigger was deleted %d times", round, n)
			}
			a.must(a.AddTags(ctx, a.admin, ref, []belay.TagRef{{Name: "prod"}}))
			tags, _, err := a.Tags(ctx, a.admin, "acme", belay.TagQuery{Page: firstPage})
			a.must(err)
			if n := a.atOnce(4, func() error { return a.DeleteTags(ctx, a.admin, "acme", []string{tags[0].ID}) }, belay.NotFound); n != 1 {
				t.Errorf("round %d: a tag was deleted %d times", round, n)
			}
		}
	})
}

// TestViewsMadeAtOnceKeepTheirLimit: two can't both be the last.
func TestViewsMadeAtOnceKeepTheirLimit(t *testing.T) {
	eachAging(t, func(t *testing.T, a *aging) {
		create := func(name string) error {
			_, err := a.CreateWorkspaceView(t.Context(), a.admin, "acme", backlog.WorkspaceViewPatch{
				Name: patch.Of(name), Query: patch.Of("search=a"), Shared: patch.Of(true),
			})
			return err
		}
		for i := range mostWorkspaceViews - 1 {
			a.must(create(fmt.Sprintf("v%d", i)))
		}
		var counting sync.Mutex
		nth := 0
		n := a.atOnce(6, func() error {
			counting.Lock()
			nth++
			name := fmt.Sprintf("last%d", nth)
			counting.Unlock()
			err := create(name)
			var problems belay.Problems
			if errors.As(err, &problems) {
				return belay.ErrNotFound
			}
			return err
		}, belay.NotFound)
		if n != 1 {
			t.Errorf("%d views were the last", n)
		}
	})
}

// TestAWorkspaceThatMovesIsThereForEverybody: who waits for a move finds the workspace where it is then.
func TestAWorkspaceThatMovesIsThereForEverybody(t *testing.T) {
	eachAging(t, func(t *testing.T, a *aging) {
		ctx := t.Context()
		var refs []belay.WorkspaceRef
		var ids, projects []string
		for i := range 3 {
			w, err := a.CreateWorkspace(ctx, a.admin, "acme", belay.WorkspacePatch{Name: patch.Of(fmt.Sprintf("moved%d", i))})
			a.must(err)
			refs, ids = append(refs, belay.WorkspaceRef{ID: w.ID}), append(ids, w.ID)
			p, err := a.CreateProject(ctx, a.admin, "acme", belay.ProjectPatch{Name: patch.Of(fmt.Sprintf("project %d", i))})
			a.must(err)
			projects = append(projects, p.ID)
		}
		var nth atomic.Int64
		a.atOnce(12, func() error {
			n := int(nth.Add(1))
			for i := range 5 * rounds() {
				switch n % 4 {
				case 0, 1:
					if err := a.MoveWorkspaces(ctx, a.admin, projects[(n+i)%len(projects)], ids); err != nil {
						return fmt.Errorf("move: %w", err)
					}
				case 2:
					if _, err := a.UpdateWorkspace(ctx, a.admin, refs[i%len(refs)], belay.WorkspacePatch{Description: patch.Of(fmt.Sprint(n, i))}); err != nil {
						return fmt.Errorf("update: %w", err)
					}
				case 3:
					if err := a.AddTags(ctx, a.admin, refs[i%len(refs)], []belay.TagRef{{Name: fmt.Sprintf("t%d", n)}}); err != nil {
						return fmt.Errorf("tag: %w", err)
					}
				}
			}
			return nil
		})
	})
}
