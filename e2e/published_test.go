package e2e_test

import (
	"encoding/json"
	"strings"
	"testing"
	"time"
)

// privateKey is a key in its wrapping; what is in it is never used.
const privateKey = "-----BEGIN OPENSSH PRIVATE KEY-----\nYSBrZXkgb2YgdGhlIHRlc3RzCg==\n-----END OPENSSH PRIVATE KEY-----\n"

// step is one request of a table and what must come of it.
type step struct {
	method, path string
	body         string // attributes as JSON, or a whole document; {name} stands for what was kept
	status       int
	wants        map[string]string // by dotted path: the value as JSON; "absent" when it is not there
	keep         string            // the name under which the answer's id is kept
}

// steps sends the requests of a table one after another, as the site admin.
func (s *server) steps(t *testing.T, known map[string]string, table []step) {
	t.Helper()
	fill := func(text string) string {
		for name, value := range known {
			text = strings.ReplaceAll(text, "{"+name+"}", value)
		}
		return text
	}
	for _, row := range table {
		body := fill(row.body)
		if body != "" && !strings.Contains(body, `"data"`) {
			body = `{"data":{"attributes":{` + body + `}}}`
		}
		got := s.do(row.method, fill(row.path), s.Token, body)
		if got.Status != row.status {
			t.Errorf("%s %s %s: status %d, want %d: %s", row.method, row.path, row.body, got.Status, row.status, got.Body)
			continue
		}
		if row.keep != "" {
			known[row.keep] = got.text("data.id")
		}
		for path, want := range row.wants {
			value, there := got.find(fill(path))
			if raw, _ := json.Marshal(value); there && string(raw) != fill(want) || !there && want != "absent" {
				t.Errorf("%s %s %s: %s is %s (there: %v), want %s", row.method, row.path, row.body, path, raw, there, want)
			}
		}
	}
}

// find is what stands at a dotted path of the body, and whether anything does.
func (r reply) find(path string) (any, bool) {
	at := strings.LastIndex(path, ".")
	if at < 0 {
		return r.at(path), r.at(path) != nil
	}
	switch parent := r.at(path[:at]).(type) {
	case map[string]any:
		value, there := parent[path[at+1:]]
		return value, there
	case []any:
		return r.at(path), r.at(path) != nil
	default:
		return nil, false
	}
}

const attr = "data.attributes."

