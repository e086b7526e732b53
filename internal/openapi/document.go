package openapi

import "encoding/json"

// Document is a whole description of an API.
type Document struct {
	OpenAPI    string                           `json:"openapi"`
	Info       Info                             `json:"info"`
	Tags       []Tag                            `json:"tags"`
	Paths      map[string]map[string]*Operation `json:"paths"`
	Components Components                       `json:"components"`
}

// Info is what the API is.
type Info struct {
	Title       string `json:"title"`
	Description string `json:"description"`
	Version     string `json:"version"`
}

// Tag is a group of operations.
type Tag struct {
	Name string `json:"name"`
}

// Components is what operations share.
type Components struct {
	Schemas         map[string]*Schema        `json:"schemas"`
	Responses       map[string]*Response      `json:"responses"`
	SecuritySchemes map[string]SecurityScheme `json:"securitySchemes"`
}

// SecurityScheme is how a caller says who it is.
type SecurityScheme struct {
	Type   string `json:"type"`
	Scheme string `json:"scheme"`
}

// Operation is one route.
type Operation struct {
	ID         string                `json:"operationId"`
	Summary    string                `json:"summary"`
	Tags       []string              `json:"tags"`
	Security   []map[string][]string `json:"security"` // what a token must have and be, by the name of the scheme; none: it takes no token
	Parameters []Parameter           `json:"parameters,omitempty"`
	Body       *Body                 `json:"requestBody,omitempty"`
	Responses  map[string]*Response  `json:"responses"`
}

// Take adds a parameter.
func (o *Operation) Take(p Parameter) {
	others := func(yield func(string) bool) {
		for _, other := range o.Parameters {
			if !yield(other.Name) {
				return
			}
		}
	}
	p.GoName = apart(p.Name, others)
	o.Parameters = append(o.Parameters, p)
}

// Parameter is a part of the path, or of the query.
type Parameter struct {
	Name     string  `json:"name"`
	In       string  `json:"in"`
	Required bool    `json:"required,omitempty"`
	Schema   *Schema `json:"schema"`
	GoName   string  `json:"x-go-name,omitempty"` // see apart
}

// Body is what a request carries.
type Body struct {
	Required bool             `json:"required,omitempty"`
	Content  map[string]Media `json:"content"`
}

// Response is an answer, or a reference to one.
type Response struct {
	Ref         string           `json:"$ref,omitempty"`
	Description string           `json:"description,omitempty"`
	Content     map[string]Media `json:"content,omitempty"`
}

// Media is a body or an answer of one media type.
type Media struct {
	Schema  *Schema `json:"schema,omitempty"`
	Example any     `json:"example,omitempty"`
}

// Example is a value that a schema allows, for people to read. find gives the schema of a
// reference.
func Example(s *Schema, find func(ref string) *Schema) any {
	switch {
	case s.Ref != "":
		return Example(find(s.Ref), find)
	case s.Const != nil:
		return s.Const
	case len(s.Enum) > 0:
		return s.Enum[0]
	case len(s.AnyOf) > 0:
		return Example(s.AnyOf[len(s.AnyOf)-1], find)
	case len(s.Type) == 0:
		return nil
	}
	switch s.Type[0] {
	case "object":
		object := map[string]any{}
		for name, property := range s.Properties {
			object[name] = Example(property, find)
		}
		return object
	case "array":
		return []any{Example(s.Items, find)}
	case "boolean":
		return true
	case "integer", "number":
		return json.Number("1")
	default:
		if s.Format == "date-time" {
			return "2030-01-02T03:04:05Z"
		}
		return "text"
	}
}
