package runs

import (
	"database/sql/driver"
	"strings"

	"github.com/belayhq/belay"
	"github.com/belayhq/belay/internal/sqldb"
	"github.com/belayhq/belay/internal/store/core"
	"github.com/belayhq/belay/run"
)

// workedOut is a column that is written for statements to find and never read back: it
// follows from the rest of the run.
type workedOut struct {
	of   *run.Run
	what func(*run.Run) driver.Value
}

// Value writes the column.
func (w workedOut) Value() (driver.Value, error) { return w.what(w.of), nil }

// Scan forgets what is read.
func (workedOut) Scan(any) error { return nil }

var runs = sqldb.NewTable(sqldb.Table[run.Run]{
	Name: "runs",
	Late: true,
	Fixed: []sqldb.Text{
		"workspace_id", "organization_id", "created_at", "configuration_version_id", "plan_id", "apply_id", "commit_sha", "sender_name",
		"triggering_run_id", "triggering_source_id", "triggering_source", "chain_length", "source", "reason", "created_by",
	},
	Own: []sqldb.Column[run.Run]{
		{Name: "id", At: func(r *run.Run) any { return &r.ID }},
		{Name: "workspace_id", At: func(r *run.Run) any { return &r.WorkspaceID }},
		{Name: "organization_id", At: func(r *run.Run) any { return &r.OrganizationID }},
		{Name: "status", At: func(r *run.Run) any { return &r.Status }},
		{Name: "unfinished", At: func(r *run.Run) any { return workedOut{r, func(r *run.Run) driver.Value { return !r.Status.Final() }} }},
		{Name: "queued", At: func(r *run.Run) any { return workedOut{r, func(r *run.Run) driver.Value { return r.Queued() }} }},
		{Name: "operation", At: func(r *run.Run) any { return workedOut{r, func(r *run.Run) driver.Value { return r.Operation() }} }},
		{Name: "stamps", At: func(r *run.Run) any { return sqldb.JSON(&r.Stamps) }},
		{Name: "created_at", At: func(r *run.Run) any { return sqldb.Millis(&r.CreatedAt) }},
		{Name: "updated_at", At: func(r *run.Run) any { return sqldb.Millis(&r.UpdatedAt) }},
		{Name: "configuration_version_id", At: func(r *run.Run) any { return &r.ConfigurationVersionID }},
		{Name: "input_state_version_id", At: func(r *run.Run) any { return &r.InputStateVersionID }},
		{Name: "message", At: func(r *run.Run) any { return workedOut{r, func(r *run.Run) driver.Value { return r.Message }} }},
		{Name: "options", At: func(r *run.Run) any { return sqldb.JSON(&r.Options) }},
		{Name: "source", At: func(r *run.Run) any { return &r.Source }},
		{Name: "reason", At: func(r *run.Run) any { return &r.Reason }},
		{Name: "triggering_run_id", At: func(r *run.Run) any { return &r.TriggeringRunID }},
		{Name: "triggering_source_id", At: func(r *run.Run) any { return &r.TriggeringSourceID }},
		{Name: "triggering_source", At: func(r *run.Run) any { return &r.TriggeringSource }},
		{Name: "chain_length", At: func(r *run.Run) any { return &r.ChainLength }},
		{Name: "engine", At: func(r *run.Run) any { return &r.Engine }},
		{Name: "engine_version", At: func(r *run.Run) any { return &r.EngineVersion }},
		{Name: "working_directory", At: func(r *run.Run) any { return &r.WorkingDirectory }},
		{Name: "mode", At: func(r *run.Run) any { return &r.Mode }},
		{Name: "pool_id", At: func(r *run.Run) any { return &r.PoolID }},
		{Name: "plan_id", At: func(r *run.Run) any { return &r.Plan.ID }},
		{Name: "plan", At: func(r *run.Run) any { return sqldb.JSON(&r.Plan) }},
		{Name: "apply_id", At: func(r *run.Run) any { return &r.Apply.ID }},
		{Name: "apply", At: func(r *run.Run) any { return sqldb.JSON(&r.Apply) }},
		{Name: "created_by", At: func(r *run.Run) any { return &r.CreatedBy }},
		{Name: "confirmed_by", At: func(r *run.Run) any { return &r.ConfirmedBy }},
		{Name: "canceled_by", At: func(r *run.Run) any { return &r.CanceledBy }},
		{Name: "canceled_at", At: func(r *run.Run) any { return sqldb.Millis(&r.CanceledAt) }},
		{Name: "force_cancel_at", At: func(r *run.Run) any { return sqldb.Millis(&r.ForceCancelAt) }},
		{Name: "silent_since", At: func(r *run.Run) any { return sqldb.Millis(&r.SilentSince) }},
		{Name: "keeps_lock", At: func(r *run.Run) any { return &r.KeepsLock }},
		{Name: "error", At: func(r *run.Run) any { return &r.Error }},
		{Name: "active_at", At: func(r *run.Run) any { return sqldb.Millis(&r.ActiveAt) }},
		{Name: "notes", At: func(r *run.Run) any { return &r.Notes }},
		{Name: "commit_sha", At: func(r *run.Run) any { return &r.CommitSHA }},
		{Name: "sender_name", At: func(r *run.Run) any { return &r.SenderName }},
	},
})

