package api_test

import (
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"

	"github.com/belayhq/belay/internal/storetest"
)

// eachServer runs a test on a server with an organization, on every engine.
func eachServer(t *testing.T, test func(t *testing.T, w *world)) {
	t.Helper()
	settled(t, func(t *testing.T, w *world) {
		test(t, w)
	})
}

// ways is how a workspace is moved: the route, and the body for a workspace and a project.
var ways = map[string]func(workspace, project string) (method, path, body string){
	"the workspace's route": func(workspace, project string) (string, string, string) {
		return http.MethodPatch, "/workspaces/" + workspace, fmt.Sprintf(
			`{"data":{"type":"workspaces","relationships":{"project":{"data":{"type":"projects","id":%q}}}}}`, project)
	},
	"the project's route": func(workspace, project string) (string, string, string) {
		return http.MethodPost, "/projects/" + project + "/relationships/workspaces", fmt.Sprintf(`{"data":[{"type":"workspaces","id":%q}]}`, workspace)
	},
}

// somebody is a member with a token, in a team of its own that has some access to projects.
func (w *world) somebody(name string, access map[string]string) string {
	w.t.Helper()
	id := w.user(name)
	team := w.make("/organizations/acme/teams", fmt.Sprintf(`{"data":{"type":"teams","attributes":{"name":"team-of-%s"}}}`, name))
	w.make("/organizations/acme/organization-memberships", fmt.Sprintf(
		`{"data":{"attributes":{"email":"%s@example.com"},"relationships":{"teams":{"data":[{"type":"teams","id":%q}]}}}}`, name, team))
	for project, level := range access {
		w.make("/team-projects", fmt.Sprintf(
			`{"data":{"attributes":{%s},"relationships":{"team":{"data":{"id":%q}},"project":{"data":{"id":%q}}}}}`, level, team, project))
	}
	return w.userToken(id)
}

// is says what a request is answered with.
func (w *world) is(method, path, token, body string, want int) string {
	w.t.Helper()
	status, answer := w.send(method, "/api/v2"+path, token, body)
	if status != want {
		w.t.Errorf("%s %s: %d instead of %d: %s", method, path, status, want, answer)
	}
	return answer
}

// TestAProjectsSetsStayThere moves a workspace out of a project whose variable set names it: who
// manages the set has no more say in the variables of its runs.
func TestAProjectsSetsStayThere(t *testing.T) {
	t.Parallel()
	eachServer(t, func(t *testing.T, w *world) {
		from, to := w.shared["project_id"], w.shared["other_project_id"]
		manager := w.somebody("manager-of-sets", map[string]string{from: `"access":"custom","project-access":{"variable-sets":"write"}`})
		set := textAt(w.is("POST", "/organizations/acme/varsets", manager, fmt.Sprintf(
			`{"data":{"type":"varsets","attributes":{"name":"of the project"},"relationships":{"parent":{"data":{"type":"projects","id":%q}}}}}`, from), 201), "data.id")
		everybodys := w.make("/organizations/acme/varsets", `{"data":{"type":"varsets","attributes":{"name":"of everybody"}}}`)
		for way, request := range ways {
			workspace := freshWorkspace(w, nil)["workspace_id"]
			named := fmt.Sprintf(`{"data":[{"type":"workspaces","id":%q}]}`, workspace)
			w.is("POST", "/varsets/"+set+"/relationships/workspaces", manager, named, 204)
			w.is("POST", "/varsets/"+everybodys+"/relationships/workspaces", w.admin, named, 204)
			method, path, body := request(workspace, to)
			w.do(method, path, body)
			w.is("POST", "/varsets/"+set+"/relationships/vars", manager, fmt.Sprintf(
				`{"data":{"type":"vars","attributes":{"key":"AT_%s","value":"x","category":"env"}}}`, strings.ToUpper(workspace[3:])), 201)
			for _, at := range []string{"/varsets", "/all-vars"} {
				if answer := w.is("GET", "/workspaces/"+workspace+at, w.admin, "", 200); strings.Contains(answer, set) || strings.Contains(answer, "AT_") {
					t.Errorf("by %s the set of the project that it left applies to a workspace: %s", way, answer)
				}
			}
			if answer := w.is("GET", "/workspaces/"+workspace+"/varsets", w.admin, "", 200); !strings.Contains(answer, everybodys) {
				t.Errorf("by %s the organization's set is gone: %s", way, answer)
			}
			if answer := w.is("GET", "/varsets/"+set, w.admin, "", 200); strings.Contains(answer, workspace) {
				t.Errorf("by %s the set names the workspace still: %s", way, answer)
			}
			w.is("POST", "/varsets/"+set+"/relationships/workspaces", manager, named, 422)
		}
	})
}

