package organizations

import (
	"net/http"
	"slices"
	"time"

	"github.com/belayhq/belay"
	"github.com/belayhq/belay/internal/api/doc"
	"github.com/belayhq/belay/internal/api/door"
	"github.com/belayhq/belay/internal/api/paths"
	"github.com/belayhq/belay/internal/api/workspaces"
	"github.com/belayhq/belay/internal/app"
	"github.com/belayhq/belay/internal/jsonapi"
	"github.com/belayhq/belay/internal/patch"
	"github.com/belayhq/belay/site"
)

type (
	organizationDoc   = app.OrganizationView
	organizationPatch = belay.OrganizationPatch
)

// OrganizationAttributes is every attribute of an organization.
var OrganizationAttributes = doc.Attributes[organizationDoc, organizationPatch]{
	{Name: "name", Show: doc.Value(func(o *organizationDoc) string { return o.Name }), Write: doc.Lenient(func(p *organizationPatch) *patch.Field[string] { return &p.Name })},
	{Name: "external-id", Show: doc.Value(func(o *organizationDoc) string { return o.ID })},
	{Name: "email", Show: doc.Value(func(o *organizationDoc) string { return o.Email }), Write: doc.Lenient(func(p *organizationPatch) *patch.Field[string] { return &p.Email })},
	{Name: "created-at", Show: doc.Value(func(o *organizationDoc) time.Time { return o.CreatedAt })},
	{Name: "session-timeout", Show: doc.Maybe(func(o *organizationDoc) int { return o.SessionTimeout }), Write: doc.Nullable(func(p *organizationPatch) *patch.Field[int] { return &p.SessionTimeout })},
	{Name: "session-remember", Show: doc.Maybe(func(o *organizationDoc) int { return o.SessionRemember }), Write: doc.Nullable(func(p *organizationPatch) *patch.Field[int] { return &p.SessionRemember })},
	{Name: "collaborator-auth-policy", Allowed: []string{"password", "two_factor_mandatory"}, Show: doc.Value(func(o *organizationDoc) string { return o.CollaboratorAuth }), Write: doc.Field(func(p *organizationPatch) *patch.Field[string] { return &p.CollaboratorAuth })},
	{Name: "cost-estimation-enabled", Show: doc.Value(func(o *organizationDoc) bool { return o.CostEstimation }), Write: doc.Field(func(p *organizationPatch) *patch.Field[bool] { return &p.CostEstimation })},
	{Name: "send-passing-statuses-for-untriggered-speculative-plans", Show: doc.Value(func(o *organizationDoc) bool { return o.SendPassingStatuses }), Write: doc.Field(func(p *organizationPatch) *patch.Field[bool] { return &p.SendPassingStatuses })},
	{Name: "pull-request-comments-enabled", Show: doc.Value(func(o *organizationDoc) bool { return o.PullRequestComments }), Write: doc.Field(func(p *organizationPatch) *patch.Field[bool] { return &p.PullRequestComments })},
	{Name: "aggregated-commit-status-enabled", Show: doc.Value(func(o *organizationDoc) bool { return o.AggregatedStatuses }), Write: doc.Field(func(p *organizationPatch) *patch.Field[bool] { return &p.AggregatedStatuses })},
	{Name: "speculative-plan-management-enabled", Show: doc.Value(func(o *organizationDoc) bool { return o.SpeculativeManagement }), Write: doc.Field(func(p *organizationPatch) *patch.Field[bool] { return &p.SpeculativeManagement })},
	{Name: "allow-force-delete-workspaces", Show: doc.Value(func(o *organizationDoc) bool { return o.AllowForceDelete }), Write: doc.Field(func(p *organizationPatch) *patch.Field[bool] { return &p.AllowForceDelete })},
	{Name: "assessments-enforced", Feature: site.Assessments, Show: doc.Value(func(o *organizationDoc) bool { return o.AssessmentsEnforced }), Write: doc.Field(func(p *organizationPatch) *patch.Field[bool] { return &p.AssessmentsEnforced })},
	{Name: "default-execution-mode", Allowed: workspaces.ExecutionModes, Show: doc.Value(func(o *organizationDoc) string { return string(o.DefaultExecutionMode) }), Write: doc.Lenient(func(p *organizationPatch) *patch.Field[belay.ExecutionMode] { return &p.DefaultExecutionMode })},
	{Name: "default-agent-pool-id", Write: doc.Nullable(func(p *organizationPatch) *patch.Field[string] { return &p.DefaultAgentPoolID })},
	{Name: "global-remote-state", Show: doc.Value(func(o *organizationDoc) bool { return o.GlobalRemoteState }), Write: doc.Field(func(p *organizationPatch) *patch.Field[bool] { return &p.GlobalRemoteState })},
	{Name: "owners-team-saml-role-id", Most: belay.MaxLabel, Show: doc.Maybe(func(o *organizationDoc) string { return o.OwnersTeamSAMLRoleID }), Write: doc.Nullable(func(p *organizationPatch) *patch.Field[string] { return &p.OwnersTeamSAMLRoleID })},
	{Name: "user-tokens-enabled", Show: doc.Value(func(o *organizationDoc) bool { return o.UserTokensEnabled }), Write: doc.Field(func(p *organizationPatch) *patch.Field[bool] { return &p.UserTokensEnabled })},
	{Name: "max-ttl-enabled", Show: doc.Value(func(o *organizationDoc) bool { return o.Switches.MaxTTL }), Write: doc.Field(func(p *organizationPatch) *patch.Field[bool] { return &p.MaxTTL })},
	{Name: "stacks-enabled", Show: doc.Value(func(o *organizationDoc) bool { return o.Switches.Stacks }), Write: doc.Field(func(p *organizationPatch) *patch.Field[bool] { return &p.Stacks })},
	{Name: "enforce-hyok", Show: doc.Value(func(o *organizationDoc) bool { return o.Switches.EnforceHYOK }), Write: doc.Field(func(p *organizationPatch) *patch.Field[bool] { return &p.EnforceHYOK })},
	{Name: "registry-monorepo-support-enabled", Show: doc.Value(func(o *organizationDoc) bool { return o.Switches.RegistryMonorepo }), Write: doc.Field(func(p *organizationPatch) *patch.Field[bool] { return &p.RegistryMonorepo })},
	{Name: "saml-enabled", Show: doc.Fixed[organizationDoc](false)},
	{Name: "two-factor-conformant", Show: doc.Value(func(o *organizationDoc) bool { return o.CollaboratorAuth == "password" })},
	{Name: "fair-run-queuing-enabled", Show: doc.Fixed[organizationDoc](false)},
	{Name: "recoverable-items-enabled", Show: doc.Value(func(o *organizationDoc) bool { return o.RecoverableItems }), Write: doc.Field(func(p *organizationPatch) *patch.Field[bool] { return &p.RecoverableItems })},
	{Name: "run-limit", Show: doc.Maybe(func(o *organizationDoc) int { return o.RunLimit }), Write: doc.Nullable(func(p *organizationPatch) *patch.Field[int] { return &p.RunLimit })},
	{Name: "global-module-sharing", Show: doc.Fixed[organizationDoc](false)},
	{Name: "remaining-testable-count", Show: doc.Fixed[organizationDoc](testableModules)},
	{Name: "plan-expired", Show: doc.Fixed[organizationDoc](false)},
	{Name: "plan-expires-at", Show: doc.None[organizationDoc, time.Time]()},
	{Name: "plan-identifier", Show: doc.Fixed[organizationDoc](planIdentifier)},
	{Name: "plan-is-trial", Show: doc.Fixed[organizationDoc](false)},
	{Name: "plan-is-enterprise", Show: doc.Fixed[organizationDoc](false)},
	{Name: "permissions", Show: doc.Permitted(workspaces.OrganizationPermissions, func(o *organizationDoc) belay.Permission { return o.Can })},
}

