// Package runs is the API of runs, of what they are of, and of who carries them out:
// configurations, plans, applies, assessments, engines, agents. It never moves a run on itself.
package runs

import (
	"net/http"

	"github.com/belayhq/belay"
	"github.com/belayhq/belay/internal/api/door"
	"github.com/belayhq/belay/internal/api/paths"
	"github.com/belayhq/belay/internal/api/people"
	"github.com/belayhq/belay/internal/api/workspaces"
	"github.com/belayhq/belay/internal/app"
	"github.com/belayhq/belay/internal/configs"
	"github.com/belayhq/belay/internal/object"
	"github.com/belayhq/belay/internal/runfile"
	"github.com/belayhq/belay/internal/runlog"
	"github.com/belayhq/belay/internal/runs"
	"github.com/belayhq/belay/run"
	"github.com/belayhq/belay/site"
)

// Verbs is what is done with runs, with what they are of, and with who carries them out.
type Verbs struct {
	App     *app.App
	Configs *configs.Room // configuration versions
	Runs    *runs.Room
	Logs    *runlog.Room  // of plans and applies
	Files   *runfile.Room // that outlive runs
}

// Routes is the routes of runs, what they are of, and who carries them out.
func (a *Verbs) Routes() []door.Route {
	return []door.Route{
		// Instance.
		{Method: http.MethodGet, Path: paths.V2 + "/admin/terraform-versions", Status: http.StatusOK, Do: door.Listing(engines, a.listEngines), Query: []string{"search[version]"}, Filters: versionFilters, Does: "List the engine versions"},
		{Method: http.MethodPost, Path: paths.V2 + "/admin/terraform-versions", Status: http.StatusCreated, Do: door.Writing(engines, a.createEngine), Does: "Make an engine version known"},
		{Method: http.MethodGet, Path: paths.V2 + "/admin/terraform-versions/{version_id}", Status: http.StatusOK, Do: door.Showing(engines, a.showEngine), Does: "See an engine version"},
		{Method: http.MethodPatch, Path: paths.V2 + "/admin/terraform-versions/{version_id}", Status: http.StatusOK, Do: door.Writing(engines, a.updateEngine), Does: "Change an engine version"},
		{Method: http.MethodDelete, Path: paths.V2 + "/admin/terraform-versions/{version_id}", Status: http.StatusNoContent, Do: door.Doing(a.deleteEngine), Does: "Forget an engine version"},

		// Agent pools.
		{Method: http.MethodGet, Path: paths.Organization + "/agent-pools", Status: http.StatusOK, Do: door.Listing(AgentPools, a.listAgentPools, a.withPools()), Query: []string{"q", "sort"}, Filters: poolFilters, Does: "List the agent pools"},
		{Method: http.MethodPost, Path: paths.Organization + "/agent-pools", Status: http.StatusCreated, Do: door.Writing(AgentPools, a.createAgentPool, a.withPools()), Does: "Make an agent pool"},
		{Method: http.MethodGet, Path: paths.AgentPool, Status: http.StatusOK, Do: door.Showing(AgentPools, a.showAgentPool, a.withPools()), Does: "See an agent pool"},
		{Method: http.MethodPatch, Path: paths.AgentPool, Status: http.StatusOK, Do: door.Writing(AgentPools, a.updateAgentPool, a.withPools()), Does: "Change an agent pool"},
		{Method: http.MethodDelete, Path: paths.AgentPool, Status: http.StatusNoContent, Do: door.Doing(a.deleteAgentPool), Does: "Delete an agent pool"},
		{Method: http.MethodGet, Path: paths.AgentPool + "/agents", Status: http.StatusOK, Do: door.Listing(agents, a.listAgents), Query: []string{"sort"}, Filters: agentFilters, Does: "List the agents of a pool"},
		{Method: http.MethodGet, Path: paths.V2 + "/agents/{agent_id}", Status: http.StatusOK, Do: door.Showing(agents, a.showAgent), Does: "See an agent"},
		{Method: http.MethodDelete, Path: paths.V2 + "/agents/{agent_id}", Status: http.StatusNoContent, Do: door.Doing(a.deleteAgent), Refuses: []belay.Kind{belay.Precondition}, Does: "Forget an agent that is gone"},
		{Method: http.MethodGet, Path: paths.AgentPool + "/authentication-tokens", Status: http.StatusOK, Do: door.Listing(people.Tokens, a.listAgentTokens), Does: "List the tokens of a pool"},
		{Method: http.MethodPost, Path: paths.AgentPool + "/authentication-tokens", Status: http.StatusCreated, Do: people.Issuing(a.createAgentToken), Does: "Make a token for agents"},

		// Run triggers.
		{Method: http.MethodGet, Path: paths.Workspace + "/current-assessment-result", Status: http.StatusOK, Do: door.Showing(Assessments, a.showCurrentAssessment), Feature: site.Assessments, Does: "See its newest health assessment"},
		{Method: http.MethodPost, Path: paths.Workspace + "/actions/assess", Status: http.StatusOK, Do: door.Showing(workspaces.Workspaces, a.assessWorkspace), Feature: site.Assessments, Refuses: []belay.Kind{belay.Conflict}, Does: "Have it assessed now"},
		{Method: http.MethodGet, Path: paths.Assessment, Status: http.StatusOK, Do: door.Showing(Assessments, a.showAssessment), Feature: site.Assessments, Does: "See a health assessment"},
		{Method: http.MethodGet, Path: paths.Assessment + "/sanitized-plan", Status: http.StatusOK, Raw: a.sendSanitized, Feature: site.Assessments, Media: "application/json", Does: "Download the plan of an assessment, without what is sensitive"},
		{Method: http.MethodGet, Path: paths.Assessment + "/json-output", Status: http.StatusOK, Raw: a.sendAssessed(run.PlanJSONFile), Feature: site.Assessments, Media: "application/json", Does: "Download the plan of an assessment, with what is sensitive"},
		{Method: http.MethodGet, Path: paths.Assessment + "/json-schema", Status: http.StatusOK, Raw: a.sendAssessed(run.SchemasFile), Feature: site.Assessments, Media: "application/json", Does: "Download the schemas of its providers"},
		{Method: http.MethodGet, Path: paths.Assessment + "/log-output", Status: http.StatusOK, Raw: a.sendAssessmentLog, Feature: site.Assessments, Media: jsonLines, Does: "Download the log of an assessment as JSON lines"},
		{Method: http.MethodGet, Path: paths.Workspace + "/run-triggers", Status: http.StatusOK, Do: door.Listing(runTriggers, a.listRunTriggers, a.withTriggers()), Filters: triggerFilters, Does: "List the workspaces that trigger runs"},
		{Method: http.MethodPost, Path: paths.Workspace + "/run-triggers", Status: http.StatusCreated, Do: door.Writing(runTriggers, a.createRunTrigger, a.withTriggers()), Does: "Let a workspace that one reads trigger runs"},
		{Method: http.MethodGet, Path: paths.V2 + "/run-triggers/{run_trigger_id}", Status: http.StatusOK, Do: door.Showing(runTriggers, a.showRunTrigger, a.withTriggers()), Does: "See a run trigger"},
		{Method: http.MethodDelete, Path: paths.V2 + "/run-triggers/{run_trigger_id}", Status: http.StatusNoContent, Do: door.Doing(a.deleteRunTrigger), Does: "Delete a run trigger"},

		// Configuration versions.
		{Method: http.MethodGet, Path: paths.Workspace + "/configuration-versions", Status: http.StatusOK, Do: door.Listing(Configurations, a.listConfigurations, a.withConfigurations()), Does: "List the configuration versions of a workspace"},
		{Method: http.MethodPost, Path: paths.Workspace + "/configuration-versions", Status: http.StatusCreated, Do: door.Showing(Configurations, a.createConfiguration).Reads(Configurations.Body), Does: "Make one, to upload it"},
		{Method: http.MethodGet, Path: paths.Configuration, Status: http.StatusOK, Do: door.Showing(Configurations, a.showConfiguration, a.withConfigurations()), Does: "See a configuration version"},
		{Method: http.MethodGet, Path: paths.Configuration + "/ingress-attributes", Status: http.StatusOK, Do: door.Showing(Ingresses, a.showConfigurationIngress), Does: "See the commit that it is of"},
		{Method: http.MethodGet, Path: paths.V2 + "/ingress-attributes/{ingress_id}", Status: http.StatusOK, Do: door.Showing(Ingresses, a.showIngress), Does: "See that by its own id"},
		{Method: http.MethodGet, Path: paths.Configuration + "/download", Status: http.StatusFound, Raw: a.downloadConfiguration, Does: "Download the configuration"},
		{Method: http.MethodPost, Path: paths.Configuration + "/actions/archive", Status: http.StatusAccepted, Do: door.Doing(a.archiveConfiguration), Refuses: []belay.Kind{belay.Conflict}, Does: "Give up an older configuration"},
		{Method: http.MethodPost, Path: paths.Configuration + "/actions/soft_delete_backing_data", Status: http.StatusOK, Do: door.Doing(a.softDeleteConfiguration), Feature: site.DataRetention, Refuses: []belay.Kind{belay.Conflict}, Does: "Put the archive of an older one aside"},
		{Method: http.MethodPost, Path: paths.Configuration + "/actions/restore_backing_data", Status: http.StatusOK, Do: door.Doing(a.restoreConfiguration), Feature: site.DataRetention, Refuses: []belay.Kind{belay.Conflict}, Does: "Take the archive back"},
		{Method: http.MethodPost, Path: paths.Configuration + "/actions/permanently_delete_backing_data", Status: http.StatusOK, Do: door.Doing(a.deleteConfigurationForGood), Feature: site.DataRetention, Refuses: []belay.Kind{belay.Conflict}, Does: "Delete it for good"},

		// Runs, their plans and their applies.
		{Method: http.MethodPost, Path: paths.V2 + "/runs", Status: http.StatusCreated, Do: door.Writing(RunDocuments, a.createRun, a.withRuns()), Does: "Begin a run in a workspace"},
		{Method: http.MethodGet, Path: paths.Run, Status: http.StatusOK, Do: door.Showing(RunDocuments, a.showRun, a.withRuns()), Does: "See a run"},
		{Method: http.MethodGet, Path: paths.Workspace + "/runs", Status: http.StatusOK, Do: door.Listing(RunDocuments, a.listRuns, a.withRuns()), Query: runSearches, Filters: runFilters, Does: "List the runs of a workspace"},
		{Method: http.MethodGet, Path: paths.Organization + "/runs", Status: http.StatusOK, Do: door.ListingOnward(RunDocuments, a.listOrganizationRuns, a.withRuns()), Query: runSearches, Filters: allRunFilters, Does: "List the runs of the workspaces whose runs one may read"},
		{Method: http.MethodGet, Path: paths.Organization + "/runs/queue", Status: http.StatusOK, Do: door.Listing(RunDocuments, a.listQueue, a.withRuns()), Does: "List what runs and what waits, as far as one may read it"},
		{Method: http.MethodGet, Path: paths.Organization + "/capacity", Status: http.StatusOK, Do: door.Showing(capacities, a.showCapacity), Does: "See how many runs go on and wait"},
		{Method: http.MethodGet, Path: paths.Run + "/configuration-version/download", Status: http.StatusFound, Raw: a.downloadConfigurationOfRun, Does: "Download the configuration of a run"},
		{Method: http.MethodPost, Path: paths.Run + "/actions/apply", Status: http.StatusAccepted, Do: a.acting(a.Runs.Apply), Refuses: []belay.Kind{belay.Conflict}, Does: "Confirm a plan"},
		{Method: http.MethodPost, Path: paths.Run + "/actions/discard", Status: http.StatusAccepted, Do: a.acting(a.Runs.Discard), Refuses: []belay.Kind{belay.Conflict}, Does: "Give up a plan"},
		{Method: http.MethodPost, Path: paths.Run + "/actions/cancel", Status: http.StatusAccepted, Do: a.acting(a.Runs.Cancel), Refuses: []belay.Kind{belay.Conflict}, Does: "Cancel a run"},
		{Method: http.MethodPost, Path: paths.Run + "/actions/force-cancel", Status: http.StatusAccepted, Do: a.acting(a.Runs.ForceCancel), Refuses: []belay.Kind{belay.Conflict}, Does: "End a run that does not heed a cancel"},
		{Method: http.MethodPost, Path: paths.Run + "/actions/force-execute", Status: http.StatusAccepted, Do: a.acting(a.Runs.ForceExecute), Refuses: []belay.Kind{belay.Conflict, belay.Forbidden}, Does: "Let a waiting run go before those in its way, which are discarded"},
		{Method: http.MethodGet, Path: paths.Run + "/run-events", Status: http.StatusOK, Do: door.ListingWholly(RunEvents, a.listRunEvents, a.withEvents()), Does: "List what happened to a run"},
		{Method: http.MethodGet, Path: paths.V2 + "/run-events/{run_event_id}", Status: http.StatusOK, Do: door.Showing(RunEvents, a.showRunEvent, a.withEvents()), Does: "See one thing that happened to a run"},
		{Method: http.MethodGet, Path: paths.Run + "/comments", Status: http.StatusOK, Do: door.ListingWholly(Comments, a.listComments), Does: "List the comments on a run"},
		{Method: http.MethodPost, Path: paths.Run + "/comments", Status: http.StatusCreated, Do: door.Writing(Comments, a.createComment), Does: "Comment on a run"},
		{Method: http.MethodGet, Path: paths.V2 + "/comments/{comment_id}", Status: http.StatusOK, Do: door.Showing(Comments, a.showComment), Does: "See a comment"},
		{Method: http.MethodGet, Path: paths.Run + "/run-checks", Status: http.StatusOK, Do: door.ListingWholly(runChecks, a.listRunChecks), Does: "List what the checks of its runners came to in a run"},
		{Method: http.MethodGet, Path: paths.Run + "/policy-checks", Status: http.StatusOK, Do: door.Listing(policyChecks, a.noneOfRun), Does: "List the policy checks of a run: there are none"},
		{Method: http.MethodGet, Path: paths.Run + "/task-stages", Status: http.StatusOK, Do: door.Listing(taskStages, a.noneOfRun), Does: "List the task stages of a run: there are none"},
		{Method: http.MethodGet, Path: paths.Run + "/tf-policy-evaluations", Status: http.StatusOK, Do: door.Listing(policyEvaluations, a.noneOfRun), Does: "List the policy evaluations of a run: there are none"},
		{Method: http.MethodGet, Path: paths.Run + "/plan", Status: http.StatusOK, Do: door.Showing(PlanDocuments, a.showPhase), Does: "See the plan of a run"},
		{Method: http.MethodGet, Path: paths.Plan, Status: http.StatusOK, Do: door.Showing(PlanDocuments, a.showPhase), Does: "See a plan"},
		{Method: http.MethodGet, Path: paths.Run + "/plan/json-output", Status: http.StatusTemporaryRedirect, Raw: a.sendFile(object.PlanJSON, belay.AdministerRuns), Does: "Download the plan of a run as JSON, with what is sensitive"},
		{Method: http.MethodGet, Path: paths.Plan + "/json-output", Status: http.StatusTemporaryRedirect, Raw: a.sendFile(object.PlanJSON, belay.AdministerRuns), Does: "Download a plan as JSON, with what is sensitive"},
		{Method: http.MethodGet, Path: paths.Plan + "/json-output-redacted", Status: http.StatusTemporaryRedirect, Raw: a.sendFile(object.PlanRedacted, belay.ReadRuns), Does: "Download a plan as JSON, without what is sensitive"},
		{Method: http.MethodGet, Path: paths.Run + "/plan/json-schema", Status: http.StatusTemporaryRedirect, Raw: a.sendFile(object.PlanSchema, belay.AdministerRuns), Does: "Download the schemas of the providers of a run"},
		{Method: http.MethodGet, Path: paths.Plan + "/json-schema", Status: http.StatusTemporaryRedirect, Raw: a.sendFile(object.PlanSchema, belay.AdministerRuns), Does: "Download the schemas of a plan's providers"},
		{Method: http.MethodGet, Path: paths.Run + "/apply", Status: http.StatusOK, Do: door.Showing(ApplyDocuments, a.showPhase), Does: "See the apply of a run"},
		{Method: http.MethodGet, Path: paths.Apply, Status: http.StatusOK, Do: door.Showing(ApplyDocuments, a.showPhase), Does: "See an apply"},
		{Method: http.MethodGet, Path: paths.Apply + "/errored-state", Status: http.StatusTemporaryRedirect, Raw: a.sendFile(object.ErroredState, belay.ReadState), Does: "Download the state that an apply could not store"},
		{Method: http.MethodPost, Path: paths.Plan + "/actions/soft-delete-backing-data", Status: http.StatusNoContent, Do: a.movingBacking(run.BackingAside), Feature: site.DataRetention, Does: "Put the log and files of an ended plan aside"},
		{Method: http.MethodPost, Path: paths.Plan + "/actions/restore-backing-data", Status: http.StatusNoContent, Do: a.movingBacking(run.BackingThere), Feature: site.DataRetention, Does: "Take the log and files of an ended plan back"},
		{Method: http.MethodPost, Path: paths.Plan + "/actions/permanently-delete-backing-data", Status: http.StatusNoContent, Do: a.movingBacking(run.BackingGone), Feature: site.DataRetention, Does: "Delete the log and files of an ended plan for good"},
		{Method: http.MethodPost, Path: paths.Apply + "/actions/soft-delete-backing-data", Status: http.StatusNoContent, Do: a.movingBacking(run.BackingAside), Feature: site.DataRetention, Does: "Put the log of an ended apply aside"},
		{Method: http.MethodPost, Path: paths.Apply + "/actions/restore-backing-data", Status: http.StatusNoContent, Do: a.movingBacking(run.BackingThere), Feature: site.DataRetention, Does: "Take the log of an ended apply back"},
		{Method: http.MethodPost, Path: paths.Apply + "/actions/permanently-delete-backing-data", Status: http.StatusNoContent, Do: a.movingBacking(run.BackingGone), Feature: site.DataRetention, Does: "Delete the log of an ended apply for good"},
		{Method: http.MethodGet, Path: paths.V2 + "/admin/runs", Status: http.StatusOK, Do: door.Listing(RunDocuments, a.listRunsForAdmins, a.withRuns()), Query: []string{"q"}, Filters: adminRunFilters, Does: "List the runs of the site"},
		{Method: http.MethodPost, Path: paths.V2 + "/admin/runs/{run_id}/actions/force-cancel", Status: http.StatusAccepted, Do: a.acting(a.Runs.AdminCancel), Refuses: []belay.Kind{belay.Conflict}, Does: "End any run at once"},
	}
}

// What lists are filtered by: what they read, and what published clients send to them.
var (
	versionFilters = []string{"filter[version]"}
	poolFilters    = []string{"filter[allowed_workspaces][name]", "filter[allowed_projects][name]"}
	agentFilters   = []string{"filter[last-ping-since]", "filter[status]"}
	triggerFilters = []string{"filter[run-trigger][type]"}
)
