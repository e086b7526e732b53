package e2e_test

import (
	"fmt"
	"regexp"
	"strings"
	"testing"
	"time"
)

// TestTokensAreToldApart by the last letters of their values, of which no page shows more; one that is over soon says so.
func TestTokensAreToldApart(t *testing.T) {
	each(t, func(t *testing.T, s *server) {
		s.people()
		readers, vera := s.team("acme", "vera", nil)
		user := s.do("GET", "/account/details", vera, "").want(t, 200).text("data.id")
		token := func(at, text string, left time.Duration) string {
			t.Helper()
			return s.do("POST", at, s.Token, fmt.Sprintf(`{"data":{"type":"authentication-tokens","attributes":{"description":%q,"expired-at":%q}}}`,
				text, time.Now().Add(left).UTC().Format(time.RFC3339))).want(t, 201).text("data.attributes.token")
		}
		const day = 24 * time.Hour
		own := func(text string, left time.Duration) string {
			t.Helper()
			return s.do("POST", "/users/"+user+"/authentication-tokens", vera, fmt.Sprintf(`{"data":{"type":"authentication-tokens","attributes":{"description":%q,"expired-at":%q}}}`,
				text, time.Now().Add(left).UTC().Format(time.RFC3339))).want(t, 201).text("data.attributes.token")
		}
		values := map[string][]string{
			"/app/settings/tokens":          {own("soon", 5*day+time.Hour), own("late", 40*day)},
			"/app/acme/teams/" + readers.ID: {token("/teams/"+readers.ID+"/authentication-tokens", "soon", 5*day+time.Hour), token("/teams/"+readers.ID+"/authentication-tokens", "late", 40*day)},
			"/app/acme/tokens":              {token("/organizations/acme/authentication-token", "", 5*day+time.Hour)},
		}
		for path, made := range values {
			who := s.signIn("olga")
			if strings.HasPrefix(path, "/app/settings") {
				who = s.signIn("vera")
			}
			page := who.get(path).want(t, 200).has(t, "in 5 days").hasNot(t, "in 40 days").inert(t)
			for _, value := range made {
				if !strings.Contains(page.Body, "…"+value[len(value)-4:]+"<") || strings.Contains(page.Body, value[len(value)-5:]) {
					t.Errorf("%s does not show the last four letters of a token alone", path)
				}
			}
		}
		vera2 := s.signIn("vera")
		made := vera2.post("/app/settings/tokens", vera2.get("/app/settings/tokens").has(t, `<option value="90" selected>`).form("description", "laptop", "days", "90")).want(t, 201)
		made.has(t, "TF_TOKEN_127_0_0_1", "~/.tofurc").inert(t)
		vera2.post("/app/settings/tokens", vera2.get("/app/settings/tokens").form("description", strings.Repeat("я", 255), "days", "90")).want(t, 201)
		long := strings.Repeat("я", 256)
		vera2.post("/app/settings/tokens", vera2.get("/app/settings/tokens").form("description", long, "days", "90")).want(t, 422).has(t, `value="`+long+`"`)
		s.signIn("olga").get("/app/acme/tokens").has(t, "by admin")
		stan := s.signIn("stan")
		all := stan.get("/app/settings/tokens").want(t, 200).hasNot(t, `name="id"`)
		only := stan.get(regexp.MustCompile(`/app/settings/tokens\?end=[^"]+`).FindString(all.Body)).want(t, 200).has(t, "ends for ever. It was ", ">End it<").inert(t)
		stan.post("/app/settings/tokens/end", only.form("id", regexp.MustCompile(`name="id" value="([^"]+)"`).FindStringSubmatch(only.Body)[1])).want(t, 303)
		stan.get("/app/settings/tokens").has(t, "You have none.").inert(t)
		if got := s.do("GET", "/users/"+user+"/authentication-tokens", vera, "").want(t, 200); strings.Contains(got.Body, `"tail"`) {
			t.Errorf("the API has an attribute that clients do not know: %s", got.Body)
		}
	})
}
