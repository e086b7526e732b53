package api_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/belayhq/belay/internal/storetest"
)

// issuing is a server with a team that may apply runs of a workspace, for tests of tokens that
// make tokens.
type issuing struct {
	*world
	workspace, team string
}

func issuers(t *testing.T, test func(t *testing.T, w *issuing)) {
	t.Parallel()
	for _, engine := range storetest.Outside(t) {
		t.Run(engine, func(t *testing.T) {
			t.Parallel()
			w := &issuing{world: newServer(t, storetest.Open(t, engine))}
			w.make("/organizations", `{"data":{"attributes":{"name":"acme","email":"a@example.com"}}}`)
			w.workspace = w.make("/organizations/acme/workspaces", `{"data":{"attributes":{"name":"network"}}}`)
			w.team = w.writers()
			test(t, w)
		})
	}
}

// writers is a new team that may apply runs of the workspace, and make its own tokens.
func (w *issuing) writers() string {
	team := w.make("/organizations/acme/teams", things{}.with(nil).in(`{"data":{"attributes":{"name":"<unique>","allow-member-token-management":true}}}`))
	w.make("/team-workspaces", fmt.Sprintf(`{"data":{"attributes":{"access":"write"},"relationships":{"team":{"data":{"id":%q}},"workspace":{"data":{"id":%q}}}}}`, team, w.workspace))
	return team
}

// made is a token that another makes: its id and its value.
func (w *issuing) made(by, path, attributes string) (id, value string) {
	w.t.Helper()
	status, answer := w.send(http.MethodPost, "/api/v2"+path, by, things{}.with(nil).in(`{"data":{"attributes":{`+attributes+`}}}`))
	if status >= 300 {
		w.t.Fatalf("POST %s: %d %s", path, status, answer)
	}
	return textAt(answer, "data.id"), textAt(answer, "data.attributes.token")
}

func (w *issuing) answers(what string, want int, method, path, token string) {
	w.t.Helper()
	if status, answer := w.send(method, "/api/v2"+path, token, ""); status != want {
		w.t.Errorf("%s: %s %s is %d, want %d: %.200s", what, method, path, status, want, answer)
	}
}

// TestARunTokenGoesWithTheTokenThatIssuedIt revokes in every way tokens that issued one for a
// run.
func TestARunTokenGoesWithTheTokenThatIssuedIt(t *testing.T) {
	issuers(t, func(t *testing.T, w *issuing) {
		issue, see := "/workspaces/"+w.workspace+"/actions/issue-run-token", "/workspaces/"+w.workspace
		described := `"description":"<unique>"`
		for how, revoke := range map[string]func(team, id string){
			"the token is revoked": func(_, id string) { w.answers("", 204, http.MethodDelete, "/authentication-tokens/"+id, w.admin) },
			"the team is deleted":  func(team, _ string) { w.answers("", 204, http.MethodDelete, "/teams/"+team, w.admin) },
			"the team's tokens are revoked": func(_, id string) {
				body := fmt.Sprintf(`{"data":[{"type":"authentication-tokens","id":%q}]}`, id)
				if status, answer := w.send(http.MethodDelete, "/api/v2/organizations/acme/team-tokens", w.admin, body); status != 204 {
					t.Errorf("revoking tokens of teams: %d %s", status, answer)
				}
			},
		} {
			team := w.writers()
			id, token := w.made(w.admin, "/teams/"+team+"/authentication-tokens", described)
			_, ofRun := w.made(token, issue, described)
			w.answers(how+" later", 200, http.MethodGet, see, ofRun)
			revoke(team, id)
			w.answers(how, 401, http.MethodGet, see, ofRun)
		}

		_, legacy := w.made(w.admin, "/teams/"+w.team+"/authentication-token", "")
		_, ofRun := w.made(legacy, issue, described)
		_, token := w.made(w.admin, "/teams/"+w.team+"/authentication-token", "")
		w.answers("the token is made anew", 401, http.MethodGet, see, ofRun)

		_, other := w.made(w.admin, "/teams/"+w.writers()+"/authentication-tokens", described)
		_, strangers := w.made(w.admin, "/users/"+w.user("stranger")+"/authentication-tokens", "")
		for who, by := range map[string]string{"its issuer": token, "an owner": w.admin} {
			id, ofRun := w.made(token, issue, described)
			w.answers("another team", 404, http.MethodDelete, "/authentication-tokens/"+id, other)
			w.answers("a stranger", 404, http.MethodDelete, "/authentication-tokens/"+id, strangers)
			w.answers(who, 204, http.MethodDelete, "/authentication-tokens/"+id, by)
			w.answers(who+" revoked it", 401, http.MethodGet, see, ofRun)
		}

		me := w.get("/account/details", "data.id")
		id, mine := w.made(w.admin, "/users/"+me+"/authentication-tokens", described)
		_, ofRun = w.made(mine, issue, described)
		w.answers("the user's token is revoked later", 200, http.MethodGet, see, ofRun)
		w.answers("", 204, http.MethodDelete, "/authentication-tokens/"+id, w.admin)
		w.answers("the user's token is revoked", 401, http.MethodGet, see, ofRun)
	})
}

