package api_test

import (
	"testing"

	"github.com/belayhq/belay/internal/storetest"
)

// settled runs a test on both engines, each with a server of its own that has one of everything.
func settled(t *testing.T, test func(*testing.T, *world)) {
	t.Helper()
	for _, engine := range storetest.Outside(t) {
		t.Run(engine, func(t *testing.T) {
			t.Parallel()
			w := newServer(t, storetest.Open(t, engine))
			w.settle()
			test(t, w)
		})
	}
}
