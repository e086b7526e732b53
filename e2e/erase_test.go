package e2e_test

import (
	"context"
	"strings"
	"testing"
)

// kept is the tables that keep rows of an organization that is gone, and why.
var kept = map[string]string{
	"events":     "the audit trail of the site tells who deleted it",
	"deliveries": "what was on its way still arrives",
}

// TestNothingIsLeftOfAnErasedOrganization looks into every table that knows organizations.
func TestNothingIsLeftOfAnErasedOrganization(t *testing.T) {
	each(t, func(t *testing.T, s *server) {
		s.organization("acme")
		ws := s.runnable("network")
		run := s.do("POST", "/runs", s.Token, runOf(ws, "")).want(t, 201).text("data.id")
		s.do("POST", "/organizations/acme/agent-pools", s.Token, `{"data":{"type":"agent-pools","attributes":{"name":"west"}}}`).want(t, 201)
		s.do("POST", "/runs/"+run+"/actions/cancel", s.Token, "").want(t, 202)
		s.do("DELETE", "/organizations/acme", s.Token, "").want(t, 204)
		s.eventually(func() bool { return s.count("SELECT count(*) FROM organizations") == 0 }, "the organization is erased")
		for _, table := range s.tablesOfOrganizations(t) {
			if n := s.count("SELECT count(*) FROM " + table + " WHERE organization_id <> ''"); n > 0 && kept[table] == "" {
				t.Errorf("%d rows are left in %s", n, table)
			}
		}
	})
}

// tablesOfOrganizations is every table whose rows are an organization's.
func (s *server) tablesOfOrganizations(t *testing.T) (tables []string) {
	t.Helper()
	all := "SELECT m.name FROM sqlite_master m JOIN pragma_table_info(m.name) p ON p.name = 'organization_id' WHERE m.type = 'table'"
	if s.onPostgres() {
		all = "SELECT table_name FROM information_schema.columns WHERE column_name = 'organization_id' AND table_schema = current_schema()"
	}
	rows, err := s.database().QueryContext(context.Background(), all)
	must(t, err)
	defer func() { _ = rows.Close() }()
	for rows.Next() {
		var table string
		must(t, rows.Scan(&table))
		tables = append(tables, table)
	}
	must(t, rows.Err())
	if len(tables) < 10 {
		t.Fatalf("only %d tables: %v", len(tables), tables)
	}
	return tables
}

// onPostgres says which database the server is on.
func (s *server) onPostgres() bool {
	return strings.Contains(strings.Join(s.env, "\n"), "BELAY_DATABASE_URL=")
}
