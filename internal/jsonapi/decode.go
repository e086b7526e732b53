package jsonapi

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
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

// MissingParam is the text that clients know for a body without one of its members.
func MissingParam(name string) *ShapeError {
	return &ShapeError{Pointer: "/" + name, Detail: "param is missing or the value is empty: " + name}
}

// Decode reads the body of a request about one resource.
// Errors: *SyntaxError, *ShapeError.
func Decode(body []byte) (*Incoming, error) {
	data, err := dataOf(body)
	if err != nil {
		return nil, err
	}
	return decodeResource(data, "/data")
}

// DecodeMany reads the body of a request about a list of resources.
// Errors: *SyntaxError, *ShapeError.
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
// Errors: *SyntaxError, *ShapeError.
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
func DecodeList(data json.RawMessage, pointer string) ([]*Incoming, error) {
	var items []json.RawMessage
	if err := json.Unmarshal(data, &items); err != nil {
		return nil, &ShapeError{pointer, "must be a list"}
	}
	list := make([]*Incoming, len(items))
	for i, item := range items {
		resource, err := decodeResource(item, fmt.Sprintf("%s/%d", pointer, i))
		if err != nil {
			return nil, err
		}
		list[i] = resource
	}
	return list, nil
}

// Ref reads a to-one linkage: the zero Ref for null.
func (l Linkage) Ref(pointer string) (Ref, error) {
	if isNull(l.Data) {
		return Ref{}, nil
	}
	var ref struct{ Type, ID string }
	if err := json.Unmarshal(l.Data, &ref); err != nil {
		return Ref{}, &ShapeError{pointer + "/data", "must be a resource identifier"}
	}
	return Ref(ref), nil
}

// Refs reads a to-many linkage: none for null.
func (l Linkage) Refs(pointer string) ([]Ref, error) {
	var items []json.RawMessage
	if err := json.Unmarshal(l.Data, &items); err != nil {
		return nil, &ShapeError{pointer + "/data", "must be a list"}
	}
	refs := make([]Ref, len(items))
	for i, item := range items {
		at := fmt.Sprintf("%s/data/%d", pointer, i)
		var members map[string]json.RawMessage
		if err := json.Unmarshal(item, &members); err != nil || members == nil {
			return nil, &ShapeError{at, "must be a resource identifier"}
		}
		if err := decodeText(members, "type", at, &refs[i].Type); err != nil {
			return nil, err
		}
		if err := decodeText(members, "id", at, &refs[i].ID); err != nil {
			return nil, err
		}
	}
	return refs, nil
}

func dataOf(body []byte) (json.RawMessage, error) {
	var document struct{ Data json.RawMessage }
	if len(bytes.TrimSpace(body)) == 0 {
		return nil, MissingParam("data")
	}
	if !json.Valid(body) {
		return nil, &SyntaxError{"the body is not valid JSON"}
	}
	if err := json.Unmarshal(body, &document); err != nil {
		return nil, &ShapeError{"", "the body must be a JSON object with the member data"}
	}
	if document.Data == nil {
		return nil, MissingParam("data")
	}
	return document.Data, nil
}

func decodeResource(data json.RawMessage, pointer string) (*Incoming, error) {
	in := &Incoming{Raw: data}
	if isNull(data) {
		in.Null = true
		return in, nil
	}
	var members map[string]json.RawMessage
	if err := json.Unmarshal(data, &members); err != nil || members == nil {
		return nil, &ShapeError{pointer, "must be a resource object"}
	}
	if err := decodeText(members, "type", pointer, &in.Type); err != nil {
		return nil, err
	}
	if err := decodeText(members, "id", pointer, &in.ID); err != nil {
		return nil, err
	}
	if raw, ok := members["attributes"]; ok && !isNull(raw) {
		if err := json.Unmarshal(raw, &in.Attributes); err != nil {
			return nil, &ShapeError{pointer + "/attributes", "must be an object"}
		}
	}
	return in, in.decodeRelationships(members["relationships"], pointer)
}

func (in *Incoming) decodeRelationships(raw json.RawMessage, pointer string) error {
	if raw == nil || isNull(raw) {
		return nil
	}
	var members map[string]json.RawMessage
	if err := json.Unmarshal(raw, &members); err != nil {
		return &ShapeError{pointer + "/relationships", "must be an object"}
	}
	in.Relationships = make(map[string]Linkage, len(members))
	for name, member := range members {
		var relation map[string]json.RawMessage
		if isNull(member) {
			continue
		}
		if err := json.Unmarshal(member, &relation); err != nil {
			return &ShapeError{pointer + "/relationships/" + name, "must be an object"}
		}
		data, set := relation["data"]
		in.Relationships[name] = Linkage{Set: set, Data: data}
	}
	return nil
}

func decodeText(members map[string]json.RawMessage, name, pointer string, dst *string) error {
	raw, ok := members[name]
	if !ok || isNull(raw) {
		return nil
	}
	if err := json.Unmarshal(raw, dst); err != nil {
		return &ShapeError{pointer + "/" + name, "must be a string"}
	}
	return nil
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
