package store

import "github.com/belayhq/belay"

var oauthClients = newTable(table[belay.OAuthClient]{
	name: "oauth_clients",
	hold: "c",
	from: "oauth_clients c JOIN organizations o ON o.id = c.organization_id",
	own: []column[belay.OAuthClient]{
		{"id", func(c *belay.OAuthClient) any { return &c.ID }},
		{"organization_id", func(c *belay.OAuthClient) any { return &c.OrganizationID }},
		{"name", func(c *belay.OAuthClient) any { return &c.Name }},
		{"service_provider", func(c *belay.OAuthClient) any { return &c.ServiceProvider }},
		{"http_url", func(c *belay.OAuthClient) any { return &c.HTTPURL }},
		{"api_url", func(c *belay.OAuthClient) any { return &c.APIURL }},
		{"client_key", func(c *belay.OAuthClient) any { return &c.Key }},
		{"sealed_secret", func(c *belay.OAuthClient) any { return &c.SealedSecret }},
		{"sealed_private_key", func(c *belay.OAuthClient) any { return &c.SealedPrivateKey }},
		{"rsa_public_key", func(c *belay.OAuthClient) any { return &c.RSAPublicKey }},
		{"organization_scoped", func(c *belay.OAuthClient) any { return &c.OrganizationScoped }},
		{"agent_pool_id", func(c *belay.OAuthClient) any { return &c.AgentPoolID }},
		{"app_installation_id", func(c *belay.OAuthClient) any { return &c.AppInstallationID }},
		{"created_at", func(c *belay.OAuthClient) any { return millis{&c.CreatedAt} }},
		{"updated_at", func(c *belay.OAuthClient) any { return millis{&c.UpdatedAt} }},
	},
	joined: append(belongs(func(c *belay.OAuthClient) *belay.Organization { return &c.Organization }), column[belay.OAuthClient]{
		`(SELECT count(*) FROM oauth_tokens t JOIN workspaces w ON w.vcs_token_id = t.id AND w.vcs_token_id <> '' AND ` + offShelf + ` WHERE t.client_id = c.id)`,
		func(c *belay.OAuthClient) any { return &c.WorkspaceCount },
	}),
})

var clientProjects = link{"oauth_client_projects", "client_id", "project_id", "projects"}

// OAuthClient is one connection with its projects and tokens.
func (v *View) OAuthClient(id string) (belay.OAuthClient, error) {
	c, err := oauthClients.one(v, "c.id = ?", id)
	if err != nil {
		return c, err
	}
	list := []belay.OAuthClient{c}
	err = v.fillClients(list)
	return list[0], err
}

func (v *View) fillClients(list []belay.OAuthClient) error {
	ids := idsOf(list, func(c *belay.OAuthClient) string { return c.ID })
	projects, err := clientProjects.of(v, ids)
	if err != nil {
		return err
	}
	tokens, err := grouped(v, v.sql("SELECT client_id, id FROM oauth_tokens WHERE client_id").in("", ids).add(" ORDER BY client_id, created_at, id"))
	if err != nil {
		return err
	}
	for i := range list {
		c := &list[i]
		c.ProjectIDs, c.TokenIDs = projects[c.ID], tokens[c.ID]
	}
	return nil
}

// OAuthClients is one page of an organization's connections, oldest first.
func (v *View) OAuthClients(o belay.Organization, page belay.Page) ([]belay.OAuthClient, int, error) {
	list, total, err := oauthClients.page(v, page, "c.created_at, c.id", "c.organization_id = ?", o.ID)
	if err != nil {
		return nil, 0, err
	}
	return list, total, v.fillClients(list)
}

// AddOAuthClient writes a new connection.
func (tx *Tx) AddOAuthClient(c *belay.OAuthClient) error {
	if err := oauthClients.insert(tx, c, nil); err != nil {
		return err
	}
	return clientProjects.add(tx, c.ID, c.OrganizationID, c.ProjectIDs)
}

