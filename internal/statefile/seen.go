package statefile

// fewSeen is up to how many things are looked through one by one, which takes no map.
const fewSeen = 8

// seen is different things in the order in which they came.
type seen[T comparable] struct {
	first  [fewSeen]T
	n      int
	places map[T]int // of all, where there are more
}

// add gives a thing its place, and says whether it had it before.
func (s *seen[T]) add(thing T) (place int, again bool) {
	for i := range min(s.n, fewSeen) {
		if s.first[i] == thing {
			return i, true
		}
	}
	if s.n < fewSeen {
		s.first[s.n] = thing
	} else if place, again = s.places[thing]; again {
		return place, true
	} else {
		if s.places == nil {
			s.places = map[T]int{}
		}
		s.places[thing] = s.n
	}
	s.n++
	return s.n - 1, false
}
