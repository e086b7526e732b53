package frame_test

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/belayhq/belay"
	"github.com/belayhq/belay/internal/ui/frame"
)

// TestWhoCameTooOftenIsToldWhenToComeAgain: in words, in the header, and by a page that then comes by itself; a form that
// was refused is not sent again by itself.
func TestWhoCameTooOftenIsToldWhenToComeAgain(t *testing.T) {
	t.Parallel()
	u, err := frame.New(frame.Config{}, nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	door := u.Handler("GET /app/x", func(v *frame.Visit) { v.Refuse(belay.HoldBack(6001*time.Millisecond, "Too many pages.")) })
	for method, refresh := range map[string]string{http.MethodGet: "7", http.MethodPost: ""} {
		w := httptest.NewRecorder()
		door.ServeHTTP(w, httptest.NewRequest(method, "/app/x", nil))
		if w.Code != http.StatusTooManyRequests || w.Header().Get("Retry-After") != "7" || w.Header().Get("Refresh") != refresh {
			t.Errorf("%s: %d, %v", method, w.Code, w.Header())
		}
		if body := w.Body.String(); !strings.Contains(body, "Too many requests") || !strings.Contains(body, "Too many pages. Wait 7 s, then try again.") {
			t.Errorf("%s: the page says %s", method, body)
		}
	}
}
