// Package openapi owns the grammar of OpenAPI 3.1: a document, and the schemas in it. It
// knows no noun and no route, and decides nothing.
package openapi

import (
	"encoding/json"
	"maps"
	"reflect"
	"strings"
	"time"
)

// Schema says what a value may be, in the words of JSON Schema. Its zero value is any value.
type Schema struct {
	Ref         string             `json:"$ref,omitempty"`
	Type        Types              `json:"type,omitempty"`
	Format      string             `json:"format,omitempty"`
	Description string             `json:"description,omitempty"`
	Const       any                `json:"const,omitempty"`
	Enum        []any              `json:"enum,omitempty"`
	MaxLength   int                `json:"maxLength,omitempty"`
	Items       *Schema            `json:"items,omitempty"`
	AnyOf       []*Schema          `json:"anyOf,omitempty"`
	Properties  map[string]*Schema `json:"properties,omitempty"`
	Required    []string           `json:"required,omitempty"`
	Others      *Schema            `json:"-"` // what further properties may be; see Closed
	Closed      bool               `json:"-"` // there are no further properties
	WriteOnly   bool               `json:"writeOnly,omitempty"`
	ReadOnly    bool               `json:"readOnly,omitempty"`
	GoName      string             `json:"x-go-name,omitempty"` // see apart
}

// MarshalJSON writes further properties as false, or as their schema.
func (s *Schema) MarshalJSON() ([]byte, error) {
	type plain Schema
	further := struct {
		*plain
		Others any `json:"additionalProperties,omitempty"`
	}{plain: (*plain)(s)}
	switch {
	case s.Closed:
		further.Others = json.RawMessage("false")
	case s.Others != nil:
		further.Others = s.Others
	}
	return json.Marshal(further)
}

// Types is what kinds of value there may be. One alone is written as a text.
type Types []string

// MarshalJSON writes the types.
func (t Types) MarshalJSON() ([]byte, error) {
	if len(t) == 1 {
		return json.Marshal(t[0])
	}
	return json.Marshal([]string(t))
}

// Of is the schema of a Go type.
func Of[T any]() *Schema { return of(reflect.TypeFor[T]()) }

func of(t reflect.Type) *Schema {
	switch t {
	case reflect.TypeFor[time.Time]():
		return &Schema{Type: Types{"string"}, Format: "date-time"}
	case reflect.TypeFor[json.RawMessage]():
		return &Schema{}
	}
	switch t.Kind() {
	case reflect.String:
		return &Schema{Type: Types{"string"}}
	case reflect.Bool:
		return &Schema{Type: Types{"boolean"}}
	case reflect.Int, reflect.Int32, reflect.Int64:
		return &Schema{Type: Types{"integer"}}
	case reflect.Float64:
		return &Schema{Type: Types{"number"}}
	case reflect.Slice:
		return List(of(t.Elem()))
	case reflect.Map:
		return &Schema{Type: Types{"object"}, Others: of(t.Elem())}
	case reflect.Struct:
		return ofStruct(t)
	default:
		return &Schema{}
	}
}

// ofStruct is the schema of a struct that encoding/json writes.
func ofStruct(t reflect.Type) *Schema {
	object := Object()
	for i := range t.NumField() {
		name, options, _ := strings.Cut(t.Field(i).Tag.Get("json"), ",")
		if name == "" || name == "-" {
			continue
		}
		object.Add(name, of(t.Field(i).Type), !strings.Contains(options, "omitempty"))
	}
	return object
}

// Text is the schema of one text.
func Text(text string) *Schema { return &Schema{Type: Types{"string"}, Const: text} }

// List is the schema of a list.
func List(of *Schema) *Schema { return &Schema{Type: Types{"array"}, Items: of} }

// Object is the schema of an object without properties, to add some.
func Object() *Schema { return &Schema{Type: Types{"object"}, Closed: true} }

// Any is the schema of a value that any of several allow.
func Any(of ...*Schema) *Schema {
	if len(of) == 1 {
		return of[0]
	}
	return &Schema{AnyOf: of}
}

// Add adds a property to an object.
func (s *Schema) Add(name string, property *Schema, required bool) *Schema {
	if s.Properties == nil {
		s.Properties = map[string]*Schema{}
	}
	if second := apart(name, maps.Keys(s.Properties)); second != "" {
		named := *property
		named.GoName = second
		property = &named
	}
	s.Properties[name] = property
	if required {
		s.Required = append(s.Required, name)
	}
	return s
}

// OrNull is the schema with null beside what it allows.
func (s *Schema) OrNull() *Schema {
	if s.Ref != "" || len(s.AnyOf) > 0 {
		return Any(append([]*Schema{{Type: Types{"null"}}}, Any(s))...)
	}
	if len(s.Type) == 0 { // any value, null among them
		return s
	}
	or := *s
	or.Type = append(append(Types{}, s.Type...), "null")
	if or.Enum != nil {
		or.Enum = append(append([]any{}, s.Enum...), nil)
	}
	return &or
}

// One is the schema with only some texts allowed.
func (s *Schema) One(of ...string) *Schema {
	only := *s
	only.Enum = make([]any, len(of))
	for i, text := range of {
		only.Enum[i] = text
	}
	return &only
}
