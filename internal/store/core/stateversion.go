package core

import (
	"database/sql/driver"
	"encoding/json"
	"strings"

	"github.com/belayhq/belay"
	"github.com/belayhq/belay/internal/sqldb"
	"github.com/belayhq/belay/internal/store/base"
)

var stateVersions = sqldb.NewTable(sqldb.Table[belay.StateVersion]{
	Name: "state_versions",
	Own: []sqldb.Column[belay.StateVersion]{
		{Name: "id", At: func(s *belay.StateVersion) any { return &s.ID }},
		{Name: "workspace_id", At: func(s *belay.StateVersion) any { return &s.WorkspaceID }},
		{Name: "sequence", At: func(s *belay.StateVersion) any { return &s.Sequence }},
		{Name: "serial", At: func(s *belay.StateVersion) any { return &s.Serial }},
		{Name: "lineage", At: func(s *belay.StateVersion) any { return &s.Lineage }},
		{Name: "md5", At: func(s *belay.StateVersion) any { return &s.State.MD5 }},
		{Name: "size", At: func(s *belay.StateVersion) any { return &s.State.Size }},
		{Name: "status", At: func(s *belay.StateVersion) any { return &s.Status }},
		{Name: "intermediate", At: func(s *belay.StateVersion) any { return &s.Intermediate }},
		{Name: "by_upload", At: func(s *belay.StateVersion) any { return &s.ByUpload }},
		{Name: "forced", At: func(s *belay.StateVersion) any { return &s.Forced }},
		{Name: "blob_key", At: func(s *belay.StateVersion) any { return &s.State.Key }},
		{Name: "json_key", At: func(s *belay.StateVersion) any { return &s.JSON.Key }},
		{Name: "json_md5", At: func(s *belay.StateVersion) any { return &s.JSON.MD5 }},
		{Name: "json_size", At: func(s *belay.StateVersion) any { return &s.JSON.Size }},
		{Name: "run_id", At: func(s *belay.StateVersion) any { return &s.RunID }},
		{Name: "created_by", At: func(s *belay.StateVersion) any { return &s.CreatedBy }},
		{Name: "announced_by", At: func(s *belay.StateVersion) any { return sqldb.JSON(&s.By) }},
		{Name: "rollback_id", At: func(s *belay.StateVersion) any { return &s.RollbackID }},
		{Name: "processed", At: func(s *belay.StateVersion) any { return &s.Processed }},
		{Name: "problem", At: func(s *belay.StateVersion) any { return &s.Problem }},
		{Name: "outputs_known", At: func(s *belay.StateVersion) any { return &s.OutputsKnown }},
		{Name: "output_ids", At: func(s *belay.StateVersion) any { return outputRefs{&s.OutputIDs, &s.ManyOutputs} }},
		{Name: "output_set", At: func(s *belay.StateVersion) any { return &s.OutputSet }},
		{Name: "contents", At: func(s *belay.StateVersion) any { return contentsText{&s.Contents} }},
		{Name: "soft_deleted_at", At: func(s *belay.StateVersion) any { return sqldb.Millis(&s.SoftDeletedAt) }},
		{Name: "created_at", At: func(s *belay.StateVersion) any { return sqldb.Millis(&s.CreatedAt) }},
	},
	Joined: []sqldb.Column[belay.StateVersion]{
		{Name: `COALESCE((SELECT n.id FROM state_versions n WHERE n.workspace_id = state_versions.workspace_id
			AND n.sequence < state_versions.sequence AND n.status <> 'discarded' ORDER BY n.sequence DESC LIMIT 1), '')`,
			At: func(s *belay.StateVersion) any { return &s.PreviousID }},
		{Name: `COALESCE((SELECT n.id FROM state_versions n WHERE n.workspace_id = state_versions.workspace_id
			AND n.sequence > state_versions.sequence AND n.status <> 'discarded' ORDER BY n.sequence LIMIT 1), '')`,
			At: func(s *belay.StateVersion) any { return &s.NextID }},
	},
})

// StateVersion is one state version.
func (v *View) StateVersion(id string) (belay.StateVersion, error) {
	return Once(v, stateKey(id), func() (belay.StateVersion, error) { return stateVersions.One(v.Peek(), "state_versions.id = ?", id) })
}

