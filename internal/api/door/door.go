// Package door is the way in for programs: requests, the rows of the table of routes, what a
// route does, conditions, repetition, limits, the one answer to errors, and the description of
// it all. It knows no noun, and never decides who may.
package door

import (
	"cmp"
	"context"
	"errors"
	"io"
	"log/slog"
	"math"
	"mime"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"
	"unicode/utf8"

	"github.com/go-chi/chi/v5"

	"github.com/belayhq/belay"
	"github.com/belayhq/belay/internal/api/doc"
	"github.com/belayhq/belay/internal/app"
	"github.com/belayhq/belay/internal/jsonapi"
	"github.com/belayhq/belay/internal/openapi"
	"github.com/belayhq/belay/internal/throttle"
	"github.com/belayhq/belay/internal/trace"
	"github.com/belayhq/belay/internal/web"
	"github.com/belayhq/belay/site"
)

// maxDocument is the most bytes that a document in a request may have.
const maxDocument = 1 << 20

// Config is what the door is built on.
type Config struct {
	App       *app.App
	Log       *slog.Logger
	PublicURL string // what links carry; taken from the request when empty
	Observe   func(route string, status int, took time.Duration)
}

// Door answers requests by its routes.
type Door struct {
	Config
	limits *throttle.Limits
	tokens whose
	given  whose // addresses
	table  []Route
	shows  map[string]Route // what GET does, by path: for conditional requests
	router *chi.Mux

	included  func(*doc.Describer) []*openapi.Schema // what a document may hold beside its data
	described func() []byte                          // the OpenAPI document, made when it is first asked for
}

// New builds the door from the table of routes. included is the schemas of what documents
// may include.
func New(c Config, table []Route, included func(*doc.Describer) []*openapi.Schema) *Door {
	if c.Log == nil {
		c.Log = slog.New(slog.DiscardHandler)
	}
	a := &Door{Config: c, limits: throttle.New(c.App.RateLimit(), int(math.Ceil(c.App.RateLimit())), c.App.Now), tokens: newWhose(mostTokens), given: newWhose(mostAddresses), router: chi.NewRouter(), shows: map[string]Route{}, included: included}
	a.described = sync.OnceValue(a.describe)
	for _, r := range table {
		if !c.App.Edition().Offers(r.Feature) {
			continue
		}
		a.table = append(a.table, r)
		a.router.Method(r.Method, r.Path, a.handle(r))
		if r.Method == http.MethodGet {
			a.shows[r.Path] = r
			a.router.Method(http.MethodHead, r.Path, a.handle(r))
		}
	}
	a.router.NotFound(a.unknown)
	a.router.MethodNotAllowed(a.unknown)
	return a
}

// ServeHTTP answers a request. A slash at the end of its path means nothing.
func (a *Door) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if len(r.URL.Path) > 1 && strings.HasSuffix(r.URL.Path, "/") {
		r = r.Clone(r.Context())
		r.URL.Path, r.URL.RawPath = strings.TrimRight(r.URL.Path, "/"), strings.TrimRight(r.URL.RawPath, "/")
	}
	a.router.ServeHTTP(w, r)
}

// Route is one row of the table: what is asked, what success answers, and what does it.
type Route struct {
	Method, Path string
	Status       int
	Do           Action

	Raw     func(*Request) error                                          // instead of do: reads and writes bytes that are no document
	Limit   int64                                                         // the most bytes of a document in a request; 0: maxDocument
	Streams bool                                                          // do reads the body itself, as a stream
	Still   func(ctx context.Context, s belay.Principal, id string) error // of streams: whether one may see what was made
	Needs   belay.Permission                                              // the least that it asks for; what it asks besides is the verb's (docs/permissions.md)
	By      By                                                            // whose token it must be
	Open    bool                                                          // needs no token
	Runs    bool                                                          // is there for the tokens of runs too; all else is hidden from them
	Creates bool                                                          // makes something, though its success is not "created"
	Filters []string                                                      // the filters that it takes, or that clients send to it; * stands for any text
	Feature site.Feature                                                  // what an edition must offer
	Does    string                                                        // what it does, in plain words
	Query   []string                                                      // the parameters of the query that it reads; no other reaches it
	Refuses []belay.Kind                                                  // the errors that its form does not tell of
	Glance  func(*Request) belay.WorkspaceRef                             // of what shows one: it may be seen together with who asks
	Lists   func(*Request) string                                         // of what asks for workspaces of an organization: its name; both may be seen together with who asks
	Media   string                                                        // of the answer, where it is neither a document nor described by JSON
	JSON    func() *openapi.Schema                                        // of an answer that is JSON and no document; nil: it is nobody's to describe
	Grants  bool                                                          // refuses in the words of RFC 6749 too
}

