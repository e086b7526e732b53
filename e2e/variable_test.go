package e2e_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/hashicorp/go-tfe"
)

func TestVariableLifeThroughGoTFE(t *testing.T) {
	each(t, func(t *testing.T, s *server) {
		ctx, c := context.Background(), s.admin()
		s.organization("acme")
		w := s.workspace("acme", "network")
		v, err := c.Variables.Create(ctx, w, tfe.VariableCreateOptions{
			Key: tfe.String("region"), Value: tfe.String("eu"), Category: tfe.Category(tfe.CategoryTerraform), Description: tfe.String("where"), HCL: tfe.Bool(true),
		})
		must(t, err)
		if v.Key != "region" || v.Value != "eu" || !v.HCL || v.Sensitive || v.Category != tfe.CategoryTerraform || v.Description != "where" || len(v.VersionID) != 64 || v.Workspace.ID != w {
			t.Errorf("created: %+v", v)
		}
		u, err := c.Variables.Update(ctx, w, v.ID, tfe.VariableUpdateOptions{Value: tfe.String(""), HCL: tfe.Bool(false)})
		must(t, err)
		if u.Value != "" || u.Key != "region" || u.Description != "where" || u.VersionID == v.VersionID {
			t.Errorf("an empty value clears, the rest stays: %+v", u)
		}
		secret, err := c.Variables.Create(ctx, w, tfe.VariableCreateOptions{
			Key: tfe.String("TOKEN"), Value: tfe.String("s3cret"), Category: tfe.Category(tfe.CategoryEnv), Sensitive: tfe.Bool(true),
		})
		must(t, err)
		for _, path := range []string{"/vars", "/vars/" + secret.ID, "/all-vars"} {
			if shown := s.do("GET", "/workspaces/"+w+path, s.Token, "").want(t, 200); strings.Contains(shown.Body, "s3cret") || !strings.Contains(shown.Body, `"value":null`) {
				t.Errorf("%s shows a sensitive value: %s", path, shown.Body)
			}
		}
		list, err := c.Variables.List(ctx, w, nil)
		must(t, err)
		if len(list.Items) != 2 || list.Items[0].Key != "TOKEN" {
			t.Errorf("list: %+v", list.Items)
		}
		shown := s.do("GET", "/workspaces/"+w, s.Token, "")
		if shown.text("data.relationships.vars.data.0.id") != secret.ID || shown.text("data.relationships.vars.data.1.id") != v.ID {
			t.Errorf("references: %v", shown.at("data.relationships.vars"))
		}
		must(t, c.Variables.Delete(ctx, w, v.ID))
		if _, err := c.Variables.Read(ctx, w, v.ID); !errors.Is(err, tfe.ErrResourceNotFound) {
			t.Errorf("after delete: %v", err)
		}
		other := s.workspace("acme", "other")
		if _, err := c.Variables.Read(ctx, other, secret.ID); !errors.Is(err, tfe.ErrResourceNotFound) {
			t.Errorf("through another workspace: %v", err)
		}
	})
}

