package frame

import (
	"net/http"
	"net/url"
	"strings"

	"github.com/belayhq/belay"
	"github.com/belayhq/belay/internal/identity"
	"github.com/belayhq/belay/internal/web"
	"github.com/belayhq/belay/signin"
)

// SignInPage is the page that asks who is there.
type SignInPage struct {
	Name, Return string
	Kept         string // a form that was sent when the session was over, sealed
	Long         bool   // it is too long to be kept by the browser while it is at a provider
	Ways         Ways
}

// Ways are how one may sign in: by providers, with a password, or both.
type Ways struct {
	Providers []signin.IdentityProvider
	Passwords bool   // the form is shown
	Off       bool   // passwords are switched off for all but one
	Forgotten bool   // a new password can be had by mail
	Return    string // where providers send the browser on to
	Away      bool   // they are gone to in another window
}

// Ways is how a browser may sign in here. Where passwords are switched off, the form is
// shown to who asks for it.
func (v *Visit) Ways(back string) Ways {
	on := v.UI.App.Passwords()
	return Ways{
		Providers: v.UI.App.IdentityProviders(), Passwords: on || v.FormValue("with") == "password", Off: !on,
		Forgotten: on && v.UI.App.Mails(), Return: back,
	}
}

// ShowSignIn asks who comes.
func (u *UI) ShowSignIn(v *Visit) {
	back := OwnPath(v.URL.Query().Get("return"))
	_, ok, err := v.Visitor()
	switch {
	case err != nil:
		v.Refuse(err)
	case ok:
		v.Redirect(back)
	default:
		v.AskWho(http.StatusOK, "", SignInPage{Return: back})
	}
}

// AskWho shows the form that signs in.
func (v *Visit) AskWho(status int, problem string, page SignInPage) {
	page.Ways, page.Long = v.Ways(page.Return), v.setAside(page.Kept)
	page.Ways.Away = page.Long
	v.Show(status, "signin", Frame{Title: "Sign in", Error: problem, Page: page})
}

// SignIn signs somebody in.
func (u *UI) SignIn(v *Visit) {
	own := v.OwnForm()
	page := SignInPage{Name: v.PostFormValue("name"), Return: OwnPath(v.PostFormValue("return")), Kept: v.PostFormValue("kept")}
	if page.Kept != "" && v.PostForm.Has("signed-in") { // it only shows a form, which carries its own secret
		v.goOn(page)
		return
	}
	if !own {
		v.AskWho(http.StatusForbidden, StaleForm, page)
		return
	}
	s, err := v.Start()
	if err != nil {
		status, text := v.Describe(err)
		if status == http.StatusInternalServerError {
			v.Fail(err)
			return
		}
		v.AskWho(status, text, page)
		return
	}
	v.dropKept()
	if !v.resume(s, page.Kept) {
		v.Redirect(page.Return)
	}
}

// Start signs in with the name and the password of the form.
func (v *Visit) Start() (belay.Principal, error) {
	s, value, err := v.UI.App.StartSession(v.Context(), identity.SignIn{
		Name: strings.TrimSpace(v.PostFormValue("name")), Password: v.PostFormValue("password"), Address: web.Address(v.Request),
	})
	if err == nil {
		v.SetCookie(SessionCookie, value, int(signin.SessionLifetime.Seconds()))
		v.session = value
	}
	return s, err
}

// SignOut ends a session.
func (u *UI) SignOut(v *Visit) {
	if !v.OwnForm() {
		v.Problem(http.StatusForbidden, StaleForm)
		return
	}
	if err := u.App.EndSession(v.Context(), v.ReadCookie(SessionCookie)); err != nil {
		v.Refuse(err)
		return
	}
	v.SetCookie(SessionCookie, "", -1)
	v.Redirect(SignInPath)
}

// longestReturn is how long a path may be that a browser goes on to after signing in: it
// must fit into a cookie.
const longestReturn = 1500

// OwnPath is a path of these pages, so that nobody is sent elsewhere after signing in.
func OwnPath(raw string) string {
	to, err := url.Parse(raw)
	if err != nil || to.IsAbs() || to.Host != "" || to.User != nil || len(raw) > longestReturn || !strings.HasPrefix(to.Path, HomePath) && to.Path != LoginPath {
		return HomePath
	}
	return (&url.URL{Path: to.Path, RawQuery: to.RawQuery}).String()
}
