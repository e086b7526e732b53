package e2e_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/hashicorp/go-tfe"
)

// newWorkspace makes a workspace through go-tfe, with what the changes ask for.
func (s *server) newWorkspace(organization, name string, change ...func(*tfe.WorkspaceCreateOptions)) *tfe.Workspace {
	s.t.Helper()
	options := tfe.WorkspaceCreateOptions{Name: tfe.String(name)}
	for _, c := range change {
		c(&options)
	}
	w, err := s.admin().Workspaces.Create(context.Background(), organization, options)
	must(s.t, err)
	return w
}

// tagged gives a new workspace flat tags.
func tagged(names ...string) func(*tfe.WorkspaceCreateOptions) {
	return func(o *tfe.WorkspaceCreateOptions) {
		for _, name := range names {
			o.Tags = append(o.Tags, &tfe.Tag{Name: name})
		}
	}
}

func tagsOf(t *testing.T, s *server, id string) []string {
	t.Helper()
	w, err := s.admin().Workspaces.ReadByID(context.Background(), id)
	must(t, err)
	return w.TagNames
}

func wantNames(t *testing.T, what string, got []string, want ...string) {
	t.Helper()
	if !slices.Equal(got, want) {
		t.Errorf("%s: got %q, want %q", what, got, want)
	}
}

func TestTagsPostedByNameAreStored(t *testing.T) {
	each(t, func(t *testing.T, s *server) {
		ctx, c := context.Background(), s.admin()
		s.organization("acme")
		w := s.newWorkspace("acme", "network")
		must(t, c.Workspaces.AddTags(ctx, w.ID, tfe.WorkspaceAddTagsOptions{Tags: []*tfe.Tag{{Name: "Prod"}, {Name: "aws:eu"}, {Name: "prod"}}}))
		wantNames(t, "tag-names", tagsOf(t, s, w.ID), "aws:eu", "prod")
		list, err := c.Workspaces.ListTags(ctx, w.ID, nil)
		must(t, err)
		if list.TotalCount != 2 || list.Items[0].Name != "aws:eu" || !strings.HasPrefix(list.Items[0].ID, "tag-") {
			t.Errorf("list: %+v", list)
		}
		must(t, c.Workspaces.AddTags(ctx, w.ID, tfe.WorkspaceAddTagsOptions{Tags: []*tfe.Tag{{Name: "prod"}, {ID: list.Items[0].ID}}}))
		wantNames(t, "after adding them again", tagsOf(t, s, w.ID), "aws:eu", "prod")
		filtered, err := c.Workspaces.ListTags(ctx, w.ID, &tfe.WorkspaceTagListOptions{Query: tfe.String("AWS")})
		must(t, err)
		if len(filtered.Items) != 1 || filtered.Items[0].Name != "aws:eu" {
			t.Errorf("filtered list: %+v", filtered.Items)
		}
		if w2 := s.newWorkspace("acme", "database", tagged("prod", "sql")); !slices.Equal(w2.TagNames, []string{"prod", "sql"}) {
			t.Errorf("tags given on create: %q", w2.TagNames)
		}
		if err := c.Workspaces.AddTags(ctx, "ws-0000000000000000", tfe.WorkspaceAddTagsOptions{Tags: []*tfe.Tag{{Name: "a"}}}); !errors.Is(err, tfe.ErrResourceNotFound) {
			t.Errorf("unknown workspace: %v", err)
		}
	})
}

func TestTagGoesWithItsLastUse(t *testing.T) {
	each(t, func(t *testing.T, s *server) {
		ctx, c := context.Background(), s.admin()
		s.organization("acme")
		one := s.newWorkspace("acme", "one", tagged("a", "b", "c"))
		two := s.newWorkspace("acme", "two", tagged("b", "c"))
		counts := func() string {
			list, err := c.OrganizationTags.List(ctx, "acme", nil)
			must(t, err)
			var text []string
			for _, tag := range list.Items {
				text = append(text, fmt.Sprintf("%s=%d", tag.Name, tag.InstanceCount))
			}
			return strings.Join(text, " ")
		}
		if got := counts(); got != "a=1 b=2 c=2" {
			t.Errorf("counts: %s", got)
		}
		list, err := c.Workspaces.ListTags(ctx, two.ID, nil)
		must(t, err)
		must(t, c.Workspaces.RemoveTags(ctx, one.ID, tfe.WorkspaceRemoveTagsOptions{Tags: []*tfe.Tag{{Name: "A"}, {ID: list.Items[0].ID}, {Name: "never-seen"}}}))
		wantNames(t, "after removing", tagsOf(t, s, one.ID), "c")
		if got := counts(); got != "b=1 c=2" {
			t.Errorf("counts after removing: %s", got)
		}
		if err := c.Workspaces.RemoveTags(ctx, one.ID, tfe.WorkspaceRemoveTagsOptions{Tags: []*tfe.Tag{{ID: "tag-0000000000000000"}}}); !errors.Is(err, tfe.ErrResourceNotFound) {
			t.Errorf("removing an unknown id: %v", err)
		}
		must(t, c.Workspaces.DeleteByID(ctx, two.ID))
		if got := counts(); got != "c=1" {
			t.Errorf("counts after the workspace went: %s", got)
		}
		must(t, c.Workspaces.SafeDeleteByID(ctx, one.ID))
		if got := counts(); got != "" {
			t.Errorf("counts after all went: %s", got)
		}
	})
}

