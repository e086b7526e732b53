package api_test

import (
	"fmt"

	"github.com/belayhq/belay"
)

// areas is the whole matrix. A new part of the API adds an area, in a file of its own.
func areas() []area {
	return []area{
		instanceArea, accountArea, organizationArea, memberArea, teamArea, teamAccessArea,
		projectArea, workspaceArea, lockArea, stateArea, consumerArea, variableArea, variableSetArea, triggerArea,
		tagArea, bindingArea, requestArea, explorerArea, notificationArea, auditArea,
		retentionArea, keyArea, poolArea, connectionArea,
	}
}

var instanceArea = area{"THE SITE", []row{
	{route: "GET /.well-known/terraform.json", does: "Find the services (open to everybody)", open: true},
	{route: "GET /ping", does: "Ask for the version (open to everybody)", open: true},
	{route: "POST /oauth/token", does: "Redeem the code of a sign-in (open: the code is the secret)", open: true, also: []int{400, 401}},
	{route: "GET /admin/users", does: "List all users of the site"},
	{route: "POST /admin/users", does: "Make a user", body: `{"data":{"attributes":{"username":"<unique>","email":"<unique>@example.com"}}}`},
	{route: "PATCH /admin/users/{user_id}", does: "Change a user", body: `{"data":{"attributes":{"is-admin":false}}}`},
	{route: "POST /admin/users/{user_id}/actions/suspend", does: "Suspend a user", uses: freshMember},
	{route: "POST /admin/users/{user_id}/actions/unsuspend", does: "Give a suspended user its tokens back", uses: freshMember},
	{route: "POST /admin/users/{user_id}/actions/grant_admin", does: "Make a user a site admin", uses: freshMember},
	{route: "POST /admin/users/{user_id}/actions/revoke_admin", does: "Take the site from a user", uses: freshMember},
	{route: "DELETE /admin/users/{user_id}", does: "Delete a user", uses: freshMember},
	{route: "GET /admin/terraform-versions", does: "List the engine versions"},
	{route: "POST /admin/terraform-versions", does: "Make an engine version known", uses: freshVersion, body: `{"data":{"attributes":{"version":"<version>"}}}`},
	{route: "GET /admin/terraform-versions/{version_id}", does: "See an engine version"},
	{route: "PATCH /admin/terraform-versions/{version_id}", does: "Change an engine version", body: `{"data":{"attributes":{"beta":true}}}`},
	{route: "DELETE /admin/terraform-versions/{version_id}", does: "Forget an engine version", uses: knownVersion},
	{route: "GET /feature-sets", does: "List the plans", anybody: true},
	{route: "GET /admin/feature-sets", does: "List the plans to assign"},
	{route: "POST /admin/organizations/{organization_name}/subscription", does: "Assign a plan", body: `{"data":{"attributes":{}}}`},
}}

var versions int

func freshVersion(*world, *role) things {
	versions++
	return things{"version": fmt.Sprintf("99.0.%d", versions)}
}

func knownVersion(w *world, _ *role) things {
	return things{"version_id": w.make("/admin/terraform-versions", freshVersion(w, nil).in(`{"data":{"attributes":{"version":"<version>"}}}`))}
}

var accountArea = area{"ONE'S OWN ACCOUNT, AND OTHER USERS", []row{
	{route: "GET /account/details", does: "See who one is", anybody: true},
	{route: "PATCH /account/update", does: "Change one's own name or address", anybody: true, body: `{"data":{"attributes":{}}}`},
	{route: "PATCH /account/password", does: "Change one's own password", anybody: true, also: []int{422},
		body: `{"data":{"attributes":{"current_password":"x","password":"correct horse","password_confirmation":"another horse"}}}`},
	{route: "GET /users/{user_id}", does: "See another member of the organization"},
	{route: "GET /users/{user_id}/authentication-tokens", does: "List the tokens of another user"},
	{route: "POST /users/{user_id}/authentication-tokens", does: "Make a token for another user", body: `{"data":{"attributes":{}}}`},
	{route: "GET /authentication-tokens/{token_id}", does: "See a token of another user"},
	{route: "DELETE /authentication-tokens/{token_id}", does: "Revoke a token of another user", uses: freshUserToken},
}}

