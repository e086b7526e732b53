package e2e_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/hashicorp/go-tfe"
)

func TestWorkspaceLifeThroughGoTFE(t *testing.T) {
	each(t, func(t *testing.T, s *server) {
		ctx, c := context.Background(), s.admin()
		s.organization("acme")
		w, err := c.Workspaces.Create(ctx, "acme", tfe.WorkspaceCreateOptions{Name: tfe.String("network")})
		must(t, err)
		_, err = c.Workspaces.Lock(ctx, w.ID, tfe.WorkspaceLockOptions{Reason: tfe.String("by hand")})
		must(t, err)
		if _, err = c.Workspaces.Lock(ctx, w.ID, tfe.WorkspaceLockOptions{}); !errors.Is(err, tfe.ErrWorkspaceLocked) {
			t.Errorf("second lock: %v", err)
		}
		if err = c.Workspaces.SafeDeleteByID(ctx, w.ID); !errors.Is(err, tfe.ErrWorkspaceLockedCannotDelete) {
			t.Errorf("safe delete of a locked workspace: %v", err)
		}
		_, err = c.Workspaces.Unlock(ctx, w.ID)
		must(t, err)
		if _, err = c.Workspaces.Unlock(ctx, w.ID); !errors.Is(err, tfe.ErrWorkspaceNotLocked) {
			t.Errorf("second unlock: %v", err)
		}
		_, err = c.Workspaces.Lock(ctx, w.ID, tfe.WorkspaceLockOptions{})
		must(t, err)
		_, err = c.Workspaces.ForceUnlock(ctx, w.ID)
		must(t, err)
		must(t, c.Workspaces.SafeDelete(ctx, "acme", "network"))
		if _, err = c.Workspaces.ReadByID(ctx, w.ID); !errors.Is(err, tfe.ErrResourceNotFound) {
			t.Errorf("after safe delete: %v", err)
		}
		w, err = c.Workspaces.Create(ctx, "acme", tfe.WorkspaceCreateOptions{Name: tfe.String("network")})
		must(t, err)
		must(t, c.Workspaces.DeleteByID(ctx, w.ID))
		w, err = c.Workspaces.Create(ctx, "acme", tfe.WorkspaceCreateOptions{Name: tfe.String("network")})
		must(t, err)
		must(t, c.Workspaces.Delete(ctx, "acme", w.Name))
	})
}

func TestCreateKeepsEveryAttribute(t *testing.T) {
	each(t, func(t *testing.T, s *server) {
		ctx, c := context.Background(), s.admin()
		s.organization("acme")
		project, err := c.Projects.Create(ctx, "acme", tfe.ProjectCreateOptions{Name: "platform"})
		must(t, err)
		at := time.Date(2030, 1, 2, 3, 4, 5, 0, time.UTC)
		made, err := c.Workspaces.Create(ctx, "acme", tfe.WorkspaceCreateOptions{
			Name: tfe.String("everything"), Description: tfe.String("all of it"),
			AllowDestroyPlan: tfe.Bool(false), AssessmentsEnabled: tfe.Bool(true),
			AutoApply: tfe.Bool(true), AutoApplyRunTrigger: tfe.Bool(true),
			AutoDestroyAt: tfe.NullableTime(at), ExecutionMode: tfe.String("local"),
			FileTriggersEnabled: tfe.Bool(true), GlobalRemoteState: tfe.Bool(true),
			QueueAllRuns: tfe.Bool(true), SpeculativeEnabled: tfe.Bool(false),
			SourceName: tfe.String("a script"), SourceURL: tfe.String("https://example.com/a"),
			StructuredRunOutputEnabled: tfe.Bool(false), TerraformVersion: tfe.String("~> 1.5.0"),
			TriggerPatterns: []string{"/modules/**/*", "/**/*.tf"}, WorkingDirectory: tfe.String("/live/eu"),
			MigrationEnvironment: tfe.String("old/env"), Project: project,
		})
		must(t, err)
		read, err := c.Workspaces.Read(ctx, "acme", "everything")
		must(t, err)
		for name, got := range map[string]*tfe.Workspace{"the answer": made, "read back": read} {
			gotAt, _ := got.AutoDestroyAt.Get()
			for attribute, same := range map[string]bool{
				"description": got.Description == "all of it", "allow-destroy-plan": !got.AllowDestroyPlan,
				"assessments-enabled": got.AssessmentsEnabled, "auto-apply": got.AutoApply,
				"auto-apply-run-trigger": got.AutoApplyRunTrigger, "auto-destroy-at": gotAt.Equal(at),
				"execution-mode": got.ExecutionMode == "local", "operations": !got.Operations,
				"setting-overwrites":    *got.SettingOverwrites.ExecutionMode && *got.SettingOverwrites.AgentPool,
				"file-triggers-enabled": got.FileTriggersEnabled, "global-remote-state": got.GlobalRemoteState,
				"queue-all-runs": got.QueueAllRuns, "speculative-enabled": !got.SpeculativeEnabled,
				"source-name": got.SourceName == "a script", "source-url": got.SourceURL == "https://example.com/a",
				"structured-run-output-enabled": !got.StructuredRunOutputEnabled,
				"terraform-version":             got.TerraformVersion == "~> 1.5.0",
				"trigger-patterns":              slices.Equal(got.TriggerPatterns, []string{"/modules/**/*", "/**/*.tf"}),
				"working-directory":             got.WorkingDirectory == "/live/eu",
				"migration-environment":         got.MigrationEnvironment == "old/env",
				"project":                       got.Project.ID == project.ID,
				"inherits-project-auto-destroy": !got.InheritsProjectAutoDestroy,
				"source":                        got.Source == tfe.WorkspaceSourceAPI, "environment": got.Environment == "default",
				"permissions": got.Permissions.CanUpdate && *got.Permissions.CanForceDelete,
			} {
				if !same {
					t.Errorf("%s: %s is not what was given: %+v", name, attribute, got)
				}
			}
		}
	})
}

