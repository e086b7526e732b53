package workspaces

import (
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/belayhq/belay"
	"github.com/belayhq/belay/internal/api/doc"
	"github.com/belayhq/belay/internal/api/door"
	"github.com/belayhq/belay/internal/api/paths"
	"github.com/belayhq/belay/internal/app"
	"github.com/belayhq/belay/internal/jsonapi"
	"github.com/belayhq/belay/internal/openapi"
	"github.com/belayhq/belay/internal/patch"
	"github.com/belayhq/belay/site"
)

type (
	// WorkspaceDoc is a workspace on its way into a document.
	WorkspaceDoc   = app.WorkspaceView
	workspacePatch = belay.WorkspacePatch
)

// WorkspaceAttributes is every attribute of a workspace.
var WorkspaceAttributes = doc.Attributes[WorkspaceDoc, workspacePatch]{
	{Name: "name", Show: doc.Value(func(w *WorkspaceDoc) string { return w.Name }), Write: doc.Lenient(func(p *workspacePatch) *patch.Field[string] { return &p.Name })},
	{Name: "description", Most: belay.MaxDescription, Show: doc.Maybe(func(w *WorkspaceDoc) string { return w.Description }), Write: doc.Nullable(func(p *workspacePatch) *patch.Field[string] { return &p.Description })},
	{Name: "execution-mode", Allowed: ExecutionModes, Show: doc.Value(func(w *WorkspaceDoc) string { return string(w.Mode()) }), Write: doc.Lenient(func(p *workspacePatch) *patch.Field[belay.ExecutionMode] { return &p.ExecutionMode })},
	{Name: "operations", Show: doc.Value(func(w *WorkspaceDoc) bool { return w.Mode() != belay.LocalExecution }), Write: doc.Lenient(func(p *workspacePatch) *patch.Field[bool] { return &p.Operations })},
	{Name: "agent-pool-id", Show: doc.Maybe(func(w *WorkspaceDoc) string { return w.PoolID() }), Write: doc.Nullable(func(p *workspacePatch) *patch.Field[string] { return &p.AgentPoolID })},
	{Name: "setting-overwrites", Show: doc.Parts(settingOverwrites), Write: doc.Members(overwriteMembers, func(p *workspacePatch) *patch.Field[belay.SettingOverwrites] { return &p.SettingOverwrites })},
	{Name: "engine-version", Show: doc.Value(func(w *WorkspaceDoc) string { return w.EngineVersion }), Write: doc.Lenient(func(p *workspacePatch) *patch.Field[string] { return &p.EngineVersion })},
	{Name: "terraform-version", Twin: "engine-version", Show: doc.Value(func(w *WorkspaceDoc) string { return w.EngineVersion }), Write: doc.Lenient(func(p *workspacePatch) *patch.Field[string] { return &p.TerraformVersion })},
	{Name: "engine", Allowed: belay.EngineProducts, Show: doc.Maybe(func(w *WorkspaceDoc) string { return w.Engine }), Write: doc.Nullable(func(p *workspacePatch) *patch.Field[string] { return &p.Engine })},
	{Name: "allow-destroy-plan", Show: doc.Value(func(w *WorkspaceDoc) bool { return w.AllowDestroyPlan }), Write: doc.Field(func(p *workspacePatch) *patch.Field[bool] { return &p.AllowDestroyPlan })},
	{Name: "assessments-enabled", Feature: site.Assessments, Show: doc.Value(func(w *WorkspaceDoc) bool { return w.AssessmentsEnabled || w.Organization.AssessmentsEnforced }), Write: doc.Field(func(p *workspacePatch) *patch.Field[bool] { return &p.AssessmentsEnabled })},
	{Name: "drift-detection", Twin: "assessments-enabled", Feature: site.Assessments, Write: doc.Lenient(func(p *workspacePatch) *patch.Field[bool] { return &p.AssessmentsEnabled })},
	{Name: "auto-apply", Show: doc.Value(func(w *WorkspaceDoc) bool { return w.AutoApply }), Write: doc.Field(func(p *workspacePatch) *patch.Field[bool] { return &p.AutoApply })},
	{Name: "auto-apply-run-trigger", Show: doc.Value(func(w *WorkspaceDoc) bool { return w.AutoApplyRunTrigger }), Write: doc.Field(func(p *workspacePatch) *patch.Field[bool] { return &p.AutoApplyRunTrigger })},
	{Name: "auto-destroy-at", Show: doc.Maybe(func(w *WorkspaceDoc) time.Time { return w.DestroyAt() }), Write: doc.Nullable(func(p *workspacePatch) *patch.Field[time.Time] { return &p.AutoDestroyAt })},
	{Name: "auto-destroy-activity-duration", Show: doc.Maybe(func(w *WorkspaceDoc) string { return w.DestroyDuration() }), Write: doc.Nullable(func(p *workspacePatch) *patch.Field[string] { return &p.AutoDestroyActivityDuration })},
	{Name: "auto-destroy-status", Show: doc.Maybe(func(w *WorkspaceDoc) string { return w.DestroyStatus() })},
	{Name: "inherits-project-auto-destroy", Show: doc.Value(func(w *WorkspaceDoc) bool { return w.InheritsProjectAutoDestroy }), Write: doc.Lenient(func(p *workspacePatch) *patch.Field[bool] { return &p.InheritsProjectAutoDestroy })},
	{Name: "file-triggers-enabled", Show: doc.Value(func(w *WorkspaceDoc) bool { return w.FileTriggersEnabled }), Write: doc.Field(func(p *workspacePatch) *patch.Field[bool] { return &p.FileTriggersEnabled })},
	{Name: "global-remote-state", Show: doc.Value(func(w *WorkspaceDoc) bool { return w.GlobalRemoteState }), Write: doc.Field(func(p *workspacePatch) *patch.Field[bool] { return &p.GlobalRemoteState })},
	{Name: "project-remote-state", Show: doc.Value(func(w *WorkspaceDoc) bool { return w.ProjectRemoteState }), Write: doc.Field(func(p *workspacePatch) *patch.Field[bool] { return &p.ProjectRemoteState })},
	{Name: "queue-all-runs", Show: doc.Value(func(w *WorkspaceDoc) bool { return w.QueueAllRuns }), Write: doc.Field(func(p *workspacePatch) *patch.Field[bool] { return &p.QueueAllRuns })},
	{Name: "source", Show: doc.Value(func(w *WorkspaceDoc) string { return w.Source })},
	{Name: "source-name", Show: doc.Maybe(func(w *WorkspaceDoc) string { return w.SourceName }), Write: doc.Nullable(func(p *workspacePatch) *patch.Field[string] { return &p.SourceName })},
	{Name: "source-url", Show: doc.Maybe(func(w *WorkspaceDoc) string { return w.SourceURL }), Write: doc.Nullable(func(p *workspacePatch) *patch.Field[string] { return &p.SourceURL })},
	{Name: "migration-environment", Most: belay.MaxLabel, Show: doc.Maybe(func(w *WorkspaceDoc) string { return w.MigrationEnvironment }), Write: doc.Nullable(func(p *workspacePatch) *patch.Field[string] { return &p.MigrationEnvironment })},
	{Name: "speculative-enabled", Show: doc.Value(func(w *WorkspaceDoc) bool { return w.SpeculativeEnabled }), Write: doc.Field(func(p *workspacePatch) *patch.Field[bool] { return &p.SpeculativeEnabled })},
	{Name: "structured-run-output-enabled", Show: doc.Value(func(w *WorkspaceDoc) bool { return w.StructuredRunOutputEnabled }), Write: doc.Field(func(p *workspacePatch) *patch.Field[bool] { return &p.StructuredRunOutputEnabled })},
	{Name: "trigger-patterns", Show: doc.Texts(func(w *WorkspaceDoc) []string { return w.TriggerPatterns }), Write: doc.Nullable(func(p *workspacePatch) *patch.Field[[]string] { return &p.TriggerPatterns })},
	{Name: "trigger-prefixes", Show: doc.Texts(func(w *WorkspaceDoc) []string { return w.TriggerPrefixes }), Write: doc.Nullable(func(p *workspacePatch) *patch.Field[[]string] { return &p.TriggerPrefixes })},
	{Name: "working-directory", Most: belay.MaxPath, Show: doc.Maybe(func(w *WorkspaceDoc) string { return w.WorkingDirectory }), Write: doc.Nullable(func(p *workspacePatch) *patch.Field[string] { return &p.WorkingDirectory })},
	{Name: "vcs-repo", Show: doc.PartsOrNull(vcsRepo, hasRepo), Write: doc.Members(repoMembers, func(p *workspacePatch) *patch.Field[belay.VCSRepoPatch] { return &p.VCSRepo })},
	{Name: "vcs-repo-identifier", Show: doc.Maybe(vcsRepoIdentifier)},
	{Name: "oauth-client-name", Show: doc.Maybe(oauthClientName)},
	{Name: "actions", Show: doc.Parts(workspaceActions)},
	{Name: "can-queue-destroy-plan", Show: doc.Value(func(w *WorkspaceDoc) bool { return w.AllowDestroyPlan && w.Can.Has(belay.ApplyRuns) })},
	{Name: "created-at", Show: doc.Value(func(w *WorkspaceDoc) time.Time { return w.CreatedAt })},
	{Name: "updated-at", Show: doc.Value(func(w *WorkspaceDoc) time.Time { return w.UpdatedAt })},
	{Name: "latest-change-at", Show: doc.Value(func(w *WorkspaceDoc) time.Time { return w.LatestChangeAt })},
	{Name: "environment", Show: doc.Fixed[WorkspaceDoc]("default")},
	{Name: "locked", Show: doc.Value(func(w *WorkspaceDoc) bool { return w.Lock.Held() })},
	{Name: "locked-reason", Show: doc.Value(func(w *WorkspaceDoc) string { return w.Lock.Reason })},
	{Name: "lock-questions", Show: doc.Listed(lockQuestions, func(w *WorkspaceDoc) []belay.LockQuestion { return w.Lock.Questions })},
	{Name: "permissions", Show: doc.Permitted(workspacePermissions, func(w *WorkspaceDoc) belay.Permission { return w.Can },
		doc.Flag[WorkspaceDoc]{Name: "can-force-delete", Is: func(w *WorkspaceDoc) bool { return w.MayForceDelete(w.Can) }})},
	{Name: "apply-duration-average", Show: figure(func(f *belay.RunFigures) int64 { return f.ApplyMillis })},
	{Name: "plan-duration-average", Show: figure(func(f *belay.RunFigures) int64 { return f.PlanMillis })},
	{Name: "policy-check-failures", Show: figure(func(*belay.RunFigures) int64 { return 0 })},
	{Name: "run-failures", Show: figure(func(f *belay.RunFigures) int64 { return int64(f.Failures) })},
	{Name: "workspace-kpis-runs-count", Show: figure(func(f *belay.RunFigures) int64 { return int64(f.Runs) })},
	{Name: "resource-count", Show: doc.Value(func(w *WorkspaceDoc) int { return w.ResourceCount })},
	{Name: "tag-names", Show: doc.Texts(func(w *WorkspaceDoc) []string { return w.TagNames })},
	{
		Name: "unarchived_workspace_change_requests_count", Feature: site.ChangeRequests,
		Show:   doc.Value(func(w *WorkspaceDoc) int { return w.OpenChangeRequests }),
		Absent: func(w *WorkspaceDoc) bool { return !w.Can.Has(belay.ReadChangeRequests) },
	},
	{Name: "effective-state-version-retention-desc", Feature: site.DataRetention, Show: doc.Maybe(effectiveRetention)},
	{Name: "last-assessment-result-at", Show: doc.Maybe(func(w *WorkspaceDoc) time.Time { return w.AssessedAt })},
}

