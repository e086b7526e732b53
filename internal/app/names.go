package app

import (
	"context"
	"time"
)

// While several tenants are there, reading names rests for so many times as long as it took: who writes waits for it. A name that is
// not read yet is found all the same.
const (
	namesRest     = 100
	namesRestMost = time.Second
)

// readNames has new names found by their parts, where the database does not see to it by itself.
func (a *App) readNames(ctx context.Context) {
	for more := true; more && ctx.Err() == nil; {
		var err error
		began := time.Now()
		if more, err = a.db.ReadNames(ctx); err != nil && ctx.Err() == nil {
			a.log.Warn("names not read", "error", err)
			return
		}
		if more && a.Tenants().Several() {
			select {
			case <-ctx.Done():
			case <-time.After(min(namesRestMost, namesRest*time.Since(began))):
			}
		}
	}
}
