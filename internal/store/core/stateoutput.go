package core

import (
	"context"
	"database/sql/driver"
	"time"

	"github.com/belayhq/belay"
	"github.com/belayhq/belay/internal/sqldb"
)

var stateOutputs = sqldb.NewTable(sqldb.Table[belay.StateOutput]{
	Name: "state_outputs",
	Hold: "o",
	From: "state_outputs o JOIN state_versions v ON v.id = o.state_version_id AND v.output_set = o.set_id",
	Own: []sqldb.Column[belay.StateOutput]{
		{Name: "id", At: func(o *belay.StateOutput) any { return &o.ID }},
		{Name: "state_version_id", At: func(o *belay.StateOutput) any { return &o.StateVersionID }},
		{Name: "set_id", At: func(o *belay.StateOutput) any { return &o.SetID }},
		{Name: "name", At: func(o *belay.StateOutput) any { return &o.Name }},
		{Name: "sensitive", At: func(o *belay.StateOutput) any { return &o.Sensitive }},
		{Name: "kind", At: func(o *belay.StateOutput) any { return &o.Kind }},
		{Name: "detailed_type", At: func(o *belay.StateOutput) any { return &o.DetailedType }},
		{Name: "sealed_value", At: func(o *belay.StateOutput) any { return &o.SealedValue }},
	},
})

// outputRefs keeps the ids of outputs as JSON text, and that there are too many as a star.
type outputRefs struct {
	ids  *[]string
	many *bool
}

const manyOutputs = "*"

// Value writes the ids.
func (r outputRefs) Value() (driver.Value, error) {
	if *r.many {
		return manyOutputs, nil
	}
	return sqldb.JSON(r.ids).Value()
}

// Scan reads the ids.
func (r outputRefs) Scan(src any) error {
	raw, isBytes := src.([]byte)
	*r.many = src == manyOutputs || isBytes && string(raw) == manyOutputs
	if *r.many {
		src = ""
	}
	return sqldb.JSON(r.ids).Scan(src)
}

// StateOutput is one output.
func (v *View) StateOutput(id string) (belay.StateOutput, error) {
	return stateOutputs.One(v.Peek(), "o.id = ?", id)
}

// StateOutputs is one page of the outputs of a state version, by name.
func (v *View) StateOutputs(stateVersionID string, page belay.Page) ([]belay.StateOutput, int, error) {
	return stateOutputs.Page(v, page, "o.name", "o.state_version_id = ?", stateVersionID)
}

// StateOutputsOf is all outputs of some state versions, by name.
func (v *View) StateOutputsOf(stateVersionIDs ...string) ([]belay.StateOutput, error) {
	q := v.SQL(stateOutputs.Selected).Add("WHERE ").In("o.state_version_id", stateVersionIDs)
	return stateOutputs.Many(v, q.Add(" ORDER BY o.state_version_id, o.name"))
}

// bytesAtOnce is how long the texts of these rows may be together.
const bytesAtOnce = 1 << 20

// FewOutputs says that outputs may be written in the transaction that makes their state
// version. More are staged before it.
func FewOutputs(outputs []belay.StateOutput) bool { return len(someOutputs(outputs)) == len(outputs) }

// someOutputs is as many of the outputs, the first of them, as one transaction writes.
func someOutputs(outputs []belay.StateOutput) []belay.StateOutput {
	held := 0
	for i := range outputs {
		o := &outputs[i]
		if held += len(o.Name) + len(o.DetailedType) + len(o.SealedValue); i == sqldb.RowsAtOnce || i > 0 && held > bytesAtOnce {
			return outputs[:i]
		}
	}
	return outputs
}

// AddOutputs writes outputs of a state version that the transaction makes, or finishes.
func (tx *Tx) AddOutputs(outputs []belay.StateOutput) error {
	return stateOutputs.InsertMany(tx, outputs)
}

