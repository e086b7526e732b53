package runner

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

const overrideName = "~belay_override.tf.json"

// overrideBackend puts one file beside the configuration, which keeps the state in a file
// here whatever backend it names. The user's own files are untouched. Of several override
// files the greatest name wins, so that ours is greater than each of theirs.
func overrideBackend(module, state string) error {
	entries, err := os.ReadDir(module)
	if err != nil {
		return err
	}
	name := overrideName
	for _, entry := range entries {
		if their := entry.Name(); isOverride(their) && their >= name {
			name = their + overrideName
		}
	}
	// Relative, for the plan carries it.
	relative, err := filepath.Rel(module, state)
	if err != nil {
		return err
	}
	raw, err := json.Marshal(map[string]any{"terraform": map[string]any{"backend": map[string]any{"local": map[string]string{
		"path": filepath.Join(relative, defaultState), "workspace_dir": relative,
	}}}})
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(module, name), raw, 0o600)
}

// defaultState is the state of the workspace "default"; others have a folder each.
const (
	defaultState     = "belay.tfstate"
	otherState       = "terraform.tfstate"
	defaultWorkspace = "default"
)

func statePath(state, workspace string) string {
	if workspace == defaultWorkspace {
		return filepath.Join(state, defaultState)
	}
	return filepath.Join(state, workspace, otherState)
}

// isOverride says that the engine lays this file over the others.
func isOverride(name string) bool {
	if strings.HasPrefix(name, ".") || strings.HasSuffix(name, "~") {
		return false
	}
	for _, ending := range []string{".tf", ".tf.json", ".tofu", ".tofu.json"} {
		if stem, ok := strings.CutSuffix(name, ending); ok && (stem == "override" || strings.HasSuffix(stem, "_override")) {
			return true
		}
	}
	return false
}

// leftovers are what an uploaded folder may have of its owner's own runs: init would
// migrate such a state, or ask the backend that it was of.
var leftovers = []string{
	"terraform.tfstate", "terraform.tfstate.backup", "terraform.tfstate.d",
	filepath.Join(".terraform", "terraform.tfstate"), filepath.Join(".terraform", "environment"),
}

func cleanModule(module string) error {
	for _, name := range leftovers {
		if err := os.RemoveAll(filepath.Join(module, name)); err != nil {
			return err
		}
	}
	return nil
}

// workingDirectory finds the folder of the archive that the engine works in, which no
// link may lead out of.
func workingDirectory(config, name string) (string, error) {
	if name == "" {
		return config, nil
	}
	if !filepath.IsLocal(name) {
		return "", fmt.Errorf("working directory %q is not in the configuration", name)
	}
	root, err := os.OpenRoot(config)
	if err != nil {
		return "", err
	}
	defer func() { _ = root.Close() }()
	if info, err := root.Stat(name); err != nil || !info.IsDir() {
		return "", fmt.Errorf("working directory %q is not in the configuration", name)
	}
	return filepath.Join(config, name), nil
}
