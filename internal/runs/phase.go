package runs

import (
	"context"
	"strings"

	"github.com/belayhq/belay"
	"github.com/belayhq/belay/internal/gate"
	"github.com/belayhq/belay/internal/store"
	"github.com/belayhq/belay/run"
)

// PhaseView is the run that a plan or an apply is of, as a principal sees it.
type PhaseView struct {
	View
	StateIDs []string // the states that came of it, the oldest first
}

// Phase hands out the run that a plan or an apply belongs to, by the id of either or of the
// run itself, to those who have a permission on its workspace.
func (m *Room) Phase(ctx context.Context, s belay.Principal, id string, need belay.Permission) (view PhaseView, err error) {
	err = m.DB.View(ctx, func(v *store.View) error {
		r, err := byAnyID(v, id)
		if err == nil && r.Assesses() {
			err = belay.ErrNotFound
		}
		if err != nil {
			return err
		}
		w, access, err := gate.Workspace(v, s, belay.WorkspaceRef{ID: r.WorkspaceID}, need)
		if err != nil {
			return err
		}
		states, err := v.StatesOfRuns([]string{r.ID})
		view = PhaseView{m.seen(&w, access, r), states[r.ID]}
		return err
	})
	return view, err
}

func byAnyID(v *store.View, id string) (run.Run, error) {
	if strings.HasPrefix(id, "run-") {
		return v.Run(id)
	}
	return v.RunOfPhase(id)
}
