package moving

import (
	"reflect"
	"slices"
	"sync"
	"time"

	"github.com/belayhq/belay/internal/remote"
)

// side is what one side calls its things. Names are those of the target on both.
type side struct {
	mu    sync.RWMutex
	names map[remote.Ref]string
	ids   map[remote.Ref]string // by type and name
}

func newSide() *side {
	return &side{names: map[remote.Ref]string{}, ids: map[remote.Ref]string{}}
}

func (s *side) learn(typ, id, name string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.names[remote.Ref{Type: typ, ID: id}] = name
	s.ids[remote.Ref{Type: typ, ID: name}] = id
}

func (s *side) name(ref remote.Ref) string {
	s.mu.RLock()
	defer s.mu.RUnlock()
	return s.names[ref]
}

func (s *side) id(typ, name string) string {
	s.mu.RLock()
	defer s.mu.RUnlock()
	return s.ids[remote.Ref{Type: typ, ID: name}]
}

// link is a reference in the terms of both sides: by name.
type link struct{ typ, name string }

// links is several of one type, in order of their names.
type links struct {
	typ   string
	names []string
}

// one is what a relationship refers to, by name; false when it refers to nothing known.
func (s *side) one(r *remote.Resource, relation string) (link, bool) {
	ref := r.One(relation)
	name := s.name(ref)
	return link{ref.Type, name}, name != ""
}

// many is what a relationship refers to, by name, and whether the document tells.
func (s *side) many(r *remote.Resource, relation, typ string) (links, bool) {
	refs, told := r.Many(relation)
	all := links{typ: typ, names: []string{}}
	for _, ref := range refs {
		if name := s.name(ref); name != "" {
			all.names = append(all.names, name)
		}
	}
	slices.Sort(all.names)
	return all, told
}

// facts is what is true of a thing in the terms of both sides: attributes, and links.
type facts map[string]any

// take copies the attributes that a document has.
func (f facts) take(r *remote.Resource, names ...string) {
	for _, name := range names {
		if value, there := r.Attributes[name]; there {
			f[name] = value
		}
	}
}

// unlike is the facts of want that have does not share, in order.
func (f facts) unlike(have facts) (names []string) {
	for name, wanted := range f {
		if !same(wanted, have[name]) {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}

// only is some of the facts.
func (f facts) only(names []string) facts {
	some := facts{}
	for _, name := range names {
		some[name] = f[name]
	}
	return some
}

// same says whether two values mean the same: nothing is written in several ways, lists
// have no order, and of objects the source's members count.
func same(want, have any) bool {
	if nothing(want) && nothing(have) {
		return true
	}
	switch wanted := want.(type) {
	case map[string]any:
		there, _ := have.(map[string]any)
		for name, value := range wanted {
			if !same(value, there[name]) {
				return false
			}
		}
		return true
	case []any:
		there, _ := have.([]any)
		return len(wanted) == len(there) && !slices.ContainsFunc(wanted, func(one any) bool {
			return !slices.ContainsFunc(there, func(other any) bool { return same(one, other) })
		})
	case string:
		there, _ := have.(string)
		return wanted == there || sameTime(wanted, there)
	default:
		return reflect.DeepEqual(want, have)
	}
}

func sameTime(a, b string) bool {
	first, errA := time.Parse(time.RFC3339, a)
	second, errB := time.Parse(time.RFC3339, b)
	return errA == nil && errB == nil && first.Equal(second)
}

func nothing(v any) bool {
	switch value := v.(type) {
	case nil:
		return true
	case string:
		return value == ""
	case bool:
		return !value
	case []any:
		return len(value) == 0
	case map[string]any:
		return len(value) == 0
	case links:
		return len(value.names) == 0
	case link:
		return value.name == ""
	default:
		return false
	}
}
