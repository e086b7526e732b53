// Package access owns the pages of who somebody is and what they may: signing in by password, provider or mail,
// the profile, programs that ask for a token, teams, members, and the matrix of levels.
package access

import (
	"errors"
	"net/http"
	"net/url"
	"strings"

	"github.com/belayhq/belay"
	"github.com/belayhq/belay/internal/ui/frame"
	"github.com/belayhq/belay/signin"
)

// loginPage is the page that asks whether a command line may have a token.
type loginPage struct {
	Ask  signin.Authorization
	Name string // typed before
	Ways frame.Ways
}

// ask is what the command line asks for, from the address or the form.
func ask(values url.Values) signin.Authorization {
	return signin.Authorization{
		ClientID: values.Get("client_id"), RedirectURI: values.Get("redirect_uri"), ResponseType: values.Get("response_type"),
		State: values.Get("state"), Challenge: values.Get("code_challenge"), ChallengeMethod: values.Get("code_challenge_method"),
	}
}

// checked says whether what was asked for may be granted, and answers when it may not:
// to the person when the client is unknown, else to the client.
func checked(v *frame.Visit, want signin.Authorization) bool {
	var refused *signin.GrantError
	if err := want.CheckClient(); errors.As(err, &refused) {
		v.Problem(http.StatusBadRequest, "This link to sign in does not come from a command line that belongs here: "+refused.Detail+".")
		return false
	}
	if err := want.Check(); errors.As(err, &refused) {
		v.Redirect(want.Refused(refused))
		return false
	}
	return true
}

// ShowLogin asks whether a program may have a token.
func ShowLogin(v *frame.Visit) {
	want := ask(v.URL.Query())
	if !checked(v, want) {
		return
	}
	s, _, err := v.Visitor()
	if err != nil {
		v.Refuse(err)
		return
	}
	askLeave(v, http.StatusOK, "", s, loginPage{Ask: want})
}

// askLeave shows the page. Its form ends at the command line's own address, which the
// browser must be told.
func askLeave(v *frame.Visit, status int, problem string, s belay.Principal, page loginPage) {
	page.Ways = v.Ways(page.Ask.Page(frame.LoginPath))
	v.Guard([]string{strings.TrimSuffix(page.Ask.RedirectURI, "/login")})
	v.Show(status, "login", frame.Frame{Title: "Let your command line in", Error: problem, Visitor: s.Name, Page: page})
}

// Login takes the form: it signs in when nobody is, then sends the browser to the
// command line with a code.
func Login(v *frame.Visit) {
	own := v.OwnForm()
	want := ask(v.PostForm)
	if !checked(v, want) {
		return
	}
	s, signedIn, err := v.Visitor()
	page := loginPage{Ask: want, Name: v.PostFormValue("name")}
	switch {
	case err != nil:
		v.Refuse(err)
		return
	case !own:
		askLeave(v, http.StatusForbidden, frame.StaleForm, s, page)
		return
	case v.PostFormValue("answer") == "no":
		v.Redirect(want.Refused(&signin.GrantError{Code: "access_denied", Detail: "the person at the browser said no"}))
		return
	}
	if !signedIn {
		if s, err = v.Start(); err != nil {
			startRefused(v, err, page)
			return
		}
	}
	code, err := v.UI.App.AllowLogin(v.Context(), s, want)
	if err != nil {
		v.Refuse(err)
		return
	}
	v.Redirect(want.Granted(code))
}

func startRefused(v *frame.Visit, err error, page loginPage) {
	status, text := v.Describe(err)
	if status == http.StatusInternalServerError {
		v.Fail(err)
		return
	}
	askLeave(v, status, text, belay.Principal{}, page)
}
