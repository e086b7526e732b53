package store

import (
	"github.com/belayhq/belay"
)

var nameTaken = belay.Problems{{
	Kind: belay.Invalid, Title: "invalid attribute", Detail: "Name has already been taken", Pointer: "/data/attributes/name",
}}

var workspaces = newTable(table[belay.Workspace]{
	name: "workspaces",
	hold: "w",
	from: `workspaces w JOIN organizations o ON o.id = w.organization_id JOIN projects p ON p.id = w.project_id
		LEFT JOIN oauth_tokens ot ON ot.id = w.vcs_token_id LEFT JOIN oauth_clients oc ON oc.id = ot.client_id`,
	own: []column[belay.Workspace]{
		{"id", func(w *belay.Workspace) any { return &w.ID }},
		{"organization_id", func(w *belay.Workspace) any { return &w.OrganizationID }},
		{"project_id", func(w *belay.Workspace) any { return &w.ProjectID }},
		{"name", func(w *belay.Workspace) any { return &w.Name }},
		{"description", func(w *belay.Workspace) any { return &w.Description }},
		{"owns_execution", func(w *belay.Workspace) any { return &w.OwnsExecution }},
		{"own_mode", func(w *belay.Workspace) any { return &w.OwnMode }},
		{"own_pool_id", func(w *belay.Workspace) any { return &w.OwnPoolID }},
		{"engine_version", func(w *belay.Workspace) any { return &w.EngineVersion }},
		{"allow_destroy_plan", func(w *belay.Workspace) any { return &w.AllowDestroyPlan }},
		{"assessments_enabled", func(w *belay.Workspace) any { return &w.AssessmentsEnabled }},
		{"auto_apply", func(w *belay.Workspace) any { return &w.AutoApply }},
		{"auto_apply_run_trigger", func(w *belay.Workspace) any { return &w.AutoApplyRunTrigger }},
		{"file_triggers_enabled", func(w *belay.Workspace) any { return &w.FileTriggersEnabled }},
		{"global_remote_state", func(w *belay.Workspace) any { return &w.GlobalRemoteState }},
		{"project_remote_state", func(w *belay.Workspace) any { return &w.ProjectRemoteState }},
		{"queue_all_runs", func(w *belay.Workspace) any { return &w.QueueAllRuns }},
		{"speculative_enabled", func(w *belay.Workspace) any { return &w.SpeculativeEnabled }},
		{"structured_run_output_enabled", func(w *belay.Workspace) any { return &w.StructuredRunOutputEnabled }},
		{"own_destroy_at", func(w *belay.Workspace) any { return millis{&w.OwnDestroyAt} }},
		{"own_destroy_duration", func(w *belay.Workspace) any { return &w.OwnDestroyDuration }},
		{"inherits_project_auto_destroy", func(w *belay.Workspace) any { return &w.InheritsProjectAutoDestroy }},
		{"source", func(w *belay.Workspace) any { return &w.Source }},
		{"source_name", func(w *belay.Workspace) any { return &w.SourceName }},
		{"source_url", func(w *belay.Workspace) any { return &w.SourceURL }},
		{"migration_environment", func(w *belay.Workspace) any { return &w.MigrationEnvironment }},
		{"trigger_patterns", func(w *belay.Workspace) any { return jsonText[[]string]{&w.TriggerPatterns} }},
		{"trigger_prefixes", func(w *belay.Workspace) any { return jsonText[[]string]{&w.TriggerPrefixes} }},
		{"working_directory", func(w *belay.Workspace) any { return &w.WorkingDirectory }},
		{"vcs_repo", func(w *belay.Workspace) any { return jsonText[*belay.VCSRepo]{&w.VCSRepo} }},
		{"vcs_token_id", func(w *belay.Workspace) any { return &w.VCSTokenID }},
		{"retention_id", func(w *belay.Workspace) any { return &w.Retention.ID }},
		{"retention_kind", func(w *belay.Workspace) any { return &w.Retention.Kind }},
		{"retention_days", func(w *belay.Workspace) any { return &w.Retention.Days }},
		{"var_refs", func(w *belay.Workspace) any { return jsonText[[]string]{&w.VariableIDs} }},
		{"ssh_key_id", func(w *belay.Workspace) any { return &w.SSHKeyID }},
		{"lock_holder_type", func(w *belay.Workspace) any { return &w.Lock.Holder.Type }},
		{"lock_holder_id", func(w *belay.Workspace) any { return &w.Lock.Holder.ID }},
		{"lock_holder_name", func(w *belay.Workspace) any { return &w.Lock.Holder.Name }},
		{"lock_reason", func(w *belay.Workspace) any { return &w.Lock.Reason }},
		{"locked_at", func(w *belay.Workspace) any { return millis{&w.Lock.At} }},
		{"created_at", func(w *belay.Workspace) any { return millis{&w.CreatedAt} }},
		{"updated_at", func(w *belay.Workspace) any { return millis{&w.UpdatedAt} }},
		{"latest_change_at", func(w *belay.Workspace) any { return millis{&w.LatestChangeAt} }},
		{"resource_count", func(w *belay.Workspace) any { return &w.ResourceCount }},
		{"current_state_version_id", func(w *belay.Workspace) any { return &w.CurrentStateVersionID }},
		{"output_ids", func(w *belay.Workspace) any { return jsonText[[]string]{&w.OutputIDs} }},
		{"state_engine_version", func(w *belay.Workspace) any { return &w.StateEngineVersion }},
		{"current_run_id", func(w *belay.Workspace) any { return &w.CurrentRunID }},
		{"current_run_status", func(w *belay.Workspace) any { return &w.CurrentRunStatus }},
		{"current_run_at", func(w *belay.Workspace) any { return millis{&w.CurrentRunAt} }},
		{"tag_names", func(w *belay.Workspace) any { return jsonText[[]string]{&w.TagNames} }},
	},
	joined: []column[belay.Workspace]{
		{"o.id", func(w *belay.Workspace) any { return &w.Organization.ID }},
		{"o.name", func(w *belay.Workspace) any { return &w.Organization.Name }},
		{"o.default_execution_mode", func(w *belay.Workspace) any { return &w.Organization.DefaultExecutionMode }},
		{"o.default_agent_pool_id", func(w *belay.Workspace) any { return &w.Organization.DefaultAgentPoolID }},
		{"o.allow_force_delete", func(w *belay.Workspace) any { return &w.Organization.AllowForceDelete }},
		{"o.assessments_enforced", func(w *belay.Workspace) any { return &w.Organization.AssessmentsEnforced }},
		{"o.access_generation", func(w *belay.Workspace) any { return &w.Organization.AccessGeneration }},
		{"p.id", func(w *belay.Workspace) any { return &w.Project.ID }},
		{"COALESCE(oc.name, '')", func(w *belay.Workspace) any { return &w.OAuthClientName }},
		{"p.owns_execution", func(w *belay.Workspace) any { return &w.Project.OwnsExecution }},
		{"p.default_execution_mode", func(w *belay.Workspace) any { return &w.Project.DefaultExecutionMode }},
		{"p.default_agent_pool_id", func(w *belay.Workspace) any { return &w.Project.DefaultAgentPoolID }},
		{"(SELECT count(*) FROM change_requests c WHERE c.workspace_id = w.id AND c.archived_at = 0)", func(w *belay.Workspace) any { return &w.OpenChangeRequests }},
		{"p.auto_destroy_activity_duration", func(w *belay.Workspace) any { return &w.Project.AutoDestroyActivityDuration }},
	},
})

