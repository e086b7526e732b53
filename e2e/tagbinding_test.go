package e2e_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/hashicorp/go-tfe"
)

func bindings(pairs ...string) (list []*tfe.TagBinding) {
	for _, pair := range pairs {
		key, value, _ := strings.Cut(pair, "=")
		list = append(list, &tfe.TagBinding{Key: key, Value: value})
	}
	return list
}

// bound gives a new workspace tag bindings.
func bound(pairs ...string) func(*tfe.WorkspaceCreateOptions) {
	return func(o *tfe.WorkspaceCreateOptions) { o.TagBindings = bindings(pairs...) }
}

// boundTo is the tag bindings at a path, as key=value in the order they come.
func boundTo(t *testing.T, s *server, path string) string {
	t.Helper()
	got := s.do("GET", path, s.Token, "").want(t, 200)
	var pairs []string
	for i := 0; got.at(fmt.Sprintf("data.%d", i)) != nil; i++ {
		at := fmt.Sprintf("data.%d.attributes.", i)
		pairs = append(pairs, got.text(at+"key")+"="+got.text(at+"value"))
	}
	return strings.Join(pairs, " ")
}

func wantText(t *testing.T, what, got, want string) {
	t.Helper()
	if got != want {
		t.Errorf("%s: got %q, want %q", what, got, want)
	}
}

func TestPatchOfBindingsKeepsOtherKeys(t *testing.T) {
	each(t, func(t *testing.T, s *server) {
		ctx, c := context.Background(), s.admin()
		s.organization("acme")
		w := s.newWorkspace("acme", "network", bound("team=net", "env=dev"))
		path := "/workspaces/" + w.ID + "/tag-bindings"
		first := s.do("GET", path, s.Token, "").want(t, 200)
		wantText(t, "given on create", boundTo(t, s, path), "env=dev team=net")
		wantText(t, "links.target", first.text("links.target"), "/api/v2/workspaces/"+w.ID)
		answer, err := c.Workspaces.AddTagBindings(ctx, w.ID, tfe.WorkspaceAddTagBindingsOptions{TagBindings: bindings("owner=ann", "env=prod", "empty")})
		must(t, err)
		if len(answer) != 3 || answer[0].Key != "owner" || answer[1].Value != "prod" || answer[2].Key != "empty" {
			t.Errorf("the answer is not what was asked for, in its order: %+v", answer)
		}
		if answer[1].ID != first.text("data.0.id") {
			t.Errorf("the binding got another id with its value: %s, was %s", answer[1].ID, first.text("data.0.id"))
		}
		wantText(t, "after the patch", boundTo(t, s, path), "empty= env=prod owner=ann team=net")
		wantText(t, "by the other path", boundTo(t, s, "/workspaces/"+w.ID+"/relationships/tag-bindings"), "empty= env=prod owner=ann team=net")
	})
}

func TestBindingsGivenWithTheWorkspaceReplace(t *testing.T) {
	each(t, func(t *testing.T, s *server) {
		ctx, c := context.Background(), s.admin()
		s.organization("acme")
		w := s.newWorkspace("acme", "network", bound("team=net", "env=dev"))
		path := "/workspaces/" + w.ID + "/tag-bindings"
		_, err := c.Workspaces.UpdateByID(ctx, w.ID, tfe.WorkspaceUpdateOptions{Description: tfe.String("x")})
		must(t, err)
		wantText(t, "after an update without bindings", boundTo(t, s, path), "env=dev team=net")
		before := s.do("GET", "/workspaces/"+w.ID, s.Token, "").text("data.attributes.updated-at")
		_, err = c.Workspaces.UpdateByID(ctx, w.ID, tfe.WorkspaceUpdateOptions{TagBindings: bindings("env=prod")})
		must(t, err)
		wantText(t, "after an update with bindings", boundTo(t, s, path), "env=prod")
		wantText(t, "updated-at", s.do("GET", "/workspaces/"+w.ID, s.Token, "").text("data.attributes.updated-at"), before)
		must(t, c.Workspaces.DeleteAllTagBindings(ctx, w.ID))
		wantText(t, "after an empty list", boundTo(t, s, path), "")

		alias := "/workspaces/" + w.ID + "/relationships/tag-bindings"
		s.do("POST", alias, s.Token, bindingsBody("a=1", "b=2")).want(t, 204)
		s.do("POST", alias, s.Token, bindingsBody("b=3")).want(t, 204)
		wantText(t, "after adding by the alias", boundTo(t, s, path), "a=1 b=3")
		s.do("PATCH", alias, s.Token, bindingsBody("c=1")).want(t, 204)
		wantText(t, "after replacing by the alias", boundTo(t, s, path), "c=1")
	})
}

