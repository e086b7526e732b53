package api_test

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/belayhq/belay"
	"github.com/belayhq/belay/internal/store"
	"github.com/belayhq/belay/internal/storetest"
	"github.com/belayhq/belay/run"
)

// wanderSteps is how many requests everybody makes on its walk; BELAY_WALK says another
// number, such as the 20,000 that a change of rights is worth.
func wanderSteps(engine string) int {
	steps := 1500
	switch {
	case !storetest.Slow():
		steps = 100
	case engine == "postgres": // which answers as SQLite does, and slower
		steps = 300
	}
	return storetest.Number("BELAY_WALK", steps)
}

// TestNobodyReachesMoreThanItWasGiven lets everybody walk at random through all that has
// to do with rights: it makes teams and tokens, joins, gives, moves, and goes on with every
// token that it was given. After each request that was done, no token may open anything
// that it could not do when it set out.
func TestNobodyReachesMoreThanItWasGiven(t *testing.T) {
	onAWalk(t)
	t.Parallel()
	for _, engine := range storetest.Outside(t) {
		t.Run(engine, func(t *testing.T) {
			t.Parallel()
			db := storetest.Open(t, engine)
			w := newServer(t, db)
			for i, r := range everybody() {
				k, began := newWanderer(w, db, r, uint64(i)), time.Now()
				k.run(wanderSteps(engine))
				t.Logf("%s (%s): %d of %d requests were done, in %s", r.code, r.who, len(k.done), wanderSteps(engine), time.Since(began))
			}
		})
	}
}

// everybody is all those of the matrix who has a token of an organization, and some whom
// several rights, or parts of one, might lead further than each alone.
func everybody() []*role {
	list := slices.DeleteFunc(cast(), func(r *role) bool { return r.code == "no" || r.code == "st" || r.code == "sa" })
	return append(list,
		&role{code: "x1", who: "manages teams, and sees secret ones", switches: "manage-teams,access-secret-teams"},
		&role{code: "x2", who: "manages members, and sees secret teams", switches: "manage-membership,access-secret-teams"},
		&role{code: "x3", who: "gives organization access, and sees secret teams", switches: "manage-organization-access,access-secret-teams"},
		&role{code: "x4", who: "gives teams access to a project, and reads little of it", project: `"access":"custom","project-access":{"teams":"manage"}`},
		&role{code: "x5", who: "plans, but may not read the state", workspace: `"access":"custom","runs":"plan"`},
		&role{code: "x6", who: "applies, but may not write the state", workspace: `"access":"custom","runs":"apply","state-versions":"read"`},
		&role{code: "x7", who: "manages workspaces and teams", switches: "manage-workspaces,manage-teams"},
		&role{code: "x8", who: "is admin of a project, and manages teams", project: `"access":"admin"`, switches: "manage-teams"},
		&role{code: "x9", who: "is admin of a workspace, and manages members", workspace: `"access":"admin"`, switches: "manage-membership"},
	)
}

// wanderer is one organization with somebody in it who tries everything.
type wanderer struct {
	w      *world
	db     *store.DB
	role   *role
	random *rand.Rand
	org    string
	about  map[string][]string // what there is, by kind
	homes  map[string]string   // the project of each workspace, when it was made
	places map[string]string   // and now
	tokens []string
	began  belay.Access
	done   []string // the requests that were done, for the report

	by      string                     // the token of the request that is made
	made    map[string]making          // what made each token, by its value
	agents  map[string]run.Runner      // runners, by the value of the token that they came with
	steered map[string]belay.Workspace // workspaces as they were when the walker came
}

