package e2e_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/hashicorp/go-tfe"

	"github.com/belayhq/belay/internal/storetest"
)

// begins is how a line begins that is a command.
var begins = regexp.MustCompile(`^(curl|belay|BELAY_TOKEN=)`)

// examples is the commands that stand indented in the text of a page.
func examples(t *testing.T, page string) (list []string) {
	t.Helper()
	raw, err := os.ReadFile("../" + page)
	must(t, err)
	inside := false
	for line := range strings.Lines(string(raw)) {
		text := strings.TrimLeft(line, " ")
		switch indented := len(line)-len(text) >= 4; {
		case indented && begins.MatchString(text):
			list, inside = append(list, text), true
		case indented && inside:
			list[len(list)-1] += text
		default:
			inside = false
		}
	}
	return list
}

// example is a page, what is otherwise here, and how many of its commands there are at least.
type example struct {
	page  string
	here  []string
	least int
	short bool // it leaves out the headers that it says every request has
}

// TestEveryExampleOfThePagesIsAnswered runs the commands that stand indented in pages, in their
// order, with what is here in place of ids that nobody has.
func TestEveryExampleOfThePagesIsAnswered(t *testing.T) {
	t.Parallel()
	answers := func(t *testing.T, s *server) {
		s.organization("acme")
		app, network, kept := s.workspace("acme", "app"), s.workspace("acme", "network"), s.workspace("acme", "kept")
		client, token := s.connect("acme", tfe.ServiceProviderGithub)
		made := func(path, document string) string {
			return s.do("POST", path, s.Token, document).want(t, 201).text("data.id")
		}
		key := made("/organizations/acme/ssh-keys", fmt.Sprintf(`{"data":{"type":"ssh-keys","attributes":{"name":"other","value":%q}}}`, privateKey))
		pool := made("/organizations/acme/agent-pools", `{"data":{"type":"agent-pools","attributes":{"name":"others"}}}`)
		project := s.do("GET", "/organizations/acme/projects", s.Token, "").want(t, 200).text("data.0.id")
		ann, _ := s.user("ann")
		team, _ := s.teamToken("acme", "jobs", "")
		pem := strings.ReplaceAll(strings.TrimSpace(privateKey), "\n", `\n`)
		ids := []string{"ws-app", app, "ws-network", network, "ws-9kNzPpGSwV2ZJ5vQ", app, "ws-Q7hXcU2bYd4LmR1T", network, "sshkey-4bSzGzVxqRd2kLwN", key,
			"prj-…", project, "ot-…", token, "oc-…", client, "apool-…", pool, "-----BEGIN OPENSSH PRIVATE KEY-----…", pem,
			"2026-11-21T20:00:00Z", time.Now().Add(time.Hour).UTC().Format(time.RFC3339), "https://belay.example.com/api", s.URL + "/api"}
		for _, e := range []example{
			{"docs/variables.md", append(ids, "ws-…", app), 2, true},
			{"docs/connections.md", append(ids, "ws-…", app), 6, true},
			{"docs/repositories.md", append(ids, "ws-…", network), 3, true},
			{"docs/remote-state.md", ids, 2, false},
			{"docs/retention.md", ids, 1, false},
			{"docs/state.md", append(ids, "ws-…", kept, `"md5":"…","lineage":"…"`, fmt.Sprintf(`"md5":%q,"lineage":%q`, md5Of(stateWith(1, 3)), lineage), "sv-…", `'"$SV"'`), 5, false},
			{"docs/sign-in.md", []string{"https://belay.example.com --", s.URL + " --", "https://belay.example.com/api", s.URL + "/api", "https://belay.example.com/oauth", s.URL + "/oauth",
				"https://belay.example.com <", s.URL + " <", "/var/lib/belay", s.args[4], "BELAY_TOKEN=…", `BELAY_TOKEN="$TOKEN"`, "USER_ID", ann, "TEAM_ID", team,
				`"current_password":"…","password":"…","password_confirmation":"…"`, `"current_password":"` + password + `","password":"` + password + `","password_confirmation":"` + password + `"`}, 8, false},
		} {
			s.follows(t, e, kept)
		}
		if got := s.do("GET", "/account/details", s.Token, "").want(t, 200).text("data.attributes.username"); got != "anna" {
			t.Errorf("the account that a page renames is %s", got)
		}
		if got := s.do("GET", "/workspaces/"+kept+"/current-state-version", s.Token, "").want(t, 200).at("data.attributes.serial"); got != 2.0 {
			t.Errorf("after going back the serial is %v", got)
		}
	}
	for _, engine := range storetest.Engines(t) {
		t.Run(engine, func(t *testing.T) {
			t.Parallel()
			answers(t, start(t, engine, "--oidc-config", providersOfThePage(t)))
		})
	}
}

