package e2e_test

import (
	"context"
	"fmt"
	"net/url"
	"strings"
	"testing"

	"github.com/hashicorp/go-tfe"
)

// found is the names of the workspaces that a query finds, and checks that the envelope
// counts them.
func found(t *testing.T, s *server, query string) string {
	t.Helper()
	got := s.do("GET", "/organizations/acme/workspaces?"+query, s.Token, "").want(t, 200)
	var names []string
	for i := 0; got.at(fmt.Sprintf("data.%d", i)) != nil; i++ {
		names = append(names, got.text(fmt.Sprintf("data.%d.attributes.name", i)))
	}
	if total := got.at("meta.pagination.total-count"); total != float64(len(names)) && !strings.Contains(query, "page") {
		t.Errorf("%s: total-count %v of %d", query, total, len(names))
	}
	if !strings.Contains(query, "page") && len(names) > 0 { // a full page is counted in another way
		one := s.do("GET", "/organizations/acme/workspaces?page%5Bsize%5D=1&"+query, s.Token, "").want(t, 200)
		if total := one.at("meta.pagination.total-count"); total != float64(len(names)) {
			t.Errorf("%s: total-count %v of %d by pages of one", query, total, len(names))
		}
	}
	return strings.Join(names, " ")
}

func wantFound(t *testing.T, s *server, query, want string) {
	t.Helper()
	if got := found(t, s, query); got != want {
		t.Errorf("%s: found %q, want %q", query, got, want)
	}
}

func TestListFiltersByTags(t *testing.T) {
	each(t, func(t *testing.T, s *server) {
		ctx, c := context.Background(), s.admin()
		s.organization("acme")
		project, err := c.Projects.Create(ctx, "acme", tfe.ProjectCreateOptions{Name: "platform", TagBindings: bindings("cost=42", "env=dev")})
		must(t, err)
		inside := func(o *tfe.WorkspaceCreateOptions) { o.Project = project }
		s.newWorkspace("acme", "a", tagged("prod", "sql"))
		s.newWorkspace("acme", "b", tagged("prod"), bound("env=prod"))
		s.newWorkspace("acme", "c", bound("env=prod", "sql=yes"), inside)
		s.newWorkspace("acme", "d", inside)
		s.newWorkspace("acme", "e", bound("Env=prod"))
		s.newWorkspace("acme", "f", tagged("cost"))
		for query, want := range map[string]string{
			"":                                           "a b c d e f",
			"search[tags]=prod":                          "a b",
			"search[tags]=PROD, ,sql":                    "a",
			"search[tags]=prod&search[tags]=sql":         "a",
			"search[tags]=sql":                           "a c",   // the flat tag and the key
			"search[tags]=cost":                          "c d f", // and the key of the project
			"search[tags]=Env":                           "e",
			"search[tags]=env":                           "b c d",
			"search[tags]=nowhere":                       "",
			"search[tags]=prod,nowhere":                  "",
			"search[tags]=":                              "a b c d e f",
			"search[exclude-tags]=prod":                  "c d e f",
			"search[exclude-tags]=prod,cost":             "e",
			"search[exclude-tags]=nowhere":               "a b c d e f",
			"search[exclude-tags]=env":                   "a e f",
			"search[tags]=prod&search[exclude-tags]=sql": "b",
			"filter[tagged][0][key]=env":                 "b c d",
			"filter[tagged][0][key]=env&filter[tagged][0][value]=":                                     "b c d",
			"filter[tagged][0][key]=env&filter[tagged][0][value]=prod":                                 "b c",
			"filter[tagged][0][key]=env&filter[tagged][0][value]=dev":                                  "d", // c has its own
			"filter[tagged][0][key]=env&filter[tagged][0][value]=none":                                 "",
			"filter[tagged][7][key]=env&filter[tagged][9][key]=cost":                                   "c d",
			"filter[tagged][0][key]=env&filter[tagged][0][value]=prod&filter[tagged][1][key]=sql":      "c",
			"filter[tagged][0][key]=prod":                                                              "", // flat tags are no keys
			"filter[tagged][0][key]=ENV":                                                               "",
			"filter[tagged][0][value]=prod":                                                            "a b c d e f",
			"search[tags]=env&filter[tagged][0][key]=env&filter[tagged][0][value]=prod&search[name]=b": "b",
			"search[tags]=prod&sort=-name":                                                             "b a",
			"search[tags]=env&sort=-name":                                                              "d c b",
			"search[tags]=prod&sort=-latest-change-at":                                                 "b a",
			"search[tags]=env&page[size]=1&page[number]=2":                                             "c",
			"search[tags]=prod&page[size]=1&page[number]=2":                                            "b",
			"search[tags]=prod&page[size]=1&page[number]=3":                                            "",
			"search[exclude-tags]=cost&filter[project][id]=" + project.ID:                              "",
			"search[tags]=env&filter[project][id]=" + project.ID:                                       "c d",
			"filter[current-run][status]=applied":                                                      "",
			"TagBindings={ env prod}":                                                                  "a b c d e f",
		} {
			wantFound(t, s, encodeQuery(query), want)
		}
		list, err := c.Workspaces.List(ctx, "acme", &tfe.WorkspaceListOptions{TagBindings: bindings("env=prod", "cost")})
		must(t, err)
		if len(list.Items) != 1 || list.Items[0].Name != "c" || list.TotalCount != 1 {
			t.Errorf("through go-tfe: %+v", list)
		}
	})
}

