package base

import "github.com/belayhq/belay/internal/sqldb"

// Link is a table of pairs: which other nouns an owner goes with. owner and other are its two
// columns, noun the table that the other is a row of.
type Link struct{ table, owner, other, noun sqldb.Text }

// NewLink is the table of pairs with these two columns, the second of which is the id of a noun.
func NewLink(table, owner, other, noun sqldb.Text) Link { return Link{table, owner, other, noun} }

// pair is one row of a link.
type pair struct{ owner, other string }

// Of is what each of the owners goes with, in order of the other's name.
func (l Link) Of(v Reader, owners []string) (map[string][]string, error) {
	q := v.SQL("SELECT l." + l.owner + ", l." + l.other + " FROM " + l.table + " l JOIN " + l.noun + " n ON n.id = l." + l.other + " WHERE l." + l.owner)
	q.In("", owners).Add(" AND n.organization_id NOT LIKE 'shelf %' ORDER BY n.name, n.id")
	return Grouped(v, q)
}

// Listed adds what each of the owners goes with as rows of a list that has others, too: its name, the owner, the
// other's id and the other's name.
func (l Link) Listed(q *sqldb.Query, list string, owners []string) {
	q.Add("SELECT CAST(? AS TEXT), l."+l.owner+", l."+l.other+", n.name FROM "+l.table+" l JOIN "+l.noun+" n ON n.id = l."+l.other+" WHERE l."+l.owner, list)
	q.In("", owners).Add(" AND n.organization_id NOT LIKE 'shelf %'")
}

// Grouped reads pairs of an owner and what it goes with.
func Grouped(v Reader, q *sqldb.Query) (map[string][]string, error) {
	list, err := sqldb.Collect(v, q, func(p *pair) []any { return []any{&p.owner, &p.other} })
	if err != nil {
		return nil, err
	}
	groups := map[string][]string{}
	for _, p := range list {
		groups[p.owner] = append(groups[p.owner], p.other)
	}
	return groups, nil
}

// Named is the lists of several owners, by what each list is called.
type Named map[[2]string][]string

// List is one of the lists of an owner.
func (n Named) List(name, owner string) []string { return n[[2]string{name, owner}] }

// Lists reads rows of a list's name, an owner, and what it goes with.
func Lists(v Reader, q *sqldb.Query) (Named, error) {
	type entry struct{ list, owner, id string }
	rows, err := sqldb.Collect(v, q, func(e *entry) []any { return []any{&e.list, &e.owner, &e.id} })
	if err != nil {
		return nil, err
	}
	of := Named{}
	for _, e := range rows {
		at := [2]string{e.list, e.owner}
		of[at] = append(of[at], e.id)
	}
	return of, nil
}

// Add lets an owner go with more of the organization's nouns; what is there already stays.
func (l Link) Add(tx Writer, ownerID, organizationID string, ids []string) error {
	if len(ids) == 0 {
		return nil
	}
	q := tx.SQL("INSERT INTO "+l.table+" ("+l.owner+", "+l.other+") SELECT ?, n.id FROM "+l.noun+" n WHERE n.id", ownerID)
	_, err := tx.Exec(q.In("", ids).Beside("n.organization_id = ?", organizationID).Add(" ON CONFLICT DO NOTHING"))
	return err
}

// Remove takes some away from an owner; what is not there is passed over.
func (l Link) Remove(tx Writer, ownerID string, ids []string) error {
	q := tx.SQL("DELETE FROM "+l.table+" WHERE "+l.owner+" = ? AND "+l.other, ownerID)
	_, err := tx.Exec(q.In("", ids))
	return err
}

// Among is which one of the others an owner goes with, if it does.
func (l Link) Among(v Reader, ownerID, id string) ([]string, error) {
	return sqldb.Values[string](v, v.SQL("SELECT "+l.other+" FROM "+l.table+" WHERE "+l.owner+" = ? AND "+l.other+" = ?", ownerID, id))
}

// Replace makes the owner go with exactly these. Those that stay are not written.
func (l Link) Replace(tx Writer, ownerID, organizationID string, ids []string) error {
	gone := tx.SQL("DELETE FROM "+l.table+" WHERE "+l.owner+" = ? AND NOT ("+l.other, ownerID)
	if _, err := tx.Exec(gone.In("", ids).Add(")")); err != nil {
		return err
	}
	return l.Add(tx, ownerID, organizationID, ids)
}

// WorkspacesIn is which of the ids are workspaces of an organization.
func (v *View) WorkspacesIn(organizationID string, ids []string) ([]string, error) {
	return sqldb.Values[string](v, v.SQL("SELECT id FROM workspaces WHERE id").In("", ids).Beside("organization_id = ?", organizationID))
}

// ProjectsIn is which of the ids are projects of an organization.
func (v *View) ProjectsIn(organizationID string, ids []string) ([]string, error) {
	return sqldb.Values[string](v, v.SQL("SELECT id FROM projects WHERE id").In("", ids).Beside("organization_id = ?", organizationID))
}
