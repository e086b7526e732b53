// Package frame owns what all pages share: the way in and out, sessions and the cookies behind them, forms,
// cards, lists and the words of cells, the place of a page, and changes told while it is open. Pages
// work without scripts, and load nothing from anywhere else.
//
// It knows no page: families give it theirs.
package frame

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/belayhq/belay"
	"github.com/belayhq/belay/forge"
	"github.com/belayhq/belay/internal/app"
	"github.com/belayhq/belay/internal/fair"
	"github.com/belayhq/belay/internal/runlog"
	"github.com/belayhq/belay/internal/runs"
	"github.com/belayhq/belay/internal/trace"
	"github.com/belayhq/belay/internal/web"
	"github.com/belayhq/belay/run"
)

// FirstLetters is the first letters of a name.
func FirstLetters(name string, n int) string {
	letters := []rune(name)
	return string(letters[:min(n, len(letters))])
}

// Config is what the pages are built on.
type Config struct {
	App       *app.App
	Runs      *runs.Room
	Logs      *runlog.Room // of plans and applies
	Plans     PlanFile     // what of plans may be read; nil: no page shows any
	Repos     Repositories // what services told
	Log       *slog.Logger
	OpenAPI   func() []byte // the description of the API, for the page that shows it
	PublicURL string        // what people reach the server by; taken from the request when empty
	Authority string        // the file of the authority that the server made its certificate by; empty: others made it
	Observe   func(route string, status int, took time.Duration)
	Now       func() time.Time // the clock; time.Now when nil
	Ending    <-chan struct{}  // closed when the server stops: streams end; nil: never

	ConfirmNameAbove int // a plan that destroys more than so many is confirmed with the workspace's name; negative: none is
}

// Repositories is what happened with repositories, to those who manage connections.
type Repositories interface {
	Events(ctx context.Context, s belay.Principal, organization string, want forge.VCSEventQuery) ([]forge.VCSEvent, int, error)
	Told(ctx context.Context, s belay.Principal, clientID string, page belay.Page) ([]forge.ToldDelivery, int, error)
	Redeliver(ctx context.Context, s belay.Principal, deliveryID string) error
}

// UI is what all pages share.
type UI struct {
	Config
	pages   map[string]page
	parts   []Part
	watches map[string]Watch
	streams streams
	sides   sides
	names   names
	foreign *http.CrossOriginProtection
}

// New builds what pages share: parts is the lists of an organization, and watches is what pages can watch.
func New(c Config, parts []Part, watches map[string]Watch) (*UI, error) {
	if c.Log == nil {
		c.Log = slog.New(slog.DiscardHandler)
	}
	if c.Now == nil {
		c.Now = time.Now
	}
	pages, err := allPages(c.Now)
	if err != nil {
		return nil, err
	}
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
	u := &UI{Config: c, pages: pages, parts: parts, watches: watches, foreign: foreign}
	u.names.now = u.Now
	foreign.SetDenyHandler(u.door("foreign form", func(v *Visit) {
		v.Problem(http.StatusForbidden, "This form came from another site. Open the page here, and send it again.")
	}))
	return u, nil
}

// Handler lets a browser in to a handler of a route.
func (u *UI) Handler(route string, handle func(*Visit)) http.Handler {
	return u.foreign.Handler(u.door(route, handle))
}

// Visit is one request of a browser on its way through a handler.
type Visit struct {
	*http.Request
	UI      *UI
	Writer  http.ResponseWriter
	Status  int
	secret  string // of the browser's own: forms are bound to it
	mask    []byte // over what of it the page carries
	session string // that began with this request

	unreadable bool              // the form that came
	Faults     map[string]string // what is wrong with its fields, where the page says so beside them
	called     map[string]string // what this page calls fields, beside calledHere
	principal  belay.Principal   // who is signed in, once it is known
	who        string            // the username of who is signed in, once it is known
	Admin      bool              // of the site
	waits      *waitCount        // how much waits for who is signed in, once that was read
	place      *Place            // where in an organization the page is, once it is known
	failing    bool              // the page that says that it failed is being made
	beside     *besides          // what is read for the page while it is made
}

