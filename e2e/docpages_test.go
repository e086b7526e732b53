package e2e_test

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

// TestEveryPageDoesWhatItSays runs the commands of the pages that speak to a server which is
// there, in the order of the README and of each page.
func TestEveryPageDoesWhatItSays(t *testing.T) {
	notifying(t, func(t *testing.T, s *server) {
		s.organization("acme")
		id := s.workspace("acme", "payments")
		s.fileRequests("acme", "Rotate the key", id)
		team := s.do("POST", "/organizations/acme/teams", s.Token, `{"data":{"type":"teams","attributes":{"name":"told"}}}`).want(t, 200).text("data.id")
		r := newReader(t, "https://hooks.example.com/belay", receiver(t, nil).URL)
		must(t, os.Mkdir(filepath.Join(r.folder, "configuration"), 0o700))
		must(t, os.WriteFile(filepath.Join(r.folder, "configuration", "main.tf"), []byte("output \"o\" { value = 1 }\n"), 0o600))
		r.knows("BELAY", s.URL, "TOKEN", s.Token, "WORKSPACE", id, "TEAM", team, "CHANGE_REQUEST", s.firstRequest(id),
			"CONFIGURATION", s.notify("/workspaces/"+id, "generic", receiver(t, nil).URL, ""))
		s.upload(id, "output \"o\" { value = 1 }\n")
		r.knows("RUN", s.do("POST", "/runs", s.Token, `{"data":{"type":"runs","attributes":{"plan-only":true},"relationships":{"workspace":{"data":{"type":"workspaces","id":"`+id+`"}}}}}`).want(t, 201).text("data.id"))
		for _, read := range []struct {
			page string
			want []string
		}{
			{"docs/tags.md", []string{`"tag-names":["prod"]`, `"name":"prod"`, `"value":"prod"`, `"disable-overrides":true`}},
			{"docs/runs.md", []string{`"message":"Rotate the key"`, `"data":[],"meta":{"pagination"`}},
			{"docs/notifications.md", []string{`"name":"Change requests"`, `"data":[]`}},
			{"docs/permissions.md", []string{`"name":"network"`}},
		} {
			page, want, said := read.page, read.want, ""
			for _, block := range offline(commands(t, page, "")) {
				said += r.does(block)
			}
			if strings.Contains(said, `"errors"`) {
				t.Errorf("%s: something was refused: %s", page, said)
			}
			for _, word := range want {
				if !strings.Contains(said, word) {
					t.Errorf("%s: nothing said %s: %s", page, word, said)
				}
			}
		}
		for _, block := range commands(t, "docs/health.md", "") {
			// Nothing was applied here; TestDriftIsFound has what is.
			if said := r.does(block); !strings.Contains(said, `"status":"404"`) && !strings.Contains(said, `"status":"409"`) {
				t.Errorf("an assessment of nothing: %s", said)
			}
		}
	})
}

// TestARunnerElsewhereAsThePageSays makes a pool, its token and a runner as docs/runners.md says.
func TestARunnerElsewhereAsThePageSays(t *testing.T) {
	slow(t)
	each(t, func(t *testing.T, s *server) {
		s.organization("acme")
		r := newReader(t, "https://belay.example.com", s.URL)
		// The folder that is meant is the machine's: the same test with the other engine has it.
		r.knows("BELAY", s.URL, "TOKEN", s.Token, "BELAY_WORK_DIR", filepath.Join(r.folder, "runs"))
		// What is installed there is any program of that name: nothing is carried out with it.
		must(t, os.WriteFile(filepath.Join(r.folder, "tofu"), []byte("#!/bin/sh\necho '{\"terraform_version\":\"1.12.6\",\"platform\":\""+runtime.GOOS+"_"+runtime.GOARCH+"\"}'\n"), 0o700))
		clusters := r.clusters()
		said := ""
		for _, block := range commands(t, "docs/runners.md", "") {
			said += r.does(block)
		}
		if !strings.Contains(said, "OpenTofu 1.12.6") || !strings.Contains(said, "andlock") {
			t.Errorf("the check said %s", said)
		}
		clusters()
		pool := s.do("GET", "/organizations/acme/agent-pools?q=builders", s.Token, "").want(t, 200).text("data.0.id")
		waitFor(t, "the runner to be the pool's", func() bool {
			return s.do("GET", "/agent-pools/"+pool+"/agents", s.Token, "").want(t, 200).text("data.0.attributes.name") == "build-1"
		})
	})
}

// clusters puts programs in place of those that speak to clusters: each wants the files that it
// is given, and writes down how it was called. What comes of that is held to the manifests, of
// which others know that clusters take them.
func (r *pageReader) clusters() (look func()) {
	r.t.Helper()
	deploy, err := filepath.Abs("../deploy")
	must(r.t, err)
	must(r.t, os.Symlink(deploy, filepath.Join(r.folder, "deploy")))
	const program = `#!/bin/bash
set -eu
echo "${0##*/} $*" >> called
for word in "$@"; do
  case $word in
  deploy/*) test -f "$word" ;;
  --from-file=*) test -s "${word##*=}" ;;
  esac
done
if [ "$1" = build ]; then
  for file in $(sed -n 's/^COPY \([^ ]*\) .*/\1/p' "$3"); do test -f "$file"; done
fi
`
	for _, name := range []string{"docker", "kubectl", "nomad"} {
		must(r.t, os.WriteFile(filepath.Join(r.folder, "bin", name), []byte(program), 0o700))
	}
	return func() {
		r.t.Helper()
		called, err := os.ReadFile(filepath.Join(r.folder, "called"))
		must(r.t, err)
		manifest, err := os.ReadFile(filepath.Join(deploy, "kubernetes", "runner.yaml"))
		must(r.t, err)
		for call, wants := range map[string]string{
			"docker build -f deploy/Dockerfile -t registry.example.com/belay:1 .":            "--image=registry.example.com/belay:1",
			"docker push registry.example.com/belay:1":                                       "image: registry.example.com/belay:1",
			"kubectl apply -f deploy/kubernetes/runner.yaml":                                 "kind: Namespace",
			"kubectl -n belay create secret generic belay-pool --from-file=token=pool-token": "secretName: belay-pool",
			"nomad job run deploy/nomad/belay-job.nomad.hcl":                                 "--token-file=/var/run/belay-pool/token",
		} {
			if !strings.Contains(string(called), call+"\n") || !strings.Contains(string(manifest), wants) {
				r.t.Errorf("%s: not called, or the manifest has no %q; called:\n%s", call, wants, called)
			}
		}
	}
}
