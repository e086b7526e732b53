package fair

import (
	"context"
	"io"
)

// piece is how many bytes are worked on in one turn.
const piece = 64 << 10

// Reader reads in turns: each piece, and what is done with it until the next is asked for, has one.
type Reader struct {
	io.Reader
	ctx   context.Context
	gate  *Gate
	got   int
	leave func()
}

// Reader reads with turns of whoever a context is the work of. Close must be called at the end.
func (g *Gate) Reader(ctx context.Context, from io.Reader) *Reader {
	return &Reader{Reader: from, ctx: ctx, gate: g}
}

func (r *Reader) Read(buf []byte) (n int, err error) {
	if r.got >= piece {
		r.Close()
	}
	if r.leave == nil {
		if r.leave, err = r.gate.Enter(r.ctx); err != nil {
			return 0, err
		}
	}
	n, err = r.Reader.Read(buf)
	r.got += n
	return n, err
}

// Close ends the last turn. What it reads from stays open.
func (r *Reader) Close() {
	if r.leave != nil {
		r.leave()
	}
	r.got, r.leave = 0, nil
}
