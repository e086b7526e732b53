package core

import (
	"reflect"
	"slices"

	"github.com/belayhq/belay"
	"github.com/belayhq/belay/internal/sqldb"
	"github.com/belayhq/belay/internal/store/base"
)

// workspaceFrom is what a workspace is read from.
const workspaceFrom sqldb.Text = "workspaces w JOIN organizations o ON o.id = w.organization_id JOIN projects p ON p.id = w.project_id"

// Workspaces is the columns of a workspace, as lists read it.
var Workspaces = sqldb.NewTable(sqldb.Table[belay.Workspace]{
	Name:  "workspaces",
	Hold:  "w",
	From:  workspaceFrom,
	Refer: referred,
	Own: []sqldb.Column[belay.Workspace]{
		{Name: "id", At: func(w *belay.Workspace) any { return &w.ID }},
		{Name: "organization_id", At: func(w *belay.Workspace) any { return &w.OrganizationID }},
		{Name: "project_id", At: func(w *belay.Workspace) any { return &w.ProjectID }},
		{Name: "name", At: func(w *belay.Workspace) any { return &w.Name }},
		{Name: "description", At: func(w *belay.Workspace) any { return &w.Description }},
		{Name: "owns_execution", At: func(w *belay.Workspace) any { return &w.OwnsExecution }},
		{Name: "own_mode", At: func(w *belay.Workspace) any { return &w.OwnMode }},
		{Name: "own_pool_id", At: func(w *belay.Workspace) any { return &w.OwnPoolID }},
		{Name: "engine", At: func(w *belay.Workspace) any { return &w.Engine }},
		{Name: "engine_version", At: func(w *belay.Workspace) any { return &w.EngineVersion }},
		{Name: "engine_unnamed", At: func(w *belay.Workspace) any { return &w.EngineUnnamed }},
		{Name: "engine_release", At: func(w *belay.Workspace) any { return &w.EngineRelease }},
		{Name: "allow_destroy_plan", At: func(w *belay.Workspace) any { return &w.AllowDestroyPlan }},
		{Name: "assessments_enabled", At: func(w *belay.Workspace) any { return &w.AssessmentsEnabled }},
		{Name: "auto_apply", At: func(w *belay.Workspace) any { return &w.AutoApply }},
		{Name: "auto_apply_run_trigger", At: func(w *belay.Workspace) any { return &w.AutoApplyRunTrigger }},
		{Name: "file_triggers_enabled", At: func(w *belay.Workspace) any { return &w.FileTriggersEnabled }},
		{Name: "global_remote_state", At: func(w *belay.Workspace) any { return &w.GlobalRemoteState }},
		{Name: "project_remote_state", At: func(w *belay.Workspace) any { return &w.ProjectRemoteState }},
		{Name: "queue_all_runs", At: func(w *belay.Workspace) any { return &w.QueueAllRuns }},
		{Name: "speculative_enabled", At: func(w *belay.Workspace) any { return &w.SpeculativeEnabled }},
		{Name: "structured_run_output_enabled", At: func(w *belay.Workspace) any { return &w.StructuredRunOutputEnabled }},
		{Name: "own_destroy_at", At: func(w *belay.Workspace) any { return sqldb.Millis(&w.OwnDestroyAt) }},
		{Name: "own_destroy_duration", At: func(w *belay.Workspace) any { return &w.OwnDestroyDuration }},
		{Name: "inherits_project_auto_destroy", At: func(w *belay.Workspace) any { return &w.InheritsProjectAutoDestroy }},
		{Name: "destroy_disarmed", At: func(w *belay.Workspace) any { return &w.DestroyDisarmed }},
		{Name: "destroy_failed", At: func(w *belay.Workspace) any { return &w.DestroyFailed }},
		{Name: "destroyed", At: func(w *belay.Workspace) any { return &w.Destroyed }},
		{Name: "managed_once", At: func(w *belay.Workspace) any { return &w.ManagedOnce }},
		{Name: "destroy_reminded_at", At: func(w *belay.Workspace) any { return sqldb.Millis(&w.DestroyReminded) }},
		{Name: "source", At: func(w *belay.Workspace) any { return &w.Source }},
		{Name: "source_name", At: func(w *belay.Workspace) any { return &w.SourceName }},
		{Name: "source_url", At: func(w *belay.Workspace) any { return &w.SourceURL }},
		{Name: "migration_environment", At: func(w *belay.Workspace) any { return &w.MigrationEnvironment }},
		{Name: "trigger_patterns", At: func(w *belay.Workspace) any { return sqldb.JSON(&w.TriggerPatterns) }},
		{Name: "trigger_prefixes", At: func(w *belay.Workspace) any { return sqldb.JSON(&w.TriggerPrefixes) }},
		{Name: "working_directory", At: func(w *belay.Workspace) any { return &w.WorkingDirectory }},
		{Name: "vcs_repo", At: func(w *belay.Workspace) any { return sqldb.JSON(&w.VCSRepo) }},
		{Name: "vcs_token_id", At: func(w *belay.Workspace) any { return &w.VCSTokenID }},
		{Name: "vcs_hook_id", At: func(w *belay.Workspace) any { return &w.HookID }},
		{Name: "retention_id", At: func(w *belay.Workspace) any { return &w.Retention.ID }},
		{Name: "retention_kind", At: func(w *belay.Workspace) any { return &w.Retention.Kind }},
		{Name: "retention_days", At: func(w *belay.Workspace) any { return &w.Retention.Days }},
		{Name: "var_refs", At: func(w *belay.Workspace) any { return sqldb.JSON(&w.VariableIDs) }},
		{Name: "ssh_key_id", At: func(w *belay.Workspace) any { return &w.SSHKeyID }},
		{Name: "lock_holder_type", At: func(w *belay.Workspace) any { return &w.Lock.Holder.Type }},
		{Name: "lock_holder_id", At: func(w *belay.Workspace) any { return &w.Lock.Holder.ID }},
		{Name: "lock_holder_name", At: func(w *belay.Workspace) any { return &w.Lock.Holder.Name }},
		{Name: "lock_reason", At: func(w *belay.Workspace) any { return &w.Lock.Reason }},
		{Name: "lock_questions", At: func(w *belay.Workspace) any { return sqldb.JSON(&w.Lock.Questions) }},
		{Name: "lock_last_id", At: func(w *belay.Workspace) any { return &w.LastHolderID }},
		{Name: "locked_at", At: func(w *belay.Workspace) any { return sqldb.Millis(&w.Lock.At) }},
		{Name: "created_at", At: func(w *belay.Workspace) any { return sqldb.Millis(&w.CreatedAt) }},
		{Name: "updated_at", At: func(w *belay.Workspace) any { return sqldb.Millis(&w.UpdatedAt) }},
		{Name: "latest_change_at", At: func(w *belay.Workspace) any { return sqldb.Millis(&w.LatestChangeAt) }},
		{Name: "resource_count", At: func(w *belay.Workspace) any { return &w.ResourceCount }},
		{Name: "current_state_version_id", At: func(w *belay.Workspace) any { return &w.CurrentStateVersionID }},
		{Name: "current_configuration_version_id", At: func(w *belay.Workspace) any { return &w.ConfigurationID }},
		{Name: "output_ids", At: func(w *belay.Workspace) any { return outputRefs{&w.OutputIDs, &w.ManyOutputs} }},
		{Name: "state_engine_version", At: func(w *belay.Workspace) any { return &w.StateEngineVersion }},
		{Name: "current_run_id", At: func(w *belay.Workspace) any { return &w.CurrentRunID }},
		{Name: "current_run_status", At: func(w *belay.Workspace) any { return &w.CurrentRunStatus }},
		{Name: "current_run_at", At: func(w *belay.Workspace) any { return sqldb.Millis(&w.CurrentRunAt) }},
		{Name: "run_figures", At: func(w *belay.Workspace) any { return sqldb.JSON(&w.RunFigures) }},
		{Name: "assessing_id", At: func(w *belay.Workspace) any { return &w.AssessingID }},
		{Name: "assessment_id", At: func(w *belay.Workspace) any { return &w.AssessmentID }},
		{Name: "assessed_at", At: func(w *belay.Workspace) any { return sqldb.Millis(&w.AssessedAt) }},
		{Name: "tag_names", At: func(w *belay.Workspace) any { return sqldb.JSON(&w.TagNames) }},
	},
	Joined: slices.Concat(ofOrganization, joined),
})

