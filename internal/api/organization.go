package api

import (
	"slices"
	"time"

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
	{name: "name", show: value(func(o *organizationDoc) string { return o.Name }), write: lenient(func(p *organizationPatch) *patch.Field[string] { return &p.Name })},
	{name: "external-id", show: value(func(o *organizationDoc) string { return o.ID })},
	{name: "email", show: value(func(o *organizationDoc) string { return o.Email }), write: lenient(func(p *organizationPatch) *patch.Field[string] { return &p.Email })},
	{name: "created-at", show: value(func(o *organizationDoc) time.Time { return o.CreatedAt })},
	{name: "session-timeout", show: maybe(func(o *organizationDoc) int { return o.SessionTimeout }), write: nullable(func(p *organizationPatch) *patch.Field[int] { return &p.SessionTimeout })},
	{name: "session-remember", show: maybe(func(o *organizationDoc) int { return o.SessionRemember }), write: nullable(func(p *organizationPatch) *patch.Field[int] { return &p.SessionRemember })},
	{name: "collaborator-auth-policy", allowed: []string{"password", "two_factor_mandatory"}, show: value(func(o *organizationDoc) string { return o.CollaboratorAuth }), write: field(func(p *organizationPatch) *patch.Field[string] { return &p.CollaboratorAuth })},
	{name: "cost-estimation-enabled", show: value(func(o *organizationDoc) bool { return o.CostEstimation }), write: field(func(p *organizationPatch) *patch.Field[bool] { return &p.CostEstimation })},
	{name: "send-passing-statuses-for-untriggered-speculative-plans", show: value(func(o *organizationDoc) bool { return o.SendPassingStatuses }), write: field(func(p *organizationPatch) *patch.Field[bool] { return &p.SendPassingStatuses })},
	{name: "pull-request-comments-enabled", show: value(func(o *organizationDoc) bool { return o.PullRequestComments }), write: field(func(p *organizationPatch) *patch.Field[bool] { return &p.PullRequestComments })},
	{name: "aggregated-commit-status-enabled", show: value(func(o *organizationDoc) bool { return o.AggregatedStatuses }), write: field(func(p *organizationPatch) *patch.Field[bool] { return &p.AggregatedStatuses })},
	{name: "speculative-plan-management-enabled", show: value(func(o *organizationDoc) bool { return o.SpeculativeManagement }), write: field(func(p *organizationPatch) *patch.Field[bool] { return &p.SpeculativeManagement })},
	{name: "allow-force-delete-workspaces", show: value(func(o *organizationDoc) bool { return o.AllowForceDelete }), write: field(func(p *organizationPatch) *patch.Field[bool] { return &p.AllowForceDelete })},
	{name: "assessments-enforced", feature: belay.Assessments, show: value(func(o *organizationDoc) bool { return o.AssessmentsEnforced }), write: field(func(p *organizationPatch) *patch.Field[bool] { return &p.AssessmentsEnforced })},
	{name: "default-execution-mode", allowed: executionModes, show: value(func(o *organizationDoc) string { return string(o.DefaultExecutionMode) }), write: lenient(func(p *organizationPatch) *patch.Field[belay.ExecutionMode] { return &p.DefaultExecutionMode })},
	{name: "default-agent-pool-id", write: nullable(func(p *organizationPatch) *patch.Field[string] { return &p.DefaultAgentPoolID })},
	{name: "global-remote-state", show: value(func(o *organizationDoc) bool { return o.GlobalRemoteState }), write: field(func(p *organizationPatch) *patch.Field[bool] { return &p.GlobalRemoteState })},
	{name: "owners-team-saml-role-id", most: belay.MaxLabel, show: maybe(func(o *organizationDoc) string { return o.OwnersTeamSAMLRoleID }), write: nullable(func(p *organizationPatch) *patch.Field[string] { return &p.OwnersTeamSAMLRoleID })},
	{name: "user-tokens-enabled", show: value(func(o *organizationDoc) bool { return o.UserTokensEnabled }), write: field(func(p *organizationPatch) *patch.Field[bool] { return &p.UserTokensEnabled })},
	{name: "max-ttl-enabled", show: value(func(o *organizationDoc) bool { return o.Switches.MaxTTL }), write: field(func(p *organizationPatch) *patch.Field[bool] { return &p.MaxTTL })},
	{name: "stacks-enabled", show: value(func(o *organizationDoc) bool { return o.Switches.Stacks }), write: field(func(p *organizationPatch) *patch.Field[bool] { return &p.Stacks })},
	{name: "enforce-hyok", show: value(func(o *organizationDoc) bool { return o.Switches.EnforceHYOK }), write: field(func(p *organizationPatch) *patch.Field[bool] { return &p.EnforceHYOK })},
	{name: "registry-monorepo-support-enabled", show: value(func(o *organizationDoc) bool { return o.Switches.RegistryMonorepo }), write: field(func(p *organizationPatch) *patch.Field[bool] { return &p.RegistryMonorepo })},
	{name: "saml-enabled", show: fixed[organizationDoc](false)},
	{name: "two-factor-conformant", show: value(func(o *organizationDoc) bool { return o.CollaboratorAuth == "password" })},
	{name: "fair-run-queuing-enabled", show: fixed[organizationDoc](false)},
	{name: "recoverable-items-enabled", show: value(func(o *organizationDoc) bool { return o.RecoverableItems }), write: field(func(p *organizationPatch) *patch.Field[bool] { return &p.RecoverableItems })},
	{name: "run-limit", show: maybe(func(o *organizationDoc) int { return o.RunLimit }), write: nullable(func(p *organizationPatch) *patch.Field[int] { return &p.RunLimit })},
	{name: "global-module-sharing", show: fixed[organizationDoc](false)},
	{name: "remaining-testable-count", show: fixed[organizationDoc](testableModules)},
	{name: "plan-expired", show: fixed[organizationDoc](false)},
	{name: "plan-expires-at", show: none[organizationDoc, time.Time]()},
	{name: "plan-identifier", show: fixed[organizationDoc](planIdentifier)},
	{name: "plan-is-trial", show: fixed[organizationDoc](false)},
	{name: "plan-is-enterprise", show: fixed[organizationDoc](false)},
	{name: "permissions", show: permitted(organizationPermissions, func(o *organizationDoc) belay.Permission { return o.Can })},
}

