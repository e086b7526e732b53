package moving_test

import (
	"bytes"
	"context"
	"crypto/md5"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/belayhq/belay/internal/cli"
	"github.com/belayhq/belay/internal/storetest"
)

const adminToken = "admin-token-of-the-test"

// house is a server in this process.
type house struct {
	t   testing.TB
	URL string
}

type written struct {
	mu  sync.Mutex
	all bytes.Buffer
}

func (w *written) Write(p []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.all.Write(p)
}

func (w *written) String() string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.all.String()
}

// serve starts a server of its own on an engine.
func serve(t testing.TB, engine string) *house {
	t.Helper()
	folder, env := t.TempDir(), map[string]string{"BELAY_ADMIN_TOKEN": adminToken}
	if engine == "postgres" {
		env["BELAY_DATABASE_URL"] = storetest.URL(t, engine)
	} else {
		storetest.FreshSQLite(t, filepath.Join(folder, "belay.db"))
	}
	ctx, cancel := context.WithCancel(context.Background())
	out, errOut, ended := &written{}, &written{}, make(chan int, 1)
	go func() {
		ended <- cli.Run(ctx, []string{"serve", "--addr", "127.0.0.1:0", "--data-dir", folder, "--rate-limit", "0", "--runner-slots", "0", "--log-level", "warn", "--allow-private-deliveries", "all"},
			func(name string) string { return env[name] }, out, errOut)
	}()
	t.Cleanup(func() {
		cancel()
		if status := <-ended; status != 0 {
			t.Errorf("the server ended with %d: %s", status, errOut)
		}
	})
	for range 30_000 {
		if _, rest, ok := strings.Cut(out.String(), "Belay listens on "); ok && strings.Contains(rest, "\n") {
			address, _, _ := strings.Cut(rest, "\n")
			h := &house{t: t, URL: address}
			if answer, err := http.Get(address + "/readyz"); err == nil {
				_ = answer.Body.Close()
				if answer.StatusCode == http.StatusOK {
					return h
				}
			}
		}
		time.Sleep(10 * time.Millisecond)
	}
	t.Fatalf("the server did not start: %s", errOut)
	return nil
}

// requests keeps its connections, however many are used at once.
var requests = &http.Client{Transport: func() http.RoundTripper {
	kept := http.DefaultTransport.(*http.Transport).Clone()
	kept.MaxIdleConnsPerHost = 64
	return kept
}()}

// try sends a request and gives the status and the document.
func (h *house) try(method, path string, body any) (int, map[string]any) {
	h.t.Helper()
	var raw []byte
	if body != nil {
		var err error
		if raw, err = json.Marshal(body); err != nil {
			h.t.Fatal(err)
		}
	}
	r, err := http.NewRequest(method, h.URL+"/api/v2/"+path, bytes.NewReader(raw))
	if err != nil {
		h.t.Fatal(err)
	}
	r.Header.Set("Authorization", "Bearer "+adminToken)
	r.Header.Set("Content-Type", "application/vnd.api+json")
	answer, err := requests.Do(r)
	if err != nil {
		h.t.Fatal(err)
	}
	defer func() { _ = answer.Body.Close() }()
	document := map[string]any{}
	whole, _ := io.ReadAll(answer.Body)
	_ = json.Unmarshal(whole, &document)
	return answer.StatusCode, document
}

// do sends a request that must succeed, and gives the id of what it answers with.
func (h *house) do(method, path string, body any) string {
	h.t.Helper()
	status, document := h.try(method, path, body)
	if status >= 300 {
		h.t.Fatalf("%s %s: %d %v", method, path, status, document)
	}
	data, _ := document["data"].(map[string]any)
	id, _ := data["id"].(string)
	return id
}

type object = map[string]any

// thing is a document that asks for something.
func thing(typ string, attributes object, relations ...object) object {
	data := object{"type": typ, "attributes": attributes}
	if len(relations) > 0 {
		data["relationships"] = relations[0]
	}
	return object{"data": data}
}

