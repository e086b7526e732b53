package organizations

import (
	"time"

	"github.com/belayhq/belay"
	"github.com/belayhq/belay/forge"
	"github.com/belayhq/belay/internal/patch"
	"github.com/belayhq/belay/internal/ui/access"
	"github.com/belayhq/belay/internal/ui/frame"
	"github.com/belayhq/belay/run"
)

// ConnectionActs is what the forms of connections do.
var ConnectionActs = map[string]frame.Act{"new": newConnection, "save": saveConnection, "delete": frame.AskFirst, "agree-delete": deleteConnection, "install": connectInstallation, "redeliver": redeliver}

// services are the version-control services that the page connects to.
var services = []string{
	"github", "GitHub", "github_enterprise", "GitHub Enterprise", "gitlab_hosted", "GitLab", "gitlab_community_edition", "GitLab Community Edition",
	"gitlab_enterprise_edition", "GitLab Enterprise Edition", "bitbucket_hosted", "Bitbucket Cloud", "bitbucket_data_center", "Bitbucket Data Center",
	"gitea", "Gitea", "forgejo", "Forgejo",
	"ado_services", "Azure DevOps Services", "ado_server", "Azure DevOps Server",
}

// Connections is the page of an organization's version-control services, or of one of them.
func Connections(t *frame.OrgVisit) (*frame.View, error) {
	if t.ID != "" {
		return connection(t)
	}
	at := t.Page(frame.PageSize)
	list, total, err := t.UI.App.OAuthClients(t.Context(), t.Principal, t.Org.Name, at)
	if err != nil {
		return nil, err
	}
	g := frame.NewGrid("Table of connections", "Name", "Service", "-Host", "+Workspaces", "-Token", "-Connected by", "-Since")
	var ids []string
	for i := range list {
		ids = append(ids, list[i].CreatedBy)
	}
	names, err := t.Names(ids...)
	if err != nil {
		return nil, err
	}
	for i := range list {
		c := &list[i]
		name := c.Name
		if name == "" {
			name = c.ServiceName()
		}
		g.Row(nil, frame.Link(name, t.One(c.ID)), frame.Words(c.ServiceName()), frame.Words(c.HTTPURL), frame.Amount(c.WorkspaceCount), tokenCell(len(c.TokenIDs) > 0, c.TokenRefusedAt), frame.Person(names[c.CreatedBy]), frame.Moment(c.CreatedAt))
	}
	apps, err := installations(t)
	if err != nil {
		return nil, err
	}
	return t.Sheet(&frame.Sheet{Title: "Connections", Sub: "Services that repositories come from.", Side: apps, Main: []frame.Card{{
		ID: "connections", Title: "Version control", Note: frame.Many(total, "connection", "connections"), Grid: g, Turns: t.Turns(t.Path, at, total),
		Empty:  "Nothing is connected. A connection needs a token of the service that reads its repositories.",
		Closed: true, Form: &frame.FormPart{Do: "new", Submit: "New connection", Fields: []frame.FormField{
			{Kind: "select", Name: "service", Label: "Service", Choices: frame.Options("", services...)}, {Kind: "text", Name: "name", Label: "Name", Max: 255},
			{Kind: "text", Name: "http", Label: "Address", Hint: "https://github.com", Max: 255, Required: true, Code: true},
			{Kind: "text", Name: "api", Label: "Address of its API", Hint: "https://api.github.com", Max: 255, Required: true, Code: true},
			{Kind: "password", Name: "token", Label: "Token", Max: 4096, Required: true},
		}},
	}}})
}

// tokenCell is whether the service accepts a token, as far as is known: it is asked for nothing to find out.
func tokenCell(there bool, refusedAt time.Time) frame.Cell {
	switch {
	case !there:
		return frame.Pill("no token", "wait")
	case !refusedAt.IsZero():
		return frame.Cell{Text: "not accepted", Pill: "bad", Icon: "alert", At: refusedAt}
	default:
		return frame.Pill("connected", "ok")
	}
}

