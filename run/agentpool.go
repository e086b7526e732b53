package run

import (
	"slices"
	"time"

	"github.com/belayhq/belay"
	"github.com/belayhq/belay/internal/patch"
)

// AgentPool is a group of agents that run the engine for workspaces with the execution
// mode agent. It serves its whole organization, or the workspaces and projects it names.
type AgentPool struct {
	ID                 string
	OrganizationID     string
	Name               string
	OrganizationScoped bool
	CreatedAt          time.Time

	AllowedWorkspaces  []string
	AllowedProjects    []string
	ExcludedWorkspaces []string
	Workspaces         []string // that have chosen it; read with the row
	Load               PoolLoad // read with the row

	Organization belay.Organization // read with the row: its name
}

// PoolLoad is how busy the runners of a pool are.
type PoolLoad struct {
	Waiting int // jobs that nobody has
	Running int // jobs that a runner has
	Runners int // that are heard
	Slots   int // jobs that these may have at once

	Idle, Busy, Unknown int // those that are heard, or were until lately, by how they stand
}

// AgentCount is how many agents are heard, or were until lately.
func (l *PoolLoad) AgentCount() int { return l.Idle + l.Busy + l.Unknown }

// AgentPoolPatch is a change of an agent pool. A list that is given replaces the old one.
type AgentPoolPatch struct {
	Name                                                   patch.Field[string]
	OrganizationScoped                                     patch.Field[bool]
	AllowedWorkspaces, AllowedProjects, ExcludedWorkspaces patch.Field[[]string]
}

// NewAgentPool is a pool with the defaults of its attributes.
func NewAgentPool(o belay.Organization, now time.Time) AgentPool {
	return AgentPool{ID: belay.NewID("apool"), OrganizationID: o.ID, Organization: o, OrganizationScoped: true, CreatedAt: now}
}

// Apply changes the pool, or says all that is wrong with the patch.
func (p *AgentPool) Apply(change AgentPoolPatch) error {
	var problems belay.Problems
	change.Name.Into(&p.Name)
	belay.CheckPlainName(&problems, p.Name, 90)
	change.OrganizationScoped.Into(&p.OrganizationScoped)
	for _, list := range []struct {
		change patch.Field[[]string]
		kept   *[]string
	}{
		{change.AllowedWorkspaces, &p.AllowedWorkspaces},
		{change.AllowedProjects, &p.AllowedProjects},
		{change.ExcludedWorkspaces, &p.ExcludedWorkspaces},
	} {
		list.change.Into(list.kept)
		*list.kept = belay.Distinct(*list.kept)
	}
	return problems.Err()
}

// Serves says whether a workspace of a project may choose the pool. Being named wins
// over being excluded, and exclusion over the project and the organization.
func (p *AgentPool) Serves(workspaceID, projectID string) bool {
	switch {
	case slices.Contains(p.AllowedWorkspaces, workspaceID):
		return true
	case slices.Contains(p.ExcludedWorkspaces, workspaceID):
		return false
	default:
		return p.ServesProject(projectID)
	}
}

// ServesProject says whether the pool may be the default of a project.
func (p *AgentPool) ServesProject(id string) bool {
	return p.OrganizationScoped || slices.Contains(p.AllowedProjects, id)
}

// CheckDelete refuses to delete a pool that is in use: chosen by a workspace, or the default
// of so many projects and organizations.
func (p *AgentPool) CheckDelete(chosen bool, defaults int) error {
	var problems belay.Problems
	switch {
	case chosen:
		problems.At("", "Agent pool can't be deleted while workspaces use it")
	case defaults > 0:
		problems.At("", "Agent pool can't be deleted while it is the default of its organization or of a project")
	}
	return problems.Err()
}

// AgentPoolQuery is what a list of agent pools asks for.
type AgentPoolQuery struct {
	Search           string
	AllowedWorkspace string // the name of a workspace that the pool serves
	AllowedProject   string // the name of a project that the pool serves
	Sort             string // name or created-at, with a hyphen to reverse
	Page             belay.Page
}
