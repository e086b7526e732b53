package api_test

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/belayhq/belay/internal/store"
	"github.com/belayhq/belay/internal/storetest"
)

// TestAShowAgainIsTheSameShow asks for a workspace again and again, by both its paths, while it changes: what is answered
// by the versions of its rows is what is answered by the rows, with its tag and without a body.
func TestAShowAgainIsTheSameShow(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		w := newServer(t, db)
		w.make("/organizations", `{"data":{"attributes":{"name":"acme","email":"a@example.com"}}}`)
		id := w.make("/organizations/acme/workspaces", `{"data":{"attributes":{"name":"app"}}}`)
		show := func(path, token string, headers ...string) *httptest.ResponseRecorder {
			return w.sent(http.MethodGet, "/api/v2"+path, token, "", headers...)
		}
		paths := []string{"/workspaces/" + id, "/organizations/acme/workspaces/app", "/workspaces/" + id + "?include=organization"}
		for _, change := range []string{`{"description":"one"}`, `{"description":"two"}`, `{"auto-apply":true}`} {
			w.is(http.MethodPatch, "/workspaces/"+id, w.admin, `{"data":{"attributes":`+change+`}}`, http.StatusOK)
			for _, path := range paths {
				db.Forget()
				first := show(path, w.admin)
				for range 2 {
					before := db.Statements()
					again := show(path, w.admin)
					if again.Code != http.StatusOK || again.Body.String() != first.Body.String() || again.Header().Get("ETag") != first.Header().Get("ETag") {
						t.Errorf("%s after %s: %d\n%s\nthen\n%s", path, change, again.Code, first.Body, again.Body)
					}
					if n := db.Statements() - before; path == paths[0] && n != map[string]int64{"postgres": 1, "sqlite": 2}[db.Engine()] {
						t.Errorf("%s costs %d statements on %s", path, n, db.Engine())
					}
				}
				if got := show(path, w.admin, "If-None-Match", first.Header().Get("ETag")); got.Code != http.StatusNotModified {
					t.Errorf("%s is not known by its tag: %d", path, got.Code)
				}
				if got := show(path, "nobody"); got.Code != http.StatusUnauthorized {
					t.Errorf("%s is shown to nobody: %d", path, got.Code)
				}
			}
		}
		pages := []string{"", "?page[size]=1", "?search[name]=ap", "?sort=-latest-change-at", "?filter[project][id]=none"}
		for _, change := range []string{`{"description":"three"}`, `{"name":"apple"}`, `{"auto-apply":false}`} {
			w.is(http.MethodPatch, "/workspaces/"+id, w.admin, `{"data":{"attributes":`+change+`}}`, http.StatusOK)
			for _, page := range pages {
				path := "/organizations/acme/workspaces" + page
				db.Forget()
				first := show(path, w.admin)
				for i := range 4 {
					before := db.Statements()
					if again := show(path, w.admin); again.Code != http.StatusOK || again.Body.String() != first.Body.String() {
						t.Errorf("%s after %s: %d\n%s\nthen\n%s", path, change, again.Code, first.Body, again.Body)
					}
					if n := db.Statements() - before; i == 3 && page == "" && n != map[string]int64{"postgres": 1, "sqlite": 3}[db.Engine()] {
						t.Errorf("%s costs %d statements on %s", path, n, db.Engine())
					}
				}
				if got := show(path, "nobody"); got.Code != http.StatusUnauthorized {
					t.Errorf("%s is shown to nobody: %d", path, got.Code)
				}
			}
		}
		paths[1] = "/organizations/acme/workspaces/apple"
		for _, strange := range []string{"/workspaces/%00", "/workspaces/%ff", "/organizations/acme/workspaces/%00", "/organizations/%00/workspaces", "/organizations/acme/workspaces?%00"} {
			if got := show(strange, w.admin); got.Code != http.StatusBadRequest && got.Code != http.StatusNotFound {
				t.Errorf("%s: %d", strange, got.Code)
			}
		}
		w.is(http.MethodDelete, "/workspaces/"+id, w.admin, "", http.StatusNoContent)
		for _, path := range paths {
			w.is(http.MethodGet, path, w.admin, "", http.StatusNotFound)
		}
		if got := show("/organizations/acme/workspaces", w.admin); !strings.Contains(got.Body.String(), `"data":[]`) {
			t.Errorf("what is gone is listed: %s", got.Body)
		}
	})
}
