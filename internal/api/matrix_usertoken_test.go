package api_test

import (
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/belayhq/belay/internal/storetest"
)

// ownRoutes is what is no organization's, or no user's: there a token that an organization
// doesn't take is answered as ever.
var ownRoutes = map[string]bool{
	"GET /users/{user_id}":                                      true,
	"GET /users/{user_id}/authentication-tokens":                true,
	"POST /users/{user_id}/authentication-tokens":               true,
	"GET /authentication-tokens/{token_id}":                     true,
	"PATCH /authentication-tokens/{token_id}":                   true,
	"DELETE /authentication-tokens/{token_id}":                  true,
	"GET /users/{user_id}/identities":                           true,
	"POST /users/{user_id}/identities":                          true,
	"DELETE /identities/{identity_id}":                          true,
	"GET /organization/audit-trail":                             true,
	"GET /github-app/installation/{github_app_installation_id}": true, // may be of several
}

// TestNoRouteTakesTokensOfUsers asks every route as an owner, in an organization that
// takes no tokens of users.
func TestNoRouteTakesTokensOfUsers(t *testing.T) {
	t.Parallel()
	for _, engine := range storetest.Outside(t) {
		t.Run(engine, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, storetest.Open(t, engine))
			owner := w.roles[slices.IndexFunc(w.roles, func(r *role) bool { return r.code == "ow" })]
			type question struct {
				row
				about things
			}
			var questions []question
			for _, a := range areas() {
				for _, r := range a.rows {
					if !r.open && !r.anybody && !strings.Contains(r.route, " /admin/") {
						about := w.shared.with(w.prepared(r, owner))
						about["organization_name"] = "acme"
						questions = append(questions, question{r, about})
					}
				}
			}
			w.do(http.MethodPatch, "/organizations/acme", `{"data":{"type":"organizations","attributes":{"user-tokens-enabled":false}}}`)
			for _, q := range questions {
				method, path, _ := strings.Cut(q.route, " ")
				if q.query != "" {
					path += "?" + q.query
				}
				status, body := w.send(method, "/api/v2"+q.about.in(path), owner.token, q.about.in(q.body))
				if status != http.StatusUnauthorized && !ownRoutes[q.route] {
					t.Errorf("%s: %d %s", q.route, status, body)
				}
			}
		})
	}
}
