package e2e_test

import (
	"fmt"
	"testing"

	"github.com/belayhq/belay/internal/storetest"
)

// rounds is how often a race is run.
func rounds() int { return min(storetest.Rounds(25), 60) }

// orphanRace is two requests at once: one makes something beside what the other takes
// away. Whichever comes first, nothing that was made is left behind.
type orphanRace struct {
	name   string
	begin  func(s *server, round int) (made, taken request)
	orphan func(s *server, round int, made reply) string // what is left that should not be
}

// request is one request of the site admin.
type request struct{ method, path, body string }

func orphanRaces() []orphanRace {
	return []orphanRace{
		{"a place in a team, its membership going", beginPlace("users"), orphanPlace},
		{"a place in the owners team, its membership going", beginOwner, orphanPlace},
		{"a place in a team by membership, the user going", beginPlaceOfUser, orphanUserPlace},
		{"a token of agents, the pool going", beginAgentToken, orphanToken},
		{"a token of a team, the team going", beginTeamToken, orphanToken},
		{"a token of a run, the workspace going", beginRunToken, orphanToken},
		{"a variable set of a project, the project going", beginSet, orphanSet},
	}
}

// TestNothingIsMadeBesideWhatGoes makes and takes away at once. What is left without its
// owner opens doors that nobody can close: the place of somebody who was put out of the
// organization still gives the team's rights.
func TestNothingIsMadeBesideWhatGoes(t *testing.T) {
	slow(t)
	for _, race := range orphanRaces() {
		t.Run(race.name, func(t *testing.T) {
			each(t, func(t *testing.T, s *server) {
				s.organization("acme")
				bad, last := 0, ""
				for round := range rounds() {
					made, taken := race.begin(s, round)
					replies := make([]reply, 2)
					together(2, func(i int) int {
						r := []request{made, taken}[i]
						replies[i], _ = s.try(r.method, r.path, s.Token, r.body)
						return replies[i].Status
					})
					for i, r := range replies {
						if r.Status == 0 || r.Status >= 500 || i == 1 && r.Status != 204 {
							t.Fatalf("round %d, request %d: %d %s", round, i, r.Status, r.Body)
						}
					}
					if left := race.orphan(s, round, replies[0]); left != "" {
						bad, last = bad+1, left
					}
				}
				if bad > 0 {
					t.Errorf("%d of %d rounds left something behind: %s", bad, rounds(), last)
				}
			})
		})
	}
}

// roundName is the name of what a round is about.
func roundName(round int) string { return fmt.Sprintf("r%d", round) }

// newTeam makes a team with a switch and gives its id.
func (s *server) newTeam(name string) string {
	s.t.Helper()
	return s.do("POST", "/organizations/acme/teams", s.Token, fmt.Sprintf(
		`{"data":{"type":"teams","attributes":{"name":%q,"organization-access":{"read-workspaces":true}}}}`, name)).want(s.t, 200).text("data.id")
}

func beginPlace(kind string) func(*server, int) (request, request) {
	return func(s *server, round int) (request, request) {
		name := roundName(round)
		s.user(name)
		m := s.join("acme", name)
		return request{"POST", "/teams/" + s.newTeam(name) + "/relationships/" + kind, fmt.Sprintf(`{"data":[{"type":"users","id":%q}]}`, name)},
			request{"DELETE", "/organization-memberships/" + m.ID, ""}
	}
}

func beginOwner(s *server, round int) (made, taken request) {
	made, taken = beginPlace("users")(s, round)
	owners := s.do("GET", "/organizations/acme/teams?filter%5Bnames%5D=owners", s.Token, "").want(s.t, 200).text("data.0.id")
	made.path = "/teams/" + owners + "/relationships/users"
	return made, taken
}

// orphanPlace asks the user that was taken out, and then takes it in again: it is in no team.
func orphanPlace(s *server, round int, _ reply) string {
	name := roundName(round)
	m := s.join("acme", name)
	if len(m.Teams) > 0 {
		return "the place in a team of somebody who was no member any more"
	}
	return ""
}

func beginPlaceOfUser(s *server, round int) (made, taken request) {
	name := roundName(round)
	id, _ := s.user(name)
	m := s.join("acme", name)
	return request{"POST", "/teams/" + s.newTeam(name) + "/relationships/organization-memberships", fmt.Sprintf(`{"data":[{"type":"organization-memberships","id":%q}]}`, m.ID)},
		request{"DELETE", "/admin/users/" + id, ""}
}

func orphanUserPlace(s *server, round int, _ reply) string {
	found := s.do("GET", "/organizations/acme/teams?filter%5Bnames%5D="+roundName(round), s.Token, "").want(s.t, 200)
	if n := found.at("data.0.attributes.users-count"); n != 0.0 {
		return fmt.Sprintf("%v users in the team of one who was deleted", n)
	}
	return ""
}

const plainToken = `{"data":{"type":"authentication-tokens","attributes":{"description":"t"}}}`

func beginAgentToken(s *server, round int) (made, taken request) {
	pool := s.do("POST", "/organizations/acme/agent-pools", s.Token,
		fmt.Sprintf(`{"data":{"type":"agent-pools","attributes":{"name":%q}}}`, roundName(round))).want(s.t, 201).text("data.id")
	return request{"POST", "/agent-pools/" + pool + "/authentication-tokens", plainToken}, request{"DELETE", "/agent-pools/" + pool, ""}
}

func beginTeamToken(s *server, round int) (made, taken request) {
	team := s.newTeam(roundName(round))
	return request{"POST", "/teams/" + team + "/authentication-tokens", plainToken}, request{"DELETE", "/teams/" + team, ""}
}

func beginRunToken(s *server, round int) (made, taken request) {
	id := s.workspace("acme", roundName(round))
	return request{"POST", "/workspaces/" + id + "/actions/issue-run-token", ""}, request{"DELETE", "/workspaces/" + id, ""}
}

// orphanToken uses the token that was made: what it acts for is gone.
func orphanToken(s *server, _ int, made reply) string {
	value := made.text("data.attributes.token")
	if value == "" {
		return ""
	}
	if r := s.do("GET", "/account/details", value, ""); r.Status != 401 {
		return fmt.Sprintf("a token that still opens doors (%d)", r.Status)
	}
	return ""
}

func beginSet(s *server, round int) (made, taken request) {
	project := s.do("POST", "/organizations/acme/projects", s.Token,
		fmt.Sprintf(`{"data":{"type":"projects","attributes":{"name":"p-%s"}}}`, roundName(round))).want(s.t, 201).text("data.id")
	return request{"POST", "/organizations/acme/varsets", fmt.Sprintf(
			`{"data":{"type":"varsets","attributes":{"name":%q},"relationships":{"parent":{"data":{"type":"projects","id":%q}}}}}`, roundName(round), project)},
		request{"DELETE", "/projects/" + project, ""}
}

func orphanSet(s *server, _ int, made reply) string {
	id := made.text("data.id")
	if id == "" {
		return ""
	}
	if r := s.do("GET", "/varsets/"+id, s.Token, ""); r.Status != 404 {
		return fmt.Sprintf("a variable set of a project that is gone (%d)", r.Status)
	}
	return ""
}
