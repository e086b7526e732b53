package store

import (
	"cmp"
	"errors"
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
func (v *View) Tag(id string) (belay.Tag, error) { return tags.one(v, "t.id = ? AND NOT t.doomed", id) }

// TagsByID is many flat tags of an organization, in no order.
func (v *View) TagsByID(organizationID string, ids []string) ([]belay.Tag, error) {
	return tags.many(v, v.sql(tags.selected).add("WHERE t.id").in("", ids).beside("t.organization_id = ? AND NOT t.doomed", organizationID))
}

// HeldTags is many flat tags of an organization, held in the order of their names: nobody
// gives them to a workspace until the transaction ends.
func (tx *Tx) HeldTags(organizationID string, ids []string) ([]belay.Tag, error) {
	q := tx.sql(tags.selected).add("WHERE t.id").in("", ids).beside("t.organization_id = ? AND NOT t.doomed", organizationID).add(" ORDER BY t.name")
	if hold := tx.db.dialect.hold; hold != "" {
		q.add(hold + " OF t")
	}
	return tags.many(&tx.View, q)
}

// Tags is one page of the flat tags of an organization, by name.
func (v *View) Tags(organizationID string, want belay.TagQuery) ([]belay.Tag, int, error) {
	return tags.page(v, want.Page, "t.name", `t.organization_id = ? AND NOT t.doomed AND LOWER(t.name) LIKE ? ESCAPE '\'
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
	tx.moveGeneration(w.OrganizationID)
	return nil
}

// linkTags makes the workspace carry tags that it did not carry, and makes those that
// the organization lacks. Names come in order, so that transactions meet in one order.
func (tx *Tx) linkTags(w *belay.Workspace, names []string) error {
	if len(names) == 0 {
		return nil
	}
	rows := make([]map[string]string, len(names))
	for i, name := range names {
		rows[i] = map[string]string{"id": belay.NewID("tag"), "name": name}
	}
	q := tx.sql("INSERT INTO tags (id, organization_id, name, created_at, instance_count) SELECT id, ?, name, CAST(? AS BIGINT), 1 FROM ",
		w.OrganizationID, unixMillis(tx.Now))
	q.rows("tags", []text{"id", "name"}, rows).add(" WHERE 1 = 1 ON CONFLICT (organization_id, name) DO UPDATE SET instance_count = tags.instance_count + 1 RETURNING id")
	ids, err := values[string](&tx.View, q)
	if err != nil {
		return err
	}
	if err := tx.refuseDoomed(ids); err != nil {
		return err
	}
	q = tx.sql("INSERT INTO workspace_tags (tag_id, workspace_name, workspace_id) SELECT t.id, ?, ? FROM tags t WHERE t.id", w.Name, w.ID)
	_, err = tx.exec(q.in("", ids))
	return err
}

// unlinkTags takes tags from the workspace that it carries. A tag that nobody carries
// any more goes.
func (tx *Tx) unlinkTags(w *belay.Workspace, names []string) error {
	if len(names) == 0 {
		return nil
	}
	q := tx.sql("UPDATE tags SET instance_count = instance_count - 1 WHERE id IN (SELECT id FROM tags WHERE organization_id = ?", w.OrganizationID)
	q.in(" AND name", names).add(" ORDER BY name" + tx.db.dialect.hold + ") RETURNING id") // in the order of linkTags
	ids, err := values[string](&tx.View, q)
	if err != nil {
		return err
	}
	if _, err := tx.exec(tx.sql("DELETE FROM workspace_tags WHERE workspace_id = ?", w.ID).in(" AND tag_id", ids)); err != nil {
		return err
	}
	_, err = tx.exec(tx.sql("DELETE FROM tags WHERE instance_count <= 0").in(" AND id", ids))
	return err
}

// HeldWorkspaces is where many workspaces are, their names and their tags, and what decides whose
// code runs there and when they are destroyed; nothing else of them. A transaction holds them, in the order of their ids.
func (v *View) HeldWorkspaces(ids []string) ([]belay.Workspace, error) {
	q := v.sql(`SELECT w.id, w.organization_id, w.project_id, w.name, w.tag_names, w.own_destroy_at, w.own_destroy_duration, w.inherits_project_auto_destroy,
			w.vcs_repo, w.vcs_token_id, w.auto_apply, w.auto_apply_run_trigger, w.queue_all_runs, w.speculative_enabled, w.working_directory,
			w.owns_execution, w.own_mode, w.own_pool_id, p.auto_destroy_activity_duration, p.owns_execution, p.default_execution_mode,
			p.default_agent_pool_id, o.default_execution_mode, o.default_agent_pool_id
		FROM workspaces w JOIN projects p ON p.id = w.project_id JOIN organizations o ON o.id = w.organization_id WHERE w.id`).in("", ids)
	q.add(" ORDER BY w.id")
	if v.hold != "" {
		q.add(v.hold + " OF w")
	}
	return collect(v, q, func(w *belay.Workspace) []any {
		return []any{
			&w.ID, &w.OrganizationID, &w.ProjectID, &w.Name, jsonText[[]string]{&w.TagNames}, millis{&w.OwnDestroyAt}, &w.OwnDestroyDuration,
			&w.InheritsProjectAutoDestroy, jsonText[*belay.VCSRepo]{&w.VCSRepo}, &w.VCSTokenID, &w.AutoApply, &w.AutoApplyRunTrigger,
			&w.QueueAllRuns, &w.SpeculativeEnabled, &w.WorkingDirectory, &w.OwnsExecution, &w.OwnMode, &w.OwnPoolID,
			&w.Project.AutoDestroyActivityDuration, &w.Project.OwnsExecution, &w.Project.DefaultExecutionMode, &w.Project.DefaultAgentPoolID,
			&w.Organization.DefaultExecutionMode, &w.Organization.DefaultAgentPoolID,
		}
	})
}

// ErrChangedMeanwhile says that workspaces are no longer as they were read.
var ErrChangedMeanwhile = errors.New("workspaces were changed meanwhile")

// mostAlike is how many kinds of workspaces are tagged kind by kind, a statement for each.
const mostAlike = 20

// alike is workspaces of one project with the same tags.
type alike struct{ project, before, after string }

// namesText is tag names as their column has them.
func namesText(names []string) string {
	text, _ := jsonText[[]string]{&names}.Value() // cannot fail for strings
	return text.(string)                          //nolint:forcetypeassert // it is one
}

// TagSeen is TagWorkspaces of workspaces that were read before the transaction, which writes
// their rows only if they are as they were: nobody waits while they are read. before is their
// tag names as they were read. Where they are of many kinds, or were changed since, it is
// ErrChangedMeanwhile.
func (tx *Tx) TagSeen(t *belay.Tag, list []belay.Workspace, before map[string][]string) error {
	kinds := map[alike][]string{}
	for i := range list {
		w := &list[i]
		kind := alike{w.ProjectID, namesText(before[w.ID]), namesText(w.TagNames)}
		kinds[kind] = append(kinds[kind], w.ID)
	}
	if len(kinds) > mostAlike {
		return ErrChangedMeanwhile
	}
	for kind, ids := range kinds {
		q := tx.sql("UPDATE workspaces SET tag_names = ? WHERE tag_names = ? AND project_id = ? AND id", kind.after, kind.before, kind.project)
		if n, err := tx.exec(q.in("", ids)); err != nil || int(n) < len(ids) {
			return cmp.Or(err, ErrChangedMeanwhile)
		}
	}
	q := tx.sql("INSERT INTO workspace_tags (tag_id, workspace_name, workspace_id) SELECT CAST(? AS TEXT), name, id FROM workspaces WHERE id", t.ID)
	if _, err := tx.exec(q.in("", idsOf(list, func(w *belay.Workspace) string { return w.ID }))); err != nil {
		return err
	}
	return tx.countTagged(t, len(list))
}

// tagBatch is how many workspaces one statement tags.
const tagBatch = 100

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
	return tx.countTagged(t, len(list))
}

func (tx *Tx) countTagged(t *belay.Tag, n int) error {
	tx.moveGeneration(t.OrganizationID)
	return tx.do("UPDATE tags SET instance_count = instance_count + ? WHERE id = ?", n, t.ID)
}
