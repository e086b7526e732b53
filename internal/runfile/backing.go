package runfile

import (
	"context"
	"slices"

	"github.com/belayhq/belay/internal/store"
	"github.com/belayhq/belay/run"
)

// planFiles is what lies behind a plan. Behind an apply lies its log alone: the state that it
// could not store stays.
var planFiles = []run.FileKind{
	run.PlanFile, run.PlanJSONFile, RedactedFile, run.SchemasFile, run.LockFile, run.ModulesFile, run.GeneratedFile, run.EventsFile, run.PlanLogFile,
}

// checksIn is the stages whose checks say into a log what they say: with it goes what is kept of that.
var checksIn = map[run.FileKind][]run.CheckStage{
	run.PlanLogFile: {run.PrePlan, run.PostPlan}, run.ApplyLogFile: {run.PreApply},
}

// GiveUp forgets the files behind a plan or an apply. What it answers deletes them, once
// that is committed.
func (r *Room) GiveUp(tx *store.Tx, of *run.Run, phaseID string) (del func(context.Context), err error) {
	kinds, log := planFiles, run.PlanLogFile
	if phaseID == of.Apply.ID {
		kinds, log = []run.FileKind{run.ApplyLogFile}, run.ApplyLogFile
	}
	rows, err := tx.RunFiles(of.ID)
	if err == nil {
		err = tx.DropCheckOutput(of.ID, checksIn[log]...) // also where the log is no file yet
	}
	var keys []string
	for i := range rows {
		if err == nil && slices.Contains(kinds, rows[i].Kind) {
			keys = append(keys, rows[i].Key)
			err = tx.DropRunFile(&rows[i])
		}
	}
	return func(ctx context.Context) { r.Objects.Forget(ctx, keys...) }, err
}