type stateKey string

// StateVersionsByID is many state versions, in no order.
func (v *View) StateVersionsByID(ids []string) ([]belay.StateVersion, error) {
	known := make([]belay.StateVersion, 0, len(ids))
	for _, id := range ids {
		if s, there := Kept[belay.StateVersion](v, stateKey(id)); there {
			known = append(known, s)
		}
	}
	if len(known) == len(ids) {
		return known, nil
	}
	return stateVersions.Many(v, v.SQL(stateVersions.Selected).In("WHERE state_versions.id", ids))
}

// StateVersions is one page of a workspace's state versions, the newest first.
func (v *View) StateVersions(workspaceID string, statuses []string, page belay.Page) ([]belay.StateVersion, int, error) {
	condition := func(q *sqldb.Query) *sqldb.Query {
		q.Add("state_versions.workspace_id = ?", workspaceID)
		if statuses != nil {
			q.In(" AND state_versions.status", statuses)
		}
		return q
	}
	total, _, err := sqldb.Value[int](v, condition(v.SQL("SELECT count(*) FROM state_versions WHERE ")))
	if err != nil || total == 0 {
		return nil, 0, err
	}
	q := condition(v.SQL(stateVersions.Selected).Add("WHERE "))
	q.Add(" ORDER BY state_versions.sequence DESC").Page(page)
	list, err := stateVersions.Many(v, q)
	return list, total, err
}

// LatestState is the state version that a workspace was given last.
type LatestState struct {
	belay.StateVersion      // without what the file says, unless it is an intermediate one
	Overtakes          bool // there are intermediate ones before it
	After              After
}

var latestState = "SELECT " + sqldb.Text(strings.Replace(string(stateVersions.Columns()), "state_versions.contents",
	"CASE WHEN state_versions.intermediate THEN state_versions.contents ELSE '' END", 1)) + `,
	EXISTS (SELECT 1 FROM state_versions o WHERE o.workspace_id = state_versions.workspace_id AND o.intermediate AND o.sequence < state_versions.sequence
		AND o.sequence > COALESCE((SELECT c.sequence FROM state_versions c WHERE c.id = ?), 0)), ` + after("state_versions.workspace_id") + `
	FROM state_versions WHERE state_versions.workspace_id = ? ORDER BY state_versions.sequence DESC LIMIT 1`

// LatestState is the state version that a workspace was given last, whatever became of it; nil
// when there is none.
func (v *View) LatestState(w *belay.Workspace) (*LatestState, error) {
	type row struct {
		LatestState
		after afterRow
	}
	list, err := sqldb.Collect(v, v.SQL(latestState, w.CurrentStateVersionID, w.ID), func(r *row) []any {
		return append(append(stateVersions.Dest(&r.StateVersion), &r.Overtakes), r.after.dest()...)
	})
	if err != nil || len(list) == 0 {
		return nil, err
	}
	latest := &list[0].LatestState
	latest.After, err = list[0].after.found()
	return latest, err
}

// Place is where the next state version comes after one that is there whole.
func (l *LatestState) Place() StatePlace {
	return StatePlace{Newest: l.StateVersion, last: l.Sequence}
}

// StatesOfRuns is the ids of the states that came of runs, the oldest first.
func (v *View) StatesOfRuns(runIDs []string) (map[string][]string, error) {
	type row struct{ run, id string }
	q := v.SQL("SELECT run_id, id FROM state_versions WHERE run_id <> '' AND status = 'finalized' AND ").In("run_id", runIDs)
	rows, err := sqldb.Collect(v, q.Add(" ORDER BY sequence"), func(r *row) []any { return []any{&r.run, &r.id} })
	found := map[string][]string{}
	for _, r := range rows {
		found[r.run] = append(found[r.run], r.id)
	}
	return found, err
}

// NewestState is the head of the newest state of a workspace that is there whole, current
// or not yet; nil when there is none.
func (v *View) NewestState(workspaceID string) (*belay.StateVersion, error) {
	return v.stateHead("workspace_id = ? AND status = 'finalized'", workspaceID)
}

