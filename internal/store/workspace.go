package store

import (
	"reflect"
	"slices"

	"github.com/belayhq/belay"
)

var nameTaken = belay.Problems{{
	Kind: belay.Invalid, Title: "invalid attribute", Detail: "Name has already been taken", Place: "name",
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
		{"engine", func(w *belay.Workspace) any { return &w.Engine }},
		{"engine_version", func(w *belay.Workspace) any { return &w.EngineVersion }},
		{"engine_unnamed", func(w *belay.Workspace) any { return &w.EngineUnnamed }},
		{"engine_release", func(w *belay.Workspace) any { return &w.EngineRelease }},
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
		{"destroy_disarmed", func(w *belay.Workspace) any { return &w.DestroyDisarmed }},
		{"destroy_failed", func(w *belay.Workspace) any { return &w.DestroyFailed }},
		{"destroyed", func(w *belay.Workspace) any { return &w.Destroyed }},
		{"managed_once", func(w *belay.Workspace) any { return &w.ManagedOnce }},
		{"destroy_reminded_at", func(w *belay.Workspace) any { return millis{&w.DestroyReminded} }},
		{"source", func(w *belay.Workspace) any { return &w.Source }},
		{"source_name", func(w *belay.Workspace) any { return &w.SourceName }},
		{"source_url", func(w *belay.Workspace) any { return &w.SourceURL }},
		{"migration_environment", func(w *belay.Workspace) any { return &w.MigrationEnvironment }},
		{"trigger_patterns", func(w *belay.Workspace) any { return jsonText[[]string]{&w.TriggerPatterns} }},
		{"trigger_prefixes", func(w *belay.Workspace) any { return jsonText[[]string]{&w.TriggerPrefixes} }},
		{"working_directory", func(w *belay.Workspace) any { return &w.WorkingDirectory }},
		{"vcs_repo", func(w *belay.Workspace) any { return jsonText[*belay.VCSRepo]{&w.VCSRepo} }},
		{"vcs_token_id", func(w *belay.Workspace) any { return &w.VCSTokenID }},
		{"vcs_hook_id", func(w *belay.Workspace) any { return &w.HookID }},
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
		{"current_configuration_version_id", func(w *belay.Workspace) any { return &w.ConfigurationID }},
		{"output_ids", func(w *belay.Workspace) any { return outputRefs{&w.OutputIDs, &w.ManyOutputs} }},
		{"state_engine_version", func(w *belay.Workspace) any { return &w.StateEngineVersion }},
		{"current_run_id", func(w *belay.Workspace) any { return &w.CurrentRunID }},
		{"current_run_status", func(w *belay.Workspace) any { return &w.CurrentRunStatus }},
		{"current_run_at", func(w *belay.Workspace) any { return millis{&w.CurrentRunAt} }},
		{"run_figures", func(w *belay.Workspace) any { return jsonText[*belay.RunFigures]{&w.RunFigures} }},
		{"assessing_id", func(w *belay.Workspace) any { return &w.AssessingID }},
		{"assessment_id", func(w *belay.Workspace) any { return &w.AssessmentID }},
		{"assessed_at", func(w *belay.Workspace) any { return millis{&w.AssessedAt} }},
		{"tag_names", func(w *belay.Workspace) any { return jsonText[[]string]{&w.TagNames} }},
	},
	joined: []column[belay.Workspace]{
		{"o.id", func(w *belay.Workspace) any { return &w.Organization.ID }},
		{"o.name", func(w *belay.Workspace) any { return &w.Organization.Name }},
		{"o.service_user_id", func(w *belay.Workspace) any { return &w.Organization.ServiceUserID }},
		{"o.default_execution_mode", func(w *belay.Workspace) any { return &w.Organization.DefaultExecutionMode }},
		{"o.default_agent_pool_id", func(w *belay.Workspace) any { return &w.Organization.DefaultAgentPoolID }},
		{"o.allow_force_delete", func(w *belay.Workspace) any { return &w.Organization.AllowForceDelete }},
		{"o.run_limit", func(w *belay.Workspace) any { return &w.Organization.RunLimit }},
		{"o.recoverable_items", func(w *belay.Workspace) any { return &w.Organization.RecoverableItems }},
		{"o.assessments_enforced", func(w *belay.Workspace) any { return &w.Organization.AssessmentsEnforced }},
		{"o.access_generation", func(w *belay.Workspace) any { return &w.Organization.AccessGeneration }},
		{"o.retention_id", func(w *belay.Workspace) any { return &w.Organization.Retention.ID }},
		{"o.retention_kind", func(w *belay.Workspace) any { return &w.Organization.Retention.Kind }},
		{"o.retention_days", func(w *belay.Workspace) any { return &w.Organization.Retention.Days }},
		{"o.aggregated_statuses", func(w *belay.Workspace) any { return &w.Organization.AggregatedStatuses }},
		{"o.pull_request_comments", func(w *belay.Workspace) any { return &w.Organization.PullRequestComments }},
		{"o.send_passing_statuses", func(w *belay.Workspace) any { return &w.Organization.SendPassingStatuses }},
		{"o.speculative_management", func(w *belay.Workspace) any { return &w.Organization.SpeculativeManagement }},
		{"o.user_tokens_enabled", func(w *belay.Workspace) any { return &w.Organization.UserTokensEnabled }},
		{toToken.unless("vcs_repo"), func(w *belay.Workspace) any { return jsonText[*belay.VCSRepo]{&w.VCSRepo} }},
		{toToken.unless("vcs_token_id"), func(w *belay.Workspace) any { return &w.VCSTokenID }},
		{toSSHKey.unless("ssh_key_id"), func(w *belay.Workspace) any { return &w.SSHKeyID }},
		{"p.id", func(w *belay.Workspace) any { return &w.Project.ID }},
		{"COALESCE(oc.name, '')", func(w *belay.Workspace) any { return &w.OAuthClientName }},
		{"p.owns_execution", func(w *belay.Workspace) any { return &w.Project.OwnsExecution }},
		{"p.default_execution_mode", func(w *belay.Workspace) any { return &w.Project.DefaultExecutionMode }},
		{"p.default_agent_pool_id", func(w *belay.Workspace) any { return &w.Project.DefaultAgentPoolID }},
		{`((SELECT count(*) FROM change_requests c WHERE c.workspace_id = w.id AND c.archived_at = 0)
			- (SELECT count(*) FROM bulk_actions u CROSS JOIN change_requests c WHERE u.unfinished_until > 0 AND c.action_id = u.id AND c.workspace_id = w.id))`, func(w *belay.Workspace) any { return &w.OpenChangeRequests }},
		{`CASE WHEN w.lock_holder_id = '' THEN '' ELSE COALESCE((SELECT username FROM users WHERE id = w.lock_holder_id),
			(SELECT name FROM teams WHERE id = w.lock_holder_id), w.lock_holder_name) END`, func(w *belay.Workspace) any { return &w.Lock.Holder.Name }},
		{`CASE WHEN w.lock_holder_id = '' THEN '' ELSE COALESCE((SELECT visibility FROM teams WHERE id = w.lock_holder_id), '') END`,
			func(w *belay.Workspace) any { return &w.Lock.Holder.Visibility }},
		{"p.auto_destroy_activity_duration", func(w *belay.Workspace) any { return &w.Project.AutoDestroyActivityDuration }},
		{doomedTags, func(w *belay.Workspace) any { return withoutDoomed{&w.TagNames} }},
	},
})

