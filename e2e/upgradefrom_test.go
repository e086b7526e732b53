package e2e_test

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/belayhq/belay/internal/storetest"
)

// olderProgram builds the program of an earlier commit: that of BELAY_UPGRADE_FROM, which may be
// the path of a program too, or the last one before the schema changed. why says that there is no
// such commit here.
var olderProgram = sync.OnceValues(func() (program string, why error) {
	git := func(args ...string) (string, error) {
		out, err := exec.Command("git", args...).CombinedOutput()
		return strings.TrimSpace(string(out)), err
	}
	commit := os.Getenv("BELAY_UPGRADE_FROM")
	if filepath.IsAbs(commit) {
		return commit, nil
	}
	if commit == "" {
		last, err := git("log", "-1", "--format=%H", "--", "../internal/store/migrations")
		if err != nil || last == "" {
			return "", fmt.Errorf("the history of the schema is not here: %s", last)
		}
		commit = last + "^"
	}
	sha, err := git("rev-parse", "--verify", "--quiet", commit+"^{commit}")
	if err != nil {
		return "", fmt.Errorf("commit %s is not in this clone", commit)
	}
	folder := filepath.Join(filepath.Dir(binary), "older")
	if err := os.Mkdir(folder, 0o700); err != nil {
		return "", err
	}
	packed := folder + ".tar"
	if said, err := git("-C", "..", "archive", "--output", packed, sha); err != nil {
		return "", fmt.Errorf("git archive %s: %s", sha, said)
	}
	if said, err := exec.Command("tar", "-xf", packed, "-C", folder).CombinedOutput(); err != nil {
		return "", fmt.Errorf("unpack: %s", said)
	}
	program = filepath.Join(folder, "belay")
	build := exec.Command("go", "build", "-o", program, "./cmd/belay")
	build.Dir, build.Env = folder, append(os.Environ(), "CGO_ENABLED=0", "GOWORK=off")
	if said, err := build.CombinedOutput(); err != nil {
		panic(fmt.Sprintf("build %s: %s", sha, said))
	}
	return program, nil
})

// older is a server of an earlier commit, which is not held to the API of now.
func older(t *testing.T, engine string) *server {
	t.Helper()
	program, why := olderProgram()
	if why != nil {
		t.Skip(why)
	}
	var env []string
	if engine == "postgres" {
		env = []string{"BELAY_DATABASE_URL=" + storetest.EmptyPostgres(t)}
	}
	s := serverOn(t, t.TempDir(), env)
	s.program, s.http = program, &http.Client{Transport: &http.Transport{}}
	s.run()
	return s
}

// renewed puts this program in the place of an earlier one.
func (s *server) renewed() {
	s.t.Helper()
	s.stop()
	s.program, s.http = "", http.DefaultClient
	s.run()
}

// make asks for something new, and gives its id.
func (s *server) make(path, typ, attributes, relations string) string {
	s.t.Helper()
	got := s.do("POST", path, s.Token, fmt.Sprintf(`{"data":{"type":%q,"attributes":{%s},"relationships":{%s}}}`, typ, attributes, relations))
	if got.Status >= 300 {
		s.t.Fatalf("POST %s: %d %s", path, got.Status, got.Body)
	}
	return got.text("data.id")
}

// states gives a workspace states, each under a lock of its own, as every server takes them.
func (s *server) states(workspace string, serials ...int64) {
	s.t.Helper()
	for _, serial := range serials {
		raw := stateWith(serial, int(serial))
		s.do("POST", "/workspaces/"+workspace+"/actions/lock", s.Token, "{}").want(s.t, 200)
		s.make("/workspaces/"+workspace+"/state-versions", "state-versions", fmt.Sprintf(`"serial":%d,"md5":%q,"lineage":%q,"state":%q`,
			serial, md5Of(raw), lineage, base64.StdEncoding.EncodeToString(raw)), "")
		s.do("POST", "/workspaces/"+workspace+"/actions/unlock", s.Token, "").want(s.t, 200)
	}
}

