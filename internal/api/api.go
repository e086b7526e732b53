// Package api is the door for programs: the one route table, the documents of each
// noun, and the one place that answers errors. It asks app for everything and never
// reaches a database.
package api

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"math"
	"mime"
	"net/http"
	"net/url"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"
	"unicode/utf8"

	"github.com/go-chi/chi/v5"

	"github.com/belayhq/belay"
	"github.com/belayhq/belay/internal/app"
	"github.com/belayhq/belay/internal/configs"
	"github.com/belayhq/belay/internal/jsonapi"
	"github.com/belayhq/belay/internal/repos"
	"github.com/belayhq/belay/internal/runfile"
	"github.com/belayhq/belay/internal/runlog"
	"github.com/belayhq/belay/internal/runs"
	"github.com/belayhq/belay/internal/trace"
	"github.com/belayhq/belay/internal/web"
)

// maxDocument is the most bytes that a document in a request may have.
const maxDocument = 1 << 20

// Config is what the door is built on.
type Config struct {
	App       *app.App
	Configs   *configs.Room // configuration versions
	Runs      *runs.Room
	Logs      *runlog.Room  // of plans and applies
	Files     *runfile.Room // that outlive runs
	Repos     *repos.Room   // that workspaces are connected to
	Log       *slog.Logger
	PublicURL string        // what links carry; taken from the request when empty
	RateLimit float64       // requests a second for each user; 0: no limit
	Snapshots time.Duration // how often a client may bring its state in the middle of an apply; 0: never
	Observe   func(route string, status int, took time.Duration)
}

// API answers requests.
type API struct {
	Config
	limits *limits
	shows  map[string]route // what GET does, by path: for conditional requests
	probes *limits          // of requests that make the server send one
	hooked hookLimits       // of what services tell of repositories
	router *chi.Mux

	described func() []byte // the OpenAPI document, made when it is first asked for
}

// New builds the door from the route table.
func New(c Config) *API {
	if c.Log == nil {
		c.Log = slog.New(slog.DiscardHandler)
	}
	a := &API{Config: c, limits: newLimits(c.RateLimit, int(math.Ceil(c.RateLimit))), probes: newProbeLimits(c.RateLimit), hooked: newHookLimits(c.RateLimit), router: chi.NewRouter(), shows: map[string]route{}}
	a.described = sync.OnceValue(a.describe)
	for _, r := range a.routes() {
		if !c.App.Edition().Offers(r.feature) {
			continue
		}
		a.router.Method(r.method, r.path, a.door(r))
		if r.method == http.MethodGet {
			a.shows[r.path] = r
			a.router.Method(http.MethodHead, r.path, a.door(r))
		}
	}
	a.router.NotFound(a.unknown)
	a.router.MethodNotAllowed(a.unknown)
	return a
}

// ServeHTTP answers a request. A slash at the end of its path means nothing.
func (a *API) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if len(r.URL.Path) > 1 && strings.HasSuffix(r.URL.Path, "/") {
		r = r.Clone(r.Context())
		r.URL.Path, r.URL.RawPath = strings.TrimRight(r.URL.Path, "/"), strings.TrimRight(r.URL.RawPath, "/")
	}
	a.router.ServeHTTP(w, r)
}

// route is one row of the table: what is asked, what success answers, and what does it.
type route struct {
	method, path string
	status       int
	do           action

	raw     func(*request) error // instead of do: reads and writes bytes that are no document
	limit   int64                // the most bytes of a document in a request; 0: maxDocument
	streams bool                 // do reads the body itself, as a stream
	open    bool                 // needs no token
	runs    bool                 // is there for the tokens of runs too; all else is hidden from them
	creates bool                 // makes something, though its success is not "created"
	filters []string             // the filters that it takes, or that clients send to it; * stands for any text
	feature belay.Feature        // what an edition must offer
	does    string               // what it does, in plain words
	query   []string             // the parameters of the query that it reads; no other reaches it
	refuses []belay.Kind         // the errors that its form does not tell of
	media   string               // of the answer, where it is no document
}

// request is one request on its way through a handler.
type request struct {
	*http.Request
	api     *API
	w       http.ResponseWriter
	subject belay.Principal
	body    []byte
	meta    jsonapi.Object // what a list tells beside its pages
	reads   []string       // the parameters that the route names
	limit   int64          // the most bytes that the document may have
	status  int            // what success answers; a handler may change it
	wrote   bool
	at      string         // the path of its route
	loose   bool           // what stands in the attributes may stand in data, too
	shape   belay.Problems // what is wrong with the shape of the body, told with what the rules say
}