// Workspace is one workspace, by id or by its name in an organization.
func (v *View) Workspace(ref belay.WorkspaceRef) (belay.Workspace, error) {
	if ref.ID != "" {
		return workspaces.one(v, "w.id = ?", ref.ID)
	}
	return workspaces.one(v, "o.id = (SELECT id FROM organizations WHERE name = ? UNION ALL SELECT id FROM organizations WHERE id = ? LIMIT 1) AND w.name = ?",
		ref.Organization, ref.Organization, ref.Name)
}

// Workspaces is one page of an organization's workspaces, and how many there are in all.
func (v *View) Workspaces(o belay.Organization, want belay.WorkspaceQuery) ([]belay.Workspace, int, error) {
	if want.MatchesNothing {
		return nil, 0, nil
	}
	total, err := v.countWorkspaces(o, want)
	if err != nil || total == 0 {
		return nil, 0, err
	}
	inner, outer := workspaceOrder(want.Sort)
	// The page is found on the index alone; only its rows are read whole.
	q := v.sql(workspaces.selected)
	q.add("JOIN (SELECT f.id FROM workspaces f WHERE ")
	q.workspaces(o, want)
	q.add(" ORDER BY "+inner+" LIMIT ? OFFSET ?", want.Page.Size, want.Page.Offset())
	q.add(") page ON page.id = w.id ORDER BY " + outer)
	list, err := workspaces.many(v, q)
	return list, total, err
}

