package e2e_test

import (
	"encoding/base64"
	"fmt"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/hashicorp/go-tfe"
)

// pointers is where the errors of an answer point.
func (r reply) pointers() string {
	var all []string
	for i := 0; r.at(fmt.Sprintf("errors.%d", i)) != nil; i++ {
		all = append(all, strings.TrimPrefix(r.text(fmt.Sprintf("errors.%d.source.pointer", i)), "/data/"))
	}
	return strings.Join(all, " ")
}

func TestStateDocumentsOfAWrongShapeAreRefused(t *testing.T) {
	each(t, func(t *testing.T, s *server) {
		s.organization("acme")
		id := s.workspace("acme", "network")
		path := "/workspaces/" + id + "/state-versions"
		s.lock(id)
		raw := stateWith(1, 1)
		file := base64.StdEncoding.EncodeToString(raw)
		for body, want := range map[string]string{
			`"state":5`:                   "attributes/state",
			`"state":{"a":1}`:             "attributes/state",
			`"state":["` + file + `"]`:    "attributes/state",
			`"state":true`:                "attributes/state",
			`"json-state":5`:              "attributes/json-state",
			`"json-state-outputs":{}`:     "attributes/json-state-outputs",
			`"st\u0061te":"` + file + `"`: "attributes/state",
			`"state":"` + file + `","state":"` + file + `"`: "attributes/state",
			`"md5":5`:                          "attributes/md5",
			`"serial":"six"`:                   "attributes/serial",
			`"serial":1.5`:                     "attributes/serial",
			`"serial":-1`:                      "attributes/serial",
			`"serial":9007199254740992`:        "attributes/serial",
			`"serial":99999999999999999999999`: "attributes/serial",
			`"lineage":7`:                      "attributes/lineage",
			`"lineage":"` + strings.Repeat("l", 256) + `"`: "attributes/lineage",
			`"lineage":""`:  "attributes/lineage",
			`"force":"yes"`: "attributes/force",
			`"serial":[],"md5":{},"lineage":[],"force":1,"state":1,"json-state":2,"json-state-outputs":3`: "attributes/serial attributes/md5 " +
				"attributes/lineage attributes/force attributes/state attributes/json-state attributes/json-state-outputs",
		} {
			got := s.do("POST", path, s.Token, `{"data":{"type":"state-versions","attributes":{"serial":1,"md5":"`+md5Of(raw)+`",`+body+`}}}`)
			if got.Status != 422 || got.pointers() != want {
				t.Errorf("%.80s: %d at %q, want %q: %s", body, got.Status, got.pointers(), want, got.Body)
			}
		}
		if got := s.do("POST", path, s.Token, `{"data":{"relationships":{"run":{"data":{"type":"plans","id":"run-1"}}}}}`).want(t, 422); got.pointers() != "attributes/serial attributes/md5 relationships/run/data/type" {
			t.Errorf("an empty document: %s", got.Body)
		}
		s.do("POST", path, s.Token, `{"data":{"type":"state-versions","attributes":{"serial":1,"md5":"`+md5Of(raw)+`","lineage":"a\u0000b"}}}`).want(t, 422)
		s.do("POST", path, s.Token, "{\"data\":{\"type\":\"state-versions\",\"attributes\":{\"serial\":1,\"md5\":\""+md5Of(raw)+"\",\"lineage\":\"\xff\"}}}").want(t, 400)
	})
}

