package api_test

import (
	"fmt"
	"slices"
	"strings"
	"sync/atomic"

	"github.com/belayhq/belay"
	"github.com/belayhq/belay/forge"
	"github.com/belayhq/belay/internal/store"
)

// joined is the areas that files of their own add, and how what they ask about is made.
var joined struct {
	areas []area
	fresh []func(*world, *role) things
}

// joins adds an area to the matrix, and what makes the things that it is about.
func joins(a area, fresh ...func(*world, *role) things) struct{} {
	joined.areas, joined.fresh = append(joined.areas, a), append(joined.fresh, fresh...)
	return struct{}{}
}

// areas is the whole matrix. A new part of the API joins, in a file of its own.
func areas() []area {
	return slices.Concat([]area{
		instanceArea, accountArea, identityArea, organizationArea, memberArea, teamArea, teamAccessArea,
		projectArea, workspaceArea, lockArea, stateArea, configurationArea, runArea, assessmentArea, consumerArea, variableArea, variableSetArea, triggerArea,
		tagArea, bindingArea, requestArea, explorerArea, notificationArea, auditArea,
		retentionArea, viewArea, keyArea, poolArea, connectionArea,
	}, joined.areas)
}

var instanceArea = area{"THE SITE", []row{
	{route: "GET /.well-known/terraform.json", open: true},
	{route: "GET /openapi.json", open: true},
	{route: "GET /ping", open: true},
	{route: "POST /oauth/token", open: true, also: []int{400, 401}},
	{route: "GET /admin/users"},
	{route: "POST /admin/users", body: `{"data":{"attributes":{"username":"<unique>","email":"<unique>@example.com"}}}`},
	{route: "PATCH /admin/users/{user_id}", body: `{"data":{"attributes":{"is-admin":false}}}`},
	{route: "POST /admin/users/{user_id}/actions/suspend", uses: freshMember},
	{route: "POST /admin/users/{user_id}/actions/unsuspend", uses: freshMember},
	{route: "POST /admin/users/{user_id}/actions/password-link", uses: freshMember},
	{route: "POST /admin/users/{user_id}/actions/grant_admin", uses: freshMember},
	{route: "POST /admin/users/{user_id}/actions/revoke_admin", uses: freshMember},
	{route: "DELETE /admin/users/{user_id}", uses: freshMember},
	{route: "GET /admin/site-health"},
	{route: "GET /admin/storage"},
	{route: "GET /admin/encryption-keys"},
	{route: "GET /admin/notification-deliveries"},
	{route: "GET /admin/terraform-versions"},
	{route: "POST /admin/terraform-versions", uses: freshVersion, body: `{"data":{"attributes":{"version":"<version>"}}}`},
	{route: "GET /admin/terraform-versions/{version_id}"},
	{route: "PATCH /admin/terraform-versions/{version_id}", body: `{"data":{"attributes":{"beta":true}}}`},
	{route: "POST /admin/terraform-versions/{version_id}/actions/support-from", uses: knownVersion},
	{route: "DELETE /admin/terraform-versions/{version_id}", uses: knownVersion},
	{route: "GET /feature-sets", anybody: true},
	{route: "GET /admin/feature-sets"},
	{route: "POST /admin/organizations/{organization_name}/subscription", body: `{"data":{"attributes":{}}}`},
}}

var versions atomic.Int64

func freshVersion(*world, *role) things {
	return things{"version": fmt.Sprintf("99.0.%d", versions.Add(1))}
}

func knownVersion(w *world, _ *role) things {
	return things{"version_id": w.make("/admin/terraform-versions", freshVersion(w, nil).in(`{"data":{"attributes":{"version":"<version>"}}}`))}
}