func TestVariableRules(t *testing.T) {
	each(t, func(t *testing.T, s *server) {
		s.organization("acme")
		w := s.workspace("acme", "network")
		post := func(attributes string, status int) reply {
			t.Helper()
			return s.do("POST", "/workspaces/"+w+"/vars", s.Token, `{"data":{"type":"vars","attributes":`+attributes+`}}`).want(t, status)
		}
		post(`{"key":"a","category":"terraform","value":"1"}`, 201)
		taken := post(`{"key":"a","category":"terraform","value":"2"}`, 422)
		if taken.text("errors.0.detail") != "Key has already been taken" || taken.text("errors.0.source.pointer") != "/data/attributes/key" {
			t.Errorf("taken: %s", taken.Body)
		}
		post(`{"key":"a","category":"env","value":"2"}`, 201)
		post(`{"key":"A","category":"terraform","value":"2"}`, 201)
		both := post(`{"value":"x"}`, 422)
		if both.text("errors.0.source.pointer") != "/data/attributes/key" || both.text("errors.1.source.pointer") != "/data/attributes/category" {
			t.Errorf("both at once: %s", both.Body)
		}
		post(`{"key":"9a","category":"terraform"}`, 201)
		post(`{"key":"-a","category":"terraform"}`, 422)
		post(`{"key":"a b","category":"env"}`, 422)
		post(`{"key":"a=b","category":"env"}`, 422)
		post(`{"key":"h","category":"env","hcl":true}`, 422)
		post(`{"key":"h","category":"policy-set"}`, 422)
		post(`{"key":"h","category":"terraform","sensitive":"yes"}`, 422)
		post(fmt.Sprintf(`{"key":%q,"category":"env"}`, strings.Repeat("k", 128)), 201)
		post(fmt.Sprintf(`{"key":%q,"category":"env"}`, strings.Repeat("k", 129)), 422)
		post(fmt.Sprintf(`{"key":"d512","category":"env","description":%q}`, strings.Repeat("d", 512)), 201)
		post(fmt.Sprintf(`{"key":"d513","category":"env","description":%q}`, strings.Repeat("d", 513)), 422)
		post(fmt.Sprintf(`{"key":"v256","category":"env","value":%q}`, strings.Repeat("v", 256<<10)), 201)
		post(fmt.Sprintf(`{"key":"v257","category":"env","value":%q}`, strings.Repeat("v", 256<<10+1)), 422)
		null := post(`{"key":"nothing","category":"terraform","value":null}`, 201)
		if null.at("data.attributes.value") != "" {
			t.Errorf("no value: %s", null.Body)
		}
		open := post(`{"key":"later","category":"terraform","value":"was open"}`, 201).text("data.id")
		patch := func(attributes string, status int) reply {
			t.Helper()
			return s.do("PATCH", "/workspaces/"+w+"/vars/"+open, s.Token, `{"data":{"type":"vars","id":"`+open+`","attributes":`+attributes+`}}`).want(t, status)
		}
		if closed := patch(`{"sensitive":true}`, 200); closed.at("data.attributes.value") != nil {
			t.Errorf("still shown: %s", closed.Body)
		}
		patch(`{"sensitive":false}`, 422)
		patch(`{"sensitive":false,"value":"new"}`, 422)
		patch(`{"description":"kept closed","sensitive":true}`, 200)
		patch(`{"value":"new"}`, 200)
		patch(`{"key":"a"}`, 422)
		// An expression that is none is told by the engine: what was a text does not become one by itself.
		patch(`{"hcl":true}`, 422)
		patch(`{"hcl":false,"description":"a text still"}`, 200)
		patch(`{"hcl":true,"value":"[1]"}`, 200)
		patch(`{"hcl":true}`, 200)
		patch(`{"hcl":false}`, 422)
	})
}

func TestVariablesInTheOlderForm(t *testing.T) {
	each(t, func(t *testing.T, s *server) {
		s.organization("acme")
		w := s.workspace("acme", "network")
		made := s.do("POST", "/vars", s.Token, `{"data":{"type":"vars","attributes":{"key":"a","value":"1","category":"env"},"relationships":{"workspace":{"data":{"type":"workspaces","id":"`+w+`"}}}}}`).want(t, 201)
		id := made.text("data.id")
		list := s.do("GET", "/vars?filter%5Borganization%5D%5Bname%5D=acme&filter%5Bworkspace%5D%5Bname%5D=network", s.Token, "").want(t, 200)
		if list.text("data.0.id") != id {
			t.Errorf("list: %s", list.Body)
		}
		s.do("GET", "/vars?filter%5Borganization%5D%5Bname%5D=acme", s.Token, "").want(t, 400)
		s.do("POST", "/vars", s.Token, `{"data":{"type":"vars","attributes":{"key":"b","category":"env"}}}`).want(t, 422)
		s.do("PATCH", "/vars/"+id, s.Token, `{"data":{"type":"vars","attributes":{"value":"2"}}}`).want(t, 200)
		_, stranger := s.user("stranger")
		s.do("DELETE", "/vars/"+id, stranger, "").want(t, 404)
		s.do("DELETE", "/vars/"+id, s.Token, "").want(t, 204)
		if shown := s.do("GET", "/workspaces/"+w, s.Token, ""); fmt.Sprint(shown.at("data.relationships.vars.data")) != "[]" {
			t.Errorf("references after delete: %v", shown.at("data.relationships.vars.data"))
		}
	})
}