func freshUserToken(w *world, _ *role) things {
	return things{"token_id": w.make("/users/"+w.shared["user_id"]+"/authentication-tokens", "")}
}

var organizationArea = area{"THE ORGANIZATION", []row{
	{route: "GET /organizations", does: "List one's own organizations", anybody: true},
	{route: "POST /organizations", does: "Make an organization", anybody: true, body: `{"data":{"attributes":{"name":"<unique>","email":"a@example.com"}}}`},
	{route: "GET /organizations/{organization_name}", does: "See the organization"},
	{route: "PATCH /organizations/{organization_name}", does: "Change its settings", body: `{"data":{"attributes":{"email":"acme@example.com"}}}`},
	{route: "PUT /organizations/{organization_name}", does: "Change its settings (older form)", body: `{"data":{"attributes":{"email":"acme@example.com"}}}`},
	{route: "DELETE /organizations/{organization_name}", does: "Delete it with all that is in it", apart: true, uses: spareOrganization},
	{route: "GET /organizations/{organization_name}/entitlement-set", does: "See what it is entitled to"},
	{route: "GET /organizations/{organization_name}/feature-sets", does: "List the plans it may have"},
	{route: "GET /organizations/{organization_name}/subscription", does: "See its plan"},
	{route: "GET /organizations/{organization_name}/authentication-token", does: "See when its token was made and used", query: "token=audit-trails"},
	{route: "POST /organizations/{organization_name}/authentication-token", does: "Make its token anew", apart: true, uses: spareToken},
	{route: "DELETE /organizations/{organization_name}/authentication-token", does: "Revoke its token", apart: true, uses: spareToken},
}}

// spareToken is an organization whose token may be lost.
func spareToken(w *world, r *role) things {
	spare := spareOrganization(w, r)
	if spare != nil {
		w.value("/organizations/"+spare["organization_name"]+"/authentication-token", "")
	}
	return spare
}

var memberArea = area{"MEMBERS OF THE ORGANIZATION", []row{
	{route: "GET /organizations/{organization_name}/organization-memberships", does: "List the members (who manages none sees only itself)"},
	{route: "POST /organizations/{organization_name}/organization-memberships", does: "Invite somebody", body: `{"data":{"attributes":{"email":"<unique>@example.com"}}}`},
	{route: "GET /organization-memberships", does: "List one's own memberships (users only)", anybody: true},
	{route: "GET /organization-memberships/{membership_id}", does: "See another one's membership"},
	{route: "DELETE /organization-memberships/{membership_id}", does: "Take another user out of the organization", uses: freshMember},
}}

const aMember = `{"data":[{"type":"users","id":"<username>"}]}`
const aMembership = `{"data":[{"type":"organization-memberships","id":"<membership_id>"}]}`

var teamArea = area{"TEAMS, WHO IS IN THEM, AND THEIR TOKENS", []row{
	{route: "GET /organizations/{organization_name}/teams", does: "List the teams that one sees"},
	{route: "POST /organizations/{organization_name}/teams", does: "Make a team", body: `{"data":{"attributes":{"name":"<unique>"}}}`},
	{route: "GET /teams/{team_id}", does: "See a visible team of others"},
	{route: "GET /teams/{team_id}", does: "See a secret team of others", uses: secretTeam},
	{route: "PATCH /teams/{team_id}", does: "Change a team", body: `{"data":{"attributes":{"description":"<unique>"}}}`},
	{route: "DELETE /teams/{team_id}", does: "Delete a team", uses: freshTeam},
	{route: "POST /teams/{team_id}/relationships/users", does: "Put users into a team", body: aMember},
	{route: "DELETE /teams/{team_id}/relationships/users", does: "Take users out of a team", body: aMember},
	{route: "GET /teams/{team_id}/relationships/organization-memberships", does: "List who is in a visible team"},
	{route: "POST /teams/{team_id}/relationships/organization-memberships", does: "Put members into a team", body: aMembership},
	{route: "DELETE /teams/{team_id}/relationships/organization-memberships", does: "Take members out of a team", body: aMembership},
	{route: "GET /teams/{team_id}/authentication-token", does: "See when a team's token was made and used", uses: teamWithToken},
	{route: "POST /teams/{team_id}/authentication-token", does: "Make a team's token anew"},
	{route: "DELETE /teams/{team_id}/authentication-token", does: "Revoke a team's token", uses: teamWithToken},
	{route: "GET /teams/{team_id}/authentication-tokens", does: "List the tokens of a team"},
	{route: "POST /teams/{team_id}/authentication-tokens", does: "Make one more token of a team", body: `{"data":{"attributes":{"description":"<unique>"}}}`},
	{route: "GET /organizations/{organization_name}/team-tokens", does: "List the tokens of the teams whose tokens one may manage"},
	{route: "DELETE /organizations/{organization_name}/team-tokens", does: "Revoke tokens of any teams", body: `{"data":[]}`},
}}

