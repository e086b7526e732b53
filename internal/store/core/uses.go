package core

import (
	"cmp"
	"slices"

	"github.com/belayhq/belay"
	"github.com/belayhq/belay/internal/sqldb"
)

// use is something that the current state of a workspace says it uses.
type use struct{ kind, source, name string }

// The kinds of what workspaces use.
const (
	UsedModules   = "modules"
	UsedProviders = "providers"
)

// UsesOf is what a state uses, as it is written for a workspace.
func UsesOf(c belay.StateContents) []use {
	var list []use
	for _, u := range c.UsedModules {
		list = append(list, use{UsedModules, u.Source, u.Name})
	}
	for _, u := range c.UsedProviders {
		list = append(list, use{UsedProviders, u.Source, u.Name})
	}
	// In one order, whoever writes: rows that two transactions both count never lock them out.
	slices.SortFunc(list, func(a, b use) int { return cmp.Or(cmp.Compare(a.kind, b.kind), cmp.Compare(a.source, b.source)) })
	return list
}

// uses is what a workspace is known to use. Names stand with the source, not here.
func (v *View) uses(workspaceID string) ([]use, error) {
	return sqldb.Collect(v, v.SQL("SELECT kind, source FROM workspace_uses WHERE workspace_id = ? ORDER BY kind, source", workspaceID),
		func(u *use) []any { return []any{&u.kind, &u.source} })
}

// replaceUses writes what a workspace uses now, and says whether that is news.
func (tx *Tx) replaceUses(w *belay.Workspace, known *After, now []use) (bool, error) {
	if known == nil {
		uses, err := tx.uses(w.ID)
		if err != nil {
			return false, err
		}
		known = &After{uses: uses}
	}
	before := known.uses
	gone, added := lacking(before, now), lacking(now, before)
	if len(gone)+len(added) == 0 {
		return false, nil
	}
	if err := tx.dropUses(w, gone); err != nil {
		return false, err
	}
	if err := tx.AddUses(w, added); err != nil {
		return false, err
	}
	modules := 0
	for _, u := range now {
		if u.kind == UsedModules {
			modules++
		}
	}
	return true, tx.Do("UPDATE workspaces SET module_count = ?, provider_count = ? WHERE id = ?", modules, len(now)-modules, w.ID)
}

// lacking is those of the uses that others do not have.
func lacking(uses, others []use) []use {
	has := make(map[use]bool, len(others))
	for _, u := range others {
		has[use{kind: u.kind, source: u.source}] = true
	}
	var list []use
	for _, u := range uses {
		if !has[use{kind: u.kind, source: u.source}] {
			list = append(list, u)
		}
	}
	return list
}

func (tx *Tx) dropUses(w *belay.Workspace, gone []use) error {
	for _, kind := range []string{UsedModules, UsedProviders} {
		var sources []string
		for _, u := range gone {
			if u.kind == kind {
				sources = append(sources, u.source)
			}
		}
		if sources == nil {
			continue
		}
		for _, q := range []*sqldb.Query{
			tx.SQL("DELETE FROM workspace_uses WHERE workspace_id = ? AND kind = ?", w.ID, kind),
			tx.SQL("UPDATE used_sources SET workspace_count = workspace_count - 1 WHERE organization_id = ? AND kind = ?", w.OrganizationID, kind),
			tx.SQL("DELETE FROM used_sources WHERE workspace_count < 1 AND organization_id = ? AND kind = ?", w.OrganizationID, kind),
		} {
			if _, err := tx.Exec(q.In(" AND source", sources)); err != nil {
				return err
			}
		}
	}
	return nil
}

// AddUses writes what the current state of a workspace uses.
func (tx *Tx) AddUses(w *belay.Workspace, added []use) error {
	if len(added) == 0 {
		return nil
	}
	rows := make([]map[string]string, len(added))
	for i, u := range added {
		rows[i] = map[string]string{"kind": u.kind, "source": u.source, "name": u.name}
	}
	columns := []sqldb.Text{"kind", "source", "name"}
	uses := tx.SQL("INSERT INTO workspace_uses (workspace_id, kind, source, organization_id, workspace_name) SELECT ?, kind, source, ?, ? FROM ", w.ID, w.OrganizationID, w.Name)
	counts := tx.SQL("INSERT INTO used_sources (organization_id, kind, source, name, workspace_count) SELECT ?, kind, source, name, 1 FROM ", w.OrganizationID)
	uses.Rows("used_sources", columns, rows)
	counts.Rows("used_sources", columns, rows).Add(" WHERE 1 = 1 ON CONFLICT (organization_id, kind, source) DO UPDATE SET workspace_count = used_sources.workspace_count + 1")
	for _, q := range []*sqldb.Query{uses, counts} {
		if _, err := tx.Exec(q); err != nil {
			return err
		}
	}
	return nil
}

// Unlist takes a workspace out of what counts and finds workspaces.
func (tx *Tx) Unlist(w *belay.Workspace) error {
	if err := tx.unlinkTags(w, w.TagNames); err != nil {
		return err
	}
	uses, err := tx.uses(w.ID)
	if err != nil {
		return err
	}
	return tx.dropUses(w, uses)
}