// lived gives a server something of most kinds, and says what is to be asked about it.
func (s *server) lived() (workspaces, paths []string) {
	s.t.Helper()
	to := func(name, typ, id string) string {
		return fmt.Sprintf(`%q:{"data":{"type":%q,"id":%q}}`, name, typ, id)
	}
	all := func(name, typ, id string) string {
		return fmt.Sprintf(`%q:{"data":[{"type":%q,"id":%q}]}`, name, typ, id)
	}
	const top = "/organizations/acme"
	s.make("/organizations", "organizations", `"name":"acme","email":"a@example.com"`, "")
	project := s.make(top+"/projects", "projects", `"name":"Network","description":"cables"`, `"tag-bindings":{"data":[{"type":"tag-bindings","attributes":{"key":"cost","value":"42"}}]}`)
	team := s.make(top+"/teams", "teams", `"name":"engineers","visibility":"organization","sso-team-id":"g-1","organization-access":{"manage-workspaces":true}`, "")
	s.make(top+"/organization-memberships", "organization-memberships", `"email":"ann@example.com"`, all("teams", "teams", team))
	s.make("/team-projects", "team-projects", `"access":"maintain"`, to("team", "teams", team)+","+to("project", "projects", project))
	s.make(top+"/agent-pools", "agent-pools", `"name":"builders"`, "")
	s.make(top+"/reserved-tag-keys", "reserved-tag-keys", `"key":"cost","disable-overrides":true`, "")
	set := s.make(top+"/varsets", "varsets", `"name":"account","global":false`, all("projects", "projects", project))
	s.make("/varsets/"+set+"/relationships/vars", "vars", `"key":"ACCOUNT","value":"42","category":"env"`, "")
	paths = []string{top, top + "/projects", top + "/teams", top + "/organization-memberships", top + "/agent-pools", top + "/reserved-tag-keys", top + "/varsets",
		top + "/workspaces", top + "/tags", "/varsets/" + set + "/relationships/vars", "/projects/" + project, "/projects/" + project + "/tag-bindings",
		"/team-projects?filter%5Bproject%5D%5Bid%5D=" + project, top + "/explorer?type=workspaces", "/account/details"}
	for _, name := range []string{"net", "app"} {
		w := s.make(top+"/workspaces", "workspaces", fmt.Sprintf(`"name":%q,"description":"of %s","auto-apply":true,"working-directory":"a"`, name, name),
			to("project", "projects", project)+`,"tags":{"data":[{"type":"tags","attributes":{"name":"eu"}}]},"tag-bindings":{"data":[{"type":"tag-bindings","attributes":{"key":"env","value":"prod"}}]}`)
		below := "/workspaces/" + w
		s.make(below+"/vars", "vars", `"key":"region","value":"eu-1","category":"terraform","description":"where"`, "")
		s.make(below+"/vars", "vars", `"key":"PASSWORD","value":"hunter2","category":"env","sensitive":true`, "")
		s.make(below+"/notification-configurations", "notification-configurations", `"name":"mail","destination-type":"email","enabled":false,"triggers":["run:errored"],"email-addresses":["a@example.com"]`, "")
		s.make("/team-workspaces", "team-workspaces", `"access":"write"`, to("team", "teams", team)+","+to("workspace", "workspaces", w))
		s.states(w, 1, 2, 3)
		version := s.configuration(w)
		run := s.make("/runs", "runs", `"message":"before","plan-only":true`, to("workspace", "workspaces", w)+","+to("configuration-version", "configuration-versions", version))
		for _, more := range []string{"", "/vars", "/tag-bindings", "/effective-tag-bindings", "/notification-configurations", "/current-state-version",
			"/current-state-version-outputs", "/resources", "/configuration-versions", "/runs", "/change-requests", "/relationships/remote-state-consumers"} {
			paths = append(paths, below+more)
		}
		paths = append(paths, "/runs/"+run, "/configuration-versions/"+version, "/team-workspaces?filter%5Bworkspace%5D%5Bid%5D="+w,
			"/state-versions?"+url.Values{"filter[organization][name]": {"acme"}, "filter[workspace][name]": {name}}.Encode())
		workspaces = append(workspaces, w)
	}
	s.make("/workspaces/"+workspaces[1]+"/run-triggers", "run-triggers", "", to("sourceable", "workspaces", workspaces[0]))
	return workspaces, append(paths, "/workspaces/"+workspaces[1]+"/run-triggers?filter%5Brun-trigger%5D%5Btype%5D=inbound")
}

