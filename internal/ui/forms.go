package ui

import (
	"net/http"
	"strings"

	"github.com/belayhq/belay"
	"github.com/belayhq/belay/internal/patch"
)

// submitted does what a form asks for and goes where that leads, or shows the page again with
// what was wrong.
func (v *visit) submitted(act func(belay.Principal) (to string, err error), again func(s belay.Principal, status int, problem string)) {
	status, problem := v.form()
	s, ok := v.signedIn()
	if !ok {
		return
	}
	if problem == "" {
		to, err := act(s)
		if err == nil {
			if to != "" { // else it has answered itself
				v.redirect(to)
			}
			return
		}
		if status, problem = describe(err); status == http.StatusNotFound || status == http.StatusInternalServerError {
			v.refuse(err)
			return
		}
	}
	again(s, status, problem)
}

// typed is a text of several lines, each of which a browser ends its own way.
func (v *visit) typed(name string) string {
	return strings.ReplaceAll(v.PostFormValue(name), "\r\n", "\n")
}

// ticked is a check box of the form that came.
func (v *visit) ticked(name string) patch.Field[bool] { return patch.Of(v.PostFormValue(name) != "") }

// back is the address that the form was on.
func (v *visit) back() string { return ownPath(v.URL.RequestURI()) }

// given is a field of the form that came, without blanks around it.
func (v *visit) given(name string) string { return trimmed(v.PostFormValue(name)) }

func trimmed(text string) string { return strings.TrimSpace(text) }

// commas is the words of a list with commas.
func commas(text string) (words []string) {
	for _, word := range strings.Split(text, ",") {
		if word = strings.TrimSpace(word); word != "" {
			words = append(words, word)
		}
	}
	return words
}

// unreadableForm is what a person reads whose form holds what no database keeps.
const unreadableForm = "The form is too long, or has characters that can't be kept."

// form takes the form that came in: problem is empty when it was made for this browser
// and can be read.
func (v *visit) form() (status int, problem string) {
	if v.ParseForm() != nil || v.unreadable {
		return http.StatusUnprocessableEntity, unreadableForm
	}
	if !v.ownForm() {
		return http.StatusForbidden, staleForm
	}
	for _, values := range v.PostForm {
		for _, value := range values {
			if !plain(value) {
				return http.StatusUnprocessableEntity, unreadableForm
			}
		}
	}
	return http.StatusOK, ""
}
