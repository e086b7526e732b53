package e2e_test

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"

	"github.com/belayhq/belay/internal/storetest"
)

// asked is what an earlier server answered, and what it was asked with.
type asked struct {
	Tokens     map[string]string
	Workspaces []string          // network (locked, its last state not yet current), storage, apps
	States     map[string]string // the last one of a workspace, by its id
	Answers    map[string]any    // by path
}

// TestUpgrade starts the server on the data of an earlier one (testdata/upgrade: schema 65 and
// before, an unclean end on SQLite), and holds every answer against what that one gave.
func TestUpgrade(t *testing.T) {
	t.Parallel()
	for _, engine := range storetest.Outside(t) {
		t.Run(engine, func(t *testing.T) {
			t.Parallel()
			s, had := upgraded(t, engine)
			for path, want := range had.Answers {
				got := s.do("GET", path, s.Token, "")
				var now any
				must(t, json.Unmarshal([]byte(got.Body), &now))
				for _, lost := range lacks("", want, now) {
					t.Errorf("GET %s: %s", path, lost)
				}
			}
			for who, token := range had.Tokens {
				s.do("GET", "/organizations/acme", token, "").want(t, 200)
				if who == "ann" {
					s.do("GET", "/organizations/other", token, "").want(t, 404)
				}
			}
			network, storage, apps := had.Workspaces[0], had.Workspaces[1], had.Workspaces[2]
			if got := s.stateOf(t, storage); got != had.States[storage] {
				t.Errorf("the state of storage is %q", got)
			}
			s.do("POST", "/workspaces/"+network+"/actions/unlock", s.Token, "").want(t, 200)
			if got := s.stateOf(t, network); got != had.States[network] {
				t.Errorf("the state of network is %q", got)
			}
			s.do("POST", "/workspaces/"+apps+"/vars", had.Tokens["organization"],
				`{"data":{"type":"vars","attributes":{"key":"new","value":"x","category":"env","sensitive":true}}}`).want(t, 201)
			s.stop()
			out, errOut, status := belay(t, s.env, "verify", "--data-dir", s.args[4])
			if status != 0 {
				t.Errorf("verify: status %d: %s%s", status, out, errOut)
			}
		})
	}
}

// upgraded is this server on the data of an earlier one.
func upgraded(t *testing.T, engine string) (s *server, had asked) {
	t.Helper()
	folder := t.TempDir()
	var env []string
	if engine == "postgres" {
		env = []string{"BELAY_DATABASE_URL=" + storetest.EmptyPostgres(t)}
	}
	if out, err := exec.CommandContext(t.Context(), "tar", "-xzf", filepath.Join("testdata", "upgrade", engine+".tar.gz"), "--no-same-owner", "-C", folder).CombinedOutput(); err != nil {
		t.Fatalf("unpack: %v: %s", err, out)
	}
	must(t, os.Chmod(folder, 0o700))
	raw, err := os.ReadFile(filepath.Join(folder, "answers.json"))
	must(t, err)
	must(t, json.Unmarshal(raw, &had))
	if engine == "postgres" {
		dump, err := os.ReadFile(filepath.Join(folder, "dump.sql"))
		must(t, err)
		c, err := pgx.Connect(t.Context(), strings.TrimPrefix(env[0], "BELAY_DATABASE_URL="))
		must(t, err)
		_, err = c.PgConn().Exec(t.Context(), string(dump)).ReadAll()
		must(t, err)
		must(t, c.Close(t.Context()))
	}
	return startOn(t, folder, env), had
}

// stateOf is the current state of a workspace.
func (s *server) stateOf(t *testing.T, workspace string) string {
	t.Helper()
	url := s.do("GET", "/workspaces/"+workspace+"/current-state-version", s.Token, "").want(t, 200).text("data.attributes.hosted-state-download-url")
	raw, err := fetch(url)
	must(t, err)
	return string(raw)
}

// moving are members that are other ones with every server or answer, or since a rule changed:
// operations are carried out now, and a workspace without an SSH key has no such relationship.
var moving = []string{"links", "last-used-at", "last-seen-at", "last-token-use-at", "hosted-state-download-url", "hosted-json-state-download-url", "operations", "ssh-key"}

// lacks says what of an earlier answer is not in one of now, which may have more.
func lacks(at string, had, now any) (lost []string) {
	switch had := had.(type) {
	case map[string]any:
		now, ok := now.(map[string]any)
		if !ok {
			return []string{at + " is no object any more"}
		}
		for name, value := range had {
			if !slices.Contains(moving, name) {
				lost = append(lost, lacks(at+"/"+name, value, now[name])...)
			}
		}
	case []any:
		now, ok := now.([]any)
		if !ok || len(now) != len(had) {
			return []string{fmt.Sprintf("%s had %d elements: %v", at, len(had), now)}
		}
		for i := range had {
			lost = append(lost, lacks(fmt.Sprintf("%s/%d", at, i), had[i], now[i])...)
		}
	default:
		if had != now {
			return []string{fmt.Sprintf("%s was %v and is %v", at, had, now)}
		}
	}
	return lost
}
