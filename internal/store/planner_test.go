package store_test

import (
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/belayhq/belay"
	"github.com/belayhq/belay/internal/explorer"
	"github.com/belayhq/belay/internal/sqldb"
	"github.com/belayhq/belay/internal/store"
	"github.com/belayhq/belay/internal/store/core"
	"github.com/belayhq/belay/internal/storetest"
	"github.com/belayhq/belay/run"
)

// shape is something that the planner is asked for.
type shape struct {
	name string
	ask  func(v *store.View, o belay.Organization) error
}

// listShapes is what lists of workspaces and projects are asked for. A project prj-few has few workspaces.
func listShapes() []shape {
	everywhere, firstOf := belay.Scope{Everything: true}, belay.Page{Number: 1, Size: 20}
	var shapes []shape
	list := func(name string, want belay.WorkspaceQuery) {
		if !want.Scope.Everything && want.Scope.Workspaces == nil && want.Scope.Projects == nil {
			want.Scope = everywhere
		}
		if want.Page.Size == 0 {
			want.Page = firstOf
		}
		shapes = append(shapes, shape{name, func(v *store.View, o belay.Organization) error {
			_, _, err := v.Workspaces(o, want)
			return err
		}})
	}
	list("all", belay.WorkspaceQuery{})
	list("all, a later page", belay.WorkspaceQuery{Page: belay.Page{Number: 40, Size: 20}})
	list("by name, the last first", belay.WorkspaceQuery{Sort: belay.WorkspaceSort{Key: "name", Descending: true}})
	list("by latest change", belay.WorkspaceQuery{Sort: belay.WorkspaceSort{Key: "latest-change-at", Descending: true}})
	list("by current run", belay.WorkspaceQuery{Sort: belay.WorkspaceSort{Key: "current-run.created-at", Descending: true}})
	list("a part of a name that few have", belay.WorkspaceQuery{Search: "w4711"})
	list("a part of a name that many have", belay.WorkspaceQuery{Search: "w1"})
	list("a pattern of a name", belay.WorkspaceQuery{Wildcard: "w47*1"})
	list("a flat tag that few have", belay.WorkspaceQuery{Tags: []string{"rare"}})
	list("a flat tag that many have", belay.WorkspaceQuery{Tags: []string{"common"}})
	list("a flat tag that many have, by latest change", belay.WorkspaceQuery{Tags: []string{"common"}, Sort: belay.WorkspaceSort{Key: "latest-change-at"}})
	list("two flat tags", belay.WorkspaceQuery{Tags: []string{"common", "rare"}})
	list("without a flat tag", belay.WorkspaceQuery{ExcludeTags: []string{"common"}})
	list("a flat tag without another", belay.WorkspaceQuery{Tags: []string{"common"}, ExcludeTags: []string{"rare"}})
	list("a key of bindings", belay.WorkspaceQuery{Tagged: []belay.TagFilter{{Key: "env"}}})
	list("a key and a value", belay.WorkspaceQuery{Tagged: []belay.TagFilter{{Key: "env", Value: "prod"}}})
	list("a key and a value that projects hand down", belay.WorkspaceQuery{Tagged: []belay.TagFilter{{Key: "team", Value: "net"}}})
	list("a key and a flat tag", belay.WorkspaceQuery{Tags: []string{"common"}, Tagged: []belay.TagFilter{{Key: "env", Value: "prod"}}})
	list("in a project", belay.WorkspaceQuery{Projects: []string{"prj-few"}})
	list("by run status", belay.WorkspaceQuery{RunStatuses: []string{"planned", "applying"}})
	list("locked", belay.WorkspaceQuery{Lock: belay.OnlyLocked})
	list("unlocked", belay.WorkspaceQuery{Lock: belay.OnlyUnlocked})
	list("locked by somebody", belay.WorkspaceQuery{LockedBy: "user-1"})
	shapes = append(shapes, shape{"what waits", func(v *store.View, o belay.Organization) error {
		_, err := v.Waiting(o, &store.WaitingQuery{
			UserID: "user-1", HolderID: "user-1", Now: time.UnixMilli(3000), Locked: time.UnixMilli(2000), Begun: time.UnixMilli(2000), Since: time.UnixMilli(2000), Most: 7,
			Planned: run.Query{OrganizationID: o.ID, Statuses: []string{"planned"}, Scope: everywhere, Page: firstOf},
			Failed:  run.Query{OrganizationID: o.ID, Statuses: []string{"errored"}, From: time.UnixMilli(1000), Scope: everywhere, Page: firstOf},
			Apply:   everywhere, Own: everywhere, Break: everywhere, Requests: everywhere, RequestsOffered: true, RequestsLookedAt: 50, States: everywhere,
			Managed: store.Managed{Workspaces: everywhere, Projects: everywhere, EveryTeam: true},
		})
		return err
	}})
	list("of few releases", belay.WorkspaceQuery{Releases: []string{"0.13.7"}})
	list("of many releases", belay.WorkspaceQuery{Releases: []string{"1.12.6"}})
	list("not changed for long", belay.WorkspaceQuery{ChangedBefore: time.UnixMilli(2000)})
	list("with open requests", belay.WorkspaceQuery{OpenRequests: true})
	list("locked, with a tag, by a part of the name", belay.WorkspaceQuery{Lock: belay.OnlyLocked, Tags: []string{"common"}, Search: "w1"})
	list("readers of a state", belay.WorkspaceQuery{ConsumersOf: "ws-1"})
	list("for one who sees few workspaces", belay.WorkspaceQuery{Scope: belay.Scope{Workspaces: []string{"ws-1", "ws-2"}}})
	list("for one who sees a project, with a tag", belay.WorkspaceQuery{Scope: belay.Scope{Projects: []string{"prj-few"}}, Tags: []string{"common"}})
	shapes = append(shapes, shape{"groups of what is locked", func(v *store.View, o belay.Organization) error {
		_, err := v.WorkspaceGroups(o, belay.WorkspaceQuery{Lock: belay.OnlyLocked, Scope: everywhere}, 1000)
		return err
	}}, shape{"projects with a tag", func(v *store.View, o belay.Organization) error {
		_, _, err := v.Projects(o, belay.ProjectQuery{Tagged: []belay.TagFilter{{Key: "team", Value: "net"}}, Scope: everywhere, Page: firstOf})
		return err
	}}, shape{"what is in a project", func(v *store.View, o belay.Organization) error {
		_, err := v.InProjects(o, []string{"prj-few"}, []string{"pending", "planned"})
		return err
	}})
	return shapes
}

