package runs_test

import (
	"testing"

	"github.com/belayhq/belay"
	"github.com/belayhq/belay/internal/patch"
	"github.com/belayhq/belay/run"
)

// versionOf is the version that a workspace of the organization names.
func (h *house) versionOf(w belay.Workspace) string {
	h.t.Helper()
	view, err := h.verbs.Workspace(h.t.Context(), h.admin, belay.WorkspaceRef{ID: w.ID})
	h.must(err)
	return view.EngineVersion
}

// TestTheFirstRunSettlesAVersionThatNobodyNamed makes workspaces before there is a runner, as
// whoever makes them in one go with the token of its pool must.
func TestTheFirstRunSettlesAVersionThatNobodyNamed(t *testing.T) {
	each(t, func(t *testing.T, h *house) {
		ctx := t.Context()
		made := func(name string, p belay.WorkspacePatch) belay.Workspace {
			p.Name = patch.Of(name)
			w, err := h.verbs.CreateWorkspace(ctx, h.admin, "acme", p)
			h.must(err)
			h.configure(w.Workspace)
			return w.Workspace
		}
		version := func(r run.Run) string { return r.Engine + " " + r.EngineVersion }
		ran := func(w belay.Workspace) string {
			return version(h.create(func(want *run.Wanted) { want.WorkspaceID = w.ID }))
		}

		newest := h.versionOf(h.ws)
		if newest == "1.9.0" {
			t.Fatal("the runner has the newest version: this says nothing")
		}
		if got := ran(h.ws); got != "tofu 1.9.0" || h.versionOf(h.ws) != "1.9.0" {
			t.Errorf("nobody named it: the run has %s, the workspace %s", got, h.versionOf(h.ws))
		}

		for _, asked := range []string{newest, belay.LatestEngine} {
			w := made("asked-"+asked[:1], belay.WorkspacePatch{TerraformVersion: patch.Of(asked)})
			_, err := h.verbs.UpdateWorkspace(ctx, h.admin, belay.WorkspaceRef{ID: w.ID}, belay.WorkspacePatch{Description: patch.Of("other")})
			h.must(err)
			if asked == newest && ran(w) != "tofu "+newest {
				t.Errorf("%s was asked for, and not taken", newest)
			}
			if got := h.versionOf(w); got != asked {
				t.Errorf("%s was asked for, and became %s", asked, got)
			}
		}

		// What ran once stays with its version, whoever comes.
		ran(made("settled", belay.WorkspacePatch{}))
		_, err := h.Register(ctx, "", "", "127.0.0.1", run.Registration{
			Name: "r2", BootID: belay.RandomText(8), Slots: 4, Engines: []run.EngineBinary{{Product: run.Tofu, Version: newest}},
		})
		h.must(err)
		if got := ran(h.ws); got != "tofu 1.9.0" {
			t.Errorf("after its first run: %s", got)
		}
	})
}
