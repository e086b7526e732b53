package e2e_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/hashicorp/go-tfe"
)

func TestSSHKeyLifeThroughGoTFE(t *testing.T) {
	each(t, func(t *testing.T, s *server) {
		ctx, c := context.Background(), s.admin()
		s.organization("acme")
		key, err := c.SSHKeys.Create(ctx, "acme", tfe.SSHKeyCreateOptions{Name: tfe.String("deploy"), Value: tfe.String(privateKey)})
		must(t, err)
		if shown := s.do("GET", "/ssh-keys/"+key.ID, s.Token, "").want(t, 200); strings.Contains(shown.Body, "SECRET") || strings.Contains(shown.Body, "value") {
			t.Errorf("the key is shown: %s", shown.Body)
		}
		key, err = c.SSHKeys.Update(ctx, key.ID, tfe.SSHKeyUpdateOptions{Name: tfe.String("renamed")})
		must(t, err)
		list, err := c.SSHKeys.List(ctx, "acme", nil)
		must(t, err)
		if len(list.Items) != 1 || list.Items[0].Name != "renamed" || list.TotalCount != 1 {
			t.Errorf("list: %+v", list)
		}
		w, err := c.Workspaces.Create(ctx, "acme", tfe.WorkspaceCreateOptions{Name: tfe.String("network")})
		must(t, err)
		w, err = c.Workspaces.AssignSSHKey(ctx, w.ID, tfe.WorkspaceAssignSSHKeyOptions{SSHKeyID: tfe.String(key.ID)})
		must(t, err)
		if w.SSHKey == nil || w.SSHKey.ID != key.ID {
			t.Errorf("assigned: %+v", w.SSHKey)
		}
		w, err = c.Workspaces.UnassignSSHKey(ctx, w.ID)
		must(t, err)
		if w.SSHKey != nil {
			t.Errorf("unassigned: %+v", w.SSHKey)
		}
		_, err = c.Workspaces.AssignSSHKey(ctx, w.ID, tfe.WorkspaceAssignSSHKeyOptions{SSHKeyID: tfe.String(key.ID)})
		must(t, err)
		must(t, c.SSHKeys.Delete(ctx, key.ID))
		w, err = c.Workspaces.ReadByID(ctx, w.ID)
		must(t, err)
		if w.SSHKey != nil {
			t.Errorf("a deleted key is still assigned: %+v", w.SSHKey)
		}
		if _, err := c.SSHKeys.Read(ctx, key.ID); !errors.Is(err, tfe.ErrResourceNotFound) {
			t.Errorf("deleted key: %v", err)
		}
	})
}

func TestSSHKeyAssignmentReadsEveryBodyShape(t *testing.T) {
	each(t, func(t *testing.T, s *server) {
		s.organization("acme")
		s.organization("other")
		newKey := func(organization string) string {
			return s.do("POST", "/organizations/"+organization+"/ssh-keys", s.Token,
				`{"data":{"type":"ssh-keys","attributes":{"name":"k","value":"v"}}}`).want(t, 201).text("data.id")
		}
		mine, theirs := newKey("acme"), newKey("other")
		id := s.workspace("acme", "network")
		for _, c := range []struct {
			body, assigned string
			status         int
		}{
			{`{"data":{"type":"workspaces","attributes":{"id":"` + mine + `"}}}`, mine, 200},
			{`{"data":{"type":"workspaces","attributes":{"id":null}}}`, "", 200},
			{`{"data":{"type":"ssh-keys","id":"` + mine + `"}}`, mine, 200},
			{`{"data":null}`, "", 200},
			{`{"data":{"attributes":{"id":"` + mine + `"}}}`, mine, 200},
			{`{"data":{"type":"workspaces","attributes":{"id":""}}}`, mine, 422},
			{`{"data":{"type":"workspaces","attributes":{"id":null}}}`, "", 200},
			{`{"data":{"type":"workspaces","attributes":{"id":"sshkey-0000000000000000"}}}`, "", 404},
			{`{"data":{"type":"workspaces","attributes":{"id":"` + theirs + `"}}}`, "", 404},
			{`{"data":{"type":"workspaces","attributes":{}}}`, "", 422},
			{`{"data":{"type":"workspaces","id":"` + mine + `"}}`, "", 422},
			{`{"data":{"type":"workspaces","attributes":{"id":7}}}`, "", 422},
			{`{"data":{"type":"teams","attributes":{"id":"` + mine + `"}}}`, "", 422},
			{`{}`, "", 422},
			{`{`, "", 400},
		} {
			answer := s.do("PATCH", "/workspaces/"+id+"/relationships/ssh-key", s.Token, c.body)
			if answer.Status != c.status {
				t.Errorf("%s: status %d, want %d: %s", c.body, answer.Status, c.status, answer.Body)
			}
			shown := s.do("GET", "/workspaces/"+id, s.Token, "").want(t, 200)
			if got := shown.text("data.relationships.ssh-key.data.id"); got != c.assigned {
				t.Errorf("%s: assigned %q, want %q", c.body, got, c.assigned)
			}
		}
	})
}