// lockQuestions is what people have asked the holder of the lock.
var lockQuestions = doc.Attributes[belay.LockQuestion, struct{}]{
	{Name: "by", Show: doc.Reference("users", func(q *belay.LockQuestion) string { return q.UserID })},
	{Name: "question", Show: doc.Value(func(q *belay.LockQuestion) string { return q.Text })},
	{Name: "asked-at", Show: doc.Value(func(q *belay.LockQuestion) time.Time { return q.At })},
}

// effectiveRetention is the policy of the workspace or its organization in words; null
// where only that of the site holds, which is not part of the row.
func effectiveRetention(w *WorkspaceDoc) string {
	if w.Retention.Given() {
		return w.Retention.Text()
	}
	return w.Organization.Retention.Text()
}

// overwriteMembers is what setting-overwrites holds in a body.
var overwriteMembers = doc.Attributes[belay.SettingOverwrites, belay.SettingOverwrites]{
	{Name: "execution-mode", Write: doc.Field(func(s *belay.SettingOverwrites) *patch.Field[bool] { return &s.ExecutionMode })},
	{Name: "agent-pool", Write: doc.Field(func(s *belay.SettingOverwrites) *patch.Field[bool] { return &s.AgentPool })},
}

// repoMembers is what vcs-repo holds in a body; null takes a member away.
var repoMembers = doc.Attributes[belay.VCSRepoPatch, belay.VCSRepoPatch]{
	{Name: "identifier", Write: doc.Nullable(func(r *belay.VCSRepoPatch) *patch.Field[string] { return &r.Identifier })},
	{Name: "oauth-token-id", Write: doc.Nullable(func(r *belay.VCSRepoPatch) *patch.Field[string] { return &r.OAuthTokenID })},
	{Name: "vcs-app-installation-id", Write: doc.Nullable(func(r *belay.VCSRepoPatch) *patch.Field[string] { return &r.AppInstallationID })},
	{Name: "github-app-installation-id", Twin: "vcs-app-installation-id", Write: doc.Nullable(func(r *belay.VCSRepoPatch) *patch.Field[string] { return &r.GitHubAppInstallationID })},
	{Name: "branch", Write: doc.Nullable(func(r *belay.VCSRepoPatch) *patch.Field[string] { return &r.Branch })},
	{Name: "ingress-submodules", Write: doc.Nullable(func(r *belay.VCSRepoPatch) *patch.Field[bool] { return &r.IngressSubmodules })},
	{Name: "tags-regex", Write: doc.Nullable(func(r *belay.VCSRepoPatch) *patch.Field[string] { return &r.TagsRegex })},
	{Name: "source-directory", Write: doc.Nullable(func(r *belay.VCSRepoPatch) *patch.Field[string] { return &r.SourceDirectory })},
	{Name: "tag-prefix", Write: doc.Nullable(func(r *belay.VCSRepoPatch) *patch.Field[string] { return &r.TagPrefix })},
}

