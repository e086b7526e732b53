package api_test

import (
	"crypto/md5"
	"encoding/hex"
	"fmt"
	"strings"
	"testing"
)

// TestSecretTeamsAndAddressesStaySecret asks in every way that leads to memberships and teams, as one
// who sees neither all members nor secret teams.
func TestSecretTeamsAndAddressesStaySecret(t *testing.T) {
	t.Parallel()
	eachServer(t, func(t *testing.T, w *world) {
		project := w.shared["project_id"]
		visible, secret := w.team("organization")["team_id"], w.team("secret")["team_id"]
		w.user("ann")
		ann := w.make("/organizations/acme/organization-memberships", fmt.Sprintf(
			`{"data":{"attributes":{"email":"ann@example.com"},"relationships":{"teams":{"data":[{"type":"teams","id":%q},{"type":"teams","id":%q}]}}}}`, visible, secret))
		bob := w.user("bob")
		own := w.make("/organizations/acme/teams", `{"data":{"type":"teams","attributes":{"name":"of bob"}}}`)
		bobs := w.make("/organizations/acme/organization-memberships", fmt.Sprintf(
			`{"data":{"attributes":{"email":"bob@example.com"},"relationships":{"teams":{"data":[{"type":"teams","id":%q},{"type":"teams","id":%q}]}}}}`, visible, own))
		token := w.userToken(bob)
		for _, path := range []string{
			"/teams/" + visible, "/teams/" + visible + "?include=organization_memberships", "/teams/" + visible + "?include=users,organization_memberships",
			"/organizations/acme/teams?include=organization_memberships", "/teams/" + visible + "/relationships/organization-memberships",
			"/organizations/acme/organization-memberships", "/organization-memberships", "/organization-memberships/" + bobs + "?include=teams,user",
		} {
			answer := w.is("GET", path, token, "", 200)
			if strings.Contains(answer, "ann@example.com") || strings.Contains(answer, secret) {
				t.Errorf("%s shows a member %s", path, answer)
			}
			if strings.Contains(path, "organization") && !strings.Contains(answer, "bob@example.com") {
				t.Errorf("%s doesn't show its own: %s", path, answer)
			}
		}
		w.is("GET", "/organization-memberships/"+ann, token, "", 404)
		w.picturesTell(token, visible, ann, bobs)

		// Who manages members sees all of them, and of their teams those that it sees.
		w.do("PATCH", "/teams/"+own, `{"data":{"type":"teams","attributes":{"organization-access":{"manage-membership":true}}}}`)
		for _, path := range []string{
			"/organizations/acme/organization-memberships", "/organization-memberships/" + ann, "/organization-memberships/" + ann + "?include=teams",
			"/teams/" + visible + "/relationships/organization-memberships", "/teams/" + visible + "?include=organization_memberships",
		} {
			answer := w.is("GET", path, token, "", 200)
			if !strings.Contains(answer, "ann@example.com") || strings.Contains(answer, secret) || !strings.Contains(answer, visible) {
				t.Errorf("%s shows who manages members %s", path, answer)
			}
		}
		w.do("PATCH", "/teams/"+own, `{"data":{"type":"teams","attributes":{"organization-access":{"manage-membership":false}}}}`)

		// Access to a project.
		give := func(team, access string) string {
			return w.make("/team-projects", fmt.Sprintf(
				`{"data":{"attributes":{%s},"relationships":{"team":{"data":{"id":%q}},"project":{"data":{"id":%q}}}}}`, access, team, project))
		}
		give(visible, `"access":"read"`)
		hidden := give(secret, `"access":"read"`)
		mine := give(own, `"access":"custom","project-access":{"teams":"read"}`)
		list := "/team-projects?filter[project][id]=" + project
		answer := w.is("GET", list, token, "", 200)
		if strings.Contains(answer, secret) || !strings.Contains(answer, visible) || !strings.Contains(answer, own) {
			t.Errorf("who reads the teams of a project sees %s", answer)
		}
		w.is("GET", "/team-projects/"+hidden, token, "", 404)
		w.do("PATCH", "/team-projects/"+mine, `{"data":{"attributes":{"access":"admin"}}}`)
		if answer := w.is("GET", list, token, "", 200); !strings.Contains(answer, secret) {
			t.Errorf("who takes access away doesn't see what there is: %s", answer)
		}
		w.is("GET", "/team-projects/"+hidden, token, "", 200)
	})
}

