package cli

import (
	"bytes"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/belayhq/belay/internal/cli/shell"
)

// ran runs the program and gives what it said, in one.
func ran(t *testing.T, env map[string]string, args ...string) (string, int) {
	t.Helper()
	var out bytes.Buffer
	status := Run(t.Context(), args, func(name string) string { return env[name] }, &out, &out)
	return out.String(), status
}

// TestFlagsOfTheRunnersPage holds docs/runners.md to the program: each flag that it names
// is one, and each variable is read.
func TestFlagsOfTheRunnersPage(t *testing.T) {
	t.Parallel()
	page, err := os.ReadFile("../../docs/runners.md")
	if err != nil {
		t.Fatal(err)
	}
	serve, _ := ran(t, nil, "serve", "--help")
	runner, _ := ran(t, nil, "runner", "--help")
	ours := regexp.MustCompile("(?m)^(kubectl|nomad|docker) .*$").ReplaceAll(page, nil) // those have flags of their own
	for _, word := range regexp.MustCompile("--[a-z][a-z-]+|(?:BELAY|TFC)_[A-Z_]+").FindAllString(string(ours), -1) {
		if !strings.Contains(serve+runner, word) {
			t.Errorf("%s is in docs/runners.md, and neither serve nor runner says that it knows it", word)
		}
	}
}

func TestRunnerCheck(t *testing.T) {
	t.Parallel()
	said, status := ran(t, map[string]string{"PATH": ""}, "runner", "check", "--isolation", "none", "--work-dir", t.TempDir())
	if status != shell.ExitClean {
		t.Fatalf("status %d: %s", status, said)
	}
	for _, word := range []string{"landlock:", "namespaces:", "isolation:   none", "engine:      none here", "git:", "metadata:"} {
		if !strings.Contains(said, word) {
			t.Errorf("it does not say %q: %s", word, said)
		}
	}
}

func TestRunnerIsToldWrong(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		args []string
		want string
	}{
		{nil, "--address"},
		{[]string{"--address", "belay.example.com"}, "--address"},
		{[]string{"--address", "https://belay.example.com"}, "token of an agent pool"},
		{[]string{"--address", "https://belay.example.com", "--token-file", "/nowhere"}, "--token-file"},
		{[]string{"--address", "https://belay.example.com", "--slots", "0"}, "--slots"},
		{[]string{"--address", "https://belay.example.com", "--accept", "everything"}, "--accept"},
		{[]string{"--address", "https://belay.example.com", "--isolation", "some"}, "--isolation"},
		{[]string{"--address", "https://belay.example.com", "--engine-mirror", "somewhere"}, "--engine-mirror"},
		{[]string{"--address", "https://belay.example.com", "--engine-trust", "nobody"}, "--engine-trust"},
	} {
		env := map[string]string{}
		if len(test.args) > 2 && test.args[2] != "--token-file" {
			env["TFC_AGENT_TOKEN"] = "a-token"
		}
		said, status := ran(t, env, append([]string{"runner"}, test.args...)...)
		if status != shell.ExitMisconfigured || !strings.Contains(said, test.want) || strings.Count(said, "\n") != 1 {
			t.Errorf("%v: status %d, %q", test.args, status, said)
		}
	}
}
