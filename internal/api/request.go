package api

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/go-chi/chi/v5"

	"github.com/belayhq/belay"
	"github.com/belayhq/belay/internal/app"
	"github.com/belayhq/belay/internal/jsonapi"
	"github.com/belayhq/belay/internal/patch"
)

// pathParam is a part of the path, decoded: the router leaves it encoded when the path
// holds an encoded slash.
func pathParam(r *http.Request, name string) string {
	raw := chi.URLParam(r, name)
	if r.URL.RawPath == "" {
		return raw
	}
	if decoded, err := url.PathUnescape(raw); err == nil {
		return decoded
	}
	return raw
}

// isText says whether all of an address can be read, and is text that a database keeps:
// UTF-8 without null characters.
func isText(u *url.URL) bool {
	if _, err := url.ParseQuery(u.RawQuery); err != nil {
		return false // a filter that can't be read must not be left out in silence
	}
	query, _ := url.QueryUnescape(u.RawQuery) // every part of it was decoded just now
	return utf8.ValidString(u.Path+query) && !strings.ContainsRune(u.Path+query, 0)
}

// resource reads the body as one resource of one of the types. An absent type is taken.
func (r *request) resource(types ...string) (*jsonapi.Incoming, error) {
	in, err := jsonapi.Decode(r.body)
	if err := r.later(shapeRefusal(err)); err != nil {
		return nil, err
	}
	if in.Null {
		return nil, shapeRefusal(jsonapi.MissingParam("data"))
	}
	if err := r.checkID(in.ID); err != nil {
		return nil, err
	}
	return in, r.later(checkType(&in.Type, "/data/type", types...))
}

// checkNothing looks at the body of a request that needs none: what can't be read, or is no
// document, is refused as it is elsewhere.
func (r *request) checkNothing(types ...string) error {
	if len(bytes.TrimSpace(r.body)) == 0 {
		return nil
	}
	if !json.Valid(r.body) {
		return belay.Refuse(belay.BadRequest, "the body is not valid JSON")
	}
	var document struct{ Data json.RawMessage }
	if json.Unmarshal(r.body, &document) != nil {
		return shapeRefusal(&jsonapi.ShapeError{Detail: "the body must be a JSON object"})
	}
	if document.Data == nil || string(document.Data) == "null" {
		return nil
	}
	_, err := r.resource(types...)
	return err
}

