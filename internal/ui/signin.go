package ui

import (
	"net/http"
	"net/url"
	"strings"

	"github.com/belayhq/belay"
	"github.com/belayhq/belay/internal/identity"
	"github.com/belayhq/belay/internal/web"
)

// signInPage is the page that asks who is there.
type signInPage struct {
	Name, Return string
	Ways         ways
}

// ways are how one may sign in: by providers, with a password, or both.
type ways struct {
	Providers []belay.IdentityProvider
	Passwords bool   // the form is shown
	Off       bool   // passwords are switched off for all but one
	Forgotten bool   // a new password can be had by mail
	Return    string // where providers send the browser on to
}

// ways is how a browser may sign in here. Where passwords are switched off, the form is
// shown to who asks for it.
func (v *visit) ways(back string) ways {
	on := v.ui.App.Passwords()
	return ways{
		Providers: v.ui.App.IdentityProviders(), Passwords: on || v.FormValue("with") == "password", Off: !on,
		Forgotten: on && v.ui.App.Mails(), Return: back,
	}
}

func (u *UI) showSignIn(v *visit) {
	back := ownPath(v.URL.Query().Get("return"))
	_, ok, err := v.visitor()
	switch {
	case err != nil:
		v.refuse(err)
	case ok:
		v.redirect(back)
	default:
		v.askWho(http.StatusOK, "", signInPage{Return: back})
	}
}

func (v *visit) askWho(status int, problem string, page signInPage) {
	page.Ways = v.ways(page.Return)
	v.show(status, "signin", frame{Title: "Sign in", Error: problem, Page: page})
}

func (u *UI) signIn(v *visit) {
	own := v.ownForm()
	page := signInPage{Name: v.PostFormValue("name"), Return: ownPath(v.PostFormValue("return"))}
	if !own {
		v.askWho(http.StatusForbidden, staleForm, page)
		return
	}
	if _, err := v.start(); err != nil {
		status, text := describe(err)
		if status == http.StatusInternalServerError {
			v.fail(err)
			return
		}
		v.askWho(v.held(status), text, page)
		return
	}
	v.redirect(page.Return)
}

// start signs in with the name and the password of the form.
func (v *visit) start() (belay.Principal, error) {
	s, value, err := v.ui.App.StartSession(v.Context(), identity.SignIn{
		Name: strings.TrimSpace(v.PostFormValue("name")), Password: v.PostFormValue("password"), Address: web.Address(v.Request),
	})
	if err == nil {
		v.setCookie(sessionCookie, value, int(belay.SessionLifetime.Seconds()))
	}
	return s, err
}

// held says when to come back, where the status is that one came too often.
func (v *visit) held(status int) int {
	if status == http.StatusTooManyRequests {
		v.w.Header().Set("Retry-After", "60")
	}
	return status
}

func (u *UI) signOut(v *visit) {
	if !v.ownForm() {
		v.problem(http.StatusForbidden, staleForm)
		return
	}
	if err := u.App.EndSession(v.Context(), v.cookie(sessionCookie)); err != nil {
		v.refuse(err)
		return
	}
	v.setCookie(sessionCookie, "", -1)
	v.redirect(signInPath)
}

// longestReturn is how long a path may be that a browser goes on to after signing in: it
// must fit into a cookie.
const longestReturn = 1500

// ownPath is a path of these pages, so that nobody is sent elsewhere after signing in.
func ownPath(raw string) string {
	to, err := url.Parse(raw)
	if err != nil || to.IsAbs() || to.Host != "" || to.User != nil || len(raw) > longestReturn || !strings.HasPrefix(to.Path, homePath) && to.Path != loginPath {
		return homePath
	}
	return (&url.URL{Path: to.Path, RawQuery: to.RawQuery}).String()
}
