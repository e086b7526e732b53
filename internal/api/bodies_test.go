package api_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// TestEveryPartOfABodyIsPointedAt sends every body that is taken with one part of it as it should
// not be: the answer points at that part and at nothing else, however the part is spelled.
func TestEveryPartOfABodyIsPointedAt(t *testing.T) {
	onAWalk(t)
	t.Parallel()
	settled(t, func(t *testing.T, w *world) {
		many, tried := newLargest(w), 0
		for _, a := range areas() {
			for _, r := range a.rows {
				if r.body != "" {
					tried += newBroken(many, r).isPointedAt()
				}
			}
		}
		if tried < 500 {
			t.Errorf("only %d parts of bodies were tried", tried)
		}
	})
}

// passedOver is what stands in bodies and is not read, by the ends of routes and of pointers.
var passedOver = [][2]string{
	{"/subscription", "/attributes"}, // there is one plan alone
	{"/subscription", "/data"},
	{"/relationships/ssh-key", "/data"}, // null takes the key away
}

func (b *broken) reads(path string) bool {
	return !slices.ContainsFunc(passedOver, func(u [2]string) bool {
		return strings.HasSuffix(b.row.route, u[0]) && strings.HasSuffix(path, u[1])
	})
}

// isPointedAt says how many parts there were.
func (b *broken) isPointedAt() int {
	tried := 0
	_, b.anyway, _ = b.send(nil)
	for _, p := range b.parts {
		if !b.reads(p.path) {
			continue
		}
		tried++
		b.points("of a wrong type", map[string]any{p.path: p.wrong}, p.path)
		if status, told, answer := b.send(map[string]any{p.path: nil}); status >= 500 || b.stray(told, p.path) {
			b.largest.w.t.Errorf("%s: with null for %s: %d %s", b.row.route, p.path, status, answer)
		}
		if p.against != nil {
			b.points("with half a character", map[string]any{p.path: loneHalf}, p.path)
			b.points("with a NUL", map[string]any{p.path: "a\x00b"}, p.path)
		}
		above, name := p.path[:strings.LastIndex(p.path, "/")], p.path[strings.LastIndex(p.path, "/")+1:]
		if _, n := number(name); n {
			continue
		}
		b.points("given twice", map[string]any{p.path: p.wrong, p.path + again: "other"}, p.path)
		if other := otherSpelling(name); other != name && !strings.HasSuffix(above, "/relationships") {
			b.points("in another spelling and of a wrong type", map[string]any{p.path: leftOut, above + "/" + other: p.wrong}, above+"/"+other)
			if !strings.Contains(p.path, "/json-state") { // a file is not kept to be compared: one of them is told of
				b.points("in two spellings", map[string]any{p.path: "one", above + "/" + other: "another"}, p.path, above+"/"+other)
			}
		}
	}
	b.wholeIsPointedAt()
	return tried
}

// wholeIsPointedAt breaks what all bodies have.
func (b *broken) wholeIsPointedAt() {
	document, ok := b.document()
	if !ok {
		return
	}
	object, _ := document.(map[string]any)
	data, one := object["data"].(map[string]any)
	shapes := []any{nil, 7, "", []any{7}}
	if one {
		shapes = append(shapes, []any{})
	} else {
		shapes = append(shapes, map[string]any{})
	}
	if object["data"] == nil || !b.reads("/data") {
		return
	}
	for _, wrong := range shapes {
		b.points(fmt.Sprint("as ", wrong), map[string]any{"/data": wrong}, "/data")
	}
	if !one {
		return
	}
	if b.reads("/data/type") {
		b.points("of none of the types", map[string]any{"/data/type": "somethings"}, "/data/type")
	}
	relations, _ := data["relationships"].(map[string]any)
	for name := range relations {
		at := "/data/relationships/" + name
		status, _, _ := b.send(map[string]any{at: leftOut})
		for how, none := range map[string]any{"null": nil, "an empty object": map[string]any{}} {
			if got, _, answer := b.send(map[string]any{at: none}); got != status {
				b.largest.w.t.Errorf("%s: without %s %d, with %s %d %s", b.row.route, at, status, how, got, answer)
			}
		}
	}
}

