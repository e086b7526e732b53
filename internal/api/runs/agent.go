package runs

import (
	"net/http"
	"time"

	"github.com/belayhq/belay"
	"github.com/belayhq/belay/internal/api/doc"
	"github.com/belayhq/belay/internal/api/door"
	"github.com/belayhq/belay/internal/api/paths"
	"github.com/belayhq/belay/internal/runs"
)

type agentDoc = runs.AgentView

var agents = &doc.Noun[agentDoc, struct{}]{
	Type: "agents",
	ID:   func(a *agentDoc) string { return a.ID },
	Path: func(a *agentDoc) string { return paths.V2 + "/agents/" + a.ID },
	Attributes: doc.Attributes[agentDoc, struct{}]{
		{Name: "name", Show: doc.Maybe(func(a *agentDoc) string { return a.Name })},
		{Name: "status", Show: doc.Value(func(a *agentDoc) string { return string(a.Standing) })},
		{Name: "ip-address", Show: doc.Value(func(a *agentDoc) string { return a.IP })},
		{Name: "slots", Show: doc.Value(func(a *agentDoc) int { return a.Slots })},
		{Name: "labels", Show: doc.Texts(func(a *agentDoc) []string { return a.Labels })},
		{Name: "created-at", Show: doc.Value(func(a *agentDoc) time.Time { return a.CreatedAt })},
		{Name: "last-ping-at", Show: doc.Value(func(a *agentDoc) time.Time { return a.LastSeenAt })},
	},
	Relations: []doc.Relation[agentDoc, struct{}]{
		doc.To[agentDoc, struct{}]("agent-pool", "agent-pools", func(a *agentDoc) string { return a.PoolID }),
	},
}

var _ = routes.Join(func(a *Verbs) []door.Route {
	return []door.Route{
		{Method: http.MethodGet, Path: paths.AgentPool + "/agents", Status: http.StatusOK, Do: door.Listing(agents, a.listAgents), Query: []string{"sort"}, Filters: agentFilters, Needs: belay.ManageAgentPools, Does: "List the agents of a pool"},
		{Method: http.MethodGet, Path: paths.V2 + "/agents/{agent_id}", Status: http.StatusOK, Do: door.Showing(agents, a.showAgent), Needs: belay.ManageAgentPools, Does: "See an agent"},
		{Method: http.MethodDelete, Path: paths.V2 + "/agents/{agent_id}", Status: http.StatusNoContent, Do: door.Doing(a.deleteAgent), Refuses: []belay.Kind{belay.Precondition}, Needs: belay.ManageAgentPools, Does: "Forget an agent that is gone"},
	}
})

func (a *Verbs) listAgents(r *door.Request) ([]agentDoc, int, error) {
	q := r.Query()
	since, err := door.MomentFilter(q, "filter[last-ping-since]")
	if err != nil {
		return nil, 0, err
	}
	want := runs.AgentQuery{Statuses: door.WordsOf(q, "filter[status]"), Since: since, Sort: q.Get("sort"), Page: r.Page()}
	return a.Runs.Agents(r.Context(), r.Principal, r.Param("agent_pool_id"), want)
}

func (a *Verbs) showAgent(r *door.Request) (agentDoc, error) {
	return a.Runs.Agent(r.Context(), r.Principal, r.Param("agent_id"))
}

func (a *Verbs) deleteAgent(r *door.Request) error {
	return a.Runs.ForgetAgent(r.Context(), r.Principal, r.Param("agent_id"))
}
