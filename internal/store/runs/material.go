package runs

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/belayhq/belay"
	"github.com/belayhq/belay/internal/sqldb"
	"github.com/belayhq/belay/internal/store/base"
	"github.com/belayhq/belay/internal/store/core"
	"github.com/belayhq/belay/run"
)

// JobMaterial is what the job of a run begins with, beside the run itself.
type JobMaterial struct {
	Configuration run.ConfigurationVersion
	State         belay.StateVersion // its head: the id, the serial, the lineage and the size; empty: there is none
	Builds        []belay.EngineBuild
	SealedInputs  string
	Files         []RunFile // that the run has
}

type materialRow struct {
	configurationRow
	JobMaterial
	files string
}

func (m *materialRow) dest() []any {
	s := &m.State
	return append(configurations.Dest(&m.configurationRow), &s.ID, &s.Serial, &s.Lineage, &s.State.Size, sqldb.JSON(&m.Builds), &m.SealedInputs, &m.files)
}

func (m *materialRow) found() JobMaterial {
	m.JobMaterial.Configuration = m.configurationRow.ConfigurationVersion
	for line := range strings.Lines(m.files) {
		var f RunFile
		if n, _ := fmt.Sscan(line, &f.Kind, &f.Size, &f.SHA256); n >= 2 { // a log has no checksum
			m.JobMaterial.Files = append(m.JobMaterial.Files, f)
		}
	}
	slices.SortFunc(m.JobMaterial.Files, func(a, b RunFile) int { return cmp.Compare(a.Kind, b.Kind) })
	return m.JobMaterial
}

var (
	materialColumns = configurations.Columns() + `, COALESCE(s.id, ''), COALESCE(s.serial, 0), COALESCE(s.lineage, ''), COALESCE(s.size, 0),
	COALESCE((SELECT e.archs FROM engine_versions e WHERE e.version = runs.engine_version LIMIT 1), ''),
	COALESCE((SELECT i.sealed FROM run_inputs i WHERE i.run_id = runs.id), ''),
	COALESCE((SELECT string_agg(f.kind || ' ' || f.size || ' ' || f.sha256, '
') FROM run_files f WHERE f.run_id = runs.id), '')`

	material = "SELECT " + materialColumns + ` FROM runs JOIN configuration_versions ON configuration_versions.id = runs.configuration_version_id
	LEFT JOIN state_versions s ON s.id = ? WHERE runs.id = ?`

	// A plan begins with the state that is the current one then.
	leasedStart = "SELECT " + leasedColumns + ", " + materialColumns + leasedFrom + core.Alone.From + `
	JOIN configuration_versions ON configuration_versions.id = runs.configuration_version_id
	LEFT JOIN state_versions s ON s.id = CASE WHEN jobs.kind = 'apply' OR jobs.started_at > 0 THEN runs.input_state_version_id ELSE w.current_state_version_id END` + leasedRow
)

// claimable is about the one job that a claim is given. What it was given before comes first.
const (
	claimable sqldb.Text = `WHERE jobs.state IN ('waiting', 'leased', 'lost') AND jobs.id = COALESCE(
	(SELECT had.id FROM jobs had WHERE had.runner_id = `
	claimableNonce sqldb.Text = ` AND had.nonce = ? AND had.nonce <> '' AND had.state IN ('leased', 'lost') LIMIT 1),
	(SELECT next.id FROM jobs next WHERE next.pool_id = `
	claimableNext sqldb.Text = ` AND next.state = 'waiting'`
)

var (
	claimStart = sqldb.Text(strings.TrimSuffix(string(leasedStart), string(leasedRow)))

	// The runner is one row, and what the job is found by is asked of it by itself: then that is known before
	// any job is looked at.
	claimStartAs = "SELECT " + runners.Columns() + ", " + sqldb.Text(strings.TrimPrefix(string(claimStart), "SELECT ")) + " CROSS JOIN runners " +
		claimable + "(SELECT me.id FROM runners me WHERE me.token_hash = ?)" +
		claimableNonce + "(SELECT me.pool_id FROM runners me WHERE me.token_hash = ?)" + claimableNext
)

