package app

import (
	"fmt"
	"slices"
	"sync"
	"testing"

	"github.com/belayhq/belay"
	"github.com/belayhq/belay/internal/patch"
)

// TestTaggingManyBesideOthersLosesNoTag tags many workspaces while others change the tags of
// some of them: what was read before the transaction is not what is written then.
func TestTaggingManyBesideOthersLosesNoTag(t *testing.T) {
	eachAging(t, func(t *testing.T, a *aging) {
		ctx := t.Context()
		var ids []string
		for i := range 60 {
			w, err := a.CreateWorkspace(ctx, a.admin, "acme", belay.WorkspacePatch{Name: patch.Of(fmt.Sprintf("w-%02d", i))})
			a.must(err)
			ids = append(ids, w.ID)
		}
		for round := range rounds() {
			many, own := fmt.Sprintf("many-%d", round), fmt.Sprintf("own-%d", round)
			a.must(a.AddTags(ctx, a.admin, belay.WorkspaceRef{ID: ids[0]}, []belay.TagRef{{Name: many}}))
			found, _, err := a.Tags(ctx, a.admin, "acme", belay.TagQuery{Search: many, Page: belay.Page{Number: 1, Size: 1}})
			a.must(err)
			var all sync.WaitGroup
			all.Go(func() { a.must(a.TagWorkspaces(ctx, a.admin, found[0].ID, ids)) })
			for i := range 4 {
				all.Go(func() {
					a.must(a.AddTags(ctx, a.admin, belay.WorkspaceRef{ID: ids[(round+7*i)%len(ids)]}, []belay.TagRef{{Name: own}}))
				})
			}
			all.Wait()
			wearing := 0
			for _, id := range ids {
				w, err := a.Workspace(ctx, a.admin, belay.WorkspaceRef{ID: id})
				a.must(err)
				if !slices.Contains(w.TagNames, many) {
					t.Fatalf("round %d: %s has not the tag of all: %v", round, id, w.TagNames)
				}
				if slices.Contains(w.TagNames, own) {
					wearing++
				}
			}
			if wearing != 4 {
				t.Fatalf("round %d: %d workspaces have the tag of four", round, wearing)
			}
		}
		for _, name := range []string{"many-0", "own-0"} {
			found, _, err := a.Tags(ctx, a.admin, "acme", belay.TagQuery{Search: name, Page: belay.Page{Number: 1, Size: 1}})
			a.must(err)
			if want := map[string]int{"many-0": 60, "own-0": 4}[name]; found[0].InstanceCount != want {
				t.Errorf("%s is counted on %d workspaces, want %d", name, found[0].InstanceCount, want)
			}
		}
	})
}