var settingOverwrites = doc.Attributes[WorkspaceDoc, workspacePatch]{
	{Name: "execution-mode", Show: doc.Value(func(w *WorkspaceDoc) bool { return w.OwnsExecution })},
	{Name: "agent-pool", Show: doc.Value(func(w *WorkspaceDoc) bool { return w.OwnsExecution })},
}

var workspaceActions = doc.Attributes[WorkspaceDoc, workspacePatch]{
	{Name: "is-destroyable", Show: doc.Value(func(w *WorkspaceDoc) bool { return w.AllowDestroyPlan })},
}

// vcsRepo is what vcs-repo holds in a document, when there is a repository.
var vcsRepo = doc.Attributes[WorkspaceDoc, workspacePatch]{
	{Name: "branch", Show: doc.Value(func(w *WorkspaceDoc) string { return w.VCSRepo.Branch })},
	{Name: "display-identifier", Show: doc.Value(func(w *WorkspaceDoc) string { return w.VCSRepo.Identifier })},
	{Name: "identifier", Show: doc.Value(func(w *WorkspaceDoc) string { return w.VCSRepo.Identifier })},
	{Name: "ingress-submodules", Show: doc.Value(func(w *WorkspaceDoc) bool { return w.VCSRepo.IngressSubmodules })},
	{Name: "oauth-token-id", Show: doc.Maybe(func(w *WorkspaceDoc) string { return w.VCSRepo.OAuthTokenID })},
	{Name: "vcs-app-installation-id", Show: doc.Maybe(func(w *WorkspaceDoc) string { return w.VCSRepo.AppInstallationID })},
	{Name: "github-app-installation-id", Show: doc.Maybe(func(w *WorkspaceDoc) string { return w.VCSRepo.AppInstallationID })},
	{Name: "repository-http-url", Show: doc.Value(func(w *WorkspaceDoc) string {
		return strings.TrimSuffix(w.VCSRepo.HTTPURL, "/") + "/" + w.VCSRepo.Identifier
	})},
	{Name: "service-provider", Show: doc.Value(func(w *WorkspaceDoc) string { return w.VCSRepo.ServiceProvider })},
	{Name: "source-directory", Show: doc.Maybe(func(w *WorkspaceDoc) string { return w.VCSRepo.SourceDirectory })},
	{Name: "tag-prefix", Show: doc.Maybe(func(w *WorkspaceDoc) string { return w.VCSRepo.TagPrefix })},
	{Name: "tags-regex", Show: doc.Maybe(func(w *WorkspaceDoc) string { return w.VCSRepo.TagsRegex })},
	{Name: "webhook-url", Show: doc.Unless(func(w *WorkspaceDoc) bool {
		return !w.Can.Has(belay.UpdateWorkspace) || w.VCSRepo.AppInstallationID != ""
	}, // only for those who may change the settings
		func(w *WorkspaceDoc) string { return w.Address + "/webhooks/vcs/" + w.VCSRepo.WebhookID })},
}

