package api_test

import (
	"fmt"

	"github.com/belayhq/belay"
)

// What a token can make of itself: none makes one that opens more.
var _ = joins(area{"WHAT ONE'S TOKEN CAN MAKE", []row{
	{route: "POST /teams/{team_id}/authentication-tokens", does: "A token of a team that opens nothing", uses: freshTeam, body: aToken},
	{route: "POST /teams/{team_id}/authentication-tokens", does: "A token of a team that manages projects and SSH keys", uses: strongTeam, body: aToken},
	{route: "POST /teams/{team_id}/authentication-token", does: "The same, in the older form", uses: strongTeam},
	{route: "POST /teams/{team_id}/authentication-tokens", does: "A token of a team that is admin of a workspace", uses: adminTeam, body: aToken},
	{route: "POST /teams/{team_id}/authentication-tokens", does: "A token of the owners", uses: ownersTeam, body: aToken},
	{route: "POST /teams/{team_id}/relationships/users", does: "A member of a team that manages projects and SSH keys", uses: strongTeam, body: aMember},
	{route: "POST /teams/{team_id}/relationships/users", does: "A member of a team that is admin of a workspace", uses: adminTeam, body: aMember},
	{route: "POST /teams/{team_id}/relationships/users", does: "A member of the owners", uses: ownersTeam, body: aMember},
	{route: "DELETE /teams/{team_id}", does: "An end of a team that is admin of a workspace", uses: adminTeam},
	{route: "GET /teams/{team_id}/notification-configurations", does: "A look at how a secret team is told", uses: secretTeam},
	{route: "POST /teams/{team_id}/notification-configurations", does: "A message to elsewhere of all that the owners are told", uses: ownersTeam, body: aNotification},
	{route: "POST /organizations/{organization_name}/authentication-token", does: "The organization's token", apart: true, uses: spareToken},
	{route: "POST /workspaces/{workspace_id}/actions/issue-run-token", does: "A token of a run"},
	{route: "POST /agent-pools/{agent_pool_id}/authentication-tokens", does: "A token of agents", body: aToken},
}})

const aToken = `{"data":{"attributes":{"description":"<unique>"}}}`

// strongTeam is a team that everybody sees, and that opens what few have.
func strongTeam(w *world, _ *role) things {
	return things{"team_id": w.make("/organizations/acme/teams", fmt.Sprintf(
		`{"data":{"attributes":{"name":"t%s","visibility":"organization","organization-access":{"manage-projects":true,"manage-vcs-settings":true}}}}`,
		belay.RandomText(10)))}
}

// adminTeam is a team that everybody sees, and that is admin of the workspace.
func adminTeam(w *world, _ *role) things {
	made := w.team("organization")
	w.make("/team-workspaces", made.with(nil).in(fmt.Sprintf(
		`{"data":{"attributes":{"access":"admin"},"relationships":{"team":{"data":{"id":"<team_id>"}},"workspace":{"data":{"id":%q}}}}}`, w.shared["workspace_id"])))
	return made
}

func ownersTeam(w *world, _ *role) things {
	return things{"team_id": w.get("/organizations/acme/teams?filter[names]=owners", "data.0.id")}
}
