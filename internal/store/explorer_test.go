package store_test

import (
	"context"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/belayhq/belay"
	"github.com/belayhq/belay/internal/explorer"
	"github.com/belayhq/belay/internal/store"
	"github.com/belayhq/belay/internal/storetest"
)

// asked runs a question in each of the ways that there are.
func asked(t *testing.T, db *store.DB, o belay.Organization, q explorer.Query) {
	t.Helper()
	err := db.View(t.Context(), func(v *store.View) error {
		for _, page := range []belay.Page{{Number: 1, Size: 20}, {Number: 2, Size: 1}} {
			if _, _, err := v.Explore(o, q, page); err != nil {
				return err
			}
		}
		var at store.Explored
		for !at.Done() {
			if _, err := v.ExploreOn(o, q, &at, 1); err != nil {
				return err
			}
		}
		_, err := v.ExploredIDs(o, q)
		return err
	})
	if err != nil {
		t.Errorf("%s: %v", q.JSON(), err)
	}
}

// withWorkspaces writes an organization with two workspaces.
func withWorkspaces(t testing.TB, db *store.DB) belay.Organization {
	t.Helper()
	o := belay.NewOrganization(time.Now())
	o.Name = "acme"
	err := db.Update(context.Background(), func(tx *store.Tx) error {
		p := belay.Project{ID: belay.NewID("prj"), OrganizationID: o.ID, Name: "Default Project", CreatedAt: tx.Now}
		o.DefaultProjectID = p.ID
		if err := tx.AddOrganization(&o); err != nil {
			return err
		}
		if err := tx.AddProject(&p); err != nil {
			return err
		}
		for _, name := range []string{"one", "two"} {
			w := belay.NewWorkspace(o, p, tx.Now)
			w.Name = name
			if err := tx.AddWorkspace(&w); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	o.WorkspaceCount = 2
	return o
}

func TestEveryFieldOperatorAndOrderRuns(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		o := withWorkspaces(t, db)
		for _, view := range explorer.Views {
			for _, field := range view.Fields() {
				for _, operator := range strings.Fields("is is_not contains does_not_contain is_empty is_not_empty gt lt gteq lteq is_before is_after") {
					for _, value := range []string{"3", "true", "2026-01-02", `o'; DROP TABLE workspaces; -- "%_\`} {
						q, err := explorer.FromURL(url.Values{
							"type": {string(view)}, "filter[0][" + field.Name + "][" + operator + "][]": {value, value}, "sort": {"-" + field.Name},
						})
						if err == nil {
							asked(t, db, o, q)
						}
					}
				}
			}
		}
		if _, total, err := explored(t, db, o, "type=workspaces&filter[0][workspace_name][contains][0]=o"); err != nil || total != 2 {
			t.Errorf("%d workspaces are left: %v", total, err)
		}
	})
}

func explored(t *testing.T, db *store.DB, o belay.Organization, question string) (rows []explorer.Row, total int, err error) {
	t.Helper()
	values, err := url.ParseQuery(question)
	if err != nil {
		t.Fatal(err)
	}
	q, err := explorer.FromURL(values)
	if err != nil {
		t.Fatal(err)
	}
	err = db.View(t.Context(), func(v *store.View) error {
		rows, total, err = v.Explore(o, q, belay.Page{Number: 1, Size: 20})
		return err
	})
	return rows, total, err
}

func TestExplorerStatements(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		o := withWorkspaces(t, db)
		const question = "type=workspaces&filter[0][modules][does_not_contain][0]=x&filter[1][tags][is_empty]=&sort=-resource_count"
		for i, want := range []int64{2, 1} { // ids and rows; then the ids are kept
			before := db.Statements()
			if rows, _, err := explored(t, db, o, question); err != nil || len(rows) != 2 {
				t.Fatalf("%d rows: %v", len(rows), err)
			}
			if ran := db.Statements() - before; ran != want {
				t.Errorf("time %d: %d statements, want %d", i+1, ran, want)
			}
		}
	})
}

// FuzzExplore looks for a question that passes the check and that the database refuses.
func FuzzExplore(f *testing.F) {
	db := storetest.Open(f, "sqlite")
	o := withWorkspaces(f, db)
	for _, seed := range []string{
		"type=workspaces&filter[0][workspace_name][contains][0]=x&sort=-tags,modules", "type=modules&filter[0][workspaces][is_not][0]=x",
		"type=workspaces&filter[0][tags][does not contain][0]=%25&filter[1][project_name][contains][0]=_", "type=providers&sort=registry_type,-curated",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, raw string) {
		values, err := url.ParseQuery(raw)
		if err != nil {
			return
		}
		if q, err := explorer.FromURL(values); err == nil {
			asked(t, db, o, q)
		}
	})
}
