package e2e_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/belayhq/belay/internal/seal"
	"github.com/belayhq/belay/internal/storetest"
)

// stream is writers that go on until they are told to stop, and what they were answered.
type stream struct {
	s       *server
	mu      sync.Mutex
	serials map[string]int64 // by workspace: the newest that was answered
	stop    chan struct{}
	work    sync.WaitGroup
}

// write begins to give states to workspaces and to make new ones.
func (s *server) write(workspaces []string) *stream {
	w := &stream{s: s, serials: map[string]int64{}, stop: make(chan struct{})}
	for i, id := range workspaces {
		w.work.Go(func() {
			for n := int64(1); ; n++ {
				select {
				case <-w.stop:
					return
				default:
				}
				r, err := s.try("POST", "/workspaces/"+id+"/state-versions", s.Token, stateBody(stateWith(n, 3), n, lineage, true))
				if err != nil || r.Status != 201 {
					s.t.Errorf("a write was refused: %v %d %s", err, r.Status, r.Body)
					return
				}
				w.note(id, n)
				name := fmt.Sprintf("made-%d-%d", i, n)
				if r, err = s.try("POST", "/organizations/acme/workspaces", s.Token, `{"data":{"type":"workspaces","attributes":{"name":"`+name+`"}}}`); err != nil || r.Status != 201 {
					s.t.Errorf("a write was refused: %v %d %s", err, r.Status, r.Body)
					return
				}
				w.note(r.text("data.id"), 0)
			}
		})
	}
	return w
}

func (w *stream) note(id string, serial int64) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.serials[id] = serial
}

// answered is what has been answered by now, once there is so much of it, and a state of each of these.
func (w *stream) answered(atLeast int, workspaces []string) map[string]int64 {
	for ; ; time.Sleep(5 * time.Millisecond) {
		w.mu.Lock()
		copied := make(map[string]int64, len(w.serials))
		for id, serial := range w.serials {
			copied[id] = serial
		}
		w.mu.Unlock()
		none := slices.ContainsFunc(workspaces, func(id string) bool { return copied[id] == 0 })
		if len(copied) >= atLeast && !none || w.s.t.Failed() {
			return copied
		}
	}
}

func (w *stream) end() {
	close(w.stop)
	w.work.Wait()
}

// on is a server on another place, with the tokens of this one.
func (s *server) on(t *testing.T, folder, databaseURL string) *server {
	t.Helper()
	other := &server{t: t, Token: s.Token, logs: &logs{}, http: s.http,
		args: []string{"serve", "--addr", "127.0.0.1:0", "--data-dir", folder, "--rate-limit", "0", "--runner-slots", "0"},
		env:  append(os.Environ(), "BELAY_DATABASE_URL="+databaseURL)}
	other.run()
	t.Cleanup(other.stop)
	return other
}

// databaseURL is that of the server's PostgreSQL; empty on SQLite.
func (s *server) databaseURL() string {
	for _, e := range s.env {
		if url, found := strings.CutPrefix(e, "BELAY_DATABASE_URL="); found {
			return url
		}
	}
	return ""
}

