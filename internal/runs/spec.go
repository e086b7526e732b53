package runs

import (
	"encoding/json"
	"strings"
	"time"

	"github.com/belayhq/belay"
	"github.com/belayhq/belay/internal/store"
	"github.com/belayhq/belay/run"
)

// spec is all that a runner needs to carry out a job. It is made anew each time it is
// asked for, and comes out the same.
// With fresh it is asked for the first time.
func (m *Room) spec(tx *store.Tx, l *store.LeasedStart, fresh bool) (s run.JobSpec, err error) {
	w, r, j, with := &l.Workspace, &l.Run, &l.Job, l.Material
	s = run.JobSpec{
		ID: j.ID, Kind: j.Kind, Attempt: j.Attempt, RunID: r.ID, Organization: w.Organization.Name,
		Workspace: run.JobWorkspace{ID: w.ID, Name: w.Name, WorkingDirectory: r.WorkingDirectory},
		Plan:      planOptions(r), Address: m.Address, LogID: r.Plan.ID, Order: j.Cancel, Limits: m.limits(j),
	}
	if j.Kind == run.ApplyJob {
		s.LogID = r.Apply.ID
	}
	if with.State.ID != r.InputStateVersionID && r.InputStateVersionID != "" { // the state moved while the rows were waited for
		if with, err = tx.JobMaterial(r); err != nil {
			return s, err
		}
	}
	s.Project = w.Project.Name
	s.Environment = environment(w, r, with.Configuration.Ingress)
	fresh = fresh && j.Attempt == 1 // nothing has come of it yet
	if !fresh || j.Kind == run.ApplyJob {
		s.Files = m.Files.Among(r, with.Files)
	}
	s.Files = append(s.Files, run.JobFile{Kind: run.ConfigurationFile, Size: with.Configuration.Size, SHA256: with.Configuration.SHA256})
	if !fresh {
		if s.LogSize, err = m.Logs.Size(tx.Peek(), s.LogID); err != nil {
			return s, err
		}
	}
	if v := &with.State; v.ID != "" && v.ID == r.InputStateVersionID { // or it was deleted meanwhile: the engine refuses a plan that began with it
		s.State = &run.StateAt{ID: v.ID, Serial: v.Serial, Lineage: v.Lineage}
		s.Files = append(s.Files, run.JobFile{Kind: run.StateFile, Size: v.State.Size})
	}
	s.Engine = engine(r, with.Builds)
	return s, m.specSecrets(tx, w, r, j, with.SealedInputs, &s)
}

func planOptions(r *run.Run) run.PlanOptions {
	return run.PlanOptions{
		Destroy: r.IsDestroy, Refresh: r.Refresh, RefreshOnly: r.RefreshOnly, Speculative: r.PlanOnly,
		GenerateConfig: r.AllowConfigGeneration, Targets: r.Targets, Replaces: r.Replaces,
		InvokeActions: r.InvokeActions, PolicyPaths: r.PolicyPaths, Debug: r.Debugging,
	}
}

func (m *Room) limits(j *run.Job) run.JobLimits {
	timeout := m.PlanTimeout
	if j.Kind == run.ApplyJob {
		timeout = m.ApplyTimeout
	}
	return run.JobLimits{
		TimeoutSeconds: int(timeout / time.Second), KillAfterSeconds: int(m.ForceCancelAfter / time.Second),
		SnapshotMillis: m.SnapshotInterval.Milliseconds(), LogBytes: m.LogLimit, FinishBytes: m.FinishBytes, StateBytes: m.StateBytes,
	}
}

// environment is what the server tells the engine of its run.
func environment(w *belay.Workspace, r *run.Run, i *run.Ingress) map[string]string {
	env := map[string]string{
		"TFC_RUN_ID": r.ID, "TFC_PROJECT_NAME": w.Project.Name, "TFC_WORKSPACE_ID": w.ID, "TFC_WORKSPACE_NAME": w.Name,
		"TFC_WORKSPACE_SLUG": w.Organization.Name + "/" + w.Name,
	}
	if i != nil {
		env["TFC_CONFIGURATION_VERSION_GIT_BRANCH"] = i.Branch
		env["TFC_CONFIGURATION_VERSION_GIT_COMMIT_SHA"] = i.CommitSHA
		env["TFC_CONFIGURATION_VERSION_GIT_TAG"] = i.Tag
	}
	return env
}

// engine is the run's engine, and where the server says that it can be had.
func engine(r *run.Run, known []belay.EngineBuild) run.JobEngine {
	e := run.JobEngine{Product: r.Engine, Version: r.EngineVersion, Builds: []run.EngineBuild{}}
	for _, b := range known {
		// One list has the releases of both engines: an address tells whose build it is.
		if b.SHA != "" && strings.Contains(strings.ToLower(b.URL), r.Engine) {
			e.Builds = append(e.Builds, run.EngineBuild{Platform: run.Platform{OS: b.OS, Arch: b.Arch}, URL: b.URL, SHA256: b.SHA})
		}
	}
	return e
}

// specSecrets opens what is sealed, and makes the token that the engine acts with.
func (m *Room) specSecrets(tx *store.Tx, w *belay.Workspace, r *run.Run, j *run.Job, sealed string, s *run.JobSpec) error {
	raw, err := m.Ring.Unseal(sealed, r.ID)
	if err != nil {
		return err
	}
	if err := json.Unmarshal(raw, &s.Variables); err != nil {
		return err
	}
	if w.SSHKeyID != "" {
		k, err := tx.Peek().SSHKey(w.SSHKeyID)
		if err != nil {
			return err
		}
		pem, err := m.Ring.Unseal(k.Sealed, k.ID)
		if err != nil {
			return err
		}
		s.SSHKey = string(pem)
	}
	s.RunToken = m.runToken(j)
	return nil
}

// runToken is what the engine of a job acts with, until the job ends. It only reads, of an apply
// too: states come from the runner, by its lease. It is made from the server's key, so that a
// repeated start answers the same.
func (m *Room) runToken(j *run.Job) string {
	return belay.RunTokenPrefix + "atlasv1." + m.Ring.MAC("run token", j.ID+"|"+j.LeaseHash)
}
