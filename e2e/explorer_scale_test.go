package e2e_test

import (
	"context"
	"fmt"
	"os"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/belayhq/belay/internal/storetest"
)

func TestBulkActionOnTenThousandWorkspaces(t *testing.T) {
	slow(t)
	each(t, func(t *testing.T, s *server) {
		s.organization("acme")
		s.fill(s.workspace("acme", "first"), 10_000)
		path := "/organizations/acme/explorer/bulk-actions"
		order := `{"data":{"attributes":{"action_type":"change_requests","action_inputs":{"subject":"s","message":"m"},` +
			`"query":{"type":"workspaces","filter":[{"field":"workspace_name","operator":"contains","value":["copy-"]}]}}}}`
		// One workspace, far down the list, takes no change request: then none may.
		s.execute("CREATE TABLE forbidden (id TEXT PRIMARY KEY)", "INSERT INTO forbidden VALUES ('ws-0000000001007777')")
		s.execute(s.refusing()...)
		s.do("POST", path, s.Token, order).want(t, 500)
		for _, table := range []string{"change_requests", "bulk_actions"} {
			if n := s.count("SELECT count(*) FROM " + table); n != 0 {
				t.Errorf("%d rows are left in %s", n, table)
			}
		}
		if n := s.count("SELECT count(*) FROM events WHERE kind = 'bulk_action.created'"); n != 0 {
			t.Errorf("%d events are left", n)
		}
		s.execute("DELETE FROM forbidden")
		begin := time.Now()
		r := s.do("POST", path, s.Token, order).want(t, 201)
		t.Logf("10,000 change requests by query: %v", time.Since(begin))
		if r.at("meta.created-count") != 10_000.0 {
			t.Errorf("%s", r.Body)
		}
		if n := s.count("SELECT count(DISTINCT workspace_id) FROM change_requests"); n != 10_000 {
			t.Errorf("%d workspaces have one", n)
		}
		if n := s.count("SELECT count(*) FROM events WHERE kind = 'bulk_action.created'"); n != 1 {
			t.Errorf("%d events for one bulk action", n)
		}
	})
}

// refusing is a trigger that fails when a forbidden workspace gets a change request.
func (s *server) refusing() []string {
	if s.onPostgres() {
		return []string{
			`CREATE FUNCTION refuse() RETURNS trigger AS $$ BEGIN
				IF EXISTS (SELECT 1 FROM forbidden WHERE id = NEW.workspace_id) THEN RAISE EXCEPTION 'forbidden'; END IF; RETURN NEW;
			END $$ LANGUAGE plpgsql`,
			"CREATE TRIGGER refusing BEFORE INSERT ON change_requests FOR EACH ROW EXECUTE FUNCTION refuse()",
		}
	}
	return []string{`CREATE TRIGGER refusing BEFORE INSERT ON change_requests WHEN EXISTS (SELECT 1 FROM forbidden WHERE id = NEW.workspace_id)
		BEGIN SELECT RAISE(ABORT, 'forbidden'); END`}
}

// count is the number that a statement finds in the server's database.
func (s *server) count(statement string) (n int) {
	s.t.Helper()
	must(s.t, s.database().QueryRowContext(context.Background(), statement).Scan(&n))
	return n
}

// atScale is how many workspaces a test has that looks at a large organization: 100,000, or as many as BELAY_SCALE says.
func atScale() int { return storetest.Number("BELAY_SCALE", 100_000) }

