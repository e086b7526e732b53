package store

import "github.com/belayhq/belay/run"

var runNotes = newTable(table[run.Event]{
	name: "run_notes",
	late: true,
	own: []column[run.Event]{
		{"id", func(n *run.Event) any { return &n.ID }},
		{"run_id", func(n *run.Event) any { return &n.RunID }},
		{"sequence", func(n *run.Event) any { return &n.Sequence }},
		{"action", func(n *run.Event) any { return &n.Action }},
		{"description", func(n *run.Event) any { return &n.Description }},
		{"actor_id", func(n *run.Event) any { return &n.ActorID }},
		{"comment_id", func(n *run.Event) any { return &n.CommentID }},
		{"body", func(n *run.Event) any { return &n.Body }},
		{"created_at", func(n *run.Event) any { return millis{&n.CreatedAt} }},
	},
})

// AddRunNote writes what happened to a run, whose row must be held.
func (tx *Tx) AddRunNote(n *run.Event) error {
	tx.notes = append(tx.notes, *n)
	return runNotes.insert(tx, n, nil)
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
	return runNotes.many(v, v.sql(runNotes.selected+"WHERE run_id = ? ORDER BY sequence", runID))
}

// RunNotesOf is everything that happened to some runs, by run and in order.
func (v *View) RunNotesOf(runIDs []string) (map[string][]run.Event, error) {
	list, err := runNotes.many(v, v.sql(runNotes.selected+"WHERE run_id").in("", runIDs).add(" ORDER BY run_id, sequence"))
	notes := map[string][]run.Event{}
	for _, n := range list {
		notes[n.RunID] = append(notes[n.RunID], n)
	}
	return notes, err
}

// RunNote is one thing that happened to a run.
func (v *View) RunNote(id string) (run.Event, error) {
	return runNotes.one(v, "run_notes.id = ?", id)
}

// RunComment is the note of a comment.
func (v *View) RunComment(id string) (run.Event, error) {
	return runNotes.one(v, "comment_id = ? AND comment_id <> ''", id)
}
