package access

import (
	"errors"
	"net/http"
	"strings"

	"github.com/belayhq/belay"
	"github.com/belayhq/belay/internal/identity"
	"github.com/belayhq/belay/internal/ui/frame"
	"github.com/belayhq/belay/internal/web"
	"github.com/belayhq/belay/signin"
)

// flowCookie begins the name of the cookie that a sign-in by a provider lies in meanwhile.
// Each has one of its own, so that two windows don't take it from each other.
const flowCookie = "belay-flow-"

func flowCookieOf(state string) string { return flowCookie + belay.HashToken(state)[:16] }

// origin is what people reach these pages by.
func origin(v *frame.Visit) string {
	if v.UI.PublicURL != "" {
		return strings.TrimSuffix(v.UI.PublicURL, "/")
	}
	if v.Secure() {
		return "https://" + v.Host
	}
	return "http://" + v.Host
}

// keep has the browser remember a sign-in that it leaves for.
func keep(v *frame.Visit, d identity.Departure) {
	const tenMinutes = 600
	v.SetCookie(flowCookieOf(d.State), d.Sealed, tenMinutes)
}

// Leave sends the browser to a provider.
func Leave(v *frame.Visit) {
	id := v.PathValue("id")
	if !web.IsText(id) {
		frame.NoPage(v)
		return
	}
	d, err := v.UI.App.LeaveFor(v.Context(), id, origin(v)+frame.ComingPath+id, frame.OwnPath(v.URL.Query().Get("return")))
	if belay.KindOf(err) == belay.NotFound {
		frame.NoPage(v)
		return
	}
	if err != nil {
		v.Refuse(err)
		return
	}
	keep(v, d)
	v.Redirect(d.Address)
}

// ComeBack takes what a browser brings from a provider.
func ComeBack(v *frame.Visit) {
	query := v.URL.Query()
	name := flowCookieOf(query.Get("state"))
	brought := identity.Return{
		Provider: v.PathValue("id"), State: query.Get("state"), Code: query.Get("code"), Sealed: v.ReadCookie(name),
		Issuer: query.Get("iss"), Problem: query.Get("error"), Session: v.ReadCookie(frame.SessionCookie),
	}
	if brought.Sealed != "" {
		v.SetCookie(name, "", -1) // it is good for one try
	}
	in, err := v.UI.App.ComeBack(v.Context(), brought)
	switch {
	case errors.Is(err, belay.ErrUnauthenticated):
		v.Redirect(frame.SignInPath)
	case err != nil:
		strayed(v, err)
	case in.Linked:
		v.Redirect(frame.WaysPath + "?linked=yes")
	default:
		// The session that the browser had is another person's, or an older one of the same.
		if err := v.UI.App.EndSession(v.Context(), brought.Session); err != nil {
			v.Refuse(err)
			return
		}
		v.SetCookie(frame.SessionCookie, in.Value, int(in.Lasts.Seconds()))
		v.Redirect(v.AfterProvider(in.Return))
	}
}

// strayed tells why a sign-in by a provider came to nothing, with a way to begin again.
func strayed(v *frame.Visit, err error) {
	status, text := v.Describe(err)
	if status == http.StatusInternalServerError || status == http.StatusNotFound {
		v.Refuse(err)
		return
	}
	v.AskWho(status, text, frame.SignInPage{Return: frame.HomePath})
}

// waysPage is the page of how a person signs in.
type waysPage struct {
	Password   bool // the person has one
	Linked     []linkedRow
	Providers  []signin.IdentityProvider
	Go, GoName string // where the browser goes on to, to have an identity linked
	Said       string
}

type linkedRow struct{ ID, Provider, As, Since string }

// ShowWays lists how somebody signs in.
func ShowWays(v *frame.Visit) {
	s, ok := v.SignedIn()
	if !ok {
		return
	}
	var page waysPage
	if v.URL.Query().Get("linked") != "" {
		page.Said = "The identity is linked to your account."
	}
	listWays(v, http.StatusOK, "", s, page)
}

func listWays(v *frame.Visit, status int, problem string, s belay.Principal, page waysPage) {
	list, password, err := v.UI.App.Ways(v.Context(), s)
	if err != nil {
		v.Refuse(err)
		return
	}
	page.Password, page.Providers = password, v.UI.App.IdentityProviders()
	for _, i := range list {
		row := linkedRow{ID: i.ID, Provider: i.Issuer, As: i.Email, Since: frame.Day(i.CreatedAt, "")}
		if row.As == "" {
			row.As = i.Subject
		}
		for _, p := range page.Providers {
			if p.Issuer == i.Issuer {
				row.Provider = p.Name
			}
		}
		page.Linked = append(page.Linked, row)
	}
	v.Show(status, "ways", frame.Frame{Title: "Sign-in", Error: problem, Visitor: s.Name, Page: page})
}

// LinkWay proves who is there by the password, and shows the way to the provider. It is a
// link: a form may not lead the browser elsewhere.
func LinkWay(v *frame.Visit) {
	wayForm(v, func(s belay.Principal) error {
		id := v.PostFormValue("provider")
		d, err := v.UI.App.LeaveToLink(v.Context(), s, id, origin(v)+frame.ComingPath+id, v.PostFormValue("password"))
		if err != nil {
			return err
		}
		keep(v, d)
		page := waysPage{Go: d.Address}
		for _, p := range v.UI.App.IdentityProviders() {
			if p.ID == id {
				page.GoName = p.Name
			}
		}
		listWays(v, http.StatusOK, "", s, page)
		return nil
	})
}

// UnlinkWay ends a way of signing in.
func UnlinkWay(v *frame.Visit) {
	wayForm(v, func(s belay.Principal) error {
		id := v.PostFormValue("id")
		if !frame.PlainText(id) {
			return belay.ErrNotFound
		}
		if err := v.UI.App.UnlinkIdentity(v.Context(), s, id); err != nil {
			return err
		}
		v.Redirect(frame.WaysPath)
		return nil
	})
}

// wayForm takes a form of the page of ways to sign in.
func wayForm(v *frame.Visit, do func(s belay.Principal) error) {
	own := v.OwnForm()
	s, ok := v.SignedIn()
	if !ok {
		return
	}
	if !own {
		listWays(v, http.StatusForbidden, frame.StaleForm, s, waysPage{})
		return
	}
	if err := do(s); err != nil {
		status, text := v.Describe(err)
		if status == http.StatusInternalServerError || status == http.StatusNotFound {
			v.Refuse(err)
			return
		}
		listWays(v, status, text, s, waysPage{})
	}
}
