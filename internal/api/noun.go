package api

import (
	"encoding/json"
	"slices"

	"github.com/belayhq/belay"
	"github.com/belayhq/belay/internal/jsonapi"
	"github.com/belayhq/belay/internal/openapi"
)

// noun is one kind of resource as it stands in documents: shown from D, written to P.
// Resources, the reading of bodies and the OpenAPI document come from it.
type noun[D, P any] struct {
	typ        string          // the type on the wire
	schema     string          // the name in the OpenAPI document, where types are not enough
	typed      func(*D) string // the type, where it is one of accepts
	accepts    []string        // the types that a body may name; typ alone when nil
	id         func(*D) string
	path       func(*D) string // where it is shown; nil: nowhere alone
	attributes attributes[D, P]
	relations  []relation[D, P]
	links      []link[D] // besides self, or in its place
	loose      bool      // a body may have its attributes in data itself, too
}

// link is one link of a resource; it is left out while empty.
type link[D any] struct {
	name     string
	to       func(*D) string
	optional bool
}

// resource is a noun in a document.
func (n *noun[D, P]) resource(r *request, d D) *jsonapi.Resource {
	edition := r.api.App.Edition()
	resource := &jsonapi.Resource{Type: n.typ, ID: n.id(&d), Attributes: n.attributes.object(&d, edition)}
	if n.typed != nil {
		resource.Type = n.typed(&d)
	}
	self := ""
	if n.path != nil {
		self = n.path(&d)
	}
	if len(n.relations) > 0 {
		resource.Relationships = make([]jsonapi.Relation, 0, len(n.relations)+1)
	}
	for i := range n.relations {
		row := &n.relations[i]
		if row.show == nil || row.absent != nil && row.absent(&d) {
			continue
		}
		relation := jsonapi.Relation{Name: row.name, Data: jsonapi.Null{}}
		if edition.Offers(row.feature) {
			relation = row.show(&d, self)
			relation.Name = row.name
		}
		resource.Relationships = append(resource.Relationships, relation)
	}
	if self != "" && !n.ownSelf() {
		resource.Links = append(resource.Links, jsonapi.Member{Name: "self", Value: self})
	}
	for _, l := range n.links {
		if to := l.to(&d); to != "" {
			resource.Links = append(resource.Links, jsonapi.Member{Name: l.name, Value: to})
		}
	}
	return resource
}

func (n *noun[D, P]) ownSelf() bool {
	return slices.ContainsFunc(n.links, func(l link[D]) bool { return l.name == "self" })
}

// in makes the resources of a request.
func (n *noun[D, P]) in(r *request) func(D) *jsonapi.Resource {
	return func(d D) *jsonapi.Resource { return n.resource(r, d) }
}

// types is the types that a body may name.
func (n *noun[D, P]) types() []string {
	if n.accepts == nil {
		return []string{n.typ}
	}
	return n.accepts
}

// patch reads a body about one resource: its attributes, and its relationships. What is
// wrong with them is told together with what the rules say.
func (n *noun[D, P]) patch(r *request) (p P, err error) {
	in, err := r.resource(n.types()...)
	if err != nil {
		return p, err
	}
	if n.loose {
		if err := r.later(r.gather(in)); err != nil {
			return p, err
		}
	}
	return p, r.later(n.decode(r, in, &p))
}

// decode reads what a resource of a body says, and tells all that is wrong at once.
func (n *noun[D, P]) decode(r *request, in *jsonapi.Incoming, p *P) error {
	var problems belay.Problems
	if err := problems.Add(n.attributes.decode(in, p, r.api.App.Edition())); err != nil {
		return err
	}
	related := make(map[string]json.RawMessage, len(in.Relationships))
	for name, relation := range in.Relationships {
		related[name] = relation.Data
	}
	given := spellingsOf(related)
	for i := range n.relations {
		row := &n.relations[i]
		if row.take == nil {
			continue
		}
		for _, twice := range given.differing(row.name) {
			tell(&problems, "/data/relationships", "", twice)
		}
		if err := problems.Add(row.take(r, in, p)); err != nil {
			return err
		}
	}
	return problems.Err()
}

// relation is one relationship of a noun: how it is shown, and how a body sets it.
type relation[D, P any] struct {
	name    string
	show    func(d *D, self string) jsonapi.Relation // its name is added; nil: never shown
	is      *openapi.Schema
	take    func(*request, *jsonapi.Incoming, *P) error // nil: ignored in a body
	takes   *openapi.Schema
	absent  func(*D) bool // when it is left out
	feature belay.Feature // what an edition must offer: it is null without
}

