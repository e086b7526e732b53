package belay

import (
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/belayhq/belay/internal/patch"
)

// VCSRepo is the repository that a workspace is configured from ("vcs-repo object").
type VCSRepo struct {
	Identifier        string `json:"identifier"`
	OAuthTokenID      string `json:"oauth-token-id,omitempty"`
	AppInstallationID string `json:"app-installation-id,omitempty"`
	Branch            string `json:"branch,omitempty"` // empty: the repository's default branch
	IngressSubmodules bool   `json:"ingress-submodules,omitempty"`
	TagsRegex         string `json:"tags-regex,omitempty"`
	SourceDirectory   string `json:"source-directory,omitempty"`
	TagPrefix         string `json:"tag-prefix,omitempty"`

	// Of the connection, kept so that a page needs no join.
	ServiceProvider string `json:"service-provider,omitempty"`
	HTTPURL         string `json:"http-url,omitempty"`
	WebhookID       string `json:"webhook-id,omitempty"`
}

// VCSRepoPatch changes the repository of a workspace: only the keys that are given.
type VCSRepoPatch struct {
	Identifier              patch.Field[string] `json:"identifier"`
	OAuthTokenID            patch.Field[string] `json:"oauth-token-id"`
	AppInstallationID       patch.Field[string] `json:"vcs-app-installation-id"`
	GitHubAppInstallationID patch.Field[string] `json:"github-app-installation-id"`
	Branch                  patch.Field[string] `json:"branch"`
	IngressSubmodules       patch.Field[bool]   `json:"ingress-submodules"`
	TagsRegex               patch.Field[string] `json:"tags-regex"`
	SourceDirectory         patch.Field[string] `json:"source-directory"`
	TagPrefix               patch.Field[string] `json:"tag-prefix"`
}

// VCSConnection is what is known of the connection that a repository is reached through.
type VCSConnection struct {
	TokenID         string
	AppInstallation *AppInstallation // nil: it has a token
	ServiceProvider string
	HTTPURL         string
	ClientName      string
}

var (
	repoIdentifier  = regexp.MustCompile(`^[^/\s]+(/[^/\s]+)+$`)
	azureIdentifier = regexp.MustCompile(`^[^/]+/[^/]+/_git/[^/]+$`)
	segmentOfDots   = regexp.MustCompile(`(^|/)\.\.?(/|$)`) // in an address of a service it leads to something else
)

func (w *Workspace) applyVCSRepo(problems *Problems, p WorkspacePatch, facts Facts) {
	change := p.VCSRepo
	if !change.Set {
		return
	}
	if change.Null {
		w.VCSRepo, w.VCSTokenID, w.OAuthClientName = nil, "", ""
		return
	}
	repo := VCSRepo{WebhookID: RandomText(32)}
	if w.VCSRepo != nil {
		repo = *w.VCSRepo
	}
	if !repo.apply(problems, change.Value, facts.VCS) {
		return
	}
	if facts.VCS != nil {
		w.OAuthClientName, w.VCSTokenID = facts.VCS.ClientName, facts.VCS.TokenID
	}
	w.VCSRepo = &repo
}

// App is the app installation that the patch names, by either name.
func (p *VCSRepoPatch) App() patch.Field[string] {
	if p.GitHubAppInstallationID.Given() {
		return p.GitHubAppInstallationID
	}
	return p.AppInstallationID
}

// apply merges the given keys. A token clears what is left of an app installation, and the other way.
func (r *VCSRepo) apply(problems *Problems, p VCSRepoPatch, connection *VCSConnection) bool {
	before := len(*problems)
	app := p.App()
	if p.AppInstallationID.Given() && p.AppInstallationID.Value != app.Value {
		problems.Attribute("vcs-repo/vcs-app-installation-id", "Both names of the app installation must have the same value when both are given")
	}
	p.Identifier.Into(&r.Identifier)
	p.Branch.Into(&r.Branch)
	p.IngressSubmodules.Into(&r.IngressSubmodules)
	p.TagsRegex.Into(&r.TagsRegex)
	p.SourceDirectory.Into(&r.SourceDirectory)
	p.TagPrefix.Into(&r.TagPrefix)
	r.connect(problems, p.OAuthTokenID, app, connection)
	r.check(problems)
	named := p.Identifier.Given() || p.OAuthTokenID.Given() || app.Given()
	if i := connection.installation(); i != nil && named && r.Identifier != "" && !i.Owns(r.Identifier) {
		problems.Attribute("vcs-repo/identifier", "Identifier must be a repository of %s, where the app is installed", i.Name)
	}
	return len(*problems) == before
}

func (r *VCSRepo) connect(problems *Problems, token, app patch.Field[string], connection *VCSConnection) {
	hasToken, hasApp := token.Given() && token.Value != "", app.Given() && app.Value != ""
	token.Into(&r.OAuthTokenID)
	app.Into(&r.AppInstallationID)
	switch {
	case hasToken && hasApp:
		problems.Attribute("vcs-repo/oauth-token-id", "OAuth token cannot be combined with an app installation")
	case hasToken && (connection == nil || connection.installation() != nil):
		problems.Attribute("vcs-repo/oauth-token-id", "The provided OAuth token does not exist")
	case hasApp && connection.installation() == nil:
		problems.Attribute("vcs-repo/vcs-app-installation-id", "The provided app installation does not exist")
	case hasToken || hasApp: // it takes the place of the other
		r.OAuthTokenID, r.AppInstallationID = token.Value, app.Value
		r.ServiceProvider, r.HTTPURL = connection.ServiceProvider, connection.HTTPURL
	case connection == nil && r.OAuthTokenID+r.AppInstallationID != "":
		problems.Attribute("vcs-repo", "The connection of the repository does not serve the workspace's project")
	}
}

