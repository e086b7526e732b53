package api_test

import (
	"encoding/json"
	"maps"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/belayhq/belay/internal/api"
	"github.com/belayhq/belay/internal/storetest"
)

// absent is what a link may lead to that is not there yet, by the end of its path.
var absent = map[string]string{
	"/authentication-token":          "none was made",
	"/current-state-version":         "the workspace has no state",
	"/current-state-version-outputs": "the workspace has no state",
	"/ingress-attributes":            "the archive came from no repository",
	"/json-output":                   "the plan has not ended",
	"/json-output-redacted":          "the plan has not ended",
	"/json-schema":                   "the plan has not ended",
}

// TestEveryLinkLeadsSomewhere reads all that can be read, and follows every link that the
// answers carry.
func TestEveryLinkLeadsSomewhere(t *testing.T) {
	t.Parallel()
	for _, engine := range []string{"sqlite", "postgres"} {
		t.Run(engine, func(t *testing.T) {
			t.Parallel()
			w := newServer(t, storetest.Open(t, engine))
			w.settle()
			links := map[string]string{} // and where each was seen
			for _, a := range areas() {
				for _, r := range a.rows {
					if strings.HasPrefix(r.route, "GET ") {
						w.linksOf(r, links)
					}
				}
			}
			for _, link := range slices.Sorted(maps.Keys(links)) {
				status, answer := w.send(http.MethodGet, link, w.admin, "")
				if status >= 400 && (status != http.StatusNotFound || absent[link[strings.LastIndex(link, "/"):]] == "" || !w.served(link)) {
					t.Errorf("%s in %s: %d %.200s", link, links[link], status, answer)
				}
			}
			if len(links) < 50 {
				t.Errorf("only %d links were seen", len(links))
			}
		})
	}
}

// linksOf asks a row, and collects the links of the answer.
func (w *world) linksOf(r row, links map[string]string) {
	about, asks := w.shared.with(nil), &role{code: "sa", token: w.admin, userID: w.get("/account/details", "data.id")}
	if r.uses != nil {
		about = about.with(r.uses(w, asks))
	}
	_, path, _ := strings.Cut(r.route, " ")
	if strings.HasPrefix(path, "/.well-known") || strings.HasPrefix(path, "/app/") {
		return
	}
	path = "/api/v2" + about.in(path)
	if r.query != "" {
		path += "?" + about.in(r.query)
	}
	_, answer := w.send(http.MethodGet, path, w.admin, "")
	var document any
	if json.Unmarshal([]byte(answer), &document) == nil {
		collectLinks(document, false, func(link string) {
			if links[link] == "" {
				links[link] = r.route
			}
		})
	}
}

// served says whether a path has a route at all.
func (w *world) served(path string) bool {
	parts := strings.Split(path, "/")
	return slices.ContainsFunc(w.routes, func(r api.Route) bool {
		names := strings.Split(r.Path, "/")
		return r.Method == http.MethodGet && slices.EqualFunc(names, parts, func(name, part string) bool {
			return name == part || strings.HasPrefix(name, "{")
		})
	})
}

// collectLinks tells of every address that stands in links.
func collectLinks(document any, within bool, found func(string)) {
	switch v := document.(type) {
	case map[string]any:
		for name, part := range v {
			collectLinks(part, within || name == "links", found)
		}
	case []any:
		for _, part := range v {
			collectLinks(part, within, found)
		}
	case string:
		if _, path, far := strings.Cut(v, "://example.com"); far {
			v = path
		}
		if within && strings.HasPrefix(v, "/") && !strings.HasPrefix(v, "/app/") { // pages are not served here
			found(v)
		}
	}
}
