package store

import (
	"strconv"

	"github.com/belayhq/belay"
)

var organizations = newTable(table[belay.Organization]{
	name: "organizations",
	own: []column[belay.Organization]{
		{"id", func(o *belay.Organization) any { return &o.ID }},
		{"name", func(o *belay.Organization) any { return &o.Name }},
		{"email", func(o *belay.Organization) any { return &o.Email }},
		{"collaborator_auth", func(o *belay.Organization) any { return &o.CollaboratorAuth }},
		{"session_timeout", func(o *belay.Organization) any { return &o.SessionTimeout }},
		{"session_remember", func(o *belay.Organization) any { return &o.SessionRemember }},
		{"cost_estimation", func(o *belay.Organization) any { return &o.CostEstimation }},
		{"send_passing_statuses", func(o *belay.Organization) any { return &o.SendPassingStatuses }},
		{"aggregated_statuses", func(o *belay.Organization) any { return &o.AggregatedStatuses }},
		{"pull_request_comments", func(o *belay.Organization) any { return &o.PullRequestComments }},
		{"speculative_management", func(o *belay.Organization) any { return &o.SpeculativeManagement }},
		{"allow_force_delete", func(o *belay.Organization) any { return &o.AllowForceDelete }},
		{"assessments_enforced", func(o *belay.Organization) any { return &o.AssessmentsEnforced }},
		{"default_execution_mode", func(o *belay.Organization) any { return &o.DefaultExecutionMode }},
		{"default_agent_pool_id", func(o *belay.Organization) any { return &o.DefaultAgentPoolID }},
		{"global_remote_state", func(o *belay.Organization) any { return &o.GlobalRemoteState }},
		{"owners_team_saml_role_id", func(o *belay.Organization) any { return &o.OwnersTeamSAMLRoleID }},
		{"user_tokens_enabled", func(o *belay.Organization) any { return &o.UserTokensEnabled }},
		{"recoverable_items", func(o *belay.Organization) any { return &o.RecoverableItems }},
		{"run_limit", func(o *belay.Organization) any { return &o.RunLimit }},
		{"switches", func(o *belay.Organization) any { return jsonText[belay.OrganizationSwitches]{&o.Switches} }},
		{"default_project_id", func(o *belay.Organization) any { return &o.DefaultProjectID }},
		{"retention_id", func(o *belay.Organization) any { return &o.Retention.ID }},
		{"retention_kind", func(o *belay.Organization) any { return &o.Retention.Kind }},
		{"retention_days", func(o *belay.Organization) any { return &o.Retention.Days }},
		{"service_user_id", func(o *belay.Organization) any { return &o.ServiceUserID }},
		{"created_at", func(o *belay.Organization) any { return millis{&o.CreatedAt} }},
	},
	joined: []column[belay.Organization]{ // counters: they move by themselves
		{"organizations.workspace_count", func(o *belay.Organization) any { return &o.WorkspaceCount }},
		{"organizations.generation", func(o *belay.Organization) any { return &o.Generation }},
		{"organizations.facts_generation", func(o *belay.Organization) any { return &o.FactsGeneration }},
		{"organizations.access_generation", func(o *belay.Organization) any { return &o.AccessGeneration }},
	},
})

// Organization is one organization, by its name or its external id.
func (v *View) Organization(nameOrID string) (belay.Organization, error) {
	read := func() (belay.Organization, error) {
		return organizations.one(v, "name = ? OR id = ?", nameOrID, nameOrID)
	}
	if s := v.seat(); s != nil {
		return s.organization(nameOrID, v.db.now(), read)
	}
	return read()
}

// OrganizationsByID is many organizations, by name.
func (v *View) OrganizationsByID(ids []string) ([]belay.Organization, error) {
	return organizations.many(v, v.sql(organizations.selected).add("WHERE id").in("", ids).add(" ORDER BY name"))
}

// Organizations is one page of the organizations, by name.
func (v *View) Organizations(want belay.OrganizationQuery) ([]belay.Organization, int, error) {
	return organizations.page(v, want.Page, "name, id", `
		(? = '' OR LOWER(name) LIKE ? ESCAPE '\' OR LOWER(email) LIKE ? ESCAPE '\')
		AND LOWER(name) LIKE ? ESCAPE '\' AND LOWER(email) LIKE ? ESCAPE '\'
		AND NOT (`+hidden+`) AND (? = '' OR id = ?) AND (NOT ? OR user_tokens_enabled)
		AND (? = '' OR id IN (SELECT organization_id FROM organization_memberships WHERE user_id = ? AND status = 'active'))`,
		want.Search, contains(want.Search), contains(want.Search), contains(want.Name), contains(want.Email),
		want.OnlyID, want.OnlyID, want.UserTokens, want.MemberID, want.MemberID)
}

// AddOrganization writes a new organization.
func (tx *Tx) AddOrganization(o *belay.Organization) error {
	return organizations.insert(tx, o, nameTaken)
}

// SaveOrganization writes the settings of an organization.
func (tx *Tx) SaveOrganization(o *belay.Organization) error {
	return organizations.update(tx, o, nameTaken)
}

func countKey(o belay.Organization, q *query) string {
	return o.ID + ":" + strconv.FormatInt(o.Generation, 10) + ":" + strconv.FormatInt(o.AccessGeneration, 10) + ":" + q.key()
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
	return tx.do("UPDATE organizations SET name = ? WHERE id = ?", name.Name, shelf.ID)
}
