package api

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
)

// attribute is one row of a noun's table: its name on the wire, how it is shown from the
// noun D, and how it is written to the patch P. Documents, decoding, the pointers of
// refusals and the OpenAPI document all come from this row.
type attribute[D, P any] struct {
	name    string
	show    reader[D]     // none: never shown
	write   writer[P]     // none: read-only, ignored in a body
	feature belay.Feature // what an edition must offer to show or take it
	absent  func(*D) bool // when the attribute is left out of a document
	allowed []string      // the texts that it may be; nil: any
	most    int           // the most characters that it may have; 0: any
	twin    string        // another name of the same attribute, which may be given beside it with the same value alone

	read func(*D) any // how it is shown where show is none: of no known type
}

// executionModes is what an execution mode may be.
var executionModes = []string{string(belay.RemoteExecution), string(belay.LocalExecution), string(belay.AgentExecution)}

// reader is how an attribute is shown, and what it then is.
type reader[D any] struct {
	get func(*D) any
	is  *openapi.Schema
}

// writer is how an attribute is taken from a body, and what it must be.
type writer[P any] struct {
	take func(*P, json.RawMessage) error
	is   *openapi.Schema
}

// attributes is a noun's table.
type attributes[D, P any] []attribute[D, P]

// object is the attributes of a document.
func (rows attributes[D, P]) object(d *D, edition belay.Edition) jsonapi.Object {
	object := make(jsonapi.Object, 0, len(rows))
	for i := range rows {
		row := &rows[i]
		get := row.show.get
		if get == nil {
			get = row.read
		}
		if get == nil || row.absent != nil && row.absent(d) || !edition.Offers(row.feature) {
			continue
		}
		object = append(object, jsonapi.Member{Name: row.name, Value: get(d)})
	}
	return object
}

// decode reads the attributes of a body into a patch, and tells all wrong shapes at once.
func (rows attributes[D, P]) decode(in *jsonapi.Incoming, p *P, edition belay.Edition) error {
	var problems belay.Problems
	for _, wrong := range rows.take(spellingsOf(in.Attributes), p, edition) {
		tell(&problems, "", "", wrong)
	}
	return problems.Err()
}

// take reads members into a patch, each by its row, and tells what was wrong with which.
func (rows attributes[D, P]) take(given spellings, p *P, edition belay.Edition) (wrong memberErrors) {
	for i := range rows {
		row := &rows[i]
		raw, as, ok := given.member(row.name)
		if !ok || row.write.take == nil || !edition.Offers(row.feature) {
			continue
		}
		if err := row.write.take(p, raw); err != nil {
			wrong = append(wrong, memberError{as, err})
		}
		wrong = append(wrong, given.differing(row.name)...)
	}
	for i := range rows {
		if unlike := given.unlike(rows[i].name, rows[i].twin); !wrong.about(unlike) {
			wrong = append(wrong, unlike...)
		}
	}
	return wrong
}

// shown is the schema of the attributes of a document.
func (rows attributes[D, P]) shown(edition belay.Edition) *openapi.Schema {
	object := openapi.Object()
	for i := range rows {
		row := &rows[i]
		switch {
		case !edition.Offers(row.feature):
		case row.show.get != nil:
			object.Add(row.name, row.limited(row.show.is), row.absent == nil)
		case row.read != nil:
			object.Add(row.name, &openapi.Schema{}, row.absent == nil)
		}
	}
	return object
}

// taken is the schema of the attributes of a body. Others than these are passed over.
func (rows attributes[D, P]) taken(edition belay.Edition) *openapi.Schema {
	object := &openapi.Schema{Type: openapi.Types{"object"}}
	for i := range rows {
		if row := &rows[i]; row.write.take != nil && edition.Offers(row.feature) {
			object.Add(row.name, row.limited(row.write.is), false)
		}
	}
	return object
}

// limited is a schema within the limits of the row.
func (row *attribute[D, P]) limited(is *openapi.Schema) *openapi.Schema {
	limited := *is
	if row.allowed != nil {
		limited = *limited.One(row.allowed...)
		if slices.Contains(is.Type, "null") {
			limited.Enum = append(limited.Enum, nil)
		}
	}
	limited.MaxLength = row.most
	return &limited
}