// installation is what a connection stands on, where that is no token.
func (c *VCSConnection) installation() *AppInstallation {
	if c == nil {
		return nil
	}
	return c.AppInstallation
}

func (r *VCSRepo) check(problems *Problems) {
	if r.OAuthTokenID == "" && r.AppInstallationID == "" {
		problems.Attribute("vcs-repo/oauth-token-id", "OAuth token must be given to connect a repository")
	}
	pattern := repoIdentifier
	if r.ServiceProvider == "ado_services" || r.ServiceProvider == "ado_server" {
		pattern = azureIdentifier
	}
	switch {
	case r.Identifier == "":
		problems.Attribute("vcs-repo/identifier", "Identifier can't be blank")
	case !pattern.MatchString(r.Identifier) || segmentOfDots.MatchString(r.Identifier):
		problems.Attribute("vcs-repo/identifier", "Identifier must be of the form :org/:repo, or :org/:project/_git/:repo")
	}
	for _, text := range []struct{ name, called, text string }{
		{"vcs-app-installation-id", "App installation", r.AppInstallationID},
		{"identifier", "Identifier", r.Identifier},
		{"branch", "Branch", r.Branch},
		{"tags-regex", "Tags regex", r.TagsRegex},
		{"source-directory", "Source directory", r.SourceDirectory},
		{"tag-prefix", "Tag prefix", r.TagPrefix},
	} {
		CheckLength(problems, "vcs-repo/"+text.name, text.called, text.text, MaxPath)
	}
	if _, err := regexp.Compile(r.TagsRegex); err != nil {
		problems.Attribute("vcs-repo/tags-regex", "Tags regex is not a valid regular expression")
	}
}

// applyTriggers settles which changed files start a run. A tags regex excludes the others.
func (w *Workspace) applyTriggers(problems *Problems, p WorkspacePatch) {
	p.TriggerPatterns.Into(&w.TriggerPatterns)
	p.TriggerPrefixes.Into(&w.TriggerPrefixes)
	p.FileTriggersEnabled.Into(&w.FileTriggersEnabled)
	checkPaths(problems, "trigger-patterns", "Trigger patterns", p.TriggerPatterns.Value)
	checkPaths(problems, "trigger-prefixes", "Trigger prefixes", p.TriggerPrefixes.Value)
	if p.TriggerPatterns.Set && !p.TriggerPrefixes.Set { // the client uses patterns: prefixes are no longer meant
		w.TriggerPrefixes = nil
	}
	if p.TriggerPrefixes.Set && !p.TriggerPatterns.Set {
		w.TriggerPatterns = nil
	}
	patterns, prefixes := len(w.TriggerPatterns) > 0, len(w.TriggerPrefixes) > 0
	if w.VCSRepo != nil && w.VCSRepo.TagsRegex != "" {
		w.checkTagsRegex(problems, p, patterns || prefixes)
		return
	}
	if patterns && prefixes {
		problems.Attribute("trigger-patterns", "Trigger patterns and trigger prefixes cannot be given together")
	}
	if patterns && !w.FileTriggersEnabled {
		problems.Attribute("file-triggers-enabled", "File triggers must be enabled when trigger patterns are given")
	}
}

func (w *Workspace) checkTagsRegex(problems *Problems, p WorkspacePatch, files bool) {
	if files || p.FileTriggersEnabled.Given() && p.FileTriggersEnabled.Value {
		problems.Attribute("vcs-repo", "Tags regex cannot be combined with trigger patterns, trigger prefixes or file triggers")
		return
	}
	w.FileTriggersEnabled = false
}

// GitHubApp is the service of connections that stand on an installation of the server's GitHub App.
const GitHubApp = "github_app"

// AppInstallation is one installation of the server's GitHub App, as GitHub tells of it.
type AppInstallation struct {
	ID        string
	Number    int64  // GitHub's own id
	Name      string // of the account that it is installed in
	Kind      string // of the account: User or Organization
	URL       string // a page of GitHub
	IconURL   string
	HTTPURL   string // of the GitHub it is at, as connections have it
	APIURL    string
	State     AppState
	CreatedAt time.Time
	UpdatedAt time.Time
}

// AppState is how an installation stands at GitHub.
type AppState string

// The states of installations.
const (
	AppActive    AppState = "active"
	AppSuspended AppState = "suspended"
	AppRemoved   AppState = "removed" // kept as long as a connection names it
)

// AppInstallationQuery is what a list of installations asks for.
type AppInstallationQuery struct {
	Name   string // of the account; empty: any
	Number int64  // GitHub's id; 0: any
	Page   Page
}

// ParseAppInstallationQuery reads what a list of installations asks for.
func ParseAppInstallationQuery(name, number string) (q AppInstallationQuery, err error) {
	q.Name = name
	if number == "" {
		return q, nil
	}
	if q.Number, err = strconv.ParseInt(number, 10, 64); err != nil || q.Number < 1 {
		return q, Refuse(BadRequest, "the id of an installation is a number, not %q", number)
	}
	return q, nil
}

// Owns says whether a repository is of the account that the installation is of: no token of it
// reaches another.
func (i *AppInstallation) Owns(identifier string) bool {
	owner, _, _ := strings.Cut(identifier, "/")
	return strings.EqualFold(owner, i.Name)
}
