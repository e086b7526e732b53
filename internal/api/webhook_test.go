package api_test

import (
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/belayhq/belay/internal/storetest"
)

// unread is a body that must not be read.
type unread struct{ t *testing.T }

func (u unread) Read([]byte) (int, error) {
	u.t.Error("the body was read")
	return 0, errors.New("read")
}

// TestWebhooksThatAreTooLargeAreRefusedUnread: by what their length says, before anything is
// read; and where that says nothing, without keeping more than may be.
func TestWebhooksThatAreTooLargeAreRefusedUnread(t *testing.T) {
	t.Parallel()
	w := newServer(t, storetest.Open(t, "sqlite"))
	send := func(r *http.Request) int {
		answer := httptest.NewRecorder()
		w.api.ServeHTTP(answer, r)
		return answer.Code
	}
	large := httptest.NewRequest(http.MethodPost, "/webhooks/vcs/x", unread{t})
	large.ContentLength = 26 << 20
	if code := send(large); code != http.StatusRequestEntityTooLarge {
		t.Errorf("26 MiB: %d", code)
	}
	endless := httptest.NewRequest(http.MethodPost, "/webhooks/vcs/x", strings.NewReader(strings.Repeat("x", 26<<20)))
	endless.ContentLength = -1
	if code := send(endless); code != http.StatusRequestEntityTooLarge {
		t.Errorf("26 MiB without a length: %d", code)
	}
	if code := send(httptest.NewRequest(http.MethodPost, "/webhooks/vcs/x", strings.NewReader("{}"))); code != http.StatusNotFound {
		t.Errorf("an unknown hook: %d", code)
	}
}
