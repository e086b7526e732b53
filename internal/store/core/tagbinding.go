package core

import (
	"github.com/belayhq/belay"
	"github.com/belayhq/belay/internal/sqldb"
)

func bindingColumns(b *belay.TagBinding) []any {
	return []any{&b.ID, &b.Key, &b.Value, sqldb.Millis(&b.CreatedAt)}
}

// WorkspaceBindings is the tag bindings of a workspace itself, by key.
func (v *View) WorkspaceBindings(workspaceID string) (belay.TagBindings, error) {
	return sqldb.Collect(v, v.SQL("SELECT id, key, value, created_at FROM workspace_tag_bindings WHERE workspace_id = ? ORDER BY key", workspaceID), bindingColumns)
}

// ProjectBindings is the tag bindings of a project, by key.
func (v *View) ProjectBindings(projectID string) (belay.TagBindings, error) {
	return sqldb.Collect(v, v.SQL("SELECT id, key, value, created_at FROM project_tag_bindings WHERE project_id = ? ORDER BY key", projectID), bindingColumns)
}

// ProjectsBindings is the tag bindings of projects, by project and key.
func (v *View) ProjectsBindings(projectIDs []string) (map[string]belay.TagBindings, error) {
	type row struct {
		project string
		binding belay.TagBinding
	}
	rows, err := sqldb.Collect(v, v.SQL("SELECT project_id, id, key, value, created_at FROM project_tag_bindings WHERE project_id").In("", projectIDs).Add(" ORDER BY key"),
		func(r *row) []any { return append([]any{&r.project}, bindingColumns(&r.binding)...) })
	found := make(map[string]belay.TagBindings, len(projectIDs))
	for _, r := range rows {
		found[r.project] = append(found[r.project], r.binding)
	}
	return found, err
}

// EffectiveBindings is the tag bindings in force for workspaces, by workspace: its own by
// key, then those of its project by key. An own binding hides the project's with the same key.
func (v *View) EffectiveBindings(workspaceIDs []string) ([]belay.EffectiveTagBinding, error) {
	q := v.SQL("SELECT b.workspace_id, b.key, b.value, b.id, b.created_at, '' FROM workspace_tag_bindings b WHERE b.workspace_id")
	q.In("", workspaceIDs).Add(` UNION ALL
		SELECT w.id, p.key, p.value, p.id, p.created_at, p.project_id
		FROM workspaces w JOIN project_tag_bindings p ON p.project_id = w.project_id WHERE w.id`)
	q.In("", workspaceIDs).Add(` AND NOT EXISTS (SELECT 1 FROM workspace_tag_bindings b WHERE b.workspace_id = w.id AND b.key = p.key)
		ORDER BY 1, 6, 2`)
	return sqldb.Collect(v, q, func(b *belay.EffectiveTagBinding) []any {
		return []any{&b.WorkspaceID, &b.Key, &b.Value, &b.ID, sqldb.Millis(&b.CreatedAt), &b.ProjectID}
	})
}

// FixedKeys is the keys whose value a project decides for its workspaces: it binds them,
// and the organization has reserved them without overrides.
func (v *View) FixedKeys(projectID string) ([]string, error) {
	return sqldb.Values[string](v, v.SQL(`SELECT b.key FROM project_tag_bindings b
		JOIN reserved_tag_keys r ON r.organization_id = b.organization_id AND r.key = b.key
		WHERE b.project_id = ? AND r.disable_overrides`, projectID))
}

// SaveWorkspaceBindings writes that the bindings of a workspace have changed.
func (tx *Tx) SaveWorkspaceBindings(w *belay.Workspace, before, after belay.TagBindings) error {
	changed, gone := after.Beyond(before), before.Without(after)
	if len(gone) > 0 {
		if _, err := tx.Exec(tx.SQL("DELETE FROM workspace_tag_bindings WHERE workspace_id = ?", w.ID).In(" AND key", gone)); err != nil {
			return err
		}
	}
	if len(changed) > 0 {
		q := tx.SQL("INSERT INTO workspace_tag_bindings (id, organization_id, workspace_id, workspace_name, key, value, created_at) VALUES ")
		for i, b := range changed {
			if i > 0 {
				q.Add(", ")
			}
			q.Add("(?, ?, ?, ?, ?, ?, ?)", b.ID, w.OrganizationID, w.ID, w.Name, b.Key, b.Value, sqldb.UnixMillis(b.CreatedAt))
		}
		if _, err := tx.Exec(q.Add(" ON CONFLICT (workspace_id, key) DO UPDATE SET value = excluded.value")); err != nil {
			return err
		}
	}
	tx.moveGenerationIf(len(gone)+len(changed) > 0, w.OrganizationID)
	return nil
}