// TestReasonsAreForMembers asks why somebody may do something who is no member: whether the site has
// such a user stays open.
func TestReasonsAreForMembers(t *testing.T) {
	t.Parallel()
	eachServer(t, func(t *testing.T, w *world) {
		w.user("stranger")
		w.make("/admin/users", `{"data":{"attributes":{"username":"root","email":"root@example.com","is-admin":true}}}`)
		owner := w.user("founder")
		token := w.userToken(owner)
		if status, answer := w.send("POST", "/api/v2/organizations", token, `{"data":{"attributes":{"name":"theirs","email":"a@example.com"}}}`); status != 201 {
			t.Fatal(status, answer)
		}
		w.is("POST", "/organizations/theirs/workspaces", token, `{"data":{"attributes":{"name":"network"}}}`, 201)
		path := "/organizations/theirs/access-reasons?permission=queue-runs&workspace=network&user="
		w.is("GET", path+"founder", token, "", 200)
		nobody := w.is("GET", path+"nobody-at-all", token, "", 404)
		for _, name := range []string{"stranger", "root", "admin"} {
			if answer := w.is("GET", path+name, token, "", 404); answer != nobody {
				t.Errorf("%s is answered with %s, nobody with %s", name, answer, nobody)
			}
			w.is("GET", path+name, w.admin, "", 200)
		}
	})
}

// TestARunSeesNoOrganization includes all that there is with what the token of a run may read: what it
// may not ask for by itself is not among it.
func TestARunSeesNoOrganization(t *testing.T) {
	t.Parallel()
	eachServer(t, func(t *testing.T, w *world) {
		workspace := w.shared["workspace_id"]
		token := w.value("/workspaces/"+workspace+"/actions/issue-run-token", `{"data":{"attributes":{}}}`)
		w.do("POST", "/workspaces/"+w.shared["other_workspace_id"]+"/actions/lock", "")
		for _, path := range []string{
			"/workspaces/" + workspace + "?include=organization,locked_by,project,vars,readme", "/organizations/acme/workspaces?include=organization,locked_by,current_run",
			"/workspaces/" + workspace + "/current-state-version?include=created_by", "/state-versions?filter[organization][name]=acme&filter[workspace][name]=" + w.shared["name"] + "&include=created_by",
		} {
			answer := w.is("GET", path, token, "", 200)
			_, included, _ := strings.Cut(answer, `"included":`)
			for _, typ := range []string{"organizations", "users", "teams", "projects"} {
				if strings.Contains(included, `"type":"`+typ+`"`+`,"attributes"`) {
					t.Errorf("%s shows a run %s: %s", path, typ, included)
				}
			}
		}
		if answer := w.is("GET", "/organizations/acme/workspaces?include=organization,locked_by", w.admin, "", 200); !strings.Contains(answer, `"type":"users","attributes"`) {
			t.Errorf("nobody sees who holds the lock: %s", answer)
		}
	})
}

// TestResourcesAreForReadersOfStates asks for resources in both ways, by a token that reads no states.
func TestResourcesAreForReadersOfStates(t *testing.T) {
	t.Parallel()
	eachServer(t, func(t *testing.T, w *world) {
		token := w.value("/organizations/acme/authentication-token", "")
		explore := "/organizations/acme/explorer"
		w.is("GET", "/workspaces/"+w.shared["workspace_id"]+"/resources", token, "", 404)
		w.is("GET", explore+"?type=resources", token, "", 404)
		w.is("GET", explore+"/export/csv?type=resources", token, "", 404)
		saved := `{"data":{"type":"explorer-saved-queries","attributes":{"name":"all","query-type":"resources","query":{"type":"resources"}}}}`
		if status, answer := w.send("POST", "/api/v2"+explore+"/views", w.admin, saved); status == 201 {
			view := explore + "/views/" + textAt(answer, "data.id")
			w.is("GET", view+"/results", token, "", 404)
			w.is("GET", view+"/csv", token, "", 404)
			w.is("GET", view+"/results", w.admin, "", 200)
		} else {
			t.Error(status, answer)
		}
		w.is("GET", explore+"?type=workspaces", token, "", 200)
		w.is("GET", explore+"?type=resources", w.admin, "", 200)
		if answer := w.is("GET", explore+"?type=resorces", w.admin, "", 400); !strings.Contains(answer, "modules or resources") {
			t.Errorf("an unknown type is refused with %s", answer)
		}
	})
}

