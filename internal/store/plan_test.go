package store_test

import (
	"context"
	"errors"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/belayhq/belay"
	"github.com/belayhq/belay/backlog"
	"github.com/belayhq/belay/internal/explorer"
	"github.com/belayhq/belay/internal/store"
	"github.com/belayhq/belay/internal/storetest"
)

// statements is the different statements that plans are of.
func statements(plans []string) map[string]bool {
	found := map[string]bool{}
	for _, plan := range plans {
		_, statement, _ := strings.Cut(plan, " <- ")
		found[statement] = true
	}
	return found
}

// TestUsualLimitsStandInTheText: PostgreSQL plans for the rows of a usual page, and whoever
// asks for every size there is makes few statements that stay prepared.
func TestUsualLimitsStandInTheText(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		list := func(number, size int) map[string]bool {
			plans, err := db.Plans(t.Context(), func(v *store.View) error {
				_, _, err := v.SavedViews(belay.Organization{ID: "org-1"}, belay.Page{Number: number, Size: size})
				return err
			})
			if err != nil {
				t.Fatal(err)
			}
			return statements(plans)
		}
		put(t, db, strings.TrimSuffix(organizationRow("org-1"), ";\n"), "INSERT INTO saved_views (id, organization_id, name, query, created_by, created_at, updated_at) VALUES ('sq-1', 'org-1', 'old', '{}', '', 1, 1)")
		all := map[string]bool{}
		for size := 1; size <= 150; size++ {
			for number := 1; number <= 3; number++ {
				for statement := range list(number, size) {
					all[statement] = true
				}
			}
		}
		if len(all) > 30 {
			t.Errorf("pages of 150 sizes are %d statements", len(all))
		}
		for statement := range list(1, 20) {
			if strings.Contains(statement, "ORDER BY") && !strings.HasSuffix(statement, " LIMIT 20") {
				t.Errorf("the first page is %s", statement)
			}
		}
		for statement := range list(2, 20) {
			if strings.Contains(statement, "ORDER BY") && !strings.Contains(statement, " LIMIT 20 OFFSET $") {
				t.Errorf("the second page is %s", statement)
			}
		}
	})
}

// put writes rows as they are.
func put(t *testing.T, db *store.DB, statements ...string) {
	t.Helper()
	for _, statement := range statements {
		if err := db.Do(t.Context(), statement); err != nil {
			t.Fatal(err)
		}
	}
}

// TestEngineUsesAreFoundByLeaps: a start reads one entry of the index for each use, however
// many workspaces there are, and finds all of them.
func TestEngineUsesAreFoundByLeaps(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		read := func() (uses []store.EngineUse, plans []string) {
			plans, err := db.Plans(t.Context(), func(v *store.View) (err error) {
				uses, err = v.EngineUses()
				return err
			})
			if err != nil {
				t.Fatal(err)
			}
			return uses, plans
		}
		if uses, _ := read(); len(uses) != 0 {
			t.Errorf("with no workspace: %v", uses)
		}
		putWorkspaces(t, db, 200)
		put(t, db, "UPDATE workspaces SET engine_version = '~> 1.1', engine_release = '1.1.9' WHERE name LIKE '%1'",
			"UPDATE workspaces SET engine_version = '1.1.9', engine_release = '1.1.9' WHERE name LIKE '%2'",
			"UPDATE workspaces SET engine_version = '~> 1.1', engine_release = '' WHERE name LIKE '%3'")
		uses, plans := read()
		want := []store.EngineUse{
			{Setting: "1.1.9", Release: "1.1.9"}, {Setting: "1.12.6", Release: "1.12.6"},
			{Setting: "~> 1.1"}, {Setting: "~> 1.1", Release: "1.1.9"},
		}
		if len(uses) != len(want) {
			t.Fatalf("%v, want %v", uses, want)
		}
		for i := range want {
			if uses[i] != want[i] {
				t.Errorf("%v, want %v", uses[i], want[i])
			}
		}
		for _, plan := range plans {
			if step, _, _ := strings.Cut(plan, " <- "); db.Engine() == "sqlite" && strings.HasPrefix(step, "SCAN w") {
				t.Error(step)
			}
		}
		var ids []string
		if err := db.View(context.Background(), func(v *store.View) (err error) { ids, err = v.EngineUsers(want[3]); return err }); err != nil || len(ids) != 20 {
			t.Errorf("%d workspaces of %v, %v", len(ids), want[3], err)
		}
	})
}

