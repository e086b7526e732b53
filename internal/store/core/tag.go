package core

import (
	"cmp"
	"errors"
	"slices"

	"github.com/belayhq/belay"
	"github.com/belayhq/belay/internal/sqldb"
	"github.com/belayhq/belay/internal/store/base"
)

var tags = sqldb.NewTable(sqldb.Table[belay.Tag]{
	Name: "tags",
	Hold: "t",
	From: "tags t JOIN organizations o ON o.id = t.organization_id",
	Own: []sqldb.Column[belay.Tag]{
		{Name: "id", At: func(t *belay.Tag) any { return &t.ID }},
		{Name: "organization_id", At: func(t *belay.Tag) any { return &t.OrganizationID }},
		{Name: "name", At: func(t *belay.Tag) any { return &t.Name }},
		{Name: "created_at", At: func(t *belay.Tag) any { return sqldb.Millis(&t.CreatedAt) }},
		{Name: "instance_count", At: func(t *belay.Tag) any { return &t.InstanceCount }},
	},
	Joined: []sqldb.Column[belay.Tag]{
		{Name: "o.id", At: func(t *belay.Tag) any { return &t.Organization.ID }},
		{Name: "o.name", At: func(t *belay.Tag) any { return &t.Organization.Name }},
		{Name: "o.access_generation", At: func(t *belay.Tag) any { return &t.Organization.AccessGeneration }},
		{Name: "o.user_tokens_enabled", At: func(t *belay.Tag) any { return &t.Organization.UserTokensEnabled }},
	},
})

// Tag is one flat tag, by id.
func (v *View) Tag(id string) (belay.Tag, error) { return tags.One(v, "t.id = ? AND NOT t.doomed", id) }

// TagsByID is many flat tags of an organization, in no order.
func (v *View) TagsByID(organizationID string, ids []string) ([]belay.Tag, error) {
	return tags.Many(v, v.SQL(tags.Selected).Add("WHERE t.id").In("", ids).Beside("t.organization_id = ? AND NOT t.doomed", organizationID))
}

// HeldTags is many flat tags of an organization, held in the order of their names: nobody
// gives them to a workspace until the transaction ends.
func (tx *Tx) HeldTags(organizationID string, ids []string) ([]belay.Tag, error) {
	q := tx.SQL(tags.Selected).Add("WHERE t.id").In("", ids).Beside("t.organization_id = ? AND NOT t.doomed", organizationID).Add(" ORDER BY t.name")
	return tags.Many(&tx.View, q.Held(tx.Dialect().Hold, "t"))
}

// Tags is one page of the flat tags of an organization, by name.
func (v *View) Tags(organizationID string, want belay.TagQuery) ([]belay.Tag, int, error) {
	return tags.Page(v, want.Page, "t.name", `t.organization_id = ? AND NOT t.doomed AND LOWER(t.name) LIKE ? ESCAPE '\'
		AND (? = '' OR t.id IN (SELECT c.tag_id FROM workspace_tags c WHERE c.workspace_id = ?))
		AND (? = '' OR t.id NOT IN (SELECT c.tag_id FROM workspace_tags c WHERE c.workspace_id = ?))`,
		organizationID, sqldb.Contains(want.Search), want.WorkspaceID, want.WorkspaceID, want.WithoutWorkspace, want.WithoutWorkspace)
}

// SaveTags writes that a workspace has come to carry flat tags, or carries them no more.
// Its tag names are those of the row already.
func (tx *Tx) SaveTags(w *belay.Workspace, added, removed []string) error {
	if err := tx.LinkTags(w, added); err != nil {
		return err
	}
	if err := tx.unlinkTags(w, removed); err != nil {
		return err
	}
	if err := tx.Do("UPDATE workspaces SET tag_names = ? WHERE id = ?", sqldb.JSON(&w.TagNames), w.ID); err != nil {
		return err
	}
	tx.MoveGeneration(w.OrganizationID)
	return nil
}

// LinkTags makes the workspace carry tags that it did not carry, and makes those that
// the organization lacks. Names come in order, so that transactions meet in one order.
func (tx *Tx) LinkTags(w *belay.Workspace, names []string) error {
	if len(names) == 0 {
		return nil
	}
	rows := make([]map[string]string, len(names))
	for i, name := range names {
		rows[i] = map[string]string{"id": belay.NewID("tag"), "name": name}
	}
	q := tx.SQL("INSERT INTO tags (id, organization_id, name, created_at, instance_count) SELECT id, ?, name, CAST(? AS BIGINT), 1 FROM ",
		w.OrganizationID, sqldb.UnixMillis(tx.Now))
	q.Rows("tags", []sqldb.Text{"id", "name"}, rows).Add(" WHERE 1 = 1 ON CONFLICT (organization_id, name) DO UPDATE SET instance_count = tags.instance_count + 1 RETURNING id")
	ids, err := sqldb.Values[string](&tx.View, q)
	if err != nil {
		return err
	}
	if err := tx.refuseDoomed(ids); err != nil {
		return err
	}
	q = tx.SQL("INSERT INTO workspace_tags (tag_id, workspace_name, workspace_id) SELECT t.id, ?, ? FROM tags t WHERE t.id", w.Name, w.ID)
	_, err = tx.Exec(q.In("", ids))
	return err
}

