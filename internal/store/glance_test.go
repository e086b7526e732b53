package store_test

import (
	"context"
	"errors"
	"path/filepath"
	"reflect"
	"runtime"
	"strings"
	"sync"
	"testing"

	"github.com/belayhq/belay"
	"github.com/belayhq/belay/internal/store"
	"github.com/belayhq/belay/internal/store/core"
	"github.com/belayhq/belay/internal/storetest"
)

// TestAGlanceFindsRowsByTheirIndexes holds the statements that look at a token and a workspace at once, and that
// nothing that grows is read through for one.
func TestAGlanceFindsRowsByTheirIndexes(t *testing.T) {
	t.Parallel()
	db := storetest.Open(t, "postgres")
	putShapes(t, db)
	put(t, db, "INSERT INTO users (id, username, email, password_hash, is_admin, is_service_account, suspended, created_at) SELECT 'user-' || i, 'u' || i, '', '', FALSE, FALSE, FALSE, 1 FROM generate_series(1, 5000) i",
		"INSERT INTO tokens (id, owner_kind, owner_id, organization_id, workspace_id, purpose, description, created_by, created_at, last_used_at, expired_at, hash) SELECT 'at-' || i, 'user', 'user-' || i, '', '', '', '', '', 1, 1, 0, 'h' || i FROM generate_series(1, 5000) i",
		"ANALYZE")
	plans, err := db.Plans(t.Context(), func(v *store.View) error { return v.LookAtAll("h1", "ws-1") })
	if err != nil {
		t.Fatal(err)
	}
	var told strings.Builder
	last := ""
	for _, plan := range plans {
		step, statement, _ := strings.Cut(plan, " <- ")
		if statement != last {
			last = statement
			told.WriteString(clauses.Replace(spaces.ReplaceAllString(statement, " ")) + "\n\n")
		}
		if found := scan.FindString(step); strings.HasPrefix(found, "Seq") {
			for _, large := range []string{"on workspaces", "on tokens", "on users"} {
				if strings.Contains(found, large) {
					t.Errorf("%s in %s", found, statement)
				}
			}
		}
	}
	golden(t, filepath.Join("testdata", "glances.postgres.sql"), told.String())
}

// TestAPlanOfFewRequestsIsGoodForMany plans while there are none, as a connection does that keeps its plan when there are many: no index is read
// without the column that it begins with.
func TestAPlanOfFewRequestsIsGoodForMany(t *testing.T) {
	t.Parallel()
	db := storetest.Open(t, "postgres")
	o := putWorkspaces(t, db, 20)
	plans, err := db.Plans(t.Context(), func(v *store.View) error {
		_, err := v.Workspace(belay.WorkspaceRef{Organization: o.Name, Name: "none"})
		if belay.KindOf(err) == belay.NotFound {
			err = nil
		}
		return errors.Join(err, v.LookAtAll("h1", "ws-1"))
	})
	if err != nil {
		t.Fatal(err)
	}
	looked, open := 0, false
	for _, plan := range plans {
		step, statement, _ := strings.Cut(plan, " <- ")
		if strings.Contains(step, "Scan") {
			open = strings.Contains(step, "change_requests_open")
		} else if open && strings.Contains(step, "Index Cond") {
			if looked++; !strings.Contains(step, "(organization_id = ") {
				t.Errorf("%s in %s", strings.TrimSpace(step), statement)
			}
		}
	}
	if looked == 0 {
		t.Error("no plan reads the index of open requests: the test looks at nothing")
	}
}

