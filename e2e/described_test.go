package e2e_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"regexp"
	"strconv"
	"strings"
	"sync"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

// descriptionURL is what the schemas of docs/openapi.json are called here.
const descriptionURL = "https://belay.test/openapi.json"

// described holds every answer that a test receives against docs/openapi.json: a property
// that is wrong or missing, or a status that the route does not name, fails the tests. It
// stands in front of the transport of all clients.
type described struct {
	next     http.RoundTripper
	routes   []describedRoute
	compiler *jsonschema.Compiler
	schemas  sync.Map // pointer → *jsonschema.Schema

	compiling sync.Mutex // the compiler is for one at a time
	*complaints

	others sync.Map // host → *described, of servers that offer less
}

// complaints are what was wrong, of a description and of those of servers that offer less.
type complaints struct {
	mu     sync.Mutex
	broken map[string]string // route and status → what was wrong first
}

// The media that are held against their schemas.
const documentMedia, jsonMedia = "application/vnd.api+json", "application/json"

func compact(raw []byte) []byte {
	var b bytes.Buffer
	_ = json.Compact(&b, raw) // it was read before
	return b.Bytes()
}

// description is the one in front of every client.
var description *described

// describedRoute is one route of the document.
type describedRoute struct {
	path    *regexp.Regexp
	fixed   int // characters that are no parameter: of two that match, the one with more is meant
	name    string
	methods map[string]map[string]json.RawMessage // method → responses
}

// describe puts the description in front of every client of the package.
func describe(raw []byte) (*described, error) {
	whole, err := jsonschema.UnmarshalJSON(bytes.NewReader(raw))
	if err != nil {
		return nil, err
	}
	d := &described{next: http.DefaultTransport, compiler: jsonschema.NewCompiler(), complaints: &complaints{broken: map[string]string{}}}
	d.compiler.DefaultDraft(jsonschema.Draft2020)
	d.compiler.AssertFormat()
	if err := d.compiler.AddResource(descriptionURL, whole); err != nil {
		return nil, err
	}
	var document struct {
		Paths map[string]map[string]struct {
			Responses map[string]json.RawMessage
		}
	}
	if err := json.Unmarshal(raw, &document); err != nil {
		return nil, err
	}
	parameter := regexp.MustCompile(`\\\{\w+\\\}`)
	for path, methods := range document.Paths {
		pattern := parameter.ReplaceAllString(regexp.QuoteMeta(path), `[^/]+`)
		route := describedRoute{
			path: regexp.MustCompile("^" + pattern + "$"), name: path, methods: map[string]map[string]json.RawMessage{},
			fixed: len(regexp.MustCompile(`\{\w+\}`).ReplaceAllString(path, "")),
		}
		for method, operation := range methods {
			route.methods[strings.ToUpper(method)] = operation.Responses
		}
		d.routes = append(d.routes, route)
	}
	return d, nil
}

// RoundTrip holds the answer against its description, and hands it on as it is.
func (d *described) RoundTrip(request *http.Request) (*http.Response, error) {
	return d.through(d.next, request)
}

// held is a transport of a client's own, whose answers are held against the description too.
type held struct{ *http.Transport }

func (h held) RoundTrip(request *http.Request) (*http.Response, error) {
	return description.through(h.Transport, request)
}

func (d *described) through(next http.RoundTripper, request *http.Request) (*http.Response, error) {
	answer, err := next.RoundTrip(request)
	if err != nil || answer.Header.Get("Tfp-Appname") != "Belay" || request.Method == http.MethodHead {
		return answer, err
	}
	var raw []byte
	media, _, _ := strings.Cut(answer.Header.Get("Content-Type"), ";")
	if media == documentMedia || media == jsonMedia {
		raw, err = io.ReadAll(answer.Body)
		if err != nil {
			return answer, err
		}
		_ = answer.Body.Close()
		answer.Body = io.NopCloser(bytes.NewReader(raw))
	}
	if other, smaller := d.others.Load(request.URL.Host); smaller {
		d = other.(*described)
	}
	d.check(request.Method, request.URL.EscapedPath(), answer.StatusCode, media, raw)
	return answer, nil
}