// Run is one run, by its id.
func (v *View) Run(id string) (run.Run, error) { return runs.One(v, "runs.id = ?", id) }

// RunOfPhase is the run that a plan or an apply is of.
func (v *View) RunOfPhase(id string) (run.Run, error) {
	if r, known := core.Kept[run.Run](&v.View, phaseKey(id)); known {
		return r, nil
	}
	if strings.HasPrefix(id, "apply-") {
		return v.RunOfApply(id)
	}
	return v.RunOfPlan(id)
}

// RunOfPlan is the run that a plan is of.
func (v *View) RunOfPlan(planID string) (run.Run, error) { return runs.One(v, "plan_id = ?", planID) }

// RunOfApply is the run that an apply is of.
func (v *View) RunOfApply(applyID string) (run.Run, error) {
	return runs.One(v, "apply_id = ?", applyID)
}

// RunsByID is many runs, the newest first.
func (v *View) RunsByID(ids []string) ([]run.Run, error) {
	return runs.Many(v, v.SQL(runs.Selected+"WHERE operation <> 'assessment' AND runs.id").In("", ids).Add(" ORDER BY created_at DESC, id DESC"))
}

// AddRun writes a new run, and what its engine is given, sealed.
func (tx *Tx) AddRun(r *run.Run, sealedInputs string) error {
	if err := runs.Insert(tx, r, errRunThere); err != nil {
		return err
	}
	return tx.Lastly("INSERT INTO run_inputs (run_id, sealed) VALUES (?, ?)", r.ID, sealedInputs)
}

// errRunThere is the answer to a second run of one workspace by one other run.
var errRunThere = belay.Refuse(belay.Conflict, "the run is there already")

// SaveRun writes every column of a run, whose row must be held.
func (tx *Tx) SaveRun(r *run.Run) error { return runs.Update(tx, r, nil) }

// RunInputs is what the engine of a run is given, sealed.
func (v *View) RunInputs(runID string) (string, error) {
	sealed, _, err := sqldb.Value[string](v, v.SQL("SELECT sealed FROM run_inputs WHERE run_id = ?", runID))
	return sealed, err
}

// The queue of a workspace: what waits, and what is under way.

// NextRun is the oldest run that waits for its workspace; nil when none does.
func (v *View) NextRun(workspaceID string) (*run.Run, error) {
	return v.firstRun("WHERE workspace_id = ? AND status = 'pending' AND queued ORDER BY created_at, id", workspaceID)
}

// ActiveRun is the run that has a workspace: from the end of its waiting to its own end.
func (v *View) ActiveRun(workspaceID string) (*run.Run, error) {
	return v.firstRun("WHERE workspace_id = ? AND unfinished AND queued AND status NOT IN ('pending', 'planned_and_saved') ORDER BY created_at, id", workspaceID)
}

// LastRun is the queue run of a workspace that was last under way, or, where none ever
// was, the one that was made last; nil when there was none.
func (v *View) LastRun(workspaceID string) (*run.Run, error) {
	return v.firstRun("WHERE workspace_id = ? AND queued ORDER BY active_at DESC, created_at DESC, id DESC", workspaceID)
}

