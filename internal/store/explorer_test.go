package store_test

import (
	"context"
	"fmt"
	"maps"
	"net/url"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/belayhq/belay"
	"github.com/belayhq/belay/internal/explorer"
	"github.com/belayhq/belay/internal/store"
	"github.com/belayhq/belay/internal/storetest"
)

// asked runs a question in each of the ways that there are, which must agree.
func asked(t *testing.T, db *store.DB, o belay.Organization, q explorer.Query) {
	t.Helper()
	err := db.View(t.Context(), func(v *store.View) error {
		var total int
		for _, page := range []belay.Page{{Number: 1, Size: 20}, {Number: 2, Size: 1}} {
			var err error
			if _, total, err = v.Explore(o, q, page); err != nil {
				return err
			}
		}
		var at store.Explored
		var walked []string
		for !at.Done() {
			rows, err := v.ExploreOn(o, q, &at, 1)
			if err != nil {
				return err
			}
			for _, row := range rows {
				walked = append(walked, row.ID)
			}
		}
		ids, err := v.ExploredIDs(o, q)
		slices.Sort(ids)
		slices.Sort(walked)
		if err == nil && (total != len(ids) || !slices.Equal(ids, walked)) {
			t.Errorf("%s: a total of %d, the ids %v, by walking %v", q.JSON(), total, ids, walked)
		}
		return err
	})
	if err != nil {
		t.Errorf("%s: %v", q.JSON(), err)
	}
}