// installations is a card of the accounts that installed the server's GitHub App: site admins alone say whose is
// which organization's.
func installations(t *frame.OrgVisit) ([]frame.Card, error) {
	if !t.Principal.SiteAdmin {
		return nil, nil
	}
	list, total, err := t.UI.App.AppInstallations(t.Context(), t.Principal, belay.AppInstallationQuery{Page: belay.Page{Number: 1, Size: frame.PageSize}})
	if err != nil || total == 0 {
		return nil, err
	}
	var all []string
	for i := range list {
		all = append(all, list[i].ID, list[i].Name)
	}
	return []frame.Card{{
		ID: "app", Title: "GitHub App", Text: "Its repositories are reached without anybody's token. This is the site administration's alone.",
		Form: &frame.FormPart{Do: "install", Submit: "Connect the installation", Fields: []frame.FormField{{Kind: "select", Name: "installation", Label: "Account", Choices: frame.Options("", all...)}}},
	}}, nil
}

func connectInstallation(t *frame.OrgVisit) (string, error) {
	c, err := t.UI.App.CreateOAuthClient(t.Context(), t.Principal, t.Org.Name, forge.OAuthClientPatch{
		ServiceProvider: patch.Of(belay.GitHubApp), AppInstallationID: patch.Of(t.PostFormValue("installation")),
	})
	return t.One(c.ID), err
}

// reached is the choice of agents through which a connection is reached, for those who see pools.
func reached(t *frame.OrgVisit, c *forge.OAuthClient) ([]frame.FormField, error) {
	list, _, err := t.UI.App.AgentPools(t.Context(), t.Principal, t.Org.Name, run.AgentPoolQuery{Page: belay.Page{Number: 1, Size: frame.PageSize}})
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
	return []frame.FormField{{Kind: "select", Name: "pool", Label: "Commits are fetched", Choices: frame.OptionsAsItIs(c.AgentPoolID, all...)}}, nil
}

func connection(t *frame.OrgVisit) (*frame.View, error) {
	c, err := t.UI.App.OAuthClient(t.Context(), t.Principal, t.ID)
	if err := access.Ours(t, c.OrganizationID, err); err != nil {
		return nil, err
	}
	tokens, total, err := t.UI.App.ClientTokens(t.Context(), t.Principal, c.ID, belay.Page{Number: 1, Size: frame.PageSize})
	if err != nil {
		return nil, err
	}
	g := frame.NewGrid("Table of tokens", "User at the service", "State", "-Id", "-SSH key", "Since")
	for i := range tokens {
		o := &tokens[i]
		g.Row(nil, frame.Words(frame.OrNone(o.ServiceProviderUser)), tokenCell(true, o.RefusedAt), frame.Cell{Text: o.ID, Code: true}, frame.Words(frame.YesNo(o.SealedSSHKey != "")), frame.Moment(o.CreatedAt))
	}
	title := c.Name
	if title == "" {
		title = c.ServiceName()
	}
	pools, err := reached(t, &c)
	if err != nil {
		return nil, err
	}
	happened, err := vcsEvents(t, &c)
	if err != nil {
		return nil, err
	}
	repositories, err := hookCard(t, &c)
	if err != nil {
		return nil, err
	}
	told, err := toldCard(t, &c)
	if err != nil {
		return nil, err
	}
	names, err := t.Names(c.CreatedBy)
	if err != nil {
		return nil, err
	}
	page := &frame.Sheet{
		Title: title, Sub: c.ServiceName(),
		Main: []frame.Card{
			{ID: "about", Title: "About", Facts: []frame.Setting{{Name: "Id", Value: c.ID}, {Name: "Address", Value: c.HTTPURL}, {Name: "API", Value: c.APIURL}, {Name: "Workspaces", Value: frame.Count(c.WorkspaceCount)}, {Name: "Connected by", Value: names[c.CreatedBy]}, {Name: "Since", Value: frame.Day(c.CreatedAt, "")}}},
			{ID: "tokens", Title: "Tokens", Note: frame.Many(total, "token", "tokens"), Grid: g, Empty: "It has no token: repositories can't be read."},
			repositories, told, happened,
		},
		Side: []frame.Card{
			{ID: "settings", Title: "Settings", Form: &frame.FormPart{Do: "save", Submit: "Save", Changes: true, Fields: append(connectionFields(&c), pools...)}},
			{ID: "delete", Title: "Delete", Text: "Workspaces that use it keep their state and lose their repository.", Form: &frame.FormPart{Do: "delete", Submit: "Delete the connection", Risk: true, Asks: "Lost with it: the repository of " + frame.Many(c.WorkspaceCount, "workspace", "workspaces") + ". Their states, runs and variables stay."}},
		},
	}
	if at := c.TokenRefusedAt; !at.IsZero() {
		page.Alerts = []frame.Alert{{Class: "bad", Icon: "alert", Text: c.ServiceName() + " does not accept the token any more, since " + frame.Minute(at) + ". Repositories can't be read until there is a new one, under Settings."}}
	}
	return t.Sheet(page)
}

