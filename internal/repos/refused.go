package repos

import (
	"net/http"
	"time"

	"github.com/belayhq/belay/internal/store"
)

// listener hears what a service answers to what is asked with a token.
type listener struct {
	next http.RoundTripper
	s    *service
}

// RoundTrip asks.
func (l listener) RoundTrip(request *http.Request) (*http.Response, error) {
	response, err := l.next.RoundTrip(request)
	if err == nil {
		l.s.answer.Store(int32(response.StatusCode)) //nolint:gosec // of three digits
	}
	return response, err
}

// heard is a client whose answers are heard.
func (s *service) heard(client *http.Client) *http.Client {
	same := *client
	if same.Transport == nil {
		same.Transport = http.DefaultTransport
	}
	same.Transport = listener{same.Transport, s}
	return &same
}

// noteToken notes that the service does not accept the token any more, or does again. An answer to something else than
// whose token it is says neither.
func (s *service) noteToken(tx *store.Tx) error {
	answer, refused := s.answer.Load(), !s.token.RefusedAt.IsZero()
	switch {
	case answer == http.StatusUnauthorized && !refused:
		return tx.NoteTokenRefused(s.token.ID, tx.Now)
	case answer >= 200 && answer < 300 && refused:
		return tx.NoteTokenRefused(s.token.ID, time.Time{})
	}
	return nil
}
