package record

import (
	"context"
	"log/slog"

	"github.com/belayhq/belay"
	"github.com/belayhq/belay/internal/store"
)

// OnMany does something to many workspaces: whoever looks sees all of it or nothing. The
// transaction writes little more than their rows; what is told of many is written after it, in
// parts, by this server or by one that finds it left behind. Those of one line go one after another; without a name it is in none.
func OnMany(ctx context.Context, db *store.DB, log *slog.Logger, line string, do func(*store.Tx) (told []belay.Event, err error)) error {
	later := false
	err := db.Update(store.InLine(ctx, line), func(tx *store.Tx) error {
		told, err := do(tx)
		if err != nil {
			return err
		}
		atOnce := min(store.EventsAtOnce, db.RowsNow(ctx))
		if later = len(told) > atOnce; later {
			return tx.EmitLater(told, atOnce)
		}
		return tx.EmitAll(told)
	})
	if err == nil && later {
		TellLeft(context.WithoutCancel(ctx), db, log)
	}
	return err
}

// TellLeft writes the events that were left for later.
func TellLeft(ctx context.Context, db *store.DB, log *slog.Logger) {
	for more := true; more && ctx.Err() == nil; {
		var err error
		if more, err = db.TellSome(ctx); err != nil {
			if ctx.Err() == nil {
				log.Warn("events are left for later", "error", err)
			}
			return
		}
	}
}
