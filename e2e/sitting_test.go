package e2e_test

import "testing"

// TestWhatAPageHasAskedEndsWithIt: a right that is taken between two requests is gone with the next one, and a
// change is seen by it.
func TestWhatAPageHasAskedEndsWithIt(t *testing.T) {
	notifying(t, func(t *testing.T, s *server) {
		network := s.people()
		owner, reader := s.signIn("olga"), s.signIn("rita")
		const tab = "/app/acme/workspaces/network/access"
		reader.get(tab).want(t, 200)
		s.do("PATCH", "/workspaces/"+network, s.Token, `{"data":{"type":"workspaces","attributes":{"description":"of the hills"}}}`).want(t, 200)
		reader.get("/app/acme/workspaces/network").want(t, 200).has(t, "of the hills")
		given := s.do("GET", "/team-workspaces?filter[workspace][id]="+network, s.Token, "").want(t, 200).text("data.0.id")
		s.do("DELETE", "/team-workspaces/"+given, s.Token, "").want(t, 204)
		reader.get(tab).want(t, 404)
		owner.get(tab).want(t, 200)
	})
}
