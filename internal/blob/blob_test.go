package blob_test

import (
	"bytes"
	"context"
	"crypto/md5"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/iotest"
	"time"

	"github.com/belayhq/belay/internal/blob"
	"github.com/belayhq/belay/internal/seal"
)

const (
	key = "states/ws-abcDEF0123456789/sv-1.state"
	mib = 1 << 20
)

func newRing(t *testing.T, keys ...string) *seal.Ring {
	t.Helper()
	ring, err := seal.Parse(strings.Join(append(keys, seal.GenerateKey()), ","))
	if err != nil {
		t.Fatal(err)
	}
	return ring
}

// bytesOf gives the same n bytes for the same seed, without keeping them.
func bytesOf(seed byte, n int64) io.Reader {
	return io.LimitReader(rand.NewChaCha8([32]byte{seed}), n)
}

func sumOf(t *testing.T, r io.Reader) string {
	t.Helper()
	sum := md5.New()
	if _, err := io.Copy(sum, r); err != nil {
		t.Error(err)
	}
	return hex.EncodeToString(sum.Sum(nil))
}

func put(t *testing.T, store blob.Store, key string, r io.Reader) blob.Written {
	t.Helper()
	written, err := store.Put(t.Context(), key, r)
	if err != nil {
		t.Fatal(err)
	}
	return written
}

func get(ctx context.Context, store blob.Store, key string) ([]byte, error) {
	rc, err := store.Get(ctx, key)
	if err != nil {
		return nil, err
	}
	data, err := io.ReadAll(rc)
	return data, errors.Join(err, rc.Close())
}

func wantMissing(t *testing.T, store blob.Store, key string) {
	t.Helper()
	if _, err := store.Get(t.Context(), key); !errors.Is(err, blob.ErrNotFound) {
		t.Errorf("Get %s says %v, want that it is missing", key, err)
	}
}

func wantNothingLeft(t *testing.T, p place, store blob.Store) {
	t.Helper()
	wantMissing(t, store, key)
	if n := p.leftovers(t); n != 0 {
		t.Errorf("%d leftovers", n)
	}
}

func TestPutGetDelete(t *testing.T) {
	everywhere(t, func(t *testing.T, p place) {
		store := p.open(t, newRing(t))
		wantMissing(t, store, key)
		if err := store.Delete(t.Context(), key); err != nil {
			t.Errorf("Delete of a missing blob: %v", err)
		}
		for _, text := range []string{"", `{"version":4}`, "replaced"} {
			want := blob.Written{Size: int64(len(text)), MD5: sumOf(t, strings.NewReader(text))}
			if got := put(t, store, key, strings.NewReader(text)); got != want {
				t.Errorf("Put = %v, want %v", got, want)
			}
			if got, err := get(t.Context(), store, key); err != nil || string(got) != text {
				t.Errorf("Get = %q, %v, want %q", got, err, text)
			}
		}
		if bytes.Contains(p.raw(t, key), []byte("replaced")) {
			t.Error("the blob lies there in plain text")
		}
		if err := store.Delete(t.Context(), key); err != nil {
			t.Error(err)
		}
		wantNothingLeft(t, p, store)
	})
}

func TestLargeBlobs(t *testing.T) {
	everywhere(t, func(t *testing.T, p place) {
		store := p.open(t, newRing(t))
		// 5 MiB of sealed bytes are exactly one part of a multipart upload.
		onePart := int64(5*mib - 41 - 80*16)
		for i, size := range []int64{300 << 10, onePart - 1, onePart, onePart + 1, 20*mib + 7} {
			seed := byte(i)
			written := put(t, store, key, iotest.HalfReader(bytesOf(seed, size)))
			if want := (blob.Written{Size: size, MD5: sumOf(t, bytesOf(seed, size))}); written != want {
				t.Errorf("Put = %v, want %v", written, want)
			}
			rc, err := store.Get(t.Context(), key)
			if err != nil {
				t.Fatal(err)
			}
			rc = blob.Verified(rc, written.MD5, written.Size)
			if got := sumOf(t, rc); got != written.MD5 {
				t.Errorf("%d bytes came back with md5 %s", size, got)
			}
			if err := rc.Close(); err != nil {
				t.Error(err)
			}
		}
		if n := p.leftovers(t); n != 0 {
			t.Errorf("%d leftovers", n)
		}
	})
}

