// Package jsonapi owns the grammar of JSON:API: how a document, an error, a page
// and a request body are written and read. It knows no noun of Belay and makes no
// decision about permission or status.
package jsonapi

// MediaType is the media type of every document.
const MediaType = "application/vnd.api+json"

// Member is one name and value of an Object.
type Member struct {
	Name  string
	Value any
}

// Object is a JSON object that keeps the order of its members.
type Object []Member

// Ref identifies a resource in a relationship.
type Ref struct {
	Type, ID string
}

// Relation is one relationship of a resource. Data is nil (no linkage is given),
// Null, a Ref, or a []Ref. Related is the path of the related resource.
type Relation struct {
	Name    string
	Data    any
	Related string
	Meta    Object
}

// Null is the explicit null, where a nil would mean that nothing was said.
type Null struct{}

// One is the linkage of a to-one relationship: null when id is empty.
func One(typ, id string) any {
	if id == "" {
		return Null{}
	}
	return Ref{Type: typ, ID: id}
}

// Many is the linkage of a to-many relationship: an empty list when there is none.
func Many(typ string, ids []string) []Ref {
	refs := make([]Ref, len(ids))
	for i, id := range ids {
		refs[i] = Ref{Type: typ, ID: id}
	}
	return refs
}

// Resource is one resource object.
type Resource struct {
	Type, ID      string
	Attributes    Object
	Relationships []Relation
	Links         Object
}

// Document is a whole answer. Data is a *Resource, a []*Resource, or Null.
type Document struct {
	Data     any
	Included []*Resource // nil: the member is left out
	Links    Object
	Meta     Object
}

// Error is one error object. Status is written as a string, as clients require.
type Error struct {
	Status  int
	Title   string
	Detail  string
	Pointer string // the place in the body that is at fault, when known
	Meta    Object
}