func TestPublishedWorkspaceSettings(t *testing.T) {
	each(t, func(t *testing.T, s *server) {
		s.organization("acme")
		known := map[string]string{"w": s.workspace("acme", "network")}
		key := s.do("POST", "/organizations/acme/ssh-keys", s.Token, `{"data":{"attributes":{"name":"k","value":"plain text"}}}`).want(t, 201)
		known["key"] = key.text("data.id")
		s.steps(t, known, []step{
			{method: "GET", path: "/workspaces/{w}/", status: 200, wants: map[string]string{"data.relationships.ssh-key": "absent", attr + "effective-state-version-retention-desc": "null"}},
			{method: "PATCH", path: "/workspaces/{w}/relationships/ssh-key", body: `{"data":{"type":"workspaces","attributes":{"id":"{key}"}}}`, status: 200, wants: map[string]string{"data.relationships.ssh-key.data.id": `"{key}"`}},
			{method: "PATCH", path: "/workspaces/{w}/relationships/ssh-key", body: `{"data":{"type":"workspaces","attributes":{"id":""}}}`, status: 422},
			{method: "PATCH", path: "/workspaces/{w}/relationships/ssh-key", body: `{"data":{"type":"workspaces","attributes":{"id":null}}}`, status: 200, wants: map[string]string{"data.relationships.ssh-key": "absent"}},

			{method: "PATCH", path: "/workspaces/{w}", body: `"auto-destroy-activity-duration":"14d"`, status: 200},
			{method: "PATCH", path: "/workspaces/{w}", body: `"auto-destroy-at":null`, status: 200, wants: map[string]string{attr + "auto-destroy-activity-duration": "null", attr + "auto-destroy-at": "null"}},
			{method: "PATCH", path: "/workspaces/{w}", body: `"auto-destroy-at":"2100-01-01T00:00:00Z"`, status: 200},
			{method: "PATCH", path: "/workspaces/{w}", body: `"auto-destroy-activity-duration":null`, status: 200, wants: map[string]string{attr + "auto-destroy-at": "null"}},
			{method: "PATCH", path: "/workspaces/{w}", body: `"auto-destroy-at":null,"auto-destroy-activity-duration":"2d"`, status: 200, wants: map[string]string{attr + "auto-destroy-activity-duration": `"2d"`}},
			{method: "PATCH", path: "/workspaces/{w}", body: `"auto-destroy-at":"2100-01-01T00:00:00Z","auto-destroy-activity-duration":null`, status: 200, wants: map[string]string{attr + "auto-destroy-at": `"2100-01-01T00:00:00.000Z"`}},
			{method: "PATCH", path: "/workspaces/{w}", body: `"auto-destroy-activity-duration":""`, status: 200, wants: map[string]string{attr + "auto-destroy-at": "null", attr + "auto-destroy-activity-duration": "null"}},

			{method: "PATCH", path: "/workspaces/{w}", body: `"trigger-patterns":["a/**"]`, status: 200},
			{method: "PATCH", path: "/workspaces/{w}", body: `"trigger-prefixes":[]`, status: 200, wants: map[string]string{attr + "trigger-patterns": "[]"}},
			{method: "PATCH", path: "/workspaces/{w}", body: `"trigger-prefixes":["a"]`, status: 200},
			{method: "PATCH", path: "/workspaces/{w}", body: `"trigger-patterns":[]`, status: 200, wants: map[string]string{attr + "trigger-prefixes": "[]"}},
			{method: "PATCH", path: "/workspaces/{w}", body: `"trigger-patterns":["a"],"trigger-prefixes":["a"]`, status: 422},
			{method: "PATCH", path: "/workspaces/{w}", body: `"trigger-patterns":[],"trigger-prefixes":[],"file-triggers-enabled":false`, status: 200},

			{method: "PATCH", path: "/workspaces/{w}", body: `"terraform_version":"1.5.0"`, status: 200, wants: map[string]string{attr + "terraform-version": `"1.5.0"`}},
			{method: "PATCH", path: "/workspaces/{w}", body: `"engine_version":"1.5.1"`, status: 200, wants: map[string]string{attr + "engine-version": `"1.5.1"`}},
			{method: "PATCH", path: "/workspaces/{w}", body: `"project-remote-state":true`, status: 200},
			{method: "PATCH", path: "/workspaces/{w}", body: `"global-remote-state":true`, status: 422},
			{method: "PATCH", path: "/workspaces/{w}", body: `"global-remote-state":true,"project-remote-state":false`, status: 200},
			{method: "PATCH", path: "/workspaces/{w}", body: `"project-remote-state":true`, status: 422},
			{method: "PATCH", path: "/workspaces/{w}", body: `"auto-apply":"maybe"`, status: 422},
			{method: "GET", path: "/workspaces/{w}?include=no_code_module_version.variable_options,no-code-module-version", status: 200, wants: map[string]string{"included": "[]"}},
			{method: "POST", path: "/workspaces/{w}/relationships/data-retention-policy", body: `{"data":{"type":"data-retention-policy-delete-olders","attributes":{"delete-older-than-n-days":30}}}`, status: 200},
			{method: "GET", path: "/workspaces/{w}", status: 200, wants: map[string]string{attr + "effective-state-version-retention-desc": `"Delete when older than 30 days"`}},
			{method: "PATCH", path: "/organizations/acme/workspaces/network", body: `{"data":{"type":"projects","attributes":{}}}`, status: 422},
			{method: "PATCH", path: "/organizations/acme/workspaces/network", body: `{"type":"workspaces","data":{"attributes":{"description":"d"}}}`, status: 200},
		})
	})
}

