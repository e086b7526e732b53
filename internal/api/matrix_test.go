package api_test

import (
	"flag"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"unicode/utf8"

	"github.com/belayhq/belay/internal/storetest"
)

var update = flag.Bool("update", false, "write the golden files anew")

const (
	goldenFile    = "../../docs/permissions.golden"
	uncoveredFile = "../../docs/permissions-uncovered.golden"
)

// row is one route in the matrix: what it does in plain words, and a request that
// succeeds for whoever may make it. In the path, the query and the body, {name} and
// <name> stand for the things of the world that the request is about.
type row struct {
	route string // method and path below /api/v2, or from the root
	does  string // instead of what the table of routes says
	body  string
	query string

	uses    func(w *world, r *role) things // things to use up, for a request that changes or deletes them
	apart   bool                           // they are made for each role anew, not only when the last were used up
	also    []int                          // further statuses of a request that was let through
	anybody bool                           // even users who belong to nothing may
	open    bool                           // needs no token: the path itself is the secret, or there is none
}

// area is the rows of one part of the API.
type area struct {
	name string
	rows []row
}

// TestPermissionMatrix asks a running server every route as everybody, and compares who
// may do what with docs/permissions.golden. After a wanted change:
//
//	scripts/with-postgres go test ./internal/api -run TestPermissionMatrix -update
//
// A new route needs one row in the areas of matrix_rows_test.go or its neighbours.
func TestPermissionMatrix(t *testing.T) {
	if testing.Short() {
		t.Skip("thousands of requests, one after the other: the race detector has the rest of this package")
	}
	t.Parallel()
	var mu sync.Mutex
	found := map[string]string{}
	var routes []string
	t.Run("ask", func(t *testing.T) {
		for _, engine := range storetest.Outside(t) {
			t.Run(engine, func(t *testing.T) {
				t.Parallel()
				w := newWorld(t, storetest.Open(t, engine))
				text := explanation + w.matrix(areas())
				mu.Lock()
				defer mu.Unlock()
				found[engine], routes = text, w.uncovered(areas())
			})
		}
	})
	if t.Failed() {
		return
	}
	compare(t, uncoveredFile, strings.Join(routes, ""))
	if len(routes) > 0 {
		t.Errorf("these routes are in no row of the matrix: add one for each to areas() in matrix_rows_test.go,\n"+
			"with what the route does in plain words and a request that succeeds:\n%s", strings.Join(routes, ""))
	}
	for _, engine := range storetest.Outside(t) {
		compare(t, goldenFile, found[engine])
	}
}

// compare compares a text with a golden file, or writes the file.
func compare(t *testing.T, file, got string) {
	t.Helper()
	if *update {
		if err := os.WriteFile(filepath.Clean(file), []byte(got), 0o600); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(filepath.Clean(file))
	if err != nil && !os.IsNotExist(err) {
		t.Fatal(err)
	}
	if got != string(want) {
		t.Errorf("%s is not what the server does (if the change is wanted, run with -update):\n%s",
			filepath.Base(file), difference(string(want), got))
	}
}

// difference is the lines that only one of two texts has.
func difference(want, got string) string {
	var out strings.Builder
	only := func(mark, text, other string) {
		there := map[string]bool{}
		for _, line := range strings.Split(other, "\n") {
			there[line] = true
		}
		for _, line := range strings.Split(text, "\n") {
			if !there[line] {
				fmt.Fprintf(&out, "%s %s\n", mark, line)
			}
		}
	}
	only("-", want, got)
	only("+", got, want)
	return out.String()
}

// uncovered is the routes that are in no row, and the rows that are no route.
func (w *world) uncovered(areas []area) []string {
	rows := map[string]bool{}
	for _, a := range areas {
		for _, r := range a.rows {
			rows[r.route] = true
		}
	}
	var missing []string
	for _, r := range w.routes {
		name := r.Method + " " + strings.TrimPrefix(r.Path, "/api/v2")
		if !rows[name] {
			missing = append(missing, name+"\n")
		}
		delete(rows, name)
	}
	for name := range rows {
		w.t.Errorf("the row %q is no route of the server", name)
	}
	return missing
}

// The marks of the matrix.
const (
	allowed   = "✔"
	hidden    = "·"
	forbidden = "✘"
)

// matrix asks every row as every role.
func (w *world) matrix(areas []area) string {
	var out strings.Builder
	needs := w.needs()
	for _, a := range areas {
		fmt.Fprintf(&out, "\n%s\n%s\n", a.name, header(w.roles))
		for _, r := range a.rows {
			fmt.Fprintf(&out, "%s", pad(w.does(r), width))
			let := map[string]bool{}
			for _, role := range w.roles {
				mark := w.ask(r, role)
				let[role.code] = mark == allowed
				fmt.Fprintf(&out, "  %s", mark)
			}
			fmt.Fprintf(&out, "\n    %s\n", r.route)
			needs.hold(r, let)
		}
	}
	needs.told()
	return out.String()
}

// does is what a row does, in the words of the table of routes unless it has its own.
func (w *world) does(r row) string {
	for _, known := range w.routes {
		if r.does == "" && known.Method+" "+strings.TrimPrefix(known.Path, "/api/v2") == r.route {
			return known.Does
		}
	}
	return r.does
}

const width = 66

func pad(text string, to int) string {
	return text + strings.Repeat(" ", max(1, to-utf8.RuneCountInString(text)))
}

func header(roles []*role) string {
	codes := make([]string, len(roles))
	for i, r := range roles {
		codes[i] = r.code
	}
	return strings.Repeat(" ", width+1) + strings.Join(codes, " ")
}

// ask makes the request of a row as a role, and reads from the answer whether it was let
// through.
func (w *world) ask(r row, as *role) string {
	things := w.shared.with(w.prepared(r, as))
	method, path, _ := strings.Cut(r.route, " ")
	if !strings.HasPrefix(path, "/.well-known") && !strings.HasPrefix(path, "/app/") && !strings.HasPrefix(path, "/oauth/") {
		path = "/api/v2" + path
	}
	if r.query != "" {
		path += "?" + r.query
	}
	status, body := w.send(method, things.in(path), as.token, things.in(r.body))
	mark := w.read(r, as, status, body)
	if mark == allowed {
		w.left = nil
	}
	if as.code == "no" && mark != hidden && !r.open {
		w.t.Errorf("%s: let nobody in (%d)", r.route, status)
	}
	if as.code == "st" && mark == allowed && !r.anybody && !r.open {
		w.t.Errorf("%s: let a stranger in (%d); say anybody: true in its row if that is meant", r.route, status)
	}
	return mark
}

// prepared is the things that the request of a row uses up. Who is refused leaves them to
// the next.
func (w *world) prepared(r row, as *role) things {
	switch {
	case r.uses == nil:
		return nil
	case r.apart:
		return r.uses(w, as)
	}
	if w.left == nil || w.leftBy != r.route {
		w.left, w.leftBy = r.uses(w, nil), r.route
	}
	w.grant(as, w.left)
	return w.left
}

func (w *world) read(r row, as *role, status int, body string) string {
	for _, also := range r.also {
		if status == also {
			return allowed
		}
	}
	switch {
	case status >= 200 && status < 400:
		return allowed
	case status == http.StatusUnauthorized && as.code == "no":
		return hidden
	case status == http.StatusNotFound && as.code != "no":
		return hidden
	case status == http.StatusForbidden:
		return forbidden
	default:
		w.t.Errorf("%s as %s (%s): status %d says nothing about permission; mend the request of the row: %s", r.route, as.code, as.who, status, body)
		return "?"
	}
}
