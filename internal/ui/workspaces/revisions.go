package workspaces

import (
	"context"
	"fmt"

	"github.com/belayhq/belay"
	"github.com/belayhq/belay/internal/app"
	"github.com/belayhq/belay/internal/runs"
	"github.com/belayhq/belay/internal/ui/frame"
	"github.com/belayhq/belay/internal/ui/logtext"
)

// WatchedRun reads of its logs only what came since it looked last.
func WatchedRun(v *frame.Visit, id string) frame.Look {
	var read [2]int64
	return func(ctx context.Context, s belay.Principal) (string, bool, error) {
		r, err := v.UI.Runs.Show(ctx, s, id)
		if err != nil {
			return "", false, err
		}
		for i, phase := range []string{r.Plan.ID, r.Apply.ID} {
			if read[i], _, err = logtext.Read(ctx, v.UI.Logs.Piece, phase, read[i], logtext.First, func([]byte) {}); err != nil {
				return "", false, err
			}
		}
		return runRevision(&r, read[0], read[1]), r.Status.Final(), nil
	}
}

// What a page of a thing shows that may change while somebody looks.
func workspaceRevision(w *app.WorkspaceView) string {
	return fmt.Sprint(w.Lock.Holder, w.Lock.At, w.CurrentRunID, w.CurrentRunStatus, w.LatestChangeAt, w.UpdatedAt, w.OpenChangeRequests)
}

func runRevision(r *runs.View, plan, apply int64) string {
	return fmt.Sprint(r.Status, len(r.Events), plan, apply)
}

// WatchedWorkspace looks at what the pages of a workspace show.
func WatchedWorkspace(v *frame.Visit, id string) frame.Look {
	return func(ctx context.Context, s belay.Principal) (string, bool, error) {
		w, err := v.UI.App.Workspace(ctx, s, belay.WorkspaceRef{ID: id})
		return workspaceRevision(&w), false, err
	}
}
