package ui

import (
	"github.com/belayhq/belay"
	"github.com/belayhq/belay/internal/identity"
	"github.com/belayhq/belay/internal/patch"
	"github.com/belayhq/belay/internal/runs"
)

var (
	connectionActs = map[string]act{"new": (*orgVisit).newConnection, "save": (*orgVisit).saveConnection, "delete": (*orgVisit).deleteConnection, "install": (*orgVisit).connectInstallation}
	keyActs        = map[string]act{"new": (*orgVisit).newKey, "delete": (*orgVisit).deleteKey}
	agentActs      = map[string]act{
		"new": (*orgVisit).newPool, "save": (*orgVisit).savePool, "delete": (*orgVisit).deletePool, "token": (*orgVisit).newAgentToken, "end-token": (*orgVisit).endToken,
	}
)

// services are the version-control services that the page connects to.
var services = []string{
	"github", "GitHub", "github_enterprise", "GitHub Enterprise", "gitlab_hosted", "GitLab", "gitlab_community_edition", "GitLab Community Edition",
	"gitlab_enterprise_edition", "GitLab Enterprise Edition", "bitbucket_hosted", "Bitbucket Cloud", "bitbucket_data_center", "Bitbucket Data Center",
	"gitea", "Gitea", "forgejo", "Forgejo",
	"ado_services", "Azure DevOps Services", "ado_server", "Azure DevOps Server",
}

// connections is the page of an organization's version-control services, or of one of them.
func (t *orgVisit) connections() (*view, error) {
	if t.id != "" {
		return t.connection()
	}
	at := t.page(pageSize)
	list, total, err := t.ui.App.OAuthClients(t.Context(), t.s, t.o.Name, at)
	if err != nil {
		return nil, err
	}
	g := newGrid("Table of connections", "Name", "Service", "-Host", "+Workspaces", "-Token", "-Made")
	for i := range list {
		c := &list[i]
		name, token := c.Name, pill("connected", "ok")
		if name == "" {
			name = c.ServiceName()
		}
		if len(c.TokenIDs) == 0 {
			token = pill("no token", "wait")
		}
		g.row(nil, link(name, t.one(c.ID)), words(c.ServiceName()), words(c.HTTPURL), amount(c.WorkspaceCount), token, moment(c.CreatedAt))
	}
	apps, err := t.installations()
	if err != nil {
		return nil, err
	}
	return t.sheet(&sheet{Title: "Connections", Sub: "Services that repositories come from.", Side: apps, Main: []card{{
		ID: "connections", Title: "Version control", Note: many(total, "connection", "connections"), Grid: g, Turns: t.turns(t.path, at, total),
		Empty:  "Nothing is connected. A connection needs a token of the service that reads its repositories.",
		Closed: true, Form: &formPart{Do: "new", Submit: "New connection", Fields: []formField{
			{Kind: "select", Name: "service", Label: "Service", Choices: options("", services...)}, {Kind: "text", Name: "name", Label: "Name", Max: 255},
			{Kind: "text", Name: "http", Label: "Address", Hint: "https://github.com", Max: 255, Required: true, Code: true},
			{Kind: "text", Name: "api", Label: "Address of its API", Hint: "https://api.github.com", Max: 255, Required: true, Code: true},
			{Kind: "password", Name: "token", Label: "Token", Max: 4096, Required: true},
		}},
	}}})
}

// installations is a card of the accounts that installed the server's GitHub App: site admins alone say whose is
// which organization's.
func (t *orgVisit) installations() ([]card, error) {
	if !t.s.SiteAdmin {
		return nil, nil
	}
	list, total, err := t.ui.App.AppInstallations(t.Context(), t.s, belay.AppInstallationQuery{Page: belay.Page{Number: 1, Size: pageSize}})
	if err != nil || total == 0 {
		return nil, err
	}
	var all []string
	for i := range list {
		all = append(all, list[i].ID, list[i].Name)
	}
	return []card{{
		ID: "app", Title: "GitHub App", Text: "Its repositories are reached without anybody's token. This is the site administration's alone.",
		Form: &formPart{Do: "install", Submit: "Connect the installation", Fields: []formField{{Kind: "select", Name: "installation", Label: "Account", Choices: options("", all...)}}},
	}}, nil
}

