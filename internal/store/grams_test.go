package store_test

import (
	"fmt"
	"math/rand/v2"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/belayhq/belay"
	"github.com/belayhq/belay/internal/explorer"
	"github.com/belayhq/belay/internal/store"
	"github.com/belayhq/belay/internal/storetest"
)

// anyName is a name of few letters, so that parts of it are found often and seldom.
func anyName(r *rand.Rand) string {
	letters := []rune("aaabBc_-%1é☃")
	name := make([]rune, 1+r.IntN(12))
	for i := range name {
		name[i] = letters[r.IntN(len(letters))]
	}
	return string(name)
}

// hasPart is what LIKE means by a part of a name: the capitals of ASCII are like the others.
func hasPart(name, part string) bool {
	lower := func(r rune) rune {
		if 'A' <= r && r <= 'Z' {
			return r + 32
		}
		return r
	}
	return strings.Contains(strings.Map(lower, name), strings.Map(lower, part))
}

// TestGramsFindWhatAScanFinds compares searches of a large organization with a look at every
// name, while workspaces are made, renamed, deleted, brought back and erased.
func TestGramsFindWhatAScanFinds(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		r := rand.New(rand.NewPCG(1, 2))
		o := putWorkspaces(t, db, 700)
		p := belay.Project{ID: o.DefaultProjectID, OrganizationID: o.ID}
		names := map[string]string{} // by id
		find := func(want belay.WorkspaceQuery) (found []string) {
			t.Helper()
			o.WorkspaceCount, o.Generation = len(names)+701, o.Generation+1
			want.Scope.Everything, want.Page = true, belay.Page{Number: 1, Size: 1000}
			err := db.View(t.Context(), func(v *store.View) error {
				list, total, err := v.Workspaces(o, want)
				for _, w := range list {
					if names[w.ID] != "" {
						found = append(found, w.Name)
					}
				}
				if err == nil && total != len(list) {
					t.Errorf("%d of %d for %+v", len(list), total, want)
				}
				return err
			})
			if err != nil {
				t.Fatal(err)
			}
			slices.Sort(found)
			return found
		}
		explored := func(part string) (found []string) {
			t.Helper()
			q, err := explorer.FromURL(url.Values{"type": {"workspaces"}, "filter[0][workspace_name][contains][0]": {part}})
			if err != nil {
				t.Fatal(err)
			}
			err = db.View(t.Context(), func(v *store.View) error {
				list, total, err := v.Explore(o, q, belay.Page{Number: 1, Size: 1000})
				for _, row := range list {
					if name := names[row.ID]; name != "" {
						found = append(found, name)
					}
				}
				if err == nil && total != len(list) {
					t.Errorf("%d of %d for %q in the explorer", len(list), total, part)
				}
				return err
			})
			if err != nil {
				t.Fatal(err)
			}
			slices.Sort(found)
			return found
		}
		var check func(when string)
		both := func(when string) { // before the new names are read, some of them read, and all
			t.Helper()
			check(when)
			readNames(t, db, 1)
			check(when + ", one part read")
			readNames(t, db, 1000)
			check(when + ", read")
		}
		check = func(when string) {
			t.Helper()
			for range 25 {
				part := anyName(r)
				var want []string
				for _, name := range names {
					if hasPart(name, part) {
						want = append(want, name)
					}
				}
				slices.Sort(want)
				if found := find(belay.WorkspaceQuery{Search: part}); !slices.Equal(found, want) {
					t.Fatalf("%s, %q: %q, want %q", when, part, found, want)
				}
				if found := find(belay.WorkspaceQuery{Wildcard: "*" + part + "*", Search: part, Sort: belay.WorkspaceSort{Key: "latest-change-at"}}); !slices.Equal(found, want) {
					t.Fatalf("%s, *%q*: %q, want %q", when, part, found, want)
				}
				if found := explored(part); !slices.Equal(found, want) {
					t.Fatalf("%s, the explorer, %q: %q, want %q", when, part, found, want)
				}
			}
			if db.Engine() == "sqlite" && ask(t, db, "SELECT count(*) FROM unread_names") == 0 {
				kept := ask(t, db, "SELECT count(*) FROM workspace_grams")
				right := ask(t, db, `SELECT count(*) FROM (WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 100)
					SELECT DISTINCT w.organization_id, substr(lower(w.name), i, 3), w.id FROM workspaces w JOIN n ON i <= length(w.name) - 2)`)
				if kept != right {
					t.Errorf("%s: %d grams, want %d", when, kept, right)
				}
			}
		}
		update := func(fn func(tx *store.Tx) error) {
			t.Helper()
			if err := db.Update(t.Context(), fn); err != nil {
				t.Fatal(err)
			}
		}
		taken := map[string]bool{}
		fresh := func() string {
			for {
				if name := anyName(r); !taken[name] {
					taken[name] = true
					return name
				}
			}
		}
		list := make([]belay.Workspace, 250)
		update(func(tx *store.Tx) error {
			for i := range list {
				list[i] = belay.NewWorkspace(o, p, time.Now())
				list[i].Name = fresh()
				if err := tx.AddWorkspace(&list[i]); err != nil {
					return err
				}
				names[list[i].ID] = list[i].Name
			}
			return nil
		})
		both("made")
		update(func(tx *store.Tx) error {
			for i := range list[:100] {
				before := list[i]
				list[i].Name = fresh()
				if err := tx.SaveWorkspace(&list[i], &before); err != nil {
					return err
				}
				names[list[i].ID] = list[i].Name
			}
			return nil
		})
		both("renamed")
		item := belay.NewRecoverableItem(&list[1], "", time.Now(), time.Now().Add(time.Hour))
		update(func(tx *store.Tx) error {
			delete(names, list[0].ID)
			delete(names, list[1].ID)
			if err := tx.DropWorkspace(&list[0]); err != nil {
				return err
			}
			return tx.Shelve(&list[1], &item)
		})
		both("deleted")
		update(func(tx *store.Tx) error {
			names[list[1].ID] = list[1].Name
			return tx.Unshelve(&list[1], &item, belay.StateContents{})
		})
		both("brought back")
		put(t, db, "UPDATE organizations SET name = 'gone acme' WHERE id = '"+o.ID+"'")
		for more := true; more; {
			var err error
			if more, err = db.EraseSome(t.Context()); err != nil {
				t.Fatal(err)
			}
		}
		clear(names)
		both("erased")
	})
}