// taking is the relation that a body sets, too.
func (row relation[D, P]) taking(is *openapi.Schema, take func(*request, *jsonapi.Incoming, *P) error) relation[D, P] {
	row.take, row.takes = take, is
	return row
}

// unless leaves the relation out under a condition.
func (row relation[D, P]) unless(absent func(*D) bool) relation[D, P] {
	row.absent = absent
	return row
}

// linkedAlone leaves only the link of a relation to many where a document names none of them,
// because there are too many, and says so: nobody is to take what is not included for what is not there.
func (row relation[D, P]) linkedAlone(typ string, tooMany func(*D) bool) relation[D, P] {
	named := row.show
	row.show = func(d *D, self string) jsonapi.Relation {
		relation := named(d, self)
		if tooMany(d) {
			relation.Data, relation.Meta = nil, jsonapi.Object{{Name: "too-many-to-include", Value: true}}
		}
		return relation
	}
	row.is = openapi.Object().Add("links", relatedLink(), true).Add("data", openapi.List(refTo(typ)), false)
	row.is.Add("meta", openapi.Object().Add("too-many-to-include", openapi.Of[bool](), true), false)
	return row
}

// only is a relation that a body sets and no document shows.
func only[D, P any](name string) relation[D, P] { return relation[D, P]{name: name} }

// to leads to one resource, at its own path; null while there is none.
func to[D, P any](name, typ string, id func(*D) string) relation[D, P] {
	show := func(d *D, _ string) jsonapi.Relation { return linked("", typ, id(d)) }
	return relation[D, P]{name: name, show: show, is: linkage(refTo(typ).OrNull(), false)}
}

// toEither leads to one resource of several types.
func toEither[D, P any](name string, types []string, ref func(*D) (typ, id string)) relation[D, P] {
	show := func(d *D, _ string) jsonapi.Relation {
		typ, id := ref(d)
		return linked("", typ, id)
	}
	return relation[D, P]{name: name, show: show, is: linkage(refTo(types...).OrNull(), false)}
}

// toAt leads to one resource at another path than its own.
func toAt[D, P any](name, typ string, id, path func(*D) string) relation[D, P] {
	show := func(d *D, _ string) jsonapi.Relation {
		return jsonapi.Relation{Data: jsonapi.One(typ, id(d)), Related: path(d)}
	}
	return relation[D, P]{name: name, show: show, is: linkage(refTo(typ).OrNull(), false)}
}

// bare names one resource without a path to it; null while there is none.
func bare[D, P any](name, typ string, id func(*D) string) relation[D, P] {
	show := func(d *D, _ string) jsonapi.Relation { return jsonapi.Relation{Data: jsonapi.One(typ, id(d))} }
	return relation[D, P]{name: name, show: show, is: linkage(refTo(typ).OrNull(), false)}
}

// toBelow leads to one resource at a path below the noun.
func toBelow[D, P any](name, typ, path string, id func(*D) string) relation[D, P] {
	show := func(d *D, self string) jsonapi.Relation {
		return jsonapi.Relation{Data: jsonapi.One(typ, id(d)), Related: self + path}
	}
	return relation[D, P]{name: name, show: show, is: linkage(refTo(typ).OrNull(), true)}
}

// toMany names many resources. Where there is a path below the noun, it leads to them.
func toMany[D, P any](name, typ, path string, ids func(*D) []string) relation[D, P] {
	show := func(d *D, self string) jsonapi.Relation {
		relation := jsonapi.Relation{Data: jsonapi.Many(typ, ids(d))}
		if path != "" {
			relation.Related = self + path
		}
		return relation
	}
	return relation[D, P]{name: name, show: show, is: linkage(openapi.List(refTo(typ)), path != "")}
}

// below only leads to a path below the noun. With what include adds it may name resources.
func below[D, P any](name, path string, included ...string) relation[D, P] {
	show := func(_ *D, self string) jsonapi.Relation { return jsonapi.Relation{Related: self + path} }
	is := openapi.Object().Add("links", relatedLink(), true)
	if included != nil {
		is.Add("data", openapi.List(refTo(included...)), false)
	}
	return relation[D, P]{name: name, show: show, is: is}
}

// toNone is null: what it would lead to is not kept here.
func toNone[D, P any](name, typ string) relation[D, P] {
	return bare[D, P](name, typ, func(*D) string { return "" })
}

func linkage(data *openapi.Schema, always bool) *openapi.Schema {
	return openapi.Object().Add("data", data, true).Add("links", relatedLink(), always)
}

func relatedLink() *openapi.Schema {
	return openapi.Object().Add("related", openapi.Of[string](), true)
}