func TestParallelPuts(t *testing.T) {
	everywhere(t, func(t *testing.T, p place) {
		store := p.open(t, newRing(t))
		var wg sync.WaitGroup
		for i := range 20 {
			wg.Go(func() {
				own := fmt.Sprintf("states/ws-%d/sv-%d.state", i%3, i)
				if _, err := store.Put(t.Context(), own, bytesOf(byte(i), 200<<10)); err != nil {
					t.Error(err)
				}
				if _, err := store.Put(t.Context(), key, bytesOf(byte(i), 200<<10)); err != nil {
					t.Error(err)
				}
			})
		}
		wg.Wait()
		sums := make([]string, 20)
		for i := range sums {
			sums[i] = sumOf(t, bytesOf(byte(i), 200<<10))
			got, err := get(t.Context(), store, fmt.Sprintf("states/ws-%d/sv-%d.state", i%3, i))
			if err != nil || sumOf(t, bytes.NewReader(got)) != sums[i] {
				t.Errorf("blob %d: %d bytes, %v", i, len(got), err)
			}
		}
		got, err := get(t.Context(), store, key)
		if err != nil || !slices.Contains(sums, sumOf(t, bytes.NewReader(got))) {
			t.Errorf("the blob all wrote is nobody's: %d bytes, %v", len(got), err)
		}
	})
}

// Delete removes directories that became empty; a Put into them must not suffer.
func TestPutBesideDelete(t *testing.T) {
	everywhere(t, func(t *testing.T, p place) {
		store := p.open(t, newRing(t))
		var wg sync.WaitGroup
		for i := range 4 {
			wg.Go(func() {
				own := fmt.Sprintf("states/ws-1/sv-%d.state", i)
				for range 25 {
					_, err := store.Put(t.Context(), own, strings.NewReader("x"))
					if err := errors.Join(err, store.Delete(t.Context(), own)); err != nil {
						t.Error(err)
						return
					}
				}
			})
		}
		wg.Wait()
	})
}

func TestChangedBlobsDoNotRead(t *testing.T) {
	everywhere(t, func(t *testing.T, p place) {
		store := p.open(t, newRing(t))
		put(t, store, key, bytesOf(1, 200<<10))
		put(t, store, "states/other.state", bytesOf(2, 200<<10))
		sealed := p.raw(t, key)
		flipped := bytes.Clone(sealed)
		flipped[len(flipped)/2] ^= 4
		for name, bad := range map[string][]byte{
			"empty":                   {},
			"cut in the header":       sealed[:20],
			"cut between chunks":      sealed[:41+64<<10+16],
			"last byte lost":          sealed[:len(sealed)-1],
			"a byte changed":          flipped,
			"a byte added":            append(bytes.Clone(sealed), 0),
			"another blob, copied":    p.raw(t, "states/other.state"),
			"written by someone else": []byte(`{"version":4}`),
		} {
			p.setRaw(t, key, bad)
			if got, err := get(t.Context(), store, key); !errors.Is(err, blob.ErrDamaged) {
				t.Errorf("%s: read %d bytes, %v", name, len(got), err)
			}
		}
		p.setRaw(t, key, sealed)
		if _, err := get(t.Context(), store, key); err != nil {
			t.Errorf("as it was: %v", err)
		}
	})
}

