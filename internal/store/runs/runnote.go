package runs

import (
	"github.com/belayhq/belay/internal/sqldb"
	"github.com/belayhq/belay/run"
)

var runNotes = sqldb.NewTable(sqldb.Table[run.Event]{
	Name: "run_notes",
	Late: true,
	Own: []sqldb.Column[run.Event]{
		{Name: "id", At: func(n *run.Event) any { return &n.ID }},
		{Name: "run_id", At: func(n *run.Event) any { return &n.RunID }},
		{Name: "sequence", At: func(n *run.Event) any { return &n.Sequence }},
		{Name: "action", At: func(n *run.Event) any { return &n.Action }},
		{Name: "description", At: func(n *run.Event) any { return &n.Description }},
		{Name: "actor_id", At: func(n *run.Event) any { return &n.ActorID }},
		{Name: "comment_id", At: func(n *run.Event) any { return &n.CommentID }},
		{Name: "body", At: func(n *run.Event) any { return &n.Body }},
		{Name: "created_at", At: func(n *run.Event) any { return sqldb.Millis(&n.CreatedAt) }},
	},
})

// AddRunNote writes what happened to a run, whose row must be held.
func (tx *Tx) AddRunNote(n *run.Event) error {
	tx.notes = append(tx.notes, *n)
	return runNotes.InsertTogether(tx, n)
}

// NotesWritten is what the transaction wrote of a run, in order: everything there is of one that
// it made.
func (tx *Tx) NotesWritten(runID string) (list []run.Event) {
	for _, n := range tx.notes {
		if n.RunID == runID {
			list = append(list, n)
		}
	}
	return list
}

// RunNotes is everything that happened to a run, in order.
func (v *View) RunNotes(runID string) ([]run.Event, error) {
	return runNotes.Many(v, v.SQL(runNotes.Selected+"WHERE run_id = ? ORDER BY sequence", runID))
}

// RunNotesOf is everything that happened to some runs, by run and in order.
func (v *View) RunNotesOf(runIDs []string) (map[string][]run.Event, error) {
	list, err := runNotes.Many(v, v.SQL(runNotes.Selected+"WHERE run_id").In("", runIDs).Add(" ORDER BY run_id, sequence"))
	notes := map[string][]run.Event{}
	for _, n := range list {
		notes[n.RunID] = append(notes[n.RunID], n)
	}
	return notes, err
}

// RunNote is one thing that happened to a run.
func (v *View) RunNote(id string) (run.Event, error) {
	return runNotes.One(v, "run_notes.id = ?", id)
}

// RunComment is the note of a comment.
func (v *View) RunComment(id string) (run.Event, error) {
	return runNotes.One(v, "comment_id = ? AND comment_id <> ''", id)
}
