package door

import (
	"slices"
	"strings"

	"github.com/belayhq/belay"
	"github.com/belayhq/belay/internal/api/doc"
	"github.com/belayhq/belay/internal/jsonapi"
	"github.com/belayhq/belay/internal/openapi"
)

// everything is the envelope of a list that is given whole, as if it were one page.
func everything(_ *Request, data []*jsonapi.Resource, total int) *jsonapi.Document {
	document := Whole(data)
	_, document.Meta = jsonapi.Page{Number: 1, Size: max(total, jsonapi.DefaultPageSize)}.Envelope("", nil, total)
	return document
}

// ListingWholly answers a list that has no pages, with the meta of one page.
func ListingWholly[D, P any](n *doc.Noun[D, P], verb func(*Request) ([]D, int, error), with ...*Inclusion[D]) Action {
	gives := func(d *doc.Describer) *openapi.Schema {
		return doc.AnswerOf(openapi.List(n.Shown(d))).Add("meta", d.Named("PageMeta", doc.PageMeta), true)
	}
	return lists(n, verb, gives, nil, everything, with...)
}

// ListingOnward answers one page of a list that nobody counts: it says only whether there
// is another.
func ListingOnward[D, P any](n *doc.Noun[D, P], verb func(*Request) ([]D, bool, error), with ...*Inclusion[D]) Action {
	gives := func(d *doc.Describer) *openapi.Schema {
		return doc.AnswerOf(openapi.List(n.Shown(d))).Add("meta", d.Named("OnwardMeta", onwardMeta), true)
	}
	onward := func(r *Request) ([]D, int, error) {
		list, more, err := verb(r)
		if more {
			return list, 1, err
		}
		return list, 0, err
	}
	document := func(r *Request, data []*jsonapi.Resource, more int) *jsonapi.Document {
		page := r.Page()
		var prev, next any
		if page.Number > 1 {
			prev = page.Number - 1
		}
		if more > 0 {
			next = page.Number + 1
		}
		document := Whole(data)
		document.Meta = jsonapi.Object{{Name: "pagination", Value: jsonapi.Object{
			{Name: "current-page", Value: page.Number}, {Name: "page-size", Value: page.Size}, {Name: "prev-page", Value: prev}, {Name: "next-page", Value: next},
		}}}
		return document
	}
	return lists(n, onward, gives, []string{"page[number]", "page[size]"}, document, with...)
}

func onwardMeta() *openapi.Schema {
	is := openapi.Object().Add("current-page", openapi.Of[int](), true).Add("page-size", openapi.Of[int](), true)
	is.Add("prev-page", openapi.Of[int]().OrNull(), true).Add("next-page", openapi.Of[int]().OrNull(), true)
	return openapi.Object().Add("pagination", is, true)
}

// Whole is the document of a list that has no pages.
func Whole(data []*jsonapi.Resource) *jsonapi.Document {
	if data == nil {
		data = []*jsonapi.Resource{}
	}
	return &jsonapi.Document{Data: data}
}

// WholePage is the page that the query asks for; all in one where it asks for none.
func (r *Request) WholePage() (page belay.Page, whole bool) {
	q := r.URL.Query()
	if q.Has("page[number]") || q.Has("page[size]") {
		return r.Page(), false
	}
	return belay.Page{Number: 1, Size: 1 << 20}, true
}

// listWhole is the document of a list that is paginated only when asked to be.
func (r *Request) listWhole(data []*jsonapi.Resource, total int) *jsonapi.Document {
	if _, all := r.WholePage(); !all {
		return r.List(data, total)
	}
	page := jsonapi.Page{Number: 1, Size: max(total, jsonapi.DefaultPageSize)}
	_, meta := page.Envelope("", nil, total)
	return &jsonapi.Document{Data: data, Meta: meta}
}

// includes reads the include parameter: the names it may hold, in any spelling, without
// repetition. A known name that ends in .* stands for all that begin with it.
func (r *Request) includes(known ...string) ([]string, error) {
	var names []string
	for _, part := range Commas(r.URL.Query()["include"]...) {
		name := strings.ReplaceAll(part, "-", "_")
		if !slices.Contains(known, name) && !slices.Contains(known, strings.SplitN(name, ".", 2)[0]+".*") {
			refusal := belay.Refuse(belay.BadRequest, "%s can't be included here", part)
			refusal.Title = "Invalid include parameter"
			return nil, refusal
		}
		if !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	return names, nil
}
