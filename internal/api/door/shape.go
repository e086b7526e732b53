package door

import (
	"bytes"
	"encoding/json"
	"errors"
	"slices"
	"strings"

	"github.com/belayhq/belay"
	"github.com/belayhq/belay/internal/api/doc"
	"github.com/belayhq/belay/internal/jsonapi"
	"github.com/belayhq/belay/internal/once"
)

// Later puts off a refusal of the shape of the body until the rules have said what else is
// wrong: nothing will be kept.
func (r *Request) Later(err error) error {
	var shape belay.Problems
	if !errors.As(err, &shape) {
		return err
	}
	before := r.Shape
	for _, problem := range shape {
		at := doc.PointerOf(problem.Place)
		if !slices.ContainsFunc(before, func(known *belay.Error) bool { // a body may be read in several steps
			return doc.SameOrBelow(at, doc.PointerOf(known.Place))
		}) {
			r.Shape = append(r.Shape, problem)
		}
	}
	r.Request = r.WithContext(once.WithRefusal(r.Context(), r.Shape))
	return nil
}

// gather reads what stands in data as if it stood in its attributes.
func (r *Request) gather(in *jsonapi.Incoming) error {
	members := doc.MembersOf(in)
	if in.Attributes == nil {
		in.Attributes = map[string]json.RawMessage{}
	}
	given := doc.SpellingsOf(in.Attributes)
	for name, raw := range members.Given {
		if _, _, there := given.Member(name); !there {
			in.Attributes[name] = raw
		}
	}
	r.loose = true
	return members.Twice.Err()
}

// asSpelled lets the pointers of a refusal lead to where the body has what they are about, as
// it has it spelled.
func (r *Request) asSpelled(err error) error {
	var problems belay.Problems
	var refusal *belay.Error
	var document any
	if !errors.As(err, &problems) && errors.As(err, &refusal) && refusal.Kind == belay.Invalid {
		problems = belay.Problems{refusal}
	}
	if problems == nil || json.Unmarshal(r.Document, &document) != nil {
		return err
	}
	led := make(belay.Problems, len(problems))
	for i, problem := range problems {
		one := *problem
		one.Place = belay.Place(r.lead(document, doc.PointerOf(problem.Place)))
		led[i] = &one
	}
	return led
}

// lead is where a body has what a pointer names; where it lacks that, the pointer. What stands
// in data may stand in its attributes, where the body is loose.
func (r *Request) lead(document any, pointer string) string {
	found, whole := doc.Follow(document, jsonapi.Steps(pointer))
	if loose := strings.Replace(pointer, "/data/attributes/", "/data/", 1); r.loose && !whole {
		if other, there := doc.Follow(document, jsonapi.Steps(loose)); there {
			return other
		}
	}
	return found
}

// CheckNothing looks at the body of a request that needs none: what can't be read, or is no
// document, is refused as it is elsewhere.
func (r *Request) CheckNothing(types ...string) error {
	if len(bytes.TrimSpace(r.Document)) == 0 {
		return nil
	}
	if !json.Valid(r.Document) {
		return belay.Refuse(belay.BadRequest, "the body is not valid JSON")
	}
	var document struct{ Data json.RawMessage }
	if json.Unmarshal(r.Document, &document) != nil {
		return doc.ShapeRefusal(&jsonapi.ShapeError{Detail: "the body must be a JSON object"})
	}
	if document.Data == nil || string(document.Data) == "null" {
		return nil
	}
	_, err := r.Resource(types...)
	return err
}

// Resource reads the body as one resource of one of the types. An absent type is taken.
func (r *Request) Resource(types ...string) (*jsonapi.Incoming, error) {
	in, err := jsonapi.Decode(r.Document)
	if err := r.Later(doc.ShapeRefusal(err)); err != nil {
		return nil, err
	}
	if in.Null {
		return nil, doc.ShapeRefusal(jsonapi.MissingParam("data"))
	}
	if err := r.checkID(in.ID); err != nil {
		return nil, err
	}
	return in, r.Later(doc.CheckType(&in.Type, "/data/type", types...))
}
