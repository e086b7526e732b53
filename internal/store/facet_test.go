package store_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/belayhq/belay"
	"github.com/belayhq/belay/backlog"
	"github.com/belayhq/belay/internal/store"
	"github.com/belayhq/belay/internal/storetest"
)

// putFacets makes n workspaces that differ in what a list can be asked for: each 100th is locked,
// each 500th of them by user-1; each 10th has another engine, each 1000th one of its own; each
// 200th was changed last long ago; and each 50th, of the first 5000, has an open change request,
// but for the last of them, where it is archived.
func putFacets(t *testing.T, db *store.DB, n int) belay.Organization {
	t.Helper()
	o := putWorkspaces(t, db, n)
	put(t, db, fmt.Sprintf("UPDATE organizations SET workspace_count = %d", n+1))
	const number = "CAST(SUBSTR(name, 2) AS BIGINT)"
	const holder = "CASE WHEN " + number + " % 500 = 0 THEN 'user-1' ELSE 'user-2' END"
	for condition, what := range map[string]string{
		"% 100 = 0": "lock_holder_type = 'users', lock_holder_id = " + holder + ", lock_last_id = " + holder,
		"% 10 = 1":  "engine_release = CASE WHEN " + number + " % 1000 = 1 THEN '0.13.7' ELSE '1.9.8' END",
		"% 200 = 7": "latest_change_at = 1000",
	} {
		put(t, db, "UPDATE workspaces SET "+what+" WHERE id <> '' AND name <> 'first' AND "+number+" "+condition)
	}
	b := backlog.BulkAction{ID: belay.NewID("bulk"), OrganizationID: o.ID, Subject: "s", CreatedAt: time.Now()}
	var ids []string
	for i := 50; i <= min(n, 5000); i += 50 {
		ids = append(ids, fmt.Sprint("ws-", i))
	}
	err := db.Update(t.Context(), func(tx *store.Tx) error {
		if err := tx.AddBulkAction(&b); err != nil {
			return err
		}
		_, err := tx.AddChangeRequests(&b, store.Filings(ids))
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	put(t, db, "UPDATE change_requests SET archived_at = 1 WHERE workspace_id = '"+ids[len(ids)-1]+"'")
	return o
}

// putAssessments has each 150th of these workspaces drifted, as those beside them were before, and each 250th not assessed.
func putAssessments(t *testing.T, db *store.DB) {
	t.Helper()
	const number = "CAST(SUBSTR(name, 2) AS BIGINT)"
	const made = "INSERT INTO assessments (id, workspace_id, organization_id, run_id, succeeded, problem, created_at, resources_drifted, resources_undrifted, checks_passed, checks_failed, checks_errored, checks_unknown) "
	put(t, db,
		made+"SELECT 'ar-old-' || id, id, organization_id, '', TRUE, '', 1, 1, 0, 0, 0, 0, 0 FROM workspaces WHERE id <> '' AND name <> 'first' AND "+number+" % 150 = 1",
		made+"SELECT 'ar-' || id, id, organization_id, '', "+number+" % 250 <> 2, '', 2, CASE WHEN "+number+" % 150 = 3 THEN 1 ELSE 0 END, 0, 0, 0, 0, 0 FROM workspaces WHERE id <> '' AND name <> 'first' AND ("+
			number+" % 150 IN (1, 3) OR "+number+" % 250 = 2)",
		"UPDATE workspaces SET assessment_id = 'ar-' || id WHERE id IN (SELECT workspace_id FROM assessments)")
}

// facetCases is what lists ask for, and how many of n workspaces they find.
func facetCases(n int, projects ...string) map[string]struct {
	want belay.WorkspaceQuery
	sum  int
} {
	long := time.UnixMilli(2000)
	type row = struct {
		want belay.WorkspaceQuery
		sum  int
	}
	open := min(n, 5000)/50 - 1
	return map[string]row{
		"locked":                  {belay.WorkspaceQuery{Lock: belay.OnlyLocked}, n / 100},
		"unlocked":                {belay.WorkspaceQuery{Lock: belay.OnlyUnlocked}, n + 1 - n/100},
		"locked by one":           {belay.WorkspaceQuery{LockedBy: "user-1"}, n / 500},
		"of an engine":            {belay.WorkspaceQuery{Releases: []string{"1.9.8"}}, n/10 - n/1000},
		"of a rare engine":        {belay.WorkspaceQuery{Releases: []string{"0.13.7"}}, n / 1000},
		"of two engines":          {belay.WorkspaceQuery{Releases: []string{"0.13.7", "1.9.8"}}, n / 10},
		"of no engine":            {belay.WorkspaceQuery{Releases: []string{}}, 0},
		"changed long ago":        {belay.WorkspaceQuery{ChangedBefore: long}, n / 200},
		"changed long ago, last":  {belay.WorkspaceQuery{ChangedBefore: long, Sort: belay.WorkspaceSort{Key: "latest-change-at", Descending: true}}, n / 200},
		"with requests":           {belay.WorkspaceQuery{OpenRequests: true}, open},
		"locked with requests":    {belay.WorkspaceQuery{OpenRequests: true, Lock: belay.OnlyLocked}, open/2 + open%2 - 1},
		"unlocked of an engine":   {belay.WorkspaceQuery{Lock: belay.OnlyUnlocked, Releases: []string{"1.9.8"}}, n/10 - n/1000},
		"drifted":                 {belay.WorkspaceQuery{Health: belay.OnlyDrifted}, (n + 147) / 150},
		"not assessed":            {belay.WorkspaceQuery{Health: belay.OnlyUnknown}, (n + 248) / 250},
		"checks failed":           {belay.WorkspaceQuery{Health: belay.OnlyBroken}, 0},
		"old, and changed lately": {belay.WorkspaceQuery{Releases: []string{"1.9.8"}, Lock: belay.OnlyLocked}, 0},
	}
}

// TestWorkspacesByFacets finds what each facet says, on both sides of where it is walked instead
// of sorted, for those who see everything, one project or few workspaces.
func TestWorkspacesByFacets(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		const n = 6000
		o := putFacets(t, db, n)
		putAssessments(t, db)
		for name, c := range facetCases(n) {
			for who, scope := range map[string]belay.Scope{
				"everybody's": {Everything: true}, "a project's": {Projects: []string{o.DefaultProjectID}}, "nobody's": {Projects: []string{"prj-none"}},
				"two's": {Workspaces: []string{"ws-100", "ws-500"}},
			} {
				c.want.Scope, c.want.Page = scope, belay.Page{Number: 1, Size: 20}
				o := o
				o.WorkspaceCount = n + 1
				var list []belay.Workspace
				var total int
				err := db.View(t.Context(), func(v *store.View) (err error) {
					list, total, err = v.Workspaces(o, c.want)
					return err
				})
				sum := c.sum
				switch who {
				case "nobody's":
					sum = 0
				case "two's":
					sum = map[string]int{"locked": 2, "locked by one": 1, "with requests": 2, "locked with requests": 2}[name]
				}
				if err != nil || total != sum || len(list) != min(20, sum) {
					t.Errorf("%s, %s: %d of %d, want %d: %v", name, who, len(list), total, sum, err)
				}
				if by := func(a, b belay.Workspace) int { return strings.Compare(a.Name, b.Name) }; c.want.Sort.ByName() && !slices.IsSortedFunc(list, by) {
					t.Errorf("%s, %s: not in order", name, who)
				}
			}
		}
		var releases []string
		err := db.View(t.Context(), func(v *store.View) (err error) { releases, err = v.EngineReleases(o.ID); return err })
		if err != nil || !slices.Equal(releases, []string{"0.13.7", "1.12.6", "1.9.8"}) {
			t.Errorf("releases %v, %v", releases, err)
		}
		put(t, db, "UPDATE bulk_actions SET unfinished_until = 9000000000000")
		err = db.View(t.Context(), func(v *store.View) error {
			_, total, err := v.Workspaces(o, belay.WorkspaceQuery{OpenRequests: true, Scope: belay.Scope{Everything: true}, Page: belay.Page{Number: 1, Size: 20}})
			if total != 0 {
				t.Errorf("%d have change requests that are not filed yet", total)
			}
			return err
		})
		if err != nil {
			t.Error(err)
		}
	})
}