func hasRepo(w *WorkspaceDoc) bool { return w.VCSRepo != nil }

func vcsRepoIdentifier(w *WorkspaceDoc) string {
	if w.VCSRepo == nil {
		return ""
	}
	return w.VCSRepo.Identifier
}

func oauthClientName(w *WorkspaceDoc) string {
	if w.VCSRepo == nil {
		return ""
	}
	return w.OAuthClientName
}

// Workspaces is workspaces.
var Workspaces = &doc.Noun[WorkspaceDoc, workspacePatch]{
	Type:       "workspaces",
	ID:         func(w *WorkspaceDoc) string { return w.ID },
	Path:       func(w *WorkspaceDoc) string { return "/api/v2/workspaces/" + w.ID },
	Attributes: WorkspaceAttributes,
	Relations:  workspaceRelations,
	Links: []doc.Link[WorkspaceDoc]{
		{Name: "self", To: func(w *WorkspaceDoc) string {
			return paths.OrganizationAt(w.Organization.Name) + "/workspaces/" + w.Name
		}},
		{Name: "self-html", To: func(w *WorkspaceDoc) string {
			return "/app/" + url.PathEscape(w.Organization.Name) + "/workspaces/" + w.Name
		}},
	},
}

var workspaceRelations = []doc.Relation[WorkspaceDoc, workspacePatch]{
	paths.OfOrganization[WorkspaceDoc, workspacePatch](func(w *WorkspaceDoc) string { return w.Organization.Name }),
	doc.To[WorkspaceDoc, workspacePatch]("project", "projects", func(w *WorkspaceDoc) string { return w.ProjectID }).
		Taking(doc.Ref("projects"), takeProject),
	doc.To[WorkspaceDoc, workspacePatch]("agent-pool", "agent-pools", func(w *WorkspaceDoc) string { return w.PoolID() }),
	doc.ToEither[WorkspaceDoc, workspacePatch]("locked-by", []string{"users", "teams", "runs"}, lockedBy),
	doc.To[WorkspaceDoc, workspacePatch]("current-run", "runs", func(w *WorkspaceDoc) string { return w.CurrentRunID }),
	doc.To[WorkspaceDoc, workspacePatch]("latest-run", "runs", func(w *WorkspaceDoc) string { return w.CurrentRunID }),
	doc.To[WorkspaceDoc, workspacePatch]("current-configuration-version", "configuration-versions", func(w *WorkspaceDoc) string { return w.ConfigurationID }),
	doc.ToBelow[WorkspaceDoc, workspacePatch]("current-state-version", "state-versions", "/current-state-version", func(w *WorkspaceDoc) string { return w.CurrentStateVersionID }),
	doc.To[WorkspaceDoc, workspacePatch]("current-assessment-result", "assessment-results", func(w *WorkspaceDoc) string { return w.AssessmentID }),
	doc.ToMany[WorkspaceDoc, workspacePatch]("outputs", "workspace-outputs", "/current-state-version-outputs", func(w *WorkspaceDoc) []string { return w.OutputIDs }).
		LinkedAlone("workspace-outputs", func(w *WorkspaceDoc) bool { return w.ManyOutputs }),
	doc.Bare[WorkspaceDoc, workspacePatch]("readme", "workspace-readme", ReadmeID),
	doc.ToMany[WorkspaceDoc, workspacePatch]("vars", "vars", "/vars", func(w *WorkspaceDoc) []string { return w.VariableIDs }),
	RetentionOf[WorkspaceDoc, workspacePatch](func(w *WorkspaceDoc) belay.RetentionPolicy { return w.Retention }),
	doc.Below[WorkspaceDoc, workspacePatch]("effective-tag-bindings", "/effective-tag-bindings", "effective-tag-bindings"),
	doc.Below[WorkspaceDoc, workspacePatch]("tag-bindings", "/tag-bindings").Taking(newBindings(), takeBindings),
	doc.Below[WorkspaceDoc, workspacePatch]("remote-state-consumers", "/relationships/remote-state-consumers"),
	doc.To[WorkspaceDoc, workspacePatch]("ssh-key", "ssh-keys", func(w *WorkspaceDoc) string { return w.SSHKeyID }).
		Unless(func(w *WorkspaceDoc) bool { return w.SSHKeyID == "" }), // published samples leave it out where there is none
	doc.Only[WorkspaceDoc, workspacePatch]("tags").Taking(openapi.List(doc.BodyRef("tags")), takeTags),
}

