package e2e_test

import (
	"fmt"
	"strings"
	"testing"
)

// TestRunsForChangeRequests makes a run that names what it is for, and some that can't.
func TestRunsForChangeRequests(t *testing.T) {
	each(t, func(t *testing.T, s *server) {
		s.organization("acme")
		ws := s.runnable("network")
		s.fileRequests("acme", "Rotate the key", ws)
		id := s.firstRequest(ws)
		asking := func(attributes, requests string) string {
			return fmt.Sprintf(`{"data":{"type":"runs","attributes":{%s},"relationships":{"workspace":{"data":{"type":"workspaces","id":%q}},"change-requests":{"data":%s}}}}`,
				attributes, ws, requests)
		}
		one := fmt.Sprintf(`[{"type":"change-requests","id":%q}]`, id)
		made := s.do("POST", "/runs", s.Token, asking(`"archive-change-requests":true`, one)).want(t, 201)
		again := s.do("GET", "/runs/"+made.text("data.id"), s.Token, "").want(t, 200)
		for _, r := range []reply{made, again} {
			if got := r.text("data.relationships.change-requests.data.0.id"); got != id || r.at("data.attributes.archive-change-requests") != true {
				t.Errorf("the run is for %q, archives: %v", got, r.at("data.attributes.archive-change-requests"))
			}
		}
		if got := s.do("GET", "/workspaces/change-requests/"+id, s.Token, "").want(t, 200).at("data.relationships.applied-run.data"); got != nil {
			t.Errorf("%v was applied for it", got)
		}
		for _, bad := range []struct{ attributes, requests, pointer string }{
			{"", `[{"type":"change-requests","id":"wscr-unknown0000000000"}]`, "relationships/change-requests/data"},
			{"", `"all"`, "relationships/change-requests/data"},
			{`"plan-only":true`, one, "relationships/change-requests/data"},
			{`"archive-change-requests":true`, `[]`, "attributes/archive-change-requests"},
		} {
			if got := s.do("POST", "/runs", s.Token, asking(bad.attributes, bad.requests)).want(t, 422).pointers(); !strings.Contains(got, bad.pointer) {
				t.Errorf("%s %s: pointers %s", bad.attributes, bad.requests, got)
			}
		}
	})
}