// countWorkspaces counts what a list finds: from the organization's counter when nothing
// is filtered, else once for every generation of the organization.
func (v *View) countWorkspaces(o belay.Organization, want belay.WorkspaceQuery) (int, error) {
	if want.Unfiltered() {
		return o.WorkspaceCount, nil
	}
	if all := want; want.WithoutWorkspace != "" {
		if all.WithoutWorkspace = ""; all.Unfiltered() {
			return o.WorkspaceCount - 1, nil
		}
	}
	q := v.sql("SELECT count(*) FROM workspaces f WHERE ")
	q.workspaces(o, want)
	key := ""
	if want.Countable() {
		key = countKey(o, q)
		if total, ok := v.db.counts.Get(key); ok {
			return total, nil
		}
	}
	total, _, err := value[int](v, q)
	if err == nil && key != "" && !v.inTx {
		v.db.counts.Add(key, total)
	}
	return total, err
}

// workspaces appends the conditions of a list: the one place that says what a query means.
func (q *query) workspaces(o belay.Organization, want belay.WorkspaceQuery) {
	q.add("f.organization_id = ?", o.ID)
	if !want.Scope.Everything {
		q.in(" AND f.id IN (SELECT m.id FROM workspaces m WHERE m.id", want.Scope.Workspaces)
		q.in(" UNION SELECT m.id FROM workspaces m WHERE m.project_id", want.Scope.Projects)
		q.add(")")
	}
	if want.Projects != nil {
		q.in(" AND f.project_id", want.Projects)
	}
	if want.Search != "" {
		q.add(` AND LOWER(f.name) LIKE ? ESCAPE '\'`, contains(want.Search))
	}
	if want.Wildcard != "" {
		q.add(` AND LOWER(f.name) LIKE ? ESCAPE '\'`, wildcard(want.Wildcard))
	}
	if want.RunStatuses != nil {
		q.in(" AND f.current_run_status", want.RunStatuses)
	}
	if want.ConsumersOf != "" {
		q.add(" AND f.id IN (SELECT c.consumer_id FROM remote_state_consumers c WHERE c.workspace_id = ?)", want.ConsumersOf)
	}
	if want.WithoutWorkspace != "" {
		q.add(" AND f.id <> ?", want.WithoutWorkspace)
	}
}

