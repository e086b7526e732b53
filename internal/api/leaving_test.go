package api_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
)

// TestWhoManagesMembersTakesOutAnybodyButOwners holds what the right to manage members is: to
// end a membership, also of somebody in a team that is secret and stronger, but not to change
// such a team, and not an owner's.
func TestWhoManagesMembersTakesOutAnybodyButOwners(t *testing.T) {
	issuers(t, func(t *testing.T, w *issuing) {
		team := func(name, switches string) string {
			return w.make("/organizations/acme/teams", fmt.Sprintf(`{"data":{"attributes":{"name":%q,"visibility":"secret","organization-access":{%s}}}}`, name, switches))
		}
		member := func(name, team string) (id, token string) {
			user := w.user(name)
			id = w.make("/organizations/acme/organization-memberships", fmt.Sprintf(
				`{"data":{"attributes":{"email":"%s@example.com"},"relationships":{"teams":{"data":[{"type":"teams","id":%q}]}}}}`, name, team))
			return id, w.userToken(user)
		}
		strong := team("strong", `"manage-projects":true`)
		_, manager := member("manager", team("managers", `"manage-membership":true`))
		guarded, _ := member("guarded", strong)
		owner, _ := member("owner", w.get("/organizations/acme/teams?filter[names]=owners", "data.0.id"))

		body := fmt.Sprintf(`{"data":[{"type":"organization-memberships","id":%q}]}`, guarded)
		if status, _ := w.send(http.MethodDelete, "/api/v2/teams/"+strong+"/relationships/organization-memberships", manager, body); status != 404 {
			t.Errorf("a secret team is changed: %d", status)
		}
		w.answers("an owner", 403, http.MethodDelete, "/organization-memberships/"+owner, manager)
		w.answers("a member of a stronger team", 204, http.MethodDelete, "/organization-memberships/"+guarded, manager)
		if _, answer := w.send(http.MethodGet, "/api/v2/teams/"+strong, w.admin, ""); !strings.Contains(answer, `"users-count":0`) {
			t.Errorf("the team keeps whoever has left: %s", answer)
		}
	})
}
