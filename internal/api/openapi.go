package api

import (
	"encoding/json"
	"net/http"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/belayhq/belay"
	"github.com/belayhq/belay/internal/jsonapi"
	"github.com/belayhq/belay/internal/openapi"
)

// OpenAPI is the description of the API, made from the tables of routes and attributes.
func (a *API) OpenAPI() []byte { return a.described() }

// serveOpenAPI gives the description to whoever asks.
func (a *API) serveOpenAPI(r *request) error {
	r.w.Header().Set("Content-Type", "application/json")
	r.wrote = true
	_, err := r.w.Write(a.OpenAPI())
	return err
}

// describe writes the description. It holds nothing that json can't write.
func (a *API) describe() []byte {
	d := &describer{edition: a.App.Edition(), components: map[string]*openapi.Schema{}}
	document := openapi.Document{
		OpenAPI:  "3.1.0",
		Info:     openapi.Info{Title: "Belay", Version: "2.6", Description: "Workspaces, their state and all around them. Bodies and answers are JSON:API documents."},
		Security: []map[string][]string{{"token": {}}},
		Paths:    map[string]map[string]*openapi.Operation{},
		Components: openapi.Components{
			Schemas:         d.components,
			Responses:       map[string]*openapi.Response{},
			SecuritySchemes: map[string]openapi.SecurityScheme{"token": {Type: "http", Scheme: "bearer"}},
		},
	}
	taken := map[string]bool{}
	for _, row := range a.routes() {
		if !d.edition.Offers(row.feature) {
			continue
		}
		operation := d.operation(row, document.Components.Responses)
		for id := operation.ID; taken[operation.ID]; {
			operation.ID = id + lastParameter(row.path)
			id = operation.ID
		}
		taken[operation.ID] = true
		if !slices.Contains(document.Tags, openapi.Tag{Name: operation.Tags[0]}) {
			document.Tags = append(document.Tags, openapi.Tag{Name: operation.Tags[0]})
		}
		if document.Paths[row.path] == nil {
			document.Paths[row.path] = map[string]*openapi.Operation{}
		}
		document.Paths[row.path][strings.ToLower(row.method)] = operation
	}
	d.named("Included", func() *openapi.Schema { return openapi.Any(d.includable()...) })
	text, _ := json.MarshalIndent(document, "", " ")
	return append(text, '\n')
}

// includable is what a document may hold beside its data.
func (d *describer) includable() []*openapi.Schema {
	return []*openapi.Schema{
		organizations.shown(d), projects.shown(d), workspaces.shown(d), publicUsers.shown(d), memberUsers.shown(d), users.shown(d),
		teams.shown(d), memberships.shown(d), agentPools.shown(d), effectiveTagBindings.shown(d), stateVersions.shown(d),
		workspaceOutputs.shown(d), outputs.shown(d), variables.shown(d), oauthTokens.shown(d), plans.shown(d),
		entitlementSets.shown(d), subscriptions.shown(d), configurations.shown(d), ingresses.shown(d), readmes.shown(d), assessments.shown(d),
		runDocuments.shown(d), planDocuments.shown(d), applyDocuments.shown(d), runEvents.shown(d), comments.shown(d),
	}
}

// operation is the description of a route.
func (d *describer) operation(row route, shared map[string]*openapi.Response) *openapi.Operation {
	operation := &openapi.Operation{
		ID: operationID(row), Summary: row.does, Tags: []string{row.area()}, Responses: map[string]*openapi.Response{},
	}
	for _, p := range row.parameters() {
		operation.Take(p)
	}
	if row.open {
		operation.Security = &[]map[string][]string{}
	}
	success := &openapi.Response{Description: http.StatusText(row.status)}
	switch {
	case row.media != "":
		success.Content = map[string]openapi.Media{row.media: {Schema: &openapi.Schema{}}}
	case row.do.gives != nil && row.status != noContent:
		gives := row.do.gives(d)
		success.Content = map[string]openapi.Media{jsonapi.MediaType: {Schema: gives}}
		if row.method == get && !slices.Contains(gives.Properties["data"].Type, "array") { // see tagged
			operation.Responses[strconv.Itoa(http.StatusNotModified)] = &openapi.Response{Description: http.StatusText(http.StatusNotModified)}
		}
	}
	operation.Responses[strconv.Itoa(row.status)] = success
	if row.do.takes != nil {
		is := row.do.takes(d)
		example := openapi.Example(is, func(ref string) *openapi.Schema { return d.components[ref[strings.LastIndex(ref, "/")+1:]] })
		operation.Body = &openapi.Body{Content: map[string]openapi.Media{jsonapi.MediaType: {Schema: is, Example: example}}}
	}
	for _, kind := range row.errors() {
		status := strconv.Itoa(statuses[kind])
		if shared[status] == nil {
			shared[status] = &openapi.Response{
				Description: belay.Refuse(kind, "").Title,
				Content:     map[string]openapi.Media{jsonapi.MediaType: {Schema: d.named("Errors", errorsSchema)}},
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
func (row *route) errors() []belay.Kind {
	kinds := append([]belay.Kind{belay.BadRequest, belay.TooMany, belay.Internal, belay.NotReady}, row.refuses...)
	if !row.open {
		kinds = append(kinds, belay.Unauthenticated, belay.NotFound)
	}
	if row.do.takes != nil {
		kinds = append(kinds, belay.Invalid)
		if endsIn(row.path) != "" { // the id in the body
			kinds = append(kinds, belay.Conflict)
		}
	}
	if row.method != get && row.raw == nil { // whatever comes as a body is read
		kinds = append(kinds, belay.TooLarge, belay.MediaType, belay.Invalid)
	}
	switch {
	case row.method == patchM || row.method == put || row.method == del: // If-Match
		kinds = append(kinds, belay.Precondition)
	case row.keyed(): // Idempotency-Key
		kinds = append(kinds, belay.Conflict)
	}
	return kinds
}

func errorsSchema() *openapi.Schema {
	is := openapi.Object().Add("status", openapi.Of[string](), true).Add("title", openapi.Of[string](), true)
	is.Add("detail", openapi.Of[string](), false).Add("meta", &openapi.Schema{Type: openapi.Types{"object"}}, false)
	is.Add("source", openapi.Object().Add("pointer", openapi.Of[string](), true), false)
	return openapi.Object().Add("errors", openapi.List(is), true)
}

var pathParameter = regexp.MustCompile(`\{(\w+)\}`)

// parameters is the parts of the path, and the parameters of the query.
func (row *route) parameters() (list []openapi.Parameter) {
	for _, part := range pathParameter.FindAllStringSubmatch(row.path, -1) {
		list = append(list, openapi.Parameter{Name: part[1], In: "path", Required: true, Schema: openapi.Of[string]()})
	}
	for _, name := range append(slices.Clone(row.parameterNames()), row.do.query...) {
		is := openapi.Of[string]()
		switch {
		case strings.HasPrefix(name, "page["):
			is = openapi.Of[int]()
		case name == "include":
			is.Description = strings.Join(row.do.includes, ", ")
		}
		list = append(list, openapi.Parameter{Name: name, In: "query", Schema: is})
	}
	return list
}

// area is the part of the API that a route belongs to: the noun that its path ends in.
func (row *route) area() string {
	parts := strings.Split(strings.TrimPrefix(strings.TrimPrefix(row.path, v2), "/"), "/")
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
func operationID(row route) string {
	id := strings.ToLower(row.method)
	parts := strings.Split(strings.TrimPrefix(strings.TrimPrefix(row.path, v2), "/"), "/")
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
