// Package people is the API of users, members and teams: what they may, and their tokens. It
// never decides who may: app does.
package people

import (
	"net/http"

	"github.com/belayhq/belay"
	"github.com/belayhq/belay/internal/api/door"
	"github.com/belayhq/belay/internal/api/paths"
	"github.com/belayhq/belay/internal/app"
)

// Verbs is what is done with users, members, teams and their tokens.
type Verbs struct {
	App *app.App
}

// Routes is the routes of users, members, teams, what they may, and their tokens.
func (a *Verbs) Routes() []door.Route {
	return []door.Route{
		// Instance.
		{Method: http.MethodGet, Path: "/.well-known/terraform.json", Status: http.StatusOK, Raw: a.discovery, Open: true, Media: "application/json", Does: "Find the services (open to everybody)"},
		{Method: http.MethodPost, Path: tokenPath, Status: http.StatusOK, Raw: a.redeemLogin, Open: true, Media: "application/json", Does: "Redeem the code of a sign-in (open: the code is the secret)"},
		{Method: http.MethodPost, Path: logoutPath, Status: http.StatusOK, Raw: a.logOutBehind, Open: true, Media: "application/json", Does: "Say that somebody has signed out at an identity provider (open: the token is signed)"},
		{Method: http.MethodPost, Path: workloadPath, Status: http.StatusOK, Raw: a.exchangeWorkload, Open: true, Media: "application/json", Does: "Exchange the token of a job for one of a team (open: the token is signed)"},
		{Method: http.MethodGet, Path: paths.V2 + "/ping", Status: http.StatusNoContent, Do: door.Doing(a.ping), Open: true, Does: "Ask for the version (open to everybody)"},
		{Method: http.MethodGet, Path: paths.V2 + "/admin/users", Status: http.StatusOK, Do: door.Listing(siteUsers, a.listUsers, withUsers), Query: []string{"q"}, Filters: userFilters, Does: "List all users of the site"},
		{Method: http.MethodPost, Path: paths.V2 + "/admin/users", Status: http.StatusCreated, Do: door.Writing(Users, a.createUser), Does: "Make a user"},
		{Method: http.MethodPatch, Path: paths.V2 + "/admin/users/{user_id}", Status: http.StatusOK, Do: door.Writing(Users, a.updateUser), Does: "Change a user"},
		{Method: http.MethodPost, Path: paths.V2 + "/admin/users/{user_id}/actions/suspend", Status: http.StatusOK, Do: door.Showing(Users, a.suspendUser), Does: "Suspend a user"},
		{Method: http.MethodPost, Path: paths.V2 + "/admin/users/{user_id}/actions/unsuspend", Status: http.StatusOK, Do: door.Showing(Users, a.unsuspendUser), Does: "Give a suspended user its tokens back"},
		{Method: http.MethodPost, Path: paths.V2 + "/admin/users/{user_id}/actions/grant_admin", Status: http.StatusOK, Do: door.Showing(Users, a.grantAdmin), Does: "Make a user a site admin"},
		{Method: http.MethodPost, Path: paths.V2 + "/admin/users/{user_id}/actions/revoke_admin", Status: http.StatusOK, Do: door.Showing(Users, a.revokeAdmin), Does: "Take the site from a user"},
		{Method: http.MethodDelete, Path: paths.V2 + "/admin/users/{user_id}", Status: http.StatusNoContent, Do: door.Doing(a.deleteUser), Does: "Delete a user"},

		// Users and tokens.
		{Method: http.MethodGet, Path: paths.V2 + "/account/details", Status: http.StatusOK, Do: door.Showing(Users, a.showAccount), Does: "See who one is"},
		{Method: http.MethodPatch, Path: paths.V2 + "/account/update", Status: http.StatusOK, Do: door.Writing(Users, a.updateAccount), Does: "Change one's own name or address"},
		{Method: http.MethodPatch, Path: paths.V2 + "/account/password", Status: http.StatusOK, Do: door.Taking(passwords, Users, a.changePassword), Does: "Change one's own password"},
		{Method: http.MethodGet, Path: paths.User + "/authentication-tokens", Status: http.StatusOK, Do: door.Listing(Tokens, a.listUserTokens), Does: "List the tokens of another user"},
		{Method: http.MethodPost, Path: paths.User + "/authentication-tokens", Status: http.StatusCreated, Do: Issuing(a.createUserToken), Does: "Make a token for another user"},
		{Method: http.MethodGet, Path: paths.User + "/identities", Status: http.StatusOK, Do: door.ListingAll(identities, a.listIdentities), Does: "List the identities of another user"},
		{Method: http.MethodPost, Path: paths.User + "/identities", Status: http.StatusCreated, Do: door.Writing(identities, a.linkIdentity), Does: "Link an identity at a provider to a user"},
		{Method: http.MethodDelete, Path: paths.V2 + "/identities/{identity_id}", Status: http.StatusNoContent, Do: door.Doing(a.unlinkIdentity), Refuses: []belay.Kind{belay.Conflict}, Does: "Unlink an identity of another user"},
		{Method: http.MethodGet, Path: paths.V2 + "/authentication-tokens/{token_id}", Status: http.StatusOK, Do: door.Showing(Tokens, a.showToken), Does: "See a token of another user"},
		{Method: http.MethodPatch, Path: paths.V2 + "/authentication-tokens/{token_id}", Status: http.StatusOK, Do: door.Writing(Tokens, a.updateToken), Does: "Say what a token of another user is for, or have it end earlier"},
		{Method: http.MethodDelete, Path: paths.V2 + "/authentication-tokens/{token_id}", Status: http.StatusNoContent, Do: door.Doing(a.deleteToken), Does: "Revoke a token of another user"},
		{Method: http.MethodGet, Path: paths.User, Status: http.StatusOK, Do: a.showUser(), Does: "See another member of the organization"},
		{Method: http.MethodGet, Path: paths.Team + "/authentication-token", Status: http.StatusOK, Do: door.Showing(Tokens, a.showTeamToken), Does: "See when a team's token was made and used"},
		{Method: http.MethodPost, Path: paths.Team + "/authentication-token", Status: http.StatusCreated, Do: Issuing(a.replaceTeamToken), Does: "Make a team's token anew"},
		{Method: http.MethodDelete, Path: paths.Team + "/authentication-token", Status: http.StatusNoContent, Do: door.Doing(a.deleteTeamToken), Does: "Revoke a team's token"},
		{Method: http.MethodGet, Path: paths.Team + "/authentication-tokens", Status: http.StatusOK, Do: door.Listing(Tokens, a.listTeamTokens), Does: "List the tokens of a team"},
		{Method: http.MethodPost, Path: paths.Team + "/authentication-tokens", Status: http.StatusCreated, Do: Issuing(a.createTeamToken), Does: "Make one more token of a team"},
		{Method: http.MethodGet, Path: paths.Team + "/workload-rules", Status: http.StatusOK, Do: door.Listing(workloadRules, a.listWorkloadRules), Does: "List whose jobs get tokens of a team"},
		{Method: http.MethodPost, Path: paths.Team + "/workload-rules", Status: http.StatusCreated, Do: door.Writing(workloadRules, a.createWorkloadRule), Does: "Let jobs have tokens of a team"},
		{Method: http.MethodGet, Path: paths.WorkloadRule, Status: http.StatusOK, Do: door.Showing(workloadRules, a.showWorkloadRule), Does: "See whose jobs get tokens of a team"},
		{Method: http.MethodPatch, Path: paths.WorkloadRule, Status: http.StatusOK, Do: door.Writing(workloadRules, a.updateWorkloadRule), Does: "Change whose jobs get tokens of a team"},
		{Method: http.MethodDelete, Path: paths.WorkloadRule, Status: http.StatusNoContent, Do: door.Doing(a.deleteWorkloadRule), Does: "Let jobs have no tokens of a team any more"},
		{Method: http.MethodGet, Path: paths.Organization + "/team-tokens", Status: http.StatusOK, Do: door.Listing(Tokens, a.listOrganizationTeamTokens), Query: []string{"q", "sort"}, Filters: door.StatusFilters, Does: "List the tokens of the teams whose tokens one may manage"},
		{Method: http.MethodDelete, Path: paths.Organization + "/team-tokens", Status: http.StatusNoContent, Do: door.Naming("authentication-tokens", a.deleteOrganizationTeamTokens), Refuses: []belay.Kind{belay.Forbidden}, Does: "Revoke tokens of any teams"},
		{Method: http.MethodGet, Path: paths.Organization + "/authentication-token", Status: http.StatusOK, Do: door.Showing(Tokens, a.showOrganizationToken), Query: []string{"token"}, Does: "See when its token was made and used"},
		{Method: http.MethodPost, Path: paths.Organization + "/authentication-token", Status: http.StatusCreated, Do: Issuing(a.replaceOrganizationToken), Query: []string{"token"}, Does: "Make its token anew"},
		{Method: http.MethodDelete, Path: paths.Organization + "/authentication-token", Status: http.StatusNoContent, Do: door.Doing(a.deleteOrganizationToken), Query: []string{"token"}, Does: "Revoke its token"},

		// Members and teams.
		{Method: http.MethodGet, Path: paths.Organization + "/access-reasons", Status: http.StatusOK, Do: door.Showing(reasons, a.showReason), Query: []string{"user", "permission", "workspace"}, Refuses: []belay.Kind{belay.Invalid}, Does: "See why somebody may do something with a workspace, or why not"},
		{Method: http.MethodGet, Path: paths.Organization + "/organization-memberships", Status: http.StatusOK, Do: door.Listing(Memberships, a.listMemberships, a.withMemberships()).Counting(belay.ActiveMember, belay.InvitedMember), Query: []string{"q"}, Filters: memberFilters, Does: "List the members (who manages none sees only itself)"},
		{Method: http.MethodPost, Path: paths.Organization + "/organization-memberships", Status: http.StatusCreated, Do: a.inviting(), Does: "Invite somebody"},
		{Method: http.MethodGet, Path: paths.V2 + "/organization-memberships", Status: http.StatusOK, Do: door.Listing(Memberships, a.listMyMemberships, a.withMemberships()), Filters: memberFilters, Does: "List one's own memberships (users only)"},
		{Method: http.MethodGet, Path: paths.V2 + "/organization-memberships/{membership_id}", Status: http.StatusOK, Do: door.Showing(Memberships, a.showMembership, a.withMemberships()), Does: "See another one's membership"},
		{Method: http.MethodDelete, Path: paths.V2 + "/organization-memberships/{membership_id}", Status: http.StatusNoContent, Do: door.Doing(a.deleteMembership), Refuses: []belay.Kind{belay.Forbidden}, Does: "Take another user out of the organization"},
		{Method: http.MethodGet, Path: paths.Organization + "/teams", Status: http.StatusOK, Do: door.Listing(Teams, a.listTeams, a.withTeams()), Query: []string{"q"}, Filters: nameFilters, Does: "List the teams that one sees"},
		{Method: http.MethodPost, Path: paths.Organization + "/teams", Status: http.StatusOK, Do: door.Writing(Teams, a.createTeam, a.withTeams()), Creates: true, Does: "Make a team"},
		{Method: http.MethodGet, Path: paths.Team, Status: http.StatusOK, Do: door.Showing(Teams, a.showTeam, a.withTeams()), Does: "See a visible team of others"},
		{Method: http.MethodPatch, Path: paths.Team, Status: http.StatusOK, Do: door.Writing(Teams, a.updateTeam, a.withTeams()), Does: "Change a team"},
		{Method: http.MethodDelete, Path: paths.Team, Status: http.StatusNoContent, Do: door.Doing(a.deleteTeam), Refuses: []belay.Kind{belay.Forbidden}, Does: "Delete a team"},
		{Method: http.MethodGet, Path: paths.Team + "/relationships/users", Status: http.StatusOK, Do: door.ListingAll(PublicUsers, a.listTeamUsers), Does: "List the users in a visible team"},
		{Method: http.MethodPost, Path: paths.Team + "/relationships/users", Status: http.StatusNoContent, Do: door.Naming("users", a.addTeamUsers), Refuses: []belay.Kind{belay.Forbidden}, Does: "Put users into a team"},
		{Method: http.MethodDelete, Path: paths.Team + "/relationships/users", Status: http.StatusNoContent, Do: door.Naming("users", a.removeTeamUsers), Refuses: []belay.Kind{belay.Forbidden}, Does: "Take users out of a team"},
		{Method: http.MethodGet, Path: paths.Team + "/relationships/organization-memberships", Status: http.StatusOK, Do: door.ListingAll(Memberships, a.listTeamMemberships), Does: "List who is in a visible team"},
		{Method: http.MethodPost, Path: paths.Team + "/relationships/organization-memberships", Status: http.StatusNoContent, Do: door.Naming("organization-memberships", a.addTeamMemberships), Refuses: []belay.Kind{belay.Forbidden}, Does: "Put members into a team"},
		{Method: http.MethodDelete, Path: paths.Team + "/relationships/organization-memberships", Status: http.StatusNoContent, Do: door.Naming("organization-memberships", a.removeTeamMemberships), Refuses: []belay.Kind{belay.Forbidden}, Does: "Take members out of a team"},
		{Method: http.MethodGet, Path: paths.V2 + "/team-workspaces", Status: http.StatusOK, Do: door.ListingWhole(teamWorkspaces, a.listTeamWorkspaces), Filters: accessFilters, Does: "List the teams of a workspace (its own teams, who manages none)"},
		{Method: http.MethodPost, Path: paths.V2 + "/team-workspaces", Status: http.StatusCreated, Do: granting(teamWorkspaces, "workspace", teamWorkspaceRules, a.createTeamWorkspace), Does: "Give a team access to a workspace"},
		{Method: http.MethodGet, Path: paths.V2 + "/team-workspaces/{access_id}", Status: http.StatusOK, Do: door.Showing(teamWorkspaces, a.showTeamWorkspace), Does: "See the access of another team to a workspace"},
		{Method: http.MethodPatch, Path: paths.V2 + "/team-workspaces/{access_id}", Status: http.StatusOK, Do: door.Writing(teamWorkspaces, a.updateTeamWorkspace), Does: "Change the access of a team to a workspace"},
		{Method: http.MethodDelete, Path: paths.V2 + "/team-workspaces/{access_id}", Status: http.StatusNoContent, Do: door.Doing(a.deleteTeamWorkspace), Does: "Take the access of a team to a workspace away"},
		{Method: http.MethodGet, Path: paths.V2 + "/team-projects", Status: http.StatusOK, Do: door.ListingWhole(teamProjects, a.listTeamProjects), Filters: accessFilters, Does: "List the teams of a project (its own teams, who manages none)"},
		{Method: http.MethodPost, Path: paths.V2 + "/team-projects", Status: http.StatusCreated, Do: granting(teamProjects, "project", teamProjectRules, a.createTeamProject), Does: "Give a team access to a project"},
		{Method: http.MethodGet, Path: paths.V2 + "/team-projects/{access_id}", Status: http.StatusOK, Do: door.Showing(teamProjects, a.showTeamProject), Does: "See the access of another team to a project"},
		{Method: http.MethodPatch, Path: paths.V2 + "/team-projects/{access_id}", Status: http.StatusOK, Do: door.Writing(teamProjects, a.updateTeamProject), Does: "Change the access of a team to a project"},
		{Method: http.MethodDelete, Path: paths.V2 + "/team-projects/{access_id}", Status: http.StatusNoContent, Do: door.Doing(a.deleteTeamProject), Does: "Take the access of a team to a project away"},

		// Workspaces.
		{Method: http.MethodPost, Path: paths.Workspace + "/actions/issue-run-token", Status: http.StatusCreated, Do: Issuing(a.issueRunToken), Does: "Make a token for a run of the workspace"},
	}
}

// What lists are filtered by: what they read, and what published clients send to them.
var (
	nameFilters   = []string{"filter[names]"}
	userFilters   = []string{"filter[admin]", "filter[suspended]"}
	memberFilters = []string{"filter[email]", "filter[status]"}
	accessFilters = []string{"filter[workspace][id]", "filter[project][id]"}
)
