package base

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"

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
	slot          int // that the transaction counts in; 0: none yet
}

// moves is how far the counters of one organization move.
type moves struct {
	workspaces, generation, facts, access int
	names                                 []NameMoved
	part                                  int64 // what the counter of the generation is afterwards
}

// NameMoved is a workspace whose name is another now: none before where it came, and none now where it went.
type NameMoved struct{ Before, Now string }

// GenerationMoved is how a transaction moved the generation of an organization: to which number in which of its counters,
// and all the names that came, changed or went with it.
type GenerationMoved struct {
	OrganizationID string
	Slot           int
	To             int64
	Names          []NameMoved
}

// GenerationsMoved is that of each organization, once the transaction is kept.
func (tx *Tx) GenerationsMoved() (list []GenerationMoved) {
	for id, by := range tx.kept.counters.organizations {
		if by.generation > 0 {
			list = append(list, GenerationMoved{id, tx.kept.counters.slot, by.part, by.names})
		}
	}
	return list
}

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
	if by > 0 {
		tx.MoveName(w.OrganizationID, "", w.Name)
	} else {
		tx.MoveName(w.OrganizationID, w.Name, "")
	}
}

// MoveWorkspace counts a workspace in another project than before.
func (tx *Tx) MoveWorkspace(w *belay.Workspace, from string) {
	tx.kept.counters.inProject(from, -1)
	tx.kept.counters.inProject(w.ProjectID, 1)
}

// MoveName says that a workspace has another name.
func (tx *Tx) MoveName(organizationID, before, now string) {
	by := tx.kept.counters.of(organizationID)
	by.names = append(by.names, NameMoved{before, now})
	tx.MoveGeneration(organizationID)
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
			if err := tx.countInProject(id, by); err != nil {
				return err
			}
		}
	}
	for _, id := range slices.Sorted(maps.Keys(tx.kept.counters.organizations)) {
		if err := tx.countInOrganization(id, tx.kept.counters.organizations[id]); err != nil {
			return err
		}
	}
	return nil
}

// slots is in how many rows an organization's and a project's counters are written where many write at once:
// whoever writes one holds it until its commit is on the disk.
const slots = 16

// slot is the row that the transaction counts in; none where nobody else writes meanwhile.
func (tx *Tx) slot() (slot int, beside bool) {
	if tx.Dialect().Hold == "" {
		return 0, false
	}
	if tx.kept.counters.slot == 0 {
		tx.kept.counters.slot = 1 + rand.IntN(slots)
	}
	return tx.kept.counters.slot, true
}

func (tx *Tx) countInProject(id string, by int) error {
	if slot, beside := tx.slot(); beside {
		return tx.Lastly(`INSERT INTO project_counts (project_id, slot, workspaces) VALUES (?, ?, ?)
			ON CONFLICT (project_id, slot) DO UPDATE SET workspaces = project_counts.workspaces + excluded.workspaces`, id, slot, by)
	}
	return tx.Lastly("UPDATE projects SET workspace_count = workspace_count + ? WHERE id = ?", by, id)
}

func (tx *Tx) countInOrganization(id string, by *moves) error {
	slot, beside := tx.slot()
	if !beside {
		return tx.LastlyTold(&by.part, `UPDATE organizations SET workspace_count = workspace_count + ?, generation = generation + ?,
			facts_generation = facts_generation + ?, access_generation = access_generation + ? WHERE id = ? RETURNING generation`,
			by.workspaces, by.generation, by.facts, by.access, id)
	}
	if by.access > 0 { // seldom, and read with every workspace
		if err := tx.Lastly("UPDATE organizations SET access_generation = access_generation + ? WHERE id = ?", by.access, id); err != nil {
			return err
		}
	}
	if by.workspaces == 0 && by.generation == 0 && by.facts == 0 {
		return nil
	}
	return tx.LastlyTold(&by.part, `INSERT INTO organization_counts (organization_id, slot, workspaces, generation, facts_generation) VALUES (?, ?, ?, ?, ?)
		ON CONFLICT (organization_id, slot) DO UPDATE SET workspaces = organization_counts.workspaces + excluded.workspaces,
		generation = organization_counts.generation + excluded.generation,
		facts_generation = organization_counts.facts_generation + excluded.facts_generation
		RETURNING generation`, id, slot, by.workspaces, by.generation, by.facts)
}

// Counted is how many workspaces an organization has, by the alias of its table.
func Counted(organization sqldb.Text) sqldb.Text {
	return "(" + organization + ".workspace_count + COALESCE((SELECT CAST(sum(c.workspaces) AS BIGINT) FROM organization_counts c WHERE c.organization_id = " + organization + ".id), 0))"
}

// CountedIn is how many workspaces a project has, by the alias of its table.
func CountedIn(project sqldb.Text) sqldb.Text {
	return "(" + project + ".workspace_count + COALESCE((SELECT CAST(sum(c.workspaces) AS BIGINT) FROM project_counts c WHERE c.project_id = " + project + ".id), 0))"
}

// Beside is what the counters of an organization, by its id, have moved in their slots: its workspaces, its generation and
// that of its facts, with spaces between them, and each of its generation's by itself.
func Beside(id sqldb.Text) sqldb.Text {
	return "(SELECT sum(c.workspaces) || ' ' || sum(c.generation) || ' ' || sum(c.facts_generation) || ' ' || string_agg(c.slot || '=' || c.generation, ',') FROM organization_counts c WHERE c.organization_id = " + id + ")"
}

// AddBeside adds that to an organization that was read before it.
type AddBeside struct{ To *belay.Organization }

// Scan reads Beside.
func (b AddBeside) Scan(src any) error {
	if src == nil || src == "" {
		return nil
	}
	text, _ := src.(string)
	first, rest, _ := strings.Cut(text, " ")
	second, rest, _ := strings.Cut(rest, " ")
	third, parts, _ := strings.Cut(rest, " ")
	workspaces, wrong := strconv.Atoi(first)
	generation, wrongToo := strconv.ParseInt(second, 10, 64)
	facts, wrongAsWell := strconv.ParseInt(third, 10, 64)
	if err := errors.Join(wrong, wrongToo, wrongAsWell); err != nil {
		return fmt.Errorf("counters %q: %w", text, err)
	}
	b.To.GenerationParts = parts
	b.To.WorkspaceCount += workspaces
	b.To.Generation += generation
	b.To.FactsGeneration += facts
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
