package e2e_test

import (
	"context"
	"fmt"
	"os/exec"
	"slices"
	"strings"
	"testing"

	"github.com/hashicorp/go-tfe"
)

func TestAccountIsChangedByItsUser(t *testing.T) {
	each(t, func(t *testing.T, s *server) {
		ctx := context.Background()
		id, token := s.user("ann")
		s.user("bob")
		s.organization("acme")
		s.do("POST", "/organizations/acme/organization-memberships", s.Token,
			`{"data":{"type":"organization-memberships","attributes":{"email":"ann@example.com"}}}`).want(t, 201)
		c := s.client(token)
		u, err := c.Users.UpdateCurrent(ctx, tfe.UserUpdateOptions{Username: tfe.String("anna"), Email: tfe.String("anna@example.com")})
		must(t, err)
		if u.Username != "anna" || u.Email != "ann@example.com" || u.UnconfirmedEmail != "anna@example.com" {
			t.Errorf("changed to %+v", u)
		}
		if u, err = c.Users.UpdateCurrent(ctx, tfe.UserUpdateOptions{}); err != nil || u.Username != "anna" || u.UnconfirmedEmail != "anna@example.com" {
			t.Errorf("an empty change: %+v %v", u, err)
		}
		update := func(attributes string) string { return `{"data":{"type":"users","attributes":` + attributes + `}}` }
		confirmed := s.do("PATCH", "/admin/users/"+id, s.Token, update(`{"email":"anna@example.com"}`)).want(t, 200)
		if confirmed.text("data.attributes.email") != "anna@example.com" || confirmed.at("data.attributes.unconfirmed-email") != nil {
			t.Errorf("confirmed: %s", confirmed.Body)
		}
		listed := s.do("GET", "/organizations/acme/organization-memberships", s.Token, "").want(t, 200)
		if !strings.Contains(listed.Body, "anna@example.com") || strings.Contains(listed.Body, "ann@example.com") {
			t.Errorf("the membership keeps the old address: %s", listed.Body)
		}
		invited := s.do("POST", "/organizations/acme/organization-memberships", s.Token,
			`{"data":{"type":"organization-memberships","attributes":{"email":"late@example.com"}}}`).want(t, 201)
		s.do("PATCH", "/admin/users/"+invited.text("data.relationships.user.data.id"), s.Token, update(`{"username":"late"}`)).want(t, 404)
		s.do("PATCH", "/admin/users/"+id, s.Token, update(`{"email":"late@example.com"}`)).want(t, 422)
		s.do("PATCH", "/admin/users/"+id, token, update(`{"is-admin":true}`)).want(t, 404)
		raised := s.do("PATCH", "/account/update", token, update(`{"is-admin":true,"is-service-account":true}`)).want(t, 200)
		if raised.at("data.attributes.is-admin") != false || raised.at("data.attributes.is-service-account") != false {
			t.Errorf("a user raised itself: %s", raised.Body)
		}
		for name, c := range map[string]struct{ body, pointer string }{
			"taken name":   {update(`{"username":"bob"}`), "/data/attributes/username"},
			"blank name":   {update(`{"username":""}`), "/data/attributes/username"},
			"bad name":     {update(`{"username":"a b"}`), "/data/attributes/username"},
			"name is null": {update(`{"username":null}`), "/data/attributes/username"},
			"name type":    {update(`{"username":7}`), "/data/attributes/username"},
			"bad email":    {update(`{"email":"nobody"}`), "/data/attributes/email"},
			"blank email":  {update(`{"email":""}`), "/data/attributes/email"},
			"other type":   {`{"data":{"type":"teams"}}`, "/data/type"},
			"no data":      {`{}`, "/data"},
		} {
			got := s.do("PATCH", "/account/update", token, c.body)
			if got.Status != 422 || got.text("errors.0.source.pointer") != c.pointer {
				t.Errorf("%s: %d %s", name, got.Status, got.Body)
			}
		}
		s.do("PATCH", "/account/update", "", update(`{}`)).want(t, 401)
	})
}

