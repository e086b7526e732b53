package moving_test

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/belayhq/belay/internal/cli"
	"github.com/belayhq/belay/internal/storetest"
)

// person is somebody at a command line, with a folder of its own.
type person struct {
	t    *testing.T
	home string
	env  map[string]string
}

func (p person) run(status int, args ...string) (out, errOut string) {
	p.t.Helper()
	stdout, stderr := &written{}, &written{}
	got := cli.Run(context.Background(), args, func(name string) string {
		if name == "HOME" {
			return p.home
		}
		return p.env[name]
	}, stdout, stderr)
	if got != status {
		p.t.Errorf("%v: status %d, not %d: %s %s", args, got, status, stdout, stderr)
	}
	return stdout.String(), stderr.String()
}

// list runs a command and gives the documents that it writes.
func (p person) list(args ...string) (list []struct {
	ID            string
	Attributes    map[string]any
	Relationships map[string]struct{ Data any }
}) {
	p.t.Helper()
	out, _ := p.run(0, append(args, "-o", "json")...)
	if err := json.Unmarshal([]byte(out), &list); err != nil {
		p.t.Errorf("%v: %v %s", args, err, out)
	}
	return list
}

// TestACommandLineToLiveWith signs in and works as a person would, on both engines.
func TestACommandLineToLiveWith(t *testing.T) {
	t.Parallel()
	for _, engine := range storetest.Outside(t) {
		t.Run(engine, func(t *testing.T) {
			t.Parallel()
			h := serve(t, engine)
			h.do("POST", "organizations", thing("organizations", object{"name": "acme", "email": "a@example.com"}))
			p := person{t: t, home: t.TempDir(), env: map[string]string{}}
			if _, errOut := p.run(2, "workspace", "list"); !strings.Contains(errOut, "belay login") {
				t.Errorf("nobody is signed in: %s", errOut)
			}
			p.signsIn(h)
			p.manages(h.URL)
			p.states(h)
			p.orders()
			p.run(0, "logout")
			p.run(2, "workspace", "list", "--address", h.URL)
		})
	}
}

// signsIn keeps a token where the other command lines keep theirs.
func (p person) signsIn(h *house) {
	folder := filepath.Join(p.home, ".terraform.d")
	if err := os.MkdirAll(folder, 0o700); err != nil {
		p.t.Fatal(err)
	}
	file := filepath.Join(folder, "credentials.tfrc.json")
	if err := os.WriteFile(file, []byte(`{"credentials":{"app.terraform.io":{"token":"other"}}}`), 0o600); err != nil {
		p.t.Fatal(err)
	}
	p.login(1, h.URL, "wrong")
	p.login(0, h.URL, adminToken)
	raw, err := os.ReadFile(file)
	if err != nil || !strings.Contains(string(raw), adminToken) || !strings.Contains(string(raw), `"other"`) {
		p.t.Errorf("the credentials: %v %s", err, raw)
	}
	for _, path := range []string{file, filepath.Join(p.home, ".config", "belay", "config.json")} {
		if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o600 {
			p.t.Errorf("%s: %v %v", path, info, err)
		}
	}
	name := strings.TrimPrefix(h.URL, "http://")
	p.run(0, "context", "use", name, "--organization", "acme")
	if out, _ := p.run(0, "context", "list"); !strings.Contains(out, name) || !strings.Contains(out, "acme") {
		p.t.Errorf("contexts: %s", out)
	}
	p.run(2, "context", "use", "nowhere")
}

// login gives the token on the standard input.
func (p person) login(status int, address, token string) {
	p.t.Helper()
	in := filepath.Join(p.t.TempDir(), "in")
	if err := os.WriteFile(in, []byte(token+"\n"), 0o600); err != nil {
		p.t.Fatal(err)
	}
	file, err := os.Open(in)
	if err != nil {
		p.t.Fatal(err)
	}
	defer func() { _ = file.Close() }()
	out, errOut := &written{}, &written{}
	got := cli.RunWith(context.Background(), []string{"login", address}, func(name string) string {
		if name == "HOME" {
			return p.home
		}
		return ""
	}, file, out, errOut)
	if got != status {
		p.t.Errorf("login: %d %s %s", got, out, errOut)
	}
}

