package e2e_test

import (
	"context"
	"database/sql"
	"fmt"
	"net/url"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// database opens the server's own database, to put in what no client can.
func (s *server) database() *sql.DB {
	s.t.Helper()
	driver, source := "sqlite", ""
	for i, arg := range s.args {
		if arg == "--data-dir" {
			source = "file:" + filepath.Join(s.args[i+1], "belay.db") + "?_pragma=busy_timeout(600000)"
		}
	}
	for _, variable := range s.env {
		if postgres, ok := strings.CutPrefix(variable, "BELAY_DATABASE_URL="); ok {
			driver, source = "pgx", postgres
		}
	}
	db, err := sql.Open(driver, source)
	must(s.t, err)
	s.t.Cleanup(func() { _ = db.Close() })
	return db
}

// execute runs statements in the server's database.
func (s *server) execute(statements ...string) {
	s.t.Helper()
	db := s.database()
	for _, statement := range statements {
		_, err := db.ExecContext(context.Background(), statement)
		must(s.t, err)
	}
}

// fill copies a workspace n times by one statement.
func (s *server) fill(workspaceID string, n int) {
	s.t.Helper()
	db := s.database()
	rows, err := db.QueryContext(context.Background(), "SELECT * FROM workspaces WHERE id = '"+workspaceID+"'")
	must(s.t, err)
	names, err := rows.Columns()
	must(s.t, err)
	must(s.t, rows.Close())
	chosen := slices.Clone(names)
	for i, name := range names {
		switch name {
		case "id":
			chosen[i] = "'ws-000000000' || CAST(1000000 + n AS TEXT)"
		case "name":
			chosen[i] = "'copy-' || CAST(1000000 + n AS TEXT)"
		case "resource_count":
			chosen[i] = "n % 100"
		case "state_engine_version":
			chosen[i] = "'1.' || CAST(n % 10 AS TEXT) || '.0'"
		}
	}
	_, err = db.ExecContext(context.Background(), fmt.Sprintf(`WITH RECURSIVE counted(n) AS (SELECT 0 UNION ALL SELECT n + 1 FROM counted WHERE n < %d)
		INSERT INTO workspaces (%s) SELECT %s FROM workspaces, counted WHERE workspaces.id = '%s'`,
		n-1, strings.Join(names, ", "), strings.Join(chosen, ", "), workspaceID))
	must(s.t, err)
	s.execute(fmt.Sprintf("UPDATE organizations SET workspace_count = workspace_count + %d, generation = generation + 1", n))
}

// explored makes an organization whose workspaces differ in every field that can differ.
func explored(s *server) {
	s.t.Helper()
	s.organization("acme")
	s.organization("umbrella")
	s.workspace("umbrella", "elsewhere")
	project := s.do("POST", "/organizations/acme/projects", s.Token, `{"data":{"type":"projects","attributes":{"name":"Payments"}}}`).want(s.t, 201).text("data.id")
	a, b := s.workspace("acme", "app-one"), s.workspace("acme", "App-two")
	s.workspace("acme", "db_1")
	s.do("PATCH", "/workspaces/"+a, s.Token, `{"data":{"type":"workspaces","attributes":{"terraform-version":"1.5.7"},"relationships":{"project":{"data":{"type":"projects","id":"`+project+`"}}}}}`).want(s.t, 200)
	for id, tag := range map[string]string{a: "prod", b: "dev"} {
		s.do("POST", "/workspaces/"+id+"/relationships/tags", s.Token, `{"data":[{"type":"tags","attributes":{"name":"`+tag+`"}},{"type":"tags","attributes":{"name":"all"}}]}`).want(s.t, 204)
	}
	s.do("PATCH", "/workspaces/"+a+"/tag-bindings", s.Token, `{"data":[{"type":"tag-bindings","attributes":{"key":"billing","value":"tier2"}}]}`).want(s.t, 200)
	s.do("PATCH", "/projects/"+project+"/tag-bindings", s.Token,
		`{"data":[{"type":"tag-bindings","attributes":{"key":"billing","value":"tier9"}},{"type":"tag-bindings","attributes":{"key":"region","value":"eu"}}]}`).want(s.t, 200)
	s.execute(
		"UPDATE workspaces SET resource_count = 10, state_engine_version = '1.5.7', current_run_status = 'applied', current_run_id = 'run-1', created_at = 1700000000000, vcs_repo = '{\"identifier\":\"acme/app\"}' WHERE id = '"+a+"'",
		"UPDATE organizations SET facts_generation = facts_generation + 1", "UPDATE workspaces SET resource_count = 3, state_engine_version = '1.9.0' WHERE id = '"+b+"'",
	)
	s.use("modules", "vpc", "vpc", "id = '"+a+"' OR id = '"+b+"'")
	s.use("modules", "data.rds", "rds", "id = '"+a+"'")
	s.use("providers", "hashicorp/aws", "aws", "id = '"+a+"'")
	s.use("providers", "tf.acme.internal/acme/own", "own", "id = '"+b+"'")
}

// use writes that the current states of some workspaces use a module or a provider.
func (s *server) use(kind, source, name, which string) {
	s.t.Helper()
	s.execute(
		fmt.Sprintf(`INSERT INTO workspace_uses (workspace_id, kind, source, organization_id, workspace_name)
			SELECT id, '%s', '%s', organization_id, name FROM workspaces WHERE %s`, kind, source, which),
		fmt.Sprintf(`INSERT INTO used_sources (organization_id, kind, source, name, workspace_count)
			SELECT organization_id, kind, source, '%s', count(*) FROM workspace_uses WHERE kind = '%s' AND source = '%s' GROUP BY 1, 2, 3`, name, kind, source),
		fmt.Sprintf("UPDATE workspaces SET %s_count = %s_count + 1 WHERE %s", kind[:len(kind)-1], kind[:len(kind)-1], which),
	)
}

// where is the parameters of a question about workspaces with one filter.
func where(field, operator string, values ...string) string {
	q := url.Values{"type": {"workspaces"}}
	for i, value := range values {
		q.Set(fmt.Sprintf("filter[0][%s][%s][%d]", field, operator, i), value)
	}
	return "/organizations/acme/explorer?" + q.Encode()
}

func TestExplorerOperators(t *testing.T) {
	each(t, func(t *testing.T, s *server) {
		explored(s)
		const one, two, db = "app-one", "App-two", "db_1"
		all := []string{two, one, db}
		for _, c := range []struct {
			field, operator string
			values, want    []string
		}{
			{"workspace_name", "is", []string{"app-one"}, []string{one}},
			{"workspace_name", "is", []string{"app-one", "db_1"}, []string{one, db}},
			{"workspace_name", "is", []string{"APP-ONE"}, nil},
			{"workspace_name", "is_not", []string{"app-one"}, []string{two, db}},
			{"workspace_name", "is_not", []string{"app-one", "db_1"}, []string{two}},
			{"workspace_name", "contains", []string{"APP"}, []string{two, one}},
			{"workspace_name", "contains", []string{"_"}, []string{db}},
			{"workspace_name", "contains", []string{"%"}, nil},
			{"workspace_name", "contains", []string{"two", "db"}, []string{two, db}},
			{"workspace_name", "does not contain", []string{"app"}, []string{db}},
			{"workspace_name", "does_not_contain", []string{"app", "db"}, nil},
			{"workspace_name", "is_empty", []string{""}, nil},
			{"workspace_name", "is_not_empty", []string{""}, all},
			{"project_name", "is", []string{"Payments"}, []string{one}},
			{"project_name", "contains", []string{"default"}, []string{two, db}},
			{"project_name", "does not contain", []string{"default"}, []string{one}},
			{"organization_name", "is", []string{"acme"}, all},
			{"workspace_terraform_version", "is", []string{"1.5.7"}, []string{one}},
			{"state_version_terraform_version", "contains", []string{"1."}, []string{two, one}},
			{"state_version_terraform_version", "is_empty", []string{""}, []string{db}},
			{"vcs_repo_identifier", "contains", []string{"ACME/"}, []string{one}},
			{"vcs_repo_identifier", "is_empty", []string{""}, []string{two, db}},
			{"current_run_status", "is", []string{"applied"}, []string{one}},
			{"current_run_external_id", "is_not_empty", []string{""}, []string{one}},
			{"tags", "contains", []string{"PRO"}, []string{one}},
			{"tags", "does not contain", []string{"prod"}, []string{two, db}},
			{"tags", "is", []string{"all, dev"}, []string{two}},
			{"tags", "contains", []string{"billing:tier2"}, []string{one}},
			{"tags", "contains", []string{"billing:tier9"}, nil},
			{"tags", "contains", []string{"region:eu"}, []string{one}},
			{"tags", "is_empty", []string{""}, []string{db}},
			{"modules", "contains", []string{"vpc"}, []string{two, one}},
			{"modules", "contains", []string{"rds"}, []string{one}},
			{"modules", "does not contain", []string{"rds"}, []string{two, db}},
			{"modules", "is", []string{"vpc"}, []string{two}},
			{"modules", "is_empty", []string{""}, []string{db}},
			{"providers", "contains", []string{"hashicorp/aws"}, []string{one}},
			{"source_module_id", "is_empty", []string{""}, all},
			{"resource_count", "is", []string{"10", "3"}, []string{two, one}},
			{"resource_count", "is_not", []string{"10"}, []string{two, db}},
			{"resource_count", "gt", []string{"3"}, []string{one}},
			{"resource_count", "gteq", []string{"3"}, []string{two, one}},
			{"resource_count", "lt", []string{"3"}, []string{db}},
			{"resource_count", "lteq", []string{"3"}, []string{two, db}},
			{"resource_count", "is_empty", []string{""}, nil},
			{"resource_count", "is_not_empty", []string{""}, all},
			{"module_count", "is", []string{"2"}, []string{one}},
			{"provider_count", "lt", []string{"1"}, []string{db}},
			{"checks_failed", "is_empty", []string{""}, all},
			{"checks_failed", "is_not", []string{"1"}, all},
			{"checks_failed", "gt", []string{"-1"}, nil},
			{"drifted", "is", []string{"true", "false"}, nil},
			{"drifted", "is_empty", []string{""}, all},
			{"all_checks_succeeded", "is_not_empty", []string{""}, nil},
			{"workspace_created_at", "is_before", []string{"2024-01-01"}, []string{one}},
			{"workspace_created_at", "is_before", []string{"2023-11-14T22:13:20Z"}, nil},
			{"workspace_created_at", "is_after", []string{"2023-11-14T22:13:20.001"}, []string{two, db}},
			{"workspace_updated_at", "is_after", []string{"2001-01-01T00:00:00+02:00"}, all},
			{"current_run_applied_at", "is_after", []string{"2001-01-01"}, nil},
		} {
			r := s.do("GET", where(c.field, c.operator, c.values...), s.Token, "").want(t, 200)
			if got := r.column("workspace-name"); got != strings.Join(c.want, " ") || r.at("meta.pagination.total-count") != float64(len(c.want)) {
				t.Errorf("%s %s %v: %s of %v, want %v", c.field, c.operator, c.values, got, r.at("meta.pagination.total-count"), c.want)
			}
		}
	})
}

func TestExplorerDocuments(t *testing.T) {
	each(t, func(t *testing.T, s *server) {
		explored(s)
		base := "/organizations/acme/explorer?type="
		r := s.do("GET", base+"workspaces&sort=-resource_count", s.Token, "").want(t, 200)
		for path, want := range map[string]any{
			"data.0.type": "visibility-workspace", "data.0.attributes.workspace-name": "app-one", "data.0.attributes.project-name": "Payments",
			"data.0.attributes.tags": "all, prod, billing:tier2, region:eu", "data.0.attributes.modules": "data.rds, vpc", "data.0.attributes.module-count": 2.0,
			"data.0.attributes.resource-count": 10.0, "data.0.attributes.vcs-repo-identifier": "acme/app", "data.0.attributes.drifted": nil,
			"data.0.attributes.workspace-created-at": "2023-11-14T22:13:20.000Z", "data.2.attributes.tags": nil,
		} {
			if got := r.at(path); got != want {
				t.Errorf("%s: %v, want %v", path, got, want)
			}
		}
		if attributes, _ := r.at("data.0.attributes").(map[string]any); len(attributes) != 29 {
			t.Errorf("%d attributes", len(attributes))
		}
		r = s.do("GET", base+"workspaces&fields=workspace_name,external_id&page[size]=1&page[number]=2", s.Token, "").want(t, 200)
		if attributes, _ := r.at("data.0.attributes").(map[string]any); len(attributes) != 2 || r.column("workspace-name") != "app-one" || r.at("meta.pagination.total-pages") != 3.0 {
			t.Errorf("%s", r.Body)
		}
		r = s.do("GET", base+"tf_versions&sort=-workspace_count", s.Token, "").want(t, 200)
		if r.text("data.0.type") != "visibility-tf-version" || r.at("data.0.attributes.workspace-count") != 2.0 || r.at("data.0.attributes.workspaces") != "App-two, db_1" {
			t.Errorf("%s", r.Body)
		}
		r = s.do("GET", base+"modules&filter[0][name][contains][0]=v", s.Token, "").want(t, 200)
		if r.text("data.0.type") != "visibility-module-version" || r.column("workspace-count") != "2" {
			t.Errorf("%s", r.Body)
		}
		r = s.do("GET", base+"providers&filter[0][registry_type][is][0]=public", s.Token, "").want(t, 200)
		if r.text("data.0.type") != "visibility-provider" || r.column("name") != "aws" || r.at("data.0.attributes.curated") != false {
			t.Errorf("%s", r.Body)
		}
		r = s.do("GET", base+"providers&filter[0][workspace_count][gt][0]=1&filter[1][workspaces][contains][0]=app", s.Token, "").want(t, 200)
		if r.at("meta.pagination.total-count") != 0.0 {
			t.Errorf("%s", r.Body)
		}
	})
}

func TestExplorerRefusals(t *testing.T) {
	each(t, func(t *testing.T, s *server) {
		s.organization("acme")
		for query, part := range map[string]string{
			"":                  "type",
			"type=nonsense":     "type",
			"type=registries&x": "type",
			"type=workspaces&filter[0][nonsense][is][0]=x":                                  `"nonsense" is no field`,
			"type=workspaces&filter[0][resource_count][contains][0]=x":                      `"contains" is no operator of resource_count`,
			"type=workspaces&filter[0][resource_count][is][0]=many":                         `"many" is no whole number`,
			"type=workspaces&filter[0][resource_count][is][0]=9999999999999999999":          "is no whole number",
			"type=workspaces&filter[0][drifted][is][0]=perhaps":                             "neither true nor false",
			"type=workspaces&filter[0][workspace_created_at][is_before][0]=today":           "is no timestamp",
			"type=workspaces&filter[0][workspace_name]=x":                                   "filter[0][workspace_name]",
			"type=workspaces&filter=x":                                                      "filter",
			"type=workspaces&filter[x][workspace_name][is][0]=x":                            "is no number",
			"type=workspaces&sort=nonsense":                                                 "sort",
			"type=workspaces&fields=nonsense":                                               "fields",
			"type=tf_versions&fields=workspace_name":                                        "fields",
			"type=workspaces&filter[0][workspace_name][is][0]=%00":                          "no text",
			"type=workspaces&filter[0][workspace_name][is][0]=%ff":                          "no text",
			"type=workspaces&filter[0][workspace_name][is][0]=" + strings.Repeat("x", 1001): "at most",
		} {
			for _, path := range []string{"explorer", "explorer/export/csv"} {
				r := s.do("GET", "/organizations/acme/"+path+"?"+query, s.Token, "").want(t, 400)
				if !strings.Contains(r.text("errors.0.detail"), part) {
					t.Errorf("%s: %s", query, r.Body)
				}
			}
		}
		_, outsider := s.user("outsider")
		s.do("GET", "/organizations/acme/explorer?type=workspaces", outsider, "").want(t, 404)
		s.do("GET", "/organizations/acme/explorer/export/csv?type=workspaces", outsider, "").want(t, 404)
		s.do("GET", "/organizations/acme/explorer/views", outsider, "").want(t, 404)
	})
}

func TestExplorerCSV(t *testing.T) {
	each(t, func(t *testing.T, s *server) {
		explored(s)
		r := s.do("GET", "/organizations/acme/explorer/export/csv?type=workspaces&fields=workspace_name,tags,resource_count,drifted,workspace_created_at&sort=-resource_count", s.Token, "").want(t, 200)
		lines := strings.Split(r.Body, "\n")
		if lines[0] != "workspace_name,tags,resource_count,drifted,workspace_created_at" || lines[1] != `"app-one","all, prod, billing:tier2, region:eu","10","","2023-11-14T22:13:20.000Z"` || len(lines) != 5 {
			t.Errorf("%s", r.Body)
		}
		if kind := r.Header.Get("Content-Type"); kind != "text/csv; charset=utf-8" {
			t.Errorf("content type %q", kind)
		}
		// What a spreadsheet would compute is marked as text; what is no text is left as it is.
		w := s.workspace("acme", "-edge")
		s.do("PATCH", "/workspaces/"+w+"/tag-bindings", s.Token, `{"data":[{"type":"tag-bindings","attributes":{"key":"=1+1","value":"@x"}}]}`).want(t, 200)
		s.execute("UPDATE workspaces SET resource_count = -2 WHERE id = '"+w+"'", "UPDATE organizations SET facts_generation = facts_generation + 1")
		edge := "type=workspaces&fields=workspace_name,tags,resource_count,project_name&filter[0][workspace_name][is][0]=-edge"
		view := s.do("POST", "/organizations/acme/explorer/views", s.Token, `{"data":{"name":"edge","query":{"type":"workspaces",
			"fields":"workspace_name,tags,resource_count,project_name","filter":[{"workspace_name":{"is":"-edge"}}]}}}`).want(t, 201).text("data.id")
		for _, path := range []string{"/export/csv?" + edge, "/views/" + view + "/csv"} {
			r := s.do("GET", "/organizations/acme/explorer"+path, s.Token, "").want(t, 200)
			if _, row, _ := strings.Cut(r.Body, "\n"); row != "\"'-edge\",\"'=1+1:@x\",\"-2\",\"Default Project\"\n" {
				t.Errorf("%s: %s", path, r.Body)
			}
		}
		if r := s.do("GET", "/organizations/acme/explorer?"+edge, s.Token, ""); r.text("data.0.attributes.tags") != "=1+1:@x" {
			t.Errorf("JSON is changed too: %s", r.Body)
		}
		s.do("DELETE", "/workspaces/"+w, s.Token, "").want(t, 204)
		empty := s.do("GET", "/organizations/acme/explorer/export/csv?type=modules&filter[0][name][is][0]=none", s.Token, "").want(t, 200)
		if !strings.HasPrefix(empty.Body, "name,source,version") || strings.Count(empty.Body, "\n") != 1 {
			t.Errorf("%q", empty.Body)
		}
		// Past one page of the export, in each order, every row comes once.
		s.fill(s.do("GET", "/organizations/acme/workspaces/db_1", s.Token, "").text("data.id"), 2500)
		for _, sort := range []string{"", "-workspace_name", "resource_count", "-state_version_terraform_version,resource_count", "project_name", "drifted", "-workspace_created_at"} {
			r := s.do("GET", "/organizations/acme/explorer/export/csv?type=workspaces&fields=external_id&sort="+sort, s.Token, "").want(t, 200)
			ids := strings.Fields(r.Body)[1:]
			slices.Sort(ids)
			if len(slices.Compact(ids)) != 2503 {
				t.Errorf("sorted by %q: %d rows", sort, len(ids))
			}
		}
	})
}

func TestSavedViews(t *testing.T) {
	each(t, func(t *testing.T, s *server) {
		explored(s)
		views := "/organizations/acme/explorer/views"
		made := s.do("POST", views, s.Token, `{"data":{"name":"mine","query_type":"workspaces","query":{"filter":[{"field":"workspace_name","operator":"contains","value":["app"]}],"fields":["workspace_name"],"sort":["-workspace_name"]}}}`).want(t, 201)
		id := made.text("data.id")
		if !strings.HasPrefix(id, "sq-") || made.text("data.type") != "explorer-saved-views" || made.text("data.attributes.query-type") != "workspaces" ||
			made.text("data.attributes.query.filter.0.operator") != "contains" || made.text("data.attributes.query.type") != "workspaces" {
			t.Errorf("%s", made.Body)
		}
		if got := s.do("GET", views+"/"+id+"/results", s.Token, "").want(t, 200).column("workspace-name"); got != "app-one App-two" {
			t.Errorf("results: %s", got)
		}
		if csv := s.do("GET", views+"/"+id+"/csv", s.Token, "").want(t, 200).Body; csv != "workspace_name\n\"app-one\"\n\"App-two\"\n" {
			t.Errorf("csv: %q", csv)
		}
		s.do("POST", views, s.Token, `{"data":{"type":"explorer-saved-views","attributes":{"name":"mine","query":{"type":"modules"}}}}`).want(t, 422)
		s.do("POST", views, s.Token, `{"data":{"attributes":{"name":"","query":{"type":"modules"}}}}`).want(t, 422)
		s.do("POST", views, s.Token, `{"data":{"attributes":{"name":"other"}}}`).want(t, 422)
		bad := s.do("POST", views, s.Token, `{"data":{"attributes":{"name":"other","query":{"type":"modules","filter":[{"field":"drifted","operator":"is","value":["x"]}]}}}}`).want(t, 422)
		if bad.text("errors.0.source.pointer") != "/data/attributes/query/filter/0/field" || !strings.HasPrefix(bad.text("errors.0.detail"), `filter[0]: "drifted" is no field`) {
			t.Errorf("%s", bad.Body)
		}
		for body, pointer := range map[string]string{
			`{"data":{"attributes":{"query":null}}}`:        "/data/attributes/query",
			`{"data":{"query":null}}`:                       "/data/query",
			`{"data":{"attributes":{},"query":{"sort":7}}}`: "/data/query/sort",
			`{"data":{"query-type":"modules"}}`:             "/data/query-type",
			`{"data":{"name":null}}`:                        "/data/name",
		} {
			if r := s.do("PATCH", views+"/"+id, s.Token, body).want(t, 422); r.text("errors.0.source.pointer") != pointer {
				t.Errorf("%s: %s", body, r.Body)
			}
		}
		nested := s.do("PATCH", views+"/"+id, s.Token, `{"data":{"attributes":{"query":{"type":"workspaces","filter":{"0":{"workspace_name":{"does not contain":{"0":"app"}}}}}}}}`).want(t, 200)
		if nested.text("data.attributes.name") != "mine" || nested.text("data.attributes.query.filter.0.operator") != "does not contain" {
			t.Errorf("%s", nested.Body)
		}
		if got := s.do("GET", views+"/"+id+"/results", s.Token, "").want(t, 200).column("workspace-name"); got != "db_1" {
			t.Errorf("results: %s", got)
		}
		if got := s.do("GET", views, s.Token, "").want(t, 200).column("name"); got != "mine" {
			t.Errorf("list: %s", got)
		}
		s.do("DELETE", views+"/"+id, s.Token, "").want(t, 200)
		s.do("GET", views+"/"+id, s.Token, "").want(t, 404)
	})
}

func TestBulkActionByQuery(t *testing.T) {
	each(t, func(t *testing.T, s *server) {
		explored(s)
		path := "/organizations/acme/explorer/bulk-actions"
		order := func(query string) string {
			return `{"data":{"type":"bulk_actions","attributes":{"action_type":"change_requests","action_inputs":{"subject":"s","message":"m"},"query":` + query + `}}}`
		}
		for query, count := range map[string]float64{
			`{"type":"workspaces","filter":[{"field":"modules","operator":"contains","value":["vpc"]}]}`:                    2,
			`{"type":"workspaces","filter":[{"workspace_name":{"contains":["db","one"]}},{"resource_count":{"gt":["5"]}}]}`: 1,
			`{"type":"workspaces","filter":{"0":{"workspace_terraform_version":{"is":{"0":"1.5.7"}}}}}`:                     1,
			`{"type":"workspaces"}`: 3,
			`{"type":"workspaces","filter":[{"field":"workspace_name","operator":"is","value":["nothing"]}]}`: 0,
		} {
			if r := s.do("POST", path, s.Token, order(query)).want(t, 201); r.at("meta.created-count") != count {
				t.Errorf("%s: %s", query, r.Body)
			}
		}
		s.do("POST", path, s.Token, order(`{"type":"modules"}`)).want(t, 422)
		s.do("POST", path, s.Token, order(`{"type":"nonsense"}`)).want(t, 422)
		s.do("POST", path, s.Token, order(`{"type":"workspaces","filter":[{"field":"x","operator":"is","value":["y"]}]}`)).want(t, 422)
		s.do("POST", path, s.Token, order(`"everything"`)).want(t, 422)
	})
}

// TestExplorerFollowsStates asks, gives a workspace a state, and asks again: an answer
// that was kept must not outlive what it was about.
func TestExplorerFollowsStates(t *testing.T) {
	each(t, func(t *testing.T, s *server) {
		s.organization("acme")
		w := s.workspace("acme", "network")
		questions := map[string]string{
			where("modules", "contains", "vpc"):                                      "network",
			where("providers", "contains", "hashicorp/aws"):                          "network",
			where("state_version_terraform_version", "is", "1.8.2"):                  "network",
			where("resource_count", "is", "2"):                                       "network",
			where("workspace_terraform_version", "is", "1.5.7"):                      "network",
			where("project_name", "is", "Renamed"):                                   "network",
			"/organizations/acme/explorer?type=modules&filter[0][name][is][0]=vpc":   "",
			"/organizations/acme/explorer?type=providers&filter[0][name][is][0]=aws": "",
		}
		for path := range questions {
			if r := s.do("GET", path, s.Token, "").want(t, 200); r.at("meta.pagination.total-count") != 0.0 {
				t.Errorf("before: %s", r.Body)
			}
		}
		s.lock(w)
		s.give(w, []byte(`{"version":4,"terraform_version":"1.8.2","serial":1,"lineage":"`+lineage+`","outputs":{},"resources":[
			{"module":"module.vpc","mode":"managed","type":"aws_vpc","name":"a","provider":"provider[\"registry.example.org/hashicorp/aws\"]","instances":[{"index_key":0,"schema_version":0,"attributes":{}},{"index_key":1,"schema_version":0,"attributes":{}}]}]}`), 1)
		s.unlock(w)
		s.do("PATCH", "/workspaces/"+w, s.Token, `{"data":{"type":"workspaces","attributes":{"terraform-version":"1.5.7"}}}`).want(t, 200)
		project := s.do("GET", "/workspaces/"+w, s.Token, "").text("data.relationships.project.data.id")
		s.do("PATCH", "/projects/"+project, s.Token, `{"data":{"type":"projects","attributes":{"name":"Renamed"}}}`).want(t, 200)
		for path, want := range questions {
			s.eventually(func() bool {
				r := s.do("GET", path, s.Token, "").want(t, 200)
				return r.at("meta.pagination.total-count") == 1.0 && (want == "" || r.column("workspace-name") == want)
			}, path)
		}
	})
}

// eventually waits for what work in the background brings about.
func (s *server) eventually(holds func() bool, what string) {
	s.t.Helper()
	for deadline := time.Now().Add(patience); time.Now().Before(deadline); time.Sleep(20 * time.Millisecond) {
		if holds() {
			return
		}
	}
	s.t.Errorf("it never came to be: %s", what)
}