func TestRelationshipsOfAForeignTypeAreRefused(t *testing.T) {
	each(t, func(t *testing.T, s *server) {
		s.organization("acme")
		id, source := s.workspace("acme", "network"), s.workspace("acme", "source")
		s.hasState(id)
		s.lock(id)
		v := s.do("GET", "/workspaces/"+id+"/current-state-version", s.Token, "").text("data.id")
		team, _ := s.team("acme", "ops", nil)
		attributes := `"attributes":{"serial":2,"md5":"` + md5Of(nil) + `","lineage":"` + lineage + `"}`
		relation := func(name, typ, id string) string {
			return fmt.Sprintf(`{"data":{%s,"relationships":{%q:{"data":{"type":%q,"id":%q}}}}}`, attributes, name, typ, id)
		}
		for _, c := range []struct{ method, path, body, want string }{
			{"PATCH", "/workspaces/" + id + "/state-versions", relation("rollback-state-version", "workspaces", v), "relationships/rollback-state-version/data/type"},
			{"PATCH", "/workspaces/" + id + "/state-versions", relation("rollback-state-version", "state-versions", ""), "relationships/rollback-state-version/data/id"},
			{"PATCH", "/workspaces/" + id + "/state-versions", `{"data":{"relationships":{"rollback-state-version":{"data":[]}}}}`, "relationships/rollback-state-version/data"},
			{"PATCH", "/workspaces/" + id + "/state-versions", `{"data":{}}`, "relationships/rollback-state-version"},
			{"POST", "/workspaces/" + id + "/state-versions", relation("run", "plans", "run-1"), "relationships/run/data/type"},
			{"POST", "/workspaces/" + id + "/state-versions", relation("run", "runs", strings.Repeat("r", 300)), "relationships/run/data/id"},
			{"POST", "/workspaces/" + id + "/state-versions", `{"data":{` + attributes + `,"relationships":{"run":{"data":"run-1"}}}}`, "relationships/run/data"},
			{"POST", "/workspaces/" + id + "/run-triggers", relation("sourceable", "projects", source), "relationships/sourceable/data/type"},
			{"POST", "/team-workspaces", `{"data":{"attributes":{"access":"read"},"relationships":{"team":{"data":{"type":"users","id":"` + team.ID + `"}},"workspace":{"data":{"type":"runs","id":"` + id + `"}}}}}`,
				"relationships/team/data/type relationships/workspace/data/type"},
			{"PATCH", "/organizations/acme", relation("default-agent-pool", "workspaces", id), "relationships/default-agent-pool/data/type"},
		} {
			if got := s.do(c.method, c.path, s.Token, c.body); got.Status != 422 || got.pointers() != c.want {
				t.Errorf("%s %s: %d at %q, want %q: %s", c.method, c.path, got.Status, got.pointers(), c.want, got.Body)
			}
		}
		s.do("POST", "/workspaces/"+id+"/state-versions", s.Token, relation("run", "runs", "run-1")).want(t, 201)
	})
}

// TestTheSameFileUploadedAtOnceIsFine races uploads to one URL, as a client does that lost
// its connection and tries again.
func TestTheSameFileUploadedAtOnceIsFine(t *testing.T) {
	slow(t)
	each(t, func(t *testing.T, s *server) {
		s.organization("acme")
		id := s.workspace("acme", "network")
		s.lock(id)
		for serial := range int64(5) {
			raw := stateWith(serial, 200)
			v, err := s.admin().StateVersions.Create(t.Context(), id, tfe.StateVersionCreateOptions{
				MD5: tfe.String(md5Of(raw)), Serial: tfe.Int64(serial), Lineage: tfe.String(lineage),
			})
			must(t, err)
			for url, file := range map[string][]byte{v.UploadURL: raw, v.JSONUploadURL: []byte(`{"format_version":"1.0"}`)} {
				if counts := together(16, func(int) int { return put(t, url, file) }); counts[200] != 16 {
					t.Errorf("the same file 16 times at once: %v", counts)
				}
				if status := put(t, url, append(file, ' ')); status != 409 {
					t.Errorf("other bytes afterwards: %d", status)
				}
			}
			one, other := stateWith(serial, 200), stateWith(serial, 201)
			counts := together(16, func(i int) int {
				if i%2 == 0 {
					return put(t, v.UploadURL, one)
				}
				return put(t, v.UploadURL, other)
			})
			if counts[200] != 8 || counts[409] != 8 {
				t.Errorf("two files at once, afterwards: %v", counts)
			}
			if raw, err := fetch(v.DownloadURL); err == nil && md5Of(raw) != md5Of(one) {
				t.Error("another file took its place")
			}
		}
		s.unlock(id)
	})
}

// blobs is every file of a state below the data dir of the server.
func (s *server) blobs() (paths []string) {
	s.t.Helper()
	must(s.t, filepath.WalkDir(filepath.Join(s.args[4], "blobs", "states"), func(path string, entry fs.DirEntry, err error) error {
		if err == nil && entry.Type().IsRegular() {
			paths = append(paths, path)
		}
		return err
	}))
	return paths
}