func teamWithToken(w *world, r *role) things {
	made := freshTeam(w, r)
	w.value("/teams/"+made["team_id"]+"/authentication-token", "")
	return made
}

const teamOnWorkspace = `{"data":{"attributes":{"access":"read"},"relationships":{"team":{"data":{"id":"<team_id>"}},"workspace":{"data":{"id":"<workspace_id>"}}}}}`
const teamOnProject = `{"data":{"attributes":{"access":"read"},"relationships":{"team":{"data":{"id":"<team_id>"}},"project":{"data":{"id":"<project_id>"}}}}}`

var teamAccessArea = area{"WHICH TEAM MAY DO WHAT WITH A WORKSPACE OR A PROJECT", []row{
	{route: "GET /team-workspaces", does: "List the teams of a workspace (its own teams, who manages none)", query: "filter[workspace][id]=<workspace_id>"},
	{route: "POST /team-workspaces", does: "Give a team access to a workspace", uses: freshTeam,
		body: teamOnWorkspace},
	{route: "GET /team-workspaces/{access_id}", does: "See the access of another team to a workspace", uses: givenWorkspace},
	{route: "PATCH /team-workspaces/{access_id}", does: "Change the access of a team to a workspace", uses: givenWorkspace, body: `{"data":{"attributes":{"access":"plan"}}}`},
	{route: "DELETE /team-workspaces/{access_id}", does: "Take the access of a team to a workspace away", uses: givenWorkspace},
	{route: "GET /team-projects", does: "List the teams of a project (its own teams, who manages none)", query: "filter[project][id]=<project_id>"},
	{route: "POST /team-projects", does: "Give a team access to a project", uses: freshTeam,
		body: teamOnProject},
	{route: "GET /team-projects/{access_id}", does: "See the access of another team to a project", uses: givenProject},
	{route: "PATCH /team-projects/{access_id}", does: "Change the access of a team to a project", uses: givenProject, body: `{"data":{"attributes":{"access":"write"}}}`},
	{route: "DELETE /team-projects/{access_id}", does: "Take the access of a team to a project away", uses: givenProject},
}}

func givenWorkspace(w *world, r *role) things {
	made := w.shared.with(freshTeam(w, r))
	return things{"access_id": w.make("/team-workspaces", made.in(teamOnWorkspace))}
}

func givenProject(w *world, r *role) things {
	made := w.shared.with(freshTeam(w, r))
	return things{"access_id": w.make("/team-projects", made.in(teamOnProject))}
}

var projectArea = area{"PROJECTS", []row{
	{route: "GET /organizations/{organization_name}/projects", does: "List the projects that one sees"},
	{route: "POST /organizations/{organization_name}/projects", does: "Make a project", body: `{"data":{"attributes":{"name":"<unique>"}}}`},
	{route: "GET /projects/{project_id}", does: "See the project"},
	{route: "PATCH /projects/{project_id}", does: "Change its settings", body: `{"data":{"attributes":{"description":"<unique>"}}}`},
	{route: "DELETE /projects/{project_id}", does: "Delete it, when it is empty", uses: freshProject},
	{route: "POST /projects/{project_id}/relationships/workspaces", does: "Move workspaces to a project where one may do the same", apart: true, uses: projectToMoveTo,
		body: `{"data":[{"type":"workspaces","id":"<workspace_id>"}]}`},
}}

// projectToMoveTo is another project where the role may do the same, and a workspace of
// the first.
func projectToMoveTo(w *world, r *role) things {
	made := freshWorkspace(w, r)
	made["project_id"] = freshProject(w, r)["project_id"]
	return made
}