// param is a part of the path, decoded.
func (r *request) param(name string) string { return pathParam(r.Request, name) }

// query is the parameters that the route names: a handler can't read others, so that the
// description of the route is true.
func (r *request) query() url.Values {
	q := r.URL.Query()
	for name := range q {
		if !slices.ContainsFunc(r.reads, func(known string) bool { return means(known, name) }) {
			delete(q, name)
		}
	}
	return q
}

// page is the page that the query asks for.
func (r *request) page() belay.Page { return belay.Page(jsonapi.ParsePage(r.URL.Query())) }

// door is the one way in and out: token, limit, body, handler, answer.
func (a *API) door(row route) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, hr *http.Request) {
		start := time.Now()
		id := belay.RequestID(hr.Header.Get("X-Request-Id"))
		hr, span := trace.Serve(hr, row.method, row.path)
		if hr.Method != http.MethodGet && hr.Method != http.MethodHead { // which leave no event
			hr = hr.WithContext(app.WithRequest(hr.Context(), id))
		}
		r := &request{Request: hr, api: a, w: w, status: row.status, limit: cmp.Or(row.limit, maxDocument), reads: row.parameterNames(), at: row.path}
		head := w.Header()
		head.Set("X-Request-Id", id)
		head.Set("TFP-API-Version", "2.6")
		head.Set("TFP-AppName", "Belay")
		document, err := a.admit(r, row)
		switch {
		case err != nil:
			r.status = a.refuse(w, hr, id, err, r.wrote)
		case !r.wrote:
			r.answer(document)
		}
		a.observe(row, r, id, time.Since(start))
		span.Answered(r.status, id, r.subject.ID)
		if err != nil && r.wrote {
			panic(http.ErrAbortHandler) // the client must see that its answer was cut short
		}
	})
}

func (a *API) observe(row route, r *request, id string, took time.Duration) {
	if a.Observe != nil {
		a.Observe(row.method+" "+row.path, r.status, took)
	}
	a.Log.LogAttrs(r.Context(), slog.LevelInfo, "request",
		slog.String("id", id), slog.String("method", r.Method), slog.String("route", row.path),
		slog.Int("status", r.status), slog.Duration("took", took), slog.String("subject", r.subject.ID))
}

// admit runs the handler for those who may come in. A panic becomes an error.
func (a *API) admit(r *request, row route) (document *jsonapi.Document, err error) {
	defer func() {
		if panicked := recover(); panicked != nil {
			err = fmt.Errorf("panic: %v\n%s", panicked, debug.Stack())
		}
	}()
	if err := a.identify(r, row.open); err != nil {
		return nil, err
	}
	if r.subject.Kind == belay.RunPrincipal && !row.runs {
		return nil, belay.ErrNotFound
	}
	if !isText(r.URL) {
		return nil, belay.Refuse(belay.BadRequest, "the address holds what is no text, or a query that can't be read")
	}
	if err := row.checkFilters(r.URL.Query()); err != nil {
		return nil, err
	}
	if row.raw != nil {
		return nil, row.raw(r)
	}
	if !row.streams {
		if err := r.readBody(); err != nil {
			return nil, err
		}
		if err := r.checkSaid(row); err != nil {
			return nil, err
		}
	}
	r.checkFirst(row)
	if row.keyed() && r.Header.Get(keyHeader) != "" {
		return r.once(row)
	}
	return r.do(row)
}

// do runs the handler. What is wrong with the shape of the body is told together with what
// the rules say.
func (r *request) do(row route) (*jsonapi.Document, error) {
	document, err := row.do.run(r)
	if r.shape != nil {
		return nil, r.asSpelled(together(r.shape, err))
	}
	return document, r.asSpelled(err)
}

// identify finds out who asks, and holds back who asks too often.
func (a *API) identify(r *request, open bool) error {
	scheme, token, _ := strings.Cut(r.Header.Get("Authorization"), " ")
	if !strings.EqualFold(scheme, "Bearer") {
		token = ""
	}
	var refusal error
	if !open {
		r.subject, refusal = a.App.Authenticate(r.Context(), strings.TrimSpace(token))
	}
	key := r.subject.ID
	if key == "" {
		key = web.Address(r.Request)
	}
	if err := a.limits.take(key, r.w.Header()); err != nil {
		return err
	}
	return refusal
}

