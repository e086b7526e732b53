package plan

import (
	"github.com/belayhq/belay"
	"github.com/belayhq/belay/internal/sqldb"
)

// mostCampaigns is how many campaigns are looked at for those that are open.
const mostCampaigns = 1000

// Standing counts, in one statement that looks at few rows, what waits for a holder of locks who applies runs
// within one scope and reads them within another, and what goes on; campaigns says whether those are counted.
func (v *View) Standing(o belay.Organization, holder string, apply, read belay.Scope, campaigns bool) (s belay.Standing, err error) {
	q := v.SQL("SELECT ")
	counted := func(scope belay.Scope, condition text, args ...any) {
		q.Add("(SELECT count(*) FROM (SELECT 1 FROM workspaces f WHERE f.organization_id = ? AND ", o.ID).Add(condition, args...)
		if !scope.Everything {
			q.In(" AND (f.id", scope.Workspaces).In(" OR f.project_id", scope.Projects).Add(")")
		}
		q.Add(" LIMIT ? + 0) d), ", belay.MostStanding)
	}
	counted(apply, "f.current_run_status = 'planned'")
	q.Add("(SELECT count(*) FROM (SELECT 1 FROM workspace_locks l WHERE l.organization_id = ? AND l.holder_id = ? LIMIT ? + 0) d), ", o.ID, holder, belay.MostStanding)
	counted(read, "f.current_run_status IN ('fetching', 'plan_queued', 'planning', 'confirmed', 'apply_queued', 'applying')")
	if campaigns {
		q.Add(`(SELECT count(*) FROM (SELECT b.id FROM bulk_actions b WHERE b.organization_id = ? AND b.unfinished_until = 0 LIMIT ? + 0) d
			WHERE EXISTS (SELECT 1 FROM change_requests c WHERE c.action_id = d.id AND c.archived_at = 0))`, o.ID, mostCampaigns)
	} else {
		q.Add("0")
	}
	list, err := sqldb.Collect(v, q, func(s *belay.Standing) []any { return []any{&s.Plans, &s.Locks, &s.Running, &s.Campaigns} })
	if len(list) > 0 {
		s = list[0]
	}
	return s, err
}
