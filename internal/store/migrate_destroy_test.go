package store_test

import (
	"testing"
	"time"

	"github.com/belayhq/belay"
	"github.com/belayhq/belay/internal/store"
)

// TestSchedulesOfThePastDestroyNothing brings a database up to date whose schedules nothing
// obeyed until now.
func TestSchedulesOfThePastDestroyNothing(t *testing.T) {
	for _, engine := range []string{"sqlite", "postgres"} {
		db := migrated(t, engine, 120, organizationRow("org-1")+projectRow("prj-1", "org-1")+
			workspaceRow("ws-past", "org-1", "prj-1")+workspaceRow("ws-ahead", "org-1", "prj-1")+workspaceRow("ws-counts", "org-1", "prj-1")+
			"UPDATE workspaces SET own_destroy_at = 1000 WHERE id = 'ws-past';\n"+
			"UPDATE workspaces SET own_destroy_at = 4102444800000 WHERE id = 'ws-ahead';\n"+
			"UPDATE workspaces SET own_destroy_duration = '1h' WHERE id = 'ws-counts'")
		must(t, db.View(t.Context(), func(v *store.View) error {
			for id, want := range map[string]time.Time{"ws-past": {}, "ws-ahead": time.UnixMilli(4102444800000).UTC(), "ws-counts": {}} {
				w, err := v.Workspace(belay.WorkspaceRef{ID: id})
				must(t, err)
				if !w.DestroyAt().Equal(want) {
					t.Errorf("%s is destroyed at %s, want %s", id, w.DestroyAt(), want)
				}
			}
			if next, err := v.NextDue(); err != nil || next.UnixMilli() != 4102444800000-86400000 {
				t.Errorf("the next is due at %s, %v", next, err)
			}
			return nil
		}))
	}
}

// TestWhatHadAStateMayBeDestroyed brings a database up to date that does not say yet whether a
// workspace ever managed anything: one with a state may have.
func TestWhatHadAStateMayBeDestroyed(t *testing.T) {
	for _, engine := range []string{"sqlite", "postgres"} {
		db := migrated(t, engine, 261, organizationRow("org-1")+projectRow("prj-1", "org-1")+
			workspaceRow("ws-none", "org-1", "prj-1")+workspaceRow("ws-some", "org-1", "prj-1")+
			"UPDATE workspaces SET current_state_version_id = 'sv-1' WHERE id = 'ws-some'")
		must(t, db.View(t.Context(), func(v *store.View) error {
			for id, want := range map[string]bool{"ws-none": false, "ws-some": true} {
				w, err := v.Workspace(belay.WorkspaceRef{ID: id})
				must(t, err)
				if w.ManagedOnce != want || w.Destroyed {
					t.Errorf("%s: managed %v, destroyed %v", id, w.ManagedOnce, w.Destroyed)
				}
			}
			return nil
		}))
	}
}

func projectRow(id, organizationID string) string {
	return `INSERT INTO projects (id, organization_id, name, description, auto_destroy_activity_duration, owns_execution,
		default_execution_mode, default_agent_pool_id, created_at) VALUES ('` + id + `', '` + organizationID + `', '` + id + `', '', '', FALSE, '', '', 0);
`
}

// workspaceRow writes a workspace that has nothing but its id.
func workspaceRow(id, organizationID, projectID string) string {
	return `INSERT INTO workspaces (id, organization_id, project_id, name, description, owns_execution, own_mode, own_pool_id, engine_version,
		allow_destroy_plan, assessments_enabled, auto_apply, auto_apply_run_trigger, file_triggers_enabled, global_remote_state,
		project_remote_state, queue_all_runs, speculative_enabled, structured_run_output_enabled, own_destroy_at, own_destroy_duration,
		inherits_project_auto_destroy, source, source_name, source_url, migration_environment, trigger_patterns, trigger_prefixes,
		working_directory, vcs_repo, ssh_key_id, lock_holder_type, lock_holder_id, lock_holder_name, lock_reason, locked_at,
		created_at, updated_at, latest_change_at, resource_count, current_state_version_id, current_run_id, current_run_status, current_run_at, tag_names)
		VALUES ('` + id + `', '` + organizationID + `', '` + projectID + `', '` + id + `', '', FALSE, '', '', '',
		TRUE, FALSE, FALSE, FALSE, FALSE, FALSE, FALSE, FALSE, FALSE, FALSE, 0, '', FALSE, '', '', '', '', '', '', '', '', '', '', '', '', '', 0, 0, 0, 0, 0, '', '', '', 0, '');
`
}
