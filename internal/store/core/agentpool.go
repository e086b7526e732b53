package core

import (
	"time"

	"github.com/belayhq/belay"
	"github.com/belayhq/belay/internal/sqldb"
	"github.com/belayhq/belay/internal/store/base"
	"github.com/belayhq/belay/run"
)

var agentPools = sqldb.NewTable(sqldb.Table[run.AgentPool]{
	Name: "agent_pools",
	Hold: "a",
	From: "agent_pools a JOIN organizations o ON o.id = a.organization_id",
	Own: []sqldb.Column[run.AgentPool]{
		{Name: "id", At: func(p *run.AgentPool) any { return &p.ID }},
		{Name: "organization_id", At: func(p *run.AgentPool) any { return &p.OrganizationID }},
		{Name: "name", At: func(p *run.AgentPool) any { return &p.Name }},
		{Name: "organization_scoped", At: func(p *run.AgentPool) any { return &p.OrganizationScoped }},
		{Name: "created_at", At: func(p *run.AgentPool) any { return sqldb.Millis(&p.CreatedAt) }},
	},
	Joined: base.Belongs(func(p *run.AgentPool) *belay.Organization { return &p.Organization }),
})

var (
	poolWorkspaces = base.NewLink("agent_pool_workspaces", "pool_id", "workspace_id", "workspaces")
	poolProjects   = base.NewLink("agent_pool_projects", "pool_id", "project_id", "projects")
	poolExcluded   = base.NewLink("agent_pool_excluded", "pool_id", "workspace_id", "workspaces")
)

// BareAgentPool is one agent pool without the lists of what it serves.
func (v *View) BareAgentPool(id string) (run.AgentPool, error) {
	return agentPools.One(v, "a.id = ?", id)
}

// AgentPoolFor is one agent pool. Its lists have only what they say of a workspace and of a
// project.
func (v *View) AgentPoolFor(id, workspaceID, projectID string) (run.AgentPool, error) {
	p, err := v.BareAgentPool(id)
	if err == nil {
		p.AllowedWorkspaces, err = poolWorkspaces.Among(v, id, workspaceID)
	}
	if err == nil {
		p.AllowedProjects, err = poolProjects.Among(v, id, projectID)
	}
	if err == nil {
		p.ExcludedWorkspaces, err = poolExcluded.Among(v, id, workspaceID)
	}
	return p, err
}

// AgentPool is one agent pool with the lists of what it serves.
func (v *View) AgentPool(id string) (run.AgentPool, error) {
	p, err := v.BareAgentPool(id)
	if err != nil {
		return p, err
	}
	list := []run.AgentPool{p}
	err = v.fillPools(list)
	return list[0], err
}

// AgentPoolsByID is many agent pools with the lists of what they serve, in no order.
func (v *View) AgentPoolsByID(ids []string) ([]run.AgentPool, error) {
	list, err := agentPools.Many(v, v.SQL(agentPools.Selected).In("WHERE a.id", ids))
	if err != nil {
		return nil, err
	}
	return list, v.fillPools(list)
}

// fillPools reads the lists of the pools in one statement, and who works for them in another.
func (v *View) fillPools(list []run.AgentPool) error {
	if len(list) == 0 {
		return nil
	}
	ids := base.IDsOf(list, func(p *run.AgentPool) string { return p.ID })
	q := v.SQL("SELECT list, pool, id FROM (SELECT 'uses' AS list, w.own_pool_id AS pool, w.id AS id, w.name AS name FROM workspaces w WHERE w.own_pool_id <> '' AND w.own_pool_id")
	q.In("", ids).Add(" AND " + base.OffShelf)
	for _, l := range []struct {
		name string
		link base.Link
	}{{"allowed", poolWorkspaces}, {"projects", poolProjects}, {"excluded", poolExcluded}} {
		l.link.Listed(q.Add(" UNION ALL "), l.name, ids)
	}
	of, err := base.Lists(v, q.Add(") x ORDER BY name, id"))
	if err != nil {
		return err
	}
	loads, err := v.PoolLoads(v.Moment(), ids)
	for i := range list {
		p := &list[i]
		p.Load = loads[p.ID]
		p.AllowedWorkspaces, p.AllowedProjects = of.List("allowed", p.ID), of.List("projects", p.ID)
		p.ExcludedWorkspaces, p.Workspaces = of.List("excluded", p.ID), of.List("uses", p.ID)
	}
	return err
}

