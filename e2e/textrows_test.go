package e2e_test

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
)

// textRow is a text that somebody can write, and how.
type textRow struct {
	of      string // kind and attribute, as docs/openapi.json calls them
	send    string // method and path
	body    string // the type, and other attributes that go with it; or all of it, with TEXT in it
	prefix  string // what the text begins with: addresses are taken only as such
	keep    string // what the id of the answer is called from then on
	unseen  string // why no page need show it
	secret  bool   // no page may show it
	refused bool   // none of the payloads is taken
	own     bool   // a user who is not the site's admin writes it
	write   func(c *canvas, text string) reply
}

// textRows are all texts that somebody can write: a new one is a line here.
var textRows = []textRow{
	{of: "Workspace name", send: "POST /organizations/acme/workspaces", body: "workspaces", refused: true},
	{of: "Workspace description", send: "PATCH /workspaces/{ws}", body: "workspaces"},
	{of: "Workspace working-directory", send: "PATCH /workspaces/{fresh}", body: "workspaces", prefix: "dir/"},
	{of: "Workspace source-name", send: "PATCH /workspaces/{ws}", body: "workspaces", unseen: "no page shows it"},
	{of: "Workspace source-url", send: "PATCH /workspaces/{fresh}", body: "workspaces", unseen: "no page shows it"},
	{of: "Workspace migration-environment", send: "PATCH /workspaces/{fresh}", body: "workspaces", unseen: "no page shows it"},
	{of: "Workspace trigger-prefixes", send: "PATCH /workspaces/{fresh}", body: `{"data":{"type":"workspaces","attributes":{"file-triggers-enabled":true,"trigger-prefixes":[TEXT]}}}`},
	{of: "Workspace trigger-patterns", send: "PATCH /workspaces/{fresh}", body: `{"data":{"type":"workspaces","attributes":{"file-triggers-enabled":true,"trigger-prefixes":[],"trigger-patterns":[TEXT]}}}`},
	{of: "Workspace identifier", send: "PATCH /workspaces/{fresh}", body: `{"data":{"type":"workspaces","attributes":{"vcs-repo":{"oauth-token-id":"{token}","identifier":TEXT}}}}`, prefix: "acme/app"},
	{of: "Workspace branch", send: "PATCH /workspaces/{fresh}", body: `{"data":{"type":"workspaces","attributes":{"vcs-repo":{"oauth-token-id":"{token}","identifier":"acme/app","branch":TEXT}}}}`},
	{of: "Workspace source-directory", send: "PATCH /workspaces/{fresh}", body: `{"data":{"type":"workspaces","attributes":{"vcs-repo":{"oauth-token-id":"{token}","identifier":"acme/app","source-directory":TEXT}}}}`, unseen: "no page shows it"},
	{of: "Workspace tags-regex", send: "PATCH /workspaces/{fresh}", body: `{"data":{"type":"workspaces","attributes":{"trigger-patterns":[],"file-triggers-enabled":false,"vcs-repo":{"oauth-token-id":"{token}","identifier":"acme/app","tags-regex":TEXT}}}}`},
	{of: "Workspace tag-prefix", send: "PATCH /workspaces/{fresh}", body: `{"data":{"type":"workspaces","attributes":{"vcs-repo":{"oauth-token-id":"{token}","identifier":"acme/app","tag-prefix":TEXT}}}}`, unseen: "no page shows it"},
	{of: "Workspace auto-destroy-activity-duration", send: "PATCH /workspaces/{ws}", body: "workspaces", refused: true},
	{of: "Workspace terraform-version", send: "PATCH /workspaces/{ws}", body: "workspaces", refused: true},
	{of: "Workspace engine-version", send: "PATCH /workspaces/{ws}", body: "workspaces", refused: true},
	{of: "Workspace key", send: "PATCH /workspaces/{ws}/tag-bindings", body: `{"data":[{"type":"tag-bindings","attributes":{"key":TEXT,"value":"v"}}]}`, refused: true},
	{of: "Workspace value", send: "PATCH /workspaces/{ws}/tag-bindings", body: `{"data":[{"type":"tag-bindings","attributes":{"key":"NEW","value":TEXT}}]}`, refused: true},
	{of: "(tag)", send: "POST /workspaces/{ws}/relationships/tags", body: `{"data":[{"type":"tags","attributes":{"name":TEXT}}]}`, refused: true},
	{of: "(lock) reason", write: func(c *canvas, text string) reply {
		id := c.workspace("acme", fmt.Sprintf("locked-%d", c.n))
		return c.do("POST", "/workspaces/"+id+"/actions/lock", c.Token, `{"reason":`+quoted(text)+`}`)
	}},

	{of: "Variable key", send: "POST /workspaces/{ws}/vars", body: `vars "category":"terraform"`, refused: true},
	{of: "Variable value", send: "POST /workspaces/{ws}/vars", body: `vars "category":"terraform","key":"NEW"`, keep: "variable"},
	{of: "Variable description", send: "POST /workspaces/{ws}/vars", body: `vars "category":"env","key":"NEW"`},
	{of: "(variable of a set)", send: "POST /varsets/{set}/relationships/vars", body: `{"data":{"type":"vars","attributes":{"category":"terraform","key":"NEW","value":TEXT}}}`},
	{of: "VariableSet name", send: "POST /organizations/acme/varsets", body: `varsets "global":true`},
	{of: "VariableSet description", send: "PATCH /varsets/{set}", body: "varsets"},

	{of: "Project name", send: "POST /organizations/acme/projects", body: "projects", refused: true},
	{of: "Project description", send: "PATCH /projects/{project}", body: "projects"},
	{of: "Project key", send: "PATCH /projects/{project}/tag-bindings", body: `{"data":[{"type":"tag-bindings","attributes":{"key":TEXT,"value":"v"}}]}`, refused: true},
	{of: "Project value", send: "PATCH /projects/{project}/tag-bindings", body: `{"data":[{"type":"tag-bindings","attributes":{"key":"NEW","value":TEXT}}]}`, refused: true},
	{of: "Project auto-destroy-activity-duration", send: "PATCH /projects/{project}", body: "projects", refused: true},
	{of: "ReservedTagKey key", send: "POST /organizations/acme/reserved-tag-keys", body: "reserved-tag-keys", refused: true},

	{of: "Team name", send: "POST /organizations/acme/teams", body: "teams", refused: true},
	{of: "Team description", send: "PATCH /teams/{team}", body: "teams"},
	{of: "Team sso-team-id", send: "PATCH /teams/{team}", body: "teams"},
	{of: "SshKey name", send: "POST /organizations/acme/ssh-keys", body: `ssh-keys "value":"v"`},
	{of: "SshKey value", send: "POST /organizations/acme/ssh-keys", body: `ssh-keys "name":"NEW"`, secret: true},
	{of: "AgentPool name", send: "POST /organizations/acme/agent-pools", body: "agent-pools", refused: true},
	{of: "AuthenticationToken description", send: "POST /agent-pools/{pool}/authentication-tokens", body: "authentication-tokens"},
	{of: "(description of a team's token)", send: "POST /teams/{team}/authentication-tokens", body: `{"data":{"type":"authentication-tokens","attributes":{"description":TEXT}}}`},
	{of: "(runner) name", write: func(c *canvas, text string) reply {
		token := c.do("POST", "/agent-pools/"+c.ids["pool"]+"/authentication-tokens", c.Token, `{"data":{"type":"authentication-tokens","attributes":{"description":"r"}}}`).want(c.t, 201).text("data.attributes.token")
		return c.runnerCall(token, "register", `{"name":`+quoted(text)+`,"boot_id":"b","slots":1,"engines":[{"product":"tofu","version":"1.12.6"}]}`)
	}},

	{of: "NotificationConfiguration name", send: "POST /workspaces/{ws}/notification-configurations", body: `notification-configurations "destination-type":"generic","enabled":false,"url":"https://hooks.example.com/","triggers":["run:errored"]`, keep: "notification"},
	{of: "NotificationConfiguration url", send: "POST /workspaces/{ws}/notification-configurations", body: `notification-configurations "destination-type":"generic","enabled":false,"name":"NEW","triggers":["run:errored"]`, refused: true},
	{of: "NotificationConfiguration url", send: "POST /workspaces/{ws}/notification-configurations", body: `notification-configurations "destination-type":"generic","enabled":false,"name":"NEW","triggers":["run:errored"]`, prefix: "https://hooks.example.com/?", keep: "address"},
	{of: "NotificationConfiguration token", send: "POST /workspaces/{ws}/notification-configurations", body: `notification-configurations "destination-type":"generic","enabled":false,"name":"NEW","url":"https://hooks.example.com/","triggers":["run:errored"]`, secret: true},
	{of: "NotificationConfiguration email-addresses", send: "POST /workspaces/{ws}/notification-configurations", body: `{"data":{"type":"notification-configurations","attributes":{"destination-type":"email","enabled":false,"name":"NEW","email-addresses":[TEXT]}}}`, refused: true},
	{of: "NotificationConfiguration triggers", send: "POST /workspaces/{ws}/notification-configurations", body: `{"data":{"type":"notification-configurations","attributes":{"destination-type":"generic","enabled":false,"name":"NEW","url":"https://hooks.example.com/","triggers":[TEXT]}}}`, refused: true},

	{of: "OauthClient name", send: "POST /organizations/acme/oauth-clients", body: `oauth-clients "service-provider":"gitea","http-url":"https://git.example.com","api-url":"https://git.example.com/api/v1","oauth-token-string":"s"`},
	{of: "OauthClient http-url", send: "POST /organizations/acme/oauth-clients", body: `oauth-clients "service-provider":"gitea","api-url":"https://git.example.com/api/v1","oauth-token-string":"s"`, refused: true},
	{of: "OauthClient api-url", send: "POST /organizations/acme/oauth-clients", body: `oauth-clients "service-provider":"gitea","http-url":"https://git.example.com","oauth-token-string":"s"`, refused: true},
	{of: "OauthClient oauth-token-string", send: "POST /organizations/acme/oauth-clients", body: `oauth-clients "service-provider":"gitea","http-url":"https://git.example.com","api-url":"https://git.example.com/api/v1"`, secret: true},

	{of: "Organization name", send: "POST /organizations", body: `organizations "email":"a@example.com"`, refused: true},
	{of: "Organization email", send: "PATCH /organizations/acme", body: "organizations", refused: true},
	{of: "Organization owners-team-saml-role-id", send: "PATCH /organizations/acme", body: "organizations", unseen: "no page shows it"},
	{of: "OrganizationMembership email", send: "POST /organizations/acme/organization-memberships", body: "organization-memberships", refused: true},
	{of: "Account username", send: "PATCH /account/update", body: "users", own: true, refused: true},
	{of: "Account email", send: "PATCH /account/update", body: "users", own: true, refused: true},

	{of: "ExplorerSavedView name", send: "POST /organizations/acme/explorer/views", body: `{"data":{"name":TEXT,"query":{"type":"workspaces","filter":[],"fields":["workspace_name"]}}}`},
	{of: "WorkspaceView name", send: "POST /organizations/acme/workspace-views", body: `workspace-views "query":"run=none","shared":true`},
	{of: "WorkspaceView query", send: "POST /organizations/acme/workspace-views", body: `workspace-views "name":"NEW","shared":true`, prefix: "search="},
	{of: "NewExplorerBulkAction subject", send: "POST /organizations/acme/explorer/bulk-actions", body: `{"data":{"type":"bulk_actions","attributes":{"action_type":"change_requests","action_inputs":{"subject":TEXT,"message":"m"},"target_ids":["{ws}"]}}}`},
	{of: "NewExplorerBulkAction message", send: "POST /organizations/acme/explorer/bulk-actions", body: `{"data":{"type":"bulk_actions","attributes":{"action_type":"change_requests","action_inputs":{"subject":"s","message":TEXT},"target_ids":["{ws}"]}}}`, keep: "campaign"},

	{of: "Run message", send: "POST /runs", body: `{"data":{"type":"runs","attributes":{"message":TEXT},"relationships":{"workspace":{"data":{"type":"workspaces","id":"{rws}"}}}}}`},
	{of: "Run target-addrs", send: "POST /runs", body: `{"data":{"type":"runs","attributes":{"target-addrs":[TEXT]},"relationships":{"workspace":{"data":{"type":"workspaces","id":"{rws}"}}}}}`, unseen: "no page shows it"},
	{of: "Run replace-addrs", send: "POST /runs", body: `{"data":{"type":"runs","attributes":{"replace-addrs":[TEXT]},"relationships":{"workspace":{"data":{"type":"workspaces","id":"{rws}"}}}}}`, unseen: "no page shows it"},
	{of: "Run invoke-action-addrs", send: "POST /runs", body: `{"data":{"type":"runs","attributes":{"invoke-action-addrs":[TEXT]},"relationships":{"workspace":{"data":{"type":"workspaces","id":"{rws}"}}}}}`, unseen: "no page shows it"},
	{of: "Run policy-paths", send: "POST /runs", body: `{"data":{"type":"runs","attributes":{"policy-paths":[TEXT]},"relationships":{"workspace":{"data":{"type":"workspaces","id":"{rws}"}}}}}`, unseen: "no page shows it"},
	{of: "Run terraform-version", send: "POST /runs", body: `{"data":{"type":"runs","attributes":{"terraform-version":TEXT,"plan-only":true},"relationships":{"workspace":{"data":{"type":"workspaces","id":"{rws}"}}}}}`, refused: true},
	{of: "Run key", send: "POST /runs", body: `{"data":{"type":"runs","attributes":{"variables":[{"key":TEXT,"value":"1"}]},"relationships":{"workspace":{"data":{"type":"workspaces","id":"{rws}"}}}}}`, refused: true},
	{of: "Run value", send: "POST /runs", body: `{"data":{"type":"runs","attributes":{"variables":[{"key":"k","value":TEXT}]},"relationships":{"workspace":{"data":{"type":"workspaces","id":"{rws}"}}}}}`, unseen: "no page shows variables of one run"},
	{of: "Comment body", send: "POST /runs/{run}/comments", body: "comments"},

	{of: "StateVersion lineage", write: func(c *canvas, text string) reply {
		return c.state("lineage", []byte(strings.Replace(string(stateHolding(1, "", "")), quoted(lineage), quoted(text), 1)), text)
	}, unseen: "no page shows it"},
	{of: "StateVersion state", write: func(c *canvas, text string) reply { // what a state is made of: outputs, resources, their addresses and values
		q := quoted(text)
		return c.state("canvas", stateHolding(1, fmt.Sprintf(`{"mode":"managed","module":"module.net","type":%s,"name":%[1]s,"provider":%[1]s,"instances":[{"index_key":%[1]s,"attributes":{%[1]s:%[1]s,"id":%[1]s},"dependencies":[%[1]s]}]}`, q),
			fmt.Sprintf(`%s:{"value":%[1]s,"type":"string"}`, q)), lineage)
	}},
	{of: "(file) name", write: func(c *canvas, text string) reply {
		c.upload(c.ids["ws"], "", text+".tf", text)
		return reply{Status: http.StatusOK}
	}, unseen: "no page shows files of a configuration"},
	{of: "(commit)", write: (*canvas).commit},
	{of: "(plan, log and checks)", write: (*canvas).plan},
	{of: "(comment on an apply, and its error)", write: (*canvas).apply},

	{of: "EngineVersion version", send: "POST /admin/terraform-versions", body: `terraform-versions "url":"https://example.com/e.zip","sha":"` + strings.Repeat("0", 64) + `"`, refused: true},
	{of: "EngineVersion url", send: "POST /admin/terraform-versions", body: `terraform-versions "version":"1.8.1{n}","sha":"` + strings.Repeat("0", 64) + `"`, unseen: "no page shows it"},
	{of: "EngineVersion sha", send: "POST /admin/terraform-versions", body: `terraform-versions "version":"1.8.2{n}","url":"https://example.com/e.zip"`, unseen: "no page shows it"},
	{of: "EngineVersion deprecated-reason", send: "POST /admin/terraform-versions", body: `terraform-versions "version":"1.8.3{n}","deprecated":true,"url":"https://example.com/e.zip","sha":"` + strings.Repeat("0", 64) + `"`},
	{of: "WorkloadRule name", send: "POST /teams/{team}/workload-rules", body: `workload-rules "audience":"a","issuer":"https://ci.example.com","claims":{"sub":"s"}`, unseen: "no page shows rules of workloads"},
	{of: "WorkloadRule issuer", send: "POST /teams/{team}/workload-rules", body: `workload-rules "name":"NEW","audience":"a","claims":{"sub":"s"}`, refused: true},
	{of: "WorkloadRule audience", send: "POST /teams/{team}/workload-rules", body: `workload-rules "name":"NEW","issuer":"https://ci.example.com","claims":{"sub":"s"}`, unseen: "no page shows rules of workloads"},
	{of: "WorkloadRule claims", send: "POST /teams/{team}/workload-rules", body: `{"data":{"type":"workload-rules","attributes":{"name":"NEW","audience":"a","issuer":"https://ci.example.com","claims":{"sub":TEXT}}}}`, unseen: "no page shows rules of workloads"},
	{of: "Identitie issuer", send: "POST /users/{writer}/identities", body: `identities "subject":"s"`, refused: true},
	{of: "Identitie subject", send: "POST /users/{writer}/identities", body: `identities "issuer":"https://id.example.com"`, refused: true},
}

