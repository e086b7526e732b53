package moving_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

var shell = regexp.MustCompile("(?s)```sh\n(.*?)```")

// reader is somebody who follows a page, in one folder.
type reader struct {
	t            *testing.T
	folder, home string
	here         *strings.Replacer // what is called otherwise here
}

// follows runs the commands of a page in their order, of which there are so many at least, and
// gives what they said.
func (r reader) follows(page string, least int) string {
	r.t.Helper()
	commands, said, path := 0, "", program(r.t)
	for _, block := range shell.FindAllStringSubmatch(page, -1) {
		text := r.here.Replace(block[1])
		commands += strings.Count(text, "belay ")
		command := exec.Command("sh", "-euc", text)
		command.Dir = r.folder
		command.Stdin = strings.NewReader(adminToken + "\n")
		command.Env = []string{"PATH=" + path + ":" + os.Getenv("PATH"), "HOME=" + r.home, "OLD_TOKEN=" + adminToken}
		out, err := command.CombinedOutput()
		if err != nil {
			r.t.Fatalf("%s: %v\n%s", text, err, out)
		}
		said += string(out)
	}
	if commands < least {
		r.t.Errorf("the page has %d commands only", commands)
	}
	return said
}

// TestEveryCommandOfThePage runs the commands of docs/moving-in.md in their order, in an
// empty folder, as somebody would who follows the page.
func TestEveryCommandOfThePage(t *testing.T) {
	t.Parallel()
	page, err := os.ReadFile("../../docs/moving-in.md")
	if err != nil {
		t.Fatal(err)
	}
	from, to := serve(t, "sqlite"), serve(t, "sqlite")
	from.fill("acme")
	folder, home := t.TempDir(), t.TempDir()
	stack := filepath.Join(folder, "infrastructure", "network")
	if err := os.MkdirAll(stack, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(stack, "terraform.tfstate"), stateFile(4, "line"), 0o600); err != nil {
		t.Fatal(err)
	}
	reader{t, folder, home, strings.NewReplacer("https://app.terraform.io", from.URL, "https://belay.example.com", to.URL)}.follows(string(page), 9)
	for path, status := range map[string]int{
		"organizations/acme/workspaces/net": 200, "organizations/acme-trial/workspaces/network": 200,
		"organizations/acme-trial/workspaces/app": 404, "organizations/acme-states/workspaces/network": 200,
	} {
		if got, _ := to.try("GET", path, nil); got != status {
			t.Errorf("%s: %d", path, got)
		}
	}
	vars, _ := to.try("GET", fmt.Sprintf("workspaces/%s/vars", to.named("net")), nil)
	if to.find("workspaces/"+to.named("net")+"/vars", "key", "PASSWORD"); vars != 200 {
		t.Errorf("the variables: %d", vars)
	}
	if _, err := os.Stat(filepath.Join(folder, "belay-import.journal")); err == nil {
		t.Error("the journal was left behind")
	}
}

// TestTheCommandLineAsThePageSays runs the commands of docs/commands.md in their order.
func TestTheCommandLineAsThePageSays(t *testing.T) {
	t.Parallel()
	page, err := os.ReadFile("../../docs/commands.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, engine := range []string{"sqlite", "postgres"} {
		t.Run(engine, func(t *testing.T) {
			t.Parallel()
			h, folder := serve(t, engine), t.TempDir()
			h.do("POST", "organizations", thing("organizations", object{"name": "acme", "email": "a@example.com"}))
			for name, text := range map[string][]byte{
				"net.tfstate": stateFile(1, "line"), "newer.tfstate": stateFile(2, "line"), "password.txt": []byte("hunter2\n"),
			} {
				if err := os.WriteFile(filepath.Join(folder, name), text, 0o600); err != nil {
					t.Fatal(err)
				}
			}
			said := reader{t, folder, t.TempDir(), strings.NewReplacer("https://belay.example.com", h.URL, "belay.example.com", strings.TrimPrefix(h.URL, "http://"))}.follows(string(page), 25)
			for _, want := range []string{"signed in to " + h.URL, "PASSWORD", "they differ", "~ null_resource.a", "what the cables are plugged into", "Rotate the keys"} {
				if !strings.Contains(said, want) {
					t.Errorf("nothing said %q: %s", want, said)
				}
			}
			if raw, err := os.ReadFile(filepath.Join(folder, "before.tfstate")); err != nil || string(raw) != string(stateFile(1, "line")) {
				t.Errorf("pulled: %v %s", err, raw)
			}
			for _, made := range []string{"man1/belay.1", "belay-completion"} {
				if info, err := os.Stat(filepath.Join(folder, made)); err != nil || info.Size() == 0 {
					t.Errorf("%s: %v", made, err)
				}
			}
			_, document := h.try("GET", "organizations/acme/workspaces/net", nil)
			if got := document["data"].(object)["attributes"].(object)["execution-mode"]; got != "local" {
				t.Errorf("the workspace: %v", got)
			}
		})
	}
}
