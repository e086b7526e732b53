package e2e_test

import (
	"fmt"
	"net/url"
	"strings"
	"testing"
)

// TestTheGraphOfAState: modules folded, one of them open, what is near a resource, as a picture and as a list.
func TestTheGraphOfAState(t *testing.T) {
	each(t, func(t *testing.T, s *server) {
		id := s.people()
		owner, reader, stranger := s.signIn("olga"), s.signIn("rita"), s.signIn("stan")
		needs := func(list ...string) string { return `,"dependencies":["` + strings.Join(list, `","`) + `"]` }
		resources := []string{
			thing("", "vpc", `"id":"v","password":"hunter2"`, ""),
			thing(`module.net["a"]`, "subnet", `"id":"s"`, needs("aws_thing.vpc")),
			thing(`module.net["b"]`, "subnet", `"id":"t"`, needs("aws_thing.vpc")),
			thing("module.app.module.web", "server", `"id":"w"`, needs("aws_thing.vpc", "module.net.aws_thing.subnet", "aws_thing.forgotten")),
		}
		for i := range 30 {
			resources = append(resources, thing("module.many", fmt.Sprintf("<b>%02d", i), `"id":"m"`, needs("module.net.aws_thing.subnet")))
		}
		s.hold(id, 1, strings.Join(resources, ","), "")
		const state = statePath + "/1"
		owner.get(statePath).want(t, 200).has(t, "Dependencies", "<svg class=\"graph\"", "4 groups, 34 resources").hasNot(t, "Draw them").inert(t) // small ones are drawn at once
		owner.get(state+"?graph=modules").want(t, 200).has(t, `<svg class="graph"`, "As a list", "4 groups, 34 resources", "<title>module.app</title>", "2 resources", "30 resources", "graph=module.net").hasNot(t, "forgotten", "hunter2").inert(t)
		// What the way round says already has no edge of its own: app needs net, and net the rest.
		page := owner.get(state + "?graph=modules")
		if n := strings.Count(page.Body, `class="edge"`); n != 3 {
			t.Errorf("%d edges: %s", n, page.Body)
		}
		owner.get(state+"?graph=module.app").want(t, 200).has(t, "module.app.module.web", "elsewhere", `aria-current="true">module.app</a>`).hasNot(t, "<title>module.many</title>").inert(t)
		owner.get(state+"?graph=module.many").want(t, 200).has(t, "<title>module.many.aws_thing</title>", "30 resources").hasNot(t, "<title>module.app</title>").inert(t) // by type: there are too many
		owner.get(state+"?graph=module.net&near=module.net.aws_thing.subnet").want(t, 200).has(t, `node  on`, "aws_thing.vpc", "module.app.module.web.aws_thing.server", "Near module.net").inert(t)
		for _, query := range []string{"graph=module.nothing", "graph=nonsense&near=nothing", "graph=module.%5B%22", "graph="} {
			owner.get(state+"?"+query).want(t, 200).has(t, "Dependencies").inert(t)
		}
		for _, vector := range vectors {
			owner.get(state+"?graph=module."+url.QueryEscape(vector)+"&near="+url.QueryEscape(vector)).want(t, 200).inert(t)
		}
		reader.get(state+"?graph=modules").want(t, 200).has(t, `<svg class="graph"`)
		stranger.get(state+"?graph=modules").want(t, 404)
	})
}

// TestAGraphOfALargeState is bounded, whatever the state holds.
func TestAGraphOfALargeState(t *testing.T) {
	t.Parallel()
	s := start(t, "sqlite")
	id := s.people()
	owner := s.signIn("olga")
	var resources []string
	for i := range 2000 {
		var needs []string
		for j := range 20 {
			needs = append(needs, fmt.Sprintf("module.m%d.aws_thing.r%d", (i+j*7)%80, (i+j*7)%2000))
		}
		resources = append(resources, thing(fmt.Sprintf("module.m%d", i%80), fmt.Sprintf("r%d", i), `"id":"i"`, `,"dependencies":["`+strings.Join(needs, `","`)+`"]`))
	}
	s.hold(id, 1, strings.Join(resources, ","), "")
	page := owner.get(statePath+"/1?graph=modules").want(t, 200).has(t, "40 groups", "<title>others</title>").inert(t)
	if n, edges := strings.Count(page.Body, `<g class="node`), strings.Count(page.Body, `class="edge"`); n != 40 || edges > 300 {
		t.Errorf("%d boxes and %d edges", n, edges)
	}
	t.Logf("%d bytes", len(page.Body))
}