var workspaceArea = area{"WORKSPACES", []row{
	{route: "GET /organizations/{organization_name}/workspaces", does: "List the workspaces that one sees"},
	{route: "POST /organizations/{organization_name}/workspaces", does: "Make a workspace in the project",
		body: `{"data":{"attributes":{"name":"<unique>"},"relationships":{"project":{"data":{"id":"<project_id>"}}}}}`},
	{route: "GET /organizations/{organization_name}/workspaces/{name}", does: "See the workspace, by its name"},
	{route: "GET /workspaces/{workspace_id}", does: "See the workspace"},
	{route: "PATCH /organizations/{organization_name}/workspaces/{name}", does: "Change its settings, by its name", body: `{"data":{"attributes":{"description":"<unique>"}}}`},
	{route: "PATCH /workspaces/{workspace_id}", does: "Change its settings", body: `{"data":{"attributes":{"description":"<unique>"}}}`},
	{route: "POST /organizations/{organization_name}/workspaces/{name}/actions/safe-delete", does: "Delete it when it manages nothing, by its name", uses: freshWorkspace},
	{route: "POST /workspaces/{workspace_id}/actions/safe-delete", does: "Delete it when it manages nothing", uses: freshWorkspace},
	{route: "DELETE /organizations/{organization_name}/workspaces/{name}", does: "Delete it whatever it manages, by its name", uses: freshWorkspace},
	{route: "DELETE /workspaces/{workspace_id}", does: "Delete it whatever it manages", uses: freshWorkspace},
}}

var lockArea = area{"LOCKS", []row{
	{route: "POST /workspaces/{workspace_id}/actions/lock", does: "Lock a workspace", uses: freshWorkspace},
	{route: "POST /workspaces/{workspace_id}/actions/unlock", does: "Give one's own lock back", apart: true, uses: lockedWorkspace, also: []int{409}},
	{route: "POST /workspaces/{workspace_id}/actions/force-unlock", does: "Take anybody's lock away", apart: true, uses: lockedWorkspace},
}}

const consumers = `{"data":[{"type":"workspaces","id":"<consumer_id>"}]}`

var consumerArea = area{"WHO READS A WORKSPACE'S STATE IN ITS RUNS", []row{
	{route: "GET /workspaces/{workspace_id}/relationships/remote-state-consumers", does: "List the workspaces that read its state"},
	{route: "POST /workspaces/{workspace_id}/relationships/remote-state-consumers", does: "Let one more workspace that one sees read its state", uses: seenConsumer, body: consumers},
	{route: "DELETE /workspaces/{workspace_id}/relationships/remote-state-consumers", does: "Let a workspace that one sees no longer read its state", uses: seenConsumer, body: consumers},
	{route: "PATCH /workspaces/{workspace_id}/relationships/remote-state-consumers", does: "Replace the whole list", uses: seenConsumer, body: consumers},
	{route: "POST /workspaces/{workspace_id}/actions/issue-run-token", does: "Make a token for a run of the workspace"},
}}

// seenConsumer is a workspace that the role sees as it sees the first.
func seenConsumer(w *world, r *role) things {
	return things{"consumer_id": freshWorkspace(w, r)["workspace_id"]}
}

var tagArea = area{"TAGS", []row{
	{route: "GET /workspaces/{workspace_id}/relationships/tags", does: "List the tags of a workspace"},
	{route: "POST /workspaces/{workspace_id}/relationships/tags", does: "Tag a workspace", body: `{"data":[{"type":"tags","attributes":{"name":"blue"}}]}`},
	{route: "DELETE /workspaces/{workspace_id}/relationships/tags", does: "Take a tag off a workspace", body: `{"data":[{"type":"tags","attributes":{"name":"red"}}]}`},
	{route: "GET /organizations/{organization_name}/tags", does: "List the tags of the organization"},
	{route: "DELETE /organizations/{organization_name}/tags", does: "Delete a tag from all workspaces", uses: freshTag, body: `{"data":[{"type":"tags","id":"<tag_id>"}]}`},
	{route: "POST /tags/{tag_id}/relationships/workspaces", does: "Put a tag on a workspace", uses: freshTag, body: `{"data":[{"type":"workspaces","id":"<workspace_id>"}]}`},
}}

