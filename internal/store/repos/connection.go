package repos

import (
	"time"

	"github.com/belayhq/belay"
	"github.com/belayhq/belay/forge"
	"github.com/belayhq/belay/internal/sqldb"
	"github.com/belayhq/belay/internal/store/base"
	"github.com/belayhq/belay/internal/store/core"
)

var oauthClients = sqldb.NewTable(sqldb.Table[forge.OAuthClient]{
	Name: "oauth_clients",
	Hold: "c",
	From: "oauth_clients c JOIN organizations o ON o.id = c.organization_id",
	Own: []sqldb.Column[forge.OAuthClient]{
		{Name: "id", At: func(c *forge.OAuthClient) any { return &c.ID }},
		{Name: "organization_id", At: func(c *forge.OAuthClient) any { return &c.OrganizationID }},
		{Name: "name", At: func(c *forge.OAuthClient) any { return &c.Name }},
		{Name: "service_provider", At: func(c *forge.OAuthClient) any { return &c.ServiceProvider }},
		{Name: "http_url", At: func(c *forge.OAuthClient) any { return &c.HTTPURL }},
		{Name: "api_url", At: func(c *forge.OAuthClient) any { return &c.APIURL }},
		{Name: "client_key", At: func(c *forge.OAuthClient) any { return &c.Key }},
		{Name: "sealed_secret", At: func(c *forge.OAuthClient) any { return &c.SealedSecret }},
		{Name: "sealed_private_key", At: func(c *forge.OAuthClient) any { return &c.SealedPrivateKey }},
		{Name: "rsa_public_key", At: func(c *forge.OAuthClient) any { return &c.RSAPublicKey }},
		{Name: "organization_scoped", At: func(c *forge.OAuthClient) any { return &c.OrganizationScoped }},
		{Name: "agent_pool_id", At: func(c *forge.OAuthClient) any { return &c.AgentPoolID }},
		{Name: "app_installation_id", At: func(c *forge.OAuthClient) any { return &c.AppInstallationID }},
		{Name: "created_at", At: func(c *forge.OAuthClient) any { return sqldb.Millis(&c.CreatedAt) }},
		{Name: "updated_at", At: func(c *forge.OAuthClient) any { return sqldb.Millis(&c.UpdatedAt) }},
		{Name: "created_by", At: func(c *forge.OAuthClient) any { return &c.CreatedBy }},
	},
	Joined: append(base.Belongs(func(c *forge.OAuthClient) *belay.Organization { return &c.Organization }), sqldb.Column[forge.OAuthClient]{
		Name: `(SELECT count(*) FROM oauth_tokens t JOIN workspaces w ON w.vcs_token_id = t.id AND w.vcs_token_id <> '' AND ` + base.OffShelf + ` WHERE t.client_id = c.id)`,
		At:   func(c *forge.OAuthClient) any { return &c.WorkspaceCount },
	}, sqldb.Column[forge.OAuthClient]{
		Name: `(SELECT COALESCE(max(t.refused_at), 0) FROM oauth_tokens t WHERE t.client_id = c.id)`,
		At:   func(c *forge.OAuthClient) any { return sqldb.Millis(&c.TokenRefusedAt) },
	}),
})

var clientProjects = base.NewLink("oauth_client_projects", "client_id", "project_id", "projects")

// OAuthClient is one connection with its projects and tokens.
func (v *View) OAuthClient(id string) (forge.OAuthClient, error) {
	c, err := oauthClients.One(v, "c.id = ?", id)
	if err != nil {
		return c, err
	}
	list := []forge.OAuthClient{c}
	err = v.fillClients(list)
	return list[0], err
}

func (v *View) fillClients(list []forge.OAuthClient) error {
	if len(list) == 0 {
		return nil
	}
	ids := base.IDsOf(list, func(c *forge.OAuthClient) string { return c.ID })
	q := v.SQL("SELECT list, owner, id FROM (SELECT 'tokens' AS list, client_id AS owner, id AS id, '' AS name, created_at AS at FROM oauth_tokens WHERE client_id").In("", ids)
	clientProjects.Listed(q.Add(" UNION ALL SELECT x.*, 0 FROM ("), "projects", ids)
	of, err := base.Lists(v, q.Add(") x) all_of ORDER BY list, owner, at, name, id"))
	for i := range list {
		c := &list[i]
		c.ProjectIDs, c.TokenIDs = of.List("projects", c.ID), of.List("tokens", c.ID)
	}
	return err
}

// OAuthClients is one page of an organization's connections, oldest first.
func (v *View) OAuthClients(o belay.Organization, page belay.Page) ([]forge.OAuthClient, int, error) {
	list, total, err := oauthClients.Page(v, page, "c.created_at, c.id", "c.organization_id = ?", o.ID)
	if err != nil {
		return nil, 0, err
	}
	return list, total, v.fillClients(list)
}