// TestADamagedFileIsTheServersFault damages and deletes the file of a state on the disk.
func TestADamagedFileIsTheServersFault(t *testing.T) {
	each(t, func(t *testing.T, s *server) {
		s.organization("acme")
		id := s.workspace("acme", "network")
		s.hasState(id)
		s.lock(id)
		current := s.do("GET", "/workspaces/"+id+"/current-state-version", s.Token, "").want(t, 200)
		path := s.blobs()[0]
		whole, err := os.ReadFile(path)
		must(t, err)
		for name, damage := range map[string]func() error{
			"a changed byte": func() error {
				changed := append([]byte{}, whole...)
				changed[len(changed)/2] ^= 1
				return os.WriteFile(path, changed, 0o600)
			},
			"cut":   func() error { return os.WriteFile(path, whole[:len(whole)/2], 0o600) },
			"empty": func() error { return os.WriteFile(path, nil, 0o600) },
			"gone":  func() error { return os.Remove(path) },
		} {
			must(t, damage())
			rollback := `{"data":{"type":"state-versions","relationships":{"rollback-state-version":{"data":{"type":"state-versions","id":"` + current.text("data.id") + `"}}}}}`
			request, err := http.NewRequest(http.MethodGet, current.text("data.attributes.hosted-state-download-url"), nil)
			must(t, err)
			for what, got := range map[string]reply{
				"rollback":  s.do("PATCH", "/workspaces/"+id+"/state-versions", s.Token, rollback),
				"download":  s.send(request),
				"resources": s.do("GET", "/workspaces/"+id+"/resources", s.Token, ""),
			} {
				detail := got.text("errors.0.detail")
				if got.Status != 500 || !strings.Contains(detail, "ask those who run the server") || strings.Contains(got.Body, "blobs") || strings.Contains(got.Body, id) {
					t.Errorf("%s, %s: %d %s", name, what, got.Status, got.Body)
				}
				s.logged(got, filepath.Base(path))
			}
			if n := s.do("GET", "/state-versions?filter[organization][name]=acme&filter[workspace][name]=network", s.Token, "").at("meta.pagination.total-count"); n != 1.0 {
				t.Errorf("%s: %v state versions, want 1", name, n)
			}
			must(t, os.MkdirAll(filepath.Dir(path), 0o700))
			must(t, os.WriteFile(path, whole, 0o600))
		}
		s.reads(id, 1)
	})
}

// logged demands that the log tells the cause of an answer, once it has come through.
func (s *server) logged(r reply, cause string) {
	s.t.Helper()
	for deadline := time.Now().Add(patience); time.Now().Before(deadline); time.Sleep(5 * time.Millisecond) {
		for line := range strings.Lines(s.logs.String()) {
			if strings.Contains(line, "level=ERROR") && strings.Contains(line, r.Header.Get("X-Request-Id")) && strings.Contains(line, cause) {
				return
			}
		}
	}
	s.t.Errorf("the log does not name %q under the id of the answer", cause)
}

func TestClientsAreToldHowOftenToBringTheirState(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		args []string
		want string
	}{"by default": {nil, "60"}, "otherwise": {[]string{"--snapshot-interval", "5m"}, "300"}, "never": {[]string{"--snapshot-interval", "0"}, ""}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := start(t, "sqlite", c.args...)
			s.organization("acme")
			id := s.workspace("acme", "network")
			missing := s.do("GET", "/workspaces/"+id+"/current-state-version", s.Token, "").want(t, 404)
			s.lock(id)
			made, err := s.bring(id, 1)
			must(t, err)
			s.unlock(id)
			current := s.do("GET", "/workspaces/"+id+"/current-state-version", s.Token, "").want(t, 200)
			for what, r := range map[string]reply{"none yet": missing, "made": made.want(t, 201), "current": current} {
				if got := r.Header.Get("X-Terraform-Snapshot-Interval"); got != c.want {
					t.Errorf("%s: %q, want %q", what, got, c.want)
				}
			}
		})
	}
}
