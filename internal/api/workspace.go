package api

import (
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/belayhq/belay"
	"github.com/belayhq/belay/internal/app"
	"github.com/belayhq/belay/internal/jsonapi"
	"github.com/belayhq/belay/internal/openapi"
	"github.com/belayhq/belay/internal/patch"
)

type (
	workspaceDoc   = app.WorkspaceView
	workspacePatch = belay.WorkspacePatch
)

// workspaceAttributes is every attribute of a workspace ("Workspace" in the spec).
var workspaceAttributes = attributes[workspaceDoc, workspacePatch]{
	{name: "name", show: value(func(w *workspaceDoc) string { return w.Name }), write: lenient(func(p *workspacePatch) *patch.Field[string] { return &p.Name })},
	{name: "description", most: belay.MaxDescription, show: maybe(func(w *workspaceDoc) string { return w.Description }), write: nullable(func(p *workspacePatch) *patch.Field[string] { return &p.Description })},
	{name: "execution-mode", allowed: executionModes, show: value(func(w *workspaceDoc) string { return string(w.Mode()) }), write: lenient(func(p *workspacePatch) *patch.Field[belay.ExecutionMode] { return &p.ExecutionMode })},
	{name: "operations", show: value(func(w *workspaceDoc) bool { return w.Mode() != belay.LocalExecution }), write: lenient(func(p *workspacePatch) *patch.Field[bool] { return &p.Operations })},
	{name: "agent-pool-id", show: maybe(func(w *workspaceDoc) string { return w.PoolID() }), write: nullable(func(p *workspacePatch) *patch.Field[string] { return &p.AgentPoolID })},
	{name: "setting-overwrites", show: parts(settingOverwrites), write: members(overwriteMembers, func(p *workspacePatch) *patch.Field[belay.SettingOverwrites] { return &p.SettingOverwrites })},
	{name: "engine-version", show: value(func(w *workspaceDoc) string { return w.EngineVersion }), write: lenient(func(p *workspacePatch) *patch.Field[string] { return &p.EngineVersion })},
	{name: "terraform-version", twin: "engine-version", show: value(func(w *workspaceDoc) string { return w.EngineVersion }), write: lenient(func(p *workspacePatch) *patch.Field[string] { return &p.TerraformVersion })},
	{name: "engine", allowed: belay.EngineProducts, show: maybe(func(w *workspaceDoc) string { return w.Engine }), write: nullable(func(p *workspacePatch) *patch.Field[string] { return &p.Engine })},
	{name: "allow-destroy-plan", show: value(func(w *workspaceDoc) bool { return w.AllowDestroyPlan }), write: field(func(p *workspacePatch) *patch.Field[bool] { return &p.AllowDestroyPlan })},
	{name: "assessments-enabled", feature: belay.Assessments, show: value(func(w *workspaceDoc) bool { return w.AssessmentsEnabled || w.Organization.AssessmentsEnforced }), write: field(func(p *workspacePatch) *patch.Field[bool] { return &p.AssessmentsEnabled })},
	{name: "drift-detection", twin: "assessments-enabled", feature: belay.Assessments, write: lenient(func(p *workspacePatch) *patch.Field[bool] { return &p.AssessmentsEnabled })},
	{name: "auto-apply", show: value(func(w *workspaceDoc) bool { return w.AutoApply }), write: field(func(p *workspacePatch) *patch.Field[bool] { return &p.AutoApply })},
	{name: "auto-apply-run-trigger", show: value(func(w *workspaceDoc) bool { return w.AutoApplyRunTrigger }), write: field(func(p *workspacePatch) *patch.Field[bool] { return &p.AutoApplyRunTrigger })},
	{name: "auto-destroy-at", show: maybe(func(w *workspaceDoc) time.Time { return w.DestroyAt() }), write: nullable(func(p *workspacePatch) *patch.Field[time.Time] { return &p.AutoDestroyAt })},
	{name: "auto-destroy-activity-duration", show: maybe(func(w *workspaceDoc) string { return w.DestroyDuration() }), write: nullable(func(p *workspacePatch) *patch.Field[string] { return &p.AutoDestroyActivityDuration })},
	{name: "auto-destroy-status", show: maybe(func(w *workspaceDoc) string { return w.DestroyStatus() })},
	{name: "inherits-project-auto-destroy", show: value(func(w *workspaceDoc) bool { return w.InheritsProjectAutoDestroy }), write: lenient(func(p *workspacePatch) *patch.Field[bool] { return &p.InheritsProjectAutoDestroy })},
	{name: "file-triggers-enabled", show: value(func(w *workspaceDoc) bool { return w.FileTriggersEnabled }), write: field(func(p *workspacePatch) *patch.Field[bool] { return &p.FileTriggersEnabled })},
	{name: "global-remote-state", show: value(func(w *workspaceDoc) bool { return w.GlobalRemoteState }), write: field(func(p *workspacePatch) *patch.Field[bool] { return &p.GlobalRemoteState })},
	{name: "project-remote-state", show: value(func(w *workspaceDoc) bool { return w.ProjectRemoteState }), write: field(func(p *workspacePatch) *patch.Field[bool] { return &p.ProjectRemoteState })},
	{name: "queue-all-runs", show: value(func(w *workspaceDoc) bool { return w.QueueAllRuns }), write: field(func(p *workspacePatch) *patch.Field[bool] { return &p.QueueAllRuns })},
	{name: "source", show: value(func(w *workspaceDoc) string { return w.Source })},
	{name: "source-name", show: maybe(func(w *workspaceDoc) string { return w.SourceName }), write: nullable(func(p *workspacePatch) *patch.Field[string] { return &p.SourceName })},
	{name: "source-url", show: maybe(func(w *workspaceDoc) string { return w.SourceURL }), write: nullable(func(p *workspacePatch) *patch.Field[string] { return &p.SourceURL })},
	{name: "migration-environment", most: belay.MaxLabel, show: maybe(func(w *workspaceDoc) string { return w.MigrationEnvironment }), write: nullable(func(p *workspacePatch) *patch.Field[string] { return &p.MigrationEnvironment })},
	{name: "speculative-enabled", show: value(func(w *workspaceDoc) bool { return w.SpeculativeEnabled }), write: field(func(p *workspacePatch) *patch.Field[bool] { return &p.SpeculativeEnabled })},
	{name: "structured-run-output-enabled", show: value(func(w *workspaceDoc) bool { return w.StructuredRunOutputEnabled }), write: field(func(p *workspacePatch) *patch.Field[bool] { return &p.StructuredRunOutputEnabled })},
	{name: "trigger-patterns", show: texts(func(w *workspaceDoc) []string { return w.TriggerPatterns }), write: nullable(func(p *workspacePatch) *patch.Field[[]string] { return &p.TriggerPatterns })},
	{name: "trigger-prefixes", show: texts(func(w *workspaceDoc) []string { return w.TriggerPrefixes }), write: nullable(func(p *workspacePatch) *patch.Field[[]string] { return &p.TriggerPrefixes })},
	{name: "working-directory", most: belay.MaxPath, show: maybe(func(w *workspaceDoc) string { return w.WorkingDirectory }), write: nullable(func(p *workspacePatch) *patch.Field[string] { return &p.WorkingDirectory })},
	{name: "vcs-repo", show: partsOrNull(vcsRepo, hasRepo), write: members(repoMembers, func(p *workspacePatch) *patch.Field[belay.VCSRepoPatch] { return &p.VCSRepo })},
	{name: "vcs-repo-identifier", show: maybe(vcsRepoIdentifier)},
	{name: "oauth-client-name", show: maybe(oauthClientName)},
	{name: "actions", show: parts(workspaceActions)},
	{name: "can-queue-destroy-plan", show: value(func(w *workspaceDoc) bool { return w.AllowDestroyPlan && w.Can.Has(belay.ApplyRuns) })},
	{name: "created-at", show: value(func(w *workspaceDoc) time.Time { return w.CreatedAt })},
	{name: "updated-at", show: value(func(w *workspaceDoc) time.Time { return w.UpdatedAt })},
	{name: "latest-change-at", show: value(func(w *workspaceDoc) time.Time { return w.LatestChangeAt })},
	{name: "environment", show: fixed[workspaceDoc]("default")},
	{name: "locked", show: value(func(w *workspaceDoc) bool { return w.Lock.Held() })},
	{name: "locked-reason", show: value(func(w *workspaceDoc) string { return w.Lock.Reason })},
	{name: "permissions", show: permitted(workspacePermissions, func(w *workspaceDoc) belay.Permission { return w.Can },
		flag[workspaceDoc]{"can-force-delete", func(w *workspaceDoc) bool { return w.MayForceDelete(w.Can) }})},
	{name: "apply-duration-average", show: figure(func(f *belay.RunFigures) int64 { return f.ApplyMillis })},
	{name: "plan-duration-average", show: figure(func(f *belay.RunFigures) int64 { return f.PlanMillis })},
	{name: "policy-check-failures", show: figure(func(*belay.RunFigures) int64 { return 0 })},
	{name: "run-failures", show: figure(func(f *belay.RunFigures) int64 { return int64(f.Failures) })},
	{name: "workspace-kpis-runs-count", show: figure(func(f *belay.RunFigures) int64 { return int64(f.Runs) })},
	{name: "resource-count", show: value(func(w *workspaceDoc) int { return w.ResourceCount })},
	{name: "tag-names", show: texts(func(w *workspaceDoc) []string { return w.TagNames })},
	{
		name: "unarchived_workspace_change_requests_count", feature: belay.ChangeRequests,
		show:   value(func(w *workspaceDoc) int { return w.OpenChangeRequests }),
		absent: func(w *workspaceDoc) bool { return !w.Can.Has(belay.ReadChangeRequests) },
	},
	{name: "effective-state-version-retention-desc", feature: belay.DataRetention, show: maybe(effectiveRetention)},
	{name: "last-assessment-result-at", show: maybe(func(w *workspaceDoc) time.Time { return w.AssessedAt })},
}