func takeProject(_ doc.Reading, in *jsonapi.Incoming, p *workspacePatch) error {
	project, given, err := doc.RelatedRef(in, "project", "projects")
	if given && err == nil {
		p.ProjectID = patch.Of(project.ID)
	}
	return err
}

func takeBindings(_ doc.Reading, in *jsonapi.Incoming, p *workspacePatch) (err error) {
	p.TagBindings, err = relatedBindings(in)
	return err
}

// takeTags reads the flat tags of a new workspace: an update leaves them to their own
// endpoints.
func takeTags(how doc.Reading, in *jsonapi.Incoming, p *workspacePatch) (err error) {
	if how.Creates {
		p.Tags, err = relatedTags(in)
	}
	return err
}

// lockedBy is who holds the lock; null also when the reader may not know.
func lockedBy(w *WorkspaceDoc) (typ, id string) {
	if w.Lock.Holder.Hidden {
		return "", ""
	}
	return w.Lock.Holder.Type, w.Lock.Holder.ID
}

var _ = routes.Join(func(a *Verbs) []door.Route {
	return []door.Route{
		{Method: http.MethodGet, Path: paths.Organization + "/workspaces", Status: http.StatusOK, Do: door.Listing(Workspaces, a.listWorkspaces, a.Included).Counting(), Runs: true, Lists: paths.OrganizationName, Query: workspaceParameters, Filters: workspaceFilters, Needs: belay.Traverse, Does: "List the workspaces that one sees"},
		{Method: http.MethodPost, Path: paths.Organization + "/workspaces", Status: http.StatusCreated, Do: door.Writing(Workspaces, a.createWorkspace), Needs: belay.CreateWorkspace, Does: "Make a workspace in the project"},
		{Method: http.MethodGet, Path: paths.NamedWorkspace, Status: http.StatusOK, Do: door.Showing(Workspaces, a.showWorkspace, a.Included), Runs: true, Glance: paths.WorkspaceRef, Needs: belay.ReadWorkspace, Does: "See the workspace, by its name"},
		{Method: http.MethodGet, Path: paths.Workspace, Status: http.StatusOK, Do: door.Showing(Workspaces, a.showWorkspace, a.Included), Runs: true, Glance: paths.WorkspaceRef, Needs: belay.ReadWorkspace, Does: "See the workspace"},
		{Method: http.MethodPatch, Path: paths.NamedWorkspace, Status: http.StatusOK, Do: door.Writing(Workspaces, a.updateWorkspace), Needs: belay.UpdateWorkspace, Does: "Change its settings, by its name"},
		{Method: http.MethodPatch, Path: paths.Workspace, Status: http.StatusOK, Do: door.Writing(Workspaces, a.updateWorkspace), Needs: belay.UpdateWorkspace, Does: "Change its settings"},
		{Method: http.MethodDelete, Path: paths.NamedWorkspace, Status: http.StatusNoContent, Do: door.Doing(a.forceDeleteWorkspace), Needs: belay.ForceDeleteWorkspace, Does: "Delete it whatever it manages, by its name"},
		{Method: http.MethodDelete, Path: paths.Workspace, Status: http.StatusNoContent, Do: door.Doing(a.forceDeleteWorkspace), Needs: belay.ForceDeleteWorkspace, Does: "Delete it whatever it manages"},
		{Method: http.MethodPost, Path: paths.NamedWorkspace + "/actions/safe-delete", Status: http.StatusNoContent, Do: door.Doing(a.safeDeleteWorkspace), Refuses: []belay.Kind{belay.Conflict}, Needs: belay.DeleteWorkspace, Does: "Delete it when it manages nothing, by its name"},
		{Method: http.MethodPost, Path: paths.Workspace + "/actions/safe-delete", Status: http.StatusNoContent, Do: door.Doing(a.safeDeleteWorkspace), Refuses: []belay.Kind{belay.Conflict}, Needs: belay.DeleteWorkspace, Does: "Delete it when it manages nothing"},
		{Method: http.MethodPost, Path: paths.Workspace + "/actions/lock", Status: http.StatusOK, Do: door.Showing(Workspaces, a.lockWorkspace).Reads(lockBody), Runs: true, Refuses: []belay.Kind{belay.Conflict}, Needs: belay.LockWorkspace, Does: "Lock a workspace"},
		{Method: http.MethodPost, Path: paths.Workspace + "/actions/unlock", Status: http.StatusOK, Do: door.Showing(Workspaces, a.unlockWorkspace), Runs: true, Refuses: []belay.Kind{belay.Conflict}, Needs: belay.LockWorkspace, Does: "Give one's own lock back"},
		{Method: http.MethodPost, Path: paths.Workspace + "/actions/force-unlock", Status: http.StatusOK, Do: door.Showing(Workspaces, a.forceUnlockWorkspace), Refuses: []belay.Kind{belay.Conflict}, Needs: belay.ForceUnlockWorkspace, Does: "Take anybody's lock away"},
		{Method: http.MethodPost, Path: paths.Workspace + "/actions/ask-holder", Status: http.StatusOK, Do: door.Showing(Workspaces, a.askHolder).Reads(questionBody), Refuses: []belay.Kind{belay.Conflict}, Needs: belay.LockWorkspace, Does: "Ask whoever holds the lock something"},
	}
})