func (t *orgVisit) connectInstallation() (string, error) {
	c, err := t.ui.App.CreateOAuthClient(t.Context(), t.s, t.o.Name, belay.OAuthClientPatch{
		ServiceProvider: patch.Of(belay.GitHubApp), AppInstallationID: patch.Of(t.PostFormValue("installation")),
	})
	return t.one(c.ID), err
}

// reached is the choice of agents through which a connection is reached, for those who see pools.
func (t *orgVisit) reached(c *belay.OAuthClient) ([]formField, error) {
	list, _, err := t.ui.App.AgentPools(t.Context(), t.s, t.o.Name, belay.AgentPoolQuery{Page: belay.Page{Number: 1, Size: pageSize}})
	if err != nil || len(list) == 0 {
		if belay.KindOf(err) == belay.NotFound {
			err = nil
		}
		return nil, err
	}
	all := []string{"", "by the server itself"}
	for i := range list {
		all = append(all, list[i].ID, "by the agents of "+list[i].Name)
	}
	return []formField{{Kind: "select", Name: "pool", Label: "Commits are fetched", Choices: optionsAsItIs(c.AgentPoolID, all...)}}, nil
}

func (t *orgVisit) connection() (*view, error) {
	c, err := t.ui.App.OAuthClient(t.Context(), t.s, t.id)
	if err := t.ours(c.OrganizationID, err); err != nil {
		return nil, err
	}
	tokens, total, err := t.ui.App.ClientTokens(t.Context(), t.s, c.ID, belay.Page{Number: 1, Size: pageSize})
	if err != nil {
		return nil, err
	}
	g := newGrid("Table of tokens", "User at the service", "-Id", "-SSH key", "Since")
	for i := range tokens {
		o := &tokens[i]
		g.row(nil, words(orNone(o.ServiceProviderUser)), cell{Text: o.ID, Code: true}, words(yesNo(o.SealedSSHKey != "")), moment(o.CreatedAt))
	}
	title := c.Name
	if title == "" {
		title = c.ServiceName()
	}
	pools, err := t.reached(&c)
	if err != nil {
		return nil, err
	}
	happened, err := t.vcsEvents(&c)
	if err != nil {
		return nil, err
	}
	return t.sheet(&sheet{
		Title: title, Sub: c.ServiceName(),
		Main: []card{
			{ID: "about", Title: "About", Facts: []setting{{"Id", c.ID}, {"Address", c.HTTPURL}, {"API", c.APIURL}, {"Workspaces", count(c.WorkspaceCount)}, {"Made", day(c.CreatedAt, "")}}},
			{ID: "tokens", Title: "Tokens", Note: many(total, "token", "tokens"), Grid: g, Empty: "It has no token: repositories can't be read."},
			happened,
		},
		Side: []card{
			{ID: "settings", Title: "Settings", Form: &formPart{Do: "save", Submit: "Save", Fields: append([]formField{
				{Kind: "text", Name: "name", Label: "Name", Value: c.Name, Max: 255}, {Kind: "password", Name: "token", Label: "New token", Hint: "empty: it stays", Max: 4096},
				{Kind: "check", Name: "scoped", Label: "All projects may use it", On: c.OrganizationScoped},
			}, pools...)}},
			{ID: "delete", Title: "Delete", Text: "Workspaces that use it keep their state and lose their repository.", Form: &formPart{Do: "delete", Submit: "Delete the connection", Risk: true}},
		},
	})
}

// vcsEvents is what happened with the repositories of a connection.
func (t *orgVisit) vcsEvents(c *belay.OAuthClient) (card, error) {
	q, err := belay.ParseVCSEventQuery("", "", c.ID, "", t.ui.Now())
	if err != nil {
		return card{}, err
	}
	q.Page = belay.Page{Number: 1, Size: pageSize}
	list, total, err := t.ui.Events(t.Context(), t.s, t.o.Name, q)
	g := newGrid("Table of what happened", "When", "Level", "What")
	for i := range list {
		e := &list[i]
		class := map[bool]string{true: "bad", false: "ok"}[e.Level == belay.VCSError]
		g.row(nil, moment(e.CreatedAt), pill(e.Level, class), words(e.Message))
	}
	note := ""
	if total > len(list) {
		note = "the newest " + count(len(list)) + " of " + count(total)
	}
	return card{ID: "happened", Title: "What happened", Note: note, Grid: g, Empty: "Nothing, in the last ten days."}, err
}

