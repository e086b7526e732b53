package plan

import (
	"github.com/belayhq/belay"
	"github.com/belayhq/belay/internal/sqldb"
	"github.com/belayhq/belay/internal/store/core"
)

// Projects is one page of an organization's projects, by name.
func (v *View) Projects(o belay.Organization, want belay.ProjectQuery) ([]belay.Project, int, error) {
	q := v.projectsWhere(core.Projects.Selected+"WHERE ", o, want)
	if want.Descending {
		q.Add(" ORDER BY p.name DESC")
	} else {
		q.Add(" ORDER BY p.name")
	}
	q.Page(want.Page)
	list, err := core.Projects.Many(v, q)
	if err != nil || want.Page.Number == 1 && len(list) < want.Page.Size { // which tells the total
		return list, len(list), err
	}
	total, _, err := sqldb.Value[int](v, v.projectsWhere("SELECT count(*) FROM projects p WHERE ", o, want))
	return list, total, err
}

func (v *View) projectsWhere(begin text, o belay.Organization, want belay.ProjectQuery) *query {
	q := v.SQL(begin+"p.organization_id = ?", o.ID)
	if want.Names != nil {
		q.In(" AND LOWER(p.name)", sqldb.LowerEach(want.Names))
	}
	if want.Search != "" {
		q.Add(" AND ").Like("p.name", sqldb.Contains(want.Search))
	}
	for _, tag := range want.Tagged {
		addBound(q.Add(" AND p.id IN (SELECT b.project_id FROM project_tag_bindings b WHERE "), o, tagTerm{key: tag.Key, value: tag.Value})
		q.Add(")")
	}
	if !want.Scope.Everything {
		q.In(" AND p.id", want.Scope.Projects)
	}
	return q
}