// TestUpdateChangesOneAttributeAlone updates each attribute by itself, and demands that
// it changes and that nothing else does.
func TestUpdateChangesOneAttributeAlone(t *testing.T) {
	each(t, func(t *testing.T, s *server) {
		s.organization("acme")
		id := s.workspace("acme", "one")
		for _, c := range []struct{ attribute, value, want string }{
			{"name", `"two"`, "two"},
			{"description", `"a b"`, "a b"}, {"description", `null`, "<nil>"}, {"description", `"x"`, "x"}, {"description", `""`, "<nil>"},
			{"allow-destroy-plan", `false`, "false"}, {"assessments-enabled", `true`, "true"},
			{"auto-apply", `true`, "true"}, {"auto-apply-run-trigger", `true`, "true"},
			{"auto-destroy-activity-duration", `"14d"`, "14d"}, {"auto-destroy-activity-duration", `null`, "<nil>"},
			{"auto-destroy-at", `"2030-01-02T03:04:05+01:00"`, "2030-01-02T02:04:05.000Z"}, {"auto-destroy-at", `null`, "<nil>"},
			{"execution-mode", `"local"`, "local"}, {"operations", `true`, "true"},
			{"file-triggers-enabled", `false`, "false"}, {"global-remote-state", `true`, "true"},
			{"global-remote-state", `false`, "false"}, {"project-remote-state", `true`, "true"},
			{"queue-all-runs", `true`, "true"}, {"speculative-enabled", `false`, "false"},
			{"structured-run-output-enabled", `false`, "false"},
			{"engine-version", `"1.5.7"`, "1.5.7"}, {"engine-version", `"0.10.0"`, "0.10.0"}, {"terraform-version", `"latest"`, "latest"}, {"engine-version", `">= 1.2, < 2"`, ">= 1.2, < 2"},
			{"trigger-prefixes", `["a","b"]`, "[a b]"}, {"trigger-prefixes", `[]`, "[]"}, {"trigger-prefixes", `["c"]`, "[c]"}, {"trigger-prefixes", `null`, "[]"},
			{"working-directory", `"a/b"`, "a/b"}, {"working-directory", `null`, "<nil>"},
			{"inherits-project-auto-destroy", `true`, "true"},
		} {
			before := s.do("GET", "/workspaces/"+id, s.Token, "").want(t, 200)
			got := s.do("PATCH", "/workspaces/"+id, s.Token, fmt.Sprintf(
				`{"data":{"type":"workspaces","attributes":{%q:%s}}}`, c.attribute, c.value)).want(t, 200)
			if now := fmt.Sprint(got.at("data.attributes." + c.attribute)); now != c.want {
				t.Errorf("%s = %s: is %s, want %s", c.attribute, c.value, now, c.want)
			}
			old, _ := before.at("data.attributes").(map[string]any)
			now, _ := got.at("data.attributes").(map[string]any)
			for name := range old {
				if fmt.Sprint(old[name]) != fmt.Sprint(now[name]) && !movesWith(name, c.attribute) {
					t.Errorf("%s = %s also changed %s from %v to %v", c.attribute, c.value, name, old[name], now[name])
				}
			}
		}
	})
}