func TestKeysRotate(t *testing.T) {
	everywhere(t, func(t *testing.T, p place) {
		first, second := seal.GenerateKey(), seal.GenerateKey()
		put(t, p.open(t, newRing(t, first)), key, strings.NewReader("state"))
		got, err := get(t.Context(), p.open(t, newRing(t, second, first)), key)
		if err != nil || string(got) != "state" {
			t.Errorf("after rotation: %q, %v", got, err)
		}
		if _, err := get(t.Context(), p.open(t, newRing(t, second)), key); !errors.Is(err, seal.ErrUnknownKey) {
			t.Errorf("without the old key: %v", err)
		}
	})
}

func TestFailedPutsLeaveNothing(t *testing.T) {
	everywhere(t, func(t *testing.T, p place) {
		store := p.open(t, newRing(t))
		hungUp := errors.New("the client hung up")
		for _, size := range []int64{0, 1000, 7 * mib} {
			_, err := store.Put(t.Context(), key, io.MultiReader(bytesOf(1, size), iotest.ErrReader(hungUp)))
			if !errors.Is(err, hungUp) {
				t.Errorf("Put whose reader fails after %d bytes: %v", size, err)
			}
			wantNothingLeft(t, p, store)
			ctx, cancel := context.WithCancel(t.Context())
			_, err = store.Put(ctx, key, io.MultiReader(bytesOf(1, size), calls(cancel), bytesOf(1, mib)))
			if !errors.Is(err, context.Canceled) {
				t.Errorf("Put cancelled after %d bytes: %v", size, err)
			}
			wantNothingLeft(t, p, store)
		}
		put(t, store, key, strings.NewReader("kept"))
		if _, err := store.Put(t.Context(), key, iotest.ErrReader(hungUp)); !errors.Is(err, hungUp) {
			t.Error(err)
		}
		if got, err := get(t.Context(), store, key); err != nil || string(got) != "kept" {
			t.Errorf("after a failed Put the old blob is %q, %v", got, err)
		}
	})
}

// calls is a reader that gives nothing, but does something when it is read.
type calls func()

func (c calls) Read([]byte) (int, error) {
	c()
	return 0, io.EOF
}

func TestEndedContexts(t *testing.T) {
	everywhere(t, func(t *testing.T, p place) {
		store := p.open(t, newRing(t))
		put(t, store, key, bytesOf(1, mib))
		ctx, cancel := context.WithCancel(t.Context())
		rc, err := store.Get(ctx, key)
		if err != nil {
			t.Fatal(err)
		}
		cancel()
		if _, err := io.Copy(io.Discard, rc); !errors.Is(err, context.Canceled) {
			t.Errorf("reading on: %v", err)
		}
		if err := rc.Close(); err != nil {
			t.Error(err)
		}
		_, got := store.Get(ctx, key)
		_, put := store.Put(ctx, key, strings.NewReader("late"))
		_, swept := store.Sweep(ctx, time.Now().Add(time.Hour))
		for verb, err := range map[string]error{
			"Get": got, "Put": put, "Delete": store.Delete(ctx, key), "Ping": store.Ping(ctx),
			"Walk": store.Walk(ctx, func(string, time.Time) error { return nil }),
		} {
			if !errors.Is(err, context.Canceled) {
				t.Errorf("%s: %v", verb, err)
			}
		}
		if swept != nil && !errors.Is(swept, context.Canceled) {
			t.Errorf("Sweep: %v", swept)
		}
		if got, err := get(t.Context(), store, key); err != nil || len(got) != mib {
			t.Errorf("afterwards: %d bytes, %v", len(got), err)
		}
	})
}