func (t *orgVisit) newConnection() (string, error) {
	c, err := t.ui.App.CreateOAuthClient(t.Context(), t.s, t.o.Name, belay.OAuthClientPatch{
		Name: patch.Of(t.given("name")), ServiceProvider: patch.Of(t.PostFormValue("service")), HTTPURL: patch.Of(t.given("http")), APIURL: patch.Of(t.given("api")),
		TokenString: patch.Of(t.given("token")),
	})
	return t.one(c.ID), err
}

func (t *orgVisit) saveConnection() (string, error) {
	p := belay.OAuthClientPatch{Name: patch.Of(t.given("name")), OrganizationScoped: t.ticked("scoped")}
	if token := t.given("token"); token != "" {
		p.TokenString = patch.Of(token)
	}
	if t.PostForm.Has("pool") { // or whoever saves does not see pools
		p.AgentPoolID = patch.Field[string]{Set: true, Value: t.PostFormValue("pool")}
	}
	_, err := t.ui.App.UpdateOAuthClient(t.Context(), t.s, t.id, p)
	return t.here(), err
}

func (t *orgVisit) deleteConnection() (string, error) {
	return t.path, t.ui.App.DeleteOAuthClient(t.Context(), t.s, t.id)
}

// keys is the page of the SSH keys that modules are fetched with.
func (t *orgVisit) keys() (*view, error) {
	if t.id != "" {
		return nil, belay.ErrNotFound
	}
	at := t.page(pageSize)
	list, total, err := t.ui.App.SSHKeys(t.Context(), t.s, t.o.Name, at)
	if err != nil {
		return nil, err
	}
	g := newGrid("Table of keys", "Name", "-Id", "Since")
	for i := range list {
		k := &list[i]
		g.row([]rowForm{{Do: "delete", Text: "Delete", Of: k.Name, Risk: true, Hidden: []setting{{"key", k.ID}}}}, words(k.Name), cell{Text: k.ID, Code: true}, moment(k.CreatedAt))
	}
	return t.sheet(&sheet{Title: "SSH keys", Sub: "Runs fetch private modules with them. Nobody reads a key again.", Main: []card{{
		ID: "keys", Title: "Keys", Note: many(total, "key", "keys"), Grid: g, Empty: "There is no key.", Turns: t.turns(t.path, at, total), Closed: true,
		Form: &formPart{Do: "new", Submit: "New key", Fields: []formField{
			{Kind: "text", Name: "name", Label: "Name", Max: 255, Required: true}, {Kind: "area", Name: "secret", Label: "Private key", Hint: "without a passphrase", Required: true, Code: true},
		}},
	}}})
}

func (t *orgVisit) newKey() (string, error) {
	_, err := t.ui.App.CreateSSHKey(t.Context(), t.s, t.o.Name, belay.SSHKeyPatch{Name: patch.Of(t.given("name")), Value: patch.Of(t.typed("secret"))})
	return t.path, err
}

func (t *orgVisit) deleteKey() (string, error) {
	return t.path, t.ui.App.DeleteSSHKey(t.Context(), t.s, t.PostFormValue("key"))
}

// agents is the page of an organization's agent pools, or of one of them.
func (t *orgVisit) agents() (*view, error) {
	if t.id != "" {
		return t.pool()
	}
	at := t.page(pageSize)
	list, total, err := t.ui.App.AgentPools(t.Context(), t.s, t.o.Name, belay.AgentPoolQuery{Page: at})
	if err != nil {
		return nil, err
	}
	g := newGrid("Table of agent pools", "Pool", "+Agents", "+Workspaces", "-Serves", "-Since")
	for i := range list {
		p := &list[i]
		serves := "what it names"
		if p.OrganizationScoped {
			serves = "all workspaces"
		}
		g.row(nil, link(p.Name, t.one(p.ID)), amount(p.AgentCount), amount(len(p.Workspaces)), words(serves), moment(p.CreatedAt))
	}
	return t.sheet(&sheet{Title: "Agents", Sub: "Machines of your own that carry out runs.", Main: []card{{
		ID: "pools", Title: "Pools", Note: many(total, "pool", "pools"), Grid: g, Empty: "There is no pool. Agents join one with a token of it.", Turns: t.turns(t.path, at, total), Closed: true,
		Form: &formPart{Do: "new", Submit: "New pool", Fields: []formField{
			{Kind: "text", Name: "name", Label: "Name", Max: 255, Required: true}, {Kind: "check", Name: "scoped", Label: "It serves all workspaces", On: true},
		}},
	}}})
}

