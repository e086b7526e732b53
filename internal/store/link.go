package store

import "github.com/belayhq/belay/internal/sqldb"

// link is a table of pairs: which other nouns an owner goes with. owner and other are
// its two columns, noun the table that the other is a row of.
type link struct{ table, owner, other, noun text }

// pair is one row of a link.
type pair struct{ owner, other string }

// of is what each of the owners goes with, in order of the other's name.
func (l link) of(v *View, owners []string) (map[string][]string, error) {
	q := v.SQL("SELECT l." + l.owner + ", l." + l.other + " FROM " + l.table + " l JOIN " + l.noun + " n ON n.id = l." + l.other + " WHERE l." + l.owner)
	q.In("", owners).Add(" AND n.organization_id NOT LIKE 'shelf %' ORDER BY n.name, n.id")
	return grouped(v, q)
}

// grouped reads pairs of an owner and what it goes with.
func grouped(v *View, q *query) (map[string][]string, error) {
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

// add lets an owner go with more of the organization's nouns; what is there already stays.
func (l link) add(tx *Tx, ownerID, organizationID string, ids []string) error {
	if len(ids) == 0 {
		return nil
	}
	q := tx.SQL("INSERT INTO "+l.table+" ("+l.owner+", "+l.other+") SELECT ?, n.id FROM "+l.noun+" n WHERE n.id", ownerID)
	_, err := tx.Exec(q.In("", ids).Beside("n.organization_id = ?", organizationID).Add(" ON CONFLICT DO NOTHING"))
	return err
}

// remove takes some away from an owner; what is not there is passed over.
func (l link) remove(tx *Tx, ownerID string, ids []string) error {
	q := tx.SQL("DELETE FROM "+l.table+" WHERE "+l.owner+" = ? AND "+l.other, ownerID)
	_, err := tx.Exec(q.In("", ids))
	return err
}

// among is which one of the others an owner goes with, if it does.
func (l link) among(v *View, ownerID, id string) ([]string, error) {
	return sqldb.Values[string](v, v.SQL("SELECT "+l.other+" FROM "+l.table+" WHERE "+l.owner+" = ? AND "+l.other+" = ?", ownerID, id))
}

// replace makes the owner go with exactly these. Those that stay are not written.
func (l link) replace(tx *Tx, ownerID, organizationID string, ids []string) error {
	gone := tx.SQL("DELETE FROM "+l.table+" WHERE "+l.owner+" = ? AND NOT ("+l.other, ownerID)
	if _, err := tx.Exec(gone.In("", ids).Add(")")); err != nil {
		return err
	}
	return l.add(tx, ownerID, organizationID, ids)
}

// WorkspacesIn is which of the ids are workspaces of an organization.
func (v *View) WorkspacesIn(organizationID string, ids []string) ([]string, error) {
	return sqldb.Values[string](v, v.SQL("SELECT id FROM workspaces WHERE id").In("", ids).Beside("organization_id = ?", organizationID))
}

// ProjectsIn is which of the ids are projects of an organization.
func (v *View) ProjectsIn(organizationID string, ids []string) ([]string, error) {
	return sqldb.Values[string](v, v.SQL("SELECT id FROM projects WHERE id").In("", ids).Beside("organization_id = ?", organizationID))
}

func idsOf[N any](list []N, id func(*N) string) []string {
	ids := make([]string, len(list))
	for i := range list {
		ids[i] = id(&list[i])
	}
	return ids
}