func TestPublishedCustomAccessKeepsWhatIsNotNamed(t *testing.T) {
	each(t, func(t *testing.T, s *server) {
		s.organization("acme")
		team, _ := s.team("acme", "ops", nil)
		known := map[string]string{"w": s.workspace("acme", "network"), "team": team.ID}
		known["project"] = s.do("GET", "/workspaces/"+known["w"], s.Token, "").text("data.relationships.project.data.id")
		related := func(kind, id string) string {
			return `"relationships":{"team":{"data":{"type":"teams","id":"{team}"}},"` + kind + `":{"data":{"type":"` + kind + `s","id":"{` + id + `}"}}}`
		}
		s.steps(t, known, []step{
			{method: "POST", path: "/team-workspaces", body: `{"data":{"attributes":{"access":"write"},` + related("workspace", "w") + `}}`, status: 201, keep: "tws"},
			{method: "PATCH", path: "/team-workspaces/{tws}", body: `"access":"custom","runs":"plan"`, status: 200, wants: map[string]string{
				attr + "runs": `"plan"`, attr + "variables": `"write"`, attr + "state-versions": `"write"`, attr + "workspace-locking": "true",
			}},
			{method: "DELETE", path: "/team-workspaces/{tws}", status: 204},
			{method: "POST", path: "/team-workspaces", body: `{"data":{"attributes":{"access":"custom","runs":"plan"},` + related("workspace", "w") + `}}`, status: 201, wants: map[string]string{attr + "variables": `"none"`}},
			{method: "POST", path: "/team-projects", body: `{"data":{"attributes":{"access":"maintain"},` + related("project", "project") + `}}`, status: 201, keep: "tprj"},
			{method: "PATCH", path: "/team-projects/{tprj}", body: `"access":"custom","project-access":{"settings":"update"}`, status: 200, wants: map[string]string{
				attr + "project-access.variable-sets": `"read"`, attr + "workspace-access.create": "true", attr + "workspace-access.runs": `"apply"`,
			}},
		})
	})
}

func TestPublishedAttributesOfOrganizationsAndTeams(t *testing.T) {
	each(t, func(t *testing.T, s *server) {
		s.organization("acme")
		owned := map[string]string{
			attr + "aggregated-commit-status-enabled": "true", attr + "plan-identifier": `"everything"`, attr + "plan-expires-at": "null",
			attr + "plan-is-trial": "false", attr + "plan-is-enterprise": "false", attr + "permissions.can-view-explorer": "true",
			attr + "permissions.can-update-authentication-token": "true", attr + "permissions.can-view-authentication": "true",
			attr + "permissions.can-view-usage": "false", attr + "permissions.can-view-users": "true",
			attr + "permissions.can-read-policies": "true", attr + "permissions.can-manage-recoverable-items": "true",
		}
		s.steps(t, map[string]string{}, []step{
			{method: "GET", path: "/organizations/acme", status: 200, wants: owned},
			{method: "PATCH", path: "/organizations/acme", body: `"max-ttl-enabled":true,"stacks-enabled":true,"enforce-hyok":true,"registry-monorepo-support-enabled":true`, status: 200},
			{method: "GET", path: "/organizations/acme", status: 200, wants: map[string]string{attr + "max-ttl-enabled": "true", attr + "stacks-enabled": "true", attr + "enforce-hyok": "true", attr + "registry-monorepo-support-enabled": "true"}},
			{method: "PATCH", path: "/organizations/acme", body: `"max-ttl-enabled":"maybe","email":"no"`, status: 422},
			{method: "GET", path: "/organizations/acme?include=default-project,entitlement_set,subscription", status: 200, wants: map[string]string{"included.0.type": `"projects"`, "included.1.type": `"entitlement-sets"`, "included.2.type": `"subscriptions"`}},
			{method: "GET", path: "/organizations/acme/feature-sets", status: 200, wants: map[string]string{"data.0.attributes.default-runs-ceiling": "1000000", "data.0.attributes.default-agents-ceiling": "1000000", "data.0.attributes.change-requests": "true", "data.0.attributes.recoverable-items": "true"}},
			{method: "GET", path: "/organizations/acme/subscription", status: 200, keep: "sub", wants: map[string]string{attr + "runs-ceiling": "1000000"}},
			{method: "GET", path: "/subscriptions/{sub}", status: 200, wants: map[string]string{"data.id": `"{sub}"`}},
			{method: "PATCH", path: "/organizations/acme/subscription", body: `"identifier":"x"`, status: 200, wants: map[string]string{"data.id": `"{sub}"`}},
			{method: "POST", path: "/organizations/acme/teams", body: `"name":"ops","organization-access":{"delegate-policy-overrides":true,"manage-public-modules":true,"manage-public-providers":true,"manage-registry-components":true}`, status: 200, keep: "team", wants: map[string]string{
				attr + "organization-access.delegate-policy-overrides": "true", attr + "organization-access.manage-public-modules": "true",
				attr + "organization-access.manage-public-providers": "true", attr + "organization-access.manage-registry-components": "true",
				attr + "non-service-users-count": "0",
			}},
			{method: "PATCH", path: "/teams/{team}", body: `"organization-access":{"manage-workspaces":"maybe"}`, status: 422},
			{method: "GET", path: "/teams/{team}/relationships/users", status: 200, wants: map[string]string{"data": "[]"}},
			{method: "POST", path: "/organizations/acme/reserved-tag-keys", body: `"key":"env"`, status: 201, keep: "rtk"},
			{method: "GET", path: "/reserved-tag-keys/{rtk}", status: 200, wants: map[string]string{attr + "key": `"env"`}},
			{method: "POST", path: "/organizations/acme/projects", body: `"name":"Payments"`, status: 201, keep: "prj"},
			{method: "GET", path: "/organizations/acme/projects?filter[names]=pAYMENTS", status: 200, wants: map[string]string{"data.0.id": `"{prj}"`}},
		})
		_, ops := s.team("acme", "readers", nil)
		seen := s.do("GET", "/organizations/acme", ops, "").want(t, 200)
		for name := range owned {
			if strings.Contains(name, "permissions.") && seen.at(name) != false {
				t.Errorf("%s of a team that may do nothing is %v", name, seen.at(name))
			}
		}
	})
}

