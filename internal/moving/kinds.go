package moving

import (
	"context"
	"slices"
	"strings"

	"github.com/belayhq/belay/internal/remote"
)

// by is the key of things that one attribute names.
func by(attribute string) func(*side, *remote.Resource) string {
	return func(_ *side, r *remote.Resource) string { return r.Text(attribute) }
}

// plain is the facts of things that have attributes alone.
func plain(names ...string) func(*side, *remote.Resource) facts {
	return func(_ *side, r *remote.Resource) facts {
		f := facts{}
		f.take(r, names...)
		return f
	}
}

// learning remembers the names of what was found on both sides.
func (o *organization) learning(typ string, key func(*side, *remote.Resource) string) func(context.Context, pair) error {
	return func(_ context.Context, p pair) error {
		o.both(typ, p, key(o.from, &p.from))
		return nil
	}
}

func (o *organization) both(typ string, p pair, name string) {
	o.from.learn(typ, p.from.ID, name)
	o.to.learn(typ, p.to.ID, name)
}

// top is the organization as an owner.
func (o *organization) top() owner {
	return owner{from: remote.Path(o.fromName), to: remote.Path(o.toName), label: o.toName, fresh: o.fresh}
}

// bringPools brings agent pools. A new one is open to the whole organization until its own
// scope comes at the end: workspaces could not name it before.
func (o *organization) bringPools(ctx context.Context) error {
	k := &kind{
		typ: "agent-pools", list: "organizations/%s/agent-pools", one: "agent-pools/%s",
		key: by("name"), facts: plain("name"),
	}
	k.found = func(_ context.Context, p pair) error {
		o.both("agent-pools", p, p.from.Text("name"))
		o.pools = append(o.pools, p)
		return nil
	}
	return o.bring(ctx, k, o.top())
}

func (o *organization) bringKeys(ctx context.Context) error {
	k := &kind{
		typ: "ssh-keys", list: "organizations/%s/ssh-keys", one: "ssh-keys/%s", key: by("name"), facts: plain("name"),
		secret: func(*remote.Resource) string { return "value" }, needs: true,
	}
	k.found = o.learning("ssh-keys", k.key)
	return o.bring(ctx, k, o.top())
}

// bringConnections brings OAuth clients, for which somebody must give a token. What names
// them are their oauth-tokens.
func (o *organization) bringConnections(ctx context.Context) error {
	k := &kind{
		typ: "oauth-clients", list: "organizations/%s/oauth-clients", one: "oauth-clients/%s",
		key: func(_ *side, r *remote.Resource) string {
			if name := r.Text("name"); name != "" {
				return name
			}
			return r.Text("service-provider") + " " + r.Text("http-url")
		},
		facts:  plain("name", "service-provider", "http-url", "api-url"),
		secret: func(*remote.Resource) string { return "oauth-token-string" }, needs: true,
	}
	k.found = func(_ context.Context, p pair) error {
		name := k.key(o.from, &p.from)
		o.both("oauth-clients", p, name)
		for s, r := range map[*side]*remote.Resource{o.from: &p.from, o.to: &p.to} {
			tokens, _ := r.Many("oauth-tokens")
			for _, token := range tokens {
				s.learn("oauth-tokens", token.ID, name)
			}
		}
		return nil
	}
	return o.bring(ctx, k, o.top())
}

// defaultProject is what the project is known by that every organization has, whatever it
// is called.
const defaultProject = "(default)"

func (o *organization) bringProjects(ctx context.Context) error {
	defaults := map[*side]string{}
	for s, read := range map[*side]struct {
		from remote.Reader
		name string
	}{o.from: {o.From, o.fromName}, o.to: {o.To, o.toName}} {
		if s == o.to && o.fresh && o.Mode != Import {
			continue
		}
		r, err := remote.One(ctx, read.from, remote.Path("organizations", read.name))
		if err != nil {
			return err
		}
		defaults[s] = r.One("default-project").ID
	}
	k := &kind{
		typ: "projects", list: "organizations/%s/projects", one: "projects/%s", facts: projectFacts,
		key: func(s *side, r *remote.Resource) string {
			if r.ID == defaults[s] && r.ID != "" {
				return defaultProject
			}
			return r.Text("name")
		},
	}
	k.found = func(ctx context.Context, p pair) error {
		o.both("projects", p, k.key(o.from, &p.from))
		return o.bindings(ctx, "projects", p, o.toName+" projects "+p.from.Text("name"))
	}
	at := o.top()
	at.fresh = at.fresh && o.Mode != Import // a new organization has its default project already
	return o.bring(ctx, k, at)
}