func TestOrganizationTags(t *testing.T) {
	each(t, func(t *testing.T, s *server) {
		ctx, c := context.Background(), s.admin()
		s.organization("acme")
		s.organization("other")
		one := s.newWorkspace("acme", "one", tagged("prod", "preview", "sql"))
		two := s.newWorkspace("acme", "two")
		foreign := s.newWorkspace("other", "three", tagged("prod"))
		list, err := c.OrganizationTags.List(ctx, "acme", &tfe.OrganizationTagsListOptions{Query: "PR"})
		must(t, err)
		if len(list.Items) != 2 || list.Items[0].Name != "preview" || list.Items[0].Organization.Name != "acme" {
			t.Fatalf("search: %+v", list.Items)
		}
		preview := list.Items[0].ID
		must(t, c.OrganizationTags.AddWorkspaces(ctx, preview, tfe.AddWorkspacesToTagOptions{WorkspaceIDs: []string{one.ID, two.ID, two.ID}}))
		wantNames(t, "tagged through the tag", tagsOf(t, s, two.ID), "preview")
		if err := c.OrganizationTags.AddWorkspaces(ctx, preview, tfe.AddWorkspacesToTagOptions{WorkspaceIDs: []string{foreign.ID}}); !errors.Is(err, tfe.ErrResourceNotFound) {
			t.Errorf("a workspace of another organization: %v", err)
		}
		list, err = c.OrganizationTags.List(ctx, "acme", &tfe.OrganizationTagsListOptions{Filter: two.ID})
		must(t, err)
		if list.TotalCount != 2 || list.Items[0].Name != "prod" || list.Items[1].Name != "sql" {
			t.Errorf("without the tags of a workspace: %+v", list.Items)
		}
		must(t, c.OrganizationTags.Delete(ctx, "acme", tfe.OrganizationTagsDeleteOptions{IDs: []string{preview, list.Items[1].ID}}))
		wantNames(t, "tags left on one", tagsOf(t, s, one.ID), "prod")
		wantNames(t, "tags left on two", tagsOf(t, s, two.ID))
		wantNames(t, "tags left elsewhere", tagsOf(t, s, foreign.ID), "prod")
		if err := c.OrganizationTags.Delete(ctx, "acme", tfe.OrganizationTagsDeleteOptions{IDs: []string{preview}}); !errors.Is(err, tfe.ErrResourceNotFound) {
			t.Errorf("deleting it again: %v", err)
		}
	})
}

