package api

import (
	"github.com/belayhq/belay/internal/jsonapi"
	"github.com/belayhq/belay/internal/openapi"
)

// action is what a route does, and the documents that it takes and gives.
type action struct {
	run      func(*request) (*jsonapi.Document, error)
	takes    func(*describer) *openapi.Schema // the body of a request; nil: none is read
	gives    func(*describer) *openapi.Schema // nil: nothing
	query    []string                         // the parameters that it reads
	includes []string                         // what a document may include
}

// inclusion is what documents of a noun may include, and how it is added to them.
type inclusion[D any] struct {
	names []string
	add   func(r *request, document *jsonapi.Document, list []D, names []string) error
	asked func(names []string) []string // what is added, where that is not what the request names
	late  bool                          // after a change: a wrong name is not refused, for what was asked for is done
}

// wanted is the names that a request asks for.
func (i *inclusion[D]) wanted(r *request) ([]string, error) {
	if i == nil {
		return nil, nil
	}
	names, err := r.includes(i.names...)
	if i.late && r.Method != get {
		err = nil
	}
	if i.asked != nil {
		names = i.asked(names)
	}
	return names, err
}

// complete adds what was asked for to a document.
func (i *inclusion[D]) complete(r *request, document *jsonapi.Document, list []D, names []string) (*jsonapi.Document, error) {
	if i == nil || len(names) == 0 {
		return document, nil
	}
	if document.Included == nil {
		document.Included = []*jsonapi.Resource{}
	}
	return document, i.add(r, document, list, names)
}

// query is the parameters of what may include something.
func (i *inclusion[D]) query() []string {
	if i == nil {
		return nil
	}
	return []string{"include"}
}

func (i *inclusion[D]) known() []string {
	if i == nil {
		return nil
	}
	return i.names
}

func first[D any](with []*inclusion[D]) *inclusion[D] {
	if len(with) == 0 {
		return nil
	}
	return with[0]
}

// showing answers one resource.
func showing[D, P any](n *noun[D, P], verb func(*request) (D, error), with ...*inclusion[D]) action {
	include := first(with)
	run := func(r *request) (*jsonapi.Document, error) {
		names, err := include.wanted(r)
		if err != nil {
			return nil, err
		}
		d, err := verb(r)
		return n.answer(r, d, err, include, names)
	}
	return action{run: run, gives: n.one, query: include.query(), includes: include.known()}
}

// writing reads a body, and answers the resource that it made or changed.
func writing[D, P any](n *noun[D, P], verb func(*request, P) (D, error), with ...*inclusion[D]) action {
	return taking(n, n, verb, with...)
}

// taking reads a body about one noun, and answers a resource of another.
func taking[D, P, B, Q any](body *noun[B, Q], n *noun[D, P], verb func(*request, Q) (D, error), with ...*inclusion[D]) action {
	include := first(with)
	run := func(r *request) (*jsonapi.Document, error) {
		names, err := include.wanted(r)
		if err != nil {
			return nil, err
		}
		p, err := body.patch(r)
		if err != nil {
			return nil, err
		}
		d, err := verb(r, p)
		return n.answer(r, d, err, include, names)
	}
	return action{run: run, takes: body.body, gives: n.one, query: include.query(), includes: include.known()}
}

// answer is the document of one resource.
func (n *noun[D, P]) answer(r *request, d D, err error, include *inclusion[D], names []string) (*jsonapi.Document, error) {
	if err != nil {
		return nil, err
	}
	return include.complete(r, one(n.resource(r, d)), []D{d}, names)
}

// listing answers one page of a list.
func listing[D, P any](n *noun[D, P], verb func(*request) ([]D, int, error), with ...*inclusion[D]) action {
	return lists(n, verb, n.page, []string{"page[number]", "page[size]"}, (*request).list, with...)
}

// listingWhole answers a list that is paged only when that is asked for.
func listingWhole[D, P any](n *noun[D, P], verb func(*request) ([]D, int, error), with ...*inclusion[D]) action {
	return lists(n, verb, n.pageOrAll, []string{"page[number]", "page[size]"}, (*request).listWhole, with...)
}

// listingAll answers a list that has no pages.
func listingAll[D, P any](n *noun[D, P], verb func(*request) ([]D, error)) action {
	all := func(r *request) ([]D, int, error) {
		list, err := verb(r)
		return list, len(list), err
	}
	return lists(n, all, n.all, nil, func(_ *request, data []*jsonapi.Resource, _ int) *jsonapi.Document { return whole(data) })
}

func lists[D, P any](
	n *noun[D, P], verb func(*request) ([]D, int, error), gives func(*describer) *openapi.Schema, query []string,
	document func(*request, []*jsonapi.Resource, int) *jsonapi.Document, with ...*inclusion[D],
) action {
	include := first(with)
	run := func(r *request) (*jsonapi.Document, error) {
		names, err := include.wanted(r)
		if err != nil {
			return nil, err
		}
		list, total, err := verb(r)
		if err != nil {
			return nil, err
		}
		return include.complete(r, document(r, each(list, n.in(r)), total), list, names)
	}
	return action{run: run, gives: gives, query: append(query, include.query()...), includes: include.known()}
}

// naming reads a list of references to resources of a type, and answers nothing.
func naming(typ string, verb func(*request, []string) error) action {
	run := func(r *request) (*jsonapi.Document, error) {
		ids, err := r.identifiers(typ)
		if err != nil {
			return nil, err
		}
		return nil, verb(r, ids)
	}
	takes := func(*describer) *openapi.Schema { return document(openapi.List(bodyRef(typ))) }
	return action{run: run, takes: takes}
}

// reads is the action with the body that it reads itself.
func (a action) reads(body func(*describer) *openapi.Schema) action {
	a.takes = body
	return a
}

// counting is a list with the counts of its statuses in meta.
func (a action) counting(statuses ...string) action {
	page := a.gives
	a.gives = func(d *describer) *openapi.Schema {
		counts := openapi.Object()
		for _, status := range append(statuses, "total") {
			counts.Add(status, openapi.Of[int](), true)
		}
		is := page(d)
		meta := pageMeta().Add("status-counts", counts, true)
		is.Properties["meta"] = meta
		return is
	}
	return a
}

// doing reads no body and answers nothing.
func doing(verb func(*request) error) action {
	return action{run: func(r *request) (*jsonapi.Document, error) { return nil, verb(r) }}
}
