package app

import (
	"context"

	"github.com/belayhq/belay/internal/background"
)

// forgetHolders has those that are locked found among few.
func (a *App) forgetHolders(ctx context.Context) {
	background.InParts(ctx, a.log, "last holders of locks", a.db.ForgetHolders)
}
