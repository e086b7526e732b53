// Package organizations is the API of the site, of organizations, and of what belongs to them
// alone: plans, connections, notifications, SSH keys, the audit trail. It keeps nothing.
package organizations

import (
	"net/http"

	"github.com/belayhq/belay"
	"github.com/belayhq/belay/internal/api/door"
	"github.com/belayhq/belay/internal/api/paths"
	"github.com/belayhq/belay/internal/api/workspaces"
	"github.com/belayhq/belay/internal/app"
	"github.com/belayhq/belay/internal/repos"
	"github.com/belayhq/belay/internal/runs"
	"github.com/belayhq/belay/internal/throttle"
)

// Verbs is what is done with the site, with organizations, and with what belongs to them alone.
type Verbs struct {
	App   *app.App
	Runs  *runs.Room  // which may be none
	Repos *repos.Room // that workspaces are connected to

	probes *throttle.Limits // of requests that make the server send one
	hooked hookLimits       // of what services tell of repositories
}

// New makes the verbs, with the limits of what they make the server do.
func New(a *app.App, known *runs.Room, r *repos.Room, perSecond float64) *Verbs {
	return &Verbs{App: a, Runs: known, Repos: r, probes: newProbeLimits(perSecond), hooked: newHookLimits(perSecond)}
}

