package ui

import (
	"crypto/subtle"
	"net/http"
	"strings"

	"github.com/belayhq/belay"
)

// The names of the cookies. A browser takes the prefixed ones only over TLS, for the
// whole host, and from no neighbour below the same domain.
const (
	sessionCookie = "belay-session"
	formCookie    = "belay-form"
	securePrefix  = "__Host-"
)

// secure says whether the browser reached us over TLS, by ourselves or a proxy in front.
func (v *visit) secure() bool {
	return v.TLS != nil || strings.HasPrefix(v.ui.PublicURL, "https://") || v.Header.Get("X-Forwarded-Proto") == "https"
}

func (v *visit) cookieName(name string) string {
	if v.secure() {
		return securePrefix + name
	}
	return name
}

func (v *visit) cookie(name string) string {
	c, err := v.Cookie(v.cookieName(name))
	if err != nil {
		return ""
	}
	return c.Value
}

// setCookie keeps a value in the browser for so many seconds; 0 until it closes, -1 forgets it.
func (v *visit) setCookie(name, value string, seconds int) {
	http.SetCookie(v.w, &http.Cookie{
		Name: v.cookieName(name), Value: value, Path: "/", MaxAge: seconds,
		Secure: v.secure(), HttpOnly: true, SameSite: http.SameSiteLaxMode,
	})
}

// formSecret is what a form of this browser must bring back. Another site can make a
// browser send a form, but can't read the cookie that the secret is made from.
func (v *visit) formSecret() string {
	if v.secret == "" {
		v.secret = v.cookie(formCookie)
	}
	if v.secret == "" {
		v.secret = belay.RandomText(43)
		v.setCookie(formCookie, v.secret, 0)
	}
	return belay.HashToken("form:" + v.secret + ":" + v.cookie(sessionCookie))
}

// ownForm says whether a form that came in was made for this browser.
func (v *visit) ownForm() bool {
	kept := v.cookie(formCookie)
	if v.ParseForm() != nil || kept == "" {
		return false
	}
	want := belay.HashToken("form:" + kept + ":" + v.cookie(sessionCookie))
	return subtle.ConstantTimeCompare([]byte(v.PostForm.Get("form")), []byte(want)) == 1
}

// staleForm is what a person reads whose form is not, or no longer, this browser's.
const staleForm = "This page was open for too long, or your browser keeps no cookies. Please try again."

// visitor is who the browser is signed in as; ok is false when nobody.
func (v *visit) visitor() (s belay.Principal, ok bool, err error) {
	s, err = v.ui.App.Visitor(v.Context(), v.cookie(sessionCookie))
	if belay.KindOf(err) == belay.Unauthenticated {
		return s, false, nil
	}
	v.who, v.admin = s.Name, s.SiteAdmin
	return s, err == nil, err
}
