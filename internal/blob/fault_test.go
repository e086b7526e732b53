package blob_test

import (
	"context"
	"errors"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/belayhq/belay/internal/blob"
)

func TestFolderThatIsGone(t *testing.T) {
	t.Parallel()
	p := directory(filepath.Join(t.TempDir(), "volume"))
	store := p.open(t, newRing(t))
	put(t, store, key, strings.NewReader("state"))
	away := string(p) + ".away"
	if err := os.Rename(string(p), away); err != nil {
		t.Fatal(err)
	}
	if err := store.Ping(t.Context()); err == nil {
		t.Error("Ping finds nothing wrong")
	}
	if _, err := store.Put(t.Context(), key, strings.NewReader("x")); err == nil {
		t.Error("Put finds nothing wrong")
	}
	if err := store.Walk(t.Context(), func(string, time.Time) error { return nil }); err == nil {
		t.Error("Walk finds nothing wrong")
	}
	if _, err := os.Stat(string(p)); err == nil {
		t.Error("the folder was made again, under the mount point")
	}
	if err := os.Rename(away, string(p)); err != nil {
		t.Fatal(err)
	}
	if got, err := get(t.Context(), store, key); err != nil || string(got) != "state" {
		t.Errorf("when it is back: %q, %v", got, err)
	}
	if err := store.Ping(t.Context()); err != nil {
		t.Error(err)
	}
}

// refusing answers like a full S3 where refuse says so.
func refusing(refuse func(r *http.Request) bool) func(http.Handler) http.Handler {
	return func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if !refuse(r) {
				next.ServeHTTP(w, r)
				return
			}
			w.WriteHeader(http.StatusInsufficientStorage)
			_, _ = w.Write([]byte(`<Error><Code>XMinioStorageFull</Code><Message>the disk is full</Message></Error>`))
		})
	}
}

func TestS3ThatRefuses(t *testing.T) {
	t.Parallel()
	uploading := func(r *http.Request) bool { return r.URL.Query().Has("uploadId") }
	for name, refuse := range map[string]func(r *http.Request) bool{
		"the object":     func(r *http.Request) bool { return r.Method == http.MethodPut },
		"the beginning":  func(r *http.Request) bool { return r.URL.Query().Has("uploads") && r.Method == http.MethodPost },
		"a later part":   func(r *http.Request) bool { return r.URL.Query().Get("partNumber") == "2" },
		"the completion": func(r *http.Request) bool { return uploading(r) && r.Method == http.MethodPost },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var full atomic.Bool
			p := newS3(t, refusing(func(r *http.Request) bool { return full.Load() && refuse(r) }))
			store := p.open(t, newRing(t))
			full.Store(true)
			size := int64(12 * mib)
			if name == "the object" {
				size = 1000
			}
			if _, err := store.Put(t.Context(), key, bytesOf(1, size)); err == nil || !strings.Contains(err.Error(), "full") {
				t.Errorf("Put says %v", err)
			}
			wantNothingLeft(t, p, store)
			full.Store(false)
			put(t, store, key, bytesOf(1, size))
		})
	}
}

func TestS3ThatHangs(t *testing.T) {
	t.Parallel()
	p := startS3(t, http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body) // else the server does not notice that the client left
		<-r.Context().Done()
	}))
	store := p.open(t, newRing(t))
	ctx, cancel := context.WithTimeout(t.Context(), 200*time.Millisecond)
	defer cancel()
	start := time.Now()
	if _, err := store.Put(ctx, key, strings.NewReader("x")); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("Put says %v", err)
	}
	if _, err := store.Get(ctx, key); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("Get says %v", err)
	}
	if took := time.Since(start); took > time.Minute {
		t.Errorf("it took %v to give up", took)
	}
}

func TestS3ThatIsDown(t *testing.T) {
	t.Parallel()
	p := newS3(t, nil)
	store := p.open(t, newRing(t))
	p.server.Close()
	start := time.Now()
	if err := store.Ping(t.Context()); err == nil {
		t.Error("Ping finds nothing wrong")
	}
	if _, err := store.Put(t.Context(), key, strings.NewReader("x")); err == nil {
		t.Error("Put finds nothing wrong")
	}
	if _, err := store.Get(t.Context(), key); err == nil || errors.Is(err, blob.ErrNotFound) {
		t.Errorf("Get says %v", err)
	}
	if took := time.Since(start); took > time.Minute {
		t.Errorf("it took %v to give up", took)
	}
}

func TestS3WithoutTheBucket(t *testing.T) {
	t.Parallel()
	p := newS3(t, nil)
	if err := p.client.RemoveBucket(t.Context(), bucketName); err != nil {
		t.Fatal(err)
	}
	store := p.open(t, newRing(t))
	if err := store.Ping(t.Context()); err == nil || !strings.Contains(err.Error(), "no bucket "+bucketName) {
		t.Errorf("Ping says %v", err)
	}
	if _, err := store.Get(t.Context(), key); err == nil || errors.Is(err, blob.ErrNotFound) {
		t.Errorf("Get says %v", err)
	}
}
