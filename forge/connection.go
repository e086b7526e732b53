package forge

import (
	"slices"
	"time"

	"github.com/belayhq/belay"
	"github.com/belayhq/belay/internal/patch"
)

// serviceProviders is the version-control services, by the names that clients know them by.
var serviceProviders = map[string]string{
	"ado_server":                "Azure DevOps Server",
	"ado_services":              "Azure DevOps Services",
	"bitbucket_data_center":     "Bitbucket Data Center",
	"bitbucket_hosted":          "Bitbucket Cloud",
	"bitbucket_server":          "Bitbucket Server",
	"bitbucket_server_legacy":   "Bitbucket Server (legacy)",
	"forgejo":                   "Forgejo",
	"gitea":                     "Gitea",
	"github":                    "GitHub",
	belay.GitHubApp:             "GitHub App",
	"github_enterprise":         "GitHub Enterprise",
	"gitlab_community_edition":  "GitLab Community Edition",
	"gitlab_enterprise_edition": "GitLab Enterprise Edition",
	"gitlab_hosted":             "GitLab",
}

// consumers is the services that know an application by its consumer key.
var consumers = []string{"bitbucket_data_center", "bitbucket_server"}

// OAuthClient is an organization's connection to a version-control service. It serves
// the whole organization, or the projects it names.
type OAuthClient struct {
	ID                 string
	OrganizationID     string
	Name               string
	ServiceProvider    string
	HTTPURL            string
	APIURL             string
	Key                string
	SealedSecret       string // sealed with the id of the row, as the private key is
	SealedPrivateKey   string
	RSAPublicKey       string
	OrganizationScoped bool
	AgentPoolID        string
	AppInstallationID  string // of a GitHub App, which takes the place of a token
	CreatedBy          string // the id of the user who made it; empty: nobody knows
	CreatedAt          time.Time
	UpdatedAt          time.Time

	ProjectIDs     []string
	TokenIDs       []string  // read with the row
	TokenRefusedAt time.Time // read with the row: since when a token of it is not accepted; zero: it is, as far as is known
	WorkspaceCount int       // read with the row: how many are configured through it

	Organization belay.Organization // read with the row: its name
}

// OAuthClientPatch is a change of a connection. The service and its addresses can be
// given only when it is made.
type OAuthClientPatch struct {
	Name, Key, Secret, PrivateKey, RSAPublicKey patch.Field[string]
	TokenString                                 patch.Field[string]
	ServiceProvider, HTTPURL, APIURL            patch.Field[string]
	AppInstallationID                           patch.Field[string]
	OrganizationScoped                          patch.Field[bool]
	AgentPoolID                                 patch.Field[string]
	Projects                                    patch.Field[[]string]
}

// NewOAuthClient is a connection with the defaults of its attributes.
func NewOAuthClient(o belay.Organization, now time.Time) OAuthClient {
	return OAuthClient{ID: belay.NewID("oc"), OrganizationID: o.ID, Organization: o, OrganizationScoped: true, CreatedAt: now, UpdatedAt: now}
}