// newWanderer makes an organization of everything that there is to reach, and the walker in it.
func newWanderer(w *world, db *store.DB, r *role, seed uint64) *wanderer {
	k := &wanderer{
		w: w, db: db, role: r, random: rand.New(rand.NewPCG(seed, 2026)), org: "wander-" + strings.ToLower(r.code) + fmt.Sprint(seed),
		about: map[string][]string{}, homes: map[string]string{}, places: map[string]string{},
		made: map[string]making{}, agents: map[string]run.Runner{}, steered: map[string]belay.Workspace{},
	}
	path := "/organizations/" + k.org
	w.make("/organizations", fmt.Sprintf(`{"data":{"attributes":{"name":%q,"email":"a@example.com"}}}`, k.org))
	for i := range 2 {
		project := w.make(path+"/projects", fmt.Sprintf(`{"data":{"attributes":{"name":"project-%d"}}}`, i))
		k.add("project", project)
		for j := range 2 {
			k.settleIn(project, w.make(path+"/workspaces", fmt.Sprintf(
				`{"data":{"attributes":{"name":"w-%d-%d"},"relationships":{"project":{"data":{"id":%q}}}}}`, i, j, project)))
		}
	}
	owners := w.get(path+"/teams?filter[names]=owners", "data.0.id")
	k.add("team", owners)
	for i, attributes := range []string{
		`"visibility":"organization","organization-access":{"manage-projects":true}`, `"visibility":"secret","organization-access":{"manage-vcs-settings":true}`,
		`"visibility":"organization"`, `"visibility":"secret"`, `"visibility":"organization"`,
	} {
		team := w.make(path+"/teams", fmt.Sprintf(`{"data":{"attributes":{"name":"team-%d",%s}}}`, i, attributes))
		k.add("team", team)
		if i == 2 || i == 3 {
			k.give("project", k.about["project"][i-2], team, `"access":"admin"`)
		}
		if i == 4 {
			k.give("workspace", k.about["workspace"][3], team, `"access":"admin"`)
		}
	}
	k.add("pool", w.make(path+"/agent-pools", `{"data":{"attributes":{"name":"pool"}}}`))
	k.furnish()
	k.enter(owners)
	return k
}

func (k *wanderer) add(kind, id string) { k.about[kind] = append(k.about[kind], id) }

func (k *wanderer) settleIn(project, workspace string) {
	k.add("workspace", workspace)
	k.homes[workspace], k.places[workspace] = project, project
}

func (k *wanderer) give(kind, id, team, access string) {
	k.w.make("/team-"+kind+"s", fmt.Sprintf(`{"data":{"attributes":{%s},"relationships":{"team":{"data":{"id":%q}},%q:{"data":{"id":%q}}}}}`,
		access, team, kind, id))
}

// enter makes the walker, its team and its token, and notes what it may do.
func (k *wanderer) enter(owners string) {
	w, r, path := k.w, k.role, "/organizations/"+k.org
	name := "user-" + k.org
	r.userID = w.user(name)
	r.teamID = owners
	if r.code != "ow" {
		on := map[string]bool{}
		for _, s := range strings.Split(r.switches, ",") {
			on[s] = s != ""
		}
		switches, _ := json.Marshal(on)
		r.teamID = w.make(path+"/teams", fmt.Sprintf(`{"data":{"attributes":{"name":"own","organization-access":%s}}}`, switches))
		k.add("team", r.teamID)
	}
	teams := fmt.Sprintf(`{"type":"teams","id":%q}`, r.teamID)
	if r.code == "me" {
		teams = ""
	}
	k.add("membership", w.make(path+"/organization-memberships", fmt.Sprintf(
		`{"data":{"attributes":{"email":"%s@example.com"},"relationships":{"teams":{"data":[%s]}}}}`, name, teams)))
	k.add("user", r.userID)
	k.add("user", name)
	if r.code == "tt" {
		r.workspace = `"access":"write"`
	}
	if r.workspace != "" {
		k.give("workspace", k.about["workspace"][0], r.teamID, r.workspace)
	}
	if r.project != "" {
		k.give("project", k.about["project"][0], r.teamID, r.project)
	}
	k.hold(w.value(k.signIn()))
	_, k.began, _ = k.rights(k.tokens[0])
}

// signIn is the request that gives the walker the token that it sets out with.
func (k *wanderer) signIn() (path, body string) {
	switch k.role.code {
	case "tt":
		return "/teams/" + k.role.teamID + "/authentication-token", ""
	case "ot":
		return "/organizations/" + k.org + "/authentication-token", ""
	case "at":
		return "/organizations/" + k.org + "/authentication-token?token=audit-trails", ""
	case "ag":
		return "/agent-pools/" + k.about["pool"][0] + "/authentication-tokens", `{"data":{"type":"authentication-tokens","attributes":{"description":"ag"}}}`
	default:
		return "/users/" + k.role.userID + "/authentication-tokens", ""
	}
}