// noTexts are attributes of docs/openapi.json whose texts no page could show, and why.
var noTexts = map[string]string{
	"Account password":                  "it is a secret",
	"Password current_password":         "it is a secret",
	"Password password":                 "it is a secret",
	"Password password_confirmation":    "it is a secret",
	"OAuthToken ssh-key":                "it is a secret",
	"OauthClient key":                   "of services that we do not speak to by it",
	"OauthClient secret":                "it is a secret",
	"OauthClient private-key":           "it is a secret",
	"OauthClient rsa-public-key":        "of services that we do not speak to by it",
	"OauthClient service-provider":      "one of some words",
	"ExplorerSavedView query_type":      "one of some words",
	"NewExplorerBulkAction action_type": "one word",
	"NewExplorerBulkAction target_ids":  "ids",
	"StateVersion json-state":           "it is kept, and no page reads it",
	"StateVersion json-state-outputs":   "it is kept, and no page reads it",
	"StateVersion md5":                  "a sum that must fit",
	"EngineVersion arch":                "one of some words",
	"EngineVersion os":                  "one of some words",
}

// state makes a state of a workspace of its own, or of the canvas.
func (c *canvas) state(on string, raw []byte, lineage string) reply {
	id := c.ids["ws"]
	if on != "canvas" {
		id = c.workspace("acme", fmt.Sprintf("%s-%d", on, c.n))
	}
	c.lock(id)
	defer c.unlock(id)
	return c.do("POST", "/workspaces/"+id+"/state-versions", c.Token, fmt.Sprintf(`{"data":{"type":"state-versions","attributes":{"serial":1,"md5":%q,"lineage":%s,"state":%q}}}`, md5Of(raw), quoted(lineage), base64.StdEncoding.EncodeToString(raw)))
}

