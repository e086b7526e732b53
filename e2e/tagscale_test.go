package e2e_test

import (
	"fmt"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/belayhq/belay/internal/storetest"
)

// numbered is what a filled workspace's own number is in SQL.
const numbered = "(CAST(SUBSTR(w.name, 6) AS INTEGER) - 1000000)"

// fillTags gives the filled workspaces ten flat tags each and some more to few of them,
// and tag bindings.
func (s *server) fillTags() {
	s.t.Helper()
	tag := func(name, condition string) []string {
		from := " FROM workspaces w WHERE w.name LIKE 'copy-%' AND " + condition
		return []string{
			fmt.Sprintf("INSERT INTO tags (id, organization_id, name, created_at, instance_count) SELECT 'tag-' || %s, w.organization_id, %s, 1, count(*)%s GROUP BY 1, 2, 3", name, name, from),
			fmt.Sprintf("INSERT INTO workspace_tags (tag_id, workspace_name, workspace_id) SELECT 'tag-' || %s, w.name, w.id%s", name, from),
		}
	}
	for _, row := range [][2]string{
		{"'all'", "1 = 1"}, {"'half'", numbered + " % 2 = 0"}, {"'quarter'", numbered + " % 4 = 0"}, {"'otherquarter'", numbered + " % 4 = 1"},
		{"'tenth'", numbered + " % 10 = 4"}, {"'hundredth'", numbered + " % 100 = 8"}, {"'rare'", numbered + " % 5000 = 13"},
	} {
		s.execute(tag(row[0], row[1])...)
	}
	for _, n := range []int{7, 11, 13, 17, 19, 23, 29, 31} {
		s.execute(tag(fmt.Sprintf("'m%d-' || CAST(%s %% %d AS TEXT)", n, numbered, n), "1 = 1")...)
	}
	for key, value := range map[string]string{
		"env": numbered + " % 4", "owner": numbered + " % 200", "cost": numbered + " % 10",
	} {
		s.execute(fmt.Sprintf(`INSERT INTO workspace_tag_bindings (id, organization_id, workspace_id, workspace_name, key, value, created_at)
			SELECT 'tb-%s' || w.id, w.organization_id, w.id, w.name, '%s', 'v' || CAST(%s AS TEXT), 1 FROM workspaces w WHERE w.name LIKE 'copy-%%'`, key, key, value))
	}
	s.execute(
		`UPDATE workspaces SET tag_names = '["all","half","m11-1","m13-1","m17-1","m19-1","m23-1","m29-1","m31-1","m7-1"]' WHERE name LIKE 'copy-%'`,
		"UPDATE organizations SET generation = generation + 1",
	)
}

