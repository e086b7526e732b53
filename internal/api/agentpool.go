package api

import (
	"time"

	"github.com/belayhq/belay"
	"github.com/belayhq/belay/internal/app"
	"github.com/belayhq/belay/internal/jsonapi"
	"github.com/belayhq/belay/internal/openapi"
	"github.com/belayhq/belay/internal/patch"
)

type poolPatch = belay.AgentPoolPatch

var poolAttributes = attributes[belay.AgentPool, poolPatch]{
	{name: "name", show: value(func(p *belay.AgentPool) string { return p.Name }), write: lenient(func(p *poolPatch) *patch.Field[string] { return &p.Name })},
	{name: "created-at", show: value(func(p *belay.AgentPool) time.Time { return p.CreatedAt })},
	{name: "organization-scoped", show: value(func(p *belay.AgentPool) bool { return p.OrganizationScoped }), write: lenient(func(p *poolPatch) *patch.Field[bool] { return &p.OrganizationScoped })},
	{name: "jobs-waiting", show: value(func(p *belay.AgentPool) int { return p.Load.Waiting })},
	{name: "jobs-running", show: value(func(p *belay.AgentPool) int { return p.Load.Running })},
	{name: "slots", show: value(func(p *belay.AgentPool) int { return p.Load.Slots })},
	{name: "agent-count", show: value(func(p *belay.AgentPool) int { return p.AgentCount })},
}

var agentPools = &noun[belay.AgentPool, poolPatch]{
	typ:        "agent-pools",
	id:         func(p *belay.AgentPool) string { return p.ID },
	path:       func(p *belay.AgentPool) string { return "/api/v2/agent-pools/" + p.ID },
	attributes: poolAttributes,
	relations: []relation[belay.AgentPool, poolPatch]{
		ofOrganization[belay.AgentPool, poolPatch](func(p *belay.AgentPool) string { return p.Organization.Name }),
		below[belay.AgentPool, poolPatch]("agents", "/agents"),
		below[belay.AgentPool, poolPatch]("authentication-tokens", "/authentication-tokens"),
		toMany[belay.AgentPool, poolPatch]("workspaces", "workspaces", "", func(p *belay.AgentPool) []string { return p.Workspaces }),
		toMany[belay.AgentPool, poolPatch]("allowed-workspaces", "workspaces", "", func(p *belay.AgentPool) []string { return p.AllowedWorkspaces }).
			taking(openapi.List(bodyRef("workspaces")), func(_ *request, in *jsonapi.Incoming, p *poolPatch) error {
				return relatedIDs(in, &p.AllowedWorkspaces, "allowed-workspaces", "workspaces")
			}),
		toMany[belay.AgentPool, poolPatch]("allowed-projects", "projects", "", func(p *belay.AgentPool) []string { return p.AllowedProjects }).
			taking(openapi.List(bodyRef("projects")), func(_ *request, in *jsonapi.Incoming, p *poolPatch) error {
				return relatedIDs(in, &p.AllowedProjects, "allowed-projects", "projects")
			}),
		toMany[belay.AgentPool, poolPatch]("excluded-workspaces", "workspaces", "", func(p *belay.AgentPool) []string { return p.ExcludedWorkspaces }).
			taking(openapi.List(bodyRef("workspaces")), func(_ *request, in *jsonapi.Incoming, p *poolPatch) error {
				return relatedIDs(in, &p.ExcludedWorkspaces, "excluded-workspaces", "workspaces")
			}),
		toMany[belay.AgentPool, poolPatch]("hyok-configurations", "hyok-configurations", "", func(*belay.AgentPool) []string { return nil }),
	},
}

func (a *API) createAgentPool(r *request, p poolPatch) (belay.AgentPool, error) {
	return a.App.CreateAgentPool(r.Context(), r.subject, r.param("organization_name"), p)
}

func (a *API) listAgentPools(r *request) ([]belay.AgentPool, int, error) {
	q := r.query()
	return a.App.AgentPools(r.Context(), r.subject, r.param("organization_name"), belay.AgentPoolQuery{
		Search: q.Get("q"), AllowedWorkspace: q.Get("filter[allowed_workspaces][name]"),
		AllowedProject: q.Get("filter[allowed_projects][name]"), Sort: q.Get("sort"), Page: r.page(),
	})
}

func (a *API) showAgentPool(r *request) (belay.AgentPool, error) {
	return a.App.AgentPool(r.Context(), r.subject, r.param("agent_pool_id"))
}

func (a *API) updateAgentPool(r *request, p poolPatch) (belay.AgentPool, error) {
	return a.App.UpdateAgentPool(r.Context(), r.subject, r.param("agent_pool_id"), p)
}

func (a *API) deleteAgentPool(r *request) error {
	return a.App.DeleteAgentPool(r.Context(), r.subject, r.param("agent_pool_id"))
}

func (a *API) createAgentToken(r *request, want app.NewToken) (tokenDoc, error) {
	return made(a.App.CreateAgentToken(r.Context(), r.subject, r.param("agent_pool_id"), want))
}

func (a *API) listAgentTokens(r *request) ([]tokenDoc, int, error) {
	return keptAll(a.App.AgentTokens(r.Context(), r.subject, r.param("agent_pool_id"), r.page()))
}

// whole is the document of a list that has no pages.
func whole(data []*jsonapi.Resource) *jsonapi.Document {
	if data == nil {
		data = []*jsonapi.Resource{}
	}
	return &jsonapi.Document{Data: data}
}