// commit makes a run of a commit that has the text in all of its parts, as a service could send it.
func (c *canvas) commit(text string) reply {
	ingress, _ := json.Marshal(map[string]any{
		"id": fmt.Sprintf("ia-%016d", c.n), "branch": text, "clone-url": text, "commit-message": text, "commit-sha": text, "commit-url": text, "compare-url": text, "identifier": text, "is-pull-request": true,
		"pull-request-number": 7, "pull-request-url": text, "pull-request-title": text, "pull-request-body": text, "tag": text, "sender-username": text, "sender-avatar-url": text, "sender-html-url": text,
	})
	c.execute(fmt.Sprintf("UPDATE configuration_versions SET ingress_id = 'ia-%016d', ingress = '%s' WHERE workspace_id = '%s'", c.n, strings.ReplaceAll(string(ingress), "'", "''"), c.ids["rws"]),
		fmt.Sprintf("UPDATE runs SET commit_sha = '%s' WHERE id = '%s'", strings.ReplaceAll(text, "'", "''"), c.ids["run"]))
	return reply{Status: http.StatusOK}
}

// plan carries a run's plan out, and has the text in its changes, its log, and the results of its checks.
func (c *canvas) plan(text string) reply {
	id := c.onAgents(c.ids["pool"], fmt.Sprintf("planned-%d", c.n))
	c.make("planned", "/runs", runOf(id, `"message":"m"`))
	check := fmt.Sprintf(`{"stage":"post_plan","name":"advice","enforcement":"advisory","status":"failed","exit_code":1,"output":%s,"began_at":"2026-01-01T00:00:00Z","ended_at":"2026-01-01T00:00:01Z"}`, quoted(text))
	c.carry(c.ids["runner"], "plan", map[string]string{"plan-json": planOf(text), "plan": "planned", "log": text + "\n\x1b[31m" + text + "\x1b[0m\n"},
		`{"outcome":"succeeded","has_changes":true,"checks":[`+check+`]}`)
	return reply{Status: http.StatusOK}
}

// apply carries the apply of the run that was planned out, which fails with the text.
func (c *canvas) apply(text string) reply {
	c.do("POST", "/runs/"+c.ids["planned"]+"/actions/apply", c.Token, `{"comment":`+quoted(text)+`}`).want(c.t, 202)
	c.carry(c.ids["runner"], "apply", map[string]string{"log": text + "\n"}, `{"outcome":"errored","exit_code":1,"error":`+quoted(text)+`}`)
	return reply{Status: http.StatusOK}
}
