package app

import (
	"cmp"
	"context"

	"github.com/belayhq/belay"
	"github.com/belayhq/belay/internal/gate"
	"github.com/belayhq/belay/internal/identity"
	"github.com/belayhq/belay/internal/record"
	"github.com/belayhq/belay/internal/store"
	"github.com/belayhq/belay/run"
)

// CreateAgentPool makes an agent pool in an organization.
func (a *App) CreateAgentPool(ctx context.Context, s belay.Principal, organization string, p run.AgentPoolPatch) (pool run.AgentPool, err error) {
	err = a.db.Update(ctx, func(tx *store.Tx) error {
		o, _, err := gate.Organization(tx.Peek(), s, organization, belay.ManageAgentPools)
		if err != nil {
			return err
		}
		pool = run.NewAgentPool(o, tx.Now)
		if err := applyPool(tx, &pool, p); err != nil {
			return err
		}
		if err := tx.AddAgentPool(&pool); err != nil {
			return err
		}
		return record.EmitOrganization(tx, s, "agent_pool.created", o.ID, "agent-pools", pool.ID, pool.Name)
	})
	return pool, err
}

// applyPool changes the pool, if all that its lists name is there.
func applyPool(tx *store.Tx, pool *run.AgentPool, p run.AgentPoolPatch) error {
	var problems belay.Problems
	if err := problems.Add(pool.Apply(p)); err != nil {
		return err
	}
	for _, list := range []struct {
		name string
		ids  []string
		find func(string, []string) ([]string, error)
	}{
		{"allowed-workspaces", p.AllowedWorkspaces.Value, tx.WorkspacesIn},
		{"allowed-projects", p.AllowedProjects.Value, tx.ProjectsIn},
		{"excluded-workspaces", p.ExcludedWorkspaces.Value, tx.WorkspacesIn},
	} {
		if err := gate.AllThere(&problems, belay.RelatedList(list.name), pool.OrganizationID, list.ids, list.find); err != nil {
			return err
		}
	}
	return problems.Err()
}

// AgentPools is the agent pools of an organization, to those who manage them.
func (a *App) AgentPools(ctx context.Context, s belay.Principal, organization string, want run.AgentPoolQuery) (list []run.AgentPool, total int, err error) {
	return a.pools(ctx, s, organization, want, (*store.View).AgentPools)
}

// AgentPoolNames is AgentPools for those who want no more than what they are called.
func (a *App) AgentPoolNames(ctx context.Context, s belay.Principal, organization string, want run.AgentPoolQuery) (list []run.AgentPool, total int, err error) {
	return a.pools(ctx, s, organization, want, (*store.View).BareAgentPools)
}

func (a *App) pools(ctx context.Context, s belay.Principal, organization string, want run.AgentPoolQuery, read func(*store.View, belay.Organization, run.AgentPoolQuery) ([]run.AgentPool, int, error)) (list []run.AgentPool, total int, err error) {
	err = a.db.View(ctx, func(v *store.View) error {
		o, _, err := gate.Organization(v, s, organization, belay.ManageAgentPools)
		if err != nil {
			return err
		}
		list, total, err = read(v, o, want)
		return err
	})
	return list, total, err
}

// AgentPool is one agent pool, to those who manage them.
func (a *App) AgentPool(ctx context.Context, s belay.Principal, id string) (p run.AgentPool, err error) {
	err = a.db.View(ctx, func(v *store.View) error {
		if p, err = gate.AgentPool(v, s, id); err != nil {
			return err
		}
		p, err = v.AgentPool(p.ID)
		return err
	})
	return p, err
}

// UpdateAgentPool changes an agent pool. Workspaces that have chosen it keep it, even
// where they could not choose it any more.
func (a *App) UpdateAgentPool(ctx context.Context, s belay.Principal, id string, p run.AgentPoolPatch) (pool run.AgentPool, err error) {
	err = a.db.Update(ctx, func(tx *store.Tx) error {
		pool, err := gate.AgentPool(&tx.Locked, s, id)
		if err != nil {
			return err
		}
		if err := applyPool(tx, &pool, p); err != nil {
			return err
		}
		if err := tx.SaveAgentPool(&pool, p); err != nil {
			return err
		}
		return record.EmitOrganization(tx, s, "agent_pool.updated", pool.OrganizationID, "agent-pools", pool.ID, pool.Name)
	})
	if err != nil {
		return pool, err
	}
	return a.AgentPool(ctx, s, id) // its lists may be long: they are read when nobody waits
}

