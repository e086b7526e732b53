package api_test

import (
	"context"
	"crypto/md5"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/belayhq/belay"
	"github.com/belayhq/belay/internal/api"
	"github.com/belayhq/belay/internal/app"
	"github.com/belayhq/belay/internal/blob"
	"github.com/belayhq/belay/internal/configs"
	"github.com/belayhq/belay/internal/repos"
	"github.com/belayhq/belay/internal/runfile"
	"github.com/belayhq/belay/internal/runlog"
	"github.com/belayhq/belay/internal/runnerwire"
	"github.com/belayhq/belay/internal/runs"
	"github.com/belayhq/belay/internal/seal"
	"github.com/belayhq/belay/internal/state"
	"github.com/belayhq/belay/internal/store"
)

// explanation stands on top of the matrix.
var explanation = strings.TrimLeft(`
Who may do what
===============

Every line below is one thing that a program or a person can ask of Belay, and every
column is somebody who asks. The table is made by a test that asks a running server all
of it, so it is what the server does, not what somebody meant it to do.

  ✔  is done
  ✘  is refused, and the caller is told that it is not allowed
  ·  is refused as if the thing were not there: who may not see it does not learn of it

Rights add up: who is in several teams may do what any of them may.

Who asks:

`, "\n") + legend() + `
Without a token every answer is 401, but for the few things marked as open to everybody.
`

// role is somebody who asks.
type role struct {
	code, who string
	switches  string // organization access of its team
	workspace string // its team's level on the workspace, as attributes
	project   string // its team's level on the project, as attributes
	token     string
	userID    string
	teamID    string
}

// cast is everybody, from those who may least to those who may most.
func cast() []*role {
	return []*role{
		{code: "no", who: "nobody: a request without a token"},
		{code: "st", who: "a stranger: a user of the site who is not in the organization"},
		{code: "me", who: "a member of the organization who is in no team"},
		{code: "wr", who: "a team with read access to the workspace", workspace: `"access":"read"`},
		{code: "wp", who: "a team with plan access to the workspace", workspace: `"access":"plan"`},
		{code: "ww", who: "a team with write access to the workspace", workspace: `"access":"write"`},
		{code: "wa", who: "a team with admin access to the workspace", workspace: `"access":"admin"`},
		{code: "wc", who: "a team with custom access to the workspace: it reads runs and may lock, nothing else", workspace: `"access":"custom","workspace-locking":true`},
		{code: "pr", who: "a team with read access to the project", project: `"access":"read"`},
		{code: "pw", who: "a team with write access to the project", project: `"access":"write"`},
		{code: "pm", who: "a team with maintain access to the project", project: `"access":"maintain"`},
		{code: "pa", who: "a team with admin access to the project", project: `"access":"admin"`},
		{code: "pc", who: "a team with custom access to the project: it changes settings and makes workspaces", project: `"access":"custom","project-access":{"settings":"update"},"workspace-access":{"create":true}`},
		{code: "RW", who: "a team that may see all workspaces", switches: "read-workspaces"},
		{code: "RP", who: "a team that may see all projects", switches: "read-projects"},
		{code: "MW", who: "a team that manages all workspaces", switches: "manage-workspaces"},
		{code: "MP", who: "a team that manages all projects", switches: "manage-projects"},
		{code: "MM", who: "a team that manages the members", switches: "manage-membership"},
		{code: "MT", who: "a team that manages the teams", switches: "manage-teams"},
		{code: "OA", who: "a team that manages what teams may do in the organization", switches: "manage-organization-access"},
		{code: "VC", who: "a team that manages version control and SSH keys", switches: "manage-vcs-settings"},
		{code: "AP", who: "a team that manages agent pools", switches: "manage-agent-pools"},
		{code: "PO", who: "a team that manages policies", switches: "manage-policies"},
		{code: "PV", who: "a team that overrides policies", switches: "manage-policy-overrides"},
		{code: "MO", who: "a team that manages modules", switches: "manage-modules"},
		{code: "PR", who: "a team that manages providers", switches: "manage-providers"},
		{code: "RT", who: "a team that manages run tasks", switches: "manage-run-tasks"},
		{code: "SE", who: "a team that may see secret teams", switches: "access-secret-teams"},
		{code: "tt", who: "the token of a team with write access to the workspace"},
		{code: "ag", who: "the token of an agent pool"},
		{code: "at", who: "the organization's token for its audit trail"},
		{code: "ot", who: "the organization's token"},
		{code: "ow", who: "an owner of the organization"},
		{code: "sa", who: "a site admin"},
	}
}