// ofOrganization is what is read of its organization with a workspace.
var ofOrganization = []sqldb.Column[belay.Workspace]{
	{Name: "o.id", At: func(w *belay.Workspace) any { return &w.Organization.ID }},
	{Name: "o.name", At: func(w *belay.Workspace) any { return &w.Organization.Name }},
	{Name: "o.service_user_id", At: func(w *belay.Workspace) any { return &w.Organization.ServiceUserID }},
	{Name: "o.default_execution_mode", At: func(w *belay.Workspace) any { return &w.Organization.DefaultExecutionMode }},
	{Name: "o.default_agent_pool_id", At: func(w *belay.Workspace) any { return &w.Organization.DefaultAgentPoolID }},
	{Name: "o.allow_force_delete", At: func(w *belay.Workspace) any { return &w.Organization.AllowForceDelete }},
	{Name: "o.run_limit", At: func(w *belay.Workspace) any { return &w.Organization.RunLimit }},
	{Name: "o.recoverable_items", At: func(w *belay.Workspace) any { return &w.Organization.RecoverableItems }},
	{Name: "o.assessments_enforced", At: func(w *belay.Workspace) any { return &w.Organization.AssessmentsEnforced }},
	{Name: "o.access_generation", At: func(w *belay.Workspace) any { return &w.Organization.AccessGeneration }},
	{Name: "o.retention_id", At: func(w *belay.Workspace) any { return &w.Organization.Retention.ID }},
	{Name: "o.retention_kind", At: func(w *belay.Workspace) any { return &w.Organization.Retention.Kind }},
	{Name: "o.retention_days", At: func(w *belay.Workspace) any { return &w.Organization.Retention.Days }},
	{Name: "o.aggregated_statuses", At: func(w *belay.Workspace) any { return &w.Organization.AggregatedStatuses }},
	{Name: "o.pull_request_comments", At: func(w *belay.Workspace) any { return &w.Organization.PullRequestComments }},
	{Name: "o.send_passing_statuses", At: func(w *belay.Workspace) any { return &w.Organization.SendPassingStatuses }},
	{Name: "o.speculative_management", At: func(w *belay.Workspace) any { return &w.Organization.SpeculativeManagement }},
	{Name: "o.user_tokens_enabled", At: func(w *belay.Workspace) any { return &w.Organization.UserTokensEnabled }},
}