func TestSSHKeyRefusals(t *testing.T) {
	each(t, func(t *testing.T, s *server) {
		s.organization("acme")
		post := func(body string) reply { return s.do("POST", "/organizations/acme/ssh-keys", s.Token, body) }
		post(`{"data":{"type":"ssh-keys","attributes":{"name":"k","value":"v"}}}`).want(t, 201)
		post(`{"data":{"type":"ssh-keys","attributes":{"name":"k","value":"v"}}}`).want(t, 422)
		both := post(`{"data":{"type":"ssh-keys","attributes":{"name":" "}}}`).want(t, 422)
		if both.text("errors.0.source.pointer") != "/data/attributes/name" || both.text("errors.1.source.pointer") != "/data/attributes/value" {
			t.Errorf("both problems at once: %s", both.Body)
		}
		post(`{"data":{"type":"ssh-keys","attributes":{"name":"`+strings.Repeat("ä", 255)+`","value":"v"}}}`).want(t, 201)
		post(`{"data":{"type":"ssh-keys","attributes":{"name":"`+strings.Repeat("ä", 256)+`","value":"v"}}}`).want(t, 422)
		_, stranger := s.user("stranger")
		s.do("GET", "/organizations/acme/ssh-keys", stranger, "").want(t, 404)
	})
}

func TestAgentPoolLifeThroughGoTFE(t *testing.T) {
	each(t, func(t *testing.T, s *server) {
		ctx, c := context.Background(), s.admin()
		s.organization("acme")
		w, err := c.Workspaces.Create(ctx, "acme", tfe.WorkspaceCreateOptions{Name: tfe.String("network")})
		must(t, err)
		pool, err := c.AgentPools.Create(ctx, "acme", tfe.AgentPoolCreateOptions{Name: tfe.String("builders"), OrganizationScoped: tfe.Bool(false), AllowedWorkspaces: []*tfe.Workspace{w}})
		must(t, err)
		if pool.OrganizationScoped || len(pool.AllowedWorkspaces) != 1 || pool.AllowedWorkspaces[0].ID != w.ID {
			t.Errorf("created %+v", pool)
		}
		pool, err = c.AgentPools.UpdateAllowedWorkspaces(ctx, pool.ID, tfe.AgentPoolAllowedWorkspacesUpdateOptions{AllowedWorkspaces: []*tfe.Workspace{}})
		must(t, err)
		if len(pool.AllowedWorkspaces) != 0 || pool.OrganizationScoped {
			t.Errorf("an empty list clears: %+v", pool)
		}
		pool, err = c.AgentPools.UpdateAllowedProjects(ctx, pool.ID, tfe.AgentPoolAllowedProjectsUpdateOptions{AllowedProjects: []*tfe.Project{w.Project}})
		must(t, err)
		if len(pool.AllowedProjects) != 1 || pool.Name != "builders" {
			t.Errorf("projects: %+v", pool)
		}
		found, err := c.AgentPools.List(ctx, "acme", &tfe.AgentPoolListOptions{AllowedWorkspacesName: "network"})
		must(t, err)
		if len(found.Items) != 1 {
			t.Errorf("filter by a workspace that is served: %+v", found.Items)
		}
		agents, err := c.Agents.List(ctx, pool.ID, nil)
		must(t, err)
		if len(agents.Items) != 0 {
			t.Errorf("agents: %+v", agents.Items)
		}
		token, err := c.AgentTokens.Create(ctx, pool.ID, tfe.AgentTokenCreateOptions{Description: tfe.String("first")})
		must(t, err)
		if token.Token == "" || token.Description != "first" {
			t.Errorf("token: %+v", token)
		}
		tokens, err := c.AgentTokens.List(ctx, pool.ID)
		must(t, err)
		if len(tokens.Items) != 1 || tokens.TotalCount != 1 || tokens.Items[0].Token != "" {
			t.Errorf("tokens: %+v", tokens.Items)
		}
		s.do("GET", "/workspaces/"+w.ID, token.Token, "").want(t, 404)
		must(t, c.AgentTokens.Delete(ctx, token.ID))
		s.do("GET", "/workspaces/"+w.ID, token.Token, "").want(t, 401)
		must(t, c.AgentPools.Delete(ctx, pool.ID))
	})
}