func bindingsBody(pairs ...string) string {
	var items []string
	for _, pair := range pairs {
		key, value, _ := strings.Cut(pair, "=")
		items = append(items, fmt.Sprintf(`{"type":"tag-bindings","attributes":{"key":%q,"value":%q}}`, key, value))
	}
	return `{"data":[` + strings.Join(items, ",") + `]}`
}

func TestBindingLimits(t *testing.T) {
	each(t, func(t *testing.T, s *server) {
		s.organization("acme")
		workspace := "/workspaces/" + s.workspace("acme", "network") + "/tag-bindings"
		project := "/projects/" + s.do("GET", "/organizations/acme/projects", s.Token, "").text("data.0.id") + "/tag-bindings"
		for _, path := range []string{workspace, project} {
			testBindingLimits(t, s, path)
		}
		if got := s.do("GET", strings.TrimSuffix(workspace, "/tag-bindings")+"/effective-tag-bindings", s.Token, ""); got.at("data.9") == nil || got.at("data.10") != nil {
			t.Errorf("ten own bindings hide the project's ten of the same keys: %s", got.Body)
		}
	})
}

func testBindingLimits(t *testing.T, s *server, path string) {
	t.Helper()
	for _, row := range []struct {
		body    string
		status  int
		pointer string
		detail  string
	}{
		{bindingsBody(strings.Repeat("k", 128) + "=" + strings.Repeat("v", 256)), 200, "", ""},
		{bindingsBody(strings.Repeat("k", 129) + "=v"), 422, "/data/0/attributes/key", "Key is too long (maximum is 128 characters)"},
		{bindingsBody("k=" + strings.Repeat("v", 257)), 422, "/data/0/attributes/value", "Value is too long (maximum is 256 characters)"},
		{bindingsBody("aZ0_.+-@:=x"), 200, "", ""},
		{bindingsBody("=x"), 422, "/data/0/attributes/key", "Key can't be blank"},
		{bindingsBody("a b=x"), 422, "/data/0/attributes/key", "Key is invalid"},
		{bindingsBody("ü=x"), 422, "/data/0/attributes/key", "Key is invalid"},
		{bindingsBody("a=x y"), 422, "/data/0/attributes/value", "Value is invalid"},
		{bindingsBody("hc:a=x"), 422, "/data/0/attributes/key", "Key is invalid: it can't begin with hc: or hcp:"},
		{bindingsBody("HCP:a=x"), 422, "/data/0/attributes/key", "Key is invalid: it can't begin with hc: or hcp:"},
		{bindingsBody("hcq:a=x"), 200, "", ""},
		{bindingsBody("a=x", "a=y"), 422, "/data/1/attributes/key", "Key has already been taken"},
		{`{"data":[{"type":"tag-bindings","attributes":{"key":7}}]}`, 422, "/data/0/attributes/key", "key must be a string"},
		{`{"data":[{"type":"tags","attributes":{"key":"a"}}]}`, 422, "/data/0/type", "type must be tag-bindings"},
		{`{"data":[{"type":"tag-bindings","attributes":{"key":"A"}}]}`, 200, "", ""},
		{bindingsBody("a=x"), 200, "", ""},
		{bindingsBody("5=", "6=", "7=", "8=", "9="), 200, "", ""}, // ten in all
		{bindingsBody("a=y", "11=x"), 422, "/data", "cannot exceed 10 bindings per resource"},
		{bindingsBody("a=z"), 200, "", ""},
	} {
		got := s.do("PATCH", path, s.Token, row.body)
		if got.Status != row.status || got.text("errors.0.source.pointer") != row.pointer || got.text("errors.0.detail") != row.detail {
			t.Errorf("%s %s: %d %s", path, row.body, got.Status, got.Body)
		}
	}
}

