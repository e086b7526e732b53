package jsonapi

import (
	"net/url"
	"strconv"
)

// The sizes of a page: what is given when none is asked for, and the most that is given.
const (
	DefaultPageSize = 20
	MaxPageSize     = 100
)

// Page is one page of a list: its number from 1, and how many rows it holds.
type Page struct{ Number, Size int }

// ParsePage reads page[number] and page[size]. It is lenient: what is not a positive
// number is the default, and a size past the most is the most.
func ParsePage(query url.Values) Page {
	page := Page{Number: 1, Size: DefaultPageSize}
	if n, err := strconv.Atoi(query.Get("page[number]")); err == nil && n > 0 {
		page.Number = min(n, 1<<31)
	}
	if n, err := strconv.Atoi(query.Get("page[size]")); err == nil && n > 0 {
		page.Size = min(n, MaxPageSize)
	}
	return page
}

// Envelope is the links and the meta of a page out of total rows. base is the full URL
// of the list without its query; the caller's other parameters are kept.
func (p Page) Envelope(base string, query url.Values, total int) (links, meta Object) {
	last := max(1, (total+p.Size-1)/p.Size)
	prev, next := 0, 0
	if p.Number > 1 {
		prev = min(p.Number-1, last)
	}
	if p.Number < last {
		next = p.Number + 1
	}
	at := func(number int) any {
		if number == 0 {
			return nil
		}
		return pageURL(base, query, number, p.Size)
	}
	count := func(n int) any {
		if n == 0 {
			return nil
		}
		return n
	}
	links = Object{
		{"self", at(p.Number)}, {"first", at(1)}, {"prev", at(prev)}, {"next", at(next)}, {"last", at(last)},
	}
	meta = Object{{"pagination", Object{
		{"current-page", p.Number}, {"page-size", p.Size}, {"prev-page", count(prev)},
		{"next-page", count(next)}, {"total-pages", last}, {"total-count", total},
	}}}
	return links, meta
}

func pageURL(base string, query url.Values, number, size int) string {
	kept := make(url.Values, len(query)+2)
	for name, values := range query {
		kept[name] = values
	}
	kept["page[number]"] = []string{strconv.Itoa(number)}
	kept["page[size]"] = []string{strconv.Itoa(size)}
	return base + "?" + kept.Encode()
}
