package core

import (
	"context"
	"sync"
	"time"

	"github.com/belayhq/belay"
)

// sittingFor is how long what was read of an organization serves the views of one sitting: it
// is for a page that is made, and a file or a stream that goes on for long asks again.
const sittingFor = 2 * time.Second

// sitting is the organizations that the views of one request have read.
type sitting struct {
	mu    sync.Mutex
	begun time.Time
	kept  map[string]belay.Organization // by what they were asked by
}

type sittingKey struct{}

// Sitting has the views under the context read each organization once: a page is put together by
// many verbs, each of which asks who may. Transactions read anew.
func Sitting(ctx context.Context) context.Context {
	return context.WithValue(ctx, sittingKey{}, &sitting{kept: map[string]belay.Organization{}})
}

// seat is the sitting of a view; nil where it has none, or reads in a transaction.
func (v *View) seat() *sitting {
	if v.InTx() {
		return nil
	}
	s, _ := v.Context().Value(sittingKey{}).(*sitting)
	return s
}

// organization is what was read of an organization, which is read where it was not.
func (s *sitting) organization(name string, now time.Time, read func() (belay.Organization, error)) (belay.Organization, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if now.Sub(s.begun) > sittingFor {
		s.begun = now
		clear(s.kept)
	}
	if o, known := s.kept[name]; known {
		return o, nil
	}
	o, err := read()
	if err == nil {
		s.kept[name] = o
	}
	return o, err
}