// joined is all else that is read with a workspace.
var joined = []sqldb.Column[belay.Workspace]{
	{Name: "p.id", At: func(w *belay.Workspace) any { return &w.Project.ID }},
	{Name: "p.name", At: func(w *belay.Workspace) any { return &w.Project.Name }},
	{Name: "p.owns_execution", At: func(w *belay.Workspace) any { return &w.Project.OwnsExecution }},
	{Name: "p.default_execution_mode", At: func(w *belay.Workspace) any { return &w.Project.DefaultExecutionMode }},
	{Name: "p.default_agent_pool_id", At: func(w *belay.Workspace) any { return &w.Project.DefaultAgentPoolID }},
	{Name: openRequests, At: func(w *belay.Workspace) any { return &w.OpenChangeRequests }},
	{Name: "p.auto_destroy_activity_duration", At: func(w *belay.Workspace) any { return &w.Project.AutoDestroyActivityDuration }},
	{Name: doomedTags, At: func(w *belay.Workspace) any { return withoutDoomed{&w.TagNames} }},
}

// requestsOf is the change requests of a workspace. Its organization is asked for as well: PostgreSQL may plan by the index that
// begins with it while there are none, and would read all of it for one workspace when there are many.
func requestsOf(organization, workspace sqldb.Text) sqldb.Text {
	return " FROM change_requests c WHERE c.organization_id = " + organization + " AND c.workspace_id = " + workspace
}

// openOnes are those that are open: one whose filing has not ended is not there yet.
const openOnes sqldb.Text = ` AND c.archived_at = 0
	AND c.action_id NOT IN (SELECT u.id FROM bulk_actions u WHERE u.unfinished_until > 0)`

// countOpen is how many change requests of a workspace are open.
func countOpen(organization, workspace sqldb.Text) sqldb.Text {
	return "(SELECT count(*)" + requestsOf(organization, workspace) + openOnes + ")"
}

var openRequests = countOpen("w.organization_id", "w.id")

