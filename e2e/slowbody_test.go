package e2e_test

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"sync"
	"testing"
)

// TestSlowBodiesEnd opens many bodies of one byte without a token, of which no more comes.
func TestSlowBodiesEnd(t *testing.T) {
	slow(t)
	t.Parallel()
	s := start(t, "sqlite")
	var all sync.WaitGroup
	var mu sync.Mutex
	count := map[int]int{}
	body := func() {
		all.Go(func() {
			conn, err := net.Dial("tcp", strings.TrimPrefix(s.URL, "http://"))
			if err != nil {
				t.Error(err)
				return
			}
			defer func() { _ = conn.Close() }()
			_, err = io.WriteString(conn, "POST /oauth/token HTTP/1.1\r\nHost: belay\r\nContent-Type: application/x-www-form-urlencoded\r\nContent-Length: 100\r\n\r\nx")
			if err != nil {
				t.Error(err)
				return
			}
			in := bufio.NewReader(conn)
			answer, err := http.ReadResponse(in, nil)
			if err != nil {
				t.Error(err)
				return
			}
			defer func() { _ = answer.Body.Close() }()
			if _, err := io.Copy(io.Discard, answer.Body); err != nil {
				t.Error(err)
			}
			if _, err := in.ReadByte(); err == nil {
				t.Error("the connection goes on")
			}
			mu.Lock()
			defer mu.Unlock()
			count[answer.StatusCode]++
			if answer.StatusCode == http.StatusTooManyRequests && answer.Header.Get("Retry-After") == "" {
				t.Error("nothing says when to come back")
			}
		})
	}
	for range 130 {
		body()
	}
	waitFor(t, "a body too many", func() bool { // a slow machine brings the last when the first have ended
		body()
		mu.Lock()
		defer mu.Unlock()
		return count[http.StatusTooManyRequests] > 0
	})
	all.Wait()
	if count[http.StatusRequestTimeout] < 100 || len(count) != 2 {
		t.Errorf("slow bodies were answered %v", count)
	}
	s.do("GET", "/account/details", s.Token, "").want(t, 200)
}

func TestHeadersOfEveryAnswer(t *testing.T) {
	t.Parallel()
	for _, args := range [][]string{nil, {"--tls-self-signed"}} {
		s := start(t, "sqlite", args...)
		b := s.browse()
		for _, path := range []string{"/api/v2/ping", "/api/v2/nothing", "/healthz", "/metrics", "/app/sign-in", "/app/style.css", "/.well-known/terraform.json"} {
			got := b.get(path)
			secure := got.Header.Get("Strict-Transport-Security") != ""
			if got.Header.Get("X-Content-Type-Options") != "nosniff" || secure != (args != nil) {
				t.Errorf("%v %s: %s", args, path, fmt.Sprint(got.Header))
			}
		}
	}
}
