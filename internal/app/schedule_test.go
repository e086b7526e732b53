package app

import (
	"testing"
	"time"

	"github.com/belayhq/belay"
	"github.com/belayhq/belay/internal/identity"
	"github.com/belayhq/belay/internal/patch"
)

// TestWhoCantApplyCantHaveItDestroyed sets schedules, in every way there is, as one who may
// change settings and not apply runs: a token of the organization.
func TestWhoCantApplyCantHaveItDestroyed(t *testing.T) {
	eachAging(t, func(t *testing.T, a *aging) {
		ctx := t.Context()
		ref := a.workspace("network", 0)
		_, value, err := a.ReplaceOrganizationToken(ctx, a.admin, "acme", "", identity.NewToken{})
		a.must(err)
		token, err := a.Authenticate(ctx, value)
		a.must(err)
		w, err := a.Workspace(ctx, a.admin, ref)
		a.must(err)
		duration, at := patch.Of("1h"), patch.Of(time.Now().Add(time.Hour))
		refused := func(what string, err error, kind belay.Kind) {
			t.Helper()
			if belay.KindOf(err) != kind {
				t.Errorf("%s: %v", what, err)
			}
		}
		_, err = a.UpdateWorkspace(ctx, token, ref, belay.WorkspacePatch{AutoDestroyAt: at})
		refused("a moment", err, belay.Invalid)
		_, err = a.UpdateWorkspace(ctx, token, ref, belay.WorkspacePatch{AutoDestroyActivityDuration: duration})
		refused("a duration", err, belay.Invalid)
		_, err = a.CreateWorkspace(ctx, token, "acme", belay.WorkspacePatch{Name: patch.Of("new"), AutoDestroyAt: at})
		refused("a new workspace", err, belay.Invalid)
		_, err = a.UpdateProject(ctx, token, w.ProjectID, belay.ProjectPatch{AutoDestroyActivityDuration: duration})
		refused("a project", err, belay.Invalid)
		_, err = a.CreateProject(ctx, token, "acme", belay.ProjectPatch{Name: patch.Of("short"), AutoDestroyActivityDuration: duration})
		refused("a new project", err, belay.Invalid)
		short, err := a.CreateProject(ctx, a.admin, "acme", belay.ProjectPatch{Name: patch.Of("short"), AutoDestroyActivityDuration: duration})
		a.must(err)
		_, err = a.UpdateWorkspace(ctx, token, ref, belay.WorkspacePatch{ProjectID: patch.Of(short.ID)})
		refused("a move", err, belay.Invalid)
		refused("moving many", a.MoveWorkspaces(ctx, token, short.ID, []string{w.ID}), belay.Forbidden)

		// What others set, it may leave, and take away.
		_, err = a.UpdateWorkspace(ctx, a.admin, ref, belay.WorkspacePatch{AutoDestroyActivityDuration: duration})
		a.must(err)
		_, err = a.UpdateWorkspace(ctx, token, ref, belay.WorkspacePatch{Description: patch.Of("mine")})
		a.must(err)
		_, err = a.UpdateWorkspace(ctx, token, ref, belay.WorkspacePatch{AutoDestroyActivityDuration: patch.Of("")})
		a.must(err)
		_, err = a.CreateWorkspace(ctx, token, "acme", belay.WorkspacePatch{Name: patch.Of("new"), ProjectID: patch.Of(short.ID)})
		a.must(err)
	})
}
