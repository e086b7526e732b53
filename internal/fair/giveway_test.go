package fair

import (
	"io"
	"os"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// endless is a body without an end that is counted.
type endless struct {
	shares *atomic.Int64
	stop   *atomic.Bool
}

func (e endless) Read(buf []byte) (int, error) {
	if e.stop.Load() {
		return 0, io.EOF
	}
	e.shares.Add(1)
	return len(buf), nil
}

// TestWhoWaitsForTheNetworkIsBeforeLargeBodies: beside readers who never wait, who asks and waits for an answer does not wait until
// each of them had his turn many times. It is not parallel: it takes all processors but two away.
func TestWhoWaitsForTheNetworkIsBeforeLargeBodies(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(2))
	var shares atomic.Int64
	var stop atomic.Bool
	var readers sync.WaitGroup
	for range 8 {
		readers.Go(func() {
			body := &Sharing{Reader: endless{&shares, &stop}}
			_, _ = io.CopyBuffer(struct{ io.Writer }{io.Discard}, body, make([]byte, 64<<10))
		})
	}
	question, asks := pipe(t)
	answer, answers := pipe(t)
	var database sync.WaitGroup
	database.Go(func() {
		_, _ = io.CopyBuffer(struct{ io.Writer }{answers}, struct{ io.Reader }{question}, make([]byte, 1))
	})
	const rounds = 50
	before := shares.Load()
	for range rounds {
		if _, err := asks.Write([]byte{0}); err != nil {
			t.Fatal(err)
		}
		if _, err := answer.Read(make([]byte, 1)); err != nil {
			t.Fatal(err)
		}
	}
	each := (shares.Load() - before) / rounds
	stop.Store(true)
	_ = asks.Close()
	readers.Wait()
	database.Wait()
	if t.Logf("%d shares while one question was answered", each); each > 100 {
		t.Errorf("%d shares of large bodies were read while one question was answered", each)
	}
}

// sender counts the bytes that are sent. Where they are to be late patience ends with each, before anybody looks for it.
type sender struct {
	to, from *os.File
	late     bool
	sent     int
}

func (s *sender) Write(b []byte) (int, error) {
	s.sent += len(b)
	if n, err := s.to.Write(b); err != nil || !s.late {
		return n, err
	}
	return len(b), s.from.SetReadDeadline(time.Unix(1, 0))
}

// TestNoByteStaysInTheWay: whether the byte that somebody sends to himself comes in time or late, it is taken out. Else the pipe
// would be full after 64 KiB of them, and nobody could work on megabytes any more.
func TestNoByteStaysInTheWay(t *testing.T) {
	t.Parallel()
	for _, late := range []bool{false, true} {
		in, out := pipe(t)
		to := &sender{to: out, from: in, late: late}
		for give := newWay(in, to).give; to.sent < 3; {
			give()
		}
		_, _ = in.SetReadDeadline(time.Time{}), out.Close()
		if left, err := io.ReadAll(in); len(left) > 0 || err != nil {
			t.Errorf("late %v: of %d bytes %d stay, %v", late, to.sent, len(left), err)
		}
	}
}

func pipe(t *testing.T) (in, out *os.File) {
	t.Helper()
	in, out, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _, _ = in.Close(), out.Close() })
	return in, out
}