// AddOAuthClient writes a new connection.
func (tx *Tx) AddOAuthClient(c *forge.OAuthClient) error {
	if err := oauthClients.Insert(tx, c, nil); err != nil {
		return err
	}
	return clientProjects.Add(tx, c.ID, c.OrganizationID, c.ProjectIDs)
}

// SaveOAuthClient writes a connection and the projects it serves.
func (tx *Tx) SaveOAuthClient(c *forge.OAuthClient) error {
	if err := oauthClients.Update(tx, c, nil); err != nil {
		return err
	}
	return clientProjects.Replace(tx, c.ID, c.OrganizationID, c.ProjectIDs)
}

// AddClientProjects lets a connection serve more projects.
func (tx *Tx) AddClientProjects(c *forge.OAuthClient, ids []string) error {
	return clientProjects.Add(tx, c.ID, c.OrganizationID, ids)
}

// RemoveClientProjects takes projects away from a connection.
func (tx *Tx) RemoveClientProjects(c *forge.OAuthClient, ids []string) error {
	return clientProjects.Remove(tx, c.ID, ids)
}

// DropOAuthClient deletes a connection and its tokens; workspaces that used one of them
// have no repository from then on.
func (tx *Tx) DropOAuthClient(c *forge.OAuthClient) error {
	return tx.Do("DELETE FROM oauth_clients WHERE id = ?", c.ID)
}

// Disconnect takes the repositories away that are reached through the tokens; where they are
// many, later. Workspaces are held before tokens and connections: so does whoever connects one.
func (tx *Tx) Disconnect(organizationID string, tokenIDs []string) error {
	if n, err := tx.Forget(core.ToToken, tokenIDs); err != nil || n == 0 {
		return err
	}
	tx.MoveFacts(organizationID)
	return nil
}

var oauthTokens = sqldb.NewTable(sqldb.Table[forge.OAuthToken]{
	Name: "oauth_tokens",
	Hold: "t",
	From: "oauth_tokens t JOIN organizations o ON o.id = t.organization_id",
	Own: []sqldb.Column[forge.OAuthToken]{
		{Name: "id", At: func(t *forge.OAuthToken) any { return &t.ID }},
		{Name: "client_id", At: func(t *forge.OAuthToken) any { return &t.ClientID }},
		{Name: "organization_id", At: func(t *forge.OAuthToken) any { return &t.OrganizationID }},
		{Name: "service_provider_user", At: func(t *forge.OAuthToken) any { return &t.ServiceProviderUser }},
		{Name: "sealed", At: func(t *forge.OAuthToken) any { return &t.Sealed }},
		{Name: "sealed_ssh_key", At: func(t *forge.OAuthToken) any { return &t.SealedSSHKey }},
		{Name: "created_at", At: func(t *forge.OAuthToken) any { return sqldb.Millis(&t.CreatedAt) }},
		{Name: "refused_at", At: func(t *forge.OAuthToken) any { return sqldb.Millis(&t.RefusedAt) }},
	},
	Joined: base.Belongs(func(t *forge.OAuthToken) *belay.Organization { return &t.Organization }),
})

// OAuthToken is one token of a connection, by id.
func (v *View) OAuthToken(id string) (forge.OAuthToken, error) {
	return oauthTokens.One(v, "t.id = ?", id)
}

// OAuthTokens is one page of the tokens of an organization's connections, oldest first;
// of one connection when clientID is not empty.
func (v *View) OAuthTokens(o belay.Organization, clientID string, page belay.Page) ([]forge.OAuthToken, int, error) {
	return oauthTokens.Page(v, page, "t.created_at, t.id", "t.organization_id = ? AND (? = '' OR t.client_id = ?)", o.ID, clientID, clientID)
}

// OAuthTokensOf is every token of the connections, oldest first.
func (v *View) OAuthTokensOf(clientIDs []string) ([]forge.OAuthToken, error) {
	return oauthTokens.Many(v, v.SQL(oauthTokens.Selected+"WHERE t.client_id").In("", clientIDs).Add(" ORDER BY t.created_at, t.id"))
}

// AddOAuthToken writes a new token of a connection.
func (tx *Tx) AddOAuthToken(t *forge.OAuthToken) error { return oauthTokens.Insert(tx, t, nil) }

// SaveOAuthToken writes a token of a connection.
func (tx *Tx) SaveOAuthToken(t *forge.OAuthToken) error { return oauthTokens.Update(tx, t, nil) }

// NoteTokenRefused notes since when the service does not accept a token; a zero moment: it does.
func (tx *Tx) NoteTokenRefused(id string, since time.Time) error {
	return tx.Do("UPDATE oauth_tokens SET refused_at = ? WHERE id = ?", sqldb.UnixMillis(since), id)
}

// DropOAuthToken deletes a token of a connection; workspaces that used it have no
// repository from then on.
func (tx *Tx) DropOAuthToken(t *forge.OAuthToken) error {
	return tx.Do("DELETE FROM oauth_tokens WHERE id = ?", t.ID)
}
