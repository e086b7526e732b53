package moving_test

import (
	"crypto/md5"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"slices"
	"strings"
	"testing"
)

// recorded is a server that knows some answers by heart, in the shape that another server
// gives them, and has nothing else.
func recorded(t *testing.T, app string, answers map[string]string) *httptest.Server {
	t.Helper()
	var s *httptest.Server
	s = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Authorization") != "Bearer "+adminToken {
			w.WriteHeader(http.StatusUnauthorized)
			return
		}
		w.Header().Set("TFP-API-Version", "2.5")
		if app != "" {
			w.Header().Set("TFP-AppName", app)
		}
		w.Header().Set("X-RateLimit-Limit", "900")
		if r.URL.Path == "/api/v2/ping" {
			w.WriteHeader(http.StatusNoContent)
			return
		}
		path := strings.TrimPrefix(r.URL.Path, "/api/v2/")
		for _, filter := range []string{"filter[workspace][name]", "filter[workspace][id]", "filter[project][id]"} {
			if value := r.URL.Query().Get(filter); value != "" {
				path += "?" + value
			}
		}
		if page := r.URL.Query().Get("page[number]"); page != "" && page != "1" {
			path += "#" + page
		}
		answer, known := answers[path]
		if !known {
			w.WriteHeader(http.StatusNotFound)
			_, _ = w.Write([]byte(`{"errors":[{"status":"404","title":"not found"}]}`))
			return
		}
		w.Header().Set("Content-Type", "application/vnd.api+json")
		_, _ = w.Write([]byte(strings.ReplaceAll(answer, "SELF", s.URL)))
	}))
	t.Cleanup(s.Close)
	return s
}

const onePage = `,"meta":{"pagination":{"current-page":1,"prev-page":null,"next-page":null,"total-pages":1,"total-count":1}}}`

// TestOTF reads what a server of OTF has answered: a subset of the API, without projects, access of
// teams, consumers of states, sizes and checksums. The answers are those of v0.6.3 (at dfcb06bc), which was
// filled over its API; only its address and its signatures are replaced.
func TestOTF(t *testing.T) {
	t.Parallel()
	raw, err := os.ReadFile("testdata/otf.json")
	if err != nil {
		t.Fatal(err)
	}
	var told map[string]json.RawMessage
	if err := json.Unmarshal(raw, &told); err != nil {
		t.Fatal(err)
	}
	answers := map[string]string{}
	for path, answer := range told {
		text := string(answer)
		_ = json.Unmarshal(answer, &text) // a file stands there as text
		answers[path] = text
	}
	from := recorded(t, "", answers)
	to := serve(t, "sqlite")
	r, status := bring(t, from.URL, to.URL)
	for kind, want := range map[string]int{"agent-pools": 1, "notification-configurations": 1, "run-triggers": 1, "state-versions": 4, "teams": 1, "vars": 3, "varsets": 1, "workspaces": 2} {
		if status != 0 || r.Counts[kind].Made != want {
			t.Errorf("%d: %+v of %s, want %d", status, r.Counts[kind], kind, want)
		}
	}
	for _, missing := range []string{"projects", "team-workspaces", "organization-memberships"} {
		if !leftOut(r, missing) {
			t.Errorf("%s: not told: %+v", missing, r.Left)
		}
	}
	var give []string
	for _, g := range r.Give {
		give = append(give, g.Thing)
	}
	slices.Sort(give)
	if want := []string{"shop/stock vars env/SECRET", "shop/till notification-configurations tell (generic)", "shop/till vars env/SECRET"}; !slices.Equal(give, want) {
		t.Errorf("to be given: %q, want %q", give, want)
	}
	_, document := to.try("GET", "organizations/shop/workspaces/till", nil)
	attributes := document["data"].(object)["attributes"].(object)
	for name, want := range (object{"description": "the till", "auto-apply": true, "execution-mode": "remote", "terraform-version": "1.9.0", "working-directory": "till"}) {
		if attributes[name] != want {
			t.Errorf("%s: %v", name, attributes[name])
		}
	}
	if tags := fmt.Sprint(attributes["tag-names"]); tags != "[eu prod]" {
		t.Errorf("its tags: %s", tags)
	}
	again, _ := bring(t, from.URL, to.URL)
	for kind, c := range again.Counts {
		if c.Made+c.Changed != 0 {
			t.Errorf("a second import: %d made and %d changed of %s", c.Made, c.Changed, kind)
		}
	}
	verified, status := bring(t, from.URL, to.URL, "verify")
	var differ []string
	for _, d := range verified.Differences {
		differ = append(differ, d.Thing)
	}
	slices.Sort(differ)
	if status != 1 || !slices.Equal(differ, give) { // what nobody could tell, and what was not verified
		t.Errorf("verify: %d %+v", status, verified.Differences)
	}
}

