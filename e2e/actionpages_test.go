package e2e_test

import (
	"net/url"
	"testing"

	"github.com/hashicorp/go-tfe"
)

// TestActionsOfTheSearch offers what may be done with what is found, to those who may do it, and does it.
func TestActionsOfTheSearch(t *testing.T) {
	each(t, func(t *testing.T, s *server) {
		id := s.people()
		s.newWorkspace("acme", "hidden-net", func(o *tfe.WorkspaceCreateOptions) { o.Tags = []*tfe.Tag{{Name: "prod"}} })
		s.runnable("cluster")
		s.hold(id, 1, instances("random_pet", 2), "")
		owner, reader, stranger := s.signIn("olga"), s.signIn("rita"), s.signIn("stan")
		ask := func(words, at string) string {
			return "/app/~/search?" + url.Values{"in": {"acme"}, "q": {words}, "at": {at}}.Encode()
		}
		page := owner.get(ask(">lock network", "")).want(t, 200).has(t, "Lock network</button>", networkPage+`/lock"`).hasNot(t, "State of network", "Workspaces</h2>", "New workspace").inert(t)
		reader.get(ask(">network", "")).want(t, 200).has(t, "State of network</a>").hasNot(t, "Lock network", "Settings of network", "Plan network").inert(t)
		owner.post(networkPage+"/lock", page.form()).want(t, 303)
		owner.get(ask("network", "")).want(t, 200).has(t, "Unlock network</button>", "Workspaces</h2>", "File change requests on what has “network” in its name").inert(t)
		owner.get(ask("", networkPage+"/state/1")).want(t, 200).has(t, "Unlock network</button>", "New workspace</a>", `name="at" value="`+networkPage).inert(t)
		reader.get(ask("", networkPage)).want(t, 200).has(t, "State of network</a>").hasNot(t, "Unlock network", "New workspace", "File change")
		reader.get(ask(">", "/app/acme/workspaces/hidden-net")).want(t, 200).hasNot(t, "of hidden-net", "hidden-net</")
		stranger.get(ask(">network", networkPage)).want(t, 200).hasNot(t, "Lock network", "State of network").inert(t)
		plan := owner.get(ask(">plan cluster", "")).want(t, 200).has(t, "Plan cluster</button>", `name="kind" value="plan-only"`)
		owner.post("/app/acme/workspaces/cluster/start", plan.form()).want(t, 303)
		owner.get(ask("#prod", "")).want(t, 200).has(t, "Workspaces tagged so", "hidden-net</a>").hasNot(t, "Actions</h2>", "Pages</h2>")
		owner.get(ask("@rit", "")).want(t, 200).has(t, "People</h2>").hasNot(t, "Actions</h2>", "Teams</h2>")
		reader.get(ask("@olga", "")).want(t, 200).hasNot(t, "People</h2>", "olga@")
		owner.get(ask(":audit", "")).want(t, 200).has(t, `href="/app/acme/audit"`).hasNot(t, "Actions</h2>")
		owner.get(ask(">new", "")).want(t, 200).has(t, "New workspace</a>", "New token of yours</a>").hasNot(t, "Pages</h2>")
		state := s.do("GET", "/workspaces/"+id+"/current-state-version", s.Token, "").want(t, 200).text("data.id")
		project := s.do("GET", "/workspaces/"+id, s.Token, "").want(t, 200).text("data.relationships.project.data.id")
		for what, want := range map[string]string{state: networkPage + "/state/1", project: "/app/acme/projects/" + project} {
			if to := owner.get(ask(what, "")).want(t, 303).Header.Get("Location"); to != want {
				t.Errorf("%s leads to %s", what, to)
			}
			stranger.get(ask(what, "")).want(t, 200).has(t, "Nothing that you see")
		}
		for _, vector := range vectors {
			owner.get(ask(">"+vector, vector)).want(t, 200).inert(t)
			owner.get(ask(vector, networkPage+"/"+vector)).want(t, 200).inert(t)
		}
	})
}