func (a *Verbs) createWorkspace(r *door.Request, p workspacePatch) (WorkspaceDoc, error) {
	p.EngineHint = engineOf(r, p)
	return a.App.CreateWorkspace(r.Context(), r.Principal, r.Param("organization_name"), p)
}

func (a *Verbs) listWorkspaces(r *door.Request) ([]WorkspaceDoc, int, error) {
	list, total, err := a.App.Workspaces(r.Context(), r.Principal, r.Param("organization_name"), workspaceQuery(r))
	r.Meta = append(r.Meta, jsonapi.Member{Name: "status-counts", Value: jsonapi.Object{{Name: "total", Value: total}}})
	return list, total, err
}

func (a *Verbs) showWorkspace(r *door.Request) (WorkspaceDoc, error) {
	return a.App.Workspace(r.Context(), r.Principal, paths.WorkspaceRef(r))
}

func (a *Verbs) updateWorkspace(r *door.Request, p workspacePatch) (WorkspaceDoc, error) {
	p.EngineHint = engineOf(r, p)
	return a.App.UpdateWorkspace(r.Context(), r.Principal, paths.WorkspaceRef(r), p)
}

// engineOf is which command line gives a workspace its version; empty for any other client.
// Both send their version, and only one its name.
func engineOf(r *door.Request, p workspacePatch) string {
	switch {
	case !p.TerraformVersion.Given():
		return ""
	case strings.HasPrefix(r.UserAgent(), "OpenTofu/"):
		return "tofu"
	case r.Header.Get("Terraform-Version") != "":
		return "terraform"
	default:
		return ""
	}
}

