package statefile

import "testing"

func TestSeenThingsKeepTheirPlaces(t *testing.T) {
	t.Parallel()
	var s seen[int]
	for round := range 2 {
		for i := range 3 * fewSeen {
			if place, again := s.add(i * 7); place != i || again != (round == 1) {
				t.Fatalf("round %d: the thing at %d is at %d, again %v", round, i, place, again)
			}
		}
	}
}