// TestARunTokenOpensNoMoreThanItsIssuerMayNow lowers and takes the access of a team that issued a
// token for a run, and moves the workspace out of the project that it had it by.
func TestARunTokenOpensNoMoreThanItsIssuerMayNow(t *testing.T) {
	issuers(t, func(t *testing.T, w *issuing) {
		workspace := w.make("/organizations/acme/workspaces", things{}.with(nil).in(`{"data":{"attributes":{"name":"<unique>"}}}`))
		there, elsewhere := w.project(), w.project()
		move := func(to string) {
			body := fmt.Sprintf(`{"data":[{"type":"workspaces","id":%q}]}`, workspace)
			if status, answer := w.send(http.MethodPost, "/api/v2/projects/"+to+"/relationships/workspaces", w.admin, body); status != 204 {
				t.Fatalf("moving: %d %s", status, answer)
			}
		}
		move(there)
		team := w.make("/organizations/acme/teams", things{}.with(nil).in(`{"data":{"attributes":{"name":"<unique>"}}}`))
		access := w.make("/team-projects", fmt.Sprintf(`{"data":{"attributes":{"access":"write"},"relationships":{"team":{"data":{"id":%q}},"project":{"data":{"id":%q}}}}}`, team, there))
		level := func(attributes string) {
			body := `{"data":{"attributes":{` + attributes + `}}}`
			if status, answer := w.send(http.MethodPatch, "/api/v2/team-projects/"+access, w.admin, body); status != 200 {
				t.Fatalf("access %s: %d %s", attributes, status, answer)
			}
		}
		_, token := w.made(w.admin, "/teams/"+team+"/authentication-tokens", `"description":"<unique>"`)
		_, ofRun := w.made(token, "/workspaces/"+workspace+"/actions/issue-run-token", "")
		opens := func(what string, see, lock int) {
			t.Helper()
			w.answers(what, see, http.MethodGet, "/workspaces/"+workspace, ofRun)
			w.answers(what, lock, http.MethodPost, "/workspaces/"+workspace+"/actions/lock", ofRun)
			if lock == 200 {
				w.answers(what, lock, http.MethodPost, "/workspaces/"+workspace+"/actions/unlock", ofRun)
			}
		}
		opens("may apply", 200, 200)
		level(`"access":"custom","workspace-access":{"runs":"plan","state-versions":"read"}`)
		opens("may plan", 200, 404)
		level(`"access":"read"`)
		opens("may read", 404, 404)
		level(`"access":"admin"`)
		opens("may do all, which is more than it did", 200, 200)
		move(elsewhere)
		opens("is moved away", 404, 404)
		w.answers("lists workspaces from elsewhere", 404, http.MethodGet, "/organizations/acme/workspaces", ofRun)
		move(there)
		opens("is back", 200, 200)
		w.answers("", 204, http.MethodDelete, "/team-projects/"+access, w.admin)
		opens("may nothing more", 404, 404)
	})
}

// project is a new project.
func (w *issuing) project() string {
	return w.make("/organizations/acme/projects", things{}.with(nil).in(`{"data":{"attributes":{"name":"<unique>"}}}`))
}