func TestTagBodies(t *testing.T) {
	each(t, func(t *testing.T, s *server) {
		s.organization("acme")
		path := "/workspaces/" + s.newWorkspace("acme", "network").ID + "/relationships/tags"
		long := strings.Repeat("x", 255)
		for _, row := range []struct {
			body    string
			status  int
			pointer string
		}{
			{`{"data":[{"type":"tags","attributes":{"name":"` + long + `"}}]}`, 204, ""},
			{`{"data":[{"type":"tags","attributes":{"name":"` + long + `x"}}]}`, 422, "/data/0/attributes/name"},
			{`{"data":[{"type":"tags","attributes":{"name":"a"}},{"type":"tags","attributes":{"name":"-a"}}]}`, 422, "/data/1/attributes/name"},
			{`{"data":[{"type":"tags","attributes":{"name":"a b"}}]}`, 422, "/data/0/attributes/name"},
			{`{"data":[{"type":"tags","attributes":{"name":""}}]}`, 422, "/data/0/attributes/name"},
			{`{"data":[{"type":"tags"}]}`, 422, "/data/0/attributes/name"},
			{`{"data":[{"type":"tags","attributes":{"name":7}}]}`, 422, "/data/0/attributes/name"},
			{`{"data":[{"attributes":{"name":"a"}}]}`, 422, "/data/0/type"},
			{`{"data":[{"type":"tags","id":"tag-0000000000000000"}]}`, 404, ""},
			{`{"data":[null]}`, 422, "/data/0/type"},
			{`{"data":{}}`, 422, "/data"},
			{`{"data":null}`, 422, "/data"},
			{`{}`, 422, "/data"},
			{`{"data":[`, 400, ""},
			{`{"data":[]}`, 204, ""},
		} {
			got := s.do("POST", path, s.Token, row.body)
			if got.Status != row.status || got.text("errors.0.source.pointer") != row.pointer {
				t.Errorf("%s: %d %s", row.body, got.Status, got.Body)
			}
		}
		if got := s.do("GET", path, s.Token, ""); got.at("meta.pagination.total-count") != 1.0 || got.at("data.0.attributes.instance-count") != 1.0 || got.text("data.0.attributes.created-at") == "" {
			t.Errorf("a refused body left something behind: %s", got.Body)
		}
		s.do("POST", "/organizations/acme/workspaces", s.Token, `{"data":{"type":"workspaces","attributes":{"name":"b d"},
			"relationships":{"tags":{"data":[{"type":"tags","attributes":{"name":"!"}}]}}}}`).want(t, 422)
		both := s.do("POST", "/organizations/acme/workspaces", s.Token, `{"data":{"type":"workspaces","attributes":{"name":"b d"},
			"relationships":{"tags":{"data":[{"type":"tags","attributes":{"name":"!"}}]}}}}`)
		if both.text("errors.1.source.pointer") != "/data/relationships/tags/data/0/attributes/name" {
			t.Errorf("not all problems at once: %s", both.Body)
		}
	})
}

func TestRenamedWorkspaceKeepsItsTags(t *testing.T) {
	each(t, func(t *testing.T, s *server) {
		ctx, c := context.Background(), s.admin()
		s.organization("acme")
		w := s.newWorkspace("acme", "old", tagged("prod"))
		_, err := c.Workspaces.UpdateByID(ctx, w.ID, tfe.WorkspaceUpdateOptions{Name: tfe.String("new")})
		must(t, err)
		wantNames(t, "tags", tagsOf(t, s, w.ID), "prod")
		must(t, c.Workspaces.RemoveTags(ctx, w.ID, tfe.WorkspaceRemoveTagsOptions{Tags: []*tfe.Tag{{Name: "prod"}}}))
		wantNames(t, "tags after removing", tagsOf(t, s, w.ID))
	})
}

func TestManyTagAtOnce(t *testing.T) {
	each(t, func(t *testing.T, s *server) {
		s.organization("acme")
		var ids []string
		for i := range 12 {
			ids = append(ids, s.workspace("acme", fmt.Sprintf("w%02d", i)))
		}
		body := func(names ...string) string {
			var items []string
			for _, name := range names {
				items = append(items, fmt.Sprintf(`{"type":"tags","attributes":{"name":%q}}`, name))
			}
			return `{"data":[` + strings.Join(items, ",") + `]}`
		}
		var all sync.WaitGroup
		for i, id := range ids {
			all.Go(func() {
				path := "/workspaces/" + id + "/relationships/tags"
				steps := []struct{ method, body string }{
					{"POST", body("z", "a", "kept")}, {"DELETE", body("a", "z")}, {"POST", body("a")}, {"DELETE", body("a")},
				}
				if i%2 == 0 { // and the same tags in the other order
					steps[0].body, steps[1].body = body("kept", "a", "z"), body("z", "a")
				}
				for _, step := range steps {
					if got, err := s.try(step.method, path, s.Token, step.body); err != nil || got.Status != 204 {
						t.Errorf("%s %s: %v %s", step.method, step.body, err, got.Body)
					}
				}
			})
		}
		all.Wait()
		got := s.do("GET", "/organizations/acme/tags", s.Token, "")
		if got.text("data.0.attributes.name") != "kept" || got.at("data.0.attributes.instance-count") != float64(len(ids)) || got.at("data.1") != nil {
			t.Errorf("tags after all: %s", got.Body)
		}
		wantNames(t, "tags of one", tagsOf(t, s, ids[0]), "kept")
	})
}
