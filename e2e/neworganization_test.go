package e2e_test

import (
	"net/http"
	"strings"
	"testing"
)

// TestAnOrganizationIsMadeOnAPage has somebody who is in none make one, and own it.
func TestAnOrganizationIsMadeOnAPage(t *testing.T) {
	each(t, func(t *testing.T, s *server) {
		s.organization("acme")
		_, token := s.person("dee")
		b := s.signIn("dee")
		first := b.get(organizationsPath).want(t, http.StatusOK)
		if !strings.Contains(first.Body, "or you make one") {
			t.Errorf("nothing says how to begin: %s", first.Body)
		}
		for name, says := range map[string]string{
			"":        "can&#39;t be blank",
			"a b":     "can only contain letters",
			"acme":    "already",
			"a<b>\"c": "can only contain letters",
		} {
			r := b.post(organizationsPath, first.form("name", name, "email", "dee@example.com"))
			if r.Status != http.StatusUnprocessableEntity || !strings.Contains(r.Body, says) || !strings.Contains(r.Body, `value="dee@example.com"`) {
				t.Errorf("%q: %d %s", name, r.Status, r.Body)
			}
		}
		b.post(organizationsPath, first.form("name", "forged", "email", "dee@example.com", "form", "another")).want(t, http.StatusForbidden)
		if r := b.post(organizationsPath, first.form("name", "dees", "email", "dee@example.com")); r.Status != http.StatusSeeOther || r.Header.Get("Location") != "/app/dees" {
			t.Fatalf("made: %d %q", r.Status, r.Header.Get("Location"))
		}
		if home := b.get("/app/dees").want(t, http.StatusOK); !strings.Contains(home.Body, "From nothing to the first state") {
			t.Error("its home does not lead to the first state")
		}
		s.do("PATCH", "/organizations/dees", token, `{"data":{"attributes":{"email":"new@example.com"}}}`).want(t, http.StatusOK)
		s.do("GET", "/organizations/forged", s.Token, "").want(t, http.StatusNotFound)
	})
}
