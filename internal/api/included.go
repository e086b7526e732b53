package api

import (
	"github.com/belayhq/belay/internal/api/doc"
	"github.com/belayhq/belay/internal/api/organizations"
	"github.com/belayhq/belay/internal/api/people"
	"github.com/belayhq/belay/internal/api/runs"
	"github.com/belayhq/belay/internal/api/states"
	"github.com/belayhq/belay/internal/api/workspaces"
	"github.com/belayhq/belay/internal/openapi"
)

// includable is what a document may hold beside its data.
func includable(d *doc.Describer) []*openapi.Schema {
	return []*openapi.Schema{
		organizations.Organizations.Shown(d), workspaces.Projects.Shown(d), workspaces.Workspaces.Shown(d), people.PublicUsers.Shown(d), people.MemberUsers.Shown(d), people.Users.Shown(d),
		people.Teams.Shown(d), people.Memberships.Shown(d), runs.AgentPools.Shown(d), workspaces.EffectiveTagBindings.Shown(d), states.StateVersions.Shown(d),
		states.WorkspaceOutputs.Shown(d), states.Outputs.Shown(d), workspaces.Variables.Shown(d), organizations.OAuthTokens.Shown(d), organizations.Plans.Shown(d),
		organizations.EntitlementSets.Shown(d), organizations.Subscriptions.Shown(d), runs.Configurations.Shown(d), runs.Ingresses.Shown(d), runs.Readmes.Shown(d), runs.Assessments.Shown(d),
		runs.RunDocuments.Shown(d), runs.PlanDocuments.Shown(d), runs.ApplyDocuments.Shown(d), runs.RunEvents.Shown(d), runs.Comments.Shown(d),
	}
}
