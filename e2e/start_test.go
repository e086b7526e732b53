package e2e_test

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/belayhq/belay/internal/seal"
	"github.com/belayhq/belay/internal/storetest"
)

// refusedToStart runs the program with the server's arguments and demands one sentence
// that says why it will not serve, and status 2.
func (s *server) refusedToStart(t *testing.T, says string, env ...string) {
	t.Helper()
	out, errOut, status := belay(t, append(s.env[:len(s.env):len(s.env)], env...), s.args...)
	if status != 2 || strings.Count(errOut, "\n") != 1 || !strings.Contains(errOut, says) {
		t.Errorf("status %d instead of 2, stderr %q does not say %q, stdout %q", status, errOut, says, out)
	}
}

// refusedCommand is the same of a small command.
func (s *server) refusedCommand(t *testing.T, says string) {
	t.Helper()
	_, errOut, status := belay(t, s.env, "user", "create", "eve", "--email", "eve@example.com", "--data-dir", s.args[4])
	if status != 2 || strings.Count(errOut, "\n") != 1 || !strings.Contains(errOut, says) {
		t.Errorf("user create: status %d instead of 2, stderr %q does not say %q", status, errOut, says)
	}
}

func TestAnotherSchemaIsRefused(t *testing.T) {
	each(t, func(t *testing.T, s *server) {
		s.stop()
		s.execute("INSERT INTO goose_db_version (version_id, is_applied) VALUES (987654, TRUE)")
		s.refusedToStart(t, "newer schema")
		s.refusedCommand(t, "newer schema")
		s.execute("DELETE FROM goose_db_version WHERE version_id = 987654")
		s.run()
		s.stop()
		s.execute("DELETE FROM goose_db_version WHERE version_id = 65", "DROP TABLE encryption_keys")
		s.refusedCommand(t, "older schema")
		s.run()
	})
}

func TestAnotherEncryptionKeyIsRefused(t *testing.T) {
	each(t, func(t *testing.T, s *server) {
		file := filepath.Join(s.args[4], "encryption.key")
		raw, err := os.ReadFile(file)
		must(t, err)
		first, second := strings.TrimSpace(string(raw)), seal.GenerateKey()
		s.organization("acme")
		workspace := s.workspace("acme", "network")
		s.do("POST", "/workspaces/"+workspace+"/vars", s.Token,
			`{"data":{"type":"vars","attributes":{"key":"password","value":"x","category":"env","sensitive":true}}}`).want(t, 201)
		s.stop()
		must(t, os.Remove(file))
		s.refusedToStart(t, "key that the data is sealed with is missing")
		if _, err := os.Stat(file); err == nil {
			t.Error("another key was made")
		}
		s.refusedToStart(t, "is another", "BELAY_ENCRYPTION_KEY="+second)
		must(t, os.WriteFile(file, []byte(second+"\n"+first+"\n"), 0o600))
		s.run()
		s.stop()
		must(t, os.WriteFile(file, []byte(second+"\n"), 0o600))
		s.refusedToStart(t, "is another")
		must(t, os.WriteFile(file, []byte(first+"\n"), 0o600))
		s.refusedToStart(t, "is another")
		must(t, os.WriteFile(file, []byte(first+"\n"+second+"\n"), 0o600))
		s.run()
	})
}

func TestASecondServerOnADataFolderIsRefused(t *testing.T) {
	t.Parallel()
	s := start(t, "sqlite")
	args := s.args[2]
	s.args[2] = "127.0.0.1:0"
	s.refusedToStart(t, "another process serves")
	s.args[2] = args
	if _, errOut, status := belay(t, nil, "user", "create", "ann", "--email", "ann@example.com", "--data-dir", s.args[4]); status != 0 {
		t.Errorf("a command beside the server: %d %s", status, errOut)
	}
	s.kill()
	s.run()
}

