package organizations

import (
	"net/http"
	"time"

	"github.com/belayhq/belay"
	"github.com/belayhq/belay/forge"
	"github.com/belayhq/belay/internal/api/doc"
	"github.com/belayhq/belay/internal/api/door"
	"github.com/belayhq/belay/internal/api/paths"
	"github.com/belayhq/belay/internal/api/workspaces"
	"github.com/belayhq/belay/internal/app"
	"github.com/belayhq/belay/internal/jsonapi"
	"github.com/belayhq/belay/internal/openapi"
	"github.com/belayhq/belay/internal/patch"
)

type clientPatch = forge.OAuthClientPatch

// ClientAttributes is the attributes of a connection to a version-control service. Its
// secrets are never shown. The way in through a browser is not served: the paths for it
// are null, and the token comes with the body.
var ClientAttributes = doc.Attributes[forge.OAuthClient, clientPatch]{
	{Name: "created-at", Show: doc.Value(func(c *forge.OAuthClient) time.Time { return c.CreatedAt })},
	{Name: "updated-at", Show: doc.Value(func(c *forge.OAuthClient) time.Time { return c.UpdatedAt })},
	{Name: "affected-workspaces-count", Show: doc.Value(func(c *forge.OAuthClient) int { return c.WorkspaceCount })},
	{Name: "name", Show: doc.Maybe(func(c *forge.OAuthClient) string { return c.Name }), Write: doc.Nullable(func(p *clientPatch) *patch.Field[string] { return &p.Name })},
	{Name: "service-provider", Show: doc.Value(func(c *forge.OAuthClient) string { return c.ServiceProvider }), Write: doc.Lenient(func(p *clientPatch) *patch.Field[string] { return &p.ServiceProvider })},
	{Name: "service-provider-display-name", Show: doc.Value(func(c *forge.OAuthClient) string { return c.ServiceName() })},
	{Name: "http-url", Show: doc.Value(func(c *forge.OAuthClient) string { return c.HTTPURL }), Write: doc.Lenient(func(p *clientPatch) *patch.Field[string] { return &p.HTTPURL })},
	{Name: "api-url", Show: doc.Value(func(c *forge.OAuthClient) string { return c.APIURL }), Write: doc.Lenient(func(p *clientPatch) *patch.Field[string] { return &p.APIURL })},
	{Name: "github-app-installation-id", Show: doc.Maybe(func(c *forge.OAuthClient) string { return c.AppInstallationID }), Write: doc.Nullable(func(p *clientPatch) *patch.Field[string] { return &p.AppInstallationID })},
	{Name: "key", Show: doc.Maybe(func(c *forge.OAuthClient) string { return c.Key }), Write: doc.Nullable(func(p *clientPatch) *patch.Field[string] { return &p.Key })},
	{Name: "secret", Show: doc.None[forge.OAuthClient, string](), Write: doc.Nullable(func(p *clientPatch) *patch.Field[string] { return &p.Secret })},
	{Name: "private-key", Write: doc.Nullable(func(p *clientPatch) *patch.Field[string] { return &p.PrivateKey })},
	{Name: "rsa-public-key", Show: doc.Maybe(func(c *forge.OAuthClient) string { return c.RSAPublicKey }), Write: doc.Nullable(func(p *clientPatch) *patch.Field[string] { return &p.RSAPublicKey })},
	{Name: "oauth-token-string", Write: doc.Lenient(func(p *clientPatch) *patch.Field[string] { return &p.TokenString })},
	{Name: "organization-scoped", Show: doc.Value(func(c *forge.OAuthClient) bool { return c.OrganizationScoped }), Write: doc.Lenient(func(p *clientPatch) *patch.Field[bool] { return &p.OrganizationScoped })},
	{Name: "callback-url", Show: doc.None[forge.OAuthClient, string]()},
	{Name: "connect-path", Show: doc.None[forge.OAuthClient, string]()},
}

var oauthClients = &doc.Noun[forge.OAuthClient, clientPatch]{
	Type:       "oauth-clients",
	ID:         func(c *forge.OAuthClient) string { return c.ID },
	Path:       func(c *forge.OAuthClient) string { return "/api/v2/oauth-clients/" + c.ID },
	Attributes: ClientAttributes,
	Relations: []doc.Relation[forge.OAuthClient, clientPatch]{
		paths.OfOrganization[forge.OAuthClient, clientPatch](func(c *forge.OAuthClient) string { return c.Organization.Name }),
		doc.ToMany[forge.OAuthClient, clientPatch]("oauth-tokens", "oauth-tokens", "/oauth-tokens", func(c *forge.OAuthClient) []string { return c.TokenIDs }),
		doc.ToMany[forge.OAuthClient, clientPatch]("projects", "projects", "", func(c *forge.OAuthClient) []string { return c.ProjectIDs }).
			Taking(openapi.List(doc.BodyRef("projects")), func(_ doc.Reading, in *jsonapi.Incoming, p *clientPatch) error {
				return doc.RelatedIDs(in, &p.Projects, "projects", "projects")
			}),
		doc.To[forge.OAuthClient, clientPatch]("agent-pool", "agent-pools", func(c *forge.OAuthClient) string { return c.AgentPoolID }).
			Taking(doc.Ref("agent-pools"), func(_ doc.Reading, in *jsonapi.Incoming, p *clientPatch) error {
				pool, given, err := doc.RelatedRef(in, "agent-pool", "agent-pools")
				if given && err == nil {
					p.AgentPoolID = patch.Of(pool.ID)
				}
				return err
			}),
	},
}

