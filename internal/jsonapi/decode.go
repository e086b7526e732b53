package jsonapi

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"time"
)

// Incoming is the resource object of a request body. Which members are there is kept,
// because an omitted member and a null one mean different things.
type Incoming struct {
	Type          string
	ID            string
	Attributes    map[string]json.RawMessage
	Relationships map[string]Linkage
	Null          bool            // data was null
	Raw           json.RawMessage // data as it came
}

// Linkage is a relationship of a request body.
type Linkage struct {
	Set  bool            // the data member was there
	Data json.RawMessage // as it came: null, an object, or a list
}

// SyntaxError says that the body is not JSON at all.
type SyntaxError struct{ Detail string }

func (e *SyntaxError) Error() string { return e.Detail }

// ShapeError says that the body is JSON of another shape than the grammar asks for.
type ShapeError struct {
	Pointer string
	Detail  string
}

func (e *ShapeError) Error() string { return e.Detail }

// ShapeErrors is all that is wrong with the shape of what a body says; the rest was read.
type ShapeErrors []*ShapeError

func (e ShapeErrors) Error() string {
	details := make([]string, len(e))
	for i, wrong := range e {
		details[i] = wrong.Detail
	}
	return strings.Join(details, "; ")
}

// Unwrap is each of them.
func (e ShapeErrors) Unwrap() []error {
	list := make([]error, len(e))
	for i, wrong := range e {
		list[i] = wrong
	}
	return list
}

// note adds what is wrong at a pointer.
func (e *ShapeErrors) note(pointer, detail string) { *e = append(*e, &ShapeError{pointer, detail}) }

func (e ShapeErrors) err() error {
	if len(e) == 0 {
		return nil
	}
	return e
}

// MissingParam is the text that clients know for a body without one of its members.
func MissingParam(name string) *ShapeError {
	return &ShapeError{Pointer: "/" + name, Detail: "param is missing or the value is empty: " + name}
}

// Decode reads the body of a request about one resource.
// Errors: *SyntaxError, *ShapeError; ShapeErrors beside the resource.
func Decode(body []byte) (*Incoming, error) {
	data, err := dataOf(body)
	if err != nil {
		return nil, err
	}
	var wrong ShapeErrors
	return decodeResource(data, "/data", &wrong), wrong.err()
}

// DecodeMany reads the body of a request about a list of resources.
// Errors: *SyntaxError, *ShapeError; ShapeErrors beside the list.
func DecodeMany(body []byte) ([]*Incoming, error) {
	data, err := dataOf(body)
	if err != nil {
		return nil, err
	}
	if isNull(data) { // no list at all: an empty one would clear what a request replaces
		return nil, MissingParam("data")
	}
	return DecodeList(data, "/data")
}

// DecodeRefs reads the body of a request about a list of references: of each member
// only its type and id count, whatever else stands there.
// Errors: *SyntaxError, *ShapeError; ShapeErrors beside the list.
func DecodeRefs(body []byte) ([]Ref, error) {
	data, err := dataOf(body)
	if err != nil {
		return nil, err
	}
	if isNull(data) { // as in DecodeMany
		return nil, MissingParam("data")
	}
	return Linkage{Data: data}.Refs("")
}

// DecodeList reads a list of resource objects that stands at pointer.
// Errors: *ShapeError; ShapeErrors beside the list.
func DecodeList(data json.RawMessage, pointer string) ([]*Incoming, error) {
	var items []json.RawMessage
	if err := json.Unmarshal(data, &items); err != nil {
		return nil, &ShapeError{pointer, "must be a list"}
	}
	list := make([]*Incoming, len(items))
	var wrong ShapeErrors
	for i, item := range items {
		list[i] = decodeResource(item, fmt.Sprintf("%s/%d", pointer, i), &wrong)
	}
	return list, wrong.err()
}

// Listed says whether a to-many linkage has a list, or what should be one: null says as little as
// no linkage at all.
func (l Linkage) Listed() bool { return l.Set && !isNull(l.Data) }

// Ref reads a to-one linkage: the zero Ref for null.
// Errors: *ShapeError, ShapeErrors.
func (l Linkage) Ref(pointer string) (ref Ref, err error) {
	if isNull(l.Data) {
		return Ref{}, nil
	}
	var members map[string]json.RawMessage
	if err := json.Unmarshal(l.Data, &members); err != nil {
		return Ref{}, &ShapeError{pointer + "/data", "must be a resource identifier"}
	}
	var wrong ShapeErrors
	wrong.text(members, "type", pointer+"/data", &ref.Type)
	wrong.text(members, "id", pointer+"/data", &ref.ID)
	return ref, wrong.err()
}