func TestVariableSetLifeThroughGoTFE(t *testing.T) {
	each(t, func(t *testing.T, s *server) {
		ctx, c := context.Background(), s.admin()
		s.organization("acme")
		one, two := s.workspace("acme", "one"), s.workspace("acme", "two")
		set, err := c.VariableSets.Create(ctx, "acme", &tfe.VariableSetCreateOptions{Name: tfe.String("shared"), Description: tfe.String("for all"), Global: tfe.Bool(false), Priority: tfe.Bool(true)})
		must(t, err)
		if set.Name != "shared" || set.Global || !set.Priority || set.Organization.Name != "acme" || set.Parent == nil || set.Parent.Organization == nil {
			t.Errorf("created: %+v", set)
		}
		v, err := c.VariableSetVariables.Create(ctx, set.ID, &tfe.VariableSetVariableCreateOptions{Key: tfe.String("TOKEN"), Value: tfe.String("s3cret"), Category: tfe.Category(tfe.CategoryEnv), Sensitive: tfe.Bool(true)})
		must(t, err)
		if v.Value != "" || v.VariableSet.ID != set.ID {
			t.Errorf("variable: %+v", v)
		}
		must(t, c.VariableSets.ApplyToWorkspaces(ctx, set.ID, &tfe.VariableSetApplyToWorkspacesOptions{Workspaces: []*tfe.Workspace{{ID: one}, {ID: two}}}))
		must(t, c.VariableSets.RemoveFromWorkspaces(ctx, set.ID, &tfe.VariableSetRemoveFromWorkspacesOptions{Workspaces: []*tfe.Workspace{{ID: two}}}))
		found, err := c.VariableSets.ListForWorkspace(ctx, one, nil)
		must(t, err)
		if len(found.Items) != 1 || found.Items[0].ID != set.ID || len(found.Items[0].Variables) != 1 {
			t.Errorf("sets of a workspace it is applied to: %+v", found.Items)
		}
		found, err = c.VariableSets.ListForWorkspace(ctx, two, nil)
		must(t, err)
		if len(found.Items) != 0 {
			t.Errorf("sets of a workspace it was taken from: %+v", found.Items)
		}
		project, err := c.Projects.Create(ctx, "acme", tfe.ProjectCreateOptions{Name: "billing"})
		must(t, err)
		must(t, c.VariableSets.ApplyToProjects(ctx, set.ID, tfe.VariableSetApplyToProjectsOptions{Projects: []*tfe.Project{project}}))
		found, err = c.VariableSets.ListForProject(ctx, project.ID, nil)
		must(t, err)
		if len(found.Items) != 1 || len(found.Items[0].Projects) != 1 {
			t.Errorf("sets of a project: %+v", found.Items)
		}
		must(t, c.VariableSets.RemoveFromProjects(ctx, set.ID, tfe.VariableSetRemoveFromProjectsOptions{Projects: []*tfe.Project{project}}))
		set, err = c.VariableSets.UpdateWorkspaces(ctx, set.ID, &tfe.VariableSetUpdateWorkspacesOptions{Workspaces: []*tfe.Workspace{}})
		must(t, err)
		if len(set.Workspaces) != 0 || len(set.Projects) != 0 {
			t.Errorf("an empty list clears: %+v", set)
		}
		set, err = c.VariableSets.Update(ctx, set.ID, &tfe.VariableSetUpdateOptions{Global: tfe.Bool(true)})
		must(t, err)
		if found, err = c.VariableSets.ListForWorkspace(ctx, two, nil); err != nil || len(found.Items) != 1 {
			t.Errorf("a global set applies to all: %v %+v", err, found)
		}
		all, err := c.Variables.ListAll(ctx, two, nil)
		must(t, err)
		if len(all.Items) != 1 || all.Items[0].Key != "TOKEN" || all.Items[0].Value != "" {
			t.Errorf("all variables: %+v", all.Items)
		}
		must(t, c.VariableSetVariables.Delete(ctx, set.ID, v.ID))
		must(t, c.VariableSets.Delete(ctx, set.ID))
		if _, err := c.VariableSets.Read(ctx, set.ID, nil); !errors.Is(err, tfe.ErrResourceNotFound) {
			t.Errorf("after delete: %v", err)
		}
	})
}

