package app

import (
	"context"
	"time"

	"github.com/belayhq/belay/internal/background"
)

// Run does the background jobs until ctx ends, and then what must not be left undone.
func (a *App) Run(ctx context.Context) {
	jobs := []background.Job{
		{Every: 10 * time.Second, Do: a.noteUsedTokens},
		{Every: time.Hour, Do: a.sweepFiles},
		{Every: sweepEvery, Do: a.sweepExpired},
		{Every: time.Hour, Do: a.forgetAnswers},
		{Every: time.Minute, Do: a.dropUnfinished},
		{Every: time.Minute, Do: a.tellLeft},
		{Every: time.Minute, Do: a.dropDoomedTags},
		{Every: time.Hour, Do: a.resolveEngines, Early: a.resolve},
		{Every: time.Minute, Do: a.eraseGone, Early: a.erase},
		{Every: 5 * time.Second, Do: a.readNames},
		{Every: time.Hour, Do: a.forgetDeleted, Early: a.forget},
		{Every: time.Minute, Do: a.eraseExpired, Early: a.expired},
		{Every: countStorageEvery, Do: a.countStorage},
	}
	jobs = append(jobs, a.States.Jobs()...)
	if a.providers != nil {
		jobs = append(jobs, background.Job{Every: recheckEvery, Do: a.recheckPeople})
	}
	background.Run(ctx, jobs...)
	a.writing.Wait()
	a.noteUsedTokens(context.WithoutCancel(ctx))
	a.NoteReads(context.WithoutCancel(ctx))
}