var accountArea = area{"ONE'S OWN ACCOUNT, AND OTHER USERS", []row{
	{route: "GET /account/details", anybody: true},
	{route: "PATCH /account/update", anybody: true, body: `{"data":{"attributes":{}}}`},
	{route: "PATCH /account/password", anybody: true, also: []int{422},
		body: `{"data":{"attributes":{"current_password":"x","password":"correct horse","password_confirmation":"another horse"}}}`},
	{route: "GET /users/{user_id}"},
	{route: "GET /users/{user_id}/authentication-tokens"},
	{route: "POST /users/{user_id}/authentication-tokens", body: `{"data":{"attributes":{}}}`},
	{route: "GET /authentication-tokens/{token_id}"},
	{route: "PATCH /authentication-tokens/{token_id}", body: `{"data":{"attributes":{"description":"d"}}}`},
	{route: "DELETE /authentication-tokens/{token_id}", uses: freshUserToken},
}}

func freshUserToken(w *world, _ *role) things {
	return things{"token_id": w.make("/users/"+w.shared["user_id"]+"/authentication-tokens", "")}
}

var organizationArea = area{"THE ORGANIZATION", []row{
	{route: "GET /organizations", anybody: true},
	{route: "POST /organizations", anybody: true, body: `{"data":{"attributes":{"name":"<unique>","email":"a@example.com"}}}`},
	{route: "GET /organizations/{organization_name}"},
	{route: "PATCH /organizations/{organization_name}", body: `{"data":{"attributes":{"email":"acme@example.com"}}}`},
	{route: "PUT /organizations/{organization_name}", body: `{"data":{"attributes":{"email":"acme@example.com"}}}`},
	{route: "DELETE /organizations/{organization_name}", apart: true, uses: spareOrganization},
	{route: "GET /organizations/{organization_name}/entitlement-set"},
	{route: "GET /organizations/{organization_name}/feature-sets"},
	{route: "GET /organizations/{organization_name}/subscription"},
	{route: "PATCH /organizations/{organization_name}/subscription", body: `{"data":{"attributes":{}}}`},
	{route: "GET /subscriptions/{subscription_id}", uses: itsSubscription},
	{route: "GET /organizations/{organization_name}/authentication-token", query: "token=audit-trails"},
	{route: "POST /organizations/{organization_name}/authentication-token", apart: true, uses: spareToken},
	{route: "DELETE /organizations/{organization_name}/authentication-token", apart: true, uses: spareToken},
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
	{route: "GET /organizations/{organization_name}/access-reasons", query: "user=<username>&permission=apply-runs&workspace=<name>"},
	{route: "GET /organizations/{organization_name}/organization-memberships"},
	{route: "POST /organizations/{organization_name}/organization-memberships", body: `{"data":{"attributes":{"email":"<unique>@example.com"}}}`},
	{route: "GET /organization-memberships", anybody: true},
	{route: "GET /organization-memberships/{membership_id}"},
	{route: "POST /organization-memberships/{membership_id}/actions/resend", also: []int{422}},
	{route: "DELETE /organization-memberships/{membership_id}", uses: freshMember},
}}

const aMember = `{"data":[{"type":"users","id":"<username>"}]}`
const aMembership = `{"data":[{"type":"organization-memberships","id":"<membership_id>"}]}`

var teamArea = area{"TEAMS, WHO IS IN THEM, AND THEIR TOKENS", []row{
	{route: "GET /organizations/{organization_name}/teams"},
	{route: "POST /organizations/{organization_name}/teams", body: `{"data":{"attributes":{"name":"<unique>"}}}`},
	{route: "GET /teams/{team_id}"},
	{route: "GET /teams/{team_id}", does: "See a secret team of others", uses: secretTeam},
	{route: "PATCH /teams/{team_id}", body: `{"data":{"attributes":{"description":"<unique>"}}}`},
	{route: "DELETE /teams/{team_id}", uses: freshTeam},
	{route: "GET /teams/{team_id}/relationships/users"},
	{route: "POST /teams/{team_id}/relationships/users", body: aMember},
	{route: "DELETE /teams/{team_id}/relationships/users", body: aMember},
	{route: "GET /teams/{team_id}/relationships/organization-memberships"},
	{route: "POST /teams/{team_id}/relationships/organization-memberships", body: aMembership},
	{route: "DELETE /teams/{team_id}/relationships/organization-memberships", body: aMembership},
	{route: "GET /teams/{team_id}/authentication-token", uses: teamWithToken},
	{route: "POST /teams/{team_id}/authentication-token"},
	{route: "DELETE /teams/{team_id}/authentication-token", uses: teamWithToken},
	{route: "GET /teams/{team_id}/authentication-tokens"},
	{route: "POST /teams/{team_id}/authentication-tokens", body: `{"data":{"attributes":{"description":"<unique>"}}}`},
	{route: "GET /organizations/{organization_name}/team-tokens"},
	{route: "DELETE /organizations/{organization_name}/team-tokens", body: `{"data":[]}`},
}}

