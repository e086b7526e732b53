package belay

import "time"

// BackingWindow is how long files that were put aside can be taken back.
const BackingWindow = 7 * 24 * time.Hour

// BackingFrom is what files have to be to become something else: there, to be put aside;
// and aside, to be taken back or deleted for good.
func BackingFrom[S comparable](to, there, aside S) S {
	if to == aside {
		return there
	}
	return aside
}
