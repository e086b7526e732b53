package api

import (
	"encoding/json"

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
	var problems belay.Problems
	for i := range rows {
		row := &rows[i]
		raw, ok := in.Attributes[row.name]
		if !ok || row.write == nil || !edition.Offers(row.feature) {
			continue
		}
		if err := row.write(p, raw); err != nil {
			problems.Attribute(row.name, "%s %s", row.name, jsonapi.Complaint(err))
		}
	}
	return problems.Err()
}

type nullError struct{}

func (nullError) Error() string { return "can't be null" }

// field writes to a field that can't be null.
func field[P, T any](at func(*P) *patch.Field[T]) func(*P, json.RawMessage) error {
	return func(p *P, raw json.RawMessage) error {
		f := at(p)
		if err := f.UnmarshalJSON(raw); err != nil || !f.Null {
			return err
		}
		*f = patch.Field[T]{}
		return nullError{}
	}
}

// nullable writes to a field that null clears.
func nullable[P, T any](at func(*P) *patch.Field[T]) func(*P, json.RawMessage) error {
	return func(p *P, raw json.RawMessage) error { return at(p).UnmarshalJSON(raw) }
}

// lenient writes to a field where a known client sends null for "not given".
func lenient[P, T any](at func(*P) *patch.Field[T]) func(*P, json.RawMessage) error {
	return func(p *P, raw json.RawMessage) error {
		f := at(p)
		err := f.UnmarshalJSON(raw)
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
