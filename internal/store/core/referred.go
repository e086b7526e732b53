package core

import (
	"github.com/belayhq/belay"
	"github.com/belayhq/belay/internal/sqldb"
)

// reference is something that a row of a workspace may refer to.
type reference struct {
	of   func(*belay.Workspace) string
	from sqldb.Text // what it is found in, by kind, id, name and visibility
}

// found is what a reference leads to.
type found struct{ kind, id, name, visibility string }

var references = []reference{
	{holding("users"), "SELECT 'users', id, username, '' FROM users WHERE id"},
	{holding("teams"), "SELECT 'teams', id, name, visibility FROM teams WHERE id"},
	{func(w *belay.Workspace) string { return w.VCSTokenID }, "SELECT 'token', ot.id, COALESCE(oc.name, ''), '' FROM oauth_tokens ot LEFT JOIN oauth_clients oc ON oc.id = ot.client_id WHERE ot.id"},
	{func(w *belay.Workspace) string { return w.SSHKeyID }, "SELECT 'key', id, '', '' FROM ssh_keys WHERE id"},
}

// holding is who holds the lock, of a kind.
func holding(kind string) func(*belay.Workspace) string {
	return func(w *belay.Workspace) string {
		if w.Lock.Holder.Type != kind {
			return ""
		}
		return w.Lock.Holder.ID
	}
}

// knowing is a table of workspaces for somebody who is known.
func knowing(table *sqldb.Table[belay.Workspace], user belay.Holder) *sqldb.Table[belay.Workspace] {
	if user.ID == "" {
		return table
	}
	t := *table
	t.Refer = func(v *sqldb.View, list []*belay.Workspace) error { return lookUp(v, list, user) }
	return &t
}

// referred reads what workspaces refer to, in one statement where any of them does: those who hold
// their locks, by the names of today, their connections and their keys. What is deleted is forgotten
// in parts, and shown no more at once.
func referred(v *sqldb.View, list []*belay.Workspace) error { return lookUp(v, list, belay.Holder{}) }

// lookUp is referred where a user is known.
func lookUp(v *sqldb.View, list []*belay.Workspace, known belay.Holder) error {
	q := v.SQL("")
	for _, r := range references {
		var ids []string
		for _, w := range list {
			if id := r.of(w); id != "" && id != known.ID {
				ids = append(ids, id)
			}
		}
		if len(ids) == 0 {
			continue
		}
		if len(q.Args) > 0 {
			q.Add(" UNION ALL ")
		}
		q.In(r.from, ids)
	}
	if len(q.Args) == 0 && known.ID == "" {
		return nil
	}
	there := map[[2]string]*found{{"users", known.ID}: {name: known.Name}}
	if len(q.Args) > 0 {
		rows, err := sqldb.Collect(v, q, func(f *found) []any { return []any{&f.kind, &f.id, &f.name, &f.visibility} })
		if err != nil {
			return err
		}
		for i, f := range rows {
			there[[2]string{f.kind, f.id}] = &rows[i]
		}
	}
	for _, w := range list {
		refer(w, there)
	}
	return nil
}

func refer(w *belay.Workspace, there map[[2]string]*found) {
	holder := &w.Lock.Holder
	if f := there[[2]string{holder.Type, holder.ID}]; f != nil {
		holder.Name, holder.Visibility = f.name, f.visibility
	}
	if f := there[[2]string{"token", w.VCSTokenID}]; f != nil {
		w.OAuthClientName = f.name
	} else if w.VCSTokenID != "" {
		w.VCSRepo, w.VCSTokenID = nil, ""
	}
	if w.SSHKeyID != "" && there[[2]string{"key", w.SSHKeyID}] == nil {
		w.SSHKeyID = ""
	}
}
