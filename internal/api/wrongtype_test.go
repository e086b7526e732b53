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

// TestAWrongTypeHidesNoOtherProblem sends to every route that takes a body all that can be
// wrong with it: each part alone, of another type or against the rules, and then several at
// once. What is told of a part alone is told beside others, too.
func TestAWrongTypeHidesNoOtherProblem(t *testing.T) {
	onAWalk(t)
	t.Parallel()
	settled(t, func(t *testing.T, w *world) {
		many := newLargest(w)
		tried := 0
		for _, a := range areas() {
			for _, r := range a.rows {
				if r.body != "" {
					tried += newBroken(many, r).hidesNothing()
				}
			}
		}
		if tried < 500 {
			t.Errorf("only %d parts of bodies were tried", tried)
		}
	})
}

// deciding is the parts that say which rules there are for others.
var deciding = []string{
	"destination-type", "category", "service-provider", "access", "type", "default-execution-mode", "execution-mode", "id",
	"action_type", "query_type", "parent", "key", "users", "sensitive", "password", "query",
}

// broken is the body of a row, to be broken.
type broken struct {
	largest *largest
	row     row
	parts   []part
	anyway  map[string]bool // the places that are told of when nothing is broken
}

// part is something in a body: where it stands, and what is wrong with it alone.
type part struct {
	path    string // a JSON pointer
	wrong   any    // a value of another type
	against any    // a value against the rules; nil: there is none
}

func newBroken(l *largest, r row) *broken {
	b := &broken{largest: l, row: r}
	if document, ok := b.document(); ok {
		b.find("", document)
	}
	return b
}

// document is a body that is taken, with all that its example has.
func (b *broken) document() (any, bool) {
	_, _, body, ok := b.request()
	var document any
	if !ok || json.Unmarshal([]byte(body), &document) != nil {
		return nil, false
	}
	return document, true
}

// request is the request of the row, about things of the world.
func (b *broken) request() (method, path, body string, ok bool) {
	w, r := b.largest.w, b.row
	about := w.shared.with(nil)
	if r.uses != nil {
		about = about.with(r.uses(w, b.largest.asks))
	}
	method, path, _ = strings.Cut(r.route, " ")
	if strings.HasPrefix(path, "/oauth/") || strings.HasPrefix(path, "/app/") {
		return "", "", "", false // no JSON:API
	}
	path = "/api/v2" + path
	var document any
	if json.Unmarshal([]byte(about.in(r.body)), &document) != nil {
		return "", "", "", false
	}
	raw, err := json.Marshal(merged(document, b.largest.examples[method+" "+path]))
	if err != nil {
		w.t.Fatal(err)
	}
	return method, about.in(path), string(raw), true
}

// merged is a body with the attributes of its example that it lacks, as if they were null.
func merged(body, example any) any {
	given, _ := body.(map[string]any)
	like, _ := example.(map[string]any)
	data, _ := given["data"].(map[string]any)
	other, _ := like["data"].(map[string]any)
	attributes, _ := data["attributes"].(map[string]any)
	more, _ := other["attributes"].(map[string]any)
	if attributes == nil || more == nil {
		return body
	}
	for name, like := range more {
		if _, object := like.(map[string]any); spelledIn(attributes, name) {
			continue
		} else if object {
			attributes[name] = map[string]any{leftOut: leftOut}
		} else {
			attributes[name] = leftOut
		}
	}
	return body
}

// spelledIn says whether an object has a member, in either spelling.
func spelledIn(object map[string]any, name string) bool {
	_, one := object[name]
	_, other := object[otherSpelling(name)]
	return one || other
}

// leftOut is a part that is not there unless it is what is wrong; an object that is not there
// has it as its only member.
const leftOut = "\x00absent"

func isLeftOut(value any) bool {
	object, _ := value.(map[string]any)
	return value == leftOut || object[leftOut] != nil
}

func (b *broken) find(path string, value any) {
	long := strings.Repeat("x y\n/", 2000)
	switch v := value.(type) {
	case map[string]any:
		if path != "" && path != "/data" {
			b.parts = append(b.parts, part{path, 7, nil})
		}
		if isLeftOut(v) {
			return
		}
		for _, name := range slices.Sorted(maps.Keys(v)) {
			b.find(path+"/"+name, v[name])
		}
	case []any:
		if path != "/data" {
			b.parts = append(b.parts, part{path, 7, nil})
		}
		for i := range v {
			b.find(path+"/"+strconv.Itoa(i), v[i])
		}
	case string:
		b.parts = append(b.parts, part{path, map[string]any{"x": map[string]any{}}, long})
	default:
		b.parts = append(b.parts, part{path, map[string]any{"x": map[string]any{}}, nil})
	}
}

