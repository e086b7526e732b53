package runner

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/belayhq/belay/run"
)

func module(t *testing.T, files map[string]string) string {
	t.Helper()
	folder := t.TempDir()
	for name, content := range files {
		if err := os.WriteFile(filepath.Join(folder, name), []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return folder
}

func TestOverrideIsGreatest(t *testing.T) {
	t.Parallel()
	for _, their := range []string{"main.tf", "override.tf", "zzzzz_override.tf", "~~~_override.tf.json", "\u00ff_override.tf", "~belay_override.tf.json", "z_override.tofu"} {
		folder := module(t, map[string]string{their: "{}"})
		if err := overrideBackend(folder, filepath.Join(folder, "..", "state")); err != nil {
			t.Fatal(err)
		}
		entries, _ := os.ReadDir(folder)
		var overrides []string
		for _, e := range entries {
			if isOverride(e.Name()) {
				overrides = append(overrides, e.Name())
			}
		}
		greatest := slices.Max(overrides)
		raw, _ := os.ReadFile(filepath.Join(folder, greatest))
		var ours struct {
			Terraform struct {
				Backend struct{ Local map[string]string }
			}
		}
		if json.Unmarshal(raw, &ours) != nil || ours.Terraform.Backend.Local["path"] != "../state/belay.tfstate" {
			t.Errorf("with %q the greatest is %q: %s", their, greatest, raw)
		}
	}
}

func TestWorkspaceName(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		file, text, want string
	}{
		"nothing":             {"main.tf", `resource "x" "y" {}`, "default"},
		"cloud":               {"main.tf", "terraform {\n  cloud {\n    workspaces { name = \"app-prod\" }\n  }\n}", "app-prod"},
		"cloud on one line":   {"main.tf", `terraform { cloud {} }`, "app-prod"},
		"cloud in a comment":  {"main.tf", "terraform {\n  # cloud {}\n  /* cloud {} */\n  // cloud {}\n}", "default"},
		"cloud in a string":   {"main.tf", "locals {\n  x = \"terraform { cloud {} }\"\n}", "default"},
		"cloud in a heredoc":  {"main.tf", "locals {\n  x = <<-EOT\n  terraform {\n  cloud {}\n  }\n  EOT\n}", "default"},
		"cloud elsewhere":     {"main.tf", "resource \"a\" \"b\" {\n  cloud {}\n}", "default"},
		"template":            {"main.tf", "locals {\n  x = \"${ {a=\"}\"} } {\"\n}\nterraform {\n  cloud {\n  }\n}", "app-prod"},
		"remote with a name":  {"main.tf", "terraform {\n  backend \"remote\" {\n    workspaces {\n      name = \"app-prod\"\n    }\n  }\n}", "default"},
		"remote with prefix":  {"main.tf", "terraform {\n  backend \"remote\" {\n    workspaces {\n      prefix = \"app-\"\n    }\n  }\n}", "prod"},
		"another prefix":      {"main.tf", "terraform {\n  backend \"remote\" {\n    workspaces {\n      prefix = \"other-\"\n    }\n  }\n}", "default"},
		"tofu":                {"main.tofu", "terraform {\n  cloud {\n  }\n}", "app-prod"},
		"json cloud":          {"main.tf.json", `{"terraform":{"cloud":{"organization":"x"}}}`, "app-prod"},
		"json list":           {"main.tf.json", `{"terraform":[{"backend":[{"remote":[{"workspaces":[{"prefix":"app-"}]}]}]}]}`, "prod"},
		"json that is broken": {"main.tf.json", `{"terraform":`, "default"},
		"another file":        {"readme.md", "terraform {\n  cloud {\n  }\n}", "default"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if got := workspaceName(module(t, map[string]string{test.file: test.text}), "app-prod"); got != test.want {
				t.Errorf("it is %q, want %q", got, test.want)
			}
		})
	}
}

// FuzzScanSettings: any text ends.
func FuzzScanSettings(f *testing.F) {
	f.Add("terraform {\n  cloud {\n  }\n}")
	f.Add("x = \"${\"a\"}\" <<EOT\nEOT\n/*")
	f.Fuzz(func(_ *testing.T, text string) { scanSettings([]byte(text)) })
}

func TestVarFile(t *testing.T) {
	t.Parallel()
	got := varFile([]run.JobVariable{
		{Key: "a", Value: "x\n\"y\" ${z} %{q} \\ \x01", Category: "terraform"}, {Key: "b", Value: "[1, 2]", Category: "terraform", HCL: true},
		{Key: "c", Value: "env", Category: "env"}, {Key: "no name", Value: "x", Category: "terraform"}, {Key: "d", Value: "$$ %% $", Category: "terraform"},
	})
	want := "a = \"x\\n\\\"y\\\" $${z} %%{q} \\\\ \\u0001\"\nb = [1, 2]\nd = \"$$ %% $\"\n"
	if got != want {
		t.Errorf("it is %q, want %q", got, want)
	}
}
