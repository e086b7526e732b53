package store_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/belayhq/belay"
	"github.com/belayhq/belay/internal/store"
	"github.com/belayhq/belay/internal/storetest"
)

// TestASearchFollowsNames: what many names have is counted once, and then told from the names that come, change and go; where
// another server or nobody knows who moved them, it is counted anew. It is always what a look at every name finds.
func TestASearchFollowsNames(t *testing.T) {
	t.Parallel()
	for _, engine := range storetest.Engines(t) {
		t.Run(engine, func(t *testing.T) {
			t.Parallel()
			url := storetest.URL(t, engine)
			open := func() *store.DB {
				db, err := store.Open(t.Context(), store.Options{URL: url})
				if err != nil {
					t.Fatal(err)
				}
				t.Cleanup(func() { _ = db.Close() })
				return db
			}
			db := open()
			servers := []*store.DB{db}
			if engine == "postgres" {
				servers = append(servers, open())
			}
			walkFollowed(t, servers, putWorkspaces(t, db, 0))
		})
	}
}

// named is a workspace as the walk knows it.
type named struct{ id, name string }

func walkFollowed(t *testing.T, servers []*store.DB, o belay.Organization) {
	r := rand.New(rand.NewPCG(7, 7))
	var there []belay.Workspace
	change := func(db *store.DB, fn func(tx *store.Tx) error) {
		t.Helper()
		if err := db.Update(t.Context(), fn); err != nil {
			t.Fatal(err)
		}
	}
	add := func(tx *store.Tx) error {
		w := belay.NewWorkspace(o, belay.Project{ID: o.DefaultProjectID, OrganizationID: o.ID}, tx.Now)
		w.Name = fmt.Sprintf("%c-%s-%05d", "abABz"[r.IntN(5)], []string{"prod", "PROD", "pro", "xprodx"}[r.IntN(4)], r.IntN(90_000))
		there = append(there, w)
		tx.CountWorkspace(&w, 1)
		return tx.AddWorkspace(&w)
	}
	for range 13 {
		change(servers[0], func(tx *store.Tx) error {
			for range 50 {
				if err := add(tx); err != nil {
					return err
				}
			}
			return nil
		})
	}
	counted := 0
	for _, db := range servers {
		db.OnStatement(func(sql string, _ []any) {
			if strings.Contains(sql, "count(*) FROM workspaces") {
				counted++
			}
		})
	}
	wants := []belay.WorkspaceQuery{{Search: "pro"}, {Search: "PROD-"}, {Wildcard: "a-*"}, {Wildcard: "*-pro*d-*"}, {Search: "o", Sort: belay.WorkspaceSort{Descending: true}}, {Search: "5", Wildcard: "A*1*"},
		{Search: "-1000"}, {Search: "b-xprodx-1"}, {Wildcard: "*-pro-3*", Sort: belay.WorkspaceSort{Key: "latest-change-at"}}}
	check := func(db *store.DB, when string) {
		t.Helper()
		for i, want := range wants {
			want.Scope.Everything, want.Page = true, belay.Page{Number: 1, Size: []int{3, 50}[i/6]}
			var right []named
			for _, w := range append(slices.Clone(there), belay.Workspace{ID: "", Name: "first"}) {
				if hasPart(w.Name, want.Search) && hasWildcard(w.Name, want.Wildcard) {
					right = append(right, named{w.ID, w.Name})
				}
			}
			slices.SortFunc(right, func(a, b named) int { return strings.Compare(a.name, b.name) })
			if want.Sort.Descending {
				slices.Reverse(right)
			}
			err := db.View(t.Context(), func(v *store.View) error {
				o, err := v.Organization("acme")
				if err != nil {
					return err
				}
				list, total, err := v.Workspaces(o, want)
				if total != len(right) {
					t.Errorf("%s: %d for %+v, and %d have it", when, total, want, len(right))
				}
				for i, w := range list {
					if want.Sort.Key != "" {
						continue // all of them: whose change was the latest is another test's
					}
					if w.Name != right[i].name {
						t.Errorf("%s: %q at %d for %+v, and not %q", when, w.Name, i, want, right[i].name)
					}
				}
				if len(list) != min(want.Page.Size, len(right)) {
					t.Errorf("%s: %d rows for %+v", when, len(list), want)
				}
				return err
			})
			if err != nil {
				t.Fatal(err)
			}
		}
	}
	for _, db := range servers {
		check(db, "at first")
	}
	if counted == 0 {
		t.Fatal("nothing was counted, so that nothing is tested")
	}
	for round := range 60 {
		by := servers[r.IntN(len(servers))]
		counted = 0
		some := r.IntN(len(there))
		act := r.IntN(5)
		switch act {
		case 0:
			change(by, add)
		case 1:
			change(by, func(tx *store.Tx) error {
				w := &there[some]
				before := *w
				w.Name = fmt.Sprintf("%c-%s-%d", "0a_Z"[r.IntN(4)], []string{"prod", "nothing"}[r.IntN(2)], 100_000+round)
				return tx.SaveWorkspace(w, &before)
			})
		case 2:
			change(by, func(tx *store.Tx) error {
				w := there[some]
				tx.CountWorkspace(&w, -1)
				there = slices.Delete(there, some, some+1)
				return tx.DropWorkspace(&w)
			})
		case 3: // two at once, one of them for a moment
			change(by, func(tx *store.Tx) error {
				if err := add(tx); err != nil {
					return err
				}
				w := there[len(there)-1]
				there = there[:len(there)-1]
				tx.CountWorkspace(&w, -1)
				if err := tx.DropWorkspace(&w); err != nil {
					return err
				}
				return add(tx)
			})
		case 4: // nobody who serves knows of it
			gone := there[some]
			there = slices.Delete(there, some, some+1)
			change(by, func(tx *store.Tx) error {
				return tx.Do("DELETE FROM workspaces WHERE id = ?", gone.ID)
			})
			change(by, func(tx *store.Tx) error {
				return tx.Do("UPDATE organizations SET workspace_count = workspace_count - 1, generation = generation + 1 WHERE id = ?", o.ID)
			})
		}
		check(by, strconv.Itoa(round)+" by who wrote")
		if counted > 0 && act != 4 {
			t.Errorf("%d: counted %d times after a change that is known", round, counted)
		}
		for _, db := range servers {
			check(db, strconv.Itoa(round))
		}
	}
}

// hasWildcard is what a pattern with stars means, without regard to the capitals of ASCII; an empty one asks for nothing.
func hasWildcard(name, pattern string) bool {
	if pattern == "" {
		return true
	}
	first, rest, more := strings.Cut(pattern, "*")
	if !more {
		return strings.EqualFold(name, pattern)
	}
	if len(name) < len(first) || !strings.EqualFold(name[:len(first)], first) {
		return false
	}
	if rest == "" {
		return true
	}
	for i := len(first); i <= len(name); i++ {
		if hasWildcard(name[i:], rest) {
			return true
		}
	}
	return false
}
