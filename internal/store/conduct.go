package store

import (
	"context"

	"github.com/belayhq/belay"
)

// Conduct is how the transactions of one request go, where that is not as always. It serves
// one request, on one goroutine.
type Conduct struct {
	// Refusal undoes whatever a transaction does, and is its error when it has none itself:
	// so the rules may still say what else is wrong.
	Refusal error
	// Check is asked first in the first transaction that is kept. The views of its context
	// read within it, and hold the rows that they read one by one.
	Check func(context.Context) error
	// Hold keeps the first transaction open, and readable by the views of the context, until
	// Finish. A second one ends it first, with Split.
	Hold  bool
	Split func(*Tx) error

	view *reads // what views under the context read within
	held *held
	done bool     // the first transaction was kept, or is held
	then []func() // what waits for the transaction that is held
}

// held is a transaction that waits for its last step.
type held struct {
	opened chan *Tx
	last   chan func(*Tx) error
	ended  chan error
}

type conductKey struct{}

// WithConduct has what is done under the context go by c.
func WithConduct(ctx context.Context, c *Conduct) context.Context {
	return context.WithValue(ctx, conductKey{}, c)
}

// ConductOf is what WithConduct said; nil when it said nothing.
func ConductOf(ctx context.Context) *Conduct {
	c, _ := ctx.Value(conductKey{}).(*Conduct)
	return c
}

// Rehearsed is the refusal of what is done under the context where nothing of it will be
// kept: nobody else is to be asked or told anything for it.
func Rehearsed(ctx context.Context) error {
	if c := ConductOf(ctx); c != nil {
		return c.Refusal
	}
	return nil
}

// Outside is asked before something is done that no transaction undoes, such as a message to
// somebody. A rehearsal ends here, and what is to be checked first is; a request that holds its
// first transaction for the last step takes that step now, so that its twin does not come as far
// as this.
func (db *DB) Outside(ctx context.Context) error {
	c := ConductOf(ctx)
	switch {
	case c == nil:
		return nil
	case c.Refusal != nil:
		return c.Refusal
	case c.held != nil:
		return c.Finish(c.Split)
	case c.Check != nil && !c.done: // and again in the transaction of the change
		return db.transact(ctx, func(tx *Tx) error { return c.check(ctx, tx) })
	case c.Hold && !c.done:
		err := db.transact(ctx, c.Split)
		c.done = err == nil
		return err
	default:
		return nil
	}
}

// Then does something as soon as what was done under the context is kept: now, or when the
// transaction that is held ends well.
func Then(ctx context.Context, do func()) {
	if c := ConductOf(ctx); c != nil && c.held != nil {
		c.then = append(c.then, do)
		return
	}
	do()
}

func (c *Conduct) update(ctx context.Context, db *DB, fn func(*Tx) error) error {
	if c.held != nil {
		if err := c.Finish(c.Split); err != nil {
			return err
		}
	}
	conducted := func(tx *Tx) error {
		if err := c.check(ctx, tx); err != nil {
			return err
		}
		if err := fn(tx); err != nil {
			return err
		}
		return c.Refusal
	}
	if c.Hold && !c.done {
		return c.open(ctx, db, conducted)
	}
	err := db.transact(ctx, conducted)
	c.done = c.done || err == nil
	return err
}

func (c *Conduct) check(ctx context.Context, tx *Tx) error {
	if c.Check == nil || c.done {
		return nil
	}
	c.view = &tx.reads
	defer func() { c.view = nil }()
	return c.Check(ctx)
}

// open runs the transaction on another goroutine, and returns while it is open.
func (c *Conduct) open(ctx context.Context, db *DB, fn func(*Tx) error) error {
	h := &held{opened: make(chan *Tx), last: make(chan func(*Tx) error), ended: make(chan error, 1)}
	opened := false
	go func() {
		h.ended <- db.transact(context.WithoutCancel(ctx), func(tx *Tx) error {
			if opened { // what was answered from the first run would not be what this one makes
				return belay.Refuse(belay.NotReady, "the request met another: send it again")
			}
			if err := fn(tx); err != nil {
				return err
			}
			opened = true
			h.opened <- tx
			return (<-h.last)(tx)
		})
	}()
	select {
	case tx := <-h.opened:
		c.held, c.view, c.done = h, &tx.Peek().reads, true
		return nil
	case err := <-h.ended:
		return err
	}
}

// Held says whether a transaction waits for Finish.
func (c *Conduct) Held() bool { return c.held != nil }

// Finish ends the transaction that is held with a last step, whose error undoes all of it.
// It returns after the commit is durable.
func (c *Conduct) Finish(last func(*Tx) error) error {
	h, then := c.held, c.then
	c.held, c.view, c.then = nil, nil, nil
	h.last <- last
	err := <-h.ended
	for _, do := range then {
		if err == nil {
			do()
		}
	}
	return err
}
