package store

import "context"

// Snapshot is the whole of a database as it was at one moment. While it is read the others
// read and write as ever.
type Snapshot struct{ *sqlSnapshot }

// Snapshot runs fn with all that was committed when it began, and nothing newer.
func (db *DB) Snapshot(ctx context.Context, fn func(*Snapshot) error) error {
	return db.sqlDB.Snapshot(ctx, func(s *sqlSnapshot) error { return fn(&Snapshot{s}) })
}

// ObjectKeys gives the key of every object that a row names, once.
func (s *Snapshot) ObjectKeys(each func(key string) error) error {
	var q text
	for i, c := range objectColumns {
		if i > 0 {
			q += " UNION "
		}
		q += "SELECT " + c.key + " FROM " + c.table + " WHERE " + c.key + " <> ''"
	}
	return s.EachText(each, q)
}

// Keys is the fingerprints of the keys that the data was served with.
func (s *Snapshot) Keys() (leading, all []string, err error) {
	if leading, err = s.Texts("SELECT fingerprint FROM encryption_keys WHERE leads"); err != nil {
		return nil, nil, err
	}
	all, err = s.Texts("SELECT fingerprint FROM encryption_keys ORDER BY fingerprint")
	return leading, all, err
}

// SealedWith is the ids of the keys that values are sealed with.
func (s *Snapshot) SealedWith() ([]string, error) { return s.Texts(sealedWith(s.Dialect())) }
