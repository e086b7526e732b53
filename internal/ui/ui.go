// Package ui owns the door for people: the pages that a browser shows, their forms and
// the cookies behind them. It asks app for everything, works without scripts, and loads
// nothing from anywhere else.
package ui

import (
	"bytes"
	"context"
	"embed"
	"errors"
	"fmt"
	"html/template"
	"io"
	"io/fs"
	"log/slog"
	"net/http"
	"net/url"
	"path"
	"runtime/debug"
	"slices"
	"strings"
	"time"

	"github.com/belayhq/belay"
	"github.com/belayhq/belay/internal/app"
	"github.com/belayhq/belay/internal/runlog"
	"github.com/belayhq/belay/internal/runs"
	"github.com/belayhq/belay/internal/trace"
	"github.com/belayhq/belay/run"
)

//go:embed pages
var files embed.FS

// frames are the files of pages/ that are no page by themselves: what pages are made of.
var frames = []string{"pages/frame.html", "pages/parts.html", "pages/tab.html", "pages/signin-parts.html"}

// parse reads the pages, each together with the frame around it.
func parse(now func() time.Time) (map[string]*template.Template, error) {
	words := template.FuncMap{
		"icon": icon, "asset": assetPath, "count": count, "bytes": bytesText, "span": span,
		"ago":      func(at time.Time) string { return ago(at, now()) },
		"initial":  func(name string) string { return firstLetters(name, 1) },
		"dict":     dict,
		"initials": func(name string) string { return firstLetters(name, 2) },
	}
	all, err := fs.Glob(files, "pages/*.html")
	if err != nil {
		return nil, err
	}
	parsed := map[string]*template.Template{}
	for _, file := range all {
		if slices.Contains(frames, file) {
			continue
		}
		name := strings.TrimSuffix(path.Base(file), ".html")
		page, err := template.New(name).Funcs(words).ParseFS(files, append(slices.Clone(frames), file)...)
		if err != nil {
			return nil, err
		}
		parsed[name] = page
	}
	return parsed, nil
}

// dict is pairs of a name and a value, for a part of a page that needs several.
func dict(pairs ...any) map[string]any {
	named := make(map[string]any, len(pairs)/2)
	for i := 0; i+1 < len(pairs); i += 2 {
		name, _ := pairs[i].(string)
		named[name] = pairs[i+1]
	}
	return named
}

func firstLetters(name string, n int) string {
	letters := []rune(name)
	return string(letters[:min(n, len(letters))])
}

// Config is what the pages are built on.
type Config struct {
	App       *app.App
	Runs      *runs.Room
	Logs      *runlog.Room // of plans and applies
	Plans     PlanFile     // what of plans may be read; nil: no page shows any
	Events    VCSEvents    // of connections
	Log       *slog.Logger
	OpenAPI   func() []byte // the description of the API, for the page that shows it
	PublicURL string        // what people reach the server by; taken from the request when empty
	Observe   func(route string, status int, took time.Duration)
	Now       func() time.Time // the clock; time.Now when nil
	Ending    <-chan struct{}  // closed when the server stops: streams end; nil: never
}

// VCSEvents is what happened with the repositories of an organization, to those who manage connections.
type VCSEvents func(ctx context.Context, s belay.Principal, organization string, want belay.VCSEventQuery) ([]belay.VCSEvent, int, error)

// UI answers browsers.
type UI struct {
	Config
	mux   *http.ServeMux
	pages map[string]*template.Template

	streams streams
	parts   []part
	watches map[string]watch
}

