package api

import (
	"github.com/belayhq/belay"
	"github.com/belayhq/belay/internal/jsonapi"
	"github.com/belayhq/belay/internal/patch"
)

type clientPatch = belay.OAuthClientPatch

// clientAttributes is the attributes of a connection to a version-control service. Its
// secrets are never shown. The way in through a browser is not served: the paths for it
// are null, and the token comes with the body.
var clientAttributes = attributes[belay.OAuthClient, clientPatch]{
	{name: "created-at", read: func(c *belay.OAuthClient) any { return c.CreatedAt }},
	{name: "name", read: func(c *belay.OAuthClient) any { return orNull(c.Name) }, write: nullable(func(p *clientPatch) *patch.Field[string] { return &p.Name })},
	{name: "service-provider", read: func(c *belay.OAuthClient) any { return c.ServiceProvider }, write: lenient(func(p *clientPatch) *patch.Field[string] { return &p.ServiceProvider })},
	{name: "service-provider-display-name", read: func(c *belay.OAuthClient) any { return c.ServiceName() }},
	{name: "http-url", read: func(c *belay.OAuthClient) any { return c.HTTPURL }, write: lenient(func(p *clientPatch) *patch.Field[string] { return &p.HTTPURL })},
	{name: "api-url", read: func(c *belay.OAuthClient) any { return c.APIURL }, write: lenient(func(p *clientPatch) *patch.Field[string] { return &p.APIURL })},
	{name: "key", read: func(c *belay.OAuthClient) any { return orNull(c.Key) }, write: nullable(func(p *clientPatch) *patch.Field[string] { return &p.Key })},
	{name: "secret", read: func(*belay.OAuthClient) any { return nil }, write: nullable(func(p *clientPatch) *patch.Field[string] { return &p.Secret })},
	{name: "private-key", write: nullable(func(p *clientPatch) *patch.Field[string] { return &p.PrivateKey })},
	{name: "rsa-public-key", read: func(c *belay.OAuthClient) any { return orNull(c.RSAPublicKey) }, write: nullable(func(p *clientPatch) *patch.Field[string] { return &p.RSAPublicKey })},
	{name: "oauth-token-string", write: lenient(func(p *clientPatch) *patch.Field[string] { return &p.TokenString })},
	{name: "organization-scoped", read: func(c *belay.OAuthClient) any { return c.OrganizationScoped }, write: lenient(func(p *clientPatch) *patch.Field[bool] { return &p.OrganizationScoped })},
	{name: "callback-url", read: func(*belay.OAuthClient) any { return nil }},
	{name: "connect-path", read: func(*belay.OAuthClient) any { return nil }},
}

func (a *API) oauthClient(c belay.OAuthClient) *jsonapi.Resource {
	self := "/api/v2/oauth-clients/" + c.ID
	return &jsonapi.Resource{
		Type: "oauth-clients", ID: c.ID,
		Attributes: clientAttributes.object(&c, a.App.Edition()),
		Relationships: []jsonapi.Relation{
			organizationLink(c.Organization.Name),
			{Name: "oauth-tokens", Data: jsonapi.Many("oauth-tokens", c.TokenIDs), Related: self + "/oauth-tokens"},
			{Name: "projects", Data: jsonapi.Many("projects", c.ProjectIDs)},
			linked("agent-pool", "agent-pools", c.AgentPoolID),
		},
		Links: jsonapi.Object{{Name: "self", Value: self}},
	}
}

func (r *request) clientPatch() (p clientPatch, err error) {
	in, err := r.resource("oauth-clients")
	if err != nil {
		return p, err
	}
	var problems belay.Problems
	if err := problems.Add(clientAttributes.decode(in, &p, r.api.App.Edition())); err != nil {
		return p, err
	}
	if err := problems.Add(relatedIDs(in, "projects", "projects", &p.Projects)); err != nil {
		return p, err
	}
	pool, given, err := relatedRef(in, "agent-pool", "agent-pools")
	if err := problems.Add(err); err != nil {
		return p, err
	}
	if given {
		p.AgentPoolID = patch.Of(pool.ID)
	}
	return p, problems.Err()
}

func (a *API) createOAuthClient(r *request) (*jsonapi.Document, error) {
	p, err := r.clientPatch()
	if err != nil {
		return nil, err
	}
	c, err := a.App.CreateOAuthClient(r.Context(), r.subject, r.param("organization_name"), p)
	return a.clientAnswer(r, c, err)
}

func (a *API) listOAuthClients(r *request) (*jsonapi.Document, error) {
	list, total, err := a.App.OAuthClients(r.Context(), r.subject, r.param("organization_name"), r.page())
	if err != nil {
		return nil, err
	}
	return r.withClients(r.list(each(list, a.oauthClient), total), list...)
}