// largestForm is how many bytes a form may have: a message of the longest kind, each of
// whose characters is sent as up to twelve.
const largestForm = 1 << 20

// door is the one way in and out: headers, handler, log.
func (u *UI) door(route string, handle func(*Visit)) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		start := time.Now()
		id := belay.RequestID(r.Header.Get("X-Request-Id"))
		r, recorded := trace.Serve(r, r.Method, strings.TrimPrefix(route, r.Method+" "))
		w.Header().Set("X-Request-Id", id)
		r = r.WithContext(app.WithRequest(r.Context(), id))
		r = r.WithContext(app.Sitting(r.Context(), &u.names))
		v := &Visit{Request: r, UI: u, Writer: w, beside: newBesides()}
		defer v.beside.Wait()
		if !strings.HasPrefix(r.Header.Get("Content-Type"), "multipart/") { // SubmittedFile alone reads those, and says how much
			r.Body = http.MaxBytesReader(w, r.Body, largestForm)
		}
		v.Guard(nil)
		err := web.Recovered(func() error {
			ours := strings.HasPrefix(r.URL.Path, HomePath)
			if ours {
				r.URL.RawQuery = readable(r.URL.RawQuery)
			}
			if ours && !web.IsText(r.URL.Path) {
				NoPage(v)
			} else if err := v.takeForm(); err != nil {
				v.Refuse(err)
			} else {
				handle(v)
			}
			return nil
		})
		if err != nil {
			v.Fail(err)
		}
		took := time.Since(start)
		if u.Observe != nil {
			u.Observe(route, v.Status, took)
		}
		u.Log.LogAttrs(r.Context(), slog.LevelInfo, "page", slog.String("id", id), slog.String("route", route),
			slog.Int("status", v.Status), slog.Duration("took", took))
		recorded.Answered(v.Status, id, "")
	})
}

// readable is what an address asks for without what is no text: nobody has typed that, and nothing is called so.
func readable(query string) string {
	if web.Readable(&url.URL{RawQuery: query}) {
		return query
	}
	parts := slices.DeleteFunc(strings.Split(query, "&"), func(part string) bool { return !web.Readable(&url.URL{RawQuery: part}) })
	return strings.Join(parts, "&")
}

// takeForm reads the form that a browser sends. One that can't be read is noted, and refused
// by whoever wants it.
func (v *Visit) takeForm() error {
	err := v.ParseForm()
	if belay.KindOf(err) != belay.Internal {
		return err
	}
	v.unreadable = err != nil
	return nil
}

// Guard tells the browser what the page may do: nothing but show itself, keep itself fresh by
// our own script and send its forms here. A form may be answered by sending the browser on to one of targets.
func (v *Visit) Guard(targets []string) {
	head := v.Writer.Header()
	head.Set("Content-Security-Policy", "default-src 'none'; script-src 'self'; connect-src 'self'; style-src 'self'; img-src 'self'; base-uri 'none'; frame-ancestors 'none'; form-action "+
		strings.Join(append([]string{"'self'"}, targets...), " "))
	head.Set("X-Content-Type-Options", "nosniff")
	head.Set("X-Frame-Options", "DENY")
	// Browsers name the origin of a form only to their own origin under this policy.
	head.Set("Referrer-Policy", "same-origin")
	head.Set("Cross-Origin-Opener-Policy", "same-origin")
	head.Set("Cache-Control", "no-store")
}

// Frame is what every page is shown in.
type Frame struct {
	Title   string
	Step    string  // what the page is called at the end of the way up; empty: its title
	OwnHead bool    // the page draws its heading itself
	Crumbs  []Crumb // between the organization and the page
	Error   string
	Form    string // the secret that the page's forms carry
	Visitor string // the username of who is signed in; else empty
	Place   *Place // where in an organization the page is; nil elsewhere
	Live    string // where its changes are told; empty: nowhere
	Self    string // where it is asked for then; empty: at its own address
	Offers  bool   // what changed is only offered: rows would move under the pointer
	Calm    bool   // it is only offered to those who have scrolled down
	Page    any

	Here, Theme, NextTheme string // set by show
	Motion, Keys           string // set by show
	Answers                bool   // a form: nobody may come back to the page by its address; set by show
	Admin                  bool   // the visitor is a site admin; set by show
}

