package e2e_test

import (
	"fmt"
	"net/url"
	"regexp"
	"strings"
	"testing"

	"github.com/hashicorp/go-tfe"
)

// TestWorkspacesByRunAndProject narrows the list by what the current run does and by project, all of it in the address.
func TestWorkspacesByRunAndProject(t *testing.T) {
	each(t, func(t *testing.T, s *server) {
		s.people()
		ws := s.runnable("cluster")
		one := s.do("POST", "/runs", s.Token, runOf(ws, `"message":"Grow it"`)).want(t, 201).text("data.id")
		project := s.do("POST", "/organizations/acme/projects", s.Token, `{"data":{"type":"projects","attributes":{"name":"Edge <one>"}}}`)
		if project.Status != 201 { // names of projects have no such letters
			project = s.do("POST", "/organizations/acme/projects", s.Token, `{"data":{"type":"projects","attributes":{"name":"Edge one"}}}`).want(t, 201)
		}
		name := project.text("data.attributes.name")
		s.newWorkspace("acme", "cdn", func(o *tfe.WorkspaceCreateOptions) {
			o.Project = &tfe.Project{ID: project.text("data.id")}
			o.TagBindings = []*tfe.TagBinding{{Key: "team", Value: "web"}}
		})
		owner, reader := s.signIn("olga"), s.signIn("rita")
		const list = "/app/acme/workspaces"
		owner.get(list).want(t, 200).has(t, "Waits for a runner", `<b>1</b> running or queued`, `<b>2</b> no run yet`, "3 workspaces.", list+"?run=running").inert(t)
		owner.get(list+"?run=running").want(t, 200).has(t, "1 workspace found", "cluster</a>", "Run: running or queued", `value="running" checked`).hasNot(t, "cdn</a>").inert(t)
		owner.get(list+"?run=none&run=failed").want(t, 200).has(t, "2 workspaces found", "cdn</a>", "network</a>").hasNot(t, "cluster</a>")
		owner.get(list+"?run=none&project="+url.QueryEscape(name)).want(t, 200).has(t, "1 workspace found", "cdn</a>").hasNot(t, "network</a>").inert(t)
		owner.get(list+"?project=nothing").want(t, 200).has(t, "0 workspaces found", "No workspace that you see fits.")
		owner.get(list+"?run=nothing").want(t, 200).has(t, "3 workspaces.")
		for _, vector := range vectors {
			owner.get(list+"?run="+url.QueryEscape(vector)+"&project="+url.QueryEscape(vector)).want(t, 200).inert(t)
		}
		// Beside each choice stands how many it would find, with all else that is asked for.
		is := func(query, param, value, want string) {
			t.Helper()
			page := owner.get(list+query).want(t, 200).inert(t)
			found := regexp.MustCompile(`name="` + param + `" value="` + value + `"[^>]*>[^<]*<span class="faint">([^<]*)<`).FindStringSubmatch(page.Body)
			if found == nil || found[1] != want {
				t.Errorf("%s: %s %s has %v, not %s", query, param, value, found, want)
			}
		}
		for _, c := range [][4]string{
			{"", "run", "running", "1"}, {"", "run", "none", "2"}, {"", "run", "failed", "0"}, {"", "project", name, "1"}, {"", "project", "Default Project", "2"},
			{"?run=none", "run", "running", "1"}, {"?run=none", "project", "Default Project", "1"}, {"?run=running", "project", name, "0"},
			{"?project=" + url.QueryEscape(name), "run", "none", "1"}, {"?project=" + url.QueryEscape(name), "run", "running", "0"},
			{"?search=c", "run", "none", "1"}, {"?search=c", "project", "Default Project", "1"}, {"?tags=team%3Dweb", "project", name, "1"}, {"?tags=team%3Dweb", "run", "running", "0"},
			{"?tags=nothing", "run", "none", "0"},
		} {
			is(c[0], c[1], c[2], c[3])
		}
		seen := reader.get(list).want(t, 200)
		if !strings.Contains(seen.Body, `no run yet<span class="faint">1<`) {
			t.Errorf("a reader counts more or less than it sees: %s", seen.Body)
		}
		// Who does not see all workspaces is not told how many of them there are.
		reader.get(list).want(t, 200).has(t, "1 workspace.").hasNot(t, "running or queued</a>", `class="strip"`, "cluster").inert(t)
		s.do("POST", "/runs/"+one+"/actions/cancel", s.Token, "").want(t, 202)
		owner.get(list+"?run=dropped").want(t, 200).has(t, "1 workspace found", "Canceled")
	})
}

// TestWorkspacesAsAFile takes the list with its filter as CSV: whole, as far as one sees it, and without a
// cell that a spreadsheet computes.
func TestWorkspacesAsAFile(t *testing.T) {
	each(t, func(t *testing.T, s *server) {
		id := s.people()
		s.do("PATCH", "/workspaces/"+id+"/tag-bindings", s.Token, `{"data":[{"type":"tag-bindings","attributes":{"key":"=1+1","value":"x"}}]}`).want(t, 200)
		s.newWorkspace("acme", "-2", func(o *tfe.WorkspaceCreateOptions) {})
		for i := range 60 {
			s.workspace("acme", fmt.Sprintf("app-%02d", i))
		}
		s.lock(id)
		owner, reader, stranger := s.signIn("olga"), s.signIn("rita"), s.signIn("stan")
		const list = "/app/acme/workspaces"
		owner.get(list+"?search=net").want(t, 200).has(t, `href="`+list+`?csv=&amp;search=net"`).inert(t)
		file := owner.get(list+"?csv=&page=2").want(t, 200)
		if lines := strings.Count(file.Body, "\n"); lines != 63 || !strings.HasPrefix(file.Header.Get("Content-Type"), "text/csv") {
			t.Errorf("%d lines of %s: %s", lines, file.Header.Get("Content-Type"), file.Body)
		}
		file.has(t, "workspace,run,project,lock,", `"app-59"`, `"'-2"`, `"locked by admin"`, `"'=1+1=x"`)
		owner.get(list+"?csv&search=net").want(t, 200).has(t, `"network"`).hasNot(t, "app-")
		reader.get(list+"?csv").want(t, 200).has(t, `"network"`).hasNot(t, "app-")
		stranger.get(list+"?csv").want(t, 404)
	})
}
