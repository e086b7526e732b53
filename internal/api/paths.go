package api

import (
	"net/http"

	"github.com/belayhq/belay"
)

const (
	get    = http.MethodGet
	post   = http.MethodPost
	patchM = http.MethodPatch
	put    = http.MethodPut
	del    = http.MethodDelete

	ok        = http.StatusOK
	created   = http.StatusCreated
	accepted  = http.StatusAccepted
	noContent = http.StatusNoContent
)

// Paths that many routes begin with.
const (
	v2              = "/api/v2"
	anOrganization  = v2 + "/organizations/{organization_name}"
	aProject        = v2 + "/projects/{project_id}"
	aWorkspace      = v2 + "/workspaces/{workspace_id}"
	aNamedWorkspace = anOrganization + "/workspaces/{name}"
	aTeam           = v2 + "/teams/{team_id}"
	aStateVersion   = v2 + "/state-versions/{state_version_id}"
	aUser           = v2 + "/users/{user_id}"
	aNotification   = v2 + "/notification-configurations/{notification_id}"
	anExplorer      = anOrganization + "/explorer"
	aBulkAction     = anExplorer + "/bulk-actions/{bulk_action_id}"
	anSSHKey        = v2 + "/ssh-keys/{ssh_key_id}"
	aWorkspaceView  = v2 + "/workspace-views/{workspace_view_id}"
	anAgentPool     = v2 + "/agent-pools/{agent_pool_id}"
	anOAuthClient   = v2 + "/oauth-clients/{oauth_client_id}"
	anOAuthToken    = v2 + "/oauth-tokens/{oauth_token_id}"
	aConfiguration  = v2 + "/configuration-versions/{configuration_version_id}"
	aVariableSet    = v2 + "/varsets/{varset_id}"
	anAssessment    = v2 + "/assessment-results/{assessment_result_id}"
	aRun            = v2 + "/runs/{run_id}"
	aPlan           = v2 + "/plans/{plan_id}"
	anApply         = v2 + "/applies/{apply_id}"
	aWorkloadRule   = v2 + "/workload-rules/{rule_id}"
	aDeleted        = v2 + "/recoverable-items/{recoverable_item_id}"
)

// What some routes refuse, besides what every route of their form does.
var (
	conflict  = []belay.Kind{belay.Conflict}
	forbidden = []belay.Kind{belay.Forbidden}
	outOfStep = []belay.Kind{belay.Conflict, belay.Precondition} // a state that does not follow, or is another than was announced
)

// The parameters of the larger lists, besides their filters. * stands for any text.
var (
	projectParameters       = []string{"q", "sort"}
	workspaceParameters     = []string{"sort", "search[name]", "search[wildcard-name]", "search[tags]", "search[exclude-tags]"}
	changeRequestParameters = append([]string{"sort", "archive"}, changeRequestFilters...)
	explorerParameters      = []string{"type", "sort", "fields", "filter[*][*][*][*]"}
)