func (t *orgVisit) pool() (*view, error) {
	p, err := t.ui.App.AgentPool(t.Context(), t.s, t.id)
	if err := t.ours(p.OrganizationID, err); err != nil {
		return nil, err
	}
	tokens, total, err := t.ui.App.AgentTokens(t.Context(), t.s, p.ID, belay.Page{Number: 1, Size: mostTokens})
	if err != nil {
		return nil, err
	}
	heard, _, err := t.ui.Runs.Agents(t.Context(), t.s, p.ID, runs.AgentQuery{Sort: "-last-ping-at", Page: belay.Page{Number: 1, Size: pageSize}})
	if err != nil {
		return nil, err
	}
	agents := newGrid("Table of agents", "Agent", "Now", "-Version", "-Address", "+-Slots", "Heard last")
	for i := range heard {
		a := &heard[i]
		class := map[string]string{"idle": "ok", "busy": "run"}[string(a.Standing)]
		if class == "" {
			class = "wait"
		}
		agents.row(nil, words(a.Name), pill(string(a.Standing), class), words(a.Version), words(a.IP), amount(a.Slots), moment(a.LastSeenAt))
	}
	return t.sheet(&sheet{
		Title: p.Name, Sub: many(p.AgentCount, "agent is", "agents are") + " heard",
		Main: []card{
			{ID: "agents", Title: "Agents", Grid: agents, Empty: "No agent was heard yet. Begin one: belay runner --address " + t.scheme() + t.host() + " --token-file TOKEN"},
			{
				ID: "tokens", Title: "Tokens", Note: many(total, "token", "tokens"), Grid: tokenGrid(tokens, t.ui.Now()), Empty: "It has no token: no agent can join.",
				Form: &formPart{Do: "token", Submit: "New token", Fields: []formField{{Kind: "text", Name: "description", Label: "What it is for", Max: 255, Required: true}}},
			},
		},
		Side: []card{
			{ID: "settings", Title: "Settings", Form: &formPart{Do: "save", Submit: "Save", Fields: []formField{
				{Kind: "text", Name: "name", Label: "Name", Value: p.Name, Max: 255, Required: true}, {Kind: "check", Name: "scoped", Label: "It serves all workspaces", On: p.OrganizationScoped},
			}}},
			{ID: "delete", Title: "Delete", Text: "A pool that workspaces use stays.", Form: &formPart{Do: "delete", Submit: "Delete " + p.Name, Risk: true}},
		},
	})
}

func (t *orgVisit) newPool() (string, error) {
	p, err := t.ui.App.CreateAgentPool(t.Context(), t.s, t.o.Name, belay.AgentPoolPatch{Name: patch.Of(t.given("name")), OrganizationScoped: t.ticked("scoped")})
	return t.one(p.ID), err
}

func (t *orgVisit) savePool() (string, error) {
	_, err := t.ui.App.UpdateAgentPool(t.Context(), t.s, t.id, belay.AgentPoolPatch{Name: patch.Of(t.given("name")), OrganizationScoped: t.ticked("scoped")})
	return t.here(), err
}

func (t *orgVisit) deletePool() (string, error) {
	return t.path, t.ui.App.DeleteAgentPool(t.Context(), t.s, t.id)
}

func (t *orgVisit) newAgentToken() (string, error) {
	_, value, err := t.ui.App.CreateAgentToken(t.Context(), t.s, t.id, identity.NewToken{Description: t.given("description")})
	if err != nil {
		return "", err
	}
	return t.fresh(freshValue{"The new token", value, "belay runner --address " + t.scheme() + t.host() + " --token-file TOKEN"})
}
