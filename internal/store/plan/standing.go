package plan

import (
	"github.com/belayhq/belay"
	"github.com/belayhq/belay/internal/sqldb"
)

// mostCampaigns is how many campaigns are looked at for those that are open.
const mostCampaigns = 1000

// Standing counts, in one statement that looks at few rows, what goes on for somebody who reads runs within a scope;
// campaigns says whether those are counted.
func (v *View) Standing(o belay.Organization, read belay.Scope, campaigns bool) (s belay.Standing, err error) {
	q := v.SQL("SELECT ")
	countWorkspaces(q, o.ID, read, "f.current_run_status IN ('fetching', 'plan_queued', 'planning', 'confirmed', 'apply_queued', 'applying')")
	q.Add(", ")
	if campaigns {
		q.Add(`(SELECT count(*) FROM (SELECT b.id FROM bulk_actions b WHERE b.organization_id = ? AND b.unfinished_until = 0 LIMIT ? + 0) d
			WHERE EXISTS (SELECT 1 FROM change_requests c WHERE c.action_id = d.id AND c.archived_at = 0))`, o.ID, mostCampaigns)
	} else {
		q.Add("0")
	}
	list, err := sqldb.Collect(v, q, func(s *belay.Standing) []any { return []any{&s.Running, &s.Campaigns} })
	if len(list) > 0 {
		s = list[0]
	}
	return s, err
}

// countWorkspaces counts those of a condition within a scope, no further than is told.
func countWorkspaces(q *sqldb.Query, organizationID string, scope belay.Scope, condition text) {
	q.Add("(SELECT count(*) FROM (SELECT 1 FROM workspaces f WHERE f.organization_id = ? AND "+condition, organizationID)
	if !scope.Everything {
		q.In(" AND (f.id", scope.Workspaces).In(" OR f.project_id", scope.Projects).Add(")")
	}
	q.Add(" LIMIT ? + 0) d)", belay.MostStanding)
}
