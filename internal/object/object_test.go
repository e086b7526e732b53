package object_test

import (
	"context"
	"errors"
	"io"
	"strings"
	"testing"
	"testing/iotest"
	"time"

	"github.com/belayhq/belay"
	"github.com/belayhq/belay/internal/blob"
	"github.com/belayhq/belay/internal/fair"
	"github.com/belayhq/belay/internal/object"
	"github.com/belayhq/belay/internal/seal"
)

// room is a room over a folder, with a clock of its own.
type room struct {
	*object.Room
	now   time.Time
	blobs blob.Store
}

func newRoom(t *testing.T) *room {
	t.Helper()
	ring, err := seal.Parse(seal.GenerateKey())
	if err != nil {
		t.Fatal(err)
	}
	r := &room{now: time.Now()}
	if r.blobs, err = blob.Open(t.Context(), "file://"+t.TempDir(), ring); err != nil {
		t.Fatal(err)
	}
	r.Room = object.New(object.Config{Blobs: r.blobs, Ring: ring, Now: func() time.Time { return r.now }})
	return r
}

func TestPresignedURLsOpenOneThing(t *testing.T) {
	r := newRoom(t)
	good := r.Presign(false, object.Log, "plan-1", time.Hour)
	if err := r.Check(t.Context(), good); err != nil {
		t.Fatal(err)
	}
	for name, change := range map[string]func(*object.Presigned){
		"upload":          func(p *object.Presigned) { p.Upload = true },
		"kind":            func(p *object.Presigned) { p.Kind = object.PlanJSON },
		"kind of another": func(p *object.Presigned) { p.Kind = object.State },
		"unknown kind":    func(p *object.Presigned) { p.Kind = "x" },
		"id":              func(p *object.Presigned) { p.ID = "plan-2" },
		"expires":         func(p *object.Presigned) { p.Expires += "0" },
		"no number":       func(p *object.Presigned) { p.Expires = "never" },
		"signature":       func(p *object.Presigned) { p.MAC = "A" + p.MAC[1:] + "A" },
		"no signature":    func(p *object.Presigned) { p.MAC = "" },
	} {
		bad := good
		change(&bad)
		if err := r.Check(t.Context(), bad); belay.KindOf(err) != belay.NotFound {
			t.Errorf("with another %s: %v, want not found", name, err)
		}
	}
	r.now = r.now.Add(time.Hour + time.Second)
	if err := r.Check(t.Context(), good); belay.KindOf(err) != belay.NotFound {
		t.Errorf("after it expired: %v", err)
	}
}

func TestWhatIsPutComesBackOrIsRefused(t *testing.T) {
	r := newRoom(t)
	key := object.NewKey(object.Configuration, "ws-1", "cv-1")
	file, err := r.Put(t.Context(), key, object.From(strings.NewReader("archive")))
	if err != nil {
		t.Fatal(err)
	}
	for _, sum := range []string{file.MD5, file.SHA256} {
		rc, err := r.Open(t.Context(), key, sum, file.Size)
		if err != nil {
			t.Fatal(err)
		}
		if raw, err := io.ReadAll(rc); err != nil || string(raw) != "archive" {
			t.Errorf("read %q, %v", raw, err)
		}
		_ = rc.Close()
	}
	rc, err := r.Open(t.Context(), key, strings.Repeat("0", 64), file.Size)
	if err != nil {
		t.Fatal(err)
	}
	if _, err = io.ReadAll(rc); belay.KindOf(err) != belay.Damaged || !strings.Contains(err.Error(), "configuration version") {
		t.Errorf("another checksum: %v, want damaged", err)
	}
	_ = rc.Close()
	broken := object.From(iotest.ErrReader(errors.New("hung up")))
	if _, err := r.Put(t.Context(), key, broken); belay.KindOf(err) != belay.BadRequest {
		t.Errorf("a client that hangs up: %v, want a bad request", err)
	}
}

// TestWhoReadsAnObjectRests counts how often it is looked whether it is time to.
func TestWhoReadsAnObjectRests(t *testing.T) {
	r := newRoom(t)
	key := object.NewKey(object.Configuration, "ws-1", "cv-1")
	file, err := r.Put(t.Context(), key, object.From(strings.NewReader(strings.Repeat("x", 1<<20))))
	if err != nil {
		t.Fatal(err)
	}
	looks := 0
	ctx := fair.New(func() time.Time { looks++; return time.Unix(1, 0) }).As(t.Context(), "one")
	rc, err := r.Open(ctx, key, file.SHA256, file.Size)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = rc.Close() }()
	if _, err := io.CopyBuffer(struct{ io.Writer }{io.Discard}, rc, make([]byte, 64<<10)); err != nil {
		t.Fatal(err)
	}
	if looks < 16 {
		t.Errorf("of 1 MiB it was looked %d times, want each 64 KiB", looks)
	}
}

// named is rows that name some keys.
type named map[string]bool

func (n named) TakeSweep(context.Context) (string, bool, error)          { return "us", true, nil }
func (n named) Named(context.Context, []string) (map[string]bool, error) { return n, nil }

func TestWhatNoRowNamesIsSwept(t *testing.T) {
	r := newRoom(t)
	rows := named{}
	for _, kind := range []object.Kind{object.State, object.JSONState, object.Configuration, object.Log, object.RunFile} {
		kept, orphan := object.NewKey(kind, "ws-1", "x-1"), object.NewKey(kind, "ws-1", "x-1")
		rows[kept] = true
		for _, key := range []string{kept, orphan} {
			if _, err := r.blobs.Put(t.Context(), key, strings.NewReader("x")); err != nil {
				t.Fatal(err)
			}
		}
	}
	if _, err := r.blobs.Put(t.Context(), "others/kept", strings.NewReader("x")); err != nil {
		t.Fatal(err)
	}
	r.now = r.now.Add(23 * time.Hour)
	sweptTo(t, r, rows, 11)
	r.now = r.now.Add(2 * time.Hour)
	sweptTo(t, r, rows, 6)
}

// sweptTo sweeps, and counts what is left beside the mark of the owner.
func sweptTo(t *testing.T, r *room, rows named, want int) {
	t.Helper()
	if err := r.Sweep(t.Context(), rows); err != nil {
		t.Fatal(err)
	}
	left := -1
	if err := r.blobs.Walk(t.Context(), func(string, time.Time) error { left++; return nil }); err != nil {
		t.Fatal(err)
	}
	if left != want {
		t.Errorf("%d objects are left, want %d", left, want)
	}
}