// effectiveRetention is the policy of the workspace or its organization in words; null
// where only that of the site holds, which is not part of the row.
func effectiveRetention(w *workspaceDoc) string {
	if w.Retention.Given() {
		return w.Retention.Text()
	}
	return w.Organization.Retention.Text()
}

// overwriteMembers is what setting-overwrites holds in a body.
var overwriteMembers = attributes[belay.SettingOverwrites, belay.SettingOverwrites]{
	{name: "execution-mode", write: field(func(s *belay.SettingOverwrites) *patch.Field[bool] { return &s.ExecutionMode })},
	{name: "agent-pool", write: field(func(s *belay.SettingOverwrites) *patch.Field[bool] { return &s.AgentPool })},
}

// repoMembers is what vcs-repo holds in a body; null takes a member away.
var repoMembers = attributes[belay.VCSRepoPatch, belay.VCSRepoPatch]{
	{name: "identifier", write: nullable(func(r *belay.VCSRepoPatch) *patch.Field[string] { return &r.Identifier })},
	{name: "oauth-token-id", write: nullable(func(r *belay.VCSRepoPatch) *patch.Field[string] { return &r.OAuthTokenID })},
	{name: "vcs-app-installation-id", write: nullable(func(r *belay.VCSRepoPatch) *patch.Field[string] { return &r.AppInstallationID })},
	{name: "github-app-installation-id", twin: "vcs-app-installation-id", write: nullable(func(r *belay.VCSRepoPatch) *patch.Field[string] { return &r.GitHubAppInstallationID })},
	{name: "branch", write: nullable(func(r *belay.VCSRepoPatch) *patch.Field[string] { return &r.Branch })},
	{name: "ingress-submodules", write: nullable(func(r *belay.VCSRepoPatch) *patch.Field[bool] { return &r.IngressSubmodules })},
	{name: "tags-regex", write: nullable(func(r *belay.VCSRepoPatch) *patch.Field[string] { return &r.TagsRegex })},
	{name: "source-directory", write: nullable(func(r *belay.VCSRepoPatch) *patch.Field[string] { return &r.SourceDirectory })},
	{name: "tag-prefix", write: nullable(func(r *belay.VCSRepoPatch) *patch.Field[string] { return &r.TagPrefix })},
}

