package store

import "github.com/belayhq/belay/run"

// RunCheck is what a check came to, as it is kept: its output is sealed.
type RunCheck struct {
	run.Check
	Place int // among those of its job
}

var runChecks = newTable(table[RunCheck]{
	name: "run_checks",
	late: true,
	own: []column[RunCheck]{
		{"id", func(c *RunCheck) any { return &c.ID }},
		{"run_id", func(c *RunCheck) any { return &c.RunID }},
		{"stage", func(c *RunCheck) any { return &c.Stage }},
		{"place", func(c *RunCheck) any { return &c.Place }},
		{"name", func(c *RunCheck) any { return &c.Name }},
		{"enforcement", func(c *RunCheck) any { return &c.Enforcement }},
		{"status", func(c *RunCheck) any { return &c.Status }},
		{"exit_code", func(c *RunCheck) any { return &c.ExitCode }},
		{"reason", func(c *RunCheck) any { return &c.Reason }},
		{"output", func(c *RunCheck) any { return &c.Output }},
		{"began_at", func(c *RunCheck) any { return millis{&c.BeganAt} }},
		{"ended_at", func(c *RunCheck) any { return millis{&c.EndedAt} }},
	},
})

// RunChecks is what the checks of a run came to, in the order of each of its jobs.
func (v *View) RunChecks(runID string) ([]RunCheck, error) {
	return runChecks.many(v, v.sql(runChecks.selected+"WHERE run_id = ? ORDER BY place", runID))
}

// DropRunChecks forgets the results of a stage of a run, whose row must be held: they are told anew.
func (tx *Tx) DropRunChecks(runID string, stage run.CheckStage) error {
	return tx.do("DELETE FROM run_checks WHERE run_id = ? AND stage = ?", runID, string(stage))
}

// AddRunCheck writes one result.
func (tx *Tx) AddRunCheck(c *RunCheck) error { return runChecks.insert(tx, c, nil) }

// DropCheckOutput forgets what the checks of some stages of a run said.
func (tx *Tx) DropCheckOutput(runID string, stages ...run.CheckStage) error {
	names := make([]string, len(stages))
	for i, s := range stages {
		names[i] = string(s)
	}
	_, err := tx.exec(tx.sql("UPDATE run_checks SET output = '' WHERE run_id = ? AND output <> '' AND stage", runID).in("", names))
	return err
}
