package doc

import (
	"encoding/json"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/belayhq/belay"
	"github.com/belayhq/belay/internal/jsonapi"
	"github.com/belayhq/belay/internal/patch"
)

// CheckType refuses a type that is none of some, in any spelling; it becomes that of theirs. An
// absent one is taken, and any where there are none.
func CheckType(got *string, pointer string, types ...string) error {
	if *got == "" || len(types) == 0 || slices.Contains(types, *got) {
		return nil
	}
	if i := slices.IndexFunc(types, func(typ string) bool { return sameName(typ, *got) }); i >= 0 {
		*got = types[i]
		return nil
	}
	var problems belay.Problems
	problems.At(belay.Place(pointer), "type must be %s", strings.Join(types, " or "))
	return problems
}

// RelatedIDs reads a to-many relationship of a body, when it is there.
func RelatedIDs(in *jsonapi.Incoming, ids *patch.Field[[]string], name string, types ...string) error {
	relation := RelationOf(in, name)
	if !relation.Listed() {
		return nil
	}
	pointer := "/data/relationships/" + name
	refs, err := relation.Refs(pointer)
	if refs == nil && err != nil {
		return ShapeRefusal(err)
	}
	list, of := RefIDs(refs, pointer, types...)
	*ids = patch.Of(list)
	return Together(ShapeRefusal(err), of)
}

// RefIDs is the ids of a list of references, which must all be of one of some types.
func RefIDs(refs []jsonapi.Ref, pointer string, types ...string) ([]string, error) {
	if err := belay.CheckListed(len(refs), belay.Place(pointer+"/data")); err != nil {
		return nil, err
	}
	var problems belay.Problems
	ids := make([]string, len(refs))
	for i, ref := range refs {
		at := pointer + "/data/" + strconv.Itoa(i)
		if err := problems.Add(CheckType(&ref.Type, at+"/type", types...)); err != nil {
			return nil, err
		}
		if ref.ID == "" {
			problems.At(belay.Place(at+"/id"), "id must be given")
		}
		ids[i] = ref.ID
	}
	return ids, problems.Err()
}

// looseMembers is the members of a body that may stand in data or in data.attributes,
// spelled with underscores or hyphens. Where both have one, that of the attributes counts.
type looseMembers struct {
	Given  map[string]json.RawMessage // by their names with underscores
	Places belay.Places
	Twice  belay.Problems // those that are spelled in both ways, and differ
}

// MembersOf is the members of a body, wherever they stand.
func MembersOf(in *jsonapi.Incoming) looseMembers {
	m := looseMembers{Given: map[string]json.RawMessage{}, Places: belay.Places{Members: "/data", Moved: map[string]belay.Place{}}}
	var flat map[string]json.RawMessage
	_ = json.Unmarshal(in.Raw, &flat) // it was read once already
	if flat["attributes"] != nil {
		m.Places.Members = "/data/attributes"
	}
	for _, name := range []string{"type", "id", "attributes", "relationships", "links", "meta"} {
		delete(flat, name)
	}
	m.take("/data", flat)
	m.take("/data/attributes", in.Attributes)
	return m
}

// take reads members that stand at a place: they count before those of a place that was read
// before. The spellings of one must say the same.
func (m *looseMembers) take(at string, members map[string]json.RawMessage) {
	given := SpellingsOf(members)
	for _, plain := range slices.Sorted(maps.Keys(given.names)) {
		for _, wrong := range given.differing(plain) {
			Tell(&m.Twice, belay.Place(at), "", wrong)
		}
		raw, name, _ := given.Member(plain)
		m.Given[plain], m.Places.Moved[plain] = raw, belay.Place(at).Member(name)
	}
}

// RelatedRef reads the one resource that a relationship of the body names: the zero Ref for
// null. given says that the relationship was there.
func RelatedRef(in *jsonapi.Incoming, name string, types ...string) (ref jsonapi.Ref, given bool, err error) {
	relation := RelationOf(in, name)
	if !relation.Set {
		return ref, false, nil
	}
	pointer := "/data/relationships/" + name
	if ref, err = relation.Ref(pointer); err != nil {
		return ref, true, ShapeRefusal(err)
	}
	return ref, true, CheckType(&ref.Type, pointer+"/data/type", types...)
}

// RelationOf is a relationship of a body, in either spelling.
func RelationOf(in *jsonapi.Incoming, name string) jsonapi.Linkage {
	if relation, plainly := in.Relationships[name]; plainly {
		return relation
	}
	for _, other := range slices.Sorted(maps.Keys(in.Relationships)) {
		if sameName(other, name) {
			return in.Relationships[other]
		}
	}
	return jsonapi.Linkage{}
}

// ShapeRefusal is the refusal of a body that breaks the grammar; its problems, where the rest
// of it was read.
func ShapeRefusal(err error) error {
	switch e := err.(type) { //nolint:errorlint // the grammar returns these unwrapped
	case *jsonapi.SyntaxError:
		return belay.Refuse(belay.BadRequest, "%s", e.Detail)
	case *jsonapi.ShapeError:
		refusal := belay.Refuse(belay.Invalid, "%s", e.Detail)
		refusal.Place = belay.Place(e.Pointer)
		return refusal
	case jsonapi.ShapeErrors:
		var problems belay.Problems
		for _, wrong := range e {
			problems.At(belay.Place(wrong.Pointer), "%s", wrong.Detail)
		}
		return problems
	default:
		return err
	}
}

// CheckItems refuses items of a list that are not of a type.
func CheckItems(list []*jsonapi.Incoming, typ, pointer string) error {
	var problems belay.Problems
	for i, in := range list {
		if !sameName(in.Type, typ) {
			problems.At(belay.Place(pointer).Item(i).Field("type"), "type must be %s", typ)
		}
	}
	return problems.Err()
}