func encodeQuery(query string) string {
	values := url.Values{}
	for part := range strings.SplitSeq(query, "&") {
		if name, value, ok := strings.Cut(part, "="); ok {
			values.Add(name, value)
		}
	}
	return values.Encode()
}

func TestTagFiltersFollowEveryChange(t *testing.T) {
	each(t, func(t *testing.T, s *server) {
		ctx, c := context.Background(), s.admin()
		s.organization("acme")
		project, err := c.Projects.Create(ctx, "acme", tfe.ProjectCreateOptions{Name: "platform"})
		must(t, err)
		w := s.newWorkspace("acme", "old", tagged("prod"), bound("env=prod"))
		s.newWorkspace("acme", "other", tagged("prod"))
		const flat, key, inherited = "search%5Btags%5D=prod", "filter%5Btagged%5D%5B0%5D%5Bkey%5D=env", "filter%5Btagged%5D%5B0%5D%5Bkey%5D=cost"
		wantFound(t, s, flat, "old other")
		wantFound(t, s, key, "old")
		_, err = c.Workspaces.UpdateByID(ctx, w.ID, tfe.WorkspaceUpdateOptions{Name: tfe.String("z-new")})
		must(t, err)
		wantFound(t, s, flat, "other z-new") // in the order of the new name
		wantFound(t, s, key, "z-new")
		_, err = c.Projects.AddTagBindings(ctx, project.ID, tfe.ProjectAddTagBindingsOptions{TagBindings: bindings("cost=1")})
		must(t, err)
		wantFound(t, s, inherited, "")
		_, err = c.Workspaces.UpdateByID(ctx, w.ID, tfe.WorkspaceUpdateOptions{Project: project})
		must(t, err)
		wantFound(t, s, inherited, "z-new")
		must(t, c.Projects.DeleteAllTagBindings(ctx, project.ID))
		wantFound(t, s, inherited, "")
		must(t, c.Workspaces.DeleteAllTagBindings(ctx, w.ID))
		wantFound(t, s, key, "")
		must(t, c.Workspaces.RemoveTags(ctx, w.ID, tfe.WorkspaceRemoveTagsOptions{Tags: []*tfe.Tag{{Name: "prod"}}}))
		wantFound(t, s, flat, "other")
		must(t, c.Workspaces.DeleteByID(ctx, w.ID))
		wantFound(t, s, flat, "other")
	})
}

func TestTooManyTagFilters(t *testing.T) {
	each(t, func(t *testing.T, s *server) {
		s.organization("acme")
		s.newWorkspace("acme", "a", tagged("t0"))
		var tags []string
		for i := range 100 {
			tags = append(tags, fmt.Sprintf("t%d", i))
		}
		wantFound(t, s, "search%5Bexclude-tags%5D="+strings.Join(tags, ","), "")
		s.do("GET", "/organizations/acme/workspaces?search%5Bexclude-tags%5D="+strings.Join(append(tags, "t100"), ","), s.Token, "").want(t, 400)
	})
}

func TestMovingByTheProjectMovesInheritedBindingsAndCounts(t *testing.T) {
	each(t, func(t *testing.T, s *server) {
		ctx, c := context.Background(), s.admin()
		s.organization("acme")
		project, err := c.Projects.Create(ctx, "acme", tfe.ProjectCreateOptions{Name: "platform", TagBindings: bindings("cost=1")})
		must(t, err)
		w := s.newWorkspace("acme", "one")
		const inherited = "filter%5Btagged%5D%5B0%5D%5Bkey%5D=cost"
		wantFound(t, s, inherited, "")
		move := "/projects/" + project.ID + "/relationships/workspaces"
		body := `{"data":[{"type":"workspaces","id":"` + w.ID + `"}]}`
		s.do("POST", move, s.Token, body).want(t, 204)
		s.do("POST", move, s.Token, body).want(t, 204)
		wantFound(t, s, inherited, "one")
		if count := s.do("GET", "/projects/"+project.ID, s.Token, "").at("data.attributes.workspace-count"); count != 1.0 {
			t.Errorf("workspace-count %v", count)
		}
		s.do("DELETE", "/projects/"+project.ID, s.Token, "").want(t, 422)
	})
}