var settingOverwrites = attributes[workspaceDoc, workspacePatch]{
	{name: "execution-mode", show: value(func(w *workspaceDoc) bool { return w.OwnsExecution })},
	{name: "agent-pool", show: value(func(w *workspaceDoc) bool { return w.OwnsExecution })},
}

var workspaceActions = attributes[workspaceDoc, workspacePatch]{
	{name: "is-destroyable", show: value(func(w *workspaceDoc) bool { return w.AllowDestroyPlan })},
}

// vcsRepo is what vcs-repo holds in a document, when there is a repository.
var vcsRepo = attributes[workspaceDoc, workspacePatch]{
	{name: "branch", show: value(func(w *workspaceDoc) string { return w.VCSRepo.Branch })},
	{name: "display-identifier", show: value(func(w *workspaceDoc) string { return w.VCSRepo.Identifier })},
	{name: "identifier", show: value(func(w *workspaceDoc) string { return w.VCSRepo.Identifier })},
	{name: "ingress-submodules", show: value(func(w *workspaceDoc) bool { return w.VCSRepo.IngressSubmodules })},
	{name: "oauth-token-id", show: maybe(func(w *workspaceDoc) string { return w.VCSRepo.OAuthTokenID })},
	{name: "vcs-app-installation-id", show: maybe(func(w *workspaceDoc) string { return w.VCSRepo.AppInstallationID })},
	{name: "github-app-installation-id", show: maybe(func(w *workspaceDoc) string { return w.VCSRepo.AppInstallationID })},
	{name: "repository-http-url", show: value(func(w *workspaceDoc) string {
		return strings.TrimSuffix(w.VCSRepo.HTTPURL, "/") + "/" + w.VCSRepo.Identifier
	})},
	{name: "service-provider", show: value(func(w *workspaceDoc) string { return w.VCSRepo.ServiceProvider })},
	{name: "source-directory", show: maybe(func(w *workspaceDoc) string { return w.VCSRepo.SourceDirectory })},
	{name: "tag-prefix", show: maybe(func(w *workspaceDoc) string { return w.VCSRepo.TagPrefix })},
	{name: "tags-regex", show: maybe(func(w *workspaceDoc) string { return w.VCSRepo.TagsRegex })},
	{name: "webhook-url", show: unless(func(w *workspaceDoc) bool {
		return !w.Can.Has(belay.UpdateWorkspace) || w.VCSRepo.AppInstallationID != ""
	}, // only for those who may change the settings
		func(w *workspaceDoc) string { return w.Address + "/webhooks/vcs/" + w.VCSRepo.WebhookID })},
}