// TestTotalsAreThoseOfEachList: what many lists find is counted together as each finds it by itself, in two statements.
func TestTotalsAreThoseOfEachList(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		const n = 6000
		o := putFacets(t, db, n)
		putAssessments(t, db)
		put(t, db, "UPDATE workspaces SET current_run_status = 'errored' WHERE name LIKE '%7'")
		o.WorkspaceCount = n + 1
		said := 0
		db.OnStatement(func(string, []any) { said++ })
		var wants []belay.WorkspaceQuery
		for _, c := range facetCases(n) {
			wants = append(wants, c.want)
		}
		wants = append(wants, belay.WorkspaceQuery{Search: "w7"}, belay.WorkspaceQuery{}, belay.WorkspaceQuery{MatchesNothing: true},
			belay.WorkspaceQuery{RunStatuses: []string{"errored"}}, belay.WorkspaceQuery{RunStatuses: []string{"errored", "", "errored"}})
		for _, scope := range []belay.Scope{{Everything: true}, {Projects: []string{o.DefaultProjectID}}, {Workspaces: []string{"ws-100", "ws-107"}}} {
			alone, paged := make([]int, len(wants)), make([]int, len(wants))
			for i := range wants {
				wants[i].Scope, wants[i].Page = scope, belay.Page{Number: 1, Size: 20}
				must(t, db.View(t.Context(), func(v *store.View) (err error) {
					_, alone[i], err = v.Workspaces(o, wants[i])
					return err
				}))
				must(t, db.View(store.Sitting(t.Context(), called{}), func(v *store.View) (err error) {
					_, paged[i], err = v.Workspaces(o, wants[i])
					return err
				}))
			}
			var together []int
			said = 0
			must(t, db.View(t.Context(), func(v *store.View) (err error) {
				together, err = v.WorkspaceTotals(o, wants...)
				return err
			}))
			if !slices.Equal(together, alone) || !slices.Equal(paged, alone) {
				t.Errorf("within %+v:\n%v alone\n%v together\n%v on pages", scope, alone, together, paged)
			}
			if said > 3 { // with the size of a scope
				t.Errorf("%d lists are counted by %d statements", len(wants), said)
			}
		}
	})
}

