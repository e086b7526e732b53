package e2e_test

import (
	"html"
	"net/url"
	"regexp"
	"strings"
	"testing"
)

// TestPasswordLinks: a site admin makes a link by which somebody sets a password, where no mail is sent: good once, the last one
// alone, and seen by whoever made it alone.
func TestPasswordLinks(t *testing.T) {
	each(t, func(t *testing.T, s *server) {
		s.people()
		admin, olga := s.signIn("admin"), s.signIn("olga")
		const users = "/app/~/admin/users"
		id := s.do("GET", "/admin/users?q=rita", s.Token, "").want(t, 200).text("data.0.id")
		_, oldToken := s.user("lone")
		action := "/admin/users/" + id + "/actions/password-link"
		first := s.do("POST", action, s.Token, "").want(t, 201)
		if first.text("data.type") != "password-links" || first.text("data.id") != id || !strings.HasPrefix(first.text("data.attributes.link"), s.URL+"/app/~/reset?link=") || first.text("data.attributes.expired-at") == "" {
			t.Errorf("a link: %s", first.Body)
		}
		s.do("POST", action, oldToken, "").want(t, 404)
		s.do("POST", "/admin/users/user-0000000000000000/actions/password-link", s.Token, "").want(t, 404)
		// For oneself neither door has one, though the page is asked by hand.
		own := s.do("GET", "/admin/users?q=admin", s.Token, "").want(t, 200).text("data.0.id")
		s.do("POST", "/admin/users/"+own+"/actions/password-link", s.Token, "").want(t, 409)
		mine := admin.get(users+"?search=admin").want(t, 200).hasNot(t, "Password link")
		admin.post(users, mine.form("do", "password-link", "user", own)).want(t, 409).has(t, "nobody makes a link for themselves").hasNot(t, "reset?link=")
		// By the page: shown once.
		page := admin.get(users+"?search=rita").want(t, 200).has(t, `Password link<span class="hidden"> for rita`)
		olga.post(users, olga.get(organizationsPath).form("do", "password-link", "user", id)).want(t, 404)
		shown := admin.post(users, page.form("do", "password-link", "user", id)).want(t, 201).has(t, "A link to a new password", "Copy it now").inert(t)
		found := regexp.MustCompile(regexp.QuoteMeta(html.EscapeString(s.URL)) + `(/app/~/reset\?link=[^<]+)<`).FindStringSubmatch(shown.Body)
		if found == nil {
			t.Fatalf("no link on %s", shown.Body)
		}
		admin.get(users).hasNot(t, "reset?link=")
		// The one made before is over; this one is good once.
		rita := s.browse()
		before, err := url.Parse(first.text("data.attributes.link"))
		must(t, err)
		rita.get(before.RequestURI()).want(t, 400)
		form := rita.get(html.UnescapeString(found[1])).want(t, 200).form("password", "of my own choice", "again", "of my own choice")
		rita.post("/app/~/reset", form).want(t, 303)
		rita.post("/app/~/reset", form).want(t, 400)
		rita.post("/app/sign-in", rita.get("/app/sign-in").form("name", "rita", "password", "of my own choice")).want(t, 303)
		rita.get("/app/acme").want(t, 200)
		// Who can't sign in gets none, and nobody more than five a day.
		for range 3 {
			s.do("POST", action, s.Token, "").want(t, 201)
		}
		s.do("POST", action, s.Token, "").want(t, 409)
		admin.post(users, page.form("do", "password-link", "user", id)).want(t, 409).has(t, "enough links for a day")
		s.do("POST", "/admin/users/"+id+"/actions/suspend", s.Token, "").want(t, 200)
		s.do("POST", action, s.Token, "").want(t, 409)
		admin.get(users+"?search=rita").hasNot(t, "Password link<")
	})
}