// TestAddressesAreComparedWithoutCapitals makes, invites, finds and refuses users by their e-mail
// addresses in other capitals.
func TestAddressesAreComparedWithoutCapitals(t *testing.T) {
	t.Parallel()
	eachServer(t, func(t *testing.T, w *world) {
		invite := func(email string, status int) string {
			t.Helper()
			return w.is("POST", "/organizations/acme/organization-memberships", w.admin, fmt.Sprintf(`{"data":{"attributes":{"email":%q}}}`, email), status)
		}
		user := func(name, email string, status int) string {
			t.Helper()
			return w.is("POST", "/admin/users", w.admin, fmt.Sprintf(`{"data":{"attributes":{"username":%q,"email":%q}}}`, name, email), status)
		}
		ann := textAt(user("ann", "Ann@Example.com", 201), "data.id")
		user("other", "ann@example.com", 422)
		made := invite("ANN@example.com", 201)
		if got := textAt(made, "data.relationships.user.data.id"); got != ann || textAt(made, "data.attributes.status") != "active" {
			t.Errorf("the invitation went to %s", made)
		}
		invite("ann@example.com", 422)
		if answer := w.is("GET", "/organizations/acme/organization-memberships?filter[email]=ann@EXAMPLE.com", w.admin, "", 200); textAt(answer, "data.0.id") != textAt(made, "data.id") {
			t.Errorf("filter[email] finds %s", answer)
		}
		// A place that was held for an address is taken with other capitals.
		held := invite("bea@example.com", 201)
		bea := user("bea", "Bea@example.com", 201)
		now := w.is("GET", "/organization-memberships/"+textAt(held, "data.id"), w.admin, "", 200)
		if textAt(now, "data.relationships.user.data.id") != textAt(bea, "data.id") || textAt(now, "data.attributes.status") != "active" ||
			textAt(now, "data.attributes.email") != "Bea@example.com" {
			t.Errorf("the place that was held: %s", now)
		}
		// Its own address in other capitals is nobody else's.
		w.do("PATCH", "/admin/users/"+ann, `{"data":{"attributes":{"email":"ann@example.com"}}}`)
		w.is("PATCH", "/admin/users/"+ann, w.admin, `{"data":{"attributes":{"email":"BEA@example.com"}}}`, 422)
	})
}

// TestAnInvitationOpensNothing puts somebody who was invited into a team, and gives it a token: it
// may do nothing before it has come.
func TestAnInvitationOpensNothing(t *testing.T) {
	t.Parallel()
	eachServer(t, func(t *testing.T, w *world) {
		held := w.is("POST", "/organizations/acme/organization-memberships", w.admin, `{"data":{"attributes":{"email":"cleo@example.com"}}}`, 201)
		team := w.get("/organizations/acme/teams?filter[names]=owners", "data.0.id")
		w.is("POST", "/teams/"+team+"/relationships/organization-memberships", w.admin,
			fmt.Sprintf(`{"data":[{"type":"organization-memberships","id":%q}]}`, textAt(held, "data.id")), 204)
		id := textAt(held, "data.relationships.user.data.id")
		status, answer := w.send("POST", "/api/v2/users/"+id+"/authentication-tokens", w.admin, "")
		if token := textAt(answer, "data.attributes.token"); status == 201 {
			if status, answer = w.send("GET", "/api/v2/organizations/acme", token, ""); status != 401 && status != 404 {
				t.Errorf("an invited owner reads the organization: %d %s", status, answer)
			}
			w.is("GET", "/workspaces/"+w.shared["workspace_id"], token, "", status)
		} else if status < 400 {
			t.Errorf("a token of who was invited: %d %s", status, answer)
		}
		come := w.is("POST", "/admin/users", w.admin, `{"data":{"attributes":{"username":"cleo","email":"cleo@example.com"}}}`, 201)
		w.is("GET", "/workspaces/"+w.shared["workspace_id"], w.userToken(textAt(come, "data.id")), "", 200)
	})
}

// picturesTell demands that the picture of somebody tells the e-mail address to those alone who
// see that: a short one can be guessed from its hash.
func (w *world) picturesTell(token, team, other, own string) {
	hash := func(email string) string {
		sum := md5.Sum([]byte(email))
		return hex.EncodeToString(sum[:])
	}
	user := w.get("/organization-memberships/"+other, "data.relationships.user.data.id")
	for _, path := range []string{"/users/" + user, "/teams/" + team + "?include=users", "/teams/" + team + "/relationships/users"} {
		if answer := w.is("GET", path, token, "", 200); strings.Contains(answer, hash("ann@example.com")) || !strings.Contains(answer, hash(user)) {
			w.t.Errorf("%s shows the picture of ann's address: %s", path, answer)
		}
	}
	for path, email := range map[string]string{
		"/account/details": "bob@example.com", "/organization-memberships/" + own + "?include=user": "bob@example.com",
	} {
		if answer := w.is("GET", path, token, "", 200); !strings.Contains(answer, hash(email)) {
			w.t.Errorf("%s shows another picture: %s", path, answer)
		}
	}
	if answer := w.is("GET", "/organization-memberships/"+other+"?include=user", w.admin, "", 200); !strings.Contains(answer, hash("ann@example.com")) {
		w.t.Errorf("who sees ann's address sees another picture: %s", answer)
	}
}
