package fair

import (
	"bytes"
	"io"
	"runtime"
	"sync/atomic"
	"testing"
)

// TestWhoReadsMuchLetsOthersHaveTheirTurn: beside somebody who reads without ever waiting, another gets to run with one processor
// for both, less often where both are of one tenant. It is not parallel: it takes all processors but one away.
func TestWhoReadsMuchLetsOthersHaveTheirTurn(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	const large = 4 << 20
	for name, test := range map[string]struct {
		several func() bool
		least   int64
	}{
		"whoever": {nil, large / share / 2}, "several": {func() bool { return true }, large / share / 2}, "one": {func() bool { return false }, large / ownShare / 2},
	} {
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
		body := &Sharing{Reader: bytes.NewReader(make([]byte, large)), Several: test.several}
		n, err := io.CopyBuffer(struct{ io.Writer }{io.Discard}, body, make([]byte, 4<<10))
		had := turns.Load()
		stop.Store(true)
		<-done
		if n != large || err != nil || had < test.least {
			t.Errorf("%s: %d bytes were read, %v, and another had %d turns meanwhile", name, n, err, had)
		}
	}
}
