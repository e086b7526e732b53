package git_test

import (
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/belayhq/belay/internal/git"
)

// faulty is a service in front of a real one that fails by itself, or refuses.
func faulty(t *testing.T, o *origin, fault func(w http.ResponseWriter, r *http.Request) bool) string {
	t.Helper()
	behind := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !fault(w, r) {
			o.handler.ServeHTTP(w, r)
		}
	}))
	t.Cleanup(behind.Close)
	return behind.URL
}

func status(code int) func(http.ResponseWriter, *http.Request) bool {
	return func(w http.ResponseWriter, _ *http.Request) bool {
		w.WriteHeader(code)
		return true
	}
}

// during has what git asks in the middle of a fetch go wrong.
func during(fault func(http.ResponseWriter, *http.Request) bool) func(http.ResponseWriter, *http.Request) bool {
	return func(w http.ResponseWriter, r *http.Request) bool { return r.Method == http.MethodPost && fault(w, r) }
}

func hangUp(w http.ResponseWriter, _ *http.Request) bool {
	conn, _, err := w.(http.Hijacker).Hijack()
	if err == nil {
		_ = conn.Close()
	}
	return true
}

// halfAnswer promises more than it gives.
func halfAnswer(w http.ResponseWriter, _ *http.Request) bool {
	w.Header().Set("Content-Type", "application/x-git-upload-pack-result")
	w.Header().Set("Content-Length", "1000")
	_, _ = w.Write([]byte("0011shallow"))
	return true
}

// TestFaultsThatPass: what git itself says of a service tells apart what may be over later from what stays.
func TestFaultsThatPass(t *testing.T) {
	t.Parallel()
	o := newOrigin(t)
	commit := o.repository("app", map[string]string{"main.tf": ""}, nil)
	locked := newOrigin(t)
	locked.secret = "another"
	gone := httptest.NewServer(http.NotFoundHandler())
	gone.Close()
	for _, c := range []struct {
		name, url, ref, commit string
		passes                 bool
	}{
		{"nobody listens", gone.URL, "", commit, true},
		{"it failed", faulty(t, o, status(500)), "", commit, true},
		{"it is away", faulty(t, o, status(503)), "refs/heads/main", commit, true},
		{"it has no time", faulty(t, o, status(429)), "", commit, true},
		{"it fails in the middle", faulty(t, o, during(status(502))), "", commit, true},
		{"it hangs up", faulty(t, o, hangUp), "", commit, true},
		{"it hangs up in the middle", faulty(t, o, during(hangUp)), "", commit, true},
		{"it breaks off", faulty(t, o, during(halfAnswer)), "", commit, true},
		{"no such host", "http://no-such-host.invalid", "", commit, true},
		{"forbidden", faulty(t, o, status(403)), "", commit, false},
		{"refused in the middle", faulty(t, o, during(status(403))), "", commit, false},
		{"no such repository", faulty(t, o, status(404)), "", commit, false},
		{"elsewhere", faulty(t, o, func(w http.ResponseWriter, r *http.Request) bool {
			http.Redirect(w, r, o.url+r.URL.Path, http.StatusFound)
			return true
		}), "", commit, false},
		{"another token", locked.url, "", commit, false},
		{"no such commit", o.url, "", strings.Repeat("a", 40), false},
		{"no such branch", o.url, "refs/heads/none", commit, false},
		{"not on its branch", o.url, "refs/heads/main", strings.Repeat("a", 40), false},
		{"no such scheme", "ftp://example.com", "", commit, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			_, err := fetch(t, fetcher(t), git.Request{URL: c.url + "/app/.git", Commit: c.commit, Ref: c.ref, User: "u", Password: "p"})
			var fault *git.Error
			if !errors.As(err, &fault) || fault.Passing != c.passes {
				t.Errorf("%v", err)
			}
		})
	}
	f := fetcher(t)
	f.Time = time.Millisecond
	var fault *git.Error
	if _, err := fetch(t, f, git.Request{URL: o.url + "/app/.git", Commit: commit}); !errors.As(err, &fault) || !fault.Passing {
		t.Errorf("too slow: %v", err)
	}
}