// AgentPools is one page of an organization's agent pools.
func (v *View) AgentPools(o belay.Organization, want run.AgentPoolQuery) ([]run.AgentPool, int, error) {
	list, total, err := v.BareAgentPools(o, want)
	if err != nil {
		return nil, 0, err
	}
	return list, total, v.fillPools(list)
}

// BareAgentPools is AgentPools without their lists, and without who works for them.
func (v *View) BareAgentPools(o belay.Organization, want run.AgentPoolQuery) ([]run.AgentPool, int, error) {
	q := v.poolsWhere(agentPools.Selected+"WHERE ", o, want)
	list, err := agentPools.Many(v, q.Add(poolOrder(want.Sort)).Page(want.Page))
	return sqldb.Counted(v, list, err, want.Page, func() *sqldb.Query { return v.poolsWhere("SELECT count(*) FROM agent_pools a WHERE ", o, want) })
}

func (v *View) poolsWhere(begin sqldb.Text, o belay.Organization, want run.AgentPoolQuery) *sqldb.Query {
	q := v.SQL(begin+"a.organization_id = ?", o.ID)
	if want.Search != "" {
		q.Add(" AND ").Like("a.name", sqldb.Contains(want.Search))
	}
	if want.AllowedWorkspace != "" {
		q.Add(` AND EXISTS (SELECT 1 FROM workspaces w WHERE w.organization_id = a.organization_id AND w.name = ? AND (
			EXISTS (SELECT 1 FROM agent_pool_workspaces l WHERE l.pool_id = a.id AND l.workspace_id = w.id)
			OR (a.organization_scoped OR EXISTS (SELECT 1 FROM agent_pool_projects l WHERE l.pool_id = a.id AND l.project_id = w.project_id))
			AND NOT EXISTS (SELECT 1 FROM agent_pool_excluded l WHERE l.pool_id = a.id AND l.workspace_id = w.id)))`, want.AllowedWorkspace)
	}
	if want.AllowedProject != "" {
		q.Add(` AND EXISTS (SELECT 1 FROM projects p WHERE p.organization_id = a.organization_id AND p.name = ? AND (
			a.organization_scoped OR EXISTS (SELECT 1 FROM agent_pool_projects l WHERE l.pool_id = a.id AND l.project_id = p.id)))`, want.AllowedProject)
	}
	return q
}

func poolOrder(sort string) sqldb.Text {
	switch sort {
	case "-name":
		return " ORDER BY a.name DESC"
	case "created-at":
		return " ORDER BY a.created_at, a.id"
	case "-created-at":
		return " ORDER BY a.created_at DESC, a.id DESC"
	default:
		return " ORDER BY a.name"
	}
}

// PoolUses is whether a workspace has chosen the pool, and how many organizations and
// projects have it as their default.
func (v *View) PoolUses(id string) (chosen bool, defaults int, err error) {
	if _, chosen, err = sqldb.Value[string](v, v.SQL("SELECT w.id FROM workspaces w WHERE w.own_pool_id <> '' AND w.own_pool_id = ? AND "+base.OffShelf+" LIMIT 1", id)); err != nil {
		return false, 0, err
	}
	defaults, _, err = sqldb.Value[int](v, v.SQL(`SELECT (SELECT count(*) FROM projects WHERE default_agent_pool_id <> '' AND default_agent_pool_id = ?)
		+ (SELECT count(*) FROM organizations WHERE default_agent_pool_id = ?)`, id, id))
	return chosen, defaults, err
}

// PoolUsedBeyond says whether a pool carries out runs outside a scope: of a workspace that has
// chosen it, or of those of a project or organization whose default it is.
func (v *View) PoolUsedBeyond(p *run.AgentPool, within belay.Scope) (bool, error) {
	if within.Everything {
		return false, nil
	}
	q := base.AddWithin(v.SQL("SELECT 1 FROM workspaces w WHERE w.own_pool_id <> '' AND w.own_pool_id = ? AND NOT ", p.ID), within)
	q.Add(" UNION ALL SELECT 1 FROM projects p WHERE p.default_agent_pool_id <> '' AND p.default_agent_pool_id = ? AND NOT (", p.ID)
	q.In("p.id", within.Projects)
	q.Add(") UNION ALL SELECT 1 FROM organizations o WHERE o.id = ? AND o.default_agent_pool_id = ? LIMIT 1", p.OrganizationID, p.ID)
	_, used, err := sqldb.Value[int](v, q)
	return used, err
}

