package run

import (
	"slices"
	"strings"

	"github.com/hashicorp/go-version"

	"github.com/belayhq/belay"
)

// SortEngines puts the newest version first, and what is no version last.
func SortEngines(list []belay.EngineVersion) {
	parsed := make(map[string]*version.Version, len(list))
	for i := range list {
		parsed[list[i].Version], _ = version.NewSemver(list[i].Version) // nil: it is none
	}
	slices.SortFunc(list, func(a, b belay.EngineVersion) int {
		switch x, y := parsed[a.Version], parsed[b.Version]; {
		case x != nil && y != nil && !x.Equal(y):
			return y.Compare(x)
		case (x == nil) != (y == nil):
			return map[bool]int{true: 1, false: -1}[x == nil]
		default:
			return strings.Compare(b.Version, a.Version)
		}
	})
}

// tooOld begins the reason of versions that are older than what is supported.
const tooOld = "older than "

// SupportFrom deprecates the versions of a list that are older than one, and takes that back from the others. It gives
// those that changed; what was deprecated for another reason stays so.
func SupportFrom(list []belay.EngineVersion, oldest string) (changed []belay.EngineVersion) {
	from, err := version.NewSemver(oldest)
	if err != nil {
		return nil
	}
	for _, e := range list {
		parsed, err := version.NewSemver(e.Version)
		old, marked := err == nil && parsed.LessThan(from), strings.HasPrefix(e.DeprecatedReason, tooOld)
		switch {
		case old && (!e.Deprecated || marked && e.DeprecatedReason != tooOld+oldest):
			e.Deprecated, e.DeprecatedReason = true, tooOld+oldest
		case !old && e.Deprecated && marked:
			e.Deprecated, e.DeprecatedReason = false, ""
		default:
			continue
		}
		changed = append(changed, e)
	}
	return changed
}

// SupportedFrom is the oldest release that is not deprecated, where an older one is; else empty.
func SupportedFrom(known belay.Engines) string {
	releases := known.Releases()
	for i, release := range slices.Backward(releases) {
		switch {
		case known.Deprecated(release):
		case i == len(releases)-1:
			return ""
		default:
			return release
		}
	}
	return ""
}
