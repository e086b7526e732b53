package app

import (
	"context"
	"slices"
	"time"

	"github.com/belayhq/belay/internal/background"
	"github.com/belayhq/belay/internal/record"
)

// Run does the background jobs until ctx ends, and then what must not be left undone.
func (a *App) Run(ctx context.Context) {
	jobs := []background.Job{
		{Every: time.Hour, Do: a.sweepFiles},
		{Every: time.Hour, Do: a.ForgetAnswers},
		{Every: time.Minute, Do: func(ctx context.Context) { record.TellLeft(ctx, a.db, a.log) }},
		{Every: time.Hour, Do: a.resolveEngines, Early: a.resolve},
		{Every: 5 * time.Minute, Do: a.forgetHolders},
		{Every: time.Minute, Do: a.eraseGone, Early: a.erase},
		{Every: 5 * time.Second, Do: a.readNames},
		{Every: time.Minute, Do: a.eraseExpired, Early: a.expired},
		{Every: countStorageEvery, Do: a.countStorage},
	}
	background.Run(ctx, slices.Concat(jobs, a.States.Jobs(), a.People.Jobs(), a.Requests.Jobs(), a.Connections.Jobs(), a.Tagging.Jobs())...)
	a.Finish(context.WithoutCancel(ctx))
	a.NoteReads(context.WithoutCancel(ctx))
}
