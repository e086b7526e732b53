package e2e_test

import (
	"fmt"
	"testing"
)

// TestNamesThatPagesHave: no organization is called as pages are whose addresses would stand before its own, and one that is
// called so from before keeps its name, whatever else of it is changed.
func TestNamesThatPagesHave(t *testing.T) {
	each(t, func(t *testing.T, s *server) {
		s.people()
		named := func(name, more string) string {
			return fmt.Sprintf(`{"data":{"type":"organizations","attributes":{"name":%q%s}}}`, name, more)
		}
		refused := func(r reply) {
			t.Helper()
			r.want(t, 422)
			if r.text("errors.0.detail") != "Name is reserved" || r.text("errors.0.source.pointer") != "/data/attributes/name" || r.at("errors.1") != nil {
				t.Errorf("%s", r.Body)
			}
		}
		for _, name := range []string{"settings", "Settings", "API", "api", "change-requests", "sign-in", "sign-out"} {
			refused(s.do("POST", "/organizations", s.Token, named(name, `,"email":"a@example.com"`)))
			refused(s.do("PATCH", "/organizations/acme", s.Token, named(name, "")))
		}
		owner := s.signIn("olga")
		owner.post(organizationsPath, owner.get(organizationsPath).form("do", "new", "name", "api", "email", "a@example.com")).want(t, 422).has(t, "Name is reserved")
		page := "/app/acme/settings"
		owner.post(page, owner.get(page).form("do", "general", "name", "sign-in", "email", "a@example.com")).want(t, 422).has(t, "Name is reserved")

		s.organization("old")
		s.execute("UPDATE organizations SET name = 'settings' WHERE name = 'old'")
		s.do("PATCH", "/organizations/settings", s.Token, named("settings", `,"email":"b@example.com"`)).want(t, 200)
		refused(s.do("PATCH", "/organizations/settings", s.Token, named("Settings", "")))
		s.do("PATCH", "/organizations/settings", s.Token, named("free", "")).want(t, 200)
	})
}

// TestOneTeamOwners: no team is called as owners are in other letters, and one that is from before can be changed.
func TestOneTeamOwners(t *testing.T) {
	each(t, func(t *testing.T, s *server) {
		s.people()
		named := func(name, more string) string {
			return fmt.Sprintf(`{"data":{"type":"teams","attributes":{"name":%q%s}}}`, name, more)
		}
		refused := func(r reply) {
			t.Helper()
			r.want(t, 422)
			if r.text("errors.0.detail") != "Name has already been taken" || r.text("errors.0.source.pointer") != "/data/attributes/name" || r.at("errors.1") != nil {
				t.Errorf("%s", r.Body)
			}
		}
		id := s.do("POST", "/organizations/acme/teams", s.Token, named("ops", "")).want(t, 200).text("data.id")
		for _, name := range []string{"owners", "Owners", "OWNERS"} {
			refused(s.do("POST", "/organizations/acme/teams", s.Token, named(name, "")))
			refused(s.do("PATCH", "/teams/"+id, s.Token, named(name, "")))
		}
		s.do("PATCH", "/teams/"+s.owners("acme").ID, s.Token, named("owners", `,"description":"all"`)).want(t, 200)
		s.execute("UPDATE teams SET name = 'Owners' WHERE id = '" + id + "'")
		s.do("PATCH", "/teams/"+id, s.Token, named("Owners", `,"description":"some"`)).want(t, 200)
		s.do("PATCH", "/teams/"+id, s.Token, named("ops", "")).want(t, 200)
	})
}
