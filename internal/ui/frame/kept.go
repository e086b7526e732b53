package frame

import (
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/belayhq/belay"
	"github.com/belayhq/belay/internal/identity"
)

// personCookie is who was signed in last with the browser, as a hash: it outlives a session, so that what
// was typed before goes back to nobody else.
const personCookie = "belay-person"

// keptCookie is where a form waits that is short enough, sealed, while somebody is at a provider to sign in.
const keptCookie = "belay-kept"

const (
	keptFor    = 600  // seconds
	mostCookie = 3500 // bytes: browsers take 4096 with the name and all else
)

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
// is, or it has a password in it.
func (v *Visit) keepForm() string {
	person, size := v.ReadCookie(personCookie), 0
	if v.Method != http.MethodPost || len(v.PostForm) == 0 || person == "" || v.unreadable || !v.UI.App.Passwords() && len(v.UI.App.IdentityProviders()) == 0 {
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

// mostSealed is how long something sealed may be, so that the form that carries it is read.
const mostSealed = largestForm - 4<<10

// Seal is what a form had in it, sealed for whoever sent it there: a page carries it to the next step, and shows it to nobody.
func (v *Visit) Seal(s belay.Principal, values url.Values) (string, error) {
	sealed := v.UI.App.KeepForm(identity.KeptForm{Person: personOf(s), Path: "seal:" + v.URL.Path, Values: values})
	if len(sealed) > mostSealed {
		return "", belay.Refuse(belay.Invalid, "That is too much at once. Do it in parts.")
	}
	return sealed, nil
}

// Unseal opens what Seal sealed, for the same person at the same address, for ten minutes.
func (v *Visit) Unseal(s belay.Principal, sealed string) (url.Values, bool) {
	kept, ok := v.UI.App.KeptForm(sealed, personOf(s))
	return kept.Values, ok && kept.Path == "seal:"+v.URL.Path
}

// resumePage is a form that was kept, to be sent once more.
type resumePage struct {
	Path   string
	Fields []keptField
}

type keptField struct{ Name, Value string }

// setAside has the browser keep a form while it goes to a provider. It says whether the form is too long for that:
// then the provider is gone to in another window, and this one goes on with the form.
func (v *Visit) setAside(kept string) (tooLong bool) {
	if kept == "" || len(v.UI.App.IdentityProviders()) == 0 {
		return false
	}
	if len(kept) > mostCookie {
		return true
	}
	v.SetCookie(keptCookie, kept, keptFor)
	return false
}

// dropKept has the browser forget a form that was set aside.
func (v *Visit) dropKept() {
	if v.ReadCookie(keptCookie) != "" {
		v.SetCookie(keptCookie, "", -1)
	}
}

// AfterProvider is where somebody goes on to who has signed in by a provider: to a form that was set aside, else back.
func (v *Visit) AfterProvider(back string) string {
	if v.ReadCookie(keptCookie) == "" {
		return back
	}
	return KeptPath + "?return=" + url.QueryEscape(back)
}

// ShowKept shows a form that was set aside. It stays there until a form is sent, so that the page can be loaded again.
func (u *UI) ShowKept(v *Visit) {
	s, ok := v.SignedIn()
	if ok && !v.resume(s, v.ReadCookie(keptCookie)) {
		v.dropKept()
		v.Redirect(OwnPath(v.URL.Query().Get("return")))
	}
}

// goOn shows a form that was kept to who has signed in meanwhile, in another window.
func (v *Visit) goOn(page SignInPage) {
	s, ok, err := v.Visitor()
	switch {
	case err != nil:
		v.Refuse(err)
	case !ok:
		v.AskWho(http.StatusUnauthorized, "You are not signed in yet.", page)
	case !v.resume(s, page.Kept):
		v.Redirect(page.Return)
	}
}

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
