package runs

import (
	"net/http"
	"time"

	"github.com/belayhq/belay"
	"github.com/belayhq/belay/internal/api/doc"
	"github.com/belayhq/belay/internal/api/door"
	"github.com/belayhq/belay/internal/api/paths"
	"github.com/belayhq/belay/internal/api/people"
	"github.com/belayhq/belay/internal/api/workspaces"
	"github.com/belayhq/belay/internal/app"
	"github.com/belayhq/belay/internal/identity"
	"github.com/belayhq/belay/internal/jsonapi"
	"github.com/belayhq/belay/internal/openapi"
	"github.com/belayhq/belay/internal/patch"
	"github.com/belayhq/belay/run"
)

type poolPatch = run.AgentPoolPatch

// PoolAttributes is every attribute of a pool of agents.
var PoolAttributes = doc.Attributes[run.AgentPool, poolPatch]{
	{Name: "name", Show: doc.Value(func(p *run.AgentPool) string { return p.Name }), Write: doc.Lenient(func(p *poolPatch) *patch.Field[string] { return &p.Name })},
	{Name: "created-at", Show: doc.Value(func(p *run.AgentPool) time.Time { return p.CreatedAt })},
	{Name: "organization-scoped", Show: doc.Value(func(p *run.AgentPool) bool { return p.OrganizationScoped }), Write: doc.Lenient(func(p *poolPatch) *patch.Field[bool] { return &p.OrganizationScoped })},
	{Name: "jobs-waiting", Show: doc.Value(func(p *run.AgentPool) int { return p.Load.Waiting })},
	{Name: "jobs-running", Show: doc.Value(func(p *run.AgentPool) int { return p.Load.Running })},
	{Name: "slots", Show: doc.Value(func(p *run.AgentPool) int { return p.Load.Slots })},
	{Name: "agent-count", Show: doc.Value(func(p *run.AgentPool) int { return p.Load.AgentCount() })},
}

// AgentPools is pools of agents.
var AgentPools = &doc.Noun[run.AgentPool, poolPatch]{
	Type:       "agent-pools",
	ID:         func(p *run.AgentPool) string { return p.ID },
	Path:       func(p *run.AgentPool) string { return "/api/v2/agent-pools/" + p.ID },
	Attributes: PoolAttributes,
	Relations: []doc.Relation[run.AgentPool, poolPatch]{
		paths.OfOrganization[run.AgentPool, poolPatch](func(p *run.AgentPool) string { return p.Organization.Name }),
		doc.Below[run.AgentPool, poolPatch]("agents", "/agents"),
		doc.Below[run.AgentPool, poolPatch]("authentication-tokens", "/authentication-tokens"),
		doc.ToMany[run.AgentPool, poolPatch]("workspaces", "workspaces", "", func(p *run.AgentPool) []string { return p.Workspaces }),
		doc.ToMany[run.AgentPool, poolPatch]("allowed-workspaces", "workspaces", "", func(p *run.AgentPool) []string { return p.AllowedWorkspaces }).
			Taking(openapi.List(doc.BodyRef("workspaces")), func(_ doc.Reading, in *jsonapi.Incoming, p *poolPatch) error {
				return doc.RelatedIDs(in, &p.AllowedWorkspaces, "allowed-workspaces", "workspaces")
			}),
		doc.ToMany[run.AgentPool, poolPatch]("allowed-projects", "projects", "", func(p *run.AgentPool) []string { return p.AllowedProjects }).
			Taking(openapi.List(doc.BodyRef("projects")), func(_ doc.Reading, in *jsonapi.Incoming, p *poolPatch) error {
				return doc.RelatedIDs(in, &p.AllowedProjects, "allowed-projects", "projects")
			}),
		doc.ToMany[run.AgentPool, poolPatch]("excluded-workspaces", "workspaces", "", func(p *run.AgentPool) []string { return p.ExcludedWorkspaces }).
			Taking(openapi.List(doc.BodyRef("workspaces")), func(_ doc.Reading, in *jsonapi.Incoming, p *poolPatch) error {
				return doc.RelatedIDs(in, &p.ExcludedWorkspaces, "excluded-workspaces", "workspaces")
			}),
		doc.ToMany[run.AgentPool, poolPatch]("hyok-configurations", "hyok-configurations", "", func(*run.AgentPool) []string { return nil }),
	},
}

