package runs_test

import (
	"testing"

	"github.com/belayhq/belay"
	"github.com/belayhq/belay/internal/patch"
	"github.com/belayhq/belay/internal/runs"
	"github.com/belayhq/belay/run"
)

// TestConfigurationsOfHiddenWorkspacesAreNotIncluded plans what was uploaded for another
// workspace, and asks for it as somebody who may read the run alone.
func TestConfigurationsOfHiddenWorkspacesAreNotIncluded(t *testing.T) {
	each(t, func(t *testing.T, h *house) {
		ctx := t.Context()
		other := h.workspace("apart")
		now, err := h.verbs.Workspace(ctx, h.admin, belay.WorkspaceRef{ID: other.ID})
		h.must(err)
		foreign := h.create(func(w *run.Wanted) { w.ConfigurationVersionID = patch.Of(now.ConfigurationID) })
		own := h.create(nil)
		reader := h.team("read")
		for who, want := range map[*belay.Principal]int{&h.admin: 2, &reader: 1} {
			views := make([]runs.View, 0, 2)
			for _, id := range []string{foreign.ID, own.ID} {
				view, err := h.Show(ctx, *who, id)
				h.must(err)
				views = append(views, view)
			}
			found, err := h.Related(ctx, *who, views, runs.Wish{Configurations: true})
			h.must(err)
			if len(found.Configurations) != want {
				t.Errorf("%s: %d configurations, want %d", who.Name, len(found.Configurations), want)
			}
			for _, c := range found.Configurations {
				if want == 1 && c.WorkspaceID != h.ws.ID {
					t.Errorf("the configuration of %s is shown", c.WorkspaceID)
				}
			}
		}
	})
}