// putWorkspaces writes an organization with so many workspaces.
func putWorkspaces(t *testing.T, db *store.DB, n int) belay.Organization {
	t.Helper()
	o := belay.NewOrganization(time.Now())
	o.Name = "acme"
	p := belay.Project{ID: belay.NewID("prj"), OrganizationID: o.ID, Name: "Default Project", CreatedAt: time.Now()}
	o.DefaultProjectID = p.ID
	w := belay.NewWorkspace(o, p, time.Now())
	w.Name, w.EngineVersion, w.EngineRelease = "first", "1.12.6", "1.12.6"
	err := db.Update(t.Context(), func(tx *store.Tx) error {
		return errors.Join(tx.AddOrganization(&o), tx.AddProject(&p), tx.AddWorkspace(&w))
	})
	if err == nil && n > 0 {
		err = db.CopyWorkspaces(t.Context(), w.ID, n)
	}
	if err != nil {
		t.Fatal(err)
	}
	return o
}

// putRequests puts so many change requests on the workspaces that putWorkspaces made, one
// on each in turn.
func putRequests(t *testing.T, db *store.DB, o belay.Organization, workspaces, each int) {
	t.Helper()
	err := db.Update(t.Context(), func(tx *store.Tx) error {
		for range each {
			b := backlog.BulkAction{ID: belay.NewID("bulk"), OrganizationID: o.ID, Subject: "s", CreatedAt: tx.Now}
			ids := make([]string, workspaces)
			for i := range ids {
				ids[i] = "ws-" + strconv.Itoa(i+1)
			}
			if err := tx.AddBulkAction(&b); err != nil {
				return err
			}
			for part := range slices.Chunk(store.Filings(ids), store.RowsAtOnce) {
				if _, err := tx.AddChangeRequests(&b, part); err != nil {
					return err
				}
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

// TestWhatIsUnaskedIsFoundByTheWorkspace: whether a bulk action has asked something of a workspace is looked up for each, and not
// in all that it asked: neither when that is said again nor while PostgreSQL has been told of nothing that it did.
func TestWhatIsUnaskedIsFoundByTheWorkspace(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		if db.Engine() == "postgres" {
			put(t, db, "ALTER TABLE change_requests SET (autovacuum_enabled = false)")
		}
		o := putWorkspaces(t, db, 1000)
		putRequests(t, db, o, 900, 1)
		var b backlog.BulkAction
		id, err := db.Value(t.Context(), "SELECT id FROM bulk_actions")
		if err != nil {
			t.Fatal(err)
		}
		plans, err := db.Plans(t.Context(), func(v *store.View) error {
			if b, err = v.BulkAction(id); err != nil {
				return err
			}
			unasked, err := v.Unfiled(o, &b, explorer.Query{View: explorer.Workspaces})
			if len(unasked) != 101 { // putWorkspaces makes a first one
				t.Errorf("%d workspaces are unasked: %v", len(unasked), err)
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
		told := strings.Join(plans, "\n")
		want := map[string]string{"sqlite": "change_requests_action ((action_id,workspace_id)>(?,?))", "postgres": "Index Cond: (ROW(action_id, workspace_id) >= ROW("}[db.Engine()]
		if !strings.Contains(told, want) {
			t.Errorf("no step of the plan has %q:\n%s", want, told)
		}
	})
}

// TestRequestsOfAWorkspaceAreFoundByIt: neither those of the whole organization nor all there
// are is walked for the change requests of one workspace; those of all are walked in order.
func TestRequestsOfAWorkspaceAreFoundByIt(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		o := putWorkspaces(t, db, 1000)
		putRequests(t, db, o, 1000, 3)
		if db.Engine() == "postgres" {
			put(t, db, "ANALYZE")
		}
		read := func(want backlog.ChangeRequestQuery) (total int, page string) {
			want.Scope, want.Page = belay.Scope{Everything: true}, belay.Page{Number: 1, Size: 20}
			plans, err := db.Plans(t.Context(), func(v *store.View) (err error) {
				_, total, err = v.ChangeRequests(o, want)
				return err
			})
			if err != nil {
				t.Fatal(err)
			}
			for _, plan := range plans {
				if step, statement, _ := strings.Cut(plan, " <- "); strings.Contains(statement, "ORDER BY") {
					page += step + "\n"
				}
			}
			return total, page
		}
		total, page := read(backlog.ChangeRequestQuery{WorkspaceIDs: []string{"ws-77"}})
		if total != 3 || !strings.Contains(page, "change_requests_workspace") || strings.Contains(page, "change_requests_organization") || strings.Contains(page, "Seq Scan on change_requests") {
			t.Errorf("%d of one workspace are found by\n%s", total, page)
		}
		if total, page = read(backlog.ChangeRequestQuery{}); total != 3000 || !strings.Contains(page, "change_requests_backlog") {
			t.Errorf("%d of the organization are found by\n%s", total, page)
		}
	})
}

// TestAStartLooksForWhatIsLeftByItsIndexes: what a server looks for whenever it starts, and seldom finds, is found without a
// walk of all workspaces.
func TestAStartLooksForWhatIsLeftByItsIndexes(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		putWorkspaces(t, db, 2000)
		if db.Engine() == "postgres" {
			put(t, db, "ANALYZE")
		}
		plans, err := db.Plans(t.Context(), func(v *store.View) error {
			_, unhooked := v.Unhooked("", 500)
			_, dangling := db.ForgetSome(t.Context())
			return errors.Join(unhooked, dangling)
		})
		if err != nil {
			t.Fatal(err)
		}
		told := strings.Join(plans, "\n")
		if whole := regexp.MustCompile(`sqlite_autoindex_workspaces_1|SCAN w <-|workspaces_pkey|Seq Scan on workspaces`).FindString(told); whole != "" {
			t.Errorf("all workspaces are walked, by %s:\n%s", whole, told)
		}
	})
}

// TestWhatMayBeAssessedIsNotedInParts: each workspace of a project, or of an organization, once, and no other.
func TestWhatMayBeAssessedIsNotedInParts(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		o := putWorkspaces(t, db, 20)
		few := belay.Project{ID: "prj-few", OrganizationID: o.ID, Name: "few", CreatedAt: time.Now()}
		if err := db.Update(t.Context(), func(tx *store.Tx) error { return tx.AddProject(&few) }); err != nil {
			t.Fatal(err)
		}
		put(t, db, "UPDATE workspaces SET project_id = 'prj-few' WHERE name LIKE '%1'") // 1 and 11
		for _, c := range []struct {
			subject string
			parts   []int
		}{{"prj-few", []int{2, 0}}, {o.ID, []int{8, 8, 5, 0}}} {
			put(t, db, "DELETE FROM due")
			last, sum := "", 0
			for _, want := range c.parts {
				var n int
				err := db.Update(t.Context(), func(tx *store.Tx) (err error) {
					last, n, err = tx.NoteAssessedIn(c.subject, last, sum, 8)
					return err
				})
				if sum += want; err != nil || n != want {
					t.Fatalf("of %s a part has %d, not %d: %v", c.subject, n, want, err)
				}
			}
			noted, err := db.Ask(t.Context(), "SELECT count(*) FROM due d JOIN workspaces w ON w.id = d.subject_id WHERE '"+c.subject+"' IN (w.organization_id, w.project_id)")
			if all, _ := db.Ask(t.Context(), "SELECT count(*) FROM due"); err != nil || noted != sum || all != sum {
				t.Errorf("of %s %d are noted, %d of them its own: %v", c.subject, all, noted, err)
			}
		}
	})
}