func TestAgentPoolServesByScope(t *testing.T) {
	each(t, func(t *testing.T, s *server) {
		s.organization("acme")
		s.organization("other")
		pool := func(organization, name, rest string) string {
			return s.do("POST", "/organizations/"+organization+"/agent-pools", s.Token,
				fmt.Sprintf(`{"data":{"type":"agent-pools","attributes":{"name":%q,"organization-scoped":%s}}}`, name, rest)).want(t, 201).text("data.id")
		}
		everywhere, nowhere, foreign := pool("acme", "everywhere", "true"), pool("acme", "nowhere", "false"), pool("other", "foreign", "true")
		id := s.workspace("acme", "network")
		project := s.do("GET", "/workspaces/"+id, s.Token, "").text("data.relationships.project.data.id")
		relate := func(pool, name, typ, id string) {
			s.do("PATCH", "/agent-pools/"+pool, s.Token, fmt.Sprintf(`{"data":{"type":"agent-pools","relationships":{%q:{"data":[{"type":%q,"id":%q}]}}}}`, name, typ, id)).want(t, 200)
		}
		choose := func(pool string, status int) {
			t.Helper()
			answer := s.do("PATCH", "/workspaces/"+id, s.Token, fmt.Sprintf(`{"data":{"type":"workspaces","attributes":{"execution-mode":"agent","agent-pool-id":%q}}}`, pool)).want(t, status)
			if status == 422 && answer.text("errors.0.detail") != "The provided agent pool does not exist" {
				t.Errorf("refusal: %s", answer.Body)
			}
			if status == 200 && answer.text("data.relationships.agent-pool.data.id") != pool {
				t.Errorf("chosen: %s", answer.Body)
			}
		}
		choose(everywhere, 200)
		choose(nowhere, 422)
		choose(foreign, 422)
		choose("apool-0000000000000000", 422)
		relate(nowhere, "allowed-workspaces", "workspaces", id)
		choose(nowhere, 200)
		relate(everywhere, "excluded-workspaces", "workspaces", id)
		choose(everywhere, 422)
		byProject := pool("acme", "by-project", "false")
		relate(byProject, "allowed-projects", "projects", project)
		choose(byProject, 200)
		s.do("DELETE", "/agent-pools/"+byProject, s.Token, "").want(t, 422)
		s.do("PATCH", "/agent-pools/"+byProject, s.Token, `{"data":{"type":"agent-pools","relationships":{"allowed-workspaces":{"data":[{"type":"workspaces","id":"ws-0000000000000000"}]}}}}`).want(t, 422)
	})
}

func TestDefaultAgentPools(t *testing.T) {
	each(t, func(t *testing.T, s *server) {
		s.organization("acme")
		id := s.workspace("acme", "network")
		project := s.do("GET", "/workspaces/"+id, s.Token, "").text("data.relationships.project.data.id")
		pool := s.do("POST", "/organizations/acme/agent-pools", s.Token, `{"data":{"type":"agent-pools","attributes":{"name":"builders"}}}`).want(t, 201).text("data.id")
		narrow := s.do("POST", "/organizations/acme/agent-pools", s.Token, `{"data":{"type":"agent-pools","attributes":{"name":"narrow","organization-scoped":false}}}`).want(t, 201).text("data.id")
		byRelation := func(typ, pool string) string {
			return fmt.Sprintf(`{"data":{"type":%q,"attributes":{"default-execution-mode":"agent"},"relationships":{"default-agent-pool":{"data":{"type":"agent-pools","id":%q}}}}}`, typ, pool)
		}
		s.do("PATCH", "/organizations/acme", s.Token, byRelation("organizations", "apool-0000000000000000")).want(t, 422)
		s.do("PATCH", "/organizations/acme", s.Token, byRelation("organizations", narrow)).want(t, 422)
		s.do("PATCH", "/organizations/acme", s.Token, `{"data":{"type":"organizations","attributes":{"default-execution-mode":"agent"}}}`).want(t, 422)
		s.do("PATCH", "/organizations/acme", s.Token, byRelation("organizations", pool)).want(t, 200)
		shown := s.do("GET", "/workspaces/"+id, s.Token, "").want(t, 200)
		if shown.text("data.attributes.execution-mode") != "agent" || shown.text("data.relationships.agent-pool.data.id") != pool {
			t.Errorf("the organization's default is not inherited: %s", shown.Body)
		}
		s.do("PATCH", "/projects/"+project, s.Token, byRelation("projects", narrow)).want(t, 422)
		s.do("PATCH", "/projects/"+project, s.Token, `{"data":{"type":"projects","attributes":{"default-execution-mode":"local"}}}`).want(t, 200)
		shown = s.do("GET", "/workspaces/"+id, s.Token, "").want(t, 200)
		if shown.text("data.attributes.execution-mode") != "local" || shown.at("data.relationships.agent-pool.data") != nil {
			t.Errorf("the project's default is not inherited: %s", shown.Body)
		}
		s.do("PATCH", "/projects/"+project, s.Token, byRelation("projects", pool)).want(t, 200)
		s.do("DELETE", "/agent-pools/"+pool, s.Token, "").want(t, 422)
	})
}
