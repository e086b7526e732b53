package base

import (
	"encoding/json"
	"maps"
	"slices"

	"github.com/belayhq/belay"
	"github.com/belayhq/belay/internal/sqldb"
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
	tx.kept.counters.inProject(w.ProjectID, by)
	tx.kept.counters.of(w.OrganizationID).workspaces += by
	tx.MoveGeneration(w.OrganizationID)
}

// MoveWorkspace counts a workspace in another project than before.
func (tx *Tx) MoveWorkspace(w *belay.Workspace, from string) {
	tx.kept.counters.inProject(from, -1)
	tx.kept.counters.inProject(w.ProjectID, 1)
}

// MoveGeneration makes the counts that were kept of the organization's lists stale.
func (tx *Tx) MoveGeneration(organizationID string) {
	tx.kept.counters.of(organizationID).generation = 1
}

// MoveAccessGeneration makes what was kept of anybody's access to the organization stale.
func (tx *Tx) MoveAccessGeneration(organizationID string) {
	tx.kept.counters.of(organizationID).access = 1
}

// MoveFacts makes stale what was kept of the explorer's answers about the organization.
func (tx *Tx) MoveFacts(organizationID string) { tx.kept.counters.of(organizationID).facts = 1 }

// NoteVariablesOf has the ids of a workspace's variables written anew.
func (tx *Tx) NoteVariablesOf(workspaceID string) {
	if tx.kept.counters.variables == nil {
		tx.kept.counters.variables = map[string]bool{}
	}
	tx.kept.counters.variables[workspaceID] = true
}

// Count writes the counters, which is the last that a transaction does.
func (tx *Tx) Count() error {
	for _, id := range slices.Sorted(maps.Keys(tx.kept.counters.variables)) {
		if err := tx.noteVariables(id); err != nil {
			return err
		}
	}
	for _, id := range slices.Sorted(maps.Keys(tx.kept.counters.projects)) {
		if by := tx.kept.counters.projects[id]; by != 0 {
			if err := tx.Lastly("UPDATE projects SET workspace_count = workspace_count + ? WHERE id = ?", by, id); err != nil {
				return err
			}
		}
	}
	for _, id := range slices.Sorted(maps.Keys(tx.kept.counters.organizations)) {
		by := tx.kept.counters.organizations[id]
		if err := tx.Lastly(`UPDATE organizations SET workspace_count = workspace_count + ?, generation = generation + ?,
			facts_generation = facts_generation + ?, access_generation = access_generation + ? WHERE id = ?`,
			by.workspaces, by.generation, by.facts, by.access, id); err != nil {
			return err
		}
	}
	return nil
}

// noteVariables keeps the ids of a workspace's variables in its row, so that a page of
// workspaces asks for none of them.
func (tx *Tx) noteVariables(workspaceID string) error {
	ids, err := sqldb.Values[string](&tx.View, tx.SQL("SELECT id FROM variables WHERE workspace_id = ? ORDER BY name, category, id", workspaceID))
	if err != nil {
		return err
	}
	raw := []byte{}
	if len(ids) > 0 {
		if raw, err = json.Marshal(ids); err != nil {
			return err
		}
	}
	return tx.Do("UPDATE workspaces SET var_refs = ? WHERE id = ?", string(raw), workspaceID)
}
