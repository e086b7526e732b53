package e2e_test

import (
	"fmt"
	"slices"
	"testing"
)

// tabsOf is the pages of a workspace that a page offers.
func (r reply) tabsOf(t testing.TB, want ...string) {
	t.Helper()
	for _, name := range []string{"runs", "state", "variables", "change-requests", "activity", "access", "settings"} {
		link := fmt.Sprintf(`<a href="%s/%s"`, networkPage, name)
		if slices.Contains(want, name) {
			r.has(t, link)
		} else {
			r.hasNot(t, link)
		}
	}
}

// stateHolding is a state of the test's lineage with resources and outputs.
func stateHolding(serial int, resources, outputs string) []byte {
	return fmt.Appendf(nil, `{"version":4,"terraform_version":"1.12.6","serial":%d,"lineage":%q,"outputs":{%s},"resources":[%s]}`, serial, lineage, outputs, resources)
}

// hold makes a state the current one of a workspace.
func (s *server) hold(id string, serial int, resources, outputs string) string {
	s.t.Helper()
	s.lock(id)
	made := s.give(id, stateHolding(serial, resources, outputs), int64(serial))
	s.unlock(id)
	return made.ID
}

// instances is a resource of a type with so many instances.
func instances(kind string, n int) string {
	list := ""
	for i := range n {
		list += fmt.Sprintf(`%s{"index_key":%d,"attributes":{"id":"%s-%d"}}`, map[bool]string{true: ","}[i > 0], i, kind, i)
	}
	return fmt.Sprintf(`{"mode":"managed","type":%q,"name":"some","provider":"provider[\"registry.opentofu.org/hashicorp/random\"]","instances":[%s]}`, kind, list)
}

// TestOverviewOfAWorkspace says what is so, what waits, and offers only what the visitor may open.
func TestOverviewOfAWorkspace(t *testing.T) {
	each(t, func(t *testing.T, s *server) {
		id := s.people()
		owner, reader, stranger := s.signIn("olga"), s.signIn("rita"), s.signIn("stan")
		owner.get(networkPage).want(t, 200).has(t, "It has no state yet.", "No run yet.", ">0 in all<").tabsOf(t, "runs", "state", "variables", "change-requests", "activity", "access", "settings")
		s.hold(id, 1, instances("random_pet", 3), "")
		s.hold(id, 2, instances("random_pet", 5)+","+instances("random_id", 2), `"zone":{"value":"a","type":"string"}`)
		s.fileRequests("acme", "Upgrade it", id)
		shown := owner.get(networkPage).want(t, 200).has(t, `<span class="v">7</span>`, `class="spark"`, "random_pet", "2 types", "2 versions in all",
			"Change requests that wait", "Upgrade it", "All 1", `Change requests <span class="count">1</span>`, `State <span class="count">2</span>`, "zone",
			"data.terraform_remote_state.network.outputs.zone</pre>", "tofu output zone</pre>", `data "terraform_remote_state" "network"`).inert(t)
		if found := shown.actions(); !slices.Equal(found, []string{networkPage + "/start", networkPage + "/lock"}) {
			t.Errorf("an owner is offered %v", found)
		}
		reader.get(networkPage).want(t, 200).has(t, "random_pet").tabsOf(t, "runs", "state", "variables", "change-requests", "access")
		if to := owner.get(networkPage+"/overview").want(t, 303).Header.Get("Location"); to != networkPage {
			t.Errorf("the overview is at %s", to)
		}
		owner.get(networkPage+"/change-requests").want(t, 200).has(t, "Upgrade it", "<title>Change requests of network").inert(t)
		owner.get(networkPage+"/nothing").want(t, 404)
		for _, tab := range []string{"", "/overview", "/runs", "/change-requests", "/nothing"} {
			if got := stranger.get(networkPage + tab).Status; got != 404 && tab != "/overview" {
				t.Errorf("a stranger has %d for %q", got, tab)
			}
		}
	})
}

// TestOverviewOfARun says what the current run waits for.
func TestOverviewOfARun(t *testing.T) {
	each(t, func(t *testing.T, s *server) {
		s.people()
		ws := s.runnable("cluster")
		owner := s.signIn("olga")
		one := s.do("POST", "/runs", s.Token, runOf(ws, `"message":"Grow the <cluster>"`)).want(t, 201).text("data.id")
		const page = "/app/acme/workspaces/cluster"
		owner.get(page).want(t, 200).has(t, "Latest runs", `Runs <span class="count">1</span>`, "Grow the &lt;cluster&gt;", "Waits for a runner", "All 1", page+"/runs/"+one).inert(t)
	})
}