func projectFacts(s *side, r *remote.Resource) facts {
	f := facts{}
	f.take(r, "name", "description", "auto-destroy-activity-duration")
	own, told := r.Attributes["setting-overwrites"].(map[string]any)
	if !told {
		return f
	}
	owns, _ := own["default-execution-mode"].(bool)
	f["setting-overwrites"] = map[string]any{"default-execution-mode": owns, "default-agent-pool": owns} // the two go together
	if owns {
		f.take(r, "default-execution-mode")
		if pool, ok := s.one(r, "default-agent-pool"); ok {
			f["default-agent-pool"] = pool
		}
	}
	return f
}

// bringTeams brings teams and what they are allowed to in the organization. That of the
// owners is what it is.
func (o *organization) bringTeams(ctx context.Context) error {
	k := &kind{
		typ: "teams", list: "organizations/%s/teams", one: "teams/%s", key: by("name"),
		facts: func(_ *side, r *remote.Resource) facts {
			f := facts{}
			if r.Text("name") != "owners" {
				f.take(r, "name", "description", "sso-team-id", "visibility", "allow-member-token-management", "organization-access")
				withWhatFollows(f["organization-access"])
			}
			return f
		},
	}
	k.found = func(_ context.Context, p pair) error {
		o.both("teams", p, p.from.Text("name"))
		if p.from.ID == "" || p.to.ID == "" && o.Mode != DryRun {
			return nil
		}
		return o.bringNotifications(ctx, "teams", p, o.toName+" teams "+p.from.Text("name"))
	}
	at := o.top()
	at.fresh = at.fresh && o.Mode != Import // a new organization has its owners already
	return o.bring(ctx, k, at)
}

// withWhatFollows adds to what a team may do in an organization what follows from it on the target, where
// managing is seeing, too. Other servers tell of each switch as it was set.
func withWhatFollows(access any) {
	may, _ := access.(map[string]any)
	for _, rule := range [][2]string{
		{"manage-projects", "manage-workspaces"}, {"manage-projects", "read-projects"}, {"manage-workspaces", "read-workspaces"}, {"read-projects", "read-workspaces"},
	} {
		if _, told := may[rule[1]]; told && may[rule[0]] == true {
			may[rule[1]] = true
		}
	}
}

// bringMembers brings memberships by e-mail address: who is not known on the target is
// invited there.
func (o *organization) bringMembers(ctx context.Context) error {
	k := &kind{
		typ: "organization-memberships", list: "organizations/%s/organization-memberships", one: "organization-memberships/%s",
		key: func(_ *side, r *remote.Resource) string { return strings.ToLower(r.Text("email")) },
		facts: func(s *side, r *remote.Resource) facts {
			f := facts{"email": strings.ToLower(r.Text("email"))}
			if teams, told := s.many(r, "teams", "teams"); told {
				f["teams"] = teams
			}
			return f
		},
	}
	k.extra = func(r *remote.Resource) bool { return r.One("user").ID == o.me.ID } // who moves everything is one of it
	k.change = func(ctx context.Context, thing string, want facts, have remote.Resource) (bool, error) {
		wanted, _ := want["teams"].(links)
		there, _ := o.to.many(&have, "teams", "teams")
		joined := false
		for _, team := range wanted.names {
			id := o.refer(thing, "teams", link{"teams", team})
			if id == "" || slices.Contains(there.names, team) {
				continue
			}
			if err := o.join(ctx, "teams/"+id+"/relationships/organization-memberships", remote.Ref{Type: "organization-memberships", ID: have.ID}); err != nil {
				return joined, err
			}
			joined = true
		}
		return joined, nil
	}
	k.found = func(ctx context.Context, p pair) error {
		email := strings.ToLower(p.from.Text("email"))
		o.both("organization-memberships", p, email)
		for s, r := range map[*side]*remote.Resource{o.from: &p.from, o.to: &p.to} {
			s.learn("users", r.One("user").ID, email)
		}
		return nil
	}
	at := o.top()
	at.fresh = at.fresh && o.Mode != Import // whoever makes an organization is its first member
	return o.bring(ctx, k, at)
}
