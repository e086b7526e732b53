package api_test

import (
	"cmp"
	"encoding/json"
	"net/http"
	"strings"
	"testing"
)

// TestABodyIsAboutWhatItsPathLeadsTo sends to every route whose path ends in something a body
// with another id, and with none, an empty one and its own, by which clients know it.
func TestABodyIsAboutWhatItsPathLeadsTo(t *testing.T) {
	t.Parallel()
	settled(t, func(t *testing.T, w *world) {
		many, tried := newLargest(w), 0
		for _, a := range areas() {
			for _, r := range a.rows {
				method, path, _ := strings.Cut(r.route, " ")
				if method != http.MethodGet && method != http.MethodDelete && strings.HasSuffix(path, "}") && !w.isRaw(method, path) {
					tried++
					w.sendsIDs(many, r)
				}
			}
		}
		if tried < 20 {
			t.Errorf("only %d routes were tried", tried)
		}
	})
}

// sendsIDs tries the ids that a body of a row may give.
func (w *world) sendsIDs(many *largest, r row) {
	for _, given := range []struct {
		id   any
		want int
	}{{"another-1", http.StatusConflict}, {"", 0}, {nil, 0}, {"its own", 0}} {
		about := w.shared.with(nil)
		if r.uses != nil {
			about = about.with(r.uses(w, many.asks))
		}
		method, path, _ := strings.Cut(about.in(r.route), " ")
		var body struct {
			Data map[string]any `json:"data"`
		}
		if err := json.Unmarshal([]byte(cmp.Or(about.in(r.body), "{}")), &body); err != nil {
			w.t.Fatalf("%s: %v", r.route, err)
		}
		if body.Data == nil {
			body.Data = map[string]any{}
		}
		body.Data["id"] = given.id
		switch given.id {
		case nil:
			delete(body.Data, "id")
		case "its own":
			body.Data["id"] = w.ownID(path)
		}
		raw, _ := json.Marshal(body)
		status, answer := w.send(method, "/api/v2"+path, w.admin, string(raw))
		if given.want == 0 && status >= 300 || given.want != 0 && (status != given.want || textAt(answer, "errors.0.source.pointer") != "/data/id") {
			w.t.Errorf("%s with the id %v: %d %.300s", r.route, given.id, status, answer)
		}
	}
}

// ownID is the id of what a path shows; that of the path where it shows nothing.
func (w *world) ownID(path string) string {
	if status, answer := w.send(http.MethodGet, "/api/v2"+path, w.admin, ""); status == http.StatusOK {
		return textAt(answer, "data.id")
	}
	return path[strings.LastIndex(path, "/")+1:]
}