func TestABackupUnderAStreamOfWritesRestoresOnAnEmptyMachine(t *testing.T) {
	slow(t)
	each(t, func(t *testing.T, s *server) {
		s.organization("acme")
		var workspaces []string
		for i := range 4 {
			id := s.workspace("acme", fmt.Sprintf("network-%d", i))
			s.lock(id)
			workspaces = append(workspaces, id)
		}
		s.do("POST", "/workspaces/"+workspaces[0]+"/vars", s.Token,
			`{"data":{"type":"vars","attributes":{"key":"password","value":"x","category":"env","sensitive":true}}}`).want(t, 201)
		writing := s.write(workspaces)
		before := writing.answered(12, workspaces)
		archive := filepath.Join(t.TempDir(), "belay.tar")
		out, errOut, status := belay(t, s.env, "backup", archive, "--data-dir", s.args[4])
		if status != 0 || out != "" || !strings.Contains(errOut, "backed up") {
			t.Errorf("backup: %d %q %q", status, out, errOut)
		}
		writing.end()
		key, err := os.ReadFile(filepath.Join(s.args[4], "encryption.key"))
		must(t, err)
		raw, err := os.ReadFile(archive)
		must(t, err)
		if strings.Contains(string(raw), strings.TrimSpace(string(key))) {
			t.Error("the encryption key is in the archive")
		}
		for _, url := range []string{"", storetest.EmptyPostgres(t)} {
			folder := filepath.Join(t.TempDir(), "belay-data")
			place := []string{"--data-dir", folder, "--database-url", url}
			if _, errOut, status := belay(t, nil, append([]string{"restore", archive}, place...)...); status != 2 || !strings.Contains(errOut, "encryption key") {
				t.Errorf("without a key: %d %q", status, errOut)
			}
			if _, errOut, status := belay(t, []string{"BELAY_ENCRYPTION_KEY=" + seal.GenerateKey()}, append([]string{"restore", archive}, place...)...); status != 2 || !strings.Contains(errOut, "sealed with the key") {
				t.Errorf("with another key: %d %q", status, errOut)
			}
			must(t, os.WriteFile(filepath.Join(folder, "encryption.key"), key, 0o600))
			if out, errOut, status := belay(t, nil, append([]string{"restore", archive}, place...)...); status != 0 || !strings.Contains(out, "restored the backup of") {
				t.Fatalf("restore: %d %q %q", status, out, errOut)
			}
			if _, errOut, status := belay(t, nil, append([]string{"restore", archive}, place...)...); status != 2 || !strings.Contains(errOut, "already") {
				t.Errorf("restore over it: %d %q", status, errOut)
			}
			other := s.on(t, folder, url)
			var states []string
			for id, serial := range before {
				other.do("GET", "/workspaces/"+id, s.Token, "").want(t, 200)
				if serial == 0 {
					continue
				}
				other.unlock(id) // the writers held it: what they wrote last is the current one now
				current := other.do("GET", "/workspaces/"+id+"/current-state-version", s.Token, "").want(t, 200)
				states = append(states, current.text("data.id"))
				if got, _ := current.at("data.attributes.serial").(float64); int64(got) < serial {
					t.Errorf("the state %d of %s was answered before the backup, and %v is there", serial, id, got)
				}
			}
			other.faults(t, place, folder, states)
		}
	})
}

// faults looks for faults: there are none until there are some, and then each is named.
func (s *server) faults(t *testing.T, place []string, folder string, states []string) {
	t.Helper()
	verify := append([]string{"verify"}, place...)
	if out, errOut, status := belay(t, nil, verify...); status != 0 || !strings.Contains(out, " 0 faults") {
		t.Fatalf("verify: %d %q %q", status, out, errOut)
	}
	var files []string
	for _, id := range states {
		found, err := filepath.Glob(filepath.Join(folder, "blobs", "states", "*", id+"-*.state"))
		must(t, err)
		files = append(files, found...)
	}
	if len(files) < 2 {
		t.Fatalf("objects: %v of %v", files, states)
	}
	raw, err := os.ReadFile(files[0])
	must(t, err)
	raw[len(raw)/2] ^= 1
	must(t, os.WriteFile(files[0], raw, 0o600))
	must(t, os.Remove(files[1]))
	out, _, status := belay(t, nil, verify...)
	for i, problem := range []string{"is damaged", "is missing"} {
		name, err := filepath.Rel(filepath.Join(folder, "blobs"), files[i])
		must(t, err)
		if !strings.Contains(out, "state version "+states[i]+": the object "+name+" "+problem) {
			t.Errorf("%s is not named as %q: %s", name, problem, out)
		}
	}
	if status != 1 || !strings.Contains(out, " 2 faults") {
		t.Errorf("status %d: %s", status, out)
	}
}

