package api_test

import (
	"encoding/json"
	"net/http"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/belayhq/belay/internal/api"
)

// absent is what a link may lead to that is not there yet, by the end of its path. Each is in
// docs/status-codes.md.
var absent = map[string]string{
	"/authentication-token":          "none was made",
	"/current-state-version":         "the workspace has no state",
	"/current-state-version-outputs": "the workspace has no state",
	"/data-retention-policy":         "there is none, and none to inherit",
	"/ingress-attributes":            "the archive came from no repository",
	"/json-output":                   "the plan has not ended",
	"/json-output-redacted":          "the plan has not ended",
	"/json-schema":                   "the plan has not ended",
}

// TestEveryLinkLeadsSomewhere makes every request that succeeds, and follows every link that the
// answers carry, and those of things that have nothing yet.
func TestEveryLinkLeadsSomewhere(t *testing.T) {
	t.Parallel()
	settled(t, func(t *testing.T, w *world) {
		links := map[string]bool{} // those that were followed
		w.bareLinks(links)
		for _, a := range areas() {
			for _, r := range a.rows {
				w.linksOf(r, links)
			}
		}
		if len(links) < 50 {
			t.Errorf("only %d links were seen", len(links))
		}
	})
}

// linksOf asks a row, and follows the links of the answer.
func (w *world) linksOf(r row, links map[string]bool) {
	about, asks := w.shared.with(nil), &role{code: "sa", token: w.admin, userID: w.get("/account/details", "data.id")}
	if r.uses != nil {
		about = about.with(r.uses(w, asks))
	}
	method, path, _ := strings.Cut(r.route, " ")
	if method == http.MethodDelete || strings.HasPrefix(path, "/.well-known") || strings.HasPrefix(path, "/app/") {
		return
	}
	if path = about.in(path); !strings.HasPrefix(path, "/oauth/") {
		path = "/api/v2" + path
	}
	if r.query != "" {
		path += "?" + about.in(r.query)
	}
	_, answer := w.send(method, path, w.admin, about.in(r.body))
	w.follow(answer, r.route, links)
}

// bareLinks follows the links of things that have nothing yet.
func (w *world) bareLinks(links map[string]bool) {
	organization := w.make("/organizations", `{"data":{"attributes":{"name":"bare","email":"bare@example.com"}}}`)
	project := w.make("/organizations/bare/projects", `{"data":{"attributes":{"name":"bare"}}}`)
	team := w.make("/organizations/bare/teams", `{"data":{"attributes":{"name":"bare"}}}`)
	workspace := w.make("/organizations/bare/workspaces", `{"data":{"attributes":{"name":"bare"}}}`)
	for _, path := range []string{"/organizations/" + organization, "/projects/" + project, "/teams/" + team, "/workspaces/" + workspace} {
		_, answer := w.send(http.MethodGet, "/api/v2"+path, w.admin, "")
		w.follow(answer, path, links)
	}
}

// follow asks every link of an answer that was not asked yet.
func (w *world) follow(answer, from string, links map[string]bool) {
	var document any
	if json.Unmarshal([]byte(answer), &document) != nil {
		return
	}
	collectLinks(document, false, func(link string) {
		if links[link] {
			return
		}
		links[link] = true
		status, answer := w.send(http.MethodGet, link, w.admin, "")
		if status >= 400 && (status != http.StatusNotFound || absent[link[strings.LastIndex(link, "/"):]] == "" || !w.served(link)) {
			w.t.Errorf("%s in %s: %d %.200s", link, from, status, answer)
		}
	})
}

// TestLinksToWhatIsNotThereAreDocumented looks for each of them in docs/status-codes.md.
func TestLinksToWhatIsNotThereAreDocumented(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("../../docs/status-codes.md")
	if err != nil {
		t.Fatal(err)
	}
	for end := range absent {
		if !strings.Contains(string(text), end+"`") {
			t.Errorf("docs/status-codes.md says nothing of links that end in %s", end)
		}
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