// movesWith says that one attribute is another way to tell the other.
func movesWith(name, changed string) bool {
	for _, group := range [][]string{
		{"execution-mode", "operations", "setting-overwrites"},
		{"engine-version", "terraform-version"},
		{"auto-destroy-at", "auto-destroy-activity-duration", "inherits-project-auto-destroy"},
		{"allow-destroy-plan", "actions", "can-queue-destroy-plan"},
	} {
		if slices.Contains(group, name) && slices.Contains(group, changed) {
			return true
		}
	}
	return name == "updated-at" || name == changed
}

func TestUpdateWithNothingChangesNothing(t *testing.T) {
	each(t, func(t *testing.T, s *server) {
		s.organization("acme")
		id := s.workspace("acme", "still")
		before := s.do("GET", "/workspaces/"+id, s.Token, "").want(t, 200)
		for _, body := range []string{
			`{"data":{"type":"workspaces"}}`,
			`{"data":{"type":"workspaces","attributes":{"created-at":"2001-01-01T00:00:00Z","locked":true,"nonsense":1}}}`,
		} {
			s.do("PATCH", "/workspaces/"+id, s.Token, body).want(t, 200)
		}
		if after := s.do("GET", "/organizations/acme/workspaces/still", s.Token, "").want(t, 200); after.Body != before.Body {
			t.Errorf("changed from\n%s\nto\n%s", before.Body, after.Body)
		}
	})
}

func TestRenamingFreesTheOldName(t *testing.T) {
	each(t, func(t *testing.T, s *server) {
		s.organization("acme")
		id := s.workspace("acme", "old")
		renamed := s.do("PATCH", "/organizations/acme/workspaces/old", s.Token, `{"data":{"type":"workspaces","attributes":{"name":"new"}}}`).want(t, 200)
		if renamed.text("data.id") != id || renamed.text("data.links.self") != "/api/v2/organizations/acme/workspaces/new" {
			t.Errorf("renamed: %s", renamed.Body)
		}
		s.do("GET", "/organizations/acme/workspaces/old", s.Token, "").want(t, 404)
		s.workspace("acme", "old")
	})
}

func TestListFindsSearchesAndSorts(t *testing.T) {
	each(t, func(t *testing.T, s *server) {
		ctx, c := context.Background(), s.admin()
		s.organization("acme")
		project, err := c.Projects.Create(ctx, "acme", tfe.ProjectCreateOptions{Name: "platform"})
		must(t, err)
		for _, name := range []string{"alpha", "Beta", "prod_eu", "prodXeu", "a_1", "zed-prod"} {
			options := tfe.WorkspaceCreateOptions{Name: tfe.String(name)}
			if strings.Contains(name, "prod") {
				options.Project = project
			}
			_, err := c.Workspaces.Create(ctx, "acme", options)
			must(t, err)
		}
		for query, want := range map[string]string{
			"":                                            "Beta a_1 alpha prodXeu prod_eu zed-prod",
			"sort=-name":                                  "zed-prod prod_eu prodXeu alpha a_1 Beta",
			"sort=latest-change-at":                       "alpha Beta prod_eu prodXeu a_1 zed-prod",
			"sort=-latest-change-at":                      "zed-prod a_1 prodXeu prod_eu Beta alpha",
			"sort=nonsense":                               "Beta a_1 alpha prodXeu prod_eu zed-prod",
			"search[name]=PROD":                           "prodXeu prod_eu zed-prod",
			"search[name]=d_e":                            "prod_eu",
			"search[name]=%25":                            "",
			"search[wildcard-name]=prod*":                 "prodXeu prod_eu",
			"search[wildcard-name]=*PROD":                 "zed-prod",
			"search[wildcard-name]=*d*":                   "prodXeu prod_eu zed-prod",
			"search[wildcard-name]=p*u":                   "prodXeu prod_eu",
			"search[wildcard-name]=alpha":                 "alpha",
			"search[wildcard-name]=alp":                   "",
			"search[name]=" + strings.Repeat("b", 60_000): "",
			"search[wildcard-name]=" + strings.Repeat("b*", 30_000):             "",
			"search[wildcard-name]=" + strings.Repeat("*", 60_000) + "u":        "prodXeu prod_eu",
			"filter[project][id]=" + project.ID:                                 "prodXeu prod_eu zed-prod",
			"filter[project][id]=prj-0000000000000000":                          "",
			"filter[project][id]=" + project.ID + "&search[name]=eu&sort=-name": "prod_eu prodXeu",
			"filter[current-run][status]=applied":                               "",
			"page[size]=2&page[number]=2":                                       "alpha prodXeu",
			"page[size]=2&page[number]=9":                                       "",
			"page[size]=-1&page[number]=x":                                      "Beta a_1 alpha prodXeu prod_eu zed-prod",
			"unknown=1&TagBindings={}":                                          "Beta a_1 alpha prodXeu prod_eu zed-prod",
		} {
			got := s.do("GET", "/organizations/acme/workspaces?"+encode(query), s.Token, "").want(t, 200)
			if names := strings.Join(got.names(), " "); names != want {
				t.Errorf("%q finds %q, want %q", query, names, want)
			}
		}
		for _, order := range []string{"current-run.created-at", "-current-run.created-at"} {
			got := s.do("GET", "/organizations/acme/workspaces?sort="+order, s.Token, "").want(t, 200)
			if len(got.names()) != 6 {
				t.Errorf("%s: %v", order, got.names())
			}
		}
		list, err := c.Workspaces.List(ctx, "acme", &tfe.WorkspaceListOptions{
			ListOptions: tfe.ListOptions{PageNumber: 2, PageSize: 4}, Search: "", Sort: "name",
		})
		must(t, err)
		if p := list.Pagination; p.TotalCount != 6 || p.TotalPages != 2 || p.CurrentPage != 2 || p.PreviousPage != 1 || p.NextPage != 0 || len(list.Items) != 2 {
			t.Errorf("page 2 of 4: %+v with %d", p, len(list.Items))
		}
	})
}

