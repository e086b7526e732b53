package api

import (
	"encoding/json"
	"reflect"
	"slices"
	"strings"

	"github.com/belayhq/belay"
	"github.com/belayhq/belay/internal/api/doc"
	"github.com/belayhq/belay/internal/api/door"
	"github.com/belayhq/belay/internal/api/organizations"
	"github.com/belayhq/belay/internal/api/people"
	"github.com/belayhq/belay/internal/api/runs"
	"github.com/belayhq/belay/internal/api/states"
	"github.com/belayhq/belay/internal/api/workspaces"
	"github.com/belayhq/belay/internal/openapi"
)

// Route is one row of the table, for tests that walk it.
type Route struct {
	Method, Path string
	Open         bool
	Does         string
	Keyed        bool // takes an Idempotency-Key
	Raw          bool // reads what is no document
	Takes        bool // reads a document
	Needs        belay.Permission
	By           door.By
}

// Needed is what a token must have and be.
func (r Route) Needed() string { return strings.Join(append(r.Needs.Names(), string(r.By)), " ") }

// Routes is the whole table.
func (a *API) Routes() []Route {
	var list []Route
	for _, r := range a.routes() {
		list = append(list, Route{r.Method, r.Path, r.Open, r.Does, r.Keyed(), r.Raw != nil, r.Do.Takes != nil, r.Needs, r.By})
	}
	return list
}

// Writable is one attribute that a body may hold.
type Writable struct {
	Name    string
	Is      *openapi.Schema
	Shown   bool
	Allowed []string
	Most    int
	Reaches []string // fields of the patch
	Patch   reflect.Type
}

// Tables is every attribute table whose nouns a body changes, by the name of the noun.
var Tables = map[string][]Writable{
	"agent-pools": writable(runs.PoolAttributes), "configuration-versions": writable(runs.ConfigurationAttributes), "authentication-tokens": writable(people.TokenAttributes), "notification-configurations": writable(organizations.NotificationAttributes),
	"oauth-clients": writable(organizations.ClientAttributes), "oauth-tokens": writable(organizations.OAuthTokenAttributes), "organization-memberships": writable(people.MembershipAttributes),
	"identities": writable(people.IdentityAttributes), "workload-rules": writable(people.WorkloadRuleAttributes), "organizations": writable(organizations.OrganizationAttributes), "projects": writable(workspaces.ProjectAttributes), "reserved-tag-keys": writable(workspaces.ReservedKeyAttributes),
	"retention": writable(workspaces.RetentionAttributes), "ssh-keys": writable(organizations.SSHKeyAttributes), "state-versions": writable(states.StateAttributes),
	"tag-bindings": writable(workspaces.TagBindingAttributes), "team-projects": writable(people.TeamProjectAttributes), "team-workspaces": writable(people.TeamWorkspaceAttributes),
	"teams": writable(people.TeamAttributes), "terraform-versions": writable(runs.EngineAttributes), "users": writable(people.UserAttributes),
	"vars": writable(workspaces.VariableAttributes), "varsets": writable(workspaces.SetAttributes), "workspace-views": writable(workspaces.ViewAttributes), "workspaces": writable(workspaces.WorkspaceAttributes),
}

func writable[D, P any](rows doc.Attributes[D, P]) (list []Writable) {
	for _, row := range rows {
		if row.Write.Take != nil {
			list = append(list, Writable{row.Name, row.Write.Is, row.Show.Get != nil, row.Allowed, row.Most, reached(row.Write), reflect.TypeFor[P]()})
		}
	}
	return list
}

// reached is the fields of a patch that a row writes to, whatever it is given.
func reached[P any](write doc.Writer[P]) (fields []string) {
	for _, raw := range []string{"null", "true", "1", `"x"`, `"2030-01-01T00:00:00Z"`, `["x"]`, `{"x":"y"}`, `{"x":true}`, `[{"key":"x"}]`} {
		var p P
		_ = write.Take(&p, json.RawMessage(raw))
		for i := range reflect.TypeFor[P]().NumField() {
			if name := reflect.TypeFor[P]().Field(i).Name; !reflect.ValueOf(p).Field(i).IsZero() && !slices.Contains(fields, name) {
				fields = append(fields, name)
			}
		}
	}
	return fields
}