// Request is one request on its way through a handler.
type Request struct {
	*http.Request
	Door      *Door
	Writer    http.ResponseWriter
	Principal belay.Principal
	Edition   site.Edition
	Document  []byte         // the body, where it was read whole
	Meta      jsonapi.Object // what a list tells beside its pages
	reads     []string       // the parameters that the route names
	Limit     int64          // the most bytes that the document may have
	Status    int            // what success answers; a handler may change it
	Wrote     bool
	at        string         // the path of its route
	writes    bool           // in a transaction that is open: others may wait for it, and it for no turn
	loose     bool           // what stands in the attributes may stand in data, too
	Shape     belay.Problems // what is wrong with the shape of the body, told with what the rules say
}

// Param is a part of the path, decoded.
func (r *Request) Param(name string) string { return pathParam(r.Request, name) }

// Query is the parameters that the route names: a handler can't read others, so that the
// description of the route is true.
func (r *Request) Query() url.Values {
	q := r.URL.Query()
	for name := range q {
		if !slices.ContainsFunc(r.reads, func(known string) bool { return means(known, name) }) {
			delete(q, name)
		}
	}
	return q
}

// Page is the page that the query asks for.
func (r *Request) Page() belay.Page { return belay.Page(jsonapi.ParsePage(r.URL.Query())) }

// handle is the one way in and out: token, limit, body, handler, answer.
func (a *Door) handle(row Route) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, hr *http.Request) {
		start := time.Now()
		id := belay.RequestID(hr.Header.Get("X-Request-Id"))
		hr, span := trace.Serve(hr, row.Method, row.Path)
		if hr.Method != http.MethodGet && hr.Method != http.MethodHead { // which leave no event
			hr = hr.WithContext(app.WithRequest(hr.Context(), id))
		}
		r := &Request{Request: hr, Door: a, Edition: a.App.Edition(), Writer: w, Status: row.Status, Limit: cmp.Or(row.Limit, maxDocument), reads: row.parameterNames(), at: row.Path}
		head := w.Header()
		head.Set("X-Request-Id", id)
		head.Set("TFP-API-Version", "2.6")
		head.Set("TFP-AppName", "Belay")
		var document *jsonapi.Document
		err := web.Recovered(func() (err error) {
			document, err = a.admit(r, row)
			return err
		})
		defer r.Yield()
		switch {
		case err != nil:
			r.Yield()
			r.Status = a.Refuse(w, hr, id, err, r.Wrote)
			a.noteRefused(row, r, err)
		case !r.Wrote:
			r.Answer(document)
		}
		a.observe(row, r, id, time.Since(start))
		span.Answered(r.Status, id, r.Principal.ID)
		if err != nil && r.Wrote {
			panic(http.ErrAbortHandler) // the client must see that its answer was cut short
		}
	})
}

func (a *Door) observe(row Route, r *Request, id string, took time.Duration) {
	if a.Observe != nil {
		a.Observe(row.Method+" "+row.Path, r.Status, took)
	}
	a.Log.LogAttrs(r.Context(), slog.LevelInfo, "request",
		slog.String("id", id), slog.String("method", r.Method), slog.String("route", row.Path),
		slog.Int("status", r.Status), slog.Duration("took", took), slog.String("principal", r.Principal.ID))
}

// admit runs the handler for those who may come in.
func (a *Door) admit(r *Request, row Route) (*jsonapi.Document, error) {
	if err := a.identify(r, &row); err != nil {
		return nil, err
	}
	if r.Principal.Kind == belay.RunPrincipal && !row.Runs {
		return nil, belay.ErrNotFound
	}
	if !isText(r.URL) {
		return nil, belay.Refuse(belay.BadRequest, "the address holds what is no text, or a query that can't be read")
	}
	if err := row.checkFilters(r.URL.Query()); err != nil {
		return nil, err
	}
	if row.Raw != nil {
		return nil, row.Raw(r)
	}
	if row.Streams {
		r.bodyInTurns()
	} else {
		if err := r.readBody(); err != nil {
			return nil, err
		}
		if row.Do.lists || len(r.Document) > largeBody {
			if err := r.Turn(); err != nil {
				return nil, err
			}
		}
		if err := r.checkSaid(row); err != nil {
			return nil, err
		}
	}
	r.checkFirst(row)
	if row.Keyed() && r.Header.Get(KeyHeader) != "" {
		return r.once(row)
	}
	return r.do(row)
}

// do runs the handler. What is wrong with the shape of the body is told together with what
// the rules say.
func (r *Request) do(row Route) (*jsonapi.Document, error) {
	document, err := row.Do.Run(r)
	if r.Shape != nil {
		return nil, r.asSpelled(doc.Together(r.Shape, err))
	}
	return document, r.asSpelled(err)
}

