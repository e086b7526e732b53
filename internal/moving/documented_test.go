package moving_test

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/hashicorp/go-tfe"
)

// clientTypes is what the hosted service's own client reads documents of a type into.
var clientTypes = map[string]any{
	"organizations": tfe.Organization{}, "projects": tfe.Project{}, "teams": tfe.Team{}, "workspaces": tfe.Workspace{}, "vars": tfe.Variable{},
	"varsets": tfe.VariableSet{}, "state-versions": tfe.StateVersion{}, "team-workspaces": tfe.TeamAccess{}, "team-projects": tfe.TeamProjectAccess{},
	"ssh-keys": tfe.SSHKey{}, "notification-configurations": tfe.NotificationConfiguration{}, "run-triggers": tfe.RunTrigger{},
	"agent-pools": tfe.AgentPool{}, "organization-memberships": tfe.OrganizationMembership{}, "tag-bindings": tfe.TagBinding{}, "policy-sets": tfe.PolicySet{},
	"users": tfe.User{},
}

// documented is what the service documents and its client does not read.
var documented = map[string][]string{
	"organizations": {"name", "plan-expired"}, "organization-memberships": {"created-at"}, "varsets": {"workspace-count"}, "state-versions": {"intermediate"},
	"workspaces": {"unified", "assessments-enabled"}, "tag-bindings": {"created-at"},
}

// ofTheClient holds documents to what the service's client reads: a name that it does not know, and
// that is not documented elsewhere, is a slip of the test.
func ofTheClient(t *testing.T, answers map[string]string) {
	t.Helper()
	held := 0
	for path, answer := range answers {
		var document struct{ Data json.RawMessage }
		if json.Unmarshal([]byte(answer), &document) != nil || len(document.Data) == 0 {
			continue // a file
		}
		var list []struct {
			Type                      string
			Attributes, Relationships map[string]json.RawMessage
		}
		if document.Data[0] != '[' {
			document.Data = slices.Concat([]byte("["), document.Data, []byte("]"))
		}
		if err := json.Unmarshal(document.Data, &list); err != nil {
			t.Errorf("%s: %v", path, err)
		}
		for _, r := range list {
			into, known := clientTypes[r.Type]
			if !known {
				t.Errorf("%s: the client reads no %q", path, r.Type)
				continue
			}
			for kind, members := range map[string]map[string]json.RawMessage{"attr": r.Attributes, "relation": r.Relationships} {
				for name := range members {
					held++
					if !slices.Contains(read(into, kind), name) && !slices.Contains(documented[r.Type], name) {
						t.Errorf("%s: the client reads no %s %q of %s", path, kind, name, r.Type)
					}
				}
			}
		}
	}
	if held < 100 {
		t.Errorf("%d names were held", held)
	}
}

// read is the names that the client reads of a kind.
func read(into any, kind string) (names []string) {
	for _, field := range reflect.VisibleFields(reflect.TypeOf(into)) {
		words := strings.Split(field.Tag.Get("jsonapi"), ",")
		if len(words) > 1 && strings.HasSuffix(words[0], kind) { // polyrelation too
			names = append(names, words[1])
		}
	}
	return names
}

// archivist is where the hosted service keeps files: another host, whose addresses are signed, and
// which wants nobody's token.
func archivist(t *testing.T, files map[string]string) *httptest.Server {
	t.Helper()
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		file, there := files[strings.TrimPrefix(r.URL.Path, "/v1/object/")]
		switch {
		case r.Header.Get("Authorization") != "":
			t.Error("the store of files was given a token")
			w.WriteHeader(http.StatusBadRequest)
		case !there:
			w.WriteHeader(http.StatusNotFound)
		default:
			_, _ = w.Write([]byte(file))
		}
	}))
	t.Cleanup(s.Close)
	return s
}

// everyTrigger is what the service can tell of.
const everyTrigger = `["run:created","run:planning","run:needs_attention","run:applying","run:completed","run:errored","assessment:drifted","assessment:check_failure","assessment:failed","workspace:auto_destroy_reminder","workspace:auto_destroy_run_results"]`