func (v *View) stateHead(condition sqldb.Text, workspaceID string) (*belay.StateVersion, error) {
	q := v.SQL("SELECT id, workspace_id, serial, lineage, md5, status, intermediate FROM state_versions WHERE ")
	q.Add(condition, workspaceID).Add(" ORDER BY sequence DESC LIMIT 1")
	list, err := sqldb.Collect(v, q, headDest)
	if err != nil || len(list) == 0 {
		return nil, err
	}
	return &list[0], nil
}

func headDest(s *belay.StateVersion) []any {
	return []any{&s.ID, &s.WorkspaceID, &s.Serial, &s.Lineage, &s.State.MD5, &s.Status, &s.Intermediate}
}

// StatePlace is where the next state version of a workspace comes.
type StatePlace struct {
	Newest belay.StateVersion // the head of the newest that is there whole; its id is empty when there is none

	last    int64
	pending bool
}

// StatePlace is where the next state version of a workspace comes.
func (v *View) StatePlace(workspaceID string) (StatePlace, error) {
	q := v.SQL(`SELECT COALESCE(m.last, 0), EXISTS (SELECT 1 FROM state_versions p WHERE p.workspace_id = ? AND p.status = 'pending'),
		COALESCE(s.id, ''), COALESCE(s.workspace_id, ''), COALESCE(s.serial, 0), COALESCE(s.lineage, ''), COALESCE(s.md5, ''), COALESCE(s.status, ''), COALESCE(s.intermediate, FALSE)
		FROM (SELECT MAX(sequence) AS last FROM state_versions WHERE workspace_id = ?) m
		LEFT JOIN (SELECT id, workspace_id, serial, lineage, md5, status, intermediate FROM state_versions
			WHERE workspace_id = ? AND status = 'finalized' ORDER BY sequence DESC LIMIT 1) s ON TRUE`,
		workspaceID, workspaceID, workspaceID)
	return base.TheOne(sqldb.Collect(v, q, func(p *StatePlace) []any { return append([]any{&p.last, &p.pending}, headDest(&p.Newest)...) }))
}

// AddStateVersion writes a new state version as the newest of its workspace, whose row
// the transaction must hold, and discards the one that was still to come.
func (tx *Tx) AddStateVersion(s *belay.StateVersion) error {
	at, err := tx.StatePlace(s.WorkspaceID)
	if err != nil {
		return err
	}
	return tx.AddStateVersionAt(s, &at)
}

// AddStateVersionAt is AddStateVersion at a place that was read since the workspace is held.
func (tx *Tx) AddStateVersionAt(s *belay.StateVersion, at *StatePlace) error {
	if at.pending {
		if err := tx.DiscardPendingStates(s.WorkspaceID); err != nil {
			return err
		}
	}
	s.Sequence = at.last + 1
	return stateVersions.Insert(tx, s, nil)
}

// EndIntermediate notes that a state version became the current one.
func (tx *Tx) EndIntermediate(s *belay.StateVersion) error {
	return tx.Do("UPDATE state_versions SET intermediate = ? WHERE id = ?", s.Intermediate, s.ID)
}

// SaveStateVersion writes every column of a state version.
func (tx *Tx) SaveStateVersion(s *belay.StateVersion) error {
	return stateVersions.Update(tx, s, nil)
}

// DiscardPendingStates gives up what was announced for a workspace and never came.
func (tx *Tx) DiscardPendingStates(workspaceID string) error {
	return tx.Do("UPDATE state_versions SET status = 'discarded', intermediate = ?, processed = ? WHERE workspace_id = ? AND status = 'pending'",
		false, true, workspaceID)
}

// DropIntermediateStates removes the states that a newer one has made needless.
func (tx *Tx) DropIntermediateStates(workspaceID string) error {
	type dropped struct {
		looseSet
		outputs string
	}
	q := tx.SQL("DELETE FROM state_versions WHERE workspace_id = ? AND intermediate RETURNING id, output_set, output_ids", workspaceID)
	list, err := sqldb.Collect(&tx.View, q, func(d *dropped) []any { return append(d.dest(), &d.outputs) })
	for _, d := range list {
		if err == nil && d.outputs != "" {
			err = tx.Do("INSERT INTO loose_outputs (state_version_id, set_id, free_at) VALUES (?, ?, ?)", d.stateVersionID, d.setID, sqldb.UnixMillis(tx.Now))
		}
	}
	return err
}

