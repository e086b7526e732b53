package api

import (
	"time"

	"github.com/belayhq/belay/internal/runs"
)

type agentDoc = runs.AgentView

var agents = &noun[agentDoc, struct{}]{
	typ:  "agents",
	id:   func(a *agentDoc) string { return a.ID },
	path: func(a *agentDoc) string { return v2 + "/agents/" + a.ID },
	attributes: attributes[agentDoc, struct{}]{
		{name: "name", show: maybe(func(a *agentDoc) string { return a.Name })},
		{name: "status", show: value(func(a *agentDoc) string { return string(a.Standing) })},
		{name: "ip-address", show: value(func(a *agentDoc) string { return a.IP })},
		{name: "slots", show: value(func(a *agentDoc) int { return a.Slots })},
		{name: "created-at", show: value(func(a *agentDoc) time.Time { return a.CreatedAt })},
		{name: "last-ping-at", show: value(func(a *agentDoc) time.Time { return a.LastSeenAt })},
	},
	relations: []relation[agentDoc, struct{}]{
		to[agentDoc, struct{}]("agent-pool", "agent-pools", func(a *agentDoc) string { return a.PoolID }),
	},
}

func (a *API) listAgents(r *request) ([]agentDoc, int, error) {
	q := r.query()
	since, err := momentFilter(q, "filter[last-ping-since]")
	if err != nil {
		return nil, 0, err
	}
	want := runs.AgentQuery{Statuses: wordsOf(q, "filter[status]"), Since: since, Sort: q.Get("sort"), Page: r.page()}
	return a.Runs.Agents(r.Context(), r.subject, r.param("agent_pool_id"), want)
}

func (a *API) showAgent(r *request) (agentDoc, error) {
	return a.Runs.Agent(r.Context(), r.subject, r.param("agent_id"))
}

func (a *API) deleteAgent(r *request) error {
	return a.Runs.ForgetAgent(r.Context(), r.subject, r.param("agent_id"))
}