func teamWithToken(w *world, r *role) things {
	made := freshTeam(w, r)
	w.value("/teams/"+made["team_id"]+"/authentication-token", "")
	return made
}

const teamOnWorkspace = `{"data":{"attributes":{"access":"read"},"relationships":{"team":{"data":{"id":"<team_id>"}},"workspace":{"data":{"id":"<workspace_id>"}}}}}`
const teamOnProject = `{"data":{"attributes":{"access":"read"},"relationships":{"team":{"data":{"id":"<team_id>"}},"project":{"data":{"id":"<project_id>"}}}}}`

var teamAccessArea = area{"WHICH TEAM MAY DO WHAT WITH A WORKSPACE OR A PROJECT", []row{
	{route: "GET /team-workspaces", query: "filter[workspace][id]=<workspace_id>"},
	{route: "POST /team-workspaces", uses: freshTeam,
		body: teamOnWorkspace},
	{route: "GET /team-workspaces/{access_id}", uses: givenWorkspace},
	{route: "PATCH /team-workspaces/{access_id}", uses: givenWorkspace, body: `{"data":{"attributes":{"access":"plan"}}}`},
	{route: "DELETE /team-workspaces/{access_id}", uses: givenWorkspace},
	{route: "GET /team-projects", query: "filter[project][id]=<project_id>"},
	{route: "POST /team-projects", uses: freshTeam,
		body: teamOnProject},
	{route: "GET /team-projects/{access_id}", uses: givenProject},
	{route: "PATCH /team-projects/{access_id}", uses: givenProject, body: `{"data":{"attributes":{"access":"write"}}}`},
	{route: "DELETE /team-projects/{access_id}", uses: givenProject},
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
	{route: "GET /organizations/{organization_name}/projects"},
	{route: "POST /organizations/{organization_name}/projects", body: `{"data":{"attributes":{"name":"<unique>"}}}`},
	{route: "GET /projects/{project_id}"},
	{route: "PATCH /projects/{project_id}", body: `{"data":{"attributes":{"description":"<unique>"}}}`},
	{route: "DELETE /projects/{project_id}", uses: freshProject},
	{route: "POST /projects/{project_id}/relationships/workspaces", apart: true, uses: projectToMoveTo,
		body: `{"data":[{"type":"workspaces","id":"<workspace_id>"}]}`},
	{route: "PATCH /workspaces/{workspace_id}", does: "Move a workspace by its own settings", apart: true, uses: projectToMoveTo,
		body: `{"data":{"relationships":{"project":{"data":{"id":"<project_id>"}}}}}`},
}}

// projectToMoveTo is another project where the role may do the same, and a workspace of
// the first.
func projectToMoveTo(w *world, r *role) things {
	made := freshWorkspace(w, r)
	made["project_id"] = freshProject(w, r)["project_id"]
	return made
}

