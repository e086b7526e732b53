package core

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/belayhq/belay"
	"github.com/belayhq/belay/internal/sqldb"
	"github.com/belayhq/belay/internal/store/base"
)

// doomedTags is the names of the flat tags of a workspace's organization that are being
// deleted: readers take them from its tag names. A name has no space.
const doomedTags sqldb.Text = "(SELECT string_agg(d.name, ' ') FROM tags d WHERE d.organization_id = w.organization_id AND d.doomed)"

// withoutDoomed takes names that are being deleted from a row's, which were read before.
type withoutDoomed struct{ names *[]string }

// Scan reads doomedTags.
func (w withoutDoomed) Scan(src any) error {
	var doomed string
	switch s := src.(type) {
	case nil:
		return nil
	case string:
		doomed = s
	case []byte:
		doomed = string(s)
	default:
		return fmt.Errorf("names are text, not %T", src)
	}
	gone := strings.Fields(doomed)
	*w.names = slices.DeleteFunc(*w.names, func(name string) bool { return slices.Contains(gone, name) })
	return nil
}

// ErrWornMeanwhile says that a tag was given to a workspace while it was deleted: the
// transaction is to be run again.
var ErrWornMeanwhile = errors.New("a tag was given to a workspace while it was deleted")

// DropTags deletes flat tags of one organization. Those that many workspaces carry are gone for
// whoever looks, and left to DropDoomed. Workspaces are held before tags, as whoever tags them
// does.
func (tx *Tx) DropTags(organizationID string, list []belay.Tag) (left bool, err error) {
	tx.MoveGeneration(organizationID)
	ids := base.IDsOf(list, func(t *belay.Tag) string { return t.ID })
	worn, err := tx.wearers(ids)
	if err != nil {
		return false, err
	}
	if len(worn) == sqldb.RowsAtOnce {
		n, err := tx.Exec(tx.SQL("UPDATE tags SET doomed = ? WHERE id IN (SELECT id FROM tags WHERE id", true).In("", ids).Add(" AND NOT doomed ORDER BY name" + tx.Dialect().Hold + ")"))
		return true, unlessAll(int(n), list, err)
	}
	if err := tx.strip(list, worn); err != nil {
		return false, err
	}
	held, err := tx.HeldTags(organizationID, ids)
	if err = unlessAll(len(held), list, err); err != nil {
		return false, err
	}
	if worn, err = tx.wearers(ids); err != nil {
		return false, err
	}
	if len(worn) > 0 {
		return false, ErrWornMeanwhile
	}
	_, err = tx.Exec(tx.SQL("DELETE FROM tags WHERE id").In("", ids))
	return false, err
}

// unlessAll is belay.ErrNotFound where others deleted some tags meanwhile: each is deleted once, and told of once.
func unlessAll(there int, list []belay.Tag, err error) error {
	if err == nil && there < len(list) {
		err = belay.ErrNotFound
	}
	return err
}

// DropDoomed takes a tag that is being deleted from some of the workspaces that carry it still,
// or deletes it, and says whether there may be more: one of some ids, or any when there are none.
func (db *DB) DropDoomed(ctx context.Context, ids ...string) (more bool, err error) {
	err = db.Update(ctx, func(tx *Tx) error {
		q := tx.SQL("SELECT id, name FROM tags WHERE doomed")
		if len(ids) > 0 {
			q.In(" AND id", ids)
		}
		list, err := sqldb.Collect(&tx.View, q.Add(" ORDER BY id").First(1), func(t *belay.Tag) []any { return []any{&t.ID, &t.Name} })
		if more = len(list) > 0; err != nil || !more {
			return err
		}
		worn, err := tx.wearers([]string{list[0].ID})
		if err != nil || len(worn) > 0 {
			return errors.Join(err, tx.strip(list, worn))
		}
		return tx.Do("DELETE FROM tags WHERE id = ? AND doomed", list[0].ID)
	})
	return more, err
}

// refuseDoomed refuses to give tags to a workspace of which one is being deleted.
func (tx *Tx) refuseDoomed(ids []string) error {
	name, found, err := sqldb.Value[string](tx.Peek(), tx.SQL("SELECT name FROM tags WHERE doomed AND id").In("", ids).First(1))
	if err == nil && found {
		err = belay.Refuse(belay.NotReady, "the tag %s is being deleted: try again in a moment", name)
	}
	return err
}

// wearer is a workspace that carries a tag.
type wearer struct{ tagID, workspaceID string }

// wearers is some of the workspaces that carry tags, each with the tag.
func (tx *Tx) wearers(tagIDs []string) ([]wearer, error) {
	q := tx.SQL("SELECT tag_id, workspace_id FROM workspace_tags WHERE tag_id").In("", tagIDs)
	return sqldb.Collect(&tx.View, q.First(sqldb.RowsAtOnce), func(p *wearer) []any { return []any{&p.tagID, &p.workspaceID} })
}

// strip takes tags from workspaces.
func (tx *Tx) strip(list []belay.Tag, worn []wearer) error {
	if len(worn) == 0 {
		return nil
	}
	of, all := map[string][]string{}, make([]string, len(worn))
	for i, p := range worn {
		of[p.tagID], all[i] = append(of[p.tagID], p.workspaceID), p.workspaceID
	}
	hold := tx.SQL("SELECT id FROM workspaces WHERE id").In("", all).Add(" ORDER BY id" + tx.Dialect().Hold)
	if _, err := sqldb.Values[string](&tx.View, hold); err != nil {
		return err
	}
	slices.SortFunc(list, func(a, b belay.Tag) int { return strings.Compare(a.Name, b.Name) })
	for _, t := range list {
		if of[t.ID] == nil {
			continue
		}
		// A name holds nothing that JSON escapes, so it stands in the row as it is.
		name := `"` + t.Name + `"`
		rows := tx.SQL(`UPDATE workspaces SET tag_names = REPLACE(REPLACE(REPLACE(tag_names, ?, ''), ?, ''), ?, '') WHERE id`,
			name+",", ","+name, "["+name+"]")
		links := tx.SQL("DELETE FROM workspace_tags WHERE tag_id = ?", t.ID)
		if _, err := tx.Exec(rows.In("", of[t.ID])); err != nil {
			return err
		}
		n, err := tx.Exec(links.In(" AND workspace_id", of[t.ID]))
		if err != nil {
			return err
		}
		if err := tx.Do("UPDATE tags SET instance_count = instance_count - ? WHERE id = ?", n, t.ID); err != nil {
			return err
		}
	}
	return nil
}
