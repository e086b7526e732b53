package e2e_test

import "testing"

// TestDeletedWorkspacesAreBroughtBack: owners find what was deleted in the settings of the organization, and bring it back.
func TestDeletedWorkspacesAreBroughtBack(t *testing.T) {
	each(t, func(t *testing.T, s *server) {
		s.people()
		owner, reader := s.signIn("olga"), s.signIn("rita")
		const settings, gone = "/app/acme/settings", "/app/acme/workspaces/gone"
		remove := func(says string) {
			t.Helper()
			s.workspace("acme", "gone")
			page := owner.get(gone+"/settings/delete").want(t, 200).inert(t)
			if says == "" {
				page.hasNot(t, "bring it back")
			} else {
				page.has(t, says)
			}
			owner.post(gone+"/settings/delete", page.form("name", "gone")).want(t, 303)
			owner.get(gone).want(t, 404)
		}
		remove("")
		page := owner.get(settings).want(t, 200).hasNot(t, "Deleted workspaces<")
		owner.post(settings, page.form("do", "general", "name", "acme", "email", "ops@example.com", "user-tokens", "yes", "recoverable", "yes")).want(t, 303)
		owner.get(settings).want(t, 200).has(t, "Deleted workspaces<", "None is kept.")
		remove("Owners can bring it back")
		page = owner.get(settings).want(t, 200).has(t, "Bring back", "1 workspace<", ">gone<", "olga").inert(t)
		item := s.do("GET", "/organizations/acme/recoverable-items", s.Token, "").want(t, 200).text("data.0.id")
		form := page.form("do", "recover", "item", item, "workspace", "gone")
		reader.post(settings, reader.get(organizationsPath).form("do", "recover", "item", item, "workspace", "gone")).want(t, 404)
		other := s.workspace("acme", "gone")
		owner.post(settings, form).want(t, 409).has(t, "another workspace has this name by now")
		s.do("PATCH", "/workspaces/"+other, s.Token, `{"data":{"type":"workspaces","attributes":{"name":"newer"}}}`).want(t, 200)
		if to := owner.post(settings, form).want(t, 303).Header.Get("Location"); to != gone {
			t.Errorf("brought back, it leads to %s", to)
		}
		owner.get(gone).want(t, 200)
		owner.post(settings, form).want(t, 404)
	})
}
