package api

import (
	"strings"

	"github.com/belayhq/belay"
	"github.com/belayhq/belay/internal/openapi"
)

// describer gathers the schemas that the documents of the routes are made of.
type describer struct {
	edition    belay.Edition
	components map[string]*openapi.Schema
}

// named is a reference to a schema that is told once.
func (d *describer) named(name string, make func() *openapi.Schema) *openapi.Schema {
	if _, told := d.components[name]; !told {
		d.components[name] = nil // one that leads back to itself finds this
		d.components[name] = make()
	}
	return &openapi.Schema{Ref: "#/components/schemas/" + name}
}

// name is the name of the noun's schema: "Workspace" for "workspaces".
func (n *noun[D, P]) name() string {
	if n.schema != "" {
		return n.schema
	}
	return openapi.Name(strings.TrimSuffix(n.typ, "s"))
}

// shown is the schema of the noun's resource.
func (n *noun[D, P]) shown(d *describer) *openapi.Schema {
	return d.named(n.name(), func() *openapi.Schema {
		types := []string{n.typ}
		if n.typed != nil {
			types = n.accepts
		}
		is := openapi.Object().Add("id", openapi.Of[string](), true).Add("type", openapi.Of[string]().One(types...), true)
		is.Add("attributes", n.attributes.shown(d.edition), true)
		relations := openapi.Object()
		for i := range n.relations {
			row := &n.relations[i]
			switch {
			case row.show == nil:
			case !d.edition.Offers(row.feature):
				relations.Add(row.name, openapi.Object().Add("data", &openapi.Schema{Type: openapi.Types{"null"}}, true), true)
			default:
				relations.Add(row.name, row.is, row.absent == nil)
			}
		}
		if relations.Properties != nil {
			is.Add("relationships", relations, len(relations.Required) > 0)
		}
		links, always := openapi.Object(), false
		if n.path != nil && !n.ownSelf() {
			links.Add("self", openapi.Of[string](), true)
		}
		for _, l := range n.links {
			links.Add(l.name, openapi.Of[string](), !l.optional)
		}
		if always = len(links.Required) > 0; links.Properties != nil {
			is.Add("links", links, always)
		}
		return is
	})
}

// body is the schema of a request about the noun.
func (n *noun[D, P]) body(d *describer) *openapi.Schema {
	return d.named(n.name()+"Body", func() *openapi.Schema { return document(n.given(d)) })
}

// given is the schema of the noun in a body. What it does not know is passed over.
func (n *noun[D, P]) given(d *describer) *openapi.Schema {
	is := &openapi.Schema{Type: openapi.Types{"object"}}
	is.Add("id", openapi.Of[string](), false).Add("type", openapi.Of[string]().One(n.types()...), false)
	if attributes := n.attributes.taken(d.edition); attributes.Properties != nil {
		is.Add("attributes", attributes, false)
	}
	relations := &openapi.Schema{Type: openapi.Types{"object"}}
	for i := range n.relations {
		if row := &n.relations[i]; row.takes != nil {
			relations.Add(row.name, document(row.takes), false)
		}
	}
	if relations.Properties != nil {
		is.Add("relationships", relations, false)
	}
	return is
}

// document is the schema of a body around its data.
func document(data *openapi.Schema) *openapi.Schema {
	is := &openapi.Schema{Type: openapi.Types{"object"}}
	return is.Add("data", data, true)
}

// bodyRef is a reference in a body. Clients leave out its type, and send more with it.
func bodyRef(types ...string) *openapi.Schema {
	is := &openapi.Schema{Type: openapi.Types{"object"}}
	return is.Add("id", openapi.Of[string](), true).Add("type", openapi.Of[string]().One(types...), false)
}

// one is the schema of a document of one resource.
func (n *noun[D, P]) one(d *describer) *openapi.Schema { return answerOf(n.shown(d)) }

func answerOf(data *openapi.Schema) *openapi.Schema {
	return openapi.Object().Add("data", data, true).Add("included", includedSchema(), false)
}

// page is the schema of one page of a list.
func (n *noun[D, P]) page(d *describer) *openapi.Schema { return pageOf(d, n.shown(d)) }

func pageOf(d *describer, of *openapi.Schema) *openapi.Schema {
	return answerOf(openapi.List(of)).Add("links", d.named("PageLinks", pageLinks), true).Add("meta", d.named("PageMeta", pageMeta), true)
}

// pageOrAll is the schema of a list that is paged only when that is asked for.
func (n *noun[D, P]) pageOrAll(d *describer) *openapi.Schema {
	return answerOf(openapi.List(n.shown(d))).Add("links", d.named("PageLinks", pageLinks), false).Add("meta", d.named("PageMeta", pageMeta), false)
}

// all is the schema of a list without pages.
func (n *noun[D, P]) all(d *describer) *openapi.Schema { return answerOf(openapi.List(n.shown(d))) }

func pageLinks() *openapi.Schema {
	is := openapi.Object()
	for _, name := range []string{"self", "first", "prev", "next", "last"} {
		is.Add(name, openapi.Of[string]().OrNull(), true)
	}
	return is
}

func pageMeta() *openapi.Schema {
	counts := openapi.Object()
	for _, name := range []string{"current-page", "page-size", "total-pages", "total-count"} {
		counts.Add(name, openapi.Of[int](), true)
	}
	counts.Add("prev-page", openapi.Of[int]().OrNull(), true).Add("next-page", openapi.Of[int]().OrNull(), true)
	return openapi.Object().Add("pagination", counts, true)
}

// includedSchema is what include adds: resources of any kind. A describer tells them once.
func includedSchema() *openapi.Schema {
	return openapi.List(&openapi.Schema{Ref: "#/components/schemas/Included"})
}

// ref is a reference in a body to one resource, or null.
func ref(types ...string) *openapi.Schema { return bodyRef(types...).OrNull() }

// sshKeyChoice is the schema of a body that says which key a workspace uses.
func sshKeyChoice(*describer) *openapi.Schema {
	attributes := (&openapi.Schema{Type: openapi.Types{"object"}}).Add("id", openapi.Of[string]().OrNull(), false)
	is := &openapi.Schema{Type: openapi.Types{"object"}}
	is.Add("type", openapi.Of[string]().One("workspaces", "ssh-keys"), false).Add("id", openapi.Of[string](), false)
	return document(is.Add("attributes", attributes, false).OrNull())
}

// lockBody is the schema of a body that says why a workspace is locked. It may be missing.
func lockBody(*describer) *openapi.Schema {
	return (&openapi.Schema{Type: openapi.Types{"object"}}).Add("reason", openapi.Of[string]().OrNull(), false)
}