// testableModules is how many more modules may have tests: a number that clients read as
// "some are left". No module is kept here, so none is ever counted.
const testableModules = 5

var organizations = &noun[organizationDoc, organizationPatch]{
	typ:        "organizations",
	id:         func(o *organizationDoc) string { return o.Name },
	path:       func(o *organizationDoc) string { return organizationPath(o.Name) },
	attributes: organizationAttributes,
	relations: []relation[organizationDoc, organizationPatch]{
		to[organizationDoc, organizationPatch]("default-project", "projects", func(o *organizationDoc) string { return o.DefaultProjectID }),
		to[organizationDoc, organizationPatch]("default-agent-pool", "agent-pools", func(o *organizationDoc) string { return o.DefaultAgentPoolID }).
			taking(ref("agent-pools"), func(_ *request, in *jsonapi.Incoming, p *organizationPatch) error {
				return defaultPool(in, &p.DefaultAgentPoolID)
			}),
		toBelow[organizationDoc, organizationPatch]("entitlement-set", "entitlement-sets", "/entitlement-set", func(o *organizationDoc) string { return o.ID }),
		below[organizationDoc, organizationPatch]("subscription", "/subscription"),
		below[organizationDoc, organizationPatch]("authentication-token", "/authentication-token"),
		below[organizationDoc, organizationPatch]("oauth-tokens", "/oauth-tokens"),
		retentionOf[organizationDoc, organizationPatch](func(o *organizationDoc) belay.RetentionPolicy { return o.Retention }),
	},
}

// ofOrganization is the relationship of what belongs to an organization.
func ofOrganization[D, P any](name func(*D) string) relation[D, P] {
	return toAt[D, P]("organization", "organizations", name, func(d *D) string { return organizationPath(name(d)) })
}

// defaultPool reads the relationship default-agent-pool of a body, when it is there.
func defaultPool(in *jsonapi.Incoming, id *patch.Field[string]) error {
	pool, given, err := relatedRef(in, "default-agent-pool", "agent-pools")
	if given && err == nil {
		*id = patch.Of(pool.ID)
	}
	return err
}

// organizationIncludes is what a document of organizations can include.
var organizationIncludes = []string{"default_project", "entitlement_set", "subscription"}

