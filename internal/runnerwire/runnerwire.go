// Package runnerwire is the door for runners: it turns the calls of /api/runner/v1 into
// verbs of runs, and what they carry into files and logs. Which call answers what stands
// in the run package, which both ends share.
//
// It decides nothing: a call is let in by its token, and the verbs say the rest.
package runnerwire

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"maps"
	"net"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/belayhq/belay"
	"github.com/belayhq/belay/internal/runs"
	"github.com/belayhq/belay/internal/trace"
	"github.com/belayhq/belay/internal/web"
	"github.com/belayhq/belay/run"
)

// Config is what the door is built on.
type Config struct {
	Runs           *runs.Room
	States         States
	Configurations Configurations
	Files          Files
	Logs           Logs
	Fetches        Fetches // nil: runners fetch nothing
	// Pool is the pool that a token registers runners of: '' is the server's own. It is
	// belay.ErrUnauthenticated for any other token.
	Pool func(ctx context.Context, token string) (pool, tokenID string, err error)
	// Ending is closed when the server stops: calls that wait for something end.
	Ending <-chan struct{}
	Log    *slog.Logger // nil: nothing is logged
}

// States keeps the states of workspaces.
type States interface {
	// BringState makes what a run brings the next state of its workspace.
	BringState(ctx context.Context, s belay.Principal, r io.Reader) (id string, err error)
	OpenState(ctx context.Context, id string) (io.ReadCloser, belay.StateFile, error)
}

// Configurations hands out the archives that runs plan.
type Configurations interface {
	Open(ctx context.Context, id string) (run.ConfigurationVersion, io.ReadCloser, error)
}

// Files keeps what else runners bring, and hands it out again.
type Files interface {
	// Put takes a file of a run. fresh is false when the very same bytes were there.
	Put(ctx context.Context, r *run.Run, kind run.FileKind, sha256 string, from io.Reader) (answer run.FileAnswer, fresh bool, err error)
	// Open opens a file of a run; belay.ErrNotFound when it is not there.
	Open(ctx context.Context, r *run.Run, kind run.FileKind) (io.ReadCloser, run.JobFile, error)
}

// Logs takes what engines print.
type Logs interface {
	// Append takes bytes of a log, as it was read a moment ago, from a place on. taken is false
	// when that is not where the log ends: the answer says where it does.
	Append(l *run.Log, from int64, data []byte) (answer run.LogAnswer, taken bool, err error)
}

// The most bytes of one call.
const (
	maxCall     = 1 << 20
	maxWords    = 64 << 10 // of what a runner says of itself, which is kept
	maxLogPiece = 1 << 20
)

// Door answers runners.
type Door struct {
	Config
	mux *http.ServeMux
}

// New builds the door.
func New(c Config) *Door {
	if c.Log == nil {
		c.Log = slog.New(slog.DiscardHandler)
	}
	d := &Door{Config: c, mux: http.NewServeMux()}
	for pattern, handle := range d.calls() {
		method, path, _ := strings.Cut(pattern, " ")
		d.mux.HandleFunc(method+" "+run.WirePath+path, func(w http.ResponseWriter, r *http.Request) {
			r, span := trace.Serve(r, method, run.WirePath+path)
			c := &call{Request: r, w: w}
			defer func() { span.Answered(c.status, "", "") }()
			d.serve(c, handle)
		})
	}
	d.mux.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) {
		d.serve(&call{Request: r, w: w}, func(*call) error { return belay.ErrNotFound })
	})
	return d
}

// calls is all that runners may call.
func (d *Door) calls() map[string]func(*call) error {
	return map[string]func(*call) error{
		"POST /register":              d.register,
		"POST /claim":                 d.claim,
		"POST /heartbeat":             d.heartbeat,
		"GET /orders":                 d.orders,
		"POST /exit":                  d.exit,
		"POST /jobs/{id}/start":       d.start,
		"GET /jobs/{id}/about":        d.about,
		"POST /jobs/{id}/step":        d.step,
		"POST /jobs/{id}/end":         d.end,
		"POST /jobs/{id}/finish":      d.finish,
		"PUT /jobs/{id}/files/{kind}": d.putFile,
		"GET /jobs/{id}/files/{kind}": d.getFile,
		"PATCH /logs/{id}":            d.patchLog,
		"POST /fetches/claim":         d.claimFetch,
		"POST /fetches/{id}/renew":    d.renewFetch,
		"POST /fetches/{id}/fail":     d.failFetch,
		"PUT /fetches/{id}/archive":   d.putFetch,
	}
}

