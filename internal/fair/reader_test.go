package fair

import (
	"bytes"
	"context"
	"testing"
	"time"
)

// TestWhoReadsMuchHasATurnForEachPiece: another who waits comes between two of them, and the last one ends with the reader.
func TestWhoReadsMuchHasATurnForEachPiece(t *testing.T) {
	t.Parallel()
	l, h := newLine(t, 1, 1)
	r := l.g.Reader(As(context.Background(), "a"), bytes.NewReader(make([]byte, 3*piece)))
	read := func() {
		t.Helper()
		if n, err := r.Read(make([]byte, piece)); n != piece || err != nil {
			t.Errorf("%d bytes were read, %v", n, err)
		}
	}
	l.are(0, "nothing was read")
	read()
	l.are(1, "a piece is worked on")
	h.pass(time.Second)
	waits, stop := context.WithCancel(As(context.Background(), "b"))
	defer stop()
	came := make(chan func(), 1)
	go func() {
		if leave, err := l.g.Enter(waits); err == nil {
			came <- leave
		}
	}()
	for l.waits("b") == 0 {
		time.Sleep(time.Millisecond)
	}
	done := make(chan struct{})
	go func() { read(); close(done) }()
	leave := <-came
	select {
	case <-done:
		t.Error("the next piece was read in the turn of another")
	default:
	}
	leave()
	<-done
	r.Close()
	l.are(0, "it was closed")
}

// waits is how many of a tenant wait.
func (l *line) waits(tenant string) int {
	l.g.tenants.mu.Lock()
	defer l.g.tenants.mu.Unlock()
	return len(l.g.waiting[tenant])
}
