package api

import (
	"context"
	"encoding/json"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/go-chi/chi/v5"

	"github.com/belayhq/belay"
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
	if err != nil {
		return nil, shapeRefusal(err)
	}
	if in.Null {
		return nil, shapeRefusal(jsonapi.MissingParam("data"))
	}
	return in, checkType(in.Type, "/data/type", types...)
}

func checkType(got, pointer string, types ...string) error {
	if got == "" || slices.Contains(types, got) {
		return nil
	}
	var problems belay.Problems
	problems.At(belay.Place(pointer), "type must be %s", strings.Join(types, " or "))
	return problems
}

// relatedIDs reads a to-many relationship of a body, when it is there.
func relatedIDs(in *jsonapi.Incoming, name, typ string, ids *patch.Field[[]string]) error {
	relation, ok := in.Relationships[name]
	if !ok || !relation.Set {
		return nil
	}
	pointer := "/data/relationships/" + name
	refs, err := relation.Refs(pointer)
	if err != nil {
		return shapeRefusal(err)
	}
	list, err := refIDs(refs, pointer, typ)
	*ids = patch.Of(list)
	return err
}

// identifiers reads a body that is a list of references of a type. Clients send whole
// resources in it: what is not type or id is passed over.
func (r *request) identifiers(typ string) ([]string, error) {
	refs, err := jsonapi.DecodeRefs(r.body)
	if err != nil {
		return nil, shapeRefusal(err)
	}
	return refIDs(refs, "", typ)
}

// refIDs is the ids of a list of references, which must all be of a type.
func refIDs(refs []jsonapi.Ref, pointer, typ string) ([]string, error) {
	if err := belay.CheckListed(len(refs), belay.Place(pointer+"/data")); err != nil {
		return nil, err
	}
	var problems belay.Problems
	ids := make([]string, len(refs))
	for i, ref := range refs {
		at := pointer + "/data/" + strconv.Itoa(i)
		if err := problems.Add(checkType(ref.Type, at+"/type", typ)); err != nil {
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
}

func membersOf(in *jsonapi.Incoming) looseMembers {
	m := looseMembers{map[string]json.RawMessage{}, belay.Places{Members: "/data", Moved: map[string]belay.Place{}}}
	var flat map[string]json.RawMessage
	_ = json.Unmarshal(in.Raw, &flat) // it was read once already
	m.take("/data", flat)
	if in.Attributes != nil {
		m.places.Members = "/data/attributes"
		m.take("/data/attributes", in.Attributes)
	}
	return m
}

func (m *looseMembers) take(at string, members map[string]json.RawMessage) {
	for _, name := range slices.Sorted(maps.Keys(members)) { // of two spellings, the underscores count
		plain := strings.ReplaceAll(name, "-", "_")
		m.given[plain], m.places.Moved[plain] = members[name], belay.Place(at+"/"+name)
	}
}

// relatedRef reads the one resource that a relationship of the body names: the zero Ref for
// null. given says that the relationship was there.
func relatedRef(in *jsonapi.Incoming, name string, types ...string) (ref jsonapi.Ref, given bool, err error) {
	relation, ok := in.Relationships[name]
	if !ok || !relation.Set {
		return ref, false, nil
	}
	pointer := "/data/relationships/" + name
	if ref, err = relation.Ref(pointer); err != nil {
		return ref, true, shapeRefusal(err)
	}
	return ref, true, checkType(ref.Type, pointer+"/data/type", types...)
}

// shapeRefusal is the refusal of a body that breaks the grammar.
func shapeRefusal(err error) error {
	switch e := err.(type) { //nolint:errorlint // the grammar returns these two unwrapped
	case *jsonapi.SyntaxError:
		return belay.Refuse(belay.BadRequest, "%s", e.Detail)
	case *jsonapi.ShapeError:
		refusal := belay.Refuse(belay.Invalid, "%s", e.Detail)
		refusal.Place = belay.Place(e.Pointer)
		return refusal
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