// Calls names them, by method and path below run.WirePath.
func (d *Door) Calls() []string { return slices.Sorted(maps.Keys(d.calls())) }

// ServeHTTP answers a call.
func (d *Door) ServeHTTP(w http.ResponseWriter, r *http.Request) { d.mux.ServeHTTP(w, r) }

// call is one call on its way.
type call struct {
	*http.Request
	w      http.ResponseWriter
	token  string
	status int // of the answer, once it has begun
}

func (d *Door) serve(c *call, handle func(*call) error) {
	w, r := c.w, c.Request
	w.Header().Set(run.ProtocolHeader, strconv.Itoa(run.Protocol))
	w.Header().Set("Cache-Control", "no-store") // specifications hold secrets
	if scheme, token, _ := strings.Cut(r.Header.Get("Authorization"), " "); strings.EqualFold(scheme, "Bearer") {
		c.token = strings.TrimSpace(token)
	}
	if spoken := r.Header.Get(run.ProtocolHeader); spoken != strconv.Itoa(run.Protocol) {
		writeError(w, http.StatusUpgradeRequired, "upgrade required",
			fmt.Sprintf("the server speaks protocol %d, the runner %q: use a runner of the server's version", run.Protocol, spoken))
		return
	}
	err := web.Recovered(func() error {
		if !web.IsText(c.URL.Path) { // no id has a NUL, or what is no UTF-8
			return belay.ErrNotFound
		}
		return handle(c)
	})
	if err == nil {
		return
	}
	status, title, detail := describe(err)
	if status == http.StatusInternalServerError && r.Context().Err() == nil { // or the runner has gone
		d.Log.ErrorContext(r.Context(), "call of a runner failed", "method", r.Method, "path", r.URL.Path, "error", err)
	}
	if c.status != 0 {
		panic(http.ErrAbortHandler) // the runner must see that its answer was cut short
	}
	c.status = status
	writeError(w, status, title, detail)
}

func describe(err error) (status int, title, detail string) {
	status = web.Status(belay.KindOf(err))
	var one *belay.Error
	var many belay.Problems
	if errors.As(err, &many) && len(many) > 0 {
		one = many[0]
	}
	if status == http.StatusInternalServerError || one == nil && !errors.As(err, &one) {
		return http.StatusInternalServerError, "internal server error", ""
	}
	if one.Kind == belay.Precondition { // as runners were always told
		status = http.StatusUnprocessableEntity
	}
	return status, one.Title, one.Detail
}

func writeError(w http.ResponseWriter, status int, title, detail string) {
	type refusal struct {
		Status string `json:"status"`
		Title  string `json:"title"`
		Detail string `json:"detail,omitempty"`
	}
	write(w, status, map[string][]refusal{"errors": {{strconv.Itoa(status), title, detail}}})
}

func write(w http.ResponseWriter, status int, answer any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(answer) // a runner that has gone is no fault of ours
}

// answer writes an answer, or nothing but the status.
func (c *call) answer(status int, answer any) error {
	c.status = status
	if answer == nil {
		c.w.WriteHeader(status)
		return nil
	}
	write(c.w, status, answer)
	return nil
}

// host is where a call comes from.
func (c *call) host() string {
	host, _, err := net.SplitHostPort(c.RemoteAddr)
	if err != nil {
		return c.RemoteAddr
	}
	return host
}

