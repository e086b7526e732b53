package app

import "context"

// readNames has new names found by their parts, where the database does not see to it by itself.
func (a *App) readNames(ctx context.Context) {
	for more := true; more && ctx.Err() == nil; {
		var err error
		if more, err = a.db.ReadNames(ctx); err != nil && ctx.Err() == nil {
			a.log.Warn("names not read", "error", err)
			return
		}
	}
}
