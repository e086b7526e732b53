package ui_test

import (
	"context"
	"encoding/base64"
	"html"
	"io"
	"net/http"
	"net/http/cookiejar"
	"net/http/httptest"
	"net/url"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/belayhq/belay/internal/app"
	"github.com/belayhq/belay/internal/runs"
	"github.com/belayhq/belay/internal/seal"
	"github.com/belayhq/belay/internal/store"
	"github.com/belayhq/belay/internal/storetest"
	"github.com/belayhq/belay/internal/ui"
	"github.com/belayhq/belay/signin"
)

// vouching is a provider that says of everybody who comes what a test tells it to.
type vouching struct{ name string }

func (p *vouching) Providers() []signin.IdentityProvider {
	return []signin.IdentityProvider{{ID: "id", Name: "Example", Issuer: "https://id.example.com", MakesAccounts: true, AdminGroups: []string{"root"}, HoldsFor: time.Hour}}
}

func (p *vouching) Begin(_ context.Context, _ string, f signin.SignInFlow) (string, error) {
	return "/oauth/callback/id?code=any&state=" + f.State, nil
}

func (p *vouching) Finish(context.Context, string, signin.SignInFlow, string) (signin.Assertion, error) {
	return signin.Assertion{
		Issuer: "https://id.example.com", Subject: p.name, Email: p.name + "@example.com", EmailVerified: true, Username: p.name,
		Groups: []string{"root"}, GroupsKnown: true, Full: true, At: time.Now(), RefreshToken: "r",
	}, nil
}

func (p *vouching) Again(context.Context, string, string, string) (signin.Assertion, error) {
	return p.Finish(context.Background(), "", signin.SignInFlow{}, "")
}

func (p *vouching) LogoutToken(context.Context, string, string) (signin.LogoutNotice, error) {
	return signin.LogoutNotice{}, io.EOF
}

// window is a browser with its cookies, which follows where it is sent.
type window struct {
	t    *testing.T
	base string
	http.Client
}

func (w *window) read(answer *http.Response, err error) (status int, at, body string) {
	w.t.Helper()
	if err != nil {
		w.t.Fatal(err)
	}
	raw, err := io.ReadAll(answer.Body)
	_ = answer.Body.Close()
	if err != nil {
		w.t.Fatal(err)
	}
	return answer.StatusCode, answer.Request.URL.Path, string(raw)
}

func (w *window) open(path string) (status int, at, body string) {
	w.t.Helper()
	return w.read(w.Get(w.base + path))
}

func (w *window) send(path string, form url.Values) (status int, at, body string) {
	w.t.Helper()
	return w.read(w.PostForm(w.base+path, form))
}

// end has the server forget the session.
func (w *window) end() {
	w.t.Helper()
	there, _ := url.Parse(w.base)
	w.Jar.SetCookies(there, []*http.Cookie{{Name: "belay-session", Value: "x", Path: "/"}})
}

var anyHidden = regexp.MustCompile(`<input type="hidden" name="([^"]+)" value="([^"]*)">`)

// fields is the hidden fields of the last form of a page.
func fields(body string) url.Values {
	form := url.Values{}
	for _, m := range anyHidden.FindAllStringSubmatch(body[strings.LastIndex(body, "<form"):], -1) {
		form.Set(m[1], html.UnescapeString(m[2]))
	}
	return form
}

// TestAFormOutlivesItsSessionAtAProvider: where one signs in by a provider alone, what was typed is there again
// afterwards, for who had typed it. A long form waits in its window, and is gone on with.
func TestAFormOutlivesItsSessionAtAProvider(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		ring, err := seal.Parse(base64.StdEncoding.EncodeToString(make([]byte, 32)))
		if err != nil {
			t.Fatal(err)
		}
		provider := &vouching{name: "olga"}
		pages, err := ui.New(ui.Config{App: app.New(app.Config{DB: db, Ring: ring, Providers: provider, BreakGlass: "root"}), Runs: runs.New(runs.Config{DB: db, Ring: ring})})
		if err != nil {
			t.Fatal(err)
		}
		server := httptest.NewServer(pages)
		t.Cleanup(server.Close)
		jar, _ := cookiejar.New(nil)
		w := &window{t: t, base: server.URL, Client: http.Client{Jar: jar}}
		comes := func(name string) (int, string, string) {
			t.Helper()
			provider.name = name
			return w.open("/app/~/sign-in/id?return=%2Fapp%2Fsettings%2Ftokens")
		}
		asks := func(name string) string {
			t.Helper()
			_, _, page := w.open("/app/~/organizations")
			form := fields(page)
			form.Set("name", name)
			form.Set("email", "a@example.com")
			w.end()
			status, _, page := w.send("/app/~/organizations", form)
			if status != http.StatusUnauthorized || !strings.Contains(page, "Your session is over") || strings.Contains(page, `id="password"`) {
				t.Fatalf("asks: %d %s", status, page)
			}
			return page
		}
		there := func(name string) bool {
			t.Helper()
			_, _, page := w.open("/app/~/organizations")
			return strings.Contains(page, ">"+name+"<")
		}
		if _, at, _ := comes("olga"); at != "/app/settings/tokens" {
			t.Fatalf("nothing was kept, and one comes to %s", at)
		}

		if page := asks("edge"); strings.Contains(page, "another window") {
			t.Error("a short form wants another window")
		}
		for range 2 { // loading the page again takes nothing away
			status, at, page := w.open("/app/~/kept")
			if at == "/app/~/kept" {
				t.Fatalf("without a session: %d at %s: %s", status, at, page)
			}
		}
		status, at, page := comes("olga")
		if status != http.StatusOK || at != "/app/~/kept" || !strings.Contains(page, "Send it now") {
			t.Fatalf("after the provider: %d at %s: %s", status, at, page)
		}
		_, _, page = w.open("/app/~/kept")
		if there("edge") {
			t.Fatal("it was sent by itself")
		}
		if w.send("/app/~/organizations", fields(page)); !there("edge") {
			t.Fatal("what was kept is not sent")
		}
		if _, at, _ := w.open("/app/~/kept?return=%2Fapp%2Fsettings%2Ftokens"); at != "/app/settings/tokens" {
			t.Errorf("what was sent is still kept: %s", at)
		}

		// Somebody else who comes gets nothing of it.
		asks("rim")
		if _, at, page := comes("rita"); at != "/app/settings/tokens" || strings.Contains(page, "rim") {
			t.Errorf("somebody else comes to %s", at)
		}
		comes("olga")

		// A long form: the provider is gone to in another window, then this one goes on.
		page = asks(strings.Repeat("long", 2000))
		if !strings.Contains(page, `target="_blank"`) || !strings.Contains(page, "show what I typed") {
			t.Fatalf("a long form: %s", page)
		}
		kept := fields(page)
		kept.Set("signed-in", "yes")
		if status, _, page := w.send("/app/sign-in", kept); status != http.StatusUnauthorized || !strings.Contains(page, "You are not signed in yet.") || !strings.Contains(page, `name="kept"`) {
			t.Errorf("too early: %d %s", status, page)
		}
		comes("olga")
		if status, _, page := w.send("/app/sign-in", kept); status != http.StatusOK || !strings.Contains(page, strings.Repeat("long", 2000)) || !strings.Contains(page, "Send it now") {
			t.Errorf("gone on: %d %s", status, page)
		}
		comes("rita")
		if _, at, page := w.send("/app/sign-in", kept); at != "/app/edge" || strings.Contains(page, "longlong") {
			t.Errorf("somebody else goes on to %s", at)
		}
	})
}
