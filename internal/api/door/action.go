package door

import (
	"net/http"

	"github.com/belayhq/belay/internal/api/doc"
	"github.com/belayhq/belay/internal/jsonapi"
	"github.com/belayhq/belay/internal/openapi"
)

// Action is what a route does, and the documents that it takes and gives.
type Action struct {
	Run      func(*Request) (*jsonapi.Document, error)
	Takes    func(*doc.Describer) *openapi.Schema // the body of a request; nil: none is read
	Gives    func(*doc.Describer) *openapi.Schema // nil: nothing
	Query    []string                             // the parameters that it reads
	includes []string                             // what a document may include
	lists    bool                                 // it makes a document of many
}

// Inclusion is what documents of a noun may include, and how it is added to them.
type Inclusion[D any] struct {
	Names []string
	Add   func(r *Request, document *jsonapi.Document, list []D, names []string) error
	Asked func(names []string) []string // what is added, where that is not what the request names
	Late  bool                          // after a change: a wrong name is not refused, for what was asked for is done
}

// wanted is the names that a request asks for.
func (i *Inclusion[D]) wanted(r *Request) ([]string, error) {
	if i == nil {
		return nil, nil
	}
	names, err := r.includes(i.Names...)
	if i.Late && r.Method != http.MethodGet {
		err = nil
	}
	if i.Asked != nil {
		names = i.Asked(names)
	}
	return names, err
}

// complete adds what was asked for to a document.
func (i *Inclusion[D]) complete(r *Request, document *jsonapi.Document, list []D, names []string) (*jsonapi.Document, error) {
	if i == nil || len(names) == 0 {
		return document, nil
	}
	if document.Included == nil {
		document.Included = []*jsonapi.Resource{}
	}
	return document, i.Add(r, document, list, names)
}

// query is the parameters of what may include something.
func (i *Inclusion[D]) query() []string {
	if i == nil {
		return nil
	}
	return []string{"include"}
}

func (i *Inclusion[D]) known() []string {
	if i == nil {
		return nil
	}
	return i.Names
}

func first[D any](with []*Inclusion[D]) *Inclusion[D] {
	if len(with) == 0 {
		return nil
	}
	return with[0]
}

// Showing answers one resource.
func Showing[D, P any](n *doc.Noun[D, P], verb func(*Request) (D, error), with ...*Inclusion[D]) Action {
	include := first(with)
	run := func(r *Request) (*jsonapi.Document, error) {
		names, err := include.wanted(r)
		if err != nil {
			return nil, err
		}
		d, err := verb(r)
		return Answered(n, r, d, err, include, names)
	}
	return Action{Run: run, Gives: n.One, Query: include.query(), includes: include.known()}
}

// Writing reads a body, and answers the resource that it made or changed.
func Writing[D, P any](n *doc.Noun[D, P], verb func(*Request, P) (D, error), with ...*Inclusion[D]) Action {
	return Taking(n, n, verb, with...)
}

// Taking reads a body about one noun, and answers a resource of another.
func Taking[D, P, B, Q any](body *doc.Noun[B, Q], n *doc.Noun[D, P], verb func(*Request, Q) (D, error), with ...*Inclusion[D]) Action {
	include := first(with)
	run := func(r *Request) (*jsonapi.Document, error) {
		names, err := include.wanted(r)
		if err != nil {
			return nil, err
		}
		p, err := Patched(body, r)
		if err != nil {
			return nil, err
		}
		d, err := verb(r, p)
		return Answered(n, r, d, err, include, names)
	}
	return Action{Run: run, Takes: body.Body, Gives: n.One, Query: include.query(), includes: include.known()}
}

// Reading is how the body of the request is read.
func (r *Request) Reading() doc.Reading {
	return doc.Reading{Edition: r.Edition, Creates: r.Method == http.MethodPost}
}