var _ = routes.Join(func(a *Verbs) []door.Route {
	return []door.Route{
		{Method: http.MethodGet, Path: paths.Organization + "/agent-pools", Status: http.StatusOK, Do: door.Listing(AgentPools, a.listAgentPools, a.withPools()), Query: []string{"q", "sort"}, Filters: poolFilters, Needs: belay.ManageAgentPools, Does: "List the agent pools"},
		{Method: http.MethodPost, Path: paths.Organization + "/agent-pools", Status: http.StatusCreated, Do: door.Writing(AgentPools, a.createAgentPool, a.withPools()), Needs: belay.ManageAgentPools, Does: "Make an agent pool"},
		{Method: http.MethodGet, Path: paths.AgentPool, Status: http.StatusOK, Do: door.Showing(AgentPools, a.showAgentPool, a.withPools()), Needs: belay.ManageAgentPools, Does: "See an agent pool"},
		{Method: http.MethodPatch, Path: paths.AgentPool, Status: http.StatusOK, Do: door.Writing(AgentPools, a.updateAgentPool, a.withPools()), Needs: belay.ManageAgentPools, Does: "Change an agent pool"},
		{Method: http.MethodDelete, Path: paths.AgentPool, Status: http.StatusNoContent, Do: door.Doing(a.deleteAgentPool), Needs: belay.ManageAgentPools, Does: "Delete an agent pool"},
		{Method: http.MethodGet, Path: paths.AgentPool + "/authentication-tokens", Status: http.StatusOK, Do: door.Listing(people.Tokens, a.listAgentTokens), Needs: belay.ManageAgentPools, Does: "List the tokens of a pool"},
		{Method: http.MethodPost, Path: paths.AgentPool + "/authentication-tokens", Status: http.StatusCreated, Do: people.Issuing(a.createAgentToken), Needs: belay.ManageAgentPools, Does: "Make a token for agents"},
	}
})

func (a *Verbs) createAgentPool(r *door.Request, p poolPatch) (run.AgentPool, error) {
	return a.App.CreateAgentPool(r.Context(), r.Principal, r.Param("organization_name"), p)
}

func (a *Verbs) listAgentPools(r *door.Request) ([]run.AgentPool, int, error) {
	q := r.Query()
	return a.App.AgentPools(r.Context(), r.Principal, r.Param("organization_name"), run.AgentPoolQuery{
		Search: q.Get("q"), AllowedWorkspace: q.Get("filter[allowed_workspaces][name]"),
		AllowedProject: q.Get("filter[allowed_projects][name]"), Sort: q.Get("sort"), Page: r.Page(),
	})
}

func (a *Verbs) showAgentPool(r *door.Request) (run.AgentPool, error) {
	return a.App.AgentPool(r.Context(), r.Principal, r.Param("agent_pool_id"))
}

func (a *Verbs) updateAgentPool(r *door.Request, p poolPatch) (run.AgentPool, error) {
	return a.App.UpdateAgentPool(r.Context(), r.Principal, r.Param("agent_pool_id"), p)
}

func (a *Verbs) deleteAgentPool(r *door.Request) error {
	return a.App.DeleteAgentPool(r.Context(), r.Principal, r.Param("agent_pool_id"))
}

func (a *Verbs) createAgentToken(r *door.Request, want identity.NewToken) (people.TokenDoc, error) {
	return people.Made(a.App.CreateAgentToken(r.Context(), r.Principal, r.Param("agent_pool_id"), want))
}

func (a *Verbs) listAgentTokens(r *door.Request) ([]people.TokenDoc, int, error) {
	return people.KeptAll(a.App.AgentTokens(r.Context(), r.Principal, r.Param("agent_pool_id"), r.Page()))
}

func (a *Verbs) withPools() *door.Inclusion[run.AgentPool] {
	return workspaces.WithNouns(a.App, []string{"workspaces", "hyok_configurations"}, func(d *run.AgentPool, has func(string) bool, ids *app.NounIDs) {
		if has("workspaces") {
			ids.Workspaces = append(ids.Workspaces, d.Workspaces...)
		}
	})
}
