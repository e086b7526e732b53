package repos_test

import (
	"strings"
	"testing"

	"github.com/belayhq/belay"
	"github.com/belayhq/belay/forge"
	"github.com/belayhq/belay/internal/forgetest"
	"github.com/belayhq/belay/internal/patch"
	"github.com/belayhq/belay/internal/store"
	"github.com/belayhq/belay/run"
)

// scoped lets the connection serve one project and no other.
func (h *house) scoped() (client string, project belay.Project) {
	h.t.Helper()
	view, err := h.verbs.CreateProject(h.t.Context(), h.admin, "acme", belay.ProjectPatch{Name: patch.Of("served")})
	h.must(err)
	h.must(h.db.View(h.t.Context(), func(v *store.View) error {
		t, err := v.OAuthToken(h.token)
		client = t.ClientID
		return err
	}))
	_, err = h.verbs.UpdateOAuthClient(h.t.Context(), h.admin, client, forge.OAuthClientPatch{
		OrganizationScoped: patch.Of(false), Projects: patch.Of([]string{view.ID}),
	})
	h.must(err)
	return client, view.Project
}

// TestAConnectionFetchesForItsProjectsAlone takes a workspace out of the projects that its connection
// serves, by a move and by another scope: nothing of the repository comes to it any more, and the
// repository hears nothing of it. Where it comes back, all goes on.
func TestAConnectionFetchesForItsProjectsAlone(t *testing.T) {
	t.Parallel()
	for name, lose := range map[string]func(h *house, ref belay.WorkspaceRef, client, other string) (back func()){
		"a move": func(h *house, ref belay.WorkspaceRef, _, other string) func() {
			w, err := h.verbs.Workspace(h.t.Context(), h.admin, ref)
			h.must(err)
			h.must(h.verbs.MoveWorkspaces(h.t.Context(), h.admin, other, []string{ref.ID}))
			return func() { h.must(h.verbs.MoveWorkspaces(h.t.Context(), h.admin, w.ProjectID, []string{ref.ID})) }
		},
		"another scope": func(h *house, ref belay.WorkspaceRef, client, _ string) func() {
			w, err := h.verbs.Workspace(h.t.Context(), h.admin, ref)
			h.must(err)
			h.must(h.verbs.ChangeClientProjects(h.t.Context(), h.admin, client, []string{w.ProjectID}, false))
			return func() {
				h.must(h.verbs.ChangeClientProjects(h.t.Context(), h.admin, client, []string{w.ProjectID}, true))
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			each(t, func(h *house) {
				before := h.forge.Commit("main.tf", "")
				client, served := h.scoped()
				other, err := h.verbs.CreateProject(h.t.Context(), h.admin, "acme", belay.ProjectPatch{Name: patch.Of("other")})
				h.must(err)
				ref := h.workspace("network", func(p *belay.WorkspacePatch) { p.ProjectID = patch.Of(served.ID) })
				h.settle()
				list := h.runsOf(ref)
				if len(list) != 1 || list[0].CommitSHA != before {
					h.t.Fatalf("the first run: %s", short(list))
				}
				told := len(h.forge.Told())
				back := lose(h, ref, client, other.ID)

				after := h.forge.Commit("main.tf", "x")
				fetched := h.forge.Count(func(f *forgetest.Forge) int { return f.Fetched })
				h.push(ref, "d-1", forgetest.Push("refs/heads/main", before, after, "main.tf"))
				h.pull(ref, "d-2", 7, after, "acme/app")
				h.settle()
				_, err = h.runs.Create(h.t.Context(), h.admin, run.Wanted{WorkspaceID: ref.ID})
				if belay.KindOf(err) != belay.Invalid || !strings.Contains(err.Error(), forge.OutOfReach) {
					h.t.Errorf("a run of the head: %v", err)
				}
				h.pass(h.PollEvery)
				h.settle()
				h.must(h.runs.Cancel(h.t.Context(), h.admin, list[0].ID, ""))
				h.settle()
				if list = h.runsOf(ref); len(list) != 1 {
					h.t.Errorf("out of reach it has runs: %s", short(list))
				}
				if n := h.forge.Count(func(f *forgetest.Forge) int { return f.Fetched }); n != fetched {
					h.t.Errorf("the service was asked for %d commits", n-fetched)
				}
				for _, line := range h.forge.Told()[told:] {
					if !strings.Contains(line, "does not serve") {
						h.t.Errorf("the repository was told %q", line)
					}
				}
				if events := h.events(); !strings.Contains(events, "1 in projects that the connection does not serve") {
					h.t.Errorf("what happened: %s", events)
				}

				back()
				last := h.forge.Commit("main.tf", "y")
				h.push(ref, "d-3", forgetest.Push("refs/heads/main", after, last, "main.tf"))
				h.settle()
				if list = h.runsOf(ref); len(list) != 2 || list[1].CommitSHA != last {
					h.t.Errorf("back in reach: %s", short(list))
				}
			})
		})
	}
}