// listedRequests is openRequests in a list of an organization, whose id it takes.
var listedRequests = "CASE WHEN EXISTS (SELECT 1 FROM change_requests c WHERE c.organization_id = ? AND c.archived_at = 0) THEN " + openRequests + " ELSE 0 END"

// Listed is a workspace in a list of its organization, which was read for all of them. What few
// organizations have any of is asked once for all rows: its statement takes the organization's id twice.
var Listed = func() *sqldb.Table[belay.Workspace] {
	t := *Workspaces
	t.From = "workspaces w JOIN projects p ON p.id = w.project_id"
	t.Joined = slices.Clone(joined)
	for i, c := range t.Joined {
		switch c.Name {
		case openRequests:
			t.Joined[i].Name = listedRequests
		case doomedTags:
			t.Joined[i].Name = "(SELECT string_agg(d.name, ' ') FROM tags d WHERE d.organization_id = ? AND d.doomed)"
		}
	}
	return sqldb.NewTable(t)
}()

// Alone is a workspace that a transaction reads by itself: then it is known, too, whether anybody
// waits for news of its runs.
var Alone = func() *sqldb.Table[belay.Workspace] {
	t := *Workspaces
	t.Joined = append(slices.Clone(t.Joined),
		sqldb.Column[belay.Workspace]{Name: `NOT EXISTS (SELECT 1 FROM notifications n WHERE n.workspace_id = w.id AND n.enabled)
			AND NOT EXISTS (SELECT 1 FROM notifications n WHERE n.project_id = w.project_id AND n.enabled)`,
			At: func(w *belay.Workspace) any { return &w.Unwatched }},
		sqldb.Column[belay.Workspace]{Name: "NOT EXISTS (SELECT 1 FROM run_triggers t WHERE t.source_id = w.id)",
			At: func(w *belay.Workspace) any { return &w.Unfollowed }})
	return sqldb.NewTable(t)
}()

// Workspace is one workspace, by id or by its name in an organization.
func (v *View) Workspace(ref belay.WorkspaceRef) (belay.Workspace, error) {
	return onceWorkspace(v, Workspaces, ref)
}

// WorkspaceKnowing is Workspace for a user who need not be looked up where the lock is its own; the
// zero Holder: for anybody.
func (v *View) WorkspaceKnowing(ref belay.WorkspaceRef, user belay.Holder) (belay.Workspace, error) {
	return onceWorkspace(v, knowing(Workspaces, user), ref)
}

// WorkspaceForRuns is Workspace where its runs go on: a transaction then knows, too, whether anybody waits
// for news of them.
func (v *View) WorkspaceForRuns(ref belay.WorkspaceRef) (belay.Workspace, error) {
	if v.InTx() {
		return workspaceOf(v, Alone, ref)
	}
	return v.Workspace(ref)
}

func workspaceOf(v *View, table *sqldb.Table[belay.Workspace], ref belay.WorkspaceRef) (belay.Workspace, error) {
	condition, args := leadsTo(ref)
	return table.One(v, condition, args...)
}

// leadsTo is the condition that finds what a reference leads to.
func leadsTo(ref belay.WorkspaceRef) (condition sqldb.Text, args []any) {
	if ref.ID != "" {
		return "w.id = ?", []any{ref.ID}
	}
	return "o.id = (SELECT id FROM organizations WHERE name = ? UNION ALL SELECT id FROM organizations WHERE id = ? LIMIT 1) AND w.name = ?",
		[]any{ref.Organization, ref.Organization, ref.Name}
}

// WorkspacesByID is many workspaces, by name.
func (v *View) WorkspacesByID(ids []string) ([]belay.Workspace, error) {
	if len(ids) == 0 {
		return nil, nil
	}
	return onceEach(v, ids, func(left []string) ([]belay.Workspace, error) {
		return Workspaces.Many(v, v.SQL(Workspaces.Selected).OneOf("WHERE w.id", left).Add(" ORDER BY w.name, w.id"))
	})
}

// NamedWorkspace is what a workspace is called, and where it is.
type NamedWorkspace struct{ ID, Name, ProjectID string }

