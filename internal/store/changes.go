package store

import (
	"github.com/belayhq/belay/internal/sqldb"
	"github.com/belayhq/belay/internal/store/core"
	"github.com/belayhq/belay/internal/store/people"
)

// Difference is a setting that has changed.
type Difference = sqldb.Difference

// What was changed of a row that people set, by column. None of these rows holds a secret.
var (
	OrganizationChanges  = core.Organizations.ChangesBut("service_user_id", "retention_id")
	ProjectChanges       = core.Projects.ChangesBut()
	WorkspaceChanges     = core.Workspaces.ChangesBut("updated_at", "latest_change_at", "engine_unnamed", "engine_release", "retention_id", "destroy_disarmed", "vcs_hook_id", "vcs_token_id", "tag_names")
	TeamChanges          = people.TeamChanges
	TeamProjectChanges   = people.TeamProjectChanges
	TeamWorkspaceChanges = people.TeamWorkspaceChanges
)