func (a *Verbs) lockWorkspace(r *door.Request) (WorkspaceDoc, error) {
	reason, err := r.Words("reason", "workspaces")
	if err != nil {
		return WorkspaceDoc{}, err
	}
	return a.App.LockWorkspace(r.Context(), r.Principal, paths.WorkspaceRef(r), reason)
}

func (a *Verbs) askHolder(r *door.Request) (WorkspaceDoc, error) {
	question, err := r.Words("question", "workspaces")
	if err != nil {
		return WorkspaceDoc{}, err
	}
	return a.App.AskHolder(r.Context(), r.Principal, paths.WorkspaceRef(r), question)
}

func (a *Verbs) unlockWorkspace(r *door.Request) (WorkspaceDoc, error) {
	return a.App.UnlockWorkspace(r.Context(), r.Principal, paths.WorkspaceRef(r))
}

func (a *Verbs) forceUnlockWorkspace(r *door.Request) (WorkspaceDoc, error) {
	return a.App.ForceUnlockWorkspace(r.Context(), r.Principal, paths.WorkspaceRef(r))
}

func (a *Verbs) safeDeleteWorkspace(r *door.Request) error {
	return a.App.SafeDeleteWorkspace(r.Context(), r.Principal, paths.WorkspaceRef(r))
}

