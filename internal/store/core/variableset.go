package core

import (
	"encoding/json"

	"github.com/belayhq/belay"
	"github.com/belayhq/belay/inputs"
	"github.com/belayhq/belay/internal/sqldb"
	"github.com/belayhq/belay/internal/store/base"
	"github.com/belayhq/belay/run"
)

var variableSets = sqldb.NewTable(sqldb.Table[inputs.VariableSet]{
	Name: "varsets",
	Hold: "s",
	From: "varsets s JOIN organizations o ON o.id = s.organization_id",
	Own: []sqldb.Column[inputs.VariableSet]{
		{Name: "id", At: func(s *inputs.VariableSet) any { return &s.ID }},
		{Name: "organization_id", At: func(s *inputs.VariableSet) any { return &s.OrganizationID }},
		{Name: "project_id", At: func(s *inputs.VariableSet) any { return &s.ProjectID }},
		{Name: "name", At: func(s *inputs.VariableSet) any { return &s.Name }},
		{Name: "description", At: func(s *inputs.VariableSet) any { return &s.Description }},
		{Name: "global", At: func(s *inputs.VariableSet) any { return &s.Global }},
		{Name: "priority", At: func(s *inputs.VariableSet) any { return &s.Priority }},
		{Name: "created_at", At: func(s *inputs.VariableSet) any { return sqldb.Millis(&s.CreatedAt) }},
		{Name: "updated_at", At: func(s *inputs.VariableSet) any { return sqldb.Millis(&s.UpdatedAt) }},
	},
	Joined: base.Belongs(func(s *inputs.VariableSet) *belay.Organization { return &s.Organization }),
})

var (
	setWorkspaces = base.NewLink("varset_workspaces", "varset_id", "workspace_id", "workspaces")
	setProjects   = base.NewLink("varset_projects", "varset_id", "project_id", "projects")
)

// BareVariableSet is one set without what it applies to and without its variables.
func (v *View) BareVariableSet(id string) (inputs.VariableSet, error) {
	return variableSets.One(v, "s.id = ?", id)
}

// VariableSet is one set with what it applies to.
func (v *View) VariableSet(id string) (inputs.VariableSet, error) {
	s, err := v.BareVariableSet(id)
	if err != nil {
		return s, err
	}
	list := []inputs.VariableSet{s}
	err = v.fillSets(list)
	return list[0], err
}

func (v *View) fillSets(list []inputs.VariableSet) error {
	if len(list) == 0 {
		return nil
	}
	ids := base.IDsOf(list, func(s *inputs.VariableSet) string { return s.ID })
	q := v.SQL("SELECT list, owner, id FROM (SELECT 'variables' AS list, varset_id AS owner, id AS id, name AS name, category AS second FROM varset_variables WHERE varset_id").In("", ids)
	setWorkspaces.Listed(q.Add(" UNION ALL SELECT x.*, '' FROM ("), "workspaces", ids)
	setProjects.Listed(q.Add(") x UNION ALL SELECT y.*, '' FROM ("), "projects", ids)
	of, err := base.Lists(v, q.Add(") y) all_of ORDER BY list, owner, name, second, id"))
	for i := range list {
		s := &list[i]
		s.WorkspaceIDs, s.ProjectIDs, s.VariableIDs = of.List("workspaces", s.ID), of.List("projects", s.ID), of.List("variables", s.ID)
	}
	return err
}

// VariableSets is one page of an organization's sets, by name.
func (v *View) VariableSets(o belay.Organization, want inputs.VariableSetQuery) ([]inputs.VariableSet, int, error) {
	total, _, err := sqldb.Value[int](v, v.setsWhere("SELECT count(*) FROM varsets s WHERE ", o, want))
	if err != nil || total == 0 {
		return nil, 0, err
	}
	q := v.setsWhere(variableSets.Selected+"WHERE ", o, want)
	q.Add(" ORDER BY s.name").Page(want.Page)
	list, err := variableSets.Many(v, q)
	if err != nil {
		return nil, 0, err
	}
	return list, total, v.fillSets(list)
}

