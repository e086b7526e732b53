// Package ui owns the door for people: the pages that a browser shows, their forms and
// the cookies behind them. It asks app for everything, works without scripts, and loads
// nothing from anywhere else.
package ui

import (
	"bytes"
	"embed"
	"errors"
	"fmt"
	"html/template"
	"log/slog"
	"net"
	"net/http"
	"net/url"
	"runtime/debug"
	"strings"
	"time"

	"github.com/belayhq/belay"
	"github.com/belayhq/belay/internal/app"
)

//go:embed pages
var files embed.FS

// templates are the pages, each together with the frame around it.
var templates = func() map[string]*template.Template {
	parsed := map[string]*template.Template{}
	for _, name := range []string{
		"signin", "login", "tokens", "changerequest", "problem", "organizations", "workspaces", "workspace", "requests", "filing",
	} {
		parsed[name] = template.Must(template.ParseFS(files, "pages/frame.html", "pages/parts.html", "pages/"+name+".html"))
	}
	return parsed
}()

// Config is what the pages are built on.
type Config struct {
	App       *app.App
	Log       *slog.Logger
	PublicURL string // what people reach the server by; taken from the request when empty
	Observe   func(route string, status int, took time.Duration)
}

// UI answers browsers.
type UI struct {
	Config
	mux *http.ServeMux
}

// New builds the pages.
func New(c Config) (*UI, error) {
	if c.Log == nil {
		c.Log = slog.New(slog.DiscardHandler)
	}
	u := &UI{Config: c, mux: http.NewServeMux()}
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
	who    string // the username of who is signed in, once it is known
}

// largestForm is how many bytes a form may have: a message of the longest kind, each of
// whose characters is sent as up to twelve.
const largestForm = 1 << 20

// door is the one way in and out: headers, handler, log.
func (u *UI) door(route string, handle func(*visit)) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		start := time.Now()
		id := belay.RequestID(r.Header.Get("X-Request-Id"))
		w.Header().Set("X-Request-Id", id)
		r = r.WithContext(app.WithRequest(r.Context(), id))
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
			handle(v)
		}()
		took := time.Since(start)
		if u.Observe != nil {
			u.Observe(route, v.status, took)
		}
		u.Log.LogAttrs(r.Context(), slog.LevelInfo, "page", slog.String("id", id), slog.String("route", route),
			slog.Int("status", v.status), slog.Duration("took", took))
	})
}

// guard tells the browser what the page may do: nothing but show itself and send its
// forms here. A form may be answered by sending the browser on to one of targets.
func (v *visit) guard(targets []string) {
	head := v.w.Header()
	head.Set("Content-Security-Policy", "default-src 'none'; style-src 'self'; img-src 'self'; base-uri 'none'; frame-ancestors 'none'; form-action "+
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
	Error   string
	Form    string // the secret that the page's forms carry
	Visitor string // the username of who is signed in; else empty
	Place   *place // where in an organization the page is; nil elsewhere
	Page    any
}

// place is the organization that a page is of, and which of its lists the page belongs to.
type place struct {
	Organization string
	Part         string
	Requests     bool // the edition has change requests
}

// show answers with a page.
func (v *visit) show(status int, name string, f frame) {
	f.Form = v.formSecret()
	var page bytes.Buffer
	if err := templates[name].ExecuteTemplate(&page, "frame", f); err != nil {
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
	switch one.Kind {
	case belay.Invalid:
		return http.StatusUnprocessableEntity, one.Detail
	case belay.Unauthenticated:
		return http.StatusUnauthorized, one.Detail
	case belay.TooMany:
		return http.StatusTooManyRequests, one.Detail
	case belay.NotFound:
		return http.StatusNotFound, "There is no such thing, or it is not yours."
	case belay.Conflict:
		return http.StatusConflict, one.Detail
	case belay.BadRequest:
		return http.StatusBadRequest, one.Detail
	case belay.Forbidden:
		return http.StatusForbidden, one.Detail
	case belay.NotReady:
		return http.StatusServiceUnavailable, one.Detail
	default:
		return http.StatusInternalServerError, ""
	}
}

func (v *visit) redirect(to string) {
	v.status = http.StatusSeeOther
	http.Redirect(v.w, v.Request, to, v.status)
}

// file answers with a file that never changes while the program runs.
func (v *visit) file(name, kind string) {
	raw, err := files.ReadFile("pages/" + name)
	if err != nil {
		v.fail(err)
		return
	}
	v.w.Header().Set("Content-Type", kind)
	v.w.Header().Set("Cache-Control", "public, max-age=3600")
	v.status = http.StatusOK
	_, _ = v.w.Write(raw)
}

// address is where the browser is.
func (v *visit) address() string {
	host, _, err := net.SplitHostPort(v.RemoteAddr)
	if err != nil {
		return v.RemoteAddr
	}
	return host
}