// Routes is the routes of the site, organizations, and what belongs to them alone.
func (a *Verbs) Routes() []door.Route {
	return []door.Route{
		// Instance.
		{Method: http.MethodGet, Path: paths.V2 + "/admin/site-health", Status: http.StatusOK, Do: door.Showing(siteHealths, a.showSiteHealth), Does: "See how the server stands, and what it needs"},
		{Method: http.MethodGet, Path: paths.V2 + "/admin/storage", Status: http.StatusOK, Do: door.Listing(siteStorage, a.listStorage), Does: "List what organizations keep, the largest first"},
		{Method: http.MethodGet, Path: paths.V2 + "/admin/notification-deliveries", Status: http.StatusOK, Do: door.Listing(deliveries, a.listParked), Does: "List what was given up in all organizations"},

		// Plans: there is one, and it includes everything.
		{Method: http.MethodGet, Path: paths.V2 + "/feature-sets", Status: http.StatusOK, Do: door.Listing(Plans, a.listPlans), Does: "List the plans"},
		{Method: http.MethodGet, Path: paths.V2 + "/admin/feature-sets", Status: http.StatusOK, Do: door.Listing(Plans, a.listPlansForAdmins), Refuses: []belay.Kind{belay.Forbidden}, Does: "List the plans to assign"},
		{Method: http.MethodGet, Path: paths.Organization + "/feature-sets", Status: http.StatusOK, Do: door.Listing(Plans, a.listOrganizationPlans), Does: "List the plans it may have"},
		{Method: http.MethodGet, Path: paths.Organization + "/subscription", Status: http.StatusOK, Do: subscribing(a.showSubscription), Does: "See its plan"},
		{Method: http.MethodPatch, Path: paths.Organization + "/subscription", Status: http.StatusOK, Do: subscribing(a.changeSubscription), Does: "Ask for another plan"},
		{Method: http.MethodGet, Path: paths.V2 + "/subscriptions/{subscription_id}", Status: http.StatusOK, Do: subscribing(a.showSubscription), Does: "See its plan (by the id of the subscription)"},
		{Method: http.MethodPost, Path: paths.V2 + "/admin/organizations/{organization_name}/subscription", Status: http.StatusOK, Do: subscribing(a.assignPlan), Does: "Assign a plan"},

		// Organizations.
		{Method: http.MethodGet, Path: paths.V2 + "/organizations", Status: http.StatusOK, Do: door.Listing(Organizations, a.listOrganizations, a.withOrganizations()), Query: []string{"q", "q[name]", "q[email]"}, Does: "List one's own organizations"},
		{Method: http.MethodPost, Path: paths.V2 + "/organizations", Status: http.StatusCreated, Do: door.Writing(Organizations, a.createOrganization), Does: "Make an organization"},
		{Method: http.MethodGet, Path: paths.Organization, Status: http.StatusOK, Do: door.Showing(Organizations, a.showOrganization, a.withOrganizations()), Does: "See the organization"},
		{Method: http.MethodPatch, Path: paths.Organization, Status: http.StatusOK, Do: door.Writing(Organizations, a.updateOrganization), Does: "Change its settings"},
		{Method: http.MethodPut, Path: paths.Organization, Status: http.StatusOK, Do: door.Writing(Organizations, a.updateOrganization), Does: "Change its settings (older form)"},
		{Method: http.MethodDelete, Path: paths.Organization, Status: http.StatusNoContent, Do: door.Doing(a.deleteOrganization), Does: "Delete it with all that is in it"},
		{Method: http.MethodGet, Path: paths.Organization + "/entitlement-set", Status: http.StatusOK, Do: door.Showing(EntitlementSets, a.showEntitlements), Runs: true, Does: "See what it is entitled to"},

		// SSH keys.
		{Method: http.MethodGet, Path: paths.Organization + "/ssh-keys", Status: http.StatusOK, Do: door.Listing(sshKeys, a.listSSHKeys), Does: "List the names of the SSH keys"},
		{Method: http.MethodPost, Path: paths.Organization + "/ssh-keys", Status: http.StatusCreated, Do: door.Writing(sshKeys, a.createSSHKey), Does: "Keep an SSH key"},
		{Method: http.MethodGet, Path: paths.SSHKey, Status: http.StatusOK, Do: door.Showing(sshKeys, a.showSSHKey), Does: "See the name of an SSH key"},
		{Method: http.MethodPatch, Path: paths.SSHKey, Status: http.StatusOK, Do: door.Writing(sshKeys, a.updateSSHKey), Does: "Rename an SSH key"},
		{Method: http.MethodDelete, Path: paths.SSHKey, Status: http.StatusNoContent, Do: door.Doing(a.deleteSSHKey), Does: "Delete an SSH key"},
		{Method: http.MethodPatch, Path: paths.Workspace + "/relationships/ssh-key", Status: http.StatusOK, Do: door.Showing(workspaces.Workspaces, a.assignSSHKey).Reads(sshKeyChoice), Does: "Give a workspace an SSH key"},

		// Repositories.
		{Method: http.MethodPost, Path: aWebhook, Status: http.StatusOK, Raw: a.receiveWebhook, Open: true, Media: "application/json", Limit: maxWebhook, Refuses: []belay.Kind{belay.Unauthenticated, belay.NotFound, belay.TooLarge}, Does: "Tell of a repository, signed with the secret of its hook (for version-control services)"},
		{Method: http.MethodPost, Path: appWebhook, Status: http.StatusOK, Raw: a.receiveAppWebhook, Open: true, Media: "application/json", Limit: maxWebhook, Refuses: []belay.Kind{belay.Unauthenticated, belay.NotFound, belay.TooLarge}, Does: "Tell the server's GitHub App what happened, signed with its secret (for GitHub)"},
		{Method: http.MethodGet, Path: paths.V2 + "/github-app/installations", Status: http.StatusOK, Do: door.Listing(appInstallations, a.listAppInstallations), Filters: appInstallationFilters, Does: "List the installations of the server's GitHub App behind connections that one manages"},
		{Method: http.MethodGet, Path: paths.V2 + "/github-app/installation/{github_app_installation_id}", Status: http.StatusOK, Do: door.Showing(appInstallations, a.showAppInstallation), Does: "See an installation of the server's GitHub App"},
		{Method: http.MethodPost, Path: paths.Workspace + "/actions/rotate-webhook-secret", Status: http.StatusOK, Do: door.Showing(webhooks, a.rotateWebhookSecret), Does: "Give the hook of its repository another secret"},
		{Method: http.MethodGet, Path: paths.Organization + "/vcs-events", Status: http.StatusOK, Do: door.Listing(vcsEvents, a.listVCSEvents), Filters: vcsEventFilters, Does: "List what happened with repositories, and why nothing did"},

		// Connections to version control.
		{Method: http.MethodGet, Path: paths.Organization + "/oauth-clients", Status: http.StatusOK, Do: door.Listing(oauthClients, a.listOAuthClients, a.withClients()), Does: "List the connections"},
		{Method: http.MethodPost, Path: paths.V2 + "/oauth-clients", Status: http.StatusCreated, Do: door.Writing(oauthClients, a.createLooseOAuthClient, a.withClients()), Refuses: []belay.Kind{belay.Forbidden}, Does: "Make a connection (the organization in the body)"},
		{Method: http.MethodPost, Path: paths.Organization + "/oauth-clients", Status: http.StatusCreated, Do: door.Writing(oauthClients, a.createOAuthClient, a.withClients()), Refuses: []belay.Kind{belay.Forbidden}, Does: "Make a connection"},
		{Method: http.MethodGet, Path: paths.OAuthClient, Status: http.StatusOK, Do: door.Showing(oauthClients, a.showOAuthClient, a.withClients()), Does: "See a connection"},
		{Method: http.MethodPatch, Path: paths.OAuthClient, Status: http.StatusOK, Do: door.Writing(oauthClients, a.updateOAuthClient, a.withClients()), Does: "Change a connection"},
		{Method: http.MethodDelete, Path: paths.OAuthClient, Status: http.StatusNoContent, Do: door.Doing(a.deleteOAuthClient), Does: "Delete a connection"},
		{Method: http.MethodGet, Path: paths.OAuthClient + "/oauth-tokens", Status: http.StatusOK, Do: door.Listing(OAuthTokens, a.listClientTokens), Does: "List the tokens of a connection"},
		{Method: http.MethodPost, Path: paths.OAuthClient + "/relationships/projects", Status: http.StatusNoContent, Do: door.Naming("projects", a.addClientProjects), Does: "Offer a connection to a project"},
		{Method: http.MethodDelete, Path: paths.OAuthClient + "/relationships/projects", Status: http.StatusNoContent, Do: door.Naming("projects", a.removeClientProjects), Does: "Take a connection from a project"},
		{Method: http.MethodGet, Path: paths.Organization + "/oauth-tokens", Status: http.StatusOK, Do: door.Listing(OAuthTokens, a.listOAuthTokens), Does: "List the tokens of all connections"},
		{Method: http.MethodGet, Path: paths.OAuthToken, Status: http.StatusOK, Do: door.Showing(OAuthTokens, a.showOAuthToken), Does: "See the token of a connection"},
		{Method: http.MethodGet, Path: paths.OAuthToken + "/authorized-repos", Status: http.StatusOK, Do: door.Listing(repositories, a.listAuthorizedRepos), Does: "List the repositories behind a connection's token"},
		{Method: http.MethodPatch, Path: paths.OAuthToken, Status: http.StatusOK, Do: door.Writing(OAuthTokens, a.updateOAuthToken), Does: "Change the SSH key of a connection's token"},
		{Method: http.MethodDelete, Path: paths.OAuthToken, Status: http.StatusNoContent, Do: door.Doing(a.deleteOAuthToken), Does: "Delete the token of a connection"},

		// Audit trail.
		{Method: http.MethodGet, Path: paths.Organization + "/audit-trail", Status: http.StatusOK, Raw: a.auditTrail, Query: []string{"page[number]", "page[size]", "since", "sort"}, Media: "application/json", Does: "See what was done in an organization, and by whom"},
		{Method: http.MethodGet, Path: paths.V2 + "/organization/audit-trail", Status: http.StatusOK, Raw: a.auditTrail, Query: []string{"page[number]", "page[size]", "since", "sort"}, Media: "application/json", Does: "See that of the organization whose token this is"},

		// Notifications.
		{Method: http.MethodGet, Path: paths.Team + "/notification-configurations", Status: http.StatusOK, Do: a.listNotifications(), Does: "List how a team is told"},
		{Method: http.MethodPost, Path: paths.Team + "/notification-configurations", Status: http.StatusCreated, Do: door.Writing(notifications, a.createNotification), Does: "Have a team told"},
		{Method: http.MethodGet, Path: paths.Workspace + "/notification-configurations", Status: http.StatusOK, Do: a.listNotifications(), Does: "List who is told of a workspace"},
		{Method: http.MethodPost, Path: paths.Workspace + "/notification-configurations", Status: http.StatusCreated, Do: door.Writing(notifications, a.createNotification), Does: "Have somebody told of a workspace"},
		{Method: http.MethodGet, Path: paths.Project + "/notification-configurations", Status: http.StatusOK, Do: a.listNotifications(), Does: "List who is told of a project"},
		{Method: http.MethodPost, Path: paths.Project + "/notification-configurations", Status: http.StatusCreated, Do: door.Writing(notifications, a.createNotification), Does: "Have somebody told of a project"},
		{Method: http.MethodGet, Path: paths.Notification, Status: http.StatusOK, Do: door.Showing(notifications, a.showNotification), Does: "See how somebody is told of a workspace"},
		{Method: http.MethodPatch, Path: paths.Notification, Status: http.StatusOK, Do: door.Writing(notifications, a.updateNotification), Does: "Change how"},
		{Method: http.MethodDelete, Path: paths.Notification, Status: http.StatusNoContent, Do: door.Doing(a.deleteNotification), Does: "Have them told no more"},
		{Method: http.MethodPost, Path: paths.Notification + "/actions/verify", Status: http.StatusOK, Do: door.Showing(notifications, a.verifyNotification), Does: "Send a verification message"},
		{Method: http.MethodPost, Path: paths.Notification + "/actions/enable", Status: http.StatusOK, Do: door.Showing(notifications, a.enableNotification), Does: "Send one, and enable it"},
		{Method: http.MethodGet, Path: paths.Notification + "/deliveries", Status: http.StatusOK, Do: door.Listing(deliveries, a.listDeliveries), Filters: door.StatusFilters, Does: "List what was sent, what waits and what failed"},
		{Method: http.MethodPost, Path: paths.Notification + "/deliveries/actions/retry", Status: http.StatusNoContent, Do: door.Doing(a.retryDeliveries), Does: "Have what was given up sent again"},
	}
}