// TestWhatWasThrownAwayIsNotFetchedAnew gives a run a configuration version whose archive is gone,
// once its workspace is out of reach.
func TestWhatWasThrownAwayIsNotFetchedAnew(t *testing.T) {
	t.Parallel()
	each(t, func(h *house) {
		h.forge.Commit("main.tf", "1")
		_, served := h.scoped()
		other, err := h.verbs.CreateProject(h.t.Context(), h.admin, "acme", belay.ProjectPatch{Name: patch.Of("other")})
		h.must(err)
		ref := h.workspace("network", func(p *belay.WorkspacePatch) { p.ProjectID = patch.Of(served.ID) })
		h.settle()
		first := h.runsOf(ref)[0]
		after := h.forge.Commit("main.tf", "2")
		h.push(ref, "d", forgetest.Push("refs/heads/main", first.CommitSHA, after, "main.tf"))
		h.settle()
		h.must(h.runs.Cancel(h.t.Context(), h.admin, h.runsOf(ref)[1].ID, ""))
		_, c := h.givenUp(&first)
		h.must(h.verbs.MoveWorkspaces(h.t.Context(), h.admin, other.ID, []string{ref.ID}))
		fetched := h.forge.Count(func(f *forgetest.Forge) int { return f.Fetched })
		_, err = h.runs.Create(h.t.Context(), h.admin, run.Wanted{WorkspaceID: ref.ID, ConfigurationVersionID: patch.Of(c.ID)})
		h.must(err)
		h.settle()
		if list := h.runsOf(ref); len(list) != 3 || list[2].Status != run.Errored || !strings.Contains(list[2].Error, forge.OutOfReach) {
			h.t.Errorf("a run out of reach: %s", short(list))
		}
		if n := h.forge.Count(func(f *forgetest.Forge) int { return f.Fetched }); n != fetched {
			h.t.Errorf("the commit was fetched %d times more", n-fetched)
		}
	})
}

// TestWhatIsFetchedMeanwhileStaysBehind takes a workspace out of reach while its commit is fetched.
func TestWhatIsFetchedMeanwhileStaysBehind(t *testing.T) {
	t.Parallel()
	each(t, func(h *house) {
		h.forge.Commit("main.tf", "")
		_, served := h.scoped()
		other, err := h.verbs.CreateProject(h.t.Context(), h.admin, "acme", belay.ProjectPatch{Name: patch.Of("other")})
		h.must(err)
		ref := h.workspace("network", func(p *belay.WorkspacePatch) {
			p.ProjectID, p.QueueAllRuns = patch.Of(served.ID), patch.Of(false)
		})
		h.settle()
		_, err = h.runs.Create(h.t.Context(), h.admin, run.Wanted{WorkspaceID: ref.ID}) // its fetch is wanted, and not begun
		h.must(err)
		h.must(h.verbs.MoveWorkspaces(h.t.Context(), h.admin, other.ID, []string{ref.ID}))
		h.settle()
		list := h.runsOf(ref)
		if len(list) != 1 || list[0].Status != run.Errored || !strings.Contains(list[0].Error, forge.OutOfReach) {
			h.t.Fatalf("the run whose commit was fetched meanwhile: %s", short(list))
		}
	})
}
