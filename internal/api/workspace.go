package api

import (
	"cmp"
	"encoding/json"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/belayhq/belay"
	"github.com/belayhq/belay/internal/app"
	"github.com/belayhq/belay/internal/jsonapi"
	"github.com/belayhq/belay/internal/patch"
)

type (
	workspaceDoc   = app.WorkspaceView
	workspacePatch = belay.WorkspacePatch
)

// workspaceAttributes is every attribute of a workspace ("Workspace" in the spec).
var workspaceAttributes = attributes[workspaceDoc, workspacePatch]{
	{name: "name", read: func(w *workspaceDoc) any { return w.Name }, write: lenient(func(p *workspacePatch) *patch.Field[string] { return &p.Name })},
	{name: "description", read: func(w *workspaceDoc) any { return orNull(w.Description) }, write: nullable(func(p *workspacePatch) *patch.Field[string] { return &p.Description })},
	{name: "execution-mode", read: func(w *workspaceDoc) any { return string(w.Mode()) }, write: lenient(func(p *workspacePatch) *patch.Field[belay.ExecutionMode] { return &p.ExecutionMode })},
	{name: "operations", read: func(w *workspaceDoc) any { return w.Mode() != belay.LocalExecution }, write: lenient(func(p *workspacePatch) *patch.Field[bool] { return &p.Operations })},
	{name: "agent-pool-id", read: func(w *workspaceDoc) any { return orNull(w.PoolID()) }, write: nullable(func(p *workspacePatch) *patch.Field[string] { return &p.AgentPoolID })},
	{name: "setting-overwrites", read: settingOverwrites, write: members(overwriteMembers, func(p *workspacePatch) *patch.Field[belay.SettingOverwrites] { return &p.SettingOverwrites })},
	{name: "engine-version", read: func(w *workspaceDoc) any { return w.EngineVersion }, write: lenient(func(p *workspacePatch) *patch.Field[string] { return &p.EngineVersion })},
	{name: "terraform-version", read: func(w *workspaceDoc) any { return w.EngineVersion }, write: lenient(func(p *workspacePatch) *patch.Field[string] { return &p.TerraformVersion })},
	{name: "allow-destroy-plan", read: func(w *workspaceDoc) any { return w.AllowDestroyPlan }, write: field(func(p *workspacePatch) *patch.Field[bool] { return &p.AllowDestroyPlan })},
	{name: "assessments-enabled", feature: belay.Assessments, read: func(w *workspaceDoc) any { return w.AssessmentsEnabled || w.Organization.AssessmentsEnforced }, write: field(func(p *workspacePatch) *patch.Field[bool] { return &p.AssessmentsEnabled })},
	{name: "drift-detection", feature: belay.Assessments, write: lenient(func(p *workspacePatch) *patch.Field[bool] { return &p.AssessmentsEnabled })},
	{name: "auto-apply", read: func(w *workspaceDoc) any { return w.AutoApply }, write: field(func(p *workspacePatch) *patch.Field[bool] { return &p.AutoApply })},
	{name: "auto-apply-run-trigger", read: func(w *workspaceDoc) any { return w.AutoApplyRunTrigger }, write: field(func(p *workspacePatch) *patch.Field[bool] { return &p.AutoApplyRunTrigger })},
	{name: "auto-destroy-at", read: func(w *workspaceDoc) any { return w.DestroyAt() }, write: nullable(func(p *workspacePatch) *patch.Field[time.Time] { return &p.AutoDestroyAt })},
	{name: "auto-destroy-activity-duration", read: func(w *workspaceDoc) any { return orNull(w.DestroyDuration()) }, write: nullable(func(p *workspacePatch) *patch.Field[string] { return &p.AutoDestroyActivityDuration })},
	{name: "auto-destroy-status", read: func(*workspaceDoc) any { return nil }},
	{name: "inherits-project-auto-destroy", read: func(w *workspaceDoc) any { return w.InheritsProjectAutoDestroy }, write: lenient(func(p *workspacePatch) *patch.Field[bool] { return &p.InheritsProjectAutoDestroy })},
	{name: "file-triggers-enabled", read: func(w *workspaceDoc) any { return w.FileTriggersEnabled }, write: field(func(p *workspacePatch) *patch.Field[bool] { return &p.FileTriggersEnabled })},
	{name: "global-remote-state", read: func(w *workspaceDoc) any { return w.GlobalRemoteState }, write: field(func(p *workspacePatch) *patch.Field[bool] { return &p.GlobalRemoteState })},
	{name: "project-remote-state", read: func(w *workspaceDoc) any { return w.ProjectRemoteState }, write: field(func(p *workspacePatch) *patch.Field[bool] { return &p.ProjectRemoteState })},
	{name: "queue-all-runs", read: func(w *workspaceDoc) any { return w.QueueAllRuns }, write: field(func(p *workspacePatch) *patch.Field[bool] { return &p.QueueAllRuns })},
	{name: "source", read: func(w *workspaceDoc) any { return w.Source }},
	{name: "source-name", read: func(w *workspaceDoc) any { return orNull(w.SourceName) }, write: nullable(func(p *workspacePatch) *patch.Field[string] { return &p.SourceName })},
	{name: "source-url", read: func(w *workspaceDoc) any { return orNull(w.SourceURL) }, write: nullable(func(p *workspacePatch) *patch.Field[string] { return &p.SourceURL })},
	{name: "migration-environment", read: func(w *workspaceDoc) any { return orNull(w.MigrationEnvironment) }, write: nullable(func(p *workspacePatch) *patch.Field[string] { return &p.MigrationEnvironment })},
	{name: "speculative-enabled", read: func(w *workspaceDoc) any { return w.SpeculativeEnabled }, write: field(func(p *workspacePatch) *patch.Field[bool] { return &p.SpeculativeEnabled })},
	{name: "structured-run-output-enabled", read: func(w *workspaceDoc) any { return w.StructuredRunOutputEnabled }, write: field(func(p *workspacePatch) *patch.Field[bool] { return &p.StructuredRunOutputEnabled })},
	{name: "trigger-patterns", read: func(w *workspaceDoc) any { return orEmpty(w.TriggerPatterns) }, write: nullable(func(p *workspacePatch) *patch.Field[[]string] { return &p.TriggerPatterns })},
	{name: "trigger-prefixes", read: func(w *workspaceDoc) any { return orEmpty(w.TriggerPrefixes) }, write: nullable(func(p *workspacePatch) *patch.Field[[]string] { return &p.TriggerPrefixes })},
	{name: "working-directory", read: func(w *workspaceDoc) any { return orNull(w.WorkingDirectory) }, write: nullable(func(p *workspacePatch) *patch.Field[string] { return &p.WorkingDirectory })},
	{name: "vcs-repo", read: vcsRepo, write: members(repoMembers, func(p *workspacePatch) *patch.Field[belay.VCSRepoPatch] { return &p.VCSRepo })},
	{name: "vcs-repo-identifier", read: vcsRepoIdentifier},
	{name: "oauth-client-name", read: oauthClientName},
	{name: "actions", read: func(w *workspaceDoc) any { return jsonapi.Object{{Name: "is-destroyable", Value: w.AllowDestroyPlan}} }},
	{name: "can-queue-destroy-plan", read: func(w *workspaceDoc) any { return w.AllowDestroyPlan && w.Can.Has(belay.ApplyRuns) }},
	{name: "created-at", read: func(w *workspaceDoc) any { return w.CreatedAt }},
	{name: "updated-at", read: func(w *workspaceDoc) any { return w.UpdatedAt }},
	{name: "latest-change-at", read: func(w *workspaceDoc) any { return w.LatestChangeAt }},
	{name: "environment", read: func(*workspaceDoc) any { return "default" }},
	{name: "locked", read: func(w *workspaceDoc) any { return w.Lock.Held() }},
	{name: "locked-reason", read: func(w *workspaceDoc) any { return w.Lock.Reason }},
	{name: "permissions", read: workspaceCan},
	{name: "apply-duration-average", read: func(*workspaceDoc) any { return nil }},
	{name: "plan-duration-average", read: func(*workspaceDoc) any { return nil }},
	{name: "policy-check-failures", read: func(*workspaceDoc) any { return nil }},
	{name: "run-failures", read: func(*workspaceDoc) any { return nil }},
	{name: "workspace-kpis-runs-count", read: func(*workspaceDoc) any { return nil }},
	{name: "resource-count", read: func(w *workspaceDoc) any { return w.ResourceCount }},
	{name: "tag-names", read: func(w *workspaceDoc) any { return orEmpty(w.TagNames) }},
	{
		name: "unarchived_workspace_change_requests_count", feature: belay.ChangeRequests,
		read:   func(w *workspaceDoc) any { return w.OpenChangeRequests },
		absent: func(w *workspaceDoc) bool { return !w.Can.Has(belay.ReadChangeRequests) },
	},
	{name: "last-assessment-result-at", read: func(*workspaceDoc) any { return nil }},
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
	{name: "github-app-installation-id", write: nullable(func(r *belay.VCSRepoPatch) *patch.Field[string] { return &r.GitHubAppInstallationID })},
	{name: "branch", write: nullable(func(r *belay.VCSRepoPatch) *patch.Field[string] { return &r.Branch })},
	{name: "ingress-submodules", write: nullable(func(r *belay.VCSRepoPatch) *patch.Field[bool] { return &r.IngressSubmodules })},
	{name: "tags-regex", write: nullable(func(r *belay.VCSRepoPatch) *patch.Field[string] { return &r.TagsRegex })},
	{name: "source-directory", write: nullable(func(r *belay.VCSRepoPatch) *patch.Field[string] { return &r.SourceDirectory })},
	{name: "tag-prefix", write: nullable(func(r *belay.VCSRepoPatch) *patch.Field[string] { return &r.TagPrefix })},
}

