package store

import (
	"maps"
	"slices"

	"github.com/belayhq/belay"
)

// counters is what a transaction adds to the rows that all transactions of an organization
// count in: its own and those of its projects. They are written last, in one order, so that
// nobody waits for them with less than a commit to go, and no two wait for each other.
type counters struct {
	variables     map[string]bool // the workspaces that have others
	projects      map[string]int  // workspaces more
	organizations map[string]*moves
}

// moves is how far the counters of one organization move.
type moves struct{ workspaces, generation, facts, access int }

func (c *counters) of(organizationID string) *moves {
	if c.organizations == nil {
		c.organizations = map[string]*moves{}
	}
	if c.organizations[organizationID] == nil {
		c.organizations[organizationID] = &moves{}
	}
	return c.organizations[organizationID]
}

func (c *counters) inProject(id string, by int) {
	if c.projects == nil {
		c.projects = map[string]int{}
	}
	c.projects[id] += by
}

// CountWorkspace moves the counters of the workspace's project and organization.
func (tx *Tx) CountWorkspace(w *belay.Workspace, by int) {
	tx.counters.inProject(w.ProjectID, by)
	tx.counters.of(w.OrganizationID).workspaces += by
	tx.moveGeneration(w.OrganizationID)
}

// MoveWorkspace counts a workspace in another project than before.
func (tx *Tx) MoveWorkspace(w *belay.Workspace, from string) {
	tx.counters.inProject(from, -1)
	tx.counters.inProject(w.ProjectID, 1)
}

// moveGeneration makes the counts that were kept of the organization's lists stale.
func (tx *Tx) moveGeneration(organizationID string) { tx.counters.of(organizationID).generation = 1 }

// moveAccessGeneration makes what was kept of anybody's access to the organization stale.
func (tx *Tx) moveAccessGeneration(organizationID string) {
	tx.counters.of(organizationID).access = 1
}

// moveFacts makes stale what was kept of the explorer's answers about the organization.
func (tx *Tx) moveFacts(organizationID string) { tx.counters.of(organizationID).facts = 1 }

// note has the ids of a workspace's variables written anew.
func (c *counters) note(workspaceID string) {
	if c.variables == nil {
		c.variables = map[string]bool{}
	}
	c.variables[workspaceID] = true
}

// count writes the counters, which is the last that a transaction does.
func (tx *Tx) count() error {
	for _, id := range slices.Sorted(maps.Keys(tx.counters.variables)) {
		if err := tx.noteVariables(id); err != nil {
			return err
		}
	}
	for _, id := range slices.Sorted(maps.Keys(tx.counters.projects)) {
		if by := tx.counters.projects[id]; by != 0 {
			if err := tx.Lastly("UPDATE projects SET workspace_count = workspace_count + ? WHERE id = ?", by, id); err != nil {
				return err
			}
		}
	}
	for _, id := range slices.Sorted(maps.Keys(tx.counters.organizations)) {
		by := tx.counters.organizations[id]
		if err := tx.Lastly(`UPDATE organizations SET workspace_count = workspace_count + ?, generation = generation + ?,
			facts_generation = facts_generation + ?, access_generation = access_generation + ? WHERE id = ?`,
			by.workspaces, by.generation, by.facts, by.access, id); err != nil {
			return err
		}
	}
	return nil
}