func TestPublishedUsersAndMemberships(t *testing.T) {
	each(t, func(t *testing.T, s *server) {
		s.organization("acme")
		known := map[string]string{}
		s.steps(t, known, []step{
			{method: "POST", path: "/organizations/acme/organization-memberships", body: `{"data":{"attributes":{"email":"new@example.com"}}}`, status: 201, keep: "ou", wants: map[string]string{attr + "status": `"invited"`, "included.0.attributes.username": "null"}},
			{method: "POST", path: "/organizations/acme/organization-memberships", body: `{"data":{"attributes":{"email":"other@example.com"}}}`, status: 201, wants: map[string]string{"included.0.attributes.username": "null"}},
			{method: "GET", path: "/organizations/acme/organization-memberships?include=organization,scim-identity,user", status: 200, wants: map[string]string{
				"meta.status-counts.invited": "2", "meta.status-counts.active": "1", "meta.status-counts.total": "3",
				"included.3.type": `"organizations"`, "data.1.attributes.email": `"new@example.com"`,
			}},
			{method: "GET", path: "/organizations/acme/organization-memberships?filter[status]=active", status: 200, wants: map[string]string{"meta.status-counts.invited": "2", "meta.pagination.total-count": "1"}},
			{method: "GET", path: "/organizations/acme/workspaces", status: 200, wants: map[string]string{"meta.status-counts.total": "0"}},
			{method: "POST", path: "/organizations/acme/authentication-token", status: 201, wants: map[string]string{attr + "description": `""`}},
			{method: "POST", path: "/organizations/acme/teams", body: `{"data":{"attributes":{"name":"ops"}}}`, status: 200, keep: "ops"},
			{method: "POST", path: "/teams/{ops}/authentication-token", status: 201, wants: map[string]string{attr + "description": "null"}},
			{method: "GET", path: "/teams/{ops}/authentication-token", status: 200, wants: map[string]string{attr + "description": "null"}},
			{method: "POST", path: "/teams/{ops}/authentication-tokens", body: `{"data":{"attributes":{"description":""}}}`, status: 201, wants: map[string]string{attr + "description": `""`}},
			{method: "GET", path: "/organizations/acme/audit-trail?page[size]=7", status: 200, wants: map[string]string{"pagination.page_size": "7"}},
		})
		id := s.do("GET", "/organizations/acme/audit-trail", s.Token, "").text("data.0.id")
		if len(id) != 36 || id[14] != '7' || strings.Count(id, "-") != 4 {
			t.Errorf("the id of an event is no UUID: %q", id)
		}
		s.user("new-one") // the name that was not reserved
		for _, id := range []string{known["ou"], s.workspace("acme", "w")} {
			if _, letters, _ := strings.Cut(id, "-"); len(letters) != 16 || strings.ContainsAny(letters, "0OIl") {
				t.Errorf("%s is not 16 letters of base58", id)
			}
		}
	})
}

