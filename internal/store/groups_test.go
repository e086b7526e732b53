package store_test

import (
	"testing"

	"github.com/belayhq/belay"
	"github.com/belayhq/belay/internal/store"
	"github.com/belayhq/belay/internal/storetest"
)

// TestWorkspaceGroupsAreBounded counts how workspaces are spread, and no more than was asked for.
func TestWorkspaceGroupsAreBounded(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		o := putWorkspaces(t, db, 40)
		put(t, db, "UPDATE workspaces SET current_run_status = 'applied' WHERE name LIKE '%1'")
		scope := belay.Scope{Everything: true}
		for name, c := range map[string]struct {
			want belay.WorkspaceQuery
			most int
			sum  int
		}{
			"all":                 {belay.WorkspaceQuery{Scope: scope}, 100, 41},
			"more than asked for": {belay.WorkspaceQuery{Scope: scope}, 10, 11},
			"by name":             {belay.WorkspaceQuery{Scope: scope, Search: "FIRST"}, 100, 1},
			"whatever their runs": {belay.WorkspaceQuery{Scope: scope, RunStatuses: []string{"errored"}, Projects: []string{"prj-none"}}, 100, 41},
			"of a tag of nobody":  {belay.WorkspaceQuery{Scope: scope, Tags: []string{"none"}}, 100, 0},
			"of one who sees one": {belay.WorkspaceQuery{Scope: belay.Scope{Projects: []string{"prj-none"}}}, 100, 0},
		} {
			var groups []belay.WorkspaceGroup
			err := db.View(t.Context(), func(v *store.View) (err error) {
				groups, err = v.WorkspaceGroups(o, c.want, c.most)
				return err
			})
			sum := 0
			for _, g := range groups {
				if sum += g.Count; g.ProjectID != o.DefaultProjectID {
					t.Errorf("%s: a group of %q", name, g.ProjectID)
				}
			}
			if err != nil || sum != c.sum {
				t.Errorf("%s: %d are counted, want %d: %+v, %v", name, sum, c.sum, groups, err)
			}
			if name == "all" && len(groups) != 2 {
				t.Errorf("%d groups: %+v", len(groups), groups)
			}
		}
	})
}