// questions is what the explorer is asked.
var questions = []string{
	"type=workspaces",
	"type=workspaces&sort=-resource_count",
	"type=workspaces&filter[0][workspace_terraform_version][is][0]=1.1.9&filter[0][workspace_terraform_version][is][1]=1.2.0",
	"type=workspaces&filter[0][workspace_name][contains][0]=w47",
	"type=workspaces&filter[0][workspace_name][contains][0]=w4711",
	"type=workspaces&filter[0][tags][contains][0]=rare",
	"type=workspaces&filter[0][tags][contains][0]=env:prod&sort=workspace_name",
	"type=workspaces&filter[0][tags][does_not_contain][0]=common",
	"type=workspaces&filter[0][providers][contains][0]=aws",
	"type=workspaces&filter[0][resource_count][gt][0]=3&filter[1][project_name][contains][0]=few",
	"type=workspaces&filter[0][drifted][is][0]=true",
	"type=tf_versions",
	"type=providers&filter[0][name][contains][0]=aws",
	"type=modules&sort=-workspace_count",
	"type=resources&filter[0][type][is][0]=aws_instance",
}

// shapes is all of them.
func shapes(t *testing.T) []shape {
	t.Helper()
	all := listShapes()
	for _, question := range questions {
		values, err := url.ParseQuery(question)
		if err != nil {
			t.Fatal(err)
		}
		q, err := explorer.FromURL(values)
		if err != nil {
			t.Fatal(question, err)
		}
		all = append(all, shape{"explorer " + question, func(v *store.View, o belay.Organization) error {
			_, _, err := v.Explore(o, q, belay.Page{Number: 1, Size: 20})
			return err
		}})
	}
	return all
}

