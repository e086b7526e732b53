package door

import (
	"bytes"
	"encoding/json"

	"github.com/belayhq/belay"
	"github.com/belayhq/belay/internal/api/doc"
	"github.com/belayhq/belay/internal/jsonapi"
)

// Words reads the one text that a body may bring, such as a comment: at its top, in data, or in
// its attributes. It may be missing, and the body with it; the type is looked at where there are
// types.
func (r *Request) Words(name string, types ...string) (string, error) {
	if len(bytes.TrimSpace(r.Document)) == 0 {
		return "", nil
	}
	if !json.Valid(r.Document) {
		return "", belay.Refuse(belay.BadRequest, "the body is not valid JSON")
	}
	w := wordReader{name: name}
	top := w.object("", r.Document)
	w.read("", top)
	data := w.object("/data", top["data"])
	if len(types) > 0 {
		var typ string
		if err := json.Unmarshal(data["type"], &typ); data["type"] != nil && err != nil {
			w.problems.At("/data/type", "must be a string")
		}
		if err := w.problems.Add(doc.CheckType(&typ, "/data/type", types...)); err != nil {
			return "", err
		}
	}
	w.read("/data", data)
	w.read("/data/attributes", w.object("/data/attributes", data["attributes"]))
	return w.text, w.problems.Err()
}

// wordReader reads a text that may stand in several places.
type wordReader struct {
	name, text string
	at         belay.Place // of the text
	problems   belay.Problems
}

// object is the members of what should be an object; none of what is missing.
func (w *wordReader) object(at belay.Place, raw json.RawMessage) (members map[string]json.RawMessage) {
	if raw != nil && json.Unmarshal(raw, &members) != nil {
		w.problems.At(at, "must be an object")
	}
	return members
}

// read takes the text of an object, where it has one. An empty one says nothing.
func (w *wordReader) read(at belay.Place, members map[string]json.RawMessage) {
	raw, as, ok := doc.SpellingsOf(members).Member(w.name)
	if !ok {
		return
	}
	var text *string
	at = belay.Place(string(at) + jsonapi.Pointer(as))
	switch err := json.Unmarshal(raw, &text); {
	case err != nil:
		w.problems.At(at, "%s must be a string", w.name)
	case text == nil || *text == "" || *text == w.text:
	case w.text != "":
		for _, place := range []belay.Place{w.at, at} {
			w.problems.At(place, "%s is given twice, with two values", w.name)
		}
	default:
		w.text, w.at = *text, at
	}
}