func (d *Door) register(c *call) error {
	var in run.Registration
	if strings.HasPrefix(c.token, runs.LeasePrefix) {
		if err := c.readAtMost(maxWords, &in); err != nil {
			return err
		}
		answer, err := d.Runs.RegisterForJob(c.Context(), c.token, c.host(), in)
		if err != nil {
			return err
		}
		return c.answer(http.StatusCreated, answer)
	}
	pool, tokenID, err := d.Pool(c.Context(), c.token)
	if err != nil {
		return err
	}
	if err := c.readAtMost(maxWords, &in); err != nil {
		return err
	}
	answer, err := d.Runs.Register(c.Context(), pool, tokenID, c.host(), in)
	if err != nil {
		return err
	}
	return c.answer(http.StatusCreated, answer)
}

func (d *Door) claim(c *call) error {
	var in run.Claim
	wrong := c.readAtMost(maxWords, &in) // which whoever is no runner does not hear
	if wrong == nil && !d.ends() {
		if got, taken := d.Runs.ClaimAtOnce(c.Context(), c.token, in); taken {
			return c.answer(http.StatusOK, got)
		}
	}
	runner, err := d.Runs.Runner(c.Context(), c.token)
	if err = cmp.Or(err, wrong); err != nil {
		return err
	}
	waiting, stop, err := d.untilTheEnd(c)
	if err != nil {
		return err
	}
	defer stop()
	got, err := d.Runs.Claim(waiting, runner, in)
	switch {
	case waiting.Err() != nil && len(got.Jobs) == 0:
		return errEnding
	case err != nil:
		return err
	case len(got.Jobs) == 0:
		return c.answer(http.StatusNoContent, nil)
	default:
		return c.answer(http.StatusOK, got)
	}
}

func (d *Door) heartbeat(c *call) error {
	runner, err := d.Runs.Runner(c.Context(), c.token)
	if err != nil {
		return err
	}
	var in run.Beat
	if err := c.read(&in); err != nil {
		return err
	}
	answer, err := d.Runs.Beat(c.Context(), runner, c.host(), in)
	if err != nil {
		return err
	}
	return c.answer(http.StatusOK, answer)
}

// errEnding sends a runner to another server, or to this one when it is back.
var errEnding = belay.Refuse(belay.NotReady, "the server is stopping")

// ends says whether the server stops.
func (d *Door) ends() bool {
	select {
	case <-d.Ending:
		return true
	default:
		return false
	}
}

// untilTheEnd is the context of a call that waits: it ends when the server stops.
func (d *Door) untilTheEnd(c *call) (context.Context, context.CancelFunc, error) {
	if d.ends() {
		return nil, nil, errEnding
	}
	ctx, cancel := context.WithCancel(c.Context())
	go func() {
		select {
		case <-d.Ending:
			cancel()
		case <-ctx.Done():
		}
	}()
	return ctx, cancel, nil
}

// maxOrdersWait is how long a call waits for orders.
const maxOrdersWait = 50

func (d *Door) orders(c *call) error {
	runner, err := d.Runs.Runner(c.Context(), c.token)
	if err != nil {
		return err
	}
	wait, _ := strconv.Atoi(c.URL.Query().Get("wait")) // what is no number waits for nothing
	ending, stop, err := d.untilTheEnd(c)
	if err != nil {
		return err
	}
	defer stop()
	waiting, cancel := context.WithTimeout(ending, time.Duration(min(max(wait, 0), maxOrdersWait))*time.Second)
	defer cancel()
	answer, err := d.Runs.Orders(waiting, runner)
	switch {
	case ending.Err() != nil && len(answer.Jobs) == 0:
		return errEnding
	case err != nil && waiting.Err() == nil:
		return err
	case len(answer.Jobs) == 0:
		return c.answer(http.StatusNoContent, nil)
	default:
		return c.answer(http.StatusOK, answer)
	}
}

func (d *Door) exit(c *call) error {
	runner, err := d.Runs.Runner(c.Context(), c.token)
	if err != nil {
		return err
	}
	if err := d.Runs.Exit(c.Context(), runner); err != nil {
		return err
	}
	return c.answer(http.StatusNoContent, nil)
}