var _ = routes.Join(func(a *Verbs) []door.Route {
	return []door.Route{
		{Method: http.MethodGet, Path: paths.Organization + "/oauth-clients", Status: http.StatusOK, Do: door.Listing(oauthClients, a.listOAuthClients, a.withClients()), Needs: belay.ManageVCS, Does: "List the connections"},
		{Method: http.MethodPost, Path: paths.V2 + "/oauth-clients", Status: http.StatusCreated, Do: door.Writing(oauthClients, a.createLooseOAuthClient, a.withClients()), Refuses: []belay.Kind{belay.Forbidden}, Needs: belay.ManageVCS, Does: "Make a connection (the organization in the body)"},
		{Method: http.MethodPost, Path: paths.Organization + "/oauth-clients", Status: http.StatusCreated, Do: door.Writing(oauthClients, a.createOAuthClient, a.withClients()), Refuses: []belay.Kind{belay.Forbidden}, Needs: belay.ManageVCS, Does: "Make a connection"},
		{Method: http.MethodGet, Path: paths.OAuthClient, Status: http.StatusOK, Do: door.Showing(oauthClients, a.showOAuthClient, a.withClients()), Needs: belay.ManageVCS, Does: "See a connection"},
		{Method: http.MethodPatch, Path: paths.OAuthClient, Status: http.StatusOK, Do: door.Writing(oauthClients, a.updateOAuthClient, a.withClients()), Needs: belay.ManageVCS, Does: "Change a connection"},
		{Method: http.MethodDelete, Path: paths.OAuthClient, Status: http.StatusNoContent, Do: door.Doing(a.deleteOAuthClient), Needs: belay.ManageVCS, Does: "Delete a connection"},
		{Method: http.MethodGet, Path: paths.OAuthClient + "/oauth-tokens", Status: http.StatusOK, Do: door.Listing(OAuthTokens, a.listClientTokens), Needs: belay.ManageVCS, Does: "List the tokens of a connection"},
		{Method: http.MethodPost, Path: paths.OAuthClient + "/relationships/projects", Status: http.StatusNoContent, Do: door.Naming("projects", a.addClientProjects), Needs: belay.ManageVCS, Does: "Offer a connection to a project"},
		{Method: http.MethodDelete, Path: paths.OAuthClient + "/relationships/projects", Status: http.StatusNoContent, Do: door.Naming("projects", a.removeClientProjects), Needs: belay.ManageVCS, Does: "Take a connection from a project"},
		{Method: http.MethodGet, Path: paths.Organization + "/oauth-tokens", Status: http.StatusOK, Do: door.Listing(OAuthTokens, a.listOAuthTokens), Needs: belay.ManageVCS, Does: "List the tokens of all connections"},
		{Method: http.MethodGet, Path: paths.OAuthToken, Status: http.StatusOK, Do: door.Showing(OAuthTokens, a.showOAuthToken), Needs: belay.ManageVCS, Does: "See the token of a connection"},
		{Method: http.MethodGet, Path: paths.OAuthToken + "/authorized-repos", Status: http.StatusOK, Do: door.Listing(repositories, a.listAuthorizedRepos), Needs: belay.ManageVCS, Does: "List the repositories behind a connection's token"},
		{Method: http.MethodPatch, Path: paths.OAuthToken, Status: http.StatusOK, Do: door.Writing(OAuthTokens, a.updateOAuthToken), Needs: belay.ManageVCS, Does: "Change the SSH key of a connection's token"},
		{Method: http.MethodDelete, Path: paths.OAuthToken, Status: http.StatusNoContent, Do: door.Doing(a.deleteOAuthToken), Needs: belay.ManageVCS, Does: "Delete the token of a connection"},
	}
})

func (a *Verbs) createOAuthClient(r *door.Request, p clientPatch) (forge.OAuthClient, error) {
	return a.App.CreateOAuthClient(r.Context(), r.Principal, r.Param("organization_name"), p)
}

// createLooseOAuthClient is the form of create where the organization is a relationship.
func (a *Verbs) createLooseOAuthClient(r *door.Request, p clientPatch) (forge.OAuthClient, error) {
	in, err := r.Resource("oauth-clients")
	if err != nil {
		return forge.OAuthClient{}, err
	}
	o, err := r.RelatedOne(in, "organization")
	if err != nil {
		return forge.OAuthClient{}, err
	}
	if o == "" {
		return forge.OAuthClient{}, new(forge.OAuthClient).Apply(p, nil, true)
	}
	return a.App.CreateOAuthClient(r.Context(), r.Principal, o, p)
}

