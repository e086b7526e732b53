package e2e_test

import "testing"

// TestProjectsSayWhatIsInThem: how many resources their workspaces manage and what waits there, as far as somebody reads it.
func TestProjectsSayWhatIsInThem(t *testing.T) {
	each(t, func(t *testing.T, s *server) {
		network := s.people()
		project := s.do("POST", "/organizations/acme/projects", s.Token, `{"data":{"type":"projects","attributes":{"name":"data"}}}`).want(t, 201).text("data.id")
		for name, status := range map[string]string{"lake": "planned", "pond": "pending", "pool": "apply_queued", "sea": "applied"} {
			id := s.do("POST", "/organizations/acme/workspaces", s.Token, `{"data":{"type":"workspaces","attributes":{"name":"`+name+`"},"relationships":{"project":{"data":{"type":"projects","id":"`+project+`"}}}}}`).want(t, 201).text("data.id")
			s.execute("UPDATE workspaces SET current_run_status = '" + status + "', resource_count = 11 WHERE id = '" + id + "'")
		}
		s.execute("UPDATE workspaces SET current_run_status = 'planned', resource_count = 5 WHERE id = '" + network + "'")
		const path = "/app/acme/projects"
		s.signIn("olga").get(path).want(t, 200).has(t, "Runs that wait", ">44<", ">5<", `<a href="/app/acme/workspaces?project=data&amp;run=confirm">1 to confirm</a>, <a href="/app/acme/workspaces?project=data&amp;run=running">2 in the queue</a>`,
			`run=confirm">1 to confirm</a></td>`).inert(t)
		team, _ := s.team("acme", "mia", nil)
		s.do("POST", "/team-projects", s.Token, `{"data":{"type":"team-projects","attributes":{"access":"read"},"relationships":{"project":{"data":{"type":"projects","id":"`+project+`"}},"team":{"data":{"type":"teams","id":"`+team.ID+`"}}}}}`).want(t, 201)
		s.signIn("mia").get(path).want(t, 200).has(t, ">44<", "2 in the queue").hasNot(t, ">5<", "Default Project").inert(t)
		s.signIn("rita").get(path).want(t, 200).has(t, "There is no project that you see.")
	})
}