// TestASetIsAppliedBesideAMove applies the set of a project to a workspace while that is moved out.
func TestASetIsAppliedBesideAMove(t *testing.T) {
	t.Parallel()
	eachServer(t, func(t *testing.T, w *world) {
		from, to := w.shared["project_id"], w.shared["other_project_id"]
		set := w.make("/organizations/acme/varsets", fmt.Sprintf(
			`{"data":{"type":"varsets","attributes":{"name":"own"},"relationships":{"parent":{"data":{"type":"projects","id":%q}}}}}`, from))
		workspace := freshWorkspace(w, nil)["workspace_id"]
		for round := range storetest.Rounds(20) {
			for way, request := range ways {
				var both sync.WaitGroup
				both.Go(func() {
					w.send("POST", "/api/v2/varsets/"+set+"/relationships/workspaces", w.admin, fmt.Sprintf(`{"data":[{"type":"workspaces","id":%q}]}`, workspace))
				})
				both.Go(func() {
					method, path, body := request(workspace, to)
					w.is(method, path, w.admin, body, map[string]int{"PATCH": 200, "POST": 204}[method])
				})
				both.Wait()
				if answer := w.is("GET", "/varsets/"+set, w.admin, "", 200); strings.Contains(answer, workspace) {
					t.Fatalf("round %d, %s: the set names a workspace of another project: %s", round, way, answer)
				}
				method, path, body := request(workspace, from)
				w.do(method, path, body)
			}
		}
	})
}

// TestBothRoutesMoveByOneRule moves a workspace by each route, as those who may move and those who
// may not. Who may move and nothing more changes nothing else.
func TestBothRoutesMoveByOneRule(t *testing.T) {
	t.Parallel()
	eachServer(t, func(t *testing.T, w *world) {
		from, to := w.shared["project_id"], w.shared["other_project_id"]
		doomed := w.make("/organizations/acme/projects", `{"data":{"type":"projects","attributes":{"name":"doomed","auto-destroy-activity-duration":"1h"}}}`)
		const moves, applies, settles = `"access":"custom","workspace-access":{"move":true}`, `"access":"custom","workspace-access":{"move":true,"runs":"apply"}`, `"access":"maintain"`
		for i, c := range []struct {
			from, to string
			target   string
			may      bool
			refusal  int // by the workspace's own route, where it is not 404
		}{
			{from: moves, to: moves, may: true},
			{from: `"access":"admin"`, to: `"access":"admin"`, may: true},
			{from: moves, to: `"access":"admin"`, may: true},
			{from: moves, to: settles},
			{from: settles, to: moves},
			{from: settles, to: settles},
			{from: moves, to: moves, target: doomed, refusal: 422},
			{from: applies, to: applies, target: doomed, may: true},
		} {
			target := to
			if c.target != "" {
				target = c.target
			}
			token := w.somebody(fmt.Sprint("mover", i), map[string]string{from: c.from, target: c.to})
			for way, request := range ways {
				workspace := freshWorkspace(w, nil)["workspace_id"]
				method, path, body := request(workspace, target)
				want := map[string][2]int{"PATCH": {404, 200}, "POST": {403, 204}}[method]
				if c.refusal != 0 && method == "PATCH" {
					want[0] = c.refusal
				}
				if c.may {
					w.is(method, path, token, body, want[1])
				} else {
					w.is(method, path, token, body, want[0])
				}
				at := w.get("/workspaces/"+workspace, "data.relationships.project.data.id")
				if c.may != (at == target) {
					t.Errorf("%s to %s by %s: it is in %s", c.from, c.to, way, at)
				}
				// An own schedule is kept: the project destroys nothing of it.
				if c.refusal != 0 {
					w.do("PATCH", "/workspaces/"+workspace, `{"data":{"type":"workspaces","attributes":{"auto-destroy-activity-duration":"14d"}}}`)
					w.is(method, path, token, body, want[1])
				}
			}
		}
		mover := w.somebody("mover", map[string]string{from: moves, to: moves})
		workspace := freshWorkspace(w, nil)["workspace_id"]
		for _, body := range []string{
			`{"data":{"type":"workspaces","attributes":{"description":"x"}}}`, `{"data":{"type":"workspaces"}}`,
			`{"data":{"type":"workspaces","attributes":{"description":"x"},"relationships":{"project":{"data":{"type":"projects","id":"` + to + `"}}}}}`,
		} {
			w.is("PATCH", "/workspaces/"+workspace, mover, body, 404)
		}
		if at := w.get("/workspaces/"+workspace, "data.relationships.project.data.id"); at != from {
			t.Errorf("a patch that was refused moved the workspace to %s", at)
		}
	})
}

