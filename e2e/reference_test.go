package e2e_test

import (
	"encoding/json"
	"html"
	"net/url"
	"strings"
	"testing"
)

// TestReferenceShowsEveryRoute reads the pages about the API, and finds every route of its
// description there, with a request to try.
func TestReferenceShowsEveryRoute(t *testing.T) {
	each(t, func(t *testing.T, s *server) {
		s.people()
		b := s.signIn("rita")
		if to := s.browse().get("/app/api").want(t, 303).Header.Get("Location"); !strings.HasPrefix(to, "/app/sign-in") {
			t.Errorf("nobody is sent to %s", to)
		}
		b.get(networkPage).want(t, 200).has(t, `href="/app/api"`)
		b.get("/app/api?of=nothing").want(t, 404)
		var document struct {
			Tags  []struct{ Name string }
			Paths map[string]map[string]struct{ Summary string }
		}
		if err := json.Unmarshal([]byte(s.do("GET", "/openapi.json", "", "").want(t, 200).Body), &document); err != nil {
			t.Fatal(err)
		}
		var all strings.Builder
		for _, tag := range document.Tags {
			page := b.get("/app/api?of="+url.QueryEscape(tag.Name)).want(t, 200).inert(t)
			if policy := page.Header.Get("Content-Security-Policy"); !strings.HasPrefix(policy, "default-src 'none'; script-src 'self'; connect-src 'self'; style-src 'self'; img-src 'self'") {
				t.Errorf("the page of %s may load more than its own: %s", tag.Name, policy)
			}
			all.WriteString(html.UnescapeString(page.Body))
		}
		for path, methods := range document.Paths {
			for method, operation := range methods {
				shown := "<strong>" + strings.ToUpper(method) + `</strong> <span class="addr">` + path + `</span> <span class="quiet">` + operation.Summary
				if !strings.Contains(all.String(), shown) || !strings.Contains(all.String(), `"$BELAY`+path+`"`) {
					t.Errorf("%s %s is not shown", method, path)
				}
			}
		}
	})
}