// manages goes through every verb of every noun.
func (p person) manages(address string) {
	t := p.t
	p.run(0, "project", "create", "Network", "--description", "cables")
	p.run(0, "workspace", "create", "net", "--auto-apply", "--set", `trigger-prefixes=["a","b"]`, "--execution-mode", "local")
	if out, _ := p.run(0, "workspace", "list", "-o", "name"); out != "net\n" {
		t.Errorf("names: %q", out)
	}
	if out, _ := p.run(0, "workspace", "list"); !strings.HasPrefix(out, "NAME") || !strings.Contains(out, "net") {
		t.Errorf("table: %q", out)
	}
	if w := p.list("workspace", "show", "net"); len(w) != 1 || w[0].Attributes["auto-apply"] != true || len(w[0].Attributes["trigger-prefixes"].([]any)) != 2 {
		t.Errorf("the workspace: %+v", w)
	}
	p.run(0, "workspace", "edit", "net", "--auto-apply=false", "--description", "the net")
	if out, _ := p.run(0, "workspace", "show", "net"); !strings.Contains(out, "the net") {
		t.Errorf("shown: %s", out)
	}
	p.run(2, "workspace", "edit", "net")
	p.run(2, "workspace", "list", "-o", "xml")
	if _, errOut := p.run(1, "workspace", "show", "nowhere"); !strings.Contains(errOut, "/workspaces/nowhere") || !strings.Contains(errOut, "http://") {
		t.Errorf("an error says which server and which thing: %s", errOut)
	}
	p.run(0, "variable", "create", "region", "--value", "eu", "--workspace", "net")
	p.run(0, "variable", "edit", "region", "--value", "us", "--workspace", "net")
	p.run(0, "variable", "create", "KEY", "--category", "env", "--sensitive", "--value", "x", "--workspace", "net")
	if v := p.list("variable", "list", "--workspace", "net"); len(v) != 2 {
		t.Errorf("variables: %+v", v)
	}
	p.run(0, "variable", "delete", "KEY", "--workspace", "net", "--yes")
	p.run(2, "variable", "list")
	p.run(0, "team", "create", "engineers", "--visibility", "organization")
	p.run(0, "team", "edit", "engineers", "--sso-team-id", "g-1")
	p.run(1, "member", "create", "bob@example.com", "--team", "nobody")
	p.run(0, "member", "create", "bob@example.com", "--team", "engineers")
	p.run(0, "member", "show", "bob@example.com")
	p.inTeam(1)
	p.run(1, "member", "edit", "bob@example.com", "--leave", "engineers", "--team", "nobody")
	p.inTeam(1)
	p.run(0, "member", "edit", "bob@example.com", "--leave", "engineers")
	p.inTeam(0)
	p.run(0, "member", "edit", "bob@example.com", "--team", "engineers")
	p.inTeam(1)
	p.run(2, "member", "edit", "bob@example.com")
	p.run(0, "member", "delete", "bob@example.com", "--yes")
	p.run(2, "team", "delete", "engineers") // nobody can be asked
	p.run(0, "team", "delete", "engineers", "--yes")
	p.run(1, "team", "show", "engineers")
	p.run(0, "project", "edit", "Network", "--description", "pipes")
	p.run(0, "project", "delete", "Network", "--yes")
	p.run(0, "org", "edit", "acme", "--email", "b@example.com")
	if o := p.list("org", "show", "acme"); len(o) != 1 || o[0].Attributes["email"] != "b@example.com" {
		t.Errorf("the organization: %+v", o)
	}
	if tokens := p.list("token", "list"); len(tokens) == 0 {
		t.Error("no token")
	}
	if users := p.list("user", "list"); len(users) == 0 {
		t.Error("no user")
	}
	p.run(0, "user", "create", "ann", "--email", "ann@example.com", "--address", address) // with the token that was kept
	if out, _ := p.run(0, "token", "create", "--user", "ann", "--description", "laptop", "--address", address); !strings.Contains(out, ".atlasv1.") {
		t.Errorf("a token of ann: %s", out)
	}
	if _, errOut := p.run(1, "user", "create", "ann", "--email", "ann@example.com", "--address", address); !strings.Contains(errOut, address) || !strings.Contains(errOut, "taken") {
		t.Errorf("ann once more: %s", errOut)
	}
	p.run(2, "user", "create", "eve", "--email", "eve@example.com", "--address", "http://127.0.0.1:1") // nobody signed in there
	p.run(0, "user", "edit", "ann", "--admin")
	p.run(0, "user", "delete", "ann", "--yes")
}

