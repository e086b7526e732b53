package store

import (
	"maps"
	"reflect"
	"slices"
	"testing"
	"time"

	"github.com/belayhq/belay/internal/sqldb"
)

// derived is every field that no column of its table holds, with the reason.
var derived = map[string]string{
	"Organization.GenerationParts":     "with Generation, from organization_counts",
	"AgentPool.Load":                   "counted from jobs and runners",
	"AgentPool.AllowedProjects":        "a link table: links, see agentpool.go",
	"AgentPool.AllowedWorkspaces":      "a link table, as above",
	"AgentPool.ExcludedWorkspaces":     "a link table, as above",
	"AgentPool.Workspaces":             "read from the workspaces that use it",
	"Delivery.Organization":            "read with those of all organizations",
	"EngineVersion.Named":              "counted among the workspaces: countUse",
	"EngineVersion.Usage":              "counted among the workspaces, as above",
	"Event.Quiet":                      "for whoever emits it",
	"Notification.UserIDs":             "a link table",
	"OAuthClient.ProjectIDs":           "a link table",
	"OAuthClient.TokenIDs":             "read from the tokens of the client",
	"StateOutput.Value":                "opened from SealedValue",
	"VariableSet.Manageable":           "computed for who asks",
	"Team.Grants":                      "read from what the team was given: FillGrants",
	"VariableSet.ProjectIDs":           "a link table",
	"VariableSet.VariableIDs":          "read from the variables of the set",
	"VariableSet.WorkspaceIDs":         "a link table",
	"Workspace.Lock.Holder.Hidden":     "computed for who asks",
	"Workspace.Lock.Holder.Visibility": "read from the team that holds it: referred",
	"Workspace.OAuthClientName":        "read from the connection, as above",
}

// TestEveryFieldHasAColumn finds the field that would be accepted and never stored. Nouns of which
// several tables read some fields each have what any of them holds.
func TestEveryFieldHasAColumn(t *testing.T) {
	t.Parallel()
	stale, missing := map[string]bool{}, map[reflect.Type]map[string]bool{}
	for field := range derived {
		stale[field] = true
	}
	for _, table := range sqldb.Made() {
		noun, fields := unheldBy(table)
		if missing[noun] == nil {
			missing[noun] = fields
		}
		maps.DeleteFunc(missing[noun], func(field string, _ bool) bool { return !fields[field] })
	}
	if len(missing) < 50 {
		t.Errorf("%d nouns have tables: there were 52", len(missing))
	}
	for _, fields := range missing {
		for field := range fields {
			if derived[field] == "" {
				t.Errorf("the attribute %s is in no column of its table, so it is never stored: add its row, or say in derived where it comes from", field)
			}
			delete(stale, field)
		}
	}
	for field := range stale {
		t.Errorf("%s has a column, or is no field any more: take it out of derived", field)
	}
}

// unheldBy is the noun of a table, and those of its fields that no column is the address of.
func unheldBy(table sqldb.AnyTable) (reflect.Type, map[string]bool) {
	noun, columns := table.Held()
	held := map[place]bool{}
	for _, c := range columns {
		for _, p := range placesOf(reflect.ValueOf(c)) {
			held[p] = true
		}
	}
	root, fields := reflect.ValueOf(noun).Elem(), map[string]bool{}
	for _, field := range unheld(root, root.Type().Name(), held) {
		fields[field] = true
	}
	return root.Type(), fields
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
	return slices.ContainsFunc(sqldb.Made(), func(t sqldb.AnyTable) bool {
		noun, _ := t.Held()
		return reflect.TypeOf(noun).Elem() == is
	})
}