func TestPublishedConnectionsKeysAndVariables(t *testing.T) {
	each(t, func(t *testing.T, s *server) {
		s.organization("acme")
		known := map[string]string{"w": s.workspace("acme", "network"), "key": strings.ReplaceAll(privateKey, "\n", `\n`)}
		client := `"service-provider":"github","http-url":"https://github.com","api-url":"https://api.github.com","oauth-token-string":"t"`
		s.steps(t, known, []step{
			{method: "POST", path: "/oauth-clients", body: `{"data":{"attributes":{` + client + `}}}`, status: 422},
			{method: "POST", path: "/oauth-clients", body: `{"data":{"attributes":{` + client + `},"relationships":{"organization":{"data":{"type":"organizations","id":"acme"}}}}}`, status: 201, keep: "oc", wants: map[string]string{attr + "affected-workspaces-count": "0"}},
			{method: "PATCH", path: "/oauth-clients/{oc}", body: `"name":"mine"`, status: 200},
			{method: "GET", path: "/oauth-clients/{oc}/oauth-tokens", status: 200, wants: map[string]string{"data.0.attributes.uid": "null"}},
			{method: "POST", path: "/organizations/acme/ssh-keys", body: `"name":"a","value":"-----BEGIN OPENSSH PRIVATE KEY-----"`, status: 422, wants: map[string]string{"errors.0.detail": `"Ssh key is invalid"`}},
			{method: "POST", path: "/organizations/acme/ssh-keys", body: `"name":"a","value":"-----BEGIN PUBLIC KEY-----\nAAAA\n-----END PUBLIC KEY-----"`, status: 422, wants: map[string]string{"errors.0.detail": `"Ssh key is invalid"`}},
			{method: "POST", path: "/organizations/acme/ssh-keys", body: `"name":"random","value":"no key at all"`, status: 201},
			{method: "POST", path: "/organizations/acme/ssh-keys", body: `"name":"a","value":"{key}"`, status: 201},

			{method: "PATCH", path: "/workspaces/{w}/relationships/vars", body: `{"data":[{"type":"vars","attributes":{"key":"a","value":"1","category":"env"}},{"attributes":{"key":"b","value":"1","category":"env"}}]}`, status: 200, wants: map[string]string{"data.1.attributes.key": `"b"`}},
			{method: "PATCH", path: "/workspaces/{w}/relationships/vars", body: `{"data":[{"attributes":{"key":"c","value":"1","category":"env"}},{"attributes":{"key":"b","value":"1","category":"env"}}]}`, status: 422},
			{method: "PATCH", path: "/workspaces/{w}/relationships/vars", body: `{"data":[{"attributes":{"key":7}},{"attributes":{"hcl":"maybe"}}]}`, status: 422, wants: map[string]string{"errors.0.source.pointer": `"/data/0/attributes/key"`, "errors.1.source.pointer": `"/data/1/attributes/hcl"`}},
			{method: "GET", path: "/workspaces/{w}/vars", status: 200, wants: map[string]string{"data.1.relationships.workspace.data.id": `"{w}"`, "data.2.id": "absent"}},

			{method: "POST", path: "/organizations/acme/varsets", body: `{"data":{"attributes":{"name":"all","global":true},"relationships":{"vars":{"data":[{"type":"vars","attributes":{"key":"x","value":"1","category":"env"}}]}}}}`, status: 201, keep: "set", wants: map[string]string{attr + "permissions.can-update": "true"}},
			{method: "POST", path: "/varsets/{set}", body: `"description":"d"`, status: 200, wants: map[string]string{attr + "description": `"d"`}},
			{method: "GET", path: "/workspaces/{w}/applicable-varsets", status: 200, wants: map[string]string{"data.0.id": `"{set}"`}},
			{method: "GET", path: "/workspaces/{w}/varsets/{set}/relationships/vars", status: 200, wants: map[string]string{"data.0.attributes.key": `"x"`}},
			{method: "GET", path: "/workspaces/{w}/varsets/{set}/relationships/vars/var-nothere", status: 404},
		})
		token := s.do("GET", "/oauth-clients/"+known["oc"]+"/oauth-tokens", s.Token, "").text("data.0.id")
		known["token"] = token
		known["v"] = s.do("GET", "/varsets/"+known["set"]+"/relationships/vars", s.Token, "").text("data.0.id")
		s.steps(t, known, []step{
			{method: "GET", path: "/workspaces/{w}/varsets/{set}/relationships/vars/{v}", status: 200, wants: map[string]string{attr + "key": `"x"`}},
			{method: "GET", path: "/oauth-tokens/{token}/authorized-repos", status: 200, wants: map[string]string{"data": "[]"}},
			{method: "PATCH", path: "/oauth-tokens/{token}", body: `"ssh-key":"no key"`, status: 422, wants: map[string]string{"errors.0.detail": `"Ssh key is invalid"`}},
			{method: "PATCH", path: "/oauth-tokens/{token}", body: `"ssh-key":"{key}"`, status: 200, wants: map[string]string{attr + "has-ssh-key": "true"}},
			{method: "PATCH", path: "/workspaces/{w}", body: `"vcs-repo":{"identifier":"acme/network","oauth-token-id":"{token}"}`, status: 200},
			{method: "GET", path: "/oauth-clients/{oc}", status: 200, wants: map[string]string{attr + "affected-workspaces-count": "1"}},
		})
		for _, name := range []string{"created-at", "updated-at"} {
			if at, err := time.Parse(time.RFC3339, s.do("GET", "/oauth-clients/"+known["oc"], s.Token, "").text(attr+name)); err != nil || at.IsZero() {
				t.Errorf("%s is %v, %v", name, at, err)
			}
		}
		s.lock(known["w"])
		version := s.give(known["w"], fileOf(1, nil), 1).ID
		s.unlock(known["w"])
		s.steps(t, known, []step{{method: "GET", path: "/state-versions/" + version, status: 200, wants: map[string]string{
			attr + "permissions.can-read": "true", attr + "permissions.can-read-outputs": "true", attr + "permissions.can-rollback": "true",
		}}})
	})
}