func TestWalk(t *testing.T) {
	everywhere(t, func(t *testing.T, p place) {
		store := p.open(t, newRing(t))
		keys := []string{"a.state", "states/ws-1/sv-1.state", "states/ws-1/sv-2.state", "states/ws-2/sv-1.json"}
		for _, k := range keys {
			put(t, store, k, strings.NewReader(k))
		}
		p.leaveBehind(t)
		p.setRaw(t, "states/not a key.state", []byte("a stranger's"))
		var found []string
		err := store.Walk(t.Context(), func(k string, modified time.Time) error {
			found = append(found, k)
			if age := time.Since(modified); age < -5*time.Second || age > time.Hour {
				t.Errorf("%s was modified %v ago", k, age)
			}
			return store.Delete(t.Context(), k)
		})
		slices.Sort(found)
		if err != nil || !slices.Equal(found, keys) {
			t.Errorf("Walk visits %q, %v", found, err)
		}
		for _, k := range keys {
			wantMissing(t, store, k)
		}
		put(t, store, key, strings.NewReader("x"))
		enough := errors.New("enough")
		if err := store.Walk(t.Context(), func(string, time.Time) error { return enough }); !errors.Is(err, enough) {
			t.Errorf("Walk that is told to stop: %v", err)
		}
	})
}

func TestSweep(t *testing.T) {
	everywhere(t, func(t *testing.T, p place) {
		store := p.open(t, newRing(t))
		if n, err := store.Sweep(t.Context(), time.Now()); n != 0 || err != nil {
			t.Errorf("Sweep of an empty store: %d, %v", n, err)
		}
		put(t, store, key, strings.NewReader("kept"))
		p.leaveBehind(t)
		for _, c := range []struct {
			before time.Duration
			want   int
		}{{-time.Hour, 0}, {time.Hour, 1}, {time.Hour, 0}} {
			if n, err := store.Sweep(t.Context(), time.Now().Add(c.before)); n != c.want || err != nil {
				t.Errorf("Sweep of what is older than %v from now: %d, %v, want %d", c.before, n, err, c.want)
			}
		}
		if got, err := get(t.Context(), store, key); err != nil || string(got) != "kept" {
			t.Errorf("the blob is %q, %v", got, err)
		}
	})
}

func TestRefusedKeys(t *testing.T) {
	everywhere(t, func(t *testing.T, p place) {
		store := p.open(t, newRing(t))
		for _, bad := range []string{
			"", "/", ".", "..", "/etc/passwd", "../up", "states/../../up", "states/..", "states//x", "states/",
			".incoming/x", "states/.hidden", `states\x`, "states/x\x00", "states/x y", "C:/x", "states/x\n",
			strings.Repeat("x", 513),
		} {
			_, got := store.Get(t.Context(), bad)
			_, put := store.Put(t.Context(), bad, strings.NewReader("x"))
			for verb, err := range map[string]error{"Get": got, "Put": put, "Delete": store.Delete(t.Context(), bad)} {
				if err == nil || !strings.Contains(err.Error(), "cannot be the key") {
					t.Errorf("%s %q: %v", verb, bad, err)
				}
			}
		}
		if err := store.Ping(t.Context()); err != nil {
			t.Error(err)
		}
	})
}

func TestOpenRefuses(t *testing.T) {
	t.Parallel()
	for bad, want := range map[string]string{
		"":                                "must begin with file:// or s3://",
		"/var/lib/belay":                  "must begin with file:// or s3://",
		"gs://bucket":                     "must begin with file:// or s3://",
		"file://relative/path":            "file:///absolute/path",
		"file:relative":                   "file:///absolute/path",
		"file:///x?y=1":                   "file:///absolute/path",
		"file:///dev/null/x":              "not a directory",
		"s3://":                           "s3://name?endpoint",
		"s3://key:secret@bucket":          "s3://name?endpoint",
		"s3://bucket/path":                "s3://name?endpoint",
		"s3://bucket?regoin=eu":           `no option "regoin"`,
		"s3://bucket?insecure=maybe":      "true or false",
		"s3://bucket?prefix=../x":         "cannot be the prefix",
		"s3://bucket?endpoint=ftp://x":    "http:// or https://",
		"s3://bucket?endpoint=http://x/y": "a host and perhaps a port",
		"s3://bucket?endpoint=https://x&insecure=true": "does not go with",
		"s3://bucket\n": "not a URL",
	} {
		if _, err := blob.Open(t.Context(), bad, newRing(t)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("Open %q: %v, want %s", bad, err, want)
		}
	}
}