var workspaceArea = area{"WORKSPACES", []row{
	{route: "GET /organizations/{organization_name}/workspaces"},
	{route: "POST /organizations/{organization_name}/workspaces",
		body: `{"data":{"attributes":{"name":"<unique>"},"relationships":{"project":{"data":{"id":"<project_id>"}}}}}`},
	{route: "GET /organizations/{organization_name}/workspaces/{name}"},
	{route: "GET /workspaces/{workspace_id}"},
	{route: "PATCH /organizations/{organization_name}/workspaces/{name}", body: `{"data":{"attributes":{"description":"<unique>"}}}`},
	{route: "PATCH /workspaces/{workspace_id}", body: `{"data":{"attributes":{"description":"<unique>"}}}`},
	{route: "POST /organizations/{organization_name}/workspaces/{name}/actions/safe-delete", uses: freshWorkspace},
	{route: "POST /workspaces/{workspace_id}/actions/safe-delete", uses: freshWorkspace},
	{route: "DELETE /organizations/{organization_name}/workspaces/{name}", uses: freshWorkspace},
	{route: "DELETE /workspaces/{workspace_id}", uses: freshWorkspace},
	{route: "GET /organizations/{organization_name}/recoverable-items"},
	{route: "POST /recoverable-items/{recoverable_item_id}/actions/recover", uses: deletedWorkspace},
	{route: "PUT /recoverable-items/{recoverable_item_id}/actions/recover", uses: deletedWorkspace},
	{route: "DELETE /recoverable-items/{recoverable_item_id}", uses: deletedWorkspace},
	{route: "PUT /recoverable-items/{recoverable_item_id}/actions/permanently-delete", uses: deletedWorkspace},
}}

// deletedWorkspace is a workspace that was deleted and can be brought back.
func deletedWorkspace(w *world, r *role) things {
	const organization = "/api/v2/organizations/acme"
	id := freshWorkspace(w, r)["workspace_id"]
	w.send("PATCH", organization, w.admin, `{"data":{"attributes":{"recoverable-items-enabled":true}}}`)
	w.send("DELETE", "/api/v2/workspaces/"+id, w.admin, "")
	w.send("PATCH", organization, w.admin, `{"data":{"attributes":{"recoverable-items-enabled":false}}}`)
	return things{"recoverable_item_id": w.get("/organizations/acme/recoverable-items", "data.0.id")}
}

var lockArea = area{"LOCKS", []row{
	{route: "POST /workspaces/{workspace_id}/actions/lock", uses: freshWorkspace},
	{route: "POST /workspaces/{workspace_id}/actions/unlock", apart: true, uses: lockedWorkspace, also: []int{409}},
	{route: "POST /workspaces/{workspace_id}/actions/force-unlock", apart: true, uses: lockedWorkspace},
	{route: "POST /workspaces/{workspace_id}/actions/ask-holder", apart: true, uses: heldWorkspace, also: []int{409}},
}}

const consumers = `{"data":[{"type":"workspaces","id":"<consumer_id>"}]}`

var consumerArea = area{"WHO READS A WORKSPACE'S STATE IN ITS RUNS", []row{
	{route: "GET /workspaces/{workspace_id}/relationships/remote-state-consumers"},
	{route: "POST /workspaces/{workspace_id}/relationships/remote-state-consumers", uses: seenConsumer, body: consumers},
	{route: "DELETE /workspaces/{workspace_id}/relationships/remote-state-consumers", uses: seenConsumer, body: consumers},
	{route: "PATCH /workspaces/{workspace_id}/relationships/remote-state-consumers", uses: seenConsumer, body: consumers},
	{route: "POST /workspaces/{workspace_id}/actions/issue-run-token"},
}}

// seenConsumer is a workspace that the role sees as it sees the first.
func seenConsumer(w *world, r *role) things {
	return things{"consumer_id": freshWorkspace(w, r)["workspace_id"]}
}

var tagArea = area{"TAGS", []row{
	{route: "GET /workspaces/{workspace_id}/relationships/tags"},
	{route: "POST /workspaces/{workspace_id}/relationships/tags", body: `{"data":[{"type":"tags","attributes":{"name":"blue"}}]}`},
	{route: "DELETE /workspaces/{workspace_id}/relationships/tags", body: `{"data":[{"type":"tags","attributes":{"name":"red"}}]}`},
	{route: "GET /organizations/{organization_name}/tags"},
	{route: "DELETE /organizations/{organization_name}/tags", uses: freshTag, body: `{"data":[{"type":"tags","id":"<tag_id>"}]}`},
	{route: "POST /tags/{tag_id}/relationships/workspaces", uses: freshTag, body: `{"data":[{"type":"workspaces","id":"<workspace_id>"}]}`},
}}