// encode percent-encodes the brackets and braces of a query.
func encode(query string) string {
	return strings.NewReplacer("[", "%5B", "]", "%5D", "{", "%7B", "}", "%7D").Replace(query)
}

// names is the name of each resource of a list.
func (r reply) names() []string {
	list, _ := r.at("data").([]any)
	names := make([]string, len(list))
	for i := range list {
		names[i] = r.text(fmt.Sprintf("data.%d.attributes.name", i))
	}
	return names
}

func TestThePaginationKeysAreExact(t *testing.T) {
	each(t, func(t *testing.T, s *server) {
		s.organization("acme")
		for i := range 5 {
			s.workspace("acme", fmt.Sprintf("w%d", i))
		}
		got := s.do("GET", "/organizations/acme/workspaces?"+encode("page[size]=2&page[number]=2&search[name]=w"), s.Token, "").want(t, 200)
		for path, want := range map[string]string{
			"current-page": "2", "page-size": "2", "prev-page": "1", "next-page": "3", "total-pages": "3", "total-count": "5",
		} {
			if now := fmt.Sprint(got.at("meta.pagination." + path)); now != want {
				t.Errorf("%s is %s, want %s", path, now, want)
			}
		}
		for link, number := range map[string]int{"self": 2, "first": 1, "prev": 1, "next": 3, "last": 3} {
			want := s.URL + "/api/v2/organizations/acme/workspaces?" + encode(fmt.Sprintf("page[number]=%d&page[size]=2&search[name]=w", number))
			if now := got.text("links." + link); now != want {
				t.Errorf("link %s is %s, want %s", link, now, want)
			}
		}
		past := s.do("GET", "/organizations/acme/workspaces?"+encode("page[size]=2&page[number]=9"), s.Token, "").want(t, 200)
		if past.at("meta.pagination.prev-page") != 3.0 || past.at("meta.pagination.next-page") != nil || past.at("links.next") != nil {
			t.Errorf("past the end: %s", past.Body)
		}
		empty := s.do("GET", "/organizations/acme/workspaces?"+encode("search[name]=none&page[size]=1000"), s.Token, "").want(t, 200)
		if empty.at("meta.pagination.total-pages") != 1.0 || empty.at("meta.pagination.total-count") != 0.0 || empty.at("meta.pagination.page-size") != 100.0 {
			t.Errorf("empty: %s", empty.Body)
		}
	})
}