func TestOnlyServeMakesADatabase(t *testing.T) {
	t.Parallel()
	folder := filepath.Join(t.TempDir(), "data")
	for _, args := range [][]string{
		{"user", "create", "ann", "--email", "ann@example.com"}, {"user", "password", "ann", "--password", "correct horse"},
		{"token", "create", "--user", "ann"}, {"org", "create", "acme", "--owner", "ann"},
	} {
		for _, env := range [][]string{nil, {"BELAY_DATABASE_URL=" + storetest.EmptyPostgres(t)}} {
			_, errOut, status := belay(t, env, append(args, "--data-dir", folder)...)
			if status != 2 || strings.Count(errOut, "\n") != 1 || !strings.Contains(errOut, "no database") {
				t.Errorf("%v %v: status %d, %q", args, env, status, errOut)
			}
		}
	}
	if _, err := os.Stat(folder); err == nil {
		t.Error("a command made the data folder")
	}
}

func TestABlobURLThatCanNotBeUsedIsRefusedFirst(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "file")
	must(t, os.WriteFile(file, nil, 0o600))
	for _, url := range []string{
		"file://" + file + "/blobs", "file://relative", "s3://", "s3://states?colour=red",
		"s3://states?insecure=true&region=us-east-1&endpoint=127.0.0.1:1",
	} {
		folder := t.TempDir()
		_, errOut, status := belay(t, nil, "serve", "--addr", "127.0.0.1:0", "--data-dir", folder, "--blob-url", url)
		if status != 2 || strings.Count(errOut, "\n") != 1 || !strings.Contains(errOut, "--blob-url") {
			t.Errorf("%s: status %d, %q", url, status, errOut)
		}
		if _, err := os.Stat(filepath.Join(folder, "belay.db")); err == nil {
			t.Errorf("%s: a database was made", url)
		}
	}
}

// TestTheDataFolderIsItsOwnersAlone lets a folder and a file begin with modes that are too wide.
func TestTheDataFolderIsItsOwnersAlone(t *testing.T) {
	t.Parallel()
	s := start(t, "sqlite", "--tls-self-signed")
	s.stop()
	folder := s.args[4]
	must(t, os.Chmod(folder, 0o755))
	for _, name := range []string{"belay.db", "encryption.key", "admin-token", "tls/server-key.pem", "tls/ca-key.pem"} {
		err := os.Chmod(filepath.Join(folder, name), 0o644)
		if err != nil && name != "admin-token" { // there is none where it was given
			t.Fatal(err)
		}
	}
	s.run()
	found := 0
	must(t, filepath.WalkDir(folder, func(path string, entry fs.DirEntry, err error) error {
		if errors.Is(err, fs.ErrNotExist) { // it went while the server goes on
			return nil
		}
		must(t, err)
		info, err := entry.Info()
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		must(t, err)
		found++
		if strings.HasPrefix(filepath.Base(path), "belay.db") && info.Mode().Perm() != 0o600 {
			t.Errorf("%s has mode %v", path, info.Mode())
		}
		if info.Mode().Perm()&0o077 != 0 && !strings.HasSuffix(path, "ca.pem") && !strings.HasSuffix(path, "server.pem") {
			t.Errorf("%s has mode %v", path, info.Mode())
		}
		return nil
	}))
	if info, err := os.Stat(folder); err != nil || info.Mode().Perm() != 0o700 || found < 8 {
		t.Errorf("the folder has mode %v, %d things in it: %v", info.Mode(), found, err)
	}
}

func TestTooFewConnectionsAreRefused(t *testing.T) {
	t.Parallel()
	url := storetest.EmptyPostgres(t) + "&pool_max_conns=1"
	_, errOut, status := belay(t, []string{"BELAY_DATABASE_URL=" + url}, "serve", "--addr", "127.0.0.1:0", "--data-dir", t.TempDir())
	if status != 2 || strings.Count(errOut, "\n") != 1 || !strings.Contains(errOut, "pool_max_conns is 1 and must be at least 4") {
		t.Errorf("status %d, %q", status, errOut)
	}
}