func TestAnEndpointMayHaveItsScheme(t *testing.T) {
	t.Parallel()
	for _, good := range []string{"http://127.0.0.1:9000", "http://127.0.0.1:9000/", "https://s3.example.com", "s3.example.com:443"} {
		if _, err := blob.Open(t.Context(), "s3://bucket?region=x&endpoint="+good, newRing(t)); err != nil {
			t.Errorf("%s: %v", good, err)
		}
	}
}

func TestSealedBytesMoveFromStoreToStore(t *testing.T) {
	everywhere(t, func(t *testing.T, p place) {
		ring := newRing(t)
		from, to := p.open(t, ring), openAt(t, "file://"+t.TempDir(), ring)
		if _, err := from.Put(t.Context(), "states/a", strings.NewReader("a state")); err != nil {
			t.Fatal(err)
		}
		rc, size, err := from.Sealed(t.Context(), "states/a")
		if err != nil {
			t.Fatal(err)
		}
		raw, err := io.ReadAll(rc)
		if err != nil || int64(len(raw)) != size || bytes.Contains(raw, []byte("a state")) {
			t.Errorf("%d bytes, said %d, %v", len(raw), size, err)
		}
		_ = rc.Close()
		if err := to.PutSealed(t.Context(), "states/a", bytes.NewReader(raw)); err != nil {
			t.Fatal(err)
		}
		plain, err := to.Get(t.Context(), "states/a")
		if err != nil {
			t.Fatal(err)
		}
		if raw, err := io.ReadAll(plain); err != nil || string(raw) != "a state" {
			t.Errorf("%q, %v", raw, err)
		}
		_ = plain.Close()
		if _, _, err := from.Sealed(t.Context(), "states/b"); !errors.Is(err, blob.ErrNotFound) {
			t.Errorf("one that is not there: %v", err)
		}
	})
}

func TestVerified(t *testing.T) {
	t.Parallel()
	sum := sumOf(t, strings.NewReader("state"))
	for _, c := range []struct {
		text, md5 string
		size      int64
		gives     string
		err       error
	}{
		{"state", sum, 5, "state", nil},
		{"state", strings.ToUpper(sum), 5, "state", nil},
		{"", sumOf(t, strings.NewReader("")), 0, "", nil},
		{"", sum, 0, "", blob.ErrDamaged},
		{"staTe", sum, 5, "staT", blob.ErrDamaged},
		{"stat", sum, 5, "stat", blob.ErrDamaged},
		{"states", sum, 5, "state", blob.ErrDamaged},
		{"state", "", 5, "stat", blob.ErrDamaged},
	} {
		for name, wrap := range map[string]func(io.Reader) io.Reader{
			"at once":       func(r io.Reader) io.Reader { return r },
			"byte by byte":  iotest.OneByteReader,
			"data with EOF": iotest.DataErrReader,
		} {
			rc := blob.Verified(io.NopCloser(wrap(strings.NewReader(c.text))), c.md5, c.size)
			got, err := io.ReadAll(rc)
			if !errors.Is(err, c.err) || !strings.HasPrefix(c.gives, string(got)) || (err == nil && string(got) != c.gives) {
				t.Errorf("%q %s: %q, %v", c.text, name, got, err)
			}
			if _, again := rc.Read(make([]byte, 1)); c.err != nil && !errors.Is(again, c.err) {
				t.Errorf("%q %s: the error does not stay", c.text, name)
			}
			want := c.err
			if int64(len(c.text)) == c.size {
				want = nil // whatever its checksum
			}
			if _, err := io.ReadAll(blob.Sized(io.NopCloser(wrap(strings.NewReader(c.text))), c.size)); !errors.Is(err, want) {
				t.Errorf("%q %s by its size: %v", c.text, name, err)
			}
		}
	}
}