// VariableSetsFor is every set that applies to a workspace.
func (v *View) VariableSetsFor(w *belay.Workspace) ([]inputs.VariableSet, error) {
	list, err := variableSets.Many(v, v.setsWhere(variableSets.Selected+"WHERE ", w.Organization, inputs.VariableSetQuery{
		ForProject: w.ProjectID, Workspace: w.ID, Scope: belay.Scope{Everything: true},
	}))
	if err != nil {
		return nil, err
	}
	return list, v.fillSets(list)
}

// Making is what is asked before a run of a workspace is made.
type Making struct {
	AtHand  []run.EngineBinary // the engines that the runners of its pool have
	HasSets bool               // variable sets apply to it
}

// Making is what is asked before a run of a workspace is made, in one statement.
func (v *View) Making(w *belay.Workspace) (Making, error) {
	row, err := base.TheOne(sqldb.Collect(v, v.SelectMaking(w), (*MakingRow).Dest))
	if err != nil {
		return Making{}, err
	}
	return row.Found()
}

// MakingRow is Making as a statement answers it.
type MakingRow struct {
	hasSets bool
	engines string
}

// SelectMaking is the columns of a MakingRow, for a statement that may ask for more.
func (v *View) SelectMaking(w *belay.Workspace) *sqldb.Query {
	q := v.setsWhere("SELECT EXISTS (SELECT 1 FROM varsets s WHERE ", w.Organization, inputs.VariableSetQuery{
		ForProject: w.ProjectID, Workspace: w.ID, Scope: belay.Scope{Everything: true},
	})
	return q.Add("), COALESCE((SELECT string_agg(r.engines, ',') FROM runners r WHERE r.pool_id = ? AND r.exited_at = 0 AND r.engines <> ''), '')", w.PoolID())
}

// Dest is where the columns go.
func (m *MakingRow) Dest() []any { return []any{&m.hasSets, &m.engines} }

// Found is what they say.
func (m *MakingRow) Found() (Making, error) {
	var engines [][]run.EngineBinary
	err := json.Unmarshal([]byte("["+m.engines+"]"), &engines)
	return Making{HasSets: m.hasSets, AtHand: base.Distinct(engines)}, err
}

// AddVariableCount appends how many variables a run of a workspace gets: its own and those of sets, each key once.
func AddVariableCount(q *sqldb.Query, organizationID, projectID, workspaceID string) {
	q.Add("(SELECT count(*) FROM (SELECT name, category FROM variables WHERE workspace_id = ? UNION SELECT name, category FROM varset_variables WHERE varset_id IN (SELECT s.id FROM varsets s WHERE ", workspaceID)
	addSetsWhere(q, organizationID, inputs.VariableSetQuery{ForProject: projectID, Workspace: workspaceID, Scope: belay.Scope{Everything: true}})
	q.Add(")) each_once)")
}

// setsWhere is a list of sets with its conditions.
func (v *View) setsWhere(begin sqldb.Text, o belay.Organization, want inputs.VariableSetQuery) *sqldb.Query {
	return addSetsWhere(v.SQL(begin), o.ID, want)
}

// addSetsWhere appends the conditions of a list of sets.
func addSetsWhere(q *sqldb.Query, organizationID string, want inputs.VariableSetQuery) *sqldb.Query {
	q.Add("s.organization_id = ?", organizationID)
	if want.Search != "" {
		q.Add(" AND ").Like("s.name", sqldb.Contains(want.Search))
	}
	if want.ForProject != "" {
		// A project's own set applies nowhere else, whatever it names.
		q.Add(` AND s.project_id IN ('', ?) AND (s.global
			OR EXISTS (SELECT 1 FROM varset_projects l WHERE l.varset_id = s.id AND l.project_id = ?)`, want.ForProject, want.ForProject)
		if want.Workspace != "" {
			q.Add(" OR EXISTS (SELECT 1 FROM varset_workspaces l WHERE l.varset_id = s.id AND l.workspace_id = ?)", want.Workspace)
		} else {
			q.Add(" OR s.project_id = ?", want.ForProject)
		}
		q.Add(")")
	}
	if want.OwnedFor != "" {
		q.Add(" AND s.project_id IN ('', ?)", want.OwnedFor)
	}
	if !want.Scope.Everything {
		q.In(" AND (s.project_id", want.Scope.Projects)
		q.In(" OR EXISTS (SELECT 1 FROM varset_projects l WHERE l.varset_id = s.id AND l.project_id", want.Scope.Projects)
		q.Add(")")
		if len(want.Scope.Projects) > 0 {
			q.Add(" OR s.global AND s.project_id = ''")
		}
		q.Add(")")
	}
	return q
}