// readBody reads the document of a write. Its media type matters only when it has one.
func (r *Request) readBody() error {
	if r.Method == http.MethodGet || r.Method == http.MethodHead || r.Body == nil {
		return nil
	}
	body, err := io.ReadAll(http.MaxBytesReader(r.Writer, r.Body, r.Limit))
	var tooLarge *http.MaxBytesError
	switch {
	case err != nil && belay.KindOf(err) != belay.Internal:
		return err
	case errors.As(err, &tooLarge):
		return r.TooLarge()
	case err != nil:
		return belay.Refuse(belay.BadRequest, "the body could not be read")
	}
	r.Document = body
	if len(body) == 0 {
		return nil
	}
	if !utf8.Valid(body) {
		return belay.Refuse(belay.BadRequest, "the body is not UTF-8")
	}
	return r.CheckMediaType()
}

// checkSaid refuses a document that says what can't be kept as it was said, and one that is none
// where nothing is needed. Where the body is read, all else that is wrong is told with it.
func (r *Request) checkSaid(row Route) error {
	body, err := jsonapi.Faults(r.Document)
	switch {
	case err != nil && row.Do.Takes != nil:
		r.Document = body
		return r.Later(doc.ShapeRefusal(err))
	case err != nil:
		return doc.ShapeRefusal(err)
	case row.Do.Takes == nil && row.Method != http.MethodDelete:
		return r.CheckNothing()
	default:
		return nil
	}
}

// TooLarge is the refusal of a body that is larger than the route lets it be.
func (r *Request) TooLarge() error {
	return belay.Refuse(belay.TooLarge, "the body is larger than %d bytes", r.Limit)
}

// CheckMediaType refuses a document of a media type that is not read.
func (r *Request) CheckMediaType() error {
	kind, _, err := mime.ParseMediaType(r.Header.Get("Content-Type"))
	if err != nil || kind != jsonapi.MediaType && kind != "application/json" {
		return belay.Refuse(belay.MediaType, "send the body as %s", jsonapi.MediaType)
	}
	return nil
}

// buffers hold answers while they are written, so that a page costs no new memory.
var buffers = sync.Pool{New: func() any { return new([]byte) }}

// Answer writes a document, or only the status when there is none.
func (r *Request) Answer(document *jsonapi.Document) {
	if document == nil {
		r.Writer.WriteHeader(r.Status)
		return
	}
	buffer := buffers.Get().(*[]byte) //nolint:forcetypeassert // the pool holds nothing else
	defer buffers.Put(buffer)
	*buffer = document.AppendResting((*buffer)[:0], r.Work().Rest)
	r.Yield()
	if r.tagged(document, *buffer) {
		r.Status = http.StatusNotModified
		r.Writer.WriteHeader(r.Status)
		return
	}
	writeJSON(r.Writer, r.Status, *buffer)
}

func writeJSON(w http.ResponseWriter, status int, raw []byte) {
	head := w.Header()
	head.Set("Content-Type", jsonapi.MediaType)
	head.Set("Content-Length", strconv.Itoa(len(raw)))
	w.WriteHeader(status)
	_, _ = w.Write(raw) // a client that has gone is no fault of ours
}

// unknown answers what no route serves.
func (a *Door) unknown(w http.ResponseWriter, r *http.Request) {
	id := belay.RequestID(r.Header.Get("X-Request-Id"))
	w.Header().Set("X-Request-Id", id)
	a.Refuse(w, r, id, belay.ErrNotFound, false)
}

// BaseURL is the address that clients reach the server by.
func (r *Request) BaseURL() string {
	if r.Door.PublicURL != "" {
		return strings.TrimSuffix(r.Door.PublicURL, "/")
	}
	scheme := "http"
	if r.TLS != nil || r.Header.Get("X-Forwarded-Proto") == "https" {
		scheme = "https"
	}
	return scheme + "://" + r.Host
}

// List is the document of one page of a list.
func (r *Request) List(data []*jsonapi.Resource, total int) *jsonapi.Document {
	if data == nil {
		data = []*jsonapi.Resource{}
	}
	links, meta := jsonapi.Page(r.Page()).Envelope(r.BaseURL()+r.URL.EscapedPath(), r.URL.Query(), total)
	return &jsonapi.Document{Data: data, Links: links, Meta: append(meta, r.Meta...)}
}

// One is the document of one resource.
func One(data *jsonapi.Resource) *jsonapi.Document { return &jsonapi.Document{Data: data} }

// Each makes the resources of a list.
func Each[D any](list []D, resource func(D) *jsonapi.Resource) []*jsonapi.Resource {
	data := make([]*jsonapi.Resource, len(list))
	for i, d := range list {
		data[i] = resource(d)
	}
	return data
}