// TestAConnectionServesItsProjectsAlone moves a workspace out of the projects that its connection
// serves, and takes the project from the connection: its repository can't be changed any more.
func TestAConnectionServesItsProjectsAlone(t *testing.T) {
	t.Parallel()
	eachServer(t, func(t *testing.T, w *world) {
		from, to := w.shared["project_id"], w.shared["other_project_id"]
		client := w.make("/organizations/acme/oauth-clients", fmt.Sprintf(`{"data":{"type":"oauth-clients","attributes":{
			"service-provider":"github","http-url":"https://github.com","api-url":"https://api.github.com","oauth-token-string":"t","organization-scoped":false},
			"relationships":{"projects":{"data":[{"type":"projects","id":%q}]}}}}`, from))
		connection := w.get("/oauth-clients/"+client, "data.relationships.oauth-tokens.data.0.id")
		repo := func(workspace, keys string, want int) string {
			t.Helper()
			return w.is("PATCH", "/workspaces/"+workspace, w.admin, `{"data":{"type":"workspaces","attributes":{"vcs-repo":{`+keys+`}}}}`, want)
		}
		loses := map[string]func(string){
			"the connection's patch": func(string) {
				w.do("PATCH", "/oauth-clients/"+client, `{"data":{"type":"oauth-clients","relationships":{"projects":{"data":[]}}}}`)
			},
			"the connection's relationship": func(string) {
				w.do("DELETE", "/oauth-clients/"+client+"/relationships/projects", fmt.Sprintf(`{"data":[{"type":"projects","id":%q}]}`, from))
			},
		}
		for way, request := range ways {
			loses[way] = func(workspace string) { w.do(request(workspace, to)) }
		}
		for way, lose := range loses {
			w.do("POST", "/oauth-clients/"+client+"/relationships/projects", fmt.Sprintf(`{"data":[{"type":"projects","id":%q}]}`, from))
			workspace := freshWorkspace(w, nil)["workspace_id"]
			repo(workspace, fmt.Sprintf(`"identifier":"acme/app","oauth-token-id":%q`, connection), 200)
			repo(workspace, `"branch":"next"`, 200)
			lose(workspace)
			for _, keys := range []string{`"identifier":"acme/secret"`, `"branch":"other"`, `"ingress-submodules":true`, fmt.Sprintf(`"oauth-token-id":%q`, connection)} {
				if answer := repo(workspace, keys, 422); !strings.Contains(answer, "/data/attributes/vcs-repo") {
					t.Errorf("by %s: %s is refused with %s", way, keys, answer)
				}
			}
			if got := w.get("/workspaces/"+workspace, "data.attributes.vcs-repo.identifier"); got != "acme/app" {
				t.Errorf("by %s: the repository is %q", way, got)
			}
			w.do("PATCH", "/workspaces/"+workspace, `{"data":{"type":"workspaces","attributes":{"description":"x"}}}`)
			w.do("PATCH", "/workspaces/"+workspace, `{"data":{"type":"workspaces","attributes":{"vcs-repo":null}}}`)
		}
	})
}