// AddVariableSet writes a new set and what it applies to.
func (tx *Tx) AddVariableSet(s *inputs.VariableSet) error {
	if err := variableSets.Insert(tx, s, base.NameTaken); err != nil {
		return err
	}
	return tx.ApplyVariableSet(s, s.WorkspaceIDs, s.ProjectIDs)
}

// SaveVariableSet writes a set, but not what it applies to.
func (tx *Tx) SaveVariableSet(s *inputs.VariableSet) error {
	return variableSets.Update(tx, s, base.NameTaken)
}

// ReachVariableSet writes those lists of what a set applies to that a change gives.
func (tx *Tx) ReachVariableSet(s *inputs.VariableSet, change inputs.VariableSetPatch) (err error) {
	if change.Workspaces.Set {
		err = setWorkspaces.Replace(tx, s.ID, s.OrganizationID, s.WorkspaceIDs)
	}
	if err == nil && change.Projects.Set {
		err = setProjects.Replace(tx, s.ID, s.OrganizationID, s.ProjectIDs)
	}
	return err
}

// ApplyVariableSet lets more workspaces and projects have a set.
func (tx *Tx) ApplyVariableSet(s *inputs.VariableSet, workspaceIDs, projectIDs []string) error {
	if err := setWorkspaces.Add(tx, s.ID, s.OrganizationID, workspaceIDs); err != nil {
		return err
	}
	return setProjects.Add(tx, s.ID, s.OrganizationID, projectIDs)
}

// WithdrawVariableSet takes a set from workspaces and projects.
func (tx *Tx) WithdrawVariableSet(s *inputs.VariableSet, workspaceIDs, projectIDs []string) error {
	if err := setWorkspaces.Remove(tx, s.ID, workspaceIDs); err != nil {
		return err
	}
	return setProjects.Remove(tx, s.ID, projectIDs)
}

// LeaveSets takes workspaces out of the sets of projects that are not theirs any more: whoever
// manages those has no say in the project that they have come to.
func (tx *Tx) LeaveSets(workspaceIDs []string, projectID string) error {
	q := tx.SQL("DELETE FROM varset_workspaces WHERE workspace_id").In("", workspaceIDs)
	_, err := tx.Exec(q.Add(` AND EXISTS (SELECT 1 FROM varsets s
		WHERE s.id = varset_workspaces.varset_id AND s.project_id <> '' AND s.project_id <> ?)`, projectID))
	return err
}

// DropVariableSet deletes a set with its variables.
func (tx *Tx) DropVariableSet(s *inputs.VariableSet) error {
	return tx.Do("DELETE FROM varsets WHERE id = ?", s.ID)
}

// ProjectsOfWorkspaces is the project of each of the workspaces of an organization; in a
// transaction they are held there.
func (v *View) ProjectsOfWorkspaces(organizationID string, ids []string) (map[string]string, error) {
	type place struct{ workspace, project string }
	q := v.SQL("SELECT id, project_id FROM workspaces WHERE id").In("", ids).Beside("organization_id = ?", organizationID)
	list, err := sqldb.Collect(v, q.Add(" ORDER BY id"+v.Hold()), func(p *place) []any { return []any{&p.workspace, &p.project} })
	projects := make(map[string]string, len(list))
	for _, p := range list {
		projects[p.workspace] = p.project
	}
	return projects, err
}

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