// TestExplorerAtScale reports how long pages take with 100,000 workspaces, and demands
// that an export of all of them does not grow the server.
func TestExplorerAtScale(t *testing.T) {
	slow(t)
	for _, engine := range storetest.Outside(t) { // one after the other: they are measured
		t.Run(engine, func(t *testing.T) {
			s := start(t, engine)
			s.organization("acme")
			s.fill(s.workspace("acme", "first"), atScale())
			s.use("modules", "vpc", "vpc", "resource_count < 25")
			for i := range 100 {
				s.use("modules", fmt.Sprint("m", i), "m", fmt.Sprint("resource_count = ", i))
			}
			s.use("providers", "hashicorp/aws", "aws", "1 = 1")
			s.use("providers", "tf.acme.internal/acme/own", "own", "resource_count % 10 = 3")
			s.execute("ANALYZE")
			// As many rows in ten exports leave behind what the collector takes its time to clear
			// away; one ten times as long must not need more than that.
			export := "/organizations/acme/explorer/export/csv?type=workspaces"
			var some reply
			for range 10 {
				some = s.do("GET", export+"&filter[0][state_version_terraform_version][is][0]=1.5.0", s.Token, "").want(t, 200)
			}
			before, begin := s.memory(), time.Now()
			r := s.do("GET", export, s.Token, "").want(t, 200)
			t.Logf("export of %d bytes: %d MB resident at the most; of %d bytes, in %v: %d MB",
				len(some.Body), before>>10, len(r.Body), time.Since(begin), s.memory()>>10)
			if n := strings.Count(r.Body, "\n"); n != atScale()+2 {
				t.Errorf("%d lines", n)
			}
			allowed := 48 << 10
			if engine == "sqlite" { // each of its connections may come to keep 64 MB of pages
				allowed += max(2, runtime.NumCPU()) * 64 << 10
			}
			if grown := s.memory() - before; grown > allowed {
				t.Errorf("the server grew by %d MB", grown>>10)
			}
			s.fillTags()
			s.execute("ANALYZE")
			_, list := s.median(t, "/organizations/acme/workspaces")
			t.Logf("a plain page: %v", list)
			for _, query := range []string{
				"type=workspaces",
				"type=workspaces&filter[0][workspace_name][contains][0]=7777",
				"type=workspaces&filter[0][workspace_terraform_version][is_not][0]=1.0.0",
				"type=workspaces&filter[0][state_version_terraform_version][is][0]=1.5.0",
				"type=workspaces&filter[0][state_version_terraform_version][is][0]=9.9.9",
				"type=workspaces&filter[0][resource_count][gt][0]=98&filter[1][state_version_terraform_version][is][0]=1.9.0",
				"type=workspaces&filter[0][resource_count][gt][0]=50&sort=-resource_count",
				"type=workspaces&filter[0][modules][contains][0]=vpc",
				"type=workspaces&filter[0][modules][contains][0]=m77",
				"type=workspaces&filter[0][project_name][contains][0]=default",
				"type=workspaces&filter[0][tags][contains][0]=prod",
				"type=workspaces&filter[0][tags][contains][0]=m13-1",
				"type=workspaces&filter[0][tags][contains][0]=owner:v7",
				"type=workspaces&filter[0][tags][does_not_contain][0]=half",
				"type=workspaces&filter[0][providers][contains][0]=own",
				"type=workspaces&filter[0][providers][contains][0]=aws&filter[1][state_version_terraform_version][is][0]=1.5.0",
				"type=workspaces&filter[0][module_count][gt][0]=1",
				"type=workspaces&filter[0][workspace_created_at][is_after][0]=2020-01-01",
				"type=workspaces&filter[0][workspace_updated_at][is_after][0]=2020-01-01",
				"type=workspaces&filter[0][current_run_status][is][0]=applied",
				"type=workspaces&sort=-workspace_updated_at",
				"type=tf_versions&fields=version,workspace_count", "type=modules&sort=-workspace_count&fields=name,workspace_count",
				"type=tf_versions", "type=providers", "type=modules", "type=modules&filter[0][name][is][0]=vpc",
			} {
				first, again := s.median(t, "/organizations/acme/explorer?"+query)
				t.Logf("first %5.1fx %v, again %4.1fx %v: %s", float64(first)/float64(list), first, float64(again)/float64(list), again, query)
			}
		})
	}
}

// median is the time of a first request, and of the middle one of some that follow.
func (s *server) median(t *testing.T, path string) (first, again time.Duration) {
	t.Helper()
	var took []time.Duration
	for range 10 {
		begin := time.Now()
		s.do("GET", path, s.Token, "").want(t, 200)
		took = append(took, time.Since(begin).Round(10*time.Microsecond))
	}
	first = took[0]
	slices.Sort(took)
	return first, took[len(took)/2]
}

// memory is the most kilobytes that the server has had resident.
func (s *server) memory() int {
	s.t.Helper()
	raw, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", s.command.Process.Pid))
	must(s.t, err)
	_, rest, _ := strings.Cut(string(raw), "VmHWM:")
	var kilobytes int
	_, err = fmt.Sscan(rest, &kilobytes)
	must(s.t, err)
	return kilobytes
}
