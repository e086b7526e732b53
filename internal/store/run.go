package store

import (
	"database/sql/driver"
	"strings"

	"github.com/belayhq/belay"
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

var runs = newTable(table[run.Run]{
	name: "runs",
	late: true,
	fixed: []text{
		"workspace_id", "organization_id", "created_at", "configuration_version_id", "plan_id", "apply_id", "commit_sha", "sender_name",
		"triggering_run_id", "triggering_source_id", "triggering_source", "chain_length", "source", "reason", "created_by",
	},
	own: []column[run.Run]{
		{"id", func(r *run.Run) any { return &r.ID }},
		{"workspace_id", func(r *run.Run) any { return &r.WorkspaceID }},
		{"organization_id", func(r *run.Run) any { return &r.OrganizationID }},
		{"status", func(r *run.Run) any { return &r.Status }},
		{"unfinished", func(r *run.Run) any { return workedOut{r, func(r *run.Run) driver.Value { return !r.Status.Final() }} }},
		{"queued", func(r *run.Run) any { return workedOut{r, func(r *run.Run) driver.Value { return r.Queued() }} }},
		{"operation", func(r *run.Run) any { return workedOut{r, func(r *run.Run) driver.Value { return r.Operation() }} }},
		{"stamps", func(r *run.Run) any { return jsonText[run.Stamps]{&r.Stamps} }},
		{"created_at", func(r *run.Run) any { return millis{&r.CreatedAt} }},
		{"updated_at", func(r *run.Run) any { return millis{&r.UpdatedAt} }},
		{"configuration_version_id", func(r *run.Run) any { return &r.ConfigurationVersionID }},
		{"input_state_version_id", func(r *run.Run) any { return &r.InputStateVersionID }},
		{"message", func(r *run.Run) any { return workedOut{r, func(r *run.Run) driver.Value { return r.Message }} }},
		{"options", func(r *run.Run) any { return jsonText[run.Options]{&r.Options} }},
		{"source", func(r *run.Run) any { return &r.Source }},
		{"reason", func(r *run.Run) any { return &r.Reason }},
		{"triggering_run_id", func(r *run.Run) any { return &r.TriggeringRunID }},
		{"triggering_source_id", func(r *run.Run) any { return &r.TriggeringSourceID }},
		{"triggering_source", func(r *run.Run) any { return &r.TriggeringSource }},
		{"chain_length", func(r *run.Run) any { return &r.ChainLength }},
		{"engine", func(r *run.Run) any { return &r.Engine }},
		{"engine_version", func(r *run.Run) any { return &r.EngineVersion }},
		{"working_directory", func(r *run.Run) any { return &r.WorkingDirectory }},
		{"mode", func(r *run.Run) any { return &r.Mode }},
		{"pool_id", func(r *run.Run) any { return &r.PoolID }},
		{"plan_id", func(r *run.Run) any { return &r.Plan.ID }},
		{"plan", func(r *run.Run) any { return jsonText[run.Plan]{&r.Plan} }},
		{"apply_id", func(r *run.Run) any { return &r.Apply.ID }},
		{"apply", func(r *run.Run) any { return jsonText[run.Apply]{&r.Apply} }},
		{"created_by", func(r *run.Run) any { return &r.CreatedBy }},
		{"confirmed_by", func(r *run.Run) any { return &r.ConfirmedBy }},
		{"canceled_by", func(r *run.Run) any { return &r.CanceledBy }},
		{"canceled_at", func(r *run.Run) any { return millis{&r.CanceledAt} }},
		{"force_cancel_at", func(r *run.Run) any { return millis{&r.ForceCancelAt} }},
		{"silent_since", func(r *run.Run) any { return millis{&r.SilentSince} }},
		{"keeps_lock", func(r *run.Run) any { return &r.KeepsLock }},
		{"error", func(r *run.Run) any { return &r.Error }},
		{"active_at", func(r *run.Run) any { return millis{&r.ActiveAt} }},
		{"notes", func(r *run.Run) any { return &r.Notes }},
		{"commit_sha", func(r *run.Run) any { return &r.CommitSHA }},
		{"sender_name", func(r *run.Run) any { return &r.SenderName }},
	},
})

// Run is one run, by its id.
func (v *View) Run(id string) (run.Run, error) { return runs.one(v, "runs.id = ?", id) }

// RunOfPhase is the run that a plan or an apply is of.
func (v *View) RunOfPhase(id string) (run.Run, error) {
	if strings.HasPrefix(id, "apply-") {
		return v.RunOfApply(id)
	}
	return v.RunOfPlan(id)
}

// RunOfPlan is the run that a plan is of.
func (v *View) RunOfPlan(planID string) (run.Run, error) { return runs.one(v, "plan_id = ?", planID) }

// RunOfApply is the run that an apply is of.
func (v *View) RunOfApply(applyID string) (run.Run, error) {
	return runs.one(v, "apply_id = ?", applyID)
}

// RunsByID is many runs, the newest first.
func (v *View) RunsByID(ids []string) ([]run.Run, error) {
	return runs.many(v, v.sql(runs.selected+"WHERE operation <> 'assessment' AND runs.id").in("", ids).add(" ORDER BY created_at DESC, id DESC"))
}

// AddRun writes a new run, and what its engine is given, sealed.
func (tx *Tx) AddRun(r *run.Run, sealedInputs string) error {
	if err := runs.insert(tx, r, errRunThere); err != nil {
		return err
	}
	return tx.lastly("INSERT INTO run_inputs (run_id, sealed) VALUES (?, ?)", r.ID, sealedInputs)
}

// errRunThere is the answer to a second run of one workspace by one other run.
var errRunThere = belay.Refuse(belay.Conflict, "the run is there already")

// SaveRun writes every column of a run, whose row must be held.
func (tx *Tx) SaveRun(r *run.Run) error { return runs.update(tx, r, nil) }

// RunInputs is what the engine of a run is given, sealed.
func (v *View) RunInputs(runID string) (string, error) {
	sealed, _, err := value[string](v, v.sql("SELECT sealed FROM run_inputs WHERE run_id = ?", runID))
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

func (v *View) firstRun(condition text, workspaceID string) (*run.Run, error) {
	q := v.sql(runs.selected).add(condition, workspaceID).first(1)
	if v.hold != "" {
		q.add(v.hold + " OF runs")
	}
	list, err := runs.many(v, q)
	if err != nil || len(list) == 0 {
		return nil, err
	}
	return &list[0], nil
}

// OlderRuns is the runs that wait for a workspace before another one.
func (v *View) OlderRuns(r *run.Run) ([]run.Run, error) {
	return runs.many(v, v.sql(runs.selected+"WHERE workspace_id = ? AND status = 'pending' AND queued AND (created_at < ? OR created_at = ? AND id < ?) ORDER BY created_at, id",
		r.WorkspaceID, unixMillis(r.CreatedAt), unixMillis(r.CreatedAt), r.ID))
}

// UnfinishedRuns is the runs of a workspace that are not over.
func (v *View) UnfinishedRuns(workspaceID string) ([]run.Run, error) {
	return runs.many(v, v.sql(runs.selected+"WHERE workspace_id = ? AND unfinished ORDER BY created_at, id", workspaceID))
}

// SavedRuns is the saved plans of a workspace that wait for somebody.
func (v *View) SavedRuns(workspaceID string) ([]run.Run, error) {
	return runs.many(v, v.sql(runs.selected+"WHERE workspace_id = ? AND status = 'planned_and_saved' ORDER BY created_at, id", workspaceID))
}

// SetCurrentRun writes what a workspace knows of its current run.
func (tx *Tx) SetCurrentRun(w *belay.Workspace) error {
	row := tx.changes.change(w.ID)
	row.set("current_run_id", w.CurrentRunID)
	row.set("current_run_status", w.CurrentRunStatus)
	row.set("current_run_at", unixMillis(w.CurrentRunAt))
	return nil
}

// SetEngine writes the version that a workspace was given before its first run.
func (tx *Tx) SetEngine(w *belay.Workspace) error {
	row := tx.changes.change(w.ID)
	row.set("engine_version", w.EngineVersion)
	row.set("engine_release", w.EngineRelease)
	tx.moveFacts(w.OrganizationID)
	if w.Assessed() {
		return tx.noteAssessed(w)
	}
	return nil
}

// CountedRuns is what figures count of the newest queue runs of a workspace that were applied
// or failed: their statuses and phases.
func (v *View) CountedRuns(workspaceID string, atMost int) ([]run.Run, error) {
	q := v.sql("SELECT status, plan, apply FROM runs WHERE workspace_id = ? AND queued AND status IN ('applied', 'errored') ORDER BY created_at DESC, id DESC", workspaceID)
	return collect(v, q.first(atMost), func(r *run.Run) []any {
		return []any{&r.Status, jsonText[run.Plan]{&r.Plan}, jsonText[run.Apply]{&r.Apply}}
	})
}

// SaveRunFigures writes the figures of a workspace's runs.
func (tx *Tx) SaveRunFigures(w *belay.Workspace) error {
	figures, err := jsonText[*belay.RunFigures]{&w.RunFigures}.Value()
	if err != nil {
		return err
	}
	tx.changes.change(w.ID).set("run_figures", figures)
	return nil
}