func freshTag(w *world, _ *role) things {
	name := "t" + belay.RandomText(10)
	other := w.shared["other_workspace_id"]
	w.do("POST", "/workspaces/"+other+"/relationships/tags", fmt.Sprintf(`{"data":[{"type":"tags","attributes":{"name":%q}}]}`, name))
	return things{"tag_id": w.get("/organizations/acme/tags?q="+name, "data.0.id")}
}

const bulkAction = `{"data":{"action_type":"change_requests","action_inputs":{"subject":"<unique>","message":"m"},"target_ids":["<workspace_id>"]}}`

var auditArea = area{"THE AUDIT TRAIL", []row{
	{route: "GET /organizations/{organization_name}/audit-trail", does: "See what was done in an organization, and by whom"},
	{route: "GET /organization/audit-trail", does: "See that of the organization whose token this is"},
}}

var requestArea = area{"CHANGE REQUESTS", []row{
	{route: "POST /organizations/{organization_name}/explorer/bulk-actions", does: "Ask for a change of many workspaces", body: bulkAction},
	{route: "GET /organizations/{organization_name}/explorer/bulk-actions/{bulk_action_id}", does: "See such a bulk action"},
	{route: "GET /explorer/bulk-actions/{bulk_action_id}", does: "See such a bulk action (shorter path)"},
	{route: "GET /organizations/{organization_name}/change-requests", does: "List the change requests of the workspaces that one sees"},
	{route: "GET /workspaces/{workspace_id}/change-requests", does: "List the change requests of a workspace"},
	{route: "GET /workspaces/change-requests/change-requests", does: "List those of the workspace called change-requests", apart: true, uses: oddName},
	{route: "GET /organizations/{organization_name}/workspaces/{name}/change-requests", does: "List the change requests of a workspace, by its name"},
	{route: "GET /change-requests/{change_request_id}", does: "See a change request"},
	{route: "GET /workspaces/change-requests/{change_request_id}", does: "See a change request (longer path)"},
	{route: "GET /change-requests/{change_request_id}/actions/archive", does: "See a change request (odd path)"},
	{route: "POST /change-requests/{change_request_id}/actions/archive", does: "Archive a change request", uses: freshRequest},
	{route: "POST /change-requests/{change_request_id}", does: "Archive a change request (shorter path)", uses: freshRequest},
	{route: "PATCH /change-requests/{change_request_id}", does: "Archive a change request (other method)", uses: freshRequest},
	{route: "POST /workspaces/change-requests/{change_request_id}", does: "Archive a change request (longer path)", uses: freshRequest},
	{route: "PATCH /workspaces/change-requests/{change_request_id}", does: "Archive a change request (longer path, other method)", uses: freshRequest},
}}

func freshRequest(w *world, _ *role) things {
	action := w.make("/organizations/acme/explorer/bulk-actions", w.shared.with(nil).in(bulkAction))
	return things{"bulk_action_id": action, "change_request_id": w.get("/workspaces/"+w.shared["workspace_id"]+"/change-requests", "data.0.id")}
}

// oddName is a workspace whose name is a part of the API's paths, made once.
func oddName(w *world, r *role) things {
	if w.shared["odd_workspace_id"] == "" {
		w.shared["odd_workspace_id"] = w.make("/organizations/acme/workspaces", w.shared.in(
			`{"data":{"attributes":{"name":"change-requests"},"relationships":{"project":{"data":{"id":"<project_id>"}}}}}`))
	}
	if r.workspace != "" {
		w.grant(r, things{"workspace_id": w.shared["odd_workspace_id"]})
	}
	return nil
}

var keyArea = area{"SSH KEYS", []row{
	{route: "GET /organizations/{organization_name}/ssh-keys", does: "List the names of the SSH keys"},
	{route: "POST /organizations/{organization_name}/ssh-keys", does: "Keep an SSH key", body: `{"data":{"attributes":{"name":"<unique>","value":"k"}}}`},
	{route: "GET /ssh-keys/{ssh_key_id}", does: "See the name of an SSH key"},
	{route: "PATCH /ssh-keys/{ssh_key_id}", does: "Rename an SSH key", body: `{"data":{"attributes":{"name":"<unique>"}}}`},
	{route: "DELETE /ssh-keys/{ssh_key_id}", does: "Delete an SSH key", uses: freshKey},
	{route: "PATCH /workspaces/{workspace_id}/relationships/ssh-key", does: "Give a workspace an SSH key", body: `{"data":{"type":"workspaces","attributes":{"id":"<ssh_key_id>"}}}`},
}}

