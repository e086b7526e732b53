package cli

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/cobra"

	"github.com/belayhq/belay/internal/cli/shell"
)

func TestEveryHelpHasAnExampleThatIsACommand(t *testing.T) {
	t.Parallel()
	root := newProgram(&shell.Program{Getenv: func(string) string { return "" }}).root()
	var look func(c *cobra.Command)
	look = func(c *cobra.Command) {
		if !strings.Contains(c.Example, "belay") {
			t.Errorf("%s has no example", c.CommandPath())
		}
		for _, line := range strings.Split(c.Example, "\n") {
			words := strings.Fields(line)
			if len(words) == 0 || words[0] != "belay" {
				continue
			}
			found, rest, err := root.Find(words[1:])
			if err != nil || found == root && len(words) > 1 {
				t.Errorf("%s: %q is no command: %v", c.CommandPath(), line, err)
				continue
			}
			for _, word := range rest {
				name, long := strings.CutPrefix(word, "--")
				name, _, _ = strings.Cut(name, "=")
				if long && name != "help" && found.Flags().Lookup(name) == nil {
					t.Errorf("%s: %q: there is no --%s", c.CommandPath(), line, name)
				}
			}
		}
		for _, below := range c.Commands() {
			look(below)
		}
	}
	look(root)
}

func TestManualPages(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	var out, errOut bytes.Buffer
	if status := Run(context.Background(), []string{"man", folder}, func(string) string { return "" }, &out, &errOut); status != 0 {
		t.Fatalf("%d %s", status, errOut.String())
	}
	for _, name := range []string{"belay.1", "belay-import-verify.1", "belay-workspace-create.1", "belay-serve.1"} {
		raw, err := os.ReadFile(filepath.Join(folder, name))
		if err != nil || !strings.HasPrefix(string(raw), ".TH") || !strings.Contains(string(raw), "EXIT STATUS") {
			t.Errorf("%s: %v %s", name, err, raw)
		}
	}
	out.Reset()
	if status := Run(context.Background(), []string{"completion", "bash"}, func(string) string { return "" }, &out, &errOut); status != 0 || !strings.Contains(out.String(), "belay") {
		t.Errorf("completion: %d", status)
	}
}

// TestThePageHasEveryCommand compares the table of docs/commands.md with the commands that speak to
// a server.
func TestThePageHasEveryCommand(t *testing.T) {
	t.Parallel()
	raw, err := os.ReadFile("../../docs/commands.md")
	if err != nil {
		t.Fatal(err)
	}
	quoted, told := regexp.MustCompile("`([a-z]+)`"), map[string][]string{}
	for _, row := range regexp.MustCompile("(?m)^\\| (`.*?) \\| (.*) \\|$").FindAllStringSubmatch(string(raw), -1) {
		for _, name := range quoted.FindAllStringSubmatch(row[1], -1) {
			told[name[1]] = []string{}
			for _, verb := range quoted.FindAllStringSubmatch(row[2], -1) {
				told[name[1]] = append(told[name[1]], verb[1])
			}
		}
	}
	operators := []string{"serve", "runner", "version", "backup", "restore", "verify", "doctor", "keys", "db", "support-bundle", "completion", "help", "man"}
	for _, c := range newProgram(&shell.Program{Getenv: func(string) string { return "" }}).root().Commands() {
		verbs, there := told[c.Name()]
		if !there && !slices.Contains(operators, c.Name()) {
			t.Errorf("docs/commands.md does not tell of belay %s", c.Name())
		}
		if !there {
			continue
		}
		has := []string{}
		for _, below := range c.Commands() {
			has = append(has, below.Name())
		}
		slices.Sort(has)
		slices.Sort(verbs)
		if !slices.Equal(has, verbs) {
			t.Errorf("belay %s has %v, and docs/commands.md says %v", c.Name(), has, verbs)
		}
	}
}