// StageOutputs writes outputs in parts, for a state version that does not have them yet:
// nobody sees them before a transaction calls TakeStaged. What is never taken is deleted
// from the moment on that is given.
func (db *DB) StageOutputs(ctx context.Context, outputs []belay.StateOutput, until time.Time) error {
	for rest := outputs; len(rest) > 0; {
		some := someOutputs(rest)
		rest = rest[len(some):]
		err := db.Update(ctx, func(tx *Tx) error {
			err := tx.Do(`INSERT INTO loose_outputs (state_version_id, set_id, free_at) VALUES (?, ?, ?)
				ON CONFLICT (state_version_id, set_id) DO NOTHING`, some[0].StateVersionID, some[0].SetID, sqldb.UnixMillis(until))
			if err != nil {
				return err
			}
			return tx.AddOutputs(some)
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// TakeStaged takes staged outputs for good, and says whether they are still there.
func (tx *Tx) TakeStaged(stateVersionID, setID string) (bool, error) {
	n, err := tx.Exec(tx.SQL("DELETE FROM loose_outputs WHERE state_version_id = ? AND set_id = ?", stateVersionID, setID))
	return n == 1, err
}

// FreeStaged lets staged outputs be deleted at once, if nobody has taken them.
func (tx *Tx) FreeStaged(stateVersionID, setID string) error {
	return tx.Do("UPDATE loose_outputs SET free_at = ? WHERE state_version_id = ? AND set_id = ?", sqldb.UnixMillis(tx.Now), stateVersionID, setID)
}

// NoOutputs is the set of a state version whose outputs are gone.
const NoOutputs = "-"

// LoosenOutputs takes its outputs from a state version that is to be saved. They are
// deleted later.
func (tx *Tx) LoosenOutputs(v *belay.StateVersion) error {
	v.OutputIDs, v.ManyOutputs, v.OutputSet = nil, false, NoOutputs
	return tx.loosenOutputs("id = ?", v.ID)
}

// loosenOutputs leaves the outputs of state versions that are to go for later.
func (tx *Tx) loosenOutputs(condition sqldb.Text, args ...any) error {
	_, err := tx.Exec(tx.Loosen(condition, args...))
	return err
}

// Loosen begins the statement that loosens outputs from their states.
func (tx *Tx) Loosen(condition sqldb.Text, args ...any) *sqldb.Query {
	q := tx.SQL("INSERT INTO loose_outputs (state_version_id, set_id, free_at) SELECT id, output_set, CAST(? AS BIGINT) FROM state_versions WHERE output_ids <> '' AND ", sqldb.UnixMillis(tx.Now))
	return q.Add(condition, args...)
}

// looseSet is a set of outputs that belongs to no state version.
type looseSet struct{ stateVersionID, setID string }

func (l *looseSet) dest() []any { return []any{&l.stateVersionID, &l.setID} }

// DropLooseOutputs deletes some of the outputs that belong to no state version, and says
// whether there may be more.
func (db *DB) DropLooseOutputs(ctx context.Context) (more bool, err error) {
	err = db.Update(ctx, func(tx *Tx) error {
		more = false
		q := tx.SQL("SELECT state_version_id, set_id FROM loose_outputs WHERE free_at <= ? ORDER BY free_at", sqldb.UnixMillis(tx.Now)).First(sqldb.RowsAtOnce / 5)
		list, err := sqldb.Collect(&tx.View, q.Add(tx.Dialect().SkipHeld), (*looseSet).dest)
		left := sqldb.RowsAtOnce
		for i := 0; i < len(list) && left > 0 && err == nil; i++ {
			left, err = tx.dropLooseSet(list[i], left)
		}
		more = len(list) > 0
		return err
	})
	return more, err
}

// dropLooseSet deletes so many outputs of a set at the most, and says how many more the
// transaction may delete.
func (tx *Tx) dropLooseSet(set looseSet, most int) (left int, err error) {
	q := tx.SQL("DELETE FROM state_outputs WHERE id IN (SELECT id FROM state_outputs WHERE state_version_id = ? AND set_id = ?", set.stateVersionID, set.setID)
	n, err := tx.Exec(q.First(most).Add(")"))
	if left = most - int(n); err != nil || left == 0 {
		return 0, err
	}
	_, err = tx.TakeStaged(set.stateVersionID, set.setID)
	return left, err
}

// KeptOutputs is how many outputs there are, those that belong to no state version too.
func (v *View) KeptOutputs() (int, error) {
	n, _, err := sqldb.Value[int](v, v.SQL("SELECT count(*) FROM state_outputs"))
	return n, err
}
