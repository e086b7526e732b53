package e2e_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/hashicorp/go-tfe"
)

// connect makes a connection to a version-control service and gives the id of its token.
func (s *server) connect(organization string, provider tfe.ServiceProviderType, change ...func(*tfe.OAuthClientCreateOptions)) (client, token string) {
	s.t.Helper()
	options := tfe.OAuthClientCreateOptions{
		Name: tfe.String("code"), APIURL: tfe.String("https://api.example.com"), HTTPURL: tfe.String("https://code.example.com"),
		ServiceProvider: tfe.ServiceProvider(provider), OAuthToken: tfe.String("ghp_secret"),
	}
	for _, c := range change {
		c(&options)
	}
	made, err := s.admin().OAuthClients.Create(context.Background(), organization, options)
	must(s.t, err)
	if len(made.OAuthTokens) != 1 {
		s.t.Fatalf("a connection made with a token has %d tokens", len(made.OAuthTokens))
	}
	return made.ID, made.OAuthTokens[0].ID
}

func TestOAuthClientLifeThroughGoTFE(t *testing.T) {
	each(t, func(t *testing.T, s *server) {
		ctx, c := context.Background(), s.admin()
		s.organization("acme")
		project, err := c.Projects.Create(ctx, "acme", tfe.ProjectCreateOptions{Name: "billing"})
		must(t, err)
		id, tokenID := s.connect("acme", tfe.ServiceProviderGithub, func(o *tfe.OAuthClientCreateOptions) { o.Secret = tfe.String("hush") })
		for _, path := range []string{"/oauth-clients/" + id, "/oauth-tokens/" + tokenID, "/organizations/acme/oauth-clients", "/organizations/acme/oauth-tokens"} {
			if shown := s.do("GET", path, s.Token, "").want(t, 200); strings.Contains(shown.Body, "ghp_secret") || strings.Contains(shown.Body, "hush") {
				t.Errorf("%s shows a secret: %s", path, shown.Body)
			}
		}
		updated, err := c.OAuthClients.Update(ctx, id, tfe.OAuthClientUpdateOptions{Name: tfe.String("renamed"), OrganizationScoped: tfe.Bool(false)})
		must(t, err)
		if *updated.Name != "renamed" || *updated.OrganizationScoped || updated.ServiceProviderName != "GitHub" {
			t.Errorf("updated: %+v", updated)
		}
		must(t, c.OAuthClients.AddProjects(ctx, id, tfe.OAuthClientAddProjectsOptions{Projects: []*tfe.Project{project}}))
		read, err := c.OAuthClients.Read(ctx, id)
		must(t, err)
		if len(read.Projects) != 1 || read.Projects[0].ID != project.ID || len(read.OAuthTokens) != 1 {
			t.Errorf("read: %+v", read)
		}
		must(t, c.OAuthClients.RemoveProjects(ctx, id, tfe.OAuthClientRemoveProjectsOptions{Projects: []*tfe.Project{project}}))
		token, err := c.OAuthTokens.Update(ctx, tokenID, tfe.OAuthTokenUpdateOptions{PrivateSSHKey: tfe.String(privateKey)})
		must(t, err)
		if !token.HasSSHKey || token.OAuthClient.ID != id {
			t.Errorf("token: %+v", token)
		}
		tokens, err := c.OAuthTokens.List(ctx, "acme", nil)
		must(t, err)
		if len(tokens.Items) != 1 {
			t.Errorf("tokens: %+v", tokens.Items)
		}
		pool, err := c.AgentPools.Create(ctx, "acme", tfe.AgentPoolCreateOptions{Name: tfe.String("inside")})
		must(t, err)
		updated, err = c.OAuthClients.Update(ctx, id, tfe.OAuthClientUpdateOptions{AgentPool: pool})
		must(t, err)
		if updated.AgentPool == nil || updated.AgentPool.ID != pool.ID {
			t.Errorf("pool: %+v", updated.AgentPool)
		}
		must(t, c.AgentPools.Delete(ctx, pool.ID))
		read, err = c.OAuthClients.Read(ctx, id)
		must(t, err)
		if read.AgentPool != nil {
			t.Errorf("a deleted pool stays: %+v", read.AgentPool)
		}
		must(t, c.OAuthClients.Delete(ctx, id))
		if _, err := c.OAuthTokens.Read(ctx, tokenID); !errors.Is(err, tfe.ErrResourceNotFound) {
			t.Errorf("the token of a deleted connection: %v", err)
		}
	})
}

