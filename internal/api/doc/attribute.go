package doc

import (
	"bytes"
	"encoding/json"
	"errors"
	"maps"
	"slices"
	"strconv"
	"time"

	"github.com/belayhq/belay"
	"github.com/belayhq/belay/internal/jsonapi"
	"github.com/belayhq/belay/internal/openapi"
	"github.com/belayhq/belay/internal/patch"
	"github.com/belayhq/belay/site"
)

// Attribute is one row of a noun's table: its name on the wire, how it is shown from the
// noun D, and how it is written to the patch P. Documents, decoding, the pointers of
// refusals and the OpenAPI document all come from this row.
type Attribute[D, P any] struct {
	Name    string
	Show    Reader[D]     // none: never shown
	Write   Writer[P]     // none: read-only, ignored in a body
	Feature site.Feature  // what an edition must offer to show or take it
	Absent  func(*D) bool // when the attribute is left out of a document
	Allowed []string      // the texts that it may be; nil: any
	Most    int           // the most characters that it may have; 0: any
	Twin    string        // another name of the same attribute, which may be given beside it with the same value alone

	read func(*D) any // how it is shown where show is none: of no known type
}

// Reader is how an attribute is shown, and what it then is.
type Reader[D any] struct {
	Get func(*D) any
	Is  *openapi.Schema
}

// Writer is how an attribute is taken from a body, and what it must be.
type Writer[P any] struct {
	Take func(*P, json.RawMessage) error
	Is   *openapi.Schema
}

// Attributes is a noun's table.
type Attributes[D, P any] []Attribute[D, P]

// Object is the attributes of a document.
func (rows Attributes[D, P]) Object(d *D, edition site.Edition) jsonapi.Object {
	object := make(jsonapi.Object, 0, len(rows))
	for i := range rows {
		row := &rows[i]
		get := row.Show.Get
		if get == nil {
			get = row.read
		}
		if get == nil || row.Absent != nil && row.Absent(d) || !edition.Offers(row.Feature) {
			continue
		}
		object = append(object, jsonapi.Member{Name: row.Name, Value: get(d)})
	}
	return object
}

// Decode reads the attributes of a body into a patch, and tells all wrong shapes at once.
func (rows Attributes[D, P]) Decode(in *jsonapi.Incoming, p *P, edition site.Edition) error {
	var problems belay.Problems
	for _, wrong := range rows.Take(SpellingsOf(in.Attributes), p, edition) {
		Tell(&problems, "", "", wrong)
	}
	return problems.Err()
}

// Take reads members into a patch, each by its row, and tells what was wrong with which.
func (rows Attributes[D, P]) Take(given spellings, p *P, edition site.Edition) (wrong memberErrors) {
	for i := range rows {
		row := &rows[i]
		raw, as, ok := given.Member(row.Name)
		if !ok || row.Write.Take == nil || !edition.Offers(row.Feature) {
			continue
		}
		if err := row.Write.Take(p, raw); err != nil {
			wrong = append(wrong, memberError{as, err})
		}
		wrong = append(wrong, given.differing(row.Name)...)
	}
	for i := range rows {
		if unlike := given.unlike(rows[i].Name, rows[i].Twin); !wrong.about(unlike) {
			wrong = append(wrong, unlike...)
		}
	}
	return wrong
}

// Shown is the schema of the attributes of a document.
func (rows Attributes[D, P]) Shown(edition site.Edition) *openapi.Schema {
	object := openapi.Object()
	for i := range rows {
		row := &rows[i]
		switch {
		case !edition.Offers(row.Feature):
		case row.Show.Get != nil:
			object.Add(row.Name, row.limited(row.Show.Is), row.Absent == nil)
		case row.read != nil:
			object.Add(row.Name, &openapi.Schema{}, row.Absent == nil)
		}
	}
	return object
}

