package object

import (
	"errors"
	"io"
	"iter"
	"sync/atomic"
)

// seenInAll is how many bytes of all that comes in are looked into meanwhile, at most: what was found so far stays in
// memory for as long as a client takes to send the rest.
const seenInAll = 12 << 20

// errLeft ends the reading of what is not looked into any more.
var errLeft = errors.New("the rest is not looked into")

// along has somebody look into what comes in, piece by piece, in the same thread: it is in the processor's caches
// then, and nothing of it is held.
type along struct {
	used  *atomic.Int64 // bytes that all of them looked into
	most  int64         // bytes that may come
	came  int64         // bytes that did
	piece []byte        // of them, what is not read yet
	ended bool          // there are no more
	left  bool          // nobody looks into more
	whole bool          // who looked has come to an end

	more func() (struct{}, bool) // goes on until more is wanted
	stop func()
	wait func() bool // goes back to give; false: there is no more
}

func lookAlong(used *atomic.Int64, most int64, look func(io.Reader)) *along {
	a := &along{used: used, most: most}
	a.more, a.stop = iter.Pull(func(wait func(struct{}) bool) {
		a.wait = func() bool { return wait(struct{}{}) }
		look(a)
		a.whole = !a.left
	})
	return a
}

// give hands over what came; its end too, where it is there.
func (a *along) give(p []byte, ended bool) {
	if a.left || a.whole {
		return
	}
	a.came += int64(len(p))
	if a.used.Add(int64(len(p))) > seenInAll || a.came > a.most {
		a.leave()
		return
	}
	a.piece, a.ended = p, ended
	_, _ = a.more()
	a.piece = nil
}

// leave gives the room back, and has nobody look into more.
func (a *along) leave() {
	a.used.Add(-a.came)
	a.came, a.left = 0, true
	a.stop()
}

// Read reads what came, and waits for more.
func (a *along) Read(p []byte) (int, error) {
	for len(a.piece) == 0 {
		if a.ended {
			return 0, io.EOF
		}
		if a.left || !a.wait() {
			return 0, errLeft
		}
	}
	n := copy(p, a.piece)
	a.piece = a.piece[n:]
	return n, nil
}
