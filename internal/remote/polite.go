package remote

import (
	"context"
	"errors"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"strconv"
	"time"
)

// Polite is the way to a server that waits when the server asks for it, and asks again
// where that does no harm: what only reads, and what leaves the same behind however often
// it is done. A request that makes something is sent again only if it surely was not
// carried out.
type Polite struct {
	Base  http.RoundTripper
	Tries int                                        // how often in all; 0 is 8
	Sleep func(context.Context, time.Duration) error // for tests; nil is real time
	Told  func(r *http.Request, wait time.Duration)  // told of every wait; may be nil
}

const (
	defaultTries = 8
	firstWait    = 200 * time.Millisecond
	longestWait  = 20 * time.Second
	longestAsked = 10 * time.Minute // of what a server may ask for
)

// RoundTrip sends a request, more than once where it must.
func (p *Polite) RoundTrip(r *http.Request) (*http.Response, error) {
	tries := p.Tries
	if tries == 0 {
		tries = defaultTries
	}
	for try := 1; ; try++ {
		answer, err := p.base().RoundTrip(r)
		if try == tries || !again(r, answer, err) || r.Context().Err() != nil {
			return answer, err
		}
		next, rewound := rewind(r)
		if !rewound {
			return answer, err
		}
		wait := waitFor(try, answer)
		if answer != nil {
			_, _ = io.Copy(io.Discard, io.LimitReader(answer.Body, maxRefusal)) // so that the connection is used again
			_ = answer.Body.Close()
		}
		if p.Told != nil {
			p.Told(r, wait)
		}
		if err := p.sleep(r.Context(), wait); err != nil {
			return nil, err
		}
		r = next
	}
}

func (p *Polite) base() http.RoundTripper {
	if p.Base == nil {
		return http.DefaultTransport
	}
	return p.Base
}

func (p *Polite) sleep(ctx context.Context, wait time.Duration) error {
	if p.Sleep != nil {
		return p.Sleep(ctx, wait)
	}
	timer := time.NewTimer(wait)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-timer.C:
		return nil
	}
}

// again says whether a request may be sent once more.
func again(r *http.Request, answer *http.Response, err error) bool {
	harmless := r.Method != http.MethodPost
	if err != nil {
		var dial *net.OpError
		return harmless || errors.As(err, &dial) && dial.Op == "dial"
	}
	switch answer.StatusCode {
	case http.StatusTooManyRequests:
		return true
	case http.StatusNotImplemented:
		return false
	default:
		return harmless && answer.StatusCode >= http.StatusInternalServerError
	}
}

// rewind is the request once more, if its body can be had again.
func rewind(r *http.Request) (*http.Request, bool) {
	next := r.Clone(r.Context())
	if r.Body == nil || r.Body == http.NoBody {
		return next, true
	}
	if r.GetBody == nil {
		return nil, false
	}
	body, err := r.GetBody()
	next.Body = body
	return next, err == nil
}

// waitFor is how long to wait: what the server asks for, or longer each time.
func waitFor(try int, answer *http.Response) time.Duration {
	if answer != nil {
		if asked, ok := asked(answer.Header); ok {
			return min(asked, longestAsked)
		}
	}
	wait := min(firstWait<<min(try-1, 10), longestWait)
	return wait/2 + rand.N(wait/2+1)
}

// asked is what a server says of when to come back: a number of seconds, or a date.
func asked(head http.Header) (time.Duration, bool) {
	for _, name := range []string{"Retry-After", "X-RateLimit-Reset"} {
		text := head.Get(name)
		if seconds, err := strconv.ParseFloat(text, 64); err == nil && seconds >= 0 && seconds < 1e6 {
			return time.Duration(seconds * float64(time.Second)), true
		}
		if at, err := http.ParseTime(text); err == nil {
			return max(0, time.Until(at)), true
		}
	}
	return 0, false
}
