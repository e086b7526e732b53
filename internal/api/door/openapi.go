package door

import (
	"encoding/json"
	"net/http"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/belayhq/belay"
	"github.com/belayhq/belay/internal/api/doc"
	"github.com/belayhq/belay/internal/jsonapi"
	"github.com/belayhq/belay/internal/openapi"
	"github.com/belayhq/belay/internal/web"
)

// prefix is what the paths of most routes begin with.
const prefix = "/api/v2"

// OpenAPI is the description of the API, made from the tables of routes and attributes.
func (a *Door) OpenAPI() []byte { return a.described() }

// ServeOpenAPI gives the description to whoever asks.
func (a *Door) ServeOpenAPI(r *Request) error {
	r.Writer.Header().Set("Content-Type", "application/json")
	r.Wrote = true
	_, err := r.Writer.Write(a.OpenAPI())
	return err
}

// describe writes the description. It holds nothing that json can't write.
func (a *Door) describe() []byte {
	d := &doc.Describer{Edition: a.App.Edition(), Components: map[string]*openapi.Schema{}}
	document := openapi.Document{
		OpenAPI: "3.1.0",
		Info:    openapi.Info{Title: "Belay", Version: "2.6", Description: "Workspaces, their state and all around them. Bodies and answers are JSON:API documents."},
		Paths:   map[string]map[string]*openapi.Operation{},
		Components: openapi.Components{
			Schemas:         d.Components,
			Responses:       map[string]*openapi.Response{},
			SecuritySchemes: map[string]openapi.SecurityScheme{"token": {Type: "http", Scheme: "bearer"}},
		},
	}
	taken := map[string]bool{}
	for _, row := range a.table {
		operation := operationOf(d, row, document.Components.Responses)
		for id := operation.ID; taken[operation.ID]; {
			operation.ID = id + lastParameter(row.Path)
			id = operation.ID
		}
		taken[operation.ID] = true
		if !slices.Contains(document.Tags, openapi.Tag{Name: operation.Tags[0]}) {
			document.Tags = append(document.Tags, openapi.Tag{Name: operation.Tags[0]})
		}
		if document.Paths[row.Path] == nil {
			document.Paths[row.Path] = map[string]*openapi.Operation{}
		}
		document.Paths[row.Path][strings.ToLower(row.Method)] = operation
	}
	slices.SortFunc(document.Tags, func(a, b openapi.Tag) int { return strings.Compare(a.Name, b.Name) }) // not as files are called
	d.Named("Included", func() *openapi.Schema { return openapi.Any(a.included(d)...) })
	text, _ := json.MarshalIndent(document, "", " ")
	return append(text, '\n')
}

// operationOf is the description of a route.
func operationOf(d *doc.Describer, row Route, shared map[string]*openapi.Response) *openapi.Operation {
	operation := &openapi.Operation{
		ID: operationID(row), Summary: row.Does, Tags: []string{row.area()}, Responses: map[string]*openapi.Response{},
	}
	for _, p := range row.parameters() {
		operation.Take(p)
	}
	operation.Security = []map[string][]string{}
	if !row.Open {
		operation.Security = append(operation.Security, map[string][]string{"token": row.roles()})
	}
	success := &openapi.Response{Description: http.StatusText(row.Status)}
	switch {
	case row.JSON != nil:
		success.Content = map[string]openapi.Media{plainJSON: {Schema: row.JSON()}}
	case row.Media != "":
		success.Content = map[string]openapi.Media{row.Media: {Schema: &openapi.Schema{}}}
	case row.Do.Gives != nil && row.Status != http.StatusNoContent:
		gives := row.Do.Gives(d)
		success.Content = map[string]openapi.Media{jsonapi.MediaType: {Schema: gives}}
		if row.Method == http.MethodGet && !slices.Contains(gives.Properties["data"].Type, "array") { // see tagged
			operation.Responses[strconv.Itoa(http.StatusNotModified)] = &openapi.Response{Description: http.StatusText(http.StatusNotModified)}
		}
	}
	operation.Responses[strconv.Itoa(row.Status)] = success
	if row.Grants {
		for _, status := range []int{http.StatusBadRequest, http.StatusUnauthorized} {
			operation.Responses[strconv.Itoa(status)] = &openapi.Response{Description: http.StatusText(status), Content: map[string]openapi.Media{
				jsonapi.MediaType: errorsOf(d), plainJSON: {Schema: openapi.Of[GrantRefusal]()},
			}}
		}
	}
	if row.Do.Takes != nil {
		is := row.Do.Takes(d)
		example := openapi.Example(is, func(ref string) *openapi.Schema { return d.Components[ref[strings.LastIndex(ref, "/")+1:]] })
		operation.Body = &openapi.Body{Content: map[string]openapi.Media{jsonapi.MediaType: {Schema: is, Example: example}}}
	}
	for _, kind := range row.errors() {
		status := strconv.Itoa(web.Status(kind))
		if shared[status] == nil {
			shared[status] = &openapi.Response{
				Description: belay.Refuse(kind, "").Title,
				Content:     map[string]openapi.Media{jsonapi.MediaType: errorsOf(d)},
			}
		}
		if operation.Responses[status] == nil {
			operation.Responses[status] = &openapi.Response{Ref: "#/components/responses/" + status}
		}
	}
	return operation
}