// saysTo is what a server says to requests, each of which it must answer.
func (s *server) saysTo(paths []string) map[string]any {
	s.t.Helper()
	said := map[string]any{}
	for _, path := range paths {
		got := s.do("GET", path, s.Token, "").want(s.t, 200)
		var document any
		must(s.t, json.Unmarshal([]byte(got.Body), &document))
		said[path] = document
	}
	return said
}

// TestUpgradeFromAnEarlierCommit starts this program on what that of an earlier commit has
// just written, ended by itself or killed: everything is said as before, taken and whole.
func TestUpgradeFromAnEarlierCommit(t *testing.T) {
	slow(t)
	t.Parallel()
	for _, engine := range storetest.Outside(t) {
		t.Run(engine, func(t *testing.T) {
			t.Parallel()
			s := older(t, engine)
			workspaces, paths := s.lived()
			had := s.saysTo(paths)
			s.kill()
			s.renewed()
			for path, now := range s.saysTo(paths) {
				for _, lost := range lacks("", had[path], now) {
					t.Errorf("GET %s: %s", path, lost)
				}
			}
			for _, w := range workspaces {
				if got := s.stateOf(t, w); got != string(stateWith(3, 3)) {
					t.Errorf("the state of %s is %q", w, got)
				}
				s.states(w, 4)
				s.make("/workspaces/"+w+"/vars", "vars", `"key":"new","value":"x","category":"env","sensitive":true`, "")
			}
			s.stop()
			out, errOut, status := belay(t, s.env, "verify", "--data-dir", s.args[4])
			if status != 0 {
				t.Errorf("verify: status %d: %s%s", status, out, errOut)
			}
		})
	}
}

// TestRollingUpgradeFromAnEarlierCommit puts this program in the place of an earlier commit's
// at two replicas, one after the other, under a stream of writes and reads at both. Between, the
// old one goes on beside the new one, on the schema of the new.
func TestRollingUpgradeFromAnEarlierCommit(t *testing.T) {
	slow(t)
	t.Parallel()
	if !strings.Contains(strings.Join(storetest.Outside(t), " "), "postgres") {
		t.Skip("this pass has SQLite alone")
	}
	r := newRolling(t, older(t, "postgres"))
	workspaces, paths := r.replicas[0].lived()
	r.replicas[0].make("/organizations", "organizations", `"name":"busy","email":"b@example.com"`, "")
	for writer := range 3 {
		workspace := r.replicas[0].make("/organizations/busy/workspaces", "workspaces", fmt.Sprintf(`"name":"w%d"`, writer), "")
		r.writers.Go(func() { r.write(writer, workspace) })
	}
	defer r.writers.Wait()
	defer r.ending.Store(true)
	for at, s := range r.replicas {
		r.serves(0, 1)
		r.spells[at].Add(1)
		s.stop()
		r.serves(1 - at)
		s.program = ""
		s.run()
		r.spells[at].Add(1)
		r.serves(0, 1)
		r.bothServe(workspaces, paths, int64(4+2*at))
	}
	r.ending.Store(true)
	r.writers.Wait()
	r.holdsAll()
}

// bothServe demands that the replica that was renewed first says all that the other one does, and both
// take states that the other one reads.
func (r *rolling) bothServe(workspaces, paths []string, serial int64) {
	r.t.Helper()
	for at, door := range r.doors {
		door.states(workspaces[at], serial, serial+1)
	}
	first := r.doors[0].saysTo(paths)
	for path, said := range r.doors[1].saysTo(paths) {
		for _, lost := range lacks("", said, first[path]) {
			r.t.Errorf("GET %s: the replicas differ: %s", path, lost)
		}
	}
	for at, w := range workspaces {
		if got := r.doors[1-at].stateOf(r.t, w); got != string(stateWith(serial+1, int(serial+1))) {
			r.t.Errorf("the state of %s is %q", w, got)
		}
	}
}