// readNames reads so many parts of the new names.
func readNames(t *testing.T, db *store.DB, parts int) {
	t.Helper()
	for more := true; more && parts > 0; parts-- {
		var err error
		if _, more, err = db.ReadNames(t.Context(), store.NamesAtOnce); err != nil {
			t.Fatal(err)
		}
	}
}

// ask is the one number that a statement gives.
func ask(t *testing.T, db *store.DB, sql string) int {
	t.Helper()
	n, err := db.Ask(t.Context(), sql)
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// TestARareNameIsFoundByItsGrams: neither the page nor the count of it looks through the names,
// and a search without a single workspace is answered by that.
func TestARareNameIsFoundByItsGrams(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		o := putWorkspaces(t, db, 5000)
		put(t, db, "UPDATE workspaces SET name = 'Payments-' || name WHERE id IN ('ws-7', 'ws-77')")
		readNames(t, db, 1000)
		o.WorkspaceCount = 5001
		for search, want := range map[string]int{"PAYMENTS": 2, "yments-w7": 2, "nts-w77": 1, "paymentz": 0} {
			var found int
			plans, err := db.Plans(t.Context(), func(v *store.View) error {
				list, total, err := v.Workspaces(o, belay.WorkspaceQuery{Scope: belay.Scope{Everything: true}, Search: search, Page: belay.Page{Number: 1, Size: 20}})
				found = total
				if err == nil && len(list) != total {
					err = fmt.Errorf("%d of %d", len(list), total)
				}
				return err
			})
			if err != nil || found != want {
				t.Errorf("%s: %d, want %d, %v", search, found, want, err)
			}
			for i, plan := range plans {
				plan, _, _ = strings.Cut(plan, " <- ")
				for _, walk := range []string{"SCAN f", "SCAN m", "organization_id=? AND name", "Seq Scan on workspaces"} {
					if strings.Contains(plan, walk) {
						t.Errorf("%s, statement %d: %s in %s", search, i, walk, strconv.Quote(plan))
					}
				}
			}
		}
	})
}