// unlinkTags takes tags from the workspace that it carries. A tag that nobody carries
// any more goes.
func (tx *Tx) unlinkTags(w *belay.Workspace, names []string) error {
	if len(names) == 0 {
		return nil
	}
	q := tx.SQL("UPDATE tags SET instance_count = instance_count - 1 WHERE id IN (SELECT id FROM tags WHERE organization_id = ?", w.OrganizationID)
	q.In(" AND name", names).Add(" ORDER BY name" + tx.Dialect().Hold + ") RETURNING id") // in the order of linkTags
	ids, err := sqldb.Values[string](&tx.View, q)
	if err != nil {
		return err
	}
	if _, err := tx.Exec(tx.SQL("DELETE FROM workspace_tags WHERE workspace_id = ?", w.ID).In(" AND tag_id", ids)); err != nil {
		return err
	}
	_, err = tx.Exec(tx.SQL("DELETE FROM tags WHERE instance_count <= 0").In(" AND id", ids))
	return err
}

// HeldWorkspaces is where many workspaces are, their names and their tags, and what decides whose
// code runs there and when they are destroyed; nothing else of them. A transaction holds them, in the order of their ids.
func (v *View) HeldWorkspaces(ids []string) ([]belay.Workspace, error) {
	return sqldb.Held(v.Hold(), len(ids), func(hold sqldb.Text) ([]belay.Workspace, error) { return v.placedWorkspaces(ids, hold) })
}

func (v *View) placedWorkspaces(ids []string, hold sqldb.Text) ([]belay.Workspace, error) {
	q := v.SQL(`SELECT w.id, w.organization_id, w.project_id, w.name, w.tag_names, w.own_destroy_at, w.own_destroy_duration, w.inherits_project_auto_destroy,
			w.vcs_repo, w.vcs_token_id, w.auto_apply, w.auto_apply_run_trigger, w.queue_all_runs, w.speculative_enabled, w.working_directory,
			w.owns_execution, w.own_mode, w.own_pool_id, p.auto_destroy_activity_duration, p.owns_execution, p.default_execution_mode,
			p.default_agent_pool_id, o.default_execution_mode, o.default_agent_pool_id
		FROM workspaces w JOIN projects p ON p.id = w.project_id JOIN organizations o ON o.id = w.organization_id WHERE w.id`).In("", ids)
	return sqldb.Collect(v, q.Add(" ORDER BY w.id").Held(hold, "w"), func(w *belay.Workspace) []any {
		return []any{
			&w.ID, &w.OrganizationID, &w.ProjectID, &w.Name, sqldb.JSON(&w.TagNames), sqldb.Millis(&w.OwnDestroyAt), &w.OwnDestroyDuration,
			&w.InheritsProjectAutoDestroy, sqldb.JSON(&w.VCSRepo), &w.VCSTokenID, &w.AutoApply, &w.AutoApplyRunTrigger,
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
	text, _ := sqldb.JSON(&names).Value() // cannot fail for strings
	return text.(string)                  //nolint:forcetypeassert // it is one
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
		q := tx.SQL("UPDATE workspaces SET tag_names = ? WHERE tag_names = ? AND project_id = ? AND id", kind.after, kind.before, kind.project)
		if n, err := tx.Exec(q.In("", ids)); err != nil || int(n) < len(ids) {
			return cmp.Or(err, ErrChangedMeanwhile)
		}
	}
	q := tx.SQL("INSERT INTO workspace_tags (tag_id, workspace_name, workspace_id) SELECT CAST(? AS TEXT), name, id FROM workspaces WHERE id", t.ID)
	if _, err := tx.Exec(q.In("", base.IDsOf(list, func(w *belay.Workspace) string { return w.ID }))); err != nil {
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
		links := tx.SQL("INSERT INTO workspace_tags (tag_id, workspace_name, workspace_id) VALUES ")
		rows := tx.SQL("UPDATE workspaces SET tag_names = named.column2 FROM (VALUES ")
		for i := range batch {
			if i > 0 {
				links.Add(", ")
				rows.Add(", ")
			}
			w := &batch[i]
			links.Add("(?, ?, ?)", t.ID, w.Name, w.ID)
			rows.Add("(?, ?)", w.ID, sqldb.JSON(&w.TagNames))
		}
		rows.Add(") AS named WHERE workspaces.id = named.column1")
		for _, q := range []*sqldb.Query{links, rows} {
			if _, err := tx.Exec(q); err != nil {
				return err
			}
		}
	}
	return tx.countTagged(t, len(list))
}

func (tx *Tx) countTagged(t *belay.Tag, n int) error {
	tx.MoveGeneration(t.OrganizationID)
	return tx.Do("UPDATE tags SET instance_count = instance_count + ? WHERE id = ?", n, t.ID)
}