func legend() string {
	var out strings.Builder
	for _, r := range cast() {
		fmt.Fprintf(&out, "  %s  %s\n", r.code, r.who)
	}
	return out.String()
}

// things is what requests are about, by the name of the path parameter.
type things map[string]string

// with is the things with others in their place.
func (t things) with(others things) things {
	all := make(things, len(t)+len(others)+1)
	for name, value := range t {
		all[name] = value
	}
	for name, value := range others {
		all[name] = value
	}
	all["unique"] = "n" + belay.RandomText(12)
	return all
}

// in puts the things into a text.
func (t things) in(text string) string {
	for name, value := range t {
		text = strings.ReplaceAll(text, "{"+name+"}", value)
		text = strings.ReplaceAll(text, "<"+name+">", value)
	}
	return text
}

// world is a server with an organization, everybody in it, and one of each thing.
type world struct {
	t      testing.TB
	api    *api.API
	routes []api.Route
	db     *store.DB
	verbs  *app.App
	admin  string // the site admin's token
	roles  []*role
	shared things

	left   things // what the last refused request would have used up
	leftBy string // and the route it was for
	files  *runfile.Room
	runs   *runs.Room
	wire   *runnerwire.Door

	outside *outside
}

func newWorld(t testing.TB, db *store.DB) *world {
	t.Helper()
	w := newServer(t, db)
	w.settle()
	w.people()
	return w
}

// newServer is a world with nothing in it.
func newServer(t testing.TB, db *store.DB) *world {
	t.Helper()
	ring, err := seal.Open("", t.TempDir(), true)
	if err != nil {
		t.Fatal(err)
	}
	blobs, err := blob.Open(t.Context(), "file://"+t.TempDir(), ring)
	if err != nil {
		t.Fatal(err)
	}
	out := &outside{Store: blobs}
	verbs := app.New(app.Config{DB: db, Ring: ring, Blobs: out, Probe: out.probe, Letters: out, Providers: nobodys{}})
	admin, err := verbs.FirstStart(t.Context(), "admin-token-of-the-matrix")
	if err != nil {
		t.Fatal(err)
	}
	objects := verbs.Objects()
	logs, files := runlog.New(runlog.Config{DB: db, Objects: objects, Ring: ring}), runfile.New(runfile.Config{DB: db, Objects: objects})
	room := runs.New(runs.Config{DB: db, Ring: ring, Logs: logs, Files: files, Engines: verbs.Engines, Finalize: state.FinalizeOrGiveUp, Head: out.head})
	archives, fetched := configs.New(configs.Config{DB: db, Objects: objects, Ring: ring}), repos.New(repos.Config{DB: db, Ring: ring, Objects: objects, Runs: room})
	w := &world{t: t, db: db, verbs: verbs, outside: out, files: files, runs: room, admin: admin, roles: cast(), shared: things{}, api: api.New(api.Config{
		App: verbs, Configs: archives, Runs: room, Logs: logs, Files: files, Repos: fetched,
	})}
	w.routes = w.api.Routes()
	w.wire = runnerwire.New(runnerwire.Config{
		Runs: room, States: verbs, Configurations: archives, Files: files, Logs: logs, Fetches: fetched,
		Pool: func(ctx context.Context, token string) (pool, tokenID string, err error) {
			s, err := verbs.Authenticate(ctx, token)
			return s.ID, s.TokenID, err
		},
	})
	return w
}

// settle makes the organization and one of each thing in it.
func (w *world) settle() {
	w.make("/organizations", `{"data":{"type":"organizations","attributes":{"name":"acme","email":"acme@example.com"}}}`)
	w.shared["organization_name"] = "acme"
	w.shared = w.shared.with(freshProject(w, nil))
	w.shared["other_project_id"] = freshProject(w, nil)["project_id"]
	w.shared = w.shared.with(freshStates(w, nil))
	w.shared["other_workspace_id"] = freshWorkspace(w, nil)["workspace_id"]
	w.shared = w.shared.with(freshTeam(w, nil))
	w.shared = w.shared.with(freshMember(w, nil))
	for name, value := range moreThings(w) {
		w.shared[name] = value
	}
}

