package ui

import (
	"net/http"
	"net/url"
	"strconv"
	"time"
	"unicode/utf8"

	"github.com/belayhq/belay"
	"github.com/belayhq/belay/internal/identity"
	"github.com/belayhq/belay/internal/patch"
)

// tokensPage is the page of a person's own tokens.
type tokensPage struct {
	Value       string // of a token just made: shown this once
	ForLogin    bool   // a command line waits for a token to be pasted
	Description string
	Tokens      []tokenRow
	More        int // how many tokens are not shown
}

type tokenRow struct{ ID, Description, Created, Used, Expires string }

// mostTokens is how many tokens the page shows.
const mostTokens = 100

// signedIn is who the browser is signed in as. Where it is nobody, it answers with the
// way to sign in and come back.
func (v *visit) signedIn() (belay.Principal, bool) {
	s, ok, err := v.visitor()
	switch {
	case err != nil:
		v.refuse(err)
	case !ok:
		back := homePath
		if v.Method == http.MethodGet {
			back = v.URL.RequestURI()
		}
		v.redirect(signInPath + "?return=" + url.QueryEscape(back))
	}
	return s, ok
}

func (u *UI) showTokens(v *visit) {
	s, ok := v.signedIn()
	if !ok {
		return
	}
	page := tokensPage{ForLogin: v.URL.Query().Get("source") == "terraform-login"}
	if page.ForLogin {
		page.Description = "terraform login"
	}
	v.listTokens(http.StatusOK, "", s, page)
}

func (v *visit) listTokens(status int, problem string, s belay.Principal, page tokensPage) {
	list, total, err := v.ui.App.UserTokens(v.Context(), s, s.ID, belay.Page{Number: 1, Size: mostTokens})
	if err != nil {
		v.refuse(err)
		return
	}
	for _, t := range list {
		page.Tokens = append(page.Tokens, tokenRow{
			ID: t.ID, Description: t.Description, Created: day(t.CreatedAt, ""), Used: day(t.LastUsedAt, "never"), Expires: day(t.ExpiredAt, "never"),
		})
	}
	page.More = total - len(list)
	v.show(status, "tokens", frame{Title: "Your tokens", Error: problem, Visitor: s.Name, Page: page})
}

func day(at time.Time, none string) string {
	if at.IsZero() {
		return none
	}
	return at.Format(time.DateOnly)
}

// lives are the choices of how many days a token lives.
var lives = map[string]int{"30": 30, "90": 90, "365": 365, "730": 730}

func (u *UI) createToken(v *visit) {
	own := v.ownForm()
	s, ok := v.signedIn()
	if !ok {
		return
	}
	page := tokensPage{Description: v.PostFormValue("description")}
	days, known := lives[v.PostFormValue("days")]
	switch {
	case !own:
		v.listTokens(http.StatusForbidden, staleForm, s, page)
		return
	case !known || !plainText(page.Description):
		page.Description = ""
		v.listTokens(http.StatusUnprocessableEntity, "Give the token a description of up to 255 characters, and one of the lives offered.", s, page)
		return
	}
	want := identity.NewToken{Description: page.Description, ExpiredAt: patch.Of(time.Now().AddDate(0, 0, days))}
	_, value, err := u.App.CreateUserToken(v.Context(), s, s.ID, want)
	if err != nil {
		v.refuse(err)
		return
	}
	v.listTokens(http.StatusCreated, "", s, tokensPage{Value: value})
}

// plainText says whether a line of text can be kept and read.
func plainText(text string) bool {
	if len(text) > 255 || !utf8.ValidString(text) {
		return false
	}
	for _, letter := range text {
		if !strconv.IsPrint(letter) {
			return false
		}
	}
	return text != ""
}

func (u *UI) endToken(v *visit) {
	own := v.ownForm()
	s, ok := v.signedIn()
	if !ok {
		return
	}
	if !own {
		v.listTokens(http.StatusForbidden, staleForm, s, tokensPage{})
		return
	}
	id := v.PostFormValue("id")
	if !plainText(id) {
		v.refuse(belay.ErrNotFound)
		return
	}
	if err := u.App.DeleteToken(v.Context(), s, id); err != nil {
		v.refuse(err)
		return
	}
	v.redirect(tokensPath)
}
