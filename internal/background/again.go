package background

import (
	"math/rand/v2"
	"time"
)

// LongestWait is the most that work which failed waits to be tried again.
const LongestWait = 6 * time.Hour

// Again is how long work waits that failed so often: four times as long each time, and up to a quarter more or less, so
// that what failed together does not come back together.
func Again(first time.Duration, tries int) time.Duration {
	wait := first
	for range tries - 1 {
		if wait *= 4; wait > LongestWait {
			wait = LongestWait
			break
		}
	}
	return time.Duration(float64(wait) * (0.75 + rand.Float64()/2))
}