func (a *API) showOAuthClient(r *request) (*jsonapi.Document, error) {
	c, err := a.App.OAuthClient(r.Context(), r.subject, r.param("oauth_client_id"))
	return a.clientAnswer(r, c, err)
}

func (a *API) updateOAuthClient(r *request) (*jsonapi.Document, error) {
	p, err := r.clientPatch()
	if err != nil {
		return nil, err
	}
	c, err := a.App.UpdateOAuthClient(r.Context(), r.subject, r.param("oauth_client_id"), p)
	return a.clientAnswer(r, c, err)
}

func (a *API) deleteOAuthClient(r *request) (*jsonapi.Document, error) {
	return nil, a.App.DeleteOAuthClient(r.Context(), r.subject, r.param("oauth_client_id"))
}

func (a *API) addClientProjects(r *request) (*jsonapi.Document, error) {
	ids, err := r.identifiers("projects")
	if err != nil {
		return nil, err
	}
	return nil, a.App.ChangeClientProjects(r.Context(), r.subject, r.param("oauth_client_id"), ids, true)
}

func (a *API) removeClientProjects(r *request) (*jsonapi.Document, error) {
	ids, err := r.identifiers("projects")
	if err != nil {
		return nil, err
	}
	return nil, a.App.ChangeClientProjects(r.Context(), r.subject, r.param("oauth_client_id"), ids, false)
}

func (a *API) clientAnswer(r *request, c belay.OAuthClient, err error) (*jsonapi.Document, error) {
	if err != nil {
		return nil, err
	}
	return r.withClients(one(a.oauthClient(c)), c)
}

type oauthTokenPatch struct{ SSHKey patch.Field[string] }

var oauthTokenAttributes = attributes[belay.OAuthToken, oauthTokenPatch]{
	{name: "uid", read: func(t *belay.OAuthToken) any { return t.ID }},
	{name: "created-at", read: func(t *belay.OAuthToken) any { return t.CreatedAt }},
	{name: "service-provider-user", read: func(t *belay.OAuthToken) any { return orNull(t.ServiceProviderUser) }},
	{name: "has-ssh-key", read: func(t *belay.OAuthToken) any { return t.SealedSSHKey != "" }},
	{name: "ssh-key", write: nullable(func(p *oauthTokenPatch) *patch.Field[string] { return &p.SSHKey })},
}

func (a *API) oauthToken(t belay.OAuthToken) *jsonapi.Resource {
	return &jsonapi.Resource{
		Type: "oauth-tokens", ID: t.ID,
		Attributes:    oauthTokenAttributes.object(&t, a.App.Edition()),
		Relationships: []jsonapi.Relation{linked("oauth-client", "oauth-clients", t.ClientID)},
		Links:         jsonapi.Object{{Name: "self", Value: "/api/v2/oauth-tokens/" + t.ID}},
	}
}

func (a *API) listOAuthTokens(r *request) (*jsonapi.Document, error) {
	list, total, err := a.App.OAuthTokens(r.Context(), r.subject, r.param("organization_name"), r.page())
	if err != nil {
		return nil, err
	}
	return r.list(each(list, a.oauthToken), total), nil
}

func (a *API) listClientTokens(r *request) (*jsonapi.Document, error) {
	list, total, err := a.App.ClientTokens(r.Context(), r.subject, r.param("oauth_client_id"), r.page())
	if err != nil {
		return nil, err
	}
	return r.list(each(list, a.oauthToken), total), nil
}

func (a *API) showOAuthToken(r *request) (*jsonapi.Document, error) {
	t, err := a.App.OAuthToken(r.Context(), r.subject, r.param("oauth_token_id"))
	return a.oauthTokenAnswer(t, err)
}

func (a *API) updateOAuthToken(r *request) (*jsonapi.Document, error) {
	in, err := r.resource("oauth-tokens")
	if err != nil {
		return nil, err
	}
	var p oauthTokenPatch
	if err := oauthTokenAttributes.decode(in, &p, a.App.Edition()); err != nil {
		return nil, err
	}
	t, err := a.App.SetOAuthTokenKey(r.Context(), r.subject, r.param("oauth_token_id"), p.SSHKey.Set, p.SSHKey.Value)
	return a.oauthTokenAnswer(t, err)
}

func (a *API) deleteOAuthToken(r *request) (*jsonapi.Document, error) {
	return nil, a.App.DeleteOAuthToken(r.Context(), r.subject, r.param("oauth_token_id"))
}

func (a *API) oauthTokenAnswer(t belay.OAuthToken, err error) (*jsonapi.Document, error) {
	if err != nil {
		return nil, err
	}
	return one(a.oauthToken(t)), nil
}
