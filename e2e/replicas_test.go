package e2e_test

import (
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"
)

// TestServersOfOneDatabase are on one lamp: how many there are, of which versions, and which says nothing any more.
func TestServersOfOneDatabase(t *testing.T) {
	t.Parallel()
	s := start(t, "postgres")
	says := func() (status, text, remedy string) {
		checks := s.do("GET", "/admin/site-health", s.Token, "").want(t, 200)
		for i := 0; checks.at("data.attributes.checks."+strconv.Itoa(i)) != nil; i++ {
			if at := "data.attributes.checks." + strconv.Itoa(i) + "."; checks.text(at+"name") == "replicas" {
				return checks.text(at + "status"), checks.text(at + "says"), checks.text(at + "remedy")
			}
		}
		return "", "", ""
	}
	tells := func(what, status, text string) {
		t.Helper()
		s.eventually(func() bool {
			is, says, _ := says()
			return is == status && strings.HasPrefix(says, text)
		}, what)
	}
	names := func() (names []string) {
		r := s.do("GET", "/admin/site-health", s.Token, "").want(t, 200)
		for i := 0; r.at("data.attributes.replicas."+strconv.Itoa(i)) != nil; i++ {
			at := "data.attributes.replicas." + strconv.Itoa(i) + "."
			since, err := time.Parse(time.RFC3339, r.text(at+"started-at"))
			if seen, errSeen := time.Parse(time.RFC3339, r.text(at+"seen-at")); err != nil || errSeen != nil || seen.Before(since) || time.Since(since) > time.Hour {
				t.Errorf("a server since %s, seen at %s", r.text(at+"started-at"), r.text(at+"seen-at"))
			}
			names = append(names, r.text(at+"name")+" "+r.text(at+"version"))
		}
		return names
	}
	tells("one server", "ok", "1 server, of version ")
	second := s.another()
	tells("two servers", "ok", "2 servers, all of version ")
	s.execute("UPDATE replicas SET name = 'host-9', version = '0.9' WHERE started_at = (SELECT max(started_at) FROM replicas)")
	tells("a rolling upgrade", "warn", "2 servers, of versions 0.9 and ")
	admin := s.signIn("admin")
	if both := names(); len(both) != 2 || !slices.Contains(both, "host-9 0.9") {
		t.Errorf("two servers are %q", both)
	}
	table := admin.get("/app/~/admin/health").want(t, 200).has(t, "Servers of this database", ">2 servers<", "host-9", "<code>0.9</code>").inert(t)
	if n := strings.Count(table.said(), ">heard</span>"); n != 2 {
		t.Errorf("%d servers are heard", n)
	}
	second.stop()
	tells("one has stopped", "ok", "1 server, of version ")
	if one := names(); len(one) != 1 || strings.Contains(one[0], "host-9") {
		t.Errorf("one server is %q", one)
	}
	admin.get("/app/~/admin/health").want(t, 200).has(t, ">1 server<").hasNot(t, "host-9")
	s.execute("INSERT INTO replicas (id, name, version, started_at, seen_at) SELECT 'server-x', 'host-2', version, started_at, seen_at - 240000 FROM replicas")
	tells("one was killed", "warn", "host-2 said nothing for ")
	admin.get("/app/~/admin/health").want(t, 200).has(t, "host-2 said nothing for", "belay_replicas", "It was killed, can").inert(t)
}