// ClaimStart is the next job of a claim's pool with what it begins with, all held: what others hold is
// passed over, so that nobody waits. of is nil when nothing was found; more says that Claimable may find
// something then, or what the claim was given before.
func (v *View) ClaimStart(c Claim) (of *LeasedStart, more bool, err error) {
	q := v.SQL(claimStart+" "+claimable+"?"+claimableNonce+"?"+claimableNext, c.RunnerID, c.Nonce, c.PoolID)
	list, err := v.starts(v.nextStart(q, c).Held(v.Hold(), "w, runs, jobs SKIP LOCKED"))
	switch {
	case err != nil || len(list) == 0:
		return nil, v.Hold() != "", err
	case list[0].Job.State != run.JobWaiting:
		return nil, true, nil
	default:
		return &list[0], false, nil
	}
}

// ClaimStartAs is ClaimStart for the runner that a token is of, which is read with the job. of is nil when
// nothing was found, whatever the reason.
func (v *View) ClaimStartAs(hash string, c Claim) (r run.Runner, of *LeasedStart, err error) {
	type row struct {
		runner run.Runner
		startRow
	}
	q := v.nextStart(v.SQL(claimStartAs, hash, c.Nonce, hash), c)
	q.Add(" AND runners.token_hash = ?", hash).Held(v.Hold(), "w, runs, jobs SKIP LOCKED")
	list, err := sqldb.Collect(v, q, func(r *row) []any { return append(runners.Dest(&r.runner), r.startRow.dest()...) })
	if err != nil || len(list) == 0 || list[0].Job.State != run.JobWaiting {
		return r, nil, err
	}
	found, err := list[0].whole(v)
	return list[0].runner, &found, err
}

// nextStart ends a statement about the next job of a claim.
func (v *View) nextStart(q *sqldb.Query, c Claim) *sqldb.Query {
	if len(c.Kinds) > 0 {
		q.In(" AND next.kind", c.Kinds)
	}
	q.Add(" ORDER BY next.class, next.vtime, next.id LIMIT 1")
	if v.Hold() != "" {
		q.Add(v.Dialect().SkipHeld)
	}
	return q.Add(")) AND w.id = jobs.workspace_id")
}

// startRow is a leased job with what it begins with.
type startRow struct {
	Leased
	materialRow
}

func (r *startRow) dest() []any { return append(r.Leased.dest(), r.materialRow.dest()...) }

func (r *startRow) whole(v *View) (LeasedStart, error) {
	return LeasedStart{r.Leased, r.found()}, r.complete(v)
}

// starts reads leased jobs with what they begin with.
func (v *View) starts(q *sqldb.Query) ([]LeasedStart, error) {
	rows, err := sqldb.Collect(v, q, (*startRow).dest)
	list := make([]LeasedStart, len(rows))
	for i := range rows {
		if list[i], err = rows[i].whole(v); err != nil {
			return nil, err
		}
	}
	return list, err
}

// JobMaterial is what the jobs of a run begin with, in one statement.
func (v *View) JobMaterial(r *run.Run) (JobMaterial, error) {
	found, err := base.TheOne(sqldb.Collect(v, v.SQL(material, r.InputStateVersionID, r.ID), (*materialRow).dest))
	return found.found(), err
}

// LeasedStart is a leased job with what it begins with.
type LeasedStart struct {
	Leased
	Material JobMaterial
}

// LeasedStart is Leased, with what the job begins with as long as its run does not move.
func (v *View) LeasedStart(hash string) (LeasedStart, error) {
	return base.TheOne(sqldb.Held(v.Hold(), 1, func(hold sqldb.Text) ([]LeasedStart, error) {
		return v.starts(v.SQL(leasedStart, hash).Held(hold, "w, runs, jobs"))
	}))
}
