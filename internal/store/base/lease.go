package base

import (
	"time"

	"github.com/belayhq/belay/internal/sqldb"
)

// TakeLease gives a piece of background work to a holder until a moment, unless another
// has it and that moment is yet to come. Whoever holds it already keeps it for longer.
func (tx *Tx) TakeLease(name, holder string, until time.Time) (bool, error) {
	n, err := tx.Exec(tx.SQL(`INSERT INTO leases (name, holder, until) VALUES (?, ?, ?)
		ON CONFLICT (name) DO UPDATE SET holder = excluded.holder, until = excluded.until
		WHERE leases.holder = excluded.holder OR leases.until < ?`, name, holder, sqldb.UnixMillis(until), sqldb.UnixMillis(tx.Now)))
	return n == 1, err
}

// GiveLease gives a piece of work back before its time, if the holder still has it.
func (tx *Tx) GiveLease(name, holder string) error {
	return tx.Do("UPDATE leases SET until = 0 WHERE name = ? AND holder = ?", name, holder)
}