// hold keeps a token to go on with; of many, the first and the newest.
func (k *wanderer) hold(value string) {
	k.tokens = append(k.tokens, value)
	if len(k.tokens) > 12 {
		k.tokens = slices.Delete(k.tokens, 1, 2)
	}
}

// rights is what a token opens in the organization now.
func (k *wanderer) rights(token string) (s belay.Principal, access belay.Access, err error) {
	err = k.db.View(k.w.t.Context(), func(v *store.View) error {
		b, err := v.Bearer(belay.HashToken(token))
		if err == nil {
			s, err = b.Principal(time.Now())
		} else if errors.Is(err, belay.ErrNotFound) {
			err = belay.ErrUnauthenticated
		}
		if err != nil {
			return err
		}
		o, err := v.Organization(k.org)
		if err != nil {
			return err
		}
		access, err = v.Access(s, o)
		return err
	})
	return s, access, err
}

func (k *wanderer) run(steps int) {
	for range steps {
		step := k.step()
		token := k.tokens[k.random.IntN(len(k.tokens))]
		if k.random.IntN(3) == 0 {
			token = k.tokens[0]
		}
		k.by = token
		status, answer := k.w.send(step.method, "/api/v2"+step.path, token, step.body)
		if status >= 500 {
			k.w.t.Fatalf("%s: %s %s %s: %d %s", k.role.code, step.method, step.path, step.body, status, answer)
		}
		if status == http.StatusUnauthorized && token == k.tokens[0] { // it ended its own, or made it anew
			path, body := k.signIn()
			if _, answer = k.w.send(http.MethodPost, "/api/v2"+path, k.w.admin, body); textAt(answer, "data.attributes.token") != "" {
				k.tokens[0] = textAt(answer, "data.attributes.token")
			}
			continue
		}
		if status >= 300 || step.method == http.MethodGet {
			continue
		}
		k.done = append(k.done, fmt.Sprintf("%s %s %s", step.method, step.path, step.body))
		if step.kept != nil {
			step.kept(answer)
		}
		if problem := cmp.Or(k.beyond(), k.runsOwnCode(), k.outlives()); problem != "" {
			k.w.t.Errorf("%s (%s) reached %s by\n  %s", k.role.code, k.role.who, problem, strings.Join(k.done[max(0, len(k.done)-12):], "\n  "))
			return
		}
	}
}

// beyond is what a token opens that the walker could not do when it set out.
func (k *wanderer) beyond() string {
	for _, token := range slices.Clone(k.tokens) {
		s, now, err := k.rights(token)
		if errors.Is(err, belay.ErrUnauthenticated) {
			k.tokens = slices.DeleteFunc(k.tokens, func(t string) bool { return t == token && t != k.tokens[0] })
			continue
		}
		if err != nil {
			k.w.t.Fatal(err)
		}
		var seen belay.Permission
		if s.Kind == belay.RunPrincipal { // which sees that workspaces are there: docs/decisions/0026
			seen = belay.Traverse.And(belay.ReadWorkspace)
		}
		if more := now.Everywhere.Without(k.began.Everywhere).Without(seen); more != (belay.Permission{}) {
			return fmt.Sprintf("%b in the organization as %s", more, s.Kind)
		}
		for _, id := range k.about["project"] {
			if more := now.OnProject(id).Without(k.began.OnProject(id)).Without(seen); more != (belay.Permission{}) {
				return fmt.Sprintf("%b on project %s as %s", more, id, s.Kind)
			}
		}
		for id, home := range k.homes {
			if more := now.OnWorkspace(id, k.places[id]).Without(k.began.OnWorkspace(id, home)).Without(seen); more != (belay.Permission{}) {
				return fmt.Sprintf("%b on workspace %s as %s", more, id, s.Kind)
			}
		}
	}
	return ""
}

// attempt is one request, and what to note when it was done.
type attempt struct {
	method, path, body string
	kept               func(answer string)
}

func (k *wanderer) any(kind string) string {
	list := k.about[kind]
	if len(list) == 0 {
		return "none"
	}
	return list[k.random.IntN(len(list))]
}