// Apply changes the connection, or says all that is wrong with the patch. Secrets are
// sealed by whoever holds the seals. The installation is the one that the patch names; nil when
// there is none.
func (c *OAuthClient) Apply(p OAuthClientPatch, installation *belay.AppInstallation, create bool) error {
	var problems belay.Problems
	p.Name.Into(&c.Name)
	if c.Name != "" {
		belay.CheckLabel(&problems, "name", "Name", c.Name)
	}
	p.Key.Into(&c.Key)
	p.RSAPublicKey.Into(&c.RSAPublicKey)
	p.OrganizationScoped.Into(&c.OrganizationScoped)
	p.AgentPoolID.Into(&c.AgentPoolID)
	p.Projects.Into(&c.ProjectIDs)
	c.ProjectIDs = belay.Distinct(c.ProjectIDs)
	if create {
		p.ServiceProvider.Into(&c.ServiceProvider)
		c.reach(&problems, p, installation)
	}
	if c.ServiceProvider == belay.GitHubApp {
		c.checkApp(&problems, p)
	}
	for _, text := range []struct{ name, called, text string }{
		{"secret", "Secret", p.Secret.Value},
		{"private-key", "Private key", p.PrivateKey.Value},
		{"rsa-public-key", "Rsa public key", p.RSAPublicKey.Value},
		{"oauth-token-string", "Oauth token string", p.TokenString.Value},
	} {
		belay.CheckLength(&problems, text.name, text.called, text.text, belay.MaxSecret)
	}
	belay.CheckLength(&problems, "key", "Key", p.Key.Value, belay.MaxPath)
	if c.Key == "" && p.Key.Set && slices.Contains(consumers, c.ServiceProvider) {
		problems.Attribute("key", "The Consumer Key for %s must be present. Please add a value for `key`.", c.ServiceName())
	}
	if p.PrivateKey.Value != "" && c.ServiceProvider != "ado_server" {
		problems.Attribute("private-key", "Private key can only be given for Azure DevOps Server")
	}
	return problems.Err()
}

// reach settles where the service of a new connection is: what GitHub's App is installed in says so
// itself.
func (c *OAuthClient) reach(problems *belay.Problems, p OAuthClientPatch, installation *belay.AppInstallation) {
	if serviceProviders[c.ServiceProvider] == "" {
		problems.Attribute("service-provider", "Service provider is not included in the list")
	}
	given := p.AppInstallationID.Value != ""
	switch {
	case c.ServiceProvider != belay.GitHubApp:
		if given {
			problems.Attribute("github-app-installation-id", "An app installation can only be given for %s", belay.GitHubApp)
		}
		p.HTTPURL.Into(&c.HTTPURL)
		p.APIURL.Into(&c.APIURL)
		belay.CheckURL(problems, "http-url", "Http url", c.HTTPURL)
		belay.CheckURL(problems, "api-url", "Api url", c.APIURL)
	case !given || installation == nil || installation.State == belay.AppRemoved:
		problems.Attribute("github-app-installation-id", "The provided app installation does not exist")
	default:
		c.AppInstallationID, c.HTTPURL, c.APIURL = installation.ID, installation.HTTPURL, installation.APIURL
		if c.Name == "" {
			c.Name = installation.Name
		}
	}
}

// checkApp refuses secrets: the App's are the server's.
func (c *OAuthClient) checkApp(problems *belay.Problems, p OAuthClientPatch) {
	for _, secret := range []struct{ name, text string }{
		{"secret", p.Secret.Value}, {"key", p.Key.Value}, {"rsa-public-key", p.RSAPublicKey.Value}, {"oauth-token-string", p.TokenString.Value},
	} {
		if secret.text != "" {
			problems.Attribute(secret.name, "A connection of an app installation has no secrets of its own")
		}
	}
}

// ServiceName is the name of the service for people.
func (c *OAuthClient) ServiceName() string { return serviceProviders[c.ServiceProvider] }

// DisplayName is what the connection is called: its own name, or that of its service.
func (c *OAuthClient) DisplayName() string {
	if c.Name != "" {
		return c.Name
	}
	return c.ServiceName()
}

// Serves says whether workspaces of a project may use the connection.
func (c *OAuthClient) Serves(projectID string) bool {
	return c.OrganizationScoped || slices.Contains(c.ProjectIDs, projectID)
}

// OutOfReach is why nothing is fetched for a workspace that was moved out of the projects that its
// connection serves, or that the connection no longer names.
const OutOfReach = "the connection to its repository does not serve the project of the workspace"

// OAuthToken is the right to act in a version-control service through a connection.
type OAuthToken struct {
	ID                  string
	ClientID            string
	OrganizationID      string
	ServiceProviderUser string
	Sealed              string    // the token, sealed with the id of the row
	SealedSSHKey        string    // the key that repositories are cloned with; empty when none
	RefusedAt           time.Time // since when the service does not accept it; zero: it does, as far as is known
	CreatedAt           time.Time

	Organization belay.Organization // read with the row: its name
}