// TestListsByRunAreWalkedByTheirIndex: whoever asks for a status that few or nearly all have reads no others.
func TestListsByRunAreWalkedByTheirIndex(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		o := putWorkspaces(t, db, 20000)
		put(t, db, "UPDATE workspaces SET current_run_status = 'errored' WHERE name = 'w19999'")
		o.WorkspaceCount = 20001
		if db.Engine() == "postgres" {
			put(t, db, "ANALYZE")
		}
		plans, err := db.Plans(t.Context(), func(v *store.View) error {
			_, _, err := v.Workspaces(o, belay.WorkspaceQuery{RunStatuses: []string{"errored"}, Scope: belay.Scope{Everything: true}, Page: belay.Page{Number: 1, Size: 20}})
			return err
		})
		if err != nil || !slices.ContainsFunc(plans, func(plan string) bool {
			return strings.Contains(plan, "workspaces_run_status") && strings.Contains(plan, "ORDER BY")
		}) {
			t.Errorf("%v\n%s", err, strings.Join(plans, "\n"))
		}
	})
}

// TestFacetsAreOnIndexes: what a facet finds is counted and listed without a walk of the whole table.
func TestFacetsAreOnIndexes(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		const n = 20000
		o := putFacets(t, db, n)
		putAssessments(t, db)
		o.WorkspaceCount = n + 1
		if db.Engine() == "postgres" {
			put(t, db, "ANALYZE")
		}
		for name, c := range facetCases(n) {
			c.want.Scope, c.want.Page = belay.Scope{Everything: true}, belay.Page{Number: 1, Size: 20}
			plans, err := db.Plans(t.Context(), func(v *store.View) error {
				_, _, err := v.Workspaces(o, c.want)
				return err
			})
			if err != nil {
				t.Fatal(err)
			}
			for _, plan := range plans {
				step, statement, _ := strings.Cut(plan, " <- ")
				page := strings.Contains(statement, "ORDER BY")
				if page && strings.Contains(step, "Seq Scan on workspaces") || strings.HasPrefix(step, "SCAN") && !strings.Contains(step, "INDEX") && strings.ContainsAny(step[5:6], "fmc") {
					t.Errorf("%s: %s", name, step)
				}
			}
		}
	})
}