// TestTagFiltersAtScale prints what filtered pages cost with 100,000 workspaces of ten
// tags each, as multiples of a page without filters, and what adding a tag costs beside
// the same with 100 workspaces. It checks only that what is found is right.
func TestTagFiltersAtScale(t *testing.T) {
	slow(t)
	for _, engine := range storetest.Outside(t) {
		t.Run(engine, func(t *testing.T) {
			s := start(t, engine)
			s.organization("acme")
			few := s.workspace("acme", "model")
			s.fill(few, 100)
			t.Logf("with 100 workspaces, adding a tag and taking it away takes %v", s.tagging(t, few))
			s.execute("DELETE FROM workspaces WHERE name LIKE 'copy-%'", "UPDATE organizations SET workspace_count = workspace_count - 100")
			s.fill(few, atScale())
			s.fillTags()
			s.execute("ANALYZE")
			if engine == "postgres" {
				s.execute("VACUUM")
			}
			const list = "/organizations/acme/workspaces"
			_, plain := s.quickest(t, list)
			t.Logf("a page without filters: %v", plain)
			for _, row := range []struct {
				query string
				has   func(n int) bool
			}{
				{"search[tags]=quarter", func(n int) bool { return n%4 == 0 }},
				{"search[tags]=quarter,tenth", func(n int) bool { return n%20 == 4 }},
				{"search[tags]=quarter,hundredth", func(n int) bool { return n%100 == 8 }},
				{"search[tags]=quarter,tenth,hundredth", func(int) bool { return false }},
				{"search[tags]=quarter,otherquarter", func(int) bool { return false }},
				{"search[tags]=tenth,m29-3", func(n int) bool { return n%10 == 4 && n%29 == 3 }},
				{"search[tags]=rare,quarter", func(n int) bool { return n%5000 == 13 && n%4 == 0 }},
				{"search[tags]=half&sort=-latest-change-at", func(n int) bool { return n%2 == 0 }},
				{"search[tags]=all&search[exclude-tags]=quarter", func(n int) bool { return n%4 != 0 }},
				{"search[exclude-tags]=quarter,tenth", func(n int) bool { return n < 0 || n%4 != 0 && n%10 != 4 }},
				{"filter[tagged][0][key]=env&filter[tagged][0][value]=v0", func(n int) bool { return n%4 == 0 }},
				{"filter[tagged][0][key]=env&filter[tagged][0][value]=v0&filter[tagged][1][key]=owner&filter[tagged][1][value]=v8", func(n int) bool { return n%200 == 8 }},
				{"filter[tagged][0][key]=env&filter[tagged][0][value]=v0&filter[tagged][1][key]=cost&filter[tagged][1][value]=v4", func(n int) bool { return n%20 == 4 }},
				{"filter[tagged][0][key]=env&filter[tagged][1][key]=owner", func(int) bool { return true }},
				{"search[tags]=quarter&filter[tagged][0][key]=cost&filter[tagged][0][value]=v4", func(n int) bool { return n%20 == 4 }},
				{"search[tags]=quarter,tenth&search[name]=99", func(n int) bool { return n%20 == 4 && strings.Contains(strconv.Itoa(1_000_000+n), "99") }},
			} {
				total := 0
				if row.has(-1) && strings.HasPrefix(row.query, "search[exclude") {
					total++ // the workspace that was copied
				}
				for n := range atScale() {
					if row.has(n) {
						total++
					}
				}
				path := list + "?" + encodeQuery(row.query)
				if got := s.do("GET", path, s.Token, "").at("meta.pagination.total-count"); got != float64(total) {
					t.Errorf("%s: total-count %v, want %d", row.query, got, total)
				}
				cold, warm := s.quickest(t, path)
				t.Logf("first %5.1fx %v, again %4.1fx %v: %s", float64(cold)/float64(plain), cold, float64(warm)/float64(plain), warm, row.query)
			}
			t.Logf("with %d workspaces, adding a tag and taking it away takes %v", atScale(), s.tagging(t, few))
		})
	}
}

// tagging is the least time of giving a workspace a tag and taking it away again.
func (s *server) tagging(t *testing.T, id string) time.Duration {
	t.Helper()
	body := `{"data":[{"type":"tags","attributes":{"name":"passing"}}]}`
	path := "/workspaces/" + id + "/relationships/tags"
	least := time.Hour
	for range 50 {
		begin := time.Now()
		s.do("POST", path, s.Token, body).want(t, 204)
		s.do("DELETE", path, s.Token, body).want(t, 204)
		least = min(least, time.Since(begin).Round(10*time.Microsecond))
	}
	return least
}

// quickest is the least time of a request after its counts were forgotten, and of one
// after that: other work on the machine adds to the others.
func (s *server) quickest(t *testing.T, path string) (cold, warm time.Duration) {
	t.Helper()
	cold, warm = time.Hour, time.Hour
	took := func() time.Duration {
		begin := time.Now()
		s.do("GET", path, s.Token, "").want(t, 200)
		return time.Since(begin).Round(10 * time.Microsecond)
	}
	for range 10 {
		s.execute("UPDATE organizations SET generation = generation + 1")
		cold = min(cold, took())
		warm = min(warm, took(), took())
	}
	return cold, warm
}