// alone is a workspace that is read by itself, and not in a list: then it is known, too, whether
// anybody waits for news of its runs.
var alone = func() *table[belay.Workspace] {
	t := *workspaces
	t.joined = append(slices.Clone(t.joined),
		column[belay.Workspace]{"p.name", func(w *belay.Workspace) any { return &w.Project.Name }},
		column[belay.Workspace]{`NOT EXISTS (SELECT 1 FROM notifications n WHERE n.workspace_id = w.id AND n.enabled)
			AND NOT EXISTS (SELECT 1 FROM notifications n WHERE n.project_id = w.project_id AND n.enabled)`,
			func(w *belay.Workspace) any { return &w.Unwatched }},
		column[belay.Workspace]{"NOT EXISTS (SELECT 1 FROM run_triggers t WHERE t.source_id = w.id)",
			func(w *belay.Workspace) any { return &w.Unfollowed }})
	return newTable(t)
}()

// Workspace is one workspace, by id or by its name in an organization.
func (v *View) Workspace(ref belay.WorkspaceRef) (belay.Workspace, error) {
	if ref.ID != "" {
		return alone.one(v, "w.id = ?", ref.ID)
	}
	return alone.one(v, "o.id = (SELECT id FROM organizations WHERE name = ? UNION ALL SELECT id FROM organizations WHERE id = ? LIMIT 1) AND w.name = ?",
		ref.Organization, ref.Organization, ref.Name)
}