func settingOverwrites(w *workspaceDoc) any {
	return jsonapi.Object{{Name: "execution-mode", Value: w.OwnsExecution}, {Name: "agent-pool", Value: w.OwnsExecution}}
}

func workspaceCan(w *workspaceDoc) any {
	return append(can(workspacePermissions, w.Can), jsonapi.Member{Name: "can-force-delete", Value: w.MayForceDelete(w.Can)})
}

func vcsRepo(w *workspaceDoc) any {
	repo := w.VCSRepo
	if repo == nil {
		return nil
	}
	var webhook any // only for those who may change the settings
	if w.Can.Has(belay.UpdateWorkspace) {
		webhook = "/webhooks/vcs/" + repo.WebhookID
	}
	return jsonapi.Object{
		{Name: "branch", Value: repo.Branch},
		{Name: "display-identifier", Value: repo.Identifier},
		{Name: "identifier", Value: repo.Identifier},
		{Name: "ingress-submodules", Value: repo.IngressSubmodules},
		{Name: "oauth-token-id", Value: orNull(repo.OAuthTokenID)},
		{Name: "vcs-app-installation-id", Value: orNull(repo.AppInstallationID)},
		{Name: "github-app-installation-id", Value: orNull(repo.AppInstallationID)},
		{Name: "repository-http-url", Value: strings.TrimSuffix(repo.HTTPURL, "/") + "/" + repo.Identifier},
		{Name: "service-provider", Value: repo.ServiceProvider},
		{Name: "source-directory", Value: orNull(repo.SourceDirectory)},
		{Name: "tag-prefix", Value: orNull(repo.TagPrefix)},
		{Name: "tags-regex", Value: orNull(repo.TagsRegex)},
		{Name: "webhook-url", Value: webhook},
	}
}