// wholeService is the answers of an organization that has something of every kind.
func wholeService(files string) map[string]string {
	const workspace = `"allow-destroy-plan":true,"assessments-enabled":true,"auto-apply":true,"auto-apply-run-trigger":true,"auto-destroy-at":null,"auto-destroy-activity-duration":null,"created-at":"2025-01-01T00:00:00.000Z",
		"environment":"default","file-triggers-enabled":true,"inherits-project-auto-destroy":true,"locked":false,"operations":true,"queue-all-runs":false,"speculative-enabled":true,"structured-run-output-enabled":true,
		"source":"tfe-ui","source-name":null,"source-url":null,"trigger-prefixes":[],"trigger-patterns":[],"vcs-repo":null,"permissions":{"can-update":true},"actions":{"is-destroyable":true},"resource-count":3,
		"apply-duration-average":158000,"plan-duration-average":20000,"policy-check-failures":null,"run-failures":6,"workspace-kpis-runs-count":7,"hyok-enabled":false,"project-remote-state":false`
	state := func(id string, serial, name string) string {
		return `{"id":"` + id + `","type":"state-versions","attributes":{"created-at":"2025-01-02T00:00:00Z","status":"finalized","intermediate":false,"serial":` + serial + `,"state-version":4,"terraform-version":"1.9.0","resources-processed":true,
			"billable-rum-count":1,"modules":{"root":{"null_resource":1}},"providers":{},"resources":[],"vcs-commit-sha":null,"vcs-commit-url":null,"hosted-state-download-url":"` + files + `/v1/object/` + name + `","hosted-json-state-download-url":null,"hosted-state-upload-url":null,"hosted-json-state-upload-url":null},
			"relationships":{"run":{"data":null},"outputs":{"data":[]}}}`
	}
	return map[string]string{
		"organizations":      `{"data":[{"id":"shop","type":"organizations","attributes":{"name":"shop","external-id":"org-x","email":"ops@example.com"}}]` + onePage,
		"organizations/shop": `{"data":{"id":"shop","type":"organizations","attributes":{"name":"shop","external-id":"org-x","email":"ops@example.com","session-timeout":20160,"session-remember":20160,"collaborator-auth-policy":"password","assessments-enforced":false,"default-execution-mode":"agent","owners-team-saml-role-id":null,"allow-force-delete-workspaces":true,"user-tokens-enabled":true,"stacks-enabled":false},"relationships":{"default-project":{"data":{"id":"prj-1","type":"projects"}},"default-agent-pool":{"data":{"id":"apool-1","type":"agent-pools"}}}}}`,
		"organizations/shop/agent-pools": `{"data":[{"id":"apool-1","type":"agent-pools","attributes":{"name":"inside","agent-count":2,"created-at":"2025-01-01T00:00:00Z","organization-scoped":false},
			"relationships":{"organization":{"data":{"id":"shop","type":"organizations"}},"allowed-workspaces":{"data":[{"id":"ws-1","type":"workspaces"}]},"allowed-projects":{"data":[{"id":"prj-2","type":"projects"}]},"excluded-workspaces":{"data":[]}}}]` + onePage,
		"organizations/shop/projects": `{"data":[{"id":"prj-1","type":"projects","attributes":{"name":"Default Project","description":"","setting-overwrites":{"default-execution-mode":false,"default-agent-pool":false}}},
			{"id":"prj-2","type":"projects","attributes":{"name":"Shelves","description":"what is sold","auto-destroy-activity-duration":"14d","default-execution-mode":"local","setting-overwrites":{"default-execution-mode":true,"default-agent-pool":false}}}]` + onePage,
		"organizations/shop/teams": `{"data":[{"id":"team-1","type":"teams","attributes":{"name":"owners","users-count":1,"visibility":"secret"}},
			{"id":"team-2","type":"teams","attributes":{"name":"sellers","users-count":2,"visibility":"organization","sso-team-id":"g-7","allow-member-token-management":false,"organization-access":{"manage-policies":false,"manage-policy-overrides":false,"manage-workspaces":true,"manage-vcs-settings":true,"manage-providers":false,"manage-modules":false,"manage-run-tasks":false,"manage-projects":true,"read-workspaces":true,"read-projects":true,"manage-membership":false,"manage-teams":false,"manage-organization-access":false,"access-secret-teams":false,"manage-agent-pools":true}}}]` + onePage,
		"organizations/shop/organization-memberships":   `{"data":[{"id":"ou-1","type":"organization-memberships","attributes":{"status":"active","email":"ann@example.com","created-at":"2025-01-01T00:00:00Z"},"relationships":{"teams":{"data":[{"id":"team-2","type":"teams"}]},"user":{"data":{"id":"user-1","type":"users"}}}}],"meta":{"pagination":{"current-page":1,"prev-page":null,"next-page":2,"total-pages":2,"total-count":2}}}`,
		"organizations/shop/organization-memberships#2": `{"data":[{"id":"ou-2","type":"organization-memberships","attributes":{"status":"invited","email":"bob@example.com"},"relationships":{"teams":{"data":[]},"user":{"data":{"id":"user-2","type":"users"}}}}],"meta":{"pagination":{"current-page":2,"prev-page":1,"next-page":null,"total-pages":2,"total-count":2}}}`,
		"organizations/shop/ssh-keys":                   `{"data":[]` + onePage,
		"organizations/shop/oauth-clients":              `{"data":[]` + onePage,
		"organizations/shop/varsets":                    `{"data":[{"id":"varset-1","type":"varsets","attributes":{"name":"prices","description":"of all","global":false,"priority":true},"relationships":{"organization":{"data":{"id":"shop","type":"organizations"}},"parent":{"data":{"id":"shop","type":"organizations"}},"workspaces":{"data":[{"id":"ws-1","type":"workspaces"}]},"projects":{"data":[{"id":"prj-2","type":"projects"}]},"vars":{"data":[{"id":"var-7","type":"vars"}]}}}]` + onePage,
		"varsets/varset-1/relationships/vars":           `{"data":[{"id":"var-7","type":"vars","attributes":{"key":"currency","value":"EUR","description":null,"category":"env","hcl":false,"sensitive":false,"version-id":"7"}}]` + onePage,
		"organizations/shop/workspaces": `{"data":[
			{"id":"ws-1","type":"workspaces","attributes":{"name":"till","description":"where it is paid","execution-mode":"agent","setting-overwrites":{"execution-mode":true,"agent-pool":true},"global-remote-state":false,"tag-names":["prod"],"terraform-version":"1.9.0","updated-at":"2025-02-01T00:00:00Z","working-directory":"till",` + workspace + `},
			 "relationships":{"project":{"data":{"id":"prj-2","type":"projects"}},"agent-pool":{"data":{"id":"apool-1","type":"agent-pools"}},"current-state-version":{"data":{"id":"sv-2","type":"state-versions"}},"ssh-key":{"data":null},"data-retention-policy":{"data":null}}},
			{"id":"ws-2","type":"workspaces","attributes":{"name":"door","description":null,"execution-mode":"local","setting-overwrites":{"execution-mode":false,"agent-pool":false},"global-remote-state":true,"tag-names":[],"terraform-version":"latest","updated-at":"2025-02-01T00:00:00Z","working-directory":"",` + workspace + `},
			 "relationships":{"project":{"data":{"id":"prj-2","type":"projects"}},"agent-pool":{"data":null},"current-state-version":{"data":null},"ssh-key":{"data":null},"data-retention-policy":{"data":null}}}]` + onePage,
		"projects/prj-2/tag-bindings":                          `{"data":[{"id":"tb-1","type":"tag-bindings","attributes":{"key":"cost","value":"7"}}]}`,
		"workspaces/ws-1/tag-bindings":                         `{"data":[{"id":"tb-2","type":"tag-bindings","attributes":{"key":"prod","value":""}},{"id":"tb-3","type":"tag-bindings","attributes":{"key":"tier","value":"1"}}]}`,
		"workspaces/ws-2/tag-bindings":                         `{"data":[]}`,
		"workspaces/ws-1/vars":                                 `{"data":[{"id":"var-1","type":"vars","attributes":{"key":"prices","value":"[1,2]","description":"of it","category":"terraform","hcl":true,"sensitive":false,"version-id":"1"},"relationships":{"configurable":{"data":{"id":"ws-1","type":"workspaces"}}}},{"id":"var-2","type":"vars","attributes":{"key":"KEY","value":null,"description":null,"category":"env","hcl":false,"sensitive":true,"version-id":"2"}}]` + onePage,
		"workspaces/ws-2/vars":                                 `{"data":[]` + onePage,
		"team-workspaces?ws-1":                                 `{"data":[{"id":"tws-1","type":"team-workspaces","attributes":{"access":"custom","runs":"apply","variables":"write","state-versions":"read-outputs","sentinel-mocks":"none","workspace-locking":true,"run-tasks":false,"policy-overrides":false},"relationships":{"team":{"data":{"id":"team-2","type":"teams"}},"workspace":{"data":{"id":"ws-1","type":"workspaces"}}}}]` + onePage,
		"team-workspaces?ws-2":                                 `{"data":[]` + onePage,
		"team-projects?prj-1":                                  `{"data":[]` + onePage,
		"team-projects?prj-2":                                  `{"data":[{"id":"tprj-1","type":"team-projects","attributes":{"access":"custom","project-access":{"settings":"update","teams":"none","variable-sets":"read"},"workspace-access":{"runs":"apply","sentinel-mocks":"none","state-versions":"write","variables":"write","create":true,"locking":true,"move":false,"delete":false,"run-tasks":false,"policy-overrides":false}},"relationships":{"team":{"data":{"id":"team-2","type":"teams"}},"project":{"data":{"id":"prj-2","type":"projects"}}}}]` + onePage,
		"workspaces/ws-1/notification-configurations":          `{"data":[{"id":"nc-1","type":"notification-configurations","attributes":{"name":"all of it","destination-type":"email","enabled":true,"token":null,"url":null,"triggers":` + everyTrigger + `,"email-addresses":[],"delivery-responses":[],"created-at":"2025-01-01T00:00:00Z","updated-at":"2025-01-01T00:00:00Z"},"relationships":{"subscribable":{"data":{"id":"ws-1","type":"workspaces"}},"users":{"data":[{"id":"user-1","type":"users"}]}}}]` + onePage,
		"workspaces/ws-2/notification-configurations":          `{"data":[]` + onePage,
		"teams/team-2/notification-configurations":             `{"data":[]` + onePage,
		"projects/prj-2/notification-configurations":           `{"data":[]` + onePage,
		"workspaces/ws-1/run-triggers":                         `{"data":[]` + onePage,
		"workspaces/ws-2/run-triggers":                         `{"data":[{"id":"rt-1","type":"run-triggers","attributes":{"workspace-name":"door","sourceable-name":"till","created-at":"2025-01-01T00:00:00Z"},"relationships":{"workspace":{"data":{"id":"ws-2","type":"workspaces"}},"sourceable":{"data":{"id":"ws-1","type":"workspaces"}}}}]` + onePage,
		"workspaces/ws-1/relationships/remote-state-consumers": `{"data":[{"id":"ws-2","type":"workspaces","attributes":{"name":"door"}}]` + onePage,
		"state-versions?till":                                  `{"data":[` + state("sv-2", "5", "two") + `,` + state("sv-1", "4", "one") + `]` + onePage,
		"state-versions?door":                                  `{"data":[]` + onePage,
	}
}

