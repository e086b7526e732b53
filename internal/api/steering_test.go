package api_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/belayhq/belay/internal/storetest"
)

// TestNobodySteersWhatItMayNotRun has those who change settings, or make workspaces, but may
// not queue and apply runs try to have code of their own carried out with the values there.
func TestNobodySteersWhatItMayNotRun(t *testing.T) {
	t.Parallel()
	for _, engine := range storetest.Outside(t) {
		t.Run(engine, func(t *testing.T) {
			t.Parallel()
			w := newServer(t, storetest.Open(t, engine))
			w.make("/organizations", `{"data":{"attributes":{"name":"acme","email":"a@example.com"}}}`)
			project := w.make("/organizations/acme/projects", `{"data":{"attributes":{"name":"network"}}}`)
			client := w.make("/organizations/acme/oauth-clients", connection)
			pool := w.make("/organizations/acme/agent-pools", `{"data":{"attributes":{"name":"pool"}}}`)
			repo := fmt.Sprintf(`{"identifier":"acme/app","oauth-token-id":%q}`, w.get("/oauth-clients/"+client+"/oauth-tokens", "data.0.id"))
			another := strings.Replace(repo, "acme/app", "acme/other", 1)
			used := w.make("/organizations/acme/agent-pools", `{"data":{"attributes":{"name":"used"}}}`)
			agents := fmt.Sprintf(`"execution-mode":"agent","agent-pool-id":%q`, pool)
			place := fmt.Sprintf(`"relationships":{"project":{"data":{"id":%q}}}`, project)
			fresh := func(attributes string) string {
				return w.make("/organizations/acme/workspaces", fmt.Sprintf(`{"data":{"attributes":{"name":"w%s"%s},%s}}`, things{}.with(nil).in("<unique>"), attributes, place))
			}
			plain, connected, quiet := fresh(""), fresh(`,"vcs-repo":`+repo), fresh(`,"speculative-enabled":false,"vcs-repo":`+repo)
			fresh(fmt.Sprintf(`,"execution-mode":"agent","agent-pool-id":%q`, used))
			quietProject := w.make("/organizations/acme/projects", `{"data":{"attributes":{"name":"quiet","default-execution-mode":"local"}}}`)
			local := w.make("/organizations/acme/workspaces", fmt.Sprintf(
				`{"data":{"attributes":{"name":"local","auto-apply":true,"vcs-repo":%s},"relationships":{"project":{"data":{"id":%q}}}}}`, repo, quietProject))
			agentProject := w.make("/organizations/acme/projects", fmt.Sprintf(
				`{"data":{"attributes":{"name":"agents","default-execution-mode":"agent","default-agent-pool-id":%q}}}`, pool))

			team := func(name, switches, access string) string {
				id := w.make("/organizations/acme/teams", fmt.Sprintf(`{"data":{"attributes":{"name":%q,"organization-access":{%s}}}}`, name, switches))
				for _, p := range []string{project, quietProject, agentProject} {
					if access != "" {
						w.make("/team-projects", fmt.Sprintf(`{"data":{"attributes":{"access":"custom",%s},"relationships":{"team":{"data":{"id":%q}},"project":{"data":{"id":%q}}}}}`, access, id, p))
					}
				}
				return w.value("/teams/"+id+"/authentication-token", "")
			}
			organization := w.value("/organizations/acme/authentication-token", "")
			owners := w.get("/organizations/acme/teams?filter[names]=owners", "data.0.id")
			callers := map[string]string{
				"the organization's token": organization,
				"makes workspaces":         team("makes", "", `"workspace-access":{"create":true,"move":true}`),
				"changes projects":         team("changes", "", `"project-access":{"settings":"update"}`),
				"manages pools":            team("pools", `"manage-agent-pools":true`, ""),
				"manages connections":      team("vcs", `"manage-vcs-settings":true`, ""),
			}
			made := func(attributes string) string {
				return fmt.Sprintf(`{"data":{"attributes":{"name":"w<unique>",%s},%s}}`, attributes, place)
			}
			patch := func(attributes string) string { return `{"data":{"attributes":{` + attributes + `}}}` }
			for _, c := range []struct{ method, path, body, pointer string }{
				{"POST", "/organizations/acme/workspaces", made(`"queue-all-runs":true,"vcs-repo":` + repo), "vcs-repo"},
				{"POST", "/organizations/acme/workspaces", made(agents), "agent-pool-id"},
				{"POST", "/organizations/acme/workspaces", made(`"auto-apply-run-trigger":true`), "auto-apply-run-trigger"},
				{"PATCH", "/workspaces/" + plain, patch(`"vcs-repo":` + repo), "vcs-repo"},
				{"PATCH", "/organizations/acme/workspaces/<name>", patch(`"vcs-repo":` + repo), "vcs-repo"},
				{"PATCH", "/workspaces/" + connected, patch(`"vcs-repo":` + another), "vcs-repo"},
				{"PATCH", "/workspaces/" + connected, patch(`"vcs-repo":{"branch":"mine"}`), "vcs-repo"},
				{"PATCH", "/workspaces/" + connected, patch(`"vcs-repo":{"tags-regex":".*"},"file-triggers-enabled":false`), "vcs-repo"},
				{"PATCH", "/workspaces/" + connected, patch(`"auto-apply":true`), "auto-apply"},
				{"PATCH", "/workspaces/" + connected, patch(`"queue-all-runs":true`), "queue-all-runs"},
				{"PATCH", "/workspaces/" + connected, patch(`"working-directory":"teams/mine"`), "working-directory"},
				{"PATCH", "/workspaces/" + local, patch(`"execution-mode":"remote"`), "execution-mode"},
				{"PATCH", "/workspaces/" + local, fmt.Sprintf(`{"data":{"relationships":{"project":{"data":{"id":%q}}}}}`, project), "execution-mode"},
				{"POST", "/projects/" + project + "/relationships/workspaces", fmt.Sprintf(`{"data":[{"type":"workspaces","id":%q}]}`, local), ""},
				{"PATCH", "/projects/" + quietProject, patch(`"default-execution-mode":"remote"`), "default-execution-mode"},
				{"PATCH", "/projects/" + quietProject, patch(`"setting-overwrites":{"default-execution-mode":false,"default-agent-pool":false}`), "default-execution-mode"},
				{"PATCH", "/workspaces/" + quiet, patch(`"speculative-enabled":true`), "speculative-enabled"},
				{"PATCH", "/workspaces/" + plain, patch(agents), "agent-pool-id"},
				{"PATCH", "/workspaces/" + plain, fmt.Sprintf(`{"data":{"relationships":{"project":{"data":{"id":%q}}}}}`, agentProject), "project"},
				{"POST", "/projects/" + agentProject + "/relationships/workspaces", fmt.Sprintf(`{"data":[{"type":"workspaces","id":%q}]}`, plain), ""},
				{"PATCH", "/projects/" + project, patch(fmt.Sprintf(`"default-execution-mode":"agent","default-agent-pool-id":%q`, pool)), "default-agent-pool-id"},
				{"POST", "/organizations/acme/projects", patch(fmt.Sprintf(`"name":"p<unique>","default-execution-mode":"agent","default-agent-pool-id":%q`, pool)), "default-agent-pool-id"},
				{"PATCH", "/organizations/acme", patch(fmt.Sprintf(`"default-execution-mode":"agent","default-agent-pool-id":%q`, pool)), ""},
				{"POST", "/agent-pools/" + used + "/authentication-tokens", patch(`"description":"mine"`), ""},
				{"POST", "/agent-pools/" + pool + "/authentication-tokens", patch(`"description":"mine"`), ""}, // a project's default
				{"POST", "/workspaces/" + connected + "/actions/rotate-webhook-secret", "", ""},
				{"POST", "/workspaces/" + plain + "/run-triggers", fmt.Sprintf(`{"data":{"relationships":{"sourceable":{"data":{"type":"workspaces","id":%q}}}}}`, connected), ""},
			} {
				path := strings.Replace(c.path, "<name>", w.get("/workspaces/"+plain, "data.attributes.name"), 1)
				for who, token := range callers {
					body := things{}.with(nil).in(c.body)
					status, answer := w.send(c.method, "/api/v2"+path, token, body)
					if status < 300 {
						t.Errorf("%s: %s %s %s: %d", who, c.method, path, body, status)
					}
					if token == organization && c.pointer != "" && (status != 422 || !strings.Contains(answer, c.pointer+`"`)) {
						t.Errorf("%s: %s %s %s: %d %s, want 422 at %s", who, c.method, path, body, status, answer, c.pointer)
					}
				}
			}

			// The workspaces of a repository share its hook: one does not open the others.
			gamma := w.make("/organizations/acme/projects", `{"data":{"attributes":{"name":"gamma"}}}`)
			vcs := w.get("/organizations/acme/teams?filter[names]=vcs", "data.0.id")
			w.make("/team-projects", fmt.Sprintf(`{"data":{"attributes":{"access":"admin"},"relationships":{"team":{"data":{"id":%q}},"project":{"data":{"id":%q}}}}}`, vcs, gamma))
			status, answer := w.send("POST", "/api/v2/organizations/acme/workspaces", callers["manages connections"], fmt.Sprintf(
				`{"data":{"attributes":{"name":"mine","vcs-repo":%s},"relationships":{"project":{"data":{"id":%q}}}}}`, repo, gamma))
			if status != 201 {
				t.Fatalf("a repository in one's own project: %d %s", status, answer)
			}
			mine := w.get("/organizations/acme/workspaces/mine", "data.id")
			if status, answer := w.send("POST", "/api/v2/workspaces/"+mine+"/actions/rotate-webhook-secret", callers["manages connections"], ""); status != 422 {
				t.Errorf("the secret of a hook that others use: %d %s", status, answer)
			}

			// Both routes move what has the same agents afterwards.
			sameAgents := w.make("/organizations/acme/projects", fmt.Sprintf(
				`{"data":{"attributes":{"name":"same","default-execution-mode":"agent","default-agent-pool-id":%q}}}`, pool))
			mover := w.make("/organizations/acme/teams", `{"data":{"attributes":{"name":"mover"}}}`)
			for _, p := range []string{sameAgents, agentProject} {
				w.make("/team-projects", fmt.Sprintf(`{"data":{"attributes":{"access":"custom","workspace-access":{"move":true}},"relationships":{"team":{"data":{"id":%q}},"project":{"data":{"id":%q}}}}}`, mover, p))
			}
			moves := w.value("/teams/"+mover+"/authentication-token", "")
			w.make("/organizations/acme/workspaces", fmt.Sprintf(
				`{"data":{"attributes":{"name":"there","vcs-repo":%s},"relationships":{"project":{"data":{"id":%q}}}}}`, repo, agentProject))
			there := w.get("/organizations/acme/workspaces/there", "data.id")
			if status, answer := w.send("POST", "/api/v2/projects/"+sameAgents+"/relationships/workspaces", moves, fmt.Sprintf(`{"data":[{"type":"workspaces","id":%q}]}`, there)); status != 204 {
				t.Errorf("moved by POST: %d %s", status, answer)
			}
			if status, answer := w.send("PATCH", "/api/v2/workspaces/"+there, moves, fmt.Sprintf(`{"data":{"relationships":{"project":{"data":{"id":%q}}}}}`, agentProject)); status != 200 {
				t.Errorf("moved by PATCH: %d %s", status, answer)
			}

			// What steers nothing goes on, as taking away does, and owners do all of it.
			for _, c := range []struct{ method, path, body string }{
				{"POST", "/organizations/acme/workspaces", made(`"auto-apply":true,"queue-all-runs":true`)},
				{"PATCH", "/workspaces/" + plain, patch(`"auto-apply":true,"description":"d"`)},
				{"PATCH", "/workspaces/" + connected, patch(`"description":"d","auto-apply":false,"vcs-repo":{}`)},
				{"PATCH", "/workspaces/" + connected, patch(`"vcs-repo":null`)},
				{"PATCH", "/projects/" + project, patch(`"description":"d"`)},
			} {
				if status, answer := w.send(c.method, "/api/v2"+c.path, organization, things{}.with(nil).in(c.body)); status >= 300 {
					t.Errorf("the organization's token: %s %s %s: %d %s", c.method, c.path, c.body, status, answer)
				}
			}
			owner := w.value("/teams/"+owners+"/authentication-token", "")
			if status, answer := w.send("PATCH", "/api/v2/workspaces/"+plain, owner, patch(`"queue-all-runs":true,"auto-apply":true,"vcs-repo":`+repo+","+agents)); status != 200 {
				t.Errorf("an owner: %d %s", status, answer)
			}
		})
	}
}