func TestPublishedRulesOfChangeRequestsMailAndTags(t *testing.T) {
	each(t, func(t *testing.T, s *server) {
		s.organization("acme")
		known := map[string]string{"w": s.workspace("acme", "network")}
		s.do("POST", "/organizations/acme/explorer/bulk-actions", s.Token, `{"data":{"type":"bulk_actions","attributes":{"action_type":"change_requests","action_inputs":{"subject":"s","message":"m"},"target_ids":["`+known["w"]+`"]}}}`).want(t, 201)
		known["cr"] = s.do("GET", "/workspaces/"+known["w"]+"/change-requests", s.Token, "").text("data.0.id")
		known["user"] = s.do("GET", "/account/details", s.Token, "").text("data.id")
		known["project"] = s.do("GET", "/workspaces/"+known["w"], s.Token, "").text("data.relationships.project.data.id")
		users := `"relationships":{"users":{"data":[{"type":"users","id":"{user}"}]}}`
		bind := func(keys ...string) string {
			list := make([]string, len(keys))
			for i, key := range keys {
				list[i] = `{"type":"tag-bindings","attributes":{"key":"` + key + `","value":"v"}}`
			}
			return `{"data":[` + strings.Join(list, ",") + `]}`
		}
		s.steps(t, known, []step{
			{method: "PATCH", path: "/workspaces/change-requests/{cr}", body: `"subject":"another"`, status: 422, wants: map[string]string{"errors.0.detail": `"Change requests can't be changed"`}},
			{method: "PATCH", path: "/workspaces/change-requests/{cr}", body: `{"data":{"subject":"another"}}`, status: 422},
			{method: "PATCH", path: "/change-requests/{cr}", body: `"archived":false`, status: 422},
			{method: "GET", path: "/change-requests/{cr}", status: 200, wants: map[string]string{attr + "archived-at": "null"}},
			{method: "PATCH", path: "/workspaces/change-requests/{cr}", body: `"archived":true`, status: 200},

			{method: "POST", path: "/workspaces/{w}/notification-configurations", body: `{"data":{"type":"notification-configurations","attributes":{"name":"mail","destination-type":"email","enabled":false},` + users + `}}`, status: 201, keep: "nc"},
			{method: "PATCH", path: "/notification-configurations/{nc}", body: `{"data":{"attributes":{"name":"m"},` + users + `}}`, status: 200, wants: map[string]string{"data.relationships.users.data.0.id": `"{user}"`}},
			{method: "PATCH", path: "/notification-configurations/{nc}", body: `"name":"mail"`, status: 200, wants: map[string]string{"data.relationships.users.data": "[]"}},
			{method: "PATCH", path: "/notification-configurations/{nc}", body: `{"data":{"attributes":{},` + users + `}}`, status: 200, wants: map[string]string{"data.relationships.users.data.0.id": `"{user}"`}},
			{method: "PATCH", path: "/notification-configurations/{nc}", body: `{"data":{"attributes":{},"relationships":{"users":{"data":[]}}}}`, status: 200, wants: map[string]string{"data.relationships.users.data": "[]"}},

			{method: "PATCH", path: "/projects/{project}/tag-bindings", body: bind("a", "m"), status: 200},
			{method: "PATCH", path: "/workspaces/{w}/tag-bindings", body: bind("z", "b"), status: 200},
			{method: "GET", path: "/workspaces/{w}/effective-tag-bindings", status: 200, wants: map[string]string{
				"data.0.attributes.key": `"b"`, "data.1.attributes.key": `"z"`, "data.2.attributes.key": `"a"`, "data.3.attributes.key": `"m"`,
			}},
		})
	})
}