func TestBothShapesOfTheLockReasonAreRead(t *testing.T) {
	each(t, func(t *testing.T, s *server) {
		s.organization("acme")
		id := s.workspace("acme", "locked")
		for body, want := range map[string]string{
			`{"data":{"attributes":{"reason":"as an attribute"},"type":""}}`: "as an attribute",
			`{"reason":"at the top"}`: "at the top", `{"data":{"type":""}}`: "", `{}`: "", "": "",
		} {
			got := s.do("POST", "/workspaces/"+id+"/actions/lock", s.Token, body).want(t, 200)
			if got.text("data.attributes.locked-reason") != want || got.at("data.attributes.locked") != true {
				t.Errorf("%s: %v", body, got.at("data.attributes.locked-reason"))
			}
			open := s.do("POST", "/workspaces/"+id+"/actions/unlock", s.Token, "").want(t, 200)
			if open.at("data.attributes.locked-reason") != "" || open.at("data.relationships.locked-by.data") != nil {
				t.Errorf("after unlock: %s", open.Body)
			}
		}
		s.do("POST", "/workspaces/"+id+"/actions/lock", s.Token, `{"reason":"`+strings.Repeat("x", 1001)+`"}`).want(t, 422)
		s.do("POST", "/workspaces/"+id+"/actions/lock", s.Token, `{"reason":`).want(t, 400)
		s.do("POST", "/workspaces/"+id+"/actions/lock", s.Token, `{"reason":7}`).want(t, 422)
		s.do("POST", "/workspaces/"+id+"/actions/lock", s.Token, `{"reason":"`+strings.Repeat("é", 1000)+`"}`).want(t, 200)
	})
}

func TestUnlockComparesTheHolder(t *testing.T) {
	each(t, func(t *testing.T, s *server) {
		annID, ann := s.user("ann")
		s.do("POST", "/organizations", ann, `{"data":{"type":"organizations","attributes":{"name":"acme","email":"a@example.com"}}}`).want(t, 201)
		id := s.workspace("acme", "held")
		s.do("POST", "/workspaces/"+id+"/actions/lock", ann, "").want(t, 200)
		got := s.do("GET", "/workspaces/"+id, s.Token, "").want(t, 200)
		if got.text("data.relationships.locked-by.data.id") != annID || got.text("data.relationships.locked-by.data.type") != "users" {
			t.Errorf("locked by %v", got.at("data.relationships.locked-by"))
		}
		other := s.do("POST", "/workspaces/"+id+"/actions/unlock", s.Token, "").want(t, 409)
		if want := "Unable to unlock workspace. The workspace is locked by User ann and may not be unlocked except by them."; other.text("errors.0.detail") != want {
			t.Errorf("detail %q, want %q", other.text("errors.0.detail"), want)
		}
		second := s.do("POST", "/users/"+annID+"/authentication-tokens", ann, "").want(t, 201).text("data.attributes.token")
		s.do("POST", "/workspaces/"+id+"/actions/unlock", second, "").want(t, 200)
		s.do("POST", "/workspaces/"+id+"/actions/lock", ann, "").want(t, 200)
		s.do("POST", "/workspaces/"+id+"/actions/force-unlock", s.Token, "").want(t, 200)
		free := s.do("POST", "/workspaces/"+id+"/actions/force-unlock", s.Token, "").want(t, 409)
		if want := "Unable to unlock workspace. The workspace is already unlocked."; free.text("errors.0.detail") != want {
			t.Errorf("detail %q, want %q", free.text("errors.0.detail"), want)
		}
	})
}

func TestForceDeleteIsLeftToOwnersUnlessTheOrganizationSaysOtherwise(t *testing.T) {
	each(t, func(t *testing.T, s *server) {
		s.organization("acme")
		_, stranger := s.user("stranger")
		id := s.workspace("acme", "mine")
		s.do("DELETE", "/workspaces/"+id, stranger, "").want(t, 404)
		s.do("POST", "/workspaces/"+id+"/actions/safe-delete", stranger, "").want(t, 404)
		s.do("GET", "/workspaces/"+id, stranger, "").want(t, 404)
		s.do("GET", "/organizations/acme", stranger, "").want(t, 404)
		if got := s.do("GET", "/organizations", stranger, "").want(t, 200); len(got.names()) != 0 {
			t.Errorf("a stranger sees %v", got.names())
		}
		s.do("POST", "/workspaces/"+id+"/actions/lock", s.Token, "").want(t, 200)
		s.do("DELETE", "/workspaces/"+id, s.Token, "").want(t, 204)
		s.do("DELETE", "/workspaces/"+id, s.Token, "").want(t, 404)
	})
}