func TestPasswordIsChangedByItsUser(t *testing.T) {
	each(t, func(t *testing.T, s *server) {
		id, token := s.person("ann")
		b := s.browse()
		b.post("/app/sign-in", b.get("/app/sign-in").form("name", "ann", "password", password)).want(t, 303)
		change := func(current, wanted, confirmed string) string {
			return fmt.Sprintf(`{"data":{"type":"users","attributes":{"current_password":%q,"password":%q,"password_confirmation":%q}}}`, current, wanted, confirmed)
		}
		const better = "better horse"
		for name, c := range map[string]struct{ body, pointer string }{
			"nothing":      {`{"data":{"type":"users","attributes":{}}}`, "current_password"},
			"wrong":        {change("wrong horse", better, better), "current_password"},
			"short":        {change(password, "123456789", "123456789"), "password"},
			"not the same": {change(password, better, better+"x"), "password_confirmation"},
		} {
			got := s.do("PATCH", "/account/password", token, c.body)
			if got.Status != 422 || got.text("errors.0.source.pointer") != "/data/attributes/"+c.pointer {
				t.Errorf("%s: %d %s", name, got.Status, got.Body)
			}
		}
		b.get("/app/settings/tokens").want(t, 200)
		s.do("PATCH", "/account/password", "", change(password, better, better)).want(t, 401)
		done := s.do("PATCH", "/account/password", token, change(password, better, better)).want(t, 200)
		if done.text("data.id") != id || strings.Contains(done.Body, better) {
			t.Errorf("answered %s", done.Body)
		}
		b.get("/app/settings/tokens").want(t, 303)
		page := b.get("/app/sign-in")
		b.post("/app/sign-in", page.form("name", "ann", "password", password)).want(t, 401)
		b.post("/app/sign-in", page.form("name", "ann", "password", better)).want(t, 303)
		s.do("PATCH", "/admin/users/"+id, s.Token, `{"data":{"type":"users","attributes":{"password":""}}}`).want(t, 422)
		s.do("PATCH", "/admin/users/"+id, s.Token, `{"data":{"type":"users","attributes":{"password":"third horse"}}}`).want(t, 200)
		b.get("/app/settings/tokens").want(t, 303)
		now := "third horse"
		waitFor(t, "whoever guesses to be held back with the right one, too", func() bool { // a try comes back every twelve seconds
			if guesses := together(12, func(int) int {
				return s.do("PATCH", "/account/password", token, change("wrong horse", better, better)).Status
			}); guesses[422]+guesses[429] != 12 || guesses[422] == 0 {
				t.Fatalf("wrong ones are answered %v", guesses)
			}
			answer := s.do("PATCH", "/account/password", token, change(now, better, better))
			if answer.Status != 429 {
				answer.want(t, 200)
				now = better
			}
			return answer.Status == 429
		})
	})
}

func TestSiteAdminsListUsers(t *testing.T) {
	each(t, func(t *testing.T, s *server) {
		ctx, c := context.Background(), s.admin()
		s.organization("acme")
		s.organization("umbrella")
		ann, _ := s.user("ann")
		s.join("acme", "ann")
		usernames := func(query string) (names []string) {
			list, _ := s.do("GET", "/admin/users?"+query, s.Token, "").want(t, 200).at("data").([]any)
			for _, u := range list {
				attributes, _ := u.(map[string]any)["attributes"].(map[string]any)
				names = append(names, attributes["username"].(string))
			}
			return names
		}
		list, err := c.Admin.Users.List(ctx, &tfe.AdminUserListOptions{Query: "ann@EXAMPLE", Include: []tfe.AdminUserIncludeOpt{tfe.AdminUserOrgs}})
		must(t, err)
		if len(list.Items) != 1 || len(list.Items[0].Organizations) != 1 || list.Items[0].Organizations[0].Email == "" {
			t.Errorf("ann with her organizations: %+v", list.Items)
		}
		granted, err := c.Admin.Users.GrantAdmin(ctx, ann)
		must(t, err)
		if got := usernames("filter[admin]=true"); !granted.IsAdmin || !slices.Equal(got, []string{"admin", "ann"}) {
			t.Errorf("site admins: %v", got)
		}
		_, err = c.Admin.Users.RevokeAdmin(ctx, ann)
		must(t, err)
		_, err = c.Admin.Users.Suspend(ctx, ann)
		must(t, err)
		if got := usernames("filter[admin]=false&filter[suspended]=true"); !slices.Equal(got, []string{"ann"}) {
			t.Errorf("suspended: %v", got)
		}
		if got := usernames("filter[admin]=true&filter[suspended]=true"); len(got) != 0 {
			t.Errorf("suspended site admins: %v", got)
		}
		both := s.do("GET", "/admin/users?filter[admin]=true&include=organizations", s.Token, "").want(t, 200)
		if included, _ := both.at("included").([]any); len(included) != 2 {
			t.Errorf("the organizations of the admin: %s", both.Body)
		}
		s.do("GET", "/admin/users?filter[admin]=maybe", s.Token, "").want(t, 400)
		s.do("GET", "/admin/users?include=teams", s.Token, "").want(t, 400)
		if me := s.do("GET", "/account/details", s.Token, "").text("data.id"); me != "" {
			s.do("POST", "/admin/users/"+me+"/actions/revoke_admin", s.Token, "").want(t, 400)
		}
	})
}

func TestFirstAdminGetsAPassword(t *testing.T) {
	each(t, func(t *testing.T, s *server) {
		given := func(input string, more ...string) (string, error) {
			return s.cli(input, append([]string{"user", "password", "admin", "--data-dir", s.args[4]}, more...)...)
		}
		if out, err := given("short\n"); err == nil || !strings.Contains(out, "too short") {
			t.Errorf("a short password: %v %s", err, out)
		}
		if out, err := given(password + "\n"); err != nil || strings.Contains(out, password) {
			t.Errorf("%v %s", err, out)
		}
		b := s.browse()
		page := b.get("/app/sign-in")
		b.post("/app/sign-in", page.form("name", "admin", "password", password)).want(t, 303)
		if out, err := given("", "--address", s.URL, "--token", s.Token, "--password", "another horse"); err != nil {
			t.Errorf("%v %s", err, out)
		}
		b.get("/app/settings/tokens").want(t, 303)
		b.post("/app/sign-in", b.get("/app/sign-in").form("name", "admin", "password", "another horse")).want(t, 303)
	})
}

// cli runs a small command of the program against the server's database.
func (s *server) cli(input string, args ...string) (string, error) {
	s.t.Helper()
	command := exec.Command(binary, args...)
	command.Env, command.Stdin = s.env, strings.NewReader(input)
	out, err := command.CombinedOutput()
	return string(out), err
}