func (a *Verbs) listOAuthClients(r *door.Request) ([]forge.OAuthClient, int, error) {
	return a.App.OAuthClients(r.Context(), r.Principal, r.Param("organization_name"), r.Page())
}

func (a *Verbs) showOAuthClient(r *door.Request) (forge.OAuthClient, error) {
	return a.App.OAuthClient(r.Context(), r.Principal, r.Param("oauth_client_id"))
}

func (a *Verbs) updateOAuthClient(r *door.Request, p clientPatch) (forge.OAuthClient, error) {
	return a.App.UpdateOAuthClient(r.Context(), r.Principal, r.Param("oauth_client_id"), p)
}

func (a *Verbs) deleteOAuthClient(r *door.Request) error {
	return a.App.DeleteOAuthClient(r.Context(), r.Principal, r.Param("oauth_client_id"))
}

func (a *Verbs) addClientProjects(r *door.Request, ids []string) error {
	return a.App.ChangeClientProjects(r.Context(), r.Principal, r.Param("oauth_client_id"), ids, true)
}

func (a *Verbs) removeClientProjects(r *door.Request, ids []string) error {
	return a.App.ChangeClientProjects(r.Context(), r.Principal, r.Param("oauth_client_id"), ids, false)
}

type oauthTokenPatch struct{ SSHKey patch.Field[string] }

// OAuthTokenAttributes is every attribute of the token of a connection.
var OAuthTokenAttributes = doc.Attributes[forge.OAuthToken, oauthTokenPatch]{
	{Name: "uid", Show: doc.None[forge.OAuthToken, string]()}, // the service's id of a user: a token that was typed in has none
	{Name: "created-at", Show: doc.Value(func(t *forge.OAuthToken) time.Time { return t.CreatedAt })},
	{Name: "service-provider-user", Show: doc.Maybe(func(t *forge.OAuthToken) string { return t.ServiceProviderUser })},
	{Name: "has-ssh-key", Show: doc.Value(func(t *forge.OAuthToken) bool { return t.SealedSSHKey != "" })},
	{Name: "ssh-key", Write: doc.Nullable(func(p *oauthTokenPatch) *patch.Field[string] { return &p.SSHKey })},
}

// OAuthTokens is the tokens of connections.
var OAuthTokens = &doc.Noun[forge.OAuthToken, oauthTokenPatch]{
	Type:       "oauth-tokens",
	Schema:     "OAuthToken",
	ID:         func(t *forge.OAuthToken) string { return t.ID },
	Path:       func(t *forge.OAuthToken) string { return "/api/v2/oauth-tokens/" + t.ID },
	Attributes: OAuthTokenAttributes,
	Relations: []doc.Relation[forge.OAuthToken, oauthTokenPatch]{
		doc.To[forge.OAuthToken, oauthTokenPatch]("oauth-client", "oauth-clients", func(t *forge.OAuthToken) string { return t.ClientID }),
	},
}

func (a *Verbs) listOAuthTokens(r *door.Request) ([]forge.OAuthToken, int, error) {
	return a.App.OAuthTokens(r.Context(), r.Principal, r.Param("organization_name"), r.Page())
}

func (a *Verbs) listClientTokens(r *door.Request) ([]forge.OAuthToken, int, error) {
	return a.App.ClientTokens(r.Context(), r.Principal, r.Param("oauth_client_id"), r.Page())
}

func (a *Verbs) showOAuthToken(r *door.Request) (forge.OAuthToken, error) {
	return a.App.OAuthToken(r.Context(), r.Principal, r.Param("oauth_token_id"))
}

// repositories is what would stand in a list of repositories.
var repositories = &doc.Noun[struct{}, struct{}]{Type: "authorized-repos", ID: func(*struct{}) string { return "" }}

// listAuthorizedRepos lists nothing: the service behind a token is never asked.
func (a *Verbs) listAuthorizedRepos(r *door.Request) ([]struct{}, int, error) {
	_, err := a.App.OAuthToken(r.Context(), r.Principal, r.Param("oauth_token_id"))
	return nil, 0, err
}

func (a *Verbs) updateOAuthToken(r *door.Request, p oauthTokenPatch) (forge.OAuthToken, error) {
	return a.App.SetOAuthTokenKey(r.Context(), r.Principal, r.Param("oauth_token_id"), p.SSHKey.Set, p.SSHKey.Value)
}

func (a *Verbs) deleteOAuthToken(r *door.Request) error {
	return a.App.DeleteOAuthToken(r.Context(), r.Principal, r.Param("oauth_token_id"))
}

func (a *Verbs) withClients() *door.Inclusion[forge.OAuthClient] {
	return workspaces.WithNouns(a.App, []string{"projects", "oauth_tokens"}, func(d *forge.OAuthClient, has func(string) bool, ids *app.NounIDs) {
		if has("projects") {
			ids.Projects = append(ids.Projects, d.ProjectIDs...)
		}
		if has("oauth_tokens") {
			ids.OAuthClients = append(ids.OAuthClients, d.ID)
		}
	}, func(r *door.Request, to *door.Including, found app.Nouns) {
		door.Include(to, found.Tokens, OAuthTokens.In(r.Edition))
	})
}