// New builds the pages.
func New(c Config) (*UI, error) {
	if c.Log == nil {
		c.Log = slog.New(slog.DiscardHandler)
	}
	if c.Now == nil {
		c.Now = time.Now
	}
	pages, err := parse(c.Now)
	if err != nil {
		return nil, err
	}
	u := &UI{Config: c, mux: http.NewServeMux(), pages: pages, parts: parts(), watches: watches()}
	// A form that another site sends is refused by what the browser says of it; the
	// secret in each form is for browsers that say nothing.
	foreign := http.NewCrossOriginProtection()
	if c.PublicURL != "" {
		public, err := url.Parse(c.PublicURL)
		if err != nil {
			return nil, fmt.Errorf("the public URL: %w", err)
		}
		if err := foreign.AddTrustedOrigin(public.Scheme + "://" + public.Host); err != nil {
			return nil, fmt.Errorf("the public URL: %w", err)
		}
	}
	for pattern, handle := range u.routes() {
		u.mux.Handle(pattern, foreign.Handler(u.door(pattern, handle)))
	}
	return u, nil
}

func (u *UI) ServeHTTP(w http.ResponseWriter, r *http.Request) { u.mux.ServeHTTP(w, r) }

// visit is one request of a browser on its way through a handler.
type visit struct {
	*http.Request
	ui     *UI
	w      http.ResponseWriter
	status int
	secret string // of the browser's own: forms are bound to it

	unreadable bool              // the form that came
	faults     map[string]string // what is wrong with its fields, where the page says so beside them
	who        string            // the username of who is signed in, once it is known
	admin      bool              // of the site
}

// largestForm is how many bytes a form may have: a message of the longest kind, each of
// whose characters is sent as up to twelve.
const largestForm = 1 << 20

// door is the one way in and out: headers, handler, log.
func (u *UI) door(route string, handle func(*visit)) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		start := time.Now()
		id := belay.RequestID(r.Header.Get("X-Request-Id"))
		r, recorded := trace.Serve(r, r.Method, strings.TrimPrefix(route, r.Method+" "))
		w.Header().Set("X-Request-Id", id)
		r = r.WithContext(app.WithRequest(r.Context(), id))
		if r.Method == http.MethodGet {
			r = r.WithContext(app.Sitting(r.Context()))
		}
		v := &visit{Request: r, ui: u, w: w}
		r.Body = http.MaxBytesReader(w, r.Body, largestForm)
		v.guard(nil)
		func() {
			defer func() {
				if panicked := recover(); panicked != nil {
					v.fail(fmt.Errorf("panic: %v\n%s", panicked, debug.Stack()))
				}
			}()
			if strings.HasPrefix(r.URL.Path, homePath) && !readable(r.URL) {
				noPage(v)
				return
			}
			if err := v.takeForm(); err != nil {
				v.refuse(err)
				return
			}
			handle(v)
		}()
		took := time.Since(start)
		if u.Observe != nil {
			u.Observe(route, v.status, took)
		}
		u.Log.LogAttrs(r.Context(), slog.LevelInfo, "page", slog.String("id", id), slog.String("route", route),
			slog.Int("status", v.status), slog.Duration("took", took))
		recorded.Answered(v.status, id, "")
	})
}

// takeForm reads the form that a browser sends. One that can't be read is noted, and refused
// by whoever wants it.
func (v *visit) takeForm() error {
	err := v.ParseForm()
	if belay.KindOf(err) != belay.Internal {
		return err
	}
	v.unreadable = err != nil
	return nil
}

// guard tells the browser what the page may do: nothing but show itself, keep itself fresh by
// our own script and send its forms here. A form may be answered by sending the browser on to one of targets.
func (v *visit) guard(targets []string) {
	head := v.w.Header()
	head.Set("Content-Security-Policy", "default-src 'none'; script-src 'self'; connect-src 'self'; style-src 'self'; img-src 'self'; base-uri 'none'; frame-ancestors 'none'; form-action "+
		strings.Join(append([]string{"'self'"}, targets...), " "))
	head.Set("X-Content-Type-Options", "nosniff")
	head.Set("X-Frame-Options", "DENY")
	// Browsers name the origin of a form only to their own origin under this policy.
	head.Set("Referrer-Policy", "same-origin")
	head.Set("Cross-Origin-Opener-Policy", "same-origin")
	head.Set("Cache-Control", "no-store")
}

