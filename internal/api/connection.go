package api

import (
	"time"

	"github.com/belayhq/belay"
	"github.com/belayhq/belay/internal/jsonapi"
	"github.com/belayhq/belay/internal/openapi"
	"github.com/belayhq/belay/internal/patch"
)

type clientPatch = belay.OAuthClientPatch

// clientAttributes is the attributes of a connection to a version-control service. Its
// secrets are never shown. The way in through a browser is not served: the paths for it
// are null, and the token comes with the body.
var clientAttributes = attributes[belay.OAuthClient, clientPatch]{
	{name: "created-at", show: value(func(c *belay.OAuthClient) time.Time { return c.CreatedAt })},
	{name: "updated-at", show: value(func(c *belay.OAuthClient) time.Time { return c.UpdatedAt })},
	{name: "affected-workspaces-count", show: value(func(c *belay.OAuthClient) int { return c.WorkspaceCount })},
	{name: "name", show: maybe(func(c *belay.OAuthClient) string { return c.Name }), write: nullable(func(p *clientPatch) *patch.Field[string] { return &p.Name })},
	{name: "service-provider", show: value(func(c *belay.OAuthClient) string { return c.ServiceProvider }), write: lenient(func(p *clientPatch) *patch.Field[string] { return &p.ServiceProvider })},
	{name: "service-provider-display-name", show: value(func(c *belay.OAuthClient) string { return c.ServiceName() })},
	{name: "http-url", show: value(func(c *belay.OAuthClient) string { return c.HTTPURL }), write: lenient(func(p *clientPatch) *patch.Field[string] { return &p.HTTPURL })},
	{name: "api-url", show: value(func(c *belay.OAuthClient) string { return c.APIURL }), write: lenient(func(p *clientPatch) *patch.Field[string] { return &p.APIURL })},
	{name: "github-app-installation-id", show: maybe(func(c *belay.OAuthClient) string { return c.AppInstallationID }), write: nullable(func(p *clientPatch) *patch.Field[string] { return &p.AppInstallationID })},
	{name: "key", show: maybe(func(c *belay.OAuthClient) string { return c.Key }), write: nullable(func(p *clientPatch) *patch.Field[string] { return &p.Key })},
	{name: "secret", show: none[belay.OAuthClient, string](), write: nullable(func(p *clientPatch) *patch.Field[string] { return &p.Secret })},
	{name: "private-key", write: nullable(func(p *clientPatch) *patch.Field[string] { return &p.PrivateKey })},
	{name: "rsa-public-key", show: maybe(func(c *belay.OAuthClient) string { return c.RSAPublicKey }), write: nullable(func(p *clientPatch) *patch.Field[string] { return &p.RSAPublicKey })},
	{name: "oauth-token-string", write: lenient(func(p *clientPatch) *patch.Field[string] { return &p.TokenString })},
	{name: "organization-scoped", show: value(func(c *belay.OAuthClient) bool { return c.OrganizationScoped }), write: lenient(func(p *clientPatch) *patch.Field[bool] { return &p.OrganizationScoped })},
	{name: "callback-url", show: none[belay.OAuthClient, string]()},
	{name: "connect-path", show: none[belay.OAuthClient, string]()},
}

var oauthClients = &noun[belay.OAuthClient, clientPatch]{
	typ:        "oauth-clients",
	id:         func(c *belay.OAuthClient) string { return c.ID },
	path:       func(c *belay.OAuthClient) string { return "/api/v2/oauth-clients/" + c.ID },
	attributes: clientAttributes,
	relations: []relation[belay.OAuthClient, clientPatch]{
		ofOrganization[belay.OAuthClient, clientPatch](func(c *belay.OAuthClient) string { return c.Organization.Name }),
		toMany[belay.OAuthClient, clientPatch]("oauth-tokens", "oauth-tokens", "/oauth-tokens", func(c *belay.OAuthClient) []string { return c.TokenIDs }),
		toMany[belay.OAuthClient, clientPatch]("projects", "projects", "", func(c *belay.OAuthClient) []string { return c.ProjectIDs }).
			taking(openapi.List(bodyRef("projects")), func(_ *request, in *jsonapi.Incoming, p *clientPatch) error {
				return relatedIDs(in, &p.Projects, "projects", "projects")
			}),
		to[belay.OAuthClient, clientPatch]("agent-pool", "agent-pools", func(c *belay.OAuthClient) string { return c.AgentPoolID }).
			taking(ref("agent-pools"), func(_ *request, in *jsonapi.Incoming, p *clientPatch) error {
				pool, given, err := relatedRef(in, "agent-pool", "agent-pools")
				if given && err == nil {
					p.AgentPoolID = patch.Of(pool.ID)
				}
				return err
			}),
	},
}

