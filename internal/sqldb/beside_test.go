package sqldb

import (
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/belayhq/belay/internal/fair"
)

// TestTwoProcessesWrite has one write without a pause, as a server does that many ask, and the other now and then, as a backup beside
// it does: each comes in.
func TestTwoProcessesWrite(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "x.db")
	var both []*sqliteEngine
	for _, alone := range []bool{true, false} {
		e, err := openSQLite(t.Context(), path, 1<<20, alone, fair.New(time.Now))
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = e.close() }()
		both = append(both, e)
	}
	server, beside := both[0], both[1]
	var writing sync.WaitGroup
	ended := make(chan struct{})
	hold := func(conn) error { time.Sleep(2 * batchTime); return nil } // and so a batch by itself
	for range 2 {
		writing.Go(func() {
			for {
				select {
				case <-ended:
					return
				default:
					if err := server.update(t.Context(), hold); err != nil {
						t.Errorf("the one that never rests: %v", err)
						return
					}
				}
			}
		})
	}
	for range 3 {
		if err := beside.update(t.Context(), func(conn) error { return nil }); err != nil {
			t.Errorf("the one beside it: %v", err)
		}
	}
	close(ended)
	writing.Wait()
}