func (k *wanderer) word(words ...string) string { return words[k.random.IntN(len(words))] }

// noting keeps the id of what was made.
func (k *wanderer) noting(kind string) func(string) {
	return func(answer string) { k.add(kind, textAt(answer, "data.id")) }
}

func (k *wanderer) holding(answer string) {
	value := textAt(answer, "data.attributes.token")
	k.add("token", textAt(answer, "data.id"))
	k.note(value)
	k.hold(value)
}

// step is the next request, by chance.
func (k *wanderer) step() attempt {
	tries := []func() attempt{
		k.changeTeams, k.changeTeams, k.join, k.join, k.join, k.makeToken, k.makeToken, k.makeToken,
		k.giveAccess, k.giveAccess, k.giveAccess, k.changeAccess, k.make, k.move, k.move, k.invite, k.notify,
		k.steer, k.steer, k.steer, k.revoke,
	}
	return tries[k.random.IntN(len(tries))]()
}

var allSwitches = []string{
	"manage-policies", "manage-policy-overrides", "manage-workspaces", "manage-vcs-settings", "manage-modules", "manage-providers",
	"manage-run-tasks", "manage-projects", "read-workspaces", "read-projects", "manage-membership", "manage-teams",
	"manage-organization-access", "access-secret-teams", "manage-agent-pools",
}

func (k *wanderer) teamBody() string {
	access := ""
	if k.random.IntN(2) == 0 {
		access = fmt.Sprintf(`,"organization-access":{%q:%t,%q:true}`, k.word(allSwitches...), k.random.IntN(2) == 0, k.word(allSwitches...))
	}
	return fmt.Sprintf(`"visibility":%q,"allow-member-token-management":%t%s`, k.word("secret", "organization"), k.random.IntN(2) == 0, access)
}

func (k *wanderer) changeTeams() attempt {
	if k.random.IntN(2) == 0 {
		return attempt{"PATCH", "/teams/" + k.any("team"), `{"data":{"attributes":{` + k.teamBody() + `}}}`, nil}
	}
	if len(k.about["team"]) > 20 { // one that the walker made
		id := k.about["team"][8+k.random.IntN(12)]
		return attempt{"DELETE", "/teams/" + id, "", func(string) {
			k.about["team"] = slices.DeleteFunc(k.about["team"], func(t string) bool { return t == id })
		}}
	}
	return attempt{"POST", "/organizations/" + k.org + "/teams", `{"data":{"attributes":{"name":"t` + belay.RandomText(12) + `",` + k.teamBody() + `}}}`, k.noting("team")}
}

func (k *wanderer) join() attempt {
	path := "/teams/" + k.any("team") + "/relationships/"
	if k.random.IntN(2) == 0 {
		return attempt{"POST", path + "users", fmt.Sprintf(`{"data":[{"type":"users","id":%q}]}`, k.any("user")), nil}
	}
	return attempt{"POST", path + "organization-memberships", fmt.Sprintf(`{"data":[{"type":"organization-memberships","id":%q}]}`, k.any("membership")), nil}
}

func (k *wanderer) makeToken() attempt {
	end := k.word("", "", fmt.Sprintf(`,"expired-at":%q`, time.Now().Add(time.Hour).UTC().Format(time.RFC3339)), `,"expired-at":null`)
	described := fmt.Sprintf(`{"data":{"attributes":{"description":"d%s"%s}}}`, belay.RandomText(10), end)
	path := []string{
		"/teams/" + k.any("team") + "/authentication-token", "/teams/" + k.any("team") + "/authentication-tokens",
		"/organizations/" + k.org + "/authentication-token", "/organizations/" + k.org + "/authentication-token?token=audit-trails",
		"/agent-pools/" + k.any("pool") + "/authentication-tokens", "/workspaces/" + k.any("workspace") + "/actions/issue-run-token",
		"/users/" + k.role.userID + "/authentication-tokens",
	}[k.random.IntN(7)]
	if k.role.code == "ot" && strings.HasPrefix(path, "/organizations/") {
		path = "/teams/" + k.any("team") + "/authentication-token" // its own must live
	}
	return attempt{"POST", path, described, k.holding}
}