func one(typ, id string) object { return object{"data": object{"type": typ, "id": id}} }

func some(typ string, ids ...string) object {
	refs := []object{}
	for _, id := range ids {
		refs = append(refs, object{"type": typ, "id": id})
	}
	return object{"data": refs}
}

// state gives a workspace a state of a serial and lineage.
func (h *house) state(workspace string, serial int, lineage string, force bool) {
	h.t.Helper()
	h.stateOf(workspace, serial, lineage, force, stateFile(serial, lineage))
}

func (h *house) stateOf(workspace string, serial int, lineage string, force bool, raw []byte) {
	h.t.Helper()
	sum := md5.Sum(raw)
	h.do("POST", "workspaces/"+workspace+"/actions/lock", object{"reason": "a test"})
	h.do("POST", "workspaces/"+workspace+"/state-versions", thing("state-versions", object{
		"serial": serial, "md5": hex.EncodeToString(sum[:]), "lineage": lineage, "force": force,
		"state": base64.StdEncoding.EncodeToString(raw),
	}))
	h.do("POST", "workspaces/"+workspace+"/actions/unlock", nil)
}

func stateFile(serial int, lineage string) []byte {
	return fmt.Appendf(nil, `{"version":4,"terraform_version":"1.9.0","serial":%d,"lineage":%q,"outputs":{"n":{"value":%d,"type":"number"}},
  "resources":[{"mode":"managed","type":"null_resource","name":"a","provider":"provider[\"registry.opentofu.org/hashicorp/null\"]","instances":[{"schema_version":0,"attributes":{"id":"%d"}}]}]}`, serial, lineage, serial, serial)
}