func freshKey(w *world, _ *role) things {
	return things{"ssh_key_id": w.make("/organizations/acme/ssh-keys", things{}.with(nil).in(`{"data":{"attributes":{"name":"<unique>","value":"k"}}}`))}
}

var poolArea = area{"AGENT POOLS", []row{
	{route: "GET /organizations/{organization_name}/agent-pools", does: "List the agent pools"},
	{route: "POST /organizations/{organization_name}/agent-pools", does: "Make an agent pool", body: `{"data":{"attributes":{"name":"<unique>"}}}`},
	{route: "GET /agent-pools/{agent_pool_id}", does: "See an agent pool"},
	{route: "PATCH /agent-pools/{agent_pool_id}", does: "Change an agent pool", body: `{"data":{"attributes":{"name":"<unique>"}}}`},
	{route: "DELETE /agent-pools/{agent_pool_id}", does: "Delete an agent pool", uses: freshPool},
	{route: "GET /agent-pools/{agent_pool_id}/agents", does: "List the agents of a pool"},
	{route: "GET /agent-pools/{agent_pool_id}/authentication-tokens", does: "List the tokens of a pool"},
	{route: "POST /agent-pools/{agent_pool_id}/authentication-tokens", does: "Make a token for agents", body: `{"data":{"attributes":{"description":"d"}}}`},
}}

func freshPool(w *world, _ *role) things {
	return things{"agent_pool_id": w.make("/organizations/acme/agent-pools", things{}.with(nil).in(`{"data":{"attributes":{"name":"<unique>"}}}`))}
}

const connection = `{"data":{"attributes":{"service-provider":"github","http-url":"https://github.com","api-url":"https://api.github.com","oauth-token-string":"t"}}}`

var connectionArea = area{"CONNECTIONS TO VERSION CONTROL", []row{
	{route: "GET /organizations/{organization_name}/oauth-clients", does: "List the connections"},
	{route: "POST /organizations/{organization_name}/oauth-clients", does: "Make a connection", body: connection},
	{route: "GET /oauth-clients/{oauth_client_id}", does: "See a connection"},
	{route: "PATCH /oauth-clients/{oauth_client_id}", does: "Change a connection", body: `{"data":{"attributes":{"name":"<unique>"}}}`},
	{route: "DELETE /oauth-clients/{oauth_client_id}", does: "Delete a connection", uses: freshConnection},
	{route: "GET /oauth-clients/{oauth_client_id}/oauth-tokens", does: "List the tokens of a connection"},
	{route: "POST /oauth-clients/{oauth_client_id}/relationships/projects", does: "Offer a connection to a project", body: `{"data":[{"type":"projects","id":"<project_id>"}]}`},
	{route: "DELETE /oauth-clients/{oauth_client_id}/relationships/projects", does: "Take a connection from a project", body: `{"data":[{"type":"projects","id":"<project_id>"}]}`},
	{route: "GET /organizations/{organization_name}/oauth-tokens", does: "List the tokens of all connections"},
	{route: "GET /oauth-tokens/{oauth_token_id}", does: "See the token of a connection"},
	{route: "PATCH /oauth-tokens/{oauth_token_id}", does: "Change the SSH key of a connection's token", body: `{"data":{"attributes":{"ssh-key":"k"}}}`},
	{route: "DELETE /oauth-tokens/{oauth_token_id}", does: "Delete the token of a connection", uses: freshConnection},
}}

func freshConnection(w *world, _ *role) things {
	client := w.make("/organizations/acme/oauth-clients", connection)
	return things{"oauth_client_id": client, "oauth_token_id": w.get("/oauth-clients/"+client+"/oauth-tokens", "data.0.id")}
}

// moreThings makes one of each thing that requests are about. New parts of the API add
// theirs here.
func moreThings(w *world) things {
	all := things{}
	for _, fresh := range []func(*world, *role) things{
		freshUserToken, knownVersion, freshTag, freshRequest, freshKey, freshPool, freshConnection, freshReserved, freshView, freshSet, freshVariable, freshNotification,
	} {
		for name, value := range fresh(w, nil) {
			all[name] = value
		}
	}
	return all
}