// check holds the status and the document of an answer; one without a document has nil.
func (d *described) check(method, path string, status int, media string, raw []byte) {
	route := d.find(method, path)
	if route == nil {
		if status != http.StatusNotFound {
			d.complain(method+" "+path, "is not described")
		}
		return
	}
	name := method + " " + route.name + " " + strconv.Itoa(status)
	if _, named := route.methods[method][strconv.Itoa(status)]; !named {
		d.complain(name, "the route does not name this status: add the kind of refusal to refuses in its row: "+string(raw))
		return
	}
	if raw == nil {
		return
	}
	schema, err := d.schema(route, method, status, media)
	if schema == nil && err == nil {
		return // it is nobody's to describe
	}
	if err != nil {
		d.complain(name, err.Error())
		return
	}
	value, err := jsonschema.UnmarshalJSON(bytes.NewReader(raw))
	if err != nil {
		d.complain(name, err.Error())
		return
	}
	if err := schema.Validate(value); err != nil {
		d.complain(name, fmt.Sprintf("%v\n%s", err, raw))
	}
}

// offersLess takes the description of a server of a smaller edition from itself.
func (d *described) offersLess(url string) error {
	answer, err := http.Get(url + "/api/v2/openapi.json")
	if err != nil {
		return err
	}
	defer func() { _ = answer.Body.Close() }()
	raw, err := io.ReadAll(answer.Body)
	if err != nil {
		return err
	}
	other, err := describe(raw)
	if err == nil {
		other.complaints = d.complaints
		d.others.Store(answer.Request.URL.Host, other)
	}
	return err
}

// offersAll forgets what an earlier server at this address offered: ports are used again.
func (d *described) offersAll(url string) {
	_, host, _ := strings.Cut(url, "://")
	d.others.Delete(host)
}

// find is the route that serves a path: the one with the most of it fixed. A slash at its end
// changes nothing.
func (d *described) find(method, path string) (found *describedRoute) {
	path = strings.TrimSuffix(path, "/")
	for i := range d.routes {
		if r := &d.routes[i]; r.methods[method] != nil && r.path.MatchString(path) && (found == nil || r.fixed > found.fixed) {
			found = r
		}
	}
	return found
}

// schema is what a route answers with a status, compiled once; nil: JSON that may be anything.
func (d *described) schema(route *describedRoute, method string, status int, media string) (*jsonschema.Schema, error) {
	code := strconv.Itoa(status)
	at := "#/paths/" + strings.NewReplacer("~", "~0", "/", "~1").Replace(route.name) + "/" + strings.ToLower(method) + "/responses/" + code
	if bytes.Contains(route.methods[method][code], []byte(`"#/components/responses/`)) {
		at = "#/components/responses/" + code
	} else if media == jsonMedia {
		told := compact(route.methods[method][code])
		if bytes.Contains(told, []byte(`"application/json":{"schema":{}}`)) || bytes.Contains(told, []byte(`"application/octet-stream":`)) {
			return nil, nil
		}
	}
	at += "/content/" + strings.ReplaceAll(media, "/", "~1") + "/schema"
	if compiled, there := d.schemas.Load(at); there {
		return compiled.(*jsonschema.Schema), nil
	}
	d.compiling.Lock()
	compiled, err := d.compiler.Compile(descriptionURL + at)
	d.compiling.Unlock()
	if err == nil {
		d.schemas.Store(at, compiled)
	}
	return compiled, err
}

// complain keeps the first thing that was wrong with each answer of a route.
func (d *complaints) complain(name, problem string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if _, known := d.broken[name]; !known {
		d.broken[name] = problem
	}
}

// report says what was wrong.
func (d *complaints) report(to io.Writer) (broken int) {
	d.mu.Lock()
	defer d.mu.Unlock()
	for name, problem := range d.broken {
		if len(problem) > 3000 {
			problem = problem[:3000] + "…"
		}
		_, _ = fmt.Fprintf(to, "docs/openapi.json does not tell the truth of %s: %s\n", name, problem)
	}
	return len(d.broken)
}