// NamedWorkspaces is some workspaces of an organization without the rest of them.
func (v *View) NamedWorkspaces(organizationID string, ids []string) ([]NamedWorkspace, error) {
	if len(ids) == 0 {
		return nil, nil
	}
	q := v.SQL("SELECT id, name, project_id FROM workspaces WHERE id").In("", ids).Beside("organization_id = ?", organizationID)
	return sqldb.Collect(v, q, func(w *NamedWorkspace) []any { return []any{&w.ID, &w.Name, &w.ProjectID} })
}

// AddWorkspace writes a new workspace; CountWorkspace goes with it.
func (tx *Tx) AddWorkspace(w *belay.Workspace) error {
	w.LastHolderID = w.Lock.Holder.ID
	if err := Workspaces.Insert(tx, w, base.NameTaken); err != nil {
		return err
	}
	if err := tx.ScheduleDestroy(w); err != nil {
		return err
	}
	if w.Assessed() {
		if err := tx.NoteAssessed(w); err != nil {
			return err
		}
	}
	return tx.LinkTags(w, w.TagNames)
}

// SaveWorkspace writes what has changed of a workspace, which is held and was another before.
func (tx *Tx) SaveWorkspace(w, before *belay.Workspace) error {
	taken := base.NameTaken
	if w.Name == before.Name && w.ProjectID == before.ProjectID {
		taken = nil
	}
	row := *before
	row.Lock.Holder.Name = "" // what stands there may be a name of before
	if err := Workspaces.UpdateFrom(tx, w, &row, taken); err != nil {
		return err
	}
	if !w.DestroyAt().Equal(before.DestroyAt()) {
		if err := tx.ScheduleDestroy(w); err != nil {
			return err
		}
	}
	if w.Assessed() && !before.Assessed() {
		if err := tx.NoteAssessed(w); err != nil {
			return err
		}
	}
	if w.ProjectID != before.ProjectID {
		if err := tx.LeaveSets([]string{w.ID}, w.ProjectID); err != nil {
			return err
		}
	}
	switch {
	case w.Name != before.Name:
		tx.MoveName(w.OrganizationID, before.Name, w.Name)
		return tx.renameWorkspace(w)
	case w.ProjectID != before.ProjectID:
		tx.MoveGeneration(w.OrganizationID)
	case w.EngineRelease != before.EngineRelease || !reflect.DeepEqual(w.VCSRepo, before.VCSRepo):
		tx.MoveFacts(w.OrganizationID)
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
	tx.MoveGeneration(to.OrganizationID)
	ids := base.IDsOf(list, func(w *belay.Workspace) string { return w.ID })
	if _, err := tx.Exec(tx.SQL("UPDATE workspaces SET project_id = ?, updated_at = ? WHERE id", to.ID, sqldb.UnixMillis(tx.Now)).In("", ids)); err != nil {
		return err
	}
	if after := to.DestroyAfter(); after > 0 {
		if err := tx.scheduleGiven(ids, after, tx.Now); err != nil {
			return err
		}
	}
	return tx.LeaveSets(ids, to.ID)
}

// renameWorkspace writes the name of a workspace where it stands to give an order.
func (tx *Tx) renameWorkspace(w *belay.Workspace) error {
	for _, statement := range []sqldb.Text{
		"UPDATE workspace_tags SET workspace_name = ? WHERE workspace_id = ?",
		"UPDATE workspace_tag_bindings SET workspace_name = ? WHERE workspace_id = ?",
		"UPDATE workspace_uses SET workspace_name = ? WHERE workspace_id = ?",
	} {
		if err := tx.Do(statement, w.Name, w.ID); err != nil {
			return err
		}
	}
	return nil
}

// DropWorkspace deletes a workspace and the little that hangs on it; CountWorkspace goes with it.
func (tx *Tx) DropWorkspace(w *belay.Workspace) error {
	if err := tx.SeizeTiesOf(w.ID); err != nil {
		return err
	}
	if err := tx.Unlist(w); err != nil {
		return err
	}
	if err := tx.loosenOutputs("workspace_id = ?", w.ID); err != nil {
		return err
	}
	if err := tx.KeepVirtualTime("workspace_id", []string{w.ID}); err != nil {
		return err
	}
	for _, statement := range []sqldb.Text{
		"DELETE FROM tokens WHERE workspace_id = ? AND workspace_id <> ''", // of its runs
		"DELETE FROM workspaces WHERE id = ?",
	} {
		if err := tx.Do(statement, w.ID); err != nil {
			return err
		}
	}
	return nil
}