// points demands that an answer points at some places or below them, and at nothing else.
func (b *broken) points(how string, put map[string]any, at ...string) {
	status, told, answer := b.send(put)
	for _, a := range at {
		if status != http.StatusUnprocessableEntity || b.stray(told, at...) || !slices.ContainsFunc(about(told, a), func(p string) bool { return len(p) >= len(a) }) {
			b.largest.w.t.Errorf("%s: %s %s: %d %.600s", b.row.route, a, how, status, answer)
			return
		}
	}
}

// stray says whether a place is told of that is none of some, nor about them, nor told of anyway.
func (b *broken) stray(told map[string]bool, at ...string) bool {
	return slices.ContainsFunc(sortedKeys(told), func(p string) bool {
		return !b.anyway[p] && !slices.ContainsFunc(at, func(a string) bool { return strings.HasPrefix(a+"/", p+"/") || strings.HasPrefix(p, a+"/") })
	})
}

const (
	loneHalf = "half a character" // stands for \ud800, which no text of Go is
	again    = " again"           // after a name: once more
)

// send sends the body with some parts of it put otherwise, and gives the places that are told of.
func (b *broken) send(put map[string]any) (status int, told map[string]bool, answer string) {
	w := b.largest.w
	method, path, body, _ := b.request()
	var document any
	_ = json.Unmarshal([]byte(body), &document)
	for _, at := range sortedKeys(put) {
		place(document, at, put[at])
	}
	raw, err := json.Marshal(without(document))
	if err != nil {
		w.t.Fatal(err)
	}
	text := strings.NewReplacer(loneHalf, `\ud800`, again+`"`, `"`).Replace(string(raw))
	status, answer = w.send(method, path, b.largest.asks.token, text)
	if status >= 500 {
		w.t.Errorf("%s: %d %.300s to %.300s", b.row.route, status, answer, text)
	}
	return status, pointers(status, answer), answer
}

func sortedKeys[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }

func number(name string) (int, bool) {
	n, err := strconv.Atoi(name)
	return n, err == nil
}

// otherSpelling is a name with the other of hyphens and underscores.
func otherSpelling(name string) string {
	if strings.Contains(name, "_") {
		return strings.ReplaceAll(name, "_", "-")
	}
	return strings.ReplaceAll(name, "-", "_")
}

