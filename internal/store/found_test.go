package store_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/belayhq/belay"
	"github.com/belayhq/belay/internal/store"
	"github.com/belayhq/belay/internal/storetest"
)

// TestAPageIsFoundByWhatWasOnIt: a page that was read before is read by the ids of its workspaces, and is found anew when
// names come, go or move.
func TestAPageIsFoundByWhatWasOnIt(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		putShapes(t, db)
		page := belay.Page{Number: 1, Size: 20}
		queries := map[string]belay.WorkspaceQuery{
			"a part of a name": {Scope: belay.Scope{Everything: true}, Search: "w1", Page: page},
			"for somebody":     {Scope: belay.Scope{Projects: []string{"prj-few"}, Workspaces: []string{"ws-1", "ws-2"}}, Page: page},
			"backwards":        {Scope: belay.Scope{Everything: true}, Search: "w1", Sort: belay.WorkspaceSort{Descending: true}, Page: page},
		}
		for name, want := range queries {
			var last string
			read := func() (ids []string) {
				db.OnStatement(func(sql string, _ []any) { last = sql })
				defer db.OnStatement(func(string, []any) {})
				err := db.View(t.Context(), func(v *store.View) error {
					o, err := v.Organization("acme")
					if err != nil {
						return err
					}
					list, _, err := v.Workspaces(o, want)
					for _, w := range list {
						ids = append(ids, w.ID)
					}
					return err
				})
				if err != nil {
					t.Fatal(err)
				}
				return ids
			}
			change := func(fn func(tx *store.Tx, w *belay.Workspace) error, id string) {
				err := db.Update(t.Context(), func(tx *store.Tx) error {
					w, err := tx.Workspace(belay.WorkspaceRef{ID: id})
					if err != nil {
						return err
					}
					return fn(tx, &w)
				})
				if err != nil {
					t.Fatal(err)
				}
			}
			first := read()
			if again := read(); !slices.Equal(again, first) || strings.Contains(last, " page ON ") {
				t.Fatalf("%s: %v by %s, and should be %v by the ids", name, again, last, first)
			}
			change(func(tx *store.Tx, w *belay.Workspace) error {
				before := *w
				w.Name = "z-" + w.ID
				return tx.SaveWorkspace(w, &before)
			}, first[0])
			if got := read(); slices.Index(got, first[0]) == 0 {
				t.Fatalf("%s: a renamed workspace stands where it stood: %v", name, got)
			}
			second := read()
			change(func(tx *store.Tx, w *belay.Workspace) error {
				tx.CountWorkspace(w, -1)
				return tx.DropWorkspace(w)
			}, second[1])
			if got := read(); slices.Contains(got, second[1]) {
				t.Fatalf("%s: a workspace is there that was deleted: %v", name, got)
			}
			third := read()
			put(t, db, "DELETE FROM workspaces WHERE id = '"+third[2]+"'") // as it goes while somebody asks
			if got := read(); slices.Contains(got, third[2]) || want.Search != "" && len(got) != page.Size {
				t.Fatalf("%s: %d workspaces after one went unseen: %v", name, len(got), got)
			}
		}
	})
}