func vcsRepoIdentifier(w *workspaceDoc) any {
	if w.VCSRepo == nil {
		return nil
	}
	return w.VCSRepo.Identifier
}

func oauthClientName(w *workspaceDoc) any {
	if w.VCSRepo == nil {
		return nil
	}
	return orNull(w.OAuthClientName)
}

// workspace is the resource of a workspace.
func (a *API) workspace(w workspaceDoc) *jsonapi.Resource {
	self := "/api/v2/workspaces/" + w.ID
	named := "/organizations/" + url.PathEscape(w.Organization.Name) + "/workspaces/" + w.Name
	return &jsonapi.Resource{
		Type: "workspaces", ID: w.ID,
		Attributes: workspaceAttributes.object(&w, a.App.Edition()),
		Relationships: []jsonapi.Relation{
			{Name: "organization", Data: jsonapi.Ref{Type: "organizations", ID: w.Organization.Name}, Related: "/api/v2/organizations/" + url.PathEscape(w.Organization.Name)},
			{Name: "project", Data: jsonapi.Ref{Type: "projects", ID: w.ProjectID}, Related: "/api/v2/projects/" + w.ProjectID},
			linked("agent-pool", "agent-pools", w.PoolID()),
			linked("ssh-key", "ssh-keys", w.SSHKeyID),
			lockedBy(w.Lock.Holder),
			linked("current-run", "runs", w.CurrentRunID),
			linked("latest-run", "runs", w.CurrentRunID),
			linked("current-configuration-version", "configuration-versions", ""),
			{Name: "current-state-version", Data: jsonapi.One("state-versions", w.CurrentStateVersionID), Related: self + "/current-state-version"},
			{Name: "current-assessment-result", Data: jsonapi.Null{}},
			{Name: "outputs", Data: jsonapi.Many("workspace-outputs", w.OutputIDs), Related: self + "/current-state-version-outputs"},
			{Name: "readme", Data: jsonapi.Null{}},
			{Name: "vars", Data: jsonapi.Many("vars", w.VariableIDs), Related: self + "/vars"},
			a.retentionRelation(w.Retention, self),
			{Name: "effective-tag-bindings", Related: self + "/effective-tag-bindings"},
			{Name: "tag-bindings", Related: self + "/tag-bindings"},
			{Name: "remote-state-consumers", Related: self + "/relationships/remote-state-consumers"},
		},
		Links: jsonapi.Object{{Name: "self", Value: "/api/v2" + named}, {Name: "self-html", Value: "/app" + strings.TrimPrefix(named, "/organizations")}},
	}
}