func hasRepo(w *workspaceDoc) bool { return w.VCSRepo != nil }

func vcsRepoIdentifier(w *workspaceDoc) string {
	if w.VCSRepo == nil {
		return ""
	}
	return w.VCSRepo.Identifier
}

func oauthClientName(w *workspaceDoc) string {
	if w.VCSRepo == nil {
		return ""
	}
	return w.OAuthClientName
}

var workspaces = &noun[workspaceDoc, workspacePatch]{
	typ:        "workspaces",
	id:         func(w *workspaceDoc) string { return w.ID },
	path:       func(w *workspaceDoc) string { return "/api/v2/workspaces/" + w.ID },
	attributes: workspaceAttributes,
	relations:  workspaceRelations,
	links: []link[workspaceDoc]{
		{name: "self", to: func(w *workspaceDoc) string { return organizationPath(w.Organization.Name) + "/workspaces/" + w.Name }},
		{name: "self-html", to: func(w *workspaceDoc) string {
			return "/app/" + url.PathEscape(w.Organization.Name) + "/workspaces/" + w.Name
		}},
	},
}

var workspaceRelations = []relation[workspaceDoc, workspacePatch]{
	ofOrganization[workspaceDoc, workspacePatch](func(w *workspaceDoc) string { return w.Organization.Name }),
	to[workspaceDoc, workspacePatch]("project", "projects", func(w *workspaceDoc) string { return w.ProjectID }).
		taking(ref("projects"), takeProject),
	to[workspaceDoc, workspacePatch]("agent-pool", "agent-pools", func(w *workspaceDoc) string { return w.PoolID() }),
	toEither[workspaceDoc, workspacePatch]("locked-by", []string{"users", "teams", "runs"}, lockedBy),
	to[workspaceDoc, workspacePatch]("current-run", "runs", func(w *workspaceDoc) string { return w.CurrentRunID }),
	to[workspaceDoc, workspacePatch]("latest-run", "runs", func(w *workspaceDoc) string { return w.CurrentRunID }),
	to[workspaceDoc, workspacePatch]("current-configuration-version", "configuration-versions", func(w *workspaceDoc) string { return w.ConfigurationID }),
	toBelow[workspaceDoc, workspacePatch]("current-state-version", "state-versions", "/current-state-version", func(w *workspaceDoc) string { return w.CurrentStateVersionID }),
	to[workspaceDoc, workspacePatch]("current-assessment-result", "assessment-results", func(w *workspaceDoc) string { return w.AssessmentID }),
	toMany[workspaceDoc, workspacePatch]("outputs", "workspace-outputs", "/current-state-version-outputs", func(w *workspaceDoc) []string { return w.OutputIDs }).
		linkedAlone("workspace-outputs", func(w *workspaceDoc) bool { return w.ManyOutputs }),
	bare[workspaceDoc, workspacePatch]("readme", "workspace-readme", readmeID),
	toMany[workspaceDoc, workspacePatch]("vars", "vars", "/vars", func(w *workspaceDoc) []string { return w.VariableIDs }),
	retentionOf[workspaceDoc, workspacePatch](func(w *workspaceDoc) belay.RetentionPolicy { return w.Retention }),
	below[workspaceDoc, workspacePatch]("effective-tag-bindings", "/effective-tag-bindings", "effective-tag-bindings"),
	below[workspaceDoc, workspacePatch]("tag-bindings", "/tag-bindings").taking(newBindings(), takeBindings),
	below[workspaceDoc, workspacePatch]("remote-state-consumers", "/relationships/remote-state-consumers"),
	to[workspaceDoc, workspacePatch]("ssh-key", "ssh-keys", func(w *workspaceDoc) string { return w.SSHKeyID }).
		unless(func(w *workspaceDoc) bool { return w.SSHKeyID == "" }), // published samples leave it out where there is none
	only[workspaceDoc, workspacePatch]("tags").taking(openapi.List(bodyRef("tags")), takeTags),
}