// TestPointersLeadToTheInnermostPart sends what is wrong far within a body.
func TestPointersLeadToTheInnermostPart(t *testing.T) {
	t.Parallel()
	settled(t, func(t *testing.T, w *world) {
		const of, claims = "/data/attributes/", `"name":"r","issuer":"https://id.example.com","audience":"a","claims":`
		long := strings.Repeat("x", 256)
		for _, c := range []struct{ request, data, want string }{
			{"POST /teams/<team_id>/workload-rules", `{"attributes":{` + claims + `{"a":7,"b.c/~d@[0]":null,"e":"f"}}}`, of + "claims/a " + of + "claims/b.c~1~0d@[0]"},
			{"POST /teams/<team_id>/workload-rules", `{"attributes":{` + claims + `{"a":"` + long + `","e.f":""}}}`, of + "claims/a " + of + "claims/e.f"},
			{"PATCH /teams/<team_id>", `{"attributes":{"organization-access":{"manage-workspaces":"x","manage_projects":7,"unknown":7}}}`, of + "organization-access/manage-workspaces " + of + "organization-access/manage_projects"},
			{"PATCH /teams/<team_id>", `{"attributes":{"organization-access":{"manage-workspaces":true,"manage_workspaces":false}}}`, of + "organization-access/manage-workspaces " + of + "organization-access/manage_workspaces"},
			{"POST /organizations/acme/organization-memberships", `{"attributes":{"email":"a@example.com"},"relationships":{"teams":{"data":[{"type":"teams","id":7},{"type":"users","id":"x"},7,{"type":"teams"}]}}}`, "/data/relationships/teams/data/0/id /data/relationships/teams/data/1/id /data/relationships/teams/data/1/type /data/relationships/teams/data/2 /data/relationships/teams/data/3/id"},
			{"POST /organizations/acme/organization-memberships", `{"attributes":{"email":"a@example.com"},"relationships":{"teams":{"data":[{"type":"teams","id":"team-none"}]}}}`, "/data/relationships/teams/data/0/id"},
			{"POST /runs", `{"attributes":{"variables":[{"key":7,"value":"1"},{"key":"a","value":7},7,null]},"relationships":{"workspace":{"data":{"type":"workspaces","id":"<workspace_id>"}}}}`, of + "variables/0/key " + of + "variables/1/value " + of + "variables/2 " + of + "variables/3"},
			{"POST /runs", `{"attributes":{"variables":[{"key":"a","value":"1"},{"key":"a b","value":"1"},{"key":"a","value":"1"},{"key":"c"}]},"relationships":{"workspace":{"data":{"type":"workspaces","id":"<workspace_id>"}}}}`, of + "variables/1/key " + of + "variables/2/key " + of + "variables/3/value"},
			{"POST /runs", `{"attributes":{"target_addrs":["a",7,null]},"relationships":{"workspace":{"data":{"type":"workspaces","id":"<workspace_id>"}}}}`, of + "target_addrs/1 " + of + "target_addrs/2"},
			{"POST /organizations/acme/explorer/views", `{"name":"v","query-type":"workspaces","query":{"type":"workspaces","sort":["workspace_name","-x"],"filter":[{"field":"workspace_name","operator":"contains","value":"x"},{"field":7,"operator":"is","value":["x"]},{"field":"tags","operator":"gt","value":["x"]},{"tags":{"is":{"x":7}}}]}}`, "/data/query/filter/1/field /data/query/filter/2/operator /data/query/filter/3/tags/is /data/query/sort/1"},
			{"POST /projects/<project_id>/relationships/workspaces", `[{"type":"workspaces","id":5},{"type":"workspaces"},{"type":7,"id":"x"}]`, "/data/0/id /data/1/id /data/2/type"},
			{"PATCH /workspaces/<workspace_id>", `{"attributes":{"vcs_repo":{"ingress_submodules":7,"tags-regex":"a","tags_regex":"b"}}}`, of + "vcs_repo/identifier " + of + "vcs_repo/ingress_submodules " + of + "vcs_repo/oauth-token-id " + of + "vcs_repo/tags-regex " + of + "vcs_repo/tags_regex"},
			{"PATCH /workspaces/<workspace_id>", `{"attributes":{"drift-detection":true,"assessments_enabled":false}}`, of + "assessments_enabled " + of + "drift-detection"},
			{"PATCH /workspaces/<workspace_id>", `{"relationships":{"tag-bindings":{"data":[{"type":"tag_bindings","attributes":{"key":"a","value":"b"}}]},"tag_bindings":{"data":[]}}}`, "/data/relationships/tag-bindings /data/relationships/tag_bindings"},
			{"PATCH /workspaces/<workspace_id>", `{"type":"work_spaces"}`, "/data/type"},
			{"PATCH /account/password", `{"attributes":{"current-password":"x","password":7,"password-confirmation":"y"}}`, of + "password"},
			{"PATCH /account/password", `{"attributes":{"current-password":"x","password":"long enough","password-confirmation":"y"}}`, of + "password-confirmation"},
			{"POST /workspaces/<workspace_id>/actions/lock", `{"attributes":{"reason":"a"},"reason":"b"}`, of + "reason /data/reason"},
			{"POST /workspaces/<workspace_id>/actions/lock", `{"attributes":7,"type":7}`, "/data/attributes /data/type"},
		} {
			method, path, _ := strings.Cut(w.shared.in(c.request), " ")
			status, answer := w.send(method, "/api/v2"+path, w.admin, w.shared.in(`{"data":`+c.data+`}`))
			if got := strings.TrimSpace(strings.Join(sortedKeys(pointers(status, answer)), " ")); got != c.want || strings.Count(answer, `"pointer"`) != len(strings.Fields(c.want)) {
				t.Errorf("%s %s: %d, got %s, want %s\n%s", c.request, c.data, status, got, c.want, answer)
			}
		}
	})
}
