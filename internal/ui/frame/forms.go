package frame

import (
	"errors"
	"io"
	"mime/multipart"
	"net/http"
	"net/url"
	"strings"

	"github.com/belayhq/belay"
	"github.com/belayhq/belay/internal/patch"
	"github.com/belayhq/belay/internal/web"
)

// Submitted does what a form asks for and goes where that leads, or shows the page again with
// what was wrong.
func (v *Visit) Submitted(act func(belay.Principal) (to string, err error), again func(s belay.Principal, status int, problem string)) {
	status, problem := v.ReadForm()
	s, ok := v.SignedIn()
	if !ok {
		return
	}
	if problem == "" {
		to, err := act(s)
		if err == nil && len(to) > longestAddress {
			err = v.tooLong()
		}
		if err == nil {
			if to != "" { // else it has answered itself
				v.Redirect(to)
			}
			return
		}
		if status, problem = v.Describe(err); status == http.StatusNotFound || status == http.StatusInternalServerError {
			v.Refuse(err)
			return
		}
	}
	again(s, status, problem)
}

// longestAddress is how many bytes an address has that a form leads to: browsers, and what stands before servers, take no
// longer ones.
const longestAddress = 64 << 10

// tooLong refuses a form that leads to an address with what was typed, and names the field that makes it so long.
func (v *Visit) tooLong() error {
	longest, most := "", 0
	for name, values := range v.PostForm {
		if n := len(strings.Join(values, "")); n > most || n == most && name < longest {
			longest, most = name, n
		}
	}
	problem := belay.Refuse(belay.Invalid, "Too much to be asked for at once: %q has %s.", longest, BytesText(int64(most)))
	problem.Place = belay.Place(longest)
	return problem
}

// largestField is how many bytes a field has that comes before a file.
const largestField = 1 << 10

// SubmittedFile is Submitted of a form with a file, which is read as it comes: what the form carries
// besides comes before it. It has at most so many bytes.
func (v *Visit) SubmittedFile(name string, most int64, act func(s belay.Principal, file io.Reader) (to string, err error), again func(s belay.Principal, status int, problem string)) {
	v.Request.Body = http.MaxBytesReader(v.Writer, v.Request.Body, most)
	parts, err := v.MultipartReader()
	v.PostForm = url.Values{}
	for err == nil {
		var part *multipart.Part
		if part, err = parts.NextPart(); err != nil {
			break
		}
		if part.FormName() == name && part.FileName() != "" {
			v.Submitted(func(s belay.Principal) (string, error) {
				to, err := act(s, part)
				var large *http.MaxBytesError
				if errors.As(err, &large) {
					err = belay.Refuse(belay.TooLarge, "The file is larger than %d MiB.", most>>20)
				}
				return to, err
			}, again)
			return
		}
		var text []byte
		text, err = io.ReadAll(io.LimitReader(part, largestField))
		v.PostForm.Add(part.FormName(), string(text))
	}
	v.Submitted(func(belay.Principal) (string, error) {
		return "", belay.Refuse(belay.Invalid, "Choose a file first.")
	}, again)
}

// Typed is a text of several lines, each of which a browser ends its own way.
func (v *Visit) Typed(name string) string {
	return strings.ReplaceAll(v.PostFormValue(name), "\r\n", "\n")
}

// Ticked is a check box of the form that came.
func (v *Visit) Ticked(name string) patch.Field[bool] { return patch.Of(v.PostFormValue(name) != "") }

// Back is the address that the form was on.
func (v *Visit) Back() string { return OwnPath(v.URL.RequestURI()) }

// Given is a field of the form that came, without blanks around it.
func (v *Visit) Given(name string) string { return Trimmed(v.PostFormValue(name)) }

// Trimmed is a text without blanks around it.
func Trimmed(text string) string { return strings.TrimSpace(text) }

// Commas is the words of a list with commas.
func Commas(text string) (words []string) {
	for _, word := range strings.Split(text, ",") {
		if word = strings.TrimSpace(word); word != "" {
			words = append(words, word)
		}
	}
	return words
}

// unreadableForm is what a person reads whose form holds what no database keeps.
const unreadableForm = "The form is too long, or has characters that can't be kept."

// ReadForm takes the form that came in: problem is empty when it was made for this browser
// and can be read.
func (v *Visit) ReadForm() (status int, problem string) {
	if v.ParseForm() != nil || v.unreadable {
		return http.StatusUnprocessableEntity, unreadableForm
	}
	if !v.OwnForm() {
		return http.StatusForbidden, StaleForm
	}
	for _, values := range v.PostForm {
		for _, value := range values {
			if !web.IsText(value) {
				return http.StatusUnprocessableEntity, unreadableForm
			}
		}
	}
	return http.StatusOK, ""
}