// errors is the kinds of refusal that a route may answer with: those of every route, those
// of its form, and its own.
func (row *Route) errors() []belay.Kind {
	kinds := append([]belay.Kind{belay.BadRequest, belay.TooMany, belay.Internal, belay.NotReady}, row.Refuses...)
	if !row.Open {
		kinds = append(kinds, belay.Unauthenticated, belay.NotFound)
	}
	if row.Do.Takes != nil {
		kinds = append(kinds, belay.Invalid)
		if endsIn(row.Path) != "" { // the id in the body
			kinds = append(kinds, belay.Conflict)
		}
	}
	if row.Method != http.MethodGet && row.Raw == nil { // whatever comes as a body is read
		kinds = append(kinds, belay.TooLarge, belay.MediaType, belay.Invalid)
	}
	switch {
	case row.Method == http.MethodPatch || row.Method == http.MethodPut || row.Method == http.MethodDelete: // If-Match
		kinds = append(kinds, belay.Precondition)
	case row.Keyed(): // Idempotency-Key
		kinds = append(kinds, belay.Conflict)
	}
	return kinds
}

// errorsOf is the document of a refusal.
func errorsOf(d *doc.Describer) openapi.Media {
	return openapi.Media{Schema: d.Named("Errors", errorsSchema)}
}

func errorsSchema() *openapi.Schema {
	is := openapi.Object().Add("status", openapi.Of[string](), true).Add("title", openapi.Of[string](), true)
	is.Add("detail", openapi.Of[string](), false).Add("meta", &openapi.Schema{Type: openapi.Types{"object"}}, false)
	is.Add("source", openapi.Object().Add("pointer", openapi.Of[string](), true), false)
	return openapi.Object().Add("errors", openapi.List(is), true)
}

var pathParameter = regexp.MustCompile(`\{(\w+)\}`)

// parameters is the parts of the path, and the parameters of the query.
func (row *Route) parameters() (list []openapi.Parameter) {
	for _, part := range pathParameter.FindAllStringSubmatch(row.Path, -1) {
		list = append(list, openapi.Parameter{Name: part[1], In: "path", Required: true, Schema: openapi.Of[string]()})
	}
	for _, name := range append(slices.Clone(row.parameterNames()), row.Do.Query...) {
		is := openapi.Of[string]()
		switch {
		case strings.HasPrefix(name, "page["):
			is = openapi.Of[int]()
		case name == "include":
			is.Description = strings.Join(row.Do.includes, ", ")
		}
		list = append(list, openapi.Parameter{Name: name, In: "query", Schema: is})
	}
	return list
}

// area is the part of the API that a route belongs to: the noun that its path ends in.
func (row *Route) area() string {
	parts := strings.Split(strings.TrimPrefix(strings.TrimPrefix(row.Path, prefix), "/"), "/")
	area := parts[0]
	for _, part := range parts[1:] {
		switch {
		case part == "relationships" || part == "actions":
			return area
		case !strings.HasPrefix(part, "{"):
			area = part
		}
	}
	return area
}

// operationID names a route for programs: getWorkspaceVars, patchWorkspace.
func operationID(row Route) string {
	id := strings.ToLower(row.Method)
	parts := strings.Split(strings.TrimPrefix(strings.TrimPrefix(row.Path, prefix), "/"), "/")
	for i, part := range parts {
		if strings.HasPrefix(part, "{") {
			continue
		}
		if i+1 < len(parts) && strings.HasPrefix(parts[i+1], "{") {
			part = strings.TrimSuffix(part, "s")
		}
		id += openapi.Name(part)
	}
	return id
}

// lastParameter tells routes apart whose names would be one.
func lastParameter(path string) string {
	name := "Again"
	for _, part := range pathParameter.FindAllStringSubmatch(path, -1) {
		name = "By" + openapi.Name(part[1])
	}
	return name
}
