package plan

import (
	"strconv"
	"strings"

	"github.com/belayhq/belay"
	"github.com/belayhq/belay/internal/sqldb"
	"github.com/belayhq/belay/internal/store/base"
)

// scopeShare is the share of an organization's workspaces, one in so many, below which a
// list begins with those that the caller sees, instead of walking all in order.
const scopeShare = 20

// fewSeen says that a scope is a small part of an organization. The size of its projects
// is kept until the organization's lists change.
func (v *View) fewSeen(o belay.Organization, scope belay.Scope) (bool, error) {
	if scope.Everything {
		return false, nil
	}
	size := len(scope.Workspaces)
	if len(scope.Projects) > 0 {
		inside, err := v.inProjects(o, scope.Projects)
		if err != nil {
			return false, err
		}
		size += inside
	}
	return size < 100 || size < o.WorkspaceCount/scopeShare, nil
}

// inProjects is how many workspaces are in projects.
func (v *View) inProjects(o belay.Organization, ids []string) (int, error) {
	key := "scope:" + o.ID + ":" + strconv.FormatInt(o.Generation, 10) + ":" + strings.Join(ids, ",")
	n, _, err := v.db.counts.of(v, key, func() (int, bool, error) {
		n, _, err := sqldb.Value[int](v, v.SQL("SELECT CAST(COALESCE(SUM("+base.CountedIn("projects")+"), 0) AS BIGINT) FROM projects WHERE id").In("", ids))
		return n, true, err
	})
	return n, err
}

// listed is the columns that a list has orders and conditions on.
const listed text = "m.id, m.name, m.project_id, m.latest_change_at, m.current_run_at, m.current_run_status, m.lock_holder_id, m.locked_at, m.engine_release"

// addScope appends the few workspaces that the caller sees, as f. They are materialized:
// PostgreSQL would else walk all workspaces in order and look for them.
func addScope(q *query, l *listing) {
	want, columns := l.want, text("m.id, m.name")
	if want.Sort.Key != "" && want.Sort.Key != "name" || want.Projects != nil || want.RunStatuses != nil || l.tags != nil || l.facets != nil {
		columns = listed
	}
	projects, workspaces := want.Scope.Projects, want.Scope.Workspaces
	q.Add("(WITH s AS MATERIALIZED (")
	if len(workspaces) > 0 || len(projects) == 0 {
		q.In("SELECT "+columns+" FROM workspaces m WHERE m.id", workspaces)
	}
	if len(workspaces) > 0 && len(projects) > 0 {
		q.Add(" UNION ALL ")
	}
	if len(projects) > 0 {
		q.In("SELECT "+columns+" FROM workspaces m WHERE m.project_id", projects)
		if len(workspaces) > 0 {
			q.In(" AND NOT m.id", workspaces)
		}
	}
	q.Add(") SELECT * FROM s) f WHERE 1 = 1")
}