// hookCard is how the service tells of the repositories of a connection.
func hookCard(t *frame.OrgVisit, c *forge.OAuthClient) (frame.Card, error) {
	list, err := t.UI.App.HookNotes(t.Context(), t.Principal, c.ID, frame.PageSize)
	g := frame.NewGrid("Table of repositories", "Repository", "Webhook", "Told last", "-+Waiting")
	for i := range list {
		n, state := &list[i], frame.Pill("in place", "ok")
		if n.State == forge.HookWanted {
			state = frame.Pill("to be made", "wait")
		}
		g.Row(nil, frame.Cell{Text: n.Identifier, Code: true}, state, frame.Moment(n.Last), frame.Amount(n.Waiting))
	}
	return frame.Card{ID: "repositories", Title: "Repositories", Note: frame.Many(len(list), "webhook", "webhooks"), Grid: g, Empty: "No workspace takes a repository from here."}, err
}

// vcsEvents is what happened with the repositories of a connection.
func vcsEvents(t *frame.OrgVisit, c *forge.OAuthClient) (frame.Card, error) {
	q, err := forge.ParseVCSEventQuery("", "", c.ID, "", t.UI.Now())
	if err != nil {
		return frame.Card{}, err
	}
	q.Page = belay.Page{Number: 1, Size: frame.PageSize}
	list, total, err := t.UI.Repos.Events(t.Context(), t.Principal, t.Org.Name, q)
	g := frame.NewGrid("Table of what happened", "When", "Level", "What")
	for i := range list {
		e := &list[i]
		class := map[bool]string{true: "bad", false: "ok"}[e.Level == forge.VCSError]
		g.Row(nil, frame.Moment(e.CreatedAt), frame.Pill(e.Level, class), frame.Words(e.Message))
	}
	note := ""
	if total > len(list) {
		note = "the newest " + frame.Count(len(list)) + " of " + frame.Count(total)
	}
	return frame.Card{ID: "happened", Title: "What happened", Note: note, Grid: g, Empty: "Nothing, in the last ten days."}, err
}

func newConnection(t *frame.OrgVisit) (string, error) {
	c, err := t.UI.App.CreateOAuthClient(t.Context(), t.Principal, t.Org.Name, forge.OAuthClientPatch{
		Name: patch.Of(t.Given("name")), ServiceProvider: patch.Of(t.PostFormValue("service")), HTTPURL: patch.Of(t.Given("http")), APIURL: patch.Of(t.Given("api")),
		TokenString: patch.Of(t.Given("token")),
	})
	return t.One(c.ID), err
}

func connectionFields(c *forge.OAuthClient) []frame.FormField {
	return []frame.FormField{
		{Kind: "text", Name: "name", Label: "Name", Value: c.Name, Max: 255}, {Kind: "password", Name: "token", Label: "New token", Hint: "empty: it stays", Max: 4096},
		{Kind: "check", Name: "scoped", Label: "All projects may use it", On: c.OrganizationScoped},
	}
}

func saveConnection(t *frame.OrgVisit) (string, error) {
	c, err := t.UI.App.OAuthClient(t.Context(), t.Principal, t.ID)
	if err != nil {
		return "", err
	}
	pools, err := reached(t, &c)
	if err == nil {
		err = t.Overtaken(append(connectionFields(&c), pools...))
	}
	if err != nil {
		return "", err
	}
	p := forge.OAuthClientPatch{Name: t.Edited("name"), OrganizationScoped: t.Ticked("scoped")}
	if token := t.Given("token"); token != "" {
		p.TokenString = patch.Of(token)
	}
	if t.PostForm.Has("pool") && !t.Kept("pool") { // or whoever saves does not see pools
		p.AgentPoolID = patch.Field[string]{Set: true, Value: t.PostFormValue("pool")}
	}
	_, err = t.UI.App.UpdateOAuthClient(t.Context(), t.Principal, t.ID, p)
	return t.Here(), err
}

func deleteConnection(t *frame.OrgVisit) (string, error) {
	return t.Path, t.UI.App.DeleteOAuthClient(t.Context(), t.Principal, t.ID)
}
