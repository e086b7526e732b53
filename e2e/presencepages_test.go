package e2e_test

import (
	"strings"
	"testing"
)

// TestWhoWasHereWhen shows people their browsers, those who see every member when each was here last, and site admins
// how many browsers somebody is signed in with; the API says the same.
func TestWhoWasHereWhen(t *testing.T) {
	each(t, func(t *testing.T, s *server) {
		network := s.people()
		owner, reader := s.signIn("olga"), s.signIn("rita")
		other := s.browse()
		other.post("/app/sign-in", other.get("/app/sign-in").form("name", "olga", "password", password)).want(t, 303)
		other.get("/app/acme").want(t, 200)
		const members = "/organizations/acme/organization-memberships?filter[email]=olga@example.com"
		s.eventually(func() bool { return s.do("GET", members, s.Token, "").text("data.0.attributes.last-seen-at") != "" }, "olga was seen")
		s.eventually(func() bool {
			return strings.Count(owner.get("/app/~/profile").want(t, 200).Body, ">127.0.0.1<") == 2
		}, "both browsers have an address")
		owner.get("/app/~/profile").want(t, 200).has(t, "this browser", "a program", "2 browsers", "Seen last").inert(t)
		alone := owner.get("/app/acme/members").want(t, 200).has(t, "Last seen, by", ">password<", ">olga@example.com<").hasNot(t, "the last owner stays").inert(t)
		admin := s.do("GET", "/organizations/acme/organization-memberships?filter[email]=admin@localhost.localdomain", s.Token, "").text("data.0.id")
		s.lock(network)
		look := owner.post("/app/acme/members", alone.form("do", "remove", "member", admin)).want(t, 303).Header.Get("Location")
		goes := owner.get(look).want(t, 200).has(t, "admin is taken out of the organization. Lost with it: 1 team (owners). What stays for others to free: 1 lock.", "Remove admin<").inert(t)
		reader.get(look).want(t, 404)
		owner.get("/app/acme/members?remove=ou-nobody").want(t, 200).hasNot(t, "is taken out")
		owner.post(look, goes.form("do", "agree", "member", admin)).want(t, 303)
		owner.get("/app/acme/members").has(t, "the last owner stays").inert(t)
		if mine := s.do("GET", members, s.Token, "").want(t, 200); mine.text("data.0.attributes.last-token-use-at") != "" {
			t.Errorf("olga has used no token: %s", mine.Body)
		}
		reader.get("/app/acme/members").want(t, 404)
		seen := s.do("GET", "/admin/users?q=olga", s.Token, "").want(t, 200)
		if seen.text("data.0.attributes.last-seen-at") == "" || seen.at("data.0.attributes.sessions-count") != 2.0 {
			t.Errorf("%s", seen.Body)
		}
		owner.post("/app/~/profile", owner.get("/app/~/profile").form("do", "end-others")).want(t, 303)
		profile := owner.get("/app/~/profile").want(t, 200).has(t, "1 browser<", "How you sign in")
		owner.post("/app/~/profile", profile.form("do", "looks", "theme", "pink", "rows", "low")).want(t, 422)
		owner.post("/app/~/profile", profile.form("do", "looks", "theme", "dark", "rows", "low", "keys", "some")).want(t, 422)
		owner.post("/app/~/profile", profile.form("do", "looks", "theme", "dark", "rows", "low", "zone", "Europe/Nowhere")).want(t, 422).has(t, "no time zone of that name")
		owner.post("/app/~/profile", profile.form("do", "looks", "theme", "dark", "rows", "low", "zone", "Asia/Tokyo", "times", "whole", "motion", "less", "keys", "off")).want(t, 303)
		owner.get("/app/acme/workspaces").has(t, `data-theme="dark"`, `data-motion="less"`, `class="table list low`).inert(t)
		owner.get("/app/acme/members").has(t, `<time class="whole" datetime="`).inert(t)
		owner.post("/app/~/profile", profile.form("do", "looks", "theme", "", "rows", "low", "times", "", "zone", "Asia/Tokyo", "motion", "")).want(t, 303)
		owner.get("/app/acme/members").has(t, ` JST">`).hasNot(t, `class="whole"`, "data-motion").inert(t)
	})
}
