// Package once owns how the verbs of one request go together: what is made once however often it comes, what is checked
// in the transaction of what it does, and what is only rehearsed. It knows no verb.
package once

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"slices"
	"time"

	"github.com/belayhq/belay"
	"github.com/belayhq/belay/internal/seal"
	"github.com/belayhq/belay/internal/store"
)

// AnswersFor is how long the answer to a request with a key is kept.
const AnswersFor = 24 * time.Hour

// Room keeps answers.
type Room struct {
	db   *store.DB
	ring *seal.Ring
	log  *slog.Logger
	now  func() time.Time
}

// New is the room over a database.
func New(db *store.DB, ring *seal.Ring, log *slog.Logger, now func() time.Time) *Room {
	return &Room{db, ring, log, now}
}

// conducted is the conduct of what is done under the context, made when there is none.
func conducted(ctx context.Context) (context.Context, *store.Conduct) {
	if c := store.ConductOf(ctx); c != nil {
		return ctx, c
	}
	c := &store.Conduct{}
	return store.WithConduct(ctx, c), c
}

// WithRefusal has nothing kept of what is done under the context: it is refused with err,
// unless it is for another reason.
func WithRefusal(ctx context.Context, err error) context.Context {
	ctx, c := conducted(ctx)
	c.Refusal = err
	return ctx
}

// WithCheck has check asked in the transaction of what is done under the context, before
// anything of it and after those that were given before.
func WithCheck(ctx context.Context, check func(context.Context) error) context.Context {
	ctx, c := conducted(ctx)
	before := c.Check
	c.Check = func(ctx context.Context) error {
		if before != nil {
			if err := before(ctx); err != nil {
				return err
			}
		}
		return check(ctx)
	}
	return ctx
}

// Request is one that comes with a key. What it makes is made once, however often it
// comes: its answer is kept in the transaction that makes it.
type Request struct {
	room    *Room
	conduct *store.Conduct
	kept    store.KeptAnswer
	claimed bool // the key is kept, without an answer yet
}

// Once begins a request with a key of a principal. What the context is given to belongs to it.
func (r *Room) Once(ctx context.Context, s belay.Principal, key string) (context.Context, *Request) {
	ctx, c := conducted(ctx)
	o := &Request{room: r, conduct: c, kept: store.KeptAnswer{Principal: s.KeyHolder(), Key: key}}
	c.Hold, c.Split = true, o.claim
	return ctx, o
}

// Answer is what the request was answered with before, and the fingerprint that it had. Status
// 0: it was begun, and no more is known.
func (o *Request) Answer(ctx context.Context) (fingerprint string, status int, body []byte, found bool, err error) {
	var kept store.KeptAnswer
	err = o.room.db.View(ctx, func(v *store.View) error {
		kept, found, err = v.KeptAnswer(o.kept.Principal, o.kept.Key, o.room.now().Add(-AnswersFor))
		return err
	})
	if err != nil || !found || kept.Status == 0 {
		return "", 0, nil, found, err
	}
	plain, unsealed := o.room.ring.Unseal(kept.Sealed, o.rowID())
	if unsealed != nil {
		return "", 0, nil, true, nil // its key was taken out of use: that it was done is all that is known
	}
	head, body, _ := bytes.Cut(plain, []byte{'\n'})
	return string(head), kept.Status, body, true, nil
}

func (o *Request) rowID() string { return o.kept.Principal + " " + o.kept.Key }

// claim keeps the key before the answer is known: for what takes more than one transaction.
func (o *Request) claim(tx *store.Tx) error {
	err := tx.KeepAnswer(o.kept, tx.Now.Add(-AnswersFor))
	o.claimed = err == nil
	return err
}

// Keep ends the request: its answer is kept with what it made. taken says that another with
// the same key came first; nothing was made then.
func (o *Request) Keep(ctx context.Context, fingerprint string, status int, body []byte) (taken bool, err error) {
	// Sealed with the answer: from a bare hash of a body with a short secret that could be guessed.
	o.kept.Status, o.kept.Sealed = status, o.room.ring.Seal(slices.Concat([]byte(fingerprint+"\n"), body), o.rowID())
	switch {
	case o.conduct.Held():
		err = o.conduct.Finish(o.claim)
	case o.claimed:
		err = o.room.db.Update(ctx, func(tx *store.Tx) error { return tx.FillAnswer(o.kept) })
	default: // it made nothing
		o.conduct.Hold = false
		err = o.room.db.Update(ctx, o.claim)
	}
	return errors.Is(err, store.ErrKept), err
}

// Abandon ends a request that was refused, or broke: nothing of it is kept, and it may come again.
func (o *Request) Abandon(ctx context.Context, cause error) {
	if o.conduct.Held() {
		_ = o.conduct.Finish(func(*store.Tx) error { return cause }) // which is what it returns
	}
	o.conduct.Hold, o.conduct.Refusal = false, nil
	if !o.claimed {
		return
	}
	err := o.room.db.Update(context.WithoutCancel(ctx), func(tx *store.Tx) error { return tx.DropAnswer(o.kept.Principal, o.kept.Key) })
	if err != nil {
		o.room.log.LogAttrs(ctx, slog.LevelWarn, "an Idempotency-Key stays taken", slog.String("error", err.Error()))
	}
}

// ForgetAnswers drops the answers that have been kept long enough.
func (r *Room) ForgetAnswers(ctx context.Context) {
	for more := true; more && ctx.Err() == nil; {
		err := r.db.Update(ctx, func(tx *store.Tx) (err error) {
			more, err = tx.DropAnswersUntil(tx.Now.Add(-AnswersFor))
			return err
		})
		if err != nil {
			if ctx.Err() == nil {
				r.log.LogAttrs(ctx, slog.LevelError, "old answers were not forgotten", slog.String("error", err.Error()))
			}
			return
		}
	}
}