// TestTheHostedServiceInFull brings an organization that has something of every kind, in documents of
// the shape that the service's own client reads, with its files on another host.
func TestTheHostedServiceInFull(t *testing.T) {
	t.Parallel()
	one, two := stateFile(4, "line"), stateFile(5, "line")
	answers := wholeService(archivist(t, map[string]string{"one": string(one), "two": string(two)}).URL)
	ofTheClient(t, answers)
	from := recorded(t, "HCP Terraform", answers)
	for _, engine := range []string{"sqlite", "postgres"} {
		t.Run(engine, func(t *testing.T) {
			t.Parallel()
			to := serve(t, engine)
			r, status := bring(t, from.URL, to.URL)
			if status != 0 {
				t.Fatalf("%d %+v", status, r)
			}
			for typ, made := range map[string]int{
				"organizations": 1, "agent-pools": 1, "projects": 1, "teams": 1, "organization-memberships": 2, "varsets": 1, "vars": 2, "workspaces": 2,
				"team-workspaces": 1, "team-projects": 1, "notification-configurations": 1, "run-triggers": 1, "state-versions": 2,
			} {
				if r.Counts[typ].Made != made {
					t.Errorf("%s: %+v", typ, r.Counts[typ])
				}
			}
			if len(r.Give) != 1 || r.Give[0].Thing != "shop/till vars env/KEY" {
				t.Errorf("to be given: %+v", r.Give)
			}
			for _, n := range r.Left {
				if !strings.Contains(n.Why, "the source does not offer") {
					t.Errorf("could not come: %s %s", n.Thing, n.Why)
				}
			}
			verified, status := bring(t, from.URL, to.URL, "verify")
			if status != 1 || len(verified.Differences) != 1 || !strings.Contains(verified.Differences[0].Why, "is to be given") {
				t.Errorf("verify: %d %+v", status, verified.Differences)
			}
			if again, status := bring(t, from.URL, to.URL); status != 0 || again.touched() != 0 {
				t.Errorf("once more: %d %+v", status, again)
			}
		})
	}
}
