package store

import (
	"time"

	"github.com/belayhq/belay"
	"github.com/belayhq/belay/internal/sqldb"
)

// KeptAnswer is what a request with a key was answered with. Status 0: it was begun, and
// its answer is not known.
type KeptAnswer struct {
	Principal, Key string
	Status         int
	Sealed         string // a fingerprint of the request, and the answer's body
	At             time.Time
}

// ErrKept says that a request with the same key has come first.
var ErrKept = belay.Refuse(belay.Conflict, "another request with this Idempotency-Key came first")

// KeptAnswer is the answer that a principal was given for a key later than since.
func (v *reads) KeptAnswer(principal, key string, since time.Time) (a KeptAnswer, found bool, err error) {
	list, err := sqldb.Collect(v, v.SQL("SELECT status, answer FROM kept_answers WHERE principal = ? AND name = ? AND created_at > ?",
		principal, key, sqldb.UnixMillis(since)), func(a *KeptAnswer) []any { return []any{&a.Status, &a.Sealed} })
	if err != nil || len(list) == 0 {
		return a, false, err
	}
	return list[0], true, nil
}

// KeepAnswer writes an answer over one that is no later than until. ErrKept: there is a later one.
func (tx *Tx) KeepAnswer(a KeptAnswer, until time.Time) error {
	n, err := tx.Exec(tx.SQL(`INSERT INTO kept_answers (principal, name, fingerprint, status, answer, created_at) VALUES (?, ?, '', ?, ?, ?)
		ON CONFLICT (principal, name) DO UPDATE SET status = excluded.status, answer = excluded.answer,
		created_at = excluded.created_at WHERE kept_answers.created_at <= ?`,
		a.Principal, a.Key, a.Status, a.Sealed, sqldb.UnixMillis(tx.Now), sqldb.UnixMillis(until)))
	if err == nil && n == 0 {
		err = ErrKept
	}
	return err
}

// FillAnswer completes an answer that was kept before it was known.
func (tx *Tx) FillAnswer(a KeptAnswer) error {
	return tx.Do("UPDATE kept_answers SET status = ?, answer = ? WHERE principal = ? AND name = ?",
		a.Status, a.Sealed, a.Principal, a.Key)
}

// DropAnswer forgets an answer: nothing came of the request.
func (tx *Tx) DropAnswer(principal, key string) error {
	return tx.Do("DELETE FROM kept_answers WHERE principal = ? AND name = ?", principal, key)
}

// answersAtOnce is how many answers one transaction forgets.
const answersAtOnce = 200

// DropAnswersUntil forgets answers that are no later than until, some at a time; more says
// whether others are left.
func (tx *Tx) DropAnswersUntil(until time.Time) (more bool, err error) {
	n, err := tx.Exec(tx.SQL(`DELETE FROM kept_answers WHERE (principal, name) IN
		(SELECT principal, name FROM kept_answers WHERE created_at <= ? ORDER BY created_at`, sqldb.UnixMillis(until)).First(answersAtOnce).Add(")"))
	return n == answersAtOnce, err
}