func (a *API) withOrganizations() *inclusion[organizationDoc] {
	add := func(r *request, document *jsonapi.Document, list []organizationDoc, names []string) error {
		if slices.Contains(names, "default_project") {
			ids := make([]string, len(list))
			for i, o := range list {
				ids[i] = o.DefaultProjectID
			}
			found, err := a.App.Nouns(r.Context(), r.subject, app.NounIDs{Projects: ids})
			if err != nil {
				return err
			}
			document.Included = append(document.Included, each(found.Projects, projects.in(r))...)
		}
		for _, o := range list {
			if slices.Contains(names, "entitlement_set") {
				set, err := a.entitled(r, o, nil)
				if err != nil {
					return err
				}
				document.Included = append(document.Included, entitlementSets.resource(r, set))
			}
			if slices.Contains(names, "subscription") {
				document.Included = append(document.Included, subscriptions.resource(r, o))
			}
		}
		return nil
	}
	return &inclusion[organizationDoc]{names: organizationIncludes, add: add}
}

func (a *API) createOrganization(r *request, p organizationPatch) (organizationDoc, error) {
	return a.App.CreateOrganization(r.Context(), r.subject, p)
}

func (a *API) listOrganizations(r *request) ([]organizationDoc, int, error) {
	q := r.query()
	return a.App.Organizations(r.Context(), r.subject, belay.OrganizationQuery{
		Search: q.Get("q"), Name: q.Get("q[name]"), Email: q.Get("q[email]"), Page: r.page(),
	})
}

func (a *API) showOrganization(r *request) (organizationDoc, error) {
	return a.App.Organization(r.Context(), r.subject, r.param("organization_name"))
}

func (a *API) updateOrganization(r *request, p organizationPatch) (organizationDoc, error) {
	return a.App.UpdateOrganization(r.Context(), r.subject, r.param("organization_name"), p)
}

func (a *API) deleteOrganization(r *request) error {
	return a.App.DeleteOrganization(r.Context(), r.subject, r.param("organization_name"))
}

// entitlementDoc is what an organization may use.
type entitlementDoc struct {
	organizationDoc
	Operations bool // somebody may carry its runs out
}

// entitled says what an organization may use. Where nobody can carry out its runs there are
// no operations, and the command lines work locally whatever the execution mode.
func (a *API) entitled(r *request, o organizationDoc, err error) (entitlementDoc, error) {
	doc := entitlementDoc{organizationDoc: o}
	if err == nil && a.Runs != nil {
		doc.Operations, err = a.Runs.Possible(r.Context(), o.ID)
	}
	return doc, err
}

func (a *API) showEntitlements(r *request) (entitlementDoc, error) {
	o, err := a.showOrganization(r)
	return a.entitled(r, o, err)
}

// entitlementAttributes is what the server truly offers.
var entitlementAttributes = attributes[entitlementDoc, struct{}]{
	{name: "operations", show: value(func(e *entitlementDoc) bool { return e.Operations })},
	{name: "state-storage", show: fixed[entitlementDoc](true)},
	{name: "teams", show: fixed[entitlementDoc](true)},
	{name: "agents", show: fixed[entitlementDoc](true)},
	{name: "audit-logging", show: fixed[entitlementDoc](true)},
	{name: "vcs-integrations", show: fixed[entitlementDoc](true)},
	{name: "usage-reporting", show: fixed[entitlementDoc](false)},
	{name: "cost-estimation", show: fixed[entitlementDoc](false)},
	{name: "configuration-designer", show: fixed[entitlementDoc](false)},
	{name: "global-run-tasks", show: fixed[entitlementDoc](false)},
	{name: "module-tests-generation", show: fixed[entitlementDoc](false)},
	{name: "policy-enforcement", show: fixed[entitlementDoc](false)},
	{name: "policy-limit", show: none[entitlementDoc, int]()},
	{name: "private-module-registry", show: fixed[entitlementDoc](false)},
	{name: "private-policy-agents", show: fixed[entitlementDoc](false)},
	{name: "private-run-tasks", show: fixed[entitlementDoc](false)},
	{name: "private-vcs", show: fixed[entitlementDoc](false)},
	{name: "run-tasks", show: fixed[entitlementDoc](false)},
	{name: "self-serve-billing", show: fixed[entitlementDoc](false)},
	{name: "sentinel", show: fixed[entitlementDoc](false)},
	{name: "sso", show: fixed[entitlementDoc](false)},
	{name: "user-limit", show: none[entitlementDoc, int]()},
}

var entitlementSets = &noun[entitlementDoc, struct{}]{
	typ:        "entitlement-sets",
	id:         func(e *entitlementDoc) string { return e.ID },
	path:       func(e *entitlementDoc) string { return organizationPath(e.Name) + "/entitlement-set" },
	attributes: entitlementAttributes,
}