// Crumb is a step of the way up.
type Crumb struct{ Name, Path string }

// Show answers with a page.
func (v *Visit) Show(status int, name string, f Frame) {
	f.Form, f.Here, f.Theme, f.Answers = v.FormSecret(), v.URL.RequestURI(), v.theme(), v.Method == http.MethodPost
	if v.ReadCookie(motionCookie) == "less" {
		f.Motion = "less"
	}
	if v.ReadCookie(keysCookie) == "off" {
		f.Keys = "off"
	}
	if status == http.StatusNotFound {
		f.Here = HomePath // what is hidden looks like what is not there
	}
	f.NextTheme, f.Admin = nextTheme[f.Theme], v.Admin
	page := sheets.Get().(*bytes.Buffer) //nolint:forcetypeassert // the pool holds nothing else
	defer sheets.Put(page)
	page.Reset()
	if err := v.write(page, name, f); err != nil {
		v.Fail(err)
		return
	}
	v.Writer.Header().Set("Content-Type", "text/html; charset=utf-8")
	v.Status = status
	v.send(v.tellTimes(page.Bytes()))
}

// write writes a page, where somebody is signed in in a turn at the processors.
func (v *Visit) write(page *bytes.Buffer, name string, f Frame) error {
	if fair.Of(v.Context()) != "" {
		leave, err := v.UI.App.Tenants().Processors().Enter(v.Context())
		if err != nil {
			return err
		}
		defer leave()
	}
	whole, err := v.UI.pages[name]()
	if err != nil {
		return err
	}
	return whole.ExecuteTemplate(page, "frame", f)
}

// Refuse answers an error: a refusal in its own words, anything else in none.
func (v *Visit) Refuse(err error) {
	status, text := v.Describe(err)
	if status == http.StatusInternalServerError {
		v.Fail(err)
		return
	}
	v.Problem(status, text)
}

// Fail logs an error that is no refusal, and shows nothing of it. What has begun to be answered
// ends where it is.
func (v *Visit) Fail(err error) {
	v.Note(err)
	begun, again := v.Status != 0, v.failing
	v.Status, v.failing = http.StatusInternalServerError, true
	switch head := v.Writer.Header(); {
	case begun && !again:
	case again: // the page that says so fails too
		http.Error(v.Writer, "Belay failed. It is not you.", v.Status)
	default:
		head.Del("Content-Disposition")
		v.Problem(v.Status, "Try again. Whoever runs this server finds out more.")
	}
}

// Note logs an error that is no refusal.
func (v *Visit) Note(err error) {
	level := slog.LevelError
	if errors.Is(err, context.Canceled) {
		level = slog.LevelInfo // whoever asked went away
	}
	v.UI.Log.LogAttrs(v.Context(), level, "page failed",
		slog.String("id", v.Writer.Header().Get("X-Request-Id")), slog.String("error", err.Error()))
}

// Describe is the status and the words of a refusal. What says when to come again says it to the browser, too.
func (v *Visit) Describe(err error) (int, string) {
	var many belay.Problems
	var one *belay.Error
	if errors.As(err, &many) && len(many) > 0 {
		one = many[0]
	} else if !errors.As(err, &one) {
		return http.StatusInternalServerError, ""
	}
	status := web.Status(one.Kind)
	switch {
	case status == http.StatusInternalServerError:
		return status, ""
	case one.Kind == belay.TooMany:
		v.Writer.Header().Set("Retry-After", strconv.Itoa(one.ComeAgain()))
		return status, one.Detail
	case one.Kind == belay.NotFound:
		return status, "There is no such thing, or it is not yours."
	default:
		return status, v.saidHere(one)
	}
}

// PlanFile opens what everybody who may read a run may read of its plan.
type PlanFile func(ctx context.Context, of *run.Run) (io.ReadCloser, run.JobFile, error)
