package e2e_test

import (
	"hash/fnv"
	"runtime/debug"
	"slices"
	"testing"

	"github.com/belayhq/belay/internal/storetest"
)

// raced says whether the tests run with the race detector. The program does then, too, and
// ends at the first race. What the Makefile leaves unwatched is unwatched here, too.
func raced() bool {
	info, ok := debug.ReadBuildInfo()
	return ok && slices.Contains(info.Settings, debug.BuildSetting{Key: "-race", Value: "true"})
}

// watched skips a test of the race detector's pass where BELAY_WATCH_EVERY says that this watches every so many of them, by
// name: started with it a program takes three times as long. All run without.
func watched(t *testing.T) {
	t.Helper()
	every := storetest.Number("BELAY_WATCH_EVERY", 1)
	if every == 1 || !raced() {
		return
	}
	sum := fnv.New32a()
	_, _ = sum.Write([]byte("watched " + t.Name())) // never fails; the engine is chosen by the name, too
	if sum.Sum32()%uint32(every) != 0 {
		t.Skip("the race detector watches others here")
	}
}
