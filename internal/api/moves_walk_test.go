package api_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/belayhq/belay"
)

// moveWalks is how many walks there are, and moveSteps how many steps each has.
const moveWalks, moveSteps = 8, 20

// TestNothingOfAnotherProjectIsReached lets the admin of one project do what comes to mind with its
// workspaces, sets and connections, while workspaces are moved in and out and connections are given
// other projects. After each step nothing of the other project has been reached.
func TestNothingOfAnotherProjectIsReached(t *testing.T) {
	t.Parallel()
	eachServer(t, func(t *testing.T, w *world) {
		for seed := range moveWalks {
			m := newMover(w, uint64(seed))
			for range moveSteps {
				m.step()
				if problem := m.beyond(); problem != "" {
					t.Fatalf("seed %d: %s by\n  %s", seed, problem, strings.Join(m.done, "\n  "))
				}
			}
		}
	})
}

// mover is the admin of one project, and the world around it.
type mover struct {
	w          *world
	random     *rand.Rand
	token      string
	own, other string            // projects
	at         map[string]string // where each workspace is
	workspaces []string
	sets       []string
	clients    map[string]string // connections, by their tokens
	tokens     []string
	done       []string
}

func newMover(w *world, seed uint64) *mover {
	m := &mover{
		w: w, random: rand.New(rand.NewPCG(seed, 2026)), own: freshProject(w, nil)["project_id"], other: freshProject(w, nil)["project_id"],
		at: map[string]string{}, clients: map[string]string{},
	}
	m.token = w.somebody(fmt.Sprint("walker", seed), map[string]string{m.own: `"access":"admin"`})
	for i, project := range []string{m.own, m.own, m.other, m.other} {
		id := w.make("/organizations/acme/workspaces", fmt.Sprintf(
			`{"data":{"type":"workspaces","attributes":{"name":"walk-%d-%d"},"relationships":{"project":{"data":{"id":%q}}}}}`, seed, i, project))
		m.workspaces, m.at[id] = append(m.workspaces, id), project
	}
	for _, project := range []string{m.own, m.other} {
		client := w.make("/organizations/acme/oauth-clients", fmt.Sprintf(`{"data":{"type":"oauth-clients","attributes":{
			"service-provider":"github","http-url":"https://github.com","api-url":"https://api.github.com","oauth-token-string":"t","organization-scoped":false},
			"relationships":{"projects":{"data":[{"type":"projects","id":%q}]}}}}`, project))
		token := w.get("/oauth-clients/"+client, "data.relationships.oauth-tokens.data.0.id")
		m.tokens, m.clients[token] = append(m.tokens, token), client
	}
	// It begins with a set on its workspaces, and with a repository.
	status, answer := m.try("POST", "/organizations/acme/varsets", fmt.Sprintf(`{"data":{"type":"varsets","attributes":{"name":"own of %d"},"relationships":{
		"vars":{"data":[{"type":"vars","attributes":{"key":"LEAK_FIRST","value":"x","category":"env"}}]},"parent":{"data":{"type":"projects","id":%q}},
		"workspaces":{"data":[{"type":"workspaces","id":%q},{"type":"workspaces","id":%q}]}}}}`, seed, m.own, m.workspaces[0], m.workspaces[1]))
	if status != 201 {
		w.t.Fatal(answer)
	}
	m.sets = append(m.sets, textAt(answer, "data.id"))
	if status, answer := m.try("PATCH", "/workspaces/"+m.workspaces[0], fmt.Sprintf(
		`{"data":{"type":"workspaces","attributes":{"vcs-repo":{"identifier":"acme/app","oauth-token-id":%q}}}}`, m.tokens[0])); status != 200 {
		w.t.Fatal(answer)
	}
	return m
}

func pick[T any](m *mover, list ...T) T { return list[m.random.IntN(len(list))] }

// try is something that the walker asks for; house is what those do who may do anything.
func (m *mover) try(method, path, body string) (int, string) {
	status, answer := m.w.send(method, "/api/v2"+path, m.token, body)
	if status >= 500 {
		m.w.t.Fatalf("%s %s %s: %d %s", method, path, body, status, answer)
	}
	m.done = append(m.done, fmt.Sprintf("%d %s %s %s", status, method, path, body))
	return status, answer
}

func (m *mover) house(method, path, body string) {
	m.w.do(method, path, body)
	m.done = append(m.done, "house "+method+" "+path+" "+body)
}

