package ui

import (
	"errors"
	"net/http"
	"net/url"
	"strings"

	"github.com/belayhq/belay"
)

// loginPage is the page that asks whether a command line may have a token.
type loginPage struct {
	Ask  belay.Authorization
	Name string // typed before
	Ways ways
}

// ask is what the command line asks for, from the address or the form.
func ask(values url.Values) belay.Authorization {
	return belay.Authorization{
		ClientID: values.Get("client_id"), RedirectURI: values.Get("redirect_uri"), ResponseType: values.Get("response_type"),
		State: values.Get("state"), Challenge: values.Get("code_challenge"), ChallengeMethod: values.Get("code_challenge_method"),
	}
}

// checked says whether what was asked for may be granted, and answers when it may not:
// to the person when the client is unknown, else to the client.
func (v *visit) checked(want belay.Authorization) bool {
	var refused *belay.GrantError
	if err := want.CheckClient(); errors.As(err, &refused) {
		v.problem(http.StatusBadRequest, "This link to sign in does not come from a command line that belongs here: "+refused.Detail+".")
		return false
	}
	if err := want.Check(); errors.As(err, &refused) {
		v.redirect(want.Refused(refused))
		return false
	}
	return true
}

func (u *UI) showLogin(v *visit) {
	want := ask(v.URL.Query())
	if !v.checked(want) {
		return
	}
	s, _, err := v.visitor()
	if err != nil {
		v.refuse(err)
		return
	}
	v.askLeave(http.StatusOK, "", s, loginPage{Ask: want})
}

// askLeave shows the page. Its form ends at the command line's own address, which the
// browser must be told.
func (v *visit) askLeave(status int, problem string, s belay.Principal, page loginPage) {
	page.Ways = v.ways(page.Ask.Page(loginPath))
	v.guard([]string{strings.TrimSuffix(page.Ask.RedirectURI, "/login")})
	v.show(status, "login", frame{Title: "Let your command line in", Error: problem, Visitor: s.Name, Page: page})
}

// login takes the form: it signs in when nobody is, then sends the browser to the
// command line with a code.
func (u *UI) login(v *visit) {
	own := v.ownForm()
	want := ask(v.PostForm)
	if !v.checked(want) {
		return
	}
	s, signedIn, err := v.visitor()
	page := loginPage{Ask: want, Name: v.PostFormValue("name")}
	switch {
	case err != nil:
		v.refuse(err)
		return
	case !own:
		v.askLeave(http.StatusForbidden, staleForm, s, page)
		return
	case v.PostFormValue("answer") == "no":
		v.redirect(want.Refused(&belay.GrantError{Code: "access_denied", Detail: "the person at the browser said no"}))
		return
	}
	if !signedIn {
		if s, err = v.start(); err != nil {
			v.startRefused(err, page)
			return
		}
	}
	code, err := u.App.AllowLogin(v.Context(), s, want)
	if err != nil {
		v.refuse(err)
		return
	}
	v.redirect(want.Granted(code))
}

func (v *visit) startRefused(err error, page loginPage) {
	status, text := describe(err)
	if status == http.StatusInternalServerError {
		v.fail(err)
		return
	}
	v.askLeave(v.held(status), text, belay.Principal{}, page)
}
