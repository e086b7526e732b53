package api

import (
	"github.com/belayhq/belay"
	"github.com/belayhq/belay/internal/jsonapi"
	"github.com/belayhq/belay/internal/patch"
)

type poolPatch = belay.AgentPoolPatch

var poolAttributes = attributes[belay.AgentPool, poolPatch]{
	{name: "name", read: func(p *belay.AgentPool) any { return p.Name }, write: lenient(func(p *poolPatch) *patch.Field[string] { return &p.Name })},
	{name: "created-at", read: func(p *belay.AgentPool) any { return p.CreatedAt }},
	{name: "organization-scoped", read: func(p *belay.AgentPool) any { return p.OrganizationScoped }, write: lenient(func(p *poolPatch) *patch.Field[bool] { return &p.OrganizationScoped })},
	{name: "agent-count", read: func(*belay.AgentPool) any { return 0 }},
}

func (a *API) agentPool(p belay.AgentPool) *jsonapi.Resource {
	self := "/api/v2/agent-pools/" + p.ID
	return &jsonapi.Resource{
		Type: "agent-pools", ID: p.ID,
		Attributes: poolAttributes.object(&p, a.App.Edition()),
		Relationships: []jsonapi.Relation{
			organizationLink(p.Organization.Name),
			{Name: "agents", Related: self + "/agents"},
			{Name: "authentication-tokens", Related: self + "/authentication-tokens"},
			{Name: "workspaces", Data: jsonapi.Many("workspaces", p.Workspaces)},
			{Name: "allowed-workspaces", Data: jsonapi.Many("workspaces", p.AllowedWorkspaces)},
			{Name: "allowed-projects", Data: jsonapi.Many("projects", p.AllowedProjects)},
			{Name: "excluded-workspaces", Data: jsonapi.Many("workspaces", p.ExcludedWorkspaces)},
			{Name: "hyok-configurations", Data: []jsonapi.Ref{}},
		},
		Links: jsonapi.Object{{Name: "self", Value: self}},
	}
}

func (r *request) poolPatch() (p poolPatch, err error) {
	in, err := r.resource("agent-pools")
	if err != nil {
		return p, err
	}
	var problems belay.Problems
	if err := problems.Add(poolAttributes.decode(in, &p, r.api.App.Edition())); err != nil {
		return p, err
	}
	for name, list := range map[string]struct {
		typ string
		ids *patch.Field[[]string]
	}{
		"allowed-workspaces":  {"workspaces", &p.AllowedWorkspaces},
		"allowed-projects":    {"projects", &p.AllowedProjects},
		"excluded-workspaces": {"workspaces", &p.ExcludedWorkspaces},
	} {
		if err := problems.Add(relatedIDs(in, name, list.typ, list.ids)); err != nil {
			return p, err
		}
	}
	return p, problems.Err()
}

func (a *API) createAgentPool(r *request) (*jsonapi.Document, error) {
	p, err := r.poolPatch()
	if err != nil {
		return nil, err
	}
	pool, err := a.App.CreateAgentPool(r.Context(), r.subject, r.param("organization_name"), p)
	return a.poolAnswer(r, pool, err)
}

func (a *API) listAgentPools(r *request) (*jsonapi.Document, error) {
	q := r.URL.Query()
	list, total, err := a.App.AgentPools(r.Context(), r.subject, r.param("organization_name"), belay.AgentPoolQuery{
		Search: q.Get("q"), AllowedWorkspace: q.Get("filter[allowed_workspaces][name]"),
		AllowedProject: q.Get("filter[allowed_projects][name]"), Sort: q.Get("sort"), Page: r.page(),
	})
	if err != nil {
		return nil, err
	}
	return r.withPools(r.list(each(list, a.agentPool), total), list...)
}

func (a *API) showAgentPool(r *request) (*jsonapi.Document, error) {
	pool, err := a.App.AgentPool(r.Context(), r.subject, r.param("agent_pool_id"))
	return a.poolAnswer(r, pool, err)
}

func (a *API) updateAgentPool(r *request) (*jsonapi.Document, error) {
	p, err := r.poolPatch()
	if err != nil {
		return nil, err
	}
	pool, err := a.App.UpdateAgentPool(r.Context(), r.subject, r.param("agent_pool_id"), p)
	return a.poolAnswer(r, pool, err)
}

func (a *API) deleteAgentPool(r *request) (*jsonapi.Document, error) {
	return nil, a.App.DeleteAgentPool(r.Context(), r.subject, r.param("agent_pool_id"))
}

// listAgents answers the agents of a pool. None can register: the protocol of agents is
// not served, so the list of those who may ask is empty.
func (a *API) listAgents(r *request) (*jsonapi.Document, error) {
	if _, err := a.App.AgentPool(r.Context(), r.subject, r.param("agent_pool_id")); err != nil {
		return nil, err
	}
	return r.list(nil, 0), nil
}

func (a *API) createAgentToken(r *request) (*jsonapi.Document, error) {
	want, err := r.newToken()
	if err != nil {
		return nil, err
	}
	t, value, err := a.App.CreateAgentToken(r.Context(), r.subject, r.param("agent_pool_id"), want)
	if err != nil {
		return nil, err
	}
	return one(a.token(tokenDoc{t, value})), nil
}

func (a *API) listAgentTokens(r *request) (*jsonapi.Document, error) {
	list, total, err := a.App.AgentTokens(r.Context(), r.subject, r.param("agent_pool_id"), r.page())
	if err != nil {
		return nil, err
	}
	return r.list(each(list, func(t belay.Token) *jsonapi.Resource { return a.token(tokenDoc{Token: t}) }), total), nil
}

// whole is the document of a list that has no pages.
func whole(data []*jsonapi.Resource) *jsonapi.Document {
	if data == nil {
		data = []*jsonapi.Resource{}
	}
	return &jsonapi.Document{Data: data}
}

func (a *API) poolAnswer(r *request, p belay.AgentPool, err error) (*jsonapi.Document, error) {
	if err != nil {
		return nil, err
	}
	return r.withPools(one(a.agentPool(p)), p)
}
