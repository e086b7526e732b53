package web

import (
	"errors"
	"io"
	"net/http"
	"os"
	"sync"
	"time"

	"github.com/belayhq/belay"
	"github.com/belayhq/belay/internal/fair"
)

// Bodies bounds how long the bodies of requests may take to come, and how many may be on
// their way at once from one address that has shown no token.
type Bodies struct {
	Grace  time.Duration              // how long a body may keep us waiting in any case
	Rate   int64                      // and the bytes a second that give it more time
	AtOnce int                        // bodies of guests from one address
	Guest  func(r *http.Request) bool // whether a request is let in without a token

	Several func() bool // whether more than one tenant is there: then large bodies leave more room; nil: it may be so

	mu  sync.Mutex
	now map[string]int // by address, the bodies of guests that are on their way
}

var (
	errTooSlow = belay.Refuse(belay.TooSlow, "the body came too slowly")
	errTooMany = belay.Refuse(belay.TooMany, "too many bodies without a token are on their way from this address")
)

// Handler lets requests through to next. Whoever reads a body that is refused is told so by
// a belay.Error, and answers in words of its own.
func (b *Bodies) Handler(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Body == nil || r.Body == http.NoBody {
			next.ServeHTTP(w, r)
			return
		}
		body := &pacedBody{ReadCloser: r.Body, bounds: b, conn: http.NewResponseController(w)}
		if b.Guest(r) {
			address := Address(r)
			if !b.enter(address) {
				body.err = errTooMany
			}
			defer b.leave(address)
		}
		body.expect(b.Grace)       // also what nobody reads: the server does, before it answers
		defer body.settle(b.Grace) // and afterwards
		paced := *r
		paced.Body = struct {
			io.Reader
			io.Closer
		}{&fair.Sharing{Reader: body, Several: b.Several}, body}
		next.ServeHTTP(w, &paced)
	})
}

func (b *Bodies) enter(address string) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.now == nil {
		b.now = map[string]int{}
	}
	b.now[address]++
	return b.now[address] <= b.AtOnce
}

func (b *Bodies) leave(address string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.now[address]--; b.now[address] == 0 {
		delete(b.now, address)
	}
}

// pacedBody is a body with an end to the patience for it. Only the time that is spent
// waiting for the client counts: what the server does between two reads is its own.
type pacedBody struct {
	io.ReadCloser
	bounds *Bodies
	conn   *http.ResponseController
	waited time.Duration
	got    int64
	ended  bool // all of it came
	err    error
}

func (p *pacedBody) Read(buf []byte) (int, error) {
	if p.err != nil {
		return 0, p.err
	}
	earned := time.Duration(p.got) * time.Second / time.Duration(p.bounds.Rate)
	p.expect(p.bounds.Grace + earned - p.waited)
	began := time.Now()
	n, err := p.ReadCloser.Read(buf)
	p.waited += time.Since(began)
	p.got += int64(n)
	switch {
	case errors.Is(err, io.EOF):
		p.ended = true
		p.forever()
	case errors.Is(err, os.ErrDeadlineExceeded):
		p.err, err = errTooSlow, errTooSlow
	}
	return n, err
}

// expect ends reading from the client after a while. Not every connection can: one of a
// test can't, and needs no end.
func (p *pacedBody) expect(within time.Duration) {
	_ = p.conn.SetReadDeadline(time.Now().Add(within))
}

// forever takes the end back: the server goes on to read, to notice a client that leaves.
func (p *pacedBody) forever() { _ = p.conn.SetReadDeadline(time.Time{}) }

// settle bounds what the server reads of a body that was left unread.
func (p *pacedBody) settle(within time.Duration) {
	if !p.ended {
		p.expect(within)
	}
}