// TestWhoLooksTogetherSeesTheirOwn: those who look while another look is on its way ask by one statement for each kind of look,
// which sees what was done meanwhile, and each is told what they would be told alone. Who leaves takes no answer from the others.
func TestWhoLooksTogetherSeesTheirOwn(t *testing.T) {
	t.Parallel()
	db := storetest.Open(t, "postgres")
	o := putWorkspaces(t, db, 20)
	putRequests(t, db, o, 10, 2)
	o.WorkspaceCount, o.Generation = 21, o.Generation+1
	put(t, db, "INSERT INTO tags (id, organization_id, name, created_at, instance_count, doomed) VALUES ('tag-1', '"+o.ID+"', 'gone', 1, 0, TRUE)",
		"INSERT INTO users (id, username, email, password_hash, is_admin, is_service_account, suspended, created_at) VALUES ('user-1', 'u', '', '', FALSE, FALSE, FALSE, 1)",
		"INSERT INTO tokens (id, owner_kind, owner_id, organization_id, workspace_id, purpose, description, created_by, created_at, last_used_at, expired_at, hash) VALUES ('at-1', 'user', 'user-1', '', '', '', '', '', 1, 1, 0, 'h1')")
	var ids []string
	err := db.View(t.Context(), func(v *store.View) error {
		list, _, err := v.Workspaces(o, belay.WorkspaceQuery{Scope: belay.Scope{Everything: true}, Page: belay.Page{Number: 1, Size: 100}})
		for _, w := range list {
			ids = append(ids, w.ID)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	keys := func(i int) []string {
		of := func(known ...string) string { return append(known, "none")[i%(len(known)+1)] }
		return []string{of("h1"), ids[i%len(ids)], of(o.ID), of(o.DefaultProjectID), of("user-1", o.ID), of(o.ID)}
	}
	whoKeys := func(i int) []string {
		of := func(known ...string) string { return append(known, "none")[i%(len(known)+1)] }
		return []string{of("h1"), of("user-1", o.ID), of(o.ID)}
	}
	var versions string
	if err := db.View(t.Context(), func(v *store.View) (err error) { versions, err = v.VersionsOfAll(); return err }); err != nil {
		t.Fatal(err)
	}
	const each = 24
	listKeys := func(i int) []string {
		of := func(known ...string) string { return append(known, "none")[i%(len(known)+1)] }
		list := func(known ...string) string { return append(known, "{}")[i%(len(known)+1)] }
		return []string{
			of("h1"), of(o.ID), list("{"+ids[i%len(ids)]+"}", `{"`+ids[1]+`","`+ids[(i+2)%len(ids)]+`"}`), list(versions),
			list(`{"` + o.DefaultProjectID + `"}`), list(versions), of("user-1", o.ID), of(o.ID),
		}
	}
	for kind, n := range db.Looks() {
		keys := keys
		switch {
		case n <= 3:
			keys = whoKeys
		case n > 6:
			keys = listKeys
		}
		together := make([]any, each)
		release := db.HoldLooks()
		var all sync.WaitGroup
		for i := range each {
			all.Go(func() {
				ctx, leave := context.WithCancel(t.Context())
				defer leave()
				if i%5 == 0 {
					leave()
				}
				together[i] = db.Look(ctx, kind, keys(i)[:n])
			})
		}
		for db.LooksWaiting() < each {
			runtime.Gosched()
		}
		put(t, db, "UPDATE workspaces SET description = description || 'x' WHERE id = '"+ids[1]+"'", "UPDATE tokens SET description = description || 'x'", "DELETE FROM workspaces WHERE id = '"+ids[15+kind%5]+"'")
		before := db.Statements()
		release()
		all.Wait()
		if n := db.Statements() - before; n != 1 {
			t.Errorf("%d statements for all who waited", n)
		}
		for i, got := range together {
			if want := db.Look(t.Context(), kind, keys(i)[:n]); got != want {
				t.Errorf("%v together is\n%+v, and alone\n%+v", keys(i), got, want)
			}
		}
	}
}

// TestWhatIsRememberedIsBounded: every text of a workspace that somebody chooses the length of counts.
func TestWhatIsRememberedIsBounded(t *testing.T) {
	t.Parallel()
	var w belay.Workspace
	w.VCSRepo = &belay.VCSRepo{}
	short := map[string]bool{ // ids, words, and names that are bounded by themselves
		"ID": true, "OrganizationID": true, "ProjectID": true, "Name": true, "OwnMode": true, "OwnPoolID": true, "Engine": true, "EngineVersion": true,
		"EngineRelease": true, "OwnDestroyDuration": true, "Source": true, "HookID": true, "VCSTokenID": true, "SSHKeyID": true, "CurrentStateVersionID": true,
		"ConfigurationID": true, "StateEngineVersion": true, "CurrentRunID": true, "CurrentRunStatus": true, "LastHolderID": true, "AssessingID": true, "AssessmentID": true,
		"OAuthClientName": true, "OAuthTokenID": true, "AppInstallationID": true, "ServiceProvider": true,
	}
	fill := func(v reflect.Value) {
		for i := range v.NumField() {
			name, field := v.Type().Field(i).Name, v.Field(i)
			before := core.TextOf(&w)
			switch {
			case short[name]:
				continue
			case field.Kind() == reflect.String:
				field.SetString("some text")
			case field.Type() == reflect.TypeFor[[]string]():
				field.Set(reflect.ValueOf([]string{"some text"}))
			default:
				continue
			}
			if core.TextOf(&w) < before+len("some text") {
				t.Errorf("%s does not count", name)
			}
		}
	}
	fill(reflect.ValueOf(&w).Elem())
	fill(reflect.ValueOf(w.VCSRepo).Elem())
}
