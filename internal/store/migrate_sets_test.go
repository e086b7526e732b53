package store_test

import (
	"testing"

	"github.com/belayhq/belay"
	"github.com/belayhq/belay/internal/store"
)

// TestSetsOfOtherProjectsAreLeft brings a database up to date in which workspaces stayed in the
// variable sets of projects that they were moved out of. What is on the shelf keeps its own sets,
// and leaves the others when it is brought back.
func TestSetsOfOtherProjectsAreLeft(t *testing.T) {
	t.Parallel()
	set := func(id, project string) string {
		return `INSERT INTO varsets (id, organization_id, project_id, name, description, global, priority, created_at, updated_at)
			VALUES ('` + id + `', 'org-1', '` + project + `', '` + id + `', '', FALSE, FALSE, 0, 0);
INSERT INTO varset_workspaces (varset_id, workspace_id) VALUES ('` + id + `', 'ws-1'), ('` + id + `', 'ws-shelved');
`
	}
	for _, engine := range []string{"sqlite", "postgres"} {
		t.Run(engine, func(t *testing.T) {
			t.Parallel()
			db := migrated(t, engine, 230, organizationRow("org-1")+organizationRow("shelf org-1")+
				projectRow("prj-left", "org-1")+projectRow("prj-now", "org-1")+projectRow("shelf org-1", "shelf org-1")+
				workspaceRow("ws-1", "org-1", "prj-now")+workspaceRow("ws-shelved", "shelf org-1", "shelf org-1")+
				set("varset-everybodys", "")+set("varset-left", "prj-left")+set("varset-now", "prj-now")+
				`INSERT INTO recoverable_items (id, organization_id, workspace_id, project_id, name, deleted_by, deleted_at, expires_at)
				VALUES ('ri-1', 'org-1', 'ws-shelved', 'prj-now', 'back', '', 0, 4102444800000)`)
			must(t, db.Update(t.Context(), func(tx *store.Tx) error {
				w, err := tx.Workspace(belay.WorkspaceRef{ID: "ws-shelved"})
				must(t, err)
				item, err := tx.RecoverableItem("ri-1")
				must(t, err)
				return tx.Unshelve(&w, &item, belay.StateContents{})
			}))
			must(t, db.View(t.Context(), func(v *store.View) error {
				for id, want := range map[string]int{"varset-everybodys": 2, "varset-left": 0, "varset-now": 2} {
					found, err := v.VariableSet(id)
					must(t, err)
					if len(found.WorkspaceIDs) != want {
						t.Errorf("%s applies to %v", id, found.WorkspaceIDs)
					}
				}
				return nil
			}))
		})
	}
}