// Taken is the schema of the attributes of a body. Others than these are passed over.
func (rows Attributes[D, P]) Taken(edition site.Edition) *openapi.Schema {
	object := &openapi.Schema{Type: openapi.Types{"object"}}
	for i := range rows {
		if row := &rows[i]; row.Write.Take != nil && edition.Offers(row.Feature) {
			object.Add(row.Name, row.limited(row.Write.Is), false)
		}
	}
	return object
}

// limited is a schema within the limits of the row.
func (row *Attribute[D, P]) limited(is *openapi.Schema) *openapi.Schema {
	limited := *is
	if row.Allowed != nil {
		limited = *limited.One(row.Allowed...)
		if slices.Contains(is.Type, "null") {
			limited.Enum = append(limited.Enum, nil)
		}
	}
	limited.MaxLength = row.Most
	return &limited
}

// Tell notes what was wrong with a member of what stands at a place, and is called so. An
// object or a list tells it of each of its members.
func Tell(problems *belay.Problems, at belay.Place, called string, wrong memberError) {
	at = at.Member(wrong.name)
	switch _, err := strconv.Atoi(wrong.name); {
	case called == "":
		called = wrong.name
	case err == nil:
		called += "[" + wrong.name + "]"
	default:
		called += "." + wrong.name
	}
	var members memberErrors
	if !errors.As(wrong.err, &members) {
		problems.At(at, "%s %s", called, jsonapi.Complaint(wrong.err))
		return
	}
	for _, m := range members {
		Tell(problems, at, called, m)
	}
}

// memberErrors is what was wrong with the members of an attribute that is an object.
type memberErrors []memberError

type memberError struct {
	name string
	err  error
}

func (m memberErrors) Error() string { return "must be an object of other members" }

func (m memberErrors) err() error {
	if len(m) == 0 {
		return nil
	}
	return m
}

// about says whether it tells of a member that others tell of.
func (m memberErrors) about(others memberErrors) bool {
	return slices.ContainsFunc(m, func(one memberError) bool {
		return slices.ContainsFunc(others, func(other memberError) bool { return one.name == other.name })
	})
}

// unlessText adds a member that is no text.
func (m memberErrors) unlessText(name string, raw json.RawMessage) memberErrors {
	var text *string
	if len(m) < MostWrong && (json.Unmarshal(raw, &text) != nil || text == nil) {
		m = append(m, memberError{name, shapeError("must be a string")})
	}
	return m
}

// Members writes to a field that is an object, each of its members by its own row.
func Members[P, T any](rows Attributes[T, T], at func(*P) *patch.Field[T]) Writer[P] {
	take := func(p *P, raw json.RawMessage) error {
		f := at(p)
		*f = patch.Field[T]{Set: true}
		given, err := takeMembers(rows, &f.Value, raw)
		f.Null = !given && err == nil
		return err
	}
	return Writer[P]{take, rows.Taken(site.EditionAll).OrNull()}
}

// FlatMembers writes an object whose members are fields of the patch itself.
func FlatMembers[P any](rows Attributes[P, P]) Writer[P] {
	take := func(p *P, raw json.RawMessage) error {
		_, err := takeMembers(rows, p, raw)
		return err
	}
	return Writer[P]{take, rows.Taken(site.EditionAll).OrNull()}
}

// MemberLists writes to a field that is a list of objects, each of their members by its own row.
func MemberLists[P, T any](rows Attributes[T, T], at func(*P) *patch.Field[[]T]) Writer[P] {
	take := func(p *P, raw json.RawMessage) error {
		var items []json.RawMessage
		if json.Unmarshal(raw, &items) != nil {
			return shapeError("must be a list of objects")
		}
		list := make([]T, len(items))
		var wrong memberErrors
		for i, item := range items {
			given, err := takeMembers(rows, &list[i], item)
			if err == nil && !given {
				err = shapeError("must be an object")
			}
			if err != nil && len(wrong) < MostWrong {
				wrong = append(wrong, memberError{strconv.Itoa(i), err})
			}
		}
		if *at(p) = patch.Of(list); items == nil {
			*at(p) = patch.Null[[]T]()
		}
		return wrong.err()
	}
	return Writer[P]{take, openapi.List(rows.Taken(site.EditionAll)).OrNull()}
}