// fill gives a server an organization with something of every kind.
func (h *house) fill(organization string) {
	h.t.Helper()
	hook := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusOK) }))
	h.t.Cleanup(hook.Close)
	h.do("POST", "organizations", thing("organizations", object{"name": organization, "email": "ops@example.com"}))
	top := "organizations/" + organization
	pool := h.do("POST", top+"/agent-pools", thing("agent-pools", object{"name": "builders", "organization-scoped": true}))
	key := h.do("POST", top+"/ssh-keys", thing("ssh-keys", object{"name": "deploy", "value": "-----BEGIN OPENSSH PRIVATE KEY-----\nYSBrZXkgb2YgdGhlIHRlc3RzCg==\n-----END OPENSSH PRIVATE KEY-----"}))
	h.do("POST", top+"/oauth-clients", thing("oauth-clients", object{
		"name": "hub", "service-provider": "github", "http-url": "https://github.com", "api-url": "https://api.github.com", "oauth-token-string": "s3cret",
	}))
	_, tokens := h.try("GET", top+"/oauth-tokens", nil)
	token := tokens["data"].([]any)[0].(object)["id"].(string)
	project := h.do("POST", top+"/projects", thing("projects", object{"name": "Network", "description": "cables", "auto-destroy-activity-duration": "14d"}, object{
		"tag-bindings": object{"data": []object{{"type": "tag-bindings", "attributes": object{"key": "cost", "value": "42"}}}},
	}))
	team := h.do("POST", top+"/teams", thing("teams", object{
		"name": "engineers", "visibility": "organization", "sso-team-id": "g-1", "organization-access": object{"manage-workspaces": true, "read-projects": true},
	}))
	member := h.do("POST", top+"/organization-memberships", thing("organization-memberships", object{"email": "ann@example.com"}, object{"teams": some("teams", team)}))
	_, membership := h.try("GET", "organization-memberships/"+member, nil)
	ann := membership["data"].(object)["relationships"].(object)["user"].(object)["data"].(object)["id"].(string)
	h.do("POST", "teams/"+team+"/notification-configurations", thing("notification-configurations", object{
		"name": "orders", "destination-type": "generic", "url": hook.URL, "enabled": true, "triggers": []string{"change_request:created"}, "token": "t0ken",
	}))
	h.do("POST", top+"/reserved-tag-keys", thing("reserved-tag-keys", object{"key": "cost", "disable-overrides": true}))
	h.do("PATCH", top, thing("organizations", object{"default-execution-mode": "agent", "session-timeout": 600, "allow-force-delete-workspaces": true}, object{"default-agent-pool": one("agent-pools", pool)}))
	h.do("POST", top+"/relationships/data-retention-policy", thing("data-retention-policy-delete-olders", object{"delete-older-than-n-days": 90}))
	set := h.do("POST", top+"/varsets", thing("varsets", object{"name": "account", "description": "of the cloud", "priority": true}, object{
		"vars": object{"data": []object{{"type": "vars", "attributes": object{"key": "ACCOUNT", "value": "42", "category": "env"}}}},
	}))
	h.do("POST", top+"/varsets", thing("varsets", object{"name": "everywhere", "global": true}))
	h.do("POST", top+"/varsets", thing("varsets", object{"name": "cables"}, object{"parent": one("projects", project), "projects": some("projects", project)}))
	h.do("POST", "team-projects", thing("team-projects", object{"access": "maintain"}, object{"team": one("teams", team), "project": one("projects", project)}))
	h.do("POST", "projects/"+project+"/notification-configurations", thing("notification-configurations", object{
		"name": "cables", "destination-type": "email", "enabled": true, "triggers": []string{"run:errored"}, "email-addresses": []string{"noc@example.com"},
	}, object{"users": some("users", ann)}))

	net := h.do("POST", top+"/workspaces", thing("workspaces", object{
		"name": "net", "description": "the net", "auto-apply": true, "auto-apply-run-trigger": true, "allow-destroy-plan": false, "execution-mode": "agent", "agent-pool-id": pool,
		"file-triggers-enabled": false, "global-remote-state": false, "queue-all-runs": true, "source-name": "the test", "source-url": "https://example.com/x",
		"speculative-enabled": false, "structured-run-output-enabled": false, "terraform-version": "1.9.0", "trigger-prefixes": []string{"modules/a", "modules/b"},
		"working-directory": "stacks/net", "auto-destroy-at": "2031-01-01T00:00:00Z", "migration-environment": "old",
		"vcs-repo": object{"identifier": "acme/net", "branch": "main", "oauth-token-id": token, "ingress-submodules": true},
	}, object{
		"project":      one("projects", project),
		"tags":         object{"data": []object{{"type": "tags", "attributes": object{"name": "prod"}}, {"type": "tags", "attributes": object{"name": "eu"}}}},
		"tag-bindings": object{"data": []object{{"type": "tag-bindings", "attributes": object{"key": "env", "value": "prod"}}, {"type": "tag-bindings", "attributes": object{"key": "eu", "value": ""}}}},
	}))
	app := h.do("POST", top+"/workspaces", thing("workspaces", object{"name": "app", "execution-mode": "local"}))
	plain := h.do("POST", top+"/workspaces", thing("workspaces", object{"name": "plain", "global-remote-state": true}))
	h.do("PATCH", "workspaces/"+net+"/relationships/ssh-key", thing("workspaces", object{"id": key}))
	for _, v := range []object{
		{"key": "region", "value": "eu-1", "category": "terraform", "description": "where"},
		{"key": "zones", "value": `["a","b"]`, "category": "terraform", "hcl": true},
		{"key": "region", "value": "eu-2", "category": "env"},
		{"key": "PASSWORD", "value": "hunter2", "category": "env", "sensitive": true},
	} {
		h.do("POST", "workspaces/"+net+"/vars", thing("vars", v))
	}
	h.do("POST", "team-workspaces", thing("team-workspaces", object{"access": "custom", "runs": "apply", "variables": "write", "state-versions": "read", "workspace-locking": true}, object{"team": one("teams", team), "workspace": one("workspaces", net)}))
	h.do("POST", "team-workspaces", thing("team-workspaces", object{"access": "read"}, object{"team": one("teams", team), "workspace": one("workspaces", app)}))
	h.do("POST", "workspaces/"+net+"/notification-configurations", thing("notification-configurations", object{
		"name": "hook", "destination-type": "generic", "url": hook.URL, "enabled": false, "triggers": []string{"run:completed", "run:errored"},
	}))
	h.do("POST", "workspaces/"+app+"/run-triggers", object{"data": object{"type": "run-triggers", "relationships": object{"sourceable": one("workspaces", net)}}})
	h.do("POST", "workspaces/"+net+"/relationships/remote-state-consumers", some("workspaces", app, plain))
	h.do("POST", "workspaces/"+app+"/relationships/data-retention-policy", thing("data-retention-policy-dont-deletes", object{}))
	h.do("POST", "varsets/"+set+"/relationships/workspaces", some("workspaces", net, app))
	h.do("POST", "varsets/"+set+"/relationships/projects", some("projects", project))
	h.do("PATCH", "agent-pools/"+pool, thing("agent-pools", object{"organization-scoped": false}, object{"allowed-workspaces": some("workspaces", net, app), "allowed-projects": some("projects", project)}))
	for serial := range 5 {
		h.state(net, serial+1, "line-of-net", false)
	}
	h.state(app, 3, "line-of-app", false)
	h.state(app, 7, "line-of-app", false)
	h.state(app, 2, "another-line", true)
}

