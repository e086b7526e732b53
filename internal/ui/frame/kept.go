package frame

import (
	"maps"
	"net/http"
	"slices"
	"strings"

	"github.com/belayhq/belay"
	"github.com/belayhq/belay/internal/identity"
)

// personCookie is who was signed in last with the browser, as a hash: it outlives a session, so that what
// was typed before goes back to nobody else.
const personCookie = "belay-person"

// largestKept is how many bytes of a form are kept; it comes back twice in the page that asks who is there.
const largestKept = 200 << 10

func personOf(s belay.Principal) string { return belay.HashToken("person:" + s.ID)[:32] }

// remember has the browser know whose it is.
func (v *Visit) remember(s belay.Principal) {
	if person := personOf(s); v.ReadCookie(personCookie) != person {
		v.SetCookie(personCookie, person, 0)
	}
}

// keepForm is the form that came, sealed; empty where it is not kept: there is none, nobody knows whose it
// is, it has a password in it, or whoever comes back does not come with one.
func (v *Visit) keepForm() string {
	person, size := v.ReadCookie(personCookie), 0
	if v.Method != http.MethodPost || len(v.PostForm) == 0 || person == "" || v.unreadable || !v.UI.App.Passwords() {
		return ""
	}
	values := maps.Clone(v.PostForm)
	delete(values, "form")
	for name, list := range values {
		if strings.Contains(name, "password") || name == "again" {
			return ""
		}
		for _, value := range list {
			size += len(name) + len(value)
		}
	}
	if size > largestKept {
		return ""
	}
	return v.UI.App.KeepForm(identity.KeptForm{Person: person, Path: v.URL.RequestURI(), Values: values})
}

// resumePage is a form that was kept, to be sent once more.
type resumePage struct {
	Path   string
	Fields []keptField
}

type keptField struct{ Name, Value string }

// resume shows a form that was kept to whoever had sent it and is signed in again. It is not sent by itself:
// meanwhile things may have changed.
func (v *Visit) resume(s belay.Principal, sealed string) bool {
	kept, ok := v.UI.App.KeptForm(sealed, personOf(s))
	if !ok || OwnPath(kept.Path) != kept.Path {
		return false
	}
	page := &resumePage{Path: kept.Path}
	for _, name := range slices.Sorted(maps.Keys(kept.Values)) {
		for _, value := range kept.Values[name] {
			page.Fields = append(page.Fields, keptField{name, value})
		}
	}
	v.Show(http.StatusOK, "resume", Frame{Title: "What you typed is still here", Page: page})
	return true
}
