package store_test

import (
	"path/filepath"
	"reflect"
	"strings"
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
