package background_test

import (
	"testing"
	"time"

	"github.com/belayhq/belay/internal/background"
)

func TestTheWaitGrowsAndIsBounded(t *testing.T) {
	t.Parallel()
	for tries, want := range map[int]time.Duration{
		1: 30 * time.Second, 2: 2 * time.Minute, 3: 8 * time.Minute, 4: 32 * time.Minute, 40: background.LongestWait,
	} {
		for range 100 {
			got := background.Again(30*time.Second, tries)
			if got < want*3/4 || got > want*5/4 {
				t.Errorf("after %d: %v, want about %v", tries, got, want)
			}
		}
	}
}