// workspaceOrder is the order of a page: for finding it, and for giving it. What is
// missing comes last, whichever the direction.
func workspaceOrder(by belay.WorkspaceSort) (inner, outer text) {
	switch {
	case by.Key == "latest-change-at" && by.Descending:
		return "f.latest_change_at DESC, f.id DESC", "w.latest_change_at DESC, w.id DESC"
	case by.Key == "latest-change-at":
		return "f.latest_change_at, f.id", "w.latest_change_at, w.id"
	case by.Key == "current-run.created-at" && by.Descending:
		return "(f.current_run_at = 0), f.current_run_at DESC, f.id", "(w.current_run_at = 0), w.current_run_at DESC, w.id"
	case by.Key == "current-run.created-at":
		return "(f.current_run_at = 0), f.current_run_at, f.id", "(w.current_run_at = 0), w.current_run_at, w.id"
	case by.Descending:
		return "f.name DESC, f.id DESC", "w.name DESC, w.id DESC"
	default:
		return "f.name, f.id", "w.name, w.id"
	}
}

// AddWorkspace writes a new workspace; CountWorkspace must follow.
func (tx *Tx) AddWorkspace(w *belay.Workspace) error {
	if err := workspaces.insert(tx, w, nameTaken); err != nil {
		return err
	}
	return tx.linkTags(w, w.TagNames)
}

// CountWorkspace moves the counters of the workspace's project and organization. It comes
// last in a transaction: on PostgreSQL every create of an organization waits for it in turn.
func (tx *Tx) CountWorkspace(w *belay.Workspace, by int) error {
	if err := tx.do("UPDATE projects SET workspace_count = workspace_count + ? WHERE id = ?", by, w.ProjectID); err != nil {
		return err
	}
	return tx.do("UPDATE organizations SET workspace_count = workspace_count + ?, generation = generation + 1 WHERE id = ?", by, w.OrganizationID)
}

// MoveWorkspace counts a workspace in another project than before.
func (tx *Tx) MoveWorkspace(w *belay.Workspace, from string) error {
	if err := tx.do("UPDATE projects SET workspace_count = workspace_count - 1 WHERE id = ?", from); err != nil {
		return err
	}
	return tx.do("UPDATE projects SET workspace_count = workspace_count + 1 WHERE id = ?", w.ProjectID)
}

// SaveWorkspace writes every column of a workspace. listed says that something changed
// that lists filter by.
func (tx *Tx) SaveWorkspace(w *belay.Workspace, listed bool) error {
	if err := workspaces.update(tx, w, nameTaken); err != nil {
		return err
	}
	if !listed {
		return tx.moveFacts(w.OrganizationID)
	}
	for _, statement := range []text{
		"UPDATE workspace_tags SET workspace_name = ? WHERE workspace_id = ?",
		"UPDATE workspace_tag_bindings SET workspace_name = ? WHERE workspace_id = ?",
	} {
		if err := tx.do(statement, w.Name, w.ID); err != nil {
			return err
		}
	}
	return tx.moveGeneration(w.OrganizationID)
}

// SaveLock writes the lock of a workspace.
func (tx *Tx) SaveLock(w *belay.Workspace) error {
	l := w.Lock
	return tx.do(`UPDATE workspaces SET lock_holder_type = ?, lock_holder_id = ?, lock_holder_name = ?,
		lock_reason = ?, locked_at = ?, updated_at = ? WHERE id = ?`,
		l.Holder.Type, l.Holder.ID, l.Holder.Name, l.Reason, unixMillis(l.At), unixMillis(w.UpdatedAt), w.ID)
}

// DropWorkspace deletes a workspace and all that hangs on it; CountWorkspace must follow.
func (tx *Tx) DropWorkspace(w *belay.Workspace) error {
	if err := tx.unlinkTags(w, w.TagNames); err != nil {
		return err
	}
	for _, statement := range []text{
		"DELETE FROM tokens WHERE workspace_id = ?", // of its runs
		"DELETE FROM workspaces WHERE id = ?",
	} {
		if err := tx.do(statement, w.ID); err != nil {
			return err
		}
	}
	return nil
}

// moveGeneration makes the counts that were kept of the organization's lists stale.
func (tx *Tx) moveGeneration(organizationID string) error {
	return tx.do("UPDATE organizations SET generation = generation + 1 WHERE id = ?", organizationID)
}
