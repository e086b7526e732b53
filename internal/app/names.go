package app

import (
	"context"
	"time"

	"github.com/belayhq/belay/internal/store"
)

// While several tenants are there one name is read at a time, and reading rests for so many times as long as it kept the writer: who writes
// waits for it. A name that is not read yet is found all the same.
const (
	besideOthers  = 1
	namesRest     = 40
	namesRestMost = time.Second
)

// readNames has new names found by their parts, where the database does not see to it by itself.
func (a *App) readNames(ctx context.Context) {
	for more := true; more && ctx.Err() == nil; {
		var err error
		var took time.Duration
		atOnce, several := store.NamesAtOnce, a.Tenants().Several()
		if several {
			atOnce = besideOthers
		}
		if took, more, err = a.db.ReadNames(ctx, atOnce); err != nil && ctx.Err() == nil {
			a.log.Warn("names not read", "error", err)
			return
		}
		if more && several {
			select {
			case <-ctx.Done():
			case <-time.After(min(namesRestMost, namesRest*took)):
			}
		}
	}
}