func TestPublishedEngineVersions(t *testing.T) {
	each(t, func(t *testing.T, s *server) {
		s.organization("acme")
		newest := s.do("POST", "/organizations/acme/workspaces", s.Token, `{"data":{"attributes":{"name":"before"}}}`).want(t, 201).text("data.attributes.engine-version")
		known := map[string]string{"newest": newest}
		s.steps(t, known, []step{
			{method: "POST", path: "/admin/terraform-versions", body: `"version":"99.1.0"`, status: 201, keep: "own"},
			{method: "POST", path: "/admin/terraform-versions", body: `"version":"99.0.0","official":true,"beta":true`, status: 201},
			{method: "POST", path: "/organizations/acme/workspaces", body: `"name":"after"`, status: 201, wants: map[string]string{attr + "engine-version": `"{newest}"`}},
			{method: "POST", path: "/organizations/acme/workspaces", body: `"name":"own","engine-version":"99.1.0"`, status: 201, keep: "w"},
			{method: "PATCH", path: "/admin/terraform-versions/{own}", body: `"enabled":false`, status: 200},
			{method: "PATCH", path: "/admin/terraform-versions/{own}", body: `"enabled":true`, status: 200},
			{method: "DELETE", path: "/admin/terraform-versions/{own}", status: 422},
			{method: "PATCH", path: "/workspaces/{w}", body: `"engine-version":"~> 99.1"`, status: 200},
			{method: "DELETE", path: "/admin/terraform-versions/{own}", status: 204},
		})
	})
}
