// Package paths is the addresses that several families of nouns share, and what they name. It
// says where things are, and never what is done there.
package paths

import (
	"net/url"

	"github.com/belayhq/belay"
	"github.com/belayhq/belay/internal/api/doc"
	"github.com/belayhq/belay/internal/api/door"
)

// Paths that many routes begin with.
const (
	V2              = "/api/v2"
	Organization    = V2 + "/organizations/{organization_name}"
	Project         = V2 + "/projects/{project_id}"
	Workspace       = V2 + "/workspaces/{workspace_id}"
	NamedWorkspace  = Organization + "/workspaces/{name}"
	Team            = V2 + "/teams/{team_id}"
	StateVersion    = V2 + "/state-versions/{state_version_id}"
	User            = V2 + "/users/{user_id}"
	Notification    = V2 + "/notification-configurations/{notification_id}"
	Explorer        = Organization + "/explorer"
	BulkAction      = Explorer + "/bulk-actions/{bulk_action_id}"
	SSHKey          = V2 + "/ssh-keys/{ssh_key_id}"
	WorkspaceView   = V2 + "/workspace-views/{workspace_view_id}"
	AgentPool       = V2 + "/agent-pools/{agent_pool_id}"
	OAuthClient     = V2 + "/oauth-clients/{oauth_client_id}"
	OAuthToken      = V2 + "/oauth-tokens/{oauth_token_id}"
	Configuration   = V2 + "/configuration-versions/{configuration_version_id}"
	VariableSet     = V2 + "/varsets/{varset_id}"
	Assessment      = V2 + "/assessment-results/{assessment_result_id}"
	Run             = V2 + "/runs/{run_id}"
	Plan            = V2 + "/plans/{plan_id}"
	Apply           = V2 + "/applies/{apply_id}"
	WorkloadRule    = V2 + "/workload-rules/{rule_id}"
	RecoverableItem = V2 + "/recoverable-items/{recoverable_item_id}"
)

// OrganizationAt is where an organization is shown.
func OrganizationAt(name string) string { return "/api/v2/organizations/" + url.PathEscape(name) }

// OfOrganization is the relationship of what belongs to an organization.
func OfOrganization[D, P any](name func(*D) string) doc.Relation[D, P] {
	return doc.ToAt[D, P]("organization", "organizations", name, func(d *D) string { return OrganizationAt(name(d)) })
}

// WorkspaceRef is the workspace that the path names, by either of its forms.
func WorkspaceRef(r *door.Request) belay.WorkspaceRef {
	return belay.WorkspaceRef{
		ID: r.Param("workspace_id"), Organization: r.Param("organization_name"), Name: r.Param("name"),
	}
}

// OrganizationName is the organization that the path names.
func OrganizationName(r *door.Request) string { return r.Param("organization_name") }