// putShapes makes workspaces of which some, few or many are what shapes ask for.
func putShapes(t *testing.T, db *store.DB) belay.Organization {
	t.Helper()
	if db.Engine() == "postgres" { // a vacuum while they are made, or between two runs, would change what the planner knows
		for _, table := range []string{"workspaces", "workspace_names", "projects", "tags", "workspace_tags", "workspace_tag_bindings", "project_tag_bindings", "used_sources", "workspace_uses"} {
			put(t, db, "ALTER TABLE "+table+" SET (autovacuum_enabled = false)")
		}
	}
	o := putFacets(t, db, 5000)
	const number = "name <> 'first' AND CAST(SUBSTR(name, 2) AS BIGINT) "
	tagged := func(tag, which string) {
		put(t, db, fmt.Sprintf("INSERT INTO tags (id, organization_id, name, created_at, instance_count) SELECT 'tag-%s', '%s', '%s', 1, count(*) FROM workspaces WHERE %s", tag, o.ID, tag, which),
			fmt.Sprintf("INSERT INTO workspace_tags (tag_id, workspace_name, workspace_id) SELECT 'tag-%s', name, id FROM workspaces WHERE %s", tag, which))
	}
	tagged("common", number+"% 2 = 0")
	tagged("rare", number+"% 1000 = 0")
	few := belay.Project{ID: "prj-few", OrganizationID: o.ID, Name: "few", CreatedAt: time.Now()}
	if err := db.Update(t.Context(), func(tx *store.Tx) error { return tx.AddProject(&few) }); err != nil {
		t.Fatal(err)
	}
	put(t, db, "UPDATE projects SET workspace_count = 50 WHERE id = 'prj-few'",
		"UPDATE workspaces SET project_id = 'prj-few' WHERE "+number+"% 100 = 3",
		"INSERT INTO workspace_tag_bindings (id, organization_id, workspace_id, workspace_name, key, value, created_at) SELECT 'tb-' || id, organization_id, id, name, 'env', CASE WHEN CAST(SUBSTR(name, 2) AS BIGINT) % 20 = 0 THEN 'prod' ELSE 'dev' END, 1 FROM workspaces WHERE "+number+"% 4 = 0",
		"INSERT INTO project_tag_bindings (id, organization_id, project_id, key, value, created_at) VALUES ('ptb-1', '"+o.ID+"', 'prj-few', 'team', 'net', 1)",
		"INSERT INTO used_sources (organization_id, kind, source, name, workspace_count) VALUES ('"+o.ID+"', 'provider', 'hashicorp/aws', 'aws', 50)",
		"INSERT INTO workspace_uses (workspace_id, kind, source, organization_id, workspace_name) SELECT id, 'provider', 'hashicorp/aws', organization_id, name FROM workspaces WHERE "+number+"% 100 = 9",
	)
	for more := true; more; {
		var err error
		if _, more, err = db.ReadNames(t.Context(), store.NamesAtOnce); err != nil {
			t.Fatal(err)
		}
	}
	if db.Engine() == "postgres" { // on SQLite statistics are given: see sqldb.giveStatistics
		put(t, db, "ANALYZE")
	}
	if err := db.View(t.Context(), func(v *store.View) (err error) { o, err = v.Organization("acme"); return err }); err != nil {
		t.Fatal(err)
	}
	return o
}