// testableModules is how many more modules may have tests: a number that clients read as
// "some are left". No module is kept here, so none is ever counted.
const testableModules = 5

// Organizations is organizations.
var Organizations = &doc.Noun[organizationDoc, organizationPatch]{
	Type:       "organizations",
	ID:         func(o *organizationDoc) string { return o.Name },
	Path:       func(o *organizationDoc) string { return paths.OrganizationAt(o.Name) },
	Attributes: OrganizationAttributes,
	Relations: []doc.Relation[organizationDoc, organizationPatch]{
		doc.To[organizationDoc, organizationPatch]("default-project", "projects", func(o *organizationDoc) string { return o.DefaultProjectID }),
		doc.To[organizationDoc, organizationPatch]("default-agent-pool", "agent-pools", func(o *organizationDoc) string { return o.DefaultAgentPoolID }).
			Taking(doc.Ref("agent-pools"), func(_ doc.Reading, in *jsonapi.Incoming, p *organizationPatch) error {
				return workspaces.DefaultPool(in, &p.DefaultAgentPoolID)
			}),
		doc.ToBelow[organizationDoc, organizationPatch]("entitlement-set", "entitlement-sets", "/entitlement-set", func(o *organizationDoc) string { return o.ID }),
		doc.Below[organizationDoc, organizationPatch]("subscription", "/subscription"),
		doc.Below[organizationDoc, organizationPatch]("authentication-token", "/authentication-token"),
		doc.Below[organizationDoc, organizationPatch]("oauth-tokens", "/oauth-tokens"),
		workspaces.RetentionOf[organizationDoc, organizationPatch](func(o *organizationDoc) belay.RetentionPolicy { return o.Retention }),
	},
}

