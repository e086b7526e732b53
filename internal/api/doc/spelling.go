package doc

import (
	"encoding/json"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/belayhq/belay/internal/jsonapi"
)

// Clients write the names of members with hyphens or with underscores, whatever documents say:
// both are one name.

// Spelled is a name in the one spelling by which it is known.
func Spelled(name string) string { return strings.ReplaceAll(name, "-", "_") }

// sameName says whether two names are one.
func sameName(one, other string) bool { return Spelled(one) == Spelled(other) }

// spellings is the members of an object, by the names as they are known.
type spellings struct {
	members map[string]json.RawMessage
	names   map[string][]string // as they were given, sorted
}

// SpellingsOf finds out how the members of an object are spelled.
func SpellingsOf(members map[string]json.RawMessage) spellings {
	s := spellings{members, make(map[string][]string, len(members))}
	for _, name := range slices.Sorted(maps.Keys(members)) {
		s.names[Spelled(name)] = append(s.names[Spelled(name)], name)
	}
	return s
}

// Member is the one of a name, and how it was spelled. Where there are several, that of the
// name as documents have it counts.
func (s spellings) Member(name string) (raw json.RawMessage, as string, ok bool) {
	as = name
	if _, plainly := s.members[name]; !plainly {
		names := s.names[Spelled(name)]
		if len(names) == 0 {
			return nil, "", false
		}
		as = names[0]
	}
	return s.members[as], as, true
}

// differing is what is wrong with the spellings of a name that do not say the same: which of
// them was meant is not for the server to choose.
func (s spellings) differing(name string) (wrong memberErrors) {
	names := s.names[Spelled(name)]
	for i := 1; i < len(names); i++ {
		if !jsonapi.SameJSON(s.members[names[0]], s.members[names[i]]) {
			return append(wrong, oneOf(names[0], names[i]), oneOf(names[i], names[0]))
		}
	}
	return nil
}

// unlike is what is wrong with two names of one attribute that do not say the same. Null is
// neither the same nor another.
func (s spellings) unlike(name, twin string) (wrong memberErrors) {
	one, as, given := s.Member(name)
	other, also, both := s.Member(twin)
	if twin == "" || !given || !both || string(one) == "null" || string(other) == "null" || jsonapi.SameJSON(one, other) {
		return nil
	}
	return append(wrong, oneOf(as, also), oneOf(also, as))
}

// oneOf is what is wrong with a name of what another name gives another value.
func oneOf(name, other string) memberError {
	return memberError{name, shapeError("is given as " + other + " too, with another value")}
}

// Follow goes the steps through a document, as it has their names spelled. whole says that it
// has them all.
func Follow(document any, steps []string) (pointer string, whole bool) {
	way := slices.Clone(steps)
	for i, step := range steps {
		switch v := document.(type) {
		case map[string]any:
			next, there := v[step]
			for _, name := range slices.Sorted(maps.Keys(v)) {
				if !there && sameName(name, step) {
					way[i], next, there = name, v[name], true
				}
			}
			if !there {
				return jsonapi.Pointer(way...), false
			}
			document = next
		case []any:
			n, err := strconv.Atoi(step)
			if err != nil || n < 0 || n >= len(v) {
				return jsonapi.Pointer(way...), false
			}
			document = v[n]
		default:
			return jsonapi.Pointer(way...), false
		}
	}
	return jsonapi.Pointer(way...), true
}