// SaveOAuthClient writes a connection and the projects it serves.
func (tx *Tx) SaveOAuthClient(c *belay.OAuthClient) error {
	if err := oauthClients.update(tx, c, nil); err != nil {
		return err
	}
	return clientProjects.replace(tx, c.ID, c.OrganizationID, c.ProjectIDs)
}

// AddClientProjects lets a connection serve more projects.
func (tx *Tx) AddClientProjects(c *belay.OAuthClient, ids []string) error {
	return clientProjects.add(tx, c.ID, c.OrganizationID, ids)
}

// RemoveClientProjects takes projects away from a connection.
func (tx *Tx) RemoveClientProjects(c *belay.OAuthClient, ids []string) error {
	return clientProjects.remove(tx, c.ID, ids)
}

// DropOAuthClient deletes a connection and its tokens; workspaces that used one of them
// have no repository from then on.
func (tx *Tx) DropOAuthClient(c *belay.OAuthClient) error {
	return tx.do("DELETE FROM oauth_clients WHERE id = ?", c.ID)
}

// Disconnect takes the repositories away that are reached through the tokens; where they are
// many, later. Workspaces are held before tokens and connections: so does whoever connects one.
func (tx *Tx) Disconnect(organizationID string, tokenIDs []string) error {
	if n, err := tx.forget(toToken, tokenIDs); err != nil || n == 0 {
		return err
	}
	tx.moveFacts(organizationID)
	return nil
}

var oauthTokens = newTable(table[belay.OAuthToken]{
	name: "oauth_tokens",
	hold: "t",
	from: "oauth_tokens t JOIN organizations o ON o.id = t.organization_id",
	own: []column[belay.OAuthToken]{
		{"id", func(t *belay.OAuthToken) any { return &t.ID }},
		{"client_id", func(t *belay.OAuthToken) any { return &t.ClientID }},
		{"organization_id", func(t *belay.OAuthToken) any { return &t.OrganizationID }},
		{"service_provider_user", func(t *belay.OAuthToken) any { return &t.ServiceProviderUser }},
		{"sealed", func(t *belay.OAuthToken) any { return &t.Sealed }},
		{"sealed_ssh_key", func(t *belay.OAuthToken) any { return &t.SealedSSHKey }},
		{"created_at", func(t *belay.OAuthToken) any { return millis{&t.CreatedAt} }},
	},
	joined: belongs(func(t *belay.OAuthToken) *belay.Organization { return &t.Organization }),
})

// OAuthToken is one token of a connection, by id.
func (v *View) OAuthToken(id string) (belay.OAuthToken, error) {
	return oauthTokens.one(v, "t.id = ?", id)
}

// OAuthTokens is one page of the tokens of an organization's connections, oldest first;
// of one connection when clientID is not empty.
func (v *View) OAuthTokens(o belay.Organization, clientID string, page belay.Page) ([]belay.OAuthToken, int, error) {
	return oauthTokens.page(v, page, "t.created_at, t.id", "t.organization_id = ? AND (? = '' OR t.client_id = ?)", o.ID, clientID, clientID)
}

// OAuthTokensOf is every token of the connections, oldest first.
func (v *View) OAuthTokensOf(clientIDs []string) ([]belay.OAuthToken, error) {
	return oauthTokens.many(v, v.sql(oauthTokens.selected+"WHERE t.client_id").in("", clientIDs).add(" ORDER BY t.created_at, t.id"))
}

// AddOAuthToken writes a new token of a connection.
func (tx *Tx) AddOAuthToken(t *belay.OAuthToken) error { return oauthTokens.insert(tx, t, nil) }

// SaveOAuthToken writes a token of a connection.
func (tx *Tx) SaveOAuthToken(t *belay.OAuthToken) error { return oauthTokens.update(tx, t, nil) }

// DropOAuthToken deletes a token of a connection; workspaces that used it have no
// repository from then on.
func (tx *Tx) DropOAuthToken(t *belay.OAuthToken) error {
	return tx.do("DELETE FROM oauth_tokens WHERE id = ?", t.ID)
}
