package doc

import (
	"strings"

	"github.com/belayhq/belay/internal/openapi"
	"github.com/belayhq/belay/site"
)

// Describer gathers the schemas that the documents of the routes are made of.
type Describer struct {
	Edition    site.Edition
	Components map[string]*openapi.Schema
}

// Named is a reference to a schema that is told once.
func (d *Describer) Named(name string, build func() *openapi.Schema) *openapi.Schema {
	if _, told := d.Components[name]; !told {
		d.Components[name] = nil // one that leads back to itself finds this
		d.Components[name] = build()
	}
	return &openapi.Schema{Ref: "#/components/schemas/" + name}
}

// Name is the name of the noun's schema: "Workspace" for "workspaces".
func (n *Noun[D, P]) Name() string {
	if n.Schema != "" {
		return n.Schema
	}
	return openapi.Name(strings.TrimSuffix(n.Type, "s"))
}

// Shown is the schema of the noun's resource.
func (n *Noun[D, P]) Shown(d *Describer) *openapi.Schema {
	return d.Named(n.Name(), func() *openapi.Schema {
		types := []string{n.Type}
		if n.Typed != nil {
			types = n.Accepts
		}
		is := openapi.Object().Add("id", openapi.Of[string](), true).Add("type", openapi.Of[string]().One(types...), true)
		is.Add("attributes", n.Attributes.Shown(d.Edition), true)
		relations := openapi.Object()
		for i := range n.Relations {
			row := &n.Relations[i]
			switch {
			case row.Show == nil:
			case !d.Edition.Offers(row.Feature):
				relations.Add(row.Name, openapi.Object().Add("data", &openapi.Schema{Type: openapi.Types{"null"}}, true), true)
			default:
				relations.Add(row.Name, row.Is, row.absent == nil)
			}
		}
		if relations.Properties != nil {
			is.Add("relationships", relations, len(relations.Required) > 0)
		}
		links := openapi.Object()
		if n.Path != nil && !n.ownSelf() {
			links.Add("self", openapi.Of[string](), true)
		}
		for _, l := range n.Links {
			links.Add(l.Name, openapi.Of[string](), !l.Optional)
		}
		if links.Properties != nil {
			is.Add("links", links, len(links.Required) > 0)
		}
		return is
	})
}

// Body is the schema of a request about the noun.
func (n *Noun[D, P]) Body(d *Describer) *openapi.Schema {
	return d.Named(n.Name()+"Body", func() *openapi.Schema { return Document(n.Given(d)) })
}

// Given is the schema of the noun in a body. What it does not know is passed over.
func (n *Noun[D, P]) Given(d *Describer) *openapi.Schema {
	is := &openapi.Schema{Type: openapi.Types{"object"}}
	is.Add("id", openapi.Of[string](), false).Add("type", openapi.Of[string]().One(n.Types()...), false)
	if attributes := n.Attributes.Taken(d.Edition); attributes.Properties != nil {
		is.Add("attributes", attributes, false)
	}
	relations := &openapi.Schema{Type: openapi.Types{"object"}}
	for i := range n.Relations {
		if row := &n.Relations[i]; row.Takes != nil {
			relations.Add(row.Name, Document(row.Takes), false)
		}
	}
	if relations.Properties != nil {
		is.Add("relationships", relations, false)
	}
	return is
}

// Document is the schema of a body around its data.
func Document(data *openapi.Schema) *openapi.Schema {
	is := &openapi.Schema{Type: openapi.Types{"object"}}
	return is.Add("data", data, true)
}

// BodyRef is a reference in a body. Clients leave out its type, and send more with it.
func BodyRef(types ...string) *openapi.Schema {
	is := &openapi.Schema{Type: openapi.Types{"object"}}
	return is.Add("id", openapi.Of[string](), true).Add("type", openapi.Of[string]().One(types...), false)
}

// One is the schema of a document of one resource.
func (n *Noun[D, P]) One(d *Describer) *openapi.Schema { return AnswerOf(n.Shown(d)) }

// AnswerOf is the schema of a document around its data.
func AnswerOf(data *openapi.Schema) *openapi.Schema {
	return openapi.Object().Add("data", data, true).Add("included", includedSchema(), false)
}

// Page is the schema of one page of a list.
func (n *Noun[D, P]) Page(d *Describer) *openapi.Schema { return PageOf(d, n.Shown(d)) }

// PageOf is the schema of one page of a list.
func PageOf(d *Describer, of *openapi.Schema) *openapi.Schema {
	return AnswerOf(openapi.List(of)).Add("links", d.Named("PageLinks", pageLinks), true).Add("meta", d.Named("PageMeta", PageMeta), true)
}

// PageOrAll is the schema of a list that is paged only when that is asked for.
func (n *Noun[D, P]) PageOrAll(d *Describer) *openapi.Schema {
	return AnswerOf(openapi.List(n.Shown(d))).Add("links", d.Named("PageLinks", pageLinks), false).Add("meta", d.Named("PageMeta", PageMeta), false)
}

// All is the schema of a list without pages.
func (n *Noun[D, P]) All(d *Describer) *openapi.Schema { return AnswerOf(openapi.List(n.Shown(d))) }

func pageLinks() *openapi.Schema {
	is := openapi.Object()
	for _, name := range []string{"self", "first", "prev", "next", "last"} {
		is.Add(name, openapi.Of[string]().OrNull(), true)
	}
	return is
}

// PageMeta is the schema of the counts of a page.
func PageMeta() *openapi.Schema {
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

// Ref is a reference in a body to one resource, or null.
func Ref(types ...string) *openapi.Schema { return BodyRef(types...).OrNull() }