// TestNoTokenMakesOneThatLastsLonger makes tokens of every kind with tokens that end.
func TestNoTokenMakesOneThatLastsLonger(t *testing.T) {
	issuers(t, func(t *testing.T, w *issuing) {
		const form = "2006-01-02T15:04:05.000Z"
		end := time.Now().UTC().Add(time.Hour).Truncate(time.Millisecond)
		ends := func(at time.Time) string { return fmt.Sprintf(`"expired-at":%q`, at.Format(form)) }
		me := w.get("/account/details", "data.id")
		pool := w.make("/organizations/acme/agent-pools", `{"data":{"attributes":{"name":"pool"}}}`)
		_, mine := w.made(w.admin, "/users/"+me+"/authentication-tokens", ends(end))
		_, teams := w.made(w.admin, "/teams/"+w.team+"/authentication-tokens", `"description":"<unique>",`+ends(end))
		_, organization := w.made(w.admin, "/organizations/acme/authentication-token", ends(end))
		team := w.make("/organizations/acme/teams", `{"data":{"attributes":{"name":"plain"}}}`)
		for _, c := range []struct{ who, token, path string }{
			{"a team's", teams, "/teams/" + w.team + "/authentication-tokens"},
			{"a team's", teams, "/teams/" + w.team + "/authentication-token"},
			{"a team's", teams, "/workspaces/" + w.workspace + "/actions/issue-run-token"},
			{"an organization's", organization, "/teams/" + team + "/authentication-tokens"},
			{"a user's", mine, "/users/" + me + "/authentication-tokens"},
			{"a user's", mine, "/teams/" + w.team + "/authentication-tokens"},
			{"a user's", mine, "/agent-pools/" + pool + "/authentication-tokens"},
			{"a user's", mine, "/workspaces/" + w.workspace + "/actions/issue-run-token"},
			{"a user's", mine, "/organizations/acme/authentication-token?token=audit-trails"},
			{"a user's", mine, "/organizations/acme/authentication-token"},
		} {
			never := ",\"expired-at\":null"
			if strings.HasSuffix(c.path, "issue-run-token") { // which has no such tokens
				never = ""
			}
			for _, attributes := range []string{"", never, "," + ends(end.Add(time.Hour)), "," + ends(end.Add(time.Millisecond))} {
				status, answer := w.send(http.MethodPost, "/api/v2"+c.path, c.token, things{}.with(nil).in(`{"data":{"attributes":{"description":"<unique>"`+attributes+`}}}`))
				switch {
				case attributes == "" && (status >= 300 || textAt(answer, "data.attributes.expired-at") != end.Format(form)):
					t.Errorf("%s token makes at %s: %d %s, want one that ends at %s", c.who, c.path, status, answer, end)
				case attributes != "" && (status != 422 || !strings.Contains(answer, "/data/attributes/expired-at")):
					t.Errorf("%s token makes at %s with %s: %d %s", c.who, c.path, attributes, status, answer)
				}
			}
			status, answer := w.send(http.MethodPost, "/api/v2"+c.path, c.token, things{}.with(nil).in(`{"data":{"attributes":{"description":"<unique>",`+ends(end.Add(-time.Minute))+`}}}`))
			if status >= 300 {
				t.Errorf("%s token makes a shorter one at %s: %d %s", c.who, c.path, status, answer)
			}
			w.spellings(c.path, c.token, end.Add(-time.Minute).Format(form), end.Add(-time.Second).Format(form))
		}
	})
}

// spellings makes tokens with the other spelling of their end, and with both.
func (w *issuing) spellings(path, token, at, other string) {
	for attributes, want := range map[string]int{
		`"expired_at":"` + at + `"`:                              201,
		`"expired_at":"` + at + `","expired-at":"` + at + `"`:    201,
		`"expired_at":"` + at + `","expired-at":"` + other + `"`: 422,
		`"expired_at":"` + at + `","expired-at":null`:            422,
		`"expired_at":7`: 422,
	} {
		status, answer := w.send(http.MethodPost, "/api/v2"+path, token, things{}.with(nil).in(`{"data":{"attributes":{"description":"<unique>",`+attributes+`}}}`))
		if status != want || status == 201 && textAt(answer, "data.attributes.expired-at") != at ||
			status == 422 && !strings.Contains(answer, "/data/attributes/expired_at") {
			w.t.Errorf("POST %s with %s: %d, want %d: %s", path, attributes, status, want, answer)
		}
	}
}