// Patched reads a body about one resource: its attributes, and its relationships. What is
// wrong with them is told together with what the rules say.
func Patched[D, P any](n *doc.Noun[D, P], r *Request) (p P, err error) {
	in, err := r.Resource(n.Types()...)
	if err != nil {
		return p, err
	}
	if n.Loose {
		if err := r.Later(r.gather(in)); err != nil {
			return p, err
		}
	}
	return p, r.Later(n.Decode(r.Reading(), in, &p))
}

// Answered is the document of one resource.
func Answered[D, P any](n *doc.Noun[D, P], r *Request, d D, err error, include *Inclusion[D], names []string) (*jsonapi.Document, error) {
	if err != nil {
		return nil, err
	}
	return include.complete(r, One(n.Resource(r.Edition, d)), []D{d}, names)
}

// Listing answers one page of a list.
func Listing[D, P any](n *doc.Noun[D, P], verb func(*Request) ([]D, int, error), with ...*Inclusion[D]) Action {
	return lists(n, verb, n.Page, []string{"page[number]", "page[size]"}, (*Request).List, with...)
}

// ListingWhole answers a list that is paged only when that is asked for.
func ListingWhole[D, P any](n *doc.Noun[D, P], verb func(*Request) ([]D, int, error), with ...*Inclusion[D]) Action {
	return lists(n, verb, n.PageOrAll, []string{"page[number]", "page[size]"}, (*Request).listWhole, with...)
}

// ListingAll answers a list that has no pages.
func ListingAll[D, P any](n *doc.Noun[D, P], verb func(*Request) ([]D, error)) Action {
	all := func(r *Request) ([]D, int, error) {
		list, err := verb(r)
		return list, len(list), err
	}
	return lists(n, all, n.All, nil, func(_ *Request, data []*jsonapi.Resource, _ int) *jsonapi.Document { return Whole(data) })
}

func lists[D, P any](
	n *doc.Noun[D, P], verb func(*Request) ([]D, int, error), gives func(*doc.Describer) *openapi.Schema, query []string,
	document func(*Request, []*jsonapi.Resource, int) *jsonapi.Document, with ...*Inclusion[D],
) Action {
	include := first(with)
	run := func(r *Request) (*jsonapi.Document, error) {
		names, err := include.wanted(r)
		if err != nil {
			return nil, err
		}
		list, total, err := verb(r)
		if err != nil {
			return nil, err
		}
		in := n.In(r.Edition)
		all := Each(list, func(d D) *jsonapi.Resource { r.rest(); return in(d) })
		return include.complete(r, document(r, all, total), list, names)
	}
	return Action{Run: run, Gives: gives, Query: append(query, include.query()...), includes: include.known(), lists: true}
}

// Naming reads a list of references to resources of a type, and answers nothing.
func Naming(typ string, verb func(*Request, []string) error) Action {
	run := func(r *Request) (*jsonapi.Document, error) {
		ids, err := r.identifiers(typ)
		if err != nil {
			return nil, err
		}
		return nil, verb(r, ids)
	}
	takes := func(*doc.Describer) *openapi.Schema { return doc.Document(openapi.List(doc.BodyRef(typ))) }
	return Action{Run: run, Takes: takes}
}

// Reads is the action with the body that it reads itself.
func (a Action) Reads(body func(*doc.Describer) *openapi.Schema) Action {
	a.Takes = body
	return a
}

// Counting is a list with the counts of its statuses in meta.
func (a Action) Counting(statuses ...string) Action {
	page := a.Gives
	a.Gives = func(d *doc.Describer) *openapi.Schema {
		counts := openapi.Object()
		for _, status := range append(statuses, "total") {
			counts.Add(status, openapi.Of[int](), true)
		}
		is := page(d)
		meta := doc.PageMeta().Add("status-counts", counts, true)
		is.Properties["meta"] = meta
		return is
	}
	return a
}

// Doing reads no body and answers nothing.
func Doing(verb func(*Request) error) Action {
	return Action{Run: func(r *Request) (*jsonapi.Document, error) { return nil, verb(r) }}
}