func leftOut(r result, what string) bool {
	for _, n := range r.Left {
		if strings.Contains(n.Thing, what) {
			return true
		}
	}
	return false
}

// TestTheHostedService reads documents in the shape that the hosted service documents: flat
// tags among the bindings, projects, states without checksums, attributes that no other
// server knows, and a rate limit.
func TestTheHostedService(t *testing.T) {
	t.Parallel()
	newest := stateFile(9, "base-line")
	sum := md5.Sum(newest)
	from := recorded(t, "HCP Terraform", map[string]string{
		"organizations":      `{"data":[{"id":"shop","type":"organizations","attributes":{"name":"shop","external-id":"org-x","email":"ops@example.com"}}]` + onePage,
		"organizations/shop": `{"data":{"id":"shop","type":"organizations","attributes":{"name":"shop","external-id":"org-x","email":"ops@example.com","session-timeout":20160,"session-remember":null,"collaborator-auth-policy":"password","plan-expired":false,"cost-estimation-enabled":true,"default-execution-mode":"remote","saml-enabled":false},"relationships":{"default-project":{"data":{"id":"prj-1","type":"projects"}},"default-agent-pool":{"data":null}}}}`,
		"organizations/shop/projects": `{"data":[{"id":"prj-1","type":"projects","attributes":{"name":"Default Project","description":"","auto-destroy-activity-duration":null,"default-execution-mode":"remote","setting-overwrites":{"default-execution-mode":false,"default-agent-pool":false}}},
			{"id":"prj-2","type":"projects","attributes":{"name":"Base","description":"below","default-execution-mode":"remote","setting-overwrites":{"default-execution-mode":false,"default-agent-pool":false}}}]` + onePage,
		"projects/prj-2/tag-bindings":                 `{"data":[{"id":"tb-1","type":"tag-bindings","attributes":{"key":"cost","value":"7","created-at":"2025-01-01T00:00:00Z"}}]}`,
		"organizations/shop/organization-memberships": `{"data":[{"id":"ou-1","type":"organization-memberships","attributes":{"status":"active","email":"Ann@Example.com","created-at":"2025-01-01T00:00:00Z"},"relationships":{"teams":{"data":[{"id":"team-2","type":"teams"}]},"user":{"data":{"id":"user-1","type":"users"}}}}]` + onePage,
		"organizations/shop/teams":                    `{"data":[{"id":"team-1","type":"teams","attributes":{"name":"owners"}},{"id":"team-2","type":"teams","attributes":{"name":"base","users-count":1,"visibility":"organization","sso-team-id":"g-7","allow-member-token-management":true,"organization-access":{"manage-workspaces":true,"manage-unheard-of":true}}}]` + onePage,
		"organizations/shop/ssh-keys":                 `{"data":[{"id":"sshkey-1","type":"ssh-keys","attributes":{"name":"deploy"}}]` + onePage,
		"organizations/shop/oauth-clients":            `{"data":[{"id":"oc-1","type":"oauth-clients","attributes":{"name":"hub","service-provider":"github","service-provider-display-name":"GitHub","http-url":"https://github.com","api-url":"https://api.github.com","key":null,"callback-url":"https://x","connect-path":"/y"},"relationships":{"oauth-tokens":{"data":[{"id":"ot-1","type":"oauth-tokens"}]}}}]` + onePage,
		"organizations/shop/varsets":                  `{"data":[{"id":"varset-1","type":"varsets","attributes":{"name":"some","description":"","global":false,"priority":false,"workspace-count":1},"relationships":{"parent":{"data":{"id":"shop","type":"organizations"}}}}]` + onePage,
		"varsets/varset-1":                            `{"data":{"id":"varset-1","type":"varsets","attributes":{"name":"some","description":"","global":false,"priority":false},"relationships":{"workspaces":{"data":[{"id":"ws-1","type":"workspaces"}]},"projects":{"data":[]}}}}`,
		"varsets/varset-1/relationships/vars":         `{"data":[]}`,
		"organizations/shop/policy-sets":              `{"data":[{"id":"polset-1","type":"policy-sets","attributes":{"name":"p"}}]` + onePage,
		"organizations/shop/workspaces": `{"data":[{"id":"ws-1","type":"workspaces","attributes":{"name":"base","allow-destroy-plan":true,"assessments-enabled":false,"auto-apply":false,"description":null,"execution-mode":"remote","setting-overwrites":{"execution-mode":false,"agent-pool":false},
			"global-remote-state":false,"tag-names":["critical"],"terraform-version":"1.9.0","updated-at":"2025-02-01T00:00:00Z","hyok-enabled":false,"unified":true,"trigger-patterns":[],"trigger-prefixes":[],"working-directory":null,
			"vcs-repo":{"identifier":"shop/base","branch":"","ingress-submodules":false,"oauth-token-id":"ot-1","display-identifier":"shop/base","service-provider":"github","webhook-url":"https://z"}},
			"relationships":{"project":{"data":{"id":"prj-2","type":"projects"}},"ssh-key":{"data":{"id":"sshkey-1","type":"ssh-keys"}},"data-retention-policy":{"data":null}}}]` + onePage,
		"workspaces/ws-1/vars":                                 `{"data":[]}`,
		"workspaces/ws-1/tag-bindings":                         `{"data":[{"type":"tag-bindings","attributes":{"key":"critical","value":""}},{"type":"tag-bindings","attributes":{"key":"env","value":"prod"}}]}`,
		"team-workspaces?ws-1":                                 `{"data":[{"id":"tws-1","type":"team-workspaces","attributes":{"access":"write"},"relationships":{"team":{"data":{"id":"team-2","type":"teams"}},"workspace":{"data":{"id":"ws-1","type":"workspaces"}}}}]` + onePage,
		"team-projects?prj-2":                                  `{"data":[]}`,
		"workspaces/ws-1/relationships/remote-state-consumers": `{"data":[]}`,
		"state-versions?base": `{"data":[{"id":"sv-4","type":"state-versions","attributes":{"status":"pending","serial":10}},
			{"id":"sv-3","type":"state-versions","attributes":{"status":"finalized","serial":9,"size":` + fmt.Sprint(len(newest)) + `,"hosted-state-download-url":"SELF/api/v2/files/9","hosted-json-state-download-url":"SELF/api/v2/files/9.json","intermediate":false}},
			{"id":"sv-1","type":"state-versions","attributes":{"status":"backing_data_permanently_deleted","serial":8,"hosted-state-download-url":null}}]` + onePage,
		"files/9":      string(newest),
		"files/9.json": `{"format_version":"1.0"}`,
	})
	to := serve(t, "sqlite")
	r, status := bring(t, from.URL, to.URL)
	if status != 0 {
		t.Fatalf("%d %+v", status, r)
	}
	for _, told := range []string{"base state-versions: serial 10 is pending", "base state-versions: serial 8 is backing_data_permanently_deleted",
		"shop policy-sets policy sets are not known", "shop/base vcs-repo: the target has no such connection", "shop/base ssh-key: its key is not"} {
		found := false
		for _, n := range r.Left {
			found = found || strings.Contains(n.Thing+" "+n.Why, told)
		}
		if !found {
			t.Errorf("%q is not told: %+v", told, r.Left)
		}
	}
	ws := to.do("GET", "organizations/shop/workspaces/base", nil)
	_, current := to.try("GET", "workspaces/"+ws+"/current-state-version", nil)
	state := current["data"].(object)["attributes"].(object)
	if state["md5"] != hex.EncodeToString(sum[:]) || state["serial"] != 9.0 || state["hosted-json-state-download-url"] == nil {
		t.Errorf("the state: %v", state)
	}
	if set := to.find("workspaces/"+ws+"/varsets", "name", "some"); set == "" {
		t.Error("the set does not reach the workspace")
	}
	_, bound := to.try("GET", "workspaces/"+ws+"/tag-bindings", nil)
	if list := bound["data"].([]any); len(list) != 1 {
		t.Errorf("bindings: %v", list)
	}
	verified, status := bring(t, from.URL, to.URL, "verify")
	if status != 1 || len(verified.Differences) == 0 {
		t.Errorf("what could not come is no difference: %+v", verified.Differences)
	}
	for _, n := range verified.Differences {
		if !strings.Contains(n.Why, "vcs-repo") && !strings.Contains(n.Why, "is to be given") && !strings.Contains(n.Why, "organization-access") && !strings.Contains(n.Thing, "memberships admin") {
			t.Errorf("a difference: %+v", n)
		}
	}
}
