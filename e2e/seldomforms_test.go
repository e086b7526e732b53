package e2e_test

import (
	"regexp"
	"slices"
	"testing"

	"github.com/belayhq/belay/internal/storetest"
)

// TestAnInvitationIsMailedAgain by those who manage members, to who has not come yet.
func TestAnInvitationIsMailedAgain(t *testing.T) {
	t.Parallel()
	for _, engine := range storetest.Outside(t) {
		t.Run(engine, func(t *testing.T) {
			t.Parallel()
			s, office := startMailing(t, engine)
			s.people()
			const path = "/app/acme/members"
			s.do("POST", "/organizations/acme/organization-memberships", s.Token, `{"data":{"type":"organization-memberships","attributes":{"email":"jon@example.com"},"relationships":{"teams":{"data":[{"type":"teams","id":"`+s.owners("acme").ID+`"}]}}}}`).want(t, 201)
			letters := func() (n int) {
				for _, letter := range office.all() {
					if slices.Contains(letter.to, "jon@example.com") {
						n++
					}
				}
				return n
			}
			s.eventually(func() bool { return letters() == 1 }, "jon is invited")
			owner, reader := s.signIn("olga"), s.signIn("rita")
			for _, letter := range office.all() {
				if _, plain, _ := letter.parts(t); slices.Contains(letter.to, "jon@example.com") {
					path := regexp.MustCompile(`/app/~/invitation\?link=\S+`).FindString(plain)
					reader.get(path).want(t, 200).has(t, "to <strong>acme</strong> as <strong>jon@example.com</strong>, by admin", "rita is signed in in this browser").inert(t)
					s.browse().get(path).want(t, 200).has(t, "acme").hasNot(t, "is signed in")
					reader.get(path+"x").want(t, 400).hasNot(t, "acme")
				}
			}
			id := s.do("GET", "/organizations/acme/organization-memberships?filter[status]=invited", s.Token, "").want(t, 200).text("data.0.id")
			page := owner.get(path).want(t, 200).has(t, "Invite again")
			owner.post(path, page.form("do", "resend", "member", id)).want(t, 303)
			s.eventually(func() bool { return letters() == 2 }, "jon is invited again")
			reader.post(path, reader.get("/app/acme").form("do", "resend", "member", id)).want(t, 404)
		})
	}
}

// TestEnginesAreSupportedFromAVersion that an admin of the site names on its page.
func TestEnginesAreSupportedFromAVersion(t *testing.T) {
	each(t, func(t *testing.T, s *server) {
		s.people()
		id := s.do("POST", "/admin/terraform-versions", s.Token, `{"data":{"type":"terraform-versions","attributes":{"version":"1.7.77","enabled":true}}}`).want(t, 201).text("data.id")
		const path = "/app/~/admin/engines"
		admin, owner := s.signIn("admin"), s.signIn("olga")
		page := admin.get(path+"?search=1.7.77").want(t, 200).has(t, "Support from here").hasNot(t, "supported from 1.7.77")
		admin.post(path, page.form("do", "support", "engine", id)).want(t, 303)
		admin.get(path+"?search=1.7.77").want(t, 200).has(t, ", supported from 1.7.77", "the oldest that is supported")
		owner.post(path, owner.get("/app/acme").form("do", "support", "engine", id)).want(t, 404)
	})
}
