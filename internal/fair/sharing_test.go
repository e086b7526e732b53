package fair

import (
	"bytes"
	"io"
	"runtime"
	"sync/atomic"
	"testing"
)

// TestWhoReadsMuchLetsOthersHaveTheirTurn: beside somebody who reads without ever waiting, another gets to run with one processor
// for both. It is not parallel: it takes all processors but one away.
func TestWhoReadsMuchLetsOthersHaveTheirTurn(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	const large = 1 << 20
	var turns atomic.Int64
	var stop atomic.Bool
	done := make(chan struct{})
	go func() {
		defer close(done)
		for !stop.Load() {
			turns.Add(1)
			runtime.Gosched()
		}
	}()
	n, err := io.CopyBuffer(struct{ io.Writer }{io.Discard}, &Sharing{Reader: bytes.NewReader(make([]byte, large))}, make([]byte, 4<<10))
	had := turns.Load()
	stop.Store(true)
	<-done
	if n != large || err != nil || had < large/(64<<10)/2 {
		t.Errorf("%d bytes were read, %v, and another had %d turns meanwhile", n, err, had)
	}
}