// TestPlansOfListsAndAnswers holds the finished statements of many shapes, and how their rows are found, against files
// that show what a change of the planner does. Of PostgreSQL each version has a file of the latter, if it has one: all
// rows of these tables are sampled, so that one version always finds them alike.
func TestPlansOfListsAndAnswers(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		o := putShapes(t, db)
		var told, scans strings.Builder
		steps := &told
		if db.Engine() == "postgres" {
			steps = &scans
		}
		for _, s := range shapes(t) {
			plans, err := db.Plans(t.Context(), func(v *store.View) error { return s.ask(v, o) })
			if err != nil {
				t.Fatal(s.name, err)
			}
			told.WriteString("# " + s.name + "\n")
			if steps == &scans {
				steps.WriteString("# " + s.name + "\n")
			}
			last, whole := "", false
			for _, plan := range plans {
				step, statement, _ := strings.Cut(plan, " <- ")
				if statement != last {
					var text string
					text, whole = readable(statement)
					last = statement
					told.WriteString("\n" + text + "\n")
				}
				if db.Engine() == "postgres" {
					step = scan.FindString(step)
				}
				if step != "" && !(whole && beside.MatchString(step)) {
					steps.WriteString("--   " + numbers.ReplaceAllString(step, "SUBQUERY") + "\n")
				}
			}
			told.WriteString("\n")
		}
		golden(t, filepath.Join("testdata", "plans."+db.Engine()+".sql"), told.String())
		if db.Engine() == "postgres" {
			ofVersion(t, db, scans.String())
		}
	})
}

// ofVersion holds how this version of PostgreSQL finds rows against the file of that version.
func ofVersion(t *testing.T, db *store.DB, scans string) {
	t.Helper()
	version, err := db.Value(t.Context(), "SELECT CAST(CAST(current_setting('server_version_num') AS INTEGER) / 10000 AS TEXT)")
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join("testdata", "plans.postgres-"+version+".txt")
	if _, err := os.Stat(file); err != nil && !*update {
		t.Logf("how PostgreSQL %s finds rows is in no file: it is not held", version)
		return
	}
	golden(t, file, scans)
}

var (
	spaces  = regexp.MustCompile(`\s+`)
	columns = []sqldb.Text{core.Workspaces.Selected, numbered(core.Listed.Selected), numbered(core.ListedWithVersions)}
	clauses = strings.NewReplacer(" FROM ", "\n  FROM ", " WHERE ", "\n  WHERE ", " UNION ", "\n  UNION ", " ORDER BY ", "\n  ORDER BY ", " JOIN ", "\n  JOIN ")
	numbers = regexp.MustCompile(`SUBQUERY \d+`)
	// scan is the part of a step of PostgreSQL that names what is read, and by which index.
	scan = regexp.MustCompile(`(Seq|Index|Index Only|Bitmap Index|Bitmap Heap) Scan [^()]*[^() ]`)
	// beside is a step by which the columns of a workspace are read that is found.
	beside = regexp.MustCompile(`^(SEARCH|SCAN) (w|o|p|ot|oc|x|u|c|users|teams|d USING INDEX tags_doomed)\b|^CORRELATED| on \w+ (w|o|p|ot|oc|x|u|c|d)(_\d+)?$| on (users|teams)\b`)
)

// numbered is the columns of listed workspaces with their arguments.
func numbered(columns sqldb.Text) sqldb.Text {
	return sqldb.Text(strings.NewReplacer("organization_id = ? AND c.", "organization_id = $1 AND c.", "organization_id = ? AND d.", "organization_id = $2 AND d.").Replace(string(columns)))
}

// readable is a statement with a line for each of its clauses. whole says that it reads whole workspaces.
func readable(statement string) (text string, whole bool) {
	statement = spaces.ReplaceAllString(statement, " ")
	for _, selected := range columns {
		if rest, found := strings.CutPrefix(statement, strings.TrimSpace(spaces.ReplaceAllString(string(selected), " "))); found {
			statement, whole = "SELECT whole workspaces w"+rest, true
		}
	}
	return clauses.Replace(statement), whole
}