// takeMembers reads the members of an object. given is false for null.
func takeMembers[T any](rows Attributes[T, T], to *T, raw json.RawMessage) (given bool, err error) {
	var members map[string]json.RawMessage
	if err := json.Unmarshal(raw, &members); err != nil {
		return false, shapeError("must be an object")
	}
	if wrong := rows.Take(SpellingsOf(members), to, site.EditionAll); len(wrong) > 0 {
		return true, wrong
	}
	return members != nil, nil
}

// shapeError says what a value must be, where encoding/json would speak of itself.
type shapeError string

func (e shapeError) Error() string { return string(e) }

// Read takes a value into a field. Texts in a list or an object can't be null.
func Read[T any](f *patch.Field[T], raw json.RawMessage) error {
	switch any(f.Value).(type) {
	case time.Time:
		if text := bytes.TrimSpace(raw); len(text) > 0 && text[0] != '"' && text[0] != 'n' {
			return shapeError("must be a timestamp such as 2026-01-02T15:04:05Z")
		}
	case []string:
		if err := checkTexts(raw); err != nil {
			return err
		}
	case map[string]string:
		if err := checkTextMembers(raw); err != nil {
			return err
		}
	}
	return f.UnmarshalJSON(raw)
}

// checkTexts refuses what is no list of texts, and tells it of each that is none.
func checkTexts(raw json.RawMessage) error {
	var list []json.RawMessage
	if json.Unmarshal(raw, &list) != nil {
		return shapeError("must be a list of strings")
	}
	var wrong memberErrors
	for i, item := range list {
		wrong = wrong.unlessText(strconv.Itoa(i), item)
	}
	return wrong.err()
}

// checkTextMembers refuses what is no object of texts, and tells it of each that is none.
func checkTextMembers(raw json.RawMessage) error {
	var object map[string]json.RawMessage
	if json.Unmarshal(raw, &object) != nil {
		return shapeError("must be an object of strings")
	}
	var wrong memberErrors
	for _, name := range slices.Sorted(maps.Keys(object)) {
		wrong = wrong.unlessText(name, object[name])
	}
	return wrong.err()
}

type nullError struct{}

func (nullError) Error() string { return "can't be null" }

// Field writes to a field that can't be null.
func Field[P, T any](at func(*P) *patch.Field[T]) Writer[P] {
	take := func(p *P, raw json.RawMessage) error {
		f := at(p)
		if err := Read(f, raw); err != nil || !f.Null {
			return err
		}
		*f = patch.Field[T]{}
		return nullError{}
	}
	return Writer[P]{take, openapi.Of[T]()}
}

// Nullable writes to a field that null clears.
func Nullable[P, T any](at func(*P) *patch.Field[T]) Writer[P] {
	take := func(p *P, raw json.RawMessage) error { return Read(at(p), raw) }
	return Writer[P]{take, openapi.Of[T]().OrNull()}
}

// Lenient writes to a field where a known client sends null for "not given".
func Lenient[P, T any](at func(*P) *patch.Field[T]) Writer[P] {
	take := func(p *P, raw json.RawMessage) error {
		f := at(p)
		err := Read(f, raw)
		if f.Null {
			*f = patch.Field[T]{}
		}
		return err
	}
	return Writer[P]{take, openapi.Of[T]().OrNull()}
}

// Plain writes to what need not tell an omitted value from an empty one.
func Plain[P, T any](at func(*P) *T) Writer[P] {
	return Writer[P]{func(p *P, raw json.RawMessage) error { return json.Unmarshal(raw, at(p)) }, openapi.Of[T]().OrNull()}
}

// OrNull shows an empty text as null: it is not set.
func OrNull(text string) any {
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

// MostWrong is how many members of a list are told of that are no texts.
const MostWrong = 20