func (m *mover) step() {
	workspace, project, connection := pick(m, m.workspaces...), pick(m, m.own, m.other), pick(m, m.tokens...)
	named := fmt.Sprintf(`{"data":[{"type":"workspaces","id":%q}]}`, workspace)
	switch m.random.IntN(8) {
	case 0, 1: // it is moved, by whoever may
		way := ways[pick(m, "the workspace's route", "the project's route")]
		method, path, body := way(workspace, project)
		m.house(method, path, body)
		m.at[workspace] = project
	case 2:
		way := ways[pick(m, "the workspace's route", "the project's route")]
		if status, _ := m.try(way(workspace, project)); status < 300 {
			if m.at[workspace] != project {
				m.w.t.Errorf("it moved from %s to %s", m.at[workspace], project)
			}
		}
	case 3:
		parent := fmt.Sprintf(`,"parent":{"data":{"type":"projects","id":%q}}`, project)
		body := fmt.Sprintf(`{"data":{"type":"varsets","attributes":{"name":"s%s","global":%t,"priority":true},"relationships":{
			"vars":{"data":[{"type":"vars","attributes":{"key":"LEAK_%s","value":"x","category":"env"}}]}%s}}}`,
			belay.RandomText(10), m.random.IntN(2) == 0, belay.RandomText(8), pick(m, parent, parent, ""))
		if status, answer := m.try("POST", "/organizations/acme/varsets", body); status == 201 {
			m.sets = append(m.sets, textAt(answer, "data.id"))
		}
	case 4:
		if len(m.sets) > 0 {
			set := pick(m, m.sets...)
			m.try("POST", "/varsets/"+set+"/relationships/workspaces", named)
			m.try("POST", "/varsets/"+set+"/relationships/vars", fmt.Sprintf(`{"data":{"type":"vars","attributes":{"key":"LEAK_%s","category":"env"}}}`, belay.RandomText(8)))
		}
	case 5:
		m.try("PATCH", "/workspaces/"+workspace, fmt.Sprintf(
			`{"data":{"type":"workspaces","attributes":{"vcs-repo":{"identifier":"acme/%s","oauth-token-id":%q}}}}`, belay.RandomText(5), connection))
	case 6:
		m.house(pick(m, "POST", "DELETE"), "/oauth-clients/"+m.clients[connection]+"/relationships/projects", fmt.Sprintf(`{"data":[{"type":"projects","id":%q}]}`, m.own))
	default:
		m.try("PATCH", "/workspaces/"+workspace, `{"data":{"type":"workspaces","attributes":{"vcs-repo":{"branch":"b`+belay.RandomText(4)+`"}}}}`)
	}
}

// beyond is what was reached that is none of the walker's.
func (m *mover) beyond() string {
	for _, id := range m.workspaces {
		inside := m.at[id] == m.own
		if status, _ := m.w.send("GET", "/api/v2/workspaces/"+id, m.token, ""); (status == 200) != inside {
			return fmt.Sprintf("workspace %s is answered with %d", id, status)
		}
		if inside {
			continue
		}
		if answer := m.w.is("GET", "/workspaces/"+id+"/all-vars", m.w.admin, "", 200); strings.Contains(answer, "LEAK_") {
			return "a run of " + id + " would get " + answer
		}
		if answer := m.w.is("GET", "/workspaces/"+id+"/varsets", m.w.admin, "", 200); slices.ContainsFunc(m.sets, func(set string) bool { return strings.Contains(answer, set) }) {
			return "workspace " + id + " has a set of the walker: " + answer
		}
	}
	for _, set := range m.sets {
		answer := m.w.is("GET", "/varsets/"+set, m.w.admin, "", 200)
		for _, id := range m.workspaces {
			if m.at[id] != m.own && strings.Contains(answer, id) {
				return "set " + set + " names " + id
			}
		}
	}
	return m.served()
}

// served says whether some repository could be changed whose connection does not serve its project.
func (m *mover) served() string {
	for _, id := range m.workspaces {
		connection := m.w.get("/workspaces/"+id, "data.attributes.vcs-repo.oauth-token-id")
		if connection == "" {
			continue
		}
		projects := m.w.is("GET", "/oauth-clients/"+m.clients[connection], m.w.admin, "", 200)
		status, answer := m.w.send("PATCH", "/api/v2/workspaces/"+id, m.w.admin, `{"data":{"type":"workspaces","attributes":{"vcs-repo":{"ingress-submodules":false}}}}`)
		if serves := strings.Contains(projects, m.at[id]); serves != (status == 200) {
			return fmt.Sprintf("a repository of %s: %d %s", id, status, answer)
		}
	}
	return ""
}