// SaveState writes what a workspace knows of its current state, and what the explorer
// reads of it: news says that it has another count of resources or another engine than the one
// before. after is nil when it is yet to be read.
func (tx *Tx) SaveState(w *belay.Workspace, current *belay.StateVersion, news bool, after *After) error {
	outputs, err := outputRefs{&w.OutputIDs, &w.ManyOutputs}.Value()
	if err != nil {
		return err
	}
	row := tx.Change("workspaces", w.ID)
	row.Set("current_state_version_id", w.CurrentStateVersionID)
	row.Set("output_ids", outputs)
	row.Set("managed_once", w.ManagedOnce)
	if err := tx.TouchLatestChange(w); err != nil {
		return err
	}
	if err := tx.AskReading(w); err != nil {
		return err
	}
	// Most states say what the one before said: then what is kept of answers stays true, unless
	// it tells what had drifted of that, which only an assessment can.
	moved, err := news, error(nil)
	if news || w.AssessmentID != "" {
		moved, err = tx.saveFacts(w)
	}
	if err != nil {
		return err
	}
	other, err := tx.replaceUses(w, after, UsesOf(current.Contents))
	if err != nil || !moved && !other {
		return err
	}
	tx.MoveFacts(w.OrganizationID)
	if w.Assessed() {
		return tx.NoteAssessed(w)
	}
	return nil
}

// saveFacts writes what the explorer reads of a workspace's state, and says whether that was
// another before.
func (tx *Tx) saveFacts(w *belay.Workspace) (moved bool, err error) {
	n, err := tx.Exec(tx.SQL("UPDATE workspaces SET resource_count = ?, state_engine_version = ?, drift_state_id = '' WHERE id = ? AND (resource_count <> ? OR state_engine_version <> ? OR drift_state_id <> '')",
		w.ResourceCount, w.StateEngineVersion, w.ID, w.ResourceCount, w.StateEngineVersion))
	return n > 0, err
}

// TouchLatestChange notes when a workspace was last given a state.
func (tx *Tx) TouchLatestChange(w *belay.Workspace) error {
	row := tx.Change("workspaces", w.ID)
	row.Set("latest_change_at", sqldb.UnixMillis(w.LatestChangeAt))
	row.Set("destroy_disarmed", w.DestroyDisarmed)
	row.Set("destroy_failed", w.DestroyFailed)
	row.Set("destroyed", w.Destroyed)
	if w.DestroyDuration() == "" { // a fixed moment stays what it is
		return nil
	}
	return tx.ScheduleDestroy(w)
}

// contentsText keeps what a state says as JSON text.
type contentsText struct{ at *belay.StateContents }

// keptContents is the form of it: what documents show stands in it as it is.
type keptContents struct {
	Format        int              `json:"format,omitempty"`
	EngineVersion string           `json:"engine,omitempty"`
	ManagedCount  int              `json:"managed,omitempty"`
	BillableCount int              `json:"billable,omitempty"`
	Modules       json.RawMessage  `json:"modules,omitempty"`
	Providers     json.RawMessage  `json:"providers,omitempty"`
	Resources     json.RawMessage  `json:"resources,omitempty"`
	UsedModules   []belay.StateUse `json:"used-modules,omitempty"`
	UsedProviders []belay.StateUse `json:"used-providers,omitempty"`
}

// Value writes it.
func (c contentsText) Value() (driver.Value, error) {
	s := c.at
	return sqldb.JSON(&keptContents{
		s.Format, s.EngineVersion, s.ManagedCount, s.BillableCount, s.Modules, s.Providers, s.Resources, s.UsedModules, s.UsedProviders,
	}).Value()
}

// Scan reads it.
func (c contentsText) Scan(src any) error {
	var k keptContents
	err := sqldb.JSON(&k).Scan(src)
	*c.at = belay.StateContents{
		Format: k.Format, EngineVersion: k.EngineVersion, ManagedCount: k.ManagedCount, BillableCount: k.BillableCount,
		Modules: k.Modules, Providers: k.Providers, Resources: k.Resources, UsedModules: k.UsedModules, UsedProviders: k.UsedProviders,
	}
	return err
}
