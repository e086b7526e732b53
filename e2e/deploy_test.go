package e2e_test

import (
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/belayhq/belay/internal/elsewhere"
)

// TestManifestsAreWhatTheClustersTake decodes the manifests strictly, and the Job and the Secret
// that the program makes.
func TestManifestsAreWhatTheClustersTake(t *testing.T) {
	slow(t)
	t.Parallel()
	folder := t.TempDir()
	var made []string
	api := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		raw, _ := io.ReadAll(r.Body)
		path := filepath.Join(folder, filepath.Base(r.URL.Path)+".yaml") // JSON is YAML
		if err := os.WriteFile(path, raw, 0o600); err != nil {
			t.Error(err)
		}
		made = append(made, path)
		_ = json.NewEncoder(w).Encode(map[string]any{"metadata": map[string]string{"uid": "u"}})
	}))
	defer api.Close()
	k, err := elsewhere.NewKubernetes(elsewhere.KubernetesConfig{
		URL: api.URL, Account: folder, Namespace: "belay", Runner: "east", Image: "belay:1", ServiceAccount: "belay-job", RuntimeClass: "gvisor",
		Requests: map[string]string{"cpu": "500m", "memory": "512Mi"}, Limits: map[string]string{"memory": "2Gi"}, Deadline: 3600e9,
	})
	must(t, err)
	must(t, k.Start(t.Context(), elsewhere.Work{ID: "job-1", Kind: "plan", RunID: "run-1", File: []byte("{}")}))
	paths := append(slices.Clone(made), "../../../deploy/kubernetes/runner.yaml", "../../../deploy/kubernetes/autoscale.yaml", "../../../deploy/nomad/belay-job.nomad.hcl")
	command := exec.CommandContext(context.Background(), "go", append([]string{"run", "."}, paths...)...)
	command.Dir = "tools/manifests"
	said, err := command.Output() // that modules are downloaded is said beside it
	if err != nil || strings.Join(strings.Fields(string(said)), " ") != "Job Secret Namespace ServiceAccount ServiceAccount Role RoleBinding Deployment NetworkPolicy ScaledObject hcl" {
		t.Errorf("%v: %s", err, said)
	}
}

// TestManifestsNameFlagsThatThereAre holds the flags in the manifests to the program.
func TestManifestsNameFlagsThatThereAre(t *testing.T) {
	t.Parallel()
	help, _, _ := belay(t, nil, "runner", "--help")
	for _, path := range []string{"../deploy/kubernetes/runner.yaml", "../deploy/nomad/belay-job.nomad.hcl"} {
		raw, err := os.ReadFile(path)
		must(t, err)
		flags := regexp.MustCompile(`--[a-z][a-z-]+`).FindAllString(string(raw), -1)
		for _, flag := range flags {
			if !strings.Contains(help, flag+" ") {
				t.Errorf("%s names %s, which is no flag", path, flag)
			}
		}
		if len(flags) < 3 {
			t.Errorf("%s names %d flags", path, len(flags))
		}
	}
}