// AddAgentPool writes a new agent pool.
func (tx *Tx) AddAgentPool(p *run.AgentPool) error {
	if err := agentPools.Insert(tx, p, base.NameTaken); err != nil {
		return err
	}
	if err := poolWorkspaces.Add(tx, p.ID, p.OrganizationID, p.AllowedWorkspaces); err != nil {
		return err
	}
	if err := poolProjects.Add(tx, p.ID, p.OrganizationID, p.AllowedProjects); err != nil {
		return err
	}
	return poolExcluded.Add(tx, p.ID, p.OrganizationID, p.ExcludedWorkspaces)
}

// SaveAgentPool writes an agent pool, and those lists of what it serves that a change gives.
func (tx *Tx) SaveAgentPool(p *run.AgentPool, change run.AgentPoolPatch) error {
	if err := agentPools.Update(tx, p, base.NameTaken); err != nil {
		return err
	}
	for _, list := range []struct {
		given bool
		link  base.Link
		ids   []string
	}{
		{change.AllowedWorkspaces.Set, poolWorkspaces, p.AllowedWorkspaces},
		{change.AllowedProjects.Set, poolProjects, p.AllowedProjects},
		{change.ExcludedWorkspaces.Set, poolExcluded, p.ExcludedWorkspaces},
	} {
		if !list.given {
			continue
		}
		if err := list.link.Replace(tx, p.ID, p.OrganizationID, list.ids); err != nil {
			return err
		}
	}
	return nil
}

// DropAgentPool deletes an agent pool and its tokens; connections that went through it
// go without.
func (tx *Tx) DropAgentPool(p *run.AgentPool) error {
	if _, err := tx.DropTokens("owner_id = ?", p.ID); err != nil {
		return err
	}
	if err := tx.Do("UPDATE oauth_clients SET agent_pool_id = '' WHERE organization_id = ? AND agent_pool_id = ?", p.OrganizationID, p.ID); err != nil {
		return err
	}
	return tx.Do("DELETE FROM agent_pools WHERE id = ?", p.ID)
}

// PoolLoads is how busy pools are: those of some ids, or all that have jobs or runners. ” is
// the server's own. Runners that were started for one job have no slots of their own: those of
// whoever starts them are counted.
func (v *View) PoolLoads(now time.Time, ids []string) (map[string]run.PoolLoad, error) {
	type row struct {
		pool string
		run.PoolLoad
	}
	some := func(q *sqldb.Query) {
		if ids != nil {
			q.In(" AND pool_id", ids)
		}
	}
	q := v.SQL(`SELECT pool_id, sum(waiting), sum(running), sum(CASE WHEN heard AND own THEN 1 ELSE 0 END), sum(CASE WHEN heard AND own THEN slots ELSE 0 END),
		sum(CASE WHEN heard AND NOT busy THEN 1 ELSE 0 END), sum(CASE WHEN heard AND busy THEN 1 ELSE 0 END), sum(CASE WHEN lost THEN 1 ELSE 0 END) FROM (`)
	some(q.Add("SELECT pool_id, 1 AS waiting, 0 AS running, 0 AS slots, FALSE AS heard, FALSE AS lost, FALSE AS own, FALSE AS busy FROM jobs WHERE state = 'waiting'"))
	some(q.Add(" UNION ALL SELECT pool_id, 0, 1, 0, FALSE, FALSE, FALSE, FALSE FROM jobs WHERE state = 'leased'"))
	heard, known := sqldb.UnixMillis(now.Add(-run.RunnerSilence)), sqldb.UnixMillis(now.Add(-run.RunnerGivenUp))
	some(q.Add(` UNION ALL SELECT pool_id, 0, 0, slots, last_seen_at > ?, last_seen_at <= ?, for_job = '',
		EXISTS (SELECT 1 FROM jobs j WHERE j.runner_id = runners.id AND j.state = 'leased') FROM runners WHERE exited_at = 0 AND NOT errored AND last_seen_at > ?`, heard, heard, known))
	list, err := sqldb.Collect(v, q.Add(") x GROUP BY pool_id"), func(r *row) []any {
		return []any{&r.pool, &r.Waiting, &r.Running, &r.Runners, &r.Slots, &r.Idle, &r.Busy, &r.Unknown}
	})
	loads := make(map[string]run.PoolLoad, len(list))
	for i := range list {
		loads[list[i].pool] = list[i].PoolLoad
	}
	return loads, err
}
