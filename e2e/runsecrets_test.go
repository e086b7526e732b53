package e2e_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"
)

// printsSecrets is a configuration that says all that it knows.
const printsSecrets = `
variable "own" { sensitive = true }
variable "shared" { sensitive = true }
resource "terraform_data" "keeper" {
  input = var.own
  provisioner "local-exec" {
    command = <<-EOT
      env
      env | base64
      printf %s "$OWN_ENV" | base64 -w0; echo
      for word in $GIT_SSH_COMMAND; do [ -f "$word" ] && cat "$word"; done
      cat ../../secret/* ../secret/* 2>/dev/null
      cat $TF_CLI_CONFIG_FILE
      echo all was said
    EOT
  }
}
resource "terraform_data" "made" { input = sensitive("made-${strrev(var.own)}") }
output "known" {
  value     = var.shared
  sensitive = true
}
output "made" {
  value     = terraform_data.made.output
  sensitive = true
}
`

// sealed are the secrets of a run, by what they are. Those that are made by the engine are
// in its state and its plan alone.
func sealed() map[string]string {
	own := "own-terraform-4f8a1c77d0e2"
	reversed := []byte(own)
	for i, j := 0, len(reversed)-1; i < j; i, j = i+1, j-1 {
		reversed[i], reversed[j] = reversed[j], reversed[i]
	}
	return map[string]string{
		"a sensitive variable": own, "a sensitive variable of the environment": "own-env-93b1e07a5cd4",
		"a sensitive variable of a set": "shared-terraform-61f0c2b9ae38", "a variable of a set for the environment": "shared-env-0d7735e1c9ab",
		"an SSH key": "a2V5LW9mLXRoZS1tb2R1bGVzLTc3MjE5MDQ1NTE4OA", "a value in the state": "made-" + string(reversed),
	}
}

// TestSecretsOfRuns lets a run print every secret that it is given, and looks for them in
// all that the server keeps or answers.
func TestSecretsOfRuns(t *testing.T) {
	eachCLI(t, func(t *testing.T, s *server, c *tofu) {
		secrets := sealed()
		hook := receiver(t, nil)
		c.write(cloud(`name = "network"`) + printsSecrets)
		c.run("init", "-input=false")
		w := s.do("GET", "/organizations/acme/workspaces/network", s.Token, "").want(t, 200).text("data.id")
		variable := func(path, key, category, value string) {
			s.do("POST", path, s.Token, fmt.Sprintf(`{"data":{"type":"vars","attributes":{"key":%q,"value":%q,"category":%q,"sensitive":true}}}`, key, value, category)).want(t, 201)
		}
		variable("/workspaces/"+w+"/vars", "own", "terraform", secrets["a sensitive variable"])
		variable("/workspaces/"+w+"/vars", "OWN_ENV", "env", secrets["a sensitive variable of the environment"])
		set := s.do("POST", "/organizations/acme/varsets", s.Token, `{"data":{"type":"varsets","attributes":{"name":"s","global":true}}}`).want(t, 201).text("data.id")
		variable("/varsets/"+set+"/relationships/vars", "shared", "terraform", secrets["a sensitive variable of a set"])
		variable("/varsets/"+set+"/relationships/vars", "SHARED_ENV", "env", secrets["a variable of a set for the environment"])
		pem := "-----BEGIN OPENSSH PRIVATE KEY-----\n" + secrets["an SSH key"] + "==\n-----END OPENSSH PRIVATE KEY-----\n"
		key := s.do("POST", "/organizations/acme/ssh-keys", s.Token, fmt.Sprintf(`{"data":{"type":"ssh-keys","attributes":{"name":"k","value":%q}}}`, pem)).want(t, 201).text("data.id")
		s.do("PATCH", "/workspaces/"+w+"/relationships/ssh-key", s.Token, `{"data":{"type":"workspaces","attributes":{"id":"`+key+`"}}}`).want(t, 200)
		s.notifyOf("/workspaces/"+w, "generic", hook.URL, "", everyRunTrigger...)

		out := c.run("apply", "-input=false", "-auto-approve")
		c.says(out, "2 added")
		s.lastRun("network", "applied")
		c.says(s.applyLog("network"), "all was said", "OWN_ENV=***")
		found := map[string]string{"what the command line was told": out}
		s.answers(t, w, found)
		waitFor(t, "the notifications", func() bool { return len(hook.all()) >= 4 })
		for i, sent := range hook.all() {
			found[fmt.Sprintf("notification %d", i)] = string(sent.Body)
		}
		s.kept(t, found)
		for where, text := range found {
			for what, secret := range secrets {
				if strings.Contains(text, secret) {
					t.Errorf("%s is in %s", what, where)
				}
			}
			if strings.Contains(text, s.Token) || strings.Contains(text, "run.atlasv1.") || strings.Contains(text, "lease.") {
				t.Errorf("a token is in %s", where)
			}
		}
	}, "--allow-private-deliveries", "127.0.0.0/8")
}