// providersOfThePage is the configuration of docs/sign-in.md, whose provider nobody asks.
func providersOfThePage(t *testing.T) string {
	t.Helper()
	page, err := os.ReadFile("../docs/sign-in.md")
	must(t, err)
	_, text, _ := strings.Cut(string(page), "--oidc-config oidc.json`:\n")
	text, _, found := strings.Cut(text, "\n\n| Member |")
	folder := t.TempDir()
	secret, config := filepath.Join(folder, "oidc-secret"), filepath.Join(folder, "oidc.json")
	must(t, os.WriteFile(secret, []byte("hush\n"), 0o600))
	must(t, os.WriteFile(config, []byte(strings.ReplaceAll(text, "/etc/belay/oidc-secret", secret)), 0o600))
	if !found {
		t.Error("the page has no configuration")
	}
	return config
}

// follows does what a page's examples say.
func (s *server) follows(t *testing.T, e example, kept string) {
	t.Helper()
	r := newReader(t, e.here...)
	r.env = append(s.env[:len(s.env):len(s.env)], r.env...)
	r.knows("B", s.URL+"/api/v2", "BELAY", s.URL, "TOKEN", s.Token, "JWT", "nobody's")
	must(t, os.WriteFile(filepath.Join(r.folder, "terraform.tfstate"), stateWith(1, 3), 0o600))
	must(t, os.WriteFile(filepath.Join(r.folder, "password-file"), []byte(password+"\n"), 0o600))
	if e.short {
		r.does(`curl() { command curl -sS -H "Authorization: Bearer $TOKEN" -H "Content-Type: application/vnd.api+json" "$@"; }` + "\n")
	}
	done := 0
	for _, command := range examples(t, e.page) {
		if strings.Contains(command, "ghain-") {
			continue // of a GitHub App, which this server is not: TestAppInstallationsThroughGoTFE has one
		}
		if strings.Contains(command, "rollback-state-version") { // the page says: for the holder of the lock
			s.lock(kept)
			r.knows("SV", s.do("GET", "/workspaces/"+kept+"/current-state-version", s.Token, "").want(t, 200).text("data.id"))
		}
		said := r.does(command)
		if strings.Contains(command, "rollback-state-version") {
			s.unlock(kept)
		}
		if _, answer, found := strings.Cut(said, `{"data":`); found {
			var document struct {
				Data struct{ Attributes map[string]any }
			}
			if err := json.NewDecoder(strings.NewReader(`{"data":` + answer)).Decode(&document); err == nil && document.Data.Attributes["hosted-state-upload-url"] != nil {
				r.knows("HOSTED_STATE_UPLOAD_URL", fmt.Sprint(document.Data.Attributes["hosted-state-upload-url"]))
			}
		}
		// A code and a token that nobody gave are refused, as the page says.
		if grants := strings.Contains(command, "grant_type="); strings.Contains(said, `"errors"`) || strings.Contains(said, "invalid_grant") != grants {
			t.Errorf("%s: %s\n%s", e.page, command, said)
		}
		done++
	}
	if done < e.least {
		t.Errorf("%s has %d examples", e.page, done)
	}
}