// frame is what every page is shown in.
type frame struct {
	Title   string
	Step    string  // what the page is called at the end of the way up; empty: its title
	OwnHead bool    // the page draws its heading itself
	Crumbs  []crumb // between the organization and the page
	Error   string
	Form    string // the secret that the page's forms carry
	Visitor string // the username of who is signed in; else empty
	Place   *place // where in an organization the page is; nil elsewhere
	Live    string // where its changes are told; empty: nowhere
	Page    any

	Here, Theme, NextTheme string // set by show
	Admin                  bool   // the visitor is a site admin; set by show
}

// crumb is a step of the way up.
type crumb struct{ Name, Path string }

// show answers with a page.
func (v *visit) show(status int, name string, f frame) {
	f.Form, f.Here, f.Theme = v.formSecret(), v.URL.RequestURI(), v.theme()
	if status == http.StatusNotFound {
		f.Here = homePath // what is hidden looks like what is not there
	}
	f.NextTheme, f.Admin = nextTheme[f.Theme], v.admin
	var page bytes.Buffer
	if err := v.ui.pages[name].ExecuteTemplate(&page, "frame", f); err != nil {
		v.fail(err)
		return
	}
	v.w.Header().Set("Content-Type", "text/html; charset=utf-8")
	v.status = status
	v.w.WriteHeader(status)
	_, _ = v.w.Write(page.Bytes()) // a browser that has gone is no fault of ours
}

// problem answers with a page that tells only what is wrong.
func (v *visit) problem(status int, text string) {
	title := "That did not work"
	if status == http.StatusNotFound {
		title = "Not found"
	}
	v.show(status, "problem", frame{Title: title, Error: text, Visitor: v.who})
}

// refuse answers an error: a refusal in its own words, anything else in none.
func (v *visit) refuse(err error) {
	status, text := describe(err)
	if status == http.StatusInternalServerError {
		v.fail(err)
		return
	}
	v.problem(status, text)
}

// fail logs an error that is no refusal, and shows nothing of it.
func (v *visit) fail(err error) {
	v.ui.Log.LogAttrs(v.Context(), slog.LevelError, "page failed",
		slog.String("id", v.w.Header().Get("X-Request-Id")), slog.String("error", err.Error()))
	v.status = http.StatusInternalServerError
	http.Error(v.w, "Something went wrong here. Please try again.", v.status)
}

// describe is the status and the words of a refusal.
func describe(err error) (int, string) {
	var many belay.Problems
	var one *belay.Error
	if errors.As(err, &many) && len(many) > 0 {
		one = many[0]
	} else if !errors.As(err, &one) {
		return http.StatusInternalServerError, ""
	}
	status := statuses[one.Kind]
	switch {
	case status == http.StatusInternalServerError:
		return status, ""
	case one.Kind == belay.NotFound:
		return status, "There is no such thing, or it is not yours."
	default:
		return status, one.Detail
	}
}

// statuses is the status of a page that says why something was refused.
var statuses = map[belay.Kind]int{
	belay.Internal:        http.StatusInternalServerError,
	belay.Invalid:         http.StatusUnprocessableEntity,
	belay.BadRequest:      http.StatusBadRequest,
	belay.Unauthenticated: http.StatusUnauthorized,
	belay.Forbidden:       http.StatusForbidden,
	belay.NotFound:        http.StatusNotFound,
	belay.Conflict:        http.StatusConflict,
	belay.Ended:           http.StatusGone,
	belay.Precondition:    http.StatusPreconditionFailed,
	belay.TooLarge:        http.StatusRequestEntityTooLarge,
	belay.MediaType:       http.StatusUnsupportedMediaType,
	belay.TooMany:         http.StatusTooManyRequests,
	belay.TooSlow:         http.StatusRequestTimeout,
	belay.NotReady:        http.StatusServiceUnavailable,
	belay.Damaged:         http.StatusInternalServerError,
}

// PlanFile opens what everybody who may read a run may read of its plan.
type PlanFile func(ctx context.Context, of *run.Run) (io.ReadCloser, run.JobFile, error)