func (v *View) firstRun(condition sqldb.Text, workspaceID string) (*run.Run, error) {
	q := v.SQL(runs.Selected).Add(condition, workspaceID).First(1).Held(v.Hold(), "runs")
	list, err := runs.Many(v, q)
	if err != nil || len(list) == 0 {
		return nil, err
	}
	return &list[0], nil
}

// OlderRuns is the runs that wait for a workspace before another one.
func (v *View) OlderRuns(r *run.Run) ([]run.Run, error) {
	return runs.Many(v, v.SQL(runs.Selected+"WHERE workspace_id = ? AND status = 'pending' AND queued AND (created_at < ? OR created_at = ? AND id < ?) ORDER BY created_at, id",
		r.WorkspaceID, sqldb.UnixMillis(r.CreatedAt), sqldb.UnixMillis(r.CreatedAt), r.ID))
}

// UnfinishedRuns is the runs of a workspace that are not over.
func (v *View) UnfinishedRuns(workspaceID string) ([]run.Run, error) {
	return runs.Many(v, v.SQL(runs.Selected+"WHERE workspace_id = ? AND unfinished ORDER BY created_at, id", workspaceID))
}

// Behind is what waits behind the run that has a workspace: the saved plans, and the oldest run
// that is queued; next is nil when none is.
func (v *View) Behind(workspaceID string) (saved []run.Run, next *run.Run, err error) {
	q := v.SQL(runs.Selected+"WHERE workspace_id = ? AND status = 'planned_and_saved' UNION ALL SELECT * FROM (", workspaceID)
	q.Add(runs.Selected+"WHERE workspace_id = ? AND status = 'pending' AND queued ORDER BY created_at, id", workspaceID).First(1).Held(v.Hold(), "runs")
	list, err := runs.Many(v, q.Add(") waiting"))
	for i := range list {
		if list[i].Status == run.Pending {
			next = &list[i]
			continue
		}
		saved = append(saved, list[i])
	}
	return saved, next, err
}

// SavedRuns is the saved plans of a workspace that wait for somebody.
func (v *View) SavedRuns(workspaceID string) ([]run.Run, error) {
	return runs.Many(v, v.SQL(runs.Selected+"WHERE workspace_id = ? AND status = 'planned_and_saved' ORDER BY created_at, id", workspaceID))
}

// SetCurrentRun writes what a workspace knows of its current run.
func (tx *Tx) SetCurrentRun(w *belay.Workspace) error {
	row := tx.Change("workspaces", w.ID)
	row.Set("current_run_id", w.CurrentRunID)
	row.Set("current_run_status", w.CurrentRunStatus)
	row.Set("current_run_at", sqldb.UnixMillis(w.CurrentRunAt))
	return nil
}

// SetEngine writes the version that a workspace was given before its first run.
func (tx *Tx) SetEngine(w *belay.Workspace) error {
	row := tx.Change("workspaces", w.ID)
	row.Set("engine_version", w.EngineVersion)
	row.Set("engine_release", w.EngineRelease)
	tx.MoveFacts(w.OrganizationID)
	if w.Assessed() {
		return tx.NoteAssessed(w)
	}
	return nil
}

// CountedRuns is what figures count of the newest queue runs of a workspace that were applied
// or failed: their statuses and phases.
func (v *View) CountedRuns(workspaceID string, atMost int) ([]run.Run, error) {
	q := v.SQL("SELECT status, plan, apply FROM runs WHERE workspace_id = ? AND queued AND status IN ('applied', 'errored') ORDER BY created_at DESC, id DESC", workspaceID)
	return sqldb.Collect(v, q.First(atMost), func(r *run.Run) []any {
		return []any{&r.Status, sqldb.JSON(&r.Plan), sqldb.JSON(&r.Apply)}
	})
}

// SaveRunFigures writes the figures of a workspace's runs.
func (tx *Tx) SaveRunFigures(w *belay.Workspace) error {
	figures, err := sqldb.JSON(&w.RunFigures).Value()
	if err != nil {
		return err
	}
	tx.Change("workspaces", w.ID).Set("run_figures", figures)
	return nil
}
