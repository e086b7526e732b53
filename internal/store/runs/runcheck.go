package runs

import (
	"github.com/belayhq/belay/internal/sqldb"
	"github.com/belayhq/belay/internal/store/core"
	"github.com/belayhq/belay/run"
)

// RunCheck is what a check came to, as it is kept: its output is sealed.
type RunCheck struct {
	run.Check
	Place int // among those of its job
}

var runChecks = sqldb.NewTable(sqldb.Table[RunCheck]{
	Name: "run_checks",
	Late: true,
	Own: []sqldb.Column[RunCheck]{
		{Name: "id", At: func(c *RunCheck) any { return &c.ID }},
		{Name: "run_id", At: func(c *RunCheck) any { return &c.RunID }},
		{Name: "stage", At: func(c *RunCheck) any { return &c.Stage }},
		{Name: "place", At: func(c *RunCheck) any { return &c.Place }},
		{Name: "name", At: func(c *RunCheck) any { return &c.Name }},
		{Name: "enforcement", At: func(c *RunCheck) any { return &c.Enforcement }},
		{Name: "status", At: func(c *RunCheck) any { return &c.Status }},
		{Name: "exit_code", At: func(c *RunCheck) any { return &c.ExitCode }},
		{Name: "reason", At: func(c *RunCheck) any { return &c.Reason }},
		{Name: "output", At: func(c *RunCheck) any { return &c.Output }},
		{Name: "began_at", At: func(c *RunCheck) any { return sqldb.Millis(&c.BeganAt) }},
		{Name: "ended_at", At: func(c *RunCheck) any { return sqldb.Millis(&c.EndedAt) }},
	},
})

// RunChecks is what the checks of a run came to, in the order of each of its jobs.
func (v *View) RunChecks(runID string) ([]RunCheck, error) {
	if n, known := core.Kept[int](&v.View, checked(runID)); known && n == 0 {
		return nil, nil
	}
	return runChecks.Many(v, v.SQL(runChecks.Selected+"WHERE run_id = ? ORDER BY place", runID))
}

// DropRunChecks forgets the results of a stage of a run, whose row must be held: they are told anew.
func (tx *Tx) DropRunChecks(runID string, stage run.CheckStage) error {
	return tx.Do("DELETE FROM run_checks WHERE run_id = ? AND stage = ?", runID, string(stage))
}

// AddRunCheck writes one result.
func (tx *Tx) AddRunCheck(c *RunCheck) error { return runChecks.Insert(tx, c, nil) }

// DropCheckOutput forgets what the checks of some stages of a run said.
func (tx *Tx) DropCheckOutput(runID string, stages ...run.CheckStage) error {
	names := make([]string, len(stages))
	for i, s := range stages {
		names[i] = string(s)
	}
	_, err := tx.Exec(tx.SQL("UPDATE run_checks SET output = '' WHERE run_id = ? AND output <> '' AND stage", runID).In("", names))
	return err
}
