package runs

import (
	"strconv"
	"time"

	"github.com/belayhq/belay"
	"github.com/belayhq/belay/internal/sqldb"
	"github.com/belayhq/belay/internal/store/base"
	"github.com/belayhq/belay/internal/store/core"
	"github.com/belayhq/belay/run"
)

// LogWake is told when something of a log was committed.
func LogWake(id string) sqldb.Wake { return sqldb.Wake("log " + id) }

const logColumns sqldb.Text = "SELECT id, run_id, state, size, sealed_size, truncated_at, watched_until FROM logs "

func logDest(l *run.Log) []any {
	return []any{&l.ID, &l.RunID, &l.State, &l.Size, &l.SealedSize, &l.TruncatedAt, sqldb.Millis(&l.Watched)}
}

func collectLogs(v *View, q *sqldb.Query) ([]run.Log, error) {
	return sqldb.Collect(v, q, logDest)
}

// RunLog is one log.
func (v *View) RunLog(id string) (run.Log, error) {
	if l, known := core.Kept[*seatedLog](&v.View, logKey(id)); known {
		if l == nil {
			return run.Log{}, belay.ErrNotFound
		}
		return l.Log, nil
	}
	list, err := collectLogs(v, v.SQL(logColumns).Add("WHERE id = ?", id))
	if err == nil && len(list) == 0 {
		err = belay.ErrNotFound
	}
	if err != nil {
		return run.Log{}, err
	}
	return list[0], nil
}

var runsWithLogs = "SELECT " + runs.Columns() + `, logs.id, logs.run_id, logs.state, logs.size, logs.sealed_size, logs.truncated_at, logs.watched_until
	FROM logs JOIN runs ON runs.id = logs.run_id WHERE logs.id = ?`

// RunWithLog is a log with the run that it is of, both held.
func (tx *Tx) RunWithLog(id string) (run.Run, run.Log, error) {
	type both struct {
		run run.Run
		log run.Log
	}
	q := tx.SQL(runsWithLogs, id).Held(tx.Hold(), "runs, logs")
	found, err := base.TheOne(sqldb.Collect(&tx.View, q, func(b *both) []any { return append(runs.Dest(&b.run), logDest(&b.log)...) }))
	return found.run, found.log, err
}

// EndedLogs is some of the logs that wait for their file.
func (v *View) EndedLogs(limit int) ([]run.Log, error) {
	return collectLogs(v, v.SQL(logColumns+"WHERE state = 'ended' ORDER BY id").First(limit))
}

// OpenLog begins a log, unless it has begun already.
func (tx *Tx) OpenLog(runID, id string) error {
	tx.Wake(LogWake(id))
	return tx.Lastly(`INSERT INTO logs (id, run_id, state, size, sealed_size, truncated_at, watched_until) VALUES (?, ?, 'open', 0, 0, 0, 0)
		ON CONFLICT (id) DO NOTHING`, id, runID)
}

// mostMarks is how many letters the times of a log may take.
const mostMarks = 24 << 10

// markLog notes when the bytes came that follow those that were there: in a statement that is made
// anyway. Whoever calls it seldom leaves room for the times of a log that goes on for a day.
const markLog sqldb.Text = ", marks = CASE WHEN LENGTH(marks) < ? THEN marks || size || ':' || ? || ' ' ELSE marks END"

// LogTimes is when which byte of a log came, as far as it was noted.
func (v *View) LogTimes(id string) ([]run.LogTime, error) {
	if l, known := core.Kept[*seatedLog](&v.View, logKey(id)); known && l != nil {
		return run.LogTimesOf(l.marks), nil
	}
	text, _, err := sqldb.Value[string](v, v.SQL("SELECT marks FROM logs WHERE id = ?", id))
	if err != nil {
		return nil, err
	}
	return run.LogTimesOf(text), nil
}

// ExtendLog notes that a log that has come to a place goes on by some bytes, and when they came unless
// that is zero. taken is false when it ended, or has come to another place.
func (tx *Tx) ExtendLog(id string, at, by int64, came time.Time) (taken bool, err error) {
	q := tx.SQL("UPDATE logs SET size = size + ?", by)
	if !came.IsZero() {
		q.Add(markLog, mostMarks, strconv.FormatInt(came.UnixMilli(), 10))
	}
	n, err := tx.Exec(q.Add(" WHERE id = ? AND size = ? AND state = 'open'", id, at))
	if n > 0 {
		tx.Wake(LogWake(id))
	}
	return n > 0, err
}

