package e2e_test

import "testing"

func TestTokensNeedNoAttributes(t *testing.T) {
	each(t, func(t *testing.T, s *server) {
		s.organization("acme")
		user, _ := s.user("ann")
		team := s.do("POST", "/organizations/acme/teams", s.Token, `{"data":{"attributes":{"name":"ops"}}}`).want(t, 200).text("data.id")
		for _, path := range []string{
			"/organizations/acme/authentication-token", "/teams/" + team + "/authentication-token", "/users/" + user + "/authentication-tokens",
		} {
			for _, body := range []string{
				"", "{}", " { }\n", `{"data":{}}`, `{"data":{"type":"authentication-token"}}`, `{"data":{"type":"authentication-tokens","attributes":{}}}`,
			} {
				if r := s.do("POST", path, s.Token, body).want(t, 201); r.text("data.attributes.token") == "" || r.text("data.attributes.expired-at") == "" {
					t.Errorf("%s %s: %s", path, body, r.Body)
				}
			}
			for _, body := range []string{"[]", `{"data":[]}`, `{"data":{"type":"teams"}}`, `{"data":{"attributes":{"expired-at":"soon"}}}`} {
				s.do("POST", path, s.Token, body).want(t, 422)
			}
			s.do("POST", path, s.Token, `{`).want(t, 400)
		}
	})
}