// TestLocksAreFoundByWhoHeldThemLast: whatever is done with locks and those who have them, what finds them says
// what the rows say; and who held a lock that is open now is forgotten.
func TestLocksAreFoundByWhoHeldThemLast(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		o := putFacets(t, db, 500)
		agree := func(step string, locked, remembered int) {
			t.Helper()
			const found, rows = "SELECT organization_id, holder_id, workspace_id FROM workspace_locks", "SELECT organization_id, lock_holder_id, id FROM workspaces WHERE lock_holder_id > ''"
			n, err := db.Ask(t.Context(), "SELECT count(*) FROM workspace_locks")
			other, askErr := db.Ask(t.Context(), "SELECT (SELECT count(*) FROM ("+found+" EXCEPT "+rows+") x) + (SELECT count(*) FROM ("+rows+" EXCEPT "+found+") y)")
			last, lastErr := db.Ask(t.Context(), "SELECT count(*) FROM workspaces WHERE lock_last_id > ''")
			if err := errors.Join(err, askErr, lastErr); err != nil || n != locked || other != 0 || last != remembered {
				t.Errorf("%s: %d are locked, want %d; %d differ; of %d the last holder is known, want %d; %v", step, n, locked, other, last, remembered, err)
			}
		}
		agree("filled", 5, 5)
		hold := func(id string, by belay.Holder) {
			t.Helper()
			err := db.Update(t.Context(), func(tx *store.Tx) error {
				w, err := tx.Workspace(belay.WorkspaceRef{ID: id})
				w.Lock.Holder = by
				return errors.Join(err, tx.SaveLock(&w))
			})
			if err != nil {
				t.Fatal(err)
			}
		}
		hold("ws-1", belay.Holder{Type: "users", ID: "user-1"})
		agree("locked", 6, 6)
		hold("ws-1", belay.Holder{Type: "teams", ID: "team-1"})
		agree("taken over", 6, 6)
		hold("ws-1", belay.Holder{})
		agree("left", 5, 6)
		hold("ws-1", belay.Holder{Type: "teams", ID: "team-1"})
		agree("locked by the same", 6, 6)
		hold("ws-1", belay.Holder{})
		hold("ws-2", belay.Holder{})
		agree("left again", 5, 6)
		if more, err := db.ForgetHolders(t.Context()); more || err != nil {
			t.Errorf("%v, %v", more, err)
		}
		agree("forgotten", 5, 5)
		hold("ws-1", belay.Holder{Type: "teams", ID: "team-1"})
		agree("locked once more", 6, 6)
		put(t, db, "DELETE FROM workspaces WHERE id = 'ws-100'")
		agree("a workspace is gone", 5, 5)
		put(t, db, "DELETE FROM workspaces WHERE organization_id = '"+o.ID+"' AND name <> 'first'")
		agree("all are gone", 0, 0)
	})
}

// TestAPatchWritesWhatChanged: what is not said to have changed stays as another wrote it, and what is kept
// as JSON is written though it was changed in place.
func TestAPatchWritesWhatChanged(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		putWorkspaces(t, db, 1)
		put(t, db, `UPDATE workspaces SET trigger_patterns = '["a","b"]', description = 'before', source_name = 'read' WHERE id = 'ws-1'`)
		err := db.Update(t.Context(), func(tx *store.Tx) error {
			w, err := tx.Workspace(belay.WorkspaceRef{ID: "ws-1"})
			before := w
			before.SourceName, w.SourceName = "not in question", "not in question"
			w.Description, w.LatestChangeAt, w.TriggerPatterns[0] = "after", time.UnixMilli(5), "c"
			return errors.Join(err, tx.SaveWorkspace(&w, &before))
		})
		if err != nil {
			t.Fatal(err)
		}
		n, err := db.Ask(t.Context(), `SELECT count(*) FROM workspaces WHERE id = 'ws-1' AND trigger_patterns = '["c","b"]' AND description = 'after'
			AND source_name = 'read' AND latest_change_at = 5`)
		if err != nil || n != 1 {
			t.Errorf("%d workspaces are as they were patched, %v", n, err)
		}
	})
}

// TestFilingsAreInOneOrder: what is written in parts stands together in the order of its ids, and in that of its workspaces.
func TestFilingsAreInOneOrder(t *testing.T) {
	t.Parallel()
	workspaces := make([]string, 2*store.RowsAtOnce)
	for i := range workspaces {
		workspaces[i] = fmt.Sprintf("ws-%04d", i)
	}
	list := store.Filings(workspaces)
	for i, f := range list {
		if f.WorkspaceID != workspaces[i] || i > 0 && f.ID <= list[i-1].ID {
			t.Fatalf("filing %d is %+v, behind %s", i, f, list[max(i-1, 0)].ID)
		}
	}
}
