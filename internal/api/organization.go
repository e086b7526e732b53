package api

import (
	"net/url"

	"github.com/belayhq/belay"
	"github.com/belayhq/belay/internal/app"
	"github.com/belayhq/belay/internal/jsonapi"
	"github.com/belayhq/belay/internal/patch"
)

type (
	organizationDoc   = app.OrganizationView
	organizationPatch = belay.OrganizationPatch
)

var organizationAttributes = attributes[organizationDoc, organizationPatch]{
	{name: "name", read: func(o *organizationDoc) any { return o.Name }, write: lenient(func(p *organizationPatch) *patch.Field[string] { return &p.Name })},
	{name: "external-id", read: func(o *organizationDoc) any { return o.ID }},
	{name: "email", read: func(o *organizationDoc) any { return o.Email }, write: lenient(func(p *organizationPatch) *patch.Field[string] { return &p.Email })},
	{name: "created-at", read: func(o *organizationDoc) any { return o.CreatedAt }},
	{name: "session-timeout", read: func(o *organizationDoc) any { return minutes(o.SessionTimeout) }, write: nullable(func(p *organizationPatch) *patch.Field[int] { return &p.SessionTimeout })},
	{name: "session-remember", read: func(o *organizationDoc) any { return minutes(o.SessionRemember) }, write: nullable(func(p *organizationPatch) *patch.Field[int] { return &p.SessionRemember })},
	{name: "collaborator-auth-policy", read: func(o *organizationDoc) any { return o.CollaboratorAuth }, write: field(func(p *organizationPatch) *patch.Field[string] { return &p.CollaboratorAuth })},
	{name: "cost-estimation-enabled", read: func(o *organizationDoc) any { return o.CostEstimation }, write: field(func(p *organizationPatch) *patch.Field[bool] { return &p.CostEstimation })},
	{name: "send-passing-statuses-for-untriggered-speculative-plans", read: func(o *organizationDoc) any { return o.SendPassingStatuses }, write: field(func(p *organizationPatch) *patch.Field[bool] { return &p.SendPassingStatuses })},
	{name: "aggregated-commit-status-enabled", read: func(o *organizationDoc) any { return o.AggregatedStatuses }, write: field(func(p *organizationPatch) *patch.Field[bool] { return &p.AggregatedStatuses })},
	{name: "speculative-plan-management-enabled", read: func(o *organizationDoc) any { return o.SpeculativeManagement }, write: field(func(p *organizationPatch) *patch.Field[bool] { return &p.SpeculativeManagement })},
	{name: "allow-force-delete-workspaces", read: func(o *organizationDoc) any { return o.AllowForceDelete }, write: field(func(p *organizationPatch) *patch.Field[bool] { return &p.AllowForceDelete })},
	{name: "assessments-enforced", feature: belay.Assessments, read: func(o *organizationDoc) any { return o.AssessmentsEnforced }, write: field(func(p *organizationPatch) *patch.Field[bool] { return &p.AssessmentsEnforced })},
	{name: "default-execution-mode", read: func(o *organizationDoc) any { return string(o.DefaultExecutionMode) }, write: lenient(func(p *organizationPatch) *patch.Field[belay.ExecutionMode] { return &p.DefaultExecutionMode })},
	{name: "default-agent-pool-id", write: nullable(func(p *organizationPatch) *patch.Field[string] { return &p.DefaultAgentPoolID })},
	{name: "global-remote-state", read: func(o *organizationDoc) any { return o.GlobalRemoteState }, write: field(func(p *organizationPatch) *patch.Field[bool] { return &p.GlobalRemoteState })},
	{name: "owners-team-saml-role-id", read: func(o *organizationDoc) any { return orNull(o.OwnersTeamSAMLRoleID) }, write: nullable(func(p *organizationPatch) *patch.Field[string] { return &p.OwnersTeamSAMLRoleID })},
	{name: "user-tokens-enabled", read: func(o *organizationDoc) any { return o.UserTokensEnabled }, write: field(func(p *organizationPatch) *patch.Field[bool] { return &p.UserTokensEnabled })},
	{name: "saml-enabled", read: func(*organizationDoc) any { return false }},
	{name: "two-factor-conformant", read: func(o *organizationDoc) any { return o.CollaboratorAuth == "password" }},
	{name: "fair-run-queuing-enabled", read: func(*organizationDoc) any { return false }},
	{name: "recoverable-items-enabled", read: func(*organizationDoc) any { return false }},
	{name: "global-module-sharing", read: func(*organizationDoc) any { return false }},
	{name: "remaining-testable-count", read: func(*organizationDoc) any { return testableModules }},
	{name: "plan-expired", read: func(*organizationDoc) any { return false }},
	{name: "permissions", read: func(o *organizationDoc) any { return can(organizationPermissions, o.Can) }},
}

// testableModules is how many more modules may have tests: a number that clients read as
// "some are left". No module is kept here, so none is ever counted.
const testableModules = 5

// minutes shows an unset number of minutes as null: the site's default holds.
func minutes(n int) any {
	if n == 0 {
		return nil
	}
	return n
}