func (a *Verbs) forceDeleteWorkspace(r *door.Request) error {
	return a.App.ForceDeleteWorkspace(r.Context(), r.Principal, paths.WorkspaceRef(r))
}

// figure shows a number about the newest runs of a workspace; null until one counts, or
// began what the number is about.
func figure(get func(*belay.RunFigures) int64) doc.Reader[WorkspaceDoc] {
	return doc.Reader[WorkspaceDoc]{Get: func(w *WorkspaceDoc) any {
		if w.RunFigures == nil {
			return nil
		}
		if n := get(w.RunFigures); n >= 0 {
			return n
		}
		return nil
	}, Is: openapi.Of[int]().OrNull()}
}

// ReadmeID is the id of what people are told about a workspace, where there may be such.
func ReadmeID(w *WorkspaceDoc) string {
	if w.ConfigurationID == "" {
		return ""
	}
	return "wsreadme-" + strings.TrimPrefix(w.ID, "ws-")
}

// lockBody is the schema of a body that says why a workspace is locked. It may be missing.
func lockBody(*doc.Describer) *openapi.Schema {
	return (&openapi.Schema{Type: openapi.Types{"object"}}).Add("reason", openapi.Of[string]().OrNull(), false)
}

// questionBody is the schema of a body that says what the holder of a lock is asked.
func questionBody(*doc.Describer) *openapi.Schema {
	return (&openapi.Schema{Type: openapi.Types{"object"}}).Add("question", openapi.Of[string]().OrNull(), false)
}

// ExecutionModes is what an execution mode may be.
var ExecutionModes = []string{string(belay.RemoteExecution), string(belay.LocalExecution), string(belay.AgentExecution)}