// Refs reads a to-many linkage: none for null.
// Errors: *ShapeError; ShapeErrors beside the list.
func (l Linkage) Refs(pointer string) ([]Ref, error) {
	var items []json.RawMessage
	if err := json.Unmarshal(l.Data, &items); err != nil {
		return nil, &ShapeError{pointer + "/data", "must be a list"}
	}
	refs := make([]Ref, len(items))
	var wrong ShapeErrors
	for i, item := range items {
		at := fmt.Sprintf("%s/data/%d", pointer, i)
		var members map[string]json.RawMessage
		if err := json.Unmarshal(item, &members); err != nil || members == nil {
			wrong.note(at, "must be a resource identifier")
			continue
		}
		wrong.text(members, "type", at, &refs[i].Type)
		wrong.text(members, "id", at, &refs[i].ID)
	}
	return refs, wrong.err()
}

func dataOf(body []byte) (json.RawMessage, error) {
	var document map[string]json.RawMessage
	if len(bytes.TrimSpace(body)) == 0 {
		return nil, MissingParam("data")
	}
	if !json.Valid(body) {
		return nil, &SyntaxError{"the body is not valid JSON"}
	}
	if err := json.Unmarshal(body, &document); err != nil {
		return nil, &ShapeError{"", "the body must be a JSON object with the member data"}
	}
	if document["data"] == nil {
		return nil, MissingParam("data")
	}
	return document["data"], nil
}

// decodeResource reads a resource object that stands at pointer, as much of it as can be read.
func decodeResource(data json.RawMessage, pointer string, wrong *ShapeErrors) *Incoming {
	in := &Incoming{Raw: data}
	if isNull(data) {
		in.Null = true
		return in
	}
	var members map[string]json.RawMessage
	if err := json.Unmarshal(data, &members); err != nil || members == nil {
		wrong.note(pointer, "must be a resource object")
		return in
	}
	wrong.text(members, "type", pointer, &in.Type)
	wrong.text(members, "id", pointer, &in.ID)
	if raw, ok := members["attributes"]; ok && !isNull(raw) {
		if err := json.Unmarshal(raw, &in.Attributes); err != nil {
			wrong.note(pointer+"/attributes", "must be an object")
		}
	}
	in.decodeRelationships(members["relationships"], pointer, wrong)
	return in
}

func (in *Incoming) decodeRelationships(raw json.RawMessage, pointer string, wrong *ShapeErrors) {
	if raw == nil || isNull(raw) {
		return
	}
	var members map[string]json.RawMessage
	if err := json.Unmarshal(raw, &members); err != nil {
		wrong.note(pointer+"/relationships", "must be an object")
		return
	}
	in.Relationships = make(map[string]Linkage, len(members))
	for _, name := range slices.Sorted(maps.Keys(members)) {
		var relation map[string]json.RawMessage
		if isNull(members[name]) {
			continue
		}
		if err := json.Unmarshal(members[name], &relation); err != nil {
			wrong.note(pointer+"/relationships"+Pointer(name), "must be an object")
			continue
		}
		data, set := relation["data"]
		in.Relationships[name] = Linkage{Set: set, Data: data}
	}
}

// text reads a member that is a text.
func (e *ShapeErrors) text(members map[string]json.RawMessage, name, pointer string, dst *string) {
	raw, ok := members[name]
	if !ok || isNull(raw) {
		return
	}
	if err := json.Unmarshal(raw, dst); err != nil {
		e.note(pointer+"/"+name, "must be a string")
	}
}

func isNull(raw json.RawMessage) bool { return string(bytes.TrimSpace(raw)) == "null" }

// Complaint says in plain words what was wrong with the shape of a value.
func Complaint(err error) string {
	var wrong *json.UnmarshalTypeError
	if !errors.As(err, &wrong) {
		var moment *time.ParseError
		if errors.As(err, &moment) {
			return "must be a timestamp such as 2026-01-02T15:04:05Z"
		}
		var syntax *json.SyntaxError
		if errors.As(err, &syntax) || errors.Is(err, io.ErrUnexpectedEOF) {
			return "is not valid JSON"
		}
		return err.Error()
	}
	switch kind := wrong.Type.Kind().String(); {
	case kind == "bool":
		return "must be a boolean"
	case kind == "string":
		return "must be a string"
	case strings.HasPrefix(kind, "int"):
		return "must be a whole number"
	case strings.HasPrefix(kind, "float"):
		return "must be a number"
	case kind == "slice":
		return "must be a list"
	default:
		return "must be an object"
	}
}
