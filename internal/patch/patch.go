// Package patch owns the field with three answers: omitted, null, or a value.
// A partial update needs all three, and Go's zero value can tell only one of them.
// It never knows what the field means.
package patch

import (
	"bytes"
	"encoding/json"
)

// Field is one member of a partial update. Its zero value is omitted.
type Field[T any] struct {
	Set   bool // the member was in the body
	Null  bool // and it was null
	Value T    // and this is its value, when it was not null
}

// Of is a field that carries v.
func Of[T any](v T) Field[T] { return Field[T]{Set: true, Value: v} }

// Null is a field that was given as null.
func Null[T any]() Field[T] { return Field[T]{Set: true, Null: true} }

// Given says whether the field carries a value: neither omitted nor null.
func (f Field[T]) Given() bool { return f.Set && !f.Null }

// Or is the field's value: prev when omitted, the zero value when null.
func (f Field[T]) Or(prev T) T {
	if !f.Set {
		return prev
	}
	return f.Value
}

// Into writes the field's answer to dst, unless it was omitted.
func (f Field[T]) Into(dst *T) { *dst = f.Or(*dst) }

// UnmarshalJSON reads null or a value. It is only called for members that are there.
func (f *Field[T]) UnmarshalJSON(raw []byte) error {
	*f = Field[T]{Set: true}
	if bytes.Equal(bytes.TrimSpace(raw), []byte("null")) {
		f.Null = true
		return nil
	}
	return json.Unmarshal(raw, &f.Value)
}