func (a *API) organization(o organizationDoc) *jsonapi.Resource {
	self := "/api/v2/organizations/" + url.PathEscape(o.Name)
	return &jsonapi.Resource{
		Type: "organizations", ID: o.Name,
		Attributes: organizationAttributes.object(&o, a.App.Edition()),
		Relationships: []jsonapi.Relation{
			linked("default-project", "projects", o.DefaultProjectID),
			linked("default-agent-pool", "agent-pools", o.DefaultAgentPoolID),
			{Name: "entitlement-set", Data: jsonapi.Ref{Type: "entitlement-sets", ID: o.ID}, Related: self + "/entitlement-set"},
			{Name: "subscription", Related: self + "/subscription"},
			{Name: "authentication-token", Related: self + "/authentication-token"},
			{Name: "oauth-tokens", Related: self + "/oauth-tokens"},
			a.retentionRelation(o.Retention, self),
		},
		Links: jsonapi.Object{{Name: "self", Value: self}},
	}
}

// organizationLink is the relationship of what belongs to an organization.
func organizationLink(name string) jsonapi.Relation {
	return jsonapi.Relation{
		Name: "organization", Data: jsonapi.Ref{Type: "organizations", ID: name}, Related: "/api/v2/organizations/" + url.PathEscape(name),
	}
}

func (r *request) organizationPatch() (p organizationPatch, err error) {
	in, err := r.resource("organizations")
	if err != nil {
		return p, err
	}
	var problems belay.Problems
	if err := problems.Add(organizationAttributes.decode(in, &p, r.api.App.Edition())); err != nil {
		return p, err
	}
	if err := problems.Add(defaultPool(in, &p.DefaultAgentPoolID)); err != nil {
		return p, err
	}
	return p, problems.Err()
}

// defaultPool reads the relationship default-agent-pool of a body, when it is there.
func defaultPool(in *jsonapi.Incoming, id *patch.Field[string]) error {
	pool, given, err := relatedRef(in, "default-agent-pool", "agent-pools")
	if given && err == nil {
		*id = patch.Of(pool.ID)
	}
	return err
}

func (a *API) createOrganization(r *request) (*jsonapi.Document, error) {
	p, err := r.organizationPatch()
	if err != nil {
		return nil, err
	}
	o, err := a.App.CreateOrganization(r.Context(), r.subject, p)
	return a.organizationAnswer(o, err)
}

func (a *API) listOrganizations(r *request) (*jsonapi.Document, error) {
	q := r.URL.Query()
	list, total, err := a.App.Organizations(r.Context(), r.subject, belay.OrganizationQuery{
		Search: q.Get("q"), Name: q.Get("q[name]"), Email: q.Get("q[email]"), Page: r.page(),
	})
	if err != nil {
		return nil, err
	}
	return r.list(each(list, a.organization), total), nil
}

func (a *API) showOrganization(r *request) (*jsonapi.Document, error) {
	o, err := a.App.Organization(r.Context(), r.subject, r.param("organization_name"))
	return a.organizationAnswer(o, err)
}

func (a *API) updateOrganization(r *request) (*jsonapi.Document, error) {
	p, err := r.organizationPatch()
	if err != nil {
		return nil, err
	}
	o, err := a.App.UpdateOrganization(r.Context(), r.subject, r.param("organization_name"), p)
	return a.organizationAnswer(o, err)
}

func (a *API) deleteOrganization(r *request) (*jsonapi.Document, error) {
	return nil, a.App.DeleteOrganization(r.Context(), r.subject, r.param("organization_name"))
}

func (a *API) organizationAnswer(o organizationDoc, err error) (*jsonapi.Document, error) {
	if err != nil {
		return nil, err
	}
	return one(a.organization(o)), nil
}

// entitlements is what the server truly offers. Operations is false until there are
// runs, and the command lines then work locally whatever the execution mode.
var entitlements = jsonapi.Object{
	{Name: "operations", Value: false},
	{Name: "state-storage", Value: true},
	{Name: "teams", Value: true},
	{Name: "agents", Value: true},
	{Name: "audit-logging", Value: true},
	{Name: "vcs-integrations", Value: true},
	{Name: "usage-reporting", Value: false},
	{Name: "cost-estimation", Value: false},
	{Name: "configuration-designer", Value: false},
	{Name: "global-run-tasks", Value: false},
	{Name: "module-tests-generation", Value: false},
	{Name: "policy-enforcement", Value: false},
	{Name: "policy-limit", Value: nil},
	{Name: "private-module-registry", Value: false},
	{Name: "private-policy-agents", Value: false},
	{Name: "private-run-tasks", Value: false},
	{Name: "private-vcs", Value: false},
	{Name: "run-tasks", Value: false},
	{Name: "self-serve-billing", Value: false},
	{Name: "sentinel", Value: false},
	{Name: "sso", Value: false},
	{Name: "user-limit", Value: nil},
}

func (a *API) showEntitlements(r *request) (*jsonapi.Document, error) {
	o, err := a.App.Organization(r.Context(), r.subject, r.param("organization_name"))
	if err != nil {
		return nil, err
	}
	return one(&jsonapi.Resource{
		Type: "entitlement-sets", ID: o.ID, Attributes: entitlements,
		Links: jsonapi.Object{{Name: "self", Value: "/api/v2/organizations/" + url.PathEscape(o.Name) + "/entitlement-set"}},
	}), nil
}