// organizationIncludes is what a document of organizations can include.
var organizationIncludes = []string{"default_project", "entitlement_set", "subscription"}

var _ = routes.Join(func(a *Verbs) []door.Route {
	return []door.Route{
		{Method: http.MethodGet, Path: paths.V2 + "/organizations", Status: http.StatusOK, Do: door.Listing(Organizations, a.listOrganizations, a.withOrganizations()), Query: []string{"q", "q[name]", "q[email]"}, By: door.AnyToken, Does: "List one's own organizations"},
		{Method: http.MethodPost, Path: paths.V2 + "/organizations", Status: http.StatusCreated, Do: door.Writing(Organizations, a.createOrganization), By: door.People, Does: "Make an organization"},
		{Method: http.MethodGet, Path: paths.Organization, Status: http.StatusOK, Do: door.Showing(Organizations, a.showOrganization, a.withOrganizations()), Needs: belay.Traverse, Does: "See the organization"},
		{Method: http.MethodPatch, Path: paths.Organization, Status: http.StatusOK, Do: door.Writing(Organizations, a.updateOrganization), Needs: belay.UpdateOrganization, Does: "Change its settings"},
		{Method: http.MethodPut, Path: paths.Organization, Status: http.StatusOK, Do: door.Writing(Organizations, a.updateOrganization), Needs: belay.UpdateOrganization, Does: "Change its settings (older form)"},
		{Method: http.MethodDelete, Path: paths.Organization, Status: http.StatusNoContent, Do: door.Doing(a.deleteOrganization), Needs: belay.DeleteOrganization, Does: "Delete it with all that is in it"},
		{Method: http.MethodGet, Path: paths.Organization + "/entitlement-set", Status: http.StatusOK, Do: door.Showing(EntitlementSets, a.showEntitlements), Runs: true, Needs: belay.Traverse, Does: "See what it is entitled to"},
	}
})

func (a *Verbs) withOrganizations() *door.Inclusion[organizationDoc] {
	add := func(r *door.Request, document *jsonapi.Document, list []organizationDoc, names []string) error {
		if slices.Contains(names, "default_project") {
			ids := make([]string, len(list))
			for i, o := range list {
				ids[i] = o.DefaultProjectID
			}
			found, err := a.App.Nouns(r.Context(), r.Principal, app.NounIDs{Projects: ids})
			if err != nil {
				return err
			}
			document.Included = append(document.Included, door.Each(found.Projects, workspaces.Projects.In(r.Edition))...)
		}
		for _, o := range list {
			if slices.Contains(names, "entitlement_set") {
				set, err := a.entitled(r, o, nil)
				if err != nil {
					return err
				}
				document.Included = append(document.Included, EntitlementSets.Resource(r.Edition, set))
			}
			if slices.Contains(names, "subscription") {
				document.Included = append(document.Included, Subscriptions.Resource(r.Edition, o))
			}
		}
		return nil
	}
	return &door.Inclusion[organizationDoc]{Names: organizationIncludes, Add: add}
}

func (a *Verbs) createOrganization(r *door.Request, p organizationPatch) (organizationDoc, error) {
	return a.App.CreateOrganization(r.Context(), r.Principal, p)
}

