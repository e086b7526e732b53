package store

import (
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/belayhq/belay/internal/sqldb"
)

// columnsOf is a table without its noun, for a test that walks all of them.
type columnsOf interface {
	missing() []string
	noun() reflect.Type
}

// everyTable is each table with columns. A new one joins it.
var everyTable = map[string]columnsOf{
	"agentPools": of(agentPools), "assessments": of(assessments), "configurations": of(configurations), "bulkActions": of(bulkActions), "changeRequests": of(changeRequests), "deliveries": of(deliveries), "encryptionKeys": of(encryptionKeys), "jobs": of(jobs), "runChecks": of(runChecks), "runNotes": of(runNotes), "runners": of(runners), "runs": of(runs),
	"engineVersions": of(engineVersions), "events": of(events), "identities": of(identities), "loginCodes": of(loginCodes), "mailLinks": of(mailLinks), "memberships": of(memberships),
	"notifications": of(notifications), "organizationStorage": of(organizationStorage), "oauthClients": of(oauthClients), "oauthTokens": of(oauthTokens), "organizations": of(organizations),
	"projects": of(projects), "recoverableItems": of(recoverableItems), "reservedTagKeys": of(reservedTagKeys), "runTriggers": of(runTriggers), "savedViews": of(savedViews),
	"sessions": of(sessions), "sshKeys": of(sshKeys), "stateOutputs": of(stateOutputs), "stateVersions": of(stateVersions), "tags": of(tags),
	"teamProjects": of(teamProjects), "teamWorkspaces": of(teamWorkspaces), "teams": of(teams), "tokens": of(tokens), "users": of(users),
	"variableSets": of(variableSets), "workspaceVariables": of(workspaceVariables), "setVariables": of(setVariables), "stateResources": of(stateResources), "workloadRules": of(workloadRules), "workspaceViews": of(workspaceViews), "workspaces": of(workspaces),
	"hooks": of(hooks), "vcsEvents": of(vcsEvents), "hookDeliveries": of(hookDeliveries), "fetches": of(fetches), "commitStatuses": of(commitStatuses), "appInstallations": of(appInstallations),
}

// derived is every field that no column of its table holds, with the reason.
var derived = map[string]string{
	"AgentPool.AgentCount":         "counted from the runners that are heard",
	"AgentPool.Load":               "counted from jobs and runners",
	"AgentPool.AllowedProjects":    "a link table: links, see agentpool.go",
	"AgentPool.AllowedWorkspaces":  "a link table, as above",
	"AgentPool.ExcludedWorkspaces": "a link table, as above",
	"AgentPool.Workspaces":         "read from the workspaces that use it",
	"EngineVersion.Named":          "counted among the workspaces: countUse",
	"EngineVersion.Usage":          "counted among the workspaces, as above",
	"Event.Quiet":                  "for whoever emits it",
	"Notification.UserIDs":         "a link table",
	"OAuthClient.ProjectIDs":       "a link table",
	"OAuthClient.TokenIDs":         "read from the tokens of the client",
	"StateOutput.Value":            "opened from SealedValue",
	"VariableSet.Manageable":       "computed for who asks",
	"Team.Grants":                  "read from what the team was given: FillGrants",
	"VariableSet.ProjectIDs":       "a link table",
	"VariableSet.VariableIDs":      "read from the variables of the set",
	"VariableSet.WorkspaceIDs":     "a link table",
	"Workspace.Lock.Holder.Hidden": "computed for who asks",
	"Workspace.Unfollowed":         "asked where one is read alone: alone",
	"Workspace.Unwatched":          "asked where one is read alone: alone",
}

// TestEveryFieldHasAColumn finds the field that would be accepted and never stored.
func TestEveryFieldHasAColumn(t *testing.T) {
	t.Parallel()
	stale := map[string]bool{}
	for field := range derived {
		stale[field] = true
	}
	for name, table := range everyTable {
		for _, field := range table.missing() {
			if derived[field] == "" {
				t.Errorf("the attribute %s is in no column of the table %s, so it is never stored: add its row, or say in derived where it comes from", field, name)
			}
			delete(stale, field)
		}
	}
	for field := range stale {
		t.Errorf("%s has a column, or is no field any more: take it out of derived", field)
	}
}

// TestEveryTableIsWalked finds the table that the test above does not know.
func TestEveryTableIsWalked(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	made := 0
	for _, file := range files {
		text, err := os.ReadFile(filepath.Clean(file))
		if err != nil {
			t.Fatal(err)
		}
		if !strings.HasSuffix(file, "_test.go") {
			made += len(regexp.MustCompile(`sqldb\.NewTable\(sqldb\.Table\[`).FindAll(text, -1))
		}
	}
	if made != len(everyTable)-1 {
		t.Errorf("%d tables are made and everyTable has %d: add the new one to it", made, len(everyTable))
	}
}

// walked is a table that can be walked.
type walked[N any] struct{ *sqldb.Table[N] }

func of[N any](t *sqldb.Table[N]) columnsOf { return walked[N]{t} }

func (t walked[N]) noun() reflect.Type { return reflect.TypeFor[N]() }

// missing is the fields of the noun that no column is the address of.
func (t walked[N]) missing() []string {
	var n N
	held := map[place]bool{}
	for _, c := range append(append([]sqldb.Column[N]{}, t.Own...), t.Joined...) {
		for _, p := range placesOf(reflect.ValueOf(c.At(&n))) {
			held[p] = true
		}
	}
	root := reflect.ValueOf(&n).Elem()
	return unheld(root, root.Type().Name(), held)
}

// place is where a value lies. Its type tells a struct from its first field.
type place struct {
	at uintptr
	is reflect.Type
}

// placesOf is what a column holds: a pointer, or the pointers inside of what translates it.
func placesOf(v reflect.Value) (places []place) {
	switch v.Kind() {
	case reflect.Pointer:
		return []place{{v.Pointer(), v.Type().Elem()}}
	case reflect.Struct:
		for i := range v.NumField() {
			places = append(places, placesOf(v.Field(i))...)
		}
	}
	return places
}

// unheld is the fields below a struct that are held by none of the places. A field that is
// said to be derived is not looked into, and neither is another noun: it has a table of its
// own, and what is read of it with this row is written there.
func unheld(v reflect.Value, path string, held map[place]bool) (missing []string) {
	for i := range v.NumField() {
		field, name := v.Field(i), path+"."+v.Type().Field(i).Name
		switch plain := field.Kind() != reflect.Struct || field.Type() == reflect.TypeFor[time.Time](); {
		case held[place{field.Addr().Pointer(), field.Type()}] || isNoun(field.Type()):
		case plain || derived[name] != "":
			missing = append(missing, name)
		default:
			missing = append(missing, unheld(field, name, held)...)
		}
	}
	return missing
}

func isNoun(is reflect.Type) bool {
	for _, t := range everyTable {
		if t.noun() == is {
			return true
		}
	}
	return false
}
