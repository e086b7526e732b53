// Package remote owns how programs of ours speak to a server of this API from outside:
// documents as they are on the wire, pages, refusals told in words that help, and waiting
// where a server asks for it. It knows no noun, and nothing of the inside of a server.
package remote

import (
	"context"
	"encoding/json"
	"net/url"
	"strconv"
	"strings"
)

// Ref names a thing by its type and id.
type Ref struct {
	Type string `json:"type"`
	ID   string `json:"id"`
}

// Relation is what a document says of things that belong to it.
type Relation struct {
	Data json.RawMessage `json:"data"`
}

// Resource is one thing of a document.
type Resource struct {
	Ref
	Attributes    map[string]any      `json:"attributes"`
	Relationships map[string]Relation `json:"relationships"`
	Links         map[string]any      `json:"links"`
}

// Text is an attribute that is a text; empty when it is none.
func (r *Resource) Text(name string) string {
	text, _ := r.Attributes[name].(string)
	return text
}

// Truth is an attribute that is true.
func (r *Resource) Truth(name string) bool {
	truth, _ := r.Attributes[name].(bool)
	return truth
}

// Number is an attribute that is a whole number; 0 when it is none.
func (r *Resource) Number(name string) int64 {
	number, _ := r.Attributes[name].(float64)
	return int64(number)
}

// One is what a relationship to one thing refers to; empty when there is nothing.
func (r *Resource) One(name string) (ref Ref) {
	_ = json.Unmarshal(r.Relationships[name].Data, &ref) // not one thing: none
	return ref
}

// Many is what a relationship to several things refers to, and whether it says so at all.
func (r *Resource) Many(name string) (refs []Ref, told bool) {
	data := r.Relationships[name].Data
	return refs, len(data) > 0 && json.Unmarshal(data, &refs) == nil
}

// Document is an answer: one thing or a page of them.
type Document struct {
	Data     json.RawMessage `json:"data"`
	Included []Resource      `json:"included"`
	Meta     struct {
		Pagination struct {
			Next  int `json:"next-page"`
			Total int `json:"total-count"`
		} `json:"pagination"`
	} `json:"meta"`
}

// One is the thing of a document that has one.
func (d *Document) One() (r Resource, err error) {
	if len(d.Data) > 0 {
		err = json.Unmarshal(d.Data, &r)
	}
	return r, err
}

// List is the things of a document that has several.
func (d *Document) List() (list []Resource, err error) {
	if len(d.Data) > 0 {
		err = json.Unmarshal(d.Data, &list)
	}
	return list, err
}

// Reader reads documents of a server. Paths are below /api/v2/, without the first slash.
type Reader interface {
	Document(ctx context.Context, path string) (Document, error)
}

// pageSize is how much of a list one request asks for: the most that servers give.
const pageSize = 100

// Each calls visit for every thing of a list, page after page.
func Each(ctx context.Context, from Reader, path string, visit func(Resource) error) error {
	for page := 1; page > 0; {
		document, err := from.Document(ctx, paged(path, page))
		if err != nil {
			return err
		}
		list, err := document.List()
		if err != nil {
			return err
		}
		for _, r := range list {
			if err := visit(r); err != nil {
				return err
			}
		}
		if document.Meta.Pagination.Next <= page { // a server that counts backwards is not followed
			return nil
		}
		page = document.Meta.Pagination.Next
	}
	return nil
}

// All is a whole list.
func All(ctx context.Context, from Reader, path string) (list []Resource, err error) {
	err = Each(ctx, from, path, func(r Resource) error {
		list = append(list, r)
		return nil
	})
	return list, err
}

// One is the thing that a path shows.
func One(ctx context.Context, from Reader, path string) (Resource, error) {
	document, err := from.Document(ctx, path)
	if err != nil {
		return Resource{}, err
	}
	return document.One()
}

func paged(path string, page int) string {
	mark := "?"
	if strings.Contains(path, "?") {
		mark = "&"
	}
	return path + mark + url.QueryEscape("page[number]") + "=" + strconv.Itoa(page) +
		"&" + url.QueryEscape("page[size]") + "=" + strconv.Itoa(pageSize)
}

// Path joins the parts of a path and escapes each.
func Path(parts ...string) string {
	escaped := make([]string, len(parts))
	for i, part := range parts {
		escaped[i] = url.PathEscape(part)
	}
	return strings.Join(escaped, "/")
}
