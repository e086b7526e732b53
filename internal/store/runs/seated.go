package runs

import (
	"github.com/belayhq/belay/internal/sqldb"
	"github.com/belayhq/belay/internal/store/core"
	"github.com/belayhq/belay/run"
)

// What a sitting knows of a run: the run by its phases, its logs, its files, and how many checks it has. A nil one is
// known not to be there.
type (
	phaseKey string
	logKey   string
	checked  string
	fileKey  struct {
		run  string
		kind run.FileKind
	}
)

// seatedLog is a log with the times of its lines, as they are kept.
type seatedLog struct {
	run.Log
	marks string
}

// RunInput is what a plan began with: the serial of its state, zero where there is none, and how many variables its
// workspace has now.
type RunInput struct{ Serial, Variables int64 }

// SeatRun reads together what the page of a run reads one by one of its logs, of files of some kinds and of its checks,
// for the sitting of the view. It gives what the plan began with.
func (v *View) SeatRun(r *run.Run, projectID string, kinds ...run.FileKind) (began RunInput, err error) {
	type row struct {
		part int
		log  seatedLog
		of   RunFile
	}
	phases, names := []string{r.Plan.ID, r.Apply.ID}, make([]string, len(kinds))
	for i, kind := range kinds {
		names[i] = string(kind)
		core.Keep(&v.View, fileKey{r.ID, kind}, (*RunFile)(nil))
	}
	for _, id := range phases {
		core.Keep(&v.View, phaseKey(id), *r)
		core.Keep(&v.View, logKey(id), (*seatedLog)(nil))
	}
	q := v.SQL(`SELECT CAST(0 AS BIGINT), id, state, size, sealed_size, truncated_at, watched_until, marks, '' FROM logs WHERE id`).In("", phases)
	q.Add(` UNION ALL SELECT CAST(1 AS BIGINT), kind, blob_key, size, CAST(0 AS BIGINT), CAST(0 AS BIGINT), CAST(0 AS BIGINT), sha256, sealed FROM run_files WHERE run_id = ?`, r.ID).In(" AND kind", names)
	q.Add(" UNION ALL SELECT CAST(2 AS BIGINT), '', '', (SELECT count(*) FROM run_checks WHERE run_id = ?), 0, 0, 0, '', ''", r.ID)
	core.AddVariableCount(q.Add(" UNION ALL SELECT CAST(3 AS BIGINT), '', '', COALESCE((SELECT serial FROM state_versions WHERE id = ?), 0), ", r.InputStateVersionID), r.OrganizationID, projectID, r.WorkspaceID)
	q.Add(", 0, 0, '', ''")
	list, err := sqldb.Collect(v, q, func(r *row) []any {
		l := &r.log
		return []any{&r.part, &l.ID, &l.State, &l.Size, &l.SealedSize, &l.TruncatedAt, sqldb.Millis(&l.Watched), &l.marks, &r.of.Sealed}
	})
	for i := range list {
		l := &list[i].log
		switch l.RunID = r.ID; list[i].part {
		case 0:
			core.Keep(&v.View, logKey(l.ID), l)
		case 1:
			f := &RunFile{RunID: r.ID, Kind: run.FileKind(l.ID), Key: string(l.State), Size: l.Size, SHA256: l.marks, Sealed: list[i].of.Sealed}
			core.Keep(&v.View, fileKey{r.ID, f.Kind}, f)
		case 2:
			core.Keep(&v.View, checked(r.ID), int(l.Size))
		default:
			began = RunInput{l.Size, l.SealedSize}
		}
	}
	return began, err
}