func TestElevenBindingsOnCreate(t *testing.T) {
	each(t, func(t *testing.T, s *server) {
		s.organization("acme")
		var ten []string
		for i := range 10 {
			ten = append(ten, fmt.Sprintf("k%d=v", i))
		}
		s.newWorkspace("acme", "ten", bound(ten...))
		for _, path := range []string{"/organizations/acme/workspaces", "/organizations/acme/projects"} {
			kind := strings.TrimPrefix(path, "/organizations/acme/")
			body := fmt.Sprintf(`{"data":{"type":%q,"attributes":{"name":"eleven"},"relationships":{"tag-bindings":%s}}}`, kind, bindingsBody(append(ten, "k10=v")...))
			got := s.do("POST", path, s.Token, body).want(t, 422)
			wantText(t, "detail", got.text("errors.0.detail"), "cannot exceed 10 bindings per resource")
		}
		s.do("GET", "/organizations/acme/workspaces/eleven", s.Token, "").want(t, 404)
	})
}

func TestEffectiveBindingsInherit(t *testing.T) {
	each(t, func(t *testing.T, s *server) {
		ctx, c := context.Background(), s.admin()
		s.organization("acme")
		project, err := c.Projects.Create(ctx, "acme", tfe.ProjectCreateOptions{Name: "platform", TagBindings: bindings("cost=42", "env=dev")})
		must(t, err)
		for filter, want := range map[string]int{"[0][key]=cost": 1, "[0][key]=cost&filter[tagged][0][value]=42": 1, "[0][key]=cost&filter[tagged][0][value]=4": 0, "[0][key]=cost&filter[tagged][1][key]=none": 0} {
			r := s.do("GET", "/organizations/acme/projects?filter[tagged]"+filter, s.Token, "").want(t, 200)
			if n := r.at("meta.pagination.total-count"); n != float64(want) {
				t.Errorf("filter[tagged]%s finds %v projects, want %d", filter, n, want)
			}
		}
		w := s.newWorkspace("acme", "network", bound("env=prod"), func(o *tfe.WorkspaceCreateOptions) { o.Project = project })
		list, err := c.Workspaces.ListEffectiveTagBindings(ctx, w.ID)
		must(t, err)
		if len(list) != 2 || list[0].Key != "env" || list[0].Value != "prod" || list[1].Key != "cost" || list[1].Value != "42" {
			t.Fatalf("effective bindings: %+v", list)
		}
		if list[1].Links["inherited-from"] != "/api/v2/projects/"+project.ID || list[0].Links != nil {
			t.Errorf("links: %v and %v", list[0].Links, list[1].Links)
		}
		raw := s.do("GET", "/workspaces/"+w.ID+"/effective-tag-bindings", s.Token, "").want(t, 200)
		wantText(t, "inherited-from", raw.text("data.1.relationships.inherited-from.links.related"), "/api/v2/projects/"+project.ID)
		wantText(t, "inherited-from.data", raw.text("data.1.relationships.inherited-from.data.id"), project.ID)
		if raw.at("data.0.links") != nil || raw.at("data.0.relationships") != nil || !strings.HasPrefix(raw.text("data.0.id"), "tb-") {
			t.Errorf("an own binding says that it is inherited: %s", raw.Body)
		}
		own, err := c.Projects.ListEffectiveTagBindings(ctx, project.ID)
		must(t, err)
		if len(own) != 2 || own[0].Links != nil {
			t.Errorf("effective bindings of the project: %+v", own)
		}
		_, err = c.Projects.Update(ctx, project.ID, tfe.ProjectUpdateOptions{TagBindings: bindings("cost=43")})
		must(t, err)
		wantText(t, "after the project's update", boundTo(t, s, "/workspaces/"+w.ID+"/effective-tag-bindings"), "env=prod cost=43")
		_, err = c.Projects.AddTagBindings(ctx, project.ID, tfe.ProjectAddTagBindingsOptions{TagBindings: bindings("zone=eu")})
		must(t, err)
		wantText(t, "after adding to the project", boundTo(t, s, "/workspaces/"+w.ID+"/effective-tag-bindings"), "env=prod cost=43 zone=eu")
		must(t, c.Projects.DeleteAllTagBindings(ctx, project.ID))
		wantText(t, "after clearing the project", boundTo(t, s, "/workspaces/"+w.ID+"/effective-tag-bindings"), "env=prod")
		s.do("PATCH", "/projects/"+project.ID+"/relationships/tag-bindings", s.Token, bindingsBody("one=1")).want(t, 204)
		s.do("POST", "/projects/"+project.ID+"/relationships/tag-bindings", s.Token, bindingsBody("two=2")).want(t, 204)
		wantText(t, "project by the alias", boundTo(t, s, "/projects/"+project.ID+"/relationships/tag-bindings"), "one=1 two=2")
	})
}

