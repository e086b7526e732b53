package api_test

// steps is the values to try of what can't be any text, number or truth, as
// "noun attribute". Several are tried in turn.
var steps = map[string][]step{
	"workspaces execution-mode":                    {{give: `"local"`}, {give: `"remote"`}},
	"workspaces agent-pool-id":                     {{give: `"<agent_pool_id>"`, with: `"execution-mode":"agent"`}},
	"workspaces setting-overwrites":                {{give: `{"execution-mode":true,"agent-pool":true}`, with: `"execution-mode":"local"`}, {give: `{"execution-mode":false,"agent-pool":false}`}},
	"workspaces engine-version":                    {{give: `"1.5.7"`}, {give: `"~> 1.5.0"`}},
	"workspaces terraform-version":                 {{give: `"1.5.7"`}, {give: `"latest"`}},
	"workspaces drift-detection":                   {{give: "true", shows: unseen}},
	"workspaces auto-destroy-at":                   {{give: `"2040-01-02T03:04:05+01:00"`, shows: `"2040-01-02T02:04:05.000Z"`}, {give: "null"}},
	"workspaces auto-destroy-activity-duration":    {{give: `"14d"`}, {give: "null"}},
	"workspaces project-remote-state":              {{give: "true", with: `"global-remote-state":false`}, {give: "false"}},
	"workspaces source-name":                       {{give: `"a script"`, shows: "null"}}, // only a new workspace takes it: TestCreateKeepsEveryAttribute
	"workspaces source-url":                        {{give: `"https://example.com"`, shows: "null"}},
	"workspaces migration-environment":             {{give: `"old/env"`}},
	"workspaces trigger-patterns":                  {{give: `["/**/*.tf"]`}, {give: "null", shows: "[]"}},
	"workspaces trigger-prefixes":                  {{give: `["/a"]`}, {give: "null", shows: "[]"}},
	"workspaces working-directory":                 {{give: `"a/b"`}, {give: "null"}},
	"workspaces vcs-repo":                          {{give: "null"}},
	"state-versions serial":                        {{give: "1"}},
	"state-versions md5":                           {{give: `"` + md5Of(`{"version":4,"terraform_version":"1.12.6","serial":1,"lineage":"l","outputs":{"a":{"value":"b","type":"string"}},"resources":[]}`) + `"`}},
	"state-versions lineage":                       {{give: `"l"`}},
	"state-versions intermediate":                  {{give: "true"}}, // false changes the workspace: TestStatesUnderOneLockAreAllKept
	"notification-configurations destination-type": {{give: `"generic"`}},
	"notification-configurations url":              {{give: `"https://example.com/b"`}},
	"notification-configurations token":            {{give: `"secret"`, shows: "null"}},
	"notification-configurations triggers":         {{give: `["change_request:created"]`}, {give: "[]"}},
	"notification-configurations email-addresses":  {{give: "[]"}},
	"organizations default-execution-mode":         {{give: `"local"`}, {give: `"remote"`}},
	"organizations email":                          {{give: `"other@example.com"`}},
	"workspace-views query":                        {{give: `"project=network&run=failed"`}},
	"workspace-views shared":                       {{give: "false"}, {give: "true"}},
	"organizations session-timeout":                {{give: "60"}, {give: "null"}},
	"organizations session-remember":               {{give: "60"}, {give: "null"}},
	"organizations default-agent-pool-id":          {{give: "null", shows: unseen}},
	"authentication-tokens expired-at":             {{give: `"2040-01-02T03:04:05.000Z"`}, {give: "null"}},
	"organization-memberships email":               {{give: `"u<unique>@example.com"`}},
	"oauth-clients service-provider":               {{give: `"github"`}},
	"oauth-clients http-url":                       {{give: `"https://github.com"`}}, // the one that this provider has
	"oauth-clients github-app-installation-id":     {{give: "null"}},                 // only for one provider, by a site admin: TestAppInstallations
	"oauth-clients api-url":                        {{give: `"https://api.github.com"`}},
	"identities issuer":                            {{give: `"https://id.example.com"`, with: `"subject":"<unique>"`}},
	"workload-rules issuer":                        {{give: `"https://other.example.com"`}},
	"workload-rules claims":                        {{give: `{"sub":"a","ref":"*"}`}},
	"workload-rules token-minutes":                 {{give: "90"}},
	"oauth-tokens ssh-key":                         {{give: "null", shows: unseen}}, // a key that is one: TestPublishedConnectionsKeysAndVariables
	"oauth-clients secret":                         {{give: `"s"`, shows: "null"}},
	"teams visibility":                             {{give: `"secret"`}, {give: `"organization"`}},
	"organizations user-tokens-enabled":            {{give: "true"}}, // false is in TestNoRouteTakesTokensOfUsers
	"terraform-versions version":                   {{give: `"98.7.6"`}},
	"terraform-versions archs":                     {{give: `[{"url":"https://example.com/a.zip","sha":"x","os":"linux","arch":"arm64"}]`}},
	"users email":                                  {{give: `"v<unique>@example.com"`}},
	"vars sensitive":                               {{give: "false"}, {give: "true"}}, // once true it stays
	"vars value":                                   {{give: `"a"`}, {give: `""`}},
	"vars hcl":                                     {{give: "true", with: `"value":"a"`}, {give: "false", with: `"value":"b"`}}, // of a sensitive one it changes with the value alone
	"vars category":                                {{give: `"terraform"`}},
	"oauth-clients private-key":                    {{give: "null", shows: unseen}}, // only for one provider: TestConnections
	"projects auto-destroy-activity-duration":      {{give: `"14d"`}, {give: "null"}},
	"projects default-execution-mode":              {{give: `"local"`}, {give: `"remote"`}},
	"projects default-agent-pool-id":               {{give: `"<agent_pool_id>"`, with: `"default-execution-mode":"agent"`, shows: unseen}},
	"projects setting-overwrites":                  {{give: `{"default-execution-mode":true,"default-agent-pool":true}`, with: `"default-execution-mode":"local"`}, {give: `{"default-execution-mode":false,"default-agent-pool":false}`}},
	"team-projects project-access":                 {{give: `{"settings":"update","teams":"manage","variable-sets":"write"}`, with: `"access":"custom"`}},
	"team-projects workspace-access":               {{give: `{"create":true,"move":true,"locking":true,"delete":true,"runs":"apply","variables":"write","state-versions":"write","sentinel-mocks":"read","run-tasks":true,"policy-overrides":false}`, with: `"access":"custom"`}},
	"team-workspaces access":                       {{give: `"read"`}, {give: `"plan"`}, {give: `"write"`}, {give: `"admin"`}, {give: `"custom"`}},
	"organizations collaborator-auth-policy":       {{give: `"two_factor_mandatory"`}, {give: `"password"`}},
	"teams organization-access":                    {{give: `{"read-workspaces":true}`}},
}
