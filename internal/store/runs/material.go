package runs

import (
	"github.com/belayhq/belay"
	"github.com/belayhq/belay/internal/sqldb"
	"github.com/belayhq/belay/internal/store/base"
	"github.com/belayhq/belay/run"
)

// JobMaterial is what the job of a run begins with, beside the run itself.
type JobMaterial struct {
	Configuration run.ConfigurationVersion
	State         belay.StateVersion // its head: the id, the serial, the lineage and the size; empty: there is none
	Builds        []belay.EngineBuild
	SealedInputs  string
}

type materialRow struct {
	configurationRow
	JobMaterial
}

// JobMaterial is what the jobs of a run begin with, in one statement.
func (v *View) JobMaterial(r *run.Run) (JobMaterial, error) {
	q := v.SQL("SELECT " + configurations.Columns() + ", COALESCE(s.id, ''), COALESCE(s.serial, 0), COALESCE(s.lineage, ''), COALESCE(s.size, 0), ")
	q.Add("COALESCE((SELECT e.archs FROM engine_versions e WHERE e.version = ? LIMIT 1), ''), ", r.EngineVersion)
	q.Add("COALESCE((SELECT i.sealed FROM run_inputs i WHERE i.run_id = ?), '') FROM configuration_versions ", r.ID)
	q.Add("LEFT JOIN state_versions s ON s.id = ? WHERE configuration_versions.id = ?", r.InputStateVersionID, r.ConfigurationVersionID)
	found, err := base.TheOne(sqldb.Collect(v, q, func(m *materialRow) []any {
		s := &m.State
		return append(configurations.Dest(&m.configurationRow), &s.ID, &s.Serial, &s.Lineage, &s.State.Size, sqldb.JSON(&m.Builds), &m.SealedInputs)
	}))
	found.JobMaterial.Configuration = found.configurationRow.ConfigurationVersion
	return found.JobMaterial, err
}