// secrets is what nobody tells of what fill makes.
func secrets(t testing.TB, organization string) string {
	t.Helper()
	raw, err := json.Marshal(map[string]string{
		organization + " ssh-keys deploy":                                              "-----BEGIN OPENSSH PRIVATE KEY-----\nYSBrZXkgb2YgdGhlIHRlc3RzCg==\n-----END OPENSSH PRIVATE KEY-----",
		organization + " oauth-clients hub":                                            "s3cret",
		organization + "/net vars env/PASSWORD":                                        "hunter2",
		organization + " teams engineers notification-configurations orders (generic)": "t0ken",
		organization + "/net notification-configurations hook (generic)":               "t1",
	})
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "secrets.json")
	if err := os.WriteFile(path, raw, 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// belay runs a command and gives what it wrote and its status.
func belay(args ...string) (out, errOut string, status int) {
	stdout, stderr := &written{}, &written{}
	status = cli.Run(context.Background(), args, func(string) string { return "" }, stdout, stderr)
	return stdout.String(), stderr.String(), status
}

// result is a report.
type result struct {
	Counts      map[string]struct{ Source, Target, Made, Changed int }
	Planned     int
	Left        []struct{ Thing, Why string } `json:"could-not-come"`
	Give        []struct{ Thing, Why string } `json:"to-be-given"`
	Differences []struct{ Thing, Why string }
}

func (r result) touched() (n int) {
	for _, c := range r.Counts {
		n += c.Made + c.Changed
	}
	return n
}

// bring runs an import or verify from one address to another and gives its report.
func bring(t testing.TB, from, to string, args ...string) (result, int) {
	t.Helper()
	whole := append(append([]string{"import"}, args...), "--from", from, "--from-token", adminToken, "--to", to, "--token", adminToken, "-o", "json")
	if args == nil || args[0] != "verify" {
		whole = append(whole, "--journal", filepath.Join(t.TempDir(), "journal"))
	}
	out, errOut, status := belay(whole...)
	if status != 0 {
		t.Logf("%v: %s", args, errOut)
	}
	var r result
	if at := strings.Index(out, "{\n"); at >= 0 {
		if err := json.Unmarshal([]byte(out[at:]), &r); err != nil {
			t.Fatalf("%v: %v\n%s\n%s", args, err, out, errOut)
		}
	} else {
		t.Fatalf("%v: no report: %s %s", args, out, errOut)
	}
	return r, status
}
