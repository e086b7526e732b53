package web_test

import (
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/belayhq/belay/internal/web"
)

func TestOnlyATrustedProxySaysWhereARequestCameFrom(t *testing.T) {
	t.Parallel()
	proxies, err := web.ParseProxies("10.0.0.0/8, 192.0.2.7,2001:db8::/32")
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ peer, forwarded, want, proto string }{
		{"10.1.2.3:99", "203.0.113.9", "203.0.113.9", "https"},
		{"10.1.2.3:99", "1.2.3.4, 203.0.113.9, 10.9.9.9", "203.0.113.9", "https"},
		{"10.1.2.3:99", "203.0.113.9:4711", "203.0.113.9", "https"},
		{"10.1.2.3:99", "10.9.9.9", "10.9.9.9", "https"},
		{"10.1.2.3:99", "", "10.1.2.3", "https"},
		{"10.1.2.3:99", "203.0.113.9, nonsense", "10.1.2.3", "https"},
		{"192.0.2.7:1", "2001:db9::1", "2001:db9::1", "https"},
		{"[2001:db8::5]:1", "203.0.113.9", "203.0.113.9", "https"},
		{"192.0.2.8:1", "203.0.113.9", "192.0.2.8", ""},
		{"203.0.113.1:1", "10.0.0.1", "203.0.113.1", ""},
	} {
		request := httptest.NewRequest(http.MethodGet, "/", nil)
		request.RemoteAddr = c.peer
		request.Header.Set("X-Forwarded-Proto", "https")
		if c.forwarded != "" {
			request.Header.Set("X-Forwarded-For", c.forwarded)
		}
		var address, proto string
		proxies.Handler(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
			address, proto = web.Address(r), r.Header.Get("X-Forwarded-Proto")
		})).ServeHTTP(httptest.NewRecorder(), request)
		if address != c.want || proto != c.proto {
			t.Errorf("%s forwards %q: from %q by %q, want %q by %q", c.peer, c.forwarded, address, proto, c.want, c.proto)
		}
	}
	if _, err := web.ParseProxies("10.0.0.0/33"); err == nil {
		t.Error("a range that is none was taken")
	}
}
