package web_test

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/belayhq/belay"
	"github.com/belayhq/belay/internal/web"
)

// serve serves a handler behind bounds on bodies.
func serve(t *testing.T, b *web.Bodies, handle http.HandlerFunc) *httptest.Server {
	t.Helper()
	if b.Guest == nil {
		b.Guest = func(*http.Request) bool { return false }
	}
	server := httptest.NewServer(b.Handler(handle))
	t.Cleanup(server.Close)
	return server
}

// read is a handler that reads the body and answers what kind of refusal that came to.
func read(w http.ResponseWriter, r *http.Request) {
	raw, err := io.ReadAll(r.Body)
	switch {
	case err == nil:
		_, _ = fmt.Fprintf(w, "%d bytes", len(raw))
	case belay.KindOf(err) == belay.TooSlow:
		w.WriteHeader(http.StatusRequestTimeout)
	case belay.KindOf(err) == belay.TooMany:
		w.WriteHeader(http.StatusTooManyRequests)
	default:
		w.WriteHeader(http.StatusBadRequest)
	}
}

// line is a connection on which a body has begun.
type line struct {
	t    *testing.T
	conn net.Conn
	in   *bufio.Reader
}

// begin sends the head of a request and the first byte of its body.
func begin(t *testing.T, server *httptest.Server, size int) *line {
	t.Helper()
	conn, err := new(net.Dialer).DialContext(t.Context(), "tcp", strings.TrimPrefix(server.URL, "http://"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close() })
	l := &line{t, conn, bufio.NewReader(conn)}
	l.send(fmt.Sprintf("POST / HTTP/1.1\r\nHost: x\r\nContent-Length: %d\r\n\r\nx", size))
	return l
}

func (l *line) send(text string) {
	l.t.Helper()
	if _, err := io.WriteString(l.conn, text); err != nil {
		l.t.Fatal(err)
	}
}

// answer is the status that comes.
func (l *line) answer() int {
	l.t.Helper()
	answer, err := http.ReadResponse(l.in, nil)
	if err != nil {
		l.t.Fatal(err)
	}
	_ = answer.Body.Close()
	return answer.StatusCode
}

// ends waits until the server has closed the connection.
func (l *line) ends() {
	l.t.Helper()
	for {
		if _, err := l.in.ReadByte(); err != nil {
			return
		}
	}
}

func TestASlowBodyEnds(t *testing.T) {
	t.Parallel()
	server := serve(t, &web.Bodies{Grace: 100 * time.Millisecond, Rate: 1 << 20}, read)
	l := begin(t, server, 100)
	if got := l.answer(); got != http.StatusRequestTimeout {
		t.Errorf("a body that does not come: %d", got)
	}
	l.ends()
}

func TestABodyThatNobodyReadsEndsToo(t *testing.T) {
	t.Parallel()
	server := serve(t, &web.Bodies{Grace: 100 * time.Millisecond, Rate: 1 << 20}, func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(http.StatusUnauthorized)
	})
	l := begin(t, server, 100)
	if got := l.answer(); got != http.StatusUnauthorized {
		t.Errorf("status %d", got)
	}
	l.ends()
}

// TestTheServersOwnTimeIsNotTheClients waits longer than a body may take, before and after
// it is read.
func TestTheServersOwnTimeIsNotTheClients(t *testing.T) {
	t.Parallel()
	const grace = time.Second
	sent := make(chan struct{})
	server := serve(t, &web.Bodies{Grace: grace, Rate: 1 << 20}, func(w http.ResponseWriter, r *http.Request) {
		<-sent
		time.Sleep(grace + grace/4)
		raw, err := io.ReadAll(r.Body)
		time.Sleep(grace + grace/4)
		if err != nil || len(raw) != 3 || r.Context().Err() != nil {
			t.Errorf("%q, %v, %v", raw, err, r.Context().Err())
		}
		w.WriteHeader(http.StatusOK)
	})
	l := begin(t, server, 3)
	l.send("yz")
	close(sent)
	if got := l.answer(); got != http.StatusOK {
		t.Errorf("status %d", got)
	}
}

func TestGuestsBodiesAreCounted(t *testing.T) {
	t.Parallel()
	reading := make(chan bool, 100)
	guest := func(r *http.Request) bool { return r.Header.Get("Authorization") == "" }
	server := serve(t, &web.Bodies{Grace: time.Hour, Rate: 1, AtOnce: 2, Guest: guest}, func(w http.ResponseWriter, r *http.Request) {
		reading <- true
		read(w, r)
	})
	first, second := begin(t, server, 2), begin(t, server, 2)
	<-reading
	<-reading
	post := func(token string) int {
		r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, server.URL, strings.NewReader("x"))
		if err != nil {
			t.Fatal(err)
		}
		if token != "" {
			r.Header.Set("Authorization", token)
		}
		answer, err := http.DefaultClient.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		_ = answer.Body.Close()
		return answer.StatusCode
	}
	if got := post(""); got != http.StatusTooManyRequests {
		t.Errorf("a third at once: %d", got)
	}
	if got := post("Bearer x"); got != http.StatusOK {
		t.Errorf("one with a token: %d", got)
	}
	for _, l := range []*line{first, second} {
		l.send("y")
		if got := l.answer(); got != http.StatusOK {
			t.Errorf("one that was let in: %d", got)
		}
	}
	for range 10 { // the place of one that was answered comes free
		if got := post(""); got != http.StatusOK {
			t.Errorf("afterwards: %d", got)
		}
	}
}

func TestHeadersOfEveryAnswer(t *testing.T) {
	t.Parallel()
	handler := web.Guarded(http.NotFoundHandler(), "")
	for target, want := range map[string]string{
		"http://belay.example.com/": "", "https://belay.example.com/": "max-age=31536000", "https://127.0.0.1:8080/": "max-age=31536000",
		"https://localhost:8080/": "",
	} {
		answer := httptest.NewRecorder()
		handler.ServeHTTP(answer, httptest.NewRequest(http.MethodGet, target, nil))
		if got := answer.Header().Get("Strict-Transport-Security"); got != want || answer.Header().Get("X-Content-Type-Options") != "nosniff" {
			t.Errorf("%s: %v", target, answer.Header())
		}
	}
	answer := httptest.NewRecorder()
	web.Guarded(http.NotFoundHandler(), "https://belay.example.com").ServeHTTP(answer, httptest.NewRequest(http.MethodGet, "http://10.0.0.1/", nil))
	if answer.Header().Get("Strict-Transport-Security") == "" {
		t.Error("behind a proxy that ends TLS, nothing is said")
	}
}