// SaveProjectBindings writes that the bindings of a project have changed.
func (tx *Tx) SaveProjectBindings(p *belay.Project, before, after belay.TagBindings) error {
	changed, gone := after.Beyond(before), before.Without(after)
	if len(gone) > 0 {
		if _, err := tx.Exec(tx.SQL("DELETE FROM project_tag_bindings WHERE project_id = ?", p.ID).In(" AND key", gone)); err != nil {
			return err
		}
	}
	if len(changed) > 0 {
		q := tx.SQL("INSERT INTO project_tag_bindings (id, organization_id, project_id, key, value, created_at) VALUES ")
		for i, b := range changed {
			if i > 0 {
				q.Add(", ")
			}
			q.Add("(?, ?, ?, ?, ?, ?)", b.ID, p.OrganizationID, p.ID, b.Key, b.Value, sqldb.UnixMillis(b.CreatedAt))
		}
		if _, err := tx.Exec(q.Add(" ON CONFLICT (project_id, key) DO UPDATE SET value = excluded.value")); err != nil {
			return err
		}
	}
	tx.moveGenerationIf(len(gone)+len(changed) > 0, p.OrganizationID)
	return nil
}

func (tx *Tx) moveGenerationIf(changed bool, organizationID string) {
	if changed {
		tx.MoveGeneration(organizationID)
	}
}

var reservedTagKeys = sqldb.NewTable(sqldb.Table[belay.ReservedTagKey]{
	Name: "reserved_tag_keys",
	Hold: "k",
	From: "reserved_tag_keys k JOIN organizations o ON o.id = k.organization_id",
	Own: []sqldb.Column[belay.ReservedTagKey]{
		{Name: "id", At: func(k *belay.ReservedTagKey) any { return &k.ID }},
		{Name: "organization_id", At: func(k *belay.ReservedTagKey) any { return &k.OrganizationID }},
		{Name: "key", At: func(k *belay.ReservedTagKey) any { return &k.Key }},
		{Name: "disable_overrides", At: func(k *belay.ReservedTagKey) any { return &k.DisableOverrides }},
		{Name: "created_at", At: func(k *belay.ReservedTagKey) any { return sqldb.Millis(&k.CreatedAt) }},
		{Name: "updated_at", At: func(k *belay.ReservedTagKey) any { return sqldb.Millis(&k.UpdatedAt) }},
	},
	Joined: []sqldb.Column[belay.ReservedTagKey]{
		{Name: "o.id", At: func(k *belay.ReservedTagKey) any { return &k.Organization.ID }},
		{Name: "o.name", At: func(k *belay.ReservedTagKey) any { return &k.Organization.Name }},
		{Name: "o.access_generation", At: func(k *belay.ReservedTagKey) any { return &k.Organization.AccessGeneration }},
		{Name: "o.user_tokens_enabled", At: func(k *belay.ReservedTagKey) any { return &k.Organization.UserTokensEnabled }},
	},
})

var keyTaken = belay.Problems{{
	Kind: belay.Invalid, Title: "invalid attribute", Detail: "Key has already been taken", Place: "key",
}}

// ReservedTagKey is one reserved tag key, by id.
func (v *View) ReservedTagKey(id string) (belay.ReservedTagKey, error) {
	return reservedTagKeys.One(v, "k.id = ?", id)
}

// ReservedTagKeys is one page of an organization's reserved tag keys, by key.
func (v *View) ReservedTagKeys(organizationID string, page belay.Page) ([]belay.ReservedTagKey, int, error) {
	return reservedTagKeys.Page(v, page, "k.key", "k.organization_id = ?", organizationID)
}

// AddReservedTagKey writes a new reserved tag key.
func (tx *Tx) AddReservedTagKey(k *belay.ReservedTagKey) error {
	return reservedTagKeys.Insert(tx, k, keyTaken)
}

// SaveReservedTagKey writes a reserved tag key.
func (tx *Tx) SaveReservedTagKey(k *belay.ReservedTagKey) error {
	return reservedTagKeys.Update(tx, k, keyTaken)
}

// DropReservedTagKey deletes a reserved tag key. Bindings with the key stay.
func (tx *Tx) DropReservedTagKey(k *belay.ReservedTagKey) error {
	return tx.Do("DELETE FROM reserved_tag_keys WHERE id = ?", k.ID)
}