// WorkspacesByID is many workspaces, by name.
func (v *View) WorkspacesByID(ids []string) ([]belay.Workspace, error) {
	return workspaces.many(v, v.sql(workspaces.selected).add("WHERE w.id").in("", ids).add(" ORDER BY w.name, w.id"))
}

// AddWorkspace writes a new workspace; CountWorkspace goes with it.
func (tx *Tx) AddWorkspace(w *belay.Workspace) error {
	if err := workspaces.insert(tx, w, nameTaken); err != nil {
		return err
	}
	if err := tx.scheduleDestroy(w); err != nil {
		return err
	}
	if w.Assessed() {
		if err := tx.noteAssessed(w); err != nil {
			return err
		}
	}
	return tx.linkTags(w, w.TagNames)
}

// SaveWorkspace writes every column of a workspace that was another before.
func (tx *Tx) SaveWorkspace(w, before *belay.Workspace) error {
	if err := workspaces.update(tx, w, nameTaken); err != nil {
		return err
	}
	if !w.DestroyAt().Equal(before.DestroyAt()) {
		if err := tx.scheduleDestroy(w); err != nil {
			return err
		}
	}
	if w.Assessed() && !before.Assessed() {
		if err := tx.noteAssessed(w); err != nil {
			return err
		}
	}
	if w.ProjectID != before.ProjectID {
		if err := tx.leaveSets([]string{w.ID}, w.ProjectID); err != nil {
			return err
		}
	}
	switch {
	case w.Name != before.Name:
		tx.moveGeneration(w.OrganizationID)
		return tx.renameWorkspace(w)
	case w.ProjectID != before.ProjectID:
		tx.moveGeneration(w.OrganizationID)
	case w.EngineRelease != before.EngineRelease || !reflect.DeepEqual(w.VCSRepo, before.VCSRepo):
		tx.moveFacts(w.OrganizationID)
	}
	return nil
}

// MoveWorkspaces puts workspaces of its organization into a project.
func (tx *Tx) MoveWorkspaces(list []belay.Workspace, to *belay.Project) error {
	if len(list) == 0 {
		return nil
	}
	for i := range list {
		w := &list[i]
		from := w.ProjectID
		w.ProjectID, w.Project, w.UpdatedAt = to.ID, *to, tx.Now
		tx.MoveWorkspace(w, from)
	}
	tx.moveGeneration(to.OrganizationID)
	ids := idsOf(list, func(w *belay.Workspace) string { return w.ID })
	if _, err := tx.exec(tx.sql("UPDATE workspaces SET project_id = ?, updated_at = ? WHERE id", to.ID, unixMillis(tx.Now)).in("", ids)); err != nil {
		return err
	}
	if after := to.DestroyAfter(); after > 0 {
		if err := tx.scheduleGiven(ids, after, tx.Now); err != nil {
			return err
		}
	}
	return tx.leaveSets(ids, to.ID)
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
	l, row := w.Lock, tx.changes.change(w.ID)
	row.set("lock_holder_type", l.Holder.Type)
	row.set("lock_holder_id", l.Holder.ID)
	row.set("lock_holder_name", l.Holder.Name)
	row.set("lock_reason", l.Reason)
	row.set("locked_at", unixMillis(l.At))
	row.set("updated_at", unixMillis(w.UpdatedAt))
	return nil
}

// DropWorkspace deletes a workspace and the little that hangs on it; CountWorkspace goes with it.
func (tx *Tx) DropWorkspace(w *belay.Workspace) error {
	if err := tx.seizeTiesOf(w.ID); err != nil {
		return err
	}
	if err := tx.unlist(w); err != nil {
		return err
	}
	if err := tx.loosenOutputs("workspace_id = ?", w.ID); err != nil {
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
