package e2e_test

import (
	"bufio"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"testing"
)

// statements is how many SQL statements the server has run.
func (s *server) statements() int {
	s.t.Helper()
	answer, err := http.Get(s.URL + "/metrics")
	must(s.t, err)
	defer func() { _ = answer.Body.Close() }()
	for lines := bufio.NewScanner(answer.Body); lines.Scan(); {
		if text, ok := strings.CutPrefix(lines.Text(), "belay_sql_statements_total "); ok {
			n, err := strconv.ParseFloat(text, 64)
			must(s.t, err)
			return int(n)
		}
	}
	s.t.Fatal("the metrics do not count statements")
	return 0
}

// cost is how many statements a request runs, the second time: what is kept is warm.
// Work in the background may add to a reading, so the least of some counts.
func (s *server) cost(method, path, token string) int {
	s.t.Helper()
	least := 1 << 30
	for range 15 {
		before := s.statements()
		if got := s.do(method, path, token, ""); got.Status >= 300 {
			s.t.Fatalf("%s %s: %d %s", method, path, got.Status, got.Body)
		}
		least = min(least, s.statements()-before)
	}
	return least
}

// TestAPageCostsTheSameStatementsWhateverItHolds pins what reading workspaces costs: at
// most 6 statements for one and 8 for a page, with 1 row as with 100.
func TestAPageCostsTheSameStatementsWhateverItHolds(t *testing.T) {
	each(t, func(t *testing.T, s *server) {
		s.organization("acme")
		id := s.workspace("acme", "w000")
		const list = "/organizations/acme/workspaces?page%5Bsize%5D=100"
		one := s.cost("GET", list, s.Token)
		for i := range 99 {
			s.workspace("acme", fmt.Sprintf("w%03d", i+1))
		}
		if hundred := s.cost("GET", list, s.Token); hundred != one || hundred > 8 {
			t.Errorf("a page of 100 costs %d statements, of one %d", hundred, one)
		}
		for _, path := range []string{
			list + "&search%5Bname%5D=w0", list + "&sort=-latest-change-at", list + "&page%5Bnumber%5D=2",
		} {
			if cost := s.cost("GET", path, s.Token); cost > 8 {
				t.Errorf("%s costs %d statements", path, cost)
			}
		}
		for _, path := range []string{"/workspaces/" + id, "/organizations/acme/workspaces/w000"} {
			if cost := s.cost("GET", path, s.Token); cost > 6 {
				t.Errorf("%s costs %d statements", path, cost)
			}
		}
	})
}
