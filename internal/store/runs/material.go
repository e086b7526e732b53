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
	type row struct {
		Leased
		materialRow
	}
	q := v.SQL(leasedStart, hash)
	if v.Hold() != "" {
		q.Add(v.Hold() + " OF w, runs, jobs")
	}
	found, err := base.TheOne(sqldb.Collect(v, q, func(r *row) []any { return append(r.Leased.dest(), r.materialRow.dest()...) }))
	if err == nil {
		err = found.complete(v)
	}
	return LeasedStart{found.Leased, found.found()}, err
}
