package events

import (
	"context"
	"encoding/json"
	"slices"

	"github.com/belayhq/belay"
	"github.com/belayhq/belay/internal/sqldb"
)

// EventsAtOnce is how many events one transaction writes that may leave some for later.
const EventsAtOnce = sqldb.RowsAtOnce / 2

// EmitLater is EmitAll of very many: they are kept with the change that they tell of in a few
// rows of so many each, which costs it little. TellSome writes them where they are read.
func (tx *Tx) EmitLater(list []belay.Event, atOnce int) error {
	for part := range slices.Chunk(list, atOnce) {
		tx.date(part)
		raw, err := json.Marshal(part)
		if err == nil {
			err = tx.Do("INSERT INTO untold_events (id, events) VALUES (?, ?)", belay.NewEventID(tx.Now), string(raw))
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// TellSome writes some of the events that were left for later, each once, and says whether
// there may be more. Their ids are of now, so that whoever reads on from the last one he has
// seen misses none; their time is that of the change.
func (db *DB) TellSome(ctx context.Context) (more bool, err error) {
	err = db.Update(ctx, func(tx *Tx) error {
		type row struct{ id, events string }
		q := tx.SQL("SELECT id, events FROM untold_events ORDER BY id").First(1).Add(tx.Dialect().SkipHeld)
		found, err := sqldb.Collect(&tx.View, q, func(r *row) []any { return []any{&r.id, &r.events} })
		if more = len(found) > 0; err != nil || !more {
			return err
		}
		var list []belay.Event
		if err := json.Unmarshal([]byte(found[0].events), &list); err != nil {
			return err
		}
		if err := tx.Do("DELETE FROM untold_events WHERE id = ?", found[0].id); err != nil {
			return err
		}
		return tx.write(list)
	})
	return more, err
}