func freshTag(w *world, _ *role) things {
	name := "t" + belay.RandomText(10)
	other := w.shared["other_workspace_id"]
	w.do("POST", "/workspaces/"+other+"/relationships/tags", fmt.Sprintf(`{"data":[{"type":"tags","attributes":{"name":%q}}]}`, name))
	return things{"tag_id": w.get("/organizations/acme/tags?q="+name, "data.0.id")}
}

const bulkAction = `{"data":{"action_type":"change_requests","action_inputs":{"subject":"<unique>","message":"m"},"target_ids":["<workspace_id>"]}}`

var auditArea = area{"THE AUDIT TRAIL", []row{
	{route: "GET /organizations/{organization_name}/audit-trail"},
	{route: "GET /organization/audit-trail"},
}}

var requestArea = area{"CHANGE REQUESTS", []row{
	{route: "POST /organizations/{organization_name}/explorer/bulk-actions", body: bulkAction},
	{route: "GET /organizations/{organization_name}/explorer/bulk-actions/{bulk_action_id}"},
	{route: "GET /explorer/bulk-actions/{bulk_action_id}"},
	{route: "GET /organizations/{organization_name}/change-requests"},
	{route: "GET /workspaces/{workspace_id}/change-requests"},
	{route: "GET /workspaces/change-requests/change-requests", apart: true, uses: oddName},
	{route: "GET /organizations/{organization_name}/workspaces/{name}/change-requests"},
	{route: "GET /change-requests/{change_request_id}"},
	{route: "GET /workspaces/change-requests/{change_request_id}"},
	{route: "GET /change-requests/{change_request_id}/actions/archive"},
	{route: "POST /change-requests/{change_request_id}/actions/archive", uses: freshRequest},
	{route: "POST /change-requests/{change_request_id}", uses: freshRequest},
	{route: "PATCH /change-requests/{change_request_id}", uses: freshRequest},
	{route: "POST /workspaces/change-requests/{change_request_id}", uses: freshRequest},
	{route: "PATCH /workspaces/change-requests/{change_request_id}", uses: freshRequest},
	{route: "POST /change-requests/{change_request_id}/actions/take", uses: freshRequest},
	{route: "POST /change-requests/{change_request_id}/actions/release", uses: freshRequest},
	{route: "GET /organizations/{organization_name}/explorer/bulk-actions"},
	{route: "PATCH /organizations/{organization_name}/explorer/bulk-actions/{bulk_action_id}", body: `{"data":{"attributes":{"due_at":"2031-01-31T00:00:00Z"}}}`},
	{route: "GET /organizations/{organization_name}/explorer/bulk-actions/{bulk_action_id}/progress"},
	{route: "POST /organizations/{organization_name}/explorer/bulk-actions/{bulk_action_id}/actions/archive-ready", uses: freshQuestion},
	{route: "POST /organizations/{organization_name}/explorer/bulk-actions/{bulk_action_id}/actions/file-again", uses: freshQuestion},
	{route: "POST /organizations/{organization_name}/explorer/bulk-actions/{bulk_action_id}/actions/remind", uses: freshRequest},
}}

func freshRequest(w *world, _ *role) things {
	action := w.make("/organizations/acme/explorer/bulk-actions", w.shared.with(nil).in(bulkAction))
	return things{"bulk_action_id": action, "change_request_id": w.get("/workspaces/"+w.shared["workspace_id"]+"/change-requests", "data.0.id")}
}