// DeleteAgentPool deletes an agent pool that nothing uses.
func (a *App) DeleteAgentPool(ctx context.Context, s belay.Principal, id string) error {
	return a.db.Update(ctx, func(tx *store.Tx) error {
		pool, err := gate.AgentPool(tx.Peek(), s, id)
		if err != nil {
			return err
		}
		if err := tx.HoldClientsOf(pool.OrganizationID, pool.ID); err != nil {
			return err
		}
		if pool, err = gate.AgentPool(tx.Seizing(), s, id); err != nil {
			return err
		}
		chosen, defaults, err := tx.PoolUses(pool.ID)
		if err != nil {
			return err
		}
		if err := pool.CheckDelete(chosen, defaults); err != nil {
			return err
		}
		if err := tx.DropAgentPool(&pool); err != nil {
			return err
		}
		return record.EmitOrganization(tx, s, "agent_pool.deleted", pool.OrganizationID, "agent-pools", pool.ID, pool.Name)
	})
}

// CreateAgentToken makes a token for the agents of a pool. The value is given this once. An
// agent has the values and the state of the workspaces that use its pool: so it takes the
// rights to queue and apply runs in all that do now. Those who choose it later trust it.
func (a *App) CreateAgentToken(ctx context.Context, s belay.Principal, poolID string, want identity.NewToken) (t belay.Token, value string, err error) {
	err = a.db.Update(ctx, func(tx *store.Tx) error {
		pool, err := gate.AgentPool(tx.Peek(), s, poolID)
		if err != nil {
			return err
		}
		access, err := tx.Access(s, pool.Organization)
		if err != nil {
			return err
		}
		if used, err := tx.PoolUsedBeyond(&pool, access.Scope(belay.Steering)); err != nil || used {
			return cmp.Or(err, errPoolUsed)
		}
		if err := mayFetchFor(tx, s, &pool, access); err != nil {
			return err
		}
		actor, _ := s.Actor()
		if t, value, err = identity.AddToken(tx, s, belay.Token{
			OwnerKind: belay.AgentPrincipal, OwnerID: pool.ID, OrganizationID: pool.OrganizationID, CreatedBy: actor,
		}, want); err != nil {
			return err
		}
		return record.EmitOrganization(tx, s, "agent_token.created", pool.OrganizationID, "authentication-tokens", t.ID, pool.Name)
	})
	return t, value, err
}

var errPoolUsed error = belay.Refuse(belay.Invalid, "Only those who may queue and apply runs in all workspaces that use the pool can make tokens for its agents")

// mayFetchFor holds that whoever makes a token for agents that fetch for connections may have the tokens of
// those, and may run anything in the workspaces that have their code by them.
func mayFetchFor(tx *store.Tx, s belay.Principal, pool *run.AgentPool, access belay.Access) error {
	beyond, fetches, err := tx.PoolFetchesBeyond(pool, access.Scope(belay.Steering))
	switch {
	case err != nil || !fetches:
		return err
	case beyond:
		return errPoolUsed
	}
	err = gate.In(tx.Peek(), s, pool.Organization, belay.ManageVCS)
	if belay.KindOf(err) == belay.NotFound {
		err = errPoolFetches
	}
	return err
}

var errPoolFetches error = belay.Refuse(belay.Invalid, "Only those who manage the connections that are reached through the pool can make tokens for its agents")

// AgentTokens is one page of the tokens of a pool, without their values.
func (a *App) AgentTokens(ctx context.Context, s belay.Principal, poolID string, page belay.Page) (list []belay.Token, total int, err error) {
	err = a.db.View(ctx, func(v *store.View) error {
		pool, err := gate.AgentPool(v, s, poolID)
		if err != nil {
			return err
		}
		list, total, err = v.TokensOf(pool.ID, "", page)
		return err
	})
	return list, total, err
}

// checkDefaultPool adds a problem when a default pool that was given can't be had.
func checkDefaultPool(v *store.Locked, problems *belay.Problems, organizationID, projectID, id string, serves func(*run.AgentPool) bool) error {
	if id == "" {
		return nil
	}
	pool, err := gate.UsablePool(v, organizationID, id, "", projectID)
	if err == nil && (pool == nil || !serves(pool)) {
		problems.Attribute("default-agent-pool-id", "The provided agent pool does not exist")
	}
	return err
}
