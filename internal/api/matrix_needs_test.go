package api_test

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/belayhq/belay"
	"github.com/belayhq/belay/internal/api"
	"github.com/belayhq/belay/internal/api/door"
	"github.com/belayhq/belay/internal/store"
)

// asksMore is the routes that never ask for just what they name, and what they ask besides.
var asksMore = map[string]string{
	"GET /run-triggers/{run_trigger_id}": "the other workspace, too",
}

// needs holds what the routes say that they need against who was let in.
type needs struct {
	t      testing.TB
	routes map[string]api.Route
	roles  []*role
	has    map[string]access   // by the code of the role
	met    map[string][]string // who was let in and who should have been, of routes whose need was not all
}

// access is what a role may do with the workspace of the world, its project and its organization.
type access struct{ workspace, project, everywhere belay.Permission }

func (w *world) needs() *needs {
	n := &needs{t: w.t, roles: w.roles, routes: map[string]api.Route{}, has: map[string]access{}, met: map[string][]string{}}
	for _, r := range w.routes {
		n.routes[r.Method+" "+strings.TrimPrefix(r.Path, "/api/v2")] = r
	}
	err := w.db.View(w.t.Context(), func(v *store.View) error {
		o, err := v.Organization("acme")
		for _, r := range w.roles {
			if err != nil || r.token == "" {
				continue
			}
			var s belay.Principal
			if s, err = w.verbs.Authenticate(w.t.Context(), r.token); err != nil {
				return err
			}
			var a belay.Access
			a, err = v.Access(s, o)
			n.has[r.code] = access{a.OnWorkspace(w.shared["workspace_id"], w.shared["project_id"]), a.OnProject(w.shared["project_id"]), a.Everywhere}
		}
		return err
	})
	if err != nil {
		w.t.Fatal(err)
	}
	return n
}

// level is on what a permission is given at the least.
func (a access) level(p belay.Permission) belay.Permission {
	opens := func(scope belay.GrantScope) bool {
		alone := belay.NewAccess(belay.Principal{Kind: belay.UserPrincipal}, []belay.Grant{{Scope: scope, ScopeID: "x", ProjectID: "x", Level: "admin"}})
		return alone.OnWorkspace("x", "x").Has(p)
	}
	switch {
	case opens(belay.OnWorkspaces):
		return a.workspace
	case opens(belay.OnProjects):
		return a.project
	default:
		return a.everywhere
	}
}

// may says whether a role has what a route needs: of things at the least, or in the whole organization.
func (n *needs) may(route api.Route, code string, everywhere bool) bool {
	if route.Open {
		return true
	}
	if code == "no" || !by[route.By](code) {
		return false
	}
	has := n.has[code]
	if everywhere {
		return has.everywhere.Has(route.Needs)
	}
	for _, p := range route.Needs.Each() {
		if !has.level(p).Has(p) {
			return false
		}
	}
	return true
}

// by is whose tokens the roles have.
var by = map[door.By]func(code string) bool{
	"":                 func(string) bool { return true },
	door.AnyToken:      func(string) bool { return true },
	door.People:        func(code string) bool { return !slices.Contains([]string{"tt", "ag", "at", "ot"}, code) },
	door.UsersAndTeams: func(code string) bool { return code != "ot" && code != "at" },
	door.Organizations: func(code string) bool { return code == "ot" || code == "at" },
	door.Themselves:    func(code string) bool { return code == "sa" },
	door.SiteAdmins:    func(code string) bool { return code == "sa" },
}

// hold sees that nobody was let in without what the route needs.
func (n *needs) hold(r row, let map[string]bool) {
	route := n.routes[r.route]
	if route.Needs == (belay.Permission{}) && route.By == "" && !route.Open {
		n.t.Errorf("%s does not say what it needs: name the permission that its verb asks for in its row of the table of routes", r.route)
		return
	}
	var those [2][]string // who has it on the thing, and everywhere
	for _, role := range n.roles {
		for i, everywhere := range []bool{false, true} {
			if n.may(route, role.code, everywhere) {
				those[i] = append(those[i], role.code)
			}
		}
		if let[role.code] && !n.may(route, role.code, false) {
			n.t.Errorf("%s let %s in (%s) without %s", r.route, role.code, role.who, route.Needed())
		}
	}
	in := slices.DeleteFunc(slices.Sorted(maps.Keys(let)), func(code string) bool { return !let[code] })
	for i := range those {
		slices.Sort(those[i])
		if slices.Equal(those[i], in) {
			n.met[r.route] = nil
			return
		}
	}
	if known, seen := n.met[r.route]; !seen || known != nil {
		n.met[r.route] = []string{strings.Join(in, " "), strings.Join(those[0], " ")}
	}
}

// told names the routes that keep others out than those who have not what they need.
func (n *needs) told() {
	for route, met := range n.met {
		if met != nil && asksMore[route] == "" {
			n.t.Errorf("%s let in %s, and %s have what it needs: %s", route, met[0], met[1], n.routes[route].Needed())
		}
		if met == nil && asksMore[route] != "" {
			n.t.Errorf("%s asks for just what it names; take it out of asksMore", route)
		}
	}
}