func takeProject(_ *request, in *jsonapi.Incoming, p *workspacePatch) error {
	project, given, err := relatedRef(in, "project", "projects")
	if given && err == nil {
		p.ProjectID = patch.Of(project.ID)
	}
	return err
}

func takeBindings(_ *request, in *jsonapi.Incoming, p *workspacePatch) (err error) {
	p.TagBindings, err = relatedBindings(in)
	return err
}

// takeTags reads the flat tags of a new workspace: an update leaves them to their own
// endpoints.
func takeTags(r *request, in *jsonapi.Incoming, p *workspacePatch) (err error) {
	if r.Method == http.MethodPost {
		p.Tags, err = relatedTags(in)
	}
	return err
}

// lockedBy is who holds the lock; null also when the reader may not know.
func lockedBy(w *workspaceDoc) (typ, id string) {
	if w.Lock.Holder.Hidden {
		return "", ""
	}
	return w.Lock.Holder.Type, w.Lock.Holder.ID
}

// linked is a to-one relationship with the path of what it leads to; null when it is empty.
func linked(name, typ, id string) jsonapi.Relation {
	relation := jsonapi.Relation{Name: name, Data: jsonapi.One(typ, id)}
	if id != "" {
		relation.Related = "/api/v2/" + typ + "/" + id
	}
	return relation
}