// told is the places that the answer to a body complains of, when some parts of it are put as
// they should not be.
func (b *broken) told(put map[string]any) map[string]bool {
	_, told, _ := b.send(put)
	return told
}

// pointers is the places that a 422 tells of.
func pointers(status int, answer string) map[string]bool {
	found := map[string]bool{}
	if status != http.StatusUnprocessableEntity {
		return found
	}
	var told struct {
		Errors []struct{ Source struct{ Pointer string } }
	}
	_ = json.Unmarshal([]byte(answer), &told)
	for _, e := range told.Errors {
		found[e.Source.Pointer] = true
	}
	return found
}

// without leaves out what is left out.
func without(value any) any {
	switch v := value.(type) {
	case map[string]any:
		for name := range v {
			if isLeftOut(v[name]) {
				delete(v, name)
			} else {
				v[name] = without(v[name])
			}
		}
	case []any:
		for i := range v {
			v[i] = without(v[i])
		}
	}
	return value
}

// place puts a value at a pointer of a document.
func place(document any, pointer string, value any) {
	steps := strings.Split(pointer, "/")[1:]
	for i, step := range steps {
		last := i == len(steps)-1
		switch v := document.(type) {
		case map[string]any:
			if last {
				v[step] = value
			}
			document = v[step]
		case []any:
			n, _ := strconv.Atoi(step)
			if last {
				v[n] = value
			}
			document = v[n]
		}
	}
}

// about is those of some places that are a part, above it or below it.
func about(places map[string]bool, path string) (list []string) {
	for _, p := range slices.Sorted(maps.Keys(places)) {
		if p == path || strings.HasPrefix(path, p+"/") && p != "/data" && p != "" || strings.HasPrefix(p, path+"/") {
			list = append(list, p)
		}
	}
	return list
}

// nested says whether two parts are not apart: one is in the other, or another spelling of it.
func nested(one, other string) bool {
	one, other = strings.ReplaceAll(one, "_", "-"), strings.ReplaceAll(other, "_", "-")
	return one == other || strings.HasPrefix(one, other+"/") || strings.HasPrefix(other, one+"/")
}

// hidesNothing says how many parts there were.
func (b *broken) hidesNothing() int {
	wrong, against := map[string][]string{}, map[string][]string{}
	for _, p := range b.parts {
		if told := about(b.told(map[string]any{p.path: p.wrong}), p.path); told != nil {
			wrong[p.path] = told
		}
		if p.against == nil {
			continue
		}
		if told := about(b.told(map[string]any{p.path: p.against}), p.path); told != nil {
			against[p.path] = told
		}
	}
	for i, one := range b.parts {
		if wrong[one.path] == nil {
			continue
		}
		for k := range b.parts { // what comes after it first
			other := b.parts[(i+1+k)%len(b.parts)]
			if against[other.path] == nil || nested(one.path, other.path) {
				continue
			}
			b.both(one, wrong[one.path], other, other.against, against[other.path])
			break
		}
		for k := range b.parts {
			other := b.parts[(i+1+k)%len(b.parts)]
			if wrong[other.path] == nil || nested(one.path, other.path) {
				continue
			}
			b.both(one, wrong[one.path], other, other.wrong, wrong[other.path])
			break
		}
	}
	for i, other := range b.parts {
		if against[other.path] == nil {
			continue
		}
		for k := range b.parts {
			one := b.parts[(i+1+k)%len(b.parts)]
			if wrong[one.path] == nil || nested(one.path, other.path) {
				continue
			}
			b.both(one, wrong[one.path], other, other.against, against[other.path])
			break
		}
	}
	return len(b.parts)
}

// both demands that a part of a wrong type and another that is not right are both told of.
func (b *broken) both(one part, told []string, other part, value any, too []string) {
	last := one.path[strings.LastIndex(one.path, "/")+1:]
	got := b.told(map[string]any{one.path: one.wrong, other.path: value})
	for _, want := range append(slices.Clone(told), too...) {
		if !got[want] && !slices.Contains(deciding, last) {
			b.largest.w.t.Errorf("%s: with a wrong %s nothing is said of %s (%.20s), only of %v", b.row.route, one.path, want, fmt.Sprint(value), slices.Sorted(maps.Keys(got)))
			return
		}
	}
}
