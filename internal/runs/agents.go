package runs

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"time"

	"github.com/belayhq/belay"
	"github.com/belayhq/belay/internal/gate"
	"github.com/belayhq/belay/internal/store"
	"github.com/belayhq/belay/run"
)

// AgentView is an agent of a pool, and how it stands now.
type AgentView struct {
	run.Runner
	Standing run.RunnerStatus
	Jobs     int           // that it has in hand
	Runs     []run.HeldJob // those of them whose runs the caller reads; of lists alone
}

// AgentQuery is what a list of agents asks for.
type AgentQuery struct {
	Since    time.Time // heard since then; zero: whenever
	Statuses []string  // nil: any
	Sort     string    // created-at, last-ping-at or name; - before it turns it around
	Page     belay.Page
}

// agentSorts is how agents may be ordered.
var agentSorts = map[string]func(a, b *AgentView) int{
	"created-at":   func(a, b *AgentView) int { return a.CreatedAt.Compare(b.CreatedAt) },
	"last-ping-at": func(a, b *AgentView) int { return a.LastSeenAt.Compare(b.LastSeenAt) },
	"name":         func(a, b *AgentView) int { return strings.Compare(a.Name, b.Name) },
}

// Agents is one page of the agents of a pool that are remembered.
func (m *Room) Agents(ctx context.Context, s belay.Principal, poolID string, want AgentQuery) (list []AgentView, total int, err error) {
	field, descending := strings.CutPrefix(want.Sort, "-")
	order := agentSorts[cmp.Or(field, "created-at")]
	if order == nil {
		return nil, 0, belay.Refuse(belay.BadRequest, "sort: %q is none of created-at, last-ping-at and name", field)
	}
	err = m.DB.View(ctx, func(v *store.View) error {
		pool, err := gate.AgentPool(v, s, poolID)
		if err != nil {
			return err
		}
		found, err := v.Runners(poolID)
		if err != nil {
			return err
		}
		held, err := v.HeldJobs(poolID)
		if err != nil {
			return err
		}
		access, err := v.Access(s, pool.Organization)
		if err != nil {
			return err
		}
		for _, r := range found {
			a := AgentView{Runner: r, Standing: r.Status(m.Now())}
			a.holds(held, pool.OrganizationID, access)
			if !r.LastSeenAt.Before(want.Since) && (want.Statuses == nil || slices.Contains(want.Statuses, string(a.Standing))) {
				list = append(list, a)
			}
		}
		return err
	})
	slices.SortFunc(list, func(a, b AgentView) int {
		by := order(&a, &b)
		if descending {
			by = -by
		}
		return cmp.Or(by, strings.Compare(a.ID, b.ID))
	})
	total = len(list)
	return belay.PageOf(list, want.Page), total, err
}

// holds notes which of the jobs the agent has in hand, and of those that are of the organization the
// runs that somebody with that access reads.
func (a *AgentView) holds(jobs []run.HeldJob, organizationID string, access belay.Access) {
	for _, j := range jobs {
		if j.RunnerID != a.ID {
			continue
		}
		a.Jobs++
		if j.OrganizationID == organizationID && j.RunID != "" && access.OnWorkspace(j.WorkspaceID, j.ProjectID).Has(belay.ReadRuns) {
			a.Runs = append(a.Runs, j)
		}
	}
}

// Agent is one agent.
func (m *Room) Agent(ctx context.Context, s belay.Principal, id string) (a AgentView, err error) {
	err = m.DB.View(ctx, func(v *store.View) error {
		a, err = m.agent(v, s, id)
		return err
	})
	return a, err
}

func (m *Room) agent(v store.Reader, s belay.Principal, id string) (AgentView, error) {
	r, err := v.Peek().Runner(id)
	if err == nil && r.PoolID == "" {
		err = belay.ErrNotFound // the server's own are no agents
	}
	if err == nil {
		_, err = gate.AgentPool(v, s, r.PoolID)
	}
	if err == nil {
		r, err = v.Runner(id)
	}
	return AgentView{Runner: r, Standing: r.Status(m.Now())}, err
}

// ForgetAgent deletes an agent that is not there any more. One that is heard stays.
func (m *Room) ForgetAgent(ctx context.Context, s belay.Principal, id string) error {
	return m.DB.Update(ctx, func(tx *store.Tx) error {
		a, err := m.agent(&tx.Locked, s, id)
		if err != nil {
			return err
		}
		if a.Busy || a.Standing == run.RunnerIdle || a.Standing == run.RunnerBusy {
			return belay.Refuse(belay.Precondition, "the agent is %s: only one that is not heard any more can be deleted", a.Standing)
		}
		return tx.DropRunner(id)
	})
}