func (k *wanderer) level(kind string) string {
	if kind == "workspace" {
		return k.word(`"access":"read"`, `"access":"plan"`, `"access":"write"`, `"access":"admin"`,
			`"access":"custom","runs":"apply","state-versions":"write","variables":"write","run-tasks":true,"policy-overrides":true`)
	}
	return k.word(`"access":"read"`, `"access":"write"`, `"access":"maintain"`, `"access":"admin"`,
		`"access":"custom","project-access":{"settings":"delete","teams":"manage","variable-sets":"write"},"workspace-access":{"move":true,"state-versions":"read","delete":true}`)
}

func (k *wanderer) giveAccess() attempt {
	kind := k.word("workspace", "project")
	return attempt{"POST", "/team-" + kind + "s", fmt.Sprintf(
		`{"data":{"attributes":{%s},"relationships":{"team":{"data":{"id":%q}},%q:{"data":{"id":%q}}}}}`,
		k.level(kind), k.any("team"), kind, k.any(kind)), k.noting(kind + "-access")}
}

func (k *wanderer) changeAccess() attempt {
	kind := k.word("workspace", "project")
	path := "/team-" + kind + "s/" + k.any(kind+"-access")
	if k.random.IntN(4) == 0 {
		return attempt{"DELETE", path, "", nil}
	}
	return attempt{"PATCH", path, `{"data":{"attributes":{` + k.level(kind) + `}}}`, nil}
}

func (k *wanderer) make() attempt {
	if len(k.about["project"]) < 4 {
		return attempt{"POST", "/organizations/" + k.org + "/projects", `{"data":{"attributes":{"name":"p` + belay.RandomText(12) + `"}}}`, k.noting("project")}
	}
	project := k.any("project")
	if len(k.homes) > 12 {
		return attempt{"GET", "/projects/" + project, "", nil}
	}
	return attempt{"POST", "/organizations/" + k.org + "/workspaces", fmt.Sprintf(
		`{"data":{"attributes":{"name":"w%s"},"relationships":{"project":{"data":{"id":%q}}}}}`, belay.RandomText(12), project),
		func(answer string) { k.settleIn(project, textAt(answer, "data.id")) }}
}

func (k *wanderer) move() attempt {
	project, workspace := k.any("project"), k.any("workspace")
	moved := func(string) { k.places[workspace] = project }
	if k.random.IntN(2) == 0 {
		return attempt{"POST", "/projects/" + project + "/relationships/workspaces", fmt.Sprintf(`{"data":[{"type":"workspaces","id":%q}]}`, workspace), moved}
	}
	return attempt{"PATCH", "/workspaces/" + workspace, fmt.Sprintf(`{"data":{"relationships":{"project":{"data":{"id":%q}}}}}`, project), moved}
}

func (k *wanderer) invite() attempt {
	return attempt{"POST", "/organizations/" + k.org + "/organization-memberships", fmt.Sprintf(
		`{"data":{"attributes":{"email":"i%s@example.com"},"relationships":{"teams":{"data":[{"type":"teams","id":%q}]}}}}`,
		strings.ToLower(belay.RandomText(12)), k.any("team")), nil}
}

func (k *wanderer) notify() attempt {
	return attempt{"POST", "/teams/" + k.any("team") + "/notification-configurations", things{}.with(nil).in(aNotification), nil}
}

// TestTheWalkGoesSomewhere holds that an owner's walk makes tokens of every kind, so that
// a walk that finds nothing has looked.
func TestTheWalkGoesSomewhere(t *testing.T) {
	onAWalk(t)
	t.Parallel()
	db := storetest.Open(t, "sqlite")
	list := everybody()
	k := newWanderer(newServer(t, db), db, list[slices.IndexFunc(list, func(r *role) bool { return r.code == "ow" })], 1)
	kinds := map[belay.PrincipalKind]bool{}
	for range 40 {
		k.run(20)
		for _, token := range k.tokens {
			if s, _, err := k.rights(token); err == nil {
				kinds[s.Kind] = true
			}
		}
	}
	if len(kinds) < 5 || len(k.done) < 100 {
		t.Errorf("%d requests were done, with tokens of %v", len(k.done), slices.Collect(maps.Keys(kinds)))
	}
}