// checkType refuses a type that is none of some, in any spelling; it becomes that of theirs. An
// absent one is taken, and any where there are none.
func checkType(got *string, pointer string, types ...string) error {
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

// later puts off a refusal of the shape of the body until the rules have said what else is
// wrong: nothing will be kept.
func (r *request) later(err error) error {
	var shape belay.Problems
	if !errors.As(err, &shape) {
		return err
	}
	before := r.shape
	for _, problem := range shape {
		at := pointerOf(problem.Place)
		if !slices.ContainsFunc(before, func(known *belay.Error) bool { // a body may be read in several steps
			return sameOrBelow(at, pointerOf(known.Place))
		}) {
			r.shape = append(r.shape, problem)
		}
	}
	r.Request = r.WithContext(app.WithRefusal(r.Context(), r.shape))
	return nil
}

// relatedIDs reads a to-many relationship of a body, when it is there.
func relatedIDs(in *jsonapi.Incoming, ids *patch.Field[[]string], name string, types ...string) error {
	relation := relationOf(in, name)
	if !relation.Listed() {
		return nil
	}
	pointer := "/data/relationships/" + name
	refs, err := relation.Refs(pointer)
	if refs == nil && err != nil {
		return shapeRefusal(err)
	}
	list, of := refIDs(refs, pointer, types...)
	*ids = patch.Of(list)
	return together(shapeRefusal(err), of)
}

// identifiers reads a body that is a list of references of a type. Clients send whole
// resources in it: what is not type or id is passed over.
func (r *request) identifiers(typ string) ([]string, error) {
	refs, err := jsonapi.DecodeRefs(r.body)
	if err := r.later(shapeRefusal(err)); err != nil {
		return nil, err
	}
	if err := belay.CheckListed(len(refs), "/data"); err != nil {
		return nil, err // of so many nothing is looked at
	}
	ids, err := refIDs(refs, "", typ)
	return ids, r.later(err)
}

// refIDs is the ids of a list of references, which must all be of one of some types.
func refIDs(refs []jsonapi.Ref, pointer string, types ...string) ([]string, error) {
	if err := belay.CheckListed(len(refs), belay.Place(pointer+"/data")); err != nil {
		return nil, err
	}
	var problems belay.Problems
	ids := make([]string, len(refs))
	for i, ref := range refs {
		at := pointer + "/data/" + strconv.Itoa(i)
		if err := problems.Add(checkType(&ref.Type, at+"/type", types...)); err != nil {
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
	given  map[string]json.RawMessage // by their names with underscores
	places belay.Places
	twice  belay.Problems // those that are spelled in both ways, and differ
}

func membersOf(in *jsonapi.Incoming) looseMembers {
	m := looseMembers{given: map[string]json.RawMessage{}, places: belay.Places{Members: "/data", Moved: map[string]belay.Place{}}}
	var flat map[string]json.RawMessage
	_ = json.Unmarshal(in.Raw, &flat) // it was read once already
	if flat["attributes"] != nil {
		m.places.Members = "/data/attributes"
	}
	for _, name := range []string{"type", "id", "attributes", "relationships", "links", "meta"} {
		delete(flat, name)
	}
	m.take("/data", flat)
	m.take("/data/attributes", in.Attributes)
	return m
}

// gather reads what stands in data as if it stood in its attributes.
func (r *request) gather(in *jsonapi.Incoming) error {
	members := membersOf(in)
	if in.Attributes == nil {
		in.Attributes = map[string]json.RawMessage{}
	}
	given := spellingsOf(in.Attributes)
	for name, raw := range members.given {
		if _, _, there := given.member(name); !there {
			in.Attributes[name] = raw
		}
	}
	r.loose = true
	return members.twice.Err()
}

// take reads members that stand at a place: they count before those of a place that was read
// before. The spellings of one must say the same.
func (m *looseMembers) take(at string, members map[string]json.RawMessage) {
	given := spellingsOf(members)
	for _, plain := range slices.Sorted(maps.Keys(given.names)) {
		for _, wrong := range given.differing(plain) {
			tell(&m.twice, belay.Place(at), "", wrong)
		}
		raw, name, _ := given.member(plain)
		m.given[plain], m.places.Moved[plain] = raw, belay.Place(at).Member(name)
	}
}

// relatedRef reads the one resource that a relationship of the body names: the zero Ref for
// null. given says that the relationship was there.
func relatedRef(in *jsonapi.Incoming, name string, types ...string) (ref jsonapi.Ref, given bool, err error) {
	relation := relationOf(in, name)
	if !relation.Set {
		return ref, false, nil
	}
	pointer := "/data/relationships/" + name
	if ref, err = relation.Ref(pointer); err != nil {
		return ref, true, shapeRefusal(err)
	}
	return ref, true, checkType(&ref.Type, pointer+"/data/type", types...)
}

// relationOf is a relationship of a body, in either spelling.
func relationOf(in *jsonapi.Incoming, name string) jsonapi.Linkage {
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

// shapeRefusal is the refusal of a body that breaks the grammar; its problems, where the rest
// of it was read.
func shapeRefusal(err error) error {
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

// truthFilter reads the first of the parameters that is given: true or false. It is nil
// when none is.
func truthFilter(q url.Values, names ...string) (*bool, error) {
	for _, name := range names {
		switch q.Get(name) {
		case "":
		case "true", "false":
			wanted := q.Get(name) == "true"
			return &wanted, nil
		default:
			return nil, belay.Refuse(belay.BadRequest, "%s must be true or false", name)
		}
	}
	return nil, nil //nolint:nilnil // nil is the answer: both are wanted
}

// wordsOf is what a filter takes, divided at commas: nil where it was not given, and nothing
// where it names nothing.
func wordsOf(q url.Values, name string) []string {
	if q.Get(name) == "" {
		return nil
	}
	return append([]string{}, commas(q.Get(name))...)
}

// commas is the parts of a comma-separated parameter, trimmed, without the empty ones.
func commas(values ...string) []string {
	var parts []string
	for _, value := range values {
		for _, part := range strings.Split(value, ",") {
			if part = strings.TrimSpace(part); part != "" {
				parts = append(parts, part)
			}
		}
	}
	return parts
}

// Ready says whether the server can serve.
func (a *API) Ready(ctx context.Context) error { return a.App.Ready(ctx) }
