package frame

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"sync"
	"time"

	"github.com/belayhq/belay"
	"github.com/belayhq/belay/internal/app"
)

// LivePath is where changes are told.
const LivePath = "/app/~/live"

// How a stream of changes goes on: how often it looks, how long at most, and how many there
// may be of one person and of all.
const (
	lookEvery       = 2 * time.Second
	streamLives     = 30 * time.Minute
	streamsOfOne    = 20
	streamsTogether = 2000
)

// streams is how many streams there are, by user.
type streams struct {
	mu  sync.Mutex
	of  map[string]int
	all int
}

func (s *streams) enter(user string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.all >= streamsTogether || s.of[user] >= streamsOfOne {
		return false
	}
	if s.of == nil {
		s.of = map[string]int{}
	}
	s.of[user]++
	s.all++
	return true
}

func (s *streams) leave(user string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.of[user]--; s.of[user] == 0 {
		delete(s.of, user)
	}
	s.all--
}

// Look says how something stands now, as a text that changes with it, and whether it will
// change no more. It asks who comes for their rights each time.
type Look func(context.Context, belay.Principal) (revision string, over bool, err error)

// Watch is how a thing with an id is looked at.
type Watch func(v *Visit, id string) Look

// Watching is the address of the changes of something that a page has shown as it was.
func Watching(kind, id, seen string) string {
	return LivePath + "?" + url.Values{"of": {kind}, "id": {id}, "seen": {shortHash(seen)}}.Encode()
}

func shortHash(text string) string { return belay.HashToken(text)[:16] }

// watched is how the thing is looked at that the address watches; nil: there is no such thing.
func (v *Visit) watched() Look {
	if watch := v.UI.watches[v.Asked("of")]; watch != nil {
		return watch(v, v.Asked("id"))
	}
	return nil
}

// Live tells a page that what it shows has changed, as long as it is open. What changed is
// never told: the page asks for itself anew, through the door that everybody takes.
func (u *UI) Live(v *Visit) {
	s, ok, err := v.Visitor()
	see := v.watched()
	if err == nil && (!ok || see == nil) {
		err = belay.ErrNotFound
	}
	if err != nil {
		v.Refuse(err)
		return
	}
	if !u.streams.enter(s.ID) {
		v.Writer.Header().Set("Retry-After", "30")
		v.Problem(http.StatusServiceUnavailable, "Too many pages are open.")
		return
	}
	defer u.streams.leave(s.ID)
	revision, over, err := see(v.Context(), s)
	if err != nil {
		v.Refuse(err)
		return
	}
	head := v.Writer.Header()
	head.Set("Content-Type", "text/event-stream")
	head.Set("X-Accel-Buffering", "no") // proxies hand on each line as it comes
	v.Status = http.StatusOK
	v.stream(see, revision, over)
}

// stream tells of each change until nobody listens, nothing changes any more, or the listener
// may not look any more.
func (v *Visit) stream(see Look, revision string, over bool) {
	seen := v.Header.Get("Last-Event-ID")
	if seen == "" {
		seen = v.Asked("seen")
	}
	ctx, cancel := context.WithTimeout(v.Context(), streamLives)
	defer cancel()
	tick := time.NewTicker(lookEvery)
	defer tick.Stop()
	came, wire := v.Request, http.NewResponseController(v.Writer)
	_, _ = fmt.Fprint(v.Writer, "retry: 1000\n\n")
	for quiet := 0; ; quiet++ {
		if now := shortHash(revision); now != seen {
			_, _ = fmt.Fprintf(v.Writer, "id: %s\nevent: changed\ndata: \n\n", now)
			seen, quiet = now, 0
		} else if quiet%8 == 7 {
			_, _ = fmt.Fprint(v.Writer, ": still here\n\n") // proxies end what is silent for long
		}
		if over {
			_, _ = fmt.Fprint(v.Writer, "event: end\ndata: \n\n")
		}
		if err := wire.Flush(); err != nil || over {
			return
		}
		select {
		case <-ctx.Done():
			return
		case <-v.UI.Ending:
			return
		case <-tick.C:
		}
		v.Request = came.WithContext(app.Sitting(ctx, &v.UI.names)) // each look reads all anew
		s, ok, err := v.Visitor()                                   // who signed out meanwhile sees nothing more
		if err != nil || !ok {
			return
		}
		if revision, over, err = see(v.Context(), s); err != nil {
			return
		}
	}
}
