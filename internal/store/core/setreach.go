package core

import (
	"github.com/belayhq/belay/inputs"
	"github.com/belayhq/belay/internal/sqldb"
	"github.com/belayhq/belay/internal/store/base"
)

// SetsReach is how many workspaces get sets that are not for all of the organization, by id.
func (v *View) SetsReach(ids []string) (map[string]int, error) {
	reach := map[string]int{}
	if len(ids) == 0 {
		return reach, nil
	}
	type row struct {
		id string
		n  int
	}
	q := v.SQL("SELECT s.id, "+base.CountedIn("p")+" FROM varsets s JOIN projects p ON p.id = s.project_id WHERE s.global AND s.id").In("", ids)
	q.Add(" UNION ALL SELECT l.varset_id, "+base.CountedIn("p")+" FROM varset_projects l JOIN projects p ON p.id = l.project_id WHERE l.varset_id").In("", ids)
	q.Add(` UNION ALL SELECT l.varset_id, count(*) FROM varset_workspaces l JOIN workspaces w ON w.id = l.workspace_id AND `+base.OffShelf+`
		WHERE NOT EXISTS (SELECT 1 FROM varset_projects x WHERE x.varset_id = l.varset_id AND x.project_id = w.project_id) AND l.varset_id`).In("", ids).Add(" GROUP BY l.varset_id")
	list, err := sqldb.Collect(v, q, func(r *row) []any { return []any{&r.id, &r.n} })
	for _, r := range list {
		reach[r.id] += r.n
	}
	return reach, err
}

// SetOverrides is so many of the workspaces that a set is for and that have a variable of their own of one of its keys.
func (v *View) SetOverrides(s *inputs.VariableSet, most int) ([]inputs.SetOverride, error) {
	q := v.SQL(`SELECT c.name, c.category, w.id, w.name, w.project_id FROM varset_variables c JOIN variables o ON o.name = c.name AND o.category = c.category
		JOIN workspaces w ON w.id = o.workspace_id WHERE c.varset_id = ? AND w.organization_id = ?`, s.ID, s.OrganizationID)
	switch {
	case s.Global && s.ProjectID != "":
		q.Add(" AND w.project_id = ?", s.ProjectID)
	case !s.Global:
		q.Add(` AND (EXISTS (SELECT 1 FROM varset_projects l WHERE l.varset_id = c.varset_id AND l.project_id = w.project_id)
			OR EXISTS (SELECT 1 FROM varset_workspaces l WHERE l.varset_id = c.varset_id AND l.workspace_id = w.id))`)
	}
	return sqldb.Collect(v, q.Add(" ORDER BY c.name, c.category, w.name, w.id").First(most), func(o *inputs.SetOverride) []any {
		return []any{&o.Key, &o.Category, &o.WorkspaceID, &o.Workspace, &o.ProjectID}
	})
}
