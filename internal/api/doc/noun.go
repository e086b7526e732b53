// Package doc is how nouns stand in documents: typed rows of attributes and relationships, from
// which come documents, the reading of bodies, the pointers of refusals, and schemas. It knows no
// noun of ours, and no request.
package doc

import (
	"encoding/json"
	"slices"

	"github.com/belayhq/belay"
	"github.com/belayhq/belay/internal/jsonapi"
	"github.com/belayhq/belay/internal/openapi"
	"github.com/belayhq/belay/site"
)

// Noun is one kind of resource as it stands in documents: shown from D, written to P.
// Resources, the reading of bodies and the OpenAPI document come from it.
type Noun[D, P any] struct {
	Type       string          // the type on the wire
	Schema     string          // the name in the OpenAPI document, where types are not enough
	Typed      func(*D) string // the type, where it is one of accepts
	Accepts    []string        // the types that a body may name; typ alone when nil
	ID         func(*D) string
	Path       func(*D) string // where it is shown; nil: nowhere alone
	Attributes Attributes[D, P]
	Relations  []Relation[D, P]
	Links      []Link[D] // besides self, or in its place
	Loose      bool      // a body may have its attributes in data itself, too
}

// Link is one link of a resource; it is left out while empty.
type Link[D any] struct {
	Name     string
	To       func(*D) string
	Optional bool
}

// Resource is a noun in a document.
func (n *Noun[D, P]) Resource(edition site.Edition, d D) *jsonapi.Resource {
	resource := &jsonapi.Resource{Type: n.Type, ID: n.ID(&d), Attributes: n.Attributes.Object(&d, edition)}
	if n.Typed != nil {
		resource.Type = n.Typed(&d)
	}
	self := ""
	if n.Path != nil {
		self = n.Path(&d)
	}
	if len(n.Relations) > 0 {
		resource.Relationships = make([]jsonapi.Relation, 0, len(n.Relations)+1)
	}
	for i := range n.Relations {
		row := &n.Relations[i]
		if row.Show == nil || row.absent != nil && row.absent(&d) {
			continue
		}
		relation := jsonapi.Relation{Name: row.Name, Data: jsonapi.Null{}}
		if edition.Offers(row.Feature) {
			relation = row.Show(&d, self)
			relation.Name = row.Name
		}
		resource.Relationships = append(resource.Relationships, relation)
	}
	if self != "" && !n.ownSelf() {
		resource.Links = append(resource.Links, jsonapi.Member{Name: "self", Value: self})
	}
	for _, l := range n.Links {
		if to := l.To(&d); to != "" {
			resource.Links = append(resource.Links, jsonapi.Member{Name: l.Name, Value: to})
		}
	}
	return resource
}

func (n *Noun[D, P]) ownSelf() bool {
	return slices.ContainsFunc(n.Links, func(l Link[D]) bool { return l.Name == "self" })
}

// In makes the resources of an edition.
func (n *Noun[D, P]) In(edition site.Edition) func(D) *jsonapi.Resource {
	return func(d D) *jsonapi.Resource { return n.Resource(edition, d) }
}

// Types is the types that a body may name.
func (n *Noun[D, P]) Types() []string {
	if n.Accepts == nil {
		return []string{n.Type}
	}
	return n.Accepts
}

// Reading is what the reading of a body depends on, besides the body.
type Reading struct {
	Edition site.Edition
	Creates bool // it makes something: an update leaves some relationships to endpoints of their own
}

// Decode reads what a resource of a body says, and tells all that is wrong at once.
func (n *Noun[D, P]) Decode(how Reading, in *jsonapi.Incoming, p *P) error {
	var problems belay.Problems
	if err := problems.Add(n.Attributes.Decode(in, p, how.Edition)); err != nil {
		return err
	}
	related := make(map[string]json.RawMessage, len(in.Relationships))
	for name, relation := range in.Relationships {
		related[name] = relation.Data
	}
	given := SpellingsOf(related)
	for i := range n.Relations {
		row := &n.Relations[i]
		if row.Take == nil {
			continue
		}
		for _, twice := range given.differing(row.Name) {
			Tell(&problems, "/data/relationships", "", twice)
		}
		if err := problems.Add(row.Take(how, in, p)); err != nil {
			return err
		}
	}
	return problems.Err()
}

// Relation is one relationship of a noun: how it is shown, and how a body sets it.
type Relation[D, P any] struct {
	Name    string
	Show    func(d *D, self string) jsonapi.Relation // its name is added; nil: never shown
	Is      *openapi.Schema
	Take    func(Reading, *jsonapi.Incoming, *P) error // nil: ignored in a body
	Takes   *openapi.Schema
	absent  func(*D) bool // when it is left out
	Feature site.Feature  // what an edition must offer: it is null without
}

// Taking is the relation that a body sets, too.
func (row Relation[D, P]) Taking(is *openapi.Schema, take func(Reading, *jsonapi.Incoming, *P) error) Relation[D, P] {
	row.Take, row.Takes = take, is
	return row
}

