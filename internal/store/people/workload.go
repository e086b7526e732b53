package people

import (
	"github.com/belayhq/belay"
	"github.com/belayhq/belay/internal/sqldb"
	"github.com/belayhq/belay/internal/store/base"
	"github.com/belayhq/belay/signin"
)

var workloadRules = sqldb.NewTable(sqldb.Table[signin.WorkloadRule]{
	Name: "workload_rules",
	Hold: "w",
	From: "workload_rules w JOIN organizations o ON o.id = w.organization_id",
	Own: []sqldb.Column[signin.WorkloadRule]{
		{Name: "id", At: func(r *signin.WorkloadRule) any { return &r.ID }},
		{Name: "organization_id", At: func(r *signin.WorkloadRule) any { return &r.OrganizationID }},
		{Name: "team_id", At: func(r *signin.WorkloadRule) any { return &r.TeamID }},
		{Name: "name", At: func(r *signin.WorkloadRule) any { return &r.Name }},
		{Name: "issuer", At: func(r *signin.WorkloadRule) any { return &r.Issuer }},
		{Name: "audience", At: func(r *signin.WorkloadRule) any { return &r.Audience }},
		{Name: "claims", At: func(r *signin.WorkloadRule) any { return sqldb.JSON(&r.Claims) }},
		{Name: "token_minutes", At: func(r *signin.WorkloadRule) any { return &r.TokenMinutes }},
		{Name: "created_by", At: func(r *signin.WorkloadRule) any { return &r.CreatedBy }},
		{Name: "by_organization", At: func(r *signin.WorkloadRule) any { return &r.ByOrganization }},
		{Name: "ends_at", At: func(r *signin.WorkloadRule) any { return sqldb.Millis(&r.EndsAt) }},
		{Name: "created_at", At: func(r *signin.WorkloadRule) any { return sqldb.Millis(&r.CreatedAt) }},
	},
	Joined: base.Belongs(func(r *signin.WorkloadRule) *belay.Organization { return &r.Organization }),
})

// WorkloadRule is one rule, by id.
func (v *View) WorkloadRule(id string) (signin.WorkloadRule, error) {
	return workloadRules.One(v, "w.id = ?", id)
}

// WorkloadRules is one page of the rules of a team, oldest first.
func (v *View) WorkloadRules(teamID string, page belay.Page) ([]signin.WorkloadRule, int, error) {
	return workloadRules.Page(v, page, "w.created_at, w.id", "w.team_id = ?", teamID)
}

// WorkloadRulesOf is the rules of a team for an issuer, oldest first.
func (v *View) WorkloadRulesOf(teamID, issuer string) ([]signin.WorkloadRule, error) {
	return workloadRules.Many(v, v.SQL(workloadRules.Selected).Add("WHERE w.team_id = ? AND w.issuer = ? AND NOT ("+base.OrganizationIsGone+") ORDER BY w.created_at, w.id", teamID, issuer))
}

// CountWorkloadRules is how many rules a team has.
func (v *View) CountWorkloadRules(teamID string) (int, error) {
	n, _, err := sqldb.Value[int](v, v.SQL("SELECT count(*) FROM workload_rules WHERE team_id = ?", teamID))
	return n, err
}

// AddWorkloadRule writes a new rule.
func (tx *Tx) AddWorkloadRule(r *signin.WorkloadRule) error { return workloadRules.Insert(tx, r, nil) }

// SaveWorkloadRule writes a rule.
func (tx *Tx) SaveWorkloadRule(r *signin.WorkloadRule) error { return workloadRules.Update(tx, r, nil) }

// DropWorkloadRule deletes a rule. The tokens that it gave live on for their minutes.
func (tx *Tx) DropWorkloadRule(r *signin.WorkloadRule) error {
	return tx.Do("DELETE FROM workload_rules WHERE id = ?", r.ID)
}