func TestVariableSetRules(t *testing.T) {
	each(t, func(t *testing.T, s *server) {
		s.organization("acme")
		s.organization("other")
		w, foreign := s.workspace("acme", "network"), s.workspace("other", "network")
		project := s.do("POST", "/organizations/acme/projects", s.Token, `{"data":{"type":"projects","attributes":{"name":"billing"}}}`).want(t, 201).text("data.id")
		post := func(rest string, status int) reply {
			t.Helper()
			return s.do("POST", "/organizations/acme/varsets", s.Token, `{"data":{"type":"varsets",`+rest+`}}`).want(t, status)
		}
		post(`"attributes":{"name":" "}`, 422)
		global := post(`"attributes":{"name":"global","global":true},"relationships":{"vars":{"data":[{"type":"vars","attributes":{"key":"a","category":"env","value":"1"}}]}}`, 201)
		if n, _ := global.at("data.attributes.var-count").(float64); n != 1 {
			t.Errorf("first variables: %s", global.Body)
		}
		post(`"attributes":{"name":"global"}`, 422)
		refs := `[{"type":"workspaces","id":"` + w + `"}]`
		s.do("POST", "/varsets/"+global.text("data.id")+"/relationships/workspaces", s.Token, `{"data":`+refs+`}`).want(t, 422)
		owned := post(`"attributes":{"name":"owned"},"relationships":{"parent":{"data":{"type":"projects","id":"`+project+`"}}}`, 201)
		if owned.text("data.relationships.parent.data.id") != project {
			t.Errorf("parent: %s", owned.Body)
		}
		s.do("POST", "/varsets/"+owned.text("data.id")+"/relationships/workspaces", s.Token, `{"data":`+refs+`}`).want(t, 422)
		post(`"attributes":{"name":"x"},"relationships":{"parent":{"data":{"type":"projects","id":"prj-0000000000000000"}}}`, 404)
		post(`"attributes":{"name":"x"},"relationships":{"workspaces":{"data":[{"type":"workspaces","id":"`+foreign+`"}]}}`, 422)
		s.do("DELETE", "/projects/"+project, s.Token, "").want(t, 204)
		s.do("GET", "/varsets/"+owned.text("data.id"), s.Token, "").want(t, 404)
		_, stranger := s.user("stranger")
		s.do("GET", "/varsets/"+global.text("data.id"), stranger, "").want(t, 404)
	})
}

func TestEffectiveVariablesOfAWorkspace(t *testing.T) {
	each(t, func(t *testing.T, s *server) {
		s.organization("acme")
		w := s.workspace("acme", "network")
		for _, set := range []string{
			`"attributes":{"name":"wide","global":true},"relationships":{"vars":{"data":[{"type":"vars","attributes":{"key":"a","category":"env","value":"wide"}},{"type":"vars","attributes":{"key":"b","category":"env","value":"wide"}},{"type":"vars","attributes":{"key":"c","category":"env","value":"wide"}}]}}`,
			`"attributes":{"name":"first","global":true,"priority":true},"relationships":{"vars":{"data":[{"type":"vars","attributes":{"key":"c","category":"env","value":"first"}}]}}`,
		} {
			s.do("POST", "/organizations/acme/varsets", s.Token, `{"data":{"type":"varsets",`+set+`}}`).want(t, 201)
		}
		for _, key := range []string{"b", "c"} {
			s.do("POST", "/workspaces/"+w+"/vars", s.Token, `{"data":{"type":"vars","attributes":{"key":"`+key+`","category":"env","value":"own"}}}`).want(t, 201)
		}
		all := s.do("GET", "/workspaces/"+w+"/all-vars", s.Token, "").want(t, 200)
		var got []string
		for i := range 3 {
			got = append(got, all.text(fmt.Sprintf("data.%d.attributes.key", i))+"="+all.text(fmt.Sprintf("data.%d.attributes.value", i)))
		}
		if !slices.Equal(got, []string{"a=wide", "b=own", "c=first"}) || all.at("data.3") != nil {
			t.Errorf("effective: %v", got)
		}
	})
}
