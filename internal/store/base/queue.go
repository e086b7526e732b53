package base

import (
	"time"

	"github.com/belayhq/belay/internal/sqldb"
)

// Queue is work that waits in the rows of a table, for whichever replica comes first. A row has a lane, so that what
// hangs in one holds up no other; next_at, when it is due; and a claim, which ends by itself, since next_at is then
// the end of it: whoever dies with a claim leaves nothing behind.
type Queue struct {
	Table sqldb.Text
	Lane  sqldb.Text // the column of its lane
	State sqldb.Text // the column that says whether it waits
	Waits sqldb.Text // and what stands there then
	Tries sqldb.Text // the column that counts how often it was claimed
}

// waits is true of a row that waits. It stands in the text, since indexes are of such rows alone.
func (q Queue) waits(row sqldb.Text) sqldb.Text { return row + "." + q.State + " = '" + q.Waits + "'" }

// Taker is the transaction of any room that takes work.
type Taker interface {
	Writer
	Dialect() *sqldb.Dialect
}

// Lanes asks for the lanes in which something is due: columns of l.id and of what is joined to it. It walks the index
// from one lane to the next, so that its cost is that of the lanes and not of the work.
func (q Queue) Lanes(v Reader, columns, joined sqldb.Text, now time.Time) *sqldb.Query {
	return v.SQL(`WITH RECURSIVE lanes (id) AS (
		SELECT min(k.`+q.Lane+") FROM "+q.Table+" k WHERE "+q.waits("k")+`
		UNION ALL SELECT (SELECT min(k.`+q.Lane+") FROM "+q.Table+" k WHERE "+q.waits("k")+" AND k."+q.Lane+` > l.id) FROM lanes l WHERE l.id IS NOT NULL)
		SELECT `+columns+" FROM lanes l "+joined+` WHERE l.id IS NOT NULL
		AND (SELECT min(k.next_at) FROM `+q.Table+" k WHERE "+q.waits("k")+" AND k."+q.Lane+" = l.id) <= ?", sqldb.UnixMillis(now))
}

// Claim takes some of what is due and fits, so that nobody else does it before until; it asks for columns of what was
// taken. What fits is said of k. Rows that another transaction has are left to it.
func (q Queue) Claim(tx Taker, claim string, now, until time.Time, atMost int, columns, fits sqldb.Text, args ...any) *sqldb.Query {
	taking := tx.SQL("UPDATE "+q.Table+" SET claim = ?, next_at = ?, "+q.Tries+" = "+q.Tries+" + 1 WHERE id IN (SELECT k.id FROM "+q.Table+" k WHERE "+q.waits("k")+" AND k.next_at <= ? AND ",
		claim, sqldb.UnixMillis(until), sqldb.UnixMillis(now))
	return taking.Add(fits, args...).Add(" ORDER BY k.next_at, k.id").First(atMost).Add(tx.Dialect().SkipHeld + ") RETURNING " + columns)
}

// Renew keeps a claim for longer, unless another has the row by now.
func (q Queue) Renew(tx Writer, id, claim string, until time.Time) (mine bool, err error) {
	n, err := tx.Exec(tx.SQL("UPDATE "+q.Table+" SET next_at = ? WHERE id = ? AND claim = ? AND "+q.waits(q.Table), sqldb.UnixMillis(until), id, claim))
	return n > 0, err
}

// Next is when the first row of some queues is due, or one of what else is asked for; zero when none waits.
func Next(v Reader, others sqldb.Text, queues ...Queue) (time.Time, error) {
	text := others
	for _, q := range queues {
		if text != "" {
			text += " UNION ALL "
		}
		text += "SELECT min(k.next_at) AS at FROM " + q.Table + " k WHERE " + q.waits("k")
	}
	ms, _, err := sqldb.Value[int64](v, v.SQL("SELECT COALESCE(min(at), 0) FROM ("+text+") due"))
	if err != nil || ms == 0 {
		return time.Time{}, err
	}
	return time.UnixMilli(ms).UTC(), nil
}