// readBody reads the document of a write. Its media type matters only when it has one.
func (r *request) readBody() error {
	if r.Method == http.MethodGet || r.Method == http.MethodHead || r.Body == nil {
		return nil
	}
	body, err := io.ReadAll(http.MaxBytesReader(r.w, r.Body, r.limit))
	var tooLarge *http.MaxBytesError
	switch {
	case err != nil && belay.KindOf(err) != belay.Internal:
		return err
	case errors.As(err, &tooLarge):
		return r.tooLarge()
	case err != nil:
		return belay.Refuse(belay.BadRequest, "the body could not be read")
	}
	r.body = body
	if len(body) == 0 {
		return nil
	}
	if !utf8.Valid(body) {
		return belay.Refuse(belay.BadRequest, "the body is not UTF-8")
	}
	return r.checkMediaType()
}

// checkSaid refuses a document that says what can't be kept as it was said, and one that is none
// where nothing is needed. Where the body is read, all else that is wrong is told with it.
func (r *request) checkSaid(row route) error {
	body, err := jsonapi.Faults(r.body)
	switch {
	case err != nil && row.do.takes != nil:
		r.body = body
		return r.later(shapeRefusal(err))
	case err != nil:
		return shapeRefusal(err)
	case row.do.takes == nil && row.method != del:
		return r.checkNothing()
	default:
		return nil
	}
}

func (r *request) tooLarge() error {
	return belay.Refuse(belay.TooLarge, "the body is larger than %d bytes", r.limit)
}

// checkMediaType refuses a document of a media type that is not read.
func (r *request) checkMediaType() error {
	kind, _, err := mime.ParseMediaType(r.Header.Get("Content-Type"))
	if err != nil || kind != jsonapi.MediaType && kind != "application/json" {
		return belay.Refuse(belay.MediaType, "send the body as %s", jsonapi.MediaType)
	}
	return nil
}

// buffers hold answers while they are written, so that a page costs no new memory.
var buffers = sync.Pool{New: func() any { return new([]byte) }}

// answer writes a document, or only the status when there is none.
func (r *request) answer(document *jsonapi.Document) {
	if document == nil {
		r.w.WriteHeader(r.status)
		return
	}
	buffer := buffers.Get().(*[]byte) //nolint:forcetypeassert // the pool holds nothing else
	defer buffers.Put(buffer)
	*buffer = document.Append((*buffer)[:0])
	if r.tagged(document, *buffer) {
		r.status = http.StatusNotModified
		r.w.WriteHeader(r.status)
		return
	}
	writeJSON(r.w, r.status, *buffer)
}

func writeJSON(w http.ResponseWriter, status int, raw []byte) {
	head := w.Header()
	head.Set("Content-Type", jsonapi.MediaType)
	head.Set("Content-Length", strconv.Itoa(len(raw)))
	w.WriteHeader(status)
	_, _ = w.Write(raw) // a client that has gone is no fault of ours
}

// unknown answers what no route serves.
func (a *API) unknown(w http.ResponseWriter, r *http.Request) {
	id := belay.RequestID(r.Header.Get("X-Request-Id"))
	w.Header().Set("X-Request-Id", id)
	a.refuse(w, r, id, belay.ErrNotFound, false)
}

// baseURL is the address that clients reach the server by.
func (r *request) baseURL() string {
	if r.api.PublicURL != "" {
		return strings.TrimSuffix(r.api.PublicURL, "/")
	}
	scheme := "http"
	if r.TLS != nil || r.Header.Get("X-Forwarded-Proto") == "https" {
		scheme = "https"
	}
	return scheme + "://" + r.Host
}

// list is the document of one page of a list.
func (r *request) list(data []*jsonapi.Resource, total int) *jsonapi.Document {
	if data == nil {
		data = []*jsonapi.Resource{}
	}
	links, meta := jsonapi.Page(r.page()).Envelope(r.baseURL()+r.URL.EscapedPath(), r.URL.Query(), total)
	return &jsonapi.Document{Data: data, Links: links, Meta: append(meta, r.meta...)}
}

// one is the document of one resource.
func one(data *jsonapi.Resource) *jsonapi.Document { return &jsonapi.Document{Data: data} }

// each makes the resources of a list.
func each[D any](list []D, resource func(D) *jsonapi.Resource) []*jsonapi.Resource {
	data := make([]*jsonapi.Resource, len(list))
	for i, d := range list {
		data[i] = resource(d)
	}
	return data
}