// withWorkspaces writes an organization with two workspaces that have tags of each sort and
// use something.
func withWorkspaces(t testing.TB, db *store.DB) belay.Organization {
	t.Helper()
	o := belay.NewOrganization(time.Now())
	o.Name = "acme"
	err := db.Update(context.Background(), func(tx *store.Tx) error {
		p := belay.Project{ID: belay.NewID("prj"), OrganizationID: o.ID, Name: "Default Project", CreatedAt: tx.Now}
		o.DefaultProjectID = p.ID
		if err := tx.AddOrganization(&o); err != nil {
			return err
		}
		if err := tx.AddProject(&p); err != nil {
			return err
		}
		bound := belay.TagBindings{{ID: belay.NewID("tb"), Key: "env", Value: "dev"}, {ID: belay.NewID("tb"), Key: "team"}}
		if err := tx.SaveProjectBindings(&p, nil, bound); err != nil {
			return err
		}
		for i, name := range []string{"one", "two"} {
			w := belay.NewWorkspace(o, p, tx.Now)
			w.Name = name
			w.TagNames = []string{"all", "tag-" + name}
			own := belay.TagBindings{{ID: belay.NewID("tb"), Key: "env", Value: "prod"}, {ID: belay.NewID("tb"), Key: "cost", Value: "3"}}
			state := belay.StateVersion{Processed: true, Contents: belay.StateContents{
				UsedModules:   []belay.StateUse{{Name: "vpc", Source: "vpc"}, {Name: name, Source: "m3." + name}},
				UsedProviders: []belay.StateUse{{Name: "aws", Source: "hashicorp/aws"}},
			}}
			err := tx.AddWorkspace(&w)
			if err == nil && i == 0 {
				err = tx.SaveWorkspaceBindings(&w, nil, own)
			}
			if err == nil {
				err = tx.SaveState(&w, &state, true, nil)
			}
			if err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	o.WorkspaceCount = 2
	return o
}

func TestEveryFieldOperatorAndOrderRuns(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		o := withWorkspaces(t, db)
		for _, view := range explorer.Views {
			for _, field := range view.Fields() {
				for _, operator := range strings.Fields("is is_not contains does_not_contain is_empty is_not_empty gt lt gteq lteq is_before is_after satisfies") {
					for _, value := range []string{"3", "< 1.9", "true", "2026-01-02", `o'; DROP TABLE workspaces; -- "%_\`} {
						q, err := explorer.FromURL(url.Values{
							"type": {string(view)}, "filter[0][" + field.Name + "][" + operator + "][]": {value, value}, "sort": {"-" + field.Name},
						})
						if err == nil {
							asked(t, db, o, q)
						}
					}
				}
			}
		}
		if _, total, err := explored(t, db, o, "type=workspaces&filter[0][workspace_name][contains][0]=o"); err != nil || total != 2 {
			t.Errorf("%d workspaces are left: %v", total, err)
		}
	})
}

func explored(t *testing.T, db *store.DB, o belay.Organization, question string) (rows []explorer.Row, total int, err error) {
	t.Helper()
	values, err := url.ParseQuery(question)
	if err != nil {
		t.Fatal(err)
	}
	q, err := explorer.FromURL(values)
	if err != nil {
		t.Fatal(err)
	}
	err = db.View(t.Context(), func(v *store.View) error {
		rows, total, err = v.Explore(o, q, belay.Page{Number: 1, Size: 20})
		return err
	})
	return rows, total, err
}

func TestExplorerStatements(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		o := withWorkspaces(t, db)
		const question = "type=workspaces&filter[0][modules][does_not_contain][0]=x&filter[1][tags][is_not_empty]=&sort=-resource_count"
		for i, want := range []int64{3, 1} { // modules, ids and rows; then the ids are kept
			before := db.Statements()
			if rows, _, err := explored(t, db, o, question); err != nil || len(rows) != 2 {
				t.Fatalf("%d rows: %v", len(rows), err)
			}
			if ran := db.Statements() - before; ran != want {
				t.Errorf("time %d: %d statements, want %d", i+1, ran, want)
			}
		}
	})
}

// TestWorkspacesOfEngineVersions asks for some, named once and twice, alone and beside what all have, which is found in another way.
func TestWorkspacesOfEngineVersions(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		o := withWorkspaces(t, db)
		put(t, db, "UPDATE workspaces SET engine_release = '1.1.9' WHERE name = 'two'", "UPDATE workspaces SET engine_release = '1.2.0' WHERE name = 'one'")
		for _, versions := range [][]string{{"1.1.9"}, {"1.1.9", "1.2.0"}, {"1.2.0", "1.2.0", "1.1.9"}, {"1.2.0", "1.3.0"}} {
			question := "type=workspaces&fields=workspace_name"
			for i, version := range versions {
				question += fmt.Sprintf("&filter[0][workspace_terraform_version][is][%d]=%s", i, version)
			}
			rows, total, err := explored(t, db, o, question)
			if err != nil {
				t.Fatal(err)
			}
			want, all, err := explored(t, db, o, question+"&filter[1][workspace_name][is_not_empty]=")
			if err != nil || total != all || !reflect.DeepEqual(rows, want) {
				t.Errorf("%q: %d of %d workspaces, want %d of %d: %v", versions, len(rows), total, len(want), all, err)
			}
		}
	})
}

// TestWorkspacesThatFitAConstraint asks for versions by constraints, alone and beside others, before and after one is upgraded.
func TestWorkspacesThatFitAConstraint(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		o := withWorkspaces(t, db)
		put(t, db, "UPDATE workspaces SET engine_release = '1.9.8', state_engine_version = '1.1.9' WHERE name = 'two'", "UPDATE workspaces SET engine_release = '1.10.0' WHERE name = 'one'")
		for question, want := range map[string]string{
			"workspaces&filter[0][workspace_terraform_version][satisfies][0]=%3C%201.10": "two", "workspaces&filter[0][workspace_terraform_version][satisfies][0]=1.10": "one",
			"workspaces&filter[0][workspace_terraform_version][satisfies][0]=%3E%3D1.9,%20%3C2":                                                          "one two",
			"workspaces&filter[0][workspace_terraform_version][satisfies][0]=1.9.8&filter[0][workspace_terraform_version][satisfies][1]=%3E1.9.9":        "one two",
			"workspaces&filter[0][workspace_terraform_version][satisfies][0]=%3E1.9&filter[1][workspace_name][contains][0]=N":                            "one",
			"workspaces&filter[0][workspace_terraform_version][satisfies][0]=%3C1":                                                                       "",
			"workspaces&filter[0][state_version_terraform_version][satisfies][0]=%3C1.9":                                                                 "two",
			"workspaces&filter[0][state_version_terraform_version][satisfies][0]=%3C1.9&filter[1][workspace_terraform_version][satisfies][0]=~%3E1.10.0": "",
			"tf_versions&filter[0][version][satisfies][0]=%3E%201.9.9":                                                                                   "1.10.0", "tf_versions&filter[0][version][satisfies][0]=%3E%201.9.9&filter[1][version][is][0]=1.9.8": "",
		} {
			rows, total, err := explored(t, db, o, "type="+question)
			var names []string
			for _, row := range rows {
				for _, value := range row.Values {
					if text, ok := value.(string); ok && (text == "one" || text == "two" || text == "1.10.0") {
						names = append(names, text)
						break
					}
				}
			}
			slices.Sort(names)
			if err != nil || total != len(rows) || strings.Join(names, " ") != want {
				t.Errorf("%s: %d are %v: %v", question, total, names, err)
			}
			values, _ := url.ParseQuery("type=" + question)
			q, err := explorer.FromURL(values)
			if err != nil {
				t.Fatal(err)
			}
			asked(t, db, o, q)
		}
	})
}

// TestWordsAreFoundWhereverTheyStand asks for words of each sort, alone and beside other
// filters and orders: what an answer is read from must not change it.
func TestWordsAreFoundWhereverTheyStand(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		o := withWorkspaces(t, db)
		for question, want := range map[string]int{
			"filter[0][tags][contains][0]=env:prod": 1, "filter[0][tags][contains][0]=env:dev": 1, "filter[0][tags][contains][0]=team": 2,
			"filter[0][tags][contains][0]=ALL": 2, "filter[0][tags][contains][0]=tag-": 2, "filter[0][tags][contains][0]=tag-two": 1,
			"filter[0][tags][contains][0]=none": 0, "filter[0][tags][does_not_contain][0]=none": 2, "filter[0][tags][does_not_contain][0]=env:prod": 1,
			"filter[0][tags][contains][0]=cost:3&filter[0][tags][contains][1]=tag-two": 2, "filter[0][tags][contains][0]=%25": 0,
			"filter[0][modules][contains][0]=vpc": 2, "filter[0][modules][contains][0]=m3": 2, "filter[0][modules][contains][0]=m3.one": 1,
			"filter[0][modules][does_not_contain][0]=m3.one": 1, "filter[0][modules][is][0]=m3.two,%20vpc": 1, "filter[0][module_count][is][0]=2": 2,
			"filter[0][providers][contains][0]=aws&sort=-workspace_name": 2, "filter[0][providers][contains][0]=aws&sort=-resource_count": 2,
			"filter[0][modules][contains][0]=m3.one&filter[1][workspace_name][contains][0]=O": 1, "filter[0][modules][contains][0]=m3.one&filter[1][workspace_name][is][0]=two": 0,
			"filter[0][modules][contains][0]=m3.one&filter[1][resource_count][is][0]=0": 1, "filter[0][modules][contains][0]=vpc&filter[1][tags][contains][0]=env:dev": 1,
			"filter[0][modules][contains][0]=vpc&filter[1][tags][does_not_contain][0]=env:dev&sort=tags": 1,
		} {
			rows, total, err := explored(t, db, o, "type=workspaces&"+question)
			if err != nil || len(rows) != want || total != want {
				t.Errorf("%s: %d rows of %d: %v", question, len(rows), total, err)
			}
			values, _ := url.ParseQuery("type=workspaces&" + question)
			q, err := explorer.FromURL(values)
			if err != nil {
				t.Fatal(err)
			}
			asked(t, db, o, q)
		}
	})
}

// TestUsesFollowStatesNamesAndDeletes looks at what is used after each change to it.
func TestUsesFollowStatesNamesAndDeletes(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		o := withWorkspaces(t, db)
		expect := func(after, want string) {
			t.Helper()
			var got []string
			for _, view := range []string{"modules", "providers"} {
				rows, total, err := explored(t, db, o, "type="+view+"&fields=source,name,workspace_count,workspaces&sort=source")
				if err != nil || total != len(rows) {
					t.Fatalf("%s: %d of %d: %v", after, len(rows), total, err)
				}
				for _, row := range rows {
					got = append(got, strings.Trim(fmt.Sprint(row.Values), "[]"))
				}
			}
			if strings.Join(got, "; ") != want {
				t.Errorf("%s: %s", after, strings.Join(got, "; "))
			}
		}
		change := func(name string, fn func(*store.Tx, *belay.Workspace) error) {
			t.Helper()
			err := db.Update(t.Context(), func(tx *store.Tx) error {
				w, err := tx.Workspace(belay.WorkspaceRef{Organization: "acme", Name: name})
				if err != nil {
					return err
				}
				return fn(tx, &w)
			})
			if err != nil {
				t.Fatal(err)
			}
			if err := db.View(t.Context(), func(v *store.View) error { o, err = v.Organization("acme"); return err }); err != nil {
				t.Fatal(err)
			}
		}
		expect("at first", "m3.one one 1 one; m3.two two 1 two; vpc vpc 2 one, two; hashicorp/aws aws 2 one, two")
		state := belay.StateVersion{Processed: true, Contents: belay.StateContents{UsedModules: []belay.StateUse{{Name: "vpc", Source: "vpc"}, {Name: "new", Source: "new"}}}}
		save := func(tx *store.Tx, w *belay.Workspace) error { return tx.SaveState(w, &state, true, nil) }
		change("one", save)
		expect("another state", "m3.two two 1 two; new new 1 one; vpc vpc 2 one, two; hashicorp/aws aws 1 two")
		kept := o.FactsGeneration
		change("one", save)
		if o.FactsGeneration != kept {
			t.Error("a state that says the same makes answers stale")
		}
		change("one", func(tx *store.Tx, w *belay.Workspace) error {
			before := *w
			w.Name = "uno"
			return tx.SaveWorkspace(w, &before)
		})
		expect("another name", "m3.two two 1 two; new new 1 uno; vpc vpc 2 two, uno; hashicorp/aws aws 1 two")
		change("two", func(tx *store.Tx, w *belay.Workspace) error {
			if err := tx.DropWorkspace(w); err != nil {
				return err
			}
			tx.CountWorkspace(w, -1)
			return nil
		})
		expect("a delete", "new new 1 uno; vpc vpc 1 uno")
	})
}

// FuzzExplore looks for a question that passes the check and that the database refuses.
func FuzzExplore(f *testing.F) {
	db := storetest.Open(f, "sqlite")
	o := withWorkspaces(f, db)
	for _, seed := range []string{
		"type=workspaces&filter[0][workspace_name][contains][0]=x&sort=-tags,modules", "type=modules&filter[0][workspaces][is_not][0]=x",
		"type=workspaces&filter[0][state_version_terraform_version][satisfies][0]=%3E%201,%20%3C2&filter[1][workspace_terraform_version][satisfies][]=1.2", "type=tf_versions&filter[0][version][satisfies][0]=~%3E1.1",
		"type=workspaces&filter[0][tags][does not contain][0]=%25&filter[1][project_name][contains][0]=_", "type=providers&sort=registry_type,-curated",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, raw string) {
		values, err := url.ParseQuery(raw)
		if err != nil {
			return
		}
		if q, err := explorer.FromURL(values); err == nil {
			asked(t, db, o, q)
		}
	})
}

// TestGroupsOfAnAnswer counts the workspaces of an answer by a field, as its rows would be counted.
func TestGroupsOfAnAnswer(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		o := withWorkspaces(t, db)
		for _, question := range []string{"", "&filter[0][tags][is_not_empty]=", "&filter[0][modules][contains][0]=x", "&filter[0][workspace_name][is][0]=nothing"} {
			for _, name := range explorer.Groupable {
				values, _ := url.ParseQuery("type=workspaces&fields=" + name + question)
				want, err := explorer.FromURL(values)
				if err != nil {
					t.Fatal(err)
				}
				counted := map[string]int{}
				groups := map[string]int{}
				err = db.View(t.Context(), func(v *store.View) error {
					rows, _, err := v.Explore(o, want, belay.Page{Number: 1, Size: 100})
					for _, row := range rows {
						text, _ := row.Values[0].(string)
						counted[text]++
					}
					if err != nil {
						return err
					}
					list, err := v.ExploreGroups(o, want, want.Fields[0], 100)
					for _, g := range list {
						groups[g.Value] = g.Count
					}
					return err
				})
				if err != nil || !maps.Equal(counted, groups) {
					t.Errorf("%s by %s: %v, rows say %v (%v)", question, name, groups, counted, err)
				}
			}
		}
	})
}