// tell notes what was wrong with a member of what stands at a place, and is called so. An
// object or a list tells it of each of its members.
func tell(problems *belay.Problems, at belay.Place, called string, wrong memberError) {
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
		tell(problems, at, called, m)
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
	if len(m) < mostWrong && (json.Unmarshal(raw, &text) != nil || text == nil) {
		m = append(m, memberError{name, shapeError("must be a string")})
	}
	return m
}

// members writes to a field that is an object, each of its members by its own row.
func members[P, T any](rows attributes[T, T], at func(*P) *patch.Field[T]) writer[P] {
	take := func(p *P, raw json.RawMessage) error {
		f := at(p)
		*f = patch.Field[T]{Set: true}
		given, err := takeMembers(rows, &f.Value, raw)
		f.Null = !given && err == nil
		return err
	}
	return writer[P]{take, rows.taken(belay.EditionAll).OrNull()}
}

// flatMembers writes an object whose members are fields of the patch itself.
func flatMembers[P any](rows attributes[P, P]) writer[P] {
	take := func(p *P, raw json.RawMessage) error {
		_, err := takeMembers(rows, p, raw)
		return err
	}
	return writer[P]{take, rows.taken(belay.EditionAll).OrNull()}
}

// memberLists writes to a field that is a list of objects, each of their members by its own row.
func memberLists[P, T any](rows attributes[T, T], at func(*P) *patch.Field[[]T]) writer[P] {
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
			if err != nil && len(wrong) < mostWrong {
				wrong = append(wrong, memberError{strconv.Itoa(i), err})
			}
		}
		if *at(p) = patch.Of(list); items == nil {
			*at(p) = patch.Null[[]T]()
		}
		return wrong.err()
	}
	return writer[P]{take, openapi.List(rows.taken(belay.EditionAll)).OrNull()}
}

// takeMembers reads the members of an object. given is false for null.
func takeMembers[T any](rows attributes[T, T], to *T, raw json.RawMessage) (given bool, err error) {
	var members map[string]json.RawMessage
	if err := json.Unmarshal(raw, &members); err != nil {
		return false, shapeError("must be an object")
	}
	if wrong := rows.take(spellingsOf(members), to, belay.EditionAll); len(wrong) > 0 {
		return true, wrong
	}
	return members != nil, nil
}

// shapeError says what a value must be, where encoding/json would speak of itself.
type shapeError string

func (e shapeError) Error() string { return string(e) }

// read takes a value into a field. Texts in a list or an object can't be null.
func read[T any](f *patch.Field[T], raw json.RawMessage) error {
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

// field writes to a field that can't be null.
func field[P, T any](at func(*P) *patch.Field[T]) writer[P] {
	take := func(p *P, raw json.RawMessage) error {
		f := at(p)
		if err := read(f, raw); err != nil || !f.Null {
			return err
		}
		*f = patch.Field[T]{}
		return nullError{}
	}
	return writer[P]{take, openapi.Of[T]()}
}

// nullable writes to a field that null clears.
func nullable[P, T any](at func(*P) *patch.Field[T]) writer[P] {
	take := func(p *P, raw json.RawMessage) error { return read(at(p), raw) }
	return writer[P]{take, openapi.Of[T]().OrNull()}
}

// lenient writes to a field where a known client sends null for "not given".
func lenient[P, T any](at func(*P) *patch.Field[T]) writer[P] {
	take := func(p *P, raw json.RawMessage) error {
		f := at(p)
		err := read(f, raw)
		if f.Null {
			*f = patch.Field[T]{}
		}
		return err
	}
	return writer[P]{take, openapi.Of[T]().OrNull()}
}

// plain writes to what need not tell an omitted value from an empty one.
func plain[P, T any](at func(*P) *T) writer[P] {
	return writer[P]{func(p *P, raw json.RawMessage) error { return json.Unmarshal(raw, at(p)) }, openapi.Of[T]().OrNull()}
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