func TestOAuthClientRefusals(t *testing.T) {
	each(t, func(t *testing.T, s *server) {
		s.organization("acme")
		for body, pointer := range map[string]string{
			`{"service-provider":"cvs","http-url":"https://a.example","api-url":"https://a.example"}`:                                              "/data/attributes/service-provider",
			`{"service-provider":"bitbucket_server","http-url":"https://a.example","api-url":"https://a.example","key":""}`:                        "/data/attributes/key",
			`{"service-provider":"github","http-url":"","api-url":"https://a.example"}`:                                                            "/data/attributes/http-url",
			`{"service-provider":"github","http-url":"https://a.example","api-url":"ftp://a.example"}`:                                             "/data/attributes/api-url",
			`{"service-provider":"github","http-url":"https://a.example","api-url":"https://a.example","private-key":"k"}`:                         "/data/attributes/private-key",
			`{"service-provider":"github","http-url":"https://a.example","api-url":"https://a.example","name":"` + strings.Repeat("n", 256) + `"}`: "/data/attributes/name",
		} {
			answer := s.do("POST", "/organizations/acme/oauth-clients", s.Token, `{"data":{"type":"oauth-clients","attributes":`+body+`}}`).want(t, 422)
			if answer.text("errors.0.source.pointer") != pointer {
				t.Errorf("%s: %s", body, answer.Body)
			}
		}
		id, _ := s.connect("acme", tfe.ServiceProviderBitbucketDataCenter, func(o *tfe.OAuthClientCreateOptions) { o.Key = tfe.String("belay") })
		s.do("PATCH", "/oauth-clients/"+id, s.Token, `{"data":{"type":"oauth-clients","attributes":{"name":"ours"}}}`).want(t, 200)
		keyless := s.do("PATCH", "/oauth-clients/"+id, s.Token, `{"data":{"type":"oauth-clients","attributes":{"key":""}}}`).want(t, 422)
		if keyless.text("errors.0.detail") != "The Consumer Key for Bitbucket Data Center must be present. Please add a value for `key`." {
			t.Errorf("without a key: %s", keyless.Body)
		}
	})
}

func TestRepositoryThroughGoTFE(t *testing.T) {
	each(t, func(t *testing.T, s *server) {
		ctx, c := context.Background(), s.admin()
		s.organization("acme")
		client, token := s.connect("acme", tfe.ServiceProviderGithub)
		w, err := c.Workspaces.Create(ctx, "acme", tfe.WorkspaceCreateOptions{
			Name: tfe.String("network"), VCSRepo: &tfe.VCSRepoOptions{Identifier: tfe.String("acme/network"), OAuthTokenID: tfe.String(token), Branch: tfe.String("main")},
		})
		must(t, err)
		if r := w.VCSRepo; r == nil || r.Identifier != "acme/network" || r.Branch != "main" || r.ServiceProvider != "github" || r.RepositoryHTTPURL != "https://code.example.com/acme/network" || r.WebhookURL == "" {
			t.Errorf("repository: %+v", r)
		}
		w, err = c.Workspaces.UpdateByID(ctx, w.ID, tfe.WorkspaceUpdateOptions{VCSRepo: &tfe.VCSRepoOptions{Branch: tfe.String("")}})
		must(t, err)
		if r := w.VCSRepo; r.Branch != "" || r.Identifier != "acme/network" || r.OAuthTokenID != token {
			t.Errorf("merged: %+v", r)
		}
		renamed := s.do("PATCH", "/oauth-clients/"+client, s.Token, `{"data":{"type":"oauth-clients","attributes":{"name":"our code"}}}`).want(t, 200)
		if shown := s.do("GET", "/workspaces/"+w.ID, s.Token, ""); shown.text("data.attributes.oauth-client-name") != renamed.text("data.attributes.name") {
			t.Errorf("the name of the connection is stale: %s", shown.text("data.attributes.oauth-client-name"))
		}
		w, err = c.Workspaces.RemoveVCSConnectionByID(ctx, w.ID)
		must(t, err)
		if w.VCSRepo != nil {
			t.Errorf("null removes: %+v", w.VCSRepo)
		}
		_, err = c.Workspaces.UpdateByID(ctx, w.ID, tfe.WorkspaceUpdateOptions{VCSRepo: &tfe.VCSRepoOptions{Identifier: tfe.String("acme/network"), OAuthTokenID: tfe.String(token)}})
		must(t, err)
		must(t, c.OAuthTokens.Delete(ctx, token))
		w, err = c.Workspaces.ReadByID(ctx, w.ID)
		must(t, err)
		if w.VCSRepo != nil {
			t.Errorf("a deleted token still connects: %+v", w.VCSRepo)
		}
	})
}

