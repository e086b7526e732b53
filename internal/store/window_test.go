package store_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/belayhq/belay"
	"github.com/belayhq/belay/internal/store"
	"github.com/belayhq/belay/internal/storetest"
)

// TestPagesWhereverTheyBegin reads pages in every order, from either end and after pages that were read before, and holds
// them against the list in one piece; and again after names have come, gone and moved.
func TestPagesWhereverTheyBegin(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		putShapes(t, db)
		random := rand.New(rand.NewPCG(1, 2))
		everything := belay.Scope{Everything: true}
		queries := map[string]belay.WorkspaceQuery{
			"all":              {Scope: everything},
			"backwards":        {Scope: everything, Sort: belay.WorkspaceSort{Key: "name", Descending: true}},
			"by latest change": {Scope: everything, Sort: belay.WorkspaceSort{Key: "latest-change-at"}},
			"by current run":   {Scope: everything, Sort: belay.WorkspaceSort{Key: "current-run.created-at", Descending: true}},
			"tagged":           {Scope: everything, Tags: []string{"common"}},
			"without a tag":    {Scope: everything, ExcludeTags: []string{"common"}, Sort: belay.WorkspaceSort{Descending: true}},
			"not locked":       {Scope: everything, Lock: belay.OnlyUnlocked},
			"a part of a name": {Scope: everything, Search: "w1"},
			"for somebody":     {Scope: belay.Scope{Projects: []string{"prj-few"}, Workspaces: []string{"ws-1", "ws-2"}}},
		}
		read := func(want belay.WorkspaceQuery) (names []string, total int) {
			err := db.View(t.Context(), func(v *store.View) error {
				o, err := v.Organization("acme")
				if err != nil {
					return err
				}
				list, n, err := v.Workspaces(o, want)
				for _, w := range list {
					names = append(names, w.Name)
				}
				total = n
				return err
			})
			if err != nil {
				t.Fatal(err)
			}
			return names, total
		}
		check := func() {
			for name, want := range queries {
				want.Page = belay.Page{Number: 1, Size: 10_000}
				whole, all := read(want)
				if len(whole) != all {
					t.Fatalf("%s: %d in one page, %d in all", name, len(whole), all)
				}
				size := 20 + random.IntN(90)
				pages := random.Perm(all/size + 8)[:8]
				pages = append(pages, all/size/2, all/size/2+1, all/size/2+2, max(all/size-1, 0), all/size, all/size+1)
				for _, page := range pages {
					want.Page = belay.Page{Number: page + 1, Size: size}
					got, total := read(want)
					if should := belay.PageOf(whole, want.Page); !slices.Equal(got, should) || total != all {
						t.Fatalf("%s, page %d of %d: %v of %d, and should be %v of %d", name, page+1, size, got, total, should, all)
					}
				}
			}
		}
		check()
		for i := range 3 {
			err := db.Update(t.Context(), func(tx *store.Tx) error {
				for _, id := range []int{700 + i, 2500 + i} {
					w, err := tx.Workspace(belay.WorkspaceRef{ID: fmt.Sprint("ws-", id)})
					if err != nil {
						return err
					}
					before := w
					w.Name = fmt.Sprint("w", 90_000+id)
					if err := tx.SaveWorkspace(&w, &before); err != nil {
						return err
					}
				}
				w, err := tx.Workspace(belay.WorkspaceRef{ID: fmt.Sprint("ws-", 1001+2*i)})
				if err != nil {
					return err
				}
				tx.CountWorkspace(&w, -1)
				return tx.DropWorkspace(&w)
			})
			if err != nil {
				t.Fatal(err)
			}
			check()
		}
	})
}

// TestFarPagesPassOverNothing: the last page is read from the end, and a page after one that was read begins there.
func TestFarPagesPassOverNothing(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		o := putShapes(t, db)
		for _, number := range []int{200, 201, 202, 250, 120, 121} {
			var skipped []any
			db.OnStatement(func(_ string, args []any) { skipped = args })
			err := db.View(t.Context(), func(v *store.View) error {
				_, _, err := v.Workspaces(o, belay.WorkspaceQuery{Scope: belay.Scope{Everything: true}, Page: belay.Page{Number: number, Size: 20}})
				return err
			})
			if err != nil {
				t.Fatal(err)
			}
			for _, arg := range skipped {
				if n, is := arg.(int); is && n > 1020 && number != 120 {
					t.Errorf("page %d passes over %d rows", number, n)
				}
			}
		}
		db.OnStatement(func(string, []any) {})
	})
}
