package frame

import (
	"crypto/rand"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/hex"
	"net/http"
	"strings"

	"github.com/belayhq/belay"
	"github.com/belayhq/belay/internal/web"
	"github.com/belayhq/belay/signin"
)

// The names of the cookies. A browser takes the prefixed ones only over TLS, for the
// whole host, and from no neighbour below the same domain.
const (
	SessionCookie = "belay-session"
	formCookie    = "belay-form"
	LastCookie    = "belay-last" // the organization that the browser was in last
	securePrefix  = "__Host-"
)

// Secure says whether the browser reached us over TLS, by ourselves or a proxy in front.
func (v *Visit) Secure() bool {
	return v.TLS != nil || strings.HasPrefix(v.UI.PublicURL, "https://") || v.Header.Get("X-Forwarded-Proto") == "https"
}

func (v *Visit) cookieName(name string) string {
	if v.Secure() {
		return securePrefix + name
	}
	return name
}

// ReadCookie is the value of a cookie; empty when there is none.
func (v *Visit) ReadCookie(name string) string {
	c, err := v.Cookie(v.cookieName(name))
	if err != nil {
		return ""
	}
	return c.Value
}

// SetCookie keeps a value in the browser for so many seconds; 0 until it closes, -1 forgets it.
func (v *Visit) SetCookie(name, value string, seconds int) {
	http.SetCookie(v.Writer, &http.Cookie{
		Name: v.cookieName(name), Value: value, Path: "/", MaxAge: seconds,
		Secure: v.Secure(), HttpOnly: true, SameSite: http.SameSiteLaxMode,
	})
}

// FormSecret is what a form of this browser must bring back. Another site can make a
// browser send a form, but can't read the cookie that the secret is made from.
func (v *Visit) FormSecret() string {
	if v.secret == "" {
		v.secret = v.ReadCookie(formCookie)
	}
	if v.secret == "" {
		v.secret = belay.RandomText(43)
		v.SetCookie(formCookie, v.secret, 0)
	}
	session := v.session
	if session == "" {
		session = v.ReadCookie(SessionCookie)
	}
	return v.masked(boundForm(v.secret, session))
}

// boundForm is what is made of a browser's secret and its session: the forms of both carry it.
func boundForm(secret, session string) string {
	return belay.HashToken("form:" + secret + ":" + session)
}

// masked is a secret as pages carry it: pages are squeezed, and what is the same in each of them could be
// guessed from their lengths.
func (v *Visit) masked(secret string) string {
	if v.mask == nil {
		v.mask = make([]byte, sha256.Size)
		_, _ = rand.Read(v.mask) // it never fails
	}
	raw, _ := hex.DecodeString(secret) // it is a hash
	subtle.XORBytes(raw, raw, v.mask)
	return hex.EncodeToString(v.mask) + hex.EncodeToString(raw)
}

// unmasked is the secret that a page carried; empty where there is none.
func unmasked(carried string) string {
	raw, err := hex.DecodeString(carried)
	if err != nil || len(raw) != 2*sha256.Size {
		return ""
	}
	mask, secret := raw[:sha256.Size], raw[sha256.Size:]
	subtle.XORBytes(secret, secret, mask)
	return hex.EncodeToString(secret)
}

// OwnForm says whether a form that came in was made for this browser.
func (v *Visit) OwnForm() bool {
	kept := v.ReadCookie(formCookie)
	if v.ParseForm() != nil || kept == "" {
		return false
	}
	want := boundForm(kept, v.ReadCookie(SessionCookie))
	return subtle.ConstantTimeCompare([]byte(unmasked(v.PostForm.Get("form"))), []byte(want)) == 1
}

// StaleForm is what a person reads whose form is not, or no longer, this browser's.
const StaleForm = "This page was open for too long, or your browser keeps no cookies. Try again."

// Browser is what the request says of the browser that it comes from.
func (v *Visit) Browser() signin.Browser {
	device := strings.ToValidUTF8(v.UserAgent(), "")
	return signin.Browser{Device: strings.ReplaceAll(FirstLetters(device, signin.MostDevice), "\x00", ""), Address: web.Address(v.Request), At: v.UI.Now()}
}

// Visitor is who the browser is signed in as; ok is false when nobody.
func (v *Visit) Visitor() (s belay.Principal, ok bool, err error) {
	s, err = v.UI.App.VisitorTo(v.Context(), v.PathValue("organization"), v.ReadCookie(SessionCookie), v.Browser())
	if belay.KindOf(err) == belay.Unauthenticated {
		return s, false, nil
	}
	v.principal, v.who, v.Admin = s, s.Name, s.SiteAdmin
	if tenant := s.Tenant(); tenant != "" {
		v.Request = v.WithContext(v.UI.App.Tenants().As(v.Context(), tenant))
	}
	return s, err == nil, err
}
