package store

import "github.com/belayhq/belay"

var workloadRules = newTable(table[belay.WorkloadRule]{
	name: "workload_rules",
	hold: "w",
	from: "workload_rules w JOIN organizations o ON o.id = w.organization_id",
	own: []column[belay.WorkloadRule]{
		{"id", func(r *belay.WorkloadRule) any { return &r.ID }},
		{"organization_id", func(r *belay.WorkloadRule) any { return &r.OrganizationID }},
		{"team_id", func(r *belay.WorkloadRule) any { return &r.TeamID }},
		{"name", func(r *belay.WorkloadRule) any { return &r.Name }},
		{"issuer", func(r *belay.WorkloadRule) any { return &r.Issuer }},
		{"audience", func(r *belay.WorkloadRule) any { return &r.Audience }},
		{"claims", func(r *belay.WorkloadRule) any { return jsonText[map[string]string]{&r.Claims} }},
		{"token_minutes", func(r *belay.WorkloadRule) any { return &r.TokenMinutes }},
		{"created_by", func(r *belay.WorkloadRule) any { return &r.CreatedBy }},
		{"by_organization", func(r *belay.WorkloadRule) any { return &r.ByOrganization }},
		{"ends_at", func(r *belay.WorkloadRule) any { return millis{&r.EndsAt} }},
		{"created_at", func(r *belay.WorkloadRule) any { return millis{&r.CreatedAt} }},
	},
	joined: belongs(func(r *belay.WorkloadRule) *belay.Organization { return &r.Organization }),
})

// WorkloadRule is one rule, by id.
func (v *View) WorkloadRule(id string) (belay.WorkloadRule, error) {
	return workloadRules.one(v, "w.id = ?", id)
}

// WorkloadRules is one page of the rules of a team, oldest first.
func (v *View) WorkloadRules(teamID string, page belay.Page) ([]belay.WorkloadRule, int, error) {
	return workloadRules.page(v, page, "w.created_at, w.id", "w.team_id = ?", teamID)
}

// WorkloadRulesOf is the rules of a team for an issuer, oldest first.
func (v *View) WorkloadRulesOf(teamID, issuer string) ([]belay.WorkloadRule, error) {
	return workloadRules.many(v, v.sql(workloadRules.selected).add("WHERE w.team_id = ? AND w.issuer = ? AND NOT ("+oIsGone+") ORDER BY w.created_at, w.id", teamID, issuer))
}

// CountWorkloadRules is how many rules a team has.
func (v *View) CountWorkloadRules(teamID string) (int, error) {
	n, _, err := value[int](v, v.sql("SELECT count(*) FROM workload_rules WHERE team_id = ?", teamID))
	return n, err
}

// AddWorkloadRule writes a new rule.
func (tx *Tx) AddWorkloadRule(r *belay.WorkloadRule) error { return workloadRules.insert(tx, r, nil) }

// SaveWorkloadRule writes a rule.
func (tx *Tx) SaveWorkloadRule(r *belay.WorkloadRule) error { return workloadRules.update(tx, r, nil) }

// DropWorkloadRule deletes a rule. The tokens that it gave live on for their minutes.
func (tx *Tx) DropWorkloadRule(r *belay.WorkloadRule) error {
	return tx.do("DELETE FROM workload_rules WHERE id = ?", r.ID)
}
