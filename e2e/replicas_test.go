package e2e_test

import (
	"strconv"
	"strings"
	"testing"
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
	tells("one server", "ok", "1 server, of version ")
	second := s.another()
	tells("two servers", "ok", "2 servers, all of version ")
	s.execute("UPDATE replicas SET version = '0.9' WHERE started_at = (SELECT max(started_at) FROM replicas)")
	tells("a rolling upgrade", "warn", "2 servers, of versions 0.9 and ")
	second.stop()
	tells("one has stopped", "ok", "1 server, of version ")
	s.execute("INSERT INTO replicas (id, name, version, started_at, seen_at) SELECT 'server-x', 'host-2', version, started_at, seen_at - 240000 FROM replicas")
	tells("one was killed", "warn", "host-2 said nothing for ")
	s.signIn("admin").get("/app/~/admin/health").want(t, 200).has(t, "host-2 said nothing for", "belay_replicas", "It was killed, can").inert(t)
}