func TestManagementCommandsTellOfTheData(t *testing.T) {
	each(t, func(t *testing.T, s *server) {
		file := filepath.Join(s.args[4], "encryption.key")
		first, err := os.ReadFile(file)
		must(t, err)
		s.organization("acme")
		id := s.workspace("acme", "network")
		s.lock(id)
		s.give(id, stateWith(1, 3), 1)
		on := func(args ...string) (out, errOut string, status int) {
			return belay(t, s.env, append(args, "--data-dir", s.args[4])...)
		}
		says := func(want string, wantStatus int, args ...string) {
			t.Helper()
			if out, errOut, status := on(args...); status != wantStatus || !regexp.MustCompile(want).MatchString(out+errOut) {
				t.Errorf("%v: status %d, %q %q, want %q", args, status, out, errOut, want)
			}
		}
		says(`(?s)schema +\d+\n.*pending +none`, 0, "db", "status")
		says(map[bool]string{true: "another process serves", false: "pending +none"}[s.databaseURL() == ""], map[bool]int{true: 2}[s.databaseURL() == ""], "db", "migrate")
		says(`current +\d+ values, [1-9]\d* objects`, 0, "keys", "status")
		says(`(?s)ok +data folder.*ok +objects.*ok +database.*ok +key.*ok +clock`, 0, "doctor")
		s.stop()
		must(t, os.WriteFile(file, []byte(seal.GenerateKey()+"\n"+string(first)), 0o600))
		s.run()
		says(`older +[1-9]`, 0, "keys", "status")
		says(`sealed [1-9]\d* values and [1-9]\d* objects`, 0, "keys", "reseal")
		says(`older +0 values, 0 objects`, 0, "keys", "status")
		s.stop()
		both, err := os.ReadFile(file)
		must(t, err)
		must(t, os.WriteFile(file, []byte(strings.SplitAfter(string(both), "\n")[0]), 0o600))
		s.run()
		says(` 0 faults`, 0, "verify")
		s.stop()
		must(t, os.WriteFile(file, []byte(seal.GenerateKey()), 0o600))
		says(`FAIL +key`, 1, "doctor")
		must(t, os.WriteFile(file, both, 0o600))
		s.execute("INSERT INTO goose_db_version (version_id, is_applied) VALUES (987654, TRUE)")
		says("newer schema", 2, "db", "status")
		says("newer schema", 2, "backup", filepath.Join(t.TempDir(), "x.tar"))
		s.execute("DELETE FROM goose_db_version WHERE version_id IN (987654, 65)", "DROP TABLE encryption_keys")
		says(`pending +65`, 0, "db", "status")
		says(`pending +none`, 0, "db", "migrate")
		s.run()
	})
}

func TestMaintenanceNeedsADatabase(t *testing.T) {
	t.Parallel()
	folder := filepath.Join(t.TempDir(), "data")
	for _, args := range [][]string{{"backup", "x.tar"}, {"verify"}, {"keys", "status"}, {"keys", "reseal"}, {"db", "status"}, {"db", "migrate"}} {
		_, errOut, status := belay(t, nil, append(args, "--data-dir", folder)...)
		if status != 2 || strings.Count(errOut, "\n") != 1 || !strings.Contains(errOut, "no database") {
			t.Errorf("%v: status %d, %q", args, status, errOut)
		}
	}
	if out, _, status := belay(t, nil, "doctor", "--data-dir", folder); status != 1 || !strings.Contains(out, "FAIL  data folder") {
		t.Errorf("doctor: status %d, %q", status, out)
	}
	if _, err := os.Stat(folder); err == nil {
		t.Error("a command made the data folder")
	}
}

func TestASupportBundleHasNoSecrets(t *testing.T) {
	each(t, func(t *testing.T, s *server) {
		s.organization("confidential-organization")
		s.workspace("confidential-organization", "confidential-workspace")
		key, err := os.ReadFile(filepath.Join(s.args[4], "encryption.key"))
		must(t, err)
		file := filepath.Join(t.TempDir(), "bundle.tar.gz")
		env := append(slices.Clone(s.env), "BELAY_SMTP_URL=smtp://user:hunter2@mail.internal:25", "BELAY_BLOB_URL=file://"+filepath.Join(s.args[4], "blobs"))
		if out, errOut, status := belay(t, env, "support-bundle", file, "--data-dir", s.args[4]); status != 0 {
			t.Fatalf("%d %s %s", status, out, errOut)
		}
		raw, err := exec.Command("tar", "-xzOf", file).CombinedOutput()
		must(t, err)
		for _, secret := range []string{strings.TrimSpace(string(key)), s.Token, "hunter2", "mail.internal", "confidential", "@example.com"} {
			if strings.Contains(string(raw), secret) {
				t.Errorf("it tells %q: %s", secret, raw)
			}
		}
		for _, want := range []string{"schema ", "BELAY_SMTP_URL=smtp://…", "BELAY_ADMIN_TOKEN=(set)", `"Workspaces": 1`, "pending  none", "ok    key"} {
			if !strings.Contains(string(raw), want) {
				t.Errorf("it does not tell %q: %s", want, raw)
			}
		}
	})
}
