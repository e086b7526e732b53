package api_test

import (
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/belayhq/belay/internal/api"
	"github.com/belayhq/belay/internal/storetest"
)

// TestNoBodyIsPassedOver sends to every route what is no JSON, and what is no object: those
// that need no body look at one that is there, too.
func TestNoBodyIsPassedOver(t *testing.T) {
	onAWalk(t)
	t.Parallel()
	w := newServer(t, storetest.Open(t, "sqlite"))
	w.settle()
	tried := 0
	for _, a := range areas() {
		for _, r := range a.rows {
			method, path, _ := strings.Cut(r.route, " ")
			if !slices.Contains([]string{http.MethodPost, http.MethodPatch, http.MethodPut}, method) || r.apart || w.isRaw(method, path) {
				continue
			}
			about := w.shared.with(nil)
			if r.uses != nil {
				about = about.with(r.uses(w, &role{code: "sa", token: w.admin}))
			}
			for body, want := range map[string]int{`{"data":`: 400, `7`: 422, `{"data":7}`: 422} {
				tried++
				if status, answer := w.send(method, "/api/v2"+about.in(path), w.admin, body); status != want {
					t.Errorf("%s with the body %s: %d, want %d: %.200s", r.route, body, status, want, answer)
				}
			}
		}
	}
	if tried < 300 {
		t.Errorf("only %d bodies were tried", tried)
	}
}

// isRaw says whether a route reads what is no document.
func (w *world) isRaw(method, path string) bool {
	return slices.ContainsFunc(w.routes, func(r api.Route) bool {
		return r.Raw && r.Method == method && (r.Path == path || r.Path == "/api/v2"+path)
	})
}

// TestTakingReadsItsBody takes a change request, and releases it, with bodies of all kinds.
func TestTakingReadsItsBody(t *testing.T) {
	t.Parallel()
	settled(t, func(t *testing.T, w *world) {
		at := "/api/v2/change-requests/" + w.shared["change_request_id"]
		assignee := func() string {
			_, answer := w.send(http.MethodGet, at, w.admin, "")
			return textAt(answer, "data.relationships.assignee.data.id")
		}
		for _, action := range []string{"take", "release"} {
			before := assignee()
			for body, pointer := range map[string]string{
				`{`: "", `7`: "", `[]`: "", `{"data":[]}`: "/data", `{"data":{"type":"runs"}}`: "/data/type", `{"data":{"attributes":7}}`: "/data/attributes",
			} {
				status, answer := w.send(http.MethodPost, at+"/actions/"+action, w.admin, body)
				if want := map[bool]int{true: 400, false: 422}[body == "{"]; status != want || !strings.Contains(answer, pointer) || assignee() != before {
					t.Errorf("%s with the body %s: %d, want %d: %s", action, body, status, want, answer)
				}
			}
			for _, body := range []string{"", " ", "null", "{}", `{"data":null}`, `{"data":{"type":"change-requests"}}`} {
				if status, answer := w.send(http.MethodPost, at+"/actions/"+action, w.admin, body); status != http.StatusOK || (assignee() == "") != (action == "release") {
					t.Errorf("%s with the body %q: %d %s", action, body, status, answer)
				}
			}
		}
	})
}
