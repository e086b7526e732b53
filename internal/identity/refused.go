package identity

import (
	"sync"
	"time"
)

// Refused is a request that the API refused: what one who begins sees where it would have been answered.
type Refused struct {
	At           time.Time
	Method, Path string
	Status       int
	Detail       string
}

// How long the last refusal of each caller is kept, in memory alone, and of how many callers.
const (
	refusedLasts = 10 * time.Minute
	mostRefused  = 4096
)

// refusals is the last refusal of each caller: a user, or an address of which nobody knows who it is.
type refusals struct {
	mu sync.Mutex
	of map[string]Refused
}

// NoteRefused keeps the last refusal of a caller for some minutes. What is too much is all forgotten.
func (m *Room) NoteRefused(caller, method, path string, status int, detail string) {
	m.refused.mu.Lock()
	defer m.refused.mu.Unlock()
	if m.refused.of == nil || len(m.refused.of) >= mostRefused {
		m.refused.of = map[string]Refused{}
	}
	m.refused.of[caller] = Refused{m.now(), method, path, status, detail}
}

// LastRefused is the newest refusal of some callers; nil: there was none lately.
func (m *Room) LastRefused(callers ...string) (last *Refused) {
	m.refused.mu.Lock()
	defer m.refused.mu.Unlock()
	for _, caller := range callers {
		r, known := m.refused.of[caller]
		if known && m.now().Sub(r.At) < refusedLasts && (last == nil || r.At.After(last.At)) {
			last = &r
		}
	}
	return last
}
