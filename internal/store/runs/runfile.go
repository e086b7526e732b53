package runs

import (
	"time"

	"github.com/belayhq/belay"
	"github.com/belayhq/belay/internal/sqldb"
	"github.com/belayhq/belay/internal/store/base"
	"github.com/belayhq/belay/internal/store/core"
	"github.com/belayhq/belay/run"
)

// RunFile is a file of a run that outlives its job.
type RunFile struct {
	RunID  string
	Kind   run.FileKind
	Key    string // empty: it is short, and in its row; or a log that is in its chunks
	Size   int64
	SHA256 string
	Sealed string // what it holds, when it is in its row; lists lack it
}

// runFileRow is a file with the moment that it came.
type runFileRow struct {
	RunFile
	at time.Time
}

var runFiles = sqldb.NewTable(sqldb.Table[runFileRow]{
	Name: "run_files",
	Again: `ON CONFLICT (run_id, kind) DO UPDATE SET blob_key = excluded.blob_key, size = excluded.size, sha256 = excluded.sha256,
		sealed = excluded.sealed, created_at = excluded.created_at`,
	Own: []sqldb.Column[runFileRow]{
		{Name: "run_id", At: func(f *runFileRow) any { return &f.RunID }},
		{Name: "kind", At: func(f *runFileRow) any { return &f.Kind }},
		{Name: "blob_key", At: func(f *runFileRow) any { return &f.Key }},
		{Name: "size", At: func(f *runFileRow) any { return &f.Size }},
		{Name: "sha256", At: func(f *runFileRow) any { return &f.SHA256 }},
		{Name: "sealed", At: func(f *runFileRow) any { return &f.Sealed }},
		{Name: "created_at", At: func(f *runFileRow) any { return sqldb.Millis(&f.at) }},
	},
})

// SealContext is what the bytes of the file are sealed for.
func (f *RunFile) SealContext() string { return "run file " + f.RunID + " " + string(f.Kind) }

// RunFile is one file of a run.
func (v *View) RunFile(runID string, kind run.FileKind) (RunFile, error) {
	if f, known := core.Kept[*RunFile](&v.View, fileKey{runID, kind}); known {
		if f == nil {
			return RunFile{}, belay.ErrNotFound
		}
		return *f, nil
	}
	q := v.SQL("SELECT run_id, kind, blob_key, size, sha256, sealed FROM run_files WHERE run_id = ? AND kind = ?", runID, string(kind))
	list, err := sqldb.Collect(v, q, func(f *RunFile) []any { return append(f.dest(), &f.Sealed) })
	if err == nil && len(list) == 0 {
		err = belay.ErrNotFound
	}
	if err != nil {
		return RunFile{}, err
	}
	return list[0], nil
}

// RunFiles is the files of a run.
func (v *View) RunFiles(runID string) ([]RunFile, error) {
	return sqldb.Collect(v, v.SQL("SELECT run_id, kind, blob_key, size, sha256 FROM run_files WHERE run_id = ? ORDER BY kind", runID), (*RunFile).dest)
}

func (f *RunFile) dest() []any { return []any{&f.RunID, &f.Kind, &f.Key, &f.Size, &f.SHA256} }

// AddRunFile writes the first file of a kind that a run has. first is false when it has one, or
// when there is no such run.
func (tx *Tx) AddRunFile(f *RunFile) (first bool, err error) {
	n, err := tx.Exec(tx.SQL(`INSERT INTO run_files (run_id, kind, blob_key, size, sha256, sealed, created_at)
		SELECT id, CAST(? AS TEXT), CAST(? AS TEXT), CAST(? AS BIGINT), CAST(? AS TEXT), CAST(? AS TEXT), CAST(? AS BIGINT) FROM runs WHERE id = ?
		ON CONFLICT (run_id, kind) DO NOTHING`, string(f.Kind), f.Key, f.Size, f.SHA256, f.Sealed, sqldb.UnixMillis(tx.Now), f.RunID))
	return n > 0, err
}

// SaveRunFile writes which file of a kind a run has: one in a transaction. A log that has no key is in
// its chunks, or sealed in the row.
func (tx *Tx) SaveRunFile(f *RunFile) error {
	return runFiles.InsertTogether(tx, &runFileRow{*f, tx.Now})
}

// AgedRunFiles is the oldest files of runs that are older than the policy in force on their
// workspaces allows. The current run of a workspace has none among them, nor one under way;
// a state that could not be stored is kept whatever its age.
func (v *View) AgedRunFiles(now time.Time, atMost int) ([]RunFile, error) {
	shortest, err := v.ShortestRetention()
	if err != nil || shortest == 0 {
		return nil, err
	}
	site, err := v.SiteRetention()
	if err != nil {
		return nil, err
	}
	q := v.SQL(`SELECT f.run_id, f.kind, f.blob_key, f.size, f.sha256 FROM run_files f JOIN runs r ON r.id = f.run_id
		JOIN workspaces w ON w.id = r.workspace_id JOIN organizations o ON o.id = w.organization_id
		WHERE f.created_at < ? AND f.kind <> ? AND NOT r.unfinished AND r.id <> w.current_run_id AND `+base.OffShelf, sqldb.UnixMillis(now)-int64(shortest)*day, string(run.RescuedFile))
	addAged(q, "r.created_at", site, now).Add(" ORDER BY f.created_at, f.run_id, f.kind").First(atMost)
	return sqldb.Collect(v, q, (*RunFile).dest)
}

// DropRunFile forgets a file of a run, unless another is in its place by now; of a log that is in
// its chunks, these.
func (tx *Tx) DropRunFile(f *RunFile) error {
	if f.Key == "" && (f.Kind == run.PlanLogFile || f.Kind == run.ApplyLogFile) {
		err := tx.Do(`DELETE FROM log_chunks WHERE log_id IN (SELECT l.id FROM logs l JOIN runs r ON r.id = l.run_id
			WHERE l.run_id = ? AND l.state = 'sealed' AND (l.id = r.apply_id) = ?)`, f.RunID, f.Kind == run.ApplyLogFile)
		if err != nil {
			return err
		}
	}
	return tx.Do("DELETE FROM run_files WHERE run_id = ? AND kind = ? AND blob_key = ? AND sha256 = ?", f.RunID, string(f.Kind), f.Key, f.SHA256)
}
