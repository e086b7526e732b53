package api_test

import (
	"encoding/json"
	"fmt"
	"sort"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/belayhq/belay"
)

// mostRows is how many rows one transaction may have, and mostStatements how many statements
// one request, whatever stands in it.
const (
	mostRows       = 5 * belay.MaxListed
	mostStatements = 100
)

// TestTheLargestBodyOfEveryRoute sends to every route a body whose lists are as long as may
// be. None may be done entry by entry, nor all of it with everybody else waiting.
func TestTheLargestBodyOfEveryRoute(t *testing.T) {
	t.Parallel()
	settled(t, func(t *testing.T, w *world) {
		many := newLargest(w)
		many.makeMany()
		many.walk("of what is there")
		many.ids = nil
		many.walk("of what is not there")
	})
}

// largest makes the largest bodies.
type largest struct {
	w        *world
	asks     *role
	ids      map[string][]string // of the things that there are many of, by their type
	examples map[string]any      // the bodies that the description has, by route
	entries  int                 // how many a list has
	named    int                 // no two entries are of one name
}

// walk tries every route that takes a body.
func (l *largest) walk(lists string) {
	var heaviest []string
	for _, a := range areas() {
		for _, r := range a.rows {
			if r.body != "" {
				heaviest = append(heaviest, l.try(r))
			}
		}
	}
	sort.Sort(sort.Reverse(sort.StringSlice(heaviest)))
	l.w.t.Logf("with lists %s, the most rows, the statements, and the longest transaction:\n%s", lists, strings.Join(heaviest[:20], "\n"))
}

// try sends the largest body of a row.
func (l *largest) try(r row) string {
	method, path, body, ok := l.request(r)
	if !ok {
		return r.route + " takes no document"
	}
	var held atomic.Int64
	l.w.db.OnWrite(func(took time.Duration) { held.Store(max(held.Load(), int64(took))) })
	l.w.db.HeaviestWrite()
	before := l.w.db.Statements()
	status, answer := l.w.send(method, path, l.asks.token, body)
	rows, statements := l.w.db.HeaviestWrite(), l.w.db.Statements()-before
	if rows > mostRows || statements > mostStatements {
		l.w.t.Errorf("%s: a transaction had %d rows, and there were %d statements", r.route, rows, statements)
	}
	if status >= 500 {
		l.w.t.Errorf("%s: %d %.300s", r.route, status, answer)
	}
	return fmt.Sprintf("%6d %4d %10v %s: %d", rows, statements, time.Duration(held.Load()).Round(100*time.Microsecond), r.route, status)
}

// request is the largest request of a row, about things to use up; ok is false when it takes
// no document.
func (l *largest) request(r row) (method, path, body string, ok bool) {
	about := l.w.shared.with(nil)
	if r.uses != nil {
		about = about.with(r.uses(l.w, l.asks))
	}
	method, path, _ = strings.Cut(r.route, " ")
	if !strings.HasPrefix(path, "/oauth/") {
		path = "/api/v2" + path
	}
	var document any
	if err := json.Unmarshal([]byte(about.in(r.body)), &document); err != nil {
		return "", "", "", false
	}
	raw, err := json.Marshal(l.widen(document, l.examples[method+" "+path]))
	if err != nil {
		l.w.t.Fatal(err)
	}
	return method, about.in(path), string(raw), true
}

// makeMany makes as many workspaces as a list may name.
func (l *largest) makeMany() {
	for i := range belay.MaxListed {
		id := l.w.make("/organizations/acme/workspaces", fmt.Sprintf(`{"data":{"attributes":{"name":"many-%04d"}}}`, i))
		l.ids["workspaces"] = append(l.ids["workspaces"], id)
	}
}

func newLargest(w *world) *largest {
	return &largest{w: w, asks: &role{code: "sa", token: w.admin, userID: w.get("/account/details", "data.id")}, ids: map[string][]string{}, examples: w.examples(), entries: belay.MaxListed}
}

// widen makes every list of a body as long as may be, those too that the body lacks and its
// example has.
func (l *largest) widen(body, example any) any {
	switch like := example.(type) {
	case []any:
		given, _ := body.([]any)
		return l.fill(given, like)
	case map[string]any:
		given, ok := body.(map[string]any)
		if !ok {
			given = map[string]any{}
		}
		for name, part := range like {
			_, there := given[name]
			if there || name == "relationships" || name == "data" || l.holdsList(part) {
				given[name] = l.widen(given[name], part)
			}
		}
		return given
	}
	return body
}

// holdsList says whether an example is a relationship to many things that there are; where
// there are none, all are made up.
func (l *largest) holdsList(example any) bool {
	relation, _ := example.(map[string]any)
	list, _ := relation["data"].([]any)
	if len(list) == 0 {
		return false
	}
	ref, _ := list[0].(map[string]any)
	typ, _ := ref["type"].(string)
	return l.ids == nil || l.ids[typ] != nil
}

// fill is a list of entries that are all there, or like the first of those that were given.
func (l *largest) fill(given, example []any) []any {
	if len(example) == 0 {
		return given
	}
	like, ok := example[0].(map[string]any)
	if !ok {
		return given
	}
	typ, _ := like["type"].(string)
	list := make([]any, l.entries)
	for i := range list {
		entry := map[string]any{"type": typ, "id": fmt.Sprintf("none-%d", i)}
		if len(given) > 0 {
			first, _ := given[0].(map[string]any)
			for name, value := range first {
				entry[name] = value
			}
			if _, named := first["id"]; !named {
				delete(entry, "id")
			}
		}
		if ids := l.ids[typ]; ids != nil {
			entry["id"] = ids[i%len(ids)]
		}
		list[i] = entry
		if attributes, ok := entry["attributes"].(map[string]any); ok {
			l.named++
			entry["attributes"] = apart(attributes, l.named)
		}
	}
	return list
}

// apart is attributes with another name or key.
func apart(attributes map[string]any, i int) map[string]any {
	other := make(map[string]any, len(attributes))
	for name, value := range attributes {
		if name == "name" || name == "key" {
			value = fmt.Sprintf("n%d", i)
		}
		other[name] = value
	}
	return other
}

// examples is the body that the description of the API has for each route.
func (w *world) examples() map[string]any {
	var document struct {
		Paths map[string]map[string]struct {
			RequestBody struct {
				Content map[string]struct{ Example any }
			}
		}
	}
	if err := json.Unmarshal(w.api.OpenAPI(), &document); err != nil {
		w.t.Fatal(err)
	}
	found := map[string]any{}
	for path, methods := range document.Paths {
		for method, operation := range methods {
			for _, content := range operation.RequestBody.Content {
				found[strings.ToUpper(method)+" "+path] = content.Example
			}
		}
	}
	return found
}
