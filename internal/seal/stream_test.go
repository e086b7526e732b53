package seal_test

import (
	"bytes"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"slices"
	"testing"
	"testing/iotest"

	"github.com/belayhq/belay/internal/seal"
)

const (
	header = 41           // magic, key id, salt
	chunk  = 64<<10 + 16  // a sealed chunk
	plain  = chunk - 16   // what it holds
	ctx    = "states/a.b" // context of every test stream
)

func random(n int) []byte {
	b := make([]byte, n)
	rand.Read(b)
	return b
}

func write(t *testing.T, ring *seal.Ring, data []byte) []byte {
	t.Helper()
	var out bytes.Buffer
	w, err := ring.Writer(&out, ctx)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := io.Copy(w, iotest.HalfReader(bytes.NewReader(data))); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

func read(ring *seal.Ring, sealed []byte, context string) ([]byte, error) {
	r, err := ring.Reader(bytes.NewReader(sealed), context)
	if err != nil {
		return nil, err
	}
	return io.ReadAll(r)
}

func TestStreamsOfEverySize(t *testing.T) {
	t.Parallel()
	ring := parse(t, seal.GenerateKey())
	for _, size := range []int{0, 1, plain - 1, plain, plain + 1, 2 * plain, 3*plain + 5} {
		data := random(size)
		sealed := write(t, ring, data)
		if chunks := max(1, (size+plain-1)/plain); len(sealed) != header+size+16*chunks {
			t.Errorf("%d bytes sealed to %d", size, len(sealed))
		}
		got, err := read(ring, sealed, ctx)
		if err != nil || !bytes.Equal(got, data) {
			t.Errorf("%d bytes: %d back, %v", size, len(got), err)
		}
		r, err := ring.Reader(iotest.OneByteReader(bytes.NewReader(sealed)), ctx)
		if err != nil {
			t.Fatal(err)
		}
		if size < 2*plain {
			if err := iotest.TestReader(r, data); err != nil {
				t.Errorf("%d bytes: %v", size, err)
			}
		}
	}
}

func TestChangedStreamsDoNotOpen(t *testing.T) {
	t.Parallel()
	ring := parse(t, seal.GenerateKey())
	data := random(3*plain + 100)
	sealed, other := write(t, ring, data), write(t, ring, data)
	part := func(s []byte, i int) []byte { return s[header+i*chunk : min(len(s), header+(i+1)*chunk)] }
	flip := func(i int) []byte {
		b := bytes.Clone(sealed)
		b[i] ^= 0x80
		return b
	}
	head := sealed[:header]
	for name, bad := range map[string][]byte{
		"empty":                 {},
		"half a header":         sealed[:header/2],
		"only a header":         head,
		"cut in a chunk":        sealed[:header+chunk+77],
		"cut between chunks":    sealed[:header+2*chunk],
		"cut before last byte":  sealed[:len(sealed)-1],
		"one byte more":         append(bytes.Clone(sealed), 0),
		"chunks exchanged":      slices.Concat(head, part(sealed, 1), part(sealed, 0), part(sealed, 2), part(sealed, 3)),
		"chunk twice":           slices.Concat(head, part(sealed, 0), part(sealed, 0), part(sealed, 2), part(sealed, 3)),
		"chunk lost":            slices.Concat(head, part(sealed, 0), part(sealed, 2), part(sealed, 3)),
		"spliced":               slices.Concat(head, part(sealed, 0), part(other, 1), part(sealed, 2), part(sealed, 3)),
		"another header":        slices.Concat(other[:header], sealed[header:]),
		"two streams":           slices.Concat(sealed, other),
		"magic changed":         flip(1),
		"salt changed":          flip(header - 1),
		"first chunk changed":   flip(header + 9),
		"last tag changed":      flip(len(sealed) - 1),
		"last chunk only":       slices.Concat(head, part(sealed, 3)),
		"last chunk not at end": slices.Concat(head, part(sealed, 3), part(sealed, 0)),
	} {
		got, err := read(ring, bad, ctx)
		if !errors.Is(err, seal.ErrDamaged) {
			t.Errorf("%s: error %v", name, err)
		}
		if !bytes.HasPrefix(data, got) {
			t.Errorf("%s: gave %d bytes that are not the beginning of the data", name, len(got))
		}
	}
	if _, err := read(ring, sealed, ctx+"x"); !errors.Is(err, seal.ErrDamaged) {
		t.Errorf("another context: %v", err)
	}
}

func TestStreamKeys(t *testing.T) {
	t.Parallel()
	old := seal.GenerateKey()
	sealed := write(t, parse(t, old), []byte("state"))
	if got, err := read(parse(t, seal.GenerateKey(), old), sealed, ctx); err != nil || string(got) != "state" {
		t.Errorf("after rotation: %q, %v", got, err)
	}
	if _, err := read(parse(t, seal.GenerateKey()), sealed, ctx); !errors.Is(err, seal.ErrUnknownKey) {
		t.Errorf("without the key: %v", err)
	}
}

func TestStreamErrorsOfTheOtherSidePassThrough(t *testing.T) {
	t.Parallel()
	ring := parse(t, seal.GenerateKey())
	broken := errors.New("the line broke")
	sealed := write(t, ring, random(2*plain))
	r, err := ring.Reader(io.MultiReader(bytes.NewReader(sealed[:header+chunk]), iotest.ErrReader(broken)), ctx)
	if err != nil {
		t.Fatal(err)
	}
	for range 2 { // the error stays
		if _, err := io.Copy(io.Discard, r); !errors.Is(err, broken) {
			t.Errorf("Read gives %v", err)
		}
	}
	if _, err := ring.Reader(iotest.ErrReader(broken), ctx); !errors.Is(err, broken) {
		t.Errorf("Reader gives %v", err)
	}
	for room := range 4 {
		if err := writeInto(ring, &narrow{left: room, err: broken}); !errors.Is(err, broken) {
			t.Errorf("room for %d writes: %v", room, err)
		}
	}
}

func writeInto(ring *seal.Ring, to io.Writer) error {
	w, err := ring.Writer(to, ctx)
	if err != nil {
		return err
	}
	_, err = w.Write(make([]byte, 3*plain))
	if closed := w.Close(); err != nil && closed == nil {
		return fmt.Errorf("closed well after %w", errors.ErrUnsupported)
	} else if err == nil {
		err = closed
	}
	return err
}

// narrow takes a few writes and then fails.
type narrow struct {
	left int
	err  error
}

func (n *narrow) Write(p []byte) (int, error) {
	if n.left--; n.left < 0 {
		return 0, n.err
	}
	return len(p), nil
}

func TestWriterIsClosedOnce(t *testing.T) {
	t.Parallel()
	w, err := parse(t, seal.GenerateKey()).Writer(io.Discard, ctx)
	if err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := w.Write([]byte("late")); err == nil {
		t.Error("a write after Close is taken")
	}
	if err := w.Close(); err == nil {
		t.Error("a second Close ends the stream twice")
	}
}

func TestStreamMemoryIsConstant(t *testing.T) { // not parallel: counts allocations
	ring := parse(t, seal.GenerateKey())
	result := testing.Benchmark(func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			from, to := io.Pipe()
			go func() {
				w, _ := ring.Writer(to, ctx)
				_, err := io.CopyN(w, zeros{}, 4<<20)
				to.CloseWithError(errors.Join(err, w.Close()))
			}()
			r, err := ring.Reader(from, ctx)
			if err != nil {
				b.Fatal(err)
			}
			if n, err := io.Copy(io.Discard, r); n != 4<<20 || err != nil {
				b.Fatal(n, err)
			}
		}
	})
	if got := result.AllocedBytesPerOp(); got > 512<<10 {
		t.Errorf("4 MiB through a stream allocate %d bytes", got)
	}
}

type zeros struct{}

func (zeros) Read(p []byte) (int, error) {
	clear(p)
	return len(p), nil
}
