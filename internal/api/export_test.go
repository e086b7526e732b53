package api

import (
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
}

// Routes is the whole table.
func (a *API) Routes() []Route {
	var list []Route
	for _, r := range a.routes() {
		list = append(list, Route{r.method, r.path, r.open, r.does, r.keyed(), r.raw != nil, r.do.takes != nil})
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
}

// Tables is every attribute table whose nouns a body changes, by the name of the noun.
var Tables = map[string][]Writable{
	"agent-pools": writable(poolAttributes), "configuration-versions": writable(configurationAttributes), "authentication-tokens": writable(tokenAttributes), "notification-configurations": writable(notificationAttributes),
	"oauth-clients": writable(clientAttributes), "oauth-tokens": writable(oauthTokenAttributes), "organization-memberships": writable(membershipAttributes),
	"identities": writable(identityAttributes), "workload-rules": writable(workloadRuleAttributes), "organizations": writable(organizationAttributes), "projects": writable(projectAttributes), "reserved-tag-keys": writable(reservedKeyAttributes),
	"retention": writable(retentionAttributes), "ssh-keys": writable(sshKeyAttributes), "state-versions": writable(stateAttributes),
	"tag-bindings": writable(tagBindingAttributes), "team-projects": writable(teamProjectAttributes), "team-workspaces": writable(teamWorkspaceAttributes),
	"teams": writable(teamAttributes), "terraform-versions": writable(engineAttributes), "users": writable(userAttributes),
	"vars": writable(variableAttributes), "varsets": writable(setAttributes), "workspace-views": writable(viewAttributes), "workspaces": writable(workspaceAttributes),
}

func writable[D, P any](rows attributes[D, P]) (list []Writable) {
	for _, row := range rows {
		if row.write.take != nil {
			list = append(list, Writable{row.name, row.write.is, row.show.get != nil, row.allowed, row.most})
		}
	}
	return list
}
