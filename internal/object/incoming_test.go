package object_test

import (
	"bytes"
	"io"
	"testing"
	"testing/iotest"

	"github.com/belayhq/belay/internal/object"
)

// TestWhatComesInIsKeptWhileThereIsRoom holds what whoever keeps is promised: all of it or none,
// and no more of all together than there is room for.
func TestWhatComesInIsKeptWhileThereIsRoom(t *testing.T) {
	r := object.New(object.Config{})
	sent := bytes.Repeat([]byte("0123456789abcdef"), 20_000) // some five pieces
	keep := func(most int64) (*object.Incoming, bool) {
		t.Helper()
		in := r.Keep(iotest.HalfReader(bytes.NewReader(sent)), most)
		if came, err := io.ReadAll(in); err != nil || !bytes.Equal(came, sent) {
			t.Fatalf("%d bytes came, %v", len(came), err)
		}
		whole, ok := in.Whole()
		if !ok {
			return in, false
		}
		if again, err := io.ReadAll(whole); err != nil || !bytes.Equal(again, sent) {
			t.Fatalf("%d bytes were kept, %v", len(again), err)
		}
		return in, true
	}
	if _, ok := keep(int64(len(sent)) - 1); ok {
		t.Error("more is kept than was to be")
	}
	var held []*object.Incoming
	for {
		in, ok := keep(int64(len(sent)))
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
	if _, ok := held[0].Whole(); ok {
		t.Error("what was freed is still there")
	}
	in, ok := keep(int64(len(sent)))
	if !ok {
		t.Error("what was freed leaves no room")
	}
	in.Free()
	if _, ok := object.Of(bytes.NewReader(sent)).Whole(); ok {
		t.Error("it is kept where nobody asked for it")
	}
}
