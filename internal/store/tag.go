package store

import (
	"slices"

	"github.com/belayhq/belay"
)

var tags = newTable(table[belay.Tag]{
	name: "tags",
	hold: "t",
	from: "tags t JOIN organizations o ON o.id = t.organization_id",
	own: []column[belay.Tag]{
		{"id", func(t *belay.Tag) any { return &t.ID }},
		{"organization_id", func(t *belay.Tag) any { return &t.OrganizationID }},
		{"name", func(t *belay.Tag) any { return &t.Name }},
		{"created_at", func(t *belay.Tag) any { return millis{&t.CreatedAt} }},
		{"instance_count", func(t *belay.Tag) any { return &t.InstanceCount }},
	},
	joined: []column[belay.Tag]{
		{"o.id", func(t *belay.Tag) any { return &t.Organization.ID }},
		{"o.name", func(t *belay.Tag) any { return &t.Organization.Name }},
		{"o.access_generation", func(t *belay.Tag) any { return &t.Organization.AccessGeneration }},
		{"o.user_tokens_enabled", func(t *belay.Tag) any { return &t.Organization.UserTokensEnabled }},
	},
})

// Tag is one flat tag, by id.
func (v *View) Tag(id string) (belay.Tag, error) { return tags.one(v, "t.id = ?", id) }

// TagsByID is many flat tags of an organization, in no order.
func (v *View) TagsByID(organizationID string, ids []string) ([]belay.Tag, error) {
	return tags.many(v, v.sql(tags.selected).add("WHERE t.organization_id = ? AND t.id", organizationID).in("", ids))
}

// HeldTags is many flat tags of an organization, held in the order of their ids: nobody
// gives them to a workspace until the transaction ends.
func (tx *Tx) HeldTags(organizationID string, ids []string) ([]belay.Tag, error) {
	q := tx.sql(tags.selected).add("WHERE t.organization_id = ? AND t.id", organizationID).in("", ids).add(" ORDER BY t.id")
	if hold := tx.db.dialect.hold; hold != "" {
		q.add(hold + " OF t")
	}
	return tags.many(&tx.View, q)
}

// Tags is one page of the flat tags of an organization, by name.
func (v *View) Tags(organizationID string, want belay.TagQuery) ([]belay.Tag, int, error) {
	return tags.page(v, want.Page, "t.name", `t.organization_id = ? AND LOWER(t.name) LIKE ? ESCAPE '\'
		AND (? = '' OR t.id IN (SELECT c.tag_id FROM workspace_tags c WHERE c.workspace_id = ?))
		AND (? = '' OR t.id NOT IN (SELECT c.tag_id FROM workspace_tags c WHERE c.workspace_id = ?))`,
		organizationID, contains(want.Search), want.WorkspaceID, want.WorkspaceID, want.WithoutWorkspace, want.WithoutWorkspace)
}

// SaveTags writes that a workspace has come to carry flat tags, or carries them no more.
// Its tag names are those of the row already.
func (tx *Tx) SaveTags(w *belay.Workspace, added, removed []string) error {
	if err := tx.linkTags(w, added); err != nil {
		return err
	}
	if err := tx.unlinkTags(w, removed); err != nil {
		return err
	}
	if err := tx.do("UPDATE workspaces SET tag_names = ? WHERE id = ?", jsonText[[]string]{&w.TagNames}, w.ID); err != nil {
		return err
	}
	return tx.moveGeneration(w.OrganizationID)
}

// linkTags makes the workspace carry tags that it did not carry, and makes those that
// the organization lacks. Names come in order, so that transactions meet in one order.
func (tx *Tx) linkTags(w *belay.Workspace, names []string) error {
	if len(names) == 0 {
		return nil
	}
	q := tx.sql("INSERT INTO tags (id, organization_id, name, created_at, instance_count) VALUES ")
	for i, name := range names {
		if i > 0 {
			q.add(", ")
		}
		q.add("(?, ?, ?, ?, 1)", belay.NewID("tag"), w.OrganizationID, name, unixMillis(tx.Now))
	}
	q.add(" ON CONFLICT (organization_id, name) DO UPDATE SET instance_count = tags.instance_count + 1 RETURNING id")
	ids, err := values[string](&tx.View, q)
	if err != nil {
		return err
	}
	q = tx.sql("INSERT INTO workspace_tags (tag_id, workspace_name, workspace_id) VALUES ")
	for i, id := range ids {
		if i > 0 {
			q.add(", ")
		}
		q.add("(?, ?, ?)", id, w.Name, w.ID)
	}
	_, err = tx.exec(q)
	return err
}

