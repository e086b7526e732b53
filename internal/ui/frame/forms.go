package frame

import (
	"errors"
	"hash/fnv"
	"io"
	"mime/multipart"
	"net/http"
	"net/url"
	"slices"
	"strconv"
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

// Ticked is a check box of the form that came, unless it stands as the form showed it.
func (v *Visit) Ticked(name string) patch.Field[bool] {
	if v.Kept(name) {
		return patch.Field[bool]{}
	}
	return patch.Of(v.PostFormValue(name) != "")
}

// Edited is a field of the form that came, unless it stands as the form showed it.
func (v *Visit) Edited(name string) patch.Field[string] {
	if v.Kept(name) {
		return patch.Field[string]{}
	}
	return patch.Of(Trimmed(v.Typed(name)))
}

// ShownIn is what fields show, a mark for each value. Their form sends it back as "was": whoever saves changes what they
// changed, and not what somebody else changed while they looked.
func ShownIn(fields []FormField) string {
	shown := url.Values{}
	for i := range fields {
		f := &fields[i]
		if f.Kind != "password" {
			shown[f.Name] = append(append(shown[f.Name], ""), printsOf(f.values())...)
		}
	}
	return shown.Encode()
}

// values is what a browser sends of a field that nobody touches.
func (f *FormField) values() (list []string) {
	switch f.Kind {
	case "check":
		if f.On {
			list = []string{"yes"}
		}
	case "select", "checks":
		for _, c := range f.Choices {
			if c.On {
				list = append(list, c.Value)
			}
		}
		if f.Kind == "select" && list == nil && len(f.Choices) > 0 {
			list = []string{f.Choices[0].Value}
		}
	default:
		list = []string{f.Value}
	}
	return list
}

// printsOf is short marks of values, but for empty ones, however their lines end.
func printsOf(values []string) (marks []string) {
	for _, value := range values {
		if value != "" {
			sum := fnv.New64a()
			_, _ = lineEnds.WriteString(sum, value)
			marks = append(marks, strconv.FormatUint(sum.Sum64(), 36))
		}
	}
	slices.Sort(marks)
	return marks
}

var lineEnds = strings.NewReplacer("\r\n", "\n", "\r", "\n")

// shown is the marks of what a field of the form that came showed; it is unknown of a form that makes something.
func (v *Visit) shown(name string) (marks []string, known bool) {
	was, err := url.ParseQuery(v.PostFormValue("was"))
	marks, known = was[name]
	marks = slices.DeleteFunc(marks, func(mark string) bool { return mark == "" })
	slices.Sort(marks)
	return marks, known && err == nil
}

// Kept says whether all of some fields stand as the form showed them.
func (v *Visit) Kept(names ...string) bool {
	for _, name := range names {
		if marks, known := v.shown(name); !known || !slices.Equal(marks, printsOf(v.PostForm[name])) {
			return false
		}
	}
	return true
}

// KeptChoice says whether one of several boxes of a name stands as the form showed it.
func (v *Visit) KeptChoice(name, value string) bool {
	marks, known := v.shown(name)
	return known && slices.Contains(marks, printsOf([]string{value})[0]) == slices.Contains(v.PostForm[name], value)
}

// Overtaken refuses a form in which a field was changed that is another one by now than the form showed.
func (v *Visit) Overtaken(now []FormField) error {
	for i := range now {
		f := &now[i]
		was, known := v.shown(f.Name)
		mine, theirs := printsOf(v.PostForm[f.Name]), printsOf(f.values())
		if !known || slices.Equal(mine, was) || slices.Equal(theirs, was) || slices.Equal(mine, theirs) {
			continue
		}
		problem := belay.Refuse(belay.Conflict, "%q was changed by somebody else meanwhile%s. Yours is still in the form: save it again to put it there instead.", f.Label, f.says())
		problem.Place = belay.Place(f.Name)
		return problem
	}
	return nil
}

// KeptDays says whether a form that says how long old states are kept leaves that as it is. Days that were typed count
// only where it says that they do.
func KeptDays(v *Visit) (kept bool, err error) {
	switch kind := belay.RetentionKind(v.PostFormValue("kind")); {
	case v.Kept("kind", "days"):
		return true, nil
	case v.Kept("kind") && kind != belay.DeleteOlder:
		return true, belay.Refuse(belay.Invalid, "Days count where states are deleted when they are old: choose that, too.")
	default:
		return false, nil
	}
}

// says is what a field is by now, in a few words.
func (f *FormField) says() string {
	text := f.Value
	for _, c := range f.Choices {
		if c.On {
			text = c.Text
		}
	}
	switch text = Cut(text, shortAnswer); {
	case f.Kind == "check", f.Kind == "checks":
		return ""
	case text == "":
		return ": it is empty now"
	default:
		return ", to " + text
	}
}

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