// Unless leaves the relation out under a condition.
func (row Relation[D, P]) Unless(absent func(*D) bool) Relation[D, P] {
	row.absent = absent
	return row
}

// LinkedAlone leaves only the link of a relation to many where a document names none of them,
// because there are too many, and says so: nobody is to take what is not included for what is not there.
func (row Relation[D, P]) LinkedAlone(typ string, tooMany func(*D) bool) Relation[D, P] {
	named := row.Show
	row.Show = func(d *D, self string) jsonapi.Relation {
		relation := named(d, self)
		if tooMany(d) {
			relation.Data, relation.Meta = nil, jsonapi.Object{{Name: "too-many-to-include", Value: true}}
		}
		return relation
	}
	row.Is = openapi.Object().Add("links", relatedLink(), true).Add("data", openapi.List(RefTo(typ)), false)
	row.Is.Add("meta", openapi.Object().Add("too-many-to-include", openapi.Of[bool](), true), false)
	return row
}

// Only is a relation that a body sets and no document shows.
func Only[D, P any](name string) Relation[D, P] { return Relation[D, P]{Name: name} }

// To leads to one resource, at its own path; null while there is none.
func To[D, P any](name, typ string, id func(*D) string) Relation[D, P] {
	show := func(d *D, _ string) jsonapi.Relation { return Linked("", typ, id(d)) }
	return Relation[D, P]{Name: name, Show: show, Is: Linkage(RefTo(typ).OrNull(), false)}
}

// ToEither leads to one resource of several types.
func ToEither[D, P any](name string, types []string, ref func(*D) (typ, id string)) Relation[D, P] {
	show := func(d *D, _ string) jsonapi.Relation {
		typ, id := ref(d)
		return Linked("", typ, id)
	}
	return Relation[D, P]{Name: name, Show: show, Is: Linkage(RefTo(types...).OrNull(), false)}
}

// ToAt leads to one resource at another path than its own.
func ToAt[D, P any](name, typ string, id, path func(*D) string) Relation[D, P] {
	show := func(d *D, _ string) jsonapi.Relation {
		return jsonapi.Relation{Data: jsonapi.One(typ, id(d)), Related: path(d)}
	}
	return Relation[D, P]{Name: name, Show: show, Is: Linkage(RefTo(typ).OrNull(), false)}
}

// Bare names one resource without a path to it; null while there is none.
func Bare[D, P any](name, typ string, id func(*D) string) Relation[D, P] {
	show := func(d *D, _ string) jsonapi.Relation { return jsonapi.Relation{Data: jsonapi.One(typ, id(d))} }
	return Relation[D, P]{Name: name, Show: show, Is: Linkage(RefTo(typ).OrNull(), false)}
}

// ToBelow leads to one resource at a path below the noun.
func ToBelow[D, P any](name, typ, path string, id func(*D) string) Relation[D, P] {
	show := func(d *D, self string) jsonapi.Relation {
		return jsonapi.Relation{Data: jsonapi.One(typ, id(d)), Related: self + path}
	}
	return Relation[D, P]{Name: name, Show: show, Is: Linkage(RefTo(typ).OrNull(), true)}
}

// ToMany names many resources. Where there is a path below the noun, it leads to them.
func ToMany[D, P any](name, typ, path string, ids func(*D) []string) Relation[D, P] {
	show := func(d *D, self string) jsonapi.Relation {
		relation := jsonapi.Relation{Data: jsonapi.Many(typ, ids(d))}
		if path != "" {
			relation.Related = self + path
		}
		return relation
	}
	return Relation[D, P]{Name: name, Show: show, Is: Linkage(openapi.List(RefTo(typ)), path != "")}
}

// Below only leads to a path below the noun. With what include adds it may name resources.
func Below[D, P any](name, path string, included ...string) Relation[D, P] {
	show := func(_ *D, self string) jsonapi.Relation { return jsonapi.Relation{Related: self + path} }
	is := openapi.Object().Add("links", relatedLink(), true)
	if included != nil {
		is.Add("data", openapi.List(RefTo(included...)), false)
	}
	return Relation[D, P]{Name: name, Show: show, Is: is}
}

// ToNone is null: what it would lead to is not kept here.
func ToNone[D, P any](name, typ string) Relation[D, P] {
	return Bare[D, P](name, typ, func(*D) string { return "" })
}

// Linkage is the schema of a relationship that names what it leads to.
func Linkage(data *openapi.Schema, always bool) *openapi.Schema {
	return openapi.Object().Add("data", data, true).Add("links", relatedLink(), always)
}

func relatedLink() *openapi.Schema {
	return openapi.Object().Add("related", openapi.Of[string](), true)
}

// Linked is a to-one relationship with the path of what it leads to; null when it is empty.
func Linked(name, typ, id string) jsonapi.Relation {
	relation := jsonapi.Relation{Name: name, Data: jsonapi.One(typ, id)}
	if id != "" {
		relation.Related = "/api/v2/" + typ + "/" + id
	}
	return relation
}