// inTeam demands that the team has so many members, invited or not.
func (p person) inTeam(n int) {
	p.t.Helper()
	members := 0
	for _, m := range p.list("member", "list") {
		if m.Attributes["email"] == "bob@example.com" {
			members = len(m.Relationships["teams"].Data.([]any))
		}
	}
	if members != n {
		p.t.Errorf("bob is in %d teams, not %d", members, n)
	}
}

// states pushes, pulls, compares and rolls back.
func (p person) states(h *house) {
	t, file := p.t, filepath.Join(p.t.TempDir(), "net.tfstate")
	if _, errOut := p.run(1, "state", "pull", "--workspace", "net"); !strings.Contains(errOut, "the workspace net has no state yet") {
		t.Errorf("no state: %s", errOut)
	}
	for serial := 1; serial <= 2; serial++ {
		if err := os.WriteFile(file, stateFile(serial, "line"), 0o600); err != nil {
			t.Fatal(err)
		}
		p.run(0, "state", "push", file, "--workspace", "net")
	}
	if out, _ := p.run(0, "state", "pull", "--workspace", "net"); out != string(stateFile(2, "line")) {
		t.Errorf("pulled: %s", out)
	}
	if out, _ := p.run(0, "state", "pull", "1", "--workspace", "net"); out != string(stateFile(1, "line")) {
		t.Errorf("pulled: %s", out)
	}
	if out, errOut := p.run(1, "state", "diff", "--workspace", "net"); !strings.Contains(out, "~ null_resource.a") || !strings.Contains(errOut, "differ") {
		t.Errorf("compared: %s %s", out, errOut)
	}
	p.run(0, "state", "diff", "2", "2", "--workspace", "net")
	p.run(2, "state", "rollback", "1", "--workspace", "net")
	p.run(0, "state", "rollback", "1", "--workspace", "net", "--yes")
	if list := p.list("state", "list", "--workspace", "net"); len(list) != 3 || list[0].Attributes["serial"] != 3.0 {
		t.Errorf("states: %+v", list)
	}
	if _, errOut := p.run(1, "state", "push", file, "--workspace", "net"); !strings.Contains(errOut, "serial") {
		t.Errorf("an older state: %s", errOut)
	}
	_, document := h.try("GET", "organizations/acme/workspaces/net", nil)
	if document["data"].(object)["attributes"].(object)["locked"] != false {
		t.Error("a push that was refused left the workspace locked")
	}
	p.run(1, "workspace", "delete", "net", "--yes") // it manages something
}

// orders files a change request, explores, and looks at runs.
func (p person) orders() {
	t := p.t
	p.run(0, "cr", "file", "Rotate the keys", "--message", "All of *them*", "--on", "net")
	var id string
	for deadline := time.Now().Add(5 * time.Minute); id == "" && time.Now().Before(deadline); time.Sleep(20 * time.Millisecond) {
		if list := p.list("cr", "list", "--workspace", "net"); len(list) == 1 {
			id = list[0].ID
		}
	}
	p.run(0, "cr", "archive", id)
	if list := p.list("cr", "list"); len(list) != 1 || list[0].Attributes["archived-at"] == nil {
		t.Errorf("change requests: %+v", list)
	}
	if out, _ := p.run(0, "explore"); !strings.Contains(out, "net") {
		t.Errorf("explored: %s", out)
	}
	if out, _ := p.run(0, "explore", "--filter", "workspace_name:contains:nowhere", "-o", "json"); strings.TrimSpace(out) != "[]" {
		t.Errorf("a filter: %s", out)
	}
	if list := p.list("run", "list", "--workspace", "net"); len(list) != 0 {
		t.Errorf("runs: %+v", list)
	}
	p.run(1, "run", "show", "run-nowhere")
	p.run(1, "run", "discard", "run-nowhere", "--yes")
}
