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
	commands := 0
	for _, block := range shell.FindAllStringSubmatch(string(page), -1) {
		text := strings.NewReplacer("https://app.terraform.io", from.URL, "https://belay.example.com", to.URL).Replace(block[1])
		commands += strings.Count(text, "belay ")
		command := exec.Command("sh", "-euc", text)
		command.Dir = folder
		command.Stdin = strings.NewReader(adminToken + "\n")
		command.Env = []string{"PATH=" + program(t) + ":" + os.Getenv("PATH"), "HOME=" + home, "OLD_TOKEN=" + adminToken}
		if out, err := command.CombinedOutput(); err != nil {
			t.Fatalf("%s: %v\n%s", text, err, out)
		}
	}
	if commands < 9 {
		t.Errorf("the page has %d commands only", commands)
	}
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
