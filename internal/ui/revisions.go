package ui

import (
	"context"
	"fmt"

	"github.com/belayhq/belay"
	"github.com/belayhq/belay/internal/app"
	"github.com/belayhq/belay/internal/runs"
)

// watchedRun reads of its logs only what came since it looked last.
func (v *visit) watchedRun(id string) look {
	var read [2]int64
	return func(ctx context.Context, s belay.Principal) (string, bool, error) {
		r, err := v.ui.Runs.Show(ctx, s, id)
		if err != nil {
			return "", false, err
		}
		for i, phase := range []string{r.Plan.ID, r.Apply.ID} {
			if read[i] >= largestLog {
				continue
			}
			data, _, err := v.ui.Logs.Piece(ctx, phase, read[i], largestLog-read[i])
			if err != nil {
				return "", false, err
			}
			read[i] += int64(len(data))
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

func (v *visit) watchedWorkspace(id string) look {
	return func(ctx context.Context, s belay.Principal) (string, bool, error) {
		w, err := v.ui.App.Workspace(ctx, s, belay.WorkspaceRef{ID: id})
		return workspaceRevision(&w), false, err
	}
}
