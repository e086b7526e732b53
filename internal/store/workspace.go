package store

import (
	"reflect"

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
		{"o.user_tokens_enabled", func(w *belay.Workspace) any { return &w.Organization.UserTokensEnabled }},
		{"p.id", func(w *belay.Workspace) any { return &w.Project.ID }},
		{"COALESCE(oc.name, '')", func(w *belay.Workspace) any { return &w.OAuthClientName }},
		{"p.owns_execution", func(w *belay.Workspace) any { return &w.Project.OwnsExecution }},
		{"p.default_execution_mode", func(w *belay.Workspace) any { return &w.Project.DefaultExecutionMode }},
		{"p.default_agent_pool_id", func(w *belay.Workspace) any { return &w.Project.DefaultAgentPoolID }},
		{"(SELECT count(*) FROM change_requests c WHERE c.workspace_id = w.id AND c.archived_at = 0)", func(w *belay.Workspace) any { return &w.OpenChangeRequests }},
		{`CASE WHEN w.lock_holder_id = '' THEN '' ELSE COALESCE((SELECT username FROM users WHERE id = w.lock_holder_id),
			(SELECT name FROM teams WHERE id = w.lock_holder_id), w.lock_holder_name) END`, func(w *belay.Workspace) any { return &w.Lock.Holder.Name }},
		{`CASE WHEN w.lock_holder_id = '' THEN '' ELSE COALESCE((SELECT visibility FROM teams WHERE id = w.lock_holder_id), '') END`,
			func(w *belay.Workspace) any { return &w.Lock.Holder.Visibility }},
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

// WorkspacesByID is many workspaces, by name.
func (v *View) WorkspacesByID(ids []string) ([]belay.Workspace, error) {
	return workspaces.many(v, v.sql(workspaces.selected).add("WHERE w.id").in("", ids).add(" ORDER BY w.name, w.id"))
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

// SaveWorkspace writes every column of a workspace that was another before.
func (tx *Tx) SaveWorkspace(w, before *belay.Workspace) error {
	if err := workspaces.update(tx, w, nameTaken); err != nil {
		return err
	}
	switch {
	case w.Name != before.Name:
		if err := tx.renameWorkspace(w); err != nil {
			return err
		}
		return tx.moveGeneration(w.OrganizationID)
	case w.ProjectID != before.ProjectID:
		return tx.moveGeneration(w.OrganizationID)
	case w.EngineVersion != before.EngineVersion || !reflect.DeepEqual(w.VCSRepo, before.VCSRepo):
		return tx.moveFacts(w.OrganizationID)
	default:
		return nil
	}
}

// renameWorkspace writes the name of a workspace where it stands to give an order.
func (tx *Tx) renameWorkspace(w *belay.Workspace) error {
	for _, statement := range []text{
		"UPDATE workspace_tags SET workspace_name = ? WHERE workspace_id = ?",
		"UPDATE workspace_tag_bindings SET workspace_name = ? WHERE workspace_id = ?",
		"UPDATE workspace_uses SET workspace_name = ? WHERE workspace_id = ?",
	} {
		if err := tx.do(statement, w.Name, w.ID); err != nil {
			return err
		}
	}
	return nil
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
	uses, err := tx.uses(w.ID)
	if err != nil {
		return err
	}
	if err := tx.dropUses(w, uses); err != nil {
		return err
	}
	for _, statement := range []text{
		"DELETE FROM tokens WHERE workspace_id = ? AND workspace_id <> ''", // of its runs
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
