package run

// JobSpec is all that a runner needs to carry out one job. It holds secrets in the open:
// it is answered to the holder of the lease alone, never kept in a cache and never logged.
// start answers the same until the job ends.
type JobSpec struct {
	ID      string  `json:"id"`
	Kind    JobKind `json:"kind"`
	Attempt int     `json:"attempt"`
	RunID   string  `json:"run_id"`

	Organization string        `json:"organization"` // names, for the environment
	Project      string        `json:"project"`
	Workspace    JobWorkspace  `json:"workspace"`
	Engine       JobEngine     `json:"engine"`
	Files        []JobFile     `json:"files"` // what GET jobs/ID/files/KIND has for this job
	State        *StateAt      `json:"state"` // nil: the workspace has none
	Plan         PlanOptions   `json:"plan"`
	Variables    []JobVariable `json:"variables"` // effective and complete: a key is there once in each category

	// Environment is what the server adds: TFC_RUN_ID and the like. Each is set as it is,
	// and as TF_VAR_NAME; a variable of the user with the same name wins.
	Environment map[string]string `json:"environment"`
	SSHKey      string            `json:"ssh_key,omitempty"` // PEM, for modules; empty: none

	Address  string `json:"address"`   // of the server, as people know it: scheme and host
	RunToken string `json:"run_token"` // for the engine's own calls to /api/v2; never the lease
	LogID    string `json:"log_id"`    // for PATCH logs/ID
	// LogSize is how much of the log the server has, which a second attempt goes on from.
	LogSize int64     `json:"log_size"`
	Limits  JobLimits `json:"limits"`
	Order   Order     `json:"order"` // a cancel that came before the start
}

// JobWorkspace is the workspace of a job.
type JobWorkspace struct {
	ID               string `json:"id"`
	Name             string `json:"name"`
	WorkingDirectory string `json:"working_directory"` // in the archive; empty: its root
}

// JobEngine is the engine that carries a job out: this one, or none.
type JobEngine struct {
	Product string        `json:"product"` // tofu or terraform
	Version string        `json:"version"` // exact
	Builds  []EngineBuild `json:"builds"`  // where the server says that it can be had
}

// EngineBuild is where an engine is found for one platform.
type EngineBuild struct {
	Platform
	URL    string `json:"url"`
	SHA256 string `json:"sha256"`
}

// JobFile is a file that the server has for a job.
type JobFile struct {
	Kind   FileKind `json:"kind"`
	Size   int64    `json:"size"`
	SHA256 string   `json:"sha256"` // hex; empty: not known
}

// StateAt is the state that a job begins with.
type StateAt struct {
	ID      string `json:"id"`
	Serial  int64  `json:"serial"`
	Lineage string `json:"lineage"`
}

// PlanOptions are the options that the engine is called with.
type PlanOptions struct {
	Destroy        bool     `json:"destroy"`
	Refresh        bool     `json:"refresh"`
	RefreshOnly    bool     `json:"refresh_only"`
	Speculative    bool     `json:"speculative"` // no apply will follow: the plan file is not wanted
	GenerateConfig bool     `json:"generate_config"`
	Targets        []string `json:"targets"`
	Replaces       []string `json:"replaces"`
	InvokeActions  []string `json:"invoke_actions"`
	PolicyPaths    []string `json:"policy_paths"`
	Debug          bool     `json:"debug"`
}

// JobVariable is one variable as the engine gets it.
type JobVariable struct {
	Key       string `json:"key"`
	Value     string `json:"value"`
	Category  string `json:"category"` // terraform or env
	HCL       bool   `json:"hcl"`      // Value is an expression
	Sensitive bool   `json:"sensitive"`
}

// JobLimits bound a job. Zero is no limit.
type JobLimits struct {
	TimeoutSeconds   int   `json:"timeout_seconds"`    // of the phase: then cancel, then kill
	KillAfterSeconds int   `json:"kill_after_seconds"` // after a cancel that the engine did not obey
	SnapshotMillis   int64 `json:"snapshot_ms"`        // an intermediate state at most this often
	LogBytes         int64 `json:"log_bytes"`          // of one log
	FinishBytes      int64 `json:"finish_bytes"`       // of the rest of a log, and of a file, that may come with the end: see Finish; 0: none may
	StateBytes       int64 `json:"state_bytes"`        // of a last state that may come with the end; 0: none may
}
