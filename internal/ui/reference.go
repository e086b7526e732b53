package ui

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"

	"github.com/belayhq/belay/internal/ui/frame"
)

// referencePath is where the API is told of.
const referencePath = "/app/api"

// reference is the OpenAPI document as people read it.
type reference struct {
	Areas  []string
	routes map[string][]referenceRoute // by area
}

// referenceRoute is one route, with a request to try.
type referenceRoute struct {
	Method, Path, Does string
	Open               bool   // needs no token
	Needs              string // what a token must have and be
	Parameters         []referenceParameter
	Answers            []referenceAnswer
	Example            string
}

type referenceParameter struct{ Name, Values string }

type referenceAnswer struct{ Status, Means string }

// openAPI is what the page reads of an OpenAPI document.
type openAPI struct {
	Tags       []struct{ Name string }
	Paths      map[string]map[string]operation
	Components struct {
		Responses map[string]struct{ Description string }
	}
}

type operation struct {
	Summary    string
	Tags       []string
	Security   []map[string][]string
	Parameters []struct {
		Name, In string
		Schema   struct{ Description string }
	}
	RequestBody struct {
		Content map[string]struct{ Example json.RawMessage }
	}
	Responses map[string]struct {
		Ref         string `json:"$ref"`
		Description string
	}
}

// readReference reads the OpenAPI document.
func readReference(u *frame.UI) (*reference, error) {
	var document openAPI
	if err := json.Unmarshal(u.OpenAPI(), &document); err != nil {
		return nil, fmt.Errorf("the description of the API: %w", err)
	}
	r := &reference{routes: map[string][]referenceRoute{}}
	for _, tag := range document.Tags {
		r.Areas = append(r.Areas, tag.Name)
	}
	slices.Sort(r.Areas)
	for path, methods := range document.Paths {
		for method, o := range methods {
			r.routes[o.Tags[0]] = append(r.routes[o.Tags[0]], document.route(strings.ToUpper(method), path, o))
		}
	}
	for _, routes := range r.routes {
		slices.SortFunc(routes, func(a, b referenceRoute) int {
			return strings.Compare(a.Path+" "+a.Method, b.Path+" "+b.Method)
		})
	}
	return r, nil
}

func (d *openAPI) route(method, path string, o operation) referenceRoute {
	route := referenceRoute{Method: method, Path: path, Does: o.Summary, Open: len(o.Security) == 0}
	for _, need := range o.Security {
		route.Needs = strings.Join(need["token"], ", ")
	}
	for _, p := range o.Parameters {
		if p.In == "query" {
			route.Parameters = append(route.Parameters, referenceParameter{p.Name, p.Schema.Description})
		}
	}
	for status, answer := range o.Responses {
		means := answer.Description
		if answer.Ref != "" {
			means = d.Components.Responses[status].Description
		}
		route.Answers = append(route.Answers, referenceAnswer{status, means})
	}
	slices.SortFunc(route.Answers, func(a, b referenceAnswer) int { return strings.Compare(a.Status, b.Status) })
	route.Example = exampleRequest(method, path, route.Open, o)
	return route
}

// exampleRequest is a request as a command line sends it. $BELAY is the address of the server.
func exampleRequest(method, path string, open bool, o operation) string {
	var out strings.Builder
	out.WriteString("curl")
	if method != http.MethodGet {
		out.WriteString(" --request " + method)
	}
	if !open {
		out.WriteString(" \\\n  --header \"Authorization: Bearer $TOKEN\"")
	}
	for media, body := range o.RequestBody.Content {
		var example bytes.Buffer
		if json.Indent(&example, body.Example, "  ", "  ") == nil {
			fmt.Fprintf(&out, " \\\n  --header 'Content-Type: %s' \\\n  --data '%s'", media, example.String())
		}
	}
	fmt.Fprintf(&out, " \\\n  \"$BELAY%s\"", path)
	return out.String()
}

// referencePage is the routes of one area of the API, and the names of the others.
type referencePage struct {
	Of     string
	Areas  []referenceArea
	Routes []referenceRoute
}

type referenceArea struct {
	Name string
	Here bool
}

func showReference(v *frame.Visit, read func() (*reference, error)) {
	s, ok := v.SignedIn()
	if !ok {
		return
	}
	page := referencePage{Of: v.URL.Query().Get("of")}
	if page.Of == "" {
		page.Of = "workspaces"
	}
	reference, err := read()
	if err != nil {
		v.Refuse(err)
		return
	}
	page.Routes = reference.routes[page.Of]
	if page.Routes == nil {
		frame.NoPage(v)
		return
	}
	for _, name := range reference.Areas {
		page.Areas = append(page.Areas, referenceArea{name, name == page.Of})
	}
	v.Show(http.StatusOK, "reference", frame.Frame{Title: "API: " + page.Of, OwnHead: true, Visitor: s.Name, Page: page})
}