// unlinkTags takes tags from the workspace that it carries. A tag that nobody carries
// any more goes.
func (tx *Tx) unlinkTags(w *belay.Workspace, names []string) error {
	if len(names) == 0 {
		return nil
	}
	q := tx.sql("UPDATE tags SET instance_count = instance_count - 1 WHERE organization_id = ?", w.OrganizationID)
	ids, err := values[string](&tx.View, q.in(" AND name", names).add(" RETURNING id"))
	if err != nil {
		return err
	}
	if _, err := tx.exec(tx.sql("DELETE FROM workspace_tags WHERE workspace_id = ?", w.ID).in(" AND tag_id", ids)); err != nil {
		return err
	}
	_, err = tx.exec(tx.sql("DELETE FROM tags WHERE instance_count <= 0").in(" AND id", ids))
	return err
}

// HeldWorkspaces is many workspaces, held in the order of their ids.
func (tx *Tx) HeldWorkspaces(ids []string) ([]belay.Workspace, error) {
	q := tx.sql(workspaces.selected).in("WHERE w.id", ids).add(" ORDER BY w.id")
	if hold := tx.db.dialect.hold; hold != "" {
		q.add(hold + " OF w")
	}
	return workspaces.many(&tx.View, q)
}

// tagBatch is how many workspaces one statement tags.
const tagBatch = 200

// TagWorkspaces writes that workspaces have come to carry a tag that they did not carry.
// Their tag names are those of their rows already.
func (tx *Tx) TagWorkspaces(t *belay.Tag, list []belay.Workspace) error {
	for batch := range slices.Chunk(list, tagBatch) {
		links := tx.sql("INSERT INTO workspace_tags (tag_id, workspace_name, workspace_id) VALUES ")
		rows := tx.sql("UPDATE workspaces SET tag_names = named.column2 FROM (VALUES ")
		for i := range batch {
			if i > 0 {
				links.add(", ")
				rows.add(", ")
			}
			w := &batch[i]
			links.add("(?, ?, ?)", t.ID, w.Name, w.ID)
			rows.add("(?, ?)", w.ID, jsonText[[]string]{&w.TagNames})
		}
		rows.add(") AS named WHERE workspaces.id = named.column1")
		for _, q := range []*query{links, rows} {
			if _, err := tx.exec(q); err != nil {
				return err
			}
		}
	}
	if err := tx.do("UPDATE tags SET instance_count = instance_count + ? WHERE id = ?", len(list), t.ID); err != nil {
		return err
	}
	return tx.moveGeneration(t.OrganizationID)
}

// DropTags deletes flat tags of one organization, from the workspaces that carry them too.
func (tx *Tx) DropTags(organizationID string, list []belay.Tag) error {
	ids := make([]string, len(list))
	for i, t := range list {
		ids[i] = t.ID
		// A name holds nothing that JSON escapes, so it stands in the row as it is.
		name := `"` + t.Name + `"`
		if err := tx.do(`UPDATE workspaces SET tag_names = REPLACE(REPLACE(REPLACE(tag_names, ?, ''), ?, ''), ?, '')
			WHERE id IN (SELECT workspace_id FROM workspace_tags WHERE tag_id = ?)`,
			name+",", ","+name, "["+name+"]", t.ID); err != nil {
			return err
		}
	}
	if _, err := tx.exec(tx.sql("DELETE FROM tags WHERE id").in("", ids)); err != nil {
		return err
	}
	return tx.moveGeneration(organizationID)
}