// people makes everybody, with a token each.
func (w *world) people() {
	w.shared["stranger_id"] = w.user("stranger")
	for _, r := range w.roles {
		switch r.code {
		case "no":
		case "sa":
			r.token = w.admin
			r.userID = w.get("/account/details", "data.id")
		case "st":
			r.userID = w.shared["stranger_id"]
			r.token = w.userToken(r.userID)
		case "tt":
			r.workspace = `"access":"write"`
			w.join(r)
			r.token = w.value("/teams/"+r.teamID+"/authentication-token", "")
		case "ot":
			r.token = w.value("/organizations/acme/authentication-token", "")
		case "ag":
			pool := w.make("/organizations/acme/agent-pools", `{"data":{"type":"agent-pools","attributes":{"name":"pool-of-ag"}}}`)
			r.token = w.value("/agent-pools/"+pool+"/authentication-tokens", `{"data":{"type":"authentication-tokens","attributes":{"description":"ag"}}}`)
		case "at":
			r.token = w.value("/organizations/acme/authentication-token?token=audit-trails", "")
		default:
			w.join(r)
			r.token = w.userToken(r.userID)
		}
	}
}

// join makes the user of a role, its team, and the team's access.
func (w *world) join(r *role) {
	name := "user-" + r.code
	if r.code != strings.ToLower(r.code) { // another has the same code, but for capitals
		name += "-everywhere"
	}
	r.userID = w.user(name)
	var teams string
	switch r.code {
	case "me":
	case "ow":
		r.teamID = w.get("/organizations/acme/teams?filter[names]=owners", "data.0.id")
	default:
		access := ""
		if r.switches != "" {
			access = fmt.Sprintf(`"organization-access":{%q:true},`, r.switches)
		}
		r.teamID = w.make("/organizations/acme/teams", fmt.Sprintf(`{"data":{"type":"teams","attributes":{%s"name":"team-%s"}}}`, access, r.code))
	}
	if r.teamID != "" {
		teams = fmt.Sprintf(`{"type":"teams","id":%q}`, r.teamID)
	}
	w.make("/organizations/acme/organization-memberships", fmt.Sprintf(
		`{"data":{"attributes":{"email":"%s@example.com"},"relationships":{"teams":{"data":[%s]}}}}`, name, teams))
	w.grant(r, w.shared)
}

// grant gives the team of a role its access to a workspace or a project.
func (w *world) grant(r *role, on things) {
	if r == nil {
		return
	}
	give := func(path, kind, id, access string) {
		if id == "" || access == "" {
			return
		}
		status, answer := w.send(http.MethodPost, "/api/v2"+path, w.admin, fmt.Sprintf(
			`{"data":{"attributes":{%s},"relationships":{"team":{"data":{"type":"teams","id":%q}},%q:{"data":{"id":%q}}}}}`, access, r.teamID, kind, id))
		if status != http.StatusCreated && !strings.Contains(answer, "already been given") {
			w.t.Fatalf("POST %s: %d %s", path, status, answer)
		}
	}
	give("/team-workspaces", "workspace", on["workspace_id"], r.workspace)
	give("/team-workspaces", "workspace", on["consumer_id"], r.workspace)
	give("/team-projects", "project", on["project_id"], r.project)
}

func (w *world) user(name string) string {
	return w.make("/admin/users", fmt.Sprintf(`{"data":{"attributes":{"username":%q,"email":"%s@example.com"}}}`, name, name))
}

func (w *world) userToken(id string) string {
	return w.value("/users/"+id+"/authentication-tokens", "")
}

// make makes a thing as the site admin, and gives its id.
func (w *world) make(path, body string) string { return w.post(path, body, "data.id") }

// value makes a token, and gives its value.
func (w *world) value(path, body string) string { return w.post(path, body, "data.attributes.token") }

func (w *world) post(path, body, at string) string {
	w.t.Helper()
	status, answer := w.send(http.MethodPost, "/api/v2"+path, w.admin, body)
	if status >= 300 {
		w.t.Fatalf("POST %s: %d %s", path, status, answer)
	}
	return textAt(answer, at)
}

func (w *world) get(path, at string) string {
	w.t.Helper()
	status, answer := w.send(http.MethodGet, "/api/v2"+path, w.admin, "")
	if status >= 300 {
		w.t.Fatalf("GET %s: %d %s", path, status, answer)
	}
	return textAt(answer, at)
}

