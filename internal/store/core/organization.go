package core

import (
	"github.com/belayhq/belay"
	"github.com/belayhq/belay/internal/sqldb"
	"github.com/belayhq/belay/internal/store/base"
)

// Organizations is the columns of an organization.
var Organizations = sqldb.NewTable(sqldb.Table[belay.Organization]{
	Name: "organizations",
	Own: []sqldb.Column[belay.Organization]{
		{Name: "id", At: func(o *belay.Organization) any { return &o.ID }},
		{Name: "name", At: func(o *belay.Organization) any { return &o.Name }},
		{Name: "email", At: func(o *belay.Organization) any { return &o.Email }},
		{Name: "collaborator_auth", At: func(o *belay.Organization) any { return &o.CollaboratorAuth }},
		{Name: "session_timeout", At: func(o *belay.Organization) any { return &o.SessionTimeout }},
		{Name: "session_remember", At: func(o *belay.Organization) any { return &o.SessionRemember }},
		{Name: "cost_estimation", At: func(o *belay.Organization) any { return &o.CostEstimation }},
		{Name: "send_passing_statuses", At: func(o *belay.Organization) any { return &o.SendPassingStatuses }},
		{Name: "aggregated_statuses", At: func(o *belay.Organization) any { return &o.AggregatedStatuses }},
		{Name: "pull_request_comments", At: func(o *belay.Organization) any { return &o.PullRequestComments }},
		{Name: "speculative_management", At: func(o *belay.Organization) any { return &o.SpeculativeManagement }},
		{Name: "allow_force_delete", At: func(o *belay.Organization) any { return &o.AllowForceDelete }},
		{Name: "assessments_enforced", At: func(o *belay.Organization) any { return &o.AssessmentsEnforced }},
		{Name: "default_execution_mode", At: func(o *belay.Organization) any { return &o.DefaultExecutionMode }},
		{Name: "default_agent_pool_id", At: func(o *belay.Organization) any { return &o.DefaultAgentPoolID }},
		{Name: "global_remote_state", At: func(o *belay.Organization) any { return &o.GlobalRemoteState }},
		{Name: "owners_team_saml_role_id", At: func(o *belay.Organization) any { return &o.OwnersTeamSAMLRoleID }},
		{Name: "user_tokens_enabled", At: func(o *belay.Organization) any { return &o.UserTokensEnabled }},
		{Name: "recoverable_items", At: func(o *belay.Organization) any { return &o.RecoverableItems }},
		{Name: "run_limit", At: func(o *belay.Organization) any { return &o.RunLimit }},
		{Name: "switches", At: func(o *belay.Organization) any { return sqldb.JSON(&o.Switches) }},
		{Name: "default_project_id", At: func(o *belay.Organization) any { return &o.DefaultProjectID }},
		{Name: "retention_id", At: func(o *belay.Organization) any { return &o.Retention.ID }},
		{Name: "retention_kind", At: func(o *belay.Organization) any { return &o.Retention.Kind }},
		{Name: "retention_days", At: func(o *belay.Organization) any { return &o.Retention.Days }},
		{Name: "service_user_id", At: func(o *belay.Organization) any { return &o.ServiceUserID }},
		{Name: "created_at", At: func(o *belay.Organization) any { return sqldb.Millis(&o.CreatedAt) }},
	},
	Joined: []sqldb.Column[belay.Organization]{ // counters: they move by themselves
		{Name: "organizations.workspace_count", At: func(o *belay.Organization) any { return &o.WorkspaceCount }},
		{Name: "organizations.generation", At: func(o *belay.Organization) any { return &o.Generation }},
		{Name: "organizations.facts_generation", At: func(o *belay.Organization) any { return &o.FactsGeneration }},
		{Name: "organizations.access_generation", At: func(o *belay.Organization) any { return &o.AccessGeneration }},
		{Name: base.Beside("organizations.id"), At: func(o *belay.Organization) any { return base.AddBeside{To: o} }},
	},
})

// Organization is one organization, by its name or its external id.
func (v *View) Organization(nameOrID string) (belay.Organization, error) {
	return Once(v, organizationKey(nameOrID), func() (belay.Organization, error) {
		o, err := Organizations.One(v, "name = ? OR id = ?", nameOrID, nameOrID)
		if s := v.seat(); s != nil && err == nil {
			s.kept[organizationKey(o.ID)], s.kept[organizationKey(o.Name)] = o, o
		}
		return o, err
	})
}

// KeepOrganization has the sitting of the view know an organization that was read with something else.
func (v *View) KeepOrganization(o belay.Organization) {
	Keep(v, organizationKey(o.ID), o)
	Keep(v, organizationKey(o.Name), o)
}

// OrganizationsByID is many organizations, by name.
func (v *View) OrganizationsByID(ids []string) ([]belay.Organization, error) {
	return Organizations.Many(v, v.SQL(Organizations.Selected).Add("WHERE id").In("", ids).Add(" ORDER BY name"))
}

// Organizations is one page of the organizations, by name.
func (v *View) Organizations(want belay.OrganizationQuery) ([]belay.Organization, int, error) {
	return Organizations.Page(v, want.Page, "name, id", `
		(? = '' OR LOWER(name) LIKE ? ESCAPE '\' OR LOWER(email) LIKE ? ESCAPE '\')
		AND LOWER(name) LIKE ? ESCAPE '\' AND LOWER(email) LIKE ? ESCAPE '\'
		AND NOT (`+base.IsHidden+`) AND (? = '' OR id = ?) AND (NOT ? OR user_tokens_enabled)
		AND (? = '' OR id IN (SELECT organization_id FROM organization_memberships WHERE user_id = ? AND status = 'active'))`,
		want.Search, sqldb.Contains(want.Search), sqldb.Contains(want.Search), sqldb.Contains(want.Name), sqldb.Contains(want.Email),
		want.OnlyID, want.OnlyID, want.UserTokens, want.MemberID, want.MemberID)
}

// AddOrganization writes a new organization.
func (tx *Tx) AddOrganization(o *belay.Organization) error {
	return Organizations.Insert(tx, o, base.NameTaken)
}

// SaveOrganization writes the settings of an organization.
func (tx *Tx) SaveOrganization(o *belay.Organization) error {
	return Organizations.Update(tx, o, base.NameTaken)
}

// BuryOrganization writes that an organization is deleted, and its shelf with it.
func (tx *Tx) BuryOrganization(o *belay.Organization) error {
	o.Bury()
	if err := tx.SaveOrganization(o); err != nil {
		return err
	}
	shelf, _ := belay.Shelf(o.ID)
	name := shelf
	name.Bury()
	return tx.Do("UPDATE organizations SET name = ? WHERE id = ?", name.Name, shelf.ID)
}
