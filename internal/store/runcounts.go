package store

// WorkspacesByRunStatus is how many workspaces of an organization have a current run of each
// status; those without a run are at the empty one.
func (v *View) WorkspacesByRunStatus(organizationID string) (map[string]int, error) {
	type row struct {
		status string
		n      int
	}
	q := v.sql("SELECT current_run_status, count(*) FROM workspaces WHERE organization_id = ? GROUP BY current_run_status", organizationID)
	list, err := collect(v, q, func(r *row) []any { return []any{&r.status, &r.n} })
	counts := make(map[string]int, len(list))
	for _, r := range list {
		counts[r.status] = r.n
	}
	return counts, err
}