// answers is what the server says of a run to those who may read it, but for what is meant
// for whoever may read states.
func (s *server) answers(t *testing.T, workspaceID string, found map[string]string) {
	t.Helper()
	id := s.do("GET", "/workspaces/"+workspaceID, s.Token, "").want(t, 200).text("data.relationships.current-run.data.id")
	r := s.do("GET", "/runs/"+id+"?include=plan,apply,created_by,workspace,configuration_version", s.Token, "").want(t, 200)
	plan, apply := r.text("data.relationships.plan.data.id"), r.text("data.relationships.apply.data.id")
	found["the run"] = r.Body
	for _, path := range []string{
		"/runs/" + id + "/run-events", "/plans/" + plan, "/applies/" + apply, "/plans/" + plan + "/json-output-redacted",
		"/workspaces/" + workspaceID + "/runs", "/workspaces/" + workspaceID + "/vars", "/workspaces/" + workspaceID, "/organizations/acme/varsets",
		"/organizations/acme/ssh-keys", "/workspaces/" + workspaceID + "/current-state-version?include=outputs",
		"/workspaces/" + workspaceID + "/current-state-version-outputs", "/organizations/acme/audit-trail", "/workspaces/" + workspaceID + "/notification-configurations",
	} {
		found[path] = s.do("GET", path, s.Token, "").want(t, 200).Body
	}
	for _, phase := range []string{"/plans/" + plan, "/applies/" + apply} {
		log := s.do("GET", phase, s.Token, "").want(t, 200).text("data.attributes.log-read-url")
		request, err := http.NewRequest(http.MethodGet, log+"?limit=1048576&offset=0", nil)
		must(t, err)
		found["the log of "+phase] = s.send(request).want(t, 200).Body
	}
	if events := found["/runs/"+id+"/run-events"]; !strings.Contains(events, "applied") {
		t.Errorf("no events: %s", events)
	}
}

// kept is all that the server has on its disk and in its database.
func (s *server) kept(t *testing.T, found map[string]string) {
	t.Helper()
	must(t, filepath.WalkDir(s.args[4], func(path string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() {
			return nil //nolint:nilerr // it went away: a file that was written is renamed
		}
		raw, err := os.ReadFile(path)
		if err == nil {
			found[path] = string(raw)
		}
		return nil
	}))
	for _, line := range s.env {
		url, is := strings.CutPrefix(line, "BELAY_DATABASE_URL=")
		if !is {
			continue
		}
		ctx := context.Background()
		conn, err := pgx.Connect(ctx, url)
		must(t, err)
		rows, err := conn.Query(ctx, "SELECT table_name FROM information_schema.tables WHERE table_schema = 'public' AND table_type = 'BASE TABLE'")
		must(t, err)
		tables, err := pgx.CollectRows(rows, pgx.RowTo[string])
		must(t, err)
		for _, table := range tables {
			rows, err := conn.Query(ctx, "SELECT t::text FROM "+pgx.Identifier{table}.Sanitize()+" t")
			must(t, err)
			all, err := pgx.CollectRows(rows, pgx.RowTo[string])
			must(t, err)
			raw, _ := json.Marshal(all)
			found["the table "+table] = string(raw)
		}
		must(t, conn.Close(ctx))
	}
}