// lockedBy is who holds the lock; null also when the reader may not know.
func lockedBy(h belay.Holder) jsonapi.Relation {
	if h.Hidden {
		return linked("locked-by", "", "")
	}
	return linked("locked-by", h.Type, h.ID)
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

// workspacePatch reads the body of create and update.
func (r *request) workspacePatch() (p belay.WorkspacePatch, err error) {
	in, err := r.resource("workspaces")
	if err != nil {
		return p, err
	}
	var problems belay.Problems
	if err := problems.Add(workspaceAttributes.decode(in, &p, r.api.App.Edition())); err != nil {
		return p, err
	}
	project, given, err := relatedRef(in, "project", "projects")
	if err := problems.Add(err); err != nil {
		return p, err
	}
	if given {
		p.ProjectID = patch.Of(project.ID)
	}
	p.TagBindings, err = relatedBindings(in)
	if err := problems.Add(err); err != nil {
		return p, err
	}
	if r.Method == http.MethodPost { // an update leaves flat tags to their own endpoints
		p.Tags, err = relatedTags(in)
		if err := problems.Add(err); err != nil {
			return p, err
		}
	}
	return p, problems.Err()
}

func (a *API) createWorkspace(r *request) (*jsonapi.Document, error) {
	p, err := r.workspacePatch()
	if err != nil {
		return nil, err
	}
	w, err := a.App.CreateWorkspace(r.Context(), r.subject, r.param("organization_name"), p)
	return a.workspaceAnswer(w, err)
}

func (a *API) listWorkspaces(r *request) (*jsonapi.Document, error) {
	names, err := r.includes(workspaceIncludes...)
	if err != nil {
		return nil, err
	}
	list, total, err := a.App.Workspaces(r.Context(), r.subject, r.param("organization_name"), r.workspaceQuery())
	if err != nil {
		return nil, err
	}
	document := r.list(each(list, a.workspace), total)
	return document, r.includeRelated(document, list, names)
}

func (a *API) showWorkspace(r *request) (*jsonapi.Document, error) {
	names, err := r.includes(workspaceIncludes...)
	if err != nil {
		return nil, err
	}
	w, err := a.App.Workspace(r.Context(), r.subject, r.workspaceRef())
	if err != nil {
		return nil, err
	}
	document := one(a.workspace(w))
	return document, r.includeRelated(document, []workspaceDoc{w}, names)
}

func (a *API) updateWorkspace(r *request) (*jsonapi.Document, error) {
	p, err := r.workspacePatch()
	if err != nil {
		return nil, err
	}
	w, err := a.App.UpdateWorkspace(r.Context(), r.subject, r.workspaceRef(), p)
	return a.workspaceAnswer(w, err)
}

func (a *API) lockWorkspace(r *request) (*jsonapi.Document, error) {
	reason, err := lockReason(r.body)
	if err != nil {
		return nil, err
	}
	w, err := a.App.LockWorkspace(r.Context(), r.subject, r.workspaceRef(), reason)
	return a.workspaceAnswer(w, err)
}

func (a *API) unlockWorkspace(r *request) (*jsonapi.Document, error) {
	w, err := a.App.UnlockWorkspace(r.Context(), r.subject, r.workspaceRef())
	return a.workspaceAnswer(w, err)
}

func (a *API) forceUnlockWorkspace(r *request) (*jsonapi.Document, error) {
	w, err := a.App.ForceUnlockWorkspace(r.Context(), r.subject, r.workspaceRef())
	return a.workspaceAnswer(w, err)
}

func (a *API) safeDeleteWorkspace(r *request) (*jsonapi.Document, error) {
	return nil, a.App.SafeDeleteWorkspace(r.Context(), r.subject, r.workspaceRef())
}

func (a *API) forceDeleteWorkspace(r *request) (*jsonapi.Document, error) {
	return nil, a.App.ForceDeleteWorkspace(r.Context(), r.subject, r.workspaceRef())
}

func (a *API) workspaceAnswer(w workspaceDoc, err error) (*jsonapi.Document, error) {
	if err != nil {
		return nil, err
	}
	return one(a.workspace(w)), nil
}

// lockReason reads the reason of a lock: clients send it as an attribute, the
// specification has it at the top, and it may be missing altogether.
func lockReason(body []byte) (string, error) {
	if len(strings.TrimSpace(string(body))) == 0 {
		return "", nil
	}
	if !json.Valid(body) {
		return "", belay.Refuse(belay.BadRequest, "the body is not valid JSON")
	}
	var document struct {
		Reason json.RawMessage
		Data   *struct {
			Type       string
			Attributes *struct{ Reason json.RawMessage }
		}
	}
	if err := json.Unmarshal(body, &document); err != nil {
		return "", shapeRefusal(&jsonapi.ShapeError{Pointer: "/data", Detail: "must be a resource object"})
	}
	given, pointer := document.Reason, "/reason"
	if d := document.Data; d != nil {
		if err := checkType(d.Type, "/data/type", "workspaces"); err != nil {
			return "", err
		}
		if d.Attributes != nil && d.Attributes.Reason != nil {
			given, pointer = d.Attributes.Reason, "/data/attributes/reason"
		}
	}
	var reason string
	if given != nil && json.Unmarshal(given, &reason) != nil {
		return "", shapeRefusal(&jsonapi.ShapeError{Pointer: pointer, Detail: "reason must be a string"})
	}
	return reason, nil
}

// workspaceQuery reads the filters and the order of a list of workspaces.
func (r *request) workspaceQuery() belay.WorkspaceQuery {
	q := r.URL.Query()
	want := belay.WorkspaceQuery{
		Page:        r.page(),
		Search:      strings.TrimSpace(q.Get("search[name]")),
		Wildcard:    strings.TrimSpace(q.Get("search[wildcard-name]")),
		Projects:    commas(q["filter[project][id]"]...),
		RunStatuses: commas(q["filter[current-run][status]"]...),
		Tags:        commas(q["search[tags]"]...),
		ExcludeTags: commas(q["search[exclude-tags]"]...),
		Tagged:      tagFilters(q),
	}
	want.Sort = workspaceSort(q.Get("sort"))
	return want
}

var tagFilterKey = regexp.MustCompile(`^filter\[tagged\]\[(-?\d+)\]\[key\]$`)

// tagFilters reads filter[tagged][i][key] and its value. The indexes only pair them: they
// may be any numbers. A value without a key asks for nothing.
func tagFilters(q url.Values) (filters []belay.TagFilter) {
	for name, keys := range q {
		index := tagFilterKey.FindStringSubmatch(name)
		if index == nil || keys[0] == "" {
			continue
		}
		filter := belay.TagFilter{Key: keys[0], Value: q.Get("filter[tagged][" + index[1] + "][value]")}
		if !slices.Contains(filters, filter) {
			filters = append(filters, filter)
		}
	}
	// In one order, so that the same filters find the same count.
	slices.SortFunc(filters, func(a, b belay.TagFilter) int {
		return cmp.Or(strings.Compare(a.Key, b.Key), strings.Compare(a.Value, b.Value))
	})
	return filters
}

// workspaceSort reads the order; one that is not known is ignored.
func workspaceSort(sort string) belay.WorkspaceSort {
	key, descending := strings.CutPrefix(sort, "-")
	switch key {
	case "name", "latest-change-at", "current-run.created-at":
		return belay.WorkspaceSort{Key: key, Descending: descending}
	default:
		return belay.WorkspaceSort{}
	}
}
