package core

import (
	"github.com/belayhq/belay"
	"github.com/belayhq/belay/internal/sqldb"
)

// reference is something that a row of a workspace may refer to.
type reference struct {
	of    func(*belay.Workspace) string
	from  sqldb.Text // what it is found in, by kind, id, name and visibility
	users bool
}

// found is what a reference leads to.
type found struct{ kind, id, name, visibility string }

var references = []reference{
	{of: holding("users"), from: "SELECT 'users', id, username, '' FROM users WHERE id", users: true},
	{of: holding("teams"), from: "SELECT 'teams', id, name, visibility FROM teams WHERE id"},
	{of: func(w *belay.Workspace) string { return w.VCSTokenID }, from: "SELECT 'token', ot.id, COALESCE(oc.name, ''), '' FROM oauth_tokens ot LEFT JOIN oauth_clients oc ON oc.id = ot.client_id WHERE ot.id"},
	{of: func(w *belay.Workspace) string { return w.SSHKeyID }, from: "SELECT 'key', id, '', '' FROM ssh_keys WHERE id"},
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

// lookUp is referred where a user is known. A page calls others as it called them a moment ago.
func lookUp(v *sqldb.View, list []*belay.Workspace, known belay.Holder) error {
	q, seat := v.SQL(""), seatOf(v)
	called, asked := referring(q, list, known, seat)
	if len(q.Args) == 0 && known.ID == "" && called == nil {
		return nil
	}
	there := map[[2]string]*found{{"users", known.ID}: {name: known.Name}}
	for id, name := range called {
		there[[2]string{"users", id}] = &found{name: name}
	}
	if len(q.Args) > 0 {
		rows, err := sqldb.Collect(v, q, func(f *found) []any { return []any{&f.kind, &f.id, &f.name, &f.visibility} })
		if err != nil {
			return err
		}
		read := make(map[string]string, len(rows))
		for i, f := range rows {
			there[[2]string{f.kind, f.id}], read[f.id] = &rows[i], f.name
		}
		if asked != nil {
			seat.names.Keep(asked, read)
		}
	}
	for _, w := range list {
		refer(w, there)
	}
	return nil
}

// referring asks for what workspaces refer to, but for a user who is known and those that the seat knows, who are called
// that; asked is the users whom it does not know.
func referring(q *sqldb.Query, list []*belay.Workspace, known belay.Holder, seat *sitting) (called map[string]string, asked []string) {
	for _, r := range references {
		var ids []string
		for _, w := range list {
			if id := r.of(w); id != "" && id != known.ID {
				ids = append(ids, id)
			}
		}
		if r.users && seat != nil && ids != nil {
			called, asked = seat.names.Known(ids)
			ids = asked
		}
		if len(ids) == 0 {
			continue
		}
		if len(q.Args) > 0 {
			q.Add(" UNION ALL ")
		}
		q.In(r.from, ids)
	}
	return called, asked
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
