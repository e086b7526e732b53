package e2e_test

import (
	"net/http"
	"net/url"
	"strings"
	"testing"
)

// endSession forgets the session of a browser at the server, as its end would.
func (b *browser) endSession(s *server) {
	b.t.Helper()
	twin := b.copyOfCookies(b.t)
	twin.post("/app/sign-out", twin.get(organizationsPath).form()).want(b.t, http.StatusSeeOther)
}

// TestAFormOutlivesItsSession: what was typed when a session was over is there after signing in, for who had
// typed it, and is sent once more by a button.
func TestAFormOutlivesItsSession(t *testing.T) {
	each(t, func(t *testing.T, s *server) {
		s.people()
		b := s.signIn("olga")
		s.signIn("rita") // gets the password
		const list = "/app/acme/projects"
		typed := func() url.Values {
			return b.get(list).want(t, 200).form("do", "new", "name", "edge", "description", "two & <lines>")
		}
		again := func(asks reply, name, with string) reply {
			return b.post("/app/sign-in", asks.form("name", name, "password", with))
		}
		form := typed()
		b.endSession(s)
		asks := b.post(list, form).want(t, 401).has(t, "Your session is over", `name="kept"`).hasNot(t, "two &amp; &lt;lines&gt;").inert(t)
		asks = again(asks, "olga", "wrong").want(t, 401).has(t, `name="kept"`)
		kept := again(asks, "olga", password).want(t, 200).has(t, "Send it now", `action="`+list+`"`, `value="two &amp; &lt;lines&gt;"`).inert(t)
		b.get(list).want(t, 200).hasNot(t, "two &amp; &lt;lines&gt;")
		b.post(list, kept.form()).want(t, 303)
		b.get(list).want(t, 200).has(t, "two &amp; &lt;lines&gt;")

		// Somebody else who signs in gets nothing of it, and neither does who brings it to another browser.
		form = typed()
		form.Set("name", "rim")
		b.endSession(s)
		asks = b.post(list, form).want(t, 401)
		sealed := asks.form().Get("kept")
		again(asks, "rita", password).want(t, 303)
		other := s.browse()
		other.post("/app/sign-in", other.get("/app/sign-in").form("name", "rita", "password", password, "kept", sealed)).want(t, 303)
		other.post("/app/sign-out", other.get(organizationsPath).form()).want(t, 303)
		for _, broken := range []string{"x", sealed[:len(sealed)-2], strings.ToUpper(sealed)} {
			other.post("/app/sign-in", other.get("/app/sign-in").form("name", "olga", "password", password, "kept", broken)).want(t, 303)
			other.post("/app/sign-out", other.get(organizationsPath).form()).want(t, 303)
		}

		// A browser that nobody was signed in with, a form with a password, and one that is too large are not kept.
		nobody := s.browse()
		nobody.post(list, url.Values{"name": {"x"}}).want(t, 303)
		b = s.signIn("olga")
		b.get(organizationsPath).want(t, 200)
		b.endSession(s)
		b.post("/app/~/profile", url.Values{"password": {"x"}, "do": {"password"}}).want(t, 303)
		b.post(list, url.Values{"name": {strings.Repeat("x", 300<<10)}}).want(t, 303)
	})
}