func TestReservedTagKeys(t *testing.T) {
	each(t, func(t *testing.T, s *server) {
		ctx, c := context.Background(), s.admin()
		s.organization("acme")
		project, err := c.Projects.Create(ctx, "acme", tfe.ProjectCreateOptions{Name: "platform", TagBindings: bindings("env=dev")})
		must(t, err)
		inProject := func(o *tfe.WorkspaceCreateOptions) { o.Project = project }
		old := s.newWorkspace("acme", "old", inProject, bound("env=prod"))
		fresh := s.newWorkspace("acme", "fresh", inProject)
		key, err := c.ReservedTagKeys.Create(ctx, "acme", tfe.ReservedTagKeyCreateOptions{Key: "env"})
		must(t, err)
		if key.Key != "env" || key.DisableOverrides || key.CreatedAt.IsZero() || !strings.HasPrefix(key.ID, "rtk-") {
			t.Errorf("created: %+v", key)
		}
		again := s.do("POST", "/organizations/acme/reserved-tag-keys", s.Token, `{"data":{"type":"reserved-tag-keys","attributes":{"key":"env"}}}`).want(t, 422)
		wantText(t, "reserving it again", again.text("errors.0.detail"), "Key has already been taken")
		key, err = c.ReservedTagKeys.Update(ctx, key.ID, tfe.ReservedTagKeyUpdateOptions{DisableOverrides: tfe.Bool(true)})
		must(t, err)
		if !key.DisableOverrides || key.Key != "env" {
			t.Errorf("updated: %+v", key)
		}
		refused := s.do("PATCH", "/workspaces/"+fresh.ID+"/tag-bindings", s.Token, bindingsBody("env=prod")).want(t, 422)
		wantText(t, "pointer", refused.text("errors.0.source.pointer"), "/data/0/attributes/key")
		s.do("POST", "/organizations/acme/workspaces", s.Token, fmt.Sprintf(`{"data":{"type":"workspaces","attributes":{"name":"third"},"relationships":
			{"project":{"data":{"type":"projects","id":%q}},"tag-bindings":%s}}}`, project.ID, bindingsBody("env=prod"))).want(t, 422)
		s.do("PATCH", "/workspaces/"+old.ID+"/tag-bindings", s.Token, bindingsBody("env=prod", "team=net")).want(t, 200)
		s.do("PATCH", "/workspaces/"+old.ID+"/tag-bindings", s.Token, bindingsBody("env=test")).want(t, 422)
		wantText(t, "an override from before", boundTo(t, s, "/workspaces/"+old.ID+"/effective-tag-bindings"), "env=prod team=net")
		s.do("PATCH", "/projects/"+project.ID+"/tag-bindings", s.Token, bindingsBody("env=stage")).want(t, 200)
		list, err := c.ReservedTagKeys.List(ctx, "acme", nil)
		must(t, err)
		if list.TotalCount != 1 || list.Items[0].ID != key.ID {
			t.Errorf("list: %+v", list.Items)
		}
		must(t, c.ReservedTagKeys.Delete(ctx, key.ID))
		s.do("PATCH", "/workspaces/"+fresh.ID+"/tag-bindings", s.Token, bindingsBody("env=prod")).want(t, 200)
		s.do("DELETE", "/reserved-tags/"+key.ID, s.Token, "").want(t, 404)
	})
}