func (a *API) createOAuthClient(r *request, p clientPatch) (belay.OAuthClient, error) {
	return a.App.CreateOAuthClient(r.Context(), r.subject, r.param("organization_name"), p)
}

// createLooseOAuthClient is the form of create where the organization is a relationship.
func (a *API) createLooseOAuthClient(r *request, p clientPatch) (belay.OAuthClient, error) {
	in, err := r.resource("oauth-clients")
	if err != nil {
		return belay.OAuthClient{}, err
	}
	o, err := r.relatedOne(in, "organization")
	if err != nil {
		return belay.OAuthClient{}, err
	}
	if o == "" {
		return belay.OAuthClient{}, new(belay.OAuthClient).Apply(p, nil, true)
	}
	return a.App.CreateOAuthClient(r.Context(), r.subject, o, p)
}

func (a *API) listOAuthClients(r *request) ([]belay.OAuthClient, int, error) {
	return a.App.OAuthClients(r.Context(), r.subject, r.param("organization_name"), r.page())
}

func (a *API) showOAuthClient(r *request) (belay.OAuthClient, error) {
	return a.App.OAuthClient(r.Context(), r.subject, r.param("oauth_client_id"))
}

func (a *API) updateOAuthClient(r *request, p clientPatch) (belay.OAuthClient, error) {
	return a.App.UpdateOAuthClient(r.Context(), r.subject, r.param("oauth_client_id"), p)
}

func (a *API) deleteOAuthClient(r *request) error {
	return a.App.DeleteOAuthClient(r.Context(), r.subject, r.param("oauth_client_id"))
}

func (a *API) addClientProjects(r *request, ids []string) error {
	return a.App.ChangeClientProjects(r.Context(), r.subject, r.param("oauth_client_id"), ids, true)
}

func (a *API) removeClientProjects(r *request, ids []string) error {
	return a.App.ChangeClientProjects(r.Context(), r.subject, r.param("oauth_client_id"), ids, false)
}

type oauthTokenPatch struct{ SSHKey patch.Field[string] }

var oauthTokenAttributes = attributes[belay.OAuthToken, oauthTokenPatch]{
	{name: "uid", show: none[belay.OAuthToken, string]()}, // the service's id of a user: a token that was typed in has none
	{name: "created-at", show: value(func(t *belay.OAuthToken) time.Time { return t.CreatedAt })},
	{name: "service-provider-user", show: maybe(func(t *belay.OAuthToken) string { return t.ServiceProviderUser })},
	{name: "has-ssh-key", show: value(func(t *belay.OAuthToken) bool { return t.SealedSSHKey != "" })},
	{name: "ssh-key", write: nullable(func(p *oauthTokenPatch) *patch.Field[string] { return &p.SSHKey })},
}

var oauthTokens = &noun[belay.OAuthToken, oauthTokenPatch]{
	typ:        "oauth-tokens",
	schema:     "OAuthToken",
	id:         func(t *belay.OAuthToken) string { return t.ID },
	path:       func(t *belay.OAuthToken) string { return "/api/v2/oauth-tokens/" + t.ID },
	attributes: oauthTokenAttributes,
	relations: []relation[belay.OAuthToken, oauthTokenPatch]{
		to[belay.OAuthToken, oauthTokenPatch]("oauth-client", "oauth-clients", func(t *belay.OAuthToken) string { return t.ClientID }),
	},
}

func (a *API) listOAuthTokens(r *request) ([]belay.OAuthToken, int, error) {
	return a.App.OAuthTokens(r.Context(), r.subject, r.param("organization_name"), r.page())
}

func (a *API) listClientTokens(r *request) ([]belay.OAuthToken, int, error) {
	return a.App.ClientTokens(r.Context(), r.subject, r.param("oauth_client_id"), r.page())
}

func (a *API) showOAuthToken(r *request) (belay.OAuthToken, error) {
	return a.App.OAuthToken(r.Context(), r.subject, r.param("oauth_token_id"))
}

// repositories is what would stand in a list of repositories.
var repositories = &noun[struct{}, struct{}]{typ: "authorized-repos", id: func(*struct{}) string { return "" }}

// listAuthorizedRepos lists nothing: the service behind a token is never asked.
func (a *API) listAuthorizedRepos(r *request) ([]struct{}, int, error) {
	_, err := a.App.OAuthToken(r.Context(), r.subject, r.param("oauth_token_id"))
	return nil, 0, err
}

func (a *API) updateOAuthToken(r *request, p oauthTokenPatch) (belay.OAuthToken, error) {
	return a.App.SetOAuthTokenKey(r.Context(), r.subject, r.param("oauth_token_id"), p.SSHKey.Set, p.SSHKey.Value)
}

func (a *API) deleteOAuthToken(r *request) error {
	return a.App.DeleteOAuthToken(r.Context(), r.subject, r.param("oauth_token_id"))
}