func (a *Verbs) listOrganizations(r *door.Request) ([]organizationDoc, int, error) {
	q := r.Query()
	return a.App.Organizations(r.Context(), r.Principal, belay.OrganizationQuery{
		Search: q.Get("q"), Name: q.Get("q[name]"), Email: q.Get("q[email]"), Page: r.Page(),
	})
}

func (a *Verbs) showOrganization(r *door.Request) (organizationDoc, error) {
	return a.App.Organization(r.Context(), r.Principal, r.Param("organization_name"))
}

func (a *Verbs) updateOrganization(r *door.Request, p organizationPatch) (organizationDoc, error) {
	return a.App.UpdateOrganization(r.Context(), r.Principal, r.Param("organization_name"), p)
}

func (a *Verbs) deleteOrganization(r *door.Request) error {
	return a.App.DeleteOrganization(r.Context(), r.Principal, r.Param("organization_name"))
}

// entitlementDoc is what an organization may use.
type entitlementDoc struct {
	organizationDoc
	Operations bool // somebody may carry its runs out
}

// entitled says what an organization may use. Where nobody can carry out its runs there are
// no operations, and the command lines work locally whatever the execution mode.
func (a *Verbs) entitled(r *door.Request, o organizationDoc, err error) (entitlementDoc, error) {
	doc := entitlementDoc{organizationDoc: o}
	if err == nil && a.Runs != nil {
		doc.Operations, err = a.Runs.Possible(r.Context(), o.ID)
	}
	return doc, err
}

func (a *Verbs) showEntitlements(r *door.Request) (entitlementDoc, error) {
	o, err := a.showOrganization(r)
	return a.entitled(r, o, err)
}

// entitlementAttributes is what the server truly offers.
var entitlementAttributes = doc.Attributes[entitlementDoc, struct{}]{
	{Name: "operations", Show: doc.Value(func(e *entitlementDoc) bool { return e.Operations })},
	{Name: "state-storage", Show: doc.Fixed[entitlementDoc](true)},
	{Name: "teams", Show: doc.Fixed[entitlementDoc](true)},
	{Name: "agents", Show: doc.Fixed[entitlementDoc](true)},
	{Name: "audit-logging", Show: doc.Fixed[entitlementDoc](true)},
	{Name: "vcs-integrations", Show: doc.Fixed[entitlementDoc](true)},
	{Name: "usage-reporting", Show: doc.Fixed[entitlementDoc](false)},
	{Name: "cost-estimation", Show: doc.Fixed[entitlementDoc](false)},
	{Name: "configuration-designer", Show: doc.Fixed[entitlementDoc](false)},
	{Name: "global-run-tasks", Show: doc.Fixed[entitlementDoc](false)},
	{Name: "module-tests-generation", Show: doc.Fixed[entitlementDoc](false)},
	{Name: "policy-enforcement", Show: doc.Fixed[entitlementDoc](false)},
	{Name: "policy-limit", Show: doc.None[entitlementDoc, int]()},
	{Name: "private-module-registry", Show: doc.Fixed[entitlementDoc](false)},
	{Name: "private-policy-agents", Show: doc.Fixed[entitlementDoc](false)},
	{Name: "private-run-tasks", Show: doc.Fixed[entitlementDoc](false)},
	{Name: "private-vcs", Show: doc.Fixed[entitlementDoc](false)},
	{Name: "run-tasks", Show: doc.Fixed[entitlementDoc](false)},
	{Name: "self-serve-billing", Show: doc.Fixed[entitlementDoc](false)},
	{Name: "sentinel", Show: doc.Fixed[entitlementDoc](false)},
	{Name: "sso", Show: doc.Fixed[entitlementDoc](false)},
	{Name: "user-limit", Show: doc.None[entitlementDoc, int]()},
}

// EntitlementSets is what organizations may use.
var EntitlementSets = &doc.Noun[entitlementDoc, struct{}]{
	Type:       "entitlement-sets",
	ID:         func(e *entitlementDoc) string { return e.ID },
	Path:       func(e *entitlementDoc) string { return paths.OrganizationAt(e.Name) + "/entitlement-set" },
	Attributes: entitlementAttributes,
}