// freshQuestion is a bulk action that can be asked again which workspaces it is for.
func freshQuestion(w *world, _ *role) things {
	return things{"bulk_action_id": w.make("/organizations/acme/explorer/bulk-actions", w.shared.with(nil).in(
		`{"data":{"action_type":"change_requests","action_inputs":{"subject":"<unique>","message":"m"},"query":{"type":"workspaces"}}}`))}
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

var viewArea = area{"SAVED VIEWS OF THE LIST OF WORKSPACES", []row{
	{route: "GET /organizations/{organization_name}/workspace-views"},
	{route: "POST /organizations/{organization_name}/workspace-views", body: `{"data":{"attributes":{"name":"<unique>","query":"run=failed","shared":true}}}`},
	{route: "GET /workspace-views/{workspace_view_id}", uses: freshWorkspaceView},
	{route: "PATCH /workspace-views/{workspace_view_id}", uses: freshWorkspaceView, body: `{"data":{"attributes":{"name":"<unique>"}}}`},
	{route: "DELETE /workspace-views/{workspace_view_id}", uses: freshWorkspaceView},
}}

var keyArea = area{"SSH KEYS", []row{
	{route: "GET /organizations/{organization_name}/ssh-keys"},
	{route: "POST /organizations/{organization_name}/ssh-keys", body: `{"data":{"attributes":{"name":"<unique>","value":"k"}}}`},
	{route: "GET /ssh-keys/{ssh_key_id}"},
	{route: "PATCH /ssh-keys/{ssh_key_id}", body: `{"data":{"attributes":{"name":"<unique>"}}}`},
	{route: "DELETE /ssh-keys/{ssh_key_id}", uses: freshKey},
	{route: "PATCH /workspaces/{workspace_id}/relationships/ssh-key", body: `{"data":{"type":"workspaces","attributes":{"id":"<ssh_key_id>"}}}`},
}}

func freshWorkspaceView(w *world, _ *role) things {
	return things{"workspace_view_id": w.make("/organizations/acme/workspace-views", things{}.with(nil).in(`{"data":{"attributes":{"name":"<unique>","shared":true}}}`))}
}

func freshKey(w *world, _ *role) things {
	return things{"ssh_key_id": w.make("/organizations/acme/ssh-keys", things{}.with(nil).in(`{"data":{"attributes":{"name":"<unique>","value":"k"}}}`))}
}

var poolArea = area{"AGENT POOLS", []row{
	{route: "GET /organizations/{organization_name}/agent-pools"},
	{route: "POST /organizations/{organization_name}/agent-pools", body: `{"data":{"attributes":{"name":"<unique>"}}}`},
	{route: "GET /agent-pools/{agent_pool_id}"},
	{route: "PATCH /agent-pools/{agent_pool_id}", body: `{"data":{"attributes":{"name":"<unique>"}}}`},
	{route: "DELETE /agent-pools/{agent_pool_id}", uses: freshPool},
	{route: "GET /agent-pools/{agent_pool_id}/agents"},
	{route: "GET /agents/{agent_id}", uses: goneAgent},
	{route: "DELETE /agents/{agent_id}", uses: goneAgent},
	{route: "GET /agent-pools/{agent_pool_id}/authentication-tokens"},
	{route: "POST /agent-pools/{agent_pool_id}/authentication-tokens", body: `{"data":{"attributes":{"description":"d"}}}`},
}}

func freshPool(w *world, _ *role) things {
	return things{"agent_pool_id": w.make("/organizations/acme/agent-pools", things{}.with(nil).in(`{"data":{"attributes":{"name":"<unique>"}}}`))}
}

const connection = `{"data":{"attributes":{"service-provider":"github","http-url":"https://github.com","api-url":"https://api.github.com","oauth-token-string":"t"}}}`

var connectionArea = area{"CONNECTIONS TO VERSION CONTROL", []row{
	{route: "GET /organizations/{organization_name}/oauth-clients"},
	{route: "POST /organizations/{organization_name}/oauth-clients", body: connection},
	{route: "POST /oauth-clients", body: strings.Replace(connection, `{"data":{`, `{"data":{"relationships":{"organization":{"data":{"type":"organizations","id":"acme"}}},`, 1)},
	{route: "GET /oauth-clients/{oauth_client_id}"},
	{route: "PATCH /oauth-clients/{oauth_client_id}", body: `{"data":{"attributes":{"name":"<unique>"}}}`},
	{route: "DELETE /oauth-clients/{oauth_client_id}", uses: freshConnection},
	{route: "GET /oauth-clients/{oauth_client_id}/oauth-tokens"},
	{route: "POST /oauth-clients/{oauth_client_id}/relationships/projects", body: `{"data":[{"type":"projects","id":"<project_id>"}]}`},
	{route: "DELETE /oauth-clients/{oauth_client_id}/relationships/projects", body: `{"data":[{"type":"projects","id":"<project_id>"}]}`},
	{route: "GET /organizations/{organization_name}/oauth-tokens"},
	{route: "GET /oauth-tokens/{oauth_token_id}"},
	{route: "PATCH /oauth-tokens/{oauth_token_id}", body: `{"data":{"attributes":{"ssh-key":null}}}`},
	{route: "GET /oauth-tokens/{oauth_token_id}/authorized-repos"},
	{route: "DELETE /oauth-tokens/{oauth_token_id}", uses: freshConnection},
	{route: "GET /organizations/{organization_name}/vcs-events"},
	{route: "GET /oauth-clients/{oauth_client_id}/deliveries"},
	{route: "POST /vcs-deliveries/{vcs_delivery_id}/actions/redeliver", uses: toldDelivery},
	{route: "POST /workspaces/{workspace_id}/actions/rotate-webhook-secret", uses: connectedWorkspace},
	{route: "POST /webhooks/vcs/{webhook_id}", open: true, also: []int{401, 404}, body: "{}"},
	{route: "POST /webhooks/github-app", open: true, also: []int{401, 404}, body: "{}"},
	{route: "GET /github-app/installations", anybody: true},
	{route: "GET /github-app/installation/{github_app_installation_id}"},
}}

// freshInstallation is an account that a GitHub App is installed in, with a connection in acme.
func freshInstallation(w *world, _ *role) things {
	list := []belay.AppInstallation{{Number: 7, Name: "acme", Kind: "Organization", HTTPURL: "https://github.com", APIURL: "https://api.github.com", State: belay.AppActive}}
	if err := w.db.Update(w.t.Context(), func(tx *store.Tx) error { return tx.KeepAppInstallations(list) }); err != nil {
		w.t.Fatal(err)
	}
	id := list[0].ID
	w.make("/organizations/acme/oauth-clients", `{"data":{"attributes":{"service-provider":"github_app","github-app-installation-id":"`+id+`"}}}`)
	return things{"github_app_installation_id": id}
}

// connectedWorkspace is a workspace that has a repository.
func connectedWorkspace(w *world, r *role) things {
	made := freshWorkspace(w, r)
	token := freshConnection(w, r)["oauth_token_id"]
	w.do("PATCH", "/workspaces/"+made["workspace_id"], `{"data":{"attributes":{"vcs-repo":{"identifier":"acme/app","oauth-token-id":"`+token+`"}}}}`)
	return made
}

// toldDelivery is what a service told of a repository that a workspace has.
func toldDelivery(w *world, r *role) things {
	made := connectedWorkspace(w, r)
	var told forge.HookDelivery
	if err := w.db.Update(w.t.Context(), func(tx *store.Tx) error {
		found, err := tx.Workspace(belay.WorkspaceRef{ID: made["workspace_id"]})
		if err != nil {
			return err
		}
		h, err := tx.Hook(found.HookID)
		if err != nil {
			return err
		}
		told = forge.NewHookDelivery(&h, "told "+h.ID, forge.HookNews{Workspace: found.ID}, tx.Now)
		_, err = tx.Receive(&told)
		return err
	}); err != nil {
		w.t.Fatal(err)
	}
	return things{"vcs_delivery_id": told.ID}
}

func freshConnection(w *world, _ *role) things {
	client := w.make("/organizations/acme/oauth-clients", connection)
	return things{"oauth_client_id": client, "oauth_token_id": w.get("/oauth-clients/"+client+"/oauth-tokens", "data.0.id")}
}

// moreThings makes one of each thing that requests are about.
func moreThings(w *world) things {
	all := things{}
	for _, fresh := range slices.Concat([]func(*world, *role) things{
		freshUserToken, knownVersion, freshTag, freshRequest, freshKey, freshPool, freshConnection, freshReserved, freshView, freshSet, freshVariable, freshNotification, freshConfiguration, freshInstallation,
	}, joined.fresh) {
		for name, value := range fresh(w, nil) {
			all[name] = value
		}
	}
	return all
}

func itsSubscription(w *world, _ *role) things {
	return things{"subscription_id": w.get("/organizations/acme/subscription", "data.id")}
}