// workspaceRef is the workspace that the path names, by either of its forms.
func (r *request) workspaceRef() belay.WorkspaceRef {
	return belay.WorkspaceRef{
		ID: r.param("workspace_id"), Organization: r.param("organization_name"), Name: r.param("name"),
	}
}

func (a *API) createWorkspace(r *request, p workspacePatch) (workspaceDoc, error) {
	p.EngineHint = engineOf(r, p)
	return a.App.CreateWorkspace(r.Context(), r.subject, r.param("organization_name"), p)
}

func (a *API) listWorkspaces(r *request) ([]workspaceDoc, int, error) {
	list, total, err := a.App.Workspaces(r.Context(), r.subject, r.param("organization_name"), r.workspaceQuery())
	r.meta = append(r.meta, jsonapi.Member{Name: "status-counts", Value: jsonapi.Object{{Name: "total", Value: total}}})
	return list, total, err
}

func (a *API) showWorkspace(r *request) (workspaceDoc, error) {
	return a.App.Workspace(r.Context(), r.subject, r.workspaceRef())
}

func (a *API) updateWorkspace(r *request, p workspacePatch) (workspaceDoc, error) {
	p.EngineHint = engineOf(r, p)
	return a.App.UpdateWorkspace(r.Context(), r.subject, r.workspaceRef(), p)
}

// engineOf is which command line gives a workspace its version; empty for any other client.
// Both send their version, and only one its name.
func engineOf(r *request, p workspacePatch) string {
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

func (a *API) lockWorkspace(r *request) (workspaceDoc, error) {
	reason, err := r.words("reason", "workspaces")
	if err != nil {
		return workspaceDoc{}, err
	}
	return a.App.LockWorkspace(r.Context(), r.subject, r.workspaceRef(), reason)
}

func (a *API) unlockWorkspace(r *request) (workspaceDoc, error) {
	return a.App.UnlockWorkspace(r.Context(), r.subject, r.workspaceRef())
}

func (a *API) forceUnlockWorkspace(r *request) (workspaceDoc, error) {
	return a.App.ForceUnlockWorkspace(r.Context(), r.subject, r.workspaceRef())
}

func (a *API) safeDeleteWorkspace(r *request) error {
	return a.App.SafeDeleteWorkspace(r.Context(), r.subject, r.workspaceRef())
}

func (a *API) forceDeleteWorkspace(r *request) error {
	return a.App.ForceDeleteWorkspace(r.Context(), r.subject, r.workspaceRef())
}

// figure shows a number about the newest runs of a workspace; null until one counts, or
// began what the number is about.
func figure(get func(*belay.RunFigures) int64) reader[workspaceDoc] {
	return reader[workspaceDoc]{func(w *workspaceDoc) any {
		if w.RunFigures == nil {
			return nil
		}
		if n := get(w.RunFigures); n >= 0 {
			return n
		}
		return nil
	}, openapi.Of[int]().OrNull()}
}
