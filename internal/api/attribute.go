package api

import (
	"bytes"
	"encoding/json"
	"errors"
	"slices"
	"time"

	"github.com/belayhq/belay"
	"github.com/belayhq/belay/internal/jsonapi"
	"github.com/belayhq/belay/internal/patch"
)

// attribute is one row of a noun's table: its name on the wire, how it is read from the
// noun D, and how it is written to the patch P. Documents, decoding and the pointers of
// refusals all come from this row.
type attribute[D, P any] struct {
	name    string
	read    func(*D) any                    // nil: never shown
	write   func(*P, json.RawMessage) error // nil: read-only, ignored in a body
	feature belay.Feature                   // what an edition must offer to show or take it
	absent  func(*D) bool                   // when the attribute is left out of a document
}

// attributes is a noun's table.
type attributes[D, P any] []attribute[D, P]

// object is the attributes of a document.
func (rows attributes[D, P]) object(d *D, edition belay.Edition) jsonapi.Object {
	object := make(jsonapi.Object, 0, len(rows))
	for i := range rows {
		row := &rows[i]
		if row.read == nil || row.absent != nil && row.absent(d) || !edition.Offers(row.feature) {
			continue
		}
		object = append(object, jsonapi.Member{Name: row.name, Value: row.read(d)})
	}
	return object
}

// decode reads the attributes of a body into a patch, and tells all wrong shapes at once.
func (rows attributes[D, P]) decode(in *jsonapi.Incoming, p *P, edition belay.Edition) error {
	var problems shapeProblems
	for i := range rows {
		row := &rows[i]
		raw, ok := in.Attributes[row.name]
		if !ok || row.write == nil || !edition.Offers(row.feature) {
			continue
		}
		problems.wrong(row.name, row.write(p, raw))
	}
	return belay.Problems(problems).Err()
}

// shapeProblems gathers what is wrong with the shapes of attributes.
type shapeProblems belay.Problems

// wrong notes what was wrong with an attribute. An object tells it of each of its members.
func (p *shapeProblems) wrong(name string, err error) {
	var members memberErrors
	switch {
	case errors.As(err, &members):
		for _, m := range members {
			(*belay.Problems)(p).Attribute(name+"/"+m.name, "%s.%s %s", name, m.name, jsonapi.Complaint(m.err))
		}
	case err != nil:
		(*belay.Problems)(p).Attribute(name, "%s %s", name, jsonapi.Complaint(err))
	}
}

// memberErrors is what was wrong with the members of an attribute that is an object.
type memberErrors []memberError

type memberError struct {
	name string
	err  error
}

func (m memberErrors) Error() string { return "must be an object of other members" }

// members writes to a field that is an object, each of its members by its own row.
func members[P, T any](rows attributes[T, T], at func(*P) *patch.Field[T]) func(*P, json.RawMessage) error {
	return func(p *P, raw json.RawMessage) error {
		var given map[string]json.RawMessage
		if err := json.Unmarshal(raw, &given); err != nil {
			return shapeError("must be an object")
		}
		f := at(p)
		*f = patch.Field[T]{Set: true, Null: given == nil}
		var wrong memberErrors
		for i := range rows {
			if member, ok := given[rows[i].name]; ok {
				if err := rows[i].write(&f.Value, member); err != nil {
					wrong = append(wrong, memberError{rows[i].name, err})
				}
			}
		}
		if len(wrong) > 0 {
			return wrong
		}
		return nil
	}
}

// shapeError says what a value must be, where encoding/json would speak of itself.
type shapeError string

func (e shapeError) Error() string { return string(e) }

// read takes a value into a field. Texts in a list can't be null.
func read[T any](f *patch.Field[T], raw json.RawMessage) error {
	switch any(f.Value).(type) {
	case time.Time:
		if text := bytes.TrimSpace(raw); len(text) > 0 && text[0] != '"' && text[0] != 'n' {
			return shapeError("must be a timestamp such as 2026-01-02T15:04:05Z")
		}
	case []string:
		var texts []*string
		if err := json.Unmarshal(raw, &texts); err != nil || slices.Contains(texts, nil) {
			return shapeError("must be a list of strings")
		}
	}
	return f.UnmarshalJSON(raw)
}

type nullError struct{}

func (nullError) Error() string { return "can't be null" }

// field writes to a field that can't be null.
func field[P, T any](at func(*P) *patch.Field[T]) func(*P, json.RawMessage) error {
	return func(p *P, raw json.RawMessage) error {
		f := at(p)
		if err := read(f, raw); err != nil || !f.Null {
			return err
		}
		*f = patch.Field[T]{}
		return nullError{}
	}
}

// nullable writes to a field that null clears.
func nullable[P, T any](at func(*P) *patch.Field[T]) func(*P, json.RawMessage) error {
	return func(p *P, raw json.RawMessage) error { return read(at(p), raw) }
}

// lenient writes to a field where a known client sends null for "not given".
func lenient[P, T any](at func(*P) *patch.Field[T]) func(*P, json.RawMessage) error {
	return func(p *P, raw json.RawMessage) error {
		f := at(p)
		err := read(f, raw)
		if f.Null {
			*f = patch.Field[T]{}
		}
		return err
	}
}

// orNull shows an empty text as null: it is not set.
func orNull(text string) any {
	if text == "" {
		return nil
	}
	return text
}

// orEmpty shows a missing list as an empty one.
func orEmpty(list []string) []string {
	if list == nil {
		return []string{}
	}
	return list
}
