package object_test

import (
	"bytes"
	"errors"
	"io"
	"testing"
	"testing/iotest"

	"github.com/belayhq/belay/internal/object"
)

// TestWhatComesIsLookedIntoWhileThereIsRoom holds what whoever looks is promised: all of it or none,
// and no more of all together than there is room for.
func TestWhatComesIsLookedIntoWhileThereIsRoom(t *testing.T) {
	t.Parallel()
	r := object.New(object.Config{})
	sent := bytes.Repeat([]byte("0123456789abcdef"), 20_000)
	look := func(most int64) (*object.Incoming, bool) {
		t.Helper()
		var seen []byte
		var failed error
		in := r.Along(iotest.HalfReader(bytes.NewReader(sent)), most, func(r io.Reader) { seen, failed = io.ReadAll(r) })
		if came, err := io.ReadAll(in); err != nil || !bytes.Equal(came, sent) {
			t.Fatalf("%d bytes came, %v", len(came), err)
		}
		if !in.Seen() {
			if failed == nil && len(seen) > 0 {
				t.Errorf("%d bytes of %d are all that there was to see", len(seen), len(sent))
			}
			return in, false
		}
		if failed != nil || !bytes.Equal(seen, sent) {
			t.Fatalf("%d bytes were seen, %v", len(seen), failed)
		}
		return in, true
	}
	if _, ok := look(int64(len(sent)) - 1); ok {
		t.Error("more is looked into than was to be")
	}
	var held []*object.Incoming
	for {
		in, ok := look(int64(len(sent)))
		if !ok {
			break
		}
		if held = append(held, in); len(held) > 1000 {
			t.Fatal("there is no end of room")
		}
	}
	if len(held) < 20 {
		t.Errorf("there was room for %d", len(held))
	}
	held[0].Free()
	held[0].Free() // more than once does nothing
	for range 2 {
		in, ok := look(int64(len(sent)))
		if !ok {
			t.Error("what was freed leaves no room")
		}
		if _, ok := look(int64(len(sent))); ok {
			t.Error("what was freed twice leaves room for two")
		}
		in.Free()
	}
	if object.Of(bytes.NewReader(sent)).Seen() {
		t.Error("it is looked into where nobody asked for it")
	}
}

// TestWhoLooksSeesEachPieceAsItComes: nothing is held back for them, and they may end sooner.
func TestWhoLooksSeesEachPieceAsItComes(t *testing.T) {
	t.Parallel()
	r := object.New(object.Config{})
	var seen bytes.Buffer
	in := r.Along(io.MultiReader(bytes.NewBufferString("first"), bytes.NewBufferString("second"), bytes.NewBufferString("third")), 100, func(r io.Reader) {
		_, _ = io.CopyN(&seen, r, int64(len("firstsecond")))
	})
	defer in.Free()
	for _, want := range []string{"first", "firstsecond"} {
		if in.Seen() {
			t.Errorf("%q is all that was wanted", seen.String())
		}
		if _, err := in.Read(make([]byte, 50)); err != nil || seen.String() != want {
			t.Errorf("%q was seen, and not %q: %v", seen.String(), want, err)
		}
	}
	if !in.Seen() {
		t.Error("who looked has not come to an end")
	}
	if rest, err := io.ReadAll(in); err != nil || string(rest) != "third" {
		t.Errorf("the rest is %q, %v", rest, err)
	}
}

// TestWhoLooksIsLeftWhereTheRestDoesNotCome: what a client breaks off was not seen, and who looked is let go.
func TestWhoLooksIsLeftWhereTheRestDoesNotCome(t *testing.T) {
	t.Parallel()
	r := object.New(object.Config{})
	broken := errors.New("broken off")
	var failed error
	in := r.Along(io.MultiReader(bytes.NewBufferString("half"), iotest.ErrReader(broken)), 100, func(r io.Reader) { _, failed = io.ReadAll(r) })
	if came, err := io.ReadAll(in); !errors.Is(err, broken) || string(came) != "half" {
		t.Errorf("%q came, %v", came, err)
	}
	if in.Free(); in.Seen() || failed == nil {
		t.Errorf("who looked was told %v", failed)
	}
	never := r.Along(bytes.NewReader(nil), 100, func(io.Reader) { t.Error("nobody sent anything") })
	never.Free()
}
