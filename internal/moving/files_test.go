package moving_test

import (
	"bytes"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/johannesboyne/gofakes3"
	"github.com/johannesboyne/gofakes3/backend/s3mem"
)

// layout is state files as backends leave them, and the workspaces that they become.
var layout = map[string]string{
	"terraform.tfstate":                                  "default",
	"terraform.tfstate.d/staging/terraform.tfstate":      "staging",
	"network/terraform.tfstate":                          "network",
	"network/terraform.tfstate.d/prod/terraform.tfstate": "network-prod",
	"env:/prod/apps/web.tfstate":                         "apps-web-prod",
	"apps/web.tfstate":                                   "apps-web",
	"env:/dev/states/db":                                 "states-db-dev",
	"states/db":                                          "states-db",
	"dns zone.tfstate":                                   "dns-zone",
}

var ignored = []string{"network/terraform.tfstate.backup", "main.tf", "network/.terraform/terraform.tfstate", "terraform.tfstate.d/staging/terraform.tfstate.lock.info"}

func imported(t *testing.T, to *house, from string) {
	t.Helper()
	to.do("POST", "organizations", thing("organizations", object{"name": "acme", "email": "a@example.com"}))
	to.do("POST", "organizations/acme/projects", thing("projects", object{"name": "Old states"}))
	args := []string{"--organization", "acme", "--project", "Old states"}
	planned, _ := bring(t, from, to.URL, append(args, "--dry-run")...)
	r, status := bring(t, from, to.URL, args...)
	if status != 0 || r.Counts["workspaces"].Made != len(layout) || r.Counts["state-versions"].Made != len(layout) || planned.Planned != 2*len(layout) {
		t.Fatalf("%d %+v, planned %d", status, r, planned.Planned)
	}
	if len(r.Left) != 1 || !strings.Contains(r.Left[0].Why, "it is no state file") {
		t.Errorf("a file that is no state: %+v", r.Left)
	}
	for _, name := range layout {
		status, document := to.try("GET", "organizations/acme/workspaces/"+name+"?include=project", nil)
		if status != 200 || document["data"].(object)["attributes"].(object)["execution-mode"] != "local" {
			t.Errorf("%s: %d %v", name, status, document)
		}
	}
	if r, status := bring(t, from, to.URL, args...); status != 0 || r.touched() != 0 {
		t.Errorf("a second import: %d %+v", status, r)
	}
	if r, status := bring(t, from, to.URL, append([]string{"verify"}, args...)...); status != 0 {
		t.Errorf("verify: %+v", r.Differences)
	}
	to.state(to.named("network"), 2, "line-of network/terraform.tfstate", false)
	if r, status := bring(t, from, to.URL, append([]string{"verify"}, args...)...); status != 1 || len(r.Differences) != 1 {
		t.Errorf("verify of another state: %+v", r.Differences)
	}
}

func TestAFolderOfStateFiles(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	write := func(key string, raw []byte) {
		path := filepath.Join(folder, filepath.FromSlash(key))
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, raw, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for key := range layout {
		write(key, stateFile(1, "line-of "+key))
	}
	for _, key := range ignored {
		write(key, []byte("{}"))
	}
	write("broken.tfstate", []byte(`{"version":4}`))
	imported(t, serve(t, "sqlite"), folder)
	write("dns_zone.tfstate", stateFile(1, "x"))
	write("dns:zone.tfstate", stateFile(1, "y"))
	if _, errOut, status := belay("import", "--from", folder, "--organization", "acme", "--to", "http://127.0.0.1:1", "--token", "x", "--journal", ""); status != 1 || !strings.Contains(errOut, "would both be the workspace dns-zone") {
		t.Errorf("two files of one name: %d %s", status, errOut)
	}
}

func TestABucketOfStateFiles(t *testing.T) {
	t.Setenv("AWS_ACCESS_KEY_ID", "x")
	t.Setenv("AWS_SECRET_ACCESS_KEY", "y")
	store := s3mem.New()
	if err := store.CreateBucket("states"); err != nil {
		t.Fatal(err)
	}
	s3 := httptest.NewServer(gofakes3.New(store).Server())
	defer s3.Close()
	put := func(key string, raw []byte) {
		r, err := http.NewRequest(http.MethodPut, s3.URL+"/states/"+(&url.URL{Path: "team/" + key}).EscapedPath(), bytes.NewReader(raw))
		if err != nil {
			t.Fatal(err)
		}
		answer, err := http.DefaultClient.Do(r)
		if err != nil || answer.StatusCode != http.StatusOK {
			t.Fatal(key, err, answer)
		}
		_ = answer.Body.Close()
	}
	for key := range layout {
		put(key, stateFile(1, "line-of "+key))
	}
	for _, key := range append(ignored, "broken.tfstate") {
		put(key, []byte("{}"))
	}
	imported(t, serve(t, "sqlite"), "s3://states?endpoint="+strings.TrimPrefix(s3.URL, "http://")+"&insecure=true&region=us-east-1&prefix=team")
}
