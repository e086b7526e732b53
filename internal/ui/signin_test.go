package ui_test

import (
	"bytes"
	"context"
	"html"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/url"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/belayhq/belay"
	"github.com/belayhq/belay/internal/app"
	"github.com/belayhq/belay/internal/identity"
	"github.com/belayhq/belay/internal/store"
	"github.com/belayhq/belay/internal/storetest"
	"github.com/belayhq/belay/internal/ui"
)

const password = "correct horse"

// visitor is a browser without a network between it and the pages.
type visitor struct {
	t       *testing.T
	pages   http.Handler
	cookies []*http.Cookie
}

func (v *visitor) send(r *http.Request) *httptest.ResponseRecorder {
	v.t.Helper()
	for _, cookie := range v.cookies {
		r.AddCookie(cookie)
	}
	answer := httptest.NewRecorder()
	v.pages.ServeHTTP(answer, r)
	v.cookies = append(v.cookies, answer.Result().Cookies()...)
	return answer
}

var formSecret = regexp.MustCompile(`<input type="hidden" name="form" value="([^"]*)">`)

// signIn opens the page and sends its form.
func (v *visitor) signIn(name, password string) *httptest.ResponseRecorder {
	v.t.Helper()
	page := v.send(httptest.NewRequest(http.MethodGet, "/app/sign-in", nil))
	secret := formSecret.FindStringSubmatch(page.Body.String())
	if page.Code != http.StatusOK || secret == nil {
		v.t.Fatalf("the page: %d %s", page.Code, page.Body)
	}
	form := url.Values{"form": {html.UnescapeString(secret[1])}, "name": {name}, "password": {password}}
	r := httptest.NewRequest(http.MethodPost, "/app/sign-in", strings.NewReader(form.Encode()))
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	return v.send(r)
}

// TestSignInIsThrottled tries with a clock that stands still: however long a try takes, none
// comes back.
func TestSignInIsThrottled(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		now := time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)
		verbs := app.New(app.Config{DB: db, Now: func() time.Time { return now }})
		for _, name := range []string{"ann", "bob"} {
			_, err := verbs.CreateUser(t.Context(), belay.Principal{Kind: belay.UserPrincipal, SiteAdmin: true},
				identity.NewUser{Username: name, Email: name + "@example.com", Password: password})
			if err != nil {
				t.Fatal(err)
			}
		}
		pages, err := ui.New(ui.Config{App: verbs})
		if err != nil {
			t.Fatal(err)
		}
		v := &visitor{t: t, pages: pages}
		for _, name := range []string{"ann", "nobody", "bad\x00name"} {
			for i := range 5 {
				if got := v.signIn(name, "wrong horse"); got.Code != http.StatusUnauthorized {
					t.Fatalf("%s, try %d: status %d", name, i, got.Code)
				}
			}
			got := v.signIn(name, password)
			if got.Code != http.StatusTooManyRequests || got.Header().Get("Retry-After") != "12" || !strings.Contains(got.Body.String(), "Too many tries. Wait 12 s, then try again.") {
				t.Errorf("%s is answered %d %s", name, got.Code, got.Body)
			}
		}
		if got := v.signIn("ann@example.com", password); got.Code != http.StatusTooManyRequests {
			t.Errorf("by the address of the same user: status %d", got.Code)
		}
		if got := v.signIn("bob", password); got.Code != http.StatusSeeOther {
			t.Errorf("somebody else: status %d", got.Code)
		}
		now = now.Add(12 * time.Second)
		v.cookies = nil
		if got := v.signIn("ann", password); got.Code != http.StatusSeeOther {
			t.Errorf("after a while: status %d", got.Code)
		}
	})
}

// TestWhoWentAwayIsNoFailure: a page that nobody waits for any more is no error in the log, wherever it was given up.
func TestWhoWentAwayIsNoFailure(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		var log bytes.Buffer
		pages, err := ui.New(ui.Config{App: app.New(app.Config{DB: db}), Log: slog.New(slog.NewTextHandler(&log, nil))})
		if err != nil {
			t.Fatal(err)
		}
		_, err = app.New(app.Config{DB: db}).CreateUser(t.Context(), belay.Principal{Kind: belay.UserPrincipal, SiteAdmin: true},
			identity.NewUser{Username: "ann", Email: "ann@example.com", Password: password})
		if err != nil {
			t.Fatal(err)
		}
		v := &visitor{t: t, pages: pages}
		v.signIn("ann", password)
		gone, leave := context.WithCancel(t.Context())
		leave()
		v.send(httptest.NewRequestWithContext(gone, http.MethodGet, "/app/~/profile", nil))
		if text := log.String(); !strings.Contains(text, context.Canceled.Error()) || strings.Contains(text, "level=ERROR") {
			t.Errorf("the log says\n%s", text)
		}
	})
}
