package ui

import (
	"errors"
	"net/http"
	"strings"

	"github.com/belayhq/belay"
	"github.com/belayhq/belay/internal/identity"
)

// flowCookie begins the name of the cookie that a sign-in by a provider lies in meanwhile.
// Each has one of its own, so that two windows don't take it from each other.
const flowCookie = "belay-flow-"

func flowCookieOf(state string) string { return flowCookie + belay.HashToken(state)[:16] }

// origin is what people reach these pages by.
func (v *visit) origin() string {
	if v.ui.PublicURL != "" {
		return strings.TrimSuffix(v.ui.PublicURL, "/")
	}
	if v.secure() {
		return "https://" + v.Host
	}
	return "http://" + v.Host
}

// keep has the browser remember a sign-in that it leaves for.
func (v *visit) keep(d identity.Departure) {
	const tenMinutes = 600
	v.setCookie(flowCookieOf(d.State), d.Sealed, tenMinutes)
}

// leave sends the browser to a provider.
func (u *UI) leave(v *visit) {
	id := v.PathValue("id")
	if !plain(id) {
		noPage(v)
		return
	}
	d, err := u.App.LeaveFor(v.Context(), id, v.origin()+comingPath+id, ownPath(v.URL.Query().Get("return")))
	if belay.KindOf(err) == belay.NotFound {
		noPage(v)
		return
	}
	if err != nil {
		v.refuse(err)
		return
	}
	v.keep(d)
	v.redirect(d.Address)
}

// comeBack takes what a browser brings from a provider.
func (u *UI) comeBack(v *visit) {
	query := v.URL.Query()
	name := flowCookieOf(query.Get("state"))
	brought := identity.Return{
		Provider: v.PathValue("id"), State: query.Get("state"), Code: query.Get("code"), Sealed: v.cookie(name),
		Issuer: query.Get("iss"), Problem: query.Get("error"), Session: v.cookie(sessionCookie),
	}
	if brought.Sealed != "" {
		v.setCookie(name, "", -1) // it is good for one try
	}
	in, err := u.App.ComeBack(v.Context(), brought)
	switch {
	case errors.Is(err, belay.ErrUnauthenticated):
		v.redirect(signInPath)
	case err != nil:
		v.strayed(err)
	case in.Linked:
		v.redirect(waysPath + "?linked=yes")
	default:
		// The session that the browser had is another person's, or an older one of the same.
		if err := u.App.EndSession(v.Context(), brought.Session); err != nil {
			v.refuse(err)
			return
		}
		v.setCookie(sessionCookie, in.Value, int(in.Lasts.Seconds()))
		v.redirect(in.Return)
	}
}

// strayed tells why a sign-in by a provider came to nothing, with a way to begin again.
func (v *visit) strayed(err error) {
	status, text := describe(err)
	if status == http.StatusInternalServerError || status == http.StatusNotFound {
		v.refuse(err)
		return
	}
	v.askWho(v.held(status), text, signInPage{Return: homePath})
}

// waysPage is the page of how a person signs in.
type waysPage struct {
	Password   bool // the person has one
	Linked     []linkedRow
	Providers  []belay.IdentityProvider
	Go, GoName string // where the browser goes on to, to have an identity linked
	Said       string
}

type linkedRow struct{ ID, Provider, As, Since string }

func (u *UI) showWays(v *visit) {
	s, ok := v.signedIn()
	if !ok {
		return
	}
	var page waysPage
	if v.URL.Query().Get("linked") != "" {
		page.Said = "The identity is linked to your account."
	}
	v.listWays(http.StatusOK, "", s, page)
}

func (v *visit) listWays(status int, problem string, s belay.Principal, page waysPage) {
	list, password, err := v.ui.App.Ways(v.Context(), s)
	if err != nil {
		v.refuse(err)
		return
	}
	page.Password, page.Providers = password, v.ui.App.IdentityProviders()
	for _, i := range list {
		row := linkedRow{ID: i.ID, Provider: i.Issuer, As: i.Email, Since: day(i.CreatedAt, "")}
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
	v.show(status, "ways", frame{Title: "Sign-in", Error: problem, Visitor: s.Name, Page: page})
}

// linkWay proves who is there by the password, and shows the way to the provider. It is a
// link: a form may not lead the browser elsewhere.
func (u *UI) linkWay(v *visit) {
	v.wayForm(func(s belay.Principal) error {
		id := v.PostFormValue("provider")
		d, err := u.App.LeaveToLink(v.Context(), s, id, v.origin()+comingPath+id, v.PostFormValue("password"))
		if err != nil {
			return err
		}
		v.keep(d)
		page := waysPage{Go: d.Address}
		for _, p := range u.App.IdentityProviders() {
			if p.ID == id {
				page.GoName = p.Name
			}
		}
		v.listWays(http.StatusOK, "", s, page)
		return nil
	})
}

func (u *UI) unlinkWay(v *visit) {
	v.wayForm(func(s belay.Principal) error {
		id := v.PostFormValue("id")
		if !plainText(id) {
			return belay.ErrNotFound
		}
		if err := u.App.UnlinkIdentity(v.Context(), s, id); err != nil {
			return err
		}
		v.redirect(waysPath)
		return nil
	})
}

// wayForm takes a form of the page of ways to sign in.
func (v *visit) wayForm(do func(s belay.Principal) error) {
	own := v.ownForm()
	s, ok := v.signedIn()
	if !ok {
		return
	}
	if !own {
		v.listWays(http.StatusForbidden, staleForm, s, waysPage{})
		return
	}
	if err := do(s); err != nil {
		status, text := describe(err)
		if status == http.StatusInternalServerError || status == http.StatusNotFound {
			v.refuse(err)
			return
		}
		v.listWays(v.held(status), text, s, waysPage{})
	}
}