// EndWholeLog notes that nothing of a log comes any more that is sealed in the row of its file: of
// which at most some bytes were written before, and the others came now. ended is false when it is not
// open, or longer.
func (tx *Tx) EndWholeLog(id string, atMost, size int64, now time.Time) (ended bool, err error) {
	tx.Wake(LogWake(id))
	q := tx.SQL("UPDATE logs SET state = 'sealed', size = ?, sealed_size = ?", size, size+run.LogFrame).Add(markLog, mostMarks, strconv.FormatInt(now.UnixMilli(), 10))
	n, err := tx.Exec(q.Add(" WHERE id = ? AND state = 'open' AND size <= ?", id, atMost))
	return n > 0, err
}

// EndOpenLog notes that nothing of a log comes any more, and answers what it comes to. One that
// is no longer than short is sealed as it is: its chunks stay where they are. ended is false when
// it is not open.
func (tx *Tx) EndOpenLog(id string, short int64) (l run.Log, ended bool, err error) {
	q := tx.SQL(`UPDATE logs SET state = CASE WHEN size <= ? AND truncated_at = 0 THEN 'sealed' ELSE 'ended' END,
		sealed_size = CASE WHEN size <= ? AND truncated_at = 0 THEN size + ? ELSE 0 END
		WHERE id = ? AND state = 'open' RETURNING id, run_id, state, size, sealed_size, truncated_at, watched_until`, short, short, int64(run.LogFrame), id)
	list, err := collectLogs(&tx.View, q)
	if err != nil || len(list) == 0 {
		return l, false, err
	}
	tx.Wake(LogWake(id))
	return list[0], true, nil
}

// LengthenLog notes that a log, which is open and is to end, is of a size.
func (tx *Tx) LengthenLog(id string, size int64) error {
	return tx.Do("UPDATE logs SET size = ? WHERE id = ?", size, id)
}

// SealLog notes that a log is in a file, and forgets its chunks.
func (tx *Tx) SealLog(id string, size int64) error {
	if err := tx.Lastly("UPDATE logs SET state = 'sealed', sealed_size = ? WHERE id = ?", size, id); err != nil {
		return err
	}
	return tx.Do("DELETE FROM log_chunks WHERE log_id = ?", id)
}

// LogChunk is some bytes of a log, sealed.
type LogChunk struct {
	At   int64
	Data []byte
}

// AddLogChunk writes bytes of a log.
func (tx *Tx) AddLogChunk(id string, c LogChunk) error {
	return tx.Lastly("INSERT INTO log_chunks (log_id, at, data) VALUES (?, ?, ?)", id, c.At, c.Data)
}

// LogChunks is the chunks of a log that hold the bytes from a place on: at most as many as
// begin before another one, and no more than a number.
func (v *View) LogChunks(id string, from, to int64, limit int) ([]LogChunk, error) {
	q := v.SQL(`SELECT at, data FROM log_chunks WHERE log_id = ? AND at < ?
		AND at >= COALESCE((SELECT MAX(at) FROM log_chunks WHERE log_id = ? AND at <= ?), 0) ORDER BY at`, id, to, id, from)
	return sqldb.Collect(v, q.First(limit), func(c *LogChunk) []any { return []any{&c.At, &c.Data} })
}

// FirstLogChunk is where the first chunk after a place begins; none is the place itself.
func (v *View) FirstLogChunk(id string, after int64) (int64, error) {
	at, _, err := sqldb.Value[int64](v, v.SQL("SELECT COALESCE(MIN(at), ?) FROM log_chunks WHERE log_id = ? AND at > ?", after, id, after))
	return at, err
}

// DropLogMiddle forgets what lies between the beginning of a log and its last bytes.
func (tx *Tx) DropLogMiddle(id string, from, to int64) error {
	if err := tx.Do("UPDATE logs SET truncated_at = ? WHERE id = ? AND truncated_at = 0", from, id); err != nil {
		return err
	}
	return tx.Do(`DELETE FROM log_chunks WHERE log_id = ? AND at > ?
		AND at < COALESCE((SELECT MAX(c.at) FROM log_chunks c WHERE c.log_id = ? AND c.at <= ?), 0)`, id, from, id, to)
}

// WatchLogs notes until when logs are looked at.
func (tx *Tx) WatchLogs(ids []string, until time.Time) error {
	_, err := tx.Exec(tx.SQL("UPDATE logs SET watched_until = ? WHERE state = 'open' AND ", sqldb.UnixMillis(until)).In("id", ids))
	return err
}