// do makes a request as the site admin that must succeed.
func (w *world) do(method, path, body string) {
	w.t.Helper()
	if status, answer := w.send(method, "/api/v2"+path, w.admin, body); status >= 300 {
		w.t.Fatalf("%s %s: %d %s", method, path, status, answer)
	}
}

func (w *world) send(method, path, token, body string) (int, string) {
	answer := w.sent(method, path, token, body)
	return answer.Code, answer.Body.String()
}

// sent is a request, with further headers by their names.
func (w *world) sent(method, path, token, body string, headers ...string) *httptest.ResponseRecorder {
	request := httptest.NewRequest(method, strings.ReplaceAll(path, " ", "%20"), strings.NewReader(body))
	for i := 0; i+1 < len(headers); i += 2 {
		request.Header.Set(headers[i], headers[i+1])
	}
	if token != "" {
		request.Header.Set("Authorization", "Bearer "+token)
	}
	if body != "" {
		request.Header.Set("Content-Type", "application/vnd.api+json")
	}
	answer := httptest.NewRecorder()
	w.api.ServeHTTP(answer, request)
	return answer
}

// textAt is the text at a dotted path of a document.
func textAt(body, path string) string {
	var value any
	_ = json.Unmarshal([]byte(body), &value)
	for _, part := range strings.Split(path, ".") {
		switch v := value.(type) {
		case map[string]any:
			value = v[part]
		case []any:
			if len(v) == 0 {
				return ""
			}
			value = v[0]
		}
	}
	text, _ := value.(string)
	return text
}

func freshProject(w *world, r *role) things {
	made := things{"project_id": w.make("/organizations/acme/projects", `{"data":{"type":"projects","attributes":{"name":"p`+belay.RandomText(10)+`"}}}`)}
	w.grant(r, made)
	return made
}

func freshWorkspace(w *world, r *role) things {
	name := "w" + belay.RandomText(10)
	made := things{"name": name, "workspace_id": w.make("/organizations/acme/workspaces", fmt.Sprintf(
		`{"data":{"type":"workspaces","attributes":{"name":%q},"relationships":{"project":{"data":{"id":%q}}}}}`, name, w.shared["project_id"]))}
	w.grant(r, made)
	return made
}

// lockedWorkspace is a workspace that the role has locked itself, where it may.
func lockedWorkspace(w *world, r *role) things {
	made := freshWorkspace(w, r)
	w.lockAs(r, made)
	return made
}

// lockAs locks a workspace as the role, or as the site admin where the role may not.
func (w *world) lockAs(r *role, made things) {
	path := "/api/v2/workspaces/" + made["workspace_id"] + "/actions/lock"
	if status, _ := w.send(http.MethodPost, path, r.token, ""); status != http.StatusOK {
		w.do(http.MethodPost, strings.TrimPrefix(path, "/api/v2"), "")
	}
}

func md5Of(text string) string {
	sum := md5.Sum([]byte(text))
	return hex.EncodeToString(sum[:])
}

func freshTeam(w *world, _ *role) things { return w.team("organization") }

func secretTeam(w *world, _ *role) things { return w.team("secret") }

func (w *world) team(visibility string) things {
	return things{"team_id": w.make("/organizations/acme/teams", fmt.Sprintf(
		`{"data":{"type":"teams","attributes":{"name":"t%s","visibility":%q}}}`, belay.RandomText(10), visibility))}
}

func freshMember(w *world, _ *role) things {
	name := "u" + belay.RandomText(10)
	id := w.user(name)
	membership := w.make("/organizations/acme/organization-memberships", fmt.Sprintf(`{"data":{"attributes":{"email":"%s@example.com"}}}`, name))
	return things{"user_id": id, "username": name, "membership_id": membership}
}

// spareOrganization is an organization to lose, for those who may delete one; the rest
// try it on the organization that is there.
func spareOrganization(w *world, r *role) things {
	if r.code != "ow" && r.code != "sa" {
		return nil
	}
	name := "o" + belay.RandomText(10)
	status, answer := w.send(http.MethodPost, "/api/v2/organizations", r.token, fmt.Sprintf(`{"data":{"attributes":{"name":%q,"email":"o@example.com"}}}`, name))
	if status != http.StatusCreated {
		w.t.Fatalf("spare organization: %d %s", status, answer)
	}
	return things{"organization_name": name}
}