func TestRepositoryRules(t *testing.T) {
	each(t, func(t *testing.T, s *server) {
		s.organization("acme")
		s.organization("other")
		_, token := s.connect("acme", tfe.ServiceProviderGithub)
		_, azure := s.connect("acme", tfe.ServiceProviderAzureDevOpsServices)
		_, foreign := s.connect("other", tfe.ServiceProviderGithub)
		_, narrow := s.connect("acme", tfe.ServiceProviderGithub, func(o *tfe.OAuthClientCreateOptions) { o.OrganizationScoped = tfe.Bool(false) })
		id := s.workspace("acme", "network")
		patch := func(repo string, status int) reply {
			t.Helper()
			return s.do("PATCH", "/workspaces/"+id, s.Token, `{"data":{"type":"workspaces","attributes":{"vcs-repo":`+repo+`}}}`).want(t, status)
		}
		patch(`{}`, 422)
		patch(`{"identifier":"a/b"}`, 422)
		patch(`"a/b"`, 422)
		patch(fmt.Sprintf(`{"oauth-token-id":%q}`, token), 422)
		patch(fmt.Sprintf(`{"oauth-token-id":%q,"identifier":"nothing"}`, token), 422)
		patch(`{"oauth-token-id":"ot-0000000000000000","identifier":"a/b"}`, 422)
		patch(fmt.Sprintf(`{"oauth-token-id":%q,"identifier":"a/b"}`, foreign), 422)
		patch(fmt.Sprintf(`{"oauth-token-id":%q,"identifier":"a/b"}`, narrow), 422)
		patch(fmt.Sprintf(`{"oauth-token-id":%q,"vcs-app-installation-id":"ghain-1","identifier":"a/b"}`, token), 422)
		patch(`{"vcs-app-installation-id":"ghain-1","github-app-installation-id":"ghain-2","identifier":"a/b"}`, 422)
		patch(fmt.Sprintf(`{"oauth-token-id":%q,"identifier":"a/b","tags-regex":"("}`, token), 422)
		patch(fmt.Sprintf(`{"oauth-token-id":%q,"identifier":"a/b"}`, azure), 422)
		patch(fmt.Sprintf(`{"oauth-token-id":%q,"identifier":"a/p/_git/b"}`, azure), 200)
		patch(`{"identifier":"a/b"}`, 422)
		patch(fmt.Sprintf(`{"oauth-token-id":%q,"identifier":"a/b","webhook-url":"https://evil.example","service-provider":"x"}`, token), 200)
		before := s.do("GET", "/workspaces/"+id, s.Token, "")
		after := patch(`{}`, 200)
		if fmt.Sprint(before.at("data.attributes.vcs-repo")) != fmt.Sprint(after.at("data.attributes.vcs-repo")) {
			t.Errorf("an empty object changed the repository: %s", after.Body)
		}
		for _, name := range []string{"vcs-app-installation-id", "github-app-installation-id"} {
			got := patch(fmt.Sprintf(`{%q:"ghain-1"}`, name), 422)
			if got.text("errors.0.source.pointer") != "/data/attributes/vcs-repo/vcs-app-installation-id" {
				t.Errorf("an invented installation: %s", got.Body)
			}
		}
		made := s.do("POST", "/organizations/acme/workspaces", s.Token,
			`{"data":{"type":"workspaces","attributes":{"name":"other","vcs-repo":{"vcs-app-installation-id":"ghain-1","identifier":"a/b"}}}}`)
		if made.Status != 422 {
			t.Errorf("a workspace made with an invented installation: %d %s", made.Status, made.Body)
		}
		kept := s.do("GET", "/workspaces/"+id, s.Token, "")
		if kept.at("data.attributes.vcs-repo.vcs-app-installation-id") != nil || kept.text("data.attributes.vcs-repo.oauth-token-id") != token {
			t.Errorf("what was refused is kept: %s", kept.Body)
		}
		patch(`null`, 200)
	})
}
